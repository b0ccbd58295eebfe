//! Writing the EVIDENCE slots of the runs of `floor run`; their text is [`evidence::value`].
//!
//! The file is read and parsed again before it is written; a slot is found by criterion and
//! oracle, never by a line number that an earlier reading gave (G2). Other bytes stay as they are.
//! A failure to write is part of the result (G3).

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use serde_json::{Value, json};

use super::contract::file;
use super::oracles::Site;
use crate::adapters::contract::read;
use crate::adapters::oracle::outcome::RunDone;
use crate::adapters::splice::evidence::interference;
use crate::adapters::splice::{self, evidence};
use crate::gate::dossier::RunFact;
use crate::model::contract::Criterion;
use crate::model::id::CriterionId;
use crate::model::oracle::{Ended, Oracle};
use crate::model::text::{Foreign, Place};

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

/// What a run printed, as far as it is kept: stdout, then stderr.
fn printed(done: &RunDone) -> Vec<u8> {
    let parts = [&done.stdout, &done.stderr].map(|stream| [&stream.head, &stream.tail]);
    let mut out = Vec::new();
    for part in parts.iter().flatten() {
        out.extend_from_slice(part.raw());
        out.push(b' ');
    }
    out
}

/// Writes the slots of these runs.
#[must_use]
pub fn write_slots(site: &Site, ended: &[(RunFact, RunDone)]) -> Slots {
    let mut slots = Slots::default();
    // Ticket files are read-only for us (rulings H01).
    if ended.is_empty() || site.contract.path.is_ticket() {
        return slots;
    }
    if let Err(error) = put(site, ended, &mut slots) {
        slots.written.clear();
        let name = site.contract.path.foreign().shown(Place::Strict);
        slots.failure = Some(format!("{name}: {error}"));
    }
    slots
}

fn put(site: &Site, ended: &[(RunFact, RunDone)], slots: &mut Slots) -> Result<(), String> {
    let hide = evidence::machine_words(&site.here.worktree, &site.folders);
    let given = file::given(Path::new("/"), &site.file).map_err(|report| report.message)?;
    let now = read(
        &site.contract.path,
        &given.bytes,
        Some(site.contract.format),
    );
    let standing: BTreeMap<_, _> = now.criteria.iter().map(|c| (&c.id, c)).collect();
    let mut values = Vec::new();
    for (fact, done) in ended {
        let id = &done.criterion;
        let limit = Some(done.limit_ms);
        let Some(text) = evidence::value(fact, limit, &printed(done), &hide) else {
            continue;
        };
        let found = standing.get(id);
        let same = |c: &&Criterion| c.oracle.as_ref().map(Oracle::digest) == Some(done.oracle);
        let why = match found {
            Some(criterion) if same(criterion) && criterion.evidence.is_some() => {
                slots.written.push(id.clone());
                values.push((id.clone(), text));
                continue;
            }
            Some(criterion) if same(criterion) => "there is no EVIDENCE line",
            Some(_) => "its oracle changed meanwhile",
            None => "it is gone from the contract",
        };
        slots.discarded.push((id.clone(), why.into()));
    }
    if values.is_empty() {
        return Ok(());
    }
    let planned =
        splice::plan_evidence(&given.bytes, &now, &values).map_err(|error| error.to_string())?;
    let (Some(folder), Some(name)) = (site.file.parent(), site.file.file_name()) else {
        return Err("it has no name".into());
    };
    splice::write::write(folder, name.as_bytes(), planned.before, &planned.after)
        .map_err(|error| error.to_string())
}
