//! Carry-over: which decisions of an earlier head a person is offered to take over, and why not
//! the others (choices.md, Carry-over; reliability GIT-12). Nothing is carried by itself: an offer
//! becomes a decision by [`super::decide::carry`] alone, and counts as carried from then on.

mod offer;
mod reads;

use crate::model::id::{Oid, RepoPath};
use crate::model::known::Known;
use crate::model::snapshot::Snapshot;
use crate::model::text::Foreign;

use super::standing::Proof;

pub(super) use offer::offers;
pub use offer::{Offer, named};
pub use reads::{Reads, reads};

/// An earlier head on which people decided, against this one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Earlier {
    /// What was looked at then.
    pub snapshot: Snapshot,
    /// What became of the change since; unknown where it could not be compared.
    pub between: Known<Between>,
}

/// What lies between the change as it was and the change as it is, from objects alone: a rewritten
/// history and a moved base make no difference.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Between {
    /// Changed then, and now as at the base.
    pub gone: Vec<RepoPath>,
    /// Changed now and not then, or changed otherwise.
    pub changed: Vec<RepoPath>,
    /// Files that the base itself changed, the first of them.
    pub base: Vec<RepoPath>,
    /// How many those are.
    pub base_total: u32,
    /// Of the files that oracles name ([`named`]): those that are the same on both trees.
    pub same: Vec<RepoPath>,
    /// The commits of both: those that are gone, then those of now, each beside the one that does
    /// the same.
    pub commits: Known<Vec<Pair>>,
}

impl Default for Between {
    fn default() -> Self {
        Self {
            gone: Vec::new(),
            changed: Vec::new(),
            base: Vec::new(),
            base_total: 0,
            same: Vec::new(),
            commits: Known::NotSupplied,
        }
    }
}

impl Between {
    /// The commits of both, as far as they are known.
    #[must_use]
    pub fn pairs(&self) -> &[Pair] {
        self.commits.known().map_or(&[], Vec::as_slice)
    }
}

/// One line of the comparison of two ranges of commits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pair {
    /// The commit then.
    pub then: Option<Oid>,
    /// The commit now.
    pub now: Option<Oid>,
    /// Whether both change the same.
    pub same: bool,
    /// Its first line.
    pub subject: Foreign,
}

/// What an earlier decision does, as far as carrying it over is concerned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Does {
    /// It says that evidence shows it.
    Ratifies,
    /// It says that the thing does not apply.
    Exempts,
    /// It needs nothing but the change that it is about: it takes away, or it answers for a file,
    /// an edit, a comment.
    Answers,
    /// It was made without or against the evidence, or names what only the earlier head has.
    Bound,
}

impl Does {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Ratifies, Self::Exempts, Self::Answers, Self::Bound];
}

/// What became of the part of the change that a decision was made on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// It adds and removes the same lines.
    Same,
    /// It changes otherwise now.
    Changed,
    /// Something of the change is gone.
    Gone,
    /// It could not be compared.
    Unknown,
}

impl Part {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Same, Self::Changed, Self::Gone, Self::Unknown];
}

/// What is known of the files that the oracle of a criterion reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inputs {
    /// They are the same as in its passing run.
    Same,
    /// One of them is another.
    Other,
    /// Nobody can tell which they are.
    Unknown,
}

impl Inputs {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Same, Self::Other, Self::Unknown];
}

/// Everything that an offer rests on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Case {
    /// What the decision does.
    pub does: Does,
    /// Whether people contradicted each other on it.
    pub disputed: bool,
    /// Whether the judged contract is the same, byte for byte.
    pub contract: bool,
    /// Whether its oracle is the same, byte for byte; true where there is none.
    pub oracle: bool,
    /// The part of the change that it was made on.
    pub part: Part,
    /// What the oracle says of the tree now.
    pub proof: Proof,
    /// What the oracle reads.
    pub inputs: Inputs,
}

/// Whether a decision may be carried over, or what stands in the way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Carries {
    /// It may; its old run, where it has one, counts for this tree as well.
    Offered,
    /// It may: the oracle passed on this tree too.
    RanHere,
    /// People contradicted each other on it.
    Disputed,
    /// It belongs to its own head.
    Bound,
    /// Another contract.
    Contract,
    /// Another oracle.
    Oracle,
    /// Something that it was made on is gone.
    Gone,
    /// What it was made on changed.
    Changed,
    /// The two heads could not be compared.
    NotCompared,
    /// The oracle fails on this tree.
    Failing,
    /// The oracle could not be measured on this tree.
    Error,
    /// The run read what is another file now.
    ReadsOther,
    /// Nobody can tell whether the run read what changed.
    MayRead,
    /// A rule closes the item itself.
    Closed,
}

impl Carries {
    /// Whether it is offered.
    #[must_use]
    pub fn is_offered(self) -> bool {
        matches!(self, Self::Offered | Self::RanHere)
    }
}

/// The table: the first thing in the way decides.
#[must_use]
pub fn carries(case: Case) -> Carries {
    if case.disputed {
        return Carries::Disputed;
    }
    if case.does == Does::Bound {
        return Carries::Bound;
    }
    if !case.contract {
        return Carries::Contract;
    }
    if !case.oracle {
        return Carries::Oracle;
    }
    match case.part {
        Part::Gone => return Carries::Gone,
        Part::Changed => return Carries::Changed,
        Part::Unknown => return Carries::NotCompared,
        Part::Same => {}
    }
    if case.does == Does::Answers {
        return Carries::Offered;
    }
    match (case.proof, case.does) {
        (Proof::NotMet, _) => Carries::Failing,
        (Proof::Error, _) => Carries::Error,
        (Proof::Met, Does::Ratifies) => Carries::RanHere,
        (Proof::Met, _) | (Proof::Manual, _) | (Proof::NotRun, Does::Exempts) => Carries::Offered,
        (Proof::NotRun, _) => match case.inputs {
            Inputs::Same => Carries::Offered,
            Inputs::Other => Carries::ReadsOther,
            Inputs::Unknown => Carries::MayRead,
        },
    }
}
