//! Carry-over: the table of `tests/truth/carry.md` over all of its cases, what commands read, and
//! offers and carried decisions in a world of facts.

use std::collections::BTreeSet;

use countersign::gate::carry::{
    Between, Carries, Case, Does, Earlier, Inputs, Part, Reads, carries, named, reads,
};
use countersign::gate::decide::{self, Act, Refusal};
use countersign::gate::dossier::{Dispute, Subject};
use countersign::gate::standing::Proof;
use countersign::model::contract::EditKind;
use countersign::model::evidence::Evidence;
use countersign::model::id::{EntryId, RepoPath};
use countersign::model::known::{Known, Reason};
use countersign::model::oracle::Outcome;
use countersign::model::ruling::{Cause, Verdict};
use countersign::model::scope::Trace;
use countersign::model::text::Foreign;

use super::words::table;
use super::world::*;

const CARRY: &str = include_str!("../../truth/carry.md");

fn word(found: Carries) -> &'static str {
    match found {
        Carries::Offered => "offered",
        Carries::RanHere => "offered: ran here",
        Carries::Disputed => "stale: disputed",
        Carries::Bound => "stale: bound to its head",
        Carries::Contract => "stale: another contract",
        Carries::Oracle => "stale: another oracle",
        Carries::Gone => "stale: gone",
        Carries::Changed => "stale: changed",
        Carries::NotCompared => "stale: not compared",
        Carries::Failing => "stale: fails here",
        Carries::Error => "stale: not measured here",
        Carries::ReadsOther => "stale: reads another file",
        Carries::MayRead => "stale: may read what changed",
        Carries::Closed => "stale: closed",
    }
}

/// A case in the words of the table, column by column.
fn cells(case: Case) -> [&'static str; 7] {
    [
        match case.does {
            Does::Ratifies => "ratifies",
            Does::Exempts => "exempts",
            Does::Answers => "answers",
            Does::Bound => "bound",
        },
        if case.disputed { "yes" } else { "no" },
        if case.contract { "same" } else { "other" },
        if case.oracle { "same" } else { "other" },
        match case.part {
            Part::Same => "same",
            Part::Changed => "changed",
            Part::Gone => "gone",
            Part::Unknown => "unknown",
        },
        match case.proof {
            Proof::Manual => "manual",
            Proof::NotRun => "not run",
            Proof::Met => "met",
            Proof::NotMet => "not met",
            Proof::Error => "error",
        },
        match case.inputs {
            Inputs::Same => "same",
            Inputs::Other => "other",
            Inputs::Unknown => "unknown",
        },
    ]
}

fn all_cases() -> Vec<Case> {
    let mut out = Vec::new();
    for does in Does::ALL {
        for part in Part::ALL {
            for proof in Proof::ALL {
                for inputs in Inputs::ALL {
                    for bits in 0..8u8 {
                        out.push(Case {
                            does,
                            disputed: bits & 1 != 0,
                            contract: bits & 2 != 0,
                            oracle: bits & 4 != 0,
                            part,
                            proof,
                            inputs,
                        });
                    }
                }
            }
        }
    }
    out
}

#[test]
fn all_1920_cases_of_a_carry_over_are_as_the_table_says() {
    let rows = table(CARRY, 0);
    let mut hits = vec![0; rows.len()];
    let cases = all_cases();
    assert_eq!(cases.len(), 1920);
    for case in cases {
        let given = cells(case);
        let fits = |row: &Vec<String>| {
            let mut pairs = row.iter().zip(given);
            pairs.all(|(cell, word)| cell == "any" || cell == word)
        };
        let at = rows.iter().position(fits);
        let at = at.unwrap_or_else(|| panic!("no row for {case:?}"));
        hits[at] += 1;
        assert_eq!(word(carries(case)), rows[at][7], "{case:?}");
    }
    assert!(
        hits.iter().all(|hit| *hit > 0),
        "a row that nothing reaches"
    );
}

/// A table's cell, with `\|` for a bar.
fn rows_of_commands() -> Vec<(String, String)> {
    let lines = CARRY.lines().filter(|line| line.starts_with("| `"));
    lines
        .map(|line| {
            let (command, said) = line
                .trim_start_matches("| `")
                .trim_end_matches(" |")
                .split_once("` | ")
                .expect("two cells");
            (command.replace("\\|", "|"), said.to_owned())
        })
        .collect()
}

