//! Review threads as the verify gate sees them: who speaks, what it weighs, where it points now,
//! and whether it is dealt with.

use crate::gate::policy::Policy;
use crate::model::id::RepoPath;
use crate::model::known::{Known, Reason};
use crate::model::text::{Foreign, Place};
use crate::model::thread::{Channel, Completeness, Thread, Threads};

use super::Trigger;
use super::markers;
use super::minor::{self, Malformed, Reading, Tag};
use super::resolution::{
    Facts, ForgeSays, Grade, PersonSays, State, Touch, forge_says, names_ticket, stands,
};

/// How sure it is that a thread points at these lines.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Confidence {
    /// The same lines at the same place.
    Exact,
    /// The same lines at another place.
    Moved,
    /// The lines changed; this is where they were, or what is most like them.
    Fuzzy,
    /// Nothing of it is there any more. What it asks for stays owed.
    Detached,
}

impl Confidence {
    /// The word as printed.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Moved => "moved",
            Self::Fuzzy => "fuzzy",
            Self::Detached => "detached",
        }
    }
}

/// Where a thread points in the pinned trees (FRG-10).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Anchor {
    /// The path there: at head, or at the merge base for the left side.
    pub path: RepoPath,
    /// First and last line, from 1; `None` for the whole file or when detached.
    pub lines: Option<(u32, u32)>,
    /// How sure that is.
    pub grade: Confidence,
}

/// What the pinned trees and the commits say of one thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Looked {
    /// Where it points; does not apply to what is about the whole change.
    pub anchor: Known<Anchor>,
    /// What the commits after it did.
    pub touch: Touch,
}

impl Looked {
    /// For a thread whose repository nobody looked into.
    #[must_use]
    pub fn not(thread: &Thread, why: &str) -> Self {
        if thread.spot.is_none() {
            return Self {
                anchor: Known::NotApplicable(Reason::new("it is about the whole change")),
                touch: Touch::NoPlace,
            };
        }
        Self {
            anchor: Known::Unknown(Reason::new(why)),
            touch: Touch::Unknown(Reason::new(why)),
        }
    }
}

/// One thread with everything that the rules make of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// Its place in [`Threads::threads`].
    pub at: usize,
    /// What it says and what that weighs.
    pub reading: Reading,
    /// The forge's mark, seen from the author of the change.
    pub forge: ForgeSays,
    /// Where it stands.
    pub state: State,
    /// What that rests on.
    pub grade: Grade,
    /// What was looked at.
    pub looked: Looked,
    /// Whether it is a marker of this gate, which is no comment on the change.
    pub marker: bool,
}

impl Case {
    /// Whether it still can stop something.
    #[must_use]
    pub fn open(&self) -> bool {
        self.state != State::Resolved && !self.marker && self.reading.weighs()
    }

    /// Whether this fires because of it as it stands.
    #[must_use]
    pub fn fires_for(&self, trigger: Trigger) -> bool {
        let remarks = &self.reading.remarks;
        self.open() && remarks.iter().any(|remark| remark.weight == Some(trigger))
    }

    /// What fires because of it as it stands.
    #[must_use]
    pub fn fires(&self) -> Vec<Trigger> {
        if self.open() {
            self.reading.weights()
        } else {
            Vec::new()
        }
    }
}

/// What a person said about one thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Said {
    /// Whether it is dealt with.
    Stands(PersonSays),
    /// The tag that a minor lacked.
    Tagged(Tag),
}

impl Case {
    /// The same after what a person said about it, who is stronger than anything else.
    #[must_use]
    pub fn after(&self, said: Said) -> Self {
        let mut case = self.clone();
        match said {
            Said::Stands(PersonSays::KickedBack) => {
                case.state = State::Unresolved;
                case.grade = Grade::Person;
            }
            Said::Stands(_) => {
                case.state = State::Resolved;
                case.grade = Grade::Person;
            }
            Said::Tagged(tag) => case.reading.tag_with(tag),
        }
        case
    }
}

