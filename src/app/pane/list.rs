//! The list of everything: items of all panes in walking order, then the changed files.
//!
//! Lines are cheap marks first; only those on screen become rows, so ten thousand criteria
//! cost no more than forty.

use crate::app::row::{Role, Row, Span, cut, width};
use crate::app::scene::{Area, Extent, Panel, Scene};
use crate::app::state::{self, Filter, Focus};
use crate::app::walk;
use crate::gate::judge::Pane;

use super::facts::Facts;
use super::list_row::{Columns, row};
use super::list_title::{chains_apply, rest, tabs, title};
use super::{guide, list_tree, search, words};

/// One line of the list, before it is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Line {
    /// The rule above a section.
    Title(Section),
    /// An item: its number in the judgment, and in its pane.
    Item(usize, usize),
    /// The caller at the top of the tree of chains that begins with this branch.
    Caller(usize),
    /// A branch that the filter hides and that leads to one it keeps.
    Way(usize),
    /// Why a section is empty.
    Why(Section),
    /// A changed file, by number.
    File(usize),
    /// A note about what lies beside the change, by number.
    Note(usize),
    /// A row of the guide.
    Guide(u8),
    /// Air.
    Blank,
}

/// A run of lines under one rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Section {
    /// Items of one pane.
    Pane(Pane),
    /// Those of panes 4 to 6 that do not apply and hold nothing.
    Rest,
    /// What lies beside the change and is not judged.
    Beside,
    /// The changed files.
    Files,
    /// The strip of the sample.
    Guide,
}

pub(super) const SECTIONS: [Section; 11] = [
    Section::Pane(Pane::Contract),
    Section::Pane(Pane::Criteria),
    Section::Pane(Pane::Comments),
    Section::Pane(Pane::Scope),
    Section::Pane(Pane::Chains),
    Section::Pane(Pane::Spec),
    Section::Rest,
    Section::Pane(Pane::Triage),
    Section::Pane(Pane::Verdict),
    Section::Beside,
    Section::Files,
];

/// All lines of the list, in order; `airy` puts a blank row between sections.
#[must_use]
pub fn lines(facts: &Facts<'_>, airy: bool) -> Vec<Line> {
    let mut out = Vec::new();
    for section in SECTIONS {
        let lines = section_lines(facts, section);
        if lines.is_empty() {
            continue;
        }
        if airy && !out.is_empty() {
            out.push(Line::Blank);
        }
        out.push(Line::Title(section));
        out.extend(lines);
    }
    let strip = guide::strip(facts);
    if let Some(strip) = strip {
        if airy {
            out.push(Line::Blank);
        }
        out.push(Line::Title(Section::Guide));
        let count = u8::try_from(strip.len()).unwrap_or(0);
        out.extend((0..count).map(Line::Guide));
    }
    out
}

pub(super) fn section_lines(facts: &Facts<'_>, section: Section) -> Vec<Line> {
    let pane = match section {
        Section::Pane(pane) => pane,
        Section::Rest if rest(facts).is_empty() => return Vec::new(),
        Section::Rest => return vec![Line::Why(Section::Rest)],
        Section::Files => {
            let files = facts.files().iter().enumerate();
            let kept = files.filter(|(_, file)| walk::keeps_file(facts.state, file));
            let files: Vec<Line> = kept.map(|(at, _)| Line::File(at)).collect();
            return if files.is_empty() {
                vec![Line::Why(Section::Files)]
            } else {
                files
            };
        }
        Section::Beside if facts.state.nav.filter != Filter::All => return Vec::new(),
        Section::Beside => return (0..facts.dossier.notes.len()).map(Line::Note).collect(),
        Section::Guide => return Vec::new(),
    };
    let items = of_pane(facts, pane);
    match (items.is_empty(), pane) {
        (true, Pane::Verdict | Pane::Spec | Pane::Triage) => Vec::new(),
        (true, Pane::Chains) if !chains_apply(facts) => Vec::new(),
        (true, _) => vec![Line::Why(section)],
        (false, Pane::Chains) => list_tree::lines(facts, items),
        (false, _) => items,
    }
}

