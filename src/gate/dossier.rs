//! Everything a judgment may rest on, gathered before the rules look at it.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::model::chain::ChainId;
use crate::model::change::{Commit, FileChange};
use crate::model::contract::ContractOfRecord;
use crate::model::finding::FindingId;
use crate::model::id::{CriterionId, Digest, EntryId, Oid, RepoPath};
use crate::model::known::{Known, Reason};
use crate::model::menu::{Message, MessageId};
use crate::model::oracle::{Ended, Interference, Isolation, MarkerAt, Outcome, RunPlace};
use crate::model::ruling::Principal;
use crate::model::scope::Scope;
use crate::model::snapshot::{ChangeName, RepositoryNote, Snapshot};
use crate::model::text::Foreign;

use super::carry::Earlier;
use super::chains::session::ChainFacts;
use super::decide::{Decision, Ruling};
use super::floor::lint::Lint;
use super::kept::Kept;
use super::request::Request;
use super::spec::sum::SpecSum;

/// The facts of one change.
#[derive(Clone, Debug)]
pub struct Dossier {
    /// What is reviewed.
    pub change: ChangeName,
    /// The pins of the session.
    pub snapshot: Snapshot,
    /// What moved since the pins were taken.
    pub moved: Known<Moved>,
    /// Earlier snapshots that this one differs from in confirmed edits alone.
    pub kept: Vec<Kept>,
    /// What is wrong with the repository's own table of settings, with lines; nothing of it
    /// counts then (A13).
    pub policy_faults: Vec<String>,
    /// Earlier heads on which people decided and that are not this one, newest first, each compared
    /// with this one.
    pub earlier: Vec<Earlier>,
    /// Facts that limit what can be known.
    pub notes: Vec<RepositoryNote>,
    /// The judged contract. `NotSupplied` = looked everywhere, there is none.
    pub contract: Known<ContractOfRecord>,
    /// Files that could be the contract while none of them is taken, with what speaks for each.
    pub candidates: Vec<(RepoPath, String)>,
    /// Oracle lints, in file order.
    pub lints: Vec<(CriterionId, Lint)>,
    /// Changed files.
    pub files: Known<Vec<FileChange>>,
    /// The files matched against FILE SCOPE.
    pub scope: Known<Scope>,
    /// The chains of the skills in the tree. `NotSupplied` = not read yet, or not asked for.
    pub chains: Known<Arc<ChainFacts>>,
    /// What the spec gate says of the head. `NotSupplied` = not read yet, or not asked for.
    pub spec: Known<Arc<SpecSum>>,
    /// Commits under review, oldest first.
    pub commits: Known<Vec<Commit>>,
    /// Recorded runs of this change, oldest first.
    pub runs: Vec<RunFact>,
    /// Decisions that stand (undone ones are gone), oldest first.
    pub decisions: Vec<Recorded<Decision>>,
    /// Decisions that contradict each other, none of which was made in the knowledge of the other
    /// (LED-17): the stricter is among `decisions`.
    pub disputes: Vec<Dispute>,
    /// Decisions that were made in the knowledge of another one, on the same thing and on a
    /// snapshot that holds as well: the later one, and the one that it replaces.
    pub replaced: Vec<(EntryId, EntryId)>,
    /// Assertions by agents that no person answered.
    pub assertions: Vec<Recorded<Assertion>>,
    /// Rulings of this change, oldest first.
    pub rulings: Vec<Recorded<Ruling>>,
    /// The state of the ledger itself.
    pub ledger: LedgerHealth,
    /// Digest of the first REQUEST that the ledger saw for this change (H27).
    pub first_request: Option<Digest>,
    /// Who sits at the terminal.
    pub who: Known<Principal>,
    /// Whether they wrote or committed a commit under review (LED-15).
    pub self_ratified: Known<bool>,
    /// The round this ruling would be.
    pub round: Known<u32>,
    /// What stands beside the repository: the request on the forge, its threads, findings of
    /// earlier phases, who calls.
    pub request: Request,
    /// Gate messages that were handed in, in the order they were given.
    pub messages: Vec<Waiting>,
    /// What the record of the run says, fit to be shown. It is read and never written.
    pub run_record: Known<Vec<String>>,
}

