//! Ledger shards: one JSON object a line, whatever its kind; damage is told, never skipped.

use serde_json::Value;

use super::{number, without_mark};
use crate::model::id::{Digest, RepoPath};
use crate::model::spec::shard::{Gate, Line, Says, Shard};
use crate::model::text::{Foreign, Place};

/// Reads a shard.
#[must_use]
pub fn read(path: &RepoPath, bytes: &[u8]) -> Shard {
    let digest = Digest::of(bytes);
    let (bytes, _) = without_mark(bytes);
    let mut shard = Shard {
        path: path.clone(),
        lines: Vec::new(),
        seq_breaks: None,
        well_named: well_named(path.file_name()),
        digest,
    };
    let mut wanted = 1;
    for (index, line) in bytes.split(|b| *b == b'\n').enumerate() {
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        let at = number(index + 1);
        let (says, seq) = one(line);
        if let Some(seq) = seq {
            if seq != wanted && shard.seq_breaks.is_none() {
                shard.seq_breaks = Some(at);
            }
            wanted = seq.saturating_add(1);
        } else {
            wanted += 1;
        }
        shard.lines.push(Line { line: at, says });
    }
    shard
}

/// `<cr-ref>.<6 hex>.jsonl`, `strategy.<hash>.jsonl`, and the two older names.
fn well_named(name: &[u8]) -> bool {
    if matches!(name, b"ledger.jsonl" | b"0000-legacy.jsonl") {
        return true;
    }
    let Some(stem) = name.strip_suffix(b".jsonl") else {
        return false;
    };
    let dot = stem.iter().rposition(|b| *b == b'.');
    dot.is_some_and(|dot| {
        let hash = stem.get(dot + 1..).unwrap_or_default();
        dot > 0 && hash.len() == 6 && hash.iter().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
    })
}

fn one(line: &[u8]) -> (Says, Option<u64>) {
    let object = match serde_json::from_slice::<Value>(line) {
        Ok(Value::Object(object)) => object,
        Ok(_) => return (damage(line, "no JSON object"), None),
        Err(error) => return (damage(line, &error.to_string()), None),
    };
    let seq = object.get("seq").and_then(Value::as_u64);
    let text = |key: &str| object.get(key).and_then(scalar);
    let cr = text("cr").or_else(|| text("cr-ref"));
    let kind = text("kind").unwrap_or_default();
    let says = match kind.raw() {
        b"gate" => Says::Gate(Gate {
            cr,
            gate: text("gate"),
            verdict: text("verdict"),
            by: text("by"),
            cause: text("cause"),
            cause_candidate: object.get("cause-candidate") == Some(&Value::Bool(true)),
            why: object.get("why").is_some_and(|why| !why.is_null()),
            frozen: frozen(object.get("frozen")),
            answers: answers(object.get("answers")),
            time: text("ts"),
        }),
        b"leash" => Says::Leash {
            leash: text("leash"),
            by_user: text("by").is_some_and(|by| by.raw() == b"user"),
            cr,
        },
        _ => match (kind.raw(), text("act"), text("binds")) {
            (b"clearance", Some(act), Some(binds)) => Says::Clearance {
                act,
                is: text("is"),
                binds,
                by: text("by"),
                why: text("why"),
                cr,
            },
            _ => Says::Other { kind, cr },
        },
    };
    (says, seq)
}

fn scalar(value: &Value) -> Option<Foreign> {
    match value {
        Value::String(text) => Some(Foreign::from(text.as_str())),
        Value::Number(number) => Some(Foreign::from(number.to_string())),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

fn frozen(value: Option<&Value>) -> Vec<Foreign> {
    let list = value.and_then(Value::as_array);
    list.into_iter().flatten().filter_map(scalar).collect()
}

fn answers(value: Option<&Value>) -> Option<(Foreign, u32)> {
    let text = value.and_then(Value::as_str)?;
    let (shard, line) = text.rsplit_once(':')?;
    Some((Foreign::from(shard), line.parse().ok()?))
}

fn damage(line: &[u8], why: &str) -> Says {
    let squeezed: Vec<u8> = line
        .iter()
        .copied()
        .filter(|b| !b.is_ascii_whitespace())
        .collect();
    let spoken = |what: &[u8]| memchr::memmem::find(&squeezed, what).is_some();
    let kind = memchr::memmem::find(&squeezed, b"\"kind\":");
    Says::Damage {
        why: Foreign::from(why).shown(Place::Strict).plain(),
        gate: spoken(b"\"kind\":\"gate\"") || kind.is_none(),
    }
}
