//! Answers and run news. An answer whose ticket is not waited for is dropped, whatever it says.

use crate::gate::decide::{Act, Decision, Ruling};
use crate::gate::dossier::{Dossier, Recorded, Subject};
use crate::model::evidence::Evidence;
use crate::model::id::{EntryId, Oid, Ticket};
use crate::model::text::{Foreign, Place};

use super::super::claims::Claims;
use super::super::command::Command;
use super::super::effect::Effect;
use super::super::msg::{Answer, Appended, Opening, Sealed, Trouble};
use super::super::state::{Carrying, DiffStore, Mode, Purpose, Row, SpecPage, State};
use super::super::subject::name_of;
use super::super::walk;
use super::{carry, decide, files, menus, moves, note, picker, seen, triage, trust, writes};

/// One answer.
pub(super) fn answer(state: &mut State, ticket: Ticket, answer: Answer, fx: &mut Vec<Effect>) {
    // What became of the edits is told after the ruling that they hang on was answered.
    if let Answer::Written(result) = answer {
        return writes::written(state, result);
    }
    let Some(purpose) = state.waiting.open.get(&ticket).cloned() else {
        return;
    };
    // Files go on streaming under the ticket that opened the change; a file that turns out to be
    // damaged after its hunks came is said under it as well.
    if !matches!(purpose, Purpose::Open) {
        state.waiting.open.remove(&ticket);
    }
    match (purpose, answer) {
        (Purpose::Open, Answer::Opened(result)) => {
            opened(state, result);
            state.world.spec = SpecPage::Unasked;
        }
        (
            Purpose::Open,
            Answer::Files {
                files,
                claims,
                complete,
                cut,
            },
        ) => {
            files::stream(state, (files, claims, complete));
            if let Some(trouble) = cut {
                files::cut_short(state, &trouble);
            }
        }
        (Purpose::Open | Purpose::Hunks(_), answer @ Answer::Hunks { .. }) => {
            files::hunks(state, answer, fx);
        }
        (
            Purpose::Text(..),
            Answer::Text {
                path,
                side,
                from,
                lines,
            },
        ) => {
            if let Some(view) = state.diff.files.get_mut(&path) {
                view.take(side, from, lines);
                picker::refresh(state);
            }
        }
        (
            Purpose::Output(_),
            Answer::Output {
                digest,
                from,
                lines,
            },
        ) => match lines {
            Ok(lines) => {
                let stored = state.runs.outputs.entry(digest).or_default();
                stored.extend((from..).zip(lines));
            }
            Err(trouble) => say_trouble(state, &trouble),
        },
        (Purpose::TrustCard(_), Answer::Trust(result)) => trust::card(state, result),
        (Purpose::Trust(id, run), Answer::Trusted(result)) => match result {
            Ok(trusted) if trusted == id => {
                state.runs.trusted.insert(id.clone());
                if run {
                    decide::queue(state, vec![id], fx);
                } else {
                    state.say(format!("trusted {id}; nothing of it has run"));
                }
            }
            Ok(_) => {}
            Err(trouble) => say_trouble(state, &trouble),
        },
        (Purpose::Plan, Answer::Planned(result)) => writes::planned(state, result),
        (Purpose::Record(drafts), Answer::Recorded(result)) => {
            recorded(state, &drafts, result, fx);
        }
        (Purpose::HandOff, Answer::HandedOff(result)) => match result {
            Ok(paths) => {
                let names: Vec<&str> = paths
                    .iter()
                    .map(|path| path.rsplit('/').next().unwrap_or(path))
                    .collect();
                let said = writes::so_far(state);
                let refusal = state.status.refusal;
                state.say(format!("{said} · hand-off written: {}", names.join(", ")));
                state.status.refusal = refusal;
            }
            Err(trouble) => state.refuse(format!(
                "Not written: {} The ruling stands, recorded.",
                trouble.says
            )),
        },
        (Purpose::Editor, Answer::Edited(result)) => match result {
            Ok(text) => note::edited(state, &text, fx),
            Err(trouble) => say_trouble(state, &trouble),
        },
        (Purpose::Seal, Answer::Sealed(result)) => sealed(state, result),
        // Any other pair is an answer to something else and says nothing.
        (
            Purpose::Open
            | Purpose::Hunks(_)
            | Purpose::Text(..)
            | Purpose::Output(_)
            | Purpose::TrustCard(_)
            | Purpose::Trust(..)
            | Purpose::Record(_)
            | Purpose::Plan
            | Purpose::HandOff
            | Purpose::Editor
            | Purpose::Seal,
            _,
        ) => {}
    }
}

