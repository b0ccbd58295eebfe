//! Hurried hands: pastes, held keys, hostile content, the editor (T7, T9, O1, O2).

use std::time::Duration;

use super::seat::Seat;
use super::{Terminal, wait_for};

#[test]
fn a_pasted_word_decides_nothing() {
    let seat = Seat::new();
    let before = seat.ledger();
    let mut terminal = seat.open();
    terminal.keys("\u{1b}[200~rbaxSq\n\u{1b}[201~");
    terminal.shows("Paste ignored, 7 characters");
    terminal.keys("q");
    terminal.shows("y leave undecided");
    terminal.keys_until_gone("y");
    assert_eq!(terminal.ends(), 5);
    assert_eq!(seat.ledger(), before);
}

#[test]
fn a_held_ratify_decides_at_most_once() {
    let seat = Seat::new();
    let mut terminal = Terminal::start(&seat.command(&["review"]), 160, 45);
    terminal.shows("r open: judge as at base");
    for _ in 0..40 {
        terminal.keys("r");
        std::thread::sleep(Duration::from_millis(15));
    }
    terminal.shows("9 owed");
    let decisions = seat
        .ledger()
        .iter()
        .filter(|l| l.contains("\"kind\":\"decision\""))
        .count();
    assert_eq!(decisions, 1);
}

#[test]
fn half_a_sequence_holds_up_nothing() {
    let seat = Seat::new();
    let mut terminal = seat.open();
    for half in ["\u{1b}[", "\u{1b}]", "\u{1b}P", "\u{1b}O"] {
        terminal.keys(half);
        // what is typed at once belongs to the sequence; the terminal is drawn in any case
        terminal.press_until("q", "y leave undecided");
        terminal.keys("\u{1b}");
        drop(terminal.until("the question is gone", |seen| {
            !seen.text().contains("y leave undecided")
        }));
    }
}

#[test]
fn without_color_nothing_is_reset_in_the_middle_of_a_line() {
    let seat = Seat::new();
    let mut command = seat.command(&["review"]);
    command.env("NO_COLOR", "1");
    let mut terminal = Terminal::start(&command, 100, 30);
    super::seat::wait_until_read(&terminal);
    terminal.keys("jjj");
    terminal.press_until("q", "y leave undecided");
    let seen = terminal.seen();
    let all = String::from_utf8_lossy(&seen.bytes);
    for bad in ["\u{1b}[m", "\u{1b}[;m", "\u{1b}[38;", "\u{1b}[48;"] {
        assert!(!all.contains(bad), "{bad:?}");
    }
}

#[test]
fn nothing_is_asked_of_the_terminal_and_no_osc_is_sent() {
    let seat = Seat::new();
    let mut terminal = seat.open();
    for key in [
        "j", "n", "n", "\r", "G", "\u{1b}", "v", "\u{1b}", "?", "\u{1b}",
    ] {
        terminal.keys(key);
    }
    terminal.press_until("q", "y leave undecided");
    terminal.keys_until_gone("y");
    let seen = terminal.seen();
    let all = String::from_utf8_lossy(&seen.bytes);
    for bad in [
        "\u{1b}]",
        "\u{1b}P",
        "\u{1b}[6n",
        "\u{1b}[c",
        "\u{1b}[>",
        "\u{9d}",
    ] {
        assert!(!all.contains(bad), "{bad:?}");
    }
}

#[test]
fn the_editor_gets_the_terminal_twenty_times_and_every_key_its_owner() {
    let seat = Seat::new();
    let editor = seat.home().with_extension("editor");
    let script = "#!/bin/sh\nprintf 'EDITOR READY\\n'\nread line\nprintf '%s' \"$line\" >\"$1\"\n";
    std::fs::write(&editor, script).expect("an editor");
    let mut command = seat.command(&["review"]);
    command.env("VISUAL", format!("/bin/sh {}", editor.display()));
    let mut terminal = Terminal::start(&command, 100, 30);
    super::seat::wait_until_read(&terminal);
    terminal.keys("b");
    terminal.shows("Ctrl-s kick back");
    for round in 0..20 {
        terminal.keys("\u{5}");
        terminal.shows("EDITOR READY");
        terminal.keys(&format!("words {round}\n"));
        terminal.shows("Ctrl-s kick back");
        terminal.keys("!");
        let wanted = format!("words {round}!");
        wait_for("the key after the editor", || {
            seat.drafts().contains(&wanted)
        });
    }
}

