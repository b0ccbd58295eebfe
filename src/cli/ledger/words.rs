//! The words for entries, in text and in JSON. Whatever stands in a line is foreign here: it
//! passes the one escaping before it is printed.

use serde_json::{Value, json};

use crate::gate::decide::{Act, Answer, Decision};
use crate::gate::dossier::{EditTarget, Raised, RunFact, Subject};
use crate::ledger::entry::Body;
use crate::ledger::replay::{History, LogRow};
use crate::ledger::seal::worth;
use crate::model::evidence::Evidence;
use crate::model::oracle::{Ended, Outcome};
use crate::model::snapshot::Snapshot;
use crate::model::text::{Foreign, Place};

/// One line, everything hidden made visible.
pub(crate) fn shown(text: &str) -> String {
    Foreign::from(text).shown(Place::Strict).plain()
}

/// What kind of entry it is.
pub(crate) fn kind(body: &Body) -> String {
    match body {
        Body::Opened(_) => "opened".into(),
        Body::Run(_) => "run".into(),
        Body::Decision(decision) if decision.carried().is_some() => "carry".into(),
        Body::Decision(_) => "decision".into(),
        Body::Undo(_) => "undo".into(),
        Body::Assertion(_) => "assertion".into(),
        Body::Ruling(_) => "ruling".into(),
        Body::Edit(_) => "edit".into(),
        Body::Seal(_) => "seal".into(),
        Body::Posted(_) => "posted".into(),
        Body::Newer { kind, .. } => shown(kind),
    }
}

/// A subject in words.
pub(crate) fn of_subject(subject: &Subject) -> String {
    match subject {
        Subject::ContractEdit(target) => match target {
            EditTarget::Whole => "contract as a whole".into(),
            EditTarget::Request => "contract edit, REQUEST".into(),
            EditTarget::Criterion(id) => format!("contract edit, criterion {id}"),
            EditTarget::Scope => "contract edit, FILE SCOPE".into(),
            EditTarget::Header => "contract edit, header".into(),
        },
        Subject::Criterion(id) => format!("criterion {id}"),
        Subject::ScopeFile(path) => {
            format!("file {}", path.foreign().shown(Place::Strict))
        }
        Subject::Chain(id) => format!("chain {}", id.shown()),
        Subject::Assertion(id) => format!("assertion {}", id.short()),
        Subject::Review(Raised::Thread { id, .. }) => format!("thread {}", shown(id)),
        Subject::Review(Raised::Finding(id)) => format!("finding {}", id.0.short()),
        Subject::Review(Raised::Incomplete(_)) => "missing comments".into(),
        Subject::Message(id) => format!("gate {}", shown(&id.words())),
    }
}

/// What the entry is about.
pub(crate) fn subject(body: &Body) -> String {
    match body {
        Body::Opened(opened) => format!("change {}", shown(&opened.change)),
        Body::Run(run) => format!("criterion {}", run.criterion),
        Body::Decision(decision) => of_subject(decision.subject()),
        Body::Undo(undo) => format!("entry {}", undo.entry().short()),
        Body::Assertion(assertion) => assertion.subject.shown(Place::Strict).plain(),
        Body::Ruling(ruling) => format!("round {}", ruling.round()),
        Body::Edit(edit) => format!("file {}", edit.path.foreign().shown(Place::Strict)),
        Body::Seal(seal) => format!("{}:{}", shown(&seal.shard), seal.seq),
        Body::Posted(posted) => shown(&posted.to),
        Body::Newer { .. } => String::new(),
    }
}

/// What it says about it.
pub(crate) fn verdict(body: &Body) -> String {
    match body {
        Body::Opened(_) | Body::Newer { .. } => String::new(),
        Body::Run(run) => run_verdict(run),
        Body::Decision(decision) => decision.act().word().into(),
        Body::Undo(_) => "undone".into(),
        Body::Assertion(assertion) => assertion.verdict.shown(Place::Strict).plain(),
        Body::Ruling(ruling) => ruling.verdict().word().into(),
        Body::Edit(edit) => shown(&edit.kind),
        Body::Seal(_) => "sealed".into(),
        Body::Posted(_) => "posted".into(),
    }
}

fn run_verdict(run: &RunFact) -> String {
    let outcome = match run.outcome {
        Outcome::Met => "MET",
        Outcome::NotMet => "NOT-MET",
        Outcome::Error => "ERROR",
    };
    let ended = match &run.ended {
        Ended::Exited(status) => format!("exit {status}"),
        Ended::Signalled(signal) => format!("signal {signal}"),
        Ended::TimedOut => "timed out".into(),
        Ended::Interrupted => "interrupted".into(),
        Ended::NotStarted(_) => "not started".into(),
    };
    format!("{outcome}, {ended}")
}

