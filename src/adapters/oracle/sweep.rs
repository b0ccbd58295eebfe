//! Finds, names and ends the descendants of this process (RUN-12).
//!
//! Works only in a single-threaded child subreaper: every orphan below it becomes its child, so
//! `ECHILD` proves that none is left. A process that is no descendant is never signalled: pids
//! are taken from the kernel's lists of children, starting at our own.

use std::fs;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, kill_process, wait};

/// Most bytes of a command line that names a survivor.
const NAME: usize = 200;
/// Most survivors that are named.
const NAMED: usize = 32;

/// Our own children, as the kernel lists them.
pub(super) fn children() -> Vec<Pid> {
    children_of("self")
}

fn children_of(process: &str) -> Vec<Pid> {
    let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for thread in threads.flatten() {
        let Ok(text) = fs::read_to_string(thread.path().join("children")) else {
            continue;
        };
        let pids = text.split_ascii_whitespace();
        found.extend(pids.filter_map(|p| p.parse().ok().and_then(Pid::from_raw)));
    }
    found
}

/// Everything below us.
pub(super) fn descendants() -> Vec<Pid> {
    let mut found = children();
    let mut next = 0;
    while let Some(pid) = found.get(next).copied() {
        next += 1;
        for child in children_of(&pid.as_raw_nonzero().to_string()) {
            if !found.contains(&child) {
                found.push(child);
            }
        }
    }
    found
}

/// `pid command`, for the record.
pub(super) fn name(pid: Pid) -> Vec<u8> {
    let raw = pid.as_raw_nonzero();
    let mut line = fs::read(format!("/proc/{raw}/cmdline")).unwrap_or_default();
    if line.is_empty() {
        line = fs::read(format!("/proc/{raw}/comm")).unwrap_or_default();
    }
    line.truncate(NAME);
    while line.last().is_some_and(|b| *b == 0 || *b == b'\n') {
        line.pop();
    }
    for byte in &mut line {
        if *byte == 0 {
            *byte = b' ';
        }
    }
    let mut out = format!("{raw} ").into_bytes();
    out.extend(line);
    out
}

/// The names of everything below us but `leader`.
pub(super) fn name_all_but(leader: Pid) -> Vec<Vec<u8>> {
    let mut pids = descendants();
    pids.retain(|pid| *pid != leader && !is_zombie(*pid));
    pids.iter().take(NAMED).map(|pid| name(*pid)).collect()
}

fn is_zombie(pid: Pid) -> bool {
    matches!(state(pid), Some(b'Z' | b'X') | None)
}

/// The letter of a process's state.
fn state(pid: Pid) -> Option<u8> {
    let stat = fs::read(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap_or_default();
    let after_name = stat.iter().rposition(|b| *b == b')').map_or(0, |at| at + 2);
    stat.get(after_name).copied()
}

/// Whether the launcher below a wall of processes stands still: the first child of the first child
/// of `wall`, which are the wall's own.
pub(super) fn only_child_stopped(wall: Pid) -> bool {
    let below = |pid: Pid| {
        children_of(&pid.as_raw_nonzero().to_string())
            .first()
            .copied()
    };
    let launcher = below(wall).and_then(below);
    launcher.is_some_and(|launcher| state(launcher) == Some(b'T'))
}

/// Sends a signal to everything below us.
pub(super) fn signal_all(signal: Signal) {
    for pid in descendants() {
        let _ = kill_process(pid, signal);
    }
}

/// Ends and reaps everything below us within `patience`; how many are left (0 is proved by
/// `ECHILD`). `reaped` is told each pid and its raw wait status.
pub(super) fn end_all(patience: Duration, mut reaped: impl FnMut(Pid, i32)) -> u32 {
    let until = Instant::now() + patience;
    loop {
        match wait(WaitOptions::NOHANG) {
            Err(Errno::CHILD) => return 0,
            Err(Errno::INTR) => {}
            Err(_) => return descendants().len() as u32,
            Ok(Some((pid, status))) => reaped(pid, status.as_raw()),
            Ok(None) => {
                // Stopping first keeps a loop of forks from running ahead of the list.
                signal_all(Signal::STOP);
                signal_all(Signal::KILL);
                if Instant::now() >= until {
                    return descendants().len() as u32;
                }
                std::thread::sleep(Duration::from_micros(300));
            }
        }
    }
}
