//! From facts to items, standings, permits, gate verdicts and the ruling, with a trace.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::model::change::Shape;
use crate::model::contract::State;
use crate::model::id::{CriterionId, EntryId};
use crate::model::known::Known;
use crate::model::menu::MessageId;
use crate::model::ruling::Verdict;
use crate::model::standing::Standing;

use super::carry::{Offer, offers};
use super::chains::AuditVerdict;
use super::dossier::{Dossier, LedgerHealth, Raised, Subject};
use super::floor::verdict::{FloorVerdict, Mode, floor};
use super::items::criterion::{Judged, criterion_item};
use super::items::raised::{Reviewed, reviewed};
use super::items::{self, OpenEdits};
use super::marks::{self, Badges, Totals};
use super::menu::given::Given;
use super::outlook;
use super::permit::{Closure, Permits, Verb};
use super::policy::Policy;
use super::standing_facts::Facts;
use super::tally::Tally;
use super::trace;
use super::verify::table::Caller;
use super::verify::{Status, Trigger, Verified};

/// The panes that items live in, in walking order; the number is the key that selects it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Pane {
    /// 0.
    Contract,
    /// 1.
    Criteria,
    /// 2.
    Comments,
    /// 3.
    Scope,
    /// 4.
    Chains,
    /// 5.
    Spec,
    /// 6.
    Triage,
    /// 7.
    Verdict,
}

/// What the rules make of the facts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Judgment {
    /// Everything listed, in the order `n` walks.
    pub items: Vec<Item>,
    /// The floor gate.
    pub floor: Known<FloorVerdict>,
    /// The verify gate.
    pub verify: Verdict,
    /// The strictest of the applicable gates (rulings A1).
    pub ruling: Verdict,
    /// What the ruling can still become while it is undecided, laxest first.
    pub can_end: Vec<Verdict>,
    /// Why: one row for each rule that was looked at, in order.
    pub trace: Vec<TraceRow>,
    /// What would be needed for the next better verdict, one sentence; empty when APPROVED.
    pub nearest: String,
    /// Items that still need the person: exactly the stops of `n`.
    pub owed: usize,
    /// Items that the person decided.
    pub decided: usize,
    /// What the verify gate found.
    pub verified: Verified,
    /// The chain gate.
    pub chains: Known<AuditVerdict>,
    /// The spec gate: `clear`, `REROLL` or `ESCALATE`.
    pub spec: Known<&'static str>,
    /// Whether the change touches files of a spec; `None` while its files are not known.
    pub touches_spec: Option<bool>,
    /// What people decided differently, while the stricter counts (LED-17), and its name in a
    /// sentence.
    pub disputed: Vec<(Subject, String)>,
    /// What the change hides.
    pub hidden: Totals,
    /// The menu of the verdict page: what can be signed, APPROVED first.
    pub signing: [Signing; 3],
    /// Decisions of earlier heads, and whether they may be carried over.
    pub offers: Vec<Offer>,
    /// The replies that stand and can still reach their gate message, in the order of the
    /// messages.
    pub replies: Vec<StandingReply>,
}

/// A reply that stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StandingReply {
    /// To which message.
    pub message: MessageId,
    /// Its entry in the ledger.
    pub entry: EntryId,
    /// By whom.
    pub by: String,
    /// What it is.
    pub given: Given,
}

/// A verdict that a person may sign, or the reason why not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signing {
    /// The verdict.
    pub verdict: Verdict,
    /// Why it can't be signed now.
    pub closed: Option<Closure>,
}

impl Judgment {
    /// Whether this verdict may be signed now.
    #[must_use]
    pub fn may_sign(&self, verdict: Verdict) -> bool {
        self.signing
            .iter()
            .any(|row| row.verdict == verdict && row.closed.is_none())
    }

    /// The item of a subject.
    #[must_use]
    pub fn item(&self, subject: &Subject) -> Option<&Item> {
        self.items.iter().find(|item| &item.subject == subject)
    }
}

