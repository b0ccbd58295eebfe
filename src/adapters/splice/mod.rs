//! Edits of a contract file: byte-minimal, planned in memory, proven by reading the result again
//! (WB-1, WB-5), and only then written ([`write`](mod@write)).
//!
//! A plan must never change a gate, an id or a CHECK that it was not asked to change; if reading
//! the result gives anything else than what was meant, nothing is planned.

pub mod evidence;
pub mod lines;
pub mod write;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::contract::read;
use crate::model::contract::{Contract, Criterion, ScopeSays, Severity};
use crate::model::id::{CriterionId, Digest};
use crate::model::text::Foreign;

/// One confirmed edit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Edit {
    /// Put this value into the EVIDENCE slot of the criterion.
    Evidence(CriterionId, String),
    /// Add an `ABANDON:` line with this reason.
    Abandon(CriterionId, String),
    /// Take the `ABANDON:` line of the criterion out (H29).
    LiftAbandon(CriterionId),
    /// Add a FILE SCOPE entry: a path and the date of the mark.
    Scope {
        /// The path as git names it.
        path: String,
        /// `YYYY-MM-DD`.
        date: String,
    },
    /// Replace a criterion by the version that stands in these bytes, marked with the date.
    Take {
        /// Which.
        id: CriterionId,
        /// The file that holds the later version.
        from: Vec<u8>,
        /// `YYYY-MM-DD`.
        date: String,
    },
}

/// An edit worked out, not written yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Planned {
    /// Digest of the bytes it starts from; the file must still have it when it is written.
    pub before: Digest,
    /// The new bytes.
    pub after: Vec<u8>,
}

/// Why an edit cannot be planned.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SpliceError {
    /// The contract has errors (duplicate ids, repeated keys): it is not written to (WB-4).
    #[error("the contract has errors, so nothing is written into it")]
    Broken,
    /// The bytes are not those that the contract was read from.
    #[error("the contract is not the one that was read")]
    Moved,
    /// There is no such criterion, or not exactly one.
    #[error("criterion {0} does not stand in the contract exactly once")]
    NoCriterion(CriterionId),
    /// The criterion has no EVIDENCE line.
    #[error("criterion {0} has no EVIDENCE line")]
    NoSlot(CriterionId),
    /// The criterion is abandoned already.
    #[error("criterion {0} is already abandoned")]
    Abandoned(CriterionId),
    /// It is not abandoned.
    #[error("criterion {0} is not abandoned")]
    NotAbandoned(CriterionId),
    /// The format has no place for it.
    #[error("this format has no place for {0}")]
    NoPlace(&'static str),
    /// A text is blank, or spans lines.
    #[error("{0} must be one line that is not blank")]
    BadText(&'static str),
    /// Reading the result gives something else than was meant.
    #[error("the edit would change more than was asked for: {0}")]
    Strays(&'static str),
}

/// Works an edit out and reads the result again.
///
/// # Errors
/// A [`SpliceError`]; then nothing may be written.
pub fn plan(bytes: &[u8], contract: &Contract, edit: &Edit) -> Result<Planned, SpliceError> {
    if Digest::of(bytes) != contract.digest {
        return Err(SpliceError::Moved);
    }
    if contract.errors().next().is_some() {
        return Err(SpliceError::Broken);
    }
    let (range, text) = replacement(bytes, contract, edit)?;
    let mut after = bytes.get(..range.start).unwrap_or_default().to_vec();
    after.extend_from_slice(&text);
    after.extend_from_slice(bytes.get(range.end..).unwrap_or_default());
    let again = read(&contract.path, &after, Some(contract.format));
    proven(contract, &again, std::slice::from_ref(edit))?;
    Ok(Planned {
        before: contract.digest,
        after,
    })
}

/// Works the slots of many criteria out at once and reads the result again once: a run of 10,000
/// oracles is written in the time of one.
///
/// # Errors
/// A [`SpliceError`]; then nothing may be written.
pub fn plan_evidence(
    bytes: &[u8],
    contract: &Contract,
    values: &[(CriterionId, String)],
) -> Result<Planned, SpliceError> {
    if Digest::of(bytes) != contract.digest {
        return Err(SpliceError::Moved);
    }
    if contract.errors().next().is_some() {
        return Err(SpliceError::Broken);
    }
    let slots: BTreeMap<&CriterionId, &Criterion> =
        contract.criteria.iter().map(|c| (&c.id, c)).collect();
    let mut splices = Vec::new();
    for (id, value) in values {
        let slot = slots
            .get(id)
            .ok_or_else(|| SpliceError::NoCriterion(id.clone()))?;
        splices.push(slot_splice(bytes, slot, value)?);
    }
    splices.sort_by_key(|(range, _)| range.start);
    let mut after = Vec::with_capacity(bytes.len() + 300 * splices.len());
    let mut from = 0;
    for (range, text) in &splices {
        let kept = bytes.get(from..range.start);
        after.extend_from_slice(kept.ok_or(SpliceError::Strays("two values for one slot"))?);
        after.extend_from_slice(text);
        from = range.end;
    }
    after.extend_from_slice(bytes.get(from..).unwrap_or_default());
    let again = read(&contract.path, &after, Some(contract.format));
    let edit = |(id, value): &(CriterionId, String)| Edit::Evidence(id.clone(), value.clone());
    let edits: Vec<Edit> = values.iter().map(edit).collect();
    proven(contract, &again, &edits)?;
    Ok(Planned {
        before: contract.digest,
        after,
    })
}

fn slot_splice(bytes: &[u8], criterion: &Criterion, value: &str) -> Result<Splice, SpliceError> {
    let slot = criterion.evidence.as_ref();
    let slot = slot.ok_or_else(|| SpliceError::NoSlot(criterion.id.clone()))?;
    one_line(value, "the evidence")?;
    let blank = bytes.get(slot.span.start.wrapping_sub(1)) == Some(&b':');
    let lead = if blank { " " } else { "" };
    Ok((slot.span.clone(), format!("{lead}{value}").into_bytes()))
}

type Splice = (Range<usize>, Vec<u8>);

fn replacement(bytes: &[u8], contract: &Contract, edit: &Edit) -> Result<Splice, SpliceError> {
    match edit {
        Edit::Evidence(id, value) => slot_splice(bytes, only(contract, id)?, value),
        Edit::Abandon(id, reason) => {
            only(contract, id)?;
            one_line(reason, "the reason")?;
            if contract.abandonment(id).is_some() {
                return Err(SpliceError::Abandoned(id.clone()));
            }
            let at = contract.abandon_at;
            let at = at.ok_or(SpliceError::NoPlace("an abandonment"))?;
            Ok(line_at(bytes, at, &format!("ABANDON: {id} {reason}")))
        }
        Edit::LiftAbandon(id) => {
            let line = contract.abandonment(id);
            let line = line.ok_or_else(|| SpliceError::NotAbandoned(id.clone()))?;
            Ok((line.span.clone(), Vec::new()))
        }
        Edit::Scope { path, date } => {
            one_line(path, "the path")?;
            let at = contract.scope_at;
            let at = at.ok_or(SpliceError::NoPlace("FILE SCOPE"))?;
            Ok(line_at(bytes, at, &format!("- `{path}` [gated {date}]")))
        }
        Edit::Take { id, from, date } => {
            let mine = only(contract, id)?;
            let later = read(&contract.path, from, Some(contract.format));
            let theirs = only(&later, id)?;
            let taken = marked(from, theirs, date);
            let range = span(bytes, mine);
            Ok((range, with_ends(&taken, eol(bytes))))
        }
    }
}

fn only<'a>(contract: &'a Contract, id: &CriterionId) -> Result<&'a Criterion, SpliceError> {
    let mut all = contract.criteria.iter().filter(|c| &c.id == id);
    match (all.next(), all.next()) {
        (Some(one), None) => Ok(one),
        _ => Err(SpliceError::NoCriterion(id.clone())),
    }
}