/// The items of a pane that the filter keeps, in the order they are walked: each with its number
/// in the judgment and its place in the source of its pane.
fn of_pane(facts: &Facts<'_>, pane: Pane) -> Vec<Line> {
    let all = &facts.judgment.items;
    let of_pane = all.iter().enumerate().filter(|(_, item)| item.pane == pane);
    let lines = of_pane
        .enumerate()
        .filter(|(_, (_, item))| walk::keeps(facts.state, item))
        .map(|(place, (at, _))| Line::Item(at, place));
    let mut lines: Vec<Line> = lines.collect();
    if let Some(order) = &facts.state.nav.order {
        let order = walk::in_order(all, order);
        let mut rank = vec![0; order.len()];
        for (place, at) in order.into_iter().enumerate() {
            if let Some(rank) = rank.get_mut(at) {
                *rank = place;
            }
        }
        lines.sort_by_key(|line| match line {
            Line::Item(at, _) => rank.get(*at).copied(),
            _ => None,
        });
    }
    lines
}

/// Where the selected row stands among the lines.
#[must_use]
pub fn selected_line(facts: &Facts<'_>, lines: &[Line]) -> Option<usize> {
    let selected = facts.selected()?;
    let wanted = match &selected {
        state::Row::Item(subject) => {
            let items = &facts.judgment.items;
            let at = items.iter().position(|item| &item.subject == subject)?;
            return lines
                .iter()
                .position(|line| matches!(line, Line::Item(item, _) if *item == at));
        }
        state::Row::File(path) => facts.place_of(path)?,
        state::Row::Verdict => return None,
    };
    lines.iter().position(|line| *line == Line::File(wanted))
}

/// The list in its column: one panel for each section that is on screen.
pub fn draw(facts: &Facts<'_>, area: Area, scene: &mut Scene) {
    let view = usize::from(area.height);
    let mut all = lines(facts, true);
    if all.len() > view || facts.state.screen.size.1 < 30 {
        all = lines(facts, false);
    }
    let selected = selected_line(facts, &all);
    let top = top(facts.state.nav.list_top, selected, all.len(), view);
    let columns = Columns::of(facts, usize::from(area.width));
    let mut out: Vec<Panel> = Vec::new();
    let visible = all.iter().enumerate().skip(top).take(view);
    for (y, (at, line)) in (area.y..).zip(visible) {
        let place = Area {
            y,
            height: 1,
            ..area
        };
        if let Line::Title(section) = line {
            let focused = in_section(facts, &all, at, selected);
            out.push(Panel {
                area: place,
                title: Some(title(facts, *section, focused)),
                ..Panel::default()
            });
            continue;
        }
        target(facts, *line, place, scene);
        let row = row(facts, *line, &columns, Some(at) == selected);
        match out.last_mut() {
            Some(panel) => {
                panel.rows.push(row);
                panel.area.height += 1;
            }
            None => out.push(Panel {
                area: place,
                rows: vec![row],
                ..Panel::default()
            }),
        }
    }
    finish(facts, area, &all, (top, view), out, scene);
}

/// Measures the list, marks hits and what is below, and pushes its panels.
fn finish(
    facts: &Facts<'_>,
    area: Area,
    all: &[Line],
    (top, view): (usize, usize),
    mut panels: Vec<Panel>,
    scene: &mut Scene,
) {
    let below = all.len().saturating_sub(top + view);
    if let Some(first) = panels.first_mut() {
        first.more.0 = top;
    }
    if let Some(last) = panels.last_mut() {
        last.more.1 = below;
        mark_more(last, below);
    }
    if facts.state.nav.focus == Focus::List {
        search_lines(facts, all, usize::from(area.width), scene);
        for panel in &mut panels {
            search::mark(facts.state, &mut panel.rows);
        }
    }
    let extent = Extent {
        area,
        top,
        rows: view.min(all.len().saturating_sub(top)),
        total: all.len(),
    };
    scene.measured.parts.insert(Focus::List, extent);
    scene.panels.append(&mut panels);
}

/// Which lines hit, counted over the rows that can be selected; only while something is searched.
fn search_lines(facts: &Facts<'_>, all: &[Line], width: usize, scene: &mut Scene) {
    if search::words(facts.state).is_none() {
        return;
    }
    let columns = Columns::of(facts, width.max(60));
    let rows: Vec<Row> = all
        .iter()
        .filter(|line| matches!(line, Line::Item(..) | Line::File(_)))
        .map(|line| row(facts, *line, &columns, false))
        .collect();
    search::note(facts.state, &rows, scene);
}

