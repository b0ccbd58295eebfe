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
