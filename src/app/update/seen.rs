//! What counts as seen, measured from frames that reached the terminal (LED-13, screens.md
//! section 1).

use crate::gate::decide::Seen;
use crate::gate::dossier::Subject;
use crate::gate::permit::{Permit, Verb};

use super::super::command::Command;
use super::super::effect::Effect;
use super::super::scene::Extent;
use super::super::state::{Focus, Mode, State};

/// A frame reached the terminal: its deciding rows are seen, its keys may decide.
pub(super) fn drawn(state: &mut State, fx: &mut Vec<Effect>) {
    state.seen.stage = state.seen.composed.clone();
    let now = state.screen.now_ms;
    state.seen.grew = false;
    if let Some(deciding) = state.seen.drawn.clone() {
        let rows = state.seen.rows.entry(deciding.subject.clone()).or_default();
        let before = rows.len();
        rows.extend(deciding.shown);
        state.seen.grew |= rows.len() > before;
        let complete = deciding.missing.iter().all(|label| rows.contains(label));
        if complete && !state.seen.complete_since.contains_key(&deciding.subject) {
            state.seen.complete_since.insert(deciding.subject, now);
            state.seen.grew = true;
            // So that `locked` turns into `open` on the screen without a key.
            fx.push(Effect::Wake(now.saturating_add(state.world.policy.seen_ms)));
        }
    }
    if let Some(diff) = &state.seen.measured.diff
        && let Some(path) = &diff.path
    {
        state
            .seen
            .file_lines
            .entry(path.clone())
            .or_default()
            .extend(diff.changed_lines.iter().copied());
    }
    written(state, fx);
    offered(state, fx);
    if let Mode::Trust(page) = &mut state.mode
        && page.card.is_some()
        && let Some(extent) = state.seen.measured.parts.get(&Focus::Trust)
    {
        let Extent {
            top, rows, total, ..
        } = *extent;
        let before = (page.seen.len(), page.total, page.complete_ms);
        page.seen.extend(top..(top + rows).min(total));
        page.total = total;
        if page.unseen() == Some(0) && page.complete_ms.is_none() {
            page.complete_ms = Some(now);
            fx.push(Effect::Wake(now.saturating_add(state.world.policy.seen_ms)));
        }
        state.seen.grew |= before != (page.seen.len(), page.total, page.complete_ms);
    }
}

/// Rows of the page of carry-over that were on screen; what was offered otherwise meanwhile is read
/// again.
fn offered(state: &mut State, fx: &mut Vec<Effect>) {
    let (now, wait) = (state.screen.now_ms, state.world.policy.seen_ms);
    let judgment = state.world.judgment.as_ref();
    let (Mode::Carry(page), Some(judgment)) = (&mut state.mode, judgment) else {
        return;
    };
    let Some(extent) = state.seen.measured.parts.get(&Focus::Carry) else {
        return;
    };
    if page.offers != judgment.offers || page.total != extent.total {
        page.offers.clone_from(&judgment.offers);
        page.seen.clear();
        page.complete_ms = None;
    }
    let before = (page.seen.len(), page.total, page.complete_ms);
    page.total = extent.total;
    let rows = extent.top..(extent.top + extent.rows).min(extent.total);
    page.seen.extend(rows);
    if page.unseen() == Some(0) && page.complete_ms.is_none() {
        page.complete_ms = Some(now);
        fx.push(Effect::Wake(now.saturating_add(wait)));
    }
    state.seen.grew |= before != (page.seen.len(), page.total, page.complete_ms);
}

/// Rows of the page of edits that were on screen.
fn written(state: &mut State, fx: &mut Vec<Effect>) {
    let (now, wait) = (state.screen.now_ms, state.world.policy.seen_ms);
    if let Mode::SignEdits(sign) = &mut state.mode
        && let Some(after) = sign.plan().map(|plan| plan.after.to_string())
        && state
            .seen
            .stage
            .as_ref()
            .is_some_and(|stage| stage.detail == after)
        && let Some(page) = &mut sign.writes
        && let Some(extent) = state.seen.measured.parts.get(&Focus::Writes)
    {
        let (top, rows, total) = (extent.top, extent.rows, extent.total);
        if page.total != total {
            // Another width has other rows.
            page.seen.clear();
            page.complete_ms = None;
        }
        page.seen.extend(top..(top + rows).min(total));
        page.total = total;
        if page.unseen() == Some(0) && page.complete_ms.is_none() {
            page.complete_ms = Some(now);
            fx.push(Effect::Wake(now.saturating_add(wait)));
        }
    }
}

/// Facts about an item changed: what was seen of it is not seen any more.
pub(super) fn forget(state: &mut State, subject: &Subject) {
    state.seen.rows.remove(subject);
    reopen(state, subject);
}

/// Other evidence was picked for an item: its rows have labels of their own and must be on
/// screen as well, what was seen stays seen. Pieces that are named by their number only are new.
pub(super) fn reopen(state: &mut State, subject: &Subject) {
    if let Some(rows) = state.seen.rows.get_mut(subject) {
        rows.retain(|label| !label.starts_with("PICKED"));
    }
    state.seen.complete_since.remove(subject);
    if state
        .seen
        .drawn
        .as_ref()
        .is_some_and(|drawn| &drawn.subject == subject)
    {
        state.seen.drawn = None;
    }
}

/// Every fact may have changed.
pub(super) fn forget_all(state: &mut State) {
    state.seen.rows.clear();
    state.seen.complete_since.clear();
    state.seen.drawn = None;
}

