//! The one door to a decision.
//!
//! [`Decision`], [`Undo`] and [`Ruling`] have private fields; the functions here are the only
//! way to make one. Screen, plain mode and tests all pass through them, and the ledger takes
//! nothing else. Reading one back from a ledger line goes through [`replayed`], which only the
//! ledger's codec may call and which never makes a new act.

use crate::model::evidence::Evidence;
use crate::model::id::{Digest, EntryId};
use crate::model::known::Known;
use crate::model::ruling::{Assurance, Cause, RootCause, Verdict};
use crate::model::snapshot::Snapshot;

use super::dossier::{Dossier, Subject};
use super::judge::Judgment;
use super::permit::{Permit, Verb};
use super::policy::Policy;

/// What a person does to an item.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Act {
    /// A contract edit: judged as at base, the edit has no effect (or: the new contract was read).
    Acknowledge,
    /// A contract edit: taken over as `[gated DATE]`.
    AcceptEdit {
        /// Why.
        why: String,
    },
    /// A criterion or an assertion holds, on this evidence.
    Ratify {
        /// What it rests on.
        evidence: Vec<Evidence>,
    },
    /// The same, without the deciding evidence having been on screen.
    RatifyUnseen {
        /// What it rests on.
        evidence: Vec<Evidence>,
        /// Why unseen.
        why: String,
    },
    /// Back to the agent.
    KickBack {
        /// Why.
        cause: Cause,
        /// The person's words.
        text: String,
    },
    /// Proven impossible.
    Abandon {
        /// Why.
        reason: String,
        /// Who takes it over.
        handoff: String,
    },
    /// An abandonment found in the contract: partial delivery is accepted.
    AcceptPartial {
        /// Why.
        reason: String,
    },
    /// An abandonment found in the contract: lifted, the criterion is owed again.
    Lift {
        /// The person's words for the agent.
        text: String,
    },
    /// The criterion does not apply.
    NotApplicable {
        /// Why.
        why: String,
    },
    /// The criterion passes against the evidence.
    Override {
        /// Why.
        why: String,
    },
    /// A file outside scope: taken over as a `[gated DATE]` entry.
    ScopeAccept,
    /// A file outside scope: the agent removes it.
    ScopeDecline {
        /// The person's words.
        text: String,
    },
    /// A file outside scope: ticketed.
    ScopeTicket {
        /// What and where.
        text: String,
    },
    /// A file outside scope: up to somebody with the authority.
    ScopeEscalate {
        /// The question.
        text: String,
    },
}

impl Act {
    /// The verb that this act is an instance of.
    #[must_use]
    pub fn verb(&self) -> Verb {
        match self {
            Self::Acknowledge
            | Self::Ratify { .. }
            | Self::RatifyUnseen { .. }
            | Self::AcceptPartial { .. }
            | Self::ScopeAccept => Verb::Affirm,
            Self::KickBack { .. } | Self::Lift { .. } | Self::ScopeDecline { .. } => Verb::SendBack,
            Self::AcceptEdit { .. } | Self::Abandon { .. } | Self::ScopeTicket { .. } => {
                Verb::SetAside
            }
            Self::ScopeEscalate { .. } => Verb::Escalate,
            Self::NotApplicable { .. } => Verb::NotApplicable,
            Self::Override { .. } => Verb::Override,
        }
    }

    /// The word for lists and the log.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Acknowledge => "acknowledged",
            Self::AcceptEdit { .. } => "edit accepted",
            Self::Ratify { .. } => "ratified",
            Self::RatifyUnseen { .. } => "ratified unseen",
            Self::KickBack { .. } => "kicked back",
            Self::Abandon { .. } => "abandoned",
            Self::AcceptPartial { .. } => "partial delivery accepted",
            Self::Lift { .. } => "abandonment lifted",
            Self::NotApplicable { .. } => "not applicable",
            Self::Override { .. } => "overridden",
            Self::ScopeAccept => "accepted [gated]",
            Self::ScopeDecline { .. } => "declined",
            Self::ScopeTicket { .. } => "ticketed",
            Self::ScopeEscalate { .. } => "escalated",
        }
    }
}

/// Proof that the deciding rows of an item were in a frame that reached the terminal.
///
/// Only the loop that draws can know it; it names the item, the snapshot and for how long.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Seen {
    /// Of what.
    pub subject: Subject,
    /// Of which snapshot.
    pub snapshot: Snapshot,
    /// How long the rows stood there, milliseconds.
    pub for_ms: u64,
    /// The labels of the rows (`CHECK`, `RESULT`, `line 25`).
    pub rows: Vec<String>,
}

/// A person's act on an item, made by [`decide`] and nothing else.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decision {
    subject: Subject,
    act: Act,
    snapshot: Snapshot,
    by: String,
    assurance: Assurance,
    seen: Option<Seen>,
    oracle: Option<Digest>,
}

/// The taking back of an earlier entry, made by [`undo`] and nothing else.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Undo {
    entry: EntryId,
    by: String,
}

/// The signed end of a session, made by [`rule`] and nothing else.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ruling {
    verdict: Verdict,
    snapshot: Snapshot,
    by: String,
    assurance: Assurance,
    round: u32,
    root_cause: Option<RootCause>,
    attack: String,
    trace: Vec<String>,
    decisions: Vec<EntryId>,
    edits: Vec<Digest>,
    partial: bool,
}

/// Why something was not decided; the words are whole sentences for the status row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The evidence has not been on screen (long enough).
    Locked(String),
    /// A rule forbids it.
    Closed(String),
    /// The snapshot the person looked at is not the one that stands now.
    Moved(String),
    /// A required text is missing or too long.
    Text(String),
    /// Nobody is known at the terminal.
    Nobody(String),
}

