//! The row machine against an account of the same rules, written without looking at it: each
//! table below is a list of conditions from the source's prose, tried in its own way.

use countersign::gate::wave::row::{
    Next, Outcome, RowFacts, RowState, Settings, Spent, Standing, after, escalate_after, next,
    spent, standing, threshold,
};
use countersign::model::known::{Known, Reason};
use countersign::model::wave::RowStatus;

fn unknown<T>() -> Known<T> {
    Known::Unknown(Reason::new("not looked"))
}

/// May it run, by what, or why not: in words, from the prose.
fn account(facts: &RowFacts, after: u32, model: &Known<Option<String>>) -> &'static str {
    let tried_out = facts.attempts >= facts.allowance;
    let (missed_out, missed_unclear) = match facts.misses {
        Known::Is(n) => (n > 1, false),
        _ => (
            false,
            facts.attempts > 1 && facts.status == RowStatus::Failed,
        ),
    };
    let due = {
        let last = if facts.allowance == 0 {
            0
        } else {
            facts.allowance - 1
        };
        let wanted = if after < 1 { 1 } else { after };
        let bar = if wanted < last { wanted } else { last };
        !facts.escalated && facts.attempts >= bar
    };
    let rows: [(bool, &str); 8] = [
        (facts.pending, "reconcile"),
        (facts.status == RowStatus::Done, "settled"),
        (tried_out || missed_out, "exhausted"),
        (missed_unclear, "unknown"),
        (!due, "worker"),
        (matches!(model, Known::Is(Some(_))), "escalate"),
        (matches!(model, Known::Is(None)), "no-model"),
        (true, "unknown"),
    ];
    rows.into_iter()
        .find(|(holds, _)| *holds)
        .map_or("", |(_, word)| word)
}

#[test]
fn what_may_run_is_what_the_account_says_in_every_case() {
    let models = [
        Known::Is(Some("big".to_owned())),
        Known::Is(None),
        unknown(),
        Known::NotSupplied,
    ];
    let misses = [
        Known::Is(0),
        Known::Is(1),
        Known::Is(2),
        Known::Is(3),
        unknown(),
        Known::NotSupplied,
    ];
    let mut cases = 0;
    let mut words = std::collections::BTreeSet::new();
    for status in RowStatus::ALL {
        for attempts in 0..6 {
            for allowance in [1, 2, 4, 5, 10] {
                for misses in &misses {
                    for flags in 0..4u8 {
                        for after in [0, 1, 3, 7] {
                            for model in &models {
                                let facts = RowFacts {
                                    status,
                                    attempts,
                                    allowance,
                                    misses: misses.clone(),
                                    escalated: flags & 1 != 0,
                                    pending: flags & 2 != 0,
                                };
                                let settings = Settings {
                                    escalate_after: after,
                                    impl_model: model.clone(),
                                };
                                let got = next(&facts, &settings);
                                let wanted = account(&facts, after, model);
                                assert_eq!(got.word(), wanted, "{facts:?} {settings:?}");
                                words.insert(wanted);
                                cases += 1;
                            }
                        }
                    }
                }
            }
        }
    }
    assert_eq!(cases, 34_560);
    assert_eq!(words.len(), 7, "every answer occurs: {words:?}");
}

#[test]
fn the_named_cases_of_the_source_hold() {
    // defaults escalate attempt 4; allowance 10 only attempt 4; allowance 1 attempt 1
    assert_eq!(
        (threshold(3, 4), threshold(3, 10), threshold(3, 1)),
        (3, 3, 0)
    );
    let facts = |attempts, allowance, escalated| RowFacts {
        status: if attempts == 0 {
            RowStatus::Open
        } else {
            RowStatus::Failed
        },
        attempts,
        allowance,
        misses: Known::Is(0),
        escalated,
        pending: false,
    };
    let settings = Settings {
        escalate_after: 3,
        impl_model: Known::Is(Some("big".into())),
    };
    assert_eq!(next(&facts(2, 4, false), &settings), Next::Worker);
    assert_eq!(next(&facts(3, 4, false), &settings), Next::Escalate);
    assert_eq!(next(&facts(4, 10, true), &settings), Next::Worker);
    assert_eq!(next(&facts(0, 1, false), &settings), Next::Escalate);
    assert_eq!(
        next(&facts(0, 1, true), &settings),
        Next::Worker,
        "spent, and never again"
    );
    assert_eq!(spent(&facts(4, 4, true)), Known::Is(Some(Spent::Attempts)));
}

