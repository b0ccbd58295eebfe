//! The files of spec trees at the merge base, whole: what an edit of the worktree is compared
//! with. Read in the child, like everything else of a repository.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

use super::history::{self, Cut};
use super::objects::Objects;
use super::open::Entered;
use super::refs::Refs;
use super::{GitError, base};
use crate::adapters::spec::anchors::{self, Anchors};
use crate::model::id::Oid;

/// Largest file.
const LARGEST: u64 = 16 << 20;
/// Most bytes of all files together.
const MOST: u64 = 96 << 20;
/// Deepest folder.
const DEEPEST: usize = 64;

/// What to look at.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Question {
    /// A folder of the repository.
    pub dir: PathBuf,
    /// The base as typed; else it is chosen.
    pub base: Option<String>,
    /// Folders whose files are all wanted, beside the places of specs.
    pub folders: Vec<ByteBuf>,
    /// Globs of further places of specs; those of the base are added to them.
    pub anchors: Vec<String>,
}

/// A file with its bytes, or why there are none.
pub type File = (ByteBuf, Result<ByteBuf, String>);

/// What is there.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Answer {
    /// The base as people name it.
    pub base_name: ByteBuf,
    /// The merge base.
    pub merge_base: [u8; 20],
    /// The head.
    pub head: [u8; 20],
    /// The branch, by its full name.
    pub branch: Option<ByteBuf>,
    /// The files, by path.
    pub files: Vec<File>,
    /// Globs of further places of specs, of both sides.
    pub anchors: Vec<String>,
}

/// Looks.
///
/// # Errors
/// No base, no common commit, or a tree that cannot be read.
pub fn look(question: &Question, entered: &Entered) -> Result<Answer, GitError> {
    let Entered { place, objects } = entered;
    let refs = Refs::new(place)?;
    let head = refs.head()?;
    let typed = question.base.as_ref().map(String::as_bytes);
    let base = base::choose(&refs, objects, typed)?;
    let cut = Cut::of(place)?;
    let merge_base = history::merge_base(objects, &cut, base.oid, head.oid)?;
    let tree = objects.commit(merge_base)?.tree;
    let mut globs = question.anchors.clone();
    globs.extend(anchors_at(objects, tree)?);
    let unusable = |why: String| GitError::File(anchors::PATH.into(), why);
    let anchors = Anchors::new(globs).map_err(unusable)?;
    let mut walk = Walk {
        objects,
        folders: &question.folders,
        anchors: &anchors,
        files: Vec::new(),
        bytes: 0,
    };
    walk.folder(tree, &mut Vec::new(), 0)?;
    Ok(Answer {
        base_name: ByteBuf::from(base.name),
        merge_base: merge_base.0,
        head: head.oid.0,
        branch: head.branch.map(ByteBuf::from),
        files: walk.files,
        anchors: anchors.globs().to_vec(),
    })
}

/// The globs of the anchors in a tree. A file there that cannot be used holds none: the change
/// may be the one that mends it, and the worktree's own is judged by itself.
fn anchors_at(objects: &Objects, tree: Oid) -> Result<Vec<String>, GitError> {
    let mut at = tree;
    for name in anchors::PATH.split('/') {
        let entries = objects.tree(at)?;
        match entries.iter().find(|entry| entry.name == name.as_bytes()) {
            Some(entry) => at = entry.oid,
            None => return Ok(Vec::new()),
        }
    }
    if objects.size(at, "")? > anchors::LARGEST {
        return Ok(Vec::new());
    }
    let blob = objects.blob(at)?;
    let globs = Anchors::globs_in(blob.bytes()).unwrap_or_default();
    let usable = Anchors::new(globs.clone()).is_ok();
    Ok(if usable { globs } else { Vec::new() })
}

struct Walk<'a> {
    objects: &'a Objects,
    folders: &'a [ByteBuf],
    anchors: &'a Anchors,
    files: Vec<File>,
    bytes: u64,
}

impl Walk<'_> {
    fn folder(&mut self, tree: Oid, path: &mut Vec<u8>, depth: usize) -> Result<(), GitError> {
        if depth > DEEPEST {
            return Err(GitError::System("folders are nested too deeply".to_owned()));
        }
        for entry in self.objects.tree(tree)? {
            let length = path.len();
            if length > 0 {
                path.push(b'/');
            }
            path.extend_from_slice(&entry.name);
            if entry.is_tree() {
                self.folder(entry.oid, path, depth + 1)?;
            } else if entry.mode & 0o170_000 == 0o100_000 && self.wanted(path) {
                let read = self.read(entry.oid);
                self.files.push((ByteBuf::from(path.clone()), read));
            }
            path.truncate(length);
        }
        Ok(())
    }

    fn wanted(&self, path: &[u8]) -> bool {
        let named = |end: &[u8]| path.ends_with(end);
        if named(b".feature") {
            return true;
        }
        let placed = [&b".agents/spec/"[..], b".agents/specs/", b".agents/plans/"]
            .iter()
            .any(|place| memchr::memmem::find(path, place).is_some());
        let asked = self.folders.iter().any(|folder| {
            path.strip_prefix(folder.as_slice())
                .is_some_and(|rest| folder.is_empty() || rest.first() == Some(&b'/'))
        });
        (placed || asked || self.anchors.hold(path)) && (named(b".md") || named(b".jsonl"))
    }

    fn read(&mut self, oid: Oid) -> Result<ByteBuf, String> {
        let size = self.objects.size(oid, "").map_err(|error| error.says())?;
        if size > LARGEST || self.bytes + size > MOST {
            return Err(String::from("it is too large to be read"));
        }
        self.bytes += size;
        let blob = self.objects.blob(oid).map_err(|error| error.says())?;
        blob.verify().map_err(|error| error.says())?;
        Ok(ByteBuf::from(blob.bytes().to_vec()))
    }
}
