//! `countersign wave` as scripts see it: exits, documents, what a person reads.

use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

use crate::support::countersign;

/// A folder with a record, a derived spec and a ledger.
pub(super) struct Run {
    folder: tempfile::TempDir,
}

impl Run {
    pub(super) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a folder"),
        }
    }

    pub(super) fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(super) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.at(name);
        std::fs::write(&path, text).expect("it is written");
        path
    }

    /// A spec with these work items.
    pub(super) fn spec(&self, items: &[&str]) {
        let items: Vec<String> = items.iter().map(|item| format!("- [ ] {item}\n")).collect();
        let text = format!(
            "# Findings spec - gatekeep-pr ferry/dock#42\n\n## Scope\nWinter\n\n\
             ## Acceptance criteria\n{}",
            items.concat()
        );
        self.write("r-spec.md", &text);
    }

    /// A ledger with these rows (`status | attempts | evidence`) and decision lines.
    pub(super) fn ledger(&self, head: &str, rows: &[&str], decisions: &[&str]) -> PathBuf {
        let mut text = format!(
            "# Ledger - loop engine\n**Spec:** `{}`\nbase: {}\nverification: cargo test\n\
             checks: commands\n{head}\n\n| row | status | attempts | evidence |\n|---|---|---|---|\n",
            self.at("r-spec.md").display(),
            "1".repeat(40),
        );
        for (at, row) in rows.iter().enumerate() {
            text.push_str(&format!("| {} | {row} |\n", at + 1));
        }
        text.push_str("\n## Leg mapping\n\n| row | ac | leg |\n|---|---|---|\n");
        for at in 1..=rows.len() {
            text.push_str(&format!("| {at} | {at} | gatekeep |\n"));
        }
        text.push_str("\n## Decisions\n");
        for line in decisions {
            text.push_str(&format!("{line}\n"));
        }
        self.write("r-ledger.md", &text)
    }

    pub(super) fn record(&self, course: &str, used: &str, wave: &str) -> PathBuf {
        let text = format!(
            "{{\"consent\": {{\"target\": {{\"repo\": \"ferry/dock\", \"number\": 42, \"base\": \"main\"}}}},\n\
             \"worktree\": \"/w\", \"course\": {course},\n\
             \"repair\": {{\"rounds_used\": {used}, \"syncs_used\": 1, \"rounds_cap\": 10, \"syncs_cap\": 10,\n\
             \"wave\": {wave}}},\n\
             \"deadline\": null, \"approved_head\": null, \"cleanup_done\": false}}\n"
        );
        self.write("r", &text)
    }

    pub(super) fn wave(&self, words: &[&str]) -> Output {
        countersign(self.folder.path())
            .arg("wave")
            .args(words)
            .current_dir(self.folder.path())
            .output()
            .expect("it runs")
    }

    /// Exit code and document.
    pub(super) fn json(&self, words: &[&str]) -> (Option<i32>, Value) {
        let mut all = words.to_vec();
        all.push("--json");
        let done = self.wave(&all);
        let text = String::from_utf8_lossy(&done.stdout).into_owned();
        assert_eq!(text.lines().count(), 1, "{words:?}: {done:?}");
        assert!(text.starts_with("{\"schema\":"), "{text}");
        (
            done.status.code(),
            serde_json::from_str(&text).expect("JSON"),
        )
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }
}

