//! Appending: lock, look at the end, one write, sync, anchor, and only then `recorded`.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use super::load::patient;
use super::{
    Fate, LedgerStore, NotRecorded, Step, Steps, careful, create, new_id, replace, slug,
    sync_folder,
};
use crate::ledger::codec;
use crate::ledger::entry::{Body, Entry, Head, Opened};
use crate::ledger::replay::History;
use crate::ledger::verify::{self, Place};
use crate::model::id::{Digest, EntryId};

/// An entry that is recorded: synced, anchored, and never lost after this.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Receipt {
    /// Its id.
    pub entry: EntryId,
    /// Its number in the log as this session knows it; entries of a session that works at the
    /// same time may shift it, the id stays.
    pub number: u64,
}

/// The shard of one session on one change. Any number of them may work at once.
#[derive(Debug)]
pub struct Writer {
    store: LedgerStore,
    shard: String,
    path: PathBuf,
    file: File,
    anchors: File,
    /// Bytes of the shard that are acknowledged.
    len: u64,
    /// Bytes of the last acknowledged line, LF included.
    last: usize,
    anchors_len: u64,
    head: Option<Head>,
    prev: Digest,
    after: Vec<Head>,
    number: u64,
    done: HashMap<EntryId, Receipt>,
    /// Whether the folders still have to be synced for the new names in them.
    new: bool,
    steps: Box<dyn Steps>,
}

/// Lines ready to be written.
struct Batch {
    bytes: Vec<u8>,
    last: usize,
    prev: Digest,
    heads: Vec<Head>,
    receipts: Vec<Receipt>,
}

impl Writer {
    pub(super) fn open(
        store: &LedgerStore,
        history: &History,
        opened: Opened,
        mut steps: Box<dyn Steps>,
    ) -> Result<Self, NotRecorded> {
        take(&mut *steps, Step::Open)?;
        let at = |error| failed(Step::Open, error);
        for folder in [store.shards(), store.anchors()] {
            create(&folder).map_err(at)?;
        }
        settle(store, &slug(&opened.change), &mut *steps);
        let (shard, path, file) = loop {
            let random = new_id().map_err(at)?.to_string();
            let shard = format!(
                "{}.{}",
                slug(&opened.change),
                random.get(..6).unwrap_or("000000")
            );
            let path = store.shards().join(format!("{shard}.jsonl"));
            if store.anchors().join(format!("{shard}.anchors")).exists() {
                continue;
            }
            let mut options = careful();
            options.read(true).append(true).create_new(true);
            match options.open(&path) {
                Ok(file) => break (shard, path, file),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(at(error)),
            }
        };
        let anchors_path = store.anchors().join(format!("{shard}.anchors"));
        let anchors = careful()
            .append(true)
            .create_new(true)
            .open(&anchors_path)
            .map_err(at)?;
        let place = Place {
            repository: store.repository(),
            change: &opened.change,
        };
        let mut writer = Self {
            store: store.clone(),
            prev: verify::origin(&place, &shard),
            shard,
            path,
            file,
            anchors,
            len: 0,
            last: 0,
            anchors_len: 0,
            head: None,
            after: history.heads.clone(),
            number: u64::try_from(history.log.len()).unwrap_or(u64::MAX),
            done: HashMap::new(),
            new: true,
            steps,
        };
        let id = new_id().map_err(at)?;
        writer.append(id, Body::Opened(opened), || Ok(()))?;
        Ok(writer)
    }

    /// The shard's name.
    #[must_use]
    pub fn shard(&self) -> &str {
        &self.shard
    }

    /// The last acknowledged line.
    #[must_use]
    pub fn head(&self) -> Option<&Head> {
        self.head.as_ref()
    }

    /// The session has read the ledger again: its next entry comes after all of this.
    pub fn has_read(&mut self, history: &History) {
        let others = history.heads.iter().filter(|head| head.shard != self.shard);
        self.after = others.cloned().collect();
        let count = u64::try_from(history.log.len()).unwrap_or(u64::MAX);
        self.number = self.number.max(count);
    }

