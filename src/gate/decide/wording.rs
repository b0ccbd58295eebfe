//! The texts of an act: there, not too long, and no hedge where they leave through the gate (H06).

use crate::gate::hedge;
use crate::model::text::is_hidden;

use super::{Act, Answer, Refusal};

/// Most bytes of one text field of an act.
pub const TEXT_LIMIT: usize = 64 * 1024;

/// The texts of an act: what each is, its words, and whether it leaves through the gate (H06).
fn texts(act: &Act) -> Vec<(&'static str, &str, bool)> {
    match act {
        Act::Acknowledge | Act::Ratify { .. } | Act::ScopeAccept => Vec::new(),
        Act::AcceptEdit { why } | Act::RatifyUnseen { why, .. } => vec![("the reason", why, false)],
        Act::KickBack { text, .. }
        | Act::Lift { text }
        | Act::ScopeDecline { text }
        | Act::ScopeTicket { text }
        | Act::ScopeEscalate { text } => vec![("your words", text, true)],
        Act::Abandon { reason, handoff } => vec![
            ("why it is impossible", reason, true),
            ("who takes it over", handoff, true),
        ],
        Act::ChainClosed { at } => vec![("the line", at, false)],
        Act::ChainAccepted { why } => vec![("the reason", why, true)],
        Act::AcceptPartial { reason } => vec![("the reason", reason, true)],
        Act::Answer(answer) => match answer {
            Answer::Addressed { .. } | Answer::Tagged(_) => Vec::new(),
            Answer::NotActionable { why: text }
            | Answer::Ticketed { text }
            | Answer::WaiverHolds { why: text }
            | Answer::WaiverRefused { why: text } => vec![("your words", text, true)],
        },
        // the person's own words to an agent: no verdict, so no hedge is looked for
        Act::Reply(given) => vec![("the reply", &given.text, false)],
        Act::NotApplicable { why } | Act::Override { why } => vec![("the reason", why, true)],
    }
}

pub(super) fn wording(act: &Act) -> Result<(), Refusal> {
    texts(act)
        .into_iter()
        .try_for_each(|(what, text, leaves)| words(what, text, leaves))
}

/// Nothing but blanks and characters that show nothing.
fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || is_hidden(c))
}

pub(super) fn words(what: &str, text: &str, leaves: bool) -> Result<(), Refusal> {
    if is_blank(text) {
        return Err(Refusal::Text(format!(
            "Closed: {what} is missing. Write it first."
        )));
    }
    if text.len() > TEXT_LIMIT {
        return Err(Refusal::Text(format!(
            "Closed: {what} has {} bytes, {TEXT_LIMIT} are the most. Shorten it.",
            text.len()
        )));
    }
    match hedge::find(text).filter(|_| leaves) {
        Some(found) => Err(Refusal::Text(format!(
            "Closed: \"{}\" in your text is a hedge. Reword it, or tag the item.",
            found.words
        ))),
        None => Ok(()),
    }
}
