//! What happened since a round sent the change back, on the verdict page: what is gone first,
//! because nobody looks for it, then what nobody asked for, then what answers a kick-back.

use crate::app::row::{Role, Row, cut};
use crate::gate::verify::since::Since;
use crate::model::id::RepoPath;
use crate::model::known::Known;
use crate::model::text::Place;

use super::facts::Facts;

/// Most files of a group that are named.
const NAMED: usize = 8;

/// The groups with what each means, in the order they are looked at.
#[must_use]
pub fn groups(since: &Since) -> [(&'static str, &'static str, &[RepoPath]); 3] {
    [
        ("gone", "changed then, and not any more", &since.gone),
        ("unasked", "no kick-back speaks of it", &since.unasked),
        ("answers", "a kick-back speaks of it", &since.answered),
    ]
}

/// The rows, under a heading of their own; none where no round sent the change back.
pub fn rows(facts: &Facts<'_>, width: usize, out: &mut Vec<Row>) {
    let head = |text: String| {
        Row::ours(" SINCE", Role::Muted)
            .to(13, true)
            .and(text, Role::Muted)
    };
    let since = match &facts.state.world.since {
        Known::Is(since) => since,
        Known::Unknown(why) => {
            out.push(head(format!(
                "what happened since the last round is not known: {why}"
            )));
            return;
        }
        Known::NotApplicable(_) | Known::NotSupplied => return,
    };
    out.push(head(format!(
        "what happened to the change since it was sent back at {}",
        since.head.short()
    )));
    let groups = groups(since);
    if groups.iter().all(|(.., paths)| paths.is_empty()) {
        out.push(Row::ours("   nothing: the same lines", Role::Text));
    }
    for (name, means, paths) in groups {
        for (at, path) in paths.iter().take(NAMED).enumerate() {
            let name = if at == 0 { name } else { "" };
            let role = match name {
                "gone" | "unasked" => Role::Warn,
                _ => Role::Muted,
            };
            let shown = facts.shown(&path.foreign(), Place::Strict, Role::Text);
            let mut row = Row::ours(format!("   {name}"), role)
                .to(13, true)
                .spans(cut(&shown, width.saturating_sub(15)));
            if at == 0 && width > 80 {
                row = row.at_right(format!("{means} "), Role::Muted);
            }
            out.push(row);
        }
        if paths.len() > NAMED {
            let more = format!("and {} more", paths.len() - NAMED);
            out.push(Row::default().to(13, true).and(more, Role::Muted));
        }
    }
}
