//! Between the page of the spec gate and the text of a suite.

use super::super::pane::spec;
use super::super::state::{Focus, Row, State};
use super::super::walk;
use super::moves;

/// From the page of the spec gate to the text of the suite under the cursor.
pub(super) fn text(state: &mut State) {
    let Some(path) = spec::suite_under(state).cloned() else {
        return state.say("no suite was touched");
    };
    let row = Row::File(path.clone());
    if walk::place_of(state, &row).is_none() {
        return state.say("no text diff: the change as it is committed does not touch this suite");
    }
    state.nav.from_spec = Some((path, state.nav.cursor, state.nav.selected.clone()));
    moves::jump(state, row);
    moves::focus(state, Focus::Diff);
}

/// Back from the text of a suite to the page that it was opened from.
pub(super) fn back(state: &mut State) -> bool {
    let Some((path, cursor, selected)) = state.nav.from_spec.take() else {
        return false;
    };
    if state.nav.focus != Focus::Diff || state.nav.selected != Some(Row::File(path)) {
        return false;
    }
    if let Some(row) = selected {
        moves::point(state, row);
    }
    moves::focus(state, Focus::Spec);
    state.nav.cursor = cursor;
    true
}
