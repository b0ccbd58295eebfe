//! The diff of one file, row by row.
//!
//! Rows come from a [`Plan`]; only those on screen are built. Scrolling is in rows of the plan,
//! whatever the width.

use std::ops::Range;

use crate::app::msg::Side;
use crate::app::row::{Ground, Role, Row, Span};
use crate::app::scene::{Area, DiffMeasure, Extent, Need, Panel, Scene, Title};
use crate::app::state::{FileView, Focus, State};
use crate::gate::dossier::Subject;
use crate::model::change::HunkMethod;
use crate::model::evidence::Evidence;
use crate::model::id::RepoPath;
use crate::model::known::Known;
use crate::model::text::Place;

use super::card_picked::rests;
use super::diff_line::{self, Gutter, Pen};
use super::diff_plan::{DiffRow, Plan, len, splits};
use super::diff_shape::{shape_row, shape_rows};
use super::facts::{self, Facts};
use super::{clamp, diff_side, search};

/// Draws the diff of the shown file in an area, title included, and measures it.
pub fn draw(facts: &Facts<'_>, area: Area, scene: &mut Scene) {
    let Some(path) = facts.shown_file() else {
        scene.panels.push(nothing(facts, area));
        return;
    };
    let state = facts.state;
    let Some(plan) = Plan::of(state, path) else {
        if !state.diff.files.contains_key(path) {
            scene.measured.needs.push(Need::Hunks(path.clone()));
        }
        scene.panels.push(Panel {
            area,
            title: Some(title(facts, path, None, (0, 0))),
            rows: vec![shape_row(facts, path)],
            more: (0, 0),
        });
        return;
    };
    let labels = shape_rows(facts, path);
    let view = usize::from(area.height.saturating_sub(1));
    let total = plan.total() + labels.len();
    let pen = pen(facts, path, area.width);
    let top = top(facts, &plan, &pen, labels.len(), view);
    let above = labels.len().saturating_sub(top);
    let rows = plan.rows(top.saturating_sub(labels.len()), view.saturating_sub(above));
    let more = (top, total.saturating_sub(top + view));
    let near = rows.first().map(|row| hunk_near(&plan, row));
    let shown = Shown {
        path,
        first: top + above,
        labels: labels.into_iter().skip(top).collect(),
        rows,
        more,
        title: title(facts, path, near, more),
    };
    scene.measured.under = under(facts, path, &shown);
    let fits = whole_rows(&pen, &shown, view, state);
    measure(facts, &plan, &shown, area, (top, fits, total), scene);
    if splits(state) {
        let map = diff_side::map(&plan, &pen.gutter, (top, view, total));
        side_by_side(facts, shown, map, area, scene);
    } else {
        one_column(facts, shown, area, scene);
    }
}

/// Asks for what a card shows of changed files, where the diff itself is not drawn.
pub fn ask(facts: &Facts<'_>, scene: &mut Scene) {
    let mut paths: Vec<&RepoPath> = Vec::new();
    match facts.subject() {
        Some(Subject::ContractEdit(_) | Subject::ScopeFile(_) | Subject::Chain(_)) => {
            paths.extend(facts.shown_file());
        }
        Some(Subject::Criterion(id)) => {
            let picked = rests(facts, id).pieces.iter();
            paths.extend(picked.filter_map(|evidence| match evidence {
                Evidence::Hunk { path, .. }
                | Evidence::Change { path, .. }
                | Evidence::Test { path, .. } => Some(path),
                Evidence::Run(_) | Evidence::Rationale(_) => None,
            }));
        }
        Some(Subject::Review(raised)) => paths.extend(facts.raised_at(raised)),
        Some(Subject::Assertion(_) | Subject::Message(_)) | None => {}
    }
    for path in paths {
        match Plan::of(facts.state, path).map(Plan::unified) {
            Some(plan) => {
                let changed = plan.changed_rows().into_iter().take(IN_A_CARD);
                let rows =
                    changed.flat_map(|rows| plan.rows(rows.start, rows.len().min(IN_A_CARD)));
                let rows: Vec<DiffRow> = rows.take(IN_A_CARD).collect();
                needs(facts.state, path, &rows, scene);
            }
            None if !facts.state.diff.files.contains_key(path) => {
                scene.measured.needs.push(Need::Hunks(path.clone()));
            }
            None => {}
        }
    }
}

/// Most changed rows that a card asks for.
const IN_A_CARD: usize = 64;

