//! Lays a worktree of a request out: the tree of a commit from a repository of ours, and beside
//! it a git folder that makes it a linked worktree of that repository. Both are new.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use git2::{Index, Repository};

use crate::model::id::Oid;

use super::bring::{Brought, Listing, write_all};
use super::gitdir::{git, index_of, to_git};
use super::writer::Root;

/// Writes `tree/` and `git/` below `folder`, where neither is yet. `branch` is the full name of
/// the ref that HEAD follows.
pub(super) fn lay(
    folder: &Path,
    source: &Repository,
    tree: Oid,
    branch: &str,
) -> io::Result<Brought> {
    let (top, own) = (folder.join("tree"), folder.join("git"));
    fs::create_dir(&top)?;
    fs::create_dir(&own)?;
    let root = Root::open(&top)?;
    let mut wanted = Listing::default();
    let found = source.find_tree(to_git(tree)?).map_err(git)?;
    wanted.collect(source, &found, b"", 0)?;
    let mut brought = Brought::default();
    let files = write_all(&root, source, wanted, &mut brought)?;
    let line = |path: &Path| [path.as_os_str().as_bytes(), b"\n"].concat();
    fs::write(own.join("HEAD"), format!("ref: {branch}\n"))?;
    fs::write(own.join("commondir"), line(source.commondir()))?;
    fs::write(own.join("gitdir"), line(&top.join(".git")))?;
    let mut index = Index::open(&own.join("index")).map_err(git)?;
    index_of(&mut index, &found, &files)?;
    root.write(
        b".git",
        0o100_644,
        &[b"gitdir: ".as_slice(), &line(&own)].concat(),
    )?;
    Ok(brought)
}
