//! Findings and a caller's bundle: JSON and YAML say the same, and every fault is told at once.

use countersign::adapters::papers::{bundle, checks, findings};
use countersign::model::finding::{PhaseEnd, SimplifyState};

const JSON: &str = r#"{"schema": "countersign/findings/1",
  "simplify": [{"finding": "a: b", "severity": "must-fix", "state": "waived",
                "rationale": "It stays.", "file": "./src/a.rs", "line": 3}],
  "adherence": {"result": "FAIL", "violations": [
    {"rule_ref": "rules.md#a", "file": "src/a.rs", "severity": "blocking"}]}}"#;

const YAML: &str = "schema: countersign/findings/1
simplify:
  - finding: 'a: b'
    severity: must-fix
    state: waived
    rationale: It stays.
    file: src/a.rs
    line: 3
adherence:
  result: FAIL
  violations:
    - {rule_ref: rules.md#a, file: src/a.rs, severity: blocking}
";

#[test]
fn json_and_yaml_say_the_same() {
    let one = findings(JSON.as_bytes()).expect("readable");
    assert_eq!(one, findings(YAML.as_bytes()).expect("readable"));
    assert!(
        matches!(&one.simplify[0].state, SimplifyState::Waived(why) if why.raw() == b"It stays.")
    );
}

#[test]
fn every_fault_is_told_with_its_place() {
    let told = r#"{"schema": "countersign/findings/2", "more": 1, "simplify": [
        {"finding": " ", "severity": "big", "state": "waived", "line": 0},
        {"finding": "x", "severity": "must-fix", "state": "applied", "rationale": "y"}, 7],
        "adherence": {"result": "pass", "violations": [{"severity": "nit"}]}}"#;
    let faults = findings(told.as_bytes()).expect_err("broken");
    let places: Vec<&str> = faults.iter().map(|(at, _)| at.as_str()).collect();
    assert_eq!(
        places,
        [
            "$.more",
            "$.schema",
            "$.simplify[0].finding",
            "$.simplify[0].severity",
            "$.simplify[0].line",
            "$.simplify[0].rationale",
            "$.simplify[1].rationale",
            "$.simplify[2]",
            "$.adherence.result",
            "$.adherence.violations[0].rule_ref",
        ]
    );
    for (text, line) in [
        ("{\n\"a\": }", "line 2"),
        ("a: 1\na: 2\n", "line 2"),
        ("a: *b\n", "line 1"),
    ] {
        let faults = findings(text.as_bytes()).expect_err("broken");
        assert_eq!(faults[0].0, line, "{text}: {faults:?}");
    }
    assert!(findings(b"\xff").is_err() && findings(b"").is_err());
}

#[test]
fn a_bundle_is_read_whole_or_not_at_all() {
    let told = "schema: countersign/bundle/1\ncaller: gaze\ngate_session_id: s-1\npr: 41\n\
                phases:\n  - {phase: 2, result: pass}\n  - {phase: 3, result: timeout}\n";
    let read = bundle(told.as_bytes()).expect("readable");
    assert!(read.gaze);
    assert_eq!(read.pr, Some(41));
    assert_eq!(read.phases[1].ended, PhaseEnd::Timeout);
    let told =
        "schema: countersign/bundle/1\ncaller: me\npr: x\nphases:\n  - {phase: 6, result: ok}\n";
    let faults = bundle(told.as_bytes()).expect_err("broken");
    assert_eq!(faults.len(), 4, "{faults:?}");
}

#[test]
fn a_map_of_scoped_checks_is_read_whole_or_refused_with_every_fault() {
    let good = br#"{"default_branch": "main", "full_target": "check", "targets": ["docs", "rust"],
        "rules": [{"paths": ["*.md"], "targets": ["docs"]}, {"paths": ["src/*"], "targets": ["rust", "docs"]}]}"#;
    let map = checks(good).expect("a map");
    assert_eq!(
        (map.full.as_str(), map.targets.len(), map.rules.len()),
        ("check", 2, 2)
    );
    let bad = br#"{"default_branch": "main", "targets": ["a b", "c", "c"], "more": 1,
        "rules": [{"paths": ["/x"], "targets": ["d"]}, {"paths": [], "targets": ["c"]}]}"#;
    let faults = checks(bad).expect_err("faults");
    let said: Vec<String> = faults
        .iter()
        .map(|(at, why)| format!("{at}: {why}"))
        .collect();
    let said = said.join("\n");
    for wanted in [
        "$.full_target: it is missing",
        "$.targets[0]: it holds a blank",
        "$.targets: one stands there twice",
        "$.rules[0].paths: a path is not relative",
        "$.rules[0].targets: one is none of the targets",
        "$.rules[1].paths: it is empty",
        "more",
    ] {
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
}
