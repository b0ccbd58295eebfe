//! The facts of a change, put together: what the reader found, what the ledger knows, who sits
//! here, and the lints. Nothing is judged and nothing is run.

use crate::adapters::git::record::Opened;
use crate::gate::dossier::{Dispute, Dossier, Moved};
use crate::gate::floor::lint::lint;
use crate::gate::kept::{Kept, same};
use crate::gate::request::Request;
use crate::ledger::entry::Body;
use crate::ledger::replay::{Conflict, History};
use crate::ledger::verify::Grade;
use crate::model::contract::ContractOfRecord;
use crate::model::id::EntryId;
use crate::model::known::{Known, Reason};
use crate::model::ruling::Principal;
use crate::model::text::{Foreign, Place};

/// The dossier at opening: files and scope are still being read.
#[must_use]
pub fn dossier(
    opened: &Opened,
    history: &History,
    kept: Vec<Kept>,
    who: Known<Principal>,
) -> Dossier {
    let reading = || Reason::new("the changed files are still being read");
    Dossier {
        change: opened.change.clone(),
        snapshot: opened.snapshot.clone(),
        moved: Known::Is(Moved::default()),
        kept,
        earlier: Vec::new(),
        policy_faults: Vec::new(),
        notes: opened.notes.clone(),
        contract: opened.contract.clone(),
        candidates: opened.candidates.clone(),
        lints: opened.contract.known().map(lints).unwrap_or_default(),
        files: Known::Unknown(reading()),
        scope: Known::Unknown(reading()),
        chains: Known::NotSupplied,
        spec: Known::NotSupplied,
        commits: opened.commits.clone(),
        runs: history.runs.clone(),
        decisions: history.decisions.clone(),
        disputes: disputes(opened, history),
        replaced: history.replaced.clone(),
        assertions: history.assertions.clone(),
        rulings: history.rulings.clone(),
        ledger: history.health.clone(),
        first_request: history.first_request,
        who,
        self_ratified: Known::NotSupplied,
        round: round(history),
        request: Request::default(),
        messages: Vec::new(),
        run_record: Known::NotSupplied,
    }
}

/// What people said against each other on this very snapshot.
fn disputes(opened: &Opened, history: &History) -> Vec<Dispute> {
    let decision = |id: EntryId| match &history.row(id)?.entry.body {
        Body::Decision(decision) => Some(decision),
        _ => None,
    };
    let here = |conflict: &&Conflict| {
        let counts = decision(conflict.counts);
        counts.is_some_and(|decision| same(decision.snapshot(), &opened.snapshot))
    };
    let conflicts = history.conflicts.iter().filter(here);
    conflicts
        .map(|conflict| Dispute {
            subject: conflict.subject.clone(),
            counts: conflict.counts,
            says: conflict
                .between
                .iter()
                .filter_map(|(id, by)| {
                    let word = decision(*id)?.act().word();
                    let row = history.row(*id)?;
                    let by = Foreign::from(by.as_str()).shown(Place::Strict);
                    let claimed = match row.grade {
                        Grade::Chained | Grade::Broken => ", claimed",
                        _ => "",
                    };
                    Some(format!("{word} by {by} (entry {}{claimed})", row.number))
                })
                .collect(),
        })
        .collect()
}

fn lints(
    record: &ContractOfRecord,
) -> Vec<(
    crate::model::id::CriterionId,
    crate::gate::floor::lint::Lint,
)> {
    let contract = &record.contract;
    let of = |criterion| {
        let found = lint(contract, criterion);
        found.into_iter().map(|found| (criterion.id.clone(), found))
    };
    contract.criteria.iter().flat_map(of).collect()
}

/// One more than the highest round of a ruling of this change that used one (rulings A4, H30).
fn round(history: &History) -> Known<u32> {
    let used = history
        .rulings
        .iter()
        .filter(|ruling| !ruling.value.floor_bounce())
        .map(|ruling| ruling.value.round())
        .max()
        .unwrap_or(0);
    Known::Is(used.saturating_add(1))
}
