//! Where review threads point in the pinned trees, and what the commits after them did there.
//!
//! What came after a comment is asked of the commit graph: the commits under review that are not
//! reachable from the commit it was written at. Where history was rewritten, commits are matched
//! by what they change; what has no match is said to be unknown. No time is looked at.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;
use sha2::{Digest as _, Sha256};

use super::GitError;
use super::history::{self, Cut};
use super::hunks::{self, Effort};
use super::lines::Store;
use super::objects::{Commit, TreeEntry};
use super::walk::{self, Difference};
use crate::gate::verify::anchor::{Near, Went, follow, near};
use crate::gate::verify::threads::Confidence;
use crate::model::change::FileHunks;
use crate::model::id::Oid;

/// Most commits of one side that are matched by what they change.
const MATCHED: usize = 500;
/// Most paths of one commit that are compared for that.
const PATHS: usize = 2_000;
/// Most paths between two trees among which a renamed file is looked for.
const RENAMES: usize = 20_000;

/// What is asked.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Question {
    /// The commit of the base ref.
    pub base: [u8; 20],
    /// The merge base.
    pub merge_base: [u8; 20],
    /// The commit under review.
    pub head: [u8; 20],
    /// The places, in order.
    pub places: Vec<Asked>,
}

/// One place.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Asked {
    /// Its path at the commit.
    pub path: ByteBuf,
    /// Whether it is on the side of the base.
    pub left: bool,
    /// First and last line there; `None` for the whole file.
    pub lines: Option<(u32, u32)>,
    /// The commit.
    pub at: Option<[u8; 20]>,
    /// The last line of the excerpt that came with it, without its sign.
    pub excerpt: Option<ByteBuf>,
}

/// Path, lines, and the index of the confidence in [`CONFIDENCES`].
pub type Anchored = (ByteBuf, Option<(u32, u32)>, u8);

/// Old names with their new ones.
type Names = HashMap<Vec<u8>, Vec<u8>>;

/// What was found of one place.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Found {
    /// Where it is now, or why that can't be told.
    pub anchor: Result<Anchored, String>,
    /// What commits did.
    pub touch: Touched,
}

/// What the commits after a comment did to its place.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[expect(
    missing_docs,
    reason = "the same names as gate::verify::resolution::Touch"
)]
pub enum Touched {
    Line(Vec<[u8; 20]>),
    Hunk(Vec<[u8; 20]>),
    File(Vec<[u8; 20]>),
    Gone(Vec<[u8; 20]>),
    Untouched,
    Unknown(String),
}

/// Confidences by the index that crosses the pipe.
pub const CONFIDENCES: [Confidence; 4] = [
    Confidence::Exact,
    Confidence::Moved,
    Confidence::Fuzzy,
    Confidence::Detached,
];

/// Looks.
///
/// # Errors
/// When the pinned commits themselves cannot be read.
pub fn look(question: &Question, store: &mut Store, cut: &Cut) -> Result<Vec<Found>, GitError> {
    let (base, head) = (Oid(question.base), Oid(question.head));
    let (under, more) = history::between(store.objects(), cut, base, head)?;
    let mut looking = Looking {
        head,
        head_tree: store.objects().commit(head)?.tree,
        base_tree: store.objects().commit(Oid(question.merge_base))?.tree,
        base,
        under: under.into_iter().collect(),
        more,
        cut,
        store,
        histories: HashMap::new(),
        diffs: HashMap::new(),
        entries: HashMap::new(),
        commits: HashMap::new(),
        patches: HashMap::new(),
        renamed: HashMap::new(),
    };
    Ok(question
        .places
        .iter()
        .map(|asked| looking.one(asked))
        .collect())
}

/// What came after a commit.
#[derive(Clone, Debug)]
struct After {
    /// Its tree.
    tree: Oid,
    /// Commits under review that came after it, oldest first, merges left out.
    commits: Vec<Oid>,
    /// Commits of the older history that the newer one has no match for.
    unmatched: Vec<Oid>,
}

