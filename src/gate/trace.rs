//! The rule trace in words: one row for each rule that was looked at, in the order of the
//! verdict page, and what would be needed for the next better verdict. Nothing here decides.

use crate::model::id::CriterionId;
use crate::model::known::Known;
use crate::model::ruling::Verdict;
use crate::model::standing::Standing;
use crate::model::text::Foreign;

use super::dossier::LedgerHealth;
use super::floor::verdict::FloorState;
use super::items::{count, name_of};
use super::judge::{Findings, Item, Pane, TraceResult, TraceRow};
use super::own_work::is_own;
use super::trace_review;
use super::verify::Status;
use super::verify::table::Caller;

/// Most names that one row spells out.
const NAMES: usize = 12;

/// The rows, in order.
pub(super) fn rows(found: &Findings<'_>, verify: Verdict, ruling: Verdict) -> Vec<TraceRow> {
    let mut rows = Vec::new();
    for why in &found.unmeasured {
        rows.push(row(
            "measure",
            why.clone(),
            TraceResult::Decides(Verdict::CouldNotMeasure),
        ));
    }
    if let Some(closure) = &found.stale {
        rows.push(row(
            "snapshot",
            closure.why.clone(),
            TraceResult::Decides(Verdict::Stale),
        ));
    }
    rows.push(breakers(found));
    rows.push(scope_escalated(found));
    rows.push(t1(found));
    rows.extend(trace_review::rows(found));
    rows.push(decides(found, verify));
    rows.push(floor(found));
    rows.push(contract(found));
    rows.push(scope(found));
    rows.extend(assertions(found));
    rows.extend(override_row(found));
    rows.extend(other_gates(found));
    rows.push(ledger(found));
    rows.push(person(found));
    rows.push(row(
        "ruling",
        match ruling {
            Verdict::Undecided => "an undecided item can still change it".to_owned(),
            Verdict::Approved
            | Verdict::Reroll
            | Verdict::Escalate
            | Verdict::Stale
            | Verdict::CouldNotMeasure => "the strictest of the gates".to_owned(),
        },
        TraceResult::Decides(ruling),
    ));
    rows
}

pub(super) fn row(rule: &'static str, says: String, result: TraceResult) -> TraceRow {
    TraceRow {
        rule,
        says,
        result,
        ids: Vec::new(),
    }
}

/// Names, blank between them, the rest counted.
pub(super) fn names<T: std::fmt::Display>(ids: &[T]) -> String {
    first(ids, ToString::to_string, " ")
}

/// The first of these in words, and how many more there are.
pub(super) fn first<T>(of: &[T], words: impl Fn(&T) -> String, between: &str) -> String {
    let shown: Vec<String> = of.iter().take(NAMES).map(words).collect();
    match of.len().saturating_sub(NAMES) {
        0 => shown.join(between),
        more => format!("{} and {more} more", shown.join(between)),
    }
}

/// `criterion 2 is`, `criteria 2 4 are`.
fn criteria_are(ids: &[&CriterionId]) -> String {
    match ids {
        [one] => format!("criterion {one} is"),
        many => format!("criteria {} are", names(many)),
    }
}

pub(super) fn with_status<'f>(found: &'f Findings<'_>, status: Status) -> Vec<&'f CriterionId> {
    found
        .criteria
        .iter()
        .filter(|(_, s)| *s == status)
        .map(|(id, _)| id)
        .collect()
}

/// MISSING for another reason than an abandonment.
pub(super) fn missing<'f>(found: &'f Findings<'_>) -> Vec<&'f CriterionId> {
    let given: std::collections::BTreeSet<_> =
        found.abandoned.iter().chain(&found.unaccepted).collect();
    with_status(found, Status::Missing)
        .into_iter()
        .filter(|id| !given.contains(id))
        .collect()
}

fn breakers(found: &Findings<'_>) -> TraceRow {
    if found.breakers.is_empty() {
        row(
            "breakers",
            match found.tally.caller {
                Caller::Standalone => "none; standalone, no caller bundle",
                Caller::Gaze => "none; called by gaze",
            }
            .to_owned(),
            TraceResult::Clear,
        )
    } else {
        row("breakers", found.breakers.join("; "), TraceResult::Fires)
    }
}

fn scope_escalated(found: &Findings<'_>) -> TraceRow {
    let mut parts = Vec::new();
    for (word, says) in [("ticketed", "TICKETED"), ("escalated", "ESCALATE")] {
        let files: Vec<String> = found
            .items
            .iter()
            .filter(|item| item.pane == Pane::Scope && item.word == word)
            .map(|item| name_of(&item.subject))
            .collect();
        if !files.is_empty() {
            parts.push(format!("{} {says}", names(&files)));
        }
    }
    if !found.abandoned.is_empty() {
        parts.push(format!("{} abandoned, accepted", names(&found.abandoned)));
    }
    if !found.unaccepted.is_empty() {
        parts.push(format!(
            "{} abandoned, nobody accepted it",
            names(&found.unaccepted)
        ));
    }
    parts.push(match (found.wrong.is_empty(), found.tally.wrong) {
        (false, _) => format!("{} called wrong", names(&found.wrong)),
        (true, true) => "an edit or an assertion called wrong".to_owned(),
        (true, false) => "none called wrong".to_owned(),
    });
    let fires = found.tally.settled_c() || !found.unaccepted.is_empty();
    let mut out = row(
        "SE",
        parts.join(", "),
        if fires {
            TraceResult::Fires
        } else {
            TraceResult::Clear
        },
    );
    out.ids = found
        .wrong
        .iter()
        .chain(&found.unaccepted)
        .cloned()
        .collect();
    out
}

