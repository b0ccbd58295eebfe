//! Paste is text for text fields and nothing anywhere else: it never acts as keys (TUI-8).

use super::super::command::Command;
use super::super::effect::Effect;
use super::super::state::{Mode, State};
use super::note;

/// Most characters that a search or the palette takes from a paste.
const LINE: usize = 200;

/// A bracketed paste.
pub(super) fn paste(state: &mut State, text: &str, fx: &mut Vec<Effect>) {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let count = text.chars().count();
    match &mut state.mode {
        Mode::Note(note) if !note.on_cause => {
            let at = note.at;
            let room = crate::gate::decide::TEXT_LIMIT.saturating_sub(
                note.fields
                    .get(at)
                    .map_or(0, |(_, area)| note::text_of(area).len()),
            );
            let kept = within(&text, room);
            if let Some((_, area)) = note.fields.get_mut(at) {
                area.insert_str(kept);
            }
            let cut = kept.len() < text.len();
            note::changed(state, fx);
            said(state, count, cut);
        }
        Mode::SignOne(sign) if sign.at == 1 => {
            let room =
                crate::gate::decide::TEXT_LIMIT.saturating_sub(note::text_of(&sign.attack).len());
            let kept = within(&text, room);
            sign.attack.insert_str(kept);
            let cut = kept.len() < text.len();
            super::sign::changed(state, fx);
            said(state, count, cut);
        }
        Mode::Search(field) => {
            field.0.insert_str(first_line(&text));
        }
        Mode::Palette(palette) => {
            palette.input.insert_str(first_line(&text));
            palette.at = 0;
        }
        Mode::SignTwo(_) => {
            state.refuse(format!(
                "Paste refused, {count} characters: type the characters of the head."
            ));
        }
        Mode::Prefix(_) => {
            state.mode = Mode::Browse;
            ignored(state, count);
        }
        Mode::Browse
        | Mode::Matches { .. }
        | Mode::Note(_)
        | Mode::Picker(_)
        | Mode::Rulings(_)
        | Mode::Contracts(_)
        | Mode::Formats(_)
        | Mode::Confirm(_)
        | Mode::Trust(_)
        | Mode::Carry(_)
        | Mode::SignEdits(_)
        | Mode::SignOne(_)
        | Mode::Help(_)
        | Mode::Inspect(_) => ignored(state, count),
    }
}

fn ignored(state: &mut State, count: usize) {
    let key = state.keys.shown(Command::KickBack);
    state.refuse(format!(
        "Paste ignored, {count} characters: keys decide, pastes do not. {key} opens a note."
    ));
}

fn said(state: &mut State, count: usize, cut: bool) {
    if cut {
        state.refuse(format!("pasted {count} characters, cut at 64 KiB"));
    } else {
        state.say(format!("pasted {count} characters"));
    }
}

fn first_line(text: &str) -> String {
    text.lines()
        .next()
        .unwrap_or("")
        .chars()
        .take(LINE)
        .collect()
}

fn within(text: &str, room: usize) -> &str {
    let mut end = text.len().min(room);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or("")
}
