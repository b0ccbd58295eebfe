//! What a decision on a criterion rests on. Evidence is typed; "CI is green" is none of these.

use super::id::{Digest, EntryId, Oid, RepoPath};
use super::text::Foreign;

/// One piece of evidence, bound to the tree it was taken from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Evidence {
    /// A recorded oracle run.
    Run(EntryId),
    /// Lines that the change adds or removes.
    Hunk {
        /// The head commit they were read at.
        head: Oid,
        /// The file.
        path: RepoPath,
        /// First line at head (1-based); of the base side for a pure removal.
        line: u32,
        /// Last line.
        end_line: u32,
        /// SHA-256 of the hunk's lines, both sides.
        digest: Digest,
    },
    /// A commit under review and a line of the head that it answers for (verify-gate 1.7).
    Change {
        /// The commit.
        commit: Oid,
        /// The file.
        path: RepoPath,
        /// The line at head (1-based); 0 for a file that the change removes.
        line: u32,
    },
    /// A test by its id.
    Test {
        /// The id.
        id: Foreign,
        /// The file it stands in.
        path: RepoPath,
        /// Its line at head.
        line: u32,
    },
    /// The person's own words.
    Rationale(String),
}
