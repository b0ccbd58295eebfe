//! `spec edit-class`: what an edit did to a frozen suite, on the syntax tree.
//!
//! A scenario is known by its rule, its name and its place among those of the same name (edge
//! 19); backgrounds, rules, examples with names and tags, feature tags, name and description
//! count (G16). Comments, layout, order of scenarios and descriptions of scenarios do not.

use super::clearance::{Meaning, Proof, Spoken};
use super::scenario_diff::{self, of_background, of_head, of_scenario};
use super::signature::{self, Part};
use crate::model::id::RepoPath;
use crate::model::known::Known;
use crate::model::spec::feature::{Background, Feature, Rule, Scenario, StepKind, Suite, Tag};
use crate::model::text::Foreign;

/// The class of an edit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[expect(missing_docs, reason = "the words of the interface")]
pub enum Class {
    UnfrozenSkip,
    NoContentChange,
    Additive,
    Narrowing,
    Mixed,
    Unclassifiable,
}

/// Where a class leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Route {
    /// It clears itself.
    Clear,
    /// A person has to allow it.
    Clearance,
    /// It needs no class.
    None,
    /// Nothing goes on.
    Unclassifiable,
}

impl Class {
    /// As the interface writes it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::UnfrozenSkip => "unfrozen-skip",
            Self::NoContentChange => "no-content-change",
            Self::Additive => "additive",
            Self::Narrowing => "narrowing",
            Self::Mixed => "mixed",
            Self::Unclassifiable => "unclassifiable",
        }
    }

    /// Where it leads.
    #[must_use]
    pub fn route(self) -> Route {
        match self {
            Self::UnfrozenSkip => Route::None,
            Self::NoContentChange | Self::Additive => Route::Clear,
            Self::Narrowing | Self::Mixed => Route::Clearance,
            Self::Unclassifiable => Route::Unclassifiable,
        }
    }
}

impl Route {
    /// As the interface writes it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Clear => "clear",
            Self::Clearance => "clearance",
            Self::None => "none",
            Self::Unclassifiable => "unclassifiable",
        }
    }
}

/// One side of an edit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Side {
    /// There is no such file.
    Absent,
    /// It was read; it may hold errors.
    Read {
        /// The tree.
        suite: Box<Suite>,
        /// Whether `@frozen` stands anywhere in its bytes.
        says_frozen: bool,
    },
    /// It could not be read.
    Unread(String),
}

impl Side {
    fn suite(&self) -> Option<&Suite> {
        match self {
            Self::Read { suite, .. } => Some(suite),
            Self::Absent | Self::Unread(_) => None,
        }
    }

    fn frozen(&self) -> bool {
        self.suite().is_some_and(|suite| suite.tagged("frozen"))
    }

    /// Why it cannot be classified, when it cannot.
    fn fault(&self, which: &str) -> Option<String> {
        match self {
            Self::Absent => None,
            Self::Unread(why) => Some(format!("{which} could not be read: {why}")),
            Self::Read { suite, .. } => suite
                .errors
                .first()
                .map(|(line, why)| format!("{which} is no Gherkin, line {line}: {why}")),
        }
    }

    /// Whether it may be frozen although it cannot be parsed.
    fn may_be_frozen(&self) -> bool {
        match self {
            Self::Absent => false,
            Self::Unread(_) => true,
            Self::Read { suite, says_frozen } => {
                self.frozen() || (!suite.errors.is_empty() && *says_frozen)
            }
        }
    }
}

/// How a part of a suite changed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum How {
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// It says something else.
    Modified,
}

impl How {
    /// As the interface writes it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Modified => "modified",
        }
    }
}

/// A changed part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// What kind of part: `scenario`, `background`, `feature`, `rule`.
    pub part: &'static str,
    /// The rule it stands in.
    pub rule: Option<Foreign>,
    /// Its name.
    pub name: Foreign,
    /// How it changed.
    pub how: How,
    /// 1-based line at base.
    pub old_line: Option<u32>,
    /// 1-based line at head.
    pub new_line: Option<u32>,
    /// What a person may want to know before calling it a narrowing.
    pub hint: Option<&'static str>,
    /// Whether it belongs to the user at base (`@pinned`).
    pub pinned: bool,
    /// The part line by line; of a feature or rule its head.
    pub lines: Vec<scenario_diff::Compared>,
    /// What a person says it comes to.
    pub meaning: Option<Spoken<Meaning>>,
    /// How a repaired scenario fared before the repair, by a person's word.
    pub proof: Option<Spoken<Proof>>,
}

