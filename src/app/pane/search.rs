//! What a search finds: case is ignored, hits are marked in rows that are on screen, and rows
//! that hit are counted over the whole part.

use unicode_segmentation::UnicodeSegmentation as _;

use crate::app::row::{Role, Row, Span};
use crate::app::scene::Scene;
use crate::app::state::{Mode, State};

/// Most rows that one search looks through.
pub const MOST: usize = 200_000;

/// What is searched for now, if anything is.
#[must_use]
pub fn words(state: &State) -> Option<String> {
    let words = match &state.mode {
        Mode::Search(field) => field.0.lines().first().cloned().unwrap_or_default(),
        Mode::Matches { words, .. } => words.clone(),
        Mode::Browse
        | Mode::Prefix(_)
        | Mode::Note(_)
        | Mode::Picker(_)
        | Mode::Rulings(_)
        | Mode::Contracts(_)
        | Mode::Formats(_)
        | Mode::Confirm(_)
        | Mode::Trust(_)
        | Mode::Carry(_)
        | Mode::SignOne(_)
        | Mode::SignEdits(_)
        | Mode::SignTwo(_)
        | Mode::Help(_)
        | Mode::Inspect(_)
        | Mode::Palette(_) => return None,
    };
    (!words.is_empty()).then_some(words)
}

/// Whether raw text holds the (lower-case) words.
#[must_use]
pub fn hits(raw: &[u8], needle: &str) -> bool {
    String::from_utf8_lossy(raw).to_lowercase().contains(needle)
}

/// Writes down which of the rows hit.
pub fn note(state: &State, rows: &[Row], scene: &mut Scene) {
    let Some(words) = words(state) else {
        return;
    };
    let needle = words.to_lowercase();
    let found = rows
        .iter()
        .enumerate()
        .filter(|(_, row)| row.plain().to_lowercase().contains(&needle))
        .map(|(at, _)| at);
    scene.measured.hits = found.collect();
}

/// Marks hits in rows that are on screen.
pub fn mark(state: &State, rows: &mut [Row]) {
    let Some(words) = words(state) else {
        return;
    };
    let needle = words.to_lowercase();
    for row in rows {
        row.left = marked(&row.left, &needle);
    }
}

/// Spans with every hit in the role of a hit; marks of hidden characters keep their own.
fn marked(spans: &[Span], needle: &str) -> Vec<Span> {
    let clusters: Vec<(&str, Role)> = spans
        .iter()
        .flat_map(|span| span.text.graphemes(true).map(|text| (text, span.role)))
        .collect();
    let lower: Vec<String> = clusters
        .iter()
        .map(|(text, _)| text.to_lowercase())
        .collect();
    let mut hit = vec![false; clusters.len()];
    for start in 0..clusters.len() {
        let mut rest = needle;
        let mut end = start;
        while let (false, Some(cluster)) = (rest.is_empty(), lower.get(end)) {
            let Some(left) = rest.strip_prefix(cluster.as_str()) else {
                break;
            };
            rest = left;
            end += 1;
        }
        if rest.is_empty() {
            hit.iter_mut()
                .take(end)
                .skip(start)
                .for_each(|hit| *hit = true);
        }
    }
    let mut out: Vec<Span> = Vec::new();
    for ((text, role), hit) in clusters.into_iter().zip(hit) {
        let role = if hit && role != Role::Foreign {
            Role::Match
        } else {
            role
        };
        match out.last_mut() {
            Some(last) if last.role == role => last.text.push_str(text),
            Some(_) | None => out.push(Span::ours(text, role)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_are_marked_across_spans_and_case() {
        let spans = [
            Span::ours("a FERRY", Role::Text),
            Span::ours("man", Role::Muted),
        ];
        let out = marked(&spans, "rym");
        let hits: Vec<&str> = out
            .iter()
            .filter(|span| span.role == Role::Match)
            .map(|span| span.text.as_str())
            .collect();
        assert_eq!(hits, ["RYm"]);
        assert!(
            marked(&spans, "x")
                .iter()
                .all(|span| span.role != Role::Match)
        );
    }
}
