//! Chains under the hands: the filter, both files at their lines, what each verb asks for.

use countersign::app::effect::Effect;
use countersign::app::fixture;
use countersign::app::pane::compose;
use countersign::app::state::Row;
use countersign::app::update::Setup;
use countersign::app::walk;
use countersign::gate::judge::Pane;
use countersign::model::id::RepoPath;

use super::sitting::{Sitting, World};
use crate::chains::session::{chain, docked};

fn sitting(callee: &str) -> Sitting {
    let mut dossier = fixture::dossier();
    docked(&mut dossier, "dock-plan");
    let setup = Setup {
        size: (160, 45),
        ..Setup::default()
    };
    let mut sitting = Sitting::with(dossier, World::default(), setup);
    sitting.state.nav.selected = Some(Row::Item(chain("dock-plan", callee)));
    sitting
}

/// The callees of the chains that the list shows.
fn listed(sitting: &Sitting) -> Vec<String> {
    let kept = walk::items(&sitting.state)
        .filter(|item| item.pane == Pane::Chains && walk::keeps(&sitting.state, item));
    kept.map(|item| walk::row_name(&Row::Item(item.subject.clone())))
        .filter_map(|name| Some(name.split_once(" → ")?.1.to_owned()))
        .collect()
}

fn page(sitting: &Sitting) -> String {
    let scene = compose(&sitting.state);
    let rows = scene.panels.iter().flat_map(|panel| &panel.rows);
    let rows = rows.map(|row| {
        let spans = row.left.iter().map(|span| span.text.as_str());
        spans.collect::<String>()
    });
    rows.collect::<Vec<_>>().join("\n")
}

#[test]
fn chains_are_filtered_by_status_severity_and_strength() {
    for (words, kept) in [
        ("closed", &["tide-check"][..]),
        ("OPEN", &["berth-audit", "ship-note", "log-keeper"]),
        ("high", &["berth-audit"]),
        ("mandatory", &["berth-audit"]),
        ("open conditional", &["ship-note", "log-keeper"]),
        ("conditional open low", &["ship-note", "log-keeper"]),
        ("declared", &["log-keeper"]),
        ("berth", &["berth-audit"]),
        ("mandatory low", &[]),
    ] {
        let mut sitting = sitting("tide-check");
        sitting.keys("f f");
        sitting.types(words);
        sitting.keys("Enter");
        let mut got = listed(&sitting);
        // the selected row is never hidden
        let kept = kept.iter().copied().chain(["tide-check"]);
        let mut kept: Vec<String> = kept.map(str::to_owned).collect();
        got.sort();
        kept.sort();
        kept.dedup();
        assert_eq!(got, kept, "{words}: {}", sitting.status());
    }
}

#[test]
fn e_goes_to_the_lines_of_both_files_in_turn() {
    let mut sitting = sitting("berth-audit");
    let mut met: Vec<(RepoPath, u32)> = Vec::new();
    for _ in 0..3 {
        sitting.keys("e");
        let edits = sitting.effects.iter().rev();
        let edit = edits.into_iter().find_map(|effect| match effect {
            Effect::Edit(path, line) => Some((path.clone(), *line)),
            _ => None,
        });
        let (path, line) = edit.expect("an editor");
        assert!(
            sitting.status().contains(&format!("SKILL.md:{line}")),
            "{}",
            sitting.status()
        );
        met.push((path, line));
    }
    let at = |name: &str, line| (RepoPath::new(format!("skills/{name}/SKILL.md")), line);
    assert_eq!(met[0], at("dock-plan", 6));
    assert!(met.contains(&at("berth-audit", 5)), "{met:?}");
    // it begins again after the last one, and anew with another chain
    let count = sitting
        .state
        .chain(&crate::chains::session::id("dock-plan", "berth-audit"));
    let count = count.expect("a chain").spans.len();
    assert_eq!(count, 3);
    sitting.keys("e");
    assert!(
        sitting
            .status()
            .contains("dock-plan/SKILL.md:6, dispatch, 1 of"),
        "{}",
        sitting.status()
    );
}

#[test]
fn the_card_shows_both_files_at_the_line_between_its_neighbours() {
    let mut sitting = sitting("berth-audit");
    sitting.keys("Enter");
    let page = page(&sitting);
    for wanted in [
        "skills/dock-plan/SKILL.md:6",
        "▎   6  - → Mandatory next: `berth-audit`",
        "    5  - → `tide-check` when a hull moves",
        "    7  - → `ship-note` when the page is wanted",
        "skills/berth-audit/SKILL.md:5",
        "▎   5  Verdict: PASS | FAIL",
    ] {
        assert!(page.contains(wanted), "no {wanted} in\n{page}");
    }
}
