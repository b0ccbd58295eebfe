//! The decision table of the verify gate: nine rows that cover all 96 combinations of breaker,
//! caller, round, SE, T and MM (verify-gate 1.5). The first matching row decides.

use crate::model::ruling::Verdict;

/// Who asks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Caller {
    /// A person or a script, without a caller's bundle.
    #[default]
    Standalone,
    /// The loop of phases that counts rounds.
    Gaze,
}

/// One combination of inputs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Inputs {
    /// A circuit breaker.
    pub breaker: bool,
    /// Who asks.
    pub caller: Caller,
    /// The round this ruling would be, from 1.
    pub round: u32,
    /// SE, with what [`row_c`] adds.
    pub se: bool,
    /// Any of T1 to T6.
    pub t: bool,
    /// An untagged or hedged minor.
    pub mm: bool,
}

/// A row of the table, by its letter there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Row {
    /// A breaker: ESCALATE.
    A,
    /// Third round of gaze: ESCALATE without evaluating.
    B,
    /// Scope to be escalated, a wrong criterion, an abandonment nobody accepted: ESCALATE.
    C,
    /// Round 2 or later, and a trigger: ESCALATE.
    D,
    /// Round 1, and a trigger: REROLL.
    G,
    /// Round 1, malformed minors alone: APPROVED, the count is shown.
    H,
    /// Round 1, nothing: APPROVED.
    I,
    /// Round 2, nothing: APPROVED.
    E,
    /// Standalone round 3 or later, nothing: APPROVED, marked standalone-override.
    F,
}

impl Row {
    /// Its verdict.
    #[must_use]
    pub fn verdict(self) -> Verdict {
        match self {
            Self::A | Self::B | Self::C | Self::D => Verdict::Escalate,
            Self::G => Verdict::Reroll,
            Self::H | Self::I | Self::E | Self::F => Verdict::Approved,
        }
    }

    /// Its name in the trace.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::A => "row A",
            Self::B => "row B",
            Self::C => "row C",
            Self::D => "row D",
            Self::G => "row G",
            Self::H => "row H",
            Self::I => "row I",
            Self::E => "row E",
            Self::F => "row F",
        }
    }

    /// Why it is the one.
    #[must_use]
    pub fn says(self, round: u32) -> String {
        match self {
            Self::A => "a circuit breaker".to_owned(),
            Self::B => format!("round {round} of a caller that allows two"),
            Self::C => {
                "scope to escalate, a wrong criterion, or an abandonment nobody accepted".to_owned()
            }
            Self::D => format!("round {round} and a T rule or an untagged minor fires"),
            Self::G => "round 1 and a T rule fires".to_owned(),
            Self::H => "round 1, untagged minors alone".to_owned(),
            Self::I => "round 1 and no rule fires".to_owned(),
            Self::E => "round 2 and no rule fires".to_owned(),
            Self::F => {
                format!("round {round}, standalone, no rule fires: marked standalone-override")
            }
        }
    }
}

/// Row C's input: the disjunction of rulings K03.
#[must_use]
pub fn row_c(scope_escalated: bool, criterion_wrong: bool, unaccepted_abandonment: bool) -> bool {
    scope_escalated || criterion_wrong || unaccepted_abandonment
}

/// The row that decides. Round 0 is read as 1.
#[must_use]
pub fn row(inputs: Inputs) -> Row {
    if inputs.breaker {
        return Row::A;
    }
    if inputs.caller == Caller::Gaze && inputs.round >= 3 {
        return Row::B;
    }
    if inputs.se {
        return Row::C;
    }
    match inputs.round {
        0 | 1 if inputs.t => Row::G,
        0 | 1 if inputs.mm => Row::H,
        0 | 1 => Row::I,
        _ if inputs.t || inputs.mm => Row::D,
        2 => Row::E,
        _ => Row::F,
    }
}
