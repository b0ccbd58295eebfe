//! The two pages of the sign-off and the ruling they end in (LED-13). Never laxer than the
//! judgment; the attack is the person's own words.

use crate::model::known::Known;
use crate::model::ruling::{Cause, FileEdit, RootCause, Verdict};
use crate::model::standing::Standing;

use crate::gate::dossier::Dossier;
use crate::gate::items::count;
use crate::gate::judge::{Judgment, TraceRow};
use crate::gate::policy::Policy;
use crate::gate::standing_facts::{Facts, Proven};

use super::wording::words;
use super::{Act, Refusal, Ruling, person, sentence, still};

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
    /// The files with the edits that were shown as a diff and confirmed.
    pub edits: Vec<FileEdit>,
}

/// How many digits of the head are typed.
pub const TYPED: usize = 6;

/// What still keeps a sign-off from being signed, page by page: the first page asks for class
/// and attack, the second for the typed digits. `None` when nothing does.
#[must_use]
pub fn unsigned(dossier: &Dossier, judgment: &Judgment, sign_off: &SignOff) -> Option<Refusal> {
    first_page(dossier, judgment, sign_off)
        .and_then(|()| typed(dossier, &sign_off.typed))
        .err()
}

/// The first page: may it be signed, and are both texts there?
///
/// # Errors
/// A [`Refusal`] whose sentence names what is missing.
pub fn first_page(
    dossier: &Dossier,
    judgment: &Judgment,
    sign_off: &SignOff,
) -> Result<(), Refusal> {
    still(dossier)?;
    let row = judgment
        .signing
        .iter()
        .find(|row| row.verdict == sign_off.verdict);
    match row.map(|row| &row.closed) {
        Some(None) => {}
        Some(Some(closure)) => return Err(Refusal::Closed(sentence(closure))),
        None => {
            return Err(Refusal::Closed(format!(
                "Closed: {} is never signed. v shows what can be.",
                sign_off.verdict.word()
            )));
        }
    }
    match (sign_off.verdict, sign_off.root_cause) {
        (Verdict::Approved, Some(_)) => Err(Refusal::Text(
            "Closed: APPROVED carries no root cause. Take it away.".into(),
        )),
        (Verdict::Approved, None) => Ok(()),
        (_, Some(_)) => Ok(()),
        (_, None) => Err(Refusal::Text(format!(
            "Closed: {} asks for a root cause. Pick one.",
            sign_off.verdict.word()
        ))),
    }?;
    words("the strongest remaining attack", &sign_off.attack, true)
}

/// The second page: the first [`TYPED`] digits of the head.
fn typed(dossier: &Dossier, typed: &str) -> Result<(), Refusal> {
    let wanted = dossier.snapshot.head.abbreviated(TYPED);
    if typed.eq_ignore_ascii_case(&wanted) {
        return Ok(());
    }
    let missing = TYPED.saturating_sub(typed.chars().count());
    let begins = wanted
        .get(..typed.len())
        .is_some_and(|part| part.eq_ignore_ascii_case(typed));
    Err(Refusal::Text(if begins && missing > 0 {
        format!("Closed: {} missing.", count(missing, "character"))
    } else {
        format!("Closed: these are not the first {TYPED} characters of the head.")
    }))
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
    let who = person(dossier)?;
    first_page(dossier, judgment, &sign_off)?;
    typed(dossier, &sign_off.typed)?;
    let asked = policy.asks(sign_off.verdict);
    if dossier.self_ratified.known() == Some(&true) && !policy.allow_self {
        return Err(Refusal::Closed(
            "Closed: your policy does not let an author of the change rule on it.".into(),
        ));
    }
    if who.reach() < asked {
        return Err(Refusal::Closed(format!(
            "Closed: your policy asks for {}, this name is {}.",
            asked.label(),
            who.reach().label()
        )));
    }
    let Known::Is(round) = dossier.round else {
        return Err(Refusal::Closed("Closed: the round is not known.".into()));
    };
    Ok(Ruling {
        floor_bounce: sign_off.verdict == Verdict::Reroll && judgment.verified.floor_bounce,
        partial: judgment.verified.partial,
        trace: judgment.trace.iter().map(TraceRow::line).collect(),
        decisions: dossier
            .decisions
            .iter()
            .filter(|d| dossier.holds(&d.value.snapshot))
            .map(|d| d.entry)
            .collect(),
        verdict: sign_off.verdict,
        snapshot: dossier.snapshot.clone(),
        by: who.name().to_owned(),
        assurance: who.assurance,
        round,
        root_cause: sign_off.root_cause,
        attack: sign_off.attack,
        edits: sign_off.edits,
    })
}

/// The root cause class that the facts suggest (H08); the person's pick is what counts.
#[must_use]
pub fn suggested_cause(
    dossier: &Dossier,
    judgment: &Judgment,
    policy: &Policy,
) -> Option<RootCause> {
    let mut agent = false;
    for recorded in &dossier.decisions {
        let counts = dossier.holds(&recorded.value.snapshot);
        match &recorded.value.act {
            Act::KickBack { cause, .. } if counts => match cause {
                Cause::Criterion => return Some(RootCause::ExtractorError),
                Cause::Implementation | Cause::Evidence => agent = true,
                Cause::Question => {}
            },
            Act::ScopeDecline { .. } | Act::Lift { .. } if counts => agent = true,
            _ => {}
        }
    }
    let facts = Facts::new(dossier, policy);
    let red = facts.red();
    if !red.is_empty() && red.iter().all(Proven::red_on_base) {
        return Some(RootCause::OriginalError);
    }
    let unread = judgment
        .items
        .iter()
        .any(|item| item.standing == Standing::Error);
    match (agent || !red.is_empty(), unread) {
        (true, _) => Some(RootCause::AgentError),
        (false, true) => Some(RootCause::MissingData),
        (false, false) => None,
    }
}
