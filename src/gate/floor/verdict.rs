//! The floor verdict: MET, UNMET(n), PENDING(n), ABANDONED(n), ERROR (contract-gates 1.7, 1.8,
//! rulings A7).

use std::collections::{BTreeMap, BTreeSet};

use crate::model::contract::{Contract, Criterion, EvidenceClaim};
use crate::model::id::{CriterionId, Digest};
use crate::model::oracle::Outcome;

use super::super::dossier::RunFact;

/// The verdict with its rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FloorVerdict {
    /// The token.
    pub token: FloorToken,
    /// Runnable criteria and all criteria. `runnable == 0` is a floor that is empty, not green.
    pub runnable: (usize, usize),
    /// One row for each criterion.
    pub rows: Vec<FloorRow>,
}

impl FloorVerdict {
    /// Whether nothing can be run at all.
    #[must_use]
    pub fn floor_empty(&self) -> bool {
        self.runnable.0 == 0
    }
}

/// The token and its count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FloorToken {
    /// The contract has errors.
    Error(usize),
    /// Rows that are not met.
    Unmet(usize),
    /// Rows that were never run on this tree.
    Pending(usize),
    /// Abandoned criteria.
    Abandoned(usize),
    /// Everything runnable is met.
    Met,
}

impl std::fmt::Display for FloorToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Error(n) => write!(f, "ERROR({n})"),
            Self::Unmet(n) => write!(f, "UNMET({n})"),
            Self::Pending(n) => write!(f, "PENDING({n})"),
            Self::Abandoned(n) => write!(f, "ABANDONED({n})"),
            Self::Met => f.write_str("MET"),
        }
    }
}

/// One row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FloorRow {
    /// Whose.
    pub id: CriterionId,
    /// Its state.
    pub state: FloorState,
    /// What the oracle says where an abandonment masks it.
    pub masked: Option<FloorState>,
    /// A claim of evidence that no ledger entry covers (G8).
    pub unsealed: bool,
    /// The run it rests on, an index into the facts given.
    pub run: Option<usize>,
}

/// The state of a criterion at the floor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(
    missing_docs,
    reason = "each is the token of contract-gates 1.7, printed as written there"
)]
pub enum FloorState {
    Met,
    NotMet,
    Manual,
    Pending,
    MetRecorded,
    NotMetRecorded,
    Abandoned,
    Error,
}

impl FloorState {
    /// The token as printed.
    #[must_use]
    pub fn token(self) -> &'static str {
        match self {
            Self::Met => "MET",
            Self::NotMet => "NOT-MET",
            Self::Manual => "MANUAL",
            Self::Pending => "PENDING",
            Self::MetRecorded => "MET-RECORDED",
            Self::NotMetRecorded => "NOT-MET-RECORDED",
            Self::Abandoned => "ABANDONED",
            Self::Error => "ERROR",
        }
    }
}

/// Which runs count as this process's own (`floor run`), which only as recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// `floor status`, and the session: recorded runs of this tree and oracle count as recorded.
    Status,
    /// `floor run`: runs of this process.
    Run,
}

/// The verdict over a contract. `runs` are runs on the tree in question, oldest first; the last
/// one of the oracle that stands in the contract counts.
///
/// A recorded MET needs such a run, whatever the EVIDENCE line says; a written NOT-MET is shown
/// even without one, because reading over it would be the laxer mistake (contract-gates edge 4,
/// rulings A7). Optional and post-merge criteria have rows and are never counted (rulings K44).
#[must_use]
pub fn floor<'a>(
    contract: &Contract,
    runs: impl IntoIterator<Item = &'a RunFact>,
    mode: Mode,
) -> FloorVerdict {
    let latest = latest(runs);
    let abandoned: BTreeSet<_> = contract
        .abandonments
        .iter()
        .filter_map(|abandonment| abandonment.id.as_ref())
        .collect();
    let wrong: BTreeSet<u32> = contract.errors().map(|complaint| complaint.line).collect();
    let rows: Vec<_> = contract
        .criteria
        .iter()
        .map(|criterion| {
            let refused = wrong
                .range(criterion.line..=criterion.end_line)
                .next()
                .is_some();
            let given_up = abandoned.contains(&criterion.id);
            row(criterion, &latest, mode, refused, given_up)
        })
        .collect();
    FloorVerdict {
        token: token(contract, &rows),
        runnable: (contract.runnable(), contract.criteria.len()),
        rows,
    }
}

