//! Which repository, change and pins the current folder means, for commands that speak about the
//! ledger.

use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::exit::Exit;
use super::report::Report;
use crate::adapters::folders::Folders;
use crate::adapters::forge::places;
use crate::adapters::git::record::Opened;
use crate::adapters::git::{GitError, rounds, since as between, there};
use crate::adapters::reader::{Order, Question, Reader, Reply};
use crate::gate::kept::Kept;
use crate::gate::verify::threads::Looked;
use crate::ledger::replay::History;
use crate::model::change::{FileChange, FileHunks};
use crate::model::id::{Digest, RepoPath, Ticket};
use crate::model::known::Known;
use crate::model::snapshot::{RepositoryBy, Snapshot};
use crate::model::text::{Foreign, Place};
use crate::model::thread::Thread;
use crate::runtime::since;

/// A worktree, named.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Here {
    /// The repository's id.
    pub repository: Digest,
    /// What the id was made from.
    pub repository_by: RepositoryBy,
    /// Its short name.
    pub name: String,
    /// Key of the change.
    pub change: String,
    /// The pins.
    pub snapshot: Snapshot,
    /// Top of the worktree.
    pub worktree: PathBuf,
    /// Its git folder.
    pub gitdir: PathBuf,
    /// The repository's own table of settings at the merge base.
    pub policy: Known<Foreign>,
    /// Its own list of signers at the merge base.
    pub signers: Known<Foreign>,
    /// The base ref as people name it, fit to be shown.
    pub base_name: String,
}

/// The folders of this user.
///
/// # Errors
/// A [`Report`] when there is no home.
pub fn folders() -> Result<Folders, Report> {
    Folders::of_user().map_err(|error| no_folders(&error))
}

fn no_folders(error: &std::io::Error) -> Report {
    Report::new(Exit::CouldNotMeasure, "no-folders", error.to_string())
        .hint("set HOME or COUNTERSIGN_HOME to a folder of your own")
}

/// How long the reader may take to open a change.
const PATIENCE: Duration = Duration::from_secs(30);

/// What the folder is: read by a child that can be killed.
///
/// # Errors
/// A [`Report`]: the folder is in no repository, or its change cannot be named.
pub fn here(dir: &Path) -> Result<Here, Report> {
    let opened = opened(dir, None, Vec::new())?;
    let short = &opened.change.repository_name;
    Ok(Here {
        repository: opened.change.repository,
        repository_by: opened.change.repository_by,
        name: short.shown(Place::Strict).plain(),
        change: opened.change.key,
        snapshot: opened.snapshot,
        worktree: opened.worktree,
        gitdir: opened.gitdir,
        policy: opened.policy,
        signers: opened.signers,
        base_name: opened.change.base.name.shown(Place::Strict).plain(),
    })
}

/// Everything that opening a change finds: with the base and the contracts that were named.
///
/// # Errors
/// A [`Report`]: it could not be looked at.
pub fn opened(
    dir: &Path,
    base: Option<&str>,
    contracts: Vec<PathBuf>,
) -> Result<Box<Opened>, Report> {
    looked(dir, base, contracts, &[]).map(|(opened, _)| opened)
}

/// A reader whose replies are waited for, with a deadline.
pub struct Ear {
    reader: Reader,
    replies: mpsc::Receiver<Reply>,
}

impl Ear {
    /// Starts a reader.
    ///
    /// # Errors
    /// Why it could not be started.
    pub fn new() -> Result<Self, String> {
        Self::of(None)
    }

    /// The same with another binary as the reader (tests are not the binary that they test).
    ///
    /// # Errors
    /// Why it could not be started.
    pub fn of(program: Option<&Path>) -> Result<Self, String> {
        let (send, replies) = mpsc::channel();
        let deliver = move |_, reply| {
            let _ = send.send(reply);
        };
        let reader = match program {
            Some(program) => Reader::spawn_as(program.to_owned(), deliver),
            None => Reader::spawn(deliver),
        };
        let reader = reader.map_err(|error| error.to_string())?;
        Ok(Self { reader, replies })
    }

