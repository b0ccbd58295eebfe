//! In what order entries happened, as far as anybody can know.
//!
//! Inside a shard the number decides. Between shards only references do: the heads that an entry
//! names, and the entries that it speaks about. Clocks are never looked at (LED-16); what neither
//! refers to the other is concurrent, and is listed in an order that depends on nothing but the
//! entries themselves, so that the union of shards reads the same everywhere.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::gate::dossier::Subject;
use crate::ledger::entry::Body;
use crate::ledger::verify::{Checked, Grade};
use crate::model::evidence::Evidence;
use crate::model::id::EntryId;

/// For each shard, how many of its entries somebody knew.
type Clock = Rc<BTreeMap<usize, usize>>;

/// Entries in order, and what each had before its eyes.
pub(super) struct Order {
    /// Indexes into the checked entries, oldest first.
    pub(super) sorted: Vec<usize>,
    shard: Vec<usize>,
    position: Vec<usize>,
    clock: Vec<Clock>,
}

impl Order {
    /// Whether whoever wrote `later` had read `earlier`.
    pub(super) fn saw(&self, later: usize, earlier: usize) -> bool {
        let (Some(&at), Some(&shard)) = (self.position.get(earlier), self.shard.get(earlier))
        else {
            return false;
        };
        let same = self.shard.get(later) == Some(&shard);
        if same {
            return self.position.get(later).is_some_and(|later| *later > at);
        }
        let known = self.clock.get(later).and_then(|clock| clock.get(&shard));
        known.is_some_and(|known| *known > at)
    }

    /// Orders `entries`, which must be grouped by shard and in line order inside each.
    pub(super) fn of(entries: &[Checked]) -> Self {
        let mut names: BTreeMap<&str, usize> = BTreeMap::new();
        for checked in entries {
            let next = names.len();
            names.entry(&checked.entry.shard).or_insert(next);
        }
        let mut counts = vec![0usize; names.len()];
        let mut shard = Vec::with_capacity(entries.len());
        let mut position = Vec::with_capacity(entries.len());
        for checked in entries {
            let at = names
                .get(checked.entry.shard.as_str())
                .copied()
                .unwrap_or(0);
            shard.push(at);
            if let Some(count) = counts.get_mut(at) {
                position.push(*count);
                *count += 1;
            }
        }
        let before = before(entries, &shard);
        let depth = depths(&before);
        let mut sorted: Vec<usize> = (0..entries.len()).collect();
        let key = |index: &usize| {
            let shard = entries.get(*index).map_or("", |c| c.entry.shard.as_str());
            (
                depth.get(*index).copied(),
                shard,
                position.get(*index).copied(),
            )
        };
        sorted.sort_by(|a, b| key(a).cmp(&key(b)));
        let clock = clocks(&sorted, &before, &shard, &position);
        Self {
            sorted,
            shard,
            position,
            clock,
        }
    }
}

/// For each entry, the entries that it refers to, the one before it in its shard first.
fn before(entries: &[Checked], shard: &[usize]) -> Vec<Vec<usize>> {
    let by_id: BTreeMap<EntryId, usize> = entries
        .iter()
        .enumerate()
        .rev()
        .filter(|(_, checked)| checked.grade != Grade::Broken)
        .map(|(index, checked)| (checked.entry.id, index))
        .collect();
    let by_line: BTreeMap<_, usize> = entries
        .iter()
        .enumerate()
        .rev()
        .map(|(index, checked)| ((checked.entry.shard.as_str(), checked.digest), index))
        .collect();
    let one = |(index, checked): (usize, &Checked)| {
        let mut found = Vec::new();
        let previous = index.checked_sub(1);
        if let Some(previous) = previous.filter(|p| shard.get(*p) == shard.get(index)) {
            found.push(previous);
        }
        for head in &checked.entry.after {
            found.extend(by_line.get(&(head.shard.as_str(), head.line)));
        }
        for id in speaks_of(&checked.entry.body) {
            found.extend(by_id.get(&id));
        }
        found.retain(|other| *other != index);
        found
    };
    entries.iter().enumerate().map(one).collect()
}

/// The entries that a body names.
fn speaks_of(body: &Body) -> Vec<EntryId> {
    match body {
        Body::Undo(undo) => vec![undo.entry()],
        Body::Ruling(ruling) => ruling.decisions().to_vec(),
        Body::Decision(decision) => {
            let mut ids = Vec::new();
            if let Subject::Assertion(id) = decision.subject() {
                ids.push(*id);
            }
            let evidence = decision.act().evidence().iter();
            ids.extend(evidence.filter_map(|piece| match piece {
                Evidence::Run(id) => Some(*id),
                Evidence::Hunk { .. }
                | Evidence::Change { .. }
                | Evidence::Test { .. }
                | Evidence::Rationale(_) => None,
            }));
            ids
        }
        Body::Opened(_)
        | Body::Run(_)
        | Body::Assertion(_)
        | Body::Edit(_)
        | Body::Seal(_)
        | Body::Posted(_)
        | Body::Newer { .. } => Vec::new(),
    }
}

/// The length of the longest chain of references below each entry. Entries in a circle, which
/// only a forger can make, come last.
fn depths(before: &[Vec<usize>]) -> Vec<usize> {
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); before.len()];
    let mut waiting: Vec<usize> = Vec::with_capacity(before.len());
    for (index, those) in before.iter().enumerate() {
        waiting.push(those.len());
        for earlier in those {
            if let Some(list) = after.get_mut(*earlier) {
                list.push(index);
            }
        }
    }
    let mut depth = vec![usize::MAX; before.len()];
    let mut ready: Vec<(usize, usize)> = waiting
        .iter()
        .enumerate()
        .filter(|(_, count)| **count == 0)
        .map(|(index, _)| (index, 0))
        .collect();
    let mut highest = vec![0usize; before.len()];
    while let Some((index, at)) = ready.pop() {
        if let Some(slot) = depth.get_mut(index) {
            *slot = at;
        }
        for later in after.get(index).into_iter().flatten() {
            let (Some(high), Some(count)) = (highest.get_mut(*later), waiting.get_mut(*later))
            else {
                continue;
            };
            *high = (*high).max(at + 1);
            *count -= 1;
            if *count == 0 {
                ready.push((*later, *high));
            }
        }
    }
    depth
}

fn clocks(
    sorted: &[usize],
    before: &[Vec<usize>],
    shard: &[usize],
    position: &[usize],
) -> Vec<Clock> {
    let mut clocks: Vec<Clock> = vec![Rc::default(); before.len()];
    let mut done = BTreeSet::new();
    for &index in sorted {
        let own = shard.get(index);
        let mut clock = Clock::default();
        for &earlier in before.get(index).into_iter().flatten() {
            if !done.contains(&earlier) {
                continue;
            }
            let (Some(theirs), Some(from), Some(at)) = (
                clocks.get(earlier),
                shard.get(earlier),
                position.get(earlier),
            ) else {
                continue;
            };
            if own == Some(from) && clock.is_empty() {
                clock = Rc::clone(theirs);
                continue;
            }
            let knows = clock.get(from).is_some_and(|known| *known > *at);
            if own == Some(from) || knows {
                continue;
            }
            let merged = Rc::make_mut(&mut clock);
            for (shard, known) in theirs.iter() {
                let slot = merged.entry(*shard).or_default();
                *slot = (*slot).max(*known);
            }
            let slot = merged.entry(*from).or_default();
            *slot = (*slot).max(*at + 1);
        }
        if let Some(slot) = clocks.get_mut(index) {
            *slot = clock;
        }
        done.insert(index);
    }
    clocks
}
