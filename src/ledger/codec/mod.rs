//! One entry, one line of JSON: the wire form of the ledger, version 1.
//!
//! The stored line is the canonical form; it is written once and never rendered again. A line
//! holds no clock, e-mail, host or machine path (LED-16), and is at most [`LINE_LIMIT`] bytes:
//! longer texts go to companion texts that the line names by digest. Reading is tolerant and
//! honest: an entry of a newer kind is kept verbatim, and whatever is wrong is said. This module
//! must never open a file, and it is the only caller of `gate::decide::replayed`.

mod bodies;
mod fields;
mod parse;
mod strict;
mod write;

pub use parse::{Fault, Parsed, parse};
pub use write::{Written, write};

use crate::gate::decide::{Decision, Ruling, replayed};
use crate::model::ruling::Assurance;

/// The version this build writes.
pub const VERSION: u64 = 1;

/// Most bytes of a line, its LF included (LED-2).
pub const LINE_LIMIT: usize = 16 * 1024;

/// The key that marks a value which was moved into a companion text.
const MOVED: &str = "$text";

/// Every kind of entry, as written.
mod kind {
    pub(super) const OPENED: &str = "opened";
    pub(super) const RUN: &str = "run";
    pub(super) const DECISION: &str = "decision";
    pub(super) const UNDO: &str = "undo";
    pub(super) const ASSERTION: &str = "assertion";
    pub(super) const RULING: &str = "ruling";
    pub(super) const EDIT: &str = "edit";
    pub(super) const SEAL: &str = "seal";
    pub(super) const CARRY: &str = "carry";
    pub(super) const POSTED: &str = "posted";
    pub(super) const ALL: [&str; 10] = [
        OPENED, RUN, DECISION, UNDO, ASSERTION, RULING, EDIT, SEAL, CARRY, POSTED,
    ];
}

/// The closed sets of words, each compared exactly (LED-6); one table for both directions.
mod word {
    use crate::gate::decide::{Act, Answer};
    use crate::model::oracle::{Isolation, Outcome, RunPlace, Stream};
    use crate::model::ruling::{Assurance, RootCause, Verdict};

    pub(super) const VERDICTS: [Verdict; 6] = [
        Verdict::Approved,
        Verdict::Undecided,
        Verdict::Reroll,
        Verdict::Escalate,
        Verdict::Stale,
        Verdict::CouldNotMeasure,
    ];
    pub(super) const ASSURANCES: [Assurance; 4] = [
        Assurance::Claimed,
        Assurance::Present,
        Assurance::Signed,
        Assurance::Touched,
    ];
    pub(super) const OUTCOMES: [Outcome; 3] = [Outcome::Met, Outcome::NotMet, Outcome::Error];
    pub(super) const STREAMS: [Stream; 2] = [Stream::Stdout, Stream::Stderr];
    pub(super) const ISOLATIONS: [Isolation; 4] = [
        Isolation::None,
        Isolation::Session,
        Isolation::Files,
        Isolation::Network,
    ];
    pub(super) const PLACES: [RunPlace; 2] = [RunPlace::Checkout, RunPlace::Live];

    pub(super) fn verdict(verdict: Verdict) -> &'static str {
        verdict.word()
    }
    pub(super) fn assurance(assurance: Assurance) -> &'static str {
        assurance.label()
    }
    pub(super) fn root_cause(cause: RootCause) -> &'static str {
        cause.word()
    }
    pub(super) fn outcome(outcome: Outcome) -> &'static str {
        match outcome {
            Outcome::Met => "met",
            Outcome::NotMet => "not-met",
            Outcome::Error => "error",
        }
    }
    pub(super) fn stream(stream: Stream) -> &'static str {
        match stream {
            Stream::Stdout => "stdout",
            Stream::Stderr => "stderr",
        }
    }
    pub(super) fn isolation(isolation: Isolation) -> &'static str {
        match isolation {
            Isolation::None => "none",
            Isolation::Session => "session",
            Isolation::Files => "files",
            Isolation::Network => "network",
        }
    }
    pub(super) fn place(place: RunPlace) -> &'static str {
        match place {
            RunPlace::Checkout => "checkout",
            RunPlace::Live => "live",
        }
    }
    /// The name of an act on the wire; its words for people are `Act::word`.
    pub(super) fn act(act: &Act) -> &'static str {
        match act {
            Act::Acknowledge => "acknowledge",
            Act::AcceptEdit { .. } => "accept-edit",
            Act::Ratify { .. } => "ratify",
            Act::RatifyUnseen { .. } => "ratify-unseen",
            Act::KickBack { .. } => "kick-back",
            Act::Abandon { .. } => "abandon",
            Act::AcceptPartial { .. } => "accept-partial",
            Act::Lift { .. } => "lift",
            Act::NotApplicable { .. } => "not-applicable",
            Act::Override { .. } => "override",
            Act::ChainClosed { .. } => "chain-closed",
            Act::ChainAccepted { .. } => "chain-accepted",
            Act::ScopeAccept => "scope-accept",
            Act::ScopeDecline { .. } => "scope-decline",
            Act::ScopeTicket { .. } => "scope-ticket",
            Act::ScopeEscalate { .. } => "scope-escalate",
            Act::Answer(answer) => match answer {
                Answer::Addressed { .. } => "addressed",
                Answer::NotActionable { .. } => "not-actionable",
                Answer::Ticketed { .. } => "ticketed",
                Answer::Tagged(_) => "tagged",
                Answer::WaiverHolds { .. } => "waiver-holds",
                Answer::WaiverRefused { .. } => "waiver-refused",
            },
            Act::Reply(_) => "reply",
        }
    }
}

/// The same decision, its name worth this much: L0 where nothing vouches for it (LED-10), L2 or
/// L3 where a seal does.
#[must_use]
pub fn decision_worth(decision: &Decision, worth: Assurance) -> Decision {
    let same = replayed::decision(
        decision.subject().clone(),
        decision.act().clone(),
        decision.snapshot().clone(),
        decision.by().to_owned(),
        worth,
        decision.seen().cloned(),
        decision.oracle(),
    );
    match decision.carried() {
        Some(origin) => replayed::carried(same, origin),
        None => same,
    }
}

/// The same ruling, its name worth this much.
#[must_use]
pub fn ruling_worth(ruling: &Ruling, worth: Assurance) -> Ruling {
    replayed::ruling(replayed::RulingFields {
        verdict: ruling.verdict(),
        snapshot: ruling.snapshot().clone(),
        by: ruling.by().to_owned(),
        assurance: worth,
        round: ruling.round(),
        root_cause: ruling.root_cause(),
        attack: ruling.attack().to_owned(),
        trace: ruling.trace().to_vec(),
        decisions: ruling.decisions().to_vec(),
        edits: ruling.edits().to_vec(),
        partial: ruling.partial(),
        floor_bounce: ruling.floor_bounce(),
    })
}
