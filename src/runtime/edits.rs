//! The edits that a person saw as a diff and confirmed: worked out on the file as it stands, and
//! after the ruling written exactly so, or not at all. A ruling stands whatever becomes of them
//! (choices, exit of a gate session).

use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::OpenOptionsExt as _;

use crate::adapters::contract;
use crate::adapters::evidence_store::EvidenceStore;
use crate::adapters::splice::lines::{changed, only_slots};
use crate::adapters::splice::{self, Edit, evidence};
use crate::app::edit::{DiffLine, EditOrder, EditPart, EditPlan};
use crate::app::msg::{Answer, Trouble};
use crate::gate::decide::Ruling;
use crate::gate::dossier::{EditTarget, RunFact};
use crate::gate::handoff::EditToCommit;
use crate::ledger::entry::{self, Body};
use crate::model::id::{CriterionId, Digest, EntryId, RepoPath, Ticket};
use crate::model::text::Place;

use super::clerk::Clerk;

/// Largest contract that is written to.
const LIMIT: u64 = 16 << 20;

/// A file with the edits that were shown, not written.
#[derive(Debug)]
pub struct PlannedFile {
    path: RepoPath,
    kinds: Vec<&'static str>,
    before: Digest,
    after: Digest,
    bytes: Vec<u8>,
}

impl Clerk {
    /// Works edits out on the file as it is now and says what they come to.
    pub fn plan(&mut self, ticket: Ticket, orders: &[EditOrder], runs: &[RunFact]) {
        self.planned = None;
        let answer = self.work_out(orders, runs).map_err(|why| Trouble {
            says: format!("nothing can be written: {why}."),
            hint: "Go back and switch the edits off, or read again once it is mended.".into(),
        });
        self.answer(ticket, Answer::Planned(answer.map(Box::new)));
    }

    fn work_out(&mut self, orders: &[EditOrder], runs: &[RunFact]) -> Result<EditPlan, String> {
        let pins = self.pins.as_ref().ok_or("nothing is open")?;
        let record = pins.opened.contract.known().ok_or("there is no contract")?;
        let path = record.contract.path.clone();
        if path.is_ticket() {
            return Err("a ticket file is never written to".into());
        }
        let file = pins.opened.worktree.join(os(&path));
        let mut bytes = read_regular(&file).map_err(|error| error.to_string())?;
        let before = Digest::of(&bytes);
        let mut parts = Vec::new();
        if let Some(head) = &record.head_bytes
            && head.raw() != bytes.as_slice()
        {
            // What a commit of the file would bring along has to be on the page as well.
            if !only_slots(&path, head.raw(), &bytes) {
                return Err(
                    "the contract in your worktree differs from the head in more than evidence"
                        .into(),
                );
            }
            parts.push(EditPart {
                says: "evidence that stands in your worktree already, not committed".into(),
                lines: Ok(lines(head.raw(), &bytes)),
            });
        }
        let mut kinds = Vec::new();
        for order in orders {
            let done = self
                .edits_of(order, runs)
                .and_then(|edits| applied(&path, &bytes, &edits));
            let written = done.map(|after| {
                let shown = lines(&bytes, &after);
                bytes = after;
                if !kinds.contains(&order.kind()) {
                    kinds.push(order.kind());
                }
                shown
            });
            parts.push(EditPart {
                says: order.says(),
                lines: written,
            });
        }
        let after = Digest::of(&bytes);
        self.planned = Some(PlannedFile {
            path: path.clone(),
            kinds,
            before,
            after,
            bytes,
        });
        Ok(EditPlan {
            path,
            before,
            after,
            parts,
        })
    }

    /// Whether the edits of a ruling are those that were shown, on a file that is still as it
    /// was then. Looked at before the ruling is recorded.
    pub(super) fn as_shown(&self, ruling: &Ruling) -> Result<(), Trouble> {
        let Some(edit) = ruling.edits().first() else {
            return Ok(());
        };
        let again = || "S works the edits out again and shows them.".to_owned();
        let planned = self.planned.as_ref();
        let planned = planned.filter(|p| p.path == edit.path && p.after == edit.after);
        let (Some(planned), Some(pins)) = (planned, self.pins.as_ref()) else {
            return Err(Trouble {
                says: "the edits are not those that were shown.".into(),
                hint: again(),
            });
        };
        let now = read_regular(&pins.opened.worktree.join(os(&planned.path)));
        if now.is_ok_and(|bytes| Digest::of(&bytes) == planned.before) {
            return Ok(());
        }
        let path = planned.path.foreign().shown(Place::Strict);
        Err(Trouble {
            says: format!("{path} changed after its edits were shown; nothing was written."),
            hint: again(),
        })
    }

    /// Writes what was planned for a ruling that is recorded, in one step or not at all.
    pub fn write_edits(&mut self, ticket: Ticket, ruling: &Ruling) {
        if ruling.edits().is_empty() {
            return;
        }
        let written = match self.planned.take() {
            Some(planned) => self.write_planned(planned),
            None => Err("nothing was worked out".to_owned()),
        };
        let answer = written.map_err(|why| {
            self.undone
                .push(format!("the edits of the contract: {why}"));
            Trouble {
                says: format!("{why}."),
                hint: "The ruling stands, recorded.".into(),
            }
        });
        self.answer(ticket, Answer::Written(answer));
    }

    fn write_planned(&mut self, planned: PlannedFile) -> Result<EntryId, String> {
        let pins = self.pins.as_mut().ok_or("nothing is open")?;
        let PlannedFile {
            path,
            kinds,
            before,
            after,
            bytes,
        } = planned;
        let top = pins.opened.worktree.clone();
        splice::write::write(&top, path.as_bytes(), before, &bytes)
            .map_err(|error| error.to_string())?;
        pins.contract_is(after);
        let kind = kinds.join(", ");
        self.edits.push(EditToCommit {
            path: path.clone(),
            kind: kind.clone(),
            after,
        });
        let entry = entry::Edit {
            path,
            kind,
            before,
            after,
        };
        let receipt = self.append_fact(Body::Edit(entry));
        receipt
            .map(|receipt| receipt.entry)
            .map_err(|trouble| format!("written, but {}", trouble.says))
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
}

/// The bytes with the edits of one order.
fn applied(path: &RepoPath, bytes: &[u8], edits: &[Edit]) -> Result<Vec<u8>, String> {
    let mut bytes = bytes.to_vec();
    let (values, others) = slots_first(edits);
    if !values.is_empty() {
        let contract = contract::read(path, &bytes, None);
        let planned = splice::plan_evidence(&bytes, &contract, &values);
        bytes = planned.map_err(|e| e.to_string())?.after;
    }
    for edit in others {
        let contract = contract::read(path, &bytes, None);
        let planned = splice::plan(&bytes, &contract, edit).map_err(|e| e.to_string())?;
        bytes = planned.after;
    }
    Ok(bytes)
}

fn lines(before: &[u8], after: &[u8]) -> Vec<DiffLine> {
    let changed = changed(before, after).into_iter();
    changed
        .map(|(sign, line, text)| DiffLine { sign, line, text })
        .collect()
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
