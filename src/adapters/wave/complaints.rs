//! Everything that is wrong with one file of the wave, collected; nothing stops at the first.

use super::json;
use crate::model::contract::{Complaint, Severity};
use crate::model::text::{Foreign, Place};

/// The complaints of one reading.
#[derive(Debug, Default)]
pub(super) struct Complaints(Vec<Complaint>);

impl Complaints {
    /// Adds one that makes the file unusable.
    pub(super) fn error(
        &mut self,
        code: &'static str,
        line: u32,
        message: impl Into<String>,
        hint: &str,
    ) {
        self.add(Severity::Error, code, line, message.into(), hint);
    }

    /// Adds one that is only said.
    pub(super) fn warn(
        &mut self,
        code: &'static str,
        line: u32,
        message: impl Into<String>,
        hint: &str,
    ) {
        self.add(Severity::Warning, code, line, message.into(), hint);
    }

    fn add(
        &mut self,
        severity: Severity,
        code: &'static str,
        line: u32,
        message: String,
        hint: &str,
    ) {
        self.0.push(Complaint {
            severity,
            code,
            line,
            message,
            hint: hint.to_owned(),
        });
    }

    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them in line order.
    pub(super) fn done(mut self) -> Vec<Complaint> {
        self.0.sort_by_key(|complaint| complaint.line);
        self.0
    }
}

/// One JSON document that a person or a run handed in.
///
/// # Errors
/// Where it is none, and every key that stands twice.
pub(super) fn document(bytes: &[u8]) -> Result<json::Node, Vec<Complaint>> {
    json::read(bytes).map_err(|faults| {
        let mut wrong = Complaints::default();
        for fault in faults {
            wrong.error("no-json", fault.line, fault.message, "hand in one object");
        }
        wrong.done()
    })
}

/// Text from outside as it may stand in a message: visible, and at most 60 characters of it.
pub(super) fn shown(text: &str) -> String {
    let mut cut: String = text.chars().take(60).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    Foreign::from(cut).shown(Place::Strict).plain()
}

/// The lines of a file with their 1-based numbers, line ends and a leading byte order mark taken
/// off. Lines that are no UTF-8 are complained about and read as empty.
pub(super) fn lines<'a>(bytes: &'a [u8], complaints: &mut Complaints) -> Vec<(u32, &'a str)> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let mut out = Vec::new();
    for (at, line) in bytes.split(|b| *b == b'\n').enumerate() {
        let number = u32::try_from(at + 1).unwrap_or(u32::MAX);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let text = std::str::from_utf8(line).unwrap_or_else(|_| {
            complaints.error(
                "not-utf8",
                number,
                "the line is not UTF-8",
                "write it as UTF-8",
            );
            ""
        });
        out.push((number, text));
    }
    out
}
