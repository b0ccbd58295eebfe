//! Hunks and lines are asked for when a scene lacks them: once each, ranges joined.

use std::collections::HashMap;
use std::ops::Range;

use crate::model::id::{Digest, RepoPath};
use crate::model::known::{Known, Reason};

use super::super::effect::Effect;
use super::super::msg::Side;
use super::super::scene::Need;
use super::super::state::{FileView, Purpose, READING, State};

/// Asks for everything that the scene drawn last lacks.
pub(super) fn ask(state: &mut State, fx: &mut Vec<Effect>) {
    for need in state.seen.measured.needs.clone() {
        match need {
            Need::Hunks(path) => hunks(state, &path, fx),
            Need::Text(path, side, lines) => text(state, &path, side, lines, fx),
            Need::Output(digest, lines) => output(state, digest, lines, fx),
        }
    }
}

/// Asks for the hunks of a file, unless they were asked for.
pub(super) fn hunks(state: &mut State, path: &RepoPath, fx: &mut Vec<Effect>) {
    if state.diff.files.contains_key(path) {
        return;
    }
    state.diff.files.insert(
        path.clone(),
        FileView {
            shape: Known::Unknown(Reason::new(READING)),
            hunks: Known::Unknown(Reason::new(READING)),
            lines: HashMap::new(),
            asked: Vec::new(),
        },
    );
    let ticket = state.ask(Purpose::Hunks(path.clone()));
    fx.push(Effect::Hunks(ticket, path.clone()));
}

/// Asks for lines of a file, those left out that were asked for.
pub(super) fn text(
    state: &mut State,
    path: &RepoPath,
    side: Side,
    lines: Range<u32>,
    fx: &mut Vec<Effect>,
) {
    let Some(view) = state.diff.files.get_mut(path) else {
        return hunks(state, path, fx);
    };
    let asked = view
        .asked
        .iter()
        .filter(|(other, _)| *other == side)
        .map(|(_, range)| range.clone());
    let fresh = subtract(lines, asked);
    for range in &fresh {
        view.asked.push((side, range.clone()));
    }
    for lines in fresh {
        let ticket = state.ask(Purpose::Text(path.clone(), side));
        fx.push(Effect::Text {
            ticket,
            path: path.clone(),
            side,
            lines,
            tokens: true,
        });
    }
}

/// Asks for lines of a stored output, those left out that have come or are on their way.
fn output(state: &mut State, digest: Digest, lines: Range<u64>, fx: &mut Vec<Effect>) {
    let asked = state.runs.asked.entry(digest).or_default();
    let fresh = subtract(lines, asked.iter().cloned());
    asked.extend(fresh.iter().cloned());
    for lines in fresh {
        let ticket = state.ask(Purpose::Output(digest));
        fx.push(Effect::Output {
            ticket,
            digest,
            lines,
        });
    }
}

/// What is left of a range without the others, ascending.
fn subtract<T: Copy + Ord>(
    range: Range<T>,
    others: impl Iterator<Item = Range<T>>,
) -> Vec<Range<T>> {
    let mut others: Vec<Range<T>> = others.filter(|other| !other.is_empty()).collect();
    others.sort_unstable_by_key(|other| other.start);
    let mut left = Vec::new();
    let mut from = range.start;
    for other in others {
        if other.start > from && from < range.end {
            left.push(from..other.start.min(range.end));
        }
        from = from.max(other.end);
    }
    if from < range.end {
        left.push(from..range.end);
    }
    left
}

#[cfg(test)]
mod tests {
    use super::subtract;

    type Row = (
        std::ops::Range<u32>,
        &'static [(u32, u32)],
        &'static [(u32, u32)],
    );

    #[test]
    fn what_was_asked_for_is_left_out() {
        let rows: [Row; 6] = [
            (0..10, &[], &[(0, 10)]),
            (0..10, &[(0, 10)], &[]),
            (0..10, &[(3, 5)], &[(0, 3), (5, 10)]),
            (5..10, &[(0, 7), (9, 20)], &[(7, 9)]),
            (0..10, &[(20, 30), (4, 6), (5, 8)], &[(0, 4), (8, 10)]),
            (4..4, &[], &[]),
        ];
        for (range, asked, left) in rows {
            let ranges = asked.iter().map(|(from, to)| *from..*to);
            let got: Vec<_> = subtract(range.clone(), ranges)
                .into_iter()
                .map(|range| (range.start, range.end))
                .collect();
            assert_eq!(got, left, "{range:?}");
        }
    }
}
