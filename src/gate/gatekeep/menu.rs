//! The menu of verbs: which rows there are, in which order, which is recommended, what is not
//! offered and why. The highest overlay owns the reason and the recommendation.

use super::checks::{Effect, Evidence, effect, evidence};
use super::facts::{Author, Comments, Facts, MergeState, Mergeable, Permission, State, Sync};
use super::merge::{only_a_reviewer_pends, ready};
use crate::model::known::Known;

/// What can be picked.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "`Verb::words` says each")]
pub enum Verb {
    Fix,
    FixNits,
    Push,
    Review,
    Approve,
    ApproveRun,
    UpdateBranch,
    Merge,
    MergeAnyway,
    Reply,
    CoverageToTicket,
    CoverageToPr,
    Wait,
    ShowEvidence,
    Stop,
}

impl Verb {
    /// The label.
    #[must_use]
    pub fn label(self) -> &'static str {
        self.words().0
    }

    /// Label and consequence.
    #[must_use]
    pub fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Fix => ("fix", "send a wave over the open blockers"),
            Self::FixNits => ("fix nits", "draft the nits and send one wave over them"),
            Self::Push => ("push", "push the commits of the wave"),
            Self::Review => ("review", "post the review"),
            Self::Approve => ("approve", "approve on the forge"),
            Self::ApproveRun => ("approve workflow run", "let the held run start"),
            Self::UpdateBranch => ("update branch", "bring the base in on the forge"),
            Self::Merge => ("merge", "merge this head"),
            Self::MergeAnyway => ("merge anyway", "merge though a reviewer is not done"),
            Self::Reply => ("reply", "post the drafted replies"),
            Self::CoverageToTicket => (
                "post coverage to ticket",
                "post what is covered to the ticket",
            ),
            Self::CoverageToPr => (
                "post coverage to PR",
                "post what is covered to the pull request",
            ),
            Self::Wait => ("wait", "look again for a bounded time"),
            Self::ShowEvidence => ("show evidence", "print what the verdict rests on"),
            Self::Stop => ("stop", "leave it as it is"),
        }
    }
}

/// What holds a merge back, in the order in which one owns the reason.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "`Withhold::words` are the source's")]
pub enum Withhold {
    BlockedByGitHub,
    MergeStateUnknown,
    VerificationNotRun,
    FailedGate,
    BindingCheckPending,
    ReviewerRunning,
    CommentsNotRefreshed,
    SourceReviewIncomplete,
    MergeableUnknown,
    BehindBase,
    MergeConflict,
}

impl Withhold {
    /// Every reason, in order.
    pub const ALL: [Self; 11] = [
        Self::BlockedByGitHub,
        Self::MergeStateUnknown,
        Self::FailedGate,
        Self::BindingCheckPending,
        Self::VerificationNotRun,
        Self::ReviewerRunning,
        Self::CommentsNotRefreshed,
        Self::SourceReviewIncomplete,
        Self::MergeableUnknown,
        Self::BehindBase,
        Self::MergeConflict,
    ];

    /// The words, byte for byte the source's.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::BlockedByGitHub => "blocked by GitHub",
            Self::MergeStateUnknown => "merge state unknown",
            Self::VerificationNotRun => "verification not run",
            Self::FailedGate => "failed gate",
            Self::BindingCheckPending => "binding check pending",
            Self::ReviewerRunning => "reviewer run in progress",
            Self::CommentsNotRefreshed => "comments not refreshed",
            Self::SourceReviewIncomplete => "comment source review incomplete",
            Self::MergeableUnknown => "mergeable unknown",
            Self::BehindBase => "behind base",
            Self::MergeConflict => "merge conflict",
        }
    }

    /// Whether it holds back now.
    #[must_use]
    pub fn holds(self, facts: &Facts) -> bool {
        let evidence = evidence(facts);
        match self {
            Self::BlockedByGitHub => facts.merge_state.known() == Some(&MergeState::Blocked),
            Self::MergeStateUnknown => facts.merge_state.known().is_none(),
            Self::FailedGate => evidence.0 == Evidence::Failed,
            Self::BindingCheckPending => evidence.0 == Evidence::Pending,
            Self::VerificationNotRun => {
                evidence.1.known() != Some(&true)
                    && !matches!(evidence.0, Evidence::Failed | Evidence::Pending)
            }
            Self::ReviewerRunning => facts.comments == Comments::Pending,
            Self::CommentsNotRefreshed => facts.comments == Comments::NotFetched,
            Self::SourceReviewIncomplete => facts.comments == Comments::Unreviewed,
            Self::MergeableUnknown => facts.mergeable.known().is_none(),
            Self::BehindBase => facts.merge_state.known() == Some(&MergeState::Behind),
            Self::MergeConflict => facts.mergeable.known() == Some(&Mergeable::Conflicting),
        }
    }
}

