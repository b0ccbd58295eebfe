//! The ledger: what was acknowledged is never lost, what was changed is found, and the union of
//! shards reads the same everywhere.

mod carried;
mod command;
mod crash;
mod drafts;
mod faults;
mod fixture;
mod golden;
mod lines;
mod power;
mod race;
mod rows;
mod seals;
mod sync;
mod tail;
mod tamper;
mod union;
mod wire;

use countersign::gate::decide::Act;
use countersign::ledger::entry::Body;
use countersign::ledger::verify::{Code, Status};
use countersign::model::ruling::Cause;

use fixture::{Bench, kick_back, ratify, ruling, undo};

#[test]
fn what_is_recorded_is_read_back() {
    let bench = Bench::new();
    let mut writer = bench.writer("a");
    let (one, _) = bench.decide(&mut writer, ratify("1"));
    let (two, _) = bench.decide(&mut writer, kick_back("2", "the test is missing"));
    bench.append(&mut writer, ruling(&[one, two]));
    let history = bench.load();
    assert_eq!(history.status, Status::Ok, "{:?}", history.findings);
    assert_eq!(history.decisions.len(), 2);
    assert_eq!(history.decisions[1].entry, two);
    assert_eq!(history.decisions[1].number, 3);
    let Act::KickBack { cause, text } = history.decisions[1].value.act() else {
        panic!("{:?}", history.decisions);
    };
    assert_eq!(
        (*cause, text.as_str()),
        (Cause::Evidence, "the test is missing")
    );
    let explained = history.explain();
    assert_eq!(explained[0].complaints, Vec::<String>::new());
    assert_eq!(
        explained[0].ruling.value.trace(),
        ["T1 MISSING 2", "  hidden \u{202e} kept"]
    );
}

#[test]
fn an_undone_decision_is_gone_and_the_one_before_stands_again() {
    let bench = Bench::new();
    let mut writer = bench.writer("a");
    let (one, _) = bench.decide(&mut writer, ratify("1"));
    let (two, _) = bench.decide(&mut writer, kick_back("1", "no"));
    assert_eq!(bench.load().decisions[0].entry, two);
    bench.append(&mut writer, undo(two));
    let history = bench.load();
    assert_eq!(history.decisions.len(), 1);
    assert_eq!(history.decisions[0].entry, one);
}

#[test]
fn a_retry_never_makes_two_decisions() {
    let bench = Bench::new();
    let mut writer = bench.writer("a");
    let id = countersign::adapters::ledger_store::new_id().unwrap();
    let body = || Body::Decision(ratify("1"));
    let first = writer.append(id, body(), || Ok(())).unwrap();
    let again = writer.append(id, body(), || Ok(())).unwrap();
    assert_eq!(first, again);
    assert_eq!(bench.load().log.len(), 2);
}

#[test]
fn a_text_of_64_kib_is_kept_whole_on_a_line_of_16() {
    let bench = Bench::new();
    let mut writer = bench.writer("a");
    let long: String = "längere Wörter \u{1b} ".repeat(64 * 1024 / 19);
    bench.decide(&mut writer, kick_back("1", &long));
    let history = bench.load();
    assert_eq!(history.status, Status::Ok, "{:?}", history.findings);
    let Act::KickBack { text, .. } = history.decisions[0].value.act() else {
        panic!("{:?}", history.decisions);
    };
    assert!(*text == long);
    for line in bench.bytes(writer.shard()).split(|b| *b == b'\n') {
        assert!(line.len() < 16 * 1024, "{}", line.len());
    }
}

/// L8: what was acknowledged and is not there any more is found by the anchors.
#[test]
fn a_cut_tail_a_missing_shard_and_a_rewritten_line_are_tampering() {
    let fresh = || {
        let bench = Bench::new();
        let mut writer = bench.writer("a");
        for id in ["1", "2", "3"] {
            bench.decide(&mut writer, ratify(id));
        }
        (bench, writer.shard().to_owned())
    };
    for keep in 0..4 {
        let (bench, shard) = fresh();
        let bytes = bench.bytes(&shard);
        let lines: Vec<&[u8]> = bytes.split_inclusive(|b| *b == b'\n').collect();
        std::fs::write(bench.path(&shard), lines[..keep].concat()).unwrap();
        let history = bench.load();
        assert_eq!(history.status, Status::Tampered, "{keep} lines kept");
        let missing = format!("{} entries", 4 - keep);
        let cut = history
            .findings
            .iter()
            .find(|f| f.code == Code::CutTail)
            .unwrap();
        assert!(cut.message.contains(&missing), "{}", cut.message);
        assert_eq!(cut.line, keep as u64 + 1);
    }
    let (bench, shard) = fresh();
    std::fs::remove_file(bench.path(&shard)).unwrap();
    assert_eq!(bench.load().findings[0].code, Code::MissingShard);

    let (bench, shard) = fresh();
    let text = String::from_utf8(bench.bytes(&shard)).unwrap();
    let at = text.rfind("Ada Osei").unwrap();
    let other = format!("{}Eve Osei{}", &text[..at], &text[at + 8..]);
    std::fs::write(bench.path(&shard), other).unwrap();
    let history = bench.load();
    assert_eq!(history.findings[0].code, Code::Rewritten);
    assert_eq!(
        history.decisions.len(),
        2,
        "the rewritten line does not count"
    );
    assert!(bench.anchors(&shard).exists());
}
