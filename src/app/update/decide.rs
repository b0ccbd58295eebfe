//! From a verb to an act: permits, what was seen, the one door of the gate, and the effect that
//! writes it. Nothing is decided while something moved or while an act is on its way to the disk.

use crate::gate::decide::{self, Act};
use crate::gate::dossier::Subject;
use crate::gate::permit::{Permit, Verb};
use crate::model::id::{CriterionId, EntryId};

use super::super::command::Command;
use super::super::effect::Effect;
use super::super::state::{Confirm, Mode, NoteKind, Purpose, State};
use super::super::subject::{Plan, name_of};
use super::seen::Ready;
use super::{note, picker, trust};

/// Whether a deciding key must be dropped: what it would act on was not drawn, or the terminal
/// has only just got its focus back (TUI-10).
pub(super) fn deaf(state: &State) -> bool {
    state.screen.now_ms < state.screen.deaf_until_ms
        || state.seen.stage.as_ref() != Some(&super::stage(state))
}

/// Whether an act may begin at all; says why not.
pub(super) fn may_act(state: &mut State) -> bool {
    if state.waiting.recording() {
        state.refuse("still recording the last one: nothing else is decided meanwhile");
        return false;
    }
    if let Some(why) = state.world_closed() {
        state.refuse(why);
        return false;
    }
    if state.dossier().is_none() {
        state.refuse("Closed: decisions open when head, base and contract are known.");
        return false;
    }
    let known = state.dossier().is_some_and(|d| d.who.known().is_some());
    if known && !state.world.confirmed && !state.world.sample {
        state.mode = Mode::Confirm(Confirm::Who);
        return false;
    }
    true
}

/// The person said that the name is theirs.
pub(super) fn it_is_me(state: &mut State, fx: &mut Vec<Effect>) {
    state.world.confirmed = true;
    state.mode = Mode::Browse;
    state.say("your name is confirmed on this machine · press the key again");
    fx.push(Effect::ConfirmWho);
}

/// A verb on the selected item.
pub(super) fn verb(state: &mut State, verb: Verb, fx: &mut Vec<Effect>) {
    if !may_act(state) {
        return;
    }
    let Some(item) = state.item() else {
        let key = state.keys.shown(Command::OwedNext);
        let says = "no item is selected: a file or a page is read, not decided";
        state.refuse(format!("{says} · {key} goes to the next one"));
        return;
    };
    let subject = item.subject.clone();
    let permit = item.permits.of(verb).clone();
    if verb == Verb::Affirm {
        return affirm(state, subject, fx);
    }
    match permit {
        Permit::Absent => {
            state.refuse(format!(
                "Closed: that does not apply to {}.",
                name_of(&subject)
            ));
        }
        Permit::Closed { .. } => state.refuse(permit.refusal().unwrap_or_default()),
        Permit::Open(_) | Permit::Locked(_) => match state.plan(&subject, verb) {
            Plan::Now(act) => act_now(state, &subject, act, Vec::new(), fx),
            Plan::Note(kind) => note::open(state, subject, verb, kind),
            Plan::Nothing | Plan::Row => state.refuse("Closed: that is done elsewhere."),
        },
    }
}

/// `r`.
fn affirm(state: &mut State, subject: Subject, fx: &mut Vec<Effect>) {
    let from_picker = match &state.mode {
        Mode::Picker(picker) => Some(picker.criterion.clone()),
        _ => None,
    };
    if from_picker.is_some() && !picker::take(state, fx) {
        return;
    }
    match state.ready() {
        Ready::Nothing => {}
        Ready::Closed(why) => state.refuse(why),
        Ready::Soon(why) => state.refuse(why),
        // its page shows what is missing, a box over it would hide that
        Ready::Locked(why) if matches!(subject, Subject::Message(_)) => {
            state.refuse(why);
            super::triage::open(state);
        }
        Ready::Locked(why) => {
            state.refuse(why);
            state.mode = Mode::Confirm(Confirm::Lock(subject));
        }
        Ready::Open(_) => match state.plan(&subject, Verb::Affirm) {
            Plan::Now(Act::Ratify { .. }) if weak(state) => {
                state.mode = Mode::Confirm(Confirm::Weak(subject));
            }
            Plan::Now(act) => act_now(state, &subject, act, Vec::new(), fx),
            Plan::Note(kind) => note::open(state, subject, Verb::Affirm, kind),
            Plan::Row => super::triage::send(state, &subject, fx),
            Plan::Nothing => {}
        },
    }
}

/// Whether the selected item's evidence is weak: then it is read once more.
fn weak(state: &State) -> bool {
    state.item().is_some_and(|item| item.word == "weak")
}

/// `r` on the card that says that the evidence is weak.
pub(super) fn all_the_same(state: &mut State, fx: &mut Vec<Effect>) {
    let Mode::Confirm(Confirm::Weak(subject)) = &state.mode else {
        return;
    };
    let subject = subject.clone();
    state.mode = Mode::Browse;
    if let (Ready::Open(_), Plan::Now(act)) = (state.ready(), state.plan(&subject, Verb::Affirm)) {
        act_now(state, &subject, act, Vec::new(), fx);
    }
}

