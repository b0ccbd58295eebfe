//! Reading a git repository without letting it do anything.
//!
//! The repository under review is never "opened" by a git library: its objects are read through
//! libgit2's object database, and everything else (where it lies, refs, configuration, trees,
//! commits, the merge base) is read by the small readers in this folder, which follow no link,
//! open no FIFO and stop at a size. So no configuration, attribute, hook, filter, replace ref or
//! graft of the repository has a say in what is shown (GIT-1 to GIT-9), and partial clones or
//! exotic extensions open like any other repository.
//!
//! Nothing here may run a program, follow an include, or ask a remote. All of it runs in the
//! reader child, except [`watch`] (which only calls `stat`), [`record`] and [`keep`].

pub mod added;
pub mod base;
pub mod base_files;
pub mod config;
pub mod discover;
pub mod heads;
pub mod history;
pub mod hunks;
pub mod keep;
pub mod lines;
mod loose;
mod narrow;
pub mod objects;
pub mod open;
mod patch;
pub mod place;
pub mod record;
pub mod refs;
pub mod regular;
pub mod rename;
pub mod repository;
pub mod rounds;
pub mod shape;
pub mod since;
pub mod skills;
pub mod surroundings;
pub mod there;
pub mod threads;
mod ticket;
mod versions;
pub mod walk;
pub mod watch;

use serde::{Deserialize, Serialize};

use crate::model::text::{Foreign, Place};

/// Why something could not be read. Each has a sentence and a hint.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum GitError {
    /// No `.git` in the folder or above it.
    NotRepository(Vec<u8>),
    /// The folder is a bare repository, or lies inside a git folder.
    Bare(Vec<u8>),
    /// `.git`, or what it leads to, is not what a worktree has; the reason.
    Identity(Vec<u8>, String),
    /// Another user owns the repository.
    Owner(Vec<u8>),
    /// A file of the repository is not a regular file, too large, or cannot be read.
    File(Vec<u8>, String),
    /// The repository keeps its refs or objects in a way that is not read.
    Format(String),
    /// HEAD names a branch without commits.
    Unborn(Vec<u8>),
    /// A ref that was asked for does not exist.
    NoRef(Vec<u8>),
    /// A ref name that cannot be one.
    BadRef(Vec<u8>),
    /// Several base refs are possible; their names.
    AmbiguousBase(Vec<String>),
    /// No base ref was found.
    NoBase,
    /// The two commits have no common ancestor.
    Unrelated,
    /// The clone is shallow and the cut lies between the two commits.
    CutHistory,
    /// An object is not there: what it is for, and its id.
    Missing(String, [u8; 20]),
    /// An object is there and damaged, or of the wrong kind: what it is for, its id, and why.
    Damaged(String, [u8; 20], String),
    /// A file of this size is too large to be shown.
    Huge(u64),
    /// Something took longer than its limit; what, and the limit in milliseconds.
    TooSlow(String, u64),
    /// The reader died while it looked; at what.
    Died(String),
    /// The reader cannot be started; why.
    NoReader(String),
    /// It was not asked again because it stopped the reader before.
    Given(String),
    /// Any other failure of the system.
    System(String),
}

fn shown(bytes: &[u8]) -> String {
    Foreign::new(bytes).shown(Place::Strict).plain()
}

fn hex(id: &[u8; 20]) -> String {
    crate::model::id::Oid(*id).abbreviated(12)
}

