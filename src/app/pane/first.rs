//! The first frame, before anything is read: an unknown is `…`, never 0 and never empty.

use crate::app::row::{Role, Row, Span, wrap_prose};
use crate::app::scene::{Area, Panel, Scene, Title};
use crate::app::state::State;
use crate::model::text::{Foreign, Place};

use super::words;

/// Draws it.
pub fn draw(state: &State, area: Area, scene: &mut Scene) {
    let mut rows = Vec::new();
    let width = usize::from(area.width).saturating_sub(6).max(8);
    let ascii = state.screen.ascii;
    let left = match &state.world.trouble {
        Some(trouble) => {
            for (text, role) in [(&trouble.says, Role::Bad), (&trouble.hint, Role::Text)] {
                let spans = words::shown(ascii, &Foreign::from(text.as_str()), Place::Prose, role);
                for (at, line) in wrap_prose(&spans, width).into_iter().enumerate() {
                    let mark = if at == 0 && role == Role::Bad {
                        " ▲  "
                    } else {
                        "    "
                    };
                    rows.push(Row::ours(mark, Role::Bad).spans(line));
                }
            }
            rows.push(Row::default());
            rows.push(Row::ours(
                "    nothing is decided meanwhile; F5 looks again",
                Role::Muted,
            ));
            "Nothing was opened"
        }
        None => {
            for text in [
                "reading head, base and merge base",
                "reading the contract at the base: criteria come first",
                "the diff waits; hunks follow file by file, counted",
                "nothing is run on opening",
            ] {
                let line = wrap_prose(&[Span::ours(text, Role::Text)], width);
                for (at, line) in line.into_iter().enumerate() {
                    let mark = if at == 0 { "  · " } else { "    " };
                    rows.push(Row::ours(mark, Role::Muted).spans(line));
                }
            }
            "1 Criteria …"
        }
    };
    rows.truncate(usize::from(area.height.saturating_sub(1)));
    scene.panels.push(Panel {
        area,
        title: Some(Title {
            left: Row::ours(left, Role::Strong),
            right: Row::ours("…", Role::Muted),
            focused: true,
        }),
        rows,
        more: (0, 0),
    });
}
