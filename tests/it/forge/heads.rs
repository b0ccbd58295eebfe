//! A request whose head on the forge is not what lies here: nothing is decided (FRG-11).

use super::world::World;
use crate::pty::Terminal;

/// The forge names a head that its git does not hand over.
fn elsewhere() -> World {
    let world = World::new();
    world.person();
    world.pull.lock().expect("the request").head = "a".repeat(40);
    world
}

#[test]
#[cfg_attr(no_gh, ignore = "gh is missing")]
fn the_session_says_so_and_neither_ratifies_nor_signs() {
    let world = elsewhere();
    for key in ["S", "r"] {
        let command = world.command(&["review", "128"]);
        let mut terminal = Terminal::start(&command, 160, 45);
        terminal.shows("FORGE  the forge's head is aaaaaaa, this is ");
        terminal.shows("opened at");
        terminal.press_until(key, "Closed: the forge's head is aaaaaaa");
        terminal.press_until("q", "undecided");
        terminal.keys("y");
        terminal.ends();
    }
    let lines = world.ledger();
    let decided = |line: &&String| line.contains("\"decision\"") || line.contains("\"ruling\"");
    assert_eq!(lines.iter().filter(decided).count(), 0, "{lines:#?}");
}

#[test]
#[cfg_attr(no_gh, ignore = "gh is missing")]
fn the_session_in_lines_says_so_too() {
    let world = elsewhere();
    let command = world.command(&["review", "128", "--plain"]);
    let mut terminal = Terminal::start(&command, 160, 45);
    terminal.shows("forge: the forge's head is aaaaaaa");
    terminal.shows("> ");
    terminal.keys("S\n");
    terminal.shows("Closed: the forge's head is aaaaaaa");
    let waits = |text: &str| text.trim_end().ends_with("\n>");
    drop(terminal.until("a prompt", |seen| waits(&seen.text())));
    terminal.keys("q\n");
    terminal.shows("leave with");
    terminal.keys("y\n");
    terminal.ends();
}