fn t1(found: &Findings<'_>) -> TraceRow {
    let missing = missing(found);
    let open = with_status(found, Status::Undecided);
    let mut parts = Vec::new();
    if !missing.is_empty() {
        parts.push(format!("{} MISSING", criteria_are(&missing)));
    }
    if !found.abandoned.is_empty() {
        let allowed = if found.policy.abandoned_counts {
            ", the policy allows it"
        } else {
            ""
        };
        parts.push(format!("{} abandoned{allowed}", names(&found.abandoned)));
    }
    if !found.unaccepted.is_empty() {
        parts.push(format!(
            "{} abandoned, not accepted",
            names(&found.unaccepted)
        ));
    }
    if !open.is_empty() {
        parts.push(format!("{} undecided", names(&open)));
    }
    if found.criteria.is_empty() {
        parts.push(no_criteria(found).to_owned());
    } else if found.tally.resolved == 0 && found.tally.settled_t1() && missing.is_empty() {
        parts.push("no criterion is resolved at all".to_owned());
    }
    if parts.is_empty() {
        parts.push("every criterion is ADDRESSED".to_owned());
    }
    let result = if found.tally.settled_t1() {
        TraceResult::Fires
    } else if open.is_empty() && found.unaccepted.is_empty() {
        TraceResult::Clear
    } else {
        TraceResult::Unknown
    };
    let mut out = row("T1", parts.join(", "), result);
    out.ids = missing
        .into_iter()
        .chain(&found.abandoned)
        .cloned()
        .collect();
    out
}

