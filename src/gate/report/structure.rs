//! The shape of a report: headings, sections, paragraphs, lists, length (V05 to V12, V14).

use super::shape::{CONTEXT, FIX, Kind, Line, NEXT, WHAT, WHY};
use super::{CONTEXT_LINES, Linting, WORD_LIMIT, words};
use crate::gate::menu::chase::Set;
use crate::gate::menu::words::Fenced;
use crate::model::text::{Foreign, Place};

/// The headings by their place.
const PLACES: [(&str, u8); 5] = [(CONTEXT, 0), (WHAT, 1), (WHY, 2), (FIX, 3), (NEXT, 3)];

pub(super) fn check(lint: &mut Linting<'_>) {
    headings(lint);
    third(lint);
    apart(lint);
    blocks(lint);
    length(lint);
    fences(lint);
}

fn place(name: &str) -> Option<u8> {
    let row = PLACES
        .iter()
        .find(|(own, _)| own.eq_ignore_ascii_case(name));
    row.map(|row| row.1)
}

/// V05 and V07.
fn headings(lint: &mut Linting<'_>) {
    let shape = lint.shape;
    let mut seen: Vec<u8> = Vec::new();
    for section in &shape.sections {
        let span = section.heading.whole();
        let Some(place) = place(section.name) else {
            lint.error("V07", span, "a heading that a report does not have");
            continue;
        };
        let exact = PLACES.iter().any(|(name, _)| *name == section.name);
        if section.level != 3 || !exact || section.heading.text.starts_with(' ') {
            lint.error("V05", span, "a heading is `### ` and its exact words");
        }
        if seen.contains(&place) {
            lint.error("V07", span, "a second heading for the same section");
        } else if seen.last().is_some_and(|last| *last > place) {
            lint.error("V05", span, "it stands after a heading that follows it");
        }
        seen.push(place);
        if section.is_empty() {
            lint.error("V07", span, "nothing stands below it");
        }
    }
    if shape.sections.is_empty() {
        let first = shape.loose.iter().find(|line| !line.is_blank());
        let span = first.map_or_else(|| shape.end_span(), Line::whole);
        lint.error("V05", span, "the report has no headings");
        return;
    }
    let end = shape.end_span();
    let third = match lint.set {
        Some(Set::Real) => FIX,
        Some(Set::Negative) => NEXT,
        None => "How to fix it or What happens next",
    };
    for (number, name) in [(1, WHAT), (2, WHY), (3, third)] {
        if !seen.contains(&number) {
            lint.error("V05", end, format!("there is no {name}"));
        }
    }
}

/// V06.
fn third(lint: &mut Linting<'_>) {
    let wrong = match lint.set {
        Some(Set::Real) => NEXT,
        Some(Set::Negative) => FIX,
        None => return,
    };
    let right = if wrong == FIX { NEXT } else { FIX };
    if let Some(section) = lint.shape.section(wrong) {
        let span = section.heading.whole();
        lint.error("V06", span, format!("this verdict has `{right}`"));
    }
}

/// V08.
fn apart(lint: &mut Linting<'_>) {
    let shape = lint.shape;
    for section in shape.sections.iter().skip(1) {
        let at = section.heading.number as usize - 1;
        let before = shape.all.get(..at).unwrap_or_default();
        let blank = before
            .iter()
            .rev()
            .take_while(|line| line.is_blank())
            .count();
        if blank != 1 {
            let span = section.heading.whole();
            lint.error("V08", span, format!("{blank} blank lines before it"));
        }
    }
}

/// V09, V10 and V12.
fn blocks(lint: &mut Linting<'_>) {
    for section in &lint.shape.sections {
        let blocks = section.blocks();
        let first_line = |index: usize| {
            let block = blocks.get(index)?;
            Some(block.items.first()?.first()?.whole())
        };
        if let Some(span) = first_line(1) {
            let name = Foreign::from(section.name).shown(Place::Strict);
            let says = format!("{name} is more than one paragraph or list");
            lint.error("V09", span, says);
        }
        for block in blocks.iter().filter(|block| block.kind == Kind::Bullets) {
            let count = block.items.len();
            let line = block.items.first().and_then(|item| item.first());
            if let Some(line) = line.filter(|_| count < 3) {
                let span = line.whole();
                lint.error("V12", span, format!("a list of {count}"));
            }
        }
        if section.name.eq_ignore_ascii_case(CONTEXT) {
            let lines: usize = blocks
                .iter()
                .map(|block| match block.kind {
                    Kind::Bullets | Kind::Numbers => block.items.len(),
                    Kind::Paragraph | Kind::Fence => block.items.iter().map(Vec::len).sum(),
                })
                .sum();
            if lines > CONTEXT_LINES {
                let span = section.heading.whole();
                lint.error(
                    "V10",
                    span,
                    format!("{lines} lines, at most {CONTEXT_LINES}"),
                );
            }
        }
    }
}

/// V11.
fn length(lint: &mut Linting<'_>) {
    let count = words(&lint.shape.body_text());
    if count < WORD_LIMIT {
        return;
    }
    let mut left = WORD_LIMIT - 1;
    let over = lint.shape.body().iter().find(|line| {
        let own = words(line.text);
        let over = own > left;
        left = left.saturating_sub(own);
        over
    });
    let span = over.map_or_else(|| lint.shape.end_span(), Line::whole);
    lint.error(
        "V11",
        span,
        format!("{count} words, fewer than {WORD_LIMIT}"),
    );
}

/// V14.
fn fences(lint: &mut Linting<'_>) {
    let shape = lint.shape;
    let mut inside = false;
    for line in shape.body() {
        let fenced = line.fenced != Fenced::Outside;
        if fenced && !inside {
            lint.error("V14", line.whole(), "a code fence in the report");
        }
        inside = fenced;
    }
}
