//! The queue of a spec tree is derived, never stored: what an agent approved itself waits for a
//! person, and so does what it paused.

use super::approval::approval;
use super::bar::Blast;
use super::edit_class::{Edit, Route};
use super::state::GATES;
use crate::model::known::Known;
use crate::model::spec::front::Value;
use crate::model::spec::{Note, Root, Weight, count};
use crate::model::text::Foreign;

/// A verdict that waits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waiting {
    /// `spec` or `impl`.
    pub gate: &'static str,
    /// `approve` by the agent, or `pause`.
    pub verdict: &'static str,
    /// The change request, when the approval names it.
    pub cr: Option<Foreign>,
    /// Why, one line for each field.
    pub why: Vec<String>,
}

/// What waits in a root.
#[must_use]
pub fn waiting(root: &Root) -> Vec<Waiting> {
    let Known::Is(document) = &root.document else {
        return Vec::new();
    };
    let mut out = Vec::new();
    for gate in GATES {
        let Some(approval) = approval(&document.front, gate) else {
            continue;
        };
        let verdict = if approval.by_agent() {
            "approve"
        } else if approval.is("pause") {
            "pause"
        } else {
            continue;
        };
        let why = approval
            .why
            .map_or_else(Vec::new, |why| reasons(&why.value));
        out.push(Waiting {
            gate,
            verdict,
            cr: approval.cr.and_then(Value::text).cloned(),
            why,
        });
    }
    out
}

fn reasons(why: &Value) -> Vec<String> {
    let shown = |text: &Foreign| text.shown(crate::model::text::Place::Prose).plain();
    if let Some(text) = why.text() {
        return vec![shown(text)];
    }
    let fields = why.map().unwrap_or_default();
    let one = |entry: &crate::model::spec::front::Entry| {
        let text = entry.value.text().map(shown)?;
        Some(format!("{}: {text}", shown(&entry.key)))
    };
    fields.iter().filter_map(one).collect()
}

/// How much speaks against believing it, with the reason.
#[must_use]
pub fn risk(
    verdict: &str,
    structural: &[Note],
    open: usize,
    edits: &[Edit],
    blast: &Blast,
) -> (&'static str, String) {
    let violations = structural
        .iter()
        .filter(|note| note.weight == Weight::Violation)
        .count();
    let held = edits
        .iter()
        .find(|edit| matches!(edit.route(), Route::Clearance | Route::Unclassifiable));
    match (violations, open, held) {
        (0, 0, None) => {}
        (0, 0, Some(edit)) => return ("high", format!("{}, frozen suite", edit.class.word())),
        (0, open, _) => return ("high", count(open, "open marker")),
        (violations, ..) => {
            return (
                "high",
                format!("{} of structure", count(violations, "violation")),
            );
        }
    }
    if verdict == "pause" {
        return ("med", String::from("the agent stopped and waits"));
    }
    match blast.level {
        Some("low") => ("low", String::from("nothing else")),
        Some(level) => ("med", format!("blast {level}")),
        None => ("med", String::from("it has no change to look at")),
    }
}
