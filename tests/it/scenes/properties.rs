//! What holds at every size and for every content.

use countersign::app::pane::compose;
use countersign::app::scene::Scene;
use countersign::app::state::{Focus, State};
use countersign::model::text::is_hidden;
use countersign::view::Theme;

use super::sample::{criterion, edit, focus, sample, scope, unread};
use super::text;

fn all(size: (u16, u16)) -> Vec<(&'static str, State)> {
    vec![
        ("unread", unread(size)),
        ("edit", edit(sample(size))),
        ("failing", criterion(sample(size), 2)),
        ("weak", criterion(sample(size), 4)),
        ("stale", criterion(sample(size), 6)),
        ("abandoned", criterion(sample(size), 5)),
        ("scope", scope(sample(size))),
        ("card", focus(criterion(sample(size), 6), Focus::Card)),
        ("diff", focus(criterion(sample(size), 2), Focus::Diff)),
    ]
}

fn inside(scene: &Scene, name: &str) {
    let (width, height) = scene.size;
    for panel in &scene.panels {
        let area = panel.area;
        assert!(
            area.x + area.width <= width,
            "{name} {:?}: {area:?}",
            scene.size
        );
        assert!(
            area.y + area.height <= height,
            "{name} {:?}: {area:?}",
            scene.size
        );
        let room =
            usize::from(area.height) - usize::from(panel.title.is_some()).min(area.height.into());
        assert!(
            panel.rows.len() <= room,
            "{name} {:?}: {} rows in {area:?}",
            scene.size,
            panel.rows.len()
        );
    }
}

#[test]
fn any_size_is_drawn_with_the_verdict_in_its_corner() {
    let theme = Theme::plain();
    for width in [
        0, 1, 2, 7, 39, 40, 41, 59, 60, 75, 89, 90, 113, 139, 140, 177, 200,
    ] {
        for height in [0, 1, 2, 3, 9, 10, 11, 15, 19, 20, 30, 60] {
            for (name, state) in all((width, height)) {
                let scene = compose(&state);
                inside(&scene, name);
                let buffer = text::cells(&scene, &theme);
                for cell in &buffer.content {
                    assert!(!cell.symbol().chars().any(is_hidden), "{name}");
                }
                if width < 40 || height < 2 {
                    continue;
                }
                let row: String = (0..width)
                    .map(|x| buffer[(x, 1)].symbol().to_owned())
                    .collect();
                let word = if name == "unread" { "…" } else { "undecided" };
                assert!(
                    row.trim_end().ends_with(word),
                    "{name} at {width}x{height}: {row:?}"
                );
            }
        }
    }
}

#[test]
fn what_decides_is_the_same_at_every_size() {
    for (n, make) in [2, 4, 6, 5, 3].into_iter().enumerate() {
        let labels = |size| {
            let scene = compose(&criterion(sample(size), make));
            let deciding = scene.deciding.expect("a criterion decides something");
            let mut all: Vec<String> = deciding.shown;
            all.extend(deciding.missing);
            all.sort();
            all
        };
        let wanted = labels((160, 45));
        assert!(!wanted.is_empty(), "{n}");
        for size in [(220, 60), (100, 30), (80, 24), (60, 20), (90, 20)] {
            assert_eq!(labels(size), wanted, "criterion {make} at {size:?}");
        }
    }
}
