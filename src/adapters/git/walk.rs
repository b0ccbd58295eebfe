//! What differs between two trees, entry by entry, as soon as it is known.
//!
//! Both trees are walked side by side and only differing folders are entered, so the first
//! change is found without reading the rest.

use super::GitError;
use super::objects::{Objects, TreeEntry, before};
use crate::model::change::{ChangeKind, Entry};
use crate::model::id::Oid;

/// Deepest nesting of folders that is followed.
const DEEPEST: usize = 512;
/// Most differing entries that are looked at, folders among them: a few kilobytes of trees that
/// name each other can stand for more files than there are bytes in the world (GIT-16).
const MOST: usize = 300_000;

/// One changed path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The path.
    pub path: Vec<u8>,
    /// At base.
    pub old: Option<Entry>,
    /// At head.
    pub new: Option<Entry>,
}

impl Difference {
    /// What happened, renames aside.
    #[must_use]
    pub fn kind(&self) -> ChangeKind {
        match (&self.old, &self.new) {
            (None, _) => ChangeKind::Added,
            (_, None) => ChangeKind::Deleted,
            (Some(old), Some(new)) if old.mode & 0o170_000 != new.mode & 0o170_000 => {
                ChangeKind::Type
            }
            (Some(old), Some(new)) if old.oid == new.oid => ChangeKind::Mode,
            _ => ChangeKind::Modified,
        }
    }
}

/// A walk of a change's two trees that may go on elsewhere while something else is looked at.
pub trait Walk {
    /// The trees are known; what differs will be looked through soon.
    fn begin(&mut self, objects: &Objects, old: Oid, new: Oid);

    /// Calls `emit` for each changed path in git's order, until it says `false`.
    ///
    /// # Errors
    /// As [`differences`].
    fn each(
        &mut self,
        objects: &Objects,
        old: Oid,
        new: Oid,
        emit: &mut dyn FnMut(Difference) -> bool,
    ) -> Result<(), GitError>;
}

/// The walk that is made when it is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Here;

impl Walk for Here {
    fn begin(&mut self, _: &Objects, _: Oid, _: Oid) {}

    fn each(
        &mut self,
        objects: &Objects,
        old: Oid,
        new: Oid,
        emit: &mut dyn FnMut(Difference) -> bool,
    ) -> Result<(), GitError> {
        differences(objects, Some(old), Some(new), &mut |found| emit(found))
    }
}

/// Calls `emit` for each changed path in git's order, until it says `false`.
///
/// # Errors
/// A tree that is missing or damaged, or more differences than are looked at; what was emitted
/// before stands.
pub fn differences(
    objects: &Objects,
    old: Option<Oid>,
    new: Option<Oid>,
    emit: &mut impl FnMut(Difference) -> bool,
) -> Result<(), GitError> {
    let mut at = Place::default();
    folder(objects, old, new, &mut at, emit).map(|_| ())
}

/// Where the walk is, and how far it came.
#[derive(Default)]
struct Place {
    path: Vec<u8>,
    depth: usize,
    looked: usize,
}

fn folder(
    objects: &Objects,
    old: Option<Oid>,
    new: Option<Oid>,
    at: &mut Place,
    emit: &mut impl FnMut(Difference) -> bool,
) -> Result<bool, GitError> {
    if old == new {
        return Ok(true);
    }
    if at.depth > DEEPEST {
        return Err(GitError::System("folders are nested too deeply".to_owned()));
    }
    let load = |tree: Option<Oid>| tree.map_or_else(|| Ok(Vec::new()), |id| objects.tree(id));
    let mut left = load(old)?.into_iter().peekable();
    let mut right = load(new)?.into_iter().peekable();
    loop {
        let order = match (left.peek(), right.peek()) {
            (None, None) => return Ok(true),
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (Some(a), Some(b)) => before(a, b),
        };
        let a = if order.is_le() { left.next() } else { None };
        let b = if order.is_ge() { right.next() } else { None };
        let same = matches!((&a, &b), (Some(a), Some(b)) if a.oid == b.oid && a.mode == b.mode);
        if same {
            continue;
        }
        let Some(name) = a.as_ref().or(b.as_ref()).map(|e| e.name.clone()) else {
            return Ok(true);
        };
        at.looked += 1;
        if at.looked > MOST {
            let why = format!("more than {MOST} files and folders differ");
            return Err(GitError::System(why));
        }
        let length = at.path.len();
        if length > 0 {
            at.path.push(b'/');
        }
        at.path.extend_from_slice(&name);
        let go_on = entry(objects, a.as_ref(), b.as_ref(), at, emit)?;
        at.path.truncate(length);
        if !go_on {
            return Ok(false);
        }
    }
}

fn entry(
    objects: &Objects,
    old: Option<&TreeEntry>,
    new: Option<&TreeEntry>,
    at: &mut Place,
    emit: &mut impl FnMut(Difference) -> bool,
) -> Result<bool, GitError> {
    let tree = |e: Option<&TreeEntry>| e.filter(|e| e.is_tree()).map(|e| e.oid);
    let file = |e: Option<&TreeEntry>| {
        e.filter(|e| !e.is_tree()).map(|e| Entry {
            oid: e.oid,
            mode: e.mode,
        })
    };
    let (old_file, new_file) = (file(old), file(new));
    if old_file.is_some() || new_file.is_some() {
        let go_on = emit(Difference {
            path: at.path.clone(),
            old: old_file,
            new: new_file,
        });
        if !go_on {
            return Ok(false);
        }
    }
    match (tree(old), tree(new)) {
        (None, None) => Ok(true),
        (old, new) => {
            at.depth += 1;
            let go_on = folder(objects, old, new, at, emit);
            at.depth -= 1;
            go_on
        }
    }
}
