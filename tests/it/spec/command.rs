//! The commands of the spec gate on trees that lie on disk.

use std::path::Path;

use super::queue::{PLAIN, asserted};
use crate::git::repo::Repo;
use crate::support::countersign;

/// Lays files out below a folder.
pub(crate) fn lay(top: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let place = top.join(path);
        std::fs::create_dir_all(place.parent().expect("a folder")).expect("a folder");
        std::fs::write(place, text).expect("written");
    }
}

/// Runs a part: exit code, document.
pub(crate) fn run(top: &Path, words: &[&str]) -> (i32, serde_json::Value) {
    let out = countersign(top)
        .current_dir(top)
        .arg("--json")
        .arg("spec")
        .args(words)
        .output()
        .expect("it runs");
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"));
    (out.status.code().expect("a code"), value)
}

#[test]
fn a_root_that_is_not_there_or_holds_nothing_is_no_pass() {
    let home = tempfile::tempdir().expect("a folder");
    let top = home.path();
    std::fs::create_dir(top.join("empty")).expect("a folder");
    let rows: [(&[&str], i32, &str); 5] = [
        (&["state"], 10, "no-specs"),
        (&["state", "--root", "nowhere"], 10, "no-root"),
        (&["state", "--root", "empty"], 10, "no-specs"),
        (
            &["state", "--root", "nowhere", "--allow-empty"],
            10,
            "no-root",
        ),
        (&["state", "--root", "/"], 2, "outside"),
    ];
    for (words, code, kind) in rows {
        let (exit, value) = run(top, words);
        assert_eq!((exit, &value["code"]), (code, &kind.into()), "{words:?}");
    }
    let (exit, value) = run(top, &["state", "--root", "empty", "--allow-empty"]);
    assert_eq!((exit, &value["roots"]), (0, &0.into()));
}

#[test]
fn specs_are_found_at_their_places_and_one_bad_file_hides_none() {
    let home = tempfile::tempdir().expect("a folder");
    let top = home.path();
    lay(
        top,
        &[
            (".agents/spec/spec.md", "---\nstatus: draft\n---\n"),
            (".agents/specs/a/spec.md", "---\nstatus: done\n---\n"),
            ("packages/b/.agents/spec/spec.md", "---\nstatus: [\n---\n"),
            ("node_modules/c/.agents/spec/spec.md", "no\n"),
            ("sub/.git", "gitdir: elsewhere\n"),
            ("sub/.agents/spec/spec.md", "no\n"),
            ("docs/spec.md", "no\n"),
        ],
    );
    std::fs::write(
        top.join(".agents/spec/README.md"),
        b"---\nstatus: \xff\n---\n",
    )
    .expect("written");
    let (exit, value) = run(top, &["state"]);
    assert_eq!(exit, 1);
    let told: Vec<_> = value["violations"]
        .as_array()
        .expect("violations")
        .iter()
        .map(|v| format!("{}:{} {}", v["file"], v["line"], v["code"]).replace('"', ""))
        .collect();
    assert_eq!(
        told,
        [
            ".agents/spec/README.md:0 unreadable",
            ".agents/specs/a/spec.md:2 unknown-status",
            "packages/b/.agents/spec/spec.md:3 frontmatter",
        ]
    );
    let (exit, value) = run(
        top,
        &[
            "state",
            "--root",
            ".agents/specs",
            "--files",
            "packages/b/x.md",
        ],
    );
    assert_eq!((exit, &value["roots"]), (0, &0.into()));
}

const FROZEN: &str = "@frozen\nFeature: boats\n  Scenario: leaves\n    Given a boat\n    When it leaves\n    Then the board is empty\n";

/// Runs `spec edit-class` in a folder of a repository: exit code and `path old class` of each.
fn classes(dir: &Path, home: &Path, words: &[&str]) -> (i32, Vec<String>) {
    let out = countersign(home)
        .current_dir(dir)
        .args(["--json", "spec", "edit-class"])
        .args(words)
        .output()
        .expect("it runs");
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let rows = value["files"]
        .as_array()
        .unwrap_or_else(|| panic!("{value}"));
    let told = rows.iter().map(|row| {
        let old = row["old_path"].as_str().unwrap_or("-");
        let path = row["path"].as_str().expect("a path");
        format!("{path} {old} {}", row["class"].as_str().expect("a class"))
    });
    (out.status.code().expect("a code"), told.collect())
}

