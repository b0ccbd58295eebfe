//! One row of a diff: gutter, numbers, sign, and the line with its marks.
//!
//! Only rows on screen come here, and of each line only what fits its row, so a line of five
//! megabytes costs what a short one does.

use std::ops::Range;

use crate::app::msg::{Side, TextLine};
use crate::app::row::{Ground, Role, Row, Span, cut, width_of};
use crate::app::state::FileView;
use crate::model::id::RepoPath;
use crate::model::text::{Foreign, Place, TAB, clusters};

use super::diff::header_spans;
use super::diff_plan::DiffRow;
use super::diff_shape::label_path;
use super::words::{self, shown};

/// Longest line in which changed words are looked for.
const WORDS_LIMIT: usize = 2048;
/// Most rows that one wrapped line takes; the rest is counted.
const WRAP_LIMIT: usize = 64;

/// The mark of a changed row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gutter(pub String, pub Role);

/// How lines of one file are drawn.
#[derive(Clone, Debug)]
pub struct Pen<'a> {
    /// The file.
    pub path: &'a RepoPath,
    /// What came of it.
    pub view: Option<&'a FileView>,
    /// Columns.
    pub width: usize,
    /// Columns of a line number.
    pub digits: usize,
    /// The mark of changed rows.
    pub gutter: Gutter,
    /// Only ASCII.
    pub ascii: bool,
    /// Wrap long lines.
    pub wrap: bool,
    /// Who claims the file, for hunk headers.
    pub claims: String,
}

impl<'a> Pen<'a> {
    fn line(&self, side: Side, number: u32) -> Option<&'a TextLine> {
        self.view?.lines.get(&(side, number))
    }

    /// The line that stands opposite in the same hunk, for the changed words.
    fn opposite(&self, hunk: usize, side: Side, number: u32) -> Option<&'a TextLine> {
        let hunks = self.view?.hunks.known()?;
        let hunk = hunks.hunks.get(hunk)?;
        let (from, to, other) = match side {
            Side::Base => (&hunk.before, &hunk.after, Side::Head),
            Side::Head => (&hunk.after, &hunk.before, Side::Base),
        };
        let line = to.start.checked_add(number.checked_sub(from.start)?)?;
        to.contains(&line).then(|| self.line(other, line))?
    }
}

/// A row of a diff in one column; several when it wraps.
#[must_use]
pub fn unified(pen: &Pen<'_>, row: &DiffRow) -> Vec<Row> {
    match row {
        DiffRow::Fold(_, _, count) => vec![fold(pen, *count)],
        DiffRow::Header(hunk) => vec![header(pen, *hunk)],
        DiffRow::Same(base, head) => {
            let line = pen
                .line(Side::Head, *head)
                .or_else(|| pen.line(Side::Base, *base));
            lines(
                pen,
                Numbers(Some(*base), Some(*head)),
                line,
                Kind::Same,
                &[],
            )
        }
        DiffRow::Changed(hunk, Some(old), _) => {
            let line = pen.line(Side::Base, *old);
            let words = changed_words(line, pen.opposite(*hunk, Side::Base, *old), Side::Base);
            lines(pen, Numbers(Some(*old), None), line, Kind::Removed, &words)
        }
        DiffRow::Changed(hunk, None, Some(new)) => {
            let line = pen.line(Side::Head, *new);
            let words = changed_words(line, pen.opposite(*hunk, Side::Head, *new), Side::Head);
            lines(pen, Numbers(None, Some(*new)), line, Kind::Added, &words)
        }
        DiffRow::Changed(_, None, None) => vec![Row::default()],
    }
}

