//! The rows of the lists: what is owed, where it stands, what may be done to it. One function
//! for each kind of item; the order is the order `n` walks (screens.md, section 1).

pub(super) mod chain;
pub(super) mod criterion;
pub(super) mod message;
pub(super) mod raised;
pub(super) mod spec;

use std::collections::BTreeSet;

use crate::model::contract::{ContractEdit, EditKind};
use crate::model::id::CriterionId;
use crate::model::known::Known;
use crate::model::scope::{ScopedFile, Trace};
use crate::model::standing::Standing;
use crate::model::text::{Foreign, Place};

use super::decide::Act;
use super::dossier::{Assertion, Dossier, EditTarget, LedgerHealth, Raised, Recorded, Subject};
use super::judge::{Item, Pane};
use super::permit::{Closure, Permit, Permits, Verb};
use super::standing_facts::{Facts, Said};

/// What everything that decides is closed by, before any item is looked at.
pub(super) fn closed_for_all(dossier: &Dossier) -> Option<Closure> {
    untrusted(dossier)
        .or_else(|| moved(dossier))
        .or_else(|| other_head(dossier))
        .or_else(|| match &dossier.who {
            Known::Is(_) => None,
            Known::Unknown(why) | Known::NotApplicable(why) => Some(Closure::new(
                "A11",
                format!("nobody is known at this terminal: {why}"),
                "",
            )),
            Known::NotSupplied => Some(Closure::new("A11", "nobody is known at this terminal", "")),
        })
}

/// The records themselves can't be trusted (LED-9).
pub(super) fn untrusted(dossier: &Dossier) -> Option<Closure> {
    match &dossier.ledger {
        LedgerHealth::Ok | LedgerHealth::Degraded(_) => None,
        LedgerHealth::Tampered(n) => Some(Closure::new(
            "LED-9",
            format!(
                "the ledger was changed in {}, decisions are off",
                count(*n as usize, "place")
            ),
            "o l shows them.",
        )),
        LedgerHealth::Unknown(why) => Some(Closure::new(
            "LED-9",
            format!("the ledger could not be read: {why}"),
            "F5 reads it again.",
        )),
    }
}

/// The world is not the one that was looked at (GIT-11).
pub(super) fn moved(dossier: &Dossier) -> Option<Closure> {
    let again = "F5 reads it again.";
    match &dossier.moved {
        Known::Is(moved) => {
            let what = if let Some(head) = moved.head {
                format!("the head moved to {}", head.short())
            } else if let Some(base) = moved.base {
                format!("the base moved to {}", base.short())
            } else if moved.contract.is_some() {
                "the contract changed since it was read".to_owned()
            } else {
                return None;
            };
            Some(Closure::new("GIT-11", what, again))
        }
        Known::Unknown(why) => Some(Closure::new(
            "GIT-11",
            format!("could not see whether the head moved: {why}"),
            again,
        )),
        Known::NotApplicable(_) | Known::NotSupplied => None,
    }
}

/// What lies here is not what the request has on its forge (FRG-11).
pub(super) fn other_head(dossier: &Dossier) -> Option<Closure> {
    let here = dossier.snapshot.head;
    let there = dossier.request.other_head(here)?;
    Some(Closure::new(
        "FRG-11",
        format!(
            "the forge's head is {}, this is {}",
            there.short(),
            here.short()
        ),
        "Push or fetch, and open the request again.",
    ))
}

/// The items of the contract pane: one for each part that the change touched, worst first.
pub(super) fn contract_items(facts: &Facts<'_>) -> Vec<Item> {
    let Known::Is(record) = &facts.dossier.contract else {
        return Vec::new();
    };
    let mut parts: Vec<(EditTarget, Vec<&ContractEdit>)> = Vec::new();
    let mut at = std::collections::BTreeMap::new();
    for edit in &record.edits {
        let target = target(edit);
        let place = *at.entry(target.clone()).or_insert_with(|| {
            parts.push((target, Vec::new()));
            parts.len() - 1
        });
        if let Some((_, edits)) = parts.get_mut(place) {
            edits.push(edit);
        }
    }
    parts
        .into_iter()
        .map(|(target, edits)| contract_item(facts, &target, &edits))
        .collect()
}

