//! A line becomes an entry, or what is wrong with it.

use std::fmt;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor,
};
use serde_json::{Map, Value};

use super::{MOVED, VERSION, kind, word};
use crate::gate::decide::replayed::{self, RulingFields};
use crate::gate::decide::{Act, Seen};
use crate::gate::dossier::{Assertion, EditTarget, RunFact, Subject};
use crate::ledger::entry::{Body, Edit, Entry, Head, Opened};
use crate::model::evidence::Evidence;
use crate::model::id::{CriterionId, Digest, EntryId, Oid, RepoPath};
use crate::model::oracle::{Ended, Interference, MarkerAt};
use crate::model::ruling::{Cause, RootCause};
use crate::model::snapshot::Snapshot;
use crate::model::text::Foreign;

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
        kind::UNDO => undo(fields),
        kind::ASSERTION => assertion(fields).map(Body::Assertion),
        kind::RULING => ruling(fields),
        kind::EDIT => edit(fields).map(Body::Edit),
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

fn opened(fields: &mut Fields<'_>) -> Option<Opened> {
    let repository = fields.parsed("repository", Digest::parse);
    let change = fields.text("change");
    let snapshot = fields.object("snapshot", snapshot);
    let contract = fields.optional("contract", |value| bytes(value).map(RepoPath::new));
    let request = fields.optional("request", |value| Digest::parse(value.as_str()?));
    let by = fields.optional("by", |value| value.as_str().map(str::to_owned));
    let agent_marks = fields.list("agent_marks", true, string);
    Some(Opened {
        repository: repository?,
        change: change?,
        snapshot: snapshot?,
        contract: contract?,
        request: request?,
        by: by?,
        agent_marks: agent_marks?,
    })
}

fn snapshot(fields: &mut Fields<'_>) -> Option<Snapshot> {
    let base = fields.parsed("base", Oid::parse);
    let merge_base = fields.parsed("merge_base", Oid::parse);
    let base_tree = fields.parsed("base_tree", Oid::parse);
    let head = fields.parsed("head", Oid::parse);
    let tree = fields.parsed("tree", Oid::parse);
    let contract = fields.optional("contract", |value| Digest::parse(value.as_str()?));
    Some(Snapshot {
        base: base?,
        merge_base: merge_base?,
        base_tree: base_tree?,
        head: head?,
        tree: tree?,
        contract: contract?,
    })
}

fn subject(fields: &mut Fields<'_>) -> Option<Subject> {
    let criterion = fields.maybe("criterion", |value| CriterionId::new(value.as_str()?));
    let edit = fields.maybe("edit", string);
    let file = fields.maybe("file", |value| bytes(value).map(RepoPath::new));
    let assertion = fields.maybe("assertion", |value| EntryId::parse(value.as_str()?));
    match (edit.as_deref(), criterion, file, assertion) {
        (Some("whole"), None, None, None) => Some(Subject::ContractEdit(EditTarget::Whole)),
        (Some("request"), None, None, None) => Some(Subject::ContractEdit(EditTarget::Request)),
        (Some("scope"), None, None, None) => Some(Subject::ContractEdit(EditTarget::Scope)),
        (Some("header"), None, None, None) => Some(Subject::ContractEdit(EditTarget::Header)),
        (Some("criterion"), Some(id), None, None) => {
            Some(Subject::ContractEdit(EditTarget::Criterion(id)))
        }
        (None, Some(id), None, None) => Some(Subject::Criterion(id)),
        (None, None, Some(path), None) => Some(Subject::ScopeFile(path)),
        (None, None, None, Some(id)) => Some(Subject::Assertion(id)),
        _ => {
            fields.bad("");
            None
        }
    }
}