/// A manual criterion for which nothing was picked.
pub(super) fn needs_pick(state: &State, id: &CriterionId) -> bool {
    let manual = state
        .criterion(id)
        .is_some_and(|criterion| criterion.oracle.is_none());
    let picked = state
        .world
        .picked
        .get(id)
        .is_some_and(|picked| !picked.is_empty());
    let subject = Subject::Criterion(id.clone());
    manual && !picked && !state.accepts_partial(&subject)
}

/// `Ctrl-r`: a note that asks why.
pub(super) fn unseen(state: &mut State) {
    if !may_act(state) {
        return;
    }
    let subject = match &state.mode {
        Mode::Confirm(Confirm::Lock(subject)) => Some(subject.clone()),
        _ => state.subject().cloned(),
    };
    let Some(subject) = subject else {
        return state.refuse("no item is selected");
    };
    match state.plan(&subject, Verb::Affirm) {
        Plan::Now(Act::Ratify { .. }) => match state.ready() {
            Ready::Closed(why) => state.refuse(why),
            Ready::Open(_) => {
                let key = state.keys.shown(Command::Ratify);
                state.say(format!("the evidence was seen: {key} ratifies"));
                state.mode = Mode::Confirm(Confirm::Seen(subject));
            }
            Ready::Nothing | Ready::Soon(_) | Ready::Locked(_) => {
                note::open(state, subject, Verb::Affirm, NoteKind::RatifyUnseen);
            }
        },
        Plan::Now(_) | Plan::Note(_) | Plan::Row | Plan::Nothing => {
            let key = state.keys.shown(Command::GoIn);
            state.refuse(format!(
                "Closed: only a ratify can be unseen; this one is read first. {key} shows it."
            ));
        }
    }
}

/// Decides through the gate's door and asks for the entry. `drafts` are the keys whose text the
/// act carries.
pub(super) fn act_now(
    state: &mut State,
    subject: &Subject,
    act: Act,
    drafts: Vec<String>,
    fx: &mut Vec<Effect>,
) {
    if !may_act(state) {
        return;
    }
    let seen = match &act {
        Act::RatifyUnseen { .. } => None,
        _ => state.seen_of(subject),
    };
    let (Some(dossier), Some(judgment)) = (state.dossier(), state.world.judgment.as_ref()) else {
        return;
    };
    match decide::decide(dossier, judgment, &state.world.policy, subject, act, seen) {
        Ok(decision) => {
            let ticket = state.ask(Purpose::Record(drafts));
            state.mode = Mode::Browse;
            state.say(format!(
                "recording: {} {}",
                decision.act().word(),
                name_of(subject)
            ));
            fx.push(Effect::Decide(ticket, Box::new(decision)));
        }
        Err(refusal) => state.refuse(refusal.sentence()),
    }
}

/// What `u` takes back: the last decision of this sitting, else one's own last one of an earlier
/// sitting that is not signed yet; where all are signed, the last, which is refused with its
/// ruling.
pub(super) fn last(state: &State) -> Option<EntryId> {
    if let Some(entry) = state.world.sitting.last() {
        return Some(*entry);
    }
    let dossier = state.dossier()?;
    let me = dossier.who.known()?.name();
    let signed = |entry: &EntryId| {
        let mut rulings = dossier.rulings.iter();
        rulings.any(|ruling| ruling.value.decisions().contains(entry))
    };
    dossier
        .decisions
        .iter()
        .filter(|decision| decision.value.by() == me)
        .max_by_key(|decision| (!signed(&decision.entry), decision.number))
        .map(|decision| decision.entry)
}

/// `u`.
pub(super) fn undo(state: &mut State, fx: &mut Vec<Effect>) {
    if !may_act(state) {
        return;
    }
    let Some(entry) = last(state) else {
        return state.refuse("nothing of yours to take back: u takes back your last decision");
    };
    undo_entry(state, entry, fx);
}

/// Takes back one entry.
pub(super) fn undo_entry(state: &mut State, entry: EntryId, fx: &mut Vec<Effect>) {
    if !may_act(state) {
        return;
    }
    let Some(dossier) = state.dossier() else {
        return;
    };
    match decide::undo(dossier, entry) {
        Ok(undo) => {
            let ticket = state.ask(Purpose::Record(Vec::new()));
            state.say("recording: undo");
            fx.push(Effect::Undo(ticket, undo));
        }
        Err(refusal) => state.refuse(refusal.sentence()),
    }
}

