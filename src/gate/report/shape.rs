//! A report taken apart: where it begins and ends, its sections, their paragraphs and lists,
//! its sentences.

use super::{Span, Variant};
use crate::gate::menu::chase::{Set, set_of};
use crate::gate::menu::words::{Fenced, fences, lines};
use crate::model::menu::Message;

/// Headings of a report.
pub(super) const CONTEXT: &str = "Context";
pub(super) const WHAT: &str = "What is broken";
pub(super) const WHY: &str = "Why it is broken";
pub(super) const FIX: &str = "How to fix it";
pub(super) const NEXT: &str = "What happens next";

/// The words of a text: what stands between blanks and holds a letter or a digit.
#[must_use]
pub fn words(text: &str) -> usize {
    let counts = |word: &&str| word.chars().any(char::is_alphanumeric);
    text.split_whitespace().filter(counts).count()
}

/// One line of the report's body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    pub(super) number: u32,
    pub(super) text: &'a str,
    pub(super) fenced: Fenced,
}

impl Line<'_> {
    /// Bytes of it as characters.
    pub(super) fn span(&self, from: usize, to: usize) -> Span {
        let column = |at: usize| {
            let before = self.text.get(..at).unwrap_or(self.text);
            u32::try_from(before.chars().count() + 1).unwrap_or(u32::MAX)
        };
        Span {
            line: self.number,
            from: column(from),
            to: column(to),
        }
    }

    pub(super) fn whole(&self) -> Span {
        let start = self.text.len() - self.text.trim_start().len();
        self.span(start, self.text.trim_end().len())
    }

    pub(super) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }
}

/// A heading and what stands below it.
#[derive(Clone, Debug)]
pub struct Section<'a> {
    pub(super) heading: Line<'a>,
    pub(super) level: usize,
    /// Its words.
    pub name: &'a str,
    pub(super) lines: Vec<Line<'a>>,
}

/// What a piece of a section is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Paragraph,
    Bullets,
    Numbers,
    Fence,
}

/// A paragraph or a list.
#[derive(Clone, Debug)]
pub(super) struct Block<'a> {
    pub(super) kind: Kind,
    pub(super) items: Vec<Vec<Line<'a>>>,
}

/// A sentence, with the line it begins on.
#[derive(Clone, Debug)]
pub(super) struct Sentence {
    pub(super) text: String,
    pub(super) span: Span,
}

/// A report taken apart.
#[derive(Clone, Debug)]
pub struct Shape<'a> {
    pub(super) all: Vec<Line<'a>>,
    /// Index of the first line of the body.
    pub(super) start: usize,
    /// Index after its last line.
    pub(super) end: usize,
    pub(super) sections: Vec<Section<'a>>,
    /// Lines of the body before any heading.
    pub(super) loose: Vec<Line<'a>>,
    /// The paragraph that asks for `send it`: indices of its lines.
    pub(super) request: Option<std::ops::Range<usize>>,
    negative_rows: bool,
    real_rows: bool,
}

impl<'a> Shape<'a> {
    pub(super) fn of(text: &'a str, message: &Message, variant: Variant) -> Self {
        let texts = lines(text);
        let fenced = fences(&texts);
        let all: Vec<Line<'a>> = texts
            .iter()
            .zip(fenced)
            .zip(1..)
            .map(|((text, fenced), number)| Line {
                number,
                text,
                fenced,
            })
            .collect();
        let request = request(&all).filter(|_| variant != Variant::Gate);
        let first = all.iter().position(|line| heading(line).is_some());
        let marked = usize::from(texts.first().is_some_and(|l| l.starts_with("gauntlet:")));
        let end = match variant {
            Variant::Gate => envelope_start(&all, message),
            Variant::DraftGated => request.as_ref().map_or(all.len(), |lines| lines.start),
            Variant::Draft | Variant::Summary => all.len(),
        };
        let start = first.filter(|at| *at < end).unwrap_or(marked).min(end);
        let body = all.get(start..end).unwrap_or_default();
        let (loose, sections) = sections(body);
        let has = |set: Set| {
            message
                .rows
                .iter()
                .any(|row| set_of(&String::from_utf8_lossy(row.label.raw())) == Some(set))
        };
        Self {
            start,
            end,
            sections,
            loose,
            request,
            negative_rows: has(Set::Negative),
            real_rows: has(Set::Real),
            all,
        }
    }

