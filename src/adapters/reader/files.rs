//! The worker that lists the changed files: walk, renames, then shape and counts of each. Nobody
//! waits for one answer of it, and it stands in nobody's way.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use super::child::{Answers, SLOW, Task, UNASKED, file_hunks, text_side};
use super::wire::{self, Ask, Sides, Tell, What, WireFile, WireMeasure, WireShape};
use crate::adapters::git::hunks::{self, Effort};
use crate::adapters::git::lines::Store;
use crate::adapters::git::objects::Objects;
use crate::adapters::git::open::{self, Entered};
use crate::adapters::git::shape::{self, shape};
use crate::adapters::git::walk::{self, Difference, Walk};
use crate::adapters::git::{GitError, rename};
use crate::model::change::{Entry, FileHunks, Shape};
use crate::model::hidden::Marks;
use crate::model::id::Oid;

/// How long a round of measuring lasts, so that counts come again and again.
const ROUND: Duration = Duration::from_millis(8);
/// A file over this size is measured alone.
const ALONE: u64 = 1 << 20;
/// Most bytes of texts that are kept: each is needed once.
const KEPT: usize = 8 << 20;
/// How far counting stands back behind everything else that wants the processor, and how long it
/// waits after the list was walked: the first diff comes before it.
const BEHIND: i32 = 10;
const STAND_BACK: Duration = Duration::from_millis(12);
/// Entries of the first batch, and of the largest one.
const FIRST: usize = 16;
const LARGEST: usize = 8_192;

/// The worker; see the module.
pub(super) struct FilesWorker {
    answers: Answers,
    entered: Option<(Entered, Store)>,
    /// The last walk: its trees and what differs.
    walked: Option<(Oid, Oid, Vec<Difference>)>,
    /// What came while a walk was under way.
    waiting: VecDeque<Task>,
    /// Whether this thread stands back already.
    behind: bool,
}

/// What differs, as a walk finds it; the last one says why it ended early.
type Found = Result<Difference, GitError>;

impl FilesWorker {
    pub(super) fn new(answers: Answers) -> Self {
        Self {
            answers,
            entered: None,
            walked: None,
            waiting: VecDeque::new(),
            behind: false,
        }
    }

    pub(super) fn run(&mut self, tasks: &Receiver<Task>) {
        while let Some(task) = self.waiting.pop_front().or_else(|| tasks.recv().ok()) {
            match task {
                Task::Ask(ask) => {
                    let number = ask.number;
                    let result = self.answer(ask, tasks);
                    if number != UNASKED {
                        self.answers.end(number, result);
                    }
                }
                Task::Walk(old, new, tell) => {
                    let stream = Stream::new(self.answers.clone(), UNASKED);
                    if let Err(error) = self.walk(stream, (old, new), Some(&tell), tasks) {
                        let _ = tell.send(Err(error));
                    }
                }
            }
        }
    }

    fn enter(&mut self, dir: &Path) -> Result<(), GitError> {
        self.entered = None;
        self.walked = None;
        let entered = open::enter(dir)?;
        let store = Store::keeping(entered.objects, KEPT);
        self.entered = Some((entered, store));
        Ok(())
    }

    fn here(&mut self) -> Result<&mut (Entered, Store), GitError> {
        self.entered
            .as_mut()
            .ok_or_else(|| GitError::System("no repository was entered".to_owned()))
    }

    fn answer(&mut self, ask: Ask, tasks: &Receiver<Task>) -> Result<Tell, GitError> {
        match ask.what {
            What::Enter(dir) => self.enter(&dir).map(|()| Tell::Done),
            What::Walk(old, new) => {
                let trees = (Oid(old), Oid(new));
                let mut stream = Stream::new(self.answers.clone(), ask.number);
                if let Some((_, _, known)) = self.known(trees) {
                    for difference in known {
                        stream.push(difference);
                    }
                    return Ok(stream.rest());
                }
                self.walk(stream, trees, None, tasks)
            }
            What::Renames(old, new) => {
                if !std::mem::replace(&mut self.behind, true) {
                    let _ = rustix::process::nice(BEHIND);
                }
                std::thread::sleep(STAND_BACK);
                self.renames(Oid(old), Oid(new))
            }
            What::Measure(files, effort) => self.measure(ask.number, &files, effort),
            _ => Err(GitError::System(
                "this is asked of another worker".to_owned(),
            )),
        }
    }

    fn known(&self, trees: (Oid, Oid)) -> Option<&(Oid, Oid, Vec<Difference>)> {
        self.walked.as_ref().filter(|(a, b, _)| (*a, *b) == trees)
    }

