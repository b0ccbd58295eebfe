//! What lies beside the change, in words: a row of the list, and whole before the signature.
//! It must never look like something that is judged or owed.

use crate::app::row::{Role, Row, Span, cut};
use crate::model::snapshot::RepositoryNote;
use crate::model::text::Place;

use super::facts::Facts;
use super::words;

/// Most paths that are named in a sentence.
const NAMED: usize = 12;

/// The note as one row: its code, and what it is about.
pub(super) fn row(facts: &Facts<'_>, note: &RepositoryNote, columns: usize) -> Row {
    let (glyph, role) = match note.reason() {
        Some(_) => ("▲", Role::Warn),
        None => ("◇", Role::Muted),
    };
    let mut text = match note.paths() {
        Some(_) => vec![Span::ours(format!("{}: ", note.code()), role)],
        None => vec![Span::ours(note.says(), role)],
    };
    text.extend(about(facts, note, 3, role));
    Row::ours(format!("  {glyph} "), role).spans(cut(&text, columns.saturating_sub(5)))
}

/// The note as a sentence, for the verdict page and for lines.
#[must_use]
pub fn sentence(facts: &Facts<'_>, note: &RepositoryNote) -> String {
    let about = about(facts, note, NAMED, Role::Text);
    let about: String = about.into_iter().map(|span| span.text).collect();
    match note.paths() {
        Some(_) => format!("{}: {about}", note.says()),
        None => format!("{}{about}", note.says()),
    }
}

/// The first paths and how many more there are, or the reason.
fn about(facts: &Facts<'_>, note: &RepositoryNote, named: usize, role: Role) -> Vec<Span> {
    let mut out = Vec::new();
    if let Some(why) = note.reason() {
        out.push(Span::ours(": ", role));
        out.extend(facts.shown(&why.to_string().as_str().into(), Place::Prose, role));
    }
    let Some(paths) = note.paths() else {
        return out;
    };
    for (at, path) in paths.first.iter().take(named).enumerate() {
        if at > 0 {
            out.push(Span::ours(", ", Role::Muted));
        }
        out.extend(facts.shown(&path.foreign(), Place::Strict, role));
    }
    let shown = paths.first.len().min(named);
    let more = (paths.total as usize).saturating_sub(shown);
    if more > 0 {
        let text = format!(" and {} more", words::number(more as u64));
        out.push(Span::ours(text, Role::Muted));
    }
    out
}
