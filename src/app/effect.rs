//! What the session wants done, as data: one file (`runtime::effects`) matches on it.

use std::ops::Range;

use crate::gate::decide::{Decision, Ruling, Undo};
use crate::model::format::Format;
use crate::model::id::{CriterionId, Digest, EntryId, RepoPath, Ticket};

use super::edit::EditOrder;
use super::msg::Side;

/// One effect.
#[derive(Clone, PartialEq, Debug)]
pub enum Effect {
    /// Open (or re-read) the change.
    Open(Ticket),
    /// Open the change with this one of its candidates as the contract, and record the pick.
    Take(Ticket, RepoPath),
    /// Open the change with its contract read as this format; `None` detects it.
    ReadAs(Ticket, Option<Format>),
    /// Hunks of a file.
    Hunks(Ticket, RepoPath),
    /// Lines of a file; `tokens` asks for highlighting as well.
    Text {
        /// The ticket.
        ticket: Ticket,
        /// Which file.
        path: RepoPath,
        /// Which side.
        side: Side,
        /// Which lines, 0-based.
        lines: Range<u32>,
        /// Whether to highlight.
        tokens: bool,
    },
    /// Lines of a stored output.
    Output {
        /// The ticket.
        ticket: Ticket,
        /// SHA-256 that names it.
        digest: Digest,
        /// Which lines, 0-based.
        lines: Range<u64>,
    },
    /// The page of the spec gate, as the worktree is now.
    ReadSpec,
    /// What an oracle would run.
    TrustCard(Ticket, CriterionId),
    /// Store the approval of exactly the card with this digest.
    Trust(Ticket, CriterionId, Digest),
    /// Queue runs of trusted oracles.
    Run(Vec<CriterionId>),
    /// Queue a run of a trusted oracle on base.
    RunBase(CriterionId),
    /// Stop a run, or take it out of the queue; `None` for all.
    Stop(Option<CriterionId>),
    /// Keep that the person confirmed the name they are recorded under.
    ConfirmWho,
    /// Append a decision; the heads are re-read under the ledger's lock before.
    Decide(Ticket, Box<Decision>),
    /// Append an undo.
    Undo(Ticket, Undo),
    /// Work out what these edits come to on the file as it stands; nothing is written.
    Plan(Ticket, Vec<EditOrder>),
    /// Append a ruling; the heads are re-read before, the edits that it names and that were
    /// planned last are written after.
    Rule(Ticket, Box<Ruling>),
    /// Seal the entry of this decision or ruling, recorded just now.
    Seal(Ticket, EntryId),
    /// Write the hand-off of the ruling.
    HandOff(Ticket),
    /// Keep a draft (`key` names the item and field); within a second on disk.
    Draft {
        /// Which.
        key: String,
        /// Its text.
        text: String,
    },
    /// A draft was recorded or thrown away on purpose.
    DropDraft(String),
    /// Hand the terminal to the person's editor with this text.
    Editor(Ticket, String),
    /// Hand the terminal to the person's editor with their copy of a file, at a line.
    Edit(RepoPath, u32),
    /// Put text on the terminal's clipboard (OSC 52).
    Copy(String),
    /// Redraw everything.
    Repaint,
    /// Stop like any program (Ctrl-Z).
    Suspend,
    /// Send a `Msg::Clock` at this time (monotonic ms).
    Wake(u64),
    /// Leave with this exit code's reason.
    Leave(Leave),
}

/// How a session ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leave {
    /// After a ruling.
    Ruled,
    /// Before one.
    Undecided,
    /// Before one, and something had moved.
    Stale,
    /// Nothing could be read.
    CouldNotMeasure,
    /// The terminal went away or a signal came.
    HungUp,
}
