//! `ledger sync`: shards travel through git, each writer owning one ref, nothing ever forced.
//!
//! Our own shards go to `refs/countersign/<writer>` as far as they were acknowledged; those of
//! others come from there and are kept apart (`ledger_store::others`). What travels holds no
//! clock, no path, no address and no name but the ones people decided under. The private
//! repository in between is a means of travel: when it is damaged it is made again.

mod address;
mod git;
mod join;
mod objects;

pub use address::Address;
pub use git::fetch_refs;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::path::PathBuf;

use git2::Oid;

use super::ledger_store::{LedgerStore, Taken, is_shard};
use crate::model::id::Digest;
use crate::model::text::{Foreign, Place};
use git::Said;
use objects::{Listing, Objects, Refs};

/// How often a push that was overtaken is tried again.
const TRIES: u32 = 8;

/// What is done next; somebody may be told, and may make it fail.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stage {
    /// Fetching the refs of all writers.
    Fetch,
    /// Keeping what others sent.
    Take,
    /// Writing blobs.
    Blob,
    /// Writing the tree.
    Tree,
    /// Writing the commit.
    Commit,
    /// Moving our own ref in the private repository.
    Ref,
    /// Pushing it.
    Push,
}

impl Stage {
    /// Every stage, in order.
    pub const ALL: [Self; 7] = [
        Self::Fetch,
        Self::Take,
        Self::Blob,
        Self::Tree,
        Self::Commit,
        Self::Ref,
        Self::Push,
    ];
}

/// Is told of each stage before it begins.
pub type Steps<'a> = &'a mut dyn FnMut(Stage) -> io::Result<()>;

/// Why nothing was shared. What is recorded here stays recorded.
#[derive(Debug, thiserror::Error)]
pub enum NotSynced {
    /// There is no git program.
    #[error("the git program could not be started: {0}")]
    NoGit(io::Error),
    /// The remote did not answer, or not with a repository.
    #[error("{address} could not be read: {said}")]
    Unreachable {
        /// The address, fit to be shown.
        address: String,
        /// What git said, fit to be shown.
        said: String,
        /// How many entries the remote had not when it was seen last.
        unpublished: u64,
    },
    /// Something of our own could not be read or written.
    #[error("{0}")]
    Own(io::Error),
    /// The private repository failed.
    #[error("the private repository failed: {0}")]
    Objects(git2::Error),
}

impl From<git2::Error> for NotSynced {
    fn from(error: git2::Error) -> Self {
        Self::Objects(error)
    }
}

impl From<io::Error> for NotSynced {
    fn from(error: io::Error) -> Self {
        Self::Own(error)
    }
}

/// What the remote serves that it should not, or what stays here. A closed set.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Fault {
    /// A shard ends earlier than it did.
    Shortened,
    /// A shard differs from the copy that is known.
    Forked,
    /// A shard is gone from the ref of its writer.
    MissingShard,
    /// The ref of a writer is gone.
    MissingWriter,
    /// A shard of ours stands under another writer, and is not as we know it.
    Foreign,
    /// A name that has no place there.
    OddName,
    /// More bytes than are taken.
    TooLarge,
    /// A text that is not the one its name says.
    WrongText,
    /// A shard of ours is damaged here, and was not sent beyond the damage.
    NotSent,
    /// The remote has more of a shard of ours than this ledger.
    OlderHere,
}

impl Fault {
    /// Every fault.
    pub const ALL: [Self; 10] = [
        Self::Shortened,
        Self::Forked,
        Self::MissingShard,
        Self::MissingWriter,
        Self::Foreign,
        Self::OddName,
        Self::TooLarge,
        Self::WrongText,
        Self::NotSent,
        Self::OlderHere,
    ];

