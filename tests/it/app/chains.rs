//! Chains under the hands: the filter, both files at their lines, what each verb asks for.

use countersign::app::effect::Effect;
use countersign::app::fixture;
use countersign::app::msg::Msg;
use countersign::app::pane::compose;
use countersign::app::row::Row as Drawn;
use countersign::app::state::Row;
use countersign::app::update::Setup;
use countersign::app::walk;
use countersign::gate::judge::Pane;
use countersign::model::id::RepoPath;

use super::sitting::{Sitting, World};
use crate::chains::session::{chain, docked};

fn sitting(callee: &str) -> Sitting {
    of_size(callee, (160, 45))
}

fn of_size(callee: &str, size: (u16, u16)) -> Sitting {
    let mut dossier = fixture::dossier();
    docked(&mut dossier, "dock-plan");
    let setup = Setup {
        size,
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

/// The rows of the list's section of chains, from its first line to the next rule, without what
/// stands at the right.
fn section(sitting: &Sitting) -> Vec<String> {
    let scene = compose(&sitting.state);
    let panel = scene.panels.iter().find(|panel| {
        let title = panel.title.as_ref();
        title.is_some_and(|title| title.left.plain().starts_with("4 Chains"))
    });
    let rows = panel.map(|panel| panel.rows.iter().map(Drawn::plain).collect::<Vec<_>>());
    let rows = rows.unwrap_or_default().into_iter();
    rows.map(|row| row.split_whitespace().collect::<Vec<_>>().join(" "))
        .filter(|row| !row.is_empty())
        .collect()
}

/// With the chains of the ship's note in the change as well.
fn grown(size: (u16, u16)) -> Sitting {
    let mut dossier = fixture::dossier();
    docked(&mut dossier, "dock-plan");
    docked(&mut dossier, "log-keeper");
    let setup = Setup {
        size,
        ..Setup::default()
    };
    let mut sitting = Sitting::with(dossier, World::default(), setup);
    sitting.state.nav.selected = Some(Row::Item(chain("dock-plan", "tide-check")));
    sitting
}

#[test]
fn z_turns_the_table_into_a_tree_and_back() {
    let mut sitting = grown((160, 45));
    let table = section(&sitting);
    assert!(table[0].contains("dock-plan → berth-audit"), "{table:?}");
    sitting.keys("z");
    assert!(
        sitting.status().contains("as a tree"),
        "{}",
        sitting.status()
    );
    let wanted = [
        "dock-plan",
        "•◆ ├─ berth-audit OPEN high",
        "•◆ ├─ ship-note OPEN low",
        "− │ └─ log-keeper advisory",
        "•◆ ├─ log-keeper declared",
        "▸ ✓ └─ tide-check CLOSED",
    ];
    assert_eq!(section(&sitting), wanted);
    // the walk goes down as drawn, and the keys act on the row they stand on
    let mut met = Vec::new();
    sitting.keys("k k k k");
    for _ in 0..5 {
        met.push(listed_at(&sitting));
        sitting.keys("j");
    }
    assert_eq!(
        met,
        [
            "berth-audit",
            "ship-note",
            "log-keeper",
            "log-keeper",
            "tide-check"
        ]
    );
    // what the filter hides stays where it leads to what it keeps, and is not walked
    sitting.state.nav.selected = Some(Row::Item(chain("ship-note", "log-keeper")));
    sitting.keys("f f");
    sitting.types("advisory");
    sitting.keys("Enter");
    assert_eq!(
        section(&sitting),
        ["dock-plan", "├─ ship-note", "▸ − │ └─ log-keeper advisory"]
    );
    sitting.keys("f");
    sitting.keys("z");
    assert_eq!(section(&sitting).len(), table.len());
    assert!(section(&sitting)[0].contains("dock-plan → berth-audit"));
}

#[test]
fn the_tree_fits_every_size_and_plain_signs() {
    for size in [(100, 30), (60, 20)] {
        let mut sitting = grown(size);
        sitting.keys("z");
        let rows = section(&sitting).join("\n");
        assert!(rows.contains("├"), "{size:?}: {rows}");
        assert!(rows.contains("log-keeper"), "{size:?}: {rows}");
    }
}

#[test]
fn a_tree_that_is_asked_for_before_the_chains_came_is_made_of_them() {
    let mut sitting = grown((160, 45));
    sitting.keys("z");
    let before = section(&sitting);
    let facts = sitting
        .state
        .dossier()
        .map(|dossier| dossier.chains.clone());
    let facts = facts
        .and_then(|facts| facts.known().cloned())
        .expect("facts");
    sitting.state.nav.tree = Some(Vec::new());
    sitting.tell(Msg::Chains(Ok(facts)));
    assert_eq!(section(&sitting), before);
}

/// The callee of the selected chain.
fn listed_at(sitting: &Sitting) -> String {
    let row = sitting.state.nav.selected.as_ref().map(walk::row_name);
    let name = row.unwrap_or_default();
    name.split_once(" → ")
        .map_or(name.clone(), |(_, callee)| callee.to_owned())
}
