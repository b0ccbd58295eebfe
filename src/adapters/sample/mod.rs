//! The built-in sample: `harbor/ferry`, a believable small project with eight criteria, one for
//! each kind of trouble, laid out as a real git repository in a folder of its own.
//!
//! Its bytes are embedded, its commits are the same on every machine, and it touches nothing
//! outside the folder it is given.

mod files;
mod seed;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use git2::{Oid, Repository, RepositoryInitOptions, Signature, Time, WorktreeAddOptions};

use super::folders::{self, Folders};
use files::{FILES, Stage};
pub use seed::is_sample;

/// Where the sample was laid out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    /// The repository, `main` checked out.
    pub repository: PathBuf,
    /// The linked worktree of the change, `feat/winter` checked out: what is reviewed.
    pub worktree: PathBuf,
    /// Folders that take the place of the person's own, so that nothing of theirs is touched.
    pub folders: Folders,
    /// The commit of each stage, base first.
    pub commits: [Oid; 4],
}

/// The branch under review.
pub const BRANCH: &str = "feat/winter";
/// The contract's path.
pub const CONTRACT: &str = ".claude/tasks/contracts/2026-10-12-winter-0910.md";

/// Whether these are the folders of a sample that was laid out, and nobody's own.
#[must_use]
pub fn owns(folders: &Folders) -> bool {
    let home = folders.state.parent().and_then(Path::parent);
    let laid = home.map(|home| Repository::open(home.join("ferry-42")));
    let Some(Ok(laid)) = laid else {
        return false;
    };
    let tip = laid.head().and_then(|head| head.peel_to_commit());
    tip.is_ok_and(|tip| tip.author().email_bytes() == b"builder-3@agents.invalid")
}

/// Lays the sample out below `dir`, which must be empty or not be there yet.
///
/// # Errors
/// When the folder holds something, or cannot be written.
pub fn lay_out(dir: &Path) -> io::Result<Layout> {
    fs::create_dir_all(dir)?;
    if fs::read_dir(dir)?.next().is_some() {
        return Err(io::Error::new(
            io::ErrorKind::AlreadyExists,
            format!("{} is not empty", dir.display()),
        ));
    }
    let dir = dir.canonicalize()?;
    let home = dir.join("countersign");
    let layout = Layout {
        repository: dir.join("ferry"),
        worktree: dir.join("ferry-42"),
        folders: Folders {
            config: home.join("config"),
            state: home.join("state"),
            cache: home.join("cache"),
        },
        commits: [Oid::ZERO_SHA1; 4],
    };
    let commits = git(&layout).map_err(io::Error::other)?;
    let layout = Layout { commits, ..layout };
    folders::private(&home)?;
    fs::write(home.join(seed::MARK), "")?;
    seed::seed(&layout)?;
    Ok(layout)
}

fn git(layout: &Layout) -> Result<[Oid; 4], git2::Error> {
    let mut options = RepositoryInitOptions::new();
    options
        .external_template(false)
        .initial_head("main")
        .no_reinit(true);
    let repository = Repository::init_opts(&layout.repository, &options)?;
    repository.config()?.set_bool("core.autocrlf", false)?;
    let mut commits = [Oid::ZERO_SHA1; 4];
    let mut parent: Option<Oid> = None;
    for (index, stage) in Stage::ALL.into_iter().enumerate() {
        let id = commit(&repository, stage, parent)?;
        commits[index] = id;
        parent = Some(id);
    }
    let [base, .., head] = commits;
    repository.reference("refs/heads/main", base, true, "sample")?;
    repository.reference(&format!("refs/heads/{BRANCH}"), head, true, "sample")?;
    repository.reference("refs/remotes/origin/main", base, true, "sample")?;
    repository.reference_symbolic(
        "refs/remotes/origin/HEAD",
        "refs/remotes/origin/main",
        true,
        "sample",
    )?;
    repository.remote("origin", "https://git.invalid/harbor/ferry.git")?;
    repository.set_head("refs/heads/main")?;
    repository.checkout_head(Some(git2::build::CheckoutBuilder::new().force()))?;
    let branch = repository.find_reference(&format!("refs/heads/{BRANCH}"))?;
    repository.worktree(
        "ferry-42",
        &layout.worktree,
        Some(WorktreeAddOptions::new().reference(Some(&branch))),
    )?;
    Ok(commits)
}

fn commit(repository: &Repository, stage: Stage, parent: Option<Oid>) -> Result<Oid, git2::Error> {
    let mut index = git2::Index::new()?;
    for file in FILES {
        let Some(bytes) = file.at(stage) else {
            continue;
        };
        let mut entry = blank(file.path, file.mode);
        entry.id = repository.blob(bytes)?;
        index.add(&entry)?;
    }
    let tree = repository.find_tree(index.write_tree_to(repository)?)?;
    let (name, mail, seconds, message) = stage.commit();
    let who = Signature::new(name, mail, &Time::new(seconds, 120))?;
    let parents = match parent {
        Some(id) => vec![repository.find_commit(id)?],
        None => Vec::new(),
    };
    let parents: Vec<_> = parents.iter().collect();
    repository.commit(None, &who, &who, message, &tree, &parents)
}

fn blank(path: &str, mode: u32) -> git2::IndexEntry {
    git2::IndexEntry {
        ctime: git2::IndexTime::new(0, 0),
        mtime: git2::IndexTime::new(0, 0),
        dev: 0,
        ino: 0,
        mode,
        uid: 0,
        gid: 0,
        file_size: 0,
        id: Oid::ZERO_SHA1,
        flags: 0,
        flags_extended: 0,
        path: path.as_bytes().to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_is_the_same_everywhere() -> io::Result<()> {
        let dir = tempfile::tempdir()?;
        let layout = lay_out(&dir.path().join("a"))?;
        let again = lay_out(&dir.path().join("b"))?;
        assert_eq!(layout.commits, again.commits);
        let repository = Repository::open(&layout.worktree).map_err(io::Error::other)?;
        let tree = |id: Oid| repository.find_commit(id).and_then(|c| c.tree());
        let diff = tree(layout.commits[0])
            .and_then(|base| {
                let head = tree(layout.commits[3])?;
                repository.diff_tree_to_tree(Some(&base), Some(&head), None)
            })
            .and_then(|diff| diff.stats())
            .map_err(io::Error::other)?;
        assert_eq!(
            (diff.files_changed(), diff.insertions(), diff.deletions()),
            (7, 175, 12)
        );
        assert!(repository.is_worktree());
        assert!(
            repository
                .statuses(None)
                .map_err(io::Error::other)?
                .is_empty()
        );
        Ok(())
    }

    #[test]
    fn a_folder_that_holds_something_is_refused() -> io::Result<()> {
        let dir = tempfile::tempdir()?;
        fs::write(dir.path().join("x"), "x")?;
        let refused = lay_out(dir.path()).map_err(|e| e.kind());
        assert_eq!(refused.err(), Some(io::ErrorKind::AlreadyExists));
        Ok(())
    }
}
