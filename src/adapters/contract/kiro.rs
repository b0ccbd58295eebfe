//! Kiro: `### Requirement N` with numbered criteria in EARS form. A criterion is called by the
//! number of its requirement and its own.

use crate::model::contract::{Kind, State};
use crate::model::id::CriterionId;

use super::Parts;
use super::complaints::Complaints;
use super::items::{self, Item, Name};
use super::labels::{self, Means};
use super::lines::{Line, Veil};

/// The words that open a criterion in EARS form.
const EARS: [&str; 6] = ["WHEN", "IF", "WHILE", "WHERE", "THE", "UPON"];

/// The number of a heading `Requirement N`, with or without a title after it.
pub(super) fn requirement(words: &str) -> Option<&str> {
    let rest = words.strip_prefix("Requirement ")?;
    let digits = rest
        .bytes()
        .take_while(|b| b.is_ascii_digit() || *b == b'.')
        .count();
    let number = rest.get(..digits)?.trim_end_matches('.');
    let after = rest.get(digits..)?;
    let parted = after.is_empty() || after.starts_with([':', ' ', '-']);
    (parted && number.starts_with(|c: char| c.is_ascii_digit())).then_some(number)
}

/// Whether the text is in EARS form: it opens with one of the words and says what shall be.
pub(super) fn is_ears(text: &str) -> bool {
    let plain = text.trim_start_matches(['*', '_']);
    let opens = EARS.iter().any(|word| {
        plain
            .get(..word.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(word))
            && plain
                .get(word.len()..)
                .is_some_and(|rest| rest.starts_with([' ', '*', '_']))
    });
    opens && text.to_uppercase().contains("SHALL")
}

/// Reads a file of requirements.
pub(super) fn read(lines: &[Line<'_>], complaints: &mut Complaints) -> Parts {
    let mut found: Vec<Item> = Vec::new();
    let mut number: Option<&str> = None;
    let mut inside = false;
    let mut sections = 0;
    let mut open = false;
    for line in lines.iter().filter(|line| line.veil == Veil::Open) {
        if let Some((level, words)) = items::heading(line) {
            open = false;
            match level {
                4 => inside = labels::means(words) == Means::Criteria,
                1..=3 => {
                    number = requirement(words);
                    inside = false;
                }
                _ => {}
            }
            sections += usize::from(inside);
            continue;
        }
        if !inside || line.is_blank() {
            continue;
        }
        let Some(own) = items::ordinal(line).filter(|_| line.indent() < 4) else {
            match found.last_mut().filter(|_| open) {
                Some(item) => item.extend(line),
                None => complaints.warn(
                    "not-numbered",
                    line.no,
                    "this stands among the criteria and has no number; it is not read",
                    "write 1. WHEN ... THE SYSTEM SHALL ...",
                ),
            }
            continue;
        };
        let text = items::listed(line).map_or("", |(_, text)| text);
        let name = match number {
            Some(number) => CriterionId::new(&format!("{number}.{own}")),
            None => CriterionId::new(own),
        };
        let name = name.map_or(Name::Position, Name::Own);
        found.push(Item::new(name, line, text, Kind::Scenario));
        open = true;
    }
    for item in &found {
        if !is_ears(&item.text) {
            complaints.warn(
                "not-ears",
                item.line,
                "the criterion is not in EARS form",
                "write WHEN or IF, and what the system SHALL do",
            );
        }
    }
    let mut parts = Parts {
        criteria: items::criteria(found, complaints),
        ..Parts::default()
    };
    parts.state = match (parts.criteria.is_empty(), sections) {
        (false, _) => State::Found,
        (true, 0) => {
            complaints.error(
                "no-section",
                0,
                "no requirement has acceptance criteria",
                "write #### Acceptance Criteria below ### Requirement 1",
            );
            State::Absent
        }
        (true, _) => {
            complaints.error(
                "no-criteria",
                0,
                "the acceptance criteria are empty",
                "write at least one numbered criterion",
            );
            State::Empty
        }
    };
    parts
}
