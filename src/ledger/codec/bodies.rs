//! What each kind of entry says, read from its object. Every word is compared exactly with its
//! closed set; a value outside of it is said and never guessed.

use serde_json::Value;

use super::fields::{Fields, bytes, string};
use super::word;
use crate::gate::decide::replayed::{self, RulingFields};
use crate::gate::decide::{Act, Answer, Origin, Seen};
use crate::gate::dossier::{Assertion, EditTarget, Raised, RunFact, Subject};
use crate::gate::menu::given::Given;
use crate::gate::menu::levers::Lever;
use crate::gate::verify::minor::Tag;
use crate::ledger::entry::{Body, Edit, Opened, Posted, Seal};
use crate::model::chain::ChainId;
use crate::model::evidence::Evidence;
use crate::model::finding::FindingId;
use crate::model::id::{CriterionId, Digest, EntryId, Oid, RepoPath};
use crate::model::menu::{Kind, MessageId};
use crate::model::oracle::{Ended, Interference, MarkerAt};
use crate::model::ruling::{Cause, FileEdit, RootCause};
use crate::model::snapshot::Snapshot;
use crate::model::text::Foreign;

pub(super) fn opened(fields: &mut Fields<'_>) -> Option<Opened> {
    let repository = fields.parsed("repository", Digest::parse);
    let change = fields.text("change");
    let snapshot = fields.object("snapshot", snapshot);
    let contract = fields.optional("contract", |value| bytes(value).map(RepoPath::new));
    let request = fields.optional("request", |value| Digest::parse(value.as_str()?));
    let by = fields.optional("by", |value| value.as_str().map(str::to_owned));
    let agent_marks = fields.list("agent_marks", true, string);
    let own_work = fields.maybe("own_work", |value| value.as_bool());
    Some(Opened {
        repository: repository?,
        change: change?,
        snapshot: snapshot?,
        contract: contract?,
        request: request?,
        by: by?,
        agent_marks: agent_marks?,
        own_work: own_work.unwrap_or(false),
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
    if let Some(raised) = raised(fields) {
        if (&edit, &criterion, &file, &assertion) == (&None, &None, &None, &None) {
            return Some(Subject::Review(raised));
        }
        fields.bad("");
        return None;
    }
    let message = fields.maybe("message", |value| Digest::parse(value.as_str()?));
    if let Some(digest) = message {
        let gate = fields.optional("gate", |value| value.as_str().map(Into::into))?;
        if (&edit, &criterion, &file, &assertion) == (&None, &None, &None, &None) {
            return Some(Subject::Message(MessageId { gate, digest }));
        }
        fields.bad("");
        return None;
    }
    let name = |value: Value| bytes(value).map(Foreign::new);
    let caller = fields.maybe("caller", name);
    let callee = fields.maybe("callee", name);
    if let (Some(caller), Some(callee)) = (&caller, &callee)
        && (&edit, &criterion, &file, &assertion) == (&None, &None, &None, &None)
    {
        let (caller, callee) = (caller.clone(), callee.clone());
        return Some(Subject::Chain(ChainId { caller, callee }));
    }
    if caller.is_some() || callee.is_some() {
        fields.bad("");
        return None;
    }
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

/// What a review raised, where the subject is such a thing.
fn raised(fields: &mut Fields<'_>) -> Option<Raised> {
    let digest = |value: Value| Digest::parse(value.as_str()?);
    let thread = fields.maybe("thread", string);
    let said = fields.maybe("said", digest);
    let finding = fields.maybe("finding", digest);
    let incomplete = fields.maybe("incomplete", digest);
    match (thread, said, finding, incomplete) {
        (Some(id), Some(said), None, None) => Some(Raised::Thread {
            id: id.into(),
            said,
        }),
        (None, None, Some(finding), None) => Some(Raised::Finding(FindingId(finding))),
        (None, None, None, Some(set)) => Some(Raised::Incomplete(set)),
        _ => None,
    }
}

/// An answer to something that a review raised.
fn answer(does: &str, fields: &mut Fields<'_>) -> Option<Act> {
    Some(Act::Answer(match does {
        "addressed" => {
            let commit = fields.optional("commit", |value| Oid::parse(value.as_str()?))?;
            let path = fields.maybe("path", |value| bytes(value).map(RepoPath::new));
            let line = fields.maybe("line", |value| u32::try_from(value.as_u64()?).ok());
            Answer::Addressed {
                commit,
                at: path.zip(line),
            }
        }
        "not-actionable" => Answer::NotActionable {
            why: fields.text("why")?,
        },
        "ticketed" => Answer::Ticketed {
            text: fields.text("text")?,
        },
        "tagged" => Answer::Tagged(fields.word("tag", &Tag::ALL, Tag::word)?),
        "waiver-holds" => Answer::WaiverHolds {
            why: fields.text("why")?,
        },
        "waiver-refused" => Answer::WaiverRefused {
            why: fields.text("why")?,
        },
        _ => {
            fields.bad("does");
            return None;
        }
    }))
}

pub(super) fn decision(fields: &mut Fields<'_>) -> Option<Body> {
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

/// A decision that was carried over: the same fields, and where it comes from.
pub(super) fn carry(fields: &mut Fields<'_>) -> Option<Body> {
    let origin = fields.object("carried_from", |from| {
        let entry = from.parsed("entry", EntryId::parse);
        let head = from.parsed("head", Oid::parse);
        Some(Origin {
            entry: entry?,
            head: head?,
        })
    });
    match decision(fields)? {
        Body::Decision(decision) => Some(Body::Decision(replayed::carried(decision, origin?))),
        _ => None,
    }
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
        "chain-closed" => Act::ChainClosed {
            at: fields.text("at")?,
        },
        "chain-accepted" => Act::ChainAccepted {
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
        "reply" => Act::Reply(reply(fields)?),
        other => return answer(other, fields),
    })
}

/// A reply to a gate message.
fn reply(fields: &mut Fields<'_>) -> Option<Given> {
    let kind = fields.word("reply", &Kind::ALL, Kind::word);
    let text = fields.text("text");
    let row = fields.maybe("row", |value| u32::try_from(value.as_u64()?).ok());
    let label = fields.maybe("label", |value| bytes(value).map(Foreign::new));
    let lever = fields.maybe("lever", |value| {
        let given = value.as_str()?;
        Lever::ALL.into_iter().find(|lever| lever.word() == given)
    });
    Some(Given {
        kind: kind?,
        text: text?,
        row,
        label,
        lever,
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
    if let Some(commit) = map.get("commit") {
        return Some(Evidence::Change {
            commit: Oid::parse(commit.as_str()?)?,
            path: path("path")?,
            line: line("line")?,
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

pub(super) fn undo(fields: &mut Fields<'_>) -> Option<Body> {
    let entry = fields.parsed("entry", EntryId::parse);
    let by = fields.text("by");
    Some(Body::Undo(replayed::undo(entry?, by?)))
}

pub(super) fn ruling(fields: &mut Fields<'_>) -> Option<Body> {
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
    let edits = fields.list("edits", true, file_edit);
    let partial = fields.flag("partial");
    let floor_bounce = fields.flag("floor_bounce");
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
        floor_bounce: floor_bounce?,
    })))
}

fn file_edit(value: Value) -> Option<FileEdit> {
    let Value::Object(map) = value else {
        return None;
    };
    Some(FileEdit {
        path: RepoPath::new(bytes(map.get("path")?.clone())?),
        after: Digest::parse(map.get("after")?.as_str()?)?,
    })
}

pub(super) fn assertion(fields: &mut Fields<'_>) -> Option<Assertion> {
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

pub(super) fn edit(fields: &mut Fields<'_>) -> Option<Edit> {
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

pub(super) fn posted(fields: &mut Fields<'_>) -> Option<Posted> {
    let ruling = fields.parsed("ruling", EntryId::parse);
    let to = fields.text("to");
    let at = fields.text("at");
    let head = fields.parsed("head", Oid::parse);
    let bytes = fields.parsed("bytes", Digest::parse);
    Some(Posted {
        ruling: ruling?,
        to: to?,
        at: at?,
        head: head?,
        bytes: bytes?,
    })
}

pub(super) fn seal(fields: &mut Fields<'_>) -> Option<Seal> {
    let shard = fields.text("shard");
    let seq = fields.number("seq");
    let line = fields.parsed("line", Digest::parse);
    let by = fields.text("by");
    let signature = fields.text("signature");
    Some(Seal {
        shard: shard?,
        seq: seq?,
        line: line?,
        by: by?,
        signature: signature?,
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

pub(super) fn run(fields: &mut Fields<'_>, entry: EntryId) -> Option<RunFact> {
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
    let limit_ms = fields.maybe("limit_ms", |value| value.as_u64());
    let shell = fields.maybe("shell", string);
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
        limit_ms,
        shell,
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