/// A gate message that was handed in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waiting {
    /// The file it came in.
    pub file: Foreign,
    /// As it was read.
    pub message: Arc<Message>,
    /// Whether a reply can still reach it.
    pub still: Still,
}

/// Whether a reply can still reach a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Still {
    /// It waits.
    Waits,
    /// The file is gone or holds another message by now; why, a fragment.
    Gone(String),
    /// A reply to it was delivered already.
    Delivered,
}

impl Dossier {
    /// The decisions that another one took the place of, while that one stands.
    #[must_use]
    pub fn replaced_decisions(&self) -> BTreeSet<EntryId> {
        if self.replaced.is_empty() {
            return BTreeSet::new();
        }
        let holds = |d: &&Recorded<Decision>| self.holds(d.value.snapshot());
        let here: BTreeSet<EntryId> = self
            .decisions
            .iter()
            .filter(holds)
            .map(|d| d.entry)
            .collect();
        let standing = self.replaced.iter().filter(|(by, _)| here.contains(by));
        standing.map(|(_, replaced)| *replaced).collect()
    }

    /// What people decided against each other on this subject, and nobody settled since.
    pub fn disputes_on<'a>(&'a self, subject: &'a Subject) -> impl Iterator<Item = &'a Dispute> {
        let of_it = self
            .disputes
            .iter()
            .filter(move |dispute| &dispute.subject == subject);
        of_it.filter(|dispute| !self.replaced_decisions().contains(&dispute.counts))
    }

    /// Takes up a decision that was made with everything before it known.
    pub fn decided(&mut self, decision: Recorded<Decision>) {
        let same = |d: &&Recorded<Decision>| d.value.subject() == decision.value.subject();
        let earlier = self.decisions.iter().filter(same);
        let pairs: Vec<_> = earlier.map(|d| (decision.entry, d.entry)).collect();
        self.replaced.extend(pairs);
        self.decisions.push(decision);
    }

    /// A changed file.
    #[must_use]
    pub fn file(&self, path: &RepoPath) -> Option<&FileChange> {
        let files = self.files.known()?;
        // the list stands in the order of its paths, once it is whole
        let place = files.binary_search_by(|file| file.path.cmp(path)).ok();
        let place = place.or_else(|| files.iter().position(|file| &file.path == path));
        files.get(place?)
    }

    /// Whether the list of changed files is still growing: some are here, and what they add up to
    /// is not known. A count of what is owed would be one of a part.
    #[must_use]
    pub fn still_listing(&self) -> bool {
        matches!(
            (&self.contract, &self.files, &self.scope),
            (Known::Is(_), Known::Is(_), Known::Unknown(_))
        )
    }
}

/// What differs from the pins now. All `None` means nothing moved.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Moved {
    /// The head now.
    pub head: Option<Oid>,
    /// The base now.
    pub base: Option<Oid>,
    /// The contract's digest in the worktree now.
    pub contract: Option<Digest>,
    /// Whether the worktree is gone.
    pub worktree_gone: bool,
}

impl Moved {
    /// Whether anything differs.
    #[must_use]
    pub fn any(&self) -> bool {
        self.head.is_some() || self.base.is_some() || self.contract.is_some() || self.worktree_gone
    }
}

/// Decisions on one thing that contradict each other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dispute {
    /// About what.
    pub subject: Subject,
    /// Who said what, fit to be shown, in the order of the log.
    pub says: Vec<String>,
    /// The decision that counts meanwhile.
    pub counts: EntryId,
}