/// `x`: run, stop, or trust first.
pub(super) fn run(state: &mut State, fx: &mut Vec<Effect>) {
    let Some(id) = state.criterion_id().cloned() else {
        return no_criterion(state, "only criteria have oracles");
    };
    if stops(state, &id, fx) || !may_act(state) {
        return;
    }
    let subject = Subject::Criterion(id.clone());
    let permit = state
        .world
        .judgment
        .as_ref()
        .and_then(|judgment| judgment.item(&subject))
        .map(|item| item.permits.of(Verb::Run).clone());
    match permit {
        Some(closed @ Permit::Closed { .. }) => {
            let why = closed.refusal().unwrap_or_default();
            state.refuse(format!("{why} Nothing was run."));
        }
        Some(Permit::Absent) | None => {
            let key = state.keys.shown(Command::PickEvidence);
            state.refuse(format!(
                "Closed: {id} has no oracle to run. {key} picks evidence."
            ));
        }
        Some(Permit::Open(_) | Permit::Locked(_)) if state.runs.trusted.contains(&id) => {
            queue(state, vec![id], fx);
        }
        Some(Permit::Open(_) | Permit::Locked(_)) => {
            state.say(format!(
                "Nothing was run: {id} is not trusted. Read what would run."
            ));
            trust::open(state, id, Vec::new(), fx);
        }
    }
}

/// `B`: runs the oracle of the selected criterion on base, or stops what runs.
pub(super) fn run_base(state: &mut State, fx: &mut Vec<Effect>) {
    let Some(id) = state.criterion_id().cloned() else {
        return no_criterion(state, "only criteria have oracles");
    };
    if stops(state, &id, fx) || !may_act(state) {
        return;
    }
    let permit = state.item().map(|item| item.permits.of(Verb::Run).clone());
    let closed = permit.and_then(|permit| permit.refusal());
    if let Some(why) = closed.or_else(|| no_base(state)) {
        return state.refuse(format!("{why} Nothing was run."));
    }
    state.say(format!("queued {} on base", id.as_str()));
    state.runs.control.insert(id.clone());
    if !state.runs.queued.contains(&id) {
        state.runs.queued.push(id.clone());
    }
    fx.push(Effect::RunBase(id));
}

/// Why the oracle of the selected criterion cannot run on base.
pub(super) fn no_base(state: &State) -> Option<String> {
    let id = state.criterion_id()?;
    let pick = state.keys.shown(Command::PickEvidence);
    if state.criterion(id).is_none_or(|c| c.oracle.is_none()) {
        return Some(format!(
            "Closed: {id} has no oracle to run. {pick} picks evidence."
        ));
    }
    let snapshot = &state.dossier()?.snapshot;
    if snapshot.base_tree == snapshot.tree {
        return Some("Closed: base and head are the same tree.".to_owned());
    }
    (!state.runs.trusted.contains(id)).then(|| {
        format!(
            "Closed: {id} is not trusted. {} shows what it would run.",
            state.keys.shown(Command::Trust)
        )
    })
}

/// Stops what runs or waits for a criterion; whether there was something.
fn stops(state: &mut State, id: &CriterionId, fx: &mut Vec<Effect>) -> bool {
    let lives = state.runs.running.contains_key(id) || state.runs.queued.contains(id);
    if lives {
        state.say(format!("stopping {id}"));
        fx.push(Effect::Stop(Some(id.clone())));
    }
    lives
}

/// `X`: stops everything that runs, else runs what has not run on this tree.
pub(super) fn run_all(state: &mut State, fx: &mut Vec<Effect>) {
    if !state.runs.running.is_empty() || !state.runs.queued.is_empty() {
        state.say("stopping all runs");
        fx.push(Effect::Stop(None));
        return;
    }
    if !may_act(state) {
        return;
    }
    let due: Vec<CriterionId> = super::super::walk::items(state)
        .filter_map(|item| match &item.subject {
            Subject::Criterion(id)
                if matches!(
                    item.permits.of(Verb::Run),
                    Permit::Open(_) | Permit::Locked(_)
                ) && state.run_of(id).is_none() =>
            {
                Some(id.clone())
            }
            _ => None,
        })
        .collect();
    let (trusted, mut waiting): (Vec<_>, Vec<_>) = due
        .into_iter()
        .partition(|id| state.runs.trusted.contains(id));
    if trusted.is_empty() && waiting.is_empty() {
        return state.say("every oracle has run on this tree · x runs one again");
    }
    if !trusted.is_empty() {
        queue(state, trusted, fx);
    }
    if !waiting.is_empty() {
        let first = waiting.remove(0);
        trust::open(state, first, waiting, fx);
    }
}

/// Asks for runs.
pub(super) fn queue(state: &mut State, ids: Vec<CriterionId>, fx: &mut Vec<Effect>) {
    let names: Vec<&str> = ids.iter().map(CriterionId::as_str).collect();
    state.say(format!("queued {}", names.join(" ")));
    for id in &ids {
        if !state.runs.queued.contains(id) {
            state.runs.queued.push(id.clone());
        }
    }
    fx.push(Effect::Run(ids));
}

/// Refuses what only a criterion has, with the way to one.
pub(super) fn no_criterion(state: &mut State, says: &str) {
    let key = state.keys.shown(Command::Pane1);
    state.refuse(format!(
        "no criterion is selected: {says} · {key} goes to them"
    ));
}
