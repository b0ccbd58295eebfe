//! One sitting over open chains on a real terminal: one is closed by a line, a declared one is left
//! open, one goes back with its prescription, and the ruling and the ledger hold all three.

use serde_json::Value;

use super::Terminal;
use crate::git::repo::Repo;
use crate::plain::chains::{audited, dock, ruling};
use crate::support::countersign_as_other_user;

fn command(repo: &Repo, words: &[&str]) -> std::process::Command {
    let mut command = countersign_as_other_user(repo.home());
    command
        .args(words)
        .env("COUNTERSIGN_HOME", repo.home().join("own"))
        .current_dir(&repo.top);
    command
}

/// Goes to the first chain that is owed, which is the one to this callee, and reads its card.
fn reads(terminal: &mut Terminal, callee: &str) {
    terminal.press_until("4", &format!("─ dock-plan → {callee} ─"));
    terminal.press_until("\r", &format!("━ dock-plan → {callee} ━"));
    terminal.press_until("\r", "r open: mark CLOSED");
}

#[test]
fn a_sitting_closes_leaves_open_sends_back_and_rules() {
    let repo = dock();
    let mut terminal = Terminal::start(
        &command(&repo, &["review", "--contract", "contract.md"]),
        160,
        45,
    );
    terminal.shows("opened at");
    terminal.shows("dock-plan → berth-audit");
    terminal.shows("chains FAIL");

    reads(&mut terminal, "berth-audit");
    terminal.press_until("r", "the line that shows it: FILE:LINE");
    // the line that comes near is proposed; a person may write another one
    terminal.shows("│ skills/dock-plan/SKILL.md:13");
    terminal.press_until("\u{13}", "marked closed dock-plan → berth-audit");

    reads(&mut terminal, "ship-note");
    terminal.press_until("b", "your words for the agent");
    terminal.shows("Returns verdict to dock-plan");
    terminal.press_until("\u{13}", "kicked back dock-plan → ship-note");

    reads(&mut terminal, "log-keeper");
    terminal.press_until("a", "why it stays open");
    for key in "The log is for people.".chars() {
        terminal.keys(&key.to_string());
    }
    terminal.shows("The log is for people.");
    terminal.press_until("\u{13}", "accepted open dock-plan → log-keeper");

    terminal.press_until("S", "Sign off, 1 of 2");
    terminal.shows("1 marked closed, 1 kicked back, 1 accepted open");
    for key in "a note that nobody waits for".chars() {
        terminal.keys(&key.to_string());
    }
    terminal.shows("a note that nobody waits for");
    terminal.press_until("\u{13}", "Sign off, 2 of 2");
    let head = std::fs::read_to_string(repo.top.join(".git/refs/heads/change"));
    let head = head.expect("a ref");
    let head: String = head.trim().chars().take(6).collect();
    for typed in 1..=head.len() {
        let typed = head.get(..typed).unwrap_or_default();
        terminal.keys(typed.get(typed.len() - 1..).unwrap_or_default());
        terminal.shows(&format!("head  {typed}▏"));
    }
    terminal.press_until("\r", "a correction is a new ruling, and this one stays");
    terminal.keys_until_gone("q");
    let code = terminal.ends();
    assert_eq!(code, 3, "{}", terminal.seen().text());

    // every word of it is in the ledger, and comes back out
    let done = command(&repo, &["ledger", "verify"]).output();
    let done = done.expect("it runs");
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(done.status.success(), "{text}");
    let after: Value = audited(&repo);
    let berth = ruling(&after, "berth-audit");
    assert_eq!(berth["kind"], "closed");
    assert_eq!(berth["ref"], "skills/dock-plan/SKILL.md:13");
    assert_eq!(ruling(&after, "log-keeper")["kind"], "left-open");
    assert_eq!(ruling(&after, "ship-note")["kind"], "kicked-back");
    let out = command(&repo, &["ledger", "export"]).output();
    let export = String::from_utf8_lossy(&out.expect("it runs").stdout).into_owned();
    for said in [
        "The log is for people.",
        "Returns verdict to dock-plan",
        "a note that nobody waits for",
    ] {
        assert!(export.contains(said), "no {said} in\n{export}");
    }
}
