//! The one object that changes the terminal, and that gives it back on every way out (TUI-1).
//!
//! Raw mode, alternate screen, cursor, bracketed paste, focus reports and mouse reports are
//! switched here and nowhere else. It never asks the terminal a question (P12) and never waits
//! longer than a moment for a terminal that does not read (TUI-9).

use std::fs::File;
use std::io::{self, IsTerminal as _, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::lines;
use crate::model::text::{Foreign, Place};

/// How long a terminal that does not read may hold up the giving back.
const PATIENCE: Duration = Duration::from_millis(400);

/// Why there is no terminal to work on, as a lower-case fragment.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoTerminal {
    /// Standard input is something else.
    #[error("standard input is not a terminal")]
    Input,
    /// Standard input is a terminal, but not the one this process belongs to (K25).
    #[error("standard input is not the terminal that this process belongs to")]
    Foreign,
    /// `TERM` is unset or `dumb`.
    #[error("this terminal cannot draw (TERM is {0})")]
    Dumb(String),
    /// The terminal could not be opened or asked.
    #[error("the terminal cannot be used: {0}")]
    Io(String),
}

/// The terminal of this process, in or out of its drawing state.
#[derive(Debug)]
pub struct Guard {
    /// Our own description of `/dev/tty`, non-blocking; the shell's descriptors are untouched.
    tty: File,
    mouse: bool,
    entered: AtomicBool,
}

static CURRENT: OnceLock<Arc<Guard>> = OnceLock::new();

/// Checks rulings K25: standard input is the controlling terminal of this process.
///
/// # Errors
/// Which part of it is not so.
pub fn controlling_input() -> Result<(), NoTerminal> {
    let stdin = io::stdin();
    if !stdin.is_terminal() {
        return Err(NoTerminal::Input);
    }
    rustix::termios::tcgetsid(stdin.as_fd()).map_err(|_| NoTerminal::Foreign)?;
    Ok(())
}

impl Guard {
    /// The terminal, still as it was.
    ///
    /// # Errors
    /// When there is none that can be drawn on.
    pub fn open(mouse: bool) -> Result<Arc<Self>, NoTerminal> {
        controlling_input()?;
        match std::env::var("TERM") {
            Ok(term) if !term.is_empty() && term != "dumb" => {}
            Ok(term) if !term.is_empty() => return Err(NoTerminal::Dumb(term)),
            _ => return Err(NoTerminal::Dumb("unset".into())),
        }
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        let tty = File::options()
            .read(true)
            .write(true)
            .custom_flags(flags.bits().cast_signed())
            .open("/dev/tty")
            .map_err(|error| NoTerminal::Io(error.to_string()))?;
        let guard = Arc::new(Self {
            tty,
            mouse,
            entered: AtomicBool::new(false),
        });
        let _ = CURRENT.set(Arc::clone(&guard));
        Ok(guard)
    }

    /// The descriptor that frames are written to.
    #[must_use]
    pub fn tty(&self) -> &File {
        &self.tty
    }

    /// Columns and rows now; 0 by 0 when the terminal does not know.
    #[must_use]
    pub fn size(&self) -> (u16, u16) {
        rustix::termios::tcgetwinsize(&self.tty)
            .map(|size| (size.ws_col, size.ws_row))
            .unwrap_or((0, 0))
    }

    /// Takes the terminal.
    ///
    /// # Errors
    /// When it cannot be switched.
    pub fn enter(&self) -> io::Result<()> {
        crossterm::terminal::enable_raw_mode()?;
        self.entered.store(true, Ordering::SeqCst);
        let mut modes = String::from("\x1b[?1049h\x1b[?25l\x1b[?2004h\x1b[?1004h\x1b[H\x1b[2J");
        if self.mouse {
            modes.push_str("\x1b[?1000h\x1b[?1002h\x1b[?1006h");
        }
        self.write_all_soon(modes.as_bytes())
    }

    /// Gives it back, once; every later call does nothing.
    pub fn leave(&self) {
        if !self.entered.swap(false, Ordering::SeqCst) {
            return;
        }
        let mut modes = String::from("\x1b[0m");
        if self.mouse {
            modes.push_str("\x1b[?1006l\x1b[?1002l\x1b[?1000l");
        }
        modes.push_str("\x1b[?1004l\x1b[?2004l\x1b[?25h\x1b[?1049l");
        let _ = self.write_all_soon(modes.as_bytes());
        let _ = crossterm::terminal::disable_raw_mode();
    }

    /// Writes all of it, or gives up on a terminal that does not read.
    fn write_all_soon(&self, mut bytes: &[u8]) -> io::Result<()> {
        let end = Instant::now() + PATIENCE;
        while !bytes.is_empty() {
            match (&self.tty).write(bytes) {
                Ok(written) => bytes = bytes.get(written..).unwrap_or_default(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    let left = end.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return Err(error);
                    }
                    wait_writable(&self.tty, Some(left))?;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Waits until the terminal takes bytes again.
///
/// # Errors
/// Any failure of `poll`.
pub fn wait_writable(tty: impl AsFd, at_most: Option<Duration>) -> io::Result<()> {
    let timeout = at_most.and_then(|d| Timespec::try_from(d).ok());
    let mut fds = [PollFd::new(&tty, PollFlags::OUT)];
    match poll(&mut fds, timeout.as_ref()) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Makes a panic in any thread give the terminal back, keep the drafts and end the process with
/// 101 after an escaped report (TUI-4). `last_words` runs after the terminal was given back.
pub fn on_panic(last_words: impl Fn() + Send + Sync + 'static) {
    std::panic::set_hook(Box::new(move |info| {
        if let Some(guard) = CURRENT.get() {
            guard.leave();
        }
        last_words();
        let what = info
            .payload()
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| info.payload().downcast_ref::<String>().cloned())
            .unwrap_or_else(|| String::from("no message"));
        let place = info
            .location()
            .map(|at| format!("{}:{}", at.file(), at.line()))
            .unwrap_or_default();
        let mut out = lines::stderr();
        let _ = writeln!(
            out,
            "countersign: a fault of ours at {place}: {}",
            Foreign::from(what).shown(Place::Strict)
        );
        let _ = writeln!(
            out,
            "  report it; what was recorded stands, and drafts are kept"
        );
        let _ = out.flush();
        std::process::exit(101);
    }));
}
