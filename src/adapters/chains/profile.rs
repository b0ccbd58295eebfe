//! Profiles as TOML: the built-in ones and those of a person, all complaints at once.

use serde::Deserialize;

use crate::gate::chains::profile::{
    Binding, Dispatch, GroundTruth, KnownPair, Needed, Phrases, Profile,
};
use crate::model::chain::{Level, Status};

/// Name and text of the built-in profiles, the default first.
const BUILT_IN: [(&str, &str); 3] = [
    ("forge", include_str!("../../../assets/profiles/forge.toml")),
    (
        "literal",
        include_str!("../../../assets/profiles/literal.toml"),
    ),
    (
        "generic",
        include_str!("../../../assets/profiles/generic.toml"),
    ),
];

/// Most profiles that one may extend.
const DEPTH: usize = 8;

/// What is wrong with a profile: one line for each complaint, with a hint where there is one.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}", .0.join("\n"))]
pub struct BadProfile(pub Vec<String>);

/// The names of the built-in profiles.
pub fn names() -> impl Iterator<Item = &'static str> {
    BUILT_IN.iter().map(|(name, _)| *name)
}

/// The text of a built-in profile.
#[must_use]
pub fn built_in(name: &str) -> Option<&'static str> {
    BUILT_IN
        .iter()
        .find(|(one, _)| *one == name)
        .map(|(_, text)| *text)
}

/// Reads a profile from its text; `find` gives the text of one that it extends.
///
/// # Errors
/// Everything that is wrong with it, at once.
pub fn read(
    name: &str,
    text: &str,
    find: &dyn Fn(&str) -> Option<String>,
) -> Result<Profile, BadProfile> {
    let mut layers = Vec::new();
    let mut current = (name.to_owned(), text.to_owned());
    loop {
        let layer: Layer = toml::from_str(&current.1)
            .map_err(|error| BadProfile(vec![complaint(&current.0, &current.1, &error)]))?;
        let parent = layer.extends.clone();
        layers.push(layer);
        let Some(parent) = parent else {
            break;
        };
        if layers.len() > DEPTH {
            return Err(BadProfile(vec![format!(
                "{}: extends in a ring",
                current.0
            )]));
        }
        let Some(text) = built_in(&parent)
            .map(str::to_owned)
            .or_else(|| find(&parent))
        else {
            let all: Vec<&str> = names().collect();
            return Err(BadProfile(vec![format!(
                "{}: extends {parent}, which is no profile; built in are {}",
                current.0,
                all.join(", ")
            )]));
        };
        current = (parent, text);
    }
    let mut merged = layers.pop().unwrap_or_default();
    while let Some(over) = layers.pop() {
        merged.take(over);
    }
    merged.build(name)
}

