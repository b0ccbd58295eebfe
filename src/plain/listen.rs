//! Lines from standard input, one for each question: what was typed before a question was shown
//! is thrown away and said.

use std::io::{self, BufRead as _};
use std::os::fd::AsFd as _;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// Longest line that is read.
const LIMIT: u64 = 64 * 1024;

type Read = io::Result<Option<String>>;

/// The reading end.
#[derive(Debug)]
pub(super) struct Listener {
    want: Sender<()>,
    lines: Receiver<Read>,
    at_terminal: bool,
}

impl Listener {
    pub(super) fn start(at_terminal: bool) -> io::Result<Self> {
        let (want, mut wanted) = channel::<()>(1);
        let (give, lines) = channel(1);
        std::thread::Builder::new()
            .name("lines".into())
            .spawn(move || {
                while wanted.blocking_recv().is_some() {
                    if give.blocking_send(one_line()).is_err() {
                        return;
                    }
                }
            })?;
        Ok(Self {
            want,
            lines,
            at_terminal,
        })
    }

    /// Asks for the next line.
    pub(super) fn want(&self) {
        let _ = self.want.try_send(());
    }

    /// The line, once it came.
    pub(super) async fn line(&mut self) -> Read {
        self.lines.recv().await.unwrap_or(Ok(None))
    }

    /// Throws away what was typed too early; whether there was anything.
    pub(super) fn refuse_early_lines(&self) -> io::Result<bool> {
        if !self.at_terminal {
            return Ok(false);
        }
        let stdin = io::stdin();
        let at_once = Timespec::default();
        let mut fds = [PollFd::from_borrowed_fd(stdin.as_fd(), PollFlags::IN)];
        let waiting = poll(&mut fds, Some(&at_once))? > 0
            && fds.iter().any(|fd| fd.revents().contains(PollFlags::IN));
        if waiting {
            rustix::termios::tcflush(stdin.as_fd(), rustix::termios::QueueSelector::IFlush)?;
        }
        Ok(waiting)
    }
}

fn one_line() -> Read {
    use io::Read as _;
    let mut bytes = Vec::new();
    let mut stdin = io::stdin().lock().take(LIMIT);
    if stdin.read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&bytes);
    Ok(Some(text.trim_end_matches(['\n', '\r']).to_owned()))
}
