//! How a session ends, in gate terms; the command line maps each to its exit code (cli.md).

use crate::model::ruling::Verdict;
use crate::model::standing::Standing;

use super::decide::Ruling;
use super::judge::Judgment;

/// The end of a session.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum End {
    /// APPROVED, whole.
    Clear,
    /// REROLL: work for the agent.
    NotClear,
    /// ESCALATE, overridden, or nothing left but an accepted partial delivery.
    PersonNeeded,
    /// Left without a ruling, and something had moved.
    Stale,
    /// Left without a ruling.
    Undecided,
    /// It could not be measured.
    CouldNotMeasure,
}

/// The end of a session that knew `judgment` when it left (`None`: nothing could be read), with
/// the ruling of this sitting, when there is one.
#[must_use]
pub fn end(judgment: Option<&Judgment>, ruling: Option<&Ruling>) -> End {
    match (ruling, judgment) {
        (Some(ruling), judgment) => signed(ruling, judgment),
        (None, None) => End::CouldNotMeasure,
        (None, Some(judgment)) => match judgment.ruling {
            Verdict::CouldNotMeasure => End::CouldNotMeasure,
            Verdict::Stale => End::Stale,
            Verdict::Approved | Verdict::Undecided | Verdict::Reroll | Verdict::Escalate => {
                End::Undecided
            }
        },
    }
}

fn signed(ruling: &Ruling, judgment: Option<&Judgment>) -> End {
    match ruling.verdict() {
        Verdict::Approved if ruling.partial() => End::PersonNeeded,
        Verdict::Approved => End::Clear,
        Verdict::Reroll if ruling.partial() && judgment.is_some_and(nothing_but_partial) => {
            End::PersonNeeded
        }
        Verdict::Reroll => End::NotClear,
        Verdict::Escalate => End::PersonNeeded,
        Verdict::Undecided => End::Undecided,
        Verdict::Stale => End::Stale,
        Verdict::CouldNotMeasure => End::CouldNotMeasure,
    }
}

/// Whether all that is missing was abandoned, so that no agent has anything to do.
fn nothing_but_partial(judgment: &Judgment) -> bool {
    judgment
        .items
        .iter()
        .filter(|item| item.blocks)
        .all(|item| item.standing == Standing::Abandoned)
}
