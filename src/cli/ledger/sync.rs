//! `countersign ledger sync`: shares the ledger of this repository through a git remote.

use std::io::{self, Write};
use std::path::Path;

use serde_json::{Value, json};

use super::words::shown;
use super::{all, answer, exit};
use crate::adapters::git::place;
use crate::adapters::git::repository::remote;
use crate::adapters::ledger_store::LedgerStore;
use crate::adapters::sync::{self, Address, NotSynced, Outcome};
use crate::cli::Context;
use crate::cli::exit::Exit;
use crate::cli::place::Here;
use crate::cli::report::Report;
use crate::ledger::replay::History;
use crate::model::snapshot::RepositoryBy;

/// Runs it.
///
/// # Errors
/// A [`Report`]: there is nothing to share, nobody to share with, or no way there.
pub(super) fn run(
    context: &Context,
    here: &Here,
    store: &LedgerStore,
    given: Option<&str>,
) -> Result<Exit, Report> {
    if here.repository_by == RepositoryBy::Folder {
        let message = "this repository has no remote and no commit that others could know it by";
        return Err(Report::new(Exit::Usage, "not-shareable", message)
            .hint("commit something, or add the remote that you share"));
    }
    let address = address(context, here, given)?;
    let outcome = sync::sync(store, &address, &mut |_| Ok(())).map_err(|e| report(&e))?;
    let history = store.load(&here.change);
    let document = || {
        let mut document = all(&history);
        if let Value::Object(map) = &mut document {
            map.insert("sync".into(), to_json(&address, &outcome));
        }
        document
    };
    answer(context, document, |out| {
        text(out, &address, &outcome, &history)
    });
    Ok(ended(&outcome, &history))
}

fn ended(outcome: &Outcome, history: &History) -> Exit {
    let of_ledger = exit(history.status);
    let tampered = outcome.complaints.iter().any(|c| c.fault.is_tampering());
    if tampered || of_ledger == Exit::PersonNeeded {
        Exit::PersonNeeded
    } else if outcome.unpublished.is_some() || of_ledger == Exit::CouldNotMeasure {
        Exit::CouldNotMeasure
    } else if !outcome.complaints.is_empty() {
        Exit::NotClear
    } else {
        of_ledger
    }
}

/// Where to: what was given, else the remote that the base comes from. A folder must be given as
/// such: pushing into one runs its hooks, and a repository under review must not name them.
fn address(context: &Context, here: &Here, given: Option<&str>) -> Result<Address, Report> {
    let refused = |why: String| {
        Report::new(
            Exit::Usage,
            "bad-remote",
            format!("no remote to share with: {why}"),
        )
        .hint("give a remote of this repository, or an address")
    };
    let place = place::find(&here.worktree).map_err(|error| refused(error.says()))?;
    let url = match given {
        Some(name) => place.config.sub("remote", name.as_bytes(), "url"),
        None => remote(&place, here.base_name.as_bytes()),
    };
    let Some(url) = url else {
        let Some(given) = given else {
            return Err(refused("this repository has none".into()));
        };
        if !given.contains(['/', ':']) {
            let why = format!("this repository has none of the name {}", shown(given));
            return Err(refused(why));
        }
        let base = std::path::absolute(&context.dir).map_err(|e| refused(e.to_string()))?;
        return Address::parse(given.as_bytes(), &base).map_err(refused);
    };
    let address = Address::parse(url, &here.worktree).map_err(refused)?;
    if address.is_folder() {
        let why = format!(
            "{} is a folder, and only the repository names it",
            address.shown()
        );
        return Err(refused(why).hint("give the folder itself: pushing into it runs its hooks"));
    }
    Ok(address)
}

fn report(error: &NotSynced) -> Report {
    let message = format!("not shared: {error}");
    let report = Report::new(Exit::CouldNotMeasure, "not-synced", message);
    match error {
        NotSynced::Unreachable { unpublished, .. } => report
            .hint(format!(
                "{unpublished} entries are unpublished; they are safe here"
            ))
            .hint("try again when the remote can be reached"),
        NotSynced::NoGit(_) => report.hint("install git; only `ledger sync` needs it"),
        NotSynced::Own(_) | NotSynced::Objects(_) => {
            report.hint("nothing that was recorded is lost; try again")
        }
    }
}

fn text(
    out: &mut dyn Write,
    address: &Address,
    outcome: &Outcome,
    history: &History,
) -> io::Result<()> {
    for found in &outcome.complaints {
        let name = Path::new(&found.writer).join(&found.name);
        writeln!(
            out,
            "{}: {}: {}",
            name.display(),
            found.fault.word(),
            found.message
        )?;
    }
    writeln!(
        out,
        "{}: {} sent, {} received from {}",
        address.shown(),
        entries(outcome.sent),
        entries(outcome.received),
        match outcome.writers {
            1 => "1 other writer".to_owned(),
            n => format!("{n} other writers"),
        }
    )?;
    if let Some((count, why)) = &outcome.unpublished {
        writeln!(out, "{} unpublished, and safe here: {why}", entries(*count))?;
    }
    super::conflicts(out, history)?;
    writeln!(out, "ledger {}", history.status.word())
}

fn entries(count: u64) -> String {
    match count {
        1 => "1 entry".into(),
        n => format!("{n} entries"),
    }
}

fn to_json(address: &Address, outcome: &Outcome) -> Value {
    let complaints = outcome.complaints.iter().map(|found| {
        json!({
            "code": found.fault.word(),
            "writer": found.writer,
            "name": found.name,
            "message": found.message,
        })
    });
    json!({
        "remote": address.shown(),
        "writer": outcome.writer,
        "writers": outcome.writers,
        "sent": outcome.sent,
        "received": outcome.received,
        "unpublished": outcome.unpublished.as_ref().map_or(0, |(count, _)| *count),
        "unpublished_why": outcome.unpublished.as_ref().map(|(_, why)| why),
        "findings": complaints.collect::<Vec<_>>(),
    })
}
