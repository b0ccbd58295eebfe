//! What the rows of the contract come to at the gate, by their disposition (verdict-menus 3.2).

use super::disposition::RowSays;
use super::report::{Delivers, Item};
use crate::model::known::Known;
use crate::model::text::{Foreign, Place};

/// What the review says of the half of a row that code and tests can show.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Judged {
    /// A code path, a real test, and documents that agree.
    Covered,
    /// One of them is missing.
    Gap,
    /// Only words are wrong, which blocks nothing.
    Wording,
}

/// What a row comes to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Done.
    Covered,
    /// It blocks; why.
    Gap(&'static str),
    /// Intentionally different.
    Deviates,
    /// Elsewhere and later; where.
    Deferred(String),
    /// The mechanism is done, the observation is not judged here.
    Observed,
    /// A row of another repository.
    Elsewhere,
    /// Only words are wrong.
    Wording,
}

impl Outcome {
    /// The word in a document.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Covered => "covered",
            Self::Gap(_) => "gap",
            Self::Deviates => "deviates per spec",
            Self::Deferred(_) => "deferred per spec",
            Self::Observed => "not judged here",
            Self::Elsewhere => "elsewhere per spec",
            Self::Wording => "wording",
        }
    }
}

/// What the assessed head holds where the spec of the contract is named.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SpecAt {
    /// The file.
    Here,
    /// Nothing, or no file.
    Missing,
    /// It could not be looked at; why, a fragment.
    Unknown(String),
}

/// The one blocker of a spec that is named and is not there: no row counts then, and what the
/// pull request says of itself takes its place in nothing (verdict-menus 3.2, edge 43). What could
/// not be looked at blocks as well.
#[must_use]
pub fn no_spec(path: &Foreign, at: &SpecAt) -> Option<Item> {
    let path_shown = path.shown(Place::Strict);
    let text = match at {
        SpecAt::Here => return None,
        SpecAt::Missing => format!(
            "The spec that the description names, {path_shown}, is not in the assessed head, so \
             nothing says what is to be delivered."
        ),
        SpecAt::Unknown(why) => format!(
            "Whether the assessed head holds the spec that the description names, {path_shown}, \
             could not be looked at: {why}."
        ),
    };
    Some(Item {
        text: text.into(),
        locator: path.clone(),
        last_decision: None,
    })
}

/// The outcome of one row. A disposition that cannot be read is a gap, whatever a tracker says
/// about it; a half that nobody judged is one as well.
#[must_use]
pub fn outcome(disposition: &str, judged: &Known<Judged>) -> Outcome {
    let says = match RowSays::read(disposition) {
        Ok(says) => says,
        Err(why) => return Outcome::Gap(why),
    };
    let half = |done: Outcome| match judged {
        Known::Is(Judged::Covered) => done,
        Known::Is(Judged::Wording) => Outcome::Wording,
        Known::Is(Judged::Gap) => Outcome::Gap("code, test or documents do not cover it"),
        _ => Outcome::Gap("nobody judged it"),
    };
    match says {
        RowSays::InScope => half(Outcome::Covered),
        RowSays::Venue(_) => half(Outcome::Observed),
        RowSays::Deviates(_) if judged.known() == Some(&Judged::Gap) => {
            Outcome::Gap("an adopted part of the design is missing")
        }
        RowSays::Deviates(_) => Outcome::Deviates,
        RowSays::Deferred(place) => Outcome::Deferred(place),
        RowSays::Elsewhere(_) => Outcome::Elsewhere,
    }
}

/// The counts of the `Delivers:` line; without rows there is no second sentence.
#[must_use]
pub fn delivers(does: Foreign, outcomes: &[Outcome], with_spec: bool) -> Delivers {
    let count = |wanted: &dyn Fn(&Outcome) -> bool| {
        let found = outcomes.iter().filter(|outcome| wanted(outcome)).count();
        u32::try_from(found).unwrap_or(u32::MAX)
    };
    let observed = count(&|o| *o == Outcome::Observed);
    Delivers {
        does,
        covered: with_spec.then(|| count(&|o| matches!(o, Outcome::Covered | Outcome::Wording))),
        deferred: outcomes
            .iter()
            .filter_map(|outcome| match outcome {
                Outcome::Deferred(place) => Some(Foreign::from(place.as_str())),
                _ => None,
            })
            .collect(),
        deviates: count(&|o| *o == Outcome::Deviates),
        observed,
        elsewhere: count(&|o| *o == Outcome::Elsewhere),
    }
}
