//! The child's side: three workers (git, colors, what lies
//! beside the change), a thread that reads questions, a shared writer.
//!
//! It has no terminal, no environment, no right to write, and a limit on its memory. When the
//! pipe of questions ends, it ends itself, whatever the workers do.

use std::fs::File;
use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, Signal, getpid, kill_process, setrlimit, setsid};

use super::highlight::Highlighter;
use super::wire::{self, Ask, Sides, Tell, Told, What, WireFile, WireHunks, WireLine, WireShape};
use crate::adapters::git::hunks::{self, Effort};
use crate::adapters::git::lines::Store;
use crate::adapters::git::open::{self, Entered};
use crate::adapters::git::shape::{self, shape};
use crate::adapters::git::walk::{self, Difference};
use crate::adapters::git::{GitError, base_files, heads, rename, since, skills, surroundings};
use crate::model::change::{Entry, Shape};
use crate::model::id::Oid;

/// Most memory of its own.
const MEMORY: u64 = 768 << 20;
/// How long a round of measuring lasts, so that a question never waits long.
const ROUND: Duration = Duration::from_millis(8);
/// A file over this size is measured alone.
const ALONE: u64 = 1 << 20;
/// Texts over this size may be slow to compare.
const SLOW: u64 = 256 << 10;

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
    std::thread::Builder::new()
        .name("questions".to_owned())
        .spawn(move || read_questions(questions, &git, &color, &look))?;
    let colors = answers.clone();
    std::thread::Builder::new()
        .name("colors".to_owned())
        .spawn(move || ColorWorker::new(colors).run(&color_asks))?;
    let looks = answers.clone();
    std::thread::Builder::new()
        .name("surroundings".to_owned())
        .spawn(move || look_around(&looks, &look_asks))?;
    GitWorker::new(answers).run(&git_asks);
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

fn read_questions(mut questions: File, git: &Sender<Ask>, color: &Sender<Ask>, look: &Sender<Ask>) {
    while let Ok(Some(ask)) = wire::read::<Ask>(&mut questions) {
        let colored = matches!(
            &ask.what,
            What::Lines {
                color_as: Some(_),
                ..
            }
        );
        if matches!(&ask.what, What::Enter(_) | What::Open(_)) {
            let _ = color.send(ask.clone());
        }
        let _ = if colored {
            color.send(ask)
        } else if beside(&ask.what) {
            look.send(ask)
        } else {
            git.send(ask)
        };
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
            | What::Listed(..)
            | What::Held(..)
    )
}

#[derive(Clone)]
struct Answers(Arc<Mutex<File>>);

impl Answers {
    fn say(&self, number: u64, last: bool, tell: Tell) {
        let told = Told { number, last, tell };
        let mut out = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if wire::write(&mut *out, &told).is_err() {
            let _ = kill_process(getpid(), Signal::KILL);
        }
    }

    fn end(&self, number: u64, result: Result<Tell, GitError>) {
        self.say(number, true, result.unwrap_or_else(Tell::Failed));
    }
}

/// Reads git. One question at a time, in the order they come; objects that were shown are
/// checked against their names while nothing is asked.
struct GitWorker {
    answers: Answers,
    entered: Option<(Entered, Store)>,
    unchecked: Vec<Oid>,
    /// The last walk: its trees and what differs.
    walked: Option<(Oid, Oid, Vec<Difference>)>,
}

