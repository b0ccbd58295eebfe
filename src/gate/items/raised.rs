//! The rows of what a review raised: threads, findings, and that comments are missing.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::gate::decide::{Act, Answer};
use crate::gate::dossier::{Raised, Subject};
use crate::gate::judge::{Item, Pane};
use crate::gate::permit::{Closure, Permit, Permits, Verb};
use crate::gate::request::ThreadFacts;
use crate::gate::standing_facts::Facts;
use crate::gate::verify::Trigger;
use crate::gate::verify::resolution::{Grade, PersonSays, State};
use crate::gate::verify::threads::{Case, Said, missing};
use crate::model::finding::{Simplify, SimplifyState};
use crate::model::known::Known;
use crate::model::standing::Standing;
use crate::model::text::{Foreign, Place};

use super::{already, conflict};

/// What the review adds to the judgment.
#[derive(Clone, Debug, Default)]
pub(in crate::gate) struct Reviewed {
    /// The rows, in order.
    pub(in crate::gate) items: Vec<Item>,
    /// Threads after what the person said about them.
    pub(in crate::gate) cases: Arc<Vec<Case>>,
    /// Triggers that fire whatever the person does about what is still open.
    pub(in crate::gate) fires: Vec<Trigger>,
    /// Triggers of what only a person can tell; they fire when nobody does.
    pub(in crate::gate) may_fire: Vec<Trigger>,
    /// What breaks the circuit.
    pub(in crate::gate) breakers: Vec<String>,
    /// Why nothing may be decided before it is acknowledged that comments are missing (FRG-1).
    pub(in crate::gate) unacknowledged: Option<Closure>,
}

/// Applies the rules to everything that a review raised.
pub(in crate::gate) fn reviewed(facts: &Facts<'_>) -> Reviewed {
    let mut out = Reviewed::default();
    if let Known::Is(threads) = &facts.dossier.request.threads {
        out.cases = after(facts, threads);
        incomplete(facts, threads, &mut out);
        for case in out.cases.clone().iter() {
            thread(facts, threads, case, &mut out);
        }
        out.breakers.extend(crate::gate::verify::threads::breakers(
            &threads.threads,
            &out.cases,
        ));
    }
    findings(facts, &mut out);
    for triggers in [&mut out.fires, &mut out.may_fire] {
        triggers.sort_unstable();
        triggers.dedup();
    }
    let fires = out.fires.clone();
    out.may_fire.retain(|trigger| !fires.contains(trigger));
    out
}

/// The cases after what the person said.
fn after(facts: &Facts<'_>, threads: &ThreadFacts) -> Arc<Vec<Case>> {
    let mut said: BTreeMap<usize, Said> = BTreeMap::new();
    let decided = facts.dossier.decisions.iter();
    for subject in decided.map(|recorded| recorded.value.subject()) {
        let Subject::Review(raised) = subject else {
            continue;
        };
        let Some((at, _)) = threads.find(raised) else {
            continue;
        };
        let says = match facts.said(subject).now.map(|d| d.value.act()) {
            Some(Act::Answer(Answer::Addressed { .. })) => Said::Stands(PersonSays::Addressed),
            Some(Act::Answer(Answer::NotActionable { .. })) => {
                Said::Stands(PersonSays::NotActionable)
            }
            Some(Act::Answer(Answer::Ticketed { .. })) => Said::Stands(PersonSays::Ticketed),
            Some(Act::Answer(Answer::Tagged(tag))) => Said::Tagged(*tag),
            Some(Act::KickBack { .. }) => Said::Stands(PersonSays::KickedBack),
            _ => continue,
        };
        said.insert(at, says);
    }
    if said.is_empty() {
        return Arc::clone(&threads.cases);
    }
    let cases = threads.cases.iter();
    let cases = cases.map(|case| match said.get(&case.at) {
        Some(said) => case.after(*said),
        None => case.clone(),
    });
    Arc::new(cases.collect())
}

