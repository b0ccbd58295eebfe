//! The books of a fix wave: findings, work items, rows, decision lines, the run record.
//!
//! Wire tokens (`open`, `pending:`, `deliver-nits`) are the source's, byte for byte.

use std::fmt;

use super::contract::{Complaint, Severity};
use super::id::Oid;
use super::known::Known;
use super::text::Foreign;

/// Most characters of one slot of a decision line.
pub const SLOT_CHARS: usize = 200;

/// Which list an id belongs to. Ids are minted once and never reused.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Namespace {
    /// `P`: a blocker or nit on code, a claim or a check.
    Finding,
    /// `L`: a gap against the contract, doc drift, scope creep.
    Contract,
    /// `R`: an item of a selected prior review.
    Prior,
    /// `C`: a comment.
    Comment,
    /// `F`: a reviewer's own number inside one report.
    Native,
}

impl Namespace {
    /// Every namespace.
    pub const ALL: [Self; 5] = [
        Self::Finding,
        Self::Contract,
        Self::Prior,
        Self::Comment,
        Self::Native,
    ];

    /// The letter before the number.
    #[must_use]
    pub fn letter(self) -> char {
        match self {
            Self::Finding => 'P',
            Self::Contract => 'L',
            Self::Prior => 'R',
            Self::Comment => 'C',
            Self::Native => 'F',
        }
    }
}

/// An id such as `P4`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FindingId {
    /// The list.
    pub namespace: Namespace,
    /// The number, from 1.
    pub number: u32,
}

impl FindingId {
    /// Reads `P4`: one letter and a decimal without sign or leading zero.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut letters = text.chars();
        let first = letters.next()?;
        let namespace = Namespace::ALL.into_iter().find(|n| n.letter() == first)?;
        let number = ordinal(letters.as_str())?;
        Some(Self { namespace, number })
    }

    /// Whether it may stand in a derived spec: `P` and `L` only.
    #[must_use]
    pub fn is_work(self) -> bool {
        matches!(self.namespace, Namespace::Finding | Namespace::Contract)
    }
}

impl fmt::Display for FindingId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.namespace.letter(), self.number)
    }
}

/// A positive decimal without sign or leading zero.
#[must_use]
pub fn ordinal(text: &str) -> Option<u32> {
    count(text).filter(|number| *number > 0)
}

/// A decimal without sign or leading zero; `0` counts.
#[must_use]
pub fn count(text: &str) -> Option<u32> {
    let plain = text.bytes().all(|b| b.is_ascii_digit()) && !text.is_empty();
    let led = text.len() > 1 && text.starts_with('0');
    (plain && !led).then(|| text.parse().ok()).flatten()
}

/// Where a row stands in the ledger.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RowStatus {
    /// Nothing was admitted or missed yet.
    Open,
    /// A result was admitted and awaits, or passed, its reviewer.
    Done,
    /// The last attempt failed, missed, or was reopened.
    Failed,
}

impl RowStatus {
    /// Every status.
    pub const ALL: [Self; 3] = [Self::Open, Self::Done, Self::Failed];

    /// The token in the table.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Done => "done",
            Self::Failed => "failed",
        }
    }

    /// Reads the token.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.word() == text)
    }
}

/// One row of the ledger.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// Its ordinal, from 1; row n is work item n.
    pub number: u32,
    /// Where it stands.
    pub status: RowStatus,
    /// Attempts so far.
    pub attempts: u32,
    /// The evidence cell, escapes resolved.
    pub evidence: Foreign,
    /// 1-based line; 0 when it is not from a file.
    pub line: u32,
}

/// A line below `## Decisions`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DecisionLine {
    /// The row it speaks of.
    pub row: u32,
    /// What it says.
    pub says: DecisionSays,
    /// The line as it stands.
    pub text: Foreign,
    /// 1-based line; 0 when it is not from a ledger.
    pub line: u32,
}

