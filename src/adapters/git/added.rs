//! What was committed since a head that somebody noted: how both heads lie, the message of the
//! new one, and what differs. For admitting a result and for the range of a review.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

use super::GitError;
use super::history::{self, Cut};
use super::open::{Entered, NotePaths};
use super::refs::Refs;
use super::walk;
use crate::model::id::Oid;

/// Most bytes of a message that are read.
pub const MESSAGE: usize = 1 << 20;
/// Most commits of the first-parent chain that are listed.
const CHAIN: usize = 10_000;
/// Most differing paths that are listed.
const PATHS: usize = 10_000;

/// What is asked.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Question {
    /// A folder of the worktree.
    pub dir: PathBuf,
    /// The head that was noted.
    pub before: [u8; 20],
}

/// What was found.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Answer {
    /// Top folder of the worktree.
    pub worktree: PathBuf,
    /// The head now.
    pub head: [u8; 20],
    /// Whether the noted head is the head or an ancestor of it.
    pub descends: bool,
    /// Commits that the head reaches and the noted one does not.
    pub commits: u32,
    /// Commits of the first-parent chain from the head down to the noted head, youngest first,
    /// each with its parents.
    pub chain: Vec<([u8; 20], Vec<[u8; 20]>)>,
    /// Whether the chain does not lead to the noted head: it is empty then.
    pub cut: bool,
    /// Parents of the head.
    pub parents: Vec<[u8; 20]>,
    /// The whole message of the head.
    pub message: ByteBuf,
    /// Paths that differ between both trees, modes included, in git's order.
    pub changed: Vec<ByteBuf>,
    /// Whether more paths differ than are listed.
    pub more: bool,
}

impl Answer {
    /// The merges of the chain, oldest first, with their parents.
    #[must_use]
    pub fn merges(&self) -> Vec<(Oid, Vec<Oid>)> {
        let merges = self
            .chain
            .iter()
            .rev()
            .filter(|(_, parents)| parents.len() > 1);
        merges
            .map(|(oid, parents)| (Oid(*oid), parents.iter().copied().map(Oid).collect()))
            .collect()
    }
}

/// Looks.
///
/// # Errors
/// A head that is not there, or a commit or tree that cannot be read.
pub fn look(question: &Question, entered: &Entered) -> Result<Answer, GitError> {
    let Entered { place, objects } = entered;
    objects.refresh();
    let head = Refs::new(place)?.head()?.oid;
    let before = Oid(question.before);
    let cut = Cut::of(place)?;
    let now = objects.commit(head)?;
    let then = objects.commit(before)?;
    let descends = history::is_ancestor(objects, &cut, before, head)?;
    let (new, _) = history::between(objects, &cut, before, head)?;
    let mut chain = Vec::new();
    let mut at = head;
    while descends && at != before && chain.len() < CHAIN {
        let commit = objects.commit(at)?;
        let parents: Vec<[u8; 20]> = commit.parents.iter().map(|parent| parent.0).collect();
        chain.push((at.0, parents));
        match commit.parents.first() {
            Some(first) => at = *first,
            None => break,
        }
    }
    let cut = descends && at != before;
    if cut {
        chain.clear();
    }
    let mut changed = NotePaths::default();
    let mut paths = Vec::new();
    walk::differences(objects, Some(then.tree), Some(now.tree), &mut |found| {
        changed.push(&found.path);
        if paths.len() < PATHS {
            paths.push(ByteBuf::from(found.path));
        }
        paths.len() < PATHS || changed.total as usize <= PATHS
    })?;
    Ok(Answer {
        worktree: place.worktree.clone(),
        head: head.0,
        descends,
        commits: u32::try_from(new.len()).unwrap_or(u32::MAX),
        chain,
        cut,
        parents: now.parents.iter().map(|parent| parent.0).collect(),
        message: ByteBuf::from(objects.message(head, MESSAGE)?),
        more: changed.total as usize > paths.len(),
        changed: paths,
    })
}
