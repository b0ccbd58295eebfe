//! The floor verdict: MET, UNMET(n), PENDING(n), ABANDONED(n), ERROR (contract-gates 1.7, 1.8,
//! rulings A7).

use crate::model::contract::Contract;
use crate::model::id::CriterionId;

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

/// The verdict over a contract. `runs` are runs on the tree in question, oldest first.
#[must_use]
pub fn floor(contract: &Contract, runs: &[RunFact], mode: Mode) -> FloorVerdict {
    let _ = (runs, mode);
    FloorVerdict {
        token: FloorToken::Pending(0),
        runnable: (contract.runnable(), contract.criteria.len()),
        rows: Vec::new(),
    }
}
