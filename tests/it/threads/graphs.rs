//! Commit graphs with the grade of a comment's resolution, and marker lines with what must be
//! read (`tests/corpus/verify/resolution.toml` and `markers.toml`). Where a row leaves a doubt and
//! we answer otherwise, [`OTHERWISE`] says how.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use countersign::adapters::forge::{self, Input};
use countersign::gate::verify::markers::{Marker, Reading, markers, rounds};
use countersign::model::id::Oid;
use countersign::model::ruling::Verdict;
use countersign::model::text::Foreign;
use serde_json::json;
use toml::{Table, Value};

use crate::support::countersign;

/// Case, grade, status.
const OTHERWISE: &[(&str, &str, &str)] = &[
    // the same bytes as before answer nothing
    (
        "changed and changed back: the line is as it was",
        "none",
        "unresolved",
    ),
    // a commit without a match may hold anything: a person looks
    (
        "amended in place: the commit itself holds the change",
        "unknown",
        "breaker",
    ),
    ("squashed: one commit holds all of it", "unknown", "breaker"),
    // outdated alone is something a person can look at
    ("outdated and nothing else", "outdated", "confirm"),
    // what an answer says is no decision
    (
        "a reply that acknowledges and names a ticket",
        "ticket",
        "confirm",
    ),
    // no time is looked at
    (
        "no commit is known for the comment, only a time",
        "unknown",
        "breaker",
    ),
];

/// Two markers in one comment are both read; at one head the stricter is in force all the same.
const BOTH_IN_ONE: &str = "two marker lines in one comment";

fn corpus(name: &str) -> Table {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/verify");
    let text = fs::read_to_string(path.join(name)).expect("the corpus");
    text.parse().expect("toml")
}

fn cases(table: &Table) -> Vec<&Table> {
    let cases = table["case"].as_array().expect("cases");
    cases.iter().filter_map(Value::as_table).collect()
}

fn text<'a>(table: &'a Table, key: &str) -> &'a str {
    table.get(key).and_then(Value::as_str).unwrap_or("")
}

fn number(table: &Table, key: &str) -> Option<i64> {
    table.get(key).and_then(Value::as_integer)
}

fn list<'a>(table: &'a Table, key: &str) -> Vec<&'a Value> {
    let list = table.get(key).and_then(Value::as_array);
    list.into_iter().flatten().collect()
}

/// The files of a commit, path to content.
type Files = BTreeMap<String, String>;

fn tree(repo: &git2::Repository, files: &Files) -> git2::Oid {
    let mut index = git2::Index::new().expect("an index");
    for (path, text) in files {
        let entry = git2::IndexEntry {
            ctime: git2::IndexTime::new(0, 0),
            mtime: git2::IndexTime::new(0, 0),
            dev: 0,
            ino: 0,
            mode: 0o100_644,
            uid: 0,
            gid: 0,
            file_size: 0,
            id: repo.blob(text.as_bytes()).expect("a blob"),
            flags: 0,
            flags_extended: 0,
            path: path.as_bytes().to_vec(),
        };
        index.add(&entry).expect("added");
    }
    index.write_tree_to(repo).expect("a tree")
}

/// Builds a case's commits in a fresh repository; ids by name.
fn build(place: &Path, case: &Table) -> BTreeMap<String, git2::Oid> {
    let repo = git2::Repository::init(place).expect("a repository");
    let mut made: BTreeMap<String, git2::Oid> = BTreeMap::new();
    let mut files: BTreeMap<String, Files> = BTreeMap::new();
    let mut last: Option<String> = None;
    let mut absent = Vec::new();
    for (at, commit) in list(case, "commit").into_iter().enumerate() {
        let commit = commit.as_table().expect("a commit");
        let name = text(commit, "name").to_owned();
        let named = commit.get("parents").and_then(Value::as_array);
        let parents: Vec<String> = match named {
            Some(named) => named
                .iter()
                .filter_map(|v| v.as_str().map(str::to_owned))
                .collect(),
            None => last.iter().cloned().collect(),
        };
        let first = parents.first().and_then(|name| files.get(name));
        let mut own = first.cloned().unwrap_or_default();
        let lines = list(commit, "lines");
        if !lines.is_empty() {
            let lines = lines.iter().filter_map(|l| l.as_str());
            let text = lines.map(|l| format!("{l}\n")).collect::<String>();
            own.insert("f.txt".to_owned(), text);
        }
        for gone in list(commit, "delete") {
            own.remove(gone.as_str().expect("a path"));
        }
        let more = commit.get("files").and_then(Value::as_table);
        for (path, text) in more.into_iter().flatten() {
            own.insert(path.clone(), text.as_str().expect("a text").to_owned());
        }
        let at = i64::try_from(at).expect("small");
        let written = number(commit, "at").unwrap_or(1000 * (at + 1));
        let when = number(commit, "committed_at").unwrap_or(written);
        let who = |seconds| {
            let time = git2::Time::new(1_793_600_000 + seconds, 0);
            git2::Signature::new("builder-7", "b@forge.example", &time).expect("a name")
        };
        let above: Vec<git2::Commit<'_>> = parents
            .iter()
            .map(|name| repo.find_commit(made[name]).expect("a parent"))
            .collect();
        let above: Vec<&git2::Commit<'_>> = above.iter().collect();
        let tree = repo.find_tree(tree(&repo, &own)).expect("a tree");
        let message = format!("{}{}", text(commit, "message"), name);
        let id = repo
            .commit(None, &who(written), &who(when), &message, &tree, &above)
            .expect("a commit");
        if commit.get("absent").and_then(Value::as_bool) == Some(true) {
            absent.push(id);
        }
        made.insert(name.clone(), id);
        files.insert(name.clone(), own);
        last = Some(name);
    }
    let base = if text(case, "base").is_empty() {
        "m"
    } else {
        text(case, "base")
    };
    for (name, commit) in [("main", base), ("work", text(case, "head"))] {
        let name = format!("refs/heads/{name}");
        repo.reference(&name, made[commit], true, "x")
            .expect("a branch");
    }
    repo.set_head("refs/heads/work").expect("a head");
    for id in absent {
        let hex = id.to_string();
        let (folder, file) = hex.split_at(2);
        let path: PathBuf = place.join(".git/objects").join(folder).join(file);
        fs::remove_file(path).expect("a loose object");
    }
    made
}

