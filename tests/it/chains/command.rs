//! `countersign chains`: the golden report, scopes and what stands in their way.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::git::repo::{Repo, run};
use crate::support::{countersign_as_other_user, hand_over};

fn corpus(tree: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    root.join("tests/corpus/chains").join(tree)
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy(&from, &to);
        } else {
            fs::copy(&from, &to).expect("a file");
        }
    }
}

/// A repository that holds a tree of the corpus, committed.
pub(super) fn repo(tree: &str) -> Repo {
    let repo = Repo::new();
    copy(&corpus(tree), &repo.top);
    let _ = fs::remove_file(repo.top.join("expected.txt"));
    repo.commit("skills");
    repo
}

fn chains(repo: &Repo, args: &[&str]) -> (i32, String) {
    let out = Command::new(env!("CARGO_BIN_EXE_countersign"))
        .arg("chains")
        .args(args)
        .current_dir(&repo.top)
        .env("COUNTERSIGN_HOME", repo.home().join("own"))
        .output()
        .expect("it runs");
    let text = String::from_utf8(out.stdout).expect("text");
    (out.status.code().expect("an exit"), text)
}

fn json(repo: &Repo, args: &[&str]) -> (i32, Value) {
    let (code, text) = chains(repo, &[args, &["--json"]].concat());
    (code, serde_json::from_str(&text).expect("one document"))
}

#[test]
fn the_golden_tree_prints_the_four_steps() {
    let repo = repo("golden");
    let (code, text) = chains(&repo, &["--all"]);
    let want = fs::read_to_string(corpus("golden").join("expected.txt")).expect("the golden text");
    let (calibration, steps) = text.split_once("## Step 1").expect("steps");
    assert!(
        calibration.contains("Calibration: 2 of 2 known pairs are right"),
        "{calibration}"
    );
    let steps = format!("## Step 1{steps}");
    let first = want.lines().zip(steps.lines()).find(|(a, b)| a != b);
    assert_eq!((first, want.lines().count()), (None, steps.lines().count()));
    assert_eq!(code, 1);
}

#[test]
fn every_tree_ends_as_its_labels_say() {
    for (tree, profile, word, code) in [
        ("house", "forge", "FAIL", 1),
        ("calm", "forge", "PASS", 0),
        ("mild", "forge", "CONDITIONAL_PASS", 1),
        ("wild", "generic", "CONDITIONAL_PASS", 1),
        ("traps", "forge", "FAIL", 1),
        ("golden", "literal", "HARNESS_ERROR", 10),
        ("calm", "literal", "HARNESS_ERROR", 10),
    ] {
        let repo = repo(tree);
        let (got, document) = json(&repo, &["--all", "--profile", profile]);
        assert_eq!(document["verdict"], word, "{tree} {profile}");
        assert_eq!(got, code, "{tree} {profile}");
        let literal = profile == "literal";
        assert_eq!(document["calibration"]["ok"], !literal, "{tree} {profile}");
        if literal {
            assert_eq!(
                document["chains"],
                serde_json::json!([]),
                "{tree}: nothing is reported"
            );
            assert_eq!(
                document["summary"],
                Value::Null,
                "{tree}: nothing is counted"
            );
            let (_, text) = chains(&repo, &["--all", "--profile", profile]);
            assert!(
                !text.contains("OPEN:") && !text.contains("PASS ("),
                "{text}"
            );
        }
    }
}

/// Names of the audited skills and the verdict.
fn audited(document: &Value) -> (Vec<String>, String) {
    let skills = document["skills"].as_array().expect("skills").iter();
    let names = skills.map(|skill| skill["name"].as_str().expect("a name").to_owned());
    (
        names.collect(),
        document["verdict"].as_str().unwrap_or("").to_owned(),
    )
}

pub(super) fn edit(repo: &Repo, path: &str) {
    let file = repo.top.join(path);
    let text = fs::read_to_string(&file).expect("a text");
    fs::write(&file, format!("{text}\n")).expect("written");
}

