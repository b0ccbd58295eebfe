//! The offers of one change: each earlier decision that does not hold here any more, with the
//! reason why it may be carried over or why not.

use std::collections::BTreeSet;

use crate::gate::decide::{Act, Answer, Decision};
use crate::gate::dossier::{Dossier, Recorded, RunFact, Subject};
use crate::gate::items::OpenEdits;
use crate::gate::judge::Item;
use crate::gate::permit::Closure;
use crate::gate::standing::Proof;
use crate::gate::standing_facts::{Facts, Proven};
use crate::model::chain::Callee;
use crate::model::evidence::Evidence;
use crate::model::id::{CriterionId, EntryId, Oid, RepoPath};
use crate::model::known::Known;
use crate::model::oracle::Outcome;
use crate::model::scope::Trace;
use crate::model::snapshot::Snapshot;
use crate::model::text::Place;

use super::{Between, Carries, Case, Does, Earlier, Inputs, Part, Reads, carries, reads};

/// One earlier decision, and what becomes of it here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Offer {
    /// Its entry.
    pub entry: EntryId,
    /// Its number in the log.
    pub number: u64,
    /// About what.
    pub subject: Subject,
    /// What was done, as for lists (`ratified`).
    pub did: &'static str,
    /// By whom, as recorded.
    pub by: String,
    /// What was looked at then.
    pub then: Snapshot,
    /// Whether it is offered.
    pub carries: Carries,
    /// Why, a fragment.
    pub why: String,
    /// The evidence of the carried decision.
    pub(in crate::gate) evidence: Vec<Evidence>,
}

/// Files whose sameness decides about offers: those that the oracles of the contract name, and
/// those in which evidence stands.
#[must_use]
pub fn named(dossier: &Dossier) -> BTreeSet<RepoPath> {
    let mut all = BTreeSet::new();
    if let Known::Is(record) = &dossier.contract {
        let oracles = record
            .contract
            .criteria
            .iter()
            .filter_map(|c| c.oracle.as_ref());
        for oracle in oracles {
            if let Reads::Only(paths) = reads(&String::from_utf8_lossy(oracle.check.raw())) {
                all.extend(paths);
            }
        }
    }
    for recorded in &dossier.decisions {
        all.extend(places(recorded.value.act().evidence()).cloned());
    }
    all
}

/// Every earlier decision that nothing on this snapshot took the place of, in the order in which
/// the items are listed.
pub(in crate::gate) fn offers(
    facts: &Facts<'_>,
    items: &[Item],
    closed: Option<&Closure>,
) -> Vec<Offer> {
    let mut out: Vec<Offer> = Vec::new();
    let mut offered_edits = BTreeSet::new();
    for item in items {
        let said = facts.said(&item.subject);
        let (None, Some(recorded)) = (said.now, said.earlier) else {
            continue;
        };
        let mut offer = offer(facts, recorded, item);
        if let Some(closure) = closed {
            offer.carries = Carries::Closed;
            offer.why.clone_from(&closure.why);
        }
        if offer.carries.is_offered() && matches!(item.subject, Subject::ContractEdit(_)) {
            offered_edits.insert(item.subject.clone());
        }
        out.push(offer);
    }
    // an edit that is carried over itself stands in nobody's way
    let others = items.iter().filter(|i| !offered_edits.contains(&i.subject));
    let open = OpenEdits::of(others);
    for offer in &mut out {
        let Subject::Criterion(id) = &offer.subject else {
            continue;
        };
        let affirms = matches!(offer.did, "ratified" | "not applicable");
        if let Some(edit) = open
            .before(id)
            .filter(|_| affirms && offer.carries.is_offered())
        {
            offer.carries = Carries::Closed;
            offer.why = format!("the edit of {edit} is not acknowledged");
        }
    }
    out
}

fn offer(facts: &Facts<'_>, recorded: &Recorded<Decision>, item: &Item) -> Offer {
    let dossier = facts.dossier;
    let decision = &recorded.value;
    let then = decision.snapshot();
    let mut earlier = dossier.earlier.iter();
    let between = earlier.find(|one| one.snapshot == *then);
    let look = Look {
        facts,
        decision,
        between: between.and_then(|one| one.between.known()),
    };
    let (part, what) = look.part();
    let proven = look.proven();
    let proof = proven.as_ref().map_or(Proof::Manual, |one| one.proof);
    let (inputs, run) = look.inputs();
    let disputed = dossier.disputes_on(&item.subject).next().is_some();
    let result = carries(Case {
        does: does(decision.act(), &item.subject),
        disputed,
        contract: then.contract == dossier.snapshot.contract,
        oracle: look.oracle_same(),
        part,
        proof,
        inputs,
    });
    let here = proven.and_then(|one| one.run);
    let ran = here.or(run).filter(|_| proof != Proof::Manual);
    Offer {
        entry: recorded.entry,
        number: recorded.number,
        subject: item.subject.clone(),
        did: decision.act().word(),
        by: decision.by().to_owned(),
        then: then.clone(),
        carries: result,
        why: look.why(result, between, what, ran),
        evidence: look.evidence(here),
    }
}

