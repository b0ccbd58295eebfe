//! Private checkouts of pinned trees, kept warm between runs (RUN-22, K45, rulings A9).
//!
//! Everything that reads the reviewed repository or writes a checkout happens in a child of this
//! binary with a deadline, so that a hostile repository can hang or crash only that child. Tracked
//! files that a run changed and strays that it left are mended before the next run, so that every
//! run sees exactly the pinned tree; ignored files stay. It must never follow a link that stands
//! in a checkout and never write outside of it.

mod also_runs;
mod bring;
mod gitdir;
mod ignore;
mod lay;
mod manifest;
pub mod role;
mod scan;
mod writer;

use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde::de::DeserializeOwned;

use crate::model::change::Counts;
use crate::model::id::{Oid, RepoPath};
use crate::model::text::Foreign;

use super::git::regular;
use super::oracle::frame;
use role::{Answer, Request};

/// Longest wait for a checkout to be brought forward.
const BRING: Duration = Duration::from_secs(300);
/// Longest wait for any other answer.
const ASK: Duration = Duration::from_secs(30);

/// Which objects of which repository.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pinned {
    /// The git folder of the worktree.
    pub gitdir: PathBuf,
    /// The commit under review.
    pub head: Oid,
    /// Its tree.
    pub tree: Oid,
    /// The commit that the base ref names.
    pub base: Oid,
    /// The base ref as people type it (`main`, `origin/main`).
    pub base_name: String,
    /// The tree of the merge base.
    pub base_tree: Oid,
}

impl Pinned {
    /// The folders that hold the objects: the repository's own, then its alternates, eight at most.
    #[must_use]
    pub fn object_folders(&self) -> Vec<PathBuf> {
        let text = |path: &Path| regular::read(path, 64 << 10).ok().flatten();
        let line = |bytes: &[u8]| PathBuf::from(OsStr::from_bytes(bytes));
        let common = text(&self.gitdir.join("commondir"));
        let common = common.map(|bytes| self.gitdir.join(line(bytes.trim_ascii())));
        let mut found = vec![
            common
                .unwrap_or_else(|| self.gitdir.clone())
                .join("objects"),
        ];
        let mut next = 0;
        while let Some(folder) = found.get(next).cloned() {
            next += 1;
            let more = text(&folder.join("info/alternates")).unwrap_or_default();
            let more = more
                .split(|byte| *byte == b'\n')
                .filter(|line| !line.is_empty());
            let more: Vec<PathBuf> = more.map(|path| folder.join(line(path))).collect();
            found.extend(more);
            found.truncate(8);
        }
        let real = found
            .iter()
            .filter_map(|path| std::fs::canonicalize(path).ok());
        real.collect()
    }
}

/// What bringing a checkout forward did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Brought {
    /// Entries written.
    pub written: usize,
    /// Entries removed.
    pub removed: usize,
    /// Names of the tree that were refused, with the reason.
    pub refused: Vec<(RepoPath, String)>,
    /// Submodules that are empty folders.
    pub submodules: usize,
}

/// What a run left behind.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Scanned {
    /// Tracked files that changed and new files that nothing ignores.
    pub changed: Vec<Foreign>,
    /// Whether the private repository differs from what we laid out.
    pub gitdir_changed: bool,
    /// SHA-256 over configuration, hooks and attributes of the person's repository.
    pub records: [u8; 32],
    /// The head of the worktree now.
    pub head: Option<Oid>,
    /// The base ref now.
    pub base: Option<Oid>,
}

/// Files that a command also runs: each with its lines in the change (`None` = as at base) and
/// whether it is the same in the tree approved before (`None` = no such tree was given).
pub type AlsoRuns = Vec<(RepoPath, Option<Counts>, Option<bool>)>;

/// Why a checkout cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum CheckoutError {
    /// The child could not be asked.
    #[error("the checkout helper failed: {0}")]
    Child(#[source] io::Error),
    /// It did not answer in time.
    #[error("the checkout helper did not answer in time and was ended")]
    TooSlow,
    /// It said why not.
    #[error("{0}")]
    Refused(String),
}

