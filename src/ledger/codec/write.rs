//! An entry becomes a line.

use serde_json::{Map, Value, json};

use super::{LINE_LIMIT, MOVED, VERSION, kind, word};
use crate::gate::decide::{Act, Answer, Decision, Ruling, Seen};
use crate::gate::dossier::{Assertion, EditTarget, Raised, RunFact, Subject};
use crate::ledger::entry::{Body, Edit, Entry, Head, Opened, Posted, Seal};
use crate::model::evidence::Evidence;
use crate::model::id::Digest;
use crate::model::oracle::{Ended, Interference, MarkerAt};
use crate::model::snapshot::Snapshot;
use crate::model::text::is_hidden;

/// A line, and the texts that did not fit into it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    /// The line without its LF: the bytes whose SHA-256 the next entry names.
    pub line: String,
    /// Companion texts by their SHA-256; they must be durable before the line is.
    pub texts: Vec<(Digest, Vec<u8>)>,
}

/// Writes an entry. The order of the keys is fixed, so the same entry is always the same line.
#[must_use]
pub fn write(entry: &Entry) -> Written {
    if let Body::Newer { line, .. } = &entry.body {
        return Written {
            line: line.clone(),
            texts: Vec::new(),
        };
    }
    let mut top = Map::new();
    top.insert("v".into(), VERSION.into());
    top.insert("seq".into(), entry.seq.into());
    top.insert("id".into(), entry.id.to_string().into());
    top.insert("prev".into(), entry.prev.to_string().into());
    if !entry.after.is_empty() {
        top.insert(
            "after".into(),
            entry.after.iter().map(head).collect::<Vec<_>>().into(),
        );
    }
    let (kind, body) = body(&entry.body);
    top.insert("kind".into(), kind.into());
    top.insert("body".into(), body);
    let mut value = Value::Object(top);
    let mut texts = Vec::new();
    let mut line = to_line(&value);
    while line.len() >= LINE_LIMIT {
        let Some(text) = value.get_mut("body").and_then(move_largest) else {
            break;
        };
        texts.push(text);
        line = to_line(&value);
    }
    Written { line, texts }
}

/// Compact JSON in which every hidden character is a `\u` escape, so that a shard can be looked
/// at in a terminal.
fn to_line(value: &Value) -> String {
    let plain = value.to_string();
    if !plain.chars().any(is_hidden) {
        return plain;
    }
    let mut out = String::with_capacity(plain.len() + 16);
    let mut units = [0; 2];
    for character in plain.chars() {
        if is_hidden(character) {
            for unit in character.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(character);
        }
    }
    out
}

/// Moves the largest string or list below `value` into a companion text. The text is the JSON of
/// what was moved.
fn move_largest(value: &mut Value) -> Option<(Digest, Vec<u8>)> {
    let found = largest(value)?;
    let list = found.is_array();
    let text = found.to_string().into_bytes();
    let digest = Digest::of(&text);
    *found = json!({
        MOVED: digest.to_string(),
        "bytes": text.len(),
        "form": if list { "list" } else { "string" },
    });
    Some((digest, text))
}

fn largest(value: &mut Value) -> Option<&mut Value> {
    match value {
        Value::Object(map) if map.contains_key(MOVED) => None,
        Value::Object(map) => map
            .values_mut()
            .filter_map(largest)
            .max_by_key(|found| weight(found)),
        Value::String(text) if text.len() > 200 => Some(value),
        Value::Array(_) if weight(value) > 200 => Some(value),
        Value::Array(_) | Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {
            None
        }
    }
}

fn weight(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(|item| weight(item) + 4).sum(),
        Value::Object(map) => map.iter().map(|(k, v)| k.len() + weight(v) + 4).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
    }
}

fn head(head: &Head) -> Value {
    json!([head.shard, head.seq, head.line.to_string()])
}