fn resolution(case: &Table) -> (String, Vec<String>, String) {
    let home = tempfile::tempdir().expect("a folder");
    let place = home.path().join("w");
    let made = build(&place, case);
    let comment = case["comment"].as_table().expect("a comment");
    let empty = Table::new();
    let says = case.get("says").and_then(Value::as_table).unwrap_or(&empty);
    let resolved = says.get("resolved").and_then(Value::as_bool);
    let replies: Vec<serde_json::Value> = list(case, "replies")
        .into_iter()
        .filter_map(Value::as_table)
        .map(|r| json!({"author": text(r, "author"), "body": text(r, "body")}))
        .collect();
    let commit = made.get(text(comment, "commit")).map(ToString::to_string);
    let thread = json!({
        "id": "t", "channel": "inline", "author": "tamsin", "body": "Why?",
        "original_commit": commit,
        "anchor": {
            "path": text(comment, "path"), "original_line": number(comment, "line"),
            "side": if text(comment, "side").is_empty() { "right" } else { "left" },
        },
        "outdated": says.get("outdated").and_then(Value::as_bool),
        "resolution": {"resolved": resolved, "resolved_by": says.get("by").and_then(Value::as_str)},
        "replies": replies,
    });
    let document = json!({
        "schema": "countersign/threads/1", "complete": true, "threads": [thread],
        "pull": {"author": "builder-7"},
    });
    fs::write(home.path().join("t.json"), document.to_string()).expect("written");
    let strict = case.get("policy").is_some();
    if strict {
        let folder = home.path().join("countersign/config");
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join("config.toml"), "author-resolves = false\n").expect("written");
    }
    let mut command = countersign(home.path());
    command.current_dir(home.path()).args([
        "threads",
        "w",
        "--json",
        "--base",
        "main",
        "--threads",
        "t.json",
    ]);
    let out = command.output().expect("it runs");
    let printed: serde_json::Value = serde_json::from_slice(&out.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&out.stderr)));
    let one = &printed["threads"][0]["resolution"];
    let word = |key: &str| one[key].as_str().unwrap_or("").to_owned();
    let state = match word("state").as_str() {
        "resolved" => "addressed",
        "weak" => "confirm",
        "could-not-tell" => "breaker",
        _ => "unresolved",
    };
    let grade = match word("grade").as_str() {
        "file-only" => "file".to_owned(),
        "file-gone" => "line".to_owned(),
        "ticket-named" => "ticket".to_owned(),
        "none" if state == "breaker" => "unknown".to_owned(),
        _ => word("grade"),
    };
    let commits = one["commits"].as_array().expect("commits").iter();
    let name = |id: &serde_json::Value| {
        let mut made = made.iter();
        let found = made.find(|(_, oid)| id.as_str() == Some(&oid.to_string()));
        found.map_or(String::new(), |(name, _)| name.clone())
    };
    (grade, commits.map(name).collect(), state.to_owned())
}

