//! Review threads from files: what GitHub, GitLab, Forgejo and Gitea answer, what `gh pr view`
//! prints, and our own `threads/1`. The shape of a file is recognised by a table.
//!
//! Reading is total: whatever the bytes are, threads come back, with every fault at once and
//! with how much of each channel is known to be here. Nothing is opened and nothing is asked for
//! on the net; comment text is data and is never obeyed (FRG-8).

mod cursor;
mod extent;
mod fields;
mod gather;
mod gitlab;
mod loose;
mod ours;
pub mod places;
mod pull;
mod recording;
mod rest;
mod shape;
mod strings;

use crate::model::text::Foreign;
use crate::model::thread::Threads;

use gather::Gathered;

pub use ours::SCHEMA;
pub use shape::{SHAPES, Shape, ShapeRow};

/// Largest file that is read: 20,000 comments of a forge are 60 MB.
pub const FILE_CAP: u64 = 256 << 20;

/// One file, as it was given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Input {
    /// What it holds, when the person said it (`inline=FILE`); an empty list cannot say so.
    pub holds: Option<Holds>,
    /// Its name, for faults.
    pub name: Foreign,
    /// Its bytes, or why it could not be read.
    pub bytes: Result<Vec<u8>, String>,
}

/// What a file can be said to hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Holds {
    /// Comments at lines and files.
    Inline,
    /// Reviews.
    Reviews,
    /// Comments below the description.
    Conversation,
    /// Changed files.
    Files,
    /// Commits.
    Commits,
}

impl Holds {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Inline,
        Self::Reviews,
        Self::Conversation,
        Self::Files,
        Self::Commits,
    ];

    /// The word before `=`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Inline => "inline",
            Self::Reviews => "review",
            Self::Conversation => "issue",
            Self::Files => "files",
            Self::Commits => "commits",
        }
    }
}

/// Splits `inline=FILE` into what it holds and the file. A word that is none is part of the name.
#[must_use]
pub fn prefixed(given: &str) -> (Option<Holds>, &str) {
    let Some((word, file)) = given.split_once('=') else {
        return (None, given);
    };
    match Holds::ALL.into_iter().find(|holds| holds.word() == word) {
        Some(holds) => (Some(holds), file),
        None => (None, given),
    }
}

/// Reads all files together: threads of one file complete those of another.
#[must_use]
pub fn read(inputs: &[Input]) -> Threads {
    let mut found = Gathered::default();
    for input in inputs {
        found.file(input);
    }
    found.done()
}
