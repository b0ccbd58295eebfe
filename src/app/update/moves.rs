//! Moving: the list, the parts, the walk over what is owed, clicks and the wheel. Nothing here
//! decides.

use crate::gate::dossier::Subject;
use crate::gate::judge::Pane;
use crate::model::known::Known;

use super::super::command::Command;
use super::super::effect::Effect;
use super::super::state::{Focus, Mode, Row, SpecPage, State};
use super::super::walk::{self, Step};
use super::{inspect, menus};

/// How far a movement goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum By {
    /// Rows, negative is up.
    Rows(isize),
    /// Halves of what is visible.
    Halves(isize),
    /// To the first row.
    Top,
    /// To the last row.
    Bottom,
}

/// Rows of a part that was not drawn yet.
const UNDRAWN: usize = 10;

/// How many rows of a part are on screen; never none.
fn visible(state: &State, part: Focus) -> usize {
    let extent = state.seen.measured.parts.get(&part);
    extent.map_or(UNDRAWN, |extent| extent.rows).max(1)
}

/// Moves the cursor of whatever has the movement keys.
pub(super) fn go(state: &mut State, by: By) {
    let part = scrolled(state);
    let visible = visible(state, part);
    let total = length(state, part);
    let last = total.saturating_sub(1);
    let moved = |from: usize| match by {
        By::Rows(rows) => from.saturating_add_signed(rows).min(last),
        By::Halves(halves) => {
            let half = isize::try_from((visible / 2).max(1)).unwrap_or(1);
            from.saturating_add_signed(half.saturating_mul(halves))
                .min(last)
        }
        By::Top => 0,
        By::Bottom => last,
    };
    match &mut state.mode {
        Mode::Help(top) | Mode::Inspect(top) => *top = moved(*top),
        Mode::Rulings(at) | Mode::Contracts(at) | Mode::Formats(at) => *at = moved(*at),
        Mode::Picker(picker) => picker.at = moved(picker.at),
        Mode::Palette(palette) => palette.at = moved(palette.at),
        Mode::Trust(page) => page.top = moved(page.top).min(total.saturating_sub(visible)),
        Mode::Carry(page) => {
            page.at = moved(page.at);
            let least = (page.at + 1).saturating_sub(visible);
            page.top = page.top.clamp(least, page.at.max(least));
        }
        Mode::SignEdits(sign) => {
            if let Some(page) = &mut sign.writes {
                page.top = moved(page.top).min(total.saturating_sub(visible));
            }
        }
        Mode::Browse
        | Mode::Matches { .. }
        | Mode::Prefix(_)
        | Mode::Search(_)
        | Mode::Note(_)
        | Mode::Confirm(_)
        | Mode::SignOne(_)
        | Mode::SignTwo(_) => {
            if state.nav.focus == Focus::List {
                list(state, &moved);
            } else {
                let from = state.nav.cursor;
                state.nav.cursor = moved(from);
                if matches!(by, By::Halves(_)) {
                    // A page goes on by a page, wherever the cursor stood in it.
                    let by = state.nav.cursor.cast_signed() - from.cast_signed();
                    let top = state.nav.tops.entry(part).or_default();
                    *top = top
                        .saturating_add_signed(by)
                        .min(total.saturating_sub(visible));
                }
                reveal(state);
            }
        }
    }
}

/// The part that the movement keys scroll now.
fn scrolled(state: &State) -> Focus {
    match state.mode {
        Mode::Trust(_) => Focus::Trust,
        Mode::Carry(_) => Focus::Carry,
        Mode::SignEdits(_) => Focus::Writes,
        Mode::Browse
        | Mode::Matches { .. }
        | Mode::Prefix(_)
        | Mode::Search(_)
        | Mode::Note(_)
        | Mode::Picker(_)
        | Mode::Rulings(_)
        | Mode::Contracts(_)
        | Mode::Formats(_)
        | Mode::Confirm(_)
        | Mode::SignOne(_)
        | Mode::SignTwo(_)
        | Mode::Help(_)
        | Mode::Inspect(_)
        | Mode::Palette(_) => state.nav.focus,
    }
}

