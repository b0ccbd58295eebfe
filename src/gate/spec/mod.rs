//! The spec gate: rules on spec trees, suites and their ledgers (spec gate of the sources).

pub mod approval;
pub mod bar;
pub mod clearance;
pub mod coverage;
pub mod digest;
pub mod edit_class;
pub mod judge_report;
pub mod ledger;
pub mod provenance;
pub mod queue;
pub mod references;
pub mod scenario_diff;
mod scenario_map;
mod signature;
pub mod state;
pub mod suite;
pub mod sum;
