//! `countersign review`.

use std::path::PathBuf;

use crate::adapters::folders::Folders;

use super::Context;
use super::args::ReviewArgs;
use super::exit::Exit;
use super::report::Report;
use super::sitting::{self, Place};

/// Runs it. A session always ends with one line of JSON on stdout.
///
/// # Errors
/// A [`Report`] when the session cannot begin.
pub fn run(context: &Context, args: &ReviewArgs) -> Result<Exit, Report> {
    let folders = Folders::of_user().map_err(|error| {
        Report::new(Exit::CouldNotMeasure, "no-home", error.to_string())
            .hint("set HOME, or COUNTERSIGN_HOME to a folder of your own")
    })?;
    let target = args.target.clone().unwrap_or_else(|| PathBuf::from("."));
    let place = Place {
        dir: std::path::absolute(context.dir.join(&target)).unwrap_or(target),
        beside: context.dir.clone(),
        folders,
        sample: false,
        scripted: false,
    };
    let outcome = sitting::sit(context, args, place)?;
    std::process::exit(sitting::close(&outcome).into())
}
