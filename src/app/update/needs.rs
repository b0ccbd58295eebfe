//! Hunks and lines are asked for when a scene lacks them: once each, ranges joined.

use std::collections::HashMap;
use std::ops::Range;

use crate::model::id::{Digest, RepoPath};
use crate::model::known::{Known, Reason};

use super::super::effect::Effect;
use super::super::msg::Side;
use super::super::pane::facts::Facts;
use super::super::scene::Need;
use super::super::state::{FileView, Focus, Purpose, READING, State};

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

/// Asks for the hunks of the file in view before it is drawn for the first time.
pub(super) fn early(state: &mut State, fx: &mut Vec<Effect>) {
    let shown = Facts::of(state).and_then(|facts| facts.shown_file().cloned());
    if let Some(path) = shown {
        hunks(state, &path, fx);
    }
}

/// Once everything on screen has come: asks for what the next key would show, the files of the
/// rows beside the selected one. Large files wait until they are looked at.
pub(super) fn ahead(state: &mut State, fx: &mut Vec<Effect>) {
    let waits = |purpose: &Purpose| matches!(purpose, Purpose::Hunks(_) | Purpose::Text(..));
    if state.waiting.open.values().any(waits) {
        return;
    }
    for path in beside(state) {
        let Some(view) = state.diff.files.get(&path) else {
            hunks(state, &path, fx);
            continue;
        };
        if !view.asked.is_empty() {
            continue;
        }
        for side in [Side::Base, Side::Head] {
            let lines = || {
                state
                    .diff
                    .files
                    .get(&path)
                    .into_iter()
                    .flat_map(|v| v.lines.keys())
            };
            let of_side = || lines().filter(|(of, _)| *of == side).map(|(_, line)| *line);
            if let (Some(from), Some(to)) = (of_side().min(), of_side().max()) {
                text(state, &path, side, from..to.min(from + AHEAD) + 1, fx);
            }
        }
    }
}

/// Most lines of a side that are colored ahead, and most changed lines of a file that is read
/// ahead.
const AHEAD: u32 = 256;
const SMALL: u32 = 4_000;

fn beside(state: &State) -> Vec<RepoPath> {
    let Some(facts) = Facts::of(state) else {
        return Vec::new();
    };
    let shown = facts.shown_file();
    let around = |at: usize| [at.checked_add(1), at.checked_sub(1)].into_iter().flatten();
    let paths: Vec<Option<&RepoPath>> = if state.nav.focus == Focus::List {
        let rows = &state.seen.measured.targets;
        let selected = facts.selected();
        let at = rows
            .iter()
            .position(|(_, row)| Some(row) == selected.as_ref());
        let rows = at
            .into_iter()
            .flat_map(around)
            .filter_map(|at| rows.get(at));
        rows.map(|(_, row)| facts.file_of(row)).collect()
    } else {
        let at = shown.and_then(|path| facts.place_of(path));
        let files = at
            .into_iter()
            .flat_map(around)
            .map(|at| facts.files().get(at));
        files.map(|file| file.map(|file| &file.path)).collect()
    };
    let small = |path: &&RepoPath| {
        let counts = facts.file(path).and_then(|file| file.counts.known());
        counts.is_some_and(|counts| counts.added.saturating_add(counts.removed) <= SMALL)
    };
    let paths = paths.into_iter().flatten().filter(small);
    paths.filter(|path| Some(*path) != shown).cloned().collect()
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
    // what can be read comes first, its colors follow
    let lacks = |line: &u32| !view.lines.contains_key(&(side, *line));
    let plain: Vec<Range<u32>> = fresh
        .iter()
        .filter_map(|range| {
            let first = range.clone().find(lacks)?;
            let last = range.clone().rev().find(lacks)?;
            Some(first..last + 1)
        })
        .collect();
    for range in &fresh {
        view.asked.push((side, range.clone()));
    }
    let plain = plain.into_iter().map(|range| (range, false));
    for (lines, tokens) in plain.chain(fresh.into_iter().map(|range| (range, true))) {
        let ticket = state.ask(Purpose::Text(path.clone(), side));
        fx.push(Effect::Text {
            ticket,
            path: path.clone(),
            side,
            lines,
            tokens,
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
