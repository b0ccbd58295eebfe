//! Where a place is in the pinned trees, and how sure that is.

use serde_bytes::ByteBuf;

use super::{Anchored, Asked, Looking, is_file};
use crate::adapters::git::GitError;
use crate::adapters::git::objects::TreeEntry;
use crate::gate::verify::anchor::{Went, follow};
use crate::model::id::Oid;

impl Looking<'_> {
    /// Where a place is now.
    pub(super) fn anchor(
        &mut self,
        asked: &Asked,
        tree: Option<Oid>,
    ) -> Result<Anchored, GitError> {
        let target = if asked.left {
            self.base_tree
        } else {
            self.head_tree
        };
        let path = asked.path.as_slice();
        let origin = match tree {
            Some(_) if asked.left => self.left(asked)?,
            Some(tree) => self.entry(tree, path)?,
            None => None,
        };
        let mut name = path.to_vec();
        let mut now = self.entry(target, path)?;
        if now.is_none()
            && let Some(tree) = tree
            && let Some(other) = self.renamed(tree, target, path)?
        {
            now = self.entry(target, &other)?;
            name = other;
        }
        let detached = |name: Vec<u8>| Ok((ByteBuf::from(name), None, 3));
        let Some(now) = now else {
            return detached(name);
        };
        let same = name == path;
        let Some((first, last)) = asked.lines else {
            let sure = u8::from(!same);
            return Ok((ByteBuf::from(name), None, sure));
        };
        if !is_file(now.mode) {
            return detached(name);
        }
        let Some(origin) = origin.filter(|origin| is_file(origin.mode)) else {
            let found = self.by_excerpt(asked, &now, last)?;
            return match found {
                Some(line) => {
                    let first = line.saturating_sub(last.saturating_sub(first)).max(1);
                    Ok((ByteBuf::from(name), Some((first, line)), 2))
                }
                None => detached(name),
            };
        };
        let went = if origin.oid == now.oid {
            Went::Kept(first, last)
        } else {
            follow(&self.diff(origin.oid, now.oid)?.hunks, first, last)
        };
        Ok(match went {
            Went::Kept(a, b) => {
                let count = self.store.load(now.oid)?.count();
                if b > count {
                    return detached(name);
                }
                let sure = u8::from(!(same && (a, b) == (first, last)));
                (ByteBuf::from(name), Some((a, b)), sure)
            }
            Went::Changed(a, b) => (ByteBuf::from(name), Some((a, b)), 2),
            Went::Removed => match self.elsewhere(&origin, &now, first, last)? {
                Some((a, b)) => (ByteBuf::from(name), Some((a, b)), 1),
                None => return detached(name),
            },
        })
    }

    /// The line that is the last one of an excerpt: the same line, else the only one like it.
    fn by_excerpt(
        &mut self,
        asked: &Asked,
        now: &TreeEntry,
        line: u32,
    ) -> Result<Option<u32>, GitError> {
        let Some(wanted) = asked
            .excerpt
            .as_ref()
            .filter(|e| !e.trim_ascii().is_empty())
        else {
            return Ok(None);
        };
        let text = self.store.load(now.oid)?;
        let is = |n: u32| {
            let whole = text.whole(n).unwrap_or_default();
            whole.strip_suffix(b"\n").unwrap_or(whole) == wanted.as_slice()
        };
        if line > 0 && is(line - 1) {
            return Ok(Some(line));
        }
        let mut like = (0..text.count()).filter(|n| is(*n));
        let first = like.next();
        Ok(first.filter(|_| like.next().is_none()).map(|n| n + 1))
    }

    /// Lines that were removed at one place and stand, whole and once, at another.
    fn elsewhere(
        &mut self,
        origin: &TreeEntry,
        now: &TreeEntry,
        first: u32,
        last: u32,
    ) -> Result<Option<(u32, u32)>, GitError> {
        let (old, new) = (self.store.load(origin.oid)?, self.store.load(now.oid)?);
        let wanted: Vec<&[u8]> = (first.saturating_sub(1)..last)
            .filter_map(|n| old.whole(n))
            .collect();
        if wanted.iter().all(|line| line.trim_ascii().is_empty()) {
            return Ok(None);
        }
        let length = u32::try_from(wanted.len()).unwrap_or(u32::MAX);
        let is = |at: u32| {
            let mut lines = (at..).zip(&wanted);
            lines.all(|(n, wanted)| new.whole(n) == Some(*wanted))
        };
        let ends = new.count().saturating_sub(length.saturating_sub(1));
        let mut like = (0..ends).filter(|at| is(*at));
        let found = like.next().filter(|_| like.next().is_none());
        Ok(found.map(|at| (at + 1, at + length)))
    }
}