/// The first reason that holds.
#[must_use]
pub fn withheld(facts: &Facts) -> Option<Withhold> {
    Withhold::ALL.into_iter().find(|reason| reason.holds(facts))
}

/// What lies over the usual menu, highest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "the names are the source's")]
pub enum Overlay {
    OwnMerge,
    MergeQueued,
    Ended,
    Draft,
    HeldRun,
    MergeState,
    EvidencePending,
    CiCheck,
    PendingReviewer,
    SourceReviewIncomplete,
    HeadNotPushable,
}

impl Overlay {
    /// Every overlay, highest first.
    pub const ALL: [Self; 11] = [
        Self::OwnMerge,
        Self::MergeQueued,
        Self::Ended,
        Self::Draft,
        Self::HeldRun,
        Self::MergeState,
        Self::EvidencePending,
        Self::CiCheck,
        Self::PendingReviewer,
        Self::SourceReviewIncomplete,
        Self::HeadNotPushable,
    ];

    /// The word in JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::OwnMerge => "own-merge",
            Self::MergeQueued => "merge-queued",
            Self::Ended => "ended",
            Self::Draft => "draft",
            Self::HeldRun => "held-run",
            Self::MergeState => "merge-state",
            Self::EvidencePending => "evidence-pending",
            Self::CiCheck => "ci-check",
            Self::PendingReviewer => "pending-reviewer",
            Self::SourceReviewIncomplete => "source-review-incomplete",
            Self::HeadNotPushable => "head-not-pushable",
        }
    }

    /// Whether it lies over the menu now. A state that is not known ends nothing; a draft that is
    /// not known counts as one.
    #[must_use]
    pub fn lies(self, facts: &Facts) -> bool {
        let state = facts.state.known();
        match self {
            Self::OwnMerge => state == Some(&State::MergedHere),
            Self::MergeQueued => state == Some(&State::Queued),
            Self::Ended => state == Some(&State::Ended),
            Self::Draft => facts.draft.known() != Some(&false),
            Self::HeldRun => held(facts) && facts.local_green.known() != Some(&true),
            Self::MergeState => !matches!(
                facts.merge_state,
                Known::Is(MergeState::Other | MergeState::Behind)
            ),
            Self::EvidencePending => evidence(facts).0 == Evidence::Pending,
            Self::CiCheck => failing(facts) || evidence(facts).0 == Evidence::Failed,
            Self::PendingReviewer => {
                matches!(facts.comments, Comments::Pending | Comments::NotFetched)
            }
            Self::SourceReviewIncomplete => facts.comments == Comments::Unreviewed,
            Self::HeadNotPushable => facts.head_pushable.known() != Some(&true),
        }
    }
}

fn held(facts: &Facts) -> bool {
    has(facts, Effect::Held)
}

/// A failing check that nobody spoke about.
fn failing(facts: &Facts) -> bool {
    has(facts, Effect::Undispositioned)
}

fn has(facts: &Facts, wanted: Effect) -> bool {
    let checks = facts.checks.known();
    checks.is_some_and(|checks| {
        checks
            .iter()
            .any(|check| effect(check, &facts.merge_state, &facts.local_green) == wanted)
    })
}

/// Why a verb is not offered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "`NotOffered::words` says each")]
pub enum NotOffered {
    Withheld(Withhold),
    OpenBlockers,
    Draft,
    HeldRun,
    NoPermission,
    PermissionUnreadable,
    OwnPullRequest,
    NoWorkers,
    CapZero,
    CapReached,
    CapUnknown,
    HeadNotPushable,
    CarriedBlocks,
    RebasedLocally,
    UnpushedCommits,
    UpdateNotAllowed,
    SourceReviewIncomplete,
    RecordUnreadable,
    Unmet,
}

