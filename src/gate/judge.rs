//! From facts to items, standings, permits, gate verdicts and the ruling, with a trace.

use crate::model::id::CriterionId;
use crate::model::known::Known;
use crate::model::ruling::Verdict;
use crate::model::standing::Standing;

use super::dossier::{Dossier, Subject};
use super::floor::verdict::FloorVerdict;
use super::permit::Permits;
use super::policy::Policy;

/// The panes that items live in, in walking order; the number is the key that selects it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Pane {
    /// 0.
    Contract,
    /// 1.
    Criteria,
    /// 2.
    Comments,
    /// 3.
    Scope,
    /// 4.
    Chains,
    /// 5.
    Spec,
    /// 6.
    Triage,
    /// 7.
    Verdict,
}

/// What the rules make of the facts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Judgment {
    /// Everything listed, in the order `n` walks.
    pub items: Vec<Item>,
    /// The floor gate.
    pub floor: Known<FloorVerdict>,
    /// The verify gate.
    pub verify: Verdict,
    /// The strictest of the applicable gates (rulings A1).
    pub ruling: Verdict,
    /// What the ruling can still become while it is undecided, laxest first.
    pub can_end: Vec<Verdict>,
    /// Why: one row for each rule that was looked at, in order.
    pub trace: Vec<TraceRow>,
    /// What would be needed for the next better verdict, one sentence; empty when APPROVED.
    pub nearest: String,
    /// Items that still need the person.
    pub owed: usize,
    /// Items that the person decided.
    pub decided: usize,
}

impl Judgment {
    /// The item of a subject.
    #[must_use]
    pub fn item(&self, subject: &Subject) -> Option<&Item> {
        self.items.iter().find(|item| &item.subject == subject)
    }
}

/// One row of a list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Item {
    /// What it is.
    pub subject: Subject,
    /// Where it is listed.
    pub pane: Pane,
    /// Where it stands.
    pub standing: Standing,
    /// The word beside the glyph: the standing's own or its one-word reason (`manual`, `weak`).
    pub word: &'static str,
    /// Whether it needs the person.
    pub owed: bool,
    /// Whether it stops a verdict better than the current one.
    pub blocks: bool,
    /// What can be done.
    pub permits: Permits,
    /// What its evidence does not show, in whole fragments (`OUTPUT: stderr only`).
    pub limits: Vec<String>,
}

/// One rule of the trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceRow {
    /// The rule's name (`T1`, `row G`, `floor`).
    pub rule: &'static str,
    /// What it found, in our words, ids included.
    pub says: String,
    /// What came of it.
    pub result: TraceResult,
    /// The criteria it names.
    pub ids: Vec<CriterionId>,
}

/// What came of a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TraceResult {
    /// It does not fire.
    Clear,
    /// It fires.
    Fires,
    /// Listed, never blocks.
    Nit,
    /// It could not be looked at.
    Unknown,
    /// It does not apply.
    Absent,
    /// It fixes the verdict.
    Decides(Verdict),
}

/// Applies every rule to the facts.
#[must_use]
pub fn judge(dossier: &Dossier, policy: &Policy) -> Judgment {
    let _ = (dossier, policy);
    Judgment {
        items: Vec::new(),
        floor: Known::NotSupplied,
        verify: Verdict::Undecided,
        ruling: Verdict::Undecided,
        can_end: Vec::new(),
        trace: Vec::new(),
        nearest: String::new(),
        owed: 0,
        decided: 0,
    }
}
