//! How a session ended: exit code, the last JSON line (`session/1`), and the few lines that stand
//! on the normal screen afterwards. Screen, plain mode and scripts all end through here.

use serde_json::{Value, json};

use super::contract::json::source_word;
use super::exit::Exit;
use crate::app::effect::Leave;
use crate::gate::decide::{Act, Ruling};
use crate::gate::dossier::{Dossier, Recorded, Subject};
use crate::gate::exit::{self, End};
use crate::gate::floor::verdict::FloorVerdict;
use crate::gate::handoff::EditToCommit;
use crate::gate::judge::Judgment;
use crate::gate::kept::{Kept, KeptWhy};
use crate::model::known::Known;
use crate::model::ruling::Verdict;
use crate::model::snapshot::RepositoryNote;
use crate::model::text::Place;

/// What is left of a session.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How it ended.
    pub leave: Leave,
    /// The facts as they stood, when they were read.
    pub facts: Option<(Box<Dossier>, Box<Judgment>)>,
    /// The ruling of this sitting.
    pub ruling: Option<Recorded<Ruling>>,
    /// Whether the ruling is worth less than the policy asks for: its seal is not there (LED-12).
    pub unsealed: bool,
    /// Files of the hand-off.
    pub handoff: Vec<String>,
    /// Confirmed edits that were written and wait to be committed.
    pub edits: Vec<EditToCommit>,
    /// What was not done, each a whole sentence.
    pub undone: Vec<String>,
    /// What became of each gate message, as of `menu-reply/1`.
    pub replies: Vec<Value>,
    /// The replies that stand, a line each.
    pub replied: Vec<String>,
    /// The signal that ended it.
    pub signal: Option<i32>,
}

impl Outcome {
    /// The row of the exit table.
    #[must_use]
    pub fn exit(&self) -> Exit {
        let judgment = self.facts.as_ref().map(|(_, judgment)| &**judgment);
        let ruling = self.ruling.as_ref().map(|ruling| &ruling.value);
        match exit::end(judgment, ruling) {
            End::Clear if self.overridden() || self.unsealed => Exit::PersonNeeded,
            End::Clear => Exit::Clear,
            End::NotClear => Exit::NotClear,
            End::PersonNeeded => Exit::PersonNeeded,
            End::Stale => Exit::Stale,
            End::Undecided if self.leave == Leave::Stale => Exit::Stale,
            End::Undecided => Exit::Undecided,
            End::CouldNotMeasure => Exit::CouldNotMeasure,
        }
    }

    /// The process's exit code: 128 and the signal when one ended it.
    #[must_use]
    pub fn code(&self) -> u8 {
        match self.signal {
            Some(signal) => u8::try_from(128 + signal).unwrap_or(129),
            None => self.exit().code(),
        }
    }

    fn overridden(&self) -> bool {
        self.facts.as_ref().is_some_and(|(dossier, _)| {
            dossier
                .decisions
                .iter()
                .any(|decision| matches!(decision.value.act(), Act::Override { .. }))
        })
    }

