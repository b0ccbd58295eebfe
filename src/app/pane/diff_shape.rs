//! Rows that say what a changed file is when it is not (only) lines. None vanishes.

use crate::app::row::{Role, Row};
use crate::app::state::READING;
use crate::model::change::Shape;
use crate::model::id::RepoPath;
use crate::model::known::Known;
use crate::model::text::Place;

use super::facts::Facts;
use super::words;

/// The labelled row of a file that has no lines to show, or whose hunks have not come.
pub(super) fn shape_row(facts: &Facts<'_>, path: &RepoPath) -> Row {
    let view = facts.state.diff.files.get(path);
    if let Some(row) = shape_rows(facts, path).into_iter().next() {
        return row;
    }
    match view.map(|view| &view.hunks) {
        Some(Known::Unknown(why)) if why.0 == READING => {
            Row::ours(" … reading this file", Role::Muted)
        }
        Some(Known::Unknown(why)) => {
            Row::ours(format!(" ▲ could not be compared: {why}"), Role::Bad)
        }
        Some(Known::NotApplicable(why)) => Row::ours(format!(" – {why}"), Role::Muted),
        Some(Known::Is(_) | Known::NotSupplied) | None => {
            Row::ours(" … reading this file", Role::Muted)
        }
    }
}

/// Rows that say what a file is when it is not (only) lines. None vanishes.
pub(super) fn shape_rows(facts: &Facts<'_>, path: &RepoPath) -> Vec<Row> {
    let mut out = Vec::new();
    let file = facts.file(path);
    if let Some((old, new)) = file.and_then(|file| file.old.zip(file.new))
        && old.mode != new.mode
    {
        let text = format!(" ≠ mode {:o} → {:o}", old.mode, new.mode);
        out.push(Row::ours(text, Role::Warn));
    }
    if let Some(old) = file.and_then(|file| file.old_path.as_ref()) {
        let row = Row::ours(" ← renamed from ", Role::Moved);
        out.push(row.spans(facts.shown(&old.foreign(), Place::Strict, Role::Text)));
    }
    let view = facts.state.diff.files.get(path);
    let shape = view
        .and_then(|view| view.shape.known())
        .or_else(|| file.and_then(|file| file.shape.known()));
    let size = |old: &u64, new: &u64| format!("{} → {}", words::bytes(*old), words::bytes(*new));
    let text = match shape {
        Some(Shape::Text) | None => return out,
        Some(Shape::Empty) => Row::ours(" – empty on both sides: no bytes", Role::Muted),
        Some(Shape::Binary(old, new)) => Row::ours(
            format!(" ◇ binary, not shown: {}", size(old, new)),
            Role::Warn,
        ),
        Some(Shape::Huge(old, new)) => Row::ours(
            format!(" ◇ over 64 MiB, not shown: {}", size(old, new)),
            Role::Warn,
        ),
        Some(Shape::Missing(why)) => Row::ours(format!(" ▲ object missing: {why}"), Role::Bad),
        Some(Shape::Symlink(old, new)) => {
            let mut row = Row::ours(" → symbolic link  ", Role::Warn);
            for (at, target) in [old, new].into_iter().enumerate() {
                if at == 1 {
                    row = row.and(" → ", Role::Muted);
                }
                row = match target {
                    Some(target) => row.spans(facts.shown(target, Place::Strict, Role::Text)),
                    None => row.and("none", Role::Muted),
                };
            }
            row
        }
        Some(Shape::Submodule(old, new)) => {
            let short = |oid: &Option<crate::model::id::Oid>| {
                oid.as_ref().map_or_else(|| "none".to_owned(), words::short)
            };
            Row::ours(
                format!(
                    " ◇ submodule {} → {}, never entered",
                    short(old),
                    short(new)
                ),
                Role::Warn,
            )
        }
    };
    out.push(text.decides(format!("{}:shape", label_path(path))));
    out
}

/// The path inside labels: bytes that are not UTF-8 are replaced, which is fine for a label.
pub(super) fn label_path(path: &RepoPath) -> String {
    String::from_utf8_lossy(path.as_bytes()).into_owned()
}
