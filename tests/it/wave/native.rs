//! Without a ledger: returns of workers in real repositories. Description repairs, step by step.
//! The checks of a hotfix against a real change.

use std::path::PathBuf;

use countersign::gate::wave::repair::{Booked, Observed, Proposal, Step, contributions, step};
use countersign::model::known::{Known, Reason};
use countersign::model::wave::FindingId;
use serde_json::{Value, json};

use crate::git::repo;
use crate::support::countersign;
use crate::wave::command::Run;

/// A repository with one commit.
fn begun() -> (Run, PathBuf, String) {
    let run = Run::new();
    let top = run.at("repo");
    std::fs::create_dir(&top).expect("a folder");
    repo::run(&top, &["init", "-q", "-b", "main"]);
    std::fs::write(top.join("a.txt"), "one\n").expect("a file");
    repo::run(&top, &["add", "-A"]);
    repo::run(&top, &["commit", "-q", "-m", "start"]);
    let head = repo::run(&top, &["rev-parse", "HEAD"]);
    (run, top, head.trim().to_owned())
}

fn asked(run: &Run, words: &[&str]) -> (Option<i32>, Value) {
    let done = countersign(run.path())
        .arg("--json")
        .args(words)
        .current_dir(run.at("repo"))
        .output()
        .expect("it runs");
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    let value = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{words:?}: {done:?}"));
    (done.status.code(), value)
}

#[test]
fn without_a_ledger_the_checkout_decides() {
    type Act = fn(&std::path::Path);
    let commit: Act = |top| {
        std::fs::write(top.join("a.txt"), "two\n").expect("a file");
        repo::run(top, &["commit", "-qam", "more"]);
    };
    let rows: [(&str, Vec<Act>, &str, i32, &str); 9] = [
        ("nothing", vec![], "", 1, "open"),
        ("nothing", vec![], "open", 1, "open"),
        ("nothing", vec![], "done", 3, "stop-round"),
        ("one commit", vec![commit], "", 0, "done"),
        ("one commit", vec![commit], "done", 0, "done"),
        ("one commit", vec![commit], "open", 3, "stop-round"),
        (
            "two commits",
            vec![commit, |top| {
                repo::run(top, &["commit", "-q", "--allow-empty", "-m", "again"]);
            }],
            "done",
            3,
            "stop-round",
        ),
        (
            "an untracked file",
            vec![commit, |top| {
                std::fs::write(top.join("x"), "x").expect("a file");
            }],
            "done",
            3,
            "stop-round",
        ),
        (
            "another history",
            vec![|top| {
                repo::run(top, &["commit", "-q", "--amend", "-m", "other"]);
            }],
            "done",
            3,
            "stop-round",
        ),
    ];
    for (name, acts, said, exit, result) in rows {
        let (run, top, head) = begun();
        for act in acts {
            act(&top);
        }
        let mut words = vec!["wave", "native", "--head-before", &head];
        if !said.is_empty() {
            words.extend(["--said", said]);
        }
        let (code, value) = asked(&run, &words);
        assert_eq!(code, Some(exit), "{name} {said}: {value}");
        assert_eq!(value["result"], result, "{name} {said}: {value}");
        assert_eq!(value["schema"], "countersign/wave/1");
    }
    let (run, _, _) = begun();
    let (code, _) = asked(&run, &["wave", "native", "--head-before", "abc"]);
    assert_eq!(code, Some(2));
}

fn id(text: &str) -> FindingId {
    FindingId::parse(text).expect("an id")
}

fn proposal() -> Proposal {
    Proposal {
        finding: id("P1"),
        contributors: vec![id("P1"), id("L2")],
        claims: vec![id("P1")],
        head: "7c41d0900000000000000000000000000000aaaa".into(),
        body: "Loads 112 boats.\nTested on all days.\n".into(),
        old: "all days".into(),
        new: "24 days".into(),
        replacement: "Loads 112 boats.\nTested on 24 days.\n".into(),
        evidence: "tests/days.txt lists 24".into(),
    }
}