/// The part of the contract that an edit touches.
#[must_use]
pub(super) fn target(edit: &ContractEdit) -> EditTarget {
    match (edit.kind, &edit.id) {
        (
            EditKind::ContractRemoved
            | EditKind::NewInChange
            | EditKind::Untracked
            | EditKind::Uncommitted,
            _,
        ) => EditTarget::Whole,
        (EditKind::RequestChanged, _) => EditTarget::Request,
        (EditKind::ScopeAdded | EditKind::ScopeRemoved, _) => EditTarget::Scope,
        (EditKind::HeaderChanged, _) => EditTarget::Header,
        (
            EditKind::CriterionRemoved
            | EditKind::CheckChanged
            | EditKind::ExpectChanged
            | EditKind::CriterionReworded
            | EditKind::AbandonAdded
            | EditKind::AbandonRemoved
            | EditKind::CriterionAdded
            | EditKind::EvidencePrefilled
            | EditKind::EvidenceChanged
            | EditKind::BoxTicked,
            Some(id),
        ) => EditTarget::Criterion(id.clone()),
        (
            EditKind::CriterionRemoved
            | EditKind::CheckChanged
            | EditKind::ExpectChanged
            | EditKind::CriterionReworded
            | EditKind::AbandonAdded
            | EditKind::AbandonRemoved
            | EditKind::CriterionAdded
            | EditKind::EvidencePrefilled
            | EditKind::EvidenceChanged
            | EditKind::BoxTicked,
            None,
        ) => EditTarget::Header,
    }
}

/// One word for what happened, worst kind first in `edits`.
fn edit_word(edits: &[&ContractEdit]) -> &'static str {
    edits.first().map_or("edited", |edit| match edit.kind {
        EditKind::ContractRemoved | EditKind::CriterionRemoved => "removed",
        EditKind::RequestChanged | EditKind::HeaderChanged => "changed",
        EditKind::CheckChanged | EditKind::ExpectChanged => "edited",
        EditKind::CriterionReworded => "reworded",
        EditKind::AbandonAdded => "abandoned",
        EditKind::AbandonRemoved => "lifted",
        EditKind::CriterionAdded | EditKind::ScopeAdded => "added",
        EditKind::ScopeRemoved => "narrowed",
        EditKind::EvidencePrefilled => "pre-filled",
        EditKind::EvidenceChanged => "evidence",
        EditKind::BoxTicked => "ticked",
        EditKind::NewInChange => "new",
        EditKind::Untracked => "untracked",
        EditKind::Uncommitted => "uncommitted",
    })
}

fn contract_item(facts: &Facts<'_>, target: &EditTarget, edits: &[&ContractEdit]) -> Item {
    let is = |kind| edits.iter().any(|e| e.kind == kind);
    let new = is(EditKind::NewInChange) || is(EditKind::Untracked) || is(EditKind::Uncommitted);
    let beside = edits.iter().all(|e| e.kind == EditKind::Uncommitted);
    let subject = Subject::ContractEdit(target.clone());
    let said = facts.said(&subject);
    let (standing, word, owed) = match said.now.map(|d| d.value.act()) {
        Some(Act::Acknowledge) if new => (Standing::Ratified, "acknowledged", false),
        Some(Act::Acknowledge) => (Standing::Ratified, "as at base", false),
        Some(Act::AcceptEdit { .. }) => (Standing::Ratified, "accepted", false),
        Some(Act::KickBack { .. }) => (Standing::KickedBack, "kicked back", false),
        _ if said.earlier.is_some() => (Standing::Stale, "stale", true),
        // not judged, so nothing waits for it: shown, and may be sent back
        _ if beside => (Standing::Unproven, edit_word(edits), false),
        _ => (Standing::Unproven, edit_word(edits), true),
    };
    let affirm = if new {
        "acknowledge"
    } else {
        "judge as at base"
    };
    let affirm = if word == "as at base" || word == "acknowledged" {
        already(&format!("{} is {word}", name_of(&subject)), affirm)
    } else {
        Permit::Locked(affirm)
    };
    let accept = "accept as [gated]";
    let set_aside = match target {
        EditTarget::Whole => Permit::Absent,
        EditTarget::Request => Closure::new(
            "contract-gates 1.11",
            "the request is immutable for the life of the contract",
            "b sends the edit back.",
        )
        .of(accept),
        EditTarget::Criterion(_) | EditTarget::Scope | EditTarget::Header => Permit::Open(accept),
    };
    let mut limits = conflict(facts, &subject, &said);
    if edits.iter().any(|e| !e.gated) && !new {
        limits.push("not [gated]: no person allowed it in the text".to_owned());
    }
    let answered = matches!(
        said.now.map(|d| d.value.act()),
        Some(Act::AcceptEdit { .. })
    );
    if edits.iter().any(|e| e.gated) && !new && !answered {
        limits.push(
            "[gated] in the text: a claim, until a person's act is in the ledger (K06)".to_owned(),
        );
    }
    Item {
        permits: Permits::absent(subject.clone())
            .with(Verb::Affirm, affirm)
            .with(Verb::SendBack, Permit::Open("kick back"))
            .with(Verb::SetAside, set_aside),
        subject,
        pane: Pane::Contract,
        standing,
        word,
        owed,
        blocks: owed || standing == Standing::KickedBack,
        limits,
        badge: None,
    }
}

