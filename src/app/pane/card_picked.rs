//! The part of a criterion's card that shows the evidence that was picked.

use crate::app::row::{Role, Span};
use crate::model::evidence::Evidence;
use crate::model::id::CriterionId;
use crate::model::text::{Foreign, Place};

use super::diff_excerpt;
use super::facts::Facts;
use super::sheet::{Sheet, Value};

/// The evidence that was picked; every row of it decides.
pub(super) fn picked(facts: &Facts<'_>, id: &CriterionId, sheet: &mut Sheet) {
    let Some(all) = facts.state.world.picked.get(id) else {
        return;
    };
    for (at, evidence) in all.iter().enumerate() {
        sheet.gap();
        match evidence {
            Evidence::Run(entry) => {
                sheet.say(
                    "PICKED",
                    &format!("run of entry {}", entry.short()),
                    Role::Text,
                );
            }
            Evidence::Hunk {
                path,
                line,
                end_line,
                ..
            } => {
                let mut spans = facts.shown(&path.foreign(), Place::Strict, Role::Text);
                spans.push(Span::ours(format!(":{line}-{end_line}"), Role::Text));
                sheet.spans("PICKED", None, &spans, None);
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
                sheet.spans("PICKED", None, &spans, Some(&label));
            }
            Evidence::Test { id, path, line } => {
                let label = format!("PICKED {}", at + 1);
                sheet.value("PICKED", None, Value::strict(id).decides(&label));
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
                sheet.value("PICKED", None, value);
            }
        }
    }
}
