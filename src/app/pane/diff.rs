//! The diff of one file, row by row.
//!
//! Rows come from a [`Plan`]; only those on screen are built. Scrolling is in rows of the plan,
//! whatever the width.

use std::ops::Range;

use crate::app::msg::Side;
use crate::app::row::{Ground, Role, Row, Span};
use crate::app::scene::{Area, Panel, Title};
use crate::app::state::{FileView, Focus, State};
use crate::model::change::HunkMethod;
use crate::model::id::RepoPath;
use crate::model::known::Known;
use crate::model::text::Place;

use super::clamp;
use super::diff_line::{self, Gutter, Pen};
use super::diff_plan::{DiffRow, Plan, len, splits};
use super::diff_shape::{shape_row, shape_rows};
use super::facts::{self, Facts};

/// A drawn diff: its panels, and the divider between two sides.
#[derive(Debug, Default)]
pub struct Drawn {
    /// The title, then one or two columns.
    pub panels: Vec<Panel>,
    /// The divider of a split diff.
    pub divider: Option<(u16, u16, u16)>,
}

/// The diff of the shown file in an area, title included.
#[must_use]
pub fn panels(facts: &Facts<'_>, area: Area) -> Drawn {
    let Some(path) = facts.shown_file() else {
        return Drawn {
            panels: vec![nothing(facts, area)],
            divider: None,
        };
    };
    let state = facts.state;
    let view = usize::from(area.height.saturating_sub(1));
    let Some(plan) = Plan::of(state, path) else {
        let rows = vec![shape_row(facts, path)];
        return one(area, title(facts, path, None, (0, 0)), rows, (0, 0));
    };
    let labels = shape_rows(facts, path);
    let total = plan.total() + labels.len();
    let wanted = if state.nav.focus == Focus::Diff {
        facts.top(Focus::Diff)
    } else {
        wanted_top(facts, path, &plan)
    };
    let top = clamp(wanted, total, view);
    let count = view.saturating_sub(labels.len().saturating_sub(top));
    let rows = plan.rows(top.saturating_sub(labels.len()), count);
    let more = (top, total.saturating_sub(top + view));
    let title = title(
        facts,
        path,
        rows.first().map(|row| hunk_near(&plan, row)),
        more,
    );
    let labels = labels.into_iter().skip(top);
    if splits(state) {
        return side_by_side(
            facts,
            path,
            area,
            title,
            &labels.collect::<Vec<_>>(),
            &rows,
            top,
            more,
        );
    }
    let pen = pen(facts, path, area.width);
    let cursor = (state.nav.focus == Focus::Diff).then_some(state.nav.cursor);
    let mut drawn: Vec<Row> = labels.collect();
    let first = top + drawn.len();
    for (at, row) in rows.iter().enumerate() {
        let lit = cursor == Some(first + at);
        for row in diff_line::unified(&pen, row) {
            drawn.push(if lit { row.on(Ground::Selected) } else { row });
        }
    }
    drawn.truncate(view);
    one(area, title, drawn, more)
}

fn one(area: Area, title: Title, rows: Vec<Row>, more: (usize, usize)) -> Drawn {
    let panel = Panel {
        area,
        title: Some(title),
        rows,
        more,
    };
    Drawn {
        panels: vec![panel],
        divider: None,
    }
}