#[test]
fn a_command_reads_what_its_words_say_or_nobody_knows() {
    let rows = rows_of_commands();
    assert!(rows.len() > 35);
    for (command, wanted) in rows {
        let said = match reads(&command) {
            Reads::Unknown => "unknown".to_owned(),
            Reads::Only(paths) if paths.is_empty() => "nothing".to_owned(),
            Reads::Only(paths) => {
                let names = paths.iter().map(RepoPath::foreign);
                let names: Vec<_> = names
                    .map(|name| String::from_utf8_lossy(name.raw()).into_owned())
                    .collect();
                names.join(" ")
            }
        };
        assert_eq!(said, wanted, "{command}");
    }
}

/// The world after a rebase onto a base that changed `other.txt`: another head and another tree,
/// the same patch.
fn rebased(mut world: World, between: Between) -> World {
    let then = world.dossier.snapshot.clone();
    let now = &mut world.dossier.snapshot;
    now.base = oid(0xb8);
    now.merge_base = oid(0xb8);
    now.base_tree = oid(0xb9);
    now.head = oid(0xac);
    now.tree = oid(0xa3);
    world.dossier.earlier.push(Earlier {
        snapshot: then,
        between: Known::Is(between),
    });
    world
}

fn clean() -> Between {
    Between {
        base: vec!["other.txt".into()],
        base_total: 1,
        ..Between::default()
    }
}

/// Criterion 1 ratified on a run, 2 on words, 3 sent back.
fn signed() -> World {
    let world = World::new()
        .runnable("1")
        .manual("2")
        .manual("3")
        .ran("1", Outcome::Met);
    let world = world.decided(&criterion("1"), ratify());
    let world = world.decided(&criterion("2"), because("bin/ferry does it"));
    world.decided(&criterion("3"), back(Cause::Implementation))
}

fn offered(world: &World) -> Vec<(String, Carries)> {
    let judgment = world.judge();
    let offers = judgment.offers.iter();
    let name = |subject: &Subject| match subject {
        Subject::Criterion(id) => id.to_string(),
        Subject::ScopeFile(path) => String::from_utf8_lossy(path.as_bytes()).into_owned(),
        Subject::ContractEdit(_) => "edit".to_owned(),
        _ => "other".to_owned(),
    };
    offers
        .map(|one| (name(&one.subject), one.carries))
        .collect()
}

fn carry(world: &World, at: usize) -> Result<decide::Decision, Refusal> {
    let judgment = world.judge();
    let entry = world.dossier.decisions[at].entry;
    decide::carry(&world.dossier, &judgment, entry)
}

fn stands(world: &World, name: &str) -> &'static str {
    let judgment = world.judge();
    judgment.item(&criterion(name)).expect("an item").word
}

/// Bug log, row 13: a pure rebase asks for all approvals again. Here nothing is carried by itself;
/// all that rests on the patch alone is offered, and the one oracle that may read what the base
/// changed is stale until it ran.
#[test]
fn row_13_after_a_pure_rebase_all_is_offered_but_oracles_that_may_read_the_base() {
    let mut world = rebased(signed(), clean());
    let expected = vec![
        ("1".to_owned(), Carries::MayRead),
        ("2".to_owned(), Carries::Offered),
        ("3".to_owned(), Carries::Offered),
    ];
    assert_eq!(offered(&world), expected);
    assert_eq!(
        (stands(&world, "1"), stands(&world, "2")),
        ("stale", "stale")
    );

    let two = carry(&world, 1).expect("carried");
    let from = two.carried().expect("an origin");
    assert_eq!(from.entry, world.dossier.decisions[1].entry);
    assert_eq!(from.head, oid(0xaa));
    assert_eq!(two.snapshot(), &world.dossier.snapshot);
    world.stand(two);
    let three = carry(&world, 2).expect("carried");
    world.stand(three);
    assert_eq!(
        (stands(&world, "2"), stands(&world, "3")),
        ("carried", "kicked back")
    );
    let one = carry(&world, 0).expect_err("refused");
    assert_eq!(
        one.sentence(),
        "Closed: entry 2 stays stale: its run may have read what changed."
    );

    // It runs again: now it is offered as well, on the new run.
    let mut world = world.ran("1", Outcome::Met);
    assert_eq!(offered(&world), vec![("1".to_owned(), Carries::RanHere)]);
    let one = carry(&world, 0).expect("carried");
    let run = world.dossier.runs[1].entry;
    assert_eq!(
        one.act(),
        &Act::Ratify {
            evidence: vec![Evidence::Run(run)]
        }
    );
    world.stand(one);
    assert_eq!(stands(&world, "1"), "carried");
    assert!(offered(&world).is_empty());
}

