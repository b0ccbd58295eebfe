//! What is left: the findings of the verify gate, what would be needed for the next better
//! verdict, and which verdicts may be signed now.

use std::sync::Arc;

use crate::model::contract::Format;
use crate::model::id::CriterionId;
use crate::model::known::Known;
use crate::model::ruling::Verdict;

use super::dossier::Subject;
use super::items::{name_of, other_head};
use super::judge::{Findings, Item, Pane, Signing, TraceResult};
use super::permit::Closure;
use super::trace::{first, missing, names, other_gates, with_status};
use super::verify::{Signed, Status, Trigger, VerdictState, Verified, table::Row};

/// What would be needed for the next better verdict.
pub(super) fn nearest(found: &Findings<'_>, ruling: Verdict) -> String {
    match ruling {
        Verdict::Approved => return String::new(),
        Verdict::CouldNotMeasure => {
            return format!("a verdict, once this is mended: {}.", found.not_measured());
        }
        Verdict::Stale => return "a verdict, once the change is read again.".to_owned(),
        Verdict::Undecided | Verdict::Reroll | Verdict::Escalate => {}
    }
    if !found.breakers.is_empty() {
        return format!(
            "APPROVED, once this is mended: {}.",
            first(&found.breakers, String::clone, "; ")
        );
    }
    let needs = needs(found);
    let best = match found.tally.round {
        0 | 1 => Row::I,
        2 => Row::E,
        _ => Row::F,
    };
    format!(
        "APPROVED, {}: if {}. Nothing else stands in its way.",
        best.name(),
        join(&needs)
    )
}

fn needs(found: &Findings<'_>) -> Vec<String> {
    let mut needs = Vec::new();
    let mut holding: Vec<&CriterionId> = missing(found);
    holding.extend(with_status(found, Status::Undecided));
    in_order(found, &mut holding);
    match holding.as_slice() {
        [] => {}
        [one] => needs.push(format!("{one} holds")),
        many => needs.push(format!("{} hold", names(many))),
    }
    if found.criteria.is_empty() {
        needs.push("a contract with criteria is found".to_owned());
    }
    if !found.unaccepted.is_empty() {
        needs.push(format!(
            "you accept or lift the abandoned {}",
            names(&found.unaccepted)
        ));
    }
    if !found.policy.abandoned_counts && !found.abandoned.is_empty() {
        needs.push(format!(
            "your policy allows the abandoned {}",
            names(&found.abandoned)
        ));
    }
    for (pane, verb) in [
        (Pane::Contract, "the contract's edits of"),
        (Pane::Comments, "what is raised by"),
        (Pane::Scope, "the file"),
        (Pane::Chains, "the chain"),
        (Pane::Spec, "what is asserted by"),
    ] {
        let open: Vec<&Item> = found
            .items
            .iter()
            .filter(|item| item.pane == pane && item.blocks)
            .collect();
        let names = |open: &[&Item]| first(open, |item| name_of(&item.subject), " ");
        if !open.is_empty() {
            needs.push(match &open[..] {
                [_] if pane == Pane::Chains => format!("{verb} {} is closed", names(&open)),
                _ if pane == Pane::Chains => format!("{verb}s {} are closed", names(&open)),
                [_] if pane == Pane::Scope => format!("{verb} {} is accepted", names(&open)),
                _ if pane == Pane::Scope => format!("{verb}s {} are accepted", names(&open)),
                _ if pane == Pane::Comments => format!("{verb} {} is dealt with", names(&open)),
                _ => format!("{verb} {} are accepted", names(&open)),
            });
        }
    }
    let overridden = with_status(found, Status::Overridden);
    if !overridden.is_empty() {
        needs.push(format!("{} passes by its evidence", names(&overridden)));
    }
    needs.extend(super::items::spec::needs(found));
    if needs.is_empty() {
        needs.push("what is still being read says nothing else".to_owned());
    }
    needs
}

/// Puts ids in the order of the contract.
fn in_order(found: &Findings<'_>, ids: &mut [&CriterionId]) {
    let order: std::collections::BTreeMap<_, _> = found
        .criteria
        .iter()
        .enumerate()
        .map(|(at, (id, _))| (id, at))
        .collect();
    ids.sort_by_key(|id| order.get(id).copied());
}

fn join(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{}, and {last}", most.join(", ")),
    }
}

