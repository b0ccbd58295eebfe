//! The floor verdict, every combination of two criteria against a second, plainer account of the
//! rules; and `floor status` as a person runs it.

use std::fs;
use std::path::Path;

use countersign::adapters::contract::read;
use countersign::gate::dossier::RunFact;
use countersign::gate::floor::verdict::{FloorState, Mode, floor};
use countersign::model::contract::Contract;
use countersign::model::id::{CriterionId, Digest, EntryId, Oid, RepoPath};
use countersign::model::oracle::{Ended, Isolation, Outcome, RunPlace};

use crate::support::countersign;

/// One criterion of the enumeration.
#[derive(Clone, Copy)]
struct Shape {
    oracle: bool,
    abandoned: bool,
    optional: bool,
    evidence: &'static str,
    runs: &'static [(bool, Outcome)],
}

const EVIDENCE: [&str; 4] = [
    "pending",
    "MET exit=0 marker-found :: x",
    "NOT-MET exit=1 (nonzero) :: x",
    "see the log",
];

/// Runs of a criterion: whether of the oracle that stands there, and what they say.
const RUNS: [&[(bool, Outcome)]; 7] = [
    &[],
    &[(true, Outcome::Met)],
    &[(true, Outcome::NotMet)],
    &[(true, Outcome::Error)],
    &[(false, Outcome::Met)],
    &[(true, Outcome::NotMet), (true, Outcome::Met)],
    &[(true, Outcome::Met), (true, Outcome::NotMet)],
];

fn shapes() -> Vec<Shape> {
    let mut out = Vec::new();
    for bits in 0..8 {
        for evidence in EVIDENCE {
            for runs in RUNS {
                let oracle = bits & 1 == 0;
                if oracle || (evidence == "pending" && runs.is_empty()) {
                    out.push(Shape {
                        oracle,
                        abandoned: bits & 2 != 0,
                        optional: bits & 4 != 0,
                        evidence,
                        runs,
                    });
                }
            }
        }
    }
    out
}

fn contract(shapes: &[Shape], broken: bool) -> Contract {
    let mut text = String::from("# CONTRACT — x\n\n## ACCEPTANCE CRITERIA\n");
    for (at, shape) in shapes.iter().enumerate() {
        let n = at + 1;
        let mark = if shape.optional { " (optional)" } else { "" };
        text.push_str(&format!("{n}. fares hold{mark}\n"));
        if shape.oracle {
            text.push_str(&format!(
                "   CHECK: sh {n}.sh\n   EXPECT: HOLDS\n   EVIDENCE: {}\n",
                shape.evidence
            ));
        }
    }
    for (at, _) in shapes.iter().enumerate().filter(|(_, s)| s.abandoned) {
        text.push_str(&format!("ABANDON: {} no way\n", at + 1));
    }
    if broken {
        text.push_str("CHECK: unindented\n");
    }
    read(&RepoPath::from("c.md"), text.as_bytes(), None)
}

fn fact(id: &str, oracle: Digest, outcome: Outcome) -> RunFact {
    RunFact {
        entry: EntryId([0; 16]),
        number: 1,
        criterion: CriterionId::new(id).unwrap(),
        oracle,
        head: Oid([0; 20]),
        tree: Oid([0; 20]),
        outcome,
        ended: Ended::Exited(0),
        marker: None,
        interference: Vec::new(),
        survivors: Vec::new(),
        isolation: Isolation::Session,
        place: RunPlace::Checkout,
        duration_ms: 1,
        limit_ms: None,
        shell: None,
        output_bytes: 0,
        output: [Digest([0; 32]); 2],
        excerpt: Vec::new(),
        from_sample: false,
    }
}

fn facts(contract: &Contract, shapes: &[Shape]) -> Vec<RunFact> {
    let mut out = Vec::new();
    for (criterion, shape) in contract.criteria.iter().zip(shapes) {
        for (same, outcome) in shape.runs {
            let oracle = match (&criterion.oracle, same) {
                (Some(oracle), true) => oracle.digest(),
                _ => Digest([7; 32]),
            };
            out.push(fact(criterion.id.as_str(), oracle, *outcome));
        }
    }
    out
}