impl NotOffered {
    /// The reason as the hint names it.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Withheld(reason) => reason.words(),
            Self::OpenBlockers => "blockers are open",
            Self::Draft => "it is a draft",
            Self::HeldRun => "a run is held",
            Self::NoPermission => "you may not write",
            Self::PermissionUnreadable => "your permission is unreadable",
            Self::OwnPullRequest => "it is your own",
            Self::NoWorkers => "no worker can be sent out",
            Self::CapZero => "the round cap is 0",
            Self::CapReached => "the round cap is reached",
            Self::CapUnknown => "the round cap is not known",
            Self::HeadNotPushable => "the head cannot be pushed to",
            Self::CarriedBlocks => "the last review left blockers",
            Self::RebasedLocally => "the rebase is not pushed",
            Self::UnpushedCommits => "commits are not pushed",
            Self::UpdateNotAllowed => "the forge may not update it",
            Self::SourceReviewIncomplete => "the comment delta is not reviewed",
            Self::RecordUnreadable => "the run record is unreadable",
            Self::Unmet => "not everything that it needs is met",
        }
    }
}

/// Whether a verb can be a row.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Offer {
    /// It can.
    Row,
    /// There is nothing for it: left out without a word.
    Silent,
    /// It cannot; the hint names it.
    Closed(NotOffered),
}

/// Whether a verb can be a row, the overlays that replace the menu aside.
#[must_use]
pub fn offer(verb: Verb, facts: &Facts) -> Offer {
    let write = || match facts.permission {
        Known::Is(Permission::Write) => None,
        Known::Is(Permission::Read) => Some(NotOffered::NoPermission),
        _ => Some(NotOffered::PermissionUnreadable),
    };
    let first = |reasons: [Option<NotOffered>; 3]| {
        let reason = reasons.into_iter().flatten().next();
        reason.map_or(Offer::Row, Offer::Closed)
    };
    let rebased = (facts.sync == Sync::RebasedLocally).then_some(NotOffered::RebasedLocally);
    match verb {
        Verb::Fix if facts.blockers == 0 => Offer::Silent,
        Verb::FixNits if facts.nits == 0 => Offer::Silent,
        Verb::Fix | Verb::FixNits => first([wave(facts), None, None]),
        Verb::Push if facts.sync == Sync::Pushed => Offer::Silent,
        Verb::Push => {
            let pushable = facts.head_pushable.known() == Some(&true);
            first([
                rebased,
                (!pushable).then_some(NotOffered::HeadNotPushable),
                facts.carried_blocks.then_some(NotOffered::CarriedBlocks),
            ])
        }
        Verb::Review if facts.comments == Comments::Unreviewed => {
            Offer::Closed(NotOffered::SourceReviewIncomplete)
        }
        Verb::Review | Verb::Wait | Verb::ShowEvidence | Verb::Stop => Offer::Row,
        Verb::Approve if facts.author == Author::You => Offer::Silent,
        Verb::Approve => {
            let draft = Overlay::Draft.lies(facts);
            first([draft.then_some(NotOffered::Draft), None, None])
        }
        Verb::ApproveRun if !held(facts) => Offer::Silent,
        Verb::ApproveRun => first([write(), None, None]),
        Verb::UpdateBranch if facts.merge_state.known() != Some(&MergeState::Behind) => {
            Offer::Silent
        }
        Verb::UpdateBranch => {
            let allowed = facts.can_update.known() == Some(&true);
            first([
                (facts.sync != Sync::Pushed).then_some(NotOffered::UnpushedCommits),
                (!allowed).then_some(NotOffered::UpdateNotAllowed),
                None,
            ])
        }
        Verb::Merge => merge(facts, write(), rebased),
        Verb::MergeAnyway if only_a_reviewer_pends(facts) => Offer::Row,
        Verb::MergeAnyway => Offer::Silent,
        Verb::Reply if facts.replies == 0 => Offer::Silent,
        Verb::Reply if facts.comments == Comments::Unreviewed => {
            Offer::Closed(NotOffered::SourceReviewIncomplete)
        }
        Verb::Reply => Offer::Row,
        Verb::CoverageToTicket | Verb::CoverageToPr => {
            let (ticket, pr) = facts.coverage;
            let left = if verb == Verb::CoverageToTicket {
                ticket
            } else {
                pr
            };
            let merged = facts.state.known() == Some(&State::MergedHere);
            if left && merged {
                Offer::Row
            } else {
                Offer::Silent
            }
        }
    }
}

