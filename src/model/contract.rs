//! The contract a change was meant to fulfil, as read from its bytes.
//!
//! A reader keeps the byte span of everything that may later be written, so that a write is a
//! splice and never a re-rendering. Lines are 1-based; spans are byte ranges of the file.

use std::ops::Range;

pub use super::format::Format;

use super::id::{CriterionId, Digest, Oid, RepoPath};
use super::oracle::Oracle;
use super::text::Foreign;

/// What was found when a contract was looked for in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// Criteria were read.
    Found,
    /// The section holds only prose; it is one criterion a person must judge.
    Prose,
    /// The section is there and holds nothing (or only placeholders).
    Empty,
    /// No such section.
    Absent,
    /// Something that looks like a section or criteria but is not: said, never skipped.
    NearMiss,
    /// The bytes could not be read as text, or the structure is broken (unclosed fence).
    Unreadable,
}

/// How sure the reader is that the file is of its format.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Confidence {
    /// A generic reader claimed it.
    Low,
    /// Typical marks of the format.
    Medium,
    /// The format's own title or path.
    High,
}

impl Confidence {
    /// The word as printed.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// Where the bytes of a contract were read from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Source {
    /// From the merge base: the contract of record.
    Base,
    /// New in this change; the first committed version in base..head.
    FirstCommit(Oid),
    /// From the head of the change.
    Head,
    /// From a file as given on the command line.
    File,
}

/// One contract, read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contract {
    /// The file, inside the repository where there is one.
    pub path: RepoPath,
    /// Which reader read it.
    pub format: Format,
    /// How sure it is.
    pub confidence: Confidence,
    /// Why the reader claims the file, in our own words.
    pub why: String,
    /// SHA-256 of the bytes.
    pub digest: Digest,
    /// What was found.
    pub state: State,
    /// The header lines of the interview format.
    pub header: Header,
    /// `## REQUEST`, whole and verbatim.
    pub request: Option<Block>,
    /// `## CLARIFICATIONS`, one item for each question or bullet.
    pub clarifications: Vec<Block>,
    /// The criteria in file order.
    pub criteria: Vec<Criterion>,
    /// `## FILE SCOPE`, entry by entry.
    pub scope: Vec<ScopeEntry>,
    /// `ABANDON:` lines in file order, those that name no criterion included.
    pub abandonments: Vec<Abandonment>,
    /// Everything that is wrong, in line order; an error means nothing may run.
    pub complaints: Vec<Complaint>,
    /// Byte offset just after the last line of the criteria section, where an `ABANDON:` line
    /// goes; `None` where the format has no such place.
    pub abandon_at: Option<usize>,
    /// Byte offset just after the last entry of FILE SCOPE, where a `[gated]` entry goes.
    pub scope_at: Option<usize>,
}

impl Contract {
    /// The criterion with exactly this id.
    #[must_use]
    pub fn criterion(&self, id: &CriterionId) -> Option<&Criterion> {
        self.criteria.iter().find(|c| &c.id == id)
    }

    /// The complaints that refuse the whole contract.
    pub fn errors(&self) -> impl Iterator<Item = &Complaint> {
        self.complaints
            .iter()
            .filter(|c| c.severity == Severity::Error)
    }

    /// Whether no byte of it is ever written: a ticket belongs to its tracker, and a description to
    /// its forge (H01). What is decided about it stands in the ledger alone.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        let path = self.path.as_bytes();
        let below = path.starts_with(b"tickets/") || path.windows(9).any(|w| w == b"/tickets/");
        self.format == Format::PrIntent || below || path.ends_with(b".erg")
    }

    /// How many criteria carry an oracle.
    #[must_use]
    pub fn runnable(&self) -> usize {
        self.criteria.iter().filter(|c| c.oracle.is_some()).count()
    }

    /// The abandonment that names this criterion.
    #[must_use]
    pub fn abandonment(&self, id: &CriterionId) -> Option<&Abandonment> {
        self.abandonments.iter().find(|a| a.id.as_ref() == Some(id))
    }
}

/// The header bullets under the title; every field as written, trimmed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Header {
    /// The title after the dash.
    pub slug: Option<Foreign>,
    /// `date:`.
    pub date: Option<Foreign>,
    /// First word of `flow:`.
    pub flow: Option<Foreign>,
    /// What follows the first word of `flow:`.
    pub flow_note: Option<Foreign>,
    /// `branch:`, with its free text.
    pub branch: Option<Foreign>,
    /// `status:`, first word: `active`, `aborted`, or anything else.
    pub status: Option<Foreign>,
    /// `supersedes:`.
    pub supersedes: Option<Foreign>,
}

