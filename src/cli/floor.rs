//! `countersign floor`: the floor gate on the command line. The rows and the JSON of `status` and
//! `run` are the same functions over the same verdict.
//!
//! `status` executes nothing and writes nothing.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value, json};

use super::args::FloorCommand;
use super::config::user_settings;
use super::contract::{complaint, file, json as contract_json, one_line, print};
use super::exit::Exit;
use super::json::print_json;
use super::outcome::kept_json;
use super::report::Report;
use super::{Context, place};
use crate::adapters::contract::read;
use crate::adapters::ledger_store::LedgerStore;
use crate::gate::dossier::{LedgerHealth, RunFact};
use crate::gate::floor::lint::{Lint, lint, lint_whole};
use crate::gate::floor::verdict::{FloorRow, FloorState, FloorToken, FloorVerdict, Mode, floor};
use crate::gate::kept::Kept;
use crate::model::contract::{Contract, Severity, Source};
use crate::model::id::{CriterionId, RepoPath};
use crate::model::oracle::{Ended, Interference, MarkerAt, RunPlace, Stream};
use crate::model::text::{Foreign, Place};

/// Runs it.
///
/// # Errors
/// A [`Report`].
pub fn run(context: &Context, args: FloorCommand) -> Result<Exit, Report> {
    match args {
        FloorCommand::Status { path } => status(context, &path),
        FloorCommand::Run {
            path,
            live,
            cold,
            isolation,
            jobs,
            only,
            no_write,
        } => super::floor_run::run(
            context,
            &super::floor_run::Flags {
                path,
                live,
                cold,
                isolation,
                jobs,
                only,
                no_write,
            },
        ),
    }
}

fn status(context: &Context, path: &Path) -> Result<Exit, Report> {
    let given = file::given(&context.dir, path)?;
    let contract = read(&given.path, &given.bytes, None);
    let looked = given.worktree.as_deref();
    let looked = looked.map(|worktree| recorded(worktree, &given.path));
    let Looked {
        runs,
        kept,
        trouble,
    } = looked.unwrap_or_default();
    let verdict = floor(&contract, &runs, Mode::Status);
    let lints = lints(&contract);
    if context.json {
        let mut json = floor_json(&contract, &given.bytes, &verdict, &runs, &lints);
        json["record"] = json!({
            "looked": trouble.is_none(),
            "trouble": trouble,
            "kept": kept.iter().map(kept_json).collect::<Vec<_>>(),
        });
        print_json(&json);
    } else {
        let limit = user_settings()?.settings.oracle_seconds;
        let mut lines = floor_text(&contract, &verdict, &lints, Mode::Status, limit);
        let tail = lines.split_off(lines.len().saturating_sub(2));
        lines.extend(kept.iter().map(|kept| format!("KEPT: {}", kept.says())));
        lines.extend(
            trouble.iter().map(|why| {
                format!("NOT LOOKED: {why}; runs recorded there count for nothing here")
            }),
        );
        lines.extend(tail);
        print(&lines);
    }
    Ok(match exit_of(verdict.token) {
        // What the record says is unknown, so nothing that it could change is clear.
        Exit::Clear if trouble.is_some() && verdict.runnable.0 > 0 => Exit::CouldNotMeasure,
        exit => exit,
    })
}

/// What the ledger holds for the tree of a worktree's head.
#[derive(Default)]
struct Looked {
    /// Its runs, oldest first.
    runs: Vec<RunFact>,
    /// Earlier heads whose runs count here as well.
    kept: Vec<Kept>,
    /// What kept us from seeing all of it: a record that could not be looked at is not an empty
    /// one.
    trouble: Option<String>,
}

fn recorded(worktree: &Path, contract: &RepoPath) -> Looked {
    let looked = place::here(worktree).and_then(|here| Ok((here, place::folders()?)));
    let (here, folders) = match looked {
        Ok(looked) => looked,
        Err(report) => {
            return Looked {
                trouble: Some(report.message),
                ..Looked::default()
            };
        }
    };
    let history = LedgerStore::new(&folders, here.repository).load(&here.change);
    let kept = place::kept(&here, contract, &history);
    let counts = |run: &RunFact| {
        let mut trees = kept.iter().map(|kept| kept.snapshot.tree);
        run.tree == here.snapshot.tree || trees.any(|tree| tree == run.tree)
    };
    let runs = history.runs.iter().filter(|run| counts(run)).cloned();
    let runs = runs.collect();
    let findings = |count: u32| match count {
        1 => "1 finding".to_owned(),
        more => format!("{more} findings"),
    };
    let trouble = match &history.health {
        LedgerHealth::Ok => None,
        LedgerHealth::Degraded(count) => {
            Some(format!("the ledger is damaged, {}", findings(*count)))
        }
        LedgerHealth::Tampered(count) => Some(format!(
            "the ledger was tampered with, {}",
            findings(*count)
        )),
        LedgerHealth::Unknown(why) => Some(format!("the ledger could not be read: {why}")),
    };
    Looked {
        runs,
        kept,
        trouble,
    }
}

