//! `countersign contract`: what stands in a contract, and what a change did to it.

mod diff;
pub mod file;
pub mod json;

use std::io::Write as _;

use super::Context;
use super::args::ContractCommand;
use super::exit::Exit;
use super::json::print_json;
use super::report::Report;
use crate::adapters::contract::{FORMATS, questions, read};
use crate::model::contract::{
    Complaint, Contract, Criterion, Format, ScopeSays, Severity, Source, State,
};
use crate::model::text::{Foreign, Place};
use crate::runtime::lines;

/// Runs it.
///
/// # Errors
/// A [`Report`].
pub fn run(context: &Context, args: ContractCommand) -> Result<Exit, Report> {
    match args {
        ContractCommand::Show { path, format } => {
            let forced = forced(format.as_deref())?;
            let given = file::given(&context.dir, &path)?;
            let contract = read(&given.path, &given.bytes, forced);
            if context.json {
                print_json(&json::document(&contract, &given.bytes, &Source::File));
            } else {
                print(&lines(&contract));
            }
            Ok(exit(&contract))
        }
        ContractCommand::Diff { path, base } => diff::run(context, &path, base.as_deref()),
    }
}

/// The format of this name; none was asked for without one.
///
/// # Errors
/// Exit 2 with every format there is.
pub fn forced(name: Option<&str>) -> Result<Option<Format>, Report> {
    name.map(named).transpose()
}

fn named(name: &str) -> Result<Format, Report> {
    Format::parse(name).ok_or_else(|| {
        let known: Vec<_> = FORMATS.iter().map(|reader| reader.name).collect();
        let shown = Foreign::from(name).shown(Place::Strict);
        let mut report = Report::new(
            Exit::Usage,
            "unknown-format",
            format!("there is no format {shown}"),
        )
        .hint(format!("use one of {}", known.join(", ")));
        for reader in FORMATS {
            report = report.hint(format!("{}: {}", reader.name, reader.description));
        }
        report
    })
}

/// The exit of `contract show`: by the state, then by the errors.
#[must_use]
pub fn exit(contract: &Contract) -> Exit {
    match contract.state {
        State::Unreadable => Exit::CouldNotMeasure,
        State::Absent | State::Empty | State::NearMiss => Exit::NotClear,
        State::Found | State::Prose if contract.errors().next().is_some() => Exit::Usage,
        State::Found | State::Prose => Exit::Clear,
    }
}

/// Writes lines to stdout; a closed pipe is no failure of ours.
pub(super) fn print(lines: &[String]) {
    let mut out = lines::stdout();
    for line in lines {
        if writeln!(out, "{line}").is_err() {
            return;
        }
    }
}

/// Text from outside on one line; wrapped lines joined by a blank.
pub(super) fn one_line(text: &Foreign) -> String {
    let shown = text.shown_lines(Place::Prose);
    let parts: Vec<_> = shown
        .iter()
        .map(|line| line.plain().trim().to_owned())
        .filter(|line| !line.is_empty())
        .collect();
    parts.join(" ")
}

fn strict(text: &Foreign) -> String {
    text.shown(Place::Strict).plain()
}

fn lines(contract: &Contract) -> Vec<String> {
    let mut out = vec![first_line(contract)];
    out.push(format!(
        "format {} ({}: {}), state {}",
        contract.format.name(),
        contract.confidence.word(),
        contract.why,
        json::state(contract.state)
    ));
    header(contract, &mut out);
    for criterion in &contract.criteria {
        out.push(String::new());
        criterion_lines(contract, criterion, &mut out);
    }
    if !contract.scope.is_empty() {
        out.push(String::new());
        out.push("FILE SCOPE".into());
        out.extend(contract.scope.iter().map(scope_line));
    }
    if !contract.complaints.is_empty() {
        out.push(String::new());
    }
    out.extend(contract.complaints.iter().map(complaint));
    out
}

/// The line that the interview prints when it has written a contract.
fn first_line(contract: &Contract) -> String {
    let path = strict(&contract.path.foreign());
    let count = contract.criteria.len();
    if contract.format != Format::Interview {
        return format!("CONTRACT: {path} — {count} criteria");
    }
    let wide = |says: &ScopeSays| matches!(says, ScopeSays::RepoWide(_));
    let scope = if contract.scope.iter().any(|entry| wide(&entry.says)) {
        "repo-wide"
    } else {
        "files"
    };
    let asked = questions(&contract.clarifications);
    format!("CONTRACT: {path} — {count} criteria, scope {scope}, {asked} questions asked")
}

