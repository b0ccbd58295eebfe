//! `wave closure`, `wave guard`, the event log and the no-progress checkpoint, as scripts see them.

use serde_json::{Value, json};

use crate::git::repo;
use crate::wave::command::Run;

/// Two findings and a batch of nits; rows 1 and 3 done, row 2 failed.
fn reviewed() -> Run {
    let run = Run::new();
    run.spec(&["P1, L2: a", "P3: b", "fix nits: P4: c; P5: d"]);
    run.ledger(
        "iterations: 3\nallowance: 4",
        &["done | 1 | x", "failed | 1 | y", "done | 1 | z"],
        &[
            "row 1 done | a | b",
            "row 2 failed | a | b",
            "row 3 done | a | b",
        ],
    );
    run
}

#[test]
fn closure_says_what_is_carried_and_what_reopens() {
    let run = reviewed();
    run.write(
        "report",
        "[Moderate] (inside fix delta) a new one\n\nP1: resolved\nL2: resolved\nP3: open - still red\nP4: resolved\n",
    );
    let (exit, value) = run.json(&["closure", "r-ledger.md", "report"]);
    assert_eq!(exit, Some(1), "{value}");
    let carried: Vec<&Value> = value["carried"]
        .as_array()
        .expect("a list")
        .iter()
        .collect();
    let ids: Vec<&str> = carried.iter().filter_map(|c| c["id"].as_str()).collect();
    assert_eq!(ids, ["P3", "P5", "P6"]);
    assert_eq!(value["may_push"], false);
    assert_eq!(value["settled"], json!([1]));
    assert_eq!(
        value["reopen"][0]["line"],
        "row 2 reopened | review: P3 - still red | still red"
    );
    assert_eq!(value["reopen"][1]["ids"], json!(["P5"]));
    let text = run.wave(&["closure", "r-ledger.md", "report"]);
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(
        text.contains("no push: something Critical or Moderate is carried"),
        "{text}"
    );
    run.write(
        "clean",
        "P1: resolved\nL2: resolved\nP3: resolved\nP4: resolved\nP5: resolved\n",
    );
    let (exit, value) = run.json(&["closure", "r-ledger.md", "clean"]);
    assert_eq!(
        (exit, &value["may_push"]),
        (Some(0), &json!(true)),
        "{value}"
    );
    assert_eq!(run.json(&["closure", "r-ledger.md", "none"]).0, Some(2));
}

#[test]
fn only_ids_of_the_wave_are_asked_for() {
    let run = reviewed();
    let wave = "{\"stage\": null, \"counted\": false, \"selected_ids\": [\"P3\"]}";
    run.record("\"deliver\"", "1", wave);
    run.write("report", "P3: resolved\n");
    let (exit, value) = run.json(&["closure", "r-ledger.md", "report", "--record", "r"]);
    assert_eq!(exit, Some(0), "{value}");
    assert_eq!(value["settled"], json!([2]));
}

#[test]
fn the_range_has_three_parts_when_the_base_was_merged() {
    let run = reviewed();
    run.write("report", "");
    let top = run.at("repo");
    std::fs::create_dir(&top).expect("a folder");
    let git = |args: &[&str]| repo::run(&top, args);
    git(&["init", "-q", "-b", "main"]);
    git(&["commit", "-q", "--allow-empty", "-m", "start"]);
    git(&["checkout", "-q", "-b", "work"]);
    git(&["commit", "-q", "--allow-empty", "-m", "pushed"]);
    let pushed = git(&["rev-parse", "HEAD"]);
    let closure = |pushed: &str| {
        run.json(&[
            "-C",
            "repo",
            "closure",
            "../r-ledger.md",
            "../report",
            "--pushed-head",
            pushed,
        ])
    };
    git(&["commit", "-q", "--allow-empty", "-m", "fix"]);
    let first = git(&["rev-parse", "HEAD"]);
    let (_, value) = closure(&pushed);
    assert_eq!(
        value["range"]["fix_delta"],
        json!([format!("git diff {pushed} {first}")])
    );
    git(&["checkout", "-q", "main"]);
    git(&["commit", "-q", "--allow-empty", "-m", "base moved"]);
    git(&["checkout", "-q", "work"]);
    git(&["merge", "-q", "--no-ff", "-m", "merge", "main"]);
    let merge = git(&["rev-parse", "HEAD"]);
    git(&["commit", "-q", "--allow-empty", "-m", "fix two"]);
    let head = git(&["rev-parse", "HEAD"]);
    let (_, value) = closure(&pushed);
    assert_eq!(
        value["range"]["fix_delta"],
        json!([
            format!("git diff {pushed} {first}"),
            format!("git show --remerge-diff {merge}"),
            format!("git diff {merge} {head}"),
        ])
    );
    assert_eq!(value["range"]["cut"], false);
    let base = git(&["rev-parse", "main"]);
    let (_, value) = closure(&base);
    assert_eq!(
        value["range"]["cut"], true,
        "not on the first-parent history: {value}"
    );
    git(&["checkout", "-q", "main"]);
    let (exit, value) = closure(&pushed);
    assert_eq!(
        (exit, &value["code"]),
        (Some(4), &json!("moved")),
        "{value}"
    );
    assert_eq!(closure("HEAD").0, Some(2));
}

