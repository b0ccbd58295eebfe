//! The edits that a person saw as a diff and confirmed: written after the ruling, byte for byte
//! by splice, each with an entry of its own. A ruling stands whatever becomes of them
//! (choices, exit of a gate session).

use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::OpenOptionsExt as _;

use crate::adapters::contract;
use crate::adapters::evidence_store::EvidenceStore;
use crate::adapters::splice::{self, Edit, evidence};
use crate::app::msg::{Answer, EditOrder, Trouble};
use crate::gate::dossier::{EditTarget, RunFact};
use crate::gate::handoff::EditToCommit;
use crate::ledger::entry::{self, Body};
use crate::model::id::{CriterionId, Digest, EntryId, RepoPath, Ticket};
use crate::model::text::Place;

use super::clerk::Clerk;

/// Largest contract that is written to.
const LIMIT: u64 = 16 << 20;

impl Clerk {
    /// Writes confirmed edits in their order; what cannot be written is said and left undone.
    pub fn write_edits(&mut self, ticket: Ticket, orders: &[EditOrder], runs: &[RunFact]) {
        for order in orders {
            let written = self
                .edits_of(order, runs)
                .and_then(|edits| self.write_all(kind_of(order), &edits));
            let answer = written.map_err(|why| {
                self.undone.push(format!("{}: {why}", order.says()));
                Trouble {
                    says: format!("{}: {why}.", order.says()),
                    hint: "The ruling stands, recorded.".into(),
                }
            });
            self.answer(ticket, Answer::Written(answer));
        }
    }

    fn edits_of(&self, order: &EditOrder, runs: &[RunFact]) -> Result<Vec<Edit>, String> {
        let pins = self.pins.as_ref().ok_or("nothing is open")?;
        let date = jiff::Timestamp::now().strftime("%Y-%m-%d").to_string();
        Ok(match order {
            EditOrder::Evidence(ids) => ids
                .iter()
                .map(|id| Ok(Edit::Evidence(id.clone(), self.evidence(id, runs)?)))
                .collect::<Result<_, String>>()?,
            EditOrder::Abandon { criterion, text } => {
                vec![Edit::Abandon(criterion.clone(), one_line(text))]
            }
            EditOrder::Lift(criterion) => vec![Edit::LiftAbandon(criterion.clone())],
            EditOrder::Scope(path) => vec![Edit::Scope {
                path: plain_path(path)?,
                date,
            }],
            EditOrder::Gate(EditTarget::Criterion(id)) => {
                let record = pins.opened.contract.known();
                let head = record.and_then(|record| record.head_bytes.as_ref());
                vec![Edit::Take {
                    id: id.clone(),
                    from: head.ok_or("the head has no such contract")?.raw().to_vec(),
                    date,
                }]
            }
            EditOrder::Gate(
                EditTarget::Whole | EditTarget::Request | EditTarget::Scope | EditTarget::Header,
            ) => return Err("that part stands in the worktree as the change wrote it".into()),
        })
    }

    /// The text of a slot, from the newest run on the pinned tree.
    fn evidence(&self, id: &CriterionId, runs: &[RunFact]) -> Result<String, String> {
        let tree = self.pins.as_ref().map(|pins| pins.opened.snapshot.tree);
        let newest = runs
            .iter()
            .rfind(|run| &run.criterion == id && Some(run.tree) == tree);
        let fact = newest.ok_or("it was not run on this tree")?;
        let store = EvidenceStore::new(&self.seat.folders.state);
        let mut output = Vec::new();
        for digest in &fact.output {
            let stored = store.get(digest).map_err(|error| error.to_string())?;
            for line in stored.lines_of(0..stored.lines) {
                if let crate::adapters::evidence_store::StoredLine::Line(text) = line {
                    output.extend_from_slice(text.raw());
                    output.push(b'\n');
                }
            }
        }
        let pins = self.pins.as_ref().ok_or("nothing is open")?;
        let hide = evidence::machine_words(&pins.opened.worktree, &self.seat.folders);
        evidence::value(fact, None, &output, &hide)
            .ok_or_else(|| "its run was not brought to an end".into())
    }

    /// Works all edits of one order out on the file as it is now and writes it once.
    fn write_all(&mut self, kind: &str, edits: &[Edit]) -> Result<EntryId, String> {
        let pins = self.pins.as_mut().ok_or("nothing is open")?;
        let record = pins.opened.contract.known().ok_or("there is no contract")?;
        let path = record.contract.path.clone();
        let worktree = pins.opened.worktree.clone();
        let mut bytes = read_regular(&worktree.join(os(&path))).map_err(|e| e.to_string())?;
        let before = Digest::of(&bytes);
        let (values, others) = slots_first(edits);
        if !values.is_empty() {
            let contract = contract::read(&path, &bytes, None);
            let planned = splice::plan_evidence(&bytes, &contract, &values);
            bytes = planned.map_err(|e| e.to_string())?.after;
        }
        for edit in others {
            let contract = contract::read(&path, &bytes, None);
            let planned = splice::plan(&bytes, &contract, edit).map_err(|e| e.to_string())?;
            bytes = planned.after;
        }
        let after = Digest::of(&bytes);
        splice::write::write(&worktree, path.as_bytes(), before, &bytes)
            .map_err(|error| error.to_string())?;
        pins.contract_is(after);
        let shown = path.foreign().shown(Place::Strict);
        self.edits.push(format!("{shown} ({kind})"));
        self.to_commit.push(EditToCommit {
            path: path.clone(),
            kind: kind.to_owned(),
            after,
        });
        let entry = entry::Edit {
            path,
            kind: kind.to_owned(),
            before,
            after,
        };
        let receipt = self.append_fact(Body::Edit(entry));
        receipt
            .map(|receipt| receipt.entry)
            .map_err(|trouble| format!("written, but {}", trouble.says))
    }
}

/// The values of slots, which are written in one reading, and every other edit.
fn slots_first(edits: &[Edit]) -> (Vec<(CriterionId, String)>, Vec<&Edit>) {
    let (mut values, mut others) = (Vec::new(), Vec::new());
    for edit in edits {
        match edit {
            Edit::Evidence(id, value) => values.push((id.clone(), value.clone())),
            Edit::Abandon(..) | Edit::LiftAbandon(_) | Edit::Scope { .. } | Edit::Take { .. } => {
                others.push(edit);
            }
        }
    }
    (values, others)
}

fn kind_of(order: &EditOrder) -> &'static str {
    match order {
        EditOrder::Evidence(_) => "evidence",
        EditOrder::Abandon { .. } => "abandon",
        EditOrder::Lift(_) => "lift",
        EditOrder::Scope(_) | EditOrder::Gate(_) => "gated",
    }
}

fn os(path: &RepoPath) -> &std::ffi::OsStr {
    std::ffi::OsStr::from_bytes(path.as_bytes())
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn plain_path(path: &RepoPath) -> Result<String, String> {
    String::from_utf8(path.as_bytes().to_vec()).map_err(|_| "the path is not UTF-8".into())
}

fn read_regular(path: &std::path::Path) -> io::Result<Vec<u8>> {
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let file = File::options()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("the contract is not a regular file"));
    }
    let mut bytes = Vec::new();
    file.take(LIMIT).read_to_end(&mut bytes)?;
    Ok(bytes)
}