/// What is looked at for one offer.
struct Look<'r, 'a> {
    facts: &'r Facts<'a>,
    decision: &'r Decision,
    between: Option<&'r Between>,
}

impl<'a> Look<'_, 'a> {
    fn id(&self) -> Option<&CriterionId> {
        match self.decision.subject() {
            Subject::Criterion(id) => Some(id),
            Subject::ContractEdit(_)
            | Subject::ScopeFile(_)
            | Subject::Chain(_)
            | Subject::Assertion(_)
            | Subject::Message(_)
            | Subject::Review(_) => None,
        }
    }

    fn proven(&self) -> Option<Proven<'a>> {
        let criterion = self.facts.criterion(self.id()?)?;
        Some(self.facts.proven(criterion))
    }

    fn oracle_same(&self) -> bool {
        let Some(id) = self.id() else {
            return true;
        };
        let now = self.facts.criterion(id).and_then(|one| one.oracle.as_ref());
        self.decision.oracle() == now.map(crate::model::oracle::Oracle::digest)
    }

    /// What became of the part of the change that the decision was made on, and the file that
    /// says so.
    fn part(&self) -> (Part, Option<RepoPath>) {
        let Some(between) = self.between else {
            return (Part::Unknown, None);
        };
        let paths = match self.decision.subject() {
            Subject::ScopeFile(path) => {
                let within = |all: &[RepoPath]| all.contains(path).then(|| path.clone());
                return verdict(within(&between.gone), within(&between.changed));
            }
            Subject::ContractEdit(_) => {
                let record = self.facts.dossier.contract.known();
                let path = record.map(|one| &one.contract.path);
                let within = |all: &[RepoPath]| path.filter(|p| all.contains(p)).cloned();
                return verdict(within(&between.gone), within(&between.changed));
            }
            Subject::Chain(id) => {
                let known = self.facts.dossier.chains.known();
                let Some(chain) = known.and_then(|facts| facts.chain(id)) else {
                    return (Part::Unknown, None);
                };
                let mut ends = vec![chain.caller_file.clone()];
                match &chain.callee_at {
                    Callee::Skill(file) => ends.push(file.clone()),
                    Callee::Missing(_) => return (Part::Unknown, None),
                }
                let lists = [&between.base, &between.changed, &between.gone];
                if usize::try_from(between.base_total).ok() != Some(between.base.len()) {
                    return (Part::Unknown, None);
                }
                let other = ends
                    .into_iter()
                    .find(|end| lists.iter().any(|l| l.contains(end)));
                return verdict(None, other);
            }
            Subject::Criterion(id) => self.judged_on(id),
            Subject::Assertion(_) | Subject::Message(_) | Subject::Review(_) => Some(Vec::new()),
        };
        let Some(paths) = paths else {
            return (Part::Unknown, None);
        };
        if let Some(gone) = between.gone.first() {
            // whose they were cannot be asked any more
            return (Part::Gone, Some(gone.clone()));
        }
        let mut changed = between.changed.iter();
        let other = changed.find(|path| paths.is_empty() || paths.contains(path));
        // lines that evidence names are lines of a file that is the same
        let mut named = places(self.decision.act().evidence());
        let moved = named.find(|path| !between.same.contains(path));
        verdict(None, other.or(moved).cloned())
    }

    /// The files that a criterion was judged on: those traced to it and those in which its
    /// evidence stands; empty for the whole change; none where that is not known yet.
    fn judged_on(&self, id: &CriterionId) -> Option<Vec<RepoPath>> {
        let scope = self.facts.dossier.scope.known()?;
        let traced = scope.files.iter().filter(|file| {
            let mut traces = file.traces.iter();
            traces.any(|trace| matches!(trace, Trace::Criterion(one) if one == id))
        });
        let traced = traced.map(|file| file.path.clone());
        Some(
            traced
                .chain(places(self.decision.act().evidence()).cloned())
                .collect(),
        )
    }

    /// Whether the run that the decision rests on would read the same here.
    fn inputs(&self) -> (Inputs, Option<&'a RunFact>) {
        let Some(criterion) = self.id().and_then(|id| self.facts.criterion(id)) else {
            return (Inputs::Unknown, None);
        };
        let Some(oracle) = &criterion.oracle else {
            return (Inputs::Same, None);
        };
        let rests = self
            .decision
            .act()
            .evidence()
            .iter()
            .find_map(|one| match one {
                Evidence::Run(entry) => Some(*entry),
                Evidence::Hunk { .. }
                | Evidence::Change { .. }
                | Evidence::Test { .. }
                | Evidence::Rationale(_) => None,
            });
        let mut runs = self.facts.dossier.runs.iter();
        let run = runs.find(|run| Some(run.entry) == rests).filter(|run| {
            run.outcome == Outcome::Met
                && run.interference.is_empty()
                && run.oracle == oracle.digest()
                && run.isolation >= self.facts.policy.isolation_floor
        });
        let (Some(run), Some(between)) = (run, self.between) else {
            return (Inputs::Unknown, None);
        };
        match reads(&String::from_utf8_lossy(oracle.check.raw())) {
            Reads::Unknown => (Inputs::Unknown, None),
            Reads::Only(paths) if paths.iter().all(|path| between.same.contains(path)) => {
                (Inputs::Same, Some(run))
            }
            Reads::Only(_) => (Inputs::Other, None),
        }
    }

    /// The evidence as it stands here: a run on this tree takes the place of the earlier one,
    /// lines and commits are those of this head.
    fn evidence(&self, here: Option<&RunFact>) -> Vec<Evidence> {
        let now = self.facts.dossier.snapshot.head;
        let twin = |commit: Oid| {
            let mut pairs = self.between.into_iter().flat_map(Between::pairs);
            let pair = pairs.find(|pair| pair.same && pair.then == Some(commit));
            pair.and_then(|pair| pair.now).unwrap_or(commit)
        };
        let all = self.decision.act().evidence().iter().cloned();
        all.map(|one| match one {
            Evidence::Run(entry) => Evidence::Run(here.map_or(entry, |run| run.entry)),
            Evidence::Hunk {
                path,
                line,
                end_line,
                digest,
                ..
            } => Evidence::Hunk {
                head: now,
                path,
                line,
                end_line,
                digest,
            },
            Evidence::Change { commit, path, line } => Evidence::Change {
                commit: twin(commit),
                path,
                line,
            },
            other @ (Evidence::Test { .. } | Evidence::Rationale(_)) => other,
        })
        .collect()
    }

    fn why(
        &self,
        result: Carries,
        between: Option<&Earlier>,
        file: Option<RepoPath>,
        run: Option<&RunFact>,
    ) -> String {
        let file = file.map(|path| path.foreign().shown(Place::Strict).plain());
        let file = file.unwrap_or_else(|| "a file".to_owned());
        match result {
            Carries::Offered => match run {
                Some(run) => format!(
                    "the same lines; run {} read no file that changed",
                    run.number
                ),
                None => "the same lines, the same contract".to_owned(),
            },
            Carries::RanHere => {
                let number = run.map_or(0, |run| run.number);
                format!("the same lines; run {number} passed on this tree")
            }
            Carries::Disputed => "people contradict each other on it".to_owned(),
            Carries::Bound => "it was made for its own head".to_owned(),
            Carries::Contract => "the contract is another".to_owned(),
            Carries::Oracle => "its oracle is another".to_owned(),
            Carries::Gone => format!("{file} is gone from the change"),
            Carries::Changed => format!("{file} is changed otherwise now"),
            Carries::NotCompared => match between.map(|one| &one.between) {
                Some(Known::Unknown(why) | Known::NotApplicable(why)) => {
                    format!("could not compare: {why}")
                }
                Some(Known::Is(_)) => "what it was made on is not read yet".to_owned(),
                Some(Known::NotSupplied) | None => "its head was not compared".to_owned(),
            },
            Carries::Failing => "its oracle fails on this tree".to_owned(),
            Carries::Error => "its oracle could not be measured on this tree".to_owned(),
            Carries::ReadsOther => "its run read a file that is another now".to_owned(),
            Carries::MayRead => "its run may have read what changed".to_owned(),
            Carries::Closed => "it is closed".to_owned(),
        }
    }
}