/// One half of a row of a diff side by side.
#[must_use]
pub fn half(pen: &Pen<'_>, row: &DiffRow, side: Side) -> Row {
    let (number, kind, hunk) = match (row, side) {
        (DiffRow::Fold(_, _, count), Side::Base) => return fold(pen, *count),
        (DiffRow::Header(hunk), Side::Base) => return header(pen, *hunk),
        (DiffRow::Fold(..) | DiffRow::Header(_), Side::Head) => return Row::default(),
        (DiffRow::Same(base, _), Side::Base) => (*base, Kind::Same, None),
        (DiffRow::Same(_, head), Side::Head) => (*head, Kind::Same, None),
        (DiffRow::Changed(hunk, Some(old), _), Side::Base) => (*old, Kind::Removed, Some(*hunk)),
        (DiffRow::Changed(hunk, _, Some(new)), Side::Head) => (*new, Kind::Added, Some(*hunk)),
        (DiffRow::Changed(..), Side::Base | Side::Head) => return Row::default(),
    };
    let line = pen.line(side, number);
    let opposite = hunk.and_then(|hunk| pen.opposite(hunk, side, number));
    let words = hunk.map_or_else(Vec::new, |_| changed_words(line, opposite, side));
    let mut narrow = pen.clone();
    narrow.wrap = false;
    let numbers = match side {
        Side::Base => Numbers(Some(number), None),
        Side::Head => Numbers(None, Some(number)),
    };
    let head = start(&narrow, &numbers, kind, true);
    finish(&narrow, head, &numbers, line, kind, &words)
        .into_iter()
        .next()
        .unwrap_or_default()
}

fn fold(pen: &Pen<'_>, count: u32) -> Row {
    let text = format!(" · {}", words::count(count as usize, "unchanged line"));
    let row = Row::ours(text, Role::Muted);
    if pen.width >= 50 {
        row.at_right("z opens ", Role::Muted)
    } else {
        row
    }
}

fn header(pen: &Pen<'_>, hunk: usize) -> Row {
    let row = Row::ours(" ", Role::Text).spans(header_spans(pen.view, hunk));
    if pen.width >= 60 && !pen.claims.is_empty() {
        row.at_right(format!("{} ", pen.claims), Role::Muted)
    } else {
        row
    }
}

/// What a line is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Same,
    Added,
    Removed,
}

/// Line numbers at base and head, 0-based.
#[derive(Clone, Copy, Debug)]
struct Numbers(Option<u32>, Option<u32>);

fn lines(
    pen: &Pen<'_>,
    numbers: Numbers,
    line: Option<&TextLine>,
    kind: Kind,
    words: &[Range<usize>],
) -> Vec<Row> {
    let head = start(pen, &numbers, kind, pen.width < 60);
    finish(pen, head, &numbers, line, kind, words)
}

/// Gutter, numbers and sign.
fn start(pen: &Pen<'_>, Numbers(base, head): &Numbers, kind: Kind, one: bool) -> Row {
    let digits = pen.digits;
    let number = |line: &Option<u32>| match line {
        Some(line) => format!("{:>digits$}", line + 1),
        None => " ".repeat(digits),
    };
    let numbers = if one {
        number(&head.or(*base))
    } else {
        format!("{} {}", number(base), number(head))
    };
    let (sign, role, ground) = match kind {
        Kind::Same => (" ", Role::Text, Ground::Plain),
        Kind::Added => ("+", Role::Good, Ground::Added),
        Kind::Removed => ("-", Role::Bad, Ground::Removed),
    };
    let (mark, mark_role) = match kind {
        Kind::Same => (" ", Role::Text),
        Kind::Added | Kind::Removed => (pen.gutter.0.as_str(), pen.gutter.1),
    };
    let gap = if pen.width >= 90 && !one { "  " } else { " " };
    Row::ours(mark, mark_role)
        .and(numbers, Role::Muted)
        .and(gap, Role::Text)
        .and(sign, role)
        .and(" ", Role::Text)
        .on(ground)
}

