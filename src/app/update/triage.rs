//! Gate messages in the session: moving over their rows, and replies. A reply goes through the
//! gate's door like every act, and goes out when the person leaves.

use std::sync::Arc;

use crate::gate::decide::Act;
use crate::gate::dossier::{Still, Subject};
use crate::gate::menu::given::given;
use crate::gate::menu::levers::Lever;
use crate::gate::menu::reply::reply;
use crate::model::menu::{Kind, MessageId};

use super::super::command::Command;
use super::super::effect::Effect;
use super::super::state::{Confirm, Focus, Mode, NoteKind, Replying, Row, State};
use super::super::triage::{Answered, Gate, View};
use super::moves::{self, By};
use super::seen::Ready;
use super::{decide, note};
use crate::gate::permit::Verb;

impl State {
    /// What is looked at of a message.
    #[must_use]
    pub fn gate_of(&self, id: &MessageId) -> Option<&Gate> {
        self.world
            .gates
            .iter()
            .find(|gate| gate.message.digest == id.digest)
    }

    /// The selected message.
    #[must_use]
    pub fn open_gate(&self) -> Option<(&MessageId, &Gate)> {
        let Some(Subject::Message(id)) = self.subject() else {
            return None;
        };
        Some((id, self.gate_of(id)?))
    }

    /// Shows another view of the selected message, for a face that prints it.
    pub fn view_gate(&mut self, view: View) {
        if let Some(gate) = self.gate_here() {
            gate.view = view;
            gate.scroll = 0;
        }
    }

    /// Puts the cursor on a row of the selected message; whether there is one.
    pub fn select_row(&mut self, n: u32) -> bool {
        self.gate_here().is_some_and(|gate| gate.select(n))
    }

    fn gate_here(&mut self) -> Option<&mut Gate> {
        let Some(Subject::Message(id)) = self.subject() else {
            return None;
        };
        let digest = id.digest;
        let mut gates = self.world.gates.iter_mut();
        gates.find(|gate| gate.message.digest == digest)
    }
}

/// The messages of the dossier as they are looked at; cursors and views stay with their bytes.
pub(super) fn opened(state: &mut State) {
    let Some(dossier) = state.world.dossier.as_deref() else {
        return;
    };
    let head = dossier.snapshot.head.to_string();
    let before = std::mem::take(&mut state.world.gates);
    // another message in the file that is open is the one to look at now
    if let Some(Row::Item(Subject::Message(id))) = &state.nav.selected
        && dossier.message(id).is_none()
    {
        let at = before
            .iter()
            .position(|gate| gate.message.digest == id.digest);
        let now = at.and_then(|at| dossier.messages.get(at));
        if let Some(waiting) = now {
            state.nav.selected = Some(Row::Item(Subject::Message(waiting.message.id())));
        }
    }
    let all = dossier.messages.len();
    state.world.gates = dossier
        .messages
        .iter()
        .zip(1_usize..)
        .map(|(waiting, at)| {
            let digest = waiting.message.digest;
            let message = Arc::clone(&waiting.message);
            let mut gate = Gate::new(waiting.file.clone(), message, Some(head.clone()));
            gate.record.clone_from(&dossier.run_record);
            gate.place = Some((at, all));
            let same = before.iter().find(|old| old.message.digest == digest);
            if let Some(old) = same {
                (gate.selected, gate.scroll, gate.view) = (old.selected, old.scroll, old.view);
            }
            gate
        })
        .collect();
}

/// Replies and refusals follow the judgment.
pub(super) fn judged(state: &mut State) {
    let (Some(dossier), Some(judgment)) = (&state.world.dossier, &state.world.judgment) else {
        return;
    };
    for gate in &mut state.world.gates {
        let id = gate.message.id();
        let standing = judgment.replies.iter().find(|one| one.message == id);
        gate.answer = standing.map(|one| Answered {
            reply: reply(&gate.message, &one.given.text),
            typed: one.given.text.clone(),
        });
        gate.stale = match dossier.message(&id).map(|waiting| &waiting.still) {
            Some(Still::Gone(why)) => Some(why.clone()),
            Some(Still::Delivered) => Some("its reply was delivered".into()),
            Some(Still::Waits) => None,
            None => Some("the message is not here any more".into()),
        };
    }
}

/// A message or its file is another one by now.
pub(super) fn gone(state: &mut State, id: &MessageId, why: String) {
    let dossier = state.world.dossier.as_deref_mut();
    let messages = dossier.map(|dossier| &mut dossier.messages);
    let mut found = messages.into_iter().flatten();
    if let Some(waiting) = found.find(|waiting| waiting.message.id() == *id) {
        waiting.still = Still::Gone(why);
        state.rejudge();
    }
}