fn decision(fields: &mut Fields<'_>) -> Option<Body> {
    let subject = fields.object("subject", subject);
    let act = fields.object("act", act);
    let snapshot = fields.object("snapshot", snapshot);
    let by = fields.text("by");
    let assurance = fields.word("assurance", &word::ASSURANCES, word::assurance);
    let seen = fields.optional_object("seen", seen);
    let oracle = fields.optional("oracle", |value| Digest::parse(value.as_str()?));
    Some(Body::Decision(replayed::decision(
        subject?, act?, snapshot?, by?, assurance?, seen?, oracle?,
    )))
}

fn act(fields: &mut Fields<'_>) -> Option<Act> {
    let does = fields.text("does")?;
    Some(match does.as_str() {
        "acknowledge" => Act::Acknowledge,
        "accept-edit" => Act::AcceptEdit {
            why: fields.text("why")?,
        },
        "ratify" => Act::Ratify {
            evidence: fields.list("evidence", true, evidence)?,
        },
        "ratify-unseen" => Act::RatifyUnseen {
            evidence: fields.list("evidence", true, evidence)?,
            why: fields.text("why")?,
        },
        "kick-back" => Act::KickBack {
            cause: fields.word("cause", &Cause::ALL, Cause::word)?,
            text: fields.text("text")?,
        },
        "abandon" => Act::Abandon {
            reason: fields.text("reason")?,
            handoff: fields.text("handoff")?,
        },
        "accept-partial" => Act::AcceptPartial {
            reason: fields.text("reason")?,
        },
        "lift" => Act::Lift {
            text: fields.text("text")?,
        },
        "not-applicable" => Act::NotApplicable {
            why: fields.text("why")?,
        },
        "override" => Act::Override {
            why: fields.text("why")?,
        },
        "scope-accept" => Act::ScopeAccept,
        "scope-decline" => Act::ScopeDecline {
            text: fields.text("text")?,
        },
        "scope-ticket" => Act::ScopeTicket {
            text: fields.text("text")?,
        },
        "scope-escalate" => Act::ScopeEscalate {
            text: fields.text("text")?,
        },
        _ => {
            fields.bad("does");
            return None;
        }
    })
}

fn evidence(value: Value) -> Option<Evidence> {
    let Value::Object(map) = value else {
        return None;
    };
    let line = |key: &str| u32::try_from(map.get(key)?.as_u64()?).ok();
    let path = |key: &str| bytes(map.get(key)?.clone()).map(RepoPath::new);
    if let Some(run) = map.get("run") {
        return Some(Evidence::Run(EntryId::parse(run.as_str()?)?));
    }
    if map.contains_key("hunk") {
        return Some(Evidence::Hunk {
            head: Oid::parse(map.get("head")?.as_str()?)?,
            path: path("hunk")?,
            line: line("line")?,
            end_line: line("end_line")?,
            digest: Digest::parse(map.get("digest")?.as_str()?)?,
        });
    }
    if let Some(id) = map.get("test") {
        return Some(Evidence::Test {
            id: Foreign::new(bytes(id.clone())?),
            path: path("path")?,
            line: line("line")?,
        });
    }
    Some(Evidence::Rationale(string(map.get("rationale")?.clone())?))
}

fn seen(fields: &mut Fields<'_>) -> Option<Seen> {
    let subject = fields.object("subject", subject);
    let snapshot = fields.object("snapshot", snapshot);
    let for_ms = fields.number("for_ms");
    let rows = fields.list("rows", true, string);
    Some(Seen {
        subject: subject?,
        snapshot: snapshot?,
        for_ms: for_ms?,
        rows: rows?,
    })
}

fn undo(fields: &mut Fields<'_>) -> Option<Body> {
    let entry = fields.parsed("entry", EntryId::parse);
    let by = fields.text("by");
    Some(Body::Undo(replayed::undo(entry?, by?)))
}

