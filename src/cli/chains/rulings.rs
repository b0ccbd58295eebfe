//! What people said of the chains, as the ledger of this change holds it.
//!
//! A word counts while it was said of the tree that is checked out and neither end of the chain
//! was edited since; anything else is no word at all.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::listed;
use crate::adapters::git::skills::Wanted;
use crate::adapters::ledger_store::LedgerStore;
use crate::cli::place;
use crate::gate::chains::Said;
use crate::gate::decide::Act;
use crate::gate::dossier::Subject;
use crate::model::chain::{Callee, Chain, ChainId};
use crate::model::id::{EntryId, RepoPath};

/// What one person said.
#[derive(Clone, Debug)]
pub(super) struct ChainRuling {
    /// Who.
    pub(super) by: String,
    /// The entry of the ledger.
    pub(super) entry: EntryId,
    act: Act,
}

impl ChainRuling {
    /// The kind, as a word of JSON.
    pub(super) fn kind(&self) -> &'static str {
        match &self.act {
            Act::ChainClosed { .. } => "closed",
            Act::ChainAccepted { .. } => "left-open",
            _ => "kicked-back",
        }
    }

    /// `FILE:LINE` that shows it, when it was closed by one.
    pub(super) fn line(&self) -> Option<&str> {
        match &self.act {
            Act::ChainClosed { at } => Some(at),
            _ => None,
        }
    }
}

/// The words that count.
#[derive(Clone, Debug, Default)]
pub(super) struct Rulings {
    all: BTreeMap<ChainId, ChainRuling>,
    edited: BTreeSet<RepoPath>,
}

impl Rulings {
    /// Reads them; none when the folder is no change or has no ledger.
    pub(super) fn read(dir: &Path) -> Self {
        Self::found(dir).unwrap_or_default()
    }

    fn found(dir: &Path) -> Option<Self> {
        let here = place::here(dir).ok()?;
        let store = LedgerStore::new(&place::folders().ok()?, here.repository);
        let mut all = BTreeMap::new();
        for decision in store.load(&here.change).decisions {
            let value = &decision.value;
            let Subject::Chain(id) = value.subject() else {
                continue;
            };
            if value.snapshot().tree == here.snapshot.tree {
                let ruling = ChainRuling {
                    by: value.by().to_owned(),
                    entry: decision.entry,
                    act: value.act().clone(),
                };
                all.insert(id.clone(), ruling);
            }
        }
        if all.is_empty() {
            return None;
        }
        // what cannot be told to be as it was is taken as edited
        let files = listed(dir, Wanted::Changed).ok()?.files.into_iter();
        Some(Self {
            all,
            edited: files
                .map(|file| RepoPath::new(file.path.into_vec()))
                .collect(),
        })
    }

    /// What counts for a chain.
    pub(super) fn of(&self, chain: &Chain) -> Option<&ChainRuling> {
        let callee = match &chain.callee_at {
            Callee::Skill(file) => Some(file),
            Callee::Missing(_) => None,
        };
        let mut ends = [Some(&chain.caller_file), callee].into_iter().flatten();
        let same = !ends.any(|file| self.edited.contains(file));
        self.all.get(&chain.id()).filter(|_| same)
    }

    /// The same as the sums take it.
    pub(super) fn said(&self, chain: &Chain) -> Said {
        match self.of(chain).map(|ruling| &ruling.act) {
            Some(Act::ChainClosed { .. }) => Said::Closed,
            Some(Act::ChainAccepted { .. }) => Said::Declared,
            Some(_) => Said::SentBack,
            None => Said::Nothing,
        }
    }
}
