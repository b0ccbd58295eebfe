//! Ledger, derived spec and record of one run, read together; one that cannot be used stops.

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::args::BooksArgs;
use super::{bytes, unusable};
use crate::adapters::wave::record::UNREADABLE;
use crate::adapters::wave::{ledger, log, record, spec};
use crate::cli::Context;
use crate::cli::exit::Exit;
use crate::cli::report::Report;
use crate::gate::wave::events::Books as Folded;
use crate::model::contract::{Complaint, Severity};
use crate::model::known::{Known, Reason};
use crate::model::text::Foreign;
use crate::model::wave::{DerivedSpec, Ledger, Row, RunRecord};

/// What was read.
#[derive(Clone, Debug)]
pub(super) struct Books {
    pub(super) ledger: Ledger,
    pub(super) spec: DerivedSpec,
    pub(super) record: Option<RunRecord>,
    pub(super) log: Option<log::Log>,
}

impl Books {
    /// The books that follow from the event log; empty ones without a log.
    pub(super) fn folded(&self) -> Folded {
        let log = self.log.as_ref();
        log.map(|log| log.books.clone()).unwrap_or_default()
    }

    /// Consecutive misses of a row. They stand in no ledger; the event log counts only while both
    /// count the same attempts.
    pub(super) fn misses(&self, row: &Row) -> Known<u32> {
        let unknown = |why: &str| Known::Unknown(Reason::new(why));
        let Some(log) = &self.log else {
            return unknown("its consecutive misses are not known: hand in the event log");
        };
        match log.books.rows.get(&row.number) {
            Some(state) if state.attempts == row.attempts => state.misses.clone(),
            None if row.attempts == 0 => Known::Is(0),
            _ => unknown("event log and ledger count different attempts"),
        }
    }

    /// The warnings of every file, in words.
    pub(super) fn warnings(&self) -> Vec<String> {
        let files = [
            ("ledger", &self.ledger.complaints),
            ("spec", &self.spec.complaints),
        ];
        let record = self.record.iter().map(|r| ("record", &r.complaints));
        let log = self.log.iter().map(|l| ("event log", &l.complaints));
        let all = files.into_iter().chain(record).chain(log);
        all.flat_map(|(name, complaints)| {
            let warnings = complaints
                .iter()
                .filter(|c| c.severity == Severity::Warning);
            warnings.map(move |c| format!("{name} line {}: {}", c.line, c.message))
        })
        .collect()
    }
}

/// Reads all of them, and says everything that is wrong with any.
pub(super) fn read(context: &Context, path: &Path, args: &BooksArgs) -> Result<Books, Report> {
    let ledger = ledger::read(&of(context, path, "ledger")?);
    let mut files: Vec<(&str, Vec<Complaint>)> = vec![("ledger", ledger.complaints.clone())];
    let record = match &args.record {
        Some(path) => {
            let record = record::read(&of(context, path, "record")?);
            files.push(("record", record.complaints.clone()));
            files.push(("record", other_pair(&record, &ledger)));
            Some(record)
        }
        None => None,
    };
    let spec = match spec_path(&ledger, args) {
        Some(path) => {
            let spec = spec::read(&of(context, &path, "spec")?);
            files.push(("spec", spec.complaints.clone()));
            for message in spec::misfits(&spec, &ledger) {
                let hint = "restore both; a work item and its row are written together";
                files.push(("spec", vec![complaint("not-a-pair", message, hint)]));
            }
            Some(spec)
        }
        None => None,
    };
    let log = match &args.log {
        Some(path) if context.dir.join(path).symlink_metadata().is_ok() => {
            Some(log::read(&of(context, path, "event log")?))
        }
        Some(_) => Some(log::read(b"")),
        None => None,
    };
    if let Some(log) = &log {
        files.push(("event log", log.complaints.clone()));
    }
    let sound = files.iter().all(|(_, c)| crate::model::wave::sound(c));
    match spec {
        Some(spec) if sound => Ok(Books {
            ledger,
            spec,
            record,
            log,
        }),
        _ => {
            let files: Vec<_> = files.iter().map(|(name, c)| (*name, &c[..])).collect();
            Err(unusable(UNREADABLE.to_owned(), &files)
                .hint("restore the files as the run wrote them; counters are never reset"))
        }
    }
}

/// The books that follow from an event log alone; empty ones while there is no such file.
pub(super) fn log(context: &Context, path: &Path) -> Result<Folded, Report> {
    if context.dir.join(path).symlink_metadata().is_err() {
        return Ok(Folded::default());
    }
    let log = log::read(&of(context, path, "event log")?);
    if crate::model::wave::sound(&log.complaints) {
        return Ok(log.books);
    }
    let report = unusable(UNREADABLE.to_owned(), &[("event log", &log.complaints[..])]);
    Err(report.hint("restore the log; events are only ever appended"))
}

fn of(context: &Context, path: &Path, what: &str) -> Result<Vec<u8>, Report> {
    bytes(context, path).map_err(|why| {
        let message = format!("{UNREADABLE}: {what}: {why}");
        Report::new(Exit::CouldNotMeasure, "record-unreadable", message)
            .hint(format!("name the {what} of the run; it is never recreated"))
    })
}

fn spec_path(ledger: &Ledger, args: &BooksArgs) -> Option<PathBuf> {
    let named = || {
        let raw = ledger.spec.raw();
        (!raw.is_empty()).then(|| PathBuf::from(std::ffi::OsStr::from_bytes(raw)))
    };
    args.spec.clone().or_else(named)
}

fn complaint(code: &'static str, message: String, hint: &str) -> Complaint {
    Complaint {
        severity: Severity::Error,
        code,
        line: 0,
        message,
        hint: hint.to_owned(),
    }
}

/// Whether the record names the spec that the ledger names.
fn other_pair(record: &RunRecord, ledger: &Ledger) -> Vec<Complaint> {
    let named = record.wave.as_ref().and_then(|w| w.artifacts.as_ref());
    let same = |spec: &Foreign| ledger.spec.raw().is_empty() || *spec == ledger.spec;
    match named {
        Some((spec, _)) if !same(spec) => vec![complaint(
            "not-a-pair",
            "record and ledger name different specs".into(),
            "hand in record and ledger of the same run",
        )],
        _ => Vec::new(),
    }
}