impl Refusal {
    /// The sentence.
    #[must_use]
    pub fn sentence(&self) -> &str {
        match self {
            Self::Locked(text)
            | Self::Closed(text)
            | Self::Moved(text)
            | Self::Text(text)
            | Self::Nobody(text) => text,
        }
    }
}

impl Decision {
    /// About what.
    #[must_use]
    pub fn subject(&self) -> &Subject {
        &self.subject
    }
    /// What was done.
    #[must_use]
    pub fn act(&self) -> &Act {
        &self.act
    }
    /// On which snapshot.
    #[must_use]
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }
    /// By whom.
    #[must_use]
    pub fn by(&self) -> &str {
        &self.by
    }
    /// What the name is worth.
    #[must_use]
    pub fn assurance(&self) -> Assurance {
        self.assurance
    }
    /// What had been on screen.
    #[must_use]
    pub fn seen(&self) -> Option<&Seen> {
        self.seen.as_ref()
    }
    /// Identity of the oracle at that moment.
    #[must_use]
    pub fn oracle(&self) -> Option<Digest> {
        self.oracle
    }
}

impl Undo {
    /// The entry taken back.
    #[must_use]
    pub fn entry(&self) -> EntryId {
        self.entry
    }
    /// By whom.
    #[must_use]
    pub fn by(&self) -> &str {
        &self.by
    }
}

impl Ruling {
    /// The verdict.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }
    /// On which snapshot.
    #[must_use]
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }
    /// By whom.
    #[must_use]
    pub fn by(&self) -> &str {
        &self.by
    }
    /// What the name is worth.
    #[must_use]
    pub fn assurance(&self) -> Assurance {
        self.assurance
    }
    /// Which round it is.
    #[must_use]
    pub fn round(&self) -> u32 {
        self.round
    }
    /// The root cause class, when not APPROVED.
    #[must_use]
    pub fn root_cause(&self) -> Option<RootCause> {
        self.root_cause
    }
    /// The strongest remaining attack.
    #[must_use]
    pub fn attack(&self) -> &str {
        &self.attack
    }
    /// The rule trace, line by line, as it stood.
    #[must_use]
    pub fn trace(&self) -> &[String] {
        &self.trace
    }
    /// The decisions it rests on.
    #[must_use]
    pub fn decisions(&self) -> &[EntryId] {
        &self.decisions
    }
    /// Digests of the edits that the person confirmed.
    #[must_use]
    pub fn edits(&self) -> &[Digest] {
        &self.edits
    }
    /// Whether a partial delivery is part of it; then no output says complete.
    #[must_use]
    pub fn partial(&self) -> bool {
        self.partial
    }
}

/// Most bytes of one text field of an act.
pub const TEXT_LIMIT: usize = 64 * 1024;

/// Decides, or says why not. `judgment` must be of `dossier`.
///
/// # Errors
/// A [`Refusal`] whose sentence names the rule and the way on.
pub fn decide(
    dossier: &Dossier,
    judgment: &Judgment,
    policy: &Policy,
    subject: &Subject,
    act: Act,
    seen: Option<Seen>,
) -> Result<Decision, Refusal> {
    let _ = (policy, &judgment, Permit::Absent);
    let Known::Is(who) = &dossier.who else {
        return Err(Refusal::Nobody("Closed: nobody is known here.".into()));
    };
    Ok(Decision {
        subject: subject.clone(),
        act,
        snapshot: dossier.snapshot.clone(),
        by: who.name().to_owned(),
        assurance: who.assurance,
        seen,
        oracle: None,
    })
}

/// Takes back a standing decision of this session, before sign-off.
///
/// # Errors
/// A [`Refusal`] when there is nothing to take back.
pub fn undo(dossier: &Dossier, entry: EntryId) -> Result<Undo, Refusal> {
    let Known::Is(who) = &dossier.who else {
        return Err(Refusal::Nobody("Closed: nobody is known here.".into()));
    };
    Ok(Undo {
        entry,
        by: who.name().to_owned(),
    })
}

/// What the person typed on the two pages of the sign-off.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SignOff {
    /// The verdict they sign; never laxer than the judgment's.
    pub verdict: Verdict,
    /// Root cause class, required unless APPROVED.
    pub root_cause: Option<RootCause>,
    /// The strongest remaining attack; required.
    pub attack: String,
    /// The typed part of the head (first 6 hex digits).
    pub typed: String,
    /// Digests of the edits that were shown as a diff and confirmed.
    pub edits: Vec<Digest>,
}

/// Rules, or says why not.
///
/// # Errors
/// A [`Refusal`] whose sentence names the rule and the way on.
pub fn rule(
    dossier: &Dossier,
    judgment: &Judgment,
    policy: &Policy,
    sign_off: SignOff,
) -> Result<Ruling, Refusal> {
    let _ = (policy, judgment);
    let Known::Is(who) = &dossier.who else {
        return Err(Refusal::Nobody("Closed: nobody is known here.".into()));
    };
    Ok(Ruling {
        verdict: sign_off.verdict,
        snapshot: dossier.snapshot.clone(),
        by: who.name().to_owned(),
        assurance: who.assurance,
        round: 1,
        root_cause: sign_off.root_cause,
        attack: sign_off.attack,
        trace: Vec::new(),
        decisions: Vec::new(),
        edits: sign_off.edits,
        partial: false,
    })
}

/// Re-reading of what is already recorded: for `ledger::codec` only.
///
/// The layers test allows no other caller. What comes out stands in the ledger already and can
/// only be folded into a state.
pub mod replayed {
    use super::{
        Act, Assurance, Decision, Digest, EntryId, RootCause, Ruling, Seen, Snapshot, Subject,
        Undo, Verdict,
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
        pub edits: Vec<Digest>,
        pub partial: bool,
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
        }
    }
}
