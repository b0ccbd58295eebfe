//! Keeps a child alive and busy: four lanes of questions, a limit of time for each, a new child
//! when one hangs or dies, and a note of what must not be asked again.

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use super::client::{Effort, Question, Reply};
use super::job::{Job, JobKind, absolute, fingerprint};
use super::process::Process;
use super::stream::FileStream;
use super::wire::{Ask, Sides, Tell, Told, What};
use super::{reply, stream};
use crate::adapters::git::{GitError, record};
use crate::model::id::{Oid, RepoPath, Ticket};

/// Limit of a question.
const LIMIT: Duration = Duration::from_secs(5);
/// Limit of hunks at full effort, once both sides are in memory, and what a megabyte adds.
const HUNKS: Duration = Duration::from_millis(300);
const HUNKS_PER_MB: Duration = Duration::from_millis(10);
/// How often a question is tried when the child dies under it.
const TRIES: u8 = 2;
/// How many children in a row may end before they said anything.
const STILLBORN: u8 = 3;

/// What the keeper hears.
#[derive(Debug)]
pub(super) enum Event {
    /// A question.
    Ask(Ticket, Box<Question>),
    /// An answer of the child of this generation.
    Told(u64, Box<Told>),
    /// The child of this generation closed its pipe.
    Gone(u64),
    /// No more questions.
    Stop,
}

/// The child answers one question of each lane at a time.
#[derive(Default, Debug)]
struct Lane {
    waiting: VecDeque<Job>,
    current: Option<Current>,
}

#[derive(Debug)]
struct Current {
    number: u64,
    job: Job,
    since: Instant,
    deadline: Instant,
    /// Whether everything it needs was read, so that only computing can be slow.
    loaded: bool,
}

const GIT: usize = 0;
const COLOR: usize = 1;
const LOOK: usize = 2;
/// The list of files: nobody waits for one answer of it, and it is in nobody's way.
const BACK: usize = 3;
const LANES: [usize; 4] = [GIT, COLOR, LOOK, BACK];

/// The keeper; see the module.
pub(super) struct Keeper<F> {
    program: PathBuf,
    events: Sender<Event>,
    pid: Arc<AtomicU32>,
    deliver: F,
    child: Option<Process>,
    generation: u64,
    number: u64,
    lanes: [Lane; 4],
    /// The folder that a new child enters first.
    entered: Option<PathBuf>,
    memory: Option<PathBuf>,
    files: Option<FileStream>,
    /// Hunks that were delivered, by object, in case one turns out to be damaged.
    shown: HashMap<Oid, (Ticket, RepoPath)>,
    /// Questions that stopped a child.
    given_up: HashSet<String>,
    /// Children that ended before they said anything, one after the other.
    stillborn: u8,
}

impl<F: FnMut(Ticket, Reply) + Send> Keeper<F> {
    /// A keeper without a child.
    pub(super) fn new(
        program: PathBuf,
        events: Sender<Event>,
        pid: Arc<AtomicU32>,
        deliver: F,
    ) -> Self {
        Self {
            program,
            events,
            pid,
            deliver,
            child: None,
            generation: 0,
            number: 0,
            lanes: Default::default(),
            entered: None,
            memory: None,
            files: None,
            shown: HashMap::new(),
            given_up: HashSet::new(),
            stillborn: 0,
        }
    }

