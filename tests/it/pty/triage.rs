//! Gate messages in the session, on a real terminal: a batch of three gates, replies and refusals,
//! a head and a message that move meanwhile, and a process that dies on the way.

use std::path::PathBuf;

use rustix::process::Signal;
use serde_json::Value;

use super::seat::Seat;
use super::{Terminal, wait_for};
use crate::support::{as_other_user, hand_over};

const GOLDEN: &str = include_str!("../../corpus/triage/golden/real-untracked.md");
const CLOSED: &str = include_str!("../../corpus/triage/honest/04-real-tracked-unavailable.md");
const DRAFT: &str = include_str!("../../corpus/triage/honest/12-draft-gated-cannot-replicate.md");
const NAMES: [&str; 3] = ["a", "b", "c"];

/// The sample, and three messages that wait.
struct Desk {
    seat: Seat,
}

impl Desk {
    fn new() -> Self {
        let desk = Self { seat: Seat::new() };
        std::fs::create_dir(desk.mail()).expect("a folder");
        for (name, text) in NAMES.iter().zip([GOLDEN, CLOSED, DRAFT]) {
            std::fs::write(desk.message(name), text).expect("a message");
        }
        hand_over(&desk.mail());
        desk
    }

    fn mail(&self) -> PathBuf {
        let home = self.seat.home();
        home.parent().expect("a folder").join("mail")
    }

    fn message(&self, name: &str) -> PathBuf {
        self.mail().join(format!("{name}.md"))
    }

    fn reply(&self, name: &str) -> PathBuf {
        self.mail().join(format!("{name}.json"))
    }

    fn lies(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.reply(name)).ok()
    }

    fn document(&self, name: &str) -> Value {
        let text = self.lies(name).expect("a reply");
        assert!(text.ends_with("}\n"), "whole: {text}");
        serde_json::from_str(&text).expect("JSON")
    }

    fn words(&self) -> Vec<String> {
        let mut words = vec!["review".to_owned()];
        let path = |path: PathBuf| path.to_string_lossy().into_owned();
        for (name, n) in NAMES.iter().zip(1..) {
            words.extend(["--menu".to_owned(), path(self.message(name))]);
            words.extend(["--reply".to_owned(), path(self.reply(name))]);
            words.push(format!("--sequence={n}"));
        }
        words
    }

    fn open(&self) -> Terminal {
        let words = self.words();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let terminal = Terminal::start(&self.seat.command(&words), 100, 30);
        terminal.shows("opened at");
        terminal
    }

    /// Waits until so many replies are on the disk.
    fn records(&self, count: usize) {
        wait_for("an entry on the disk", || self.recorded() >= count);
        assert_eq!(self.recorded(), count);
    }

    /// Somebody else commits to the branch.
    fn move_head(&self) {
        let mut git = as_other_user("git", &self.mail());
        git.args(["-c", "user.name=x", "-c", "user.email=x@example.org"]);
        git.args(["commit", "-q", "--allow-empty", "-m", "moved"]);
        let done = git.current_dir(self.seat.worktree()).output();
        let done = done.expect("git runs");
        assert!(done.status.success(), "{done:?}");
    }

    fn head(&self) -> String {
        let mut git = as_other_user("git", &self.mail());
        git.args(["rev-parse", "HEAD"]);
        let done = git.current_dir(self.seat.worktree()).output();
        String::from_utf8_lossy(&done.expect("git runs").stdout)
            .trim()
            .to_owned()
    }

    /// Decisions on gate messages that stand in the ledger.
    fn recorded(&self) -> usize {
        let lines = self.seat.ledger();
        let own = |line: &&String| line.contains("\"does\":\"reply\"");
        lines.iter().filter(own).count()
    }
}

fn leave(terminal: &mut Terminal) {
    terminal.press_until("q", "Leave with");
    terminal.keys_until_gone("y");
    terminal.is_as_before();
}