/// Bytes as text where they are text, else as hex in an object.
fn bytes(raw: &[u8]) -> Value {
    match std::str::from_utf8(raw) {
        Ok(text) => text.into(),
        Err(_) => {
            let hex: String = raw.iter().map(|byte| format!("{byte:02x}")).collect();
            json!({ "hex": hex })
        }
    }
}

fn body(body: &Body) -> (&str, Value) {
    match body {
        Body::Opened(opened) => (kind::OPENED, self::opened(opened)),
        Body::Run(run) => (kind::RUN, self::run(run)),
        Body::Decision(decision) => match decision.carried() {
            None => (kind::DECISION, self::decision(decision)),
            Some(origin) => {
                let mut value = self::decision(decision);
                if let Some(map) = value.as_object_mut() {
                    let from = json!({
                        "entry": origin.entry.to_string(),
                        "head": origin.head.to_string(),
                    });
                    map.insert("carried_from".into(), from);
                }
                (kind::CARRY, value)
            }
        },
        Body::Undo(undo) => (
            kind::UNDO,
            json!({"entry": undo.entry().to_string(), "by": undo.by()}),
        ),
        Body::Assertion(assertion) => (kind::ASSERTION, self::assertion(assertion)),
        Body::Ruling(ruling) => (kind::RULING, self::ruling(ruling)),
        Body::Edit(edit) => (kind::EDIT, self::edit(edit)),
        Body::Seal(seal) => (kind::SEAL, self::seal(seal)),
        Body::Posted(posted) => (kind::POSTED, self::posted(posted)),
        Body::Newer { kind, .. } => (kind, Value::Null),
    }
}

fn snapshot(snapshot: &Snapshot) -> Value {
    json!({
        "base": snapshot.base.to_string(),
        "merge_base": snapshot.merge_base.to_string(),
        "base_tree": snapshot.base_tree.to_string(),
        "head": snapshot.head.to_string(),
        "tree": snapshot.tree.to_string(),
        "contract": snapshot.contract.map(|digest| digest.to_string()),
    })
}

fn opened(opened: &Opened) -> Value {
    let mut value = json!({
        "repository": opened.repository.to_string(),
        "change": opened.change,
        "snapshot": snapshot(&opened.snapshot),
        "contract": opened.contract.as_ref().map(|path| bytes(path.as_bytes())),
        "request": opened.request.map(|digest| digest.to_string()),
        "by": opened.by,
        "agent_marks": opened.agent_marks,
    });
    // An entry may lack it.
    if let Some(map) = value.as_object_mut().filter(|_| opened.own_work) {
        map.insert("own_work".into(), true.into());
    }
    value
}

fn subject(subject: &Subject) -> Value {
    match subject {
        Subject::ContractEdit(target) => match target {
            EditTarget::Whole => json!({"edit": "whole"}),
            EditTarget::Request => json!({"edit": "request"}),
            EditTarget::Criterion(id) => json!({"edit": "criterion", "criterion": id.to_string()}),
            EditTarget::Scope => json!({"edit": "scope"}),
            EditTarget::Header => json!({"edit": "header"}),
        },
        Subject::Criterion(id) => json!({"criterion": id.to_string()}),
        Subject::ScopeFile(path) => json!({"file": bytes(path.as_bytes())}),
        Subject::Chain(id) => json!({
            "caller": bytes(id.caller.raw()),
            "callee": bytes(id.callee.raw()),
        }),
        Subject::Assertion(id) => json!({"assertion": id.to_string()}),
        Subject::Review(Raised::Thread { id, said }) => {
            json!({"thread": id, "said": said.to_string()})
        }
        Subject::Review(Raised::Finding(id)) => json!({"finding": id.0.to_string()}),
        Subject::Review(Raised::Incomplete(set)) => json!({"incomplete": set.to_string()}),
        Subject::Message(id) => json!({"message": id.digest.to_string(), "gate": id.gate}),
    }
}

