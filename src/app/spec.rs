//! What the page of the spec gate shows: digest and report line by line, each with the suite and
//! the changed part that it speaks of, and every changed part as it reads on both sides.

use std::sync::Arc;

use super::queue::Line;
use crate::gate::spec::sum::SpecSum;
use crate::model::id::RepoPath;

/// The page.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SpecLook {
    /// Digest, then report.
    pub lines: Vec<SpecLine>,
    /// The suites that the change touched.
    pub suites: Vec<SpecSuite>,
    /// What the gate says of the head that is reviewed; none when it does not apply.
    pub sum: Option<Arc<SpecSum>>,
}

/// A line of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpecLine {
    /// The line.
    pub line: Line,
    /// The suite it speaks of, and the changed part of that.
    pub of: Option<(usize, Option<usize>)>,
    /// Whether it only repeats what stands beside it where there is room.
    pub detail: bool,
}

/// A touched suite.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpecSuite {
    /// Where it lies.
    pub path: RepoPath,
    /// What is known of it, in words.
    pub facts: String,
    /// Its changed parts, line by line, each line with the number of its part.
    pub rows: Vec<(usize, Line)>,
}

impl SpecLook {
    /// The lines that are shown where the scenarios stand beside them, or everywhere else.
    pub fn shown(&self, beside: bool) -> impl Iterator<Item = &SpecLine> {
        self.lines
            .iter()
            .filter(move |line| !(beside && line.detail))
    }
}