/// The three kinds of decision lines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DecisionSays {
    /// `row k done | .. | ..` or `row k failed | .. | ..`.
    Result {
        /// `done`, else `failed`.
        done: bool,
        /// The first slot.
        first: String,
        /// The second slot; may open with `needs ` or `contract exception: `.
        second: String,
    },
    /// `row n escalated | implModel round | allowed attempts a`.
    Escalated {
        /// The allowance it names.
        allowance: u32,
    },
    /// `row n reopened | review: ids - why | why`.
    Reopened {
        /// The unresolved ids.
        ids: Vec<FindingId>,
        /// Why, in short.
        why: String,
        /// The reviewer's why.
        reviewer: String,
    },
}

/// Where a failed decision sends its row.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Route {
    /// The second slot opens with `needs <what>`.
    Needs,
    /// The second slot opens with `contract exception: <why>`.
    ContractException,
}

impl Route {
    /// The token in JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Needs => "needs",
            Self::ContractException => "contract-exception",
        }
    }
}

impl DecisionSays {
    /// Where it sends the row: only a failed result has a route.
    #[must_use]
    pub fn route(&self) -> Option<Route> {
        match self {
            Self::Result {
                done: false,
                second,
                ..
            } => route_of(second),
            Self::Result { .. } | Self::Escalated { .. } | Self::Reopened { .. } => None,
        }
    }
}

fn route_of(slot: &str) -> Option<Route> {
    let opens = |word: &str| {
        slot.strip_prefix(word)
            .is_some_and(|r| !r.trim().is_empty())
    };
    if opens("needs ") {
        Some(Route::Needs)
    } else if opens("contract exception:") {
        Some(Route::ContractException)
    } else {
        None
    }
}

/// A dispatch whose result was not taken up yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pending {
    /// The row.
    pub row: u32,
    /// The head before the dispatch.
    pub head_before: Oid,
}

/// The findings ledger of one run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ledger {
    /// Path of the derived spec.
    pub spec: Foreign,
    /// The diff base of the workers.
    pub base: Option<Oid>,
    /// The whole verification command; `None` for the word `none`.
    pub verification: Option<Foreign>,
    /// Dispatches so far.
    pub iterations: u32,
    /// Attempts that each row may use.
    pub allowance: u32,
    /// The dispatch under way.
    pub pending: Option<Pending>,
    /// Rows in order.
    pub rows: Vec<Row>,
    /// Decision lines in order.
    pub decisions: Vec<DecisionLine>,
    /// What is wrong with it.
    pub complaints: Vec<Complaint>,
}

impl Ledger {
    /// Whether nothing is wrong with it that would make its books unusable.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        sound(&self.complaints)
    }

    /// A row by its ordinal.
    #[must_use]
    pub fn row(&self, number: u32) -> Option<&Row> {
        let at = usize::try_from(number.checked_sub(1)?).ok()?;
        self.rows.get(at).filter(|row| row.number == number)
    }
}

/// Whether there is no error among the complaints.
#[must_use]
pub fn sound(complaints: &[Complaint]) -> bool {
    complaints.iter().all(|c| c.severity != Severity::Error)
}

/// One acceptance criterion of the derived spec: what one row has to close.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WorkItem {
    /// Every id that has to be resolved.
    pub ids: Vec<FindingId>,
    /// Whether it is the batch of nits.
    pub nits: bool,
    /// The evidence pack, or the nits as they stand.
    pub text: Foreign,
    /// Each nit with its text; empty for a finding.
    pub parts: Vec<(FindingId, Foreign)>,
    /// 1-based line.
    pub line: u32,
}

/// The derived spec of one run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DerivedSpec {
    /// `owner/repo` of its title.
    pub repository: Foreign,
    /// Number of the pull request.
    pub number: u32,
    /// Lines of the scope, 1-based and half-open.
    pub scope: std::ops::Range<u32>,
    /// Headings inside the scope that look like the section of work items; 1-based lines.
    pub decoys: Vec<u32>,
    /// The work items in order; item n is row n.
    pub items: Vec<WorkItem>,
    /// What is wrong with it.
    pub complaints: Vec<Complaint>,
}

