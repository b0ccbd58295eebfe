//! Searching the focused part. Scenes find the hits, here they are walked.

use super::super::command::Command;
use super::super::state::{Focus, Mode, State};
use super::super::walk;
use super::{moves, note, rows};

/// A command inside the search field.
pub(super) fn command(state: &mut State, command: Command) {
    let Mode::Search(field) = &mut state.mode else {
        return;
    };
    match command {
        Command::SearchDone => {
            let words = field.0.lines().join(" ");
            if std::mem::take(&mut state.nav.narrowing) {
                state.mode = Mode::Browse;
                return match words.trim() {
                    "" => state.say("every row is shown"),
                    words => rows::narrow(state, words),
                };
            }
            if words.trim().is_empty() {
                state.mode = Mode::Browse;
                return;
            }
            state.nav.searched.retain(|older| *older != words);
            state.nav.searched.push(words.clone());
            state.mode = Mode::Matches {
                words,
                hits: Vec::new(),
                at: 0,
            };
        }
        Command::SearchOlder => {
            let typed = field.0.lines().join(" ");
            let here = state
                .nav
                .searched
                .iter()
                .rposition(|words| *words == typed)
                .unwrap_or(state.nav.searched.len());
            if let Some(words) = here
                .checked_sub(1)
                .and_then(|at| state.nav.searched.get(at))
            {
                field.0 = note::field(words);
            }
        }
        _ => {
            state.nav.narrowing = false;
            state.mode = Mode::Browse;
            if let Some((part, row)) = state.nav.before_search.take()
                && part == state.nav.focus
            {
                state.nav.cursor = row;
            }
        }
    }
}

/// `n` and `N` while a search is shown.
pub(super) fn hit(state: &mut State, forward: bool) {
    let Mode::Matches { hits, at, words } = &mut state.mode else {
        return;
    };
    if hits.is_empty() {
        let says = format!(
            "no row holds \"{}\"",
            crate::model::text::Shown::ours(words)
        );
        return state.say(says);
    }
    *at = if forward {
        (*at + 1) % hits.len()
    } else {
        (*at + hits.len() - 1) % hits.len()
    };
    let Some(row) = hits.get(*at).copied() else {
        return;
    };
    go_to_hit(state, row);
}

/// A hit of the list selects its row, a hit elsewhere takes the cursor there.
pub(super) fn go_to_hit(state: &mut State, row: usize) {
    if state.nav.focus == Focus::List {
        if let Some(row) = walk::row_at(state, row) {
            moves::point(state, row);
        }
    } else {
        moves::put(state, row);
    }
}