/// A repository whose ledger waits for row 1, with a log.
struct Logged {
    run: Run,
    head: String,
    iteration: u32,
    attempts: u32,
}

impl Logged {
    fn new() -> Self {
        let run = Run::new();
        let top = run.at("repo");
        std::fs::create_dir(&top).expect("a folder");
        repo::run(&top, &["init", "-q", "-b", "work"]);
        repo::run(&top, &["commit", "-q", "--allow-empty", "-m", "start"]);
        let head = repo::run(&top, &["rev-parse", "HEAD"]);
        run.spec(&["P1: a", "P2: b"]);
        Self {
            run,
            head,
            iteration: 0,
            attempts: 0,
        }
    }

    /// The ledger as it stands while row 1 is under way.
    fn dispatch(&mut self) {
        self.iteration += 1;
        let top = self.run.at("repo");
        self.head = repo::run(&top, &["rev-parse", "HEAD"]);
        let head = format!(
            "iterations: {}\nallowance: 4\npending: 1 | gatekeep | {}",
            self.iteration, self.head
        );
        self.ledger(&head);
    }

    fn ledger(&self, head: &str) {
        let row = match self.attempts {
            0 => "open | 0 |".to_owned(),
            n => format!("failed | {n} | attempt {n}: no commit was added"),
        };
        self.run.ledger(head, &[&row, "open | 0 |"], &[]);
    }

    fn commit(&self, status: &str, slot: &str) {
        let top = self.run.at("repo");
        std::fs::write(top.join("a.txt"), format!("{} {status}", self.iteration)).expect("a file");
        repo::run(&top, &["add", "-A"]);
        let message = format!(
            "loop: row 1 {status}\n\npending: 1 | gatekeep | {}\niteration: {}\n\n\
             | 1 | {status} | {} | test -f a.txt; there |\n\nrow 1 {status} | a | {slot}\n",
            self.head,
            self.iteration,
            self.attempts + 1
        );
        repo::run(&top, &["commit", "-q", "-m", &message]);
    }

    fn admit(&self) -> Value {
        self.run
            .json(&[
                "-C",
                "repo",
                "admit",
                "../r-ledger.md",
                "--row",
                "1",
                "--head-before",
                &self.head,
                "--log",
                "../log",
            ])
            .1
    }

    fn status(&mut self) -> Value {
        self.ledger(&format!("iterations: {}\nallowance: 4", self.iteration));
        self.run.json(&["status", "r-ledger.md", "--log", "log"]).1
    }
}

#[test]
fn misses_come_from_the_event_log_and_two_in_a_row_exhaust() {
    let mut wave = Logged::new();
    for attempt in 1..=2 {
        wave.dispatch();
        let value = wave.admit();
        assert_eq!(value["result"], "miss", "{value}");
        wave.attempts = attempt;
        let value = wave.status();
        assert_eq!(value["rows"][0]["misses"], attempt, "{value}");
        assert_eq!(value["rows"][0]["exhausted"], attempt == 2, "{value}");
    }
    let before = std::fs::read_to_string(wave.run.at("log")).expect("a log");
    wave.status();
    let after = std::fs::read_to_string(wave.run.at("log")).expect("a log");
    assert_eq!(before, after, "status only reads");
    // a ledger that counts otherwise than the log makes the misses unknown
    wave.attempts = 3;
    wave.iteration = 3;
    let value = wave.status();
    assert_eq!(value["rows"][0]["misses"], Value::Null, "{value}");
}

