//! The keys of the footer: what `live_commands` says works here and now.

use crate::app::row::Role;
use crate::app::state::State;
use crate::app::update::footer::live_commands;

/// One key of the footer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shown {
    /// The key.
    pub key: String,
    /// What it does.
    pub words: String,
    /// Closed or locked keys are muted; the status row says why.
    pub role: Role,
}

/// Keys that do something here and now, most wanted first, help last.
#[must_use]
pub fn live(state: &State) -> Vec<Shown> {
    live_commands(state)
        .into_iter()
        .map(|live| Shown {
            key: live.keys,
            words: live.label,
            role: if live.closed.is_some() {
                Role::Muted
            } else {
                Role::Accent
            },
        })
        .collect()
}