/// The first is picked, the second overruled in words after its closed row was refused, the third
/// is a draft that is sent; each reply lies where its own gate looks for it.
#[test]
fn a_batch_of_three_is_answered_and_each_reply_reaches_its_own_gate() {
    let desk = Desk::new();
    let mut terminal = desk.open();
    terminal.press_until("6", "gate 1 of 3");
    terminal.shows("triage 3 of 3");
    terminal.press_until("r", "picked gate");
    desk.records(1);
    assert!(desk.lies("a").is_none(), "nothing goes out before leaving");
    terminal.keys("n");
    terminal.shows("gate 2 of 3");
    terminal.keys("2");
    terminal.shows("r send 2");
    terminal.press_until("r", "cannot be picked");
    assert_eq!(desk.recorded(), 1, "a refusal records nothing");
    terminal.press_until("b", "In your words to gate");
    terminal.keys("\u{1b}[200~3 is wrong, the list is right\u{1b}[201~");
    terminal.shows("the list is right");
    terminal.press_until("\u{13}", "What goes to");
    terminal.shows("change request");
    terminal.press_until("r", "overruled gate");
    desk.records(2);
    terminal.keys("n");
    terminal.shows("gate 3 of 3");
    terminal.press_until("r", "What goes to");
    terminal.shows("> send it");
    terminal.press_until("r", "answered gate");
    desk.records(3);
    terminal.shows("triage ✓");
    terminal.press_until("q", "3 replies to gate messages go out");
    terminal.keys_until_gone("y");
    terminal.is_as_before();

    let said: Vec<(String, String, u64)> = NAMES
        .iter()
        .map(|name| {
            let value = desk.document(name);
            let text = |field: &str| value[field].as_str().unwrap_or_default().to_owned();
            (
                text("kind"),
                text("text"),
                value["sequence"].as_u64().unwrap_or(0),
            )
        })
        .collect();
    let wanted = [
        ("pick", "3", 1),
        ("change-request", "3 is wrong, the list is right", 2),
        ("token", "send it", 3),
    ];
    for ((kind, text, n), wanted) in said.iter().zip(wanted) {
        assert_eq!((kind.as_str(), text.as_str(), *n), wanted);
    }
    let head = desk.head();
    for (name, text) in NAMES.iter().zip([GOLDEN, CLOSED, DRAFT]) {
        let value = desk.document(name);
        let digest = countersign::model::id::Digest::of(text.as_bytes()).to_string();
        assert_eq!(value["digest"], digest);
        assert_eq!(value["head"], head);
        let entry = value["entry"].as_str().expect("its entry");
        let lines = desk.seat.ledger();
        assert!(lines.iter().any(|line| line.contains(entry)), "{name}");
    }
    assert_eq!(desk.recorded(), 3);
}

/// After the head moved the gate that is open is refused, and what was answered before goes to
/// nobody, though it stays in the ledger.
#[test]
fn after_the_head_moved_no_reply_is_taken_and_none_goes_out() {
    let desk = Desk::new();
    let mut terminal = desk.open();
    terminal.press_until("6", "gate 1 of 3");
    terminal.press_until("r", "picked gate");
    desk.records(1);
    terminal.keys("n");
    terminal.shows("gate 2 of 3");
    desk.move_head();
    terminal.press_until("r", "head moved");
    assert_eq!(desk.recorded(), 1);
    leave(&mut terminal);
    let text = terminal.seen().text();
    assert!(text.contains("nothing was sent"), "{text}");
    for name in NAMES {
        assert!(desk.lies(name).is_none(), "{name}");
    }
    // the head is another: the answer that was recorded for the old one is owed again
    let mut terminal = desk.open();
    terminal.press_until("6", "gate 1 of 3");
    terminal.shows("triage 3 of 3");
    leave(&mut terminal);
    assert!(desk.lies("a").is_none());
}

/// The message under the cursor is replaced: the reply was for what stood there before.
#[test]
fn a_message_that_changed_meanwhile_takes_no_reply() {
    let desk = Desk::new();
    let mut terminal = desk.open();
    terminal.press_until("6", "gate 1 of 3");
    let other = GOLDEN.replace("02:30", "02:45");
    std::fs::write(desk.message("a"), &other).expect("another message");
    terminal.press_until("r", "another one now");
    assert_eq!(desk.recorded(), 0);
    // it is read anew, and answered as what it is now
    terminal.press_until("R", "02:45");
    terminal.press_until("r", "picked gate");
    desk.records(1);
    // and another one comes before the person leaves
    std::fs::write(desk.message("a"), GOLDEN).expect("another message");
    leave(&mut terminal);
    let text = terminal.seen().text();
    assert!(text.contains("nothing was sent"), "{text}");
    assert!(desk.lies("a").is_none());
}

#[test]
fn a_reply_is_taken_back_and_nothing_of_it_goes_out() {
    let desk = Desk::new();
    let mut terminal = desk.open();
    terminal.press_until("6", "gate 1 of 3");
    terminal.press_until("p", "picked gate");
    desk.records(1);
    terminal.shows("3 as a PR");
    terminal.press_until("u", "undone");
    terminal.shows("triage 3 of 3");
    leave(&mut terminal);
    assert!(desk.lies("a").is_none());
    assert_eq!(desk.recorded(), 1, "both entries stay");
}

