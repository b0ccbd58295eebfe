//! What counts, and what an audit ends with.

use crate::model::chain::{Chain, Severity, Status, Strength};

/// What a person said of a chain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Said {
    /// Nothing.
    Nothing,
    /// It is closed, by a file and a line.
    Closed,
    /// The gap is intended, as declared.
    Declared,
    /// It goes back.
    SentBack,
}

/// The chains added up. Advisory pairs and those that a person answered stand apart (A14).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// CLOSED by the texts.
    pub closed: usize,
    /// OPEN and HIGH.
    pub high: usize,
    /// OPEN and MEDIUM.
    pub medium: usize,
    /// OPEN and LOW.
    pub low: usize,
    /// Cross-references, open or not.
    pub advisory: usize,
    /// OPEN, and closed by a person.
    pub countersigned: usize,
    /// Declared open, and accepted by a person.
    pub accepted: usize,
}

impl Counts {
    /// Every OPEN chain that counts.
    #[must_use]
    pub fn open(&self) -> usize {
        self.high + self.medium + self.low
    }

    /// Every chain that was evaluated.
    #[must_use]
    pub fn evaluated(&self) -> usize {
        self.closed + self.open() + self.countersigned + self.accepted
    }

    /// Adds one chain.
    pub fn add(&mut self, chain: &Chain, said: Said) {
        let place = if chain.strength == Strength::Advisory {
            &mut self.advisory
        } else if chain.status == Status::Closed {
            &mut self.closed
        } else if said == Said::Closed {
            &mut self.countersigned
        } else if said == Said::Declared && chain.declared_open() {
            &mut self.accepted
        } else {
            match chain.severity {
                Severity::High => &mut self.high,
                Severity::Medium => &mut self.medium,
                Severity::Low => &mut self.low,
            }
        };
        *place += 1;
    }
}

/// Adds chains up.
#[must_use]
pub fn counts<'c>(chains: impl Iterator<Item = (&'c Chain, Said)>) -> Counts {
    let mut counts = Counts::default();
    for (chain, said) in chains {
        counts.add(chain, said);
    }
    counts
}

/// What an audit ends with.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum AuditVerdict {
    /// No OPEN chain that counts.
    Pass,
    /// Only MEDIUM and LOW ones.
    ConditionalPass,
    /// At least one HIGH one.
    Fail,
    /// It could not be measured.
    HarnessError,
}

impl AuditVerdict {
    /// The source's token.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::ConditionalPass => "CONDITIONAL_PASS",
            Self::Fail => "FAIL",
            Self::HarnessError => "HARNESS_ERROR",
        }
    }

    /// The token and its meaning, as the last line of a report.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Pass => "0 HIGH severity OPEN chains",
            Self::ConditionalPass => "MEDIUM/LOW severity OPEN chains only",
            Self::Fail => "1+ HIGH severity OPEN chains found",
            Self::HarnessError => "could not be measured",
        }
    }
}

/// FAIL before CONDITIONAL_PASS before PASS; a file of the scope that nobody could read is never
/// a pass, and a failed calibration leaves nothing standing.
#[must_use]
pub fn verdict(calibrated: bool, counts: &Counts, unread: usize) -> AuditVerdict {
    if !calibrated {
        AuditVerdict::HarnessError
    } else if counts.high > 0 {
        AuditVerdict::Fail
    } else if unread > 0 {
        AuditVerdict::HarnessError
    } else if counts.open() > 0 {
        AuditVerdict::ConditionalPass
    } else {
        AuditVerdict::Pass
    }
}
