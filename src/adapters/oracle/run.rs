//! One run of one CHECK inside a launcher, from spawn to the proof that nothing of it is left
//! (RUN-8, RUN-10, RUN-12 to RUN-17).

use std::ffi::OsStr;
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};

use crate::model::oracle::{Ended, Expect, Stream};

use super::capture::{Capture, nothing};
use super::matcher::{Matcher, Pattern};
use super::sweep;
use super::wire::{self, Order, Setup, WireResult, Word};

/// From TERM to KILL.
const GRACE: Duration = Duration::from_secs(2);
/// Longest reading after the leader is gone.
const DRAIN: Duration = Duration::from_secs(1);
/// Silence after which nothing more is waited for once the leader is gone.
const QUIET: Duration = Duration::from_millis(200);
/// Longest wait for killed descendants.
const SWEEP: Duration = Duration::from_secs(5);
/// Between two words about the output.
const TELL: Duration = Duration::from_millis(100);
/// Bytes of the end of the output in such a word.
const TOLD: usize = 4 << 10;
/// Bytes of one read.
const READ: usize = 64 << 10;

/// Runs it; `Err` only when the session is gone.
pub(super) fn run(
    setup: &Setup,
    link: &mut UnixStream,
    check: &[u8],
    expect: &Expect,
    limit: Duration,
) -> io::Result<WireResult> {
    let started = Instant::now();
    let pattern = match Pattern::compile(expect) {
        Ok(pattern) => pattern,
        Err(why) => return Ok(not_started(why.to_string())),
    };
    let mut child = match spawn(setup, check) {
        Ok(child) => child,
        Err(error) => {
            return Ok(not_started(format!(
                "{} could not be started: {error}",
                String::from_utf8_lossy(&setup.shell)
            )));
        }
    };
    let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
        return Ok(not_started("no pipes".into()));
    };
    let leader = Pid::from_child(&child);
    let mut watch = Watch {
        pidfd: pidfd_open(leader, PidfdFlags::empty())?,
        leader,
        stdout: Tap::new(stdout.into(), &pattern, Stream::Stdout),
        stderr: Tap::new(stderr.into(), &pattern, Stream::Stderr),
        started,
        limit,
        stopping: None,
        told: started,
        buffer: vec![0; READ],
    };
    let alive = watch.until_leader_is_gone(link);
    watch.drain();
    let duration = started.elapsed();
    let survivors = sweep::name_all_but(leader);
    // The leader is not reaped yet, so its number can be nobody else's.
    let _ = kill_process_group(leader, Signal::KILL);
    let status = child.wait();
    let left = sweep::end_all(SWEEP, |_, _| {});
    alive?;
    Ok(watch.result(status, survivors, left, duration))
}

fn spawn(setup: &Setup, check: &[u8]) -> io::Result<Child> {
    let shell = Path::new(OsStr::from_bytes(&setup.shell));
    let environment = setup
        .environment
        .iter()
        .map(|(name, value)| (OsStr::from_bytes(name), OsStr::from_bytes(value)));
    Command::new(shell)
        .arg("-c")
        .arg("--")
        .arg(OsStr::from_bytes(check))
        .env_clear()
        .envs(environment)
        .current_dir(OsStr::from_bytes(&setup.tree))
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
}

fn not_started(why: String) -> WireResult {
    WireResult {
        ended: Ended::NotStarted(why).into(),
        marker: None,
        survivors: Vec::new(),
        alive: 0,
        duration_ms: 0,
        stdout: nothing().into(),
        stderr: nothing().into(),
    }
}

/// Why and since when we end a run.
#[derive(Clone, Copy, Debug)]
struct Stopping {
    timed_out: bool,
    kill_at: Instant,
    killed: bool,
}

/// One stream of the run.
struct Tap<'p> {
    pipe: Option<Pipe>,
    capture: Capture,
    matcher: Matcher<'p>,
}

enum Pipe {
    Out(ChildStdout),
    Err(ChildStderr),
}

impl From<ChildStdout> for Pipe {
    fn from(pipe: ChildStdout) -> Self {
        Self::Out(pipe)
    }
}

