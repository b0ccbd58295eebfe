//! Chain, numbers and anchors: which lines of the shards can be believed.
//!
//! Every line that is not as this tool writes it gives a finding with shard, line and code
//! (LED-6); the other lines stay usable and nothing is dropped silently. A chain alone does not
//! see a cut tail, so anchors (number and digest of every acknowledged line) are compared as well
//! (LED-9). This module must never open a file, and never repairs anything.

mod check;
mod finding;

pub use finding::{Code, Finding, Weight};

use std::collections::{BTreeMap, BTreeSet};

use super::entry::{Entry, Head};
use super::seal::{self, Sealed, VouchFor};
use crate::gate::dossier::LedgerHealth;
use crate::model::id::{Digest, EntryId};
use crate::model::known::Reason;
use crate::model::text::{Foreign, Place as ShownIn};

/// Where the shards claim to belong (LED-24).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place<'a> {
    /// The repository.
    pub repository: Digest,
    /// Key of the change.
    pub change: &'a str,
}

/// What the first line of a shard names as the line before it.
#[must_use]
pub fn origin(place: &Place<'_>, shard: &str) -> Digest {
    Digest::of_fields(&[
        b"countersign shard 1",
        &place.repository.0,
        place.change.as_bytes(),
        shard.as_bytes(),
    ])
}

/// A shard as it was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shard {
    /// Its name.
    pub name: String,
    /// Its bytes. More than one copy when two differ and neither begins with the other.
    pub copies: BTreeSet<Vec<u8>>,
    /// Its bytes as others hold them: what came by `ledger sync`. They vouch for nothing.
    pub received: BTreeSet<Vec<u8>>,
    /// Why it could not be read, when it could not.
    pub unreadable: Option<String>,
    /// Every line that was acknowledged here, as the anchors say.
    pub anchors: BTreeSet<Head>,
    /// Whether the anchors themselves are damaged.
    pub anchors_damaged: bool,
}

impl Shard {
    /// A shard of these bytes, without anchors.
    #[must_use]
    pub fn new(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            name: name.into(),
            copies: BTreeSet::from([bytes.into()]),
            received: BTreeSet::new(),
            unreadable: None,
            anchors: BTreeSet::new(),
            anchors_damaged: false,
        }
    }

    /// Whether it is known from others alone: no line of it was ever written or acknowledged here.
    #[must_use]
    pub fn is_of_others(&self) -> bool {
        self.copies.is_empty() && self.anchors.is_empty() && !self.received.is_empty()
    }

    /// Every copy that no other contains, the one to believe first: that with the most
    /// acknowledged lines, then the longest. Whoever serves another copy can add to what is read
    /// and can never take its place.
    #[must_use]
    pub fn readings(&self) -> Vec<&Vec<u8>> {
        let mut all: BTreeSet<&Vec<u8>> = self.copies.iter().collect();
        all.extend(&self.received);
        let contained = |copy: &Vec<u8>| {
            let mut others = all.iter();
            others.any(|longer| longer.len() > copy.len() && longer.starts_with(copy))
        };
        let mut left: Vec<&Vec<u8>> = all.iter().copied().filter(|c| !contained(c)).collect();
        let known: BTreeSet<Digest> = self.anchors.iter().map(|head| head.line).collect();
        let acknowledged = |copy: &Vec<u8>| {
            let lines = copy.split(|byte| *byte == b'\n');
            lines
                .filter(|line| known.contains(&Digest::of(line)))
                .count()
        };
        if left.len() > 1 {
            left.sort_by_cached_key(|copy| {
                std::cmp::Reverse((acknowledged(copy), copy.len(), (*copy).clone()))
            });
        }
        left
    }
}

/// How a copy of a shard that others serve stands to the one that is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meeting {
    /// The same bytes.
    Same,
    /// The known one, and more.
    Longer,
    /// The beginning of the known one.
    Shorter,
    /// Neither begins with the other.
    Forked,
}

/// Compares two copies of a shard.
#[must_use]
pub fn meet(known: &[u8], served: &[u8]) -> Meeting {
    match (served.starts_with(known), known.starts_with(served)) {
        (true, true) => Meeting::Same,
        (true, false) => Meeting::Longer,
        (false, true) => Meeting::Shorter,
        (false, false) => Meeting::Forked,
    }
}

