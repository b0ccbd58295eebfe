//! The bar of a gate: hard floor first, then how far an agent may go by itself, and which acts
//! are open to a person. No weights; every result names its driver.

use super::clearance;
use super::edit_class::{Class, Edit, Route};
use super::judge_report::Report;
use crate::model::known::Known;
use crate::model::spec::{Note, Weight, count, quoted};

/// Classes of a change, by what they break.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[expect(missing_docs, reason = "the words of semantic versioning")]
pub enum Semver {
    Patch,
    Minor,
    Major,
}

impl Semver {
    /// As the sources write it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Patch => "patch",
            Self::Minor => "minor",
            Self::Major => "major",
        }
    }

    /// A class, or a run mode that means one.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "patch" | "bug-fix-only" => Self::Patch,
            "minor" | "default" | "analyze-and-defer-breaking" => Self::Minor,
            "major" | "expected-breaking" => Self::Major,
            _ => return None,
        })
    }
}

/// The class that edits of suites come to: whatever was lost or changed is major, what was added
/// is minor. Nothing can be said when an edit is unclassifiable.
#[must_use]
pub fn semver(edits: &[Edit], added: bool) -> Option<Semver> {
    let mut class = if added { Semver::Minor } else { Semver::Patch };
    for edit in edits {
        let of = match edit.class {
            Class::Unclassifiable => return None,
            // what a person said narrows nothing breaks nothing
            Class::Narrowing | Class::Mixed if edit.confirmed() == Some(false) => Semver::Minor,
            Class::Narrowing | Class::Mixed => Semver::Major,
            Class::Additive => Semver::Minor,
            Class::NoContentChange | Class::UnfrozenSkip => Semver::Patch,
        };
        class = class.max(of);
    }
    Some(class)
}

/// A floor of the four.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Floor {
    /// `Clearance`, `Compatibility`, `Conflict`.
    pub name: &'static str,
    /// Whether it stops the agent.
    pub fires: bool,
    /// Why, or what allows it.
    pub why: String,
}

/// What allows a floor to be passed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Allowed {
    /// Where Clearance was allowed, when it was.
    pub clearance: Option<String>,
    /// Where it was only claimed by the change itself.
    pub claimed: Option<String>,
    /// The ceiling.
    pub ceiling: Option<Semver>,
    /// Where the ceiling stands.
    pub ceiling_from: String,
}

/// The floors that a change meets at the spec gate. Consent never fires at authoring; Conflict is
/// shown here and fires at the implementation gate.
#[must_use]
pub fn floors(
    edits: &[Edit],
    semver: Option<Semver>,
    conflicts: &[String],
    allowed: &Allowed,
) -> Vec<Floor> {
    let mut out = Vec::new();
    let narrowed: Vec<&Edit> = edits
        .iter()
        .filter(|edit| matches!(edit.route(), Route::Clearance | Route::Unclassifiable))
        .collect();
    if !narrowed.is_empty() {
        let blind = narrowed
            .iter()
            .any(|edit| edit.class == Class::Unclassifiable);
        let lost = narrowed.iter().flat_map(|edit| &edit.changes);
        let lost = lost.filter(|change| change.narrows()).count();
        let granted = narrowed.iter().find_map(|edit| edit.granted.as_ref());
        let granted = granted.filter(|_| !narrowed.iter().any(|edit| edit.needs_a_person()));
        let what = if blind {
            String::from("an edit of a frozen suite cannot be classified")
        } else {
            match lost {
                0 => String::from("`@frozen` was taken off"),
                1 => String::from("1 part of a frozen suite was changed or removed"),
                _ => format!("{lost} parts of frozen suites were changed or removed"),
            }
        };
        let (fires, why) = match (&allowed.clearance, granted, &allowed.claimed) {
            (Some(place), _, _) if !blind => (false, format!("{what}; allowed by {place}")),
            (_, Some(by), _) => (false, format!("{what}; granted by {}", quoted(by))),
            (_, _, Some(claim)) => (
                true,
                format!("{what}; {claim} claims it is allowed, and does not count"),
            ),
            _ => (true, what),
        };
        out.push(Floor {
            name: "Clearance",
            fires,
            why,
        });
    }
    let ceiling = allowed.ceiling.unwrap_or(Semver::Minor);
    let above = semver.is_none_or(|class| class > ceiling);
    if above {
        let class = semver.map_or("not known", Semver::word);
        out.push(Floor {
            name: "Compatibility",
            fires: true,
            why: format!(
                "the class of the change is {class}, the ceiling {} ({})",
                ceiling.word(),
                allowed.ceiling_from
            ),
        });
    }
    for conflict in conflicts {
        out.push(Floor {
            name: "Conflict",
            fires: false,
            why: format!("{conflict}; it fires at the implementation gate"),
        });
    }
    out
}

/// How far an agent may go by itself.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[expect(missing_docs, reason = "the words of the sources")]
pub enum Leash {
    AutoNone,
    AutoSpec,
    AutoAll,
}

