//! Frontmatter as YAML, with the place of every value.
//!
//! A value with a colon in plain text is no YAML, and people's spec trees are full of them: such
//! a line is read as text and told, so that one of them does not hide a verdict (G21).

use std::cell::Cell;
use std::collections::BTreeSet;
use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};

use super::{number, without_mark};
use crate::model::spec::front::{Entry, Front, Is, Value};
use crate::model::text::{Foreign, Place};

/// Most lines that are read as text although they are no YAML.
const MOST_MENDED: usize = 200;
/// Most bytes that are read again for the sake of such lines.
const MOST_READ_AGAIN: usize = 4 << 20;
/// Deepest nesting that is followed.
const DEEPEST: usize = 64;

/// Reads the frontmatter of a document, and returns the byte where its body begins.
#[must_use]
pub fn read(bytes: &[u8]) -> (Front, usize) {
    let (text, mark) = without_mark(bytes);
    let skipped = if mark { 3 } else { 0 };
    let mut lines = text.split_inclusive(|b| *b == b'\n');
    let first = lines.next().unwrap_or_default();
    if first.trim_ascii_end() != b"---" {
        return (Front::Absent, skipped);
    }
    let start = first.len();
    let mut end = start;
    let mut closed = None;
    for line in lines {
        if matches!(line.trim_ascii_end(), b"---" | b"...") {
            closed = Some(end + line.len());
            break;
        }
        end += line.len();
    }
    let Some(body) = closed else {
        let why = String::from("the frontmatter is never closed by ---");
        return (Front::Broken { line: 1, why }, text.len() + skipped);
    };
    let inner = text.get(start..end).unwrap_or_default();
    let front = match std::str::from_utf8(inner) {
        Ok(inner) => parse(inner, skipped + start, 1),
        Err(error) => {
            let before = inner.get(..error.valid_up_to()).unwrap_or_default();
            let line = before.iter().filter(|b| **b == b'\n').count() + 2;
            let why = String::from("bytes that are not UTF-8");
            Front::Broken {
                line: number(line),
                why,
            }
        }
    };
    (front, body + skipped)
}

/// Reads a text that is one map, without fences; its first line is the one after `before`.
#[must_use]
pub fn map(text: &str, before: u32) -> Front {
    parse(text, 0, before as usize)
}

fn parse(text: &str, offset: usize, before: usize) -> Front {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    let mut mended = Vec::new();
    loop {
        let trial = lines.concat();
        let (line, why) = match Reader::run(&trial, text, (offset, before), &mended) {
            Ok(read) => {
                return Front::Read {
                    entries: read.0,
                    mended: mended.iter().map(|at| number(at + 1 + before)).collect(),
                    doubled: read.1,
                };
            }
            Err(fault) => fault,
        };
        let at = line.saturating_sub(1);
        let near = [at, at.saturating_sub(1)];
        let fixed = near.into_iter().find(|at| {
            let enough = mended.len() >= MOST_MENDED || mended.len() * text.len() > MOST_READ_AGAIN;
            let known = mended.contains(at) || enough;
            !known && lines.get_mut(*at).is_some_and(mend)
        });
        match fixed {
            Some(at) => {
                mended.push(at);
                mended.sort_unstable();
            }
            None => {
                let line = number(line + before);
                return Front::Broken { line, why };
            }
        }
    }
}

/// Puts a plain value of one line into quotes; says whether there was one.
fn mend(line: &mut String) -> bool {
    let body = line.trim_end();
    let end = &line[body.len()..];
    let indent = body.len() - body.trim_start().len();
    let Some((key, value)) = body[indent..].split_once(": ") else {
        return false;
    };
    let word = |c: char| c.is_alphanumeric() || "-_. ".contains(c);
    let value = value.trim();
    let plain = !value.is_empty() && !value.starts_with(['"', '\'', '|', '>', '[', '{', '&', '!']);
    if key.is_empty() || !key.chars().all(word) || !plain {
        return false;
    }
    let quoted = value.replace('\'', "''");
    *line = format!("{}{key}: '{quoted}'{end}", &body[..indent]);
    true
}

struct Reader<'a> {
    events: Parser<'a, saphyr_parser::StrInput<'a>>,
    /// First byte of each line of the original.
    starts: Vec<usize>,
    original: &'a str,
    offset: usize,
    before: usize,
    mended: &'a [usize],
    doubled: Vec<(u32, Foreign)>,
    /// Line, column and byte that were found last: the next place on this line is looked for from
    /// there, so a line of a million values is walked once.
    last: Cell<(usize, usize, usize)>,
}

type Fault = (usize, String);
type Read = (Vec<Entry>, Vec<(u32, Foreign)>);

