//! A page of labelled rows: what cards, trust pages and verdicts are made of.
//!
//! Foreign text is never cut here: it wraps, with byte offsets where the bytes matter, and each
//! row carries the labels of the deciding chunks it shows. Chunks are counted in bytes of the
//! text, so the set of labels is the same at every width.

use unicode_segmentation::UnicodeSegmentation as _;

use crate::app::row::{Role, Row, Span, cut, width, width_of, wrap_prose};
use crate::model::text::{Foreign, Place};

use super::words::{self, shown};

/// Longest text that is laid out whole. A contract with a longer criterion has an error, so
/// nothing is decided on what is left out here.
const LONGEST: usize = 64 << 10;
/// How much of a longer one is laid out.
const BEGINNING: usize = 4 << 10;

/// Bytes of one deciding chunk.
const CHUNK: usize = 64;

/// Rows being collected for a given width.
#[derive(Debug)]
pub struct Sheet {
    /// What was collected.
    pub rows: Vec<Row>,
    /// Columns.
    pub width: usize,
    /// Only ASCII.
    pub ascii: bool,
    /// No blank rows between blocks.
    pub dense: bool,
    /// Column at which values start.
    pub indent: usize,
}

/// How a foreign value is laid out.
#[derive(Clone, Copy, Debug)]
pub struct Value<'a> {
    /// The text.
    pub text: &'a Foreign,
    /// What passes unmarked.
    pub place: Place,
    /// Its role.
    pub role: Role,
    /// Label of its deciding chunks, if it decides.
    pub decides: Option<&'a str>,
    /// Whether rows say at which byte they begin.
    pub offsets: bool,
}

impl<'a> Value<'a> {
    /// A one-line value that must be exact: commands, markers, paths.
    #[must_use]
    pub fn strict(text: &'a Foreign) -> Self {
        Self {
            text,
            place: Place::Strict,
            role: Role::Text,
            decides: None,
            offsets: false,
        }
    }

    /// The same in a role.
    #[must_use]
    pub fn role(self, role: Role) -> Self {
        Self { role, ..self }
    }

    /// The same, deciding under this label.
    #[must_use]
    pub fn decides(self, label: &'a str) -> Self {
        Self {
            decides: Some(label),
            ..self
        }
    }

    /// The same, with byte offsets.
    #[must_use]
    pub fn with_offsets(self) -> Self {
        Self {
            offsets: true,
            ..self
        }
    }
}

impl Sheet {
    /// An empty page.
    #[must_use]
    pub fn new(width: u16, ascii: bool, dense: bool) -> Self {
        Self {
            rows: Vec::new(),
            width: usize::from(width),
            ascii,
            dense,
            indent: if width >= 70 { 14 } else { 11 },
        }
    }

    /// A blank row between blocks, where there is room for one.
    pub fn gap(&mut self) {
        if !self.dense && self.rows.last().is_some_and(|row| !row.left.is_empty()) {
            self.rows.push(Row::default());
        }
    }

    /// A row as it is.
    pub fn push(&mut self, row: Row) {
        self.rows.push(row);
    }

    /// Our own words after a label, wrapped.
    pub fn say(&mut self, label: &str, text: &str, role: Role) {
        self.say_marked(label, None, text, role, None);
    }

    /// Our own words after a label and a mark, wrapped; they decide under `decides`.
    pub fn say_marked(
        &mut self,
        label: &str,
        mark: Option<(&str, Role)>,
        text: &str,
        role: Role,
        decides: Option<&str>,
    ) {
        self.spans(label, mark, &[Span::ours(text, role)], decides);
    }

    /// Spans after a label and a mark, wrapped.
    pub fn spans(
        &mut self,
        label: &str,
        mark: Option<(&str, Role)>,
        spans: &[Span],
        decides: Option<&str>,
    ) {
        let room = self.room();
        for (at, line) in wrap_prose(spans, room).into_iter().enumerate() {
            let mut row = if at == 0 {
                self.head(label, mark)
            } else {
                Row::default().to(self.indent, false)
            };
            row = row.spans(line);
            if let Some(label) = decides {
                row = row.decides(label);
            }
            self.rows.push(row);
        }
    }

