//! `countersign threads`: lines, JSON that can be given back, exit codes.

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::support::countersign;

fn run(home: &Path, words: &[&str]) -> Output {
    let mut command = countersign(home);
    command.arg("threads").args(words).current_dir(home);
    command.output().expect("it runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Three channels, each with its end proven.
const WHOLE: &str = r#"{"schema":"countersign/threads/1","complete":true,"threads":[
 {"id":"41","channel":"inline","author":"tamsin","body":"Two digits.\u001b[2J","anchor":{"path":"lib/tide.py","line":8},
  "state":"resolved","resolution":{"resolved_by":"tamsin"},
  "replies":[{"id":"42","author":"builder-7","body":"Done."}]},
 {"id":"43","channel":"issue","author":"lint","account":"bot","body":"81 %","state":"open","edited":true,
  "minimised":"resolved","replies":[]}],
 "pull":{"number":7,"author":"builder-7","head":"1111111111111111111111111111111111111111"}}"#;

#[test]
fn what_is_printed_can_be_given_back() {
    let home = tempfile::tempdir().expect("a folder");
    fs::write(home.path().join("t.json"), WHOLE).expect("written");
    let first = run(home.path(), &["--json", "--threads", "t.json"]);
    assert_eq!(first.status.code(), Some(0), "{}", text(&first.stderr));
    let printed: Value = serde_json::from_slice(&first.stdout).expect("JSON");
    assert_eq!(printed["schema"], "countersign/threads/1");
    assert_eq!(printed["threads"][0]["replies"][0]["author"], "builder-7");
    assert_eq!(printed["threads"][1]["actor"], "bot");
    assert_eq!(printed["counts"]["minimised"], 1);
    fs::write(home.path().join("u.json"), &first.stdout).expect("written");
    let again = run(home.path(), &["--json", "--threads", "u.json"]);
    let mut again: Value = serde_json::from_slice(&again.stdout).expect("JSON");
    // a file that was just written is younger
    again["age"] = printed["age"].clone();
    assert_eq!(printed, again);
}

#[test]
fn lines_show_every_thread_and_no_terminal_obeys_them() {
    let home = tempfile::tempdir().expect("a folder");
    fs::write(home.path().join("t.json"), WHOLE).expect("written");
    let out = run(home.path(), &["--threads", "t.json"]);
    let lines = text(&out.stdout);
    assert!(!lines.contains('\u{1b}'), "{lines:?}");
    for wanted in [
        "2 threads, 0 open",
        "inline: all of them",
        "41 tamsin human lib/tide.py:8",
        "Two digits.^[[2J",
        "> builder-7: Done.",
        "43 lint bot on the change (issue)",
    ] {
        assert!(lines.contains(wanted), "{wanted}: {lines}");
    }
}

#[test]
fn exit_codes_tell_open_owed_and_unmeasured_apart() {
    let home = tempfile::tempdir().expect("a folder");
    let open = WHOLE.replace(
        "\"state\":\"resolved\",\"resolution\":{\"resolved_by\":\"tamsin\"},",
        "",
    );
    let human = WHOLE.replace("\"account\":\"bot\",", "");
    let partly = WHOLE.replace("\"complete\":true", "\"complete\":false");
    let own = WHOLE.replace(
        "\"resolved_by\":\"tamsin\"",
        "\"resolved_by\":\"Builder-7\"",
    );
    let rows = [
        (WHOLE, 0),
        (human.as_str(), 1),
        // without a look into the repository, what commits did can't be told
        (open.as_str(), 3),
        (own.as_str(), 0),
        (partly.as_str(), 10),
        ("<html>", 10),
    ];
    for (at, (file, code)) in rows.into_iter().enumerate() {
        fs::write(home.path().join("t.json"), file).expect("written");
        let out = run(home.path(), &["--threads", "t.json"]);
        assert_eq!(
            out.status.code(),
            Some(code),
            "row {at}: {}",
            text(&out.stdout)
        );
    }
    assert_eq!(run(home.path(), &[]).status.code(), Some(2));
    let missing = run(home.path(), &["--threads", "none.json"]);
    assert_eq!(missing.status.code(), Some(10));
    assert!(
        text(&missing.stdout).contains("none.json $: no such file"),
        "{}",
        text(&missing.stdout)
    );
}

#[test]
fn markers_are_rounds_and_no_objections() {
    let home = tempfile::tempdir().expect("a folder");
    let one = |id: &str, author: &str, body: &str| {
        format!(r#"{{"id":"{id}","channel":"issue","author":"{author}","body":"{body}"}}"#)
    };
    let threads = [
        one("1", "ines", "/verify-gate round=1 verdict=REROLL"),
        one("2", "passer-by", "/verify-gate round=7 verdict=APPROVED"),
        one("3", "ines", "## /verify-gate verdict"),
    ];
    let file = format!(
        r#"{{"schema":"countersign/threads/1","complete":true,"threads":[{}]}}"#,
        threads.join(",")
    );
    fs::write(home.path().join("t.json"), file).expect("written");
    let printed = |code: i32| -> Value {
        let out = run(home.path(), &["--json", "--threads", "t.json"]);
        assert_eq!(out.status.code(), Some(code), "{}", text(&out.stderr));
        serde_json::from_slice(&out.stdout).expect("JSON")
    };
    // what reaches for a marker and is none stays a comment
    let all = printed(1);
    assert_eq!(all["rounds"]["next"], 8);
    assert_eq!(all["threads"][0]["fires"], serde_json::json!([]));
    assert_eq!(all["threads"][2]["fires"], serde_json::json!(["T2"]));
    let folder = home.path().join("countersign/config");
    fs::create_dir_all(&folder).expect("a folder");
    let text = "marker-authors = [\"ines\"]\n";
    fs::write(folder.join("config.toml"), text).expect("written");
    let listed = printed(1);
    assert_eq!(listed["rounds"]["next"], 2);
    assert_eq!(listed["markers"][1]["counts"], false);
    let out = run(home.path(), &["--threads", "t.json"]);
    let lines = String::from_utf8_lossy(&out.stdout).into_owned();
    for wanted in [
        "marker issue 1 by ines: round 1 REROLL",
        "marker issue 2 by passer-by: round 7 APPROVED, does not count",
        "marker issue 3 by ines: no marker: round=N has to come first",
        "next round: 2",
    ] {
        assert!(lines.contains(wanted), "{wanted}: {lines}");
    }
}

#[test]
fn triggers_and_breakers_are_summed_up() {
    let home = tempfile::tempdir().expect("a folder");
    let open = WHOLE
        .replace(
            "\"state\":\"resolved\",\"resolution\":{\"resolved_by\":\"tamsin\"},",
            "",
        )
        .replace(
            "\"complete\":true",
            "\"complete\":{\"inline\":{\"loaded\":1,\"of\":9}}",
        );
    fs::write(home.path().join("t.json"), open).expect("written");
    let out = run(home.path(), &["--json", "--threads", "t.json"]);
    let printed: Value = serde_json::from_slice(&out.stdout).expect("JSON");
    assert_eq!(printed["triggers"], serde_json::json!(["T2"]));
    let breakers = printed["breakers"].to_string();
    for wanted in ["inline comments: 1 of 9", "whether 41 is dealt with"] {
        assert!(breakers.contains(wanted), "{wanted}: {breakers}");
    }
    let out = run(home.path(), &["--threads", "t.json"]);
    let lines = text(&out.stdout);
    assert!(lines.contains("fires T2"), "{lines}");
    assert!(
        lines.contains("BREAKER: comments incomplete: inline"),
        "{lines}"
    );
}
