//! Lints by their truth table, `tests/truth/lints.md`.

use std::collections::BTreeSet;

use countersign::adapters::contract::read;
use countersign::gate::floor::lint::{LINTS, lint, lint_whole};
use countersign::model::contract::Format;
use countersign::model::id::RepoPath;

use crate::truth::{self, Case};

fn codes(contract: &str, format: Format) -> Vec<String> {
    let contract = read(&RepoPath::from("x.md"), contract.as_bytes(), Some(format));
    assert!(!contract.criteria.is_empty(), "{:?}", contract.complaints);
    let whole = lint_whole(&contract);
    let own = contract
        .criteria
        .iter()
        .map(|criterion| (criterion.id.to_string(), lint(&contract, criterion)));
    let mut out: Vec<String> = whole.iter().map(|l| l.code.to_owned()).collect();
    for (id, lints) in own {
        let codes: Vec<_> = lints.iter().map(|l| l.code).collect();
        if !codes.is_empty() {
            out.push(format!("{id} {}", codes.join(" ")));
        }
    }
    out
}

fn of_check(line: &str) -> String {
    let (text, rest) = line.split_once(" :: ").unwrap_or(("fares are right", line));
    let (check, marker) = rest.split_once(" => ").unwrap();
    let contract = format!(
        "# CONTRACT — x\n\n## ACCEPTANCE CRITERIA\n1. {text}\n  CHECK: {check}\n  EXPECT: {marker}\n  EVIDENCE: pending\n"
    );
    one(&contract)
}

fn one(contract: &str) -> String {
    let found = codes(contract, Format::Interview);
    found
        .first()
        .and_then(|line| line.strip_prefix("1 "))
        .unwrap_or_default()
        .to_owned()
}

fn case(case: &Case) -> String {
    let lines = || case.input.lines();
    let out: Vec<String> = match case.form.as_str() {
        "check" => lines().map(of_check).collect(),
        "manual" => lines()
            .map(|text| {
                one(&format!(
                    "# CONTRACT — x\n\n## ACCEPTANCE CRITERIA\n1. {text}\n"
                ))
            })
            .collect(),
        _ => codes(&case.input, Format::Unlazy),
    };
    out.join("\n")
}

#[test]
fn lints_find_what_the_table_says() {
    truth::check("lints.md", case);
}

#[test]
fn every_lint_has_a_row_and_a_description() {
    let said: BTreeSet<String> = truth::cases("lints.md")
        .iter()
        .flat_map(|case| {
            case.says
                .split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .collect();
    for rule in LINTS {
        assert!(said.contains(rule.code), "no row shows {}", rule.code);
        assert!(!rule.description.is_empty(), "{}", rule.code);
    }
    let codes: BTreeSet<_> = LINTS.iter().map(|rule| rule.code).collect();
    assert_eq!(codes.len(), LINTS.len(), "two rules share a code");
}
