//! The parts of a SKILL.md that the audit reads: its name, the sections with a role, and the
//! paragraphs elsewhere that hold a word worth looking at.
//!
//! Headings are ATX headings outside fences. A heading with a role of its own ends the section
//! before it, whatever its level; any other heading ends it at the same level or above.

use std::borrow::Cow;

use super::profile::{Profile, Searcher};

/// What a section is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Says whom it hands work to.
    Chains,
    /// Only links.
    Linked,
    /// Says when it is done.
    Done,
    /// Anything else.
    Body,
}

/// The shape of a unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A heading inside a section.
    Heading,
    /// A list item.
    Item,
    /// A row of a table.
    Row,
    /// The head of a table.
    Header,
    /// A paragraph.
    Prose,
    /// A quoted paragraph.
    Quote,
    /// A row of a fence.
    Fenced,
    /// A line of a drawn graph.
    Graph,
}

/// A row, item or paragraph: what the rules look at as one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unit {
    /// Its shape.
    pub kind: Kind,
    /// Its first line, 1-based.
    pub line: u32,
    /// Its text, one `\n` for each line end.
    pub text: String,
}

impl Unit {
    /// The line of a byte of the text.
    #[must_use]
    pub fn line_at(&self, byte: usize) -> u32 {
        let before = self.text.as_bytes().get(..byte).unwrap_or_default();
        let ends = before.iter().filter(|byte| **byte == b'\n').count();
        self.line + u32::try_from(ends).unwrap_or(u32::MAX)
    }
}

/// A section, or a paragraph outside all.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// Its role.
    pub role: Role,
    /// Its units in order.
    pub units: Vec<Unit>,
}

/// What is kept of a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outline {
    /// The name in the frontmatter.
    pub name: Option<String>,
    /// The parts in order.
    pub parts: Vec<Part>,
}

/// Reads a file.
#[must_use]
pub fn outline(text: &str, profile: &Profile, searcher: &Searcher) -> Outline {
    let (name, start, first) = frontmatter(text);
    let mut reader = Reader {
        text,
        searcher,
        ready: searcher.ready(text),
        parts: Vec::new(),
        section: None,
        block: None,
        hit: None,
    };
    let mut fence: Option<Fence> = None;
    let mut line = first;
    let mut at = start;
    while at < text.len() {
        let end = memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |n| at + n);
        let bare = text[at..end].trim_ascii();
        if let Some(open) = &fence {
            if open.closes(bare) {
                if open.graph && reader.section.is_none() {
                    reader.keep(open.line, open.from, end);
                }
                fence = None;
            }
        } else if let Some(open) = Fence::opened(bare, line, at) {
            reader.end_block(at);
            fence = Some(open);
        } else if let Some((level, title)) = heading(bare) {
            reader.end_block(at);
            reader.heading(role(title, profile), level, at, end, line);
        } else if bare.is_empty() {
            reader.end_block(at);
        } else if reader.section.is_none() && reader.block.is_none() {
            reader.block = Some((line, at));
        }
        at = end + 1;
        line = line.saturating_add(1);
    }
    reader.end_block(text.len());
    reader.end_section(text.len());
    Outline {
        name,
        parts: reader.parts,
    }
}

struct Reader<'a> {
    text: &'a str,
    searcher: &'a Searcher,
    /// The text as the searcher wants it.
    ready: Cow<'a, [u8]>,
    parts: Vec<Part>,
    /// Role, level, first line, start of the section that is open.
    section: Option<(Role, usize, u32, usize)>,
    /// First line and start of the paragraph that is open outside all sections.
    block: Option<(u32, usize)>,
    /// The last hit of the searcher; `None` before the first search.
    hit: Option<usize>,
}