    fn hear<T>(&self, wanted: impl Fn(Reply) -> Option<T>) -> Result<T, String> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let silent = |_| "the reader did not answer".to_owned();
            let reply = self.replies.recv_timeout(left).map_err(silent)?;
            if let Some(found) = wanted(reply) {
                return Ok(found);
            }
        }
    }

    /// Opens a change.
    ///
    /// # Errors
    /// When there is no answer; what the reader says of the repository is inside.
    pub fn open(&self, order: Order) -> Result<Result<Box<Opened>, GitError>, String> {
        self.reader.ask(Ticket(1), Question::Open(order));
        self.hear(|reply| match reply {
            Reply::Opened(opened) => Some(opened),
            _ => None,
        })
    }

    /// Every changed file, once all is known of it; why the list ends early is inside.
    ///
    /// # Errors
    /// When there is no answer.
    pub fn files(&self) -> Result<Result<Vec<FileChange>, String>, String> {
        self.hear(|reply| match reply {
            Reply::Files {
                files,
                complete: true,
                cut,
            } => Some(match cut {
                Some(error) => Err(error.says()),
                None => Ok(files),
            }),
            Reply::Files {
                cut: Some(error), ..
            } => Some(Err(error.says())),
            _ => None,
        })
    }

    /// The hunks of one changed file of the change that was opened last; `None` for what has no
    /// lines.
    ///
    /// # Errors
    /// Why they could not be had.
    pub fn hunks(&self, file: &FileChange) -> Result<Option<FileHunks>, String> {
        let question = Question::Hunks {
            path: file.path.clone(),
            old: file.old,
            new: file.new,
        };
        self.reader.ask(Ticket(6), question);
        let found = self.hear(|reply| match reply {
            Reply::Hunks { path, hunks, .. } if path == file.path => Some(hunks),
            _ => None,
        })?;
        found.map_err(|error| error.says())
    }

    /// What differs between two heads of the change that was opened last.
    ///
    /// # Errors
    /// When there is no answer.
    pub fn since(&self, question: between::Question) -> Result<between::Answer, String> {
        self.reader.ask(Ticket(3), Question::Since(question));
        let answer = self.hear(|reply| match reply {
            Reply::Since(answer) => Some(answer),
            _ => None,
        });
        answer?.map(|answer| *answer).map_err(|error| error.says())
    }

    /// What became of a change since it was judged.
    ///
    /// # Errors
    /// Why it could not be told: the judged commits may be gone.
    pub fn round(&self, question: rounds::Question) -> Result<Box<rounds::Answer>, String> {
        self.reader.ask(Ticket(4), Question::Round(question));
        let answer = self.hear(|reply| match reply {
            Reply::Round(answer) => Some(answer),
            _ => None,
        })?;
        answer.map_err(|error| error.says())
    }

    /// Whether a commit holds a file.
    ///
    /// # Errors
    /// Why it could not be looked at.
    pub fn there(&self, question: there::Question) -> Result<there::Answer, String> {
        self.reader.ask(Ticket(5), Question::There(question));
        let answer = self.hear(|reply| match reply {
            Reply::There(answer) => Some(answer),
            _ => None,
        })?;
        answer.map_err(|error| error.says())
    }

    /// Looks where threads point in the change that was opened last. What could not be looked at
    /// is unknown, thread by thread.
    #[must_use]
    pub fn look(&self, threads: &[Thread], snapshot: &Snapshot) -> Vec<Looked> {
        places::look_at_all(threads, snapshot, |question| {
            self.reader
                .ask(Ticket(2), Question::Threads(Box::new(question)));
            let found = self.hear(|reply| match reply {
                Reply::Threads(found) => Some(found),
                _ => None,
            })?;
            found.map_err(|error| error.says())
        })
    }
}

/// The earlier snapshots that this one differs from in the contract's slots or in confirmed edits
/// alone (rulings K05). One that could not be looked at counts as another.
#[must_use]
pub fn kept(here: &Here, contract: &RepoPath, history: &History) -> Vec<Kept> {
    let earlier = since::earlier(&here.snapshot, history);
    if earlier.is_empty() {
        return Vec::new();
    }
    let Ok(ear) = Ear::new() else {
        return Vec::new();
    };
    let order = order(here.worktree.clone(), None, Vec::new());
    if !matches!(ear.open(order), Ok(Ok(_))) {
        return Vec::new();
    }
    let mut kept = Vec::new();
    for then in earlier {
        let question = between::Question {
            then: then.head.0,
            now: here.snapshot.head.0,
        };
        let files = ear.since(question).ok();
        let files = files.and_then(|answer| since::files_of(&then, answer));
        let why = files.and_then(|files| since::why(&then, &files, Some(contract), history));
        kept.extend(why.map(|why| Kept {
            snapshot: then,
            why,
        }));
    }
    kept
}

fn order(dir: PathBuf, base: Option<&str>, contracts: Vec<PathBuf>) -> Order {
    Order {
        dir,
        base: base.map(str::to_owned),
        pull_request_base: None,
        contracts,
        picked: None,
        format: None,
        memory: None,
        request: None,
    }
}

/// An opened change with its changed files, every one of them.
///
/// # Errors
/// A [`Report`]: the change could not be looked at whole.
pub fn changed(dir: &Path, base: Option<&str>) -> Result<(Box<Opened>, Vec<FileChange>), Report> {
    let (ear, opened) = entered(dir, base, Vec::new())?;
    let files = ear.files().and_then(std::convert::identity);
    let files = files.map_err(|why| {
        let message = format!("could not list what changed: {why}");
        Report::new(Exit::CouldNotMeasure, "no-change", message).hint("try again")
    })?;
    Ok((opened, files))
}

/// An opened change with what its repository says of some threads.
///
/// # Errors
/// A [`Report`]: the change could not be looked at.
pub fn looked(
    dir: &Path,
    base: Option<&str>,
    contracts: Vec<PathBuf>,
    threads: &[Thread],
) -> Result<(Box<Opened>, Vec<Looked>), Report> {
    let (ear, opened) = entered(dir, base, contracts)?;
    let looked = ear.look(threads, &opened.snapshot);
    Ok((opened, looked))
}

/// A reader that has opened a change.
///
/// # Errors
/// A [`Report`]: the change could not be looked at.
pub fn entered(
    dir: &Path,
    base: Option<&str>,
    contracts: Vec<PathBuf>,
) -> Result<(Ear, Box<Opened>), Report> {
    if let Ok(folders) = Folders::of_user() {
        folders
            .apart_from(dir)
            .map_err(|error| no_folders(&error))?;
    }
    let shown = Foreign::from(dir.to_string_lossy().into_owned()).shown(Place::Strict);
    let trouble = |why: String, hint: String| {
        let message = format!("could not read the change in {shown}: {why}");
        Report::new(Exit::CouldNotMeasure, "no-change", message).hint(hint)
    };
    let absolute = std::path::absolute(dir)
        .map_err(|error| trouble(error.to_string(), "give a folder with -C".into()))?;
    let again = |why: String| trouble(why, "try again".into());
    let ear = Ear::new().map_err(again)?;
    let order = order(absolute, base, contracts);
    let opened = ear
        .open(order)
        .map_err(again)?
        .map_err(|error| trouble(error.says(), error.hint()))?;
    Ok((ear, opened))
}
