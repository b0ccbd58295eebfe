//! Where countersign keeps its files, by the XDG conventions, with modes 0700.
//!
//! `COUNTERSIGN_HOME` moves all of it below one folder (for tests and for trying things out);
//! it can hold nothing that grants an approval, which stays a matter of keys on a terminal.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy as _;
use rustix::fs::{Mode, OFlags};

/// The three folders.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Folders {
    /// `config.toml`, keymap, themes.
    pub config: PathBuf,
    /// Ledger shards, anchors, approvals, drafts, evidence.
    pub state: PathBuf,
    /// Private checkouts; may be deleted at any time.
    pub cache: PathBuf,
}

impl Folders {
    /// The folders of this user; none is created.
    ///
    /// # Errors
    /// When there is no home folder, or `PermissionDenied` when others may exchange what lies in
    /// the state folder: records and approvals there would prove nothing (RUN-3).
    pub fn of_user() -> io::Result<Self> {
        let folders = Self::named()?;
        match fs::metadata(&folders.state) {
            Ok(facts) => ours_alone(&folders.state, &facts)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        Ok(folders)
    }

    /// Refuses a state folder inside of the worktree that `dir` belongs to: whoever writes the
    /// change would write approvals and anchors with it, whatever a variable says (RUN-3).
    ///
    /// # Errors
    /// `PermissionDenied` when it lies inside.
    pub fn apart_from(&self, dir: &Path) -> io::Result<()> {
        let Ok(dir) = dir.canonicalize() else {
            return Ok(());
        };
        let mut above = dir.ancestors();
        let Some(top) = above.find(|at| at.join(".git").symlink_metadata().is_ok()) else {
            return Ok(());
        };
        let mut known = self.state.ancestors();
        let state = known.find_map(|at| at.canonicalize().ok());
        if state.is_some_and(|state| state.starts_with(top)) {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                format!(
                    "the records would be kept in {}, inside of what is reviewed",
                    self.state.display()
                ),
            ));
        }
        Ok(())
    }

    fn named() -> io::Result<Self> {
        if let Some(home) = std::env::var_os("COUNTERSIGN_HOME").filter(|h| !h.is_empty()) {
            let home = std::path::absolute(home)?;
            return Ok(Self {
                config: home.join("config"),
                state: home.join("state"),
                cache: home.join("cache"),
            });
        }
        let xdg = etcetera::base_strategy::Xdg::new().map_err(io::Error::other)?;
        let state = xdg
            .state_dir()
            .ok_or_else(|| io::Error::other("no state folder"))?;
        Ok(Self {
            config: xdg.config_dir().join("countersign"),
            state: state.join("countersign"),
            cache: xdg.cache_dir().join("countersign"),
        })
    }
}

/// Creates a folder of ours with mode 0700, parents included, and refuses one that another user
/// owns or that others may write to.
///
/// # Errors
/// Any failure of the file system, or `PermissionDenied` when the folder is not safely ours.
pub fn private(path: &Path) -> io::Result<()> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)?;
    ours_alone(path, &fs::metadata(path)?)
}

/// The text of a file of the person's own, where a link may lead to it: a plain file of at most
/// `cap` bytes. A FIFO is not waited for, and a device is not read.
///
/// # Errors
/// Any failure of the file system; `InvalidInput` when it is no such file.
pub fn own_text(path: &Path, cap: u64) -> io::Result<String> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    let facts = file.metadata()?;
    let no = |why: String| io::Error::new(io::ErrorKind::InvalidInput, why);
    if !facts.is_file() {
        return Err(no("it is no plain file".to_owned()));
    }
    if facts.len() > cap {
        let size = facts.len();
        return Err(no(format!("it has {size} bytes, at most {cap} are read")));
    }
    let mut text = String::new();
    file.take(cap).read_to_string(&mut text)?;
    Ok(text)
}

fn ours_alone(path: &Path, facts: &fs::Metadata) -> io::Result<()> {
    let ours = facts.uid() == rustix::process::geteuid().as_raw();
    if !ours || facts.mode() & 0o022 != 0 {
        return Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            format!("{} is not a folder that only you can write", path.display()),
        ));
    }
    Ok(())
}