/// A run of text with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// The text, verbatim.
    pub text: Foreign,
    /// First line.
    pub line: u32,
    /// Last line.
    pub end_line: u32,
    /// Whether it carries `[gated DATE]`.
    pub gated: Vec<Gated>,
}

/// What kind of thing a criterion is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// It has an oracle.
    Runnable,
    /// A person judges it.
    Manual,
    /// A task of a task list.
    Task,
    /// A scenario.
    Scenario,
    /// Addressed to a person by its words.
    Human,
    /// A paragraph.
    Prose,
}

/// One criterion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Criterion {
    /// Its own label, else its ordinal.
    pub id: CriterionId,
    /// The whole text, wrapped lines joined by LF, attribute lines left out.
    pub text: Foreign,
    /// The line it starts on.
    pub line: u32,
    /// The last line that belongs to it, attributes included.
    pub end_line: u32,
    /// What it is.
    pub kind: Kind,
    /// State of its task box, as information only: a ticked box proves nothing.
    pub ticked: Option<bool>,
    /// The byte of the box between the brackets, where there is one.
    pub box_at: Option<usize>,
    /// CHECK and EXPECT.
    pub oracle: Option<Oracle>,
    /// The EVIDENCE slot.
    pub evidence: Option<EvidenceSlot>,
    /// `[gated DATE]` marks of its text.
    pub gated: Vec<Gated>,
    /// Marked optional by its text: listed, never blocks, never counts as met.
    pub optional: bool,
    /// Marked post-merge by its text: the same.
    pub post_merge: bool,
    /// What the contract itself says of the row (K44); the row is owed all the same.
    pub disposition: Option<Disposition>,
    /// What the text names.
    pub anchors: Anchors,
}

/// What a contract says of one of its rows (verdict-menus 3.2).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Disposition {
    /// Which.
    pub token: DispositionToken,
    /// What follows the token: why, where, or what is to be seen.
    pub says: Foreign,
    /// Its line.
    pub line: u32,
}

/// The tokens of a disposition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DispositionToken {
    /// Required as written.
    InScope,
    /// Intentionally different.
    Deviates,
    /// Elsewhere, later.
    Deferred,
    /// To be seen in an environment only.
    Venue,
    /// A row of another repository.
    Elsewhere,
}

impl DispositionToken {
    /// The token as it is written.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::InScope => "in-scope",
            Self::Deviates => "deviates",
            Self::Deferred => "deferred",
            Self::Venue => "venue",
            Self::Elsewhere => "elsewhere",
        }
    }
}

/// An `EVIDENCE:` line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EvidenceSlot {
    /// The value, trimmed.
    pub value: Foreign,
    /// Its line.
    pub line: u32,
    /// The bytes of the value (after the colon and one blank, up to the line end).
    pub span: Range<usize>,
    /// What the value claims.
    pub claim: EvidenceClaim,
}

/// What an evidence slot claims; a claim until the ledger knows the run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EvidenceClaim {
    /// `pending`, or blank.
    Pending,
    /// Starts with `MET `.
    Met,
    /// Starts with `NOT-MET`.
    NotMet,
    /// Anything else.
    Other,
}

/// A `[gated ...]` mark.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gated {
    /// The date as written (`2026-10-12`), when there is one.
    pub date: Option<Foreign>,
    /// What follows the date, trimmed of `:`, `,` and blanks.
    pub note: Foreign,
    /// Its line.
    pub line: u32,
}

/// An `ABANDON:` line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Abandonment {
    /// The criterion it names; `None` for the empty or a malformed id.
    pub id: Option<CriterionId>,
    /// The reason with its hand-off.
    pub reason: Foreign,
    /// Its line.
    pub line: u32,
    /// The bytes of the whole line, line end included.
    pub span: Range<usize>,
}

/// Paths, commands and test ids that the text of a criterion names.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Anchors {
    /// Paths (`src/x.rs`, `data/*.csv`).
    pub paths: Vec<Foreign>,
    /// Commands in code spans.
    pub commands: Vec<Foreign>,
    /// Test ids.
    pub tests: Vec<Foreign>,
}

