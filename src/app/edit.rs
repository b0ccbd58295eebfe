//! Edits of the contract that a person confirms: what is wanted, and what it comes to, line by
//! line and byte for byte. Nothing here is written before it was shown and signed (K05, K17).

use crate::gate::dossier::EditTarget;
use crate::model::id::{CriterionId, Digest, RepoPath};
use crate::model::ruling::FileEdit;
use crate::model::text::{Foreign, Place};

/// An edit that a decision would write.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EditOrder {
    /// Writes the EVIDENCE slots of these criteria from their runs.
    Evidence(Vec<CriterionId>),
    /// Adds an `ABANDON:` line.
    Abandon {
        /// Whose.
        criterion: CriterionId,
        /// Reason and hand-off.
        text: String,
    },
    /// Removes an `ABANDON:` line.
    Lift(CriterionId),
    /// Adds a FILE SCOPE entry with `[gated DATE]`.
    Scope(RepoPath),
    /// Takes the head's version of one part, with `[gated DATE]`.
    Gate(EditTarget),
}

impl EditOrder {
    /// What it writes, for the list of what signing writes. Not escaped.
    #[must_use]
    pub fn says(&self) -> String {
        match self {
            Self::Evidence(ids) => {
                let ids: Vec<&str> = ids.iter().map(CriterionId::as_str).collect();
                format!("EVIDENCE of {}", ids.join(" "))
            }
            Self::Abandon { criterion, .. } => format!("ABANDON: {criterion}"),
            Self::Lift(criterion) => format!("lift the abandonment of {criterion}"),
            Self::Scope(path) => format!(
                "file scope: {} [gated]",
                path.foreign().shown(Place::Strict)
            ),
            Self::Gate(target) => format!(
                "the contract's {} as at head, [gated]",
                match target {
                    EditTarget::Whole => "text".to_owned(),
                    EditTarget::Request => "request".to_owned(),
                    EditTarget::Criterion(id) => format!("criterion {id}"),
                    EditTarget::Scope => "file scope".to_owned(),
                    EditTarget::Header => "header".to_owned(),
                }
            ),
        }
    }

    /// A name that stays while other decisions come and go: what a person switched on stays on.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Evidence(_) => "evidence".to_owned(),
            Self::Abandon { .. } | Self::Lift(_) | Self::Scope(_) | Self::Gate(_) => self.says(),
        }
    }

    /// The word for it in the ledger and the hand-off.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Evidence(_) => "evidence",
            Self::Abandon { .. } => "abandon",
            Self::Lift(_) => "lift",
            Self::Scope(_) | Self::Gate(_) => "gated",
        }
    }
}

/// What the chosen edits come to on the file as it stands in the worktree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EditPlan {
    /// The file.
    pub path: RepoPath,
    /// SHA-256 of the bytes that the edits start from.
    pub before: Digest,
    /// SHA-256 of the bytes with every edit that could be worked out.
    pub after: Digest,
    /// The edits in the order in which they are written.
    pub parts: Vec<EditPart>,
}

/// One edit, worked out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EditPart {
    /// What it is, as in [`EditOrder::says`].
    pub says: String,
    /// The lines that it takes and brings, or why it cannot be written; it is then left out.
    pub lines: Result<Vec<DiffLine>, String>,
}

/// A line that an edit takes or brings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DiffLine {
    /// `-` or `+`.
    pub sign: char,
    /// Its number, from 1: before the edit for `-`, after it for `+`.
    pub line: u32,
    /// Its bytes, without the line end.
    pub text: Foreign,
}

impl EditPlan {
    /// The files that would be written: what a ruling stores of them.
    #[must_use]
    pub fn files(&self) -> Vec<FileEdit> {
        if self.before == self.after {
            return Vec::new();
        }
        vec![FileEdit {
            path: self.path.clone(),
            after: self.after,
        }]
    }
}