    /// The set of the verdict, from the third heading or, without one, from the rows.
    pub(super) fn set(&self) -> Option<Set> {
        let named = |name: &str| {
            self.sections
                .iter()
                .any(|s| s.name.eq_ignore_ascii_case(name))
        };
        match (named(FIX), named(NEXT)) {
            (true, false) => Some(Set::Real),
            (false, true) => Some(Set::Negative),
            _ => match (self.real_rows, self.negative_rows) {
                (true, false) => Some(Set::Real),
                (false, true) => Some(Set::Negative),
                _ => None,
            },
        }
    }

    /// The lines of the body.
    pub(super) fn body(&self) -> &[Line<'a>] {
        self.all.get(self.start..self.end).unwrap_or_default()
    }

    pub(super) fn body_text(&self) -> String {
        let lines: Vec<&str> = self.body().iter().map(|line| line.text).collect();
        lines.join("\n")
    }

    /// The section of that name.
    pub(super) fn section(&self, name: &str) -> Option<&Section<'a>> {
        self.sections
            .iter()
            .find(|s| s.name.eq_ignore_ascii_case(name))
    }

    /// The third section, whichever it is.
    pub(super) fn third(&self) -> Option<&Section<'a>> {
        self.section(FIX).or_else(|| self.section(NEXT))
    }

    /// Where a thing is missing: the end of the body.
    pub(super) fn end_span(&self) -> Span {
        let said = self.body().iter().rev().find(|line| !line.is_blank());
        let line = said.or(self.all.last());
        line.map_or(
            Span {
                line: 1,
                from: 1,
                to: 1,
            },
            Line::whole,
        )
    }
}

/// Level and words of a heading outside fences.
fn heading<'a>(line: &Line<'a>) -> Option<(usize, &'a str)> {
    if line.fenced != Fenced::Outside {
        return None;
    }
    let text = line.text.trim_end();
    let level = text.bytes().take_while(|b| *b == b'#').count();
    let name = text.get(level..)?.strip_prefix(' ')?;
    ((1..=6).contains(&level)).then(|| (level, name.trim()))
}

/// Where the menu begins: its separator, else the fence or the row it opens with.
fn envelope_start(all: &[Line<'_>], message: &Message) -> usize {
    let at = |line: u32| line as usize - 1;
    if let Some(separator) = message.separator {
        return at(separator);
    }
    let Some(row) = message.rows.first() else {
        return all.len();
    };
    let first = at(row.line);
    let opened = first.checked_sub(1).and_then(|before| all.get(before));
    if opened.is_some_and(|line| line.fenced == Fenced::Edge) {
        first - 1
    } else {
        first
    }
}

/// The last paragraph, when it asks for `send it` and stands apart from the section above it.
fn request(all: &[Line<'_>]) -> Option<std::ops::Range<usize>> {
    let last = all.iter().rposition(|line| !line.is_blank())?;
    let before = all.get(..=last)?.iter().rposition(Line::is_blank);
    let first = before.map_or(0, |at| at + 1);
    let lines = all.get(first..=last)?;
    let asks = lines.iter().any(|line| line.text.contains("send it"));
    let above = all.get(..first)?.iter().rev().find(|line| !line.is_blank());
    let own = above.is_some_and(|line| heading(line).is_none());
    (asks && own && heading(lines.first()?).is_none()).then_some(first..last + 1)
}

fn sections<'a>(body: &[Line<'a>]) -> (Vec<Line<'a>>, Vec<Section<'a>>) {
    let mut loose = Vec::new();
    let mut sections: Vec<Section<'a>> = Vec::new();
    for line in body {
        if let Some((level, name)) = heading(line) {
            sections.push(Section {
                heading: *line,
                level,
                name,
                lines: Vec::new(),
            });
        } else if let Some(section) = sections.last_mut() {
            section.lines.push(*line);
        } else {
            loose.push(*line);
        }
    }
    (loose, sections)
}

