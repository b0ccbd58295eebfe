//! Writes the entries of a tree below one folder and nowhere else (RUN-22).
//!
//! Every folder is opened with `openat2` beneath the root, following no link and leaving no file
//! system; what stands in the way is removed by descriptor; files are created, never opened. A
//! CHECK may have planted anything: a link is removed, never followed.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use rustix::fs::{
    AtFlags, Dir, FileType, Mode, OFlags, ResolveFlags, chmodat, mkdirat, openat, openat2, statat,
    symlinkat, unlinkat,
};
use rustix::io::Errno;

use super::manifest::Marks;

/// Mode of a submodule in a tree.
pub(super) const SUBMODULE: u32 = 0o160_000;
/// Mode of a symbolic link in a tree.
const LINK: u32 = 0o120_000;
/// Mode of an executable file in a tree.
const EXECUTABLE: u32 = 0o100_755;
/// Deepest folder that is removed before giving up.
const DEEPEST: usize = 512;

/// The folder that a checkout lives in.
#[derive(Debug)]
pub(super) struct Root(OwnedFd);

impl AsFd for Root {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Why a path of a tree is never written, or `None`.
pub(super) fn refused(path: &[u8]) -> Option<&'static str> {
    if path.first() == Some(&b'/') || path.contains(&0) || path.len() > 4000 {
        return Some("no path inside a folder");
    }
    for name in path.split(|b| *b == b'/') {
        let lower = name.to_ascii_lowercase();
        match lower.as_slice() {
            b"" | b"." | b".." => return Some("no path inside a folder"),
            b".git" | b"git~1" => return Some("a name that git takes for its own"),
            _ if hides_git(name) => return Some("a name that git takes for its own"),
            _ if name.len() > 255 => return Some("a name that is too long"),
            _ => {}
        }
    }
    None
}

/// `.git` with characters that some file systems drop, or with trailing dots and blanks.
fn hides_git(name: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(name) else {
        return false;
    };
    let kept: String = text
        .chars()
        .filter(|c| !crate::model::text::is_hidden(*c))
        .collect();
    let kept = kept.trim_end_matches(['.', ' ']);
    let kept = kept.split(':').next().unwrap_or(kept);
    kept.eq_ignore_ascii_case(".git")
}

impl Root {
    /// Opens the folder itself, which must be no link.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::RDONLY;
        Ok(Self(rustix::fs::open(path, flags, Mode::empty())?))
    }

    /// Opens a folder below it for reading.
    pub(super) fn folder(&self, path: &[u8]) -> rustix::io::Result<OwnedFd> {
        let path = if path.is_empty() { b"." } else { path };
        openat2(
            &self.0,
            path,
            OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::RDONLY,
            Mode::empty(),
            ResolveFlags::BENEATH
                | ResolveFlags::NO_SYMLINKS
                | ResolveFlags::NO_MAGICLINKS
                | ResolveFlags::NO_XDEV,
        )
    }

    /// The same, made where it is missing; what stands in its way is removed.
    fn folder_made(&self, path: &[u8]) -> io::Result<OwnedFd> {
        if let Ok(folder) = self.folder(path) {
            return Ok(folder);
        }
        let mut at = self.folder(b"")?;
        for name in path.split(|b| *b == b'/') {
            match statat(&at, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::Directory => {}
                Ok(_) => {
                    unlinkat(&at, name, AtFlags::empty())?;
                    mkdirat(&at, name, Mode::from_raw_mode(0o755))?;
                }
                Err(Errno::NOENT) => mkdirat(&at, name, Mode::from_raw_mode(0o755))?,
                Err(error) => return Err(error.into()),
            }
            at = open_folder_here(&at, name)?;
        }
        Ok(at)
    }

    /// Writes one entry and says what the file system makes of it.
    pub(super) fn write(&self, path: &[u8], mode: u32, bytes: &[u8]) -> io::Result<Marks> {
        let (folder, name) = split(path);
        let folder = if folder.is_empty() {
            self.folder(b"")?
        } else {
            self.folder_made(folder)?
        };
        remove(&folder, name, 0)?;
        match mode {
            SUBMODULE => mkdirat(&folder, name, Mode::from_raw_mode(0o755))?,
            LINK => symlinkat(bytes, &folder, name)?,
            _ => {
                let bits = if mode == EXECUTABLE { 0o755 } else { 0o644 };
                let flags = OFlags::CREATE
                    | OFlags::EXCL
                    | OFlags::NOFOLLOW
                    | OFlags::WRONLY
                    | OFlags::CLOEXEC;
                let file = openat(&folder, name, flags, Mode::from_raw_mode(bits))?;
                File::from(file).write_all(bytes)?;
            }
        }
        let stat = statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(Marks::of(&stat))
    }

    /// Whether exactly this object stands at a path, reached through no link.
    pub(super) fn holds(&self, path: &[u8], mode: u32, oid: [u8; 20]) -> bool {
        let (folder, name) = split(path);
        let Ok(folder) = self.folder(folder) else {
            return false;
        };
        let Ok(stat) = statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW) else {
            return false;
        };
        let kind = FileType::from_raw_mode(stat.st_mode);
        let bytes = if mode == LINK && kind == FileType::Symlink {
            rustix::fs::readlinkat(&folder, name, Vec::new())
                .map(std::ffi::CString::into_bytes)
                .ok()
        } else if mode != LINK && kind == FileType::RegularFile {
            let executable = stat.st_mode & 0o100 != 0;
            if executable != (mode == EXECUTABLE) {
                return false;
            }
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
            openat(&folder, name, flags, Mode::empty())
                .ok()
                .and_then(|file| {
                    let mut bytes = Vec::new();
                    File::from(file).read_to_end(&mut bytes).ok()?;
                    Some(bytes)
                })
        } else {
            None
        };
        let hash = bytes.and_then(|b| git2::Oid::hash_object(git2::ObjectType::Blob, &b).ok());
        hash.is_some_and(|hash| hash.as_bytes() == oid)
    }

    /// Removes one entry with everything in it, and the folders that are empty then.
    pub(super) fn remove(&self, path: &[u8]) -> io::Result<()> {
        let (folder, name) = split(path);
        let Ok(opened) = self.folder(folder) else {
            // A link or a file stands where a folder was: what we wrote is not there any more.
            return Ok(());
        };
        remove(&opened, name, 0)?;
        let mut empty = folder;
        while !empty.is_empty() {
            let (above, name) = split(empty);
            let Ok(opened) = self.folder(above) else {
                break;
            };
            if unlinkat(&opened, name, AtFlags::REMOVEDIR).is_err() {
                break;
            }
            empty = above;
        }
        Ok(())
    }
}