    /// Records one entry, or says why it is not recorded. `still` is called under the lock, after
    /// everything was checked and before anything is written: it reads the world again and
    /// refuses when it moved (GIT-11). An id that is recorded already is not recorded twice: a
    /// retry gets the first receipt (LED-7).
    ///
    /// # Errors
    /// [`NotRecorded`]: then the entry is not in the ledger, and what was there is whole.
    pub fn append(
        &mut self,
        id: EntryId,
        body: Body,
        still: impl FnOnce() -> Result<(), String>,
    ) -> Result<Receipt, NotRecorded> {
        let receipts = self.append_all(vec![(id, body)], still)?;
        receipts
            .first()
            .copied()
            .ok_or(NotRecorded::Changed("emptied"))
    }

    /// Records several entries with one write and one sync: all of them or none.
    ///
    /// # Errors
    /// As [`Writer::append`].
    pub fn append_all(
        &mut self,
        entries: Vec<(EntryId, Body)>,
        still: impl FnOnce() -> Result<(), String>,
    ) -> Result<Vec<Receipt>, NotRecorded> {
        let known: Option<Vec<Receipt>> = entries
            .iter()
            .map(|(id, _)| self.done.get(id).copied())
            .collect();
        if let Some(receipts) = known {
            return Ok(receipts);
        }
        self.step(Step::Lock)?;
        self.file
            .lock()
            .map_err(|error| failed(Step::Lock, error))?;
        let result = self.locked(entries, still);
        // The lock dies with the descriptor in any case.
        let _ = self.file.unlock();
        result
    }

    fn locked(
        &mut self,
        entries: Vec<(EntryId, Body)>,
        still: impl FnOnce() -> Result<(), String>,
    ) -> Result<Vec<Receipt>, NotRecorded> {
        self.look_at_tail()?;
        still().map_err(NotRecorded::Refused)?;
        let batch = self.batch(entries)?;
        if let Err(error) = self.write(&batch).and_then(|()| self.anchor(&batch)) {
            self.roll_back();
            return Err(error);
        }
        self.new = false;
        self.len += batch.bytes.len() as u64;
        self.last = batch.last;
        self.prev = batch.prev;
        self.anchors_len += anchor_lines(&batch.heads).len() as u64;
        self.head = batch.heads.last().cloned();
        self.number += batch.receipts.len() as u64;
        self.after.clear();
        self.done.extend(
            batch
                .receipts
                .iter()
                .map(|receipt| (receipt.entry, *receipt)),
        );
        // From here on the entry is recorded, whatever happens.
        let _ = self.steps.before(Step::Acknowledge);
        Ok(batch.receipts)
    }

    fn step(&mut self, step: Step) -> Result<Fate, NotRecorded> {
        take(&mut *self.steps, step)
    }

    /// The shard must be exactly what this session acknowledged. What stands after that is a line
    /// of our own that could not be taken back: it is set aside.
    fn look_at_tail(&mut self) -> Result<(), NotRecorded> {
        self.step(Step::ReadTail)?;
        let at = |error| failed(Step::ReadTail, error);
        let facts = self.file.metadata().map_err(at)?;
        if facts.nlink() == 0 {
            return Err(NotRecorded::Changed("removed"));
        }
        let there = std::fs::symlink_metadata(&self.path);
        if !there.is_ok_and(|there| there.ino() == facts.ino() && there.dev() == facts.dev()) {
            return Err(NotRecorded::Changed("replaced"));
        }
        if facts.len() < self.len {
            return Err(NotRecorded::Changed("cut"));
        }
        let mut line = vec![0; self.last];
        let from = self.len.saturating_sub(self.last as u64);
        self.file.read_exact_at(&mut line, from).map_err(at)?;
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        if self
            .head
            .as_ref()
            .is_some_and(|head| Digest::of(text) != head.line)
        {
            return Err(NotRecorded::Changed("rewritten"));
        }
        // Anchors first: none may ever name a line that is not there.
        let anchored = self.anchors.metadata().map_err(at)?.len();
        if anchored < self.anchors_len {
            return Err(NotRecorded::Changed("cut off from its anchors"));
        }
        if anchored > self.anchors_len {
            self.step(Step::Cut)?;
            let cut = self.anchors.set_len(self.anchors_len);
            let cut = cut.and_then(|()| self.anchors.sync_data());
            cut.map_err(|error| failed(Step::Cut, error))?;
        }
        if facts.len() > self.len {
            let (file, path, len) = (&self.file, &self.path, self.len);
            set_aside(file, path, len, facts.len(), &mut *self.steps)?;
        }
        Ok(())
    }

