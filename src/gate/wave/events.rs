//! The event log of a wave: what happened, one entry after the other, and the books that follow
//! from it. The same fold serves a live run and a replay, so both end in the same books; an entry
//! that comes twice changes nothing, and a pass is charged once.

use std::collections::{BTreeMap, BTreeSet};

use super::charge::{Happened, charge};
use super::closure::Sent;
use super::repair::Booked;
use super::row::{MISSES, Outcome, RowState, after};
use crate::model::id::{Digest, Oid};
use crate::model::known::Known;
use crate::model::wave::{FindingId, Pending, Route, RowStatus};

/// What happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// A pass began at this head.
    PassOpen {
        /// Where the round starts.
        round_start_head: Oid,
    },
    /// A row was sent out.
    Dispatch {
        /// The row and the head before.
        pending: Pending,
        /// The iteration that the ledger counts for it.
        iteration: u32,
        /// Whether it ran on `implModel`.
        escalated: bool,
    },
    /// Its result was admitted.
    Admit {
        /// The row.
        row: u32,
        /// `done`, else `failed`.
        done: bool,
        /// Where a failed decision sends it.
        route: Option<Route>,
        /// Other rows that came along.
        extras: Vec<u32>,
        /// The result commit.
        head: Oid,
    },
    /// It had no result that could be admitted.
    Miss {
        /// The row.
        row: u32,
    },
    /// The round stopped with the dispatch not taken up.
    StopRound {
        /// The row.
        row: u32,
    },
    /// A reviewer looked, before the push.
    Review {
        /// The head that was reviewed, when it was looked at.
        head: Option<Oid>,
        /// The digest of the report.
        report: Digest,
    },
    /// One id of the review.
    Closure {
        /// The id.
        id: FindingId,
        /// Whether its line says `resolved`.
        resolved: bool,
    },
    /// A row went back.
    Reopen {
        /// The row.
        row: u32,
        /// Its unresolved ids.
        ids: Vec<FindingId>,
    },
    /// Every id of a row was resolved.
    Settle {
        /// The row.
        row: u32,
    },
    /// What stays open after the review.
    Carry {
        /// Ids that forbid a push.
        blocking: Vec<FindingId>,
        /// Ids that do not.
        nits: Vec<FindingId>,
    },
    /// The commits were pushed.
    Push {
        /// The pushed head.
        head: Oid,
    },
    /// They stay unpushed.
    Hold,
    /// A description repair went a step on. It charges no round and touches no row.
    Repair {
        /// SHA-256 of the replacement: which proposal it is.
        proposal: Digest,
        /// The finding that it is for.
        finding: FindingId,
        /// The step.
        step: Booked,
        /// The claim contributions that closed with it, never the whole finding.
        closed: Vec<FindingId>,
    },
    /// Checks were watched.
    Watch,
    /// The own push was reviewed again.
    OwnPushRereview,
    /// The exit check ran.
    ExitCheck,
}

impl Event {
    /// The name in the log.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::PassOpen { .. } => "pass_open",
            Self::Dispatch { .. } => "dispatch",
            Self::Admit { .. } => "admit",
            Self::Miss { .. } => "miss",
            Self::StopRound { .. } => "stop_round",
            Self::Review { .. } => "review",
            Self::Closure { .. } => "closure",
            Self::Reopen { .. } => "reopen",
            Self::Settle { .. } => "settle",
            Self::Carry { .. } => "carry",
            Self::Push { .. } => "push",
            Self::Hold => "hold",
            Self::Repair { .. } => "repair",
            Self::Watch => "watch",
            Self::OwnPushRereview => "own_push_rereview",
            Self::ExitCheck => "exit_check",
        }
    }
}

/// An event with its place in the log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Its number, from 1 without gaps.
    pub seq: u64,
    /// What happened.
    pub event: Event,
}

/// A pass.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pass {
    /// Where it began.
    pub round_start_head: Oid,
    /// Whether a round was charged for it.
    pub counted: bool,
    /// The commit that was charged.
    pub counted_head: Option<Oid>,
    /// Whether anything was sent out in it.
    pub dispatched: bool,
    /// The report that reviewed it.
    pub review: Option<Digest>,
    /// Whether it is over: reviewed, pushed, held, or left through the exit check.
    pub over: bool,
}

