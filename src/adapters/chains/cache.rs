//! What was read of unchanged skills, so that they cost no more than a `stat`.
//!
//! One file for each folder and profile, in the cache folder of this user; it may be deleted at
//! any time. An entry counts while size, inode and both times of the file are those that were
//! seen, and is only kept once they are old enough that a later write must change them.

use std::collections::HashMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

use crate::adapters::folders;
use crate::gate::chains::{Kind, Outline, Part, Profile, Role, Unit};
use crate::model::id::Digest;

/// The form of the file, and of what an outline holds: raised when either changes.
const FORM: u32 = 1;
/// Fewer skills than this are read faster than a cache is.
const WORTH: usize = 200;
/// Seconds that a change must lie back before it is believed.
const SETTLED: i64 = 2;
/// Largest cache file that is read.
const CAP: u64 = 256 << 20;

/// What a `stat` says of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Key {
    /// Bytes.
    pub size: u64,
    /// Inode.
    pub inode: u64,
    /// Seconds and nanoseconds of the last write.
    pub modified: (i64, i64),
    /// Seconds and nanoseconds of the last change of the inode.
    pub changed: (i64, i64),
}

/// The cache of one folder and profile.
#[derive(Debug)]
pub struct Cache {
    file: PathBuf,
    entries: HashMap<Vec<u8>, (Key, Digest, Arc<Outline>)>,
    /// Seconds since the epoch, before any file was looked at.
    opened: i64,
}

#[derive(Serialize, Deserialize)]
struct Stock {
    form: u32,
    entries: Vec<(ByteBuf, Key, [u8; 32], Stored)>,
}

/// Role, and for each unit kind, line and text.
type StoredPart = (u8, Vec<(u8, u32, String)>);

#[derive(Debug, Serialize, Deserialize)]
struct Stored {
    name: Option<String>,
    parts: Vec<StoredPart>,
}

const ROLES: [Role; 4] = [Role::Chains, Role::Linked, Role::Done, Role::Body];
const KINDS: [Kind; 8] = [
    Kind::Heading,
    Kind::Item,
    Kind::Row,
    Kind::Header,
    Kind::Prose,
    Kind::Quote,
    Kind::Fenced,
    Kind::Graph,
];

fn index<T: PartialEq>(list: &[T], one: &T) -> u8 {
    let at = list.iter().position(|other| other == one);
    at.and_then(|at| u8::try_from(at).ok()).unwrap_or(u8::MAX)
}

impl Stored {
    fn of(outline: &Outline) -> Self {
        let unit = |unit: &Unit| (index(&KINDS, &unit.kind), unit.line, unit.text.clone());
        let part = |part: &Part| {
            let units = part.units.iter().map(unit).collect();
            (index(&ROLES, &part.role), units)
        };
        Self {
            name: outline.name.clone(),
            parts: outline.parts.iter().map(part).collect(),
        }
    }

    /// Nothing, when a number means nothing.
    fn outline(self) -> Option<Outline> {
        let mut parts = Vec::with_capacity(self.parts.len());
        for (role, stored) in self.parts {
            let mut units = Vec::with_capacity(stored.len());
            for (kind, line, text) in stored {
                units.push(Unit {
                    kind: *KINDS.get(usize::from(kind))?,
                    line,
                    text,
                });
            }
            let role = *ROLES.get(usize::from(role))?;
            parts.push(Part { role, units });
        }
        Some(Outline {
            name: self.name,
            parts,
        })
    }
}

impl Cache {
    /// The cache for a folder under a profile; empty when there is none that can be read. `now`
    /// is the time in seconds since the epoch, taken before any file of the folder is looked at.
    #[must_use]
    pub fn open(cache: &Path, root: &Path, profile: &Profile, now: i64) -> Self {
        use std::os::unix::ffi::OsStrExt as _;
        let words = format!("{FORM} {} {profile:?}", env!("CARGO_PKG_VERSION"));
        let name = Digest::of_fields(&[root.as_os_str().as_bytes(), words.as_bytes()]);
        let file = cache.join("chains").join(name.to_string());
        let bytes = crate::adapters::git::regular::read(&file, CAP)
            .ok()
            .flatten();
        let stock: Option<Stock> = bytes.and_then(|bytes| postcard::from_bytes(&bytes).ok());
        let entries = stock
            .filter(|stock| stock.form == FORM)
            .map(|stock| stock.entries);
        let entries = entries.unwrap_or_default().into_iter();
        Self {
            file,
            entries: entries
                .filter_map(|(path, key, digest, stored)| {
                    let outline = Arc::new(stored.outline()?);
                    Some((path.into_vec(), (key, Digest(digest), outline)))
                })
                .collect(),
            opened: now,
        }
    }

    /// What was read of a file, when it is the same file.
    pub(super) fn get(&self, path: &[u8], key: &Key) -> Option<(Digest, Arc<Outline>)> {
        let (seen, digest, outline) = self.entries.get(path)?;
        (seen == key).then(|| (*digest, Arc::clone(outline)))
    }

    /// Whether a file lay still for long enough before anything was looked at: a write after the
    /// look, in the same tick of the clock, would leave the same facts.
    pub(super) fn settled(&self, key: &Key) -> bool {
        let last = key.modified.0.max(key.changed.0);
        last.saturating_add(SETTLED) <= self.opened
    }

    /// Keeps what was read of files that lay still. A failure costs only time.
    pub(super) fn put<'a>(&self, read: impl Iterator<Item = (&'a [u8], Key, Digest, &'a Outline)>) {
        let entries: Vec<_> = read
            .filter(|(_, key, ..)| self.settled(key))
            .map(|(path, key, digest, outline)| {
                (ByteBuf::from(path), key, digest.0, Stored::of(outline))
            })
            .collect();
        if entries.len() >= WORTH {
            let _ = self.write(&Stock {
                form: FORM,
                entries,
            });
        }
    }

    fn write(&self, stock: &Stock) -> std::io::Result<()> {
        let Some(folder) = self.file.parent() else {
            return Ok(());
        };
        folders::private(folder)?;
        let bytes = postcard::to_stdvec(stock).map_err(std::io::Error::other)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(&bytes)?;
        file.persist(&self.file).map_err(|error| error.error)?;
        // one file for each folder is enough; old ones of a hundred folders are dropped
        let mut others: Vec<_> = fs::read_dir(folder)?
            .flatten()
            .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
            .collect();
        others.sort();
        for (_, path) in others.iter().rev().skip(100) {
            let _ = fs::remove_file(path);
        }
        Ok(())
    }
}
