//! JSON on stdout: one document, with every hidden character as a `\u` escape, so that printing
//! it to a terminal is harmless (OUT-8).

use std::io::{self, Write};

use serde::Serialize as _;
use serde_json::Value;
use serde_json::ser::{CompactFormatter, Formatter};

use crate::model::text::is_hidden;

/// Writes one document and a line end to stdout; a closed pipe is no failure of ours.
pub fn print_json(value: &Value) {
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "{}", to_line(value));
}

/// The document as one line.
#[must_use]
pub fn to_line(value: &Value) -> String {
    let mut bytes = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, Visible);
    if value.serialize(&mut serializer).is_err() {
        return String::from("null");
    }
    String::from_utf8(bytes).unwrap_or_else(|_| String::from("null"))
}

struct Visible;

impl Formatter for Visible {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut units = [0; 2];
        let mut plain = 0;
        for (at, character) in fragment.char_indices() {
            if is_hidden(character) {
                CompactFormatter.write_string_fragment(writer, &fragment[plain..at])?;
                for unit in character.encode_utf16(&mut units) {
                    write!(writer, "\\u{unit:04x}")?;
                }
                plain = at + character.len_utf8();
            }
        }
        CompactFormatter.write_string_fragment(writer, &fragment[plain..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_escaped_and_read_back() {
        let text = "a\u{9b}b\u{202e}c\u{e0041}\n\"é";
        let line = to_line(&Value::from(text));
        assert_eq!(line, "\"a\\u009bb\\u202ec\\udb40\\udc41\\n\\\"é\"");
        assert_eq!(
            serde_json::from_str::<String>(&line).ok().as_deref(),
            Some(text)
        );
    }
}
