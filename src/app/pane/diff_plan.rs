//! The rows of a file's diff by arithmetic.
//!
//! A [`Plan`] turns hunks into rows without looking at a line's text and keeps nothing in
//! memory, so the first and the last of two hundred thousand rows cost the same.

use std::ops::Range;

use crate::app::state::{Focus, State};
use crate::model::change::{FileHunks, Hunk};
use crate::model::id::RepoPath;

/// One row of a diff.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DiffRow {
    /// Unchanged lines that are folded: first base line, first head line, how many.
    Fold(u32, u32, u32),
    /// The header of a hunk, by its number.
    Header(usize),
    /// An unchanged line, by its numbers at base and head.
    Same(u32, u32),
    /// A changed row of a hunk: the line at base, the line at head; both when side by side.
    Changed(usize, Option<u32>, Option<u32>),
}

/// A run of rows of one kind.
#[derive(Clone, Copy, Debug)]
enum Block {
    Fold(u32, u32, u32),
    Header(usize),
    Same(u32, u32, u32),
    Changed(usize),
}

/// The rows of a file's diff, by arithmetic.
#[derive(Clone, Debug)]
pub struct Plan<'a> {
    pub(super) hunks: &'a FileHunks,
    context: u32,
    split: bool,
    unfolded: Vec<u32>,
}

impl<'a> Plan<'a> {
    /// The plan of a file, once its hunks came.
    #[must_use]
    pub fn of(state: &'a State, path: &RepoPath) -> Option<Self> {
        let view = state.diff.files.get(path)?;
        Some(Self {
            hunks: view.hunks.known()?,
            context: state.diff.context,
            split: splits(state),
            unfolded: state
                .diff
                .unfolded
                .iter()
                .filter(|(of, _)| of == path)
                .map(|(_, line)| *line)
                .collect(),
        })
    }

    /// The same plan as one column, whatever the person chose.
    #[must_use]
    pub(super) fn unified(mut self) -> Self {
        self.split = false;
        self
    }

    /// How many rows there are.
    #[must_use]
    pub fn total(&self) -> usize {
        self.blocks().map(|block| self.height(block)).sum()
    }

    /// The row at which a hunk's changed lines begin.
    #[must_use]
    pub fn row_of_hunk(&self, hunk: usize) -> Option<usize> {
        self.hunk_rows().get(hunk).copied()
    }

    /// The row each hunk's changed lines begin at, in file order.
    #[must_use]
    pub fn hunk_rows(&self) -> Vec<usize> {
        let changed = self.changed_rows().into_iter();
        changed.map(|rows| rows.start).collect()
    }

    /// The rows of each hunk's changed lines, in file order.
    #[must_use]
    pub fn changed_rows(&self) -> Vec<Range<usize>> {
        let mut out = Vec::with_capacity(self.hunks.hunks.len());
        let mut at = 0;
        for block in self.blocks() {
            let height = self.height(block);
            if matches!(block, Block::Changed(_)) {
                out.push(at..at + height);
            }
            at += height;
        }
        out
    }

    /// Unchanged runs, open or closed: the row, and the first base line.
    #[must_use]
    pub fn folds(&self) -> Vec<(usize, u32)> {
        let mut out = Vec::new();
        let mut at = 0;
        for block in self.blocks() {
            match block {
                Block::Fold(line, _, _) => out.push((at, line)),
                Block::Same(line, _, _) if self.unfolded.contains(&line) => out.push((at, line)),
                Block::Same(..) | Block::Header(_) | Block::Changed(_) => {}
            }
            at += self.height(block);
        }
        out
    }

    /// `count` rows from row `from`.
    #[must_use]
    pub fn rows(&self, from: usize, count: usize) -> Vec<DiffRow> {
        let mut out = Vec::with_capacity(count.min(512));
        let mut at = 0;
        for block in self.blocks() {
            let height = self.height(block);
            if at + height > from {
                let skip = from.saturating_sub(at);
                let left = count - out.len();
                out.extend((skip..height).take(left).map(|row| self.row(block, row)));
            }
            at += height;
            if out.len() >= count {
                break;
            }
        }
        out
    }

