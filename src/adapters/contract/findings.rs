//! Derived specs of selected findings (verdict-menus 3.8): one criterion for each work item, called
//! by the ids it carries.

use crate::adapters::wave;
use crate::model::contract::{Kind, State};
use crate::model::id::CriterionId;
use crate::model::wave::WorkItem;

use super::Parts;
use super::complaints::Complaints;
use super::items::{self, Item, Name};
use super::lines::Line;

/// What the title begins with.
pub(super) const TITLE: &str = "# Findings spec";

/// Reads a derived spec.
pub(super) fn read(bytes: &[u8], lines: &[Line<'_>], complaints: &mut Complaints) -> Parts {
    let spec = wave::spec::read(bytes);
    for complaint in &spec.complaints {
        complaints.add(
            complaint.severity,
            complaint.code,
            complaint.line,
            &complaint.message,
            &complaint.hint,
        );
    }
    let mut parts = Parts::default();
    parts.header.slug = Some(spec.repository.clone());
    let found = spec
        .items
        .iter()
        .filter_map(|work| item(work, lines))
        .collect();
    parts.criteria = items::criteria(found, complaints);
    parts.state = if parts.criteria.is_empty() {
        State::Empty
    } else {
        State::Found
    };
    parts
}

fn item(work: &WorkItem, lines: &[Line<'_>]) -> Option<Item> {
    let line = lines.get(usize::try_from(work.line).ok()?.checked_sub(1)?)?;
    let ids: Vec<String> = work.ids.iter().map(ToString::to_string).collect();
    let own = match (work.nits, CriterionId::new(&ids.join("-"))) {
        (true, _) => CriterionId::new("nits"),
        (false, id) => id,
    };
    let name = own.map_or(Name::Position, Name::Own);
    let text = work.text.raw_str().unwrap_or_default();
    let mut item = Item::new(name, line, text, Kind::Task);
    let more = text.lines().count().saturating_sub(1);
    item.end_line = work
        .line
        .saturating_add(u32::try_from(more).unwrap_or(u32::MAX));
    item.tick = items::task(line).map(|task| (task.mark != ' ', task.at));
    Some(item)
}