/// What `r` would do to the selected item.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ready {
    /// No item is selected, or nothing is known yet.
    Nothing,
    /// It acts: the word for what it does.
    Open(&'static str),
    /// Seen, but not for long enough: the sentence.
    Soon(String),
    /// Not seen yet: the sentence, with the rows that are missing.
    Locked(String),
    /// A rule forbids it: the sentence, with the way on.
    Closed(String),
}

impl State {
    /// What was seen of an item, when that is everything that decides it.
    #[must_use]
    pub fn seen_of(&self, subject: &Subject) -> Option<Seen> {
        let since = self.seen.complete_since.get(subject)?;
        Some(Seen {
            subject: subject.clone(),
            snapshot: self.dossier()?.snapshot.clone(),
            for_ms: self.screen.now_ms.saturating_sub(*since),
            rows: self
                .seen
                .rows
                .get(subject)
                .map(|rows| rows.iter().cloned().collect())
                .unwrap_or_default(),
        })
    }

    /// The state of `r` for the selected item: what the status row's right end says.
    #[must_use]
    pub fn ready(&self) -> Ready {
        let Some(item) = self.item().filter(|_| self.on_item()) else {
            return Ready::Nothing;
        };
        if let Some(why) = self.world_closed() {
            return Ready::Closed(why);
        }
        let word = match item.permits.of(Verb::Affirm) {
            Permit::Open(word) => return Ready::Open(word),
            Permit::Locked(word) => *word,
            closed @ Permit::Closed { .. } => {
                return Ready::Closed(closed.refusal().unwrap_or_default());
            }
            Permit::Absent => return Ready::Closed("Closed: nothing to affirm here.".into()),
        };
        if let Subject::Criterion(id) = &item.subject
            && super::decide::needs_pick(self, id)
        {
            return Ready::Closed(format!(
                "Closed: {id} has no evidence. {} lists candidates.",
                self.keys.shown(Command::GoIn)
            ));
        }
        // the row that would be sent is on that page alone
        if matches!(item.subject, Subject::Message(_)) && self.nav.focus != Focus::Triage {
            return Ready::Locked(format!(
                "Locked: a message is answered on its page. {} opens it.",
                self.keys.shown(Command::GoIn)
            ));
        }
        if let Some((_, gate)) = self.open_gate()
            && let (Focus::Triage, Some(n)) = (self.nav.focus, gate.closed_row())
        {
            return Ready::Closed(format!(
                "Closed: row {n} says that it cannot be picked. {} says in words what to change.",
                self.keys.shown(Command::KickBack)
            ));
        }
        if let (Some((_, gate)), Focus::Triage) = (self.open_gate(), self.nav.focus)
            && gate.would_type().is_none()
        {
            return Ready::Closed(format!(
                "Closed: there are no rows here. {} answers in words.",
                self.keys.shown(Command::KickBack)
            ));
        }
        match self.seen_of(&item.subject) {
            Some(seen) if seen.for_ms >= self.world.policy.seen_ms => Ready::Open(word),
            Some(seen) => {
                let tenths = seen.for_ms / 100;
                Ready::Soon(format!(
                    "Too fast: the evidence was on screen for {}.{} s. Press {} again.",
                    tenths / 10,
                    tenths % 10,
                    self.keys.shown(Command::Ratify)
                ))
            }
            None => Ready::Locked(self.locked_sentence(&item.subject)),
        }
    }

    /// Why nothing can be decided at all now, as a whole sentence.
    #[must_use]
    pub fn world_closed(&self) -> Option<String> {
        if self.too_small() {
            return Some("Too small: 40x10 is needed. Nothing is decided meanwhile.".into());
        }
        let dossier = self.dossier()?;
        if let Some(entry) = self.world.ruled {
            return Some(format!(
                "Closed: the ruling is recorded as {}. A correction is a new session.",
                entry.short()
            ));
        }
        let read = self.keys.shown(Command::ReRead);
        if let Some(moved) = dossier.moved.known().filter(|moved| moved.any()) {
            let what = match (&moved.head, &moved.base, &moved.contract) {
                (Some(head), _, _) => format!("the head moved to {}", head.short()),
                (None, Some(base), _) => format!("the base moved to {}", base.short()),
                (None, None, Some(_)) => "the contract changed in the worktree".into(),
                (None, None, None) => "the worktree is gone".into(),
            };
            return Some(format!("Closed: {what}. {read} reads it again."));
        }
        None
    }

    fn locked_sentence(&self, subject: &Subject) -> String {
        let key = self.keys.shown(Command::GoIn);
        let missing: Vec<&str> = self
            .seen
            .last
            .as_ref()
            .filter(|drawn| &drawn.subject == subject)
            .map(|drawn| {
                let seen = self.seen.rows.get(subject);
                drawn
                    .missing
                    .iter()
                    .filter(|label| seen.is_none_or(|rows| !rows.contains(*label)))
                    .map(String::as_str)
                    .collect()
            })
            .unwrap_or_default();
        if let (Subject::Message(_), false) = (subject, missing.is_empty()) {
            let noun = if missing.len() == 1 { "row" } else { "rows" };
            return format!(
                "Locked: {} {noun} of the message not on screen yet. {key} reads on.",
                missing.len()
            );
        }
        if missing.is_empty() {
            format!("Locked: the evidence has not been on screen. {key} shows it.")
        } else {
            format!(
                "Locked: not on screen yet: {}. {key} shows it.",
                missing.join(", ")
            )
        }
    }
}
