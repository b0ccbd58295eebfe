//! Keeps a child alive and busy: four lanes of questions, a limit of time for each, a new child
//! when one hangs or dies, and a note of what must not be asked again. What becomes of the child's
//! answers is in `answers`.

mod answers;

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
use crate::adapters::git::GitError;
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
    shown: HashMap<Oid, RepoPath>,
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
            Question::There(asked) => (LOOK, Job::there(ticket, asked)),
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
}
