//! Task files of spec-kit, OpenSpec and Kiro: numbered boxes in phases, one criterion each.

use crate::model::contract::{Kind, State};
use crate::model::id::CriterionId;

use super::Parts;
use super::complaints::Complaints;
use super::items::{self, Item, Name, TaskLine};
use super::lines::{Line, Veil};

/// How the tasks of a format are numbered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Numbering {
    /// `T001`.
    Letter,
    /// `1.2`, or `1.` of a group of tasks.
    Dotted,
}

/// The number of a task and the text after it.
fn number(body: &str, numbering: Numbering) -> Option<(CriterionId, &str)> {
    let body = body.trim_start_matches('*');
    let length = match numbering {
        Numbering::Letter => {
            let digits = body.strip_prefix('T')?;
            let count = digits.bytes().take_while(u8::is_ascii_digit).count();
            if count < 3 {
                return None;
            }
            let letter = digits.as_bytes().get(count).copied();
            1 + count + usize::from(letter.is_some_and(|b| b.is_ascii_lowercase()))
        }
        Numbering::Dotted => body
            .bytes()
            .take_while(|b| b.is_ascii_digit() || *b == b'.')
            .count(),
    };
    let own = body.get(..length)?.trim_end_matches('.');
    let rest = body.get(length..)?.trim_start_matches(['*', ':']);
    let parted = rest.is_empty() || rest.starts_with(char::is_whitespace);
    let id = CriterionId::new(own).filter(|_| parted && !own.starts_with('.'))?;
    Some((id, rest.trim()))
}

/// Whether the line is a numbered task; for detection.
pub(super) fn is_numbered(line: &Line<'_>, numbering: Numbering) -> bool {
    items::task(line).is_some_and(|task| {
        number(task.body, numbering)
            .is_some_and(|(id, _)| numbering == Numbering::Letter || id.as_str().contains('.'))
    })
}

/// Reads a task file. A deeper item without a number belongs to the task above it. A box with `-`
/// is work in progress where the format knows it (`progress`).
pub(super) fn read(
    lines: &[Line<'_>],
    numbering: Numbering,
    progress: bool,
    complaints: &mut Complaints,
) -> Parts {
    let mut found: Vec<Item> = Vec::new();
    let mut base = None;
    let mut open = false;
    let mut loose = false;
    for line in lines.iter().filter(|line| line.veil == Veil::Open) {
        if line.is_blank() {
            loose = true;
            continue;
        }
        let apart = std::mem::take(&mut loose);
        if items::heading(line).is_some() {
            open = false;
            continue;
        }
        let task = items::task(line);
        let own = task.as_ref().and_then(|task| number(task.body, numbering));
        let top = base.is_none_or(|base| line.indent() <= base + 1);
        match task {
            Some(task) if own.is_some() || top => {
                base = Some(base.map_or(line.indent(), |base: usize| base.min(line.indent())));
                found.push(item(line, &task, own, progress, complaints));
                open = true;
            }
            _ if open && (line.indent() >= 2 || !(apart || items::listed(line).is_some())) => {
                if let Some(item) = found.last_mut() {
                    item.extend(line);
                }
            }
            _ => open = false,
        }
    }
    let mut parts = Parts {
        criteria: items::criteria(found, complaints),
        ..Parts::default()
    };
    parts.state = if parts.criteria.is_empty() {
        complaints.error(
            "no-criteria",
            0,
            "there is no task in the file",
            "write at least one task",
        );
        State::Empty
    } else {
        State::Found
    };
    parts
}

fn item(
    line: &Line<'_>,
    task: &TaskLine<'_>,
    own: Option<(CriterionId, &str)>,
    progress: bool,
    complaints: &mut Complaints,
) -> Item {
    let (name, text) = match own {
        Some((id, text)) => (Name::Own(id), text),
        None => {
            complaints.warn(
                "no-number",
                line.no,
                "the task has no number; it is called by its position",
                "number it like the others",
            );
            (Name::Position, task.body)
        }
    };
    let mut item = Item::new(name, line, text, Kind::Task);
    item.optional = task.star;
    item.tick = if progress && task.mark == '-' {
        Some((false, task.at))
    } else {
        items::ticked(task, line, complaints)
    };
    item
}
