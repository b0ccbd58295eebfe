//! `contract/1`: a contract as JSON. Field names are the public interface; add, never rename.

use serde_json::{Map, Value, json};

use crate::model::contract::{
    Block, Complaint, Contract, ContractEdit, Criterion, EditKind, Gated, Kind, ScopeEntry,
    ScopeSays, Severity, Source, State,
};
use crate::model::oracle::{Expect, Oracle};
use crate::model::text::Foreign;

/// The whole document.
#[must_use]
pub fn document(contract: &Contract, bytes: &[u8], source: &Source) -> Value {
    let mut out = Map::new();
    out.insert("schema".into(), json!("countersign/contract/1"));
    body(&mut out, contract, bytes, source);
    out.insert(
        "criteria".into(),
        contract
            .criteria
            .iter()
            .map(|c| Value::Object(criterion(contract, c)))
            .collect(),
    );
    rest(&mut out, contract);
    Value::Object(out)
}

/// The member `contract`.
pub fn body(out: &mut Map<String, Value>, contract: &Contract, bytes: &[u8], source: &Source) {
    let header = &contract.header;
    let (path, lossy) = contract.path.json();
    let blob = git2::Oid::hash_object(git2::ObjectType::Blob, bytes).ok();
    let mut about = json!({
        "path": path,
        "format": contract.format.name(),
        "confidence": contract.confidence.word(),
        "why": contract.why,
        "digest": contract.digest.to_string(),
        "blob": blob.map(|oid| oid.to_string()),
        "source": source_word(source),
        "state": state(contract.state),
        "slug": optional(header.slug.as_ref()),
        "date": optional(header.date.as_ref()),
        "flow": optional(header.flow.as_ref()),
        "flow_note": optional(header.flow_note.as_ref()),
        "branch": optional(header.branch.as_ref()),
        "status": optional(header.status.as_ref()),
        "supersedes": optional(header.supersedes.as_ref()),
        "request": contract.request.as_ref().map(block),
        "clarifications": contract.clarifications.iter().map(block).collect::<Vec<_>>(),
        "questions": crate::adapters::contract::questions(&contract.clarifications),
    });
    if lossy && let Some(about) = about.as_object_mut() {
        about.insert("lossy".into(), json!(true));
    }
    out.insert("contract".into(), about);
}

/// The members after `criteria`: scope, errors, warnings.
pub fn rest(out: &mut Map<String, Value>, contract: &Contract) {
    let scope: Vec<_> = contract.scope.iter().map(scope_entry).collect();
    out.insert("scope".into(), scope.into());
    for (name, severity) in [("errors", Severity::Error), ("warnings", Severity::Warning)] {
        let list: Vec<_> = contract
            .complaints
            .iter()
            .filter(|complaint| complaint.severity == severity)
            .map(complaint)
            .collect();
        out.insert(name.into(), list.into());
    }
}

/// One criterion.
#[must_use]
pub fn criterion(contract: &Contract, criterion: &Criterion) -> Map<String, Value> {
    let abandon = contract.abandonment(&criterion.id);
    let oracle = criterion.oracle.as_ref();
    let anchors = |list: &[Foreign]| list.iter().map(text).collect::<Vec<_>>();
    let value = json!({
        "id": criterion.id.as_str(),
        "text": text(&criterion.text),
        "line": criterion.line,
        "end_line": criterion.end_line,
        "kind": kind(criterion.kind),
        "box": criterion.ticked,
        "check": oracle.map(|oracle| text(&oracle.check)),
        "expect": oracle.and_then(expect),
        "expect_kind": oracle.map(expect_kind),
        "evidence": criterion.evidence.as_ref().map(|slot| json!({
            "text": text(&slot.value),
            "line": slot.line,
            "sealed": false,
            "tree": null,
        })),
        "gated": gated(&criterion.gated),
        "abandon": abandon.map(|a| json!({"reason": text(&a.reason), "line": a.line})),
        "anchors": {
            "paths": anchors(&criterion.anchors.paths),
            "commands": anchors(&criterion.anchors.commands),
            "tests": anchors(&criterion.anchors.tests),
        },
        "optional": criterion.optional,
        "post_merge": criterion.post_merge,
        "disposition": criterion.disposition.as_ref().map(|said| json!({
            "token": said.token.word(),
            "where": text(&said.says),
            "line": said.line,
        })),
    });
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// One finding of `contract-diff/1`.
#[must_use]
pub fn finding(edit: &ContractEdit) -> Value {
    json!({
        "code": edit_code(edit.kind),
        "id": edit.id.as_ref().map(crate::model::id::CriterionId::as_str),
        "line": edit.line,
        "old": optional(edit.old.as_ref()),
        "new": optional(edit.new.as_ref()),
        "gated": edit.gated,
    })
}

/// The code of a kind of edit.
#[must_use]
pub fn edit_code(kind: EditKind) -> &'static str {
    match kind {
        EditKind::ContractRemoved => "contract-removed",
        EditKind::RequestChanged => "request-changed",
        EditKind::CriterionRemoved => "criterion-removed",
        EditKind::CheckChanged => "check-changed",
        EditKind::ExpectChanged => "expect-changed",
        EditKind::CriterionReworded => "criterion-reworded",
        EditKind::AbandonAdded => "abandon-added",
        EditKind::AbandonRemoved => "abandon-removed",
        EditKind::CriterionAdded => "criterion-added",
        EditKind::ScopeAdded => "scope-added",
        EditKind::ScopeRemoved => "scope-removed",
        EditKind::EvidencePrefilled => "evidence-prefilled",
        EditKind::EvidenceChanged => "evidence-changed",
        EditKind::BoxTicked => "box-ticked",
        EditKind::HeaderChanged => "header-changed",
        EditKind::NewInChange => "new-in-change",
        EditKind::Untracked => "untracked",
        EditKind::Uncommitted => "uncommitted",
    }
}

