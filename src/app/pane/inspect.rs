//! The bytes of what is selected, in a box: offset, bytes, code point, and what it is drawn as.

use crate::app::command::Command;
use crate::app::row::{Role, Row};
use crate::app::scene::Scene;
use crate::app::state::State;
use crate::app::update::inspect;

use super::boxes::Boxed;
use super::words;

/// Draws the box from row `top`.
pub fn draw(state: &State, top: usize, scene: &mut Scene) {
    let mut boxed = Boxed::new(state, 80);
    let (what, rows) = inspect::rows(state);
    if rows.is_empty() {
        boxed.say(
            "",
            &format!("Plain ASCII, nothing hidden: {what}."),
            Role::Text,
        );
    }
    let hidden = rows.iter().filter(|row| row.hidden).count();
    let view = usize::from(boxed.height).saturating_sub(2).max(1);
    let top = top.min(rows.len().saturating_sub(view));
    for row in rows.iter().skip(top).take(view) {
        let code = match row.code {
            Some(code) => format!("U+{code:04X}"),
            None => "not UTF-8".to_owned(),
        };
        let name = words::shown(
            state.screen.ascii,
            &row.text.as_str().into(),
            PLACE,
            Role::Muted,
        );
        let drawn = words::shown(
            state.screen.ascii,
            &row.drawn.as_str().into(),
            PLACE,
            Role::Text,
        );
        let line = Row::ours(" ", Role::Text)
            .spans(name)
            .to(16, true)
            .and(format!("byte {}", row.at), Role::Text)
            .to(28, true)
            .and(row.bytes.clone(), Role::Muted)
            .to(42, true)
            .and(code, Role::Strong)
            .to(53, true);
        boxed.push(if row.hidden {
            line.and(row.drawn.clone(), Role::Foreign)
        } else {
            line.spans(drawn)
        });
    }
    let left = rows.len().saturating_sub(top + view);
    if left > 0 {
        boxed.say("", &format!("… {left} more below"), Role::Muted);
    }
    let key = state.keys.shown(Command::GoOut);
    let title = Row::ours(format!("Bytes of {what}"), Role::Strong);
    let right = format!("{hidden} hidden · {key} back");
    boxed.put(title, Row::ours(right, Role::Muted), scene);
}

const PLACE: crate::model::text::Place = crate::model::text::Place::Strict;
