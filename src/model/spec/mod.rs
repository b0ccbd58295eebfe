//! The nouns of the spec gate: documents with frontmatter, suites, ledger shards, and what a
//! rule has to say about them. Everything carries its 1-based line.

pub mod feature;
pub mod front;
pub mod shard;

use std::fmt::Write as _;

use super::id::RepoPath;
use super::known::Known;
use super::text::{Foreign, Place};
use feature::Suite;
use front::Front;
use shard::Shard;

/// How much a note weighs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Weight {
    /// Fails closed.
    Violation,
    /// Is shown and never blocks.
    Finding,
}

/// What a rule has to say: where, which rule, in words fit to be shown.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Note {
    /// The file.
    pub file: RepoPath,
    /// 1-based line; 0 when it speaks about the whole file.
    pub line: u32,
    /// Stable kebab-case code.
    pub code: &'static str,
    /// Lower-case fragment, already made visible.
    pub message: String,
    /// What to do, beginning with a verb.
    pub hint: &'static str,
    /// How much it weighs.
    pub weight: Weight,
}

impl Note {
    /// Something that fails closed.
    #[must_use]
    pub fn violation(
        file: &RepoPath,
        line: u32,
        code: &'static str,
        message: impl Into<String>,
        hint: &'static str,
    ) -> Self {
        Self {
            file: file.clone(),
            line,
            code,
            message: message.into(),
            hint,
            weight: Weight::Violation,
        }
    }

    /// Something that is shown only.
    #[must_use]
    pub fn finding(
        file: &RepoPath,
        line: u32,
        code: &'static str,
        message: impl Into<String>,
        hint: &'static str,
    ) -> Self {
        Self {
            weight: Weight::Finding,
            ..Self::violation(file, line, code, message, hint)
        }
    }
}

/// The longest piece of foreign text that a message quotes, in characters.
const QUOTED: usize = 120;

/// Foreign text inside a message: one visible line, cut to a length.
#[must_use]
pub fn quoted(text: &Foreign) -> String {
    let plain = text.shown(Place::Strict).plain();
    let mut out = String::from("`");
    out.extend(plain.chars().take(QUOTED));
    if plain.chars().nth(QUOTED).is_some() {
        let _ = out.write_char('…');
    }
    out.push('`');
    out
}

/// `1 part`, `2 parts`.
#[must_use]
pub fn count(value: usize, noun: &str) -> String {
    let plural = if value == 1 { "" } else { "s" };
    format!("{value} {noun}{plural}")
}

/// A heading of a document.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Heading {
    /// 1-based line.
    pub line: u32,
    /// 1 for `#`.
    pub level: u8,
    /// Its text as written, without the marks.
    pub text: Foreign,
}

/// Inline code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Span {
    /// 1-based line.
    pub line: u32,
    /// The text between the backticks, trimmed.
    pub text: Foreign,
}

/// A row of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// 1-based line.
    pub line: u32,
    /// The cells, trimmed; `\|` is a bar.
    pub cells: Vec<Cell>,
}

/// A cell of a table.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cell {
    /// The text, trimmed.
    pub text: Foreign,
    /// The inline code in it, in order.
    pub spans: Vec<Foreign>,
    /// Whether it is one code span and nothing else.
    pub whole: bool,
}

/// A table: the first row is the header, the second the separator, by position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    /// 1-based line of the header.
    pub line: u32,
    /// All rows.
    pub rows: Vec<Row>,
}

/// A Markdown document of a spec tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Document {
    /// Where it lies.
    pub path: RepoPath,
    /// Its frontmatter.
    pub front: Front,
    /// Real headings: none from code.
    pub headings: Vec<Heading>,
    /// Lines of open markers (`<!-- open:`) outside code.
    pub open: Vec<OpenMarker>,
    /// Inline code outside code blocks.
    pub spans: Vec<Span>,
    /// What links and code spans name, outside code blocks.
    pub refers: Vec<Foreign>,
    /// Tables outside code blocks.
    pub tables: Vec<Table>,
    /// First paragraph of each section, by the line of its heading.
    pub leads: Vec<(u32, Foreign)>,
}

/// An open question in a document.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpenMarker {
    /// 1-based line where it begins.
    pub line: u32,
    /// What it says, without the comment marks.
    pub text: Foreign,
}

impl Document {
    /// The section that a heading `## name...` opens: its line and the line of the next `## `.
    #[must_use]
    pub fn section(&self, starts: impl Fn(&str) -> bool) -> Option<(u32, u32)> {
        let second = |heading: &&Heading| heading.level <= 2;
        let mut headings = self.headings.iter().filter(second);
        let first = headings.find(|h| h.level == 2 && starts(h.text.raw_str().unwrap_or("")))?;
        Some((first.line, headings.next().map_or(u32::MAX, |h| h.line)))
    }

    /// The tables between two lines.
    pub fn tables_in(&self, (from, to): (u32, u32)) -> impl Iterator<Item = &Table> {
        self.tables
            .iter()
            .filter(move |table| table.line > from && table.line < to)
    }
}

/// A project spec: its root document with everything that belongs to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Root {
    /// The folder, empty for the top.
    pub dir: RepoPath,
    /// The root document; unknown when it could not be read.
    pub document: Known<Document>,
    /// The ledger shards beside it.
    pub shards: Vec<Known<Shard>>,
    /// Suites anywhere below the folder that belong to this root.
    pub suites: Vec<RepoPath>,
}

/// A node: a folder with a `README.md`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// The folder.
    pub dir: RepoPath,
    /// The file.
    pub path: RepoPath,
    /// The document; unknown when it could not be read.
    pub document: Known<Document>,
    /// Suites in the same folder.
    pub suites: Vec<RepoPath>,
}

/// Everything under the spec roots that were looked at.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tree {
    /// Project specs, by folder.
    pub roots: Vec<Root>,
    /// Nodes, by folder.
    pub nodes: Vec<Node>,
    /// Suites, by path; unknown when one could not be read.
    pub suites: Vec<(RepoPath, Known<Suite>)>,
    /// Folders and files that could not be looked into.
    pub unread: Vec<(RepoPath, String)>,
}

/// The folder of a path, empty for the top.
#[must_use]
pub fn folder(path: &RepoPath) -> RepoPath {
    let bytes = path.as_bytes();
    let end = bytes.iter().rposition(|b| *b == b'/').unwrap_or(0);
    RepoPath::new(&bytes[..end])
}

/// Whether a path lies in a folder, at any depth.
#[must_use]
pub fn below(path: &RepoPath, dir: &RepoPath) -> bool {
    let (path, dir) = (path.as_bytes(), dir.as_bytes());
    dir.is_empty()
        || path
            .strip_prefix(dir)
            .is_some_and(|rest| rest.first() == Some(&b'/'))
}

/// Whether a path lies at a place of specs: below `.agents/spec` or `.agents/specs`, at any depth.
#[must_use]
pub fn in_place(path: &RepoPath) -> bool {
    let path = path.as_bytes();
    // asked of every changed file, of which hardly one is a spec: the rare word first
    if !path.starts_with(b".agents/") && memchr::memmem::find(path, b"/.agents/").is_none() {
        return false;
    }
    let parts: Vec<&[u8]> = path.split(|b| *b == b'/').collect();
    parts
        .windows(2)
        .any(|two| matches!(two, [b".agents", b"spec" | b"specs"]))
        && !path.ends_with(b"/.agents/specs")
}
