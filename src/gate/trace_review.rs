//! The trace rows of what a review raised: T2 to T6 and MM.

use crate::model::id::RepoPath;
use crate::model::known::Known;

use super::dossier::Subject;
use super::items::name_of;
use super::judge::{Findings, Item, Pane, TraceResult, TraceRow};
use super::trace::{first, names, row};
use super::verify::Trigger;
use super::verify::breakers::{UNREVIEWABLE, content_bearing};
use super::verify::scoped::{Scoped, judge};
use super::verify::threads::Case;

/// The rows, in the order of the triggers.
pub(super) fn rows(found: &Findings<'_>) -> Vec<TraceRow> {
    let request = &found.dossier.request;
    let mut out = Vec::new();
    match &request.threads {
        Known::Is(_) => {
            for trigger in [Trigger::T2, Trigger::T3, Trigger::T4] {
                out.push(of_threads(found, trigger));
            }
        }
        Known::Unknown(why) | Known::NotApplicable(why) => {
            let result = match request.threads {
                Known::Unknown(_) => TraceResult::Unknown,
                _ => TraceResult::Absent,
            };
            for rule in ["T2", "T3", "T4"] {
                out.push(row(rule, why.to_string(), result));
            }
        }
        Known::NotSupplied => {
            for rule in ["T2", "T3", "T4"] {
                let says = "the threads are not supplied".to_owned();
                out.push(row(rule, says, TraceResult::Unknown));
            }
        }
    }
    out.extend(findings(found));
    out.push(match &request.threads {
        Known::Is(_) => of_threads(found, Trigger::Mm),
        Known::Unknown(why) => row("MM", why.to_string(), TraceResult::Unknown),
        Known::NotApplicable(_) | Known::NotSupplied => row(
            "MM",
            "no pull request: there are no minors".to_owned(),
            TraceResult::Absent,
        ),
    });
    out.extend(scoped(found));
    out.extend(size(found));
    out
}

/// The size of a change that gaze would not review; a badge in a person's session (K07).
fn size(found: &Findings<'_>) -> Option<TraceRow> {
    let gaze = found.dossier.request.caller.known().is_some_and(|c| c.gaze);
    let count = content_bearing(found.dossier.files.known()?);
    (!gaze && count >= UNREVIEWABLE).then(|| {
        let says = format!("{count} files bear content: gaze would ask to split it");
        row("size", says, TraceResult::Nit)
    })
}

/// What the request quotes of a scoped run: read by the rule, and never as a full one.
fn scoped(found: &Findings<'_>) -> Option<TraceRow> {
    let request = &found.dossier.request;
    let body = request.pull()?.body.as_ref()?;
    let body = String::from_utf8_lossy(body.raw());
    let (map, unread) = match &request.checks {
        Known::Is(map) => (Some(map.as_ref()), None),
        Known::Unknown(why) => (None, Some(why.to_string())),
        Known::NotApplicable(_) | Known::NotSupplied => (None, None),
    };
    let Known::Is(files) = &found.dossier.files else {
        return None;
    };
    let changed: Vec<RepoPath> = files.iter().map(|file| file.path.clone()).collect();
    let says = match (judge(map, &changed, &body), unread) {
        (Scoped::Silent, _) => return None,
        (_, Some(why)) => format!("the request quotes a scoped run, and {why}"),
        (Scoped::Holds(targets), None) => format!(
            "the request quotes the scoped run that its paths select: {}; no full run",
            targets.join(" ")
        ),
        (Scoped::Refused(why), None) => {
            format!("the scoped run that the request quotes is none: {why}")
        }
    };
    Some(row("scoped", says, TraceResult::Nit))
}

fn of_threads(found: &Findings<'_>, trigger: Trigger) -> TraceRow {
    let threads = found.dossier.request.threads.known();
    let cases = found.reviewed.cases.iter();
    let open: Vec<&Case> = cases.filter(|case| case.fires_for(trigger)).collect();
    let none = match trigger {
        Trigger::T2 => "no comment of a person is unresolved",
        Trigger::T3 => "no blocker is unresolved",
        Trigger::T4 => "no verifiable minor is unresolved",
        _ => "no minor is malformed",
    };
    let result = if found.reviewed.fires.contains(&trigger) {
        TraceResult::Fires
    } else if open.is_empty() {
        TraceResult::Clear
    } else {
        TraceResult::Unknown
    };
    let says = if open.is_empty() {
        none.to_owned()
    } else {
        let name = |case: &&Case| {
            let raised = threads.and_then(|threads| threads.raised(case.at));
            raised.map_or_else(String::new, |raised| name_of(&Subject::Review(raised)))
        };
        first(&open, name, " ")
    };
    row(trigger.word(), says, result)
}

fn findings(found: &Findings<'_>) -> Vec<TraceRow> {
    let findings = match &found.dossier.request.findings {
        Known::Is(findings) => findings,
        Known::Unknown(why) => {
            let says = format!("the findings could not be read: {why}");
            return vec![row("T5 T6", says, TraceResult::Unknown)];
        }
        Known::NotApplicable(_) | Known::NotSupplied => {
            let says = "simplify and adherence findings not supplied (nit)".to_owned();
            return vec![row("T5 T6", says, TraceResult::Nit)];
        }
    };
    let blocks = |item: &&Item| {
        item.pane == Pane::Comments
            && item.blocks
            && matches!(
                item.subject,
                Subject::Review(super::dossier::Raised::Finding(_))
            )
    };
    let open: Vec<String> = found
        .items
        .iter()
        .filter(blocks)
        .map(|item| name_of(&item.subject))
        .collect();
    let fires = |trigger| found.reviewed.fires.contains(&trigger);
    let t5 = match (fires(Trigger::T5), open.is_empty()) {
        (true, _) => row("T5", names(&open), TraceResult::Fires),
        (false, false) => row("T5", names(&open), TraceResult::Unknown),
        (false, true) => row(
            "T5",
            "every must-fix finding is applied or waived".to_owned(),
            TraceResult::Clear,
        ),
    };
    let t6 = match &findings.adherence {
        None => row(
            "T6",
            "adherence not supplied (nit)".to_owned(),
            TraceResult::Nit,
        ),
        Some(adherence) => {
            let blocking = adherence.violations.iter().filter(|v| v.blocking).count();
            let says = super::items::count(blocking, "blocking violation");
            let result = if fires(Trigger::T6) {
                TraceResult::Fires
            } else {
                TraceResult::Clear
            };
            row("T6", says, result)
        }
    };
    vec![t5, t6]
}
