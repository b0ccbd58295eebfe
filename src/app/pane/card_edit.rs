//! The card of a contract edit: base on the left (or above), head on the right (or below), why
//! it is listed first, and what each ruling does.

use crate::app::row::{Role, Row, Span, cut_path, width_of};
use crate::gate::dossier::EditTarget;
use crate::gate::judge::Item;
use crate::model::contract::{ContractEdit, EditKind};
use crate::model::text::{Foreign, Place};

use super::card::{Depth, decided, limits, rulings};
use super::card_criterion::lines;
use super::facts::Facts;
use super::sheet::{Piece, Sheet, chunk_labels, wrapped};
use super::{diff_excerpt, words};

/// The edits that touch a target, worst first.
#[must_use]
pub fn edits<'a>(facts: &Facts<'a>, target: &EditTarget) -> Vec<&'a ContractEdit> {
    let Some(record) = facts.record() else {
        return Vec::new();
    };
    record
        .edits
        .iter()
        .filter(|edit| &target_of(edit) == target)
        .collect()
}

/// The part that an edit touches.
#[must_use]
pub fn target_of(edit: &ContractEdit) -> EditTarget {
    match (edit.kind, &edit.id) {
        (
            EditKind::ContractRemoved
            | EditKind::NewInChange
            | EditKind::Untracked
            | EditKind::Uncommitted,
            _,
        ) => EditTarget::Whole,
        (EditKind::RequestChanged, _) => EditTarget::Request,
        (EditKind::ScopeAdded | EditKind::ScopeRemoved, _) => EditTarget::Scope,
        (_, Some(id)) => EditTarget::Criterion(id.clone()),
        (_, None) => EditTarget::Header,
    }
}

/// Fills the card.
pub fn fill(facts: &Facts<'_>, item: &Item, target: &EditTarget, depth: Depth, sheet: &mut Sheet) {
    let base = words::short(&facts.dossier.snapshot.merge_base);
    let head = words::short(&facts.dossier.snapshot.head);
    let whole = target == &EditTarget::Whole;
    if depth != Depth::Peek {
        let text = if beside_only(&edits(facts, target)) {
            "Judged is the contract of record. What the worktree holds is never used.".to_owned()
        } else if whole {
            "Judged is the contract named below; nothing older is of record.".to_owned()
        } else {
            format!(
                "Judged is the contract of record, read from base {base}. The head's version is shown and never used."
            )
        };
        let indent = std::mem::replace(&mut sheet.indent, 1);
        sheet.say("", &text, Role::Text);
        sheet.indent = indent;
        sheet.gap();
    }
    let found = edits(facts, target);
    let pair = (
        format!("of record, base {base}"),
        format!("proposed by the change, head {head}"),
    );
    if sheet.width >= 80 {
        beside(facts, target, &found, &pair, sheet);
    } else {
        over(facts, target, &found, &pair, sheet);
    }
    reasons(&found, sheet);
    if depth != Depth::Peek {
        unchanged(facts, sheet);
    }
    limits(item, sheet);
    decided(facts, item, sheet);
    if depth != Depth::Peek {
        bytes(facts, depth, sheet);
    }
    rulings(item, sheet);
}

/// Whether only the worktree differs, and not what the change holds.
fn beside_only(edits: &[&ContractEdit]) -> bool {
    let beside = [EditKind::Untracked, EditKind::Uncommitted];
    edits.iter().all(|edit| beside.contains(&edit.kind))
}

fn name(target: &EditTarget) -> String {
    match target {
        EditTarget::Criterion(id) => format!("CRITERION {id}"),
        EditTarget::Whole => "CONTRACT".to_owned(),
        EditTarget::Request => "REQUEST".to_owned(),
        EditTarget::Scope => "FILE SCOPE".to_owned(),
        EditTarget::Header => "HEADER".to_owned(),
    }
}

