//! What an attacker tried against the program alone and got through, each mended: every case here
//! was seen to succeed once. `tests/corpus/hostile/attempts.md` lists these and what held.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use crate::corpus::obeyed;
use crate::git::repo::Repo;
use crate::support::{countersign_as_other_user, hand_over};

/// Whoever hangs is ended and fails.
const DEADLINE: Duration = Duration::from_secs(20);

const CONTRACT: &str = "# Tide\n\n## Acceptance criteria\n\n- [ ] 1: It is shown\n  CHECK: \
                        true\n- [ ] 2: It is fine\n";

fn reviewed() -> Repo {
    let repo = Repo::with_change();
    repo.write("GATES.md", CONTRACT);
    repo.commit("work");
    repo
}

fn command(repo: &Repo, words: &[&str]) -> Command {
    hand_over(repo.home());
    let mut command = countersign_as_other_user(repo.home());
    command
        .args(words)
        .env("COUNTERSIGN_HOME", repo.home().join("own"))
        .current_dir(&repo.top);
    command
}

/// What it says to these lines, within the deadline.
fn says(mut command: Command, lines: &[u8]) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    let (pid, lines) = (child.id(), lines.to_vec());
    let writer = std::thread::spawn(move || {
        let _ = std::io::Write::write_all(&mut stdin, &lines);
    });
    let (ended, waits) = std::sync::mpsc::channel::<()>();
    let keeper = std::thread::spawn(move || {
        if waits.recv_timeout(DEADLINE).is_err() {
            let pid = rustix::process::Pid::from_raw(pid.cast_signed()).expect("a process");
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
    });
    let done = child.wait_with_output().expect("it ends");
    let _ = ended.send(());
    keeper.join().expect("kept");
    writer.join().expect("written");
    done
}

fn text(done: &Output) -> String {
    let all = [done.stdout.as_slice(), &done.stderr].concat();
    String::from_utf8_lossy(&all).into_owned()
}

fn fifo(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status();
    assert!(made.expect("mkfifo").success());
}

/// A name that holds a line end began a line of the comment, and that line was a marker.
#[test]
fn no_name_begins_a_line_of_its_own_or_reaches_the_terminal_raw() {
    let repo = reviewed();
    let names = [
        "a\u{1b}]0;OWNED\u{7}b",
        "x\n/verify-gate round=9 verdict=APPROVED",
        "\u{202e}rtl",
        "c1\u{9b}2J",
        "tag\u{e0061}",
    ];
    for name in names {
        repo.write(name, "x\n");
    }
    repo.commit("names");
    let mut typed = String::from("l\n");
    for name in names {
        // typed or pasted, they come back in what is said of them
        for line in name.lines() {
            typed.push_str(&format!("d {line}\n{line}\nzz{line}\n"));
        }
    }
    typed.push_str("v\nq\n");
    for words in [
        &["verify"][..],
        &["verify", "--format", "comment"],
        &["verify", "--format", "yaml"],
        &["review", "--plain"],
        &["queue"],
        &["contract", "diff", "GATES.md"],
        &["nothing\u{1b}]0;x\u{7}", "--at-all"],
    ] {
        let done = says(command(&repo, words), typed.as_bytes());
        let text = text(&done);
        assert_eq!(obeyed(text.as_bytes()), [] as [String; 0], "{words:?}");
        let marker = |line: &str| line.trim_start().starts_with("/verify-gate");
        if words[0] == "verify" {
            assert!(!text.lines().any(marker), "{words:?}: {text}");
            assert!(text.contains("OWNED"), "the names are there: {text}");
        }
    }
}

/// A report whose heading is a sequence for the terminal was quoted as it stood.
#[test]
fn what_a_report_is_told_quotes_nothing_raw() {
    let repo = reviewed();
    let heading = "\u{1b}]52;c;QUJD\u{7}\u{9b}2J";
    repo.write("report.md", format!("## {heading}\n\na\n\nb\n"));
    let done = says(command(&repo, &["report", "lint", "report.md"]), b"");
    assert_eq!(obeyed(text(&done).as_bytes()), [] as [String; 0]);
    let json = says(
        command(&repo, &["--json", "report", "lint", "report.md"]),
        b"",
    );
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).expect("a document");
    let raw = json.to_string();
    assert!(
        !raw.contains("\\u001b]52") || !raw.contains("is more than one"),
        "{raw}"
    );
}

/// One line of so many values was walked anew for each of them.
#[test]
fn a_line_of_many_values_is_read_once() {
    let repo = reviewed();
    let values = vec!["{\"id\":\"x\"}"; 30_000].join(",");
    repo.write("judge.json", format!("{{\"threads\":[{values}]}}"));
    let done = says(
        command(&repo, &["spec", "gate", "--judge", "judge.json"]),
        b"",
    );
    assert_eq!(done.status.code(), Some(1), "{}", text(&done));
}

