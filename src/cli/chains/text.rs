//! The report in the source's four steps, and the map.

use std::collections::{BTreeMap, BTreeSet};

use super::{Findings, SKIPPED, shown};
use crate::adapters::chains::scope::{Scope, State};
use crate::gate::chains::{Finding, prescribe};
use crate::model::chain::{Basis, Callee, Chain, Level, Severity, Status, Strength};

/// An empty scope: only one that is truly empty says skipped (rulings H15).
pub(super) fn nothing(found: &Findings) -> Vec<String> {
    let mut out = Vec::new();
    if found.scoped.state == State::Empty {
        out.push(SKIPPED.to_owned());
    } else {
        let files = found.scoped.files.unwrap_or(0);
        out.push(format!(
            "No SKILL.md files left in scope: {files} files are listed, those named like a skill are none below the root {} or are outside the root.",
            found.root
        ));
    }
    problems(found, &mut out);
    out
}

/// What was found beside the skills.
fn problems(found: &Findings, out: &mut Vec<String>) {
    for (path, problem) in &found.gathered.problems {
        out.push(format!("  {} {}", shown(&path.foreign()), problem.says()));
    }
}

/// Scope and calibration, before anything is reported.
fn step_0(found: &Findings) -> Vec<String> {
    let mut out = vec![
        "## Step 0 — Scope and Calibration".to_owned(),
        String::new(),
    ];
    let base = found.base.as_ref().map_or_else(String::new, |base| {
        format!(
            ", since {}",
            shown(&crate::model::text::Foreign::from(base.as_str()))
        )
    });
    out.push(format!(
        "Scope: {}{base}, root {}, profile {}",
        words(&found.scope),
        shown(&crate::model::text::Foreign::from(found.root.as_str())),
        shown(&crate::model::text::Foreign::from(
            found.profile.name.as_str()
        ))
    ));
    problems(found, &mut out);
    let right = found
        .calibration
        .pairs
        .iter()
        .filter(|seen| seen.ok())
        .count();
    out.push(format!(
        "Calibration: {right} of {} known pairs are right",
        found.calibration.pairs.len()
    ));
    for seen in &found.calibration.pairs {
        let got = seen.got.map_or("no dispatch", Status::word);
        let basis: Vec<&str> = seen.basis.iter().map(|basis| basis.code()).collect();
        let basis = if basis.is_empty() {
            String::new()
        } else {
            format!(" ({})", basis.join(", "))
        };
        let must = if seen.ok() { "" } else { " — must be " };
        let must_be = if seen.ok() { "" } else { seen.expect.word() };
        out.push(format!(
            "  {} → {}: {got}{basis}, {}{must}{must_be}",
            seen.caller,
            seen.callee,
            seen.sort.word()
        ));
    }
    out.push(String::new());
    out
}

fn words(scope: &Scope) -> String {
    shown(&crate::model::text::Foreign::from(scope.words()))
}

/// The whole report. A failed calibration leaves its pairs and nothing else (rulings H12).
pub(super) fn report(found: &Findings) -> Vec<String> {
    let mut out = step_0(found);
    if !found.calibration.ok() {
        out.push(
            "HARNESS_ERROR: the calibration failed — an instrument that cannot separate the known pairs reports nothing"
                .to_owned(),
        );
        return out;
    }
    step_1(found, &mut out);
    step_2(found, &mut out);
    step_3(found, &mut out);
    if found.profile.mentions {
        map(found, &mut out);
    }
    step_4(found, &mut out);
    out
}

fn step_1(found: &Findings, out: &mut Vec<String>) {
    out.push("## Step 1 — Chain Extraction".to_owned());
    let mut of: BTreeMap<u32, Vec<&Chain>> = BTreeMap::new();
    for (chain, caller) in found.audit.chains.iter().zip(&found.audit.callers) {
        of.entry(*caller).or_default().push(chain);
    }
    for number in found.audited() {
        let Some(skill) = found.audit.skills.get(number as usize) else {
            continue;
        };
        let chains = of.remove(&number).unwrap_or_default();
        out.push(String::new());
        out.push(format!("Skill: {}", shown(&skill.name)));
        let names: Vec<String> = chains
            .iter()
            .map(|chain| format!("→ {}", shown(&chain.callee)))
            .collect();
        out.push(format!("  §Chains dispatches: {}", or_none(&names, ", ")));
        let waits: Vec<String> = skill.waits.iter().map(shown).collect();
        out.push(format!(
            "  §Done When (Pass A — caller-wait signals): {}",
            or_none(&waits, " / ")
        ));
        for chain in chains {
            let text = chain
                .verdict_text
                .as_ref()
                .filter(|_| chain.level > Level::None);
            out.push(format!(
                "  {} §Done When (Pass B — callee-output signals): {}",
                shown(&chain.callee),
                text.map_or_else(|| "none".to_owned(), shown)
            ));
        }
    }
    out.push(String::new());
}

