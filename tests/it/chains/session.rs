//! Chains in a session: what is owed, what enters the ruling, what a person can do.

use std::sync::Arc;

use countersign::adapters::chains::profile;
use countersign::gate::chains::AuditVerdict;
use countersign::gate::chains::session::ChainFacts;
use countersign::gate::decide::{Act, Refusal};
use countersign::gate::dossier::{Dossier, Subject};
use countersign::gate::judge::{Item, Pane};
use countersign::gate::permit::{Permit, Verb};
use countersign::model::chain::ChainId;
use countersign::model::change::{ChangeKind, Counts, Entry, FileChange, Shape};
use countersign::model::hidden::Marks;
use countersign::model::id::{Oid, RepoPath};
use countersign::model::known::{Known, Reason};
use countersign::model::oracle::Outcome;
use countersign::model::ruling::{Cause, Verdict};
use countersign::model::text::Foreign;

use crate::gate::world::{World, back, criterion, ratify};

/// A small dock: one chain closed, one HIGH, one LOW, one declared open, one only linked.
pub(crate) const DOCK: [(&str, &str); 5] = [
    (
        "dock-plan",
        "# Dock plan\n\n## Chains\n\n- → `tide-check` when a hull moves\n- → Mandatory next: `berth-audit`\n\
         - → `ship-note` when the page is wanted\n- → `log-keeper` at the end\n\n## Done When\n\n\
         - wait for the tide-check verdict; open conditions of tide-check are resolved\n\
         - conditions of berth-audit are listed, its last line was read: Verdict of berth-audit read aloud\n\
         - log-keeper ran, no verdict folds back BY DESIGN\n",
    ),
    (
        "tide-check",
        "# Tide check\n\n## Done When\n\nVerdict: PASS | CONDITIONAL_PASS | FAIL | ESCALATE\n",
    ),
    (
        "berth-audit",
        "# Berth audit\n\n## Done When\n\nVerdict: PASS | FAIL\n",
    ),
    (
        "ship-note",
        "# Ship note\n\n## Related Skills\n\n- log-keeper\n\n## Done When\n\n- sent\n",
    ),
    (
        "log-keeper",
        "# Log keeper\n\n## Done When\n\n- line written\n",
    ),
];

fn path(name: &str) -> RepoPath {
    RepoPath::new(format!("skills/{name}/SKILL.md"))
}

/// The dock's chains, in this tree.
pub(crate) fn dock(tree: Oid, name: &str) -> ChainFacts {
    let text = profile::built_in(name).expect("built in");
    let profile = profile::read(name, text, &|_| None).expect("a good profile");
    let read = |(name, text): &(&str, &str)| (path(name), Ok(text.as_bytes().to_vec()));
    ChainFacts::of(tree, DOCK.iter().map(read).collect(), Vec::new(), &profile)
}

/// A change of one of its skills.
pub(crate) fn changed(name: &str) -> FileChange {
    let entry = |byte| Entry {
        oid: Oid([byte; 20]),
        mode: 0o100_644,
    };
    FileChange {
        path: path(name),
        old_path: None,
        kind: ChangeKind::Modified,
        old: Some(entry(0x31)),
        new: Some(entry(0x32)),
        shape: Known::Is(Shape::Text),
        counts: Known::Is(Counts {
            added: 3,
            removed: 1,
        }),
        marks: Known::Is(Marks::default()),
    }
}

/// With the dock's chains, and this skill changed.
pub(crate) fn docked(dossier: &mut Dossier, name: &str) {
    if let Known::Is(files) = &mut dossier.files {
        files.push(changed(name));
    }
    dossier.chains = Known::Is(Arc::new(dock(dossier.snapshot.tree, "forge")));
}

pub(crate) fn id(caller: &str, callee: &str) -> ChainId {
    ChainId {
        caller: Foreign::from(caller),
        callee: Foreign::from(callee),
    }
}

pub(crate) fn chain(caller: &str, callee: &str) -> Subject {
    Subject::Chain(id(caller, callee))
}

/// One criterion, ratified, so that only the chains are left.
fn world(name: &str) -> World {
    let mut world = World::new()
        .runnable("1")
        .ran("1", Outcome::Met)
        .decided(&criterion("1"), ratify());
    docked(&mut world.dossier, name);
    world
}

fn of(world: &World, callee: &str) -> Item {
    let judgment = world.judge();
    let item = judgment
        .item(&chain("dock-plan", callee))
        .expect("a row")
        .clone();
    assert_eq!(item.pane, Pane::Chains);
    item
}

fn close(at: &str) -> Act {
    Act::ChainClosed { at: at.to_owned() }
}

fn accept() -> Act {
    Act::ChainAccepted {
        why: "It is a page for people.".to_owned(),
    }
}

const AT: &str = "skills/dock-plan/SKILL.md:13";