/// Why no wave can be sent out.
pub(super) fn wave(facts: &Facts) -> Option<NotOffered> {
    if !facts.workers {
        return Some(NotOffered::NoWorkers);
    }
    match (&facts.rounds.used, &facts.rounds.cap) {
        (_, Known::Is(0)) => Some(NotOffered::CapZero),
        (Known::Is(used), Known::Is(cap)) if used >= cap => Some(NotOffered::CapReached),
        (Known::Is(_), Known::Is(_)) => None,
        // before the first pick there is no cap yet, and none is used up
        (_, Known::NotApplicable(_)) => None,
        _ => Some(NotOffered::CapUnknown),
    }
}

/// The overlay that owns the reason comes first, then what holds back, then the rest.
fn merge(facts: &Facts, write: Option<NotOffered>, rebased: Option<NotOffered>) -> Offer {
    if ready(facts) {
        return Offer::Row;
    }
    let owned = if Overlay::Draft.lies(facts) {
        Some(NotOffered::Draft)
    } else if Overlay::HeldRun.lies(facts) {
        Some(NotOffered::HeldRun)
    } else {
        withheld(facts).map(NotOffered::Withheld)
    };
    let blockers = (facts.blockers > 0).then_some(NotOffered::OpenBlockers);
    let unpushed = (facts.sync == Sync::Unpushed).then_some(NotOffered::UnpushedCommits);
    let reason = [owned, blockers, write, rebased, unpushed];
    Offer::Closed(
        reason
            .into_iter()
            .flatten()
            .next()
            .unwrap_or(NotOffered::Unmet),
    )
}

/// The verdict of the report.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Verdict {
    /// Nothing holds it back.
    Mergeable,
    /// So many blockers are open.
    Blockers(u32),
    /// No blocker is open, and this holds it back.
    Withheld(Withhold),
}

/// The verdict.
#[must_use]
pub fn verdict(facts: &Facts) -> Verdict {
    if facts.blockers > 0 {
        return Verdict::Blockers(facts.blockers);
    }
    withheld(facts).map_or(Verdict::Mergeable, Verdict::Withheld)
}

/// The menu.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Menu {
    /// Rows in order; row n is number n.
    pub rows: Vec<Verb>,
    /// The recommended row.
    pub recommended: Verb,
    /// The overlay that owns reason and recommendation.
    pub owner: Option<Overlay>,
    /// Verbs that the menu would have, with the reason that closes each.
    pub not_offered: Vec<(Verb, NotOffered)>,
    /// Whether the hint names the `check ...` line.
    pub check_hint: bool,
}

/// The usual rows, by author and verdict; a `fixable` without blockers has those of `mergeable`.
fn usual(author: Author, verdict: Verdict) -> &'static [Verb] {
    let blockers = matches!(verdict, Verdict::Blockers(_));
    match (author, blockers) {
        (Author::You, false) => &[Verb::Merge, Verb::FixNits, Verb::Reply],
        (Author::You, true) => &[Verb::Fix, Verb::FixNits, Verb::Review, Verb::Reply],
        (Author::Other, false) => &[Verb::Approve, Verb::FixNits, Verb::Merge, Verb::Reply],
        (Author::Other, true) => &[Verb::Review, Verb::Fix, Verb::FixNits, Verb::Reply],
    }
}

