//! `countersign wave native`: what a worker's return is worth on a harness without a ledger.

use serde_json::{Value, json};

use super::git::Asked;
use super::{document, print, shown};
use crate::cli::Context;
use crate::cli::exit::Exit;
use crate::cli::json::print_json;
use crate::cli::report::Report;
use crate::gate::wave::admission::{Facts, Reach};
use crate::gate::wave::native::{Native, Said, native};
use crate::model::id::Oid;
use crate::model::known::Known;
use crate::model::text::Foreign;

/// Runs it.
pub(super) fn run(context: &Context, before: &str, said: Option<Said>) -> Result<Exit, Report> {
    let Some(before) = Oid::parse(before) else {
        let message = "--head-before is no commit id of 40 hex digits";
        return Err(Report::new(Exit::Usage, "bad-head", message)
            .hint("name the head that the dispatch was made from, in full"));
    };
    let asked = Asked::new()?;
    let answer = asked.added(&context.dir, before)?;
    let residue = asked.residue(&answer.worktree);
    let again = asked.added(&context.dir, before)?;
    if again.head != answer.head {
        let message = "the head moved while it was looked at";
        return Err(Report::new(Exit::Stale, "moved", message).hint("wait for the worker to end"));
    }
    let reach = match (answer.descends, answer.commits) {
        (false, _) => Reach::Rewritten,
        (true, 0) => Reach::Same,
        (true, count) => Reach::After(count),
    };
    let facts = Facts {
        head: Oid(answer.head),
        residue,
        reach: Known::Is(reach),
        parents: u32::try_from(answer.parents.len()).unwrap_or(u32::MAX),
        message: Foreign::default(),
        changed: Known::NotSupplied,
        private: Vec::new(),
    };
    let judged = native(&facts, said);
    let (word, reasons, paths) = match &judged {
        Native::Done => (json!("done"), Vec::new(), Vec::new()),
        Native::Open => (json!("open"), Vec::new(), Vec::new()),
        Native::Stop(why, paths) => (json!("stop-round"), why.clone(), paths.first.clone()),
        Native::Unknown(why) => (Value::Null, vec![why.to_string()], Vec::new()),
    };
    let names: Vec<String> = paths.iter().map(|path| shown(&path.foreign())).collect();
    if context.json {
        print_json(&document::document(vec![
            ("result", word),
            (
                "reason",
                json!((!reasons.is_empty()).then(|| reasons.join("; "))),
            ),
            ("reasons", json!(reasons)),
            ("residue", json!(names)),
            ("head", json!(facts.head.to_string())),
        ]));
    } else {
        let mut out = vec![match &judged {
            Native::Done => format!("done: one commit, {}", facts.head.short()),
            Native::Open => "open: no commit".to_owned(),
            Native::Stop(..) => "stop the round: dispatch nothing further, keep everything".into(),
            Native::Unknown(_) => "cannot tell".into(),
        }];
        out.extend(reasons.iter().chain(&names).map(|line| format!("  {line}")));
        print(&out);
    }
    Ok(match judged {
        Native::Done => Exit::Clear,
        Native::Open => Exit::NotClear,
        Native::Stop(..) => Exit::PersonNeeded,
        Native::Unknown(_) => Exit::CouldNotMeasure,
    })
}
