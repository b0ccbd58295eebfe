//! What a person says of a change to a frozen suite: whether a part that changed narrows it at all
//! (H22), whether a repaired scenario failed before the repair (spec-gate 2.10), whether Clearance
//! is granted and how high the ceiling lies (H19).
//!
//! A word binds the bytes it was said over: a part that changes again is spoken of no more.
//! Unmarked counts as narrowing. A repair that passes what was there before is a suspected
//! back-fit; that it passes now proves nothing.

use super::bar::{Floor, Semver};
use super::edit_class::{Change, Class, Edit, How, Route};
use super::scenario_diff::Sign;
use crate::model::id::Digest;
use crate::model::spec::quoted;
use crate::model::text::Foreign;

/// What a changed part comes to, in the eyes of a person.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// It demands less than before.
    Narrowing,
    /// It demands more.
    Strengthened,
    /// It demands the same of more cases.
    Widened,
    /// It demands the same in other words.
    Reworded,
}

impl Meaning {
    /// All, in the order they are offered.
    pub const ALL: [Self; 4] = [
        Self::Narrowing,
        Self::Strengthened,
        Self::Widened,
        Self::Reworded,
    ];

    /// As it is written.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Narrowing => "narrowing",
            Self::Strengthened => "strengthened",
            Self::Widened => "widened",
            Self::Reworded => "reworded",
        }
    }
}

/// How a repaired scenario fared against what was there before the repair.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Proof {
    /// It failed, as it must.
    Failed,
    /// It passed: a suspected back-fit.
    Passed,
}

impl Proof {
    /// As it is written.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Passed => "passed",
        }
    }
}

/// A word with who said it and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spoken<T> {
    /// The word.
    pub is: T,
    /// Who.
    pub by: Foreign,
    /// Why, or how it was seen.
    pub why: Foreign,
}

/// What can be said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Word {
    /// Of a part.
    Means(Meaning),
    /// Of a repaired scenario.
    Proved(Proof),
    /// Of the change: its narrowings are allowed.
    Granted,
    /// Of the change: its class may be this high.
    Ceiling(Semver),
}

impl Word {
    /// From the fields of a ledger line: the act, and its value.
    #[must_use]
    pub fn parse(act: &str, value: Option<&str>) -> Option<Self> {
        let value = value.unwrap_or_default();
        match act {
            "means" => {
                let mut all = Meaning::ALL.into_iter();
                all.find(|is| is.word() == value).map(Self::Means)
            }
            "pre-repair-proof" => {
                let mut all = [Proof::Failed, Proof::Passed].into_iter();
                all.find(|is| is.word() == value).map(Self::Proved)
            }
            "grant" => Some(Self::Granted),
            "ceiling" => Semver::parse(value).map(Self::Ceiling),
            _ => None,
        }
    }

    /// The act and its value, as a ledger line holds them.
    #[must_use]
    pub fn fields(self) -> (&'static str, Option<&'static str>) {
        match self {
            Self::Means(is) => ("means", Some(is.word())),
            Self::Proved(is) => ("pre-repair-proof", Some(is.word())),
            Self::Granted => ("grant", None),
            Self::Ceiling(class) => ("ceiling", Some(class.word())),
        }
    }
}

/// What a person said over which bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Said {
    /// [`of_part`] or [`of_all`].
    pub binds: Digest,
    /// The word.
    pub word: Spoken<Word>,
}

/// What a word about a part binds: the suite, the part, and both of its sides line by line.
#[must_use]
pub fn of_part(edit: &Edit, change: &Change) -> Digest {
    let empty = Foreign::default();
    let rule = change.rule.as_ref();
    let mut fields: Vec<&[u8]> = vec![
        b"countersign part 1",
        edit.path.as_bytes(),
        change.part.as_bytes(),
        if rule.is_some() { b"rule" } else { b"feature" },
        rule.unwrap_or(&empty).raw(),
        change.name.raw(),
        change.how.word().as_bytes(),
    ];
    for (sign, line) in &change.lines {
        fields.push(match sign {
            Sign::Same => b"same",
            Sign::Gone => b"gone",
            Sign::Come => b"come",
        });
        fields.push(line.raw());
    }
    Digest::of_fields(&fields)
}

/// What a word about the whole change binds: every edit with every part and event.
#[must_use]
pub fn of_all(edits: &[Edit]) -> Digest {
    let parts: Vec<(&Edit, Vec<Digest>)> = edits
        .iter()
        .map(|edit| {
            (
                edit,
                edit.changes.iter().map(|c| of_part(edit, c)).collect(),
            )
        })
        .collect();
    let mut fields: Vec<&[u8]> = vec![b"countersign edits 1"];
    for (edit, digests) in &parts {
        fields.extend([edit.path.as_bytes(), edit.class.word().as_bytes()]);
        fields.extend(edit.events.iter().map(|event| event.as_bytes()));
        fields.extend(digests.iter().map(|digest| digest.0.as_slice()));
    }
    Digest::of_fields(&fields)
}

