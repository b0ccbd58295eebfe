//! The card of a changed file: what accounts for it, why it stands high, what it changes.

use crate::app::row::{Role, Row, Span};
use crate::gate::judge::Item;
use crate::model::change::ChangeKind;
use crate::model::contract::ScopeSays;
use crate::model::id::RepoPath;
use crate::model::known::Known;
use crate::model::scope::{Risk, Trace};
use crate::model::text::Place;

use super::card::{decided, limits, rulings};
use super::facts::Facts;
use super::sheet::{Sheet, Value};
use super::{diff_excerpt, list_row};

/// Changed rows that decide in the card; the rest is one key away and counted.
const FIRST: usize = 6;

/// The card of an item of the scope pane.
pub fn fill(facts: &Facts<'_>, item: &Item, path: &RepoPath, sheet: &mut Sheet) {
    let name = path.foreign();
    sheet.value("FILE", None, Value::strict(&name).decides("FILE"));
    what(facts, path, sheet);
    trace(facts, path, sheet);
    scope(facts, sheet);
    sheet.gap();
    let width = u16::try_from(sheet.width).unwrap_or(u16::MAX);
    for row in diff_excerpt::changes(facts, path, FIRST, width) {
        sheet.push(row);
    }
    limits(item, sheet);
    decided(facts, item, sheet);
    rulings(item, sheet);
}

/// The card of a row of the file list.
pub fn file(facts: &Facts<'_>, path: &RepoPath, sheet: &mut Sheet) {
    let name = path.foreign();
    sheet.gap();
    sheet.value("FILE", None, Value::strict(&name));
    what(facts, path, sheet);
    trace(facts, path, sheet);
}

fn what(facts: &Facts<'_>, path: &RepoPath, sheet: &mut Sheet) {
    let Some(file) = facts.file(path) else {
        sheet.say("CHANGE", "not in this change any more", Role::Warn);
        return;
    };
    let word = match file.kind {
        ChangeKind::Added => "added",
        ChangeKind::Deleted => "deleted",
        ChangeKind::Modified => "modified",
        ChangeKind::Renamed => "renamed",
        ChangeKind::Mode => "permissions changed, same bytes",
        ChangeKind::Type => "became another kind of entry",
    };
    let mut spans = vec![Span::ours(format!("{word}  "), Role::Text)];
    spans.extend(list_row::counts(file));
    sheet.spans("CHANGE", None, &spans, None);
    match &file.marks {
        Known::Is(marks) if !marks.says().is_empty() => {
            let role = if marks.is_loud() {
                Role::Warn
            } else {
                Role::Muted
            };
            let text = format!("its added lines hide {} · i lists them", marks.says());
            sheet.say_marked("HIDDEN", None, &text, role, Some("HIDDEN"));
        }
        Known::Unknown(why) if !matches!(file.shape, Known::Unknown(_)) => {
            sheet.say("HIDDEN", &format!("not looked at: {why}"), Role::Warn);
        }
        Known::Is(_) | Known::Unknown(_) | Known::NotApplicable(_) | Known::NotSupplied => {}
    }
    if let Some(old) = &file.old_path {
        sheet.value("FROM", None, Value::strict(&old.foreign()));
    }
    if let (Some(old), Some(new)) = (&file.old, &file.new)
        && old.mode != new.mode
    {
        let text = format!("{:o} → {:o}", old.mode, new.mode);
        sheet.say("MODE", &text, Role::Warn);
    }
}

fn trace(facts: &Facts<'_>, path: &RepoPath, sheet: &mut Sheet) {
    let Some(scoped) = facts.scoped(path) else {
        let why = match &facts.dossier.scope {
            Known::Unknown(why) => format!("unknown: {why}"),
            Known::NotApplicable(why) => why.to_string(),
            Known::Is(_) | Known::NotSupplied => "no FILE SCOPE to compare with".to_owned(),
        };
        sheet.say("CLAIMED BY", &why, Role::Muted);
        return;
    };
    for (at, trace) in scoped.traces.iter().enumerate() {
        let (text, role) = match trace {
            Trace::Criterion(id) => (format!("criterion {id}"), Role::Text),
            Trace::Scope(line) => (format!("FILE SCOPE, line {line}"), Role::Text),
            Trace::Contract => ("the contract or its oracles".to_owned(), Role::Text),
            Trace::RepoWide => ("repo-wide only, which is no edge".to_owned(), Role::Warn),
            Trace::NamedOutside(line) => (format!("named as out of scope, line {line}"), Role::Bad),
            Trace::Untraced => ("nothing".to_owned(), Role::Warn),
        };
        let label = if at == 0 { "CLAIMED BY" } else { "" };
        sheet.say_marked(label, None, &text, role, Some("CLAIMED BY"));
    }
    let risk = match scoped.risk {
        Risk::Ci => "runs in continuous integration or release",
        Risk::Permission => "permission or owner rules",
        Risk::Lock => "a dependency lock file",
        Risk::DeletedTest => "a test that is gone",
        Risk::Contract => "the contract itself",
        Risk::Build => "a build entry point",
        Risk::Plain => return,
    };
    sheet.say_marked("RISK", None, risk, Role::Warn, Some("RISK"));
}

fn scope(facts: &Facts<'_>, sheet: &mut Sheet) {
    let Some(record) = facts.record() else {
        return;
    };
    let mut spans: Vec<Span> = Vec::new();
    let mut outside: Vec<Span> = Vec::new();
    for entry in &record.contract.scope {
        let into = match &entry.says {
            ScopeSays::Glob(_) | ScopeSays::RepoWide(_) => &mut spans,
            ScopeSays::Outside(_) => &mut outside,
            ScopeSays::Unread => continue,
        };
        if !into.is_empty() {
            into.push(Span::ours(", ", Role::Muted));
        }
        into.extend(facts.shown(&entry.text, Place::Strict, Role::Text));
    }
    if !spans.is_empty() {
        sheet.spans("FILE SCOPE", None, &spans, None);
    }
    if !outside.is_empty() {
        sheet.spans("NOT", None, &outside, None);
    }
    let Known::Is(found) = &facts.dossier.scope else {
        return;
    };
    for (line, text) in found.unread.iter().chain(&found.unmatched).take(4) {
        let mut row = Row::ours(" UNREAD", Role::Muted)
            .to(sheet.indent, true)
            .spans(facts.shown(text, Place::Strict, Role::Text));
        row = row.and(format!("  line {line} matched nothing"), Role::Muted);
        sheet.push(row);
    }
}
