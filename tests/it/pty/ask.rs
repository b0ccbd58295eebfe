//! `menu ask` on a real terminal: a blocking gate whose answer is on stdout, for one message and
//! for a batch; stale replies reach nobody.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use rustix::process::Signal;
use serde_json::Value;
use tempfile::TempDir;

use super::{Terminal, wait_for};
use crate::git::repo;
use crate::support::{as_other_user, countersign_as_other_user, hand_over};

const GOLDEN: &str = include_str!("../../corpus/triage/golden/real-untracked.md");
const CLOSED: &str = include_str!("../../corpus/triage/honest/04-real-tracked-unavailable.md");
const DRAFT: &str = include_str!("../../corpus/triage/honest/12-draft-gated-cannot-replicate.md");

/// A repository of another user with three messages in it.
struct Desk {
    folder: TempDir,
    /// The commit before the head.
    before: String,
}

impl Desk {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let top = folder.path().join("repo");
        std::fs::create_dir(&top).expect("a folder");
        repo::run(&top, &["init", "-q", "-b", "main"]);
        for message in ["one", "two"] {
            repo::run(&top, &["commit", "-q", "--allow-empty", "-m", message]);
        }
        for (name, text) in [("a.md", GOLDEN), ("b.md", CLOSED), ("c.md", DRAFT)] {
            std::fs::write(top.join(name), text).expect("a message");
        }
        let before = repo::run(&top, &["rev-parse", "HEAD~1"]);
        let desk = Self { folder, before };
        hand_over(desk.folder.path());
        // The copy that the other user can reach.
        drop(countersign_as_other_user(desk.folder.path()));
        desk
    }

    fn top(&self) -> PathBuf {
        self.folder.path().join("repo")
    }

    /// The head goes back by one, as if somebody had moved it.
    fn move_head(&self) {
        let main = self.top().join(".git/refs/heads/main");
        std::fs::write(main, format!("{}\n", self.before)).expect("a ref");
    }

    /// `menu ask` in a shell that keeps its stdout and exit code in files, as a hook does.
    fn ask(&self, words: &str) -> Terminal {
        let program = self.folder.path().join("countersign-under-test");
        let mut command = as_other_user("sh", self.folder.path());
        let line = format!(
            "{} menu ask {words} > ../out; echo $? > ../code",
            program.display()
        );
        command.args(["-c", &line]).current_dir(self.top());
        Terminal::start(&command, 100, 30)
    }

    fn out(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("out")).expect("what it printed")
    }

    fn code(&self) -> String {
        let text = std::fs::read_to_string(self.folder.path().join("code"));
        text.expect("its exit code").trim().to_owned()
    }

    fn document(&self) -> Value {
        let text = self.out();
        assert_eq!(text.lines().count(), 1, "{text}");
        serde_json::from_str(&text).expect("JSON")
    }
}

#[test]
fn a_script_waits_for_the_person_and_gets_the_pick_alone() {
    let desk = Desk::new();
    let mut terminal = desk.ask("a.md");
    terminal.shows("r send 3");
    terminal.keys_until_gone("r");
    assert_eq!(terminal.ends(), 0);
    terminal.is_as_before();
    assert_eq!((desk.out().as_str(), desk.code().as_str()), ("3\n", "0"));
}

#[test]
fn leaving_sends_nothing_and_ends_with_5() {
    let desk = Desk::new();
    let mut terminal = desk.ask("a.md --json");
    terminal.shows("r send 3");
    terminal.keys("\u{1b}");
    terminal.shows("Nothing was sent");
    terminal.keys_until_gone("q");
    terminal.is_as_before();
    assert_eq!((desk.out().as_str(), desk.code().as_str()), ("", "5"));
}

#[test]
fn a_message_that_changed_meanwhile_is_stale_and_ends_with_4() {
    let desk = Desk::new();
    let mut terminal = desk.ask("a.md --json");
    terminal.shows("r send 3");
    std::fs::write(desk.top().join("a.md"), CLOSED).expect("another message");
    terminal.press_until("r", "STALE");
    terminal.keys_until_gone("q");
    let value = desk.document();
    assert_eq!(
        (&value["kind"], &value["text"]),
        (&"stale".into(), &Value::Null)
    );
    assert_eq!(desk.code(), "4");
}