pub(super) const TIDE: &str = "plugins/mole/skills/tide-watch/SKILL.md";
const BERTH: &str = "plugins/mole/skills/berth-judge/SKILL.md";

#[test]
fn scopes_are_measured_empty_filtered_or_failed() {
    // truly empty, and only then skipped
    let golden = repo("golden");
    let (code, document) = json(&golden, &[]);
    assert_eq!(
        (code, &document["scope"]["state"]),
        (0, &Value::from("empty"))
    );
    assert_eq!(document["verdict"], Value::Null);
    let (_, text) = chains(&golden, &[]);
    assert!(
        text.contains("audit skipped (control: git rev-parse OK)."),
        "{text}"
    );

    // modified, with an untracked file that is none
    edit(&golden, TIDE);
    golden.write("notes.txt", "nothing");
    let (code, document) = json(&golden, &[]);
    assert_eq!(
        audited(&document),
        (vec!["tide-watch".to_owned()], "CONDITIONAL_PASS".to_owned())
    );
    assert_eq!(
        (code, &document["scope"]["state"]),
        (1, &Value::from("measured"))
    );
    assert_eq!(
        document["chains"][0]["basis"],
        serde_json::json!(["CP-gap"])
    );

    // the callee deleted
    fs::remove_file(golden.top.join(BERTH)).expect("deleted");
    let (_, document) = json(&golden, &[]);
    assert_eq!(document["chains"][0]["unresolved"], "deleted");
    assert_eq!(
        document["chains"][0]["basis"],
        serde_json::json!(["unresolved-target"])
    );
    assert_eq!(document["problems"][0]["kind"], "deleted");
    assert_eq!(document["verdict"], "CONDITIONAL_PASS");

    // moved: the name is still there
    let moved = repo("golden");
    edit(&moved, TIDE);
    let to = moved.top.join("plugins/mole/skills/berth-judge-2");
    fs::rename(moved.top.join(BERTH).parent().expect("a folder"), to).expect("moved");
    let (_, document) = json(&moved, &[]);
    assert_eq!(document["problems"][0]["kind"], "renamed");
    assert_eq!(audited(&document).0, ["berth-judge", "tide-watch"]);

    // names that a plain search would take
    let traps = repo("traps");
    edit(&traps, "skills/deprecated/sunk-skill.SKILL.md");
    edit(&traps, "skills/quiet-log/SKILL_detail.md");
    let (code, document) = json(&traps, &[]);
    assert_eq!(
        (code, &document["scope"]["state"]),
        (0, &Value::from("filtered-empty"))
    );
    let (_, text) = chains(&traps, &[]);
    assert!(
        !text.contains("skipped") && text.contains("other-name") | text.contains("not named"),
        "{text}"
    );

    // outside the root
    edit(&traps, "skills/watch/SKILL.md");
    let (_, document) = json(&traps, &["--root", "agents"]);
    assert_eq!(document["scope"]["state"], "filtered-empty");

    // no origin/main
    let (code, document) = json(&golden, &["--pr"]);
    assert_eq!(
        (code, &document["scope"]["state"]),
        (10, &Value::from("error"))
    );
    assert_eq!(document["verdict"], "HARNESS_ERROR");
    let (_, text) = chains(&golden, &["--pr"]);
    assert!(
        text.starts_with("HARNESS_ERROR: scope command failed"),
        "{text}"
    );
    assert!(!text.contains("skipped"), "{text}");
}

#[test]
fn no_commit_and_no_repository_are_errors_not_skips() {
    let unborn = Repo::new();
    copy(&corpus("golden"), &unborn.top);
    let (code, text) = chains(&unborn, &[]);
    assert_eq!(code, 10, "{text}");
    assert!(text.starts_with("HARNESS_ERROR"), "{text}");
    // all of them can still be read
    assert_eq!(chains(&unborn, &["--all"]).0, 1);

    let none = tempfile::tempdir().expect("a folder");
    let run = |args: &[&str]| {
        let out = Command::new(env!("CARGO_BIN_EXE_countersign"))
            .arg("chains")
            .args(args)
            .current_dir(none.path())
            .env("GIT_CEILING_DIRECTORIES", none.path())
            .env("COUNTERSIGN_HOME", none.path().join("own"))
            .output()
            .expect("it runs");
        (
            out.status.code(),
            String::from_utf8_lossy(&out.stdout).into_owned(),
        )
    };
    for args in [&[][..], &["--all"], &["--pr"]] {
        let (code, text) = run(args);
        assert_eq!(code, Some(10), "{args:?}");
        assert!(
            text.starts_with("HARNESS_ERROR: git unavailable"),
            "{args:?} {text}"
        );
    }
}

