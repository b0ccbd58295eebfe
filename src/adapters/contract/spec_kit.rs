//! spec-kit: `FR-` and `SC-` bullets and the numbered scenarios of user stories. The boxes of a
//! `CHK` checklist judge the requirements and not the work, so such a file is no contract.

use crate::model::contract::{Kind, State};
use crate::model::id::CriterionId;

use super::complaints::Complaints;
use super::items::{self, Item, Name};
use super::lines::{Line, Veil};
use super::{Parts, labels};

/// Prefixes of labelled bullets that are criteria.
const LABELS: [&str; 3] = ["FR-", "SC-", "NFR-"];

/// The label and text of a bullet `- **FR-001**: text`.
pub(super) fn labelled<'a>(line: &'a Line<'_>) -> Option<(CriterionId, &'a str)> {
    let (_, text) = items::listed(line)?;
    let (id, at) = labels::own(text, false)?;
    let known = LABELS.iter().any(|label| id.as_str().starts_with(label));
    known.then(|| (id, text.get(at..).unwrap_or_default()))
}

/// Whether the line is an item of a checklist that judges requirements.
pub(super) fn is_check(line: &Line<'_>) -> bool {
    items::task(line).is_some_and(|task| {
        let digits = task.body.strip_prefix("CHK");
        digits.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    })
}

/// The number of a heading `User Story N`.
fn story(words: &str) -> Option<String> {
    let rest = words.strip_prefix("User Story ")?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    (!digits.is_empty()).then_some(digits)
}

fn is_scenarios(line: &Line<'_>) -> bool {
    let words = line.trimmed().trim_start_matches(['#', '*', ' ']);
    words
        .get(..20)
        .is_some_and(|start| start.eq_ignore_ascii_case("acceptance scenarios"))
}

/// Reads a specification.
pub(super) fn read(lines: &[Line<'_>], complaints: &mut Complaints) -> Parts {
    let mut found: Vec<Item> = Vec::new();
    let mut number: Option<String> = None;
    let mut scenarios = false;
    let mut open = false;
    let mut checks = None;
    for line in lines.iter().filter(|line| line.veil == Veil::Open) {
        if line.is_blank() {
            continue;
        }
        if is_check(line) {
            checks = checks.or(Some(line.no));
        }
        if line.text.contains("[NEEDS CLARIFICATION") {
            complaints.warn(
                "needs-clarification",
                line.no,
                "a question of the specification is still open here",
                "answer it in the specification",
            );
        }
        if is_scenarios(line) {
            (scenarios, open) = (true, false);
            continue;
        }
        if let Some((_, words)) = items::heading(line) {
            (scenarios, open) = (false, false);
            number = story(words).or(number.filter(|_| words.starts_with("Acceptance")));
            continue;
        }
        if let Some((id, text)) = labelled(line) {
            found.push(Item::new(Name::Own(id), line, text, Kind::Manual));
            open = true;
            scenarios = false;
            continue;
        }
        if scenarios && let Some(own) = items::ordinal(line).filter(|_| line.indent() < 4) {
            let text = items::listed(line).map_or("", |(_, text)| text);
            let id = match &number {
                Some(number) => CriterionId::new(&format!("US{number}.{own}")),
                None => CriterionId::new(&format!("AS{own}")),
            };
            let name = id.map_or(Name::Position, Name::Own);
            found.push(Item::new(name, line, text, Kind::Scenario));
            open = true;
            continue;
        }
        match found.last_mut().filter(|_| open && line.indent() >= 2) {
            Some(item) => item.extend(line),
            None => open = false,
        }
    }
    let mut parts = Parts {
        criteria: items::criteria(found, complaints),
        ..Parts::default()
    };
    parts.state = match (parts.criteria.is_empty(), checks) {
        (false, _) => State::Found,
        (true, Some(line)) => {
            complaints.error(
                "checks-requirements",
                line,
                "the boxes of this checklist judge the requirements, not the work",
                "name spec.md or tasks.md of the same folder",
            );
            State::NearMiss
        }
        (true, None) => {
            complaints.error(
                "no-criteria",
                0,
                "there is no FR-, no SC- and no acceptance scenario",
                "write - **FR-001**: ...",
            );
            State::Absent
        }
    };
    parts
}
