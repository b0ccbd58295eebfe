//! Parts of a diff inside a card: rows that decide, wrapped and never cut.

use crate::app::row::{Role, Row};
use crate::model::id::RepoPath;

use super::diff::pen;
use super::diff_line;
use super::diff_plan::{DiffRow, Plan, len};
use super::diff_shape::{label_path, shape_row, shape_rows};
use super::facts::Facts;
use super::words;

/// The lines of a picked hunk, every row of it deciding, wrapped and never cut.
#[must_use]
pub fn excerpt(
    facts: &Facts<'_>,
    path: &RepoPath,
    line: u32,
    end_line: u32,
    width: u16,
) -> Vec<Row> {
    let Some(plan) = Plan::of(facts.state, path).map(Plan::unified) else {
        let mut row = shape_row(facts, path).decides(format!("{}:hunk", label_path(path)));
        row.partial = true;
        return vec![row];
    };
    let mut pen = pen(facts, path, width);
    pen.wrap = true;
    let wanted = line.saturating_sub(1)..end_line;
    let mut out = Vec::new();
    for (at, hunk) in plan.hunks.hunks.iter().enumerate() {
        let touches = hunk.after.start < wanted.end && wanted.start < hunk.after.end;
        let removal = hunk.after.is_empty()
            && hunk.before.start < wanted.end
            && wanted.start < hunk.before.end;
        if !touches && !removal {
            continue;
        }
        for old in hunk.before.clone() {
            out.extend(diff_line::unified(
                &pen,
                &DiffRow::Changed(at, Some(old), None),
            ));
        }
        for new in hunk.after.clone().filter(|new| wanted.contains(new)) {
            out.extend(diff_line::unified(
                &pen,
                &DiffRow::Changed(at, None, Some(new)),
            ));
        }
    }
    if out.is_empty() {
        let text = " these lines are not changed at this head any more";
        let mut row = Row::ours(text, Role::Moved).decides(format!("{}:hunk", label_path(path)));
        row.partial = true;
        out.push(row);
    }
    out
}

/// The first changed rows of a file, each deciding, and the count of the rest.
#[must_use]
pub fn changes(facts: &Facts<'_>, path: &RepoPath, first: usize, width: u16) -> Vec<Row> {
    let mut out = shape_rows(facts, path);
    let Some(plan) = Plan::of(facts.state, path).map(Plan::unified) else {
        if out.is_empty() {
            let mut row = shape_row(facts, path).decides(format!("{}:hunk", label_path(path)));
            row.partial = true;
            out.push(row);
        }
        return out;
    };
    let mut pen = pen(facts, path, width);
    pen.wrap = true;
    let mut left = first;
    for (at, hunk) in plan.hunks.hunks.iter().enumerate() {
        if left == 0 {
            break;
        }
        for old in hunk.before.clone().take(left) {
            out.extend(diff_line::unified(
                &pen,
                &DiffRow::Changed(at, Some(old), None),
            ));
            left -= 1;
        }
        for new in hunk.after.clone().take(left) {
            out.extend(diff_line::unified(
                &pen,
                &DiffRow::Changed(at, None, Some(new)),
            ));
            left -= 1;
        }
    }
    let all: usize = plan
        .hunks
        .hunks
        .iter()
        .map(|hunk| len(&hunk.before) + len(&hunk.after))
        .sum();
    if all > first {
        let rest = words::count(all - first, "changed row");
        out.push(
            Row::ours(format!("       … {rest} more in the diff  "), Role::Muted)
                .and("]", Role::Accent),
        );
    }
    out
}