/// Opens the page of a message.
pub(super) fn open(state: &mut State) {
    moves::focus(state, Focus::Triage);
}

/// What a deciding key on the page would act on.
pub(super) fn under(state: &State) -> String {
    let (id, gate) = match state.open_gate() {
        Some(found) => found,
        None => return String::new(),
    };
    format!("{} row {}", id.digest, gate.selected)
}

/// A movement on the page: over the rows of the menu, or of the report.
pub(super) fn step(state: &mut State, by: By) {
    let rows = match by {
        By::Rows(rows) => {
            if let Some(gate) = state.gate_here() {
                gate.step(rows);
            }
            return;
        }
        By::Halves(halves) => {
            let view = state.seen.measured.parts.get(&Focus::Triage);
            let half = view.map_or(1, |extent| (extent.rows / 2).max(1));
            halves.saturating_mul(isize::try_from(half).unwrap_or(1))
        }
        By::Top => isize::MIN,
        By::Bottom => isize::MAX,
    };
    scroll(state, rows);
}

/// Scrolls the report.
pub(super) fn scroll(state: &mut State, rows: isize) {
    let Some(extent) = state.seen.measured.parts.get(&Focus::Triage).copied() else {
        return;
    };
    let last = extent.total.saturating_sub(extent.rows);
    if let Some(gate) = state.gate_here() {
        gate.scroll = extent.top.saturating_add_signed(rows).min(last);
    }
}

/// A command on the page that means something else here than on the others; whether it did.
pub(super) fn command(state: &mut State, command: Command, fx: &mut Vec<Effect>) -> bool {
    if let Some(digit) = command.digit() {
        select(state, u32::from(digit));
        return true;
    }
    match command {
        Command::PaneNext => turn(state, 1),
        Command::PanePrev => turn(state, usize::MAX),
        Command::GoIn => read_on(state),
        Command::Abandon => silent(state),
        Command::PickEvidence => as_pr(state, fx),
        Command::Undo => take_back(state, fx),
        _ => return false,
    }
    true
}

/// Puts the cursor on a row; it decides nothing.
pub(super) fn select(state: &mut State, n: u32) {
    if !state.select_row(n) {
        state.say(format!("there is no row {n}"));
    }
}

fn turn(state: &mut State, by: usize) {
    if let Some(gate) = state.gate_here() {
        let places = gate.views().len();
        gate.turn(by.min(places - 1));
    }
}

/// Reads on: the report, then what of the menu does not fit, then from the beginning again.
fn read_on(state: &mut State) {
    let Some(extent) = state.seen.measured.parts.get(&Focus::Triage).copied() else {
        return;
    };
    if extent.top + extent.rows < extent.total {
        return scroll(state, isize::try_from(extent.rows).unwrap_or(isize::MAX));
    }
    if below_unseen(state) {
        if let Some(gate) = state.gate_here() {
            gate.menu_top = Some(gate.menu_top.map_or(0, |top| top + 1));
        }
        return;
    }
    if let Some(gate) = state.gate_here() {
        gate.menu_top = None;
    }
    if extent.total <= extent.rows {
        return state.say("the whole message is on the screen");
    }
    scroll(state, isize::MIN);
}

/// Whether rows below the report were not on screen yet.
fn below_unseen(state: &State) -> bool {
    let Some(subject) = state.subject() else {
        return false;
    };
    let seen = state.seen.rows.get(subject);
    let last = state.seen.last.as_ref();
    let last = last.filter(|drawn| drawn.subject == *subject);
    let missing = last.into_iter().flat_map(|drawn| &drawn.missing);
    let mut unseen = missing.filter(|label| seen.is_none_or(|rows| !rows.contains(*label)));
    unseen.any(|label| !label.starts_with("line "))
}

/// To the row that ends it without an answer.
pub(super) fn silent(state: &mut State) {
    open(state);
    let key = state.keys.shown(Command::Ratify);
    if state.gate_here().is_some_and(Gate::select_silent) {
        state.say(format!("{key} sends this row"));
    } else {
        state.say("this menu has no row that ends it");
    }
}

/// `u` on a page: the reply to this very message.
fn take_back(state: &mut State, fx: &mut Vec<Effect>) {
    let own = state.open_gate().and_then(|(id, _)| {
        let replies = &state.world.judgment.as_ref()?.replies;
        let standing = replies.iter().find(|one| one.message == *id)?;
        Some(standing.entry)
    });
    match own {
        Some(entry) => decide::undo_entry(state, entry, fx),
        None => state.refuse("this message has no reply to take back"),
    }
}

/// `r`: the row under the cursor.
pub(super) fn send(state: &mut State, subject: &Subject, fx: &mut Vec<Effect>) {
    let typed = state.open_gate().and_then(|(_, gate)| gate.would_type());
    match typed {
        Some(typed) => typed_at(state, subject, &typed, fx),
        None => state.refuse("Closed: there are no rows here."),
    }
}

