//! Reading the shards of a change, with anchors and companion texts. Nothing is written.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::{LedgerStore, SHARD_LIMIT, careful, read_open, read_regular, slug};
use crate::ledger::codec;
use crate::ledger::entry::{Body, Head, Seal};
use crate::ledger::replay::{self, History};
use crate::ledger::seal;
use crate::ledger::verify::{Place, Shard};
use crate::model::id::Digest;

/// How long we wait for somebody who holds a shard.
const PATIENCE: Duration = Duration::from_secs(1);

impl LedgerStore {
    /// Everything that the ledger knows about one change. What could not be read is a finding.
    #[must_use]
    pub fn load(&self, change: &str) -> History {
        let place = Place {
            repository: self.repository(),
            change,
        };
        let shards = self.shards_of(change);
        let vouch = |place: &Place<'_>, seal: &Seal| match &self.signers {
            Some(signers) => signers.vouch(place, seal),
            None => seal::nobody(place, seal),
        };
        replay::replay_with(&place, &shards, &|digest| self.text(digest), &vouch)
    }

    /// The shards of one change as they stand on disk, sorted by name.
    #[must_use]
    pub fn shards_of(&self, change: &str) -> Vec<Shard> {
        self.read_shards(&slug(change)).unwrap_or_else(|error| {
            let mut shard = Shard::new("ledger", Vec::new());
            shard.copies.clear();
            shard.unreadable = Some(error.to_string());
            vec![shard]
        })
    }

    /// The files whose `stat` shows that something was recorded for a change: its shards, and the
    /// folder that new ones come into.
    #[must_use]
    pub fn watched(&self, change: &str) -> Vec<PathBuf> {
        let names = self.shard_names(&slug(change)).unwrap_or_default();
        let shards = names.iter().map(|name| format!("{name}.jsonl"));
        let shards = shards.map(|name| self.shards().join(name));
        let received = self.received_of(&slug(change)).unwrap_or_default();
        let received = received.into_values().flatten();
        let writers = self.known_writers().unwrap_or_default();
        let writers = writers.iter().map(|writer| self.received().join(writer));
        [self.shards(), self.received()]
            .into_iter()
            .chain(writers)
            .chain(shards)
            .chain(received)
            .collect()
    }

    /// A companion text.
    #[must_use]
    pub fn text(&self, digest: &Digest) -> Option<Vec<u8>> {
        let name = digest.to_string();
        let own = read_regular(&self.texts().join(&name), SHARD_LIMIT);
        own.or_else(|_| read_regular(&self.received_texts().join(&name), SHARD_LIMIT))
            .ok()
    }

    /// The keys of all changes that have a shard, sorted, and the file name parts of those whose
    /// key could not be read.
    ///
    /// # Errors
    /// When the folder is there and cannot be listed.
    pub fn changes(&self) -> io::Result<(Vec<String>, Vec<String>)> {
        let mut slugs: BTreeMap<String, Option<String>> = BTreeMap::new();
        for name in self.shard_names("")? {
            let Some((slug_of, _)) = name.rsplit_once('.') else {
                continue;
            };
            let known = slugs.entry(slug_of.to_owned()).or_default();
            if known.is_none() {
                *known = self
                    .change_of(&name)
                    .filter(|change| slug(change) == slug_of);
            }
        }
        let mut keys = Vec::new();
        let mut unread = Vec::new();
        for (slug, key) in slugs {
            match key {
                Some(key) => keys.push(key),
                None => unread.push(slug),
            }
        }
        keys.sort();
        Ok((keys, unread))
    }

    /// The change that a shard says it belongs to.
    fn change_of(&self, shard: &str) -> Option<String> {
        let own = self.shards().join(format!("{shard}.jsonl"));
        let bytes = read_regular(&own, SHARD_LIMIT).ok().or_else(|| {
            let received = self.received_of("").ok()?.remove(shard)?;
            let mut read = received.iter().map(|path| read_regular(path, SHARD_LIMIT));
            read.find_map(Result::ok)
        })?;
        let line = bytes.split(|byte| *byte == b'\n').next()?;
        let text = std::str::from_utf8(line).ok()?;
        match codec::parse(text, shard, &|digest| self.text(digest))
            .entry?
            .body
        {
            Body::Opened(opened) => Some(opened.change),
            Body::Run(_)
            | Body::Decision(_)
            | Body::Undo(_)
            | Body::Assertion(_)
            | Body::Ruling(_)
            | Body::Edit(_)
            | Body::Seal(_)
            | Body::Posted(_)
            | Body::Newer { .. } => None,
        }
    }

    /// Names of shards that are there, that an anchor knows or that others sent, of one change or
    /// of all (`""`).
    pub(super) fn shard_names(&self, slug: &str) -> io::Result<BTreeSet<String>> {
        let mut names = BTreeSet::new();
        for (folder, ending) in [(self.shards(), ".jsonl"), (self.anchors(), ".anchors")] {
            let listed = match fs::read_dir(&folder) {
                Ok(listed) => listed,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            for entry in listed {
                let name = entry?.file_name();
                let Some(stem) = name.to_str().and_then(|name| name.strip_suffix(ending)) else {
                    continue;
                };
                let ours = stem
                    .rsplit_once('.')
                    .is_some_and(|(of, _)| slug.is_empty() || of == slug);
                if ours {
                    names.insert(stem.to_owned());
                }
            }
        }
        names.extend(self.received_of(slug)?.into_keys());
        Ok(names)
    }

    fn read_shards(&self, slug: &str) -> io::Result<Vec<Shard>> {
        let names = self.shard_names(slug)?;
        let received = self.received_of(slug)?;
        Ok(names
            .into_iter()
            .map(|name| {
                let others = received.get(&name).map_or(&[][..], Vec::as_slice);
                self.read_shard(name, others)
            })
            .collect())
    }

    pub(super) fn read_shard(&self, name: String, others: &[PathBuf]) -> Shard {
        let path = self.shards().join(format!("{name}.jsonl"));
        let mut shard = Shard::new(name, Vec::new());
        shard.copies.clear();
        for other in others {
            match read_regular(other, SHARD_LIMIT) {
                Ok(bytes) => {
                    shard.received.insert(bytes);
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => shard.unreadable = Some(error.to_string()),
            }
        }
        let opened = careful().read(true).open(&path);
        if let Ok(file) = &opened {
            // A writer in the middle of an append; without its lock the end is read as it is.
            let _ = patient(|| file.try_lock_shared());
        }
        // Anchors first: a line may come while we read, but never an anchor without its line.
        let anchors = self.anchors().join(format!("{}.anchors", shard.name));
        read_anchors(&anchors, &mut shard);
        match opened.and_then(|file| read_open(&file, SHARD_LIMIT)) {
            Ok(bytes) => {
                shard.copies.insert(bytes);
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                // Created and never written: not even its opening was acknowledged.
                if shard.anchors.is_empty() && !shard.anchors_damaged && others.is_empty() {
                    shard.copies.insert(Vec::new());
                }
            }
            Err(error) => shard.unreadable = Some(error.to_string()),
        }
        shard
    }
}

/// Tries to take a lock for as long as one may be held by somebody who works; whether it was
/// taken. The lock goes with the descriptor.
pub(super) fn patient(take: impl Fn() -> Result<(), TryLockError>) -> bool {
    let start = Instant::now();
    while let Err(error) = take() {
        if !matches!(error, TryLockError::WouldBlock) || start.elapsed() > PATIENCE {
            return false;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    true
}

/// Reads anchors; a last line without its LF was never acknowledged.
fn read_anchors(path: &Path, shard: &mut Shard) {
    let bytes = match read_regular(path, SHARD_LIMIT) {
        Ok(bytes) => bytes,
        Err(error) => {
            shard.anchors_damaged = error.kind() != io::ErrorKind::NotFound;
            return;
        }
    };
    let end = bytes
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |at| at + 1);
    let whole = bytes.get(..end).unwrap_or_default();
    for line in whole
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
    {
        let read = || {
            let mut words = std::str::from_utf8(line).ok()?.split(' ');
            let (version, seq, digest) = (words.next()?, words.next()?, words.next()?);
            (version == "1" && words.next().is_none()).then_some(())?;
            Some(Head {
                shard: shard.name.clone(),
                seq: seq.parse().ok()?,
                line: Digest::parse(digest)?,
            })
        };
        match read() {
            Some(head) => {
                shard.anchors.insert(head);
            }
            None => shard.anchors_damaged = true,
        }
    }
}
