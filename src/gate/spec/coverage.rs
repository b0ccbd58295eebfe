//! Use-case coverage: every row of a Use Cases table names a scenario or a tag of the suite beside
//! it (G26). It fails closed.

use crate::model::known::Known;
use crate::model::spec::feature::{Scenario, Suite};
use crate::model::spec::{Document, Note, Row, quoted};
use crate::model::text::Foreign;

/// The suite beside a document: what it says about it.
pub type Beside<'a> = [&'a Known<Suite>];

/// Judges the Use Cases of a document against the suites beside it. Without such a section, or a
/// table with a Scenario column in it, there is nothing to judge.
pub fn judge(document: &Document, suites: &Beside<'_>, notes: &mut Vec<Note>) {
    let Some(section) = document.section(|text| text.starts_with("Use Cases")) else {
        return;
    };
    for table in document.tables_in(section) {
        let header = table.rows.first();
        let column = header.and_then(|row| {
            row.cells.iter().position(|cell| {
                let text = cell.text.raw_str().unwrap_or_default();
                text.eq_ignore_ascii_case("scenario")
            })
        });
        let Some(column) = column else { continue };
        for row in table.rows.iter().skip(2) {
            judge_row(document, row, column, suites, notes);
        }
    }
}

fn judge_row(
    document: &Document,
    row: &Row,
    column: usize,
    suites: &Beside<'_>,
    notes: &mut Vec<Note>,
) {
    let mut note = |code, says: String, hint| {
        notes.push(Note::violation(&document.path, row.line, code, says, hint));
    };
    let label = row
        .cells
        .first()
        .map_or_else(String::new, |cell| quoted(&cell.text));
    let spans = row
        .cells
        .get(column)
        .map(|cell| cell.spans.as_slice())
        .unwrap_or_default();
    let Some((first, later)) = spans.split_first() else {
        let says = format!("the row {label} names no scenario in backticks");
        note(
            "coverage-row",
            says,
            "name it as `Scenario: title` or `@tag`",
        );
        return;
    };
    let named = later.iter().filter(|span| refers(span).is_some());
    for span in std::iter::once(first).chain(named) {
        if suites.is_empty() {
            let says = format!("{} has no suite beside it to resolve in", quoted(span));
            note("coverage-no-suite", says, "write the suite");
            continue;
        }
        if suites.iter().any(|suite| readable(suite).is_none()) {
            let says = format!(
                "the suite of {} cannot be read, so nothing resolves",
                quoted(span)
            );
            note("coverage-unknown", says, "mend the suite first");
            continue;
        }
        let all = || suites.iter().filter_map(|suite| readable(suite));
        let found = match refers(span) {
            Some(Refers::Tag(name)) => all().any(|suite| tags(suite).contains(&name)),
            Some(Refers::Title(name)) => all().any(|suite| titled(suite, name)),
            None if all().any(|suite| titled(suite, span.raw_str().unwrap_or_default())) => {
                let says = format!("{} is a bare title and resolves to nothing", quoted(span));
                note("coverage-bare", says, "write `Scenario:` before the title");
                continue;
            }
            None => false,
        };
        if !found {
            let says = format!("{} does not resolve in the suite beside it", quoted(span));
            note(
                "coverage-unresolved",
                says,
                "name a scenario or a tag that is there",
            );
        }
    }
}

fn readable(suite: &Known<Suite>) -> Option<&Suite> {
    suite.known().filter(|suite| suite.errors.is_empty())
}

enum Refers<'a> {
    Tag(&'a str),
    Title(&'a str),
}

/// What a span refers to: `@tag`, or a keyword of scenarios with a title.
fn refers(span: &Foreign) -> Option<Refers<'_>> {
    let text = span.raw_str()?;
    if let Some(tag) = text.strip_prefix('@') {
        return Some(Refers::Tag(tag));
    }
    let words = [
        "Scenario:",
        "Scenario Outline:",
        "Scenario Template:",
        "Example:",
    ];
    let title = words.iter().find_map(|word| text.strip_prefix(word))?;
    Some(Refers::Title(title.trim()))
}

fn titled(suite: &Suite, title: &str) -> bool {
    let is = |scenario: &Scenario| scenario.title.name.raw() == title.as_bytes();
    !title.is_empty() && suite.scenarios().any(|(_, scenario)| is(scenario))
}

fn tags(suite: &Suite) -> Vec<&str> {
    let feature = suite.feature.iter().flat_map(|feature| &feature.tags);
    let rules = suite
        .feature
        .iter()
        .flat_map(|f| &f.rules)
        .flat_map(|rule| &rule.tags);
    let scenarios = suite.scenarios().flat_map(|(_, scenario)| {
        let examples = scenario.examples.iter().flat_map(|examples| &examples.tags);
        scenario.tags.iter().chain(examples)
    });
    let all = feature.chain(rules).chain(scenarios);
    all.filter_map(|tag| tag.name.raw_str()).collect()
}
