//! Result commits in real repositories: admitted, missed, stopped; nothing of them is run.

use std::path::Path;

use crate::git::repo;
use crate::wave::command::Run;

const MESSAGE: &str = "loop: row 1 STATUS\n\npending: 1 | gatekeep | HEAD\niteration: 3\n\n\
    | 1 | STATUS | 2 | pytest tests/test_a.py; 1 passed |\n\nrow 1 STATUS | kept the boat | SLOT\n";

/// A repository with one commit, and books that wait for the result of row 1.
struct Wave {
    run: Run,
    head: String,
}

impl Wave {
    fn new() -> Self {
        let run = Run::new();
        let top = run.at("repo");
        std::fs::create_dir(&top).expect("a folder");
        repo::run(&top, &["init", "-q", "-b", "work"]);
        std::fs::write(top.join("a.txt"), "one\n").expect("a file");
        std::fs::write(top.join("run.sh"), "#!/bin/sh\n").expect("a file");
        repo::run(&top, &["add", "-A"]);
        repo::run(&top, &["commit", "-q", "-m", "start"]);
        let head = repo::run(&top, &["rev-parse", "HEAD"]);
        run.spec(&["P1: a.txt is short; tests/test_a.py", "P2: b"]);
        let wave = Self { run, head };
        wave.books();
        wave
    }

    fn books(&self) {
        let head = format!(
            "iterations: 3\nallowance: 4\npending: 1 | gatekeep | {}",
            self.head
        );
        let rows = ["failed | 1 | attempt 1: no commit", "open | 0 |"];
        self.run.ledger(&head, &rows, &[]);
    }

    fn top(&self) -> std::path::PathBuf {
        self.run.at("repo")
    }

    fn git(&self, args: &[&str]) -> String {
        repo::run(&self.top(), args)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.top().join(name), text).expect("a file");
    }

    fn message(&self, status: &str, slot: &str) -> String {
        MESSAGE
            .replace("STATUS", status)
            .replace("HEAD", &self.head)
            .replace("SLOT", slot)
    }

    /// Commits everything with this message.
    fn commit(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&[
            "commit",
            "-q",
            "--allow-empty",
            "--cleanup=verbatim",
            "-m",
            message,
        ]);
    }

    fn admit(&self) -> (Option<i32>, serde_json::Value) {
        self.run.json(&[
            "-C",
            "repo",
            "admit",
            "../r-ledger.md",
            "--row",
            "1",
            "--head-before",
            &self.head,
            "--scoped",
            "pytest <paths>",
        ])
    }

    fn says(&self) -> String {
        let (exit, value) = self.admit();
        let reason = value["reason"].as_str().unwrap_or("-").to_owned();
        format!(
            "{} {} {} {reason}",
            exit.unwrap_or(-1),
            value["result"].as_str().unwrap_or("null"),
            value["charge"]
        )
    }
}

#[test]
fn a_result_is_admitted_with_what_the_ledger_has_to_say() {
    let wave = Wave::new();
    wave.write("a.txt", "one\ntwo\n");
    wave.write("b.txt", "by the way\n");
    wave.commit(&wave.message("done", "the test names it"));
    let (exit, value) = wave.admit();
    assert_eq!(exit, Some(0), "{value}");
    assert_eq!(value["result"], "admit");
    assert_eq!(value["charge"], 1);
    assert_eq!(
        value["write"]["rows"][0],
        "| 1 | done | 2 | pytest tests/test_a.py; 1 passed |"
    );
    assert_eq!(
        value["write"]["decisions"][0],
        "row 1 done | kept the boat | the test names it"
    );
    assert_eq!(value["changed"].as_array().map(Vec::len), Some(2));
    assert_eq!(
        value["unnamed"][0]["path"], "b.txt",
        "what no finding names is shown: {value}"
    );
    let ledger = std::fs::read_to_string(wave.run.at("r-ledger.md")).expect("a ledger");
    assert!(ledger.contains("pending: 1"), "nothing is written");
}

