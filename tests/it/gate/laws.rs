//! Laws over random worlds: the rules never panic, never depend on the order of a hash, never
//! get laxer by not knowing, and never get laxer by more failing.

use std::collections::BTreeSet;

use countersign::gate::decide::{self, Act};
use countersign::gate::dossier::{LedgerHealth, Moved, Subject};
use countersign::gate::judge::Judgment;
use countersign::gate::permit::{Permit, Verb};
use countersign::gate::verify::Status;
use countersign::model::contract::EditKind;
use countersign::model::known::Known;
use countersign::model::oracle::Outcome;
use countersign::model::ruling::{Cause, Verdict};
use countersign::model::standing::Standing;
use proptest::collection::vec;
use proptest::prelude::*;

use super::world::*;

/// One step in the making of a world. Steps that make no sense there are refused and skipped.
#[derive(Clone, Debug)]
enum Step {
    Manual,
    Runnable,
    Optional,
    Abandoned(u8),
    Edited(u8),
    New,
    Overflow(u8),
    Weak(u8),
    Ran(u8, u8, bool),
    Act(u8, u8),
    Asserted,
    Push,
    Round(u8),
    AllowAbandoned,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => Just(Step::Manual),
        4 => Just(Step::Runnable),
        1 => Just(Step::Optional),
        1 => (0..6u8).prop_map(Step::Abandoned),
        1 => (0..6u8).prop_map(Step::Edited),
        1 => Just(Step::New),
        1 => (0..3u8).prop_map(Step::Overflow),
        1 => (0..6u8).prop_map(Step::Weak),
        5 => (0..6u8, 0..3u8, any::<bool>()).prop_map(|(id, out, here)| Step::Ran(id, out, here)),
        9 => (0..12u8, 0..16u8).prop_map(|(item, act)| Step::Act(item, act)),
        1 => Just(Step::Asserted),
        1 => Just(Step::Push),
        1 => (1..4u8).prop_map(Step::Round),
        1 => Just(Step::AllowAbandoned),
    ]
}

fn act(n: u8) -> Act {
    let text = "Repeat the hour.".to_owned();
    match n {
        0 => Act::Acknowledge,
        1 => Act::AcceptEdit { why: text },
        2..=4 => because("bin/ferry does it"),
        5 => Act::Abandon {
            reason: text,
            handoff: "HB-1".into(),
        },
        6 => Act::AcceptPartial { reason: text },
        7 => Act::Lift { text },
        8 => Act::NotApplicable { why: text },
        9 => Act::Override { why: text },
        10 => Act::ScopeAccept,
        11 => Act::ScopeDecline { text },
        12 => Act::ScopeTicket { text },
        13 => Act::ScopeEscalate { text },
        14 => back(Cause::Criterion),
        15 => Act::ChainAccepted { why: text },
        _ => back(Cause::Implementation),
    }
}

fn made(steps: &[Step]) -> World {
    let mut world = World::new();
    let mut criteria = 0;
    for step in steps {
        let name = |n: &u8| n.to_string();
        world = match step {
            Step::Manual | Step::Runnable if criteria >= 6 => world,
            Step::Manual => {
                criteria += 1;
                world.manual(&(criteria - 1).to_string())
            }
            Step::Runnable => {
                criteria += 1;
                world.runnable(&(criteria - 1).to_string())
            }
            Step::Optional => world.optional(),
            Step::Abandoned(n) => world.abandoned(&name(n)),
            Step::Edited(n) => world.edited(EditKind::CheckChanged, Some(&name(n))),
            Step::New => world.edited(EditKind::NewInChange, None),
            Step::Overflow(n) => {
                let path = format!("file-{n}");
                if world.judge().item(&file(&path)).is_some() {
                    world
                } else {
                    world.overflow(&path)
                }
            }
            Step::Weak(n) => world.weak(&name(n)),
            Step::Ran(n, outcome, here) => {
                let outcome =
                    [Outcome::Met, Outcome::NotMet, Outcome::Error][usize::from(*outcome)];
                let tree = if *here {
                    world.dossier.snapshot.tree
                } else {
                    oid(0x99)
                };
                world.ran_on(&name(n), outcome, tree)
            }
            Step::Act(item, n) => acted(world, usize::from(*item), act(*n)),
            Step::Asserted => world.asserted(oid(0xaa)).0,
            Step::Push => world.pushed(),
            Step::Round(n) => {
                world.dossier.round = Known::Is(u32::from(*n));
                world
            }
            Step::AllowAbandoned => {
                world.policy.abandoned_counts = true;
                world
            }
        };
    }
    world
}

fn acted(mut world: World, item: usize, act: Act) -> World {
    let judgment = world.judge();
    let Some(item) = judgment.items.get(item % judgment.items.len().max(1)) else {
        return world;
    };
    if let Ok(decision) = world.ask(&item.subject, act) {
        world.stand(decision);
    }
    world
}

/// The laxest end that is left.
fn laxest(judgment: &Judgment) -> Verdict {
    judgment.can_end.first().copied().unwrap_or(judgment.ruling)
}

