//! What is hidden in a text, counted by kind: the totals that stand in the header, beside a file
//! and again before the signature (requirement OUT-11).
//!
//! The counts are those of the marks that [`Foreign::shown`](super::text::Foreign::shown) draws,
//! with two exceptions that would be false alarms: a CR that ends a line is a line end, and a byte
//! order mark that begins a file is an odd blank.

use super::disguise;
use super::text::{Foreign, Place, is_hidden};

/// What a hidden character does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// Turns the order in which a line is read (U+202E, U+2066, U+200F).
    Bidi,
    /// Draws nothing (U+200B, U+00AD, U+3164).
    Invisible,
    /// A letter that no terminal draws (U+E0041).
    Tag,
    /// Chooses a variant of what stands before it, and can carry bytes (U+FE01, U+E0100).
    Selector,
    /// Commands a terminal, or ends a line in the middle of it (ESC, U+009B, U+2028).
    Control,
    /// More marks on one letter than are drawn.
    Pile,
    /// A byte that is not UTF-8.
    Byte,
    /// A blank that is none of space, tab and LF (U+00A0, U+3000, form feed).
    Blank,
    /// For private use, or no character at all (U+E0B0, U+FFFF).
    Private,
}

impl Kind {
    /// All, the ones that deceive first.
    pub const ALL: [Self; 9] = [
        Self::Bidi,
        Self::Invisible,
        Self::Tag,
        Self::Selector,
        Self::Control,
        Self::Pile,
        Self::Byte,
        Self::Blank,
        Self::Private,
    ];

    /// The word beside a count.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Bidi => "bidi",
            Self::Invisible => "zero-width",
            Self::Tag => "tag",
            Self::Selector => "selector",
            Self::Control => "control",
            Self::Pile => "piled mark",
            Self::Byte => "bad byte",
            Self::Blank => "odd blank",
            Self::Private => "private-use",
        }
    }

    /// Whether honest texts hardly ever hold it, so that one of it is worth a badge. Odd blanks,
    /// icons for private use and other encodings are common and only counted.
    #[must_use]
    pub fn is_loud(self) -> bool {
        !matches!(self, Self::Byte | Self::Blank | Self::Private)
    }

    /// The kind of a hidden character.
    #[must_use]
    pub fn of(character: char) -> Self {
        match u32::from(character) {
            0x0b | 0x0c | 0xa0 | 0x1680 | 0x2000..=0x200a | 0x202f | 0x205f | 0x2800 | 0x3000 => {
                Self::Blank
            }
            0..=0x1f | 0x7f..=0x9f | 0x2028 | 0x2029 | 0xfff9..=0xfffb => Self::Control,
            0x061c | 0x200e | 0x200f | 0x202a..=0x202e | 0x2066..=0x2069 => Self::Bidi,
            0xe0000..=0xe007f => Self::Tag,
            0x180b..=0x180d | 0x180f | 0xfe00..=0xfe0f | 0xe0100..=0xe01ef => Self::Selector,
            0xe000..=0xf8ff | 0xf0000..=0x0010_ffff | 0xfdd0..=0xfdef => Self::Private,
            code if code & 0xfffe == 0xfffe => Self::Private,
            _ => Self::Invisible,
        }
    }
}

/// Counts by kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Hidden([u32; Kind::ALL.len()]);

impl Hidden {
    /// From counts in the order of [`Kind::ALL`].
    #[must_use]
    pub fn from_counts(counts: [u32; Kind::ALL.len()]) -> Self {
        Self(counts)
    }

    /// The counts in the order of [`Kind::ALL`].
    #[must_use]
    pub fn counts(self) -> [u32; Kind::ALL.len()] {
        self.0
    }

    /// How many of one kind.
    #[must_use]
    pub fn of(self, kind: Kind) -> u32 {
        let counts = Kind::ALL.iter().zip(self.0);
        counts.filter(|(of, _)| **of == kind).map(|(_, n)| n).sum()
    }

    /// Adds some of one kind.
    pub fn add(&mut self, kind: Kind, more: u32) {
        for (of, count) in Kind::ALL.iter().zip(&mut self.0) {
            if *of == kind {
                *count = count.saturating_add(more);
            }
        }
    }

