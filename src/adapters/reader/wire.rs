//! What crosses the pipe between the main process and the reader, and how.
//!
//! A frame is a `u32` length in little-endian and that many bytes of postcard. Both ends are the
//! same file, so there is no version. A length over the cap is refused before anything is
//! allocated.

use std::io::{self, Read, Write};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

use crate::adapters::git::GitError;
use crate::adapters::git::hunks::Effort;
use crate::adapters::git::open::{Found, Note, Order};
use crate::adapters::git::skills::{Held, Listed, Wanted};
use crate::adapters::git::{added, base_files, heads, rounds, since, there, threads};
use crate::model::change::{ChangeKind, Counts, Entry, FileHunks, Hunk, HunkMethod, Shape};
use crate::model::hidden::{Hidden, Marks};
use crate::model::id::Oid;
use crate::model::known::{Known, Reason};
use crate::model::text::Foreign;

/// Largest frame in either direction.
pub const CAP: u32 = 128 << 20;

/// A question to the child.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Ask {
    /// Comes back with each answer.
    pub number: u64,
    /// What.
    pub what: What,
}

/// Kinds of questions.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum What {
    /// Enter the repository of a folder; everything else works on that one. Answered by `Done`.
    Enter(std::path::PathBuf),
    /// Open the change.
    Open(Box<Order>),
    /// Changed files between two trees; answered by `Files` batches.
    Walk([u8; 20], [u8; 20]),
    /// Which of the files of that walk are renames.
    Renames([u8; 20], [u8; 20]),
    /// Shape, hunks and counts of one file.
    Hunks(Sides, Effort),
    /// Shape and counts of many files, in order, until the time is used up.
    Measure(Vec<Sides>, Effort),
    /// Lines of a blob.
    Lines {
        /// Which blob.
        blob: [u8; 20],
        /// Lines, 0-based and half-open.
        from: u32,
        /// End of the lines.
        to: u32,
        /// Colors by the name of the file, if wanted.
        color_as: Option<ByteBuf>,
    },
    /// Where head, base and contract stand.
    Heads(heads::Question),
    /// What differs between an earlier head and this one.
    Since(since::Question),
    /// What became of a change since it was judged.
    Round(rounds::Question),
    /// Where review threads point, and what commits did there.
    Threads(Box<threads::Question>),
    /// What was committed since a head that was noted.
    Added(added::Question),
    /// What differs from the head in this worktree.
    Worktree(std::path::PathBuf),
    /// Names that mislead, in the repository of this folder and this tree.
    Names(std::path::PathBuf, [u8; 20]),
    /// The files of spec trees at the merge base.
    BaseFiles(base_files::Question),
    /// Whether a commit holds a file.
    There(there::Question),
    /// The files of a scope, in the repository of this folder.
    Listed(std::path::PathBuf, Wanted),
    /// Every skill of this tree, in the repository of this folder.
    Held(std::path::PathBuf, [u8; 20]),
}

/// Both sides of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Sides {
    /// Object and mode at base.
    pub old: Option<([u8; 20], u32)>,
    /// Object and mode at head.
    pub new: Option<([u8; 20], u32)>,
}

impl Sides {
    /// From entries.
    #[must_use]
    pub fn of(old: Option<Entry>, new: Option<Entry>) -> Self {
        let raw = |e: Entry| (e.oid.0, e.mode);
        Self {
            old: old.map(raw),
            new: new.map(raw),
        }
    }

    /// To entries.
    #[must_use]
    pub fn entries(self) -> (Option<Entry>, Option<Entry>) {
        let entry = |(oid, mode)| Entry {
            oid: Oid(oid),
            mode,
        };
        (self.old.map(entry), self.new.map(entry))
    }
}

/// An answer of the child.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Told {
    /// Of which question.
    pub number: u64,
    /// Whether it is the last of that question.
    pub last: bool,
    /// What.
    pub tell: Tell,
}