/// How many rows there are to move over.
fn length(state: &State, part: Focus) -> usize {
    match &state.mode {
        Mode::Help(_) => menus::help_rows(state).len(),
        Mode::Inspect(_) => inspect::rows(state).1.len(),
        Mode::Rulings(_) => menus::rulings(state).len(),
        Mode::Contracts(_) => menus::contracts(state).len(),
        Mode::Formats(_) => menus::formats().len(),
        Mode::Picker(picker) => picker.candidates.len(),
        Mode::Palette(_) => menus::palette(state).len(),
        Mode::Browse
        | Mode::Matches { .. }
        | Mode::Prefix(_)
        | Mode::Search(_)
        | Mode::Note(_)
        | Mode::Confirm(_)
        | Mode::Trust(_)
        | Mode::Carry(_)
        | Mode::SignEdits(_)
        | Mode::SignOne(_)
        | Mode::SignTwo(_) => match part {
            Focus::List => walk::length(state),
            Focus::Verdict => state
                .seen
                .measured
                .parts
                .get(&part)
                .map_or(0, |extent| extent.total)
                .max(menus::verdict(state).len()),
            Focus::Card
            | Focus::Diff
            | Focus::Output
            | Focus::Ledger
            | Focus::Spec
            | Focus::Triage
            | Focus::Trust
            | Focus::Carry
            | Focus::Writes => state
                .seen
                .measured
                .parts
                .get(&part)
                .map_or(0, |extent| extent.total),
        },
    }
}

fn list(state: &mut State, moved: &dyn Fn(usize) -> usize) {
    let here = state
        .nav
        .selected
        .as_ref()
        .and_then(|row| walk::place_of(state, row));
    if let Some(row) = walk::row_at(state, here.map_or(0, moved)) {
        point(state, row);
    }
}

/// Scrolls the focused part so that its cursor is in view.
fn reveal(state: &mut State) {
    let part = state.nav.focus;
    if part == Focus::Verdict {
        return;
    }
    let rows = visible(state, part);
    let cursor = state.nav.cursor;
    let top = state.nav.tops.entry(part).or_default();
    if cursor < *top {
        *top = cursor;
    } else if cursor >= top.saturating_add(rows) {
        *top = cursor + 1 - rows;
    }
}

/// Scrolls the card on to deciding rows that were not on screen yet; whether there were any to
/// show. Only a card that was drawn can be scrolled: a first look shows its beginning.
pub(super) fn show_missing(state: &mut State) -> bool {
    let Some(extent) = state.seen.measured.parts.get(&Focus::Card).copied() else {
        return false;
    };
    let unread = state
        .seen
        .last
        .as_ref()
        .filter(|drawn| Some(&drawn.subject) == state.subject())
        .is_some_and(|drawn| {
            let rows = state.seen.rows.get(&drawn.subject);
            drawn
                .missing
                .iter()
                .any(|label| rows.is_none_or(|rows| !rows.contains(label)))
        });
    if !unread || extent.rows == 0 || extent.total <= extent.rows {
        return false;
    }
    let last = extent.total - extent.rows;
    let top = if extent.top >= last {
        0
    } else {
        (extent.top + extent.rows).min(last)
    };
    focus(state, Focus::Card);
    state.nav.cursor = top;
    state.nav.tops.insert(Focus::Card, top);
    true
}

/// The card gets the keys, at the deciding rows that are still to be read.
pub(super) fn to_card(state: &mut State) {
    if !show_missing(state) {
        focus(state, Focus::Card);
    }
}

/// Puts the cursor of the focused part on a row and that row near the top.
pub(super) fn put(state: &mut State, row: usize) {
    state.nav.cursor = row;
    let part = state.nav.focus;
    state.nav.tops.insert(part, row.saturating_sub(2));
}

/// Takes over what the last scene measured: tops as drawn, cursors inside their part.
pub(super) fn settle(state: &mut State) {
    let parts = state.seen.measured.parts.clone();
    for (part, extent) in &parts {
        if *part == Focus::List {
            state.nav.list_top = extent.top;
        } else {
            state.nav.tops.insert(*part, extent.top);
        }
        if *part == state.nav.focus && !matches!(part, Focus::List | Focus::Verdict) {
            state.nav.cursor = state.nav.cursor.min(extent.total.saturating_sub(1));
        }
    }
    if let Mode::Matches { hits, at, .. } = &mut state.mode {
        let fresh = state.seen.measured.hits.clone();
        if *hits != fresh {
            let from = state.nav.cursor;
            let first = hits.is_empty();
            *hits = fresh;
            if first {
                let next = hits.iter().position(|row| *row >= from).unwrap_or(0);
                *at = next;
                if let Some(row) = hits.get(next).copied() {
                    super::search::go_to_hit(state, row);
                }
            } else {
                *at = (*at).min(hits.len().saturating_sub(1));
            }
        }
    }
}

