//! Reading small files of a repository that may be hostile: regular files only, never through
//! a final link, never more than a cap, and never waiting for a FIFO.

use std::fs::File;
use std::io::Read as _;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode, OFlags, Stat, fstat, openat};
use rustix::io::Errno;

use super::GitError;

/// The bytes of a regular file of at most `cap` bytes; `None` when there is no such file.
///
/// # Errors
/// [`GitError::File`] when it is a link, a FIFO, a device, too large or unreadable.
pub fn read(path: &Path, cap: u64) -> Result<Option<Vec<u8>>, GitError> {
    let Some((file, size)) = enter(path)? else {
        return Ok(None);
    };
    let fault = |why: String| GitError::File(path.as_os_str().as_bytes().to_vec(), why);
    if size > cap {
        return Err(fault(format!("has {size} bytes; at most {cap} are read")));
    }
    let bytes = taken(path, file, size, cap + 1)?;
    if bytes.len() as u64 > cap {
        return Err(fault(format!("grew over {cap} bytes while it was read")));
    }
    Ok(Some(bytes))
}

/// The first bytes of a regular file, at most `most`; `None` when there is no such file.
///
/// # Errors
/// As [`read`], but for the size.
pub fn start(path: &Path, most: u64) -> Result<Option<Vec<u8>>, GitError> {
    let Some((file, size)) = enter(path)? else {
        return Ok(None);
    };
    taken(path, file, size.min(most), most).map(Some)
}

fn taken(path: &Path, file: File, size: u64, most: u64) -> Result<Vec<u8>, GitError> {
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
    file.take(most).read_to_end(&mut bytes).map_err(|e| {
        let path = path.as_os_str().as_bytes().to_vec();
        GitError::File(path, format!("cannot be read: {e}"))
    })?;
    Ok(bytes)
}

/// As [`read`], of a file in an open folder and into a buffer that is used again: what the system
/// said of the file before it was read. `path` is only for complaints.
///
/// # Errors
/// As [`read`].
pub fn read_in(
    folder: impl AsFd,
    name: &[u8],
    path: &[u8],
    cap: u64,
    into: &mut Vec<u8>,
) -> Result<Option<Stat>, GitError> {
    into.clear();
    let fault = |why: String| GitError::File(path.to_vec(), why);
    let Some((fd, facts)) = enter_at(folder, name, path)? else {
        return Ok(None);
    };
    let size = u64::try_from(facts.st_size).unwrap_or(u64::MAX);
    if size > cap {
        return Err(fault(format!("has {size} bytes; at most {cap} are read")));
    }
    // one byte more than it should have, so that one read is enough and a growing file is noticed
    let whole = usize::try_from(size).unwrap_or(usize::MAX);
    into.reserve(whole.saturating_add(1));
    loop {
        if into.len() as u64 > cap {
            return Err(fault(format!("grew over {cap} bytes while it was read")));
        }
        if into.len() == into.capacity() {
            into.reserve(into.len().max(4096));
        }
        match rustix::io::read(&fd, rustix::buffer::spare_capacity(into)) {
            Ok(0) => return Ok(Some(facts)),
            Ok(_) if into.len() == whole => return Ok(Some(facts)),
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(fault(format!("cannot be read: {}", words(error)))),
        }
    }
}

fn words(error: Errno) -> std::io::Error {
    std::io::Error::from(error)
}

/// Opens a regular file and tells its size.
fn enter(path: &Path) -> Result<Option<(File, u64)>, GitError> {
    let bytes = path.as_os_str().as_bytes();
    let Some((fd, facts)) = enter_at(CWD, bytes, bytes)? else {
        return Ok(None);
    };
    let size = u64::try_from(facts.st_size).unwrap_or(u64::MAX);
    Ok(Some((File::from(fd), size)))
}

fn enter_at(
    folder: impl AsFd,
    name: &[u8],
    path: &[u8],
) -> Result<Option<(OwnedFd, Stat)>, GitError> {
    let fault = |why: &str| GitError::File(path.to_vec(), why.to_owned());
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let fd = match openat(folder, name, flags, Mode::empty()) {
        Ok(fd) => fd,
        Err(Errno::NOENT | Errno::NOTDIR) => return Ok(None),
        Err(Errno::LOOP) => return Err(fault("is a symbolic link, not a plain file")),
        Err(Errno::NXIO) => return Err(fault("is not a plain file")),
        Err(error) => return Err(fault(&format!("cannot be read: {}", words(error)))),
    };
    let facts = fstat(&fd).map_err(|e| fault(&format!("cannot be read: {}", words(e))))?;
    match FileType::from_raw_mode(facts.st_mode) {
        FileType::RegularFile => {}
        FileType::Fifo => return Err(fault("is a FIFO, not a plain file")),
        FileType::Directory => return Err(fault("is a folder, not a plain file")),
        _ => return Err(fault("is not a plain file")),
    }
    Ok(Some((fd, facts)))
}

/// Like [`read`], trimmed of trailing line ends.
///
/// # Errors
/// As [`read`].
pub fn line(path: &Path, cap: u64) -> Result<Option<Vec<u8>>, GitError> {
    Ok(read(path, cap)?.map(|mut bytes| {
        while matches!(bytes.last(), Some(b'\n' | b'\r')) {
            bytes.pop();
        }
        bytes
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_small_plain_files_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::write(at("plain"), b"text\r\n").unwrap();
        assert_eq!(line(&at("plain"), 10).unwrap().unwrap(), b"text");
        assert_eq!(read(&at("none"), 10).unwrap(), None);
        assert!(read(&at("plain"), 3).is_err());
        std::os::unix::fs::symlink(at("plain"), at("link")).unwrap();
        let says = read(&at("link"), 10).unwrap_err().says();
        assert!(
            says.ends_with("is a symbolic link, not a plain file"),
            "{says}"
        );
        rustix::fs::mknodat(CWD, at("fifo"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let says = read(&at("fifo"), 10).unwrap_err().says();
        assert!(says.ends_with("is a FIFO, not a plain file"), "{says}");
        assert!(read(dir.path(), 10).is_err());
    }
}