/// One entry of FILE SCOPE.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScopeEntry {
    /// What the entry says.
    pub says: ScopeSays,
    /// The fragment as written.
    pub text: Foreign,
    /// Its line.
    pub line: u32,
    /// `[gated DATE]` marks.
    pub gated: Vec<Gated>,
    /// The annotation in parentheses, or the sub-label it stands under.
    pub note: Option<Foreign>,
}

/// The meaning of an entry of FILE SCOPE.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ScopeSays {
    /// Paths that match this glob are in scope.
    Glob(Foreign),
    /// Paths that match this glob are named as out of scope.
    Outside(Foreign),
    /// `repo-wide`, with its reason.
    RepoWide(Option<Foreign>),
    /// Not understood: shown as such, matches nothing.
    Unread,
}

/// How bad a complaint is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// The contract is refused: nothing runs, nothing is written.
    Error,
    /// Said, and the reading goes on.
    Warning,
}

/// Something wrong with a contract, with its place and what to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Complaint {
    /// How bad it is.
    pub severity: Severity,
    /// A stable code, kebab-case (`duplicate-id`).
    pub code: &'static str,
    /// Where, 1-based; 0 for the whole file.
    pub line: u32,
    /// What is wrong, already fit to be shown.
    pub message: String,
    /// What to do about it, beginning with a verb; empty when there is nothing to say.
    pub hint: String,
}

/// One way in which the change treats its own contract (G14, H27).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ContractEdit {
    /// What happened.
    pub kind: EditKind,
    /// The criterion it touches; `None` for request, scope and header.
    pub id: Option<CriterionId>,
    /// Line in the later version (in the earlier one for removals).
    pub line: u32,
    /// The bytes before.
    pub old: Option<Foreign>,
    /// The bytes after.
    pub new: Option<Foreign>,
    /// Whether the later text carries a `[gated DATE]` that the earlier lacks.
    pub gated: bool,
}

/// Kinds of contract edits, worst first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum EditKind {
    /// The whole contract is gone at head.
    ContractRemoved,
    /// REQUEST differs; it is immutable.
    RequestChanged,
    /// A criterion is gone, or was moved into a comment or a fence.
    CriterionRemoved,
    /// CHECK differs.
    CheckChanged,
    /// EXPECT differs.
    ExpectChanged,
    /// The text of a criterion differs.
    CriterionReworded,
    /// An `ABANDON:` line was added.
    AbandonAdded,
    /// An `ABANDON:` line was removed.
    AbandonRemoved,
    /// A criterion was added.
    CriterionAdded,
    /// An entry of FILE SCOPE was added.
    ScopeAdded,
    /// An entry of FILE SCOPE was removed.
    ScopeRemoved,
    /// EVIDENCE says more than `pending` where the earlier version did not.
    EvidencePrefilled,
    /// EVIDENCE differs otherwise.
    EvidenceChanged,
    /// A box was ticked.
    BoxTicked,
    /// Header or clarifications differ.
    HeaderChanged,
    /// The contract is new in this change, written by those it judges.
    NewInChange,
    /// No commit holds the contract (H36).
    Untracked,
    /// The worktree holds other bytes of it than the head (H36); they are not what is judged.
    Uncommitted,
}

/// What was read of the contract for a session: the judged version and what the change did to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ContractOfRecord {
    /// The judged version.
    pub contract: Contract,
    /// Its raw bytes.
    pub bytes: Foreign,
    /// Where they come from.
    pub source: Source,
    /// The blob, when it is in the repository.
    pub blob: Option<Oid>,
    /// The version at head, when it differs from the judged one or is the judged one.
    pub head_bytes: Option<Foreign>,
    /// What the change did to it, worst first.
    pub edits: Vec<ContractEdit>,
    /// Commits in base..head that touched the file, oldest first.
    pub touched_by: Vec<Oid>,
    /// Other contracts that could have been meant, with the reason they were not.
    pub candidates: Vec<(RepoPath, String)>,
    /// Why this one was taken.
    pub why: String,
    /// Uncommitted state of the contract file in the worktree (H36).
    pub worktree: WorktreeCopy,
}

/// What stands at the contract's path in the worktree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WorktreeCopy {
    /// The bytes of the head.
    AsHead,
    /// Other bytes than the head.
    Differs,
    /// A file that no commit holds.
    Untracked,
    /// Nothing.
    Missing,
    /// It could not be read.
    Unreadable,
}