/// A program named like the editor, or a settings file of one, that lies in the change.
#[test]
fn the_editor_for_a_text_stands_away_from_the_worktree() {
    let seat = Seat::new();
    let editor = seat.home().with_extension("editor");
    let script = "#!/bin/sh\nprintf 'EDITOR AT %s.\\n' \"$(pwd)\"\nread line\n";
    std::fs::write(&editor, script).expect("an editor");
    let mut command = seat.command(&["review"]);
    command.env("VISUAL", format!("/bin/sh {}", editor.display()));
    let mut terminal = Terminal::start(&command, 160, 30);
    super::seat::wait_until_read(&terminal);
    terminal.keys("b");
    terminal.shows("Ctrl-s kick back");
    terminal.keys("\u{5}");
    terminal.shows("/editing.");
    terminal.keys("\n");
    terminal.shows("Ctrl-s kick back");
}

#[test]
fn the_editor_opens_the_persons_copy_away_from_the_worktree() {
    let seat = Seat::new();
    let editor = seat.home().with_extension("vim");
    let script = "#!/bin/sh\nprintf 'EDITOR %s %s %s\\n' \"$1\" \"$2\" \"$(pwd)\"\nread line\n";
    std::fs::write(&editor, script).expect("an editor");
    let bin = seat.home().with_extension("bin");
    std::fs::create_dir(&bin).expect("a folder");
    std::fs::rename(&editor, bin.join("vim")).expect("moved");
    let mut command = seat.command(&["review"]);
    command.env("VISUAL", format!("/bin/sh {}", bin.join("vim").display()));
    let mut terminal = Terminal::start(&command, 160, 45);
    super::seat::wait_until_read(&terminal);
    terminal.keys("o");
    terminal.shows("one key, Esc cancels");
    terminal.keys("f");
    terminal.shows("▸≠M");
    terminal.keys("e");
    terminal.shows("EDITOR ");
    let seen = terminal.seen().text();
    let line = seen
        .lines()
        .find(|line| line.contains("EDITOR "))
        .expect("a line");
    assert!(line.contains("/ferry-42/"), "{line}");
    assert!(
        line.trim_end().ends_with("/editing"),
        "not in the worktree: {line}"
    );
    terminal.keys("\n");
    terminal.shows("what is judged stays the head's");
}

#[test]
fn what_an_agent_asserted_stands_in_the_list_and_is_ruled_on_the_screen() {
    let seat = Seat::new();
    seat.asserts("criterion 1");
    seat.asserts("all criteria");
    let mut terminal = Terminal::start(&seat.command(&["review"]), 160, 45);
    terminal.shows("5 Asserted by agents");
    terminal.shows("12 owed");
    let claims = |seen: &super::Seen| {
        let text = seen.text();
        let of = |subject: &str| text.contains(&format!("verify APPROVED for {subject}"));
        of("criterion 1") && of("all criteria")
    };
    drop(terminal.until("both claims stand in the list", claims));
    terminal.keys("5");
    terminal.shows("An agent gave itself this verdict. It is a claim, no decision.");
    terminal.shows("r open: ratify");
    terminal.keys("r");
    terminal.shows("ratified assertion");
    terminal.keys("n");
    terminal.shows("SUBJECT      all criteria");
    terminal.shows("r open: ratify");
    terminal.keys("b");
    terminal.shows("Ctrl-s kick back");
    for letter in "It proves nothing.".chars() {
        terminal.keys(&letter.to_string());
    }
    terminal.shows("It proves nothing.");
    terminal.keys("\u{13}");
    terminal.shows("kicked back assertion");
    terminal.shows("10 owed");
    let decisions = seat.ledger();
    let decisions = decisions
        .iter()
        .filter(|line| line.contains("\"kind\":\"decision\""));
    let about: Vec<_> = decisions
        .filter(|line| line.contains("\"assertion\":"))
        .collect();
    assert_eq!(about.len(), 2);
    let said = seat.command(&["queue"]).output().expect("it runs");
    assert_eq!(said.status.code(), Some(0), "{said:?}");
}
