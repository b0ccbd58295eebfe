//! The row under the gates that says what stands above everything else: a record that cannot be
//! trusted, a world that moved, news of another console.

use std::collections::BTreeSet;

use super::facts::Facts;
use super::words;
use crate::app::command::Command;
use crate::app::msg::Others;
use crate::app::row::{Ground, Role, Row};
use crate::app::update::carry;
use crate::gate::carry::Offer;
use crate::gate::dossier::LedgerHealth;
use crate::model::known::Known;

/// The banner: what moved, what is damaged. One line, the way on at its end.
#[must_use]
pub fn banner(facts: &Facts<'_>) -> Option<Row> {
    let dossier = facts.dossier;
    let decided = words::count(dossier.decisions.len(), "decision");
    let (word, text, role) = match (&dossier.ledger, &dossier.moved) {
        (LedgerHealth::Tampered(found), _) => (
            "TAMPERED",
            format!(
                "the ledger was changed, {}: decisions are off. o l shows it",
                words::count(*found as usize, "finding")
            ),
            Role::Bad,
        ),
        (LedgerHealth::Unknown(why), _) => (
            "LEDGER",
            format!("could not be read: {why}. Decisions are off, reading goes on"),
            Role::Bad,
        ),
        (_, Known::Is(moved)) if moved.worktree_gone => (
            "GONE",
            "the worktree is gone. Reading goes on from objects; runs are off. F5 looks again"
                .into(),
            Role::Bad,
        ),
        (_, Known::Is(moved)) if !moved.any() && facts.state.world.others.is_some() => {
            let others = facts.state.world.others.as_ref();
            let says = others.map(Others::says).unwrap_or_default();
            (
                "OTHERS",
                format!("{says}. F5 reads it; nothing is signed before"),
                Role::Moved,
            )
        }
        (_, Known::Is(moved)) if moved.any() => {
            let pins = &dossier.snapshot;
            let what = if let Some(head) = &moved.head {
                format!(
                    "head moved {} → {}",
                    words::short(&pins.head),
                    words::short(head)
                )
            } else if let Some(base) = &moved.base {
                format!(
                    "base moved {} → {}",
                    words::short(&pins.base),
                    words::short(base)
                )
            } else {
                "the contract in the worktree changed".to_owned()
            };
            let old = if dossier.decisions.is_empty() {
                "nothing was decided for the old one".to_owned()
            } else {
                format!("{decided} for the old one")
            };
            (
                "STALE",
                format!("{what}; {old}. F5 reads it again"),
                Role::Moved,
            )
        }
        (LedgerHealth::Ok | LedgerHealth::Degraded(_), _) if elsewhere(facts).is_some() => {
            ("FORGE", elsewhere(facts)?, Role::Moved)
        }
        (LedgerHealth::Degraded(found), _) => (
            "DEGRADED",
            format!(
                "the ledger has {}; the rest is usable. o l shows it",
                words::count(*found as usize, "finding")
            ),
            Role::Warn,
        ),
        (LedgerHealth::Ok, Known::Unknown(why)) => (
            "UNKNOWN",
            format!("whether head or base moved: {why}. F5 looks again"),
            Role::Warn,
        ),
        (LedgerHealth::Ok, Known::Is(_) | Known::NotApplicable(_) | Known::NotSupplied) => {
            let Some((offered, all, first)) = carry::waiting(facts.state) else {
                return differ(facts);
            };
            let key = facts.state.keys.shown(Command::Carry);
            let then = since(facts, first);
            let decisions = words::count(all, "decision");
            let (word, says) = match offered {
                0 => (
                    "STALE",
                    format!("{decisions} for {then}; none can be carried over. {key} says why"),
                ),
                _ => (
                    "CARRY",
                    format!(
                        "{offered} of {decisions} for {then} can be carried over. {key} shows it"
                    ),
                ),
            };
            (word, says, Role::Moved)
        }
    };
    Some(row(word, text, role))
}

fn row(word: &str, text: String, role: Role) -> Row {
    Row::ours(format!(" {word}  "), role)
        .and(text, Role::Strong)
        .on(Ground::Selected)
}

/// People decided differently (LED-17).
fn differ(facts: &Facts<'_>) -> Option<Row> {
    let all = &facts.judgment.disputed;
    let (_, first) = all.first()?;
    let what = match all.len() {
        1 => first.clone(),
        several => format!("{first} and {} more", several - 1),
    };
    let text = format!("people differ on {what}; the stricter counts until it is decided again");
    Some(row("CONFLICT", text, Role::Warn))
}

/// That the request has another head on its forge: nothing is decided here then (FRG-11).
fn elsewhere(facts: &Facts<'_>) -> Option<String> {
    let here = facts.dossier.snapshot.head;
    let there = facts.dossier.request.other_head(here)?;
    Some(format!(
        "the forge's head is {}, this is {}; nothing is decided or signed. Push or fetch, and open \
         the request again",
        words::short(&there),
        words::short(&here)
    ))
}

/// The earlier head, or how many there are.
fn since(facts: &Facts<'_>, first: &Offer) -> String {
    let heads = facts.judgment.offers.iter().map(|offer| offer.then.head);
    match heads.collect::<BTreeSet<_>>().len() {
        0 | 1 => words::short(&first.then.head),
        several => words::count(several, "earlier head"),
    }
}
