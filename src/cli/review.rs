//! `countersign review`.

use std::io::Write as _;

use crate::adapters::folders::Folders;
use crate::runtime::lines;

use super::Context;
use super::args::ReviewArgs;
use super::exit::Exit;
use super::outcome::Outcome;
use super::post;
use super::pulls::{self, Found};
use super::report::Report;
use super::sitting::{self, Place};

/// Runs it. A session always ends with one line of JSON on stdout.
///
/// # Errors
/// A [`Report`] when the session cannot begin.
pub fn run(context: &Context, args: &ReviewArgs) -> Result<Exit, Report> {
    let own = |error: std::io::Error| {
        Report::new(Exit::CouldNotMeasure, "no-home", error.to_string())
            .hint("set HOME, or COUNTERSIGN_HOME to a folder of your own")
    };
    let folders = Folders::of_user().map_err(own)?;
    let (target, base) = (args.target.as_deref(), args.base.as_deref());
    let found = pulls::find(context, target, &args.pull, base)?;
    found.tell();
    let args = ReviewArgs {
        threads: found.threads(&args.threads),
        ..args.clone()
    };
    let dir = found.dir();
    folders.apart_from(&dir).map_err(own)?;
    let place = Place {
        dir: std::path::absolute(&dir).unwrap_or(dir),
        beside: context.dir.clone(),
        folders,
        sample: false,
        scripted: false,
    };
    let mut outcome = sitting::sit(context, &args, place)?;
    let pull = matches!(found, Found::Pull(_));
    if pull && outcome.ruling.is_some() && outcome.signal.is_none() {
        let given = post::given(context, &found, &args);
        let trouble = match given {
            Ok(given) => post::at_end(&found, &given),
            Err(report) => Some(format!("the post: {}", report.message)),
        };
        outcome.undone.extend(trouble);
    }
    left(found, &outcome);
    std::process::exit(sitting::close(&outcome).into())
}

/// Removes the worktree of a request, unless it holds edits that nobody committed yet.
fn left(found: Found, outcome: &Outcome) {
    let Found::Pull(mut ready) = found else {
        return;
    };
    if !outcome.edits.is_empty() {
        let kept = ready.laid.keep();
        let tree = ready.laid.tree();
        let mut out = lines::stderr();
        let _ = writeln!(
            out,
            "countersign: the worktree stays, for its edits to be committed: {}",
            tree.display()
        );
        if let Err(error) = kept {
            let _ = writeln!(out, "countersign: a later sitting may remove it: {error}");
        }
    }
}
