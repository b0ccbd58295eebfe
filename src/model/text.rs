//! Text from outside, and the one way to make it fit to be shown.
//!
//! A contract, a diff, a name, a comment and the output of a command are [`Foreign`]. The only
//! road from there to a screen, a printed line, the clipboard or a record is
//! [`Foreign::shown`], which deletes nothing: whatever a terminal would swallow, obey or draw
//! invisibly becomes a visible mark, in a [`Piece`] that ordinary text cannot imitate
//! (requirements OUT-1 to OUT-6). It must never gain a `Display` of its own.

use std::borrow::Cow;
use std::fmt;

use unicode_segmentation::UnicodeSegmentation as _;

use super::hidden::{Hidden, Kind};

/// Most bytes that one cell of the screen may carry (OUT-6).
pub const CLUSTER_BYTES: usize = 32;
/// Most code points that one cell of the screen may carry (OUT-6).
pub const CLUSTER_CHARS: usize = 8;

/// Bytes that came from outside countersign. They may hold anything.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Foreign(Vec<u8>);

/// Where a text will stand, which decides what is let through unmarked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// Commands, markers, ids, paths, refs, logins: one line; only visible characters pass, and
    /// every line end is marked.
    Strict,
    /// Prose and code, one line at a time: emoji sequences and script joiners pass as well.
    Prose,
}

impl Foreign {
    /// Takes bytes as they came.
    #[must_use]
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self(bytes.into())
    }

    /// The raw bytes, for hashing, matching and writing back; never for showing.
    #[must_use]
    pub fn raw(&self) -> &[u8] {
        &self.0
    }

    /// The raw text when it is UTF-8, for reading grammar; never for showing.
    #[must_use]
    pub fn raw_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }

    /// Whether there is nothing but blanks.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.0.iter().all(u8::is_ascii_whitespace)
    }

    /// The text with everything hidden made visible, as one line.
    #[must_use]
    pub fn shown(&self, place: Place) -> Shown {
        escape(&self.0, place)
    }

    /// The text split at LF (a CR before it stays, marked), each line made visible.
    #[must_use]
    pub fn shown_lines(&self, place: Place) -> Vec<Shown> {
        let body = self.0.strip_suffix(b"\n").unwrap_or(&self.0);
        body.split(|b| *b == b'\n')
            .map(|line| escape(line, place))
            .collect()
    }
}

impl From<&str> for Foreign {
    fn from(text: &str) -> Self {
        Self(text.as_bytes().to_vec())
    }
}

impl From<String> for Foreign {
    fn from(text: String) -> Self {
        Self(text.into_bytes())
    }
}

impl fmt::Debug for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Foreign({:?})", String::from_utf8_lossy(&self.0))
    }
}

/// One run of text that is fit to be shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Printable text without control, format or other hidden characters.
    pub text: String,
    /// Whether this is our mark for something hidden; drawn in a style of its own.
    pub mark: bool,
}

/// One line of text that is fit to be shown: nothing in it can be obeyed by a terminal.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Shown {
    pieces: Vec<Piece>,
    hidden: Hidden,
}

impl Shown {
    /// A line of our own words. A hidden character in it is a fault, so it is marked as well.
    #[must_use]
    pub fn ours(text: &str) -> Self {
        escape(text.as_bytes(), Place::Prose)
    }

    /// The runs, in order.
    #[must_use]
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// How many hidden characters or invalid bytes stand in the line.
    #[must_use]
    pub fn hidden(&self) -> u32 {
        self.hidden.total()
    }

    /// The same by kind.
    #[must_use]
    pub fn kinds(&self) -> Hidden {
        self.hidden
    }

    /// The line as plain text, marks included.
    #[must_use]
    pub fn plain(&self) -> String {
        self.to_string()
    }

    fn push(&mut self, text: &str, mark: bool) {
        match self.pieces.last_mut() {
            Some(last) if last.mark == mark => last.text.push_str(text),
            _ => self.pieces.push(Piece {
                text: text.to_owned(),
                mark,
            }),
        }
    }

    fn push_mark(&mut self, text: &str, kind: Kind, hidden: u32) {
        self.push(text, true);
        self.hidden.add(kind, hidden);
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces
            .iter()
            .try_for_each(|piece| f.write_str(&piece.text))
    }
}

