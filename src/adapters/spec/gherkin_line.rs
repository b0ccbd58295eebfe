//! One line of Gherkin: what it opens, its cells, its tags.

use super::languages::{Language, Opens};
use crate::model::spec::feature::{StepKind, TableRow, Tag};
use crate::model::text::Foreign;

/// A heading line: what it opens, its keyword, its name.
pub(super) fn heading<'a>(
    line: &'a str,
    language: &Language,
) -> Option<(Opens, &'static str, &'a str)> {
    language.headings.iter().find_map(|(word, opens)| {
        let rest = line.strip_prefix(word)?.strip_prefix(':')?;
        Some((*opens, *word, rest.trim()))
    })
}

/// A step line: its keyword, its kind when the keyword says one, its text.
pub(super) fn step<'a>(
    line: &'a str,
    language: &Language,
) -> Option<(&'static str, Option<StepKind>, &'a str)> {
    language.steps.iter().find_map(|(word, kind)| {
        let bare = word.trim_end();
        let rest = match line.strip_prefix(word) {
            Some(rest) => rest,
            None if line == bare && bare.len() < word.len() => "",
            None => return None,
        };
        Some((bare, *kind, rest.trim()))
    })
}

/// The tags of a line that begins with `@`, or what is wrong with it.
pub(super) fn tags(line: &str, number: u32) -> Result<Vec<Tag>, String> {
    let text = match line.find(" #") {
        Some(at) => &line[..at],
        None => line,
    };
    let mut tags = Vec::new();
    for word in text.split_whitespace() {
        let Some(names) = word.strip_prefix('@') else {
            return Err(String::from("a tag may not hold blanks"));
        };
        for name in names.split('@') {
            if name.is_empty() {
                return Err(String::from("a tag has no name"));
            }
            tags.push(Tag {
                line: number,
                name: Foreign::from(name),
            });
        }
    }
    Ok(tags)
}

/// The cells of a line that begins with `|`; what stands behind the last bar is left out.
pub(super) fn cells(line: &str, number: u32) -> TableRow {
    let mut cells = Vec::new();
    let mut cell = String::new();
    let mut rest = line.chars().skip(1);
    while let Some(character) = rest.next() {
        match character {
            '|' => {
                cells.push(Foreign::from(cell.trim_matches([' ', '\t'])));
                cell.clear();
            }
            '\\' => match rest.next() {
                Some('n') => cell.push('\n'),
                Some(escaped @ ('|' | '\\')) => cell.push(escaped),
                Some(other) => cell.extend(['\\', other]),
                None => cell.push('\\'),
            },
            other => cell.push(other),
        }
    }
    TableRow {
        line: number,
        cells,
    }
}
