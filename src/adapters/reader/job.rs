//! A question on its way to the child, and what is asked instead when it proves too much.

use std::path::PathBuf;

use super::client::{Effort, Order};
use super::wire::{Sides, What};
use crate::adapters::git::skills::Wanted;
use crate::adapters::git::{added, base_files, heads, rounds, since, there, threads};
use crate::model::id::{Oid, RepoPath, Ticket};
use crate::model::snapshot::Look;
use crate::model::text::Place;

/// A question on its way.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub(super) what: What,
    pub(super) kind: JobKind,
    /// How often a child died under it.
    pub(super) tries: u8,
}

#[derive(Clone, Debug)]
pub(super) enum JobKind {
    Open(Ticket),
    Walk,
    Renames,
    Measure,
    Hunks(Ticket, RepoPath),
    Lines(Ticket, RepoPath),
    Heads(Ticket),
    Added(Ticket),
    Since(Ticket),
    Round(Ticket),
    Threads(Ticket),
    Notes(Ticket, Look),
    BaseFiles(Ticket),
    There(Ticket),
    Listed(Ticket),
    Held(Ticket),
    Enter,
    /// An answer of it is not wanted any more.
    Dropped,
}

impl Job {
    /// What it looks at, in words.
    pub(super) fn subject(&self) -> String {
        let shown = |path: &RepoPath| path.foreign().shown(Place::Strict).plain();
        match &self.kind {
            JobKind::Open(_) | JobKind::Enter => "the repository".to_owned(),
            JobKind::Walk | JobKind::Renames | JobKind::Dropped => "the list of files".to_owned(),
            JobKind::Measure => "a changed file".to_owned(),
            JobKind::Hunks(_, path) | JobKind::Lines(_, path) => shown(path),
            JobKind::Heads(_) => "the refs".to_owned(),
            JobKind::Added(_) => "the new commits".to_owned(),
            JobKind::Since(_) => "an earlier head".to_owned(),
            JobKind::Round(_) => "an earlier round".to_owned(),
            JobKind::BaseFiles(_) => "the specs at the base".to_owned(),
            JobKind::There(_) => "a file of a commit".to_owned(),
            JobKind::Threads(_) => "the review threads".to_owned(),
            JobKind::Notes(_, Look::Worktree) => "the worktree".to_owned(),
            JobKind::Listed(_) => "the files of the scope".to_owned(),
            JobKind::Held(_) => "the skills of the tree".to_owned(),
            JobKind::Notes(_, Look::Tree) => "the names in the tree".to_owned(),
        }
    }

    pub(super) fn effort(&mut self) -> Option<&mut Effort> {
        match &mut self.what {
            What::Hunks(_, effort) | What::Measure(_, effort) => Some(effort),
            _ => None,
        }
    }
}

impl Job {
    pub(super) fn new(what: What, kind: JobKind) -> Self {
        Self {
            what,
            kind,
            tries: 0,
        }
    }

    /// The change.
    pub(super) fn open(ticket: Ticket, order: Order) -> Self {
        Self::new(What::Open(Box::new(order)), JobKind::Open(ticket))
    }

    /// Where things stand.
    pub(super) fn heads(ticket: Ticket, question: heads::Question) -> Self {
        Self::new(What::Heads(question), JobKind::Heads(ticket))
    }

    /// What differs from an earlier head.
    pub(super) fn since(ticket: Ticket, question: since::Question) -> Self {
        Self::new(What::Since(question), JobKind::Since(ticket))
    }

    /// What became of a change since it was judged.
    pub(super) fn round(ticket: Ticket, question: rounds::Question) -> Self {
        Self::new(What::Round(question), JobKind::Round(ticket))
    }

    /// One changed file.
    pub(super) fn hunks(ticket: Ticket, path: RepoPath, sides: Sides, effort: Effort) -> Self {
        Self::new(What::Hunks(sides, effort), JobKind::Hunks(ticket, path))
    }

    /// Where review threads point.
    pub(super) fn threads(ticket: Ticket, question: Box<threads::Question>) -> Self {
        Self::new(What::Threads(question), JobKind::Threads(ticket))
    }

    /// The state of a worktree.
    pub(super) fn worktree(ticket: Ticket, dir: PathBuf) -> Self {
        let what = What::Worktree(absolute(dir));
        Self::new(what, JobKind::Notes(ticket, Look::Worktree))
    }

    /// The files of spec trees at the merge base.
    pub(super) fn there(ticket: Ticket, question: there::Question) -> Self {
        Self::new(What::There(question), JobKind::There(ticket))
    }

    pub(super) fn base_files(ticket: Ticket, question: base_files::Question) -> Self {
        Self::new(What::BaseFiles(question), JobKind::BaseFiles(ticket))
    }

    /// What was committed since a head that was noted.
    pub(super) fn added(ticket: Ticket, mut question: added::Question) -> Self {
        question.dir = absolute(question.dir);
        Self::new(What::Added(question), JobKind::Added(ticket))
    }

    /// The names in a tree.
    pub(super) fn names(ticket: Ticket, dir: PathBuf, tree: Oid) -> Self {
        let what = What::Names(absolute(dir), tree.0);
        Self::new(what, JobKind::Notes(ticket, Look::Tree))
    }

    /// Lines of a blob, with colors by the name of the file where they are wanted.
    pub(super) fn lines(
        ticket: Ticket,
        path: RepoPath,
        blob: Oid,
        lines: std::ops::Range<u32>,
        colored: bool,
    ) -> Self {
        let name = || serde_bytes::ByteBuf::from(path.as_bytes().to_vec());
        let what = What::Lines {
            blob: blob.0,
            from: lines.start,
            to: lines.end,
            color_as: colored.then(name),
        };
        Self::new(what, JobKind::Lines(ticket, path))
    }

    /// The files of a scope.
    pub(super) fn listed(ticket: Ticket, dir: PathBuf, wanted: Wanted) -> Self {
        Self::new(What::Listed(absolute(dir), wanted), JobKind::Listed(ticket))
    }

    /// The skills of a tree.
    pub(super) fn held(ticket: Ticket, dir: PathBuf, tree: Oid) -> Self {
        Self::new(What::Held(absolute(dir), tree.0), JobKind::Held(ticket))
    }

    pub(super) fn in_background(&self) -> bool {
        matches!(
            self.kind,
            JobKind::Walk | JobKind::Renames | JobKind::Measure | JobKind::Dropped
        )
    }

    pub(super) fn is_colored(&self) -> bool {
        matches!(
            self.what,
            What::Lines {
                color_as: Some(_),
                ..
            }
        )
    }

    pub(super) fn uncolor(&mut self) {
        if let What::Lines { color_as, .. } = &mut self.what {
            *color_as = None;
        }
        self.tries = 0;
    }

    /// Measures only the first of many, which is the one that is in the way.
    pub(super) fn shorten(&mut self) {
        if let What::Measure(files, _) = &mut self.what {
            files.truncate(1);
        }
    }
}

/// What must not be asked again: the question without its range of lines.
pub(super) fn fingerprint(what: &What) -> String {
    match what {
        What::Lines { blob, color_as, .. } => format!("{blob:?} {color_as:?}"),
        What::Measure(files, effort) => {
            let first = files.first().copied();
            first.map_or_else(String::new, |s| format!("{:?}", What::Hunks(s, *effort)))
        }
        other => format!("{other:?}"),
    }
}

/// The same folder for a process that stands elsewhere.
pub(super) fn absolute(dir: PathBuf) -> PathBuf {
    std::path::absolute(&dir).unwrap_or(dir)
}
