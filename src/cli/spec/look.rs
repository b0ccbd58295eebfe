//! Where the spec gate looks: the top of the worktree, its spec roots, the files that were named.

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use super::args::At;
use crate::adapters::git::place::find;
use crate::adapters::spec::files::{Files, Search, on_disk};
use crate::adapters::spec::tree;
use crate::cli::Context;
use crate::cli::exit::Exit;
use crate::cli::report::Report;
use crate::model::id::RepoPath;
use crate::model::spec::Tree;
use crate::model::text::{Foreign, Place};

/// What was found.
pub(super) struct Looked {
    /// The spec tree.
    pub tree: Tree,
    /// The files that were named.
    pub files: Vec<RepoPath>,
    /// Files that were named and are of another kind.
    pub others: Vec<RepoPath>,
}

/// The top that paths are relative to.
pub(super) fn top(context: &Context) -> Result<PathBuf, Report> {
    let dir = std::path::absolute(&context.dir).map_err(|error| {
        Report::new(Exit::CouldNotMeasure, "no-folder", error.to_string())
            .hint("give a folder with -C")
    })?;
    let found = find(&dir).ok();
    Ok(found.map_or(dir, |place| place.worktree))
}

/// Looks. Nothing found is a failure, unless it was allowed (G23).
pub(super) fn look(context: &Context, at: &At) -> Result<Looked, Report> {
    let top = top(context)?;
    let files = match &at.root {
        Some(root) => {
            let dir = inside(context, &top, root)?;
            if !on_disk(&top, &dir).is_dir() {
                let message = format!("there is no folder {}", shown(root));
                return Err(Report::new(Exit::CouldNotMeasure, "no-root", message)
                    .hint("name the folder that holds the specs with --root"));
            }
            Files::below(&top, &dir, Search::Whole)
        }
        None => Files::places(&top),
    };
    let tree = tree::build(&files);
    let nothing = tree.roots.is_empty() && tree.nodes.is_empty() && tree.suites.is_empty();
    if nothing && tree.unread.is_empty() && !at.allow_empty {
        let message = match &at.root {
            Some(root) => format!("there is no spec in {}", shown(root)),
            None => String::from("there is no spec in this worktree"),
        };
        return Err(Report::new(Exit::CouldNotMeasure, "no-specs", message)
            .hint("name the folder that holds the specs with --root")
            .hint("say --allow-empty when there need not be any"));
    }
    let files = at.files.iter().map(|file| inside(context, &top, file));
    let files = files.collect::<Result<Vec<_>, _>>()?;
    Ok(Looked {
        tree,
        files,
        others: Vec::new(),
    })
}

/// Looks at the named files of one kind only, wherever they lie, with what stands beside them.
pub(super) fn named(context: &Context, at: &At, ending: &[u8]) -> Result<Looked, Report> {
    let top = top(context)?;
    let files = at.files.iter().map(|file| inside(context, &top, file));
    let files = files.collect::<Result<Vec<_>, _>>()?;
    let (mut files, others): (Vec<_>, Vec<_>) = files
        .into_iter()
        .partition(|path| path.file_name().ends_with(ending));
    files.sort();
    files.dedup();
    if files.is_empty() && !at.allow_empty {
        let ending = String::from_utf8_lossy(ending);
        let message = format!("none of the named files is a {ending}");
        return Err(Report::new(Exit::CouldNotMeasure, "no-files", message)
            .hint("name files of that kind, or say --allow-empty"));
    }
    let tree = tree::build(&Files::beside(&top, &files));
    Ok(Looked {
        tree,
        files,
        others,
    })
}

/// A typed path as a path of the repository: relative to the folder we run in, `.` and `..` taken
/// out.
pub(super) fn inside(context: &Context, top: &Path, typed: &Path) -> Result<RepoPath, Report> {
    let absolute = std::path::absolute(context.dir.join(typed)).unwrap_or_else(|_| typed.into());
    let mut plain = PathBuf::new();
    for part in absolute.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    let within = plain.strip_prefix(top).ok().map(Path::to_owned);
    let within = within.or_else(|| {
        let top = top.canonicalize().ok()?;
        plain
            .canonicalize()
            .ok()?
            .strip_prefix(&top)
            .ok()
            .map(Path::to_owned)
    });
    within
        .map(|path| RepoPath::new(path.as_os_str().as_bytes()))
        .ok_or_else(|| {
            let message = format!("{} lies outside of {}", shown(typed), shown(top));
            Report::new(Exit::Usage, "outside", message).hint("name a path inside the worktree")
        })
}

/// A path of this machine, fit to be shown.
pub(super) fn shown(path: &Path) -> String {
    Foreign::new(path.as_os_str().as_bytes().to_vec())
        .shown(Place::Strict)
        .plain()
}
