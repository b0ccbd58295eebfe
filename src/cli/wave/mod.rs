//! `countersign wave`: the books of a fix wave, read and judged; the run that owns them is the
//! only one to write them.

mod admit;
pub mod args;
mod books;
mod closure;
mod document;
mod git;
mod guard;
mod native;
mod progress;
pub(crate) mod record;
mod recorded;
mod repair;
mod status;

use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use self::args::WaveCommand;
use super::Context;
use super::exit::Exit;
use super::report::Report;
use crate::adapters::git::regular;
use crate::gate::wave::native::Said;
use crate::model::contract::{Complaint, Severity};
use crate::model::text::{Foreign, Place};
use crate::runtime::lines;

/// Most bytes of a file of the wave.
const LIMIT: u64 = 64 << 20;

/// Most complaints that are printed; the rest is counted.
const SHOWN: usize = 200;

/// Runs it.
///
/// # Errors
/// A [`Report`]: exit 10 when record, spec or ledger cannot be used.
pub fn run(context: &Context, command: &WaveCommand) -> Result<Exit, Report> {
    match command {
        WaveCommand::Status {
            ledger,
            books,
            command,
            observed,
            escalate_after,
            impl_model,
            no_impl_model,
        } => {
            let model = if *no_impl_model {
                Some(None)
            } else {
                impl_model.clone().map(Some)
            };
            let asked = status::Asked {
                escalate_after: escalate_after.as_deref(),
                model,
                now: progress::Given {
                    command: command.as_deref(),
                    observed,
                },
            };
            status::run(context, ledger, books, asked)
        }
        WaveCommand::Admit {
            ledger,
            row,
            head_before,
            scoped,
            books,
        } => admit::run(context, ledger, books, (*row, head_before), scoped),
        WaveCommand::Closure {
            ledger,
            file,
            pushed_head,
            books,
        } => closure::run(context, ledger, file, books, pushed_head.as_deref()),
        WaveCommand::Native { head_before, said } => {
            let said = said.as_deref().map(|word| match word {
                "done" => Said::Done,
                _ => Said::Open,
            });
            native::run(context, head_before, said)
        }
        WaveCommand::Repair {
            file,
            head,
            body,
            readback,
            claim,
            log,
        } => {
            let given = repair::Given {
                head: head.as_deref(),
                body: body.as_deref(),
                readback: readback.as_deref(),
                claim: claim.as_deref(),
                log: log.as_deref(),
            };
            repair::run(context, file, &given)
        }
        WaveCommand::Guard {
            file,
            settings,
            max_fix_rounds,
            child,
        } => {
            let given = guard::Given {
                settings: settings.as_deref(),
                max_fix_rounds: max_fix_rounds.as_deref(),
                child: *child,
            };
            guard::run(context, file, &given)
        }
        WaveCommand::Record {
            file,
            repo,
            pr,
            base,
            before,
            max_fix_rounds,
        } => {
            let expected = record::Expected {
                repository: repo.as_deref(),
                number: *pr,
                base: base.as_deref(),
                before: before.as_deref(),
                max_fix_rounds: *max_fix_rounds,
            };
            record::run(context, file, &expected)
        }
    }
}

/// The bytes of a plain file.
///
/// # Errors
/// Why there are none, as a fragment.
fn bytes(context: &Context, path: &Path) -> Result<Vec<u8>, String> {
    let place = context.dir.join(path);
    let name = Foreign::new(path.as_os_str().as_bytes()).shown(Place::Strict);
    match regular::read(&place, LIMIT) {
        Ok(Some(bytes)) => Ok(bytes),
        Ok(None) => Err(format!("there is no file {name}")),
        Err(error) => Err(error.says()),
    }
}

/// The report that names every complaint of a file that cannot be used.
fn unusable(message: String, files: &[(&str, &[Complaint])]) -> Report {
    let mut report = Report::new(Exit::CouldNotMeasure, "record-unreadable", message);
    let all = files.iter().flat_map(|(name, complaints)| {
        let errors = complaints.iter().filter(|c| c.severity == Severity::Error);
        errors.map(move |complaint| (*name, complaint))
    });
    let mut left = 0usize;
    for (name, complaint) in all {
        if report.positions.len() >= SHOWN {
            left += 1;
            continue;
        }
        let hint = if complaint.hint.is_empty() {
            String::new()
        } else {
            format!(" ({})", complaint.hint)
        };
        let what = format!("{name}: {}: {}{hint}", complaint.code, complaint.message);
        report.positions.push((complaint.line, what));
    }
    if left > 0 {
        report = report.hint(format!("mend these first; {left} more complaints follow"));
    }
    report
}

/// Writes lines to stdout; a closed pipe is no failure of ours.
fn print(lines: &[String]) {
    let mut out = lines::stdout();
    for line in lines {
        if writeln!(out, "{line}").is_err() {
            return;
        }
    }
}

/// Text from outside on one line.
fn shown(text: &Foreign) -> String {
    text.shown(Place::Strict).plain()
}
