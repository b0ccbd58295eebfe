//! What the map of a tree shows beyond its pairs: cycles, orphans, missing targets, demands
//! without any return wording, and verdicts that nobody handles.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::chain::{Chain, Flag, Status, Strength, Wait};

use super::document::Outline;
use super::profile::Profile;
use super::tree::Audit;
use super::words::words;

/// One thing to know about the tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Finding {
    /// Skills that dispatch each other in a ring, from the smallest name on.
    Cycle(Vec<u32>),
    /// A skill that nobody names and that names nobody.
    Orphan(u32),
    /// A demanded dispatch without a word about its answer: number of the chain.
    NoReturn(usize),
    /// The callee declares words that the caller never mentions: number of the chain, the words.
    Unhandled(usize, Vec<String>),
}

/// The findings of a whole tree.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Shape {
    /// In the order: cycles, orphans, demands, verdicts.
    pub findings: Vec<Finding>,
}

/// Looks at the shape of an audit. Orphans only make sense when the whole tree was in scope.
#[must_use]
pub fn shape(audit: &Audit, whole: bool, profile: &Profile) -> Shape {
    let number: BTreeMap<&[u8], u32> = (0u32..)
        .zip(&audit.skills)
        .map(|(number, skill)| (skill.file.as_bytes(), number))
        .collect();
    let callee = |chain: &Chain| match &chain.callee_at {
        crate::model::chain::Callee::Skill(file) => number.get(file.as_bytes()).copied(),
        crate::model::chain::Callee::Missing(_) => None,
    };
    let mut next: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut touched: BTreeSet<u32> = BTreeSet::new();
    for (chain, caller) in audit.chains.iter().zip(&audit.callers) {
        touched.insert(*caller);
        if let Some(callee) = callee(chain) {
            touched.insert(callee);
            if chain.dispatches() {
                next.entry(*caller).or_default().push(callee);
            }
        }
    }
    for row in &audit.reverse {
        touched.extend([row.caller, row.callee]);
    }
    for row in &audit.mentions {
        touched.extend([row.caller, row.callee]);
    }
    let mut findings: Vec<Finding> = cycles(&next).into_iter().map(Finding::Cycle).collect();
    if whole {
        let all = (0u32..).take(audit.skills.len());
        findings.extend(all.filter(|n| !touched.contains(n)).map(Finding::Orphan));
    }
    for (at, chain) in audit.chains.iter().enumerate() {
        if no_return(chain) {
            findings.push(Finding::NoReturn(at));
        }
    }
    for (at, (chain, caller)) in audit.chains.iter().zip(&audit.callers).enumerate() {
        let answer = callee(chain).and_then(|n| audit.skills.get(n as usize)?.answer.as_ref());
        let Some(answer) = answer.filter(|_| chain.dispatches()) else {
            continue;
        };
        let handles = audit
            .skills
            .get(*caller as usize)
            .map(|skill| &skill.handles);
        let handles = handles.filter(|words| !words.is_empty());
        let mut left: Vec<String> = answer.tokens.clone();
        left.retain(|word| *word != profile.pass && handles.is_none_or(|all| !all.contains(word)));
        let own = answer.tokens.len() - left.len();
        // a caller that names some verdict of the callee and leaves out others
        if handles.is_some() && own > 1 && !left.is_empty() {
            findings.push(Finding::Unhandled(at, left));
        }
    }
    Shape { findings }
}

fn no_return(chain: &Chain) -> bool {
    chain.strength == Strength::Mandatory
        && chain.status == Status::Open
        && chain.wait == Wait::None
        && chain
            .closed_form
            .as_ref()
            .is_none_or(|form| form.step.is_none())
        && ![Flag::NearSignal, Flag::SignalOutside, Flag::MappingTable]
            .iter()
            .any(|flag| chain.has(*flag))
}

/// The rings: each strongly connected set of two or more, sorted. Iterative, so that a chain of
/// ten thousand skills needs no stack.
fn cycles(next: &BTreeMap<u32, Vec<u32>>) -> Vec<Vec<u32>> {
    let mut order = Vec::new();
    let mut seen = BTreeSet::new();
    for start in next.keys() {
        let mut stack = vec![(*start, 0usize)];
        if !seen.insert(*start) {
            continue;
        }
        while let Some((node, at)) = stack.last_mut() {
            let child = next.get(node).and_then(|list| list.get(*at)).copied();
            *at += 1;
            match child {
                Some(child) if seen.insert(child) => stack.push((child, 0)),
                Some(_) => {}
                None => {
                    order.push(*node);
                    stack.pop();
                }
            }
        }
    }
    let mut back: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (from, list) in next {
        for to in list {
            back.entry(*to).or_default().push(*from);
        }
    }
    let mut placed = BTreeSet::new();
    let mut out = Vec::new();
    for root in order.into_iter().rev() {
        let mut set = Vec::new();
        let mut waiting = vec![root];
        while let Some(node) = waiting.pop() {
            if placed.insert(node) {
                set.push(node);
                waiting.extend(back.get(&node).into_iter().flatten());
            }
        }
        if set.len() > 1 {
            set.sort_unstable();
            out.push(set);
        }
    }
    out.sort();
    out
}

/// Words that a caller handles: verdicts, foreign ones too, in its Done When and result tables.
pub(super) fn handled(outline: &Outline) -> Vec<String> {
    let mut out = Vec::new();
    for unit in outline.parts.iter().flat_map(|part| &part.units) {
        for word in words(&unit.text) {
            let word = &unit.text[word.start..word.end];
            let capitals =
                word.len() >= 4 && word.bytes().all(|b| b.is_ascii_uppercase() || b == b'_');
            if capitals {
                out.push(word.to_owned());
            }
        }
    }
    out.sort();
    out.dedup();
    out
}
