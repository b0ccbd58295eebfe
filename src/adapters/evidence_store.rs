//! Outputs of runs, kept under the state folder by the SHA-256 of the whole output: the first
//! 256 KiB and the last 1 MiB with the counts. A stored output is on disk before the ledger entry
//! that names it, and is never changed.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::ops::Range;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::model::id::Digest;
use crate::model::oracle::Captured;
use crate::model::text::Foreign;

use super::folders;

/// Largest file that is read back.
const FILE_BYTES: u64 = 4 << 20;

/// The store below a state folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EvidenceStore(PathBuf);

/// One line of a stored output.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StoredLine {
    /// Its text.
    Line(Foreign),
    /// It lies between head and tail and was counted and hashed, but not kept.
    NotKept,
}

/// A stored output, read back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stored {
    /// All bytes that were written.
    pub bytes: u64,
    /// All lines that were written.
    pub lines: u64,
    head: Vec<u8>,
    tail: Vec<u8>,
    tail_line: u64,
}

#[derive(Serialize, Deserialize)]
struct Header {
    v: u32,
    bytes: u64,
    lines: u64,
    head: usize,
    tail: usize,
    tail_line: u64,
}

impl EvidenceStore {
    /// The store below this state folder; nothing is created.
    #[must_use]
    pub fn new(state: &Path) -> Self {
        Self(state.join("evidence"))
    }

    /// Stores an output; it is on disk when this returns. Storing the same output twice is one.
    ///
    /// # Errors
    /// Any failure of the file system.
    pub fn put(&self, output: &Captured) -> io::Result<()> {
        let path = self.path(&output.digest);
        if path.exists() {
            return Ok(());
        }
        let folder = path.parent().unwrap_or(&self.0);
        folders::private(folder)?;
        let header = serde_json::to_string(&Header {
            v: 1,
            bytes: output.bytes,
            lines: output.lines,
            head: output.head.raw().len(),
            tail: output.tail.raw().len(),
            tail_line: output.tail_line,
        })
        .map_err(io::Error::other)?;
        let mut file = tempfile::Builder::new()
            .prefix(".new-")
            .tempfile_in(folder)?;
        writeln!(file, "{header}")?;
        file.write_all(output.head.raw())?;
        file.write_all(output.tail.raw())?;
        file.as_file().sync_all()?;
        file.persist(&path).map_err(|error| error.error)?;
        File::open(folder)?.sync_all()
    }

    /// Reads an output back. What is kept whole is checked against its name.
    ///
    /// # Errors
    /// `NotFound` when it is not stored here, `InvalidData` when it is not what it was.
    pub fn get(&self, digest: &Digest) -> io::Result<Stored> {
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        let mut file = File::options()
            .read(true)
            .custom_flags(flags.bits() as i32)
            .open(self.path(digest))?;
        let mut bytes = Vec::new();
        (&mut file).take(FILE_BYTES).read_to_end(&mut bytes)?;
        let damaged = || io::Error::new(io::ErrorKind::InvalidData, "a stored output is damaged");
        let end = memchr::memchr(b'\n', &bytes).ok_or_else(damaged)?;
        let header: Header = serde_json::from_slice(&bytes[..end]).map_err(|_| damaged())?;
        let body = bytes.split_off(end + 1);
        if header.v != 1 || body.len() != header.head.saturating_add(header.tail) {
            return Err(damaged());
        }
        if body.len() as u64 == header.bytes && Digest::of(&body) != *digest {
            return Err(damaged());
        }
        let (head, tail) = body.split_at(header.head);
        Ok(Stored {
            bytes: header.bytes,
            lines: header.lines,
            head: head.to_vec(),
            tail: tail.to_vec(),
            tail_line: header.tail_line,
        })
    }

    /// Some lines of a stored output, 0-based; fewer at its end.
    ///
    /// # Errors
    /// As [`EvidenceStore::get`].
    pub fn lines(&self, digest: &Digest, range: Range<u64>) -> io::Result<Vec<StoredLine>> {
        Ok(self.get(digest)?.lines_of(range))
    }

    fn path(&self, digest: &Digest) -> PathBuf {
        let name = digest.to_string();
        let (folder, _) = name.split_at(2);
        self.0.join(folder).join(&name)
    }
}

