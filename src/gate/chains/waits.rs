//! Pass A: the clauses of a Done When, whom they name, and whether they wait (chain-gate 2.5
//! point 6).

use super::document::{Outline, Role, Unit};
use super::edges::{Reading, Target, target};
use super::profile::Profile;
use super::verdict_line;
use super::words::{Word, clauses, words};

/// A clause that waits, denies a wait, comes close to it or speaks of conditions.
#[derive(Clone, Debug)]
pub(super) struct Clause {
    /// Whether it stands in Done When.
    pub(super) done: bool,
    /// Whom it names, else whom its row names.
    pub(super) named: Vec<Target>,
    /// The wait.
    pub(super) wait: Option<Waits>,
    /// Whether it uses words close to a wait.
    pub(super) near: bool,
    /// Whether it declares a gap as intended.
    pub(super) intent: bool,
    /// Whether it speaks of conditions and their resolution.
    pub(super) resolves: bool,
    /// First and last line of the wait, else of the clause's first word.
    pub(super) lines: (u32, u32),
    /// The whole row, on one line.
    pub(super) text: String,
}

/// How it waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Waits {
    Yes,
    No,
}

/// Every clause of a file that matters.
pub(super) fn read(outline: &Outline, reading: &Reading<'_>, extra: &[Target]) -> Vec<Clause> {
    let mut out = Vec::new();
    for part in &outline.parts {
        for unit in &part.units {
            unit_clauses(unit, part.role == Role::Done, reading, extra, &mut out);
        }
    }
    out
}

fn unit_clauses(
    unit: &Unit,
    done: bool,
    reading: &Reading<'_>,
    extra: &[Target],
    out: &mut Vec<Clause>,
) {
    let profile = reading.profile;
    let text = &unit.text;
    let mut row: Option<Vec<Target>> = None;
    for (start, end) in clauses(text, false) {
        let clause = &text[start..end];
        let found = words(clause);
        let wait = waits(clause, &found, profile);
        let near = done && comes_near(clause, &found, profile);
        let resolves = done && speaks(clause, &profile.resolves);
        if wait.is_none() && !near && !resolves {
            continue;
        }
        let mut named = named(clause, reading, extra);
        // the skill's own verdict line promises nothing about a callee that it does not name
        let own = || verdict_line::is_one(text, profile);
        let resolves = resolves && !(named.is_empty() && own());
        if named.is_empty() {
            let of_row = row.get_or_insert_with(|| self::named(text, reading, extra));
            named.clone_from(of_row);
        }
        let (from, to) = wait.map_or((0, 0), |(_, place)| place);
        out.push(Clause {
            done,
            named,
            wait: wait.map(|(wait, _)| wait),
            near,
            intent: profile.intents.stand(clause, &found),
            resolves,
            lines: (unit.line_at(start + from), unit.line_at(start + to)),
            text: one_line(text),
        });
    }
}

/// Whether one of some parts of words stands in a text, in any case.
fn speaks(text: &str, parts: &[String]) -> bool {
    let bytes = text.as_bytes();
    parts.iter().any(|part| {
        let Some(first) = part.as_bytes().first().filter(|_| part.is_ascii()) else {
            return text.to_lowercase().contains(part.as_str());
        };
        let mut starts = memchr::memchr2_iter(*first, first.to_ascii_uppercase(), bytes);
        starts.any(|at| {
            let here = bytes.get(at..at + part.len());
            here.is_some_and(|here| here.eq_ignore_ascii_case(part.as_bytes()))
        })
    })
}

/// A row without its marker, on one line.
fn one_line(text: &str) -> String {
    let bare = text[super::document::marker(text)..].trim();
    bare.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whom a text names: skills and agents of the tree, and targets of the caller that are missing.
fn named(text: &str, reading: &Reading<'_>, extra: &[Target]) -> Vec<Target> {
    let others = reading.others(text, true);
    let mut named: Vec<Target> = others.iter().map(|mention| target(text, mention)).collect();
    if !extra.is_empty() {
        let found = words(text);
        for missing in extra {
            let Target::None(_, name) = missing else {
                continue;
            };
            if found.iter().any(|word| &text[word.start..word.end] == name) {
                named.push(missing.clone());
            }
        }
    }
    named.sort();
    named.dedup();
    named
}

/// Whether a clause waits, and where the first and the last word of it begin. A wait beats a denial in the same clause.
fn waits(clause: &str, found: &[Word], profile: &Profile) -> Option<(Waits, (usize, usize))> {
    let mut denied = None;
    for (_, first, last) in profile.signals.found(clause, found) {
        let from = found.get(first).map_or(0, |word| word.start);
        let place = (from, found.get(last).map_or(from, |word| word.start));
        if !negated(clause, found, (first, last), profile) {
            return Some((Waits::Yes, place));
        }
        denied = denied.or(Some((Waits::No, place)));
    }
    denied
}

/// Whether close words stand there; what is read *by* somebody is read by another skill.
fn comes_near(clause: &str, found: &[Word], profile: &Profile) -> bool {
    profile.near.found(clause, found).any(|(_, _, last)| {
        let next = found
            .get(last + 1)
            .map(|word| &clause[word.start..word.end]);
        next.is_none_or(|next| !next.eq_ignore_ascii_case("by"))
    })
}

/// Whether a denial stands near enough to a wait.
fn negated(clause: &str, found: &[Word], (first, last): (usize, usize), profile: &Profile) -> bool {
    let text = |word: &Word| &clause[word.start..word.end];
    let from = first.saturating_sub(profile.window);
    for word in found[from..first].iter().rev() {
        let word = text(word);
        if profile
            .lifts
            .iter()
            .any(|lift| lift.eq_ignore_ascii_case(word))
        {
            break;
        }
        if denies(word, profile) {
            return true;
        }
    }
    let mut before = found.get(last).map_or(0, |word| word.end);
    for word in found.iter().skip(last + 1).take(profile.window) {
        if clause[before..word.start].contains(',') {
            break;
        }
        before = word.end;
        let word = text(word);
        if !word.is_ascii() && denies(word, profile) {
            return true;
        }
    }
    false
}

fn denies(word: &str, profile: &Profile) -> bool {
    let word = word.replace('’', "'").to_lowercase();
    word.ends_with("n't")
        || profile.negations.iter().any(|no| {
            if no.is_ascii() {
                *no == word
            } else {
                word.contains(no.as_str())
            }
        })
}
