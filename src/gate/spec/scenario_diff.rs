//! A changed scenario, line by line as it reads: what went, what came, what stayed.

use crate::model::spec::feature::{
    Argument, Background, Examples, Scenario, Step, TableRow, Tag, Title,
};
use crate::model::text::Foreign;

/// Longest scenarios that are compared line by line; longer ones are shown as gone and come.
const LONGEST: usize = 400;

/// What became of a line.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Sign {
    /// It is on both sides.
    Same,
    /// Only at base.
    Gone,
    /// Only at head.
    Come,
}

impl Sign {
    /// As a diff writes it.
    #[must_use]
    pub fn mark(self) -> &'static str {
        match self {
            Self::Same => " ",
            Self::Gone => "-",
            Self::Come => "+",
        }
    }
}

/// A line of a comparison.
pub type Compared = (Sign, Foreign);

/// A scenario as lines: tags, steps with what hangs on them, examples.
#[must_use]
pub fn of_scenario(scenario: &Scenario) -> Vec<Foreign> {
    let mut out = Vec::new();
    tags(&scenario.tags, "", &mut out);
    steps(&scenario.steps, &mut out);
    for examples in &scenario.examples {
        of_examples(examples, &mut out);
    }
    out
}

/// A background as lines.
#[must_use]
pub fn of_background(background: &Background) -> Vec<Foreign> {
    let mut out = Vec::new();
    steps(&background.steps, &mut out);
    out
}

/// The head of a feature or rule as lines: tags but `@frozen`, name, description.
#[must_use]
pub fn of_head(title: &Title, of: &[Tag]) -> Vec<Foreign> {
    let mut out = Vec::new();
    let shown = of.iter().filter(|tag| tag.name.raw() != b"frozen");
    tags(&shown.cloned().collect::<Vec<_>>(), "", &mut out);
    out.push(joined(&[title.keyword.raw(), b": ", title.name.raw()]));
    if !title.description.raw().is_empty() {
        for line in title.description.raw().split(|b| *b == b'\n') {
            out.push(joined(&[b"  ", line]));
        }
    }
    out
}

fn joined(parts: &[&[u8]]) -> Foreign {
    Foreign::new(parts.concat())
}

fn tags(tags: &[Tag], indent: &str, out: &mut Vec<Foreign>) {
    if tags.is_empty() {
        return;
    }
    let mut line = indent.as_bytes().to_vec();
    for (at, tag) in tags.iter().enumerate() {
        line.extend_from_slice(if at == 0 { b"@" } else { b" @" });
        line.extend_from_slice(tag.name.raw());
    }
    out.push(Foreign::new(line));
}

fn steps(steps: &[Step], out: &mut Vec<Foreign>) {
    for step in steps {
        out.push(joined(&[step.keyword.raw(), b" ", step.text.raw()]));
        match &step.argument {
            None => {}
            Some(Argument::Doc { media, text, .. }) => {
                out.push(joined(&[b"  \"\"\"", media.raw()]));
                for line in text.raw().split(|b| *b == b'\n') {
                    out.push(joined(&[b"  ", line]));
                }
                out.push(Foreign::from("  \"\"\""));
            }
            Some(Argument::Table(rows)) => rows.iter().for_each(|each| row(each, out)),
        }
    }
}

fn row(row: &TableRow, out: &mut Vec<Foreign>) {
    let mut line = b"  |".to_vec();
    for cell in &row.cells {
        line.push(b' ');
        line.extend_from_slice(cell.raw());
        line.extend_from_slice(b" |");
    }
    out.push(Foreign::new(line));
}

fn of_examples(examples: &Examples, out: &mut Vec<Foreign>) {
    tags(&examples.tags, "", out);
    let name = examples.title.name.raw();
    let blank: &[u8] = if name.is_empty() { b"" } else { b" " };
    out.push(joined(&[b"Examples:", blank, name]));
    for each in examples.header.iter().chain(&examples.rows) {
        row(each, out);
    }
}

/// Compares two lists of lines by their longest common part.
#[must_use]
pub fn compare(old: &[Foreign], new: &[Foreign]) -> Vec<Compared> {
    let gone = |line: &Foreign| (Sign::Gone, line.clone());
    let come = |line: &Foreign| (Sign::Come, line.clone());
    if old.len() > LONGEST || new.len() > LONGEST {
        return old.iter().map(gone).chain(new.iter().map(come)).collect();
    }
    let width = new.len() + 1;
    // how much is common from (a, b) on
    let mut common = vec![0u32; (old.len() + 1) * width];
    let get = |common: &[u32], a: usize, b: usize| common.get(a * width + b).copied().unwrap_or(0);
    for (a, line) in old.iter().enumerate().rev() {
        for (b, other) in new.iter().enumerate().rev() {
            let best = if line == other {
                get(&common, a + 1, b + 1) + 1
            } else {
                get(&common, a + 1, b).max(get(&common, a, b + 1))
            };
            if let Some(slot) = common.get_mut(a * width + b) {
                *slot = best;
            }
        }
    }
    let (mut a, mut b) = (0, 0);
    let mut out = Vec::new();
    loop {
        match (old.get(a), new.get(b)) {
            (Some(line), Some(other)) if line == other => {
                out.push((Sign::Same, line.clone()));
                a += 1;
                b += 1;
            }
            (Some(line), other) => {
                if other.is_none() || get(&common, a + 1, b) >= get(&common, a, b + 1) {
                    out.push(gone(line));
                    a += 1;
                } else {
                    out.extend(other.map(come));
                    b += 1;
                }
            }
            (None, Some(other)) => {
                out.push(come(other));
                b += 1;
            }
            (None, None) => return out,
        }
    }
}
