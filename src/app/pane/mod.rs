//! `compose(&State) -> Scene`: one file for each pane, each a pure function from state to rows.
//!
//! The cost of a scene follows the rows on screen, never the length of a diff or a contract:
//! every pane counts its rows by arithmetic and builds only those that are visible. What is on
//! screen here is what counts as seen ([`crate::app::scene::Deciding`]), so nothing is
//! composed that is not drawn.

pub mod banner;
pub mod boxes;
pub mod card;
mod card_chain;
pub mod card_criterion;
pub mod card_edit;
mod card_message;
mod card_picked;
mod card_review;
pub mod card_scope;
pub mod carry;
pub mod chrome;
pub mod diff;
pub mod diff_excerpt;
pub mod diff_line;
pub mod diff_plan;
pub mod diff_shape;
pub mod diff_side;
pub mod facts;
pub mod first;
pub mod guide;
pub mod help;
pub mod inspect;
pub mod keys;
pub mod layout;
pub mod ledger;
pub mod list;
pub mod list_empty;
pub mod list_row;
mod list_title;
mod list_tree;
pub mod menu;
pub mod note;
pub mod notes;
pub mod output;
pub mod picker;
pub mod rounds;
pub mod search;
pub mod sheet;
pub mod sign;
pub mod since;
pub mod spec;
mod triage;
pub mod trust;
pub mod verdict;
pub mod verdict_why;
pub mod words;
pub mod writes;

use crate::gate::dossier::Subject;

use super::row::{Ground, Row};
use super::scene::{Area, Deciding, Extent, Panel, Scene, Title};
use super::state::{Focus, Mode, State};

use card::Depth;
use facts::Facts;
use layout::{Body, Class, Page};

/// What the screen shows for a state. Pure; never fails, at any size.
#[must_use]
pub fn compose(state: &State) -> Scene {
    let size = state.screen.size;
    let mut scene = Scene {
        size,
        ascii: state.screen.ascii,
        ..Scene::default()
    };
    let class = layout::class(size.0, size.1);
    let facts = Facts::of(state);
    if class == Class::Small {
        chrome::too_small(state, facts.as_ref(), &mut scene);
        return scene;
    }
    scene.head = chrome::head(state, facts.as_ref());
    scene.foot = chrome::foot(state, facts.as_ref());
    scene.banner = facts.as_ref().and_then(banner::banner);
    let middle = layout::middle(size, scene.banner.is_some());
    let Some(facts) = facts else {
        match state.mode {
            Mode::Help(top) => help::draw(state, top, middle, &mut scene),
            _ => first::draw(state, middle, &mut scene),
        }
        return scene;
    };
    match layout::body(state) {
        Body::Session => session(&facts, class, middle, &mut scene),
        Body::Page(page) => pages(&facts, page, middle, &mut scene),
    }
    menu::draw(&facts, &mut scene);
    scene
}

/// A page of full width.
fn pages(facts: &Facts<'_>, page: Page, area: Area, scene: &mut Scene) {
    match page {
        Page::Card => {
            let rows = card::rows(facts, area.width, Depth::Dense);
            diff::ask(facts, scene);
            let shown = card_panel(facts, area, &rows, scene);
            deciding(facts, &shown, area.width, scene);
        }
        Page::Diff => {
            let mut shown = Vec::new();
            let (columns, side) = diff_side::columns(facts, area);
            if let Some(side) = side {
                diff_side::draw(facts, side, scene);
                scene
                    .dividers
                    .push((side.x + side.width + 1, area.y, area.height));
            }
            diff_panels(facts, columns, &mut shown, scene);
            deciding(facts, &shown, columns.width, scene);
        }
        Page::Output => output::draw(facts, area, scene),
        Page::Ledger => ledger::draw(facts, area, scene),
        Page::Spec => spec::draw(facts, area, scene),
        Page::Triage => triage::draw(facts, area, scene),
        Page::Trust => trust::draw(facts, area, scene),
        Page::Carry => carry::draw(facts, area, scene),
        Page::Writes => writes::draw(facts, area, scene),
        Page::Verdict => verdict::draw(facts, area, scene),
        Page::Help => {
            if let Mode::Help(top) = facts.state.mode {
                help::draw(facts.state, top, area, scene);
            }
        }
        Page::Picker => {
            if let Mode::Picker(picker) = &facts.state.mode {
                let (all, visible) = picker::draw(facts, picker, area, scene);
                deciding(facts, &labels_shown(&all, &visible), area.width, scene);
            }
        }
    }
}

