//! What becomes of the child's answers: replies to those who asked, and the next question of what
//! takes several.

use std::time::Instant;

use super::super::client::{Effort, Reply};
use super::super::job::{Job, JobKind};
use super::super::reply;
use super::super::stream::{self, FileStream};
use super::super::wire::{Tell, Told, What};
use super::{BACK, HUNKS, HUNKS_PER_MB, Keeper, LANES, LIMIT};
use crate::adapters::git::record;
use crate::model::id::{Oid, Ticket};

impl<F: FnMut(Ticket, Reply) + Send> Keeper<F> {
    pub(super) fn told(&mut self, told: Told) {
        self.stillborn = 0;
        if let Tell::Damaged(oid, why) = told.tell {
            self.damaged(Oid(oid), why);
            return;
        }
        let lane = LANES.into_iter().find(|l| {
            self.lanes[*l]
                .current
                .as_ref()
                .is_some_and(|c| c.number == told.number)
        });
        let Some(lane) = lane else { return };
        let Some(mut current) = self.lanes[lane].current.take() else {
            return;
        };
        if let Tell::Loaded(bytes) = told.tell {
            let full = matches!(current.job.effort(), Some(Effort::Best));
            let more = u32::try_from(bytes >> 20).unwrap_or(u32::MAX);
            let limit = if full {
                HUNKS + HUNKS_PER_MB * more
            } else {
                LIMIT
            };
            current.deadline = Instant::now() + limit;
            current.loaded = true;
            self.lanes[lane].current = Some(current);
            return;
        }
        if told.last {
            self.answer(current.job.kind, told.tell, &current.job.what, true);
        } else {
            self.answer(
                current.job.kind.clone(),
                told.tell,
                &current.job.what,
                false,
            );
            current.deadline = Instant::now() + LIMIT;
            self.lanes[lane].current = Some(current);
        }
    }

    pub(super) fn answer(&mut self, kind: JobKind, tell: Tell, what: &What, last: bool) {
        match kind {
            JobKind::Open(ticket) => self.opened(ticket, tell),
            JobKind::Walk => self.walked(tell, last, what),
            JobKind::Renames => self.renamed(tell),
            JobKind::Measure => self.measured(tell),
            JobKind::Hunks(ticket, path) => {
                if let What::Hunks(sides, _) = what {
                    let (old, new) = sides.entries();
                    for entry in [old, new].into_iter().flatten() {
                        self.shown.insert(entry.oid, path.clone());
                    }
                }
                (self.deliver)(ticket, reply::hunks(path, tell));
            }
            JobKind::Lines(ticket, path) => {
                if let What::Lines { blob, from, .. } = what {
                    (self.deliver)(ticket, reply::lines(path, Oid(*blob), *from, tell));
                }
            }
            JobKind::Heads(ticket) => (self.deliver)(ticket, reply::heads(tell)),
            JobKind::Since(ticket) => (self.deliver)(ticket, reply::since(tell)),
            JobKind::Round(ticket) => (self.deliver)(ticket, reply::round(tell)),
            JobKind::Threads(ticket) => (self.deliver)(ticket, reply::threads(tell)),
            JobKind::Added(ticket) => (self.deliver)(ticket, reply::added(tell)),
            JobKind::Notes(ticket, look) => (self.deliver)(ticket, reply::notes(look, tell)),
            JobKind::BaseFiles(ticket) => (self.deliver)(ticket, reply::base_files(tell)),
            JobKind::There(ticket) => (self.deliver)(ticket, reply::there(tell)),
            JobKind::Listed(ticket) => (self.deliver)(ticket, reply::listed(tell)),
            JobKind::Held(ticket) => (self.deliver)(ticket, reply::held(tell)),
            JobKind::Enter | JobKind::Dropped => {}
        }
    }

    fn opened(&mut self, ticket: Ticket, tell: Tell) {
        let mut found = match tell {
            Tell::Opened(found) => found,
            other => {
                let error = reply::error(other);
                (self.deliver)(ticket, Reply::Opened(Err(error)));
                return;
            }
        };
        if let Some(folder) = &self.memory {
            stream::remember(folder, &std::mem::take(&mut found.learned));
        }
        let opened = record::opened(*found);
        let (old, new) = (opened.snapshot.base_tree, opened.snapshot.tree);
        self.entered = Some(opened.worktree.clone());
        self.files = Some(FileStream::new(ticket));
        (self.deliver)(ticket, Reply::Opened(Ok(Box::new(opened))));
        let walk = Job::new(What::Walk(old.0, new.0), JobKind::Walk);
        self.lanes[BACK].waiting.push_back(walk);
    }

    fn walked(&mut self, tell: Tell, last: bool, what: &What) {
        let Some(files) = &mut self.files else { return };
        let (news, whole) = match tell {
            Tell::Files(batch) => (files.batch(batch, last), true),
            other => (files.cut(reply::error(other)), false),
        };
        let ticket = files.ticket;
        if let Some(news) = news {
            (self.deliver)(ticket, news);
        }
        match what {
            What::Walk(old, new) if last && whole => {
                let renames = Job::new(What::Renames(*old, *new), JobKind::Renames);
                self.lanes[BACK].waiting.push_back(renames);
            }
            _ if last => self.measure(),
            _ => {}
        }
    }

    /// Pairs that cannot be had leave deletions and additions as they are.
    fn renamed(&mut self, tell: Tell) {
        let Some(files) = &mut self.files else { return };
        if let Tell::Renames(pairs) = tell {
            let (ticket, news) = (files.ticket, files.renames(&pairs));
            (self.deliver)(ticket, news);
        }
        self.measure();
    }

    /// Queues the next round of measuring, or ends the stream.
    pub(super) fn measure(&mut self) {
        let Some(files) = &mut self.files else { return };
        match files.next_round() {
            Some(round) => {
                let job = Job::new(What::Measure(round, Effort::Best), JobKind::Measure);
                self.lanes[BACK].waiting.push_back(job);
            }
            None => {
                let (ticket, news) = (files.ticket, files.complete());
                (self.deliver)(ticket, news);
            }
        }
    }

    fn measured(&mut self, tell: Tell) {
        let Some(files) = &mut self.files else { return };
        let news = match tell {
            Tell::Measured(rows) => files.measured(rows),
            other => {
                files.failed(&reply::error(other));
                None
            }
        };
        let ticket = files.ticket;
        if let Some(news) = news {
            (self.deliver)(ticket, news);
        }
        self.measure();
    }

    /// What was shown turned out to be other bytes: said under the ticket of the change, which is
    /// open as long as anything may be said about its files.
    fn damaged(&mut self, oid: Oid, why: String) {
        let Some(files) = &self.files else { return };
        if let Some(path) = self.shown.get(&oid) {
            (self.deliver)(files.ticket, reply::missing(path.clone(), why));
        }
    }
}