/// The rules over all threads, before a person says anything about one.
#[must_use]
pub fn cases(threads: &Threads, looked: &[Looked], policy: &Policy) -> Vec<Case> {
    let author = threads
        .pull
        .known()
        .and_then(|pull| pull.author.as_ref())
        .and_then(|author| author.login.as_ref());
    threads
        .threads
        .iter()
        .enumerate()
        .map(|(at, thread)| {
            let looked = looked.get(at).cloned();
            let looked = looked.unwrap_or_else(|| Looked::not(thread, "nobody looked at it"));
            let forge = forge_says(thread, author);
            let facts = Facts {
                person: None,
                forge,
                touch: looked.touch.clone(),
                outdated: thread.outdated == Known::Is(true),
                ticket: names_ticket(&thread.replies),
                author_resolves: policy.author_resolves,
            };
            let (state, grade) = stands(&facts);
            Case {
                at,
                reading: minor::read(thread, &policy.logins),
                forge,
                state,
                grade,
                looked,
                marker: opens_with_marker(thread),
            }
        })
        .collect()
}

/// Whether a comment begins with a marker: it is this gate's own and no objection.
fn opens_with_marker(thread: &Thread) -> bool {
    let body = thread.first.body.raw_str().unwrap_or_default();
    markers::read(body)
        .iter()
        .any(|reading| matches!(reading, markers::Reading::Marker { opens: true, .. }))
}

/// How many minors carry each tag, and how many are malformed, over what is still there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Minors {
    /// `verifiable:`.
    pub verifiable: usize,
    /// `consider:`.
    pub consider: usize,
    /// `nofollow:`.
    pub nofollow: usize,
    /// Refused: without a tag, with two, or hedged.
    pub malformed: usize,
}

/// Counts the minors of unresolved threads. A malformed one counts as that and by no tag.
#[must_use]
pub fn minors(cases: &[Case]) -> Minors {
    let mut out = Minors::default();
    let there = cases
        .iter()
        .filter(|case| case.state != State::Resolved && !case.marker);
    for remark in there.flat_map(|case| &case.reading.remarks) {
        match (remark.malformed, remark.tag) {
            (Some(Malformed::Untagged | Malformed::TwoTags | Malformed::Hedged), _) => {
                out.malformed += 1;
            }
            (None, Some(Tag::Verifiable)) => out.verifiable += 1,
            (None, Some(Tag::Consider)) => out.consider += 1,
            (None, Some(Tag::Nofollow)) => out.nofollow += 1,
            (None, None) => {}
        }
    }
    out
}

/// Every trigger that fires because of a thread as it stands, once each.
#[must_use]
pub fn triggers(cases: &[Case]) -> Vec<Trigger> {
    let mut all: Vec<Trigger> = cases.iter().flat_map(Case::fires).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// What breaks the circuit because of the threads: comments that are not all here (K34), and
/// open threads of which it can't be told whether they are dealt with (verify-gate 1.9).
#[must_use]
pub fn breakers(threads: &Threads, cases: &[Case]) -> Vec<String> {
    let mut out: Vec<String> = missing(threads)
        .into_iter()
        .map(|what| format!("comments incomplete: {what}"))
        .collect();
    let told = |case: &&Case| case.open() && case.state == State::CouldNotTell;
    for case in cases.iter().filter(told) {
        let id = threads.threads.get(case.at).map_or("", |t| t.id.as_ref());
        let id = Foreign::from(id).shown(Place::Strict);
        if let Touch::Unknown(why) = &case.looked.touch {
            out.push(format!("could not tell whether {id} is dealt with: {why}"));
        }
    }
    out
}

/// What is missing of the comments, one fragment for each channel; empty when all are here.
#[must_use]
pub fn missing(threads: &Threads) -> Vec<String> {
    Channel::ALL
        .into_iter()
        .filter_map(|channel| match threads.channel(channel) {
            Completeness::Complete => None,
            state => Some(format!("{} comments: {}", channel.word(), state.says())),
        })
        .collect()
}

/// The states that a forge gives a thread, as words (FRG-4).
#[must_use]
pub fn states(thread: &Thread) -> Vec<&'static str> {
    use crate::model::thread::{Account, Resolved};
    let mut out = vec![match &thread.resolved {
        Known::Is(Resolved::By(_)) => "resolved",
        Known::Is(Resolved::No) => "open",
        Known::NotApplicable(_) | Known::NotSupplied => "open",
        Known::Unknown(_) => "unknown",
    }];
    if thread.outdated == Known::Is(true) {
        out.push("outdated");
    }
    if thread.comments().any(|c| c.minimised.is_some()) {
        out.push("minimised");
    }
    if thread
        .comments()
        .any(|c| matches!(c.edited, Known::Is(Some(_))))
    {
        out.push("edited");
    }
    if thread.comments().any(|c| c.author.account == Account::Gone) {
        out.push("deleted-account");
    }
    out
}
