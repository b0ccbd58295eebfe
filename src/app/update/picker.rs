//! The evidence picker of a manual criterion: hunks of the change, tests, the person's own words.
//! "CI is green" is none of these and stays listed as refused, with the reason.

use std::collections::BTreeSet;

use crate::gate::dossier::Subject;
use crate::model::change::Hunk;
use crate::model::evidence::Evidence;
use crate::model::id::{CriterionId, Digest, RepoPath};

use super::super::command::Command;
use super::super::effect::Effect;
use super::super::msg::Side;
use super::super::state::{Candidate, FileView, Mode, NoteKind, Picker, State};
use super::{candidates, decide, needs, note, seen};

/// Words that say that a machine was content: no evidence for any criterion.
const MACHINE: [&str; 8] = [
    "ci is green",
    "ci green",
    "ci passes",
    "ci passed",
    "checks green",
    "all checks",
    "tests pass",
    "build is green",
];

/// Opens the picker of a criterion and asks for the hunks that it lists.
pub(super) fn open(state: &mut State, id: CriterionId, fx: &mut Vec<Effect>) {
    if state
        .criterion(&id)
        .is_some_and(|criterion| criterion.oracle.is_some())
    {
        let key = state.keys.shown(Command::Run);
        return state.refuse(format!(
            "Closed: {id} has an oracle; its run is the evidence. {key} runs it."
        ));
    }
    if state.criterion(&id).is_none() {
        return state.refuse(format!("Closed: the contract has no criterion {id}."));
    }
    let paths: Vec<RepoPath> = candidates::ranked(state, &id)
        .into_iter()
        .map(|(path, _)| path)
        .collect();
    for path in &paths {
        needs::hunks(state, path, fx);
    }
    let listed = candidates::of(state, &id);
    let picked = state.world.picked.get(&id).cloned().unwrap_or_default();
    let marked = marks(&listed, &picked);
    let at = listed
        .iter()
        .position(|candidate| candidate.grade == "ok")
        .unwrap_or(0);
    state.mode = Mode::Picker(Box::new(Picker {
        criterion: id,
        candidates: listed,
        at,
        marked,
    }));
    for path in paths {
        candidates::read(state, &path, fx);
    }
    follow(state, fx);
    // How many there are stands in the title, where it follows what still comes.
    state.say("the hunk under the cursor is shown below");
}

/// The candidates anew, after hunks or lines came; marks and cursor stay on the same things.
pub(super) fn refresh(state: &mut State) {
    let Mode::Picker(picker) = &state.mode else {
        return;
    };
    let id = picker.criterion.clone();
    let fresh = candidates::of(state, &id);
    let Mode::Picker(picker) = &mut state.mode else {
        return;
    };
    let find = |at: usize, picker: &Picker| {
        let says = &picker.candidates.get(at)?.says;
        fresh.iter().position(|candidate| &candidate.says == says)
    };
    let marked = picker
        .marked
        .iter()
        .filter_map(|at| find(*at, picker))
        .collect();
    // Nothing could be picked before: the first thing that can be is what one looks for.
    let best = fresh.iter().position(|candidate| candidate.grade == "ok");
    let empty = picker
        .candidates
        .iter()
        .all(|candidate| matches!(candidate.grade, "words" | "refused"));
    picker.at = match best {
        Some(best) if empty => best,
        Some(_) | None => find(picker.at, picker).unwrap_or(0),
    };
    picker.marked = marked;
    picker.candidates = fresh;
    save(state);
}

fn marks(candidates: &[Candidate], picked: &[Evidence]) -> BTreeSet<usize> {
    candidates
        .iter()
        .enumerate()
        .filter(|(_, candidate)| {
            candidate
                .evidence
                .as_ref()
                .is_some_and(|evidence| picked.contains(evidence))
        })
        .map(|(at, _)| at)
        .collect()
}

