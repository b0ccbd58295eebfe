//! `countersign wave closure`: what a review before the push leaves open.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};

use super::args::BooksArgs;
use super::books::{self, Books};
use super::git::Asked;
use super::{bytes, document, print, recorded};
use crate::adapters::wave::report;
use crate::cli::Context;
use crate::cli::exit::Exit;
use crate::cli::json::print_json;
use crate::cli::report::Report;
use crate::gate::wave::closure::{Closure, Listed, Says, Sent, fold, sent_out};
use crate::gate::wave::range::fix_delta;
use crate::model::id::{Digest, Oid};
use crate::model::text::{Foreign, Place};

/// What was reviewed.
struct Range {
    pushed: Oid,
    head: Oid,
    merges: usize,
    parts: Vec<String>,
    more: bool,
}

/// Runs it.
pub(super) fn run(
    context: &Context,
    ledger: &Path,
    file: &Path,
    args: &BooksArgs,
    pushed: Option<&str>,
) -> Result<Exit, Report> {
    let books = books::read(context, ledger, args)?;
    let text = bytes(context, file).map_err(|why| {
        Report::new(Exit::Usage, "no-report", why).hint("name the report of the reviewer")
    })?;
    let range = pushed.map(|pushed| range(context, pushed)).transpose()?;
    let closure = fold(
        &report::read(&text),
        &books.ledger,
        &books.spec,
        &sent(&books),
        &taken(&books),
    );
    let head = range.as_ref().map(|range| range.head);
    let added = match &args.log {
        Some(path) => recorded::review(context, path, &books, &closure, Digest::of(&text), head)?,
        None => recorded::Added::default(),
    };
    if context.json {
        json_document(&books, &closure, range.as_ref(), &added);
    } else {
        print(&lines(&closure, range.as_ref()));
    }
    Ok(if closure.carried.is_empty() {
        Exit::Clear
    } else {
        Exit::NotClear
    })
}

/// Rows that a reviewer was given: from the log, else from the ids that the record selects, else
/// every row that was ever sent out.
fn sent(books: &Books) -> Sent {
    if books.log.is_some() {
        return books.folded().sent;
    }
    let mut required = sent_out(&books.ledger);
    let selected = books.record.as_ref().and_then(|r| r.wave.as_ref());
    if let Some(wave) = selected.filter(|wave| !wave.selected.is_empty()) {
        let rows = books.ledger.rows.iter().zip(&books.spec.items);
        let named: BTreeSet<u32> = rows
            .filter(|(_, item)| item.ids.iter().any(|id| wave.selected.contains(id)))
            .map(|(row, _)| row.number)
            .collect();
        required.retain(|row| named.contains(row));
    }
    Sent {
        required,
        settled: BTreeSet::new(),
    }
}

/// Ids that were minted already, as far as they are known.
fn taken(books: &Books) -> BTreeSet<crate::model::wave::FindingId> {
    let selected = books.record.as_ref().and_then(|r| r.wave.as_ref());
    let selected = selected.map_or(&[][..], |wave| &wave.selected);
    let carried = books.folded().carried;
    selected.iter().copied().chain(carried).collect()
}

fn range(context: &Context, pushed: &str) -> Result<Range, Report> {
    let pushed = Oid::parse(pushed).ok_or_else(|| {
        let message = "--pushed-head is no commit id of 40 hex digits";
        Report::new(Exit::Usage, "bad-head", message)
            .hint("name the pushed head in full, or the head recorded after a rewrite")
    })?;
    let answer = Asked::new()?.added(&context.dir, pushed)?;
    if !answer.descends {
        let message = "the head does not descend from the pushed head";
        return Err(Report::new(Exit::Stale, "moved", message)
            .hint("name the head that was recorded after the rewrite"));
    }
    let merges: Vec<(Oid, Oid)> = answer
        .merges()
        .into_iter()
        .filter_map(|(merge, parents)| Some((merge, *parents.first()?)))
        .collect();
    let head = Oid(answer.head);
    Ok(Range {
        pushed,
        head,
        merges: merges.len(),
        parts: fix_delta(pushed, head, &merges)
            .iter()
            .map(ToString::to_string)
            .collect(),
        more: answer.cut,
    })
}

