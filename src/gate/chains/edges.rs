//! Where a skill hands work on, and where it says that others hand work to it.

use crate::model::chain::{NoSkill, Strength};
use crate::model::text::Foreign;

use super::document::{Kind, Outline, Part, Role, Unit, marker};
use super::elsewhere::{body, graph};
use super::form::{self, Form};
use super::names::{Mention, Named, Names, Spelling, mentions};
use super::profile::{Dispatch, Phrase, Profile};
use super::words::{Phrases, Word, clauses, words};

/// The other end: a skill by number, or what it is instead.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Target {
    Skill(u32),
    None(NoSkill, String),
}

/// One place where a skill dispatches.
#[derive(Clone, Debug)]
pub(super) struct Edge {
    pub(super) to: Target,
    pub(super) strength: Strength,
    pub(super) line: u32,
    /// An arrow of a chain section.
    pub(super) arrow: bool,
    pub(super) form: Option<Form>,
}

/// What one skill says of its neighbors.
#[derive(Clone, Debug, Default)]
pub(super) struct Edges {
    pub(super) out: Vec<Edge>,
    /// Skills that call this one, with the line that says so.
    pub(super) callers: Vec<(u32, u32)>,
    /// Tables that map results of a skill to verdicts: skill, line of the head.
    pub(super) mappings: Vec<(u32, u32)>,
    /// Names outside every dispatch, for the map.
    pub(super) mentions: Vec<(u32, u32)>,
}

/// Everything needed to read one skill.
#[derive(Clone, Copy)]
pub(super) struct Reading<'a> {
    pub(super) me: u32,
    /// The name of this skill.
    pub(super) name: &'a str,
    pub(super) names: &'a Names<'a>,
    pub(super) profile: &'a Profile,
}

impl Reading<'_> {
    /// The mentions of others in a text.
    pub(super) fn others(&self, text: &str, strict: bool) -> Vec<Mention> {
        let mut found = mentions(text, self.names, self.profile, strict);
        found.retain(|mention| mention.named != Named::Skill(self.me));
        found
    }
}

/// The target of a mention.
pub(super) fn target(text: &str, mention: &Mention) -> Target {
    match mention.named {
        Named::Skill(skill) => Target::Skill(skill),
        Named::None(kind) => Target::None(kind, text[mention.start..mention.end].to_owned()),
    }
}

/// Which way a label points.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    In,
    Out,
}

/// What the lines under a label inherit.
#[derive(Clone, Copy, Default)]
struct Under {
    way: Option<Way>,
    mandatory: bool,
}

/// Reads the dispatches of a skill.
pub(super) fn edges(outline: &Outline, reading: &Reading<'_>) -> Edges {
    let mut found = Edges::default();
    for part in &outline.parts {
        match (part.role, reading.profile.dispatch) {
            (Role::Chains, Dispatch::Arrows) => arrows_only(part, reading, &mut found),
            (_, Dispatch::Arrows) => {}
            (Role::Chains | Role::Linked, Dispatch::Words) => section(part, reading, &mut found),
            (Role::Done, Dispatch::Words) => done(part, reading, &mut found),
            (Role::Body, Dispatch::Words) => body(part, reading, &mut found),
        }
    }
    found.callers.sort_by_key(|(caller, line)| (*line, *caller));
    found.callers.dedup();
    found
}

/// Every arrow with a name after it: the source by the letter.
fn arrows_only(part: &Part, reading: &Reading<'_>, found: &mut Edges) {
    for unit in &part.units {
        let others = reading.others(&unit.text, false);
        let targets = others.iter().filter(|mention| {
            let before = unit.text[..mention.from].trim_end_matches([' ', '*', '`']);
            before.ends_with('→')
        });
        found.out.extend(targets.map(|mention| Edge {
            to: target(&unit.text, mention),
            strength: Strength::Conditional,
            line: unit.line_at(mention.start),
            arrow: true,
            form: None,
        }));
    }
}

