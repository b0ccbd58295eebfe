//! The head of a request in a place of ours: a bare repository for each repository, filled by the
//! person's own git, and a worktree for each sitting. The person's clone is read for the address
//! of its remote and is never written (rulings K18).

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use git2::{Repository, RepositoryInitOptions, RepositoryOpenFlags};

use crate::adapters::checkout::{self, CheckoutError};
use crate::adapters::folders;
use crate::adapters::git::objects::Objects;
use crate::adapters::git::{GitError, place, repository};
use crate::adapters::sync::{Address, fetch_refs};
use crate::model::forge::PullName;
use crate::model::id::{Digest, Oid, RepoPath};

/// Most worktrees of one request at once.
const SITTINGS: u32 = 64;

/// The repository that one stands in: what its remote is called, and its address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clone {
    /// `host/owner/name`.
    pub remote: String,
    /// The address, checked.
    pub address: Address,
}

/// Looks for the remote of the clone that `dir` lies in.
#[must_use]
pub fn clone_at(dir: &Path) -> Option<Clone> {
    let found = place::find(dir).ok()?;
    let url = repository::remote(&found, b"")?;
    let remote = String::from_utf8(repository::normalised(url)).ok()?;
    Some(Clone {
        remote,
        address: Address::parse(url, &found.worktree).ok()?,
    })
}

/// Why there is no place.
#[derive(Debug, thiserror::Error)]
pub enum NoPlace {
    /// The forge did not hand the commits over; git's words.
    #[error("{from} did not hand over {what}: {why}")]
    NotFetched {
        /// Which address, fit to be shown.
        from: String,
        /// What was asked for.
        what: String,
        /// Git's own words.
        why: String,
    },
    /// The base is named in a way that git does not allow.
    #[error("the request goes to a branch whose name git does not take")]
    Name,
    /// Our own files.
    #[error("the private repository failed: {0}")]
    Own(#[from] io::Error),
    /// The worktree could not be written.
    #[error("{0}")]
    NotLaid(#[from] CheckoutError),
    /// What was fetched cannot be read.
    #[error("the head could not be read: {0}")]
    Unread(String),
    /// Nothing of this request was ever fetched.
    #[error("nothing of this request was read before")]
    Never,
}

impl NoPlace {
    /// What helps.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NotFetched { .. } => {
                "try `git ls-remote` with that address: the same account and settings are used"
            }
            Self::Name => "give a worktree of your own, and --base",
            Self::Own(_) | Self::NotLaid(_) => {
                "look at the cache folder: `countersign config path`"
            }
            Self::Unread(_) => "remove the folder `pulls` of the cache; it is made again",
            Self::Never => "leave --offline out",
        }
    }
}

/// A worktree of a request. It is removed when this goes away, unless it is to be kept.
#[derive(Debug)]
pub struct Laid {
    folder: PathBuf,
    kept: bool,
    _lock: File,
    /// The head that was laid out.
    pub head: Oid,
    /// Names of the tree that were not written, with the reason.
    pub refused: Vec<(RepoPath, String)>,
}

impl Laid {
    /// The worktree.
    #[must_use]
    pub fn tree(&self) -> PathBuf {
        self.folder.join("tree")
    }

    /// Leaves it where it is, also for later sittings.
    ///
    /// # Errors
    /// When that cannot be written down; it stays all the same.
    pub fn keep(&mut self) -> io::Result<()> {
        self.kept = true;
        fs::write(kept_mark(&self.folder), b"")
    }
}

