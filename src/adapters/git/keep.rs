//! A private ref that keeps the judged objects from being pruned (GIT-15). It is the one thing
//! that is written into the reviewed repository, and only on the person's act (GIT-13).

use std::os::fd::{AsFd as _, OwnedFd};
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::{
    AtFlags, CWD, Mode, OFlags, ResolveFlags, fsync, mkdirat, openat, openat2, renameat, unlinkat,
};
use rustix::io::Errno;

use super::GitError;
use crate::model::id::{Digest, Oid};

/// The folder of the refs, below the shared git folder.
const FOLDER: [&str; 3] = ["refs", "countersign", "keep"];

/// Writes `refs/countersign/keep/<digest>` pointing at `head`. A ref that is there already is
/// left as it is. The lock of another writer is waited for as long as `patience` and never
/// removed (GIT-14).
///
/// # Errors
/// `File` when a folder on the way is a link or cannot be written, or another writer holds the
/// lock of that ref; then the lock is named.
pub fn keep(
    commondir: &Path,
    subject: &Digest,
    head: Oid,
    patience: Duration,
) -> Result<String, GitError> {
    let name = subject.short();
    let full = format!("refs/countersign/keep/{name}");
    let fault =
        |e: Errno| GitError::File(full.clone().into_bytes(), format!("cannot be written: {e}"));
    let folder = folder(commondir).map_err(fault)?;
    let text = format!("{head}\n");
    let lock = format!("{name}.lock");
    if openat(
        &folder,
        &name,
        OFlags::PATH | OFlags::NOFOLLOW,
        Mode::empty(),
    )
    .is_ok()
    {
        return Ok(full);
    }
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let until = Instant::now() + patience;
    let mut nap = Duration::from_millis(10);
    let file = loop {
        match openat(&folder, &lock, flags, Mode::from_raw_mode(0o644)) {
            Ok(file) => break file,
            Err(Errno::EXIST) if Instant::now() < until => {
                std::thread::sleep(nap);
                nap = (nap * 2).min(Duration::from_millis(500));
            }
            Err(Errno::EXIST) => {
                let path = format!("{full}.lock").into_bytes();
                let why = "is held by another writer; nothing was written".to_owned();
                return Err(GitError::File(path, why));
            }
            Err(error) => return Err(fault(error)),
        }
    };
    let done = write_all(&file, text.as_bytes())
        .and_then(|()| fsync(&file))
        .and_then(|()| renameat(&folder, &lock, &folder, &name))
        .and_then(|()| fsync(&folder));
    if let Err(error) = done {
        let _ = unlinkat(&folder, &lock, AtFlags::empty());
        return Err(fault(error));
    }
    Ok(full)
}

/// Opens the folder, making what is missing, and follows no link.
fn folder(commondir: &Path) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut at = openat(CWD, commondir, flags, Mode::empty())?;
    for part in FOLDER {
        match mkdirat(&at, part, Mode::from_raw_mode(0o755)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(error),
        }
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        at = openat2(
            at.as_fd(),
            part,
            flags | OFlags::NOFOLLOW,
            Mode::empty(),
            resolve,
        )?;
    }
    Ok(at)
}

fn write_all(file: &OwnedFd, mut bytes: &[u8]) -> Result<(), Errno> {
    while !bytes.is_empty() {
        let written = rustix::io::write(file, bytes)?;
        bytes = bytes.get(written..).unwrap_or_default();
    }
    Ok(())
}