/// The text of a list item's first line, when the line begins one.
pub(super) fn item(text: &str) -> Option<(Kind, &str)> {
    let text = text.trim_start();
    for mark in ["- ", "* ", "+ "] {
        if let Some(rest) = text.strip_prefix(mark) {
            return Some((Kind::Bullets, rest));
        }
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = text.get(digits..)?;
    let rest = rest
        .strip_prefix(". ")
        .or_else(|| rest.strip_prefix(") "))?;
    (1..=9).contains(&digits).then_some((Kind::Numbers, rest))
}

impl<'a> Section<'a> {
    /// Its paragraphs and lists; a list with blank lines between its items is one.
    pub(super) fn blocks(&self) -> Vec<Block<'a>> {
        let mut blocks: Vec<Block<'a>> = Vec::new();
        let mut apart = true;
        for line in &self.lines {
            if line.fenced != Fenced::Outside {
                match blocks
                    .last_mut()
                    .filter(|block| block.kind == Kind::Fence && !apart)
                {
                    Some(block) => block.items.push(vec![*line]),
                    None => blocks.push(Block {
                        kind: Kind::Fence,
                        items: vec![vec![*line]],
                    }),
                }
                apart = false;
                continue;
            }
            if line.is_blank() {
                apart = true;
                continue;
            }
            let last = blocks.last_mut();
            match (item(line.text), last) {
                (Some((kind, _)), Some(block)) if block.kind == kind => {
                    block.items.push(vec![*line]);
                }
                (Some((kind, _)), _) => blocks.push(Block {
                    kind,
                    items: vec![vec![*line]],
                }),
                (None, Some(block))
                    if block.kind != Kind::Fence && (!apart || continues(block, line)) =>
                {
                    if let Some(item) = block.items.last_mut() {
                        item.push(*line);
                    }
                }
                (None, _) => blocks.push(Block {
                    kind: Kind::Paragraph,
                    items: vec![vec![*line]],
                }),
            }
            apart = false;
        }
        blocks
    }

    /// Its sentences, list marks left out.
    pub(super) fn sentences(&self) -> Vec<Sentence> {
        self.blocks()
            .iter()
            .filter(|block| block.kind != Kind::Fence)
            .flat_map(|block| block.items.iter())
            .flat_map(|lines| sentences(lines))
            .collect()
    }

    /// Whether nothing stands below the heading.
    pub(super) fn is_empty(&self) -> bool {
        self.lines.iter().all(Line::is_blank)
    }
}

/// A line behind a blank one goes on with a list item when it is indented.
fn continues(block: &Block<'_>, line: &Line<'_>) -> bool {
    block.kind != Kind::Paragraph && line.text.starts_with("  ")
}

/// Sentences end at `.`, `!` or `?` before a blank or the end, outside code spans and links.
fn sentences(lines: &[Line<'_>]) -> Vec<Sentence> {
    let mut found: Vec<Sentence> = Vec::new();
    let mut open: Option<Sentence> = None;
    for (index, line) in lines.iter().enumerate() {
        let text = match item(line.text) {
            Some((_, rest)) if index == 0 => rest,
            _ => line.text.trim_start(),
        };
        let offset = line.text.len() - text.len();
        let mut from = 0;
        let mut code = false;
        for (at, character) in text.char_indices() {
            let end = at + character.len_utf8();
            match character {
                '`' => code = !code,
                '.' | '!' | '?' if !code => {
                    let rest = text.get(end..).unwrap_or_default();
                    let stops = rest.is_empty() || rest.starts_with(char::is_whitespace);
                    if stops {
                        let part = text.get(from..end).unwrap_or_default();
                        close(
                            &mut open,
                            part,
                            line.span(offset + from, offset + end),
                            &mut found,
                        );
                        from = end + (rest.len() - rest.trim_start().len());
                    }
                }
                _ => {}
            }
        }
        let rest = text.get(from..).unwrap_or_default();
        if !rest.trim().is_empty() {
            let span = line.span(offset + from, line.text.trim_end().len());
            extend(&mut open, rest, span);
        }
    }
    found.extend(open);
    found
}

fn extend(open: &mut Option<Sentence>, part: &str, span: Span) {
    match open {
        Some(sentence) => {
            sentence.text.push(' ');
            sentence.text.push_str(part.trim());
        }
        None => {
            *open = Some(Sentence {
                text: part.trim().to_owned(),
                span,
            });
        }
    }
}

fn close(open: &mut Option<Sentence>, part: &str, span: Span, found: &mut Vec<Sentence>) {
    extend(open, part, span);
    found.extend(open.take());
}