/// What a person picked for a run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Course {
    /// Judge and speak.
    Assess,
    /// Get it mergeable.
    Deliver,
    /// The same, with the nits.
    DeliverNits,
}

impl Course {
    /// Every course.
    pub const ALL: [Self; 3] = [Self::Assess, Self::Deliver, Self::DeliverNits];

    /// The stored word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Assess => "assess",
            Self::Deliver => "deliver",
            Self::DeliverNits => "deliver-nits",
        }
    }
}

/// The pull request that a record belongs to. An identity, never an authority.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target {
    /// `owner/repo`, compared in lower case.
    pub repository: String,
    /// Number of the pull request.
    pub number: u32,
    /// Exact name of the base branch.
    pub base: String,
}

/// Rounds or syncs: how many were used, and how many may be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Account {
    /// Used so far; never reset.
    pub used: Known<u32>,
    /// The cap, frozen at the first pick of a course.
    pub cap: Known<u32>,
}

/// What stands in the way of a new attempt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoProgress {
    /// What failed.
    pub prerequisite: Foreign,
    /// Its value when it failed.
    pub observed: Foreign,
    /// Path of the result.
    pub result: Foreign,
    /// The inputs whose change permits a new attempt; unknown when the record names none.
    pub inputs: Known<Vec<Input>>,
}

/// One input of a failed prerequisite.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Input {
    /// A file and the SHA-256 of its bytes; `None` when it was not there.
    File(Foreign, Option<super::id::Digest>),
    /// A resolved command.
    Command(Foreign),
    /// Anything else that was observed, by name and value.
    Other(Foreign, Foreign),
}

/// The wave part of a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WaveRecord {
    /// `apply`, `review` or `push`; `None` when the pass is settled.
    pub stage: Option<&'static str>,
    /// Where the round starts.
    pub round_start_head: Option<Oid>,
    /// Whether the pass was charged.
    pub counted: bool,
    /// Ids that this wave took up.
    pub selected: Vec<FindingId>,
    /// Paths of derived spec and ledger, once created.
    pub artifacts: Option<(Foreign, Foreign)>,
    /// The checkpoint.
    pub no_progress: Option<NoProgress>,
}

/// The continuation record of one run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunRecord {
    /// Whose it is.
    pub target: Option<Target>,
    /// Its worktree.
    pub worktree: Option<Foreign>,
    /// What was picked.
    pub course: Option<Course>,
    /// Rounds.
    pub rounds: Account,
    /// Syncs.
    pub syncs: Account,
    /// The wave.
    pub wave: Option<WaveRecord>,
    /// The head that was assessed.
    pub assessed_head: Option<Oid>,
    /// What is wrong with it.
    pub complaints: Vec<Complaint>,
}

impl RunRecord {
    /// Whether nothing is wrong with it.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        sound(&self.complaints)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_one_letter_and_a_plain_number() {
        let rows = [
            ("P1", Some("P1")),
            ("L20", Some("L20")),
            ("P0", None),
            ("P01", None),
            ("P", None),
            ("X1", None),
            ("p1", None),
            ("P+1", None),
            ("P1 ", None),
            ("P4294967296", None),
        ];
        for (text, wanted) in rows {
            let got = FindingId::parse(text).map(|id| id.to_string());
            assert_eq!(got.as_deref(), wanted, "{text}");
        }
    }

    #[test]
    fn only_a_failed_result_has_a_route() {
        let result = |done, second: &str| DecisionSays::Result {
            done,
            first: "x".into(),
            second: second.into(),
        };
        let rows = [
            (result(false, "needs a token"), Some(Route::Needs)),
            (result(false, "needs "), None),
            (result(false, "needless"), None),
            (
                result(false, "contract exception: wider scope"),
                Some(Route::ContractException),
            ),
            (result(false, "contract exception:"), None),
            (result(true, "needs a token"), None),
        ];
        for (says, wanted) in rows {
            assert_eq!(says.route(), wanted, "{says:?}");
        }
    }
}
