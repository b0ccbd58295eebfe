//! `chains/1`.

use serde_json::{Value, json};

use super::text::says;
use super::{Findings, SKIPPED};
use crate::adapters::chains::scope::{Scope, State};
use crate::adapters::git::GitError;
use crate::gate::chains::{AuditVerdict, Finding, Profile, prescribe};
use crate::model::chain::{Callee, Chain, Status, Why};
use crate::model::id::RepoPath;
use crate::model::text::Foreign;

fn text(value: &Foreign) -> String {
    String::from_utf8_lossy(value.raw()).into_owned()
}

fn path(value: &RepoPath) -> String {
    value.json().0
}

/// The document of a scope that could not be measured.
pub(super) fn failed(scope: &Scope, profile: &Profile, line: &str, error: &GitError) -> Value {
    json!({
        "schema": "countersign/chains/1",
        "scope": {
            "kind": scope.kind(),
            "name": name(scope),
            "base": base(scope),
            "state": "error",
            "files": null,
            "control": line,
            "code": error.code(),
        },
        "profile": profile.name,
        "skills": [],
        "calibration": null,
        "chains": [],
        "unresolved": [],
        "summary": null,
        "verdict": AuditVerdict::HarnessError.word(),
    })
}

fn name(scope: &Scope) -> Option<&str> {
    match scope {
        Scope::Skill(name) => Some(name),
        Scope::Changed | Scope::Pr(_) | Scope::All => None,
    }
}

fn base(scope: &Scope) -> Option<String> {
    match scope {
        Scope::Pr(base) => base.clone(),
        Scope::Changed | Scope::All | Scope::Skill(_) => None,
    }
}

/// The document.
pub(super) fn document(found: &Findings) -> Value {
    let state = match &found.scoped.state {
        State::Measured => "measured",
        State::Empty => "empty",
        State::FilteredEmpty => "filtered-empty",
        State::Unknown(_) => "error",
    };
    let control = match &found.scoped.state {
        State::Empty => SKIPPED,
        State::Measured | State::FilteredEmpty | State::Unknown(_) => "git rev-parse OK",
    };
    let calibrated = found.calibration.ok();
    let sums = &found.counts;
    let problem = |(file, problem): &(RepoPath, crate::adapters::chains::problem::Problem)| json!({"file": path(file), "lossy": file.json().1, "kind": problem.word(), "message": problem.says()});
    json!({
        "schema": "countersign/chains/1",
        "scope": {
            "kind": found.scope.kind(),
            "name": name(&found.scope),
            "base": found.base,
            "root": found.root,
            "state": state,
            "files": found.scoped.files,
            "control": control,
        },
        "profile": found.profile.name,
        "skills": found.audited().iter().filter_map(|n| skill(found, *n)).collect::<Vec<_>>(),
        "problems": found.gathered.problems.iter().map(problem).collect::<Vec<_>>(),
        "unread": found.unread,
        "calibration": {
            "ok": calibrated,
            "pairs": found.calibration.pairs.iter().map(|seen| json!({
                "caller": seen.caller,
                "callee": seen.callee,
                "kind": seen.sort.word(),
                "expected": seen.expect.word(),
                "status": seen.got.map(Status::word),
                "basis": seen.basis.iter().map(|b| b.code()).collect::<Vec<_>>(),
                "ok": seen.ok(),
            })).collect::<Vec<_>>(),
        },
        "chains": found.chains().iter().map(|one| chain(found, one)).collect::<Vec<_>>(),
        "reverse": found.audit.reverse.iter().map(|row| json!({
            "caller": found.name(row.caller),
            "callee": found.name(row.callee),
            "line": row.line,
        })).collect::<Vec<_>>(),
        "unresolved": found.audit.unresolved.iter().map(|row| json!({
            "caller": found.name(row.caller),
            "target": text(&row.name),
            "kind": row.kind.word(),
            "line": row.line,
        })).collect::<Vec<_>>(),
        "map": if calibrated {
            found.shape.findings.iter().map(|finding| json!({
                "kind": kind(finding),
                "message": says(found, finding),
            })).collect::<Vec<_>>()
        } else {
            Vec::new()
        },
        "mentions": found.audit.mentions.iter().map(|row| json!({
            "caller": found.name(row.caller),
            "callee": found.name(row.callee),
            "line": row.line,
        })).collect::<Vec<_>>(),
        "summary": calibrated.then(|| json!({
            "closed": sums.closed,
            "open": {"high": sums.high, "medium": sums.medium, "low": sums.low},
            "advisory": sums.advisory,
            "countersigned": sums.countersigned,
            "accepted": sums.accepted,
        })),
        "verdict": found.verdict.map(AuditVerdict::word),
    })
}

