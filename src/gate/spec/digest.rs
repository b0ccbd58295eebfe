//! The digest of a change: what it is about, in fixed sections, for touched files only. It
//! decides nothing.

use super::edit_class::{Change, How};
use crate::model::id::RepoPath;
use crate::model::spec::{Document, OpenMarker};
use crate::model::text::Foreign;

/// A touched capability: its document and its suite.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Area {
    /// The document.
    pub path: RepoPath,
    /// What it is, by the first paragraph of `## What`.
    pub what: Option<Foreign>,
    /// Headings under `## Design decisions`, with lines.
    pub decisions: Vec<(u32, Foreign)>,
    /// Open markers.
    pub open: Vec<OpenMarker>,
}

/// What a document contributes.
#[must_use]
pub fn area(document: &Document) -> Area {
    let what = document
        .section(|text| text.starts_with("What"))
        .and_then(|(line, _)| {
            let lead = document.leads.iter().find(|(of, _)| *of == line);
            lead.map(|(_, text)| text.clone())
        });
    let decisions = document.section(|text| text.starts_with("Design decisions"));
    let decisions = decisions.map_or_else(Vec::new, |(from, to)| {
        let inside = |line: u32| line > from && line < to;
        let headings = document
            .headings
            .iter()
            .filter(|h| h.level == 3 && inside(h.line));
        headings.map(|h| (h.line, h.text.clone())).collect()
    });
    Area {
        path: document.path.clone(),
        what,
        decisions,
        open: document.open.clone(),
    }
}

/// The scenarios of a touched suite.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scenarios {
    /// The suite.
    pub path: RepoPath,
    /// Whether it is new.
    pub new: bool,
    /// How many there are now; none when it cannot be parsed.
    pub count: Option<usize>,
    /// Changed ones; everything in a new suite.
    pub changes: Vec<Change>,
}

impl Scenarios {
    /// How many scenarios changed in one way.
    #[must_use]
    pub fn counted(&self, how: How) -> usize {
        self.changes
            .iter()
            .filter(|change| change.how == how)
            .count()
    }
}