impl Drop for Laid {
    fn drop(&mut self) {
        if !self.kept {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

fn kept_mark(folder: &Path) -> PathBuf {
    folder.with_extension("kept")
}

/// Everything of one repository.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Home {
    folder: PathBuf,
}

impl Home {
    /// The home of a request's repository below the cache folder.
    ///
    /// # Errors
    /// When it cannot be made safely ours.
    pub fn open(cache: &Path, name: &PullName) -> io::Result<Self> {
        let whole = format!("{}/{}", name.host.name, name.repository);
        let key = Digest::of(whole.as_bytes());
        let folder = cache.join("pulls").join(key.short());
        folders::private(&folder)?;
        folders::private(&folder.join("trees"))?;
        Ok(Self { folder })
    }

    fn git(&self) -> PathBuf {
        self.folder.join("git")
    }

    /// Fetches head and base of a request.
    ///
    /// # Errors
    /// Why they are not here.
    pub fn fetch(&self, name: &PullName, from: &Address, base: &str) -> Result<(), NoPlace> {
        let (branch, remote) = (branch(name), format!("refs/remotes/origin/{base}"));
        if !git2::Reference::is_valid_name(&remote) || base.starts_with('-') {
            return Err(NoPlace::Name);
        }
        self.ready(from)?;
        let head = name.host.kind.head_ref(name.number);
        let refs = [
            format!("{head}:{branch}"),
            format!("refs/heads/{base}:{remote}"),
        ];
        fetch_refs(&self.git(), from, &refs).map_err(|error| NoPlace::NotFetched {
            from: from.shown(),
            what: format!("{head} and {base}"),
            why: error.to_string(),
        })
    }

    /// Lays a worktree of what was fetched last.
    ///
    /// # Errors
    /// Why it could not be.
    pub fn lay(&self, program: &Path, name: &PullName) -> Result<Laid, NoPlace> {
        let (head, tree) = self.head(name)?;
        let key = name.key().replace('/', "-");
        for number in 1..=SITTINGS {
            let folder = self.folder.join("trees").join(format!("{key}-{number}"));
            let lock = File::options()
                .create(true)
                .truncate(false)
                .write(true)
                .open(folder.with_extension("lock"))?;
            if lock.try_lock().is_err() || kept_mark(&folder).exists() && folder.exists() {
                continue;
            }
            let _ = fs::remove_file(kept_mark(&folder));
            // what is left of a sitting that was killed
            match fs::remove_dir_all(&folder) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
                _ => {}
            }
            folders::private(&folder)?;
            let mut laid = Laid {
                folder,
                kept: false,
                _lock: lock,
                head,
                refused: Vec::new(),
            };
            let done = checkout::lay(program, &self.git(), tree, &branch(name), &laid.folder)?;
            laid.refused = done.refused;
            return Ok(laid);
        }
        Err(io::Error::other("64 worktrees of this request are in use or were kept").into())
    }

    /// The head that was fetched last, and its tree.
    fn head(&self, name: &PullName) -> Result<(Oid, Oid), NoPlace> {
        let unread = |error: GitError| NoPlace::Unread(error.says());
        let repository = open(&self.git()).ok_or(NoPlace::Never)?;
        let head = repository
            .refname_to_id(&branch(name))
            .map_err(|_| NoPlace::Never)?;
        let head = Oid::parse(&head.to_string()).ok_or(NoPlace::Never)?;
        let objects = Objects::open(&self.git()).map_err(unread)?;
        let commit = objects.commit(head).map_err(unread)?;
        Ok((head, commit.tree))
    }

    /// Makes the bare repository where there is none; its remote names it in the record, as the
    /// person's clone does (rulings A12).
    fn ready(&self, from: &Address) -> io::Result<()> {
        let repository = match open(&self.git()) {
            Some(repository) => repository,
            None => {
                match fs::remove_dir_all(self.git()) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                    _ => {}
                }
                let mut options = RepositoryInitOptions::new();
                options
                    .bare(true)
                    .external_template(false)
                    .mode(git2::RepositoryInitMode::from_bits_retain(0o700));
                Repository::init_opts(self.git(), &options).map_err(io::Error::other)?
            }
        };
        let config = repository.config().map_err(io::Error::other)?;
        let mut own = config
            .open_level(git2::ConfigLevel::Local)
            .map_err(io::Error::other)?;
        own.set_str("remote.origin.url", &from.shown())
            .map_err(io::Error::other)
    }
}

/// Opens the bare repository by its folder: nothing is searched, no environment is asked.
fn open(git: &Path) -> Option<Repository> {
    let flags =
        RepositoryOpenFlags::NO_SEARCH | RepositoryOpenFlags::BARE | RepositoryOpenFlags::NO_DOTGIT;
    let none: [&Path; 0] = [];
    Repository::open_ext(git, flags, none).ok()
}

/// The ref that stands for the head of a request in our repository.
fn branch(name: &PullName) -> String {
    format!("refs/heads/{}", name.key())
}
