//! Lints about the words of criteria and about a contract as a whole (contract-gates 1.13).

use crate::model::contract::{Contract, Criterion, Kind};

use super::lint::is_unlazy;

/// Words that name an activity where an outcome belongs.
const ACTIVITIES: [&str; 20] = [
    "work on",
    "improve",
    "handle",
    "ensure",
    "review",
    "refactor",
    "polish",
    "investigate",
    "look into",
    "look at",
    "clean up",
    "cleanup",
    "optimize",
    "optimise",
    "explore",
    "consider",
    "think about",
    "make sure",
    "try",
    "continue",
];

/// A criterion that could carry an oracle and has none.
pub(super) fn manual(_: &Contract, criterion: &Criterion) -> Option<String> {
    let judged = matches!(criterion.kind, Kind::Manual | Kind::Task);
    (judged && criterion.oracle.is_none()).then(|| "no command decides this".into())
}

/// A figure in a criterion without an oracle.
pub(super) fn unmeasured_number(_: &Contract, criterion: &Criterion) -> Option<String> {
    let text = criterion.text.raw_str()?;
    let figure = super::vacuity::figures(text).into_iter().next()?;
    criterion
        .oracle
        .is_none()
        .then(|| format!("no command measures the figure {figure}"))
}

/// A criterion that opens with what is to be done.
pub(super) fn activity(_: &Contract, criterion: &Criterion) -> Option<String> {
    let text = criterion
        .text
        .raw_str()?
        .trim_start_matches(['*', '_', ' ']);
    let text = text.to_ascii_lowercase();
    let word = ACTIVITIES.iter().find(|word| {
        text.strip_prefix(**word)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', ',', ':']))
    })?;
    Some(format!("\"{word}\" is an activity, not an outcome"))
}

/// Too few gates.
pub(super) fn few(contract: &Contract) -> Option<String> {
    let count = contract.criteria.len();
    (is_unlazy(contract) && count < 5).then(|| format!("only {count} gates"))
}

/// Too many gates.
pub(super) fn many(contract: &Contract) -> Option<String> {
    let count = contract.criteria.len();
    (is_unlazy(contract) && count > 12).then(|| format!("{count} gates; split the work"))
}

/// Less than half can be run.
pub(super) fn mostly_manual(contract: &Contract) -> Option<String> {
    let (runnable, count) = (contract.runnable(), contract.criteria.len());
    (runnable > 0 && runnable * 2 < count)
        .then(|| format!("only {runnable} of {count} criteria carry an oracle"))
}
