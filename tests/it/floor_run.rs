//! `trust show` on a terminal and `floor run`, as a person without special rights meets them.

use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use serde_json::Value;

use crate::support::{OTHER_UID, countersign_as_other_user, hand_over, is_root};

pub(crate) struct Desk {
    pub(crate) home: tempfile::TempDir,
}

/// A worktree on branch `feat` whose head holds `contract`; `main` lies below it.
pub(crate) fn desk(contract: &str) -> Desk {
    desk_with(contract, &[])
}

/// The same with more files in the tree.
pub(crate) fn desk_with(contract: &str, files: &[(&str, &str)]) -> Desk {
    let home = tempfile::tempdir().expect("a folder");
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o755)).expect("open");
    let work = home.path().join("work");
    let repository = git2::Repository::init(&work).expect("a repository");
    fs::write(work.join("contract.md"), contract).expect("written");
    let who = git2::Signature::now("Ada", "ada@example.com").expect("a signature");
    let empty = repository
        .treebuilder(None)
        .expect("a tree")
        .write()
        .expect("a tree");
    let empty = repository.find_tree(empty).expect("a tree");
    let base = repository
        .commit(Some("refs/heads/main"), &who, &who, "base", &empty, &[])
        .expect("a commit");
    let mut index = repository.index().expect("an index");
    index.add_path(Path::new("contract.md")).expect("added");
    for (name, text) in files {
        fs::write(work.join(name), text).expect("written");
        index.add_path(Path::new(name)).expect("added");
    }
    index.write().expect("written");
    let tree = repository
        .find_tree(index.write_tree().expect("a tree"))
        .expect("a tree");
    let base = repository.find_commit(base).expect("a commit");
    repository
        .commit(Some("refs/heads/feat"), &who, &who, "feat", &tree, &[&base])
        .expect("a commit");
    repository.set_head("refs/heads/feat").expect("a head");
    let desk = Desk { home };
    desk.command("trust", &["list"]);
    hand_over(desk.home.path());
    desk
}

impl Desk {
    pub(crate) fn work(&self) -> PathBuf {
        self.home.path().join("work")
    }

    /// Commits everything that stands in the worktree.
    fn commit(&self, what: &str) {
        let git = ["-c", "safe.directory=*", "-c", "core.hooksPath=/dev/null"];
        for words in [&["add", "-A"][..], &["commit", "-q", "-m", what]] {
            let words: Vec<&str> = git.iter().chain(words).copied().collect();
            drop(crate::git::repo::run(&self.work(), &words));
        }
        hand_over(self.home.path());
    }

    pub(crate) fn contract(&self) -> String {
        String::from_utf8_lossy(&fs::read(self.work().join("contract.md")).expect("read"))
            .into_owned()
    }

    pub(crate) fn command(&self, command: &str, arguments: &[&str]) -> Output {
        countersign_as_other_user(self.home.path())
            .current_dir(self.work())
            .arg(command)
            .args(arguments)
            .output()
            .expect("it runs")
    }

    pub(crate) fn floor_run(&self, flags: &[&str]) -> (i32, Value) {
        let mut arguments = vec!["run", "contract.md", "--json"];
        arguments.extend(flags);
        let out = self.command("floor", &arguments);
        let text = String::from_utf8_lossy(&out.stdout);
        let json = serde_json::from_str(&text)
            .unwrap_or_else(|_| panic!("{text}{}", String::from_utf8_lossy(&out.stderr)));
        (out.status.code().unwrap_or(-1), json)
    }

    /// Runs `trust show` on a terminal of its own and types these lines, each when it is asked.
    pub(crate) fn type_into_trust(&self, lines: &[&str]) -> String {
        self.type_into_trust_with(&[], lines)
    }

