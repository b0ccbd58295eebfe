//! Re-reading of what is already recorded: for `ledger::codec` only.
//!
//! The layers test allows no other caller. What comes out stands in the ledger already and can
//! only be folded into a state.

use super::{
    Act, Assurance, Decision, Digest, EntryId, FileEdit, Origin, RootCause, Ruling, Seen, Snapshot,
    Subject, Undo, Verdict,
};

/// A decision as its line says.
#[must_use]
pub fn decision(
    subject: Subject,
    act: Act,
    snapshot: Snapshot,
    by: String,
    assurance: Assurance,
    seen: Option<Seen>,
    oracle: Option<Digest>,
) -> Decision {
    Decision {
        subject,
        act,
        snapshot,
        by,
        assurance,
        seen,
        oracle,
        carried: None,
    }
}

/// A carry-over as its line says: a decision, and where it comes from.
#[must_use]
pub fn carried(decision: Decision, origin: Origin) -> Decision {
    Decision {
        carried: Some(Box::new(origin)),
        ..decision
    }
}

/// An undo as its line says.
#[must_use]
pub fn undo(entry: EntryId, by: String) -> Undo {
    Undo { entry, by }
}

/// The fields of a recorded ruling.
#[derive(Clone, Debug)]
#[expect(
    missing_docs,
    reason = "the fields are those of Ruling, documented at its readers"
)]
pub struct RulingFields {
    pub verdict: Verdict,
    pub snapshot: Snapshot,
    pub by: String,
    pub assurance: Assurance,
    pub round: u32,
    pub root_cause: Option<RootCause>,
    pub attack: String,
    pub trace: Vec<String>,
    pub decisions: Vec<EntryId>,
    pub edits: Vec<FileEdit>,
    pub partial: bool,
    pub floor_bounce: bool,
}

/// A ruling as its line says.
#[must_use]
pub fn ruling(fields: RulingFields) -> Ruling {
    Ruling {
        verdict: fields.verdict,
        snapshot: fields.snapshot,
        by: fields.by,
        assurance: fields.assurance,
        round: fields.round,
        root_cause: fields.root_cause,
        attack: fields.attack,
        trace: fields.trace,
        decisions: fields.decisions,
        edits: fields.edits,
        partial: fields.partial,
        floor_bounce: fields.floor_bounce,
    }
}