    /// The `session/1` document.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let facts = self.facts.as_ref();
        let dossier = facts.map(|(dossier, _)| dossier);
        let judgment = facts.map(|(_, judgment)| judgment);
        json!({
            "schema": "countersign/session/1",
            "change": dossier.map(|d| d.change.key.clone()),
            "repository": dossier.map(|d| d.change.repository.to_string()),
            "base": dossier.map(|d| d.snapshot.base.to_string()),
            "head": dossier.map(|d| d.snapshot.head.to_string()),
            "contract": dossier.and_then(|d| contract_json(d)),
            "round": dossier.and_then(|d| d.round.known().copied()),
            "gates": judgment.map(|j| gates_json(j)),
            "ruling": self.ruling.as_ref().map(|r| json!({
                "verdict": r.value.verdict().word(),
                "state": if self.unsealed { "unsealed" } else { "ruled" },
                "id": r.entry.to_string(),
                "number": r.number,
                "by": r.value.by(),
                "assurance": r.value.assurance().label(),
                "partial": r.value.partial(),
                "self_ratified": dossier.and_then(|d| d.self_ratified.known().copied()),
            })),
            "offered": judgment.map(|j| {
                j.offers.iter().filter(|offer| offer.carries.is_offered()).count()
            }),
            "carried": dossier.map(|d| carried(d)),
            "kept": dossier.map(|d| d.kept.iter().map(kept_json).collect::<Vec<_>>()),
            "notes": dossier.map(|d| d.notes.iter().map(note_json).collect::<Vec<_>>()),
            "owed": judgment.map(|j| j.owed),
            "decided": judgment.map(|j| j.decided),
            "edits": self.edits.iter().map(edit_json).collect::<Vec<_>>(),
            "handoff": self.handoff,
            "undone": self.undone,
            "replies": self.replies,
            "exit": self.code(),
        })
    }

    /// The lines for people, on the normal screen.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let Some((dossier, judgment)) = &self.facts else {
            return Vec::new();
        };
        let change = dossier.change.repository_name.shown(Place::Strict);
        let head = dossier.snapshot.head.abbreviated(12);
        let mut lines = Vec::new();
        match &self.ruling {
            Some(ruling) => {
                let value = &ruling.value;
                let verdict = value.verdict().word();
                lines.push(format!("countersign: {verdict}, {change} at {head}"));
                lines.push(format!(
                    "  signed by {} ({}), entry {}",
                    value.by(),
                    value.assurance().label(),
                    ruling.number
                ));
                if self.unsealed {
                    lines.push("  it does not count: the policy asks for a seal".into());
                }
                if dossier.self_ratified.known() == Some(&true) {
                    lines.push("  self-ratified: by an author or committer of the change".into());
                }
            }
            None => lines.push(format!(
                "countersign: no ruling, {change} at {head}: {} owed, {} decided",
                judgment.owed, judgment.decided
            )),
        }
        if self.ruling.is_none()
            && matches!(judgment.ruling, Verdict::CouldNotMeasure | Verdict::Stale)
        {
            lines.push(format!(
                "  {}: {}",
                judgment.ruling.word(),
                judgment.nearest
            ));
        }
        let counts = counts(dossier);
        if !counts.is_empty() {
            lines.push(format!("  {}", counts.join(", ")));
        }
        if let Some(partial) = partial(dossier) {
            lines.push(format!("  partial delivery: {partial}"));
        }
        if !self.handoff.is_empty() {
            lines.push(format!("  for the agent  {}", self.handoff.join(", ")));
        }
        for reply in &self.replied {
            lines.push(format!("  replied        {reply}"));
        }
        for edit in &self.edits {
            lines.push(format!("  to commit      {}", edit.says()));
        }
        if !self.edits.is_empty() {
            lines.push("                 this alone: then every decision holds".into());
        }
        for undone in &self.undone {
            lines.push(format!("  not done       {undone}"));
        }
        if self.ruling.is_some() {
            lines.push("  check it       countersign ledger verify".into());
        }
        lines
    }
}

/// An earlier head whose decisions hold on this one, and what lies between.
pub(super) fn kept_json(kept: &Kept) -> Value {
    let ruling = match kept.why {
        KeptWhy::OwnEdits(number) => Some(number),
        KeptWhy::EvidenceOnly => None,
    };
    json!({
        "code": kept.code(),
        "head": kept.snapshot.head.to_string(),
        "ruling": ruling,
    })
}

fn edit_json(edit: &EditToCommit) -> Value {
    let (path, lossy) = edit.path.json();
    let mut value = json!({
        "path": path,
        "kind": edit.kind,
        "digest": edit.after.to_string(),
    });
    if lossy && let Some(map) = value.as_object_mut() {
        map.insert("lossy".into(), true.into());
    }
    value
}

fn contract_json(dossier: &Dossier) -> Option<Value> {
    let record = dossier.contract.known()?;
    let (path, lossy) = record.contract.path.json();
    let mut value = json!({
        "path": path,
        "digest": record.contract.digest.to_string(),
        "blob": record.blob.map(|oid| oid.to_string()),
        "source": source_word(&record.source),
        "why": record.why,
    });
    if lossy && let Some(map) = value.as_object_mut() {
        map.insert("lossy".into(), true.into());
    }
    Some(value)
}

/// What lies beside the change and was not judged.
fn note_json(note: &RepositoryNote) -> Value {
    let paths = note.paths().map(|paths| {
        let first = paths.first.iter().map(|path| {
            let (path, lossy) = path.json();
            if lossy {
                json!({"path": path, "lossy": true})
            } else {
                json!({"path": path})
            }
        });
        json!({"first": first.collect::<Vec<_>>(), "total": paths.total})
    });
    json!({
        "code": note.code(),
        "says": note.says(),
        "paths": paths,
        "reason": note.reason().map(ToString::to_string),
    })
}

fn gates_json(judgment: &Judgment) -> Value {
    let floor = match &judgment.floor {
        Known::Is(floor) => Value::from(floor.token.to_string()),
        Known::Unknown(_) => Value::from("could not measure"),
        Known::NotApplicable(_) | Known::NotSupplied => Value::Null,
    };
    let empty = judgment.floor.known().map(FloorVerdict::floor_empty);
    let chains = judgment.chains.known().map(|verdict| verdict.word());
    json!({
        "floor": floor,
        "floor_empty": empty,
        "verify": judgment.verify.word(),
        "chains": chains,
        "spec": judgment.spec.known(),
        "ruling": judgment.ruling.word(),
        "can_end": judgment.can_end.iter().map(|v| v.word()).collect::<Vec<_>>(),
    })
}

