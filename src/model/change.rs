//! What a change does to the tree, file by file and hunk by hunk.

use std::ops::Range;

use super::hidden::Marks;
use super::id::{Oid, RepoPath};
use super::known::Known;
use super::text::Foreign;

/// One changed path between base tree and head tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileChange {
    /// The path at head (at base for a deletion).
    pub path: RepoPath,
    /// The path at base, when it was renamed.
    pub old_path: Option<RepoPath>,
    /// What happened.
    pub kind: ChangeKind,
    /// The entry at base.
    pub old: Option<Entry>,
    /// The entry at head.
    pub new: Option<Entry>,
    /// What can be shown of it; unknown until the reader looked.
    pub shape: Known<Shape>,
    /// Added and removed lines; unknown until the hunks were computed.
    pub counts: Known<Counts>,
    /// What its added lines, or the target of its link, hide (OUT-11); unknown until they were
    /// read, not applicable where there are no lines.
    pub marks: Known<Marks>,
}

/// A tree entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The object.
    pub oid: Oid,
    /// Its mode as git stores it (`0o100644`).
    pub mode: u32,
}

/// What happened to a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChangeKind {
    /// New at head.
    Added,
    /// Gone at head.
    Deleted,
    /// Other bytes.
    Modified,
    /// Another name, perhaps other bytes.
    Renamed,
    /// Same bytes, another permission.
    Mode,
    /// File became a link, a link a submodule, and so on.
    Type,
}

/// What a changed path is made of. Each is a labelled row; none vanishes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Lines.
    Text,
    /// No bytes on either side.
    Empty,
    /// A NUL in the first 8,000 bytes; sizes at base and head.
    Binary(u64, u64),
    /// A symbolic link; targets at base and head.
    Symlink(Option<Foreign>, Option<Foreign>),
    /// A submodule; commits at base and head.
    Submodule(Option<Oid>, Option<Oid>),
    /// Over 64 MiB; sizes at base and head.
    Huge(u64, u64),
    /// The object is missing or damaged: said, never shown as empty.
    Missing(String),
}

/// Lines added and removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Lines only at head.
    pub added: u32,
    /// Lines only at base.
    pub removed: u32,
}

impl Counts {
    /// Whether no line differs: what changed is the mode, the kind or the name.
    #[must_use]
    pub fn is_nothing(self) -> bool {
        self.added == 0 && self.removed == 0
    }
}

/// A run of changed lines: 0-based half-open line ranges of both sides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hunk {
    /// Lines at base.
    pub before: Range<u32>,
    /// Lines at head.
    pub after: Range<u32>,
}

/// The hunks of one file and how they were computed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileHunks {
    /// In file order.
    pub hunks: Vec<Hunk>,
    /// Lines of the base side.
    pub before_lines: u32,
    /// Lines of the head side.
    pub after_lines: u32,
    /// How.
    pub method: HunkMethod,
}

/// How hunks were computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HunkMethod {
    /// Histogram, as `git diff --histogram`.
    Histogram,
    /// Myers, for files over 40,000 lines.
    Myers,
    /// libgit2's xdiff with its cost limits, when the others were too slow.
    Xdiff,
    /// Everything removed, everything added: no method ended in time.
    Whole,
}

/// One commit of base..head.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Commit {
    /// Its id.
    pub oid: Oid,
    /// Author as `Name <mail>`, raw.
    pub author: Foreign,
    /// First line of the message.
    pub subject: Foreign,
}