/// All lints: those of the contract first (no id), then those of the criteria in file order.
#[must_use]
pub fn lints(contract: &Contract) -> Vec<(Option<CriterionId>, Lint)> {
    let whole = lint_whole(contract).into_iter().map(|lint| (None, lint));
    let own = contract.criteria.iter().flat_map(|criterion| {
        lint(contract, criterion)
            .into_iter()
            .map(|lint| (Some(criterion.id.clone()), lint))
    });
    whole.chain(own).collect()
}

/// The exit of a verdict.
#[must_use]
pub fn exit_of(token: FloorToken) -> Exit {
    match token {
        FloorToken::Error(_) => Exit::Usage,
        FloorToken::Unmet(_) | FloorToken::Pending(_) => Exit::NotClear,
        FloorToken::Abandoned(_) => Exit::PersonNeeded,
        FloorToken::Met => Exit::Clear,
    }
}

/// The report of contract-gates 1.8, line by line; the last line is the source's verdict line.
#[must_use]
pub fn floor_text(
    contract: &Contract,
    verdict: &FloorVerdict,
    lints: &[(Option<CriterionId>, Lint)],
    mode: Mode,
    timeout_s: u64,
) -> Vec<String> {
    let mode = match mode {
        Mode::Status => "status",
        Mode::Run => "run",
    };
    let path = contract.path.foreign().shown(Place::Strict);
    let mut out = vec![format!("GATES — {path} ({mode})")];
    for (criterion, row) in contract.criteria.iter().zip(&verdict.rows) {
        out.push(format!(
            "{:<3} {:<13} {}{}",
            row.id.as_str(),
            row.state.token(),
            one_line(&criterion.text),
            asides(row)
        ));
    }
    for abandonment in &contract.abandonments {
        let id = abandonment.id.as_ref().map_or("-", |id| id.as_str());
        out.push(format!("ABANDON {id}: {}", one_line(&abandonment.reason)));
    }
    for (id, lint) in lints.iter().filter(|(_, lint)| lint.weakens) {
        let id = id.as_ref().map_or("-", |id| id.as_str());
        out.push(format!("WEAK {id}: {} ({})", lint.message, lint.code));
    }
    out.extend(contract.complaints.iter().map(complaint));
    let (k, n) = verdict.runnable;
    if verdict.floor_empty() {
        out.push(format!(
            "FLOOR EMPTY: none of {n} criteria has an oracle; nothing was measured"
        ));
    }
    out.push(format!(
        "RUNNABLE: {k} of {n} criteria; timeout {timeout_s}s"
    ));
    out.push(format!("GATES — VERDICT: {}", verdict.token));
    out
}

/// What a row hides: a masked result, a claim without a record.
fn asides(row: &FloorRow) -> String {
    let mut asides = Vec::new();
    if let Some(masked) = row.masked {
        asides.push(format!("masks {}", masked.token()));
    }
    if row.unsealed {
        asides.push(String::from("evidence unsealed"));
    }
    if asides.is_empty() {
        String::new()
    } else {
        format!(" ({})", asides.join(", "))
    }
}

/// The document `floor/1`.
#[must_use]
pub fn floor_json(
    contract: &Contract,
    bytes: &[u8],
    verdict: &FloorVerdict,
    runs: &[RunFact],
    lints: &[(Option<CriterionId>, Lint)],
) -> Value {
    let mut out = Map::new();
    out.insert("schema".into(), json!("countersign/floor/1"));
    contract_json::body(&mut out, contract, bytes, &Source::File);
    let mut own: BTreeMap<&CriterionId, Vec<Value>> = BTreeMap::new();
    for (id, lint) in lints {
        if let Some(id) = id {
            own.entry(id).or_default().push(lint_json(lint));
        }
    }
    let rows: Vec<Value> = contract
        .criteria
        .iter()
        .zip(&verdict.rows)
        .map(|(criterion, row)| {
            let mut value = contract_json::criterion(contract, criterion);
            row_json(
                &mut value,
                row,
                runs,
                own.remove(&row.id).unwrap_or_default(),
            );
            Value::Object(value)
        })
        .collect();
    out.insert("criteria".into(), rows.into());
    contract_json::rest(&mut out, contract);
    let whole: Vec<_> = lints
        .iter()
        .filter(|(id, _)| id.is_none())
        .map(|(_, lint)| lint_json(lint))
        .collect();
    out.insert("lints".into(), whole.into());
    out.insert("verdict".into(), token_json(verdict.token));
    let (k, n) = verdict.runnable;
    out.insert("runnable".into(), json!({"k": k, "n": n}));
    out.insert("floor_empty".into(), json!(verdict.floor_empty()));
    Value::Object(out)
}

