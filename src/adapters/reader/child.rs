//! The child's side: four workers (git, the list of files, colors, what lies beside the
//! change), a thread that reads questions, a shared writer. What a person waits for never stands
//! behind the list of files.
//!
//! It has no terminal, no environment, no right to write, and a limit on its memory. When the
//! pipe of questions ends, it ends itself, whatever the workers do.

use std::fs::File;
use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Resource, Rlimit, Signal, getpid, kill_process, setrlimit, setsid};

use super::colors::ColorWorker;
use super::files::{Beside, FilesWorker};
use super::peek;
use super::wire::{self, Ask, Sides, Tell, Told, What, WireHunks, WireLine};
use crate::adapters::git::hunks::{self, Effort};
use crate::adapters::git::lines::Store;
use crate::adapters::git::open::{self, Entered};
use crate::adapters::git::shape::{self, shape};
use crate::adapters::git::walk::Difference;
use crate::adapters::git::{
    GitError, added, base_files, heads, history, rounds, since, skills, surroundings, there,
    threads,
};
use crate::model::change::{Entry, Shape};
use crate::model::id::Oid;

/// Most memory of its own.
const MEMORY: u64 = 768 << 20;
/// Texts over this size may be slow to compare.
pub(super) const SLOW: u64 = 256 << 10;

/// Runs until the pipe of questions ends.
#[must_use]
pub fn run() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn serve() -> io::Result<()> {
    let (questions, answers) = own_pipes()?;
    confine()?;
    std::panic::set_hook(Box::new(|_| std::process::abort()));
    let answers = Answers(Arc::new(Mutex::new(answers)));
    let (git, git_asks) = channel();
    let (color, color_asks) = channel();
    let (look, look_asks) = channel();
    let (back, back_tasks) = channel();
    let to_back = back.clone();
    std::thread::Builder::new()
        .name("questions".to_owned())
        .spawn(move || {
            let lanes = Lanes {
                git,
                color,
                look,
                back,
            };
            read_questions(questions, &lanes);
        })?;
    let listing = answers.clone();
    let beside = Beside::new(to_back);
    std::thread::Builder::new()
        .name("files".to_owned())
        .spawn(move || {
            FilesWorker::new(listing).run(&back_tasks);
        })?;
    let colors = answers.clone();
    std::thread::Builder::new()
        .name("colors".to_owned())
        .spawn(move || ColorWorker::new(colors).run(&color_asks))?;
    let looks = answers.clone();
    std::thread::Builder::new()
        .name("surroundings".to_owned())
        .spawn(move || look_around(&looks, &look_asks))?;
    GitWorker::new(answers, beside).run(&git_asks);
    Ok(())
}

/// Moves the pipes away from 0 and 1, so that nothing can print into a frame.
fn own_pipes() -> io::Result<(File, File)> {
    use rustix::io::fcntl_dupfd_cloexec;
    let questions = fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?;
    let answers = fcntl_dupfd_cloexec(rustix::stdio::stdout(), 3)?;
    let null = File::options().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&null)?;
    rustix::stdio::dup2_stdout(&null)?;
    Ok((File::from(questions), File::from(answers)))
}

fn confine() -> io::Result<()> {
    let _ = setsid();
    let _ = rustix::thread::set_name(c"cs-reader");
    let most = |n| Rlimit {
        current: Some(n),
        maximum: Some(n),
    };
    setrlimit(Resource::Core, most(0))?;
    setrlimit(Resource::Data, most(MEMORY))?;
    no_writing();
    Ok(())
}

/// Gives up the right to write anywhere, where the kernel can take it.
fn no_writing() {
    use landlock::{ABI, AccessFs, Ruleset, RulesetAttr as _};
    let _ = Ruleset::default()
        .handle_access(AccessFs::from_write(ABI::V3))
        .and_then(Ruleset::create)
        .and_then(landlock::RulesetCreated::restrict_self);
}

/// The ways to the workers.
struct Lanes {
    git: Sender<Ask>,
    color: Sender<Ask>,
    look: Sender<Ask>,
    back: Sender<Task>,
}

/// What the worker of the list of files does.
pub(super) enum Task {
    /// A question.
    Ask(Ask),
    /// The list will be asked for, and whoever opens the change looks through it meanwhile.
    Walk(Oid, Oid, Sender<Result<Difference, GitError>>),
}

/// Number of a question that nobody asked: a worker is told which repository to enter.
pub(super) const UNASKED: u64 = 0;

