//! The circuit breakers of the verify gate (verify-gate 1.9, rulings K07, H09). Those of the
//! source always; those of a caller's phases only when a caller brings them.

use crate::gate::dossier::Dossier;
use crate::model::change::FileChange;
use crate::model::finding::{CallerBundle, Findings, PhaseEnd, SimplifyState};
use crate::model::id::RepoPath;
use crate::model::known::Known;
use crate::model::text::Place;
use crate::model::thread::{Channel, ReviewWord};

use super::threads::Case;

/// Breakers of the request, the caller and the findings; those of single threads come with them.
pub(in crate::gate) fn of_request(dossier: &Dossier, cases: &[Case]) -> Vec<String> {
    let request = &dossier.request;
    let mut out = Vec::new();
    if let Some(claim) = &request.dangling {
        out.push(format!(
            "dangling claim: there is no ticket {claim} at the head"
        ));
    }
    if let Known::Unknown(why) = &request.threads {
        out.push(format!(
            "comments incomplete: they could not be read: {why}"
        ));
    }
    if let Some(pull) = request.pull() {
        let word = |text: &Option<crate::model::text::Foreign>| {
            let text = text.as_ref()?;
            Some(text.shown(Place::Strict).plain())
        };
        if let Some(state) = word(&pull.state).filter(|state| state != "OPEN") {
            out.push(format!("the pull request is not open: {state}"));
        }
        if word(&pull.mergeable).is_some_and(|says| says == "CONFLICTING") {
            out.push("the pull request conflicts with its base".to_owned());
        }
    }
    if let Some(forge) = request.other_head(dossier.snapshot.head) {
        out.push(format!("the forge has another head: {}", forge.short()));
    }
    out.extend(contradictions(dossier, cases));
    if let Known::Is(caller) = &request.caller {
        out.extend(of_caller(caller, dossier));
    }
    out
}

/// Signals that contradict each other (H09), one fragment each.
fn contradictions(dossier: &Dossier, cases: &[Case]) -> Vec<String> {
    let request = &dossier.request;
    let mut out = Vec::new();
    let mut say = |what: String| out.push(format!("contradictory signals: {what}"));
    if let Known::Is(findings) = &request.findings {
        if let Some(what) = adherence(findings) {
            say(what.to_owned());
        }
        for place in not_there(findings, dossier) {
            say(format!(
                "a finding is called applied, and the change leaves {place} alone"
            ));
        }
        if let Known::Is(caller) = &request.caller
            && let (Some(adherence), Some(phase)) = (
                &findings.adherence,
                caller.phases.iter().find(|phase| phase.number == 2),
            )
        {
            let other = match phase.ended {
                PhaseEnd::Passed => !adherence.passed,
                PhaseEnd::Failed => adherence.passed,
                PhaseEnd::Error | PhaseEnd::Timeout | PhaseEnd::Skipped => false,
            };
            if other {
                say("phase 2 and the adherence findings disagree".to_owned());
            }
        }
    }
    if let Known::Is(caller) = &request.caller {
        for number in 2..=5u8 {
            let phases = caller.phases.iter().filter(|phase| phase.number == number);
            let ends: Vec<PhaseEnd> = phases.map(|phase| phase.ended).collect();
            if ends.windows(2).any(|pair| pair.first() != pair.last()) {
                say(format!("phase {number} has two results at one head"));
            }
        }
    }
    if let (Some(given), Known::Is(derived)) = (request.asserted, &dossier.round)
        && given != *derived
    {
        say(format!("round {given} is given, it is round {derived}"));
    }
    out.extend(
        approves_beside_blocker(dossier, cases)
            .into_iter()
            .map(|who| {
                format!(
                    "contradictory signals: {who} approves beside a blocker of theirs that is open"
                )
            }),
    );
    out
}

/// Files of findings that are called applied and that the change leaves alone.
fn not_there(findings: &Findings, dossier: &Dossier) -> Vec<String> {
    let Known::Is(files) = &dossier.files else {
        return Vec::new();
    };
    let touched = |path: &RepoPath| {
        files
            .iter()
            .any(|file| &file.path == path || file.old_path.as_ref() == Some(path))
    };
    let applied = findings
        .simplify
        .iter()
        .filter(|one| one.state == SimplifyState::Applied);
    let mut out: Vec<String> = applied
        .filter_map(|one| one.file.as_ref())
        .filter(|path| !touched(path))
        .map(|path| path.foreign().shown(Place::Strict).plain())
        .collect();
    out.dedup();
    out
}

