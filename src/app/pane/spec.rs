//! The spec gate of this change: its digest above the report, and beside them, where there is
//! room, the changed scenarios of the suite that the cursor speaks of, line by line. It is read
//! anew at each opening and decides nothing; `queue` and `spec gate` take the verdict.

use crate::app::queue::Line;
use crate::app::queue::scene::wrapped;
use crate::app::row::{Role, Row};
use crate::app::scene::{Area, Panel, Scene, Title};
use crate::app::spec::{SpecLook, SpecSuite};
use crate::app::state::{Focus, SpecPage, State};
use crate::model::id::RepoPath;
use crate::model::text::Place;

use super::facts::Facts;
use super::{counted, layout, scroll};

/// From this width on the scenarios stand beside the report.
const BESIDE: u16 = 100;

/// Where the scenarios stand: the part of the digest and report, the divider, theirs.
fn split(area: Area) -> Option<(Area, u16, Area)> {
    (area.width >= BESIDE).then(|| layout::beside(area, area.width / 2))
}

/// The rows of digest and report for a width, each with the number of its line.
fn left(look: &SpecLook, ascii: bool, area: Area, beside: bool) -> Vec<(usize, Row)> {
    let lines: Vec<Line> = look.shown(beside).map(|line| line.line.clone()).collect();
    wrapped(ascii, &lines, usize::from(area.width).saturating_sub(2))
}

/// The suite and the changed part that the cursor speaks of; the first suite where it speaks of
/// none.
fn under<'a>(
    state: &State,
    look: &'a SpecLook,
    rows: &[(usize, Row)],
    beside: bool,
) -> Option<(&'a SpecSuite, Option<usize>)> {
    let line = rows.get(state.nav.cursor).map(|(line, _)| *line);
    let of = line.and_then(|at| look.shown(beside).nth(at)?.of);
    let (suite, part) = of.unwrap_or((0, None));
    Some((look.suites.get(suite)?, part))
}

/// The suite that `Enter` opens as text, with the line of the screen it was asked from.
#[must_use]
pub fn suite_under(state: &State) -> Option<&RepoPath> {
    let SpecPage::Read(look) = &state.world.spec else {
        return None;
    };
    let area = layout::middle(state.screen.size, false);
    let (area, beside) = match split(area) {
        Some((left, ..)) => (left, true),
        None => (area, false),
    };
    let rows = left(look, state.screen.ascii, area, beside);
    under(state, look, &rows, beside).map(|(suite, _)| &suite.path)
}

/// Draws the page.
pub(super) fn draw(facts: &Facts<'_>, area: Area, scene: &mut Scene) {
    let state = facts.state;
    let title = |right: &'static str| Title {
        left: Row::ours("5 Spec", Role::Strong).and(" digest, report", Role::Muted),
        right: Row::ours(right, Role::Muted),
        focused: state.nav.focus == Focus::Spec,
    };
    let look = match &state.world.spec {
        SpecPage::Unasked | SpecPage::Reading => {
            let says = " The specs of this change are being read.";
            let rows = vec![Row::ours(says, Role::Muted)];
            scroll(
                state,
                Focus::Spec,
                area,
                title("not read yet"),
                &rows,
                scene,
            );
            return;
        }
        SpecPage::Failed(why) => {
            let says = format!(" could not be looked at: {why}");
            let rows = vec![Row::ours(says, Role::Bad)];
            scroll(state, Focus::Spec, area, title("unknown"), &rows, scene);
            return;
        }
        SpecPage::Read(look) => look,
    };
    let part = split(area).filter(|_| !look.suites.is_empty());
    let (text, beside) = match &part {
        Some((text, ..)) => (*text, true),
        None => (area, false),
    };
    let rows = left(look, state.screen.ascii, text, beside);
    let shown: Vec<Row> = rows.iter().map(|(_, row)| row.clone()).collect();
    scroll(
        state,
        Focus::Spec,
        text,
        title("decides nothing"),
        &shown,
        scene,
    );
    if let (Some((_, divider, right)), Some((suite, at))) =
        (part, under(state, look, &rows, beside))
    {
        scene.dividers.push((divider, area.y, area.height));
        scene.panels.push(scenarios(state, suite, at, right));
    }
}

/// The changed parts of a suite, from the one that is asked for on.
fn scenarios(state: &State, suite: &SpecSuite, part: Option<usize>, area: Area) -> Panel {
    let lines: Vec<Line> = suite.rows.iter().map(|(_, line)| line.clone()).collect();
    let columns = usize::from(area.width).saturating_sub(2);
    let all = wrapped(state.screen.ascii, &lines, columns);
    let first = |at: &(usize, Row)| suite.rows.get(at.0).map(|(part, _)| *part) == part;
    let from = part.and_then(|_| all.iter().position(first)).unwrap_or(0);
    let view = usize::from(area.height).saturating_sub(1);
    let from = from.min(all.len().saturating_sub(view));
    let mut rows: Vec<Row> = all
        .into_iter()
        .skip(from)
        .take(view)
        .map(|(_, row)| row)
        .collect();
    if suite.rows.is_empty() {
        rows.push(Row::ours(" no scenario changed", Role::Muted));
    }
    let more = (from, lines_after(&suite.rows, &rows, from));
    let name = RepoPath::new(suite.path.file_name());
    let name = name.foreign().shown(Place::Strict).plain();
    let title = Title {
        left: Row::ours(format!("{name}  by scenario"), Role::Text),
        right: Row::ours(suite.facts.clone(), Role::Muted),
        focused: false,
    };
    Panel {
        area,
        title: Some(counted(title, more)),
        rows,
        more,
    }
}

/// How many rows are not on screen below, at least as many as lines are left.
fn lines_after(lines: &[(usize, Line)], rows: &[Row], from: usize) -> usize {
    lines.len().saturating_sub(from + rows.len())
}
