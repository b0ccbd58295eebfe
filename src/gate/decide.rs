//! The one door to a decision.
//!
//! [`Decision`], [`Undo`] and [`Ruling`] have private fields; the functions here are the only
//! way to make one. Screen, plain mode and tests all pass through them, and the ledger takes
//! nothing else. Reading one back from a ledger line goes through [`replayed`], which only the
//! ledger's codec may call and which never makes a new act.

mod act;
mod carried;
mod evidence;
pub mod replayed;
mod signing;
mod wording;

use crate::model::id::{Digest, EntryId, Oid};
use crate::model::known::Known;
use crate::model::ruling::{Assurance, FileEdit, Principal, RootCause, Verdict};
use crate::model::snapshot::Snapshot;
use crate::model::text::{Foreign, Place};

use super::dossier::{Dossier, Subject};
use super::items;
use super::judge::{Item, Judgment};
use super::menu::given::given;
use super::permit::{Closure, Permit};
use super::policy::Policy;

pub use act::{Act, Answer};
pub use carried::carry;
pub use signing::{SignOff, TYPED, first_page, rule, suggested_cause, unsigned};
pub use wording::TEXT_LIMIT;

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
    carried: Option<Box<Origin>>,
}

/// Where a decision was carried over from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Origin {
    /// The decision of the earlier head.
    pub entry: EntryId,
    /// That head.
    pub head: Oid,
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
    edits: Vec<FileEdit>,
    partial: bool,
    floor_bounce: bool,
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
    /// What was done, in a word for lists: a ratify that was carried over is no ratify.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match (&self.act, self.carried()) {
            (Act::Ratify { .. }, Some(_)) => "carried",
            (act, _) => act.word(),
        }
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
    /// Where it was carried over from; `None` for what was decided on its own snapshot.
    #[must_use]
    pub fn carried(&self) -> Option<Origin> {
        self.carried.as_deref().copied()
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
    /// The files with the edits that the person saw and confirmed (rulings K05).
    #[must_use]
    pub fn edits(&self) -> &[FileEdit] {
        &self.edits
    }
    /// Whether a partial delivery is part of it; then no output says complete.
    #[must_use]
    pub fn partial(&self) -> bool {
        self.partial
    }
    /// Whether only the floor was red, so that no verify round is used (H30).
    #[must_use]
    pub fn floor_bounce(&self) -> bool {
        self.floor_bounce
    }
}

/// Decides, or says why not. `judgment` must be of `dossier`.
///
/// `seen` is asked for by every permit that is [`Permit::Locked`]; an act that is recorded as
/// unseen goes without.
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
    let who = person(dossier)?;
    still(dossier)?;
    let item = judgment.item(subject).ok_or_else(|| {
        Refusal::Moved(
            "Closed: this row is not part of the change any more. F5 reads it again.".into(),
        )
    })?;
    let locked = allowed(item, &act)?;
    fitting(item, &act)?;
    wording::wording(&act)?;
    names_a_line(dossier, subject, &act)?;
    means_what_it_says(dossier, subject, &act)?;
    evidence::answers(dossier, &act)?;
    let seen = seen_enough(dossier, policy, item, &act, locked, seen)?;
    let oracle = evidence::oracle_of(dossier, subject);
    let act = evidence::with_evidence(dossier, policy, subject, act)?;
    Ok(Decision {
        subject: subject.clone(),
        act,
        snapshot: dossier.snapshot.clone(),
        by: who.name().to_owned(),
        assurance: who.assurance,
        seen,
        oracle,
        carried: None,
    })
}

/// A chain is closed by a line that is there (product.md).
fn names_a_line(dossier: &Dossier, subject: &Subject, act: &Act) -> Result<(), Refusal> {
    let (Subject::Chain(id), Act::ChainClosed { at }) = (subject, act) else {
        return Ok(());
    };
    let known = dossier.chains.known();
    if known.is_some_and(|facts| facts.is_line(id, at)) {
        return Ok(());
    }
    Err(Refusal::Text(
        "Closed: the line must be FILE:LINE of one of the two skills, as it stands at the head."
            .into(),
    ))
}

/// A reply is exactly what its words mean at its own message: what was made for another message
/// goes to none.
fn means_what_it_says(dossier: &Dossier, subject: &Subject, act: &Act) -> Result<(), Refusal> {
    let (Subject::Message(id), Act::Reply(reply)) = (subject, act) else {
        return Ok(());
    };
    let Some(waiting) = dossier.message(id) else {
        return Err(Refusal::Moved(
            "Closed: this message is not here any more. F5 reads it again.".into(),
        ));
    };
    match given(&waiting.message, &reply.text) {
        Ok(here) if here == *reply => Ok(()),
        Ok(_) => Err(Refusal::Moved(
            "Closed: the reply was made for another message. Nothing was sent.".into(),
        )),
        Err(why) => Err(Refusal::Text(format!("Not sent: {why}."))),
    }
}

/// Who sits here.
fn person(dossier: &Dossier) -> Result<&Principal, Refusal> {
    match &dossier.who {
        Known::Is(who) => Ok(who),
        Known::Unknown(why) | Known::NotApplicable(why) => Err(Refusal::Nobody(format!(
            "Closed: nobody is known at this terminal: {why}."
        ))),
        Known::NotSupplied => Err(Refusal::Nobody(
            "Closed: nobody is known at this terminal.".into(),
        )),
    }
}

