//! `countersign wave record`: whether a run record is in order and belongs to the run.

use std::path::Path;

use serde_json::json;

use super::{bytes, document, print, shown, unusable};
use crate::adapters::git::regular;
use crate::adapters::wave::record::{UNREADABLE, mismatches, read, resets};
use crate::adapters::wave::{ledger, spec};
use crate::cli::Context;
use crate::cli::exit::Exit;
use crate::cli::json::print_json;
use crate::cli::report::Report;
use crate::model::contract::{Complaint, Severity};
use crate::model::known::{Known, Reason};
use crate::model::text::Foreign;
use crate::model::wave::{Account, RunRecord, sound};

/// What the record has to match.
pub(super) struct Expected<'a> {
    pub(super) repository: Option<&'a str>,
    pub(super) number: Option<u32>,
    pub(super) base: Option<&'a str>,
    pub(super) before: Option<&'a Path>,
    pub(super) max_fix_rounds: Option<u32>,
}

/// Runs it.
pub(super) fn run(context: &Context, file: &Path, expected: &Expected<'_>) -> Result<Exit, Report> {
    let unread = |why: String| {
        let message = format!("{UNREADABLE}: {why}");
        Report::new(Exit::CouldNotMeasure, "record-unreadable", message)
            .hint("name the record of the run; no other is looked for")
    };
    let record = read(&bytes(context, file).map_err(unread)?);
    let mut complaints = record.complaints.clone();
    if let Some(before) = expected.before {
        let before = read(&bytes(context, before).map_err(unread)?);
        let step = expected
            .max_fix_rounds
            .map(|rounds| rounds.saturating_mul(2));
        for message in resets(&before, &record, step) {
            complaints.push(fault(
                "reset",
                message,
                "restore the record; nothing is reset",
            ));
        }
    }
    let artifacts = artifacts(context, &record);
    let parts = [("record", &complaints[..]), ("artifacts", &artifacts[..])];
    if parts.iter().any(|(_, complaints)| !sound(complaints)) {
        let report = unusable(UNREADABLE.to_owned(), &parts);
        return Err(report.hint(format!("keep what was used: {}", usage(&record))));
    }
    let wrong = record.target.as_ref().map_or_else(Vec::new, |target| {
        let Expected {
            repository,
            number,
            base,
            ..
        } = expected;
        mismatches(target, *repository, *number, *base)
    });
    if !wrong.is_empty() {
        let message = format!("{UNREADABLE}: {}", wrong.join("; "));
        return Err(Report::new(Exit::Stale, "other-run", message)
            .hint("name the record of this pull request; no other is looked for"));
    }
    if context.json {
        let mut fields = document::accounts(Some(&record)).to_vec();
        let wave = record.wave.as_ref();
        let checkpoint = wave.and_then(|wave| wave.no_progress.as_ref());
        fields.push(("no_progress", document::no_progress(checkpoint)));
        fields.push(("charge", json!(wave.map(|wave| wave.counted))));
        fields.push((
            "record",
            json!({
                "target": record.target.as_ref().map(|target| json!({
                    "repo": target.repository, "number": target.number, "base": target.base,
                })),
                "course": record.course.map(crate::model::wave::Course::word),
                "stage": wave.and_then(|wave| wave.stage),
                "selected": wave.map(|wave| document::ids(&wave.selected)),
                "spec": wave.and_then(|w| w.artifacts.as_ref()).map(|(spec, _)| shown(spec)),
                "ledger": wave.and_then(|w| w.artifacts.as_ref()).map(|(_, l)| shown(l)),
            }),
        ));
        print_json(&document::document(fields));
    } else {
        print(&lines(&record));
    }
    Ok(Exit::Clear)
}

fn fault(code: &'static str, message: String, hint: &str) -> Complaint {
    Complaint {
        severity: Severity::Error,
        code,
        line: 0,
        message,
        hint: hint.to_owned(),
    }
}

