//! Where a repository lies, and whether the way into it is safe (GIT-3, GIT-4, GIT-5).
//!
//! The only thing that is looked for upward is `.git`; a folder that merely looks like a bare
//! repository is never entered.

use std::fs;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::GitError;
use super::config::Config;
use super::regular;

const POINTER: u64 = 8 << 10;
const CONFIG: u64 = 1 << 20;

/// A worktree and the git folders behind it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The top folder of the worktree, without links.
    pub worktree: PathBuf,
    /// The worktree's own git folder (HEAD, index).
    pub gitdir: PathBuf,
    /// The git folder that all worktrees share (refs, objects, config).
    pub commondir: PathBuf,
    /// The configuration of the repository; nobody else's.
    pub config: Config,
    /// The values of `extensions.*` or files that change how the repository is read.
    pub partial: bool,
    /// Whether the worktree is sparse.
    pub sparse: bool,
}

/// Finds the worktree that `start` lies in and checks the way into its repository.
///
/// # Errors
/// `NotRepository`, `Bare`, `Identity`, `Owner`, `File` or `Format`, each with its reason.
pub fn find(start: &Path) -> Result<Place, GitError> {
    let start = fs::canonicalize(start).map_err(|e| GitError::File(bytes(start), unentered(&e)))?;
    let mut folder = start.as_path();
    loop {
        match fs::symlink_metadata(folder.join(".git")) {
            Ok(_) => return enter(folder),
            Err(_) if looks_bare(folder) => return Err(GitError::Bare(bytes(folder))),
            Err(_) => {}
        }
        folder = folder
            .parent()
            .ok_or_else(|| GitError::NotRepository(bytes(&start)))?;
    }
}

/// Why a folder cannot be entered, without the system's number.
fn unentered(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "is not there".to_owned(),
        std::io::ErrorKind::PermissionDenied => "may not be entered by you".to_owned(),
        _ => format!("cannot be entered: {error}"),
    }
}

fn bytes(path: &Path) -> Vec<u8> {
    path.as_os_str().as_bytes().to_vec()
}

/// Whether a folder has the three things that make git take it for a bare repository.
#[must_use]
pub fn looks_bare(folder: &Path) -> bool {
    fs::symlink_metadata(folder.join("HEAD")).is_ok()
        && folder.join("objects").is_dir()
        && folder.join("refs").is_dir()
}

fn enter(worktree: &Path) -> Result<Place, GitError> {
    let dot_git = worktree.join(".git");
    let fault = |why: String| GitError::Identity(bytes(&dot_git), why);
    let facts = fs::symlink_metadata(&dot_git)
        .map_err(|e| GitError::File(bytes(&dot_git), format!("cannot be read: {e}")))?;
    let pointed = !facts.is_dir();
    let gitdir = if facts.is_dir() {
        dot_git.clone()
    } else if facts.is_symlink() {
        return Err(fault("it is a symbolic link".to_owned()));
    } else {
        let text =
            regular::line(&dot_git, POINTER)?.ok_or_else(|| fault("it went away".to_owned()))?;
        let target = text
            .strip_prefix(b"gitdir:")
            .map(|t| path_of(t.trim_ascii()))
            .ok_or_else(|| fault("it does not say gitdir:".to_owned()))?;
        plain_folder(&worktree.join(target)).map_err(fault)?
    };
    let commondir = match regular::line(&gitdir.join("commondir"), POINTER)? {
        Some(text) => plain_folder(&gitdir.join(path_of(&text))).map_err(fault)?,
        None => gitdir.clone(),
    };
    if !looks_bare(&commondir) {
        return Err(fault("it does not lead to a git folder".to_owned()));
    }
    let config = config_of(&commondir.join("config"))?;
    let mut sparse = config.truthy("core", "sparsecheckout");
    let mut claimed = config.get("core", "worktree").map(<[u8]>::to_vec);
    if config.truthy("extensions", "worktreeconfig") {
        let own = config_of(&gitdir.join("config.worktree"))?;
        claimed = own.get("core", "worktree").map(<[u8]>::to_vec).or(claimed);
        sparse |= own.truthy("core", "sparsecheckout");
    }
    let back = points_back(
        worktree,
        &gitdir,
        claimed.as_deref(),
        pointed,
        gitdir != commondir,
    );
    back.map_err(fault)?;
    for folder in [&dot_git, &gitdir, &commondir] {
        owned(folder, worktree)?;
    }
    formats(&config, &commondir)?;
    let partial = config.get("extensions", "partialclone").is_some()
        || config
            .subsections("remote")
            .iter()
            .any(|name| config.sub("remote", name, "promisor").is_some());
    Ok(Place {
        worktree: worktree.to_path_buf(),
        gitdir,
        commondir,
        config,
        partial,
        sparse,
    })
}

