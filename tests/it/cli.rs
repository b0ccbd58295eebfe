//! The command line as scripts see it: words, exit codes, streams.

mod schema;

use crate::support::{countersign, countersign_as_other_user, is_root};

#[test]
fn help_states_every_exit_code() {
    let home = tempfile::tempdir().expect("a folder");
    let out = countersign(home.path())
        .arg("--help")
        .output()
        .expect("it runs");
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success());
    for code in ["0", "1", "2", "3", "4", "5", "10"] {
        let row = text
            .lines()
            .any(|line| line.split_whitespace().next() == Some(code));
        assert!(row, "no row for {code} in\n{text}");
    }
}

#[test]
fn an_unknown_flag_is_a_usage_error_and_says_so_on_stderr() {
    let home = tempfile::tempdir().expect("a folder");
    let out = countersign(home.path())
        .args(["queue", "--nonsense"])
        .output()
        .expect("it runs");
    assert_eq!(out.status.code(), Some(2));
    assert!(out.stdout.is_empty());
    assert!(String::from_utf8_lossy(&out.stderr).contains("--nonsense"));
}

#[test]
#[cfg_attr(no_setpriv, ignore = "no setpriv")]
fn another_user_can_run_it() {
    let home = tempfile::tempdir().expect("a folder");
    let out = countersign_as_other_user(home.path())
        .arg("--version")
        .output()
        .expect("it runs");
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    if is_root() {
        let id = crate::support::as_other_user("id", home.path())
            .arg("-u")
            .output();
        let id = id.expect("id runs").stdout;
        assert_eq!(
            String::from_utf8_lossy(&id).trim(),
            crate::support::OTHER_UID
        );
    }
}

#[test]
fn doctor_says_what_is_missing_and_what_helps() {
    let home = tempfile::tempdir().expect("a folder");
    let done = countersign(home.path())
        .args(["doctor", "--json"])
        .output()
        .expect("it runs");
    assert_eq!(done.status.code(), Some(1), "there is no terminal");
    let value: serde_json::Value = serde_json::from_slice(&done.stdout).expect("JSON");
    assert_eq!(value["schema"], "countersign/doctor/1");
    let looks = value["looks"].as_array().expect("looks");
    let look = |what: &str| looks.iter().find(|look| look["what"] == what);
    let terminal = look("terminal").expect("the terminal");
    assert_eq!(terminal["fine"], false);
    assert!(
        terminal["hint"]
            .as_str()
            .is_some_and(|h| h.contains("--plain"))
    );
    for what in ["you", "state", "settings", "bash", "isolation", "git"] {
        assert!(look(what).is_some(), "{what}");
    }
}

#[test]
fn plain_without_a_terminal_reads_and_cannot_decide() {
    use std::io::Write as _;
    let home = tempfile::tempdir().expect("a folder");
    let mut child = countersign(home.path())
        .args(["demo", "--plain"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("it runs");
    let mut typed = child.stdin.take().expect("a pipe");
    typed
        .write_all(b"l\nn\nr edit:7\nv\nr\nq\ny\n")
        .expect("it reads");
    drop(typed);
    let done = child.wait_with_output().expect("it ends");
    let out = String::from_utf8_lossy(&done.stdout).into_owned();
    assert_eq!(done.status.code(), Some(5), "{out}");
    assert!(out.contains("this reads and cannot decide"), "{out}");
    assert!(out.contains("r names its item"), "{out}");
    assert!(out.contains("contract edit:7, edited"), "{out}");
    let wide = out
        .lines()
        .filter(|l| !l.starts_with('{') && !l.starts_with('>'));
    for line in wide {
        assert!(unicode_width::UnicodeWidthStr::width(line) <= 79, "{line}");
    }
    let last: serde_json::Value = serde_json::from_str(
        out.lines()
            .last()
            .map(|l| l.trim_start_matches(|c| c != '{'))
            .expect("a line"),
    )
    .expect("JSON");
    assert_eq!(last["decided"], 0);
    assert_eq!(last["exit"], 5);
}

#[test]
fn a_folder_without_a_repository_is_could_not_measure_and_says_what_helps() {
    let home = tempfile::tempdir().expect("a folder");
    let done = countersign(home.path())
        .args(["review", "--plain"])
        .current_dir(home.path())
        .output()
        .expect("it runs");
    let out = String::from_utf8_lossy(&done.stdout).into_owned();
    assert_eq!(done.status.code(), Some(10), "{out}");
    assert!(out.contains("o git repository"), "{out}");
}