fn or_none(list: &[String], between: &str) -> String {
    if list.is_empty() {
        "none".to_owned()
    } else {
        list.join(between)
    }
}

/// Why, in the source's words.
pub(super) fn basis(chain: &Chain) -> String {
    if chain.status == Status::Closed {
        return if chain.closed_form.is_some() {
            "Criteria 1+2 pass; criterion 3 advisory met".to_owned()
        } else {
            "Criteria 1+2 pass".to_owned()
        };
    }
    let words: Vec<String> = chain
        .basis
        .iter()
        .map(|basis| match basis {
            Basis::AMissing => "Caller §Done When: no Pass A signals".to_owned(),
            Basis::AUnbound => "Caller §Done When: Pass A signal is bound to no callee".to_owned(),
            Basis::ANegated => "Caller §Done When: Pass A signal is negated".to_owned(),
            Basis::BMissing => "Callee §Done When: no Pass B signals".to_owned(),
            Basis::BPartial => "Callee §Done When: Pass B signals are partial".to_owned(),
            Basis::CpGap => "CONDITIONAL_PASS gap".to_owned(),
            Basis::DeclaredOpen => "declared-open".to_owned(),
            Basis::UnresolvedTarget => match chain.callee_at {
                Callee::Missing(kind) => format!("unresolved-target: {}", kind.word()),
                Callee::Skill(_) => "unresolved-target".to_owned(),
            },
        })
        .collect();
    words.join("; ")
}

/// Severity as the table prints it.
pub(super) fn severity(chain: &Chain) -> String {
    if chain.status == Status::Closed {
        "—".to_owned()
    } else if chain.strength == Strength::Advisory {
        format!("{} (advisory)", chain.severity.word())
    } else {
        chain.severity.word().to_owned()
    }
}

pub(super) fn step_2(found: &Findings, out: &mut Vec<String>) {
    out.push("## Step 2 — Chain Classification".to_owned());
    out.push(String::new());
    out.push("| Caller | → Callee | Status | Severity | Basis |".to_owned());
    out.push("|---|---|:---:|:---:|---|".to_owned());
    let cell = |text: String| text.replace('|', "\\|");
    for chain in found.chains() {
        out.push(format!(
            "| {} | {} | {} | {} | {} |",
            cell(shown(&chain.caller)),
            cell(shown(&chain.callee)),
            chain.status.word(),
            severity(chain),
            basis(chain)
        ));
    }
    out.push(String::new());
}

/// The OPEN chains that count.
pub(super) fn open(found: &Findings) -> impl Iterator<Item = &Chain> {
    let chains = found.chains().iter();
    chains.filter(|chain| chain.status == Status::Open && chain.dispatches())
}

/// What to read before a prescription is given.
pub(super) fn read_first(chain: &Chain) -> Option<String> {
    let badges = chain.flags.iter().filter(|flag| flag.read_first());
    let badges: Vec<&str> = badges.map(|flag| flag.words()).collect();
    if !chain.read_first() {
        return None;
    }
    let places: BTreeSet<(bool, u32)> = chain.spans.iter().map(|s| (s.callee, s.line)).collect();
    let places: Vec<String> = places
        .iter()
        .map(|(callee, line)| {
            let file = match (&chain.callee_at, callee) {
                (Callee::Skill(file), true) => file,
                (Callee::Skill(_) | Callee::Missing(_), _) => &chain.caller_file,
            };
            format!("{}:{line}", shown(&file.foreign()))
        })
        .collect();
    Some(format!(
        "read before prescribing: {}, {}",
        badges.join(", "),
        places.join(", ")
    ))
}

fn step_3(found: &Findings, out: &mut Vec<String>) {
    out.push("## Step 3 — Fix Prescriptions".to_owned());
    out.push(String::new());
    let mut any = false;
    for chain in open(found) {
        any = true;
        out.push(format!(
            "### OPEN: {} → {} (Severity: {})",
            shown(&chain.caller),
            shown(&chain.callee),
            chain.severity.word()
        ));
        out.push(String::new());
        if let Some(line) = read_first(chain) {
            out.push(line);
            out.push(String::new());
        }
        let prescription = prescribe(chain);
        if prescription.is_empty() {
            out.push("Declared open in the text: a person accepts it, or it is closed.".to_owned());
        } else {
            out.push("Required changes:".to_owned());
            out.push(String::new());
            out.extend(prescription.lines());
        }
        out.push(String::new());
    }
    if !any {
        out.push("No OPEN chains.".to_owned());
        out.push(String::new());
    }
}