/// The union of two sets of shards: commutative, associative, idempotent. A copy that is the
/// beginning of another is contained in it.
#[must_use]
pub fn union(one: Vec<Shard>, other: Vec<Shard>) -> Vec<Shard> {
    let mut by_name: BTreeMap<String, Shard> = BTreeMap::new();
    for shard in one.into_iter().chain(other) {
        let Some(there) = by_name.get_mut(&shard.name) else {
            by_name.insert(shard.name.clone(), shard);
            continue;
        };
        for (have, more) in [
            (&mut there.copies, shard.copies),
            (&mut there.received, shard.received),
        ] {
            have.extend(more);
            let all = have.clone();
            have.retain(|copy| {
                !all.iter()
                    .any(|longer| longer.len() > copy.len() && longer.starts_with(copy))
            });
        }
        there.unreadable = there.unreadable.take().max(shard.unreadable);
        there.anchors.extend(shard.anchors);
        there.anchors_damaged |= shard.anchors_damaged;
    }
    by_name.into_values().collect()
}

/// How far one entry can be believed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Grade {
    /// It does not verify: it counts for nothing.
    Broken,
    /// It follows the line before, and nothing vouches for it: a claim, which can make things
    /// stricter, never laxer (LED-10).
    Chained,
    /// It is nowhere acknowledged here, and a signer of the list vouches for it.
    Sealed,
    /// It is a line that this user's countersign acknowledged.
    Anchored,
}

impl Grade {
    /// The word for lists and JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Broken => "broken",
            Self::Chained => "chained",
            Self::Sealed => "sealed",
            Self::Anchored => "anchored",
        }
    }

    /// Whether anything vouches for the entry: an anchor of ours, or a seal.
    #[must_use]
    pub fn is_believed(self) -> bool {
        self >= Self::Sealed
    }
}

/// An entry with its grade.
#[derive(Clone, PartialEq, Debug)]
pub struct Checked {
    /// The entry.
    pub entry: Entry,
    /// How far it can be believed.
    pub grade: Grade,
    /// The line of the shard it stands on, 1-based.
    pub line: u64,
    /// SHA-256 of its line.
    pub digest: Digest,
    /// Whether every line of its shard up to here is in its place.
    pub whole: bool,
    /// The good seals that cover it.
    pub seals: Vec<Sealed>,
}

/// The state of the whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// Every line verifies.
    Ok,
    /// Damage; the rest is usable.
    Degraded,
    /// Changed, cut or forged.
    Tampered,
    /// Something could not be read.
    CannotTell,
}

impl Status {
    /// The word for people and JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Degraded => "degraded",
            Self::Tampered => "tampered",
            Self::CannotTell => "cannot tell",
        }
    }
}

/// All entries of one change, with everything that is wrong.
#[derive(Clone, PartialEq, Debug)]
pub struct Verified {
    /// Every readable entry, by shard and line.
    pub entries: Vec<Checked>,
    /// Every finding, by shard and line.
    pub findings: Vec<Finding>,
}

impl Verified {
    /// The state of the whole.
    #[must_use]
    pub fn status(&self) -> Status {
        let worst = self.findings.iter().map(|found| found.code.weight()).max();
        match worst {
            None | Some(Weight::Note) => Status::Ok,
            Some(Weight::Damage) => Status::Degraded,
            Some(Weight::Unreadable) => Status::CannotTell,
            Some(Weight::Tamper) => Status::Tampered,
        }
    }

    /// The state as the rules want it.
    #[must_use]
    pub fn health(&self) -> LedgerHealth {
        let count = |least: Weight| {
            let found = self.findings.iter().filter(|f| f.code.weight() >= least);
            u32::try_from(found.count()).unwrap_or(u32::MAX)
        };
        match self.status() {
            Status::Ok => LedgerHealth::Ok,
            Status::Degraded => LedgerHealth::Degraded(count(Weight::Damage)),
            Status::Tampered => LedgerHealth::Tampered(count(Weight::Damage)),
            Status::CannotTell => {
                let first = self.findings.iter().find(|f| f.code == Code::Unreadable);
                LedgerHealth::Unknown(Reason::new(
                    first.map_or_else(String::new, |f| f.message.clone()),
                ))
            }
        }
    }
}