/// The verify gate's findings.
pub(super) fn verified(found: &Findings<'_>, verify: Verdict) -> Verified {
    let mut triggers = Vec::new();
    if found.tally.settled_t1() {
        triggers.push(Trigger::T1);
    }
    triggers.extend(
        found
            .reviewed
            .fires
            .iter()
            .filter(|one| **one != Trigger::Mm),
    );
    if found.tally.settled_c() {
        triggers.push(Trigger::Se);
    }
    if found.tally.mm {
        triggers.push(Trigger::Mm);
    }
    let decided = matches!(
        verify,
        Verdict::Approved | Verdict::Reroll | Verdict::Escalate
    );
    let row = decided
        .then(|| found.tally.settled_row())
        .filter(|row| row.verdict() == verify);
    let state = match verify {
        Verdict::Undecided => VerdictState::Undecided,
        Verdict::Stale => VerdictState::Stale,
        Verdict::CouldNotMeasure => VerdictState::CouldNotMeasure,
        Verdict::Approved | Verdict::Reroll | Verdict::Escalate if found.tally.overridden => {
            VerdictState::Overridden
        }
        Verdict::Approved | Verdict::Reroll | Verdict::Escalate if row == Some(Row::F) => {
            VerdictState::StandaloneOverride
        }
        Verdict::Approved | Verdict::Reroll | Verdict::Escalate => VerdictState::Ruled,
    };
    let mut nits = request_nits(found);
    nits.extend(
        other_gates(found)
            .into_iter()
            .filter(|row| row.result == TraceResult::Nit)
            .map(|row| format!("{} {}", row.rule, row.says)),
    );
    Verified {
        row,
        state,
        triggers,
        breakers: found.breakers.clone(),
        nits,
        criteria: found.criteria.clone(),
        partial: !found.abandoned.is_empty(),
        floor_bounce: found.floor_bounce(),
        signed: signed(found),
        cases: Arc::clone(&found.reviewed.cases),
    }
}

fn signed(found: &Findings<'_>) -> Signed {
    let (t1, c) = found.tally.signed_parts();
    let mut triggers = Vec::new();
    if t1 {
        triggers.push(Trigger::T1);
    }
    let raised = &found.reviewed;
    triggers.extend(raised.fires.iter().chain(&raised.may_fire));
    if c {
        triggers.push(Trigger::Se);
    }
    triggers.sort_unstable();
    triggers.dedup();
    Signed {
        row: found.tally.signed_row(),
        triggers,
    }
}

/// What is listed and never blocks: absent findings, no ticket, no test plan.
fn request_nits(found: &Findings<'_>) -> Vec<String> {
    let request = &found.dossier.request;
    let mut out = Vec::new();
    match &request.findings {
        Known::NotSupplied | Known::NotApplicable(_) => {
            out.push("simplify and adherence findings not supplied".to_owned());
        }
        Known::Is(findings) if findings.adherence.is_none() => {
            out.push("adherence findings not supplied".to_owned());
        }
        Known::Is(_) | Known::Unknown(_) => {}
    }
    if request.pull().is_some() {
        let contract = found.dossier.contract.known();
        let stands_in = contract.is_none_or(|record| record.contract.format == Format::PrIntent);
        if stands_in && request.dangling.is_none() {
            out.push("no_ticket".to_owned());
        }
        if !request.claims.test_plan {
            out.push("no test plan".to_owned());
        }
        let unrecognised = request.claims.unrecognised;
        if unrecognised > 0 && request.claims.closes.is_empty() {
            out.push(format!(
                "{} reaches for a close claim and is none",
                super::items::count(unrecognised, "line")
            ));
        }
        if let (Some(subject), [_, ..]) = (&request.claims.subject, &request.claims.closes[..])
            && !request.claims.closes.contains(subject)
        {
            out.push(format!(
                "the title names ticket {subject}, the description another"
            ));
        }
    }
    out
}

/// What may be signed (GIT-12, A1): never laxer than the judgment, ESCALATE at any time.
pub(super) fn signing(found: &Findings<'_>, ruling: Verdict) -> [Signing; 3] {
    [Verdict::Approved, Verdict::Reroll, Verdict::Escalate].map(|verdict| Signing {
        verdict,
        closed: unsignable(found, ruling)
            .or_else(|| too_lax(found, ruling, verdict))
            .or_else(|| too_weak(found, verdict)),
    })
}

