//! Brings a checkout to a tree: what a CHECK touched is mended, what differs from the last tree
//! is written, everything else keeps its times, so that a second build is warm.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use git2::{Repository, Tree};

use crate::model::id::Oid;

use super::gitdir::{self, History, git, to_git};
use super::manifest::{Manifest, Written};
use super::scan;
use super::writer::{self, Root};

/// Largest `.gitignore` that is read.
const IGNORE_BYTES: usize = 1 << 20;
/// Deepest tree that is read.
const DEEPEST: usize = 200;

/// The files of one slot.
#[derive(Clone, Debug)]
pub(super) struct SlotFolder(pub(super) PathBuf);

impl SlotFolder {
    pub(super) fn tree(&self) -> PathBuf {
        self.0.join("tree")
    }

    pub(super) fn gitdir(&self) -> PathBuf {
        self.0.join("git")
    }

    pub(super) fn manifest(&self) -> PathBuf {
        self.0.join("manifest")
    }
}

/// What bringing it there did.
#[derive(Clone, Debug, Default)]
pub(super) struct Brought {
    pub(super) written: usize,
    pub(super) removed: usize,
    pub(super) refused: Vec<(Vec<u8>, String)>,
    pub(super) submodules: usize,
}

/// Brings `slot` to the tree of `history`; `cold` empties it first.
pub(super) fn bring(slot: &SlotFolder, history: &History<'_>, cold: bool) -> io::Result<Brought> {
    let mut old = Manifest::load(&slot.manifest());
    if cold || old.is_none() {
        remove_tree(&slot.tree())?;
        old = None;
    }
    let old = old.unwrap_or_default();
    fs::create_dir_all(slot.tree())?;
    let root = Root::open(&slot.tree())?;
    let mut wanted = Listing::default();
    let tree = history
        .source
        .find_tree(to_git(history.tree)?)
        .map_err(git)?;
    wanted.collect(history.source, &tree, b"", 0)?;
    wanted.entries.sort();
    let mut brought = Brought {
        refused: wanted.refused,
        ..Brought::default()
    };
    // While it is being written there is no manifest: a crash here means a cold start.
    match fs::remove_file(slot.manifest()) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    brought.removed = remove_what_is_gone(&root, &old, &wanted.entries)?;
    let files = write_what_differs(&root, history.source, &old, wanted.entries, &mut brought)?;
    let pointer = format!("gitdir: {}\n", slot.gitdir().display());
    if !gitdir::leads_there(&slot.tree().join(".git"), &pointer) {
        root.write(b".git", 0o100_644, pointer.as_bytes())?;
    }
    let same_history = old.head == history.head.0
        && old.tree == history.tree.0
        && gitdir::digest(&slot.gitdir()).0 == old.gitdir;
    if !same_history {
        gitdir::lay_out(&slot.gitdir(), history, &files)?;
    }
    Manifest {
        tree: history.tree.0,
        head: history.head.0,
        files,
        ignores: wanted.ignores,
        refused: brought.refused.clone(),
        gitdir: gitdir::digest(&slot.gitdir()).0,
    }
    .store(&slot.manifest())?;
    Ok(brought)
}

/// Removes a checkout with everything in it.
fn remove_tree(path: &Path) -> io::Result<()> {
    let Some(name) = path.file_name() else {
        return Ok(());
    };
    let above = Root::open(path.parent().unwrap_or(path))?;
    above.remove(std::os::unix::ffi::OsStrExt::as_bytes(name))
}

/// Entries of the last tree that the new one lacks, and strays that a run left.
fn remove_what_is_gone(root: &Root, old: &Manifest, wanted: &[Entry]) -> io::Result<usize> {
    let mut gone: Vec<Vec<u8>> = old
        .files
        .iter()
        .filter(|w| wanted.binary_search_by(|e| e.path.cmp(&w.path)).is_err())
        .map(|w| w.path.clone())
        .collect();
    if !old.files.is_empty() {
        gone.extend(scan::strays(root, old));
    }
    for path in &gone {
        if !path.is_empty() {
            root.remove(path)?;
        }
    }
    Ok(gone.len())
}

fn write_what_differs(
    root: &Root,
    source: &Repository,
    old: &Manifest,
    wanted: Vec<Entry>,
    brought: &mut Brought,
) -> io::Result<Vec<Written>> {
    let touched: std::collections::HashSet<_> = old
        .touched(root)
        .into_iter()
        .map(|w| w.path.as_slice())
        .collect();
    let odb = source.odb().map_err(git)?;
    let mut files = Vec::with_capacity(wanted.len());
    for entry in wanted {
        brought.submodules += usize::from(entry.mode == writer::SUBMODULE);
        let kept = old.get(&entry.path).filter(|w| {
            w.oid == entry.oid && w.mode == entry.mode && !touched.contains(w.path.as_slice())
        });
        if let Some(kept) = kept {
            files.push(kept.clone());
            continue;
        }
        let marks = if entry.mode == writer::SUBMODULE {
            root.write(&entry.path, entry.mode, b"")?
        } else {
            let object = odb.read(to_git(Oid(entry.oid))?).map_err(git)?;
            root.write(&entry.path, entry.mode, object.data())?
        };
        brought.written += 1;
        files.push(Written {
            path: entry.path,
            oid: entry.oid,
            mode: entry.mode,
            marks,
        });
    }
    Ok(files)
}

/// Writes a whole tree into an empty folder.
pub(super) fn write_all(
    root: &Root,
    source: &Repository,
    mut wanted: Listing,
    brought: &mut Brought,
) -> io::Result<Vec<Written>> {
    wanted.entries.sort();
    brought.refused = wanted.refused;
    write_what_differs(root, source, &Manifest::default(), wanted.entries, brought)
}

/// One entry of a tree.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry {
    pub(super) path: Vec<u8>,
    pub(super) oid: [u8; 20],
    pub(super) mode: u32,
}

/// A tree, flat.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub(super) entries: Vec<Entry>,
    refused: Vec<(Vec<u8>, String)>,
    pub(super) ignores: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Listing {
    pub(super) fn collect(
        &mut self,
        source: &Repository,
        tree: &Tree<'_>,
        folder: &[u8],
        depth: usize,
    ) -> io::Result<()> {
        if depth > DEEPEST {
            self.refused
                .push((folder.to_vec(), "nested too deep".into()));
            return Ok(());
        }
        for entry in tree {
            let mut path = folder.to_vec();
            if !path.is_empty() {
                path.push(b'/');
            }
            path.extend_from_slice(entry.name_bytes());
            if let Some(why) = writer::refused(&path) {
                self.refused.push((path, why.into()));
                continue;
            }
            let mode = entry.filemode_raw() as u32;
            if mode == 0o040_000 {
                let inside = source.find_tree(entry.id()).map_err(git)?;
                self.collect(source, &inside, &path, depth + 1)?;
                continue;
            }
            if entry.name_bytes() == b".gitignore" && mode != 0o120_000 {
                let blob = source.find_blob(entry.id()).map_err(git)?;
                if blob.content().len() <= IGNORE_BYTES {
                    self.ignores
                        .push((folder.to_vec(), blob.content().to_vec()));
                }
            }
            let mut oid = [0; 20];
            oid.copy_from_slice(entry.id().as_bytes());
            self.entries.push(Entry { path, oid, mode });
        }
        Ok(())
    }
}