#[test]
fn every_commit_graph_grades_as_its_row_says() {
    let table = corpus("resolution.toml");
    let mut wrong = Vec::new();
    let mut otherwise = 0;
    for case in cases(&table) {
        let read = case["read"].as_table().expect("a reading");
        let name = text(case, "name");
        let (grade, commits, status) = resolution(case);
        let own = OTHERWISE.iter().find(|row| row.0 == name);
        let (asked_grade, asked_status) = match own {
            Some((_, grade, status)) => {
                assert!(
                    case.contains_key("doubt") || read.contains_key("doubt"),
                    "{name}: no doubt"
                );
                otherwise += 1;
                (*grade, *status)
            }
            None => (text(read, "grade"), text(read, "status")),
        };
        let asked: Vec<&str> = list(read, "commits")
            .iter()
            .filter_map(|v| v.as_str())
            .collect();
        let commits_differ = own.is_none() && commits != asked;
        if (grade.as_str(), status.as_str()) != (asked_grade, asked_status) || commits_differ {
            wrong.push(format!(
                "{name}: {grade} {commits:?} {status}, wanted {asked_grade} {asked:?} {asked_status}"
            ));
        }
    }
    assert_eq!(otherwise, OTHERWISE.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn whole(letter: &str) -> String {
    letter.repeat(40)
}

/// What a case's comments say, as one of our own files.
fn said(case: &Table) -> Vec<serde_json::Value> {
    let mut said: Vec<&Table> = list(case, "say")
        .into_iter()
        .filter_map(Value::as_table)
        .collect();
    said.sort_by_key(|one| number(one, "at"));
    said.iter()
        .enumerate()
        .map(|(at, one)| {
            let mut body = text(one, "body").to_owned();
            for letter in ["a", "b", "c", "d"] {
                body = body.replace(&format!("{{{letter}}}"), &whole(letter));
            }
            let author = Some(text(one, "author")).filter(|a| !a.is_empty());
            let commit = Some(text(one, "commit"))
                .filter(|c| !c.is_empty())
                .map(whole);
            json!({
                "id": format!("c{at}"), "channel": text(one, "channel"), "author": author,
                "body": body, "commit": commit,
                "edited": one.get("edited").and_then(Value::as_bool).unwrap_or(false),
                "anchor": (text(one, "channel") == "inline").then(|| json!({"path": "f"})),
            })
        })
        .collect()
}

fn row(marker: &Marker, head: Oid, differ: bool) -> Option<String> {
    let Reading::Marker {
        round,
        verdict,
        tip,
        ..
    } = &marker.reading
    else {
        return None;
    };
    let what = match (marker.counts, *tip == Some(head)) {
        (false, _) => "greyed",
        (true, true) if differ => "counted*",
        (true, true) => "counted",
        (true, false) => "stale",
    };
    Some(format!("{round} {} {what}", verdict.word()))
}

#[test]
fn every_marker_reads_as_its_row_says() {
    let table = corpus("markers.toml");
    let mut wrong = Vec::new();
    for case in cases(&table) {
        let read = case["read"].as_table().expect("a reading");
        let document = json!({
            "schema": "countersign/threads/1", "complete": true, "threads": said(case),
        });
        let threads = forge::read(&[Input {
            holds: None,
            name: Foreign::from("m"),
            bytes: Ok(document.to_string().into_bytes()),
        }]);
        let authors: Vec<String> = list(case, "authors")
            .iter()
            .filter_map(|v| v.as_str().map(str::to_owned))
            .collect();
        let head = Oid::parse(&whole(text(case, "head"))).expect("a head");
        let found = markers(&threads, &authors);
        let rounds = rounds(&found, 0, Some(head));
        let differ = rounds.odd.iter().any(|odd| odd.contains("differ;"));
        let mut got: Vec<String> = found.iter().filter_map(|m| row(m, head, differ)).collect();
        let mut asked: Vec<String> = list(read, "markers")
            .iter()
            .filter_map(|v| v.as_array())
            .map(|row| {
                let word = |at: usize| row[at].as_str().unwrap_or("");
                format!(
                    "{} {} {}",
                    row[0].as_integer().unwrap_or(0),
                    word(1),
                    word(2)
                )
            })
            .collect();
        got.sort();
        asked.sort();
        let malformed = found
            .iter()
            .filter(|m| matches!(m.reading, Reading::Malformed(_)));
        let edited = i64::try_from(found.iter().filter(|m| m.edited).count()).unwrap_or(0);
        let summary = format!(
            "{got:?} {} {} {} {} {} {:?}",
            malformed.count(),
            rounds.count,
            rounds.highest,
            rounds.next,
            rounds.odd.iter().any(|odd| odd.contains("highest names")),
            rounds.at_head.map_or("", Verdict::word),
        );
        let number = |key: &str| number(read, key).unwrap_or(0);
        let wanted = format!(
            "{asked:?} {} {} {} {} {} {:?}",
            number("malformed"),
            number("count"),
            number("max"),
            number("round"),
            read.get("differ").and_then(Value::as_bool) == Some(true),
            text(read, "force"),
        );
        if text(case, "name") == BOTH_IN_ONE {
            let force = rounds.at_head.map(Verdict::word);
            assert_eq!((rounds.next, force), (3, Some("REROLL")));
            continue;
        }
        if summary != wanted || edited < number("edited") {
            wrong.push(format!(
                "{}\n  got    {summary}\n  wanted {wanted}",
                text(case, "name")
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
