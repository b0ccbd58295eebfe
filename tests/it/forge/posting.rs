//! From the open pull request to the posted comment, on a terminal (FRG-9).

use serde_json::json;

use super::server::Answer;
use super::world::World;
use crate::pty::Terminal;

/// Opens the request and signs REROLL; the screen is gone then and the question stands there.
fn signs(world: &World, words: &[&str]) -> Terminal {
    world.person();
    let head = world.pull.lock().expect("the request").head.clone();
    let mut terminal = Terminal::start(&world.command(words), 160, 45);
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
