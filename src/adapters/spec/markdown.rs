//! A Markdown document of a spec tree: headings, code spans, tables and open markers, each only
//! where Markdown sees one.

use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::{front, number};
use crate::model::id::RepoPath;
use crate::model::spec::{Cell, Document, Heading, OpenMarker, Row, Span, Table};
use crate::model::text::Foreign;

/// Reads a document.
///
/// # Errors
/// When it is no UTF-8, with the line.
pub fn read(path: &RepoPath, bytes: &[u8]) -> Result<Document, String> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let line = before.iter().filter(|b| **b == b'\n').count() + 1;
        format!("line {line}: bytes that are not UTF-8")
    })?;
    let (front, start) = front::read(bytes);
    let body = text.get(start..).unwrap_or_default();
    let lines = Lines::new(text);
    let mut found = Found::default();
    walk(body, start, &lines, &mut found);
    let visible = blanked(body, &found.code);
    Ok(Document {
        path: path.clone(),
        front,
        open: open_markers(&visible, body, start, &lines),
        tables: tables(text, start, &lines, &found.blocks),
        headings: found.headings,
        refers: found.refers,
        spans: found.spans,
        leads: found.leads,
    })
}

/// Finds the line of a byte.
struct Lines(Vec<usize>);

impl Lines {
    fn new(text: &str) -> Self {
        Self(
            std::iter::once(0)
                .chain(text.match_indices('\n').map(|(at, _)| at + 1))
                .collect(),
        )
    }

    fn of(&self, byte: usize) -> u32 {
        number(self.0.partition_point(|start| *start <= byte))
    }
}

#[derive(Default)]
struct Found {
    headings: Vec<Heading>,
    spans: Vec<Span>,
    leads: Vec<(u32, Foreign)>,
    refers: Vec<Foreign>,
    /// Bytes of the body inside code blocks.
    blocks: Vec<Range<usize>>,
    /// Bytes of the body inside any code.
    code: Vec<Range<usize>>,
}

fn walk(body: &str, start: usize, lines: &Lines, found: &mut Found) {
    let mut lead: Option<u32> = None;
    for (event, range) in Parser::new_ext(body, Options::empty()).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                let line = lines.of(start + range.start);
                found.headings.push(Heading {
                    line,
                    level: rank(level),
                    text: heading_text(body.get(range).unwrap_or_default()),
                });
                lead = Some(line);
            }
            Event::Start(Tag::Paragraph) => {
                if let Some(line) = lead.take() {
                    let text = body.get(range).unwrap_or_default();
                    found.leads.push((line, Foreign::from(text.trim())));
                }
            }
            Event::Start(Tag::CodeBlock(_)) => {
                found.blocks.push(range.clone());
                found.code.push(range);
            }
            Event::Start(Tag::Link { dest_url, .. }) => {
                found.refers.push(Foreign::from(&*dest_url));
            }
            Event::Code(text) => {
                found.refers.push(Foreign::from(text.trim()));
                found.spans.push(Span {
                    line: lines.of(start + range.start),
                    text: Foreign::from(text.trim()),
                });
                found.code.push(range);
            }
            Event::End(TagEnd::CodeBlock) => {}
            _ => {}
        }
    }
}

fn rank(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

fn heading_text(raw: &str) -> Foreign {
    let line = raw.lines().next().unwrap_or_default();
    let inner = line.trim().trim_start_matches('#').trim();
    let inner = match inner.trim_end_matches('#') {
        cut if cut.ends_with(' ') => cut.trim_end(),
        _ => inner,
    };
    Foreign::from(inner)
}

/// The body with every byte of code turned to a blank, line ends kept.
fn blanked(body: &str, code: &[Range<usize>]) -> Vec<u8> {
    let mut bytes = body.as_bytes().to_vec();
    for range in code {
        for byte in bytes.get_mut(range.clone()).into_iter().flatten() {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    }
    bytes
}

fn open_markers(visible: &[u8], body: &str, start: usize, lines: &Lines) -> Vec<OpenMarker> {
    let mut out = Vec::new();
    let mut from = 0;
    let find = |from: usize, what: &[u8]| {
        let rest = visible.get(from..)?;
        memchr::memmem::find(rest, what).map(|at| from + at)
    };
    while let Some(at) = find(from, b"<!--") {
        from = at + 4;
        let rest = visible.get(from..).unwrap_or_default();
        let blanks = rest.iter().take_while(|b| b.is_ascii_whitespace()).count();
        if !rest.get(blanks..).is_some_and(|r| r.starts_with(b"open:")) {
            continue;
        }
        let says = from + blanks + 5;
        let end = find(says, b"-->").unwrap_or(body.len());
        out.push(OpenMarker {
            line: lines.of(start + at),
            text: Foreign::from(body.get(says..end).unwrap_or_default().trim()),
        });
        from = says;
    }
    out
}

/// Runs of lines that begin with a bar, outside code blocks.
fn tables(text: &str, start: usize, lines: &Lines, blocks: &[Range<usize>]) -> Vec<Table> {
    let mut out: Vec<Table> = Vec::new();
    let mut open = false;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let place = at;
        at += line.len();
        let bare = line.trim();
        let coded = place >= start && blocks.iter().any(|b| b.contains(&(place - start)));
        if place < start || coded || !bare.starts_with('|') {
            open = false;
            continue;
        }
        let number = lines.of(place);
        let row = Row {
            line: number,
            cells: cells(bare),
        };
        match out.last_mut().filter(|_| open) {
            Some(table) => table.rows.push(row),
            None => out.push(Table {
                line: number,
                rows: vec![row],
            }),
        }
        open = true;
    }
    out
}

/// The cells of a row: bars with a backslash before them belong to a cell.
fn cells(line: &str) -> Vec<Cell> {
    let inner = line.strip_prefix('|').unwrap_or(line);
    let mut cells = vec![String::new()];
    let mut escaped = false;
    for character in inner.chars() {
        match character {
            '|' if escaped => {
                if let Some(cell) = cells.last_mut() {
                    cell.pop();
                    cell.push('|');
                }
            }
            '|' => cells.push(String::new()),
            other => {
                if let Some(cell) = cells.last_mut() {
                    cell.push(other);
                }
            }
        }
        escaped = character == '\\' && !escaped;
    }
    if cells.last().is_some_and(|cell| cell.trim().is_empty()) {
        cells.pop();
    }
    cells
        .into_iter()
        .map(|cell| self::cell(cell.trim()))
        .collect()
}

fn cell(text: &str) -> Cell {
    let mut spans = Vec::new();
    let mut whole = false;
    for (event, range) in Parser::new_ext(text, Options::empty()).into_offset_iter() {
        if let Event::Code(code) = event {
            whole = range == (0..text.len());
            spans.push(Foreign::from(code.trim()));
        }
    }
    Cell {
        text: Foreign::from(text),
        whole,
        spans,
    }
}
