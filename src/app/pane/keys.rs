//! The keys of the footer.

use crate::app::state::State;

use super::facts::Facts;

/// Keys that do something here and now, most wanted first, help last.
#[must_use]
pub fn live(state: &State, facts: Option<&Facts<'_>>) -> Vec<(String, String)> {
    let _ = state;
    let rows: &[(&str, &str)] = if facts.is_some() {
        &[
            ("n", "next owed"),
            ("Enter", "evidence"),
            ("r", "ratify"),
            ("b", "kick back"),
            ("a", "abandon"),
            ("x", "run oracle"),
            ("v", "verdict"),
            ("/", "search"),
            (":", "command"),
            ("?", "help"),
        ]
    } else {
        &[("q", "leave"), ("?", "help")]
    };
    rows.iter()
        .map(|(key, words)| ((*key).to_owned(), (*words).to_owned()))
        .collect()
}
