//! The spec gate: rules on spec trees, suites and their ledgers (spec gate of the sources).

pub mod approval;
pub mod ledger;
pub mod state;
