//! Which ref the change is compared with, and why (rulings A5). Branch configuration has no say.

use super::GitError;
use super::objects::Objects;
use super::refs::Refs;
use crate::model::id::Oid;
use crate::model::snapshot::BaseWhy;

/// The base of a change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Base {
    /// The commit.
    pub oid: Oid,
    /// As typed, or as people name it (`origin/main`).
    pub name: Vec<u8>,
    /// The ref to watch for movement; `None` when the base is a commit id.
    pub full: Option<Vec<u8>>,
    /// Why it was taken.
    pub why: BaseWhy,
}

/// The names that are tried when nothing else tells the base.
const CANDIDATES: [&str; 4] = [
    "refs/remotes/origin/main",
    "refs/remotes/origin/master",
    "refs/heads/main",
    "refs/heads/master",
];

/// Chooses the base: what was typed, else `origin/HEAD`, else the only usual name there is.
///
/// # Errors
/// `NoRef`, `BadRef`, `AmbiguousBase` with the names, `NoBase`, or a broken ref or object.
pub fn choose(refs: &Refs<'_>, objects: &Objects, typed: Option<&[u8]>) -> Result<Base, GitError> {
    if let Some(name) = typed {
        let (oid, full) = refs.typed(name, objects)?;
        return Ok(Base {
            oid,
            name: name.to_vec(),
            full,
            why: BaseWhy::Flag,
        });
    }
    if let Some((name, oid)) = refs.followed(b"refs/remotes/origin/HEAD")? {
        return found(objects, oid, &name, BaseWhy::OriginHead);
    }
    let mut there = Vec::new();
    for name in CANDIDATES {
        if let Some(oid) = refs.exact(name.as_bytes())? {
            there.push((name, oid));
        }
    }
    match there.as_slice() {
        [] => Err(GitError::NoBase),
        [(name, oid)] => found(objects, *oid, name.as_bytes(), BaseWhy::OnlyCandidate),
        several => Err(GitError::AmbiguousBase(
            several
                .iter()
                .map(|(name, _)| String::from_utf8_lossy(short(name.as_bytes())).into_owned())
                .collect(),
        )),
    }
}

fn found(objects: &Objects, oid: Oid, full: &[u8], why: BaseWhy) -> Result<Base, GitError> {
    Ok(Base {
        oid: objects.peel(oid)?,
        name: short(full).to_vec(),
        full: Some(full.to_vec()),
        why,
    })
}

/// `refs/remotes/origin/main` as people name it.
#[must_use]
pub fn short(full: &[u8]) -> &[u8] {
    ["refs/heads/", "refs/remotes/", "refs/tags/"]
        .iter()
        .find_map(|before| full.strip_prefix(before.as_bytes()))
        .unwrap_or(full)
}
