//! The fold: from the shards of one change to what stands, what was undone, what contradicts
//! itself, and why each past ruling was what it was.
//!
//! The result depends on the entries and on nothing else: not on a clock, not on the order in
//! which shards are handed in. What nothing vouches for can make things stricter, never laxer;
//! what does not verify counts for nothing. This
//! module must never open a file and never judge a fact anew.

mod explain;
mod order;

pub use explain::{Explanation, Rest};

use std::collections::{BTreeMap, BTreeSet};

use super::codec;
use super::entry::{Body, Edit, Entry, Head, Opened};
use super::seal::{self, Sealed, VouchFor, worth};
use super::verify::{self, Checked, Finding, Grade, Place, Shard, Status, TextOf};
use crate::gate::decide::{Decision, Ruling};
use crate::gate::dossier::{Assertion, LedgerHealth, Recorded, RunFact, Subject};
use crate::model::id::{Digest, EntryId};
use crate::model::oracle::Outcome;
use order::Order;

/// Everything that the ledger knows about one change.
#[derive(Clone, PartialEq, Debug)]
pub struct History {
    /// Every entry, oldest first, with its number and its fate.
    pub log: Vec<LogRow>,
    /// The decision that counts for each subject and snapshot, oldest first.
    pub decisions: Vec<Recorded<Decision>>,
    /// Oracle runs, oldest first.
    pub runs: Vec<RunFact>,
    /// Assertions by agents that no standing decision answers, oldest first.
    pub assertions: Vec<Recorded<Assertion>>,
    /// Rulings, oldest first.
    pub rulings: Vec<Recorded<Ruling>>,
    /// Openings of shards, oldest first.
    pub openings: Vec<Recorded<Opened>>,
    /// Confirmed edits that were written, oldest first.
    pub edits: Vec<Recorded<Edit>>,
    /// Decisions that contradict each other and that no later one resolves (LED-17).
    pub conflicts: Vec<Conflict>,
    /// Of the standing decisions on one subject, on different snapshots: a later one, and one that
    /// it was made in the knowledge of and may replace where both snapshots hold.
    pub replaced: Vec<(EntryId, EntryId)>,
    /// SHA-256 of the first REQUEST that was seen for this change (H27).
    pub first_request: Option<Digest>,
    /// The newest acknowledged lines, as few as say it all: what the next session names.
    pub heads: Vec<Head>,
    /// How far the ledger can be trusted.
    pub health: LedgerHealth,
    /// The same as one word.
    pub status: Status,
    /// Everything that is wrong, by shard and line.
    pub findings: Vec<Finding>,
    saw: BTreeMap<u64, BTreeSet<u64>>,
}

/// One entry in the log that people see.
#[derive(Clone, PartialEq, Debug)]
pub struct LogRow {
    /// Its number, from 1.
    pub number: u64,
    /// The entry.
    pub entry: Entry,
    /// How far it can be believed.
    pub grade: Grade,
    /// The good seals that cover it.
    pub seals: Vec<Sealed>,
    /// What became of it.
    pub fate: Fate,
}

/// What became of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// It counts.
    Stands,
    /// This entry took it back.
    Undone(EntryId),
    /// This later entry of somebody who had read it replaced it.
    Superseded(EntryId),
    /// This stricter entry of somebody who had not read it counts instead (LED-17).
    Outvoted(EntryId),
    /// A decision answered the assertion.
    Answered(EntryId),
    /// It does not verify; or nothing vouches for it, and believing it would make things laxer.
    NotBelieved,
    /// Kept, not understood; or an undo of something that is not there.
    NoEffect,
}

impl Fate {
    /// The word for lists and JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Stands => "stands",
            Self::Undone(_) => "undone",
            Self::Superseded(_) => "superseded",
            Self::Outvoted(_) => "outvoted",
            Self::Answered(_) => "answered",
            Self::NotBelieved => "not believed",
            Self::NoEffect => "no effect",
        }
    }

    /// The entry that made it so.
    #[must_use]
    pub fn by(self) -> Option<EntryId> {
        match self {
            Self::Undone(id) | Self::Superseded(id) | Self::Outvoted(id) | Self::Answered(id) => {
                Some(id)
            }
            Self::Stands | Self::NotBelieved | Self::NoEffect => None,
        }
    }
}

/// Decisions about one subject and snapshot, none of which had read the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conflict {
    /// About what.
    pub subject: Subject,
    /// The decisions, with who made them, in log order.
    pub between: Vec<(EntryId, String)>,
    /// The one that counts until a decision of somebody who has read all of them.
    pub counts: EntryId,
}

/// Reads, checks and folds the shards of one change; seals count for nothing.
#[must_use]
pub fn replay(place: &Place<'_>, shards: &[Shard], text_of: TextOf<'_>) -> History {
    replay_with(place, shards, text_of, &seal::nobody)
}

