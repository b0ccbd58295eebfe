//! Forges that are asked without a client: Forgejo and Gitea, and GitLab and GitHub when the
//! settings name a token (FRG-1, 2, 5, 7). The forge is on loopback and plays recorded pulls.

use std::process::Command;
use std::sync::Arc;

use serde_json::json;

use super::quay::{Quay, TOKEN, json_of, threads_of};
use super::server::{Answer, Asked, Forge};
use super::world::World;

/// The variable that the settings name.
const VARIABLE: &str = "TIDE_TOKEN";

fn quay(file: &str, kind: &str, head_ref: &'static str) -> Quay {
    let quay = Quay::new(file, head_ref);
    let host = quay.forge.host();
    quay.remote(&host);
    quay.settings(&format!("forges = [\"http://{host} {kind} {VARIABLE}\"]\n"));
    quay
}

pub(super) fn gitea() -> Quay {
    quay("gitea/pull.json", "gitea", "refs/pull/41/head")
}

pub(super) fn command(quay: &Quay, words: &[&str]) -> Command {
    let mut command = quay.command(words);
    command.env(VARIABLE, TOKEN);
    command
}

fn paths(asked: &[Asked]) -> Vec<&str> {
    asked.iter().map(|one| one.path.as_str()).collect()
}

#[test]
fn a_recorded_pull_of_forgejo_and_gitea_is_read_to_its_end() {
    for kind in ["forgejo", "gitea"] {
        let quay = quay("gitea/pull.json", kind, "refs/pull/41/head");
        // an answer stands at the same line in the same review, and the resolver at the first
        let inline = "GET /api/v1/repos/quay/tideboard/pulls/41/reviews/1001/comments";
        quay.tape
            .lock()
            .expect("the tape")
            .edit(inline, |comments| {
                let mut answer = comments[0].clone();
                answer["id"] = json!(2003);
                answer["body"] = json!("Two digits since the last commit.");
                answer["resolver"] = json!(null);
                comments.as_array_mut().expect("a list").push(answer);
            });
        let (exit, found, said) = json_of(&mut command(&quay, &["threads", "41"]));
        assert_eq!(found["complete"], json!(true), "{found:#} {said}");
        assert_eq!(exit, 1, "threads are open");
        let wanted = [
            "2001 lib/height.py:6 fuzzy, resolved true, commits forge, answers 1",
            "2006 lib/height.py:5 exact, resolved false, commits hunk, answers 0",
            "2002 lib/height.py:8 exact, resolved false, commits hunk, answers 0",
            "2004 lib/height.py:6 fuzzy, resolved false, commits line, answers 0",
            "2005 tests/test_height.py:4 exact, resolved false, commits none, answers 0",
            "2008 lib/height.py:6 fuzzy, resolved false, commits line, answers 0",
            "1001 review, resolved null, commits none, answers 0",
            "1003 review, resolved null, commits forge, answers 0",
            "3001 issue, resolved null, commits none, answers 0",
            "3002 issue, resolved null, commits none, answers 0",
            "3003 issue, resolved null, commits none, answers 0",
            "3004 issue, resolved null, commits none, answers 0",
        ];
        assert_eq!(threads_of(&found), wanted, "{said}");
        let asked = quay.forge.asked();
        let request = "/api/v1/repos/quay/tideboard/pulls/41";
        let reviews = |rest: &str| format!("{request}/reviews{rest}");
        let wanted = [
            request.to_owned(),
            reviews("?limit=50&page=1"),
            // the first page is short, and the count in its header says that there is more
            reviews("?limit=50&page=2"),
            reviews("/1001/comments"),
            reviews("/1002/comments"),
            reviews("/1003/comments"),
            reviews("/1005/comments"),
            reviews("/1006/comments"),
            reviews("/1004/comments"),
            "/api/v1/repos/quay/tideboard/issues/41/comments?limit=50&page=1".to_owned(),
            request.to_owned(),
        ];
        assert_eq!(paths(&asked), wanted);
        let token = format!("token {TOKEN}");
        assert!(asked.iter().all(|one| one.method == "GET"
            && one.header("authorization") == token
            && one.header("host") == quay.forge.host()));
    }
}