#[test]
fn a_repair_goes_step_by_step_and_closes_only_the_claim() {
    let one = proposal();
    assert!(one.faults().is_empty());
    let (head, body, new) = (one.head.clone(), one.body.clone(), one.replacement.clone());
    let crlf = body.replace('\n', "\r\n");
    let unknown = || Known::Unknown(Reason::new("nobody could tell"));
    let fresh = |head: &str, body: &str| Some((head.to_owned(), body.to_owned()));
    let rows = [
        (None, None, Known::NotSupplied, "proposed"),
        (fresh(&head, &body), None, Known::NotSupplied, "ready"),
        (
            fresh(&head.to_uppercase(), &crlf),
            None,
            Known::NotSupplied,
            "ready",
        ),
        (fresh(&head, &new), None, Known::NotSupplied, "already"),
        (fresh("8c41", &body), None, Known::NotSupplied, "stale"),
        (fresh(&head, "Loads.\n"), None, Known::NotSupplied, "stale"),
        (
            fresh(&head, &body),
            Some(&body),
            Known::Is(true),
            "mismatch",
        ),
        (
            fresh(&head, &body),
            Some(&new),
            Known::NotSupplied,
            "written",
        ),
        (fresh(&head, &body), Some(&new), Known::Is(false), "open"),
        (fresh(&head, &body), Some(&new), unknown(), "open"),
        (fresh(&head, &body), Some(&new), Known::Is(true), "closed"),
        (fresh("8c41", &body), Some(&new), Known::Is(true), "stale"),
        (None, Some(&new), Known::Is(true), "proposed"),
    ];
    for (fresh, readback, claim, wanted) in rows {
        let observed = Observed {
            fresh,
            readback: readback.cloned(),
            claim,
        };
        let at = step(&one, &observed);
        assert_eq!(at.word(), wanted, "{observed:?}");
        let (closed, open) = contributions(&one, &at);
        if at == Step::Closed {
            assert_eq!((closed, open), (vec![id("P1")], vec![id("L2")]));
        } else {
            assert!(closed.is_empty(), "{wanted}");
        }
    }
}

#[test]
fn a_proposal_that_changes_more_than_it_says_is_none() {
    type Change = fn(&mut Proposal);
    let rows: [Change; 7] = [
        |p| p.old = "no such text".into(),
        |p| p.old = "a".into(),
        |p| p.replacement.push_str("And more.\n"),
        |p| {
            p.new = p.old.clone();
            p.replacement = p.body.clone();
        },
        |p| p.evidence = "  ".into(),
        |p| p.claims = vec![id("P9")],
        |p| p.claims.clear(),
    ];
    for (at, change) in rows.iter().enumerate() {
        let mut one = proposal();
        change(&mut one);
        assert_eq!(one.faults().len(), 1, "row {at}: {:?}", one.faults());
    }
}

/// The steps stand in the event log, each once, and only the claim is taken out of what is carried.
fn booked(run: &Run, words: &[&str]) {
    let file = run.write("events.jsonl", "");
    std::fs::remove_file(&file).expect("no log yet");
    let log = file.to_str().expect("a path");
    let steps = |words: &[&str]| {
        let words = [words, &["--log", log]].concat();
        let (code, value) = asked(run, &words);
        let events = value["events"].as_array().cloned().unwrap_or_default();
        let steps: Vec<String> = events
            .iter()
            .map(|event| event["step"].as_str().unwrap_or_default().to_owned())
            .collect();
        (code, steps)
    };
    assert_eq!(steps(&words[..3]), (Some(1), vec!["proposed".into()]));
    assert_eq!(steps(&words[..3]), (Some(1), vec![]), "once");
    assert_eq!(steps(&words[..7]), (Some(0), vec!["ready".into()]));
    assert_eq!(
        steps(words),
        (Some(0), vec!["written".into(), "closed".into()])
    );
    assert_eq!(steps(words), (Some(0), vec![]), "closed is closed");
    // nothing of it goes back
    assert_eq!(steps(&words[..7]).0, Some(10));
    let text = std::fs::read_to_string(&file).expect("the log");
    let read = countersign::adapters::wave::log::read(text.as_bytes());
    assert!(read.complaints.is_empty(), "{:?}", read.complaints);
    assert_eq!(read.books.repairs.len(), 1);
    assert_eq!(read.books.rounds, 0, "a description write charges no round");
    let last = read.entries.last().expect("an entry");
    let closed = json!(["P1"]);
    assert_eq!(
        countersign::adapters::wave::log::line(last)["closed"],
        closed
    );
    // a claim that holds without a write that arrived is refused by the fold
    let forged = text.lines().take(2).collect::<Vec<_>>().join("\n");
    let forged = format!(
        "{forged}\n{}\n",
        text.lines()
            .last()
            .expect("a line")
            .replace("\"seq\":4", "\"seq\":3")
    );
    let read = countersign::adapters::wave::log::read(forged.as_bytes());
    let says = &read.complaints.first().expect("a complaint").message;
    assert!(says.contains("closed does not follow on ready"), "{says}");
}

/// Every pair of steps, by an account of its own: the words that may stand before each.
#[test]
fn a_step_of_a_repair_follows_only_on_what_was_done_before() {
    let before = |step: &str| -> &[&str] {
        match step {
            "proposed" => &["nothing"],
            "ready" | "already" | "stale" => &[
                "proposed", "ready", "already", "stale", "written", "mismatch", "open",
            ],
            "written" | "mismatch" => &["ready", "already", "written", "mismatch", "open"],
            _ => &["written", "open"],
        }
    };
    for step in Booked::ALL {
        let all = std::iter::once(None).chain(Booked::ALL.map(Some));
        for last in all {
            let word = last.map_or("nothing", Booked::word);
            let wanted = before(step.word()).contains(&word);
            assert_eq!(step.follows(last), wanted, "{} after {word}", step.word());
        }
    }
}

