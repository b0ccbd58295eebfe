//! Which version of a contract is judged, and which commits touched the file since (choices.md
//! "Contract of record", H27): the merge base's, else the first that the change committed.

use std::os::unix::ffi::OsStrExt as _;

use serde_bytes::ByteBuf;

use super::discover::{
    CAP, FoundContract, FoundCopy, FoundRecord, FoundSource, MOST_LOOKED_INTO, Pins, is_prose,
};
use super::objects::{Objects, TreeEntry};
use super::open::Entered;
use super::{GitError, regular, rename, walk};
use crate::model::id::Oid;

/// The judged version of the contract at a path, and what the change did with the file.
///
/// # Errors
/// Commits or trees that are missing or damaged.
pub(super) fn record(
    entered: &Entered,
    pins: &Pins<'_>,
    path: &[u8],
    why: String,
) -> Result<FoundContract, GitError> {
    let objects = &entered.objects;
    let at_head = objects.entry(pins.tree, path)?;
    let trail = trail(objects, pins, path)?;
    let at_base = objects.entry(pins.base_tree, &trail.first_path)?;
    let (judged, source) = match (&at_base, &trail.first, &at_head) {
        (Some(entry), _, _) => (entry.clone(), FoundSource::Base),
        (None, Some((commit, entry)), _) => (entry.clone(), FoundSource::FirstCommit(commit.0)),
        (None, None, Some(entry)) => (entry.clone(), FoundSource::Head),
        (None, None, None) => return Ok(FoundContract::None),
    };
    let bytes = match plain_bytes(objects, &judged) {
        Ok(bytes) => bytes,
        Err(why) => return Ok(FoundContract::Unreadable(why)),
    };
    let head = match at_head
        .map(|entry| plain_bytes(objects, &entry))
        .transpose()
    {
        Ok(head) => head,
        Err(why) => return Ok(FoundContract::Unreadable(why)),
    };
    let worktree = copy(entered, path, head.as_deref());
    Ok(FoundContract::One(Box::new(FoundRecord {
        path: ByteBuf::from(path.to_vec()),
        bytes: ByteBuf::from(bytes),
        source,
        blob: Some(judged.oid.0),
        head: head.map(ByteBuf::from),
        touched_by: trail.touched.iter().map(|oid| oid.0).collect(),
        candidates: Vec::new(),
        why,
        worktree,
    })))
}

/// The bytes of a contract in a tree, which must be a plain file of a sane size (GIT-8).
fn plain_bytes(objects: &Objects, entry: &TreeEntry) -> Result<Vec<u8>, String> {
    match entry.mode {
        0o100_644 | 0o100_755 => {}
        0o120_000 => return Err("the contract is a symbolic link".to_owned()),
        _ => return Err("the contract is not a plain file".to_owned()),
    }
    let size = objects
        .size(entry.oid, "the contract")
        .map_err(|e| e.says())?;
    if size > CAP {
        return Err(format!(
            "the contract has {size} bytes; at most {CAP} are read"
        ));
    }
    let blob = objects.blob(entry.oid).map_err(|e| e.says())?;
    blob.verify().map_err(|e| e.says())?;
    Ok(blob.bytes().to_vec())
}

fn copy(entered: &Entered, path: &[u8], head: Option<&[u8]>) -> FoundCopy {
    let file = entered
        .place
        .worktree
        .join(std::ffi::OsStr::from_bytes(path));
    match (regular::read(&file, CAP), head) {
        (Ok(Some(bytes)), Some(head)) if bytes == head => FoundCopy::AsHead,
        (Ok(Some(_)), Some(_)) => FoundCopy::Differs,
        (Ok(Some(_)), None) => FoundCopy::Untracked,
        (Ok(None), _) => FoundCopy::Missing,
        (Err(_), _) => FoundCopy::Unreadable,
    }
}

/// Where a file came from within the range, and which commits touched it.
struct Trail {
    /// Its path at the merge base, or where it was added.
    first_path: Vec<u8>,
    /// The commit that added it, with the entry there; `None` when it was there before.
    first: Option<(Oid, TreeEntry)>,
    /// Commits that touched it, oldest first, without the one that added it.
    touched: Vec<Oid>,
}

fn trail(objects: &Objects, pins: &Pins<'_>, path: &[u8]) -> Result<Trail, GitError> {
    let mut trail = Trail {
        first_path: path.to_vec(),
        first: None,
        touched: Vec::new(),
    };
    for oid in pins.range.iter().rev() {
        let commit = objects.commit(*oid)?;
        let parent = match commit.parents.first() {
            Some(parent) if objects.has(*parent) => Some(objects.commit(*parent)?.tree),
            _ => None,
        };
        let here = objects.entry(commit.tree, &trail.first_path)?;
        let before = match parent {
            Some(tree) => objects.entry(tree, &trail.first_path)?,
            None => None,
        };
        match (before, here) {
            (Some(before), here) if here.as_ref() != Some(&before) => trail.touched.push(*oid),
            (None, Some(entry)) => {
                trail.touched.push(*oid);
                match parent.map(|tree| old_name(objects, tree, commit.tree, &trail.first_path)) {
                    Some(old) if old.as_ref().is_ok_and(Option::is_some) => {
                        trail.first_path = old?.unwrap_or_default();
                    }
                    _ => trail.first = Some((*oid, entry)),
                }
            }
            _ => {}
        }
    }
    if let Some((first, _)) = &trail.first {
        trail.touched.retain(|oid| oid != first);
    }
    trail.touched.reverse();
    Ok(trail)
}

/// The name that a file had before the commit that gave it this one.
fn old_name(
    objects: &Objects,
    before: Oid,
    after: Oid,
    path: &[u8],
) -> Result<Option<Vec<u8>>, GitError> {
    let mut files = Vec::new();
    walk::differences(objects, Some(before), Some(after), &mut |d| {
        let wanted = d.path == path || (d.new.is_none() && is_prose(&d.path));
        if wanted {
            files.push(d);
        }
        files.len() < MOST_LOOKED_INTO
    })?;
    let pairs = rename::pairs(objects, &files);
    let pair = pairs
        .iter()
        .find(|p| files.get(p.1).is_some_and(|f| f.path == path));
    Ok(pair.and_then(|p| files.get(p.0)).map(|f| f.path.clone()))
}
