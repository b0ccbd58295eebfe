//! Suites at the base and in the worktree put side by side, renames followed by content whether
//! staged, unstaged or untracked (G17).

use std::collections::{BTreeMap, BTreeSet};

use super::gherkin;
use crate::gate::spec::edit_class::Side;
use crate::model::id::RepoPath;
use crate::model::spec::feature::Suite;

/// Bytes, or why there are none.
pub type Bytes = Result<Vec<u8>, String>;

/// From this share of common lines on, a file is said to have moved, as git says.
const MOVED: f64 = 0.5;

/// A suite on both sides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pair {
    /// At head, or at base when it is gone.
    pub path: RepoPath,
    /// At base, when it had another name.
    pub old_path: Option<RepoPath>,
    /// At the base.
    pub base: Side,
    /// In the worktree.
    pub head: Side,
}

/// Pairs the suites of both sides that differ, by path; those that are the same stay out. With
/// `only`, every named path has a pair, whatever it is.
#[must_use]
pub fn pairs(
    base: &BTreeMap<RepoPath, Bytes>,
    head: &BTreeMap<RepoPath, Bytes>,
    only: &[RepoPath],
) -> Vec<Pair> {
    let gone: Vec<&RepoPath> = base
        .keys()
        .filter(|path| !head.contains_key(path))
        .collect();
    let come: Vec<&RepoPath> = head
        .keys()
        .filter(|path| !base.contains_key(path))
        .collect();
    let moved = moves(base, head, &gone, &come);
    let mut out = Vec::new();
    let all: BTreeSet<&RepoPath> = base.keys().chain(head.keys()).chain(only).collect();
    let left: BTreeSet<&RepoPath> = moved.values().copied().collect();
    for path in all {
        // what moved away is told under its new name
        if left.contains(path) {
            continue;
        }
        let old = moved.get(path).copied();
        let wanted =
            only.is_empty() || only.contains(path) || old.is_some_and(|old| only.contains(old));
        let (before, after) = (base.get(old.unwrap_or(path)), head.get(path));
        let same = old.is_none() && before == after && before.is_some_and(Result::is_ok);
        if !wanted || (only.is_empty() && same) {
            continue;
        }
        out.push(Pair {
            path: path.clone(),
            old_path: old.cloned(),
            base: side(old.unwrap_or(path), before),
            head: side(path, after),
        });
    }
    out
}

/// One side from its bytes.
#[must_use]
pub fn side(path: &RepoPath, bytes: Option<&Bytes>) -> Side {
    match bytes {
        None => Side::Absent,
        Some(Err(why)) => Side::Unread(why.clone()),
        Some(Ok(bytes)) => Side::Read {
            suite: Box::new(gherkin::read(path, bytes)),
            says_frozen: memchr::memmem::find(bytes, b"@frozen").is_some(),
        },
    }
}

/// The suite of a side, when it was read.
#[must_use]
pub fn suite(side: &Side) -> Option<&Suite> {
    match side {
        Side::Read { suite, .. } => Some(suite),
        Side::Absent | Side::Unread(_) => None,
    }
}

/// New path to old path, for files of any kind that are only on one side.
#[must_use]
pub fn moved(
    base: &BTreeMap<RepoPath, Bytes>,
    head: &BTreeMap<RepoPath, Bytes>,
) -> BTreeMap<RepoPath, RepoPath> {
    let gone: Vec<&RepoPath> = base
        .keys()
        .filter(|path| !head.contains_key(path))
        .collect();
    let come: Vec<&RepoPath> = head
        .keys()
        .filter(|path| !base.contains_key(path))
        .collect();
    let found = moves(base, head, &gone, &come);
    found
        .into_iter()
        .map(|(new, old)| (new.clone(), old.clone()))
        .collect()
}

/// New path to old path: the same bytes first, then the most alike.
fn moves<'a>(
    base: &BTreeMap<RepoPath, Bytes>,
    head: &BTreeMap<RepoPath, Bytes>,
    gone: &[&'a RepoPath],
    come: &[&'a RepoPath],
) -> BTreeMap<&'a RepoPath, &'a RepoPath> {
    let mut scored: Vec<(u32, &RepoPath, &RepoPath)> = Vec::new();
    let prints: Vec<Print> = gone.iter().map(|path| print(base.get(*path))).collect();
    for new in come {
        let mine = print(head.get(*new));
        for (old, other) in gone.iter().zip(&prints) {
            let score = alike(&mine, other);
            if score >= MOVED {
                // the same name in another folder wins among equals
                let named = u32::from(new.file_name() == old.file_name());
                let share = (score * 1000.0) as u32;
                scored.push((share * 2 + named, new, old));
            }
        }
    }
    scored.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| (a.1, a.2).cmp(&(b.1, b.2))));
    let mut out: BTreeMap<&RepoPath, &RepoPath> = BTreeMap::new();
    let mut taken: BTreeSet<&RepoPath> = BTreeSet::new();
    for (_, new, old) in scored {
        if !out.contains_key(new) && taken.insert(old) {
            out.insert(new, old);
        }
    }
    out
}

/// Lines that say something, with how often.
type Print = BTreeMap<Vec<u8>, usize>;

fn print(bytes: Option<&Bytes>) -> Print {
    let mut out = Print::new();
    if let Some(Ok(bytes)) = bytes {
        for line in bytes.split(|b| *b == b'\n') {
            let line = line.trim_ascii();
            if !line.is_empty() {
                *out.entry(line.to_vec()).or_default() += line.len();
            }
        }
    }
    out
}

fn alike(a: &Print, b: &Print) -> f64 {
    let size = |print: &Print| print.values().sum::<usize>();
    let most = size(a).max(size(b));
    if most == 0 {
        return 0.0;
    }
    let common: usize = a
        .iter()
        .map(|(line, size)| b.get(line).map_or(0, |other| *size.min(other)))
        .sum();
    common as f64 / most as f64
}
