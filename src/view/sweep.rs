//! The last look at every cell before it leaves for the terminal (OUT-1, OUT-6).
//!
//! Text was made visible long before it came here; this is the second guard, and a hit is a
//! fault. It can only replace, it cannot bring back what a widget lost.

use ratatui::buffer::Buffer;
use ratatui::style::Color;

use crate::model::text::{CLUSTER_BYTES, is_hidden, is_whole_sequence};

/// What a cell shows instead of something that must not leave.
pub const REPLACEMENT: &str = "\u{FFFD}";

/// Replaces every cell that a terminal could obey, and takes the colours out under `NO_COLOR`.
/// Returns how many cells were replaced (0 unless there is a fault elsewhere).
pub fn sweep(buffer: &mut Buffer, no_color: bool) -> usize {
    let mut hits = 0;
    for cell in &mut buffer.content {
        let symbol = cell.symbol();
        let fine = match symbol.as_bytes() {
            [byte] => (b' '..=b'~').contains(byte),
            bytes => {
                bytes.len() <= CLUSTER_BYTES
                    && (!symbol.chars().any(obeyed) || is_whole_sequence(symbol))
            }
        };
        if !fine {
            cell.set_symbol(REPLACEMENT);
            hits += 1;
        }
        if no_color {
            cell.fg = Color::Reset;
            cell.bg = Color::Reset;
            cell.underline_color = Color::Reset;
        }
    }
    hits
}

/// Hidden characters, except those that belong to how an emoji or a joining script is written;
/// `Foreign::shown` let them through only there.
fn obeyed(character: char) -> bool {
    is_hidden(character) && !matches!(character, '\u{200c}' | '\u{200d}' | '\u{fe0f}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::layout::Rect;
    use ratatui::style::{Modifier, Style};

    #[test]
    fn a_cell_that_a_terminal_would_obey_is_replaced() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 4, 1));
        buffer[(0, 0)].set_symbol("\u{1b}[2J");
        buffer[(1, 0)].set_symbol("\u{9b}");
        buffer[(2, 0)].set_symbol(&format!("e{}", "\u{301}".repeat(40)));
        buffer[(3, 0)].set_symbol("é");
        assert_eq!(sweep(&mut buffer, false), 3);
        assert_eq!(buffer[(0, 0)].symbol(), REPLACEMENT);
        assert_eq!(buffer[(3, 0)].symbol(), "é");
    }

    #[test]
    fn no_color_keeps_bold_and_underline() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 1, 1));
        let loud = Style::new()
            .fg(Color::Red)
            .bg(Color::Blue)
            .add_modifier(Modifier::BOLD | Modifier::UNDERLINED);
        buffer[(0, 0)].set_style(loud);
        assert_eq!(sweep(&mut buffer, true), 0);
        assert_eq!(buffer[(0, 0)].fg, Color::Reset);
        assert_eq!(buffer[(0, 0)].bg, Color::Reset);
        assert_eq!(
            buffer[(0, 0)].modifier,
            Modifier::BOLD | Modifier::UNDERLINED
        );
    }
}