    fn batch(&mut self, entries: Vec<(EntryId, Body)>) -> Result<Batch, NotRecorded> {
        let mut batch = Batch {
            bytes: Vec::new(),
            last: 0,
            prev: self.prev,
            heads: Vec::new(),
            receipts: Vec::new(),
        };
        let first = self.head.as_ref().map_or(1, |head| head.seq + 1);
        let mut after = self.after.clone();
        for (seq, (id, body)) in (first..).zip(entries) {
            let entry = Entry {
                id,
                shard: self.shard.clone(),
                seq,
                prev: batch.prev,
                after: std::mem::take(&mut after),
                body: self.store.scrub.body(body),
            };
            let written = codec::write(&entry);
            for (digest, text) in &written.texts {
                self.step(Step::Text)?;
                keep_text(&self.store.texts(), digest, text)
                    .map_err(|error| failed(Step::Text, error))?;
            }
            batch.prev = Digest::of(written.line.as_bytes());
            batch.last = written.line.len() + 1;
            batch.bytes.extend_from_slice(written.line.as_bytes());
            batch.bytes.push(b'\n');
            batch.heads.push(Head {
                shard: self.shard.clone(),
                seq,
                line: batch.prev,
            });
            batch.receipts.push(Receipt {
                entry: id,
                number: self.number + batch.receipts.len() as u64 + 1,
            });
        }
        Ok(batch)
    }

    fn write(&mut self, batch: &Batch) -> Result<(), NotRecorded> {
        let fate = self.step(Step::Write)?;
        write_once(&self.file, &batch.bytes, fate).map_err(|e| failed(Step::Write, e))?;
        self.step(Step::Sync)?;
        self.file.sync_data().map_err(|e| failed(Step::Sync, e))?;
        if self.new {
            self.step(Step::FolderSync)?;
            sync_folder(&self.store.shards()).map_err(|e| failed(Step::FolderSync, e))?;
        }
        Ok(())
    }

    fn anchor(&mut self, batch: &Batch) -> Result<(), NotRecorded> {
        let fate = self.step(Step::Anchor)?;
        let lines = anchor_lines(&batch.heads);
        write_once(&self.anchors, lines.as_bytes(), fate).map_err(|e| failed(Step::Anchor, e))?;
        self.step(Step::AnchorSync)?;
        self.anchors
            .sync_data()
            .map_err(|e| failed(Step::AnchorSync, e))?;
        if self.new {
            self.step(Step::AnchorFolderSync)?;
            sync_folder(&self.store.anchors()).map_err(|e| failed(Step::AnchorFolderSync, e))?;
        }
        Ok(())
    }

    /// Takes back what is not acknowledged: the anchor first, so that no anchor ever names a line
    /// that is not there. What cannot be taken back is set aside by the next append.
    fn roll_back(&mut self) {
        if self.step(Step::Rollback).is_err() {
            return;
        }
        let anchors = self
            .anchors
            .set_len(self.anchors_len)
            .and_then(|()| self.anchors.sync_data());
        if anchors.is_ok() {
            let _ = self
                .file
                .set_len(self.len)
                .and_then(|()| self.file.sync_data());
        }
        // After a failed sync the pages of this descriptor cannot be believed (LED-4).
        if let Ok(fresh) = careful().read(true).append(true).open(&self.path) {
            self.file = fresh;
        }
    }
}

