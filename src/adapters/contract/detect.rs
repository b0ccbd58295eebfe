//! Which format a file is, how sure that is, and why.

use crate::model::contract::{Confidence, Format};
use crate::model::id::RepoPath;

use super::attributes::{Key, Looks, looks};
use super::lines::{Line, Veil};
use super::tasks::{self, Numbering};
use super::{
    backlog, erg, findings, gauntlet, gherkin, issue_form, items, kiro, openspec, reach, sdd,
    spec_kit, unlazy,
};

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
        (Format::Erg, marks.erg()),
        (Format::Gherkin, marks.gherkin()),
        (Format::FindingsSpec, marks.findings()),
        (Format::Backlog, marks.backlog()),
        (Format::SpecKit, marks.spec_kit()),
        (Format::OpenSpec, marks.openspec()),
        (Format::Kiro, marks.kiro()),
        (Format::Sdd, marks.sdd()),
        (Format::GauntletSpec, marks.gauntlet()),
        (Format::IssueForm, marks.issue_form()),
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

/// Whether the file is a list of numbered tasks.
pub(super) fn has_tasks(lines: &[Line<'_>], numbering: Numbering) -> bool {
    lines
        .iter()
        .any(|line| line.veil == Veil::Open && tasks::is_numbered(line, numbering))
}

/// Whether the file has numbered requirements of Kiro.
pub(super) fn has_requirements(lines: &[Line<'_>]) -> bool {
    lines.iter().any(|line| {
        line.veil == Veil::Open
            && items::heading(line)
                .is_some_and(|(level, words)| level == 3 && kiro::requirement(words).is_some())
    })
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
    erg: Erg,
    suite: bool,
    findings_title: bool,
    backlog_markers: bool,
    backlog_front: bool,
    backlog_path: bool,
    node: bool,
    feature_title: bool,
    tasks_title: bool,
    labelled: usize,
    checks: usize,
    lettered: usize,
    dotted: usize,
    openspec_path: bool,
    openspec_spec: bool,
    openspec: openspec::Shape,
    kiro_path: bool,
    kiro_title: bool,
    kiro_requirement: bool,
    kiro_reference: bool,
    ears: usize,
    disposition: bool,
    gauntlet_path: bool,
    form: issue_form::Shape,
}

/// What speaks for a ticket.
#[derive(Default)]
enum Erg {
    #[default]
    No,
    /// Only its name.
    Path,
    /// Its first line begins like one, and both separators stand there.
    Near,
    /// Its first line.
    Magic,
}

impl Erg {
    fn of(whole: &str, lines: &[Line<'_>]) -> Self {
        let first = lines.first();
        if first.is_some_and(erg::is_magic) {
            Self::Magic
        } else if first.is_some_and(erg::is_near_magic) && erg::has_parts(lines) {
            Self::Near
        } else if whole.ends_with(".erg") {
            Self::Path
        } else {
            Self::No
        }
    }
}

/// Whether a path is that of a dated spec of gauntlet: `doc/specs/YYYY-MM-DD-name.md`.
fn is_dated_spec(whole: &str, name: &str) -> bool {
    let folder = whole.contains("doc/specs/") || whole.contains("docs/specs/");
    folder && name.get(..10).is_some_and(super::marks::is_date)
}

impl Marks {
    fn of(path: &RepoPath, lines: &[Line<'_>]) -> Self {
        let whole = String::from_utf8_lossy(path.as_bytes()).into_owned();
        let name = whole.rsplit('/').next().unwrap_or_default().to_owned();
        let mut marks = Self {
            gates_path: name.eq_ignore_ascii_case("gates.md") || whole.contains("gates/"),
            contracts_path: whole.contains("tasks/contracts/"),
            erg: Erg::of(&whole, lines),
            suite: gherkin::is_path(path),
            backlog_markers: backlog::has_markers(lines),
            backlog_front: backlog::has_front(lines),
            backlog_path: whole.contains("backlog/"),
            node: sdd::has_front(lines),
            openspec_path: whole.contains("openspec/"),
            openspec_spec: whole.contains("openspec/") && name == "spec.md",
            kiro_path: whole.contains(".kiro/specs/"),
            gauntlet_path: is_dated_spec(&whole, &name),
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
            marks.of_others(line);
        }
        (marks.section, marks.task_in_section) = reach::present(lines);
        marks
    }

    /// Marks of the formats that others wrote.
    fn of_others(&mut self, line: &Line<'_>) {
        let text = line.text.as_ref();
        self.findings_title |= text.starts_with(findings::TITLE);
        self.feature_title |= text.starts_with("# Feature Specification");
        self.tasks_title |= text.starts_with("# Tasks");
        self.kiro_title |= text.starts_with("# Requirements Document")
            || text.starts_with("# Implementation Plan");
        self.kiro_reference |= line.trimmed().contains("_Requirements:");
        self.labelled += usize::from(spec_kit::labelled(line).is_some());
        self.checks += usize::from(spec_kit::is_check(line));
        self.lettered += usize::from(tasks::is_numbered(line, Numbering::Letter));
        self.dotted += usize::from(tasks::is_numbered(line, Numbering::Dotted));
        self.disposition |= gauntlet::disposition(line).is_some();
        self.form.see(line);
        if let Some((level, words)) = items::heading(line) {
            self.openspec.see(level, words);
            self.kiro_requirement |= level == 3 && kiro::requirement(words).is_some();
        }
        let item = items::ordinal(line).and_then(|_| items::listed(line));
        self.ears += usize::from(item.is_some_and(|(_, text)| kiro::is_ears(text)));
    }

    fn erg(&self) -> Claim {
        match self.erg {
            Erg::Magic => Some((Confidence::High, "its first line is that of a ticket")),
            Erg::Near => Some((Confidence::Medium, "it has the parts of a ticket")),
            Erg::Path => Some((Confidence::Medium, "its name is that of a ticket")),
            Erg::No => None,
        }
    }

    fn gherkin(&self) -> Claim {
        self.suite
            .then_some((Confidence::High, "its name is that of a suite"))
    }

    fn findings(&self) -> Claim {
        self.findings_title.then_some((
            Confidence::High,
            "the title is that of a derived spec of findings",
        ))
    }

    fn backlog(&self) -> Claim {
        if self.backlog_markers {
            return Some((Confidence::High, "it has the markers of Backlog.md"));
        }
        (self.backlog_front && self.backlog_path && self.section).then_some((
            Confidence::Medium,
            "its front matter and folder are those of Backlog.md, and it has no markers",
        ))
    }

    fn spec_kit(&self) -> Claim {
        if self.feature_title && self.labelled > 0 {
            return Some((
                Confidence::High,
                "the title is # Feature Specification, and bullets carry FR- or SC- labels",
            ));
        }
        if self.checks > 1 {
            return Some((Confidence::Medium, "boxes carry CHK numbers"));
        }
        if self.labelled > 1 && !self.contract_title {
            return Some((Confidence::Medium, "bullets carry FR- or SC- labels"));
        }
        if self.lettered > 1 {
            return Some((Confidence::Medium, "boxes carry T numbers"));
        }
        None
    }

    fn openspec(&self) -> Claim {
        if self.openspec.is_spec() && (self.openspec.has_scenario() || self.openspec_path) {
            return Some((
                Confidence::High,
                "it has requirements and scenarios in the headings of OpenSpec",
            ));
        }
        if self.openspec.is_spec() {
            return Some((Confidence::Medium, "it has requirements of OpenSpec"));
        }
        if self.openspec_spec {
            return Some((Confidence::Medium, "a spec.md in a folder of OpenSpec"));
        }
        (self.openspec_path && self.dotted > 0)
            .then_some((Confidence::Medium, "numbered tasks in a folder of OpenSpec"))
    }

    fn kiro(&self) -> Claim {
        if self.kiro_requirement && (self.kiro_title || self.kiro_path) {
            return Some((
                Confidence::High,
                "it has numbered requirements under the title or in the folder of Kiro",
            ));
        }
        if self.kiro_requirement && self.ears > 0 {
            return Some((
                Confidence::High,
                "numbered requirements carry criteria in EARS form",
            ));
        }
        let tasks = self.task && (self.kiro_path || (self.kiro_title && self.kiro_reference));
        tasks.then_some((
            Confidence::Medium,
            "tasks that name the requirements they serve",
        ))
    }

    fn sdd(&self) -> Claim {
        self.node
            .then_some((Confidence::High, "its front matter is that of a spec node"))
    }

    fn gauntlet(&self) -> Claim {
        if self.task_in_section && self.disposition {
            return Some((
                Confidence::High,
                "rows under the acceptance heading carry dispositions",
            ));
        }
        (self.section && self.gauntlet_path).then_some((
            Confidence::Medium,
            "a dated spec with an acceptance heading",
        ))
    }

    fn issue_form(&self) -> Claim {
        if !self.form.is_form() {
            return None;
        }
        match (self.form.has_blank(), self.form.has_criteria()) {
            (true, _) => Some((
                Confidence::High,
                "every heading is a field, and one was left blank",
            )),
            (false, true) => Some((
                Confidence::Medium,
                "every heading is of level 3, as a form makes them",
            )),
            (false, false) => None,
        }
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
                "generic reader: a task list under an acceptance heading",
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
