//! What a scenario says, without where and how it is written: two that are equal here are one.

use crate::model::spec::feature::{Argument, Examples, Scenario, Step, TableRow};
use crate::model::text::Foreign;

/// Parts of a scenario that count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    Steps,
    Tags,
    Examples,
}

/// A step without its lines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Said<'a> {
    keyword: &'a Foreign,
    text: &'a Foreign,
    argument: Option<Hung<'a>>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Hung<'a> {
    Doc(&'a Foreign, &'a Foreign),
    Table(Vec<&'a [Foreign]>),
}

/// The steps without their lines.
pub(super) fn steps(steps: &[Step]) -> Vec<Said<'_>> {
    let one = |step| Said {
        keyword: keyword(step),
        text: text(step),
        argument: argument(step),
    };
    steps.iter().map(one).collect()
}

fn keyword(step: &Step) -> &Foreign {
    &step.keyword
}

fn text(step: &Step) -> &Foreign {
    &step.text
}

fn argument(step: &Step) -> Option<Hung<'_>> {
    match step.argument.as_ref()? {
        Argument::Doc { media, text, .. } => Some(Hung::Doc(media, text)),
        Argument::Table(rows) => Some(Hung::Table(rows.iter().map(cells).collect())),
    }
}

fn cells(row: &TableRow) -> &[Foreign] {
    &row.cells
}

/// The texts and arguments of steps, keywords left out.
pub(super) fn texts(all: &[Step]) -> Vec<impl PartialEq + '_> {
    all.iter()
        .map(|step| (text(step), argument(step)))
        .collect()
}

/// Whether one part of two scenarios is the same.
pub(super) fn same(a: &Scenario, b: &Scenario, part: Part) -> bool {
    match part {
        Part::Steps => steps(&a.steps) == steps(&b.steps),
        Part::Tags => tags(a).eq(tags(b)),
        Part::Examples => {
            a.examples.len() == b.examples.len()
                && a.examples
                    .iter()
                    .zip(&b.examples)
                    .all(|(a, b)| block(a) == block(b))
        }
    }
}

fn tags(scenario: &Scenario) -> impl Iterator<Item = &Foreign> {
    scenario.tags.iter().map(|tag| &tag.name)
}

/// Name, tags, header and rows of a block of examples.
type Block<'a> = (
    &'a Foreign,
    Vec<&'a Foreign>,
    Option<&'a [Foreign]>,
    Vec<&'a [Foreign]>,
);

fn block(examples: &Examples) -> Block<'_> {
    (
        &examples.title.name,
        examples.tags.iter().map(|tag| &tag.name).collect(),
        examples.header.as_ref().map(cells),
        examples.rows.iter().map(cells).collect(),
    )
}

/// Whether two scenarios say the same, names left out.
pub(super) fn equal(a: &Scenario, b: &Scenario) -> bool {
    [Part::Steps, Part::Tags, Part::Examples]
        .into_iter()
        .all(|part| same(a, b, part))
}

/// Whether the examples only gained rows or blocks.
pub(super) fn examples_grew(old: &Scenario, new: &Scenario) -> bool {
    old.examples.iter().all(|before| {
        let (name, tags, header, rows) = block(before);
        new.examples.iter().map(block).any(|after| {
            after.0 == name
                && after.1 == tags
                && after.2 == header
                && rows.iter().all(|row| {
                    let count = |all: &[&[Foreign]]| all.iter().filter(|r| *r == row).count();
                    count(&after.3) >= count(&rows)
                })
        })
    })
}
