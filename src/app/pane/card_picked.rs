//! The part of a criterion's card that shows the evidence that was picked.

use crate::app::row::{Role, Span};
use crate::gate::dossier::Subject;
use crate::model::evidence::Evidence;
use crate::model::id::CriterionId;
use crate::model::text::{Foreign, Place};

use super::diff_excerpt;
use super::facts::Facts;
use super::sheet::{Sheet, Value};

/// What a criterion rests on.
pub(super) struct Rests<'a> {
    /// The pieces; those of a recorded ratification when none were picked since.
    pub pieces: &'a [Evidence],
    /// Whether they are still to be ruled on.
    pub open: bool,
}

/// What was picked for a criterion, else what its last decision on this tree rests on.
pub(super) fn rests<'a>(facts: &Facts<'a>, id: &CriterionId) -> Rests<'a> {
    let picked = facts.state.world.picked.get(id);
    if let Some(pieces) = picked.filter(|pieces| !pieces.is_empty()) {
        return Rests { pieces, open: true };
    }
    let last = facts
        .dossier
        .decisions
        .iter()
        .rfind(|d| matches!(d.value.subject(), Subject::Criterion(of) if of == id))
        .filter(|d| facts.dossier.same_tree(d.value.snapshot().tree));
    Rests {
        pieces: last.map_or(&[], |d| d.value.act().evidence()),
        open: false,
    }
}

/// The evidence that was picked, or that a decision rests on; every row of it decides.
pub(super) fn picked(facts: &Facts<'_>, id: &CriterionId, sheet: &mut Sheet) {
    let Rests { pieces, open } = rests(facts, id);
    let name = if open { "PICKED" } else { "RESTS ON" };
    for (at, evidence) in pieces.iter().enumerate() {
        sheet.gap();
        match evidence {
            Evidence::Run(entry) => {
                sheet.say(name, &format!("run of entry {}", entry.short()), Role::Text);
            }
            Evidence::Hunk {
                path,
                line,
                end_line,
                ..
            } => {
                let mut spans = facts.shown(&path.foreign(), Place::Strict, Role::Text);
                spans.push(Span::ours(format!(":{line}-{end_line}"), Role::Text));
                sheet.spans(name, None, &spans, None);
                let width = u16::try_from(sheet.width).unwrap_or(u16::MAX);
                for row in diff_excerpt::excerpt(facts, path, *line, *end_line, width) {
                    sheet.push(row);
                }
            }
            Evidence::Change { commit, path, line } => {
                let mut spans = facts.shown(&path.foreign(), Place::Strict, Role::Text);
                let commit = commit.short();
                spans.push(Span::ours(format!(":{line} by {commit}"), Role::Text));
                let label = format!("PICKED {}", at + 1);
                sheet.spans(name, None, &spans, Some(&label));
            }
            Evidence::Test { id, path, line } => {
                let label = format!("PICKED {}", at + 1);
                sheet.value(name, None, Value::strict(id).decides(&label));
                let mut spans = facts.shown(&path.foreign(), Place::Strict, Role::Text);
                spans.push(Span::ours(format!(":{line}"), Role::Text));
                sheet.spans("", None, &spans, Some(&label));
            }
            Evidence::Rationale(words) => {
                let label = format!("PICKED {}", at + 1);
                let text = Foreign::from(words.as_str());
                let value = Value {
                    place: Place::Prose,
                    ..Value::strict(&text).decides(&label)
                };
                sheet.value(name, None, value);
            }
        }
    }
}
