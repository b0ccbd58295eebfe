//! The chains of a session as a tree: who dispatches whom, each chain once, below the caller that
//! leads to it. Taken when the person asks for it, so that nothing moves under the hands.

use std::collections::{BTreeMap, BTreeSet};

use crate::gate::dossier::Subject;
use crate::model::chain::ChainId;
use crate::model::text::Foreign;

use super::state::State;
use super::walk;

/// Steps of a trail that are drawn; a deeper branch says how deep it is.
pub const DRAWN: usize = 8;

/// What lies below the callee of a branch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Below {
    /// Its own chains, if it has any.
    Here,
    /// Its chains stand further up.
    Above,
    /// The callee leads here itself.
    Ring,
}

/// One chain in its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Branch {
    /// The chain.
    pub id: ChainId,
    /// The branch that leads to its caller; `None` below a caller that nobody leads to.
    pub under: Option<usize>,
    /// For each step down, the last one its own, whether more branches follow at that step; at
    /// most [`DRAWN`], the outermost ones.
    pub trail: Vec<bool>,
    /// Steps down, 0 below the caller at the top.
    pub depth: usize,
    /// What lies below it.
    pub below: Below,
}

/// A tree over chains, whose order it keeps among siblings. Callers that nobody dispatches come
/// first, then those of rings.
#[must_use]
pub fn tree(chains: &[&ChainId]) -> Vec<Branch> {
    let mut of: BTreeMap<&Foreign, Vec<usize>> = BTreeMap::new();
    let mut callers: Vec<&Foreign> = Vec::new();
    let mut led_to: BTreeSet<&Foreign> = BTreeSet::new();
    for (at, id) in chains.iter().enumerate() {
        let own = of.entry(&id.caller).or_default();
        if own.is_empty() {
            callers.push(&id.caller);
        }
        own.push(at);
        if id.callee != id.caller {
            led_to.insert(&id.callee);
        }
    }
    let first = callers.iter().filter(|name| !led_to.contains(**name));
    let mut out: Vec<Branch> = Vec::with_capacity(chains.len());
    let mut open: BTreeSet<&Foreign> = BTreeSet::new();
    for root in first.chain(&callers) {
        if !open.insert(*root) {
            continue;
        }
        let mut waiting: Vec<(usize, Option<usize>, bool)> = Vec::new();
        let push = |waiting: &mut Vec<_>, caller: &Foreign, under| {
            let own = of.get(caller).map(Vec::as_slice).unwrap_or_default();
            let rows = own.iter().rev().enumerate();
            waiting.extend(rows.map(|(last, at)| (*at, under, last > 0)));
        };
        push(&mut waiting, root, None);
        while let Some((at, under, more)) = waiting.pop() {
            let Some(id) = chains.get(at) else {
                continue;
            };
            let above = under.and_then(|at| out.get(at));
            let mut trail = above.map(|above| above.trail.clone()).unwrap_or_default();
            if trail.len() < DRAWN {
                trail.push(more);
            }
            let depth = above.map_or(0, |above| above.depth + 1);
            let here = out.len();
            let fresh = open.insert(&id.callee);
            let below = if fresh {
                Below::Here
            } else if leads(&out, under, id) {
                Below::Ring
            } else if of.contains_key(&id.callee) {
                Below::Above
            } else {
                Below::Here
            };
            if fresh {
                push(&mut waiting, &id.callee, Some(here));
            }
            out.push(Branch {
                id: (*id).clone(),
                under,
                trail,
                depth,
                below,
            });
        }
    }
    out
}

/// Whether the callee of a chain is its caller or stands on the way to it.
fn leads(out: &[Branch], mut under: Option<usize>, id: &ChainId) -> bool {
    if id.callee == id.caller {
        return true;
    }
    while let Some(branch) = under.and_then(|at| out.get(at)) {
        if branch.id.caller == id.callee {
            return true;
        }
        under = branch.under;
    }
    false
}

