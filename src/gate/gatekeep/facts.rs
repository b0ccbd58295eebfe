//! What is known of a pull request when its gate is drawn. What is not known is said to be so and
//! never taken for the harmless value.

use super::checks::Check;
use crate::model::known::Known;
use crate::model::wave::Account;

/// Who wrote it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Author {
    /// The person at the gate.
    You,
    /// Somebody else, or a bot.
    Other,
}

/// Where it stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum State {
    /// Open.
    Open,
    /// Merged or closed before this run began.
    Ended,
    /// Merged by this run's own pick.
    MergedHere,
    /// A merge of this run was asked for and has not happened.
    Queued,
}

/// `mergeable`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Mergeable {
    /// MERGEABLE.
    Yes,
    /// CONFLICTING.
    Conflicting,
}

/// `mergeStateStatus`, as far as rules tell its values apart.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum MergeState {
    /// Anything that forbids nothing. It is no approval.
    Other,
    /// BEHIND.
    Behind,
    /// BLOCKED.
    Blocked,
}

/// What the viewer may do.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Permission {
    /// Less than WRITE.
    Read,
    /// WRITE or more.
    Write,
}

/// Whether comments are settled.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Comments {
    /// Fetched whole, nothing pends.
    Settled,
    /// A reviewer's run is going on, or its placeholder stands.
    Pending,
    /// The last fetch was not complete.
    NotFetched,
    /// The delta of the source was not reviewed to its end.
    Unreviewed,
}

/// Where the branch stands to its base.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Sync {
    /// What is here is what was pushed.
    Pushed,
    /// Commits of the wave are not pushed.
    Unpushed,
    /// Rebased here, not pushed.
    RebasedLocally,
}

/// All of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Facts {
    /// Who wrote it.
    pub author: Author,
    /// Where it stands.
    pub state: Known<State>,
    /// Whether it is a draft.
    pub draft: Known<bool>,
    /// Open blockers.
    pub blockers: u32,
    /// Open nits.
    pub nits: u32,
    /// What the viewer may do.
    pub permission: Known<Permission>,
    /// Whether the head can be pushed to.
    pub head_pushable: Known<bool>,
    /// Whether the forge may update the branch.
    pub can_update: Known<bool>,
    /// `mergeable`.
    pub mergeable: Known<Mergeable>,
    /// `mergeStateStatus`, after a refresh.
    pub merge_state: Known<MergeState>,
    /// Whether the forge asks for a review.
    pub review_required: Known<bool>,
    /// The checks of the assessed head.
    pub checks: Known<Vec<Check>>,
    /// Whether the repository opted for local evidence only.
    pub local_only: bool,
    /// Whether a local run for this head is green.
    pub local_green: Known<bool>,
    /// Whether the evidence was taken at another head.
    pub stale_head: bool,
    /// Whether workers can be sent out at all.
    pub workers: bool,
    /// Rounds.
    pub rounds: Account,
    /// Where the branch stands.
    pub sync: Sync,
    /// Whether the carried set of the last review holds a Critical or Moderate.
    pub carried_blocks: bool,
    /// Comments.
    pub comments: Comments,
    /// Replies that were drafted.
    pub replies: u32,
    /// Whether every material claim is dispositioned.
    pub claims: Known<bool>,
    /// Whether provenance is clean.
    pub provenance: Known<bool>,
    /// Whether no tracked file differs.
    pub tracked_clean: Known<bool>,
    /// Whether head and state are as they were when this was assessed.
    pub unmoved: Known<bool>,
    /// Coverage posts that are left: ticket, pull request.
    pub coverage: (bool, bool),
}
