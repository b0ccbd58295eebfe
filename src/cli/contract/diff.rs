//! `countersign contract diff`: what the change did to its own contract (G14, H27).

use std::path::Path;

use serde_json::json;

use super::json::{edit_code, finding};
use super::{file, one_line, print};
use crate::adapters::contract::read;
use crate::cli::Context;
use crate::cli::exit::Exit;
use crate::cli::json::print_json;
use crate::cli::place::opened;
use crate::cli::report::Report;
use crate::gate::floor::tamper;
use crate::model::contract::{ContractEdit, ContractOfRecord, EditKind, Source};
use crate::model::id::Oid;
use crate::model::known::Known;
use crate::model::snapshot::BaseWhy;
use crate::model::text::{Foreign, Place};

/// What the file is compared with.
struct Earlier {
    /// `base` or `first-commit`, with the commit.
    against: String,
    /// Its bytes; `None` when no commit before the worktree holds the file.
    judged: Option<Foreign>,
    /// Whether the file is new in the change.
    new: bool,
    /// Commits of the change that touched it, oldest first.
    commits: Vec<Oid>,
    /// What the change is compared with.
    base: Base,
    /// That the file is in no commit, or not as the head has it (H36).
    beside: Vec<ContractEdit>,
}

/// The base, with the reason for it.
#[derive(Clone)]
struct Base {
    name: String,
    why: BaseWhy,
    commit: Oid,
}

/// Runs it.
///
/// # Errors
/// A [`Report`] when there is no repository, no base, or no such file on either side.
pub(super) fn run(context: &Context, path: &Path, base: Option<&str>) -> Result<Exit, Report> {
    let given = file::given(&context.dir, path)?;
    let Some(worktree) = &given.worktree else {
        return Err(Report::new(
            Exit::CouldNotMeasure,
            "no-repository",
            "the contract lies in no repository, so there is nothing to compare it with",
        )
        .hint("name a contract inside a worktree"));
    };
    let earlier = earlier(worktree, &given.place, base)?;
    let after = read(&given.path, &given.bytes, None);
    let mut edits = Vec::new();
    if let Some(judged) = &earlier.judged {
        let before = read(&given.path, judged.raw(), Some(after.format));
        edits = tamper::edits(&before, &after);
    }
    if earlier.new {
        edits.push(tamper::new_in_change(&after));
    }
    edits.extend(earlier.beside.clone());
    if context.json {
        let commits: Vec<_> = earlier.commits.iter().map(Oid::to_string).collect();
        print_json(&json!({
            "schema": "countersign/contract-diff/1",
            "against": earlier.against,
            "base": {
                "name": earlier.base.name,
                "why": earlier.base.why.word(),
                "commit": earlier.base.commit.to_string(),
            },
            "commits": commits,
            "findings": edits.iter().map(finding).collect::<Vec<_>>(),
        }));
    } else {
        print(&lines(&given.path.foreign(), &earlier, &edits));
    }
    Ok(if edits.is_empty() {
        Exit::Clear
    } else {
        Exit::PersonNeeded
    })
}

fn lines(path: &Foreign, earlier: &Earlier, edits: &[ContractEdit]) -> Vec<String> {
    let mut out = vec![format!(
        "{} against {}: {} findings",
        path.shown(Place::Strict),
        earlier.against,
        edits.len()
    )];
    let base = &earlier.base;
    out.push(format!(
        "base {} ({}), merge base {}",
        base.name,
        base.why.word(),
        base.commit.short()
    ));
    for edit in edits {
        let id = edit
            .id
            .as_ref()
            .map_or(String::new(), |id| format!(" {id}"));
        let gated = if edit.gated { " [gated]" } else { "" };
        out.push(format!(
            "line {}: {}{id}{gated}",
            edit.line,
            edit_code(edit.kind)
        ));
        let sides = [("-", &edit.old), ("+", &edit.new)];
        for (sign, text) in sides {
            if let Some(text) = text {
                out.push(format!("  {sign} {}", one_line(text)));
            }
        }
    }
    for commit in &earlier.commits {
        out.push(format!("touched by {}", commit.short()));
    }
    out
}

/// The judged version, as the reader finds it for a session too: renames are followed, and the
/// base is chosen by the same rule (rulings A5, H27).
fn earlier(worktree: &Path, place: &Path, base: Option<&str>) -> Result<Earlier, Report> {
    let place = std::path::absolute(place).map_err(|error| could_not(&error.to_string()))?;
    let opened = opened(worktree, base, vec![place])?;
    let snapshot = &opened.snapshot;
    let base = Base {
        name: opened.change.base.name.shown(Place::Strict).plain(),
        why: opened.change.base.why,
        commit: snapshot.merge_base,
    };
    let none = Earlier {
        against: String::from("nothing: no commit holds it"),
        judged: None,
        new: true,
        commits: Vec::new(),
        base: base.clone(),
        beside: Vec::new(),
    };
    let beside = beside(&opened.contract);
    match opened.contract {
        Known::Is(record) => Ok(match record.source {
            Source::Base => Earlier {
                against: format!("base {}", snapshot.merge_base),
                judged: Some(record.bytes),
                new: false,
                commits: record.touched_by,
                base,
                beside,
            },
            Source::FirstCommit(id) => Earlier {
                against: format!("first-commit {id}"),
                judged: Some(record.bytes),
                new: true,
                commits: std::iter::once(id).chain(record.touched_by).collect(),
                base,
                beside,
            },
            Source::Head => Earlier {
                against: format!("head {}", snapshot.head),
                judged: Some(record.bytes),
                new: true,
                commits: record.touched_by,
                base,
                beside,
            },
            Source::File => Earlier { beside, ..none },
        }),
        Known::NotSupplied | Known::NotApplicable(_) => Ok(none),
        Known::Unknown(why) => Err(could_not(&why.to_string())),
    }
}

/// What only the worktree holds of the contract.
fn beside(contract: &Known<ContractOfRecord>) -> Vec<ContractEdit> {
    let kinds = [EditKind::Untracked, EditKind::Uncommitted];
    let edits = contract
        .known()
        .into_iter()
        .flat_map(|record| &record.edits);
    edits
        .filter(|edit| kinds.contains(&edit.kind))
        .cloned()
        .collect()
}

fn could_not(why: &str) -> Report {
    let message = format!("could not look at earlier versions: {why}");
    Report::new(Exit::CouldNotMeasure, "not-looked", message)
        .hint("name another base with --base, or look at the file's history with git")
}