    pub(crate) fn type_into_trust_with(&self, flags: &[&str], lines: &[&str]) -> String {
        let pair = native_pty_system()
            .openpty(PtySize {
                rows: 60,
                cols: 120,
                pixel_width: 0,
                pixel_height: 0,
            })
            .expect("a terminal");
        let program = self.home.path().join("countersign-under-test");
        let mut command = if is_root() {
            let mut command = CommandBuilder::new("setpriv");
            command.args([
                "--reuid",
                OTHER_UID,
                "--regid",
                OTHER_UID,
                "--clear-groups",
                "--",
            ]);
            command.arg(&program);
            command
        } else {
            CommandBuilder::new(&program)
        };
        command.args(["trust", "show", "contract.md"]);
        command.args(flags);
        command.env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.home.path());
        command.env("COUNTERSIGN_HOME", self.home.path().join("countersign"));
        command.cwd(self.work());
        let mut child = pair.slave.spawn_command(command).expect("it runs");
        drop(pair.slave);
        let seen = Arc::new(Mutex::new(String::new()));
        let mut reader = pair.master.try_clone_reader().expect("a reader");
        let collected = Arc::clone(&seen);
        let thread = std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                let text = String::from_utf8_lossy(&buffer[..count]).into_owned();
                collected.lock().expect("no panic").push_str(&text);
            }
        });
        let mut writer = pair.master.take_writer().expect("a writer");
        let end = Instant::now() + Duration::from_secs(30);
        for (number, line) in lines.iter().enumerate() {
            loop {
                let asked = seen
                    .lock()
                    .expect("no panic")
                    .matches(" to leave: ")
                    .count();
                if asked > number {
                    break;
                }
                assert!(
                    Instant::now() < end,
                    "never asked: {}",
                    seen.lock().expect("no panic")
                );
                std::thread::sleep(Duration::from_millis(5));
            }
            writeln!(writer, "{line}").expect("typed");
        }
        child.wait().expect("it ends");
        drop(writer);
        drop(pair.master);
        thread.join().expect("no panic");
        let seen = seen.lock().expect("no panic");
        seen.clone()
    }
}

pub(crate) fn contract(oracles: &[(&str, &str)]) -> String {
    let mut text = String::from(
        "# CONTRACT — one\n- date: 2026-10-12 | flow: feat | branch: feat\n- status: active\n\n\
         ## REQUEST (verbatim — IMMUTABLE)\nDo it.\n\n## CLARIFICATIONS\nnone — request complete\n\n\
         ## ACCEPTANCE CRITERIA\n",
    );
    for (number, (check, expect)) in oracles.iter().enumerate() {
        text.push_str(&format!(
            "{}. It holds\n   CHECK: {check}\n   EXPECT: {expect}\n   EVIDENCE: pending\n",
            number + 1
        ));
    }
    text.push_str("\n## FILE SCOPE\n- repo-wide — all of it\n");
    text
}

pub(crate) fn evidence(contract: &str) -> Vec<String> {
    let slots = contract
        .lines()
        .filter_map(|l| l.trim_start().strip_prefix("EVIDENCE: "));
    slots.map(str::to_owned).collect()
}

#[test]
fn nothing_runs_before_a_person_typed_the_words_for_it() {
    let desk = desk(&contract(&[(
        "touch \"$TMPDIR/../tree/fired\"; echo all-ok",
        "all-ok",
    )]));
    let fired = || {
        let all = walk(&desk.home.path().join("countersign"));
        all.iter().any(|path| path.ends_with("fired"))
    };
    // No pipe, flag, variable or file of the repository grants anything.
    fs::create_dir_all(desk.work().join(".countersign/trust")).expect("made");
    fs::write(desk.work().join(".countersign/trust/approvals.jsonl"), "{}").expect("written");
    assert_eq!(desk.floor_run(&[]).0, 3);
    let piped = desk.command("trust", &["show", "contract.md"]);
    assert_eq!(piped.status.code(), Some(3));
    assert_eq!(
        desk.command("floor", &["run", "contract.md", "--yes"])
            .status
            .code(),
        Some(2)
    );
    for wrong in ["", "t", "y", "trust", "trust 2", "trust 1 "] {
        desk.type_into_trust(&[wrong]);
        assert_eq!(desk.floor_run(&[]).0, 3, "{wrong:?}");
    }
    assert!(!fired());
    // The positive control: the same sentinel fires once the words were typed.
    let seen = desk.type_into_trust(&["trust 1"]);
    assert!(seen.contains("trusted as"), "{seen}");
    desk.floor_run(&["--no-write"]);
    assert!(fired(), "{seen}");
}

