//! What a review before a push looks at, and which part of it is the wave's own (H40).
//!
//! The range is always from the pushed head, so commits that an earlier round left unpushed stay
//! inside. With a merge of the base in it the fix delta has three parts for each merge, so that
//! what the base changed is outside.

use crate::model::id::Oid;

/// One command that shows a part of the fix delta.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Part {
    /// `git diff A B`.
    Diff(Oid, Oid),
    /// `git show --remerge-diff M`: how the merge was resolved.
    Remerge(Oid),
}

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Diff(old, new) => write!(f, "git diff {old} {new}"),
            Self::Remerge(merge) => write!(f, "git show --remerge-diff {merge}"),
        }
    }
}

/// The fix delta between the pushed head and the head, with the merges on the way, oldest first,
/// each with its first parent.
#[must_use]
pub fn fix_delta(pushed: Oid, head: Oid, merges: &[(Oid, Oid)]) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut at = pushed;
    for (merge, first) in merges {
        parts.push(Part::Diff(at, *first));
        parts.push(Part::Remerge(*merge));
        at = *merge;
    }
    parts.push(Part::Diff(at, head));
    parts
}
