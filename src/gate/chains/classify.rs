//! From texts to chains: pairs, their status and every reason for it.

use std::collections::BTreeMap;

use crate::model::chain::Strength;
use crate::model::text::Foreign;

use super::document::{Outline, Role};
use super::edges::{Edge, Edges, Reading, Target, edges};
use super::halves::halves;
use super::names::Names;
use super::pairs::Pairs;
use super::profile::{Dispatch, Profile};
use super::shape::handled;
use super::tree::{Audit, Mention, Reverse, SkillRow, Tree, Unresolved};
use super::verdict_line::{Answer, answer};
use super::waits::{self, Clause};

/// Audits a tree. Only the skills whose numbers are in `scope` are callers; `None` is all.
#[must_use]
pub fn audit(tree: &Tree, scope: Option<&[u32]>, profile: &Profile) -> Audit {
    let table = tree.skills.iter();
    let names = Names::new(
        table.map(|skill| (skill.name.as_bytes(), skill.space.as_bytes())),
        &tree.agents,
        &tree.deleted,
    );
    let mut out = Audit::default();
    let all: Vec<u32>;
    let numbers = match scope {
        Some(numbers) => numbers,
        None => {
            all = (0u32..).take(tree.skills.len()).collect();
            &all
        }
    };
    let reads = halves(&tree.skills, |at, skill| {
        let number = u32::try_from(at).unwrap_or(u32::MAX);
        let reading = Reading {
            me: number,
            name: &skill.name,
            names: &names,
            profile,
        };
        let inside = numbers.binary_search(&number).is_ok();
        skill
            .outline
            .as_deref()
            .map(|outline| read(outline, &reading, inside))
    });
    let mut answers: Vec<Option<Answer>> = Vec::with_capacity(reads.len());
    let mut said: BTreeMap<u32, Vec<(u32, u32)>> = BTreeMap::new();
    let mut callers: Vec<(u32, Edges, Vec<Clause>)> = Vec::new();
    let mut rows: Vec<(Vec<Foreign>, Vec<String>)> = Vec::with_capacity(reads.len());
    for (number, one) in (0u32..).zip(reads) {
        let Some(mut one) = one else {
            answers.push(None);
            rows.push(Default::default());
            continue;
        };
        answers.push(Some(one.answer));
        for (caller, line) in one.found.callers.drain(..) {
            said.entry(number).or_default().push((caller, line));
            out.reverse.push(Reverse {
                callee: number,
                caller,
                line,
            });
        }
        let Some((clauses, texts, handles)) = one.caller else {
            rows.push(Default::default());
            continue;
        };
        rows.push((texts, handles));
        for (callee, line) in std::mem::take(&mut one.found.mentions) {
            out.mentions.push(Mention {
                caller: number,
                callee,
                line,
            });
        }
        callers.push((number, one.found, clauses));
    }
    out.reverse.retain(|row| {
        numbers.binary_search(&row.callee).is_ok() || numbers.binary_search(&row.caller).is_ok()
    });
    let pairs = halves(&callers, |_, (number, found, clauses)| {
        let Some(skill) = tree.skills.get(*number as usize) else {
            return Vec::new();
        };
        let pairs = Pairs {
            tree,
            profile,
            skill,
            number: *number,
            found,
            clauses,
            answers: &answers,
            said: &said,
            caller: (
                profile.tier(&skill.name),
                profile.proposes_only(&skill.name),
            ),
        };
        pairs.chains()
    });
    for ((number, found, _), chains) in callers.iter().zip(pairs) {
        unresolved(*number, found, &mut out.unresolved);
        for (callee, chain) in chains {
            out.callers.push(*number);
            out.callees.push(callee);
            out.chains.push(chain);
        }
    }
    out.skills = tree
        .skills
        .iter()
        .zip(answers)
        .zip(rows)
        .map(|((skill, answer), (waits, handles))| SkillRow {
            name: Foreign::from(skill.name.as_str()),
            file: skill.file.clone(),
            answer,
            waits,
            handles,
        })
        .collect();
    out
}

/// What one skill says.
struct Said {
    answer: Answer,
    found: Edges,
    /// Its waits, their rows, and the verdicts that it handles, when it is in scope.
    caller: Option<(Vec<Clause>, Vec<Foreign>, Vec<String>)>,
}

fn read(outline: &Outline, reading: &Reading<'_>, inside: bool) -> Said {
    let mut said = Said {
        answer: pass_b(outline, reading.profile),
        found: Edges::default(),
        caller: None,
    };
    // a callee out of scope may still say who calls it
    if inside || may_name_callers(outline, reading.profile) {
        said.found = edges(outline, reading);
    }
    if inside {
        let clauses = waits(outline, reading, &mut said.found);
        let texts = clauses
            .iter()
            .filter(|clause| clause.done && clause.wait.is_some());
        let mut texts: Vec<Foreign> = texts.map(|c| Foreign::from(c.text.as_str())).collect();
        texts.dedup();
        said.caller = Some((clauses, texts, handled(outline)));
    }
    said
}

fn pass_b(outline: &Outline, profile: &Profile) -> Answer {
    let done = outline.parts.iter().filter(|part| part.role == Role::Done);
    answer(done.flat_map(|part| &part.units), profile)
}

fn may_name_callers(outline: &Outline, profile: &Profile) -> bool {
    profile.dispatch == Dispatch::Words && outline.parts.iter().any(|part| part.role != Role::Body)
}

/// Reads the waits; a wait that names a skill is a dispatch as well.
fn waits(outline: &Outline, reading: &Reading<'_>, found: &mut Edges) -> Vec<Clause> {
    let mut extra: Vec<Target> = found.out.iter().map(|edge| edge.to.clone()).collect();
    extra.retain(|target| matches!(target, Target::None(..)));
    extra.sort();
    extra.dedup();
    let clauses = waits::read(outline, reading, &extra);
    if reading.profile.dispatch == Dispatch::Words {
        let said = clauses
            .iter()
            .filter(|clause| clause.done && clause.wait.is_some());
        let mut more = Vec::new();
        for clause in said {
            for target in &clause.named {
                let known = found.out.iter().any(|edge| edge.to == *target);
                if !known && matches!(target, Target::Skill(_)) {
                    more.push(Edge {
                        to: target.clone(),
                        strength: Strength::Conditional,
                        line: clause.lines.0,
                        arrow: false,
                        form: None,
                    });
                }
            }
        }
        // a table of results is a dispatch too, when nothing else says so
        for (skill, line) in &found.mappings {
            let to = Target::Skill(*skill);
            if !found.out.iter().chain(&more).any(|edge| edge.to == to) {
                more.push(Edge {
                    to,
                    strength: Strength::Conditional,
                    line: *line,
                    arrow: false,
                    form: None,
                });
            }
        }
        found.out.extend(more);
    }
    clauses
}

fn unresolved(number: u32, found: &Edges, out: &mut Vec<Unresolved>) {
    let mut rows: Vec<Unresolved> = Vec::new();
    for edge in &found.out {
        if let Target::None(kind, name) = &edge.to {
            let name = Foreign::from(name.as_str());
            if !rows
                .iter()
                .any(|row| row.name == name && row.line == edge.line)
            {
                rows.push(Unresolved {
                    caller: number,
                    name,
                    kind: *kind,
                    line: edge.line,
                });
            }
        }
    }
    rows.sort_by_key(|row| row.line);
    out.append(&mut rows);
}