/// What a row says, worked out from the shape alone: state, masked state, unsealed.
fn expected_row(shape: &Shape, mode: Mode) -> (&'static str, Option<&'static str>, bool) {
    let last = shape.runs.iter().rfind(|(same, _)| *same);
    let recorded = mode == Mode::Status;
    let under = if !shape.oracle {
        "MANUAL"
    } else if let Some((_, outcome)) = last {
        match (outcome, recorded) {
            (Outcome::Met, true) => "MET-RECORDED",
            (Outcome::Met, false) => "MET",
            (Outcome::NotMet, true) => "NOT-MET-RECORDED",
            (Outcome::NotMet, false) => "NOT-MET",
            (Outcome::Error, _) => "ERROR",
        }
    } else if recorded && shape.evidence.starts_with("NOT-MET") {
        "NOT-MET-RECORDED"
    } else {
        "PENDING"
    };
    let claims = shape.evidence.starts_with("MET ") || shape.evidence.starts_with("NOT-MET");
    let unsealed = shape.oracle && claims && last.is_none();
    if shape.abandoned {
        let masked = !["MANUAL", "PENDING"].contains(&under);
        return ("ABANDONED", masked.then_some(under), unsealed);
    }
    (under, None, unsealed)
}

fn expected_token(shapes: &[Shape], mode: Mode, broken: bool) -> String {
    if broken {
        return "ERROR(1)".into();
    }
    let mut red = 0;
    let mut waiting = 0;
    let mut given_up = 0;
    for shape in shapes {
        let (state, _, _) = expected_row(shape, mode);
        given_up += usize::from(state == "ABANDONED");
        if shape.optional {
            continue;
        }
        red += usize::from(["NOT-MET", "NOT-MET-RECORDED", "ERROR"].contains(&state));
        waiting += usize::from(state == "PENDING");
    }
    if red > 0 {
        format!("UNMET({red})")
    } else if waiting > 0 {
        format!("PENDING({waiting})")
    } else if given_up > 0 {
        format!("ABANDONED({given_up})")
    } else {
        "MET".into()
    }
}

#[test]
fn the_verdict_follows_from_two_criteria_in_every_combination() {
    let shapes = shapes();
    let mut seen = 0;
    for first in &shapes {
        for second in &shapes {
            let pair = [*first, *second];
            for broken in [false, true] {
                let contract = contract(&pair, broken);
                let facts = facts(&contract, &pair);
                for mode in [Mode::Status, Mode::Run] {
                    let verdict = floor(&contract, &facts, mode);
                    let text = || {
                        format!(
                            "{:?} {mode:?} broken={broken}: {verdict:?}",
                            pair.map(|s| (s.oracle, s.abandoned, s.optional, s.evidence, s.runs))
                        )
                    };
                    assert_eq!(
                        verdict.token.to_string(),
                        expected_token(&pair, mode, broken),
                        "{}",
                        text()
                    );
                    for (row, shape) in verdict.rows.iter().zip(&pair) {
                        let got = (
                            row.state.token(),
                            row.masked.map(FloorState::token),
                            row.unsealed,
                        );
                        assert_eq!(got, expected_row(shape, mode), "{}", text());
                    }
                    assert_eq!(verdict.floor_empty(), !first.oracle && !second.oracle);
                    seen += 1;
                }
            }
        }
    }
    assert_eq!(seen, shapes.len() * shapes.len() * 4);
}

const CONTRACT: &str = "# CONTRACT — ferry-fares
- date: 2026-11-02 | flow: bugfix (by hand) | branch: fares
- status: active

## REQUEST (verbatim — IMMUTABLE)
Charge by zone.

## CLARIFICATIONS
none — request complete

## ACCEPTANCE CRITERIA
1. fares are charged
   by zone
   CHECK: touch sentinel && echo ZONES-HOLD
   EXPECT: ZONES-HOLD
   EVIDENCE: MET exit=0 marker-found :: ZONES-HOLD
2. the receipt reads well
ABANDON: 2 no printer; ask Ada

## FILE SCOPE
src/
";

struct Ran {
    code: Option<i32>,
    out: String,
    err: String,
}

fn run(home: &Path, words: &[&str]) -> Ran {
    let output = countersign(home)
        .current_dir(home)
        .args(words)
        .output()
        .expect("the program runs");
    Ran {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).expect("text"),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

#[test]
fn status_says_where_every_criterion_stands() {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("c.md"), CONTRACT).unwrap();
    let ran = run(home.path(), &["floor", "status", "c.md"]);
    let wanted = "GATES — c.md (status)
1   PENDING       fares are charged by zone (evidence unsealed)
2   ABANDONED     the receipt reads well
ABANDON 2: no printer; ask Ada
WARNING file-name: the file is not named <YYYY-MM-DD>-<slug>-<HHMM>.md (name it so that two runs of one day never collide)
RUNNABLE: 1 of 2 criteria; timeout 120s
GATES — VERDICT: PENDING(1)
";
    assert_eq!(ran.out, wanted, "{}", ran.err);
    assert_eq!(ran.code, Some(1));
}