#[test]
fn a_pull_request_is_what_the_head_changed() {
    let repo = repo("golden");
    run(&repo.top, &["checkout", "-q", "-b", "feature"]);
    edit(&repo, TIDE);
    repo.commit("tide");
    run(&repo.top, &["checkout", "-q", "main"]);
    edit(&repo, "plugins/mole/skills/steel-quench/SKILL.md");
    repo.commit("not of the request");
    run(&repo.top, &["checkout", "-q", "feature"]);
    for args in [&["--pr", "--base", "main"][..], &["--base", "main"]] {
        let (_, document) = json(&repo, args);
        assert_eq!(audited(&document).0, ["tide-watch"], "{args:?}");
        assert_eq!(document["scope"]["base"], "main", "{args:?}");
    }
    run(
        &repo.top,
        &["update-ref", "refs/remotes/origin/main", "main"],
    );
    let (_, document) = json(&repo, &["--pr"]);
    assert_eq!(audited(&document).0, ["tide-watch"]);
    assert_eq!(document["scope"]["base"], "origin/main");
}

#[test]
fn a_skill_is_named_whole_and_its_callee_is_read_out_of_scope() {
    let repo = repo("golden");
    let (code, document) = json(&repo, &["--skill", "steel-quench"]);
    assert_eq!(
        audited(&document),
        (vec!["steel-quench".to_owned()], "FAIL".to_owned())
    );
    assert_eq!(document["chains"][0]["pass_b"]["level"], "full");
    assert_eq!(code, 1);
    let (code, document) = json(&repo, &["--skill", "quench"]);
    assert_eq!(
        (code, &document["code"]),
        (10, &Value::from("no-such-skill"))
    );
    let hint = document["hints"][0].as_str().expect("a hint");
    assert!(
        hint.contains("phantom-quench") && hint.contains("steel-quench"),
        "{hint}"
    );
}

#[test]
fn what_cannot_be_read_is_named_and_nothing_stops() {
    let repo = repo("calm");
    let skills = repo.top.join("plugins/quay/skills");
    let skill = |name: &str| {
        let folder = skills.join(name);
        fs::create_dir(&folder).expect("a folder");
        folder.join("SKILL.md")
    };
    fs::create_dir(skill("a-folder")).expect("a folder");
    std::os::unix::fs::symlink("../steel-quench/SKILL.md", skill("a-link")).expect("a link");
    std::os::unix::fs::symlink("SKILL.md", skill("a-ring")).expect("a link");
    std::os::unix::fs::symlink("..", skills.join("up")).expect("a link");
    fs::write(skill("latin"), b"# Latin\n\n## Done When\n\n- caf\xe9\n").expect("written");
    fs::write(skill("large"), vec![b'x'; 5 << 20]).expect("written");
    let closed = skill("closed");
    fs::write(&closed, "# Closed\n").expect("written");
    rustix::fs::chmod(&closed, rustix::fs::Mode::empty()).expect("closed");
    hand_over(repo.home());
    let out = countersign_as_other_user(repo.home())
        .args(["chains", "--all", "--json"])
        .env("COUNTERSIGN_HOME", repo.home().join("own"))
        .current_dir(&repo.top)
        .output()
        .expect("it runs");
    let document: Value = serde_json::from_slice(&out.stdout).expect("one document");
    let problems = document["problems"].as_array().expect("problems").iter();
    let kinds: Vec<String> = problems
        .map(|row| {
            let file = row["file"].as_str().expect("a path");
            let folder = file.split('/').nth(3).expect("a folder");
            format!("{folder} {}", row["kind"].as_str().expect("a kind"))
        })
        .collect();
    assert_eq!(
        kinds,
        [
            "a-folder directory",
            "a-link link",
            "a-ring link",
            "closed unreadable",
            "large unreadable",
            "latin not-utf8",
        ]
    );
    // what could not be read may hold anything: never a pass
    assert_eq!(document["unread"], 2);
    assert_eq!(document["verdict"], "HARNESS_ERROR");
    assert_eq!(out.status.code(), Some(10));
}