/// Selects a row without remembering where the person was: a step in the list.
pub(super) fn point(state: &mut State, row: Row) {
    if state.nav.selected.as_ref() == Some(&row) {
        return;
    }
    state.nav.selected = Some(row);
    state.nav.file = None;
    state.nav.cursors.clear();
    state.nav.tops.clear();
    state.nav.at_end = false;
    if state.nav.focus != Focus::List {
        state.nav.cursor = 0;
    }
}

/// Selects a row and remembers where the person was.
pub(super) fn jump(state: &mut State, row: Row) {
    if let Some(here) = state.nav.selected.clone()
        && here != row
        && state.nav.back.last() != Some(&here)
    {
        state.nav.back.push(here);
    }
    focus(state, Focus::List);
    point(state, row);
}

/// Gives the movement keys to a part.
pub(super) fn focus(state: &mut State, part: Focus) {
    if state.nav.focus == part {
        return;
    }
    if matches!(state.mode, Mode::Matches { .. }) {
        state.mode = Mode::Browse;
    }
    state.nav.cursors.insert(state.nav.focus, state.nav.cursor);
    state.nav.focus = part;
    state.nav.cursor = state.nav.cursors.get(&part).copied().unwrap_or(0);
}

/// `n` and `N`.
pub(super) fn owed(state: &mut State, forward: bool) {
    let at_end = std::mem::take(&mut state.nav.at_end);
    match walk::step(state, forward) {
        Step::To(subject) => to_owed(state, subject),
        Step::NothingOwed if state.world.judgment.is_none() => {
            state.refuse("nothing is known yet: what is owed comes with the contract");
        }
        Step::NothingOwed if state.nav.focus == Focus::Verdict => {
            state.say(format!(
                "nothing owed · {} stays here · {} opens the sign-off",
                state.keys.shown(Command::OwedNext),
                state.keys.shown(Command::Sign)
            ));
        }
        Step::NothingOwed => {
            focus(state, Focus::Verdict);
            state.say("nothing owed · v shows the verdict, S signs");
        }
        Step::End(0) => {
            state.say("end: what is owed is running · n goes there when it is done");
        }
        Step::End(left) if !at_end => {
            state.nav.at_end = true;
            let (key, side, start) = if forward {
                ("n", "above", "top")
            } else {
                ("N", "below", "end")
            };
            state.say(format!(
                "end: {left} owed {side} · {key} starts at the {start}"
            ));
        }
        Step::End(_) => {
            let row = if forward {
                walk::first_owed(state)
            } else {
                walk::last_owed(state)
            };
            if let Some(subject) = row {
                to_owed(state, subject);
            }
        }
    }
}

/// An owed item is selected; a gate message is opened, since it can be read nowhere else.
fn to_owed(state: &mut State, subject: Subject) {
    let message = matches!(subject, Subject::Message(_));
    jump(state, Row::Item(subject));
    if message {
        super::triage::open(state);
    }
}

/// A pane's digit outside numbered menus.
pub(super) fn pane(state: &mut State, digit: u8) {
    let (pane, name) = match digit {
        0 => (Pane::Contract, "contract"),
        1 => (Pane::Criteria, "criteria"),
        2 => (Pane::Comments, "comments"),
        3 => (Pane::Scope, "scope"),
        4 => (Pane::Chains, "chains"),
        5 if state.touches_spec() == Some(true) => {
            // each opening reads it as it is then
            state.world.spec = SpecPage::Unasked;
            return focus(state, Focus::Spec);
        }
        5 => (Pane::Spec, "spec"),
        6 => (Pane::Triage, "triage"),
        _ => return focus(state, Focus::Verdict),
    };
    if let Some(row) = walk::pane_row(state, pane) {
        jump(state, row);
        if pane == Pane::Triage {
            super::triage::open(state);
        }
        return;
    }
    let why = match pane {
        Pane::Contract => "the change leaves its contract as it was",
        Pane::Criteria => "no contract was found, or it holds no criterion",
        Pane::Comments => "no threads came with this change",
        Pane::Scope => "every changed file is claimed by a criterion",
        Pane::Chains => match state
            .world
            .judgment
            .as_ref()
            .map(|judgment| &judgment.chains)
        {
            Some(Known::Is(_)) => "no chain of a touched skill was found",
            Some(Known::Unknown(_)) => "could not be read",
            Some(Known::NotSupplied) => "still being read",
            Some(Known::NotApplicable(_)) | None => {
                "does not apply: the change touches no SKILL.md"
            }
        },
        Pane::Spec if state.touches_spec().is_none() => "not known yet: files are still being read",
        Pane::Spec => "does not apply: the change touches no spec tree",
        Pane::Triage => "does not apply: no gate message; --menu FILE hands one in",
        Pane::Verdict => "",
    };
    state.say(format!("{name}: {why}"));
}

