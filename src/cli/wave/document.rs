//! The `wave/1` document: every field always there, `null` where a command does not say it.

use serde_json::{Map, Value, json};

use super::books::Books;
use super::shown;
use crate::gate::wave::row::{Next, RowFacts, Said, spent};
use crate::model::known::Known;
use crate::model::text::Place;
use crate::model::wave::{
    Account, DecisionLine, FindingId, NoProgress, Pending, Row, RunRecord, WorkItem,
};

/// Fields in the order of the document.
const FIELDS: [&str; 12] = [
    "rows",
    "pending",
    "decisions",
    "result",
    "reason",
    "carried",
    "reopen",
    "charge",
    "usage",
    "caps",
    "no_progress",
    "warnings",
];

/// A document with these fields; the others of [`FIELDS`] are `null`.
pub(super) fn document(fields: Vec<(&'static str, Value)>) -> Value {
    let mut map = Map::new();
    map.insert("schema".into(), json!("countersign/wave/1"));
    for field in FIELDS {
        map.insert(field.into(), Value::Null);
    }
    for (name, value) in fields {
        map.insert(name.into(), value);
    }
    Value::Object(map)
}

/// A number when it is known.
pub(super) fn known(value: &Known<u32>) -> Value {
    value.known().map_or(Value::Null, |number| json!(number))
}

/// Ids as strings.
pub(super) fn ids(ids: &[FindingId]) -> Value {
    ids.iter().map(|id| json!(id.to_string())).collect()
}

/// The ids of a row with commas.
pub(super) fn id_words(item: Option<&WorkItem>) -> String {
    let ids = item.map_or(&[][..], |item| &item.ids);
    let words: Vec<String> = ids.iter().map(ToString::to_string).collect();
    words.join(", ")
}

/// One row with what may happen to it.
pub(super) fn row(
    row: &Row,
    item: Option<&WorkItem>,
    said: &Said<'_>,
    facts: &RowFacts,
    next: &Next,
) -> Value {
    let exhausted = match spent(facts) {
        Known::Is(spent) => json!(spent.is_some()),
        _ => Value::Null,
    };
    let why = match next {
        Next::Unknown(why) => json!(why.to_string()),
        _ => Value::Null,
    };
    let route = said.last.and_then(|line| line.says.route());
    json!({
        "row": row.number,
        "status": row.status.word(),
        "attempts": row.attempts,
        "misses": known(&facts.misses),
        "exhausted": exhausted,
        "escalated": said.escalated,
        "evidence": shown(&row.evidence),
        "ids": item.map_or(Value::Null, |item| ids(&item.ids)),
        "nits": item.map(|item| item.nits),
        "next": next.word(),
        "why": why,
        "last_decision": said.last.map(|line| shown(&line.text)),
        "route": route.map(crate::model::wave::Route::word),
    })
}

/// The dispatch under way.
pub(super) fn pending(pending: Option<Pending>) -> Value {
    pending.map_or(Value::Null, |pending| {
        json!({"row": pending.row, "leg": "gatekeep", "head_before": pending.head_before.to_string()})
    })
}

/// A decision line.
pub(super) fn decision(line: &DecisionLine) -> Value {
    json!({
        "row": line.row,
        "text": line.text.shown(Place::Strict).plain(),
        "route": line.says.route().map(crate::model::wave::Route::word),
        "line": line.line,
    })
}

/// Usage and caps of a record.
pub(super) fn accounts(record: Option<&RunRecord>) -> [(&'static str, Value); 2] {
    let Some(record) = record else {
        return [("usage", Value::Null), ("caps", Value::Null)];
    };
    let of = |pick: fn(&Account) -> &Known<u32>| json!({"rounds": known(pick(&record.rounds)), "syncs": known(pick(&record.syncs))});
    [("usage", of(|a| &a.used)), ("caps", of(|a| &a.cap))]
}

/// A checkpoint.
pub(super) fn no_progress(checkpoint: Option<&NoProgress>) -> Value {
    checkpoint.map_or(Value::Null, |checkpoint| {
        json!({
            "prerequisite": shown(&checkpoint.prerequisite),
            "observed": shown(&checkpoint.observed),
            "result": shown(&checkpoint.result),
        })
    })
}

/// The fields that every command that read the books can say.
pub(super) fn of_books(books: &Books) -> Vec<(&'static str, Value)> {
    let mut fields = vec![
        ("pending", pending(books.ledger.pending)),
        (
            "decisions",
            books.ledger.decisions.iter().map(decision).collect(),
        ),
        ("warnings", json!(books.warnings())),
    ];
    fields.extend(accounts(books.record.as_ref()));
    let wave = books.record.as_ref().and_then(|r| r.wave.as_ref());
    let checkpoint = wave.and_then(|wave| wave.no_progress.as_ref());
    fields.push(("no_progress", no_progress(checkpoint)));
    fields
}
