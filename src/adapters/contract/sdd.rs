//! Spec nodes of SDD: each row of the Use Cases table is a criterion; the scenarios that prove it
//! stand in the suite beside the node and are judged by the spec gate.

use crate::adapters::spec;
use crate::model::contract::{Kind, State};
use crate::model::id::{CriterionId, RepoPath};
use crate::model::text::Foreign;

use super::complaints::Complaints;
use super::items::{self, Item, Name};
use super::lines::{Line, Veil};
use super::{Parts, labels};

const SECTION: &str = "Use Cases";

/// Whether the front matter is that of a spec node; for detection.
pub(super) fn has_front(lines: &[Line<'_>]) -> bool {
    lines
        .iter()
        .take_while(|line| line.veil == Veil::Front)
        .any(|line| line.text.starts_with("spec-type:"))
}

/// Reads a spec node.
pub(super) fn read(bytes: &[u8], lines: &[Line<'_>], complaints: &mut Complaints) -> Parts {
    let mut parts = Parts::default();
    let document = match spec::markdown::read(&RepoPath::from("spec.md"), bytes) {
        Ok(document) => document,
        Err(why) => {
            complaints.error("unreadable", 0, &why, "save it as UTF-8");
            parts.state = State::Unreadable;
            return parts;
        }
    };
    let title = lines.iter().find_map(|line| {
        let (level, words) = items::heading(line).filter(|_| line.veil == Veil::Open)?;
        (level == 1).then_some(words)
    });
    parts.header.slug = title.map(Foreign::from);
    let Some(section) = document.section(|text| text.starts_with(SECTION)) else {
        complaints.error(
            "no-section",
            0,
            "the node has no Use Cases",
            "write ## Use Cases with a table, or name the suite beside the node",
        );
        parts.state = State::Absent;
        return parts;
    };
    let mut found = Vec::new();
    for table in document.tables_in(section) {
        for row in table.rows.iter().skip(2) {
            let at = usize::try_from(row.line).unwrap_or(0).checked_sub(1);
            let Some(line) = at.and_then(|at| lines.get(at)) else {
                continue;
            };
            let cell = row.cells.first().map(|cell| &cell.text);
            let first = cell.and_then(Foreign::raw_str).unwrap_or_default();
            found.push(Item::new(name(first), line, line.trimmed(), Kind::Scenario));
        }
    }
    if found.is_empty() {
        found = bullets(lines, section);
    }
    parts.criteria = items::criteria(found, complaints);
    parts.state = if parts.criteria.is_empty() {
        complaints.error(
            "no-criteria",
            section.0,
            "the Use Cases hold no table with rows and no item with a bold name",
            "write one row for each use case",
        );
        State::Empty
    } else {
        State::Found
    };
    parts
}

/// Items with a bold name, as nodes without a table have them.
fn bullets(lines: &[Line<'_>], (from, to): (u32, u32)) -> Vec<Item> {
    let inside = |line: &&Line<'_>| line.no > from && line.no < to && line.veil == Veil::Open;
    let mut found: Vec<Item> = Vec::new();
    let mut open = false;
    for line in lines.iter().filter(inside) {
        let top = items::listed(line).filter(|_| line.indent() == 0);
        let named = top.and_then(|(_, text)| {
            let (title, _) = text.strip_prefix("**")?.split_once("**")?;
            Some((title.trim_end_matches('.'), text))
        });
        match (named, top, found.last_mut()) {
            (Some((title, text)), ..) => {
                found.push(Item::new(name(title), line, text, Kind::Scenario));
                open = true;
            }
            (None, None, Some(item)) if open && line.indent() >= 2 => item.extend(line),
            _ => open &= line.is_blank(),
        }
    }
    found
}

/// The own label of a use case (`U1`), else its title up to the dash.
fn name(cell: &str) -> Name {
    let cell = cell.trim();
    let plain = cell.trim_matches(['*', '_', ' ']);
    let letters = plain.bytes().take_while(u8::is_ascii_uppercase).count();
    let digits = plain.get(letters..).map_or(0, |rest| {
        rest.bytes().take_while(u8::is_ascii_digit).count()
    });
    let after = plain.get(letters + digits..).unwrap_or_default();
    if (1..=3).contains(&letters)
        && digits > 0
        && (after.is_empty() || after.starts_with([' ', '.', ':', '*']))
        && let Some(id) = plain.get(..letters + digits).and_then(CriterionId::new)
    {
        return Name::Own(id);
    }
    if let Some((id, _)) = labels::own(cell, false) {
        return Name::Own(id);
    }
    let title = plain.split(" — ").next().unwrap_or(plain);
    Name::Title(title.to_owned())
}
