//! Anchors and resolution: the table of lines, then real histories (verify-gate 1.7, FRG-10,
//! bug-log 33 and 35).

use std::fs;
use std::path::Path;

use countersign::adapters::git::hunks::{Effort, hunks};
use countersign::gate::verify::anchor::{Near, Went, follow, near};
use serde_json::{Value, json};

use crate::support::countersign;

const ANCHORS: &str = include_str!("../../truth/anchors.md");

#[test]
fn lines_go_where_the_table_says() {
    let mut wrong = Vec::new();
    for cells in super::rules::rows(ANCHORS) {
        let [before, after, lines, now, how] = &cells[..] else {
            panic!("five cells: {cells:?}");
        };
        let text = |letters: &str| {
            letters
                .chars()
                .map(|c| format!("{c}\n"))
                .collect::<String>()
        };
        let (before, after) = (text(before), text(after));
        let found = hunks(before.as_bytes(), after.as_bytes(), Effort::Best);
        let (first, last) = lines.split_once('-').expect("two lines");
        let (first, last) = (
            first.parse().expect("a line"),
            last.parse().expect("a line"),
        );
        let went = match follow(&found.hunks, first, last) {
            Went::Kept(a, b) => format!("kept {a}-{b}"),
            Went::Changed(a, b) => format!("changed {a}-{b}"),
            Went::Removed => "removed".to_owned(),
        };
        let near = match near(&found.hunks, first, last) {
            Near::Nowhere => "nowhere",
            Near::Elsewhere => "elsewhere",
            Near::Beside => "beside",
            Near::OnIt => "on it",
        };
        if (went.as_str(), near) != (now.as_str(), how.as_str()) {
            wrong.push(format!("{cells:?}: got {went} | {near}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A small repository: a base with one file, and a branch that is written step by step.
struct World {
    home: tempfile::TempDir,
    repo: git2::Repository,
    time: i64,
}

fn letters(text: &str) -> String {
    text.chars().map(|c| format!("{c}{c}\n")).collect()
}

impl World {
    fn new() -> Self {
        let home = tempfile::tempdir().expect("a folder");
        let mut options = git2::RepositoryInitOptions::new();
        options.initial_head("main");
        let repo = git2::Repository::init_opts(home.path().join("w"), &options).expect("made");
        let mut world = Self {
            home,
            repo,
            time: 1_000,
        };
        world.commit("refs/heads/main", &[], &[("f", Some("abcdefghijklmnop"))]);
        world.branch("work", "main");
        world
    }

    fn branch(&self, name: &str, at: &str) {
        let commit = self.repo.revparse_single(at).expect("that commit");
        let name = format!("refs/heads/{name}");
        let made = self.repo.reference(&name, commit.id(), true, "x");
        made.expect("a branch");
    }

    /// Changes files (letters stand for lines) on a ref, and names the commit.
    fn commit(&mut self, name: &str, more: &[&str], files: &[(&str, Option<&str>)]) -> String {
        let tip = self.repo.find_reference(name).ok();
        let tip = tip.map(|r| r.peel_to_commit().expect("a commit"));
        let mut index = git2::Index::new().expect("an index");
        if let Some(tip) = &tip {
            index.read_tree(&tip.tree().expect("a tree")).expect("read");
        }
        for (path, text) in files {
            match text {
                Some(text) => {
                    let blob = self.repo.blob(letters(text).as_bytes()).expect("a blob");
                    let entry = git2::IndexEntry {
                        ctime: git2::IndexTime::new(0, 0),
                        mtime: git2::IndexTime::new(0, 0),
                        dev: 0,
                        ino: 0,
                        mode: 0o100_644,
                        uid: 0,
                        gid: 0,
                        file_size: 0,
                        id: blob,
                        flags: 0,
                        flags_extended: 0,
                        path: path.as_bytes().to_vec(),
                    };
                    index.add(&entry).expect("added");
                }
                None => index.remove(Path::new(path), 0).expect("removed"),
            }
        }
        let tree = index.write_tree_to(&self.repo).expect("a tree");
        let tree = self.repo.find_tree(tree).expect("a tree");
        self.time += 60;
        let time = git2::Time::new(self.time, 0);
        let who = git2::Signature::new("a", "a@example.org", &time).expect("a name");
        let others: Vec<git2::Commit<'_>> = more
            .iter()
            .map(|other| {
                let found = self.repo.revparse_single(other).expect("that commit");
                found.peel_to_commit().expect("a commit")
            })
            .collect();
        let parents: Vec<&git2::Commit<'_>> = tip.iter().chain(&others).collect();
        let id = self
            .repo
            .commit(Some(name), &who, &who, "x", &tree, &parents)
            .expect("a commit");
        id.to_string()
    }

    fn work(&mut self, files: &[(&str, Option<&str>)]) -> String {
        self.commit("refs/heads/work", &[], files)
    }

    /// What is printed about threads of these places.
    fn look(&self, threads: &[Value]) -> Vec<Value> {
        self.repo.set_head("refs/heads/work").expect("a head");
        let threads: Vec<Value> = threads
            .iter()
            .enumerate()
            .map(|(at, thread)| {
                let mut thread = thread.clone();
                thread["id"] = json!(format!("t{at}"));
                thread["author"] = json!("tamsin");
                thread["body"] = json!("Look.");
                thread["state"] = json!("open");
                thread
            })
            .collect();
        let file = self.home.path().join("t.json");
        let text = json!({
            "schema": "countersign/threads/1", "complete": true, "threads": threads,
        });
        fs::write(&file, text.to_string()).expect("written");
        let mut command = countersign(self.home.path());
        command
            .current_dir(self.home.path().join("w"))
            .args(["threads", "--json", "--base", "main", "--threads"])
            .arg(&file);
        let out = command.output().expect("it runs");
        let printed: Value = serde_json::from_slice(&out.stdout)
            .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&out.stderr)));
        printed["threads"].as_array().expect("threads").clone()
    }

    /// One thread in a line: state, grade, commits, place.
    fn says(&self, thread: &Value) -> String {
        let all = self.look(std::slice::from_ref(thread));
        let one = &all[0];
        let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
        format!(
            "{} {} {} | {} {}:{}",
            text(&one["resolution"]["state"]),
            text(&one["resolution"]["grade"]),
            one["resolution"]["commits"].as_array().map_or(0, Vec::len),
            text(&one["anchor"]["grade"]),
            text(&one["anchor"]["path"]),
            one["anchor"]["line"],
        )
    }
}

fn at(commit: &str, path: &str, line: u32) -> Value {
    json!({"original_commit": commit, "anchor": {"path": path, "original_line": line}})
}

#[test]
fn what_commits_do_to_the_place_grades_the_resolution() {
    let mut world = World::new();
    let first = world.work(&[("f", Some("abcdefghijklmnop")), ("g", Some("xyz"))]);
    world.work(&[("f", Some("abXdefghijklmnop"))]);
    assert_eq!(
        world.says(&at(&first, "f", 3)),
        "resolved line 1 | fuzzy f:3"
    );
    assert_eq!(world.says(&at(&first, "f", 6)), "weak hunk 1 | exact f:6");
    assert_eq!(
        world.says(&at(&first, "f", 9)),
        "weak file-only 1 | exact f:9"
    );
    assert_eq!(
        world.says(&at(&first, "g", 1)),
        "unresolved none 0 | exact g:1"
    );
    let whole = json!({"original_commit": first, "anchor": {"path": "f"}});
    assert_eq!(world.says(&whole), "weak file-only 1 | exact f:null");
    // two more commits: a line above, then the file under another name
    world.work(&[("f", Some("QabXdefghijklmnop"))]);
    world.work(&[("f", None), ("h", Some("QabXdefghijklmnop"))]);
    assert_eq!(
        world.says(&at(&first, "f", 9)),
        "weak file-only 2 | moved h:10"
    );
    assert_eq!(
        world.says(&at(&first, "f", 3)),
        "resolved line 1 | fuzzy h:4"
    );
    // the commit that is the head has nothing after it
    let tip = world.work(&[("h", None)]);
    assert_eq!(
        world.says(&at(&first, "f", 9)),
        "weak file-gone 3 | detached f:null"
    );
    assert_eq!(
        world.says(&at(&tip, "g", 2)),
        "unresolved none 0 | exact g:2"
    );
}

#[test]
fn a_change_that_was_taken_back_resolves_nothing() {
    let mut world = World::new();
    let first = world.work(&[("g", Some("xyz"))]);
    world.work(&[("g", Some("xQz"))]);
    assert_eq!(
        world.says(&at(&first, "g", 2)),
        "resolved line 1 | fuzzy g:2"
    );
    world.work(&[("g", Some("xyz"))]);
    assert_eq!(
        world.says(&at(&first, "g", 2)),
        "unresolved none 0 | exact g:2"
    );
}

#[test]
fn what_a_merge_brings_in_is_not_the_changes_own() {
    let mut world = World::new();
    let first = world.work(&[("g", Some("xyz"))]);
    world.commit("refs/heads/main", &[], &[("f", Some("abXdefghijklmnop"))]);
    world.commit(
        "refs/heads/work",
        &["main"],
        &[("f", Some("abXdefghijklmnop"))],
    );
    assert_eq!(
        world.says(&at(&first, "f", 3)),
        "unresolved none 0 | fuzzy f:3"
    );
    world.work(&[("f", Some("abXdefghijklmnoQ"))]);
    assert_eq!(
        world.says(&at(&first, "f", 3)),
        "weak file-only 1 | fuzzy f:3"
    );
}

#[test]
fn rewritten_history_is_matched_by_what_commits_change() {
    let mut world = World::new();
    let one = world.work(&[("g", Some("uvwxyz"))]);
    let two = world.work(&[("f", Some("abXdefghijklmnop"))]);
    // the same two patches on a base that moved, then an answer
    world.commit("refs/heads/main", &[], &[("other", Some("q"))]);
    world.branch("work", "main");
    world.work(&[("g", Some("uvwxyz"))]);
    world.work(&[("f", Some("abXdefghijklmnop"))]);
    assert_eq!(
        world.says(&at(&two, "f", 3)),
        "unresolved none 0 | exact f:3"
    );
    world.work(&[("f", Some("abYdefghijklmnop"))]);
    assert_eq!(world.says(&at(&two, "f", 3)), "resolved line 1 | fuzzy f:3");
    assert_eq!(
        world.says(&at(&two, "g", 2)),
        "unresolved none 0 | exact g:2"
    );
    assert_eq!(world.says(&at(&one, "f", 3)), "resolved line 2 | fuzzy f:3");
    // one commit of it came back as another: what it touches can't be told, the rest can
    world.branch("work", "main");
    world.work(&[("g", Some("uvwxyz"))]);
    world.work(&[("f", Some("abQdefghijklmnop"))]);
    assert_eq!(
        world.says(&at(&two, "f", 3)),
        "could-not-tell none 0 | fuzzy f:3"
    );
    assert_eq!(
        world.says(&at(&two, "g", 2)),
        "unresolved none 0 | exact g:2"
    );
}

#[test]
fn a_commit_that_is_gone_is_could_not_tell_and_an_excerpt_only_a_guess() {
    let mut world = World::new();
    world.work(&[("g", Some("xyzy"))]);
    let gone = "9999999999999999999999999999999999999999";
    let mut thread = at(gone, "g", 3);
    assert_eq!(
        world.says(&thread),
        "could-not-tell none 0 | detached g:null"
    );
    thread["anchor"]["excerpt"] = json!("@@ -0,0 +1,3 @@\n+xx\n+yy\n+zz");
    assert_eq!(world.says(&thread), "could-not-tell none 0 | fuzzy g:3");
    thread["anchor"]["original_line"] = json!(1);
    assert_eq!(world.says(&thread), "could-not-tell none 0 | fuzzy g:3");
    // two lines like it: nobody knows which
    thread["anchor"]["excerpt"] = json!("@@ -0,0 +1,3 @@\n+yy");
    assert_eq!(
        world.says(&thread),
        "could-not-tell none 0 | detached g:null"
    );
    let nowhere = json!({"anchor": {"path": "g", "line": 1}});
    assert_eq!(
        world.says(&nowhere),
        "could-not-tell none 0 | detached g:null"
    );
}

#[test]
fn a_comment_on_a_removed_line_points_into_the_base() {
    let mut world = World::new();
    let first = world.work(&[("f", Some("abdefghijklmnop"))]);
    let mut thread = at(&first, "f", 3);
    thread["anchor"]["side"] = json!("left");
    assert_eq!(world.says(&thread), "unresolved none 0 | exact f:3");
    world.work(&[("f", Some("abcdefghijklmnop"))]);
    assert_eq!(world.says(&thread), "resolved line 1 | exact f:3");
}

#[test]
fn files_of_one_name_in_two_folders_are_two_files() {
    let mut world = World::new();
    let first = world.work(&[("a/mod", Some("xyz")), ("b/mod", Some("xyz"))]);
    world.work(&[("b/mod", Some("xQz"))]);
    let all = world.look(&[at(&first, "a/mod", 2), at(&first, "b/mod", 2)]);
    assert_eq!(all[0]["anchor"]["path"], "a/mod");
    assert_eq!(all[0]["resolution"]["grade"], "none");
    assert_eq!(all[1]["anchor"]["path"], "b/mod");
    assert_eq!(all[1]["resolution"]["grade"], "line");
}

#[test]
fn more_threads_than_one_question_holds_keep_their_order() {
    let mut world = World::new();
    let first = world.work(&[("g", Some("uvwxyz"))]);
    world.work(&[("g", Some("uvQxyz"))]);
    let threads: Vec<Value> = (0..1_101)
        .map(|n| match n % 3 {
            0 => at(&first, "g", 3),
            1 => json!({"channel": "issue"}),
            _ => at(&first, "f", 9),
        })
        .collect();
    let printed = world.look(&threads);
    assert_eq!(printed.len(), threads.len());
    for one in printed {
        let id: usize = one["id"]
            .as_str()
            .and_then(|id| id[1..].parse().ok())
            .expect("an id");
        let wanted = ["line", "none", "none"][id % 3];
        assert_eq!(one["resolution"]["grade"], wanted, "{id}");
        assert_eq!(one["anchor"].is_null(), id % 3 == 1, "{id}");
    }
}

#[test]
fn another_head_on_the_forge_is_stale() {
    let mut world = World::new();
    let first = world.work(&[("g", Some("xyz"))]);
    let tip = world.work(&[("g", Some("xQz"))]);
    world.repo.set_head("refs/heads/work").expect("a head");
    for (head, code) in [(&tip, 0), (&first, 4)] {
        let text = json!({
            "schema": "countersign/threads/1", "complete": true, "threads": [],
            "pull": {"head": head},
        });
        let file = world.home.path().join("t.json");
        fs::write(&file, text.to_string()).expect("written");
        let mut command = countersign(world.home.path());
        command.current_dir(world.home.path()).args([
            "threads",
            "w",
            "--base",
            "main",
            "--threads",
            "t.json",
        ]);
        let out = command.output().expect("it runs");
        let said = String::from_utf8_lossy(&out.stdout).into_owned();
        assert_eq!(out.status.code(), Some(code), "{said}");
        assert_eq!(said.contains("STALE: the forge has"), code == 4, "{said}");
    }
}