/// What an edit comes to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edit {
    /// The file at head, or at base when it is gone.
    pub path: RepoPath,
    /// The file at base, when it had another name.
    pub old_path: Option<RepoPath>,
    /// The class.
    pub class: Class,
    /// Changed parts, in the order of the head, what is gone at the end.
    pub changes: Vec<Change>,
    /// `freeze`, `unfreeze`, `pinned`.
    pub events: Vec<&'static str>,
    /// Why it is unclassifiable.
    pub reason: Option<String>,
    /// The person who allowed its narrowings.
    pub granted: Option<Foreign>,
}

/// Classifies the edit of one file.
#[must_use]
pub fn classify(path: &RepoPath, old_path: Option<&RepoPath>, base: &Side, head: &Side) -> Edit {
    let mut edit = Edit {
        path: path.clone(),
        old_path: old_path.cloned(),
        class: Class::UnfrozenSkip,
        changes: Vec::new(),
        events: Vec::new(),
        reason: None,
        granted: None,
    };
    if !base.may_be_frozen() && !head.may_be_frozen() {
        return edit;
    }
    let faults = [base.fault("the base"), head.fault("the head")];
    if let Some(why) = faults
        .into_iter()
        .flatten()
        .reduce(|a, b| format!("{a}; {b}"))
    {
        edit.class = Class::Unclassifiable;
        edit.reason = Some(why);
        return edit;
    }
    match (base.frozen(), head.frozen(), head) {
        (true, false, Side::Read { .. }) => edit.events.push("unfreeze"),
        (false, true, _) => edit.events.push("freeze"),
        _ => {}
    }
    edit.changes = changes(base.suite(), head.suite());
    if edit.changes.iter().any(|change| change.pinned) {
        edit.events.push("pinned");
    }
    let added = edit.changes.iter().any(|change| change.how == How::Added);
    let lost = edit.changes.iter().any(|change| change.how != How::Added);
    edit.class = match (added, lost || edit.events.contains(&"unfreeze")) {
        (true, true) => Class::Mixed,
        (false, true) => Class::Narrowing,
        (true, false) => Class::Additive,
        (false, false) => Class::NoContentChange,
    };
    edit
}

/// What changed between two suites, whether they are frozen or not.
#[must_use]
pub fn changes(base: Option<&Suite>, head: Option<&Suite>) -> Vec<Change> {
    let feature = |suite: Option<&Suite>| suite.and_then(|suite| suite.feature.clone());
    let (base, head) = (feature(base), feature(head));
    let mut out = Vec::new();
    if let (Some(old), Some(new)) = (&base, &head) {
        heads(old, new, &mut out);
    }
    let before = base.as_ref().map(scopes).unwrap_or_default();
    let after = head.as_ref().map(scopes).unwrap_or_default();
    for scope in &after {
        let other = before.iter().find(|old| old.key == scope.key);
        compare(other, Some(scope), &mut out);
    }
    for scope in &before {
        if !after.iter().any(|new| new.key == scope.key) {
            compare(Some(scope), None, &mut out);
        }
    }
    let (gone, rest): (Vec<_>, Vec<_>) = out.into_iter().partition(|c| c.how == How::Removed);
    let mut all = rest;
    all.sort_by_key(|change| change.new_line);
    all.extend(gone);
    renamed(&mut all, &before, &after);
    all
}

/// Feature or rule: where scenarios stand.
struct Scope<'a> {
    /// Name of the rule and its place among those of that name; none for the feature.
    key: Option<(&'a Foreign, usize)>,
    rule: Option<&'a Rule>,
    background: Option<&'a Background>,
    scenarios: &'a [Scenario],
}