fn read_questions(mut questions: File, lanes: &Lanes) {
    while let Ok(Some(ask)) = wire::read::<Ask>(&mut questions) {
        let colored = matches!(
            &ask.what,
            What::Lines {
                color_as: Some(_),
                ..
            }
        );
        if let What::Enter(dir) = &ask.what {
            lanes.enter(dir);
        } else if let What::Open(order) = &ask.what {
            lanes.enter(&order.dir);
        }
        let lane = match &ask.what {
            _ if colored => &lanes.color,
            what if beside(what) => &lanes.look,
            What::Walk(..) | What::Renames(..) | What::Measure(..) => {
                let _ = lanes.back.send(Task::Ask(ask));
                continue;
            }
            _ => &lanes.git,
        };
        let _ = lane.send(ask);
    }
    let _ = kill_process(getpid(), Signal::KILL);
}

/// What the worker is asked that looks beside the change.
fn beside(what: &What) -> bool {
    matches!(
        what,
        What::Worktree(_)
            | What::Names(..)
            | What::BaseFiles(_)
            | What::There(_)
            | What::Listed(..)
            | What::Held(..)
    )
}

impl Lanes {
    /// Tells the workers that are not asked to enter a repository which one it is.
    fn enter(&self, dir: &Path) {
        let enter = Ask {
            number: UNASKED,
            what: What::Enter(dir.to_owned()),
        };
        let _ = self.back.send(Task::Ask(enter.clone()));
        let _ = self.color.send(enter);
    }
}

/// The way back to the main process.
#[derive(Clone)]
pub(super) struct Answers(Arc<Mutex<File>>);

impl Answers {
    pub(super) fn say(&self, number: u64, last: bool, tell: Tell) {
        let told = Told { number, last, tell };
        let mut out = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if wire::write(&mut *out, &told).is_err() {
            let _ = kill_process(getpid(), Signal::KILL);
        }
    }

    pub(super) fn end(&self, number: u64, result: Result<Tell, GitError>) {
        self.say(number, true, result.unwrap_or_else(Tell::Failed));
    }
}

/// Reads git. One question at a time, in the order they come; objects that were shown are
/// checked against their names while nothing is asked.
struct GitWorker {
    answers: Answers,
    entered: Option<(Entered, Store)>,
    unchecked: Vec<Oid>,
    beside: Beside,
}

impl GitWorker {
    fn new(answers: Answers, beside: Beside) -> Self {
        Self {
            answers,
            entered: None,
            unchecked: Vec::new(),
            beside,
        }
    }

    fn run(&mut self, asks: &Receiver<Ask>) {
        loop {
            let ask = match asks.try_recv() {
                Ok(ask) => ask,
                Err(TryRecvError::Empty) if !self.unchecked.is_empty() => {
                    // a moment for the next question, which a person waits for
                    match asks.recv_timeout(Duration::from_millis(2)) {
                        Ok(ask) => ask,
                        Err(RecvTimeoutError::Timeout) => {
                            self.check_one();
                            continue;
                        }
                        Err(RecvTimeoutError::Disconnected) => return,
                    }
                }
                Err(TryRecvError::Empty) => match asks.recv() {
                    Ok(ask) => ask,
                    Err(_) => return,
                },
                Err(TryRecvError::Disconnected) => return,
            };
            let number = ask.number;
            let result = self.answer(ask);
            self.answers.end(number, result);
        }
    }

    fn check_one(&mut self) {
        let Some(oid) = self.unchecked.pop() else {
            return;
        };
        let Some((_, store)) = &mut self.entered else {
            return;
        };
        if let Err(error) = store.load(oid).and_then(|text| text.verify()) {
            self.answers
                .say(0, true, Tell::Damaged(oid.0, error.says()));
        }
    }

    fn enter(&mut self, dir: &Path) -> Result<&mut (Entered, Store), GitError> {
        let entered = open::enter(dir)?;
        let store = Store::new(entered.objects);
        Ok(self.entered.insert((entered, store)))
    }

    fn here(&mut self) -> Result<&mut (Entered, Store), GitError> {
        self.entered.as_mut().ok_or_else(nowhere)
    }