    /// Spans after a lead that stands before each row, the first one's before the others': wrapped,
    /// or as much as one row takes. Both leads are as wide.
    pub fn hanging(&mut self, [first, rest]: [Span; 2], spans: &[Span], whole: bool) {
        let room = self.room().saturating_sub(width(&first.text)).max(8);
        let rows = if whole {
            wrap_prose(spans, room)
        } else {
            vec![cut(spans, room)]
        };
        for (at, line) in rows.into_iter().enumerate() {
            let lead = if at == 0 { first.clone() } else { rest.clone() };
            let row = Row::default().to(self.indent, false).spans([lead]);
            self.rows.push(row.spans(line));
        }
    }

    /// A foreign value after a label and a mark, wrapped; of one that is longer than anything
    /// that may be decided on only the beginning, with the count of the rest.
    pub fn value(&mut self, label: &str, mark: Option<(&str, Role)>, value: Value<'_>) {
        let whole = value.text.raw();
        if whole.len() > LONGEST {
            let text = Foreign::new(whole.get(..BEGINNING).unwrap_or_default());
            let text = &text;
            self.whole(label, mark, Value { text, ..value });
            let left = words::bytes((whole.len() - BEGINNING) as u64);
            let says = format!("… {left} more: too long to be judged, and not shown");
            self.say("", &says, Role::Bad);
        } else {
            self.whole(label, mark, value);
        }
    }

    fn whole(&mut self, label: &str, mark: Option<(&str, Role)>, value: Value<'_>) {
        let rows = wrapped(self.ascii, value.text, value.place, value.role, self.room());
        for (at, piece) in rows.into_iter().enumerate() {
            let row = if value.offsets {
                let name = if at == 0 { label } else { "" };
                let digits = piece.from.to_string();
                let column = self.indent.saturating_sub(2 + digits.len());
                Row::ours(format!(" {name}"), Role::Muted)
                    .to(column, false)
                    .and(digits, Role::Muted)
                    .to(self.indent, true)
            } else if at == 0 {
                self.head(label, mark)
            } else {
                Row::default().to(self.indent, false)
            };
            let mut row = row.spans(match (value.place, at) {
                (Place::Prose, 1..) => without_blank(piece.spans),
                (Place::Prose | Place::Strict, _) => piece.spans,
            });
            if let Some(label) = value.decides {
                row.decides = chunk_labels(label, piece.from, piece.to);
            }
            self.rows.push(row);
        }
    }

    fn room(&self) -> usize {
        self.width.saturating_sub(self.indent + 1).max(8)
    }

    fn head(&self, label: &str, mark: Option<(&str, Role)>) -> Row {
        let row = Row::ours(format!(" {label}"), Role::Muted);
        match mark {
            Some((glyph, role)) => row
                .to(self.indent.saturating_sub(3), true)
                .and(glyph, role)
                .to(self.indent, true),
            None => row.to(self.indent, !label.is_empty()),
        }
    }
}

/// Prose does not draw the blank at which a row was broken.
fn without_blank(mut spans: Vec<Span>) -> Vec<Span> {
    if let Some(first) = spans.first_mut()
        && let Some(rest) = first.text.strip_prefix(' ')
    {
        first.text = rest.to_owned();
    }
    spans
}

/// The labels of the chunks that bytes `from..to` touch; the first chunk is the bare label.
#[must_use]
pub fn chunk_labels(label: &str, from: usize, to: usize) -> Vec<String> {
    let last = to.max(from + 1) - 1;
    (from / CHUNK..=last / CHUNK)
        .map(|chunk| match chunk {
            0 => label.to_owned(),
            _ => format!("{label}+{}", chunk * CHUNK),
        })
        .collect()
}

/// One row of a wrapped foreign text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    /// First byte.
    pub from: usize,
    /// Byte after the last.
    pub to: usize,
    /// What it shows.
    pub spans: Vec<Span>,
}

/// A foreign text broken into rows of at most `columns`, with byte offsets into the raw text.
#[must_use]
pub fn wrapped(
    ascii: bool,
    text: &Foreign,
    place: Place,
    role: Role,
    columns: usize,
) -> Vec<Piece> {
    let columns = columns.max(1);
    let mut units = units(ascii, text, place, role);
    let mut rows = Vec::new();
    let (mut start, mut used, mut blank) = (0, 0, None);
    let mut at = 0;
    while at < units.len() {
        let wide = units[at].wide;
        if used + wide > columns && at > start {
            let end = match blank {
                Some(blank) if blank > start && (blank - start) * 2 > at - start => blank,
                Some(_) | None => at,
            };
            rows.push(piece(&mut units[start..end]));
            start = end;
            used = units[start..at].iter().map(|unit| unit.wide).sum();
            blank = None;
            continue;
        }
        if units[at].blank {
            blank = Some(at);
        }
        used += wide;
        at += 1;
    }
    rows.push(piece(&mut units[start..]));
    rows
}

