//! A real terminal: the built program behind a pseudo-terminal, its screen kept by an emulator.
//! Nothing here sleeps for a fixed time: every wait is for a condition, with a deadline.

mod ask;
mod chains;
mod hands;
mod seal;
pub(crate) mod seat;
mod triage;
mod way_out;
mod weight;

use std::io::{Read as _, Write as _};
use std::process::Command;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use rustix::process::{Pid, Signal, kill_process};

/// Patience with a loaded machine; nothing waits that long when all is well.
pub(crate) const DEADLINE: Duration = Duration::from_secs(20);

/// What came out of the terminal so far.
pub(crate) struct Seen {
    /// The emulated screen.
    pub(crate) parser: vt100::Parser,
    /// Every byte.
    pub(crate) bytes: Vec<u8>,
    closed: bool,
}

impl Seen {
    /// Whether nothing more can come.
    pub(crate) fn closed(&self) -> bool {
        self.closed
    }

    /// The screen as text.
    pub(crate) fn text(&self) -> String {
        self.parser.screen().contents()
    }
}

/// A program on a terminal of its own.
pub(crate) struct Terminal {
    master: Box<dyn MasterPty + Send>,
    child: Box<dyn Child + Send + Sync>,
    writer: Option<Box<dyn std::io::Write + Send>>,
    seen: Arc<(Mutex<Seen>, Condvar)>,
    before: String,
}

impl Terminal {
    /// Starts `command` (its environment is taken over exactly) at this size.
    pub(crate) fn start(command: &Command, columns: u16, rows: u16) -> Self {
        let size = PtySize {
            rows,
            cols: columns,
            pixel_width: 0,
            pixel_height: 0,
        };
        let pair = native_pty_system().openpty(size).expect("a terminal");
        let before = termios(pair.master.as_ref());
        let child = pair
            .slave
            .spawn_command(builder(command))
            .expect("the program starts");
        drop(pair.slave);
        let seen = Arc::new((
            Mutex::new(Seen {
                parser: vt100::Parser::new(cells(rows), cells(columns), 0),
                bytes: Vec::new(),
                closed: false,
            }),
            Condvar::new(),
        ));
        let mut reader = pair.master.try_clone_reader().expect("a reader");
        let feed = Arc::clone(&seen);
        std::thread::spawn(move || {
            let mut chunk = [0; 8192];
            loop {
                let got = reader.read(&mut chunk).unwrap_or(0);
                let (lock, bell) = &*feed;
                let mut seen = lock.lock().unwrap_or_else(PoisonError::into_inner);
                if got == 0 {
                    seen.closed = true;
                } else {
                    seen.parser.process(&chunk[..got]);
                    seen.bytes.extend_from_slice(&chunk[..got]);
                }
                bell.notify_all();
                if got == 0 {
                    return;
                }
            }
        });
        Self {
            writer: Some(pair.master.take_writer().expect("a writer")),
            master: pair.master,
            child,
            seen,
            before,
        }
    }