pub(super) fn say_trouble(state: &mut State, trouble: &Trouble) {
    state.refuse(
        format!("{} {}", trouble.says, trouble.hint)
            .trim_end()
            .to_owned(),
    );
}

/// The change was read. Selection and drafts stay; everything seen has to be seen again.
fn opened(state: &mut State, result: Result<Box<Opening>, Trouble>) {
    state.world.rereading = false;
    let opening = match result {
        Ok(opening) => *opening,
        Err(trouble) => {
            say_trouble(state, &trouble);
            if state.world.dossier.is_none() {
                state.world.trouble = Some(trouble);
            }
            return;
        }
    };
    let rows = walk::rows(state);
    let first = state.world.dossier.is_none();
    let same = state
        .dossier()
        .is_some_and(|dossier| dossier.snapshot == opening.dossier.snapshot);
    let what = moved(state, &opening.dossier);
    let kept = DiffStore {
        split: state.diff.split,
        wrap: state.diff.wrap,
        context: state.diff.context,
        ..DiffStore::default()
    };
    state.diff = kept;
    if !same {
        state.world.picked.clear();
        state.seen.file_lines.clear();
    }
    seen::forget_all(state);
    state.runs.trusted = opening.trusted.into_iter().collect();
    for (key, text) in opening.drafts {
        state.drafts.entry(key).or_insert(text);
    }
    state.world.trouble = None;
    state.world.others = None;
    state.world.carrying = Carrying::default();
    state.world.policy = opening.policy;
    state.world.since = opening.since;
    state.world.confirmed = opening.confirmed;
    let head = opening.dossier.snapshot.head.short();
    let undone = |entry: &EntryId| {
        opening
            .dossier
            .decisions
            .iter()
            .any(|decision| decision.entry == *entry)
    };
    state.world.sitting.retain(undone);
    state.nav.writes.clear();
    let scope = opening.dossier.scope.known();
    state.world.claims = scope.map(Claims::places).unwrap_or_default();
    state.world.dossier = Some(Box::new(opening.dossier));
    triage::opened(state);
    writes::remember(state);
    if let Some(streamed) = state.world.streamed.take() {
        files::apply(state, streamed);
    }
    state.judge();
    state.arrange();
    settle(state, &rows);
    if !menus::contracts(state).is_empty() && matches!(state.mode, Mode::Browse) {
        state.mode = Mode::Contracts(0);
    }
    let drafts = note::drafted(state);
    let kept = state.dossier().and_then(|d| d.kept.first());
    let kept = kept.map(|kept| format!("{}: decisions hold", kept.says()));
    if let (true, Some(kept)) = (first, &kept) {
        state.say(format!("opened at {head} · {kept} · nothing has been run"));
    } else if first {
        let read = format!("contract, criteria and diff read in {} ms", opening.took_ms);
        let first = drafts.unwrap_or(read);
        state.say(format!("opened at {head} · {first} · nothing has been run"));
    } else if same {
        state.say(format!(
            "read again in {} ms · nothing moved",
            opening.took_ms
        ));
    } else {
        let what = what.unwrap_or_else(|| format!("at {head}"));
        let old = if let Some(kept) = &kept {
            kept
        } else if state.dossier().is_some_and(|d| d.decisions.is_empty()) {
            "nothing was decided before"
        } else if carry::offers(state).is_empty() {
            "what was decided holds"
        } else {
            "decisions for the old one are stale"
        };
        state.say(format!("read again: {what}; {old}"));
    }
    if let Some(why) = opening.signing.first() {
        let said = state.status.says.clone();
        state.say(format!("{said} · nothing will be sealed: {why}"));
    }
}

