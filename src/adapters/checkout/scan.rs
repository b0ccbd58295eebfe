//! What a run did to its checkout (K45): tracked files that changed, and new files that the
//! tree's own `.gitignore` files do not ignore. Follows no link.

use std::io;
use std::path::Path;

use git2::Repository;
use rustix::fs::{Dir, FileType};

use crate::model::id::Oid;

use super::bring::Listing;
use super::gitdir::{git, to_git};
use super::ignore::Ignores;
use super::manifest::{Manifest, Written};
use super::writer::{Root, SUBMODULE};

/// Deepest folder that is looked into.
const DEEPEST: usize = 256;
/// Most paths that are collected.
pub(super) const MOST: usize = 10_000;

/// Changed and new paths, sorted; at most [`MOST`].
pub(super) fn changes(root: &Root, manifest: &Manifest) -> Vec<Vec<u8>> {
    let mut found: Vec<_> = manifest
        .touched(root)
        .into_iter()
        .map(|written| written.path.clone())
        .collect();
    found.extend(strays(root, manifest));
    found.sort();
    found.dedup();
    found.truncate(MOST);
    found
}

/// What differs between a tree and a worktree that somebody else keeps: entries with other bytes
/// or another mode, missing ones, and new files that nothing ignores.
pub(super) fn live(source: &Repository, tree: Oid, worktree: &Path) -> io::Result<Vec<Vec<u8>>> {
    let root = Root::open(worktree)?;
    let found = source.find_tree(to_git(tree)?).map_err(git)?;
    let mut listing = Listing::default();
    listing.collect(source, &found, b"", 0)?;
    listing.entries.sort();
    let mut differs: Vec<Vec<u8>> = Vec::new();
    let mut manifest = Manifest {
        ignores: std::mem::take(&mut listing.ignores),
        ..Manifest::default()
    };
    for entry in listing.entries {
        if entry.mode != SUBMODULE && !root.holds(&entry.path, entry.mode, entry.oid) {
            differs.push(entry.path.clone());
        }
        manifest
            .files
            .push(Written::unmarked(entry.path, entry.oid, entry.mode));
    }
    differs.extend(strays(&root, &manifest));
    differs.sort();
    differs.truncate(MOST);
    Ok(differs)
}

/// New files that nothing ignores.
pub(super) fn strays(root: &Root, manifest: &Manifest) -> Vec<Vec<u8>> {
    let mut walk = Walk {
        root,
        manifest,
        ignores: Ignores::read(&manifest.ignores),
        found: Vec::new(),
    };
    walk.folder(b"", 0);
    walk.found
}

struct Walk<'a> {
    root: &'a Root,
    manifest: &'a Manifest,
    ignores: Ignores,
    found: Vec<Vec<u8>>,
}

impl Walk<'_> {
    fn folder(&mut self, path: &[u8], depth: usize) {
        if depth > DEEPEST || self.found.len() >= MOST {
            self.found.push(path.to_vec());
            return;
        }
        let Ok(opened) = self.root.folder(path) else {
            // A folder that cannot be looked into is no longer as it was.
            self.found.push(path.to_vec());
            return;
        };
        let Ok(entries) = Dir::read_from(&opened) else {
            self.found.push(path.to_vec());
            return;
        };
        drop(opened);
        for entry in entries.flatten() {
            let name = entry.file_name().to_bytes();
            if name == b"." || name == b".." || (path.is_empty() && name == b".git") {
                continue;
            }
            let mut inside = path.to_vec();
            if !inside.is_empty() {
                inside.push(b'/');
            }
            inside.extend_from_slice(name);
            self.entry(inside, entry.file_type() == FileType::Directory, depth);
        }
    }

    fn entry(&mut self, path: Vec<u8>, is_folder: bool, depth: usize) {
        let written = self.manifest.get(&path);
        if let Some(written) = written {
            if is_folder && written.mode == SUBMODULE {
                self.folder(&path, depth + 1);
            }
            return;
        }
        let ours = is_folder && self.manifest.has_below(&path);
        if !ours && self.ignores.ignores(&path, is_folder) {
            return;
        }
        if is_folder {
            self.folder(&path, depth + 1);
        } else {
            self.found.push(path);
        }
    }
}
