//! A line becomes an entry, or what is wrong with it.

use serde::Deserialize as _;
use serde_json::Value;

use super::bodies::{assertion, carry, decision, edit, opened, posted, ruling, run, seal, undo};
use super::fields::Fields;
use super::strict::Strict;
use super::{MOVED, VERSION, kind};
use crate::ledger::entry::{Body, Entry, Head};
use crate::model::id::{Digest, EntryId};

/// Something wrong with one line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// Not a JSON object.
    NotJson(String),
    /// A key stands there twice, so that two readers may read two things.
    DuplicateKey(String),
    /// Written by a newer version; kept verbatim.
    NewerVersion(u64),
    /// A kind this build does not know; kept verbatim.
    UnknownKind(String),
    /// A key this build does not know; it stays in the stored line.
    UnknownField(String),
    /// A value outside its closed set, or of the wrong form.
    BadValue(String),
    /// A key that must be there is not.
    MissingField(String),
    /// A companion text is not there.
    TextMissing(Digest),
    /// A companion text is not what the line names.
    TextChanged(Digest),
}

/// What was read of a line.
#[derive(Clone, PartialEq, Debug)]
pub struct Parsed {
    /// Its number, when it says one.
    pub seq: Option<u64>,
    /// The digest of the line before, when it names one.
    pub prev: Option<Digest>,
    /// The entry, when it could be read.
    pub entry: Option<Entry>,
    /// Everything wrong with it.
    pub faults: Vec<Fault>,
}

/// Reads one line (without its LF) of `shard`; `text_of` finds companion texts.
#[must_use]
pub fn parse(line: &str, shard: &str, text_of: &dyn Fn(&Digest) -> Option<Vec<u8>>) -> Parsed {
    let mut out = Parsed {
        seq: None,
        prev: None,
        entry: None,
        faults: Vec::new(),
    };
    let mut reader = serde_json::Deserializer::from_str(line);
    let strict = Strict::deserialize(&mut reader).and_then(|value| reader.end().map(|()| value));
    let (mut value, twice) = match strict {
        Ok(Strict(value, twice)) if value.is_object() => (value, twice),
        Ok(_) => {
            out.faults.push(Fault::NotJson("not an object".into()));
            return out;
        }
        Err(error) => {
            out.faults.push(Fault::NotJson(reason(&error)));
            return out;
        }
    };
    out.seq = value.get("seq").and_then(Value::as_u64);
    out.prev = value
        .get("prev")
        .and_then(Value::as_str)
        .and_then(Digest::parse);
    if !twice.is_empty() {
        out.faults
            .extend(twice.into_iter().map(Fault::DuplicateKey));
        return out;
    }
    if let Some(body) = value.get_mut("body") {
        put_texts_back(body, text_of, &mut out.faults);
    }
    let Value::Object(map) = value else {
        return out;
    };
    let mut fields = Fields {
        map,
        place: String::new(),
        faults: &mut out.faults,
    };
    out.entry = entry(&mut fields, line, shard);
    out
}

/// What serde_json says, without the position in a line that nobody sees.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rsplit_once(" at line ") {
        Some((what, _)) => what.to_owned(),
        None => text,
    }
}

fn entry(fields: &mut Fields<'_>, line: &str, shard: &str) -> Option<Entry> {
    let version = fields.number("v");
    let seq = fields.number("seq");
    let id = fields.parsed("id", EntryId::parse);
    let prev = fields.parsed("prev", Digest::parse);
    let after = fields.list("after", false, head);
    let kind = fields.text("kind");
    let body = fields.take("body", true);
    let (version, kind) = (version?, kind?);
    let newer = || Body::Newer {
        kind: kind.clone(),
        line: line.to_owned(),
    };
    let body = match body {
        _ if version > VERSION => {
            fields.faults.push(Fault::NewerVersion(version));
            Some(newer())
        }
        _ if !kind::ALL.contains(&kind.as_str()) => {
            fields.faults.push(Fault::UnknownKind(kind.clone()));
            Some(newer())
        }
        Some(Value::Object(map)) if version == VERSION => {
            let mut inner = Fields {
                map,
                place: format!("{kind}."),
                faults: &mut *fields.faults,
            };
            let read = self::body(&kind, &mut inner, id.unwrap_or(EntryId([0; 16])));
            if read.is_some() {
                inner.end();
            }
            read
        }
        Some(_) | None => {
            fields.bad(if version == VERSION { "body" } else { "v" });
            None
        }
    };
    if version <= VERSION {
        fields.end();
    }
    Some(Entry {
        id: id?,
        shard: shard.to_owned(),
        seq: seq?,
        prev: prev?,
        after: after.unwrap_or_default(),
        body: body?,
    })
}

fn body(kind: &str, fields: &mut Fields<'_>, id: EntryId) -> Option<Body> {
    match kind {
        kind::OPENED => opened(fields).map(Body::Opened),
        kind::RUN => run(fields, id).map(Body::Run),
        kind::DECISION => decision(fields),
        kind::CARRY => carry(fields),
        kind::UNDO => undo(fields),
        kind::ASSERTION => assertion(fields).map(Body::Assertion),
        kind::RULING => ruling(fields),
        kind::EDIT => edit(fields).map(Body::Edit),
        kind::SEAL => seal(fields).map(Body::Seal),
        kind::POSTED => posted(fields).map(Body::Posted),
        _ => None,
    }
}

fn head(value: Value) -> Option<Head> {
    let Value::Array(parts) = value else {
        return None;
    };
    let [shard, seq, line] = parts.as_slice() else {
        return None;
    };
    Some(Head {
        shard: shard.as_str()?.to_owned(),
        seq: seq.as_u64()?,
        line: Digest::parse(line.as_str()?)?,
    })
}

/// Puts companion texts back where the writer took them from. A text that is gone leaves a mark
/// in words (an empty list for a list), so that the rest of the entry stays usable.
fn put_texts_back(
    value: &mut Value,
    text_of: &dyn Fn(&Digest) -> Option<Vec<u8>>,
    faults: &mut Vec<Fault>,
) {
    match value {
        Value::Object(map) => {
            let Some(digest) = map
                .get(MOVED)
                .and_then(Value::as_str)
                .and_then(Digest::parse)
            else {
                for inner in map.values_mut() {
                    put_texts_back(inner, text_of, faults);
                }
                return;
            };
            let list = map.get("form").and_then(Value::as_str) == Some("list");
            let found = text_of(&digest);
            let fault = if found.is_some() {
                Fault::TextChanged(digest)
            } else {
                Fault::TextMissing(digest)
            };
            let whole = found
                .filter(|text| Digest::of(text) == digest)
                .and_then(|text| serde_json::from_slice::<Value>(&text).ok());
            *value = whole.unwrap_or_else(|| {
                faults.push(fault);
                if list {
                    Value::Array(Vec::new())
                } else {
                    Value::String(format!("[the text {} is not here]", digest.short()))
                }
            });
        }
        Value::Array(items) => {
            for item in items {
                put_texts_back(item, text_of, faults);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