/// The text of a line behind its head, wrapped or cut.
fn finish(
    pen: &Pen<'_>,
    head: Row,
    Numbers(base, new): &Numbers,
    line: Option<&TextLine>,
    kind: Kind,
    words: &[Range<usize>],
) -> Vec<Row> {
    let label = match (kind, base, new) {
        (Kind::Removed, Some(line), _) => format!("{}:-{}", label_path(pen.path), line + 1),
        (Kind::Added, _, Some(line)) => format!("{}:+{}", label_path(pen.path), line + 1),
        (Kind::Same | Kind::Added | Kind::Removed, _, _) => String::new(),
    };
    let decides = |mut row: Row, partial: bool| {
        row.partial = partial;
        if !label.is_empty() {
            row.decides.push(label.clone());
        }
        row
    };
    let Some(line) = line else {
        return vec![decides(head.and("…", Role::Muted), true)];
    };
    let at = width_of(&head.left);
    let room = pen.width.saturating_sub(at + 1).max(1);
    let most = if pen.wrap { room * WRAP_LIMIT } else { room };
    let (mut spans, whole) = line_spans(pen.ascii, line, kind, words, most + 1);
    if line.no_newline && whole {
        spans.push(Span::ours("<no newline>", Role::Foreign));
    }
    if !pen.wrap {
        let fits = whole && width_of(&spans) <= room;
        return vec![decides(head.spans(cut(&spans, room)), !fits)];
    }
    let ground = head.ground;
    let gutter = head.left.first().cloned();
    let mut rows = crate::app::row::wrap(&spans, room);
    if !whole {
        rows.push(vec![Span::ours("… this line goes on", Role::Muted)]);
    }
    rows.into_iter()
        .enumerate()
        .map(|(number, spans)| {
            let start = if number == 0 {
                head.clone()
            } else {
                Row::default()
                    .spans(gutter.clone())
                    .to(at, false)
                    .on(ground)
            };
            decides(start.spans(spans), !whole)
        })
        .collect()
}

/// The visible part of a line as spans: tokens, changed words, tabs, marks. The flag says
/// whether all of it is there.
fn line_spans(
    ascii: bool,
    line: &TextLine,
    kind: Kind,
    words: &[Range<usize>],
    columns: usize,
) -> (Vec<Span>, bool) {
    let raw = line.text.raw();
    let trailing = match kind {
        Kind::Same => raw.len(),
        Kind::Added | Kind::Removed => {
            let body = raw.strip_suffix(b"\r").unwrap_or(raw);
            body.len() - body.iter().rev().take_while(|b| **b == b' ').count()
        }
    };
    let mut ink = Ink {
        ascii,
        columns,
        at: 0,
        spans: Vec::new(),
    };
    let mut offset = 0;
    let mut tokens = line.tokens.iter().peekable();
    let mut role_at = |at: usize| {
        if words.iter().any(|range| range.contains(&at)) {
            return match kind {
                Kind::Removed => Role::WordRemoved,
                Kind::Added | Kind::Same => Role::WordAdded,
            };
        }
        while tokens
            .next_if(|(range, _)| range.end as usize <= at)
            .is_some()
        {}
        match tokens.peek() {
            Some((range, token)) if range.start as usize <= at => Role::Code(*token),
            Some(_) | None => Role::Text,
        }
    };
    for chunk in raw.utf8_chunks() {
        for (inside, cluster) in clusters(chunk.valid()) {
            let at = offset + inside;
            let blank = at >= trailing && cluster == " ";
            let fits = if blank {
                ink.put("·", Role::Foreign)
            } else {
                ink.cluster(cluster.as_bytes(), role_at(at))
            };
            if !fits {
                return (ink.spans, false);
            }
        }
        offset += chunk.valid().len();
        for byte in chunk.invalid() {
            if !ink.cluster(&[*byte], Role::Foreign) {
                return (ink.spans, false);
            }
            offset += 1;
        }
    }
    (ink.spans, true)
}

struct Ink {
    ascii: bool,
    columns: usize,
    at: usize,
    spans: Vec<Span>,
}

impl Ink {
    fn put(&mut self, text: &str, role: Role) -> bool {
        let wide = crate::app::row::width(text);
        if self.at + wide > self.columns {
            return false;
        }
        self.at += wide;
        match self.spans.last_mut() {
            Some(last) if last.role == role => last.text.push_str(text),
            Some(_) | None => self.spans.push(Span::ours(text, role)),
        }
        true
    }

