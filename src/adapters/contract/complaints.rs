//! Everything that is wrong with a contract, collected; nothing stops at the first complaint.

use crate::model::contract::{Complaint, Severity};

/// The complaints of one reading.
#[derive(Debug, Default)]
pub(super) struct Complaints(Vec<Complaint>);

impl Complaints {
    /// Adds one that refuses the contract.
    pub(super) fn error(&mut self, code: &'static str, line: u32, message: &str, hint: &str) {
        self.add(Severity::Error, code, line, message, hint);
    }

    /// Adds one that is only said.
    pub(super) fn warn(&mut self, code: &'static str, line: u32, message: &str, hint: &str) {
        self.add(Severity::Warning, code, line, message, hint);
    }

    /// Adds one of the given severity.
    pub(super) fn add(
        &mut self,
        severity: Severity,
        code: &'static str,
        line: u32,
        message: &str,
        hint: &str,
    ) {
        self.0.push(Complaint {
            severity,
            code,
            line,
            message: message.to_owned(),
            hint: hint.to_owned(),
        });
    }

    /// Whether one with this code was added.
    pub(super) fn has(&self, code: &str) -> bool {
        self.0.iter().any(|complaint| complaint.code == code)
    }

    /// All of them in line order.
    pub(super) fn done(mut self) -> Vec<Complaint> {
        self.0.sort_by_key(|complaint| complaint.line);
        self.0
    }
}
