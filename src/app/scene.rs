//! What the screen shows, as data: fixed chrome rows, panels with their rows, at most one box.

use crate::gate::dossier::Subject;

use super::row::Row;

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
