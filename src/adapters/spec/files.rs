//! The files of a spec tree: from a worktree or from a table in a test, each with its bytes or
//! with the reason why it has none.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use super::anchors::{self, Anchors};
use crate::adapters::git::regular;
use crate::model::id::RepoPath;

/// Largest file that is read.
const LARGEST: u64 = 16 << 20;
/// Deepest folder that is entered.
const DEEPEST: usize = 64;
/// Most files of a tree.
const MOST: usize = 200_000;

/// Files by path, with bytes or why there are none.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Files {
    /// The files.
    pub all: BTreeMap<RepoPath, Result<Vec<u8>, String>>,
    /// Folders that could not be looked into.
    pub closed: Vec<(RepoPath, String)>,
}

/// How a folder is searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Search {
    /// Everything below is part of the spec tree.
    Whole,
    /// Only spec roots at their places count (`.agents/spec`, `.agents/specs`, at any depth, and
    /// the folders that [`Anchors`] name).
    Places,
}

impl Files {
    /// Reads what a spec tree is made of below `top/dir`. Links are not followed, folders with a
    /// `.git` of their own and `node_modules` are left out.
    #[must_use]
    pub fn below(top: &Path, dir: &RepoPath, search: Search) -> Self {
        let mut files = Self::default();
        files.folder(top, dir.clone(), search, &Anchors::default(), 0);
        files
    }

    /// Reads what lies at the places of specs in a worktree, those of its anchors with them.
    /// Anchors that cannot be used are told like a folder that cannot be looked into.
    #[must_use]
    pub fn places(top: &Path) -> Self {
        match Anchors::of(top) {
            Ok(anchors) => Self::anchored(top, &anchors),
            Err(why) => {
                let mut files = Self::anchored(top, &Anchors::default());
                files.closed.push((RepoPath::from(anchors::PATH), why));
                files
            }
        }
    }

    /// The same with these anchors.
    #[must_use]
    pub fn anchored(top: &Path, anchors: &Anchors) -> Self {
        let mut files = Self::default();
        files.folder(top, RepoPath::from(""), Search::Places, anchors, 0);
        files
    }

    /// Reads files by name, and what a rule may look up in their folders. A file that is not
    /// there is one that could not be read.
    #[must_use]
    pub fn beside(top: &Path, named: &[RepoPath]) -> Self {
        let mut files = Self::default();
        for path in named {
            let dir = crate::model::spec::folder(path);
            let listed = fs::read_dir(on_disk(top, &dir)).map(Iterator::flatten);
            for entry in listed.into_iter().flatten() {
                let near = joined(&dir, entry.file_name().as_bytes());
                let plain = entry.file_type().is_ok_and(|kind| kind.is_file());
                if plain && wanted(&near) {
                    files.take(&on_disk(top, &near), near);
                }
            }
            files.take(&on_disk(top, path), path.clone());
        }
        files
    }

    fn take(&mut self, place: &Path, path: RepoPath) {
        if self.all.len() >= MOST || self.all.contains_key(&path) {
            return;
        }
        let read = match regular::read(place, LARGEST) {
            Ok(Some(bytes)) => Ok(bytes),
            Ok(None) => Err(String::from("there is no such file")),
            Err(error) => Err(error.says()),
        };
        self.all.insert(path, read);
    }

    fn folder(
        &mut self,
        top: &Path,
        dir: RepoPath,
        search: Search,
        anchors: &Anchors,
        depth: usize,
    ) {
        let place = on_disk(top, &dir);
        let listed = fs::read_dir(&place).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let listed = match listed {
            Ok(_) if depth > DEEPEST => {
                let why = String::from("folders are nested too deeply");
                return self.closed.push((dir, why));
            }
            Ok(listed) => listed,
            Err(error) => return self.closed.push((dir, error.to_string())),
        };
        for entry in listed {
            let name = entry.file_name();
            let name = name.as_bytes();
            let path = joined(&dir, name);
            let Ok(kind) = entry.file_type() else {
                self.closed
                    .push((path, String::from("cannot be looked at")));
                continue;
            };
            if kind.is_dir() {
                let inside = spec_place(&path) || anchors.starts(path.as_bytes());
                let search = if inside { Search::Whole } else { search };
                let dotted = name.starts_with(b".") && name != b".agents" && !inside;
                let foreign = fs::symlink_metadata(entry.path().join(".git")).is_ok();
                if name != b"node_modules" && !dotted && !foreign {
                    self.folder(top, path, search, anchors, depth + 1);
                }
            } else if search == Search::Whole && wanted(&path) {
                self.take(&entry.path(), path);
            }
        }
    }
}

/// Whether a folder is a place of specs, or of the plans beside them.
fn spec_place(path: &RepoPath) -> bool {
    let bytes = path.as_bytes();
    [&b".agents/spec"[..], b".agents/specs", b".agents/plans"]
        .iter()
        .any(|end| {
            bytes
                .strip_suffix(*end)
                .is_some_and(|rest| rest.is_empty() || rest.ends_with(b"/"))
        })
}

fn wanted(path: &RepoPath) -> bool {
    let name = path.file_name();
    [&b".md"[..], b".feature", b".jsonl"]
        .iter()
        .any(|end| name.ends_with(end))
}

/// A path on disk.
#[must_use]
pub fn on_disk(top: &Path, path: &RepoPath) -> std::path::PathBuf {
    match path.as_bytes() {
        b"" => top.to_owned(),
        bytes => top.join(std::ffi::OsStr::from_bytes(bytes)),
    }
}

/// A name in a folder.
#[must_use]
pub fn joined(dir: &RepoPath, name: &[u8]) -> RepoPath {
    let mut bytes = dir.as_bytes().to_vec();
    if !bytes.is_empty() {
        bytes.push(b'/');
    }
    bytes.extend_from_slice(name);
    RepoPath::new(bytes)
}