/// The folder of a path and its last component.
pub(super) fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().rposition(|b| *b == b'/') {
        Some(at) => (&path[..at], &path[at + 1..]),
        None => (b"", path),
    }
}

fn open_folder_here(at: &OwnedFd, name: &[u8]) -> io::Result<OwnedFd> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::RDONLY;
    match openat(at, name, flags, Mode::empty()) {
        Err(Errno::ACCESS) => {
            chmodat(at, name, Mode::from_raw_mode(0o755), AtFlags::empty())?;
            Ok(openat(at, name, flags, Mode::empty())?)
        }
        opened => Ok(opened?),
    }
}

/// Removes an entry of a folder, recursively; nothing is fine as well.
fn remove(at: &OwnedFd, name: &[u8], depth: usize) -> io::Result<()> {
    let stat = match statat(at, name, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) => return Ok(()),
        stat => stat?,
    };
    if FileType::from_raw_mode(stat.st_mode) != FileType::Directory {
        return Ok(unlinkat(at, name, AtFlags::empty())?);
    }
    if depth > DEEPEST {
        return Err(io::Error::other("folders nested too deep to be removed"));
    }
    if stat.st_mode & 0o700 != 0o700 {
        chmodat(at, name, Mode::from_raw_mode(0o755), AtFlags::empty())?;
    }
    let folder = open_folder_here(at, name)?;
    for entry in Dir::read_from(&folder)? {
        let entry = entry?;
        let inside = entry.file_name().to_bytes();
        if inside != b"." && inside != b".." {
            remove(&folder, inside, depth + 1)?;
        }
    }
    Ok(unlinkat(at, name, AtFlags::REMOVEDIR)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn names_that_would_leave_the_folder_are_refused() {
        let bad: [&[u8]; 12] = [
            b"/etc/passwd",
            b"../x",
            b"a/../b",
            b"a/./b",
            b"a//b",
            b"",
            b".git/config",
            b"a/.GIT/hooks/x",
            b"git~1/x",
            ".g\u{200c}it/x".as_bytes(),
            b".git./x",
            b".git::$INDEX_ALLOCATION/x",
        ];
        for path in bad {
            assert!(
                refused(path).is_some(),
                "{:?}",
                String::from_utf8_lossy(path)
            );
        }
        for path in [&b"a/b.c"[..], b".gitignore", b".github/x", b"...", b"git"] {
            assert_eq!(refused(path), None, "{:?}", String::from_utf8_lossy(path));
        }
    }

    #[test]
    fn planted_links_are_removed_and_never_followed() {
        let home = tempfile::tempdir().expect("a folder");
        let (tree, outside) = (home.path().join("tree"), home.path().join("outside"));
        fs::create_dir(&tree).expect("made");
        fs::create_dir(&outside).expect("made");
        fs::write(outside.join("kept"), "kept").expect("written");
        symlink(&outside, tree.join("src")).expect("linked");
        symlink(outside.join("kept"), tree.join("file")).expect("linked");
        let root = Root::open(&tree).expect("opens");
        root.write(b"src/new", 0o100_644, b"new").expect("written");
        root.write(b"src/a/b/c", 0o100_755, b"c").expect("written");
        root.write(b"file", 0o100_644, b"file").expect("written");
        root.write(b"link", 0o120_000, b"/").expect("written");
        assert_eq!(fs::read(tree.join("src/new")).expect("read"), b"new");
        assert_eq!(fs::read(outside.join("kept")).expect("read"), b"kept");
        assert_eq!(fs::read_dir(&outside).expect("read").count(), 1);
        root.remove(b"src/a/b/c").expect("removed");
        assert!(!tree.join("src/a").exists());
        root.write(b"src", 0o100_644, b"now a file")
            .expect("written");
        assert_eq!(fs::read(tree.join("src")).expect("read"), b"now a file");
        assert!(Root::open(&tree.join("link")).is_err());
    }
}
