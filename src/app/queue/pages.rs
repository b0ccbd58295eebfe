//! An opened row: its lines, and which of them were on the screen.

use std::collections::BTreeSet;
use std::ops::Range;

/// What a line says, for its looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tone {
    /// Read this.
    Plain,
    /// Begins a section.
    Head,
    /// Fails closed.
    Bad,
    /// Is shown and never blocks.
    Warn,
    /// Only at base.
    Gone,
    /// Only at head.
    Come,
}

/// A line, fit to be shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// The words.
    pub text: String,
    /// What it says.
    pub tone: Tone,
}

/// An opened row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Page {
    /// What it is, in a few words.
    pub title: String,
    /// Its lines.
    pub lines: Vec<Line>,
    /// Why ratifying is closed; empty when it is open.
    pub closed: Vec<String>,
    /// First row on the screen.
    pub scroll: usize,
    /// Whether it tells of something done, so that there is nothing to decide on it.
    pub is_done: bool,
    /// Lines that were on the screen whole.
    seen: BTreeSet<usize>,
    /// Rows, at this width, that were on the screen.
    rows: BTreeSet<usize>,
}

impl Page {
    /// A page that nobody has seen.
    #[must_use]
    pub fn new(title: impl Into<String>, lines: Vec<Line>, closed: Vec<String>) -> Self {
        Self {
            title: title.into(),
            lines,
            closed,
            scroll: 0,
            is_done: false,
            seen: BTreeSet::new(),
            rows: BTreeSet::new(),
        }
    }

    /// The same, with nothing to decide on it.
    #[must_use]
    pub fn done(mut self) -> Self {
        self.is_done = true;
        self.closed = vec![String::from("it is answered")];
        self
    }

    /// How many lines were not on the screen whole.
    #[must_use]
    pub fn unseen(&self) -> Option<usize> {
        let missing = self.lines.len() - self.seen.len().min(self.lines.len());
        (missing > 0).then_some(missing)
    }

    /// Rows are wrapped anew; lines that were whole on the screen stay seen.
    pub(super) fn resized(&mut self) {
        self.rows.clear();
    }

    /// These rows are on the screen; `of_line` is the line that each row is of.
    pub(super) fn looked(&mut self, of_line: &[usize], rows: Range<usize>) {
        self.rows.extend(rows);
        let mut whole: BTreeSet<usize> = of_line.iter().copied().collect();
        for (row, line) in of_line.iter().enumerate() {
            if !self.rows.contains(&row) {
                whole.remove(line);
            }
        }
        self.seen.extend(whole);
    }
}