fn scopes(feature: &Feature) -> Vec<Scope<'_>> {
    let mut out = vec![Scope {
        key: None,
        rule: None,
        background: feature.background.as_ref(),
        scenarios: &feature.scenarios,
    }];
    for (at, rule) in feature.rules.iter().enumerate() {
        let name = &rule.title.name;
        let before = feature.rules.iter().take(at);
        out.push(Scope {
            key: Some((name, before.filter(|r| r.title.name == *name).count())),
            rule: Some(rule),
            background: rule.background.as_ref(),
            scenarios: &rule.scenarios,
        });
    }
    out
}

fn tags(tags: &[Tag]) -> Vec<&Foreign> {
    tags.iter()
        .map(|tag| &tag.name)
        .filter(|name| name.raw() != b"frozen")
        .collect()
}

fn change(part: &'static str, rule: Option<&Rule>, name: &Foreign, how: How) -> Change {
    Change {
        part,
        rule: rule.map(|rule| rule.title.name.clone()),
        name: name.clone(),
        how,
        old_line: None,
        new_line: None,
        hint: None,
        pinned: false,
        lines: Vec::new(),
        meaning: None,
        proof: None,
    }
}

/// Name, description and tags of the feature; `@frozen` is an event of its own.
fn heads(old: &Feature, new: &Feature, out: &mut Vec<Change>) {
    let words = old.title.name == new.title.name && tags(&old.tags) == tags(&new.tags);
    let prose = old.title.description == new.title.description;
    if words && prose {
        return;
    }
    out.push(Change {
        old_line: Some(old.title.line),
        new_line: Some(new.title.line),
        hint: words.then_some("description-only"),
        lines: scenario_diff::compare(
            &of_head(&old.title, &old.tags),
            &of_head(&new.title, &new.tags),
        ),
        ..change("feature", None, &new.title.name, How::Modified)
    });
}

fn compare(old: Option<&Scope<'_>>, new: Option<&Scope<'_>>, out: &mut Vec<Change>) {
    let rule = new.or(old).and_then(|scope| scope.rule);
    if let (Some(before), Some(after)) = (old.and_then(|s| s.rule), new.and_then(|s| s.rule)) {
        let words = tags(&before.tags) == tags(&after.tags);
        let prose = before.title.description == after.title.description;
        if !words || !prose {
            out.push(Change {
                old_line: Some(before.title.line),
                new_line: Some(after.title.line),
                hint: words.then_some("description-only"),
                lines: scenario_diff::compare(
                    &of_head(&before.title, &before.tags),
                    &of_head(&after.title, &after.tags),
                ),
                ..change("rule", None, &after.title.name, How::Modified)
            });
        }
    }
    background(old, new, rule, out);
    let empty: &[Scenario] = &[];
    let before = old.map_or(empty, |scope| scope.scenarios);
    let after = new.map_or(empty, |scope| scope.scenarios);
    let mut open: Vec<&Scenario> = before.iter().collect();
    let mut unmatched: Vec<&Scenario> = Vec::new();
    // the same bytes of meaning first, so that order among equal names does not matter
    for scenario in after {
        let same = |old: &&Scenario| {
            old.title.name == scenario.title.name && signature::equal(old, scenario)
        };
        match open.iter().position(same) {
            Some(at) => drop(open.remove(at)),
            None => unmatched.push(scenario),
        }
    }
    for scenario in unmatched {
        let named = open
            .iter()
            .position(|old| old.title.name == scenario.title.name);
        let entry = match named.map(|at| open.remove(at)) {
            Some(old) => Change {
                old_line: Some(old.title.line),
                new_line: Some(scenario.title.line),
                hint: hint(old, scenario),
                pinned: pinned(old),
                lines: scenario_diff::compare(&of_scenario(old), &of_scenario(scenario)),
                ..change("scenario", rule, &scenario.title.name, How::Modified)
            },
            None => Change {
                new_line: Some(scenario.title.line),
                lines: scenario_diff::compare(&[], &of_scenario(scenario)),
                ..change("scenario", rule, &scenario.title.name, How::Added)
            },
        };
        out.push(entry);
    }
    for scenario in open {
        out.push(Change {
            old_line: Some(scenario.title.line),
            pinned: pinned(scenario),
            lines: scenario_diff::compare(&of_scenario(scenario), &[]),
            ..change("scenario", rule, &scenario.title.name, How::Removed)
        });
    }
}