fn ruling(fields: &mut Fields<'_>) -> Option<Body> {
    let verdict = fields.word("verdict", &word::VERDICTS, word::verdict);
    let snapshot = fields.object("snapshot", snapshot);
    let by = fields.text("by");
    let assurance = fields.word("assurance", &word::ASSURANCES, word::assurance);
    let round = fields.number("round").and_then(|n| u32::try_from(n).ok());
    let root_cause = fields.optional("root_cause", |value| {
        let given = value.as_str()?;
        RootCause::ALL
            .into_iter()
            .find(|cause| word::root_cause(*cause) == given)
    });
    let attack = fields.text("attack");
    let trace = fields.list("trace", true, string);
    let decisions = fields.list("decisions", true, |value| EntryId::parse(value.as_str()?));
    let edits = fields.list("edits", true, |value| Digest::parse(value.as_str()?));
    let partial = fields.flag("partial");
    Some(Body::Ruling(replayed::ruling(RulingFields {
        verdict: verdict?,
        snapshot: snapshot?,
        by: by?,
        assurance: assurance?,
        round: round?,
        root_cause: root_cause?,
        attack: attack?,
        trace: trace?,
        decisions: decisions?,
        edits: edits?,
        partial: partial?,
    })))
}

fn assertion(fields: &mut Fields<'_>) -> Option<Assertion> {
    if fields.text("by")? != "agent" {
        fields.bad("by");
        return None;
    }
    let gate = fields.text("gate");
    let subject = fields.foreign("subject");
    let verdict = fields.foreign("verdict");
    let why = fields.foreign("why");
    let head = fields.parsed("head", Oid::parse);
    Some(Assertion {
        gate: gate?,
        subject: subject?,
        verdict: verdict?,
        why: why?,
        head: head?,
    })
}

fn edit(fields: &mut Fields<'_>) -> Option<Edit> {
    let path = fields.foreign("path");
    let kind = fields.text("what");
    let before = fields.parsed("before", Digest::parse);
    let after = fields.parsed("after", Digest::parse);
    Some(Edit {
        path: RepoPath::new(path?.raw().to_vec()),
        kind: kind?,
        before: before?,
        after: after?,
    })
}

fn ended(fields: &mut Fields<'_>) -> Option<Ended> {
    let number = |value: Value| i32::try_from(value.as_i64()?).ok();
    let yes = |value: Value| (value == Value::Bool(true)).then_some(());
    let found = [
        fields.maybe("exited", number).map(Ended::Exited),
        fields.maybe("signalled", number).map(Ended::Signalled),
        fields.maybe("timed_out", yes).map(|()| Ended::TimedOut),
        fields
            .maybe("interrupted", yes)
            .map(|()| Ended::Interrupted),
        fields.maybe("not_started", string).map(Ended::NotStarted),
    ];
    let mut found = found.into_iter().flatten();
    match (found.next(), found.next()) {
        (Some(ended), None) => Some(ended),
        _ => {
            fields.bad("");
            None
        }
    }
}

fn interference(value: Value) -> Option<Interference> {
    let Value::Object(map) = value else {
        return None;
    };
    let (key, value) = map.into_iter().next()?;
    Some(match (key.as_str(), value) {
        ("tree", Value::Array(paths)) => Interference::Tree(
            paths
                .into_iter()
                .map(|path| bytes(path).map(Foreign::new))
                .collect::<Option<_>>()?,
        ),
        ("overtaken", Value::Array(heads)) => {
            let [from, to] = heads.as_slice() else {
                return None;
            };
            Interference::Overtaken {
                from: Oid::parse(from.as_str()?)?,
                to: Oid::parse(to.as_str()?)?,
            }
        }
        ("contract", Value::Bool(true)) => Interference::Contract,
        ("oracle", Value::Bool(true)) => Interference::Oracle,
        ("records", Value::String(what)) => Interference::Records(what),
        _ => return None,
    })
}

fn marker(fields: &mut Fields<'_>) -> Option<MarkerAt> {
    let stream = fields.word("stream", &word::STREAMS, word::stream);
    let offset = fields.number("offset");
    let line = fields.number("line");
    let overwritten = fields.flag("overwritten");
    Some(MarkerAt {
        stream: stream?,
        offset: offset?,
        line: line?,
        overwritten: overwritten?,
    })
}

