//! Reviews: what stays open, what reopens, what may be pushed; charging; progress.

use std::collections::BTreeSet;

use countersign::adapters::wave::report;
use countersign::gate::wave::charge::{Happened, charge};
use countersign::gate::wave::closure::{Goes, Grade, Says, Sent, fold, goes, reopen_line};
use countersign::gate::wave::lines;
use countersign::gate::wave::progress::{Now, Progress, compare};
use countersign::gate::wave::range::fix_delta;
use countersign::model::id::{Digest, Oid};
use countersign::model::known::{Known, Reason};
use countersign::model::text::Foreign;
use countersign::model::wave::{
    DecisionSays, DerivedSpec, FindingId, Input, Ledger, NoProgress, Row, RowStatus, WorkItem,
};

use crate::truth::{Case, check};

fn id(text: &str) -> FindingId {
    FindingId::parse(text).expect("an id")
}

fn books() -> (Ledger, DerivedSpec) {
    let items = [
        (vec!["P1", "L2"], false),
        (vec!["P3"], false),
        (vec!["P4", "P5"], true),
        (vec!["P6"], false),
        (vec!["P7"], false),
    ];
    let row = |number: usize| Row {
        number: u32::try_from(number + 1).expect("small"),
        status: if number == 4 {
            RowStatus::Open
        } else {
            RowStatus::Done
        },
        attempts: 1,
        evidence: Foreign::default(),
        line: 0,
    };
    let ledger = Ledger {
        spec: Foreign::default(),
        base: None,
        verification: None,
        iterations: 4,
        allowance: 4,
        pending: None,
        rows: (0..5).map(row).collect(),
        decisions: Vec::new(),
        complaints: Vec::new(),
    };
    let spec = DerivedSpec {
        repository: Foreign::default(),
        number: 1,
        scope: 0..0,
        decoys: Vec::new(),
        items: items
            .into_iter()
            .map(|(ids, nits)| WorkItem {
                ids: ids.into_iter().map(id).collect(),
                nits,
                text: Foreign::default(),
                parts: Vec::new(),
                line: 0,
            })
            .collect(),
        complaints: Vec::new(),
    };
    (ledger, spec)
}

fn render(case: &Case) -> String {
    let (ledger, spec) = books();
    let sent = Sent {
        required: BTreeSet::from([1, 2, 3]),
        settled: BTreeSet::from([4]),
    };
    let report = report::read(case.input.as_bytes());
    let closure = fold(&report, &ledger, &spec, &sent, &BTreeSet::from([id("P9")]));
    let mut out = String::new();
    for carried in &closure.carried {
        let row = carried
            .row
            .map_or("new".to_owned(), |row| format!("row {row}"));
        let weight = if carried.blocks { "blocks" } else { "nit" };
        out.push_str(&format!(
            "carried {} {row} {weight}: {}\n",
            carried.id, carried.why
        ));
    }
    for reopen in &closure.reopen {
        out.push_str(&format!("{}\n", reopen.line));
    }
    for (id, nit) in &closure.nits {
        out.push_str(&format!("nit {id}: {}\n", nit.text));
    }
    for shown in &closure.evidence {
        out.push_str(&format!("evidence: {}\n", shown.text));
    }
    for (id, says) in &closure.prior {
        let says = match says {
            Says::Resolved => "resolved".to_owned(),
            Says::Open(why) => format!("open - {why}"),
            Says::Unreasoned => "open".to_owned(),
        };
        out.push_str(&format!("prior {id}: {says}\n"));
    }
    for (line, why) in &closure.ignored {
        out.push_str(&format!("ignored line {line}: {why}\n"));
    }
    let settled: Vec<String> = closure.settled.iter().map(ToString::to_string).collect();
    out.push_str(&format!("settled [{}]\n", settled.join(" ")));
    out.push_str(if closure.may_push() {
        "may push\n"
    } else {
        "may not push\n"
    });
    out
}

#[test]
fn reviews_close_what_the_table_says() {
    check("wave-closure.md", render);
}

#[test]
fn a_new_finding_goes_where_the_source_sends_it() {
    // "every new Critical or Moderate finding inside the delta, and every new Critical outside";
    // "an in-delta Minor translates to a nit"; an outside Moderate or Minor is evidence only.
    // What is not said fails toward carried, and a word that nobody mapped is a blocker.
    for grade in [Grade::Critical, Grade::Moderate, Grade::Minor, Grade::Other] {
        for inside in [Some(true), Some(false), None] {
            let outside = inside == Some(false);
            let wanted = if grade == Grade::Minor {
                if outside { Goes::Evidence } else { Goes::Nit }
            } else if grade == Grade::Moderate && outside {
                Goes::Evidence
            } else {
                Goes::Carried
            };
            assert_eq!(goes(grade, inside), wanted, "{grade:?} {inside:?}");
        }
    }
}

