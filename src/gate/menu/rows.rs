//! The four ways to write a row of a menu (verdict-menus 1.3).

use super::words::after_number;
use crate::model::menu::{Row, Style};
use crate::model::text::Foreign;

/// The tag of the row that the agent recommends.
pub(super) const TAG: &str = "[recommended]";
/// What opens the reason of a row that cannot be picked.
const UNAVAILABLE: &str = "unavailable: ";

/// A line that is written as a row, whatever stands around it.
pub(super) fn row_of(line: &str, number: u32) -> Option<(Style, Row)> {
    let text = line.trim_start_matches(' ');
    let indent = line.len() - text.len();
    let (n, rest) = after_number(text)?;
    if let Some(body) = rest.strip_prefix(". ") {
        if let Some((ticked, body)) = boxed(body) {
            return Some((Style::Checkbox, dashed(n, number, body, Some(ticked))));
        }
        let body = body.trim_start();
        if body.is_empty() {
            return None;
        }
        if indent == 2 && !body.contains(" - ") {
            return Some((Style::Course, course(n, number, body)));
        }
        return Some((Style::Verb, dashed(n, number, body, None)));
    }
    let body = rest.strip_prefix(" - ")?;
    let (body, recommended) = untagged(body);
    let (label, sentence) = body.split_once(": ")?;
    let row = Row {
        n,
        line: number,
        label: label.trim().into(),
        consequence: sentence.trim().into(),
        recommended,
        ticked: None,
        unavailable: None,
    };
    Some((Style::Labelled, row))
}

/// `[ ] ` or `[x] `, and what follows.
fn boxed(text: &str) -> Option<(bool, &str)> {
    let rest = text.strip_prefix('[')?;
    let mark = rest.chars().next()?;
    let rest = rest.get(mark.len_utf8()..)?.strip_prefix("] ")?;
    matches!(mark, ' ' | 'x' | 'X').then_some((mark != ' ', rest))
}

/// The text without its tag, and whether it had one.
fn untagged(text: &str) -> (&str, bool) {
    let text = text.trim_end();
    match text.strip_suffix(TAG) {
        Some(rest) => (rest.trim_end(), true),
        None => (text, false),
    }
}

/// `label - consequence`, where the consequence may be a reason against picking it.
fn dashed(n: u32, line: u32, body: &str, ticked: Option<bool>) -> Row {
    let (body, recommended) = untagged(body);
    let (label, consequence) = body.split_once(" - ").unwrap_or((body, ""));
    let why = consequence.strip_prefix(UNAVAILABLE).or_else(|| {
        let (_, why) = consequence.rsplit_once(" - unavailable: ")?;
        Some(why)
    });
    let label = if consequence.is_empty() {
        label.strip_suffix('.').unwrap_or(label)
    } else {
        label
    };
    Row {
        n,
        line,
        label: label.trim().into(),
        consequence: consequence.trim().into(),
        recommended,
        ticked,
        unavailable: why.map(|why| why.trim().into()),
    }
}

/// `course (note)`.
fn course(n: u32, line: u32, body: &str) -> Row {
    let (body, recommended) = untagged(body);
    let noted = body
        .strip_suffix(')')
        .and_then(|inner| inner.split_once(" ("));
    let (label, note) = noted.unwrap_or((body, ""));
    Row {
        n,
        line,
        label: label.trim().into(),
        consequence: Foreign::from(note.trim()),
        recommended,
        ticked: None,
        unavailable: None,
    }
}
