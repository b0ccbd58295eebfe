//! What may happen to a row of the ledger next, and what a result makes of it.
//!
//! Source: fix-wave `### Budgets`, `### Admission`, and the table below `## Review before push`.
//! Two consecutive misses exhaust a row; misses stand in no ledger, so they come from our event
//! log or are unknown (rulings A23), and an unknown never reads as none.

use crate::model::known::{Known, Reason};
use crate::model::wave::{DecisionLine, DecisionSays, Ledger, Row, RowStatus};

/// Consecutive misses that exhaust a row.
pub const MISSES: u32 = 2;
/// `loopEngine.escalateAfter` when it is not set.
pub const ESCALATE_AFTER: u32 = 3;

/// What the harness is set to, as far as rows depend on it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// `loopEngine.escalateAfter`, at least 1.
    pub escalate_after: u32,
    /// `escalationLoop.implModel`; known and `None` when it is undefined.
    pub impl_model: Known<Option<String>>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            escalate_after: ESCALATE_AFTER,
            impl_model: Known::NotSupplied,
        }
    }
}

/// `loopEngine.escalateAfter` as typed: the value to use, and a warning when it is not the one
/// that was typed (H42). Integers below 1 count as 1; what is no integer falls back to 3.
#[must_use]
pub fn escalate_after(text: &str) -> (u32, Option<String>) {
    match text.trim().parse::<i64>() {
        Ok(number) if number < 1 => (
            1,
            Some(format!("escalateAfter {number} is below 1: 1 is used")),
        ),
        Ok(number) => (u32::try_from(number).unwrap_or(u32::MAX), None),
        Err(_) => (
            ESCALATE_AFTER,
            Some(format!(
                "escalateAfter is no integer: {ESCALATE_AFTER} is used"
            )),
        ),
    }
}

/// All that decides about one row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RowFacts {
    /// Where it stands.
    pub status: RowStatus,
    /// Attempts so far.
    pub attempts: u32,
    /// Attempts it may use.
    pub allowance: u32,
    /// Misses in a row.
    pub misses: Known<u32>,
    /// Whether its escalation line was written; it means spent, not current.
    pub escalated: bool,
    /// Whether a dispatch of it was not taken up yet.
    pub pending: bool,
}

/// What the decision lines say of one row.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Said<'a> {
    /// Whether its escalation line was written.
    pub escalated: bool,
    /// The last line about it that is not its escalation.
    pub last: Option<&'a DecisionLine>,
}

/// What the decision lines say of each row, in the order of the rows.
#[must_use]
pub fn said(ledger: &Ledger) -> Vec<Said<'_>> {
    let mut all = vec![Said::default(); ledger.rows.len()];
    for line in &ledger.decisions {
        let at = usize::try_from(line.row)
            .ok()
            .and_then(|n| n.checked_sub(1));
        let Some(said) = at.and_then(|at| all.get_mut(at)) else {
            continue;
        };
        if matches!(line.says, DecisionSays::Escalated { .. }) {
            said.escalated = true;
        } else {
            said.last = Some(line);
        }
    }
    all
}

impl RowFacts {
    /// The facts of a row of a ledger.
    #[must_use]
    pub fn of(ledger: &Ledger, row: &Row, said: &Said<'_>, misses: Known<u32>) -> Self {
        Self {
            status: row.status,
            attempts: row.attempts,
            allowance: ledger.allowance,
            misses,
            escalated: said.escalated,
            pending: ledger.pending.is_some_and(|p| p.row == row.number),
        }
    }
}

/// What used a row up.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Spent {
    /// Its attempts reached the allowance.
    Attempts,
    /// Two misses in a row.
    Misses,
}

/// What may happen to a row next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Next {
    /// Done: nothing is dispatched.
    Settled,
    /// A dispatch waits: take its result up before anything else.
    Reconcile,
    /// Never dispatched again.
    Exhausted(Spent),
    /// It cannot be told whether it may be dispatched.
    Unknown(Reason),
    /// Dispatch with `implModel`, this attempt only, after writing the escalation line.
    Escalate,
    /// `implModel` is undefined: dispatch nothing, change nothing, leave through
    /// `stuck - escalationLoop.implModel unavailable`.
    NoModel,
    /// Dispatch with the usual worker.
    Worker,
}

impl Next {
    /// The token in JSON.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Settled => "settled",
            Self::Reconcile => "reconcile",
            Self::Exhausted(_) => "exhausted",
            Self::Unknown(_) => "unknown",
            Self::Escalate => "escalate",
            Self::NoModel => "no-model",
            Self::Worker => "worker",
        }
    }
}

/// The attempts from which a row that was not escalated yet is.
#[must_use]
pub fn threshold(escalate_after: u32, allowance: u32) -> u32 {
    escalate_after.max(1).min(allowance.saturating_sub(1))
}

