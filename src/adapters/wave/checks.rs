//! Reads the checks of a pull request: `status_checks` as the forge prints them, the runs behind
//! them from `actions_runs`, and what a person said of them.

use super::complaints::{Complaints, shown};
use super::fields::Fields;
use crate::gate::gatekeep::checks::{Check, Ended, Kind};
use crate::gate::gatekeep::disposition::CheckSays;
use crate::model::known::{Known, Reason};
use crate::model::text::{Foreign, Place};

/// A run of a workflow.
struct Run {
    id: u64,
    over: Known<bool>,
    held: bool,
    checked: bool,
}

/// The checks; unknown when the list could not be read.
pub(super) fn read(
    all: &Fields<'_>,
    said: &Fields<'_>,
    wrong: &mut Complaints,
) -> Known<Vec<Check>> {
    let runs_known = all.list("actions_runs", wrong);
    let mut runs: Vec<Run> = Vec::new();
    for run in runs_known.known().cloned().unwrap_or_default() {
        let key = if run.raw("id").is_some() {
            "id"
        } else {
            "databaseId"
        };
        let status = run.text("status", wrong).map(str::to_ascii_lowercase);
        let conclusion = run.text("conclusion", wrong).unwrap_or_default();
        if let Some(id) = run.id(key, wrong) {
            runs.push(Run {
                id,
                over: status.map_or(Known::NotSupplied, |s| Known::Is(s == "completed")),
                held: conclusion.eq_ignore_ascii_case("action_required"),
                checked: false,
            });
        }
    }
    let listed = all.list("status_checks", wrong);
    let mut checks = Vec::new();
    for check in listed.known().cloned().unwrap_or_default() {
        checks.push(one(&check, &mut runs, wrong));
    }
    for run in runs.iter().filter(|run| run.held && !run.checked) {
        checks.push(Check {
            name: format!("workflow run {}", run.id),
            ended: Known::Is(Ended::Held),
            kind: Known::Is(Kind::RunOpen),
            says: None,
        });
    }
    dispositions(said, &mut checks, wrong);
    match listed {
        Known::Is(_) => Known::Is(checks),
        Known::Unknown(why) => Known::Unknown(why),
        _ => Known::Unknown(Reason::new("status_checks is missing")),
    }
}

fn one(check: &Fields<'_>, runs: &mut [Run], wrong: &mut Complaints) -> Check {
    let text = |key: &str, wrong: &mut Complaints| check.text(key, wrong);
    let status_kind = check.raw("context").is_some();
    let name = text(if status_kind { "context" } else { "name" }, wrong);
    let name = Foreign::from(name.unwrap_or_default());
    let name = name.shown(Place::Strict).plain();
    if name.is_empty() {
        let hint = "every check has a name, every status a context";
        wrong.error("no-name", check.line(), "a check has no name", hint);
    }
    if status_kind {
        let state = text("state", wrong).unwrap_or_default();
        return Check {
            name,
            ended: match state {
                "SUCCESS" => Known::Is(Ended::Success),
                "FAILURE" | "ERROR" => Known::Is(Ended::Failure),
                "PENDING" | "EXPECTED" => Known::Is(Ended::Pending),
                _ => Known::Unknown(Reason::new("its state is unreadable")),
            },
            kind: Known::Is(Kind::Status),
            says: None,
        };
    }
    let id = check.id("run_id", wrong).or_else(|| {
        let url = text("detailsUrl", wrong)?;
        let rest = url.split_once("/actions/runs/")?.1;
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok()
    });
    let run = id.and_then(|id| runs.iter_mut().find(|run| run.id == id));
    let held = run.as_ref().is_some_and(|run| run.held);
    let kind = match run {
        Some(run) => {
            run.checked = true;
            run.over
                .clone()
                .map(|over| if over { Kind::RunDone } else { Kind::RunOpen })
        }
        None => Known::Is(Kind::RunOpen),
    };
    let status = text("status", wrong).unwrap_or_default();
    let conclusion = text("conclusion", wrong).unwrap_or_default();
    let ended = match (status, conclusion) {
        _ if held => Known::Is(Ended::Held),
        ("COMPLETED", "SUCCESS") => Known::Is(Ended::Success),
        ("COMPLETED", "NEUTRAL" | "SKIPPED") => Known::Is(Ended::Neutral),
        ("COMPLETED", "ACTION_REQUIRED") => Known::Is(Ended::Held),
        ("COMPLETED", "FAILURE" | "TIMED_OUT" | "CANCELLED" | "STARTUP_FAILURE" | "STALE") => {
            Known::Is(Ended::Failure)
        }
        ("QUEUED" | "IN_PROGRESS" | "WAITING" | "REQUESTED" | "PENDING", _) => {
            Known::Is(Ended::Pending)
        }
        _ => Known::Unknown(Reason::new("how it ended is unreadable")),
    };
    Check {
        name,
        ended,
        kind,
        says: None,
    }
}

/// What a person said, by the stored words.
fn dispositions(said: &Fields<'_>, checks: &mut [Check], wrong: &mut Complaints) {
    for (name, node) in said.object("dispositions", wrong).pairs() {
        let says = node.text().and_then(|word| {
            CheckSays::ALL
                .into_iter()
                .find(|says| says.stored() == word)
        });
        let Some(says) = says else {
            let message = format!("{} has a disposition that is none", shown(name));
            let hint = "write flaky, real or ci-infrastructure-broken";
            wrong.error("bad-disposition", node.line, message, hint);
            continue;
        };
        let visible = Foreign::from(name).shown(Place::Strict).plain();
        match checks.iter_mut().find(|check| check.name == visible) {
            Some(check) => check.says = Some(says),
            None => {
                let message = format!("no check is called {}", shown(name));
                let hint = "a disposition belongs to a check of this head";
                wrong.warn("no-check", node.line, message, hint);
            }
        }
    }
}