/// Text from outside as a JSON string; the printer escapes what is hidden.
#[must_use]
pub fn text(foreign: &Foreign) -> String {
    String::from_utf8_lossy(foreign.raw()).into_owned()
}

fn optional(foreign: Option<&Foreign>) -> Option<String> {
    foreign.map(text)
}

fn block(block: &Block) -> Value {
    json!({
        "text": text(&block.text),
        "line": block.line,
        "end_line": block.end_line,
        "gated": gated(&block.gated),
    })
}

fn gated(marks: &[Gated]) -> Vec<Value> {
    marks
        .iter()
        .map(|mark| {
            json!({
                "date": optional(mark.date.as_ref()),
                "note": text(&mark.note),
                "line": mark.line,
            })
        })
        .collect()
}

fn scope_entry(entry: &ScopeEntry) -> Value {
    let (kind, pattern) = match &entry.says {
        ScopeSays::Glob(glob) => ("glob", Some(text(glob))),
        ScopeSays::Outside(glob) => ("outside", Some(text(glob))),
        ScopeSays::RepoWide(_) => ("repo-wide", None),
        ScopeSays::Unread => ("unread", None),
    };
    let reason = match &entry.says {
        ScopeSays::RepoWide(reason) => optional(reason.as_ref()),
        ScopeSays::Glob(_) | ScopeSays::Outside(_) | ScopeSays::Unread => None,
    };
    json!({
        "pattern": pattern,
        "kind": kind,
        "text": text(&entry.text),
        "line": entry.line,
        "gated": gated(&entry.gated),
        "note": optional(entry.note.as_ref()).or(reason),
    })
}

fn complaint(complaint: &Complaint) -> Value {
    json!({
        "line": complaint.line,
        "code": complaint.code,
        "message": complaint.message,
        "hint": complaint.hint,
    })
}

fn expect(oracle: &Oracle) -> Option<String> {
    match &oracle.expect {
        Expect::Plain(marker) => Some(text(marker)),
        Expect::Regex { source, flags } => Some(format!("/{}/{}", text(source), text(flags))),
        Expect::ExitOnly => None,
    }
}

fn expect_kind(oracle: &Oracle) -> &'static str {
    match &oracle.expect {
        Expect::Plain(_) => "plain",
        Expect::Regex { .. } => "regex",
        Expect::ExitOnly => "exit",
    }
}

/// The word of where the judged bytes come from.
#[must_use]
pub fn source_word(source: &Source) -> &'static str {
    match source {
        Source::Base => "base",
        Source::FirstCommit(_) => "first-commit",
        Source::Head => "head",
        Source::File => "file",
    }
}

/// The word of a state.
#[must_use]
pub fn state(state: State) -> &'static str {
    match state {
        State::Found => "found",
        State::Prose => "prose",
        State::Empty => "empty",
        State::Absent => "absent",
        State::NearMiss => "near-miss",
        State::Unreadable => "unreadable",
    }
}

/// The word of a kind.
#[must_use]
pub fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Runnable => "runnable",
        Kind::Manual => "manual",
        Kind::Task => "task",
        Kind::Scenario => "scenario",
        Kind::Human => "human",
        Kind::Prose => "prose",
    }
}