/// Both files exist and parse, once they were created.
fn artifacts(context: &Context, record: &RunRecord) -> Vec<Complaint> {
    let Some((spec_path, ledger_path)) = record
        .wave
        .as_ref()
        .and_then(|wave| wave.artifacts.as_ref())
    else {
        return Vec::new();
    };
    let hint = "restore it; the pair is never recreated and attempts are never reset";
    let read = |path: &Foreign, what: &str| {
        use std::os::unix::ffi::OsStrExt as _;
        let place = Path::new(std::ffi::OsStr::from_bytes(path.raw()));
        bytes(context, place).map_err(|why| fault("no-artifact", format!("{what}: {why}"), hint))
    };
    let mut wrong = Vec::new();
    let (spec_bytes, ledger_bytes) = (read(spec_path, "spec"), read(ledger_path, "ledger"));
    let mut spec_items = None;
    match spec_bytes {
        Ok(bytes) => {
            let spec = spec::read(&bytes);
            wrong.extend(spec.complaints.clone());
            spec_items = Some(spec);
        }
        Err(complaint) => wrong.push(complaint),
    }
    match ledger_bytes {
        Ok(bytes) => {
            let ledger = ledger::read(&bytes);
            let misfits = spec_items
                .iter()
                .flat_map(|spec| spec::misfits(spec, &ledger));
            wrong.extend(misfits.map(|message| fault("not-a-pair", message, hint)));
            if ledger.spec != *spec_path && !ledger.spec.raw().is_empty() {
                let message = "the ledger names another spec than the record".to_owned();
                wrong.push(fault("not-a-pair", message, hint));
            }
            wrong.extend(ledger.complaints);
        }
        Err(complaint) => wrong.push(complaint),
    }
    wrong
}

/// Used and allowed, in words; what cannot be read is said, never taken for 0.
pub(super) fn usage(record: &RunRecord) -> String {
    let number = |value: &Known<u32>| match value {
        Known::Is(number) => number.to_string(),
        Known::NotApplicable(_) => "no cap yet".into(),
        Known::Unknown(_) | Known::NotSupplied => "unknown".into(),
    };
    let of = |what: &str, account: &Account| {
        let reached = match (&account.used, &account.cap) {
            (Known::Is(used), Known::Is(cap)) if used >= cap => " (cap reached)",
            _ => "",
        };
        format!(
            "{what} {} of {}{reached}",
            number(&account.used),
            number(&account.cap)
        )
    };
    format!(
        "{}, {}",
        of("rounds", &record.rounds),
        of("syncs", &record.syncs)
    )
}

/// What a record says, for people; unknown with every complaint where it is not in order.
#[must_use]
pub(crate) fn for_people(file: &Path) -> Known<Vec<String>> {
    let read = regular::read(file, super::LIMIT);
    let bytes = match read {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Known::Unknown(Reason::new("there is no such file")),
        Err(error) => return Known::Unknown(Reason::new(error.says())),
    };
    let record = self::read(&bytes);
    if sound(&record.complaints) {
        return Known::Is(lines(&record));
    }
    let says = |complaint: &Complaint| match complaint.line {
        0 => complaint.message.clone(),
        line => format!("line {line}: {}", complaint.message),
    };
    let all: Vec<String> = record.complaints.iter().map(says).collect();
    Known::Unknown(Reason::new(format!("{UNREADABLE}: {}", all.join("; "))))
}

fn lines(record: &RunRecord) -> Vec<String> {
    let mut out = Vec::new();
    if let Some(target) = &record.target {
        out.push(format!(
            "{}#{} against {}",
            shown(&Foreign::from(target.repository.as_str())),
            target.number,
            shown(&Foreign::from(target.base.as_str()))
        ));
    }
    out.push(match record.course {
        Some(course) => format!("course {}: of that run, never resumed here", course.word()),
        None => "no course was picked".into(),
    });
    out.push(usage(record));
    if let Some(wave) = &record.wave {
        out.push(match wave.stage {
            Some(stage) => {
                format!("a pass is under way, stage {stage}: reconcile before anything is folded")
            }
            None => "no pass is under way".into(),
        });
        if let Some(checkpoint) = &wave.no_progress {
            out.push(format!(
                "stuck - no progress: {} ({})",
                shown(&checkpoint.prerequisite),
                shown(&checkpoint.observed)
            ));
        }
    }
    out
}
