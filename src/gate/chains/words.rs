//! Words, phrases and clauses of a piece of prose.
//!
//! A phrase is matched word by word, in any case, over line ends and emphasis; punctuation between
//! two words breaks it.

/// Where a word stands, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Word {
    pub(super) start: usize,
    pub(super) end: usize,
    /// What it must share with a word that it equals in any case; [`ANY`] when it is not ASCII.
    key: u8,
}

/// The key of a word whose case may change its bytes.
const ANY: u8 = u8::MAX;

/// First letter and length of a word, in one byte.
fn key(word: &str) -> u8 {
    match word.as_bytes() {
        [first, ..] if word.is_ascii() => {
            let length = u8::try_from(word.len() & 0x0f).unwrap_or(0);
            (first.to_ascii_lowercase() & 0x1f) << 3 ^ length
        }
        _ => ANY,
    }
}

/// Words that a `*` in a phrase may stand for at most.
const GAP: usize = 6;

/// Lower-case words, `*` for a few of any.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Phrase(Vec<String>, u8);

impl Phrase {
    /// A phrase from words between spaces; `None` when there is no word.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
        let real = |word: Option<&String>| word.is_some_and(|word| word != "*");
        let first = words.first().map_or(ANY, |word| key(word));
        (real(words.first()) && real(words.last())).then_some(Self(words, first))
    }

    /// The phrases of a list, empty ones left out.
    #[must_use]
    pub fn list(texts: &[&str]) -> Vec<Self> {
        texts.iter().filter_map(|text| Self::new(text)).collect()
    }

    /// A pattern that finds it, and at times more.
    pub(super) fn pattern(&self) -> String {
        let words = self.0.iter().take_while(|word| *word != "*");
        let words: Vec<String> = words.map(|word| regex::escape(word)).collect();
        words.join("[^a-z0-9]+")
    }

    /// The last word this phrase covers when it begins at word `at`.
    pub(super) fn at(&self, text: &str, words: &[Word], at: usize) -> Option<usize> {
        let first = words.get(at)?;
        if first.key != self.1 && first.key != ANY {
            return None;
        }
        let mut place = at;
        let mut gap = 0;
        for (index, want) in self.0.iter().enumerate() {
            if want == "*" {
                gap = GAP;
                continue;
            }
            loop {
                let word = words.get(place)?;
                let touches = index == 0 || gap > 0 || joined(text, words, place);
                if touches && same(&text[word.start..word.end], want) {
                    break;
                }
                if gap == 0 {
                    return None;
                }
                gap -= 1;
                place += 1;
            }
            gap = 0;
            place += 1;
        }
        Some(place - 1)
    }

    /// The first place of this phrase: first and last word.
    pub(super) fn find(&self, text: &str, words: &[Word]) -> Option<(usize, usize)> {
        (0..words.len()).find_map(|at| self.at(text, words, at).map(|end| (at, end)))
    }
}

fn same(word: &str, want: &str) -> bool {
    word.eq_ignore_ascii_case(want) || (!word.is_ascii() && word.to_lowercase() == want)
}

/// Whether nothing but blanks and emphasis stands between this word and the one before.
fn joined(text: &str, words: &[Word], at: usize) -> bool {
    let before = match at.checked_sub(1).and_then(|at| words.get(at)) {
        Some(word) => word.end,
        None => return true,
    };
    let between = words.get(at).map_or("", |word| &text[before..word.start]);
    between
        .chars()
        .all(|c| c.is_whitespace() || "*_`>\"“”".contains(c))
}

/// The words of a text: letters, digits, `-`, `_` and apostrophes inside.
pub(super) fn words(text: &str) -> Vec<Word> {
    let mut out = Vec::new();
    let mut open: Option<usize> = None;
    let inner = |c: char| match u8::try_from(c) {
        Ok(byte) if byte.is_ascii() => {
            byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'\'')
        }
        _ => c.is_alphanumeric() || c == '’',
    };
    for (at, c) in text.char_indices() {
        match (open, inner(c)) {
            (None, true) => open = Some(at),
            (Some(start), false) => {
                push(&mut out, text, start, at);
                open = None;
            }
            (None, false) | (Some(_), true) => {}
        }
    }
    if let Some(start) = open {
        push(&mut out, text, start, text.len());
    }
    out
}

