//! Spec trees read into [`Tree`](crate::model::spec::Tree)s: frontmatter, Markdown, Gherkin and
//! ledger shards. Nothing here judges.

pub mod act;
pub mod anchors;
pub mod edits;
pub mod files;
pub mod front;
pub mod gherkin;
mod gherkin_line;
pub mod judge;
mod languages;
pub mod markdown;
pub mod shard;
pub mod tree;

pub use files::Files;

/// Takes a byte order mark away; the flag says whether there was one.
#[must_use]
pub fn without_mark(bytes: &[u8]) -> (&[u8], bool) {
    match bytes.strip_prefix(b"\xef\xbb\xbf") {
        Some(rest) => (rest, true),
        None => (bytes, false),
    }
}

/// A count as a line number.
pub(crate) fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