/// A chain section, or one that only links.
fn section(part: &Part, reading: &Reading<'_>, found: &mut Edges) {
    let mut under = Under::default();
    let mut head: Option<&Unit> = None;
    for unit in &part.units {
        match unit.kind {
            Kind::Header => head = Some(unit),
            Kind::Row => row(unit, head, part.role, reading, found),
            Kind::Graph => graph(unit, reading, found),
            Kind::Heading => under = label(&unit.text, reading.profile),
            Kind::Item | Kind::Prose | Kind::Quote | Kind::Fenced => {
                let (own, rest) = bold_label(&unit.text, reading.profile);
                let mut here = under;
                if let Some(own) = own {
                    here = own;
                    if matches!(unit.kind, Kind::Prose | Kind::Quote) {
                        under = own;
                    }
                }
                sentence(unit, rest, here, part.role, reading, found);
            }
        }
    }
}

/// What a label says.
fn label(text: &str, profile: &Profile) -> Under {
    let lower = text
        .trim_start_matches(|c: char| !c.is_alphabetic())
        .to_lowercase();
    let is = |list: &[String]| {
        let starts = |one: &String| {
            lower
                .strip_prefix(one.as_str())
                .is_some_and(|rest| rest.chars().next().is_none_or(|c| !c.is_alphanumeric()))
        };
        list.iter().any(starts)
    };
    let way = if is(&profile.in_labels) {
        Some(Way::In)
    } else if is(&profile.out_labels) {
        Some(Way::Out)
    } else {
        None
    };
    let found = words(text);
    Under {
        way,
        mandatory: says(&profile.mandatory, text, &found, &profile.negations),
    }
}

/// A bold run at the start that ends in a colon, inside or after: the label, and where the text
/// after it begins. A bold run that names or points is text.
fn bold_label(text: &str, profile: &Profile) -> (Option<Under>, usize) {
    let start = marker(text);
    let Some(inner) = text[start..].strip_prefix("**") else {
        return (None, 0);
    };
    let Some(end) = inner.find("**") else {
        return (None, 0);
    };
    let title = &inner[..end];
    let after = start + 2 + end + 2;
    let rest = &text[after..];
    // a note in parentheses belongs to the label
    let note = rest.trim_start();
    let note = note
        .strip_prefix('(')
        .and_then(|note| note.find(')').map(|close| &note[close + 1..]))
        .unwrap_or(rest);
    let colon = title.ends_with(':') || note.starts_with(':');
    if !colon || title.contains('→') || title.contains('`') {
        return (None, 0);
    }
    let under = label(title, profile);
    let skip = if note.starts_with(':') {
        text.len() - note.len() + 1
    } else {
        after
    };
    if under.way.is_none() && !text[skip..].trim().is_empty() {
        // `**REQUIRED:** name`: the words are of this text
        return (Some(Under::default()), 0);
    }
    (Some(under), skip)
}

/// One item, paragraph or row of a fence in a section.
fn sentence(
    unit: &Unit,
    from: usize,
    under: Under,
    role: Role,
    reading: &Reading<'_>,
    found: &mut Edges,
) {
    let text = &unit.text;
    if !text.is_ascii() || text.bytes().any(|byte| byte.is_ascii_alphanumeric()) {
        let others = reading.others(text, false);
        let reversed = reversed(text, &others, reading);
        for (start, end) in clauses(&text[from..], unit.kind != Kind::Item) {
            let (start, end) = (from + start, from + end);
            let inside: Vec<&Mention> = others
                .iter()
                .filter(|mention| mention.from >= start && mention.to <= end + 2)
                .filter(|mention| mention.start < end)
                .collect();
            let clause = &text[start..end];
            let of_clause = words(clause);
            if inside.is_empty() || reading.profile.forbids.stand(clause, &of_clause) {
                continue;
            }
            for (mention, arrow) in aimed(text, start, &inside) {
                let line = unit.line_at(mention.start);
                let caller = under.way == Some(Way::In) || reversed.contains(&mention.named);
                if caller {
                    if let Named::Skill(skill) = mention.named {
                        found.callers.push((skill, line));
                    }
                    continue;
                }
                let strength = strength(clause, &of_clause, arrow, under, role, reading.profile);
                found.out.push(Edge {
                    to: target(text, mention),
                    strength,
                    line,
                    arrow: arrow && role == Role::Chains,
                    form: form::read(text, mention),
                });
            }
        }
    }
}

