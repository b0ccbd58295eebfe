//! Where everything stands: a pure function of size, mode and focus. Nothing here looks at
//! facts, so that the same key at the same size always finds the same place.

use crate::app::scene::Area;
use crate::app::state::{Focus, Mode, State};

/// How much room there is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// From 140 columns: list 56; the diff is a third column from 200.
    Wide,
    /// 90 to 139: list 38.
    Two,
    /// 60 to 89: list over a peek.
    One,
    /// From 40x10: list or page.
    Tiny,
    /// Below: one line, decision keys off.
    Small,
}

/// The class of a size.
#[must_use]
pub fn class(width: u16, height: u16) -> Class {
    if width < 40 || height < 10 {
        Class::Small
    } else if width < 60 || height < 15 {
        Class::Tiny
    } else if width < 90 || height < 20 {
        Class::One
    } else if width < 140 {
        Class::Two
    } else {
        Class::Wide
    }
}

/// What fills the body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Body {
    /// List and reading side by side, or list over peek.
    Session,
    /// One page of full width.
    Page(Page),
}

/// A page of full width.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "each is the focus or mode of the same name")]
pub enum Page {
    Card,
    Diff,
    Output,
    Verdict,
    Ledger,
    Spec,
    Triage,
    Trust,
    Carry,
    Writes,
    Picker,
    Help,
}

/// What fills the body now.
#[must_use]
pub fn body(state: &State) -> Body {
    let (width, height) = state.screen.size;
    let narrow = matches!(class(width, height), Class::One | Class::Tiny);
    match &state.mode {
        Mode::Help(_) => return Body::Page(Page::Help),
        Mode::Trust(_) => return Body::Page(Page::Trust),
        Mode::Carry(_) => return Body::Page(Page::Carry),
        Mode::SignEdits(_) => return Body::Page(Page::Writes),
        Mode::Picker(_) if narrow => return Body::Page(Page::Picker),
        Mode::SignOne(_) | Mode::SignTwo(_) => return Body::Page(Page::Verdict),
        Mode::Browse
        | Mode::Prefix(_)
        | Mode::Search(_)
        | Mode::Matches { .. }
        | Mode::Note(_)
        | Mode::Picker(_)
        | Mode::Rulings(_)
        | Mode::Contracts(_)
        | Mode::Formats(_)
        | Mode::Inspect(_)
        | Mode::Confirm(_)
        | Mode::Palette(_) => {}
    }
    match state.nav.focus {
        Focus::List => Body::Session,
        Focus::Card if narrow => Body::Page(Page::Card),
        Focus::Card => Body::Session,
        Focus::Diff => Body::Page(Page::Diff),
        Focus::Output => Body::Page(Page::Output),
        Focus::Verdict => Body::Page(Page::Verdict),
        Focus::Ledger => Body::Page(Page::Ledger),
        Focus::Spec => Body::Page(Page::Spec),
        Focus::Triage => Body::Page(Page::Triage),
        Focus::Trust => Body::Page(Page::Trust),
        Focus::Carry => Body::Page(Page::Carry),
        Focus::Writes => Body::Page(Page::Writes),
    }
}

/// Columns of the list.
#[must_use]
pub fn list_width(class: Class) -> u16 {
    match class {
        Class::Wide => 56,
        Class::Two => 38,
        Class::One | Class::Tiny | Class::Small => 0,
    }
}

/// The rows between the fixed ones.
#[must_use]
pub fn middle(size: (u16, u16), banner: bool) -> Area {
    let top = 2 + u16::from(banner);
    Area {
        x: 0,
        y: top,
        width: size.0,
        height: size.1.saturating_sub(top + 2),
    }
}

/// `area` split after `columns`: the left part without its last (blank) column, the divider's
/// column, the right part.
#[must_use]
pub fn beside(area: Area, columns: u16) -> (Area, u16, Area) {
    let columns = columns.min(area.width);
    let divider = area.x + columns;
    let left = Area {
        width: columns.saturating_sub(1),
        ..area
    };
    let right = Area {
        x: divider.saturating_add(1),
        width: area.width.saturating_sub(columns + 1),
        ..area
    };
    (left, divider, right)
}

/// `area` split after `rows`.
#[must_use]
pub fn above(area: Area, rows: u16) -> (Area, Area) {
    let rows = rows.min(area.height);
    (
        Area {
            height: rows,
            ..area
        },
        Area {
            y: area.y + rows,
            height: area.height - rows,
            ..area
        },
    )
}

/// A box in the middle of the screen; the whole screen where it is narrower than 90 columns.
#[must_use]
pub fn centered(size: (u16, u16), width: u16, height: u16) -> Area {
    let (columns, rows) = size;
    if columns < 90 {
        let height = height.min(rows);
        let full = Area {
            x: 0,
            y: 0,
            width: columns,
            height: rows,
        };
        if columns < 80 {
            return full;
        }
        return Area {
            y: (rows - height) / 2,
            height,
            ..full
        };
    }
    let (width, height) = (width.min(columns), height.min(rows));
    Area {
        x: (columns - width) / 2,
        y: (rows - height) / 2,
        width,
        height,
    }
}
