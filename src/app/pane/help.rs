//! Help: the whole command table with the keys as they are now. The footer shows the few that
//! matter here; this shows all.

use crate::app::row::{Role, Row, Span, cut};
use crate::app::scene::{Area, Panel, Scene, Title};
use crate::app::state::State;
use crate::app::update::menus::{HelpRow, help_rows};

use super::{clamp, counted, slice};

/// Draws the page from row `top`.
pub fn draw(state: &State, top: usize, area: Area, scene: &mut Scene) {
    let width = usize::from(area.width);
    let keys_at = if width >= 80 { 26 } else { 18 };
    let rows: Vec<Row> = help_rows(state)
        .into_iter()
        .map(|row| match row {
            HelpRow::Heading(title) => Row::ours(format!(" {}", title.to_uppercase()), Role::Muted),
            HelpRow::Keys { keys, id, does } => {
                let keys = cut(&[Span::ours(keys, Role::Accent)], keys_at - 4);
                let row = Row::ours("   ", Role::Text)
                    .spans(keys)
                    .to(keys_at, true)
                    .spans(cut(
                        &[Span::ours(does, Role::Text)],
                        width.saturating_sub(keys_at + 1),
                    ));
                if width >= 120 {
                    row.at_right(format!("{id} "), Role::Muted)
                } else {
                    row
                }
            }
        })
        .collect();
    let view = usize::from(area.height.saturating_sub(1));
    let top = clamp(top, rows.len(), view);
    let more = (top, rows.len().saturating_sub(top + view));
    let title = Title {
        left: Row::ours("Help", Role::Strong),
        right: Row::ours("every key, as it is now · : finds a command", Role::Muted),
        focused: true,
    };
    scene.panels.push(Panel {
        area,
        title: Some(counted(title, more)),
        rows: slice(&rows, top, view),
        more,
    });
}
