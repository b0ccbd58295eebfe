//! What came after a commit, by the graph; and where history was rewritten, by what commits change.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::{After, Looking};
use crate::adapters::git::GitError;
use crate::adapters::git::{history, patch};
use crate::model::id::Oid;

/// Most commits of one side that are matched by what they change.
const MATCHED: usize = 500;

impl Looking<'_> {
    pub(super) fn history(&mut self, at: Oid) -> Result<After, String> {
        if self.more {
            return Err("there are too many commits to tell what came after it".to_owned());
        }
        let said = |error: GitError| error.says();
        if !self.store.objects().has(at) {
            let short = at.short();
            return Err(format!(
                "the commit it was written at, {short}, is not here"
            ));
        }
        let tree = self.commit(at).map_err(said)?.tree;
        let (cut, head) = (self.cut, self.head);
        if history::is_ancestor(self.store.objects(), cut, at, head).map_err(said)? {
            let later = history::between(self.store.objects(), cut, at, head).map_err(said)?;
            let commits = self.plain(&later.0).map_err(said)?;
            return Ok(After {
                tree,
                commits,
                unmatched: Vec::new(),
            });
        }
        self.rewritten(at, tree)
    }

    /// The commits under review among these, without merges: what a merge brings in is the
    /// base's.
    fn plain(&mut self, commits: &[Oid]) -> Result<Vec<Oid>, GitError> {
        let mut out = Vec::new();
        for oid in commits.iter().filter(|oid| self.under.contains(oid)) {
            if self.commits.contains_key(oid) || self.store.objects().has(*oid) {
                let commit = self.store.objects().commit(*oid)?;
                let plain = commit.parents.len() < 2;
                self.commits.insert(*oid, Rc::new(commit));
                if plain {
                    out.push(*oid);
                }
            }
        }
        Ok(out)
    }

    /// The commit is on no way to the head: its history is matched by what commits change.
    fn rewritten(&mut self, at: Oid, tree: Oid) -> Result<After, String> {
        let said = |error: GitError| error.says();
        let (cut, base, head) = (self.cut, self.base, self.head);
        let objects = self.store.objects();
        let fork = history::merge_base(objects, cut, at, head).map_err(said)?;
        let (older, more) = history::between(objects, cut, fork, at).map_err(said)?;
        let (newer, _) = history::between(objects, cut, base, head).map_err(said)?;
        if more || older.len() > MATCHED || newer.len() > MATCHED {
            return Err("history was rewritten and is too long to be matched".to_owned());
        }
        let newer = self.plain(&newer).map_err(said)?;
        let mut new: HashMap<[u8; 32], usize> = HashMap::new();
        for oid in &newer {
            if let Some(patch) = self.patch(*oid).map_err(said)? {
                *new.entry(patch).or_default() += 1;
            }
        }
        let mut old = HashSet::new();
        let mut unmatched = Vec::new();
        for oid in older {
            // commits of the base are in both histories or in neither's review
            let merge = self.commit(oid).map_err(said)?.parents.len() > 1;
            let of_base = history::is_ancestor(self.store.objects(), cut, oid, base);
            if merge || of_base.map_err(said)? {
                continue;
            }
            match self.patch(oid).map_err(said)? {
                Some(patch) if new.contains_key(&patch) => {
                    old.insert(patch);
                }
                Some(_) => unmatched.push(oid),
                None => {}
            }
        }
        let mut commits = Vec::new();
        for oid in newer {
            let known = self.patch(oid).map_err(said)?;
            if known.is_none_or(|patch| !old.contains(&patch)) {
                commits.push(oid);
            }
        }
        Ok(After {
            tree,
            commits,
            unmatched,
        })
    }

    /// What a commit changes, whatever it is based on; `None` when it changes nothing.
    fn patch(&mut self, oid: Oid) -> Result<Option<[u8; 32]>, GitError> {
        if let Some(known) = self.patches.get(&oid) {
            return Ok(*known);
        }
        let found = self.patch_of(oid)?;
        self.patches.insert(oid, found);
        Ok(found)
    }

    fn patch_of(&mut self, oid: Oid) -> Result<Option<[u8; 32]>, GitError> {
        let (old, new) = self.trees(oid)?;
        patch::of(self.store, old, new)
    }
}