/// How many decisions that count here were carried over from an earlier head.
fn carried(dossier: &Dossier) -> usize {
    let here = dossier.decisions.iter();
    here.filter(|one| one.value.carried().is_some() && dossier.holds(one.value.snapshot()))
        .count()
}

/// What the standing decisions come to, in words: `3 ratified`, `4 kicked back`.
fn counts(dossier: &Dossier) -> Vec<String> {
    let mut words: Vec<(&'static str, usize)> = Vec::new();
    let here = dossier.decisions.iter();
    for decision in here.filter(|one| dossier.holds(one.value.snapshot())) {
        let word = decision.value.word();
        match words.iter_mut().find(|(known, _)| *known == word) {
            Some((_, count)) => *count += 1,
            None => words.push((word, 1)),
        }
    }
    words
        .into_iter()
        .map(|(word, count)| format!("{count} {word}"))
        .collect()
}

/// The criteria that are delivered in part, named in every output (H32).
fn partial(dossier: &Dossier) -> Option<String> {
    let named: Vec<String> = dossier
        .decisions
        .iter()
        .filter_map(
            |decision| match (decision.value.act(), decision.value.subject()) {
                (Act::AcceptPartial { .. } | Act::Abandon { .. }, Subject::Criterion(id)) => Some(
                    format!("{id}, {}", hand_off(dossier, decision.value.act(), id)),
                ),
                _ => None,
            },
        )
        .collect();
    (!named.is_empty()).then(|| named.join("; "))
}

fn hand_off(dossier: &Dossier, act: &Act, id: &crate::model::id::CriterionId) -> String {
    if let Act::Abandon { handoff, .. } = act {
        return crate::model::text::Foreign::from(handoff.as_str())
            .shown(Place::Strict)
            .plain();
    }
    dossier
        .contract
        .known()
        .and_then(|record| record.contract.abandonment(id))
        .map(|line| line.reason.shown(Place::Strict).plain())
        .unwrap_or_else(|| String::from("no reason in the contract"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::fixture;
    use crate::gate::decide::{Seen, SignOff, decide, rule};
    use crate::gate::judge::judge;
    use crate::gate::policy::Policy;
    use crate::model::id::EntryId;

    /// An APPROVED over one green criterion.
    fn approved() -> Option<Outcome> {
        let policy = Policy::default();
        let mut dossier = fixture::green(1);
        let subject = Subject::Criterion(fixture::id(1));
        let seen = Seen {
            subject: subject.clone(),
            snapshot: dossier.snapshot.clone(),
            for_ms: 1_000,
            rows: vec!["RESULT".into()],
        };
        let act = Act::Ratify {
            evidence: Vec::new(),
        };
        let judgment = judge(&dossier, &policy);
        let value = decide(&dossier, &judgment, &policy, &subject, act, Some(seen)).ok()?;
        let recorded = |entry, number| (EntryId([entry; 16]), number);
        let (entry, number) = recorded(1, 1);
        dossier.decisions.push(Recorded {
            entry,
            number,
            value,
        });
        let judgment = judge(&dossier, &policy);
        let sign = SignOff {
            verdict: Verdict::Approved,
            root_cause: None,
            attack: "The table has one winter only.".into(),
            typed: dossier.snapshot.head.abbreviated(6),
            edits: Vec::new(),
        };
        let value = rule(&dossier, &judgment, &policy, sign).ok()?;
        let (entry, number) = recorded(2, 2);
        Some(Outcome {
            leave: Leave::Ruled,
            facts: Some((Box::new(dossier), Box::new(judgment))),
            ruling: Some(Recorded {
                entry,
                number,
                value,
            }),
            unsealed: false,
            handoff: Vec::new(),
            edits: Vec::new(),
            undone: Vec::new(),
            signal: None,
            replied: Vec::new(),
            replies: Vec::new(),
        })
    }

    #[test]
    fn an_approved_that_is_worth_less_than_the_policy_asks_for_needs_a_person() {
        let mut outcome = approved().expect("it can be signed");
        assert_eq!(outcome.exit(), Exit::Clear);
        assert_eq!(outcome.to_json()["ruling"]["state"], "ruled");
        outcome.unsealed = true;
        assert_eq!(outcome.exit(), Exit::PersonNeeded);
        assert_eq!(outcome.code(), 3);
        assert_eq!(outcome.to_json()["ruling"]["state"], "unsealed");
        assert_eq!(outcome.to_json()["exit"], 3);
    }
}