    /// The word in JSON and text.
    #[must_use]
    pub fn word(self) -> &'static str {
        self.row().0
    }

    /// Whether somebody must have changed, cut or forged something; the rest is damage.
    #[must_use]
    pub fn is_tampering(self) -> bool {
        self.row().1
    }

    /// What it means.
    #[must_use]
    pub fn says(self) -> &'static str {
        self.row().2
    }

    fn row(self) -> (&'static str, bool, &'static str) {
        match self {
            Self::Shortened => (
                "shortened",
                true,
                "the remote serves less of it than before; all of it stays here",
            ),
            Self::Forked => (
                "forked",
                true,
                "the remote serves another copy than before; both are kept",
            ),
            Self::MissingShard => (
                "missing-shard",
                true,
                "the remote serves it no more; it stays here",
            ),
            Self::MissingWriter => (
                "missing-writer",
                true,
                "the remote serves nothing of this writer any more; what came stays here",
            ),
            Self::Foreign => (
                "foreign-copy",
                true,
                "another writer serves a shard of this ledger, and not as it is here",
            ),
            Self::OddName => (
                "odd-name",
                false,
                "a name that has no place there; left alone",
            ),
            Self::TooLarge => ("too-large", false, "more than 64 MiB; left alone"),
            Self::WrongText => (
                "wrong-text",
                true,
                "a text is not the one that its name says; left alone",
            ),
            Self::NotSent => (
                "not-sent",
                false,
                "it is not here as it was acknowledged; only what is whole was sent",
            ),
            Self::OlderHere => (
                "older-here",
                false,
                "more of it was sent before: this ledger was restored, or is used in two places; \
                 what is missing here came back as claims",
            ),
        }
    }
}

/// One fault.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Complaint {
    /// What.
    pub fault: Fault,
    /// Whose ref; ours too.
    pub writer: String,
    /// Which shard, text or name, fit to be shown; empty for a writer as a whole.
    pub name: String,
    /// In words, fit to be shown.
    pub message: String,
}

/// What a sync did.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outcome {
    /// Our own name on the remote.
    pub writer: String,
    /// How many others share the remote.
    pub writers: u64,
    /// Entries that came.
    pub received: u64,
    /// Entries that the remote has now and had not before.
    pub sent: u64,
    /// Entries that the remote has not, and why; `None` when it has all.
    pub unpublished: Option<(u64, String)>,
    /// Everything that is wrong, by kind.
    pub complaints: Vec<Complaint>,
}

/// Shares a ledger with a remote: fetches, keeps, joins, pushes.
///
/// # Errors
/// [`NotSynced`] when nothing could be fetched. A push that is refused is no error: the outcome
/// says how many entries are unpublished.
pub fn sync(
    store: &LedgerStore,
    address: &Address,
    steps: Steps<'_>,
) -> Result<Outcome, NotSynced> {
    let writer = store.sync_name()?;
    // Two at once take turns; the lock goes with the descriptor.
    let lock = File::create(store.folder().join("sync.lock"))?;
    lock.lock()?;
    let once = |steps: Steps<'_>| {
        let objects = Objects::open(&place(store), &store.repository().to_string())?;
        let run = Run {
            store,
            address,
            objects,
            writer: writer.clone(),
            out: Outcome {
                writer: writer.clone(),
                ..Outcome::default()
            },
            complaints: BTreeSet::new(),
        };
        run.run(steps)
    };
    match once(steps) {
        // What a power cut left half written there is worth nothing: it all comes again.
        Err(error) if is_damage(&error) => {
            std::fs::remove_dir_all(place(store))?;
            once(steps)
        }
        other => other,
    }
}

fn place(store: &LedgerStore) -> PathBuf {
    store.folder().join("sync")
}

/// Whether the private repository is what failed.
fn is_damage(error: &NotSynced) -> bool {
    const SIGNS: [&str; 4] = ["loose object", "object file", "bad object", "corrupt"];
    match error {
        NotSynced::Objects(_) => true,
        NotSynced::Unreachable { said, .. } => SIGNS.iter().any(|sign| said.contains(sign)),
        NotSynced::NoGit(_) | NotSynced::Own(_) => false,
    }
}

struct Run<'a> {
    store: &'a LedgerStore,
    address: &'a Address,
    objects: Objects,
    writer: String,
    out: Outcome,
    complaints: BTreeSet<Complaint>,
}