/// PASS beside a blocking entry, or FAIL without any.
fn adherence(findings: &Findings) -> Option<&'static str> {
    let adherence = findings.adherence.as_ref()?;
    let blocking = adherence.violations.iter().any(|one| one.blocking);
    match (adherence.passed, blocking) {
        (true, true) => Some("adherence says PASS beside a blocking entry"),
        (false, false) => Some("adherence says FAIL, and nothing in it blocks"),
        (true, false) | (false, true) => None,
    }
}

/// Reviewers whose last review approves while a blocker of their own is open.
fn approves_beside_blocker(dossier: &Dossier, cases: &[Case]) -> Vec<String> {
    let Known::Is(facts) = &dossier.request.threads else {
        return Vec::new();
    };
    let threads = &facts.threads.threads;
    let mut out: Vec<String> = Vec::new();
    let blockers = cases
        .iter()
        .filter(|case| case.open() && case.reading.blocker);
    for case in blockers {
        let Some(login) = threads
            .get(case.at)
            .and_then(|t| t.first.author.login.as_ref())
        else {
            continue;
        };
        let last = threads.iter().rev().find(|thread| {
            thread.channel == Channel::Reviews
                && thread.first.author.login.as_ref() == Some(login)
                && matches!(
                    thread.review,
                    Some(ReviewWord::Approved | ReviewWord::ChangesRequested)
                )
        });
        let who = login.shown(Place::Strict).plain();
        let approves = last.is_some_and(|last| last.review == Some(ReviewWord::Approved));
        if approves && !out.contains(&who) {
            out.push(who);
        }
    }
    out
}

/// Files with content of their own from which a change has to be split before it is reviewed.
pub(in crate::gate) const UNREVIEWABLE: usize = 15;
/// What a run may cost at most: seconds on the wall, and tokens.
const HARD_LIMIT: (u64, u64) = (30 * 60, 1_000_000);

/// How many files of the change bear content: a pure rename and a changed permission do not.
#[must_use]
pub(in crate::gate) fn content_bearing(files: &[FileChange]) -> usize {
    let same = |file: &&FileChange| match (file.old, file.new) {
        (Some(old), Some(new)) => old.oid == new.oid,
        _ => false,
    };
    files.iter().filter(|file| !same(file)).count()
}

/// The breakers of gaze itself (K07): size, cost, and the state it left its workspace in.
fn of_gaze(caller: &CallerBundle, dossier: &Dossier) -> Vec<String> {
    let mut out = Vec::new();
    if let Known::Is(files) = &dossier.files {
        let count = content_bearing(files);
        if count >= UNREVIEWABLE {
            out.push(format!(
                "un-reviewable: {count} files bear content, split before review"
            ));
        }
    }
    if let Some(cost) = caller.telemetry {
        if cost.wall_s >= HARD_LIMIT.0 {
            out.push(format!(
                "telemetry: {} seconds, over the hard limit",
                cost.wall_s
            ));
        }
        if cost.tokens >= HARD_LIMIT.1 {
            out.push(format!(
                "telemetry: {} tokens, over the hard limit",
                cost.tokens
            ));
        }
    }
    if caller.clean == Some(false) {
        out.push("workspace contamination: the caller left foreign files behind".to_owned());
    }
    out
}

/// What a caller's own phases and its words break.
fn of_caller(caller: &CallerBundle, dossier: &Dossier) -> Vec<String> {
    let mut out = Vec::new();
    for phase in &caller.phases {
        match phase.ended {
            PhaseEnd::Error => out.push(format!("phase {} ended in an error", phase.number)),
            PhaseEnd::Timeout => out.push(format!("phase {} was not done in time", phase.number)),
            PhaseEnd::Passed | PhaseEnd::Failed | PhaseEnd::Skipped => {}
        }
    }
    if caller.gaze {
        out.extend(of_gaze(caller, dossier));
        for number in 2..=5u8 {
            if !caller.phases.iter().any(|phase| phase.number == number) {
                out.push(format!(
                    "phase {number} has no result and is not declared skipped"
                ));
            }
        }
    }
    let ours = dossier.request.pull().and_then(|pull| pull.number);
    if let (Some(theirs), Some(ours)) = (caller.pr, ours)
        && theirs != ours
    {
        out.push(format!(
            "contradictory signals: the caller asks about {theirs}, the threads are of {ours}"
        ));
    }
    out
}
