//! Everything that can happen to a session.

use std::ops::Range;
use std::sync::Arc;

use crate::gate::chains::session::ChainFacts;
use crate::gate::decide::{Decision, Ruling};
use crate::gate::dossier::{Dossier, Moved, Recorded, RunFact};
use crate::gate::policy::Policy;
use crate::gate::verify::since::Since;
use crate::model::change::{Counts, FileChange, FileHunks, Shape};
use crate::model::id::{CriterionId, Digest, EntryId, Oid, RepoPath, Ticket};
use crate::model::known::Known;
use crate::model::menu::MessageId;
use crate::model::oracle::{Isolation, RunPlace};
use crate::model::ruling::{Assurance, Verdict};
use crate::model::snapshot::RepositoryNote;
use crate::model::text::Foreign;

use super::claims::Claims;
use super::edit::EditPlan;
use super::key::Key;
use super::row::CodeRole;

/// One message.
#[derive(Clone, Debug)]
pub enum Msg {
    /// A key press; `repeat` when the terminal says that it is held.
    Key {
        /// Which.
        key: Key,
        /// Held down.
        repeat: bool,
    },
    /// A bracketed paste.
    Paste(String),
    /// The wheel over a cell: column, row, lines (negative is up).
    Wheel(u16, u16, i16),
    /// A click on a cell; selects, never decides. `true` for a double click.
    Click(u16, u16, bool),
    /// New size.
    Resize(u16, u16),
    /// The terminal got or lost the focus.
    Focus(bool),
    /// Monotonic milliseconds now; sent with every drained burst and by wanted timers.
    Clock(u64),
    /// The scene composed last reached the terminal at this time.
    Drawn(u64),
    /// An answer to a question; dropped when its ticket is not waited for.
    Answer(Ticket, Box<Answer>),
    /// A run said something.
    Run(RunNews),
    /// The pins were compared with the world.
    World(Moved),
    /// Nothing can reach this gate message any more; why.
    Message(MessageId, String),
    /// Other consoles recorded something for this change that was not read here.
    Others(Others),
    /// What lies beside the change and is not judged (GIT-6, GIT-7).
    Notes(Vec<RepositoryNote>),
    /// The chains of the tree under review, or why they could not be read.
    Chains(Result<Arc<ChainFacts>, Trouble>),
    /// The page of the spec gate, or why it could not be read.
    Spec(Result<Arc<super::spec::SpecLook>, String>),
    /// The session must end (signal, hang-up, terminal gone).
    Hangup,
    /// A child process of ours died; what it was.
    ChildLost(&'static str),
}

/// What other consoles recorded since the ledger was read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Others {
    /// Decisions, undos, rulings and agents' assertions.
    pub entries: usize,
    /// Who decided first, fit to be shown; `None` where nobody decided.
    pub by: Option<String>,
    /// The last ruling: its number in the log, the verdict, and who signed.
    pub ruling: Option<(u64, Verdict, String)>,
}

impl Others {
    /// What happened, a fragment.
    #[must_use]
    pub fn says(&self) -> String {
        if let Some((number, verdict, by)) = &self.ruling {
            let verdict = verdict.word();
            return format!("another console signed {verdict} as entry {number}, by {by}");
        }
        let noun = if self.entries == 1 {
            "entry"
        } else {
            "entries"
        };
        let by = self
            .by
            .as_ref()
            .map_or_else(String::new, |by| format!(", by {by}"));
        format!("another console recorded {} {noun}{by}", self.entries)
    }
}

/// An answer.
#[derive(Clone, Debug)]
pub enum Answer {
    /// The change was opened: everything but hunks. Files may still stream.
    Opened(Result<Box<Opening>, Trouble>),
    /// Files of the change; replaces the list; `complete` ends the stream.
    Files {
        /// All files so far.
        files: Vec<FileChange>,
        /// Who claims them, where there is a contract to ask.
        claims: Option<Box<Claims>>,
        /// Whether these are all.
        complete: bool,
        /// Why the list ends early: a missing or damaged tree.
        cut: Option<Trouble>,
    },
    /// Hunks and shape of one file.
    Hunks {
        /// Which.
        path: RepoPath,
        /// What it is made of.
        shape: Shape,
        /// Its lines, when it has any.
        hunks: Result<FileHunks, Trouble>,
        /// Added and removed lines.
        counts: Counts,
        /// The lines around its first hunks, plain.
        first: Vec<FirstLines>,
    },
    /// Lines of one side of one file, with token spans when they were asked for.
    Text {
        /// Which.
        path: RepoPath,
        /// Which side.
        side: Side,
        /// First line, 0-based.
        from: u32,
        /// The lines.
        lines: Vec<TextLine>,
    },
    /// Lines of a stored output.
    Output {
        /// SHA-256 that names it.
        digest: Digest,
        /// First line, 0-based.
        from: u64,
        /// The lines.
        lines: Result<Vec<Foreign>, Trouble>,
    },
    /// What would run, for the trust card.
    Trust(Result<Box<TrustCard>, Trouble>),
    /// The approval was stored.
    Trusted(Result<CriterionId, Trouble>),
    /// What the chosen edits come to, or why none of them can be written.
    Planned(Result<Box<EditPlan>, Trouble>),
    /// An entry was appended and fsynced, or was not.
    Recorded(Result<Box<Appended>, Trouble>),
    /// What was recorded was sealed, or was not.
    Sealed(Result<Box<Sealed>, Trouble>),
    /// A confirmed edit was written, or was not.
    Written(Result<EntryId, Trouble>),
    /// The hand-off was written: the paths.
    HandedOff(Result<Vec<String>, Trouble>),
    /// The editor closed: the new text.
    Edited(Result<String, Trouble>),
}