/// Builds the menu.
#[must_use]
pub fn menu(facts: &Facts) -> Menu {
    let owner = Overlay::ALL.into_iter().find(|overlay| overlay.lies(facts));
    let only = |rows: &[Verb], recommended| Menu {
        rows: rows.to_vec(),
        recommended,
        owner,
        not_offered: Vec::new(),
        check_hint: false,
    };
    match owner {
        Some(Overlay::OwnMerge) => {
            let posts = [Verb::CoverageToTicket, Verb::CoverageToPr];
            let mut rows: Vec<Verb> = posts
                .into_iter()
                .filter(|verb| offer(*verb, facts) == Offer::Row)
                .collect();
            rows.extend([Verb::ShowEvidence, Verb::Stop]);
            return only(&rows, Verb::Stop);
        }
        Some(Overlay::MergeQueued) => {
            return only(&[Verb::Wait, Verb::ShowEvidence, Verb::Stop], Verb::Wait);
        }
        Some(Overlay::Ended) => return only(&[Verb::ShowEvidence, Verb::Stop], Verb::Stop),
        _ => {}
    }
    let verdict = verdict(facts);
    let unknown_state = facts.merge_state.known().is_none();
    let mut wanted: Vec<Verb> = Vec::new();
    let waits = [
        Overlay::MergeState,
        Overlay::EvidencePending,
        Overlay::PendingReviewer,
    ];
    if Overlay::HeldRun.lies(facts) {
        wanted.push(Verb::ApproveRun);
    }
    // a merge state that stays unknown gets no wait row (the loop polled once already)
    if !unknown_state && waits.into_iter().any(|overlay| overlay.lies(facts)) {
        wanted.push(Verb::Wait);
    }
    wanted.extend([Verb::Push, Verb::UpdateBranch]);
    wanted.extend(usual(facts.author, verdict));
    wanted.push(Verb::MergeAnyway);
    let (mut rows, mut not_offered) = (Vec::new(), Vec::new());
    for verb in wanted {
        match offer(verb, facts) {
            Offer::Row => rows.push(verb),
            Offer::Silent => {}
            Offer::Closed(reason) => not_offered.push((verb, reason)),
        }
    }
    let spoken = rows.contains(&Verb::Merge) || not_offered.iter().any(|(v, _)| *v == Verb::Merge);
    if !spoken && let Offer::Closed(reason) = offer(Verb::Merge, facts) {
        not_offered.push((Verb::Merge, reason));
    }
    rows.extend([Verb::ShowEvidence, Verb::Stop]);
    let recommended = recommended(facts, &rows, owner, verdict, unknown_state);
    Menu {
        rows,
        recommended,
        owner,
        not_offered,
        check_hint: failing(facts),
    }
}

fn recommended(
    facts: &Facts,
    rows: &[Verb],
    owner: Option<Overlay>,
    verdict: Verdict,
    unknown_state: bool,
) -> Verb {
    let offered = |verb: Verb| rows.contains(&verb);
    let first = |wanted: &[Verb]| wanted.iter().copied().find(|verb| offered(*verb));
    let never = [Verb::ShowEvidence, Verb::MergeAnyway, Verb::Wait];
    let usual_pick = || {
        let mut picks = rows.iter().copied().filter(|verb| !never.contains(verb));
        picks.next().unwrap_or(Verb::Stop)
    };
    let blockers = matches!(verdict, Verdict::Blockers(_));
    match owner {
        Some(Overlay::Draft) => {
            let review = facts.author == Author::Other && blockers;
            let picks: &[Verb] = if review {
                &[Verb::Review, Verb::Fix, Verb::FixNits]
            } else {
                &[Verb::Fix, Verb::FixNits]
            };
            first(picks).unwrap_or(Verb::Stop)
        }
        Some(Overlay::HeldRun) => first(&[Verb::ApproveRun]).unwrap_or_else(usual_pick),
        Some(Overlay::MergeState) if unknown_state => Verb::Stop,
        Some(Overlay::MergeState) => {
            let asked = facts.review_required.known() == Some(&true);
            if asked && offered(Verb::Approve) {
                Verb::Approve
            } else if blockers {
                usual_pick()
            } else {
                first(&[Verb::Wait]).unwrap_or(Verb::Stop)
            }
        }
        Some(Overlay::EvidencePending | Overlay::PendingReviewer) if !blockers => {
            first(&[Verb::Wait]).unwrap_or(Verb::Stop)
        }
        Some(Overlay::SourceReviewIncomplete) => Verb::Stop,
        _ => usual_pick(),
    }
}
