//! Carried decisions in the record: an entry of their own kind that names where it comes from, and
//! that counts only as long as that is there.

use countersign::gate::decide::{Act, Decision, Origin, replayed};
use countersign::ledger::codec::{parse, write};
use countersign::ledger::entry::{Body, Entry};
use countersign::ledger::replay::Fate;
use countersign::ledger::verify::Status;
use countersign::model::id::{Digest, EntryId, Oid};
use countersign::model::ruling::Assurance;
use countersign::model::snapshot::Snapshot;

use super::fixture::{Bench, kick_back, ratify, ruling, snapshot, undo};

fn rebased() -> Snapshot {
    Snapshot {
        base: Oid([11; 20]),
        merge_base: Oid([11; 20]),
        base_tree: Oid([13; 20]),
        head: Oid([14; 20]),
        tree: Oid([15; 20]),
        ..snapshot()
    }
}

/// The decision of this entry, taken over to another snapshot.
fn carried(from: &Decision, entry: EntryId, to: Snapshot) -> Decision {
    let same = replayed::decision(
        from.subject().clone(),
        from.act().clone(),
        to,
        "Bo Lind".into(),
        Assurance::Present,
        None,
        from.oracle(),
    );
    let head = from.snapshot().head;
    replayed::carried(same, Origin { entry, head })
}

#[test]
fn a_carried_decision_is_an_entry_of_its_own_kind_that_names_its_origin() {
    let bench = Bench::new();
    let mut writer = bench.writer("ada");
    let (one, _) = bench.decide(&mut writer, ratify("1"));
    let (two, _) = bench.decide(&mut writer, carried(&ratify("1"), one, rebased()));
    let text = String::from_utf8(bench.bytes(writer.shard())).expect("text");
    let line = text.lines().last().expect("a line");
    assert!(line.contains("\"kind\":\"carry\""), "{line}");
    let origin = format!(
        "\"carried_from\":{{\"entry\":\"{one}\",\"head\":\"{}\"}}",
        Oid([4; 20])
    );
    assert!(line.contains(&origin), "{line}");

    let history = bench.load();
    assert_eq!(history.status, Status::Ok, "{:?}", history.findings);
    let standing: Vec<_> = history.decisions.iter().map(|one| one.entry).collect();
    assert_eq!(standing, [one, two], "each counts on its own snapshot");
    let last = &history.decisions[1].value;
    assert_eq!((last.word(), last.by()), ("carried", "Bo Lind"));
    let from = last.carried().expect("an origin");
    assert_eq!((from.entry, from.head), (one, snapshot().head));
    assert_eq!(last.snapshot(), &rebased());

    // What is written is what was read, byte for byte.
    let entry = &history.row(two).expect("a row").entry;
    assert_eq!(write(entry).line, line);
    // It is taken back like any other.
    bench.append(&mut writer, undo(two));
    assert_eq!(bench.load().decisions.len(), 1);
}

#[test]
fn what_comes_from_nowhere_counts_for_nothing_unless_it_takes_away() {
    let bench = Bench::new();
    let mut writer = bench.writer("ada");
    let (one, _) = bench.decide(&mut writer, ratify("1"));
    let nobody = EntryId([9; 16]);
    let bad = [
        carried(&ratify("1"), nobody, rebased()),
        // of another criterion
        carried(&ratify("2"), one, rebased()),
        // on the same snapshot
        carried(&ratify("1"), one, snapshot()),
    ];
    for decision in bad {
        let (entry, _) = bench.decide(&mut writer, decision);
        let history = bench.load();
        assert_eq!(history.row(entry).expect("a row").fate, Fate::NotBelieved);
        assert_eq!(history.decisions.len(), 1);
    }
    let (no, _) = bench.decide(
        &mut writer,
        carried(&kick_back("3", "no"), nobody, rebased()),
    );
    let history = bench.load();
    assert_eq!(history.row(no).expect("a row").fate, Fate::Stands);
}

#[test]
fn a_ruling_that_rests_on_carried_decisions_is_replayed_with_them() {
    let bench = Bench::new();
    let mut writer = bench.writer("ada");
    let (one, _) = bench.decide(&mut writer, ratify("1"));
    let (two, _) = bench.decide(&mut writer, carried(&ratify("1"), one, rebased()));
    let Body::Ruling(old) = ruling(&[two]) else {
        panic!("no ruling");
    };
    let new = replayed::ruling(replayed::RulingFields {
        verdict: old.verdict(),
        snapshot: rebased(),
        by: old.by().to_owned(),
        assurance: old.assurance(),
        round: old.round(),
        root_cause: old.root_cause(),
        attack: old.attack().to_owned(),
        trace: old.trace().to_vec(),
        decisions: vec![two],
        edits: Vec::new(),
        partial: false,
        floor_bounce: false,
    });
    bench.append(&mut writer, Body::Ruling(new));
    let history = bench.load();
    let explained = history.explain();
    assert_eq!(explained[0].complaints, Vec::<String>::new());
    assert_eq!(explained[0].rests_on[0].entry, two);
}

#[test]
fn a_carry_without_its_origin_is_a_broken_line_and_no_decision() {
    let entry = Entry {
        id: EntryId([7; 16]),
        shard: "s".into(),
        seq: 1,
        prev: Digest::of(b"x"),
        after: Vec::new(),
        body: Body::Decision(carried(&ratify("1"), EntryId([1; 16]), rebased())),
    };
    let line = write(&entry).line;
    let none = |_: &Digest| None;
    let whole = parse(&line, "s", &none);
    assert_eq!(whole.entry.as_ref(), Some(&entry), "{:?}", whole.faults);
    for (from, to) in [
        ("\"carried_from\"", "\"carried_to\""),
        ("\"head\":\"0404", "\"head\":\"zz04"),
    ] {
        let at = line.rfind(from).expect("there");
        let broken = format!("{}{to}{}", &line[..at], &line[at + from.len()..]);
        let read = parse(&broken, "s", &none);
        assert!(read.entry.is_none() && !read.faults.is_empty(), "{broken}");
    }
    let Body::Decision(decision) = &entry.body else {
        panic!("no decision");
    };
    assert!(matches!(decision.act(), Act::Ratify { .. }));
}