#[test]
fn edits_are_classified_wherever_the_rename_stands_and_however_the_path_is_written() {
    let repo = Repo::new();
    let suite = ".agents/specs/harbor/n/n.feature";
    repo.write(suite, FROZEN);
    repo.write("outside.feature", FROZEN);
    repo.commit("start");
    repo.git(&["checkout", "-q", "-b", "change"]);
    assert_eq!(classes(&repo.top, repo.home(), &[]), (0, Vec::new()));

    // a step changed, not committed
    repo.write(suite, FROZEN.replace("a boat", "a ship"));
    let changed = (3, vec![format!("{suite} - narrowing")]);
    let inner = repo.top.join(".agents/specs/harbor");
    assert_eq!(classes(&repo.top, repo.home(), &[]), changed);
    assert_eq!(
        classes(&inner, repo.home(), &["--files", "./n/../n/n.feature"]),
        changed
    );
    assert_eq!(
        classes(&inner, repo.home(), &["--base", "HEAD", "--root", "."]),
        changed
    );

    // moved and changed: untracked, staged, committed
    let moved = ".agents/specs/harbor/f\u{e4}hre nord.feature";
    std::fs::rename(repo.top.join(suite), repo.top.join(moved)).expect("moved");
    let told = (3, vec![format!("{moved} {suite} narrowing")]);
    assert_eq!(classes(&repo.top, repo.home(), &[]), told);
    assert_eq!(classes(&repo.top, repo.home(), &["--files", suite]), told);
    repo.git(&["add", "-A"]);
    assert_eq!(classes(&repo.top, repo.home(), &["--files", moved]), told);
    repo.commit("moved");
    assert_eq!(classes(&repo.top, repo.home(), &[]), told);
    assert_eq!(
        classes(&repo.top, repo.home(), &["--base", "HEAD"]),
        (0, Vec::new())
    );

    // only moved, and outside of every place of specs when it is named
    repo.write(moved, FROZEN);
    let told = vec![format!("{moved} {suite} no-content-change")];
    assert_eq!(classes(&repo.top, repo.home(), &[]), (0, told));
    repo.write("outside.feature", FROZEN.replace("@frozen\n", ""));
    let told = (3, vec![String::from("outside.feature - narrowing")]);
    assert_eq!(
        classes(&repo.top, repo.home(), &["--files", "outside.feature"]),
        told
    );
}

/// A repository whose change narrows a frozen suite of a spec that an agent approved.
fn narrowed() -> Repo {
    let repo = Repo::new();
    let root = |status: &str, approval: &str| {
        format!(
            "---\nstatus: {status}\n{approval}---\n# Harbor\n\n## What\n\nThe boats of today.\n"
        )
    };
    repo.write(".agents/specs/harbor/spec.md", root("draft", ""));
    repo.write(".agents/specs/harbor/n/n.feature", FROZEN);
    repo.write(
        ".agents/specs/harbor/n/README.md",
        "---\nspec-type: behavioral\n---\n## Use Cases\n\n| Case | Scenario |\n|---|---|\n| a | `Scenario: leaves` |\n",
    );
    repo.commit("start");
    repo.git(&["checkout", "-q", "-b", "change"]);
    repo.write(
        ".agents/specs/harbor/spec.md",
        root(
            "approved",
            "approval:\n  spec:\n    verdict: approve\n    by: agent\n    why: { floor: none, blast: low, novelty: low, confidence: high, cr: c7 }\n",
        ),
    );
    repo.write(
        ".agents/specs/harbor/ledger/c7.0a1b2c.jsonl",
        "{\"seq\":1,\"kind\":\"gate\",\"cr\":\"c7\",\"gate\":\"spec\",\"verdict\":\"approve\",\"by\":\"agent\",\"frozen\":[\"n/n.feature\"]}\n",
    );
    repo.write(
        ".agents/specs/harbor/n/n.feature",
        FROZEN.replace("a boat", "a ship"),
    );
    repo
}

const JUDGE: &str = "STATUS: complete\nPREFLIGHT: { result: pass }\nLENS: { oracle: pass, builder: pass, architect: pass }\nALIGNED: true\n";

fn reasons(value: &serde_json::Value, act: &str) -> Vec<String> {
    let closed = value["closed"]
        .as_array()
        .unwrap_or_else(|| panic!("{value}"));
    let mine = closed.iter().filter(|row| row["act"] == act);
    mine.map(|row| row["reason"].as_str().expect("a reason").to_owned())
        .collect()
}