#[test]
fn a_result_that_is_taken_up_twice_is_recorded_and_charged_once() {
    let mut wave = Logged::new();
    wave.dispatch();
    wave.commit("failed", "it is red");
    let first = wave.admit();
    assert_eq!(
        (&first["result"], &first["charge"]),
        (&json!("admit"), &json!(1)),
        "{first}"
    );
    assert_eq!(first["events"].as_array().map(Vec::len), Some(3), "{first}");
    let again = wave.admit();
    assert_eq!(
        (&again["result"], &again["charge"]),
        (&json!("admit"), &json!(0)),
        "{again}"
    );
    assert_eq!(again["recorded_before"], true);
    let log = std::fs::read_to_string(wave.run.at("log")).expect("a log");
    assert_eq!(log.lines().count(), 3, "{log}");
}

#[test]
fn a_pass_goes_from_dispatch_over_review_to_the_next_pass() {
    let mut wave = Logged::new();
    wave.dispatch();
    wave.commit("done", "the test names it");
    assert_eq!(wave.admit()["charge"], 1);
    wave.run.ledger(
        "iterations: 1\nallowance: 4",
        &["done | 1 | test -f a.txt; there", "open | 0 |"],
        &["row 1 done | a | the test names it"],
    );
    wave.run.write("report", "P1: open - not yet\n");
    let closure = || {
        wave.run
            .json(&["closure", "r-ledger.md", "report", "--log", "log"])
            .1
    };
    let value = closure();
    assert_eq!(value["reopen"][0]["row"], 1, "{value}");
    assert_eq!(
        value["carried"].as_array().map(Vec::len),
        Some(1),
        "P2 was never sent out"
    );
    assert_eq!(
        closure()["recorded_before"],
        true,
        "the same report counts once"
    );
    let names = |value: &Value| -> Vec<String> {
        let events = value["events"].as_array().expect("events").iter();
        events
            .filter_map(|e| e["event"].as_str().map(str::to_owned))
            .collect()
    };
    assert_eq!(
        names(&value),
        ["review", "closure", "reopen", "carry", "hold"]
    );
    // the next pass is charged again
    wave.attempts = 1;
    wave.dispatch();
    wave.run.ledger(
        &format!(
            "iterations: 2\nallowance: 4\npending: 1 | gatekeep | {}",
            wave.head
        ),
        &["failed | 1 | test -f a.txt; there", "open | 0 |"],
        &[
            "row 1 done | a | the test names it",
            "row 1 reopened | review: P1 - not yet | not yet",
        ],
    );
    wave.commit("done", "now it does");
    let value = wave.admit();
    assert_eq!(value["charge"], 1, "{value}");
    assert_eq!(names(&value), ["pass_open", "dispatch", "admit"]);
}

#[test]
fn a_log_that_cannot_follow_is_refused_whole() {
    let mut wave = Logged::new();
    wave.dispatch();
    wave.run
        .write("log", "{\"seq\":1,\"event\":\"miss\",\"row\":1}\n");
    let value = wave.admit();
    assert_eq!(value["code"], "record-unreadable", "{value}");
    assert!(
        value["positions"]
            .to_string()
            .contains("event log: bad-event"),
        "{value}"
    );
}

