//! The no-progress checkpoint of a record against what its inputs are now.

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use serde_json::{Value, json};

use super::shown;
use crate::adapters::git::regular;
use crate::cli::Context;
use crate::gate::wave::progress::{Now, Progress, compare};
use crate::model::id::Digest;
use crate::model::known::{Known, Reason};
use crate::model::text::Foreign;
use crate::model::wave::{Input, NoProgress, RunRecord};

/// What was handed in about inputs that are no files.
pub(super) struct Given<'a> {
    pub(super) command: Option<&'a str>,
    pub(super) observed: &'a [String],
}

fn checkpoint(record: Option<&RunRecord>) -> Option<&NoProgress> {
    record?.wave.as_ref()?.no_progress.as_ref()
}

/// Whether the inputs of the checkpoint changed; `None` without a checkpoint.
pub(super) fn of(
    context: &Context,
    record: Option<&RunRecord>,
    given: &Given<'_>,
) -> Option<Progress> {
    let worktree = record.and_then(|record| record.worktree.as_ref());
    let found = compare(checkpoint(record)?, |input| match input {
        Input::File(path, _) => Now::File(digest(context, worktree, path)),
        Input::Command(_) => Now::Value(value(given.command)),
        Input::Other(name, _) => {
            let pairs = given
                .observed
                .iter()
                .filter_map(|pair| pair.split_once('='));
            let mut named = pairs.filter(|(key, _)| name.raw_str() == Some(*key));
            Now::Value(value(named.next().map(|(_, value)| value)))
        }
    });
    Some(found)
}

fn value(text: Option<&str>) -> Known<Foreign> {
    text.map_or(Known::NotSupplied, |text| Known::Is(Foreign::from(text)))
}

/// Most bytes of an input.
const LIMIT: u64 = 64 << 20;

/// The digest of a file of the run's worktree.
fn digest(context: &Context, worktree: Option<&Foreign>, path: &Foreign) -> Known<Option<Digest>> {
    let top = worktree.map_or(context.dir.as_path(), |top| {
        Path::new(std::ffi::OsStr::from_bytes(top.raw()))
    });
    let path = top.join(std::ffi::OsStr::from_bytes(path.raw()));
    match regular::read(&path, LIMIT) {
        Ok(bytes) => Known::Is(bytes.map(|bytes| Digest::of(&bytes))),
        Err(error) => Known::Unknown(Reason::new(error.says())),
    }
}

/// The `progress` field.
pub(super) fn json(progress: Option<&Progress>) -> Value {
    match progress {
        None => Value::Null,
        Some(Progress::Changed(inputs)) => json!({"state": "changed", "inputs": inputs}),
        Some(Progress::Unchanged) => json!({"state": "unchanged", "inputs": []}),
        Some(Progress::Unknown(why)) => {
            json!({"state": "unknown", "inputs": [], "why": why.to_string()})
        }
    }
}

/// The line for people.
pub(super) fn line(record: Option<&RunRecord>, progress: Option<&Progress>) -> Option<String> {
    let name = shown(&checkpoint(record)?.prerequisite);
    Some(match progress? {
        Progress::Changed(inputs) => {
            format!(
                "{} changed: a new attempt at {name} is allowed",
                inputs.join(", ")
            )
        }
        Progress::Unchanged => format!("stuck - no progress: {name}; nothing of it changed"),
        Progress::Unknown(why) => format!("stuck - no progress: {name}; cannot tell: {why}"),
    })
}
