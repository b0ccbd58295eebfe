//! What panes ask of a state again and again, answered in one place.

use crate::app::row::{Role, Span};
use crate::app::state::{self, Focus, State};
use crate::gate::dossier::{Dossier, EditTarget, Raised, RunFact, Subject};
use crate::gate::judge::{Item, Judgment};
use crate::gate::request::ThreadFacts;
use crate::model::change::FileChange;
use crate::model::contract::{ContractOfRecord, Criterion};
use crate::model::id::{CriterionId, RepoPath};
use crate::model::scope::{ScopedFile, Trace};
use crate::model::text::{Foreign, Place};
use crate::model::thread::Thread;

use super::card::Depth;
use super::words;

/// A state whose change was read.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// All of it.
    pub state: &'a State,
    /// The facts.
    pub dossier: &'a Dossier,
    /// Their judgment.
    pub judgment: &'a Judgment,
}

impl<'a> Facts<'a> {
    /// The facts of a state, once they came.
    #[must_use]
    pub fn of(state: &'a State) -> Option<Self> {
        Some(Self {
            state,
            dossier: state.world.dossier.as_deref()?,
            judgment: state.world.judgment.as_deref()?,
        })
    }

    /// Foreign text made visible.
    #[must_use]
    pub fn shown(&self, text: &Foreign, place: Place, role: Role) -> Vec<Span> {
        words::shown(self.state.screen.ascii, text, place, role)
    }

    /// The selected row; the first owed item, else the first item, where none was chosen.
    #[must_use]
    pub fn selected(&self) -> Option<state::Row> {
        if let Some(row) = &self.state.nav.selected {
            return Some(row.clone());
        }
        let items = &self.judgment.items;
        let first = items.iter().find(|item| item.owed).or(items.first())?;
        Some(state::Row::Item(first.subject.clone()))
    }

