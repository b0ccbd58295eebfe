//! The list of changed files as it streams in, and who claims them.

use crate::gate::dossier::Dossier;
use crate::gate::floor::scope;
use crate::model::known::{Known, Reason};

use super::super::claims::Claims;
use super::super::msg::Trouble;
use super::super::state::{State, Streamed};
use super::answer;

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
