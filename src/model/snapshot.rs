//! What was seen: the pinned objects that every decision is bound to.

use super::id::{Digest, Oid, RepoPath};
use super::known::Reason;
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
    /// Objects are also read from another repository's folder.
    Alternates,
    /// Submodules in the tree.
    Submodules,
    /// The head is detached.
    Detached,
    /// Files of the worktree that differ from the head (GIT-6).
    Uncommitted(SomePaths),
    /// Files of the worktree that no commit holds.
    Untracked(SomePaths),
    /// Folders that git would take for a repository of their own (GIT-4).
    Nested(SomePaths),
    /// Names that are one file where case or the form of accents does not count (GIT-18).
    Colliding(SomePaths),
    /// Names that are not UTF-8 (GIT-8).
    NotUtf8(SomePaths),
    /// Something that could not be looked at, and why; never the same as "none".
    NotLooked(Look, Reason),
}

/// What is looked at beside the change itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Look {
    /// The files of the worktree.
    Worktree,
    /// The names in the tree of the head.
    Tree,
}

/// The first paths of many, and how many there are.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SomePaths {
    /// The first ones.
    pub first: Vec<RepoPath>,
    /// All of them; never less than `first`.
    pub total: u32,
}

impl RepositoryNote {
    /// The stable code, as in `session/1`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Shallow => "shallow",
            Self::Partial => "partial",
            Self::Sparse => "sparse",
            Self::Replaced => "replace-refs",
            Self::Grafts => "grafts",
            Self::Alternates => "alternates",
            Self::Submodules => "submodules",
            Self::Detached => "detached",
            Self::Uncommitted(_) => "uncommitted",
            Self::Untracked(_) => "untracked",
            Self::Nested(_) => "nested",
            Self::Colliding(_) => "colliding",
            Self::NotUtf8(_) => "not-utf8",
            Self::NotLooked(Look::Worktree, _) => "worktree-not-read",
            Self::NotLooked(Look::Tree, _) => "tree-not-read",
        }
    }

    /// What it means for a review, a fragment; paths and reason stand beside it.
    #[must_use]
    pub fn says(&self) -> &'static str {
        match self {
            Self::Shallow => "shallow clone: a merge base beyond its end is not provable",
            Self::Partial => "partial clone: what is missing is not fetched",
            Self::Sparse => "sparse checkout: what it leaves out is judged too",
            Self::Replaced => "replace refs are ignored",
            Self::Grafts => "grafts are ignored",
            Self::Alternates => "alternates: objects of another folder, checked by their names",
            Self::Submodules => "submodules: the commit they name is judged, not its files",
            Self::Detached => "the head is on no branch",
            Self::Uncommitted(_) => "not committed, so not what is judged",
            Self::Untracked(_) => "in no commit, so not what is judged",
            Self::Nested(_) => "like a git folder of its own; read as data, never entered",
            Self::Colliding(_) => "one file where case or accents do not count",
            Self::NotUtf8(_) => "names that are not UTF-8",
            Self::NotLooked(Look::Worktree, _) => "uncommitted files: could not look",
            Self::NotLooked(Look::Tree, _) => "names in the tree: could not look",
        }
    }

    /// The paths it is about.
    #[must_use]
    pub fn paths(&self) -> Option<&SomePaths> {
        match self {
            Self::Uncommitted(paths)
            | Self::Untracked(paths)
            | Self::Nested(paths)
            | Self::Colliding(paths)
            | Self::NotUtf8(paths) => Some(paths),
            Self::Shallow
            | Self::Partial
            | Self::Sparse
            | Self::Replaced
            | Self::Grafts
            | Self::Alternates
            | Self::Submodules
            | Self::Detached
            | Self::NotLooked(..) => None,
        }
    }

    /// Why it could not be looked at.
    #[must_use]
    pub fn reason(&self) -> Option<&Reason> {
        if let Self::NotLooked(_, why) = self {
            Some(why)
        } else {
            None
        }
    }
}
