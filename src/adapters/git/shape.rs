//! What a changed path is made of, so that none vanishes from the list.

use super::GitError;
use super::lines::Store;
use crate::model::change::{Entry, Shape};
use crate::model::id::Oid;
use crate::model::text::Foreign;

/// Largest text that is shown, sliced (rulings K28).
pub const HUGE: u64 = 64 << 20;
/// git's rule: a NUL in the first 8,000 bytes makes a file binary.
const NUL_WITHIN: usize = 8_000;
/// Longest link target that is shown.
const TARGET: usize = 4 << 10;

/// The kind of an entry, by its mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A symbolic link.
    Link,
    /// A submodule.
    Submodule,
    /// No mode that git writes.
    Odd,
}

/// What an entry is.
#[must_use]
pub fn kind(entry: Entry) -> EntryKind {
    match entry.mode & 0o170_000 {
        0o100_000 => EntryKind::File,
        0o120_000 => EntryKind::Link,
        0o160_000 => EntryKind::Submodule,
        _ => EntryKind::Odd,
    }
}

/// The shape of a changed path. Blobs are loaded into `store` when their size allows it.
#[must_use]
pub fn shape(store: &mut Store, old: Option<Entry>, new: Option<Entry>) -> Shape {
    look(store, old, new).unwrap_or_else(|error| Shape::Missing(error.says()))
}

fn look(store: &mut Store, old: Option<Entry>, new: Option<Entry>) -> Result<Shape, GitError> {
    let kinds = [old, new].map(|e| e.map(kind));
    let has = |wanted: EntryKind| kinds.contains(&Some(wanted));
    if has(EntryKind::Odd) {
        return Ok(Shape::Missing(
            "its mode is none that git writes".to_owned(),
        ));
    }
    if has(EntryKind::Submodule) {
        let commit = |e: Option<Entry>| -> Option<Oid> {
            e.filter(|e| kind(*e) == EntryKind::Submodule)
                .map(|e| e.oid)
        };
        return Ok(Shape::Submodule(commit(old), commit(new)));
    }
    let mut sizes = [0_u64; 2];
    for (size, entry) in sizes.iter_mut().zip([old, new]) {
        if let Some(entry) = entry {
            *size = store.objects().size(entry.oid, "the file content")?;
        }
    }
    if sizes.iter().any(|size| *size > HUGE) {
        return Ok(Shape::Huge(sizes[0], sizes[1]));
    }
    if has(EntryKind::Link) {
        let mut target = |e: Option<Entry>| -> Result<Option<Foreign>, GitError> {
            let Some(entry) = e.filter(|e| kind(*e) == EntryKind::Link) else {
                return Ok(None);
            };
            let text = store.load(entry.oid)?;
            let bytes = text.bytes();
            Ok(Some(Foreign::new(bytes.get(..TARGET).unwrap_or(bytes))))
        };
        return Ok(Shape::Symlink(target(old)?, target(new)?));
    }
    if sizes == [0, 0] {
        return Ok(Shape::Empty);
    }
    for entry in [old, new].into_iter().flatten() {
        let text = store.load(entry.oid)?;
        let bytes = text.bytes();
        if memchr::memchr(0, bytes.get(..NUL_WITHIN).unwrap_or(bytes)).is_some() {
            return Ok(Shape::Binary(sizes[0], sizes[1]));
        }
    }
    Ok(Shape::Text)
}