#[test]
fn only_a_changed_input_ends_a_no_progress_checkpoint() {
    let run = Run::new();
    run.spec(&["P1: a"]);
    run.ledger(
        "iterations: 1\nallowance: 4",
        &["failed | 1 | y"],
        &["row 1 failed | a | b"],
    );
    let input = run.write("t.py", "one\n");
    let digest = countersign::model::id::Digest::of(b"one\n");
    let wave = format!(
        "{{\"stage\": null, \"counted\": false, \"no_progress\": {{\"prerequisite\": \"t.py is red\", \
         \"observed\": \"exit 1\", \"result\": \"/tmp/x\", \"inputs\": [{{\"file\": \"{}\", \
         \"sha256\": \"{digest}\"}}, {{\"command\": \"pytest t.py\"}}]}}}}",
        input.display()
    );
    run.record("\"deliver\"", "1", &wave);
    let status = |more: &[&str]| {
        let mut words = vec!["status", "r-ledger.md", "--record", "r"];
        words.extend(more);
        let (exit, value) = run.json(&words);
        (
            exit,
            value["progress"]["state"]
                .as_str()
                .unwrap_or("-")
                .to_owned(),
        )
    };
    assert_eq!(
        status(&[]),
        (Some(3), "unknown".into()),
        "the command is not known"
    );
    let same = ["--command", "pytest t.py"];
    assert_eq!(status(&same), (Some(3), "unchanged".into()));
    assert_eq!(
        status(&["--command", "pytest -x t.py"]),
        (Some(1), "changed".into())
    );
    run.write("t.py", "two\n");
    assert_eq!(status(&same), (Some(1), "changed".into()));
    run.record("\"deliver\"", "1", "null");
    assert_eq!(status(&[]), (Some(1), "-".into()));
}

#[test]
fn guard_says_what_a_session_may_not_do() {
    let run = Run::new();
    let phases = |verify: &str| json!({"brainstorm": "complete", "plan": "complete", "implement": "complete", "verify": verify, "ship": "pending"});
    let tracker = |action: &str, phases: Value| {
        json!({"type": "tool_result", "toolName": "phase_tracker", "toolCallId": "p", "isError": false,
            "details": {"action": action, "phases": phases}})
    };
    let result = |agent: &str| {
        json!({"type": "tool_result", "toolName": "subagent", "toolCallId": "w", "isError": false,
            "details": {"results": [{"agent": agent, "exitCode": 0}]}})
    };
    let call = json!({"type": "tool_call", "toolName": "subagent", "toolCallId": "c",
        "input": {"tasks": [{"agent": "implementer"}]}});
    let mut events = vec![
        tracker("start", json!({"brainstorm": "in_progress"})),
        tracker("start", phases("in_progress")),
        result("conformance-reviewer"),
        result("implementer"),
        call,
    ];
    let write = |events: &[Value]| {
        let text: String = events.iter().map(|event| format!("{event}\n")).collect();
        run.write("session", &text);
    };
    write(&events);
    let (exit, value) = run.json(&["guard", "session"]);
    assert_eq!(exit, Some(0), "{value}");
    assert_eq!(value["usage"]["rounds"], 1);
    let (exit, value) = run.json(&["guard", "session", "--max-fix-rounds", "1"]);
    assert_eq!(
        (exit, &value["result"]),
        (Some(3), &json!("block")),
        "{value}"
    );
    let reason = value["reason"].as_str().expect("a reason");
    assert!(
        reason.starts_with("Conformance fix loop: 1 fix round(s) used against a cap of 1"),
        "{reason}"
    );
    run.write(
        "settings",
        "{\"piGauntlet\": {\"closureReview\": {\"maxFixRounds\": 1, \"enforce\": false}}}",
    );
    assert_eq!(
        run.json(&["guard", "session", "--settings", "settings"]).0,
        Some(0)
    );
    events.pop();
    events.push(
        json!({"type": "tool_call", "toolName": "subagent", "toolCallId": "d",
        "input": {"agent": "implementer", "task": "t"}}),
    );
    write(&events);
    let (exit, value) = run.json(&["guard", "session"]);
    assert_eq!(
        (exit, &value["guard"]["calls"][0]["guard"]),
        (Some(1), &json!("lone-worker")),
        "{value}"
    );
    let text = run.wave(&["guard", "session"]);
    assert!(
        String::from_utf8_lossy(&text.stdout).contains("line 5: block by lone-worker"),
        "{text:?}"
    );
    run.write("session", "no json\n");
    assert_eq!(run.json(&["guard", "session"]).0, Some(10));
    assert_eq!(run.json(&["guard", "none"]).0, Some(10));
    assert_eq!(
        run.json(&["guard", "settings", "--settings", "session"]).0,
        Some(2)
    );
}
