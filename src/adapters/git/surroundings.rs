//! What lies beside the change: the state of the worktree, and names in the tree that mislead.
//!
//! Nothing here is judged. It must never be taken for "none" when it cannot be looked at, and it
//! runs nothing.

use std::collections::HashMap;
use std::path::Path;

use unicode_normalization::UnicodeNormalization as _;

use super::GitError;
use super::objects::{Objects, TreeEntry};
use super::open::{Note, NotePaths};
use super::place;
use crate::model::id::Oid;

/// Most entries of the tree that are looked at (GIT-16).
const MOST: usize = 100_000;

/// Files that `git status` would list. This and [`changed`] are the only places where libgit2 opens the repository
/// as such; when it hangs on a hostile file, the process is killed and the answer stays unknown.
///
/// # Errors
/// What libgit2 says.
pub fn worktree(top: &Path) -> Result<Vec<Note>, GitError> {
    let system = |e: git2::Error| GitError::System(e.message().to_owned());
    let repository = git2::Repository::open(top).map_err(system)?;
    let mut options = git2::StatusOptions::new();
    options
        .include_untracked(true)
        .recurse_untracked_dirs(false)
        .exclude_submodules(true)
        .update_index(false);
    let statuses = repository.statuses(Some(&mut options)).map_err(system)?;
    let [mut changed, mut untracked, mut nested] = [const { Vec::new() }; 3];
    for status in &statuses {
        let path = status.path_bytes();
        if status.status() != git2::Status::WT_NEW {
            changed.push(path.to_vec());
            continue;
        }
        let name = path.strip_suffix(b"/").unwrap_or(path);
        let folder = top.join(place::path_of(name));
        if name.len() < path.len() && (place::looks_bare(&folder) || folder.join(".git").exists()) {
            nested.push(path.to_vec());
        } else {
            untracked.push(path.to_vec());
        }
    }
    Ok(said([
        (some(&changed), Note::Uncommitted),
        (some(&untracked), Note::Untracked),
        (some(&nested), Note::Nested),
    ]))
}

/// Every file that differs from the head, and every new one that is not ignored: its path, and
/// whether it is gone.
///
/// # Errors
/// What libgit2 says.
pub fn changed(top: &Path) -> Result<Vec<(Vec<u8>, bool)>, GitError> {
    let system = |e: git2::Error| GitError::System(e.message().to_owned());
    let repository = git2::Repository::open(top).map_err(system)?;
    let mut options = git2::StatusOptions::new();
    options
        .include_untracked(true)
        .recurse_untracked_dirs(true)
        .exclude_submodules(true)
        .update_index(false);
    let statuses = repository.statuses(Some(&mut options)).map_err(system)?;
    let gone = git2::Status::WT_DELETED | git2::Status::INDEX_DELETED;
    let found = statuses.iter().map(|status| {
        let path = status.path_bytes().to_vec();
        (path, status.status().intersects(gone))
    });
    Ok(found.collect())
}

fn some(paths: &[Vec<u8>]) -> NotePaths {
    let mut out = NotePaths::default();
    paths.iter().for_each(|path| out.push(path));
    out
}

/// Paths, and the note they make.
type Found = (NotePaths, fn(NotePaths) -> Note);

fn said(found: [Found; 3]) -> Vec<Note> {
    let named = found.into_iter().filter(|(paths, _)| paths.total > 0);
    named.map(|(paths, note)| note(paths)).collect()
}

/// Names in a tree that mislead: two that are one elsewhere, bytes that are no text, folders
/// that git would take for its own, submodules below the top.
///
/// # Errors
/// A tree that is missing or damaged, or more entries than are looked at.
pub fn names(objects: &Objects, tree: Oid) -> Result<Vec<Note>, GitError> {
    let mut found = Names::default();
    let mut left = vec![(Vec::new(), tree)];
    let mut looked = 0usize;
    while let Some((path, oid)) = left.pop() {
        let entries = objects.tree(oid)?;
        looked += entries.len();
        if looked > MOST {
            let why = format!("it has more than {MOST} entries");
            return Err(GitError::System(why));
        }
        found.folder(&path, &entries);
        for entry in entries.iter().filter(|entry| entry.is_tree()) {
            left.push((below(&path, &entry.name), entry.oid));
        }
    }
    let mut notes = said([
        (found.nested, Note::Nested),
        (found.colliding, Note::Colliding),
        (found.not_utf8, Note::NotUtf8),
    ]);
    if found.submodules {
        notes.push(Note::Submodules);
    }
    Ok(notes)
}

#[derive(Default)]
struct Names {
    nested: NotePaths,
    colliding: NotePaths,
    not_utf8: NotePaths,
    submodules: bool,
}

impl Names {
    fn folder(&mut self, path: &[u8], entries: &[TreeEntry]) {
        let has = |name: &[u8], tree: bool| {
            let is = |e: &TreeEntry| e.name == name && e.is_tree() == tree;
            entries.iter().any(is)
        };
        if has(b"HEAD", false) && has(b"objects", true) && has(b"refs", true) {
            self.nested.push(path);
        }
        let mut seen: HashMap<String, &[u8]> = HashMap::new();
        for entry in entries {
            self.submodules |= entry.mode == 0o160_000;
            let full = || below(path, &entry.name);
            let Ok(name) = std::str::from_utf8(&entry.name) else {
                self.not_utf8.push(&full());
                continue;
            };
            let folded = folded(name);
            if is_git_folder(&folded) {
                self.nested.push(&full());
            }
            if let Some(other) = seen.insert(folded, &entry.name) {
                self.colliding.push(&below(path, other));
                self.colliding.push(&full());
            }
        }
    }
}

fn below(path: &[u8], name: &[u8]) -> Vec<u8> {
    match path {
        [] => name.to_vec(),
        path => [path, b"/", name].concat(),
    }
}

/// The name as a file system sees it that minds neither case nor the form of accents.
fn folded(name: &str) -> String {
    let lower = name.nfd().flat_map(char::to_lowercase);
    lower.filter(|c| !IGNORED.contains(c)).nfc().collect()
}

/// Characters that one such file system leaves out of names.
const IGNORED: [char; 16] = [
    '\u{200c}', '\u{200d}', '\u{200e}', '\u{200f}', '\u{202a}', '\u{202b}', '\u{202c}', '\u{202d}',
    '\u{202e}', '\u{206a}', '\u{206b}', '\u{206c}', '\u{206d}', '\u{206e}', '\u{206f}', '\u{feff}',
];

/// `.git` and its disguises (GIT-8): short names, trailing dots and blanks, a stream's name.
fn is_git_folder(folded: &str) -> bool {
    let plain = folded.split(':').next().unwrap_or(folded);
    let plain = plain.trim_end_matches(['.', ' ']);
    matches!(plain, ".git" | "git~1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disguises_of_the_git_folder_are_seen() {
        for name in [
            ".git",
            ".GIT",
            "git~1",
            ".git. ",
            ".g\u{200c}it",
            ".git::$INDEX_ALLOCATION",
        ] {
            assert!(is_git_folder(&folded(name)), "{name:?}");
        }
        for name in [".gitignore", "git", ".github", "git~10"] {
            assert!(!is_git_folder(&folded(name)), "{name:?}");
        }
    }
}
