//! News of oracles while they live and when they end. Words and counts change in place, nothing
//! else moves.

use crate::gate::dossier::{RunFact, Subject};
use crate::model::oracle::{Ended, Interference, Outcome};

use super::super::msg::RunNews;
use super::super::pane::words::duration;
use super::super::state::{Running, State};
use super::seen;

/// What a run says.
pub(super) fn news(state: &mut State, news: RunNews) {
    match news {
        RunNews::Queued(id) => {
            if !state.runs.queued.contains(&id) {
                state.runs.queued.push(id);
            }
        }
        RunNews::Started {
            criterion,
            at_ms,
            limit_ms,
        } => {
            state.runs.queued.retain(|id| *id != criterion);
            state.runs.running.insert(
                criterion,
                Running {
                    since_ms: at_ms,
                    limit_ms,
                    lines: 0,
                    bytes: 0,
                    tail: Vec::new(),
                },
            );
        }
        RunNews::Output {
            criterion,
            lines,
            bytes,
            tail,
        } => {
            if let Some(running) = state.runs.running.get_mut(&criterion) {
                running.lines = lines;
                running.bytes = bytes;
                running.tail = tail;
            }
        }
        RunNews::Ended { criterion, result } => {
            state.runs.queued.retain(|id| *id != criterion);
            state.runs.running.remove(&criterion);
            state.runs.control.remove(&criterion);
            seen::forget(state, &Subject::Criterion(criterion.clone()));
            match result {
                Ok(fact) => {
                    let on_base = state
                        .dossier()
                        .is_some_and(|d| d.is_base_tree(fact.value.tree));
                    let says = if on_base {
                        ended_on_base(&fact.value)
                    } else {
                        ended(&fact.value)
                    };
                    if let Some(dossier) = &mut state.world.dossier {
                        dossier.runs.push(fact.value);
                    }
                    state.rejudge();
                    state.say(says);
                }
                Err(trouble) => state.refuse(format!(
                    "{criterion} could not be measured: {} {}",
                    trouble.says, trouble.hint
                )),
            }
        }
    }
}

/// A control: red is what it should be.
fn ended_on_base(run: &RunFact) -> String {
    let id = &run.criterion;
    let seconds = duration(run.duration_ms);
    match (&run.ended, run.outcome) {
        (Ended::Interrupted | Ended::NotStarted(_), _) => ended(run),
        (_, Outcome::Met) => format!(
            "{id} passes on base too: it proves nothing of this change · entry {}",
            run.number
        ),
        (_, Outcome::NotMet) => format!(
            "{id} is red on base, as it should be, after {seconds} · entry {}",
            run.number
        ),
        (_, Outcome::Error) => {
            format!("{id} could not be told on base: interfered with, no evidence")
        }
    }
}

fn ended(run: &RunFact) -> String {
    let id = &run.criterion;
    let seconds = duration(run.duration_ms);
    let overtaken = run.interference.iter().find_map(|one| match one {
        Interference::Overtaken { from, to } => Some((from.short(), to.short())),
        Interference::Tree(_)
        | Interference::Contract
        | Interference::Oracle
        | Interference::Records(_) => None,
    });
    if let Some((from, to)) = overtaken {
        // whatever it printed, it speaks of a head that is not the one under review any more
        return format!("{id} overtaken: started on {from}, head is {to} · no evidence");
    }
    match (&run.ended, run.outcome) {
        (Ended::Interrupted, _) => {
            format!("stopped {id} after {seconds}: interrupted, no evidence")
        }
        (Ended::NotStarted(why), _) => format!("{id} did not start: {why}"),
        (Ended::Exited(_) | Ended::Signalled(_) | Ended::TimedOut, Outcome::Met) => {
            format!("{id} passes after {seconds} · entry {}", run.number)
        }
        (Ended::TimedOut, _) => format!("{id} fails: stopped at its limit after {seconds}"),
        (Ended::Exited(status), Outcome::NotMet) => {
            format!(
                "{id} fails: exit {status} after {seconds} · entry {}",
                run.number
            )
        }
        (Ended::Signalled(signal), Outcome::NotMet) => {
            format!("{id} fails: killed by signal {signal} after {seconds}")
        }
        (Ended::Exited(_) | Ended::Signalled(_), Outcome::Error) => {
            format!("{id} could not be measured: interfered with, no evidence")
        }
    }
}
