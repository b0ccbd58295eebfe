//! The list of changed files as it grows: entries, renames, then shape and counts of each.

use std::path::Path;
use std::time::{Duration, Instant};

use super::client::Reply;
use super::wire::{KINDS, Sides, WireFile, WireMeasure, counts};
use crate::adapters::git::GitError;
use crate::model::change::{ChangeKind, FileChange};
use crate::model::id::RepoPath;
use crate::model::known::{Known, Reason};

/// Most files in one round of measuring; the child stops earlier when its time is up.
const ROUND: usize = 256;
/// Least time between two lists that differ only in counts.
const PAUSE: Duration = Duration::from_millis(500);

/// The list of one change.
#[derive(Debug)]
pub(super) struct FileStream {
    /// The ticket of the question to open.
    pub(super) ticket: crate::model::id::Ticket,
    files: Vec<FileChange>,
    /// What the child needs to measure each.
    sides: Vec<Sides>,
    measured: usize,
    told: Instant,
    cut: Option<GitError>,
}

impl FileStream {
    /// An empty list.
    #[must_use]
    pub(super) fn new(ticket: crate::model::id::Ticket) -> Self {
        Self {
            ticket,
            files: Vec::new(),
            sides: Vec::new(),
            measured: 0,
            told: Instant::now(),
            cut: None,
        }
    }

    fn news(&mut self, complete: bool) -> Reply {
        self.told = Instant::now();
        Reply::Files {
            files: self.files.clone(),
            complete,
            cut: self.cut.clone(),
        }
    }

    /// More entries. The first batch is told at once; later ones when the list has grown a lot.
    pub(super) fn batch(&mut self, batch: Vec<WireFile>, last: bool) -> Option<Reply> {
        let before = self.files.len();
        for file in batch {
            let (old, new) = file.sides.entries();
            self.sides.push(file.sides);
            self.files.push(FileChange {
                path: RepoPath::new(file.path.into_vec()),
                old_path: None,
                kind: KINDS
                    .get(usize::from(file.kind))
                    .copied()
                    .unwrap_or(ChangeKind::Modified),
                old,
                new,
                shape: Known::Unknown(Reason::new("not looked at yet")),
                counts: Known::Unknown(Reason::new("not counted yet")),
                marks: Known::Unknown(Reason::new("not counted yet")),
            });
        }
        (last || before == 0 || self.files.len() >= before * 4).then(|| self.news(false))
    }

    /// The end of the entries: pairs of deletion and addition become one row.
    pub(super) fn renames(&mut self, pairs: &[(u32, u32)]) -> Reply {
        let mut gone = vec![false; self.files.len()];
        for (from, to) in pairs {
            let (Ok(from), Ok(to)) = (usize::try_from(*from), usize::try_from(*to)) else {
                continue;
            };
            let Some((path, old)) = self.files.get(from).map(|f| (f.path.clone(), f.old)) else {
                continue;
            };
            if let (Some(file), Some(sides), Some(flag)) = (
                self.files.get_mut(to),
                self.sides.get_mut(to),
                gone.get_mut(from),
            ) {
                file.old_path = Some(path);
                file.kind = ChangeKind::Renamed;
                file.old = old;
                *sides = Sides::of(old, file.new);
                *flag = true;
            }
        }
        let mut keep = gone.iter().map(|g| !g);
        self.files.retain(|_| keep.next().unwrap_or(true));
        let mut keep = gone.iter().map(|g| !g);
        self.sides.retain(|_| keep.next().unwrap_or(true));
        self.news(false)
    }

    /// The list ends early.
    pub(super) fn cut(&mut self, error: GitError) -> Option<Reply> {
        self.cut = Some(error);
        Some(self.news(false))
    }

    /// The next files to measure; `None` when all are.
    pub(super) fn next_round(&mut self) -> Option<Vec<Sides>> {
        let rest = self.sides.get(self.measured..).unwrap_or_default();
        (!rest.is_empty()).then(|| rest.iter().take(ROUND).copied().collect())
    }

    /// Shapes and counts of the next files.
    pub(super) fn measured(&mut self, rows: Vec<WireMeasure>) -> Option<Reply> {
        if rows.is_empty() {
            self.failed(&GitError::System("the reader measured nothing".to_owned()));
        }
        for row in rows {
            if let Some(file) = self.files.get_mut(self.measured) {
                file.marks = row.marks();
                file.counts = Known::Is(counts(row.lines));
                file.shape = Known::Is(row.shape.into());
            }
            self.measured += 1;
        }
        (self.told.elapsed() > PAUSE).then(|| self.news(false))
    }

    /// The next file cannot be measured: it says so.
    pub(super) fn failed(&mut self, error: &GitError) {
        if let Some(file) = self.files.get_mut(self.measured) {
            file.shape = Known::Unknown(Reason::new(error.says()));
            file.counts = Known::Unknown(Reason::new(error.says()));
            file.marks = Known::Unknown(Reason::new(error.says()));
        }
        self.measured += 1;
    }

    /// The whole list.
    pub(super) fn complete(&mut self) -> Reply {
        self.news(true)
    }
}

/// Keeps answers that never change, each in a small file; one that cannot be kept is found again
/// the next time.
pub(super) fn remember(folder: &Path, learned: &[(String, String)]) {
    if learned.is_empty() || crate::adapters::folders::private(folder).is_err() {
        return;
    }
    for (question, answer) in learned {
        let partial = folder.join(format!(".{question}.{}", std::process::id()));
        let kept = std::fs::write(&partial, answer)
            .and_then(|()| std::fs::rename(&partial, folder.join(question)));
        if kept.is_err() {
            let _ = std::fs::remove_file(&partial);
        }
    }
}
