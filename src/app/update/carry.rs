//! Carry-over: the page that offers it, the marks on it, and the entries one after the other. Each
//! goes through the gate's door by itself, with the judgment as it is by then.

use std::collections::BTreeSet;

use crate::gate::carry::Offer;
use crate::gate::decide;
use crate::model::id::EntryId;

use super::super::command::Command;
use super::super::effect::Effect;
use super::super::pane::carry::lines;
use super::super::pane::facts::Facts;
use super::super::state::{CarryPage, Focus, Mode, Purpose, State};
use super::super::subject::name_of;
use super::decide::may_act;

/// `c`: shows what may be carried over.
pub(super) fn open(state: &mut State) {
    let offers = offers(state);
    if offers.is_empty() {
        return state.refuse("nothing to carry over: no earlier decision waits for it");
    }
    let offers = offers.to_vec();
    state.mode = Mode::Carry(Box::new(CarryPage {
        offers,
        ..CarryPage::default()
    }));
    state.seen.measured.parts.remove(&Focus::Carry);
}

/// The decisions of earlier heads, and whether they may be carried over.
#[must_use]
pub fn offers(state: &State) -> &[Offer] {
    let judgment = state.world.judgment.as_ref();
    judgment.map_or(&[], |judgment| judgment.offers.as_slice())
}

/// The offers that the person has not answered yet: how many may be carried over, of how many,
/// and the earlier head.
#[must_use]
pub fn waiting(state: &State) -> Option<(usize, usize, &Offer)> {
    if state.world.ruled.is_some() || matches!(state.mode, Mode::Carry(_)) {
        return None;
    }
    let all = offers(state);
    let first = all.first()?;
    let offered = all.iter().filter(|offer| offer.carries.is_offered());
    let offered: Vec<EntryId> = offered.map(|offer| offer.entry).collect();
    let answered = &state.world.carrying.answered;
    let new = offered.iter().any(|entry| !answered.contains(entry));
    let said = answered.is_empty() && !state.world.carrying.closed;
    (new || said).then_some((offered.len(), all.len(), first))
}

impl CarryPage {
    /// Rows that have not been on screen yet; `None` before the page was drawn.
    #[must_use]
    pub fn unseen(&self) -> Option<usize> {
        (self.total > 0).then(|| {
            (0..self.total)
                .filter(|row| !self.seen.contains(row))
                .count()
        })
    }

    /// What would be carried over.
    #[must_use]
    pub fn marked(&self, offers: &[Offer]) -> BTreeSet<EntryId> {
        offers
            .iter()
            .filter(|offer| offer.carries.is_offered() && !self.out.contains(&offer.entry))
            .map(|offer| offer.entry)
            .collect()
    }

    /// Why the letter does nothing now, a fragment.
    #[must_use]
    pub fn closed(&self, state: &State) -> Option<String> {
        let offers = offers(state);
        let waited = self
            .complete_ms
            .map_or(0, |since| state.screen.now_ms.saturating_sub(since));
        if self.marked(offers).is_empty() {
            let offered = offers.iter().any(|offer| offer.carries.is_offered());
            let why = if offered {
                "nothing is marked"
            } else {
                "nothing may be carried"
            };
            return Some(format!("closed: {why}"));
        }
        match self.unseen() {
            None => Some("locked: the page was not on your screen yet".to_owned()),
            Some(0) if waited < state.world.policy.seen_ms => Some("opens in a moment".to_owned()),
            Some(0) => None,
            Some(1) => Some("locked: 1 row not on your screen yet".to_owned()),
            Some(rows) => Some(format!("locked: {rows} rows not on your screen yet")),
        }
    }
}