/// Finds companion texts by their digest.
pub type TextOf<'a> = &'a dyn Fn(&Digest) -> Option<Vec<u8>>;

/// Reads and checks the shards of one change; seals count for nothing.
#[must_use]
pub fn verify(place: &Place<'_>, shards: &[Shard], text_of: TextOf<'_>) -> Verified {
    verify_with(place, shards, text_of, &seal::nobody)
}

/// The same; `vouch` is asked about every seal.
#[must_use]
pub fn verify_with(
    place: &Place<'_>,
    shards: &[Shard],
    text_of: TextOf<'_>,
    vouch: VouchFor<'_>,
) -> Verified {
    let mut out = Verified {
        entries: Vec::new(),
        findings: Vec::new(),
    };
    for shard in shards {
        check::Check::new(place, shard, text_of).run(&mut out);
    }
    reused_ids(&mut out);
    seal::check(place, vouch, &mut out);
    heads_that_others_saw(shards, &mut out);
    out.findings.sort();
    out.findings.dedup();
    out
}

/// An id that stands twice: of those with the best grade the first keeps it, the others are
/// broken, so that a copied id takes nothing from the entry it was copied from.
fn reused_ids(out: &mut Verified) {
    let mut known: BTreeMap<EntryId, (String, u64)> = BTreeMap::new();
    let mut by_grade: Vec<&mut Checked> = out.entries.iter_mut().collect();
    by_grade.sort_by_key(|checked| std::cmp::Reverse(checked.grade));
    for checked in by_grade {
        let here = (checked.entry.shard.clone(), checked.line);
        if let Some((shard, line)) = known.get(&checked.entry.id) {
            out.findings.push(Finding {
                shard: here.0,
                line: here.1,
                code: Code::IdReused,
                message: format!("{}: {shard}:{line}", Code::IdReused.says()),
            });
            checked.grade = Grade::Broken;
        } else {
            known.insert(checked.entry.id, here);
        }
    }
}

/// What one shard says about another: a line that somebody read must still be there. Of two
/// that contradict each other the acknowledged line is right, and what names another is wrong.
fn heads_that_others_saw(shards: &[Shard], out: &mut Verified) {
    let mut lines: BTreeMap<(&str, u64), BTreeMap<Digest, Grade>> = BTreeMap::new();
    for checked in &out.entries {
        let at = (checked.entry.shard.as_str(), checked.entry.seq);
        lines
            .entry(at)
            .or_default()
            .insert(checked.digest, checked.grade);
    }
    let there: BTreeSet<&str> = shards
        .iter()
        .filter(|shard| !shard.copies.is_empty() || !shard.received.is_empty())
        .map(|shard| shard.name.as_str())
        .collect();
    let mut found = Vec::new();
    for checked in out.entries.iter().filter(|c| c.grade != Grade::Broken) {
        let claimed = checked.grade == Grade::Chained;
        for head in &checked.entry.after {
            let code = match lines.get(&(head.shard.as_str(), head.seq)) {
                Some(there) if there.contains_key(&head.line) => continue,
                Some(there) if claimed && there.values().any(|g| *g > Grade::Chained) => {
                    found.push(Finding {
                        shard: shown(&checked.entry.shard),
                        line: checked.line,
                        code: Code::FalseHead,
                        message: format!(
                            "{}: {}:{}",
                            Code::FalseHead.says(),
                            shown(&head.shard),
                            head.seq
                        ),
                    });
                    continue;
                }
                Some(_) => Code::Rewritten,
                None if there.contains(head.shard.as_str()) => Code::CutTail,
                None => Code::MissingShard,
            };
            found.push(Finding {
                shard: shown(&head.shard),
                line: head.seq,
                code,
                message: format!(
                    "{}: {}:{} saw it up to entry {}",
                    code.says(),
                    checked.entry.shard,
                    checked.line,
                    head.seq
                ),
            });
        }
    }
    out.findings.extend(found);
}

pub(super) fn shown(text: &str) -> String {
    Foreign::from(text).shown(ShownIn::Strict).plain()
}