/// The books that follow from a log.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Books {
    /// The number of the last entry.
    pub seq: u64,
    last: Option<Entry>,
    /// Rows that the log speaks of.
    pub rows: BTreeMap<u32, RowState>,
    /// Rows that ran on `implModel`.
    pub escalated: BTreeSet<u32>,
    /// The dispatch under way, with its iteration.
    pub under_way: Option<(Pending, u32)>,
    /// The last iteration that was sent out.
    pub iteration: Option<u32>,
    /// The pass.
    pub pass: Option<Pass>,
    /// Rounds charged so far.
    pub rounds: u32,
    /// What a reviewer may speak of.
    pub sent: Sent,
    /// Whether the last review left something that forbids a push; `None` before any review.
    pub blocked: Option<bool>,
    /// Unresolved ids.
    pub carried: BTreeSet<FindingId>,
    /// Whether commits wait that no review saw.
    pub unreviewed: bool,
    /// The last step of each description repair, by the digest of its replacement.
    pub repairs: BTreeMap<Digest, Booked>,
}

/// What an entry did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Applied {
    /// It changed the books.
    Taken,
    /// It was the last entry once more.
    Again,
}

impl Books {
    /// The books of a whole log.
    ///
    /// # Errors
    /// The first entry that cannot follow on the ones before it, and why.
    pub fn replay<'e>(entries: impl IntoIterator<Item = &'e Entry>) -> Result<Self, (u64, String)> {
        let mut books = Self::default();
        for entry in entries {
            books.apply(entry).map_err(|why| (entry.seq, why))?;
        }
        Ok(books)
    }

    /// The entry that this event would be.
    ///
    /// # Errors
    /// Why it cannot happen now.
    pub fn next(&mut self, event: Event) -> Result<Entry, String> {
        let entry = Entry {
            seq: self.seq + 1,
            event,
        };
        self.apply(&entry)?;
        Ok(entry)
    }

    /// Takes one entry; an entry that cannot happen changes nothing.
    ///
    /// # Errors
    /// Why it cannot happen now.
    pub fn apply(&mut self, entry: &Entry) -> Result<Applied, String> {
        if self.last.as_ref() == Some(entry) {
            return Ok(Applied::Again);
        }
        if entry.seq != self.seq + 1 {
            return Err(format!("it has number {}, not {}", entry.seq, self.seq + 1));
        }
        self.take(&entry.event)?;
        self.seq = entry.seq;
        self.last = Some(entry.clone());
        Ok(Applied::Taken)
    }

    fn take(&mut self, event: &Event) -> Result<(), String> {
        match event {
            Event::PassOpen { round_start_head } => self.open(*round_start_head),
            Event::Dispatch {
                pending,
                iteration,
                escalated,
            } => self.dispatch(*pending, *iteration, *escalated),
            Event::Admit {
                row,
                done,
                route,
                extras,
                head,
            } => self.admit(*row, *done, *route, extras, *head),
            Event::Miss { row } => {
                let next = self.outcome(*row, Outcome::Missed)?;
                self.under_way = None;
                self.rows.insert(*row, next);
                Ok(())
            }
            Event::StopRound { row } => self.waiting(*row).map(|_| ()),
            Event::Review { report, .. } => self.review(*report),
            Event::Closure { .. } | Event::Reopen { .. } | Event::Settle { .. } => {
                self.reviewed()?;
                self.close(event)
            }
            Event::Carry { blocking, nits } => {
                self.reviewed()?;
                self.blocked = Some(!blocking.is_empty());
                self.carried = blocking.iter().chain(nits).copied().collect();
                Ok(())
            }
            Event::Push { .. } => self.push(),
            Event::Hold | Event::ExitCheck => {
                self.idle()?;
                if let Some(pass) = &mut self.pass {
                    pass.over = true;
                }
                Ok(())
            }
            Event::Repair {
                proposal,
                step,
                closed,
                ..
            } => self.repair(*proposal, *step, closed),
            Event::Watch | Event::OwnPushRereview => Ok(()),
        }
    }

    fn idle(&self) -> Result<(), String> {
        match self.under_way {
            Some((pending, _)) => Err(format!("row {} is under way", pending.row)),
            None => Ok(()),
        }
    }

    fn waiting(&self, row: u32) -> Result<(Pending, u32), String> {
        match self.under_way {
            Some(under_way) if under_way.0.row == row => Ok(under_way),
            Some((pending, _)) => Err(format!("row {} is under way, not {row}", pending.row)),
            None => Err(format!("row {row} is not under way")),
        }
    }

    fn row(&self, row: u32) -> RowState {
        self.rows.get(&row).cloned().unwrap_or(RowState {
            status: RowStatus::Open,
            attempts: 0,
            misses: Known::Is(0),
        })
    }

    fn outcome(&self, row: u32, outcome: Outcome) -> Result<RowState, String> {
        self.waiting(row)?;
        after(&self.row(row), outcome).ok_or_else(|| format!("row {row} is done already"))
    }

    /// An open pass is never made anew: that would charge it twice.
    fn open(&mut self, head: Oid) -> Result<(), String> {
        self.idle()?;
        if self.pass.as_ref().is_some_and(|pass| !pass.over) {
            return Err("a pass is open already".into());
        }
        self.pass = Some(Pass {
            round_start_head: head,
            counted: false,
            counted_head: None,
            dispatched: false,
            review: None,
            over: false,
        });
        Ok(())
    }

    fn dispatch(
        &mut self,
        pending: Pending,
        iteration: u32,
        escalated: bool,
    ) -> Result<(), String> {
        self.idle()?;
        let row = self.row(pending.row);
        if row.status == RowStatus::Done {
            return Err(format!("row {} is done", pending.row));
        }
        if row.misses.known().is_some_and(|misses| *misses >= MISSES) {
            return Err(format!("row {} is exhausted by misses", pending.row));
        }
        if self.iteration.is_some_and(|last| iteration <= last) {
            return Err(format!("iteration {iteration} was sent out already"));
        }
        if escalated && self.escalated.contains(&pending.row) {
            return Err(format!("row {} was escalated already", pending.row));
        }
        let Some(pass) = self.pass.as_mut().filter(|pass| !pass.over) else {
            return Err("no pass is open".into());
        };
        pass.dispatched = true;
        self.iteration = Some(iteration);
        self.under_way = Some((pending, iteration));
        if escalated {
            self.escalated.insert(pending.row);
        }
        Ok(())
    }

    fn admit(
        &mut self,
        row: u32,
        done: bool,
        route: Option<Route>,
        extras: &[u32],
        head: Oid,
    ) -> Result<(), String> {
        let next = self.outcome(row, Outcome::Admitted { done })?;
        let mut along = Vec::new();
        for extra in extras {
            let state = after(&self.row(*extra), Outcome::Extra).filter(|_| *extra != row);
            let state = state.ok_or_else(|| format!("row {extra} cannot come along"))?;
            along.push((*extra, state));
        }
        if done && route.is_some() {
            return Err("a done result has no route".into());
        }
        let Some(pass) = &mut self.pass else {
            return Err("no pass is open".into());
        };
        let happened = if route.is_some() {
            Happened::Routed
        } else {
            Happened::Ordinary
        };
        let rounds = charge(pass.counted, happened);
        if rounds > 0 {
            pass.counted = true;
            pass.counted_head = Some(head);
        }
        self.rounds = self.rounds.saturating_add(rounds);
        self.under_way = None;
        self.unreviewed = true;
        self.rows.insert(row, next);
        for (extra, state) in along {
            self.rows.insert(extra, state);
            self.required(extra);
        }
        self.required(row);
        Ok(())
    }

    fn required(&mut self, row: u32) {
        self.sent.settled.remove(&row);
        self.sent.required.insert(row);
    }

    fn review(&mut self, report: Digest) -> Result<(), String> {
        self.idle()?;
        let Some(pass) = &mut self.pass else {
            return Err("no pass is open".into());
        };
        if pass.review == Some(report) {
            return Err("this report was taken already".into());
        }
        pass.review = Some(report);
        pass.over = true;
        self.unreviewed = false;
        Ok(())
    }

    fn reviewed(&self) -> Result<(), String> {
        match &self.pass {
            Some(pass) if pass.review.is_some() => Ok(()),
            _ => Err("no review was taken".into()),
        }
    }

    fn close(&mut self, event: &Event) -> Result<(), String> {
        match event {
            Event::Closure { id, resolved } => {
                if *resolved {
                    self.carried.remove(id);
                } else {
                    self.carried.insert(*id);
                }
            }
            Event::Reopen { row, .. } => {
                let next = after(&self.row(*row), Outcome::Reopened);
                let next = next.ok_or_else(|| format!("row {row} never ran"))?;
                self.rows.insert(*row, next);
                self.required(*row);
            }
            Event::Settle { row } => {
                self.sent.required.remove(row);
                self.sent.settled.insert(*row);
            }
            _ => {}
        }
        Ok(())
    }

    fn repair(
        &mut self,
        proposal: Digest,
        step: Booked,
        closed: &[FindingId],
    ) -> Result<(), String> {
        let last = self.repairs.get(&proposal).copied();
        if !step.follows(last) {
            let last = last.map_or("nothing", Booked::word);
            return Err(format!("{} does not follow on {last}", step.word()));
        }
        if step != Booked::Closed && !closed.is_empty() {
            return Err(format!("{} closes nothing", step.word()));
        }
        for id in closed {
            self.carried.remove(id);
        }
        self.repairs.insert(proposal, step);
        Ok(())
    }

    /// Nothing is pushed before a review saw all of it, or while it left something that blocks.
    fn push(&mut self) -> Result<(), String> {
        self.idle()?;
        if self.unreviewed {
            return Err("commits wait that no review saw".into());
        }
        if self.blocked == Some(true) {
            return Err("the carried set forbids a push".into());
        }
        if let Some(pass) = &mut self.pass {
            pass.over = true;
        }
        Ok(())
    }
}