/// The same, with somebody who knows the signers.
#[must_use]
pub fn replay_with(
    place: &Place<'_>,
    shards: &[Shard],
    text_of: TextOf<'_>,
    vouch: VouchFor<'_>,
) -> History {
    let verified = verify::verify_with(place, shards, text_of, vouch);
    let order = Order::of(&verified.entries);
    let numbers = numbers(&order, verified.entries.len());
    let mut fold = Fold {
        entries: &verified.entries,
        order: &order,
        numbers: &numbers,
        fates: vec![Fate::Stands; verified.entries.len()],
    };
    let conflicts = fold.decide();
    fold.assertions();
    let replaced = fold.replaced();
    let mut history = fold.collect();
    history.conflicts = conflicts;
    history.replaced = replaced;
    history.heads = heads(shards, &verified.entries, &order);
    history.health = verified.health();
    history.status = verified.status();
    history.saw = explain::seen_by_rulings(&verified.entries, &order, &numbers);
    history.findings = verified.findings;
    history
}

/// The number of each entry in the log, by index.
fn numbers(order: &Order, count: usize) -> Vec<u64> {
    let mut numbers = vec![0; count];
    for (number, index) in (1u64..).zip(&order.sorted) {
        if let Some(slot) = numbers.get_mut(*index) {
            *slot = number;
        }
    }
    numbers
}

/// The last acknowledged line of each shard that no other such line had read; of a shard of
/// others the last line that is in its place, so that a decision says whose it was made against.
fn heads(shards: &[Shard], entries: &[Checked], order: &Order) -> Vec<Head> {
    let others: BTreeSet<&str> = shards
        .iter()
        .filter(|shard| shard.is_of_others())
        .map(|shard| shard.name.as_str())
        .collect();
    let mut last: BTreeMap<&str, (usize, &Checked)> = BTreeMap::new();
    for (index, checked) in entries.iter().enumerate() {
        let others = others.contains(checked.entry.shard.as_str());
        if checked.grade == Grade::Anchored || others && checked.grade != Grade::Broken {
            last.insert(&checked.entry.shard, (index, checked));
        }
    }
    last.values()
        .filter(|(index, _)| !last.values().any(|(other, _)| order.saw(*other, *index)))
        .map(|(_, checked)| Head {
            shard: checked.entry.shard.clone(),
            seq: checked.entry.seq,
            line: checked.digest,
        })
        .collect()
}

/// Most heads of one subject that are compared with each other.
const COMPARED: usize = 64;

struct Fold<'a> {
    entries: &'a [Checked],
    order: &'a Order,
    numbers: &'a [u64],
    fates: Vec<Fate>,
}