/// The list, the card of the selected item, and its diff where there is room.
fn session(facts: &Facts<'_>, class: Class, middle: Area, scene: &mut Scene) {
    match class {
        Class::Wide | Class::Two => {
            let (left, divider, right) = layout::beside(middle, layout::list_width(class));
            list::draw(facts, left, scene);
            scene.dividers.push((divider, middle.y, middle.height));
            reading(facts, class, right, scene);
        }
        Class::One | Class::Tiny | Class::Small => {
            let wanted = list::section_height(facts);
            let peek = if class == Class::Tiny {
                0
            } else {
                (middle.height * 2 / 5).max(7).min(middle.height / 2)
            };
            let rows = wanted.min(middle.height - peek);
            let rows = if class == Class::Tiny {
                middle.height
            } else {
                rows
            };
            let (upper, lower) = layout::above(middle, rows);
            list::draw_section(facts, upper, scene);
            if lower.height > 1 {
                let sheet = card::rows(facts, lower.width, Depth::Peek);
                diff::ask(facts, scene);
                let shown = card_panel(facts, lower, &sheet, scene);
                deciding(facts, &shown, lower.width, scene);
            }
        }
    }
}

/// The right side: the card, and the diff beside or below it.
fn reading(facts: &Facts<'_>, class: Class, area: Area, scene: &mut Scene) {
    if let Mode::Picker(picker) = &facts.state.mode {
        let (all, visible) = picker::draw(facts, picker, area, scene);
        deciding(facts, &labels_shown(&all, &visible), area.width, scene);
        return;
    }
    let third = class == Class::Wide && scene.size.0 >= 200;
    let mut depth = facts.depth(area.height);
    let mut sheet = None;
    let (card_area, diff_area) = if third {
        let (left, divider, right) = layout::beside(area, area.width / 2);
        scene.dividers.push((divider, area.y, area.height));
        (left, Some(right))
    } else {
        let height = |rows: &[Row]| u16::try_from(rows.len() + 1).unwrap_or(u16::MAX);
        // the card of a contract edit holds the bytes itself
        let edit = matches!(facts.subject(), Some(Subject::ContractEdit(_)));
        let most = if edit {
            area.height
        } else if class == Class::Wide {
            area.height * 3 / 5
        } else {
            area.height.saturating_sub(8)
        };
        let mut rows = card::rows(facts, area.width, depth);
        if height(&rows) > most && depth != Depth::Dense {
            depth = Depth::Dense;
            rows = card::rows(facts, area.width, depth);
        }
        let needs = height(&rows);
        sheet = Some(rows);
        let has_diff = facts.shown_file().is_some() && !edit;
        let rows = if has_diff && area.height.saturating_sub(needs.min(most)) >= 8 {
            needs.min(most)
        } else {
            area.height
        };
        let (upper, lower) = layout::above(area, rows);
        (upper, (lower.height > 0).then_some(lower))
    };
    let sheet = sheet.unwrap_or_else(|| card::rows(facts, card_area.width, depth));
    let mut shown = card_panel(facts, card_area, &sheet, scene);
    match diff_area {
        Some(area) => diff_panels(facts, area, &mut shown, scene),
        None => diff::ask(facts, scene),
    }
    let dense = (depth == Depth::Dense).then_some(sheet);
    deciding_in(facts, &shown, card_area.width, dense, scene);
}

/// The diff, and the labels of its rows.
fn diff_panels(facts: &Facts<'_>, area: Area, shown: &mut Vec<String>, scene: &mut Scene) {
    let from = scene.panels.len();
    diff::draw(facts, area, scene);
    for panel in scene.panels.iter().skip(from) {
        shown.extend(labels_shown(&panel.rows, &panel.rows));
    }
}

/// The card as a panel; says which labels it shows whole.
fn card_panel(facts: &Facts<'_>, area: Area, rows: &[Row], scene: &mut Scene) -> Vec<String> {
    let mut title = card::title(facts, usize::from(area.width));
    title.focused = facts.state.nav.focus == Focus::Card;
    let carried = title.left.decides.clone();
    let mut shown = scroll(facts.state, Focus::Card, area, title, rows, scene);
    shown.extend(carried);
    shown
}