impl<'a> Reader<'a> {
    fn run(
        trial: &'a str,
        original: &'a str,
        (offset, before): (usize, usize),
        mended: &'a [usize],
    ) -> Result<Read, Fault> {
        let mut starts = vec![0];
        starts.extend(original.match_indices('\n').map(|(at, _)| at + 1));
        let mut reader = Self {
            events: Parser::new_from_str(trial),
            starts,
            original,
            offset,
            before,
            mended,
            doubled: Vec::new(),
            last: Cell::new((0, 0, 0)),
        };
        let mut entries = Vec::new();
        let mut documents = 0;
        while let Some((event, span)) = reader.next()? {
            match event {
                Event::DocumentStart(_) => documents += 1,
                Event::MappingStart(..) if documents == 1 => entries = reader.map(0)?,
                Event::StreamStart | Event::StreamEnd | Event::DocumentEnd | Event::Nothing => {}
                Event::Scalar(text, ..) if text.is_empty() || &*text == "~" => {}
                _ => {
                    let why = String::from("the frontmatter is no map");
                    return Err((span.start.line(), why));
                }
            }
        }
        Ok((entries, reader.doubled))
    }

    fn next(&mut self) -> Result<Option<(Event<'a>, Span)>, Fault> {
        match self.events.next_event() {
            None => Ok(None),
            Some(Ok(found)) => Ok(Some(found)),
            Some(Err(error)) => {
                let why = Foreign::from(error.info()).shown(Place::Strict).plain();
                Err((error.marker().line(), why))
            }
        }
    }

    fn map(&mut self, depth: usize) -> Result<Vec<Entry>, Fault> {
        let mut entries: Vec<Entry> = Vec::new();
        let mut keys = BTreeSet::new();
        loop {
            let Some((event, span)) = self.next()? else {
                return Ok(entries);
            };
            let key = match event {
                Event::MappingEnd => return Ok(entries),
                Event::Scalar(text, ..) => Foreign::from(&*text),
                other => {
                    self.value(other, span, depth + 1)?;
                    Foreign::default()
                }
            };
            let line = number(span.start.line() + self.before);
            let Some((event, span)) = self.next()? else {
                return Ok(entries);
            };
            let value = self.value(event, span, depth + 1)?;
            if !keys.insert(key.raw().to_vec()) {
                self.doubled.push((line, key.clone()));
            }
            entries.push(Entry { key, line, value });
        }
    }

    fn value(&mut self, event: Event<'a>, span: Span, depth: usize) -> Result<Value, Fault> {
        if depth > DEEPEST {
            return Err((span.start.line(), String::from("nested too deeply")));
        }
        let line = number(span.start.line() + self.before);
        let mut bytes = 0..0;
        let is = match event {
            Event::Scalar(text, style, ..) => {
                bytes = self.bytes(&span);
                let plain = style == ScalarStyle::Plain;
                if plain && matches!(&*text, "" | "~" | "null" | "Null" | "NULL") {
                    Is::Null
                } else {
                    let one_line = span.start.line() == span.end.line();
                    Is::Text(Foreign::from(&*text), plain && one_line)
                }
            }
            Event::SequenceStart(..) => {
                let mut values = Vec::new();
                while let Some((event, span)) = self.next()? {
                    if event == Event::SequenceEnd {
                        break;
                    }
                    values.push(self.value(event, span, depth + 1)?);
                }
                Is::List(values)
            }
            Event::MappingStart(..) => Is::Map(self.map(depth)?),
            _ => Is::Other,
        };
        Ok(Value { line, bytes, is })
    }

    /// Where a scalar stands in the file; nowhere when its line was mended.
    fn bytes(&self, span: &Span) -> Range<usize> {
        let place = |line: usize, column: usize| -> Option<usize> {
            let start = *self.starts.get(line.checked_sub(1)?)?;
            let (known, walked, from) = match self.last.get() {
                (at, walked, from) if at == line && walked <= column => (at, walked, from),
                _ => (line, 0, start),
            };
            let rest = self.original.get(from..)?;
            let within = rest.char_indices().nth(column - walked).map(|(at, _)| at);
            let byte = from + within.unwrap_or(rest.len());
            if within.is_some() {
                self.last.set((known, column, byte));
            }
            Some(self.offset + byte)
        };
        let (start, end) = (span.start, span.end);
        let touched = start.line().saturating_sub(1)..=end.line().saturating_sub(1);
        if self.mended.iter().any(|at| touched.contains(at)) {
            return 0..0;
        }
        match (
            place(start.line(), start.col()),
            place(end.line(), end.col()),
        ) {
            (Some(from), Some(to)) if from <= to => {
                // the parser counts blanks behind a quoted value of an inline map as part of it
                let text = self.original.get(from - self.offset..to - self.offset);
                from..from + text.map_or(0, |text| text.trim_end().len())
            }
            _ => 0..0,
        }
    }
}
