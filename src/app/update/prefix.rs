//! The key after `o`, `M` or `'`: a page, a mark, a jump.

use super::super::command::Command;
use super::super::effect::Effect;
use super::super::key::Key;
use super::super::state::{Mode, State};
use super::super::walk;
use super::{keys, moves};

/// The key after `o`, `M` or `'`.
pub(super) fn key(
    state: &mut State,
    prefix: char,
    key: Key,
    command: Option<Command>,
    fx: &mut Vec<Effect>,
) {
    state.mode = Mode::Browse;
    match (prefix, command) {
        (_, Some(command @ (Command::Quit | Command::Redraw | Command::Suspend))) => {
            keys::always(state, command, fx);
        }
        ('o', Some(Command::GoOut)) => {}
        ('o', Some(command)) => keys::browse(state, command, fx),
        ('o', None) => state.say(format!("{key} opens nothing · o and a letter of the list")),
        (_, _) => letter(state, prefix, key),
    }
}

fn letter(state: &mut State, prefix: char, key: Key) {
    let Some(letter) = key.typed() else {
        return state.say("no mark: a letter is needed");
    };
    if prefix == 'M' {
        if let Some(row) = state.nav.selected.clone() {
            state.say(format!("mark {letter} set on {}", walk::row_name(&row)));
            state.nav.marks.insert(letter, row);
        }
    } else {
        match state.nav.marks.get(&letter).cloned() {
            Some(row) => moves::jump(state, row),
            None => state.say(format!("no mark {letter}")),
        }
    }
}