impl Run<'_> {
    fn run(mut self, steps: Steps<'_>) -> Result<Outcome, NotSynced> {
        for _ in 0..TRIES {
            self.complaints.clear();
            steps(Stage::Fetch)?;
            match git::fetch(self.objects.folder(), self.address).map_err(NotSynced::NoGit)? {
                Said::Done => {}
                Said::Failed(said) => {
                    let there = self.objects.tip(Refs::In, &self.writer);
                    let here = self.objects.tip(Refs::Own, &self.writer);
                    let (_, unpublished) = self.joined(there, here)?;
                    return Err(NotSynced::Unreachable {
                        address: self.address.shown(),
                        said: brief(&said),
                        unpublished,
                    });
                }
            }
            steps(Stage::Take)?;
            self.take_all()?;
            if !self.publish(steps)? {
                break;
            }
        }
        self.out.complaints = self.complaints.into_iter().collect();
        Ok(self.out)
    }

    fn complain(&mut self, fault: Fault, writer: &str, name: &str, detail: &str) {
        let message = match detail {
            "" => fault.says().to_owned(),
            detail => format!("{}: {}", fault.says(), shown(detail)),
        };
        self.complaints.insert(Complaint {
            fault,
            writer: shown(writer),
            name: shown(name),
            message,
        });
    }

    /// Keeps what the other writers serve.
    fn take_all(&mut self) -> Result<(), NotSynced> {
        let (writers, odd) = self.objects.writers()?;
        for name in odd {
            self.complain(Fault::OddName, &name, "", "");
        }
        for known in self.store.known_writers()? {
            if !writers.contains_key(&known) && known != self.writer {
                self.complain(Fault::MissingWriter, &known, "", "");
            }
        }
        self.out.writers = 0;
        for (writer, tip) in &writers {
            if *writer != self.writer {
                self.out.writers += 1;
                self.take(writer, *tip)?;
            }
        }
        Ok(())
    }

    /// Keeps what one writer serves. Its tip counts as taken only when nothing is wrong with it,
    /// so that a fault is said again as long as it is served.
    fn take(&mut self, writer: &str, tip: Oid) -> Result<(), NotSynced> {
        let kept = self.objects.tip(Refs::Kept, writer);
        if kept == Some(tip) {
            return Ok(());
        }
        let before = self.complaints.len();
        let known = match kept {
            Some(kept) => self.objects.listing(kept)?,
            None => Listing::default(),
        };
        let served = self.objects.listing(tip)?;
        for name in &served.odd {
            self.complain(Fault::OddName, writer, name, "");
        }
        // Texts first: no entry may name one that did not come yet.
        for (name, blob) in &served.texts {
            if known.texts.get(name) != Some(blob) {
                self.take_text(writer, name, *blob)?;
            }
        }
        let own = self.store.own_shards()?;
        for (name, blob) in &served.shards {
            if known.shards.get(name) == Some(blob) {
                continue;
            }
            let shard = shard_of(name);
            if !is_shard(shard) {
                self.complain(Fault::OddName, writer, name, "");
                continue;
            }
            let Some(bytes) = self.objects.bytes(*blob)? else {
                self.complain(Fault::TooLarge, writer, name, "");
                continue;
            };
            if own.contains(shard) && !self.store.holds(shard, &bytes)? {
                self.complain(Fault::Foreign, writer, shard, "");
            }
            match self.store.take(writer, shard, &bytes)? {
                Taken::Known => {}
                Taken::New(lines) => self.out.received += lines,
                Taken::Shorter(lines) => {
                    let detail = format!("{lines} entries");
                    self.complain(Fault::Shortened, writer, shard, &detail);
                }
                Taken::Forked => self.complain(Fault::Forked, writer, shard, ""),
            }
        }
        for name in self.store.taken_from(writer)? {
            if !served.shards.contains_key(&name) {
                self.complain(Fault::MissingShard, writer, &name, "");
            }
        }
        if self.complaints.len() == before {
            self.objects.put(Refs::Kept, writer, tip, None)?;
        }
        Ok(())
    }

    fn take_text(&mut self, writer: &str, name: &str, blob: Oid) -> Result<(), NotSynced> {
        let Some(digest) = Digest::parse(name) else {
            self.complain(Fault::OddName, writer, name, "");
            return Ok(());
        };
        match self.objects.bytes(blob)? {
            None => self.complain(Fault::TooLarge, writer, name, ""),
            Some(text) if Digest::of(&text) != digest => {
                self.complain(Fault::WrongText, writer, name, "");
            }
            Some(text) => {
                self.store.take_text(&digest, &text)?;
            }
        }
        Ok(())
    }

    /// Brings our own ref up to date here and on the remote; whether it has to be done again.
    fn publish(&mut self, steps: Steps<'_>) -> Result<bool, NotSynced> {
        let writer = self.writer.clone();
        let there = self.objects.tip(Refs::In, &writer);
        let here = self.objects.tip(Refs::Own, &writer);
        steps(Stage::Blob)?;
        let (files, news) = self.joined(there, here)?;
        steps(Stage::Tree)?;
        // The remote's tree is below ours: what a newer version put there stays.
        let tree = self.objects.tree(there.or(here), &files)?;
        let as_served = there.filter(|tip| self.objects.tree_of(*tip).ok() == Some(tree));
        let empty = files.shards.is_empty() && there.is_none() && here.is_none();
        let tip = match as_served {
            _ if empty => return Ok(false),
            Some(tip) => tip,
            None => {
                steps(Stage::Commit)?;
                let parents = self.parents(there, here);
                let same = here.filter(|tip| {
                    parents.iter().all(|parent| parent == tip)
                        && self.objects.tree_of(*tip).ok() == Some(tree)
                });
                match same {
                    Some(tip) => tip,
                    None => self.objects.commit(tree, &parents)?,
                }
            }
        };
        if here != Some(tip) {
            steps(Stage::Ref)?;
            self.objects.put(Refs::Own, &writer, tip, here)?;
        }
        if there == Some(tip) {
            self.objects.put(Refs::Kept, &writer, tip, None)?;
            self.out.unpublished = None;
            return Ok(false);
        }
        steps(Stage::Push)?;
        let name = Refs::Own.name(&writer);
        let said = git::push(self.objects.folder(), self.address, &name);
        match said.map_err(NotSynced::NoGit)? {
            Said::Done => {
                self.objects.put(Refs::In, &writer, tip, None)?;
                self.objects.put(Refs::Kept, &writer, tip, None)?;
                self.out.sent += news;
                self.out.unpublished = None;
                Ok(false)
            }
            Said::Failed(said) => {
                self.out.unpublished = Some((news, brief(&said)));
                Ok(git::overtaken(&said))
            }
        }
    }

    /// What the next commit comes after: the remote's tip, and ours where that does not hold it.
    fn parents(&self, there: Option<Oid>, here: Option<Oid>) -> BTreeSet<Oid> {
        match (there, here) {
            (Some(there), Some(here)) if self.objects.contains(there, here) => [there].into(),
            (Some(there), Some(here)) if self.objects.contains(here, there) => [here].into(),
            (there, here) => there.into_iter().chain(here).collect(),
        }
    }
}

/// The shard of a file name; a differing copy has more after a `+`.
fn shard_of(stem: &str) -> &str {
    stem.split_once('+').map_or(stem, |(shard, _)| shard)
}

/// The lines of what git said that say why, on one line, fit to be shown.
fn brief(said: &str) -> String {
    let noise = ["To ", "Done", "hint:", "warning: Permanently added"];
    let lines = said.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines: Vec<&str> = lines
        .filter(|line| !noise.iter().any(|noise| line.starts_with(noise)))
        .take(4)
        .collect();
    let mut text = shown(&lines.join("; ").replace('\t', " "));
    if text.is_empty() {
        text.push_str("git did not say why");
    }
    text
}

fn shown(text: &str) -> String {
    Foreign::from(text).shown(Place::Strict).plain()
}

/// Shards and texts by name.
type Files = BTreeMap<String, Oid>;