impl GitError {
    /// A stable kebab-case code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotRepository(_) => "not-a-repository",
            Self::Bare(_) => "bare-repository",
            Self::Identity(..) => "repository-identity",
            Self::Owner(_) => "repository-owner",
            Self::File(..) => "repository-file",
            Self::Format(_) => "repository-format",
            Self::Unborn(_) => "unborn-head",
            Self::NoRef(_) => "no-such-ref",
            Self::BadRef(_) => "bad-ref",
            Self::AmbiguousBase(_) => "ambiguous-base",
            Self::NoBase => "no-base",
            Self::Unrelated => "unrelated-histories",
            Self::CutHistory => "cut-history",
            Self::Missing(..) => "missing-object",
            Self::Damaged(..) => "damaged-object",
            Self::Huge(_) => "too-large",
            Self::TooSlow(..) => "too-slow",
            Self::Died(_) => "reader-died",
            Self::NoReader(_) => "no-reader",
            Self::Given(_) => "given-up",
            Self::System(_) => "system",
        }
    }

    /// What is wrong: one lower-case fragment, fit to be shown.
    #[must_use]
    pub fn says(&self) -> String {
        match self {
            Self::NotRepository(path) => {
                format!("no git repository in {} or above it", shown(path))
            }
            Self::Bare(path) => format!(
                "{} is a bare repository or a git folder: it has no worktree to review",
                shown(path)
            ),
            Self::Identity(path, why) => {
                format!("{} is not a safe way into a repository: {why}", shown(path))
            }
            Self::Owner(path) => format!("{} belongs to another user", shown(path)),
            Self::File(path, why) => format!("{} {why}", shown(path)),
            Self::Format(what) => format!("the repository uses {what}, which is not read"),
            Self::Unborn(branch) => {
                format!(
                    "the branch {} has no commit yet: there is nothing to review",
                    shown(branch)
                )
            }
            Self::NoRef(name) => format!("there is no ref or commit {}", shown(name)),
            Self::BadRef(name) => format!("{} cannot be the name of a ref", shown(name)),
            Self::AmbiguousBase(names) => {
                format!("the base could be any of {}", names.join(", "))
            }
            Self::NoBase => "no base branch was found: there is no origin/HEAD, origin/main, \
                             origin/master, main or master"
                .to_owned(),
            Self::Unrelated => "base and head have no common ancestor".to_owned(),
            Self::CutHistory => {
                "the clone is shallow, and its cut hides where head left the base".to_owned()
            }
            Self::Missing(what, id) => format!("{what} {} is not in the repository", hex(id)),
            Self::Damaged(what, id, why) => format!("{what} {} is damaged: {why}", hex(id)),
            Self::Huge(size) => format!("{size} bytes are too many to be shown"),
            Self::TooSlow(what, limit) => format!("reading {what} took longer than {limit} ms"),
            Self::Died(what) => format!("the reader died while it looked at {what}"),
            Self::NoReader(why) => format!("the reader cannot be started: {why}"),
            Self::Given(what) => {
                format!("{what} stopped the reader before and is not asked again")
            }
            Self::System(why) => why.clone(),
        }
    }

    /// What helps: a whole phrase that begins with a verb, or nothing.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::NotRepository(_) => "start in a worktree, or name one with -C DIR".to_owned(),
            Self::Bare(_) => "start in a worktree of it (git worktree list names them)".to_owned(),
            Self::Identity(..) => {
                "check where .git leads; git worktree repair mends a moved worktree".to_owned()
            }
            Self::Owner(path) => format!(
                "run as its owner, or allow it: git config --global --add safe.directory {}",
                shown(path)
            ),
            Self::File(..) => "look at that file; git itself would read it too".to_owned(),
            Self::Format(_) => {
                "convert it (git refs migrate --ref-format=files), or review in a plain clone"
                    .to_owned()
            }
            Self::Unborn(_) => "commit first".to_owned(),
            Self::NoRef(_) | Self::BadRef(_) => {
                "name a branch, a tag or a commit of this repository".to_owned()
            }
            Self::AmbiguousBase(_) | Self::NoBase => "name the base with --base REF".to_owned(),
            Self::Unrelated => "name the right base with --base REF".to_owned(),
            Self::CutHistory => "fetch the history: git fetch --unshallow".to_owned(),
            Self::Missing(..) => {
                "fetch it with git, or check the repository with git fsck".to_owned()
            }
            Self::Damaged(..) => "check the repository with git fsck".to_owned(),
            Self::Huge(_) | Self::Given(_) => String::new(),
            Self::TooSlow(..) | Self::Died(_) => {
                "look at the repository with git; open it again to try once more".to_owned()
            }
            Self::NoReader(_) => "check limits on processes and memory".to_owned(),
            Self::System(_) => String::new(),
        }
    }
}

impl std::fmt::Display for GitError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.says())
    }
}

impl std::error::Error for GitError {}