#[test]
fn a_repair_is_booked_from_the_command_line() {
    let (run, _, _) = begun();
    let one = proposal();
    let file = json!({
        "finding_id": "P1", "contributor_ids": ["P1", "L2"], "claim_ids": ["P1"],
        "assessed_head": one.head, "original_body": one.body, "old_text": one.old,
        "new_text": one.new, "replacement_body": one.replacement, "source_evidence": one.evidence,
    });
    let proposed = run.write("p.json", &file.to_string());
    let proposed = proposed.to_str().expect("a path").to_owned();
    let body = run.write("body.md", &one.body);
    let body = body.to_str().expect("a path").to_owned();
    let back = run.write("back.md", &one.replacement);
    let back = back.to_str().expect("a path").to_owned();
    let mut words = vec!["wave", "repair", &proposed];
    assert_eq!(asked(&run, &words).0, Some(1));
    words.extend(["--head", &one.head, "--body", &body]);
    let (code, value) = asked(&run, &words);
    assert_eq!((code, &value["result"]), (Some(0), &json!("ready")));
    words.extend(["--readback", &back, "--claim", "resolved"]);
    let (code, value) = asked(&run, &words);
    assert_eq!((code, &value["result"]), (Some(0), &json!("closed")));
    assert_eq!(value["closed"], json!(["P1"]));
    assert_eq!(value["carried"], json!(["L2"]));
    assert_eq!(value["finding_open"], true);
    booked(&run, &words);
    let moved = [
        "wave", "repair", &proposed, "--head", "8c41", "--body", &body,
    ];
    assert_eq!(asked(&run, &moved).0, Some(4));
    let broken = run.write("q.json", "{\"finding_id\": \"X1\",\n\"assessed_head\": 7}");
    let broken = broken.to_str().expect("a path").to_owned();
    let (code, value) = asked(&run, &["wave", "repair", &broken]);
    assert_eq!(code, Some(2), "{value}");
    assert!(
        value["positions"].as_array().is_some_and(|p| p.len() >= 7),
        "{value}"
    );
}

#[test]
fn the_checks_of_a_hotfix_are_looked_at_again_on_the_change() {
    let (run, top, _) = begun();
    repo::run(&top, &["checkout", "-q", "-b", "fix"]);
    std::fs::create_dir_all(top.join("db/migrations")).expect("a folder");
    std::fs::write(top.join("db/migrations/7.sql"), "x\n").expect("a file");
    repo::run(&top, &["add", "-A"]);
    repo::run(&top, &["commit", "-q", "-m", "fix"]);
    let message = run.write(
        "m.md",
        "gauntlet: gate=chase-bug/verdict-menu recommended=2\n\nPick one:\n\n\
         1. [ ] Brainstorm now - seeded.\n2. [x] Implement hotfix now - follow it. [recommended]\n\
         3. [ ] Respond to reporter only.\n\neligible - all predicates pass\n",
    );
    let message = message.to_str().expect("a path").to_owned();
    let (code, value) = asked(&run, &["menu", "recheck", &message, "--base", "main"]);
    assert_eq!(code, Some(1), "{value}");
    assert_eq!(value["schema"], "countersign/menu-recheck/1");
    assert_eq!(value["predicates"][0]["sign"], "against");
    assert_eq!(value["predicates"][0]["path"], "db/migrations/7.sql");
    assert_eq!(value["predicates"][2]["sign"], "declared");
    assert_eq!(value["contradicted"], true);
    repo::run(&top, &["rm", "-q", "db/migrations/7.sql"]);
    std::fs::write(top.join("a.txt"), "two\n").expect("a file");
    repo::run(&top, &["commit", "-qam", "plain"]);
    let (code, value) = asked(&run, &["menu", "recheck", "--base", "main"]);
    assert_eq!(code, Some(0), "{value}");
    assert_eq!(value["declared"], Value::Null);
    std::fs::write(top.join("Cargo.lock"), "x\n").expect("a file");
    repo::run(&top, &["add", "-A"]);
    repo::run(&top, &["commit", "-q", "-m", "bump"]);
    let (code, value) = asked(&run, &["menu", "recheck", "--base", "main"]);
    assert_eq!(code, Some(1), "a new file is new code: {value}");
    assert_eq!(value["predicates"][4]["sign"], "look");
    assert_eq!(
        asked(&run, &["menu", "recheck", "--base", "nowhere"]).0,
        Some(10)
    );
}