fn token_json(token: FloorToken) -> Value {
    let (word, count) = match token {
        FloorToken::Error(n) => ("ERROR", Some(n)),
        FloorToken::Unmet(n) => ("UNMET", Some(n)),
        FloorToken::Pending(n) => ("PENDING", Some(n)),
        FloorToken::Abandoned(n) => ("ABANDONED", Some(n)),
        FloorToken::Met => ("MET", None),
    };
    json!({"token": word, "count": count, "text": token.to_string()})
}

fn row_json(value: &mut Map<String, Value>, row: &FloorRow, runs: &[RunFact], lints: Vec<Value>) {
    let run = row.run.and_then(|at| runs.get(at));
    if let (Some(run), Some(Value::Object(evidence))) = (run, value.get_mut("evidence")) {
        evidence.insert("sealed".into(), json!(true));
        evidence.insert("tree".into(), json!(run.tree.to_string()));
    }
    value.insert("state".into(), json!(row.state.token()));
    value.insert("masked".into(), json!(row.masked.map(FloorState::token)));
    value.insert("unsealed".into(), json!(row.unsealed));
    value.insert("run".into(), run.map_or(Value::Null, run_json));
    value.insert("lints".into(), lints.into());
}

fn lint_json(lint: &Lint) -> Value {
    let severity = match lint.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    json!({
        "code": lint.code,
        "severity": severity,
        "message": lint.message,
        "weakens": lint.weakens,
    })
}

/// A run as `floor/1` prints it. Limit and shell are known only for runs of this process.
#[must_use]
pub fn run_json(run: &RunFact) -> Value {
    let (exit, signal) = match run.ended {
        Ended::Exited(status) => (Some(status), None),
        Ended::Signalled(signal) => (None, Some(signal)),
        Ended::TimedOut | Ended::Interrupted | Ended::NotStarted(_) => (None, None),
    };
    let stream = |marker: &MarkerAt| match marker.stream {
        Stream::Stdout => "stdout",
        Stream::Stderr => "stderr",
    };
    let not_started = match &run.ended {
        Ended::NotStarted(why) => Some(why.as_str()),
        Ended::Exited(_) | Ended::Signalled(_) | Ended::TimedOut | Ended::Interrupted => None,
    };
    json!({
        "id": run.entry.to_string(),
        "head": run.head.to_string(),
        "tree": run.tree.to_string(),
        "exit": exit,
        "signal": signal,
        "timed_out": run.ended == Ended::TimedOut,
        "interrupted": run.ended == Ended::Interrupted,
        "not_started": not_started,
        "marker": run.marker.is_some(),
        "marker_line": run.marker.as_ref().map(|marker| marker.line),
        "stream": run.marker.as_ref().map(stream),
        "duration_ms": run.duration_ms,
        "limit_ms": run.limit_ms,
        "output_bytes": run.output_bytes,
        "interference": run.interference.iter().map(interference).collect::<Vec<_>>(),
        "isolation": run.isolation.level(),
        "place": match run.place {
            RunPlace::Checkout => "checkout",
            RunPlace::Live => "live",
        },
        "shell": run.shell,
    })
}

fn interference(interference: &Interference) -> String {
    let shown = |path: &Foreign| path.shown(Place::Strict).plain();
    match interference {
        Interference::Tree(paths) => {
            let paths: Vec<_> = paths.iter().map(shown).collect();
            format!("tree: {}", paths.join(", "))
        }
        Interference::Overtaken { from, to } => format!("overtaken: {from} -> {to}"),
        Interference::Contract => "contract".into(),
        Interference::Oracle => "oracle".into(),
        Interference::Records(what) => format!("records: {what}"),
    }
}
