//! The session's end of one supervisor and its launcher.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::model::oracle::{Captured, Ended, Isolation, MarkerAt, Oracle};
use crate::model::text::Foreign;

use super::bubblewrap;
use super::environment::Environment;
use super::roles::{OWN_FILE, SUPERVISOR};
use super::wire::{self, Order, Setup, Word};

/// Where and how a slot runs what it is given.
#[derive(Clone, Debug)]
pub struct SlotSetup {
    /// The program to start; [`SlotSetup::own`] but for tests of the library.
    pub program: PathBuf,
    /// The level of isolation: this one, or nothing runs.
    pub isolation: Isolation,
    /// The folder that CHECKs run in.
    pub tree: PathBuf,
    /// The private TMPDIR; it exists.
    pub tmp: PathBuf,
    /// Further folders that may be written to from level 2 on; those that do not exist are left
    /// out.
    pub caches: Vec<PathBuf>,
    /// Further folders that are seen at level 3, to be read only: those of the repository.
    pub reads: Vec<PathBuf>,
    /// What a CHECK is given.
    pub environment: Environment,
    /// Absolute path of the shell.
    pub shell: PathBuf,
    /// What of the file system is in sight at level 3.
    pub sight: Sight,
}

/// What a run sees of the file system at level 3.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Sight {
    /// All of it but the home folder and the temporary one.
    Host,
    /// Folders of the system, tools, and what the setup names: what is judged must not be seen
    /// twice.
    Cold {
        /// Whether the network stays within reach.
        network: bool,
        /// Folders that stay out of sight wherever they lie.
        hidden: Vec<PathBuf>,
    },
}

impl SlotSetup {
    /// The program that serves the hidden roles: this very file.
    #[must_use]
    pub fn own() -> PathBuf {
        OWN_FILE.into()
    }
}

/// Why a slot cannot serve.
#[derive(Debug, thiserror::Error)]
pub enum SlotError {
    /// The children could not be started.
    #[error("the supervisor could not be started: {0}")]
    Start(#[source] io::Error),
    /// The wall asked for does not stand.
    #[error("isolation level {level} is not available: {why}")]
    Wall {
        /// The level asked for.
        level: u8,
        /// Why not.
        why: String,
    },
    /// A child died: the run's end is not known. What was left of it is named and ended.
    #[error("{0}")]
    Lost(String),
}

/// The end of a run, as the launcher saw it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finished {
    /// How it ended.
    pub ended: Ended,
    /// Where the marker was found.
    pub marker: Option<MarkerAt>,
    /// Descendants that outlived the command and were ended: `pid command`.
    pub survivors: Vec<Foreign>,
    /// Descendants that could not be ended.
    pub alive: u32,
    /// Wall time.
    pub duration_ms: u64,
    /// Standard output.
    pub stdout: Captured,
    /// Standard error.
    pub stderr: Captured,
}

impl Finished {
    /// A run that never started.
    #[must_use]
    pub fn not_started(why: impl Into<String>) -> Self {
        Self {
            ended: Ended::NotStarted(why.into()),
            marker: None,
            survivors: Vec::new(),
            alive: 0,
            duration_ms: 0,
            stdout: super::capture::nothing(),
            stderr: super::capture::nothing(),
        }
    }
}

impl Finished {
    /// A run that was stopped before it started.
    #[must_use]
    pub fn interrupted() -> Self {
        Self {
            ended: Ended::Interrupted,
            ..Self::not_started(String::new())
        }
    }
}

/// Output so far.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Progress {
    /// Lines on both streams.
    pub lines: u64,
    /// Bytes on both streams.
    pub bytes: u64,
    /// The last bytes.
    pub tail: Foreign,
}

/// One supervisor with its launcher, ready for one CHECK after another.
#[derive(Debug)]
pub struct Slot {
    supervisor: Child,
    watch: UnixStream,
    link: UnixStream,
    stopper: Stopper,
}

/// Ends what a slot runs, from another thread.
#[derive(Clone, Debug)]
pub struct Stopper(Arc<Mutex<StopLine>>);

#[derive(Debug)]
struct StopLine {
    running: bool,
    /// A stop that came before the run it is meant for.
    early: bool,
    link: UnixStream,
}

impl Stopper {
    fn lock(&self) -> std::sync::MutexGuard<'_, StopLine> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the run that lives now, or the next one before it starts.
    pub fn stop(&self) {
        let mut line = self.lock();
        if line.running {
            let _ = wire::send(&mut line.link, &Order::Stop);
        } else {
            line.early = true;
        }
    }

    /// Forgets a stop that was meant for an earlier run.
    pub fn reset(&self) {
        self.lock().early = false;
    }

    /// Hands an order over; `false` when a stop was there first.
    fn begin(&self, order: &Order) -> io::Result<bool> {
        let mut line = self.lock();
        if std::mem::take(&mut line.early) {
            return Ok(false);
        }
        line.running = true;
        wire::send(&mut line.link, order)?;
        Ok(true)
    }

    fn end(&self) {
        let mut line = self.lock();
        line.running = false;
        line.early = false;
    }
}