/// One side of an edit, wrapped, with its labels.
fn side(
    ascii: bool,
    text: Option<&Foreign>,
    label: &str,
    columns: usize,
) -> Vec<(Vec<Span>, Vec<String>)> {
    let Some(text) = text else {
        return vec![(vec![Span::ours("–", Role::Muted)], vec![label.to_owned()])];
    };
    let mut out = Vec::new();
    for (at, line) in lines(text).iter().enumerate() {
        let label = match at {
            0 => label.to_owned(),
            _ => format!("{label}/{}", at + 1),
        };
        for Piece { from, to, spans } in wrapped(ascii, line, Place::Strict, Role::Text, columns) {
            out.push((spans, chunk_labels(&label, from, to)));
        }
    }
    out
}

fn labels(edit: &ContractEdit) -> (String, String) {
    let part = words::edit_part(edit.kind);
    (format!("{part} base"), format!("{part} head"))
}

fn beside(
    facts: &Facts<'_>,
    target: &EditTarget,
    edits: &[&ContractEdit],
    pair: &(String, String),
    sheet: &mut Sheet,
) {
    let ascii = facts.state.screen.ascii;
    let note = 13;
    let half = sheet.width.saturating_sub(sheet.indent + note) / 2;
    let right_at = sheet.indent + half;
    sheet.push(
        Row::ours(format!(" {}", name(target)), Role::Strong)
            .to(sheet.indent, true)
            .and(pair.0.clone(), Role::Muted)
            .to(right_at, true)
            .and(pair.1.clone(), Role::Muted),
    );
    for edit in edits {
        let (old_label, new_label) = labels(edit);
        let columns = half.saturating_sub(2).max(8);
        let old = side(ascii, edit.old.as_ref(), &old_label, columns);
        let new = side(ascii, edit.new.as_ref(), &new_label, columns);
        for at in 0..old.len().max(new.len()) {
            let label = if at == 0 {
                words::edit_part(edit.kind)
            } else {
                ""
            };
            let mut row = Row::ours(format!("   {label}"), Role::Muted).to(sheet.indent, true);
            if let Some((spans, labels)) = old.get(at) {
                row = row.spans(spans.clone());
                row.decides.extend(labels.clone());
            }
            if let Some((spans, labels)) = new.get(at) {
                row = row.to(right_at, true).spans(spans.clone());
                row.decides.extend(labels.clone());
            }
            if at == 0 {
                let word = words::edit_happened(edit.kind);
                row = row.at_right(format!("{word} "), happened_role(edit.kind));
            }
            sheet.push(row);
        }
    }
}

fn happened_role(kind: EditKind) -> Role {
    match kind {
        EditKind::ContractRemoved
        | EditKind::RequestChanged
        | EditKind::CriterionRemoved
        | EditKind::CheckChanged
        | EditKind::ExpectChanged
        | EditKind::CriterionReworded
        | EditKind::AbandonAdded => Role::Bad,
        EditKind::AbandonRemoved
        | EditKind::CriterionAdded
        | EditKind::ScopeAdded
        | EditKind::ScopeRemoved
        | EditKind::EvidencePrefilled
        | EditKind::EvidenceChanged
        | EditKind::BoxTicked
        | EditKind::HeaderChanged
        | EditKind::NewInChange
        | EditKind::Untracked
        | EditKind::Uncommitted => Role::Warn,
    }
}

/// Base above head.
fn over(
    facts: &Facts<'_>,
    target: &EditTarget,
    edits: &[&ContractEdit],
    pair: &(String, String),
    sheet: &mut Sheet,
) {
    let ascii = facts.state.screen.ascii;
    sheet.push(Row::ours(format!(" {}", name(target)), Role::Strong));
    let room = sheet.width.saturating_sub(sheet.indent + 1).max(8);
    for edit in edits {
        let (old_label, new_label) = labels(edit);
        let head = Row::ours(format!(" {}", words::edit_part(edit.kind)), Role::Muted)
            .to(sheet.indent, true)
            .and(words::edit_happened(edit.kind), happened_role(edit.kind));
        sheet.push(head);
        let sides = [
            (" − base", edit.old.as_ref(), old_label, Role::Bad),
            (" + head", edit.new.as_ref(), new_label, Role::Good),
        ];
        for (word, text, label, role) in sides {
            for (at, (spans, labels)) in side(ascii, text, &label, room).into_iter().enumerate() {
                let first = if at == 0 { word } else { "" };
                let mut row = Row::ours(first, role).to(sheet.indent, true).spans(spans);
                row.decides = labels;
                sheet.push(row);
            }
        }
    }
    let text = format!("{}; {}", pair.0, pair.1);
    let indent = std::mem::replace(&mut sheet.indent, 1);
    sheet.say("", &text, Role::Muted);
    sheet.indent = indent;
}

