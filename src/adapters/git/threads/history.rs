//! What came after a commit, by the graph; and where history was rewritten, by what commits change.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use sha2::{Digest as _, Sha256};

use super::{After, Looking, is_file};
use crate::adapters::git::GitError;
use crate::adapters::git::history;
use crate::adapters::git::hunks::{self, Effort};
use crate::adapters::git::walk::{self, Difference};
use crate::model::id::Oid;

/// Most commits of one side that are matched by what they change.
const MATCHED: usize = 500;
/// Most paths of one commit that are compared for that.
const PATHS: usize = 2_000;

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
        let mut changed: Vec<Difference> = Vec::new();
        walk::differences(self.store.objects(), old, Some(new), &mut |difference| {
            changed.push(difference);
            changed.len() <= PATHS
        })?;
        if changed.is_empty() {
            return Ok(None);
        }
        let mut hasher = Sha256::new();
        let mut put = |bytes: &[u8]| {
            hasher.update((bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        };
        for difference in &changed {
            put(&difference.path);
            let mode = |entry: Option<crate::model::change::Entry>| entry.map_or(0, |e| e.mode);
            put(&mode(difference.old).to_le_bytes());
            put(&mode(difference.new).to_le_bytes());
            let text = [difference.old, difference.new];
            let files = text.iter().flatten().all(|e| is_file(e.mode));
            if !files {
                text.iter().flatten().for_each(|e| put(&e.oid.0));
                continue;
            }
            let [old, new] = text.map(|entry| entry.map(|e| self.store.load(e.oid)));
            let (old, new) = (old.transpose()?, new.transpose()?);
            let left = old.as_ref().map_or(&b""[..], |t| t.bytes());
            let right = new.as_ref().map_or(&b""[..], |t| t.bytes());
            for hunk in &hunks::hunks(left, right, Effort::Best).hunks {
                let lines = |text: &Option<Rc<crate::adapters::git::lines::Text>>,
                             range: std::ops::Range<u32>| {
                    let whole = |n| text.as_ref().and_then(|t| t.whole(n)).unwrap_or(b"");
                    range.flat_map(|n| whole(n).to_vec()).collect::<Vec<u8>>()
                };
                put(&lines(&old, hunk.before.clone()));
                put(&lines(&new, hunk.after.clone()));
            }
        }
        Ok(Some(hasher.finalize().into()))
    }
}
