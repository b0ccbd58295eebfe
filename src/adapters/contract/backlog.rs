//! Task files of Backlog.md: `- [ ] #1 text` between markers, for acceptance criteria and for the
//! definition of done. Sections without markers, as older files have them, are read by their
//! heading.

use crate::model::contract::{Kind, State};
use crate::model::id::CriterionId;
use crate::model::text::Foreign;

use super::complaints::Complaints;
use super::items::{self, Item, Name, TaskLine};
use super::lines::{Line, Veil};
use super::{Parts, section};

/// Sections between markers: name in the marker, and what is put before the number.
const SECTIONS: [(&str, &str); 2] = [("AC", ""), ("DOD", "DoD-")];

/// The marker that a line is: which section, and whether it opens it.
fn marker(line: &Line<'_>) -> Option<(usize, bool)> {
    let inner = line.trimmed().strip_prefix("<!--")?.strip_suffix("-->")?;
    let inner = inner.trim();
    SECTIONS.iter().enumerate().find_map(|(at, (name, _))| {
        let says = inner.strip_prefix(name)?.strip_prefix(':')?;
        match says {
            "BEGIN" => Some((at, true)),
            "END" => Some((at, false)),
            _ => None,
        }
    })
}

/// Whether the file has markers; for detection.
pub(super) fn has_markers(lines: &[Line<'_>]) -> bool {
    let comments = lines.iter().filter(|line| line.veil == Veil::Comment);
    comments.filter_map(marker).any(|(_, opens)| opens)
}

/// Whether the front matter is that of a task file; for detection.
pub(super) fn has_front(lines: &[Line<'_>]) -> bool {
    ["id:", "title:", "status:"]
        .iter()
        .all(|key| front(lines, key).is_some())
}

fn front<'a>(lines: &'a [Line<'_>], key: &str) -> Option<&'a str> {
    let mut front = lines.iter().take_while(|line| line.veil == Veil::Front);
    front.find_map(|line| Some(line.text.strip_prefix(key)?.trim()))
}

/// Reads a task file.
pub(super) fn read(lines: &[Line<'_>], complaints: &mut Complaints) -> Parts {
    let mut parts = if has_markers(lines) {
        marked(lines, complaints)
    } else {
        section::read(lines, section::HEADING, complaints)
    };
    parts.header.slug = front(lines, "title:").map(Foreign::from);
    parts.header.status = front(lines, "status:").map(Foreign::from);
    parts.header.date = front(lines, "created_date:").map(Foreign::from);
    parts
}

fn marked(lines: &[Line<'_>], complaints: &mut Complaints) -> Parts {
    let mut found: Vec<Item> = Vec::new();
    let mut open: Option<(usize, u32)> = None;
    for line in lines {
        if let Some((at, opens)) = marker(line) {
            match (open, opens) {
                (None, true) => open = Some((at, line.no)),
                (Some((of, _)), false) if of == at => open = None,
                _ => complaints.error(
                    "marker",
                    line.no,
                    "this marker opens or closes nothing",
                    "let BEGIN and END follow each other",
                ),
            }
            continue;
        }
        let Some((of, _)) = open else { continue };
        if line.is_blank() || line.veil == Veil::Comment {
            continue;
        }
        match items::task(line).filter(|_| line.indent() < 2) {
            Some(task) => found.push(item(line, of, &task, complaints)),
            None => match found.last_mut() {
                Some(item) => item.extend(line),
                None => complaints.error(
                    "no-item",
                    line.no,
                    "this stands between the markers and is no item",
                    "write - [ ] #1 text",
                ),
            },
        }
    }
    if let Some((_, line)) = open {
        complaints.error(
            "marker",
            line,
            "the section that opens here is never closed",
            "write the END marker",
        );
    }
    let mut parts = Parts {
        criteria: items::criteria(found, complaints),
        ..Parts::default()
    };
    parts.state = if parts.criteria.is_empty() {
        complaints.error(
            "no-criteria",
            0,
            "there is no item between the markers",
            "write at least one: - [ ] #1 text",
        );
        State::Empty
    } else {
        State::Found
    };
    parts
}

fn item(line: &Line<'_>, of: usize, task: &TaskLine<'_>, complaints: &mut Complaints) -> Item {
    let prefix = SECTIONS.get(of).map_or("", |(_, prefix)| prefix);
    let digits = |rest: &str| rest.bytes().take_while(u8::is_ascii_digit).count();
    let numbered = task.body.strip_prefix('#').and_then(|rest| {
        let count = digits(rest);
        let id = CriterionId::new(&format!("{prefix}{}", rest.get(..count)?))?;
        (count > 0).then(|| (id, rest.get(count..).unwrap_or_default()))
    });
    let (name, text) = match numbered {
        Some((id, text)) => (Name::Own(id), text),
        None => {
            complaints.warn(
                "no-number",
                line.no,
                "the item has no #number",
                "write - [ ] #1 text",
            );
            (Name::Position, task.body)
        }
    };
    let mut item = Item::new(name, line, text, Kind::Task);
    item.tick = items::ticked(task, line, complaints);
    item
}
