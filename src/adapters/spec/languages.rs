//! The keywords of every Gherkin language, from one table.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::model::spec::feature::StepKind;

/// The table: one line for each language.
const TABLE: &str = include_str!("languages.tsv");

/// The keywords of a language.
#[derive(Debug)]
pub(super) struct Language {
    /// Step keywords with the blank they may need, longest first; `None` takes the kind before.
    pub steps: Vec<(&'static str, Option<StepKind>)>,
    /// Of headings, each with what it opens, longest first.
    pub headings: Vec<(&'static str, Opens)>,
}

/// What a heading keyword opens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Opens {
    Feature,
    Background,
    Rule,
    Scenario,
    Outline,
    Examples,
}

/// The language of that name.
pub(super) fn language(name: &str) -> Option<&'static Language> {
    static ALL: OnceLock<BTreeMap<&'static str, Language>> = OnceLock::new();
    ALL.get_or_init(|| TABLE.lines().filter_map(row).collect())
        .get(name)
}

fn row(line: &'static str) -> Option<(&'static str, Language)> {
    let mut columns = line.split('\t');
    let name = columns.next().filter(|name| !name.starts_with('#'))?;
    let mut steps = vec![("* ", None)];
    for kind in [
        Some(StepKind::Given),
        Some(StepKind::When),
        Some(StepKind::Then),
        None,
        None,
    ] {
        steps.extend(columns.next()?.split('|').map(|word| (word, kind)));
    }
    let mut headings = Vec::new();
    for opens in [
        Opens::Background,
        Opens::Rule,
        Opens::Scenario,
        Opens::Outline,
        Opens::Examples,
        Opens::Feature,
    ] {
        headings.extend(columns.next()?.split('|').map(|word| (word, opens)));
    }
    steps.sort_by_key(|(word, _)| std::cmp::Reverse(word.len()));
    headings.sort_by_key(|(word, _)| std::cmp::Reverse(word.len()));
    Some((name, Language { steps, headings }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_table_is_read() {
        let rows = TABLE.lines().filter(|line| !line.starts_with('#')).count();
        let read = TABLE.lines().filter_map(row).count();
        assert_eq!((rows, read), (77, 77));
        for (_, language) in TABLE.lines().filter_map(row) {
            assert!(language.steps.iter().all(|(word, _)| !word.is_empty()));
            assert!(language.headings.iter().all(|(word, _)| !word.is_empty()));
        }
    }
}