/// Rows under a title, scrolled as the state says; measured, searched, and pushed. Returns the
/// labels that are on screen whole.
pub(super) fn scroll(
    state: &State,
    part: Focus,
    area: Area,
    title: Title,
    rows: &[Row],
    scene: &mut Scene,
) -> Vec<String> {
    let view = usize::from(area.height.saturating_sub(1));
    let wanted = match &state.mode {
        Mode::Trust(page) if part == Focus::Trust => page.top,
        Mode::Carry(page) if part == Focus::Carry => page.top,
        Mode::SignEdits(sign) if part == Focus::Writes => {
            sign.writes.as_ref().map_or(0, |page| page.top)
        }
        _ => state.nav.tops.get(&part).copied().unwrap_or(0),
    };
    let top = clamp(wanted, rows.len(), view);
    let mut visible = slice(rows, top, view);
    let shown = labels_shown(rows, &visible);
    let focused = state.nav.focus == part;
    if focused {
        search::note(state, rows, scene);
        let under = rows.get(state.nav.cursor).map(Row::plain);
        if let Some(text) = under.filter(|text| !text.trim().is_empty()) {
            scene.measured.under = Some((text.trim().to_owned(), String::new()));
        }
        if let Some(row) = visible.get_mut(state.nav.cursor.wrapping_sub(top))
            && !matches!(part, Focus::Trust | Focus::Writes | Focus::Verdict)
        {
            row.ground = Ground::Selected;
        }
    }
    if focused {
        search::mark(state, &mut visible);
    }
    let more = (top, rows.len().saturating_sub(top + visible.len()));
    scene.measured.parts.insert(
        part,
        Extent {
            area: below_title(area),
            top,
            rows: visible.len(),
            total: rows.len(),
        },
    );
    scene.panels.push(Panel {
        area,
        title: Some(counted(title, more)),
        rows: visible,
        more,
    });
    shown
}

/// The rows of a panel without its title.
pub(super) fn below_title(area: Area) -> Area {
    layout::above(area, 1).1
}

/// A title that says how many rows are not on screen.
#[must_use]
pub fn counted(mut title: Title, more: (usize, usize)) -> Title {
    let hidden = more.0 + more.1;
    if hidden > 0 {
        let arrow = match more {
            (0, _) => "↓",
            (_, 0) => "↑",
            _ => "↑↓",
        };
        title.right = Row::ours(
            format!("{arrow} {} more   ", words::number(hidden as u64)),
            super::row::Role::Warn,
        )
        .spans(title.right.left);
    }
    title
}

/// A first visible row that shows as much as fits and never runs past the end.
#[must_use]
pub fn clamp(top: usize, total: usize, view: usize) -> usize {
    top.min(total.saturating_sub(view))
}

/// `view` rows from `top`.
#[must_use]
pub fn slice(rows: &[Row], top: usize, view: usize) -> Vec<Row> {
    rows.iter().skip(top).take(view).cloned().collect()
}

/// Labels of which every row of `all` is among the `visible`.
fn labels_shown(all: &[Row], visible: &[Row]) -> Vec<String> {
    let mut wanted: std::collections::BTreeMap<&str, usize> = std::collections::BTreeMap::new();
    for label in all.iter().flat_map(|row| &row.decides) {
        *wanted.entry(label).or_default() += 1;
    }
    let whole = visible.iter().filter(|row| !row.partial);
    for label in whole.flat_map(|row| &row.decides) {
        if let Some(left) = wanted.get_mut(label.as_str()) {
            *left = left.saturating_sub(1);
        }
    }
    wanted
        .into_iter()
        .filter(|(_, left)| *left == 0)
        .map(|(label, _)| label.to_owned())
        .collect()
}

/// Writes down which deciding rows of the selected item this scene shows.
fn deciding(facts: &Facts<'_>, shown: &[String], width: u16, scene: &mut Scene) {
    deciding_in(facts, shown, width, None, scene);
}

/// The same with the dense card, where it was made already.
fn deciding_in(
    facts: &Facts<'_>,
    shown: &[String],
    width: u16,
    dense: Option<Vec<Row>>,
    scene: &mut Scene,
) {
    // a gate message is read on its page, whose rows are all there is to be seen of it
    let subject = facts.subject();
    let Some(subject) = subject.filter(|subject| !matches!(subject, Subject::Message(_))) else {
        return;
    };
    let mut all: Vec<String> = Vec::new();
    let title = card::title(facts, usize::from(width)).left;
    let rows = dense.unwrap_or_else(|| card::rows(facts, width, Depth::Dense));
    for row in std::iter::once(title).chain(rows) {
        for label in row.decides {
            if !all.contains(&label) {
                all.push(label);
            }
        }
    }
    let (shown, missing) = all.into_iter().partition(|label| shown.contains(label));
    scene.deciding = Some(Deciding {
        subject: subject.clone(),
        shown,
        missing,
    });
}
