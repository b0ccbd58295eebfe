//! Colors for `.feature` files, which no grammar of the set knows.

use std::ops::Range;

use super::client::TokenKind;
use super::highlight::{LONGEST, Tokens};
use crate::adapters::git::lines::Text;
use crate::adapters::spec::gherkin::{keyword, language_named};

/// What the lines above say about a line.
struct Above {
    /// Whether a quoted text is open.
    quoted: bool,
    /// The language of the keywords.
    language: String,
    /// Whether a heading came: from then on no comment names a language.
    begun: bool,
}

impl Above {
    fn nothing() -> Self {
        Self {
            quoted: false,
            language: String::from("en"),
            begun: false,
        }
    }
}

/// Tokens of a range of lines.
#[must_use]
pub fn color(text: &Text, range: Range<u32>) -> Vec<Tokens> {
    let mut above = Above::nothing();
    let mut out = Vec::new();
    for number in 0..range.end.min(text.count()) {
        let line = text.whole(number).unwrap_or_default();
        let tokens = color_line(line, &mut above);
        if number >= range.start {
            out.push(tokens);
        }
    }
    out
}

fn color_line(line: &[u8], above: &mut Above) -> Tokens {
    let Some(line) = std::str::from_utf8(line)
        .ok()
        .filter(|l| l.len() <= LONGEST)
    else {
        return Tokens::new();
    };
    let line = line.trim_end();
    let body = line.trim_start();
    let start = line.len() - body.len();
    let fence = body.starts_with("\"\"\"") || body.starts_with("```");
    let mut tokens = Tokens::new();
    let mut push = |range: Range<usize>, kind: TokenKind| {
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        tokens.push((number(range.start), number(range.end), kind.index()));
    };
    if fence || above.quoted {
        above.quoted ^= fence;
        push(start..line.len(), TokenKind::String);
        return tokens;
    }
    if body.starts_with('#') {
        if let Some(name) = language_named(body).filter(|_| !above.begun) {
            name.clone_into(&mut above.language);
        }
        push(start..line.len(), TokenKind::Comment);
        return tokens;
    }
    if body.starts_with('@') {
        push(start..line.len(), TokenKind::Type);
        return tokens;
    }
    let mut at = start;
    if let Some((length, heading)) = keyword(body, &above.language) {
        above.begun |= heading;
        push(start..start + length, TokenKind::Keyword);
        at = start + length;
    }
    rest(line, at, push);
    tokens
}

/// Strings, parameters, numbers and the bars of tables.
fn rest(line: &str, from: usize, mut push: impl FnMut(Range<usize>, TokenKind)) {
    let bytes = line.as_bytes();
    let mut at = from;
    while let Some(byte) = bytes.get(at) {
        let tail = bytes.get(at + 1..).unwrap_or_default();
        let until = |end: u8| memchr::memchr(end, tail).map(|n| at + n + 2);
        let word_before = at > 0 && bytes.get(at - 1).is_some_and(u8::is_ascii_alphanumeric);
        let next = match byte {
            b'"' => until(b'"').map(|end| (end, TokenKind::String)),
            b'<' => until(b'>').map(|end| (end, TokenKind::Constant)),
            b'|' => Some((at + 1, TokenKind::Punctuation)),
            b'0'..=b'9' if !word_before => {
                let digits = tail
                    .iter()
                    .take_while(|b| b.is_ascii_digit() || **b == b'.')
                    .count();
                Some((at + 1 + digits, TokenKind::Number))
            }
            _ => None,
        };
        match next {
            Some((end, kind)) => {
                push(at..end, kind);
                at = end;
            }
            None => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_feature_has_its_colors() {
        let mut above = Above::nothing();
        let mut says = |line: &str| -> Vec<(String, TokenKind)> {
            color_line(line.as_bytes(), &mut above)
                .into_iter()
                .map(|(a, b, k)| {
                    (
                        line[a as usize..b as usize].to_owned(),
                        TokenKind::of(k).unwrap(),
                    )
                })
                .collect()
        };
        let row = |text: &str, kind| (text.to_owned(), kind);
        assert_eq!(
            says("  Given a tide of 3.5 at \"Ost\" for <name>"),
            [
                row("Given", TokenKind::Keyword),
                row("3.5", TokenKind::Number),
                row("\"Ost\"", TokenKind::String),
                row("<name>", TokenKind::Constant),
            ]
        );
        assert_eq!(says("Scenario: x2"), [row("Scenario:", TokenKind::Keyword)]);
        assert_eq!(says("  @slow"), [row("@slow", TokenKind::Type)]);
        assert_eq!(says("\"\"\""), [row("\"\"\"", TokenKind::String)]);
        assert_eq!(says("Given"), [row("Given", TokenKind::String)]);
        assert_eq!(says("\"\"\""), [row("\"\"\"", TokenKind::String)]);
        assert_eq!(says("# é"), [row("# é", TokenKind::Comment)]);
        // it comes too late
        says("# language: de");
        assert_eq!(says("Szenario: a"), []);
    }

    #[test]
    fn its_words_are_those_of_its_language() {
        let mut above = Above::nothing();
        let mut first = |line: &str| {
            let tokens = color_line(line.as_bytes(), &mut above);
            let (a, b, _) = *tokens.first()?;
            Some(line[a as usize..b as usize].to_owned())
        };
        let rows = [
            ("# language: de", Some("# language: de")),
            ("Funktionalität: Fahrplan", Some("Funktionalität:")),
            ("  Szenario: Winter", Some("Szenario:")),
            ("    Angenommen es ist Winter", Some("Angenommen")),
            ("    Given it is winter", None),
            ("    * noch etwas", Some("*")),
        ];
        for (line, wanted) in rows {
            assert_eq!(first(line).as_deref(), wanted, "{line}");
        }
    }
}
