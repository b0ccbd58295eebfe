//! `tests/truth/spec-act.md`: edits of spec trees touch only what they mean.

use countersign::adapters::spec::act::{
    GateLine, approved, frozen, gate_line, ratified, sent_back, shard_name,
};
use countersign::adapters::spec::shard;
use countersign::model::id::RepoPath;
use similar::{ChangeTag, TextDiff};

use crate::truth::{self, Case};

fn edited(form: &str, text: &str) -> Result<Vec<u8>, String> {
    let path = RepoPath::from("n.feature");
    let mut words = form.splitn(3, ' ');
    let (act, gate) = (words.next().unwrap(), words.next().unwrap_or_default());
    match act {
        "approve" => approved(text.as_bytes(), form.split_once(' ').unwrap().1),
        "ratify" => ratified(text.as_bytes(), gate, words.next().unwrap()),
        "back" => sent_back(text.as_bytes(), gate),
        "freeze" => frozen(&path, text.as_bytes(), true),
        _ => frozen(&path, text.as_bytes(), false),
    }
}

fn told(case: &Case) -> String {
    let after = match edited(&case.form, &case.input) {
        Ok(after) => String::from_utf8(after).expect("UTF-8"),
        Err(why) => return format!("refused: {why}\n"),
    };
    let mut out = String::new();
    for change in TextDiff::from_lines(case.input.as_str(), &after).iter_all_changes() {
        match change.tag() {
            ChangeTag::Delete => out.push_str(&format!("-{change}")),
            ChangeTag::Insert => out.push_str(&format!("+{change}")),
            ChangeTag::Equal => {}
        }
    }
    out
}

#[test]
fn edits_follow_the_table() {
    truth::check("spec-act.md", told);
}

#[test]
fn line_ends_and_a_byte_order_mark_stay() {
    for case in truth::cases("spec-act.md") {
        let windows = format!("\u{feff}{}", case.input.replace('\n', "\r\n"));
        let plain = edited(&case.form, &case.input);
        let other = edited(&case.form, &windows);
        let wanted = plain.map(|bytes| {
            let text = String::from_utf8(bytes).expect("UTF-8");
            format!("\u{feff}{}", text.replace('\n', "\r\n")).into_bytes()
        });
        let text =
            |r: &Result<Vec<u8>, String>| r.clone().map(|b| String::from_utf8(b).expect("UTF-8"));
        assert_eq!(text(&other), text(&wanted), "{}", case.title);
    }
}

#[test]
fn what_was_unfrozen_is_frozen_again_to_the_byte() {
    let path = RepoPath::from("n.feature");
    for text in [
        "@frozen\nFeature: a\n",
        "@frozen @x\n  Feature: a\n",
        "\u{feff}@frozen\r\nFeature: a\r\n",
    ] {
        let off = frozen(&path, text.as_bytes(), false).expect("unfrozen");
        let on = frozen(&path, &off, true).expect("frozen");
        assert_eq!(String::from_utf8(on).expect("UTF-8"), text);
    }
}

#[test]
fn our_lines_are_read_back_and_our_shards_are_well_named() {
    let line = gate_line(&GateLine {
        cr: Some("c/7 x"),
        gate: "spec",
        verdict: "approve",
        by: "Ada \"Å\" \u{202e}",
        cause: None,
        why: None,
        frozen: &["n/n.feature".into()],
        answers: Some(("c7.0a1b2c.jsonl".into(), 3)),
    });
    assert!(line.ends_with('\n') && line.lines().count() == 1);
    let name = shard_name(Some("../c/7 x"), [1, 2, 255]);
    assert_eq!(name, "-c-7-x.0102ff.jsonl".trim_start_matches('-'));
    let read = shard::read(
        &RepoPath::from(format!("ledger/{name}").as_str()),
        line.as_bytes(),
    );
    assert!(read.well_named && read.seq_breaks.is_none());
    let (_, gate) = read.gates().next().expect("a gate line");
    assert_eq!(gate.answers, Some(("c7.0a1b2c.jsonl".into(), 3)));
    assert_eq!(gate.frozen, ["n/n.feature".into()]);
}
