//! What was seen: the pinned objects that every decision is bound to.

use super::id::{Digest, Oid, RepoPath};
use super::text::Foreign;

/// The pins of a session. Two snapshots are the same only if every field is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Snapshot {
    /// The commit that the base ref names.
    pub base: Oid,
    /// The merge base of base and head; trees are compared from here.
    pub merge_base: Oid,
    /// The tree of the merge base.
    pub base_tree: Oid,
    /// The commit under review.
    pub head: Oid,
    /// Its tree.
    pub tree: Oid,
    /// SHA-256 of the contract of record; `None` while there is none.
    pub contract: Option<Digest>,
}

/// Where a change lives and what it is called.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChangeName {
    /// SHA-256 of the normalised remote URL, else of the oldest root commit, else of the common
    /// directory (rulings A12).
    pub repository: Digest,
    /// How `repository` was found.
    pub repository_by: RepositoryBy,
    /// The key of the change inside the repository: PR key, else branch name at first open.
    pub key: String,
    /// Short name of the repository for the screen (`harbor/ferry`).
    pub repository_name: Foreign,
    /// The branch under review, or `None` for a detached head.
    pub branch: Option<Foreign>,
    /// The base ref and why it was chosen.
    pub base: BaseChoice,
}

/// What the repository id was derived from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RepositoryBy {
    /// The base remote's URL.
    Remote,
    /// The oldest reachable root commit.
    Root,
    /// The common directory: not shareable.
    Folder,
}

/// The base ref and the reason it was taken (rulings A5).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BaseChoice {
    /// Its name, as given or found.
    pub name: Foreign,
    /// Why.
    pub why: BaseWhy,
}

/// Why a base ref was taken, in the order of rulings A5.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BaseWhy {
    /// `--base`.
    Flag,
    /// The pull request's base.
    PullRequest,
    /// `refs/remotes/origin/HEAD`.
    OriginHead,
    /// The only one of `origin/main`, `origin/master`, `main`, `master`.
    OnlyCandidate,
}

impl BaseWhy {
    /// The reason in one or two words, for the header.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Flag => "--base",
            Self::PullRequest => "PR",
            Self::OriginHead => "origin/HEAD",
            Self::OnlyCandidate => "only one",
        }
    }
}

/// A fact about the repository that limits what can be known; each is said on screen (GIT-7).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RepositoryNote {
    /// Shallow clone.
    Shallow,
    /// Partial clone: objects may be missing, none is fetched.
    Partial,
    /// Sparse checkout.
    Sparse,
    /// `refs/replace` exist and are ignored.
    Replaced,
    /// Grafts exist and are ignored.
    Grafts,
    /// Submodules in the tree.
    Submodules,
    /// The head is detached.
    Detached,
    /// Uncommitted changes in the worktree: the count of paths.
    Dirty(u32),
    /// A nested repository or something that looks like a bare one, at this path.
    Nested(RepoPath),
}