/// What a new look found elsewhere than the one before.
fn moved(state: &State, now: &Dossier) -> Option<String> {
    let (old, new) = (&state.dossier()?.snapshot, &now.snapshot);
    let step = |name: &str, old: Oid, new: Oid| {
        (old != new).then(|| format!("{name} {} → {}", old.short(), new.short()))
    };
    step("head", old.head, new.head)
        .or_else(|| step("base", old.base, new.base))
        .or_else(|| (old.contract != new.contract).then(|| "another contract".to_owned()))
}

/// The selection by identity: the same row, else the one that stands where it stood, else the
/// first owed item.
fn settle(state: &mut State, before: &[Row]) {
    let rows = walk::rows(state);
    let selected = state.nav.selected.clone();
    if let Some(row) = &selected
        && rows.contains(row)
    {
        return;
    }
    let place = selected
        .as_ref()
        .and_then(|row| before.iter().position(|other| other == row))
        .and_then(|at| rows.get(at.min(rows.len().saturating_sub(1))))
        .cloned();
    let row = place
        .or_else(|| walk::first_owed(state).map(Row::Item))
        .or_else(|| rows.first().cloned());
    state.nav.selected = None;
    if let Some(row) = row {
        moves::point(state, row);
    }
}

/// The disk said so, or said why not.
fn recorded(
    state: &mut State,
    drafts: &[String],
    result: Result<Box<Appended>, Trouble>,
    fx: &mut Vec<Effect>,
) {
    let appended = match result {
        Ok(appended) => *appended,
        Err(trouble) => {
            state.world.carrying.queue.clear();
            return state.refuse(format!(
                "Not recorded: {} Nothing was decided; your text is kept. {}",
                trouble.says, trouble.hint
            ));
        }
    };
    for key in drafts {
        state.drafts.remove(key);
        fx.push(Effect::DropDraft(key.clone()));
    }
    let Some(dossier) = &mut state.world.dossier else {
        return;
    };
    match appended {
        Appended::Decision(decision) => {
            let subject = decision.value.subject().clone();
            let says = decided(state, &decision);
            if let Some(dossier) = &mut state.world.dossier {
                dossier.decided(*decision.clone());
            }
            state.world.sitting.push(decision.entry);
            let more = decision.value.carried().is_some();
            let more = more && !state.world.carrying.queue.is_empty();
            // one seal covers all entries before it
            if state.world.policy.seal_decisions && !more {
                seal(state, decision.entry, fx);
            }
            if let Subject::Criterion(id) = &subject {
                state.world.picked.remove(id);
            }
            state.rejudge();
            writes::prune(state, fx);
            if decision.value.carried().is_none() {
                return state.say(says);
            }
            state.world.carrying.done += 1;
            if !more {
                let says = carry::says(state, decision.number);
                state.say(says);
            } else if !carry::next(state, fx) && state.world.policy.seal_decisions {
                seal(state, decision.entry, fx);
            }
        }
        Appended::Undo { number, of, .. } => {
            let undone = dossier
                .decisions
                .iter()
                .position(|decision| decision.entry == of)
                .map(|at| dossier.decisions.remove(at));
            state.world.sitting.retain(|entry| *entry != of);
            state.rejudge();
            writes::prune(state, fx);
            let what = undone.map_or_else(
                || "an entry".to_owned(),
                |decision| {
                    seen::forget(state, decision.value.subject());
                    format!("{}: {}", decision.number, back_to(state, &decision))
                },
            );
            state.say(format!(
                "recorded as entry {number}: undone {what} · both entries stay in the ledger"
            ));
        }
        Appended::Ruling(ruling) => ruled(state, *ruling, fx),
    }
}

/// What an item is again after an undo.
fn back_to(state: &State, decision: &Recorded<Decision>) -> String {
    let subject = decision.value.subject();
    let word = state
        .world
        .judgment
        .as_ref()
        .and_then(|judgment| judgment.item(subject))
        .map_or("as before", |item| item.word);
    format!("{} is {word} again", name_of(subject))
}

