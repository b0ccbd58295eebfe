//! L12: the union of shards reads the same in every order, and contradictions are kept, shown,
//! and settled by the stricter until somebody who read both decides.

use countersign::gate::decide::{Act, Decision, replayed};
use countersign::ledger::entry::Body;
use countersign::ledger::replay::{Fate, History, replay};
use countersign::ledger::verify::{Place, Shard, Status, union};
use countersign::model::id::Oid;
use countersign::model::ruling::Cause;
use countersign::model::snapshot::Snapshot;
use proptest::prelude::*;

use super::fixture::{
    Bench, CHANGE, Dice, decision, kick_back, opened, ratify, repository, snapshot, undo,
};

#[test]
fn two_consoles_that_contradict_each_other_are_both_kept_and_the_stricter_counts() {
    for swapped in [false, true] {
        let bench = Bench::new();
        let (mut ada, mut bo) = (bench.writer("ada"), bench.writer("bo"));
        let (first, second) = if swapped {
            (&mut bo, &mut ada)
        } else {
            (&mut ada, &mut bo)
        };
        let (yes, _) = bench.decide(first, ratify("1"));
        let (no, _) = bench.decide(second, kick_back("1", "no"));
        let history = bench.load();
        assert_eq!(history.status, Status::Ok, "{:?}", history.findings);
        assert_eq!(history.decisions.len(), 1);
        assert_eq!(history.decisions[0].entry, no);
        assert_eq!(history.row(yes).unwrap().fate, Fate::Outvoted(no));
        assert_eq!(history.conflicts.len(), 1);
        assert_eq!(history.conflicts[0].counts, no);
        assert_eq!(history.conflicts[0].between.len(), 2);

        // Somebody who has read both settles it, whatever they decide.
        let mut cy = bench.writer("cy");
        let (settled, _) = bench.decide(&mut cy, ratify("1"));
        let history = bench.load();
        assert_eq!(history.conflicts, []);
        assert_eq!(history.decisions[0].entry, settled);
        assert_eq!(history.row(no).unwrap().fate, Fate::Superseded(settled));
    }
}

#[test]
fn a_session_that_reads_again_supersedes_and_one_that_did_not_contradicts() {
    let bench = Bench::new();
    let (mut ada, mut bo) = (bench.writer("ada"), bench.writer("bo"));
    bench.decide(&mut bo, kick_back("1", "no"));
    ada.has_read(&bench.load());
    let (yes, receipt) = bench.decide(&mut ada, ratify("1"));
    let history = bench.load();
    assert_eq!(history.conflicts, []);
    assert_eq!(history.decisions[0].entry, yes);
    assert_eq!(history.decisions[0].number, receipt.number);
}

#[test]
fn on_another_head_it_is_told_who_knew_of_the_stricter_decision() {
    for knew in [false, true] {
        let bench = Bench::new();
        let (mut ada, mut bo) = (bench.writer("ada"), bench.writer("bo"));
        let (no, _) = bench.decide(&mut bo, kick_back("1", "no"));
        if knew {
            ada.has_read(&bench.load());
        }
        let (yes, _) = bench.decide(&mut ada, on_a_later_head(ratify("1").act().clone()));
        let history = bench.load();
        assert_eq!(history.decisions.len(), 2, "one on each head");
        let told: &[_] = if knew { &[(yes, no)] } else { &[] };
        assert_eq!(history.replaced, told);
    }
}

#[test]
fn the_same_verdict_twice_is_no_conflict() {
    let bench = Bench::new();
    let (mut ada, mut bo) = (bench.writer("ada"), bench.writer("bo"));
    bench.decide(&mut ada, ratify("1"));
    bench.decide(&mut bo, ratify("1"));
    let history = bench.load();
    assert_eq!(history.decisions.len(), 1);
    assert_eq!(history.conflicts, []);
}

#[test]
fn sessions_one_after_the_other_are_numbered_in_the_order_they_happened() {
    let bench = Bench::new();
    let mut numbers = Vec::new();
    for round in 0..5 {
        let mut writer = bench.writer("a");
        for _ in 0..round + 1 {
            numbers.push(bench.decide(&mut writer, ratify("1")).1);
        }
    }
    let history = bench.load();
    for receipt in numbers {
        assert_eq!(history.row(receipt.entry).unwrap().number, receipt.number);
    }
    assert_eq!(history.heads.len(), 1, "one head says it all");
}

