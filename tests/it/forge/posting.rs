//! From the open pull request to the posted comment, on a terminal (FRG-9).

use std::process::Command;

use serde_json::json;

use super::quay::Quay;
use super::server::{Answer, Asked};
use super::world::World;
use crate::pty::Terminal;

/// Opens the request and signs REROLL; the screen is gone then and the question stands there.
fn signs(world: &World, words: &[&str]) -> Terminal {
    world.person();
    let head = world.pull.lock().expect("the request").head.clone();
    signs_with(&world.command(words), &head)
}

fn signs_with(command: &Command, head: &str) -> Terminal {
    let mut terminal = Terminal::start(command, 160, 45);
    terminal.shows("opened at");
    terminal.press_until("S", "Sign off, 1 of 2");
    // the class, then the attack
    terminal.keys("1");
    terminal.keys("west sinks");
    terminal.shows("west sinks");
    terminal.press_until("\u{13}", "Sign off, 2 of 2");
    for typed in 1..=6 {
        let typed = head.get(..typed).expect("six digits");
        let (_, key) = typed.split_at(typed.len() - 1);
        terminal.keys(key);
        terminal.shows(&format!("head  {typed}▏"));
    }
    terminal.keys("\r");
    let signed = |text: &str| text.contains("recorded") && !text.contains("Sign off, 2 of 2");
    drop(terminal.until("the ruling", |seen| signed(&seen.text())));
    terminal.press_until("q", "type post and Enter");
    terminal
}

#[test]
#[cfg_attr(no_gh, ignore = "gh is missing")]
fn a_ruling_is_posted_once_by_a_typed_word_and_recorded() {
    let world = World::new();
    let mut terminal = signs(&world, &["review", "128"]);
    terminal.shows("would be posted to https://github.com/harbor/ferry/pull/128");
    terminal.shows("/verify-gate round=1 verdict=REROLL");
    terminal.shows("countersign ruling=");
    let before = world.pull.lock().expect("the request").comments.len();
    terminal.keys("post\n");
    terminal.shows("recorded as entry");
    assert_eq!(terminal.ends(), 1);
    let comments = world.pull.lock().expect("the request").comments.clone();
    assert_eq!(comments.len(), before + 1);
    let body = comments[before]["body"].as_str().expect("a body");
    let head = world.pull.lock().expect("the request").head.clone();
    assert!(
        body.starts_with("/verify-gate round=1 verdict=REROLL\n"),
        "{body}"
    );
    assert!(body.contains(&format!("Ruled tip SHA: {head}")), "{body}");
    assert!(world.worktrees().is_empty(), "the worktree is gone");
    // a second time it is found and not sent again
    let mut terminal = Terminal::start(&world.command(&["post", "128"]), 160, 45);
    terminal.shows("type post and Enter");
    terminal.keys("post\n");
    terminal.shows("it stands there already: https://github.com/harbor/ferry/pull/128");
    assert_eq!(terminal.ends(), 0);
    assert_eq!(
        world.pull.lock().expect("the request").comments.len(),
        before + 1
    );
    let ledger = world.ledger();
    let posted: Vec<&String> = ledger
        .iter()
        .filter(|line| line.contains("\"kind\":\"posted\""))
        .collect();
    assert_eq!(posted.len(), 1, "{ledger:#?}");
    assert!(posted[0].contains(&head), "{posted:?}");
}

