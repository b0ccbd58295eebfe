//! What became of a change since it was judged: its own diff then against its own diff now, and
//! its commits then beside its commits now, so that a rewritten history and a moved base make no
//! difference. Read from objects alone.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

use super::history::{self, Cut};
use super::hunks::{self, Effort};
use super::lines::Store;
use super::walk::{self, Difference};
use super::{GitError, discover, patch};
use crate::model::id::Oid;

/// Most files of one side.
const MOST: usize = 20_000;

/// Most commits of one side that are put beside those of the other.
const MOST_COMMITS: usize = 200;

/// Most files of the base that are named.
const MOST_OF_BASE: usize = 50;

/// Two diffs, each by its base tree and its head.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Question {
    /// The base tree then.
    pub base_then: [u8; 20],
    /// The tree that was judged.
    pub then: [u8; 20],
    /// The base tree now.
    pub base_now: [u8; 20],
    /// The tree now.
    pub now: [u8; 20],
    /// The two ranges of commits, when they are wanted too.
    pub ranges: Option<Ranges>,
    /// Files of which it is asked whether they are the same on both heads.
    pub named: Vec<ByteBuf>,
}

/// Two ranges of commits, each by its merge base and its head.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Ranges {
    /// The merge base and the head then.
    pub then: [[u8; 20]; 2],
    /// The merge base and the head now.
    pub now: [[u8; 20]; 2],
}

/// What differs between them.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Answer {
    /// Changed then, as at the base now.
    pub gone: Vec<ByteBuf>,
    /// Changed now and not then, or changed otherwise.
    pub changed: Vec<ByteBuf>,
    /// What differs between the two base trees, the first of it.
    pub base: Vec<ByteBuf>,
    /// How much that is.
    pub base_total: u32,
    /// Of the named files and folders: those that are one object on both heads, and no link.
    pub same: Vec<ByteBuf>,
    /// The commits side by side, those that are gone first; why they could not be listed.
    pub commits: Option<Result<Vec<Paired>, String>>,
}

/// A commit of one side beside its match on the other.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Paired {
    /// The commit then.
    pub then: Option<[u8; 20]>,
    /// The commit now.
    pub now: Option<[u8; 20]>,
    /// Whether both change the same.
    pub same: bool,
    /// The first line of its message.
    pub subject: ByteBuf,
}

/// Looks.
///
/// # Errors
/// A tree or blob that is missing or damaged: the judged commits may be gone.
pub fn look(question: &Question, store: &mut Store, cut: &Cut) -> Result<Answer, GitError> {
    let objects = store.objects();
    objects.refresh();
    let side = |base: [u8; 20], head: [u8; 20]| {
        let mut found: BTreeMap<Vec<u8>, Difference> = BTreeMap::new();
        walk::differences(objects, Some(Oid(base)), Some(Oid(head)), &mut |one| {
            found.insert(one.path.clone(), one);
            found.len() <= MOST
        })?;
        Ok::<_, GitError>(found)
    };
    let then = side(question.base_then, question.then)?;
    let now = side(question.base_now, question.now)?;
    let mut out = Answer::default();
    walk::differences(
        objects,
        Some(Oid(question.base_then)),
        Some(Oid(question.base_now)),
        &mut |one| {
            out.base_total += 1;
            if out.base.len() < MOST_OF_BASE {
                out.base.push(ByteBuf::from(one.path));
            }
            (out.base_total as usize) < MOST
        },
    )?;
    for path in &question.named {
        let was = objects.entry(Oid(question.then), path)?;
        let is = objects.entry(Oid(question.now), path)?;
        let plain = |mode: u32| matches!(mode & 0o170_000, 0o100_000 | 0o040_000);
        if is.as_ref().is_some_and(|entry| plain(entry.mode)) && was == is {
            out.same.push(path.clone());
        }
    }
    for (path, was) in &then {
        if now.contains_key(path) {
            continue;
        }
        // what the base took over meanwhile is not gone
        let here = objects.entry(Oid(question.now), path)?;
        let same = match (&here, &was.new) {
            (Some(here), Some(was)) => here.oid == was.oid,
            (None, None) => true,
            _ => false,
        };
        if !same {
            out.gone.push(ByteBuf::from(path.clone()));
        }
    }
    for (path, is) in &now {
        let same = match then.get(path) {
            Some(was) if was.new == is.new => true,
            Some(was) => same_patch(store, was, is)?,
            None => false,
        };
        if !same {
            out.changed.push(ByteBuf::from(path.clone()));
        }
    }
    if let Some(ranges) = question.ranges {
        out.commits = Some(beside(store, cut, ranges).map_err(|error| error.says()));
    }
    Ok(out)
}

