//! `spec suite`: the form of a suite, on its syntax tree (G24). What is no Gherkin replaces every
//! other finding of that file, and of no other.

use super::scenario_map;
use crate::model::id::RepoPath;
use crate::model::known::Known;
use crate::model::spec::feature::{Argument, Examples, Rule, Scenario, Step, StepKind, Suite};
use crate::model::spec::{Note, Tree, quoted};
use crate::model::text::Foreign;

/// Words that hedge.
const HEDGES: [&str; 4] = ["sometimes", "usually", "often", "occasionally"];
/// Words of a rubric that leaked into a Then.
const RUBRIC: [&str; 3] = ["score", "threshold", "rubric"];
/// Words that make such a step a yes or no.
const EXEMPT: [&str; 13] = [
    "no", "not", "never", "without", "nor", "pass", "passing", "fail", "failing", "boolean",
    "true", "false", "verdict",
];
/// More scenarios than this want sections.
const UNSECTIONED: usize = 6;

/// Judges the suites of a tree; only those named, unless none is.
#[must_use]
pub fn tree(tree: &Tree, only: &[RepoPath]) -> Vec<Note> {
    let mut notes = Vec::new();
    for (path, why) in &tree.unread {
        notes.push(Note::violation(
            path,
            0,
            "unreadable",
            why,
            "make it readable",
        ));
    }
    let mine = |path: &RepoPath| only.is_empty() || only.contains(path);
    for (path, suite) in tree.suites.iter().filter(|(path, _)| mine(path)) {
        match suite {
            Known::Is(suite) => self::suite(suite, &mut notes),
            Known::Unknown(why) => {
                let says = why.to_string();
                notes.push(Note::violation(
                    path,
                    0,
                    "unreadable",
                    says,
                    "make it readable",
                ));
            }
            Known::NotApplicable(_) | Known::NotSupplied => {}
        }
    }
    for node in &tree.nodes {
        let suites = tree
            .suites
            .iter()
            .filter(|(path, _)| node.suites.contains(path));
        let suites: Vec<_> = suites.collect();
        if suites.iter().any(|(path, _)| mine(path)) {
            scenario_map::bind(node, &suites, &mut notes);
        }
    }
    notes.sort();
    notes
}

/// Judges one suite by its form.
pub fn suite(suite: &Suite, notes: &mut Vec<Note>) {
    let path = &suite.path;
    if !suite.errors.is_empty() {
        for (line, why) in &suite.errors {
            let says = format!("no Gherkin: {why}");
            let hint = "mend it; nothing else of this file was looked at";
            notes.push(Note::violation(path, *line, "gherkin", says, hint));
        }
        return;
    }
    let Some(feature) = &suite.feature else {
        let says = "no Feature line";
        notes.push(Note::violation(
            path,
            1,
            "no-feature-line",
            says,
            "write one",
        ));
        return;
    };
    let backgrounds = feature.background.iter();
    let ruled = feature
        .rules
        .iter()
        .filter_map(|rule| rule.background.as_ref());
    for background in backgrounds.chain(ruled) {
        background
            .steps
            .iter()
            .for_each(|step| hedge(path, step, notes));
    }
    let mut titles: Vec<(Option<u32>, &Foreign)> = Vec::new();
    for (rule, scenario) in suite.scenarios() {
        one(suite, rule, scenario, notes);
        let key = (rule.map(|rule| rule.title.line), &scenario.title.name);
        if titles.contains(&key) {
            let says = format!("a second scenario of the title {}", quoted(key.1));
            let hint = "give it a title of its own";
            notes.push(Note::finding(
                path,
                scenario.title.line,
                "double-title",
                says,
                hint,
            ));
        }
        titles.push(key);
    }
    let sectioned = suite.comments.iter().any(|comment| {
        let text = comment.text.raw_str().unwrap_or_default();
        text.contains("──") || text.contains("--")
    });
    if titles.len() > UNSECTIONED && !sectioned {
        let says = format!("{} scenarios and no section comment", titles.len());
        let hint = "divide them by comments like # ── Section ──";
        notes.push(Note::violation(
            path,
            feature.title.line,
            "sections",
            says,
            hint,
        ));
    }
}

fn one(suite: &Suite, rule: Option<&Rule>, scenario: &Scenario, notes: &mut Vec<Note>) {
    let path = &suite.path;
    let line = scenario.title.line;
    let title = quoted(&scenario.title.name);
    let mut note = |code, what: &str, hint| {
        notes.push(Note::violation(
            path,
            line,
            code,
            format!("{title} {what}"),
            hint,
        ));
    };
    let has = |kind: &[StepKind]| scenario.steps.iter().any(|step| kind.contains(&step.kind));
    if scenario.steps.is_empty() {
        note("no-steps", "has no step", "write its steps");
    } else {
        if !has(&[StepKind::Given, StepKind::When]) {
            note(
                "no-given",
                "has neither Given nor When",
                "say what it starts from",
            );
        }
        if !has(&[StepKind::Then]) {
            note("no-then", "has no Then", "say what must hold");
        }
    }
    let rubric = scenario.tagged("rubric", rule, suite);
    for step in &scenario.steps {
        hedge(path, step, notes);
        if step.kind == StepKind::Then && !rubric {
            leak(path, step, notes);
        }
        if rubric {
            dead(path, step, notes);
        }
    }
    outline(path, scenario, &title, notes);
}

/// The words of a text, lower case.
fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

fn hedge(path: &RepoPath, step: &Step, notes: &mut Vec<Note>) {
    let words = words(step.text.raw_str().unwrap_or_default());
    if let Some(word) = words.iter().find(|word| HEDGES.contains(&word.as_str())) {
        let says = format!("the step hedges: {word}");
        let hint = "say when it holds, or take it out";
        notes.push(Note::violation(path, step.line, "hedge", says, hint));
    }
}

