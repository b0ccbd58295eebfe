//! The facts of one session, indexed once: which runs and decisions count for which item.
//!
//! A decision holds for its tree, base and contract (GIT-12); a run for its tree and the exact
//! bytes of its oracle (A7). Nothing here looks at a clock or at the order of a hash.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::contract::{Abandonment, Criterion, Kind};
use crate::model::evidence::Evidence;
use crate::model::id::{CriterionId, Digest, EntryId, Oid};
use crate::model::known::Known;

use crate::model::oracle::{Ended, Outcome};
use crate::model::ruling::{Assurance, Cause};
use crate::model::scope::{Scope, Trace};

use super::decide::{Act, Decision};
use super::dossier::{Dossier, Recorded, RunFact, Subject};
use super::floor::lint::Lint;
use super::policy::Policy;
use super::standing::{Case, Exempt, Proof, Ruled};

/// What people said about one item.
#[derive(Clone, Debug, Default)]
pub(super) struct Said<'a> {
    /// The decision that counts on this snapshot.
    pub(super) now: Option<&'a Recorded<Decision>>,
    /// Another person's decision on this snapshot that says something else.
    pub(super) against: Option<&'a Recorded<Decision>>,
    /// A line that names a person and that nothing vouches for (LED-10): it counts for nothing,
    /// unless it only takes away.
    pub(super) claim: Option<&'a Recorded<Decision>>,
    /// The last decision on another snapshot.
    pub(super) earlier: Option<&'a Recorded<Decision>>,
}

/// What the runs of one criterion say.
#[derive(Clone, Copy, Debug)]
pub(super) struct Proven<'a> {
    /// The verdict of them.
    pub(super) proof: Proof,
    /// The run it rests on.
    pub(super) run: Option<&'a RunFact>,
    /// The last run of other bytes or another tree (base not counted).
    pub(super) earlier: Option<&'a RunFact>,
    /// The last run of these bytes on the base tree.
    pub(super) on_base: Option<&'a RunFact>,
    /// Whether runs on this tree disagree with each other.
    pub(super) disagree: bool,
    /// A run of these bytes on this tree that the policy does not accept.
    pub(super) too_open: Option<&'a RunFact>,
    /// A run of these bytes on this tree that was stopped.
    pub(super) stopped: bool,
}

impl Proven<'_> {
    /// Whether the same bytes are red on the base tree as well (H08).
    pub(super) fn red_on_base(&self) -> bool {
        self.on_base
            .is_some_and(|run| run.outcome == Outcome::NotMet)
    }
}

/// Everything by name.
pub(super) struct Facts<'a> {
    pub(super) dossier: &'a Dossier,
    pub(super) policy: &'a Policy,
    said: BTreeMap<&'a Subject, Said<'a>>,
    runs: BTreeMap<&'a CriterionId, Vec<&'a RunFact>>,
    lints: BTreeMap<&'a CriterionId, Vec<&'a Lint>>,
    abandonments: BTreeMap<&'a CriterionId, &'a Abandonment>,
    claimed: Option<BTreeSet<&'a CriterionId>>,
    criteria: BTreeMap<&'a CriterionId, &'a Criterion>,
}

impl<'a> Facts<'a> {
    pub(super) fn new(dossier: &'a Dossier, policy: &'a Policy) -> Self {
        let mut runs: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for run in &dossier.runs {
            runs.entry(&run.criterion).or_default().push(run);
        }
        let mut lints: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (id, lint) in dossier.standing_lints() {
            lints.entry(id).or_default().push(lint);
        }
        let mut abandonments = BTreeMap::new();
        let mut criteria = BTreeMap::new();
        if let Known::Is(record) = &dossier.contract {
            for criterion in &record.contract.criteria {
                criteria.entry(&criterion.id).or_insert(criterion);
            }
            for abandonment in &record.contract.abandonments {
                if let Some(id) = &abandonment.id {
                    abandonments.entry(id).or_insert(abandonment);
                }
            }
        }
        Self {
            dossier,
            policy,
            said: said(dossier),
            runs,
            lints,
            abandonments,
            claimed: dossier.scope.known().map(claims),
            criteria,
        }
    }