#[test]
fn status_ends_as_the_books_stand() {
    let run = Run::new();
    run.spec(&["P1: a", "P2: b"]);
    let spent = "row 2 failed | tried | it is red";
    let one = "row 1 done | a | b";
    let rows = [
        (
            ["done | 1 | x", "done | 0 | y"],
            vec![one, "row 2 done | a | b"],
            0,
        ),
        (["open | 0 |", "open | 0 |"], vec![], 1),
        (["done | 1 | x", "failed | 4 | y"], vec![one, spent], 3),
        (["open | 0 |", "failed | 4 | y"], vec![spent], 1),
        (["done | 1 | x", "failed | 2 | y"], vec![one, spent], 1),
    ];
    for (rows, decisions, wanted) in rows {
        run.ledger("iterations: 9\nallowance: 4", &rows, &decisions);
        let words = ["status", "r-ledger.md"];
        let (exit, value) = run.json(&words);
        assert_eq!(exit, Some(wanted), "{rows:?}: {value}");
        assert_eq!(value["schema"], "countersign/wave/1");
        assert_eq!(value["rows"].as_array().map(Vec::len), Some(2));
        for field in "row status attempts misses exhausted escalated evidence ids next".split(' ') {
            assert!(value["rows"][0].get(field).is_some(), "{field}: {value}");
        }
        for field in "pending decisions result reason carried reopen charge usage caps no_progress"
            .split(' ')
        {
            assert!(value.get(field).is_some(), "{field}: {value}");
        }
        let text = run.wave(&words);
        assert_eq!(text.status.code(), Some(wanted));
    }
}

#[test]
fn what_cannot_be_told_is_null_and_says_why() {
    let run = Run::new();
    run.spec(&["P1: a", "P2: b", "fix nits: P3: c; P4: d"]);
    run.ledger(
        "iterations: 6\nallowance: 4\npending: 3 | gatekeep | 2222222222222222222222222222222222222222",
        &["failed | 2 | attempt 2: no commit", "failed | 3 | y", "open | 0 |"],
        &["row 2 failed | tried | needs a token"],
    );
    let record = run.record("\"deliver\"", "12", "null");
    let (exit, value) = run.json(&[
        "status",
        "r-ledger.md",
        "--record",
        "r",
        "--escalate-after",
        "often",
    ]);
    assert_eq!(exit, Some(1), "{value}");
    let row = |n: usize| &value["rows"][n];
    assert_eq!(row(0)["misses"], Value::Null);
    assert_eq!(row(0)["exhausted"], Value::Null);
    assert_eq!(row(0)["next"], "unknown");
    assert!(
        row(0)["why"]
            .as_str()
            .is_some_and(|why| why.contains("event log"))
    );
    assert_eq!(row(1)["route"], "needs");
    assert_eq!(row(2)["next"], "reconcile");
    assert_eq!(row(2)["ids"], serde_json::json!(["P3", "P4"]));
    assert_eq!(value["pending"]["row"], 3);
    assert_eq!(value["usage"]["rounds"], 12);
    assert_eq!(value["caps"]["rounds"], 10);
    assert!(
        value["warnings"]
            .to_string()
            .contains("escalateAfter is no integer"),
        "{value}"
    );
    let text = run.wave(&["status", "r-ledger.md", "--record", "r"]);
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(
        text.contains("rounds 12 of 10 (cap reached), syncs 1 of 10"),
        "{text}"
    );
    assert!(text.contains("row 3 is under way from 2222222"), "{text}");
    drop(record);
}

#[test]
fn books_that_cannot_be_used_are_unreadable_with_every_line() {
    let run = Run::new();
    run.spec(&["P1: a"]);
    run.ledger(
        "iterations: 0",
        &["open | 1 | a | b", "closed | 0 |"],
        &["row 1 done"],
    );
    let (exit, value) = run.json(&["status", "r-ledger.md"]);
    assert_eq!(exit, Some(10), "{value}");
    assert_eq!(value["code"], "record-unreadable");
    assert_eq!(value["message"], "stuck - run record unreadable");
    let said = value["positions"].to_string();
    for word in [
        "bad-row",
        "allowance: is missing",
        "bad-decision",
        "maxIterationsPerRow",
    ] {
        assert!(said.contains(word), "{word}: {said}");
    }
    for (what, words) in [
        ("ledger", vec!["status", "none.md"]),
        ("record", vec!["status", "r-ledger.md", "--record", "none"]),
        ("spec", vec!["status", "r-ledger.md", "--spec", "none"]),
    ] {
        let (exit, value) = run.json(&words);
        assert_eq!(exit, Some(10), "{value}");
        assert!(
            value["message"]
                .to_string()
                .contains(&format!("{what}: there is no file")),
            "{value}"
        );
    }
}

