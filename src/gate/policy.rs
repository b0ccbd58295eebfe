//! What the person's organisation may tighten (rulings A13): one table of knobs with defaults.

use crate::model::oracle::Isolation;
use crate::model::ruling::{Assurance, Verdict};

use super::verify::minor::Logins;

/// The knobs. A repository may only tighten them; `Policy::default()` is the loosest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Policy {
    /// Whether an accepted abandonment may sum to APPROVED.
    pub abandoned_counts: bool,
    /// The least assurance for a ruling of APPROVED.
    pub approve_level: Assurance,
    /// The least assurance for any other ruling.
    pub ruling_level: Assurance,
    /// Whether each decision is sealed at once, not only the ruling.
    pub seal_decisions: bool,
    /// Whether who wrote or committed a commit under review may rule on it (LED-15).
    pub allow_self: bool,
    /// The weakest isolation an oracle may run under.
    pub isolation_floor: Isolation,
    /// Whether a person may override a failing criterion at all.
    pub allow_override: bool,
    /// Milliseconds that deciding evidence must have been on screen.
    pub seen_ms: u64,
    /// Whether the author of a change may resolve review threads on their own.
    pub author_resolves: bool,
    /// Paths and globs of files that a person answers for whatever the contract says of them, in
    /// the grammar of FILE SCOPE; sorted, each once.
    pub scope_watch: Vec<String>,
    /// Paths and globs of generated and lock files: what others write needs no edge of its own,
    /// where the contract has no FILE SCOPE. Only the person's own to say; sorted, each once.
    pub scope_generated: Vec<String>,
    /// Logins whose markers count; everybody's do when there are none (A21).
    pub marker_authors: Vec<String>,
    /// Accounts on a forge that are no person's.
    pub logins: Logins,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            abandoned_counts: false,
            approve_level: Assurance::Present,
            ruling_level: Assurance::Present,
            seal_decisions: false,
            allow_self: true,
            isolation_floor: Isolation::Session,
            allow_override: true,
            seen_ms: 300,
            author_resolves: true,
            scope_watch: Vec::new(),
            scope_generated: Vec::new(),
            marker_authors: Vec::new(),
            logins: Logins::default(),
        }
    }
}

impl Policy {
    /// The least assurance that a ruling of this verdict needs to count (LED-12).
    #[must_use]
    pub fn asks(&self, verdict: Verdict) -> Assurance {
        match verdict {
            Verdict::Approved => self.approve_level,
            Verdict::Undecided
            | Verdict::Reroll
            | Verdict::Escalate
            | Verdict::Stale
            | Verdict::CouldNotMeasure => self.ruling_level,
        }
    }

    /// The stricter of two for each knob.
    #[must_use]
    pub fn tightened(&self, by: &Self) -> Self {
        let Self {
            abandoned_counts,
            approve_level,
            ruling_level,
            seal_decisions,
            allow_self,
            isolation_floor,
            allow_override,
            seen_ms,
            author_resolves,
            mut scope_watch,
            // What is generated and who is who on a forge is the person's own to say.
            scope_generated: _,
            marker_authors: _,
            logins: _,
        } = by.clone();
        scope_watch.extend(self.scope_watch.iter().cloned());
        scope_watch.sort();
        scope_watch.dedup();
        Self {
            abandoned_counts: self.abandoned_counts && abandoned_counts,
            approve_level: self.approve_level.max(approve_level),
            ruling_level: self.ruling_level.max(ruling_level),
            seal_decisions: self.seal_decisions || seal_decisions,
            allow_self: self.allow_self && allow_self,
            isolation_floor: self.isolation_floor.max(isolation_floor),
            allow_override: self.allow_override && allow_override,
            seen_ms: self.seen_ms.max(seen_ms),
            author_resolves: self.author_resolves && author_resolves,
            scope_watch,
            scope_generated: self.scope_generated.clone(),
            marker_authors: self.marker_authors.clone(),
            logins: self.logins.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The loosest and the strictest value of each knob: together they give the strictest,
    /// whoever of the two asks for it.
    #[test]
    fn a_table_of_the_repository_only_tightens() {
        let loose = Policy {
            abandoned_counts: true,
            ..Policy::default()
        };
        let strict = Policy {
            abandoned_counts: false,
            approve_level: Assurance::Touched,
            ruling_level: Assurance::Signed,
            seal_decisions: true,
            allow_self: false,
            isolation_floor: Isolation::Network,
            allow_override: false,
            seen_ms: 900,
            author_resolves: false,
            scope_watch: vec!["deploy/".into()],
            ..Policy::default()
        };
        assert_eq!(loose.tightened(&strict), strict);
        assert_eq!(strict.tightened(&loose), strict);
        assert_eq!(loose.tightened(&loose), loose);
    }
}
