//! Noticing that something may have moved, by `stat` alone.
//!
//! A stamp of a few files is compared once a second; nothing is opened, so nothing can hang on a
//! FIFO. What really moved is then asked of the reader ([`super::heads`]).

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use rustix::fs::{AtFlags, CWD, statat};

/// Shortest time between two looks.
pub const EVERY: Duration = Duration::from_secs(1);

/// The files that tell whether head, base or contract moved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Watched {
    /// Their paths; those that are not there are watched as well.
    pub files: Vec<PathBuf>,
}

impl Watched {
    /// What to watch for a change: HEAD, the branch, the base, packed refs, the contract, the
    /// worktree itself.
    #[must_use]
    pub fn of(
        worktree: &Path,
        gitdir: &Path,
        commondir: &Path,
        refs: &[&[u8]],
        contract: Option<&[u8]>,
    ) -> Self {
        let os = |bytes| std::ffi::OsStr::from_bytes(bytes);
        let mut files = vec![
            worktree.join(".git"),
            gitdir.join("HEAD"),
            commondir.join("packed-refs"),
        ];
        files.extend(refs.iter().map(|name| commondir.join(os(name))));
        files.extend(contract.map(|path| worktree.join(os(path))));
        Self { files }
    }

    /// Device, inode, size, change time of each file.
    #[must_use]
    pub fn stamp(&self) -> Vec<Option<Stamp>> {
        self.files.iter().map(|file| Stamp::of(file)).collect()
    }
}

/// What `stat` says of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stamp {
    file: (u64, u64),
    size: i64,
    changed: (i64, i64),
}

impl Stamp {
    fn of(file: &Path) -> Option<Self> {
        let facts = statat(CWD, file, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        Some(Self {
            file: (facts.st_dev, facts.st_ino),
            size: facts.st_size,
            changed: (
                facts.st_ctime,
                i64::try_from(facts.st_ctime_nsec).unwrap_or(0),
            ),
        })
    }
}

/// A running watch; it ends when this is dropped.
#[derive(Debug)]
pub struct Watch {
    _stop: Sender<()>,
}

/// Calls `moved` from a thread of its own whenever a stamp differs from the one before. `every`
/// is at least [`EVERY`].
///
/// # Errors
/// When no thread can be started.
pub fn watch(
    watched: Watched,
    every: Duration,
    moved: impl Fn() + Send + 'static,
) -> std::io::Result<Watch> {
    let (stop, stopped) = channel::<()>();
    let every = every.max(EVERY);
    let mut before = watched.stamp();
    std::thread::Builder::new()
        .name("watch".to_owned())
        .stack_size(128 << 10)
        .spawn(move || {
            while stopped.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                let now = watched.stamp();
                if now != before {
                    before = now;
                    moved();
                }
            }
        })?;
    Ok(Watch { _stop: stop })
}
