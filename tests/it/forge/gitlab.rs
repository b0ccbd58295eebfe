//! GitLab through the real `glab`: a recorded pull on loopback.

use std::sync::Arc;

use serde_json::json;

use super::quay::{Quay, TOKEN, json_of, threads_of};
use super::server::Answer;

/// A forge that `glab` finds by its settings, as it finds a GitLab of one's own.
pub(super) fn quay() -> Quay {
    let quay = Quay::new("gitlab/pull.json", "refs/merge-requests/41/head");
    quay.remote("forge.example");
    quay.settings("forges = [\"forge.example gitlab\"]\n");
    let folder = quay.top().join("glab");
    std::fs::create_dir(&folder).expect("a folder");
    let file = folder.join("config.yml");
    let text = format!(
        "hosts:\n    forge.example:\n        api_protocol: http\n        api_host: {}\n",
        quay.forge.host()
    );
    std::fs::write(&file, text).expect("a file");
    use std::os::unix::fs::PermissionsExt as _;
    let mode = std::fs::Permissions::from_mode(0o600);
    std::fs::set_permissions(&file, mode).expect("its mode");
    quay
}

pub(super) fn command(quay: &Quay, words: &[&str]) -> std::process::Command {
    let mut command = quay.command(words);
    command
        .env("GLAB_CONFIG_DIR", quay.top().join("glab"))
        .env("GITLAB_TOKEN", TOKEN);
    command
}

#[test]
#[cfg_attr(no_glab, ignore = "glab is missing")]
fn a_recorded_pull_is_read_to_its_end() {
    let quay = quay();
    let (exit, found, said) = json_of(&mut command(&quay, &["threads", "41"]));
    assert_eq!(found["complete"], json!(true), "{found:#} {said}");
    assert_eq!(exit, 1, "threads are open");
    // two pages; answers, a resolution, and lines that changed since the comment was written
    let wanted = [
        "2001 lib/height.py:6 fuzzy, resolved true, commits forge, answers 2",
        "2002 lib/height.py:8 exact, resolved false, commits hunk, answers 0",
        "2004 lib/height.py:6 fuzzy, resolved false, commits line, answers 0",
        "2006 lib/height.py:5 exact, resolved false, commits hunk, answers 0",
        "2005 tests/test_height.py:4 exact, resolved false, commits none, answers 0",
        "2012 lib/old_height.py:3 exact, resolved false, commits none, answers 0",
        "2013 tools/lint.cfg:1 exact, resolved true, commits forge, answers 0",
        "2014 docs/board.png:null exact, resolved false, commits none, answers 0",
        "2008 issue, resolved false, commits none, answers 0",
        "3001 issue, resolved null, commits none, answers 0",
        "3002 issue, resolved null, commits none, answers 0",
        "3003 issue, resolved null, commits none, answers 0",
    ];
    assert_eq!(threads_of(&found), wanted);
    let asked = quay.forge.asked();
    let paths: Vec<&str> = asked.iter().map(|one| one.path.as_str()).collect();
    let request = "/api/v4/projects/quay%2Ftideboard/merge_requests/41";
    let page = |number| format!("{request}/discussions?per_page=100&page={number}");
    assert_eq!(paths, [request, &page(1), &page(2), request]);
    assert!(asked.iter().all(|one| one.method == "GET"));
    // the token is glab's and stands in its header alone
    assert!(asked.iter().all(|one| one.header("private-token") == TOKEN));
    assert!(!found.to_string().contains(TOKEN) && !said.contains(TOKEN));
    assert_eq!(quay.files_with(TOKEN), Vec::<std::path::PathBuf>::new());
}

#[test]
#[cfg_attr(no_glab, ignore = "glab is missing")]
fn odd_answers_are_incomplete_and_never_a_success() {
    let second = "discussions?per_page=100&page=2";
    let answers: [fn() -> Answer; 5] = [
        || Answer::new(200, "<html>sign in</html>").with("Content-Type", "text/html"),
        || Answer::new(200, r#"[{"id": "x", "no"#),
        || Answer::new(403, r#"{"message":"403 Forbidden"}"#),
        || Answer::new(200, "[]").with("X-Next-Page", "3"),
        || Answer::new(429, "{}").with("Retry-After", "1800"),
    ];
    for (at, answer) in answers.into_iter().enumerate() {
        let quay = quay();
        let tape = Arc::clone(&quay.tape);
        quay.forge.answers(move |asked| {
            if asked.path.ends_with(second) {
                answer()
            } else {
                tape.lock().expect("the tape").answer(asked)
            }
        });
        let (exit, found, said) = json_of(&mut command(&quay, &["threads", "41"]));
        assert_eq!(found["complete"], json!(false), "{at}: {found:#} {said}");
        assert_eq!(exit, 10, "{at}");
    }
}