#[test]
fn a_carried_ratify_is_addressed_and_may_be_signed() {
    let world = World::new().manual("1");
    let world = world.decided(&criterion("1"), because("bin/ferry does it"));
    let mut world = rebased(world, clean());
    assert_ne!(world.judge().ruling, Verdict::Approved);
    let carried = carry(&world, 0).expect("carried");
    let entry = world.stand(carried);
    let ruling = world.rule(Verdict::Approved).expect("signed");
    assert_eq!(ruling.decisions(), [entry]);
}

/// An oracle that names its files: the run of the earlier head speaks of this tree too when they
/// are the same, and of no other.
#[test]
fn a_run_that_reads_nothing_that_changed_counts_on_the_new_tree_once_it_was_carried() {
    let mut world = World::new().runnable("1");
    let criteria = &mut world.record().contract.criteria;
    let oracle = criteria[0].oracle.as_mut().expect("an oracle");
    oracle.check = Foreign::from("grep -q winter bin/ferry && echo 1-ok");
    let digest = oracle.digest();
    let mut world = world.ran("1", Outcome::Met);
    world.dossier.runs[0].oracle = digest;
    let world = world.decided(&criterion("1"), ratify());
    let names: BTreeSet<RepoPath> = ["bin/ferry".into()].into();
    assert_eq!(named(&world.dossier), names);

    let other = rebased(world.clone(), clean());
    assert_eq!(offered(&other), vec![("1".to_owned(), Carries::ReadsOther)]);

    let same = Between {
        same: vec!["bin/ferry".into()],
        ..clean()
    };
    let mut world = rebased(world, same);
    assert_eq!(stands(&world, "1"), "stale");
    assert_eq!(offered(&world), vec![("1".to_owned(), Carries::Offered)]);
    let carried = carry(&world, 0).expect("carried");
    world.stand(carried);
    assert_eq!(stands(&world, "1"), "carried");
    // A run on this tree that fails counts for more.
    let mut world = world.ran("1", Outcome::NotMet);
    let last = world.dossier.runs.last_mut().expect("a run");
    last.oracle = digest;
    assert_eq!(stands(&world, "1"), "failing");
}

#[test]
fn what_changed_is_not_offered_and_what_is_gone_comes_before_it() {
    let traced = |mut world: World| {
        world = world.scoped("bin/ferry", vec![Trace::Criterion(id("2"))], false);
        world.scoped("data/x.csv", vec![Trace::Criterion(id("3"))], false)
    };
    let changed = |path: &str| Between {
        changed: vec![path.into()],
        ..Between::default()
    };
    let rows = [
        (changed("bin/ferry"), Carries::Changed, Carries::Offered),
        (changed("data/x.csv"), Carries::Offered, Carries::Changed),
        (changed("new.txt"), Carries::Offered, Carries::Offered),
        (
            Between {
                gone: vec!["tests/count.sh".into()],
                ..Between::default()
            },
            Carries::Gone,
            Carries::Gone,
        ),
    ];
    for (between, two, three) in rows {
        let world = rebased(traced(signed()), between.clone());
        let found = offered(&world);
        assert_eq!(found[1], ("2".to_owned(), two), "{between:?}");
        assert_eq!(found[2], ("3".to_owned(), three), "{between:?}");
    }
    // What no file is traced to was judged on the whole change.
    let world = rebased(signed(), changed("new.txt"));
    assert_eq!(offered(&world)[1], ("2".to_owned(), Carries::Changed));
}

#[test]
fn what_could_not_be_compared_is_not_offered() {
    let mut world = rebased(signed(), clean());
    world.dossier.earlier[0].between = Known::Unknown(Reason::new("7c41d09 is not here"));
    assert!(
        offered(&world)
            .iter()
            .all(|(_, one)| *one == Carries::NotCompared)
    );
    let judgment = world.judge();
    assert_eq!(
        judgment.offers[1].why,
        "could not compare: 7c41d09 is not here"
    );
    world.dossier.earlier.clear();
    assert!(
        offered(&world)
            .iter()
            .all(|(_, one)| *one == Carries::NotCompared)
    );
    // Files that are still being read make no part the same.
    let mut world = rebased(signed(), clean());
    world.dossier.scope = unknown();
    assert!(
        offered(&world)
            .iter()
            .all(|(_, one)| *one == Carries::NotCompared)
    );
}

