//! The spec gate: rules on spec trees, suites and their ledgers (spec gate of the sources).

pub mod approval;
pub mod edit_class;
pub mod ledger;
mod scenario_map;
mod signature;
pub mod state;
pub mod suite;
