//! A reply as it is recorded and delivered. It is made from what a person typed and the message
//! they typed it at, and from nothing else.

use super::levers::Lever;
use super::reply::{reply, sent};
use crate::gate::permit::Verb;
use crate::model::menu::{Answer, Kind, Message, Reply, Token};
use crate::model::text::Foreign;

/// A reply that may be delivered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Given {
    /// What it is.
    pub kind: Kind,
    /// The words that are delivered.
    pub text: String,
    /// The row it picks.
    pub row: Option<u32>,
    /// The label of that row.
    pub label: Option<Foreign>,
    /// The lever it pulls.
    pub lever: Option<Lever>,
}

impl Given {
    /// The verb that it is an instance of: a pick affirms, words send back, a criterion that is
    /// given up is set aside (verdict-menus 6.3).
    #[must_use]
    pub fn verb(&self) -> Verb {
        match (self.kind, self.lever) {
            (Kind::ChangeRequest, _) => Verb::SendBack,
            (_, Some(Lever::Abandon)) => Verb::SetAside,
            _ => Verb::Affirm,
        }
    }

    /// The word for lists and the log.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match (self.kind, self.lever) {
            (_, Some(Lever::Rounds)) => "rounds granted",
            (_, Some(Lever::Check)) => "check disposed of",
            (_, Some(Lever::Contract)) => "contract decided",
            (_, Some(Lever::Abandon)) => "criterion given up",
            (Kind::Pick, None) => "picked",
            (Kind::ChangeRequest, None) => "overruled",
            (_, None) => "answered",
        }
    }
}

/// What typed words come to at a message.
///
/// # Errors
/// Why nothing may be delivered, a fragment.
pub fn given(message: &Message, typed: &str) -> Result<Given, String> {
    let meaning = reply(message, typed);
    let kind = match (&meaning, meaning.deliverable()) {
        (_, Some(kind)) => kind,
        (Reply::Invalid { why, .. } | Reply::Stale(why), None) => return Err(why.clone()),
        (_, None) => return Err("only blanks: no reply".to_owned()),
    };
    let row = match &meaning {
        Reply::Pick { n, .. } => Some(*n),
        _ => None,
    };
    let lever = match &meaning {
        Reply::Answer(Answer::Rounds { .. }) => Some(Lever::Rounds),
        Reply::Answer(Answer::Contract(_)) => Some(Lever::Contract),
        Reply::Token(Token::Check { .. }) => Some(Lever::Check),
        Reply::Token(Token::Abandon { .. }) => Some(Lever::Abandon),
        _ => None,
    };
    Ok(Given {
        kind,
        text: sent(&meaning, typed).unwrap_or_default(),
        row,
        label: row
            .and_then(|n| message.row(n))
            .map(|row| row.label.clone()),
        lever,
    })
}