/// Something that stands in the ledger, with its place there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recorded<T> {
    /// Its entry.
    pub entry: EntryId,
    /// Its number in the log that people see (1-based, over all shards of the change).
    pub number: u64,
    /// What it says.
    pub value: T,
}

/// A recorded oracle run, as far as the rules need it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunFact {
    /// Its entry.
    pub entry: EntryId,
    /// Its number in the log.
    pub number: u64,
    /// Whose oracle.
    pub criterion: CriterionId,
    /// Identity of the oracle that ran.
    pub oracle: Digest,
    /// Head it ran on.
    pub head: Oid,
    /// Tree it ran on.
    pub tree: Oid,
    /// What it says.
    pub outcome: Outcome,
    /// How it ended.
    pub ended: Ended,
    /// Where the marker was.
    pub marker: Option<MarkerAt>,
    /// What spoiled it.
    pub interference: Vec<Interference>,
    /// Descendants it left.
    pub survivors: Vec<Foreign>,
    /// The isolation in force.
    pub isolation: Isolation,
    /// Where it ran.
    pub place: RunPlace,
    /// Milliseconds.
    pub duration_ms: u64,
    /// The limit it had, milliseconds; `None` where its entry does not say.
    pub limit_ms: Option<u64>,
    /// Absolute path of the shell it ran in (K11); `None` where its entry does not say.
    pub shell: Option<String>,
    /// All bytes written to both streams.
    pub output_bytes: u64,
    /// SHA-256 of stdout and of stderr; their bytes lie in the evidence store under these names.
    pub output: [Digest; 2],
    /// The deciding lines, kept small: line number, text, whether it decides.
    pub excerpt: Vec<(u64, Foreign, bool)>,
    /// Whether the sample's own set-up made it, not a person's key.
    pub from_sample: bool,
}

/// A verdict that an agent gave itself. Never a decision.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assertion {
    /// The gate.
    pub gate: String,
    /// The subject, as given.
    pub subject: Foreign,
    /// The verdict, as given.
    pub verdict: Foreign,
    /// Why, as given.
    pub why: Foreign,
    /// The head it was said at.
    pub head: Oid,
}

/// How far the ledger can be trusted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LedgerHealth {
    /// Every line verifies and every anchor is met.
    Ok,
    /// Something is damaged; the rest is usable. The count of findings.
    Degraded(u32),
    /// Lines were changed, cut or forged. The count of findings.
    Tampered(u32),
    /// It could not be read.
    Unknown(Reason),
}

/// The thing that a decision is about.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Subject {
    /// What the change did to one part of its contract.
    ContractEdit(EditTarget),
    /// A criterion.
    Criterion(CriterionId),
    /// A changed file that nothing accounts for.
    ScopeFile(RepoPath),
    /// A chain of two skills.
    Chain(ChainId),
    /// An agent's assertion.
    Assertion(EntryId),
    /// Something that a review raised.
    Review(Raised),
    /// A gate message.
    Message(MessageId),
}

impl Dossier {
    /// The message of this name.
    #[must_use]
    pub fn message(&self, id: &MessageId) -> Option<&Waiting> {
        self.messages
            .iter()
            .find(|waiting| waiting.message.digest == id.digest && waiting.message.id() == *id)
    }
}

/// Something that a review raised. Each is named with a digest of what it said, so that a
/// decision holds for those words and for no later ones (FRG-4).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Raised {
    /// A review thread with everything that is said in it.
    Thread {
        /// The forge's id of it.
        id: Box<str>,
        /// Over its comments.
        said: Digest,
    },
    /// A finding of simplify.
    Finding(FindingId),
    /// That comments are missing; over the set of those that are here.
    Incomplete(Digest),
}

/// The part of a contract that an edit touches.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum EditTarget {
    /// The file as a whole: new in the change, or removed by it.
    Whole,
    /// REQUEST.
    Request,
    /// A criterion.
    Criterion(CriterionId),
    /// FILE SCOPE.
    Scope,
    /// Header or clarifications.
    Header,
}