/// A fact that could not be read in place of one that was.
fn blinded(world: &World, which: usize) -> World {
    let mut world = world.clone();
    let facts = &mut world.dossier;
    match which {
        0 => facts.contract = unknown(),
        1 => facts.files = unknown(),
        2 => facts.scope = unknown(),
        3 => facts.round = unknown(),
        4 => facts.ledger = LedgerHealth::Tampered(1),
        5 => facts.moved = unknown(),
        6 => facts.commits = unknown(),
        7 => facts.who = unknown(),
        _ => {
            facts.moved = Known::Is(Moved {
                head: Some(oid(0x77)),
                ..Moved::default()
            });
        }
    }
    world
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_same_facts_give_the_same_judgment(steps in vec(step(), 0..24)) {
        let world = made(&steps);
        let judgment = world.judge();
        prop_assert_eq!(&judgment, &world.clone().judge());
        let owed = judgment.items.iter().filter(|item| item.owed).count();
        prop_assert_eq!(judgment.owed, owed);
        prop_assert!(judgment.items.is_sorted_by_key(|item| item.pane));
        let subjects: BTreeSet<_> = judgment.items.iter().map(|item| &item.subject).collect();
        prop_assert_eq!(subjects.len(), judgment.items.len(), "one row for each subject");
        prop_assert_eq!(judgment.nearest.is_empty(), judgment.ruling == Verdict::Approved);
        prop_assert!(judgment.can_end.is_sorted());
        prop_assert_eq!(judgment.can_end.len() > 1, judgment.ruling == Verdict::Undecided);
    }

    #[test]
    fn only_what_a_person_or_the_policy_let_through_sums_to_approved(steps in vec(step(), 0..24)) {
        let world = made(&steps);
        let judgment = world.judge();
        if judgment.ruling == Verdict::Approved {
            prop_assert_eq!(judgment.owed, 0);
            prop_assert!(judgment.verified.count(Status::Addressed) + judgment.items.len() > 0);
            for item in &judgment.items {
                let fine = match item.standing {
                    Standing::Ratified | Standing::Carried | Standing::NotApplicable => true,
                    Standing::Abandoned => world.policy.abandoned_counts,
                    _ => false,
                };
                prop_assert!(fine, "{:?}", item);
            }
        }
        prop_assert!(judgment.ruling >= judgment.verify || judgment.verify == Verdict::Undecided);
    }

    #[test]
    fn not_knowing_is_never_laxer(steps in vec(step(), 0..24), which in 0..9usize) {
        let world = made(&steps);
        let blind = blinded(&world, which);
        let (clear, dark) = (world.judge(), blind.judge());
        prop_assert!(laxest(&dark) >= laxest(&clear), "{:?} < {:?}", dark.ruling, clear.ruling);
        for verdict in [Verdict::Approved, Verdict::Reroll] {
            prop_assert!(!dark.may_sign(verdict) || clear.may_sign(verdict), "{verdict:?}");
        }
    }

    #[test]
    fn more_failing_is_never_laxer(steps in vec(step(), 0..24), id in 0..6u8) {
        let world = made(&steps);
        let before = world.judge();
        let after = world.clone().ran(&id.to_string(), Outcome::NotMet).judge();
        prop_assert!(laxest(&after) >= laxest(&before), "{:?} < {:?}", after.ruling, before.ruling);
    }

    #[test]
    fn what_is_signed_is_never_laxer_than_the_judgment(steps in vec(step(), 0..24)) {
        let world = made(&steps);
        let judgment = world.judge();
        for verdict in [Verdict::Approved, Verdict::Reroll, Verdict::Escalate] {
            let signed = world.rule(verdict);
            prop_assert_eq!(signed.is_ok(), judgment.may_sign(verdict));
            if signed.is_ok() {
                prop_assert!(verdict >= laxest(&judgment));
                prop_assert!(judgment.ruling != Verdict::Approved || verdict != Verdict::Reroll);
            }
        }
    }

    #[test]
    fn no_act_passes_a_permit_that_is_closed_or_absent(
        steps in vec(step(), 0..24), at in 0..12usize, n in 0..16u8,
    ) {
        let world = made(&steps);
        let judgment = world.judge();
        if let Some(item) = judgment.items.get(at) {
            let act = act(n);
            // Who lifts an abandonment goes back to what was proven, which may be a stale run.
            let lifts = matches!(act, Act::Lift { .. });
            let permit = item.permits.of(act.verb());
            let made = world.ask(&item.subject, act);
            if matches!(permit, Permit::Closed { .. } | Permit::Absent) {
                prop_assert!(made.is_err());
            }
            if let Ok(decision) = made {
                prop_assert_eq!(decision.subject(), &item.subject);
                let mut after = world.clone();
                after.stand(decision);
                let left = after.judge();
                let row = left.item(&item.subject);
                prop_assert!(row.is_some_and(|row| lifts || row.word != "stale"));
            }
        }
    }
}

#[test]
fn every_verb_has_its_own_place() {
    for (at, verb) in Verb::ALL.into_iter().enumerate() {
        assert_eq!(verb.index(), at);
    }
}

#[test]
fn a_row_of_another_change_is_refused() {
    let world = World::new().manual("1");
    for subject in [
        criterion("x"),
        file("x"),
        edit_of("x"),
        Subject::Assertion(countersign::model::id::EntryId([1; 16])),
    ] {
        let judgment = world.judge();
        let made = decide::decide(
            &world.dossier,
            &judgment,
            &world.policy,
            &subject,
            ratify(),
            world.seen(&subject),
        );
        assert!(made.is_err());
    }
}
