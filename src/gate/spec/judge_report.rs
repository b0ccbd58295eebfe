//! The report of a spec judge: its shape is checked, what contradicts itself is refused, and what
//! it says about advancing is read out. A conformance warning never blocks.

use crate::model::spec::front::{Entry, Front, Is, Value, find};
use crate::model::spec::{count, quoted};
use crate::model::text::Foreign;

/// The lenses of the spec gate.
pub const LENSES: [&str; 3] = ["oracle", "builder", "architect"];
/// Sections that a conformance warning may name.
const SECTIONS: [&str; 4] = ["What", "Use Cases", "Control Flow", "Scenario map"];
/// Every field.
const FIELDS: [&str; 11] = [
    "STATUS",
    "PREFLIGHT",
    "CONFORMANCE",
    "LENS",
    "ALIGNED",
    "SCENARIOS_PASSING",
    "SCENARIOS_FAILING",
    "BLOCKER",
    "QUESTIONS",
    "CONTENT_GAPS",
    "OBSERVATIONS",
];

/// A report as it was read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// `complete`, `needs-input` or `blocked`.
    pub status: Option<&'static str>,
    /// Whether the preflight passed.
    pub preflight: Option<bool>,
    /// What the preflight missed.
    pub preflight_missing: Vec<Foreign>,
    /// Missing sections; none when it conforms.
    pub conformance: Vec<Foreign>,
    /// Lens and whether it passed, in the order of [`LENSES`].
    pub lens: [Option<bool>; 3],
    /// Whether spec and suite say the same.
    pub aligned: Option<bool>,
    /// Scenarios that passed.
    pub passing: Vec<Foreign>,
    /// Scenarios that failed, with lens and check.
    pub failing: Vec<(Foreign, Foreign, Foreign)>,
    /// What blocks the judge itself.
    pub blocker: Option<Foreign>,
    /// What it asks.
    pub questions: Vec<Foreign>,
    /// Gaps: artifact, location, gap.
    pub gaps: Vec<(Foreign, Foreign, Foreign)>,
    /// Observations: owner, note, evidence.
    pub observations: Vec<(Foreign, Foreign, Foreign)>,
    /// What is wrong with the report itself, with 1-based lines; with any, it is refused.
    pub faults: Vec<(u32, String)>,
    /// Fields that are not known, with lines.
    pub unknown: Vec<(u32, Foreign)>,
}

impl Report {
    /// Why nothing may advance on this report; empty when it may. No person can override these.
    #[must_use]
    pub fn blocks(&self) -> Vec<String> {
        if let Some((line, what)) = self.faults.first() {
            let more = match self.faults.len() {
                1 => String::new(),
                more => format!(" and {}", count(more - 1, "more fault")),
            };
            return vec![format!(
                "the judge report is refused: line {line}: {what}{more}"
            )];
        }
        let mut out = Vec::new();
        if self.preflight == Some(false) {
            out.push(String::from("the preflight failed"));
        }
        for (name, passed) in LENSES.iter().zip(self.lens) {
            if passed == Some(false) {
                out.push(format!("the lens {name} fails"));
            }
        }
        if self.aligned == Some(false) {
            out.push(String::from("the suite is not aligned with the spec"));
        }
        if let Some(status) = self.status.filter(|status| *status != "complete") {
            out.push(format!("the judge is not done: {status}"));
        }
        if !self.failing.is_empty() && out.is_empty() {
            out.push(match self.failing.len() {
                1 => String::from("1 scenario fails"),
                many => format!("{many} scenarios fail"),
            });
        }
        out
    }
}

/// Reads a report out of its fields.
#[must_use]
pub fn read(front: &Front) -> Report {
    let mut report = Report::default();
    let entries = match front {
        Front::Read {
            entries, doubled, ..
        } => {
            for (line, key) in doubled {
                report
                    .faults
                    .push((*line, format!("{} stands twice", quoted(key))));
            }
            entries
        }
        Front::Broken { line, why } => {
            report
                .faults
                .push((*line, format!("it cannot be read: {why}")));
            return report;
        }
        Front::Absent => {
            report.faults.push((1, String::from("it holds no fields")));
            return report;
        }
    };
    for entry in entries {
        if !FIELDS.contains(&entry.key.raw_str().unwrap_or_default()) {
            report.unknown.push((entry.line, entry.key.clone()));
        }
    }
    fields(entries, &mut report);
    contradictions(entries, &mut report);
    report.faults.sort();
    report
}