/// One row of a list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Item {
    /// What it is.
    pub subject: Subject,
    /// Where it is listed.
    pub pane: Pane,
    /// Where it stands.
    pub standing: Standing,
    /// The word beside the glyph: the standing's own or its one-word reason (`manual`, `weak`).
    pub word: &'static str,
    /// Whether it needs the person.
    pub owed: bool,
    /// Whether it stops a verdict better than the current one.
    pub blocks: bool,
    /// What can be done.
    pub permits: Permits,
    /// What its evidence does not show, in whole fragments (`OUTPUT: stderr only`).
    pub limits: Vec<String>,
    /// A word for what it hides or disguises: `bidi`, `hidden`, `look-alike`, `mixed`.
    pub badge: Option<&'static str>,
}

/// One rule of the trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceRow {
    /// The rule's name (`T1`, `row G`, `floor`).
    pub rule: &'static str,
    /// What it found, in our words, ids included.
    pub says: String,
    /// What came of it.
    pub result: TraceResult,
    /// The criteria it names.
    pub ids: Vec<CriterionId>,
}

impl TraceRow {
    /// The row as one line of a record.
    #[must_use]
    pub fn line(&self) -> String {
        format!("{}: {}: {}", self.rule, self.says, self.result.word())
    }
}

/// What came of a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TraceResult {
    /// It does not fire.
    Clear,
    /// It fires.
    Fires,
    /// Listed, never blocks.
    Nit,
    /// It could not be looked at.
    Unknown,
    /// It does not apply.
    Absent,
    /// It fixes the verdict.
    Decides(Verdict),
}

impl TraceResult {
    /// The word at the end of the row.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Clear => "clear",
            Self::Fires => "FIRES",
            Self::Nit => "nit",
            Self::Unknown => "unknown",
            Self::Absent => "does not apply",
            Self::Decides(verdict) => verdict.word(),
        }
    }
}

/// Everything that was judged, before it is put into words.
pub(super) struct Findings<'a> {
    pub(super) dossier: &'a Dossier,
    /// Whether specs are touched; `None` while the changed files are not known.
    pub(super) touches_spec: Option<bool>,
    pub(super) policy: &'a Policy,
    pub(super) items: Vec<Item>,
    /// Status of each criterion, in contract order.
    pub(super) criteria: Vec<(CriterionId, Status)>,
    /// Criteria whose abandonment nobody answered, and those accepted or declared here.
    pub(super) unaccepted: Vec<CriterionId>,
    pub(super) abandoned: Vec<CriterionId>,
    /// How many MISSING criteria the floor itself measured.
    pub(super) floor_failures: usize,
    /// Criteria that were called wrong.
    pub(super) wrong: Vec<CriterionId>,
    pub(super) breakers: Vec<String>,
    /// Why the gate could not be measured, one fragment for each reason.
    pub(super) unmeasured: Vec<String>,
    /// The same for gates beside verify: it enters the ruling alone (A1).
    pub(super) elsewhere: Vec<String>,
    pub(super) stale: Option<Closure>,
    /// What a review raised.
    pub(super) reviewed: Reviewed,
    pub(super) tally: Tally,
    pub(super) floor: Known<FloorVerdict>,
}

/// Applies every rule to the facts.
#[must_use]
pub fn judge(dossier: &Dossier, policy: &Policy) -> Judgment {
    let facts = Facts::new(dossier, policy);
    let mut found = gather(&facts);
    let closed = items::closed_for_all(dossier).or(found.reviewed.unacknowledged.clone());
    let offers = offers(&facts, &found.items, closed.as_ref());
    if let Some(closure) = items::closed_for_all(dossier) {
        let closure = Arc::new(closure);
        for item in &mut found.items {
            item.permits.close(&closure, None);
        }
    } else if let Some(closure) = found.reviewed.unacknowledged.clone() {
        close_until_acknowledged(&mut found.items, closure);
    }
    let badges = Badges::new(&facts);
    for item in &mut found.items {
        let badge = badges.of(&item.subject);
        item.badge = badge.word;
        item.limits.extend(badge.says);
    }
    let verify = found.tally.verify();
    let left = found.tally.ruling();
    let fixed = if !found.unmeasured.is_empty() {
        Some(Verdict::CouldNotMeasure)
    } else if found.stale.is_some() {
        Some(Verdict::Stale)
    } else {
        None
    };
    let other = (!found.elsewhere.is_empty()).then_some(Verdict::CouldNotMeasure);
    let ruling = other.or(fixed).unwrap_or_else(|| only(&left));
    let verify = fixed.unwrap_or_else(|| only(&verify));
    let owed = found.items.iter().filter(|item| item.owed).count();
    let exempted = found.criteria_exempt();
    let decided = found
        .items
        .iter()
        .filter(|item| !item.owed && !exempt(&exempted, item))
        .count();
    Judgment {
        floor: found.floor.clone(),
        verify,
        ruling,
        can_end: if ruling == Verdict::Undecided {
            left
        } else {
            Vec::new()
        },
        trace: trace::rows(&found, verify, ruling),
        nearest: outlook::nearest(&found, ruling),
        owed,
        decided,
        verified: outlook::verified(&found, verify),
        signing: outlook::signing(&found, ruling),
        chains: items::chain::verdict_of(&found),
        offers,
        spec: items::spec::word_of(&found),
        touches_spec: found.touches_spec,
        disputed: items::disputed(&facts, &found.items),
        hidden: marks::totals(dossier),
        replies: items::message::replies(&facts),
        items: found.items,
    }
}

