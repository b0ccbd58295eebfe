//! Which repository, change and pins the current folder means, for commands that speak about the
//! ledger.

use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use super::exit::Exit;
use super::report::Report;
use crate::adapters::folders::Folders;
use crate::adapters::git::GitError;
use crate::adapters::git::record::Opened;
use crate::adapters::reader::{Order, Question, Reader, Reply};
use crate::model::id::{Digest, Ticket};
use crate::model::snapshot::Snapshot;
use crate::model::text::{Foreign, Place};

/// A worktree, named.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Here {
    /// The repository's id.
    pub repository: Digest,
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
    /// The base ref as people name it, fit to be shown.
    pub base_name: String,
}

/// The folders of this user.
///
/// # Errors
/// A [`Report`] when there is no home.
pub fn folders() -> Result<Folders, Report> {
    Folders::of_user().map_err(|error| {
        Report::new(Exit::CouldNotMeasure, "no-folders", error.to_string())
            .hint("set HOME or COUNTERSIGN_HOME to a folder of your own")
    })
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
        name: short.shown(Place::Strict).plain(),
        change: opened.change.key,
        snapshot: opened.snapshot,
        worktree: opened.worktree,
        gitdir: opened.gitdir,
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
    let shown = Foreign::from(dir.to_string_lossy().into_owned()).shown(Place::Strict);
    let trouble = |why: String, hint: String| {
        let message = format!("could not read the change in {shown}: {why}");
        Report::new(Exit::CouldNotMeasure, "no-change", message).hint(hint)
    };
    let absolute = std::path::absolute(dir)
        .map_err(|error| trouble(error.to_string(), "give a folder with -C".into()))?;
    let order = Order {
        dir: absolute,
        base: base.map(str::to_owned),
        pull_request_base: None,
        contracts,
        picked: None,
        memory: None,
    };
    open(order)
        .map_err(|why| trouble(why, "try again".into()))?
        .map_err(|error| trouble(error.says(), error.hint()))
}

fn open(order: Order) -> Result<Result<Box<Opened>, GitError>, String> {
    let (send, answers) = mpsc::channel();
    let reader = Reader::spawn(move |_, reply| {
        if let Reply::Opened(opened) = reply {
            let _ = send.send(opened);
        }
    })
    .map_err(|error| error.to_string())?;
    reader.ask(Ticket(1), Question::Open(order));
    answers
        .recv_timeout(PATIENCE)
        .map_err(|_| "the reader did not answer".to_owned())
}