/// The mentions of a clause that it aims at: those after arrows when there are any, else those at
/// its head, else all.
fn aimed<'m>(text: &str, start: usize, inside: &[&'m Mention]) -> Vec<(&'m Mention, bool)> {
    let mut arrows = Vec::new();
    let mut joined = false;
    for (at, mention) in inside.iter().enumerate() {
        let before = match at.checked_sub(1).and_then(|at| inside.get(at)) {
            Some(last) => last.to,
            None => start,
        };
        let between = text.get(before..mention.from).unwrap_or_default();
        joined = points(between, mention) || (joined && separates(between));
        if joined {
            arrows.push((*mention, true));
        }
    }
    if !arrows.is_empty() {
        return arrows;
    }
    let clause = &text[start..];
    let lead = marker(clause.trim_start());
    let head = start + (clause.len() - clause.trim_start().len()) + lead;
    let first_at_head = inside.first().is_some_and(|first| {
        let lead = text.get(head..first.from.max(head)).unwrap_or_default();
        lead.chars().all(|c| !c.is_alphanumeric())
    });
    if !first_at_head {
        return inside.iter().map(|mention| (*mention, false)).collect();
    }
    let mut heads: Vec<(&Mention, bool)> = Vec::new();
    for mention in inside {
        let between = heads
            .last()
            .and_then(|(last, _)| text.get(last.to..mention.from));
        if between.is_some_and(|between| !separates(between)) {
            break;
        }
        heads.push((*mention, false));
    }
    heads
}

/// Whether the text before a mention is an arrow that points at it.
fn points(before: &str, mention: &Mention) -> bool {
    let Some(at) = before.rfind('→') else {
        return false;
    };
    let between = &before[at + '→'.len_utf8()..];
    let inner = form::after_mandatory(between).unwrap_or(between);
    // what stands in parentheses after "Mandatory next" is a condition or the callee
    let inner = match (inner.trim_start().strip_prefix('('), inner.find(')')) {
        (Some(_), Some(close)) => &inner[close + 1..],
        (Some(open), None) => open,
        (None, _) => inner,
    };
    let count = words(inner).len();
    count == 0
        || (count <= 2 && mention.spelling == Spelling::Marked && inner.len() == between.len())
}

/// Whether two targets are one list.
fn separates(between: &str) -> bool {
    let bare = between.trim_matches(|c: char| !c.is_alphanumeric() && c != '→');
    matches!(bare, "" | "and" | "or" | "→" | "then" | "및" | "와")
}

/// Skills that a text names as callers of this one.
fn reversed(text: &str, others: &[Mention], reading: &Reading<'_>) -> Vec<Named> {
    let found = words(text);
    let after = |mention: &Mention| found.iter().position(|word| word.start >= mention.to);
    let at = |mention: &Mention| found.iter().position(|word| word.end > mention.start);
    let begins = |phrase: &Phrase, place: usize| phrase.at(text, &found, place);
    let called_by = &reading.profile.called_by;
    let calls_this = &reading.profile.calls_this;
    let may_be_called = called_by.may_stand(&found);
    others
        .iter()
        .filter(|mention| {
            let here = at(mention).unwrap_or(found.len());
            let told = may_be_called
                && called_by.iter().any(|phrase| {
                    // at most two words between `called by` and the name
                    let near = here.saturating_sub(8)..here;
                    near.into_iter()
                        .filter_map(|place| begins(phrase, place))
                        .any(|end| end < here && here - end <= 3)
                });
            let calls = after(mention).is_some_and(|next| {
                let near = next..(next + 4).min(found.len());
                near.into_iter().any(|place| {
                    let mut this = calls_this.iter();
                    this.any(|phrase| begins(phrase, place).is_some())
                        || calls_me(text, &found, place, reading.name)
                })
            });
            told || calls
        })
        .map(|mention| mention.named)
        .collect()
}

/// `calls NAME` with the name of this skill.
fn calls_me(text: &str, found: &[Word], place: usize, me: &str) -> bool {
    let word = |at: usize| found.get(at).map(|word| &text[word.start..word.end]);
    word(place).is_some_and(|verb| matches!(verb, "calls" | "invokes" | "runs"))
        && word(place + 1).is_some_and(|name| name == me)
}

/// Whether one of the phrases stands there, not denied by one of the two words before.
pub(super) fn says(phrases: &Phrases, text: &str, found: &[Word], negations: &[String]) -> bool {
    phrases.found(text, found).any(|(_, at, _)| {
        !found[at.saturating_sub(2)..at].iter().any(|word| {
            let word = &text[word.start..word.end];
            negations.iter().any(|no| no.eq_ignore_ascii_case(word))
        })
    })
}

