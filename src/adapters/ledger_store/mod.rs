//! The ledger on disk: `STATE/<repository>/ledger/<change>.<6 hex>.jsonl`, one shard for each
//! writer session and change, with anchors, companion texts and sidecars beside it.
//!
//! `recorded` is said only after the line, its folder and its anchor are synced; anything less is
//! a [`NotRecorded`]. Nothing here ever edits or deletes a whole line, glues to a torn one, or
//! lets a failed write look like a success.

mod append;
mod load;
mod others;
mod scrub;
mod steps;

pub use append::{Receipt, Writer};
pub use others::{Taken, is_shard, is_writer};
pub use steps::{Fate, NoFaults, Step, Steps};

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};

use super::folders::{self, Folders};
use super::signer::Signers;
use crate::ledger::entry::Opened;
use crate::ledger::replay::History;
use crate::model::id::{Digest, EntryId};

/// Most bytes of a shard that is read.
pub const SHARD_LIMIT: u64 = 64 * 1024 * 1024;

/// The ledger of one repository.
#[derive(Clone, Debug)]
pub struct LedgerStore {
    folder: PathBuf,
    repository: Digest,
    scrub: scrub::Scrub,
    signers: Option<Arc<Signers>>,
}

/// Why an entry is not in the ledger. The words are fit for a status row.
#[derive(Debug, thiserror::Error)]
pub enum NotRecorded {
    /// The world was read again under the lock, and it is not what the person looked at.
    #[error("not recorded: {0}")]
    Refused(String),
    /// The file system refused a step; what was there before is whole.
    #[error("not recorded: could not {step}: {error}")]
    Failed {
        /// Which step.
        step: Step,
        /// What the system said.
        error: io::Error,
    },
    /// The shard is not as this session left it.
    #[error("not recorded: the ledger shard was {0} by something else")]
    Changed(&'static str),
}

/// A random 128-bit id for an entry.
///
/// # Errors
/// When the system has no randomness to give.
pub fn new_id() -> io::Result<EntryId> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(EntryId(bytes))
}

/// What this machine alone knows about a repository: where its worktrees are. Never shared.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct About {
    /// Short name for lists.
    pub name: String,
    /// Change key and worktree, newest last.
    pub folders: Vec<(String, PathBuf)>,
}

impl LedgerStore {
    /// The ledger of `repository`; nothing is created or read yet.
    #[must_use]
    pub fn new(folders: &Folders, repository: Digest) -> Self {
        Self {
            signers: None,
            folder: folders.state.join(repository.to_string()),
            repository,
            scrub: scrub::Scrub::of_machine(folders),
        }
    }

    /// Every repository that the state folder knows.
    ///
    /// # Errors
    /// When the folder is there and cannot be listed.
    pub fn all(folders: &Folders) -> io::Result<Vec<Self>> {
        let mut found: Vec<Digest> = Vec::new();
        let listed = match fs::read_dir(&folders.state) {
            Ok(listed) => listed,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        for entry in listed {
            let name = entry?.file_name();
            found.extend(name.to_str().and_then(Digest::parse));
        }
        found.sort();
        Ok(found
            .into_iter()
            .map(|repository| Self::new(folders, repository))
            .collect())
    }

    /// The same ledger, its seals checked by whoever knows the signers.
    #[must_use]
    pub fn with_signers(mut self, signers: Arc<Signers>) -> Self {
        self.signers = Some(signers);
        self
    }

    /// Which repository it is.
    #[must_use]
    pub fn repository(&self) -> Digest {
        self.repository
    }

    /// The folder of this repository below the state folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn shards(&self) -> PathBuf {
        self.folder.join("ledger")
    }

    fn anchors(&self) -> PathBuf {
        self.folder.join("anchors")
    }

    fn texts(&self) -> PathBuf {
        self.folder.join("texts")
    }

    /// Opens a shard of our own for a session on `opened.change`: its first entry is written and
    /// synced. `history` is what the session has read; later entries of others are concurrent.
    ///
    /// # Errors
    /// [`NotRecorded`], and then there is no shard to write to.
    pub fn writer(&self, history: &History, opened: Opened) -> Result<Writer, NotRecorded> {
        self.writer_with(history, opened, Box::new(NoFaults))
    }

    /// The same with somebody who is told of every step before it is taken, and may make it fail
    /// or never return. Only tests have a use for it; it cannot make a failure look like success.
    ///
    /// # Errors
    /// As [`LedgerStore::writer`].
    pub fn writer_with(
        &self,
        history: &History,
        opened: Opened,
        steps: Box<dyn Steps>,
    ) -> Result<Writer, NotRecorded> {
        Writer::open(self, history, opened, steps)
    }