    /// Waits until `ready` says so; panics with the screen when it does not in time.
    pub(crate) fn until(&self, what: &str, ready: impl Fn(&Seen) -> bool) -> MutexGuard<'_, Seen> {
        self.within(DEADLINE, what, ready)
    }

    /// The same with a deadline of its own.
    pub(crate) fn within(
        &self,
        deadline: Duration,
        what: &str,
        ready: impl Fn(&Seen) -> bool,
    ) -> MutexGuard<'_, Seen> {
        let end = Instant::now() + deadline;
        let (lock, bell) = &*self.seen;
        let mut seen = lock.lock().unwrap_or_else(PoisonError::into_inner);
        while !ready(&seen) {
            let left = end.saturating_duration_since(Instant::now());
            assert!(
                !left.is_zero(),
                "waited for {what}; the screen is\n{}\n(closed: {})",
                seen.text(),
                seen.closed
            );
            (seen, _) = bell
                .wait_timeout(seen, left.min(Duration::from_millis(200)))
                .unwrap_or_else(PoisonError::into_inner);
        }
        seen
    }

    /// Waits until the words stand on the screen.
    pub(crate) fn shows(&self, words: &str) {
        drop(self.until(words, |seen| seen.text().contains(words)));
    }

    /// What came so far.
    pub(crate) fn seen(&self) -> MutexGuard<'_, Seen> {
        let (lock, _) = &*self.seen;
        lock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Types bytes.
    pub(crate) fn keys(&mut self, bytes: &str) {
        let writer = self.writer.as_mut().expect("the terminal is open");
        writer
            .write_all(bytes.as_bytes())
            .expect("the terminal takes keys");
        writer.flush().expect("the terminal takes keys");
    }

    /// Presses a key, again when it was taken for a part of a burst, until the words are shown.
    pub(crate) fn press_until(&mut self, key: &str, words: &str) {
        let end = Instant::now() + DEADLINE;
        while !self.seen().text().contains(words) {
            assert!(Instant::now() < end, "no {words}:\n{}", self.seen().text());
            self.keys(key);
            let (lock, bell) = &*self.seen;
            let seen = lock.lock().unwrap_or_else(PoisonError::into_inner);
            let patience = Duration::from_millis(300);
            let _ = bell.wait_timeout_while(seen, patience, |s| !s.text().contains(words));
        }
    }

    /// Presses a key again and again until the program ends.
    pub(crate) fn keys_until_gone(&mut self, bytes: &str) {
        let end = Instant::now() + DEADLINE;
        while self.child.try_wait().expect("a status").is_none() {
            assert!(Instant::now() < end, "it goes on:\n{}", self.seen().text());
            let writer = self.writer.as_mut().expect("the terminal is open");
            let _ = writer.write_all(bytes.as_bytes());
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// The program's process.
    pub(crate) fn pid(&self) -> Pid {
        let id = self.child.process_id().expect("a process");
        Pid::from_raw(id.cast_signed()).expect("a process id")
    }

    /// Sends a signal.
    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).expect("the signal is sent");
    }

    /// Waits for the end and all that was said before it, and returns the exit code.
    pub(crate) fn ends(&mut self) -> u32 {
        let end = Instant::now() + DEADLINE;
        loop {
            if let Some(status) = self.child.try_wait().expect("a status") {
                drop(self.until("the last of its output", Seen::closed));
                return status.exit_code();
            }
            if Instant::now() > end {
                let _ = self.child.kill();
                panic!("it did not end; the screen is\n{}", self.seen().text());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Asserts that the terminal is as it was: line discipline, screen, cursor, paste, mouse,
    /// focus (TUI-1).
    pub(crate) fn is_as_before(&self) {
        let same = || termios(self.master.as_ref()) == self.before;
        wait_for("the line discipline is as before", same);
        let what = "the modes are given back";
        let seen = self.until(what, |seen| !seen.parser.screen().alternate_screen());
        let screen = seen.parser.screen();
        assert!(!screen.hide_cursor(), "the cursor is back");
        assert!(!screen.bracketed_paste(), "paste is plain");
        assert_eq!(
            screen.mouse_protocol_mode(),
            vt100::MouseProtocolMode::None,
            "the mouse is free"
        );
        let text = String::from_utf8_lossy(&seen.bytes);
        assert_eq!(
            text.matches("\u{1b}[?1004h").count(),
            text.matches("\u{1b}[?1004l").count(),
            "focus reports are off"
        );
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits for a condition, with a deadline.
pub(crate) fn wait_for(what: &str, ready: impl Fn() -> bool) {
    let end = Instant::now() + DEADLINE;
    while !ready() {
        assert!(Instant::now() < end, "waited for {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn termios(master: &dyn MasterPty) -> String {
    format!("{:?}", master.get_termios().expect("a terminal"))
}

fn builder(command: &Command) -> CommandBuilder {
    let mut builder = CommandBuilder::new(command.get_program());
    builder.args(command.get_args());
    builder.env_clear();
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            builder.env(name, value);
        }
    }
    if let Some(dir) = command.get_current_dir() {
        builder.cwd(dir);
    }
    builder
}

fn cells(count: u16) -> std::num::NonZero<u16> {
    std::num::NonZero::new(count).expect("at least one cell")
}
