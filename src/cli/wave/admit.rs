//! `countersign wave admit`: what the result commit of a dispatch is worth.

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use serde_json::{Value, json};

use super::args::BooksArgs;
use super::books::{self, Books};
use super::git::Asked;
use super::{document, print, recorded, shown};
use crate::adapters::git::added::Answer;
use crate::cli::Context;
use crate::cli::exit::Exit;
use crate::cli::json::print_json;
use crate::cli::report::Report;
use crate::gate::wave::admission::{Facts, Reach, Verdict, entries, judge, waits_for};
use crate::model::id::{Oid, RepoPath};
use crate::model::known::{Known, Reason};
use crate::model::snapshot::SomePaths;
use crate::model::text::{Foreign, Place};
use crate::model::wave::{Pending, WorkItem};

/// Runs it.
pub(super) fn run(
    context: &Context,
    path: &Path,
    args: &BooksArgs,
    (row, head_before): (u32, &str),
    scoped: &[String],
) -> Result<Exit, Report> {
    let Some(head_before) = Oid::parse(head_before) else {
        let message = "--head-before is no commit id of 40 hex digits";
        return Err(Report::new(Exit::Usage, "bad-head", message)
            .hint("name the head that the dispatch was made from, in full"));
    };
    let pending = Pending { row, head_before };
    let books = books::read(context, path, args)?;
    waits_for(&books.ledger, pending).map_err(|why| {
        let message = format!("there is nothing to admit for row {row}: {why}");
        Report::new(Exit::Usage, "not-waiting", message)
            .hint("name row and head of the pending line of the ledger")
    })?;
    let asked = Asked::new()?;
    let answer = asked.added(&context.dir, head_before)?;
    let residue = asked.residue(&answer.worktree);
    let again = asked.added(&context.dir, head_before)?;
    if again.head != answer.head {
        let message = "the head moved while it was looked at";
        return Err(Report::new(Exit::Stale, "moved", message).hint("wait for the worker to end"));
    }
    let facts = facts(context, path, &books, &answer, residue);
    let verdict = judge(&facts, &books.ledger, pending, scoped);
    let added = match &args.log {
        Some(log) => {
            recorded::verdict(context, log, &books, pending, &verdict, facts.head).map(Some)?
        }
        None => None,
    };
    report(context, &books, pending, &verdict, added.as_ref());
    Ok(match verdict {
        Verdict::Admit(_) => Exit::Clear,
        Verdict::Miss(_) => Exit::NotClear,
        Verdict::Stop(..) => Exit::PersonNeeded,
        Verdict::Unknown(_) => Exit::CouldNotMeasure,
    })
}

fn facts(
    context: &Context,
    ledger: &Path,
    books: &Books,
    answer: &Answer,
    residue: Known<SomePaths>,
) -> Facts {
    let reach = if !answer.descends {
        Reach::Rewritten
    } else if answer.commits == 0 {
        Reach::Same
    } else {
        Reach::After(answer.commits)
    };
    let changed = answer.changed.iter();
    let changed: Vec<RepoPath> = changed.map(|path| RepoPath::new(path.to_vec())).collect();
    let spec = Path::new(std::ffi::OsStr::from_bytes(books.ledger.spec.raw()));
    let private = [context.dir.join(ledger), spec.to_owned()];
    let private = private.iter().filter_map(|path| {
        let whole = path.canonicalize().ok()?;
        let below = whole.strip_prefix(&answer.worktree).ok()?;
        Some(RepoPath::new(below.as_os_str().as_bytes()))
    });
    Facts {
        head: Oid(answer.head),
        residue,
        reach: Known::Is(reach),
        parents: u32::try_from(answer.parents.len()).unwrap_or(u32::MAX),
        message: Foreign::new(answer.message.to_vec()),
        changed: if changed.is_empty() && answer.more {
            Known::Unknown(Reason::new("more paths differ than are listed"))
        } else {
            Known::Is(changed)
        },
        private: private.collect(),
    }
}

