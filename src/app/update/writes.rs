//! The page of the sign-off that shows what signing writes into files, line by line. It is
//! confirmed only when every row of it was on screen; leaving it writes nothing.

use super::super::command::Command;
use super::super::edit::{EditOrder, EditPlan};
use super::super::effect::Effect;
use super::super::msg::Trouble;
use super::super::state::{Focus, Mode, Purpose, SignOff, State, Writes};
use super::{menus, note};
use crate::model::id::EntryId;

/// The key of the draft that remembers which edits are switched on (A10).
pub(super) fn draft_key(state: &State) -> String {
    let head = state
        .dossier()
        .map(|dossier| dossier.snapshot.head.short())
        .unwrap_or_default();
    format!("ruling | edits | 0 | {head}")
}

/// Switches an edit on or off; the choice is a draft until a ruling carries it.
pub(super) fn switch(state: &mut State, name: String, fx: &mut Vec<Effect>) {
    if !state.nav.writes.remove(&name) {
        state.nav.writes.insert(name);
    }
    keep(state, fx);
}

/// What an earlier sitting on this head had switched on.
pub(super) fn remember(state: &mut State) {
    let key = draft_key(state);
    if let Some(text) = state.drafts.get(&key) {
        state.nav.writes = text.lines().map(str::to_owned).collect();
    }
}

/// Forgets the choice of edits that no decision would write any more.
pub(super) fn prune(state: &mut State, fx: &mut Vec<Effect>) {
    if state.nav.writes.is_empty() {
        return;
    }
    let names: Vec<String> = menus::orders(state).iter().map(EditOrder::name).collect();
    let before = state.nav.writes.len();
    state.nav.writes.retain(|name| names.contains(name));
    if state.nav.writes.len() != before {
        keep(state, fx);
    }
}

fn keep(state: &mut State, fx: &mut Vec<Effect>) {
    let key = draft_key(state);
    let names: Vec<&str> = state.nav.writes.iter().map(String::as_str).collect();
    let text = names.join("\n");
    note::keep(state, key, text, fx);
}

/// The edits that are switched on now, in the order in which they are written.
#[must_use]
pub fn chosen(state: &State) -> Vec<EditOrder> {
    menus::orders(state)
        .into_iter()
        .filter(|order| state.nav.writes.contains(&order.name()))
        .collect()
}

/// Asks what the edits come to; nothing is asked when there are none.
pub(super) fn ask(state: &mut State, orders: &[EditOrder], fx: &mut Vec<Effect>) -> Option<Writes> {
    if orders.is_empty() {
        return None;
    }
    let ticket = state.ask(Purpose::Plan);
    fx.push(Effect::Plan(ticket, orders.to_vec()));
    state.seen.measured.parts.remove(&Focus::Writes);
    Some(Writes::default())
}

/// The answer came.
pub(super) fn planned(state: &mut State, result: Result<Box<EditPlan>, Trouble>) {
    let (Mode::SignOne(sign) | Mode::SignEdits(sign)) = &mut state.mode else {
        return;
    };
    if let Some(writes) = &mut sign.writes {
        *writes = Writes {
            plan: Some(result.map(|plan| *plan)),
            ..Writes::default()
        };
    }
}

/// What became of the edits, once their ruling is recorded.
pub(super) fn written(state: &mut State, result: Result<EntryId, Trouble>) {
    match result {
        Ok(_) => {
            let said = so_far(state);
            state.say(format!("{said} · contract written, not committed"));
        }
        Err(trouble) => {
            let said = so_far(state);
            state.refuse(format!(
                "{said} · the contract was not written: {} {}",
                trouble.says, trouble.hint
            ));
        }
    }
}

/// The part of what was said about a ruling that later news is added to.
pub(super) fn so_far(state: &State) -> String {
    let says = state.status.says.as_str();
    match says.split_once(';') {
        _ if !says.starts_with("recorded") => "recorded".to_owned(),
        Some((recorded, _)) if !says.contains(" · ") => recorded.to_owned(),
        Some(_) | None => says.to_owned(),
    }
}

impl Writes {
    /// Rows that have not been on screen yet; `None` before the page was drawn with the answer.
    #[must_use]
    pub fn unseen(&self) -> Option<usize> {
        (self.plan.is_some() && self.total > 0).then(|| {
            (0..self.total)
                .filter(|row| !self.seen.contains(row))
                .count()
        })
    }
}

impl SignOff {
    /// What was planned, once that is known.
    #[must_use]
    pub fn plan(&self) -> Option<&EditPlan> {
        self.writes.as_ref()?.plan.as_ref()?.as_ref().ok()
    }
}

/// A command on the page.
pub(super) fn command(state: &mut State, command: Command) {
    match command {
        Command::SignNow => confirm(state),
        _ => {
            if let Mode::SignEdits(sign) = &mut state.mode {
                let kept = std::mem::take(sign);
                state.mode = Mode::SignOne(kept);
            }
        }
    }
}

/// Why the page cannot be confirmed yet, a fragment; `None` when it can.
#[must_use]
pub fn closed(state: &State) -> Option<String> {
    let Mode::SignEdits(sign) = &state.mode else {
        return None;
    };
    let writes = sign.writes.as_ref()?;
    match (&writes.plan, writes.unseen()) {
        (None, _) => Some("what would be written is still being worked out".into()),
        (Some(Err(trouble)), _) => Some(trouble.says.trim_end_matches('.').to_owned()),
        (Some(Ok(_)), None) => Some("the page was not on your screen yet".into()),
        (Some(Ok(_)), Some(0)) => {
            let shown = writes.complete_ms.unwrap_or(state.screen.now_ms);
            let soon = state.screen.now_ms.saturating_sub(shown) < state.world.policy.seen_ms;
            soon.then(|| "too fast: read it first".into())
        }
        (Some(Ok(_)), Some(rows)) => {
            let (row, key) = (
                if rows == 1 { "row was" } else { "rows were" },
                state.keys.shown(Command::Down),
            );
            Some(format!(
                "{rows} {row} not on your screen yet · {key} scrolls"
            ))
        }
    }
}

fn confirm(state: &mut State) {
    if let Some(why) = closed(state) {
        let key = state.keys.shown(Command::SignNow);
        return state.refuse(format!("{key} is closed: {why}"));
    }
    if let Mode::SignEdits(sign) = &mut state.mode {
        let kept = std::mem::take(sign);
        state.mode = Mode::SignTwo(kept);
    }
}
