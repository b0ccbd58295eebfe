//! What the screen shows, as data: fixed chrome rows, panels with their rows, at most one box.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::gate::dossier::Subject;
use crate::model::id::{Digest, RepoPath};

use super::msg::Side;
use super::row::Row;
use super::state::{self, Focus};

/// A rectangle of cells.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Area {
    /// Column of its left edge.
    pub x: u16,
    /// Row of its top edge.
    pub y: u16,
    /// Columns.
    pub width: u16,
    /// Rows.
    pub height: u16,
}

/// A whole screen. Drawing it is a function of this and the theme, nothing else.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Scene {
    /// Size of the screen it was composed for.
    pub size: (u16, u16),
    /// Whether only ASCII may be drawn.
    pub ascii: bool,
    /// The two rows above; content never draws there.
    pub head: Vec<Row>,
    /// The banner while stale, tampered or degraded.
    pub banner: Option<Row>,
    /// Panels of content.
    pub panels: Vec<Panel>,
    /// Columns with a thin vertical divider: x, from y, rows.
    pub dividers: Vec<(u16, u16, u16)>,
    /// The two rows below; content never draws there.
    pub foot: Vec<Row>,
    /// A box over the rest that takes the keys.
    pub overlay: Option<Overlay>,
    /// Deciding rows that are on this screen, for the measurement of "seen".
    pub deciding: Option<Deciding>,
    /// What composing measured; `update` moves and clamps by it and never lays anything out.
    pub measured: Measured,
}

/// Heights and places found while composing. `app::update::drew` keeps them in the state, so
/// that the next key moves over rows as they were drawn, never over rows guessed anew.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Measured {
    /// Of every part on this screen: how long it is and what of it shows. The trust page's
    /// extent also says which rows of it were on screen.
    pub parts: BTreeMap<Focus, Extent>,
    /// The diff on this screen.
    pub diff: Option<DiffMeasure>,
    /// Which row of the list stands where, for clicks.
    pub targets: Vec<(Area, state::Row)>,
    /// Rows of the focused part (counted over the whole part) that hit the words of
    /// `Mode::Search` or `Mode::Matches`, ascending.
    pub hits: Vec<usize>,
    /// The text of the row under the cursor as it is shown, and its place (`bin/ferry:58`), for
    /// copying.
    pub under: Option<(String, String)>,
    /// What is on this screen (or one screen below it) and has not come yet.
    pub needs: Vec<Need>,
}

/// One part: `top .. top + rows` of its `total` rows are visible.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Extent {
    /// Where its rows stand, title rule left out.
    pub area: Area,
    /// First visible row.
    pub top: usize,
    /// Visible rows.
    pub rows: usize,
    /// All rows.
    pub total: usize,
}

/// The diff as it was laid out; rows count over the whole diff of the file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DiffMeasure {
    /// Which file.
    pub path: Option<RepoPath>,
    /// The row each hunk begins at, in file order.
    pub hunks: Vec<usize>,
    /// Indices of hunks that the selected criterion claims.
    pub claimed: Vec<usize>,
    /// Closed or open unchanged runs: the row of the fold, and its first base line (0-based).
    pub folds: Vec<(usize, u32)>,
    /// Changed lines that are on screen with their text, 0-based.
    pub changed_lines: Vec<(Side, u32)>,
}

/// Something to ask for; asked once, however often it is named.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Need {
    /// Hunks of a file.
    Hunks(RepoPath),
    /// Lines of one side of a file, 0-based.
    Text(RepoPath, Side, Range<u32>),
    /// Lines of a stored output, 0-based.
    Output(Digest, Range<u64>),
}

/// A titled run of rows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Panel {
    /// Where, title rule included.
    pub area: Area,
    /// The rule above it; `None` for a continuation without a rule.
    pub title: Option<Title>,
    /// Exactly the rows that are visible, already sliced and wrapped.
    pub rows: Vec<Row>,
    /// Rows above and below that are not on screen.
    pub more: (usize, usize),
}

impl Panel {
    /// One that is as wide as the screen, from row `y` down to the last of its rows.
    #[must_use]
    pub fn across(
        width: u16,
        y: usize,
        title: Title,
        rows: Vec<Row>,
        more: (usize, usize),
    ) -> Self {
        let cells = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
        Self {
            area: Area {
                x: 0,
                y: cells(y),
                width,
                height: cells(rows.len() + 1),
            },
            title: Some(title),
            rows,
            more,
        }
    }
}

/// A title rule.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Title {
    /// At the left.
    pub left: Row,
    /// At the right.
    pub right: Row,
    /// Heavy rule: this panel takes the keys.
    pub focused: bool,
}

/// A box.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Overlay {
    /// Where, border included.
    pub area: Area,
    /// Title at the left and at the right of its border.
    pub title: Title,
    /// Its rows.
    pub rows: Vec<Row>,
    /// Where the cursor stands, relative to the inside.
    pub cursor: Option<(u16, u16)>,
}

/// Which deciding rows of which item this screen shows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Deciding {
    /// The item.
    pub subject: Subject,
    /// Labels of the deciding rows on screen.
    pub shown: Vec<String>,
    /// Labels of the deciding rows that are not.
    pub missing: Vec<String>,
}