fn no_criteria(found: &Findings<'_>) -> &'static str {
    match &found.dossier.contract {
        Known::Is(_) => "the contract holds no criterion",
        Known::Unknown(_) => "the contract could not be read",
        Known::NotApplicable(_) | Known::NotSupplied => "no contract was found",
    }
}

fn decides(found: &Findings<'_>, verify: Verdict) -> TraceRow {
    let round = found.tally.round;
    match verify {
        Verdict::Approved | Verdict::Reroll | Verdict::Escalate
            if found.tally.settled_row().verdict() != verify =>
        {
            let says = "an override is up to somebody with the authority";
            row("row", says.to_owned(), TraceResult::Decides(verify))
        }
        Verdict::Approved | Verdict::Reroll | Verdict::Escalate => {
            let decisive = found.tally.settled_row();
            row(
                decisive.name(),
                decisive.says(round),
                TraceResult::Decides(verify),
            )
        }
        Verdict::Undecided | Verdict::Stale | Verdict::CouldNotMeasure => row(
            "row",
            format!("round {round}; no row of the table is certain"),
            TraceResult::Decides(verify),
        ),
    }
}

fn floor(found: &Findings<'_>) -> TraceRow {
    match &found.floor {
        Known::Is(verdict) => {
            let with = |states: &[FloorState]| -> Vec<&CriterionId> {
                verdict
                    .rows
                    .iter()
                    .filter(|r| states.contains(&r.state))
                    .map(|r| &r.id)
                    .collect()
            };
            let red = with(&[
                FloorState::NotMet,
                FloorState::NotMetRecorded,
                FloorState::Error,
            ]);
            let given = with(&[FloorState::Abandoned]);
            let mut says = verdict.token.to_string();
            if !red.is_empty() {
                says.push_str(&format!(": {}", names(&red)));
            }
            if !given.is_empty() {
                let accepted = if found.unaccepted.is_empty() {
                    "accepted"
                } else {
                    "not accepted"
                };
                says.push_str(&format!(" · {} abandoned, {accepted}", names(&given)));
            }
            if verdict.floor_empty() {
                says.push_str(" · the floor is empty: nothing can be run");
            }
            let spent = super::verify::bounces(&found.dossier.rulings);
            if spent > 0 {
                says.push_str(&format!(" · {spent} of 3 floor bounces used"));
            }
            let clear = red.is_empty() && !verdict.floor_empty();
            row(
                "floor",
                says,
                if clear {
                    TraceResult::Clear
                } else {
                    TraceResult::Nit
                },
            )
        }
        Known::Unknown(why) => row("floor", why.to_string(), TraceResult::Unknown),
        Known::NotApplicable(why) => row("floor", why.to_string(), TraceResult::Absent),
        Known::NotSupplied => row(
            "floor",
            "no contract was found".to_owned(),
            TraceResult::Absent,
        ),
    }
}

/// One row for all items of a pane that are no criteria.
fn of_pane(
    found: &Findings<'_>,
    pane: Pane,
    rule: &'static str,
    none: &str,
    unit: &str,
) -> TraceRow {
    let items: Vec<&Item> = found
        .items
        .iter()
        .filter(|item| item.pane == pane)
        .collect();
    if items.is_empty() {
        return row(rule, none.to_owned(), TraceResult::Clear);
    }
    let mut parts = Vec::new();
    let open: Vec<String> = items
        .iter()
        .filter(|item| item.owed)
        .map(|item| name_of(&item.subject))
        .collect();
    if !open.is_empty() {
        parts.push(format!("{} {unit}", names(&open)));
    }
    let mut words: Vec<&str> = items.iter().filter(|i| !i.owed).map(|i| i.word).collect();
    words.sort_unstable();
    words.dedup();
    for word in words {
        let these: Vec<String> = items
            .iter()
            .filter(|item| !item.owed && item.word == word)
            .map(|item| name_of(&item.subject))
            .collect();
        parts.push(format!("{} {word}", names(&these)));
    }
    let back = items
        .iter()
        .any(|item| item.standing == Standing::KickedBack);
    let result = if back {
        TraceResult::Fires
    } else if open.is_empty() {
        TraceResult::Clear
    } else {
        TraceResult::Unknown
    };
    row(rule, parts.join(", "), result)
}

fn contract(found: &Findings<'_>) -> TraceRow {
    let none = match &found.dossier.contract {
        Known::Is(_) => "the change leaves its contract alone",
        Known::Unknown(_) => "the contract could not be read",
        Known::NotApplicable(_) | Known::NotSupplied => "no contract was found",
    };
    of_pane(
        found,
        Pane::Contract,
        "contract",
        none,
        "edited, not acknowledged",
    )
}

fn scope(found: &Findings<'_>) -> TraceRow {
    match &found.dossier.scope {
        Known::Is(_) => of_pane(
            found,
            Pane::Scope,
            "scope",
            "every changed file is accounted for",
            "unanswered",
        ),
        Known::Unknown(why) => row("scope", why.to_string(), TraceResult::Unknown),
        Known::NotApplicable(why) => row("scope", why.to_string(), TraceResult::Absent),
        Known::NotSupplied => row(
            "scope",
            "the changed files are not matched yet".to_owned(),
            TraceResult::Unknown,
        ),
    }
}

fn assertions(found: &Findings<'_>) -> Option<TraceRow> {
    let any = found.items.iter().any(|item| item.pane == Pane::Spec);
    any.then(|| of_pane(found, Pane::Spec, "asserted", "", "waits for a person"))
}

fn override_row(found: &Findings<'_>) -> Option<TraceRow> {
    let ids = with_status(found, Status::Overridden);
    (!ids.is_empty()).then(|| {
        let mut out = row(
            "override",
            format!(
                "{} passes against the evidence: never APPROVED",
                names(&ids)
            ),
            TraceResult::Fires,
        );
        out.ids = ids.into_iter().cloned().collect();
        out
    })
}

/// The other gates, and why those that are silent are (rulings A3).
pub(super) fn other_gates(found: &Findings<'_>) -> Vec<TraceRow> {
    vec![
        super::items::chain::gate(found),
        super::items::spec::gate(found),
        super::items::message::gate(found),
    ]
}

fn ledger(found: &Findings<'_>) -> TraceRow {
    match &found.dossier.ledger {
        LedgerHealth::Ok => row(
            "ledger",
            "every line verifies".to_owned(),
            TraceResult::Clear,
        ),
        LedgerHealth::Degraded(n) => row(
            "ledger",
            format!(
                "damaged in {}, the rest is used",
                count(*n as usize, "place")
            ),
            TraceResult::Nit,
        ),
        LedgerHealth::Tampered(n) => row(
            "ledger",
            format!("changed, cut or forged in {}", count(*n as usize, "place")),
            TraceResult::Fires,
        ),
        LedgerHealth::Unknown(why) => row("ledger", why.to_string(), TraceResult::Unknown),
    }
}

/// Who rules, and whether it is an author of the change (LED-15).
fn person(found: &Findings<'_>) -> TraceRow {
    let Known::Is(who) = &found.dossier.who else {
        return row(
            "person",
            "nobody is known here".to_owned(),
            TraceResult::Unknown,
        );
    };
    let own = || {
        let commits = found.dossier.commits.known()?;
        let authors: Vec<Foreign> = commits.iter().map(|c| c.author.clone()).collect();
        Some(is_own(who.name(), None, &authors))
    };
    // Committers and the person's own address are known where the change was opened.
    let own = match found.dossier.self_ratified {
        Known::Is(true) => Some(true),
        _ => own(),
    };
    match own {
        Some(true) => row(
            "person",
            "you are an author of this change: self-ratified".to_owned(),
            TraceResult::Nit,
        ),
        Some(false) => row(
            "person",
            "you are not an author of this change".to_owned(),
            TraceResult::Clear,
        ),
        None => row(
            "person",
            "whether you are an author is not known".to_owned(),
            TraceResult::Unknown,
        ),
    }
}
