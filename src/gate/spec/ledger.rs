//! What the ledger of a spec says about a gate: the last word for one change request, not any
//! approve ever (G22).
//!
//! Order is known inside a shard, from a line to the one that answers it, and between lines that
//! both carry a time. Where two last words remain, a reject counts before an approve; a pause is
//! no verdict and gives way.

use crate::model::id::RepoPath;
use crate::model::known::Known;
use crate::model::spec::shard::{Gate, Shard};
use crate::model::text::Foreign;

/// A gate line with its place.
#[derive(Clone, Copy, Debug)]
pub struct Said<'a> {
    /// The shard.
    pub shard: &'a RepoPath,
    /// 1-based line.
    pub line: u32,
    /// What it says.
    pub gate: &'a Gate,
}

/// The last word on a gate.
#[derive(Clone, Debug)]
pub enum Word<'a> {
    /// Nothing was said.
    None,
    /// One verdict stands.
    Stands(Said<'a>),
    /// Two last words disagree and nothing orders them: the approve, and what stands against it.
    Open(Said<'a>, Said<'a>),
}

/// The change request whose last words count: the given one, or, when none is given, any.
#[must_use]
pub fn last_word<'a>(shards: &'a [Known<Shard>], gate: &str, cr: Option<&Foreign>) -> Word<'a> {
    let said = lines(shards, gate, cr);
    match cr {
        None => any(&said),
        Some(_) => last_of(&said),
    }
}

/// Without a change request: the best that stands among all of them.
fn any<'a>(said: &[Said<'a>]) -> Word<'a> {
    let mut crs: Vec<Option<&Foreign>> = said.iter().map(|one| one.gate.cr.as_ref()).collect();
    crs.sort_unstable();
    crs.dedup();
    let mut best = Word::None;
    for cr in crs {
        let mine: Vec<Said<'a>> = said
            .iter()
            .filter(|one| one.gate.cr.as_ref() == cr)
            .copied()
            .collect();
        let word = last_of(&mine);
        let better = match (&best, &word) {
            (Word::None, _) => true,
            (Word::Stands(old), Word::Stands(new)) => !approves(old) && approves(new),
            (Word::Open(..), Word::Stands(new)) => approves(new),
            _ => false,
        };
        if better {
            best = word;
        }
    }
    best
}

/// Every line of a gate, in the order of shards.
#[must_use]
pub fn lines<'a>(shards: &'a [Known<Shard>], gate: &str, cr: Option<&Foreign>) -> Vec<Said<'a>> {
    let known = shards.iter().filter_map(Known::known);
    known
        .flat_map(|shard| {
            shard.gates().map(move |(line, gate)| Said {
                shard: &shard.path,
                line,
                gate,
            })
        })
        .filter(|one| {
            one.gate
                .gate
                .as_ref()
                .is_some_and(|g| g.raw() == gate.as_bytes())
        })
        .filter(|one| cr.is_none() || one.gate.cr.as_ref() == cr)
        .collect()
}

/// Change requests that are known to have been approved, at either gate, after the last word of
/// this one: by a line that answers, a time, or because their shard is new where this one's
/// shards stand at the base already (G27). What nothing orders is not called later.
#[must_use]
pub fn built_on<'a>(
    shards: &'a [Known<Shard>],
    cr: &Foreign,
    at_base: &dyn Fn(&RepoPath) -> bool,
) -> Vec<&'a Foreign> {
    let all: Vec<Said<'a>> = ["spec", "impl"]
        .iter()
        .flat_map(|gate| lines(shards, gate, None))
        .collect();
    let (mine, others): (Vec<_>, Vec<_>) = all
        .into_iter()
        .partition(|one| one.gate.cr.as_ref() == Some(cr));
    let old = !mine.is_empty() && mine.iter().all(|one| at_base(one.shard));
    let later = |other: &Said<'_>| {
        mine.iter().any(|one| before(one, other)) || (old && !at_base(other.shard))
    };
    let approved = others.iter().filter(|one| approves(one) && later(one));
    let mut out: Vec<&Foreign> = approved.filter_map(|one| one.gate.cr.as_ref()).collect();
    out.sort_unstable();
    out.dedup();
    out
}

/// Whether a line approves.
#[must_use]
pub fn approves(said: &Said<'_>) -> bool {
    verdict(said) == b"approve"
}

fn verdict<'a>(said: &Said<'a>) -> &'a [u8] {
    said.gate.verdict.as_ref().map_or(b"", Foreign::raw)
}

/// Whether `a` is known to come before `b`.
fn before(a: &Said<'_>, b: &Said<'_>) -> bool {
    if a.shard == b.shard {
        return a.line < b.line;
    }
    // b answers a, or a line after a
    if let Some((shard, line)) = &b.gate.answers
        && shard.raw() == a.shard.file_name()
        && a.line <= *line
    {
        return true;
    }
    // a answers a line that stands before b: when a was written, b did not stand yet
    if let Some((shard, line)) = &a.gate.answers
        && shard.raw() == b.shard.file_name()
        && b.line > *line
    {
        return true;
    }
    match (&a.gate.time, &b.gate.time) {
        (Some(a), Some(b)) => a < b,
        _ => false,
    }
}

fn last_of<'a>(said: &[Said<'a>]) -> Word<'a> {
    let last: Vec<Said<'a>> = said
        .iter()
        .filter(|one| !said.iter().any(|other| before(one, other)))
        .copied()
        .collect();
    let of = |word: &[u8]| last.iter().find(|one| verdict(one) == word).copied();
    match (of(b"approve"), of(b"reject")) {
        (Some(approve), Some(reject)) => Word::Open(approve, reject),
        (Some(one), None) | (None, Some(one)) => Word::Stands(one),
        (None, None) => match last.first().or(said.last()) {
            Some(one) => Word::Stands(*one),
            None => Word::None,
        },
    }
}