fn act(act: &Act) -> Value {
    let mut out = Map::new();
    out.insert("does".into(), word::act(act).into());
    let mut put = |key: &str, value: Value| {
        out.insert(key.to_owned(), value);
    };
    match act {
        Act::Acknowledge | Act::ScopeAccept => {}
        Act::Ratify { evidence: rests } => put("evidence", evidence(rests)),
        Act::RatifyUnseen {
            evidence: rests,
            why,
        } => {
            put("evidence", evidence(rests));
            put("why", why.as_str().into());
        }
        Act::KickBack { cause, text } => {
            put("cause", cause.word().into());
            put("text", text.as_str().into());
        }
        Act::Abandon { reason, handoff } => {
            put("reason", reason.as_str().into());
            put("handoff", handoff.as_str().into());
        }
        Act::AcceptPartial { reason } => put("reason", reason.as_str().into()),
        Act::ChainClosed { at } => put("at", at.as_str().into()),
        Act::AcceptEdit { why }
        | Act::ChainAccepted { why }
        | Act::NotApplicable { why }
        | Act::Override { why } => {
            put("why", why.as_str().into());
        }
        Act::Lift { text }
        | Act::ScopeDecline { text }
        | Act::ScopeTicket { text }
        | Act::ScopeEscalate { text } => put("text", text.as_str().into()),
        Act::Answer(answer) => match answer {
            Answer::Addressed { commit, at } => {
                put("commit", commit.map(|commit| commit.to_string()).into());
                if let Some((path, line)) = at {
                    put("path", bytes(path.as_bytes()));
                    put("line", (*line).into());
                }
            }
            Answer::Tagged(tag) => put("tag", tag.word().into()),
            Answer::Ticketed { text } => put("text", text.as_str().into()),
            Answer::NotActionable { why }
            | Answer::WaiverHolds { why }
            | Answer::WaiverRefused { why } => put("why", why.as_str().into()),
        },
        Act::Reply(given) => {
            put("reply", given.kind.word().into());
            put("text", given.text.as_str().into());
            if let Some(row) = given.row {
                put("row", row.into());
            }
            if let Some(label) = &given.label {
                put("label", bytes(label.raw()));
            }
            if let Some(lever) = given.lever {
                put("lever", lever.word().into());
            }
        }
    }
    Value::Object(out)
}

fn evidence(evidence: &[Evidence]) -> Value {
    let one = |piece: &Evidence| match piece {
        Evidence::Run(entry) => json!({"run": entry.to_string()}),
        Evidence::Hunk {
            head,
            path,
            line,
            end_line,
            digest,
        } => json!({
            "hunk": bytes(path.as_bytes()), "head": head.to_string(), "line": line,
            "end_line": end_line, "digest": digest.to_string(),
        }),
        Evidence::Change { commit, path, line } => json!({
            "commit": commit.to_string(), "path": bytes(path.as_bytes()), "line": line,
        }),
        Evidence::Test { id, path, line } => json!({
            "test": bytes(id.raw()), "path": bytes(path.as_bytes()), "line": line,
        }),
        Evidence::Rationale(text) => json!({"rationale": text}),
    };
    evidence.iter().map(one).collect::<Vec<_>>().into()
}

fn seen(seen: &Seen) -> Value {
    json!({
        "subject": subject(&seen.subject),
        "snapshot": snapshot(&seen.snapshot),
        "for_ms": seen.for_ms,
        "rows": seen.rows,
    })
}

fn decision(decision: &Decision) -> Value {
    json!({
        "subject": subject(decision.subject()),
        "act": act(decision.act()),
        "snapshot": snapshot(decision.snapshot()),
        "by": decision.by(),
        "assurance": word::assurance(decision.assurance()),
        "seen": decision.seen().map(seen),
        "oracle": decision.oracle().map(|digest| digest.to_string()),
    })
}

