//! Takes SGR sequences (colors, bold: `ESC [ digits and ; : m`) out of a stream of bytes and
//! remembers where each remaining byte stood. Everything else stays, other escapes included.

/// Longest parameter part that still counts as SGR; anything longer is ordinary bytes.
const PARAMETERS: usize = 64;

/// Bytes without SGR, with the places they came from.
#[derive(Clone, Debug, Default)]
pub struct Stripped {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Runs of bytes that stood side by side: start in `bytes`, offset in the stream.
    runs: Vec<(usize, u64)>,
}

impl Stripped {
    /// Where a byte of `bytes` stood in the stream.
    #[must_use]
    pub fn raw_offset(&self, at: usize) -> u64 {
        let run = self.runs.partition_point(|(start, _)| *start <= at);
        match run.checked_sub(1).and_then(|run| self.runs.get(run)) {
            Some((start, offset)) => offset + (at - start) as u64,
            None => at as u64,
        }
    }

    /// Forgets all but the last `keep` bytes; the number of LFs among those forgotten.
    pub fn keep_last(&mut self, keep: usize) -> u64 {
        let cut = self.bytes.len().saturating_sub(keep);
        if cut == 0 {
            return 0;
        }
        let lines = memchr::memchr_iter(b'\n', self.bytes.get(..cut).unwrap_or_default()).count();
        let offset = self.raw_offset(cut);
        let later = self.runs.partition_point(|(start, _)| *start <= cut);
        let mut runs = vec![(0, offset)];
        runs.extend(self.runs.iter().skip(later).map(|(s, o)| (s - cut, *o)));
        self.runs = runs;
        self.bytes.drain(..cut);
        lines as u64
    }

    fn push(&mut self, bytes: &[u8], offset: u64) {
        if bytes.is_empty() {
            return;
        }
        let joins = self
            .runs
            .last()
            .is_some_and(|(start, o)| o + (self.bytes.len() - start) as u64 == offset);
        if !joins {
            self.runs.push((self.bytes.len(), offset));
        }
        self.bytes.extend_from_slice(bytes);
    }
}

/// The state between two reads: how much of an escape sequence was seen.
#[derive(Clone, Debug, Default)]
pub struct Stripper {
    /// Bytes of the stream taken so far, those held back included.
    offset: u64,
    /// An unfinished sequence, from its ESC on.
    held: Vec<u8>,
}

impl Stripper {
    /// Appends `bytes` without SGR to `into`.
    pub fn feed(&mut self, bytes: &[u8], into: &mut Stripped) {
        let mut rest = bytes;
        while !rest.is_empty() {
            if self.held.is_empty() {
                let plain = memchr::memchr(0x1b, rest).unwrap_or(rest.len());
                let (text, more) = rest.split_at(plain);
                into.push(text, self.offset);
                self.offset += text.len() as u64;
                rest = more;
            }
            let Some((byte, more)) = rest.split_first() else {
                return;
            };
            rest = more;
            self.escape(*byte, into);
        }
    }

    /// The stream is over: what was held back is no sequence.
    pub fn finish(&mut self, into: &mut Stripped) {
        self.release(into);
    }

    fn escape(&mut self, byte: u8, into: &mut Stripped) {
        match (self.held.len(), byte) {
            (0, 0x1b) | (1, b'[') => self.hold(byte),
            (2.., b'0'..=b'9' | b';' | b':') if self.held.len() < PARAMETERS => self.hold(byte),
            (2.., b'm') => {
                self.held.clear();
                self.offset += 1;
            }
            (_, 0x1b) => {
                self.release(into);
                self.hold(byte);
            }
            _ => {
                self.release(into);
                into.push(&[byte], self.offset);
                self.offset += 1;
            }
        }
    }

    fn hold(&mut self, byte: u8) {
        self.held.push(byte);
        self.offset += 1;
    }

    fn release(&mut self, into: &mut Stripped) {
        let held = std::mem::take(&mut self.held);
        into.push(&held, self.offset - held.len() as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sgr_goes_and_places_stay_true() {
        let rows: [(&[u8], &[u8]); 7] = [
            (b"a\x1b[mb", b"ab"),
            (b"a\x1b[38;5;1mb\x1b[0m", b"ab"),
            (b"a\x1b[4:3mb", b"ab"),
            (b"a\x1b[2Kb", b"a\x1b[2Kb"),
            (b"a\x1b\x1b[1mb", b"a\x1bb"),
            (b"a\x1b]0;x\x07", b"a\x1b]0;x\x07"),
            (b"a\x1b[1", b"a\x1b[1"),
        ];
        for (bytes, wanted) in rows {
            for cut in 0..=bytes.len() {
                let (mut stripper, mut out) = (Stripper::default(), Stripped::default());
                stripper.feed(&bytes[..cut], &mut out);
                stripper.feed(&bytes[cut..], &mut out);
                stripper.finish(&mut out);
                assert_eq!(out.bytes, wanted, "{bytes:?} cut at {cut}");
                for (at, byte) in out.bytes.iter().enumerate() {
                    assert_eq!(bytes[out.raw_offset(at) as usize], *byte, "{bytes:?} {at}");
                }
            }
        }
    }

    #[test]
    fn forgetting_keeps_places_and_counts_lines() {
        let (mut stripper, mut out) = (Stripper::default(), Stripped::default());
        stripper.feed(b"a\nb\x1b[1mc\nd", &mut out);
        assert_eq!(out.keep_last(2), 1);
        assert_eq!((out.bytes.as_slice(), out.raw_offset(0)), (&b"\nd"[..], 8));
        assert_eq!(out.raw_offset(1), 9);
    }
}
