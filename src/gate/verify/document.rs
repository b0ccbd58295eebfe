//! The verdict of the verify gate as one value (verify-gate 1.4): the source's fields under its
//! names, in its order. YAML, JSON and comment are renderings of it, and its counters are those of
//! its lists or nothing is printed (1.10).

mod gather;

use crate::gate::decide::Ruling;
use crate::gate::dossier::Recorded;
use crate::model::id::{Digest, RepoPath};
use crate::model::ruling::{RootCause, Verdict};
use crate::model::text::{Foreign, Place};

use super::minor::Tag;
use super::table::{Caller, Row};
use super::threads::Minors;
use super::{Status, Trigger, VerdictState};

pub use gather::document;

/// The whole of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Document {
    /// `None`: undecided, stale or not measured; never printed as one of the three.
    pub verdict: Option<Verdict>,
    /// The word beside it.
    pub state: VerdictState,
    /// The row of the table, where one decides.
    pub row: Option<Row>,
    /// The round.
    pub round: u32,
    /// Number of the request.
    pub pr: Option<u64>,
    /// The ticket's number, or the contract's name.
    pub ticket: Option<String>,
    /// Criteria in contract order.
    pub criteria: Vec<OfCriterion>,
    /// Unresolved comments, in the order of H05.
    pub comments: Vec<OfComment>,
    /// Malformed minors.
    pub malformed: Vec<OfMalformed>,
    /// Unresolved findings of simplify.
    pub simplify: Vec<OfSimplify>,
    /// Violations of adherence.
    pub adherence: Vec<OfViolation>,
    /// Every file that needs an answer, with the answer.
    pub overflow: Vec<OfFile>,
    /// The strongest remaining attack; empty while nobody ruled.
    pub rationale: String,
    /// Only beside REROLL and ESCALATE.
    pub root_cause: Option<RootCause>,
    /// Only beside REROLL.
    pub bump: Option<String>,
    /// What stands in the way, in the order of H05.
    pub reasons: Vec<String>,
    /// Triggers that fire.
    pub triggers: Vec<Trigger>,
    /// Circuit breakers.
    pub breakers: Vec<String>,
    /// Nits.
    pub nits: Vec<String>,
    /// What a person still has to decide; empty once it is ruled.
    pub undecided: Vec<String>,
    /// Abandoned criteria.
    pub abandoned: Vec<String>,
    /// Whether a partial delivery was accepted.
    pub partial: bool,
    /// Unresolved minors by tag.
    pub minors: Minors,
    /// Who asks.
    pub caller: Caller,
    /// The caller's session.
    pub session: Option<String>,
    /// The ruling it renders.
    pub ruled: Option<Recorded<Ruling>>,
    /// The trace.
    pub trace: Vec<String>,
}

/// One criterion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OfCriterion {
    /// Its id.
    pub id: String,
    /// Its text, verbatim.
    pub text: Foreign,
    /// Its status.
    pub status: Status,
    /// What it rests on, or why it does not.
    pub evidence: String,
}

/// One unresolved remark.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OfComment {
    /// Its page, else its id.
    pub reference: String,
    /// Who wrote it.
    pub author: String,
    /// Its tag.
    pub tag: Option<Tag>,
    /// Why it counts as unresolved.
    pub why: String,
    /// Whether it can stop something.
    pub blocks: bool,
    /// The trigger.
    trigger: Option<Trigger>,
    /// Its first line.
    line: String,
    malformed: bool,
    at: (RepoPath, u32),
}

/// One malformed minor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OfMalformed {
    /// Its page, else its id.
    pub reference: String,
    /// What it says, in one line.
    pub excerpt: String,
    at: (RepoPath, u32),
}

/// One unresolved finding of simplify.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OfSimplify {
    /// What it says.
    pub finding: Foreign,
    /// `must-fix` or `nice-to-have`.
    pub severity: &'static str,
    /// `NOT_APPLIED` or `WAIVED_WITHOUT_RATIONALE`; a waiver nobody ruled is open.
    pub status: &'static str,
    must_fix: bool,
    at: (RepoPath, u32),
}

/// One violation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OfViolation {
    /// The rule.
    pub rule: Foreign,
    /// The file.
    pub file: Option<RepoPath>,
    /// Whether it blocks.
    pub blocking: bool,
}

/// One file that nothing accounts for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OfFile {
    /// The file.
    pub file: RepoPath,
    /// Why it needs an answer.
    pub reason: String,
    /// `TICKETED`, `ESCALATE`, `accepted`, `declined`; `None` while nobody said.
    pub disposition: Option<&'static str>,
}