    /// Why the file system below the ledger may not keep what it says it keeps (LED-19), when it
    /// is of a kind that is known for it.
    #[must_use]
    pub fn weak_file_system(&self) -> Option<&'static str> {
        let mut at = self.folder.as_path();
        let facts = loop {
            match rustix::fs::statfs(at) {
                Ok(facts) => break facts,
                Err(_) => at = at.parent()?,
            }
        };
        match u64::try_from(facts.f_type).unwrap_or(0) & 0xffff_ffff {
            0x6969 => Some("NFS"),
            0x0102_1997 => Some("9p"),
            0x794c_7630 => Some("overlay"),
            0xff53_4d42 | 0xfe53_4d42 | 0x517b => Some("SMB"),
            0x6573_5546 => Some("FUSE"),
            0x0102_1994 => Some("tmpfs: gone at the next start"),
            _ => None,
        }
    }

    /// What this machine knows about the repository; empty when nothing was remembered.
    #[must_use]
    pub fn about(&self) -> About {
        let read = || -> Option<About> {
            let bytes = read_regular(&self.folder.join("about.json"), 1024 * 1024).ok()?;
            let value: Value = serde_json::from_slice(&bytes).ok()?;
            let folders = value.get("folders")?.as_array()?.iter().filter_map(|pair| {
                let change = pair.get("change")?.as_str()?;
                let path = pair.get("path")?.as_str()?;
                Some((change.to_owned(), PathBuf::from(path)))
            });
            Some(About {
                name: value.get("name")?.as_str()?.to_owned(),
                folders: folders.collect(),
            })
        };
        read().unwrap_or_default()
    }

    /// Remembers where a change of this repository was opened, for `queue`.
    ///
    /// # Errors
    /// Any failure of the file system; nothing depends on it.
    pub fn remember(&self, name: &str, change: &str, worktree: &Path) -> io::Result<()> {
        let mut about = self.about();
        let worktree = std::path::absolute(worktree)?;
        let here = (change.to_owned(), worktree);
        if about.name == name && about.folders.last() == Some(&here) {
            return Ok(());
        }
        name.clone_into(&mut about.name);
        about
            .folders
            .retain(|(known, path)| known != change && path != &here.1);
        about.folders.push(here);
        let rows = about.folders.iter().filter_map(|(change, path)| {
            let path = path.to_str()?;
            Some(json!({"change": change, "path": path}))
        });
        let value = json!({"v": 1, "name": about.name, "folders": rows.collect::<Vec<_>>()});
        create(&self.folder)?;
        replace(
            &self.folder.join("about.json"),
            value.to_string().as_bytes(),
        )
    }
}

/// The name of a change as a part of file names: readable, and different for different keys.
#[must_use]
pub fn slug(change: &str) -> String {
    let mut words: String = change
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_lowercase()
            } else {
                '-'
            }
        })
        .take(40)
        .collect();
    words.push('-');
    let digest = Digest::of(change.as_bytes()).to_string();
    words.push_str(digest.get(..8).unwrap_or_default());
    words
}

/// Creates a private folder and syncs every folder that got a new name in it.
fn create(folder: &Path) -> io::Result<()> {
    let mut missing = Vec::new();
    let mut at = Some(folder);
    while let Some(path) = at.filter(|path| !path.exists()) {
        missing.push(path);
        at = path.parent();
    }
    folders::private(folder)?;
    for path in missing {
        if let Some(parent) = path.parent() {
            sync_folder(parent)?;
        }
    }
    Ok(())
}

fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Replaces a private file as a whole: temporary file, sync, rename, sync of the folder.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    use io::Write as _;
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new()
        .prefix(".new-")
        .tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    sync_folder(folder)
}

/// Options that follow no link and never wait for a FIFO.
fn careful() -> OpenOptions {
    let mut options = OpenOptions::new();
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    options.custom_flags(i32::try_from(flags.bits()).unwrap_or(0));
    options.mode(0o600);
    options
}

/// Reads a regular file of at most `limit` bytes.
fn read_regular(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    read_open(&careful().read(true).open(path)?, limit)
}

fn read_open(mut file: &File, limit: u64) -> io::Result<Vec<u8>> {
    use io::Read as _;
    let facts = file.metadata()?;
    if !facts.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    if facts.len() > limit {
        return Err(io::Error::other(format!("over {limit} bytes")));
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}
