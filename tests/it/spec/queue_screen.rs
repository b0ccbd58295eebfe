//! The queue screen on a real terminal, over three repositories: one verdict is ratified, one is
//! kicked back, one moves under the hands and is refused.

use countersign::model::id::Digest;

use super::queue::{PLAIN, asserted, grown};
use crate::git::repo::Repo;
use crate::pty::Terminal;
use crate::support::countersign;

const SPEC: &str = ".agents/specs/harbor/spec.md";

fn text(repo: &Repo, path: &str) -> String {
    std::fs::read_to_string(repo.top.join(path)).expect("read")
}

/// What has to be typed to confirm an edit of the document as it is.
fn challenge(repo: &Repo) -> String {
    Digest::of(text(repo, SPEC).as_bytes()).to_string()[..6].to_owned()
}

/// Types a challenge key by key, each once the one before is on the screen.
fn confirm(terminal: &mut Terminal, wanted: &str) {
    terminal.shows(&format!("type {wanted}"));
    for (at, key) in wanted.char_indices() {
        let so_far = format!("> {}", &wanted[..=at]);
        terminal.press_until(&key.to_string(), &so_far);
    }
}

#[test]
fn three_repositories_are_worked_through_and_what_moved_is_refused() {
    let narrowed = asserted(PLAIN, &PLAIN.replace("a boat", "a ship"));
    let mut clear = [asserted(PLAIN, &grown()), asserted(PLAIN, &grown())];
    // equal risks stand in the order of their places
    clear.sort_by(|a, b| a.top.cmp(&b.top));
    let [first, second] = &clear;
    std::fs::write(
        narrowed.home().join(".gitconfig"),
        "[user]\n\tname = Ada Osei\n",
    )
    .expect("written");
    let mut command = countersign(narrowed.home());
    command
        .arg("queue")
        .args([&first.top, &second.top, &narrowed.top])
        .current_dir(&narrowed.top);
    let mut terminal = Terminal::start(&command, 100, 40);
    terminal.shows("3 in 3 worktrees");
    terminal.shows("narrowing, frozen suite");

    // the riskiest first: nothing is decided on what was not opened
    terminal.press_until("r", "Locked: it was not opened");
    terminal.press_until("\r", "~1 -0");
    terminal.press_until("G", "kick back: open");
    terminal.shows("r closed: Clearance");
    terminal.press_until("r", "Closed: Clearance");
    terminal.press_until("g", "CR  c7");
    terminal.press_until("b", "Kick back: cause");
    terminal.press_until("\t", "\u{25b8} coverage-gap");
    terminal.keys("who asked for a ship");
    terminal.shows("who asked for a ship");
    terminal.press_until("\u{13}", "Kick back: what is written");
    confirm(&mut terminal, &challenge(&narrowed));
    terminal.press_until("\r", "Kicked back. n goes to the next");
    terminal.shows("the state is legal");
    assert!(text(&narrowed, SPEC).starts_with("---\nstatus: draft # now\n---\n"));

    // the second is ratified: only `by` moves
    let before = text(first, SPEC);
    terminal.press_until("n", "Enter opens it");
    terminal.press_until("\r", "+1 ~0 -0");
    terminal.press_until("G", "why  confidence: high");
    terminal.shows("r open");
    terminal.press_until("r", "Ratify: what is written");
    terminal.shows("+     by: Ada Osei");
    // a paste confirms nothing
    terminal.keys("\u{1b}[200~000000\u{1b}[201~");
    terminal.shows("A paste confirms nothing");
    confirm(&mut terminal, &challenge(first));
    terminal.press_until("\r", "Ratified. n goes to the next");
    let after = before.replace("by: agent", "by: Ada Osei");
    assert_eq!(text(first, SPEC), after);

    // the third moves between the look and the key: its suite, not its document
    terminal.press_until("n", "Enter opens it");
    terminal.shows("1 in 3 worktrees");
    terminal.press_until("\r", "+1 ~0 -0");
    terminal.press_until("G", "why  confidence: high");
    terminal.shows("r open");
    let untouched = text(second, SPEC);
    let suite = ".agents/specs/harbor/n/n.feature";
    second.write(suite, PLAIN.replace("a boat", "a raft"));
    terminal.keys("r");
    terminal.shows("Refused: what it rests on moved");
    terminal.press_until("r", "Locked: it was not opened");
    // what is there now is another edit, and closed
    terminal.press_until("\r", "~1 -0");
    terminal.press_until("G", "kick back: open");
    terminal.shows("r closed: Clearance");
    terminal.press_until("\u{1b}", "n next");
    assert_eq!(text(second, SPEC), untouched);
    assert_eq!(
        std::fs::read_dir(second.top.join(".agents/specs/harbor/ledger"))
            .expect("a folder")
            .count(),
        1
    );
    terminal.keys_until_gone("q");
    assert_eq!(terminal.ends(), 3);
    terminal.is_as_before();
}