#[test]
fn a_head_that_was_bound_and_is_another_is_refused_before_anything_is_drawn() {
    let desk = Desk::new();
    let mut terminal = desk.ask("a.md --head 0123456 --json");
    assert_eq!(terminal.ends(), 0);
    assert_eq!(desk.document()["kind"], "stale");
    assert_eq!(desk.code(), "4");
    assert!(!terminal.seen().text().contains("r send"));
}

#[test]
fn words_go_as_a_change_request_and_into_the_reply_file_once() {
    let desk = Desk::new();
    let mut terminal = desk.ask("a.md --json --reply ../reply.json --sequence 7");
    terminal.shows("r send 3");
    terminal.press_until("b", "In your words");
    terminal.keys("\u{1b}[200~2 is right\nbut later\u{1b}[201~");
    terminal.shows("but later");
    terminal.press_until("\u{13}", "What will be sent");
    terminal.shows("change request");
    terminal.keys_until_gone("r");
    let value = desk.document();
    assert_eq!(value["kind"], "change-request");
    assert_eq!(value["text"], "2 is right\nbut later");
    assert_eq!(desk.code(), "1");
    let file = desk.folder.path().join("reply.json");
    let text = std::fs::read_to_string(&file).expect("the reply");
    let kept: Value = serde_json::from_str(&text).expect("JSON");
    for field in ["kind", "text", "digest", "head", "gate"] {
        assert_eq!(kept[field], value[field], "{field}");
    }
    assert_eq!(kept["sequence"], 7);
    assert!(kept.get("actor").is_some());
    let mut again = desk.ask("a.md --reply ../reply.json");
    assert_eq!(again.ends(), 0);
    assert_eq!(desk.code(), "2");
    assert_eq!(std::fs::read_to_string(&file).expect("the reply"), text);
}

/// The person's own keys work here as in the session.
#[test]
fn remapped_keys_answer_a_message() {
    let desk = Desk::new();
    let config = desk.folder.path().join("own/config");
    std::fs::create_dir_all(&config).expect("a folder");
    let keys = "[keys]\nratify = [\"F9\"]\nkick-back = [\"F8\"]\nleave = [\"F7\"]\n";
    std::fs::write(config.join("config.toml"), keys).expect("a file");
    hand_over(&desk.folder.path().join("own"));
    let home = desk.folder.path().join("own");
    let program = desk.folder.path().join("countersign-under-test");
    let mut command = as_other_user("sh", desk.folder.path());
    let line = format!(
        "COUNTERSIGN_HOME={} {} menu ask a.md > ../out; echo $? > ../code",
        home.display(),
        program.display()
    );
    command.args(["-c", &line]).current_dir(desk.top());
    let mut terminal = Terminal::start(&command, 100, 30);
    terminal.shows("F9 send 3  F8 in your words");
    terminal.press_until("\u{1b}[19~", "In your words");
    terminal.keys("\u{1b}");
    drop(terminal.until("the box is gone", |seen| {
        !seen.text().contains("In your words")
    }));
    terminal.keys("r");
    terminal.keys_until_gone("\u{1b}[20~");
    assert_eq!((desk.out().as_str(), desk.code().as_str()), ("3\n", "0"));
}

/// Edge 49. Whenever it dies, the reply is whole or not there, and is written once.
#[test]
fn a_crash_around_the_writing_of_a_reply_never_doubles_or_halves_it() {
    let desk = Desk::new();
    let file = desk.folder.path().join("reply.json");
    let start = || {
        let mut command = countersign_as_other_user(desk.folder.path());
        command.args(["menu", "ask", "a.md", "--reply", "../reply.json"]);
        command.current_dir(desk.top());
        Terminal::start(&command, 100, 30)
    };
    let mut kept: Option<String> = None;
    for round in 0..12 {
        let mut terminal = start();
        if kept.is_some() {
            assert_eq!(
                terminal.ends(),
                2,
                "a reply that lies there is never written over"
            );
        } else {
            terminal.shows("r send 3");
            terminal.keys("r");
            // later and later, at last as soon as it lies there
            if round < 11 {
                let mut turns = round * 400;
                while turns > 0 && !file.exists() {
                    std::thread::yield_now();
                    turns -= 1;
                }
            } else {
                wait_for("the reply", || file.exists());
            }
            terminal.signal(Signal::KILL);
            let _ = terminal.ends();
        }
        let now = std::fs::read_to_string(&file).ok();
        if let Some(text) = &now {
            assert!(text.ends_with("}\n"), "whole: {text}");
            let value: Value = serde_json::from_str(text).expect("JSON");
            assert_eq!(value["text"], "3");
        }
        if kept.is_some() {
            assert_eq!(now, kept);
        }
        kept = now;
    }
    assert!(kept.is_some(), "at last it was sent");
}