/// One slot: a folder with a checkout, its repository, a TMPDIR and a lock.
#[derive(Debug)]
pub struct Slot {
    program: PathBuf,
    folder: PathBuf,
    _lock: std::fs::File,
}

impl Slot {
    /// Takes the first free slot of `key` (one for each change) below the cache folder.
    ///
    /// # Errors
    /// When the folder cannot be made safely ours.
    pub fn take(program: &Path, cache: &Path, key: &str) -> io::Result<Self> {
        let all = cache.join("checkouts").join(key);
        super::folders::private(&all)?;
        for number in 0..64 {
            let folder = all.join(number.to_string());
            super::folders::private(&folder)?;
            let lock = std::fs::File::options()
                .create(true)
                .truncate(false)
                .write(true)
                .open(folder.join("lock"))?;
            if lock.try_lock().is_ok() {
                std::fs::create_dir_all(folder.join("tmp"))?;
                return Ok(Self {
                    program: program.to_owned(),
                    folder,
                    _lock: lock,
                });
            }
        }
        Err(io::Error::other("64 checkouts of this change are in use"))
    }

    /// The checkout.
    #[must_use]
    pub fn tree(&self) -> PathBuf {
        self.folder.join("tree")
    }

    /// Its repository, which finds the person's objects by alternates.
    #[must_use]
    pub fn repository(&self) -> PathBuf {
        self.folder.join("git")
    }

    /// The private TMPDIR.
    #[must_use]
    pub fn tmp(&self) -> PathBuf {
        self.folder.join("tmp")
    }

    /// Brings the checkout to the pinned tree; `cold` empties it first.
    ///
    /// # Errors
    /// When an object is missing, the child hangs, or the folder cannot be written.
    pub fn bring(&self, pinned: &Pinned, cold: bool) -> Result<Brought, CheckoutError> {
        let request = Request::Bring {
            pinned: pinned.into(),
            slot: bytes(&self.folder),
            cold,
        };
        brought(ask(&self.program, &request, BRING)?)
    }

    /// What has changed in the checkout since it was brought, and where the heads are.
    ///
    /// # Errors
    /// As [`Slot::bring`].
    pub fn scan(&self, pinned: &Pinned) -> Result<Scanned, CheckoutError> {
        let request = Request::Scan {
            pinned: pinned.into(),
            slot: Some(bytes(&self.folder)),
            live: None,
        };
        scan(&self.program, &request)
    }

    /// Empties the TMPDIR.
    ///
    /// # Errors
    /// When something in it cannot be removed.
    pub fn empty_tmp(&self) -> io::Result<()> {
        if std::fs::read_dir(self.tmp())?.next().is_some() {
            std::fs::remove_dir_all(self.tmp())?;
            std::fs::create_dir(self.tmp())?;
        }
        Ok(())
    }
}

/// Lays a new worktree out below `folder`, which holds neither `tree` nor `git` yet: the tree from
/// the bare repository `repository`, and a HEAD that follows `branch`.
///
/// # Errors
/// As [`Slot::bring`].
pub fn lay(
    program: &Path,
    repository: &Path,
    tree: Oid,
    branch: &str,
    folder: &Path,
) -> Result<Brought, CheckoutError> {
    let request = Request::Lay {
        repository: bytes(repository),
        tree: tree.0,
        branch: branch.to_owned(),
        folder: bytes(folder),
    };
    brought(ask(program, &request, BRING)?)
}

fn brought(answer: Answer) -> Result<Brought, CheckoutError> {
    match answer {
        Answer::Brought {
            written,
            removed,
            refused,
            submodules,
        } => Ok(Brought {
            written,
            removed,
            refused: refused
                .into_iter()
                .map(|(path, why)| (RepoPath::new(path), why))
                .collect(),
            submodules,
        }),
        other => Err(refusal(other)),
    }
}

/// Where head and base are now.
///
/// # Errors
/// When the child fails.
pub fn heads(program: &Path, pinned: &Pinned) -> Result<Scanned, CheckoutError> {
    let request = Request::Scan {
        pinned: pinned.into(),
        slot: None,
        live: None,
    };
    scan(program, &request)
}

