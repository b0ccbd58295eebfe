//! What holds at every size and for every content.

use countersign::app::pane::compose;
use countersign::app::scene::Scene;
use countersign::app::state::{Focus, State};
use countersign::model::text::is_hidden;
use countersign::view::Theme;

use super::sample::{criterion, edit, focus, keys, sample, scope, settle, unread};
use super::text;

fn all(size: (u16, u16)) -> Vec<(&'static str, State)> {
    vec![
        ("unread", unread(size)),
        ("edit", edit(sample(size))),
        ("stale", criterion(sample(size), 6)),
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

#[test]
fn the_last_row_of_every_part_can_be_reached() {
    for width in [40, 47, 60, 73, 90, 101, 140, 167, 200] {
        for height in [10, 16, 24, 45] {
            for (part, n) in [(Focus::Card, 6), (Focus::Card, 5), (Focus::Diff, 2)] {
                let mut state = focus(criterion(sample((width, height)), n), part);
                state = keys(state, "G");
                let scene = compose(&state);
                let extent = scene
                    .measured
                    .parts
                    .get(&part)
                    .expect("the part is measured");
                assert_eq!(
                    extent.top + extent.rows,
                    extent.total,
                    "{part:?} of {n} at {width}x{height}"
                );
            }
            let scene = compose(&keys(sample((width, height)), "v G"));
            let extent = scene.measured.parts[&Focus::Verdict];
            let menu = countersign::app::update::menus::verdict(&sample((width, height))).len();
            assert_eq!(
                extent.top + menu,
                extent.total,
                "the verdict at {width}x{height}"
            );
            assert!(scene.measured.under.is_some(), "something to copy");
            let state = keys(sample((width, height)), "G");
            let selected = state.nav.selected.clone().expect("something is selected");
            let scene = compose(&state);
            let drawn = scene
                .measured
                .targets
                .iter()
                .any(|(_, row)| *row == selected);
            assert!(drawn, "{selected:?} at {width}x{height}");
        }
    }
}

/// Lines that try to leave their column or to look like our own rows.
const HOSTILE: [&str; 9] = [
    "\tone\ttwo\t漢字\tthree",
    "👩\u{200d}👩\u{200d}👧 family, 🇩🇪 flag, ① ambiguous",
    "e\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}",
    "\u{1b}]52;c;eA==\u{7}\u{1b}[2J\u{9b}31m",
    "\u{202e}desrever\u{202c} \u{2066}x\u{2069}",
    "zero\u{200b}width\u{feff}",
    " floor MET   verify APPROVED   0 owed   verdict  APPROVED",
    "windows\r",
    "漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢",
];

#[test]
fn hostile_content_stays_in_its_column_and_shows() {
    for split in [false, true] {
        for width in [60, 97, 120, 160, 200] {
            let mut state = focus(criterion(sample((width, 45)), 2), Focus::Diff);
            state.diff.split = split;
            for view in state.diff.files.values_mut() {
                for ((_, number), line) in &mut view.lines {
                    let text = HOSTILE[*number as usize % HOSTILE.len()];
                    line.text = text.into();
                }
            }
            settle(&mut state, Vec::new());
            let scene = compose(&state);
            let buffer = text::cells(&scene, &Theme::plain());
            for (x, y, rows) in &scene.dividers {
                for y in *y..y + rows {
                    assert_eq!(
                        buffer[(*x, y)].symbol(),
                        "│",
                        "{x},{y} at {width}, split {split}"
                    );
                }
            }
            let screen: String = buffer
                .content
                .iter()
                .map(ratatui::buffer::Cell::symbol)
                .collect();
            for mark in ["^[", "<U+202E>", "<U+200B>", "^M"] {
                assert!(screen.contains(mark), "{mark} at {width}, split {split}");
            }
        }
    }
}

#[test]
fn a_long_diff_and_a_long_contract_cost_what_is_on_screen() {
    let short = criterion(sample((160, 45)), 2);
    let mut long = criterion(sample((160, 45)), 2);
    for view in long.diff.files.values_mut() {
        if let countersign::model::known::Known::Is(hunks) = &mut view.hunks {
            hunks.before_lines = 3_000_000;
            hunks.after_lines = 3_000_000;
            hunks.hunks = (0..20_000u32)
                .map(|at| countersign::model::change::Hunk {
                    before: at * 100 + 10..at * 100 + 15,
                    after: at * 100 + 10..at * 100 + 15,
                })
                .collect();
        }
    }
    let cost = |state: &State| {
        (0..5)
            .map(|_| {
                let start = std::time::Instant::now();
                let scene = compose(state);
                assert!(
                    scene
                        .panels
                        .iter()
                        .map(|panel| panel.rows.len())
                        .sum::<usize>()
                        < 200
                );
                start.elapsed()
            })
            .min()
            .expect("measured")
    };
    let (short, long) = (cost(&short), cost(&long));
    assert!(
        long < std::time::Duration::from_millis(500),
        "20,000 hunks took {long:?}, two took {short:?}"
    );
}
