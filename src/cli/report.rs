//! What went wrong, for people and for scripts: kind, message, hints, positions. The kind is the
//! exit code.

use crate::runtime::lines;
use std::io::Write as _;

use serde_json::{Value, json};

use super::exit::Exit;
use super::json::print_json;

/// A failure of a command. Messages are lower-case fragments, fit to be shown; hints begin with
/// a verb.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// The exit.
    pub exit: Exit,
    /// A stable kebab-case code.
    pub code: &'static str,
    /// What went wrong.
    pub message: String,
    /// What to do.
    pub hints: Vec<String>,
    /// Where: 1-based line and what is wrong there.
    pub positions: Vec<(u32, String)>,
}

impl Report {
    /// A report without hints.
    #[must_use]
    pub fn new(exit: Exit, code: &'static str, message: impl Into<String>) -> Self {
        Self {
            exit,
            code,
            message: message.into(),
            hints: Vec::new(),
            positions: Vec::new(),
        }
    }

    /// The same with one more hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Prints it: text to stderr, and with `--json` an `error/1` document to stdout.
    pub fn print(&self, json: bool) {
        let mut out = lines::stderr();
        let _ = writeln!(out, "countersign: {}", self.message);
        for (line, what) in &self.positions {
            let _ = writeln!(out, "  line {line}: {what}");
        }
        for hint in &self.hints {
            let _ = writeln!(out, "  {hint}");
        }
        if json {
            print_json(&self.to_json());
        }
    }

    /// The `error/1` document.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({
            "schema": "countersign/error/1",
            "kind": self.exit.code(),
            "code": self.code,
            "message": self.message,
            "hints": self.hints,
            "positions": self.positions.iter()
                .map(|(line, message)| json!({"line": line, "message": message}))
                .collect::<Vec<_>>(),
        })
    }
}