#[test]
fn the_gate_names_every_reason_and_never_closes_the_way_back() {
    let repo = narrowed();
    let (exit, value) = run(&repo.top, &["gate"]);
    assert_eq!(exit, 3, "{value}");
    assert_eq!(value["schema"], "countersign/spec-gate/1");
    assert_eq!(value["cr"]["id"], "c7");
    assert_eq!(value["cr"]["from"], "the shard that the change adds");
    assert_eq!(value["leash"]["effective"], "auto-none");
    assert_eq!(value["leash"]["driver"], "floor: Clearance");
    assert_eq!(value["semver"]["class"], "major");
    assert_eq!(
        value["offered"],
        serde_json::json!(["change", "reject", "kick back"])
    );
    let why = reasons(&value, "ratify");
    let begins: Vec<_> = why
        .iter()
        .map(|why| why.split(':').next().expect("a word"))
        .collect();
    assert_eq!(
        begins,
        ["there is no judge report", "Clearance", "Compatibility"]
    );

    // a plan at head is a claim; at the merge base it allows
    let plan = "---\nclearance: pre-authorized\nrun-mode: expected-breaking\n---\n# Ships\n\nBoats become ships.\n";
    repo.write(".agents/plans/c7.plan.md", plan);
    std::fs::write(repo.home().join("judge.md"), JUDGE).expect("written");
    let judge = repo.home().join("judge.md");
    let judge = judge.to_str().expect("UTF-8");
    let (exit, value) = run(&repo.top, &["gate", "--judge", judge]);
    assert_eq!((exit, &value["cr"]["id"]), (3, &"c7".into()));
    let why = reasons(&value, "approve").join("; ");
    assert!(
        why.contains("the plan of the change itself claims it is allowed"),
        "{why}"
    );
    repo.git(&["stash", "-q", "-u"]);
    repo.git(&["checkout", "-q", "main"]);
    repo.write(".agents/plans/c7.plan.md", plan);
    repo.commit("plan");
    repo.git(&["checkout", "-q", "-B", "change"]);
    repo.git(&["checkout", "-q", "stash@{0}", "--", "."]);
    repo.write(
        ".agents/specs/harbor/ledger/c7.0a1b2c.jsonl",
        "{\"seq\":1,\"kind\":\"gate\",\"cr\":\"c7\",\"gate\":\"spec\",\"verdict\":\"approve\",\"by\":\"agent\"}\n",
    );
    let (exit, value) = run(&repo.top, &["gate", "--judge", judge]);
    // allowed, yet a repair that was not seen to fail before is never approved again
    let proof = "1 repair has no proof of failing against what was there before";
    assert_eq!(exit, 3, "{value}");
    assert_eq!(value["leash"]["driver"], format!("confidence: {proof}"));
    assert_eq!(reasons(&value, "approve"), [proof]);

    // structure closes it as well, and is work for the agent
    repo.write(
        ".agents/specs/harbor/n/README.md",
        "---\nspec-type: behavioral\nstatus: draft\n---\n",
    );
    let (exit, value) = run(&repo.top, &["gate", "--judge", judge]);
    assert_eq!(exit, 1);
    assert_eq!(
        reasons(&value, "approve"),
        ["2 violations of structure", proof]
    );
    let (exit, _) = run(&repo.top, &["gate", "--ceiling", "huge"]);
    assert_eq!(exit, 2);
}

#[test]
fn the_digest_has_its_sections_and_decides_nothing() {
    let repo = narrowed();
    repo.write(
        ".agents/plans/c7.plan.md",
        "# Ships\n\nBoats become ships.\n",
    );
    repo.write(
        ".agents/specs/harbor/m/README.md",
        "# M\n## What\nA pier.\n## Design decisions\n### One pier\n### No bridge\n<!-- open: how long? -->\n",
    );
    let (exit, value) = run(&repo.top, &["digest"]);
    assert_eq!(exit, 0);
    assert_eq!(value["schema"], "countersign/spec-digest/1");
    assert_eq!(
        value["cr"],
        serde_json::json!({"id": "c7", "about": "Boats become ships."})
    );
    assert_eq!(value["what"][0]["what"], "The boats of today.");
    assert_eq!(
        value["status"][0]["status"],
        "approved; spec approve by agent"
    );
    assert_eq!(
        value["scenarios"][0]["modified"],
        serde_json::json!(["scenario leaves"])
    );
    assert_eq!(value["scenarios"][1]["count"], 0);
    let texts = |key: &str| -> Vec<String> {
        let rows = value[key].as_array().expect("rows").iter();
        rows.map(|row| row["text"].as_str().expect("text").to_owned())
            .collect()
    };
    assert_eq!(texts("decisions"), ["One pier", "No bridge"]);
    assert_eq!(texts("open"), ["how long?"]);
    assert_eq!(value["flag"], "agent-asserted — ratify or kick back");
    let out = countersign(repo.home())
        .current_dir(&repo.top)
        .args(["spec", "digest"])
        .output()
        .expect("it runs");
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let heads = [
        "CR  c7",
        "What",
        "Status",
        "Scenarios",
        "Key decisions",
        "Open items",
        "agent-asserted",
        "change request",
    ];
    let mut last = 0;
    for head in heads {
        let at = text.lines().position(|line| line.starts_with(head));
        let at = at.unwrap_or_else(|| panic!("{head} in\n{text}"));
        assert!(at >= last, "{head}");
        last = at;
    }
    assert_eq!(
        repo.git(&["status", "--porcelain", "--", ".agents/specs/harbor/n"]),
        " M .agents/specs/harbor/n/n.feature"
    );
}

