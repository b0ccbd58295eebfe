//! Which rows the list shows and in what order: filter, sorting, and the chains as a tree.

use crate::gate::dossier::Subject;
use crate::model::text::{Foreign, Place};

use super::super::command::Command;
use super::super::state::{Field, Filter, Focus, Mode, State};
use super::super::walk;
use super::moves::focus;
use super::note;

/// `f`: what is owed, then what holds a word, then all again.
pub(super) fn filter(state: &mut State) {
    match state.nav.filter {
        Filter::All => {
            state.nav.filter = Filter::Owed;
            let (hidden, key) = (walk::hidden(state), state.keys.shown(Command::Filter));
            state.say(format!(
                "{hidden} more rows hidden by the filter \"owed\" · {key} asks for a word"
            ));
        }
        Filter::Owed => {
            focus(state, Focus::List);
            state.nav.filter = Filter::All;
            state.nav.narrowing = true;
            state.mode = Mode::Search(Box::new(Field(note::field(""))));
            state.say("type what the rows have to hold");
        }
        Filter::Words(_) => {
            state.nav.filter = Filter::All;
            state.say("every row is shown");
        }
    }
}

/// Only rows that hold these words.
pub(super) fn narrow(state: &mut State, words: &str) {
    focus(state, Focus::List);
    state.nav.filter = Filter::Words(words.trim().to_lowercase());
    let (hidden, key) = (walk::hidden(state), state.keys.shown(Command::Filter));
    let words = Foreign::from(words.trim()).shown(Place::Strict);
    state.say(format!(
        "{hidden} more rows hidden by the filter \"{words}\" · {key} ends it"
    ));
}

/// `s` in the list.
pub(super) fn sort(state: &mut State) {
    let key = state.keys.shown(Command::Split);
    state.nav.sorted = !state.nav.sorted;
    state.arrange();
    let says = if state.nav.sorted {
        "what is owed first, the worse before the better"
    } else {
        "in the order of their source"
    };
    state.say(format!("rows of each pane {says} · {key} changes it"));
}

/// Whether a chain is selected and no diff has the keys.
pub(super) fn on_chains(state: &State) -> bool {
    matches!(state.nav.focus, Focus::List | Focus::Card)
        && matches!(state.subject(), Some(Subject::Chain(_)))
}

/// `z` in the list of chains.
pub(super) fn tree(state: &mut State) {
    let key = state.keys.shown(Command::Fold);
    state.nav.as_tree = !state.nav.as_tree;
    state.arrange();
    state.say(if state.nav.as_tree {
        format!("chains as a tree · {key} for the table")
    } else {
        format!("chains as a table · {key} for the tree")
    });
}