impl From<ChildStderr> for Pipe {
    fn from(pipe: ChildStderr) -> Self {
        Self::Err(pipe)
    }
}

impl Pipe {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Out(pipe) => pipe.read(into),
            Self::Err(pipe) => pipe.read(into),
        }
    }

    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        match self {
            Self::Out(pipe) => pipe.as_fd(),
            Self::Err(pipe) => pipe.as_fd(),
        }
    }
}

impl<'p> Tap<'p> {
    fn new(pipe: Pipe, pattern: &'p Pattern, stream: Stream) -> Self {
        Self {
            pipe: Some(pipe),
            capture: Capture::default(),
            matcher: Matcher::new(pattern, stream),
        }
    }

    /// Reads once; the pipe is dropped at its end.
    fn read(&mut self, buffer: &mut [u8]) -> usize {
        let Some(pipe) = &mut self.pipe else { return 0 };
        match pipe.read(buffer) {
            Ok(0) => self.pipe = None,
            Ok(count) => {
                let bytes = buffer.get(..count).unwrap_or_default();
                self.capture.feed(bytes);
                self.matcher.feed(bytes);
                return count;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => self.pipe = None,
        }
        0
    }
}

/// A run that lives.
struct Watch<'p> {
    pidfd: OwnedFd,
    leader: Pid,
    stdout: Tap<'p>,
    stderr: Tap<'p>,
    started: Instant,
    limit: Duration,
    stopping: Option<Stopping>,
    told: Instant,
    buffer: Vec<u8>,
}

/// What one poll saw.
#[derive(Clone, Copy, Default)]
struct Ready {
    leader: bool,
    link: bool,
    stdout: bool,
    stderr: bool,
}

