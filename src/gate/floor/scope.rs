//! FILE SCOPE against the changed files (G12, H31, rulings A16).

use crate::model::change::FileChange;
use crate::model::contract::Contract;
use crate::model::scope::Scope;

/// Traces every changed file to the contract; what nothing claims is overflow.
#[must_use]
pub fn trace(contract: &Contract, files: &[FileChange]) -> Scope {
    let _ = (contract, files);
    Scope::default()
}