    /// The selected item's subject.
    #[must_use]
    pub fn subject(&self) -> Option<&'a Subject> {
        self.item().map(|item| &item.subject)
    }

    /// The selected item.
    #[must_use]
    pub fn item(&self) -> Option<&'a Item> {
        match self.selected()? {
            state::Row::Item(subject) => self.judgment.item(&subject),
            state::Row::File(_) | state::Row::Verdict => None,
        }
    }

    /// A thread with its place among the threads.
    #[must_use]
    pub fn thread(&self, raised: &Raised) -> Option<(&'a ThreadFacts, usize, &'a Thread)> {
        let threads = self.dossier.request.threads.known()?;
        let (at, thread) = threads.find(raised)?;
        Some((threads, at, thread))
    }

    /// The changed file that a thread or a finding points at.
    #[must_use]
    pub fn raised_at(&self, raised: &Raised) -> Option<&'a RepoPath> {
        let path = self.state.raised_file(raised)?;
        self.file(&path).map(|file| &file.path)
    }

    /// The contract of record.
    #[must_use]
    pub fn record(&self) -> Option<&'a ContractOfRecord> {
        self.dossier.contract.known()
    }

    /// A criterion of record; `hint` is where it probably stands.
    #[must_use]
    pub fn criterion(&self, id: &CriterionId, hint: usize) -> Option<&'a Criterion> {
        let criteria = &self.record()?.contract.criteria;
        match criteria.get(hint) {
            Some(criterion) if &criterion.id == id => Some(criterion),
            Some(_) | None => criteria.iter().find(|criterion| &criterion.id == id),
        }
    }

    /// The changed files that are known.
    #[must_use]
    pub fn files(&self) -> &'a [FileChange] {
        self.dossier.files.known().map_or(&[], Vec::as_slice)
    }

    /// A changed file.
    #[must_use]
    pub fn file(&self, path: &RepoPath) -> Option<&'a FileChange> {
        self.files().get(self.place_of(path)?)
    }

    /// Where a changed file stands in the list.
    #[must_use]
    pub fn place_of(&self, path: &RepoPath) -> Option<usize> {
        let files = self.files();
        // the list stands in the order of its paths
        let place = files.binary_search_by(|file| file.path.cmp(path)).ok();
        place.or_else(|| files.iter().position(|file| &file.path == path))
    }

    /// How the scope gate sees a file.
    #[must_use]
    pub fn scoped(&self, path: &RepoPath) -> Option<&'a ScopedFile> {
        self.state.world.claims.file(self.dossier, path)
    }

    /// The files that a criterion claims, as far as files are listed.
    pub fn claimed(
        &self,
        id: &CriterionId,
    ) -> impl ExactSizeIterator<Item = &'a ScopedFile> + use<'a> {
        self.state.world.claims.files(self.dossier, id)
    }

    /// The run that speaks for a criterion: the latest on this tree, else the latest.
    #[must_use]
    pub fn run(&self, id: &CriterionId) -> Option<&'a RunFact> {
        let runs = || {
            self.dossier
                .runs
                .iter()
                .rev()
                .filter(|run| &run.criterion == id && !self.dossier.is_base_tree(run.tree))
        };
        runs()
            .find(|run| self.dossier.same_tree(run.tree))
            .or_else(|| runs().next())
    }

    /// The file whose diff is shown: the one the person went to, else the selection's own.
    #[must_use]
    pub fn shown_file(&self) -> Option<&'a RepoPath> {
        if let Some(path) = &self.state.nav.file {
            return Some(path);
        }
        self.file_of(&self.selected()?)
    }

    /// The file whose diff belongs to a row of the list.
    #[must_use]
    pub fn file_of(&self, row: &state::Row) -> Option<&'a RepoPath> {
        match row {
            state::Row::Item(Subject::Chain(id)) => {
                let path = self.state.chain_files(id).into_iter().next()?;
                self.file(&path).map(|file| &file.path)
            }
            state::Row::File(path) | state::Row::Item(Subject::ScopeFile(path)) => {
                self.file(path).map(|file| &file.path)
            }
            state::Row::Item(Subject::Criterion(id)) => {
                self.claimed(id).next().map(|file| &file.path)
            }
            state::Row::Item(Subject::ContractEdit(_)) => {
                let path = &self.record()?.contract.path;
                self.file(path).map(|file| &file.path)
            }
            state::Row::Item(Subject::Review(raised)) => self.raised_at(raised),
            state::Row::Item(Subject::Assertion(_) | Subject::Message(_)) | state::Row::Verdict => {
                None
            }
        }
    }

    /// The criterion whose claims the gutter marks.
    #[must_use]
    pub fn claimant(&self) -> Option<CriterionId> {
        match self.selected()? {
            state::Row::Item(
                Subject::Criterion(id) | Subject::ContractEdit(EditTarget::Criterion(id)),
            ) => Some(id),
            state::Row::Item(
                Subject::ContractEdit(
                    EditTarget::Whole
                    | EditTarget::Request
                    | EditTarget::Scope
                    | EditTarget::Header,
                )
                | Subject::ScopeFile(_)
                | Subject::Chain(_)
                | Subject::Assertion(_)
                | Subject::Review(_)
                | Subject::Message(_),
            )
            | state::Row::File(_)
            | state::Row::Verdict => None,
        }
    }

    /// The wanted first row of a part.
    #[must_use]
    pub fn top(&self, focus: Focus) -> usize {
        self.state.nav.tops.get(&focus).copied().unwrap_or(0)
    }

    /// How much air a card has at this height.
    #[must_use]
    pub fn depth(&self, _rows: u16) -> Depth {
        if self.state.screen.size.1 >= 30 {
            Depth::Airy
        } else {
            Depth::Dense
        }
    }

    /// Whether the deciding rows of an item were on screen long enough.
    #[must_use]
    pub fn seen(&self, subject: &Subject) -> bool {
        self.state
            .seen
            .complete_since
            .get(subject)
            .is_some_and(|since| {
                let stood = self.state.screen.now_ms.saturating_sub(*since);
                stood >= self.state.world.policy.seen_ms
            })
    }

    /// Whether a label of an item was on screen, now or earlier.
    #[must_use]
    pub fn was_on_screen(&self, subject: &Subject, label: &str) -> bool {
        let rows = self.state.seen.rows.get(subject);
        rows.is_some_and(|rows| rows.contains(label))
    }
}

/// Whether a file is claimed by a criterion.
#[must_use]
pub fn claims(file: &ScopedFile, id: &CriterionId) -> bool {
    file.traces
        .iter()
        .any(|trace| matches!(trace, Trace::Criterion(claimant) if claimant == id))
}

/// Who claims a file, in the words of the file list.
#[must_use]
pub fn claimants(file: &ScopedFile) -> String {
    if file.overflow {
        return "untraced".to_owned();
    }
    let ids: Vec<&str> = file
        .traces
        .iter()
        .filter_map(|trace| match trace {
            Trace::Criterion(id) => Some(id.as_str()),
            Trace::Scope(_)
            | Trace::Contract
            | Trace::RepoWide
            | Trace::NamedOutside(_)
            | Trace::Untraced => None,
        })
        .collect();
    if !ids.is_empty() {
        return ids.join(" ");
    }
    match file.traces.first() {
        Some(Trace::Scope(_)) => "file scope",
        Some(Trace::Contract) => "contract",
        Some(Trace::RepoWide) => "repo-wide",
        Some(Trace::NamedOutside(_)) => "outside",
        Some(Trace::Untraced | Trace::Criterion(_)) | None => "untraced",
    }
    .to_owned()
}
