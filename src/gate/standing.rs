//! Where a criterion stands: one table from what its oracle says and what a person ruled
//! (product.md, rulings A2). Facts of another tree, oracle or snapshot never count here; they
//! only make a thing stale.

use crate::model::standing::Standing;

/// What the oracle of a criterion says about the tree under review.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Proof {
    /// It has none; a person judges.
    Manual,
    /// No conclusive run of these bytes on this tree.
    NotRun,
    /// The last one passed.
    Met,
    /// The last one failed.
    NotMet,
    /// The last one could not be told.
    Error,
}

impl Proof {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Manual,
        Self::NotRun,
        Self::Met,
        Self::NotMet,
        Self::Error,
    ];
}

/// What a person ruled on this snapshot.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ruled {
    /// Nothing.
    Nothing,
    /// It holds.
    Ratified,
    /// It held on an earlier head, and a person carried that over.
    Carried,
    /// Back to the agent.
    KickedBack,
    /// Back, because the criterion itself is wrong.
    CalledWrong,
    /// Impossible, declared here.
    Abandoned,
    /// The abandonment found in the contract is accepted.
    AcceptedPartial,
    /// The abandonment found in the contract is lifted.
    Lifted,
    /// Does not apply.
    NotApplicable,
    /// Passes against the evidence.
    Overridden,
}

impl Ruled {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Nothing,
        Self::Ratified,
        Self::Carried,
        Self::KickedBack,
        Self::CalledWrong,
        Self::Abandoned,
        Self::AcceptedPartial,
        Self::Lifted,
        Self::NotApplicable,
        Self::Overridden,
    ];
}

/// Why a criterion never blocks (K44).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Exempt {
    /// Its text says optional.
    Optional,
    /// Its text says post-merge.
    PostMerge,
}

/// Everything the standing of a criterion rests on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Case {
    /// What its oracle says.
    pub proof: Proof,
    /// What a person ruled.
    pub ruled: Ruled,
    /// Whether a run or a decision of another head (or other oracle bytes) exists.
    pub earlier: bool,
    /// Whether the contract abandons it.
    pub abandoned: bool,
    /// Whether it blocks at all.
    pub exempt: Option<Exempt>,
    /// Whether a pass of it is weak.
    pub weak: bool,
    /// For a manual one: whether nothing in the change claims it, as far as that is known.
    pub unclaimed: bool,
}

/// The answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stands {
    /// The standing.
    pub standing: Standing,
    /// The word beside the glyph.
    pub word: &'static str,
    /// Whether it needs the person.
    pub owed: bool,
}

/// The table.
#[must_use]
pub fn stands(case: Case) -> Stands {
    match case.exempt {
        Some(Exempt::Optional) => return settled(Standing::NotApplicable, "optional"),
        Some(Exempt::PostMerge) => return settled(Standing::NotApplicable, "post-merge"),
        None => {}
    }
    match case.ruled {
        Ruled::Ratified => match case.proof {
            Proof::Manual | Proof::Met => plain(Standing::Ratified),
            Proof::NotRun | Proof::NotMet | Proof::Error => unruled(case),
        },
        Ruled::Carried => match case.proof {
            Proof::Manual | Proof::Met => plain(Standing::Carried),
            Proof::NotRun | Proof::NotMet | Proof::Error => unruled(case),
        },
        Ruled::KickedBack | Ruled::CalledWrong => plain(Standing::KickedBack),
        Ruled::Abandoned => plain(Standing::Abandoned),
        Ruled::AcceptedPartial if case.abandoned => plain(Standing::Abandoned),
        Ruled::NotApplicable => plain(Standing::NotApplicable),
        Ruled::Overridden => plain(Standing::Overridden),
        Ruled::Nothing if case.abandoned => Stands {
            standing: Standing::Abandoned,
            word: Standing::Abandoned.word(),
            owed: true,
        },
        Ruled::Nothing | Ruled::AcceptedPartial | Ruled::Lifted => unruled(case),
    }
}

/// Decided by a person, in the standing's own word.
fn plain(standing: Standing) -> Stands {
    settled(standing, standing.word())
}

fn settled(standing: Standing, word: &'static str) -> Stands {
    Stands {
        standing,
        word,
        owed: false,
    }
}

/// As the evidence has it, no ruling counting.
fn unruled(case: Case) -> Stands {
    let standing = match case.proof {
        Proof::Manual | Proof::NotRun if case.earlier => Standing::Stale,
        Proof::Manual => Standing::Unproven,
        Proof::NotRun => Standing::Pending,
        Proof::Met => Standing::Passing,
        Proof::NotMet => Standing::Failing,
        Proof::Error => Standing::Error,
    };
    let word = match standing {
        Standing::Unproven if case.unclaimed => "unclaimed",
        Standing::Unproven => "manual",
        Standing::Passing if case.weak => "weak",
        other => other.word(),
    };
    Stands {
        standing,
        word,
        owed: true,
    }
}