    /// Both together.
    #[must_use]
    pub fn plus(mut self, other: Self) -> Self {
        for (count, more) in self.0.iter_mut().zip(other.0) {
            *count = count.saturating_add(more);
        }
        self
    }

    /// All of them.
    #[must_use]
    pub fn total(self) -> u32 {
        self.0.into_iter().fold(0, u32::saturating_add)
    }

    /// Those that honest texts hardly ever hold.
    #[must_use]
    pub fn loud(self) -> u32 {
        let counts = Kind::ALL.iter().zip(self.0);
        counts
            .filter(|(kind, _)| kind.is_loud())
            .fold(0, |sum, (_, n)| sum.saturating_add(n))
    }

    /// `2 bidi, 1 zero-width`; empty where there is none.
    #[must_use]
    pub fn says(self) -> String {
        let counts = Kind::ALL.iter().zip(self.0);
        let parts: Vec<String> = counts
            .filter(|(_, count)| *count > 0)
            .map(|(kind, count)| {
                let plural = matches!(kind, Kind::Pile | Kind::Byte | Kind::Blank) && count != 1;
                format!("{count} {}{}", kind.word(), if plural { "s" } else { "" })
            })
            .collect();
        parts.join(", ")
    }
}

/// What is hidden or disguised in a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Marks {
    /// Hidden characters.
    pub hidden: Hidden,
    /// Words that read like plain letters and are not ([`disguise::look_alikes`]).
    pub look_alikes: u32,
}

impl Marks {
    /// Looks at lines of prose or code; `first` says whether they begin a file.
    #[must_use]
    pub fn of(text: &[u8], first: bool) -> Self {
        let mut out = Self::default();
        let (text, begins) = match text.strip_prefix(b"\xef\xbb\xbf") {
            Some(rest) if first => (rest, true),
            Some(_) | None => (text, false),
        };
        if begins {
            out.hidden.add(Kind::Blank, 1);
        }
        let body = text.strip_suffix(b"\n").unwrap_or(text);
        for line in body.split(|byte| *byte == b'\n') {
            out.line(line.strip_suffix(b"\r").unwrap_or(line));
        }
        out
    }

    /// Looks at a name, a path, a ref, a command: one line, of which nothing passes.
    #[must_use]
    pub fn of_strict(text: &Foreign) -> Self {
        let hidden = if is_plain(text.raw()) {
            Hidden::default()
        } else {
            text.shown(Place::Strict).kinds()
        };
        Self {
            hidden,
            look_alikes: text.raw_str().map_or(0, disguise::look_alikes),
        }
    }

    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            hidden: self.hidden.plus(other.hidden),
            look_alikes: self.look_alikes.saturating_add(other.look_alikes),
        }
    }

    /// Those alone that honest texts hardly ever hold.
    #[must_use]
    pub fn loud(self) -> Self {
        let counts = Kind::ALL.map(|kind| match kind.is_loud() {
            true => self.hidden.of(kind),
            false => 0,
        });
        Self {
            hidden: Hidden(counts),
            ..self
        }
    }

    /// Whether a badge stands beside it.
    #[must_use]
    pub fn is_loud(self) -> bool {
        self.hidden.loud() > 0 || self.look_alikes > 0
    }

    /// The badge, one word, the worst there is: `bidi`, `hidden`, `look-alike`.
    #[must_use]
    pub fn badge(self) -> Option<&'static str> {
        if self.hidden.of(Kind::Bidi) > 0 {
            Some("bidi")
        } else if self.hidden.loud() > 0 {
            Some("hidden")
        } else if self.look_alikes > 0 {
            Some("look-alike")
        } else {
            None
        }
    }

    /// `2 bidi, 1 zero-width, 1 look-alike word`; empty where there is nothing.
    #[must_use]
    pub fn says(self) -> String {
        let mut out = self.hidden.says();
        if self.look_alikes > 0 {
            if !out.is_empty() {
                out.push_str(", ");
            }
            let plural = if self.look_alikes == 1 { "" } else { "s" };
            out.push_str(&format!("{} look-alike word{plural}", self.look_alikes));
        }
        out
    }

    fn line(&mut self, line: &[u8]) {
        if line
            .iter()
            .all(|b| (b' '..=b'~').contains(b) || *b == b'\t')
        {
            return;
        }
        if let Ok(text) = std::str::from_utf8(line) {
            self.look_alikes = self.look_alikes.saturating_add(disguise::look_alikes(text));
            if !text.chars().any(needs_a_look) {
                return;
            }
        }
        let shown = Foreign::new(line).shown(Place::Prose);
        self.hidden = self.hidden.plus(shown.kinds());
    }
}

