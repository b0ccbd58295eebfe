//! The diff of one file, row by row.
//!
//! A [`Plan`] turns hunks into rows by arithmetic: it never looks at a line's text and keeps
//! nothing in memory, so the first and the last of two hundred thousand rows cost the same.
//! Scrolling is in rows of the plan, whatever the width.

use std::ops::Range;

use crate::app::msg::Side;
use crate::app::row::{Ground, Role, Row, Span};
use crate::app::scene::{Area, Panel, Title};
use crate::app::state::{FileView, Focus, State};
use crate::model::change::{FileHunks, Hunk, HunkMethod, Shape};
use crate::model::id::RepoPath;
use crate::model::known::Known;
use crate::model::text::Place;

use super::diff_line::{self, Gutter, Pen};
use super::facts::{self, Facts};
use super::{clamp, words};

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
    hunks: &'a FileHunks,
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
    fn unified(mut self) -> Self {
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
        let mut at = 0;
        for block in self.blocks() {
            if matches!(block, Block::Changed(found) if found == hunk) {
                return Some(at);
            }
            at += self.height(block);
        }
        None
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

fn len(range: &Range<u32>) -> usize {
    range.end.saturating_sub(range.start) as usize
}

/// Whether the diff is drawn side by side: asked for, and wide enough.
#[must_use]
pub fn splits(state: &State) -> bool {
    state.diff.split && state.nav.focus == Focus::Diff && state.screen.size.0 >= 120
}

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
        return side_by_side(facts, path, area, title, labels.collect(), &rows, top, more);
    }
    let pen = pen(facts, path, area.width);
    let cursor = (state.nav.focus == Focus::Diff).then_some(state.nav.cursor);
    let mut drawn: Vec<Row> = labels.collect();
    for (at, row) in rows.iter().enumerate() {
        let lit = cursor == Some(top + at + drawn.len().min(0));
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
    labels: Vec<Row>,
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
fn pen<'a>(facts: &Facts<'a>, path: &'a RepoPath, width: u16) -> Pen<'a> {
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

/// The labelled row of a file that has no lines to show, or whose hunks have not come.
fn shape_row(facts: &Facts<'_>, path: &RepoPath) -> Row {
    let view = facts.state.diff.files.get(path);
    if let Some(row) = shape_rows(facts, path).into_iter().next() {
        return row;
    }
    match view.map(|view| &view.hunks) {
        Some(Known::Unknown(why)) => {
            Row::ours(format!(" ▲ could not be compared: {why}"), Role::Bad)
        }
        Some(Known::NotApplicable(why)) => Row::ours(format!(" – {why}"), Role::Muted),
        Some(Known::Is(_) | Known::NotSupplied) | None => {
            Row::ours(" … reading this file", Role::Muted)
        }
    }
}

/// Rows that say what a file is when it is not (only) lines. None vanishes.
fn shape_rows(facts: &Facts<'_>, path: &RepoPath) -> Vec<Row> {
    let mut out = Vec::new();
    let file = facts.file(path);
    if let Some((old, new)) = file.and_then(|file| file.old.zip(file.new))
        && old.mode != new.mode
    {
        let text = format!(" ≠ mode {:o} → {:o}", old.mode, new.mode);
        out.push(Row::ours(text, Role::Warn));
    }
    if let Some(old) = file.and_then(|file| file.old_path.as_ref()) {
        let row = Row::ours(" ← renamed from ", Role::Moved);
        out.push(row.spans(facts.shown(&old.foreign(), Place::Strict, Role::Text)));
    }
    let view = facts.state.diff.files.get(path);
    let shape = view
        .and_then(|view| view.shape.known())
        .or_else(|| file.and_then(|file| file.shape.known()));
    let size = |old: &u64, new: &u64| format!("{} → {}", words::bytes(*old), words::bytes(*new));
    let text = match shape {
        Some(Shape::Text) | None => return out,
        Some(Shape::Empty) => Row::ours(" – empty on both sides: no bytes", Role::Muted),
        Some(Shape::Binary(old, new)) => Row::ours(
            format!(" ◇ binary, not shown: {}", size(old, new)),
            Role::Warn,
        ),
        Some(Shape::Huge(old, new)) => Row::ours(
            format!(" ◇ over 64 MiB, not shown: {}", size(old, new)),
            Role::Warn,
        ),
        Some(Shape::Missing(why)) => Row::ours(format!(" ▲ object missing: {why}"), Role::Bad),
        Some(Shape::Symlink(old, new)) => {
            let mut row = Row::ours(" → symbolic link  ", Role::Warn);
            for (at, target) in [old, new].into_iter().enumerate() {
                if at == 1 {
                    row = row.and(" → ", Role::Muted);
                }
                row = match target {
                    Some(target) => row.spans(facts.shown(target, Place::Strict, Role::Text)),
                    None => row.and("none", Role::Muted),
                };
            }
            row
        }
        Some(Shape::Submodule(old, new)) => {
            let short = |oid: &Option<crate::model::id::Oid>| {
                oid.as_ref().map_or_else(|| "none".to_owned(), words::short)
            };
            Row::ours(
                format!(
                    " ◇ submodule {} → {}, never entered",
                    short(old),
                    short(new)
                ),
                Role::Warn,
            )
        }
    };
    out.push(text.decides(format!("{}:shape", label_path(path))));
    out
}

/// The path inside labels: bytes that are not UTF-8 are replaced, which is fine for a label.
pub(super) fn label_path(path: &RepoPath) -> String {
    String::from_utf8_lossy(path.as_bytes()).into_owned()
}

/// The lines of a picked hunk, every row of it deciding, wrapped and never cut.
#[must_use]
pub fn excerpt(
    facts: &Facts<'_>,
    path: &RepoPath,
    line: u32,
    end_line: u32,
    width: u16,
) -> Vec<Row> {
    let Some(plan) = Plan::of(facts.state, path).map(Plan::unified) else {
        let mut row = shape_row(facts, path).decides(format!("{}:hunk", label_path(path)));
        row.partial = true;
        return vec![row];
    };
    let mut pen = pen(facts, path, width);
    pen.wrap = true;
    let wanted = line.saturating_sub(1)..end_line;
    let mut out = Vec::new();
    for (at, hunk) in plan.hunks.hunks.iter().enumerate() {
        let touches = hunk.after.start < wanted.end && wanted.start < hunk.after.end;
        let removal = hunk.after.is_empty()
            && hunk.before.start < wanted.end
            && wanted.start < hunk.before.end;
        if !touches && !removal {
            continue;
        }
        for old in hunk.before.clone() {
            out.extend(diff_line::unified(
                &pen,
                &DiffRow::Changed(at, Some(old), None),
            ));
        }
        for new in hunk.after.clone().filter(|new| wanted.contains(new)) {
            out.extend(diff_line::unified(
                &pen,
                &DiffRow::Changed(at, None, Some(new)),
            ));
        }
    }
    if out.is_empty() {
        let text = " these lines are not changed at this head any more";
        let mut row = Row::ours(text, Role::Moved).decides(format!("{}:hunk", label_path(path)));
        row.partial = true;
        out.push(row);
    }
    out
}

/// The first changed rows of a file, each deciding, and the count of the rest.
#[must_use]
pub fn changes(facts: &Facts<'_>, path: &RepoPath, first: usize, width: u16) -> Vec<Row> {
    let mut out = shape_rows(facts, path);
    let Some(plan) = Plan::of(facts.state, path).map(Plan::unified) else {
        if out.is_empty() {
            let mut row = shape_row(facts, path).decides(format!("{}:hunk", label_path(path)));
            row.partial = true;
            out.push(row);
        }
        return out;
    };
    let mut pen = pen(facts, path, width);
    pen.wrap = true;
    let mut left = first;
    for (at, hunk) in plan.hunks.hunks.iter().enumerate() {
        if left == 0 {
            break;
        }
        for old in hunk.before.clone().take(left) {
            out.extend(diff_line::unified(
                &pen,
                &DiffRow::Changed(at, Some(old), None),
            ));
            left -= 1;
        }
        for new in hunk.after.clone().take(left) {
            out.extend(diff_line::unified(
                &pen,
                &DiffRow::Changed(at, None, Some(new)),
            ));
            left -= 1;
        }
    }
    let all: usize = plan
        .hunks
        .hunks
        .iter()
        .map(|hunk| len(&hunk.before) + len(&hunk.after))
        .sum();
    if all > first {
        let rest = words::count(all - first, "changed row");
        out.push(
            Row::ours(format!("       … {rest} more in the diff  "), Role::Muted)
                .and("]", Role::Accent),
        );
    }
    out
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