fn leaks(text: &str) -> bool {
    let range = ["1-5", "1–5"].iter().any(|range| {
        text.match_indices(range).any(|(at, found)| {
            let edge = |c: Option<char>| !c.is_some_and(char::is_alphanumeric);
            edge(text[..at].chars().next_back()) && edge(text[at + found.len()..].chars().next())
        })
    });
    range
        || words(text)
            .iter()
            .any(|word| RUBRIC.contains(&word.as_str()))
}

fn exempt(text: &str) -> bool {
    words(text)
        .iter()
        .any(|word| EXEMPT.contains(&word.as_str()))
}

/// The clauses of a step.
fn clauses(text: &str) -> Vec<&str> {
    let mut parts = vec![text];
    for mark in [",", ";", " — ", " and ", " but ", " or "] {
        parts = parts.iter().flat_map(|part| part.split(mark)).collect();
    }
    parts
}

/// A rubric in a step that has to be a yes or no. The source exempts by a word anywhere in the
/// step; a word in another clause only softens it to a finding (G25).
fn leak(path: &RepoPath, step: &Step, notes: &mut Vec<Note>) {
    let text = step.text.raw_str().unwrap_or_default();
    if !leaks(text) {
        return;
    }
    let says = "the step speaks of a rubric instead of a yes or no";
    let hint = "say what must hold, or tag the scenario @rubric";
    if !exempt(text) {
        notes.push(Note::violation(
            path,
            step.line,
            "leaked-rubric",
            says,
            hint,
        ));
    } else if clauses(text)
        .iter()
        .any(|part| leaks(part) && !exempt(part))
    {
        notes.push(Note::finding(path, step.line, "rubric-clause", says, hint));
    }
}

/// A rubric whose parts cannot reach its threshold.
fn dead(path: &RepoPath, step: &Step, notes: &mut Vec<Note>) {
    let Some(Argument::Doc { line, text, .. }) = &step.argument else {
        return;
    };
    let text = text.raw_str().unwrap_or_default();
    let value = |line: &str, key: &str| -> Option<Option<f64>> {
        let bare = line.trim().trim_start_matches("- ").trim_start();
        let rest = bare.strip_prefix(key)?.trim();
        Some(rest.parse().ok().filter(|n: &f64| n.is_finite()))
    };
    let most: Option<Vec<f64>> = text
        .lines()
        .filter_map(|line| value(line, "max:"))
        .collect();
    let threshold = text
        .lines()
        .filter_map(|line| value(line, "threshold:"))
        .next_back();
    if let (Some(most), Some(Some(threshold))) = (most, threshold)
        && !most.is_empty()
        && most.iter().sum::<f64>() < threshold
    {
        let sum: f64 = most.iter().sum();
        let says = format!("the rubric reaches {sum} at most and asks for {threshold}");
        let hint = "lower the threshold, or add to its parts";
        notes.push(Note::violation(path, *line, "dead-rubric", says, hint));
    }
}

/// The `<placeholders>` of a text.
fn placeholders(text: &Foreign) -> Vec<String> {
    let text = text.raw_str().unwrap_or_default();
    let mut out = Vec::new();
    for part in text.split('<').skip(1) {
        if let Some((name, _)) = part.split_once('>')
            && !name.is_empty()
            && !name.contains('\n')
        {
            out.push(name.to_owned());
        }
    }
    out
}

fn outline(path: &RepoPath, scenario: &Scenario, title: &str, notes: &mut Vec<Note>) {
    if !scenario.is_outline() {
        return;
    }
    let line = scenario.title.line;
    if scenario
        .examples
        .iter()
        .all(|examples| examples.rows.is_empty())
    {
        let says = format!("{title} is an outline without examples");
        notes.push(Note::violation(
            path,
            line,
            "no-examples",
            says,
            "give it a row",
        ));
    }
    for examples in scenario.examples.iter().filter(|e| e.header.is_some()) {
        let absent = |text: &Foreign| -> Vec<String> {
            let names = placeholders(text);
            names
                .into_iter()
                .filter(|name| !covers(examples, name))
                .collect()
        };
        for step in &scenario.steps {
            for name in absent(&step.text) {
                let shown = quoted(&Foreign::from(name));
                let says = format!(
                    "no column {shown} in the examples of line {}",
                    examples.title.line
                );
                let hint = "add the column, or name one that is there";
                notes.push(Note::violation(path, step.line, "placeholder", says, hint));
            }
        }
        let beside = beside(scenario);
        for (line, text) in beside {
            for name in absent(text) {
                let shown = quoted(&Foreign::from(name));
                let says = format!(
                    "no column {shown} in the examples of line {}",
                    examples.title.line
                );
                let hint = "add the column, or leave it when it is meant as text";
                notes.push(Note::finding(path, line, "placeholder-beside", says, hint));
            }
        }
    }
}

/// Where placeholders count beside step lines: title, doc strings, tables.
fn beside(scenario: &Scenario) -> Vec<(u32, &Foreign)> {
    let mut out = vec![(scenario.title.line, &scenario.title.name)];
    for step in &scenario.steps {
        match &step.argument {
            Some(Argument::Doc { line, text, media }) => {
                out.extend([(*line, text), (*line, media)]);
            }
            Some(Argument::Table(rows)) => {
                let cells = rows
                    .iter()
                    .flat_map(|row| row.cells.iter().map(|c| (row.line, c)));
                out.extend(cells);
            }
            None => {}
        }
    }
    out
}

fn covers(examples: &Examples, name: &str) -> bool {
    let header = examples.header.iter().flat_map(|header| &header.cells);
    header.into_iter().any(|cell| cell.raw() == name.as_bytes())
}