/// While comments are missing and nobody acknowledged it, nothing else is decided (FRG-1).
fn close_until_acknowledged(items: &mut [Item], closure: Closure) {
    let closure = Arc::new(closure);
    let others = items
        .iter_mut()
        .filter(|item| !matches!(item.subject, Subject::Review(Raised::Incomplete(_))));
    for item in others {
        item.permits.close(&closure, Some(Verb::Run));
    }
}

impl Findings<'_> {
    /// Everything that keeps the ruling from being measured.
    pub(super) fn not_measured(&self) -> String {
        let all: Vec<&str> = self
            .unmeasured
            .iter()
            .chain(&self.elsewhere)
            .map(String::as_str)
            .collect();
        all.join("; ")
    }

    /// Whether all that is wrong is what the floor measured (H30): failing oracles alone.
    pub(super) fn floor_bounce(&self) -> bool {
        let missing = self
            .criteria
            .iter()
            .filter(|(_, status)| matches!(status, Status::Missing | Status::Undecided))
            .count();
        let sums = &self.tally;
        missing > 0
            && missing == self.floor_failures
            && sums.open_others == 0
            && !(sums.breaker || sums.wrong || sums.escalated || sums.sent_back)
            && !(sums.reading || sums.overridden || sums.review_t || sums.mm)
            && sums.open_review == 0
            && self.unmeasured.is_empty()
            && self.stale.is_none()
    }

    fn criteria_exempt(&self) -> BTreeSet<CriterionId> {
        self.criteria
            .iter()
            .filter(|(_, status)| *status == Status::Exempt)
            .map(|(id, _)| id.clone())
            .collect()
    }
}

fn exempt(ids: &BTreeSet<CriterionId>, item: &Item) -> bool {
    match &item.subject {
        Subject::Criterion(id) => ids.contains(id),
        // what only the worktree holds is shown and waits for nobody
        Subject::ContractEdit(_) => item.standing == Standing::Unproven,
        // shown, and answered by nobody: what is closed or only a cross-reference
        Subject::Chain(_) => matches!(item.word, "CLOSED" | "advisory"),
        // settled by the commits, or it stops nothing: nobody decided it
        Subject::Review(_) => {
            matches!(item.standing, Standing::Passing | Standing::Failing)
                || matches!(
                    item.word,
                    "remark" | "verifiable" | "consider" | "nofollow" | "nice to have"
                )
        }
        // what can't be replied to any more, or was before this sitting
        Subject::Message(_) => matches!(item.word, "gone" | "delivered"),
        Subject::ScopeFile(_) | Subject::Assertion(_) => false,
    }
}

fn only(left: &[Verdict]) -> Verdict {
    match left {
        [one] => *one,
        [] | [_, _, ..] => Verdict::Undecided,
    }
}

