//! Courses: what a person picks for a whole run, what the exit check stops at, and the menus of
//! both. A course is picked once; later picks may change it, nothing picks it for a person.

use super::checks::{Effect, effect};
use super::facts::{Facts, MergeState};
use super::menu::{NotOffered, wave};
use crate::model::known::Known;
use crate::model::text::{Foreign, Place};
use crate::model::wave::{Account, Course};

/// Where a course is picked or changed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Template {
    /// The report of an open pull request, no course yet.
    Initial,
    /// The exit check found what only a person can move.
    Obstacle,
    /// `assess` is done.
    AssessTerminal,
    /// A worker needs another scope.
    ContractException,
}

impl Template {
    /// Every template.
    pub const ALL: [Self; 4] = [
        Self::Initial,
        Self::Obstacle,
        Self::AssessTerminal,
        Self::ContractException,
    ];

    /// The word in a file of facts.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Initial => "initial",
            Self::Obstacle => "obstacle",
            Self::AssessTerminal => "assess-terminal",
            Self::ContractException => "contract-exception",
        }
    }
}

/// A row of such a menu.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "`Pick::words` says each")]
pub enum Pick {
    Assess,
    Deliver,
    DeliverNits,
    Amend,
    ShowEvidence,
    Stop,
}

impl Pick {
    /// Every row.
    pub const ALL: [Self; 6] = [
        Self::Assess,
        Self::Deliver,
        Self::DeliverNits,
        Self::Amend,
        Self::ShowEvidence,
        Self::Stop,
    ];

    /// Label, and what follows without another question.
    #[must_use]
    pub fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Assess => (
                "assess",
                "verify, review and say so once; nothing is changed",
            ),
            Self::Deliver => (
                "deliver",
                "sync, fix every open blocker, review, push and watch, until ready or stuck",
            ),
            Self::DeliverNits => ("deliver-nits", "the same, and the nits with it"),
            Self::Amend => (
                "amend",
                "change the contract as asked; other work goes on meanwhile",
            ),
            Self::ShowEvidence => ("show evidence", "print what the verdict rests on"),
            Self::Stop => ("stop", "leave it as it is; the checkout stays"),
        }
    }
}

/// What a pick does to the course of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct After {
    /// The course then.
    pub course: Option<Course>,
    /// Whether both caps rise, each by twice `maxFixRounds`.
    pub buys: bool,
}

/// What a pick at a menu does.
///
/// # Errors
/// Why the pick is none there.
pub fn after(course: Option<Course>, at: Template, pick: Pick) -> Result<After, &'static str> {
    let set = |course, buys| {
        Ok(After {
            course: Some(course),
            buys,
        })
    };
    let keep = Ok(After {
        course,
        buys: false,
    });
    match (at, pick) {
        (_, Pick::ShowEvidence | Pick::Stop) => keep,
        (Template::Initial, _) if course.is_some() => Err("the course was picked before"),
        (Template::Initial, Pick::Assess) => set(Course::Assess, false),
        (Template::Initial, Pick::Deliver) => set(Course::Deliver, false),
        (Template::Initial, Pick::DeliverNits) => set(Course::DeliverNits, false),
        (Template::Obstacle | Template::AssessTerminal | Template::ContractException, _)
            if course.is_none() =>
        {
            Err("no course was picked yet")
        }
        (Template::Obstacle, Pick::Deliver) if course == Some(Course::DeliverNits) => {
            set(Course::DeliverNits, true)
        }
        (Template::Obstacle, Pick::Deliver) => set(Course::Deliver, true),
        (Template::Obstacle, Pick::Assess) => set(Course::Assess, false),
        (Template::AssessTerminal, _) if course != Some(Course::Assess) => {
            Err("the course is not assess")
        }
        (Template::AssessTerminal, Pick::Deliver) => set(Course::Deliver, false),
        (Template::ContractException, Pick::Amend) => keep,
        _ => Err("this menu has no such row"),
    }
}

/// A check that stayed red.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Red {
    /// Its name.
    pub check: Foreign,
    /// Whether it was red before, with no pushed repair commit in between. A head that only moved
    /// repairs nothing.
    pub twice: bool,
    /// Whether there is a log of the failure or a lead in the source.
    pub lead: bool,
    /// Whether its one run again was asked for already.
    pub rerun: bool,
}

