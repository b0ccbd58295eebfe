//! Carry-over in lines: nothing by itself, what changed first, one by one or all, and nothing to
//! ask when the branch is forced back to what was judged.

use super::{Talk, kinds};
use crate::pty::seat::Seat;

fn git(seat: &Seat, place: &str, words: &[&str]) -> String {
    let before = ["-c", "safe.directory=*", "-c", "core.hooksPath=/dev/null"];
    let all: Vec<&str> = before.iter().chain(words).copied().collect();
    crate::git::repo::run(&seat.worktree().join("..").join(place), &all)
}

/// The base gets a commit that touches a file of nobody, and the branch is put on top of it.
fn rebased(seat: &Seat) {
    let base = seat.worktree().join("../ferry");
    std::fs::write(base.join("NOTES.md"), "The quay is closed on Mondays.\n").expect("written");
    git(seat, "ferry", &["add", "NOTES.md"]);
    git(seat, "ferry", &["commit", "-q", "-m", "notes"]);
    let moved = ["update-ref", "refs/remotes/origin/main", "main"];
    git(seat, "ferry", &moved);
    git(seat, "ferry-42", &["rebase", "-q", "main"]);
}

/// The lines as one, without the numbers that rows of a page begin with.
fn flat(text: &str) -> String {
    let number = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
    let words = text.lines().flat_map(|line| {
        let mut words = line.split_whitespace().peekable();
        words.next_if(number);
        words
    });
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn after_a_rebase_decisions_are_offered_and_forced_back_they_hold() {
    let seat = Seat::new();
    let judged = git(&seat, "ferry-42", &["rev-parse", "HEAD"]);
    let base = git(&seat, "ferry", &["rev-parse", "main"]);
    let mut talk = Talk::open(&seat);
    talk.says("carry", "nothing to carry over");
    drop(talk.types("7"));
    drop(talk.types("n"));
    drop(talk.types("edit:7"));
    talk.affirms("r 7", "acknowledged the edit of 7");
    drop(talk.types("1"));
    talk.affirms("r 1", "ratified 1 on run");
    drop(talk.types("3"));
    talk.says("p 3 1", "picked 1");
    talk.affirms("r 3", "ratified 3 on 1 picked piece");
    drop(talk.types("2"));
    talk.writes(&["b 2", "1", "Repeat the hour.", "."], "kicked back 2");

    rebased(&seat);
    talk.told("Closed: the head moved");
    talk.says("F5", "decisions for the old one are stale");
    talk.says("1", "criterion 1, stale");
    talk.says("carry all", "carry alone shows what changed first");
    let page = flat(&talk.types("carry"));
    let inside = [
        "GONE FIRST nothing was removed, nothing was dropped",
        "RANGE-DIFF 1: ",
        "FILES each adds and removes the same lines",
        "1 file changed: NOTES.md",
        "1 ratified by",
        "its run may have read what changed",
        "3 ratified by",
        "2 kicked back by",
        "3 entries, carried from",
    ];
    for words in inside {
        assert!(page.contains(words), "{words}: {page}");
    }
    let at = |words: &str| page.find(words).expect("there");
    assert!(
        at("GONE FIRST") < at("RANGE-DIFF") && at("RANGE-DIFF") < at("3 ratified"),
        "{page}"
    );
    talk.says("carry 1", "1 is not among what can be carried over");
    assert_eq!(kinds(&seat, "carry"), 0, "nothing by itself");

    // One by name, then all that is left.
    drop(talk.types("carry"));
    talk.says("carry 3", "1 decision carried over · 3 stay stale");
    talk.says("3", "criterion 3, carried");
    assert_eq!(kinds(&seat, "carry"), 1);
    drop(talk.types("carry"));
    talk.says("carry all", "2 decisions carried over · 1 stay stale");
    talk.says("2", "criterion 2, kicked back");
    let carries = seat.ledger();
    let carries = carries
        .iter()
        .filter(|line| line.contains("\"kind\":\"carry\""));
    for line in carries {
        assert!(line.contains("\"carried_from\":{\"entry\":\""), "{line}");
        assert!(line.contains(&format!("\"head\":\"{judged}\"")), "{line}");
    }

    // The oracle runs on the new tree: now its decision may be taken over as well.
    drop(talk.types("1"));
    drop(talk.types("x 1"));
    drop(talk.types("trust 1"));
    talk.told("told: 1 passes");
    let page = flat(&talk.types("carry"));
    assert!(page.contains("passed on this tree"), "{page}");
    talk.says("carry all", "1 decision carried over");
    talk.says("1", "criterion 1, carried");
    talk.says("u", "undone");
    talk.says("1", "criterion 1, passing");
    drop(talk);

    // A session that begins later says it before anything else; the log names where it comes from.
    let mut talk = Talk::open(&seat);
    let greeting = flat(&talk.text());
    assert!(
        greeting.contains("for an earlier head can be carried over"),
        "{greeting}"
    );
    drop(talk.types("q"));
    drop(talk);
    let log = seat.command(&["ledger", "log"]).output().expect("it runs");
    let log = String::from_utf8_lossy(&log.stdout).into_owned();
    assert!(log.contains("  carry "), "{log}");
    let verify = seat
        .command(&["ledger", "verify"])
        .output()
        .expect("it runs");
    assert_eq!(verify.status.code(), Some(0), "{verify:?}");

    // Forced back to what was judged: everything holds, and nobody is asked.
    git(&seat, "ferry-42", &["reset", "-q", "--hard", &judged]);
    git(
        &seat,
        "ferry",
        &["update-ref", "refs/remotes/origin/main", &base],
    );
    let mut talk = Talk::open(&seat);
    let greeting = flat(&talk.text());
    assert!(!greeting.contains("carried over"), "{greeting}");
    talk.says("1", "criterion 1, ratified");
    talk.says("2", "criterion 2, kicked back");
    talk.says("carry", "nothing to carry over");
}