fn gather<'a>(facts: &Facts<'a>) -> Findings<'a> {
    let dossier = facts.dossier;
    let touches_spec = items::spec::touched(dossier);
    let mut found = Findings {
        dossier,
        touches_spec,
        policy: facts.policy,
        items: items::contract_items(facts),
        criteria: Vec::new(),
        unaccepted: Vec::new(),
        abandoned: Vec::new(),
        floor_failures: 0,
        wrong: Vec::new(),
        breakers: breakers(dossier),
        unmeasured: unmeasured(dossier),
        elsewhere: items::chain::unmeasured(dossier)
            .into_iter()
            .chain(items::spec::unmeasured(dossier, touches_spec))
            .collect(),
        stale: match &dossier.moved {
            Known::Is(_) => items::moved(dossier),
            Known::Unknown(_) | Known::NotApplicable(_) | Known::NotSupplied => None,
        },
        reviewed: reviewed(facts),
        tally: Tally::default(),
        floor: floor_of(dossier),
    };
    found.breakers.append(&mut found.reviewed.breakers);
    let request = super::verify::breakers::of_request(dossier, &found.reviewed.cases);
    found.breakers.extend(request);
    gather_criteria(facts, &mut found);
    found.items.append(&mut found.reviewed.items);
    found.items.extend(
        super::verify::scope::overflow(facts)
            .into_iter()
            .map(|file| items::scope_item(facts, file)),
    );
    found.items.extend(items::chain::chain_items(facts));
    let assertions = dossier.assertions.iter();
    found
        .items
        .extend(assertions.map(|a| items::assertion_item(facts, a)));
    found.items.extend(items::message::message_items(facts));
    tally(facts, &mut found);
    found
}

fn gather_criteria(facts: &Facts<'_>, found: &mut Findings<'_>) {
    let Known::Is(record) = &facts.dossier.contract else {
        return;
    };
    let broken = record.contract.errors().count();
    let edits = OpenEdits::of(&found.items);
    let mut listed = BTreeSet::new();
    for criterion in &record.contract.criteria {
        if !listed.insert(&criterion.id) {
            continue;
        }
        let Judged {
            item,
            status,
            wrong,
            unaccepted,
            failing,
        } = criterion_item(facts, broken, &edits, criterion);
        found.floor_failures += usize::from(failing);
        if wrong {
            found.wrong.push(criterion.id.clone());
        }
        if unaccepted {
            found.unaccepted.push(criterion.id.clone());
        } else if item.standing == Standing::Abandoned {
            found.abandoned.push(criterion.id.clone());
        }
        found.criteria.push((criterion.id.clone(), status));
        found.items.push(item);
    }
}

/// Adds the items up.
fn tally(facts: &Facts<'_>, found: &mut Findings<'_>) {
    let dossier = facts.dossier;
    let mut sums = Tally {
        breaker: !found.breakers.is_empty(),
        round: dossier.round.known().copied().unwrap_or(1),
        unaccepted: found.unaccepted.len(),
        wrong: !found.wrong.is_empty(),
        caller: match &dossier.request.caller {
            Known::Is(caller) if caller.gaze => Caller::Gaze,
            _ => Caller::Standalone,
        },
        review_t: found.reviewed.fires.iter().any(|one| *one != Trigger::Mm),
        mm: found.reviewed.fires.contains(&Trigger::Mm),
        open_review: found.reviewed.may_fire.len(),
        owed_chains: usize::from(items::chain::unread_yet(dossier)),
        spec_unread: items::spec::unread_yet(found),
        spec_back: items::spec::sum(found).is_some_and(|sum| !sum.back.is_empty()),
        spec_up: items::spec::sum(found).is_some_and(|sum| !sum.up.is_empty()),
        reading: matches!(dossier.files, Known::NotSupplied)
            || (matches!(dossier.scope, Known::NotSupplied) && dossier.contract.known().is_some()),
        ..Tally::default()
    };
    for item in &found.items {
        let criterion = matches!(item.subject, Subject::Criterion(_));
        if let Subject::Chain(_) = &item.subject {
            let open = item.owed && item.blocks;
            sums.owed_chains += usize::from(item.owed);
            sums.chains_open += usize::from(open);
            sums.sent_back |= item.standing == Standing::KickedBack;
        } else if let Subject::Review(_) = &item.subject {
            // what it adds up to are triggers
        } else if let Subject::Message(_) = &item.subject {
            // a reply is for another run: it only has to be there
            sums.open_others += usize::from(item.owed);
        } else if !criterion && item.owed {
            sums.open_others += 1;
        } else if !criterion && item.standing == Standing::KickedBack {
            sums.sent_back |= item.word != "escalated";
            sums.escalated |= item.word == "escalated";
            sums.wrong |= facts.called_wrong(&item.subject);
        }
    }
    let answered: BTreeSet<_> = found.unaccepted.iter().chain(&found.abandoned).collect();
    for (id, status) in &found.criteria {
        match status {
            Status::Addressed => sums.resolved += 1,
            Status::Overridden => {
                sums.resolved += 1;
                sums.overridden = true;
            }
            Status::Undecided => sums.open_criteria += 1,
            Status::Missing if !answered.contains(id) => sums.missing = true,
            Status::Missing | Status::Exempt => {}
        }
    }
    sums.missing |= !found.abandoned.is_empty() && !facts.policy.abandoned_counts;
    found.tally = sums;
}

