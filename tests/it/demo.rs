//! The built-in sample, from open to ruling, played from a key script (`tests/transcripts`).

use std::path::Path;

use crate::support::countersign;

const SITTING: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/transcripts/sitting.keys"
);

#[test]
fn a_whole_sitting_ends_in_reroll_with_everything_recorded() {
    let home = tempfile::tempdir().expect("a folder");
    let sample = home.path().join("sample");
    let done = countersign(home.path())
        .args(["demo", "--script", SITTING, "--lay-out"])
        .arg(&sample)
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    let out = String::from_utf8_lossy(&done.stdout).into_owned();
    assert_eq!(done.status.code(), Some(1), "{said}\n{out}");
    let last = out.lines().last().expect("a last line");
    let value: serde_json::Value = serde_json::from_str(last).expect("JSON");
    assert_eq!(value["ruling"]["verdict"], "REROLL");
    assert_eq!(value["ruling"]["partial"], true);
    assert_eq!(value["gates"]["verify"], "REROLL");
    assert_eq!(value["gates"]["floor_empty"], false);
    assert_eq!(value["owed"], 0);
    assert_eq!(value["exit"], 1);
    for words in ["3 ratified", "4 kicked back", "1 ticketed", "HB-311"] {
        assert!(said.contains(words), "{words}: {said}");
    }
    let kinds = kinds(&sample);
    let count = |wanted: &str| kinds.iter().filter(|kind| *kind == wanted).count();
    assert_eq!((count("decision"), count("ruling")), (10, 1), "{kinds:?}");
    let handoff = value["handoff"][0].as_str().expect("a file");
    let text = std::fs::read_to_string(handoff).expect("the hand-off");
    let handoff: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let back: Vec<&str> = handoff["items"]
        .as_array()
        .expect("items")
        .iter()
        .filter_map(|item| item["criterion"].as_str())
        .collect();
    for id in ["2", "4", "7", "8"] {
        assert!(back.contains(&id), "{back:?}");
    }
    verifies(home.path(), &sample);
}

/// The kinds of the ledger's entries, in order.
fn kinds(sample: &Path) -> Vec<String> {
    let mut shards = Vec::new();
    let mut waiting = vec![sample.join("countersign/state")];
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                waiting.push(path);
            } else if folder.ends_with("ledger") {
                shards.push(path);
            }
        }
    }
    shards.sort();
    let text: String = shards
        .iter()
        .map(|shard| std::fs::read_to_string(shard).expect("a shard"))
        .collect();
    let kind = |line: &str| {
        let value: serde_json::Value = serde_json::from_str(line).expect("JSON");
        value["kind"].as_str().expect("a kind").to_owned()
    };
    text.lines().map(kind).collect()
}

fn verifies(home: &Path, sample: &Path) {
    let checked = countersign(home)
        .args(["ledger", "verify"])
        .env("COUNTERSIGN_HOME", sample.join("countersign"))
        .current_dir(sample.join("ferry-42"))
        .output()
        .expect("it runs");
    assert!(checked.status.success(), "{checked:?}");
}

#[test]
fn a_script_that_is_none_is_refused_whole_before_anything_is_laid_out() {
    let home = tempfile::tempdir().expect("a folder");
    let script = home.path().join("keys");
    std::fs::write(&script, "n\nnonsense\nsize x\n").expect("a file");
    let done = countersign(home.path())
        .args(["demo", "--script"])
        .arg(&script)
        .output()
        .expect("it runs");
    assert_eq!(done.status.code(), Some(2));
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(said.contains("line 2") && said.contains("line 3"), "{said}");
}
