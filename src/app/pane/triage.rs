//! The page of a gate message: report above, menu below, whole at every size that decides
//! (screens.md, triage). What was on this page is what was read of the message.

use crate::app::row::{Role, Row, Span, wrap_prose};
use crate::app::scene::{Area, Deciding, Extent, Panel, Scene};
use crate::app::state::Focus;
use crate::app::triage::View;
use crate::app::triage::parts::{Look, menu, menu_title, share, title, upper};
use crate::gate::dossier::Subject;

use super::facts::Facts;
use super::{clamp, counted, labels_shown, layout, slice};

/// Draws the page.
pub(super) fn draw(facts: &Facts<'_>, area: Area, scene: &mut Scene) {
    let state = facts.state;
    let Some((id, gate)) = state.open_gate() else {
        return;
    };
    let look = Look {
        ascii: state.screen.ascii,
        columns: area.width,
        airy: state.screen.size.1 >= 24,
        plain: state.screen.plain,
        keys: &state.keys,
    };
    let above = upper(&look, gate);
    let (mut cursors, mut below): (Vec<_>, Vec<Row>) = menu(&look, gate).into_iter().unzip();
    if let Some(why) = &gate.stale {
        let why = format!("{why}. Nothing can be sent here.");
        let said = [
            Span::ours("CLOSED  ", Role::Moved),
            Span::ours(why, Role::Text),
        ];
        for line in wrap_prose(&said, usize::from(area.width).saturating_sub(2).max(8)) {
            below.push(Row::ours(" ", Role::Text).spans(line));
            cursors.push(None);
        }
    }
    let room = usize::from(area.height).saturating_sub(2);
    let (view, rows) = share(room, below.len());
    let cell = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
    let (over, under) = layout::above(area, cell(view + 1));

    let top = clamp(gate.scroll, above.len(), view);
    let shown_above = slice(&above, top, view);
    let more = (top, above.len().saturating_sub(top + shown_above.len()));
    scene.measured.parts.insert(
        Focus::Triage,
        Extent {
            area: super::below_title(over),
            top,
            rows: view,
            total: above.len(),
        },
    );
    let at = cursors.iter().position(|at| *at == Some(gate.selected));
    let follow = at.map_or(0, |at| at.saturating_sub(rows / 2));
    let from = gate.menu_top.unwrap_or(follow);
    let from = clamp(from, below.len(), rows);
    let shown_below = slice(&below, from, rows);

    let mut shown = labels_shown(&above, &shown_above);
    shown.extend(labels_shown(&below, &shown_below));
    // whatever the upper part shows, it is the report that decides
    let report = match gate.view {
        View::Report | View::Raw => Vec::new(),
        View::Lint | View::Record => {
            let mut other = gate.clone();
            other.view = View::Report;
            upper(&look, &other)
        }
    };
    let mut all: Vec<String> = Vec::new();
    let rows = report.iter().chain(&above).chain(&below);
    for label in rows.flat_map(|row| &row.decides) {
        if all.last() != Some(label) {
            all.push(label.clone());
        }
    }
    let missing = all.into_iter().filter(|label| !shown.contains(label));
    scene.deciding = Some(Deciding {
        subject: Subject::Message(id.clone()),
        missing: missing.collect(),
        shown,
    });

    scene.panels.push(Panel {
        area: over,
        title: Some(counted(title(&look, gate), more)),
        rows: shown_above,
        more,
    });
    let hidden = (from, below.len().saturating_sub(from + shown_below.len()));
    let mut rule = counted(menu_title(gate), hidden);
    rule.focused = true;
    scene.panels.push(Panel {
        area: under,
        title: Some(rule),
        rows: shown_below,
        more: hidden,
    });
}
