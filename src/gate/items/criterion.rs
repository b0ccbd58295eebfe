//! The row of one criterion: its standing, its permits, and what its evidence does not show.

use std::sync::Arc;

use crate::gate::control::PASSES_THERE;
use crate::gate::dossier::{RunFact, Subject};
use crate::gate::judge::{Item, Pane};
use crate::gate::permit::{Closure, Permit, Permits, Verb};
use crate::gate::standing::{Proof, Ruled, stands};
use crate::gate::standing_facts::{Facts, Proven, Said, stale_since};
use crate::gate::verify::Status;
use crate::model::contract::Criterion;
use crate::model::known::Known;
use crate::model::oracle::{Ended, Interference, Outcome, RunPlace, Stream};
use crate::model::standing::Standing;

use super::{OpenEdits, already, conflict, count};

/// A criterion's row, its status in the verdict, and whether it was called wrong.
pub(in crate::gate) struct Judged {
    pub(in crate::gate) item: Item,
    pub(in crate::gate) status: Status,
    pub(in crate::gate) wrong: bool,
    /// An abandonment of the contract that nobody answered.
    pub(in crate::gate) unaccepted: bool,
    /// MISSING by what its oracle says on this tree.
    pub(in crate::gate) failing: bool,
}

/// The row of one criterion.
pub(in crate::gate) fn criterion_item(
    facts: &Facts<'_>,
    broken: usize,
    edits: &OpenEdits,
    criterion: &Criterion,
) -> Judged {
    let subject = Subject::Criterion(criterion.id.clone());
    let said = facts.said(&subject);
    let proven = facts.proven(criterion);
    let mut case = facts.case(criterion, &proven, &said);
    if broken > 0 {
        case.proof = Proof::Error;
        case.ruled = Ruled::Nothing;
        case.abandoned = false;
        case.exempt = None;
    }
    let stands = stands(case);
    let unaccepted = case.abandoned && stands.standing == Standing::Abandoned && stands.owed;
    let status = Status::of(stands.standing, case.exempt.is_some());
    let row = Row {
        facts,
        criterion,
        proven: &proven,
        said: &said,
        standing: stands.standing,
        unaccepted,
    };
    let mut permits = if broken > 0 {
        permits_of(&row, edits, case.proof).closed_by(&Arc::new(Closure::new(
            "contract-gates 1.4",
            format!(
                "the contract has {}, nothing is judged",
                count(broken, "error")
            ),
            "0 goes there.",
        )))
    } else if case.exempt.is_some() {
        exempt_permits(&row, stands.word)
    } else {
        permits_of(&row, edits, case.proof)
    };
    if criterion.oracle.is_none() {
        permits = permits.with(Verb::Run, Permit::Absent);
    }
    let mut limits = limits(facts, criterion, &proven, stands.standing);
    limits.extend(conflict(facts, &subject, &said));
    Judged {
        status,
        wrong: case.ruled == Ruled::CalledWrong && case.exempt.is_none(),
        unaccepted,
        failing: status == Status::Missing
            && stands.standing != Standing::Abandoned
            && case.proof == Proof::NotMet,
        item: Item {
            permits,
            pane: Pane::Criteria,
            standing: stands.standing,
            word: stands.word,
            owed: stands.owed,
            blocks: !matches!(status, Status::Addressed | Status::Exempt),
            limits,
            badge: None,
            subject,
        },
    }
}

/// What the permits of a criterion are made from.
struct Row<'r, 'a> {
    facts: &'r Facts<'a>,
    criterion: &'r Criterion,
    proven: &'r Proven<'a>,
    said: &'r Said<'a>,
    standing: Standing,
    unaccepted: bool,
}

fn exempt_permits(row: &Row<'_, '_>, word: &str) -> Permits {
    let id = &row.criterion.id;
    let closure = Closure::new("K44", format!("{id} is {word}: it never blocks"), "");
    Permits::absent(Subject::Criterion(id.clone()))
        .with(Verb::Affirm, Permit::Open("ratify"))
        .with(Verb::SendBack, Permit::Open("kick back"))
        .with(Verb::SetAside, Permit::Open("abandon"))
        .closed_by(&Arc::new(closure))
        .with(Verb::Run, run_permit(row.facts))
}

