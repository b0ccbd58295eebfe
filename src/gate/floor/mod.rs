//! The floor gate: what the oracles of a contract say, and what the change did to the contract.

pub mod lint;
pub mod scope;
pub mod tamper;
pub mod verdict;
