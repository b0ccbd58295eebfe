//! What a person can do at a gate beside picking a row: each a human message of a fixed form, read
//! by [`super::reply()`] like any other and bound to its gate. None is written into the record of
//! the run: only the run records what a person said.

use super::Scope;
use crate::model::menu::{GateLine, Message};

/// One lever.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Lever {
    /// More fix rounds.
    Rounds,
    /// What a failing check is held for.
    Check,
    /// The answer to a worker that asks for another scope.
    Contract,
    /// A criterion is given up as it stands, by `deferred:` or `deviates:`; never by ticking it.
    Abandon,
}

impl Lever {
    /// Every lever, in the order of its digit.
    pub const ALL: [Self; 4] = [Self::Rounds, Self::Check, Self::Contract, Self::Abandon];

    /// The word in a document.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Rounds => "grant-rounds",
            Self::Check => "check-disposition",
            Self::Contract => "contract-decision",
            Self::Abandon => "abandon-criterion",
        }
    }

    /// What it does, for a list.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Rounds => "grant more fix rounds",
            Self::Check => "say what a failing check is",
            Self::Contract => "decide about the contract",
            Self::Abandon => "give a criterion up: deferred or deviates",
        }
    }

    /// Its form.
    #[must_use]
    pub fn form(self) -> &'static str {
        match self {
            Self::Rounds => "N more rounds: WHY",
            Self::Check => "check NAME flaky|real|ci-broken",
            Self::Contract => "contract decision: WORDS",
            Self::Abandon => "criterion N deferred: WHERE, or criterion N deviates: WHY",
        }
    }

    /// How the words begin that a person then completes.
    #[must_use]
    pub fn opens(self) -> &'static str {
        match self {
            Self::Rounds => "",
            Self::Check => "check ",
            Self::Contract => "contract decision: ",
            Self::Abandon => "criterion ",
        }
    }

    /// Why it is not there at this gate; `None` when it is.
    #[must_use]
    pub fn closed(self, message: &Message) -> Option<&'static str> {
        let scope = Scope::of(message);
        match self {
            Self::Rounds if scope != Scope::FixRounds => Some("this gate asks for no fix rounds"),
            Self::Check if scope != Scope::Gatekeep => Some("this gate disposes of no checks"),
            Self::Contract if scope != Scope::Gatekeep || !asks_for_scope(message) => {
                Some("no worker asks for another scope here")
            }
            Self::Abandon if scope != Scope::Gatekeep => Some("this gate keeps no criteria"),
            _ => None,
        }
    }
}

/// Whether the message is about a contract exception: by its marker, else by its own words above
/// the menu.
fn asks_for_scope(message: &Message) -> bool {
    let marked = message.gate().map(GateLine::name);
    let marked = marked.is_some_and(|name| name.contains("contract"));
    let text = String::from_utf8_lossy(message.text.raw());
    marked
        || text.lines().any(|line| {
            let line = line.trim_start();
            line.starts_with("Obstacle: contract exception: ")
                || line.starts_with("contract exception: ")
        })
}
