//! Names of things: object ids, digests, criterion ids, paths, tickets.
//!
//! An id is compared byte for byte and never normalised: `01` and `1` are two criteria.

use std::fmt::{self, Write as _};

use sha2::{Digest as _, Sha256};

use super::text::Foreign;

/// A git object id (SHA-1, 20 bytes), as the repository names a commit, tree or blob.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Oid(pub [u8; 20]);

impl Oid {
    /// Reads 40 hex digits; anything else is `None`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut bytes = [0; 20];
        unhex(text, &mut bytes).then_some(Self(bytes))
    }

    /// The first 7 hex digits, as lists show it.
    #[must_use]
    pub fn short(&self) -> String {
        self.abbreviated(7)
    }

    /// The first `digits` hex digits (7 in lists, 12 at sign-off, 40 in what is posted).
    #[must_use]
    pub fn abbreviated(&self, digits: usize) -> String {
        beginning(&self.0, digits)
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hex(f, &self.0)
    }
}

impl fmt::Debug for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A SHA-256 over bytes that somebody else can recompute with `sha256sum`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// The digest of `bytes`.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The digest of several fields, each preceded by its length (`u64`, little-endian), so that
    /// no two different lists of fields are the same bytes.
    #[must_use]
    pub fn of_fields(fields: &[&[u8]]) -> Self {
        let mut hasher = Sha256::new();
        for field in fields {
            hasher.update((field.len() as u64).to_le_bytes());
            hasher.update(field);
        }
        Self(hasher.finalize().into())
    }

    /// Reads 64 hex digits; anything else is `None`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut bytes = [0; 32];
        unhex(text, &mut bytes).then_some(Self(bytes))
    }

    /// The first 12 hex digits.
    #[must_use]
    pub fn short(&self) -> String {
        beginning(&self.0, 12)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hex(f, &self.0)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

fn hex(f: &mut fmt::Formatter<'_>, bytes: &[u8]) -> fmt::Result {
    digits(bytes).try_for_each(|digit| f.write_char(digit))
}

fn digits(bytes: &[u8]) -> impl Iterator<Item = char> + '_ {
    let halves = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    halves.filter_map(|half| char::from_digit(half.into(), 16))
}

/// The first so many hex digits.
fn beginning(bytes: &[u8], count: usize) -> String {
    let mut text = String::with_capacity(count);
    text.extend(digits(bytes).take(count));
    text
}

fn unhex(text: &str, into: &mut [u8]) -> bool {
    if text.len() != into.len() * 2 || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
        return false;
    }
    for (index, byte) in into.iter_mut().enumerate() {
        match u8::from_str_radix(&text[index * 2..index * 2 + 2], 16) {
            Ok(value) => *byte = value,
            Err(_) => return false,
        }
    }
    true
}

/// The name of a criterion inside its contract: a string, compared exactly.
///
/// Only `[A-Za-z0-9._#:-]`, 1 to 64 bytes, so that an id is safe in a key hint, a path or a
/// command line without escaping. A reader that meets another id reports it and numbers the
/// criterion by its ordinal instead.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CriterionId(Box<str>);

impl CriterionId {
    /// The id, or `None` when it holds a byte outside the allowed set or has a bad length.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let fits = (1..=64).contains(&text.len());
        let plain = text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"._#:-".contains(&b));
        (fits && plain).then(|| Self(text.into()))
    }

    /// The id of the `n`th criterion (1-based) of a format without labels.
    #[must_use]
    pub fn ordinal(n: usize) -> Self {
        Self(n.to_string().into())
    }

    /// The id as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CriterionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A path inside the repository, as git stores it: bytes separated by `/`, no leading `/`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoPath(Vec<u8>);

impl RepoPath {
    /// Takes the bytes as they are; they are never resolved against a file system here.
    #[must_use]
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self(bytes.into())
    }

    /// The raw bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The path as text to be escaped before it is shown.
    #[must_use]
    pub fn foreign(&self) -> Foreign {
        Foreign::new(self.0.clone())
    }

    /// The part after the last `/`.
    #[must_use]
    pub fn file_name(&self) -> &[u8] {
        self.0.rsplit(|b| *b == b'/').next().unwrap_or(&self.0)
    }

    /// Whether the file has this name. Asked of every changed file, of which hardly one has it: the
    /// end is compared before the name is looked for.
    #[must_use]
    pub fn is_named(&self, name: &[u8]) -> bool {
        self.0.ends_with(name) && self.file_name() == name
    }

    /// Whether the file belongs to a ticket system, which is only ever read (rulings H01): a
    /// `*.erg` file, or anything below a folder `tickets` at the top.
    #[must_use]
    pub fn is_ticket(&self) -> bool {
        self.0.ends_with(b".erg") || self.0.starts_with(b"tickets/")
    }

    /// The path for JSON: itself when UTF-8, else with every non-UTF-8 byte (and `%`)
    /// percent-encoded; the flag says that it was encoded.
    #[must_use]
    pub fn json(&self) -> (String, bool) {
        match std::str::from_utf8(&self.0) {
            Ok(text) => (text.to_owned(), false),
            Err(_) => {
                let mut out = String::new();
                for chunk in self.0.utf8_chunks() {
                    out.push_str(&chunk.valid().replace('%', "%25"));
                    for byte in chunk.invalid() {
                        out.push_str(&format!("%{byte:02X}"));
                    }
                }
                (out, true)
            }
        }
    }
}

impl fmt::Debug for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", String::from_utf8_lossy(&self.0))
    }
}

impl From<&str> for RepoPath {
    fn from(text: &str) -> Self {
        Self(text.as_bytes().to_vec())
    }
}

/// The random 128-bit name of a ledger entry.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryId(pub [u8; 16]);

impl EntryId {
    /// Reads 32 hex digits; anything else is `None`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut bytes = [0; 16];
        unhex(text, &mut bytes).then_some(Self(bytes))
    }

    /// The first 8 hex digits, as lists show it.
    #[must_use]
    pub fn short(&self) -> String {
        beginning(&self.0, 8)
    }
}

impl fmt::Display for EntryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hex(f, &self.0)
    }
}

impl fmt::Debug for EntryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The number of a question asked to a child process. An answer whose ticket is no longer
/// waited for is dropped.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Ticket(pub u64);

impl Ticket {
    /// The ticket after this one.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.wrapping_add(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_round_trips_and_refuses_what_is_not_hex() {
        let oid = Oid([0xab; 20]);
        assert_eq!(Oid::parse(&oid.to_string()), Some(oid));
        assert_eq!(oid.short(), "abababa");
        for bad in ["", "ab", &"g".repeat(40), &"a".repeat(41), &"é".repeat(20)] {
            assert_eq!(Oid::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn fields_cannot_be_moved_across_their_border() {
        assert_ne!(
            Digest::of_fields(&[b"ab", b"c"]),
            Digest::of_fields(&[b"a", b"bc"])
        );
    }

    #[test]
    fn criterion_ids_are_exact_and_plain() {
        assert_ne!(CriterionId::new("01"), CriterionId::new("1"));
        for bad in ["", "a b", "a\u{202e}", "é", &"x".repeat(65)] {
            assert_eq!(CriterionId::new(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn paths_that_are_not_utf8_are_marked_in_json() {
        assert_eq!(RepoPath::from("a/é").json(), ("a/é".into(), false));
        assert_eq!(
            RepoPath::new(b"a/\xff%".to_vec()).json(),
            ("a/%FF%25".into(), true)
        );
    }
}
