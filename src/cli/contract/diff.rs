//! `countersign contract diff`: what the change did to its own contract (G14, H27).

use std::path::Path;

use serde_json::json;

use super::json::{edit_code, finding};
use super::{file, one_line, print};
use crate::adapters::contract::read;
use crate::cli::Context;
use crate::cli::exit::Exit;
use crate::cli::json::print_json;
use crate::cli::report::Report;
use crate::gate::floor::tamper;
use crate::model::contract::ContractEdit;
use crate::model::id::Oid;
use crate::model::text::{Foreign, Place};

/// What the file is compared with.
struct Earlier {
    /// `base` or `first-commit`, with the commit.
    against: String,
    /// Its bytes; `None` when no commit before the worktree holds the file.
    bytes: Option<Vec<u8>>,
    /// Whether the file is new in the change.
    new: bool,
    /// Commits of the change that touched it, oldest first.
    commits: Vec<Oid>,
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
    let earlier = earlier(worktree, given.path.as_bytes(), base)?;
    let after = read(&given.path, &given.bytes, None);
    let mut edits = Vec::new();
    if let Some(bytes) = &earlier.bytes {
        let before = read(&given.path, bytes, Some(after.format));
        edits = tamper::edits(&before, &after);
    }
    if earlier.new {
        edits.push(tamper::new_in_change(&after));
    }
    if context.json {
        let commits: Vec<_> = earlier.commits.iter().map(Oid::to_string).collect();
        print_json(&json!({
            "schema": "countersign/contract-diff/1",
            "against": earlier.against,
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

fn failed(error: &git2::Error) -> Report {
    let shown = Foreign::from(error.message()).shown(Place::Strict);
    Report::new(
        Exit::CouldNotMeasure,
        "git",
        format!("could not read the repository: {shown}"),
    )
    .hint("name a base with --base")
}

/// The judged version: at the merge base, else the first one that the change committed.
fn earlier(worktree: &Path, path: &[u8], base: Option<&str>) -> Result<Earlier, Report> {
    let repository = git2::Repository::open(worktree).map_err(|e| failed(&e))?;
    let head = repository
        .head()
        .and_then(|head| head.peel_to_commit())
        .map_err(|e| failed(&e))?;
    let base = base_commit(&repository, base)?;
    let fork = repository
        .merge_base(base.id(), head.id())
        .and_then(|id| repository.find_commit(id))
        .map_err(|e| failed(&e))?;
    let mut commits = Vec::new();
    let mut first = None;
    let mut walk = repository.revwalk().map_err(|e| failed(&e))?;
    let order = git2::Sort::TOPOLOGICAL | git2::Sort::REVERSE;
    walk.set_sorting(order)
        .and_then(|()| walk.push(head.id()))
        .and_then(|()| walk.hide(fork.id()))
        .map_err(|e| failed(&e))?;
    for id in walk {
        let commit = id
            .and_then(|id| repository.find_commit(id))
            .map_err(|e| failed(&e))?;
        let now = blob(&repository, &commit, path);
        let before = commit
            .parent(0)
            .ok()
            .and_then(|parent| blob(&repository, &parent, path));
        if now.as_ref().map(|(id, _)| *id) != before.map(|(id, _)| id) {
            commits.extend(Oid::parse(&commit.id().to_string()));
            if first.is_none()
                && let Some((_, bytes)) = now
            {
                first = Some((commit.id(), bytes));
            }
        }
    }
    let at_base = blob(&repository, &fork, path);
    let new = at_base.is_none();
    let (against, bytes) = match (at_base, first) {
        (Some((_, bytes)), _) => (format!("base {}", fork.id()), Some(bytes)),
        (None, Some((id, bytes))) => (format!("first-commit {id}"), Some(bytes)),
        (None, None) => (String::from("nothing: no commit holds it"), None),
    };
    Ok(Earlier {
        against,
        bytes,
        new,
        commits,
    })
}

fn blob(
    repository: &git2::Repository,
    commit: &git2::Commit<'_>,
    path: &[u8],
) -> Option<(git2::Oid, Vec<u8>)> {
    use std::os::unix::ffi::OsStrExt as _;
    let path = Path::new(std::ffi::OsStr::from_bytes(path));
    let entry = commit.tree().ok()?.get_path(path).ok()?;
    let blob = repository.find_blob(entry.id()).ok()?;
    Some((blob.id(), blob.content().to_vec()))
}

/// The base by rulings A5: the flag, the remote's HEAD, else the only usual name.
fn base_commit<'r>(
    repository: &'r git2::Repository,
    named: Option<&str>,
) -> Result<git2::Commit<'r>, Report> {
    if let Some(name) = named {
        return repository
            .revparse_single(name)
            .and_then(|object| object.peel_to_commit())
            .map_err(|_| {
                let shown = Foreign::from(name).shown(Place::Strict);
                Report::new(
                    Exit::CouldNotMeasure,
                    "no-base",
                    format!("there is no ref {shown}"),
                )
                .hint("name a branch or commit of this repository")
            });
    }
    let commit = |name: &str| {
        repository
            .find_reference(name)
            .ok()
            .and_then(|reference| reference.peel_to_commit().ok())
    };
    if let Some(found) = commit("refs/remotes/origin/HEAD") {
        return Ok(found);
    }
    let usual = [
        "refs/remotes/origin/main",
        "refs/remotes/origin/master",
        "refs/heads/main",
        "refs/heads/master",
    ];
    let mut found: Vec<_> = usual
        .iter()
        .filter_map(|name| Some((*name, commit(name)?)))
        .collect();
    let names: Vec<_> = found.iter().map(|(name, _)| *name).collect();
    let message = if names.is_empty() {
        String::from("no base was found to compare with")
    } else {
        format!("several bases are possible: {}", names.join(", "))
    };
    match (found.len(), found.pop()) {
        (1, Some((_, commit))) => Ok(commit),
        _ => {
            Err(Report::new(Exit::CouldNotMeasure, "no-base", message).hint("name one with --base"))
        }
    }
}