/// Three gates wait. The first is picked, the draft is sent, then the head moves: the second is
/// refused at once, and what was answered before is refused before it goes out.
#[test]
fn a_batch_of_three_binds_each_reply_to_its_own_gate() {
    let desk = Desk::new();
    let mut terminal = desk.ask("a.md b.md c.md --json");
    terminal.shows("gate 1 of 3, 0 answered");
    terminal.press_until("r", "gate 2 of 3, 1 answered");
    // A row that says it cannot be picked is none.
    terminal.keys("2");
    terminal.press_until("r", "cannot be picked");
    terminal.press_until("n", "gate 3 of 3");
    terminal.press_until("r", "What will be sent");
    terminal.press_until("r", "gate 2 of 3, 2 answered");
    terminal.press_until("1", "r send 1");
    terminal.press_until("r", "Every gate is answered");
    terminal.keys_until_gone("q");
    assert_eq!(desk.code(), "0");
    let value = desk.document();
    let said: Vec<(&str, &str)> = value["replies"]
        .as_array()
        .expect("replies")
        .iter()
        .map(|reply| {
            let text = |field: &str| reply[field].as_str().unwrap_or_default();
            (text("file"), text("text"))
        })
        .collect();
    assert_eq!(said, [("a.md", "3"), ("b.md", "1"), ("c.md", "send it")]);
    assert_eq!(value["replies"][0]["digest"], repo_digest(GOLDEN));
    assert_eq!(value["replies"][2]["digest"], repo_digest(DRAFT));
}

#[test]
fn after_the_head_moved_no_reply_of_a_batch_goes_out() {
    let desk = Desk::new();
    let mut terminal = desk.ask("a.md b.md c.md --json");
    terminal.shows("gate 1 of 3, 0 answered");
    terminal.press_until("r", "gate 2 of 3, 1 answered");
    desk.move_head();
    terminal.press_until("r", "STALE");
    terminal.shows("the head moved");
    terminal.keys_until_gone("q");
    assert_eq!(desk.code(), "4");
    let value = desk.document();
    let kinds: Vec<&Value> = value["replies"]
        .as_array()
        .expect("replies")
        .iter()
        .map(|reply| &reply["kind"])
        .collect();
    assert_eq!(
        kinds,
        [&Value::from("stale"), &Value::from("stale"), &Value::Null]
    );
    assert!(
        value["replies"]
            .as_array()
            .is_some_and(|all| { all.iter().all(|reply| reply["text"].as_str().is_none()) })
    );
}

#[test]
fn nothing_is_asked_through_a_pipe() {
    let desk = Desk::new();
    let run = |words: &[&str]| {
        let mut command: Command = countersign_as_other_user(desk.folder.path());
        command
            .args(words)
            .current_dir(desk.top())
            .stdin(Stdio::null());
        command.output().expect("it runs")
    };
    let done = run(&["menu", "ask", "a.md"]);
    assert_eq!(done.status.code(), Some(2), "{done:?}");
    assert!(done.stdout.is_empty());
    std::fs::write(desk.top().join("d.md"), "gauntlet: done approved\n").expect("a message");
    let done = run(&["menu", "ask", "a.md", "d.md"]);
    assert_eq!(done.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&done.stderr).contains("d.md"));
}

fn repo_digest(text: &str) -> String {
    countersign::model::id::Digest::of(text.as_bytes()).to_string()
}
