//! Ids of findings: minted once, never renumbered, never used again. One defect is one id, with
//! everybody who found it.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::wave::{FindingId, Namespace};

/// Who else found it: an item of a selected prior review, or a reviewer's own number in a report.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Contributor {
    /// The review or report it comes from.
    pub source: String,
    /// The id there.
    pub id: FindingId,
}

/// What was minted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Ids {
    next: BTreeMap<Namespace, u32>,
    contributors: BTreeMap<FindingId, BTreeSet<Contributor>>,
    by: BTreeMap<Contributor, FindingId>,
}

impl Ids {
    /// Ids that were minted before: none of them is minted again.
    #[must_use]
    pub fn after(taken: impl IntoIterator<Item = FindingId>) -> Self {
        let mut ids = Self::default();
        for id in taken {
            let next = ids.next.entry(id.namespace).or_insert(1);
            *next = (*next).max(id.number.saturating_add(1));
            ids.contributors.entry(id).or_default();
        }
        ids
    }

    /// The id for what a contributor found: the one it has already, else a new one.
    pub fn mint(&mut self, namespace: Namespace, contributor: Contributor) -> FindingId {
        if let Some(known) = self.by.get(&contributor) {
            return *known;
        }
        let next = self.next.entry(namespace).or_insert(1);
        let id = FindingId {
            namespace,
            number: *next,
        };
        *next = next.saturating_add(1);
        self.join(id, contributor);
        id
    }

    /// Says that a contributor found the same defect; `false` when it stands for another already.
    pub fn join(&mut self, id: FindingId, contributor: Contributor) -> bool {
        match self.by.get(&contributor) {
            Some(known) => *known == id,
            None => {
                self.by.insert(contributor.clone(), id);
                self.contributors.entry(id).or_default().insert(contributor);
                true
            }
        }
    }

    /// Everybody who found it.
    pub fn contributors(&self, id: FindingId) -> impl Iterator<Item = &Contributor> {
        self.contributors.get(&id).into_iter().flatten()
    }
}

/// Whether an item of a prior review is a blocker: by the state of that review and whose pull
/// request it is, never by how bad it looks today.
#[must_use]
pub fn prior_blocks(changes_requested: bool, own: bool) -> bool {
    changes_requested || own
}

/// Whether a finding of a review is a blocker. A repository's rubric may name its own severities;
/// one that is named and maps to nothing blocks.
#[must_use]
pub fn severity_blocks(severity: &str, rubric: &BTreeMap<String, bool>) -> bool {
    rubric
        .get(severity)
        .copied()
        .unwrap_or(!severity.eq_ignore_ascii_case("minor"))
}
