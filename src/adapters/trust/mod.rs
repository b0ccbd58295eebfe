//! Approvals of oracles: what a person allowed to run, byte for byte (RUN-2 to RUN-7, K15).
//!
//! They live in the state folder, in a file that only the person can read. An approval is made
//! with a [`Consent`], and that can be had on the controlling terminal only: nothing in a
//! repository, an environment or a command line grants one.

mod card;
mod store;

pub use card::{CHECK_BYTES, contract_without_evidence, refusal, wrapped};
pub use store::{Approval, Approvals, Before, TrustError};

use std::os::fd::AsFd;

use super::folders::Folders;
use super::sample;
use crate::model::id::{CriterionId, Digest, Oid, RepoPath};
use crate::model::oracle::{Isolation, Oracle, RunPlace};

/// Everything that an approval binds. Any difference asks again (RUN-2).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Binding {
    /// SHA-256 that names the repository.
    pub repository: Digest,
    /// The contract.
    pub contract: RepoPath,
    /// The criterion.
    pub criterion: CriterionId,
    /// SHA-256 of the exact bytes of CHECK.
    pub command: Digest,
    /// SHA-256 of EXPECT, kind included.
    pub expect: Digest,
    /// SHA-256 of the contract with its EVIDENCE values left out
    /// ([`contract_without_evidence`]).
    pub contract_blob: Digest,
    /// The tree whose code the command runs.
    pub tree: Oid,
    /// Where it would run.
    pub place: RunPlace,
    /// Absolute path of the shell.
    pub shell: String,
    /// Names of the variables that pass, sorted.
    pub environment: Vec<String>,
    /// The wall.
    pub isolation: Isolation,
}

impl Binding {
    /// A binding of this oracle; the rest is filled in by the caller.
    #[must_use]
    pub fn of_oracle(self, oracle: &Oracle) -> Self {
        Self {
            command: oracle.command_digest(),
            expect: oracle.expect_digest(),
            ..self
        }
    }

    /// What the approval is stored under.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of_fields(&[
            b"countersign approval 1",
            &self.identity().0,
            &self.contract_blob.0,
            &self.tree.0,
        ])
    }

    /// The same without tree and contract: what stays the same at a new head (K15).
    #[must_use]
    pub fn identity(&self) -> Digest {
        Digest::of_fields(&[
            &self.repository.0,
            self.contract.as_bytes(),
            self.criterion.as_str().as_bytes(),
            &self.command.0,
            &self.expect.0,
            place_word(self.place).as_bytes(),
            self.shell.as_bytes(),
            self.environment.join("\n").as_bytes(),
            &[self.isolation.level()],
        ])
    }
}

/// The word of a place in files and JSON.
#[must_use]
pub fn place_word(place: RunPlace) -> &'static str {
    match place {
        RunPlace::Checkout => "checkout",
        RunPlace::Live => "live",
    }
}

/// The proof that a person sits at this process's controlling terminal.
#[derive(Debug)]
pub struct Consent(());

impl Consent {
    /// Looks whether every one of `ends` is the controlling terminal of this process.
    ///
    /// # Errors
    /// [`TrustError::NoTerminal`] otherwise.
    pub fn at_terminal(ends: &[&dyn AsFd]) -> Result<Self, TrustError> {
        // `tcgetsid` answers for the controlling terminal of the caller and for nothing else.
        let ours = |end: &&dyn AsFd| rustix::termios::tcgetsid(end.as_fd()).is_ok();
        if !ends.is_empty() && ends.iter().all(ours) {
            Ok(Self(()))
        } else {
            Err(TrustError::NoTerminal)
        }
    }

    /// The consent of a key script inside the built-in sample, for which nobody sits at a
    /// terminal: only for approvals below the folders that the sample brought along.
    ///
    /// # Errors
    /// [`TrustError::NoTerminal`] when these are anybody else's folders.
    pub fn in_sample(folders: &Folders) -> Result<Self, TrustError> {
        if sample::owns(folders) {
            Ok(Self(()))
        } else {
            Err(TrustError::NoTerminal)
        }
    }

    #[cfg(test)]
    fn for_test() -> Self {
        Self(())
    }
}
