//! The edges: files, git, processes, the terminal's neighbours. One error enum each. Nothing
//! here knows the app or the screen.

pub mod checkout;
pub mod contract;
pub mod drafts;
pub mod evidence_store;
pub mod folders;
pub mod git;
pub mod handoff;
pub mod ledger_store;
pub mod oracle;
pub mod reader;
pub mod sample;
pub mod splice;
pub mod trust;
pub mod who;