impl Reader<'_> {
    fn heading(&mut self, role: Option<Role>, level: usize, at: usize, end: usize, line: u32) {
        let over = match self.section {
            Some((_, open, _, _)) => role.is_some() || level <= open,
            None => true,
        };
        if over {
            self.end_section(at);
            self.section = role.map(|role| (role, level, line.saturating_add(1), end + 1));
        }
    }

    fn end_section(&mut self, end: usize) {
        if let Some((role, _, line, start)) = self.section.take() {
            let units = units(self.text.get(start..end).unwrap_or_default(), line);
            self.parts.push(Part { role, units });
        }
    }

    fn end_block(&mut self, end: usize) {
        let Some((line, start)) = self.block.take() else {
            return;
        };
        // hits are looked for once, from left to right, over the whole text
        if self.hit.is_none_or(|hit| hit < start) {
            let next = self.searcher.next(&self.ready, start);
            self.hit = Some(next.unwrap_or(usize::MAX));
        }
        let near = self.hit.is_some_and(|hit| hit < end);
        if near && self.searcher.hits(&self.text.as_bytes()[start..end]) {
            self.keep(line, start, end);
        }
    }

    fn keep(&mut self, line: u32, start: usize, end: usize) {
        let units = units(self.text.get(start..end).unwrap_or_default(), line);
        self.parts.push(Part {
            role: Role::Body,
            units,
        });
    }
}

struct Fence {
    mark: u8,
    count: usize,
    graph: bool,
    line: u32,
    from: usize,
}

impl Fence {
    fn opened(bare: &str, line: u32, from: usize) -> Option<Self> {
        if !bare.starts_with(['`', '~', '>', ' ']) {
            return None;
        }
        let bare = bare.trim_start_matches(['>', ' ']);
        let mark = *bare.as_bytes().first().filter(|b| b"`~".contains(b))?;
        let count = bare.bytes().take_while(|byte| *byte == mark).count();
        let info = bare[count..].trim();
        let word = info.split_whitespace().next().unwrap_or_default();
        (count >= 3 && !(mark == b'`' && info.contains('`'))).then_some(Self {
            mark,
            count,
            graph: matches!(word, "dot" | "graphviz" | "mermaid"),
            line,
            from,
        })
    }

    fn closes(&self, bare: &str) -> bool {
        let bare = bare.trim_start_matches(['>', ' ']);
        bare.len() >= self.count && bare.bytes().all(|byte| byte == self.mark)
    }
}

/// Level and title of a heading.
fn heading(bare: &str) -> Option<(usize, &str)> {
    if !bare.starts_with('#') {
        return None;
    }
    let level = bare.bytes().take_while(|byte| *byte == b'#').count();
    let title = &bare[level..];
    let fits = (1..=6).contains(&level) && (title.is_empty() || title.starts_with([' ', '\t']));
    fits.then(|| (level, title.trim().trim_end_matches('#').trim_end()))
}

/// The role of a title: compared in lower case, without numbers, marks and what stands in
/// parentheses or after a colon or a dash.
fn role(title: &str, profile: &Profile) -> Option<Role> {
    let head = title.split(['(', ':', '—', '–']).next().unwrap_or_default();
    let head = head.trim_start_matches(|c: char| !c.is_alphabetic());
    let head = head.trim_end_matches(|c: char| !c.is_alphanumeric());
    let lower = (!head.is_ascii()).then(|| head.to_lowercase());
    let is = |list: &[String]| {
        let same = |one: &String| one.eq_ignore_ascii_case(head) || Some(one) == lower.as_ref();
        list.iter().any(same)
    };
    [
        (&profile.chain_headings, Role::Chains),
        (&profile.linked_headings, Role::Linked),
        (&profile.done_headings, Role::Done),
    ]
    .into_iter()
    .find(|(list, _)| is(list))
    .map(|(_, role)| role)
}

/// The name, and where the text after the frontmatter begins: byte and line.
fn frontmatter(text: &str) -> (Option<String>, usize, u32) {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let skipped = text.len() - body.len();
    let mut name = None;
    let mut at = 0;
    for (number, line) in (0u32..).zip(body.split_inclusive('\n')) {
        let bare = line.trim_end();
        at += line.len();
        if number == 0 {
            if bare != "---" {
                break;
            }
        } else if bare == "---" {
            return (name, skipped + at, number + 2);
        } else if let Some(value) = bare.strip_prefix("name:") {
            let value = value.trim();
            let quoted = ['"', '\'']
                .into_iter()
                .find_map(|q| value.strip_prefix(q)?.strip_suffix(q));
            let value = quoted.unwrap_or_else(|| value.split(" #").next().unwrap_or(value).trim());
            name = (!value.is_empty()).then(|| value.to_owned());
        }
    }
    (None, skipped, 1)
}