/// Kinds of answers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Tell {
    /// Done, nothing to say.
    Done,
    /// It failed.
    Failed(GitError),
    /// The change is open.
    Opened(Box<Found>),
    /// More changed files.
    Files(Vec<WireFile>),
    /// Pairs of indices into all files: deletion and addition that are one rename.
    Renames(Vec<(u32, u32)>),
    /// The sides of a file are in memory: their bytes together. The limit counts from here.
    Loaded(u64),
    /// One file, with the lines that are looked at first; its objects are checked against their
    /// names later.
    Hunks(WireShape, Option<WireHunks>, Vec<WireRun>),
    /// An object that was used does not hash to its name; why. Belongs to no question.
    Damaged([u8; 20], String),
    /// Shapes and counts of the first files that were asked for; each was checked against its
    /// object's name.
    Measured(Vec<WireMeasure>),
    /// Lines of a blob.
    Lines(Vec<WireLine>),
    /// Where things stand.
    Heads(Box<heads::Answer>),
    /// What differs from an earlier head.
    Since(Box<since::Answer>),
    /// What became of a change since it was judged.
    Round(Box<rounds::Answer>),
    /// What was found of each place, in order.
    Threads(Vec<threads::Found>),
    /// What was committed since a head that was noted.
    Added(Box<added::Answer>),
    /// What lies beside the change.
    Notes(Vec<Note>),
    /// The files of spec trees at the merge base.
    BaseFiles(Box<base_files::Answer>),
    /// Whether a commit holds a file.
    There(there::Answer),
    /// The files of a scope.
    Listed(Box<Listed>),
    /// Every skill of a tree.
    Held(Box<Held>),
}

/// A changed file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct WireFile {
    /// Its path.
    pub path: ByteBuf,
    /// Its sides.
    pub sides: Sides,
    /// Index into [`KINDS`].
    pub kind: u8,
}

/// Kinds by index.
pub const KINDS: [ChangeKind; 6] = [
    ChangeKind::Added,
    ChangeKind::Deleted,
    ChangeKind::Modified,
    ChangeKind::Renamed,
    ChangeKind::Mode,
    ChangeKind::Type,
];

/// The shape of a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the same names as model::change::Shape")]
pub enum WireShape {
    Text,
    Empty,
    Binary(u64, u64),
    Symlink(Option<ByteBuf>, Option<ByteBuf>),
    Submodule(Option<[u8; 20]>, Option<[u8; 20]>),
    Huge(u64, u64),
    Missing(String),
}

impl From<Shape> for WireShape {
    fn from(shape: Shape) -> Self {
        let text = |t: Option<Foreign>| t.map(|t| ByteBuf::from(t.raw().to_vec()));
        match shape {
            Shape::Text => Self::Text,
            Shape::Empty => Self::Empty,
            Shape::Binary(a, b) => Self::Binary(a, b),
            Shape::Symlink(a, b) => Self::Symlink(text(a), text(b)),
            Shape::Submodule(a, b) => Self::Submodule(a.map(|o| o.0), b.map(|o| o.0)),
            Shape::Huge(a, b) => Self::Huge(a, b),
            Shape::Missing(why) => Self::Missing(why),
        }
    }
}

impl From<WireShape> for Shape {
    fn from(shape: WireShape) -> Self {
        let text = |t: Option<ByteBuf>| t.map(|t| Foreign::new(t.into_vec()));
        match shape {
            WireShape::Text => Self::Text,
            WireShape::Empty => Self::Empty,
            WireShape::Binary(a, b) => Self::Binary(a, b),
            WireShape::Symlink(a, b) => Self::Symlink(text(a), text(b)),
            WireShape::Submodule(a, b) => Self::Submodule(a.map(Oid), b.map(Oid)),
            WireShape::Huge(a, b) => Self::Huge(a, b),
            WireShape::Missing(why) => Self::Missing(why),
        }
    }
}

/// Hunks.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct WireHunks {
    /// Start and end at base, start and end at head.
    pub hunks: Vec<(u32, u32, u32, u32)>,
    /// Lines at base and at head.
    pub lines: (u32, u32),
    /// Index into [`METHODS`].
    pub method: u8,
}

/// Methods by index.
pub const METHODS: [HunkMethod; 4] = [
    HunkMethod::Histogram,
    HunkMethod::Myers,
    HunkMethod::Xdiff,
    HunkMethod::Whole,
];

impl From<&FileHunks> for WireHunks {
    fn from(found: &FileHunks) -> Self {
        let method = METHODS.iter().position(|m| *m == found.method);
        let hunk = |h: &Hunk| (h.before.start, h.before.end, h.after.start, h.after.end);
        Self {
            hunks: found.hunks.iter().map(hunk).collect(),
            lines: (found.before_lines, found.after_lines),
            method: method.and_then(|m| u8::try_from(m).ok()).unwrap_or(3),
        }
    }
}