/// The first row on screen: as wanted, but never past the end, and with the cursor in view. A
/// row may take several lines when it wraps, so lines are counted as they are drawn.
fn top(facts: &Facts<'_>, plan: &Plan<'_>, pen: &Pen<'_>, labels: usize, view: usize) -> usize {
    let state = facts.state;
    let total = plan.total() + labels;
    let wanted = wanted_top(facts, plan);
    let simple = clamp(wanted, total, view);
    if !state.diff.wrap || splits(state) || view == 0 {
        return simple;
    }
    // The first row from which everything up to `end` fits on the screen.
    let fitting = |end: usize| {
        let from = end.saturating_sub(view);
        let rows = plan.rows(from.saturating_sub(labels), end - from);
        let heights = rows.iter().map(|row| diff_line::unified(pen, row).len());
        let mut heights: Vec<usize> = heights.collect();
        let above = end - from - heights.len().min(end - from);
        heights.splice(0..0, std::iter::repeat_n(1, above));
        let (mut first, mut used) = (end, 0);
        for height in heights.into_iter().rev() {
            used += height;
            if used > view {
                break;
            }
            first -= 1;
        }
        first.min(end.saturating_sub(1))
    };
    let mut top = if wanted > simple {
        wanted.min(fitting(total).max(simple))
    } else {
        wanted
    };
    if let Some(cursor) = cursor(state).filter(|at| *at >= top && *at < total) {
        top = top.max(fitting(cursor + 1));
    }
    top
}

/// What of a diff is on screen.
struct Shown<'a> {
    path: &'a RepoPath,
    /// Number of the first of `rows`, counted over the whole part.
    first: usize,
    labels: Vec<Row>,
    rows: Vec<DiffRow>,
    more: (usize, usize),
    title: Title,
}

/// How many rows, labels included, are on screen whole.
fn whole_rows(pen: &Pen<'_>, shown: &Shown<'_>, view: usize, state: &State) -> usize {
    if !state.diff.wrap || splits(state) {
        return view;
    }
    let mut used = shown.labels.len();
    let mut rows = used.min(view);
    for row in &shown.rows {
        used += diff_line::unified(pen, row).len();
        if used > view {
            break;
        }
        rows += 1;
    }
    rows.max(1)
}

/// The text of the line under the cursor and its place, for copying: the head's line, else the
/// line that is gone.
fn under(facts: &Facts<'_>, path: &RepoPath, shown: &Shown<'_>) -> Option<(String, String)> {
    let at = cursor(facts.state)?.checked_sub(shown.first)?;
    let (side, line) = match shown.rows.get(at)? {
        DiffRow::Same(_, head) | DiffRow::Changed(_, _, Some(head)) => (Side::Head, *head),
        DiffRow::Changed(_, Some(base), None) => (Side::Base, *base),
        DiffRow::Changed(_, None, None) | DiffRow::Fold(..) | DiffRow::Header(_) => return None,
    };
    let view = facts.state.diff.files.get(path)?;
    let text = view.lines.get(&(side, line))?;
    let place = format!(
        "{}:{}",
        path.foreign().shown(Place::Strict).plain(),
        line + 1
    );
    Some((text.text.shown(Place::Prose).plain(), place))
}

/// The row under the cursor, while the diff has the keys.
fn cursor(state: &State) -> Option<usize> {
    (state.nav.focus == Focus::Diff).then_some(state.nav.cursor)
}

fn one_column(facts: &Facts<'_>, shown: Shown<'_>, area: Area, scene: &mut Scene) {
    let pen = pen(facts, shown.path, area.width);
    let cursor = cursor(facts.state);
    let mut rows = shown.labels;
    for (at, row) in shown.rows.iter().enumerate() {
        let lit = cursor == Some(shown.first + at);
        for row in diff_line::unified(&pen, row) {
            rows.push(if lit { row.on(Ground::Selected) } else { row });
        }
    }
    rows.truncate(usize::from(area.height.saturating_sub(1)));
    if cursor.is_some() {
        search::mark(facts.state, &mut rows);
    }
    scene.panels.push(Panel {
        area,
        title: Some(shown.title),
        rows,
        more: shown.more,
    });
}

fn side_by_side(facts: &Facts<'_>, shown: Shown<'_>, map: Vec<Row>, area: Area, scene: &mut Scene) {
    // the last column is the map of the file, a blank one parts it
    let text = area.width.saturating_sub(2);
    let half = text.saturating_sub(1) / 2;
    let rest = super::below_title(area);
    scene.panels.push(Panel {
        area: Area { height: 1, ..area },
        title: Some(shown.title),
        ..Panel::default()
    });
    scene.dividers.push((area.x + half, rest.y, rest.height));
    let right = Area {
        x: area.x + half + 1,
        width: text.saturating_sub(half + 1),
        ..rest
    };
    scene.panels.push(Panel {
        area: Area {
            x: area.x + area.width.saturating_sub(1),
            width: 1,
            ..rest
        },
        title: None,
        rows: map,
        more: (0, 0),
    });
    let left = Area {
        width: half,
        ..rest
    };
    let cursor = cursor(facts.state);
    for (side, area) in [(Side::Base, left), (Side::Head, right)] {
        let pen = pen(facts, shown.path, area.width);
        let mut rows: Vec<Row> = match side {
            Side::Base => shown.labels.clone(),
            Side::Head => vec![Row::default(); shown.labels.len()],
        };
        rows.extend(shown.rows.iter().enumerate().map(|(at, row)| {
            let drawn = diff_line::half(&pen, row, side);
            if cursor == Some(shown.first + at) {
                drawn.on(Ground::Selected)
            } else {
                drawn
            }
        }));
        rows.truncate(usize::from(area.height));
        search::mark(facts.state, &mut rows);
        scene.panels.push(Panel {
            area,
            title: None,
            rows,
            more: shown.more,
        });
    }
}

