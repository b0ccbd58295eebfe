//! Blobs in memory with an index of their lines, so that a range of lines costs what it shows.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::OnceLock;

use super::GitError;
use super::objects::{Blob, Objects};
use crate::model::id::Oid;

/// Most bytes that are kept of blobs that were used lately (two large ones always stay).
const KEPT: usize = 64 << 20;
/// Most bytes of one line that are sent; the rest is counted.
pub const LINE_CAP: usize = 64 << 10;
/// Most bytes of one answer.
pub const ANSWER_CAP: usize = 4 << 20;

/// A blob with the places of its lines.
#[derive(Debug)]
pub struct Text {
    blob: Blob,
    starts: OnceLock<Vec<u32>>,
    verified: OnceLock<Result<(), GitError>>,
}

/// One line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Line<'a> {
    /// Its bytes without LF, cut at [`LINE_CAP`].
    pub bytes: &'a [u8],
    /// Bytes that were cut off.
    pub cut: u64,
    /// Whether it has no LF.
    pub no_newline: bool,
}

impl Text {
    /// All bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.blob.bytes()
    }

    /// Where each line starts.
    fn starts(&self) -> &[u32] {
        self.starts.get_or_init(|| {
            let bytes = self.bytes();
            let mut starts = Vec::new();
            if !bytes.is_empty() {
                starts.push(0);
            }
            let ends = memchr::memchr_iter(b'\n', bytes).map(|at| at + 1);
            let inner = ends.filter(|at| *at < bytes.len());
            starts.extend(inner.filter_map(|at| u32::try_from(at).ok()));
            starts
        })
    }

    /// How many lines there are; a last one without LF counts.
    #[must_use]
    pub fn count(&self) -> u32 {
        u32::try_from(self.starts().len()).unwrap_or(u32::MAX)
    }

    /// The bytes of a line with its LF, uncut.
    #[must_use]
    pub fn whole(&self, number: u32) -> Option<&[u8]> {
        let starts = self.starts();
        let at = usize::try_from(number).ok()?;
        let start = usize::try_from(*starts.get(at)?).ok()?;
        let end = starts.get(at + 1).and_then(|e| usize::try_from(*e).ok());
        self.bytes().get(start..end.unwrap_or(self.bytes().len()))
    }

    /// The bytes of a range of lines, LFs included, uncut; lines that are not there are left out.
    #[must_use]
    pub fn slice(&self, lines: Range<u32>) -> &[u8] {
        let starts = self.starts();
        let place = |line: u32| {
            let at = usize::try_from(line).ok()?;
            usize::try_from(*starts.get(at)?).ok()
        };
        let Some(start) = place(lines.start) else {
            return &[];
        };
        let end = place(lines.end).unwrap_or(self.bytes().len());
        self.bytes().get(start..end).unwrap_or_default()
    }

    /// The lines of a range, as far as they are there and the answer stays small.
    pub fn range(&self, range: Range<u32>) -> impl Iterator<Item = Line<'_>> {
        let mut sent = 0;
        range.map_while(move |number| {
            let whole = self.whole(number)?;
            let body = whole.strip_suffix(b"\n");
            let all = body.unwrap_or(whole);
            let bytes = all.get(..LINE_CAP).unwrap_or(all);
            if sent > 0 && sent + bytes.len() > ANSWER_CAP {
                return None;
            }
            sent += bytes.len() + 1;
            Some(Line {
                bytes,
                cut: (all.len() - bytes.len()) as u64,
                no_newline: body.is_none(),
            })
        })
    }

    /// Checks the bytes against the blob's name, once.
    ///
    /// # Errors
    /// `Damaged` when they differ.
    pub fn verify(&self) -> Result<(), GitError> {
        self.verified.get_or_init(|| self.blob.verify()).clone()
    }
}

/// The blobs that were used lately.
#[derive(Debug)]
pub struct Store {
    objects: Objects,
    recent: VecDeque<(Oid, std::rc::Rc<Text>)>,
    bytes: usize,
    kept: usize,
}

impl Store {
    /// An empty store over these objects.
    #[must_use]
    pub fn new(objects: Objects) -> Self {
        Self::keeping(objects, KEPT)
    }

    /// The same with another most of bytes that are kept.
    #[must_use]
    pub fn keeping(objects: Objects, kept: usize) -> Self {
        Self {
            objects,
            recent: VecDeque::new(),
            bytes: 0,
            kept,
        }
    }

    /// The objects below.
    #[must_use]
    pub fn objects(&self) -> &Objects {
        &self.objects
    }

    /// A blob, from memory when it was used lately.
    ///
    /// # Errors
    /// `Missing`, `Damaged`, or `Huge` for more than is ever shown.
    pub fn load(&mut self, oid: Oid) -> Result<std::rc::Rc<Text>, GitError> {
        if let Some(at) = self.recent.iter().position(|(id, _)| *id == oid)
            && let Some(found) = self.recent.remove(at)
        {
            let text = found.1.clone();
            self.recent.push_back(found);
            return Ok(text);
        }
        let size = self.objects.size(oid, "the file content")?;
        if size > super::shape::HUGE {
            return Err(GitError::Huge(size));
        }
        let text = std::rc::Rc::new(Text {
            blob: self.objects.blob(oid)?,
            starts: OnceLock::new(),
            verified: OnceLock::new(),
        });
        self.bytes += text.bytes().len();
        self.recent.push_back((oid, text.clone()));
        while self.recent.len() > 2 && self.bytes > self.kept {
            if let Some((_, old)) = self.recent.pop_front() {
                self.bytes -= old.bytes().len();
            }
        }
        Ok(text)
    }
}
