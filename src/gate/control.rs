//! The negative control: the same oracle on the base tree, where it ought to be red (RUN-20,
//! rulings K48). A pass there proves nothing of the change; a run there is never evidence that a
//! criterion is met.

use crate::model::id::{CriterionId, Digest, Oid};
use crate::model::known::Known;
use crate::model::oracle::{Ended, Outcome};

use super::dossier::{Dossier, RunFact};
use super::floor::lint::Lint;

/// The weakness of a check that looks for the absence of something, which a red control takes
/// away (H34, K48).
const ABSENCE: &str = "absence-without-control";

/// What a pass on base is worth.
pub const PASSES_THERE: &str = "it passes on base too: it proves nothing of this change";

impl Dossier {
    /// Whether a tree is that of the base and not the one under review.
    #[must_use]
    pub fn is_base_tree(&self, tree: Oid) -> bool {
        tree == self.snapshot.base_tree && tree != self.snapshot.tree
    }

    /// The last conclusive run of a criterion's oracle, byte for byte, on the base tree.
    #[must_use]
    pub fn control(&self, id: &CriterionId) -> Option<&RunFact> {
        let Known::Is(record) = &self.contract else {
            return None;
        };
        let oracle = record.contract.criterion(id)?.oracle.as_ref()?.digest();
        let runs = self.runs.iter().rev();
        let mut mine = runs.filter(|run| &run.criterion == id);
        mine.find(|run| self.is_control(run, oracle))
    }

    /// Whether a run is a control of this oracle that came to an end.
    #[must_use]
    pub fn is_control(&self, run: &RunFact, oracle: Digest) -> bool {
        run.oracle == oracle && self.is_base_tree(run.tree) && run.ended != Ended::Interrupted
    }

    /// The lints that stand: a check for absence that was red on base has shown that it can be.
    pub fn standing_lints(&self) -> impl Iterator<Item = (&CriterionId, &Lint)> {
        let answered = |id: &CriterionId, lint: &Lint| {
            lint.code == ABSENCE
                && self
                    .control(id)
                    .is_some_and(|run| run.outcome == Outcome::NotMet)
        };
        let lints = self.lints.iter().map(|(id, lint)| (id, lint));
        lints.filter(move |(id, lint)| !answered(id, lint))
    }

    /// Why a pass of this criterion's oracle would be weak, a fragment for each reason.
    #[must_use]
    pub fn weaknesses(&self, id: &CriterionId) -> Vec<&str> {
        let lints = self.standing_lints();
        let mine = lints.filter(|(of, lint)| *of == id && lint.weakens);
        let mut out: Vec<&str> = mine.map(|(_, lint)| lint.message.as_str()).collect();
        let control = self.control(id).map(|run| run.outcome);
        out.extend((control == Some(Outcome::Met)).then_some(PASSES_THERE));
        out
    }
}
