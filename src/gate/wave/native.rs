//! What a worker's return is worth on a harness without a ledger: the state of the checkout
//! decides, the words of the worker can only spoil it.

use super::admission::{Facts, Reach};
use crate::model::known::{Known, Reason};
use crate::model::snapshot::SomePaths;

/// What the worker said of itself.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Said {
    /// `done`.
    Done,
    /// `open`.
    Open,
}

/// What it comes to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Native {
    /// Exactly one new commit, nothing beside it.
    Done,
    /// No new commit, nothing beside it.
    Open,
    /// Dispatch nothing further, keep everything; why, and the files.
    Stop(Vec<String>, SomePaths),
    /// It cannot be told.
    Unknown(Reason),
}

/// Judges a return.
#[must_use]
pub fn native(facts: &Facts, said: Option<Said>) -> Native {
    let residue = match &facts.residue {
        Known::Is(paths) => paths.clone(),
        Known::Unknown(why) | Known::NotApplicable(why) => return Native::Unknown(why.clone()),
        Known::NotSupplied => return Native::Unknown(Reason::new("nobody looked at the worktree")),
    };
    let mut wrong = Vec::new();
    if residue.total > 0 {
        wrong.push(format!("{} files lie beside the head", residue.total));
    }
    let made = match facts.reach {
        Known::Is(Reach::Same) => Some(Said::Open),
        Known::Is(Reach::After(1)) if facts.parents == 1 => Some(Said::Done),
        Known::Is(Reach::After(1)) => {
            wrong.push("the one new commit is a merge".into());
            None
        }
        Known::Is(Reach::After(count)) => {
            wrong.push(format!("{count} new commits, exactly one may be there"));
            None
        }
        Known::Is(Reach::Rewritten) => {
            wrong.push("the head does not descend from the one before".into());
            None
        }
        Known::Unknown(ref why) | Known::NotApplicable(ref why) => {
            return Native::Unknown(why.clone());
        }
        Known::NotSupplied => return Native::Unknown(Reason::new("nobody looked at the commits")),
    };
    match (said, made) {
        (Some(Said::Done), Some(Said::Open)) => {
            wrong.push("it says done and made no commit".into());
        }
        (Some(Said::Open), Some(Said::Done)) => {
            wrong.push("it says open and the head moved".into());
        }
        _ => {}
    }
    match made {
        Some(made) if wrong.is_empty() => match made {
            Said::Done => Native::Done,
            Said::Open => Native::Open,
        },
        _ => Native::Stop(wrong, residue),
    }
}
