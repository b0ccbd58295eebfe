//! What we wrote into a checkout, file by file, with the marks by which a later change is seen.

use std::io;
use std::os::fd::AsFd;
use std::path::Path;

use rustix::fs::{AtFlags, Stat, statat};
use serde::{Deserialize, Serialize};

/// The manifest of a checkout.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Manifest {
    /// The tree it holds.
    pub(super) tree: [u8; 20],
    /// The head it was laid out for.
    pub(super) head: [u8; 20],
    /// Sorted by path.
    pub(super) files: Vec<Written>,
    /// The tree's `.gitignore` files: folder and bytes.
    pub(super) ignores: Vec<(Vec<u8>, Vec<u8>)>,
    /// Names that were refused, with the reason.
    pub(super) refused: Vec<(Vec<u8>, String)>,
    /// SHA-256 over the private repository's own files.
    pub(super) gitdir: [u8; 32],
}

/// One entry that we wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Written {
    pub(super) path: Vec<u8>,
    pub(super) oid: [u8; 20],
    pub(super) mode: u32,
    pub(super) marks: Marks,
}

/// What the file system says of an entry. Any write, link, rename or `chmod` changes the time of
/// change, which no ordinary process can set back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Marks {
    kind_and_mode: u32,
    size: i64,
    inode: u64,
    modified: (i64, u64),
    changed: (i64, u64),
}

impl Written {
    /// An entry of a tree that we did not write.
    pub(super) fn unmarked(path: Vec<u8>, oid: [u8; 20], mode: u32) -> Self {
        let marks = Marks {
            kind_and_mode: 0,
            size: 0,
            inode: 0,
            modified: (0, 0),
            changed: (0, 0),
        };
        Self {
            path,
            oid,
            mode,
            marks,
        }
    }
}

impl Marks {
    pub(super) fn of(stat: &Stat) -> Self {
        Self {
            kind_and_mode: stat.st_mode,
            size: stat.st_size,
            inode: stat.st_ino,
            modified: (stat.st_mtime, stat.st_mtime_nsec),
            changed: (stat.st_ctime, stat.st_ctime_nsec),
        }
    }
}

impl Manifest {
    /// Reads it; `None` when there is none that can be read.
    pub(super) fn load(path: &Path) -> Option<Self> {
        postcard::from_bytes(&std::fs::read(path).ok()?).ok()
    }

    /// Replaces it whole.
    pub(super) fn store(&self, path: &Path) -> io::Result<()> {
        let bytes = postcard::to_stdvec(self).map_err(io::Error::other)?;
        let next = path.with_extension("next");
        std::fs::write(&next, bytes)?;
        std::fs::rename(next, path)
    }

    /// The entries that are no longer as we wrote them. Submodules are empty folders that may
    /// change their times when something is put in: that something is found by the walk.
    pub(super) fn touched(&self, root: impl AsFd) -> Vec<&Written> {
        let changed = |written: &&Written| match statat(
            &root,
            written.path.as_slice(),
            AtFlags::SYMLINK_NOFOLLOW,
        ) {
            Ok(stat) if written.mode == super::writer::SUBMODULE => {
                rustix::fs::FileType::from_raw_mode(stat.st_mode) != rustix::fs::FileType::Directory
            }
            Ok(stat) => Marks::of(&stat) != written.marks,
            Err(_) => true,
        };
        self.files.iter().filter(changed).collect()
    }

    /// The entry of a path.
    pub(super) fn get(&self, path: &[u8]) -> Option<&Written> {
        let at = self
            .files
            .binary_search_by(|w| w.path.as_slice().cmp(path))
            .ok()?;
        self.files.get(at)
    }

    /// Whether anything we wrote lies below a folder.
    pub(super) fn has_below(&self, folder: &[u8]) -> bool {
        let mut prefix = folder.to_vec();
        prefix.push(b'/');
        let at = self.files.partition_point(|w| w.path < prefix);
        self.files
            .get(at)
            .is_some_and(|w| w.path.starts_with(&prefix))
    }
}
