//! `countersign demo`: the same session on the built-in sample. Nothing of the person's is read
//! or written: the sample brings its own repository and its own countersign folders.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::adapters::folders::own_text;
use crate::adapters::sample::{self, Layout};
use crate::runtime::lines;
use crate::runtime::script;

use super::Context;
use super::args::DemoArgs;
use super::exit::Exit;
use super::json::print_json;
use super::report::Report;
use super::sitting::{self, Place};

/// Runs it.
///
/// # Errors
/// A [`Report`].
pub fn run(context: &Context, args: &DemoArgs) -> Result<Exit, Report> {
    let steps = args.script.as_deref().map(read_script).transpose()?;
    match (&args.lay_out, &steps) {
        (Some(dir), None) => return lay_out(context, dir),
        (Some(dir), Some(steps)) => return play_in(context, args, dir, steps),
        (None, _) => {}
    }
    let folder = tempfile::Builder::new()
        .prefix("countersign-sample-")
        .tempdir()
        .map_err(|error| no_sample(&error))?;
    let layout = sample::lay_out(folder.path()).map_err(|error| no_sample(&error))?;
    let place = place(&layout, steps.is_some());
    let outcome = match &steps {
        Some(steps) => sitting::play(&args.review, place, steps)?,
        None => sitting::sit(context, &args.review, place)?,
    };
    let keep = steps.is_none() && outcome.signal.is_none() && !deleted(folder.path());
    if keep {
        kept(&folder.keep(), &layout);
    } else {
        let _ = folder.close();
    }
    std::process::exit(sitting::close(&outcome).into())
}

/// Plays a script in a folder that stays: what it recorded can be looked at.
fn play_in(
    context: &Context,
    args: &DemoArgs,
    dir: &Path,
    steps: &[script::Step],
) -> Result<Exit, Report> {
    let layout = sample::lay_out(&context.dir.join(dir)).map_err(|error| no_sample(&error))?;
    let outcome = sitting::play(&args.review, place(&layout, true), steps)?;
    std::process::exit(sitting::close(&outcome).into())
}

fn place(layout: &Layout, scripted: bool) -> Place {
    Place {
        dir: layout.worktree.clone(),
        beside: layout.worktree.clone(),
        folders: layout.folders.clone(),
        sample: true,
        scripted,
    }
}

fn read_script(path: &Path) -> Result<Vec<script::Step>, Report> {
    let text = own_text(path, 1 << 20).map_err(|error| {
        let message = format!("the script cannot be read: {error}");
        Report::new(Exit::Usage, "no-script", message)
    })?;
    script::parse(&text).map_err(|complaints| {
        let message = format!("{} lines of the script are no steps", complaints.len());
        let mut report = Report::new(Exit::Usage, "bad-script", message);
        report.positions = complaints;
        report
    })
}

fn lay_out(context: &Context, dir: &Path) -> Result<Exit, Report> {
    let layout = sample::lay_out(&context.dir.join(dir)).map_err(|error| no_sample(&error))?;
    if context.json {
        print_json(&json!({
            "schema": "countersign/sample/1",
            "repository": text(&layout.repository),
            "worktree": text(&layout.worktree),
            "home": text(&home(&layout)),
        }));
    } else {
        let mut out = lines::stdout();
        let _ = writeln!(out, "worktree  {}", layout.worktree.display());
        let _ = writeln!(out, "review    {}", command(&layout, "review"));
    }
    Ok(Exit::Clear)
}

/// Asks whether the sample may go; keeps it unless the person says so.
fn deleted(folder: &Path) -> bool {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return true;
    }
    let mut err = lines::stderr();
    let _ = write!(
        err,
        "the sample lies in {}: y deletes it, Enter keeps it: ",
        folder.display()
    );
    let _ = err.flush();
    let mut line = String::new();
    let _ = io::stdin().lock().read_line(&mut line);
    line.trim() == "y"
}

fn kept(folder: &Path, layout: &Layout) {
    let mut err = lines::stderr();
    let _ = writeln!(err, "  the sample     {}", folder.display());
    let _ = writeln!(err, "  its record     {}", command(layout, "ledger verify"));
}

fn command(layout: &Layout, words: &str) -> String {
    format!(
        "COUNTERSIGN_HOME={} countersign -C {} {words}",
        home(layout).display(),
        layout.worktree.display()
    )
}

/// The folder that takes the place of the person's own.
fn home(layout: &Layout) -> PathBuf {
    let parent = layout.folders.state.parent();
    parent.unwrap_or(&layout.folders.state).to_owned()
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn no_sample(error: &io::Error) -> Report {
    let message = format!("the sample cannot be laid out: {error}");
    Report::new(Exit::CouldNotMeasure, "no-sample", message)
        .hint("name an empty folder, or free some space")
}
