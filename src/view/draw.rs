//! Puts a scene into cells. Reads only; every rectangle is cut to the frame (TUI-3).

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::app::row::{Ground, Role, Row, Span, cut, width, width_of};
use crate::app::scene::{Area, Overlay, Panel, Scene, Title};
use crate::model::text::clusters;

use super::glyphs;
use super::theme::Theme;

/// Draws a scene into a frame, and puts the cursor where a box wants it.
pub fn draw(scene: &Scene, theme: &Theme, frame: &mut Frame<'_>) {
    paint(scene, theme, frame.buffer_mut());
    let Some(overlay) = &scene.overlay else {
        return;
    };
    if let Some((column, row)) = overlay.cursor {
        let x = overlay.area.x.saturating_add(1).saturating_add(column);
        let y = overlay.area.y.saturating_add(1).saturating_add(row);
        let area = frame.area();
        if x < area.right() && y < area.bottom() {
            frame.set_cursor_position((x, y));
        }
    }
}

/// Draws a scene into a buffer.
pub fn paint(scene: &Scene, theme: &Theme, buffer: &mut Buffer) {
    let area = Area {
        x: 0,
        y: 0,
        width: buffer.area.width.min(scene.size.0),
        height: buffer.area.height.min(scene.size.1),
    };
    let mut brush = Brush {
        theme,
        buffer,
        ascii: scene.ascii,
    };
    for y in 0..area.height {
        brush.blank(0, y, area.width, Style::new());
    }
    let chrome = scene.head.iter().chain(&scene.banner);
    for (y, row) in (0..).zip(chrome) {
        brush.row(0, y, area.width, row);
    }
    for panel in &scene.panels {
        brush.panel(panel);
    }
    for (x, from, rows) in &scene.dividers {
        let style = theme.role(Role::Muted);
        for y in *from..from.saturating_add(*rows) {
            brush.cell(*x, y, "│", style);
        }
    }
    let foot = u16::try_from(scene.foot.len()).unwrap_or(0);
    for (y, row) in (area.height.saturating_sub(foot)..).zip(&scene.foot) {
        brush.row(0, y, area.width, row);
    }
    if let Some(overlay) = &scene.overlay {
        brush.overlay(overlay);
    }
}

/// The character of a cluster that surely fills one cell and that a terminal draws: what nearly
/// every cell of a screen holds.
fn one_column(cluster: &str) -> Option<char> {
    let mut characters = cluster.chars();
    let only = characters.next().filter(|_| characters.next().is_none())?;
    matches!(only, ' '..='~' | '\u{2500}'..='\u{257f}').then_some(only)
}

struct Brush<'a> {
    theme: &'a Theme,
    buffer: &'a mut Buffer,
    ascii: bool,
}

