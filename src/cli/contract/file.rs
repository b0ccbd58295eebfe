//! A contract given as a file: its bytes, and its path inside the repository. Opens nothing but a
//! regular file, and never waits.

use std::fs::OpenOptions;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use crate::adapters::contract::read;
use crate::cli::exit::Exit;
use crate::cli::report::Report;
use crate::model::id::RepoPath;
use crate::model::text::{Foreign, Place};

/// Most bytes of a contract.
const LIMIT: u64 = 64 * 1024 * 1024;

/// A file as it stands on disk.
#[derive(Clone, Debug)]
pub struct Given {
    /// Where it is.
    pub place: PathBuf,
    /// Top of the worktree it lies in, if it lies in one.
    pub worktree: Option<PathBuf>,
    /// Its path inside the worktree, else as it was given.
    pub path: RepoPath,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Reads the file.
///
/// # Errors
/// A [`Report`] when there is no such file, or it is not a regular one, or too large.
pub fn given(dir: &Path, path: &Path) -> Result<Given, Report> {
    let place = dir.join(path);
    let name = Foreign::new(path.as_os_str().as_bytes()).shown(Place::Strict);
    let failed = |why: String| {
        Report::new(
            Exit::Usage,
            "no-contract-file",
            format!("could not read {name}: {why}"),
        )
        .hint("name a readable file")
    };
    let bytes = regular(&place, LIMIT).map_err(failed)?;
    let worktree = worktree_of(&place);
    let path = worktree
        .as_deref()
        .and_then(|top| inside(top, &place))
        .unwrap_or_else(|| RepoPath::new(path.as_os_str().as_bytes()));
    Ok(Given {
        place,
        worktree,
        path,
        bytes,
    })
}

/// The bytes of a regular file of at most `limit` bytes; never waits.
///
/// # Errors
/// Why not, a fragment.
pub fn regular(place: &Path, limit: u64) -> Result<Vec<u8>, String> {
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(i32::try_from(flags.bits()).unwrap_or(0))
        .open(place)
        .map_err(|error| reason(&error))?;
    let about = file.metadata().map_err(|error| reason(&error))?;
    if about.is_dir() {
        return Err("it is a folder".into());
    }
    if !about.is_file() {
        return Err("it is not a regular file".into());
    }
    if about.len() > limit {
        return Err(format!("it has more than {limit} bytes"));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(about.len()).unwrap_or(0) + 1);
    file.take(limit + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| reason(&error))?;
    if bytes.len() as u64 > limit {
        return Err(format!("it has more than {limit} bytes"));
    }
    Ok(bytes)
}

/// Most files beside a contract that are looked into.
const BESIDE: usize = 256;

/// A contract in the same folder that says `supersedes:` of this file (H36): its name.
#[must_use]
pub fn superseded_by(file: &Path) -> Option<Foreign> {
    let own = file.file_name()?;
    let mut beside: Vec<PathBuf> = std::fs::read_dir(file.parent()?)
        .ok()?
        .take(BESIDE)
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.file_name() != Some(own) && path.extension() == file.extension())
        .collect();
    beside.sort();
    let names_it = |path: &PathBuf| {
        let given = given(Path::new("/"), path).ok()?;
        let contract = read(&given.path, &given.bytes, None);
        let named = contract.header.supersedes?;
        let named = named.raw().trim_ascii();
        let last = named.rsplit(|byte| *byte == b'/').next()?;
        let plain: Vec<u8> = last.iter().copied().filter(|b| *b != b'`').collect();
        let name = path.file_name()?.as_bytes();
        (plain == own.as_bytes()).then(|| Foreign::new(name))
    };
    beside.iter().find_map(names_it)
}

/// The reason of a failure without the number that the system adds.
fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    let plain = text.split(" (os error").next().unwrap_or(&text);
    plain.to_lowercase()
}

/// The nearest folder above that holds a `.git`.
fn worktree_of(place: &Path) -> Option<PathBuf> {
    let folder = place.parent()?;
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    let whole = folder.canonicalize().ok()?;
    whole
        .ancestors()
        .find(|folder| folder.join(".git").symlink_metadata().is_ok())
        .map(Path::to_owned)
}

fn inside(top: &Path, place: &Path) -> Option<RepoPath> {
    let folder = place.parent().filter(|p| !p.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
    let whole = folder.join(place.file_name()?);
    let below = whole.strip_prefix(top).ok()?;
    Some(RepoPath::new(below.as_os_str().as_bytes()))
}
