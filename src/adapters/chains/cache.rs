//! What was read of unchanged skills, so that they cost no more than a `stat`.
//!
//! Three files for each folder and profile, in the cache folder of this user: what the system said
//! of each skill, the parts that were read of them, and results of audits. All may be deleted at any
//! time. A skill counts as unchanged while size, inode and both times are those that were seen,
//! and is only kept once they are old enough that a later write must change them. A result counts
//! while it is asked for by the same digest of everything that goes into an audit.

use std::fs;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::Stat;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

use crate::adapters::folders;
use crate::adapters::git::regular;
use crate::gate::chains::{Kind, Outline, Part, Profile, Role, Unit};
use crate::model::id::Digest;

/// The form of the files, and of what an outline holds: raised when either changes.
const FORM: u32 = 2;
/// Fewer skills than this are read faster than a cache is.
pub(super) const WORTH: usize = 200;
/// Seconds that a change must lie back before it is believed.
const SETTLED: i64 = 2;
/// Largest cache file that is read.
const CAP: u64 = 256 << 20;
/// Most files that are kept; the oldest go first.
const MOST: usize = 300;

/// What a `stat` says of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Key {
    /// Bytes.
    pub size: u64,
    /// Device and inode.
    pub inode: (u64, u64),
    /// Seconds and nanoseconds of the last write.
    pub modified: (i64, i64),
    /// Seconds and nanoseconds of the last change of the inode.
    pub changed: (i64, i64),
}

impl Key {
    /// The facts of a file.
    #[allow(
        clippy::useless_conversion,
        clippy::unnecessary_fallible_conversions,
        reason = "the widths of these fields differ between systems"
    )]
    pub(super) fn of(facts: &Stat) -> Self {
        let wide = |n: i128| u64::try_from(n).unwrap_or(u64::MAX);
        let time = |n: i128| i64::try_from(n).unwrap_or(i64::MAX);
        Self {
            size: wide(facts.st_size.into()),
            inode: (wide(facts.st_dev.into()), wide(facts.st_ino.into())),
            modified: (
                time(facts.st_mtime.into()),
                time(facts.st_mtime_nsec.into()),
            ),
            changed: (
                time(facts.st_ctime.into()),
                time(facts.st_ctime_nsec.into()),
            ),
        }
    }
}

/// What is kept of one skill beside its parts.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    path: ByteBuf,
    key: Key,
    digest: [u8; 32],
    /// The name that its text gives it.
    name: Option<String>,
}

/// A skill that did not change.
pub(super) struct Same<'c> {
    /// Its place among the parts.
    pub(super) at: usize,
    pub(super) digest: Digest,
    pub(super) name: Option<&'c str>,
}

/// The cache of one folder and profile.
#[derive(Debug)]
pub struct Cache {
    /// The files, without their endings.
    base: PathBuf,
    /// What the name of the files stands for.
    asks: Digest,
    /// In path order.
    entries: Vec<Entry>,
    /// The digest of the parts that belong to the entries.
    parts: [u8; 32],
    /// Seconds since the epoch, before any file was looked at.
    opened: i64,
}

#[derive(Serialize, Deserialize)]
struct Facts {
    form: u32,
    parts: [u8; 32],
    entries: Vec<Entry>,
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

/// Size, times and place of the running program, so that another build never believes what this one
/// kept.
fn program() -> String {
    let facts = std::env::current_exe().and_then(fs::metadata);
    let facts = facts.map(|facts| {
        (
            (facts.dev(), facts.ino(), facts.size()),
            (facts.mtime(), facts.mtime_nsec()),
        )
    });
    format!("{FORM} {} {:?}", env!("CARGO_PKG_VERSION"), facts.ok())
}

impl Cache {
    /// The cache for a folder under a profile; empty when there is none that can be read. `now`
    /// is the time in seconds since the epoch, taken before any file of the folder is looked at.
    #[must_use]
    pub fn open(cache: &Path, root: &Path, profile: &Profile, now: i64) -> Self {
        let words = format!("{profile:?}");
        let asks = Digest::of_fields(&[
            root.as_os_str().as_bytes(),
            program().as_bytes(),
            words.as_bytes(),
        ]);
        let base = cache.join("chains").join(asks.to_string());
        let facts: Option<Facts> = read(&base.with_extension("facts"))
            .and_then(|(_, bytes)| postcard::from_bytes(&bytes).ok())
            .filter(|facts: &Facts| {
                facts.form == FORM && facts.entries.is_sorted_by(|a, b| a.path < b.path)
            });
        let (entries, parts) = facts.map(|f| (f.entries, f.parts)).unwrap_or_default();
        Self {
            base,
            asks,
            entries,
            parts,
            opened: now,
        }
    }

