//! Boxes over the rest: what takes the keys away (notes, menus, questions). They stand between
//! the fixed rows and never cover them, at any size.

use crate::app::row::{Role, Row, Span, width_of};
use crate::app::scene::{Area, Overlay, Scene, Title};
use crate::app::state::State;
use crate::model::text::{Foreign, Place};
use ratatui_textarea::TextArea;

use super::layout;
use super::sheet::wrapped;
use super::words;

/// A box being filled.
#[derive(Debug)]
pub struct Boxed {
    /// Its rows.
    pub rows: Vec<Row>,
    /// Columns inside.
    pub width: u16,
    /// Most rows inside.
    pub height: u16,
    /// Where the cursor stands, column and row.
    pub cursor: Option<(u16, u16)>,
    ascii: bool,
    area: Area,
}

impl Boxed {
    /// An empty box, `width` columns wide where there is room.
    #[must_use]
    pub fn new(state: &State, width: u16) -> Self {
        let middle = layout::middle(state.screen.size, false);
        let width = if middle.width < 90 {
            middle.width
        } else {
            width.min(middle.width)
        };
        Self {
            rows: Vec::new(),
            width: width.saturating_sub(2),
            height: middle.height.saturating_sub(2),
            cursor: None,
            ascii: state.screen.ascii,
            area: middle,
        }
    }

    /// A row.
    pub fn push(&mut self, row: Row) {
        self.rows.push(row);
    }

    /// A blank row, where there is room to spare.
    pub fn gap(&mut self) {
        if self.height > 12 {
            self.rows.push(Row::default());
        }
    }

    /// Our own words after a label, wrapped.
    pub fn say(&mut self, label: &str, text: &str, role: Role) {
        self.spans(label, &[Span::ours(text, role)]);
    }

    /// Spans after a label, wrapped.
    pub fn spans(&mut self, label: &str, spans: &[Span]) {
        let indent = if label.is_empty() { 1 } else { 11 };
        let room = usize::from(self.width).saturating_sub(indent + 1).max(8);
        for (at, line) in crate::app::row::wrap_prose(spans, room)
            .into_iter()
            .enumerate()
        {
            let head = if at == 0 {
                Row::ours(format!(" {label}"), Role::Muted)
            } else {
                Row::default()
            };
            self.rows
                .push(head.to(indent, at == 0 && !label.is_empty()).spans(line));
        }
    }

    /// A key and what it does.
    pub fn key(&mut self, key: &str, does: &str) {
        self.rows.push(
            Row::ours("   ", Role::Text)
                .and(format!("{key:<7}"), Role::Accent)
                .and(does, Role::Text),
        );
    }

    /// A text field of at most `most` rows, the cursor in view when it has it.
    pub fn field(&mut self, area: &TextArea<'_>, active: bool, most: usize) {
        let columns = usize::from(self.width).saturating_sub(4).max(8);
        let at = area.cursor();
        let (mut rows, mut cursor) = (Vec::new(), (0, 0));
        for (number, line) in area.lines().iter().enumerate() {
            let text = Foreign::from(line.as_str());
            let byte = line
                .char_indices()
                .nth(at.1)
                .map_or(line.len(), |(byte, _)| byte);
            let pieces = wrapped(self.ascii, &text, Place::Prose, Role::Text, columns);
            let last = pieces.len();
            for (place, piece) in pieces.into_iter().enumerate() {
                let holds = byte >= piece.from && (byte < piece.to || place + 1 == last);
                if number == at.0 && holds {
                    let before =
                        Foreign::new(line.as_bytes().get(piece.from..byte).unwrap_or_default());
                    let column =
                        width_of(&words::shown(self.ascii, &before, Place::Prose, Role::Text));
                    cursor = (column, rows.len());
                }
                rows.push(piece.spans);
            }
        }
        let most = most.max(1);
        let top = (cursor.1 + 1).saturating_sub(most);
        let from = self.rows.len();
        let hidden = rows.len().saturating_sub(top + most);
        for spans in rows.into_iter().skip(top).take(most) {
            let role = if active { Role::Accent } else { Role::Muted };
            self.rows.push(Row::ours(" │ ", role).spans(spans));
        }
        if hidden > 0
            && let Some(last) = self.rows.last_mut()
        {
            last.right = vec![Span::ours(format!("… {hidden} more "), Role::Muted)];
        }
        if active {
            let column = u16::try_from(cursor.0 + 3).unwrap_or(u16::MAX);
            let row = u16::try_from(from + cursor.1 - top).unwrap_or(u16::MAX);
            self.cursor = Some((column.min(self.width.saturating_sub(1)), row));
        }
    }

    /// Puts the box on the scene; rows that do not fit are cut from the end and counted.
    pub fn put(self, left: Row, right: Row, scene: &mut Scene) {
        let mut rows = self.rows;
        let most = usize::from(self.height);
        if rows.len() > most && most > 0 {
            let hidden = rows.len() - most + 1;
            rows.truncate(most - 1);
            rows.push(Row::ours(format!(" … {hidden} more rows"), Role::Muted));
        }
        let height = u16::try_from(rows.len() + 2)
            .unwrap_or(u16::MAX)
            .min(self.area.height);
        let width = self.width + 2;
        scene.overlay = Some(Overlay {
            area: Area {
                x: self.area.x + self.area.width.saturating_sub(width) / 2,
                y: self.area.y + (self.area.height - height) / 2,
                width,
                height,
            },
            title: Title {
                left,
                right,
                focused: true,
            },
            rows,
            cursor: self
                .cursor
                .filter(|(_, row)| *row < height.saturating_sub(2)),
        });
        scene.deciding = None;
    }
}
