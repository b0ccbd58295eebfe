//! The hidden roles of this binary that run oracles, chosen by the first argument before the
//! command line is read.

use std::ffi::OsStr;
use std::process::ExitCode;

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
        _ => None,
    }
}

/// This very file, also after an upgrade replaced its path.
pub const OWN_FILE: &str = "/proc/self/exe";