fn says(says: &Says) -> String {
    match says {
        Says::Resolved => "resolved".into(),
        Says::Open(why) => format!("open - {}", visible(why)),
        Says::Unreasoned => "open".into(),
    }
}

fn visible(text: &str) -> String {
    Foreign::from(text).shown(Place::Prose).plain()
}

fn listed(finding: &Listed) -> Value {
    json!({
        "severity": finding.grade.word(),
        "inside": finding.inside,
        "text": visible(&finding.text),
        "line": finding.line,
    })
}

fn json_document(books: &Books, closure: &Closure, range: Option<&Range>, added: &recorded::Added) {
    let carried: Vec<Value> = closure
        .carried
        .iter()
        .map(|carried| {
            json!({
                "id": carried.id.to_string(),
                "row": carried.row,
                "why": visible(&carried.why),
                "severity": carried.grade.map(crate::gate::wave::closure::Grade::word),
                "blocks": carried.blocks,
            })
        })
        .collect();
    let reopen: Vec<Value> = closure
        .reopen
        .iter()
        .map(|reopen| {
            json!({
                "row": reopen.row,
                "ids": document::ids(&reopen.ids),
                "line": visible(&reopen.line),
            })
        })
        .collect();
    let outcomes: serde_json::Map<String, Value> = closure
        .outcomes
        .iter()
        .chain(closure.prior.iter().map(|(id, says)| (id, says)))
        .map(|(id, outcome)| (id.to_string(), json!(says(outcome))))
        .collect();
    let mut fields = document::of_books(books);
    fields.extend([
        ("carried", json!(carried)),
        ("reopen", json!(reopen)),
        ("may_push", json!(closure.may_push())),
        ("settled", json!(closure.settled)),
        ("outcomes", Value::Object(outcomes)),
        (
            "nits",
            closure
                .nits
                .iter()
                .map(|(id, nit)| json!({"id": id.to_string(), "finding": listed(nit)}))
                .collect(),
        ),
        ("evidence", closure.evidence.iter().map(listed).collect()),
        (
            "ignored",
            closure
                .ignored
                .iter()
                .map(|(line, why)| json!({"line": line, "why": why}))
                .collect(),
        ),
        (
            "range",
            range.map_or(Value::Null, |range| {
                json!({
                    "pushed_head": range.pushed.to_string(),
                    "head": range.head.to_string(),
                    "merges": range.merges,
                    "fix_delta": range.parts,
                    "cut": range.more,
                })
            }),
        ),
        ("events", json!(added.events)),
        ("recorded_before", json!(added.before)),
    ]);
    print_json(&document::document(fields));
}

fn lines(closure: &Closure, range: Option<&Range>) -> Vec<String> {
    let mut out = vec![format!(
        "{} open, {} rows reopen, {} rows settled",
        closure.carried.len(),
        closure.reopen.len(),
        closure.settled.len()
    )];
    out.push(if closure.may_push() {
        "nothing Critical or Moderate is carried: a push is allowed".into()
    } else {
        "no push: something Critical or Moderate is carried".into()
    });
    for carried in &closure.carried {
        let row = carried
            .row
            .map_or_else(|| "new".to_owned(), |row| format!("row {row}"));
        out.push(format!("{} {row}: {}", carried.id, visible(&carried.why)));
    }
    for (id, nit) in &closure.nits {
        out.push(format!("{id} new nit: {}", visible(&nit.text)));
    }
    for finding in &closure.evidence {
        out.push(format!("only shown: {}", visible(&finding.text)));
    }
    for (id, outcome) in &closure.prior {
        out.push(format!("{id} of an earlier review: {}", says(outcome)));
    }
    for (line, why) in &closure.ignored {
        out.push(format!("ignored line {line}: {why}"));
    }
    if !closure.reopen.is_empty() {
        out.push("for the ledger, each row failed, attempts as they are:".into());
        let lines = closure.reopen.iter();
        out.extend(lines.map(|reopen| format!("  {}", visible(&reopen.line))));
    }
    if let Some(range) = range {
        out.push(format!("reviewed: {}..{}", range.pushed, range.head));
        out.push("fix delta:".into());
        out.extend(range.parts.iter().map(|part| format!("  {part}")));
        if range.more {
            out.push(
                "  the pushed head is not on the first-parent history: base changes may be inside"
                    .into(),
            );
        }
    }
    out
}