    fn answer(&mut self, ask: Ask) -> Result<Tell, GitError> {
        let number = ask.number;
        match ask.what {
            What::Enter(dir) => self.enter(&dir).map(|_| Tell::Done),
            What::Open(order) => {
                self.enter(&order.dir)?;
                let entered = self.entered.as_ref();
                let (entered, _) = entered.ok_or_else(nowhere)?;
                let found = open::open_with(&order, entered, &mut self.beside)?;
                Ok(Tell::Opened(Box::new(found)))
            }
            What::Hunks(sides, effort) => self.hunks(number, sides, effort),
            What::Lines { blob, from, to, .. } => {
                let (_, store) = self.here()?;
                let text = store.load(Oid(blob))?;
                let lines = text.range(from..to).map(|line| plain(line, Vec::new()));
                let lines = lines.collect();
                self.unchecked.push(Oid(blob));
                Ok(Tell::Lines(lines))
            }
            What::Heads(question) => {
                let (entered, _) = self.here()?;
                heads::look(&question, entered).map(|a| Tell::Heads(Box::new(a)))
            }
            What::Added(question) => {
                let (entered, _) = self.enter(&question.dir)?;
                added::look(&question, entered).map(|a| Tell::Added(Box::new(a)))
            }
            What::Since(question) => {
                let (entered, _) = self.here()?;
                since::look(question, entered).map(|a| Tell::Since(Box::new(a)))
            }
            What::Round(question) => {
                let (entered, store) = self.here()?;
                let cut = history::Cut::of(&entered.place)?;
                rounds::look(&question, store, &cut).map(|a| Tell::Round(Box::new(a)))
            }
            What::Threads(question) => {
                let (entered, store) = self.here()?;
                let cut = history::Cut::of(&entered.place)?;
                threads::look(&question, store, &cut).map(Tell::Threads)
            }
            What::Walk(..)
            | What::Renames(..)
            | What::Measure(..)
            | What::Worktree(_)
            | What::Names(..)
            | What::BaseFiles(_)
            | What::There(_)
            | What::Listed(..)
            | What::Held(..) => {
                let why = "this is asked of another worker";
                Err(GitError::System(why.to_owned()))
            }
        }
    }

    fn hunks(&mut self, number: u64, sides: Sides, effort: Effort) -> Result<Tell, GitError> {
        let answers = self.answers.clone();
        let (_, store) = self.here()?;
        let (old, new) = sides.entries();
        let seen = shape(store, old, new);
        if seen != Shape::Text {
            return Ok(Tell::Hunks(seen.into(), None, Vec::new()));
        }
        let loaded = |bytes| {
            if bytes > SLOW {
                answers.say(number, false, Tell::Loaded(bytes));
            }
        };
        let found = file_hunks(store, old, new, effort, loaded)?;
        let base = text_side(store, old)?;
        let head = text_side(store, new)?;
        let first = peek::first(&found.hunks, base.as_deref(), head.as_deref());
        self.unchecked
            .extend([old, new].into_iter().flatten().map(|e| e.oid));
        Ok(Tell::Hunks(seen.into(), Some(found), first))
    }
}

fn nowhere() -> GitError {
    GitError::System("no repository was entered".to_owned())
}

pub(super) fn plain(
    line: crate::adapters::git::lines::Line<'_>,
    tokens: Vec<(u32, u32, u8)>,
) -> WireLine {
    WireLine {
        text: serde_bytes::ByteBuf::from(line.bytes.to_vec()),
        cut: line.cut,
        no_newline: line.no_newline,
        tokens,
    }
}

/// The side of a text file that is one (a file that became a link has the other side empty).
pub(super) fn text_side(
    store: &mut Store,
    entry: Option<Entry>,
) -> Result<Option<std::rc::Rc<crate::adapters::git::lines::Text>>, GitError> {
    entry
        .filter(|e| shape::kind(*e) == shape::EntryKind::File)
        .map(|e| store.load(e.oid))
        .transpose()
}

pub(super) fn file_hunks(
    store: &mut Store,
    old: Option<Entry>,
    new: Option<Entry>,
    effort: Effort,
    loaded: impl FnOnce(u64),
) -> Result<WireHunks, GitError> {
    let (a, b) = (text_side(store, old)?, text_side(store, new)?);
    let left = a.as_ref().map_or(&b""[..], |t| t.bytes());
    let right = b.as_ref().map_or(&b""[..], |t| t.bytes());
    loaded((left.len() + right.len()) as u64);
    Ok(WireHunks::from(&hunks::hunks(left, right, effort)))
}

/// Looks at what lies beside the change, while the others read it.
fn look_around(answers: &Answers, asks: &Receiver<Ask>) {
    while let Ok(ask) = asks.recv() {
        let tell = match ask.what {
            What::Worktree(top) => surroundings::worktree(&top).map(Tell::Notes),
            What::Names(dir, tree) => open::enter(&dir)
                .and_then(|entered| surroundings::names(&entered.objects, Oid(tree)))
                .map(Tell::Notes),
            What::BaseFiles(question) => open::enter(&question.dir)
                .and_then(|entered| base_files::look(&question, &entered))
                .map(|answer| Tell::BaseFiles(Box::new(answer))),
            What::There(question) => open::enter(&question.dir)
                .and_then(|entered| there::look(&question, &entered))
                .map(Tell::There),
            What::Listed(dir, wanted) => {
                skills::listed(&dir, &wanted).map(|listed| Tell::Listed(Box::new(listed)))
            }
            What::Held(dir, tree) => open::enter(&dir)
                .and_then(|entered| skills::held(&entered.objects, Oid(tree)))
                .map(|held| Tell::Held(Box::new(held))),
            _ => continue,
        };
        answers.end(ask.number, tell);
    }
}