fn step_4(found: &Findings, out: &mut Vec<String>) {
    let sums = &found.counts;
    out.push("## return-path-gate Audit Complete".to_owned());
    out.push(String::new());
    out.push(format!("Scope: {}", words(&found.scope)));
    out.push(format!("Skills audited: {}", found.audited().len()));
    out.push(format!("Chains evaluated: {}", sums.evaluated()));
    out.push(String::new());
    out.push("Results:".to_owned());
    out.push(format!("  CLOSED: {} chains", sums.closed));
    out.push(format!(
        "  OPEN:   {} chains (HIGH: {} / MEDIUM: {} / LOW: {})",
        sums.open(),
        sums.high,
        sums.medium,
        sums.low
    ));
    for (n, what) in [
        (sums.advisory, "Advisory"),
        (sums.countersigned, "Closed by a person"),
        (sums.accepted, "Declared open, accepted"),
    ] {
        if n > 0 {
            out.push(format!("  {what}: {n} (listed, not counted)"));
        }
    }
    if found.unread > 0 {
        out.push(format!("  Not read: {}", found.unread));
    }
    out.push(String::new());
    let high = open(found).filter(|chain| chain.severity == Severity::High);
    let mut high = high.peekable();
    if high.peek().is_some() {
        out.push("HIGH severity OPEN chains (requires immediate fix):".to_owned());
        for chain in high {
            out.push(format!(
                "  - {} → {}",
                shown(&chain.caller),
                shown(&chain.callee)
            ));
        }
        out.push(String::new());
    }
    if sums.open() > 0 {
        out.push("Next actions:".to_owned());
        out.push("  - Apply prescriptions above for each OPEN chain".to_owned());
        out.push(
            "  - Re-run /return-path-gate --skill [name] after each fix to confirm CLOSED"
                .to_owned(),
        );
        if sums.high > 0 {
            out.push(
                "  - HIGH severity chains block pipeline-conductor Step 0.5 pre-flight".to_owned(),
            );
        }
        out.push(String::new());
    }
    if let Some(verdict) = found.verdict {
        out.push(format!(
            "Verdict: {} ({})",
            verdict.word(),
            verdict.meaning()
        ));
    }
}

/// Only the map, after the calibration.
pub(super) fn map_only(found: &Findings) -> Vec<String> {
    let mut out = step_0(found);
    if found.calibration.ok() {
        map(found, &mut out);
    }
    out
}

/// The tree of dispatches, and what its shape shows.
fn map(found: &Findings, out: &mut Vec<String>) {
    out.push("## Map".to_owned());
    out.push(String::new());
    let mut of: BTreeMap<u32, Vec<&Chain>> = BTreeMap::new();
    for (chain, caller) in found.audit.chains.iter().zip(&found.audit.callers) {
        of.entry(*caller).or_default().push(chain);
    }
    for (caller, chains) in &of {
        out.push(found.name(*caller));
        for (at, chain) in chains.iter().enumerate() {
            let branch = if at + 1 == chains.len() {
                "└─"
            } else {
                "├─"
            };
            out.push(format!(
                " {branch} {}  {} {}",
                shown(&chain.callee),
                chain.status.word(),
                chain.strength.word()
            ));
        }
    }
    if of.is_empty() {
        out.push("nobody dispatches anybody".to_owned());
    }
    out.push(String::new());
    let mut lines: Vec<String> = Vec::new();
    for row in &found.audit.unresolved {
        lines.push(format!(
            "{}: {} names {}, line {}",
            row.kind.word(),
            found.name(row.caller),
            shown(&row.name),
            row.line
        ));
    }
    lines.extend(
        found
            .shape
            .findings
            .iter()
            .map(|finding| says(found, finding)),
    );
    if !found.audit.mentions.is_empty() {
        let pairs: BTreeSet<(u32, u32)> = found
            .audit
            .mentions
            .iter()
            .map(|m| (m.caller, m.callee))
            .collect();
        lines.push(format!(
            "named outside every section: {} pairs",
            pairs.len()
        ));
    }
    if !lines.is_empty() {
        out.extend(lines);
        out.push(String::new());
    }
}

/// A finding of the map in one line.
pub(super) fn says(found: &Findings, finding: &Finding) -> String {
    let pair = |at: usize| {
        let chain = found.audit.chains.get(at);
        chain.map_or_else(String::new, |chain| {
            format!("{} → {}", shown(&chain.caller), shown(&chain.callee))
        })
    };
    match finding {
        Finding::Cycle(numbers) => {
            let names: Vec<String> = numbers.iter().map(|n| found.name(*n)).collect();
            format!("cycle: {}", names.join(", "))
        }
        Finding::Orphan(number) => format!("orphan: {}", found.name(*number)),
        Finding::NoReturn(at) => format!("mandatory, no return wording: {}", pair(*at)),
        Finding::Unhandled(at, words) => {
            format!("declared, not handled: {}: {}", pair(*at), words.join(", "))
        }
    }
}
