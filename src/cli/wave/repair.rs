//! `countersign wave repair`: the books of a description repair. It writes to the event log that
//! is named, and nowhere else.

use std::path::Path;

use serde_json::json;

use super::{bytes, document, print, recorded, unusable};
use crate::adapters::wave::proposal;
use crate::cli::Context;
use crate::cli::exit::Exit;
use crate::cli::json::print_json;
use crate::cli::report::Report;
use crate::gate::wave::repair::{Observed, Step, contributions, step};
use crate::model::id::Digest;
use crate::model::known::{Known, Reason};

/// What was observed, as it is handed in.
pub(super) struct Given<'a> {
    pub(super) head: Option<&'a str>,
    pub(super) body: Option<&'a Path>,
    pub(super) readback: Option<&'a Path>,
    pub(super) claim: Option<&'a str>,
    pub(super) log: Option<&'a Path>,
}

/// Runs it.
pub(super) fn run(context: &Context, file: &Path, given: &Given<'_>) -> Result<Exit, Report> {
    let unread = |why: String| {
        Report::new(Exit::CouldNotMeasure, "not-read", why).hint("name a readable file")
    };
    let proposal = proposal::read(&bytes(context, file).map_err(unread)?).map_err(|wrong| {
        let message = "the proposal cannot be used".to_owned();
        Report {
            exit: Exit::Usage,
            code: "bad-proposal",
            ..unusable(message, &[("proposal", &wrong)])
        }
    })?;
    let text = |path: &Path| -> Result<String, Report> {
        let bytes = bytes(context, path).map_err(unread)?;
        String::from_utf8(bytes).map_err(|_| unread("a description is not UTF-8".into()))
    };
    let fresh = match (given.head, given.body) {
        (Some(head), Some(body)) => Some((head.to_owned(), text(body)?)),
        _ => None,
    };
    let observed = Observed {
        fresh,
        readback: given.readback.map(text).transpose()?,
        claim: match given.claim {
            Some("resolved") => Known::Is(true),
            Some("open") => Known::Is(false),
            Some(_) => Known::Unknown(Reason::new("the claim could not be looked at")),
            None => Known::NotSupplied,
        },
    };
    let at = step(&proposal, &observed);
    let (closed, open) = contributions(&proposal, &at);
    let added = match given.log {
        Some(path) => Some(recorded::repair(context, path, &proposal, &at, &observed)?),
        None => None,
    };
    let why = match at {
        Step::Stale(why) => Some(why),
        _ => None,
    };
    if context.json {
        print_json(&document::document(vec![
            ("result", json!(at.word())),
            ("reason", json!(why)),
            ("carried", document::ids(&open)),
            ("finding", json!(proposal.finding.to_string())),
            ("closed", document::ids(&closed)),
            (
                "finding_open",
                json!(!open.is_empty() || at != Step::Closed),
            ),
            (
                "replacement_digest",
                json!(Digest::of(proposal.replacement.as_bytes()).to_string()),
            ),
            ("events", json!(added.map(|added| added.events))),
        ]));
    } else {
        let list = |ids: &[crate::model::wave::FindingId]| {
            let words: Vec<String> = ids.iter().map(ToString::to_string).collect();
            if words.is_empty() {
                "none".to_owned()
            } else {
                words.join(", ")
            }
        };
        let mut out = vec![format!("{}: {}", proposal.finding, words(&at))];
        out.push(format!("closed: {}; open: {}", list(&closed), list(&open)));
        print(&out);
    }
    Ok(match at {
        Step::Ready | Step::Already | Step::Closed => Exit::Clear,
        Step::Stale(_) => Exit::Stale,
        Step::Proposed | Step::Written | Step::Mismatch | Step::Open => Exit::NotClear,
    })
}

fn words(step: &Step) -> String {
    match step {
        Step::Proposed => "proposed; hand in fresh head and body before it is written".into(),
        Step::Ready => "head and body are as proposed; the replacement may be written".into(),
        Step::Already => "the description is the replacement already; read it back".into(),
        Step::Stale(why) => format!("stale: {why}; nothing may be written"),
        Step::Written => "the write arrived; look at the claim again".into(),
        Step::Mismatch => "what was read back is not the replacement".into(),
        Step::Closed => "the claim holds; only that contribution closes".into(),
        Step::Open => "the claim does not hold, or nobody could tell".into(),
    }
}
