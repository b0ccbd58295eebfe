//! Weak oracles and unhelpful criteria: a table of lints that never executes anything.

use crate::model::contract::{Contract, Criterion, Severity};

/// One finding about an oracle or a criterion. Advisory unless the severity is an error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lint {
    /// A stable code (`tautological-check`).
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What is weak, fit to be shown.
    pub message: String,
    /// Whether it makes a pass `weak` on screen.
    pub weakens: bool,
}

/// The lints of one criterion, in table order.
#[must_use]
pub fn lint(contract: &Contract, criterion: &Criterion) -> Vec<Lint> {
    let _ = (contract, criterion);
    Vec::new()
}
