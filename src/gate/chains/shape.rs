//! What the map of a tree shows beyond its pairs: cycles, orphans, missing targets, demands
//! without any return wording, and verdicts that nobody handles.

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
    let mut next: Vec<Vec<u32>> = vec![Vec::new(); audit.skills.len()];
    let mut touched = vec![false; audit.skills.len()];
    let mut touch = |number: u32| {
        if let Some(mark) = touched.get_mut(number as usize) {
            *mark = true;
        }
    };
    for ((chain, caller), callee) in audit.chains.iter().zip(&audit.callers).zip(&audit.callees) {
        touch(*caller);
        if let Some(callee) = callee {
            touch(*callee);
            if let Some(list) = next
                .get_mut(*caller as usize)
                .filter(|_| chain.dispatches())
            {
                list.push(*callee);
            }
        }
    }
    for row in &audit.reverse {
        touch(row.caller);
        touch(row.callee);
    }
    for row in &audit.mentions {
        touch(row.caller);
        touch(row.callee);
    }
    let mut findings: Vec<Finding> = cycles(&next).into_iter().map(Finding::Cycle).collect();
    if whole {
        let all = (0u32..).zip(&touched).filter(|(_, touched)| !**touched);
        findings.extend(all.map(|(number, _)| Finding::Orphan(number)));
    }
    for (at, chain) in audit.chains.iter().enumerate() {
        if no_return(chain) {
            findings.push(Finding::NoReturn(at));
        }
    }
    let ends = audit.callers.iter().zip(&audit.callees);
    for (at, (chain, (caller, callee))) in audit.chains.iter().zip(ends).enumerate() {
        let answer = callee.and_then(|n| audit.skills.get(n as usize)?.answer.as_ref());
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
fn cycles(next: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut order = Vec::new();
    let mut seen = vec![false; next.len()];
    let mut fresh = |node: u32| {
        let mark = seen.get_mut(node as usize);
        mark.is_some_and(|mark| !std::mem::replace(mark, true))
    };
    for (start, _) in (0u32..).zip(next) {
        if !fresh(start) {
            continue;
        }
        let mut stack = vec![(start, 0usize)];
        while let Some((node, at)) = stack.last_mut() {
            let child = next.get(*node as usize).and_then(|list| list.get(*at));
            *at += 1;
            match child {
                Some(child) if fresh(*child) => stack.push((*child, 0)),
                Some(_) => {}
                None => {
                    order.push(*node);
                    stack.pop();
                }
            }
        }
    }
    let mut back: Vec<Vec<u32>> = vec![Vec::new(); next.len()];
    for (from, list) in (0u32..).zip(next) {
        for to in list {
            if let Some(list) = back.get_mut(*to as usize) {
                list.push(from);
            }
        }
    }
    let mut placed = vec![false; next.len()];
    let mut out = Vec::new();
    for root in order.into_iter().rev() {
        let mut set = Vec::new();
        let mut waiting = vec![root];
        while let Some(node) = waiting.pop() {
            let mark = placed.get_mut(node as usize);
            if mark.is_some_and(|mark| !std::mem::replace(mark, true)) {
                set.push(node);
                waiting.extend(back.get(node as usize).into_iter().flatten());
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
    let capital = |byte: &u8| byte.is_ascii_uppercase() || *byte == b'_';
    for unit in outline.parts.iter().flat_map(|part| &part.units) {
        // four in a row, looked for at every fourth
        let bytes = unit.text.as_bytes();
        if !bytes.iter().skip(3).step_by(4).any(capital) {
            continue;
        }
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