#[test]
fn gitlab_and_github_are_asked_without_their_clients_when_a_token_is_named() {
    let quay = quay("gitlab/pull.json", "gitlab", "refs/merge-requests/41/head");
    let (_, found, said) = json_of(&mut command(&quay, &["threads", "41"]));
    assert_eq!(found["complete"], json!(true), "{found:#} {said}");
    assert_eq!(threads_of(&found).len(), 12);
    let bearer = format!("Bearer {TOKEN}");
    let asked = quay.forge.asked();
    assert!(
        asked
            .iter()
            .all(|one| one.header("authorization") == bearer)
    );
    assert_eq!(asked.len(), 4, "{:?}", paths(&asked));

    let world = World::new();
    let pull = Arc::clone(&world.pull);
    let forge = Forge::loopback(move |asked| {
        let mut asked = asked.clone();
        asked.path = asked
            .path
            .replace("/api/v3", "")
            .replace("/api/graphql", "/graphql");
        pull.lock().expect("the request").answer(&asked)
    });
    let host = forge.host();
    let config = world.top().join("countersign/config");
    std::fs::create_dir_all(&config).expect("a folder");
    let row = format!("forges = [\"http://{host} github {VARIABLE}\"]\n");
    std::fs::write(config.join("config.toml"), row).expect("a file");
    let git = std::fs::read_to_string(world.top().join(".gitconfig")).expect("a file");
    let git = format!("{git}\tinsteadOf = https://{host}/harbor/ferry.git\n");
    std::fs::write(world.top().join(".gitconfig"), git).expect("a file");
    let page = format!("http://{host}/harbor/ferry/pull/128");
    let mut command = world.command(&["threads", &page]);
    let (exit, found, said) = json_of(command.env(VARIABLE, TOKEN));
    assert_eq!(found["complete"], json!(true), "{found:#} {said}");
    assert_eq!(exit, 1, "a blocker is open");
    let asked = forge.asked();
    assert!(
        asked
            .iter()
            .all(|one| one.header("authorization") == bearer)
    );
    assert!(
        paths(&asked).contains(&"/api/graphql"),
        "{:?}",
        paths(&asked)
    );
    // the client of the other host was not started
    assert!(world.forge.asked().is_empty());
}

#[test]
fn a_token_goes_to_its_host_and_is_nowhere_else() {
    let quay = gitea();
    let mut all = String::new();
    let out = command(&quay, &["threads", "41", "--keep"])
        .output()
        .expect("it runs");
    all += &String::from_utf8_lossy(&[out.stdout, out.stderr].concat());
    // a forge that says it back, with an error
    quay.forge.answers(|asked| {
        let said = asked.header("authorization");
        Answer::new(401, &json!({"message": format!("bad {said}")}).to_string())
    });
    let out = command(&quay, &["threads", "41"])
        .output()
        .expect("it runs");
    assert_eq!(out.status.code(), Some(10));
    all += &String::from_utf8_lossy(&[out.stdout, out.stderr].concat());
    assert!(all.contains("status 401"), "{all}");
    assert!(!all.contains(TOKEN), "{all}");
    assert_eq!(quay.files_with(TOKEN), Vec::<std::path::PathBuf>::new());
    // a redirect is an answer like any other, also one to the same port
    let other = Forge::loopback(|_| Answer::json(&json!({})));
    for to in [other.host(), quay.forge.host()] {
        let to = format!("http://{to}/api/v1/elsewhere");
        quay.forge.asked();
        quay.forge
            .answers(move |_| Answer::new(302, "{}").with("Location", &to));
        let out = command(&quay, &["threads", "41"])
            .output()
            .expect("it runs");
        assert_eq!(out.status.code(), Some(10));
        let said = String::from_utf8_lossy(&out.stderr);
        assert!(said.contains("status 302"), "{said}");
        assert_eq!(quay.forge.asked().len(), 1);
    }
    assert!(other.asked().is_empty());
}

