//! Where countersign keeps its files, by the XDG conventions, with modes 0700.
//!
//! `COUNTERSIGN_HOME` moves all of it below one folder (for tests and for trying things out);
//! it can hold nothing that grants an approval, which stays a matter of keys on a terminal.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy as _;

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
