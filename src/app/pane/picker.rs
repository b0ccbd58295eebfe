//! The evidence picker: candidates of a criterion, refused ones with the reason, and the hunk of
//! the one under the cursor. What `r` rules on must have been on screen here.

use crate::app::row::{Ground, Role, Row, Span, cut};
use crate::app::scene::{Area, Panel, Scene, Title};
use crate::app::state::Picker;
use crate::model::text::Place;

use super::facts::Facts;
use super::{clamp, counted, diff_excerpt, layout, slice, words};

/// Draws the picker; returns the rows of the marked hunk and those on screen.
pub fn draw(
    facts: &Facts<'_>,
    picker: &Picker,
    area: Area,
    scene: &mut Scene,
) -> (Vec<Row>, Vec<Row>) {
    let width = usize::from(area.width);
    let rows: Vec<Row> = picker
        .candidates
        .iter()
        .enumerate()
        .map(|(at, candidate)| {
            let lit = at == picker.at;
            let mark = if lit { "▸" } else { " " };
            let tick = if picker.marked.contains(&at) {
                "[x] "
            } else {
                "[ ] "
            };
            let role = match candidate.grade {
                "ok" | "words" => Role::Text,
                "weak" => Role::Warn,
                _ => Role::Muted,
            };
            let says = facts.shown(&candidate.says.as_str().into(), Place::Strict, role);
            let why = if candidate.why.is_empty() { "" } else { "  " };
            let mut spans = says;
            spans.push(Span::ours(why, Role::Text));
            spans.extend(facts.shown(&candidate.why.as_str().into(), Place::Prose, Role::Muted));
            let row = Row::ours(mark, Role::Accent)
                .and(tick, Role::Accent)
                .spans(cut(&spans, width.saturating_sub(15)))
                .at_right(format!("{} ", candidate.grade), role);
            if lit { row.on(Ground::Selected) } else { row }
        })
        .collect();
    let most = (area.height / 2).max(3);
    let needs = u16::try_from(rows.len() + 1).unwrap_or(u16::MAX);
    let (upper, lower) = layout::above(area, needs.min(most));
    let view = usize::from(upper.height.saturating_sub(1));
    let top = clamp((picker.at + 1).saturating_sub(view), rows.len(), view);
    let more = (top, rows.len().saturating_sub(top + view));
    let title = Title {
        left: Row::ours(
            format!("Pick evidence for {}", picker.criterion),
            Role::Strong,
        ),
        right: Row::ours(
            words::count(picker.candidates.len(), "candidate"),
            Role::Muted,
        ),
        focused: true,
    };
    scene.panels.push(Panel {
        area: upper,
        title: Some(counted(title, more)),
        rows: slice(&rows, top, view),
        more,
    });
    preview(facts, picker, lower, scene)
}

/// The hunk of the candidate under the cursor, whole if it fits.
fn preview(
    facts: &Facts<'_>,
    picker: &Picker,
    area: Area,
    scene: &mut Scene,
) -> (Vec<Row>, Vec<Row>) {
    let place = picker
        .candidates
        .get(picker.at)
        .and_then(|candidate| candidate.place.as_ref());
    let Some((path, hunk)) = place else {
        let text = " this candidate shows no lines of the change";
        scene.panels.push(Panel {
            area,
            title: Some(Title {
                left: Row::ours("the marked candidate", Role::Text),
                ..Title::default()
            }),
            rows: vec![Row::ours(text, Role::Muted)],
            more: (0, 0),
        });
        return (Vec::new(), Vec::new());
    };
    let (line, end) = if hunk.after.is_empty() {
        (hunk.before.start + 1, hunk.before.end)
    } else {
        (hunk.after.start + 1, hunk.after.end)
    };
    let rows = diff_excerpt::excerpt(facts, path, line, end, area.width);
    let view = usize::from(area.height.saturating_sub(1));
    let top = clamp(facts.state.nav.cursor, rows.len(), view);
    let top = if facts.state.nav.focus == crate::app::state::Focus::Diff {
        top
    } else {
        0
    };
    let visible = slice(&rows, top, view);
    let mut left = Row::default().spans(facts.shown(&path.foreign(), Place::Strict, Role::Text));
    left = left.and(
        format!(":{line}  the candidate under the cursor"),
        Role::Muted,
    );
    let more = (top, rows.len().saturating_sub(top + view));
    let title = Title {
        left,
        ..Title::default()
    };
    scene.panels.push(Panel {
        area,
        title: Some(counted(title, more)),
        rows: visible.clone(),
        more,
    });
    (rows, visible)
}
