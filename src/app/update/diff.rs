//! Moves inside the diff, what it shows, and copying.

use crate::gate::dossier::Subject;
use crate::model::id::RepoPath;
use crate::model::text::Place;

use super::super::command::Command;
use super::super::effect::Effect;
use super::super::state::{Focus, Row, State};
use super::super::walk;
use super::moves;

/// `]` and `[`, and with `claimed` `)` and `(`.
pub(super) fn hunk(state: &mut State, forward: bool, claimed: bool) {
    let measured = state.seen.measured.diff.clone();
    let entering = state.nav.focus != Focus::Diff;
    if entering {
        moves::focus(state, Focus::Diff);
    }
    let Some(diff) = measured else {
        return;
    };
    let rows: Vec<usize> = if claimed {
        diff.claimed
            .iter()
            .filter_map(|at| diff.hunks.get(*at).copied())
            .collect()
    } else {
        diff.hunks
    };
    if rows.is_empty() {
        return state.say(if claimed {
            "the selected criterion claims no hunk of this file"
        } else {
            "this file has no hunks to show"
        });
    }
    let here = state.nav.cursor;
    let next = if entering {
        rows.first()
    } else if forward {
        rows.iter().find(|row| **row > here)
    } else {
        rows.iter().rev().find(|row| **row < here)
    };
    match next.copied() {
        Some(row) => moves::put(state, row),
        None => state.say(if forward {
            "last hunk of this file · } goes to the next file"
        } else {
            "first hunk of this file · { goes to the previous file"
        }),
    }
}

/// `}` and `{`.
pub(super) fn file(state: &mut State, forward: bool) {
    let files: Vec<_> = state
        .dossier()
        .and_then(|dossier| dossier.files.known())
        .map(|files| files.iter().map(|file| file.path.clone()).collect())
        .unwrap_or_default();
    if files.is_empty() {
        return state.say("no changed file is known yet");
    }
    let here = state
        .diff_file()
        .and_then(|path| files.iter().position(|other| *other == path));
    let next = match (here, forward) {
        (Some(at), true) => at + 1,
        (Some(at), false) => at.wrapping_sub(1),
        (None, _) => 0,
    };
    match files.get(next) {
        Some(path) => {
            state.nav.file = Some(path.clone());
            moves::focus(state, Focus::Diff);
            moves::put(state, 0);
            state.say(format!("file {} of {}", next + 1, files.len()));
        }
        None => state.say(if forward {
            "this is the last file"
        } else {
            "this is the first file"
        }),
    }
}

/// `z`: the unchanged run nearest to the cursor.
pub(super) fn fold(state: &mut State) {
    let Some(diff) = &state.seen.measured.diff else {
        let key = state.keys.shown(Command::Diff);
        return state.say(format!("no diff is on screen · {key} shows it"));
    };
    let cursor = state.nav.cursor;
    let nearest = diff
        .folds
        .iter()
        .min_by_key(|(row, _)| row.abs_diff(cursor))
        .map(|(_, first)| *first);
    let (Some(path), Some(first)) = (diff.path.clone(), nearest) else {
        return state.say("no unchanged lines are folded here");
    };
    let key = (path, first);
    if !state.diff.unfolded.remove(&key) {
        state.diff.unfolded.insert(key);
    }
}

/// `+` and `-`.
pub(super) fn context(state: &mut State, more: bool) {
    state.diff.context = if more {
        (state.diff.context * 2).clamp(1, 96)
    } else {
        state.diff.context / 2
    };
    state.say(format!("{} lines around each hunk", state.diff.context));
}

/// `y` and `Y`: the row under the cursor, escaped as it is shown.
pub(super) fn copy(state: &mut State, place: bool, fx: &mut Vec<Effect>) {
    let under = state.seen.measured.under.clone();
    let text = match (under, state.nav.focus, &state.nav.selected) {
        (Some((text, at)), _, _) if place && !at.is_empty() => format!("{at}: {text}"),
        (Some((text, _)), _, _) => text,
        (None, Focus::List, Some(row)) => row_text(state, row),
        (None, _, _) => return state.say("nothing under the cursor to copy"),
    };
    send(state, text, fx);
}

