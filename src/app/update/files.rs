//! The list of changed files as it streams in, who claims them, and their hunks.

use crate::gate::dossier::Dossier;
use crate::gate::floor::scope;
use crate::model::change::{FileChange, Shape};
use crate::model::id::RepoPath;
use crate::model::known::{Known, Reason};

use super::super::claims::Claims;
use super::super::effect::Effect;
use super::super::msg::{Answer, Trouble};
use super::super::state::{State, Streamed};
use super::{answer, candidates, picker, seen};

/// Files as they stream in.
pub(super) fn stream(state: &mut State, streamed: Streamed) {
    if state.world.dossier.is_none() || state.world.rereading {
        state.world.streamed = Some(streamed);
        return;
    }
    apply(state, streamed);
    state.rejudge();
}

/// The list ends early: what was not listed cannot be accounted for, and nothing is approved.
pub(super) fn cut_short(state: &mut State, trouble: &Trouble) {
    if let Some(dossier) = &mut state.world.dossier {
        dossier.files = Known::Unknown(Reason::new(trouble.says.clone()));
        dossier.scope = Known::Unknown(Reason::new(trouble.says.clone()));
    }
    state.world.claims = Claims::default();
    state.rejudge();
    answer::say_trouble(state, trouble);
}

/// The list of files, and the scope once it is whole: a part of a list accounts for nothing,
/// but who claims a file that was found is shown at once.
pub(super) fn apply(state: &mut State, (files, claims, complete): Streamed) {
    let Some(dossier) = &mut state.world.dossier else {
        return;
    };
    let Dossier {
        contract, scope, ..
    } = &mut **dossier;
    let claims = match (claims, &*contract) {
        (Some(claims), _) => Some(*claims),
        (None, Known::Is(record)) => Some(Claims::of(scope::trace(&record.contract, &files))),
        (None, Known::Unknown(_) | Known::NotApplicable(_) | Known::NotSupplied) => None,
    };
    state.world.claims = claims.unwrap_or_default();
    *scope = match contract {
        Known::Is(_) if complete => Known::Is(state.world.claims.take().unwrap_or_default()),
        Known::Is(_) => Known::Unknown(Reason::new(format!(
            "files are still being listed, {} so far",
            files.len()
        ))),
        Known::Unknown(why) => Known::Unknown(why.clone()),
        Known::NotApplicable(why) => Known::NotApplicable(why.clone()),
        Known::NotSupplied => Known::NotSupplied,
    };
    dossier.files = Known::Is(files);
}

/// Hunks of a file, or that they cannot be had: what was shown of it does not count then.
pub(super) fn hunks(state: &mut State, answer: Answer, fx: &mut Vec<Effect>) {
    let Answer::Hunks {
        path,
        shape,
        hunks,
        counts,
        first,
    } = answer
    else {
        return;
    };
    let Some(view) = state.diff.files.get_mut(&path) else {
        return;
    };
    for run in first {
        view.take(run.side, run.from, run.lines);
    }
    view.shape = Known::Is(shape.clone());
    view.hunks = match hunks {
        Ok(hunks) => Known::Is(hunks),
        Err(trouble) => Known::Unknown(Reason::new(trouble.says)),
    };
    let lost = matches!(shape, Shape::Missing(_));
    if let Some(file) = file_mut(state, &path) {
        file.shape = Known::Is(shape);
        file.counts = Known::Is(counts);
    }
    if lost {
        seen::forget_all(state);
        state.rejudge();
    }
    candidates::read(state, &path, fx);
    picker::refresh(state);
    picker::follow(state, fx);
}

fn file_mut<'a>(state: &'a mut State, path: &RepoPath) -> Option<&'a mut FileChange> {
    match &mut state.world.dossier.as_mut()?.files {
        Known::Is(files) => files.iter_mut().find(|file| &file.path == path),
        Known::Unknown(_) | Known::NotApplicable(_) | Known::NotSupplied => None,
    }
}
