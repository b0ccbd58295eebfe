//! Whether what stood in the way of a new attempt has changed (the no-progress checkpoint). Only
//! the exact failed input counts: a raised cap, another commit, an edited body or another check
//! are no inputs and cannot be handed in.

use crate::model::id::Digest;
use crate::model::known::{Known, Reason};
use crate::model::text::{Foreign, Place};
use crate::model::wave::{Input, NoProgress};

/// What an input is now.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Now {
    /// The digest of a file; `None` when it is not there.
    File(Known<Option<Digest>>),
    /// The resolved command, or the observed value.
    Value(Known<Foreign>),
}

/// Whether a new attempt is permitted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Progress {
    /// These inputs changed.
    Changed(Vec<String>),
    /// All of them are as they were.
    Unchanged,
    /// None is known to have changed, and not all are known.
    Unknown(Reason),
}

fn name(input: &Input) -> String {
    let text = match input {
        Input::File(path, _) => path,
        Input::Command(_) => return "the command".into(),
        Input::Other(name, _) => name,
    };
    text.shown(Place::Strict).plain()
}

/// Compares a checkpoint with what its inputs are now; `now` answers for each input.
#[must_use]
pub fn compare(checkpoint: &NoProgress, now: impl Fn(&Input) -> Now) -> Progress {
    let inputs = match &checkpoint.inputs {
        Known::Is(inputs) if !inputs.is_empty() => inputs,
        Known::Unknown(why) | Known::NotApplicable(why) => return Progress::Unknown(why.clone()),
        Known::Is(_) | Known::NotSupplied => {
            return Progress::Unknown(Reason::new("the checkpoint names no input"));
        }
    };
    let (mut changed, mut unknown) = (Vec::new(), Vec::new());
    for input in inputs {
        let same = match (input, now(input)) {
            (Input::File(_, old), Now::File(Known::Is(new))) => Some(*old == new),
            (Input::Command(old) | Input::Other(_, old), Now::Value(Known::Is(new))) => {
                Some(*old == new)
            }
            _ => None,
        };
        match same {
            Some(true) => {}
            Some(false) => changed.push(name(input)),
            None => unknown.push(name(input)),
        }
    }
    if !changed.is_empty() {
        Progress::Changed(changed)
    } else if unknown.is_empty() {
        Progress::Unchanged
    } else {
        Progress::Unknown(Reason::new(format!(
            "not known now: {}",
            unknown.join(", ")
        )))
    }
}
