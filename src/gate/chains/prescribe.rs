//! What to write to close a chain, in the source's four items. Text only: nothing is ever written.

use crate::model::chain::{Basis, Callee, Chain, Level, Status, Wait};
use crate::model::text::Place;

/// The items of a prescription: the number the source gives it, and its lines.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Prescription {
    /// Edits of the caller.
    pub caller: Vec<(u8, Vec<String>)>,
    /// Edits of the callee.
    pub callee: Vec<(u8, Vec<String>)>,
}

const PROPOSAL: &str = "→ PROPOSAL ONLY — flag for human review before modifying";

impl Prescription {
    /// Whether there is nothing to write.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.caller.is_empty() && self.callee.is_empty()
    }

    /// The items in order.
    pub fn items(&self) -> impl Iterator<Item = &(u8, Vec<String>)> {
        self.caller.iter().chain(&self.callee)
    }

    /// The items as lines: `1. NAME/SKILL.md §Chains:`, the rest indented by three.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let mut out = Vec::new();
        for (at, (number, lines)) in self.items().enumerate() {
            if at > 0 {
                out.push(String::new());
            }
            for (place, line) in lines.iter().enumerate() {
                out.push(if place == 0 {
                    format!("{number}. {line}")
                } else {
                    format!("   {line}")
                });
            }
        }
        out
    }
}

/// What closes a chain; nothing for one that is CLOSED or declared open.
///
/// A callee that answers already needs no edit (simplification guard); with only the
/// CONDITIONAL_PASS gap left, one line of the caller is enough (rulings H13). Edits of a skill
/// that the profile protects are proposals, on either side (rulings A19).
#[must_use]
pub fn prescribe(chain: &Chain) -> Prescription {
    let mut out = Prescription::default();
    if chain.status == Status::Closed || chain.declared_open() {
        return out;
    }
    let caller = chain.caller.shown(Place::Strict).plain();
    let callee = chain.callee.shown(Place::Strict).plain();
    let [caller_proposal, callee_proposal] = chain.proposal_only;
    let item = |head: String, proposal: bool, lines: &[String]| {
        let mut item = vec![head];
        if proposal {
            item.push(PROPOSAL.to_owned());
        }
        item.extend_from_slice(lines);
        item
    };
    let chains = format!("{caller}/SKILL.md §Chains:");
    let done = format!("{caller}/SKILL.md §Done When:");
    if let Callee::Missing(kind) = chain.callee_at {
        let what = format!(
            "Remove or correct: → {callee} ({}: no such skill)",
            kind.word()
        );
        out.caller.push((1, item(chains, caller_proposal, &[what])));
        return out;
    }
    let form =
        format!("→ Mandatory next ({callee}) when [condition]; verdict folds back into [step N]");
    let waits = chain.wait == Wait::Bound;
    let answers = !chain
        .basis
        .iter()
        .any(|b| matches!(b, Basis::BMissing | Basis::BPartial));
    let complete = chain
        .closed_form
        .as_ref()
        .is_some_and(|form| form.step.is_some());
    if !waits || (!answers && !complete) {
        let lines = if chain.arrow {
            vec![format!("Replace: → {callee}"), format!("With:    {form}")]
        } else {
            vec![format!("Add: {form}")]
        };
        out.caller.push((1, item(chains, caller_proposal, &lines)));
    }
    if !waits {
        let line = format!("Add: \"Wait for {callee} verdict before proceeding to [next action]\"");
        out.caller.push((2, item(done, caller_proposal, &[line])));
    } else if chain.basis.contains(&Basis::CpGap) {
        let line = format!(
            "Add: \"[who] resolves each condition of {callee} before [next step]; resolution is the default, bypass never\""
        );
        out.caller.push((2, item(done, caller_proposal, &[line])));
    }
    if !answers {
        let head = format!("{callee}/SKILL.md §Done When:");
        let block = if callee_proposal {
            vec![PROPOSAL.to_owned()]
        } else {
            let mut lines = vec!["Add structured verdict block:".to_owned()];
            if chain.level == Level::Foreign {
                lines =
                    vec!["Map its own verdict words to this structured verdict block:".to_owned()];
            }
            lines.extend(
                [
                    "Verdict: PASS | CONDITIONAL_PASS | FAIL | ESCALATE",
                    "Conditions: [list — only present when CONDITIONAL_PASS]",
                    "Basis: [one-line rationale]",
                ]
                .map(str::to_owned),
            );
            lines
        };
        out.callee.push((3, item(head, false, &block)));
        let said = chain.has(crate::model::chain::Flag::ConfirmedByCallee);
        if !said && !callee_proposal {
            let head = format!("{callee}/SKILL.md §Chains (if not present):");
            let line = format!("Add: \"Returns verdict to {caller}\"");
            out.callee.push((4, item(head, false, &[line])));
        }
    }
    out
}