fn run(fields: &mut Fields<'_>, entry: EntryId) -> Option<RunFact> {
    let criterion = fields.parsed("criterion", CriterionId::new);
    let oracle = fields.parsed("oracle", Digest::parse);
    let head = fields.parsed("head", Oid::parse);
    let tree = fields.parsed("tree", Oid::parse);
    let outcome = fields.word("outcome", &word::OUTCOMES, word::outcome);
    let ended = fields.object("ended", ended);
    let marker = fields.optional_object("marker", marker);
    let interference = fields.list("interference", true, interference);
    let survivors = fields.list("survivors", true, |value| bytes(value).map(Foreign::new));
    let isolation = fields.word("isolation", &word::ISOLATIONS, word::isolation);
    let place = fields.word("place", &word::PLACES, word::place);
    let duration_ms = fields.number("duration_ms");
    let output_bytes = fields.number("output_bytes");
    let output = fields.list("output", true, |value| Digest::parse(value.as_str()?));
    let excerpt = fields.list("excerpt", true, excerpt);
    let from_sample = fields.flag("from_sample");
    let Some([out, err]) = output.as_deref() else {
        fields.bad("output");
        return None;
    };
    Some(RunFact {
        entry,
        number: 0,
        criterion: criterion?,
        oracle: oracle?,
        head: head?,
        tree: tree?,
        outcome: outcome?,
        ended: ended?,
        marker: marker?,
        interference: interference?,
        survivors: survivors?,
        isolation: isolation?,
        place: place?,
        duration_ms: duration_ms?,
        output_bytes: output_bytes?,
        output: [*out, *err],
        excerpt: excerpt?,
        from_sample: from_sample?,
    })
}

fn excerpt(value: Value) -> Option<(u64, Foreign, bool)> {
    let Value::Array(parts) = value else {
        return None;
    };
    let [line, text, decides] = parts.as_slice() else {
        return None;
    };
    Some((
        line.as_u64()?,
        Foreign::new(bytes(text.clone())?),
        decides.as_bool()?,
    ))
}

fn string(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        _ => None,
    }
}

fn bytes(value: Value) -> Option<Vec<u8>> {
    match value {
        Value::String(text) => Some(text.into_bytes()),
        Value::Object(map) if map.len() == 1 => {
            let hex = map.get("hex")?.as_str()?;
            let digits: Option<Vec<u8>> = hex
                .chars()
                .map(|digit| u8::try_from(digit.to_digit(16)?).ok())
                .collect();
            let digits = digits.filter(|d| d.len() % 2 == 0)?;
            Some(
                digits
                    .chunks(2)
                    .map(|pair| pair.iter().fold(0, |sum, digit| sum * 16 + digit))
                    .collect(),
            )
        }
        _ => None,
    }
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

/// The keys of one object, taken out one by one; what is left at the end is unknown.
struct Fields<'a> {
    map: Map<String, Value>,
    place: String,
    faults: &'a mut Vec<Fault>,
}

