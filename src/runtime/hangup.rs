//! Notices that the terminal is gone (TUI-2). The event source would spin for ever instead.
//!
//! A thread sleeps in `poll` for nothing but the hang-up of standard input: keys never wake it
//! and it has no timer. When the loop does not end the session in time, the thread does.

use std::io;
use std::os::fd::AsFd as _;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};

/// How long the loop may take to leave before this thread ends the process.
const GRACE: Duration = Duration::from_millis(1500);

/// Starts the watcher. `tell` is called once when the terminal is gone; `last_words` when the
/// loop did not end the process within the grace.
///
/// # Errors
/// When no thread can be started.
pub fn watch(
    tell: impl FnOnce() + Send + 'static,
    last_words: impl FnOnce() + Send + 'static,
) -> io::Result<()> {
    std::thread::Builder::new()
        .name("hang-up".into())
        .stack_size(64 * 1024)
        .spawn(move || {
            let stdin = io::stdin();
            loop {
                let mut fds = [PollFd::from_borrowed_fd(stdin.as_fd(), PollFlags::empty())];
                let gone = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
                match poll(&mut fds, None) {
                    Ok(_) if fds.iter().any(|fd| fd.revents().intersects(gone)) => break,
                    Ok(_) | Err(rustix::io::Errno::INTR) => {}
                    Err(_) => return,
                }
            }
            tell();
            std::thread::sleep(GRACE);
            last_words();
            std::process::exit(129);
        })
        .map(|_| ())
}
