//! Skills as git knows them: which files a scope names, and every skill of a tree.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

use super::history::{self, Cut};
use super::objects::{Objects, TreeEntry};
use super::refs::Refs;
use super::{GitError, base, open, surroundings, walk};
use crate::model::id::Oid;

/// The name that makes a file a skill.
pub const FILE: &[u8] = b"SKILL.md";
/// Largest skill that is read, in bytes.
pub const CAP: u64 = 4 << 20;
/// Most bytes of skills that are read from one tree.
const ALL: u64 = 96 << 20;
/// Most entries of a tree that are looked at.
const MOST: usize = 1_000_000;
/// What the base is when nobody names one (source, Step 0).
const ORIGIN: &str = "origin/main";

/// What to list.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Wanted {
    /// Only where the worktree lies.
    Place,
    /// What differs from the head, and what is new and not ignored.
    Changed,
    /// What the head changed since it left this base; `None` is `origin/main`.
    Since(Option<String>),
}

/// What a scope names.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Listed {
    /// Top folder of the worktree.
    pub top: std::path::PathBuf,
    /// The base as people name it.
    pub base: Option<String>,
    /// Every file named, in git's order.
    pub files: Vec<Touched>,
}

/// A file of a scope.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Touched {
    /// Its path from the top.
    pub path: ByteBuf,
    /// Whether it is gone.
    pub gone: bool,
    /// What a skill that is gone said, when it is small enough and can be read.
    pub said: Option<ByteBuf>,
}

/// Lists the files of a scope.
///
/// # Errors
/// Whatever keeps git from answering: a scope that fails is never an empty one.
pub fn listed(dir: &Path, wanted: &Wanted) -> Result<Listed, GitError> {
    let entered = open::enter(dir)?;
    let top = entered.place.worktree.clone();
    let mut out = Listed {
        top,
        base: None,
        files: Vec::new(),
    };
    if *wanted == Wanted::Place {
        return Ok(out);
    }
    let refs = Refs::new(&entered.place)?;
    let objects = &entered.objects;
    let head = refs.head()?.oid;
    let tree = objects.commit(head)?.tree;
    let gone = |path: &[u8], tree: Oid| -> Option<ByteBuf> {
        let entry = objects.entry(tree, path).ok()??;
        let small = objects.size(entry.oid, "a skill").ok()? <= CAP;
        let blob = objects.blob(entry.oid).ok().filter(|_| small)?;
        Some(ByteBuf::from(blob.bytes().to_vec()))
    };
    let mut push = |path: Vec<u8>, away: bool, tree: Oid| {
        let skill = path.rsplit(|byte| *byte == b'/').next() == Some(FILE);
        out.files.push(Touched {
            said: if away && skill {
                gone(&path, tree)
            } else {
                None
            },
            path: ByteBuf::from(path),
            gone: away,
        });
    };
    match wanted {
        Wanted::Place => {}
        Wanted::Changed => {
            for (path, away) in surroundings::changed(&entered.place.worktree)? {
                push(path, away, tree);
            }
        }
        Wanted::Since(name) => {
            let name = name.clone().unwrap_or_else(|| ORIGIN.to_owned());
            let base = base::choose(&refs, objects, Some(name.as_bytes()))?;
            let cut = Cut::of(&entered.place)?;
            let fork = history::merge_base(objects, &cut, base.oid, head)?;
            let old = objects.commit(fork)?.tree;
            walk::differences(objects, Some(old), Some(tree), &mut |difference| {
                push(difference.path, difference.new.is_none(), old);
                true
            })?;
            out.base = Some(name);
        }
    }
    Ok(out)
}

/// Every skill of a tree, and the names of its agents.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Held {
    /// The tree.
    pub tree: [u8; 20],
    /// Path and text of each skill, in git's order; a text that cannot be read says why.
    pub skills: Vec<(ByteBuf, Result<ByteBuf, String>)>,
    /// Names of agents, as they stand in the paths.
    pub agents: Vec<ByteBuf>,
}

/// Reads every skill of a tree.
///
/// # Errors
/// A folder that is missing or damaged, or more than is read.
pub fn held(objects: &Objects, tree: Oid) -> Result<Held, GitError> {
    let mut out = Held {
        tree: tree.0,
        ..Held::default()
    };
    let mut bytes = 0;
    let mut looked = 0usize;
    let mut left: Vec<(Vec<u8>, Oid)> = vec![(Vec::new(), tree)];
    while let Some((path, oid)) = left.pop() {
        let entries = objects.tree(oid)?;
        looked += entries.len();
        if looked > MOST {
            return Err(GitError::System(format!(
                "the tree has more than {MOST} entries"
            )));
        }
        for entry in entries {
            let below = match path.as_slice() {
                [] => entry.name.clone(),
                path => [path, b"/", &entry.name].concat(),
            };
            if entry.is_tree() {
                left.push((below, entry.oid));
            } else if entry.name == FILE {
                let text = skill(objects, &entry, &mut bytes);
                out.skills.push((ByteBuf::from(below), text));
            } else if let Some(name) = agent(&below) {
                out.agents.push(ByteBuf::from(name.to_vec()));
            }
        }
    }
    out.skills.sort();
    out.agents.sort();
    out.agents.dedup();
    Ok(out)
}

fn skill(objects: &Objects, entry: &TreeEntry, bytes: &mut u64) -> Result<ByteBuf, String> {
    if entry.mode & 0o170_000 != 0o100_000 {
        return Err("is a link, not a file".to_owned());
    }
    let size = objects.size(entry.oid, "a skill").map_err(|e| e.says())?;
    if size > CAP {
        return Err(format!("has {size} bytes, at most {CAP} are read"));
    }
    *bytes += size;
    if *bytes > ALL {
        return Err(format!(
            "comes after {ALL} bytes of skills, the rest is not read"
        ));
    }
    let blob = objects.blob(entry.oid).map_err(|error| error.says())?;
    blob.verify().map_err(|error| error.says())?;
    Ok(ByteBuf::from(blob.bytes().to_vec()))
}

/// The name of an agent, when a path is that of one: `agents/NAME.md`.
#[must_use]
pub fn agent(path: &[u8]) -> Option<&[u8]> {
    let mut parts = path.rsplit(|byte| *byte == b'/');
    let name = parts.next()?.strip_suffix(b".md")?;
    (parts.next()? == b"agents" && !name.is_empty()).then_some(name)
}