fn kind(finding: &Finding) -> &'static str {
    match finding {
        Finding::Cycle(_) => "cycle",
        Finding::Orphan(_) => "orphan",
        Finding::NoReturn(_) => "mandatory-no-return",
        Finding::Unhandled(..) => "verdict-not-handled",
    }
}

fn skill(found: &Findings, number: u32) -> Option<Value> {
    let skill = found.audit.skills.get(number as usize)?;
    let answer = skill.answer.as_ref();
    Some(json!({
        "name": text(&skill.name),
        "file": path(&skill.file),
        "verdict": answer.map(|answer| json!({
            "level": answer.level.word(),
            "tokens": answer.tokens,
            "lines": if answer.lines.0 > 0 { Some([answer.lines.0, answer.lines.1]) } else { None },
        })),
    }))
}

/// One chain.
fn chain(found: &Findings, chain: &Chain) -> Value {
    let callee = match &chain.callee_at {
        Callee::Skill(file) => Some(file),
        Callee::Missing(_) => None,
    };
    let span = |span: &crate::model::chain::Span| {
        let file = if span.callee {
            callee.unwrap_or(&chain.caller_file)
        } else {
            &chain.caller_file
        };
        json!({"file": path(file), "line": span.line, "why": span.why.word()})
    };
    let of = |why: &[Why]| {
        let spans = chain.spans.iter().filter(|span| why.contains(&span.why));
        spans.map(span).collect::<Vec<_>>()
    };
    let prescription = prescribe(chain);
    let items = |items: &[(u8, Vec<String>)]| {
        let text = |(n, lines): &(u8, Vec<String>)| json!({"item": n, "lines": lines});
        items.iter().map(text).collect::<Vec<_>>()
    };
    let mut flags: Vec<&str> = chain.flags.iter().map(|flag| flag.code()).collect();
    if chain.read_first() {
        flags.push("read-before-prescribing");
    }
    let [caller_only, callee_only] = chain.proposal_only;
    json!({
        "caller": text(&chain.caller),
        "callee": text(&chain.callee),
        "caller_file": path(&chain.caller_file),
        "callee_file": callee.map(path),
        "status": chain.status.word(),
        "severity": (chain.status == Status::Open).then(|| chain.severity.word()),
        "strength": chain.strength.word(),
        "counted": chain.status == Status::Open && chain.dispatches(),
        "basis": chain.basis.iter().map(|basis| basis.code()).collect::<Vec<_>>(),
        "unresolved": match chain.callee_at {
            Callee::Missing(kind) => Some(kind.word()),
            Callee::Skill(_) => None,
        },
        "flags": flags,
        "spans": chain.spans.iter().map(span).collect::<Vec<_>>(),
        "pass_a": {
            "text": chain.wait_text.as_ref().map(text),
            "bound": chain.wait.word(),
            "spans": of(&[Why::Wait, Why::NearWait]),
        },
        "pass_b": {
            "text": chain.verdict_text.as_ref().map(text),
            "level": chain.level.word(),
            "spans": of(&[Why::Verdict]),
        },
        "closed_form": chain.closed_form.as_ref().map(|form| json!({
            "callee": text(&chain.callee),
            "condition": form.condition.as_ref().map(text),
            "step": form.step.as_ref().map(text),
        })),
        "ruling": found.rulings.of(chain).map(|ruling| json!({
            "kind": ruling.kind(),
            "by": ruling.by,
            "ref": ruling.line(),
            "entry": ruling.entry.to_string(),
        })),
        "prescription": {
            "caller": items(&prescription.caller),
            "callee": items(&prescription.callee),
            "text": prescription.lines(),
            "proposal_only": {"caller": caller_only, "callee": callee_only},
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_hidden_marks_stays_whole_in_json_and_is_escaped_in_text() {
        let name = Foreign::from("a\u{202e}b");
        assert_eq!(text(&name), "a\u{202e}b");
        assert!(!super::super::shown(&name).contains('\u{202e}'));
    }
}
