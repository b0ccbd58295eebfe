//! How a changed file relates to the contract.

use super::id::{CriterionId, RepoPath};
use super::text::Foreign;

/// Why a changed file is (or is not) accounted for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Trace {
    /// A criterion names it.
    Criterion(CriterionId),
    /// An entry of FILE SCOPE matches it, by this line.
    Scope(u32),
    /// It is the contract, or lies in the folder of its oracles.
    Contract,
    /// Only a `repo-wide` entry covers it, which is no edge (rulings A16).
    RepoWide,
    /// An entry names it as out of scope.
    NamedOutside(u32),
    /// Nothing claims it.
    Untraced,
}

/// Why a file stands high in the list, whatever traces it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Risk {
    /// Continuous integration or release automation.
    Ci,
    /// Permission or owner rules.
    Permission,
    /// A dependency lock file.
    Lock,
    /// A test that is gone.
    DeletedTest,
    /// The contract itself.
    Contract,
    /// Build entry points (`Makefile`, `build.rs`, `package.json`).
    Build,
    /// None of these.
    Plain,
}

/// One changed file as the scope pane lists it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScopedFile {
    /// The file.
    pub path: RepoPath,
    /// All edges, strongest first; `[Untraced]` when there is none.
    pub traces: Vec<Trace>,
    /// Its risk.
    pub risk: Risk,
    /// Whether a person has to answer for it.
    pub overflow: bool,
}

/// The result of matching FILE SCOPE against the change.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Scope {
    /// Every changed file, overflow first, then by risk, then by path.
    pub files: Vec<ScopedFile>,
    /// Entries that were not understood: line and text.
    pub unread: Vec<(u32, Foreign)>,
    /// Entries that matched no file: line and text.
    pub unmatched: Vec<(u32, Foreign)>,
}
