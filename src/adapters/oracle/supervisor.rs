//! The supervisor of one launcher: small, unrestricted, knows nothing of git or the terminal. It
//! outlives a launcher that its CHECK killed and ends everything that is left; it ends everything
//! as well when the session is gone, whatever ended the session (RUN-25).

use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, PidfdFlags, WaitId, WaitIdOptions, pidfd_open, set_child_subreaper, setsid, waitid,
};
use rustix::stdio::{dup2_stdout, stdout};

use super::roles::{LAUNCHER, OWN_FILE, socket_from_stdin};
use super::{sweep, wire};

/// Longest wait for killed descendants.
const PATIENCE: Duration = Duration::from_secs(5);
/// Between two looks at whether the launcher was stopped.
const LOOK: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 250_000_000,
};

/// The main of a supervisor: stdin is the line to the session, stdout the launcher's socket.
pub(super) fn main() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn serve() -> std::io::Result<()> {
    let _ = rustix::thread::set_name(c"cs-supervisor");
    let _ = setsid();
    set_child_subreaper(Some(rustix::process::getpid()))?;
    let mut session = socket_from_stdin()?;
    let launcher_end: OwnedFd = rustix::io::fcntl_dupfd_cloexec(stdout(), 3)?;
    dup2_stdout(File::options().write(true).open("/dev/null")?)?;
    close_fds::set_fds_cloexec(3, &[]);
    // the words after the role start the launcher behind a further wall
    let mut within = std::env::args_os().skip(2);
    let mut command = match within.next() {
        Some(wall) => Command::new(wall),
        None => Command::new(OWN_FILE),
    };
    if command.get_program() == OWN_FILE {
        command.arg(LAUNCHER);
    }
    let launcher = command
        .args(within)
        .env_clear()
        .stdin(Stdio::from(launcher_end))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let pid = Pid::from_child(&launcher);
    wait_for_an_end(&session, pid)?;
    let mut left = sweep::name_all_but(pid);
    left.truncate(8);
    let alive = sweep::end_all(PATIENCE, |_, _| {});
    // Nobody listens when it was the session that ended.
    let _ = wire::send(&mut session, &(left, alive));
    Ok(())
}

/// Waits until the launcher has ended or was stopped, or the session is gone. Nobody but a CHECK
/// stops a launcher; one that stands still keeps no time limit and answers nobody (RUN-14).
fn wait_for_an_end(session: &UnixStream, launcher: Pid) -> std::io::Result<()> {
    let pidfd = pidfd_open(launcher, PidfdFlags::empty())?;
    loop {
        let mut fds = [
            PollFd::new(&pidfd, PollFlags::IN),
            PollFd::new(session, PollFlags::IN),
        ];
        match poll(&mut fds, Some(&LOOK)) {
            Ok(0) => {
                let stopped = WaitIdOptions::STOPPED | WaitIdOptions::NOHANG;
                if waitid(WaitId::Pid(launcher), stopped)?.is_some()
                    || sweep::only_child_stopped(launcher)
                {
                    return Ok(());
                }
            }
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
            Ok(_) => return Ok(()),
        }
    }
}