/// What the exit check looks at beside the facts of the gate.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Found {
    /// The run record is missing, malformed, unreadable or of another pull request.
    pub record_bad: bool,
    /// Red checks.
    pub reds: Vec<Red>,
    /// What a worker needs.
    pub needs: Option<Foreign>,
    /// The wider scope that a worker asks for.
    pub contract_exception: Option<Foreign>,
    /// The prerequisite that did not change.
    pub no_progress: Option<Foreign>,
    /// What the guard of the fix rounds said.
    pub guard: Option<Foreign>,
    /// The model for an escalated attempt is not there.
    pub no_model: bool,
    /// The row that is used up, its ids.
    pub exhausted: Option<(u32, String)>,
    /// Local branch and destination of a push that is not allowed any more.
    pub lost_push: Option<(Foreign, Foreign)>,
}

/// What a run stops at.
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "`Obstacle::words` says each")]
pub enum Obstacle {
    RecordUnreadable,
    RedTwice(Foreign),
    Rerun(Foreign),
    Needs(Foreign),
    ContractException(Foreign),
    NoProgress(Foreign),
    Blocked,
    MergeStateUnknown,
    RoundCap,
    SyncCap,
    Guard(Foreign),
    NoModel,
    Exhausted(u32, String),
    LostPush(Foreign, Foreign),
}

impl Obstacle {
    /// The words of the source, with what it names.
    #[must_use]
    pub fn words(&self) -> String {
        let plain = |text: &Foreign| text.shown(Place::Strict).plain();
        match self {
            Self::RecordUnreadable => "stuck - run record unreadable".into(),
            Self::RedTwice(check) => {
                format!("stuck - {} red twice without a source change", plain(check))
            }
            Self::Rerun(check) => format!("{} runs once more inside the wave", plain(check)),
            Self::Needs(what) => format!("stuck - needs {}", plain(what)),
            Self::ContractException(why) => format!("contract exception: {}", plain(why)),
            Self::NoProgress(what) => format!("stuck - no progress: {}", plain(what)),
            Self::Blocked => "GitHub reports BLOCKED, no local repair applies".into(),
            Self::MergeStateUnknown => "stuck - merge state unknown".into(),
            Self::RoundCap => "round cap reached".into(),
            Self::SyncCap => "sync cap reached".into(),
            Self::Guard(why) => {
                format!("stuck - phase-tracker fix-round guard: {}", plain(why))
            }
            Self::NoModel => "stuck - escalationLoop.implModel unavailable".into(),
            Self::Exhausted(row, ids) => {
                format!("stuck - no progress: row {row} exhausted ({ids})")
            }
            Self::LostPush(branch, to) => format!(
                "the push is not allowed any more: {} to {}",
                plain(branch),
                plain(to)
            ),
        }
    }

    /// The menu it leads to; `None` when no person has to move it.
    #[must_use]
    pub fn template(&self) -> Option<Template> {
        match self {
            Self::Rerun(_) => None,
            Self::ContractException(_) => Some(Template::ContractException),
            _ => Some(Template::Obstacle),
        }
    }
}

