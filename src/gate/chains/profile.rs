//! A profile: the words, tiers and levels by which a house of skills is audited. It is data; the
//! built-in ones lie in `assets/profiles`.

use std::borrow::Cow;

use regex::bytes::{Regex, RegexBuilder};

use crate::model::chain::{Level, Severity, Status};

pub use super::words::{Phrase, Phrases};

/// How a wait finds its callee.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binding {
    /// By the clause, else the row, else the only callee (chain-gate 2.5 point 6).
    Clause,
    /// Any wait of the caller counts for all its callees, negated or not: the source by the letter.
    Caller,
}

/// Where a dispatch may stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dispatch {
    /// Everywhere the words say so.
    Words,
    /// Only after an arrow in a chain section: the source by the letter.
    Arrows,
}

/// How much of a verdict line closes a chain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Needed {
    /// At least this level.
    Level(Level),
    /// The source's line as printed: the four words between pipes on one physical line.
    Literal,
}

/// A text pair whose answer is known, and what it must come out as (rulings A6).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KnownPair {
    /// Name and text of the caller.
    pub caller: (String, String),
    /// Name and text of the callee.
    pub callee: (String, String),
    /// What it is.
    pub expect: Status,
}

/// A pair of real skills that the house calls its ground truth.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GroundTruth {
    /// Who dispatches.
    pub caller: String,
    /// Who answers.
    pub callee: String,
    /// Whether it must be CLOSED where it is found; else it is reported as declared.
    pub must_close: bool,
}

/// The words and tiers of an audit.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Its name.
    pub name: String,
    /// Globs of skills in the upper tier.
    pub core: Vec<String>,
    /// Globs of diagnostic and gate skills.
    pub gates: Vec<String>,
    /// Globs of skills whose edits are proposals only.
    pub proposal_only: Vec<String>,
    /// Pass A.
    pub signals: Phrases,
    /// Words close to Pass A: a badge, never a pass.
    pub near: Phrases,
    /// Words that deny a wait; one that is not ASCII is a stem and may stand on either side.
    pub negations: Vec<String>,
    /// Words between a negation and a wait that turn it round (`not done until`).
    pub lifts: Vec<String>,
    /// How many words around a wait a negation is looked for in.
    pub window: usize,
    /// Words that declare a gap as intended.
    pub intents: Phrases,
    /// Parts of words that speak of conditions and their resolution.
    pub resolves: Vec<String>,
    /// Labels of a verdict line.
    pub verdict_labels: Vec<String>,
    /// The four verdicts: pass, pass with conditions, and those that stop.
    pub pass: String,
    /// See `pass`.
    pub conditional_pass: String,
    /// See `pass`.
    pub failing: Vec<String>,
    /// How much of a verdict line closes a chain.
    pub needed: Needed,
    /// How a wait finds its callee.
    pub binding: Binding,
    /// Where a dispatch may stand.
    pub dispatch: Dispatch,
    /// Headings of chain sections.
    pub chain_headings: Vec<String>,
    /// Headings of sections that only link.
    pub linked_headings: Vec<String>,
    /// Headings of completion sections.
    pub done_headings: Vec<String>,
    /// Labels under which others call this skill.
    pub in_labels: Vec<String>,
    /// Labels under which this skill calls others.
    pub out_labels: Vec<String>,
    /// Wording before the name of a skill that calls this one.
    pub called_by: Phrases,
    /// Wording after the name of a skill that calls this one.
    pub calls_this: Phrases,
    /// Wording that demands a dispatch, in a section.
    pub mandatory: Phrases,
    /// Wording that demands a dispatch anywhere.
    pub mandatory_anywhere: Phrases,
    /// Wording that makes it an offer.
    pub optional: Phrases,
    /// Wording that puts it under a condition.
    pub conditions: Phrases,
    /// Wording that forbids a dispatch.
    pub forbids: Phrases,
    /// Commands of the host.
    pub built_ins: Vec<String>,
    /// Whether a bare word without a hyphen may be a name.
    pub bare_words: bool,
    /// Whether names outside every section are drawn in the map.
    pub mentions: bool,
    /// The pairs that are looked at first.
    pub known: Vec<KnownPair>,
    /// Pairs of real skills, where they are found.
    pub ground: Vec<GroundTruth>,
}

/// A glob of names: `*` stands for anything.
fn globbed(glob: &str, name: &str) -> bool {
    match glob.split_once('*') {
        None => glob == name,
        Some((head, rest)) => name.strip_prefix(head).is_some_and(|tail| {
            let cuts = tail.char_indices().map(|(at, _)| at);
            cuts.chain([tail.len()])
                .any(|at| globbed(rest, &tail[at..]))
        }),
    }
}