impl GitWorker {
    fn new(answers: Answers) -> Self {
        Self {
            answers,
            entered: None,
            unchecked: Vec::new(),
            walked: None,
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
        self.entered
            .as_mut()
            .ok_or_else(|| GitError::System("no repository was entered".to_owned()))
    }

    fn answer(&mut self, ask: Ask) -> Result<Tell, GitError> {
        let number = ask.number;
        match ask.what {
            What::Enter(dir) => self.enter(&dir).map(|_| Tell::Done),
            What::Open(order) => {
                let (entered, _) = self.enter(&order.dir)?;
                open::open(&order, entered).map(|found| Tell::Opened(Box::new(found)))
            }
            What::Walk(old, new) => self.walk(number, Oid(old), Oid(new)),
            What::Renames(old, new) => self.renames(Oid(old), Oid(new)),
            What::Hunks(sides, effort) => self.hunks(number, sides, effort),
            What::Measure(files, effort) => self.measure(number, &files, effort),
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
            What::Since(question) => {
                let (entered, _) = self.here()?;
                since::look(question, entered).map(|a| Tell::Since(Box::new(a)))
            }
            What::Worktree(_)
            | What::Names(..)
            | What::BaseFiles(_)
            | What::Listed(..)
            | What::Held(..) => {
                let why = "this is asked of another worker";
                Err(GitError::System(why.to_owned()))
            }
        }
    }

    /// Sends the first entries at once, later ones in growing batches.
    fn walk(&mut self, number: u64, old: Oid, new: Oid) -> Result<Tell, GitError> {
        let answers = self.answers.clone();
        let (entered, _) = self.here()?;
        let objects = entered.objects;
        let mut all: Vec<Difference> = Vec::new();
        let mut batch = Vec::new();
        let mut size = 16;
        walk::differences(&objects, Some(old), Some(new), &mut |difference| {
            batch.push(wire_file(&difference));
            all.push(difference);
            if batch.len() >= size {
                answers.say(number, false, Tell::Files(std::mem::take(&mut batch)));
                size = (size * 8).min(8_192);
            }
            true
        })?;
        self.walked = Some((old, new, all));
        Ok(Tell::Files(batch))
    }

    /// Pairs the files of the last walk, or of a new one when another child did that.
    fn renames(&mut self, old: Oid, new: Oid) -> Result<Tell, GitError> {
        let known = self
            .walked
            .take()
            .filter(|(a, b, _)| (*a, *b) == (old, new));
        let (entered, _) = self.here()?;
        let objects = entered.objects;
        let all = match known {
            Some((_, _, all)) => all,
            None => {
                let mut all = Vec::new();
                walk::differences(&objects, Some(old), Some(new), &mut |difference| {
                    all.push(difference);
                    true
                })?;
                all
            }
        };
        let index = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let pairs = rename::pairs(&objects, &all);
        let pairs = pairs.iter().map(|p| (index(p.0), index(p.1)));
        Ok(Tell::Renames(pairs.collect()))
    }

    fn hunks(&mut self, number: u64, sides: Sides, effort: Effort) -> Result<Tell, GitError> {
        let answers = self.answers.clone();
        let (_, store) = self.here()?;
        let (old, new) = sides.entries();
        let seen = shape(store, old, new);
        let hunks = match seen {
            Shape::Text => {
                let loaded = |bytes| answers.say(number, false, Tell::Loaded(bytes));
                let found = file_hunks(store, old, new, effort, loaded)?;
                self.unchecked
                    .extend([old, new].into_iter().flatten().map(|e| e.oid));
                Some(found)
            }
            _ => None,
        };
        Ok(Tell::Hunks(seen.into(), hunks))
    }

    fn measure(&mut self, number: u64, files: &[Sides], effort: Effort) -> Result<Tell, GitError> {
        let started = Instant::now();
        let answers = self.answers.clone();
        let loaded = |bytes| {
            if bytes > SLOW {
                answers.say(number, false, Tell::Loaded(bytes));
            }
        };
        let (_, store) = self.here()?;
        let mut out: Vec<(WireShape, u32, u32)> = Vec::new();
        for sides in files {
            let (old, new) = sides.entries();
            let sizes = [old, new]
                .into_iter()
                .flatten()
                .filter(|e| shape::kind(*e) != shape::EntryKind::Submodule);
            let size: u64 = sizes
                .filter_map(|e| store.objects().size(e.oid, "").ok())
                .sum();
            if !out.is_empty() && (size > ALONE || started.elapsed() > ROUND) {
                break;
            }
            out.push(measured(store, old, new, effort, loaded));
            if size > ALONE {
                break;
            }
        }
        Ok(Tell::Measured(out))
    }
}

fn plain(line: crate::adapters::git::lines::Line<'_>, tokens: Vec<(u32, u32, u8)>) -> WireLine {
    WireLine {
        text: serde_bytes::ByteBuf::from(line.bytes.to_vec()),
        cut: line.cut,
        no_newline: line.no_newline,
        tokens,
    }
}

fn wire_file(difference: &Difference) -> WireFile {
    let kind = wire::KINDS.iter().position(|k| *k == difference.kind());
    WireFile {
        path: serde_bytes::ByteBuf::from(difference.path.clone()),
        sides: Sides::of(difference.old, difference.new),
        kind: kind.and_then(|k| u8::try_from(k).ok()).unwrap_or(0),
    }
}

/// The side of a text file that is one (a file that became a link has the other side empty).
fn text_side(
    store: &mut Store,
    entry: Option<Entry>,
) -> Result<Option<std::rc::Rc<crate::adapters::git::lines::Text>>, GitError> {
    entry
        .filter(|e| shape::kind(*e) == shape::EntryKind::File)
        .map(|e| store.load(e.oid))
        .transpose()
}

fn file_hunks(
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

/// Shape and counts, with the objects checked against their names.
fn measured(
    store: &mut Store,
    old: Option<Entry>,
    new: Option<Entry>,
    effort: Effort,
    loaded: impl FnOnce(u64),
) -> (WireShape, u32, u32) {
    let seen = shape(store, old, new);
    let checked = match &seen {
        Shape::Text | Shape::Binary(..) | Shape::Symlink(..) => check(store, old, new),
        Shape::Empty | Shape::Submodule(..) | Shape::Huge(..) | Shape::Missing(_) => Ok(()),
    };
    if let Err(error) = checked {
        return (WireShape::Missing(error.says()), 0, 0);
    }
    let found = match seen {
        Shape::Text => file_hunks(store, old, new, effort, loaded),
        _ => return (seen.into(), 0, 0),
    };
    match found {
        Ok(found) => {
            let counts = hunks::counts(&found.into());
            (WireShape::Text, counts.added, counts.removed)
        }
        Err(error) => (WireShape::Missing(error.says()), 0, 0),
    }
}

fn check(store: &mut Store, old: Option<Entry>, new: Option<Entry>) -> Result<(), GitError> {
    let sides = [old, new].into_iter().flatten();
    for entry in sides.filter(|e| shape::kind(*e) != shape::EntryKind::Submodule) {
        store.load(entry.oid)?.verify()?;
    }
    Ok(())
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

/// Colors lines.
struct ColorWorker {
    answers: Answers,
    store: Option<Store>,
    highlighter: Option<Highlighter>,
}

impl ColorWorker {
    fn new(answers: Answers) -> Self {
        Self {
            answers,
            store: None,
            highlighter: None,
        }
    }

    fn run(&mut self, asks: &Receiver<Ask>) {
        while let Ok(ask) = asks.recv() {
            match ask.what {
                What::Enter(dir) => self.enter(&dir),
                What::Open(order) => self.enter(&order.dir),
                What::Lines {
                    blob,
                    from,
                    to,
                    color_as: Some(name),
                } => {
                    let result = self.lines(Oid(blob), from..to, &name);
                    self.answers.end(ask.number, result);
                }
                _ => {}
            }
        }
    }

    fn enter(&mut self, dir: &Path) {
        self.store = open::enter(dir).ok().map(|e| Store::new(e.objects));
    }

    fn lines(
        &mut self,
        blob: Oid,
        range: std::ops::Range<u32>,
        name: &[u8],
    ) -> Result<Tell, GitError> {
        let store = self.store.as_mut();
        let store =
            store.ok_or_else(|| GitError::System("no repository was entered".to_owned()))?;
        let text = store.load(blob)?;
        let highlighter = self.highlighter.get_or_insert_with(Highlighter::new);
        let colors = highlighter.color(blob, name, &text, range.clone());
        let mut colors = colors.into_iter();
        let lines = text
            .range(range)
            .map(|line| plain(line, colors.next().unwrap_or_default()));
        Ok(Tell::Lines(lines.collect()))
    }
}
