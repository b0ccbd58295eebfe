//! Keeps of a stream what evidence needs: digest and counts of everything, the first 256 KiB and
//! the last 1 MiB (RUN-15). Memory is bounded whatever comes in.

use std::collections::VecDeque;

use sha2::{Digest as _, Sha256};

use crate::model::id::Digest;
use crate::model::oracle::{Captured, KEPT_HEAD as HEAD, KEPT_TAIL as TAIL};
use crate::model::text::Foreign;

/// A stream while it is written.
#[derive(Debug, Default)]
pub struct Capture {
    hasher: Sha256,
    bytes: u64,
    line_ends: u64,
    last: Option<u8>,
    head: Vec<u8>,
    tail: VecDeque<u8>,
}

impl Capture {
    /// Takes the next bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        let Some(last) = bytes.last() else { return };
        self.hasher.update(bytes);
        self.bytes += bytes.len() as u64;
        self.line_ends += memchr::memchr_iter(b'\n', bytes).count() as u64;
        self.last = Some(*last);
        let room = HEAD.saturating_sub(self.head.len()).min(bytes.len());
        let (head, tail) = bytes.split_at(room);
        self.head.extend_from_slice(head);
        let tail = &tail[tail.len().saturating_sub(TAIL)..];
        let over = (self.tail.len() + tail.len()).saturating_sub(TAIL);
        self.tail.drain(..over);
        self.tail.extend(tail);
    }

    /// All bytes so far.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// All lines so far, an unfinished last one included.
    #[must_use]
    pub fn lines(&self) -> u64 {
        self.line_ends + u64::from(self.last.is_some_and(|b| b != b'\n'))
    }

    /// The last bytes, at most `most`.
    #[must_use]
    pub fn last_bytes(&self, most: usize) -> Vec<u8> {
        if self.tail.is_empty() {
            return self.head[self.head.len().saturating_sub(most)..].to_vec();
        }
        let skip = self.tail.len().saturating_sub(most);
        self.tail.iter().skip(skip).copied().collect()
    }

    /// The stream is over.
    #[must_use]
    pub fn finish(self) -> Captured {
        let lines = self.lines();
        let tail = Vec::from(self.tail);
        let ends_in_tail = memchr::memchr_iter(b'\n', &tail).count() as u64;
        Captured {
            bytes: self.bytes,
            digest: Digest(self.hasher.finalize().into()),
            lines,
            tail_line: self.line_ends - ends_in_tail + 1,
            head: Foreign::new(self.head),
            tail: Foreign::new(tail),
        }
    }
}

/// A stream that wrote nothing.
#[must_use]
pub fn nothing() -> Captured {
    Capture::default().finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_output_is_kept_whole() {
        let mut capture = Capture::default();
        capture.feed(b"one\ntw");
        capture.feed(b"o");
        let kept = capture.finish();
        assert_eq!(kept.head.raw(), b"one\ntwo");
        assert_eq!((kept.bytes, kept.lines, kept.tail_line), (7, 2, 2));
        assert!(kept.tail.raw().is_empty());
        assert_eq!(kept.digest, Digest::of(b"one\ntwo"));
    }

    #[test]
    fn of_a_flood_head_and_tail_are_kept_and_everything_is_hashed() {
        let line = b"0123456789abcde\n";
        let all = line.repeat(400_000);
        let mut capture = Capture::default();
        for part in all.chunks(70_001) {
            capture.feed(part);
        }
        let kept = capture.finish();
        assert_eq!(kept.digest, Digest::of(&all));
        assert_eq!(kept.lines, 400_000);
        assert_eq!(kept.head.raw(), &all[..HEAD]);
        assert_eq!(kept.tail.raw(), &all[all.len() - TAIL..]);
        assert_eq!(kept.tail_line, 400_000 - (TAIL / line.len()) as u64 + 1);
    }
}