/// `Tab` and `Shift-Tab`: the parts that are there, in reading order.
pub(super) fn next_part(state: &mut State, forward: bool) {
    let cycle: &[Focus] = match state.nav.focus {
        Focus::List | Focus::Card | Focus::Diff => &[Focus::List, Focus::Card, Focus::Diff],
        Focus::Output => &[Focus::Output, Focus::Card],
        Focus::Verdict => &[Focus::Verdict, Focus::List],
        Focus::Ledger => &[Focus::Ledger, Focus::List],
        Focus::Spec => &[Focus::Spec, Focus::List],
        Focus::Triage => &[Focus::Triage, Focus::List],
        Focus::Trust | Focus::Carry | Focus::Writes => &[Focus::Trust, Focus::List],
    };
    let here = cycle
        .iter()
        .position(|part| *part == state.nav.focus)
        .unwrap_or(0);
    let next = if forward {
        (here + 1) % cycle.len()
    } else {
        (here + cycle.len() - 1) % cycle.len()
    };
    if let Some(part) = cycle.get(next) {
        focus(state, *part);
    }
}

/// The wheel moves what it is over; it never changes the focus.
pub(super) fn wheel(state: &mut State, x: u16, y: u16, lines: i16) {
    // Under a note or a question nothing moves: what it is about stays what is selected.
    match state.mode {
        Mode::Note(_)
        | Mode::Confirm(_)
        | Mode::Prefix(_)
        | Mode::Search(_)
        | Mode::SignOne(_)
        | Mode::SignTwo(_) => return,
        Mode::Browse
        | Mode::Matches { .. }
        | Mode::Picker(_)
        | Mode::Rulings(_)
        | Mode::Contracts(_)
        | Mode::Formats(_)
        | Mode::Trust(_)
        | Mode::Carry(_)
        | Mode::SignEdits(_)
        | Mode::Help(_)
        | Mode::Inspect(_)
        | Mode::Palette(_) => {}
    }
    if state.nav.focus == Focus::Triage && matches!(state.mode, Mode::Browse) {
        return super::triage::scroll(state, isize::from(lines));
    }
    let over = state.seen.measured.parts.iter().find(|(_, extent)| {
        let area = extent.area;
        (area.x..area.x.saturating_add(area.width)).contains(&x)
            && (area.y..area.y.saturating_add(area.height)).contains(&y)
    });
    let Some((part, extent)) = over.map(|(part, extent)| (*part, *extent)) else {
        return go(state, By::Rows(isize::from(lines)));
    };
    if part == scrolled(state) || !matches!(state.mode, Mode::Browse | Mode::Matches { .. }) {
        return go(state, By::Rows(isize::from(lines)));
    }
    let top = extent
        .top
        .saturating_add_signed(isize::from(lines))
        .min(extent.total.saturating_sub(extent.rows));
    if part == Focus::List {
        state.nav.list_top = top;
    } else {
        state.nav.tops.insert(part, top);
    }
}

/// A click selects, a double click goes in; neither ever decides.
pub(super) fn click(state: &mut State, x: u16, y: u16, double: bool, fx: &mut Vec<Effect>) {
    if !matches!(state.mode, Mode::Browse | Mode::Matches { .. }) {
        return;
    }
    let inside = |area: &super::super::scene::Area| {
        (area.x..area.x.saturating_add(area.width)).contains(&x)
            && (area.y..area.y.saturating_add(area.height)).contains(&y)
    };
    let row = state
        .seen
        .measured
        .targets
        .iter()
        .find(|(area, _)| inside(area))
        .map(|(_, row)| row.clone());
    if let Some(row) = row {
        jump(state, row);
        if double {
            super::keys::go_in(state, fx);
        }
        return;
    }
    let part = state
        .seen
        .measured
        .parts
        .iter()
        .find(|(_, extent)| inside(&extent.area))
        .map(|(part, extent)| (*part, *extent));
    if let Some((part, extent)) = part {
        focus(state, part);
        if part != Focus::List {
            let row = extent.top + usize::from(y.saturating_sub(extent.area.y));
            state.nav.cursor = row.min(extent.total.saturating_sub(1));
        }
    }
}
