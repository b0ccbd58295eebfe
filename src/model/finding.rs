//! What earlier phases found: results of simplify and of the adherence check, and what a caller
//! says of its phases. All of it is claims of programs; only the rules make something of it.

use super::id::{Digest, RepoPath};
use super::text::Foreign;

/// The findings of one file (`findings/1`).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Findings {
    /// What simplify found, in file order.
    pub simplify: Vec<Simplify>,
    /// What the adherence check found; `None`: the file has no such part.
    pub adherence: Option<Adherence>,
}

impl Findings {
    /// The finding with this identity.
    #[must_use]
    pub fn simplify_of(&self, id: &FindingId) -> Option<&Simplify> {
        self.simplify.iter().find(|one| &one.id() == id)
    }
}

/// Names a finding of simplify by what it says, so that a decision holds for these words alone.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FindingId(pub Digest);

/// One finding of simplify.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Simplify {
    /// What it says.
    pub finding: Foreign,
    /// Whether it must be fixed.
    pub must_fix: bool,
    /// What became of it.
    pub state: SimplifyState,
    /// The file it is about.
    pub file: Option<RepoPath>,
    /// The line there, from 1.
    pub line: Option<u32>,
}

impl Simplify {
    /// Its identity: text, weight, state, rationale and place.
    #[must_use]
    pub fn id(&self) -> FindingId {
        let (state, rationale): (&[u8], &[u8]) = match &self.state {
            SimplifyState::Applied => (b"applied", b""),
            SimplifyState::NotApplied => (b"not-applied", b""),
            SimplifyState::Waived(why) => (b"waived", why.raw()),
        };
        let weight: &[u8] = if self.must_fix { b"must" } else { b"nice" };
        let line = self.line.map(|line| line.to_string()).unwrap_or_default();
        let file = self.file.as_ref().map_or(&b""[..], RepoPath::as_bytes);
        FindingId(Digest::of_fields(&[
            self.finding.raw(),
            weight,
            state,
            rationale,
            file,
            line.as_bytes(),
        ]))
    }

    /// `must-fix` or `nice-to-have`, as the source writes it.
    #[must_use]
    pub fn severity(&self) -> &'static str {
        if self.must_fix {
            "must-fix"
        } else {
            "nice-to-have"
        }
    }
}

/// What became of a finding of simplify.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SimplifyState {
    /// The change holds it.
    Applied,
    /// It does not.
    NotApplied,
    /// It was set aside, with these words; a person rules whether they hold.
    Waived(Foreign),
}

/// What the adherence check says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Adherence {
    /// Whether it says PASS.
    pub passed: bool,
    /// What it found, in file order.
    pub violations: Vec<Violation>,
}

/// A rule that the change breaks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The rule.
    pub rule: Foreign,
    /// The file that breaks it.
    pub file: Option<RepoPath>,
    /// Whether it blocks; a nit otherwise.
    pub blocking: bool,
}

/// What a caller hands over with its question (H03).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallerBundle {
    /// Who calls; `gaze` counts rounds and has phases.
    pub caller: Foreign,
    /// Whether that is gaze.
    pub gaze: bool,
    /// Its session, for the audit lines.
    pub session: Option<Foreign>,
    /// The pull request it is about.
    pub pr: Option<u64>,
    /// The ticket it is about.
    pub ticket: Option<Foreign>,
    /// Its phases 2 to 5, by number.
    pub phases: Vec<Phase>,
    /// What its run cost, where it says so.
    pub telemetry: Option<Telemetry>,
    /// Whether its workspace was left as it was found; `None` when it does not say.
    pub clean: Option<bool>,
}

/// What a caller's run cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Telemetry {
    /// Seconds on the wall.
    pub wall_s: u64,
    /// Tokens.
    pub tokens: u64,
}

/// One result of a phase.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Phase {
    /// 2 adherence, 3 review, 4 panel, 5 simplify.
    pub number: u8,
    /// How it ended.
    pub ended: PhaseEnd,
}

/// How a phase ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PhaseEnd {
    /// With a result that passes.
    Passed,
    /// With a result that does not.
    Failed,
    /// With an error.
    Error,
    /// Not in time.
    Timeout,
    /// Left out on purpose, and said so.
    Skipped,
}

impl PhaseEnd {
    /// All ends.
    pub const ALL: [Self; 5] = [
        Self::Passed,
        Self::Failed,
        Self::Error,
        Self::Timeout,
        Self::Skipped,
    ];

    /// The word in a bundle.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Passed => "pass",
            Self::Failed => "fail",
            Self::Error => "error",
            Self::Timeout => "timeout",
            Self::Skipped => "skipped",
        }
    }
}