#[test]
fn open_chains_of_touched_skills_are_owed_and_high_ones_fail() {
    let world = world("dock-plan");
    let judgment = world.judge();
    assert_eq!(judgment.chains, Known::Is(AuditVerdict::Fail));
    assert_eq!(
        judgment.verify,
        Verdict::Approved,
        "verify has its own inputs"
    );
    assert_eq!(judgment.ruling, Verdict::Reroll, "a HIGH chain is open");
    let words: Vec<(String, &str, bool)> = judgment
        .items
        .iter()
        .filter(|item| item.pane == Pane::Chains)
        .map(|item| {
            (
                format!("{:?}", item.subject)
                    .split("callee: ")
                    .last()
                    .expect("a name")
                    .to_owned(),
                item.word,
                item.owed,
            )
        })
        .collect();
    let words: Vec<(&str, &str, bool)> = words
        .iter()
        .map(|(name, word, owed)| (name.split('"').nth(1).expect("quoted"), *word, *owed))
        .collect();
    assert_eq!(
        words,
        [
            ("berth-audit", "OPEN high", true),
            ("ship-note", "OPEN low", true),
            ("log-keeper", "declared", true),
            ("tide-check", "CLOSED", false),
        ]
    );
    assert_eq!(judgment.owed, 3);
    let row = judgment
        .trace
        .iter()
        .find(|row| row.rule == "chains")
        .expect("a row");
    assert!(
        row.says.starts_with("FAIL: 3 of 4 chains open, 1 HIGH"),
        "{}",
        row.says
    );
}

#[test]
fn only_what_the_change_touches_is_listed() {
    // a callee that changed concerns the chains to it
    let world = world("log-keeper");
    let judgment = world.judge();
    let chains = judgment
        .items
        .iter()
        .filter(|item| item.pane == Pane::Chains);
    assert_eq!(chains.count(), 2, "dock-plan and ship-note name it");
    assert_eq!(
        judgment
            .item(&chain("ship-note", "log-keeper"))
            .expect("a row")
            .word,
        "advisory"
    );
    // nothing of it: the gate does not apply
    let mut none = World::new().runnable("1").ran("1", Outcome::Met);
    none.dossier.chains = Known::Is(Arc::new(dock(none.dossier.snapshot.tree, "forge")));
    assert!(matches!(none.judge().chains, Known::NotApplicable(_)));
}

#[test]
fn a_person_closes_by_a_line_that_is_there() {
    let mut world = world("dock-plan");
    let berth = chain("dock-plan", "berth-audit");
    for bad in [
        "",
        "skills/dock-plan/SKILL.md",
        "skills/dock-plan/SKILL.md:0",
        "skills/dock-plan/SKILL.md:99",
        "skills/ship-note/SKILL.md:1",
        "/etc/passwd:1",
    ] {
        assert!(
            matches!(world.ask(&berth, close(bad)), Err(Refusal::Text(_))),
            "{bad}"
        );
    }
    // and only what was on screen
    let judgment = world.judge();
    assert!(matches!(
        judgment
            .item(&berth)
            .expect("a row")
            .permits
            .of(Verb::Affirm),
        Permit::Locked("mark CLOSED")
    ));
    world = world.decided(&berth, close(AT));
    assert_eq!(of(&world, "berth-audit").word, "closed by you");
    let judgment = world.judge();
    assert_eq!(judgment.chains, Known::Is(AuditVerdict::ConditionalPass));
    assert_eq!(judgment.ruling, Verdict::Undecided, "two are owed");
    world = world
        .decided(&chain("dock-plan", "ship-note"), accept())
        .decided(&chain("dock-plan", "log-keeper"), accept());
    let judgment = world.judge();
    assert_eq!((judgment.owed, judgment.ruling), (0, Verdict::Approved));
    // a declared one that was accepted stands apart, a LOW one that was left open still counts
    assert_eq!(judgment.chains, Known::Is(AuditVerdict::ConditionalPass));
    let row = judgment
        .trace
        .iter()
        .find(|row| row.rule == "chains")
        .expect("a row");
    let says = "1 of 4 chains open, 1 closed by a person, 1 accepted as declared";
    assert!(row.says.contains(says), "{}", row.says);
}

#[test]
fn a_high_chain_is_not_left_open_and_may_go_back() {
    let world = world("dock-plan");
    let berth = chain("dock-plan", "berth-audit");
    assert!(matches!(
        world.ask(&berth, accept()),
        Err(Refusal::Closed(_))
    ));
    assert!(
        world.ask(&criterion("1"), close(AT)).is_err(),
        "a chain's act on a criterion"
    );
    let world = world.decided(&berth, back(Cause::Implementation));
    let judgment = world.judge();
    assert_eq!(of(&world, "berth-audit").word, "kicked back");
    assert_eq!(judgment.ruling, Verdict::Reroll);
    let world = world.ruled(Verdict::Reroll);
    let ruling = world.dossier.rulings.last().expect("a ruling");
    let judgment = world.judge();
    let policy = &world.policy;
    let pack =
        countersign::gate::handoff::handoff(&world.dossier, &judgment, policy, ruling, Vec::new());
    let text = format!("{pack:?}");
    assert!(text.contains("berth-audit"), "{text}");
}

#[test]
fn what_could_not_be_read_is_no_pass() {
    // a calibration that fails reports nothing, and nothing is approved
    let mut failed = world("dock-plan");
    failed.dossier.chains = Known::Is(Arc::new(dock(failed.dossier.snapshot.tree, "literal")));
    let judgment = failed.judge();
    assert_eq!(judgment.chains, Known::Is(AuditVerdict::HarnessError));
    assert_eq!(judgment.ruling, Verdict::CouldNotMeasure);
    assert_eq!(judgment.verify, Verdict::Approved);
    assert!(!judgment.items.iter().any(|item| item.pane == Pane::Chains));
    // a reader that failed
    let mut broken = world("dock-plan");
    broken.dossier.chains = Known::Unknown(Reason::new("the reader died"));
    assert_eq!(broken.judge().ruling, Verdict::CouldNotMeasure);
    // not there yet
    let mut reading = world("dock-plan");
    reading.dossier.chains = Known::NotSupplied;
    assert_eq!(reading.judge().ruling, Verdict::Undecided);
}