fn fields(entries: &[Entry], report: &mut Report) {
    let mut faults = Vec::new();
    report.status = word(
        entries,
        "STATUS",
        &["complete", "needs-input", "blocked"],
        &mut faults,
    );
    if let Some(preflight) = map(entries, "PREFLIGHT", true, &mut faults) {
        let result = word(preflight, "result", &["pass", "fail"], &mut faults);
        report.preflight = result.map(|word| word == "pass");
        report.preflight_missing = texts(preflight, "missing", &mut faults);
        let kind = find(preflight, "finding-kind").filter(|kind| !kind.value.is_null());
        match (report.preflight, kind) {
            (Some(true), Some(kind)) => {
                faults.push((
                    kind.line,
                    String::from("the preflight passed and names a finding"),
                ));
            }
            (Some(false), Some(kind))
                if kind.value.word() != Some("governance-preflight-missing") =>
            {
                faults.push((
                    kind.line,
                    String::from("finding-kind is not one that is known"),
                ));
            }
            _ => {}
        }
        if report.preflight == Some(true) && !report.preflight_missing.is_empty() {
            let line = line(preflight, "missing");
            faults.push((
                line,
                String::from("the preflight passed and misses something"),
            ));
        }
    }
    if let Some(conformance) = map(entries, "CONFORMANCE", false, &mut faults) {
        let result = word(conformance, "result", &["pass", "warn"], &mut faults);
        report.conformance = texts(conformance, "missing", &mut faults);
        let at = line(conformance, "missing");
        match (result, report.conformance.is_empty()) {
            (Some("pass"), false) => {
                faults.push((at, String::from("conformance passes and misses something")));
            }
            (Some("warn"), true) => {
                faults.push((at, String::from("conformance warns and names nothing")));
            }
            _ => {}
        }
        for section in &report.conformance {
            if !SECTIONS.contains(&section.raw_str().unwrap_or_default()) {
                faults.push((at, format!("{} is no required section", quoted(section))));
            }
        }
    }
    let lenses = report.preflight == Some(true);
    if let Some(lens) = map(entries, "LENS", lenses, &mut faults) {
        for (slot, name) in report.lens.iter_mut().zip(LENSES) {
            let passed = word(lens, name, &["pass", "fail"], &mut faults);
            *slot = passed.map(|word| word == "pass");
        }
    }
    report.aligned = match find(entries, "ALIGNED").map(|entry| (entry.line, entry.value.word())) {
        Some((_, Some("true"))) => Some(true),
        Some((_, Some("false"))) => Some(false),
        Some((line, _)) => {
            faults.push((line, String::from("ALIGNED is neither true nor false")));
            None
        }
        None => {
            faults.push((1, String::from("ALIGNED is missing")));
            None
        }
    };
    report.passing = texts(entries, "SCENARIOS_PASSING", &mut faults);
    report.failing = rows(
        entries,
        "SCENARIOS_FAILING",
        ["scenario", "lens", "failed_check"],
        &mut faults,
    );
    report.questions = texts(entries, "QUESTIONS", &mut faults);
    report.gaps = rows(
        entries,
        "CONTENT_GAPS",
        ["artifact", "location", "gap"],
        &mut faults,
    );
    let owners = ["owner", "note", "evidence"];
    report.observations = rows(entries, "OBSERVATIONS", owners, &mut faults);
    let blocker = find(entries, "BLOCKER").filter(|entry| !entry.value.is_null());
    report.blocker = blocker.and_then(|entry| entry.value.text().cloned());
    if let Some(entry) = blocker.filter(|entry| entry.value.text().is_none()) {
        faults.push((entry.line, String::from("BLOCKER is no text")));
    }
    report.faults.append(&mut faults);
}

