//! What the spec gate says of a head, for the ruling of a session (rulings A1): violations go back
//! to the agent, Clearance and what cannot be classified are up to a person, the rest is shown.

use super::bar::Floor;
use super::edit_class::Edit;
use super::judge_report::Report;
use crate::model::change::FileChange;
use crate::model::id::{Oid, RepoPath};
use crate::model::known::Known;
use crate::model::spec::{Note, Weight, count, in_place};

/// Whether a path looks like a part of a spec. Anchors may make any folder a place of specs, so
/// that names count as well; whether it is one is found out by reading.
fn like(path: &RepoPath) -> bool {
    path.as_bytes().ends_with(b".feature") || path.is_named(b"spec.md") || in_place(path)
}

/// Whether a changed file looks like a part of a spec, on either side.
#[must_use]
pub fn is_spec(file: &FileChange) -> bool {
    like(&file.path) || file.old_path.as_ref().is_some_and(like)
}

/// The sum.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpecSum {
    /// The head it speaks of.
    pub head: Oid,
    /// What is work for the agent, in words.
    pub back: Vec<String>,
    /// What only a person can allow, in words.
    pub up: Vec<String>,
}

impl SpecSum {
    /// Adds it up.
    #[must_use]
    pub fn of(
        head: Oid,
        notes: &[Note],
        open_markers: usize,
        judge: &Known<Report>,
        edits: &[Edit],
        floors: &[Floor],
    ) -> Self {
        let mut back = Vec::new();
        let violations = notes.iter().filter(|n| n.weight == Weight::Violation);
        match violations.count() {
            0 => {}
            n => back.push(count(n, "violation")),
        }
        if open_markers > 0 {
            back.push(count(open_markers, "open marker"));
        }
        if let Known::Is(report) = judge {
            back.extend(report.blocks());
        }
        let clearance = floors
            .iter()
            .find(|floor| floor.name == "Clearance" && floor.fires);
        let mut up: Vec<String> = Vec::new();
        up.extend(clearance.map(|floor| format!("Clearance: {}", floor.why)));
        if clearance.is_none() && edits.iter().any(|edit| edit.reason.is_some()) {
            up.push(String::from("an edit cannot be classified"));
        }
        Self { head, back, up }
    }

    /// Its word: the strictest.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match (self.up.is_empty(), self.back.is_empty()) {
            (false, _) => "ESCALATE",
            (true, false) => "REROLL",
            (true, true) => "clear",
        }
    }
}