/// Puts what was said, oldest first, on what it was said of; a later word takes the place of an
/// earlier one.
pub fn apply(edits: &mut [Edit], said: &[Said]) {
    let all = of_all(edits);
    for edit in edits {
        for at in 0..edit.changes.len() {
            let digest = edit.changes.get(at).map(|change| of_part(edit, change));
            let Some(change) = edit.changes.get_mut(at) else {
                continue;
            };
            for one in said.iter().filter(|one| Some(one.binds) == digest) {
                let Spoken { is, by, why } = one.word.clone();
                match is {
                    Word::Means(is) => change.meaning = Some(Spoken { is, by, why }),
                    Word::Proved(is) => change.proof = Some(Spoken { is, by, why }),
                    Word::Granted | Word::Ceiling(_) => {}
                }
            }
        }
        let mut words = said.iter().rev();
        let grant = words.find(|one| one.binds == all && one.word.is == Word::Granted);
        if matches!(edit.class, Class::Narrowing | Class::Mixed) {
            edit.granted = grant.map(|one| one.word.by.clone());
        }
    }
}

/// The ceiling that a person set for exactly these edits.
#[must_use]
pub fn ceiling(edits: &[Edit], said: &[Said]) -> Option<Spoken<Semver>> {
    let all = of_all(edits);
    said.iter().rev().find_map(|one| match one.word.is {
        Word::Ceiling(is) if one.binds == all => Some(Spoken {
            is,
            by: one.word.by.clone(),
            why: one.word.why.clone(),
        }),
        _ => None,
    })
}

impl Change {
    /// Whether it may narrow: it went, or says something else.
    #[must_use]
    pub fn may_narrow(&self) -> bool {
        self.how != How::Added
    }

    /// Whether it counts as a narrowing: it may be one, and nobody said it is none.
    #[must_use]
    pub fn narrows(&self) -> bool {
        let said = self.meaning.as_ref().map(|meaning| meaning.is);
        self.may_narrow() && said.is_none_or(|is| is == Meaning::Narrowing)
    }
}

impl Edit {
    /// Whether a person confirmed that it narrows (or that it does not); none while a part is
    /// unmarked and none is confirmed. Taking `@frozen` off cannot be explained away.
    #[must_use]
    pub fn confirmed(&self) -> Option<bool> {
        if !matches!(self.class, Class::Narrowing | Class::Mixed) {
            return None;
        }
        let mut parts = self.changes.iter().filter(|change| change.may_narrow());
        if parts
            .clone()
            .any(|change| change.meaning.is_some() && change.narrows())
        {
            return Some(true);
        }
        let any = parts.clone().next().is_some();
        let none = any && parts.all(|change| !change.narrows());
        (none && !self.events.contains(&"unfreeze")).then_some(false)
    }

    /// Where it leads, with what a person said of it.
    #[must_use]
    pub fn route(&self) -> Route {
        match self.confirmed() {
            Some(false) => Route::Clear,
            Some(true) | None => self.class.route(),
        }
    }

    /// Whether a person is still needed for it.
    #[must_use]
    pub fn needs_a_person(&self) -> bool {
        match self.route() {
            Route::Clearance => self.granted.is_none(),
            Route::Unclassifiable => true,
            Route::Clear | Route::None => false,
        }
    }

    /// Scenarios of it that were repaired under Clearance: they say something else than the frozen
    /// ones did.
    pub fn repairs(&self) -> impl Iterator<Item = &Change> {
        let cleared = self.route() == Route::Clearance;
        let repaired = |change: &&Change| change.part == "scenario" && change.how == How::Modified;
        let all = self.changes.iter().filter(move |_| cleared);
        all.filter(repaired).filter(|change| change.narrows())
    }
}

/// Why repairs may not be approved again. A missing proof is asked for once Clearance is allowed;
/// a back-fit closes in any case.
#[must_use]
pub fn unproved(edits: &[Edit], floors: &[Floor]) -> Vec<String> {
    let mut out = Vec::new();
    let mut missing = 0;
    for change in edits.iter().flat_map(Edit::repairs) {
        match change.proof.as_ref().map(|proof| proof.is) {
            Some(Proof::Failed) => {}
            Some(Proof::Passed) => out.push(format!(
                "{} passes what was there before its repair: a suspected back-fit",
                quoted(&change.name)
            )),
            None => missing += 1,
        }
    }
    let held = floors
        .iter()
        .any(|floor| floor.name == "Clearance" && floor.fires);
    if missing > 0 && !held {
        let noun = if missing == 1 {
            "repair has"
        } else {
            "repairs have"
        };
        out.insert(
            0,
            format!("{missing} {noun} no proof of failing against what was there before"),
        );
    }
    out
}
