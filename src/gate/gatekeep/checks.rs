//! Checks: which of them block, which bind while they pend, and what evidence counts.

use super::disposition::CheckSays;
use super::facts::{Facts, MergeState};
use crate::model::known::Known;

/// How a check ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Ended {
    /// Green.
    Success,
    /// Skipped or neutral.
    Neutral,
    /// Red.
    Failure,
    /// Not yet.
    Pending,
    /// It waits for a person to let it run.
    Held,
}

/// What is behind a check.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// A status that somebody set.
    Status,
    /// A check run whose workflow run is completed.
    RunDone,
    /// A check run whose workflow run is not completed, or cannot be found.
    RunOpen,
}

/// A check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Check {
    /// Its name, fit to be shown.
    pub name: String,
    /// How it ended.
    pub ended: Known<Ended>,
    /// What is behind it.
    pub kind: Known<Kind>,
    /// What a person said of it.
    pub says: Option<CheckSays>,
}

/// What a check does to the gate.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Effect {
    /// Nothing.
    None,
    /// It is evidence.
    Green,
    /// It fails and nobody said what that means: a blocker, and no worker fixes it.
    Undispositioned,
    /// It fails, and was called real or broken: it blocks.
    Blocks,
    /// It pends, and withholds the merge.
    Binds,
    /// It waits for a person to let it run.
    Held,
}

impl Effect {
    /// The word in a document.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Green => "green",
            Self::Undispositioned => "undispositioned",
            Self::Blocks => "blocks",
            Self::Binds => "binds",
            Self::Held => "held",
        }
    }
}

/// What a check does, given the merge state and whether a local run is green.
#[must_use]
pub fn effect(check: &Check, merge_state: &Known<MergeState>, local_green: &Known<bool>) -> Effect {
    match &check.ended {
        Known::Is(Ended::Success) => Effect::Green,
        Known::Is(Ended::Neutral) => Effect::None,
        Known::Is(Ended::Held) => Effect::Held,
        Known::Is(Ended::Failure) => match check.says {
            None => Effect::Undispositioned,
            Some(CheckSays::Flaky) => Effect::None,
            Some(CheckSays::Real) => Effect::Blocks,
            Some(CheckSays::CiBroken) if local_green.known() == Some(&true) => Effect::None,
            Some(CheckSays::CiBroken) => Effect::Blocks,
        },
        Known::Is(Ended::Pending) if binds(check, merge_state) => Effect::Binds,
        Known::Is(Ended::Pending) => Effect::None,
        Known::Unknown(_) | Known::NotApplicable(_) | Known::NotSupplied => Effect::Binds,
    }
}

/// Whether a pending check withholds: while the forge blocks or does not say, or while what is
/// behind it is not over or not known.
fn binds(check: &Check, merge_state: &Known<MergeState>) -> bool {
    let forge = matches!(
        merge_state,
        Known::Is(MergeState::Other | MergeState::Behind)
    );
    let over = matches!(check.kind, Known::Is(Kind::Status | Kind::RunDone));
    !forge || !over
}

/// What evidence there is; the first that applies.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Evidence {
    /// The repository takes local runs only.
    LocalOnly,
    /// A check failed.
    Failed,
    /// A run waits for a person.
    Held,
    /// A binding check pends.
    Pending,
    /// At least one green check, nothing that blocks.
    Ci,
    /// A local run stands in.
    Fallback,
    /// None: what there is was taken at another head.
    Stale,
    /// None.
    None,
}

impl Evidence {
    /// The word in a document.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::LocalOnly => "local only",
            Self::Failed => "a check failed",
            Self::Held => "a run is held",
            Self::Pending => "pending",
            Self::Ci => "CI",
            Self::Fallback => "local fallback",
            Self::Stale => "of another head",
            Self::None => "none",
        }
    }
}

/// The evidence, and whether it counts.
#[must_use]
pub fn evidence(facts: &Facts) -> (Evidence, Known<bool>) {
    let local = || facts.local_green.clone();
    if facts.stale_head {
        return (Evidence::Stale, Known::Is(false));
    }
    if facts.local_only {
        return (Evidence::LocalOnly, local());
    }
    let Some(checks) = facts.checks.known() else {
        return (Evidence::Pending, Known::Is(false));
    };
    let effects: Vec<Effect> = checks
        .iter()
        .map(|check| effect(check, &facts.merge_state, &facts.local_green))
        .collect();
    let any = |wanted: Effect| effects.contains(&wanted);
    if any(Effect::Undispositioned) || any(Effect::Blocks) {
        (Evidence::Failed, Known::Is(false))
    } else if any(Effect::Held) {
        (Evidence::Held, local())
    } else if any(Effect::Binds) {
        (Evidence::Pending, Known::Is(false))
    } else if any(Effect::Green) {
        (Evidence::Ci, Known::Is(true))
    } else if facts.local_green.known() == Some(&true) {
        (Evidence::Fallback, Known::Is(true))
    } else {
        (Evidence::None, Known::Is(false))
    }
}