/// The first condition that holds, in the source's order; what it does not order comes behind.
#[must_use]
pub fn exit_check(found: &Found, facts: &Facts, syncs: &Account) -> Option<Obstacle> {
    let twice = found.reds.iter().find(|red| red.twice);
    let dark = found.reds.iter().find(|red| !red.lead);
    let reached = |account: &Account| {
        let pair = (account.used.known(), account.cap.known());
        matches!(pair, (Some(used), Some(cap)) if used >= cap)
    };
    let failing = facts.checks.known().is_some_and(|checks| {
        let effects = checks
            .iter()
            .map(|check| effect(check, &facts.merge_state, &facts.local_green));
        effects
            .into_iter()
            .any(|effect| effect == Effect::Undispositioned)
    });
    let nothing_to_do = facts.blockers == 0 && !failing;
    if found.record_bad {
        return Some(Obstacle::RecordUnreadable);
    }
    if let Some(red) = twice {
        return Some(Obstacle::RedTwice(red.check.clone()));
    }
    if let Some(red) = dark {
        return Some(if red.rerun {
            Obstacle::RedTwice(red.check.clone())
        } else {
            Obstacle::Rerun(red.check.clone())
        });
    }
    if let Some(what) = &found.needs {
        return Some(Obstacle::Needs(what.clone()));
    }
    if let Some(why) = &found.contract_exception {
        return Some(Obstacle::ContractException(why.clone()));
    }
    if let Some((row, ids)) = &found.exhausted {
        return Some(Obstacle::Exhausted(*row, ids.clone()));
    }
    if let Some(what) = &found.no_progress {
        return Some(Obstacle::NoProgress(what.clone()));
    }
    if nothing_to_do && facts.merge_state.known() == Some(&MergeState::Blocked) {
        return Some(Obstacle::Blocked);
    }
    if facts.merge_state.known().is_none() {
        return Some(Obstacle::MergeStateUnknown);
    }
    if let Some(why) = &found.guard {
        return Some(Obstacle::Guard(why.clone()));
    }
    if found.no_model {
        return Some(Obstacle::NoModel);
    }
    if let Some((branch, to)) = &found.lost_push {
        return Some(Obstacle::LostPush(branch.clone(), to.clone()));
    }
    if facts.blockers > 0 && reached(&facts.rounds) {
        return Some(Obstacle::RoundCap);
    }
    reached(syncs).then_some(Obstacle::SyncCap)
}

/// A menu of courses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CourseMenu {
    /// Rows in order; row n is number n.
    pub rows: Vec<Pick>,
    /// The tagged row. The source's templates are not known to tag one, but where the merge state
    /// is unknown.
    pub recommended: Option<Pick>,
    /// Rows that the template has and the facts close.
    pub not_offered: Vec<(&'static str, NotOffered)>,
}

/// The rows of a template.
#[must_use]
pub fn rows(at: Template, facts: &Facts, obstacle: Option<&Obstacle>) -> CourseMenu {
    let wanted: &[Pick] = match at {
        Template::Initial => &[Pick::Assess, Pick::Deliver, Pick::DeliverNits],
        Template::Obstacle => &[Pick::Deliver, Pick::Assess],
        Template::AssessTerminal => &[Pick::Deliver],
        Template::ContractException => &[Pick::Amend],
    };
    let (mut rows, mut not_offered) = (Vec::new(), Vec::new());
    for pick in wanted.iter().copied() {
        let delivers = matches!(pick, Pick::Deliver | Pick::DeliverNits);
        let buys = at == Template::Obstacle;
        let closed = match wave(facts) {
            // at an obstacle `deliver` is what raises the cap
            Some(NotOffered::CapReached) if buys => None,
            other => other,
        };
        let unreadable = obstacle == Some(&Obstacle::RecordUnreadable);
        match closed {
            _ if unreadable => not_offered.push((pick.words().0, NotOffered::RecordUnreadable)),
            Some(why) if delivers => not_offered.push((pick.words().0, why)),
            _ => rows.push(pick),
        }
    }
    let unknown = obstacle == Some(&Obstacle::MergeStateUnknown);
    if unknown {
        let why = NotOffered::Withheld(super::menu::Withhold::MergeStateUnknown);
        not_offered.push(("merge", why));
    }
    rows.extend([Pick::ShowEvidence, Pick::Stop]);
    CourseMenu {
        recommended: unknown.then_some(Pick::Stop),
        rows,
        not_offered,
    }
}

/// Used and allowed, as a line for a person.
#[must_use]
pub fn usage(rounds: &Account, syncs: &Account) -> String {
    let number = |value: &Known<u32>| match value {
        Known::Is(number) => number.to_string(),
        Known::NotApplicable(_) => "no cap yet".into(),
        Known::Unknown(_) | Known::NotSupplied => "unknown".into(),
    };
    let of = |account: &Account| format!("{} of {}", number(&account.used), number(&account.cap));
    format!("Usage: rounds {}, syncs {}", of(rounds), of(syncs))
}
