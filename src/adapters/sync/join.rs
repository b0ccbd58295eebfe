//! What our own ref holds next: everything that it held on the remote and here, and every line
//! that was acknowledged since. Nothing that was sent once is ever taken back.

use std::collections::BTreeSet;

use git2::Oid;

use super::objects::{Listing, Objects, Refs};
use super::{Fault, Files, NotSynced, Run, shard_of};
use crate::adapters::ledger_store::is_shard;
use crate::ledger::verify::{Meeting, meet};
use crate::model::id::Digest;

impl Run<'_> {
    /// The files of the next tree, and how many entries in it the remote has not.
    pub(super) fn joined(
        &mut self,
        there: Option<Oid>,
        here: Option<Oid>,
    ) -> Result<(Listing, u64), NotSynced> {
        let served = self.listing(there)?;
        let sent = self.listing(here)?;
        // What the remote is known to have had: less than that was taken away there.
        let had = self.listing(self.objects.tip(Refs::Kept, &self.writer))?;
        let mut next = Listing {
            shards: sent.shards.clone(),
            texts: sent.texts.clone(),
            odd: Vec::new(),
        };
        for (name, blob) in &served.texts {
            next.texts.entry(name.clone()).or_insert(*blob);
        }
        for (name, blob) in &served.shards {
            self.join_served(name, *blob, &mut next.shards)?;
        }
        for (name, blob) in &had.shards {
            if let Some(now) = served.shards.get(name).filter(|now| *now != blob) {
                self.shortened(name, *blob, *now)?;
            }
            if there.is_some() && !served.shards.contains_key(name) {
                let writer = self.writer.clone();
                self.complain(Fault::MissingShard, &writer, name, "");
            }
        }
        let mut news = 0;
        let mut bytes = Vec::new();
        for (name, whole) in self.store.acknowledged()? {
            let writer = self.writer.clone();
            let damaged = !matches!(whole, Ok((_, 0)));
            let whole = match whole {
                Ok((whole, 0)) => whole,
                Ok((whole, missing)) => {
                    let detail = format!("{missing} entries");
                    self.complain(Fault::NotSent, &writer, &name, &detail);
                    whole
                }
                Err(why) => {
                    self.complain(Fault::NotSent, &writer, &name, &why);
                    continue;
                }
            };
            if whole.is_empty() {
                continue;
            }
            self.join_own(&name, &whole, damaged, &mut next.shards)?;
            bytes.push(whole);
        }
        for (name, blob) in &next.shards {
            if served.shards.get(name) != Some(blob) {
                let before = self.lines(served.shards.get(name).copied())?;
                news += self.lines(Some(*blob))?.saturating_sub(before);
            }
        }
        self.texts(&bytes, &mut next.texts)?;
        Ok((next, news))
    }

    fn shortened(&mut self, name: &str, had: Oid, now: Oid) -> Result<(), NotSynced> {
        let had = self.objects.bytes(had)?.unwrap_or_default();
        let now = self.objects.bytes(now)?.unwrap_or_default();
        if meet(&had, &now) == Meeting::Shorter {
            let writer = self.writer.clone();
            self.complain(Fault::Shortened, &writer, shard_of(name), "");
        }
        Ok(())
    }

    fn listing(&self, tip: Option<Oid>) -> Result<Listing, NotSynced> {
        Ok(match tip {
            Some(tip) => self.objects.listing(tip)?,
            None => Listing::default(),
        })
    }

    fn lines(&self, blob: Option<Oid>) -> Result<u64, NotSynced> {
        let bytes = match blob {
            Some(blob) => self.objects.bytes(blob)?.unwrap_or_default(),
            None => Vec::new(),
        };
        Ok(bytes.iter().filter(|byte| **byte == b'\n').count() as u64)
    }

    /// What the remote serves under our own name. It is ours unless somebody wrote there, or this
    /// ledger was restored from an older copy: what is not known here is kept apart as a claim.
    fn join_served(&mut self, name: &str, blob: Oid, next: &mut Files) -> Result<(), NotSynced> {
        let known = next.get(name).copied();
        if known == Some(blob) {
            return Ok(());
        }
        let writer = self.writer.clone();
        let shard = shard_of(name).to_owned();
        if !is_shard(&shard) {
            self.complain(Fault::OddName, &writer, name, "");
            return Ok(());
        }
        let Some(bytes) = self.objects.bytes(blob)? else {
            self.complain(Fault::TooLarge, &writer, name, "");
            return Ok(());
        };
        if !self.store.holds(&shard, &bytes)? {
            self.store.take(&writer, &shard, &bytes)?;
        }
        let Some(known) = known else {
            next.insert(name.to_owned(), blob);
            return Ok(());
        };
        let before = self.objects.bytes(known)?.unwrap_or_default();
        match meet(&before, &bytes) {
            Meeting::Same | Meeting::Shorter => {}
            Meeting::Longer => {
                next.insert(name.to_owned(), blob);
            }
            Meeting::Forked => {
                self.complain(Fault::Forked, &writer, &shard, "");
                next.insert(beside(&shard, &before), known);
                next.insert(name.to_owned(), blob);
            }
        }
        Ok(())
    }

    /// The acknowledged lines of a shard of ours.
    fn join_own(
        &mut self,
        name: &str,
        whole: &[u8],
        damaged: bool,
        next: &mut Files,
    ) -> Result<(), NotSynced> {
        let id = Objects::id_of(whole)?;
        let Some(known) = next.get(name).copied() else {
            next.insert(name.to_owned(), self.objects.keep(whole)?);
            return Ok(());
        };
        if known == id {
            return Ok(());
        }
        let before = self.objects.bytes(known)?.unwrap_or_default();
        match meet(&before, whole) {
            Meeting::Same => {}
            Meeting::Longer => {
                next.insert(name.to_owned(), self.objects.keep(whole)?);
            }
            Meeting::Shorter if damaged => {}
            Meeting::Shorter => {
                let writer = self.writer.clone();
                self.complain(Fault::OlderHere, &writer, name, "");
            }
            Meeting::Forked => {
                let writer = self.writer.clone();
                self.complain(Fault::Forked, &writer, name, "");
                next.insert(beside(name, whole), self.objects.keep(whole)?);
            }
        }
        Ok(())
    }

    /// The companion texts that acknowledged lines name.
    fn texts(&mut self, lines: &[Vec<u8>], next: &mut Files) -> Result<(), NotSynced> {
        let own: BTreeSet<Digest> = self.store.own_texts()?.into_iter().collect();
        for digest in own {
            let name = digest.to_string();
            let finder = memchr::memmem::Finder::new(name.as_bytes());
            if next.contains_key(&name) || !lines.iter().any(|l| finder.find(l).is_some()) {
                continue;
            }
            if let Some(text) = self.store.text(&digest).filter(|t| Digest::of(t) == digest) {
                next.insert(name, self.objects.keep(&text)?);
            }
        }
        Ok(())
    }
}

/// The name of a differing copy.
fn beside(shard: &str, bytes: &[u8]) -> String {
    let digest = Digest::of(bytes).to_string();
    format!("{shard}+{}", digest.get(..16).unwrap_or_default())
}