impl From<WireHunks> for FileHunks {
    fn from(wire: WireHunks) -> Self {
        let hunk = |(a, b, c, d): (u32, u32, u32, u32)| Hunk {
            before: a..b,
            after: c..d,
        };
        let method = METHODS.get(usize::from(wire.method));
        Self {
            hunks: wire.hunks.into_iter().map(hunk).collect(),
            before_lines: wire.lines.0,
            after_lines: wire.lines.1,
            method: method.copied().unwrap_or(HunkMethod::Whole),
        }
    }
}

/// What one file comes to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct WireMeasure {
    /// Its shape.
    pub shape: WireShape,
    /// Lines added and removed.
    pub lines: (u32, u32),
    /// Hidden characters of the added lines by kind, and look-alike words; `None` where there are
    /// no lines to look at.
    pub marks: Option<([u32; 9], u32)>,
}

impl WireMeasure {
    /// A file without lines.
    #[must_use]
    pub fn bare(shape: WireShape) -> Self {
        Self {
            shape,
            lines: (0, 0),
            marks: None,
        }
    }

    /// What its added lines hide.
    #[must_use]
    pub fn marks(&self) -> Known<Marks> {
        match (&self.shape, self.marks) {
            (_, Some((hidden, look_alikes))) => Known::Is(Marks {
                hidden: Hidden::from_counts(hidden),
                look_alikes,
            }),
            (WireShape::Missing(why), None) => Known::Unknown(Reason::new(why.as_str())),
            (WireShape::Huge(..), None) => {
                Known::Unknown(Reason::new("over 64 MiB, it was not read"))
            }
            (
                WireShape::Text
                | WireShape::Empty
                | WireShape::Binary(..)
                | WireShape::Symlink(..)
                | WireShape::Submodule(..),
                None,
            ) => Known::NotApplicable(Reason::new("there are no lines")),
        }
    }
}

/// Marks, as they cross.
#[must_use]
pub fn marks(found: Marks) -> ([u32; 9], u32) {
    (found.hidden.counts(), found.look_alikes)
}

/// Counts of hunks, as they cross.
#[must_use]
pub fn counts((added, removed): (u32, u32)) -> Counts {
    Counts { added, removed }
}

/// One line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct WireLine {
    /// Its bytes, cut.
    pub text: ByteBuf,
    /// Bytes that were cut off.
    pub cut: u64,
    /// Whether it has no LF.
    pub no_newline: bool,
    /// Tokens: start, end, kind (index into `client::TOKENS`).
    pub tokens: Vec<(u32, u32, u8)>,
}

/// Lines that follow each other on one side of a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct WireRun {
    /// Whether they are of the head, else of the base.
    pub head: bool,
    /// Number of the first, 0-based.
    pub from: u32,
    /// The lines, plain.
    pub lines: Vec<WireLine>,
}

/// Writes a frame.
///
/// # Errors
/// What writing says, or `InvalidData` for a value over the cap.
pub fn write<T: Serialize>(out: &mut impl Write, value: &T) -> io::Result<()> {
    let bytes = postcard::to_extend(value, vec![0; 4]).map_err(io::Error::other)?;
    let length = u32::try_from(bytes.len() - 4).ok().filter(|l| *l <= CAP);
    let length = length.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidData))?;
    let mut bytes = bytes;
    for (place, byte) in bytes.iter_mut().zip(length.to_le_bytes()) {
        *place = byte;
    }
    out.write_all(&bytes)
}

/// Reads a frame; `None` at the end of the pipe.
///
/// # Errors
/// What reading says, or `InvalidData` for a length over the cap or bytes that make no sense.
pub fn read<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<Option<T>> {
    let mut length = [0; 4];
    match from.read_exact(&mut length) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    }
    let length = u32::from_le_bytes(length);
    if length > CAP {
        return Err(io::Error::from(io::ErrorKind::InvalidData));
    }
    let mut bytes = vec![0; usize::try_from(length).map_err(io::Error::other)?];
    from.read_exact(&mut bytes)?;
    postcard::from_bytes(&bytes)
        .map(Some)
        .map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e))
}