fn verdict(gone: Option<RepoPath>, changed: Option<RepoPath>) -> (Part, Option<RepoPath>) {
    match (gone, changed) {
        (Some(path), _) => (Part::Gone, Some(path)),
        (None, Some(path)) => (Part::Changed, Some(path)),
        (None, None) => (Part::Same, None),
    }
}

/// The files in which evidence stands.
fn places(evidence: &[Evidence]) -> impl Iterator<Item = &RepoPath> {
    evidence.iter().filter_map(|one| match one {
        Evidence::Hunk { path, .. }
        | Evidence::Change { path, .. }
        | Evidence::Test { path, .. } => Some(path),
        Evidence::Run(_) | Evidence::Rationale(_) => None,
    })
}

fn does(act: &Act, subject: &Subject) -> Does {
    if matches!(subject, Subject::Assertion(_)) {
        return Does::Bound;
    }
    match act {
        Act::Ratify { .. } => Does::Ratifies,
        Act::NotApplicable { .. } => Does::Exempts,
        // a reply is bound to its message and to the head that it was given at
        Act::RatifyUnseen { .. }
        | Act::Override { .. }
        | Act::Reply(_)
        | Act::Answer(Answer::Addressed { .. }) => Does::Bound,
        Act::Acknowledge
        | Act::AcceptEdit { .. }
        | Act::KickBack { .. }
        | Act::Abandon { .. }
        | Act::AcceptPartial { .. }
        | Act::Lift { .. }
        | Act::ChainClosed { .. }
        | Act::ChainAccepted { .. }
        | Act::ScopeAccept
        | Act::ScopeDecline { .. }
        | Act::ScopeTicket { .. }
        | Act::ScopeEscalate { .. }
        | Act::Answer(_) => Does::Answers,
    }
}