fn pinned(scenario: &Scenario) -> bool {
    scenario.tags.iter().any(|tag| tag.name.raw() == b"pinned")
}

fn background(
    old: Option<&Scope<'_>>,
    new: Option<&Scope<'_>>,
    rule: Option<&Rule>,
    out: &mut Vec<Change>,
) {
    let before = old.and_then(|scope| scope.background);
    let after = new.and_then(|scope| scope.background);
    let lines = (before.map(|b| b.title.line), after.map(|b| b.title.line));
    let empty = Foreign::default();
    // a background that comes or goes with its whole scope is told by the scenarios in it
    let how = match (before, after) {
        (Some(before), Some(after)) => {
            if signature::steps(&before.steps) == signature::steps(&after.steps) {
                return;
            }
            How::Modified
        }
        (None, Some(after)) if old.is_some() && !after.steps.is_empty() => How::Modified,
        (Some(before), None) if new.is_some() && !before.steps.is_empty() => How::Modified,
        _ => return,
    };
    let side = |side: Option<&Background>| side.map(of_background).unwrap_or_default();
    let name = after.or(before).map_or(&empty, |b| &b.title.name);
    out.push(Change {
        old_line: lines.0,
        new_line: lines.1,
        lines: scenario_diff::compare(&side(before), &side(after)),
        ..change("background", rule, name, how)
    });
}

/// What makes a modified scenario look like something else than a narrowing (edge 24).
fn hint(old: &Scenario, new: &Scenario) -> Option<&'static str> {
    let part = |part: Part| signature::same(old, new, part);
    let (steps, tags, examples) = (part(Part::Steps), part(Part::Tags), part(Part::Examples));
    if steps && tags && !examples && signature::examples_grew(old, new) {
        return Some("likely-widening");
    }
    if steps && examples && !tags {
        return Some("tags-only");
    }
    if tags && examples && signature::texts(&old.steps) == signature::texts(&new.steps) {
        return Some("keywords-only");
    }
    let (before, after) = (signature::steps(&old.steps), signature::steps(&new.steps));
    let appended = new.steps.get(before.len()..).unwrap_or_default();
    let only_then = !appended.is_empty() && appended.iter().all(|s| s.kind == StepKind::Then);
    if tags && examples && after.starts_with(&before) && only_then {
        return Some("likely-strengthening");
    }
    None
}

/// A removed and an added scenario that say the same are one under another name.
fn renamed(all: &mut [Change], before: &[Scope<'_>], after: &[Scope<'_>]) {
    let find = |scopes: &[Scope<'_>], line: Option<u32>| -> Option<Scenario> {
        let mut all = scopes.iter().flat_map(|scope| scope.scenarios);
        all.find(|s| Some(s.title.line) == line).cloned()
    };
    let added: Vec<usize> = (0..all.len())
        .filter(|at| all.get(*at).is_some_and(|c| c.how == How::Added))
        .collect();
    for at in added {
        let Some(new) = find(after, all.get(at).and_then(|c| c.new_line)) else {
            continue;
        };
        let twin = all.iter().position(|other| {
            other.how == How::Removed
                && other.hint.is_none()
                && find(before, other.old_line).is_some_and(|old| signature::equal(&old, &new))
        });
        for place in twin.into_iter().chain(twin.map(|_| at)) {
            if let Some(change) = all.get_mut(place) {
                change.hint = Some("renamed");
            }
        }
    }
}

/// What is known of a side: a convenience for callers that hold a [`Known`].
#[must_use]
pub fn side(suite: Option<&Known<Suite>>, says_frozen: bool) -> Side {
    match suite {
        None => Side::Absent,
        Some(Known::Is(suite)) => Side::Read {
            suite: Box::new(suite.clone()),
            says_frozen,
        },
        Some(Known::Unknown(why)) => Side::Unread(why.to_string()),
        Some(Known::NotApplicable(_) | Known::NotSupplied) => Side::Absent,
    }
}