fn permits_of(row: &Row<'_, '_>, edits: &OpenEdits, proof: Proof) -> Permits {
    let id = &row.criterion.id;
    let permits =
        Permits::absent(Subject::Criterion(id.clone())).with(Verb::Run, run_permit(row.facts));
    if row.unaccepted {
        return permits
            .with(Verb::Affirm, Permit::Locked("accept partial delivery"))
            .with(Verb::SendBack, Permit::Open("lift the abandonment"));
    }
    let in_contract = row.facts.abandonment(id).is_some();
    let abandoned = row.standing == Standing::Abandoned;
    let back = if in_contract && abandoned {
        "lift the abandonment"
    } else {
        "kick back"
    };
    let aside = if abandoned {
        already(&format!("{id} is abandoned"), "abandon")
    } else {
        Permit::Open("abandon")
    };
    permits
        .with(Verb::Affirm, affirm(row, edits, proof))
        .with(Verb::SendBack, Permit::Open(back))
        .with(Verb::SetAside, aside)
        .with(Verb::NotApplicable, not_applicable(row))
        .with(Verb::Override, override_permit(row))
}

/// `r` on a criterion.
fn affirm(row: &Row<'_, '_>, edits: &OpenEdits, proof: Proof) -> Permit {
    let id = &row.criterion.id;
    let head = row.facts.dossier.snapshot.head.short();
    let does = "ratify";
    if row.standing == Standing::Ratified {
        return already(&format!("{id} is ratified"), does);
    }
    if row.standing == Standing::Abandoned && row.facts.abandonment(id).is_some() {
        return already(
            &format!("{id} is accepted as partial delivery"),
            "accept partial delivery",
        );
    }
    if let Some(edit) = edits.before(id) {
        return Closure::new(
            "G14",
            format!("the edit of {edit} is not acknowledged"),
            "0 goes there.",
        )
        .of(does);
    }
    match proof {
        Proof::Met | Proof::Manual => Permit::Locked(does),
        Proof::NotMet => Closure::new(
            "RUN-16",
            format!("{id} is failing"),
            "b sends it back, x runs it again.",
        )
        .of(does),
        Proof::Error => Closure::new(
            "RUN-16",
            format!("{id} could not be measured"),
            "x runs it again, b sends it back.",
        )
        .of(does),
        Proof::NotRun => match stale_since(row.proven, row.said) {
            Some((then, true)) => Closure::new(
                "RUN-21",
                format!("{id} is stale, its run is for {}", then.short()),
                format!("x runs it on {head}."),
            ),
            Some((then, false)) => Closure::new(
                "GIT-12",
                format!("{id} is stale, its ruling is for {}", then.short()),
                format!("x runs it on {head}."),
            ),
            None => Closure::new(
                "RUN-16",
                format!("{id} was not run on {head}"),
                "x runs it.",
            ),
        }
        .of(does),
    }
}

fn not_applicable(row: &Row<'_, '_>) -> Permit {
    let does = "not applicable";
    match row.standing {
        Standing::NotApplicable => {
            already(&format!("{} is not applicable", row.criterion.id), does)
        }
        Standing::Failing if !row.facts.policy.allow_override => Closure::new(
            "policy allow_override",
            format!(
                "{} is failing, and the policy allows no override",
                row.criterion.id
            ),
            "b sends it back.",
        )
        .of(does),
        Standing::Unproven
        | Standing::Pending
        | Standing::Failing
        | Standing::Passing
        | Standing::Ratified
        | Standing::Carried
        | Standing::Stale
        | Standing::KickedBack
        | Standing::Abandoned
        | Standing::Overridden
        | Standing::Error => Permit::Open(does),
    }
}

fn override_permit(row: &Row<'_, '_>) -> Permit {
    let does = "override";
    let id = &row.criterion.id;
    if !row.facts.policy.allow_override {
        return Closure::new("policy allow_override", "the policy allows no override", "").of(does);
    }
    match row.standing {
        Standing::Overridden => already(&format!("{id} is overridden"), does),
        Standing::Passing | Standing::Ratified | Standing::Carried | Standing::NotApplicable => {
            Closure::new(
                "A2",
                format!("no evidence stands against {id}"),
                "r ratifies it.",
            )
            .of(does)
        }
        Standing::Unproven
        | Standing::Pending
        | Standing::Failing
        | Standing::Stale
        | Standing::KickedBack
        | Standing::Abandoned
        | Standing::Error => Permit::Open(does),
    }
}

