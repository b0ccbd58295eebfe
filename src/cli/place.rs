//! Which repository, change and pins the current folder means, for commands that speak about the
//! ledger.

use std::path::{Path, PathBuf};

use super::exit::Exit;
use super::report::Report;
use crate::adapters::folders::Folders;
use crate::model::id::{Digest, Oid};
use crate::model::snapshot::Snapshot;
use crate::model::text::{Foreign, Place};

/// A worktree, named.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Here {
    /// The repository's id.
    pub repository: Digest,
    /// Its short name.
    pub name: String,
    /// Key of the change.
    pub change: String,
    /// The pins.
    pub snapshot: Snapshot,
    /// Top of the worktree.
    pub worktree: PathBuf,
}

/// The folders of this user.
///
/// # Errors
/// A [`Report`] when there is no home.
pub fn folders() -> Result<Folders, Report> {
    Folders::of_user().map_err(|error| {
        Report::new(Exit::CouldNotMeasure, "no-folders", error.to_string())
            .hint("set HOME or COUNTERSIGN_HOME")
    })
}

/// What the folder is.
///
/// # Errors
/// A [`Report`]: the folder is in no repository, or its change cannot be named.
pub fn here(dir: &Path) -> Result<Here, Report> {
    look(dir).map_err(|error| {
        let shown = Foreign::from(dir.to_string_lossy().into_owned()).shown(Place::Strict);
        let message = format!("could not read the change in {shown}: {}", error.message());
        Report::new(Exit::CouldNotMeasure, "no-change", message)
            .hint("run it in a worktree, or give one with -C")
    })
}

fn look(dir: &Path) -> Result<Here, git2::Error> {
    let repository = git2::Repository::discover(dir)?;
    let head = repository.head()?;
    let commit = head.peel_to_commit()?;
    let change = head.shorthand().unwrap_or("HEAD").to_owned();
    let names = [
        "refs/remotes/origin/HEAD",
        "refs/remotes/origin/main",
        "refs/heads/main",
        "refs/heads/master",
    ];
    let base = names
        .iter()
        .find_map(|name| repository.find_reference(name).ok()?.peel_to_commit().ok());
    let base = base.unwrap_or_else(|| commit.clone());
    let fork = repository.merge_base(base.id(), commit.id())?;
    let mut walk = repository.revwalk()?;
    walk.push(commit.id())?;
    let root = walk.last().transpose()?.unwrap_or(commit.id());
    let worktree = repository.workdir().unwrap_or(repository.path()).to_owned();
    let name = worktree
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    let oid = |id: git2::Oid| Oid::parse(&id.to_string()).unwrap_or(Oid([0; 20]));
    Ok(Here {
        repository: Digest::of(root.to_string().as_bytes()),
        name: name.unwrap_or_default(),
        change,
        snapshot: Snapshot {
            base: oid(base.id()),
            merge_base: oid(fork),
            base_tree: oid(repository.find_commit(fork)?.tree_id()),
            head: oid(commit.id()),
            tree: oid(commit.tree_id()),
            contract: None,
        },
        worktree,
    })
}