/// By whom; `tool` for what no person did.
pub(crate) fn by(body: &Body) -> String {
    match body {
        Body::Opened(opened) => opened.by.as_deref().map_or_else(|| "tool".into(), shown),
        Body::Run(_) | Body::Edit(_) | Body::Posted(_) => "tool".into(),
        Body::Decision(decision) => shown(decision.by()),
        Body::Undo(undo) => shown(undo.by()),
        Body::Assertion(_) => "agent".into(),
        Body::Ruling(ruling) => shown(ruling.by()),
        Body::Seal(seal) => shown(&seal.by),
        Body::Newer { .. } => String::new(),
    }
}

/// What the name is worth, where a person acted.
pub(crate) fn assurance(row: &LogRow) -> Option<&'static str> {
    let (said, by) = match &row.entry.body {
        Body::Decision(decision) => (decision.assurance(), decision.by()),
        Body::Ruling(ruling) => (ruling.assurance(), ruling.by()),
        Body::Opened(_)
        | Body::Run(_)
        | Body::Undo(_)
        | Body::Assertion(_)
        | Body::Edit(_)
        | Body::Seal(_)
        | Body::Posted(_)
        | Body::Newer { .. } => return None,
    };
    Some(worth(said, by, row.grade, &row.seals).label())
}

/// The pins as JSON.
pub(crate) fn snapshot_json(snapshot: &Snapshot) -> Value {
    json!({
        "base": snapshot.base.to_string(),
        "merge_base": snapshot.merge_base.to_string(),
        "head": snapshot.head.to_string(),
        "tree": snapshot.tree.to_string(),
        "contract_digest": snapshot.contract.map(|digest| digest.to_string()),
    })
}

fn snapshot(body: &Body) -> Value {
    match body {
        Body::Opened(opened) => snapshot_json(&opened.snapshot),
        Body::Decision(decision) => snapshot_json(decision.snapshot()),
        Body::Ruling(ruling) => snapshot_json(ruling.snapshot()),
        Body::Run(run) => json!({"head": run.head.to_string(), "tree": run.tree.to_string()}),
        Body::Assertion(assertion) => json!({"head": assertion.head.to_string()}),
        Body::Posted(posted) => json!({"head": posted.head.to_string()}),
        Body::Undo(_) | Body::Edit(_) | Body::Seal(_) | Body::Newer { .. } => Value::Null,
    }
}

/// What it rests on or was said with it, one fragment each.
pub(crate) fn because(body: &Body) -> Vec<String> {
    match body {
        Body::Decision(decision) => {
            let from = decision.carried().map(|origin| {
                let (head, entry) = (origin.head.short(), origin.entry.short());
                format!("carried from {head}, entry {entry}")
            });
            from.into_iter().chain(decision_because(decision)).collect()
        }
        Body::Undo(undo) => vec![format!("entry {}", undo.entry().short())],
        Body::Assertion(assertion) => vec![assertion.why.shown(Place::Prose).plain()],
        Body::Ruling(ruling) => {
            let entries = ruling.decisions().iter();
            let mut all: Vec<String> = entries.map(|id| format!("entry {}", id.short())).collect();
            all.push(format!("strongest attack: {}", shown(ruling.attack())));
            all.extend(ruling.edits().iter().map(|edit| {
                let path = edit.path.foreign().shown(Place::Strict);
                format!("edit of {path}, sha256 {}", edit.after)
            }));
            all
        }
        Body::Run(run) => run
            .excerpt
            .iter()
            .map(|(line, text, _)| format!("line {line}: {}", text.shown(Place::Prose)))
            .collect(),
        Body::Edit(edit) => vec![format!("{} to {}", edit.before.short(), edit.after.short())],
        Body::Opened(opened) => {
            let own = opened.own_work.then(|| "self-ratified".to_owned());
            let marks = opened.agent_marks.iter().map(|mark| shown(mark));
            own.into_iter().chain(marks).collect()
        }
        Body::Posted(posted) => vec![
            format!("entry {}", posted.ruling.short()),
            format!("at {}, sha256 {}", shown(&posted.at), posted.bytes.short()),
        ],
        Body::Seal(seal) => vec![format!("sha256 {} and all before it", seal.line)],
        Body::Newer { .. } => Vec::new(),
    }
}

