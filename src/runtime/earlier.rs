//! The earlier heads on which people decided, each compared with this one: what their offers to be
//! carried over rest on.

use serde_bytes::ByteBuf;

use crate::adapters::git::rounds::{Answer, Paired, Question, Ranges};
use crate::gate::carry::{Between, Earlier, Pair, named};
use crate::gate::dossier::Dossier;
use crate::model::id::{Oid, RepoPath};
use crate::model::known::{Known, Reason};
use crate::model::ruling::Assurance;
use crate::model::snapshot::Snapshot;
use crate::model::text::Foreign;

use super::clerk::Clerk;

/// Most earlier heads that are compared with this one, the newest.
const MOST: usize = 4;

impl Clerk {
    /// Compares the heads on which people decided with this one.
    pub(super) fn compare_earlier(&self, dossier: &Dossier) -> Vec<Earlier> {
        earlier_heads(dossier, |question| self.ask_round(question))
    }
}

/// The earlier heads on which people decided and that do not count here, newest first; `ask`
/// compares one with this one.
pub fn earlier_heads(
    dossier: &Dossier,
    ask: impl Fn(Question) -> Result<Answer, String>,
) -> Vec<Earlier> {
    let mut found: Vec<Snapshot> = Vec::new();
    for recorded in dossier.decisions.iter().rev() {
        let then = recorded.value.snapshot();
        let counts = recorded.value.assurance() != Assurance::Claimed && !dossier.holds(then);
        if counts && found.len() < MOST && !found.contains(then) {
            found.push(then.clone());
        }
    }
    let names: Vec<ByteBuf> = match found.is_empty() {
        true => Vec::new(),
        false => named(dossier).iter().map(bytes).collect(),
    };
    found
        .into_iter()
        .map(|snapshot| {
            let question = question(&snapshot, &dossier.snapshot, names.clone());
            let between = match ask(question) {
                Ok(answer) => Known::Is(between(answer)),
                Err(why) => Known::Unknown(Reason::new(why)),
            };
            Earlier { snapshot, between }
        })
        .collect()
}

fn bytes(path: &RepoPath) -> ByteBuf {
    ByteBuf::from(path.as_bytes().to_vec())
}

fn question(then: &Snapshot, now: &Snapshot, named: Vec<ByteBuf>) -> Question {
    Question {
        base_then: then.base_tree.0,
        then: then.tree.0,
        base_now: now.base_tree.0,
        now: now.tree.0,
        ranges: Some(Ranges {
            then: [then.merge_base.0, then.head.0],
            now: [now.merge_base.0, now.head.0],
        }),
        named,
    }
}

fn between(answer: Answer) -> Between {
    let paths = |all: Vec<ByteBuf>| {
        let all = all.into_iter().map(|path| RepoPath::new(path.into_vec()));
        all.collect()
    };
    let pair = |one: Paired| Pair {
        then: one.then.map(Oid),
        now: one.now.map(Oid),
        same: one.same,
        subject: Foreign::new(one.subject.into_vec()),
    };
    Between {
        gone: paths(answer.gone),
        changed: paths(answer.changed),
        base: paths(answer.base),
        base_total: answer.base_total,
        same: paths(answer.same),
        commits: match answer.commits {
            None => Known::NotSupplied,
            Some(Ok(all)) => Known::Is(all.into_iter().map(pair).collect()),
            Some(Err(why)) => Known::Unknown(Reason::new(why)),
        },
    }
}
