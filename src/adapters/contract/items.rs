//! Items of a format with a grammar of its own: collected line by line, then made criteria.

use std::collections::HashMap;

use crate::model::contract::{Criterion, Disposition, Kind};
use crate::model::id::CriterionId;
use crate::model::text::Foreign;

use super::complaints::Complaints;
use super::lines::{Line, list_marker};
use super::marks;

/// How an item comes by its id.
#[derive(Clone, Debug)]
pub(super) enum Name {
    /// The id that its author wrote; twice the same is an error.
    Own(CriterionId),
    /// Made from its title; the second of that name gets a number.
    Title(String),
    /// Its position among the items.
    Position,
}

/// One item before it becomes a criterion.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub name: Name,
    pub text: String,
    pub line: u32,
    pub end_line: u32,
    pub tick: Option<(bool, usize)>,
    pub kind: Kind,
    pub optional: bool,
    pub disposition: Option<Disposition>,
}

impl Item {
    /// An item that starts on a line.
    pub(super) fn new(name: Name, line: &Line<'_>, text: &str, kind: Kind) -> Self {
        Self {
            name,
            text: text.trim().to_owned(),
            line: line.no,
            end_line: line.no,
            tick: None,
            kind,
            optional: false,
            disposition: None,
        }
    }

    /// One more line of it.
    pub(super) fn extend(&mut self, line: &Line<'_>) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(line.trimmed());
        self.end_line = line.no;
    }
}

/// Makes criteria of items. Placeholders are none and are said.
pub(super) fn criteria(items: Vec<Item>, complaints: &mut Complaints) -> Vec<Criterion> {
    let mut taken: HashMap<CriterionId, u32> = HashMap::new();
    let mut out = Vec::with_capacity(items.len());
    for item in items {
        if marks::is_placeholder(&item.text) {
            complaints.warn(
                "placeholder",
                item.line,
                "only a placeholder stands there; it is no criterion",
                "write the criterion, or take the line out",
            );
            continue;
        }
        let id = match &item.name {
            Name::Own(id) => {
                if let Some(first) = taken.get(id) {
                    complaints.error(
                        "duplicate-id",
                        item.line,
                        &format!("the criterion of line {first} is already called {id}"),
                        "give it a label of its own",
                    );
                    continue;
                }
                id.clone()
            }
            Name::Title(title) => free(&taken, &slug(title)),
            Name::Position => free(&taken, &(out.len() + 1).to_string()),
        };
        taken.insert(id.clone(), item.line);
        out.push(criterion(item, id));
    }
    out
}

fn free(taken: &HashMap<CriterionId, u32>, wanted: &str) -> CriterionId {
    let mut number = 1_usize;
    loop {
        let name = match number {
            1 => wanted.to_owned(),
            _ => format!("{wanted}-{number}"),
        };
        let id = CriterionId::new(&name).unwrap_or_else(|| CriterionId::ordinal(number));
        if !taken.contains_key(&id) {
            return id;
        }
        number += 1;
    }
}

/// Longest id that is made from a title.
const SLUG: usize = 48;

/// A title as an id: small letters and digits, everything else one dash.
pub(super) fn slug(title: &str) -> String {
    let mut out = String::new();
    for c in title.chars().flat_map(char::to_lowercase) {
        if c.is_ascii_alphanumeric() {
            out.push(c);
        } else if !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
    }
    if out.len() > SLUG {
        let cut = out.get(..SLUG).unwrap_or_default();
        out = cut
            .rsplit_once('-')
            .map_or(cut, |(before, _)| before)
            .to_owned();
    }
    let plain = out.trim_end_matches('-');
    if plain.is_empty() {
        "untitled".to_owned()
    } else {
        plain.to_owned()
    }
}

fn criterion(item: Item, id: CriterionId) -> Criterion {
    let text = &item.text;
    let human = marks::marked(text, "human") || marks::marked(text, "manual");
    Criterion {
        id,
        line: item.line,
        end_line: item.end_line,
        kind: if human { Kind::Human } else { item.kind },
        ticked: item.tick.map(|(ticked, _)| ticked),
        box_at: item.tick.map(|(_, at)| at),
        oracle: None,
        evidence: None,
        gated: marks::gated(text, item.line),
        optional: item.optional || marks::marked(text, "optional"),
        post_merge: marks::marked(text, "post-merge"),
        disposition: item.disposition,
        anchors: marks::anchors(text),
        text: Foreign::from(item.text),
    }
}

/// The level and words of an ATX heading.
pub(super) fn heading<'a>(line: &'a Line<'_>) -> Option<(usize, &'a str)> {
    let text = line.trimmed();
    let level = text.bytes().take_while(|b| *b == b'#').count();
    let words = text.get(level..)?;
    let blank = words.starts_with(|c: char| c.is_whitespace());
    ((1..=6).contains(&level) && blank && line.indent() < 4)
        .then(|| (level, words.trim().trim_end_matches('#').trim_end()))
}

/// An item of a list: where its text begins in the line, and its text.
pub(super) fn listed<'a>(line: &'a Line<'_>) -> Option<(usize, &'a str)> {
    let lead = line.lead();
    let length = list_marker(line.raw.get(lead..)?)?;
    let text = line.text.get(lead + length..)?;
    let blanks = text.len() - text.trim_start().len();
    Some((lead + length + blanks, text.trim()))
}

/// The number before the dot of an ordered item.
pub(super) fn ordinal<'a>(line: &'a Line<'_>) -> Option<&'a str> {
    let text = line.trimmed();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let dot = text.get(digits..)?.starts_with(['.', ')']);
    (digits > 0 && dot).then(|| text.get(..digits))?
}

/// A task item taken apart.
pub(super) struct TaskLine<'a> {
    /// What stands in the box.
    pub mark: char,
    /// Offset of the mark in the file.
    pub at: usize,
    /// Whether `*` follows the box: optional.
    pub star: bool,
    /// What follows.
    pub body: &'a str,
}

/// A task item, whatever stands in its box.
pub(super) fn task<'a>(line: &'a Line<'_>) -> Option<TaskLine<'a>> {
    let (at, text) = listed(line)?;
    let inner = text.strip_prefix('[')?;
    let mark = inner.chars().next()?;
    let rest = inner.get(mark.len_utf8()..)?.strip_prefix(']')?;
    let (star, rest) = match rest.strip_prefix('*') {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    (rest.is_empty() || rest.starts_with([' ', '\t'])).then(|| TaskLine {
        mark,
        at: line.start + at + 1,
        star,
        body: rest.trim(),
    })
}

/// What a box says; anything but a blank and an x is said and is no tick.
pub(super) fn ticked(
    task: &TaskLine<'_>,
    line: &Line<'_>,
    complaints: &mut Complaints,
) -> Option<(bool, usize)> {
    match task.mark {
        ' ' => Some((false, task.at)),
        'x' | 'X' => Some((true, task.at)),
        _ => {
            complaints.warn(
                "odd-box",
                line.no,
                "the box holds neither a blank nor an x",
                "write [ ] or [x]",
            );
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_become_ids() {
        let long = "Given a change that is created with stack metadata inputs and more";
        for (title, wanted) in [
            ("Create change", "create-change"),
            ("  `A`/b -- c! ", "a-b-c"),
            ("第一", "untitled"),
            (long, "given-a-change-that-is-created-with-stack"),
        ] {
            assert_eq!(slug(title), wanted, "{title}");
        }
    }
}