/// A commit, what it changes, and the first line of its message.
type Known = (Oid, Option<[u8; 32]>, Vec<u8>);

/// The commits of both ranges: first those that are gone, then each that is there now beside the
/// one that changes the same, else beside the one of its name.
fn beside(store: &mut Store, cut: &Cut, ranges: Ranges) -> Result<Vec<Paired>, GitError> {
    let mut then: VecDeque<Known> = range(store, cut, ranges.then)?.into();
    let mut now: Vec<(Known, Option<(Known, bool)>)> = Vec::new();
    for one in range(store, cut, ranges.now)? {
        let mut all = then.iter();
        let twin = all.position(|old| old.0 == one.0 || old.1.is_some() && old.1 == one.1);
        let twin = twin.and_then(|at| then.remove(at)).map(|old| (old, true));
        now.push((one, twin));
    }
    for (one, twin) in now.iter_mut().filter(|(_, twin)| twin.is_none()) {
        let at = then.iter().position(|old| old.2 == one.2);
        *twin = at.and_then(|at| then.remove(at)).map(|old| (old, false));
    }
    let gone = then.into_iter().map(|(oid, _, subject)| Paired {
        then: Some(oid.0),
        now: None,
        same: false,
        subject: ByteBuf::from(subject),
    });
    let there = now.into_iter().map(|((oid, _, subject), twin)| Paired {
        then: twin.as_ref().map(|((old, ..), _)| old.0),
        now: Some(oid.0),
        same: twin.is_some_and(|(_, same)| same),
        subject: ByteBuf::from(subject),
    });
    Ok(gone.chain(there).collect())
}

/// The commits of a range, oldest first, merges left out: what they bring in is the base's.
fn range(store: &mut Store, cut: &Cut, [from, to]: [[u8; 20]; 2]) -> Result<Vec<Known>, GitError> {
    let (all, more) = history::between(store.objects(), cut, Oid(from), Oid(to))?;
    if more || all.len() > MOST_COMMITS {
        let why = format!("more than {MOST_COMMITS} commits");
        return Err(GitError::System(why));
    }
    let mut out = Vec::new();
    for oid in all {
        let commit = store.objects().commit(oid)?;
        if commit.parents.len() > 1 {
            continue;
        }
        let parent = match commit.parents.first() {
            Some(parent) => Some(store.objects().commit(*parent)?.tree),
            None => None,
        };
        let patch = patch::of(store, parent, commit.tree)?;
        out.push((oid, patch, commit.subject.clone()));
    }
    Ok(out)
}

/// Whether two differences of one path add and remove the same lines.
fn same_patch(store: &mut Store, was: &Difference, is: &Difference) -> Result<bool, GitError> {
    Ok(match (patch(store, was)?, patch(store, is)?) {
        (Some(was), Some(is)) => was == is,
        _ => false,
    })
}

type Lines = Vec<Vec<u8>>;

/// The lines that a difference takes away and adds, hunk by hunk; `None` for what has no lines.
fn patch(store: &mut Store, one: &Difference) -> Result<Option<Vec<(Lines, Lines)>>, GitError> {
    let regular = |mode: u32| mode & 0o170_000 == 0o100_000;
    let mut side = |entry: Option<crate::model::change::Entry>| {
        let Some(entry) = entry else {
            return Ok(Some(Vec::new()));
        };
        if !regular(entry.mode) || store.objects().size(entry.oid, "blob")? > discover::CAP {
            return Ok(None);
        }
        let text = store.load(entry.oid)?;
        text.verify()?;
        Ok(Some(text.bytes().to_vec()))
    };
    let (Some(old), Some(new)) = (side(one.old)?, side(one.new)?) else {
        return Ok(None);
    };
    let lines = |bytes: &[u8], range: &std::ops::Range<u32>| -> Lines {
        let all = bytes.split_inclusive(|byte| *byte == b'\n');
        let count = (range.end - range.start) as usize;
        all.skip(range.start as usize)
            .take(count)
            .map(<[u8]>::to_vec)
            .collect()
    };
    let found = hunks::hunks(&old, &new, Effort::Best);
    let parts = found
        .hunks
        .iter()
        .map(|hunk| (lines(&old, &hunk.before), lines(&new, &hunk.after)));
    Ok(Some(parts.collect()))
}