#[test]
fn each_way_to_end_a_dispatch_is_told_apart() {
    type Step = fn(&Wave);
    let rows: [(&str, Step, &str); 14] = [
        ("nothing", |_| {}, "1 miss 0 no commit was added"),
        (
            "failed, ordinary",
            |w| {
                w.write("a.txt", "two\n");
                w.commit(&w.message("failed", "it is red"));
            },
            "0 admit 1 -",
        ),
        (
            "failed, needs",
            |w| {
                w.write("a.txt", "two\n");
                w.commit(&w.message("failed", "needs a token"));
            },
            "0 admit 0 -",
        ),
        (
            "an empty commit",
            |w| w.commit(&w.message("done", "x")),
            "1 miss 0 the commit changes no tracked file",
        ),
        (
            "a mode alone",
            |w| {
                w.git(&["update-index", "--chmod=+x", "run.sh"]);
                w.git(&["commit", "-q", "-m", &w.message("done", "x")]);
                w.git(&["checkout", "-q", "--", "."]);
            },
            "0 admit 1 -",
        ),
        (
            "another message",
            |w| {
                w.write("a.txt", "two\n");
                w.commit("fix: keep the boat");
            },
            "1 miss 0 the subject reads fix: keep the boat, not loop: row 1 done or failed; no body \
             stands below the subject and a blank line",
        ),
        (
            "two commits",
            |w| {
                w.write("a.txt", "two\n");
                w.commit("wip");
                w.write("a.txt", "three\n");
                w.commit(&w.message("done", "x"));
            },
            "3 stop-round 0 2 commits were added, not one",
        ),
        (
            "residue, changed and untracked",
            |w| {
                w.write("a.txt", "two\n");
                w.commit(&w.message("done", "x"));
                w.write("a.txt", "three\n");
                w.write("left.txt", "x");
            },
            "3 stop-round 0 residue is left: a.txt, left.txt",
        ),
        (
            "residue without a commit",
            |w| w.write("a.txt", "three\n"),
            "3 stop-round 0 residue is left: a.txt",
        ),
        (
            "an amended start",
            |w| {
                w.write("a.txt", "two\n");
                w.git(&["add", "-A"]);
                w.git(&["commit", "-q", "--amend", "-m", &w.message("done", "x")]);
            },
            "3 stop-round 0 the head does not descend from SHORT: the history was rewritten",
        ),
        (
            "a merge that brings its commits",
            |w| {
                w.git(&["checkout", "-q", "-b", "side"]);
                w.write("b.txt", "x\n");
                w.commit("side");
                w.git(&["checkout", "-q", "work"]);
                w.git(&[
                    "merge",
                    "-q",
                    "--no-ff",
                    "-m",
                    &w.message("done", "x"),
                    "side",
                ]);
            },
            "3 stop-round 0 2 commits were added, not one",
        ),
        (
            "a merge of what was there",
            |w| {
                w.write("a.txt", "two\n");
                w.git(&["add", "-A"]);
                let tree = w.git(&["write-tree"]);
                let new = w.git(&[
                    "commit-tree",
                    &tree,
                    "-p",
                    &w.head,
                    "-p",
                    &w.head,
                    "-m",
                    &w.message("done", "x"),
                ]);
                // git takes a parent once; a second one of the same name is dropped
                w.git(&["reset", "-q", "--hard", &new]);
            },
            "0 admit 1 -",
        ),
        (
            "an ignored file is no residue",
            |w| {
                w.write(".gitignore", "out\n");
                w.write("out", "x");
                w.commit(&w.message("done", "x"));
            },
            "0 admit 1 -",
        ),
        (
            "a trailer below the decisions",
            |w| {
                w.write("a.txt", "two\n");
                w.commit(&format!(
                    "{}\nSigned-off-by: worker\n",
                    w.message("done", "x")
                ));
            },
            "1 miss 0 something stands below the decisions",
        ),
    ];
    for (name, step, wanted) in rows {
        let wave = Wave::new();
        step(&wave);
        let wanted = wanted.replace("SHORT", &wave.head[..7]);
        assert_eq!(wave.says(), wanted, "{name}");
    }
}

#[test]
fn a_history_that_went_back_stops_the_round() {
    let mut wave = Wave::new();
    wave.write("a.txt", "two\n");
    wave.commit("second");
    wave.head = wave.git(&["rev-parse", "HEAD"]);
    wave.books();
    wave.git(&["reset", "-q", "--hard", "HEAD~1"]);
    assert!(wave.says().starts_with("3 stop-round"), "{}", wave.says());
}