/// The edits that nobody acknowledged, by what they stand in the way of (words 5).
#[derive(Default)]
pub(in crate::gate) struct OpenEdits {
    /// Of the whole contract or its request: every criterion.
    all: Option<Subject>,
    /// Of one criterion.
    ids: BTreeSet<CriterionId>,
}

impl OpenEdits {
    pub(in crate::gate) fn of<'i>(items: impl IntoIterator<Item = &'i Item>) -> Self {
        let mut open = Self::default();
        for item in items.into_iter().filter(|item| item.owed) {
            match &item.subject {
                Subject::ContractEdit(EditTarget::Whole | EditTarget::Request) => {
                    open.all.get_or_insert_with(|| item.subject.clone());
                }
                Subject::ContractEdit(EditTarget::Criterion(id)) => {
                    open.ids.insert(id.clone());
                }
                Subject::ContractEdit(EditTarget::Scope | EditTarget::Header)
                | Subject::Criterion(_)
                | Subject::ScopeFile(_)
                | Subject::Chain(_)
                | Subject::Assertion(_)
                | Subject::Review(_)
                | Subject::Message(_) => {}
            }
        }
        open
    }

    /// How the edit that stands in the way of this criterion is named.
    pub(in crate::gate) fn before(&self, id: &CriterionId) -> Option<String> {
        if self.ids.contains(id) {
            return Some(id.to_string());
        }
        self.all.as_ref().map(name_of)
    }
}

/// The rows of changed files that a person has to answer for.
pub(super) fn scope_item(facts: &Facts<'_>, file: &ScopedFile) -> Item {
    let subject = Subject::ScopeFile(file.path.clone());
    let said = facts.said(&subject);
    let unset = if !file.overflow {
        "watched"
    } else if file
        .traces
        .iter()
        .any(|trace| matches!(trace, Trace::NamedOutside(_)))
    {
        "named outside"
    } else if file.traces.contains(&Trace::RepoWide) {
        "repo-wide"
    } else {
        "untraced"
    };
    let (standing, word, owed) = match said.now.map(|d| d.value.act()) {
        Some(Act::ScopeAccept) => (Standing::Ratified, "accepted", false),
        Some(Act::ScopeTicket { .. }) => (Standing::NotApplicable, "ticketed", false),
        Some(Act::ScopeDecline { .. }) => (Standing::KickedBack, "declined", false),
        Some(Act::ScopeEscalate { .. }) => (Standing::KickedBack, "escalated", false),
        _ if said.earlier.is_some() => (Standing::Stale, "stale", true),
        _ => (Standing::Unproven, unset, true),
    };
    let accept = if word == "accepted" {
        already("it is accepted", "accept as [gated]")
    } else {
        Permit::Locked("accept as [gated]")
    };
    let open = |does: &'static str, done: &str| {
        if word == done {
            already(&format!("it is {done}"), does)
        } else {
            Permit::Open(does)
        }
    };
    let limits = conflict(facts, &subject, &said);
    Item {
        permits: Permits::absent(subject.clone())
            .with(Verb::Affirm, accept)
            .with(Verb::SendBack, open("decline", "declined"))
            .with(Verb::SetAside, open("ticket", "ticketed"))
            .with(Verb::Escalate, open("escalate", "escalated")),
        subject,
        pane: Pane::Scope,
        standing,
        word,
        owed,
        blocks: owed || standing == Standing::KickedBack,
        limits,
        badge: None,
    }
}

