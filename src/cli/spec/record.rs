//! Acts of the spec gate in countersign's own ledger, beside the line in the shard of the tree: who
//! did what to which bytes. The entry comes first; nothing is written that could not be recorded.

use std::path::Path;

use crate::adapters::ledger_store::{LedgerStore, new_id};
use crate::adapters::who;
use crate::cli::place::{self, Here};
use crate::ledger::entry::{Body, Edit, Opened};
use crate::model::id::{Digest, RepoPath};

/// A file of an act: where, its digest before and after.
pub(super) type File = (RepoPath, Digest, Digest);

/// Records an act of a person on these files.
///
/// # Errors
/// Why it is not recorded, in words; then nothing may be written.
pub(super) fn record(
    top: &Path,
    act: &'static str,
    person: &str,
    files: Vec<File>,
) -> Result<(), String> {
    let here = place::here(top).map_err(|report| not(&report.message))?;
    let folders = place::folders().map_err(|report| not(&report.message))?;
    let store = LedgerStore::new(&folders, here.repository);
    let mut writer = store
        .writer(&store.load(&here.change), opened(&here, person))
        .map_err(|error| error.to_string())?;
    let entries = files.into_iter().map(|(path, before, after)| {
        let id = new_id().map_err(|error| not(&error.to_string()))?;
        let edit = Edit {
            path,
            kind: act.to_owned(),
            before,
            after,
        };
        Ok((id, Body::Edit(edit)))
    });
    let entries = entries.collect::<Result<Vec<_>, String>>()?;
    let still = || match place::here(top) {
        Ok(now) if now.snapshot.head == here.snapshot.head => Ok(()),
        Ok(_) => Err(String::from("the head moved meanwhile")),
        Err(report) => Err(report.message),
    };
    writer
        .append_all(entries, still)
        .map_err(|error| error.to_string())?;
    // only the queue wants it, to say where the change lies
    let _ = store.remember(&here.name, &here.change, &here.worktree);
    Ok(())
}

fn opened(here: &Here, person: &str) -> Opened {
    Opened {
        repository: here.repository,
        change: here.change.clone(),
        snapshot: here.snapshot.clone(),
        contract: None,
        request: None,
        by: Some(person.to_owned()),
        agent_marks: who::agent_marks(),
        own_work: false,
    }
}

fn not(why: &str) -> String {
    format!("not recorded: {why}")
}