impl OfComment {
    /// Whether the source's form lists it: what is muted is not (H07).
    #[must_use]
    pub fn listed(&self) -> bool {
        self.blocks || self.tag != Some(Tag::Nofollow)
    }
}

impl OfFile {
    /// Whether the source's form lists it: what was accepted is part of the change.
    #[must_use]
    pub fn listed(&self) -> bool {
        self.disposition != Some("accepted")
    }
}

/// The counters of the comment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counters {
    /// ADDRESSED criteria, and all that count.
    pub criteria: (usize, usize),
    /// Unresolved comments that can block.
    pub review: usize,
    /// Unresolved findings of simplify.
    pub simplify: usize,
    /// Blocking violations.
    pub adherence: usize,
    /// Files, of them ticketed, of them to escalate.
    pub overflow: (usize, usize, usize),
    /// Minors.
    pub minors: Minors,
}

impl Document {
    /// The counters, from the lists.
    #[must_use]
    pub fn counters(&self) -> Counters {
        let counts = |status| self.criteria.iter().filter(|c| c.status == status).count();
        let with = |tag| {
            let tagged = self.comments.iter().filter(|c| !c.malformed);
            tagged.filter(|c| c.tag == Some(tag)).count()
        };
        let files = || self.overflow.iter().filter(|file| file.listed());
        let of = |word| {
            files()
                .filter(|file| file.disposition == Some(word))
                .count()
        };
        Counters {
            criteria: (
                counts(Status::Addressed),
                self.criteria.len() - counts(Status::Exempt),
            ),
            review: self.comments.iter().filter(|c| c.blocks).count(),
            simplify: self.simplify.len(),
            adherence: self.adherence.iter().filter(|one| one.blocking).count(),
            overflow: (files().count(), of("TICKETED"), of("ESCALATE")),
            minors: Minors {
                verifiable: with(Tag::Verifiable),
                consider: with(Tag::Consider),
                nofollow: with(Tag::Nofollow),
                malformed: self.malformed.len(),
            },
        }
    }

    /// Counts again another way and says what disagrees; nothing is printed then (1.10).
    #[must_use]
    pub fn disagreements(&self) -> Vec<String> {
        let counted = self.counters();
        let mut out = Vec::new();
        if counted.minors != self.minors {
            out.push(format!(
                "minors: the lists hold {:?}, the threads {:?}",
                counted.minors, self.minors
            ));
        }
        let fires = |trigger| self.triggers.contains(&trigger);
        let t1 = self
            .criteria
            .iter()
            .any(|one| matches!(one.status, Status::Missing));
        if self.ruled.is_some() && t1 != fires(Trigger::T1) && !self.criteria.is_empty() && t1 {
            out.push("a criterion is MISSING and T1 does not fire".to_owned());
        }
        if fires(Trigger::T6) != (counted.adherence > 0) {
            out.push("adherence: T6 and the list disagree".to_owned());
        }
        if fires(Trigger::Mm) != (counted.minors.malformed > 0) {
            out.push("minors: MM and the list disagree".to_owned());
        }
        if self.verdict == Some(Verdict::Approved) && counted.review > 0 {
            out.push("APPROVED beside an unresolved comment".to_owned());
        }
        if self.verdict == Some(Verdict::Approved) && counted.overflow.2 > 0 {
            out.push("APPROVED beside a file to escalate".to_owned());
        }
        if self.verdict == Some(Verdict::Approved)
            && (self.root_cause.is_some() || self.bump.is_some())
        {
            out.push("APPROVED carries no root cause and no bump line".to_owned());
        }
        out
    }

    /// Comments that inform and stop nothing, one line each (H07).
    #[must_use]
    pub fn considered(&self) -> Vec<String> {
        let consider = |one: &&OfComment| one.tag == Some(Tag::Consider) && !one.blocks;
        self.comments
            .iter()
            .filter(consider)
            .map(|one| format!("consider: {} {}", one.reference, one.line))
            .collect()
    }
}

/// A text in one line that begins no marker and hides nothing.
#[must_use]
pub fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    Foreign::from(words.join(" ")).shown(Place::Strict).plain()
}

/// The session id of a ruling without a caller: fixed by its entry, in the form of a UUID.
#[must_use]
pub fn session_of(ruling: &Recorded<Ruling>) -> String {
    let digest = Digest::of_fields(&[b"gate session", ruling.entry.to_string().as_bytes()]);
    let hex = digest.to_string();
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
    format!(
        "{}-{}-4{}-8{}-{}",
        part(0, 8),
        part(8, 12),
        part(13, 16),
        part(17, 20),
        part(20, 32)
    )
}