#[test]
fn nothing_is_offered_of_what_was_decided_unseen_disputed_or_under_another_contract() {
    let unseen = Act::RatifyUnseen {
        evidence: vec![Evidence::Rationale("bin/ferry does it".into())],
        why: "the person was in a hurry".into(),
    };
    let world = World::new().manual("1").decided(&criterion("1"), unseen);
    assert_eq!(offered(&rebased(world, clean()))[0].1, Carries::Bound);

    let mut world = rebased(signed(), clean());
    world.dossier.disputes.push(Dispute {
        subject: criterion("2"),
        says: Vec::new(),
        counts: EntryId([7; 16]),
    });
    assert_eq!(offered(&world)[1].1, Carries::Disputed);

    let mut world = rebased(signed(), clean());
    world.dossier.snapshot.contract = None;
    assert!(
        offered(&world)
            .iter()
            .all(|(_, one)| *one == Carries::Contract)
    );

    let mut world = rebased(signed(), clean());
    let criteria = &mut world.record().contract.criteria;
    criteria[0].oracle.as_mut().expect("an oracle").check = Foreign::from("sh tests/2.sh");
    assert_eq!(offered(&world)[0].1, Carries::Oracle);
}

#[test]
fn an_edit_is_carried_before_what_it_stands_in_the_way_of() {
    let edited = |world: World| world.edited(EditKind::CriterionReworded, Some("1"));
    let world = edited(World::new().manual("1"));
    let world = world.decided(&edit_of("1"), Act::Acknowledge);
    let world = world.decided(&criterion("1"), because("bin/ferry does it"));
    let mut world = rebased(world, clean());
    let both = vec![
        ("edit".to_owned(), Carries::Offered),
        ("1".to_owned(), Carries::Offered),
    ];
    assert_eq!(offered(&world), both);
    let edit = carry(&world, 0).expect("carried");
    world.stand(edit);
    let one = carry(&world, 1).expect("carried");
    world.stand(one);
    assert_eq!(stands(&world, "1"), "carried");
    // An edit that changed itself closes the criterion.
    let world = edited(World::new().manual("1"));
    let world = world.decided(&edit_of("1"), Act::Acknowledge);
    let world = world.decided(&criterion("1"), because("bin/ferry does it"));
    let contract = Between {
        changed: vec!["GATES.md".into()],
        ..clean()
    };
    let world = rebased(
        world.scoped("bin/ferry", vec![Trace::Criterion(id("1"))], false),
        contract,
    );
    let found = offered(&world);
    assert_eq!(found[0].1, Carries::Changed);
    assert_eq!(found[1].1, Carries::Closed);
}

/// Forced back to the judged snapshot: everything holds again, and there is nothing to offer.
#[test]
fn forced_back_nothing_is_asked() {
    let world = signed();
    let then = world.dossier.snapshot.clone();
    let mut world = rebased(world, clean());
    world.dossier.snapshot = then;
    assert!(offered(&world).is_empty());
    assert_eq!(
        (stands(&world, "1"), stands(&world, "2")),
        ("ratified", "ratified")
    );
}

#[test]
fn evidence_is_said_in_the_words_of_the_new_head() {
    let mut world = World::new().manual("1");
    let places = Act::Ratify {
        evidence: vec![Evidence::Change {
            commit: oid(0xaa),
            path: "bin/ferry".into(),
            line: 3,
        }],
    };
    world = world.decided(&criterion("1"), places);
    let twin = countersign::gate::carry::Pair {
        then: Some(oid(0xaa)),
        now: Some(oid(0xac)),
        same: true,
        subject: Foreign::from("winter table"),
    };
    let between = Between {
        commits: Known::Is(vec![twin]),
        ..clean()
    };
    // Its line is a line of a file that the base touched too: it may stand elsewhere.
    let moved = rebased(world.clone(), between.clone());
    assert_eq!(offered(&moved)[0].1, Carries::Changed);
    let world = rebased(
        world,
        Between {
            same: vec!["bin/ferry".into()],
            ..between
        },
    );
    let carried = carry(&world, 0).expect("carried");
    let Act::Ratify { evidence } = carried.act() else {
        panic!("{carried:?}");
    };
    let wanted = Evidence::Change {
        commit: oid(0xac),
        path: "bin/ferry".into(),
        line: 3,
    };
    assert_eq!(evidence, &[wanted]);
}

#[test]
fn what_was_carried_is_carried_again() {
    let mut world = rebased(signed(), clean());
    let two = carry(&world, 1).expect("carried");
    let at = world.dossier.decisions.len();
    world.stand(two);
    let then = world.dossier.snapshot.clone();
    world.dossier.snapshot.head = oid(0xad);
    world.dossier.snapshot.tree = oid(0xa4);
    world.dossier.snapshot.base = oid(0xba);
    world.dossier.earlier.push(Earlier {
        snapshot: then,
        between: Known::Is(clean()),
    });
    let again = carry(&world, at).expect("carried again");
    let from = again.carried().expect("an origin");
    assert_eq!(
        (from.entry, from.head),
        (world.dossier.decisions[at].entry, oid(0xac))
    );
}
