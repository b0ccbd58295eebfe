//! The forge of these tests, to be used by hand: it says where, and obeys a few words.
//!
//! `cargo test --test it -- --ignored --nocapture forge::by_hand`

#![allow(clippy::print_stdout, reason = "it talks to the one who started it")]

use std::io::BufRead as _;

use super::world::{TOKEN, World, said, thread};

#[test]
#[ignore = "started by hand"]
fn a_forge_for_two_rounds() {
    let world = World::new();
    world.person();
    let top = world.top();
    let bin = env!("CARGO_BIN_EXE_countersign");
    println!(
        "in another terminal:\n  cd {}\n  export HOME={} COUNTERSIGN_HOME={} GH_CONFIG_DIR={} \
         GH_TOKEN={TOKEN}\n  {bin} review 128",
        world.clone_dir().display(),
        top.display(),
        top.join("countersign").display(),
        top.join("gh").display(),
    );
    println!("words: push (a forced push that answers the blocker), shows, end");
    for line in std::io::stdin().lock().lines() {
        match line.expect("a line").trim() {
            "push" => {
                let head = world.push(&[("boats.txt", "east\nnorth\n")]);
                let mut pull = world.pull.lock().expect("the request");
                let old = pull.threads[2]["comments"][0]["commit"]["oid"].clone();
                let old = old.as_str().expect("a commit").to_owned();
                let comments = [
                    said(31, "maren", "blocker: west sinks", &old),
                    said(32, "agent", "north instead of west", &head),
                ];
                pull.threads[2] = thread(3, false, true, &comments);
                println!("the head is {head}");
            }
            "shows" => {
                let pull = world.pull.lock().expect("the request");
                for one in pull.comments.iter().chain(&pull.reviews) {
                    println!("{one:#}");
                }
            }
            "end" => return,
            word => println!("no such word: {word}"),
        }
    }
}