pub(crate) fn walk(folder: &Path) -> Vec<PathBuf> {
    let mut out = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            out.extend(walk(&path));
        }
        out.push(path);
    }
    out
}

#[test]
fn what_nobody_approved_is_said_and_one_error_stops_everything() {
    let desk = desk(&contract(&[
        ("echo all-ok", "all-ok"),
        ("echo two-ok", "two-ok"),
    ]));
    desk.type_into_trust(&["trust 1", "q"]);
    let (code, json) = desk.floor_run(&[]);
    assert_eq!(code, 1);
    assert_eq!(json["criteria"][0]["state"], "MET");
    assert_eq!(json["criteria"][1]["state"], "PENDING");
    assert_eq!(json["criteria"][1]["not_run"], "not approved");
    let before = desk.contract() + "9. Half an oracle\n   CHECK: echo x\n";
    let broken = before.replace(
        "\n## FILE SCOPE",
        "\n3. Half\n   CHECK: echo x\n\n## FILE SCOPE",
    );
    fs::write(desk.work().join("contract.md"), &broken).expect("written");
    let out = desk.command("floor", &["run", "contract.md"]);
    assert_eq!(out.status.code(), Some(2));
    assert_eq!(desk.contract(), broken, "nothing was written");
}

#[test]
fn a_recorded_run_says_its_limit_its_place_its_shell_and_its_wall() {
    let desk = desk(&contract(&[("echo all-ok", "all-ok")]));
    drop(desk.type_into_trust(&["trust 1"]));
    let (code, ran) = desk.floor_run(&["--no-write"]);
    assert_eq!(code, 0, "{ran}");
    let said = desk.command("floor", &["status", "contract.md", "--json"]);
    let status: Value = serde_json::from_slice(&said.stdout).expect("JSON");
    let [now, then] = [&ran, &status].map(|out| &out["criteria"][0]["run"]);
    for key in ["limit_ms", "place", "shell", "isolation"] {
        assert!(!then[key].is_null(), "{key}: {then}");
        assert_eq!(now[key], then[key], "{key}");
    }
    let shell = then["shell"].as_str().expect("a path");
    assert!(shell.starts_with('/') && shell.ends_with("bash"), "{shell}");
}

#[test]
fn a_commit_of_the_evidence_and_nothing_else_keeps_the_runs() {
    let desk = desk(&contract(&[("echo all-ok", "all-ok")]));
    drop(desk.type_into_trust(&["trust 1"]));
    assert_eq!(desk.floor_run(&[]).0, 0);
    let status = || {
        let said = desk.command("floor", &["status", "contract.md", "--json"]);
        let json: Value = serde_json::from_slice(&said.stdout).expect("JSON");
        let state = json["criteria"][0]["state"].as_str().map(str::to_owned);
        let kept = json["record"]["kept"][0]["code"].clone();
        (said.status.code(), state.unwrap_or_default(), kept)
    };
    let recorded = || "MET-RECORDED".to_owned();
    assert_eq!(status(), (Some(0), recorded(), Value::Null));
    desk.commit("evidence");
    assert_eq!(status(), (Some(0), recorded(), "evidence-only".into()));
    let said = desk.command("floor", &["status", "contract.md"]);
    let text = String::from_utf8_lossy(&said.stdout);
    assert!(
        text.contains("evidence only: the contract's slots and nothing else"),
        "{text}"
    );
    fs::write(desk.work().join("more.txt"), "more\n").expect("written");
    desk.commit("one file more");
    assert_eq!(status(), (Some(1), "PENDING".to_owned(), Value::Null));
}

