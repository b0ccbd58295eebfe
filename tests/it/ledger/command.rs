//! The command line, as scripts and agents use it.

use std::path::Path;
use std::process::Command;

use countersign::model::text::is_hidden;
use serde_json::Value;

/// A repository in a home of its own.
pub(crate) struct Desk(tempfile::TempDir);

/// What the program said.
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Desk {
    /// A repository with a change on a branch.
    pub(crate) fn new() -> Self {
        let desk = Self(tempfile::tempdir().unwrap());
        let dir = desk.worktree();
        let repository = git2::Repository::init(&dir).unwrap();
        repository.set_head("refs/heads/main").unwrap();
        commit(&repository, &dir, "one");
        let head = repository.head().unwrap().peel_to_commit().unwrap();
        repository.branch("fix/ferry", &head, false).unwrap();
        repository.set_head("refs/heads/fix/ferry").unwrap();
        commit(&repository, &dir, "two");
        desk
    }

    pub(crate) fn home(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn worktree(&self) -> std::path::PathBuf {
        self.0.path().join("ferry")
    }

    pub(crate) fn run(&self, args: &[&str]) -> Said {
        let output = Command::new(env!("CARGO_BIN_EXE_countersign"))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.0.path())
            .env("COUNTERSIGN_HOME", self.0.path().join("home"))
            .current_dir(self.worktree())
            .args(args)
            .output()
            .unwrap();
        Said {
            code: output.status.code().unwrap(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    pub(crate) fn json(&self, args: &[&str]) -> (i32, Value) {
        let args = [&["--json"], args].concat();
        let said = self.run(&args);
        assert!(!said.out.trim_end().contains(is_hidden), "{}", said.out);
        (said.code, serde_json::from_str(&said.out).unwrap())
    }

    pub(crate) fn assert(&self, gate: &str, subject: &str, why: &str) -> Said {
        self.run(&[
            "assert",
            "--gate",
            gate,
            "--subject",
            subject,
            "--verdict",
            "APPROVED",
            "--why",
            why,
        ])
    }

    fn shards(&self) -> Vec<std::path::PathBuf> {
        let mut found = Vec::new();
        for repository in std::fs::read_dir(self.0.path().join("home/state")).unwrap() {
            let folder = repository.unwrap().path().join("ledger");
            found.extend(
                std::fs::read_dir(folder)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
        }
        found
    }
}

fn commit(repository: &git2::Repository, dir: &Path, text: &str) {
    commit_file(repository, dir, "a.txt", text);
}

fn commit_file(repository: &git2::Repository, dir: &Path, name: &str, text: &str) {
    std::fs::write(dir.join(name), text).unwrap();
    let mut index = repository.index().unwrap();
    index.add_path(Path::new(name)).unwrap();
    let tree = repository.find_tree(index.write_tree().unwrap()).unwrap();
    let who = git2::Signature::new("Ada", "ada@example.org", &git2::Time::new(0, 0)).unwrap();
    let parent = repository
        .head()
        .ok()
        .and_then(|head| head.peel_to_commit().ok());
    let parents: Vec<_> = parent.iter().collect();
    repository
        .commit(Some("HEAD"), &who, &who, text, &tree, &parents)
        .unwrap();
}

#[test]
fn an_assertion_waits_in_the_queue_and_is_no_decision() {
    let desk = Desk::new();
    let (code, nothing) = desk.json(&["queue"]);
    assert_eq!((code, nothing["items"].as_array().unwrap().len()), (0, 0));

    let said = desk.assert("verify", "all\u{1b}[31m 8", "they are met");
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.contains("all^[[31m 8"), "{}", said.out);

    let (code, queue) = desk.json(&["queue"]);
    assert_eq!(code, 3);
    assert_eq!(queue["schema"], "countersign/queue/1");
    let item = &queue["items"][0];
    assert_eq!(item["gate"], "verify");
    assert_eq!(item["change"], "fix/ferry");
    assert_eq!(item["moved"], false);
    for key in ["id", "repo", "subject", "verdict", "why", "risk", "opens"] {
        assert!(item[key].is_string(), "{key}: {item}");
    }
    let repository = git2::Repository::open(desk.worktree()).unwrap();
    commit(&repository, &desk.worktree(), "three");
    let (_, queue) = desk.json(&["queue", "--gate", "verify"]);
    assert_eq!(queue["items"][0]["moved"], true);
    assert_eq!(desk.json(&["queue", "--gate", "floor"]).0, 0);

    let (code, log) = desk.json(&["ledger", "log"]);
    assert_eq!((code, log["status"].as_str()), (0, Some("ok")));
    assert_eq!(log["schema"], "countersign/ledger/1");
    let kinds: Vec<_> = log["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| &e["kind"])
        .collect();
    assert_eq!(kinds, ["opened", "assertion"]);
    assert_eq!(log["entries"][1]["by"], "agent");
    assert_eq!(log["entries"][1]["assurance"], Value::Null);
}

#[test]
fn a_refused_assertion_says_everything_that_is_wrong_and_records_nothing() {
    let desk = Desk::new();
    let said = desk.assert("merge", " ", "");
    assert_eq!(said.code, 1);
    for what in ["no gate merge", "subject is empty", "why is empty"] {
        assert!(said.err.contains(what), "{}", said.err);
    }
    let said = desk.assert("spec", "approve", "floor and blast");
    assert_eq!(said.code, 1);
    assert!(said.err.contains("novelty, confidence"), "{}", said.err);
    assert_eq!(
        desk.json(&["ledger", "log"]).1["entries"]
            .as_array()
            .unwrap()
            .len(),
        0
    );
}

#[test]
fn verify_and_show_name_what_was_done_to_the_record() {
    let desk = Desk::new();
    assert_eq!(desk.assert("verify", "all 8", "met").code, 0);
    assert_eq!(desk.run(&["ledger", "verify"]).code, 0);
    let said = desk.run(&["ledger", "show", "2"]);
    assert!(said.out.contains("because   met"), "{}", said.out);
    assert_eq!(desk.run(&["ledger", "show", "zzzz"]).code, 2);
    assert_eq!(desk.run(&["ledger", "replay"]).code, 0);

    let shard = desk.shards().remove(0);
    let whole = std::fs::read_to_string(&shard).unwrap();
    std::fs::write(&shard, format!("{whole}<<<<<<< HEAD\n")).unwrap();
    let said = desk.run(&["ledger", "verify"]);
    assert_eq!(said.code, 1, "{}", said.out);
    assert!(said.out.contains(":3: conflict-marker: "), "{}", said.out);

    std::fs::write(&shard, whole.replace("all 8", "all 9")).unwrap();
    let (code, verify) = desk.json(&["ledger", "verify"]);
    assert_eq!((code, verify["status"].as_str()), (3, Some("tampered")));
    assert_eq!(verify["findings"][0]["code"], "rewritten");
    assert_eq!(verify["findings"][0]["line"], 2);

    std::fs::remove_file(&shard).unwrap();
    std::fs::create_dir(&shard).unwrap();
    assert_eq!(desk.run(&["ledger", "verify"]).code, 10);
}

/// L11: neither clock nor machine stands in a line.
#[test]
fn a_line_holds_nothing_of_this_machine() {
    let desk = Desk::new();
    desk.assert("verify", "all 8", "met");
    let mut text = String::new();
    for shard in desk.shards() {
        text.push_str(&std::fs::read_to_string(shard).unwrap());
    }
    let home = desk.0.path().to_string_lossy().into_owned();
    let host = rustix::system::uname()
        .nodename()
        .to_string_lossy()
        .into_owned();
    for word in [
        home.as_str(),
        host.as_str(),
        "ada@example.org",
        "/tmp",
        "2026-",
    ] {
        assert!(!text.contains(word), "{word}: {text}");
    }
}

#[test]
fn a_state_folder_that_others_may_write_to_is_not_believed() {
    use std::os::unix::fs::PermissionsExt as _;
    let desk = Desk::new();
    let state = desk.0.path().join("home/state");
    std::fs::create_dir_all(&state).unwrap();
    for (mode, code) in [(0o755, 0), (0o775, 10), (0o777, 10)] {
        std::fs::set_permissions(&state, std::fs::Permissions::from_mode(mode)).unwrap();
        let said = desk.run(&["ledger", "log"]);
        assert_eq!(said.code, code, "{mode:o}: {}", said.err);
        assert_eq!(said.err.contains("only you can write"), code == 10);
    }
}

/// L9: a list of the head is never read, one of the base is.
#[test]
fn the_list_of_signers_comes_from_the_base_and_never_from_the_head() {
    let list = ".countersign.signers";
    let signers = |desk: &Desk| {
        let (code, read) = desk.json(&["ledger", "verify"]);
        assert_eq!(code, 0, "{read}");
        read["vouched"]["signers"].clone()
    };
    let desk = Desk::new();
    let repository = git2::Repository::open(desk.worktree()).unwrap();
    commit_file(
        &repository,
        &desk.worktree(),
        list,
        "Ada ssh-ed25519 AAAA\n",
    );
    assert_eq!(signers(&desk), Value::Null);

    let head = repository.head().unwrap().peel_to_commit().unwrap();
    let moved = repository.reference("refs/heads/main", head.id(), true, "");
    drop(moved.unwrap());
    commit(&repository, &desk.worktree(), "three");
    assert_eq!(signers(&desk), ".countersign.signers of the base");

    // What was named and is not there is said, and nothing weaker is taken for it.
    let config = desk.0.path().join("home/config");
    std::fs::create_dir_all(&config).unwrap();
    let text = "allowed-signers = \"/no/such/list\"\n";
    std::fs::write(config.join("config.toml"), text).unwrap();
    let said = desk.run(&["ledger", "verify"]);
    assert!(
        said.out
            .contains("the list of signers in countersign's config: "),
        "{}",
        said.out
    );
    assert_eq!(signers(&desk), Value::Null);
}