#[test]
fn a_merge_without_new_commits_is_a_miss() {
    let mut wave = Wave::new();
    let first = wave.head.clone();
    wave.write("a.txt", "two\n");
    wave.commit("second");
    wave.head = wave.git(&["rev-parse", "HEAD"]);
    wave.books();
    wave.write("a.txt", "three\n");
    wave.git(&["add", "-A"]);
    let tree = wave.git(&["write-tree"]);
    let message = wave.message("done", "x");
    let new = wave.git(&[
        "commit-tree",
        &tree,
        "-p",
        &wave.head,
        "-p",
        &first,
        "-m",
        &message,
    ]);
    wave.git(&["reset", "-q", "--hard", &new]);
    assert_eq!(wave.says(), "1 miss 0 the commit has 2 parents, not one");
}

#[test]
fn books_inside_the_worktree_must_not_be_committed() {
    let wave = Wave::new();
    let inside = wave.top().join("r-ledger.md");
    std::fs::copy(wave.run.at("r-ledger.md"), &inside).expect("a copy");
    wave.commit(&wave.message("done", "x"));
    let (exit, value) = wave.run.json(&[
        "-C",
        "repo",
        "admit",
        "r-ledger.md",
        "--row",
        "1",
        "--head-before",
        &wave.head,
        "--scoped",
        "pytest <paths>",
    ]);
    assert_eq!(exit, Some(1), "{value}");
    assert_eq!(
        value["reason"],
        "the commit holds r-ledger.md, which is never committed"
    );
}

#[test]
fn what_the_ledger_does_not_wait_for_is_a_usage_error() {
    let wave = Wave::new();
    let other = "3".repeat(40);
    let rows = [
        ("2", wave.head.as_str(), "not-waiting"),
        ("1", &other, "not-waiting"),
        ("1", "HEAD", "bad-head"),
    ];
    for (row, head, code) in rows {
        let (exit, value) = wave.run.json(&[
            "-C",
            "repo",
            "admit",
            "../r-ledger.md",
            "--row",
            row,
            "--head-before",
            head,
        ]);
        assert_eq!((exit, &value["code"]), (Some(2), &code.into()), "{value}");
    }
}

#[test]
fn what_cannot_be_looked_at_is_neither_admitted_nor_missed() {
    let mut wave = Wave::new();
    wave.head = "4".repeat(40);
    wave.books();
    let (exit, value) = wave.admit();
    assert_eq!(exit, Some(10), "{value}");
    assert_eq!(value["code"], "not-looked");
    let wave = Wave::new();
    wave.write("a.txt", "two\n");
    wave.commit(
        &wave
            .message("done", "x")
            .replace("pytest tests/test_a.py", "./check --only a"),
    );
    let (exit, value) = wave.run.json(&[
        "-C",
        "repo",
        "admit",
        "../r-ledger.md",
        "--row",
        "1",
        "--head-before",
        &wave.head,
        "--scoped",
        "./check <paths>",
    ]);
    assert_eq!(
        (exit, &value["result"]),
        (Some(10), &serde_json::Value::Null),
        "{value}"
    );
}

#[test]
fn nothing_of_the_repository_is_run() {
    let wave = Wave::new();
    let fired = wave.run.at("fired");
    let trap = format!("#!/bin/sh\ntouch {}\n", fired.display());
    let script = wave.run.write("trap.sh", &trap);
    let make = |path: &Path| {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("a mode");
    };
    make(&script);
    wave.write("a.txt", "two\n");
    wave.write(".gitattributes", "* filter=trap diff=trap merge=trap\n");
    wave.commit(&wave.message("done", "x"));
    let program = script.display().to_string();
    for key in [
        "core.fsmonitor",
        "diff.external",
        "filter.trap.clean",
        "filter.trap.smudge",
        "filter.trap.process",
        "diff.trap.command",
        "diff.trap.textconv",
        "core.pager",
        "gpg.program",
    ] {
        wave.git(&["config", key, &program]);
    }
    for hook in ["post-index-change", "reference-transaction"] {
        let hook = wave.top().join(".git/hooks").join(hook);
        std::fs::copy(&script, &hook).expect("a hook");
        make(&hook);
    }
    let _ = std::fs::remove_file(&fired);
    // a touched file makes whoever compares it read it again, through its filter
    std::fs::write(wave.top().join("a.txt"), "two\n").expect("a file");
    let says = wave.says();
    assert!(says.starts_with("0 admit 1"), "{says}");
    assert!(!fired.exists(), "a program of the repository ran");
    // the control: git itself fires the trap on the same repository
    let _ = repo::git(&wave.top())
        .args(["status", "--porcelain"])
        .output();
    assert!(fired.exists(), "the trap works");
}
