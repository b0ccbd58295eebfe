//! What a person calls the items, and what each verb means for each kind of item. Reads the
//! state only.

use crate::gate::decide::{Act, Answer};
use crate::gate::dossier::{Dossier, EditTarget, Raised, RunFact, Subject};
use crate::gate::judge::Item;
use crate::gate::permit::Verb;
use crate::model::chain::{Callee, Chain, ChainId};
use crate::model::contract::Criterion;
use crate::model::evidence::Evidence;
use crate::model::id::{CriterionId, Oid, RepoPath};
use crate::model::known::Known;
use crate::model::oracle::Outcome;
use crate::model::ruling::Cause;
use crate::model::scope::Trace;
use crate::model::standing::Standing;
use crate::model::text::{Foreign, Place};

use super::state::{Focus, NoteKind, Row, State};

/// The item's name inside a sentence: `2`, `the edit of 7`, `deploy.yml`.
#[must_use]
pub fn name_of(subject: &Subject) -> String {
    match subject {
        Subject::Criterion(id) => id.to_string(),
        Subject::ContractEdit(EditTarget::Whole) => "the contract".into(),
        Subject::ContractEdit(EditTarget::Request) => "the edit of the request".into(),
        Subject::ContractEdit(EditTarget::Criterion(id)) => format!("the edit of {id}"),
        Subject::ContractEdit(EditTarget::Scope) => "the edit of the file scope".into(),
        Subject::ContractEdit(EditTarget::Header) => "the edit of the header".into(),
        Subject::ScopeFile(path) => path.foreign().shown(Place::Strict).plain(),
        Subject::Chain(id) => id.shown(),
        Subject::Assertion(entry) => format!("assertion {}", entry.short()),
        Subject::Review(Raised::Thread { id, .. }) => {
            format!("thread {}", Foreign::from(id.as_ref()).shown(Place::Strict))
        }
        Subject::Review(Raised::Finding(id)) => format!("finding {}", id.0.short()),
        Subject::Review(Raised::Incomplete(_)) => "the missing comments".into(),
        Subject::Message(id) => format!("gate {}", id.digest.short()),
    }
}

/// A name that stays the same from session to session, for drafts.
#[must_use]
pub fn key_of(subject: &Subject) -> String {
    match subject {
        Subject::Criterion(id) => format!("criterion {id}"),
        Subject::ContractEdit(EditTarget::Whole) => "edit whole".into(),
        Subject::ContractEdit(EditTarget::Request) => "edit request".into(),
        Subject::ContractEdit(EditTarget::Criterion(id)) => format!("edit criterion {id}"),
        Subject::ContractEdit(EditTarget::Scope) => "edit scope".into(),
        Subject::ContractEdit(EditTarget::Header) => "edit header".into(),
        Subject::ScopeFile(path) => format!("file {}", path.json().0),
        Subject::Chain(id) => format!("chain {}", id.shown()),
        Subject::Assertion(entry) => format!("assertion {entry}"),
        Subject::Review(Raised::Thread { id, said }) => {
            let id = Foreign::from(id.as_ref()).shown(Place::Strict);
            format!("thread {id} {}", said.short())
        }
        Subject::Review(Raised::Finding(id)) => format!("finding {}", id.0.short()),
        Subject::Review(Raised::Incomplete(set)) => format!("comments {}", set.short()),
        Subject::Message(id) => format!("gate {}", id.digest.short()),
    }
}

/// What a verb does to an item: at once, or after a note.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Plan {
    /// This act.
    Now(Act),
    /// A note of this kind first.
    Note(NoteKind),
    /// The row of a gate message that is under the cursor.
    Row,
    /// Nothing; the verb makes no sense here.
    Nothing,
}

impl State {
    /// The facts.
    #[must_use]
    pub fn dossier(&self) -> Option<&Dossier> {
        self.world.dossier.as_deref()
    }

    /// Whether the part with the keys belongs to the selected item; on the verdict and the ledger
    /// page no item is on screen, and nothing is decided there but the ruling.
    #[must_use]
    pub fn on_item(&self) -> bool {
        !matches!(self.nav.focus, Focus::Verdict | Focus::Ledger | Focus::Spec)
    }

