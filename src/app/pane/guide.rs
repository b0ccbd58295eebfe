//! The guide of the built-in sample: three strips of three lines, each gone when its key was
//! used. Nothing of it is ever shown in a real session.

use super::facts::Facts;

const STRIPS: [[&str; 3]; 3] = [
    [
        "The agent edited the test it is judged by. You",
        "judge by the old one: r says so, in the ledger.",
        "n then brings the next thing you owe.",
    ],
    [
        "Green: read it, then r. Red: the right side says",
        "why; b sends it back to the agent with your",
        "words. Nothing is final before you sign.",
    ],
    [
        "Nothing owed is left. v explains the verdict rule",
        "by rule, S reads it back and signs it. This",
        "sample is yours to ruin: sign.",
    ],
];

/// The lines of the strip that is due, if one is.
#[must_use]
pub fn strip(facts: &Facts<'_>) -> Option<&'static [&'static str; 3]> {
    let state = facts.state;
    if !state.world.sample || state.screen.size.0 < 140 {
        return None;
    }
    STRIPS.get(usize::from(state.nav.guide_done))
}

/// The title of the strip.
#[must_use]
pub fn title(facts: &Facts<'_>) -> String {
    format!(
        "Guide {} of 3",
        facts.state.nav.guide_done.saturating_add(1)
    )
}
