//! Whether this head is an earlier one with nothing but confirmed edits added, so that what was
//! decided there holds here (rulings K05).

use std::time::Duration;

use crate::adapters::contract;
use crate::adapters::git::GitError;
use crate::adapters::git::record::Opened;
use crate::adapters::git::rounds;
use crate::adapters::git::since::{Answer, Between, Question};
use crate::adapters::reader;
use crate::adapters::splice::lines::only_slots;
use crate::gate::dossier::Dossier;
use crate::gate::floor::tamper;
use crate::gate::kept::{Differs, Kept, KeptWhy, evidence_only, own_edits, same_beside_the_tree};
use crate::gate::verify::since::{self as verify_since, Since};
use crate::ledger::replay::History;
use crate::model::contract::EditKind;
use crate::model::id::{Digest, Oid, RepoPath};
use crate::model::known::{Known, Reason};
use crate::model::ruling::Assurance;
use crate::model::snapshot::Snapshot;

use super::clerk::Clerk;
use super::desk::SINCE;

/// Most earlier heads that are compared with this one.
const MOST: usize = 4;

/// How long one comparison may take before the earlier head counts as another.
const PATIENCE: Duration = Duration::from_secs(5);

/// What the reader said about two heads.
pub type SinceReply = Result<Box<Answer>, GitError>;

impl Clerk {
    /// Finds the earlier heads that this one differs from in confirmed edits alone, and takes
    /// those edits out of what the change did to its contract: they are the person's own.
    pub(super) fn keep_decisions(&self, opened: &mut Opened, history: &History) -> Vec<Kept> {
        kept_decisions(opened, history, |question| {
            while self.since.try_recv().is_ok() {}
            let question = reader::Question::Since(question);
            self.reader.as_ref()?.ask(SINCE, question);
            self.since.recv_timeout(PATIENCE).ok()?.ok().map(|a| *a)
        })
    }
}

/// The earlier heads that this one differs from in confirmed edits alone; `ask` compares two heads.
pub fn kept_decisions(
    opened: &mut Opened,
    history: &History,
    ask: impl Fn(Question) -> Option<Answer>,
) -> Vec<Kept> {
    let mut kept = Vec::new();
    for then in earlier(&opened.snapshot, history) {
        let Some(files) = between(&then, &opened.snapshot, &ask) else {
            continue;
        };
        let path = opened.contract.known().map(|c| c.contract.path.clone());
        let Some(why) = why(&then, &files, path.as_ref(), history) else {
            continue;
        };
        // Only a person's decision makes edits theirs; a run does not.
        let mut decisions = history.decisions.iter();
        if kept.is_empty() && decisions.any(|d| *d.value.snapshot() == then) {
            own_contract_edits(opened, &files);
        }
        kept.push(Kept {
            snapshot: then,
            why,
        });
    }
    kept
}

/// An answer about an earlier round, from the reader.
pub type RoundReply = Result<Box<rounds::Answer>, GitError>;

impl Clerk {
    /// What happened to the change since a round sent it back.
    pub(super) fn since_judged(&self, dossier: &Dossier) -> Known<Since> {
        judged(dossier, |question| self.ask_round(question))
    }

    /// Compares the diff of an earlier head with that of this one; waits for the reader.
    pub(super) fn ask_round(&self, question: rounds::Question) -> Result<rounds::Answer, String> {
        while self.rounds.try_recv().is_ok() {}
        let reader = self.reader.as_ref().ok_or("there is no reader")?;
        reader.ask(SINCE, reader::Question::Round(question));
        match self.rounds.recv_timeout(PATIENCE) {
            Ok(found) => found.map(|answer| *answer).map_err(|error| error.says()),
            Err(_) => Err("the reader did not answer in time".to_owned()),
        }
    }
}

/// What happened to a change since its last round was judged; `ask` compares the diff of then
/// with that of now.
pub fn judged(
    dossier: &Dossier,
    ask: impl Fn(rounds::Question) -> Result<rounds::Answer, String>,
) -> Known<Since> {
    let Some(ruling) = verify_since::judged(dossier) else {
        return Known::NotApplicable(Reason::new("no earlier round sent it back"));
    };
    let (then, now) = (ruling.value.snapshot(), &dossier.snapshot);
    let answer = ask(rounds::Question {
        base_then: then.base_tree.0,
        then: then.tree.0,
        base_now: now.base_tree.0,
        now: now.tree.0,
        ranges: None,
        named: Vec::new(),
    });
    let paths = |found: Vec<serde_bytes::ByteBuf>| {
        let paths = found.into_iter().map(|path| RepoPath::new(path.into_vec()));
        paths.collect::<Vec<_>>()
    };
    match answer {
        Ok(answer) => Known::Is(verify_since::sorted(
            dossier,
            ruling,
            paths(answer.gone),
            paths(answer.changed),
        )),
        Err(why) => Known::Unknown(Reason::new(why)),
    }
}