#[test]
fn at_a_new_head_one_key_renews_an_approval_while_what_it_runs_is_the_same() {
    let text = contract(&[("sh one.sh", "all-ok")]);
    let script = ("one.sh", "echo all-ok\n");
    let desk = desk_with(&text, &[script, ("other.txt", "other\n")]);
    drop(desk.type_into_trust(&["trust 1"]));
    assert_eq!(desk.floor_run(&["--no-write"]).0, 0);
    fs::write(desk.work().join("other.txt"), "another\n").expect("written");
    desk.commit("a file that the command does not name");
    // approved for that tree, and for no other
    assert_eq!(desk.floor_run(&["--no-write"]).0, 3);
    let said = desk.type_into_trust(&["t"]);
    assert!(said.contains("none of the files above differs"), "{said}");
    assert!(said.contains("one.sh"), "the list is shown: {said}");
    assert_eq!(desk.floor_run(&["--no-write"]).0, 0);
    fs::write(desk.work().join("one.sh"), "echo all-ok # x\n").expect("written");
    desk.commit("the script itself");
    let said = desk.type_into_trust(&["t"]);
    assert!(said.contains("1 of the files above differ"), "{said}");
    assert!(said.contains("not trusted"), "{said}");
    assert_eq!(desk.floor_run(&["--no-write"]).0, 3);
    drop(desk.type_into_trust(&["trust 1"]));
    assert_eq!(desk.floor_run(&["--no-write"]).0, 0);
}

#[test]
fn line_ends_and_every_other_byte_stay() {
    let text = contract(&[("echo all-ok", "all-ok")]).replace('\n', "\r\n");
    let text = text.trim_end().to_owned();
    let desk = desk(&text);
    desk.type_into_trust(&["trust 1"]);
    assert_eq!(desk.floor_run(&[]).0, 0);
    let wanted = text.replace(
        "EVIDENCE: pending",
        "EVIDENCE: MET exit=0 marker-found :: all-ok",
    );
    assert_eq!(desk.contract(), wanted);
    // The approval outlives the evidence that the run wrote.
    assert_eq!(desk.floor_run(&[]).0, 0);
}

#[test]
fn evidence_that_cannot_be_written_is_loud() {
    let desk = desk(&contract(&[("echo all-ok", "all-ok")]));
    desk.type_into_trust(&["trust 1"]);
    let path = desk.work().join("contract.md");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).expect("set");
    let (code, json) = desk.floor_run(&[]);
    assert_eq!(code, 1);
    assert!(
        json["written"]["failure"].is_string(),
        "{}",
        json["written"]
    );
    assert_eq!(desk.floor_run(&["--no-write"]).0, 0);
}

#[test]
fn a_contract_that_another_one_supersedes_does_not_run() {
    let old = "# CONTRACT — old\n\n- status: active\n\n## ACCEPTANCE CRITERIA\n\n1. It holds.\n   CHECK: true\n   EXPECT: ok\n   EVIDENCE: pending\n";
    let new = old
        .replace("old", "new")
        .replace("- status", "- supersedes: `tasks/contract.md`\n- status");
    let desk = desk_with(old, &[("newer.md", &new)]);
    let (code, json) = desk.floor_run(&[]);
    assert_eq!(
        (code, &json["code"]),
        (2, &"contract-superseded".into()),
        "{json}"
    );
    let says = json["message"].as_str().expect("a message");
    assert!(says.contains("newer.md says `supersedes:`"), "{says}");
    let other = new.replace("contract.md", "another.md");
    let desk = desk_with(old, &[("newer.md", &other)]);
    assert_eq!(desk.floor_run(&[]).1["code"], Value::Null);
}