#[test]
fn acts_are_ordered_by_what_they_lead_to() {
    let text = || "x".to_owned();
    let lax = Act::Ratify { evidence: vec![] };
    let over = Act::Override { why: text() };
    let abandon = Act::Abandon {
        reason: text(),
        handoff: text(),
    };
    let back = |cause| Act::KickBack {
        cause,
        text: text(),
    };
    let order = [
        lax,
        over,
        abandon,
        back(Cause::Implementation),
        back(Cause::Criterion),
    ];
    for pair in order.windows(2) {
        assert!(pair[0].strictness() < pair[1].strictness(), "{pair:?}");
    }
    assert!(Act::ScopeAccept.strictness() < Act::ScopeTicket { text: text() }.strictness());
    assert!(Act::AcceptEdit { why: text() }.strictness() < Act::Acknowledge.strictness());
}

/// The same on the head that an amended message makes.
fn on_a_later_head(act: Act) -> Decision {
    let first = decision("1", act);
    let snapshot = Snapshot {
        head: Oid([9; 20]),
        ..snapshot()
    };
    replayed::decision(
        first.subject().clone(),
        first.act().clone(),
        snapshot,
        first.by().to_owned(),
        first.assurance(),
        None,
        None,
    )
}

/// Sessions that write, read again and undo at random; their shards with anchors.
fn shards(seed: u64) -> Vec<Shard> {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let bench = Bench::new();
    let store = bench.store();
    let mut writers = Vec::new();
    let mut known = Vec::new();
    for _ in 0..dice.below(12) + 3 {
        if writers.is_empty() || dice.below(4) == 0 {
            writers.push(store.writer(&bench.load(), opened("a")).unwrap());
            continue;
        }
        let at = usize::try_from(dice.below(writers.len() as u64)).unwrap();
        if dice.below(5) == 0 {
            writers[at].has_read(&bench.load());
        }
        let body = match dice.below(4) {
            0 if !known.is_empty() => {
                undo(known[usize::try_from(dice.below(known.len() as u64)).unwrap()])
            }
            1 => Body::Decision(kick_back("1", "no")),
            2 => Body::Decision(another(&mut dice)),
            _ => Body::Decision(ratify("2")),
        };
        known.push(bench.append(&mut writers[at], body).entry);
    }
    let shards = writers.iter().map(|writer| {
        let mut shard = Shard::new(writer.shard(), bench.bytes(writer.shard()));
        let text = std::fs::read_to_string(bench.anchors(writer.shard())).unwrap();
        shard.anchors.extend(text.lines().map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            countersign::ledger::entry::Head {
                shard: writer.shard().to_owned(),
                seq: words[1].parse().unwrap(),
                line: countersign::model::id::Digest::parse(words[2]).unwrap(),
            }
        }));
        shard
    });
    shards.collect()
}

fn another(dice: &mut Dice) -> Decision {
    let why = || "why".to_owned();
    let act = match dice.below(3) {
        0 => Act::Override { why: why() },
        1 => Act::NotApplicable { why: why() },
        _ => Act::RatifyUnseen {
            evidence: vec![],
            why: why(),
        },
    };
    decision("1", act)
}

fn read(shards: &[Shard]) -> History {
    let place = Place {
        repository: repository(),
        change: CHANGE,
    };
    replay(&place, shards, &|_| None)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn the_union_is_commutative_associative_and_idempotent(
        seed in 1u64.., cut in 0u64.., order in any::<u64>()
    ) {
        let all = shards(seed);
        let mut dice = Dice(order | 1);
        let mut parts: [Vec<Shard>; 3] = Default::default();
        for shard in &all {
            // A clone that was made earlier holds the beginning of the shard.
            let whole = shard.copies.first().cloned().unwrap_or_default();
            let lines: Vec<&[u8]> = whole.split_inclusive(|b| *b == b'\n').collect();
            let keep = usize::try_from(cut % (lines.len() as u64 + 1)).unwrap_or(0);
            let mut older = shard.clone();
            older.copies = [lines[..keep].concat()].into();
            older.anchors.retain(|head| head.seq <= keep as u64);
            parts[usize::try_from(dice.below(3)).unwrap()].push(shard.clone());
            parts[usize::try_from(dice.below(3)).unwrap()].push(older);
        }
        let [a, b, c] = parts;
        let (a, b, c) = (union(a, vec![]), union(b, vec![]), union(c, vec![]));
        let ab_c = union(union(a.clone(), b.clone()), c.clone());
        prop_assert_eq!(&ab_c, &union(a.clone(), union(b.clone(), c.clone())));
        prop_assert_eq!(&ab_c, &union(c.clone(), union(b, a)));
        prop_assert_eq!(&ab_c, &union(ab_c.clone(), ab_c.clone()));
        prop_assert_eq!(&ab_c, &union(ab_c.clone(), c));
        let merged = read(&ab_c);
        prop_assert_eq!(&merged, &read(&union(all, vec![])));
        prop_assert_eq!(merged.status, Status::Ok);
        let mut turned = ab_c;
        turned.reverse();
        prop_assert_eq!(&merged, &read(&turned));
    }
}
