//! What happened since a round was judged, sorted by what was asked for: what answers a kick-back,
//! what nobody asked for, and what is gone. Gone comes first, because nobody looks for it.

use std::collections::BTreeSet;

use crate::gate::decide::{Act, Ruling};
use crate::gate::dossier::{Dossier, Raised, Recorded, Subject};
use crate::model::id::{Oid, RepoPath};
use crate::model::known::Known;
use crate::model::ruling::Verdict;

use super::scope::tested;

/// What happened since.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Since {
    /// The head that was judged.
    pub head: Oid,
    /// Changed then, and not any more.
    pub gone: Vec<RepoPath>,
    /// Changed since, in files that a kick-back names or that test such a file.
    pub answered: Vec<RepoPath>,
    /// Changed since, in other files.
    pub unasked: Vec<RepoPath>,
}

/// The last ruling that sent this change back, when it is of another head.
#[must_use]
pub fn judged(dossier: &Dossier) -> Option<&Recorded<Ruling>> {
    let mut rulings = dossier.rulings.iter().rev();
    rulings.find(|ruling| {
        !dossier.holds(ruling.value.snapshot())
            && matches!(ruling.value.verdict(), Verdict::Reroll | Verdict::Escalate)
    })
}

/// Sorts what differs.
#[must_use]
pub fn sorted(
    dossier: &Dossier,
    ruling: &Recorded<Ruling>,
    gone: Vec<RepoPath>,
    changed: Vec<RepoPath>,
) -> Since {
    let asked = asked(dossier, ruling);
    let stems: BTreeSet<String> = asked
        .iter()
        .filter_map(|path| {
            let name = String::from_utf8_lossy(path.file_name()).to_lowercase();
            name.split('.').next().map(str::to_owned)
        })
        .collect();
    let answers = |path: &RepoPath| {
        asked.contains(path) || tested(path).is_some_and(|stem| stems.contains(&stem))
    };
    let (answered, unasked) = changed.into_iter().partition(answers);
    Since {
        head: ruling.value.snapshot().head,
        gone,
        answered,
        unasked,
    }
}

/// The files that the kick-backs of a ruling speak of.
fn asked(dossier: &Dossier, ruling: &Recorded<Ruling>) -> BTreeSet<RepoPath> {
    let mut out = BTreeSet::new();
    let its = dossier
        .decisions
        .iter()
        .filter(|d| ruling.value.decisions().contains(&d.entry));
    for recorded in its {
        let words = match recorded.value.act() {
            Act::KickBack { text, .. } | Act::Lift { text } | Act::ScopeDecline { text } => text,
            _ => continue,
        };
        out.extend(named(words));
        match recorded.value.subject() {
            Subject::Criterion(id) => {
                let contract = dossier.contract.known().map(|record| &record.contract);
                if let Some(criterion) = contract.and_then(|contract| contract.criterion(id)) {
                    let paths = criterion.anchors.paths.iter();
                    out.extend(paths.map(|path| RepoPath::new(path.raw().to_vec())));
                }
            }
            Subject::ScopeFile(path) => {
                out.insert(path.clone());
            }
            Subject::Review(Raised::Thread { id, .. }) => {
                if let Known::Is(facts) = &dossier.request.threads {
                    let mut threads = facts.threads.threads.iter();
                    let found = threads.find(|thread| &thread.id == id);
                    out.extend(found.and_then(|t| t.spot.as_ref()).map(|s| s.path.clone()));
                }
            }
            Subject::ContractEdit(_)
            | Subject::Chain(_)
            | Subject::Assertion(_)
            | Subject::Review(_)
            | Subject::Message(_) => {}
        }
    }
    out
}

/// Paths in a text, with or without a line.
fn named(text: &str) -> Vec<RepoPath> {
    let edge = |c: char| !(c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | ':'));
    text.split(edge)
        .map(|word| word.split(':').next().unwrap_or_default())
        .map(|word| word.trim_end_matches('.'))
        .filter(|word| word.contains('/') || word.contains('.'))
        .filter(|word| word.chars().any(char::is_alphabetic))
        .map(RepoPath::from)
        .collect()
}
