//! A repository of our own beside a checkout, so that an oracle may call git (rulings A9): the
//! person's objects by alternates, refs for base and head, an index of the tree, a config of ours,
//! no remote, no hook. Without it git would look for a repository upward.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use git2::{Index, Repository, RepositoryInitOptions, RepositoryOpenFlags};

use crate::adapters::git::regular;
use crate::model::id::{Digest, Oid};

use super::manifest::Written;

/// The configuration, whole.
const CONFIG: &str = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\
\tlogallrefupdates = false\n\tautocrlf = false\n\thooksPath = /dev/null\n[gc]\n\tauto = 0\n\
[user]\n\tname = oracle\n\temail = oracle@localhost\n";

/// What the repository is laid out from.
pub(super) struct History<'a> {
    /// The person's repository.
    pub(super) source: &'a Repository,
    pub(super) head: Oid,
    pub(super) base: Oid,
    /// Name of the base ref as people type it (`main`, `origin/main`).
    pub(super) base_name: &'a str,
    pub(super) tree: Oid,
}

/// Opens a repository by its folder: nothing is searched, no environment is asked.
pub(super) fn open(gitdir: &Path) -> Result<Repository, git2::Error> {
    let flags = RepositoryOpenFlags::NO_SEARCH | RepositoryOpenFlags::NO_DOTGIT;
    Repository::open_ext(gitdir, flags, std::iter::empty::<PathBuf>())
}

/// Lays it out anew.
pub(super) fn lay_out(gitdir: &Path, history: &History<'_>, files: &[Written]) -> io::Result<()> {
    match fs::remove_dir_all(gitdir) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = RepositoryInitOptions::new();
    options
        .bare(true)
        .external_template(false)
        .no_reinit(true)
        .mkdir(true);
    let own = Repository::init_opts(gitdir, &options).map_err(git)?;
    let objects = history.source.commondir().join("objects");
    let mut alternates = objects.as_os_str().as_bytes().to_vec();
    alternates.push(b'\n');
    fs::create_dir_all(gitdir.join("objects/info"))?;
    fs::write(gitdir.join("objects/info/alternates"), alternates)?;
    let shallow = history.source.commondir().join("shallow");
    if fs::symlink_metadata(&shallow).is_ok_and(|facts| facts.is_file()) {
        fs::copy(shallow, gitdir.join("shallow"))?;
    }
    drop(own);
    let own = open(gitdir).map_err(git)?;
    for name in base_refs(history.base_name) {
        if git2::Reference::is_valid_name(&name) {
            own.reference(&name, to_git(history.base)?, true, "base")
                .map_err(git)?;
        }
    }
    fs::write(gitdir.join("HEAD"), format!("{}\n", history.head))?;
    let tree = own.find_tree(to_git(history.tree)?).map_err(git)?;
    let mut index = Index::open(&gitdir.join("index")).map_err(git)?;
    index_of(&mut index, &tree, files)?;
    fs::write(gitdir.join("config"), CONFIG)
}

/// Writes the index of a tree as it was laid out.
pub(super) fn index_of(
    index: &mut Index,
    tree: &git2::Tree<'_>,
    files: &[Written],
) -> io::Result<()> {
    if index.read_tree(tree).is_err() {
        // libgit2 refuses the whole tree for one name that it does not like.
        index.clear().map_err(git)?;
        for written in files {
            let _ = index.add(&entry(written)?);
        }
    }
    index.write().map_err(git)
}

fn entry(written: &Written) -> io::Result<git2::IndexEntry> {
    let never = git2::IndexTime::new(0, 0);
    Ok(git2::IndexEntry {
        ctime: never,
        mtime: never,
        dev: 0,
        ino: 0,
        mode: written.mode,
        uid: 0,
        gid: 0,
        file_size: 0,
        id: to_git(Oid(written.oid))?,
        flags: 0,
        flags_extended: 0,
        path: written.path.clone(),
    })
}

/// The refs that name the base: `origin/main` is known as `main` as well.
fn base_refs(name: &str) -> Vec<String> {
    let short = name
        .trim_start_matches("refs/heads/")
        .trim_start_matches("refs/remotes/");
    match short.split_once('/') {
        Some(("origin", branch)) => vec![
            format!("refs/remotes/origin/{branch}"),
            format!("refs/heads/{branch}"),
        ],
        _ => vec![format!("refs/heads/{short}")],
    }
}

/// SHA-256 over every file of it that decides what git does, the index left out: git itself
/// refreshes that.
pub(super) fn digest(gitdir: &Path) -> Digest {
    let mut files = Vec::new();
    collect(gitdir, 0, &mut files);
    files.sort();
    let mut parts: Vec<Vec<u8>> = Vec::new();
    for file in files {
        parts.push(file.as_os_str().as_bytes().to_vec());
        parts.push(content(&file));
    }
    let parts: Vec<_> = parts.iter().map(Vec::as_slice).collect();
    Digest::of_fields(&parts)
}

/// SHA-256 over what decides in the person's own repository which programs git runs and how it
/// sees files (RUN-24): configuration, hooks, attributes.
pub(super) fn records(source: &Repository) -> [u8; 32] {
    let common = source.commondir();
    let mut files = vec![
        common.join("config"),
        common.join("config.worktree"),
        common.join("info/attributes"),
        common.join("info/exclude"),
        source.path().join("config.worktree"),
    ];
    collect(&common.join("hooks"), 2, &mut files);
    files.sort();
    let mut parts: Vec<Vec<u8>> = Vec::new();
    for file in files {
        parts.push(file.as_os_str().as_bytes().to_vec());
        parts.push(content(&file));
    }
    let parts: Vec<_> = parts.iter().map(Vec::as_slice).collect();
    Digest::of_fields(&parts).0
}

/// Most bytes of a file that are looked at; of more, the reason why not stands in their place.
const MOST: u64 = 64 << 20;

/// What a file holds, or in words why that cannot be told. A check may have put anything in its
/// place: nothing is followed and nothing is waited for.
fn content(file: &Path) -> Vec<u8> {
    match regular::read(file, MOST) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => Vec::new(),
        Err(error) => error.says().into_bytes(),
    }
}

/// Whether the file that leads from a checkout to its repository says what we wrote there.
pub(super) fn leads_there(link: &Path, pointer: &str) -> bool {
    let read = regular::read(link, pointer.len() as u64);
    matches!(read, Ok(Some(bytes)) if bytes == pointer.as_bytes())
}

fn collect(folder: &Path, depth: usize, into: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        if depth == 0 && (name == "index" || name == "index.lock") {
            continue;
        }
        // Loose objects of our own repository are none of git's decisions.
        let objects = depth == 0 && name == "objects";
        if objects {
            collect(&path.join("info"), 2, into);
        } else if kind.is_dir() && depth < 8 {
            collect(&path, depth + 1, into);
        } else if kind.is_file() && into.len() < 4096 {
            into.push(path);
        } else {
            // A link or a pipe: its name alone tells.
            into.push(path.join("(no file)"));
        }
    }
}

pub(super) fn to_git(oid: Oid) -> io::Result<git2::Oid> {
    git2::Oid::from_bytes(&oid.0).map_err(git)
}

pub(super) fn git(error: git2::Error) -> io::Error {
    io::Error::other(error)
}
