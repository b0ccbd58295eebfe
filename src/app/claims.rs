//! Which file stands where in the scope, so that no frame and no key passes over all files.

use std::collections::HashMap;

use crate::gate::dossier::Dossier;
use crate::model::id::{CriterionId, RepoPath};
use crate::model::scope::{Scope, ScopedFile, Trace};

/// Places in a [`Scope`]: of the whole one in the dossier, or of the part that is known while
/// files are still being listed. A part shows what was found; it accounts for nothing.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Claims {
    part: Option<Scope>,
    at: HashMap<RepoPath, usize>,
    of: HashMap<CriterionId, Vec<usize>>,
}

impl Claims {
    /// The places of a scope, which is kept as a part until [`Claims::take`].
    #[must_use]
    pub fn of(scope: Scope) -> Self {
        let mut claims = Self {
            part: None,
            ..Self::places(&scope)
        };
        claims.part = Some(scope);
        claims
    }

    /// The places of a scope that is kept elsewhere.
    #[must_use]
    pub fn places(scope: &Scope) -> Self {
        let mut claims = Self::default();
        for (at, file) in scope.files.iter().enumerate() {
            claims.at.insert(file.path.clone(), at);
            for trace in &file.traces {
                if let Trace::Criterion(id) = trace {
                    claims.of.entry(id.clone()).or_default().push(at);
                }
            }
        }
        claims
    }

    /// Gives the scope away: it is whole.
    pub fn take(&mut self) -> Option<Scope> {
        self.part.take()
    }

    /// The scope as far as it is known.
    #[must_use]
    pub fn scope<'a>(&'a self, dossier: &'a Dossier) -> Option<&'a Scope> {
        dossier.scope.known().or(self.part.as_ref())
    }

    /// How a file is traced.
    #[must_use]
    pub fn file<'a>(&'a self, dossier: &'a Dossier, path: &RepoPath) -> Option<&'a ScopedFile> {
        let files = &self.scope(dossier)?.files;
        self.at.get(path).and_then(|at| files.get(*at))
    }

    /// The files that a criterion claims, in the order of the scope.
    pub fn files<'a>(
        &'a self,
        dossier: &'a Dossier,
        id: &CriterionId,
    ) -> impl ExactSizeIterator<Item = &'a ScopedFile> + use<'a> {
        let files = self.scope(dossier).map_or(&[][..], |scope| &scope.files);
        let places = self.of.get(id).map_or(&[][..], Vec::as_slice);
        // an index belongs to its scope: a place outside of it would be a mistake of ours
        let places = if places.iter().all(|at| *at < files.len()) {
            places
        } else {
            &[]
        };
        places
            .iter()
            .filter_map(|at| files.get(*at))
            .collect::<Vec<_>>()
            .into_iter()
    }
}