fn decision_because(decision: &Decision) -> Vec<String> {
    match decision.act() {
        Act::Acknowledge | Act::ScopeAccept => Vec::new(),
        Act::Ratify { evidence } => evidence.iter().map(of_evidence).collect(),
        Act::RatifyUnseen { evidence, why } => {
            let mut all: Vec<String> = evidence.iter().map(of_evidence).collect();
            all.push(format!("unseen: {}", shown(why)));
            all
        }
        Act::KickBack { cause, text } => vec![cause.word().to_owned(), shown(text)],
        Act::Abandon { reason, handoff } => vec![shown(reason), shown(handoff)],
        Act::AcceptPartial { reason } => vec![shown(reason)],
        Act::ChainClosed { at } => vec![shown(at)],
        Act::AcceptEdit { why }
        | Act::ChainAccepted { why }
        | Act::NotApplicable { why }
        | Act::Override { why } => {
            vec![shown(why)]
        }
        Act::Lift { text }
        | Act::ScopeDecline { text }
        | Act::ScopeTicket { text }
        | Act::ScopeEscalate { text } => vec![shown(text)],
        Act::Answer(answer) => match answer {
            Answer::Addressed { commit, at } => {
                let commit = commit.map(|commit| format!("by {}", commit.short()));
                let at = at
                    .as_ref()
                    .map(|(path, line)| format!("{}:{line}", path.foreign().shown(Place::Strict)));
                commit.into_iter().chain(at).collect()
            }
            Answer::Tagged(tag) => vec![tag.word().to_owned()],
            Answer::Ticketed { text }
            | Answer::NotActionable { why: text }
            | Answer::WaiverHolds { why: text }
            | Answer::WaiverRefused { why: text } => vec![shown(text)],
        },
        Act::Reply(given) => {
            let label = given.label.as_ref();
            let label = label.map(|label| label.shown(Place::Strict).plain());
            std::iter::once(shown(&given.text)).chain(label).collect()
        }
    }
}

fn of_evidence(evidence: &Evidence) -> String {
    match evidence {
        Evidence::Run(entry) => format!("run {}", entry.short()),
        Evidence::Hunk {
            head,
            path,
            line,
            end_line,
            ..
        } => {
            let path = path.foreign().shown(Place::Strict);
            format!("{path}:{line}-{end_line} @{}", head.short())
        }
        Evidence::Change { commit, path, line } => {
            let path = path.foreign().shown(Place::Strict);
            format!("{path}:{line} by {}", commit.short())
        }
        Evidence::Test { id, path, line } => {
            let path = path.foreign().shown(Place::Strict);
            format!("test {} {path}:{line}", id.shown(Place::Strict))
        }
        Evidence::Rationale(text) => format!("rationale: {}", shown(text)),
    }
}

/// One entry of `ledger/1`.
pub(crate) fn entry_json(row: &LogRow) -> Value {
    let body = &row.entry.body;
    json!({
        "id": row.entry.id.to_string(),
        "number": row.number,
        "seq": row.entry.seq,
        "shard": row.entry.shard,
        "kind": kind(body),
        "subject": subject(body),
        "verdict": verdict(body),
        "by": by(body),
        "assurance": assurance(row),
        "seals": row.seals.iter().map(|seal| json!({
            "by": seal.by, "assurance": seal.level.label(), "key": seal.key,
        })).collect::<Vec<_>>(),
        "snapshot": snapshot(body),
        "because": because(body),
        "verified": row.grade.word(),
        "fate": row.fate.word(),
        "fate_by": row.fate.by().map(|id| id.to_string()),
        "carried_from": carried_from(body),
    })
}

/// Where a carry-over comes from; null for everything else.
fn carried_from(body: &Body) -> Value {
    let Body::Decision(decision) = body else {
        return Value::Null;
    };
    let from = decision.carried();
    from.map_or(
        Value::Null,
        |origin| json!({"entry": origin.entry.to_string(), "head": origin.head.to_string()}),
    )
}

/// The document `ledger/1` with these entries.
pub(crate) fn document(history: &History, entries: &[Value]) -> Value {
    let findings = history.findings.iter().map(|found| {
        json!({
            "shard": found.shard, "line": found.line, "code": found.code.word(),
            "message": found.message,
        })
    });
    let conflicts = history.conflicts.iter().map(|conflict| {
        let between = conflict.between.iter();
        json!({
            "subject": of_subject(&conflict.subject),
            "between": between
                .map(|(id, by)| json!({"id": id.to_string(), "by": by}))
                .collect::<Vec<_>>(),
            "counts": conflict.counts.to_string(),
        })
    });
    json!({
        "schema": "countersign/ledger/1",
        "status": history.status.word(),
        "entries": entries,
        "findings": findings.collect::<Vec<_>>(),
        "conflicts": conflicts.collect::<Vec<_>>(),
    })
}
