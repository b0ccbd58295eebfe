//! What travels: the acknowledged beginning of our own shards, and the shards of others, which
//! are kept apart in `received/<writer>/` and never put into copies of ours.
//!
//! A received copy only grows. One that is shorter than what is known takes nothing away, and one
//! that differs is kept beside it, so that whatever a remote serves can add and never remove.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::PathBuf;

use super::{LedgerStore, SHARD_LIMIT, create, new_id, read_regular, replace};
use crate::ledger::entry::Head;
use crate::ledger::verify::{Meeting, Shard, meet};
use crate::model::id::Digest;

/// What became of a copy that others served.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Taken {
    /// It was known.
    Known,
    /// So many lines are new.
    New(u64),
    /// It is shorter than what is known by so many lines; those stay.
    Shorter(u64),
    /// It differs from what is known; both are kept.
    Forked,
}

impl LedgerStore {
    pub(super) fn received(&self) -> PathBuf {
        self.folder().join("received")
    }

    /// The name of this ledger among those that share a remote: random, made once, and the same
    /// for nothing else.
    ///
    /// # Errors
    /// When it can neither be read nor made.
    pub fn sync_name(&self) -> io::Result<String> {
        let path = self.folder().join("writer");
        let read = |bytes: Vec<u8>| {
            let text = String::from_utf8(bytes).ok()?;
            let name = text.trim_end();
            is_writer(name).then(|| name.to_owned())
        };
        match read_regular(&path, 64) {
            Ok(bytes) => read(bytes).ok_or_else(|| io::Error::other("it holds no name")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                create(self.folder())?;
                let name = new_id()?.to_string();
                replace(&path, format!("{name}\n").as_bytes())?;
                Ok(name)
            }
            Err(error) => Err(error),
        }
    }

    /// The acknowledged beginning of every shard of ours: each line up to the first whose anchor
    /// does not name it. A line that was never acknowledged does not travel.
    ///
    /// # Errors
    /// When shards cannot be listed; one that cannot be read says so itself.
    pub fn acknowledged(&self) -> io::Result<BTreeMap<String, Result<Vec<u8>, String>>> {
        let mut found = BTreeMap::new();
        for name in self.shard_names("")? {
            let shard = self.read_shard(name, &[]);
            if shard.anchors.is_empty() {
                continue;
            }
            let whole = match (&shard.unreadable, shard.copies.first()) {
                (Some(why), _) => Err(why.clone()),
                (None, None) => Err("it is missing".to_owned()),
                (None, Some(bytes)) => Ok(anchored(&shard, bytes).to_vec()),
            };
            found.insert(shard.name, whole);
        }
        Ok(found)
    }