#[test]
fn status_executes_nothing_and_writes_nothing() {
    let home = tempfile::tempdir().unwrap();
    let contract = home.path().join("c.md");
    fs::write(&contract, CONTRACT).unwrap();
    let sentinel = home.path().join("sentinel");
    let control = std::process::Command::new("sh")
        .args(["-c", "touch sentinel && echo ZONES-HOLD"])
        .current_dir(home.path())
        .status();
    assert!(control.is_ok_and(|s| s.success()) && sentinel.exists());
    fs::remove_file(&sentinel).unwrap();
    run(home.path(), &["floor", "status", "c.md"]);
    run(home.path(), &["contract", "show", "c.md"]);
    assert!(!sentinel.exists(), "the CHECK was executed");
    assert_eq!(fs::read_to_string(&contract).unwrap(), CONTRACT);
    let names: Vec<_> = fs::read_dir(home.path()).unwrap().collect();
    assert_eq!(names.len(), 1, "something was written: {names:?}");
}

#[test]
fn status_exits_by_the_table() {
    let head = "# CONTRACT — x\n\n## ACCEPTANCE CRITERIA\n";
    let oracle = "   CHECK: sh a.sh\n   EXPECT: A-HOLDS\n   EVIDENCE: ";
    let rows = [
        ("1. a\n", "MET", 0, "RUNNABLE: 0 of 1"),
        (
            "1. a\nABANDON: 1 no way\n",
            "ABANDONED(1)",
            3,
            "RUNNABLE: 0 of 1",
        ),
        (
            &format!("1. a\n{oracle}pending\n"),
            "PENDING(1)",
            1,
            "RUNNABLE: 1 of 1",
        ),
        (
            &format!("1. a\n{oracle}NOT-MET exit=1 (nonzero) :: \n"),
            "UNMET(1)",
            1,
            "RUNNABLE: 1 of 1",
        ),
        ("1. a\nCHECK: x\n1. b\n", "ERROR(2)", 2, "RUNNABLE: 0 of 1"),
        ("no criteria\n", "ERROR(1)", 2, "RUNNABLE: 0 of 0"),
        ("1. a\n```\n2. b\n", "ERROR(1)", 2, "RUNNABLE: 0 of 1"),
    ];
    for (criteria, token, code, runnable) in rows {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("c.md"), format!("{head}{criteria}")).unwrap();
        let ran = run(home.path(), &["floor", "status", "c.md"]);
        assert_eq!(ran.code, Some(code), "{criteria}{}", ran.out);
        let last = format!("GATES — VERDICT: {token}");
        assert_eq!(ran.out.lines().last(), Some(last.as_str()), "{criteria}");
        assert!(ran.out.contains(runnable), "{criteria}{}", ran.out);
    }
    let home = tempfile::tempdir().unwrap();
    for target in ["missing.md", "."] {
        let ran = run(home.path(), &["floor", "status", target]);
        assert_eq!(ran.code, Some(2), "{target}");
        assert!(ran.err.contains("name a readable file"), "{}", ran.err);
    }
}

#[test]
fn status_as_json_has_every_field() {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("c.md"), CONTRACT).unwrap();
    let ran = run(home.path(), &["--json", "floor", "status", "c.md"]);
    let value: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(value["schema"], "countersign/floor/1");
    assert_eq!(value["contract"]["format"], "interview");
    assert_eq!(value["contract"]["flow"], "bugfix");
    assert_eq!(value["contract"]["flow_note"], "(by hand)");
    assert_eq!(value["contract"]["source"], "file");
    assert_eq!(value["contract"]["request"]["text"], "Charge by zone.");
    assert_eq!(value["verdict"]["token"], "PENDING");
    assert_eq!(value["verdict"]["count"], 1);
    assert_eq!(value["verdict"]["text"], "PENDING(1)");
    assert_eq!(value["runnable"], serde_json::json!({"k": 1, "n": 2}));
    assert_eq!(value["floor_empty"], false);
    let first = &value["criteria"][0];
    assert_eq!(first["text"], "fares are charged\nby zone");
    assert_eq!(first["check"], "touch sentinel && echo ZONES-HOLD");
    assert_eq!(first["evidence"]["sealed"], false);
    assert_eq!(first["state"], "PENDING");
    assert_eq!(first["unsealed"], true);
    assert_eq!(first["run"], serde_json::Value::Null);
    assert_eq!(
        value["criteria"][1]["abandon"]["reason"],
        "no printer; ask Ada"
    );
    assert_eq!(value["scope"][0]["pattern"], "src/");
    assert_eq!(value["warnings"][0]["code"], "file-name");
}