    /// What people said about an item.
    pub(super) fn said(&self, subject: &Subject) -> Said<'a> {
        self.said.get(subject).cloned().unwrap_or_default()
    }

    /// What the runs say of every criterion whose oracle is red on the tree under review.
    pub(super) fn red(&self) -> Vec<Proven<'a>> {
        let Known::Is(record) = &self.dossier.contract else {
            return Vec::new();
        };
        let criteria = record.contract.criteria.iter();
        criteria
            .map(|criterion| self.proven(criterion))
            .filter(|proven| proven.proof == Proof::NotMet)
            .collect()
    }

    /// Whether the decision that counts sends this back because it is wrong itself.
    pub(super) fn called_wrong(&self, subject: &Subject) -> bool {
        self.said(subject)
            .now
            .is_some_and(|d| ruled_by(&d.value) == Ruled::CalledWrong)
    }

    /// The lints of a criterion.
    pub(super) fn lints(&self, id: &CriterionId) -> &[&'a Lint] {
        self.lints.get(id).map_or(&[], Vec::as_slice)
    }

    /// The criterion with this id.
    pub(super) fn criterion(&self, id: &CriterionId) -> Option<&'a Criterion> {
        self.criteria.get(id).copied()
    }

    /// The abandonment of a criterion in the contract.
    pub(super) fn abandonment(&self, id: &CriterionId) -> Option<&'a Abandonment> {
        self.abandonments.get(id).copied()
    }

    /// Whether a changed file is traced to the criterion, as far as that is known.
    pub(super) fn claimed(&self, id: &CriterionId) -> Option<bool> {
        self.claimed.as_ref().map(|claimed| claimed.contains(id))
    }

    /// What the runs of a criterion say about the tree under review.
    pub(super) fn proven(&self, criterion: &Criterion) -> Proven<'a> {
        let Some(oracle) = &criterion.oracle else {
            return Proven {
                proof: Proof::Manual,
                run: None,
                earlier: None,
                on_base: None,
                disagree: false,
                too_open: None,
                stopped: false,
            };
        };
        let runs = self.runs.get(&criterion.id).map_or(&[][..], Vec::as_slice);
        let said = self.said(&Subject::Criterion(criterion.id.clone()));
        let carried = said.now.and_then(|one| carried_run(&one.value));
        prove(runs, oracle.digest(), carried, self.dossier, self.policy)
    }

    /// The case of a criterion for the table of standings.
    pub(super) fn case(&self, criterion: &Criterion, proven: &Proven<'a>, said: &Said<'a>) -> Case {
        let weak = self.lints(&criterion.id).iter().any(|lint| lint.weakens)
            || proven
                .on_base
                .is_some_and(|run| run.outcome == Outcome::Met);
        let exempt = match (criterion.optional, criterion.post_merge) {
            (true, _) => Some(Exempt::Optional),
            (false, true) => Some(Exempt::PostMerge),
            (false, false) => None,
        };
        Case {
            proof: proven.proof,
            ruled: said.now.map_or(Ruled::Nothing, |d| ruled_by(&d.value)),
            earlier: said.earlier.is_some() || proven.earlier.is_some(),
            abandoned: self.abandonment(&criterion.id).is_some(),
            exempt,
            weak,
            unclaimed: criterion.kind != Kind::Runnable
                && self.claimed(&criterion.id) == Some(false),
        }
    }
}

/// What a decision says about a criterion.
fn ruled_by(decision: &Decision) -> Ruled {
    match ruled(decision.act()) {
        Ruled::Ratified if decision.carried().is_some() => Ruled::Carried,
        other => other,
    }
}

/// What an act says about a criterion; acts on other kinds of items say nothing.
fn ruled(act: &Act) -> Ruled {
    match act {
        Act::Ratify { .. } | Act::RatifyUnseen { .. } => Ruled::Ratified,
        Act::KickBack { cause, .. } => match cause {
            Cause::Criterion => Ruled::CalledWrong,
            Cause::Implementation | Cause::Evidence | Cause::Question => Ruled::KickedBack,
        },
        Act::Abandon { .. } => Ruled::Abandoned,
        Act::AcceptPartial { .. } => Ruled::AcceptedPartial,
        Act::Lift { .. } => Ruled::Lifted,
        Act::NotApplicable { .. } => Ruled::NotApplicable,
        Act::Override { .. } => Ruled::Overridden,
        Act::Acknowledge
        | Act::AcceptEdit { .. }
        | Act::ChainClosed { .. }
        | Act::ChainAccepted { .. }
        | Act::ScopeAccept
        | Act::ScopeDecline { .. }
        | Act::ScopeTicket { .. }
        | Act::ScopeEscalate { .. }
        | Act::Answer(_)
        | Act::Reply(_) => Ruled::Nothing,
    }
}

