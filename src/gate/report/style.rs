//! The words of a report: lists, arrows, labels, register (V13, V15 to V19).

use super::Linting;
use super::register::{find, prose, words};
use super::shape::{Kind, Line, item};
use crate::gate::menu::words::Fenced;

/// The old labels.
const LABELS: [&str; 6] = [
    "fault story",
    "proof",
    "symptom",
    "verdict",
    "evidence",
    "next step",
];

/// Words that a step does not begin with.
const NO_STEP: [&str; 16] = [
    "the", "a", "an", "this", "that", "these", "those", "it", "there", "they", "we", "he", "she",
    "some", "most", "many",
];

pub(super) fn check(lint: &mut Linting<'_>) {
    let shape = lint.shape;
    let mut headings: Vec<u32> = Vec::new();
    for section in &shape.sections {
        headings.push(section.heading.number);
        for block in section.blocks().iter().filter(|b| b.kind == Kind::Numbers) {
            steps(lint, &block.items);
        }
    }
    for line in shape.body() {
        arrows(lint, line);
        labels(lint, line, headings.contains(&line.number));
        if line.fenced == Fenced::Outside {
            shorthand(lint, line);
        }
    }
}

/// V13.
fn steps(lint: &mut Linting<'_>, items: &[Vec<Line<'_>>]) {
    for lines in items {
        let Some(line) = lines.first() else {
            continue;
        };
        let text = item(line.text).map_or(line.text, |(_, rest)| rest);
        let first = text.split_whitespace().next().unwrap_or_default();
        let bare = first
            .trim_matches(|c: char| !c.is_alphanumeric())
            .to_lowercase();
        let named = first.starts_with('`') || first.starts_with(|c: char| c.is_ascii_digit());
        if named || NO_STEP.contains(&bare.as_str()) {
            lint.warn("V13", line.whole(), "this does not begin as a step");
        }
    }
    if let (1, Some(line)) = (items.len(), items.first().and_then(|item| item.first())) {
        lint.warn("V13", line.whole(), "one numbered item is no order");
    }
}

/// V15.
fn arrows(lint: &mut Linting<'_>, line: &Line<'_>) {
    for (at, arrow) in line.text.match_indices("->") {
        lint.error("V15", line.span(at, at + arrow.len()), "an arrow");
    }
    for (at, arrow) in line.text.match_indices('\u{2192}') {
        lint.warn("V15", line.span(at, at + arrow.len()), "an arrow character");
    }
}

/// V16 and V17.
fn labels(lint: &mut Linting<'_>, line: &Line<'_>, heading: bool) {
    let text = line.text;
    let mut starts = vec![0];
    for (at, stop) in text.match_indices(['.', '!', '?']) {
        let rest = text.get(at + stop.len()..).unwrap_or_default();
        if rest.starts_with(char::is_whitespace) {
            starts.push(at + stop.len());
        }
    }
    for (index, start) in starts.into_iter().enumerate() {
        let Some(label) = label(text, start) else {
            continue;
        };
        let name = label.words.to_lowercase();
        let span = line.span(label.from, label.to);
        if LABELS.contains(&name.as_str()) {
            lint.error("V16", span, "one of the labels that reports no longer have");
        } else if index == 0 && !heading && short(label.words) {
            lint.warn("V17", span, "it reads as a label");
        }
    }
}

struct Label<'a> {
    words: &'a str,
    from: usize,
    to: usize,
}

/// What stands before a colon at the start of a sentence, list marks and emphasis left out.
fn label(text: &str, start: usize) -> Option<Label<'_>> {
    let rest = text.get(start..)?;
    let marks = |c: char| c.is_whitespace() || "*_#>-+".contains(c);
    let mut from = start + (rest.len() - rest.trim_start_matches(marks).len());
    if let Some((_, body)) = item(text.get(from..)?) {
        from = text.len() - body.trim_start_matches(marks).len();
    }
    let body = text.get(from..)?;
    let colon = body.find(':')?;
    let words = body.get(..colon)?.trim_end_matches(marks);
    let plain = |c: char| c.is_alphabetic() || c == ' ';
    let behind = body.get(colon + 1..)?;
    let ends = behind.is_empty() || behind.starts_with(marks);
    (!words.is_empty() && words.chars().all(plain) && ends).then_some(Label {
        words,
        from,
        to: from + colon + 1,
    })
}

/// One or two words, the first with a capital.
fn short(label: &str) -> bool {
    let count = label.split_whitespace().count();
    (1..=2).contains(&count) && label.starts_with(char::is_uppercase) && label != "Pick one"
}

/// V18 and V19.
fn shorthand(lint: &mut Linting<'_>, line: &Line<'_>) {
    for hit in find(line.text) {
        let span = line.span(hit.span.start, hit.span.end);
        let says = format!("shorthand; say {}", hit.entry.instead);
        lint.error("V18", span, says);
    }
    let bare = prose(line.text).to_ascii_lowercase();
    let all = words(&bare);
    for pair in all.windows(2) {
        let [first, second] = pair else {
            continue;
        };
        let word = bare.get(first.clone()).unwrap_or_default();
        let number = bare.get(second.clone()).unwrap_or_default();
        let digits = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
        if digits && matches!(word, "predicate" | "predicates") {
            let span = line.span(first.start, second.end);
            lint.error("V19", span, "a predicate by its number");
        }
    }
}