    /// Whether anything is known of a file.
    pub(super) fn find(&self, path: &[u8]) -> Option<usize> {
        let found = self.entries.binary_search_by(|one| one.path[..].cmp(path));
        found.ok()
    }

    /// What was read of the file at a place, when it is the same file.
    pub(super) fn same(&self, at: usize, key: &Key) -> Option<Same<'_>> {
        let entry = self.entries.get(at).filter(|entry| entry.key == *key)?;
        Some(Same {
            at,
            digest: Digest(entry.digest),
            name: entry.name.as_deref(),
        })
    }

    /// The parts of every file, in the order of the entries; `None` when they are not to be had.
    pub(super) fn outlines(&self) -> Option<Vec<Arc<Outline>>> {
        let (seal, bytes) = read(&self.base.with_extension("parts"))?;
        if seal != self.parts {
            return None;
        }
        let stored: Vec<Stored> = postcard::from_bytes(&bytes).ok()?;
        let all: Option<Vec<_>> = stored
            .into_iter()
            .map(|stored| stored.outline().map(Arc::new))
            .collect();
        all.filter(|all| all.len() == self.entries.len())
    }

    /// Whether a file lay still for long enough before anything was looked at: a write after the
    /// look, in the same tick of the clock, would leave the same facts.
    pub(super) fn settled(&self, key: &Key) -> bool {
        let last = key.modified.0.max(key.changed.0);
        last.saturating_add(SETTLED) <= self.opened
    }

    /// Keeps what was read of files that lay still, which come in path order. A failure costs only
    /// time.
    pub(super) fn put<'a>(&self, read: impl Iterator<Item = (&'a [u8], Key, Digest, &'a Outline)>) {
        let mut entries = Vec::new();
        let mut parts = Vec::new();
        for (path, key, digest, outline) in read.filter(|(_, key, ..)| self.settled(key)) {
            entries.push(Entry {
                path: ByteBuf::from(path),
                key,
                digest: digest.0,
                name: outline.name.clone(),
            });
            parts.push(Stored::of(outline));
        }
        if entries.len() < WORTH {
            return;
        }
        let Ok(parts) = postcard::to_stdvec(&parts) else {
            return;
        };
        let Some(seal) = self.write("parts", &parts) else {
            return;
        };
        let facts = Facts {
            form: FORM,
            parts: seal,
            entries,
        };
        if let Ok(facts) = postcard::to_stdvec(&facts) {
            self.write("facts", &facts);
        }
    }

    /// Drops what was kept, because it is not whole.
    pub(super) fn forget(&self) {
        let _ = fs::remove_file(self.base.with_extension("facts"));
    }

    /// The digest of what the name of this cache stands for: folder, program and profile.
    pub(super) fn asks(&self) -> &Digest {
        &self.asks
    }

    /// A result that was kept, when it is the one that is asked for.
    pub(super) fn result(&self, kind: &str, asked: &Digest) -> Option<Vec<u8>> {
        let (_, mut bytes) = read(&self.base.with_extension(kind))?;
        if bytes.get(..32) != Some(&asked.0) {
            return None;
        }
        bytes.drain(..32);
        Some(bytes)
    }

    /// Keeps a result. A failure costs only time.
    pub(super) fn keep(&self, kind: &str, asked: &Digest, result: &[u8]) {
        self.write(kind, &[&asked.0, result].concat());
    }

    /// Writes a file with its digest before it; the digest when it was written.
    fn write(&self, kind: &str, bytes: &[u8]) -> Option<[u8; 32]> {
        let folder = self.base.parent()?;
        folders::private(folder).ok()?;
        let seal = Digest::of(bytes).0;
        let mut file = tempfile::NamedTempFile::new_in(folder).ok()?;
        file.write_all(&seal).ok()?;
        file.write_all(bytes).ok()?;
        file.persist(self.base.with_extension(kind)).ok()?;
        let entries = fs::read_dir(folder).ok()?.flatten();
        let mut all: Vec<_> = entries
            .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
            .collect();
        all.sort();
        for (_, path) in all.iter().rev().skip(MOST) {
            let _ = fs::remove_file(path);
        }
        Some(seal)
    }
}

/// The bytes of a file that are whole, and the digest that stands before them.
fn read(file: &Path) -> Option<([u8; 32], Vec<u8>)> {
    let mut bytes = regular::read(file, CAP).ok().flatten()?;
    let seal: [u8; 32] = bytes.get(..32)?.try_into().ok()?;
    bytes.drain(..32);
    (Digest::of(&bytes).0 == seal).then_some((seal, bytes))
}