/// That comments are missing: acknowledged, single decisions are open; the verdict stays closed.
fn incomplete(facts: &Facts<'_>, threads: &ThreadFacts, out: &mut Reviewed) {
    let what = missing(&threads.threads);
    if what.is_empty() {
        return;
    }
    let subject = Subject::Review(Raised::Incomplete(threads.threads.digest));
    let said = facts.said(&subject);
    let done = matches!(said.now.map(|d| d.value.act()), Some(Act::Acknowledge));
    let affirm = if done {
        already("it is acknowledged", "acknowledge")
    } else {
        out.unacknowledged = Some(Closure::new(
            "FRG-1",
            format!(
                "comments are missing ({}), and nobody acknowledged it",
                what.join("; ")
            ),
            "2 goes there.",
        ));
        Permit::Open("acknowledge")
    };
    out.items.push(Item {
        permits: Permits::absent(subject.clone()).with(Verb::Affirm, affirm),
        subject,
        pane: Pane::Comments,
        standing: if done {
            Standing::Ratified
        } else {
            Standing::Error
        },
        word: if done { "acknowledged" } else { "incomplete" },
        owed: !done,
        blocks: true,
        limits: what,
        badge: None,
    });
}

fn thread(facts: &Facts<'_>, threads: &ThreadFacts, case: &Case, out: &mut Reviewed) {
    let Some(raised) = threads.raised(case.at).filter(|_| !case.marker) else {
        return;
    };
    let subject = Subject::Review(raised);
    let weights = case.reading.weights();
    let said = facts.said(&subject);
    let tagged = matches!(
        said.now.map(|d| d.value.act()),
        Some(Act::Answer(Answer::Tagged(_)))
    );
    let (standing, word, owed) = if weights.is_empty() && case.grade != Grade::Person {
        (Standing::NotApplicable, informs(case), false)
    } else {
        stands(case, said.now.map(|d| d.value.act()))
    };
    if case.open() {
        match case.state {
            State::Weak => out.may_fire.extend(&weights),
            State::Unresolved => out.fires.extend(&weights),
            State::CouldNotTell | State::Resolved => {}
        }
    }
    let id = || match &subject {
        Subject::Review(Raised::Thread { id, .. }) => shown(id),
        _ => String::new(),
    };
    let open = |does: &'static str, done: &str| {
        if word == done {
            already(&format!("{} is {done}", id()), does)
        } else {
            Permit::Open(does)
        }
    };
    let mut permits = Permits::absent(subject.clone());
    if !weights.is_empty() || case.grade == Grade::Person {
        permits = permits
            .with(
                Verb::Affirm,
                if word == "addressed" {
                    already(&format!("{} is addressed", id()), "mark as addressed")
                } else {
                    Permit::Locked("mark as addressed")
                },
            )
            .with(Verb::SendBack, open("kick back", "kicked back"))
            .with(Verb::SetAside, open("ticket", "ticketed"))
            .with(
                Verb::NotApplicable,
                open("not actionable", "not actionable"),
            );
    }
    let refused = case.reading.remarks.iter().any(|r| r.malformed.is_some());
    if refused || tagged {
        permits = permits.with(
            Verb::Tag,
            if refused {
                Permit::Open("tag")
            } else {
                already(&format!("{} is tagged", id()), "tag")
            },
        );
    }
    let mut limits: Vec<String> = Vec::new();
    let mut why = case.reading.remarks.iter().filter_map(|r| r.malformed);
    if let Some(why) = why.next() {
        limits.push(why.says().to_owned());
    }
    let all = threads
        .threads
        .threads
        .get(case.at)
        .is_none_or(|t| t.all_replies);
    if !all {
        limits.push("answers are missing".to_owned());
    }
    limits.extend(conflict(facts, &subject, &said));
    if said.earlier.is_some() && case.grade != Grade::Person {
        limits.push("it was ruled on another head; that ruling does not hold here".to_owned());
    }
    out.items.push(Item {
        permits,
        subject,
        pane: Pane::Comments,
        standing,
        word,
        owed,
        blocks: case.open(),
        limits,
        badge: None,
    });
}

/// The word of a thread that stops nothing.
fn informs(case: &Case) -> &'static str {
    match case.reading.tag() {
        Some(tag) => tag.word(),
        None => "remark",
    }
}