/// Cuts a part into units.
fn units(text: &str, first: u32) -> Vec<Unit> {
    let mut out: Vec<Unit> = Vec::new();
    let mut fence: Option<Fence> = None;
    // whether the last unit goes on with the next line
    let mut open = false;
    for (line, raw) in (first..).zip(text.lines()) {
        let bare = raw.trim_ascii();
        let start = |out: &mut Vec<Unit>, kind: Kind, text: &str| {
            out.push(Unit {
                kind,
                line,
                text: text.to_owned(),
            });
        };
        if let Some(inside) = &fence {
            if inside.closes(bare) {
                fence = None;
                open = false;
            } else if inside.graph {
                start(&mut out, Kind::Graph, bare);
            } else if bare.is_empty() {
                open = false;
            } else if open && !begins_row(bare) {
                go_on(&mut out, bare);
            } else {
                start(&mut out, Kind::Fenced, bare);
                open = true;
            }
            continue;
        }
        if let Some(inside) = Fence::opened(bare, line, 0) {
            fence = Some(inside);
            open = false;
        } else if bare.is_empty() || rule(bare) {
            open = false;
        } else if let Some((_, title)) = heading(bare) {
            start(&mut out, Kind::Heading, title);
            open = false;
        } else if bare.starts_with('|') {
            open = false;
            if bare.bytes().all(|byte| b"|-: ".contains(&byte)) {
                if let Some(last) = out.last_mut().filter(|unit| unit.line + 1 == line) {
                    last.kind = Kind::Header;
                }
            } else {
                start(&mut out, Kind::Row, bare);
            }
        } else if let Some(quoted) = bare.strip_prefix('>') {
            let going = open && out.last().is_some_and(|unit| unit.kind == Kind::Quote);
            if going {
                go_on(&mut out, quoted.trim());
            } else {
                start(&mut out, Kind::Quote, quoted.trim());
            }
            open = true;
        } else if begins_item(bare) {
            start(&mut out, Kind::Item, bare);
            open = true;
        } else if open {
            go_on(&mut out, bare);
        } else {
            start(&mut out, Kind::Prose, bare);
            open = true;
        }
    }
    out
}

fn go_on(out: &mut [Unit], line: &str) {
    if let Some(unit) = out.last_mut() {
        unit.text.push('\n');
        unit.text.push_str(line);
    }
}

fn rule(bare: &str) -> bool {
    let mark = bare.chars().next().unwrap_or_default();
    bare.len() >= 3
        && matches!(mark, '-' | '*' | '_')
        && bare.chars().all(|c| c == mark || c == ' ')
}

/// The bytes of a list marker and the blanks after it; 0 when there is none.
pub(super) fn marker(bare: &str) -> usize {
    let bytes = bare.as_bytes();
    let digits = bytes
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let len = match bytes.first() {
        Some(b'-' | b'*' | b'+') => 1,
        Some(_) if (1..=4).contains(&digits) && matches!(bytes.get(digits), Some(b'.' | b')')) => {
            digits + 1
        }
        _ => ['☐', '☑', '☒', '•']
            .into_iter()
            .find(|mark| bare.starts_with(*mark))
            .map_or(0, char::len_utf8),
    };
    let blanks = bare[len..].len() - bare[len..].trim_start().len();
    if len > 0 && blanks > 0 {
        len + blanks
    } else {
        0
    }
}

fn begins_item(bare: &str) -> bool {
    marker(bare) > 0
}

fn begins_row(bare: &str) -> bool {
    marker(bare) > 0 || bare.starts_with('→') || bare.starts_with("[ ]")
}