    /// Walks two trees. What is found goes to whoever looks for the contract, and from the moment
    /// on that the list is asked for, in growing batches to the main process.
    fn walk(
        &mut self,
        mut stream: Stream,
        trees: (Oid, Oid),
        tell: Option<&Sender<Found>>,
        tasks: &Receiver<Task>,
    ) -> Result<Tell, GitError> {
        let objects = self.here()?.0.objects;
        let mut all: Vec<Difference> = Vec::new();
        let waiting = &mut self.waiting;
        let walked = walk::differences(&objects, Some(trees.0), Some(trees.1), &mut |found| {
            if let Some(tell) = tell {
                let _ = tell.send(Ok(found.clone()));
            }
            while stream.number == UNASKED
                && let Ok(task) = tasks.try_recv()
            {
                match task {
                    Task::Ask(Ask {
                        number,
                        what: What::Walk(old, new),
                    }) if (Oid(old), Oid(new)) == trees => {
                        stream.number = number;
                        for known in &all {
                            stream.push(known);
                        }
                    }
                    other => waiting.push_back(other),
                }
            }
            stream.push(&found);
            all.push(found);
            true
        });
        let result = walked.map(|()| {
            self.walked = Some((trees.0, trees.1, all));
            stream.rest()
        });
        if tell.is_some() && stream.number != UNASKED {
            self.answers.end(stream.number, result.clone());
        }
        result
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

    fn measure(&mut self, number: u64, files: &[Sides], effort: Effort) -> Result<Tell, GitError> {
        let started = Instant::now();
        let answers = self.answers.clone();
        let loaded = |bytes| {
            if bytes > SLOW {
                answers.say(number, false, Tell::Loaded(bytes));
            }
        };
        let (_, store) = self.here()?;
        let mut out: Vec<WireMeasure> = Vec::new();
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

/// Batches on their way: the first one is small, so that it comes at once.
struct Stream {
    answers: Answers,
    /// The question, [`UNASKED`] while nobody asked.
    number: u64,
    batch: Vec<WireFile>,
    size: usize,
}

impl Stream {
    fn new(answers: Answers, number: u64) -> Self {
        Self {
            answers,
            number,
            batch: Vec::new(),
            size: FIRST,
        }
    }

    fn push(&mut self, difference: &Difference) {
        if self.number == UNASKED {
            return;
        }
        self.batch.push(wire_file(difference));
        if self.batch.len() >= self.size {
            let batch = std::mem::take(&mut self.batch);
            self.answers.say(self.number, false, Tell::Files(batch));
            self.size = (self.size * 8).min(LARGEST);
        }
    }

    fn rest(&mut self) -> Tell {
        Tell::Files(std::mem::take(&mut self.batch))
    }
}

/// The walk of the worker beside, for whoever looks for the contract meanwhile.
pub(super) struct Beside {
    back: Sender<Task>,
    found: Option<Receiver<Found>>,
}

impl Beside {
    pub(super) fn new(back: Sender<Task>) -> Self {
        Self { back, found: None }
    }
}

impl Walk for Beside {
    fn begin(&mut self, _: &Objects, old: Oid, new: Oid) {
        let (tell, found) = channel();
        self.found = self
            .back
            .send(Task::Walk(old, new, tell))
            .ok()
            .map(|()| found);
    }

    fn each(
        &mut self,
        objects: &Objects,
        old: Oid,
        new: Oid,
        emit: &mut dyn FnMut(Difference) -> bool,
    ) -> Result<(), GitError> {
        let Some(found) = self.found.take() else {
            return walk::differences(objects, Some(old), Some(new), &mut |found| emit(found));
        };
        while let Ok(found) = found.recv() {
            if !emit(found?) {
                break;
            }
        }
        Ok(())
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

/// Shape and counts, with the objects checked against their names.
fn measured(
    store: &mut Store,
    old: Option<Entry>,
    new: Option<Entry>,
    effort: Effort,
    loaded: impl FnOnce(u64),
) -> WireMeasure {
    let seen = shape(store, old, new);
    let checked = match &seen {
        Shape::Text | Shape::Binary(..) | Shape::Symlink(..) => check(store, old, new),
        Shape::Empty | Shape::Submodule(..) | Shape::Huge(..) | Shape::Missing(_) => Ok(()),
    };
    if let Err(error) = checked {
        return WireMeasure::bare(WireShape::Missing(error.says()));
    }
    let found = match seen {
        Shape::Text => file_hunks(store, old, new, effort, loaded),
        Shape::Symlink(before, target) => {
            let marks = target.as_ref().map(Marks::of_strict).unwrap_or_default();
            return WireMeasure {
                marks: Some(wire::marks(marks)),
                ..WireMeasure::bare(Shape::Symlink(before, target).into())
            };
        }
        _ => return WireMeasure::bare(seen.into()),
    };
    let measured = found.and_then(|found| {
        let found: FileHunks = found.into();
        let counts = hunks::counts(&found);
        Ok(WireMeasure {
            shape: WireShape::Text,
            lines: (counts.added, counts.removed),
            marks: Some(wire::marks(added_marks(store, new, &found)?)),
        })
    });
    measured.unwrap_or_else(|error| WireMeasure::bare(WireShape::Missing(error.says())))
}

/// What the added lines hide.
fn added_marks(
    store: &mut Store,
    new: Option<Entry>,
    found: &FileHunks,
) -> Result<Marks, GitError> {
    let Some(head) = text_side(store, new)? else {
        return Ok(Marks::default());
    };
    let added = found.hunks.iter().filter(|hunk| !hunk.after.is_empty());
    let marks = added.map(|hunk| {
        let lines = head.slice(hunk.after.clone());
        Marks::of(lines, hunk.after.start == 0)
    });
    Ok(marks.fold(Marks::default(), Marks::plus))
}

fn check(store: &mut Store, old: Option<Entry>, new: Option<Entry>) -> Result<(), GitError> {
    let sides = [old, new].into_iter().flatten();
    for entry in sides.filter(|e| shape::kind(*e) != shape::EntryKind::Submodule) {
        store.load(entry.oid)?.verify()?;
    }
    Ok(())
}
