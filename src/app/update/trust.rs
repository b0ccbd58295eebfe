//! The trust page: every byte that would run, before any of it does. `t` opens only when every
//! row of the page was on screen.

use std::collections::BTreeSet;

use crate::model::id::CriterionId;

use super::super::command::Command;
use super::super::effect::Effect;
use super::super::msg::{Trouble, TrustCard};
use super::super::state::{Focus, Mode, Purpose, State, TrustPage};
use super::{decide, moves};

/// Opens the page of a criterion's oracle; `rest` wait behind it.
pub(super) fn open(
    state: &mut State,
    id: CriterionId,
    rest: Vec<CriterionId>,
    fx: &mut Vec<Effect>,
) {
    let ticket = state.ask(Purpose::TrustCard(id.clone()));
    fx.push(Effect::TrustCard(ticket, id.clone()));
    state.mode = Mode::Trust(Box::new(TrustPage {
        criterion: id,
        card: None,
        top: 0,
        seen: BTreeSet::new(),
        total: 0,
        complete_ms: None,
        rest,
    }));
    state.seen.measured.parts.remove(&Focus::Trust);
}

/// The card came.
pub(super) fn card(state: &mut State, result: Result<Box<TrustCard>, Trouble>) {
    match (&mut state.mode, result) {
        (Mode::Trust(page), Ok(card)) if page.criterion == card.criterion => {
            page.card = Some(*card);
            page.seen.clear();
            page.total = 0;
            page.top = 0;
        }
        (Mode::Trust(_), Err(trouble)) => {
            state.mode = Mode::Browse;
            state.refuse(format!("{} {}", trouble.says, trouble.hint).trim_end());
        }
        (_, Ok(_) | Err(_)) => {}
    }
}

impl TrustPage {
    /// How long the whole page has been on screen, in milliseconds.
    #[must_use]
    pub fn shown_for(&self, state: &State) -> u64 {
        let now = state.screen.now_ms;
        self.complete_ms
            .map_or(0, |since| now.saturating_sub(since))
    }

    /// Rows that have not been on screen yet; `None` before the page was drawn.
    #[must_use]
    pub fn unseen(&self) -> Option<usize> {
        (self.card.is_some() && self.total > 0).then(|| {
            (0..self.total)
                .filter(|row| !self.seen.contains(row))
                .count()
        })
    }
}

/// A command on the page.
pub(super) fn command(state: &mut State, command: Command, fx: &mut Vec<Effect>) {
    match command {
        Command::TrustRun => trust(state, true, fx),
        Command::TrustLater => trust(state, false, fx),
        Command::TrustNext => next(state, fx),
        Command::Diff => {
            let Mode::Trust(page) = &state.mode else {
                return;
            };
            let changed = page
                .card
                .as_ref()
                .and_then(|card| card.also_runs.iter().find(|(_, counts)| counts.is_some()))
                .map(|(path, _)| path.clone());
            match changed {
                Some(path) => {
                    state.mode = Mode::Browse;
                    state.nav.file = Some(path);
                    moves::focus(state, Focus::Diff);
                }
                None => state.say("nothing that it runs is changed since the base"),
            }
        }
        Command::Copy => {
            let Mode::Trust(page) = &state.mode else {
                return;
            };
            if let Some(card) = &page.card {
                let text = card.check.shown(crate::model::text::Place::Strict).plain();
                super::diff::send(state, text, fx);
            }
        }
        _ => {
            let trusted = match &state.mode {
                Mode::Trust(page) => state.runs.trusted.contains(&page.criterion),
                _ => false,
            };
            state.mode = Mode::Browse;
            state.say(if trusted {
                "left as it was: trusted, these bytes"
            } else {
                "not trusted; nothing of it has run"
            });
        }
    }
}

fn next(state: &mut State, fx: &mut Vec<Effect>) {
    let Mode::Trust(page) = &mut state.mode else {
        return;
    };
    if page.rest.is_empty() {
        return state.say("no other oracle waits for trust");
    }
    let first = page.rest.remove(0);
    let mut rest = std::mem::take(&mut page.rest);
    rest.push(page.criterion.clone());
    open(state, first, rest, fx);
}

fn trust(state: &mut State, run: bool, fx: &mut Vec<Effect>) {
    if !decide::may_act(state) {
        return;
    }
    let Mode::Trust(page) = &state.mode else {
        return;
    };
    let (since, seen_ms) = (page.shown_for(state), state.world.policy.seen_ms);
    let Mode::Trust(page) = &mut state.mode else {
        return;
    };
    let Some(card) = &page.card else {
        return state.refuse("what would run is still being read");
    };
    if let Some(why) = &card.refused {
        let why = format!("Refused: {why}");
        return state.refuse(why);
    }
    match page.unseen() {
        Some(0) => {}
        Some(rows) => {
            let row = if rows == 1 { "row was" } else { "rows were" };
            let key = state.keys.shown(Command::Down);
            return state.refuse(format!(
                "t is locked: {rows} {row} not on your screen yet · {key} scrolls"
            ));
        }
        None => return state.refuse("t is locked: the page was not on your screen yet"),
    }
    if since < seen_ms {
        return state.refuse(format!(
            "Too fast: the command was on screen for 0.{} s. Press the key again.",
            since / 100
        ));
    }
    let (id, binds) = (card.criterion.clone(), card.binds);
    let mut rest = std::mem::take(&mut page.rest);
    let ticket = state.ask(Purpose::Trust(id.clone(), run));
    fx.push(Effect::Trust(ticket, id, binds));
    if rest.is_empty() {
        state.mode = Mode::Browse;
    } else {
        let first = rest.remove(0);
        open(state, first, rest, fx);
    }
}