/// Says which row of the list stands in a place, for clicks.
fn target(facts: &Facts<'_>, line: Line, place: Area, scene: &mut Scene) {
    let row = match line {
        Line::Item(at, _) => facts
            .judgment
            .items
            .get(at)
            .map(|item| state::Row::Item(item.subject.clone())),
        Line::File(at) => facts
            .files()
            .get(at)
            .map(|file| state::Row::File(file.path.clone())),
        Line::Title(_)
        | Line::Caller(_)
        | Line::Way(_)
        | Line::Why(_)
        | Line::Note(_)
        | Line::Guide(_)
        | Line::Blank => None,
    };
    if let Some(row) = row {
        scene.measured.targets.push((place, row));
    }
}

/// The last row says how many lines are below it.
fn mark_more(panel: &mut Panel, below: usize) {
    if below > 0
        && let Some(row) = panel.rows.last_mut()
    {
        let text = format!("… {} more below ", words::number(below as u64));
        let room = usize::from(panel.area.width).saturating_sub(width(&text) + 1);
        row.left = cut(&row.left, room);
        row.right = vec![Span::ours(text, Role::Muted)];
    }
}

/// The first line that keeps the selected one (and the rule above it) in view.
fn top(wanted: usize, selected: Option<usize>, total: usize, view: usize) -> usize {
    let mut top = wanted.min(total.saturating_sub(view));
    if let Some(at) = selected {
        if at < top {
            top = at.saturating_sub(1);
        }
        let last = top + view.saturating_sub(2);
        if at > last && view > 1 {
            top = at + 2 - view;
        }
    }
    top.min(total.saturating_sub(view))
}

fn in_section(facts: &Facts<'_>, lines: &[Line], title: usize, selected: Option<usize>) -> bool {
    let Some(selected) = selected.filter(|at| *at > title) else {
        return false;
    };
    facts.state.nav.focus == Focus::List
        && !lines
            .get(title + 1..selected)
            .is_some_and(|between| between.iter().any(|line| matches!(line, Line::Title(_))))
}

/// Rows that the section of the selected item needs, its rule included.
#[must_use]
pub fn section_height(facts: &Facts<'_>) -> u16 {
    let lines = section_lines(facts, current(facts));
    u16::try_from(lines.len() + 1).unwrap_or(u16::MAX)
}

/// The section that the selected row stands in.
#[must_use]
pub fn current(facts: &Facts<'_>) -> Section {
    match facts.selected() {
        Some(state::Row::File(_)) => Section::Files,
        Some(state::Row::Item(_)) => facts.item().map_or(Section::Pane(Pane::Criteria), |item| {
            Section::Pane(item.pane)
        }),
        Some(state::Row::Verdict) | None => Section::Pane(Pane::Criteria),
    }
}

/// One section alone, the others as tabs in its rule.
pub fn draw_section(facts: &Facts<'_>, area: Area, scene: &mut Scene) {
    let now = current(facts);
    let all = section_lines(facts, now);
    let view = usize::from(area.height.saturating_sub(1));
    let selected = selected_line(facts, &all);
    let top = top(facts.state.nav.list_top, selected, all.len(), view);
    let columns = Columns::of(facts, usize::from(area.width));
    let mut rows = Vec::new();
    let visible = all.iter().enumerate().skip(top).take(view);
    for (y, (at, line)) in (area.y + 1..).zip(visible) {
        let place = Area {
            y,
            height: 1,
            ..area
        };
        target(facts, *line, place, scene);
        rows.push(row(facts, *line, &columns, Some(at) == selected));
    }
    let focused = facts.state.nav.focus == Focus::List;
    let panel = Panel {
        area,
        title: Some(tabs(facts, now, focused)),
        rows,
        more: (top, 0),
    };
    let rest = Area {
        y: area.y + 1,
        height: area.height.saturating_sub(1),
        ..area
    };
    finish(facts, rest, &all, (top, view), vec![panel], scene);
}
