//! Why a past ruling was what it was: its stored trace, byte for byte, and the decisions it
//! rests on, rebuilt from what whoever signed it had read.

use std::collections::{BTreeMap, BTreeSet};

use super::order::Order;
use super::{Fate, History, LogRow};
use crate::gate::decide::Ruling;
use crate::gate::dossier::Recorded;
use crate::ledger::entry::Body;
use crate::ledger::verify::Checked;
use crate::model::id::EntryId;
use crate::model::ruling::Verdict;

/// A ruling with its reasons.
#[derive(Clone, PartialEq, Debug)]
pub struct Explanation {
    /// The ruling, its trace included.
    pub ruling: Recorded<Ruling>,
    /// The decisions it names, in its own order.
    pub rests_on: Vec<Rest>,
    /// What does not fit, in words; empty when it can be followed.
    pub complaints: Vec<String>,
}

/// A decision that a ruling names.
#[derive(Clone, PartialEq, Debug)]
pub struct Rest {
    /// Its entry.
    pub entry: EntryId,
    /// Its row in the log, when it is there.
    pub row: Option<LogRow>,
}

/// For the number of each ruling, the numbers of everything that had been read by then.
pub(super) fn seen_by_rulings(
    entries: &[Checked],
    order: &Order,
    numbers: &[u64],
) -> BTreeMap<u64, BTreeSet<u64>> {
    let number = |index: usize| numbers.get(index).copied().unwrap_or(0);
    let rulings = entries
        .iter()
        .enumerate()
        .filter(|(_, checked)| matches!(checked.entry.body, Body::Ruling(_)));
    rulings
        .map(|(ruling, _)| {
            let seen = (0..entries.len()).filter(|index| order.saw(ruling, *index));
            (number(ruling), seen.map(number).collect())
        })
        .collect()
}

impl History {
    /// Every ruling of the change, oldest first, explained.
    #[must_use]
    pub fn explain(&self) -> Vec<Explanation> {
        self.rulings.iter().map(|r| self.explain_one(r)).collect()
    }

    fn explain_one(&self, ruling: &Recorded<Ruling>) -> Explanation {
        let nothing = BTreeSet::new();
        let seen = self.saw.get(&ruling.number).unwrap_or(&nothing);
        let mut complaints = Vec::new();
        let mut rests_on = Vec::new();
        for id in ruling.value.decisions() {
            let row = self.row(*id);
            match row {
                None => complaints.push(format!("entry {} is not here", id.short())),
                Some(row) => self.complain(row, &ruling.value, seen, &mut complaints),
            }
            rests_on.push(Rest {
                entry: *id,
                row: row.cloned(),
            });
        }
        if self
            .row(ruling.entry)
            .is_some_and(|row| !row.grade.is_believed())
        {
            complaints.push("nothing vouches for the ruling itself".into());
        }
        Explanation {
            ruling: ruling.clone(),
            rests_on,
            complaints,
        }
    }

    fn complain(
        &self,
        row: &LogRow,
        ruling: &Ruling,
        seen: &BTreeSet<u64>,
        complaints: &mut Vec<String>,
    ) {
        let number = row.number;
        let Body::Decision(decision) = &row.entry.body else {
            return complaints.push(format!("entry {number} is no decision"));
        };
        if !seen.contains(&number) {
            complaints.push(format!("entry {number} was not there yet"));
        }
        if decision.snapshot() != ruling.snapshot() {
            complaints.push(format!("entry {number} was made on another snapshot"));
        }
        let strict = decision.act().only_takes_away();
        // What only takes away counts as a claim as well.
        if !row.grade.is_believed() && !strict {
            complaints.push(format!("nothing vouches for entry {number}"));
        }
        let before = |id: EntryId| self.row(id).is_some_and(|row| seen.contains(&row.number));
        match row.fate {
            Fate::Undone(by) if before(by) => {
                complaints.push(format!("entry {number} had been undone"));
            }
            Fate::Superseded(by) if before(by) => {
                complaints.push(format!("entry {number} had been superseded"));
            }
            Fate::Stands
            | Fate::Undone(_)
            | Fate::Superseded(_)
            | Fate::Outvoted(_)
            | Fate::Answered(_)
            | Fate::NotBelieved
            | Fate::NoEffect => {}
        }
        if ruling.verdict() == Verdict::Approved && strict {
            complaints.push(format!(
                "APPROVED does not follow from entry {number} ({})",
                decision.act().word()
            ));
        }
    }
}