/// The grapheme clusters of a text with their places. Plain ASCII is its own bytes, which saves
/// most of the work of a frame; only CR LF is one cluster of two.
pub fn clusters(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let plain = text.is_ascii() && !text.contains('\r');
    let bytes = if plain { text.len() } else { 0 };
    let bytes = (0..bytes).map(|at| (at, text.get(at..=at).unwrap_or_default()));
    let rest = if plain { "" } else { text };
    bytes.chain(rest.grapheme_indices(true))
}

/// Columns between two tab stops.
pub const TAB: usize = 8;

fn escape(bytes: &[u8], place: Place) -> Shown {
    let mut out = Shown::default();
    if bytes.iter().all(|b| (b' '..=b'~').contains(b)) {
        if let Ok(text) = std::str::from_utf8(bytes)
            && !text.is_empty()
        {
            out.push(text, false);
        }
        return out;
    }
    let mut column = 0;
    let mut tags = String::new();
    for chunk in bytes.utf8_chunks() {
        for cluster in chunk.valid().graphemes(true) {
            column = escape_cluster(cluster, place, column, &mut tags, &mut out);
        }
        for byte in chunk.invalid() {
            out.push_mark(&format!("\\x{byte:02X}"), Kind::Byte, 1);
            column += 4;
        }
    }
    if !tags.is_empty() {
        out.push(&format!("<hidden text: {tags}>"), true);
    }
    out
}

/// Appends one grapheme cluster and returns the column after it.
fn escape_cluster(
    cluster: &str,
    place: Place,
    column: usize,
    tags: &mut String,
    out: &mut Shown,
) -> usize {
    let mut at = column;
    if place == Place::Prose && is_whole_sequence(cluster) {
        out.push(cluster, false);
        return at + unicode_width::UnicodeWidthStr::width(cluster);
    }
    let joined = place == Place::Prose && joiners_belong(cluster);
    let mut bytes = 0;
    let mut dropped = 0u32;
    for (index, character) in cluster.chars().enumerate() {
        if character == '\t' && place == Place::Prose {
            let width = TAB - at % TAB;
            out.push(&" ".repeat(width), false);
            at += width;
            continue;
        }
        if let Some(ascii) = tag_letter(character) {
            tags.push(ascii);
        }
        let joiner = matches!(character, '\u{200c}' | '\u{200d}' | '\u{fe0f}');
        if is_hidden(character) && !(joined && joiner) {
            let mark = mark_of(character);
            at += mark.len();
            out.push_mark(&mark, Kind::of(character), 1);
            continue;
        }
        bytes += character.len_utf8();
        if index >= CLUSTER_CHARS || bytes > CLUSTER_BYTES {
            dropped += 1;
            continue;
        }
        let marks = unicode_width::UnicodeWidthChar::width(character) == Some(0);
        if marks && !joiner && out.pieces.last().is_none_or(|last| last.mark) {
            // a mark without a letter would change how our own mark before it looks
            out.push("\u{25cc}", true);
            at += 1;
        }
        let mut buffer = [0; 4];
        out.push(character.encode_utf8(&mut buffer), false);
    }
    if dropped > 0 {
        out.push_mark(&format!("<+{dropped} more marks>"), Kind::Pile, dropped);
    }
    if at == column {
        at += unicode_width::UnicodeWidthStr::width(cluster);
    }
    at
}

/// The flags that are written with tags, each matched whole: a looser rule lets payloads through
/// (OUT-4).
const FLAGS: [&str; 3] = [
    "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    "\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
    "\u{1f3f4}\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}",
];

/// Whether this is a flag that is written with tags or a key cap: sequences that are known whole.
#[must_use]
pub fn is_whole_sequence(cluster: &str) -> bool {
    let key_cap = cluster
        .strip_suffix("\u{fe0f}\u{20e3}")
        .is_some_and(|key| matches!(key.as_bytes(), [b'0'..=b'9' | b'#' | b'*']));
    key_cap || FLAGS.contains(&cluster)
}