impl Stored {
    /// What was kept of an output, without storing it.
    #[must_use]
    pub fn of(output: &Captured) -> Self {
        Self {
            bytes: output.bytes,
            lines: output.lines,
            head: output.head.raw().to_vec(),
            tail: output.tail.raw().to_vec(),
            tail_line: output.tail_line,
        }
    }

    /// Some lines, 0-based; fewer at the end.
    #[must_use]
    pub fn lines_of(&self, range: Range<u64>) -> Vec<StoredLine> {
        let range = range.start.min(self.lines)..range.end.min(self.lines);
        let whole = (self.head.len() + self.tail.len()) as u64 == self.bytes;
        if whole {
            let all = [self.head.as_slice(), self.tail.as_slice()].concat();
            return pick(&all, 0, &range);
        }
        let mut out = pick(&self.head, 0, &range);
        let tail_from = self.tail_line.saturating_sub(1);
        while range.start + (out.len() as u64) < range.end.min(tail_from) {
            out.push(StoredLine::NotKept);
        }
        let next = range.start + out.len() as u64;
        out.extend(pick(&self.tail, tail_from, &(next..range.end)));
        out
    }
}

/// Lines of `bytes`, the first of which has the number `first`.
fn pick(bytes: &[u8], first: u64, range: &Range<u64>) -> Vec<StoredLine> {
    let body = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    if bytes.is_empty() {
        return Vec::new();
    }
    body.split(|b| *b == b'\n')
        .zip(first..)
        .filter(|(_, number)| range.contains(number))
        .map(|(line, _)| StoredLine::Line(Foreign::new(line)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapters::oracle::capture::Capture;

    fn captured(bytes: &[u8]) -> Captured {
        let mut capture = Capture::default();
        capture.feed(bytes);
        capture.finish()
    }

    fn text(lines: &[StoredLine]) -> Vec<String> {
        let one = |line: &StoredLine| match line {
            StoredLine::Line(text) => String::from_utf8_lossy(text.raw()).into_owned(),
            StoredLine::NotKept => "-".into(),
        };
        lines.iter().map(one).collect()
    }

    #[test]
    fn what_is_stored_is_read_back_by_lines() {
        let home = tempfile::tempdir().expect("a folder");
        let store = EvidenceStore::new(home.path());
        let output = captured(b"one\ntwo\r\n\nfour");
        store.put(&output).expect("stored");
        store.put(&output).expect("twice is one");
        let lines = store.lines(&output.digest, 1..9).expect("read");
        assert_eq!(text(&lines), ["two\r", "", "four"]);
        assert!(store.lines(&Digest::of(b"other"), 0..1).is_err());
    }

    #[test]
    fn lines_between_head_and_tail_are_said_to_be_missing() {
        let all: String = (0..400_000).map(|n| format!("line {n}\n")).collect();
        let output = captured(all.as_bytes());
        let stored = Stored::of(&output);
        assert_eq!(text(&stored.lines_of(0..2)), ["line 0", "line 1"]);
        assert_eq!(text(&stored.lines_of(200_000..200_002)), ["-", "-"]);
        assert_eq!(text(&stored.lines_of(399_999..400_005)), ["line 399999"]);
        let every = stored.lines_of(0..400_000);
        assert_eq!(every.len(), 400_000);
        let wrong = every.iter().zip(0..).filter(|(line, n)| match line {
            StoredLine::Line(text) => text.raw() != format!("line {n}").as_bytes(),
            StoredLine::NotKept => false,
        });
        // Only the two lines that the cuts go through are not whole.
        assert!(wrong.count() <= 2);
    }

    #[test]
    fn a_changed_output_is_refused() {
        let home = tempfile::tempdir().expect("a folder");
        let store = EvidenceStore::new(home.path());
        let output = captured(b"1 failed");
        store.put(&output).expect("stored");
        let path = store.path(&output.digest);
        let text = std::fs::read_to_string(&path).expect("read");
        std::fs::write(&path, text.replace("1 failed", "0 failed")).expect("written");
        assert!(store.get(&output.digest).is_err());
    }
}
