//! One immutable entry of the ledger.

use crate::gate::decide::{Decision, Ruling, Undo};
use crate::gate::dossier::{Assertion, RunFact};
use crate::model::id::{Digest, EntryId, Oid, RepoPath};
use crate::model::snapshot::Snapshot;

/// An entry with its place in its shard.
#[derive(Clone, PartialEq, Debug)]
pub struct Entry {
    /// Its random name.
    pub id: EntryId,
    /// The shard it stands in.
    pub shard: String,
    /// Its number in the shard, from 1, contiguous.
    pub seq: u64,
    /// SHA-256 of the line before it; for the first, of repository, change and shard
    /// ([`super::verify::origin`]).
    pub prev: Digest,
    /// Heads of other shards that its writer had read since its last entry: the only thing that
    /// orders entries of two shards (LED-16).
    pub after: Vec<Head>,
    /// What it says.
    pub body: Body,
}

/// The last line of a shard that somebody knew: an anchor, or a reference from another shard.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Head {
    /// The shard.
    pub shard: String,
    /// The number of the line.
    pub seq: u64,
    /// SHA-256 of the line, without its LF.
    pub line: Digest,
}

/// What an entry says. Only `gate::decide` makes a decision, an undo or a ruling; runs and
/// assertions have their own constructors and can never count as one.
#[derive(Clone, PartialEq, Debug)]
pub enum Body {
    /// The first entry of a shard: whose session this is and what it looked at.
    Opened(Opened),
    /// An oracle run.
    Run(RunFact),
    /// A person's decision, or one of an earlier head that they carried over: on the wire a kind of
    /// its own, `carry`, that names where it comes from.
    Decision(Decision),
    /// The taking back of one.
    Undo(Undo),
    /// An agent's own verdict: a claim.
    Assertion(Assertion),
    /// The signed end.
    Ruling(Ruling),
    /// A confirmed edit that was written.
    Edit(Edit),
    /// A signature over a line and, by the chain, over all before it.
    Seal(Seal),
    /// A ruling that was posted to a forge, on a person's pick. It decides nothing.
    Posted(Posted),
    /// An entry of a newer version: kept whole, shown as unknown, never dropped.
    Newer {
        /// Its kind.
        kind: String,
        /// Its line, verbatim.
        line: String,
    },
}

/// The opening of a shard.
#[derive(Clone, PartialEq, Debug)]
pub struct Opened {
    /// SHA-256 that names the repository.
    pub repository: Digest,
    /// Key of the change.
    pub change: String,
    /// The pins.
    pub snapshot: Snapshot,
    /// The contract that was taken.
    pub contract: Option<RepoPath>,
    /// SHA-256 of its REQUEST (H27).
    pub request: Option<Digest>,
    /// Who sat down; `None` for a tool's shard (`floor run`, `assert`).
    pub by: Option<String>,
    /// Marks of an agent in the environment or the ancestry, as a hint.
    pub agent_marks: Vec<String>,
    /// Whether who sat down wrote or committed a commit under review (LED-15).
    pub own_work: bool,
}

/// A byte-minimal edit that the person confirmed and that was written; an act of the spec gate is
/// recorded before its bytes are, and `ledger show` names both digests.
#[derive(Clone, PartialEq, Debug)]
pub struct Edit {
    /// The file.
    pub path: RepoPath,
    /// What kind (`evidence`, `abandon`, `gated`, `lift`; of the spec gate `spec-approve`,
    /// `spec-ratify`, `spec-kick-back`, `spec-change`, `spec-reject`, `spec-freeze`,
    /// `spec-unfreeze`, `spec-follow-up`, `spec-clearance`).
    pub kind: String,
    /// SHA-256 of the file before.
    pub before: Digest,
    /// SHA-256 of the file after.
    pub after: Digest,
}

/// What was posted where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Posted {
    /// The ruling.
    pub ruling: EntryId,
    /// The address of the request's page.
    pub to: String,
    /// The address of what was posted, as the forge says; empty when it does not.
    pub at: String,
    /// The head that was ruled, which the forge had as well.
    pub head: Oid,
    /// SHA-256 of the bytes.
    pub bytes: Digest,
}

/// A signature over one line of a shard ([`super::seal::message`]).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Seal {
    /// The shard of the line.
    pub shard: String,
    /// The number of the line.
    pub seq: u64,
    /// SHA-256 of the line, without its LF.
    pub line: Digest,
    /// Whose signature it claims to be.
    pub by: String,
    /// The signature, armored as `ssh-keygen -Y sign` writes it.
    pub signature: String,
}