/// An agent's own verdict. It stands where the owed order of screens.md, section 1, has it:
/// after chains and before gate messages, with the spec gate's self-assertions (pane 5).
pub(super) fn assertion_item(facts: &Facts<'_>, recorded: &Recorded<Assertion>) -> Item {
    let subject = Subject::Assertion(recorded.entry);
    let said = facts.said(&subject);
    let moved = recorded.value.head != facts.dossier.snapshot.head;
    let (standing, word, owed) = match said.now.map(|d| d.value.act()) {
        Some(Act::Ratify { .. } | Act::RatifyUnseen { .. }) => {
            (Standing::Ratified, "ratified", false)
        }
        Some(Act::KickBack { .. }) => (Standing::KickedBack, "kicked back", false),
        _ if moved => (Standing::Stale, "stale", true),
        _ => (Standing::Unproven, "asserted", true),
    };
    let affirm = if standing == Standing::Ratified {
        already("it is ratified", "ratify")
    } else if moved {
        Closure::new(
            "GIT-12",
            format!("it was said at {}", recorded.value.head.short()),
            "b sends it back.",
        )
        .of("ratify")
    } else {
        Permit::Locked("ratify")
    };
    let mut limits = vec!["a claim by an agent: it decides nothing".to_owned()];
    limits.extend(conflict(facts, &subject, &said));
    Item {
        permits: Permits::absent(subject.clone())
            .with(Verb::Affirm, affirm)
            .with(Verb::SendBack, Permit::Open("kick back")),
        subject,
        pane: Pane::Spec,
        standing,
        word,
        owed,
        blocks: owed || standing == Standing::KickedBack,
        limits,
        badge: None,
    }
}

/// The items on which people said different things (LED-17).
pub(super) fn disputed(facts: &Facts<'_>, items: &[Item]) -> Vec<(Subject, String)> {
    let subjects = items.iter().map(|item| &item.subject);
    let differ = |subject: &Subject| {
        facts.dossier.disputes_on(subject).next().is_some() || facts.said(subject).against.is_some()
    };
    subjects
        .filter(|subject| differ(subject))
        .map(|subject| (subject.clone(), name_of(subject)))
        .collect()
}

/// Two people said different things (LED-17), or a line claims what nothing vouches for (LED-10).
pub(super) fn conflict(facts: &Facts<'_>, subject: &Subject, said: &Said<'_>) -> Vec<String> {
    let mut out = Vec::new();
    for dispute in facts.dossier.disputes_on(subject) {
        out.push(format!(
            "conflict: {}; the stricter counts until it is decided again",
            dispute.says.join(", ")
        ));
    }
    if let (Some(now), Some(other)) = (said.now, said.against) {
        out.push(format!(
            "conflict: {} by {}, {} by {}; the stricter counts",
            now.value.act().word(),
            ours(now.value.by()),
            other.value.act().word(),
            ours(other.value.by())
        ));
    }
    if let Some(claim) = said.claim {
        let worth = if claim.value.act().only_takes_away() {
            "it counts, since it only takes away"
        } else {
            "it counts for nothing"
        };
        out.push(format!(
            "entry {} says {} by {}: an unverified claim, {worth}",
            claim.number,
            claim.value.act().word(),
            ours(claim.value.by())
        ));
    }
    out
}

fn ours(name: &str) -> String {
    Foreign::from(name).shown(Place::Strict).plain()
}

/// How a sentence names an item.
pub(super) fn name_of(subject: &Subject) -> String {
    match subject {
        Subject::ContractEdit(EditTarget::Whole) => "the contract".to_owned(),
        Subject::ContractEdit(EditTarget::Request) => "the request".to_owned(),
        Subject::ContractEdit(EditTarget::Criterion(id)) | Subject::Criterion(id) => id.to_string(),
        Subject::ContractEdit(EditTarget::Scope) => "the file scope".to_owned(),
        Subject::ContractEdit(EditTarget::Header) => "the header".to_owned(),
        Subject::ScopeFile(path) => Foreign::new(path.file_name()).shown(Place::Strict).plain(),
        Subject::Chain(id) => id.shown(),
        Subject::Assertion(entry) => format!("assertion {}", entry.short()),
        Subject::Review(Raised::Thread { id, .. }) => format!("thread {}", raised::shown(id)),
        Subject::Review(Raised::Finding(id)) => format!("finding {}", id.0.short()),
        Subject::Review(Raised::Incomplete(_)) => "the missing comments".to_owned(),
        Subject::Message(id) => format!("gate {}", id.digest.short()),
    }
}

/// `1 error`, `2 errors`.
pub(super) fn count(n: usize, noun: &str) -> String {
    if n == 1 {
        format!("1 {noun}")
    } else {
        format!("{n} {noun}s")
    }
}

/// What was done can't be done twice.
pub(super) fn already(what: &str, does: &'static str) -> Permit {
    Closure::new("LED-18", format!("{what} already"), "u takes it back.").of(does)
}
