//! Writing a planned edit: compare, write beside, swap, make durable (WB-2 to WB-4, WB-6).
//!
//! The file is found from a folder by descriptors, no link is followed, and it is replaced in one
//! step or not at all.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{
    AtFlags, FileType, FlockOperation, Mode, OFlags, ResolveFlags, fchmod, fchown, flock, fstat,
    fsync, open, openat, openat2, renameat, statat, unlinkat,
};
use rustix::io::Errno;

use crate::model::id::Digest;

/// Marks our temporary files, so that a later start can tell them.
pub const TEMPORARY: &str = ".countersign-";

/// Why a file was not written. What was there before is whole in every case but
/// [`WriteError::NotDurable`].
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The path leads out of the root, or through a link.
    #[error("the path leads through a link or out of the worktree")]
    Outside,
    /// It is not a regular file.
    #[error("it is not a regular file")]
    NotRegular,
    /// It has more than one name.
    #[error("the file has more than one name (hard links)")]
    HardLinks,
    /// Its bytes are not those that were looked at.
    #[error("the file changed since it was read")]
    Moved,
    /// The system refused a step.
    #[error("could not {step}: {error}")]
    Failed {
        /// Which step.
        step: &'static str,
        /// Why.
        error: io::Error,
    },
    /// The new file is in place, but the system did not confirm that it is on the disk.
    #[error("written, but not confirmed to be on the disk: {0}")]
    NotDurable(io::Error),
}

fn failed(step: &'static str) -> impl Fn(Errno) -> WriteError {
    move |error| WriteError::Failed {
        step,
        error: error.into(),
    }
}

/// Replaces the bytes of `path` (relative, below `root`) when they still have the digest
/// `expected`.
///
/// # Errors
/// A [`WriteError`].
pub fn write(root: &Path, path: &[u8], expected: Digest, bytes: &[u8]) -> Result<(), WriteError> {
    let (folder, name) = match path.iter().rposition(|b| *b == b'/') {
        Some(at) => path.split_at(at + 1),
        None => (&b"."[..], path),
    };
    if name.is_empty() || name == b"." || name == b".." {
        return Err(WriteError::NotRegular);
    }
    let flags = OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::RDONLY;
    let top = open(root, flags, Mode::empty()).map_err(failed("open the folder"))?;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
    let folder = openat2(&top, folder, flags, Mode::empty(), resolve).map_err(outside)?;
    flock(&folder, FlockOperation::LockExclusive).map_err(failed("lock the folder"))?;
    let about = checked(&folder, name, expected)?;
    let temporary = fresh_name();
    let made = make(&folder, &temporary, &about, bytes)
        .and_then(|()| checked(&folder, name, expected).map(|_| ()))
        .and_then(|()| {
            renameat(&folder, temporary.as_str(), &folder, name).map_err(failed("replace the file"))
        });
    if let Err(error) = made {
        let _ = unlinkat(&folder, temporary.as_str(), AtFlags::empty());
        return Err(error);
    }
    fsync(&folder).map_err(|error| WriteError::NotDurable(error.into()))
}

/// Makes a new file in a folder below `root`, which is made as well when it is not there. A file of
/// that name is never touched.
///
/// # Errors
/// A [`WriteError`].
pub fn create(root: &Path, folder: &[u8], name: &str, bytes: &[u8]) -> Result<(), WriteError> {
    let flags = OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::RDONLY;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
    let mut place = open(root, flags, Mode::empty()).map_err(failed("open the folder"))?;
    for part in folder.split(|b| *b == b'/').filter(|part| !part.is_empty()) {
        match rustix::fs::mkdirat(&place, part, Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(failed("make the folder")(error)),
        }
        place = openat2(&place, part, flags, Mode::empty(), resolve).map_err(outside)?;
    }
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let mode = Mode::from_raw_mode(0o666);
    let file = openat(&place, name, flags, mode).map_err(failed("make the file"))?;
    let mut file = File::from(file);
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    if let Err(error) = written {
        let _ = unlinkat(&place, name, AtFlags::empty());
        return Err(WriteError::Failed {
            step: "write the new file",
            error,
        });
    }
    fsync(&place).map_err(|error| WriteError::NotDurable(error.into()))
}

fn outside(error: Errno) -> WriteError {
    match error {
        Errno::LOOP | Errno::XDEV | Errno::NOTDIR => WriteError::Outside,
        other => failed("open the folder")(other),
    }
}

/// Opens the file as it stands and refuses what may not be replaced.
fn checked(
    folder: &OwnedFd,
    name: &[u8],
    expected: Digest,
) -> Result<rustix::fs::Stat, WriteError> {
    let seen =
        statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).map_err(failed("look at the file"))?;
    match FileType::from_raw_mode(seen.st_mode) {
        FileType::RegularFile => {}
        FileType::Symlink => return Err(WriteError::Outside),
        _ => return Err(WriteError::NotRegular),
    }
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = openat(folder, name, flags, Mode::empty()).map_err(failed("open the file"))?;
    let about = fstat(&file).map_err(failed("look at the file"))?;
    if FileType::from_raw_mode(about.st_mode) != FileType::RegularFile {
        return Err(WriteError::NotRegular);
    }
    if about.st_nlink > 1 {
        return Err(WriteError::HardLinks);
    }
    let mut bytes = Vec::new();
    let mut file = File::from(file);
    file.read_to_end(&mut bytes)
        .map_err(|error| WriteError::Failed {
            step: "read the file",
            error,
        })?;
    if Digest::of(&bytes) != expected {
        return Err(WriteError::Moved);
    }
    let writable =
        rustix::fs::accessat(folder, name, rustix::fs::Access::WRITE_OK, AtFlags::EACCESS);
    writable.map_err(failed("write the file"))?;
    Ok(about)
}

fn make(
    folder: &OwnedFd,
    name: &str,
    about: &rustix::fs::Stat,
    bytes: &[u8],
) -> Result<(), WriteError> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let private = Mode::RUSR | Mode::WUSR;
    let file = openat(folder, name, flags, private).map_err(failed("make a file beside it"))?;
    let mut file = File::from(file);
    let written = file.write_all(bytes).and_then(|()| file.flush());
    written.map_err(|error| WriteError::Failed {
        step: "write the new bytes",
        error,
    })?;
    let mine = fstat(&file).map_err(failed("look at the new file"))?;
    if (mine.st_uid, mine.st_gid) != (about.st_uid, about.st_gid) {
        let owner = rustix::fs::Uid::from_raw(about.st_uid);
        let group = rustix::fs::Gid::from_raw(about.st_gid);
        fchown(&file, Some(owner), Some(group)).map_err(failed("keep the owner"))?;
    }
    let mode = Mode::from_raw_mode(about.st_mode);
    fchmod(&file, mode).map_err(failed("keep the permissions"))?;
    fsync(&file).map_err(failed("bring the new bytes to the disk"))
}

fn fresh_name() -> String {
    let mut random = [0; 8];
    if getrandom::fill(&mut random).is_err() {
        random = std::process::id()
            .to_le_bytes()
            .repeat(2)
            .try_into()
            .unwrap_or([0; 8]);
    }
    format!("{TEMPORARY}{:016x}.tmp", u64::from_le_bytes(random))
}
