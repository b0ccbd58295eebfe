//! Frontmatter: YAML with the place of every value, so that an edit touches only its bytes.

use std::ops::Range;

use crate::model::text::Foreign;

/// What stands at the top of a document.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Front {
    /// The document does not begin with `---`.
    Absent,
    /// It begins with `---` and cannot be read.
    Broken {
        /// 1-based line.
        line: u32,
        /// Why, in our words or the parser's, fit to be shown.
        why: String,
    },
    /// It was read.
    Read {
        /// The top-level entries, in order.
        entries: Vec<Entry>,
        /// Lines whose value is no YAML as it stands (a colon in plain text), read as text.
        mended: Vec<u32>,
        /// Keys that stand more than once in one map, with the line of the second.
        doubled: Vec<(u32, Foreign)>,
    },
}

/// A key with its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The key.
    pub key: Foreign,
    /// 1-based line of the key.
    pub line: u32,
    /// Its value.
    pub value: Value,
}

/// A value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Value {
    /// 1-based line.
    pub line: u32,
    /// The bytes of a scalar in the file, quotes included; empty for the rest and for mended lines.
    pub bytes: Range<usize>,
    /// What it is.
    pub is: Is,
}

/// What a value is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Is {
    /// Nothing, `~` or `null`.
    Null,
    /// Text; whether it was written without quotes, on one line.
    Text(Foreign, bool),
    /// A list.
    List(Vec<Value>),
    /// A map.
    Map(Vec<Entry>),
    /// An alias or a tag that this reader does not follow.
    Other,
}

impl Front {
    /// The top-level entries.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        match self {
            Self::Read { entries, .. } => entries,
            Self::Absent | Self::Broken { .. } => &[],
        }
    }

    /// A top-level entry.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Entry> {
        find(self.entries(), key)
    }
}

/// The first entry of that name.
#[must_use]
pub fn find<'a>(entries: &'a [Entry], key: &str) -> Option<&'a Entry> {
    entries
        .iter()
        .find(|entry| entry.key.raw() == key.as_bytes())
}

impl Value {
    /// The text of a scalar.
    #[must_use]
    pub fn text(&self) -> Option<&Foreign> {
        match &self.is {
            Is::Text(text, _) => Some(text),
            Is::Null | Is::List(_) | Is::Map(_) | Is::Other => None,
        }
    }

    /// The text of a scalar as a word of a grammar.
    #[must_use]
    pub fn word(&self) -> Option<&str> {
        self.text().and_then(Foreign::raw_str)
    }

    /// The entries of a map.
    #[must_use]
    pub fn map(&self) -> Option<&[Entry]> {
        match &self.is {
            Is::Map(entries) => Some(entries),
            Is::Null | Is::Text(..) | Is::List(_) | Is::Other => None,
        }
    }

    /// Whether it says nothing.
    #[must_use]
    pub fn is_null(&self) -> bool {
        self.is == Is::Null
    }
}
