//! What a pass costs: at most one round, and only for an ordinary change of the source.

/// What can happen in a pass, as far as a charge depends on it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Happened {
    /// An admitted result, done or failed, a carried retry included; it always changes a file.
    Ordinary,
    /// An admitted failure that says `needs` or `contract exception`, edits or not.
    Routed,
    /// A validation miss.
    Miss,
    /// Nothing was dispatched.
    EmptyWave,
    /// A failed worker put everything back.
    Restored,
    /// A commit that only resolves a conflict with the base.
    BaseConflict,
    /// The description was written.
    Description,
    /// Checks were watched.
    Watch,
    /// The own push was reviewed again.
    ReReview,
}

impl Happened {
    /// Everything that can happen.
    pub const ALL: [Self; 9] = [
        Self::Ordinary,
        Self::Routed,
        Self::Miss,
        Self::EmptyWave,
        Self::Restored,
        Self::BaseConflict,
        Self::Description,
        Self::Watch,
        Self::ReReview,
    ];
}

/// Rounds that it costs in a pass that was, or was not, charged already.
#[must_use]
pub fn charge(counted: bool, happened: Happened) -> u32 {
    u32::from(!counted && happened == Happened::Ordinary)
}