/// `p`: the hotfix row, as a pull request.
fn as_pr(state: &mut State, fx: &mut Vec<Effect>) {
    let hotfix = state.open_gate().and_then(|(_, gate)| gate.hotfix());
    let Some(n) = hotfix.map(|row| row.n) else {
        return state.refuse("`as a PR` goes with the hotfix row, which is not here");
    };
    let Some(subject) = state.subject().cloned() else {
        return;
    };
    // the cursor goes where the key picks, so that what is refused and what is sent are one row
    state.select_row(n);
    match state.ready() {
        Ready::Nothing => {}
        Ready::Closed(why) | Ready::Soon(why) | Ready::Locked(why) => state.refuse(why),
        Ready::Open(_) => typed_at(state, &subject, &format!("{n} as a PR"), fx),
    }
}

/// A pick is given at once; everything else is shown first.
fn typed_at(state: &mut State, subject: &Subject, typed: &str, fx: &mut Vec<Effect>) {
    let Subject::Message(id) = subject else {
        return;
    };
    let Some(gate) = state.gate_of(id) else {
        return;
    };
    match given(&gate.message, typed) {
        Ok(given) if given.kind == Kind::Pick => {
            decide::act_now(state, subject, Act::Reply(given), Vec::new(), fx);
        }
        Ok(given) => show(state, subject.clone(), given, Vec::new()),
        Err(why) => state.refuse(format!("Not sent: {why}.")),
    }
}

/// The note is done: what the words mean is shown before they go.
pub(super) fn worded(state: &mut State, subject: Subject, text: &str, drafts: Vec<String>) {
    let Subject::Message(id) = &subject else {
        return;
    };
    let Some(gate) = state.gate_of(id) else {
        return state.refuse("Closed: this message is not here any more.");
    };
    match given(&gate.message, text) {
        Ok(given) => show(state, subject, given, drafts),
        Err(why) => state.refuse(format!("Not sent: {why}.")),
    }
}

fn show(
    state: &mut State,
    subject: Subject,
    given: crate::gate::menu::given::Given,
    drafts: Vec<String>,
) {
    state.mode = Mode::Confirm(Confirm::Reply(Box::new(Replying {
        subject,
        given,
        drafts,
    })));
}

/// What leaving does with the replies that stand; nothing without any.
#[must_use]
pub fn goes_out(replies: usize) -> Option<String> {
    match replies {
        0 => None,
        1 => Some("1 reply to a gate message goes out.".into()),
        many => Some(format!("{many} replies to gate messages go out.")),
    }
}

/// What gives the reply that is shown: giving up a criterion has a key of its own.
#[must_use]
pub fn gives(replying: &Replying) -> Command {
    if replying.given.lever == Some(Lever::Abandon) {
        Command::Abandon
    } else {
        Command::Ratify
    }
}

/// The reply that is shown is given.
pub(super) fn confirmed(state: &mut State, replying: Replying, fx: &mut Vec<Effect>) {
    let Replying {
        subject,
        given,
        drafts,
    } = replying;
    // the box stays: the same key again is soon late enough
    let for_ms = state.seen_of(&subject).map(|seen| seen.for_ms);
    if given.verb() == Verb::Affirm && for_ms.is_some_and(|ms| ms < state.world.policy.seen_ms) {
        let key = state.keys.shown(Command::Ratify);
        return state.refuse(format!(
            "Too fast: the message was only just on screen. Press {key} again."
        ));
    }
    state.mode = Mode::Browse;
    decide::act_now(state, &subject, Act::Reply(given), drafts, fx);
}

/// Back from the reply that is shown: to the words, where there were any.
pub(super) fn back(state: &mut State, replying: Replying) {
    state.mode = Mode::Browse;
    if replying.drafts.is_empty() {
        state.say("nothing was sent");
    } else {
        note::open(state, replying.subject, Verb::SendBack, NoteKind::Reply);
    }
}

/// A lever: its words begin in the box, and the person finishes them.
pub(super) fn pull(state: &mut State, lever: Lever) {
    let Some(subject) = state.subject().cloned() else {
        return;
    };
    if !decide::may_act(state) {
        return;
    }
    note::open(state, subject, Verb::SendBack, NoteKind::Reply);
    if let Mode::Note(note) = &mut state.mode
        && let Some((_, area)) = note.fields.first_mut()
    {
        *area = note::field(lever.opens());
    }
    state.say(lever.form());
}

/// Whether the row that is selected is a message.
pub(super) fn selected(state: &State) -> bool {
    matches!(&state.nav.selected, Some(Row::Item(Subject::Message(_))))
}
