//! A repair of the description, booked step by step (H39): what was proposed, whether head and
//! body are still the ones it was made for, whether the write arrived, whether the claim holds
//! then. Only the contributions that are claims close; a finding with others stays open.

use crate::model::known::Known;
use crate::model::wave::FindingId;

/// A proposal, by the source's names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proposal {
    /// `finding_id`.
    pub finding: FindingId,
    /// `contributor_ids`.
    pub contributors: Vec<FindingId>,
    /// Those of them that are claims of the description.
    pub claims: Vec<FindingId>,
    /// `assessed_head`.
    pub head: String,
    /// `original_body`.
    pub body: String,
    /// `old_text`.
    pub old: String,
    /// `new_text`.
    pub new: String,
    /// `replacement_body`.
    pub replacement: String,
    /// `source_evidence`.
    pub evidence: String,
}

impl Proposal {
    /// Everything that makes it none.
    #[must_use]
    pub fn faults(&self) -> Vec<&'static str> {
        let mut all = Vec::new();
        let same = |a: &str, b: &str| plain(a) == plain(b);
        if self.old.is_empty() || self.body.matches(self.old.as_str()).count() != 1 {
            all.push("old_text has to stand exactly once in original_body");
        } else if !same(
            &self.body.replacen(&self.old, &self.new, 1),
            &self.replacement,
        ) {
            all.push("replacement_body changes more than old_text to new_text");
        }
        if self.old == self.new {
            all.push("old_text and new_text are the same");
        }
        if self.evidence.trim().is_empty() {
            all.push("source_evidence says nothing");
        }
        if self.claims.iter().any(|id| !self.contributors.contains(id)) {
            all.push("a claim is none of contributor_ids");
        }
        if self.claims.is_empty() {
            all.push("no contribution is a claim, so no description can close one");
        }
        all
    }
}

/// Whether a description is what the proposal makes of it.
#[must_use]
pub fn is_replacement(proposal: &Proposal, body: &str) -> bool {
    plain(body) == plain(&proposal.replacement)
}

/// Line ends as they come from a forge do not count.
fn plain(text: &str) -> String {
    text.replace("\r\n", "\n")
}

/// Where a repair stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// Head and body are those of the proposal: the replacement may be written.
    Ready,
    /// The body is the replacement already.
    Already,
    /// Head or body are others; nothing may be written.
    Stale(&'static str),
    /// The write arrived; the claim is to be looked at again.
    Written,
    /// What was read back is not the replacement.
    Mismatch,
    /// The claim holds in the new body.
    Closed,
    /// It does not, or nobody could tell.
    Open,
    /// Nothing was compared yet.
    Proposed,
}

impl Step {
    /// The word in a document.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Already => "already",
            Self::Stale(_) => "stale",
            Self::Written => "written",
            Self::Mismatch => "mismatch",
            Self::Closed => "closed",
            Self::Open => "open",
            Self::Proposed => "proposed",
        }
    }
}

/// A step as the event log books it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Booked {
    /// It was proposed.
    Proposed,
    /// Head and body were those of the proposal.
    Ready,
    /// The body was the replacement already.
    Already,
    /// Head or body were others.
    Stale,
    /// The write arrived.
    Written,
    /// What was read back was something else.
    Mismatch,
    /// The claim held.
    Closed,
    /// It did not, or nobody could tell.
    Open,
}

impl Booked {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Proposed,
        Self::Ready,
        Self::Already,
        Self::Stale,
        Self::Written,
        Self::Mismatch,
        Self::Closed,
        Self::Open,
    ];

    /// The word in the log.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Proposed => "proposed",
            Self::Ready => "ready",
            Self::Already => "already",
            Self::Stale => "stale",
            Self::Written => "written",
            Self::Mismatch => "mismatch",
            Self::Closed => "closed",
            Self::Open => "open",
        }
    }

    /// Whether it can follow on what is booked of the same proposal: nothing is compared before it
    /// was proposed, nothing arrives before it was compared, and no claim holds before the write
    /// arrived. What is closed stays closed.
    #[must_use]
    pub fn follows(self, last: Option<Self>) -> bool {
        use Booked as B;
        match (last, self) {
            (Some(B::Closed), _) => false,
            (_, B::Proposed) => last.is_none(),
            (_, B::Ready | B::Already | B::Stale) => last.is_some(),
            (_, B::Written | B::Mismatch) => matches!(
                last,
                Some(B::Ready | B::Already | B::Written | B::Mismatch | B::Open)
            ),
            (_, B::Closed | B::Open) => matches!(last, Some(B::Written | B::Open)),
        }
    }
}

/// The steps that are still to be booked so that `at` is reached after `last`.
#[must_use]
pub fn to_book(last: Option<Booked>, at: &Step, already: bool) -> Vec<Booked> {
    let ready = if already {
        Booked::Already
    } else {
        Booked::Ready
    };
    let path: &[Booked] = match at {
        Step::Proposed => &[],
        Step::Ready => &[Booked::Ready],
        Step::Already => &[Booked::Already],
        Step::Stale(_) => &[Booked::Stale],
        Step::Written => &[ready, Booked::Written],
        Step::Mismatch => &[ready, Booked::Mismatch],
        Step::Closed => &[ready, Booked::Written, Booked::Closed],
        Step::Open => &[ready, Booked::Written, Booked::Open],
    };
    let mut out = Vec::new();
    if last.is_none() {
        out.push(Booked::Proposed);
    }
    // what the log holds of the way is not booked again
    let done = path.iter().rposition(|step| Some(*step) == last);
    out.extend(path.iter().skip(done.map_or(0, |at| at + 1)));
    out
}

/// What was observed, as far as the repair went.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Observed {
    /// Head and body right before the write.
    pub fresh: Option<(String, String)>,
    /// The body read back after it.
    pub readback: Option<String>,
    /// Whether the claim holds by its source in the new body.
    pub claim: Known<bool>,
}

/// The step that was reached. Each needs the one before it: a claim that holds without a write
/// that arrived closes nothing.
#[must_use]
pub fn step(proposal: &Proposal, observed: &Observed) -> Step {
    let Some((head, body)) = &observed.fresh else {
        return Step::Proposed;
    };
    if !head.eq_ignore_ascii_case(&proposal.head) {
        return Step::Stale("the head moved since the proposal");
    }
    let arrived = |text: &str| plain(text) == plain(&proposal.replacement);
    let ready = match body {
        body if plain(body) == plain(&proposal.body) => Step::Ready,
        body if arrived(body) => Step::Already,
        _ => return Step::Stale("the description is another one than was proposed for"),
    };
    match &observed.readback {
        None => ready,
        Some(text) if !arrived(text) => Step::Mismatch,
        Some(_) => match observed.claim {
            Known::Is(true) => Step::Closed,
            Known::NotSupplied => Step::Written,
            _ => Step::Open,
        },
    }
}

/// What closes and what stays open of the finding, each contribution under its own id.
#[must_use]
pub fn contributions(proposal: &Proposal, step: &Step) -> (Vec<FindingId>, Vec<FindingId>) {
    let all = proposal.contributors.iter().copied();
    all.partition(|id| *step == Step::Closed && proposal.claims.contains(id))
}