#[test]
fn the_forms_say_the_same() {
    let repo = repo("wild");
    let generic = ["--all", "--profile", "generic"];
    let (_, markdown) = chains(&repo, &[&generic[..], &["--format", "md"]].concat());
    assert!(
        markdown.starts_with("## Chains: CONDITIONAL_PASS"),
        "{markdown}"
    );
    assert!(
        markdown.contains("~~~~text\n1. sketch-first/SKILL.md §Chains:"),
        "{markdown}"
    );
    let (_, map) = chains(&repo, &[&generic[..], &["--format", "map"]].concat());
    for line in [
        "draft-plan\n └─ work-plan  OPEN mandatory",
        "orphan: orphan-almanac",
        "mandatory, no return wording: draft-plan → work-plan",
    ] {
        assert!(map.contains(line), "no {line} in\n{map}");
    }
    let traps = self::repo("traps");
    let (_, map) = chains(&traps, &["--all", "--format", "map"]);
    for line in [
        "cycle: ring-east, ring-west",
        "phantom: many-targets names ghost-ship, line 10",
        "agent: many-targets names fog-agent, line 11",
        "built-in command: many-targets names cost, line 12",
        "registry term: many-targets names LOCAL_SKILL_REGISTRY, line 13",
        "orphan: wordy-log",
    ] {
        assert!(map.contains(line), "no {line} in\n{map}");
    }
}

#[test]
fn a_profile_of_your_own_extends_and_says_all_its_faults() {
    let repo = repo("golden");
    let folder = repo.home().join("own/config/profiles");
    fs::create_dir_all(&folder).expect("a folder");
    let own = "extends = \"forge\"\n[tiers]\ncore = [\"tide-*\"]\n";
    fs::write(folder.join("mine.toml"), own).expect("written");
    let (_, document) = json(&repo, &["--skill", "tide-watch", "--profile", "mine"]);
    assert_eq!(document["chains"][0]["severity"], "HIGH");
    // the configuration names it; a word on the line is stronger
    let config = repo.home().join("own/config/config.toml");
    fs::write(&config, "chain-profile = \"mine\"\n").expect("written");
    let (_, document) = json(&repo, &["--skill", "tide-watch"]);
    assert_eq!(document["profile"], "mine");
    assert_eq!(document["chains"][0]["severity"], "HIGH");
    let (_, document) = json(&repo, &["--skill", "tide-watch", "--profile", "forge"]);
    assert_eq!(document["profile"], "forge");
    fs::remove_file(&config).expect("removed");
    let bad = "extends = \"forge\"\nknown = []\n[waits]\nbinding = \"loose\"\nsignals = []\n";
    fs::write(folder.join("bad.toml"), bad).expect("written");
    let (code, document) = json(&repo, &["--all", "--profile", "bad"]);
    assert_eq!(code, 2);
    let hints = document["hints"].as_array().expect("hints");
    assert_eq!(hints.len(), 4, "{hints:?}");
    let typo = "extends = \"forge\"\n[waits]\nsignal = []\n";
    fs::write(folder.join("typo.toml"), typo).expect("written");
    let (code, document) = json(&repo, &["--all", "--profile", "typo"]);
    assert_eq!(code, 2);
    assert!(
        document["hints"][0]
            .as_str()
            .expect("a hint")
            .starts_with("typo:3:"),
        "{document}"
    );
    assert_eq!(chains(&repo, &["--all", "--profile", "nobody"]).0, 2);
}