/// `Space`: marks the candidate, or takes the mark away.
pub(super) fn mark(state: &mut State, fx: &mut Vec<Effect>) {
    let Mode::Picker(picker) = &mut state.mode else {
        return;
    };
    let at = picker.at;
    let Some(candidate) = picker.candidates.get(at).cloned() else {
        return;
    };
    if candidate.grade == "refused" {
        return state.refuse(format!("Closed: {}.", candidate.why));
    }
    if candidate.grade == "words" {
        let subject = Subject::Criterion(picker.criterion.clone());
        return note::open(
            state,
            subject,
            crate::gate::permit::Verb::Affirm,
            NoteKind::Rationale,
        );
    }
    if !picker.marked.remove(&at) {
        picker.marked.insert(at);
    }
    follow(state, fx);
}

/// `Enter`: shows the candidate whole, in the diff.
pub(super) fn show(state: &mut State, fx: &mut Vec<Effect>) {
    let Mode::Picker(picker) = &state.mode else {
        return;
    };
    if picker
        .candidates
        .get(picker.at)
        .is_some_and(|candidate| candidate.grade == "words")
    {
        return mark(state, fx);
    }
    follow(state, fx);
    if state.nav.file.is_some() {
        state.mode = Mode::Browse;
        super::moves::focus(state, super::super::state::Focus::Diff);
    }
}

/// The diff shows the file of the candidate under the cursor, and that is what is picked while
/// nothing is marked.
pub(super) fn follow(state: &mut State, fx: &mut Vec<Effect>) {
    save(state);
    let Mode::Picker(picker) = &state.mode else {
        return;
    };
    let Some((path, hunk)) = picker
        .candidates
        .get(picker.at)
        .and_then(|candidate| candidate.place.clone())
    else {
        return;
    };
    state.nav.file = Some(path.clone());
    needs::hunks(state, &path, fx);
    for (side, lines) in [(Side::Base, hunk.before), (Side::Head, hunk.after)] {
        needs::text(state, &path, side, lines, fx);
    }
}

/// `r` in the picker: what is marked (or stands under the cursor) becomes the evidence. Whether
/// it can be ruled on.
pub(super) fn take(state: &mut State, fx: &mut Vec<Effect>) -> bool {
    let Mode::Picker(picker) = &mut state.mode else {
        return false;
    };
    if picker.marked.is_empty() {
        let at = picker.at;
        match picker.candidates.get(at) {
            Some(candidate) if candidate.grade == "refused" => {
                let why = format!("Closed: {}.", candidate.why);
                state.refuse(why);
                return false;
            }
            Some(candidate) if candidate.grade == "words" => {
                mark(state, fx);
                return false;
            }
            Some(_) => {
                picker.marked.insert(at);
            }
            None => return false,
        }
    }
    let waits = picker.marked.iter().any(|at| {
        picker
            .candidates
            .get(*at)
            .is_some_and(|candidate| candidate.evidence.is_none())
    });
    if waits {
        follow(state, fx);
        state.refuse("the lines of the marked hunk are still being read");
        return false;
    }
    save(state);
    true
}

/// What is marked becomes the picked evidence of the criterion; while nothing is marked, what
/// stands under the cursor, so that it is on screen and can be ruled on at once.
fn save(state: &mut State) {
    let Mode::Picker(picker) = &state.mode else {
        return;
    };
    let id = picker.criterion.clone();
    let under = BTreeSet::from([picker.at]);
    let chosen = if picker.marked.is_empty() {
        &under
    } else {
        &picker.marked
    };
    let evidence = chosen
        .iter()
        .filter_map(|at| picker.candidates.get(*at)?.evidence.clone())
        .collect();
    set(state, &id, evidence);
}

/// `Esc`: what was not marked is not picked.
pub(super) fn leave(state: &mut State) {
    if let Mode::Picker(picker) = &state.mode
        && picker.marked.is_empty()
    {
        let id = picker.criterion.clone();
        set(state, &id, Vec::new());
    }
    state.mode = Mode::Browse;
}

