//! What stands beside the repository: the request on the forge with its threads, findings of
//! earlier phases, and who calls. Absent, unread and unreadable are three different things
//! (rulings A3).

use std::sync::Arc;

use crate::model::finding::{CallerBundle, Findings};
use crate::model::hidden::Marks;
use crate::model::id::{Digest, Oid};
use crate::model::known::{Known, Reason};
use crate::model::thread::{Pull, Thread, Threads};

use super::dossier::Raised;
use super::marks::{self, Badge};
use super::policy::Policy;
use super::verify::claims::Claims;
use super::verify::scoped::Checks;
use super::verify::threads::{Case, Looked, cases};

/// What stands beside the repository.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    /// The threads. Does not apply without a request; a request whose threads were not loaded is
    /// [`Known::Is`] with channels that are not supplied.
    pub threads: Known<Arc<ThreadFacts>>,
    /// Findings of simplify and adherence.
    pub findings: Known<Arc<Findings>>,
    /// Who calls; not supplied: nobody but a person or a script.
    pub caller: Known<Arc<CallerBundle>>,
    /// The round that was given; it only asserts (K30).
    pub asserted: Option<u32>,
    /// What title and description claim about tickets.
    pub claims: Claims,
    /// The repository's map of scoped checks at the merge base; not supplied: it has none.
    pub checks: Known<Arc<Checks>>,
    /// The ticket that a claim names and that is not there.
    pub dangling: Option<String>,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            threads: Known::NotApplicable(Reason::new("no pull request: there are no threads")),
            findings: Known::NotSupplied,
            caller: Known::NotSupplied,
            asserted: None,
            claims: Claims::default(),
            checks: Known::NotSupplied,
            dangling: None,
        }
    }
}

impl Request {
    /// The request on the forge, where it is known.
    #[must_use]
    pub fn pull(&self) -> Option<&Pull> {
        self.threads.known()?.threads.pull.known()
    }

    /// The head that the forge has, when it is another one (FRG-11).
    #[must_use]
    pub fn other_head(&self, head: Oid) -> Option<Oid> {
        self.pull()?.head.filter(|forge| *forge != head)
    }
}

/// Threads, and what the rules make of them before a person says anything.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ThreadFacts {
    /// The threads as they were read.
    pub threads: Threads,
    /// What each is.
    pub cases: Arc<Vec<Case>>,
    /// A digest of what was said in each.
    pub said: Vec<Digest>,
    /// What each hides or disguises.
    pub badges: Vec<Badge>,
    /// What is hidden in the logins of all comments.
    pub logins: Marks,
    /// Their places, ordered by id.
    by_id: Vec<usize>,
}

impl ThreadFacts {
    /// Applies the rules once.
    #[must_use]
    pub fn new(threads: Threads, looked: &[Looked], policy: &Policy) -> Self {
        let mut by_id: Vec<usize> = (0..threads.threads.len()).collect();
        by_id.sort_by_key(|at| threads.threads.get(*at).map(|thread| &thread.id));
        Self {
            cases: Arc::new(cases(&threads, looked, policy)),
            said: threads.threads.iter().map(said).collect(),
            badges: threads.threads.iter().map(Badge::of_thread).collect(),
            logins: marks::of_logins(&threads),
            by_id,
            threads,
        }
    }

    /// The name of a thread as something that a person can decide on.
    #[must_use]
    pub fn raised(&self, at: usize) -> Option<Raised> {
        Some(Raised::Thread {
            id: self.threads.threads.get(at)?.id.clone(),
            said: *self.said.get(at)?,
        })
    }

    /// The thread with this name.
    #[must_use]
    pub fn find(&self, raised: &Raised) -> Option<(usize, &Thread)> {
        let Raised::Thread { id, said } = raised else {
            return None;
        };
        let named = |at: &usize| self.threads.threads.get(*at).map(|thread| &thread.id);
        let from = self.by_id.partition_point(|at| named(at) < Some(id));
        let same = self.by_id.get(from..)?.iter().copied();
        let mut same = same.take_while(|at| named(at) == Some(id));
        let at = same.find(|at| self.said.get(*at) == Some(said))?;
        Some((at, self.threads.threads.get(at)?))
    }
}

/// A digest of everything that is said in a thread, in its order.
fn said(thread: &Thread) -> Digest {
    let mut fields: Vec<&[u8]> = vec![thread.id.as_bytes()];
    for comment in thread.comments() {
        fields.push(comment.id.as_bytes());
        fields.push(comment.body.raw());
    }
    Digest::of_fields(&fields)
}