/// The files that differ between two heads of which the later descends from the earlier.
fn between(
    then: &Snapshot,
    now: &Snapshot,
    ask: &impl Fn(Question) -> Option<Answer>,
) -> Option<Vec<Between>> {
    let answer = ask(Question {
        then: then.head.0,
        now: now.head.0,
    })?;
    files_of(then, answer)
}

/// The snapshots on which something was decided or run and that differ from this one in the tree
/// alone, newest first, what was decided before what was only run.
#[must_use]
pub fn earlier(now: &Snapshot, history: &History) -> Vec<Snapshot> {
    let decisions = history.decisions.iter().rev().map(|d| &d.value);
    let decisions = decisions.filter(|d| d.assurance() != Assurance::Claimed);
    let decided = decisions.map(|decision| decision.snapshot().clone());
    // A run is bound to its tree and to nothing else that a snapshot names.
    // A run on base is none of the change, whatever the change edits.
    let runs = history.runs.iter().rev();
    let runs = runs.filter(|run| run.tree != now.base_tree);
    let run = runs.map(|run| Snapshot {
        head: run.head,
        tree: run.tree,
        ..now.clone()
    });
    let mut found: Vec<Snapshot> = Vec::new();
    for then in decided.chain(run) {
        let fits = then.tree != now.tree && same_beside_the_tree(&then, now);
        if fits && found.len() < MOST && found.iter().all(|known| known.tree != then.tree) {
            found.push(then);
        }
    }
    found
}

/// The files that differ, when what was answered is about this earlier snapshot and a head that
/// descends from it.
#[must_use]
pub fn files_of(then: &Snapshot, answer: Answer) -> Option<Vec<Between>> {
    let whole = answer.descends && Oid(answer.tree) == then.tree;
    answer.files.filter(|_| whole)
}

/// Why what was decided and run on an earlier snapshot counts here, when it does.
#[must_use]
pub fn why(
    then: &Snapshot,
    files: &[Between],
    contract: Option<&RepoPath>,
    history: &History,
) -> Option<KeptWhy> {
    let differs: Vec<Differs> = files.iter().map(differs).collect();
    let mut rulings = history.rulings.iter().rev().filter(|ruling| {
        ruling.value.assurance() != Assurance::Claimed && ruling.value.snapshot() == then
    });
    let wrote = rulings.find(|ruling| own_edits(ruling.value.edits(), &differs));
    match wrote {
        Some(ruling) => Some(KeptWhy::OwnEdits(ruling.number)),
        None => evidence_only(contract, &differs).then_some(KeptWhy::EvidenceOnly),
    }
}

fn differs(file: &Between) -> Differs {
    let path = RepoPath::new(file.path.to_vec());
    let old = file.old.as_deref();
    Differs {
        now: Digest::of(&file.new),
        only_slots: old.is_some_and(|old| only_slots(&path, old, &file.new)),
        path,
    }
}

/// Leaves out of the contract's edits those that were not there at the earlier head.
fn own_contract_edits(opened: &mut Opened, files: &[Between]) {
    let Known::Is(record) = &mut opened.contract else {
        return;
    };
    let path = record.contract.path.as_bytes();
    let mut files = files.iter().filter(|file| **file.path == *path);
    let Some(old) = files.next().and_then(|file| file.old.as_ref()) else {
        return;
    };
    let then = contract::read(&record.contract.path, old, Some(record.contract.format));
    let then = tamper::edits(&record.contract, &then);
    record.edits.retain(|edit| {
        let whole = matches!(
            edit.kind,
            EditKind::NewInChange
                | EditKind::ContractRemoved
                | EditKind::Untracked
                | EditKind::Uncommitted
        );
        let mut known = then.iter();
        whole
            || known.any(|e| {
                (e.kind, &e.id, &e.old, &e.new) == (edit.kind, &edit.id, &edit.old, &edit.new)
            })
    });
}
