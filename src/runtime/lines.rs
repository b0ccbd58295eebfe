//! Lines for a terminal: the one way to stdout and stderr of everything that is printed and not
//! drawn. Whatever is written is swept line by line, so that text which nobody escaped still
//! reaches nobody's terminal (OUT-1, OUT-8). JSON is escaped by its own writer.

use std::io::{self, Write};

use crate::model::text::swept;

/// Stdout, swept.
#[must_use]
pub fn stdout() -> Lines<io::StdoutLock<'static>> {
    Lines::new(io::stdout().lock())
}

/// Stderr, swept.
#[must_use]
pub fn stderr() -> Lines<io::StderrLock<'static>> {
    Lines::new(io::stderr().lock())
}

/// A writer of whole lines; what is left without a line end goes out when it is flushed or
/// dropped, so a question stands before its answer.
#[derive(Debug)]
pub struct Lines<W: Write> {
    out: W,
    kept: Vec<u8>,
}

impl<W: Write> Lines<W> {
    /// Writes to `out`.
    pub fn new(out: W) -> Self {
        Self {
            out,
            kept: Vec::new(),
        }
    }

    fn send(&mut self, line: &[u8], end: &[u8]) -> io::Result<()> {
        let line = String::from_utf8_lossy(line);
        self.out.write_all(swept(&line).as_bytes())?;
        self.out.write_all(end)
    }
}

impl<W: Write> Write for Lines<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut lines = bytes.split(|byte| *byte == b'\n').peekable();
        while let Some(line) = lines.next() {
            self.kept.extend_from_slice(line);
            if lines.peek().is_some() {
                let whole = std::mem::take(&mut self.kept);
                self.send(&whole, b"\n")?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let rest = std::mem::take(&mut self.kept);
        self.send(&rest, b"")?;
        self.out.flush()
    }
}

impl<W: Write> Drop for Lines<W> {
    fn drop(&mut self) {
        let _ = self.flush();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_escaped_is_swept_and_the_rest_stays_as_it_is() {
        let mut got = Vec::new();
        {
            let mut out = Lines::new(&mut got);
            // a sequence in pieces, and a name that would begin a line of its own
            for piece in [
                "a\u{1b}",
                "]0;x\u{7}b\tc\n",
                "",
                "\n",
                "\u{202e}d \u{2014} é\nq? ",
            ] {
                out.write_all(piece.as_bytes()).expect("written");
            }
            out.flush().expect("flushed");
            out.write_all(b"\xff\x9b2J").expect("written");
        }
        assert_eq!(
            String::from_utf8_lossy(&got),
            "a^[]0;x^Gb\tc\n\n<U+202E>d \u{2014} é\nq? \u{fffd}\u{fffd}2J"
        );
    }
}