fn ruling(ruling: &Ruling) -> Value {
    json!({
        "verdict": word::verdict(ruling.verdict()),
        "snapshot": snapshot(ruling.snapshot()),
        "by": ruling.by(),
        "assurance": word::assurance(ruling.assurance()),
        "round": ruling.round(),
        "root_cause": ruling.root_cause().map(word::root_cause),
        "attack": ruling.attack(),
        "trace": ruling.trace(),
        "decisions": ruling.decisions().iter().map(ToString::to_string).collect::<Vec<_>>(),
        "edits": ruling.edits().iter().map(|edit| json!({
            "path": bytes(edit.path.as_bytes()),
            "after": edit.after.to_string(),
        })).collect::<Vec<_>>(),
        "partial": ruling.partial(),
        "floor_bounce": ruling.floor_bounce(),
    })
}

fn assertion(assertion: &Assertion) -> Value {
    json!({
        "by": "agent",
        "gate": assertion.gate,
        "subject": bytes(assertion.subject.raw()),
        "verdict": bytes(assertion.verdict.raw()),
        "why": bytes(assertion.why.raw()),
        "head": assertion.head.to_string(),
    })
}

fn edit(edit: &Edit) -> Value {
    json!({
        "path": bytes(edit.path.as_bytes()),
        "what": edit.kind,
        "before": edit.before.to_string(),
        "after": edit.after.to_string(),
    })
}

fn posted(posted: &Posted) -> Value {
    json!({
        "ruling": posted.ruling.to_string(),
        "to": posted.to,
        "at": posted.at,
        "head": posted.head.to_string(),
        "bytes": posted.bytes.to_string(),
    })
}

fn seal(seal: &Seal) -> Value {
    json!({
        "shard": seal.shard,
        "seq": seal.seq,
        "line": seal.line.to_string(),
        "by": seal.by,
        "signature": seal.signature,
    })
}

fn ended(ended: &Ended) -> Value {
    match ended {
        Ended::Exited(status) => json!({"exited": status}),
        Ended::Signalled(signal) => json!({"signalled": signal}),
        Ended::TimedOut => json!({"timed_out": true}),
        Ended::Interrupted => json!({"interrupted": true}),
        Ended::NotStarted(why) => json!({"not_started": why}),
    }
}

fn interference(found: &Interference) -> Value {
    match found {
        Interference::Tree(paths) => {
            json!({"tree": paths.iter().map(|path| bytes(path.raw())).collect::<Vec<_>>()})
        }
        Interference::Overtaken { from, to } => {
            json!({"overtaken": [from.to_string(), to.to_string()]})
        }
        Interference::Contract => json!({"contract": true}),
        Interference::Oracle => json!({"oracle": true}),
        Interference::Records(what) => json!({"records": what}),
    }
}

fn marker(at: &MarkerAt) -> Value {
    json!({
        "stream": word::stream(at.stream), "offset": at.offset, "line": at.line,
        "overwritten": at.overwritten,
    })
}

fn run(run: &RunFact) -> Value {
    let excerpt = run
        .excerpt
        .iter()
        .map(|(line, text, decides)| json!([line, bytes(text.raw()), decides]));
    let mut value = json!({
        "criterion": run.criterion.to_string(),
        "oracle": run.oracle.to_string(),
        "head": run.head.to_string(),
        "tree": run.tree.to_string(),
        "outcome": word::outcome(run.outcome),
        "ended": ended(&run.ended),
        "marker": run.marker.as_ref().map(marker),
        "interference": run.interference.iter().map(interference).collect::<Vec<_>>(),
        "survivors": run.survivors.iter().map(|s| bytes(s.raw())).collect::<Vec<_>>(),
        "isolation": word::isolation(run.isolation),
        "place": word::place(run.place),
        "duration_ms": run.duration_ms,
        "output_bytes": run.output_bytes,
        "output": run.output.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "excerpt": excerpt.collect::<Vec<_>>(),
        "from_sample": run.from_sample,
    });
    // An entry may lack these two.
    if let Some(map) = value.as_object_mut() {
        map.extend(
            run.limit_ms
                .map(|limit| ("limit_ms".to_owned(), limit.into())),
        );
        let shell = run.shell.as_deref();
        map.extend(shell.map(|shell| ("shell".to_owned(), shell.into())));
    }
    value
}