impl Fold<'_> {
    fn fate(&mut self, index: usize, fate: Fate) {
        if let Some(slot) = self.fates.get_mut(index) {
            *slot = fate;
        }
    }

    /// Undoes, supersedes and outvotes.
    fn decide(&mut self) -> Vec<Conflict> {
        let mut by_id: BTreeMap<EntryId, usize> = BTreeMap::new();
        let mut subjects: BTreeMap<&Subject, Vec<usize>> = BTreeMap::new();
        let mut said: BTreeMap<EntryId, usize> = BTreeMap::new();
        for &index in &self.order.sorted {
            let Some(checked) = self.entries.get(index) else {
                continue;
            };
            let believed = checked.grade.is_believed();
            let claimed = checked.grade == Grade::Chained;
            match &checked.entry.body {
                Body::Decision(decision) => {
                    let strict = decision.act().only_takes_away();
                    let follows = believed && self.has_origin(decision);
                    if follows || (believed || claimed) && strict {
                        by_id.entry(checked.entry.id).or_insert(index);
                        subjects.entry(decision.subject()).or_default().push(index);
                    } else {
                        self.fate(index, Fate::NotBelieved);
                        if claimed {
                            said.entry(checked.entry.id).or_insert(index);
                            subjects.entry(decision.subject()).or_default().push(index);
                        }
                    }
                }
                Body::Undo(undo) => {
                    if let Some(target) = said.get(&undo.entry())
                        && self.order.saw(index, *target)
                    {
                        // It decided nothing, and says nothing any more.
                        self.fate(*target, Fate::Undone(checked.entry.id));
                    }
                    let target = by_id.get(&undo.entry()).copied();
                    let target = target.filter(|target| self.order.saw(index, *target));
                    match target {
                        _ if !believed => self.fate(index, Fate::NotBelieved),
                        None => self.fate(index, Fate::NoEffect),
                        Some(target) => self.fate(target, Fate::Undone(checked.entry.id)),
                    }
                }
                Body::Run(run) => {
                    if !believed && (!claimed || run.outcome == Outcome::Met) {
                        self.fate(index, Fate::NotBelieved);
                    }
                }
                Body::Newer { .. } => self.fate(index, Fate::NoEffect),
                Body::Opened(_)
                | Body::Assertion(_)
                | Body::Ruling(_)
                | Body::Edit(_)
                | Body::Seal(_)
                | Body::Posted(_) => {
                    if checked.grade == Grade::Broken {
                        self.fate(index, Fate::NotBelieved);
                    }
                }
            }
        }
        let mut conflicts = Vec::new();
        for (subject, indexes) in subjects {
            let mut left: Vec<usize> = indexes;
            left.retain(|index| {
                let fate = self.fates.get(*index);
                matches!(fate, Some(Fate::Stands | Fate::NotBelieved))
            });
            while let Some(&first) = left.first() {
                let same = |index: &usize| self.snapshot(*index) == self.snapshot(first);
                let (group, rest): (Vec<usize>, Vec<usize>) = left.iter().partition(|i| same(i));
                left = rest;
                conflicts.extend(self.settle(subject, &group));
            }
        }
        conflicts
    }

    /// Whether what a carry-over names is there: a decision that says the same of the same thing
    /// on another snapshot. A decision that was carried over from nowhere needs none.
    fn has_origin(&self, carried: &Decision) -> bool {
        let Some(origin) = carried.carried() else {
            return true;
        };
        (0..self.entries.len()).any(|index| {
            self.decision(index).is_some_and(|(from, entry)| {
                entry == origin.entry
                    && from.subject() == carried.subject()
                    && from.act().word() == carried.act().word()
                    && from.snapshot().head == origin.head
                    && from.snapshot() != carried.snapshot()
            })
        })
    }

    fn decision(&self, index: usize) -> Option<(&Decision, EntryId)> {
        let entry = &self.entries.get(index)?.entry;
        match &entry.body {
            Body::Decision(decision) => Some((decision, entry.id)),
            Body::Opened(_)
            | Body::Run(_)
            | Body::Undo(_)
            | Body::Assertion(_)
            | Body::Ruling(_)
            | Body::Edit(_)
            | Body::Seal(_)
            | Body::Posted(_)
            | Body::Newer { .. } => None,
        }
    }

    fn snapshot(&self, index: usize) -> Option<&crate::model::snapshot::Snapshot> {
        self.decision(index)
            .map(|(decision, _)| decision.snapshot())
    }

    /// How strict the decision is, and whether anything vouches for it.
    fn weight(&self, index: usize) -> (u8, bool) {
        let strict = self
            .decision(index)
            .map_or(0, |(d, _)| d.act().strictness());
        let grade = self.entries.get(index).map(|checked| checked.grade);
        (strict, grade > Some(Grade::Chained))
    }

    /// Whether a decision may count: something vouches for it, or it only takes away.
    fn may_count(&self, index: usize) -> bool {
        self.fates.get(index) == Some(&Fate::Stands)
    }

    /// Whether `later` takes the place of `index`: it was made in the knowledge of it, and a mere
    /// claim replaces nothing that is stricter, and nothing at all that counts unless it may count
    /// itself.
    fn replaces(&self, later: usize, index: usize) -> bool {
        let ((strict, vouched), (than, _)) = (self.weight(later), self.weight(index));
        let claim_fits = self.may_count(later) && strict >= than;
        self.order.saw(later, index) && (vouched || claim_fits || !self.may_count(index))
    }

    /// Of the decisions about one subject on one snapshot, in log order, lets one stand. What is
    /// not believed never counts, and is shown where it contradicts what does: the same conflict
    /// on both sides.
    fn settle(&mut self, subject: &Subject, group: &[usize]) -> Option<Conflict> {
        let newest: Vec<usize> = group
            .iter()
            .copied()
            .filter(|index| !group.iter().any(|other| self.replaces(*other, *index)))
            .collect();
        let counting = newest
            .iter()
            .copied()
            .filter(|index| self.may_count(*index));
        let counts = counting.max_by_key(|index| {
            let strict = self.decision(*index).map(|(d, _)| d.act().strictness());
            (strict, self.numbers.get(*index).copied())
        })?;
        let (chosen, by) = self.decision(counts)?;
        let word = chosen.act().word();
        let between: Vec<(EntryId, String)> = newest
            .iter()
            .filter_map(|index| self.decision(*index))
            .map(|(decision, id)| (id, decision.by().to_owned()))
            .collect();
        let differ = newest
            .iter()
            .filter_map(|index| self.decision(*index))
            .any(|(decision, _)| decision.act().word() != word);
        let mut fates = Vec::new();
        for &index in group {
            if index == counts || !self.may_count(index) {
                continue;
            }
            let fate = match newest.contains(&index) {
                true => Fate::Outvoted(by),
                false => {
                    let later = newest
                        .iter()
                        .find(|later| self.replaces(**later, index))
                        .and_then(|later| self.decision(*later));
                    Fate::Superseded(later.map_or(by, |(_, id)| id))
                }
            };
            fates.push((index, fate));
        }
        for (index, fate) in fates {
            self.fate(index, fate);
        }
        differ.then(|| Conflict {
            subject: subject.clone(),
            between,
            counts: by,
        })
    }

    /// Pairs of standing decisions on one subject and different snapshots, the later one first.
    fn replaced(&self) -> Vec<(EntryId, EntryId)> {
        let mut subjects: BTreeMap<&Subject, Vec<(usize, EntryId)>> = BTreeMap::new();
        for &index in &self.order.sorted {
            if let (true, Some((decision, id))) = (self.may_count(index), self.decision(index)) {
                subjects
                    .entry(decision.subject())
                    .or_default()
                    .push((index, id));
            }
        }
        let mut out = Vec::new();
        for all in subjects.values() {
            // of very many heads the earliest stay strict: nobody's tree is as old as that
            let newest = all.get(all.len().saturating_sub(COMPARED)..).unwrap_or(all);
            for (later, by) in newest {
                let earlier = newest
                    .iter()
                    .filter(|(index, _)| self.replaces(*later, *index));
                out.extend(earlier.map(|(_, id)| (*by, *id)));
            }
        }
        out
    }

    /// Marks the assertions that a standing decision answers.
    fn assertions(&mut self) {
        let mut answers: BTreeMap<EntryId, EntryId> = BTreeMap::new();
        for (index, checked) in self.entries.iter().enumerate() {
            if self.fates.get(index) == Some(&Fate::Stands)
                && let Body::Decision(decision) = &checked.entry.body
                && let Subject::Assertion(id) = decision.subject()
            {
                answers.insert(*id, checked.entry.id);
            }
        }
        for (index, checked) in self.entries.iter().enumerate() {
            if let (Body::Assertion(_), Some(answer)) =
                (&checked.entry.body, answers.get(&checked.entry.id))
            {
                self.fate(index, Fate::Answered(*answer));
            }
        }
    }

    fn collect(self) -> History {
        let mut out = History {
            log: Vec::with_capacity(self.entries.len()),
            decisions: Vec::new(),
            runs: Vec::new(),
            assertions: Vec::new(),
            rulings: Vec::new(),
            openings: Vec::new(),
            edits: Vec::new(),
            conflicts: Vec::new(),
            replaced: Vec::new(),
            first_request: None,
            heads: Vec::new(),
            health: LedgerHealth::Ok,
            status: Status::Ok,
            findings: Vec::new(),
            saw: BTreeMap::new(),
        };
        for (number, index) in (1u64..).zip(&self.order.sorted) {
            let (Some(checked), Some(fate)) = (self.entries.get(*index), self.fates.get(*index))
            else {
                continue;
            };
            out.log.push(LogRow {
                number,
                entry: checked.entry.clone(),
                grade: checked.grade,
                seals: checked.seals.clone(),
                fate: *fate,
            });
            if *fate == Fate::Stands {
                out.add(number, checked);
            }
        }
        out
    }
}