#[expect(
    clippy::too_many_arguments,
    reason = "one caller, split off for length"
)]
fn side_by_side(
    facts: &Facts<'_>,
    path: &RepoPath,
    area: Area,
    title: Title,
    labels: &[Row],
    rows: &[DiffRow],
    top: usize,
    more: (usize, usize),
) -> Drawn {
    let half = area.width.saturating_sub(1) / 2;
    let y = area.y + 1;
    let height = area.height.saturating_sub(1);
    let mut sides = [Side::Base, Side::Head].map(|side| {
        let x = match side {
            Side::Base => area.x,
            Side::Head => area.x + half + 1,
        };
        let width = match side {
            Side::Base => half,
            Side::Head => area.width - half - 1,
        };
        let pen = pen(facts, path, width);
        let cursor = facts.state.nav.cursor;
        let drawn = rows.iter().enumerate().map(|(at, row)| {
            let drawn = diff_line::half(&pen, row, side);
            if top + at == cursor {
                drawn.on(Ground::Selected)
            } else {
                drawn
            }
        });
        let first = labels.iter().map(|row| match side {
            Side::Base => row.clone(),
            Side::Head => Row::default(),
        });
        Panel {
            area: Area {
                x,
                y,
                width,
                height,
            },
            title: None,
            rows: first.chain(drawn).take(usize::from(height)).collect(),
            more,
        }
    });
    let [left, right] = &mut sides;
    let head = Panel {
        area: Area { height: 1, ..area },
        title: Some(title),
        ..Panel::default()
    };
    Drawn {
        panels: vec![head, std::mem::take(left), std::mem::take(right)],
        divider: Some((area.x + half, y, height)),
    }
}

/// Where the diff opens for the selection: its first hunk, under its header.
fn wanted_top(facts: &Facts<'_>, _path: &RepoPath, plan: &Plan<'_>) -> usize {
    if let Some(top) = facts.state.nav.tops.get(&Focus::Diff) {
        return *top;
    }
    let first = plan.row_of_hunk(0).unwrap_or(0);
    first.saturating_sub(4)
}

fn hunk_near(plan: &Plan<'_>, row: &DiffRow) -> usize {
    match row {
        DiffRow::Header(hunk) | DiffRow::Changed(hunk, _, _) => *hunk,
        DiffRow::Same(base, _) | DiffRow::Fold(base, _, _) => plan
            .hunks
            .hunks
            .partition_point(|hunk| hunk.before.end <= *base),
    }
}

/// How lines of this file are drawn.
pub(super) fn pen<'a>(facts: &Facts<'a>, path: &'a RepoPath, width: u16) -> Pen<'a> {
    let view = facts.state.diff.files.get(path);
    let lines = view
        .and_then(|view| view.hunks.known())
        .map_or(0, |hunks| hunks.before_lines.max(hunks.after_lines));
    Pen {
        path,
        view,
        width: usize::from(width),
        digits: lines.to_string().len().max(4),
        gutter: gutter(facts, path),
        ascii: facts.state.screen.ascii,
        wrap: facts.state.diff.wrap,
        claims: claim_text(facts, path),
    }
}

fn gutter(facts: &Facts<'_>, path: &RepoPath) -> Gutter {
    let Some(scoped) = facts.scoped(path) else {
        return Gutter(" ".to_owned(), Role::Text);
    };
    if scoped.overflow {
        return Gutter("◆".to_owned(), Role::Warn);
    }
    let claimant = facts.claimant();
    if claimant.is_some_and(|id| facts::claims(scoped, &id)) {
        return Gutter("▎".to_owned(), Role::Accent);
    }
    let is_contract = facts
        .record()
        .is_some_and(|record| &record.contract.path == path);
    if is_contract {
        return Gutter("▎".to_owned(), Role::Bad);
    }
    let first = facts::claimants(scoped).chars().next();
    match first {
        Some(digit) if digit.is_ascii_digit() => Gutter(digit.to_string(), Role::Muted),
        Some(_) | None => Gutter(" ".to_owned(), Role::Text),
    }
}

fn claim_text(facts: &Facts<'_>, path: &RepoPath) -> String {
    match facts.scoped(path) {
        Some(scoped) if scoped.overflow => "claimed by nothing".to_owned(),
        Some(scoped) => match facts::claimants(scoped).as_str() {
            word @ ("file scope" | "contract" | "repo-wide" | "outside" | "untraced") => {
                word.to_owned()
            }
            ids => format!("claimed by {ids}"),
        },
        None => String::new(),
    }
}