/// Per subject: each person's last word on this snapshot, the strictest of them counting.
fn said(dossier: &Dossier) -> BTreeMap<&Subject, Said<'_>> {
    type Words<'a> = BTreeMap<(&'a str, bool), &'a Recorded<Decision>>;
    let mut words: BTreeMap<&Subject, Words<'_>> = BTreeMap::new();
    let mut out: BTreeMap<&Subject, Said<'_>> = BTreeMap::new();
    let replaced = dossier.replaced_decisions();
    let left = |recorded: &&Recorded<Decision>| !replaced.contains(&recorded.entry);
    for recorded in dossier.decisions.iter().filter(left) {
        let decision = &recorded.value;
        let claimed = decision.assurance() == Assurance::Claimed;
        if claimed {
            out.entry(decision.subject()).or_default().claim = Some(recorded);
        }
        if claimed && !decision.act().only_takes_away() {
            continue;
        }
        // other decisions outlive a head whose tree is the same; a reply is for the head that its
        // message was about, and for no other
        let bound = match decision.subject() {
            Subject::Message(_) => decision.snapshot().head == dossier.snapshot.head,
            _ => true,
        };
        if bound && dossier.holds(decision.snapshot()) {
            words
                .entry(decision.subject())
                .or_default()
                .insert((decision.by(), claimed), recorded);
        } else if !claimed {
            out.entry(decision.subject()).or_default().earlier = Some(recorded);
        }
    }
    for (subject, by) in words {
        let said = out.entry(subject).or_default();
        said.now = by
            .values()
            .copied()
            .max_by_key(|d| (d.value.act().strictness(), d.number));
        said.against = by.values().copied().find(|d| {
            said.now.is_some_and(|now| {
                now.entry != d.entry && now.value.act().strictness() != d.value.act().strictness()
            })
        });
    }
    out
}

fn claims(scope: &Scope) -> BTreeSet<&CriterionId> {
    scope
        .files
        .iter()
        .flat_map(|file| &file.traces)
        .filter_map(|trace| match trace {
            Trace::Criterion(id) => Some(id),
            Trace::Scope(_)
            | Trace::Contract
            | Trace::RepoWide
            | Trace::NamedOutside(_)
            | Trace::Untraced => None,
        })
        .collect()
}

/// The run that a carried decision rests on: it read no file that differs, so it speaks of this
/// tree as well (see [`super::carry`]).
fn carried_run(decision: &Decision) -> Option<EntryId> {
    decision.carried()?;
    let Act::Ratify { evidence } = decision.act() else {
        return None;
    };
    evidence.iter().find_map(|one| match one {
        Evidence::Run(entry) => Some(*entry),
        Evidence::Hunk { .. }
        | Evidence::Change { .. }
        | Evidence::Test { .. }
        | Evidence::Rationale(_) => None,
    })
}

/// The last conclusive run of these bytes on this tree decides; a stopped one proves nothing.
fn prove<'a>(
    runs: &[&'a RunFact],
    oracle: Digest,
    carried: Option<EntryId>,
    dossier: &Dossier,
    policy: &Policy,
) -> Proven<'a> {
    let mut out = Proven {
        proof: Proof::NotRun,
        run: None,
        earlier: None,
        on_base: None,
        disagree: false,
        too_open: None,
        stopped: false,
    };
    for run in runs.iter().copied() {
        if dossier.is_base_tree(run.tree) {
            // whatever was kept from an earlier head, the base proves nothing of the change
            if dossier.is_control(run, oracle) {
                out.on_base = Some(run);
            }
            continue;
        }
        let on_it = dossier.same_tree(run.tree) || Some(run.entry) == carried;
        let here = on_it && run.oracle == oracle;
        if !here {
            out.earlier = Some(run);
        } else if run.ended == Ended::Interrupted {
            out.stopped = true;
        } else if run.isolation < policy.isolation_floor {
            out.too_open = Some(run);
        } else {
            out.disagree |= out.run.is_some_and(|last| last.outcome != run.outcome);
            out.run = Some(run);
        }
    }
    if let Some(run) = out.run {
        out.proof = match run.outcome {
            Outcome::Met if run.interference.is_empty() => Proof::Met,
            Outcome::Met | Outcome::Error => Proof::Error,
            Outcome::NotMet => Proof::NotMet,
        };
    }
    out
}

/// The head that the last run or decision of another snapshot was for, and whether it was a run.
pub(super) fn stale_since(proven: &Proven<'_>, said: &Said<'_>) -> Option<(Oid, bool)> {
    let run = proven.earlier.map(|run| (run.number, run.head, true));
    let word = said
        .earlier
        .map(|d| (d.number, d.value.snapshot().head, false));
    run.into_iter()
        .chain(word)
        .max_by_key(|(number, _, _)| *number)
        .map(|(_, head, ran)| (head, ran))
}
