//! What makes a decision stale: the table of `tests/truth/stale.md`, and every combination of
//! causes against an account of its own.

use countersign::gate::dossier::Moved;
use countersign::gate::kept::{Kept, KeptWhy};
use countersign::model::id::Digest;
use countersign::model::known::Known;
use countersign::model::oracle::{Expect, Outcome};
use countersign::model::ruling::Verdict;
use countersign::model::text::Foreign;

use super::words::table;
use super::world::*;

const STALE: &str = include_str!("../../truth/stale.md");

/// Two criteria, both ratified and signed.
fn before() -> World {
    let world = World::new()
        .runnable("1")
        .manual("2")
        .ran("1", Outcome::Met);
    let world = world.decided(&criterion("1"), ratify());
    let world = world.decided(&criterion("2"), because("bin/ferry does it"));
    world.ruled(Verdict::Approved)
}

fn happened(mut world: World, what: &str) -> World {
    let then = world.dossier.snapshot.clone();
    let facts = &mut world.dossier;
    match what {
        "nothing" => {}
        "new commit" => facts.snapshot.head = oid(0xac),
        "same tree" => {}
        "push" => return world.pushed(),
        "forced back" => {
            facts.snapshot.head = oid(0xaa);
            facts.snapshot.tree = oid(0xa1);
        }
        "base commit moved" => facts.snapshot.base = oid(0xb8),
        "merge base moved" => facts.snapshot.merge_base = oid(0xb8),
        "base tree changed" => facts.snapshot.base_tree = oid(0xb9),
        "contract changed" => facts.snapshot.contract = Some(Digest([8; 32])),
        "oracle changed" => {
            let other = Expect::Plain(Foreign::from("other"));
            for criterion in &mut world.record().contract.criteria {
                if let Some(oracle) = &mut criterion.oracle {
                    oracle.expect = other.clone();
                }
            }
        }
        "own edits only" | "evidence only" => {
            let why = match what {
                "evidence only" => KeptWhy::EvidenceOnly,
                _ => KeptWhy::OwnEdits(4),
            };
            facts.kept.push(Kept {
                snapshot: then,
                why,
            });
            facts.snapshot.head = oid(0xad);
            facts.snapshot.tree = oid(0xa3);
        }
        other => panic!("nothing is known of {other:?}"),
    }
    world
}

/// After a push, nobody proves the edits for the new tree.
fn all(events: &str) -> World {
    let events: Vec<&str> = events.split(", ").collect();
    let mut world = events.iter().fold(before(), |w, what| happened(w, what));
    if events.contains(&"push") && !events.contains(&"forced back") {
        world.dossier.kept.clear();
    }
    world
}

fn word(world: &World, name: &str) -> &'static str {
    let judgment = world.judge();
    judgment.item(&criterion(name)).expect("an item").word
}

#[test]
fn every_row_of_the_table_is_what_the_rules_say() {
    for cells in table(STALE, 0) {
        let world = all(&cells[0]);
        let decision = &world.dossier.decisions[0].value;
        let holds = world.dossier.holds(decision.snapshot());
        let said = if holds { "holds" } else { "stale" };
        assert_eq!(said, cells[1], "{}: the decision", cells[0]);
        let record = world.dossier.contract.known().expect("a contract");
        let oracle = record.contract.criteria[0].oracle.as_ref();
        let run = &world.dossier.runs[0];
        let counts = match (
            world.dossier.same_tree(run.tree),
            oracle.expect("an oracle").digest() == run.oracle,
        ) {
            (true, true) => "counts",
            (false, _) => "another tree",
            (true, false) => "other bytes",
        };
        assert_eq!(counts, cells[2], "{}: the run", cells[0]);
        assert_eq!(word(&world, "1"), cells[3], "{}: 1", cells[0]);
        assert_eq!(word(&world, "2"), cells[4], "{}: 2", cells[0]);
    }
}

/// Where the two criteria stand, from the prose of the rules and nothing of their code: which
/// causes touch what a decision is bound to, and which touch what a run is bound to.
fn account(causes: &[&str]) -> (&'static str, &'static str) {
    let verified = causes.contains(&"own edits only");
    let another_tree = causes.contains(&"push") && !causes.contains(&"forced back");
    let another_tree = another_tree || verified && causes.contains(&"push");
    let bound: [&str; 4] = [
        "base commit moved",
        "merge base moved",
        "base tree changed",
        "contract changed",
    ];
    let decision_gone = another_tree || bound.iter().any(|cause| causes.contains(cause));
    let run_gone = another_tree || causes.contains(&"oracle changed");
    let one = match (decision_gone, run_gone) {
        (false, false) => "ratified",
        (true, false) => "passing",
        (_, true) => "stale",
    };
    (one, if decision_gone { "stale" } else { "ratified" })
}

#[test]
fn every_combination_of_causes_is_as_the_prose_says() {
    let causes = [
        "base commit moved",
        "merge base moved",
        "base tree changed",
        "contract changed",
        "oracle changed",
        "own edits only",
        "push",
    ];
    for bits in 0..1u32 << causes.len() {
        let chosen: Vec<&str> = (0..)
            .zip(causes)
            .filter(|(at, _)| bits & (1 << at) != 0)
            .map(|(_, cause)| cause)
            .collect();
        let events = if chosen.is_empty() {
            "nothing".to_owned()
        } else {
            chosen.join(", ")
        };
        let world = all(&events);
        let ours = (word(&world, "1"), word(&world, "2"));
        assert_eq!(ours, account(&chosen), "{events}");
    }
}

#[test]
fn what_moves_while_the_session_is_open_closes_every_decision() {
    for cells in table(STALE, 1) {
        let mut world = World::new()
            .runnable("1")
            .ran("1", Outcome::Met)
            .decided(&criterion("1"), ratify());
        world.dossier.decisions.clear();
        let moved = match cells[0].as_str() {
            "nothing" => Known::Is(Moved::default()),
            "the head" => Known::Is(Moved {
                head: Some(oid(0x77)),
                ..Moved::default()
            }),
            "the base" => Known::Is(Moved {
                base: Some(oid(0x78)),
                ..Moved::default()
            }),
            "the contract" => Known::Is(Moved {
                contract: Some(Digest([9; 32])),
                ..Moved::default()
            }),
            "could not look" => unknown(),
            other => panic!("nothing is known of {other:?}"),
        };
        world.dossier.moved = moved;
        let asked = world.ask(&criterion("1"), ratify());
        let said = match &asked {
            Ok(_) => "taken",
            Err(refusal) => refusal.sentence(),
        };
        assert_eq!(said, cells[2], "{}", cells[0]);
        if let Ok(decision) = asked {
            world.stand(decision);
        }
        let word = world.judge().ruling.word();
        assert_eq!(word, cells[1], "{}", cells[0]);
    }
}
