//! Gherkin suites as contracts: one criterion for each scenario or outline, called by its title.

use crate::adapters::spec;
use crate::model::contract::{Kind, State};
use crate::model::id::RepoPath;
use crate::model::spec::feature::Scenario;

use super::Parts;
use super::complaints::Complaints;
use super::items::{self, Item, Name};
use super::lines::Line;

/// Whether the path is that of a suite.
pub(super) fn is_path(path: &RepoPath) -> bool {
    path.as_bytes().ends_with(b".feature")
}

/// Reads a suite.
pub(super) fn read(bytes: &[u8], lines: &[Line<'_>], complaints: &mut Complaints) -> Parts {
    let suite = spec::gherkin::read(&RepoPath::from("suite.feature"), bytes);
    for (line, what) in &suite.errors {
        complaints.error("gherkin", *line, what, "mend the suite");
    }
    let mut parts = Parts::default();
    let Some(feature) = &suite.feature else {
        complaints.error(
            "no-feature",
            0,
            "there is no feature in the file",
            "write Feature: and its scenarios",
        );
        parts.state = State::Absent;
        return parts;
    };
    parts.header.slug = Some(feature.title.name.clone());
    let ruled = feature.rules.iter().flat_map(|rule| &rule.scenarios);
    let mut scenarios: Vec<&Scenario> = feature.scenarios.iter().chain(ruled).collect();
    scenarios.sort_by_key(|scenario| scenario.title.line);
    let found = scenarios
        .iter()
        .filter_map(|scenario| item(scenario, lines))
        .collect();
    parts.criteria = items::criteria(found, complaints);
    parts.state = if parts.criteria.is_empty() {
        complaints.error(
            "no-criteria",
            feature.title.line,
            "the feature has no scenario",
            "write at least one scenario",
        );
        State::Empty
    } else {
        State::Found
    };
    parts
}

fn item(scenario: &Scenario, lines: &[Line<'_>]) -> Option<Item> {
    let title = &scenario.title;
    let from = usize::try_from(title.line).ok()?.checked_sub(1)?;
    let to = usize::try_from(scenario.end).ok()?.max(from + 1);
    let whole = lines.get(from..to.min(lines.len()))?;
    let (first, rest) = without_tail(whole).split_first()?;
    let name = Name::Title(title.name.raw_str().unwrap_or_default().to_owned());
    let mut item = Item::new(name, first, first.trimmed(), Kind::Scenario);
    for line in rest.iter().filter(|line| !line.is_blank()) {
        item.extend(line);
    }
    Some(item)
}

/// Without the tags and comments before the next scenario.
fn without_tail<'a, 'b>(lines: &'a [Line<'b>]) -> &'a [Line<'b>] {
    let body = |line: &Line<'_>| !(line.is_blank() || line.trimmed().starts_with(['@', '#']));
    let last = lines.iter().rposition(body).map_or(0, |at| at + 1);
    lines.get(..last).unwrap_or(lines)
}