impl Fields<'_> {
    fn name(&self, key: &str) -> String {
        let name = format!("{}{key}", self.place);
        name.trim_end_matches('.').to_owned()
    }

    fn bad(&mut self, key: &str) {
        let name = self.name(key);
        self.faults.push(Fault::BadValue(name));
    }

    fn take(&mut self, key: &str, needed: bool) -> Option<Value> {
        let value = self.map.shift_remove(key);
        if value.is_none() && needed {
            let name = self.name(key);
            self.faults.push(Fault::MissingField(name));
        }
        value
    }

    fn with<T>(&mut self, key: &str, read: impl FnOnce(Value) -> Option<T>) -> Option<T> {
        let value = self.take(key, true)?;
        let read = read(value);
        if read.is_none() {
            self.bad(key);
        }
        read
    }

    /// A key that may be absent; present and wrong is a fault.
    fn maybe<T>(&mut self, key: &str, read: impl FnOnce(Value) -> Option<T>) -> Option<T> {
        let value = self.take(key, false)?;
        let read = read(value);
        if read.is_none() {
            self.bad(key);
        }
        read
    }

    /// A key that is there and may be null: the outer `None` is a fault.
    fn optional<T>(
        &mut self,
        key: &str,
        read: impl FnOnce(Value) -> Option<T>,
    ) -> Option<Option<T>> {
        match self.take(key, true)? {
            Value::Null => Some(None),
            value => {
                let read = read(value);
                if read.is_none() {
                    self.bad(key);
                }
                read.map(Some)
            }
        }
    }

    fn text(&mut self, key: &str) -> Option<String> {
        self.with(key, string)
    }

    fn foreign(&mut self, key: &str) -> Option<Foreign> {
        self.with(key, |value| bytes(value).map(Foreign::new))
    }

    fn number(&mut self, key: &str) -> Option<u64> {
        self.with(key, |value| value.as_u64())
    }

    fn flag(&mut self, key: &str) -> Option<bool> {
        self.with(key, |value| value.as_bool())
    }

    fn parsed<T>(&mut self, key: &str, parse: fn(&str) -> Option<T>) -> Option<T> {
        self.with(key, |value| parse(value.as_str()?))
    }

    fn word<T: Copy>(&mut self, key: &str, all: &[T], word: fn(T) -> &'static str) -> Option<T> {
        self.with(key, |value| {
            let given = value.as_str()?;
            all.iter().copied().find(|one| word(*one) == given)
        })
    }

    fn list<T>(
        &mut self,
        key: &str,
        needed: bool,
        read: impl FnMut(Value) -> Option<T>,
    ) -> Option<Vec<T>> {
        let value = self.take(key, needed)?;
        let read = match value {
            Value::Array(items) => items.into_iter().map(read).collect::<Option<Vec<T>>>(),
            _ => None,
        };
        if read.is_none() {
            self.bad(key);
        }
        read
    }

    fn object<T>(&mut self, key: &str, read: fn(&mut Fields<'_>) -> Option<T>) -> Option<T> {
        let value = self.take(key, true)?;
        self.within(key, value, read)
    }

    fn optional_object<T>(
        &mut self,
        key: &str,
        read: fn(&mut Fields<'_>) -> Option<T>,
    ) -> Option<Option<T>> {
        match self.take(key, true)? {
            Value::Null => Some(None),
            value => self.within(key, value, read).map(Some),
        }
    }

    fn within<T>(
        &mut self,
        key: &str,
        value: Value,
        read: fn(&mut Fields<'_>) -> Option<T>,
    ) -> Option<T> {
        let Value::Object(map) = value else {
            self.bad(key);
            return None;
        };
        let mut inner = Fields {
            map,
            place: format!("{}{key}.", self.place),
            faults: &mut *self.faults,
        };
        let read = read(&mut inner);
        if read.is_some() {
            inner.end();
        }
        read
    }

    fn end(&mut self) {
        for key in std::mem::take(&mut self.map)
            .into_iter()
            .map(|(key, _)| key)
        {
            let name = self.name(&key);
            self.faults.push(Fault::UnknownField(name));
        }
    }
}

/// A JSON value with the names of all keys that stand twice in one object.
struct Strict(Value, Vec<String>);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut twice = Vec::new();
        let value = Seed(&mut twice).deserialize(deserializer)?;
        Ok(Self(value, twice))
    }
}

struct Seed<'a>(&'a mut Vec<String>);

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Value;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Value;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element_seed(Seed(&mut *self.0))? {
            items.push(item);
        }
        Ok(items.into())
    }
    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = access.next_key::<String>()? {
            let value = access.next_value_seed(Seed(&mut *self.0))?;
            if map.len() >= 4096 {
                return Err(A::Error::custom("an object with too many keys"));
            }
            if map.insert(key.clone(), value).is_some() {
                self.0.push(key);
            }
        }
        Ok(Value::Object(map))
    }
}
