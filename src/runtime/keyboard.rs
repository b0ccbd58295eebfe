//! What the terminal sends, as events: read on the loop's own task, without a thread, and only
//! while the terminal is ours.
//!
//! Nothing here waits for the rest of a sequence that was cut in two, and nothing is read while
//! an editor has the terminal. The descriptor is our own description of `/dev/tty`, so that not
//! blocking on it changes nothing for the shell.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::time::Duration;

use termina::{Event, Parser};
use tokio::net::unix::pipe::Receiver;

/// How long a sequence may stay unfinished: after that, a lone ESC is the key Esc.
const SEQUENCE: Duration = Duration::from_millis(20);
/// What a terminal puts before pasted text (xterm, bracketed paste).
const PASTE: &[u8] = b"\x1b[200~";
const CHUNK: usize = 4096;

/// The reading end of a terminal in raw mode.
#[derive(Debug)]
pub struct Keyboard {
    /// Any descriptor that becomes readable will do for this type; a terminal is one.
    tty: Receiver,
    decoder: Decoder,
}

impl Keyboard {
    /// Starts reading. `tty` must not block. Must be called inside the runtime.
    ///
    /// # Errors
    /// When the terminal cannot be waited for.
    pub fn new(tty: File) -> io::Result<Self> {
        Ok(Self {
            tty: Receiver::from_file_unchecked(tty)?,
            decoder: Decoder::default(),
        })
    }

    /// The next event; `None` when the terminal is gone. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.decoder.events.pop_front() {
                return Some(event);
            }
            if self.decoder.is_waiting() {
                let more = tokio::time::timeout(SEQUENCE, self.tty.readable()).await;
                if more.is_err() {
                    self.decoder.give_up();
                    continue;
                }
            }
            self.tty.readable().await.ok()?;
            let mut chunk = [0; CHUNK];
            match self.tty.try_read(&mut chunk) {
                Ok(0) => return None,
                Ok(count) => self.decoder.feed(chunk.get(..count).unwrap_or_default()),
                Err(error) => match error.kind() {
                    ErrorKind::WouldBlock | ErrorKind::Interrupted => {}
                    _ => return None,
                },
            }
        }
    }
}

/// Bytes to events. A sequence may be cut anywhere.
#[derive(Debug, Default)]
struct Decoder {
    parser: Parser,
    /// The bytes since the last whole event.
    unfinished: Vec<u8>,
    events: VecDeque<Event>,
}

impl Decoder {
    fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.unfinished.push(*byte);
            self.parser.parse(std::slice::from_ref(byte), true);
            self.collect();
        }
    }

    fn collect(&mut self) {
        while let Some(event) = self.parser.pop() {
            self.events.push_back(event);
            self.unfinished.clear();
        }
    }

    /// Whether the rest of a sequence must come soon. Pasted text may take its time.
    fn is_waiting(&self) -> bool {
        !self.unfinished.is_empty() && !self.is_pasting()
    }

    fn is_pasting(&self) -> bool {
        memchr::memmem::find(&self.unfinished, PASTE).is_some()
    }

    /// No more came: a lone ESC is a key, half a sequence is nothing.
    fn give_up(&mut self) {
        self.parser.parse(&[], false);
        self.collect();
        if !self.unfinished.is_empty() {
            self.parser = Parser::default();
            self.unfinished.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use termina::event::{KeyCode, KeyEvent, Modifiers};

    use super::*;

    fn decoded(pieces: &[&[u8]]) -> Vec<Event> {
        let mut decoder = Decoder::default();
        for piece in pieces {
            decoder.feed(piece);
        }
        if decoder.is_waiting() {
            decoder.give_up();
        }
        assert!(!decoder.is_waiting());
        decoder.events.into()
    }

    fn key(code: KeyCode) -> Event {
        Event::Key(code.into())
    }

    #[test]
    fn a_sequence_may_be_cut_anywhere() {
        let whole = "\x1b[A\x1b[5~é\x1b[200~r\x1b\n\x1b[201~x".as_bytes();
        let wanted = vec![
            key(KeyCode::Up),
            key(KeyCode::PageUp),
            key(KeyCode::Char('é')),
            Event::Paste("r\x1b\n".into()),
            key(KeyCode::Char('x')),
        ];
        for cut in 0..whole.len() {
            let (first, second) = whole.split_at(cut);
            assert_eq!(decoded(&[first, second]), wanted, "cut at {cut}");
        }
    }

    #[test]
    fn what_stays_unfinished_swallows_no_later_key() {
        let alt = |character| KeyEvent::new(KeyCode::Char(character), Modifiers::ALT);
        for (bytes, wanted) in [
            (&b"\x1b"[..], vec![key(KeyCode::Escape)]),
            (b"\x1b[", vec![]),
            (b"\x1b]", vec![]),
            (b"\x1bP", vec![]),
            (b"\xe2\x82", vec![]),
            (b"\x1bj", vec![Event::Key(alt('j'))]),
        ] {
            let mut decoder = Decoder::default();
            decoder.feed(bytes);
            decoder.give_up();
            decoder.feed(b"q");
            let mut wanted = wanted;
            wanted.push(key(KeyCode::Char('q')));
            assert_eq!(Vec::from(decoder.events), wanted, "{bytes:?}");
        }
    }

    #[test]
    fn a_paste_that_is_slow_stays_a_paste() {
        let mut decoder = Decoder::default();
        decoder.feed(b"\xff\x1b[200~rrr");
        assert!(!decoder.is_waiting());
        decoder.feed(b"S\x1b[201~");
        assert_eq!(Vec::from(decoder.events), [Event::Paste("rrrS".into())]);
    }
}
