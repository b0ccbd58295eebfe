//! Replies that touch the contract: a criterion given up, a decision about another scope.

use super::super::levers::Lever;
use super::{Reading, invalid, positive};
use crate::gate::gatekeep::disposition::RowSays;
use crate::model::menu::{Answer, Reply, Token};

/// `criterion N deferred: WHERE`, `criterion N deviates: WHY`. The place must be one that can be
/// looked up: prose defers nothing.
pub(super) fn abandoned(ask: &Reading<'_>) -> Option<Reply> {
    let rest = ask.bare.strip_prefix("criterion ")?;
    let (number, says) = rest.split_once(' ')?;
    let criterion = positive(number)?;
    let says = says.trim();
    let (word, _) = says.split_once(':')?;
    if !matches!(word, "deferred" | "deviates" | "venue" | "elsewhere") {
        return None;
    }
    if let Some(why) = Lever::Abandon.closed(ask.message) {
        return Some(invalid(why));
    }
    Some(match RowSays::read(says) {
        _ if says.lines().count() > 1 => invalid("a disposition is one line"),
        Ok(RowSays::Deferred(place)) => Reply::Token(Token::Abandon {
            criterion,
            says: format!("deferred: {place}"),
        }),
        Ok(RowSays::Deviates(why)) => Reply::Token(Token::Abandon {
            criterion,
            says: format!("deviates: {why}"),
        }),
        Ok(_) => invalid("a criterion is given up by `deferred:` or `deviates:` and nothing else"),
        Err(why) => invalid(why),
    })
}

/// `contract decision: WORDS`.
pub(super) fn decided(ask: &Reading<'_>) -> Option<Reply> {
    let words = ask.bare.strip_prefix("contract decision:")?.trim();
    if let Some(why) = Lever::Contract.closed(ask.message) {
        return Some(invalid(why));
    }
    Some(if words.is_empty() {
        invalid("say in words what is decided about the contract")
    } else {
        Reply::Answer(Answer::Contract(words.to_owned()))
    })
}