#[test]
fn a_reopening_line_is_one_that_the_ledger_reads() {
    let long = "a | b\n".repeat(100);
    let many: Vec<(FindingId, String)> = (1..=300)
        .map(|n| (id(&format!("P{n}")), "still open - really".to_owned()))
        .collect();
    let rows = [
        vec![(id("P1"), "short".to_owned())],
        vec![(id("P1"), long.clone())],
        vec![
            (id("P1"), long),
            (id("L2"), "missing closure line".to_owned()),
        ],
        many,
    ];
    for open in rows {
        let line = reopen_line(7, &open);
        let read = lines::decision(&line, 1).unwrap_or_else(|why| panic!("{line}: {why}"));
        let DecisionSays::Reopened { ids, .. } = read.says else {
            panic!("{line}")
        };
        assert_eq!(ids.first(), open.first().map(|(id, _)| id), "{line}");
        assert!(open.len() > 20 || ids.len() == open.len(), "{line}");
    }
}

#[test]
fn only_an_ordinary_change_costs_a_round_and_only_once() {
    for counted in [false, true] {
        for happened in Happened::ALL {
            let wanted = matches!((counted, happened), (false, Happened::Ordinary));
            assert_eq!(
                charge(counted, happened),
                u32::from(wanted),
                "{counted} {happened:?}"
            );
        }
    }
}

#[test]
fn a_base_merge_is_outside_of_the_fix_delta() {
    let oid = |n: u8| Oid([n; 20]);
    let text = |merges: &[(Oid, Oid)]| {
        let parts = fix_delta(oid(1), oid(9), merges);
        let parts: Vec<String> = parts.iter().map(ToString::to_string).collect();
        parts
            .join("; ")
            .replace(&"01".repeat(20), "P")
            .replace(&"09".repeat(20), "H")
            .replace(&"03".repeat(20), "M^1")
            .replace(&"04".repeat(20), "M")
    };
    assert_eq!(text(&[]), "git diff P H");
    assert_eq!(
        text(&[(oid(4), oid(3))]),
        "git diff P M^1; git show --remerge-diff M; git diff M H"
    );
    assert_eq!(
        fix_delta(oid(1), oid(9), &[(oid(4), oid(3)), (oid(6), oid(5))]).len(),
        5
    );
}

#[test]
fn only_the_named_inputs_permit_a_new_attempt() {
    let digest = |n: u8| Digest([n; 32]);
    let file = |old| Input::File(Foreign::from("t.py"), old);
    let command = Input::Command(Foreign::from("pytest t.py"));
    let unknown = || Known::Unknown(Reason::new("x"));
    let value = |text: &str| Now::Value(Known::Is(Foreign::from(text)));
    let rows = [
        (
            file(Some(digest(1))),
            Now::File(Known::Is(Some(digest(1)))),
            'u',
        ),
        (
            file(Some(digest(1))),
            Now::File(Known::Is(Some(digest(2)))),
            'c',
        ),
        (file(Some(digest(1))), Now::File(Known::Is(None)), 'c'),
        (file(None), Now::File(Known::Is(None)), 'u'),
        (file(None), Now::File(Known::Is(Some(digest(2)))), 'c'),
        (file(None), Now::File(unknown()), '?'),
        (file(None), value("t.py"), '?'),
        (command.clone(), value("pytest t.py"), 'u'),
        (command.clone(), value("pytest -x t.py"), 'c'),
        (command.clone(), Now::Value(Known::NotSupplied), '?'),
        (command, Now::File(Known::Is(None)), '?'),
    ];
    let letter = |progress: &Progress| match progress {
        Progress::Changed(_) => 'c',
        Progress::Unchanged => 'u',
        Progress::Unknown(_) => '?',
    };
    // each pair as well: one change is enough, one unknown spoils "unchanged"
    for (first, first_now, one) in &rows {
        for (second, second_now, two) in &rows {
            let checkpoint = NoProgress {
                prerequisite: Foreign::from("p"),
                observed: Foreign::from("o"),
                result: Foreign::from("r"),
                inputs: Known::Is(vec![first.clone(), second.clone()]),
            };
            let turn = std::cell::Cell::new(0);
            let got = compare(&checkpoint, |_| {
                turn.set(turn.get() + 1);
                if turn.get() == 1 {
                    first_now.clone()
                } else {
                    second_now.clone()
                }
            });
            let wanted = match (one, two) {
                ('c', _) | (_, 'c') => 'c',
                ('?', _) | (_, '?') => '?',
                _ => 'u',
            };
            assert_eq!(
                letter(&got),
                wanted,
                "{first:?} {first_now:?} {second:?} {second_now:?}"
            );
        }
    }
    for inputs in [
        Known::Is(vec![]),
        Known::NotSupplied,
        Known::Unknown(Reason::new("x")),
    ] {
        let checkpoint = NoProgress {
            prerequisite: Foreign::from("p"),
            observed: Foreign::from("o"),
            result: Foreign::from("r"),
            inputs,
        };
        let got = compare(&checkpoint, |_| Now::Value(Known::NotSupplied));
        assert_eq!(letter(&got), '?', "no named input permits nothing");
    }
}
