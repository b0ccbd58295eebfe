//! `verify/1`: the source's fields under its names, and what stands behind them.

use serde_json::{Map, Value, json};

use super::gather::Gathered;
use super::{Audit, word};
use crate::cli::threads::json as threads_json;
use crate::gate::verify::document::Document;
use crate::gate::verify::markers::{markers, rounds};
use crate::gate::verify::round_after;
use crate::gate::verify::table::Caller;
use crate::model::id::RepoPath;
use crate::model::known::Known;
use crate::model::ruling::Verdict;

/// The document.
pub(super) fn render(gathered: &Gathered, verdict: &Document, audit: &Audit) -> Value {
    let dossier = &gathered.dossier;
    let mut out = Map::new();
    let mut put = |key: &str, value: Value| {
        out.insert(key.to_owned(), value);
    };
    put("schema", json!("countersign/verify/1"));
    put("verdict", json!(word(verdict)));
    put("state", json!(verdict.state.word()));
    put(
        "row",
        json!(verdict.row.map(|row| row.name().trim_start_matches("row "))),
    );
    put("round", json!(verdict.round));
    put("pr", json!(verdict.pr));
    put("ticket", json!(verdict.ticket));
    lists(verdict, &mut put);
    put("rationale", json!(verdict.rationale));
    put(
        "root_cause_class",
        json!(verdict.root_cause.map(|class| class.word())),
    );
    put("reroll_bump", json!(verdict.bump));
    let again = verdict.verdict == Some(Verdict::Reroll);
    put(
        "second_round_needed",
        json!(again.then_some(&verdict.reasons)),
    );
    put("reasons", json!(verdict.reasons));
    let triggers: Vec<&str> = verdict.triggers.iter().map(|one| one.word()).collect();
    put("triggers", json!(triggers));
    put("breakers", json!(verdict.breakers));
    put("nits", json!(verdict.nits));
    put("trace", json!(verdict.trace));
    put("undecided", json!(verdict.undecided));
    put("abandoned", json!(verdict.abandoned));
    put("partial", json!(verdict.partial));
    put(
        "caller",
        json!(match verdict.caller {
            Caller::Standalone => "standalone",
            Caller::Gaze => "gaze",
        }),
    );
    put("gate_session_id", json!(audit.session));
    put("review_worktree", json!(audit.worktree));
    let ruled = verdict.ruled.as_ref();
    put(
        "ruled_tip",
        json!(ruled.map(|ruling| ruling.value.snapshot().head.to_string())),
    );
    let snapshot = &dossier.snapshot;
    let digest = dossier
        .request
        .threads
        .known()
        .map(|facts| facts.threads.digest.to_string());
    put(
        "snapshot",
        json!({
            "base": snapshot.base.to_string(),
            "merge_base": snapshot.merge_base.to_string(),
            "head": snapshot.head.to_string(),
            "tree": snapshot.tree.to_string(),
            "contract_digest": snapshot.contract.map(|digest| digest.to_string()),
            "forge_digest": digest,
        }),
    );
    let found = match &dossier.request.threads {
        Known::Is(facts) => markers(&facts.threads, &gathered.policy.marker_authors),
        Known::Unknown(_) | Known::NotApplicable(_) | Known::NotSupplied => Vec::new(),
    };
    put("markers", threads_json::markers(&found));
    let ledger = round_after(&dossier.rulings).saturating_sub(1);
    let sources = rounds(&found, ledger, Some(snapshot.head));
    put("round_sources", threads_json::rounds(&sources));
    put("since", since(gathered));
    Value::Object(out)
}

/// What happened since the last round, what is gone first.
fn since(gathered: &Gathered) -> Value {
    match &gathered.since {
        Known::Is(since) => {
            let paths = |all: &[RepoPath]| -> Vec<String> {
                all.iter().map(|path| path.json().0).collect()
            };
            json!({
                "snapshot": since.head.to_string(),
                "gone": paths(&since.gone),
                "unasked": paths(&since.unasked),
                "answered": paths(&since.answered),
            })
        }
        Known::Unknown(why) => json!({"unknown": why.to_string()}),
        Known::NotApplicable(_) | Known::NotSupplied => Value::Null,
    }
}

fn lists(verdict: &Document, put: &mut impl FnMut(&str, Value)) {
    let path = |path: &RepoPath| path.json().0;
    let criteria = verdict.criteria.iter().map(|one| {
        json!({
            "id": one.id,
            "criterion": String::from_utf8_lossy(one.text.raw()),
            "status": one.status.word().to_uppercase(),
            "evidence": one.evidence,
        })
    });
    put("per_exit_criterion", criteria.collect());
    let comments = verdict.comments.iter().map(|one| {
        json!({
            "comment_ref": one.reference,
            "author": one.author,
            "tag": one.tag.map_or("untagged", |tag| tag.word()),
            "why_unresolved": one.why,
            "blocks": one.blocks,
        })
    });
    put("unresolved_review_comments", comments.collect());
    let malformed = verdict
        .malformed
        .iter()
        .map(|one| json!({"comment_ref": one.reference, "excerpt": one.excerpt}));
    put("malformed_minors", malformed.collect());
    let simplify = verdict.simplify.iter().map(|one| {
        json!({
            "finding": String::from_utf8_lossy(one.finding.raw()),
            "severity": one.severity,
            "status": one.status,
        })
    });
    put("unresolved_simplify_findings", simplify.collect());
    let adherence = verdict.adherence.iter().map(|one| {
        json!({
            "rule_ref": String::from_utf8_lossy(one.rule.raw()),
            "file": one.file.as_ref().map(path),
            "severity": if one.blocking { "blocking" } else { "nit" },
        })
    });
    put("unresolved_adherence_violations", adherence.collect());
    let overflow = verdict.overflow.iter().map(|one| {
        let suggested = one
            .disposition
            .filter(|word| matches!(*word, "TICKETED" | "ESCALATE"));
        let (name, lossy) = one.file.json();
        let mut file = json!({
            "file": name,
            "reason": one.reason,
            "suggested_disposition": suggested,
            "disposition": one.disposition,
        });
        if lossy {
            file["lossy"] = json!(true);
        }
        file
    });
    put("scope_overflow", overflow.collect());
}
