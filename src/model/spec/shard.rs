//! Ledger shards of a spec tree as they are found: kinds that are known, kinds that are not, and
//! damage.

use crate::model::id::{Digest, RepoPath};
use crate::model::text::Foreign;

/// One file of a ledger.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shard {
    /// Where it lies.
    pub path: RepoPath,
    /// Its lines, blank ones left out.
    pub lines: Vec<Line>,
    /// The place of the first line whose `seq` does not count on, if any.
    pub seq_breaks: Option<u32>,
    /// Whether its name is `<cr-ref>.<6 hex>.jsonl` or one of the older names.
    pub well_named: bool,
    /// SHA-256 of the file.
    pub digest: Digest,
}

/// One line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// 1-based line.
    pub line: u32,
    /// What it says.
    pub says: Says,
}

/// What a line says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Says {
    /// A verdict at a gate.
    Gate(Gate),
    /// How far the agent may go by itself.
    Leash {
        /// `auto-none`, `auto-spec`, `auto-all`, or what was written instead.
        leash: Option<Foreign>,
        /// Whether a person set it.
        by_user: bool,
        /// The change request.
        cr: Option<Foreign>,
    },
    /// A word about a change to a frozen suite, in the form of our own lines.
    Clearance {
        /// What is said: `means`, `pre-repair-proof`, `grant`, `ceiling`.
        act: Foreign,
        /// Its value.
        is: Option<Foreign>,
        /// SHA-256 of what it was said over, in hex.
        binds: Foreign,
        /// Who, as the line claims.
        by: Option<Foreign>,
        /// Why.
        why: Option<Foreign>,
        /// The change request.
        cr: Option<Foreign>,
    },
    /// Any other kind, passed through.
    Other {
        /// The kind, empty when it has none.
        kind: Foreign,
        /// The change request.
        cr: Option<Foreign>,
    },
    /// It is no JSON object.
    Damage {
        /// Why, fit to be shown.
        why: String,
        /// Whether it may have been a verdict.
        gate: bool,
    },
}

/// A gate line.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Gate {
    /// The change request: `cr` as text or number, or `cr-ref`.
    pub cr: Option<Foreign>,
    /// `spec` or `impl`.
    pub gate: Option<Foreign>,
    /// `approve`, `pause` or `reject`.
    pub verdict: Option<Foreign>,
    /// `agent` or a name.
    pub by: Option<Foreign>,
    /// Why it was stopped.
    pub cause: Option<Foreign>,
    /// Whether a cause outside the enum was declared to be one.
    pub cause_candidate: bool,
    /// Whether a reason stands there, as text or object.
    pub why: bool,
    /// Suites frozen by it, relative to the root.
    pub frozen: Vec<Foreign>,
    /// The line that it answers, in another shard: file name and 1-based line.
    pub answers: Option<(Foreign, u32)>,
    /// The time that older lines carry.
    pub time: Option<Foreign>,
}

impl Shard {
    /// The gate lines, with their lines.
    pub fn gates(&self) -> impl Iterator<Item = (u32, &Gate)> {
        self.lines.iter().filter_map(|line| match &line.says {
            Says::Gate(gate) => Some((line.line, gate)),
            Says::Leash { .. }
            | Says::Clearance { .. }
            | Says::Other { .. }
            | Says::Damage { .. } => None,
        })
    }

    /// The damaged lines: line, why, whether it may have been a verdict.
    pub fn damage(&self) -> impl Iterator<Item = (u32, &str, bool)> {
        self.lines.iter().filter_map(|line| match &line.says {
            Says::Damage { why, gate } => Some((line.line, why.as_str(), *gate)),
            Says::Gate(_) | Says::Leash { .. } | Says::Clearance { .. } | Says::Other { .. } => {
                None
            }
        })
    }

    /// Whether a line or the name of the shard speaks of this change request.
    #[must_use]
    pub fn speaks_of(&self, cr: &Foreign) -> bool {
        let named = self.path.file_name().strip_prefix(cr.raw());
        named.is_some_and(|rest| rest.first() == Some(&b'.'))
            || self.lines.iter().any(|line| match &line.says {
                Says::Gate(gate) => gate.cr.as_ref() == Some(cr),
                Says::Leash { cr: of, .. }
                | Says::Clearance { cr: of, .. }
                | Says::Other { cr: of, .. } => of.as_ref() == Some(cr),
                Says::Damage { .. } => false,
            })
    }
}