/// Whether joiners and the emoji selector are part of how this cluster is written: an emoji
/// sequence, or a letter of a script that joins (OUT-4).
fn joiners_belong(cluster: &str) -> bool {
    let Some(first) = cluster.chars().next() else {
        return false;
    };
    let emoji = matches!(u32::from(first),
        0xa9 | 0xae | 0x203c | 0x2049 | 0x2122 | 0x2139 | 0x2194..=0x21aa | 0x231a..=0x23ff
        | 0x24c2 | 0x25aa..=0x27bf | 0x2934..=0x2b55 | 0x3030 | 0x303d | 0x3297 | 0x3299
        | 0x1f000..=0x1faff);
    let joining = matches!(u32::from(first), 0x0600..=0x08ff | 0x0900..=0x0dff | 0x1000..=0x109f | 0x1780..=0x17ff | 0x1820..=0x18af);
    let once = cluster.chars().filter(|c| *c == '\u{fe0f}').count()
        <= cluster
            .chars()
            .filter(|c| !matches!(*c, '\u{fe0f}' | '\u{200d}'))
            .count();
    // a letter that stays half keeps its joiner at the end of a word
    let half = joining
        && cluster
            .strip_suffix('\u{200d}')
            .and_then(|before| before.chars().next_back())
            .is_some_and(|sign| VIRAMAS.contains(&sign));
    (emoji || joining) && once && (half || !cluster.ends_with('\u{200d}'))
}

/// Signs that take the vowel from a letter in the scripts of India.
const VIRAMAS: [char; 10] = [
    '\u{94d}', '\u{9cd}', '\u{a4d}', '\u{acd}', '\u{b4d}', '\u{bcd}', '\u{c4d}', '\u{ccd}',
    '\u{d4d}', '\u{dca}',
];

/// The letter that a tag character hides, `U+E0041` for `A`.
fn tag_letter(character: char) -> Option<char> {
    let code = u32::from(character);
    (0xe0020..=0xe007e)
        .contains(&code)
        .then(|| char::from_u32(code - 0xe0000))
        .flatten()
}

/// What a hidden character looks like: `^[` for controls, `<U+202E>` for the rest.
fn mark_of(character: char) -> String {
    let code = u32::from(character);
    match code {
        0..=0x1f => format!("^{}", char::from(code as u8 + 0x40)),
        0x7f => "^?".to_owned(),
        0x80..=0x9f => format!("<{code:02X}>"),
        _ => format!("<U+{code:04X}>"),
    }
}

/// Whether a terminal would obey, swallow or draw nothing for this character (OUT-3).
#[must_use]
pub fn is_hidden(character: char) -> bool {
    let code = u32::from(character);
    match code {
        0x20..=0x7e => false,
        0..=0x1f | 0x7f..=0x9f => true,
        0xa0 | 0xad | 0x034f | 0x061c | 0x115f | 0x1160 | 0x1680 | 0x17b4 | 0x17b5 => true,
        0x180b..=0x180f | 0x2000..=0x200f | 0x2028..=0x202f | 0x205f..=0x206f => true,
        0x2800 | 0x3000 | 0x3164 | 0xfe00..=0xfe0f | 0xfeff | 0xffa0 | 0xfff0..=0xfffb => true,
        0x1bca0..=0x1bca3 | 0x1d173..=0x1d17a | 0xe0000..=0xe0fff => true,
        0xe000..=0xf8ff | 0xf0000..=0xfffff | 0x100000..=0x10ffff => true,
        0xfdd0..=0xfdef => true,
        _ => code & 0xfffe == 0xfffe,
    }
}

