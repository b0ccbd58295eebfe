//! Seals: a signature over one line of a shard, which by the chain covers every line before it.
//!
//! What is signed is [`message`], made from where the line stands and what it is, so that a seal
//! copied to another repository, change, shard or line signs something else (LED-24). Whether a
//! signature is good, and for whom, is asked of whoever holds the list of signers; this module
//! opens no file and starts no program.

use std::collections::BTreeMap;

use serde_json::Value;

use super::entry::Seal;
use super::verify::{Checked, Code, Finding, Grade, Place, Verified, shown};
use crate::ledger::entry::Body;
use crate::model::ruling::Assurance;

/// The namespace of every signature of ours: one made for another purpose is none of these.
pub const NAMESPACE: &str = "countersign-decision@countersign";

/// The bytes that are signed: six lines that name the place and the line, and who signs.
#[must_use]
pub fn message(place: &Place<'_>, seal: &Seal) -> Vec<u8> {
    let quoted = |text: &str| Value::from(text).to_string();
    format!(
        "countersign seal 1\nrepository {}\nchange {}\nshard {}\nline {} {}\nby {}\n",
        place.repository,
        quoted(place.change),
        quoted(&seal.shard),
        seal.seq,
        seal.line,
        quoted(&seal.by),
    )
    .into_bytes()
}

/// What is known about a signature.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Vouch {
    /// It is good, by a key that the list of signers gives to this name: L2, or L3 when a key
    /// in hardware was touched for it; with the key's fingerprint.
    Good(Assurance, String),
    /// It is good for no name of the list, or for another time or purpose; why.
    NotListed(String),
    /// It is no signature over this at all; why.
    Bad(String),
    /// Nobody could be asked; why.
    Unchecked(String),
}

/// Asks about one seal.
pub type VouchFor<'a> = &'a dyn Fn(&Place<'_>, &Seal) -> Vouch;

/// Nobody is asked.
#[must_use]
pub fn nobody(_: &Place<'_>, _: &Seal) -> Vouch {
    Vouch::Unchecked("no list of signers was read".into())
}

/// What a good seal says of the lines that it covers.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Sealed {
    /// Who sealed; entries of another name are covered and not vouched for.
    pub by: String,
    /// [`Assurance::Signed`] or [`Assurance::Touched`].
    pub level: Assurance,
    /// Fingerprint of the key.
    pub key: String,
}

/// What a name in an entry is worth: what its line says, as far as anything vouches for it.
#[must_use]
pub fn worth(said: Assurance, by: &str, grade: Grade, seals: &[Sealed]) -> Assurance {
    let floor = match grade {
        Grade::Broken | Grade::Chained => return Assurance::Claimed,
        // A line cannot lift itself: whatever it says, alone it is worth L1 at most.
        Grade::Anchored => said.min(Assurance::Present),
        Grade::Sealed => Assurance::Claimed,
    };
    let own = seals.iter().filter(|seal| seal.by == by);
    own.map(|seal| seal.level).fold(floor, Assurance::max)
}

/// Asks about every seal and marks what the good ones cover.
pub(super) fn check(place: &Place<'_>, vouch: VouchFor<'_>, out: &mut Verified) {
    let mut lines: BTreeMap<(&str, u64), usize> = BTreeMap::new();
    for (index, checked) in out.entries.iter().enumerate() {
        lines.insert((&checked.entry.shard, checked.entry.seq), index);
    }
    let mut good: BTreeMap<String, Vec<(u64, Sealed)>> = BTreeMap::new();
    let mut found = Vec::new();
    for checked in &out.entries {
        let Body::Seal(seal) = &checked.entry.body else {
            continue;
        };
        if checked.grade == Grade::Broken {
            continue;
        }
        let target = lines.get(&(seal.shard.as_str(), seal.seq));
        let target = target.and_then(|index| out.entries.get(*index));
        let fits = target.is_some_and(|target| target.whole && target.digest == seal.line);
        if !fits {
            found.push(finding(checked, Code::SealElsewhere, &seal.shard));
            continue;
        }
        let (code, why) = match vouch(place, seal) {
            Vouch::Good(level, key) => {
                let sealed = Sealed {
                    by: seal.by.clone(),
                    level,
                    key,
                };
                let list = good.entry(seal.shard.clone()).or_default();
                list.push((seal.seq, sealed));
                continue;
            }
            Vouch::NotListed(why) => (Code::SealNotListed, why),
            Vouch::Bad(why) => (Code::SealBroken, why),
            Vouch::Unchecked(why) => (Code::SealUnchecked, why),
        };
        found.push(finding(checked, code, &why));
    }
    for checked in &mut out.entries {
        let Some(seals) = good.get(&checked.entry.shard) else {
            continue;
        };
        let seals = seals.iter().filter(|(seq, _)| checked.entry.seq <= *seq);
        checked.seals = seals.map(|(_, sealed)| sealed.clone()).collect();
        if checked.grade == Grade::Chained && vouched(&checked.entry.body, &checked.seals) {
            checked.grade = Grade::Sealed;
        }
    }
    out.findings.extend(found);
}

/// Whether one of the seals is of the name that the entry carries; what carries none (a run, the
/// opening by a tool, an edit) is vouched for by whoever sealed the shard.
fn vouched(body: &Body, seals: &[Sealed]) -> bool {
    let by = match body {
        Body::Opened(opened) => opened.by.as_deref(),
        Body::Decision(decision) => Some(decision.by()),
        Body::Undo(undo) => Some(undo.by()),
        Body::Ruling(ruling) => Some(ruling.by()),
        Body::Seal(seal) => Some(seal.by.as_str()),
        Body::Run(_) | Body::Edit(_) | Body::Posted(_) => None,
        // An agent's own word stays one, and what is not understood is vouched for by nobody.
        Body::Assertion(_) | Body::Newer { .. } => return false,
    };
    seals.iter().any(|seal| by.is_none_or(|by| by == seal.by))
}

fn finding(checked: &Checked, code: Code, detail: &str) -> Finding {
    let message = format!("{}: {}", code.says(), shown(detail));
    Finding {
        shard: shown(&checked.entry.shard),
        line: checked.line,
        code,
        message,
    }
}