#[test]
fn anchors_are_places_of_specs_on_both_sides_and_bad_ones_are_named() {
    let repo = narrowed();
    // the whole tree at a place that only the anchors name
    repo.git(&["checkout", "-q", "main"]);
    let anchors = "# opt in\n[specs]\nglobs = [\"docs/<project>/spec\"]\n";
    repo.write(".agents/sdd/spec-anchors.toml", anchors);
    repo.write("docs/ferry/spec/spec.md", "---\nstatus: draft\n---\n# F\n");
    repo.write("docs/ferry/other/spec.md", "---\nstatus: draft\n---\n# F\n");
    let suite =
        "@frozen\nFeature: b\n  Scenario: leaves\n    When it leaves\n    Then it is gone\n";
    repo.write("docs/ferry/spec/n/n.feature", suite);
    repo.write("docs/ferry/spec/n/README.md", "# N\n");
    repo.commit("anchored");
    repo.git(&["checkout", "-q", "-b", "anchored"]);
    let (_, value) = run(&repo.top, &["state"]);
    assert_eq!(value["roots"], 2, "one at its place, one anchored: {value}");
    repo.write(
        "docs/ferry/spec/n/n.feature",
        suite.replace("is gone", "is not gone"),
    );
    // the change takes the anchors away: those of the base still hold
    for anchors in [Some(anchors), None] {
        let file = repo.top.join(".agents/sdd/spec-anchors.toml");
        match anchors {
            Some(text) => std::fs::write(file, text).expect("written"),
            None => std::fs::remove_file(file).expect("gone"),
        }
        let (exit, value) = run(&repo.top, &["edit-class"]);
        assert_eq!(
            (exit, &value["files"][0]["class"]),
            (3, &"narrowing".into())
        );
        let (_, value) = run(&repo.top, &["gate"]);
        assert!(
            value["closed"].to_string().contains("Clearance"),
            "{anchors:?}: {value}"
        );
    }
    for (bad, says) in [
        ("globs = [\"docs/[\"]", "docs/[ is no glob"),
        ("globs = [\"../x\"]", "leads out of the repository"),
        ("globs = [", "it is no TOML"),
    ] {
        repo.write(".agents/sdd/spec-anchors.toml", bad);
        let (exit, value) = run(&repo.top, &["gate"]);
        assert_eq!(exit, 10, "{value}");
        let message = value["message"].to_string();
        assert!(message.contains(says), "{message}");
        let (exit, value) = run(&repo.top, &["state"]);
        assert_eq!(exit, 1, "{value}");
        assert!(value["violations"].to_string().contains(says), "{value}");
    }
}

/// Command, exit code, schema, fields that others rely on.
const ROWS: &[(&str, i32, &str, &str)] = &[
    ("spec state", 0, "spec-state/1", "violations findings"),
    ("spec suite", 0, "spec-suite/1", "violations findings"),
    ("spec refs", 0, "spec-refs/1", "violations findings"),
    (
        "spec edit-class",
        3,
        "spec-edit-class/1",
        "files/0/path files/0/old_path files/0/class files/0/route files/0/scenarios/0/name \
         files/0/scenarios/0/rule files/0/scenarios/0/change files/0/events files/0/reason \
         files/0/hints files/0/confirmed",
    ),
    (
        "spec gate",
        3,
        "spec-gate/1",
        "structural provenance floor/0/name leash/derived leash/ceiling leash/effective \
         leash/driver semver/class blast/level judge/lens offered closed/0/act closed/0/reason",
    ),
    (
        "spec digest",
        0,
        "spec-digest/1",
        "cr/id what status scenarios decisions open flag",
    ),
    (
        "spec queue",
        3,
        "queue/1",
        "items/0/id items/0/repo items/0/change items/0/gate items/0/subject items/0/verdict \
         items/0/why items/0/risk items/0/opens items/0/moved items/0/closed unread",
    ),
];

#[test]
fn each_part_prints_its_document_with_every_field() {
    let repo = asserted(PLAIN, &PLAIN.replace("a boat", "a ship"));
    for (words, exit, schema, fields) in ROWS {
        let out = countersign(repo.home())
            .current_dir(&repo.top)
            .arg("--json")
            .args(words.split(' '))
            .output()
            .expect("it runs");
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        assert_eq!(out.status.code(), Some(*exit), "{words}: {text}");
        let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert!(text.starts_with("{\"schema\":"), "{words}: {text}");
        assert_eq!(value["schema"], format!("countersign/{schema}"), "{words}");
        let missing: Vec<&str> = fields
            .split_whitespace()
            .filter(|field| value.pointer(&format!("/{field}")).is_none())
            .collect();
        assert!(missing.is_empty(), "{words} lacks {missing:?}: {text}");
    }
}