#[test]
#[cfg_attr(no_gh, ignore = "gh is missing")]
fn a_head_that_moved_or_a_refusal_posts_nothing_and_the_ruling_stands() {
    let world = World::new();
    let mut terminal = signs(&world, &["review", "128"]);
    let old = world.pull.lock().expect("the request").head.clone();
    world.pull.lock().expect("the request").head = "a".repeat(40);
    terminal.keys("post\n");
    terminal.shows("not posted: the forge's head is aaaaaaaaaaaa");
    assert_eq!(terminal.ends(), 1);
    world.pull.lock().expect("the request").head = old;
    let pull = std::sync::Arc::clone(&world.pull);
    world.forge.answers(move |asked| {
        if asked.method == "POST" && asked.path != "/graphql" {
            Answer::new(403, r#"{"message":"Resource not accessible"}"#)
        } else {
            pull.lock().expect("the request").answer(asked)
        }
    });
    let mut terminal = Terminal::start(&world.command(&["post", "128"]), 160, 45);
    terminal.shows("type post and Enter");
    terminal.keys("post\n");
    terminal.shows("status 403: Resource not accessible; the ruling stands");
    assert_eq!(terminal.ends(), 10);
    assert_eq!(world.pull.lock().expect("the request").comments.len(), 1);
    let ledger = world.ledger();
    let of = |kind: &str| {
        let kind = format!("\"kind\":\"{kind}\"");
        ledger.iter().filter(|line| line.contains(&kind)).count()
    };
    assert_eq!((of("ruling"), of("posted")), (1, 0));
    // a second round after a forced push: nobody ruled on that head yet
    world.push(&[("boats.txt", "east\nnorth\n")]);
    let mut terminal = Terminal::start(&world.command(&["post", "128"]), 160, 45);
    terminal.shows("nobody ruled on this head");
    assert_eq!(terminal.ends(), 5);
}

#[test]
#[cfg_attr(no_gh, ignore = "gh is missing")]
fn without_a_word_or_a_terminal_nothing_is_sent() {
    let world = World::new();
    let mut terminal = signs(&world, &["review", "128"]);
    world.forge.asked();
    terminal.keys("\n");
    terminal.shows("nothing was posted");
    assert_eq!(terminal.ends(), 1);
    assert!(world.forge.asked().is_empty());
    let (exit, said) = world.json(&["post", "128"]);
    assert_eq!((exit, &said["code"]), (2, &json!("no-terminal")));
    assert_eq!(world.pull.lock().expect("the request").comments.len(), 1);
}

#[test]
#[cfg_attr(no_gh, ignore = "gh is missing")]
fn a_ruling_is_posted_as_a_review_with_comments_at_lines() {
    let world = World::new();
    let mut terminal = signs(&world, &["review", "128"]);
    terminal.shows("as a review it has 1 comment beside it:");
    terminal.shows("| at boats.txt:2");
    terminal.shows("| the comment here: unresolved");
    world.forge.asked();
    terminal.keys("review\n");
    terminal.shows("recorded as entry");
    assert_eq!(terminal.ends(), 1);
    let head = world.pull.lock().expect("the request").head.clone();
    let asked = world.forge.asked();
    let sent: Vec<_> = asked.iter().filter(|one| one.method == "POST").collect();
    assert_eq!(sent.len(), 1);
    assert_eq!(sent[0].path, "/repos/harbor/ferry/pulls/128/reviews");
    let review = &sent[0].body;
    assert_eq!(review["commit_id"], json!(head));
    assert_eq!(review["event"], json!("COMMENT"));
    let body = review["body"].as_str().expect("a body");
    assert!(
        body.starts_with("/verify-gate round=1 verdict=REROLL\n"),
        "{body}"
    );
    let beside = json!([{"path": "boats.txt", "line": 2, "side": "RIGHT",
        "body": "the comment here: unresolved"}]);
    assert_eq!(review["comments"], beside);
    // once in one form, it is not posted in the other
    let mut terminal = Terminal::start(&world.command(&["post", "128"]), 160, 45);
    terminal.shows("type post and Enter");
    terminal.keys("post\n");
    terminal.shows("it stands there already: https://github.com/harbor/ferry/pull/128#review-");
    assert_eq!(terminal.ends(), 0);
    assert_eq!(world.pull.lock().expect("the request").comments.len(), 1);
}

#[test]
#[cfg_attr(no_gh, ignore = "gh is missing")]
fn a_session_in_lines_ends_with_the_same_question() {
    let world = World::new();
    world.person();
    let head = world.pull.lock().expect("the request").head.clone();
    let command = world.command(&["review", "128", "--plain"]);
    let mut terminal = Terminal::start(&command, 160, 45);
    let challenge = head.get(..6).expect("six digits");
    let answers = [
        ("\n>", "S"),
        ("class>", "1"),
        ("ends it.\ntext>", "west sinks"),
        ("west sinks\ntext>", "."),
        ("characters of the head>", challenge),
    ];
    for (prompt, answer) in answers {
        let waits = |text: &str| text.trim_end().ends_with(prompt);
        drop(terminal.until(prompt, |seen| waits(&seen.text())));
        terminal.keys(&format!("{answer}\n"));
    }
    terminal.shows("review and Enter");
    terminal.keys("review\n");
    terminal.shows("recorded as entry");
    assert_eq!(terminal.ends(), 1);
    let pull = world.pull.lock().expect("the request");
    assert_eq!((pull.comments.len(), pull.reviews.len()), (1, 2));
}

/// Ends the sitting of a quay with a typed word, and gives back what was sent.
fn ends_with(command: &Command, quay: &Quay, word: &str, says: &str, exit: u32) -> Vec<Asked> {
    let mut terminal = Terminal::start(command, 160, 45);
    terminal.shows("type post and Enter");
    quay.forge.asked();
    terminal.keys(&format!("{word}\n"));
    terminal.shows(says);
    assert_eq!(terminal.ends(), exit);
    let asked = quay.forge.asked();
    asked
        .into_iter()
        .filter(|one| one.method == "POST")
        .collect()
}

#[test]
fn a_review_goes_whole_to_gitea_and_once() {
    let quay = super::direct::gitea();
    quay.person();
    let head = quay.tape.lock().expect("the tape").commits["c3"].clone();
    let command = |words: &[&str]| super::direct::command(&quay, words);
    let mut terminal = signs_with(&command(&["review", "41"]), &head);
    terminal.shows("review and Enter");
    terminal.keys("\n");
    terminal.shows("nothing was posted");
    terminal.ends();
    let sent = ends_with(
        &command(&["post", "41"]),
        &quay,
        "review",
        "posted: http://",
        0,
    );
    let review = &sent[0].body;
    let path = "/api/v1/repos/quay/tideboard/pulls/41/reviews";
    assert_eq!((sent.len(), sent[0].path.as_str()), (1, path));
    assert_eq!(review["commit_id"], json!(head));
    let beside = json!([{"path": "tests/test_height.py", "new_position": 4,
        "body": "the comment here: unresolved"}]);
    assert_eq!(review["comments"], beside);
    let again = ends_with(
        &command(&["post", "41"]),
        &quay,
        "review",
        "it stands there already",
        0,
    );
    assert!(again.is_empty());
}

#[test]
#[cfg_attr(no_glab, ignore = "glab is missing")]
fn on_gitlab_what_stands_there_is_not_sent_a_second_time() {
    let quay = super::gitlab::quay();
    quay.person();
    let head = quay.tape.lock().expect("the tape").commits["c3"].clone();
    let command = |words: &[&str]| super::gitlab::command(&quay, words);
    let mut terminal = signs_with(&command(&["review", "41"]), &head);
    terminal.shows("review and Enter");
    terminal.keys("\n");
    terminal.shows("nothing was posted");
    terminal.ends();
    // the second thing that is sent is refused
    let tape = std::sync::Arc::clone(&quay.tape);
    let left = std::sync::atomic::AtomicUsize::new(1);
    quay.forge.answers(move |asked| {
        use std::sync::atomic::Ordering::Relaxed;
        let stop = |left: usize| left.checked_sub(1);
        if asked.method == "POST" && left.fetch_update(Relaxed, Relaxed, stop).is_err() {
            Answer::new(400, r#"{"message":{"base":["no such line"]}}"#)
        } else {
            tape.lock().expect("the tape").answer(asked)
        }
    });
    let post = ["post", "41"];
    let sent = ends_with(
        &command(&post),
        &quay,
        "review",
        "1 of 2 comments stand there",
        10,
    );
    assert_eq!(sent.len(), 2);
    let position = &sent[0].body["position"];
    let tape = quay.tape.lock().expect("the tape");
    let (base, head) = (&tape.commits["d4"], &tape.commits["c3"]);
    let wanted = json!({"position_type": "text", "base_sha": base, "start_sha": base,
        "head_sha": head, "old_path": "tests/test_height.py",
        "new_path": "tests/test_height.py", "old_line": null, "new_line": 4});
    assert_eq!(position, &wanted);
    drop(tape);
    let tape = std::sync::Arc::clone(&quay.tape);
    quay.forge
        .answers(move |asked| tape.lock().expect("the tape").answer(asked));
    let sent = ends_with(&command(&post), &quay, "review", "recorded as entry", 0);
    assert_eq!(sent.len(), 1);
    let body = sent[0].body["body"].as_str().expect("a body");
    assert!(body.starts_with("/verify-gate round=2 verdict="), "{body}");
    let again = ends_with(
        &command(&post),
        &quay,
        "review",
        "it stands there already",
        0,
    );
    assert!(again.is_empty());
}