/// Bytes as a path.
pub(super) fn path_of(text: &[u8]) -> PathBuf {
    PathBuf::from(std::ffi::OsString::from_vec(text.to_vec()))
}

/// The folder itself, and not a link to one.
fn plain_folder(path: &Path) -> Result<PathBuf, String> {
    let says = |why: &str| {
        let shown = crate::model::text::Foreign::new(bytes(path));
        format!(
            "it leads to {}, which {why}",
            shown.shown(crate::model::text::Place::Strict)
        )
    };
    let facts = fs::symlink_metadata(path).map_err(|_| says("is not there"))?;
    if facts.is_symlink() {
        return Err(says("is a symbolic link"));
    }
    if !facts.is_dir() {
        return Err(says("is not a folder"));
    }
    fs::canonicalize(path).map_err(|_| says("cannot be entered"))
}

fn config_of(path: &Path) -> Result<Config, GitError> {
    Ok(Config::parse(
        &regular::read(path, CONFIG)?.unwrap_or_default(),
    ))
}

/// The git folder must name this worktree, and no other.
fn points_back(
    worktree: &Path,
    gitdir: &Path,
    claimed: Option<&[u8]>,
    pointed: bool,
    linked: bool,
) -> Result<(), String> {
    let same = |path: PathBuf| fs::canonicalize(path).ok().as_deref() == Some(worktree);
    if linked {
        let text = regular::line(&gitdir.join("gitdir"), POINTER)
            .map_err(|e| e.says())?
            .ok_or("the git folder does not name its worktree")?;
        let back = gitdir.join(path_of(&text));
        let parent = back.parent().map(Path::to_path_buf).unwrap_or_default();
        let exact = back.file_name().is_some_and(|name| name == ".git");
        if !exact || !same(parent) {
            return Err("the git folder belongs to another worktree".to_owned());
        }
    }
    match claimed {
        Some(path) if !linked && same(gitdir.join(path_of(path))) => Ok(()),
        Some(_) if !linked => Err("core.worktree names another folder".to_owned()),
        Some(_) => Ok(()),
        None if pointed && !linked => {
            Err("the git folder does not point back to this worktree".to_owned())
        }
        None => Ok(()),
    }
}

/// Owned by this user, or allowed by the person's own `safe.directory`.
fn owned(folder: &Path, worktree: &Path) -> Result<(), GitError> {
    let facts = fs::metadata(folder)
        .map_err(|e| GitError::File(bytes(folder), format!("cannot be read: {e}")))?;
    if facts.uid() == rustix::process::geteuid().as_raw() || declared_safe(worktree) {
        return Ok(());
    }
    Err(GitError::Owner(bytes(worktree)))
}

fn declared_safe(worktree: &Path) -> bool {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let files = [
        home.as_ref().map(|h| h.join(".gitconfig")),
        home.as_ref().map(|h| h.join(".config/git/config")),
        Some(PathBuf::from("/etc/gitconfig")),
    ];
    files.into_iter().flatten().any(|file| {
        config_of(&file).is_ok_and(|config| {
            config
                .all("safe", "directory")
                .any(|dir| dir == b"*" || path_of(dir) == worktree)
        })
    })
}

fn formats(config: &Config, commondir: &Path) -> Result<(), GitError> {
    let unread = |what: &str| Err(GitError::Format(what.to_owned()));
    if config
        .get("extensions", "objectformat")
        .is_some_and(|f| f != b"sha1")
    {
        return unread("SHA-256 object names");
    }
    if config
        .get("extensions", "refstorage")
        .is_some_and(|f| f != b"files")
        || commondir.join("reftable").is_dir()
    {
        return unread("the reftable format for its refs");
    }
    Ok(())
}