#[test]
fn settings_are_read_and_never_guessed() {
    let rows = [
        ("3", 3, false),
        ("1", 1, false),
        ("0", 1, true),
        ("-4", 1, true),
        ("2.5", 3, true),
        ("", 3, true),
        ("many", 3, true),
        ("99999999999", u32::MAX, false),
    ];
    for (text, wanted, warned) in rows {
        let (got, warning) = escalate_after(text);
        assert_eq!((got, warning.is_some()), (wanted, warned), "{text}");
    }
}

/// Status, attempts and misses after an outcome; `None` where the prose knows no such step.
fn account_after(row: &RowState, outcome: Outcome) -> Option<(RowStatus, u32, Option<u32>)> {
    let misses = row.misses.known().copied();
    match outcome {
        // "preserve attempts and the ledger"
        Outcome::Stopped => Some((row.status, row.attempts, misses)),
        // "one extra per other currently `open` ledger row, only `done` with attempts unchanged"
        Outcome::Extra if row.status != RowStatus::Open => None,
        Outcome::Extra => Some((RowStatus::Done, row.attempts, misses)),
        // "status `failed`, attempts unchanged"; a row that never ran was not in the review
        Outcome::Reopened if row.status == RowStatus::Open => None,
        Outcome::Reopened => Some((RowStatus::Failed, row.attempts, misses)),
        // a done row is not dispatched
        _ if row.status == RowStatus::Done => None,
        // "attempts = saved attempts + 1", "resetting the row's consecutive-miss count"
        Outcome::Admitted { done: true } => Some((RowStatus::Done, row.attempts + 1, Some(0))),
        Outcome::Admitted { done: false } => Some((RowStatus::Failed, row.attempts + 1, Some(0))),
        // "increment the row's consecutive-miss count"; an open row has none before
        Outcome::Missed if row.status == RowStatus::Open => {
            Some((RowStatus::Failed, row.attempts + 1, Some(1)))
        }
        Outcome::Missed => Some((RowStatus::Failed, row.attempts + 1, misses.map(|m| m + 1))),
    }
}

#[test]
fn every_outcome_makes_of_a_row_what_the_account_says() {
    let outcomes = [
        Outcome::Admitted { done: true },
        Outcome::Admitted { done: false },
        Outcome::Extra,
        Outcome::Missed,
        Outcome::Stopped,
        Outcome::Reopened,
    ];
    for status in RowStatus::ALL {
        for attempts in 0..3 {
            for misses in [Known::Is(0), Known::Is(1), unknown(), Known::NotSupplied] {
                for outcome in outcomes {
                    let row = RowState {
                        status,
                        attempts,
                        misses: misses.clone(),
                    };
                    let got = after(&row, outcome)
                        .map(|s| (s.status, s.attempts, s.misses.known().copied()));
                    assert_eq!(got, account_after(&row, outcome), "{row:?} {outcome:?}");
                }
            }
        }
    }
}

#[test]
fn the_books_are_exhausted_only_when_nothing_else_is_left() {
    let spent = Next::Exhausted(Spent::Misses);
    let cant = Next::Unknown(Reason::new("x"));
    let rows: [(&[Next], Standing); 7] = [
        (&[], Standing::Done),
        (&[Next::Settled, Next::Settled], Standing::Done),
        (&[Next::Settled, spent.clone()], Standing::Exhausted),
        (&[spent.clone(), Next::Settled], Standing::Exhausted),
        (&[spent.clone(), Next::Worker], Standing::Open),
        (&[spent.clone(), cant], Standing::Open),
        (&[Next::NoModel, spent], Standing::Open),
    ];
    for (all, wanted) in rows {
        assert_eq!(standing(all), wanted, "{all:?}");
    }
}