struct Unit {
    from: usize,
    to: usize,
    spans: Vec<Span>,
    wide: usize,
    blank: bool,
}

fn piece(units: &mut [Unit]) -> Piece {
    let mut spans: Vec<Span> = Vec::new();
    let from = units.first().map_or(0, |unit| unit.from);
    let to = units.last().map_or(0, |unit| unit.to);
    for span in units.iter_mut().flat_map(|unit| unit.spans.drain(..)) {
        match spans.last_mut() {
            Some(last) if last.role == span.role => last.text.push_str(&span.text),
            Some(_) | None => spans.push(span),
        }
    }
    Piece { from, to, spans }
}

/// The clusters of a text, each made visible by itself so that it keeps its place in the bytes.
fn units(ascii: bool, text: &Foreign, place: Place, role: Role) -> Vec<Unit> {
    let mut out = Vec::new();
    let mut at = 0;
    let mut add = |from: usize, bytes: &[u8]| {
        let plain = matches!(bytes, [byte] if (b' '..=b'~').contains(byte));
        let spans = if plain {
            vec![Span::ours(String::from_utf8_lossy(bytes), role)]
        } else if bytes == b"\t" && place == Place::Prose {
            vec![Span::ours("        ", role)]
        } else {
            shown(ascii, &Foreign::new(bytes), place, role)
        };
        out.push(Unit {
            from,
            to: from + bytes.len(),
            wide: width_of(&spans),
            blank: bytes == b" ",
            spans,
        });
    };
    for chunk in text.raw().utf8_chunks() {
        for (offset, cluster) in chunk.valid().grapheme_indices(true) {
            add(at + offset, cluster.as_bytes());
        }
        at += chunk.valid().len();
        for byte in chunk.invalid() {
            add(at, &[*byte]);
            at += 1;
        }
    }
    out
}

/// Columns of our own words.
#[must_use]
pub fn columns(text: &str) -> usize {
    width(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_wraps_at_byte_offsets_and_loses_nothing() {
        let text = "for h in Amrum Hooge Wyk; do sh tests/redraw.sh --harbor \"$h\"; done";
        for columns in 1..90 {
            let rows = wrapped(false, &text.into(), Place::Strict, Role::Text, columns);
            let mut at = 0;
            let mut all = String::new();
            for row in &rows {
                assert_eq!(row.from, at, "at {columns}");
                assert!(width_of(&row.spans) <= columns, "at {columns}");
                all.extend(row.spans.iter().map(|span| span.text.as_str()));
                at = row.to;
            }
            assert_eq!(all, text, "at {columns}");
        }
    }

    #[test]
    fn the_labels_of_a_text_are_the_same_at_every_width() {
        let text = Foreign::from("x y".repeat(70));
        let labels = |columns| {
            let mut all: Vec<String> = wrapped(false, &text, Place::Strict, Role::Text, columns)
                .iter()
                .flat_map(|row| chunk_labels("CHECK", row.from, row.to))
                .collect();
            all.dedup();
            all
        };
        let wanted = ["CHECK", "CHECK+64", "CHECK+128", "CHECK+192"];
        for columns in 1..230 {
            assert_eq!(labels(columns), wanted, "at {columns}");
        }
    }

    #[test]
    fn a_text_that_is_too_long_is_counted_and_not_laid_out() {
        let text = Foreign::from("x".repeat(1 << 20));
        let mut sheet = Sheet::new(80, false, true);
        sheet.value("CHECK", None, Value::strict(&text).with_offsets());
        assert!(sheet.rows.len() < 100, "{}", sheet.rows.len());
        let last = sheet.rows.last().map(|row| format!("{row:?}"));
        assert!(last.is_some_and(|row| row.contains("not shown")));
    }

    #[test]
    fn hidden_characters_keep_their_byte_place() {
        let text = Foreign::from("ab\u{202e}cd");
        let rows = wrapped(false, &text, Place::Strict, Role::Text, 8);
        let places: Vec<_> = rows.iter().map(|row| (row.from, row.to)).collect();
        assert_eq!(places, [(0, 2), (2, 5), (5, 7)]);
        assert_eq!(rows[1].spans[0].role, Role::Foreign);
    }
}