impl Brush<'_> {
    fn cell(&mut self, x: u16, y: u16, cluster: &str, style: Style) {
        let symbol = if self.ascii && !cluster.is_ascii() {
            glyphs::ascii(cluster)
        } else {
            cluster
        };
        let area = self.buffer.area;
        if x < area.right() && y < area.bottom() {
            let cell = &mut self.buffer[(x, y)];
            cell.reset();
            if let Some(only) = one_column(symbol) {
                cell.set_char(only).set_style(style);
                return;
            }
            let room = usize::from(area.right() - x);
            self.buffer.set_stringn(x, y, symbol, room, style);
        }
    }

    fn blank(&mut self, x: u16, y: u16, width: u16, style: Style) {
        for x in x..x.saturating_add(width) {
            self.cell(x, y, " ", style);
        }
    }

    /// Writes spans from `x`, never past `end`; a wide cluster that does not fit is left out.
    fn spans(&mut self, mut x: u16, y: u16, end: u16, spans: &[Span], ground: Ground) -> u16 {
        for span in spans {
            let style = self.theme.on(ground, span.role);
            for (_, cluster) in clusters(&span.text) {
                let wide = u16::try_from(width(cluster)).unwrap_or(u16::MAX);
                let next = x.saturating_add(wide);
                if next > end {
                    return x;
                }
                if wide == 0 {
                    continue;
                }
                self.cell(x, y, cluster, style);
                x = next;
            }
        }
        x
    }

    fn row(&mut self, x: u16, y: u16, width: u16, row: &Row) {
        let ground = self.theme.ground(row.ground);
        self.blank(x, y, width, ground);
        let end = x.saturating_add(width);
        let right = u16::try_from(width_of(&row.right))
            .unwrap_or(u16::MAX)
            .min(width);
        let gap = u16::from(right > 0);
        let room = width.saturating_sub(right).saturating_sub(gap);
        let left = cut(&row.left, usize::from(room));
        self.spans(x, y, x.saturating_add(room), &left, row.ground);
        self.spans(end.saturating_sub(right), y, end, &row.right, row.ground);
    }

    fn panel(&mut self, panel: &Panel) {
        let Area {
            x,
            mut y,
            width,
            height,
        } = panel.area;
        let bottom = y.saturating_add(height);
        if let Some(title) = &panel.title {
            self.rule(x, y, width, title);
            y = y.saturating_add(1);
        }
        for row in &panel.rows {
            if y >= bottom {
                break;
            }
            self.row(x, y, width, row);
            y = y.saturating_add(1);
        }
    }

    /// `━ title ━━━━━━ right ━`.
    fn rule(&mut self, x: u16, y: u16, width: u16, title: &Title) {
        let (line, role) = if title.focused {
            ("━", Role::Accent)
        } else {
            ("─", Role::Muted)
        };
        let style = self.theme.role(role);
        for x in x..x.saturating_add(width) {
            self.cell(x, y, line, style);
        }
        self.on_rule(x, y, width, title);
    }

    /// The two texts of a title on a rule that is already drawn.
    fn on_rule(&mut self, x: u16, y: u16, width: u16, title: &Title) {
        let end = x.saturating_add(width);
        let right = u16::try_from(width_of(&title.right.left)).unwrap_or(u16::MAX);
        let mut edge = end.saturating_sub(1);
        if right > 0 && right.saturating_add(8) <= width {
            let from = end.saturating_sub(2).saturating_sub(right);
            self.spans(
                from,
                y,
                end.saturating_sub(2),
                &title.right.left,
                Ground::Plain,
            );
            self.cell(from.saturating_sub(1), y, " ", Style::new());
            self.cell(end.saturating_sub(2), y, " ", Style::new());
            edge = from.saturating_sub(2);
        }
        let from = x.saturating_add(2);
        let room = edge.saturating_sub(from).saturating_sub(1);
        if title.left.left.is_empty() || room == 0 {
            return;
        }
        self.cell(from.saturating_sub(1), y, " ", Style::new());
        let text = cut(&title.left.left, usize::from(room));
        let at = self.spans(from, y, from.saturating_add(room), &text, Ground::Plain);
        self.cell(at, y, " ", Style::new());
    }

    fn overlay(&mut self, overlay: &Overlay) {
        let Area {
            x,
            y,
            width,
            height,
        } = overlay.area;
        if width < 2 || height < 2 {
            return;
        }
        let (right, bottom) = (x + width - 1, y + height - 1);
        let style = self.theme.role(Role::Accent);
        for row in y..=bottom {
            self.blank(x, row, width, Style::new());
            self.cell(x, row, "│", style);
            self.cell(right, row, "│", style);
        }
        for column in x..=right {
            self.cell(column, y, "─", style);
            self.cell(column, bottom, "─", style);
        }
        for (column, row, corner) in [
            (x, y, "╭"),
            (right, y, "╮"),
            (x, bottom, "╰"),
            (right, bottom, "╯"),
        ] {
            self.cell(column, row, corner, style);
        }
        self.on_rule(x, y, width, &overlay.title);
        for (at, row) in (y + 1..bottom).zip(&overlay.rows) {
            self.row(x + 1, at, width - 2, row);
        }
    }
}