#[test]
fn the_document_that_moves_between_question_and_answer_is_not_written() {
    let repo = asserted(PLAIN, &grown());
    std::fs::write(
        repo.home().join(".gitconfig"),
        "[user]\n\tname = Ada Osei\n",
    )
    .expect("written");
    let mut command = countersign(repo.home());
    command.args(["spec", "queue", "."]).current_dir(&repo.top);
    let mut terminal = Terminal::start(&command, 100, 40);
    terminal.shows("1 in 1 worktree");
    terminal.press_until("\r", "+1 ~0 -0");
    terminal.press_until("G", "why  confidence: high");
    terminal.shows("r open");
    terminal.press_until("r", "Ratify: what is written");
    confirm(&mut terminal, &challenge(&repo));
    let moved = format!("{}\nOne more word.\n", text(&repo, SPEC));
    repo.write(SPEC, &moved);
    terminal.keys("\r");
    terminal.shows("Refused: what it rests on moved");
    assert_eq!(text(&repo, SPEC), moved);
    terminal.keys_until_gone("q");
    assert_eq!(terminal.ends(), 3);
}

#[test]
fn an_assertion_in_a_ledger_opens_its_session_and_comes_back() {
    let repo = asserted(PLAIN, PLAIN);
    std::fs::write(
        repo.home().join(".gitconfig"),
        "[user]\n\tname = Ada Osei\n",
    )
    .expect("written");
    let done = countersign(repo.home())
        .args(["assert", "--gate", "verify", "--subject", "the change"])
        .args(["--verdict", "APPROVED", "--why", "all tests pass"])
        .current_dir(&repo.top)
        .output()
        .expect("it runs");
    assert!(done.status.success(), "{done:?}");
    let mut command = countersign(repo.home());
    command
        .args(["queue", "--gate", "verify", "."])
        .current_dir(&repo.top);
    let mut terminal = Terminal::start(&command, 100, 30);
    terminal.shows("verify APPROVED: the change");
    terminal.press_until("\r", "opened at");
    terminal.press_until("q", "leave");
    terminal.press_until("y", "asserted by agents, waiting for a person");
    terminal.keys_until_gone("q");
    assert_eq!(terminal.ends(), 3);
    terminal.is_as_before();
}

#[test]
fn a_session_shows_the_digest_above_the_report_and_changed_scenarios() {
    let repo = asserted(PLAIN, &PLAIN.replace("a boat", "a ship"));
    let mut command = countersign(repo.home());
    command.args(["review", "."]).current_dir(&repo.top);
    let mut terminal = Terminal::start(&command, 120, 60);
    terminal.shows("5 shows the digest");
    terminal.press_until("5", "kick back: open");
    terminal.shows("n.feature  by scenario");
    let text = terminal.seen().text();
    let at = |words: &str| {
        text.find(words)
            .unwrap_or_else(|| panic!("no {words} in {text}"))
    };
    assert!(at("CR  c7") < at("Key decisions") && at("agent-asserted") < at("lens oracle: PASS"));
    assert!(at("- Given a boat") < at("+ Given a ship"));
    assert!(text.contains("approve and ratify: closed"), "{text}");
    assert!(text.contains("spec ESCALATE"), "{text}");
    // read anew at each opening
    repo.write(
        ".agents/specs/harbor/n/n.feature",
        PLAIN.replace("a boat", "a raft"),
    );
    terminal.press_until("\u{1b}", "5 shows the digest");
    terminal.press_until("5", "+ Given a raft");
    // the text of the suite, and back to where it was opened from
    terminal.press_until("\r", "@@");
    terminal.shows("n.feature");
    terminal.press_until("\u{1b}", "n.feature  by scenario");
}

#[test]
fn a_session_without_specs_says_that_the_gate_does_not_apply() {
    let repo = Repo::with_change();
    repo.write("a.txt", "a\n");
    repo.commit("a");
    let mut command = countersign(repo.home());
    command.args(["review", "."]).current_dir(&repo.top);
    let mut terminal = Terminal::start(&command, 100, 30);
    terminal.shows("opened at");
    terminal.press_until("5", "does not apply: the change touches no spec tree");
}
