//! Ledgers as earlier versions wrote them, and what replay makes of them, byte for byte: a
//! verdict of the past reads the same in every later version.
//!
//! `UPDATE_GOLDEN=1` rewrites the expected texts; a change in one is a change of history.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use countersign::ledger::replay::History;

use super::fixture::{Bench, store_at};

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/ledger")
}

fn lay_out(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("listed") {
        let entry = entry.expect("one");
        let (path, to) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            lay_out(&path, &to);
        } else {
            fs::copy(&path, &to).expect("copied");
        }
    }
}

/// Everything that replay says, one fact a line.
fn rendered(history: &History) -> String {
    let mut out = format!("status {}\n", history.status.word());
    for row in &history.log {
        let entry = &row.entry;
        let by = row
            .fate
            .by()
            .map(|id| format!(" by {id}"))
            .unwrap_or_default();
        let _ = writeln!(
            out,
            "{} {} {}:{} {} {}{by}",
            row.number,
            entry.id,
            entry.shard,
            entry.seq,
            row.grade.word(),
            row.fate.word(),
        );
    }
    for decision in &history.decisions {
        let (word, by) = (decision.value.word(), decision.value.by());
        let from = decision
            .value
            .carried()
            .map(|from| format!(" from {}", from.entry));
        let from = from.unwrap_or_default();
        let _ = writeln!(out, "counts {} {word}{from} {by}", decision.number);
    }
    for conflict in &history.conflicts {
        let between: Vec<_> = conflict
            .between
            .iter()
            .map(|(id, by)| format!("{id} {by}"))
            .collect();
        let _ = writeln!(
            out,
            "conflict {} counts of {}",
            conflict.counts,
            between.join(", ")
        );
    }
    for one in history.explain() {
        let ruling = &one.ruling.value;
        let _ = writeln!(
            out,
            "ruling {} {}",
            one.ruling.number,
            ruling.verdict().word()
        );
        for row in ruling.trace() {
            let _ = writeln!(out, "  {row:?}");
        }
        for rest in &one.rests_on {
            let _ = writeln!(out, "  rests on {}", rest.entry);
        }
        for complaint in &one.complaints {
            let _ = writeln!(out, "  does not follow: {complaint}");
        }
    }
    for found in &history.findings {
        let _ = writeln!(
            out,
            "{}:{} {} {}",
            found.shard,
            found.line,
            found.code.word(),
            found.message
        );
    }
    for head in &history.heads {
        let _ = writeln!(out, "head {}:{} {}", head.shard, head.seq, head.line);
    }
    out
}

#[test]
fn ledgers_of_earlier_versions_replay_byte_for_byte() {
    let mut seen = 0;
    let mut differ = Vec::new();
    for entry in fs::read_dir(corpus()).expect("the corpus") {
        let folder = entry.expect("one").path();
        if !folder.is_dir() {
            continue;
        }
        seen += 1;
        let bench = Bench::new();
        lay_out(&folder, bench.store().folder());
        let text = rendered(&store_at(bench.home.path()).load(super::fixture::CHANGE));
        let file = folder.with_extension("txt");
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&file, &text).expect("written");
        }
        let wanted = fs::read_to_string(&file).unwrap_or_default();
        if text != wanted {
            differ.push(format!("{}:\n{text}", file.display()));
        }
    }
    assert_eq!(differ, Vec::<String>::new(), "{}", differ.join("\n"));
    assert_eq!(seen, 4, "every ledger of the corpus was read");
}
