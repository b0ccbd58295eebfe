//! What a person can do to an item: a closed list, each with the texts it needs.

use crate::model::evidence::Evidence;
use crate::model::ruling::Cause;

use crate::gate::permit::Verb;

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
    /// A chain: it is closed, and this line shows it.
    ChainClosed {
        /// `FILE:LINE` of one of its two skills.
        at: String,
    },
    /// A chain: it stays open, as the text declares or because it weighs little.
    ChainAccepted {
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
            | Self::ChainClosed { .. }
            | Self::ScopeAccept => Verb::Affirm,
            Self::KickBack { .. } | Self::Lift { .. } | Self::ScopeDecline { .. } => Verb::SendBack,
            Self::AcceptEdit { .. }
            | Self::Abandon { .. }
            | Self::ChainAccepted { .. }
            | Self::ScopeTicket { .. } => Verb::SetAside,
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
            Self::ChainClosed { .. } => "marked closed",
            Self::ChainAccepted { .. } => "accepted open",
            Self::ScopeAccept => "accepted [gated]",
            Self::ScopeDecline { .. } => "declined",
            Self::ScopeTicket { .. } => "ticketed",
            Self::ScopeEscalate { .. } => "escalated",
        }
    }
}