/// The world is still the one that was looked at, and its records can be trusted.
fn still(dossier: &Dossier) -> Result<(), Refusal> {
    if let Some(closure) = items::moved(dossier) {
        return Err(Refusal::Moved(sentence(&closure)));
    }
    match items::closed_for_all(dossier) {
        Some(closure) => Err(Refusal::Closed(sentence(&closure))),
        None => Ok(()),
    }
}

fn sentence(closure: &Closure) -> String {
    if closure.way.is_empty() {
        format!("Closed: {}.", closure.why)
    } else {
        format!("Closed: {}. {}", closure.why, closure.way)
    }
}

/// Whether the act's verb is permitted, and whether it asks for proof of having been seen.
fn allowed(item: &Item, act: &Act) -> Result<bool, Refusal> {
    match item.permits.of(act.verb()) {
        Permit::Open(_) => Ok(false),
        Permit::Locked(_) => Ok(true),
        closed @ Permit::Closed { .. } => {
            Err(Refusal::Closed(closed.refusal().unwrap_or_default()))
        }
        Permit::Absent => Err(unfit(item, act)),
    }
}

fn unfit(item: &Item, act: &Act) -> Refusal {
    Refusal::Closed(format!(
        "Closed: \"{}\" makes no sense for {}. Space lists what does.",
        act.word(),
        items::name_of(&item.subject)
    ))
}

/// Whether this act is the one that its verb means for this item.
fn fitting(item: &Item, act: &Act) -> Result<(), Refusal> {
    let does = item.permits.of(act.verb()).does().unwrap_or_default();
    let fits = match act {
        Act::Acknowledge => matches!(does, "judge as at base" | "acknowledge"),
        Act::Answer(answer) => does == answer.does(),
        Act::AcceptEdit { .. } => matches!(item.subject, Subject::ContractEdit(_)),
        Act::Ratify { .. } | Act::RatifyUnseen { .. } => does == "ratify",
        Act::KickBack { .. } => does == "kick back",
        Act::Abandon { .. } => does == "abandon",
        Act::AcceptPartial { .. } => does == "accept partial delivery",
        Act::Lift { .. } => does == "lift the abandonment",
        Act::NotApplicable { .. } | Act::Override { .. } => {
            matches!(item.subject, Subject::Criterion(_))
        }
        Act::ChainClosed { .. } | Act::ChainAccepted { .. } => {
            matches!(item.subject, Subject::Chain(_))
        }
        Act::ScopeAccept
        | Act::ScopeDecline { .. }
        | Act::ScopeTicket { .. }
        | Act::ScopeEscalate { .. } => matches!(item.subject, Subject::ScopeFile(_)),
        Act::Reply(_) => matches!(item.subject, Subject::Message(_)),
    };
    if fits { Ok(()) } else { Err(unfit(item, act)) }
}

/// The proof of having been seen, checked against the policy and the snapshot.
fn seen_enough(
    dossier: &Dossier,
    policy: &Policy,
    item: &Item,
    act: &Act,
    locked: bool,
    seen: Option<Seen>,
) -> Result<Option<Seen>, Refusal> {
    let fits = |seen: &Seen| seen.subject == item.subject && seen.snapshot == dossier.snapshot;
    let unseen = matches!(act, Act::RatifyUnseen { .. });
    if unseen || !locked {
        return Ok(seen.filter(|seen| fits(seen) && !unseen));
    }
    let Some(seen) = seen.filter(|seen| !seen.rows.is_empty()) else {
        return Err(Refusal::Locked(
            "Locked: the deciding rows were not on screen yet. Enter shows them.".into(),
        ));
    };
    if !fits(&seen) {
        return Err(Refusal::Moved(
            "Locked: what was on screen is of another item or another head. Enter shows it again."
                .into(),
        ));
    }
    if seen.for_ms < policy.seen_ms {
        return Err(Refusal::Locked(format!(
            "Too fast: the evidence was on screen for {}.{} s. Press r again.",
            seen.for_ms / 1000,
            seen.for_ms % 1000 / 100
        )));
    }
    Ok(Some(seen))
}

/// Takes back a standing decision, before sign-off. The undo is an entry itself; both stay.
///
/// # Errors
/// A [`Refusal`] when there is nothing to take back.
pub fn undo(dossier: &Dossier, entry: EntryId) -> Result<Undo, Refusal> {
    let who = person(dossier)?;
    if let Some(closure) = items::untrusted(dossier) {
        return Err(Refusal::Closed(sentence(&closure)));
    }
    let Some(recorded) = dossier.decisions.iter().find(|d| d.entry == entry) else {
        return Err(Refusal::Closed(
            "Closed: there is no standing decision to take back.".into(),
        ));
    };
    let signed = dossier
        .rulings
        .iter()
        .find(|ruling| ruling.value.decisions.contains(&entry));
    if let Some(ruling) = signed {
        return Err(Refusal::Closed(format!(
            "Closed: {} is signed, as part of entry {}. A correction is a new ruling.",
            recorded.number, ruling.number
        )));
    }
    if recorded.value.by != who.name() {
        return Err(Refusal::Closed(format!(
            "Closed: {} is by {}, and only they take it back. A decision of yours stands beside it.",
            recorded.number,
            Foreign::from(recorded.value.by.as_str()).shown(Place::Strict)
        )));
    }
    Ok(Undo {
        entry,
        by: who.name().to_owned(),
    })
}
