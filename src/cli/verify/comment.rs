//! The comment of the source, line by line. While nobody ruled there is nothing to post: then the
//! first line is none that reads as a marker.

use super::{Audit, word};
use crate::gate::verify::VerdictState;
use crate::gate::verify::document::{Document, one_line};
use crate::model::ruling::Verdict;
use crate::model::text::{Foreign, Place};

/// The lines; whatever a name or a text holds, none of it begins a line of its own.
pub(super) fn render(verdict: &Document, audit: &Audit) -> Vec<String> {
    let lines = written(verdict, audit);
    let shown = |line: String| Foreign::from(line).shown(Place::Prose).plain();
    lines.into_iter().map(shown).collect()
}

fn written(verdict: &Document, audit: &Audit) -> Vec<String> {
    let ruling = verdict.ruled.as_ref();
    let mut out = match (ruling, verdict.verdict) {
        (Some(_), Some(_)) if verdict.state != VerdictState::Stale => vec![format!(
            "/verify-gate round={} verdict={}",
            verdict.round,
            word(verdict)
        )],
        _ => return unruled(verdict),
    };
    let session = audit.session.clone().unwrap_or_default();
    out.push(format!("Gate session id: {session}"));
    out.push(format!("Review worktree path: {}", audit.worktree));
    if let Some(ruling) = ruling {
        out.push(format!("Ruled tip SHA: {}", ruling.value.snapshot().head));
    }
    if let Some(bump) = &verdict.bump {
        out.push(format!("reroll_bump: {bump}"));
    }
    out.extend(counters(verdict));
    if verdict.verdict != Some(Verdict::Approved) {
        out.push(format!("Top reasons: {}", top(verdict)));
    }
    let mut rationale = one_line(&verdict.rationale);
    if verdict.partial {
        rationale.push_str(" Partial delivery.");
    }
    if verdict.state != VerdictState::Ruled {
        rationale.push_str(&format!(" ({})", verdict.state.word()));
    }
    out.push(format!("Rationale: {rationale}"));
    out.extend(verdict.considered());
    out
}

fn counters(verdict: &Document) -> [String; 3] {
    let counted = verdict.counters();
    let (met, all) = counted.criteria;
    let (files, ticketed, escalate) = counted.overflow;
    let minors = counted.minors;
    [
        format!(
            "Exit criteria: {met}/{all}  Review: {}  Simplify: {}",
            counted.review, counted.simplify
        ),
        format!(
            "Adherence: {}  Scope overflow: {files} ({ticketed}/{escalate})",
            counted.adherence
        ),
        format!(
            "Minors: verifiable:{} consider:{} nofollow:{} malformed:{}",
            minors.verifiable, minors.consider, minors.nofollow, minors.malformed
        ),
    ]
}

fn top(verdict: &Document) -> String {
    let all: Vec<&str> = verdict
        .breakers
        .iter()
        .chain(&verdict.reasons)
        .map(String::as_str)
        .collect();
    if all.is_empty() {
        return match verdict.row {
            Some(row) => row.says(verdict.round),
            None => "a person ruled so".to_owned(),
        };
    }
    all.join("; ")
}

/// Where it stands, for people; no line of it reads as a marker.
fn unruled(verdict: &Document) -> Vec<String> {
    let row = verdict
        .row
        .map_or(String::new(), |row| format!(", {}", row.name()));
    let state = match verdict.state {
        VerdictState::Ruled => String::new(),
        state => format!(" ({})", state.word()),
    };
    let mut out = vec![format!(
        "not ruled: {} as it stands{row}, round {}{state}",
        word(verdict),
        verdict.round,
    )];
    out.extend(counters(verdict));
    out.extend(verdict.breakers.iter().map(|one| format!("breaker: {one}")));
    out.extend(
        verdict
            .reasons
            .iter()
            .map(|one| format!("in the way: {one}")),
    );
    out.extend(
        verdict
            .undecided
            .iter()
            .map(|one| format!("undecided: {one}")),
    );
    out.extend(verdict.nits.iter().map(|one| format!("nit: {one}")));
    out
}
