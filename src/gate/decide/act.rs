//! What a person can do to an item: a closed list, each with the texts it needs.

use crate::model::evidence::Evidence;
use crate::model::id::{Oid, RepoPath};
use crate::model::menu::Kind as ReplyKind;
use crate::model::ruling::Cause;

use crate::gate::menu::given::Given;
use crate::gate::permit::Verb;
use crate::gate::verify::minor::Tag;

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
    /// An answer to something that a review raised.
    Answer(Answer),
    /// The reply to a gate message.
    Reply(Given),
}

/// What a person answers to something that a review raised.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// A thread: this is what deals with it.
    Addressed {
        /// The commit under review that does it.
        commit: Option<Oid>,
        /// The place at head.
        at: Option<(RepoPath, u32)>,
    },
    /// A thread: nothing is to be done about it.
    NotActionable {
        /// Why.
        why: String,
    },
    /// A thread: taken up elsewhere.
    Ticketed {
        /// What and where.
        text: String,
    },
    /// A minor of a panel gets the tag that it lacks.
    Tagged(Tag),
    /// A waiver of simplify holds.
    WaiverHolds {
        /// Why.
        why: String,
    },
    /// It does not.
    WaiverRefused {
        /// Why.
        why: String,
    },
}

impl Answer {
    /// What it does, in the words of its permit.
    #[must_use]
    pub fn does(&self) -> &'static str {
        match self {
            Self::Addressed { .. } => "mark as addressed",
            Self::NotActionable { .. } => "not actionable",
            Self::Ticketed { .. } => "ticket",
            Self::Tagged(_) => "tag",
            Self::WaiverHolds { .. } => "accept the waiver",
            Self::WaiverRefused { .. } => "refuse the waiver",
        }
    }

    /// The word for lists and the log.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Addressed { .. } => "addressed",
            Self::NotActionable { .. } => "not actionable",
            Self::Ticketed { .. } => "ticketed",
            Self::Tagged(Tag::Verifiable) => "tagged verifiable",
            Self::Tagged(Tag::Consider) => "tagged consider",
            Self::Tagged(Tag::Nofollow) => "tagged nofollow",
            Self::WaiverHolds { .. } => "waiver accepted",
            Self::WaiverRefused { .. } => "waiver refused",
        }
    }

    fn verb(&self) -> Verb {
        match self {
            Self::Addressed { .. } | Self::WaiverHolds { .. } => Verb::Affirm,
            Self::NotActionable { .. } => Verb::NotApplicable,
            Self::Ticketed { .. } => Verb::SetAside,
            Self::Tagged(_) => Verb::Tag,
            Self::WaiverRefused { .. } => Verb::SendBack,
        }
    }
}

/// From this strictness on an act only takes away.
const TAKES_AWAY: u8 = 8;

impl Act {
    /// What a ratification rests on; nothing for every other act.
    #[must_use]
    pub fn evidence(&self) -> &[Evidence] {
        match self {
            Self::Ratify { evidence } | Self::RatifyUnseen { evidence, .. } => evidence,
            Self::Acknowledge
            | Self::AcceptEdit { .. }
            | Self::KickBack { .. }
            | Self::Abandon { .. }
            | Self::AcceptPartial { .. }
            | Self::Lift { .. }
            | Self::NotApplicable { .. }
            | Self::Override { .. }
            | Self::ChainClosed { .. }
            | Self::ChainAccepted { .. }
            | Self::ScopeAccept
            | Self::ScopeDecline { .. }
            | Self::ScopeTicket { .. }
            | Self::ScopeEscalate { .. }
            | Self::Answer(_)
            | Self::Reply(_) => &[],
        }
    }

    /// How strict it is: of two that contradict each other the greater counts (LED-17). The order
    /// is that of the rulings they lead to (rulings A1), then of what the agent still owes.
    #[must_use]
    pub fn strictness(&self) -> u8 {
        match self {
            Self::Ratify { .. } | Self::ChainClosed { .. } | Self::ScopeAccept => 0,
            Self::RatifyUnseen { .. } => 1,
            Self::AcceptEdit { .. } | Self::NotApplicable { .. } => 2,
            Self::Acknowledge => 3,
            Self::Override { .. } => 4,
            Self::Abandon { .. } | Self::AcceptPartial { .. } | Self::ChainAccepted { .. } => 5,
            Self::ScopeTicket { .. } => 6,
            Self::Lift { .. } | Self::ScopeDecline { .. } => TAKES_AWAY,
            Self::KickBack { cause, .. } => match cause {
                Cause::Implementation | Cause::Evidence | Cause::Question => 9,
                Cause::Criterion => 10,
            },
            Self::ScopeEscalate { .. } => 10,
            Self::Reply(given) => u8::from(given.kind == ReplyKind::ChangeRequest),
            Self::Answer(answer) => match answer {
                Answer::Addressed { .. } | Answer::WaiverHolds { .. } => 0,
                Answer::NotActionable { .. } | Answer::Tagged(_) => 2,
                Answer::Ticketed { .. } => 6,
                Answer::WaiverRefused { .. } => TAKES_AWAY,
            },
        }
    }

    /// Whether it only takes away, so that it counts even as a mere claim: what nothing vouches
    /// for can make things stricter, never laxer (LED-10, LED-17).
    #[must_use]
    pub fn only_takes_away(&self) -> bool {
        self.strictness() >= TAKES_AWAY
    }

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
            Self::Answer(answer) => answer.verb(),
            Self::Reply(given) => given.verb(),
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
            Self::Answer(answer) => answer.word(),
            Self::Reply(given) => given.word(),
        }
    }
}
