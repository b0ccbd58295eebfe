//! What a merge needs, each item by itself, as a checklist for a person. countersign never merges.

use super::checks::{Effect, effect, evidence};
use super::facts::{Comments, Facts, MergeState, Mergeable, Permission, State, Sync};
use crate::model::known::Known;

/// One item of the list.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "`Need::words` says each")]
pub enum Need {
    Open,
    NoDraft,
    Permission,
    Blockers,
    Evidence,
    Claims,
    Provenance,
    Mergeable,
    NotBehind,
    Checks,
    MergeState,
    Comments,
    SourceReview,
    Pushed,
    TrackedClean,
    Unmoved,
}

impl Need {
    /// Every item, in the order of the list.
    pub const ALL: [Self; 16] = [
        Self::Open,
        Self::NoDraft,
        Self::Permission,
        Self::Blockers,
        Self::Evidence,
        Self::Claims,
        Self::Provenance,
        Self::Mergeable,
        Self::NotBehind,
        Self::Checks,
        Self::MergeState,
        Self::Comments,
        Self::SourceReview,
        Self::Pushed,
        Self::TrackedClean,
        Self::Unmoved,
    ];

    /// The item in words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Open => "the pull request is open",
            Self::NoDraft => "it is no draft",
            Self::Permission => "you may merge",
            Self::Blockers => "every blocker is fixed and pushed, or called flaky",
            Self::Evidence => "evidence for the assessed head",
            Self::Claims => "every material claim is dispositioned",
            Self::Provenance => "provenance is clean",
            Self::Mergeable => "the forge says MERGEABLE",
            Self::NotBehind => "it is not behind its base",
            Self::Checks => "no failing check without a word, no binding check pending",
            Self::MergeState => "the forge does not say BLOCKED or UNKNOWN",
            Self::Comments => "no reviewer's comment pends",
            Self::SourceReview => "no comment delta is unreviewed",
            Self::Pushed => "what is here is pushed",
            Self::TrackedClean => "no tracked file differs",
            Self::Unmoved => "head and state are as they were assessed",
        }
    }
}

/// How an item stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Stands {
    /// It holds.
    Met,
    /// It does not.
    Unmet,
    /// It could not be looked at, which never counts as met.
    Unknown,
}

fn of(fact: &Known<bool>) -> Stands {
    match fact {
        Known::Is(true) => Stands::Met,
        Known::Is(false) => Stands::Unmet,
        _ => Stands::Unknown,
    }
}

fn when<T>(fact: &Known<T>, holds: impl Fn(&T) -> bool) -> Stands {
    match fact {
        Known::Is(value) if holds(value) => Stands::Met,
        Known::Is(_) => Stands::Unmet,
        _ => Stands::Unknown,
    }
}

/// How one item stands.
#[must_use]
pub fn stands(need: Need, facts: &Facts) -> Stands {
    let yes = |holds: bool| if holds { Stands::Met } else { Stands::Unmet };
    match need {
        Need::Open => when(&facts.state, |state| *state == State::Open),
        Need::NoDraft => when(&facts.draft, |draft| !draft),
        Need::Permission => when(&facts.permission, |p| *p == Permission::Write),
        Need::Blockers => yes(facts.blockers == 0),
        Need::Evidence => of(&evidence(facts).1),
        Need::Claims => of(&facts.claims),
        Need::Provenance => of(&facts.provenance),
        Need::Mergeable => when(&facts.mergeable, |m| *m == Mergeable::Yes),
        Need::NotBehind => when(&facts.merge_state, |s| *s != MergeState::Behind),
        Need::Checks => when(&facts.checks, |checks| {
            checks.iter().all(|check| {
                let effect = effect(check, &facts.merge_state, &facts.local_green);
                matches!(effect, Effect::None | Effect::Green | Effect::Held)
            })
        }),
        Need::MergeState => when(&facts.merge_state, |s| *s != MergeState::Blocked),
        Need::Comments => match facts.comments {
            Comments::Settled | Comments::Unreviewed => Stands::Met,
            Comments::Pending => Stands::Unmet,
            Comments::NotFetched => Stands::Unknown,
        },
        Need::SourceReview => yes(facts.comments != Comments::Unreviewed),
        Need::Pushed => yes(facts.sync == Sync::Pushed),
        Need::TrackedClean => of(&facts.tracked_clean),
        Need::Unmoved => of(&facts.unmoved),
    }
}

/// The list.
#[must_use]
pub fn checklist(facts: &Facts) -> Vec<(Need, Stands)> {
    let all = Need::ALL.into_iter();
    all.map(|need| (need, stands(need, facts))).collect()
}

/// Whether every item is met.
#[must_use]
pub fn ready(facts: &Facts) -> bool {
    let mut all = Need::ALL.into_iter();
    all.all(|need| stands(need, facts) == Stands::Met)
}

/// Whether a pending reviewer is the only item that is not met: the one thing that a person may
/// override.
#[must_use]
pub fn only_a_reviewer_pends(facts: &Facts) -> bool {
    facts.comments == Comments::Pending
        && Need::ALL
            .into_iter()
            .all(|need| need == Need::Comments || stands(need, facts) == Stands::Met)
}