fn ruled(state: &mut State, ruling: Recorded<Ruling>, fx: &mut Vec<Effect>) {
    state.say(format!(
        "recorded as entry {}: {}; a correction is a new ruling, and this one stays",
        ruling.number,
        ruling.value.verdict().word()
    ));
    state.world.ruled = Some(ruling.entry);
    let entry = ruling.entry;
    if let Some(dossier) = &mut state.world.dossier {
        dossier.rulings.push(ruling);
    }
    let ticket = state.ask(Purpose::HandOff);
    fx.push(Effect::HandOff(ticket));
    seal(state, entry, fx);
}

/// Asks for a seal, when there is a key for it.
fn seal(state: &mut State, entry: EntryId, fx: &mut Vec<Effect>) {
    let who = state.dossier().and_then(|dossier| dossier.who.known());
    if who.is_some_and(|who| who.key.is_some()) {
        let ticket = state.ask(Purpose::Seal);
        fx.push(Effect::Seal(ticket, entry));
    }
}

/// The seal is there, or why it is not: what was recorded stands either way.
fn sealed(state: &mut State, result: Result<Box<Sealed>, Trouble>) {
    let sealed = match result {
        Ok(sealed) => *sealed,
        Err(trouble) => {
            let said = state.status.says.clone();
            return state.refuse(format!("{} {} · {said}", trouble.says, trouble.hint));
        }
    };
    if let Some(dossier) = &mut state.world.dossier {
        if let Some(ruling) = &sealed.ruling {
            let mut rulings = dossier.rulings.iter_mut();
            if let Some(there) = rulings.find(|there| there.entry == ruling.entry) {
                *there = (**ruling).clone();
            }
        }
        if let Some(decision) = &sealed.decision {
            let mut decisions = dossier.decisions.iter_mut();
            if let Some(there) = decisions.find(|there| there.entry == decision.entry) {
                *there = (**decision).clone();
            }
        }
    }
    let refusal = state.status.refusal;
    let said = state.status.says.clone();
    state.say(format!(
        "sealed as entry {}, {} · {said}",
        sealed.number,
        sealed.level.label()
    ));
    state.status.refusal = refusal;
}

/// The sentence of a recorded decision.
fn decided(state: &State, decision: &Recorded<Decision>) -> String {
    let what = match decision.value.act() {
        Act::Ratify { evidence } => on(state, evidence),
        Act::KickBack { cause, text } => format!(
            ", {}, {} · goes out when you sign",
            cause.word(),
            counted(text.lines().count(), "line")
        ),
        Act::ChainClosed { at } => {
            format!(", by {}", Foreign::from(at.as_str()).shown(Place::Strict))
        }
        Act::Acknowledge
        | Act::AcceptEdit { .. }
        | Act::RatifyUnseen { .. }
        | Act::Abandon { .. }
        | Act::AcceptPartial { .. }
        | Act::Lift { .. }
        | Act::NotApplicable { .. }
        | Act::Override { .. }
        | Act::ChainAccepted { .. }
        | Act::ScopeAccept
        | Act::ScopeDecline { .. }
        | Act::ScopeTicket { .. }
        | Act::ScopeEscalate { .. }
        | Act::Answer(_) => String::new(),
        Act::Reply(_) => " · it goes out when you leave".to_owned(),
    };
    format!(
        "recorded as entry {}: {} {}{what} · {} takes it back",
        decision.number,
        match decision.value.act() {
            Act::AcceptPartial { .. } => "accepted partial delivery without",
            act => act.word(),
        },
        name_of(decision.value.subject()),
        state.keys.shown(Command::Undo)
    )
}

fn on(state: &State, evidence: &[Evidence]) -> String {
    let run = evidence.iter().find_map(|one| match one {
        Evidence::Run(entry) => state
            .dossier()?
            .runs
            .iter()
            .find(|run| run.entry == *entry)
            .map(|run| run.number),
        Evidence::Hunk { .. }
        | Evidence::Change { .. }
        | Evidence::Test { .. }
        | Evidence::Rationale(_) => None,
    });
    match run {
        Some(number) => format!(" on run {number}"),
        None if evidence.is_empty() => String::new(),
        None => format!(" on {}", counted(evidence.len(), "picked piece")),
    }
}

fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