struct Looking<'a> {
    head: Oid,
    head_tree: Oid,
    base_tree: Oid,
    base: Oid,
    under: HashSet<Oid>,
    more: bool,
    cut: &'a Cut,
    store: &'a mut Store,
    histories: HashMap<Oid, Result<Rc<After>, String>>,
    diffs: HashMap<(Oid, Oid), Rc<FileHunks>>,
    entries: HashMap<(Oid, Vec<u8>), Option<TreeEntry>>,
    commits: HashMap<Oid, Rc<Commit>>,
    patches: HashMap<Oid, Option<[u8; 32]>>,
    renamed: HashMap<(Oid, Oid), Rc<Names>>,
}

impl Looking<'_> {
    fn one(&mut self, asked: &Asked) -> Found {
        let after = match asked.at {
            Some(at) => self.after(Oid(at)),
            None => Err("nothing says at which commit it was written".to_owned()),
        };
        let touch = match &after {
            Ok(after) => self.touch(asked, after).unwrap_or_else(|error| {
                Touched::Unknown(format!(
                    "what came after it cannot be read: {}",
                    error.says()
                ))
            }),
            Err(why) => Touched::Unknown(why.clone()),
        };
        let tree = after.ok().map(|after| after.tree);
        let anchor = self.anchor(asked, tree);
        Found {
            anchor: anchor.map_err(|error| error.says()),
            touch,
        }
    }

    fn commit(&mut self, oid: Oid) -> Result<Rc<Commit>, GitError> {
        if let Some(found) = self.commits.get(&oid) {
            return Ok(Rc::clone(found));
        }
        let commit = Rc::new(self.store.objects().commit(oid)?);
        self.commits.insert(oid, Rc::clone(&commit));
        Ok(commit)
    }

    fn entry(&mut self, tree: Oid, path: &[u8]) -> Result<Option<TreeEntry>, GitError> {
        let key = (tree, path.to_vec());
        if let Some(found) = self.entries.get(&key) {
            return Ok(found.clone());
        }
        let found = self.store.objects().entry(tree, path)?;
        let found = found.filter(|entry| !entry.is_tree());
        self.entries.insert(key, found.clone());
        Ok(found)
    }

    fn diff(&mut self, old: Oid, new: Oid) -> Result<Rc<FileHunks>, GitError> {
        if let Some(found) = self.diffs.get(&(old, new)) {
            return Ok(Rc::clone(found));
        }
        let (a, b) = (self.store.load(old)?, self.store.load(new)?);
        a.verify()?;
        b.verify()?;
        let found = Rc::new(hunks::hunks(a.bytes(), b.bytes(), Effort::Best));
        self.diffs.insert((old, new), Rc::clone(&found));
        Ok(found)
    }

    /// What came after a commit; why that can't be told.
    fn after(&mut self, at: Oid) -> Result<Rc<After>, String> {
        if let Some(known) = self.histories.get(&at) {
            return known.clone();
        }
        let found = self.history(at).map(Rc::new);
        self.histories.insert(at, found.clone());
        found
    }

    fn history(&mut self, at: Oid) -> Result<After, String> {
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
                let lines = |text: &Option<Rc<super::lines::Text>>, range: std::ops::Range<u32>| {
                    let whole = |n| text.as_ref().and_then(|t| t.whole(n)).unwrap_or(b"");
                    range.flat_map(|n| whole(n).to_vec()).collect::<Vec<u8>>()
                };
                put(&lines(&old, hunk.before.clone()));
                put(&lines(&new, hunk.after.clone()));
            }
        }
        Ok(Some(hasher.finalize().into()))
    }

    /// The trees before and after a commit.
    fn trees(&mut self, oid: Oid) -> Result<(Option<Oid>, Oid), GitError> {
        let commit = self.commit(oid)?;
        let parent = match commit.parents.first() {
            Some(parent) => Some(self.commit(*parent)?.tree),
            None => None,
        };
        Ok((parent, commit.tree))
    }

    /// The new name of a path that is gone between two trees.
    fn renamed(&mut self, old: Oid, new: Oid, path: &[u8]) -> Result<Option<Vec<u8>>, GitError> {
        let key = (old, new);
        if !self.renamed.contains_key(&key) {
            let mut all: Vec<Difference> = Vec::new();
            walk::differences(
                self.store.objects(),
                Some(old),
                Some(new),
                &mut |difference| {
                    all.push(difference);
                    all.len() <= RENAMES
                },
            )?;
            let pairs = super::rename::pairs(self.store.objects(), &all);
            let name = |index: usize| all.get(index).map(|d| d.path.clone());
            let names = pairs
                .into_iter()
                .filter_map(|(gone, come)| Some((name(gone)?, name(come)?)))
                .collect();
            self.renamed.insert(key, Rc::new(names));
        }
        let names = self.renamed.get(&key);
        Ok(names.and_then(|names| names.get(path).cloned()))
    }

    fn touch(&mut self, asked: &Asked, after: &After) -> Result<Touched, GitError> {
        let path = asked.path.as_slice();
        let Some(origin) = self.entry(after.tree, path)? else {
            if asked.left {
                return self.touch_removed(asked, after);
            }
            return Ok(Touched::Unknown(
                "the file is not in the commit it was written at".to_owned(),
            ));
        };
        let now = self.entry(self.head_tree, path)?;
        if now.as_ref().is_some_and(|now| now.oid == origin.oid) {
            return Ok(Touched::Untouched);
        }
        for oid in &after.unmatched {
            let (old, new) = self.trees(*oid)?;
            if self.differs(old, new, path)? {
                return Ok(Touched::Unknown(format!(
                    "history was rewritten, and {} has no match in it",
                    oid.short()
                )));
            }
        }
        let lines = if asked.left {
            self.beside_removed(asked, &origin)?
        } else {
            asked.lines
        };
        let mut hits = Hits::default();
        let mut name = path.to_vec();
        for oid in &after.commits {
            let (old, new) = self.trees(*oid)?;
            let Some(old) = old else { continue };
            let Some(was) = self.entry(old, &name)? else {
                continue;
            };
            let is = match self.entry(new, &name)? {
                Some(is) => is,
                None => match self.renamed(old, new, &name)? {
                    Some(other) => {
                        name = other;
                        match self.entry(new, &name)? {
                            Some(is) => is,
                            None => continue,
                        }
                    }
                    None => return Ok(hits.gone(*oid)),
                },
            };
            if is.oid != was.oid {
                let how = if self.brought_back(asked, &was, &is)? {
                    Near::OnIt
                } else if asked.left {
                    // a line that the change itself removed can't be hit again
                    let how = self.how_near(&origin, &was, &is, lines)?;
                    how.min(Near::Beside)
                } else {
                    self.how_near(&origin, &was, &is, lines)?
                };
                hits.add(how, *oid);
            }
        }
        Ok(hits.touched())
    }

    /// A comment on a line that the change removed together with its file.
    fn touch_removed(&mut self, asked: &Asked, after: &After) -> Result<Touched, GitError> {
        let mut hits = Hits::default();
        for oid in &after.commits {
            let (old, new) = self.trees(*oid)?;
            if self.differs(old, new, &asked.path)? {
                hits.add(Near::OnIt, *oid);
            }
        }
        Ok(hits.touched())
    }

    fn differs(&mut self, old: Option<Oid>, new: Oid, path: &[u8]) -> Result<bool, GitError> {
        let old = match old {
            Some(old) => self.entry(old, path)?,
            None => None,
        };
        Ok(old.map(|e| e.oid) != self.entry(new, path)?.map(|e| e.oid))
    }

    /// Where a removed line would stand in the version it was written at.
    fn beside_removed(
        &mut self,
        asked: &Asked,
        origin: &TreeEntry,
    ) -> Result<Option<(u32, u32)>, GitError> {
        let (Some((first, last)), Some(base)) = (asked.lines, self.left(asked)?) else {
            return Ok(None);
        };
        if !is_file(base.mode) || !is_file(origin.mode) {
            return Ok(None);
        }
        let diff = self.diff(base.oid, origin.oid)?;
        Ok(match follow(&diff.hunks, first, last) {
            Went::Kept(a, b) | Went::Changed(a, b) => Some((a, b)),
            Went::Removed => {
                let hunk = diff
                    .hunks
                    .iter()
                    .find(|hunk| hunk.before.contains(&first.saturating_sub(1)));
                hunk.map(|hunk| (hunk.after.start.max(1), hunk.after.start.max(1)))
            }
        })
    }

    /// Whether a commit brings removed lines of the base back, or takes them away again.
    fn brought_back(
        &mut self,
        asked: &Asked,
        was: &TreeEntry,
        is: &TreeEntry,
    ) -> Result<bool, GitError> {
        let (true, Some((first, last))) = (asked.left, asked.lines) else {
            return Ok(false);
        };
        let Some(base) = self.left(asked)?.filter(|base| is_file(base.mode)) else {
            return Ok(false);
        };
        if !is_file(was.mode) || !is_file(is.mode) {
            return Ok(false);
        }
        let kept = |diff: &FileHunks| matches!(follow(&diff.hunks, first, last), Went::Kept(..));
        let before = kept(&*self.diff(base.oid, was.oid)?);
        Ok(before != kept(&*self.diff(base.oid, is.oid)?))
    }

    fn how_near(
        &mut self,
        origin: &TreeEntry,
        was: &TreeEntry,
        is: &TreeEntry,
        lines: Option<(u32, u32)>,
    ) -> Result<Near, GitError> {
        let Some((first, last)) = lines else {
            return Ok(Near::Elsewhere);
        };
        if ![origin, was, is].iter().all(|entry| is_file(entry.mode)) {
            return Ok(Near::Elsewhere);
        }
        let at = if origin.oid == was.oid {
            Went::Kept(first, last)
        } else {
            follow(&self.diff(origin.oid, was.oid)?.hunks, first, last)
        };
        let diff = self.diff(was.oid, is.oid)?;
        Ok(match at {
            Went::Kept(first, last) | Went::Changed(first, last) => near(&diff.hunks, first, last),
            Went::Removed => Near::Elsewhere,
        })
    }

    /// The base's version of a path, for the commit that it was written at.
    fn left(&mut self, asked: &Asked) -> Result<Option<TreeEntry>, GitError> {
        let Some(at) = asked.at.map(Oid) else {
            return Ok(None);
        };
        let fork = history::merge_base(self.store.objects(), self.cut, at, self.base)?;
        let tree = self.commit(fork)?.tree;
        self.entry(tree, &asked.path)
    }

    /// Where a place is now.
    fn anchor(&mut self, asked: &Asked, tree: Option<Oid>) -> Result<Anchored, GitError> {
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

/// The commits that came how near.
#[derive(Default)]
struct Hits([Vec<[u8; 20]>; 3]);

impl Hits {
    fn add(&mut self, near: Near, oid: Oid) {
        let [line, hunk, file] = &mut self.0;
        match near {
            Near::OnIt => line.push(oid.0),
            Near::Beside => hunk.push(oid.0),
            Near::Elsewhere => file.push(oid.0),
            Near::Nowhere => {}
        }
    }

    /// The file was removed by this commit.
    fn gone(self, oid: Oid) -> Touched {
        let [line, hunk, file] = self.0;
        let all = line.into_iter().chain(hunk).chain(file).chain([oid.0]);
        Touched::Gone(all.collect())
    }

    fn touched(self) -> Touched {
        let [line, hunk, file] = self.0;
        if !line.is_empty() {
            Touched::Line(line)
        } else if !hunk.is_empty() {
            Touched::Hunk(hunk)
        } else if !file.is_empty() {
            Touched::File(file)
        } else {
            Touched::Untouched
        }
    }
}

fn is_file(mode: u32) -> bool {
    mode & 0o170_000 == 0o100_000
}
