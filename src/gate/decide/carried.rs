//! A decision of an earlier head, taken over to this one: a new act of a person, never a copy that
//! makes itself.

use crate::gate::dossier::Dossier;
use crate::gate::judge::Judgment;
use crate::model::id::EntryId;

use super::{Act, Decision, Origin, Refusal, evidence, person, still};

/// Carries one decision over, or says why not. `judgment` must be of `dossier`; what is offered is
/// asked of it again, so that nothing is carried that is not offered any more.
///
/// # Errors
/// A [`Refusal`] whose sentence says what stands in the way.
pub fn carry(dossier: &Dossier, judgment: &Judgment, entry: EntryId) -> Result<Decision, Refusal> {
    let who = person(dossier)?;
    still(dossier)?;
    let nothing = || {
        Refusal::Closed("Closed: there is no earlier decision of that entry to carry over.".into())
    };
    let mut offers = judgment.offers.iter();
    let offer = offers
        .find(|offer| offer.entry == entry)
        .ok_or_else(nothing)?;
    let mut decisions = dossier.decisions.iter();
    let from = decisions.find(|d| d.entry == entry).ok_or_else(nothing)?;
    if !offer.carries.is_offered() {
        return Err(Refusal::Closed(format!(
            "Closed: entry {} stays stale: {}.",
            offer.number, offer.why
        )));
    }
    let act = match &from.value.act {
        Act::Ratify { .. } => Act::Ratify {
            evidence: offer.evidence.clone(),
        },
        other => other.clone(),
    };
    Ok(Decision {
        subject: from.value.subject.clone(),
        act,
        snapshot: dossier.snapshot.clone(),
        by: who.name().to_owned(),
        assurance: who.assurance,
        seen: None,
        oracle: evidence::oracle_of(dossier, &from.value.subject),
        carried: Some(Box::new(Origin {
            entry,
            head: from.value.snapshot.head,
        })),
    })
}
