//! Hedged language in texts that leave through the gate (H06, verify-gate 1.5 and edge 14).
//!
//! The gate refuses hedges from others and must not author them itself. Words inside code spans
//! and quotation marks are cited, not said; a sentence that ends in a question mark asks; a text
//! that begins with a minor's tag says what it is.

use std::ops::Range;

/// Words and phrases that hedge, lower case.
pub const TABLE: [&str; 14] = [
    "might",
    "could",
    "may",
    "maybe",
    "perhaps",
    "possibly",
    "probably",
    "presumably",
    "seemingly",
    "apparently",
    "seems",
    "appears to",
    "not sure",
    "i guess",
];

/// Tags that make a hypothesis one on purpose.
pub const TAGS: [&str; 3] = ["verifiable:", "consider:", "nofollow:"];

/// A hedge in a text: its byte range, and the words as written there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hedge {
    /// The bytes of it.
    pub span: Range<usize>,
    /// As written.
    pub words: String,
}

/// The first hedge of `text`, if there is one.
#[must_use]
pub fn find(text: &str) -> Option<Hedge> {
    let start = text.trim_start().to_ascii_lowercase();
    if TAGS.iter().any(|tag| start.starts_with(tag)) {
        return None;
    }
    let bare = without_citations(text);
    let words = words_of(&bare);
    (0..words.len()).find_map(|at| {
        let phrase = TABLE
            .into_iter()
            .find_map(|phrase| match_at(&bare, &words, at, phrase))?;
        let excused = is_month(text, &phrase) || is_denied(&bare, &words, at, &phrase);
        (!excused && !asks(&bare, phrase.end)).then(|| Hedge {
            words: text.get(phrase.clone()).unwrap_or_default().to_owned(),
            span: phrase,
        })
    })
}

/// The text in ASCII lower case with everything cited blanked out, byte for byte as long.
fn without_citations(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut closing: Option<char> = None;
    let mut fence = false;
    for line in text.split_inclusive('\n') {
        let marker = line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
        if fence || marker {
            fence ^= marker;
            blank(&mut out, line);
            continue;
        }
        for (at, character) in line.char_indices() {
            let rest = line.get(at + character.len_utf8()..).unwrap_or_default();
            if let Some(end) = closing {
                if character == end {
                    closing = None;
                }
                blank(&mut out, character.encode_utf8(&mut [0; 4]));
            } else if let Some(end) = opens(character).filter(|end| rest.contains(*end)) {
                closing = Some(end);
                blank(&mut out, character.encode_utf8(&mut [0; 4]));
            } else {
                out.push(character.to_ascii_lowercase());
            }
        }
        closing = None;
    }
    out
}

fn opens(character: char) -> Option<char> {
    match character {
        '`' => Some('`'),
        '"' => Some('"'),
        '\u{201c}' => Some('\u{201d}'),
        '\u{ab}' => Some('\u{bb}'),
        _ => None,
    }
}

fn blank(out: &mut String, text: &str) {
    for character in text.chars() {
        if character == '\n' {
            out.push('\n');
        } else {
            out.extend(std::iter::repeat_n(' ', character.len_utf8()));
        }
    }
}

/// Byte ranges of the words.
fn words_of(text: &str) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, character) in text.char_indices() {
        let inside = character.is_alphanumeric() || matches!(character, '\'' | '\u{2019}' | '_');
        match (inside, start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                words.push(from..at);
                start = None;
            }
            (true, Some(_)) | (false, None) => {}
        }
    }
    if let Some(from) = start {
        words.push(from..text.len());
    }
    words
}

fn word<'a>(text: &'a str, words: &[Range<usize>], at: usize) -> &'a str {
    words
        .get(at)
        .and_then(|range| text.get(range.clone()))
        .unwrap_or_default()
}

fn match_at(text: &str, words: &[Range<usize>], at: usize, phrase: &str) -> Option<Range<usize>> {
    let parts: Vec<&str> = phrase.split(' ').collect();
    let all = parts
        .iter()
        .enumerate()
        .all(|(offset, part)| word(text, words, at + offset) == *part);
    let first = words.get(at)?;
    let last = words.get(at + parts.len() - 1)?;
    all.then_some(first.start..last.end)
}

/// `May` with a capital inside a sentence, or before a number, is the month.
fn is_month(text: &str, phrase: &Range<usize>) -> bool {
    if text.get(phrase.clone()) != Some("May") {
        return false;
    }
    let before = text.get(..phrase.start).unwrap_or_default().trim_end();
    let after = text.get(phrase.end..).unwrap_or_default().trim_start();
    let opens = before.is_empty() || before.ends_with(['.', '!', '?', ':', '\n']);
    !opens || after.starts_with(|c: char| c.is_ascii_digit())
}

/// `could not` reports and `may not` forbids.
fn is_denied(bare: &str, words: &[Range<usize>], at: usize, phrase: &Range<usize>) -> bool {
    let said = bare.get(phrase.clone()).unwrap_or_default();
    matches!(said, "could" | "may") && word(bare, words, at + 1) == "not"
}

/// Whether the sentence around byte `from` ends in a question mark.
fn asks(bare: &str, from: usize) -> bool {
    bare.get(from..)
        .unwrap_or_default()
        .chars()
        .find(|c| matches!(c, '.' | '!' | '?' | ';' | '\n'))
        == Some('?')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hedges_are_found_with_their_words() {
        for (text, words) in [
            ("This might break the board.", "might"),
            ("It Could cause a crash", "Could"),
            ("the cache may be stale", "may"),
            ("May break on Tuesdays", "May"),
            ("`x` is fine, it seems", "seems"),
            ("wörld perhaps", "perhaps"),
            ("I guess so", "I guess"),
            ("It appears to work; does it?", "appears to"),
            ("\"half a quotation, might", "might"),
            ("might not hold", "might"),
        ] {
            let found = find(text);
            assert_eq!(
                found.as_ref().map(|h| h.words.as_str()),
                Some(words),
                "{text}"
            );
            let span = found.map(|h| h.span).unwrap_or_default();
            assert_eq!(text.get(span), Some(words), "{text}");
        }
    }

    #[test]
    fn citations_questions_tags_and_plain_words_are_not_hedges() {
        for text in [
            "The list repeats the boat. Repeat the hour instead.",
            "`might` is a word of the marker",
            "it prints \"could fail\" and exits 1",
            "it prints “could fail” and exits 1",
            "```\nmight\n```\ndone",
            "Could you say which harbor is meant?",
            "consider: this might be slow",
            "Verifiable: might repeat, see test 3",
            "the file could not be read",
            "an agent may not edit the request",
            "due on May 3, in May as well",
            "mighty dismay, maybes, might_fail",
            "",
        ] {
            assert_eq!(find(text), None, "{text}");
        }
    }
}
