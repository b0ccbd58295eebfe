//! The pairs whose answer is known, looked at first with the same rules. An instrument that cannot
//! tell them apart reports nothing (source, Step 2; rulings A6, H12).

use crate::model::chain::{Basis, Chain, Status};
use crate::model::id::RepoPath;

use super::classify::audit;
use super::document::outline;
use super::profile::{KnownPair, Profile};
use super::tree::{Audit, SkillText, Tree};

/// Where a pair comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sort {
    /// Its texts are part of the profile.
    Embedded,
    /// It stands in the tree and must be CLOSED.
    InTree,
    /// It stands in the tree and is called ground truth; reported, never required.
    Declared,
}

impl Sort {
    /// The word of reports and JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Embedded => "known text",
            Self::InTree => "ground truth",
            Self::Declared => "declared ground truth",
        }
    }
}

/// A pair, what it should be and what it came out as.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Seen {
    /// Who dispatches.
    pub caller: String,
    /// Who answers.
    pub callee: String,
    /// Where it comes from.
    pub sort: Sort,
    /// What it is.
    pub expect: Status,
    /// What the rules made of it; `None` = no dispatch was found.
    pub got: Option<Status>,
    /// Why it is open.
    pub basis: Vec<Basis>,
}

impl Seen {
    /// Whether the rules are right about it, or need not be.
    #[must_use]
    pub fn ok(&self) -> bool {
        self.sort == Sort::Declared || self.got == Some(self.expect)
    }
}

/// The pairs looked at before anything is reported.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Calibration {
    /// The pairs, embedded ones first.
    pub pairs: Vec<Seen>,
}

impl Calibration {
    /// Looks at the pairs of a profile, and at those of its ground truth that `tree` holds.
    #[must_use]
    pub fn of(tree: &Tree, profile: &Profile) -> Self {
        let mut pairs: Vec<Seen> = profile
            .known
            .iter()
            .map(|pair| known(pair, profile))
            .collect();
        for ground in &profile.ground {
            let number = |name: &str| {
                let found = tree.skills.iter().position(|skill| skill.name == name);
                found.and_then(|at| u32::try_from(at).ok())
            };
            let (Some(caller), Some(_)) = (number(&ground.caller), number(&ground.callee)) else {
                continue;
            };
            let found = audit(tree, Some(&[caller]), profile);
            pairs.push(seen(
                (&ground.caller, &ground.callee),
                if ground.must_close {
                    Sort::InTree
                } else {
                    Sort::Declared
                },
                Status::Closed,
                &found,
            ));
        }
        Self { pairs }
    }

    /// Whether every pair came out as it must, and there was one of each kind.
    #[must_use]
    pub fn ok(&self) -> bool {
        let kind = |status: Status| {
            let embedded = |seen: &&Seen| seen.sort == Sort::Embedded && seen.expect == status;
            self.pairs.iter().any(|seen| embedded(&seen))
        };
        kind(Status::Closed) && kind(Status::Open) && self.pairs.iter().all(Seen::ok)
    }
}

fn known(pair: &KnownPair, profile: &Profile) -> Seen {
    let searcher = profile.searcher();
    let skill = |(name, text): &(String, String)| SkillText {
        name: name.clone(),
        space: String::new(),
        file: RepoPath::new(format!("{name}/SKILL.md")),
        outline: Some(outline(text, profile, &searcher).into()),
    };
    let tree = Tree {
        skills: vec![skill(&pair.caller), skill(&pair.callee)],
        ..Tree::default()
    };
    let found = audit(&tree, Some(&[0]), profile);
    seen(
        (&pair.caller.0, &pair.callee.0),
        Sort::Embedded,
        pair.expect,
        &found,
    )
}

fn seen((caller, callee): (&str, &str), sort: Sort, expect: Status, found: &Audit) -> Seen {
    let is = |chain: &&Chain| {
        chain.caller.raw() == caller.as_bytes() && chain.callee.raw() == callee.as_bytes()
    };
    let chain = found.chains.iter().find(is);
    Seen {
        caller: caller.to_owned(),
        callee: callee.to_owned(),
        sort,
        expect,
        got: chain.map(|chain| chain.status),
        basis: chain.map(|chain| chain.basis.clone()).unwrap_or_default(),
    }
}