    /// Takes a copy of a shard that `writer` serves.
    ///
    /// # Errors
    /// When it cannot be kept; what was known is whole.
    pub fn take(&self, writer: &str, shard: &str, served: &[u8]) -> io::Result<Taken> {
        let folder = self.received().join(writer);
        let path = folder.join(format!("{shard}.jsonl"));
        let keep = |path: &PathBuf| create(&folder).and_then(|()| replace(path, served));
        let known = match read_regular(&path, SHARD_LIMIT) {
            Ok(known) => known,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                keep(&path)?;
                return Ok(Taken::New(lines(served)));
            }
            Err(error) => return Err(error),
        };
        Ok(match meet(&known, served) {
            Meeting::Same => Taken::Known,
            Meeting::Longer => {
                keep(&path)?;
                Taken::New(lines(served) - lines(&known))
            }
            Meeting::Shorter => Taken::Shorter(lines(&known) - lines(served)),
            Meeting::Forked => {
                let digest = Digest::of(served).to_string();
                let other = format!("{shard}+{}.jsonl", digest.get(..16).unwrap_or_default());
                keep(&folder.join(other))?;
                Taken::Forked
            }
        })
    }

    /// Takes a companion text that others served; whether it was new.
    ///
    /// # Errors
    /// When it cannot be kept.
    pub fn take_text(&self, digest: &Digest, text: &[u8]) -> io::Result<bool> {
        if self.text(digest).is_some_and(|there| there == text) {
            return Ok(false);
        }
        create(&self.texts())?;
        replace(&self.texts().join(digest.to_string()), text)?;
        Ok(true)
    }

    /// Every companion text that is whole.
    ///
    /// # Errors
    /// When the folder is there and cannot be listed.
    pub fn all_texts(&self) -> io::Result<Vec<Digest>> {
        let mut found: Vec<Digest> = names(&self.texts())?
            .iter()
            .filter_map(|name| Digest::parse(name))
            .collect();
        found.sort();
        Ok(found)
    }

    /// The names of shards that `writer` was known to hold.
    ///
    /// # Errors
    /// When the folder is there and cannot be listed.
    pub fn taken_from(&self, writer: &str) -> io::Result<Vec<String>> {
        let all = names(&self.received().join(writer))?;
        let mut found: Vec<String> = all
            .iter()
            .filter_map(|name| name.strip_suffix(".jsonl"))
            .filter(|name| is_shard(name))
            .map(str::to_owned)
            .collect();
        found.sort();
        Ok(found)
    }

    /// The files of shards that others sent, by name; of one change or of all (`""`).
    pub(super) fn received_of(&self, slug: &str) -> io::Result<BTreeMap<String, Vec<PathBuf>>> {
        let mut found: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
        let mut writers = names(&self.received())?;
        writers.sort();
        for writer in writers.iter().filter(|name| is_writer(name)) {
            let folder = self.received().join(writer);
            let mut files = names(&folder)?;
            files.sort();
            for file in files {
                let Some(stem) = file.strip_suffix(".jsonl") else {
                    continue;
                };
                let shard = stem.split_once('+').map_or(stem, |(shard, _)| shard);
                let of = shard.rsplit_once('.').map(|(of, _)| of);
                if is_shard(shard) && (slug.is_empty() || of == Some(slug)) {
                    let files = found.entry(shard.to_owned()).or_default();
                    files.push(folder.join(&file));
                }
            }
        }
        Ok(found)
    }
}

/// The longest beginning of whole lines that the anchors name.
fn anchored<'a>(shard: &Shard, bytes: &'a [u8]) -> &'a [u8] {
    let mut end = 0;
    for (seq, line) in (1u64..).zip(bytes.split_inclusive(|byte| *byte == b'\n')) {
        let Some(text) = line.strip_suffix(b"\n") else {
            break;
        };
        let head = Head {
            shard: shard.name.clone(),
            seq,
            line: Digest::of(text),
        };
        if !shard.anchors.contains(&head) {
            break;
        }
        end += line.len();
    }
    bytes.get(..end).unwrap_or_default()
}

fn lines(bytes: &[u8]) -> u64 {
    bytes.split_inclusive(|byte| *byte == b'\n').count() as u64
}

/// Names in a folder; none when it is not there.
fn names(folder: &PathBuf) -> io::Result<Vec<String>> {
    let listed = match fs::read_dir(folder) {
        Ok(listed) => listed,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut found = Vec::new();
    for entry in listed {
        found.extend(entry?.file_name().into_string().ok());
    }
    Ok(found)
}

/// Whether it is the name of a writer: 32 digits in hexadecimal.
#[must_use]
pub fn is_writer(name: &str) -> bool {
    name.len() == 32 && name.bytes().all(hexadecimal)
}

/// Whether it is the name of a shard as this tool makes them: words of the change, and six digits
/// in hexadecimal.
#[must_use]
pub fn is_shard(name: &str) -> bool {
    let Some((slug, random)) = name.split_once('.') else {
        return false;
    };
    let word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (9..=49).contains(&slug.len())
        && slug.bytes().all(word)
        && random.len() == 6
        && random.bytes().all(hexadecimal)
}

fn hexadecimal(byte: u8) -> bool {
    byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte)
}
