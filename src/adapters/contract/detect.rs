//! Which format a file is, how sure that is, and why.

use crate::model::contract::{Confidence, Format};
use crate::model::id::RepoPath;

use super::attributes::{Key, Looks, looks};
use super::lines::{Line, Veil};
use super::{reach, unlazy};

/// The format with the most confidence; ties go to the more specific one.
pub(super) fn detect(
    path: &RepoPath,
    lines: &[Line<'_>],
    forced: Option<Format>,
) -> (Format, Confidence, String) {
    let marks = Marks::of(path, lines);
    let claims = [
        (Format::Interview, marks.interview()),
        (Format::Unlazy, marks.unlazy()),
        (Format::Checklist, marks.checklist()),
        (Format::Heading, marks.heading()),
    ];
    if let Some(format) = forced {
        let claim = claims.into_iter().find(|(of, _)| *of == format);
        let confidence = claim
            .and_then(|(_, claim)| claim)
            .map_or(Confidence::Low, |(confidence, _)| confidence);
        return (format, confidence, String::from("asked for by name"));
    }
    let mut best: Option<(Format, Confidence, &'static str)> = None;
    for (format, claim) in claims {
        if let Some((confidence, why)) = claim
            && best.is_none_or(|(_, than, _)| confidence > than)
        {
            best = Some((format, confidence, why));
        }
    }
    best.map_or(
        (
            Format::Heading,
            Confidence::Low,
            String::from("generic reader: nothing in the file claims a format"),
        ),
        |(format, confidence, why)| (format, confidence, why.to_owned()),
    )
}

type Claim = Option<(Confidence, &'static str)>;

/// What the lines show, gathered in one pass.
#[derive(Default)]
struct Marks {
    contract_title: bool,
    gates_title: bool,
    gates_path: bool,
    contracts_path: bool,
    criteria_heading: bool,
    numbered: bool,
    check: bool,
    gate_with_attribute: bool,
    any_gate: bool,
    section: bool,
    task_in_section: bool,
    task: bool,
}

impl Marks {
    fn of(path: &RepoPath, lines: &[Line<'_>]) -> Self {
        let whole = String::from_utf8_lossy(path.as_bytes()).into_owned();
        let name = whole.rsplit('/').next().unwrap_or_default().to_owned();
        let mut marks = Self {
            gates_path: name.eq_ignore_ascii_case("gates.md") || whole.contains("gates/"),
            contracts_path: whole.contains("tasks/contracts/"),
            ..Self::default()
        };
        let mut gate = false;
        for line in lines.iter().filter(|line| line.veil == Veil::Open) {
            let text = line.text.as_ref();
            marks.contract_title |= text.starts_with("# CONTRACT")
                && text
                    .get(10..)
                    .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
            marks.gates_title |= text.starts_with("# Gates");
            marks.criteria_heading |= text.starts_with("## ACCEPTANCE CRITERIA");
            marks.numbered |= text.starts_with(|c: char| c.is_ascii_digit());
            let attribute = matches!(
                looks(line),
                Some(Looks::Attribute(Key::Check | Key::Expect, _))
            );
            marks.check |= attribute;
            let opens = unlazy::is_gate(line);
            gate |= opens;
            marks.any_gate |= opens;
            marks.gate_with_attribute |= gate && attribute;
            marks.task |= reach::is_task(line);
        }
        (marks.section, marks.task_in_section) = reach::present(lines);
        marks
    }

    fn interview(&self) -> Claim {
        if self.contract_title {
            return Some((Confidence::High, "the title is # CONTRACT"));
        }
        if self.criteria_heading {
            return Some((
                Confidence::Medium,
                "it has a ## ACCEPTANCE CRITERIA section",
            ));
        }
        if self.contracts_path {
            return Some((Confidence::Medium, "it lies in a contracts folder"));
        }
        (self.numbered && self.check && !self.any_gate)
            .then_some((Confidence::Medium, "numbered lines carry CHECK lines"))
    }

    fn unlazy(&self) -> Claim {
        if self.gate_with_attribute && (self.gates_title || self.gates_path) {
            return Some((Confidence::High, "it is a gates file with CHECK lines"));
        }
        if self.gate_with_attribute {
            return Some((Confidence::High, "boxes with ids carry CHECK lines"));
        }
        (self.gates_title || (self.gates_path && self.any_gate))
            .then_some((Confidence::Medium, "its title or path is that of gates"))
    }

    fn checklist(&self) -> Claim {
        if self.task_in_section {
            return Some((
                Confidence::Medium,
                "a task list stands under an acceptance heading",
            ));
        }
        (self.task && !self.section).then_some((
            Confidence::Low,
            "generic reader: a task list, without an acceptance heading",
        ))
    }

    fn heading(&self) -> Claim {
        self.section.then_some((
            Confidence::Medium,
            "generic reader: it has an acceptance or exit-criteria heading",
        ))
    }
}
