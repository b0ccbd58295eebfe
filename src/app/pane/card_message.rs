//! A gate message in the list and beside it. It is read and answered on its own page; here stands
//! what it is about, and nothing that could count as having been read.

use crate::app::command::Command;
use crate::app::row::{Role, Span};
use crate::app::triage::parts::means;
use crate::gate::judge::Item;
use crate::gate::report::Severity;
use crate::model::menu::MessageId;
use crate::model::text::{Foreign, Place};

use super::card::{decided, limits, rulings};
use super::facts::Facts;
use super::sheet::Sheet;
use super::words;

/// The row of the list: the gate, and the file it came in.
pub(super) fn line(facts: &Facts<'_>, id: &MessageId, role: Role) -> Vec<Span> {
    let mut out = Vec::new();
    if let Some(waiting) = facts.dossier.message(id) {
        let raw = waiting.file.raw();
        let name = raw.rsplit(|byte| *byte == b'/').next().unwrap_or(raw);
        out.extend(facts.shown(&Foreign::new(name), Place::Strict, role));
        out.push(Span::ours("  ", Role::Muted));
    }
    let gate = id.gate.as_deref().unwrap_or("no marker");
    out.push(Span::ours(gate, Role::Muted));
    out
}

/// The card.
pub(super) fn fill(facts: &Facts<'_>, item: &Item, id: &MessageId, sheet: &mut Sheet) {
    let Some(gate) = facts.state.gate_of(id) else {
        return sheet.say("MESSAGE", "not among the messages any more", Role::Warn);
    };
    let file = facts.shown(&gate.name, Place::Strict, Role::Text);
    sheet.spans("FILE", None, &file, None);
    sheet.say("MESSAGE", &id.digest.short(), Role::Text);
    match gate.message.recommended() {
        Some(row) => {
            let mut spans = vec![Span::ours(format!("{}  ", row.n), Role::Text)];
            spans.extend(facts.shown(&row.label, Place::Prose, Role::Text));
            sheet.spans("RECOMMENDS", None, &spans, None);
        }
        None => sheet.say("RECOMMENDS", "nothing", Role::Muted),
    }
    if let Some(linted) = &gate.linted {
        let errors = linted.findings.iter();
        let errors = errors.filter(|found| found.severity == Severity::Error);
        let errors = errors.count();
        let role = if errors > 0 { Role::Bad } else { Role::Text };
        sheet.say("LINT", &words::count(errors, "error"), role);
    }
    if let Some(answered) = &gate.answer {
        sheet.say("ANSWERED", &means(gate, answered), Role::Good);
    }
    sheet.gap();
    let key = facts.state.keys.shown(Command::GoIn);
    let way = if facts.state.screen.plain {
        "its name shows the message with its menu".to_owned()
    } else {
        format!("{key} opens the message with its menu")
    };
    sheet.say("READ", &way, Role::Accent);
    limits(item, sheet);
    decided(facts, item, sheet);
    rulings(item, sheet);
}