/// What the change left alone.
fn unchanged(facts: &Facts<'_>, sheet: &mut Sheet) {
    let Some(record) = facts.record() else {
        return;
    };
    let touched: Vec<EditTarget> = record.edits.iter().map(target_of).collect();
    if touched.contains(&EditTarget::Whole) {
        return;
    }
    let left = |target: &EditTarget| !touched.contains(target);
    let mut parts = Vec::new();
    if record.contract.request.is_some() && left(&EditTarget::Request) {
        parts.push("the request".to_owned());
    }
    let ids = record.contract.criteria.iter().map(|c| &c.id);
    let ids = ids.filter(|id| left(&EditTarget::Criterion((*id).clone())));
    match ids.count() {
        0 => {}
        count => parts.push(words::count(count, "criterion").replace("criterions", "criteria")),
    }
    if !record.contract.scope.is_empty() && left(&EditTarget::Scope) {
        parts.push("the file scope".to_owned());
    }
    if !parts.is_empty() {
        sheet.gap();
        sheet.say("UNCHANGED", &parts.join(", "), Role::Text);
    }
}

/// The changed lines of the contract itself. The rows above decide; these are the same bytes
/// where they stand.
fn bytes(facts: &Facts<'_>, depth: Depth, sheet: &mut Sheet) {
    let Some(path) = facts.record().map(|record| &record.contract.path) else {
        return;
    };
    if facts.file(path).is_none() {
        return;
    }
    let most = if depth == Depth::Dense { 8 } else { 40 };
    sheet.gap();
    let name = facts.shown(&path.foreign(), Place::Strict, Role::Text);
    let room = sheet.width.saturating_sub(sheet.indent + 1);
    sheet.push(
        Row::ours(" THE BYTES", Role::Muted)
            .to(sheet.indent, true)
            .spans(cut_path(&name, room)),
    );
    let width = u16::try_from(sheet.width).unwrap_or(u16::MAX);
    for mut row in diff_excerpt::changes(facts, path, most, width) {
        row.decides.clear();
        row.partial = false;
        sheet.push(row);
    }
}

fn reasons(edits: &[&ContractEdit], sheet: &mut Sheet) {
    sheet.gap();
    sheet.push(Row::ours(" WHY IT IS LISTED FIRST", Role::Muted));
    let mut said: Vec<EditKind> = Vec::new();
    for edit in edits {
        if said.contains(&edit.kind) {
            continue;
        }
        said.push(edit.kind);
        reason(
            words::edit_part(edit.kind),
            words::edit_why(edit.kind),
            sheet,
        );
    }
    if beside_only(edits) {
        return;
    }
    if edits.iter().any(|edit| !edit.gated) {
        let why = "a contract may change only at a human gate, and carries [gated DATE] then";
        reason("ungated", why, sheet);
    } else {
        let why = "a [gated DATE] written by the change is a claim until the ledger holds the act";
        reason("gated", why, sheet);
    }
}

fn reason(label: &str, why: &str, sheet: &mut Sheet) {
    let indent = std::mem::replace(&mut sheet.indent, 14.min(sheet.width / 3).max(12));
    let head = Row::ours(format!("   {label}"), Role::Warn).to(sheet.indent, true);
    let room = sheet.width.saturating_sub(sheet.indent + 1).max(8);
    let text = [Span::ours(why, Role::Text)];
    for (at, line) in crate::app::row::wrap_prose(&text, room)
        .into_iter()
        .enumerate()
    {
        let start = if at == 0 {
            head.clone()
        } else {
            Row::default().to(sheet.indent, false)
        };
        debug_assert!(width_of(&start.left) <= sheet.width.max(16));
        sheet.push(start.spans(line));
    }
    sheet.indent = indent;
}