#[test]
fn without_a_token_that_can_be_one_nobody_is_asked() {
    let quay = gitea();
    for (token, wanted) in [
        (None, "$TIDE_TOKEN is to hold the token, and is not set"),
        (Some(""), "$TIDE_TOKEN is to hold the token, and is not set"),
        (Some("two words"), "what $TIDE_TOKEN holds is no token"),
        (Some("a\r\nX-Evil: 1"), "what $TIDE_TOKEN holds is no token"),
    ] {
        let mut command = quay.command(&["threads", "41"]);
        if let Some(token) = token {
            command.env(VARIABLE, token);
        }
        let out = command.output().expect("it runs");
        let said = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(10), "{said}");
        assert!(said.contains(wanted), "{token:?}: {said}");
        assert!(!said.contains("two words"), "{said}");
        assert!(quay.forge.asked().is_empty());
    }
    // a row without a variable asks without one, as anybody may
    let host = quay.forge.host();
    quay.settings(&format!("forges = [\"http://{host} gitea\"]\n"));
    let (_, found, said) = json_of(&mut command(&quay, &["threads", "41"]));
    assert_eq!(found["complete"], json!(true), "{said}");
    let asked = quay.forge.asked();
    assert!(
        asked
            .iter()
            .all(|one| one.header("authorization").is_empty())
    );
    // what is hidden from anybody is not there, and what helps is said
    let mut hidden = command(&quay, &["threads", "quay/other#41"]);
    let said = hidden.output().expect("it runs").stderr;
    let said = String::from_utf8_lossy(&said);
    assert!(
        said.contains("status 404") && said.contains("a token in `forges`"),
        "{said}"
    );
    // and glab, which takes no port, says what helps
    quay.settings(&format!("forges = [\"{host} gitlab\"]\n"));
    let out = command(&quay, &["threads", "41"])
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(said.contains("glab takes no port"), "{said}");
    assert!(
        said.contains(&format!("\"{host} gitlab VARIABLE\"")),
        "{said}"
    );
}