fn take(steps: &mut dyn Steps, step: Step) -> Result<Fate, NotRecorded> {
    steps.before(step).map_err(|error| failed(step, error))
}

fn failed(step: Step, error: io::Error) -> NotRecorded {
    NotRecorded::Failed { step, error }
}

/// One `write(2)`; less than everything is a failure.
fn write_once(mut file: &File, bytes: &[u8], fate: Fate) -> io::Result<()> {
    let part = match fate {
        Fate::Go => bytes,
        Fate::Short(len) => bytes.get(..len).unwrap_or(bytes),
    };
    let written = loop {
        match file.write(part) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => break other?,
        }
    };
    if written == bytes.len() {
        Ok(())
    } else {
        Err(io::Error::new(
            io::ErrorKind::WriteZero,
            "only a part was written",
        ))
    }
}

/// The anchor of each line: version, number, digest.
fn anchor_lines(heads: &[Head]) -> String {
    heads
        .iter()
        .map(|head| format!("1 {} {}\n", head.seq, head.line))
        .collect()
}

/// Keeps a companion text under its digest; synced, and in place under its name, on return.
fn keep_text(folder: &Path, digest: &Digest, text: &[u8]) -> io::Result<()> {
    create(folder)?;
    let path = folder.join(digest.to_string());
    let there = super::read_regular(&path, super::SHARD_LIMIT);
    if there.is_ok_and(|there| Digest::of(&there) == *digest) {
        return sync_folder(folder);
    }
    replace(&path, text)
}

/// Copies what stands after `good` to the sidecar, syncs it, and cuts it from the shard.
fn set_aside(
    file: &File,
    path: &Path,
    good: u64,
    len: u64,
    steps: &mut dyn Steps,
) -> Result<(), NotRecorded> {
    take(steps, Step::Sidecar)?;
    let copy = || -> io::Result<()> {
        let size = usize::try_from(len - good).map_err(io::Error::other)?;
        let mut torn = vec![0; size];
        file.read_exact_at(&mut torn, good)?;
        torn.push(b'\n');
        let mut sidecar = careful()
            .append(true)
            .create(true)
            .open(path.with_extension("torn"))?;
        sidecar.write_all(&torn)?;
        sidecar.sync_all()?;
        sync_folder(path.parent().unwrap_or(Path::new(".")))
    };
    copy().map_err(|error| failed(Step::Sidecar, error))?;
    take(steps, Step::Cut)?;
    let cut = file.set_len(good).and_then(|()| file.sync_data());
    cut.map_err(|error| failed(Step::Cut, error))
}

/// Sets aside the torn ends that dead sessions left in shards of this change. Whole lines are
/// never touched, nor is a shard that somebody goes on holding.
fn settle(store: &LedgerStore, slug: &str, steps: &mut dyn Steps) {
    let Ok(names) = store.shard_names(slug) else {
        return;
    };
    for name in names {
        let path = store.shards().join(format!("{name}.jsonl"));
        let Ok(file) = careful().read(true).append(true).open(&path) else {
            continue;
        };
        // A lock is held for one append, or for a moment by a child that was just forked.
        if !patient(|| file.try_lock()) {
            continue;
        }
        let Ok(bytes) = super::read_open(&file, super::SHARD_LIMIT) else {
            continue;
        };
        let good = bytes
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        if good < bytes.len() {
            let (good, len) = (good as u64, bytes.len() as u64);
            // What cannot be set aside stays where it is, and stays a finding.
            let _ = set_aside(&file, &path, good, len, steps);
        }
    }
}
