//! Heads that differ from an earlier one in nothing but what the person confirmed: decisions on
//! the earlier one hold on them (rulings K05; choices.md, Evidence).

use crate::model::id::{Digest, Oid, RepoPath};
use crate::model::ruling::FileEdit;
use crate::model::snapshot::Snapshot;

use super::dossier::Dossier;

/// An earlier snapshot that counts as this one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kept {
    /// What was looked at then.
    pub snapshot: Snapshot,
    /// What lies between, verified byte for byte.
    pub why: KeptWhy,
}

/// All that lies between.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum KeptWhy {
    /// The edits of the ruling with this number in the log, all of them and nothing else.
    OwnEdits(u64),
    /// The contract's EVIDENCE slots.
    EvidenceOnly,
}

impl Kept {
    /// What lies between, a fragment for people.
    #[must_use]
    pub fn says(&self) -> String {
        let since = self.snapshot.head.short();
        match self.why {
            KeptWhy::OwnEdits(number) => {
                format!("since {since} own edits only, those of entry {number}, byte for byte")
            }
            KeptWhy::EvidenceOnly => {
                format!("since {since} evidence only: the contract's slots and nothing else")
            }
        }
    }

    /// The stable code, as in `session/1`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self.why {
            KeptWhy::OwnEdits(_) => "own-edits-only",
            KeptWhy::EvidenceOnly => "evidence-only",
        }
    }
}

/// A file that differs between two heads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Differs {
    /// Which.
    pub path: RepoPath,
    /// SHA-256 of its bytes now.
    pub now: Digest,
    /// Whether nothing but EVIDENCE slots differs.
    pub only_slots: bool,
}

/// Whether what differs is exactly what a ruling wrote: every file of it with exactly its bytes,
/// and no other file.
#[must_use]
pub fn own_edits(edits: &[FileEdit], differs: &[Differs]) -> bool {
    let same = |edit: &FileEdit| {
        let mut files = differs.iter();
        files.any(|file| file.path == edit.path && file.now == edit.after)
    };
    !edits.is_empty() && edits.len() == differs.len() && edits.iter().all(same)
}

/// Whether nothing differs but what stands in the contract's slots.
#[must_use]
pub fn evidence_only(contract: Option<&RepoPath>, differs: &[Differs]) -> bool {
    matches!(differs, [file] if Some(&file.path) == contract && file.only_slots)
}

/// Whether two looks were at the same thing: same tree, same base, same contract. The head
/// commit may differ (an amended message), so a head that moved back is valid again.
#[must_use]
pub fn same(then: &Snapshot, now: &Snapshot) -> bool {
    then.tree == now.tree && same_beside_the_tree(then, now)
}

/// The same, whatever the trees.
#[must_use]
pub fn same_beside_the_tree(then: &Snapshot, now: &Snapshot) -> bool {
    then.base == now.base
        && then.merge_base == now.merge_base
        && then.base_tree == now.base_tree
        && then.contract == now.contract
}

impl Dossier {
    /// Whether a decision made on `then` still holds (GIT-12, K05).
    #[must_use]
    pub fn holds(&self, then: &Snapshot) -> bool {
        let mut kept = self.kept.iter();
        same(then, &self.snapshot)
            || kept.any(|kept| {
                same(then, &kept.snapshot) && same_beside_the_tree(then, &self.snapshot)
            })
    }

    /// Whether a run on this tree speaks of the tree under review.
    #[must_use]
    pub fn same_tree(&self, tree: Oid) -> bool {
        let mut kept = self.kept.iter();
        tree == self.snapshot.tree || kept.any(|kept| kept.snapshot.tree == tree)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(path: &str, after: &[u8]) -> FileEdit {
        FileEdit {
            path: path.into(),
            after: Digest::of(after),
        }
    }

    fn differs(path: &str, now: &[u8], only_slots: bool) -> Differs {
        Differs {
            path: path.into(),
            now: Digest::of(now),
            only_slots,
        }
    }

    #[test]
    fn only_every_edit_and_no_more_is_own_edits() {
        let (a, b) = (edit("c.md", b"new"), edit("d.md", b"too"));
        let (in_a, in_b) = (
            differs("c.md", b"new", false),
            differs("d.md", b"too", false),
        );
        let other = differs("c.md", b"newer", true);
        let both = [a.clone(), b];
        let rows: [(&[FileEdit], &[Differs], bool); 7] = [
            (&both[..1], std::slice::from_ref(&in_a), true),
            (&both, &[in_b.clone(), in_a.clone()], true),
            (&both, std::slice::from_ref(&in_a), false),
            (&both[..1], &[in_a.clone(), in_b.clone()], false),
            (&both[..1], &[other], false),
            (&[], &[], false),
            (&[a], &[differs("x.md", b"new", false)], false),
        ];
        for (edits, files, wanted) in rows {
            assert_eq!(own_edits(edits, files), wanted, "{edits:?} {files:?}");
        }
    }

    #[test]
    fn slots_of_the_contract_and_of_no_other_file_are_evidence_only() {
        let path = RepoPath::from("c.md");
        let only = |files: &[Differs]| evidence_only(Some(&path), files);
        assert!(only(&[differs("c.md", b"new", true)]));
        assert!(!only(&[differs("c.md", b"new", false)]));
        assert!(!only(&[differs("d.md", b"new", true)]));
        assert!(!only(&[]));
        assert!(!evidence_only(None, &[differs("c.md", b"new", true)]));
    }
}