impl State {
    /// Takes the order of the rows and the tree of the chains anew, as they were asked for.
    pub(super) fn arrange(&mut self) {
        let sorted = self.nav.sorted.then(|| walk::by_standing(self));
        self.nav.order = sorted;
        self.nav.tree = None;
        if !self.nav.as_tree {
            return;
        }
        let ids = walk::items(self).filter_map(|item| match &item.subject {
            Subject::Chain(id) => Some(id),
            _ => None,
        });
        let branches = tree(&ids.collect::<Vec<_>>());
        let others = walk::items(self)
            .filter(|item| !matches!(item.subject, Subject::Chain(_)))
            .map(|item| item.subject.clone());
        let chains = branches
            .iter()
            .map(|branch| Subject::Chain(branch.id.clone()));
        self.nav.order = Some(chains.chain(others).collect());
        self.nav.tree = Some(branches);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(chains: &[(&str, &str)]) -> Vec<String> {
        let ids: Vec<ChainId> = chains
            .iter()
            .map(|(caller, callee)| ChainId {
                caller: Foreign::from(*caller),
                callee: Foreign::from(*callee),
            })
            .collect();
        let ids: Vec<&ChainId> = ids.iter().collect();
        let rows = tree(&ids).into_iter().map(|branch| {
            let trail: String = { branch.trail.iter() }
                .map(|more| if *more { '|' } else { ' ' })
                .collect();
            let name = |name: &Foreign| String::from_utf8_lossy(name.raw()).into_owned();
            let top = match branch.under {
                None => format!("{}: ", name(&branch.id.caller)),
                Some(_) => String::new(),
            };
            let end = match branch.below {
                Below::Here => "",
                Below::Above => " above",
                Below::Ring => " ring",
            };
            format!("{top}{trail}{}{end}", name(&branch.id.callee))
        });
        rows.collect()
    }

    #[test]
    fn each_chain_stands_once_below_the_caller_that_leads_to_it() {
        type Case<'a> = (&'a [(&'a str, &'a str)], &'a [&'a str]);
        let rows: [Case<'_>; 7] = [
            (&[], &[]),
            (
                &[("a", "b"), ("b", "c"), ("a", "d")],
                &["a: |b", "| c", "a:  d"],
            ),
            // what was opened already is not opened again
            (
                &[("a", "b"), ("a", "c"), ("b", "d"), ("c", "b"), ("c", "d")],
                &["a: |b", "| d", "a:  c", " |b above", "  d"],
            ),
            // a ring hangs on whoever leads into it
            (
                &[("b", "c"), ("c", "b"), ("a", "b")],
                &["a:  b", "  c", "   b ring"],
            ),
            // or on its first caller
            (&[("b", "c"), ("c", "b")], &["b:  c", "  b ring"]),
            (&[("a", "a"), ("a", "b")], &["a: |a ring", "a:  b"]),
            (
                &[("x", "y"), ("a", "b"), ("x", "b")],
                &["x: |y", "x:  b", "a:  b"],
            ),
        ];
        for (chains, wanted) in rows {
            assert_eq!(drawn(chains), wanted, "{chains:?}");
        }
    }

    #[test]
    fn a_long_row_of_chains_costs_no_stack_and_no_width() {
        let names: Vec<String> = (0..20_000).map(|number| format!("s{number}")).collect();
        let ids: Vec<ChainId> = names
            .windows(2)
            .map(|pair| ChainId {
                caller: Foreign::from(pair[0].as_str()),
                callee: Foreign::from(pair[1].as_str()),
            })
            .collect();
        let ids: Vec<&ChainId> = ids.iter().collect();
        let tree = tree(&ids);
        assert_eq!(tree.len(), ids.len());
        assert_eq!(tree.last().map(|last| last.depth), Some(ids.len() - 1));
        assert!(tree.iter().all(|branch| branch.trail.len() <= DRAWN));
    }
}
