//! Answers that were kept, one file for each request, readable by this user alone; and until when
//! a forge wants to be left alone.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::NotAsked;
use super::call::now;
use super::recording::{Recording, Stopped};
use crate::adapters::folders;
use crate::model::forge::PullName;
use crate::model::id::Digest;

/// What is kept of one request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kept {
    /// The file, as [`crate::adapters::forge`] reads it.
    pub file: PathBuf,
    /// Seconds since it was asked.
    pub age: u64,
}

/// The folder with everything that was asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// Below the cache folder of this user.
    ///
    /// # Errors
    /// When it cannot be made, or others may write to it.
    pub fn open(cache: &Path) -> io::Result<Self> {
        let folder = cache.join("forge");
        folders::private(&folder)?;
        folders::private(&folder.join("empty"))?;
        Ok(Self { folder })
    }

    /// A folder without anything in it: where a client starts.
    #[must_use]
    pub fn empty(&self) -> PathBuf {
        self.folder.join("empty")
    }

    fn file(&self, name: &PullName) -> PathBuf {
        let key = Digest::of(name.page().as_bytes());
        self.folder.join(format!("{}.json", key.short()))
    }

    fn wait_file(&self, host: &str) -> PathBuf {
        let key = Digest::of(host.as_bytes());
        self.folder.join(format!("{}.wait", key.short()))
    }

    /// What is kept of a request; `None` when it was never asked for.
    #[must_use]
    pub fn kept(&self, name: &PullName) -> Option<Kept> {
        let file = self.file(name);
        let written = fs::metadata(&file)
            .and_then(|facts| facts.modified())
            .ok()?;
        let age = SystemTime::now()
            .duration_since(written)
            .unwrap_or_default();
        Some(Kept {
            file,
            age: age.as_secs(),
        })
    }

    /// Keeps what was asked, in one step.
    ///
    /// # Errors
    /// When it cannot be written; what was kept before stays.
    pub fn keep(&self, name: &PullName, recording: &Recording) -> io::Result<Kept> {
        if let Some(Stopped::Wait(seconds)) = recording.stopped {
            self.leave_alone(&name.host.name, seconds)?;
        }
        self.write(&self.file(name), recording.text().as_bytes())?;
        self.kept(name)
            .ok_or_else(|| io::Error::other("what was written is gone"))
    }

    /// Remembers that a forge wants to be left alone.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn leave_alone(&self, host: &str, seconds: u64) -> io::Result<()> {
        let until = now().saturating_add(seconds);
        self.write(&self.wait_file(host), until.to_string().as_bytes())
    }

    /// Whether a forge may be asked now.
    ///
    /// # Errors
    /// [`NotAsked::Wait`] while it wants to be left alone (FRG-5).
    pub fn may_ask(&self, host: &str) -> Result<(), NotAsked> {
        let until = folders::own_text(&self.wait_file(host), 64).ok();
        let until = until.and_then(|text| text.trim().parse::<u64>().ok());
        match until.and_then(|until| until.checked_sub(now())) {
            // a clock that was set back must not shut a forge out for ever
            Some(seconds @ 1..=86_400) => Err(NotAsked::Wait {
                host: host.to_owned(),
                seconds,
            }),
            _ => Ok(()),
        }
    }

    fn write(&self, file: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut new = tempfile::NamedTempFile::new_in(&self.folder)?;
        new.write_all(bytes)?;
        new.persist(file).map_err(|error| error.error)?;
        Ok(())
    }
}