/// The last run of each criterion and oracle, and its index.
type Latest<'a> = BTreeMap<(&'a CriterionId, Digest), (usize, Outcome)>;

fn latest<'a>(runs: impl IntoIterator<Item = &'a RunFact>) -> Latest<'a> {
    runs.into_iter()
        .enumerate()
        .map(|(at, run)| ((&run.criterion, run.oracle), (at, run.outcome)))
        .collect()
}

fn row(
    criterion: &Criterion,
    latest: &Latest<'_>,
    mode: Mode,
    refused: bool,
    abandoned: bool,
) -> FloorRow {
    let run = criterion
        .oracle
        .as_ref()
        .and_then(|oracle| latest.get(&(&criterion.id, oracle.digest())).copied());
    let outcome = run.map(|(_, outcome)| outcome);
    let claim = criterion.evidence.as_ref().map(|slot| slot.claim);
    let claimed = matches!(claim, Some(EvidenceClaim::Met | EvidenceClaim::NotMet));
    let state = match (&criterion.oracle, outcome, mode) {
        _ if refused => FloorState::Error,
        (None, _, _) => FloorState::Manual,
        (Some(_), Some(Outcome::Met), Mode::Run) => FloorState::Met,
        (Some(_), Some(Outcome::Met), Mode::Status) => FloorState::MetRecorded,
        (Some(_), Some(Outcome::NotMet), Mode::Run) => FloorState::NotMet,
        (Some(_), Some(Outcome::NotMet), Mode::Status) => FloorState::NotMetRecorded,
        (Some(_), Some(Outcome::Error), _) => FloorState::Error,
        (Some(_), None, Mode::Status) if claim == Some(EvidenceClaim::NotMet) => {
            FloorState::NotMetRecorded
        }
        (Some(_), None, _) => FloorState::Pending,
    };
    let says_something = !matches!(state, FloorState::Manual | FloorState::Pending);
    FloorRow {
        id: criterion.id.clone(),
        state: if abandoned {
            FloorState::Abandoned
        } else {
            state
        },
        masked: (abandoned && says_something).then_some(state),
        unsealed: criterion.oracle.is_some() && claimed && run.is_none(),
        run: run.map(|(at, _)| at),
    }
}

/// Strictest first: errors, rows that are not met, rows never run, abandonments (1.8).
fn token(contract: &Contract, rows: &[FloorRow]) -> FloorToken {
    let errors = contract.errors().count();
    if errors > 0 {
        return FloorToken::Error(errors);
    }
    let counted = |wanted: fn(FloorState) -> bool| {
        contract
            .criteria
            .iter()
            .zip(rows)
            .filter(|(criterion, _)| !criterion.optional && !criterion.post_merge)
            .filter(|(_, row)| wanted(row.state))
            .count()
    };
    let unmet = counted(|state| {
        matches!(
            state,
            FloorState::NotMet | FloorState::NotMetRecorded | FloorState::Error
        )
    });
    let pending = counted(|state| state == FloorState::Pending);
    let abandoned = rows
        .iter()
        .filter(|row| row.state == FloorState::Abandoned)
        .count();
    match (unmet, pending, abandoned) {
        (0, 0, 0) => FloorToken::Met,
        (0, 0, n) => FloorToken::Abandoned(n),
        (0, n, _) => FloorToken::Pending(n),
        (n, _, _) => FloorToken::Unmet(n),
    }
}
