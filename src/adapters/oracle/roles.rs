//! The hidden roles of this binary that run oracles, chosen by the first argument before the
//! command line is read.

use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

use rustix::stdio::{dup2_stdin, stdin};

use crate::adapters::checkout;

use super::{launcher, supervisor};

/// First argument of a supervisor.
pub const SUPERVISOR: &str = "__supervisor";
/// First argument of a launcher.
pub const LAUNCHER: &str = "__launcher";

/// What a process of this role does instead of reading a command line.
#[must_use]
pub fn role(first: &OsStr) -> Option<fn() -> ExitCode> {
    match first.to_str() {
        Some(SUPERVISOR) => Some(supervisor::main),
        Some(LAUNCHER) => Some(launcher::main),
        Some(checkout::role::CHECKOUT) => Some(checkout::role::main),
        _ => None,
    }
}

/// This very file, also after an upgrade replaced its path.
pub const OWN_FILE: &str = "/proc/self/exe";

/// Moves the socket away from descriptor 0 and puts `/dev/null` there.
pub(in crate::adapters) fn socket_from_stdin() -> std::io::Result<UnixStream> {
    let socket: OwnedFd = rustix::io::fcntl_dupfd_cloexec(stdin(), 3)?;
    dup2_stdin(File::open("/dev/null")?)?;
    Ok(UnixStream::from(socket))
}