fn stands(case: &Case, act: Option<&Act>) -> (Standing, &'static str, bool) {
    match (case.state, case.grade) {
        (State::Resolved, Grade::Person) => match act {
            Some(Act::Answer(Answer::NotActionable { .. })) => {
                (Standing::NotApplicable, "not actionable", false)
            }
            Some(Act::Answer(Answer::Ticketed { .. })) => {
                (Standing::NotApplicable, "ticketed", false)
            }
            _ => (Standing::Ratified, "addressed", false),
        },
        (State::Resolved, Grade::Line) => (Standing::Passing, "line changed", false),
        (State::Resolved, _) => (Standing::Passing, "resolved", false),
        (State::Unresolved, Grade::Person) => (Standing::KickedBack, "kicked back", false),
        (State::Unresolved, _) if malformed_alone(case) => (Standing::Unproven, "malformed", true),
        (State::Unresolved, _) => (Standing::Failing, "unresolved", true),
        (State::Weak, _) => (Standing::Unproven, "weak", true),
        (State::CouldNotTell, _) => (Standing::Error, "cannot tell", true),
    }
}

fn malformed_alone(case: &Case) -> bool {
    case.reading.weights() == [Trigger::Mm]
}

/// Simplify's findings that must be fixed, and what adherence blocks on.
fn findings(facts: &Facts<'_>, out: &mut Reviewed) {
    let request = &facts.dossier.request;
    match &request.findings {
        Known::Is(findings) => {
            for finding in &findings.simplify {
                simplify(facts, finding, out);
            }
            let adherence = findings.adherence.iter();
            let blocking = adherence.flat_map(|a| &a.violations).any(|v| v.blocking);
            if blocking {
                out.fires.push(Trigger::T6);
            }
        }
        Known::Unknown(why) => out
            .breakers
            .push(format!("the findings could not be read: {why}")),
        Known::NotApplicable(_) | Known::NotSupplied => {}
    }
}

/// Where a finding of simplify stands after what the person said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::gate) enum Waiver {
    /// Nothing is left of it.
    Clear,
    /// Nobody ruled the waiver.
    Open,
    /// It holds.
    Holds,
    /// It does not hold.
    Refused,
    /// It was never applied.
    NotApplied,
}

pub(in crate::gate) fn waiver(facts: &Facts<'_>, finding: &Simplify) -> Waiver {
    let subject = Subject::Review(Raised::Finding(finding.id()));
    match &finding.state {
        SimplifyState::Applied => Waiver::Clear,
        SimplifyState::NotApplied => Waiver::NotApplied,
        SimplifyState::Waived(_) => match facts.said(&subject).now.map(|d| d.value.act()) {
            Some(Act::Answer(Answer::WaiverHolds { .. })) => Waiver::Holds,
            Some(Act::Answer(Answer::WaiverRefused { .. })) => Waiver::Refused,
            _ => Waiver::Open,
        },
    }
}

fn simplify(facts: &Facts<'_>, finding: &Simplify, out: &mut Reviewed) {
    let subject = Subject::Review(Raised::Finding(finding.id()));
    let now = waiver(facts, finding);
    let must = finding.must_fix;
    match now {
        Waiver::NotApplied | Waiver::Refused if must => out.fires.push(Trigger::T5),
        Waiver::Open if must => out.may_fire.push(Trigger::T5),
        _ => {}
    }
    let (standing, word, owed) = match now {
        Waiver::Clear => (Standing::Passing, "applied", false),
        Waiver::Holds => (Standing::Ratified, "waived", false),
        Waiver::Refused => (Standing::KickedBack, "waiver refused", false),
        Waiver::Open => (Standing::Unproven, "waiver open", must),
        Waiver::NotApplied if must => (Standing::Failing, "not applied", false),
        Waiver::NotApplied => (Standing::NotApplicable, "nice to have", false),
    };
    let mut permits = Permits::absent(subject.clone());
    if matches!(finding.state, SimplifyState::Waived(_)) {
        let permit = |does: &'static str, done: bool| {
            if done {
                already(&format!("the waiver is {word}"), does)
            } else {
                Permit::Open(does)
            }
        };
        permits = permits
            .with(
                Verb::Affirm,
                permit("accept the waiver", now == Waiver::Holds),
            )
            .with(
                Verb::SendBack,
                permit("refuse the waiver", now == Waiver::Refused),
            );
    }
    let limits = conflict(facts, &subject, &facts.said(&subject));
    out.items.push(Item {
        permits,
        subject,
        pane: Pane::Comments,
        standing,
        word,
        owed,
        blocks: must && matches!(now, Waiver::Open | Waiver::Refused | Waiver::NotApplied),
        limits,
        badge: None,
    });
}

/// A forge's id, fit to be shown.
pub(in crate::gate) fn shown(id: &str) -> String {
    Foreign::from(id).shown(Place::Strict).plain()
}