fn unsignable(found: &Findings<'_>, ruling: Verdict) -> Option<Closure> {
    match ruling {
        Verdict::CouldNotMeasure => Some(Closure::new(
            "A1",
            format!("it could not be measured: {}", found.not_measured()),
            "F5 reads it again.",
        )),
        Verdict::Stale => found.stale.clone(),
        Verdict::Approved | Verdict::Undecided | Verdict::Reroll | Verdict::Escalate => {
            other_head(found.dossier)
        }
    }
}

fn too_lax(found: &Findings<'_>, ruling: Verdict, verdict: Verdict) -> Option<Closure> {
    let v = "v shows the rule.";
    match verdict {
        Verdict::Escalate => None,
        Verdict::Approved if ruling == Verdict::Approved => None,
        Verdict::Reroll if unacknowledged(found) => Some(Closure::new(
            "G14",
            "REROLL, the contract's edits are not acknowledged",
            "0 goes there.",
        )),
        Verdict::Reroll if found.tally.reading => Some(Closure::new(
            "A3",
            "REROLL, the changed files are still being read",
            "",
        )),
        Verdict::Reroll if found.tally.signed() == Verdict::Reroll => None,
        Verdict::Reroll if found.tally.signed() == Verdict::Approved => Some(Closure::new(
            "verify-gate 1.5",
            "REROLL, because nothing is left to do for the agent",
            v,
        )),
        Verdict::Approved | Verdict::Reroll => {
            Some(Closure::new("verify-gate 1.5", because(found, verdict), v))
        }
        Verdict::Undecided | Verdict::Stale | Verdict::CouldNotMeasure => Some(Closure::new(
            "verify-gate 1.4",
            format!("{} is never signed", verdict.word()),
            v,
        )),
    }
}

fn unacknowledged(found: &Findings<'_>) -> bool {
    found
        .items
        .iter()
        .any(|item| item.owed && matches!(item.subject, Subject::ContractEdit(_)))
}

/// `APPROVED, because T1 fires for 2 and 7`.
fn because(found: &Findings<'_>, verdict: Verdict) -> String {
    let mut whys = Vec::new();
    if !found.breakers.is_empty() {
        whys.push(first(&found.breakers, String::clone, "; "));
    }
    let mut missing = missing(found);
    if !found.policy.abandoned_counts {
        missing.extend(&found.abandoned);
    }
    in_order(found, &mut missing);
    if !missing.is_empty() {
        whys.push(format!("T1 fires for {}", names(&missing)));
    } else if found.tally.settled_t1() {
        whys.push("T1 fires: no criterion is resolved".to_owned());
    }
    let raised: Vec<&str> = found.reviewed.fires.iter().map(|one| one.word()).collect();
    match raised.as_slice() {
        [] => {}
        [one] => whys.push(format!("{one} fires")),
        many => whys.push(format!("{} fire", many.join(" "))),
    }
    if found.tally.escalated {
        whys.push("SE fires".to_owned());
    }
    if found.tally.wrong {
        whys.push("something was called wrong".to_owned());
    }
    if found.tally.sent_back {
        whys.push("something went back to the agent".to_owned());
    }
    match found.tally.chains_open {
        0 => {}
        1 => whys.push("1 HIGH chain is open".to_owned()),
        n => whys.push(format!("{n} HIGH chains are open")),
    }
    whys.extend(super::items::spec::whys(found));
    if found.tally.overridden {
        whys.push("a criterion is overridden".to_owned());
    }
    let open = found.items.iter().filter(|item| item.owed).count();
    if open > 0 {
        whys.push(format!(
            "{} owed",
            if open == 1 {
                "1 is".to_owned()
            } else {
                format!("{open} are")
            }
        ));
    }
    if whys.is_empty() {
        whys.push("the facts are still being read".to_owned());
    }
    format!("{}, because {}", verdict.word(), join(&whys))
}

fn too_weak(found: &Findings<'_>, verdict: Verdict) -> Option<Closure> {
    let asked = found.policy.asks(verdict);
    let Known::Is(who) = &found.dossier.who else {
        return Some(Closure::new("A11", "nobody is known at this terminal", ""));
    };
    if found.dossier.self_ratified.known() == Some(&true) && !found.policy.allow_self {
        return Some(Closure::new(
            "LED-15",
            "your policy does not let an author of the change rule on it",
            "",
        ));
    }
    (who.reach() < asked).then(|| {
        Closure::new(
            "LED-12",
            format!(
                "your policy asks for {}, this name is {}",
                asked.label(),
                who.reach().label()
            ),
            "",
        )
    })
}
