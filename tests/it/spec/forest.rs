//! A tree of the size that people have: every file is read, two damaged lines hide nothing.

#[path = "../../bench/forest.rs"]
pub(crate) mod tree;

use super::command::{lay, run};

#[test]
fn a_few_hundred_scenarios_and_a_messy_ledger_are_judged_whole() {
    let home = tempfile::tempdir().expect("a folder");
    let top = home.path();
    let (files, scenarios) = tree::forest();
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(p, t)| (p.as_str(), t.as_str()))
        .collect();
    lay(top, &files);
    let (exit, value) = run(top, &["suite"]);
    assert_eq!((exit, &value["violations"]), (0, &serde_json::json!([])));
    assert_eq!(value["suites"], tree::ROOTS * tree::NODES);
    assert_eq!(value["scenarios"], scenarios);
    assert!(scenarios > 500, "{scenarios}");

    let (exit, value) = run(top, &["state"]);
    let told = |list: &str, code: &str| -> Vec<String> {
        let rows = value[list].as_array().expect("rows").iter();
        let mine = rows.filter(|row| row["code"] == code);
        mine.map(|row| format!("{}:{}", row["file"].as_str().expect("a file"), row["line"]))
            .collect()
    };
    assert_eq!(exit, 1);
    let counted = told("violations", "shard-damage");
    assert_eq!(
        value["violations"].as_array().map(Vec::len),
        Some(1),
        "{value}"
    );
    assert!(
        counted.len() == 1 && counted[0].contains("/p2/ledger/cr-2-29."),
        "{counted:?}"
    );
    let shown = told("findings", "shard-damage");
    assert!(
        shown.len() == 1 && shown[0].contains("/p1/ledger/cr-1-4."),
        "{shown:?}"
    );
    assert_eq!(told("findings", "frontmatter-mended").len(), tree::ROOTS);
    // kinds that nothing is known of are told, not dropped
    let ledgers = value["ledgers"].as_array().expect("ledgers");
    assert_eq!(ledgers.len(), tree::ROOTS);
    let known = ["gate", "leash", "clearance", "damaged", "no kind"];
    let kinds: std::collections::BTreeSet<&str> = ledgers
        .iter()
        .flat_map(|one| one["lines"].as_object().expect("kinds").keys())
        .map(String::as_str)
        .filter(|kind| !known.contains(kind))
        .collect();
    assert!(kinds.contains("note") && kinds.len() > 2, "{kinds:?}");

    // one file that cannot be read hides no other
    let bad = top.join(".agents/specs/p0/n0/n0.feature");
    std::fs::remove_file(&bad).expect("removed");
    std::os::unix::fs::symlink("elsewhere", &bad).expect("a link");
    std::fs::write(
        top.join(".agents/specs/p3/n3/n3.feature"),
        b"Feature: \xff\n",
    )
    .expect("written");
    let (exit, value) = run(top, &["suite"]);
    assert_eq!(exit, 1);
    let codes: Vec<_> = value["violations"]
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| {
            (
                row["file"].as_str().expect("a file"),
                row["code"].as_str().expect("a code"),
            )
        })
        .collect();
    assert!(
        codes.contains(&(".agents/specs/p3/n3/n3.feature", "gherkin")),
        "{codes:?}"
    );
}