fn run_permit(facts: &Facts<'_>) -> Permit {
    match &facts.dossier.moved {
        Known::Is(moved) if moved.worktree_gone => {
            Closure::new("RUN-16", "the worktree is gone", "F5 looks again.").of("run")
        }
        Known::Is(_) | Known::Unknown(_) | Known::NotApplicable(_) | Known::NotSupplied => {
            Permit::Open("run")
        }
    }
}

/// What the evidence of a criterion does not show.
fn limits(
    facts: &Facts<'_>,
    criterion: &Criterion,
    proven: &Proven<'_>,
    standing: Standing,
) -> Vec<String> {
    let mut out: Vec<String> = facts
        .lints(&criterion.id)
        .iter()
        .map(|lint| lint.message.clone())
        .collect();
    if let Some(run) = proven.run {
        out.extend(run_limits(run));
        if run.tree != facts.dossier.snapshot.tree {
            out.push(format!(
                "a run after your own edits: it ran at {}, before them",
                run.head.short()
            ));
        }
    }
    if proven.disagree {
        out.push("its runs on this tree disagree; the last one counts".to_owned());
    }
    if proven.stopped && proven.run.is_none() {
        out.push("its run was stopped: no evidence".to_owned());
    }
    if let Some(run) = proven.too_open {
        out.push(format!(
            "a run at level {} does not count: the policy asks for level {}",
            run.isolation.level(),
            facts.policy.isolation_floor.level()
        ));
    }
    if criterion.oracle.is_some() {
        out.push(match proven.on_base.map(|run| run.outcome) {
            None => "whether it failed before this change: not run on base".to_owned(),
            Some(Outcome::Met) => PASSES_THERE.to_owned(),
            Some(Outcome::Error) => "whether it failed before: base could not be told".to_owned(),
            Some(Outcome::NotMet) => return finish(out, facts, criterion, proven, standing),
        });
    }
    finish(out, facts, criterion, proven, standing)
}

fn finish(
    mut out: Vec<String>,
    facts: &Facts<'_>,
    criterion: &Criterion,
    proven: &Proven<'_>,
    standing: Standing,
) -> Vec<String> {
    if !criterion.anchors.paths.is_empty() && facts.claimed(&criterion.id) == Some(false) {
        out.push("no file that it names is in the change".to_owned());
    }
    if standing == Standing::Abandoned {
        match proven.proof {
            Proof::Met => out.push("its oracle passes all the same".to_owned()),
            Proof::NotMet => out.push("its oracle fails, hidden by the abandonment".to_owned()),
            Proof::Manual | Proof::NotRun | Proof::Error => {}
        }
    }
    out
}

fn run_limits(run: &RunFact) -> Vec<String> {
    let mut out = Vec::new();
    if let Some(marker) = run.marker {
        if marker.stream == Stream::Stderr {
            out.push("the marker came on stderr only".to_owned());
        }
        if marker.overwritten {
            out.push("the marker is overwritten on a terminal".to_owned());
        }
    }
    for spoiled in &run.interference {
        out.push(match spoiled {
            Interference::Tree(paths) => {
                format!("it changed {} of the tree", count(paths.len(), "file"))
            }
            Interference::Overtaken { from, to } => {
                format!(
                    "overtaken: started on {}, head is {}",
                    from.short(),
                    to.short()
                )
            }
            Interference::Contract => "the contract changed while it ran".to_owned(),
            Interference::Oracle => {
                "the oracle approved is not the one that stands there".to_owned()
            }
            Interference::Records(what) => format!("our records changed while it ran: {what}"),
        });
    }
    if let Ended::NotStarted(why) = &run.ended {
        out.push(format!("it never started: {why}"));
    }
    if !run.survivors.is_empty() {
        out.push(format!(
            "it left {}, stopped",
            processes(run.survivors.len())
        ));
    }
    if run.place == RunPlace::Live {
        out.push("it ran in the live worktree, not in a checkout of the tree".to_owned());
    }
    out
}

fn processes(n: usize) -> String {
    if n == 1 {
        "1 process".to_owned()
    } else {
        format!("{n} processes")
    }
}