/// What differs between the pinned tree and the person's own worktree, ignored files and the
/// contract file left out: a run there is evidence for the tree only when nothing does.
///
/// # Errors
/// When the child fails.
pub fn scan_live(
    program: &Path,
    pinned: &Pinned,
    worktree: &Path,
    contract: &Path,
) -> Result<Scanned, CheckoutError> {
    let request = Request::Scan {
        pinned: pinned.into(),
        slot: None,
        live: Some(bytes(worktree)),
    };
    let mut scanned = scan(program, &request)?;
    let own = contract
        .strip_prefix(worktree)
        .map(bytes)
        .unwrap_or_default();
    scanned.changed.retain(|path| path.raw() != own);
    Ok(scanned)
}

/// The files of the tree that a command also runs (RUN-7); `since` is the tree of an earlier
/// approval.
///
/// # Errors
/// When the child fails.
pub fn also_runs(
    program: &Path,
    pinned: &Pinned,
    since: Option<Oid>,
    check: &Foreign,
) -> Result<AlsoRuns, CheckoutError> {
    let mut all = also_runs_of(program, pinned, &[(check, since)])?;
    all.pop()
        .ok_or_else(|| CheckoutError::Refused("the checkout helper named no file list".into()))
}

/// The same for many commands by one child, an answer for each in their order.
///
/// # Errors
/// When the child fails.
pub fn also_runs_of(
    program: &Path,
    pinned: &Pinned,
    commands: &[(&Foreign, Option<Oid>)],
) -> Result<Vec<AlsoRuns>, CheckoutError> {
    let wire =
        |(check, since): &(&Foreign, Option<Oid>)| (check.raw().to_vec(), since.map(|oid| oid.0));
    let request = Request::AlsoRuns {
        pinned: pinned.into(),
        commands: commands.iter().map(wire).collect(),
    };
    let file = |(path, counts, same): role::WireAlso| {
        let counts = counts.map(|(added, removed)| Counts { added, removed });
        (RepoPath::new(path), counts, same)
    };
    match ask(program, &request, ASK)? {
        Answer::AlsoRuns(all) if all.len() == commands.len() => Ok(all
            .into_iter()
            .map(|files| files.into_iter().map(file).collect())
            .collect()),
        other => Err(refusal(other)),
    }
}

fn scan(program: &Path, request: &Request) -> Result<Scanned, CheckoutError> {
    match ask(program, request, ASK)? {
        Answer::Scanned {
            records,
            changed,
            gitdir_changed,
            head,
            base,
        } => Ok(Scanned {
            records,
            changed: changed.into_iter().map(Foreign::new).collect(),
            gitdir_changed,
            head: head.map(Oid),
            base: base.map(Oid),
        }),
        other => Err(refusal(other)),
    }
}

fn refusal(answer: Answer) -> CheckoutError {
    match answer {
        Answer::Refused(why) => CheckoutError::Refused(why),
        Answer::Brought { .. } | Answer::Scanned { .. } | Answer::AlsoRuns(_) => {
            CheckoutError::Refused("the checkout helper answered another question".into())
        }
    }
}

fn ask<A: DeserializeOwned>(
    program: &Path,
    request: &Request,
    deadline: Duration,
) -> Result<A, CheckoutError> {
    let (mut ours, theirs) = UnixStream::pair().map_err(CheckoutError::Child)?;
    let mut child = Command::new(program)
        .arg(role::CHECKOUT)
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(CheckoutError::Child)?;
    let answer = ours
        .set_read_timeout(Some(deadline))
        .and_then(|()| frame::send(&mut ours, request))
        .and_then(|()| frame::receive(&mut ours));
    let _ = child.kill();
    let _ = child.wait();
    answer.map_err(|error| match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => CheckoutError::TooSlow,
        _ => CheckoutError::Child(error),
    })
}

fn bytes(path: &Path) -> Vec<u8> {
    path.as_os_str().as_bytes().to_vec()
}