/// The token of a verdict, and what was wrong.
fn said(verdict: &Verdict) -> (Value, Vec<String>) {
    match verdict {
        Verdict::Admit(_) => (json!("admit"), Vec::new()),
        Verdict::Miss(reasons) => (json!("miss"), reasons.clone()),
        Verdict::Stop(reasons, _) => (json!("stop-round"), reasons.clone()),
        Verdict::Unknown(why) => (Value::Null, vec![why.to_string()]),
    }
}

fn report(
    context: &Context,
    books: &Books,
    pending: Pending,
    verdict: &Verdict,
    added: Option<&recorded::Added>,
) {
    let (rows, decisions) = entries(verdict, &books.ledger, pending);
    let (result, reasons) = said(verdict);
    let item = usize::try_from(pending.row)
        .ok()
        .and_then(|n| n.checked_sub(1))
        .and_then(|at| books.spec.items.get(at));
    let (charge, route, paths) = match verdict {
        Verdict::Admit(admitted) => (
            u32::from(admitted.charge),
            admitted.route,
            admitted.changed.as_slice(),
        ),
        _ => (0, None, &[][..]),
    };
    let charge = added.map_or(charge, |added| added.rounds);
    let evidence = match verdict {
        Verdict::Admit(admitted) => admitted.result.target.evidence.clone(),
        _ => Foreign::default(),
    };
    let unnamed = unnamed(paths, item, &evidence);
    if context.json {
        let left = match verdict {
            Verdict::Stop(_, paths) => paths.first.iter().map(path_json).collect(),
            _ => Vec::new(),
        };
        let mut fields = document::of_books(books);
        fields.extend([
            ("result", result),
            (
                "reason",
                json!((!reasons.is_empty()).then(|| reasons.join("; "))),
            ),
            ("charge", json!(charge)),
            ("reasons", json!(reasons)),
            ("route", json!(route.map(crate::model::wave::Route::word))),
            ("write", json!({"rows": rows, "decisions": decisions})),
            ("changed", paths.iter().map(path_json).collect()),
            (
                "unnamed",
                unnamed.iter().map(|path| path_json(path)).collect(),
            ),
            ("residue", Value::Array(left)),
            ("events", json!(added.map(|added| &added.events))),
            ("recorded_before", json!(added.map(|added| added.before))),
        ]);
        print_json(&document::document(fields));
        return;
    }
    let mut out = vec![match verdict {
        Verdict::Admit(admitted) => format!(
            "admit: row {} {}, {charge} round charged unless the pass was already",
            pending.row,
            admitted.result.target.status.word()
        ),
        Verdict::Miss(_) => format!("miss: row {} counts an attempt, no round", pending.row),
        Verdict::Stop(..) => "stop the round: dispatch nothing further, discard nothing".into(),
        Verdict::Unknown(_) => "cannot tell".into(),
    }];
    out.extend(reasons.iter().map(|reason| format!("  {reason}")));
    if let Some(route) = route {
        out.push(format!("  the row says {}: a person decides", route.word()));
    }
    let names: Vec<String> = unnamed.iter().map(|p| shown(&p.foreign())).collect();
    if !names.is_empty() {
        out.push(format!(
            "  changed and named by neither finding nor evidence: {}",
            names.join(", ")
        ));
    }
    if !rows.is_empty() {
        out.push("for the ledger, the pending line taken out:".into());
        out.extend(rows.iter().chain(&decisions).map(|line| {
            let line = Foreign::from(line.as_str()).shown(Place::Prose);
            format!("  {line}")
        }));
    }
    print(&out);
}

fn path_json(path: &RepoPath) -> Value {
    let (text, lossy) = path.json();
    if lossy {
        json!({"path": text, "lossy": true})
    } else {
        json!({"path": text})
    }
}

/// Changed paths that neither the work item nor the evidence names: shown, never judged.
fn unnamed<'p>(
    paths: &'p [RepoPath],
    item: Option<&WorkItem>,
    evidence: &Foreign,
) -> Vec<&'p RepoPath> {
    let texts = [
        item.map_or(&b""[..], |item| item.text.raw()),
        evidence.raw(),
    ];
    let named = |path: &RepoPath| {
        let bytes = path.as_bytes();
        texts.iter().any(|text| {
            text.len() >= bytes.len() && text.windows(bytes.len()).any(|part| part == bytes)
        })
    };
    paths.iter().filter(|path| !named(path)).collect()
}
