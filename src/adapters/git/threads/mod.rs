//! Where review threads point in the pinned trees, and what the commits after them did there.
//!
//! What came after a comment is asked of the commit graph: the commits under review that are not
//! reachable from the commit it was written at. Where history was rewritten, commits are matched
//! by what they change; what has no match is said to be unknown. No time is looked at.

mod history;
mod place;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

use super::GitError;
use super::history::Cut;
use super::hunks::{self, Effort};
use super::lines::Store;
use super::objects::{Commit, TreeEntry};
use super::walk::{self, Difference};
use crate::gate::verify::anchor::{Near, Went, follow, near};
use crate::gate::verify::threads::Confidence;
use crate::model::change::FileHunks;
use crate::model::id::Oid;

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
    let (under, more) = super::history::between(store.objects(), cut, base, head)?;
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
        let fork = super::history::merge_base(self.store.objects(), self.cut, at, self.base)?;
        let tree = self.commit(fork)?.tree;
        self.entry(tree, &asked.path)
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
