//! The negative control: the same oracle on base (RUN-20, K48). It can take a badge away or put
//! one there; it never proves anything.

use countersign::gate::floor::lint::Lint;
use countersign::model::contract::Severity;
use countersign::model::oracle::{Ended, Outcome};
use countersign::model::standing::Standing;

use super::world::*;

const TOO: &str = "it passes on base too: it proves nothing of this change";

fn base() -> countersign::model::id::Oid {
    World::new().dossier.snapshot.base_tree
}

#[test]
fn a_run_on_base_is_never_evidence_whatever_it_says() {
    for outcome in [Outcome::Met, Outcome::NotMet, Outcome::Error] {
        let world = World::new().runnable("1").ran_on("1", outcome, base());
        let judgment = world.judge();
        let item = judgment.item(&criterion("1")).expect("an item");
        assert_eq!(item.standing, Standing::Pending, "{outcome:?}");
        let floor = judgment.floor.known().expect("a floor");
        assert_eq!(floor.token.to_string(), "PENDING(1)", "{outcome:?}");
        assert!(world.ask(&criterion("1"), ratify()).is_err());
    }
}

#[test]
fn a_run_on_base_is_no_evidence_even_where_a_kept_head_had_that_tree() {
    let mut world = World::new().runnable("1").ran_on("1", Outcome::Met, base());
    let then = countersign::model::snapshot::Snapshot {
        tree: base(),
        ..world.dossier.snapshot.clone()
    };
    world.dossier.kept = vec![countersign::gate::kept::Kept {
        snapshot: then,
        why: countersign::gate::kept::KeptWhy::EvidenceOnly,
    }];
    let judgment = world.judge();
    let item = judgment.item(&criterion("1")).expect("an item");
    assert_eq!(item.standing, Standing::Pending);
}

#[test]
fn a_pass_there_makes_the_pass_here_weak_and_says_so_again_at_the_ruling() {
    let world = World::new()
        .runnable("1")
        .ran("1", Outcome::Met)
        .ran_on("1", Outcome::Met, base());
    let judgment = world.judge();
    let item = judgment.item(&criterion("1")).expect("an item");
    assert_eq!((item.standing, item.word), (Standing::Passing, "weak"));
    assert!(item.limits.iter().any(|limit| limit == TOO));
    assert_eq!(world.dossier.weaknesses(&id("1")), [TOO]);
}

#[test]
fn red_there_is_what_it_should_be() {
    let world =
        World::new()
            .runnable("1")
            .ran("1", Outcome::Met)
            .ran_on("1", Outcome::NotMet, base());
    let judgment = world.judge();
    let item = judgment.item(&criterion("1")).expect("an item");
    assert_eq!(item.word, "passing");
    assert!(!item.limits.iter().any(|limit| limit.contains("base")));
    assert_eq!(world.dossier.weaknesses(&id("1")), [] as [&str; 0]);
}

#[test]
fn other_bytes_or_a_stopped_run_are_no_control() {
    let mut world = World::new().runnable("1").ran("1", Outcome::Met);
    let mut other = world.run("1", Outcome::Met, base());
    other.oracle = countersign::model::id::Digest([9; 32]);
    let mut stopped = world.run("1", Outcome::Error, base());
    stopped.ended = Ended::Interrupted;
    world.dossier.runs.extend([other, stopped]);
    assert!(world.dossier.control(&id("1")).is_none());
    let judgment = world.judge();
    let item = judgment.item(&criterion("1")).expect("an item");
    assert_eq!(item.word, "passing");
    let unasked = "whether it failed before this change: not run on base";
    assert!(item.limits.iter().any(|limit| limit == unasked));
}

#[test]
fn an_absence_check_keeps_its_badge_until_it_was_red_on_base() {
    let mut world = World::new().runnable("1").ran("1", Outcome::Met);
    world.dossier.lints.push((
        id("1"),
        Lint {
            code: "absence-without-control",
            severity: Severity::Warning,
            message: "an absence check".into(),
            weakens: true,
        },
    ));
    let word = |world: &World| world.judge().item(&criterion("1")).expect("an item").word;
    assert_eq!(word(&world), "weak");
    let green = world.clone().ran_on("1", Outcome::Met, base());
    assert_eq!(word(&green), "weak");
    assert_eq!(
        green.dossier.weaknesses(&id("1")),
        ["an absence check", TOO]
    );
    let red = world.ran_on("1", Outcome::NotMet, base());
    assert_eq!(word(&red), "passing");
}