/// Picks this evidence; the person's own words stay beside it.
fn set(state: &mut State, id: &CriterionId, mut evidence: Vec<Evidence>) {
    let before = state.world.picked.get(id).cloned().unwrap_or_default();
    evidence.extend(
        before
            .iter()
            .filter(|evidence| matches!(evidence, Evidence::Rationale(_)))
            .cloned(),
    );
    if before != evidence {
        if evidence.is_empty() {
            state.world.picked.remove(id);
        } else {
            state.world.picked.insert(id.clone(), evidence);
        }
        seen::reopen(state, &Subject::Criterion(id.clone()));
    }
}

/// `m`: the hunk under the cursor of the diff becomes evidence of the selected criterion.
pub(super) fn mark_hunk(state: &mut State) {
    let Some(Subject::Criterion(id)) = state.subject().cloned() else {
        return decide::no_criterion(state, "evidence belongs to one");
    };
    if state
        .criterion(&id)
        .is_some_and(|criterion| criterion.oracle.is_some())
    {
        let key = state.keys.shown(Command::Run);
        return state.refuse(format!(
            "Closed: {id} has an oracle; its run is the evidence. {key} runs it."
        ));
    }
    let Some(diff) = &state.seen.measured.diff else {
        let key = state.keys.shown(Command::Diff);
        return state.refuse(format!("no diff is on screen · {key} shows it"));
    };
    let at = diff
        .hunks
        .iter()
        .rposition(|row| *row <= state.nav.cursor)
        .unwrap_or(0);
    let evidence = diff.path.clone().and_then(|path| {
        let view = state.diff.files.get(&path)?;
        let hunk = view.hunks.known()?.hunks.get(at)?.clone();
        hunk_evidence(state, &path, view, &hunk)
    });
    let Some(evidence) = evidence else {
        return state.refuse("the lines of this hunk are still being read");
    };
    let picked = state.world.picked.entry(id.clone()).or_default();
    if !picked.contains(&evidence) {
        picked.push(evidence);
    }
    seen::reopen(state, &Subject::Criterion(id.clone()));
    let key = state.keys.shown(Command::Ratify);
    state.say(format!(
        "hunk {} marked as evidence of {id} · {key} ratifies on it",
        at + 1
    ));
}

/// First and last line of a hunk, 1-based: of the head side, of the base side for a removal.
pub(super) fn lines_of(hunk: &Hunk) -> (u32, u32) {
    let lines = if hunk.after.is_empty() {
        &hunk.before
    } else {
        &hunk.after
    };
    (lines.start + 1, lines.end.max(lines.start + 1))
}

/// A hunk as evidence, once all its lines have come.
pub(super) fn hunk_evidence(
    state: &State,
    path: &RepoPath,
    view: &FileView,
    hunk: &Hunk,
) -> Option<Evidence> {
    let head = state.dossier()?.snapshot.head;
    let mut fields: Vec<Vec<u8>> = Vec::new();
    for (side, lines, sign) in [
        (Side::Base, hunk.before.clone(), b'-'),
        (Side::Head, hunk.after.clone(), b'+'),
    ] {
        for line in lines {
            let text = view.lines.get(&(side, line))?;
            let mut bytes = vec![sign];
            bytes.extend_from_slice(text.text.raw());
            fields.push(bytes);
        }
    }
    let fields: Vec<&[u8]> = fields.iter().map(Vec::as_slice).collect();
    let (line, end_line) = lines_of(hunk);
    Some(Evidence::Hunk {
        head,
        path: path.clone(),
        line,
        end_line,
        digest: Digest::of_fields(&fields),
    })
}

/// Why words are no evidence, when they only say that a machine was content.
pub(super) fn refused_words(text: &str) -> Option<String> {
    let lower = text.to_lowercase();
    let plain: Vec<&str> = lower
        .split(|character: char| !character.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let plain = plain.join(" ");
    let machine = MACHINE.iter().any(|words| plain.contains(words));
    (machine && plain.split(' ').count() < 12).then(|| {
        "Closed: \"CI is green\" is no evidence for a criterion. Say what you looked at.".into()
    })
}
