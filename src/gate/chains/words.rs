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

    /// A pattern that finds it, and at times more.
    pub(super) fn pattern(&self) -> String {
        let words = self.0.iter().take_while(|word| *word != "*");
        let words: Vec<String> = words.map(|word| regex::escape(word)).collect();
        words.join("[^a-z0-9]+")
    }

    /// The longest word that stands in whatever [`Phrase::pattern`] finds.
    pub(super) fn longest(&self) -> &str {
        let words = self.0.iter().take_while(|word| *word != "*");
        words
            .max_by_key(|word| word.len())
            .map_or("", String::as_str)
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
}

/// Phrases, with what their first words share, so that a text without any of those is passed over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Phrases {
    all: Vec<Phrase>,
    firsts: [u64; 4],
}

impl Phrases {
    /// The phrases of texts; empty ones are left out.
    pub fn new<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Self {
        let texts = texts.into_iter();
        let all: Vec<Phrase> = texts
            .filter_map(|text| Phrase::new(text.as_ref()))
            .collect();
        let mut firsts = [0; 4];
        for key in all.iter().map(|phrase| phrase.1).chain([ANY]) {
            firsts[usize::from(key >> 6)] |= 1 << (key & 63);
        }
        Self { all, firsts }
    }

    /// Whether one of them may begin with this word.
    fn may_begin(&self, word: &Word) -> bool {
        self.firsts[usize::from(word.key >> 6)] >> (word.key & 63) & 1 == 1
    }

    /// Whether one of them may stand among some words.
    pub(super) fn may_stand(&self, words: &[Word]) -> bool {
        words.iter().any(|word| self.may_begin(word))
    }

    /// Places at which one of them stands: the phrase, its first and its last word, by place.
    pub(super) fn found<'w>(
        &'w self,
        text: &'w str,
        words: &'w [Word],
    ) -> impl Iterator<Item = (&'w Phrase, usize, usize)> {
        let begins = words.iter().enumerate();
        begins
            .filter(|(_, word)| self.may_begin(word))
            .flat_map(move |(at, _)| {
                let of = self.all.iter();
                of.filter_map(move |phrase| Some((phrase, at, phrase.at(text, words, at)?)))
            })
    }

    /// Whether one of them stands there.
    pub(super) fn stand(&self, text: &str, words: &[Word]) -> bool {
        self.found(text, words).next().is_some()
    }
}

impl std::ops::Deref for Phrases {
    type Target = [Phrase];

    fn deref(&self) -> &[Phrase] {
        &self.all
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
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len() / 6 + 1);
    let mut open: Option<usize> = None;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let (inner, len) = if byte.is_ascii() {
            let inner = byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'\'');
            (inner, 1)
        } else {
            let c = text[at..].chars().next().unwrap_or_default();
            (c.is_alphanumeric() || c == '’', c.len_utf8())
        };
        match (open, inner) {
            (None, true) => open = Some(at),
            (Some(start), false) => {
                push(&mut out, text, start, at);
                open = None;
            }
            (None, false) | (Some(_), true) => {}
        }
        at += len;
    }
    if let Some(start) = open {
        push(&mut out, text, start, text.len());
    }
    out
}

fn push(out: &mut Vec<Word>, text: &str, start: usize, end: usize) {
    let word = &text[start..end];
    let plain = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let (mut start, mut end) = (start, end);
    if !plain(word.as_bytes().first()) || !plain(word.as_bytes().last()) {
        let edge = |c: char| !c.is_alphanumeric();
        start += word.len() - word.trim_start_matches(edge).len();
        end -= word.len() - word.trim_end_matches(edge).len();
    }
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
        Phrases::new([phrase]).stand(text, &words(text))
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
