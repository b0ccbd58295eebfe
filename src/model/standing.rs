//! Where an owed thing stands.

/// The standing of a criterion (product.md). Only `Ratified`, `Carried` and `NotApplicable` may
/// sum to APPROVED.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Standing {
    /// No oracle, no evidence picked yet.
    Unproven,
    /// Its oracle has not been run on this tree.
    Pending,
    /// Its oracle failed on this tree.
    Failing,
    /// Its oracle passed on this tree, and no person ruled.
    Passing,
    /// A person ratified it on this snapshot.
    Ratified,
    /// Ratified on an earlier head and carried over by a person.
    Carried,
    /// Decided or run on another head.
    Stale,
    /// Sent back to the agent.
    KickedBack,
    /// Declared impossible; a person accepted or declared it.
    Abandoned,
    /// A person let it pass against the evidence.
    Overridden,
    /// A person ruled that it does not apply, or the contract marks it optional or post-merge.
    NotApplicable,
    /// Could not be measured.
    Error,
}

impl Standing {
    /// Every standing, in the order of the documentation.
    pub const ALL: [Self; 12] = [
        Self::Unproven,
        Self::Pending,
        Self::Failing,
        Self::Passing,
        Self::Ratified,
        Self::Carried,
        Self::Stale,
        Self::KickedBack,
        Self::Abandoned,
        Self::Overridden,
        Self::NotApplicable,
        Self::Error,
    ];

    /// The word shown beside the glyph.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Unproven => "unproven",
            Self::Pending => "pending",
            Self::Failing => "failing",
            Self::Passing => "passing",
            Self::Ratified => "ratified",
            Self::Carried => "carried",
            Self::Stale => "stale",
            Self::KickedBack => "kicked back",
            Self::Abandoned => "abandoned",
            Self::Overridden => "overridden",
            Self::NotApplicable => "not applicable",
            Self::Error => "error",
        }
    }
}
