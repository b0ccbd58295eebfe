//! The text that an issue form of GitHub makes: `### Label` and the answer below it, always at
//! level 3, with a placeholder where nothing was answered. Only the fields whose label is that of
//! criteria are read; the boxes of the others ("I have searched") are none.

use crate::model::contract::State;

use super::complaints::Complaints;
use super::items;
use super::labels::{self, Means};
use super::lines::{Line, Veil};
use super::{Parts, section};

/// What stands in a field that was left blank.
const BLANK: &str = "_No response_";

/// What the lines of a file show; for detection.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Shape {
    fields: usize,
    criteria: bool,
    other: bool,
    before: bool,
    blank: bool,
}

impl Shape {
    /// Takes one open line.
    pub(super) fn see(&mut self, line: &Line<'_>) {
        self.blank |= line.trimmed() == BLANK;
        match items::heading(line) {
            Some((3, words)) => {
                self.fields += 1;
                self.criteria |= labels::means(words) == Means::Criteria;
            }
            Some((1 | 2, _)) => self.other = true,
            Some(_) => {}
            None => self.before |= self.fields == 0 && !line.is_blank(),
        }
    }

    /// Whether every heading is a field, nothing stands before the first, and there are several.
    pub(super) fn is_form(self) -> bool {
        self.fields > 1 && !self.other && !self.before
    }

    /// Whether a field was left blank, which only a form says.
    pub(super) fn has_blank(self) -> bool {
        self.blank
    }

    /// Whether a field is that of criteria.
    pub(super) fn has_criteria(self) -> bool {
        self.criteria
    }
}

/// Reads the text of a form.
pub(super) fn read(lines: &[Line<'_>], complaints: &mut Complaints) -> Parts {
    let mut fields: Vec<&[Line<'_>]> = Vec::new();
    let mut start = None;
    for (at, line) in lines.iter().enumerate() {
        let field = items::heading(line).filter(|_| line.veil == Veil::Open);
        let Some((3, words)) = field else { continue };
        if let Some(from) = start.take() {
            fields.extend(lines.get(from..at));
        }
        start = (labels::means(words) == Means::Criteria).then_some(at);
    }
    fields.extend(start.and_then(|from| lines.get(from..)));
    let answered = |field: &&&[Line<'_>]| field.iter().any(|line| line.trimmed() == BLANK);
    if let Some(field) = fields.iter().find(answered) {
        let line = field.first().map_or(0, |line| line.no);
        complaints.error(
            "no-criteria",
            line,
            "the field was left blank",
            "ask for the criteria in the issue",
        );
        return Parts {
            state: State::Empty,
            ..Parts::default()
        };
    }
    let fenced = |field: &&&[Line<'_>]| {
        let mut rest = field.iter().skip(1).filter(|line| !line.is_blank());
        let any = field.iter().skip(1).any(|line| line.veil == Veil::Fence);
        any && rest.all(|line| line.veil == Veil::Fence)
    };
    if let Some(field) = fields.iter().find(fenced) {
        let line = field.first().map_or(0, |line| line.no);
        complaints.error(
            "criteria-in-fence",
            line,
            "the form sets this field as code, so no item can be told from another",
            "name another contract, or take render: out of the form",
        );
        return Parts {
            state: State::NearMiss,
            ..Parts::default()
        };
    }
    match fields.as_slice() {
        [] => section::read(lines, section::HEADING, complaints),
        [one] => section::read(one, section::HEADING, complaints),
        several => {
            let whole: Vec<Line<'_>> = several
                .iter()
                .flat_map(|field| field.iter().cloned())
                .collect();
            section::read(&whole, section::HEADING, complaints)
        }
    }
}