impl History {
    fn add(&mut self, number: u64, checked: &Checked) {
        let Checked {
            entry,
            grade,
            seals,
            ..
        } = checked;
        let id = entry.id;
        match &entry.body {
            Body::Opened(opened) => {
                self.first_request = self.first_request.or(opened.request);
                self.openings.push(recorded(id, number, opened.clone()));
            }
            Body::Run(run) => self.runs.push(RunFact {
                number,
                ..run.clone()
            }),
            Body::Decision(decision) => {
                let worth = worth(decision.assurance(), decision.by(), *grade, seals);
                let value = codec::decision_worth(decision, worth);
                self.decisions.push(recorded(id, number, value));
            }
            Body::Assertion(assertion) => {
                self.assertions
                    .push(recorded(id, number, assertion.clone()));
            }
            Body::Ruling(ruling) => {
                let worth = worth(ruling.assurance(), ruling.by(), *grade, seals);
                let value = codec::ruling_worth(ruling, worth);
                self.rulings.push(recorded(id, number, value));
            }
            Body::Edit(edit) => self.edits.push(recorded(id, number, edit.clone())),
            Body::Undo(_) | Body::Seal(_) | Body::Posted(_) | Body::Newer { .. } => {}
        }
    }

    /// The row of an entry.
    #[must_use]
    pub fn row(&self, id: EntryId) -> Option<&LogRow> {
        self.log.iter().find(|row| row.entry.id == id)
    }
}

fn recorded<T>(entry: EntryId, number: u64, value: T) -> Recorded<T> {
    Recorded {
        entry,
        number,
        value,
    }
}