fn header(contract: &Contract, out: &mut Vec<String>) {
    let header = &contract.header;
    let fields = [
        ("title", &header.slug),
        ("date", &header.date),
        ("flow", &header.flow),
        ("branch", &header.branch),
        ("status", &header.status),
        ("supersedes", &header.supersedes),
    ];
    let shown: Vec<_> = fields
        .into_iter()
        .filter_map(|(name, field)| Some(format!("{name} {}", strict(field.as_ref()?))))
        .collect();
    if !shown.is_empty() {
        out.push(shown.join(" | "));
    }
    if let Some(note) = &header.flow_note {
        out.push(format!("flow note {}", strict(note)));
    }
}

fn criterion_lines(contract: &Contract, criterion: &Criterion, out: &mut Vec<String>) {
    let mut marks = vec![json::kind(criterion.kind).to_owned()];
    if let Some(ticked) = criterion.ticked {
        marks.push(if ticked { "[x]" } else { "[ ]" }.into());
    }
    let flags = [
        (criterion.optional, "optional"),
        (criterion.post_merge, "post-merge"),
        (!criterion.gated.is_empty(), "gated"),
    ];
    marks.extend(
        flags
            .into_iter()
            .filter(|(set, _)| *set)
            .map(|(_, word)| word.to_owned()),
    );
    if let Some(said) = &criterion.disposition {
        let says = format!("{} {}", said.token.word(), strict(&said.says));
        marks.push(says.trim_end().to_owned());
    }
    let mut text = criterion
        .text
        .shown_lines(Place::Prose)
        .into_iter()
        .map(|line| line.plain());
    let first = text.next().unwrap_or_default();
    out.push(format!("{:<3} {first}", criterion.id.as_str()));
    out.extend(text.map(|line| format!("    {line}")));
    out.push(format!(
        "    lines {}-{}, {}",
        criterion.line,
        criterion.end_line,
        marks.join(", ")
    ));
    if let Some(oracle) = &criterion.oracle {
        out.push(format!("    CHECK: {}", strict(&oracle.check)));
        out.push(format!("    EXPECT: {}", expect(oracle)));
    }
    if let Some(slot) = &criterion.evidence {
        out.push(format!("    EVIDENCE: {}", strict(&slot.value)));
    }
    if let Some(abandonment) = contract.abandonment(&criterion.id) {
        out.push(format!("    ABANDON: {}", strict(&abandonment.reason)));
    }
}

fn expect(oracle: &crate::model::oracle::Oracle) -> String {
    use crate::model::oracle::Expect;
    match &oracle.expect {
        Expect::Plain(marker) => strict(marker),
        Expect::Regex { source, flags } => format!("/{}/{}", strict(source), strict(flags)),
        Expect::ExitOnly => "(exit 0, no marker)".into(),
    }
}

fn scope_line(entry: &crate::model::contract::ScopeEntry) -> String {
    let says = match &entry.says {
        ScopeSays::Glob(glob) => strict(glob),
        ScopeSays::Outside(glob) => format!("outside: {}", strict(glob)),
        ScopeSays::RepoWide(Some(reason)) => format!("repo-wide — {}", one_line(reason)),
        ScopeSays::RepoWide(None) => "repo-wide".into(),
        ScopeSays::Unread => format!("not understood: {}", one_line(&entry.text)),
    };
    let gated = if entry.gated.is_empty() {
        ""
    } else {
        " [gated]"
    };
    let note = entry
        .note
        .as_ref()
        .map_or(String::new(), |note| format!(" ({})", one_line(note)));
    format!("  line {}: {says}{note}{gated}", entry.line)
}

/// A complaint on one line.
pub(super) fn complaint(complaint: &Complaint) -> String {
    let word = match complaint.severity {
        Severity::Error => "ERROR",
        Severity::Warning => "WARNING",
    };
    let place = match complaint.line {
        0 => String::new(),
        line => format!(" line {line}:"),
    };
    let hint = if complaint.hint.is_empty() {
        String::new()
    } else {
        format!(" ({})", complaint.hint)
    };
    format!(
        "{word}{place} {}: {}{hint}",
        complaint.code, complaint.message
    )
}