fn complaint(name: &str, text: &str, error: &toml::de::Error) -> String {
    let line = error.span().map(|span| {
        let before = text.as_bytes().get(..span.start).unwrap_or_default();
        before.iter().filter(|byte| **byte == b'\n').count() + 1
    });
    let message = error.message().replace('\n', " ");
    match line {
        Some(line) => format!("{name}:{line}: {message}"),
        None => format!("{name}: {message}"),
    }
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Layer {
    extends: Option<String>,
    #[serde(default)]
    tiers: Tiers,
    #[serde(default)]
    waits: Waits,
    #[serde(default)]
    verdict: Verdict,
    #[serde(default)]
    sections: Sections,
    #[serde(default)]
    dispatch: Dispatching,
    ground: Option<Vec<Ground>>,
    known: Option<Vec<Known>>,
}

type Words = Option<Vec<String>>;

macro_rules! group {
    ($name:ident { $($field:ident : $type:ty),+ $(,)? }) => {
        #[derive(Deserialize, Default)]
        #[serde(deny_unknown_fields)]
        struct $name { $($field: $type),+ }
        impl $name {
            fn take(&mut self, over: Self) {
                $(if over.$field.is_some() { self.$field = over.$field; })+
            }
        }
    };
}

group!(Tiers {
    core: Words,
    gates: Words,
    proposal_only: Words
});
group!(Waits {
    signals: Words,
    near: Words,
    negations: Words,
    lifts: Words,
    window: Option<usize>,
    intents: Words,
    resolves: Words,
    binding: Option<String>,
});
group!(Verdict {
    labels: Words,
    pass: Option<String>,
    conditional: Option<String>,
    failing: Words,
    needed: Option<String>,
});
group!(Sections {
    chains: Words,
    linked: Words,
    done: Words,
    in_labels: Words,
    out_labels: Words,
});
group!(Dispatching {
    place: Option<String>,
    called_by: Words,
    calls_this: Words,
    mandatory: Words,
    mandatory_anywhere: Words,
    optional: Words,
    conditions: Words,
    forbids: Words,
    built_ins: Words,
    bare_words: Option<bool>,
    mentions: Option<bool>,
});

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ground {
    caller: String,
    callee: String,
    must_close: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    expect: String,
    caller: String,
    caller_text: String,
    callee: String,
    callee_text: String,
}

impl Layer {
    fn take(&mut self, over: Self) {
        self.tiers.take(over.tiers);
        self.waits.take(over.waits);
        self.verdict.take(over.verdict);
        self.sections.take(over.sections);
        self.dispatch.take(over.dispatch);
        if over.ground.is_some() {
            self.ground = over.ground;
        }
        if over.known.is_some() {
            self.known = over.known;
        }
    }

    fn build(self, name: &str) -> Result<Profile, BadProfile> {
        let mut bad = Vec::new();
        let mut one_of = |field: &str, value: Option<String>, allowed: &[&str]| {
            let value = value.unwrap_or_default();
            match allowed.iter().position(|word| *word == value) {
                Some(at) => at,
                None => {
                    bad.push(format!(
                        "{name}: {field} is `{value}`, must be one of {}",
                        allowed.join(", ")
                    ));
                    0
                }
            }
        };
        let binding = one_of("waits.binding", self.waits.binding, &["clause", "caller"]);
        let needed = one_of(
            "verdict.needed",
            self.verdict.needed,
            &["partial", "full", "literal"],
        );
        let place = one_of("dispatch.place", self.dispatch.place, &["words", "arrows"]);
        let mut known = Vec::new();
        for pair in self.known.unwrap_or_default() {
            let at = one_of("known.expect", Some(pair.expect), &["CLOSED", "OPEN"]);
            known.push(KnownPair {
                caller: (pair.caller, pair.caller_text),
                callee: (pair.callee, pair.callee_text),
                expect: if at == 0 {
                    Status::Closed
                } else {
                    Status::Open
                },
            });
        }
        for status in [Status::Closed, Status::Open] {
            if !known.iter().any(|pair| pair.expect == status) {
                bad.push(format!(
                    "{name}: no known {} pair, so nothing could be calibrated",
                    status.word()
                ));
            }
        }
        let ground = self.ground.unwrap_or_default().into_iter();
        let profile = Profile {
            name: name.to_owned(),
            core: self.tiers.core.unwrap_or_default(),
            gates: self.tiers.gates.unwrap_or_default(),
            proposal_only: self.tiers.proposal_only.unwrap_or_default(),
            signals: phrases(self.waits.signals),
            near: phrases(self.waits.near),
            negations: lower(self.waits.negations),
            lifts: lower(self.waits.lifts),
            window: self.waits.window.unwrap_or(4),
            intents: phrases(self.waits.intents),
            resolves: lower(self.waits.resolves),
            verdict_labels: self.verdict.labels.unwrap_or_default(),
            pass: self.verdict.pass.unwrap_or_default(),
            conditional_pass: self.verdict.conditional.unwrap_or_default(),
            failing: self.verdict.failing.unwrap_or_default(),
            needed: match needed {
                0 => Needed::Level(Level::Partial),
                1 => Needed::Level(Level::Full),
                _ => Needed::Literal,
            },
            binding: if binding == 0 {
                Binding::Clause
            } else {
                Binding::Caller
            },
            dispatch: if place == 0 {
                Dispatch::Words
            } else {
                Dispatch::Arrows
            },
            chain_headings: lower(self.sections.chains),
            linked_headings: lower(self.sections.linked),
            done_headings: lower(self.sections.done),
            in_labels: lower(self.sections.in_labels),
            out_labels: lower(self.sections.out_labels),
            called_by: phrases(self.dispatch.called_by),
            calls_this: phrases(self.dispatch.calls_this),
            mandatory: phrases(self.dispatch.mandatory),
            mandatory_anywhere: phrases(self.dispatch.mandatory_anywhere),
            optional: phrases(self.dispatch.optional),
            conditions: phrases(self.dispatch.conditions),
            forbids: phrases(self.dispatch.forbids),
            built_ins: self.dispatch.built_ins.unwrap_or_default(),
            bare_words: self.dispatch.bare_words.unwrap_or(true),
            mentions: self.dispatch.mentions.unwrap_or(false),
            known,
            ground: ground
                .map(|pair| GroundTruth {
                    caller: pair.caller,
                    callee: pair.callee,
                    must_close: pair.must_close,
                })
                .collect(),
        };
        for (field, empty) in [
            ("waits.signals", profile.signals.is_empty()),
            ("verdict.labels", profile.verdict_labels.is_empty()),
            ("verdict.pass", profile.pass.is_empty()),
            ("sections.chains", profile.chain_headings.is_empty()),
            ("sections.done", profile.done_headings.is_empty()),
        ] {
            if empty {
                bad.push(format!("{name}: {field} is empty"));
            }
        }
        if bad.is_empty() {
            Ok(profile)
        } else {
            Err(BadProfile(bad))
        }
    }
}

fn phrases(words: Words) -> Phrases {
    Phrases::new(words.unwrap_or_default())
}

fn lower(words: Words) -> Vec<String> {
    let words = words.unwrap_or_default();
    words.iter().map(|text| text.to_lowercase()).collect()
}