    /// Whether affirming the item is a ratify, which alone can be done unseen.
    #[must_use]
    pub fn ratifies(&self, subject: &Subject) -> bool {
        matches!(
            self.plan(subject, Verb::Affirm),
            Plan::Now(Act::Ratify { .. })
        )
    }

    /// The selected item.
    #[must_use]
    pub fn subject(&self) -> Option<&Subject> {
        match &self.nav.selected {
            Some(Row::Item(subject)) => Some(subject),
            Some(Row::File(_) | Row::Verdict) | None => None,
        }
    }

    /// The selected item as judged.
    #[must_use]
    pub fn item(&self) -> Option<&Item> {
        self.world.judgment.as_ref()?.item(self.subject()?)
    }

    /// The selected criterion's id.
    #[must_use]
    pub fn criterion_id(&self) -> Option<&CriterionId> {
        match self.subject()? {
            Subject::Criterion(id) | Subject::ContractEdit(EditTarget::Criterion(id)) => Some(id),
            Subject::ContractEdit(
                EditTarget::Whole | EditTarget::Request | EditTarget::Scope | EditTarget::Header,
            )
            | Subject::ScopeFile(_)
            | Subject::Chain(_)
            | Subject::Assertion(_)
            | Subject::Review(_)
            | Subject::Message(_) => None,
        }
    }

    /// A criterion of the judged contract.
    #[must_use]
    pub fn criterion(&self, id: &CriterionId) -> Option<&Criterion> {
        self.dossier()?.contract.known()?.contract.criterion(id)
    }

    /// The newest run of a criterion's oracle on the pinned tree.
    #[must_use]
    pub fn run_of(&self, id: &CriterionId) -> Option<&RunFact> {
        let dossier = self.dossier()?;
        let oracle = self.criterion(id)?.oracle.as_ref()?.digest();
        dossier
            .runs
            .iter()
            .rev()
            .find(|run| &run.criterion == id && run.oracle == oracle && dossier.same_tree(run.tree))
    }

