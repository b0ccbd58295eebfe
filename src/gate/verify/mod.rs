//! The verify gate: its inputs, its triggers and the 96-row decision table (verify-gate 1.5).
//!
//! It never re-runs anything (H11) and never learns who asks; what is not supplied is a nit,
//! what could not be read refuses.

pub mod anchor;
pub(in crate::gate) mod breakers;
pub mod claims;
pub mod document;
pub mod evidence;
pub mod markers;
pub mod minor;
pub mod resolution;
pub(in crate::gate) mod scope;
pub mod scoped;
pub mod since;
pub mod table;
pub mod threads;
pub mod timeline;

use std::sync::Arc;

use crate::model::id::CriterionId;
use crate::model::ruling::Verdict;
use crate::model::standing::Standing;

use super::decide::Ruling;
use super::dossier::Recorded;

use table::Row;

/// The triggers of the decision table, by their names in verify-gate 1.5.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Trigger {
    /// A criterion is MISSING, or none is resolved at all.
    T1,
    /// A person's comment is unresolved.
    T2,
    /// A panel's blocker is unresolved.
    T3,
    /// A `verifiable:` minor is unresolved.
    T4,
    /// A must-fix finding of simplify is not applied.
    T5,
    /// A blocking adherence violation.
    T6,
    /// A scope overflow with disposition ESCALATE.
    Se,
    /// An untagged or hedged minor.
    Mm,
}

impl Trigger {
    /// The name as printed.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::T1 => "T1",
            Self::T2 => "T2",
            Self::T3 => "T3",
            Self::T4 => "T4",
            Self::T5 => "T5",
            Self::T6 => "T6",
            Self::Se => "SE",
            Self::Mm => "MM",
        }
    }
}

/// How a criterion is printed in the verdict (rulings A2).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Status {
    /// Ratified, carried, or ruled not applicable by a person.
    Addressed,
    /// Failing, error, stale, kicked back, abandoned; and whatever is undecided at the ruling.
    Missing,
    /// Pending, passing and not ratified, unproven: a person can still change it.
    Undecided,
    /// A person let it pass against the evidence; never ADDRESSED.
    Overridden,
    /// Marked optional or post-merge: listed, never blocks, never counts as met (K44).
    Exempt,
}

impl Status {
    /// The token as printed.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Addressed => "ADDRESSED",
            Self::Missing => "MISSING",
            Self::Undecided => "undecided",
            Self::Overridden => "overridden",
            Self::Exempt => "exempt",
        }
    }

    /// The status of a standing; `exempt` is true for optional and post-merge criteria.
    #[must_use]
    pub fn of(standing: Standing, exempt: bool) -> Self {
        if exempt {
            return Self::Exempt;
        }
        match standing {
            Standing::Ratified | Standing::Carried | Standing::NotApplicable => Self::Addressed,
            Standing::Failing
            | Standing::Error
            | Standing::Stale
            | Standing::KickedBack
            | Standing::Abandoned => Self::Missing,
            Standing::Pending | Standing::Passing | Standing::Unproven => Self::Undecided,
            Standing::Overridden => Self::Overridden,
        }
    }
}

/// Words that are printed beside a verdict and never as one (verify-gate 1.4).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum VerdictState {
    /// As the rules say.
    Ruled,
    /// An undecided item could still change it.
    Undecided,
    /// A person let something pass against the evidence.
    Overridden,
    /// Third round without a caller: it can't unblock an escalated gaze (K09).
    StandaloneOverride,
    /// Head, base or contract moved.
    Stale,
    /// Something the rules need could not be read.
    CouldNotMeasure,
}

impl VerdictState {
    /// The token as printed in `verify/1`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Ruled => "ruled",
            Self::Undecided => "undecided",
            Self::Overridden => "overridden",
            Self::StandaloneOverride => "standalone-override",
            Self::Stale => "stale",
            Self::CouldNotMeasure => "could-not-measure",
        }
    }
}

/// What the verify gate found, for the page, the JSON and the comment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verified {
    /// The row that decides, once nothing undecided can change it.
    pub row: Option<Row>,
    /// The word beside the verdict.
    pub state: VerdictState,
    /// The triggers that fire on what is settled.
    pub triggers: Vec<Trigger>,
    /// Circuit breakers, in our words.
    pub breakers: Vec<String>,
    /// Nits, in our words.
    pub nits: Vec<String>,
    /// Each criterion's status, in contract order.
    pub criteria: Vec<(CriterionId, Status)>,
    /// Whether a partial delivery was accepted; then no output says complete (H29, H32).
    pub partial: bool,
    /// Whether the only thing wrong is what the floor measures (H30): no round is used.
    pub floor_bounce: bool,
    /// What it is when it is signed as it stands: what nobody decided counts as not done.
    pub signed: Signed,
    /// Threads, after what the person said about them.
    pub cases: Arc<Vec<threads::Case>>,
}

/// The verify gate when everything undecided counts as not done (A2).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signed {
    /// The row that decides.
    pub row: Row,
    /// The triggers that fire.
    pub triggers: Vec<Trigger>,
}

impl Verified {
    /// Whether this trigger fires.
    #[must_use]
    pub fn fires(&self, trigger: Trigger) -> bool {
        self.triggers.contains(&trigger)
    }

    /// How many criteria have this status.
    #[must_use]
    pub fn count(&self, status: Status) -> usize {
        self.criteria.iter().filter(|(_, s)| *s == status).count()
    }
}

/// The round that the next ruling is, from the ledger alone (rulings A4): one more than the
/// rulings of this change that carry a verify verdict. A floor bounce used no round (H30).
#[must_use]
pub fn round_after(rulings: &[Recorded<Ruling>]) -> u32 {
    let spent = rulings
        .iter()
        .filter(|ruling| !ruling.value.floor_bounce())
        .filter(|ruling| match ruling.value.verdict() {
            Verdict::Approved | Verdict::Reroll | Verdict::Escalate => true,
            Verdict::Undecided | Verdict::Stale | Verdict::CouldNotMeasure => false,
        })
        .map(|ruling| ruling.value.round())
        .fold((0, 0), |(count, last), round| (count + 1, round.max(last)));
    spent.0.max(spent.1) + 1
}

/// How many floor bounces this change had (H30; the source allows three).
#[must_use]
pub fn bounces(rulings: &[Recorded<Ruling>]) -> usize {
    rulings.iter().filter(|r| r.value.floor_bounce()).count()
}
