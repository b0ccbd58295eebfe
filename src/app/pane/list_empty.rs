//! Why a section of the list is empty, and what would fill it. An empty section is never just
//! empty, and what could not be looked at is never "none".

use crate::app::command::Command;
use crate::app::row::{Role, Row};
use crate::app::state::Filter;
use crate::gate::judge::Pane;
use crate::model::known::Known;
use crate::model::text::{Foreign, Place};

use super::facts::Facts;
use super::list::Section;
use super::words;

/// Why a section is empty, and what would fill it (screens.md, empty states).
pub(super) fn why(facts: &Facts<'_>, section: Section, columns: usize) -> Row {
    let narrow = columns < 50;
    let filter = &facts.state.nav.filter;
    let (mark, text, role) = match section {
        _ if *filter != Filter::All && section != Section::Rest => {
            let key = facts.state.keys.shown(Command::Filter);
            let text = match filter {
                Filter::Owed | Filter::All => {
                    format!("filter \"owed\" hides it · {key} goes on")
                }
                Filter::Words(words) => {
                    let words = Foreign::from(words.as_str()).shown(Place::Strict);
                    format!("filter \"{words}\" hides it · {key} ends it")
                }
            };
            (" ", text, Role::Muted)
        }
        Section::Pane(Pane::Contract) => contract_why(facts),
        Section::Pane(Pane::Criteria) => criteria_why(facts),
        Section::Pane(Pane::Comments) => (
            "–",
            "no pull request, so no threads".to_owned(),
            Role::Muted,
        ),
        Section::Pane(Pane::Scope) => scope_why(facts),
        Section::Pane(Pane::Chains) => match &facts.judgment.chains {
            Known::Is(verdict) => (
                "–",
                format!("{}: no chain is touched", verdict.word()),
                Role::Muted,
            ),
            Known::Unknown(why) => ("▲", format!("unknown: {why}"), Role::Warn),
            Known::NotSupplied => ("…", "not read yet".to_owned(), Role::Muted),
            Known::NotApplicable(_) => ("–", "no SKILL.md is touched".to_owned(), Role::Muted),
        },
        Section::Pane(Pane::Spec) => ("–", "no spec tree".to_owned(), Role::Muted),
        Section::Pane(Pane::Triage) => ("–", "no gate message".to_owned(), Role::Muted),
        Section::Pane(Pane::Verdict) | Section::Beside | Section::Guide => {
            (" ", String::new(), Role::Muted)
        }
        Section::Rest if facts.state.touches_spec() == Some(true) => {
            ("◇", touched(facts, narrow), Role::Text)
        }
        Section::Rest => ("–", rest_why(facts, narrow), Role::Muted),
        Section::Files => match &facts.dossier.files {
            Known::Is(_) => ("–", "no file is changed".to_owned(), Role::Muted),
            Known::Unknown(why) => ("▲", format!("unknown: {why}"), Role::Warn),
            Known::NotApplicable(why) => ("–", why.to_string(), Role::Muted),
            Known::NotSupplied => ("…", "not read yet".to_owned(), Role::Muted),
        },
    };
    Row::ours(format!("  {mark} "), role).and(text, role)
}

/// Why the panes that share a rule are empty.
/// A spec pane that holds no item but has something to show.
fn touched(facts: &Facts<'_>, narrow: bool) -> String {
    let panes = super::list_title::rest(facts);
    let others = panes.iter().filter(|pane| **pane != Pane::Spec);
    match missing(others, narrow) {
        none if none.is_empty() => "specs are touched".to_owned(),
        others => format!("specs are touched; no {others}"),
    }
}

fn rest_why(facts: &Facts<'_>, narrow: bool) -> String {
    let panes = super::list_title::rest(facts);
    format!("no {}", missing(panes.iter(), narrow))
}

fn missing<'a>(panes: impl Iterator<Item = &'a Pane>, narrow: bool) -> String {
    let name = |pane: &Pane| match pane {
        Pane::Chains => "SKILL.md",
        Pane::Spec if narrow => "spec",
        Pane::Spec => "spec tree",
        Pane::Triage if narrow => "message",
        Pane::Triage => "gate message",
        Pane::Contract | Pane::Criteria | Pane::Comments | Pane::Scope | Pane::Verdict => "",
    };
    let names: Vec<_> = panes.map(name).collect();
    names.join(if narrow { ", " } else { ", no " })
}

fn contract_why(facts: &Facts<'_>) -> (&'static str, String, Role) {
    match &facts.dossier.contract {
        Known::Is(_) => (
            "✓",
            "untouched: the change does not edit it".to_owned(),
            Role::Muted,
        ),
        Known::Unknown(why) => ("▲", format!("unreadable: {why}"), Role::Bad),
        Known::NotApplicable(why) => ("–", why.to_string(), Role::Muted),
        Known::NotSupplied => (
            "–",
            "no contract found: --contract names one".to_owned(),
            Role::Warn,
        ),
    }
}

fn criteria_why(facts: &Facts<'_>) -> (&'static str, String, Role) {
    match &facts.dossier.contract {
        Known::Is(record) => {
            let errors = record.contract.errors().count();
            if errors > 0 {
                let text = format!("{}: nothing is judged", words::count(errors, "error"));
                ("▲", text, Role::Bad)
            } else {
                (
                    "–",
                    "the contract names no criterion".to_owned(),
                    Role::Warn,
                )
            }
        }
        Known::Unknown(_) if !facts.dossier.candidates.is_empty() => {
            let count = words::count(facts.dossier.candidates.len(), "file");
            let key = facts.state.keys.shown(Command::PickEvidence);
            let text = format!("{count} could be the contract: {key} picks");
            ("▲", text, Role::Warn)
        }
        Known::Unknown(why) => ("▲", format!("unknown: {why}"), Role::Bad),
        Known::NotApplicable(_) | Known::NotSupplied => {
            ("–", "none without a contract".to_owned(), Role::Muted)
        }
    }
}

fn scope_why(facts: &Facts<'_>) -> (&'static str, String, Role) {
    match &facts.dossier.scope {
        Known::Is(_) => (
            "✓",
            "every changed file is accounted for".to_owned(),
            Role::Muted,
        ),
        Known::Unknown(why) => ("▲", format!("unknown: {why}"), Role::Warn),
        Known::NotApplicable(why) => ("–", why.to_string(), Role::Muted),
        Known::NotSupplied => ("–", "no FILE SCOPE to compare with".to_owned(), Role::Muted),
    }
}