/// The circuit breakers that a local session can see (verify-gate 1.9, rulings K07).
fn breakers(dossier: &Dossier) -> Vec<String> {
    let mut out = Vec::new();
    if dossier.files.known().is_some_and(Vec::is_empty) {
        out.push("the diff is empty".to_owned());
    }
    match &dossier.moved {
        Known::Unknown(why) => out.push(format!("the tip could not be read again: {why}")),
        Known::Is(moved) if moved.worktree_gone => out.push("the worktree is gone".to_owned()),
        Known::Is(_) | Known::NotApplicable(_) | Known::NotSupplied => {}
    }
    let derived = super::verify::round_after(&dossier.rulings);
    if let Known::Is(given) = dossier.round
        && given < derived
    {
        out.push(format!(
            "contradictory signals: round {given} is given, the ledger says {derived}"
        ));
    }
    out
}

/// What the rules need and could not be read.
fn unmeasured(dossier: &Dossier) -> Vec<String> {
    let mut out: Vec<String> = dossier
        .policy_faults
        .iter()
        .map(|fault| format!("the repository's settings at the merge base: {fault}"))
        .collect();
    match &dossier.contract {
        Known::Unknown(why) => out.push(format!("the contract could not be read: {why}")),
        Known::Is(record) => {
            let errors = record.contract.errors().count();
            if errors > 0 {
                out.push(format!(
                    "the contract has {}, nothing is judged",
                    items::count(errors, "error")
                ));
            } else if record.contract.state == State::Unreadable {
                out.push("the contract is unreadable".to_owned());
            }
        }
        Known::NotApplicable(_) | Known::NotSupplied => {}
    }
    match &dossier.files {
        Known::Unknown(why) => out.push(format!("the changed files could not be read: {why}")),
        Known::Is(files) => {
            let missing = files
                .iter()
                .filter(|file| matches!(file.shape, Known::Is(Shape::Missing(_))))
                .count();
            if missing > 0 {
                out.push(format!(
                    "{} of the change cannot be read: an object is missing or damaged",
                    items::count(missing, "file")
                ));
            }
        }
        Known::NotApplicable(_) | Known::NotSupplied => {}
    }
    if let Known::Unknown(why) = &dossier.scope {
        out.push(format!("the file scope could not be matched: {why}"));
    }
    match &dossier.round {
        Known::Is(_) => {}
        Known::Unknown(why) => out.push(format!("the round is not known: {why}")),
        Known::NotApplicable(_) | Known::NotSupplied => {
            out.push("the round is not known".to_owned());
        }
    }
    match &dossier.ledger {
        LedgerHealth::Ok | LedgerHealth::Degraded(_) => {}
        LedgerHealth::Tampered(n) => {
            out.push(format!(
                "the ledger was changed in {}",
                items::count(*n as usize, "place")
            ));
        }
        LedgerHealth::Unknown(why) => out.push(format!("the ledger could not be read: {why}")),
    }
    out
}

/// The floor gate on the tree under review.
fn floor_of(dossier: &Dossier) -> Known<FloorVerdict> {
    dossier.contract.as_ref().map(|record| {
        let here = dossier
            .runs
            .iter()
            .filter(|run| dossier.same_tree(run.tree));
        floor(&record.contract, here, Mode::Status)
    })
}