    /// What a verb does to an item, in the words of its permit.
    #[must_use]
    pub fn does(&self, subject: &Subject, verb: Verb) -> Option<&'static str> {
        self.world
            .judgment
            .as_ref()?
            .item(subject)?
            .permits
            .of(verb)
            .does()
    }

    /// Whether affirming the item accepts a partial delivery.
    #[must_use]
    pub fn accepts_partial(&self, subject: &Subject) -> bool {
        self.does(subject, Verb::Affirm) == Some("accept partial delivery")
    }

    /// What a criterion would be ratified on: what the person picked, else its passing run.
    #[must_use]
    pub fn evidence(&self, subject: &Subject) -> Vec<Evidence> {
        let Subject::Criterion(id) = subject else {
            return Vec::new();
        };
        if let Some(picked) = self.world.picked.get(id)
            && !picked.is_empty()
        {
            return picked.clone();
        }
        self.run_of(id)
            .filter(|run| run.outcome == Outcome::Met)
            .map(|run| Evidence::Run(run.entry))
            .into_iter()
            .collect()
    }

    /// What a verb does to an item (screens.md, section 4, one verb, one key).
    #[must_use]
    pub fn plan(&self, subject: &Subject, verb: Verb) -> Plan {
        let lifts = self.does(subject, Verb::SendBack) == Some("lift the abandonment");
        match (verb, subject) {
            (Verb::Affirm, Subject::ContractEdit(_)) => Plan::Now(Act::Acknowledge),
            (Verb::Affirm, Subject::Criterion(_)) if self.accepts_partial(subject) => {
                Plan::Note(NoteKind::AcceptPartial)
            }
            (Verb::Affirm, Subject::Criterion(_) | Subject::Assertion(_)) => {
                Plan::Now(Act::Ratify {
                    evidence: self.evidence(subject),
                })
            }
            (_, Subject::Review(raised)) => self.plan_of_review(raised, verb),
            (Verb::Affirm, Subject::Message(_)) => Plan::Row,
            (Verb::SendBack | Verb::SetAside, Subject::Message(_)) => Plan::Note(NoteKind::Reply),
            (_, Subject::Message(_)) => Plan::Nothing,
            (Verb::Affirm, Subject::ScopeFile(_)) => Plan::Now(Act::ScopeAccept),
            (Verb::Affirm, Subject::Chain(_)) => Plan::Note(NoteKind::ChainClosed),
            (Verb::SetAside, Subject::Chain(_)) => Plan::Note(NoteKind::ChainAccepted),
            (Verb::SendBack, Subject::Criterion(_)) if lifts => Plan::Note(NoteKind::Lift),
            (Verb::SendBack, Subject::ScopeFile(_)) => Plan::Note(NoteKind::ScopeDecline),
            (
                Verb::SendBack,
                Subject::Criterion(_)
                | Subject::ContractEdit(_)
                | Subject::Chain(_)
                | Subject::Assertion(_),
            ) => Plan::Note(NoteKind::KickBack),
            (Verb::SetAside, Subject::ContractEdit(_)) => Plan::Note(NoteKind::AcceptEdit),
            (Verb::SetAside, Subject::Criterion(_)) => Plan::Note(NoteKind::Abandon),
            (Verb::SetAside, Subject::ScopeFile(_)) => Plan::Note(NoteKind::ScopeTicket),
            (Verb::Escalate, Subject::ScopeFile(_)) => Plan::Note(NoteKind::ScopeEscalate),
            (Verb::NotApplicable, Subject::Criterion(_)) => Plan::Note(NoteKind::NotApplicable),
            (Verb::Override, Subject::Criterion(_)) => Plan::Note(NoteKind::Override),
            (Verb::SetAside, Subject::Assertion(_))
            | (
                Verb::Escalate,
                Subject::Criterion(_)
                | Subject::ContractEdit(_)
                | Subject::Chain(_)
                | Subject::Assertion(_),
            )
            | (
                Verb::NotApplicable | Verb::Override,
                Subject::ContractEdit(_)
                | Subject::ScopeFile(_)
                | Subject::Chain(_)
                | Subject::Assertion(_),
            )
            | (Verb::Run | Verb::Tag, _) => Plan::Nothing,
        }
    }

    /// What a verb does to something that a review raised. A thread whose place a commit touched
    /// is answered by that commit; else the person names what answers it.
    fn plan_of_review(&self, raised: &Raised, verb: Verb) -> Plan {
        match (verb, raised) {
            (Verb::Affirm, Raised::Thread { .. }) => match self.touched_by(raised) {
                Some(commit) => Plan::Now(Act::Answer(Answer::Addressed {
                    commit: Some(commit),
                    at: None,
                })),
                None => Plan::Note(NoteKind::Addressed),
            },
            (Verb::Affirm, Raised::Incomplete(_)) => Plan::Now(Act::Acknowledge),
            (Verb::Affirm, Raised::Finding(_)) => Plan::Note(NoteKind::WaiverHolds),
            (Verb::SendBack, Raised::Thread { .. }) => Plan::Note(NoteKind::KickBack),
            (Verb::SendBack, Raised::Finding(_)) => Plan::Note(NoteKind::WaiverRefused),
            (Verb::SetAside, Raised::Thread { .. }) => Plan::Note(NoteKind::ThreadTicket),
            (Verb::NotApplicable, Raised::Thread { .. }) => Plan::Note(NoteKind::NotActionable),
            (Verb::Tag, Raised::Thread { .. }) => Plan::Note(NoteKind::Tag),
            _ => Plan::Nothing,
        }
    }

    /// The last commit that touched the place of a thread.
    fn touched_by(&self, raised: &Raised) -> Option<Oid> {
        let threads = self.dossier()?.request.threads.known()?;
        let (at, _) = threads.find(raised)?;
        threads
            .cases
            .get(at)?
            .looked
            .touch
            .commits()
            .last()
            .copied()
    }

    /// The file that a thread or a finding points at, in the change.
    #[must_use]
    pub fn raised_file(&self, raised: &Raised) -> Option<RepoPath> {
        let request = &self.dossier()?.request;
        match raised {
            Raised::Thread { .. } => {
                let threads = request.threads.known()?;
                let (at, thread) = threads.find(raised)?;
                let anchor = threads.cases.get(at).map(|case| &case.looked.anchor);
                match anchor {
                    Some(Known::Is(at)) => Some(at.path.clone()),
                    _ => thread.spot.as_ref().map(|spot| spot.path.clone()),
                }
            }
            Raised::Finding(id) => request.findings.known()?.simplify_of(id)?.file.clone(),
            Raised::Incomplete(_) => None,
        }
    }

    /// The cause that a kick-back starts with, by rule from the facts, and why.
    #[must_use]
    pub fn preset_cause(&self, subject: &Subject) -> (Cause, &'static str) {
        let weak = |id: &CriterionId| {
            self.dossier()
                .is_some_and(|dossier| !dossier.weaknesses(id).is_empty())
        };
        let standing = self
            .world
            .judgment
            .as_ref()
            .and_then(|judgment| judgment.item(subject))
            .map(|item| item.standing);
        match subject {
            Subject::ContractEdit(_) => (Cause::Implementation, "the change is to restore it"),
            Subject::ScopeFile(_) => (Cause::Implementation, "the change is to remove it"),
            Subject::Chain(_) => (Cause::Implementation, "the verdict does not come back"),
            Subject::Assertion(_) => (Cause::Evidence, "what was asserted is not shown"),
            Subject::Review(_) => (Cause::Implementation, "what it asks for is not done"),
            Subject::Message(_) => (Cause::Question, "words to a gate have no cause"),
            Subject::Criterion(id) => match standing {
                Some(Standing::Failing) => (Cause::Implementation, "its oracle fails"),
                Some(Standing::Passing | Standing::Ratified | Standing::Carried) if weak(id) => {
                    (Cause::Evidence, "its oracle proves too little")
                }
                Some(Standing::Passing | Standing::Ratified | Standing::Carried) => {
                    (Cause::Implementation, "its oracle passes all the same")
                }
                Some(
                    Standing::Unproven
                    | Standing::Pending
                    | Standing::Stale
                    | Standing::Error
                    | Standing::KickedBack
                    | Standing::Abandoned
                    | Standing::Overridden
                    | Standing::NotApplicable,
                )
                | None => (Cause::Evidence, "nothing shows it yet"),
            },
        }
    }

    /// The file whose diff belongs to the screen: the one the person chose, else the selection's.
    #[must_use]
    pub fn diff_file(&self) -> Option<RepoPath> {
        if let Some(path) = &self.nav.file {
            return Some(path.clone());
        }
        let dossier = self.dossier()?;
        match self.nav.selected.as_ref()? {
            Row::File(path) | Row::Item(Subject::ScopeFile(path)) => Some(path.clone()),
            Row::Item(Subject::ContractEdit(_)) => {
                Some(dossier.contract.known()?.contract.path.clone())
            }
            Row::Item(Subject::Criterion(id)) => self.claimed_files(id).into_iter().next(),
            Row::Item(Subject::Chain(id)) => self.chain_files(id).into_iter().next(),
            Row::Item(Subject::Review(raised)) => self.raised_file(raised),
            Row::Item(Subject::Assertion(_) | Subject::Message(_)) | Row::Verdict => {
                dossier.files.known()?.first().map(|file| file.path.clone())
            }
        }
    }

    /// A chain of the tree under review.
    #[must_use]
    pub fn chain(&self, id: &ChainId) -> Option<&Chain> {
        self.dossier()?.chains.known()?.chain(id)
    }

    /// The changed skills of a chain: the caller first.
    #[must_use]
    pub fn chain_files(&self, id: &ChainId) -> Vec<RepoPath> {
        let (Some(chain), Some(dossier)) = (self.chain(id), self.dossier()) else {
            return Vec::new();
        };
        let callee = match &chain.callee_at {
            Callee::Skill(file) => Some(file),
            Callee::Missing(_) => None,
        };
        let both = [Some(&chain.caller_file), callee].into_iter().flatten();
        let files = dossier.files.known().map(Vec::as_slice).unwrap_or_default();
        let changed = both.filter(|path| files.iter().any(|file| file.path == **path));
        changed.cloned().collect()
    }

    /// Changed files that a criterion claims, in the order of the scope.
    #[must_use]
    pub fn claimed_files(&self, id: &CriterionId) -> Vec<RepoPath> {
        let Some(Known::Is(scope)) = self.dossier().map(|dossier| &dossier.scope) else {
            return Vec::new();
        };
        scope
            .files
            .iter()
            .filter(|file| file.traces.contains(&Trace::Criterion(id.clone())))
            .map(|file| file.path.clone())
            .collect()
    }
}
