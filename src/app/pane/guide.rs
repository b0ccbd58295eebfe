//! The guide of the built-in sample: strips of three lines, one for each part of the way from the
//! edited contract to the ruling. Nothing of it is ever shown in a real session.

use crate::gate::judge::Pane;

use super::facts::Facts;

const STRIPS: [[&str; 3]; 4] = [
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
    [
        "Signed: from here on this is read-only. q leaves",
        "and says where the hand-off for the agent is.",
        "Then try: countersign ledger verify",
    ],
];

/// The lines of the strip that is due, if one is.
#[must_use]
pub fn strip(facts: &Facts<'_>) -> Option<&'static [&'static str; 3]> {
    let state = facts.state;
    if !state.world.sample || state.screen.size.0 < 140 {
        return None;
    }
    if state.nav.guide_done == u8::MAX {
        return None;
    }
    STRIPS.get(part(facts))
}

/// Which part of the way the person is on.
fn part(facts: &Facts<'_>) -> usize {
    let contract = |item: &&crate::gate::judge::Item| item.pane == Pane::Contract && item.owed;
    if facts.state.world.ruled.is_some() {
        3
    } else if facts.judgment.owed == 0 {
        2
    } else {
        usize::from(facts.judgment.items.iter().find(contract).is_none())
    }
}

/// The title of the strip.
#[must_use]
pub fn title(facts: &Facts<'_>) -> String {
    format!("Guide {} of {}", part(facts) + 1, STRIPS.len())
}
