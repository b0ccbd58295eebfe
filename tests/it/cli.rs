//! The command line as scripts see it: words, exit codes, streams.

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
