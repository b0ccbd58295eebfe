//! `countersign threads`: every review thread, who speaks, what it weighs, where it points in the
//! pinned trees, and what its resolution rests on. Reads files; a forge is asked only for a pull
//! request that is the target.

pub(super) mod json;
mod words;

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::Context;
use super::args::ThreadsArgs;
use super::config::user_settings;
use super::contract::{file, print};
use super::exit::Exit;
use super::json::print_json;
use super::place;
use super::pulls::{self, Found};
use super::report::Report;
use crate::adapters::forge::{self, FILE_CAP, Input};
use crate::gate::verify::markers::{markers, rounds};
use crate::gate::verify::resolution::State;
use crate::gate::verify::threads::{Case, Looked, cases, states};
use crate::model::id::Oid;
use crate::model::text::Foreign;
use crate::model::thread::Threads;

/// What a file is read as, and when it was last written.
pub(super) struct Files {
    pub(super) threads: Threads,
    /// Seconds since the oldest of the files was written, where that is known.
    pub(super) age: Option<u64>,
}

/// Reads the files that were given.
pub(super) fn files(dir: &Path, given: &[String]) -> Files {
    let mut oldest: Option<SystemTime> = None;
    let mut inputs = Vec::new();
    for one in given {
        let (holds, name) = forge::prefixed(one);
        let place = dir.join(PathBuf::from(name));
        if let Ok(written) = place.metadata().and_then(|about| about.modified()) {
            oldest = Some(oldest.map_or(written, |old| old.min(written)));
        }
        inputs.push(Input {
            holds,
            name: Foreign::from(name),
            bytes: file::regular(&place, FILE_CAP),
        });
    }
    Files {
        threads: forge::read(&inputs),
        age: oldest
            .and_then(|oldest| SystemTime::now().duration_since(oldest).ok())
            .map(|age| age.as_secs()),
    }
}

/// Runs it.
///
/// # Errors
/// A [`Report`] when the settings cannot be read.
pub fn run(context: &Context, args: &ThreadsArgs) -> Result<Exit, Report> {
    let policy = user_settings()?.settings.policy;
    let base = args.base.as_deref();
    let found = pulls::find(context, args.target.as_deref(), &args.pull, base)?;
    if args.threads.is_empty() && matches!(found, Found::Folder(_)) {
        let message = "no file with threads was given, and a folder has none";
        return Err(Report::new(Exit::Usage, "no-threads", message)
            .hint("give --threads FILE, or name a pull request: it is asked for"));
    }
    found.tell();
    let files = files(&context.dir, &found.threads(&args.threads));
    let dir = found.dir();
    let threads = &files.threads.threads;
    // threads can be read anywhere; what they point at only where there is a change
    let (head, looked) = match place::looked(&dir, base, Vec::new(), threads) {
        Ok((opened, looked)) => (Ok(opened.snapshot.head), looked),
        Err(report) if args.target.is_some() || base.is_some() => return Err(report),
        Err(report) => {
            let not = threads
                .iter()
                .map(|thread| Looked::not(thread, &report.message));
            (Err(report.message.clone()), not.collect())
        }
    };
    let found = cases(&files.threads, &looked, &policy);
    let markers = markers(&files.threads, &policy.marker_authors);
    let rounds = rounds(&markers, 0, head.as_ref().ok().copied());
    if context.json {
        let mut document = json::document(&files, &found, head.as_ref().ok());
        document["markers"] = json::markers(&markers);
        document["rounds"] = json::rounds(&rounds);
        print_json(&document);
    } else {
        let mut lines = words::lines(&files.threads, &found, &head);
        lines.extend(words::markers(&markers, &rounds));
        print(&lines);
    }
    Ok(exit(&files.threads, &found, head.as_ref().ok()))
}

/// The head that the forge has, when it is another than the one looked at (FRG-11).
pub(super) fn other_head(threads: &Threads, head: Option<&Oid>) -> Option<Oid> {
    let forge = threads.pull.known().and_then(|pull| pull.head)?;
    head.filter(|head| **head != forge).map(|_| forge)
}

fn exit(threads: &Threads, cases: &[Case], head: Option<&Oid>) -> Exit {
    let open = |state: State| cases.iter().any(|case| case.open() && case.state == state);
    if !threads.complete() {
        Exit::CouldNotMeasure
    } else if other_head(threads, head).is_some() {
        Exit::Stale
    } else if open(State::Unresolved) {
        Exit::NotClear
    } else if open(State::Weak) || open(State::CouldNotTell) {
        Exit::PersonNeeded
    } else {
        Exit::Clear
    }
}
