//! The floor verdict, every combination of two criteria against a second, plainer account of the
//! rules; and `floor status` as a person runs it.

use countersign::adapters::contract::read;
use countersign::gate::dossier::RunFact;
use countersign::gate::floor::verdict::{FloorState, Mode, floor};
use countersign::model::contract::Contract;
use countersign::model::id::{CriterionId, Digest, EntryId, Oid, RepoPath};
use countersign::model::oracle::{Ended, Isolation, Outcome, RunPlace};

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
