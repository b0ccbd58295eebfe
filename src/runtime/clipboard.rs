//! The one OSC sequence that countersign sends: OSC 52, when the person copies. No answer is
//! possible, and none is waited for.

use crossterm::Command as _;
use crossterm::clipboard::CopyToClipboard;

/// Most bytes that are copied; terminals drop longer ones in silence.
pub const LIMIT: usize = 74_000;

/// The sequence that puts `text` on the terminal's clipboard; `None` when it is too long.
#[must_use]
pub fn sequence(text: &str) -> Option<Vec<u8>> {
    if text.len() > LIMIT {
        return None;
    }
    let mut out = String::new();
    CopyToClipboard::to_clipboard_from(text)
        .write_ansi(&mut out)
        .ok()?;
    Some(out.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_travels_as_base64_and_a_huge_one_not_at_all() {
        let bytes = sequence("a\u{1b}b").unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        assert!(text.starts_with("\u{1b}]52;c;YRti"), "{text:?}");
        assert_eq!(sequence(&"x".repeat(LIMIT + 1)), None);
    }
}
