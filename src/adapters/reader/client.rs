//! The main process's side: questions with tickets in, replies through a callback. Nothing here
//! blocks the caller.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::mpsc::{Sender, channel};

use super::keeper::{Event, Keeper};
use crate::adapters::git::record::Opened;
use crate::adapters::git::skills::{Held, Listed, Wanted};
use crate::adapters::git::{GitError, added, base_files, heads, rounds, since, there, threads};
use crate::model::change::{Counts, Entry, FileChange, FileHunks, Shape};
use crate::model::id::{Oid, RepoPath, Ticket};
use crate::model::snapshot::RepositoryNote;
use crate::model::text::Foreign;

pub use crate::adapters::git::hunks::Effort;
pub use crate::adapters::git::open::Order;

/// What can be asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Question {
    /// Open (or re-read) the change. Answered by `Opened`, then by `Files` until `complete`.
    Open(Order),
    /// Shape, hunks and counts of one changed file.
    Hunks {
        /// Its path, which comes back.
        path: RepoPath,
        /// At base.
        old: Option<Entry>,
        /// At head.
        new: Option<Entry>,
    },
    /// Lines of a blob.
    Lines {
        /// The path, which comes back and tells the grammar.
        path: RepoPath,
        /// The blob of the side.
        blob: Oid,
        /// Lines, 0-based and half-open.
        lines: Range<u32>,
        /// With tokens?
        tokens: bool,
    },
    /// Where head, base and contract stand now ([`Opened::heads`] builds it).
    Heads(heads::Question),
    /// What differs between an earlier head and this one.
    Since(since::Question),
    /// What became of a change since it was judged.
    Round(rounds::Question),
    /// Where review threads point in the pinned trees, and what commits did there.
    Threads(Box<threads::Question>),
    /// What was committed since a head that was noted.
    Added(added::Question),
    /// What differs from the head in this worktree, untracked files included.
    Worktree(PathBuf),
    /// Names that mislead in a tree of the repository of this folder.
    Names(PathBuf, Oid),
    /// The files of spec trees at the merge base.
    BaseFiles(base_files::Question),
    /// Whether a commit holds a file.
    There(there::Question),
    /// The files of a scope, in the repository of this folder.
    Listed(PathBuf, Wanted),
    /// Every skill of a tree, in the repository of this folder.
    Held(PathBuf, Oid),
}

/// What comes back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reply {
    /// The change is open, or cannot be.
    Opened(Result<Box<Opened>, GitError>),
    /// Changed files: replaces the list. Before `complete` the list may still grow and renames
    /// are not paired; with it, every shape and count is known and every object was checked
    /// against its name, or the file says what is wrong.
    Files {
        /// All so far, in git's order.
        files: Vec<FileChange>,
        /// Whether that is all there is to know.
        complete: bool,
        /// Why the list ends early: a missing or damaged tree.
        cut: Option<GitError>,
    },
    /// One file. May come a second time, as `Shape::Missing`, when an object turns out not to
    /// hash to its name.
    Hunks {
        /// Which.
        path: RepoPath,
        /// What it is made of.
        shape: Shape,
        /// Its hunks; `None` for what has no lines.
        hunks: Result<Option<FileHunks>, GitError>,
        /// Added and removed lines.
        counts: Counts,
        /// The lines around the first hunks, so that they can be read without another question.
        first: Vec<Run>,
    },
    /// Lines of a blob, from the first one asked for; fewer at the end of the file, or when
    /// they are very long.
    Lines {
        /// Which.
        path: RepoPath,
        /// Which blob.
        blob: Oid,
        /// First line, 0-based.
        from: u32,
        /// The lines.
        lines: Result<Vec<Line>, GitError>,
    },
    /// Where things stand.
    Heads(Result<Box<heads::Answer>, GitError>),
    /// The child died; another was started, and what it was asked is asked again.
    Lost,
    /// What differs from an earlier head.
    Since(Result<Box<since::Answer>, GitError>),
    /// What became of a change since it was judged.
    Round(Result<Box<rounds::Answer>, GitError>),
    /// What was found of each place of the question, in order.
    Threads(Result<Vec<threads::Found>, GitError>),
    /// What was committed since a head that was noted.
    Added(Result<Box<added::Answer>, GitError>),
    /// What lies beside the change; what could not be looked at is one of the notes.
    Notes(Vec<RepositoryNote>),
    /// The files of spec trees at the merge base.
    BaseFiles(Result<Box<base_files::Answer>, GitError>),
    /// Whether a commit holds a file.
    There(Result<there::Answer, GitError>),
    /// The files of a scope.
    Listed(Result<Box<Listed>, GitError>),
    /// Every skill of a tree.
    Held(Result<Box<Held>, GitError>),
}