/// Edge 49. It dies after the entry is on the disk and before the reply is: the next sitting finds
/// the reply in the ledger and delivers it, once.
#[test]
fn a_reply_that_was_recorded_before_a_crash_goes_out_at_the_next_leaving() {
    let desk = Desk::new();
    let mut terminal = desk.open();
    terminal.press_until("6", "gate 1 of 3");
    terminal.press_until("r", "picked gate");
    terminal.shows("recorded as entry");
    terminal.signal(Signal::KILL);
    let _ = terminal.ends();
    assert!(desk.lies("a").is_none());
    let mut terminal = desk.open();
    terminal.press_until("6", "gate 2 of 3");
    terminal.shows("triage 2 of 3");
    leave(&mut terminal);
    assert_eq!(desk.document("a")["text"], "3");
    assert_eq!(desk.recorded(), 1);
    // delivered is delivered: nothing is written again, and nothing is asked there
    let before = desk.lies("a");
    let mut terminal = desk.open();
    terminal.press_until("6", "gate 2 of 3");
    leave(&mut terminal);
    assert_eq!(desk.lies("a"), before);
}

/// Edge 49. It dies as soon as the first reply lies there, before anything was acknowledged: no
/// reply is half, none is written twice, and the rest goes out later.
#[test]
fn a_crash_between_writing_and_acknowledging_sends_nothing_twice() {
    let desk = Desk::new();
    let mut terminal = desk.open();
    terminal.press_until("6", "gate 1 of 3");
    terminal.press_until("r", "picked gate");
    desk.records(1);
    terminal.keys("n");
    terminal.shows("gate 2 of 3");
    terminal.press_until("r", "triage 1 of 3");
    desk.records(2);
    terminal.shows("recorded as entry");
    terminal.press_until("q", "Leave with");
    terminal.keys("y");
    wait_for("the first reply", || desk.lies("a").is_some());
    terminal.signal(Signal::KILL);
    let _ = terminal.ends();
    let first = desk.lies("a").expect("the first reply");
    assert_eq!(desk.document("a")["text"], "3");
    let second = desk.lies("b");
    let mut terminal = desk.open();
    leave(&mut terminal);
    assert_eq!(desk.lies("a").as_deref(), Some(first.as_str()));
    assert_eq!(desk.document("b")["text"], "1");
    if let Some(second) = second {
        assert_eq!(desk.lies("b"), Some(second));
    }
    assert!(desk.lies("c").is_none());
}

/// The person's own keys work on the page.
#[test]
fn remapped_keys_answer_a_gate() {
    let desk = Desk::new();
    let config = desk.seat.home().join("config");
    std::fs::create_dir_all(&config).expect("a folder");
    let keys = "[keys]\nratify = [\"F9\"]\nowed-next = [\"F8\"]\npane-next = [\"F7\"]\n";
    std::fs::write(config.join("config.toml"), keys).expect("a file");
    hand_over(&config);
    let mut terminal = desk.open();
    terminal.press_until("6", "F9 send 3");
    terminal.press_until("\u{1b}[18~", "no linter can");
    terminal.keys("r");
    terminal.press_until("\u{1b}[20~", "picked gate");
    desk.records(1);
    terminal.press_until("\u{1b}[19~", "gate 2 of 3");
    leave(&mut terminal);
}

/// What is wrong with the words of the command line is said at once, and nothing is opened.
#[test]
fn what_cannot_be_asked_is_refused_before_anything_is_drawn() {
    let desk = Desk::new();
    std::fs::write(desk.message("d"), "gauntlet: done approved\n").expect("a message");
    std::fs::write(desk.message("e"), GOLDEN).expect("a message");
    std::fs::write(desk.reply("b"), "{}\n").expect("a file");
    hand_over(&desk.mail());
    let path = |name: &str| desk.message(name).to_string_lossy().into_owned();
    let taken = desk.reply("b").to_string_lossy().into_owned();
    let run = |words: &[&str]| {
        let done = desk.seat.command(words).output().expect("it runs");
        let says = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(2), "{words:?}: {says}");
        says
    };
    let (a, b, d, e, f) = (path("a"), path("b"), path("d"), path("e"), path("f"));
    let says = run(&[
        "review", "--plain", "--menu", &a, "--menu", &d, "--menu", &e, "--menu", &f,
    ]);
    for wanted in ["nothing is asked in", "named before", "f.md"] {
        assert!(says.contains(wanted), "{wanted}: {says}");
    }
    let says = run(&["review", "--plain", "--menu", &b, "--reply", &taken]);
    assert!(says.contains("is no reply to"), "{says}");
    let says = run(&[
        "review", "--plain", "--menu", &a, "--menu", &b, "--reply", &taken,
    ]);
    assert!(says.contains("one for each"), "{says}");
    run(&["review", "--plain", "--reply", &taken]);
}