fn push(out: &mut Vec<Word>, text: &str, start: usize, end: usize) {
    let edge = |c: char| !c.is_alphanumeric();
    let word = &text[start..end];
    let start = start + (word.len() - word.trim_start_matches(edge).len());
    let end = end - (word.len() - word.trim_end_matches(edge).len());
    if start < end {
        let key = key(&text[start..end]);
        out.push(Word { start, end, key });
    }
}

/// How a text is cut into clauses: at `;`, at ` + `, at the end of a sentence, with a comma
/// before `and` where asked, never inside parentheses.
pub(super) fn clauses(text: &str, at_and: bool) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let nests = balanced(bytes);
    let mut out = Vec::new();
    let mut depth = 0usize;
    let mut from = 0;
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'(' if nests => depth += 1,
            b')' if nests => depth = depth.saturating_sub(1),
            b';' if depth == 0 => cut(&mut out, &mut from, at, at + 1),
            b'+' if depth == 0
                && at > 0
                && blank(bytes.get(at - 1))
                && blank(bytes.get(at + 1)) =>
            {
                cut(&mut out, &mut from, at, at + 1);
            }
            b'.' | b'!' | b'?' if depth == 0 && sentence_ends(&bytes[at + 1..]) => {
                cut(&mut out, &mut from, at + 1, at + 1);
            }
            b',' if at_and && depth == 0 && bytes[at..].starts_with(b", and ") => {
                cut(&mut out, &mut from, at, at + 1);
            }
            _ => {}
        }
    }
    cut(&mut out, &mut from, bytes.len(), bytes.len());
    out
}

fn cut(out: &mut Vec<(usize, usize)>, from: &mut usize, end: usize, next: usize) {
    if *from < end {
        out.push((*from, end));
    }
    *from = next;
}

fn blank(byte: Option<&u8>) -> bool {
    byte.is_none_or(u8::is_ascii_whitespace)
}

/// Whether only closing marks stand before the next blank.
fn sentence_ends(rest: &[u8]) -> bool {
    let after = rest.iter().find(|byte| !b"*_`)\"'".contains(byte));
    blank(after)
}

fn balanced(bytes: &[u8]) -> bool {
    let mut depth = 0i64;
    for byte in bytes {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(phrase: &str, text: &str) -> bool {
        let phrase = Phrase::new(phrase).expect("a phrase");
        phrase.find(text, &words(text)).is_some()
    }

    #[test]
    fn a_phrase_is_whole_words_over_lines_and_emphasis() {
        assert!(found("wait for", "then **Wait**\n  for it"));
        assert!(found("wait for", "WAIT FOR"));
        for no in [
            "waits for",
            "await for",
            "wait, for",
            "wait-for",
            "wait forward",
        ] {
            assert!(!found("wait for", no), "{no}");
        }
        assert!(found(
            "verdict * read",
            "the `Verdict:` line of x, which was read"
        ));
        assert!(!found("verdict * read", "verdict a b c d e f g read"));
    }

    #[test]
    fn clauses_end_at_signs_that_stand_outside_parentheses() {
        let cut = |text: &str| -> Vec<String> {
            let parts = clauses(text, false);
            parts
                .iter()
                .map(|(a, b)| text[*a..*b].trim().to_owned())
                .collect()
        };
        assert_eq!(
            cut("a (b; c) + d; e. f 0.5 g"),
            ["a (b; c)", "d", "e.", "f 0.5 g"]
        );
        assert_eq!(cut("a (b; c"), ["a (b", "c"]);
        assert_eq!(cut("**a.** b"), ["**a.", "** b"]);
    }
}
