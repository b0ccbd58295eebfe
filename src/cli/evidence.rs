//! The EVIDENCE slot: its text (contract-gates 1.6, rulings A20) and its writing.
//!
//! The file is read and parsed again before it is written; a slot is found by criterion and
//! oracle, never by a line number that an earlier reading gave (G2). Other bytes stay as they are.
//! A failure to write is part of the result (G3).

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use serde_json::{Value, json};

use super::oracles::Site;
use super::report::Report;
use crate::adapters::contract::read;
use crate::adapters::oracle::outcome::RunDone;
use crate::adapters::oracle::sgr::{Stripped, Stripper};
use crate::gate::dossier::RunFact;
use crate::model::id::CriterionId;
use crate::model::oracle::{Captured, Ended, Interference, Oracle, Outcome};
use crate::model::text::{Foreign, Place};

/// Most characters of output in a slot.
const OUTPUT_CHARS: usize = 140;
/// Most bytes of a slot.
const SLOT_BYTES: usize = 300;

/// What became of the slots.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Slots {
    written: Vec<CriterionId>,
    discarded: Vec<(CriterionId, String)>,
    failure: Option<String>,
}

impl Slots {
    /// Whether something that should have been written was not.
    #[must_use]
    pub fn failed(&self) -> bool {
        self.failure.is_some() || !self.discarded.is_empty()
    }

    /// What a person should know.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let mut lines: Vec<_> = self
            .discarded
            .iter()
            .map(|(id, why)| format!("STALE {id}: {why}; its EVIDENCE was not written"))
            .collect();
        if let Some(why) = &self.failure {
            lines.push(format!("NOT WRITTEN: {why}"));
        }
        lines
    }

    /// The same for `floor/1`.
    #[must_use]
    pub fn json(&self) -> Value {
        let discarded: Vec<_> = self
            .discarded
            .iter()
            .map(|(id, why)| json!({"id": id.as_str(), "why": why}))
            .collect();
        json!({
            "ids": self.written.iter().map(CriterionId::as_str).collect::<Vec<_>>(),
            "discarded": discarded,
            "failure": self.failure,
        })
    }
}

/// How a run ended, in a line.
#[must_use]
pub fn words(done: &RunDone) -> String {
    let marker = match (done.marker, done.outcome) {
        (Some(at), _) if at.overwritten => " · marker found, overwritten by CR",
        (Some(_), _) => " · marker found",
        (None, _) => " · marker absent",
    };
    let seconds = done.duration_ms as f64 / 1000.0;
    let mut line = match &done.ended {
        Ended::Exited(status) => format!("exit {status} after {seconds:.1} s{marker}"),
        Ended::Signalled(signal) => format!("signal {signal} after {seconds:.1} s{marker}"),
        Ended::TimedOut => format!("stopped at its limit of {} s", limit(done)),
        Ended::Interrupted => "interrupted".into(),
        Ended::NotStarted(why) => {
            let why = Foreign::from(why.as_str()).shown(Place::Strict);
            format!("not started: {why}")
        }
    };
    for spoiled in &done.interference {
        line.push_str(&format!(" · interfered: {}", interference(spoiled)));
    }
    if !done.survivors.is_empty() {
        line.push_str(&format!(" · left {} processes", done.survivors.len()));
    }
    line
}

fn limit(done: &RunDone) -> String {
    let seconds = done.limit_ms as f64 / 1000.0;
    format!("{seconds}")
}

fn interference(spoiled: &Interference) -> String {
    match spoiled {
        Interference::Tree(paths) => {
            let paths: Vec<_> = paths
                .iter()
                .map(|p| p.shown(Place::Strict).plain())
                .collect();
            format!("tree: {}", paths.join(", "))
        }
        Interference::Overtaken { to, .. } => format!("overtaken by {}", to.short()),
        Interference::Contract => "contract".into(),
        Interference::Oracle => "oracle".into(),
        Interference::Records(what) => format!("records: {what}"),
    }
}

/// The text of a slot, or `None` when the run says nothing about its criterion.
#[must_use]
pub fn slot_text(done: &RunDone, hide: &[(String, &str)]) -> Option<String> {
    let prefix = match (&done.ended, done.outcome) {
        (Ended::NotStarted(_) | Ended::Interrupted, _) => return None,
        (Ended::TimedOut, _) => return Some(format!("NOT-MET timeout={}s", limit(done))),
        (Ended::Signalled(signal), _) => {
            format!("NOT-MET exit={} (nonzero) :: ", 128 + signal)
        }
        (Ended::Exited(0), Outcome::Met) if done.marker.is_some() => {
            "MET exit=0 marker-found :: ".into()
        }
        (Ended::Exited(0), Outcome::Met) => "MET exit=0 :: ".into(),
        (Ended::Exited(0), Outcome::Error) => {
            let spoiled: Vec<_> = done.interference.iter().map(interference).collect();
            return Some(fit("NOT-MET exit=0 interfered :: ", &spoiled.join("; ")));
        }
        (Ended::Exited(0), Outcome::NotMet) => "NOT-MET exit=0 marker-absent :: ".into(),
        (Ended::Exited(status), _) => format!("NOT-MET exit={status} (nonzero) :: "),
    };
    let output = if done.stdout.bytes > 0 {
        &done.stdout
    } else {
        &done.stderr
    };
    let mut text = plain(output);
    for (from, to) in hide {
        if from.len() > 1 {
            text = text.replace(from.as_str(), to);
        }
    }
    Some(fit(&prefix, &text))
}

