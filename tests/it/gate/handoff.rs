//! What the agent gets: whole, quoted, in one order, written in one step.

use std::fs;
use std::path::Path;

use countersign::adapters::handoff as files;
use countersign::gate::decide::Act;
use countersign::gate::exit::{End, end};
use countersign::gate::handoff::{EditToCommit, Handoff, handoff};
use countersign::model::contract::EditKind;
use countersign::model::id::{Digest, RepoPath};
use countersign::model::oracle::Outcome;
use countersign::model::ruling::{Cause, Verdict};
use countersign::model::text::Foreign;

use super::world::*;

fn sitting() -> World {
    let mut world = World::new()
        .manual("3")
        .runnable("2")
        .manual("5")
        .manual("1")
        .abandoned("5")
        .edited(EditKind::CheckChanged, Some("2"))
        .overflow("deploy.yml")
        .ran("2", Outcome::NotMet);
    let record = world.record();
    record.contract.criteria[1].text = Foreign::from("02:30 is listed\nonce \u{202e}`x`");
    world.dossier.runs[0].excerpt = vec![
        (209, Foreign::from("ok"), false),
        (210, Foreign::from("FAIL ```` 02:30"), true),
    ];
    world
        .decided(&edit_of("2"), back(Cause::Implementation))
        .decided(
            &file("deploy.yml"),
            Act::ScopeDecline {
                text: "Not asked for.".into(),
            },
        )
        .decided(&criterion("2"), back(Cause::Implementation))
        .decided(&criterion("3"), back(Cause::Evidence))
        .decided(&criterion("1"), because("bin/ferry does it"))
        .decided(
            &criterion("5"),
            Act::AcceptPartial {
                reason: "the kiosk is gone".into(),
            },
        )
}

fn handed(world: &World, verdict: Verdict) -> Handoff {
    let signed = world.clone().ruled(verdict);
    let ruling = signed.dossier.rulings[0].clone();
    handoff(
        &world.dossier,
        &world.judge(),
        &world.policy,
        &ruling,
        vec![EditToCommit {
            path: RepoPath::from("GATES.md"),
            kind: "evidence".into(),
            after: Digest([3; 32]),
        }],
    )
}

#[test]
fn kick_backs_go_in_one_order_with_everything_quoted() {
    let handoff = handed(&sitting(), Verdict::Reroll);
    let json = files::json(&handoff);
    let of = |key: &str| {
        let items = json["items"].as_array().expect("items");
        items.iter().map(|i| i[key].clone()).collect::<Vec<_>>()
    };
    assert_eq!(of("subject"), ["3", "2", "2", "deploy.yml"]);
    assert_eq!(
        of("kind"),
        ["criterion", "criterion", "contract-edit", "file"]
    );
    assert_eq!(
        of("cause"),
        ["evidence", "implementation", "implementation", "decline"]
    );
    let two = &json["items"][1];
    assert_eq!(two["verbatim"], "02:30 is listed\nonce \u{202e}`x`");
    assert_eq!(two["rows"][0]["check"], "sh tests/2.sh");
    assert_eq!(two["rows"][0]["ended"], "exit=1 (nonzero)");
    assert_eq!(two["rows"][0]["lines"][0]["text"], "FAIL ```` 02:30");
    assert_eq!(json["abandoned"][0]["criterion"], "5");
    assert_eq!(json["abandoned"][0]["reason"], "no such kiosk left, HB-311");
    assert_eq!(
        json["reroll_bump"],
        "note verify-reroll — round 1: 3 criterion 3 holds"
    );
    assert_eq!(json["contract"]["path"], "GATES.md");
    assert_eq!(json["partial"], true);
    let keys: Vec<&String> = json.as_object().expect("an object").keys().collect();
    assert_eq!(
        keys[..2],
        ["schema", "contract"],
        "the contract comes first (H33)"
    );
}

#[test]
fn no_output_says_complete_while_something_is_abandoned() {
    let handoff = handed(&sitting(), Verdict::Escalate);
    for text in [files::markdown(&handoff), files::json_text(&handoff)] {
        let low = text.to_lowercase();
        for word in ["complete", "all met", "all done", "finished"] {
            assert!(!low.contains(word), "{word}: {text}");
        }
        assert!(low.contains("partial"));
    }
    assert_eq!(handoff.reroll_bump, None, "only on REROLL");
}

#[test]
fn hidden_characters_reach_no_terminal_and_fences_hold() {
    let handoff = handed(&sitting(), Verdict::Reroll);
    let json = files::json_text(&handoff);
    assert!(!json.contains('\u{202e}') && json.contains("\\u202e"));
    let read: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(read, files::json(&handoff));
    let markdown = files::markdown(&handoff);
    assert!(!markdown.contains('\u{202e}') && markdown.contains("<U+202E>"));
    let opened = markdown
        .find("`````text")
        .expect("a fence longer than its text");
    assert!(markdown[opened..].contains("210: FAIL ```` 02:30"));
}

#[test]
fn the_files_are_put_in_place_and_links_are_not_followed() {
    let folder = tempfile::tempdir().expect("a folder");
    let handoff = handed(&sitting(), Verdict::Reroll);
    let stem = files::file_stem(&handoff);
    assert_eq!(stem, "handoff-feat-winter-r1");
    let elsewhere = folder.path().join("elsewhere");
    fs::write(&elsewhere, "mine").expect("a file");
    let link = folder.path().join(format!("{stem}.json"));
    std::os::unix::fs::symlink(&elsewhere, &link).expect("a link");
    let written = files::write(&handoff, folder.path(), &stem).expect("written");
    assert_eq!(written.len(), 2);
    assert_eq!(fs::read_to_string(&elsewhere).expect("still there"), "mine");
    assert_eq!(
        fs::read_to_string(&link).expect("a file"),
        files::json_text(&handoff)
    );
    assert!(files::write(&handoff, Path::new("/nonexistent"), &stem).is_err());
}

#[test]
fn each_end_has_its_own_exit() {
    let green = World::new()
        .manual("1")
        .decided(&criterion("1"), because("bin/ferry does it"));
    let red = World::new()
        .manual("1")
        .decided(&criterion("1"), back(Cause::Evidence));
    let mut partial = World::new().manual("1").manual("2").abandoned("2");
    partial = partial
        .decided(&criterion("1"), because("bin/ferry does it"))
        .decided(
            &criterion("2"),
            Act::AcceptPartial {
                reason: "gone".into(),
            },
        );
    let mut allowed = partial.clone();
    allowed.policy.abandoned_counts = true;
    let of = |world: &World, verdict| {
        let ruling = world.rule(verdict).expect("signable");
        end(Some(&world.judge()), Some(&ruling))
    };
    assert_eq!(of(&green, Verdict::Approved), End::Clear);
    assert_eq!(of(&green, Verdict::Escalate), End::PersonNeeded);
    assert_eq!(of(&red, Verdict::Reroll), End::NotClear);
    assert_eq!(of(&partial, Verdict::Reroll), End::PersonNeeded);
    assert_eq!(of(&allowed, Verdict::Approved), End::PersonNeeded);
    assert_eq!(end(None, None), End::CouldNotMeasure);
    assert_eq!(end(Some(&green.judge()), None), End::Undecided);
    let mut moved = green.clone();
    if let countersign::model::known::Known::Is(moved) = &mut moved.dossier.moved {
        moved.head = Some(oid(0x77));
    }
    assert_eq!(end(Some(&moved.judge()), None), End::Stale);
    let mut dark = green;
    dark.dossier.contract = unknown();
    assert_eq!(end(Some(&dark.judge()), None), End::CouldNotMeasure);
}