impl Watch<'_> {
    /// Reads, tells and keeps the limits until the leader has exited; `Err` when the session is
    /// gone (the run is ended all the same).
    fn until_leader_is_gone(&mut self, link: &mut UnixStream) -> io::Result<()> {
        let mut session = Ok(());
        let mut unsaid = false;
        loop {
            let now = Instant::now();
            self.keep_limits(now);
            let mut wait = self.next_deadline().saturating_duration_since(now);
            if unsaid && session.is_ok() {
                let due = self.told + TELL;
                if now >= due {
                    self.told = now;
                    unsaid = false;
                    session = self.tell(link);
                } else {
                    wait = wait.min(due - now);
                }
            }
            let ready = self.poll(true, session.is_ok().then_some(&*link), wait);
            if ready.link && session.is_ok() {
                match wire::receive::<Order>(link) {
                    Ok(Order::Stop | Order::Run { .. }) => self.stop(false),
                    Err(error) => {
                        session = Err(error);
                        self.stop(false);
                    }
                }
            }
            unsaid |= self.read(ready) > 0;
            if ready.leader {
                return session;
            }
        }
    }

    fn next_deadline(&self) -> Instant {
        match self.stopping {
            None => self.started + self.limit,
            Some(stopping) if !stopping.killed => stopping.kill_at,
            // Only the kernel can be waited for now.
            Some(_) => Instant::now() + SWEEP,
        }
    }

    fn keep_limits(&mut self, now: Instant) {
        if self.stopping.is_none() && now.duration_since(self.started) >= self.limit {
            self.stop(true);
        }
        if let Some(stopping) = &mut self.stopping
            && !stopping.killed
            && now >= stopping.kill_at
        {
            stopping.killed = true;
            let _ = kill_process_group(self.leader, Signal::KILL);
            sweep::signal_all(Signal::KILL);
        }
    }

    /// TERM now, KILL after the grace.
    fn stop(&mut self, timed_out: bool) {
        if self.stopping.is_some() {
            return;
        }
        self.stopping = Some(Stopping {
            timed_out,
            kill_at: Instant::now() + GRACE,
            killed: false,
        });
        let _ = kill_process_group(self.leader, Signal::TERM);
        // One that stopped itself could not hear it.
        let _ = kill_process_group(self.leader, Signal::CONT);
    }

    /// Waits for the leader's end (unless it was seen), the session and the streams.
    fn poll(&self, leader: bool, link: Option<&UnixStream>, wait: Duration) -> Ready {
        let mut fds = Vec::with_capacity(4);
        let mut slots = [None; 4];
        if leader {
            slots[0] = Some(fds.len());
            fds.push(PollFd::new(&self.pidfd, PollFlags::IN));
        }
        if let Some(link) = link {
            slots[1] = Some(fds.len());
            fds.push(PollFd::new(link, PollFlags::IN));
        }
        for (slot, tap) in [(2, &self.stdout), (3, &self.stderr)] {
            if let Some(pipe) = &tap.pipe {
                slots[slot] = Some(fds.len());
                fds.push(PollFd::from_borrowed_fd(pipe.as_fd(), PollFlags::IN));
            }
        }
        let timeout = Timespec::try_from(wait).unwrap_or(Timespec {
            tv_sec: 1,
            tv_nsec: 0,
        });
        if poll(&mut fds, Some(&timeout)).is_err() {
            return Ready::default();
        }
        let [leader, link, stdout, stderr] = slots.map(|at| {
            at.and_then(|at| fds.get(at))
                .is_some_and(|fd| !fd.revents().is_empty())
        });
        Ready {
            leader,
            link,
            stdout,
            stderr,
        }
    }

    fn read(&mut self, ready: Ready) -> usize {
        let mut count = 0;
        if ready.stdout {
            count += self.stdout.read(&mut self.buffer);
        }
        if ready.stderr {
            count += self.stderr.read(&mut self.buffer);
        }
        count
    }

    /// Says how much there is; says nothing to a session that does not listen just now, so that a
    /// suspended session cannot hold up the limits.
    fn tell(&self, link: &mut UnixStream) -> io::Result<()> {
        let mut fds = [PollFd::new(link, PollFlags::OUT)];
        let now = Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        let _ = poll(&mut fds, Some(&now));
        if !fds[0].revents().contains(PollFlags::OUT) {
            return Ok(());
        }
        let (out, err) = (&self.stdout.capture, &self.stderr.capture);
        let spoken = if err.bytes() > 0 && out.bytes() == 0 {
            err
        } else {
            out
        };
        wire::send(
            link,
            &Word::Output {
                lines: out.lines() + err.lines(),
                bytes: out.bytes() + err.bytes(),
                tail: spoken.last_bytes(TOLD),
            },
        )
    }

    /// The leader is gone: what it wrote is read, what others go on writing only for a moment.
    fn drain(&mut self) {
        let end = Instant::now() + DRAIN;
        let mut quiet = Instant::now() + QUIET;
        while self.stdout.pipe.is_some() || self.stderr.pipe.is_some() {
            let now = Instant::now();
            let until = end.min(quiet);
            if now >= until {
                break;
            }
            let ready = self.poll(false, None, until - now);
            if self.read(ready) > 0 {
                quiet = Instant::now() + QUIET;
            }
        }
        self.stdout.pipe = None;
        self.stderr.pipe = None;
    }

    fn result(
        self,
        status: io::Result<ExitStatus>,
        survivors: Vec<Vec<u8>>,
        alive: u32,
        duration: Duration,
    ) -> WireResult {
        let ended = match (self.stopping, status) {
            (Some(Stopping { timed_out, .. }), _) => {
                if timed_out {
                    Ended::TimedOut
                } else {
                    Ended::Interrupted
                }
            }
            (None, Err(error)) => Ended::NotStarted(format!("its end is unknown: {error}")),
            (None, Ok(status)) => match (status.code(), status.signal()) {
                (Some(code), _) => Ended::Exited(code),
                (None, Some(signal)) => Ended::Signalled(signal),
                (None, None) => Ended::NotStarted("its end is unknown".into()),
            },
        };
        let marker = self.stdout.matcher.finish();
        let marker = marker.or(self.stderr.matcher.finish());
        WireResult {
            ended: ended.into(),
            marker: marker.map(wire::marker_to_wire),
            survivors,
            alive,
            duration_ms: duration.as_millis() as u64,
            stdout: self.stdout.capture.finish().into(),
            stderr: self.stderr.capture.finish().into(),
        }
    }
}