/// Head and tail of an output as one line without anything a terminal obeys.
fn plain(output: &Captured) -> String {
    let mut bytes = output.head.raw().to_vec();
    bytes.extend_from_slice(output.tail.raw());
    let (mut stripper, mut stripped) = (Stripper::default(), Stripped::default());
    stripper.feed(&bytes, &mut stripped);
    stripper.finish(&mut stripped);
    for byte in &mut stripped.bytes {
        if matches!(*byte, b'\r' | b'\n' | b'\t') {
            *byte = b' ';
        }
    }
    // Only the ends are shown, so only they are made fit to be shown.
    let most = 4 * OUTPUT_CHARS * 8;
    if stripped.bytes.len() > 2 * most {
        let tail = stripped.bytes.split_off(stripped.bytes.len() - most);
        stripped.bytes.truncate(most);
        stripped.bytes.push(b' ');
        stripped.bytes.extend(tail);
    }
    let shown = Foreign::new(stripped.bytes).shown(Place::Strict).plain();
    shown
        .split(' ')
        .filter(|w| !w.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Prefix and text; of a long text head and tail.
fn fit(prefix: &str, text: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    let mut room = OUTPUT_CHARS;
    loop {
        let out = if characters.len() <= room {
            format!("{prefix}{text}")
        } else {
            let tail = (room - 1) / 2;
            let head = room - 1 - tail;
            let first: String = characters.iter().take(head).collect();
            let last: String = characters.iter().skip(characters.len() - tail).collect();
            format!("{prefix}{first}…{last}")
        };
        if out.len() <= SLOT_BYTES || room <= 8 {
            return out;
        }
        room -= 4;
    }
}

/// Writes the slots of these runs.
///
/// # Errors
/// Never for a failed write: that is in [`Slots`], because the runs took place and are recorded.
pub fn write_slots(site: &Site, ended: &[(RunFact, RunDone)]) -> Result<Slots, Report> {
    let mut slots = Slots::default();
    if ended.is_empty() || is_ticket(&site.file) {
        return Ok(slots);
    }
    let home = std::env::var("HOME").unwrap_or_default();
    let hide = [
        (site.here.worktree.display().to_string(), "."),
        (site.folders.cache.display().to_string(), "."),
        (home, "~"),
    ];
    let result = replace(&site.file, |bytes| {
        let now = read(&site.contract.path, bytes, Some(site.contract.format));
        let mut edits = Vec::new();
        for (_, done) in ended {
            let Some(text) = slot_text(done, &hide) else {
                continue;
            };
            match now.criterion(&done.criterion) {
                Some(criterion)
                    if criterion.oracle.as_ref().map(Oracle::digest) == Some(done.oracle) =>
                {
                    match &criterion.evidence {
                        Some(slot) => {
                            edits.push((slot.span.clone(), text));
                            slots.written.push(done.criterion.clone());
                        }
                        None => slots
                            .discarded
                            .push((done.criterion.clone(), "there is no EVIDENCE line".into())),
                    }
                }
                Some(_) => slots.discarded.push((
                    done.criterion.clone(),
                    "its oracle changed meanwhile".into(),
                )),
                None => slots.discarded.push((
                    done.criterion.clone(),
                    "it is gone from the contract".into(),
                )),
            }
        }
        splice(bytes, edits)
    });
    if let Err(error) = result {
        slots.written.clear();
        let name = site.contract.path.foreign().shown(Place::Strict);
        slots.failure = Some(format!("{name}: {error}"));
    }
    Ok(slots)
}

/// Ticket files are read-only for us (rulings H01).
fn is_ticket(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "erg")
}

fn splice(bytes: &[u8], mut edits: Vec<(std::ops::Range<usize>, String)>) -> Vec<u8> {
    edits.sort_by_key(|(span, _)| span.start);
    let mut out = Vec::with_capacity(bytes.len() + 300 * edits.len());
    let mut from = 0;
    for (span, text) in edits {
        let Some(kept) = bytes.get(from..span.start) else {
            continue;
        };
        out.extend_from_slice(kept);
        // `EVIDENCE:` without anything behind it has no blank either.
        if out.last() == Some(&b':') {
            out.push(b' ');
        }
        out.extend_from_slice(text.as_bytes());
        from = span.end;
    }
    out.extend_from_slice(bytes.get(from..).unwrap_or_default());
    out
}

/// Replaces a regular file by what `change` makes of it, in one step; its mode stays. Refused when
/// it is a link, not writable, or changed between reading and writing.
fn replace(path: &Path, change: impl FnOnce(&[u8]) -> Vec<u8>) -> io::Result<()> {
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let mut file = fs::File::options()
        .read(true)
        .write(true)
        .custom_flags(flags.bits() as i32)
        .open(path)?;
    let facts = file.metadata()?;
    if !facts.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let next = change(&bytes);
    if next == bytes {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut new = tempfile::Builder::new()
        .prefix(".countersign-")
        .tempfile_in(folder)?;
    new.write_all(&next)?;
    new.as_file().set_permissions(fs::Permissions::from_mode(
        facts.permissions().mode() & 0o7777,
    ))?;
    new.as_file().sync_all()?;
    if fs::read(path)? != bytes {
        return Err(io::Error::other("it changed while it was being written"));
    }
    new.persist(path).map_err(|error| error.error)?;
    fs::File::open(folder)?.sync_all()
}