/// Writes down where everything stands, and what has not come.
fn measure(
    facts: &Facts<'_>,
    plan: &Plan<'_>,
    shown: &Shown<'_>,
    area: Area,
    (top, view, total): (usize, usize, usize),
    scene: &mut Scene,
) {
    let state = facts.state;
    let extra = total - plan.total();
    scene.measured.parts.insert(
        Focus::Diff,
        Extent {
            area: super::below_title(area),
            top,
            rows: view.min(total.saturating_sub(top)),
            total,
        },
    );
    let hunks = plan
        .hunk_rows()
        .into_iter()
        .map(|row| row + extra)
        .collect();
    let claimed = if facts
        .claimant()
        .zip(facts.scoped(shown.path))
        .is_some_and(|(id, file)| facts::claims(file, &id))
    {
        (0..plan.hunks.hunks.len()).collect()
    } else {
        Vec::new()
    };
    let folds = plan
        .folds()
        .into_iter()
        .map(|(row, line)| (row + extra, line));
    let whole = view.saturating_sub(shown.labels.len());
    let changed = shown.rows.iter().take(whole).flat_map(|row| match row {
        DiffRow::Changed(_, base, head) => [
            base.map(|line| (Side::Base, line)),
            head.map(|line| (Side::Head, line)),
        ],
        DiffRow::Same(..) | DiffRow::Fold(..) | DiffRow::Header(_) => [None, None],
    });
    // A line whose text has not come is drawn as `…`: nobody saw it.
    let come = |line: &(Side, u32)| {
        let view = state.diff.files.get(shown.path);
        view.is_some_and(|view| view.lines.contains_key(line))
    };
    scene.measured.diff = Some(DiffMeasure {
        path: Some(shown.path.clone()),
        hunks,
        claimed,
        folds: folds.collect(),
        changed_lines: changed.flatten().filter(come).collect(),
    });
    // what the next screens would show, asked for by screens and not for each row that is passed
    let from = top.saturating_sub(extra);
    let to = (from + view * 2).next_multiple_of(view.max(1));
    let ahead = plan.rows(from, to - from);
    needs(state, shown.path, &ahead, scene);
    if state.nav.focus == Focus::Diff {
        search_diff(facts, plan, shown.path, extra, scene);
    }
}

/// Rows that hit, among the lines that have come; only while something is searched.
fn search_diff(
    facts: &Facts<'_>,
    plan: &Plan<'_>,
    path: &RepoPath,
    extra: usize,
    scene: &mut Scene,
) {
    let (Some(words), Some(view)) = (search::words(facts.state), facts.state.diff.files.get(path))
    else {
        return;
    };
    let needle = words.to_lowercase();
    let line = |side, number: &u32| {
        let found = view.lines.get(&(side, *number));
        found.is_some_and(|line| search::hits(line.text.raw(), &needle))
    };
    let total = plan.total().min(search::MOST);
    for (at, row) in plan.rows(0, total).iter().enumerate() {
        let hit = match row {
            DiffRow::Same(_, new) => line(Side::Head, new),
            DiffRow::Changed(_, old, new) => {
                old.as_ref().is_some_and(|old| line(Side::Base, old))
                    || new.as_ref().is_some_and(|new| line(Side::Head, new))
            }
            DiffRow::Fold(..) | DiffRow::Header(_) => false,
        };
        if hit {
            scene.measured.hits.push(at + extra);
        }
    }
}

/// Lines of these rows that have not come, as one range for each side.
fn needs(state: &State, path: &RepoPath, rows: &[DiffRow], scene: &mut Scene) {
    let Some(view) = state.diff.files.get(path) else {
        return;
    };
    let (mut base, mut head): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
    for row in rows {
        match row {
            DiffRow::Same(_, new) => head.push(*new),
            DiffRow::Changed(_, old, new) => {
                base.extend(old);
                head.extend(new);
            }
            DiffRow::Fold(..) | DiffRow::Header(_) => {}
        }
        if let (DiffRow::Same(old, _), true) = (row, splits(state)) {
            base.push(*old);
        }
    }
    for (side, mut lines) in [(Side::Base, base), (Side::Head, head)] {
        lines.retain(|line| !view.was_asked(side, *line));
        if let (Some(from), Some(to)) = (lines.iter().min(), lines.iter().max()) {
            let range = *from..to + 1;
            scene
                .measured
                .needs
                .push(Need::Text(path.clone(), side, range));
        }
    }
}

/// Where the diff opens for the selection: its first hunk, under its header.
fn wanted_top(facts: &Facts<'_>, plan: &Plan<'_>) -> usize {
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
    let marks = facts.file(path).and_then(|file| file.marks.known());
    if let Some(marks) = marks.filter(|marks| marks.is_loud()) {
        left = left.and(format!("  hides {}", marks.loud().says()), Role::Warn);
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