/// What cannot be true together.
fn contradictions(entries: &[Entry], report: &mut Report) {
    let mut faults = Vec::new();
    let mut both = |key: &str, what: &str| faults.push((line(entries, key), what.to_owned()));
    if report.preflight == Some(false) {
        if report.aligned == Some(true) {
            both(
                "ALIGNED",
                "the preflight failed and the suite is called aligned",
            );
        }
        if report.lens.iter().any(Option::is_some) {
            both("LENS", "the preflight failed and lenses were judged");
        }
    }
    let failed = |name: &str| {
        let at = LENSES.iter().position(|lens| *lens == name);
        at.and_then(|at| report.lens.get(at).copied().flatten()) == Some(false)
    };
    for (scenario, lens, _) in &report.failing {
        let name = lens.raw_str().unwrap_or_default();
        if !LENSES.contains(&name) {
            both(
                "SCENARIOS_FAILING",
                &format!("there is no lens {}", quoted(lens)),
            );
        } else if !failed(name) {
            let what = format!("{} fails the lens {name}, which passes", quoted(scenario));
            both("SCENARIOS_FAILING", &what);
        }
        if report.passing.contains(scenario) {
            let what = format!("{} both passes and fails", quoted(scenario));
            both("SCENARIOS_FAILING", &what);
        }
    }
    for (owner, ..) in &report.observations {
        if !["architect", "strategist"].contains(&owner.raw_str().unwrap_or_default()) {
            both(
                "OBSERVATIONS",
                &format!("{} owns no observations", quoted(owner)),
            );
        }
    }
    let (asks, blocked) = (!report.questions.is_empty(), report.blocker.is_some());
    match report.status {
        Some("complete") if asks => both("QUESTIONS", "it is complete and asks"),
        Some("complete") if blocked => both("BLOCKER", "it is complete and blocked"),
        Some("needs-input") if !asks => both("STATUS", "it needs input and asks nothing"),
        Some("blocked") if !blocked => both("STATUS", "it is blocked and names no blocker"),
        _ => {}
    }
    report.faults.append(&mut faults);
}

type Faults = Vec<(u32, String)>;

fn line(entries: &[Entry], key: &str) -> u32 {
    let first = entries.first().map_or(1, |entry| entry.line);
    find(entries, key).map_or(first, |entry| entry.line)
}

fn word(
    entries: &[Entry],
    key: &str,
    known: &[&'static str],
    faults: &mut Faults,
) -> Option<&'static str> {
    let found = find(entries, key).and_then(|entry| entry.value.word());
    let word = found.and_then(|word| known.iter().find(|known| **known == word).copied());
    if word.is_none() {
        let what = match found {
            None => format!("{key} is missing"),
            Some(_) => format!("{key} is none of {}", known.join(", ")),
        };
        faults.push((line(entries, key), what));
    }
    word
}

fn map<'a>(
    entries: &'a [Entry],
    key: &str,
    needed: bool,
    faults: &mut Faults,
) -> Option<&'a [Entry]> {
    let entry = find(entries, key).filter(|entry| !entry.value.is_null());
    let Some(entry) = entry else {
        if needed {
            faults.push((line(entries, key), format!("{key} is missing")));
        }
        return None;
    };
    let map = entry.value.map();
    if map.is_none() {
        faults.push((entry.line, format!("{key} is no map")));
    }
    map
}

fn list<'a>(entries: &'a [Entry], key: &str, faults: &mut Faults) -> &'a [Value] {
    match find(entries, key).map(|entry| (&entry.value.is, entry.line)) {
        None | Some((Is::Null, _)) => &[],
        Some((Is::List(values), _)) => values,
        Some((_, line)) => {
            faults.push((line, format!("{key} is no list")));
            &[]
        }
    }
}

fn texts(entries: &[Entry], key: &str, faults: &mut Faults) -> Vec<Foreign> {
    let mut out = Vec::new();
    for value in list(entries, key, faults) {
        match value.text() {
            Some(text) => out.push(text.clone()),
            None => faults.push((value.line, format!("{key} holds something that is no text"))),
        }
    }
    out
}

fn rows(
    entries: &[Entry],
    key: &str,
    names: [&str; 3],
    faults: &mut Faults,
) -> Vec<(Foreign, Foreign, Foreign)> {
    let mut out = Vec::new();
    for value in list(entries, key, faults) {
        let fields = value.map().unwrap_or_default();
        let text = |name: &str| find(fields, name).and_then(|entry| entry.value.text().cloned());
        let [a, b, c] = names.map(text);
        match (a, b, c) {
            (Some(a), Some(b), Some(c)) => out.push((a, b, c)),
            _ => faults.push((
                value.line,
                format!("a row of {key} needs {}", names.join(", ")),
            )),
        }
    }
    out
}