#[test]
fn a_spec_of_another_length_is_refused_whatever_a_body_planted() {
    let run = Run::new();
    run.write(
        "r-spec.md",
        "# Findings spec - gatekeep-pr ferry/dock#42\n## Scope\nx\n## Acceptance criteria\n\
         - [ ] P1: a\n- [ ] P2: b\n## Acceptance criteria\n- [ ] P9: planted\n",
    );
    run.ledger(
        "iterations: 0\nallowance: 4",
        &["open | 0 |", "open | 0 |"],
        &[],
    );
    let (exit, value) = run.json(&["status", "r-ledger.md"]);
    assert_eq!(exit, Some(10));
    let said = value["positions"].to_string();
    assert!(
        said.contains("the spec has 1 work items, the ledger 2 rows"),
        "{said}"
    );
}

#[test]
fn a_record_in_order_is_said_and_one_of_another_run_is_stale() {
    let run = Run::new();
    run.spec(&["P1: a"]);
    let ledger = run.ledger("iterations: 0\nallowance: 4", &["open | 0 |"], &[]);
    let wave = format!(
        "{{\"stage\": null, \"counted\": false, \"spec\": \"{}\", \"ledger\": \"{}\"}}",
        run.at("r-spec.md").display(),
        ledger.display()
    );
    run.record("\"deliver\"", "3", &wave);
    let (exit, value) = run.json(&[
        "record",
        "r",
        "--repo",
        "Ferry/dock",
        "--pr",
        "42",
        "--base",
        "main",
    ]);
    assert_eq!(exit, Some(0), "{value}");
    assert_eq!(value["schema"], "countersign/wave/1");
    assert_eq!(value["record"]["course"], "deliver");
    assert_eq!(value["usage"]["rounds"], 3);
    for (flag, other) in [("--repo", "ferry/deck"), ("--pr", "7"), ("--base", "Main")] {
        let (exit, value) = run.json(&["record", "r", flag, other]);
        assert_eq!(exit, Some(4), "{value}");
        assert_eq!(value["code"], "other-run");
    }
    std::fs::remove_file(&ledger).expect("it is gone");
    let (exit, value) = run.json(&["record", "r"]);
    assert_eq!(exit, Some(10), "{value}");
    assert!(
        value["positions"]
            .to_string()
            .contains("the pair is never recreated"),
        "{value}"
    );
    assert!(
        value["hints"].to_string().contains("rounds 3 of 10"),
        "usage is kept: {value}"
    );
}

#[test]
fn a_record_that_lost_what_an_earlier_copy_knew_is_unreadable() {
    let run = Run::new();
    let old = run.record("\"deliver\"", "3", "null");
    std::fs::copy(&old, run.at("old")).expect("a copy");
    run.record("\"deliver\"", "0", "null");
    let (exit, value) = run.json(&["record", "r", "--before", "old"]);
    assert_eq!(exit, Some(10), "{value}");
    assert!(
        value["positions"]
            .to_string()
            .contains("rounds_used went from 3 to 0"),
        "{value}"
    );
    run.write("r", "not a record");
    let done = run.wave(&["record", "r", "--before", "old"]);
    assert_eq!(done.status.code(), Some(10));
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(said.contains("line 1: record: no-json"), "{said}");
    assert!(said.contains("rounds unknown of unknown"), "{said}");
    assert!(run.path().join("r").exists(), "nothing is moved or written");
}

#[test]
fn links_and_fifos_are_not_followed() {
    let run = Run::new();
    run.spec(&["P1: a"]);
    let ledger = run.ledger("iterations: 0\nallowance: 4", &["open | 0 |"], &[]);
    std::os::unix::fs::symlink(&ledger, run.at("link")).expect("a link");
    let (exit, value) = run.json(&["status", "link"]);
    assert_eq!(exit, Some(10));
    assert!(
        value["message"].to_string().contains("symbolic link"),
        "{value}"
    );
    rustix::fs::mknodat(
        rustix::fs::CWD,
        run.at("fifo"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .expect("a fifo");
    assert_eq!(run.json(&["record", "fifo"]).0, Some(10));
}