/// Thirteen small trees that stand for a million million files.
#[test]
fn trees_that_name_each_other_end_in_a_sentence() {
    let repo = reviewed();
    let mktree = |rows: &str| {
        let list = repo.home().join("rows");
        std::fs::write(&list, rows).expect("written");
        let script = format!("git mktree < '{}'", list.display());
        let made = Command::new("sh")
            .args(["-c", &script])
            .current_dir(&repo.top)
            .output()
            .expect("git runs");
        let tree = String::from_utf8_lossy(&made.stdout).trim().to_owned();
        assert_eq!(tree.len(), 40, "{}", String::from_utf8_lossy(&made.stderr));
        tree
    };
    let blob = repo.git(&["rev-parse", "HEAD:GATES.md"]);
    let blob = blob.trim();
    let mut tree = mktree(&format!("100644 blob {blob}\tf\n"));
    for _ in 0..12 {
        let rows: String = (b'a'..=b'j')
            .map(|name| format!("040000 tree {tree}\t{}\n", char::from(name)))
            .collect();
        tree = mktree(&rows);
    }
    let top = mktree(&format!(
        "100644 blob {blob}\tGATES.md\n040000 tree {tree}\tx\n"
    ));
    let commit = repo.git(&["commit-tree", &top, "-p", "HEAD", "-m", "bomb"]);
    repo.git(&["reset", "--soft", commit.trim()]);
    let done = says(command(&repo, &["verify"]), b"");
    assert_eq!(done.status.code(), Some(10), "{}", text(&done));
}

/// A variable that a `.envrc` of the change sets would have let the change bring its approvals.
#[test]
fn no_record_is_kept_inside_of_what_is_reviewed() {
    let repo = reviewed();
    for home in [
        repo.top.join("own"),
        "own".into(),
        repo.top.join(".git/own"),
    ] {
        for words in [
            &["review", "--plain"][..],
            &["trust", "show", "GATES.md"],
            &["ledger", "verify"],
            &[
                "assert",
                "--gate",
                "verify",
                "--subject",
                "1",
                "--verdict",
                "MET",
                "--why",
                "x",
            ],
        ] {
            let mut command = command(&repo, words);
            command.env("COUNTERSIGN_HOME", &home);
            let done = says(command, b"q\n");
            assert_eq!(done.status.code(), Some(10), "{words:?}: {}", text(&done));
            assert!(text(&done).contains("inside of what is reviewed"));
            assert!(!repo.top.join("own").exists(), "{words:?}");
        }
    }
    let mut apart = command(&repo, &["review", "--plain"]);
    apart.env("COUNTERSIGN_HOME", repo.home().join("apart"));
    assert_eq!(says(apart, b"q\n").status.code(), Some(5));
}

type Ruin = fn(&Path);

/// Files of our own that are none any more: nobody waits for a FIFO or reads a device to its end.
#[test]
fn nothing_in_the_place_of_our_own_files_holds_anything_up() {
    let ruins: [(&str, Ruin); 4] = [
        ("a fifo", |path| fifo(path)),
        ("endless", |path| {
            symlink("/dev/zero", path).expect("a link");
        }),
        ("a folder", |path| {
            std::fs::create_dir(path).expect("a folder");
        }),
        ("huge", |path| {
            let file = std::fs::File::create(path).expect("a file");
            file.set_len(6 << 30).expect("a hole");
        }),
    ];
    for (name, ruin) in ruins {
        for file in ["config/config.toml", "state/who"] {
            let repo = reviewed();
            let path = repo.home().join("own").join(file);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            ruin(&path);
            let done = says(command(&repo, &["review", "--plain"]), b"q\n");
            let wanted = if file == "state/who" { 5 } else { 10 };
            let said = text(&done);
            assert_eq!(done.status.code(), Some(wanted), "{file} {name}: {said}");
        }
    }
}

/// A link whose words are another address: the words and the address stand side by side, as they
/// were written (FRG-12).
#[test]
fn a_link_of_a_comment_shows_where_it_leads() {
    let repo = reviewed();
    let body = "see [https://forge.example/o/r](https://evil.example/x) <javascript:alert(1)>";
    let threads = serde_json::json!({
        "schema": "countersign/threads/1", "complete": true,
        "threads": [{"id": "1", "author": "bob", "body": body, "state": "open", "replies": []}],
    });
    repo.write("threads.json", threads.to_string());
    let words = ["review", "--plain", "--threads", "threads.json"];
    let said = text(&says(command(&repo, &words), b"l\nq\n"));
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains(body), "{said}");
}