/// A command on the page.
pub(super) fn command(state: &mut State, command: Command, fx: &mut Vec<Effect>) {
    match command {
        Command::Carry => carry(state, fx),
        Command::CarryMark => mark(state),
        _ => {
            let offered = offers(state)
                .iter()
                .filter(|offer| offer.carries.is_offered());
            state.world.carrying.answered = offered.map(|offer| offer.entry).collect();
            state.world.carrying.closed = true;
            state.mode = Mode::Browse;
            let key = state.keys.shown(Command::Carry);
            state.say(format!(
                "nothing was carried over: all stay stale · {key} offers it again"
            ));
        }
    }
}

/// The decision of the row under the cursor is left out, or taken in again.
fn mark(state: &mut State) {
    let under = match (&state.mode, Facts::of(state)) {
        (Mode::Carry(page), Some(facts)) => {
            let rows = lines(&facts, page, state.screen.size.0);
            rows.get(page.at).and_then(|(_, entry)| *entry)
        }
        _ => None,
    };
    let offer = under.and_then(|entry| offers(state).iter().find(|one| one.entry == entry));
    match offer.cloned() {
        None => state.say("no decision is on this row"),
        Some(offer) if !offer.carries.is_offered() => {
            let name = name_of(&offer.subject);
            state.refuse(format!("{name} stays stale: {}", offer.why));
        }
        Some(offer) => toggle(state, offer.entry),
    }
}

/// Takes one out of what is carried, or in again.
pub fn toggle(state: &mut State, entry: EntryId) {
    if let Mode::Carry(page) = &mut state.mode
        && !page.out.remove(&entry)
    {
        page.out.insert(entry);
    }
}

fn carry(state: &mut State, fx: &mut Vec<Effect>) {
    if !may_act(state) {
        return;
    }
    let Mode::Carry(page) = &state.mode else {
        return;
    };
    if let Some(why) = page.closed(state) {
        let key = state.keys.shown(Command::Carry);
        return state.refuse(format!("{key} {why}"));
    }
    let marked = page.marked(offers(state));
    // in the order of the list: an edit comes before what it stands in the way of
    let queue = offers(state).iter().map(|offer| offer.entry);
    state.world.carrying.queue = queue.filter(|entry| marked.contains(entry)).collect();
    state.world.carrying.done = 0;
    state.world.carrying.all = marked.len();
    let left = offers(state)
        .iter()
        .filter(|offer| offer.carries.is_offered());
    state.world.carrying.answered = left.map(|offer| offer.entry).collect();
    state.world.carrying.closed = true;
    state.mode = Mode::Browse;
    next(state, fx);
}

/// Asks for the next entry; whether there is one.
pub(super) fn next(state: &mut State, fx: &mut Vec<Effect>) -> bool {
    if state.world.carrying.queue.is_empty() {
        return false;
    }
    let entry = state.world.carrying.queue.remove(0);
    let (Some(dossier), Some(judgment)) = (state.dossier(), state.world.judgment.as_ref()) else {
        return false;
    };
    match decide::carry(dossier, judgment, entry) {
        Ok(decision) => {
            let name = name_of(decision.subject());
            let ticket = state.ask(Purpose::Record(Vec::new()));
            state.say(format!("recording: {name} carried over"));
            fx.push(Effect::Decide(ticket, Box::new(decision)));
            true
        }
        Err(refusal) => {
            let done = state.world.carrying.done;
            state.world.carrying.queue.clear();
            let says = refusal.sentence();
            state.refuse(format!("{says} {done} carried over before it."));
            false
        }
    }
}

/// The sentence after the last of them.
pub(super) fn says(state: &State, number: u64) -> String {
    let carrying = &state.world.carrying;
    let undo = state.keys.shown(Command::Undo);
    let (noun, them) = match carrying.all {
        1 => ("decision", "it"),
        _ => ("decisions", "the last"),
    };
    let stale = offers(state).len();
    let rest = if stale == 0 {
        String::new()
    } else {
        format!(" · {stale} stay stale")
    };
    format!(
        "recorded up to entry {number}: {} {noun} carried over{rest} · {undo} takes {them} back",
        carrying.all
    )
}
