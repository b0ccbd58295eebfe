//! Walks over commits: the merge base, the commits under review, the oldest root.
//!
//! A shallow clone's cut is known from its `shallow` file: a walk that would have to look behind
//! it to be sure says so instead of guessing (GIT-7). Times of commits only order the walk.

use std::collections::hash_map::Entry;
use std::collections::{BinaryHeap, HashMap, HashSet};

use super::GitError;
use super::objects::{Commit, Objects};
use super::place::Place;
use super::regular;
use crate::model::id::Oid;

/// Most commits that are listed between base and head.
pub const MOST_COMMITS: usize = 10_000;

const ONE: u8 = 1;
const TWO: u8 = 2;
const BOTH: u8 = ONE | TWO;
const STALE: u8 = 4;

/// Commits whose parents a shallow clone does not have.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cut(HashSet<Oid>);

impl Cut {
    /// Reads the `shallow` file.
    ///
    /// # Errors
    /// When it is no plain file.
    pub fn of(place: &Place) -> Result<Self, GitError> {
        let text = regular::read(&place.commondir.join("shallow"), 16 << 20)?.unwrap_or_default();
        let lines = text.split(|b| *b == b'\n');
        let ids = lines.filter_map(|l| {
            std::str::from_utf8(l.trim_ascii())
                .ok()
                .and_then(Oid::parse)
        });
        Ok(Self(ids.collect()))
    }

    /// Whether the clone is shallow at all.
    #[must_use]
    pub fn any(&self) -> bool {
        !self.0.is_empty()
    }

    fn parents(&self, oid: Oid, commit: &Commit) -> Vec<Oid> {
        if self.0.contains(&oid) {
            Vec::new()
        } else {
            commit.parents.clone()
        }
    }
}

/// What a walk knows of one commit.
struct Node {
    flags: u8,
    /// Times it stands in the queue.
    queued: u32,
    time: i64,
    parents: Vec<Oid>,
}

/// A walk from two sides, youngest commit first; equal times by id, so that it is the same every
/// time.
struct Walk<'a> {
    objects: &'a Objects,
    cut: &'a Cut,
    nodes: HashMap<Oid, Node>,
    queue: BinaryHeap<(i64, Oid)>,
    /// Entries of the queue whose commit is not stale.
    open: u32,
}

impl<'a> Walk<'a> {
    fn new(objects: &'a Objects, cut: &'a Cut) -> Self {
        Self {
            objects,
            cut,
            nodes: HashMap::new(),
            queue: BinaryHeap::new(),
            open: 0,
        }
    }

    /// Adds marks to a commit, and queues it when that changes anything.
    fn mark(&mut self, oid: Oid, marks: u8) -> Result<(), GitError> {
        let node = match self.nodes.entry(oid) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(place) => {
                let commit = self.objects.commit(oid)?;
                place.insert(Node {
                    flags: 0,
                    queued: 0,
                    time: commit.time,
                    parents: self.cut.parents(oid, &commit),
                })
            }
        };
        if node.flags & marks == marks {
            return Ok(());
        }
        let was_open = node.flags & STALE == 0;
        node.flags |= marks;
        if was_open && node.flags & STALE != 0 {
            self.open -= node.queued;
        }
        node.queued += 1;
        if node.flags & STALE == 0 {
            self.open += 1;
        }
        self.queue.push((node.time, oid));
        Ok(())
    }

    /// The next commit with its marks and parents.
    fn pop(&mut self) -> Option<(Oid, u8, Vec<Oid>)> {
        let (_, oid) = self.queue.pop()?;
        let node = self.nodes.get_mut(&oid)?;
        node.queued -= 1;
        if node.flags & STALE == 0 {
            self.open -= 1;
        }
        Some((oid, node.flags, node.parents.clone()))
    }

    fn flags(&self, oid: Oid) -> u8 {
        self.nodes.get(&oid).map_or(0, |n| n.flags)
    }
}

/// The best common ancestor of two commits; of several, the youngest.
///
/// # Errors
/// `Unrelated` when there is none, `CutHistory` when a shallow clone's cut may hide one, and
/// whatever reading a commit says.
pub fn merge_base(objects: &Objects, cut: &Cut, one: Oid, two: Oid) -> Result<Oid, GitError> {
    if one == two {
        return Ok(one);
    }
    let (found, unsure) = common(objects, cut, one, two)?;
    if unsure {
        return Err(GitError::CutHistory);
    }
    for candidate in &found {
        let mut covered = false;
        for other in found.iter().filter(|o| *o != candidate) {
            covered |= is_ancestor(objects, cut, *candidate, *other)?;
        }
        if !covered {
            return Ok(*candidate);
        }
    }
    Err(GitError::Unrelated)
}

