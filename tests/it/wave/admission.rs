//! Evidence, messages of result commits, and the verdict on a result, as tables and against an
//! account of the same rules.

use countersign::gate::wave::admission::{Facts, Reach, Verdict, entries, judge, waits_for};
use countersign::gate::wave::evidence::{self, Judged};
use countersign::gate::wave::{commit, lines};
use countersign::model::id::{Oid, RepoPath};
use countersign::model::known::{Known, Reason};
use countersign::model::snapshot::SomePaths;
use countersign::model::text::Foreign;
use countersign::model::wave::{Ledger, Pending, Route, Row, RowStatus};

use crate::truth::{Case, check};

fn table(file: &str) -> Vec<[String; 3]> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/truth")
        .join(file);
    let text = std::fs::read_to_string(path).expect("the table");
    let rows = text.lines().filter(|line| line.starts_with('|')).skip(2);
    rows.map(|line| {
        let cells = lines::cells(line).expect("a row");
        let [a, b, c] = cells[..] else {
            panic!("three cells: {line}")
        };
        [a, b, c].map(|cell| cell.replace("\\|", "|"))
    })
    .collect()
}

#[test]
fn evidence_is_worth_what_the_table_says() {
    let mut wrong = Vec::new();
    let rows = table("wave-evidence.md");
    assert!(rows.len() > 40, "{}", rows.len());
    for [text, scoped, says] in rows {
        let scoped: Vec<String> = if scoped == "none" {
            vec![]
        } else {
            vec![scoped]
        };
        let got = match evidence::judge(&text, Some("make check"), &scoped) {
            Judged::Fine { by, .. } => format!("fine: {}", by.word()),
            Judged::Miss(reasons) => format!("miss: {}", reasons.join("; ")),
            Judged::Unknown(why) => format!("unknown: {why}"),
        };
        if got != says {
            wrong.push(format!("{text}\n  wanted {says}\n  got    {got}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn row(number: u32, status: RowStatus, attempts: u32) -> Row {
    Row {
        number,
        status,
        attempts,
        evidence: Foreign::default(),
        line: 0,
    }
}

fn pending() -> Pending {
    Pending {
        row: 2,
        head_before: Oid([0x22; 20]),
    }
}

fn ledger() -> Ledger {
    Ledger {
        spec: Foreign::from("/tmp/r-spec.md"),
        base: Some(Oid([0x11; 20])),
        verification: Some(Foreign::from("make check")),
        iterations: 5,
        allowance: 4,
        pending: Some(pending()),
        rows: vec![
            row(1, RowStatus::Failed, 1),
            row(2, RowStatus::Failed, 1),
            row(3, RowStatus::Open, 0),
            row(4, RowStatus::Open, 0),
        ],
        decisions: Vec::new(),
        complaints: Vec::new(),
    }
}

fn render(case: &Case) -> String {
    match commit::read(case.input.as_bytes(), &ledger(), pending()) {
        Ok(found) => {
            let route = found.decisions[0].says.route();
            let rows = std::iter::once(&found.target).chain(&found.extras);
            let rows: Vec<String> = rows
                .map(|row| format!("{} {} {}", row.number, row.status.word(), row.attempts))
                .collect();
            let route = route.map_or("no route", |route| route.word());
            format!("rows {}; {route}\n", rows.join(", "))
        }
        Err(wrong) => wrong
            .iter()
            .map(|fault| format!("miss: {fault}\n"))
            .collect(),
    }
}

#[test]
fn messages_read_as_the_table_says() {
    check("wave-commit.md", render);
}

const GOOD: &str = "loop: row 2 done\n\n\
    pending: 2 | gatekeep | 2222222222222222222222222222222222222222\niteration: 5\n\n\
    | 2 | done | 2 | pytest tests/test_b.py; 1 passed |\n\n\
    row 2 done | kept the last boat | the test names it\n";

fn facts() -> Facts {
    Facts {
        head: Oid([0x33; 20]),
        residue: Known::Is(SomePaths::default()),
        reach: Known::Is(Reach::After(1)),
        parents: 1,
        message: Foreign::from(GOOD),
        changed: Known::Is(vec![RepoPath::new("src/table.rs")]),
        private: Vec::new(),
    }
}

fn left(files: u32) -> SomePaths {
    SomePaths {
        first: (0..files.min(9))
            .map(|n| RepoPath::new(format!("f{n}")))
            .collect(),
        total: files,
    }
}

fn unknown<T>() -> Known<T> {
    Known::Unknown(Reason::new("not looked"))
}

/// Admit, miss, stop or unknown, written from the source's four numbered steps.
fn account(facts: &Facts, message: char, filter_known: bool) -> &'static str {
    let commits = match facts.reach {
        Known::Is(Reach::Same) => 0,
        Known::Is(Reach::After(n)) => n,
        // ours: a rewritten history is nothing that a count of commits could see
        Known::Is(Reach::Rewritten) => return "stop",
        _ => return "unknown",
    };
    let clean = match &facts.residue {
        Known::Is(paths) => paths.total == 0,
        _ => return "unknown",
    };
    // 1. residue or more than one commit stops; zero commits and clean is a miss
    if !clean || commits > 1 {
        return "stop";
    }
    if commits == 0 {
        return "miss";
    }
    // 2. message, 3. evidence, 4. difference
    let Known::Is(changed) = &facts.changed else {
        return "unknown";
    };
    let merged = facts.parents != 1;
    let leaked = facts.private.iter().any(|path| changed.contains(path));
    if message == 'b' || changed.is_empty() || merged || leaked {
        return "miss";
    }
    if filter_known { "admit" } else { "unknown" }
}

#[test]
fn every_result_is_worth_what_the_account_says() {
    let path = || RepoPath::new("src/table.rs");
    let reaches = [
        Known::Is(Reach::Same),
        Known::Is(Reach::After(0)),
        Known::Is(Reach::After(1)),
        Known::Is(Reach::After(2)),
        Known::Is(Reach::Rewritten),
        unknown(),
        Known::NotSupplied,
    ];
    let residues = [
        Known::Is(SomePaths::default()),
        Known::Is(left(1)),
        unknown(),
    ];
    let changes = [Known::Is(vec![]), Known::Is(vec![path()]), unknown()];
    let mut cases = 0;
    let mut words = std::collections::BTreeMap::new();
    for reach in &reaches {
        for residue in &residues {
            for changed in &changes {
                for parents in [0, 1, 2] {
                    for message in ['g', 'b'] {
                        for filter_known in [true, false] {
                            for private in [vec![], vec![path()]] {
                                let text = if message == 'g' {
                                    GOOD.to_owned()
                                } else {
                                    GOOD.replace("done", "over")
                                };
                                let facts = Facts {
                                    reach: reach.clone(),
                                    residue: residue.clone(),
                                    changed: changed.clone(),
                                    parents,
                                    message: Foreign::from(text.replace(
                                        "pytest tests/test_b.py",
                                        if filter_known {
                                            "pytest tests/test_b.py"
                                        } else {
                                            "./run -k last"
                                        },
                                    )),
                                    private,
                                    ..facts()
                                };
                                let scoped =
                                    ["pytest <paths>".to_owned(), "./run <paths>".to_owned()];
                                let got = judge(&facts, &ledger(), pending(), &scoped);
                                let word = match &got {
                                    Verdict::Admit(_) => "admit",
                                    Verdict::Miss(_) => "miss",
                                    Verdict::Stop(..) => "stop",
                                    Verdict::Unknown(_) => "unknown",
                                };
                                let wanted = account(&facts, message, filter_known);
                                assert_eq!(word, wanted, "{facts:?}: {got:?}");
                                *words.entry(word).or_insert(0) += 1;
                                cases += 1;
                            }
                        }
                    }
                }
            }
        }
    }
    assert_eq!(cases, 1512);
    assert_eq!(words.len(), 4, "every verdict occurs: {words:?}");
}

#[test]
fn what_the_ledger_has_to_say_follows_from_the_verdict() {
    let scoped = ["pytest <paths>".to_owned()];
    let good = judge(&facts(), &ledger(), pending(), &scoped);
    let (rows, decisions) = entries(&good, &ledger(), pending());
    assert_eq!(
        rows,
        ["| 2 | done | 2 | pytest tests/test_b.py; 1 passed |"]
    );
    assert_eq!(
        decisions,
        ["row 2 done | kept the last boat | the test names it"]
    );
    let none = Facts {
        reach: Known::Is(Reach::Same),
        ..facts()
    };
    let missed = judge(&none, &ledger(), pending(), &scoped);
    let (rows, decisions) = entries(&missed, &ledger(), pending());
    assert_eq!(
        rows,
        ["| 2 | failed | 2 | attempt 2: no commit was added |"]
    );
    assert!(decisions.is_empty());
    let residue = Facts {
        residue: Known::Is(left(20)),
        ..facts()
    };
    let Verdict::Stop(why, files) = judge(&residue, &ledger(), pending(), &scoped) else {
        panic!("it stops")
    };
    assert_eq!(files.total, 20);
    assert!(why[0].ends_with("f6, f7 and 12 more"), "{why:?}");
}

#[test]
fn a_route_costs_no_round() {
    let scoped = ["pytest <paths>".to_owned()];
    let with = |slot: &str| {
        let text = GOOD
            .replace("done", "failed")
            .replace("the test names it", slot);
        let facts = Facts {
            message: Foreign::from(text),
            ..facts()
        };
        match judge(&facts, &ledger(), pending(), &scoped) {
            Verdict::Admit(admitted) => (admitted.route.map(Route::word), admitted.charge),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(with("it is red"), (None, true));
    assert_eq!(with("needs a token"), (Some("needs"), false));
    assert_eq!(
        with("contract exception: wider"),
        (Some("contract-exception"), false)
    );
}

#[test]
fn only_the_dispatch_under_way_is_taken_up() {
    let ledger = ledger();
    assert!(waits_for(&ledger, pending()).is_ok());
    let other = Pending {
        row: 3,
        ..pending()
    };
    assert!(waits_for(&ledger, other).is_err_and(|why| why.contains("2 | gatekeep")));
    let idle = Ledger {
        pending: None,
        ..ledger
    };
    assert!(waits_for(&idle, pending()).is_err());
}
