//! `countersign report lint`: a verdict report against its rules.

use serde_json::json;

use super::Context;
use super::args::{ReportCommand, ReportLintArgs};
use super::contract::print;
use super::exit::Exit;
use super::json::print_json;
use super::menu;
use super::report::Report;
use crate::gate::menu::chase::{CLASSES, Class, Origin, Set};
use crate::gate::report::{
    CHECKLIST, Finding, Given, Hotfix, Linted, Severity, Variant, WORD_LIMIT, WORD_RULE, lint,
};

/// Runs it.
///
/// # Errors
/// A [`Report`]: the file cannot be read, or an option has an unknown word.
pub fn run(context: &Context, command: &ReportCommand) -> Result<Exit, Report> {
    match command {
        ReportCommand::Lint(args) => {
            let given = given(args)?;
            let message = menu::message(&context.dir, &args.file)?;
            let linted = lint(message.text.raw(), &given);
            if context.json {
                print_json(&document(&linted, &given));
            } else {
                print(&lines(&linted));
            }
            Ok(if linted.has_errors() {
                Exit::NotClear
            } else {
                Exit::Clear
            })
        }
    }
}

/// What was given, with every unknown word at once.
fn given(args: &ReportLintArgs) -> Result<Given, Report> {
    let mut wrong = Vec::new();
    let given = Given {
        variant: word(&args.variant, "variant", &VARIANTS, &mut wrong),
        class: match &args.class {
            Some(name) => Class::parse(name).or_else(|| {
                let names: Vec<&str> = CLASSES.iter().map(|row| row.name).collect();
                wrong.push(format!("--class is one of {}", names.join(", ")));
                None
            }),
            None => None,
        },
        origin: word(&args.origin, "origin", &ORIGINS, &mut wrong),
        addressable: word(&args.addressable, "addressable", &ANSWERS, &mut wrong),
        hotfix: word(&args.hotfix, "hotfix", &HOTFIXES, &mut wrong),
    };
    if wrong.is_empty() {
        return Ok(given);
    }
    Err(Report::new(
        Exit::Usage,
        "usage",
        "an option has a word that is not known",
    )
    .hint(wrong.join("; ")))
}

const VARIANTS: [(&str, Variant); 4] = [
    ("gate", Variant::Gate),
    ("draft-gated", Variant::DraftGated),
    ("draft", Variant::Draft),
    ("summary", Variant::Summary),
];
const ORIGINS: [(&str, Origin); 2] = [
    ("tracked", Origin::Tracked),
    ("untracked", Origin::Untracked),
];
const ANSWERS: [(&str, bool); 2] = [("yes", true), ("no", false)];
const HOTFIXES: [(&str, Hotfix); 4] = [
    ("none", Hotfix::None),
    ("aborted", Hotfix::Aborted),
    ("returned", Hotfix::Returned),
    ("unpushed", Hotfix::Unpushed),
];

fn word<T: Copy>(
    given: &Option<String>,
    option: &str,
    words: &[(&str, T)],
    wrong: &mut Vec<String>,
) -> Option<T> {
    let given = given.as_ref()?;
    let found = words.iter().find(|(word, _)| word == given);
    if found.is_none() {
        let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        wrong.push(format!("--{option} is one of {}", words.join(", ")));
    }
    found.map(|(_, value)| *value)
}

fn severity(finding: &Finding) -> &'static str {
    match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

fn set(linted: &Linted) -> Option<&'static str> {
    linted.set.map(|set| match set {
        Set::Real => "real",
        Set::Negative => "negative",
    })
}

fn document(linted: &Linted, given: &Given) -> serde_json::Value {
    json!({
        "schema": "countersign/report-lint/1",
        "variant": linted.variant.name(),
        "inferred": given.variant.is_none(),
        "class": given.class.map(|class| class.row().name),
        "set": set(linted),
        "words": linted.words,
        "word_limit": WORD_LIMIT,
        "word_rule": WORD_RULE,
        "violations": linted.findings.iter().map(|finding| json!({
            "id": finding.id,
            "severity": severity(finding),
            "line": finding.span.line,
            "column": finding.span.from,
            "end_column": finding.span.to,
            "message": finding.message,
            "hint": finding.hint(),
        })).collect::<Vec<_>>(),
        "checklist": CHECKLIST,
    })
}

fn lines(linted: &Linted) -> Vec<String> {
    let verdict = set(linted).unwrap_or("unknown");
    let mut out = vec![format!(
        "{} report, verdict {verdict}, {} words (fewer than {WORD_LIMIT})",
        linted.variant.name(),
        linted.words
    )];
    for finding in &linted.findings {
        let span = finding.span;
        out.push(format!(
            "{} {} line {}:{}: {}",
            severity(finding),
            finding.id,
            span.line,
            span.from,
            finding.message
        ));
        out.push(format!("  {}", finding.hint()));
    }
    let errors = linted
        .findings
        .iter()
        .filter(|f| f.severity == Severity::Error);
    let errors = errors.count();
    let warnings = linted.findings.len() - errors;
    out.push(format!("{errors} errors, {warnings} warnings"));
    out.push("for a person to look at, no linter can:".into());
    out.extend(CHECKLIST.iter().map(|line| format!("  {line}")));
    out
}
