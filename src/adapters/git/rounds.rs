//! What became of a change since it was judged: its own diff then against its own diff now, so
//! that a rewritten history and a moved base make no difference. Read from objects alone.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

use super::hunks::{self, Effort};
use super::lines::Store;
use super::walk::{self, Difference};
use super::{GitError, discover};
use crate::model::id::Oid;

/// Most files of one side.
const MOST: usize = 20_000;

/// Two diffs, each by its base tree and its head.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Question {
    /// The base tree then.
    pub base_then: [u8; 20],
    /// The tree that was judged.
    pub then: [u8; 20],
    /// The base tree now.
    pub base_now: [u8; 20],
    /// The tree now.
    pub now: [u8; 20],
}

/// What differs between them.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Answer {
    /// Changed then, as at the base now.
    pub gone: Vec<ByteBuf>,
    /// Changed now and not then, or changed otherwise.
    pub changed: Vec<ByteBuf>,
}

/// Looks.
///
/// # Errors
/// A tree or blob that is missing or damaged: the judged commits may be gone.
pub fn look(question: Question, store: &mut Store) -> Result<Answer, GitError> {
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