/// What is asked for, the answer there, and whether the request itself can't be had then.
type Row = (&'static str, fn() -> Answer, bool);

#[test]
fn odd_answers_are_incomplete_and_never_a_success() {
    const REQUEST: &str = "/pulls/41";
    const SECOND: &str = "/reviews?limit=50&page=2";
    const INLINE: &str = "/reviews/1002/comments";
    const TALK: &str = "/issues/41/comments?limit=50&page=1";
    let rows: [Row; 14] = [
        (
            SECOND,
            || Answer::new(200, "<html>sign in</html>").with("Content-Type", "text/html"),
            false,
        ),
        (SECOND, || Answer::new(200, "<html>sign in</html>"), false),
        (SECOND, || Answer::new(200, "[{\"id\": 1005, \"bo"), false),
        (
            SECOND,
            || Answer::new(200, "[{\"id\": 1005}]    ").cut(4),
            false,
        ),
        (
            SECOND,
            || Answer::new(200, "[]").with("X-Total-Count", "6"),
            false,
        ),
        (
            SECOND,
            || Answer::new(200, r#"{"message":"an error with status 200"}"#),
            false,
        ),
        (INLINE, || Answer::new(403, r#"{"message":"no"}"#), false),
        (INLINE, || Answer::new(500, ""), false),
        (
            INLINE,
            || Answer::new(429, "{}").with("Retry-After", "1800"),
            false,
        ),
        (
            TALK,
            || Answer::new(200, "[]").with("Link", "<x>; rel=\"next\""),
            false,
        ),
        (TALK, || Answer::new(200, "null"), false),
        (REQUEST, || Answer::new(200, "<html>"), true),
        (REQUEST, || Answer::new(200, r#"{"number": 42}"#), true),
        (
            REQUEST,
            || Answer::new(404, r#"{"message":"not here"}"#),
            true,
        ),
    ];
    for (at, (path, answer, gone)) in rows.into_iter().enumerate() {
        let quay = gitea();
        let tape = Arc::clone(&quay.tape);
        quay.forge.answers(move |asked| {
            if asked.path.ends_with(path) {
                answer()
            } else {
                tape.lock().expect("the tape").answer(asked)
            }
        });
        let (exit, found, said) = json_of(&mut command(&quay, &["threads", "41"]));
        assert_eq!(exit, 10, "{at}: {found:#} {said}");
        if gone {
            assert_eq!(found["schema"], "countersign/error/1", "{at}: {found:#}");
        } else {
            assert_eq!(found["complete"], json!(false), "{at}: {found:#} {said}");
        }
        assert!(quay.forge.asked().len() < 20, "{at}");
    }
}

#[test]
fn a_request_without_a_review_has_no_list_to_miss() {
    let quay = gitea();
    let tape = Arc::clone(&quay.tape);
    quay.forge.answers(move |asked| {
        if asked.path.contains("/reviews") || asked.path.contains("/issues") {
            Answer::new(200, "[]").with("X-Total-Count", "0")
        } else {
            tape.lock().expect("the tape").answer(asked)
        }
    });
    let (exit, found, said) = json_of(&mut command(&quay, &["threads", "41"]));
    assert_eq!(found["complete"], json!(true), "{found:#} {said}");
    assert_eq!(exit, 0);
}

#[test]
#[cfg_attr(no_openssl, ignore = "openssl is missing")]
fn a_certificate_that_this_machine_does_not_trust_is_refused() {
    let quay = gitea();
    let top = quay.top();
    let openssl = |words: &[&str]| {
        let out = Command::new("openssl")
            .args(words)
            .current_dir(&top)
            .output();
        assert!(out.expect("it runs").status.success(), "{words:?}");
    };
    openssl(&[
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-keyout",
        "key.pem",
        "-out",
        "cert.pem",
        "-days",
        "30",
        "-subj",
        "/CN=quay",
        "-addext",
        "subjectAltName=IP:127.0.0.1",
        "-addext",
        "basicConstraints=critical,CA:FALSE",
    ]);
    let folder = top.join("api/v1/repos/quay/tideboard/pulls");
    std::fs::create_dir_all(&folder).expect("a folder");
    let answer =
        "HTTP/1.0 418 Kettle\r\nContent-Type: application/json\r\n\r\n{\"message\":\"tea\"}";
    std::fs::write(folder.join("41"), answer).expect("a file");
    let mut server = Command::new("openssl")
        .args([
            "s_server",
            "-accept",
            "127.0.0.1:0",
            "-cert",
            "cert.pem",
            "-key",
            "key.pem",
            "-HTTP",
        ])
        .current_dir(&top)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("it starts");
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(
        server.stdout.take().expect("its words"),
    ));
    let port = lines.find_map(|line| line.ok()?.strip_prefix("ACCEPT ").map(str::to_owned));
    let host = port.expect("where it listens");
    quay.settings(&format!("forges = [\"{host} gitea {VARIABLE}\"]\n"));
    quay.remote(&host);
    let out = command(&quay, &["threads", "41"])
        .output()
        .expect("it runs");
    let untrusted = String::from_utf8_lossy(&out.stderr).into_owned();
    let mut trusting = command(&quay, &["threads", "41"]);
    let out = trusting.env("SSL_CERT_FILE", top.join("cert.pem")).output();
    let trusted = String::from_utf8_lossy(&out.expect("it runs").stderr).into_owned();
    let _ = server.kill();
    let _ = server.wait();
    assert!(untrusted.contains("could not be reached"), "{untrusted}");
    assert!(untrusted.contains("certificate"), "{untrusted}");
    assert!(trusted.contains("status 418 when"), "{trusted}");
}