fn title(facts: &Facts<'_>, path: &RepoPath, hunk: Option<usize>, more: (usize, usize)) -> Title {
    let state = facts.state;
    let name = facts.shown(&path.foreign(), Place::Strict, Role::Strong);
    let mut left = Row::default().spans(name);
    let view = state.diff.files.get(path);
    if let Some(Known::Is(hunks)) = view.map(|view| &view.hunks)
        && !hunks.hunks.is_empty()
    {
        let all = hunks.hunks.len();
        let at = hunk.unwrap_or(0).min(all - 1) + 1;
        left = left.and(format!("  hunk {at} of {all}"), Role::Muted);
        left = match hunks.method {
            HunkMethod::Histogram => left,
            HunkMethod::Myers => left.and("  by myers", Role::Muted),
            HunkMethod::Xdiff => left.and("  by xdiff", Role::Muted),
            HunkMethod::Whole => left.and("  too slow to compare: whole", Role::Warn),
        };
    }
    let claim = claim_text(facts, path);
    if !claim.is_empty() {
        left = left.and(format!("  {claim}"), Role::Muted);
    }
    let focused = state.nav.focus == Focus::Diff;
    let side = if splits(state) {
        "split, base left, head right"
    } else {
        "[ ] hunk"
    };
    let right = Row::ours(side, Role::Muted);
    super::counted(
        Title {
            left,
            right,
            focused,
        },
        more,
    )
}

fn nothing(facts: &Facts<'_>, area: Area) -> Panel {
    let text = if facts.files().is_empty() {
        " no file is changed"
    } else {
        " no changed file belongs to this item; { } goes through the files"
    };
    Panel {
        area,
        title: Some(Title {
            left: Row::ours("Diff", Role::Text),
            focused: facts.state.nav.focus == Focus::Diff,
            ..Title::default()
        }),
        rows: vec![Row::ours(text, Role::Muted)],
        more: (0, 0),
    }
}

/// Line ranges of the shown file that are on screen and have not come, by side.
#[must_use]
pub fn wanted_lines(state: &State, area_rows: usize) -> Vec<(RepoPath, Side, Range<u32>)> {
    let Some(facts) = Facts::of(state) else {
        return Vec::new();
    };
    let Some(path) = facts.shown_file() else {
        return Vec::new();
    };
    let (Some(plan), Some(view)) = (Plan::of(state, path), state.diff.files.get(path)) else {
        return Vec::new();
    };
    let top = clamp(wanted_top(&facts, path, &plan), plan.total(), area_rows);
    let (mut base, mut head): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
    for row in plan.rows(top, area_rows) {
        let (old, new) = match row {
            DiffRow::Same(_, new) => (None, Some(new)),
            DiffRow::Changed(_, old, new) => (old, new),
            DiffRow::Fold(..) | DiffRow::Header(_) => (None, None),
        };
        base.extend(old.filter(|line| missing(view, Side::Base, *line)));
        head.extend(new.filter(|line| missing(view, Side::Head, *line)));
    }
    [(Side::Base, base), (Side::Head, head)]
        .into_iter()
        .filter_map(|(side, lines)| {
            let from = lines.iter().min()?;
            let to = lines.iter().max()?;
            Some((path.clone(), side, *from..to + 1))
        })
        .collect()
}

fn missing(view: &FileView, side: Side, line: u32) -> bool {
    !view.lines.contains_key(&(side, line))
        && !view
            .asked
            .iter()
            .any(|(of, range)| *of == side && range.contains(&line))
}

/// Spans of a hunk's header.
pub(super) fn header_spans(view: Option<&FileView>, hunk: usize) -> Vec<Span> {
    let found = view
        .and_then(|view| view.hunks.known())
        .and_then(|hunks| hunks.hunks.get(hunk));
    let Some(hunk) = found else {
        return vec![Span::ours("@@", Role::Muted)];
    };
    let range = |range: &Range<u32>| format!("{},{}", range.start + 1, len(range));
    vec![Span::ours(
        format!("@@ {} {} @@", range(&hunk.before), range(&hunk.after)),
        Role::Muted,
    )]
}
