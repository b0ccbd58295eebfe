//! What is asked, what comes of odd answers, and what is laid out (FRG-1, 2, 5, 7, 11).

use serde_json::{Value, json};

use super::server::Answer;
use super::world::{TOKEN, World};
use crate::git::repo::run;

/// A path, the answer there, and whether the request itself can't be had then.
type Row = (&'static str, fn() -> Answer, bool);

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
#[cfg_attr(no_gh, ignore = "gh is missing")]
fn a_request_is_read_to_its_end_at_both_levels() {
    let world = World::new();
    let (exit, found) = world.json(&["threads", "128"]);
    assert_eq!(found["complete"], json!(true), "{found:#}");
    assert_eq!(exit, 1, "a blocker is open");
    let threads = found["threads"].as_array().expect("threads");
    let inline: Vec<&Value> = threads
        .iter()
        .filter(|thread| thread["channel"] == "inline")
        .collect();
    assert_eq!(inline.len(), 3, "{found:#}");
    let replies = |at: usize| inline[at]["replies"].as_array().map_or(0, Vec::len);
    assert_eq!((replies(0), replies(1)), (2, 0));
    // asked one after another, by us alone: no address of an answer was followed
    let asked = world.forge.asked();
    assert!(
        asked
            .iter()
            .all(|one| one.header("host") == "api.github.com")
    );
    assert!(
        asked
            .iter()
            .all(|one| one.header("authorization") == format!("token {TOKEN}"))
    );
    let writes = |path: &str| path != "/graphql";
    assert!(
        !asked
            .iter()
            .any(|one| one.method == "POST" && writes(&one.path))
    );
}

#[test]
#[cfg_attr(no_gh, ignore = "gh is missing")]
fn every_way_of_naming_a_request_finds_it_and_a_folder_asks_nobody() {
    let world = World::new();
    let page = "https://github.com/harbor/ferry/pull/128/files";
    for target in ["128", "#128", "harbor/ferry#128", page] {
        let (_, found) = world.json(&["threads", target]);
        assert_eq!(found["threads"][0]["id"], "T_1", "{target}: {found:#}");
        assert!(!world.forge.asked().is_empty(), "{target}");
    }
    // outside of any clone the address is enough
    let out = world
        .command_in(&world.top(), &["threads", page])
        .output()
        .expect("it runs");
    assert_eq!(out.status.code(), Some(1), "{}", text(&out.stderr));
    let out = world
        .command_in(&world.top(), &["threads", "128"])
        .output()
        .expect("it runs");
    assert_eq!(out.status.code(), Some(2), "{}", text(&out.stderr));
    world.forge.asked();
    for folder in [".", "./128"] {
        world.run(&["verify", folder]);
        assert!(world.forge.asked().is_empty(), "{folder}");
    }
    let out = world.run(&["threads", "."]);
    assert_eq!(out.status.code(), Some(2), "{}", text(&out.stderr));
}

#[test]
#[cfg_attr(no_gh, ignore = "gh is missing")]
fn the_worktree_is_ours_and_goes_and_the_clone_stays_as_it_was() {
    let world = World::new();
    let before = clone_state(&world);
    let (_, found) = world.json(&["verify", "128"]);
    let head = world.pull.lock().expect("the request").head.clone();
    assert_eq!(found["snapshot"]["head"], json!(head), "{found:#}");
    assert_eq!(found["pr"], json!(128), "{found:#}");
    assert!(world.worktrees().is_empty());
    let (_, kept) = world.json(&["verify", "128", "--keep"]);
    assert_eq!(kept["snapshot"]["head"], json!(head));
    let trees = world.worktrees();
    assert_eq!(trees.len(), 1);
    let tree = trees[0].join("tree");
    let boats = std::fs::read_to_string(tree.join("boats.txt")).expect("a file");
    assert_eq!(boats, "east\nwest\n");
    // git itself takes it for a clean worktree on the request's own branch
    assert_eq!(run(&tree, &["status", "--porcelain"]), "");
    assert_eq!(run(&tree, &["rev-parse", "HEAD"]), head);
    assert_eq!(run(&tree, &["branch", "--show-current"]), "pull/128");
    // a kept one is nobody's to remove; the next sitting has its own
    world.json(&["verify", "128"]);
    assert_eq!(world.worktrees(), trees);
    assert_eq!(clone_state(&world), before);
}

fn clone_state(world: &World) -> String {
    let clone = world.clone_dir();
    let refs = run(&clone, &["for-each-ref"]);
    let objects = run(&clone, &["count-objects", "-v"]);
    let config = std::fs::read_to_string(clone.join(".git/config")).expect("a file");
    format!("{refs}\n{objects}\n{config}")
}

#[test]
#[cfg_attr(no_gh, ignore = "gh is missing")]
fn a_forced_push_is_fetched_and_its_old_head_stays_readable() {
    let world = World::new();
    let first = world.json(&["verify", "128"]).1["snapshot"]["head"].clone();
    let second = world.push(&[("boats.txt", "east\nnorth\n")]);
    let (_, found) = world.json(&["verify", "128", "--keep"]);
    assert_eq!(found["snapshot"]["head"], json!(second));
    let tree = world.worktrees()[0].join("tree");
    let old = first.as_str().expect("a head");
    assert_eq!(run(&tree, &["cat-file", "-t", old]), "commit");
}

#[test]
#[cfg_attr(no_gh, ignore = "gh is missing")]
fn offline_asks_nobody_and_says_how_old_it_is() {
    let world = World::new();
    let out = world.run(&["threads", "128", "--offline"]);
    assert_eq!(out.status.code(), Some(10), "{}", text(&out.stderr));
    assert!(text(&out.stderr).contains("never asked for"));
    world.json(&["threads", "128"]);
    world.forge.asked();
    let out = world.run(&["threads", "128", "--offline"]);
    assert_eq!(out.status.code(), Some(1), "{}", text(&out.stderr));
    let said = text(&out.stderr);
    assert!(
        said.contains("offline: harbor/ferry#128 as github.com said just now"),
        "{said}"
    );
    assert!(world.forge.asked().is_empty());
    // what was kept is readable by its owner alone
    use std::os::unix::fs::PermissionsExt as _;
    let folder = world.top().join("countersign/cache/forge");
    let mode = std::fs::metadata(folder)
        .expect("a folder")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
#[cfg_attr(no_gh, ignore = "gh is missing")]
fn odd_answers_are_incomplete_and_never_a_success() {
    let html = || Answer::new(200, "<html>sign in</html>").with("Content-Type", "text/html");
    let cut = || Answer::new(200, r#"[{"id": 1, "bo"#);
    let errors = || Answer::new(200, r#"{"data":null,"errors":[{"message":"no"}]}"#);
    let refused = || Answer::new(403, r#"{"message":"Resource not accessible"}"#);
    let rows: [Row; 9] = [
        ("/graphql", errors, false),
        ("/graphql", html, false),
        ("/graphql", refused, false),
        ("/repos/harbor/ferry/issues/128/comments", html, false),
        ("/repos/harbor/ferry/issues/128/comments", cut, false),
        ("/repos/harbor/ferry/pulls/128/reviews", refused, false),
        ("/repos/harbor/ferry/pulls/128", html, true),
        ("/repos/harbor/ferry/pulls/128", cut, true),
        ("/repos/harbor/ferry/pulls/128", refused, true),
    ];
    let world = World::new();
    for (at, answer, gone) in rows {
        let pull = std::sync::Arc::clone(&world.pull);
        world.forge.answers(move |asked| {
            if asked.path.split('?').next() == Some(at) {
                answer()
            } else {
                pull.lock().expect("the request").answer(asked)
            }
        });
        let (exit, found) = world.json(&["threads", "128"]);
        assert_eq!(exit, 10, "{at}: {found:#}");
        if gone {
            assert_eq!(found["schema"], "countersign/error/1", "{at}: {found:#}");
        } else {
            assert_eq!(found["complete"], json!(false), "{at}: {found:#}");
        }
    }
}

#[test]
#[cfg_attr(no_gh, ignore = "gh is missing")]
fn a_forge_that_goes_in_circles_or_moves_is_left() {
    let world = World::new();
    let pull = std::sync::Arc::clone(&world.pull);
    world.forge.answers(move |asked| {
        let answer = pull.lock().expect("the request").answer(asked);
        if asked
            .path
            .starts_with("/repos/harbor/ferry/issues/128/comments")
        {
            answer.with("Link", "<x>; rel=\"next\"")
        } else {
            answer
        }
    });
    let (exit, found) = world.json(&["threads", "128"]);
    assert_eq!(exit, 10, "{found:#}");
    let asked = world.forge.asked();
    let circles = asked
        .iter()
        .filter(|one| one.path.contains("/issues/128/comments"))
        .count();
    assert!(circles <= 4, "{circles} questions");
    // the head moves each time
    let pull = std::sync::Arc::clone(&world.pull);
    let heads = std::sync::atomic::AtomicU64::new(1);
    world.forge.answers(move |asked| {
        if asked.path == "/repos/harbor/ferry/pulls/128" {
            let head = heads.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            pull.lock().expect("the request").head = format!("{head:040x}");
        }
        pull.lock().expect("the request").answer(asked)
    });
    let out = world.run(&["threads", "128"]);
    assert_eq!(out.status.code(), Some(10));
    assert!(
        text(&out.stderr).contains("moved each time"),
        "{}",
        text(&out.stderr)
    );
}

#[test]
#[cfg_attr(no_gh, ignore = "gh is missing")]
fn a_forge_that_wants_to_be_left_alone_is_not_asked_again() {
    let world = World::new();
    let pull = std::sync::Arc::clone(&world.pull);
    world.forge.answers(move |asked| {
        if asked.path.contains("/reviews") {
            Answer::new(429, r#"{"message":"slow down"}"#).with("Retry-After", "1800")
        } else {
            pull.lock().expect("the request").answer(asked)
        }
    });
    let out = world.run(&["threads", "128"]);
    assert_eq!(out.status.code(), Some(10), "{}", text(&out.stderr));
    let said = text(&out.stderr);
    assert!(
        said.contains("not all of harbor/ferry#128 was read"),
        "{said}"
    );
    world.forge.asked();
    let out = world.run(&["threads", "128"]);
    assert_eq!(out.status.code(), Some(10));
    let said = text(&out.stderr);
    assert!(said.contains("wants to be asked again in"), "{said}");
    assert!(said.contains("--offline"), "{said}");
    assert!(world.forge.asked().is_empty());
}

#[test]
#[cfg_attr(no_gh, ignore = "gh is missing")]
fn a_token_is_nowhere_but_in_the_header() {
    let world = World::new();
    let out = world.run(&["threads", "128", "--keep"]);
    world
        .forge
        .answers(|_| Answer::new(401, r#"{"message":"Bad credentials"}"#));
    let failed = world.run(&["threads", "128"]);
    assert_eq!(failed.status.code(), Some(10));
    for said in [&out.stdout, &out.stderr, &failed.stdout, &failed.stderr] {
        assert!(!text(said).contains(TOKEN));
    }
    assert_eq!(world.files_with(TOKEN), Vec::<std::path::PathBuf>::new());
    // without a token the client says so, and so do we
    let out = world
        .command(&["threads", "128"])
        .env_remove("GH_TOKEN")
        .output()
        .expect("it runs");
    assert_eq!(out.status.code(), Some(10));
    let said = text(&out.stderr);
    assert!(said.contains("gh is not logged in to github.com"), "{said}");
}
