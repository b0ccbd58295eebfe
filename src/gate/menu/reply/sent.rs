//! The words that a reply puts before the agent: one spelling for each meaning.

use crate::model::menu::{Answer, Reply, Token};

/// What is delivered for a reply; `None` when nothing may be.
#[must_use]
pub fn sent(reply: &Reply, typed: &str) -> Option<String> {
    Some(match reply {
        Reply::Pick { n, as_pr: false } => n.to_string(),
        Reply::Pick { n, as_pr: true } => format!("{n} as a PR"),
        Reply::Composed(parts) => {
            let parts: Vec<String> = parts
                .iter()
                .map(|part| {
                    let ids: Vec<String> = part.ids.iter().map(u32::to_string).collect();
                    if ids.is_empty() {
                        part.verb.clone()
                    } else {
                        format!("{} {}", part.verb, ids.join(","))
                    }
                })
                .collect();
            parts.join(" + ")
        }
        Reply::Overrides { n, pairs } => {
            let pairs: Vec<String> = pairs.iter().map(|(h, c)| format!("{h}={c}")).collect();
            format!("{n}: {}", pairs.join(", "))
        }
        Reply::Token(Token::SendIt) => "send it".to_owned(),
        Reply::Token(Token::Discard) => "discard".to_owned(),
        Reply::Token(Token::Check { name, disposition }) => {
            format!("check {name} {}", disposition.typed())
        }
        Reply::Token(Token::Revert(id)) => format!("revert conformance fix {id}"),
        Reply::Token(Token::Abandon { criterion, says }) => {
            format!("criterion {criterion} {says}")
        }
        Reply::Answer(Answer::Contract(words)) => format!("contract decision: {words}"),
        Reply::Answer(Answer::Command(command)) => format!("verification command: {command}"),
        Reply::Answer(Answer::Spec(path)) => format!("spec: {path}"),
        Reply::Answer(Answer::Ids(ids)) => ids.join(","),
        Reply::Answer(Answer::Yes) => "yes".to_owned(),
        Reply::Answer(Answer::No | Answer::Rounds { .. }) | Reply::ChangeRequest(_) => {
            typed.trim().to_owned()
        }
        Reply::Empty | Reply::Invalid { .. } | Reply::Stale(_) => return None,
    })
}
