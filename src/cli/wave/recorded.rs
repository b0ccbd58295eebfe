//! The event log beside the books: what a verdict adds to it.

use std::path::Path;

use serde_json::Value;

use super::books::Books;
use crate::adapters::wave::log;
use crate::cli::Context;
use crate::cli::exit::Exit;
use crate::cli::report::Report;
use crate::gate::wave::admission::Verdict;
use crate::gate::wave::closure::Closure;
use crate::gate::wave::events::{Books as Folded, Entry, Event};
use crate::gate::wave::repair::{
    Booked, Observed, Proposal, Step, contributions, is_replacement, to_book,
};
use crate::gate::wave::row::said;
use crate::model::id::{Digest, Oid};
use crate::model::wave::{DecisionSays, Pending, RowStatus};

/// What was added to the log, and the rounds that it charged.
#[derive(Clone, Debug, Default)]
pub(super) struct Added {
    pub(super) events: Vec<Value>,
    pub(super) rounds: u32,
    /// Whether the log held it already.
    pub(super) before: bool,
}

/// Appends what a verdict on a result comes to; nothing when it cannot be told.
pub(super) fn verdict(
    context: &Context,
    path: &Path,
    books: &Books,
    pending: Pending,
    verdict: &Verdict,
    head: Oid,
) -> Result<Added, Report> {
    let iteration = books.ledger.iterations;
    let row = pending.row;
    let event = match verdict {
        Verdict::Admit(admitted) => Event::Admit {
            row,
            done: admitted.result.target.status == RowStatus::Done,
            route: admitted.route,
            extras: admitted.result.extras.iter().map(|e| e.number).collect(),
            head,
        },
        Verdict::Miss(_) => Event::Miss { row },
        Verdict::Stop(..) => Event::StopRound { row },
        Verdict::Unknown(_) => return Ok(Added::default()),
    };
    let now = books.folded();
    let taken = now.under_way.is_none() && now.iteration.is_some_and(|last| last >= iteration);
    let stopped = matches!(event, Event::StopRound { .. }) && now.under_way.is_some();
    if taken || (stopped && now.under_way == Some((pending, iteration))) {
        return Ok(Added {
            before: true,
            ..Added::default()
        });
    }
    let mut events = Vec::new();
    if now.under_way.is_none() {
        let start = books
            .record
            .as_ref()
            .and_then(|record| record.wave.as_ref())
            .and_then(|wave| wave.round_start_head);
        let open = now.pass.as_ref().filter(|pass| !pass.over);
        let other = open.is_some_and(|p| start.is_some_and(|start| start != p.round_start_head));
        if other {
            events.push(Event::Hold);
        }
        if open.is_none() || other {
            events.push(Event::PassOpen {
                round_start_head: start.unwrap_or(pending.head_before),
            });
        }
        let at = usize::try_from(row).ok().and_then(|n| n.checked_sub(1));
        let said = said(&books.ledger);
        let escalated = at.and_then(|at| said.get(at)).is_some_and(|s| s.escalated);
        events.push(Event::Dispatch {
            pending,
            iteration,
            escalated: escalated && !now.escalated.contains(&row) && last_is_escalation(books, row),
        });
    }
    events.push(event);
    append(context, path, &now, events)
}

/// Whether the last line about a row is its escalation: then this attempt is the escalated one.
fn last_is_escalation(books: &Books, row: u32) -> bool {
    let mut about = books.ledger.decisions.iter().rev();
    about
        .find(|line| line.row == row)
        .is_some_and(|line| matches!(line.says, DecisionSays::Escalated { .. }))
}

/// Appends what a review comes to.
pub(super) fn review(
    context: &Context,
    path: &Path,
    books: &Books,
    closure: &Closure,
    report: Digest,
    head: Option<Oid>,
) -> Result<Added, Report> {
    let now = books.folded();
    if now
        .pass
        .as_ref()
        .is_some_and(|pass| pass.review == Some(report))
    {
        return Ok(Added {
            before: true,
            ..Added::default()
        });
    }
    let mut events = vec![Event::Review { head, report }];
    for (id, says) in &closure.outcomes {
        events.push(Event::Closure {
            id: *id,
            resolved: *says == crate::gate::wave::closure::Says::Resolved,
        });
    }
    for reopen in &closure.reopen {
        events.push(Event::Reopen {
            row: reopen.row,
            ids: reopen.ids.clone(),
        });
    }
    let settled = closure.settled.iter();
    events.extend(
        settled
            .filter(|row| now.sent.required.contains(row))
            .map(|row| Event::Settle { row: *row }),
    );
    let ids = |blocks: bool| {
        let carried = closure.carried.iter().filter(|c| c.blocks == blocks);
        carried.map(|carried| carried.id).collect()
    };
    events.push(Event::Carry {
        blocking: ids(true),
        nits: ids(false),
    });
    if !closure.may_push() {
        events.push(Event::Hold);
    }
    append(context, path, &now, events)
}

/// Appends the steps that a description repair went.
pub(super) fn repair(
    context: &Context,
    path: &Path,
    proposal: &Proposal,
    at: &Step,
    observed: &Observed,
) -> Result<Added, Report> {
    let now = super::books::log(context, path)?;
    let digest = Digest::of(proposal.replacement.as_bytes());
    let last = now.repairs.get(&digest).copied();
    let already = observed
        .fresh
        .as_ref()
        .is_some_and(|(_, body)| is_replacement(proposal, body));
    let steps = to_book(last, at, already);
    if steps.is_empty() || last == Some(Booked::Closed) && *at == Step::Closed {
        return Ok(Added {
            before: true,
            ..Added::default()
        });
    }
    let (closed, _) = contributions(proposal, at);
    let events = steps.into_iter().map(|step| Event::Repair {
        proposal: digest,
        finding: proposal.finding,
        step,
        closed: match step {
            Booked::Closed => closed.clone(),
            _ => Vec::new(),
        },
    });
    append(context, path, &now, events.collect())
}

fn append(
    context: &Context,
    path: &Path,
    now: &Folded,
    events: Vec<Event>,
) -> Result<Added, Report> {
    let refused = |why: String| {
        let message = format!("the event log does not take it: {why}");
        Report::new(Exit::CouldNotMeasure, "log-refused", message)
            .hint("hand in the log of this run, whole")
    };
    let mut after = now.clone();
    let mut entries: Vec<Entry> = Vec::new();
    for event in events {
        entries.push(after.next(event).map_err(refused)?);
    }
    log::append(&context.dir.join(path), now.seq, &entries).map_err(refused)?;
    Ok(Added {
        events: entries.iter().map(log::line).collect(),
        rounds: after.rounds - now.rounds,
        before: false,
    })
}
