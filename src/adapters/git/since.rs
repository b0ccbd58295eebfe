//! What differs between an earlier head and this one, with the bytes of both sides: enough to
//! prove that nothing but a few known edits lies between them (rulings K05).

use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

use super::history::{self, Cut};
use super::open::Entered;
use super::{GitError, discover, walk};
use crate::model::id::Oid;

/// Most files that differ before nobody can speak of a few edits any more.
pub const MOST: usize = 4;

/// A regular file, not executable.
const REGULAR: u32 = 0o100_644;
/// A regular file, executable.
const EXECUTABLE: u32 = 0o100_755;

/// Two commits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Question {
    /// The earlier head.
    pub then: [u8; 20],
    /// This one.
    pub now: [u8; 20],
}

/// What lies between them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Answer {
    /// Whether this head descends from the earlier one.
    pub descends: bool,
    /// The tree of the earlier head.
    pub tree: [u8; 20],
    /// The files that differ, when they are few, regular and of the same mode on both sides;
    /// `None` when they are not.
    pub files: Option<Vec<Between>>,
}

/// A file that differs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Between {
    /// Its path.
    pub path: ByteBuf,
    /// Its bytes at the earlier head; `None` when it was not there.
    pub old: Option<ByteBuf>,
    /// Its bytes now.
    pub new: ByteBuf,
}

/// Looks.
///
/// # Errors
/// A commit, tree or blob that is missing or damaged.
pub fn look(question: Question, entered: &Entered) -> Result<Answer, GitError> {
    let (then, now) = (Oid(question.then), Oid(question.now));
    let objects = &entered.objects;
    objects.refresh();
    let cut = Cut::of(&entered.place)?;
    let old = objects.commit(then)?.tree;
    let new = objects.commit(now)?.tree;
    let mut found = Vec::new();
    walk::differences(objects, Some(old), Some(new), &mut |difference| {
        found.push(difference);
        found.len() <= MOST
    })?;
    let mut answer = Answer {
        descends: history::is_ancestor(objects, &cut, then, now)?,
        tree: old.0,
        files: None,
    };
    if found.len() > MOST {
        return Ok(answer);
    }
    let mut files = Vec::new();
    for difference in found {
        let Some(now) = difference
            .new
            .filter(|e| matches!(e.mode, REGULAR | EXECUTABLE))
        else {
            return Ok(answer);
        };
        if difference.old.is_some_and(|old| old.mode != now.mode) {
            return Ok(answer);
        }
        let read = |oid: Oid| {
            if objects.size(oid, "blob")? > discover::CAP {
                return Ok(None);
            }
            let blob = objects.blob(oid)?;
            blob.verify()?;
            Ok(Some(ByteBuf::from(blob.bytes().to_vec())))
        };
        let old = difference.old.map(|entry| read(entry.oid)).transpose()?;
        let (Some(new), false) = (read(now.oid)?, old == Some(None)) else {
            return Ok(answer);
        };
        files.push(Between {
            path: ByteBuf::from(difference.path),
            old: old.flatten(),
            new,
        });
    }
    answer.files = Some(files);
    Ok(answer)
}
