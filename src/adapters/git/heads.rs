//! Where head, base and contract stand now, to compare with the pins (GIT-10, GIT-11).

use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

use super::open::Entered;
use super::refs::Refs;
use super::{GitError, discover, regular};
use crate::model::id::Digest;

/// What to look at.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Question {
    /// The worktree.
    pub worktree: PathBuf,
    /// The base's full ref name; `None` when the base is a commit id and cannot move.
    pub base_ref: Option<ByteBuf>,
    /// The contract's path in the worktree.
    pub contract: Option<ByteBuf>,
}

/// Where things stand.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Answer {
    /// The head; `None` when it is gone (branch deleted, unborn).
    pub head: Option<[u8; 20]>,
    /// The full name of the branch.
    pub branch: Option<ByteBuf>,
    /// The base; `None` when its ref is gone, or it cannot move.
    pub base: Option<[u8; 20]>,
    /// SHA-256 of the contract in the worktree; `None` when it is not there.
    pub contract: Option<[u8; 32]>,
    /// Whether the worktree is gone or no longer leads to its repository.
    pub worktree_gone: bool,
}

/// Looks.
///
/// # Errors
/// A broken ref file.
pub fn look(question: &Question, entered: &Entered) -> Result<Answer, GitError> {
    let mut answer = Answer {
        head: None,
        branch: None,
        base: None,
        contract: None,
        worktree_gone: false,
    };
    if super::place::find(&question.worktree).is_ok_and(|p| p.worktree == entered.place.worktree) {
        entered.objects.refresh();
    } else {
        answer.worktree_gone = true;
        return Ok(answer);
    }
    let refs = Refs::new(&entered.place)?;
    match refs.head() {
        Ok(head) => {
            answer.head = Some(head.oid.0);
            answer.branch = head.branch.map(ByteBuf::from);
        }
        Err(GitError::Unborn(_) | GitError::NoRef(_)) => {}
        Err(error) => return Err(error),
    }
    if let Some(name) = &question.base_ref {
        let now = refs.exact(name)?;
        answer.base = now
            .map(|oid| entered.objects.peel(oid))
            .transpose()?
            .map(|o| o.0);
    }
    if let Some(path) = &question.contract {
        let file = question.worktree.join(std::ffi::OsStr::from_bytes(path));
        let bytes = regular::read(&file, discover::CAP).unwrap_or(None);
        answer.contract = bytes.map(|b| Digest::of(&b).0);
    }
    Ok(answer)
}