fn one_line(text: &str, what: &'static str) -> Result<(), SpliceError> {
    let hidden = text.chars().any(crate::model::text::is_hidden);
    if text.trim().is_empty() || hidden {
        return Err(SpliceError::BadText(what));
    }
    Ok(())
}

/// The line end that the file uses: that of its first line.
fn eol(bytes: &[u8]) -> &'static [u8] {
    let crlf = memchr::memchr(b'\n', bytes)
        .and_then(|at| at.checked_sub(1))
        .is_some_and(|at| bytes.get(at) == Some(&b'\r'));
    if crlf { b"\r\n" } else { b"\n" }
}

/// A new line at an offset that is the start of a line, or the end of a file without a last line
/// end (which stays without one).
fn line_at(bytes: &[u8], at: usize, text: &str) -> Splice {
    let end = eol(bytes);
    let torn = at > 0 && bytes.get(at - 1) != Some(&b'\n');
    let mut line = Vec::new();
    if torn {
        line.extend_from_slice(end);
    }
    line.extend_from_slice(text.as_bytes());
    if !torn {
        line.extend_from_slice(end);
    }
    (at..at, line)
}

/// The bytes of the lines of a criterion, without the line end of the last one.
fn span(bytes: &[u8], criterion: &Criterion) -> Range<usize> {
    let nth = |n: u32| usize::try_from(n).unwrap_or(usize::MAX);
    let start = if criterion.line <= 1 {
        0
    } else {
        memchr::memchr_iter(b'\n', bytes)
            .nth(nth(criterion.line - 2))
            .map_or(bytes.len(), |at| at + 1)
    };
    let end = memchr::memchr_iter(b'\n', bytes)
        .nth(nth(criterion.end_line - 1))
        .unwrap_or(bytes.len());
    let cr = end > start && bytes.get(end - 1) == Some(&b'\r') && end < bytes.len();
    start..(if cr { end - 1 } else { end })
}

