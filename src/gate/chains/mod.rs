//! The chain audit: which skills wait for the verdict they asked for.
//!
//! Texts go in, chains come out. Nothing here knows where a text came from; which files exist, are
//! deleted or could not be read arrives as facts.

mod calibrate;
mod classify;
mod document;
mod edges;
mod elsewhere;
mod form;
mod halves;
mod names;
mod pairs;
mod prescribe;
pub mod profile;
pub mod session;
mod shape;
mod tree;
mod verdict;
mod verdict_line;
mod waits;
mod words;

pub use calibrate::{Calibration, Seen, Sort};
pub use classify::audit;
pub use document::{Kind, Outline, Part, Role, Unit, outline};
pub use prescribe::{Prescription, prescribe};
pub use profile::{Profile, Searcher};
pub use shape::{Finding, Shape, shape};
pub use tree::{Audit, Mention, Reverse, SkillRow, SkillText, Tree, Unresolved, called};
pub use verdict::{AuditVerdict, Counts, Said, counts, verdict};
pub use verdict_line::{Answer, answer};

/// The fields of a closed form in one line, for the table of forms: callee, condition, step.
#[must_use]
pub fn closed_form(
    line: &str,
    callee: &str,
    profile: &Profile,
) -> Option<(String, crate::model::chain::ClosedForm)> {
    form::form_of(line, callee, profile)
}
