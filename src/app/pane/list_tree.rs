//! The chains of the list as a tree: each row below the caller that leads to it.

use std::collections::BTreeSet;

use crate::app::row::{Role, Row, Span};
use crate::app::tree::{Below, Branch};
use crate::gate::dossier::Subject;
use crate::model::chain::{Callee, ChainId};
use crate::model::text::Place;

use super::facts::Facts;
use super::list::Line;
use super::words;

/// Columns of a list from which a step down takes three of them instead of two.
const ROOMY: usize = 50;

/// The kept chains with the callers above them, where they are drawn as a tree. A chain that came
/// after the tree was taken stands last.
pub(super) fn lines(facts: &Facts<'_>, kept: Vec<Line>) -> Vec<Line> {
    let Some(tree) = &facts.state.nav.tree else {
        return kept;
    };
    let is = |line: &Line, branch: &Branch| {
        let Line::Item(at, _) = line else {
            return false;
        };
        let item = facts.judgment.items.get(*at);
        item.is_some_and(|item| matches!(&item.subject, Subject::Chain(id) if *id == branch.id))
    };
    let mut out = Vec::with_capacity(kept.len() + 8);
    let mut kept = kept.into_iter().peekable();
    let mut way: Vec<usize> = Vec::new();
    let mut drawn: BTreeSet<usize> = BTreeSet::new();
    let mut caller = None;
    for (at, branch) in tree.iter().enumerate() {
        while way.last().is_some_and(|last| Some(*last) != branch.under) {
            way.pop();
        }
        way.push(at);
        let Some(line) = kept.next_if(|line| is(line, branch)) else {
            continue;
        };
        let top = way.first().copied().unwrap_or(at);
        let name = tree.get(top).map(|top| &top.id.caller);
        if caller != name {
            caller = name;
            out.push(Line::Caller(top));
        }
        for step in &way {
            if drawn.insert(*step) && *step != at {
                out.push(Line::Way(*step));
            }
        }
        out.push(line);
    }
    out.extend(kept);
    out
}

/// The caller above a branch that nobody leads to.
pub(super) fn caller(facts: &Facts<'_>, at: usize) -> Row {
    let tree = facts.state.nav.tree.as_deref().unwrap_or_default();
    let name = tree.get(at).map(|branch| &branch.id.caller);
    let name = name.map(|name| facts.shown(name, Place::Strict, Role::Text));
    Row::ours("    ", Role::Muted).spans(name.unwrap_or_default())
}

/// A branch that the filter hides.
pub(super) fn way(facts: &Facts<'_>, at: usize, columns: usize) -> Row {
    let tree = facts.state.nav.tree.as_deref().unwrap_or_default();
    let text = tree
        .get(at)
        .map(|branch| text(facts, branch, columns, Role::Muted));
    Row::ours("    ", Role::Muted).spans(text.unwrap_or_default())
}

/// The branch of a chain, where chains are drawn as a tree.
pub(super) fn branch<'a>(facts: &Facts<'a>, id: &ChainId) -> Option<&'a Branch> {
    let tree = facts.state.nav.tree.as_deref()?;
    tree.iter().find(|branch| branch.id == *id)
}

/// The steps down to a branch, and its callee.
pub(super) fn text(facts: &Facts<'_>, branch: &Branch, columns: usize, role: Role) -> Vec<Span> {
    let (last, above) = match branch.trail.split_last() {
        Some((last, above)) => (*last, above),
        None => (false, &[][..]),
    };
    let mut trail = String::new();
    let dash = if columns < ROOMY { "" } else { "─" };
    let gap = if columns < ROOMY { "" } else { " " };
    for more in above {
        trail.push_str(if *more { "│ " } else { "  " });
        trail.push_str(gap);
    }
    trail.push_str(if last { "├" } else { "└" });
    trail.push_str(dash);
    trail.push(' ');
    let deeper = (branch.depth + 1).saturating_sub(branch.trail.len());
    if deeper > 0 {
        let count = words::number(deeper as u64);
        trail.push_str(&format!("… {count} deeper: "));
    }
    let mut out = vec![Span::ours(trail, Role::Muted)];
    out.extend(facts.shown(&branch.id.callee, Place::Strict, role));
    let (mark, role) = match branch.below {
        Below::Here => ("", Role::Muted),
        Below::Above => ("  ↑ above", Role::Muted),
        Below::Ring => ("  ring", Role::Warn),
    };
    if !mark.is_empty() {
        out.push(Span::ours(mark, role));
    }
    out.extend(missing(facts, &branch.id));
    out
}

/// What the callee is, where it is no skill.
pub(super) fn missing(facts: &Facts<'_>, id: &ChainId) -> Option<Span> {
    match facts.state.chain(id)?.callee_at {
        Callee::Missing(kind) => Some(Span::ours(format!("  {}", kind.word()), Role::Warn)),
        Callee::Skill(_) => None,
    }
}