impl Slot {
    /// Starts supervisor and launcher and waits until the wall stands.
    ///
    /// # Errors
    /// When they cannot be started, or when the level asked for is not to be had here.
    pub fn start(setup: &SlotSetup) -> Result<Self, SlotError> {
        let level = setup.isolation.level();
        let within = match (setup.isolation, &setup.sight) {
            (Isolation::Network, _) => bubblewrap::command(setup),
            (_, Sight::Cold { .. }) => Err(String::from("nothing is out of sight below level 3")),
            (Isolation::None | Isolation::Session | Isolation::Files, Sight::Host) => {
                Ok(Vec::new())
            }
        };
        let within = within.map_err(|why| SlotError::Wall { level, why })?;
        let (watch, supervisor_end) = UnixStream::pair().map_err(SlotError::Start)?;
        let (mut link, launcher_end) = UnixStream::pair().map_err(SlotError::Start)?;
        let supervisor = Command::new(&setup.program)
            .arg(SUPERVISOR)
            .args(within)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::from(OwnedFd::from(supervisor_end)))
            .stdout(Stdio::from(OwnedFd::from(launcher_end)))
            .stderr(Stdio::null())
            .spawn()
            .map_err(SlotError::Start)?;
        let other = link.try_clone().map_err(SlotError::Start)?;
        wire::send(&mut link, &to_wire(setup)).map_err(SlotError::Start)?;
        let mut slot = Self {
            supervisor,
            watch,
            link,
            stopper: Stopper(Arc::new(Mutex::new(StopLine {
                running: false,
                early: false,
                link: other,
            }))),
        };
        match wire::receive(&mut slot.link) {
            Ok(Word::Ready(Ok(()))) => Ok(slot),
            Ok(Word::Ready(Err(why))) => Err(SlotError::Wall { level, why }),
            Ok(Word::Output { .. } | Word::Ended(_)) | Err(_) => Err(slot.lost()),
        }
    }

    /// A handle that ends what runs here.
    #[must_use]
    pub fn stopper(&self) -> Stopper {
        self.stopper.clone()
    }

    /// Runs a CHECK to its end.
    ///
    /// # Errors
    /// When a child died; the slot is of no further use then.
    pub fn run(
        &mut self,
        oracle: &Oracle,
        limit: Duration,
        mut progress: impl FnMut(Progress),
    ) -> Result<Finished, SlotError> {
        let order = Order::Run {
            check: oracle.check.raw().to_vec(),
            expect: (&oracle.expect).into(),
            limit_ms: limit.as_millis() as u64,
        };
        match self.stopper.begin(&order) {
            Ok(true) => {}
            Ok(false) => return Ok(Finished::interrupted()),
            Err(_) => return Err(self.lost()),
        }
        loop {
            match wire::receive(&mut self.link) {
                Ok(Word::Output { lines, bytes, tail }) => progress(Progress {
                    lines,
                    bytes,
                    tail: Foreign::new(tail),
                }),
                Ok(Word::Ended(result)) => {
                    self.stopper.end();
                    return Ok(from_wire(*result));
                }
                Ok(Word::Ready(_)) | Err(_) => return Err(self.lost()),
            }
        }
    }

    /// The launcher is gone or stood still: what the supervisor says it found.
    fn lost(&mut self) -> SlotError {
        self.stopper.end();
        let _ = self.watch.set_read_timeout(Some(Duration::from_secs(8)));
        let said: io::Result<(Vec<Vec<u8>>, u32)> = wire::receive(&mut self.watch);
        SlotError::Lost(match said {
            Ok((left, alive)) => format!(
                "the launcher was killed or stopped; {} of its processes were left, {} could not be ended",
                left.len(),
                alive
            ),
            Err(_) => "launcher and supervisor are gone; processes of the run may be alive".into(),
        })
    }
}

impl Drop for Slot {
    /// Ends everything below and waits for the end.
    fn drop(&mut self) {
        let _ = self.watch.shutdown(std::net::Shutdown::Write);
        let _ = self.supervisor.wait();
    }
}

fn to_wire(setup: &SlotSetup) -> Setup {
    let bytes = |path: &Path| path.as_os_str().as_bytes().to_vec();
    let variable = |(name, value): &(std::ffi::OsString, std::ffi::OsString)| {
        (name.as_bytes().to_vec(), value.as_bytes().to_vec())
    };
    Setup {
        level: setup.isolation.level(),
        tree: bytes(&setup.tree),
        tmp: bytes(&setup.tmp),
        caches: setup.caches.iter().map(|path| bytes(path)).collect(),
        environment: setup.environment.variables.iter().map(variable).collect(),
        shell: bytes(&setup.shell),
    }
}

fn from_wire(result: wire::WireResult) -> Finished {
    Finished {
        ended: result.ended.into(),
        marker: result.marker.map(wire::marker_from_wire),
        survivors: result.survivors.into_iter().map(Foreign::new).collect(),
        alive: result.alive,
        duration_ms: result.duration_ms,
        stdout: result.stdout.into(),
        stderr: result.stderr.into(),
    }
}