/// Lines that follow each other on one side of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// Whether they are of the head, else of the base.
    pub head: bool,
    /// Number of the first, 0-based.
    pub from: u32,
    /// The lines, without tokens.
    pub lines: Vec<Line>,
}

/// One line of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// Its bytes without LF, at most 64 KiB.
    pub text: Foreign,
    /// Bytes that were cut off.
    pub cut: u64,
    /// Whether it has no LF.
    pub no_newline: bool,
    /// Tokens in order, by byte range of `text`.
    pub tokens: Vec<Token>,
}

/// A colored run of a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Token {
    /// Bytes of the line.
    pub range: Range<u32>,
    /// What it is.
    pub kind: TokenKind,
}

/// Kinds of tokens.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "each variant is the name of a kind of token")]
pub enum TokenKind {
    Comment,
    String,
    Number,
    Keyword,
    Type,
    Function,
    Constant,
    Punctuation,
}

/// Kinds by the index that crosses the pipe.
const TOKENS: [TokenKind; 8] = [
    TokenKind::Comment,
    TokenKind::String,
    TokenKind::Number,
    TokenKind::Keyword,
    TokenKind::Type,
    TokenKind::Function,
    TokenKind::Constant,
    TokenKind::Punctuation,
];

impl TokenKind {
    /// The index that crosses the pipe.
    #[must_use]
    pub fn index(self) -> u8 {
        let at = TOKENS.iter().position(|k| *k == self);
        at.and_then(|at| u8::try_from(at).ok()).unwrap_or(0)
    }

    /// The kind of an index.
    #[must_use]
    pub fn of(index: u8) -> Option<Self> {
        TOKENS.get(usize::from(index)).copied()
    }
}

/// A reader. Dropping it ends the child.
#[derive(Debug)]
pub struct Reader {
    events: Sender<Event>,
    pid: std::sync::Arc<std::sync::atomic::AtomicU32>,
}

impl Reader {
    /// Starts a reader of this very binary. Replies are delivered from a thread of their own.
    ///
    /// # Errors
    /// When no thread can be started; a child that cannot be started is told at the first
    /// question.
    pub fn spawn(deliver: impl FnMut(Ticket, Reply) + Send + 'static) -> std::io::Result<Self> {
        Self::spawn_as(PathBuf::from(super::process::OURSELVES), deliver)
    }

    /// The same with another binary (tests are not the binary that they test).
    ///
    /// # Errors
    /// As [`Reader::spawn`].
    pub fn spawn_as(
        program: PathBuf,
        deliver: impl FnMut(Ticket, Reply) + Send + 'static,
    ) -> std::io::Result<Self> {
        let (events, inbox) = channel();
        let pid = std::sync::Arc::default();
        let keeper = Keeper::new(
            program,
            events.clone(),
            std::sync::Arc::clone(&pid),
            deliver,
        );
        std::thread::Builder::new()
            .name("reader".to_owned())
            .spawn(move || keeper.run(&inbox))?;
        Ok(Self { events, pid })
    }

    /// Asks; never waits. Questions about one file come before work in the background.
    pub fn ask(&self, ticket: Ticket, question: Question) {
        let _ = self.events.send(Event::Ask(ticket, Box::new(question)));
    }

    /// The child's process id, 0 while there is none.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.pid.load(std::sync::atomic::Ordering::Relaxed)
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let _ = self.events.send(Event::Stop);
    }
}