    fn cluster(&mut self, bytes: &[u8], role: Role) -> bool {
        match bytes {
            b"\t" => {
                let blanks = " ".repeat(TAB - self.at % TAB);
                self.put(&blanks, role)
            }
            [byte] if (b' '..=b'~').contains(byte) => {
                let text = [*byte];
                self.put(&String::from_utf8_lossy(&text), role)
            }
            _ => shown(self.ascii, &Foreign::new(bytes), Place::Prose, role)
                .iter()
                .all(|span| self.put(&span.text, span.role)),
        }
    }
}

/// Byte ranges of a line's changed words against the line opposite; none when the two have too
/// little in common for it to help.
fn changed_words(
    line: Option<&TextLine>,
    opposite: Option<&TextLine>,
    side: Side,
) -> Vec<Range<usize>> {
    let text = |line: Option<&TextLine>| {
        line.filter(|line| line.text.raw().len() <= WORDS_LIMIT)
            .and_then(|line| line.text.raw_str().map(str::to_owned))
    };
    let (Some(mine), Some(other)) = (text(line), text(opposite)) else {
        return Vec::new();
    };
    let (old, new) = match side {
        Side::Base => (mine.as_str(), other.as_str()),
        Side::Head => (other.as_str(), mine.as_str()),
    };
    let diff = similar::TextDiff::from_unicode_words(old, new);
    let wanted = match side {
        Side::Base => similar::ChangeTag::Delete,
        Side::Head => similar::ChangeTag::Insert,
    };
    let mut out: Vec<Range<usize>> = Vec::new();
    let (mut at, mut changed) = (0, 0);
    for change in diff.iter_all_changes() {
        let length = change.value().len();
        if change.tag() == wanted {
            match out.last_mut() {
                Some(last) if last.end == at => last.end += length,
                Some(_) | None => out.push(at..at + length),
            }
            changed += length;
            at += length;
        } else if change.tag() == similar::ChangeTag::Equal {
            at += length;
        }
    }
    if changed * 3 > mine.len() * 2 {
        return Vec::new();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> TextLine {
        TextLine {
            text: text.into(),
            no_newline: false,
            tokens: Vec::new(),
        }
    }

    fn plain(text: &str, kind: Kind, columns: usize) -> String {
        let (spans, _) = line_spans(false, &line(text), kind, &[], columns);
        spans.iter().map(|span| span.text.as_str()).collect()
    }

    #[test]
    fn tabs_stop_at_eight_and_marks_count_as_columns() {
        assert_eq!(plain("ab\tc", Kind::Same, 80), "ab      c");
        assert_eq!(plain("漢\tc", Kind::Same, 80), "漢      c");
        assert_eq!(plain("a\u{202e}\tc", Kind::Same, 80), "a<U+202E>       c");
    }

    #[test]
    fn blanks_at_the_end_are_seen_in_changed_lines_only() {
        assert_eq!(plain("a  ", Kind::Same, 80), "a  ");
        assert_eq!(plain("a  ", Kind::Added, 80), "a··");
        assert_eq!(plain("a \r", Kind::Added, 80), "a·^M");
    }

    #[test]
    fn a_wide_cluster_never_passes_the_edge() {
        let (spans, whole) = line_spans(false, &line("ab漢"), Kind::Same, &[], 3);
        assert_eq!(width_of(&spans), 2);
        assert!(!whole);
    }

    #[test]
    fn changed_words_are_told_and_unlike_lines_are_not() {
        let (old, new) = (line("let a = 108;"), line("let a = 112;"));
        assert_eq!(
            changed_words(Some(&old), Some(&new), Side::Base),
            vec![8..11]
        );
        let unlike = line("fn main() {}");
        assert!(changed_words(Some(&old), Some(&unlike), Side::Base).is_empty());
    }
}