fn row_text(state: &State, row: &Row) -> String {
    let name = walk::row_name(row);
    match row {
        Row::Item(Subject::Criterion(id)) => {
            let text = state.criterion(id).map_or_else(String::new, |criterion| {
                criterion
                    .text
                    .shown_lines(Place::Prose)
                    .iter()
                    .map(crate::model::text::Shown::plain)
                    .collect::<Vec<_>>()
                    .join(" ")
            });
            format!("{name}  {text}")
        }
        Row::Item(_) | Row::File(_) | Row::Verdict => name,
    }
}

/// To the terminal's clipboard; nobody answers whether it arrived.
pub(super) fn send(state: &mut State, text: String, fx: &mut Vec<Effect>) {
    state.say(format!(
        "sent to the terminal's clipboard, {} characters · no answer is possible",
        text.chars().count()
    ));
    fx.push(Effect::Copy(text));
}

/// The file and the line under the cursor, 1-based: the head's, else the one that is gone.
fn line_under(state: &State) -> Option<(RepoPath, u32)> {
    let path = state.seen.measured.diff.as_ref()?.path.clone()?;
    let (_, place) = state.seen.measured.under.as_ref()?;
    let line = place.rsplit_once(':')?.1.parse().ok()?;
    (state.nav.focus == Focus::Diff).then_some((path, line))
}

/// `V`: the first line, then the last one; in another file, or once both are there, anew.
pub(super) fn mark_lines(state: &mut State) {
    let Some((path, line)) = line_under(state) else {
        return state.say("lines are marked in the diff, with the cursor on one of them");
    };
    let key = state.keys.shown(Command::MarkLines);
    let name = path.foreign().shown(Place::Strict).plain();
    match state.nav.lines.take() {
        Some((marked, first, last)) if marked == path && first == last && line != first => {
            let (from, to) = (first.min(line), first.max(line));
            state.nav.lines = Some((path, from, to));
            let back = state.keys.shown(Command::KickBack);
            state.say(format!(
                "{name}:{from}-{to} marked · {back} takes the lines along"
            ));
        }
        _ => {
            state.nav.lines = Some((path, line, line));
            state.say(format!(
                "{name}:{line} marked · {key} on the last line ends it"
            ));
        }
    }
}

/// `e` on a chain: its next line of evidence, the caller's first, then the callee's.
fn evidence(state: &mut State, fx: &mut Vec<Effect>) -> bool {
    let Some(Subject::Chain(id)) = state.subject().cloned() else {
        return false;
    };
    let Some(chain) = state.chain(&id).filter(|chain| !chain.spans.is_empty()) else {
        return false;
    };
    let count = chain.spans.len();
    let at = match &state.nav.evidence {
        Some((last, at)) if *last == id => (at + 1) % count,
        Some(_) | None => 0,
    };
    let Some(span) = chain.spans.get(at) else {
        return false;
    };
    let (path, line) = chain.place(span);
    let (path, why) = (path.clone(), span.why.word());
    let name = path.foreign().shown(Place::Strict).plain();
    let key = state.keys.shown(Command::Editor);
    let next = if count > 1 {
        format!(" · {key} goes to the next")
    } else {
        String::new()
    };
    state.say(format!("{name}:{line}, {why}, {} of {count}{next}", at + 1));
    state.nav.evidence = Some((id, at));
    fx.push(Effect::Edit(path, line));
    true
}

/// `e`: the person's own copy of the file, which is not what is judged.
pub(super) fn edit(state: &mut State, fx: &mut Vec<Effect>) {
    if line_under(state).is_none() && evidence(state, fx) {
        return;
    }
    let file = line_under(state).or_else(|| match &state.nav.selected {
        Some(Row::File(path)) => Some((path.clone(), 1)),
        Some(Row::Item(_) | Row::Verdict) | None => state.diff_file().map(|path| (path, 1)),
    });
    let Some((path, line)) = file else {
        return state.say("no file is selected: the editor opens one");
    };
    let name = path.foreign().shown(Place::Strict).plain();
    state.say(format!(
        "{name} in your worktree; what is judged stays the head's"
    ));
    fx.push(Effect::Edit(path, line));
}
