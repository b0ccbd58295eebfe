//! The floor gate: what the oracles of a contract say, and what the change did to the contract.

pub mod lint;
pub mod risk;
pub mod scope;
mod shell;
pub mod tamper;
mod vacuity;
pub mod verdict;
mod wording;
