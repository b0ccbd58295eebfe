//! What `ledger export` gives away of a signed sitting, checked by readers of its own.

use std::collections::{BTreeMap, BTreeSet};

use countersign::ledger::entry::Head;
use countersign::ledger::verify::{Place, Shard, Status, verify};
use countersign::model::id::Digest;
use countersign::model::text::is_hidden;
use serde_json::Value;

use crate::pty::seat::Seat;

/// Every form of the export of a sitting that ended in a ruling on `head`.
pub(super) fn exports(seat: &Seat, head: &str) {
    rebuilt(seat);
    statement(seat, head);
    page(seat);
}

fn export(seat: &Seat, format: &str) -> String {
    let done = seat
        .command(&["ledger", "export", "--format", format])
        .output()
        .expect("it runs");
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    let text = String::from_utf8(done.stdout).expect("UTF-8");
    let hidden = text.chars().find(|c| is_hidden(*c) && *c != '\n');
    assert_eq!(hidden, None, "{format}");
    text
}

/// The lines build the shards again, byte for byte, and these verify.
fn rebuilt(seat: &Seat) {
    let text = export(seat, "jsonl");
    let mut rows = text.lines().map(|line| {
        let row: Value = serde_json::from_str(line).expect("JSON");
        row
    });
    let first = rows.next().expect("a first line");
    assert_eq!(first["schema"], "countersign/export/1");
    let mut shards: BTreeMap<String, String> = BTreeMap::new();
    let mut texts: BTreeMap<Digest, Vec<u8>> = BTreeMap::new();
    let mut anchors = Vec::new();
    for row in rows {
        if let (Some(shard), Some(line)) = (row["shard"].as_str(), row["line"].as_str()) {
            let shard = shards.entry(shard.to_owned()).or_default();
            shard.push_str(line);
            shard.push('\n');
        } else if let (Some(digest), Some(body)) = (row["text"].as_str(), row["body"].as_str()) {
            texts.insert(Digest::parse(digest).expect("a digest"), body.into());
        } else {
            anchors.push(Head {
                shard: row["shard"].as_str().expect("a shard").to_owned(),
                seq: row["anchor"].as_u64().expect("a number"),
                line: Digest::parse(row["sha256"].as_str().expect("one")).expect("a digest"),
            });
        }
    }
    let lines: BTreeSet<String> = shards
        .values()
        .flat_map(|shard| shard.lines().map(str::to_owned))
        .collect();
    let stored: BTreeSet<String> = seat.ledger().into_iter().collect();
    assert_eq!(lines, stored);
    assert_eq!(anchors.len(), stored.len());
    let place = Place {
        repository: Digest::parse(first["repository"].as_str().expect("one")).expect("a digest"),
        change: first["change"].as_str().expect("a change"),
    };
    let shards: Vec<Shard> = shards
        .into_iter()
        .map(|(name, bytes)| {
            let mut shard = Shard::new(name.as_str(), bytes);
            let ours = anchors.iter().filter(|head| head.shard == name);
            shard.anchors.extend(ours.cloned());
            shard
        })
        .collect();
    let read = verify(&place, &shards, &|digest| texts.get(digest).cloned());
    assert_eq!(read.status(), Status::Ok, "{:?}", read.findings);
    assert_eq!(read.entries.len(), stored.len());
}

/// The rules of the in-toto Statement, version 1, as its specification states them: the fields,
/// their types, at least one subject, a digest for each, hexadecimal of the algorithm's length.
fn statement(seat: &Seat, head: &str) {
    let value: Value = serde_json::from_str(&export(seat, "in-toto")).expect("JSON");
    let keys: Vec<&str> = value
        .as_object()
        .expect("an object")
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(keys, ["_type", "subject", "predicateType", "predicate"]);
    assert_eq!(value["_type"], "https://in-toto.io/Statement/v1");
    assert_eq!(value["predicateType"], "urn:countersign:ruling:1");
    let subjects = value["subject"].as_array().expect("a list");
    assert_eq!(subjects.len(), 1);
    let digests = subjects[0]["digest"].as_object().expect("a set of digests");
    for (algorithm, hex) in digests {
        assert!(["gitCommit", "gitTree"].contains(&algorithm.as_str()));
        let hex = hex.as_str().expect("text");
        assert_eq!(hex.len(), 40);
        assert!(hex.chars().all(|c| "0123456789abcdef".contains(c)));
    }
    assert_eq!(digests["gitCommit"], head);
    let ruling = &value["predicate"];
    assert_eq!(digests["gitTree"], ruling["snapshot"]["tree"]);
    assert_eq!(
        (&ruling["verdict"], &ruling["round"]),
        (&"REROLL".into(), &1.into())
    );
    assert_eq!(ruling["ledger"]["follows"], true);
    let decisions = ruling["decisions"].as_array().expect("a list");
    let lines: BTreeSet<String> = seat
        .ledger()
        .iter()
        .map(|line| Digest::of(line.as_bytes()).to_string())
        .collect();
    assert!(decisions.len() >= 8, "{decisions:?}");
    for decision in decisions {
        assert!(lines.contains(decision["line"].as_str().expect("a digest")));
    }
}

/// The page names verdict, head and every decision, and its tables are whole.
fn page(seat: &Seat) {
    let page = export(seat, "md");
    assert!(page.contains("## Round 1: REROLL"), "{page}");
    let mut columns = None;
    for line in page.lines() {
        if !line.starts_with('|') {
            columns = None;
            continue;
        }
        let bars = line.replace("\\|", "").matches('|').count();
        assert_eq!(*columns.get_or_insert(bars), bars, "{line}");
    }
    for line in seat.ledger() {
        if line.contains("\"kind\":\"decision\"") {
            assert!(
                page.contains(&Digest::of(line.as_bytes()).to_string()),
                "{page}"
            );
        }
    }
}