/// Whether a row is used up, as far as it can be told. A row cannot have missed more often than
/// it was tried, so unknown misses matter only from the second attempt on.
#[must_use]
pub fn spent(facts: &RowFacts) -> Known<Option<Spent>> {
    if facts.attempts >= facts.allowance {
        return Known::Is(Some(Spent::Attempts));
    }
    match &facts.misses {
        Known::Is(misses) if *misses >= MISSES => Known::Is(Some(Spent::Misses)),
        Known::Is(_) => Known::Is(None),
        _ if facts.status != RowStatus::Failed || facts.attempts < MISSES => Known::Is(None),
        _ => Known::Unknown(Reason::new(
            "its consecutive misses are not known: hand in the event log",
        )),
    }
}

/// What may happen to a row next; the first rule that applies.
#[must_use]
pub fn next(facts: &RowFacts, settings: &Settings) -> Next {
    if facts.pending {
        return Next::Reconcile;
    }
    if facts.status == RowStatus::Done {
        return Next::Settled;
    }
    match spent(facts) {
        Known::Is(Some(spent)) => return Next::Exhausted(spent),
        Known::Is(None) => {}
        Known::Unknown(why) | Known::NotApplicable(why) => return Next::Unknown(why),
        Known::NotSupplied => return Next::Unknown(Reason::new("its misses are not known")),
    }
    if facts.escalated || facts.attempts < threshold(settings.escalate_after, facts.allowance) {
        return Next::Worker;
    }
    match &settings.impl_model {
        Known::Is(Some(_)) => Next::Escalate,
        Known::Is(None) => Next::NoModel,
        Known::Unknown(why) | Known::NotApplicable(why) => Next::Unknown(why.clone()),
        Known::NotSupplied => Next::Unknown(Reason::new(
            "it escalates now, and escalationLoop.implModel was not handed in",
        )),
    }
}

/// What comes of an attempt, or of its review.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Outcome {
    /// Its result was admitted: done, else failed.
    Admitted {
        /// `done`, else `failed`.
        done: bool,
    },
    /// Another row's result brought it along; always done.
    Extra,
    /// No result that could be admitted.
    Missed,
    /// Residue, several commits, or a rewritten history: everything stays as it is.
    Stopped,
    /// The reviewer left an id of it open.
    Reopened,
}

/// What a ledger keeps of a row, and what our event log adds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RowState {
    /// Where it stands.
    pub status: RowStatus,
    /// Attempts so far.
    pub attempts: u32,
    /// Misses in a row.
    pub misses: Known<u32>,
}

/// The row after an outcome; `None` when the outcome cannot happen to it.
#[must_use]
pub fn after(row: &RowState, outcome: Outcome) -> Option<RowState> {
    let state = |status, attempts, misses| {
        Some(RowState {
            status,
            attempts,
            misses,
        })
    };
    match (outcome, row.status) {
        (Outcome::Stopped, _) => Some(row.clone()),
        (Outcome::Extra, RowStatus::Open) => {
            state(RowStatus::Done, row.attempts, row.misses.clone())
        }
        (Outcome::Extra, RowStatus::Done | RowStatus::Failed) => None,
        (Outcome::Reopened, RowStatus::Open) => None,
        (Outcome::Reopened, RowStatus::Done | RowStatus::Failed) => {
            state(RowStatus::Failed, row.attempts, row.misses.clone())
        }
        (Outcome::Admitted { .. } | Outcome::Missed, RowStatus::Done) => None,
        (Outcome::Admitted { done }, RowStatus::Open | RowStatus::Failed) => {
            let status = if done {
                RowStatus::Done
            } else {
                RowStatus::Failed
            };
            state(status, row.attempts.saturating_add(1), Known::Is(0))
        }
        (Outcome::Missed, RowStatus::Open | RowStatus::Failed) => {
            let misses = match row.status {
                RowStatus::Open => Known::Is(1),
                _ => row.misses.clone().map(|misses| misses.saturating_add(1)),
            };
            state(RowStatus::Failed, row.attempts.saturating_add(1), misses)
        }
    }
}

/// How the books as a whole stand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Standing {
    /// Every row is done.
    Done,
    /// Something may still be dispatched, taken up, or told.
    Open,
    /// Nothing may be dispatched, and not every row is done.
    Exhausted,
}

/// How the books stand, from what may happen to each row.
#[must_use]
pub fn standing<'a>(all: impl IntoIterator<Item = &'a Next>) -> Standing {
    let mut standing = Standing::Done;
    for next in all {
        match next {
            Next::Settled => {}
            Next::Exhausted(_) if standing == Standing::Done => standing = Standing::Exhausted,
            Next::Exhausted(_) => {}
            Next::Reconcile | Next::Unknown(_) | Next::Escalate | Next::NoModel | Next::Worker => {
                return Standing::Open;
            }
        }
    }
    standing
}
