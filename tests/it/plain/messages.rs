//! Gate messages in lines: every act of the page, with the same refusals and the same replies.

use std::path::PathBuf;

use serde_json::Value;

use super::Talk;
use crate::pty::seat::Seat;
use crate::support::hand_over;

const GOLDEN: &str = include_str!("../../corpus/triage/golden/real-untracked.md");
const CLOSED: &str = include_str!("../../corpus/triage/honest/04-real-tracked-unavailable.md");
const DRAFT: &str = include_str!("../../corpus/triage/honest/12-draft-gated-cannot-replicate.md");
const OBSTACLE: &str = "gauntlet: gate=gatekeep-pr/obstacle recommended=1\n\nBlockers:\n\
    1. The dial is late. (lib/dial.awk:7)\n\nFailing: board-test\n\n\
    1. deliver - go on   [recommended]\n2. show evidence - print it\n3. stop - leave it\n\
    Type a number, or `check NAME flaky|real|ci-broken`.\n";

fn word(text: &str) -> String {
    let digest = countersign::model::id::Digest::of(text.as_bytes());
    format!("gate:{}", digest.short())
}

fn mail(seat: &Seat) -> PathBuf {
    let home = seat.home();
    home.parent().expect("a folder").join("mail")
}

#[test]
fn every_act_on_a_gate_message_is_there_in_lines() {
    let seat = Seat::new();
    let mail = mail(&seat);
    std::fs::create_dir(&mail).expect("a folder");
    let texts = [GOLDEN, CLOSED, DRAFT, OBSTACLE];
    let mut words = vec!["review".to_owned(), "--plain".to_owned()];
    for (n, text) in texts.iter().enumerate() {
        let path = |ending: &str| mail.join(format!("{n}.{ending}"));
        std::fs::write(path("md"), text).expect("a message");
        for (flag, ending) in [("--menu", "md"), ("--reply", "json")] {
            words.push(flag.to_owned());
            words.push(path(ending).to_string_lossy().into_owned());
        }
    }
    hand_over(&mail);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut talk = Talk::with(&seat.command(&words));

    let (golden, closed, draft, obstacle) =
        (word(GOLDEN), word(CLOSED), word(DRAFT), word(OBSTACLE));
    talk.says("l", &format!("message {golden}, waits, owed: 0.md"));
    // nothing is sent to a message that was not read
    talk.says(&format!("r {golden}"), "was shown last");
    let shown = talk.types(&golden);
    for wanted in [
        "The departure board lists the 02:30 boat twice",
        "3 Implement hotfix now",
        "eligible - all predicates pass",
        &format!("p {golden} N choose row N"),
    ] {
        let flat: String = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(wanted), "{wanted}:\n{shown}");
    }
    talk.says(&format!("d {golden}"), "no linter can");
    talk.says(
        &format!("o {golden}"),
        "gauntlet: gate=chase-bug/verdict-menu",
    );
    talk.says(&format!("p {golden} 9"), "no row of that number");
    talk.says(&format!("p {golden} 1"), "row 1 is chosen");
    talk.affirms(&format!("r {golden}"), "picked gate");
    talk.says("u", "undone");
    // the same in words, as a PR
    talk.says(&golden, "waits");
    talk.writes(
        &[&format!("b {golden}"), "3 as a PR", "."],
        "It picks row 3.",
    );
    talk.says("r", "picked gate");

    // a row that is closed is none, and words overrule
    talk.says(&closed, "waits");
    talk.says(&format!("p {closed} 2"), "row 2 is chosen");
    talk.says(&format!("r {closed}"), "cannot be picked");
    talk.writes(
        &[&format!("b {closed}"), "the list is right", "."],
        "It goes as a change request",
    );
    talk.says("", "nothing was decided; what you typed is kept as a draft");
    talk.writes(
        &[&format!("b {closed}"), "."],
        "It goes as a change request",
    );
    talk.says("r", "overruled gate");
    talk.says(&draft, "waits");
    talk.affirms(&format!("r {draft}"), "> send it");
    talk.says("r", "answered gate");

    // levers
    talk.says(&obstacle, "check NAME flaky|real|ci-broken");
    talk.says(&format!("a {obstacle}"), "r sends this row");
    talk.writes(
        &[&format!("b {obstacle}"), "check board-test flaky", "."],
        "It is the exact token",
    );
    talk.says("r", "check disposed of");
    talk.says("u", "undone");
    talk.says(&obstacle, "waits");
    talk.writes(
        &[&format!("b {obstacle}"), "criterion 2 deferred: HB-9", "."],
        "It gives up criterion 2",
    );
    talk.says("r", "nothing was decided");
    talk.writes(&[&format!("b {obstacle}"), "."], "It gives up criterion 2");
    talk.says("a", "criterion given up");

    let asked = talk.types("q");
    assert!(
        asked.contains("4 replies to gate messages go out"),
        "{asked}"
    );
    talk.terminal.keys_until_gone("y\n");
    let texts: Vec<String> = (0..4)
        .map(|n| {
            let file = mail.join(format!("{n}.json"));
            let text = std::fs::read_to_string(file).expect("a reply");
            let value: Value = serde_json::from_str(&text).expect("JSON");
            value["text"].as_str().expect("words").to_owned()
        })
        .collect();
    assert_eq!(
        texts,
        [
            "3 as a PR",
            "the list is right",
            "send it",
            "criterion 2 deferred: HB-9"
        ]
    );
}