/// A seal that was recorded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sealed {
    /// Its number in the log.
    pub number: u64,
    /// What it is worth.
    pub level: Assurance,
    /// Fingerprint of the key.
    pub key: String,
    /// The ruling that it is of, at its new worth.
    pub ruling: Option<Box<Recorded<Ruling>>>,
    /// The decision that it is of, at its new worth.
    pub decision: Option<Box<Recorded<Decision>>>,
}

/// Why something could not be had, in words for the status row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trouble {
    /// A whole sentence.
    pub says: String,
    /// What helps, a whole sentence; empty when nothing does.
    pub hint: String,
}

/// What opening found out.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The facts.
    pub dossier: Dossier,
    /// What happened since a round sent the change back; does not apply without one.
    pub since: Known<Since>,
    /// The knobs in force: the person's own, tightened by the repository's at the merge base.
    pub policy: Policy,
    /// Oracles whose exact bytes the person approved for this tree.
    pub trusted: Vec<CriterionId>,
    /// Texts that were typed and never recorded, with the item they belong to.
    pub drafts: Vec<(String, String)>,
    /// Whether the person confirmed on this machine to be recorded under their name (A11).
    pub confirmed: bool,
    /// What is wrong with the person's key or the list of signers, in words.
    pub signing: Vec<String>,
    /// Milliseconds that reading took.
    pub took_ms: u64,
}

/// Lines of one side that came with the hunks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FirstLines {
    /// Which side.
    pub side: Side,
    /// First line, 0-based.
    pub from: u32,
    /// The lines, without token spans.
    pub lines: Vec<TextLine>,
}

/// One side of a diff.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Side {
    /// The merge base.
    Base,
    /// The head.
    Head,
}

/// One line of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextLine {
    /// Without its LF.
    pub text: Foreign,
    /// Whether the LF is missing (last line).
    pub no_newline: bool,
    /// Token spans by byte range of `text`; empty while not highlighted.
    pub tokens: Vec<(Range<u32>, CodeRole)>,
}

/// What a run of an oracle says while it lives.
#[derive(Clone, Debug)]
pub enum RunNews {
    /// Waiting for its turn.
    Queued(CriterionId),
    /// Started at this time (monotonic ms).
    Started {
        /// Whose.
        criterion: CriterionId,
        /// When.
        at_ms: u64,
        /// Its limit.
        limit_ms: u64,
    },
    /// New output: counts so far and the last few lines.
    Output {
        /// Whose.
        criterion: CriterionId,
        /// Lines on both streams so far.
        lines: u64,
        /// Bytes on both streams so far.
        bytes: u64,
        /// The end of it.
        tail: Vec<Foreign>,
    },
    /// Over, and recorded in the ledger (or why it could not be).
    Ended {
        /// Whose.
        criterion: CriterionId,
        /// The fact.
        result: Result<Box<Recorded<RunFact>>, Trouble>,
    },
}

/// The card shown before anything of the change may run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TrustCard {
    /// Whose oracle.
    pub criterion: CriterionId,
    /// The whole command.
    pub check: Foreign,
    /// What it must print, in words (`plain text`, `/regex/`, `exit 0 only`).
    pub expect: Foreign,
    /// Kind of the expectation.
    pub expect_kind: &'static str,
    /// The head and the tree it would run on.
    pub head: Oid,
    /// Where.
    pub place: RunPlace,
    /// The wall.
    pub isolation: Isolation,
    /// Absolute path of the shell.
    pub shell: String,
    /// Names of the environment variables that pass.
    pub environment: Vec<String>,
    /// Its limit, milliseconds.
    pub limit_ms: u64,
    /// Files that the command would also run: path, and added and removed lines in this change
    /// (`None` = the same as at base).
    pub also_runs: Vec<(RepoPath, Option<Counts>)>,
    /// Why it must not run, when it must not (control characters, over 8 KiB, no bash).
    pub refused: Option<String>,
    /// What was approved before, in words.
    pub before: String,
    /// Digest that the approval will bind.
    pub binds: Digest,
}

/// What was appended.
#[derive(Clone, Debug)]
pub enum Appended {
    /// A decision.
    Decision(Box<Recorded<Decision>>),
    /// An undo of this entry.
    Undo {
        /// Its own entry.
        entry: EntryId,
        /// Its number in the log.
        number: u64,
        /// What it took back.
        of: EntryId,
    },
    /// A ruling.
    Ruling(Box<Recorded<Ruling>>),
}