fn is_plain(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| (b' '..=b'~').contains(byte))
}

/// Whether a line that holds it may have marks: hidden characters themselves, and everything that
/// can pile up on a letter.
fn needs_a_look(character: char) -> bool {
    let code = u32::from(character);
    if code < 0x300 {
        return character != '\t' && is_hidden(character);
    }
    let plain = matches!(code,
        0x0370..=0x0482 | 0x048a..=0x0590 | 0x2010..=0x2027 | 0x2030..=0x205e | 0x2070..=0x20cf
        | 0x2100..=0x27ff | 0x2900..=0x2cee | 0x3001..=0x3029 | 0x3030..=0x3098
        | 0x309b..=0x3163 | 0x3165..=0xa66e | 0xac00..=0xd7a3 | 0xff01..=0xff9d);
    !plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_kind_is_counted_as_itself() {
        let rows = [
            ("a\u{202e}b\u{2066}", "2 bidi"),
            ("a\u{200b}b\u{feff}c\u{3164}", "3 zero-width"),
            ("a\u{e0041}\u{e007f}", "2 tag"),
            ("a\u{fe01}b\u{e0100}", "2 selector"),
            ("a\u{1b}[0m\u{9b}\u{2028}", "3 control"),
            ("a\u{a0}b\u{3000}\u{c}", "3 odd blanks"),
            ("\u{e0b0}\u{ffff}", "2 private-use"),
            ("a\rb\r\nc\r\n", "1 control"),
            ("naïve 漢字 привет\r\n", ""),
        ];
        for (text, says) in rows {
            assert_eq!(Marks::of(text.as_bytes(), true).says(), says, "{text:?}");
        }
        let bytes = Marks::of(b"a\xff\xfe\n", true);
        assert_eq!(bytes.says(), "2 bad bytes");
        assert!(!bytes.is_loud());
        let pile = format!("e{}", "\u{301}".repeat(20));
        assert_eq!(Marks::of(pile.as_bytes(), true).says(), "13 piled marks");
    }

    #[test]
    fn a_byte_order_mark_is_an_odd_blank_where_a_file_begins_and_hidden_elsewhere() {
        let text = "\u{feff}using System;\n";
        assert_eq!(Marks::of(text.as_bytes(), true).badge(), None);
        assert_eq!(Marks::of(text.as_bytes(), false).badge(), Some("hidden"));
        assert_eq!(
            Marks::of("a\n\u{feff}b\n".as_bytes(), true).badge(),
            Some("hidden")
        );
    }

    #[test]
    fn the_worst_kind_gives_the_badge() {
        let rows = [
            ("a\u{200b}\u{202e}", Some("bidi")),
            ("p\u{430}y a\u{200b}", Some("hidden")),
            ("p\u{430}y", Some("look-alike")),
            ("a\u{a0}b", None),
        ];
        for (text, badge) in rows {
            assert_eq!(Marks::of(text.as_bytes(), true).badge(), badge, "{text:?}");
        }
    }

    proptest! {
        /// The quick way past harmless lines never loses a mark that is drawn.
        #[test]
        fn the_counts_are_those_of_the_marks_that_are_drawn(
            parts in proptest::collection::vec(
                prop_oneof![
                    any::<char>(),
                    (0x300u32..0x3200).prop_map(|c| char::from_u32(c).unwrap_or('x')),
                    proptest::sample::select(vec![
                        'a', ' ', '\u{301}', '\u{200d}', '\u{fe0f}', '👩', '\u{1100}', '\u{94d}',
                        '\u{915}', '\u{1f3fb}', '\u{600}', '\u{1f1fa}', '\u{a0}', '\t',
                    ]),
                ],
                0..40,
            )
        ) {
            let text: String = parts.into_iter().filter(|c| !"\r\n".contains(*c)).collect();
            let text = text.trim_start_matches('\u{feff}');
            let drawn = Foreign::from(text).shown(Place::Prose);
            prop_assert_eq!(Marks::of(text.as_bytes(), true).hidden, drawn.kinds());
        }
    }
}