fn strength(
    clause: &str,
    found: &[Word],
    arrow: bool,
    under: Under,
    role: Role,
    profile: &Profile,
) -> Strength {
    if says(&profile.mandatory, clause, found, &profile.negations) {
        Strength::Mandatory
    } else if profile.optional.stand(clause, found) {
        Strength::Advisory
    } else if under.mandatory {
        Strength::Mandatory
    } else if role == Role::Linked {
        Strength::Advisory
    } else if arrow || profile.conditions.stand(clause, found) {
        Strength::Conditional
    } else {
        Strength::Advisory
    }
}

/// A row of a table in a section: the column of skills when the head names one, else every cell.
fn row(unit: &Unit, head: Option<&Unit>, role: Role, reading: &Reading<'_>, found: &mut Edges) {
    let text = &unit.text;
    let others = reading.others(text, false);
    if others.is_empty() {
        return;
    }
    let of_row = words(text);
    let reversed = reversed(text, &others, reading);
    let column = head.and_then(|head| {
        let cells = cells(&head.text);
        cells.iter().position(|(a, b)| {
            let title = head.text[*a..*b].to_lowercase();
            ["skill", "callee", "target", "chain"]
                .iter()
                .any(|word| title.contains(word))
        })
    });
    let range = column.and_then(|column| cells(text).get(column).copied());
    let profile = reading.profile;
    let strength = if says(&profile.mandatory, text, &of_row, &profile.negations) {
        Strength::Mandatory
    } else {
        Strength::Advisory
    };
    for mention in &others {
        if range.is_some_and(|(a, b)| mention.start < a || mention.end > b) {
            continue;
        }
        if reversed.contains(&mention.named) {
            if let Named::Skill(skill) = mention.named {
                found.callers.push((skill, unit.line));
            }
            continue;
        }
        found.out.push(Edge {
            to: target(text, mention),
            strength,
            line: unit.line,
            arrow: role == Role::Chains && text[..mention.from].trim_end().ends_with('→'),
            form: None,
        });
    }
}

/// The cells of a row, in bytes.
fn cells(row: &str) -> Vec<(usize, usize)> {
    let mut bars: Vec<usize> = Vec::new();
    let bytes = row.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        if *byte == b'|' && at.checked_sub(1).and_then(|b| bytes.get(b)) != Some(&b'\\') {
            bars.push(at);
        }
    }
    let pairs = bars.windows(2);
    pairs
        .filter_map(|pair| match pair {
            [a, b] => Some((a + 1, *b)),
            _ => None,
        })
        .collect()
}

/// Arrows in Done When.
fn done(part: &Part, reading: &Reading<'_>, found: &mut Edges) {
    for unit in part.units.iter().filter(|unit| unit.kind != Kind::Heading) {
        let text = &unit.text;
        if !text.contains('→') && !text.contains("->") {
            continue;
        }
        let others = reading.others(text, false);
        let reversed = reversed(text, &others, reading);
        let mut before = 0;
        for mention in &others {
            let between = text.get(before..mention.from).unwrap_or_default();
            before = mention.to;
            let line = unit.line_at(mention.start);
            if reversed.contains(&mention.named) {
                if let Named::Skill(skill) = mention.named {
                    found.callers.push((skill, line));
                }
            } else if points(between, mention) {
                let clause = clause_at(text, mention.start);
                let of_clause = words(clause);
                found.out.push(Edge {
                    to: target(text, mention),
                    strength: strength(
                        clause,
                        &of_clause,
                        true,
                        Under::default(),
                        Role::Done,
                        reading.profile,
                    ),
                    line,
                    arrow: false,
                    form: form::read(text, mention),
                });
            }
        }
    }
}

/// The clause around a byte.
pub(super) fn clause_at(text: &str, at: usize) -> &str {
    let all = clauses(text, false);
    let of = all.iter().find(|(start, end)| (*start..*end).contains(&at));
    of.map_or(text, |(start, end)| &text[*start..*end])
}

/// A trimmed field of a form, when there is something in it.
pub(super) fn field(text: &str) -> Option<Foreign> {
    let bare = text
        .trim()
        .trim_matches(|c| "*`[](){}.,".contains(c))
        .trim();
    (!bare.is_empty()).then(|| Foreign::from(bare))
}