    fn hunk(&self, at: usize) -> Hunk {
        self.hunks.hunks.get(at).cloned().unwrap_or(Hunk {
            before: 0..0,
            after: 0..0,
        })
    }

    fn height(&self, block: Block) -> usize {
        match block {
            Block::Fold(..) | Block::Header(_) => 1,
            Block::Same(_, _, count) => count as usize,
            Block::Changed(hunk) => {
                let hunk = self.hunk(hunk);
                let (old, new) = (len(&hunk.before), len(&hunk.after));
                if self.split { old.max(new) } else { old + new }
            }
        }
    }

    fn row(&self, block: Block, at: usize) -> DiffRow {
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        match block {
            Block::Fold(base, head, count) => DiffRow::Fold(base, head, count),
            Block::Header(hunk) => DiffRow::Header(hunk),
            Block::Same(base, head, _) => DiffRow::Same(base + at, head + at),
            Block::Changed(number) => {
                let hunk = self.hunk(number);
                let line = |range: &Range<u32>, at: u32| {
                    let line = range.start.saturating_add(at);
                    range.contains(&line).then_some(line)
                };
                if self.split {
                    let (old, new) = (line(&hunk.before, at), line(&hunk.after, at));
                    return DiffRow::Changed(number, old, new);
                }
                match line(&hunk.before, at) {
                    Some(old) => DiffRow::Changed(number, Some(old), None),
                    None => {
                        let removed = hunk.before.end.saturating_sub(hunk.before.start);
                        let new = line(&hunk.after, at.saturating_sub(removed));
                        DiffRow::Changed(number, None, new)
                    }
                }
            }
        }
    }

    fn blocks(&self) -> impl Iterator<Item = Block> + '_ {
        let hunks = &self.hunks.hunks;
        (0..=hunks.len()).flat_map(move |at| {
            let (base, head) = match at.checked_sub(1).and_then(|before| hunks.get(before)) {
                Some(hunk) => (hunk.before.end, hunk.after.end),
                None => (0, 0),
            };
            let (end, last) = match hunks.get(at) {
                Some(hunk) => (hunk.before.start, false),
                None => (self.hunks.before_lines, true),
            };
            self.between(base, head, end.saturating_sub(base), at, last)
        })
    }

    /// The rows between two hunks, and the hunk after them.
    fn between(
        &self,
        base: u32,
        head: u32,
        gap: u32,
        hunk: usize,
        last: bool,
    ) -> impl Iterator<Item = Block> {
        let tail = if hunk == 0 { 0 } else { self.context.min(gap) };
        let lead = if last {
            0
        } else {
            self.context.min(gap - tail)
        };
        let hidden = gap - tail - lead;
        let fold = (base + tail, head + tail, hidden);
        let open = self.unfolded.contains(&fold.0);
        let same = |from: u32, count: u32| {
            (count > 0).then_some(Block::Same(base + from, head + from, count))
        };
        let middle = match (hidden, open) {
            (0, _) => None,
            (_, true) => same(tail, hidden),
            (_, false) => Some(Block::Fold(fold.0, fold.1, fold.2)),
        };
        let header = (!last && (hidden > 0 || hunk == 0)).then_some(Block::Header(hunk));
        let change = (!last).then_some(Block::Changed(hunk));
        [
            same(0, tail),
            middle,
            header,
            same(tail + hidden, lead),
            change,
        ]
        .into_iter()
        .flatten()
    }
}

pub(super) fn len(range: &Range<u32>) -> usize {
    range.end.saturating_sub(range.start) as usize
}

/// Whether the diff is drawn side by side: asked for, and wide enough.
#[must_use]
pub fn splits(state: &State) -> bool {
    state.diff.split && state.nav.focus == Focus::Diff && state.screen.size.0 >= 120
}