impl Leash {
    /// As the sources write it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::AutoNone => "auto-none",
            Self::AutoSpec => "auto-spec",
            Self::AutoAll => "auto-all",
        }
    }

    /// From its word.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        [Self::AutoNone, Self::AutoSpec, Self::AutoAll]
            .into_iter()
            .find(|leash| leash.word() == text)
    }
}

/// The leash of a change, with what drove it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Held {
    /// What the rules derive at this gate.
    pub derived: Leash,
    /// What a person allows.
    pub ceiling: Leash,
    /// The shorter of both.
    pub effective: Leash,
    /// What decided.
    pub driver: String,
}

/// Derives the leash: a floor that fires leaves none; below the floor confidence decides, and
/// confidence is high only when nothing at all speaks against approving. Blast never decides.
#[must_use]
pub fn leash(floors: &[Floor], closed: &[String], ceiling: Leash) -> Held {
    let fired = floors.iter().find(|floor| floor.fires);
    let (derived, driver) = match (fired, closed.first()) {
        (Some(floor), _) => (Leash::AutoNone, format!("floor: {}", floor.name)),
        (None, Some(why)) => (Leash::AutoNone, format!("confidence: {why}")),
        (None, None) => {
            let why = "structure, edits and judge speak for it";
            (Leash::AutoSpec, format!("confidence: {why}"))
        }
    };
    let effective = derived.min(ceiling);
    let driver = if effective < derived {
        String::from("the person's ceiling")
    } else {
        driver
    };
    Held {
        derived,
        ceiling,
        effective,
        driver,
    }
}

/// How far a change reaches; advisory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Blast {
    /// `low`, `medium`, `high`, or none when nothing can be said.
    pub level: Option<&'static str>,
    /// Points for how many areas are touched.
    pub breadth: u32,
    /// Points for how many others lean on them.
    pub centrality: u32,
    /// Points for areas that are listed as sensitive.
    pub sensitive: u32,
    /// Against what the approval declares.
    pub line_up: &'static str,
}

/// What the blast engine looks at.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reach {
    /// Areas touched.
    pub areas: usize,
    /// Areas there are.
    pub of: usize,
    /// The most others that lean on one of them.
    pub fan_in: usize,
    /// Whether one is listed as sensitive; none when the list could not be read.
    pub sensitive: Option<bool>,
    /// What the approval declares.
    pub declared: Option<String>,
}

/// The blast level: three points are high, one is medium.
#[must_use]
pub fn blast(reach: &Reach) -> Blast {
    let whole = reach.of > 1 && reach.areas == reach.of;
    let breadth = match reach.areas {
        _ if whole => 3,
        0 | 1 => 0,
        2 | 3 => 1,
        _ => 3,
    };
    let centrality = match reach.fan_in {
        0 => 0,
        1 | 2 => 1,
        3..=6 => 2,
        _ => 3,
    };
    let sensitive = if reach.sensitive == Some(true) { 2 } else { 0 };
    let level = match breadth + centrality + sensitive {
        _ if reach.areas == 0 || reach.sensitive.is_none() => None,
        0 => Some("low"),
        1 | 2 => Some("medium"),
        _ => Some("high"),
    };
    let rank = |word: &str| {
        ["low", "medium", "high"]
            .iter()
            .position(|known| *known == word)
    };
    let declared = reach.declared.as_deref().and_then(|text| {
        let first = text.split(|c: char| !c.is_ascii_alphabetic()).next();
        first.and_then(rank)
    });
    let line_up = match (declared, level.and_then(rank)) {
        (None, _) => "no-declared",
        (Some(_), None) => "unknown",
        (Some(said), Some(is)) if said < is => "under-called",
        (Some(said), Some(is)) if said > is => "over-called",
        _ => "agrees",
    };
    Blast {
        level,
        breadth,
        centrality,
        sensitive,
        line_up,
    }
}

/// Why approving and ratifying are closed, all reasons at once; empty when they are open (H17).
/// What could not be looked at closes as well.
#[must_use]
pub fn closed(
    structural: &[Note],
    open_markers: usize,
    edits: &[Edit],
    judge: &Known<Report>,
    floors: &[Floor],
) -> Vec<String> {
    let mut out = Vec::new();
    let violations = structural
        .iter()
        .filter(|note| note.weight == Weight::Violation)
        .count();
    if violations > 0 {
        out.push(format!("{} of structure", count(violations, "violation")));
    }
    if open_markers > 0 {
        out.push(count(open_markers, "open marker"));
    }
    let blind = edits
        .iter()
        .filter(|edit| edit.class == Class::Unclassifiable)
        .count();
    if blind > 0 {
        out.push(format!(
            "{} of frozen suites cannot be classified",
            count(blind, "edit")
        ));
    }
    match judge {
        Known::Is(report) => out.extend(report.blocks()),
        Known::Unknown(why) => out.push(format!("the judge report cannot be read: {why}")),
        Known::NotSupplied | Known::NotApplicable(_) => {
            out.push(String::from("there is no judge report"));
        }
    }
    for floor in floors.iter().filter(|floor| floor.fires) {
        out.push(format!("{}: {}", floor.name, floor.why));
    }
    out.extend(clearance::unproved(edits, floors));
    out
}
