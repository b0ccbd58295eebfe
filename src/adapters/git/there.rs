//! Whether a commit holds a file. Read in the child, like everything else of a repository.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

use super::GitError;
use super::open::Entered;
use crate::model::id::Oid;

/// What to look at.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Question {
    /// A folder of the repository.
    pub dir: PathBuf,
    /// The commit, or at least seven of its hex digits.
    pub commit: String,
    /// The path from the top.
    pub path: ByteBuf,
}

/// What is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Answer {
    /// Nothing of that name.
    Nothing,
    /// A file.
    File,
    /// A folder, a link or a module.
    Other,
}

/// Looks.
///
/// # Errors
/// No such commit, or a tree that cannot be read.
pub fn look(question: &Question, entered: &Entered) -> Result<Answer, GitError> {
    let objects = &entered.objects;
    let text = question.commit.to_ascii_lowercase();
    let whole = Oid::parse(&text);
    let short = || objects.by_prefix(&text).filter(|_| text.len() >= 7);
    let no_commit = || GitError::System("the repository does not hold that head".to_owned());
    let oid = whole.or_else(short).ok_or_else(no_commit)?;
    if !objects.has(oid) {
        return Err(no_commit());
    }
    let tree = objects.commit(objects.peel(oid)?)?.tree;
    Ok(match objects.entry(tree, &question.path)? {
        None => Answer::Nothing,
        Some(entry) if entry.mode & 0o170_000 == 0o100_000 => Answer::File,
        Some(_) => Answer::Other,
    })
}