/// Common ancestors that no other found one hides, youngest first, and whether a cut was reached
/// from one side only.
fn common(objects: &Objects, cut: &Cut, one: Oid, two: Oid) -> Result<(Vec<Oid>, bool), GitError> {
    let mut walk = Walk::new(objects, cut);
    walk.mark(one, ONE)?;
    walk.mark(two, TWO)?;
    let mut found: Vec<(i64, Oid)> = Vec::new();
    while walk.open > 0 {
        let Some((oid, mut flags, parents)) = walk.pop() else {
            break;
        };
        if flags & BOTH == BOTH {
            let time = walk.nodes.get(&oid).map_or(0, |n| n.time);
            if flags & STALE == 0 && !found.contains(&(time, oid)) {
                found.push((time, oid));
            }
            flags |= STALE;
        }
        for parent in parents {
            walk.mark(parent, flags)?;
        }
    }
    found.retain(|(_, oid)| walk.flags(*oid) & STALE == 0);
    found.sort_by(|a, b| b.cmp(a));
    let unsure = cut
        .0
        .iter()
        .any(|oid| matches!(walk.flags(*oid) & BOTH, ONE | TWO));
    Ok((found.into_iter().map(|(_, oid)| oid).collect(), unsure))
}

/// Whether `old` is `new` or an ancestor of it.
///
/// # Errors
/// Whatever reading a commit says.
pub fn is_ancestor(objects: &Objects, cut: &Cut, old: Oid, new: Oid) -> Result<bool, GitError> {
    if old == new {
        return Ok(true);
    }
    let (found, _) = common(objects, cut, old, new)?;
    Ok(found == [old])
}

/// The commits reachable from `head` and not from `base`, oldest first, at most
/// [`MOST_COMMITS`], and whether there are more.
///
/// # Errors
/// Whatever reading a commit says.
pub fn between(
    objects: &Objects,
    cut: &Cut,
    base: Oid,
    head: Oid,
) -> Result<(Vec<Oid>, bool), GitError> {
    let mut walk = Walk::new(objects, cut);
    walk.mark(head, ONE)?;
    walk.mark(base, TWO | STALE)?;
    let mut seen: Vec<Oid> = Vec::new();
    while walk.open > 0 && seen.len() <= MOST_COMMITS {
        let Some((oid, flags, parents)) = walk.pop() else {
            break;
        };
        if flags & STALE == 0 {
            seen.push(oid);
        }
        for parent in parents {
            walk.mark(parent, flags)?;
        }
    }
    seen.retain(|oid| walk.flags(*oid) & STALE == 0);
    let more = seen.len() > MOST_COMMITS;
    seen.truncate(MOST_COMMITS);
    Ok((parents_first(&walk, &seen), more))
}

/// Parents before children, else by time.
fn parents_first(walk: &Walk<'_>, seen: &[Oid]) -> Vec<Oid> {
    let wanted: HashSet<Oid> = seen.iter().copied().collect();
    let mut placed: HashSet<Oid> = HashSet::new();
    let mut out = Vec::new();
    for oldest in seen.iter().rev() {
        let mut stack = vec![(*oldest, false)];
        while let Some((oid, parents_done)) = stack.pop() {
            if placed.contains(&oid) {
                continue;
            }
            if parents_done {
                placed.insert(oid);
                out.push(oid);
                continue;
            }
            stack.push((oid, true));
            let parents = walk.nodes.get(&oid).map(|n| n.parents.as_slice());
            let open = parents.unwrap_or_default().iter();
            stack.extend(
                open.filter(|p| wanted.contains(p) && !placed.contains(p))
                    .map(|p| (*p, false)),
            );
        }
    }
    out
}

/// The oldest root commit that head reaches; `None` in a shallow clone, where it is not known.
///
/// # Errors
/// Whatever reading a commit says.
pub fn oldest_root(objects: &Objects, cut: &Cut, head: Oid) -> Result<Option<Oid>, GitError> {
    if cut.any() {
        return Ok(None);
    }
    let mut seen = HashSet::from([head]);
    let mut stack = vec![head];
    let mut oldest: Option<(i64, Oid)> = None;
    while let Some(oid) = stack.pop() {
        let commit = objects.commit(oid)?;
        if commit.parents.is_empty() {
            let root = (commit.time, oid);
            oldest = Some(oldest.map_or(root, |o| o.min(root)));
        }
        stack.extend(commit.parents.into_iter().filter(|p| seen.insert(*p)));
    }
    Ok(oldest.map(|(_, oid)| oid))
}