    /// Runs until told to stop.
    pub(super) fn run(mut self, inbox: &Receiver<Event>) {
        self.start();
        loop {
            let deadline = self
                .lanes
                .iter()
                .filter_map(|l| Some(l.current.as_ref()?.deadline))
                .min();
            let event = match deadline {
                Some(at) => inbox.recv_timeout(at.saturating_duration_since(Instant::now())),
                None => inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match event {
                Ok(Event::Ask(ticket, question)) => self.asked(ticket, *question),
                Ok(Event::Told(generation, told)) if generation == self.generation => {
                    self.told(*told);
                }
                Ok(Event::Gone(generation)) if generation == self.generation => self.died(),
                Ok(Event::Told(..) | Event::Gone(_)) => {}
                Err(RecvTimeoutError::Timeout) => self.late(),
                Ok(Event::Stop) | Err(RecvTimeoutError::Disconnected) => break,
            }
            self.feed();
        }
        if let Some(child) = self.child.take() {
            child.kill();
        }
    }

    fn start(&mut self) {
        self.generation += 1;
        match Process::start(&self.program, self.generation, &self.events) {
            Ok(child) => {
                self.pid.store(child.id(), Ordering::Relaxed);
                self.child = Some(child);
            }
            Err(_) => self.child = None,
        }
    }

    fn asked(&mut self, ticket: Ticket, question: Question) {
        if self.child.is_none() {
            self.stillborn = 0;
            self.restart();
        }
        let (lane, job) = match question {
            Question::Open(mut order) => {
                // the child stands in another folder
                order.dir = absolute(order.dir);
                self.entered = Some(order.dir.clone());
                self.memory.clone_from(&order.memory);
                self.files = None;
                self.given_up.clear();
                self.shown.clear();
                // what is still said about the old list belongs to no list any more
                let back = &mut self.lanes[BACK];
                back.waiting.clear();
                if let Some(current) = &mut back.current {
                    current.job.kind = JobKind::Dropped;
                }
                (GIT, Job::open(ticket, order))
            }
            Question::Hunks { path, old, new } => {
                let sides = Sides::of(old, new);
                (GIT, Job::hunks(ticket, path, sides, self.effort(&sides)))
            }
            Question::Lines {
                path,
                blob,
                lines,
                tokens,
            } => {
                let lane = if tokens { COLOR } else { GIT };
                (lane, Job::lines(ticket, path, blob, lines, tokens))
            }
            Question::Heads(question) => (GIT, Job::heads(ticket, question)),
            Question::Since(question) => (GIT, Job::since(ticket, question)),
            Question::Round(question) => (GIT, Job::round(ticket, question)),
            Question::Threads(question) => (GIT, Job::threads(ticket, question)),
            Question::Added(question) => (GIT, Job::added(ticket, question)),
            Question::Worktree(dir) => (LOOK, Job::worktree(ticket, dir)),
            Question::Names(dir, tree) => (LOOK, Job::names(ticket, dir, tree)),
            Question::BaseFiles(asked) => (LOOK, Job::base_files(ticket, asked)),
            Question::Listed(dir, wanted) => (LOOK, Job::listed(ticket, dir, wanted)),
            Question::Held(dir, tree) => (LOOK, Job::held(ticket, dir, tree)),
        };
        let job = self.plainer(job);
        let lane = if lane == COLOR && !job.is_colored() {
            GIT
        } else {
            lane
        };
        if self.given_up.contains(&fingerprint(&job.what)) {
            self.fail(job, GitError::Given);
            return;
        }
        self.lanes[lane].waiting.push_back(job);
    }

    /// The effort that did not stop a child for these sides yet.
    fn effort(&self, sides: &Sides) -> Effort {
        let tried = |effort| {
            self.given_up
                .contains(&fingerprint(&What::Hunks(*sides, effort)))
        };
        if !tried(Effort::Best) {
            Effort::Best
        } else if !tried(Effort::Cheap) {
            Effort::Cheap
        } else {
            Effort::Whole
        }
    }

    /// Colors that stopped a child before are left out.
    fn plainer(&self, mut job: Job) -> Job {
        if job.is_colored() && self.given_up.contains(&fingerprint(&job.what)) {
            job.uncolor();
        }
        job
    }

    /// Kills the child and starts another; what was being answered is asked again.
    fn restart(&mut self) {
        if let Some(child) = self.child.take() {
            child.kill();
        }
        for lane in &mut self.lanes {
            if let Some(current) = lane.current.take()
                && !matches!(current.job.kind, JobKind::Enter | JobKind::Dropped)
            {
                lane.waiting.push_front(current.job);
            }
        }
        self.start();
        if let Some(dir) = &self.entered {
            let enter = Job::new(What::Enter(dir.clone()), JobKind::Enter);
            self.lanes[GIT].waiting.push_front(enter);
        }
    }

    /// A limit has passed.
    fn late(&mut self) {
        let now = Instant::now();
        for lane in LANES {
            if self.lanes[lane]
                .current
                .as_ref()
                .is_some_and(|c| c.deadline <= now)
                && let Some(current) = self.lanes[lane].current.take()
            {
                if matches!(current.job.kind, JobKind::Enter) {
                    self.entered = None;
                    self.give_in("the repository cannot be entered in time");
                    return;
                }
                let limit = now.duration_since(current.since);
                let mut job = current.job;
                if !current.loaded
                    && let Some(effort) = job.effort()
                {
                    // it hung while it was read: less effort would hang again
                    *effort = Effort::Whole;
                }
                self.gave_up(job, |subject| {
                    GitError::TooSlow(
                        subject,
                        u64::try_from(limit.as_millis()).unwrap_or(u64::MAX),
                    )
                });
            }
        }
        self.restart();
    }

    /// The child is gone without being told to.
    fn died(&mut self) {
        (self.deliver)(Ticket::default(), Reply::Lost);
        for lane in LANES {
            if let Some(mut current) = self.lanes[lane].current.take() {
                current.job.tries += 1;
                if current.job.tries >= TRIES {
                    self.gave_up(current.job, GitError::Died);
                } else {
                    self.lanes[lane].current = Some(current);
                }
            }
        }
        self.stillborn += 1;
        if self.stillborn < STILLBORN {
            self.restart();
        } else {
            self.give_in("it ends as soon as it is started");
        }
    }

    /// No child can be had: fails everything that waits.
    fn give_in(&mut self, why: &str) {
        if let Some(child) = self.child.take() {
            child.kill();
        }
        self.pid.store(0, Ordering::Relaxed);
        for lane in LANES {
            let current = self.lanes[lane].current.take().map(|c| c.job);
            let waiting: Vec<Job> = self.lanes[lane].waiting.drain(..).collect();
            for job in current.into_iter().chain(waiting) {
                if !job.in_background() {
                    self.fail(job, |_| GitError::NoReader(why.to_owned()));
                }
            }
        }
    }

    /// Notes that a question stopped the child, and asks for less, or fails it.
    fn gave_up(&mut self, mut job: Job, error: impl FnOnce(String) -> GitError) {
        self.given_up.insert(fingerprint(&job.what));
        if job.is_colored() {
            job.uncolor();
            self.lanes[GIT].waiting.push_front(job);
            return;
        }
        let less = match job.effort() {
            Some(effort @ Effort::Best) => {
                *effort = Effort::Cheap;
                true
            }
            Some(effort @ Effort::Cheap) => {
                *effort = Effort::Whole;
                true
            }
            Some(Effort::Whole) | None => false,
        };
        if less {
            job.tries = 0;
            job.shorten();
            let lane = if job.in_background() { BACK } else { GIT };
            self.lanes[lane].waiting.push_front(job);
        } else {
            self.fail(job, error);
        }
    }

    fn fail(&mut self, job: Job, error: impl FnOnce(String) -> GitError) {
        let error = error(job.subject());
        match job.kind {
            JobKind::Measure => {
                self.files.iter_mut().for_each(|files| files.failed(&error));
                self.measure();
            }
            _ => self.answer(job.kind, Tell::Failed(error), &job.what, true),
        }
    }

    /// Hands waiting questions to the child.
    fn feed(&mut self) {
        for lane in LANES {
            if self.lanes[lane].current.is_some() {
                continue;
            }
            let Some(job) = self.lanes[lane].waiting.pop_front() else {
                continue;
            };
            self.number += 1;
            let ask = Ask {
                number: self.number,
                what: job.what.clone(),
            };
            let sent = self.child.as_mut().is_some_and(|child| child.send(&ask));
            let now = Instant::now();
            if self.child.is_none() {
                self.fail(job, |_| {
                    GitError::NoReader("no process can be started".to_owned())
                });
                continue;
            }
            // a child that does not read any more is found by its end of file
            let _ = sent;
            self.lanes[lane].current = Some(Current {
                number: self.number,
                deadline: now + LIMIT,
                since: now,
                loaded: false,
                job,
            });
        }
    }

    fn told(&mut self, told: Told) {
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

    fn answer(&mut self, kind: JobKind, tell: Tell, what: &What, last: bool) {
        match kind {
            JobKind::Open(ticket) => self.opened(ticket, tell),
            JobKind::Walk => self.walked(tell, last, what),
            JobKind::Renames => self.renamed(tell),
            JobKind::Measure => self.measured(tell),
            JobKind::Hunks(ticket, path) => {
                if let What::Hunks(sides, _) = what {
                    let (old, new) = sides.entries();
                    for entry in [old, new].into_iter().flatten() {
                        self.shown.insert(entry.oid, (ticket, path.clone()));
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
    fn measure(&mut self) {
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

    fn damaged(&mut self, oid: Oid, why: String) {
        if let Some((ticket, path)) = self.shown.get(&oid) {
            (self.deliver)(*ticket, reply::missing(path.clone(), why));
        }
    }
}