/// The later version with the mark at the end of its first line, unless it carries one of that
/// date.
fn marked(from: &[u8], criterion: &Criterion, date: &str) -> Vec<u8> {
    let lines = from.get(span(from, criterion)).unwrap_or_default();
    let has = criterion.gated.iter().any(|mark| {
        mark.date
            .as_ref()
            .is_some_and(|of| of.raw() == date.as_bytes())
    });
    if has {
        return lines.to_vec();
    }
    let first = memchr::memchr(b'\n', lines).unwrap_or(lines.len());
    let (head, tail) = lines.split_at(first);
    let cr = head.ends_with(b"\r");
    let bare = head.strip_suffix(b"\r").unwrap_or(head).trim_ascii_end();
    let mut out = bare.to_vec();
    out.extend_from_slice(format!(" [gated {date}]").as_bytes());
    if cr {
        out.push(b'\r');
    }
    out.extend_from_slice(tail);
    out
}

/// The same lines with the line ends of the file they go into.
fn with_ends(lines: &[u8], end: &[u8]) -> Vec<u8> {
    let parts: Vec<&[u8]> = lines
        .split(|b| *b == b'\n')
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
        .collect();
    parts.join(end)
}

/// Whether the result is what was meant: same gates, ids and oracles, except where the edits say
/// otherwise, and no new error.
fn proven(before: &Contract, after: &Contract, edits: &[Edit]) -> Result<(), SpliceError> {
    let fresh = |c: &Contract| {
        c.complaints
            .iter()
            .filter(|c| c.severity == Severity::Error)
            .count()
    };
    if fresh(after) > 0 {
        return Err(SpliceError::Strays("the result has errors"));
    }
    if before.criteria.len() != after.criteria.len() {
        return Err(SpliceError::Strays("other criteria come out"));
    }
    let (mut written, mut replaced) = (BTreeSet::new(), BTreeSet::new());
    for edit in edits {
        match edit {
            Edit::Evidence(id, _) => drop(written.insert(id)),
            Edit::Take { id, .. } => drop(replaced.insert(id)),
            Edit::Abandon(..) | Edit::LiftAbandon(_) | Edit::Scope { .. } => {}
        }
    }
    for (old, new) in before.criteria.iter().zip(&after.criteria) {
        let taken = replaced.contains(&old.id);
        let slot = written.contains(&old.id);
        let oracle = |c: &Criterion| {
            c.oracle
                .as_ref()
                .map(|o| (o.check.clone(), o.expect.clone()))
        };
        let value = |c: &Criterion| c.evidence.as_ref().map(|e| e.value.clone());
        if old.id != new.id {
            return Err(SpliceError::Strays("other ids come out"));
        }
        if taken {
            continue;
        }
        if oracle(old) != oracle(new) || old.text != new.text || old.ticked != new.ticked {
            return Err(SpliceError::Strays("another criterion changes"));
        }
        if !slot && value(old) != value(new) {
            return Err(SpliceError::Strays("other evidence changes"));
        }
    }
    if before.request != after.request && texts(before) != texts(after) {
        return Err(SpliceError::Strays("the request changes"));
    }
    abandonments(before, after, edits)?;
    scope(before, after, edits)
}

fn texts(contract: &Contract) -> Option<&Foreign> {
    contract.request.as_ref().map(|block| &block.text)
}

fn abandonments(before: &Contract, after: &Contract, edits: &[Edit]) -> Result<(), SpliceError> {
    let list = |c: &Contract| -> Vec<_> {
        c.abandonments
            .iter()
            .map(|a| (a.id.clone(), a.reason.clone()))
            .collect()
    };
    let mut wanted = list(before);
    let mut got = list(after);
    for edit in edits {
        match edit {
            Edit::Abandon(id, reason) => {
                wanted.push((Some(id.clone()), Foreign::from(reason.trim())));
            }
            Edit::LiftAbandon(id) => wanted.retain(|(of, _)| of.as_ref() != Some(id)),
            Edit::Evidence(..) | Edit::Scope { .. } | Edit::Take { .. } => {}
        }
    }
    wanted.sort();
    got.sort();
    if wanted == got {
        Ok(())
    } else {
        Err(SpliceError::Strays("other abandonments come out"))
    }
}

fn scope(before: &Contract, after: &Contract, edits: &[Edit]) -> Result<(), SpliceError> {
    let list = |c: &Contract| -> Vec<_> { c.scope.iter().map(|e| e.says.clone()).collect() };
    let mut wanted = list(before);
    for edit in edits {
        if let Edit::Scope { path, .. } = edit {
            wanted.push(ScopeSays::Glob(Foreign::from(path.as_str())));
        }
    }
    if wanted == list(after) {
        Ok(())
    } else {
        Err(SpliceError::Strays("other entries of FILE SCOPE come out"))
    }
}