/// A finished line as it may be written to a terminal: itself, and what hides in it as marks; a
/// TAB stays. The second guard of everything printed in lines, as the sweep over the cells is of
/// the screen (OUT-1, OUT-8).
#[must_use]
pub fn swept(line: &str) -> Cow<'_, str> {
    if !line.chars().any(|c| is_hidden(c) && c != '\t') {
        return Cow::Borrowed(line);
    }
    let parts = line.split('\t');
    let parts: Vec<String> = parts
        .map(|part| Foreign::from(part).shown(Place::Prose).plain())
        .collect();
    Cow::Owned(parts.join("\t"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strict(text: &str) -> String {
        Foreign::from(text).shown(Place::Strict).plain()
    }

    fn prose(text: &str) -> String {
        Foreign::from(text).shown(Place::Prose).plain()
    }

    #[test]
    fn what_is_hidden_is_shown_and_counted() {
        let rows = [
            ("rm\rls", "rm^Mls", 1),
            ("\u{1b}]52;c;x\u{7}", "^[]52;c;x^G", 2),
            ("\u{9b}31m", "<9B>31m", 1),
            ("a\u{202e}b", "a<U+202E>b", 1),
            ("a\u{200b}b", "a<U+200B>b", 1),
            ("a\u{a0}b", "a<U+00A0>b", 1),
            ("a\nb", "a^Jb", 1),
            ("a\tb", "a^Ib", 1),
        ];
        for (text, wanted, hidden) in rows {
            let shown = Foreign::from(text).shown(Place::Strict);
            assert_eq!(shown.plain(), wanted, "{text:?}");
            assert_eq!(shown.hidden(), hidden, "{text:?}");
        }
    }

    #[test]
    fn clusters_are_those_of_unicode() {
        for text in ["", "a b\tc", "a\r\nb\r", "e\u{301}x", "漢a", "\u{1b}[0m\0"] {
            let wanted: Vec<(usize, &str)> = text.grapheme_indices(true).collect();
            assert_eq!(clusters(text).collect::<Vec<_>>(), wanted, "{text:?}");
        }
    }

    #[test]
    fn invalid_bytes_are_shown_as_bytes() {
        let shown = Foreign::new(b"a\xff\x9bb".to_vec()).shown(Place::Prose);
        assert_eq!(shown.plain(), "a\\xFF\\x9Bb");
        assert_eq!(shown.hidden(), 2);
    }

    #[test]
    fn tags_are_decoded() {
        assert!(strict("a\u{e0068}\u{e0069}").ends_with("<hidden text: hi>"));
    }

    #[test]
    fn emoji_and_joining_scripts_pass_in_prose_only() {
        let family = "👩\u{200d}👩\u{200d}👧";
        assert_eq!(prose(family), family);
        assert!(strict(family).contains("<U+200D>"));
        let farsi = "می\u{200c}خواهم";
        assert_eq!(prose(farsi), farsi);
        assert!(prose("a\u{200d}b").contains("<U+200D>"));
        assert_eq!(prose("a\tb"), "a       b");
    }

    #[test]
    fn key_caps_and_the_three_flags_pass_whole_and_nothing_like_them() {
        let scotland = "\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}";
        for text in [
            "1\u{fe0f}\u{20e3}",
            "#\u{fe0f}\u{20e3}",
            scotland,
            "क\u{94d}\u{200d}",
        ] {
            assert_eq!(prose(text), text);
            assert_ne!(strict(text), text);
        }
        let longer = scotland.replace('\u{e0067}', "\u{e0067}\u{e0068}\u{e0069}");
        for text in [
            "a\u{fe0f}\u{20e3}",
            longer.as_str(),
            "\u{1f3f4}\u{e0068}\u{e007f}",
        ] {
            assert!(prose(text).contains("<U+"), "{text:?}");
        }
    }

    #[test]
    fn a_mark_without_a_letter_never_changes_a_mark_of_ours() {
        assert_eq!(prose("\u{301}a"), "\u{25cc}\u{301}a");
        assert_eq!(prose("\u{1b}\u{301}"), "^[\u{25cc}\u{301}");
        let shown = Foreign::new(b"\xff\xcc\x81".to_vec()).shown(Place::Strict);
        assert_eq!(shown.plain(), "\\xFF\u{25cc}\u{301}");
        assert_eq!(prose("e\u{301}"), "e\u{301}");
    }

    #[test]
    fn a_pile_of_marks_is_cut_to_a_count() {
        let pile = format!("e{}", "\u{301}".repeat(1000));
        let shown = Foreign::from(pile.as_str()).shown(Place::Prose);
        assert!(shown.plain().len() < 64, "{}", shown.plain().len());
        assert!(shown.plain().contains("more marks"));
    }

    #[test]
    fn nothing_hidden_survives_for_any_character() {
        let all: Vec<char> = (0..=0x10ffff).filter_map(char::from_u32).collect();
        for chunk in all.chunks(4096) {
            let text: String = chunk.iter().flat_map(|c| [*c, 'b']).collect();
            for place in [Place::Strict, Place::Prose] {
                for piece in Foreign::from(text.as_str()).shown(place).pieces() {
                    let through = piece.text.chars().find(|c| is_hidden(*c));
                    assert_eq!(through, None, "in {place:?}");
                }
            }
        }
    }

    #[test]
    fn lines_end_at_lf_and_keep_their_cr() {
        let lines = Foreign::from("a\r\nb\n").shown_lines(Place::Prose);
        let plain: Vec<_> = lines.iter().map(Shown::plain).collect();
        assert_eq!(plain, ["a^M", "b"]);
    }
}