impl Profile {
    /// The tier of a caller.
    #[must_use]
    pub fn tier(&self, name: &str) -> Severity {
        let of = |globs: &[String]| globs.iter().any(|glob| globbed(glob, name));
        if of(&self.core) {
            Severity::High
        } else if of(&self.gates) {
            Severity::Medium
        } else {
            Severity::Low
        }
    }

    /// Whether edits of this skill are proposals only.
    #[must_use]
    pub fn proposes_only(&self, name: &str) -> bool {
        self.proposal_only.iter().any(|glob| globbed(glob, name))
    }

    /// All verdicts, in the source's order.
    pub(super) fn verdicts(&self) -> impl Iterator<Item = &str> {
        [self.pass.as_str(), self.conditional_pass.as_str()]
            .into_iter()
            .chain(self.failing.iter().map(String::as_str))
    }

    /// What is searched for outside every section: a paragraph without it is not kept.
    #[must_use]
    pub fn searcher(&self) -> Searcher {
        let mut parts: Vec<String> = Vec::new();
        // for each part a text that stands in whatever it matches
        let mut words: Vec<&str> = Vec::new();
        let lists = [&self.signals, &self.mandatory_anywhere];
        if self.dispatch == Dispatch::Words {
            for phrase in lists.into_iter().flat_map(|list| list.iter()) {
                parts.push(phrase.pattern());
                words.push(phrase.longest());
            }
            let headings = self.linked_headings.iter().chain(&self.done_headings);
            for text in headings {
                parts.push(format!("{}\\**:", regex::escape(text)));
                words.push(text);
            }
            for text in &self.verdict_labels {
                parts.push(format!("\\b{}[*_`]*:", regex::escape(text)));
                words.push(text);
            }
            let table = regex::escape(&self.pass);
            parts.push(format!("(?m-i:^ *\\|.*\\b{table}\\b)"));
            words.push(&self.pass);
        }
        if self.mentions {
            parts.push("/SKILL\\.md\\)".to_owned());
            parts.push("`/?[a-z0-9]+(?:[-:][a-z0-9-]+)*[ `]".to_owned());
            parts.push("(?:^|[ (>*])/(?:skill:)?[a-z0-9][a-z0-9-]+".to_owned());
            parts.push("\\b[a-z0-9-]+:[a-z0-9]+-[a-z0-9-]+".to_owned());
        }
        let built = |pattern: &str, any_case: bool| {
            RegexBuilder::new(pattern)
                .case_insensitive(any_case)
                .unicode(false)
                .build()
                .ok()
        };
        let exact = (!parts.is_empty()).then(|| built(&parts.join("|"), true));
        let literal = |word: &&str| regex::escape(&word.to_ascii_lowercase());
        let all: Vec<String> = words.iter().map(literal).collect();
        let whole =
            !self.mentions && !words.is_empty() && words.iter().all(|word| !word.is_empty());
        Searcher {
            exact: exact.flatten(),
            near: whole.then(|| built(&all.join("|"), false)).flatten(),
        }
    }
}

/// What is worth keeping outside the sections.
#[derive(Clone, Debug)]
pub struct Searcher {
    exact: Option<Regex>,
    /// Plain words in lower case, one of which stands in whatever `exact` matches: many times
    /// faster to look for. `None` when there is no such list.
    near: Option<Regex>,
}

impl Searcher {
    /// Whether a paragraph is worth keeping.
    pub(super) fn hits(&self, block: &[u8]) -> bool {
        let exact = self.exact.as_ref();
        exact.is_some_and(|regex| regex.is_match(block))
    }

    /// A text as [`Searcher::next`] wants it.
    pub(super) fn ready<'t>(&self, text: &'t str) -> Cow<'t, [u8]> {
        match self.near {
            Some(_) => Cow::Owned(text.as_bytes().to_ascii_lowercase()),
            None => Cow::Borrowed(text.as_bytes()),
        }
    }

    /// A place before the end of the next hit at or after `from`; there may be no hit there, and
    /// before it there is none.
    pub(super) fn next(&self, ready: &[u8], from: usize) -> Option<usize> {
        // where a hit ends first is all that is asked, so that it is not searched backwards
        let regex = self.near.as_ref().or(self.exact.as_ref())?;
        let end = regex.shortest_match_at(ready, from)?;
        Some(end.saturating_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_stands_for_any_run() {
        assert!(globbed("*-quench", "steel-quench"));
        assert!(globbed("harvest-loop", "harvest-loop"));
        assert!(globbed("a*c*e", "abcde"));
        assert!(!globbed("a*c*e", "abcd"));
        assert!(!globbed("loop", "harvest-loop"));
    }
}
