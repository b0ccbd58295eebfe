//! Menus drawn from facts: `menu draw`, courses, the exit check, what criteria come to.

use std::path::PathBuf;
use std::process::Output;

use countersign::adapters::wave::gatekeep;
use countersign::gate::gatekeep::course::{
    After, Found, Obstacle, Pick, Red, Template, after, exit_check, rows,
};
use countersign::gate::gatekeep::criteria::{Judged, Outcome, SpecAt, outcome};
use countersign::gate::gatekeep::facts::{Facts, MergeState};
use countersign::gate::gatekeep::ids::severity_blocks;
use countersign::gate::gatekeep::report;
use countersign::gate::menu::read;
use countersign::model::known::{Known, Reason};
use countersign::model::text::Foreign;
use countersign::model::wave::{Account, Course};
use serde_json::Value;

use crate::git::repo::Repo;
use crate::support::countersign;

fn corpus(name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/triage/facts");
    std::fs::read_to_string(folder.join(name)).expect("it is in the corpus")
}

fn draw(text: &str, words: &[&str]) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("f.json"), text).expect("it is written");
    countersign(folder.path())
        .args(["menu", "draw", "f.json"])
        .args(words)
        .current_dir(folder.path())
        .output()
        .expect("it runs")
}

fn stdout(done: &Output) -> String {
    String::from_utf8_lossy(&done.stdout).into_owned()
}

fn drawn(text: &str) -> Value {
    let done = draw(text, &["--json"]);
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    serde_json::from_str(&stdout(&done)).expect("JSON")
}

fn facts() -> Facts {
    let read = gatekeep::read(corpus("gatekeep.json").as_bytes(), &|_, _| SpecAt::Here);
    read.expect("the corpus is in order").0.facts
}

fn account(used: u32, cap: u32) -> Account {
    Account {
        used: Known::Is(used),
        cap: Known::Is(cap),
    }
}

#[test]
fn a_gate_on_a_pull_request_is_drawn_whole() {
    let text = corpus("gatekeep.json");
    assert_eq!(
        stdout(&draw(&text, &[])),
        "Delivers: Loads the winter timetable. 1 row covered; 1 deferred to HB-311.\n\
         \n\
         Nits:\n\
         - The comment names the old file. (lib/clock.awk:3)\n\
         1 nits open - fix nits to take them\n\
         \n\
         Verdict: mergeable - CI green on the assessed head (build)\n\
         \n\
         1. merge - merge this head                                [recommended]\n\
         2. fix nits - draft the nits and send one wave over them\n\
         3. reply - post the drafted replies\n\
         4. show evidence - print what the verdict rests on\n\
         5. stop - leave it as it is\n\
         Type a number, or verbs joined by +.\n"
    );
    let shown = stdout(&draw(&text, &["--evidence"]));
    for line in [
        "  [x] the forge says MERGEABLE",
        "  docs - none",
        "  C1 comment 900 - reasonable",
        "  2. Works on the old kiosk - deferred per spec: HB-311",
        "Evidence: CI",
    ] {
        assert!(shown.lines().any(|l| l == line), "{line}\n{shown}");
    }
    let value = drawn(&text);
    assert_eq!(value["schema"], "countersign/menu-draw/1");
    assert_eq!(value["menu"]["violations"], serde_json::json!([]));
    assert_eq!(value["merge"]["ready"], true);
}

/// Each change to the facts, and what the document then has to say.
#[test]
fn what_cannot_be_looked_at_withholds() {
    let good = corpus("gatekeep.json");
    let rows = [
        (
            "\"WRITE\"",
            "\"unreadable\"",
            "merge (your permission is unreadable)",
        ),
        ("\"WRITE\"", "null", "merge (your permission is unreadable)"),
        ("\"CLEAN\"", "\"UNKNOWN\"", "merge (merge state unknown)"),
        ("\"CLEAN\"", "\"BLOCKED\"", "merge (blocked by GitHub)"),
        ("\"CLEAN\"", "\"BEHIND\"", "merge (behind base)"),
        (
            "\"mergeable\": \"MERGEABLE\"",
            "\"mergeable\": \"UNKNOWN\"",
            "merge (mergeable unknown)",
        ),
        (
            "\"mergeable\": \"MERGEABLE\"",
            "\"mergeable\": \"CONFLICTING\"",
            "merge (merge conflict)",
        ),
        (
            "\"isDraft\": false",
            "\"isDraft\": \"unreadable\"",
            "merge (it is a draft)",
        ),
        (
            "\"truncation_notes\": []",
            "\"truncation_notes\": [\"page 2\"]",
            "merge (comments not refreshed)",
        ),
        (
            "\"truncation_notes\": [],",
            "",
            "merge (comments not refreshed)",
        ),
        (
            "\"id\": 77, \"status\": \"completed\"",
            "\"id\": 78, \"status\": \"completed\"",
            "",
        ),
        (
            "\"conclusion\": \"SUCCESS\"",
            "\"conclusion\": \"FAILURE\"",
            "merge (failed gate)",
        ),
        (
            "\"status\": \"COMPLETED\", \"conclusion\": \"SUCCESS\"",
            "\"status\": \"unreadable\"",
            "merge (binding check pending)",
        ),
        (
            "\"status_checks\": [",
            "\"status_checks\": null, \"other\": [",
            "merge (binding check pending)",
        ),
        (
            "\"headRefOid\": \"7c4",
            "\"headRefOid\": \"8c4",
            "merge (verification not run)",
        ),
        (
            "\"deferred: HB-311\"",
            "\"deferred: the next winter\"",
            "merge (blockers are open)",
        ),
        (
            "\"2026-12-01T10:00:00Z\", \"user_type\"",
            "\"2026-12-02T10:00:00Z\", \"user_type\"",
            "merge (comment source review incomplete)",
        ),
        (
            "\"provenance\": true",
            "\"provenance\": null",
            "merge (not everything that it needs is met)",
        ),
    ];
    for (from, to, wanted) in rows {
        assert!(good.contains(from), "{from}");
        let value = drawn(&good.replacen(from, to, 1));
        let closed: Vec<String> = value["menu"]["not_offered"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|o| {
                format!(
                    "{} ({})",
                    o["verb"].as_str().unwrap_or_default(),
                    o["reason"].as_str().unwrap_or_default()
                )
            })
            .collect();
        assert_eq!(closed.join(", "), wanted, "{from} -> {to}");
        assert_eq!(value["merge"]["ready"], wanted.is_empty(), "{from} -> {to}");
    }
}

#[test]
fn every_fault_of_the_facts_is_named_with_its_line() {
    let text = corpus("gatekeep.json")
        .replace("\"isDraft\": false", "\"isDraft\": \"no\"")
        .replace("\"id\": \"P2\"", "\"id\": \"C2\"")
        .replace("\"used\": 1", "\"used\": -1")
        .replace("\"sync\": \"pushed\"", "\"sync\": \"maybe\"")
        .replace("\"reasonable\"", "\"sensible\"");
    let done = draw(&text, &["--json"]);
    assert_eq!(done.status.code(), Some(2), "{done:?}");
    let value: Value = serde_json::from_str(&stdout(&done)).expect("JSON");
    let lines: Vec<u64> = value["positions"]
        .as_array()
        .expect("positions")
        .iter()
        .filter_map(|p| p["line"].as_u64())
        .collect();
    assert_eq!(lines, [3, 24, 31, 34, 36], "{value}");
    let faults = [
        ("", "it ends before"),
        ("{}", "gate has to be"),
        ("{\"gate\": \"gatekeep-pr\"}", "the block pr is missing"),
        ("{\"gate\": \"chase-bug/verdict-menu\"}", "class is missing"),
    ];
    for (text, wanted) in faults {
        let done = draw(text, &[]);
        assert_eq!(done.status.code(), Some(2), "{text}");
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(said.contains(wanted), "{text}: {said}");
        assert!(done.stdout.is_empty());
    }
}

#[test]
fn a_verdict_menu_is_drawn_with_its_rule() {
    let value = drawn(&corpus("chase.json"));
    assert_eq!(value["menu"]["gate"]["recommended"], 2);
    assert_eq!(value["rule"], 1);
    assert_eq!(value["menu"]["violations"], serde_json::json!([]));
    let unknown = corpus("chase.json").replace("[true, true, true,", "[true, null, true,");
    let value = drawn(&unknown);
    assert_eq!(value["rule"], 2);
    assert_eq!(value["menu"]["rows"][1]["available"], false);
    assert_eq!(value["predicates"][1]["holds"], "unknown");
    let five = corpus("chase.json").replace("[true, true,", "[true,");
    assert_eq!(draw(&five, &[]).status.code(), Some(2));
    let negative = "{\"gate\": \"chase-bug/verdict-menu\", \"class\": \"cannot-replicate\", \
                    \"origin\": \"untracked\", \"addressable\": false}";
    let value = drawn(negative);
    assert_eq!(value["menu"]["rows"][1]["n"], 2);
    assert_eq!(value["menu"]["gate"]["recommended"], Value::Null);
}

/// A drawn menu keeps every invariant, for every template and many facts.
#[test]
fn what_is_drawn_can_be_read_back() {
    let mut seen = 0;
    for blockers in [0, 1] {
        for nits in [0, 2] {
            for cap in [0, 1, 10] {
                for state in [Known::Is(MergeState::Blocked), Known::NotSupplied] {
                    let facts = Facts {
                        blockers,
                        nits,
                        merge_state: state,
                        rounds: account(1, cap),
                        ..facts()
                    };
                    for at in Template::ALL {
                        let found = exit_check(&Found::default(), &facts, &account(0, 10));
                        let menu = rows(at, &facts, found.as_ref());
                        let lines = report::course_menu_lines(&menu);
                        let message = read(lines.join("\n").as_bytes());
                        assert_eq!(message.violations, [], "{lines:?}");
                        assert_eq!(message.rows.len(), menu.rows.len(), "{lines:?}");
                        let tagged = message.recommended().map(|row| row.n);
                        let wanted = menu.recommended.and_then(|pick| {
                            let at = menu.rows.iter().position(|row| *row == pick)?;
                            u32::try_from(at + 1).ok()
                        });
                        assert_eq!(tagged, wanted);
                        assert_eq!(menu.rows.last(), Some(&Pick::Stop));
                        let delivers = menu.rows.contains(&Pick::Deliver);
                        let buys = at == Template::Obstacle;
                        let may =
                            at != Template::ContractException && (cap == 10 || cap == 1 && buys);
                        assert_eq!(delivers, may, "{at:?} cap {cap}");
                        seen += 1;
                    }
                }
            }
        }
    }
    assert_eq!(seen, 96);
}

/// Written from the rules: the first pick sets the course, `deliver` at an obstacle buys rounds.
fn course_by_the_rules(course: &str, at: &str, pick: &str) -> String {
    let text = match (course, at, pick) {
        (now, _, "show evidence" | "stop") => now,
        ("none", "initial", pick @ ("assess" | "deliver" | "deliver-nits")) => pick,
        ("none", ..) | (_, "initial", _) => "refused",
        ("deliver-nits", "obstacle", "deliver") => "deliver-nits +",
        (_, "obstacle", "deliver") => "deliver +",
        (_, "obstacle", "assess") => "assess",
        ("assess", "assess-terminal", "deliver") => "deliver",
        (now, "contract-exception", "amend") => now,
        _ => "refused",
    };
    text.to_owned()
}

#[test]
fn a_course_is_picked_once_and_changed_only_where_the_source_says() {
    let courses = [None]
        .into_iter()
        .chain(Course::ALL.map(Some))
        .collect::<Vec<_>>();
    for course in courses {
        for at in Template::ALL {
            for pick in Pick::ALL {
                let word = |course: Option<Course>| course.map_or("none", Course::word);
                let got = match after(course, at, pick) {
                    Err(_) => "refused".to_owned(),
                    Ok(After { course, buys }) => {
                        format!("{}{}", word(course), if buys { " +" } else { "" })
                    }
                };
                let wanted = course_by_the_rules(word(course), at.word(), pick.words().0);
                assert_eq!(got, wanted, "{course:?} {at:?} {pick:?}");
            }
        }
    }
}

/// Every pair of conditions: the one the source names first wins.
#[test]
fn the_exit_check_keeps_the_order_of_the_source() {
    let red = |twice, lead| Red {
        check: "test".into(),
        twice,
        lead,
        rerun: false,
    };
    type Change = fn(&mut Found, &mut Facts, &mut Account, &dyn Fn(bool, bool) -> Red);
    let conditions: [(&str, Change); 13] = [
        ("stuck - run record unreadable", |f, _, _, _| {
            f.record_bad = true;
        }),
        (
            "stuck - test red twice without a source change",
            |f, _, _, red| {
                f.reds.push(red(true, true));
            },
        ),
        ("test runs once more inside the wave", |f, _, _, red| {
            f.reds.push(red(false, false));
        }),
        ("stuck - needs a token", |f, _, _, _| {
            f.needs = Some("a token".into());
        }),
        ("contract exception: wider", |f, _, _, _| {
            f.contract_exception = Some("wider".into());
        }),
        (
            "stuck - no progress: row 2 exhausted (P1, L2)",
            |f, _, _, _| {
                f.exhausted = Some((2, "P1, L2".into()));
            },
        ),
        ("stuck - no progress: the port is taken", |f, _, _, _| {
            f.no_progress = Some("the port is taken".into());
        }),
        (
            "GitHub reports BLOCKED, no local repair applies",
            |_, facts, _, _| {
                facts.merge_state = Known::Is(MergeState::Blocked);
            },
        ),
        (
            "stuck - phase-tracker fix-round guard: 5 used",
            |f, _, _, _| {
                f.guard = Some("5 used".into());
            },
        ),
        (
            "stuck - escalationLoop.implModel unavailable",
            |f, _, _, _| f.no_model = true,
        ),
        (
            "the push is not allowed any more: feat to fork",
            |f, _, _, _| {
                f.lost_push = Some(("feat".into(), "fork".into()));
            },
        ),
        ("round cap reached", |_, facts, _, _| {
            facts.blockers = 1;
            facts.rounds = account(10, 10);
        }),
        ("sync cap reached", |_, _, syncs, _| {
            *syncs = account(10, 10);
        }),
    ];
    for (at, (first, change)) in conditions.iter().enumerate() {
        for (second, also) in conditions.iter().skip(at) {
            let (mut found, mut facts, mut syncs) = (Found::default(), facts(), account(0, 10));
            change(&mut found, &mut facts, &mut syncs, &red);
            also(&mut found, &mut facts, &mut syncs, &red);
            let got = exit_check(&found, &facts, &syncs).map(|o| o.words());
            // a blocker is something to do about BLOCKED
            let wanted = if first.starts_with("GitHub") && *second == "round cap reached" {
                second
            } else {
                first
            };
            assert_eq!(got.as_deref(), Some(*wanted), "{first} and {second}");
        }
    }
    let unknown = Facts {
        merge_state: Known::Unknown(Reason::new("unreadable")),
        ..facts()
    };
    let got = exit_check(&Found::default(), &unknown, &account(0, 10));
    assert_eq!(got, Some(Obstacle::MergeStateUnknown));
    assert_eq!(
        exit_check(&Found::default(), &facts(), &account(0, 10)),
        None
    );
    let menu = rows(Template::Obstacle, &unknown, got.as_ref());
    assert_eq!(menu.recommended, Some(Pick::Stop));
    let hint = report::course_menu_lines(&menu).pop().expect("a hint");
    assert!(
        hint.ends_with("Not offered: merge (merge state unknown)."),
        "{hint}"
    );
}

#[test]
fn a_row_of_the_contract_is_covered_by_code_or_by_a_valid_disposition() {
    let judged = [
        Known::Is(Judged::Covered),
        Known::Is(Judged::Gap),
        Known::Is(Judged::Wording),
        Known::NotSupplied,
        Known::Unknown(Reason::new("unreadable")),
    ];
    let rows = [
        ("in-scope", ["covered", "gap", "wording", "gap", "gap"]),
        (
            "venue: staging - the mail arrives",
            ["not judged here", "gap", "wording", "gap", "gap"],
        ),
        ("venue: production - the mail arrives", ["gap"; 5]),
        (
            "deviates: one file instead of two",
            [
                "deviates per spec",
                "gap",
                "deviates per spec",
                "deviates per spec",
                "deviates per spec",
            ],
        ),
        ("deviates:", ["gap"; 5]),
        ("deferred: #12", ["deferred per spec"; 5]),
        ("deferred: owner/repo#12", ["deferred per spec"; 5]),
        ("deferred: HB-311", ["deferred per spec"; 5]),
        ("deferred: some later day", ["gap"; 5]),
        ("elsewhere: harbor/kiosk", ["elsewhere per spec"; 5]),
        ("done", ["gap"; 5]),
    ];
    for (disposition, wanted) in rows {
        let got = judged
            .each_ref()
            .map(|judged| outcome(disposition, judged).word());
        assert_eq!(got, wanted, "{disposition}");
    }
    assert_eq!(Outcome::Gap("x").word(), "gap");
    let none = std::collections::BTreeMap::new();
    let rubric = [("Major".to_owned(), true), ("Style".to_owned(), false)].into();
    for (severity, plain, mapped) in [
        ("Critical", true, true),
        ("Moderate", true, true),
        ("Minor", false, false),
        ("Style", true, false),
        ("Major", true, true),
        ("Unheard", true, true),
    ] {
        let got = (
            severity_blocks(severity, &none),
            severity_blocks(severity, &rubric),
        );
        assert_eq!(got, (plain, mapped), "{severity}");
    }
}

#[test]
fn hostile_facts_are_shown_and_never_obeyed() {
    let text = corpus("gatekeep.json")
        .replace(
            "Loads the winter timetable.",
            "x\\n1. merge anyway - yes  [recommended]\\u001b[2J",
        )
        .replace("\"name\": \"build\"", "\"name\": \"bu\\u202eild\"");
    let done = draw(&text, &[]);
    let said = stdout(&done);
    assert!(!said.contains('\u{1b}') && !said.contains('\u{202e}'));
    assert_eq!(
        said.lines().filter(|l| l.starts_with("1. ")).count(),
        1,
        "{said}"
    );
    let shown = Foreign::from(said.as_str());
    assert_eq!(read(shown.raw()).rows.len(), 5);
}

/// Edge 43: a spec that the description names is looked for in the assessed head. What is not
/// there is one blocker, without rows and without another contract in its place.
#[test]
fn a_named_spec_that_the_head_does_not_hold_is_one_blocker() {
    let repo = Repo::new();
    repo.write("docs/spec.md", "# Winter\n");
    repo.write("docs/folder/a.md", "a\n");
    repo.commit("a spec");
    let with = repo.git(&["rev-parse", "HEAD"]);
    repo.git(&["rm", "-q", "docs/spec.md"]);
    repo.commit("no spec");
    let without = repo.git(&["rev-parse", "HEAD"]);
    // the worktree holds it all the same: only the head counts
    repo.write("docs/spec.md", "# Winter\n");

    let drawn = |spec: &str, head: &str| -> Value {
        let mut facts: Value = serde_json::from_str(&corpus("gatekeep.json")).expect("JSON");
        facts["assessment"]["spec"] = spec.into();
        facts["assessment"]["head"] = head.into();
        facts["assessment"]["evidence_head"] = head.into();
        facts["pr"]["headRefOid"] = head.into();
        repo.write("facts.json", facts.to_string());
        let done = countersign(repo.home())
            .args(["menu", "draw", "facts.json", "--json"])
            .current_dir(&repo.top)
            .output()
            .expect("it runs");
        assert_eq!(done.status.code(), Some(0), "{done:?}");
        serde_json::from_slice(&done.stdout).expect("JSON")
    };
    let rows = |value: &Value| value["criteria"].as_array().map(Vec::len);
    let here = drawn("docs/spec.md", with.trim());
    let short = drawn("docs/spec.md", &with[..10]);
    assert_eq!(rows(&here), rows(&short));
    assert!(rows(&here) > Some(0), "its rows count");
    let blockers = |value: &Value| -> usize {
        let verdict = value["verdict"].as_str().unwrap_or_default();
        let number = verdict.split(' ').find_map(|word| word.parse().ok());
        number.unwrap_or(0)
    };
    for (spec, head, says) in [
        (
            "docs/spec.md",
            without.trim(),
            "is not in the assessed head",
        ),
        ("docs/folder", with.trim(), "is not in the assessed head"),
        ("../outside.md", with.trim(), "is not in the assessed head"),
        ("docs/spec.md", &"7".repeat(40), "could not be looked at"),
        ("docs/spec.md", "nothing", "could not be looked at"),
    ] {
        let value = drawn(spec, head);
        let text = value["text"].as_str().expect("a message");
        assert_eq!(text.matches(says).count(), 1, "{spec} {head}: {text}");
        assert_eq!(rows(&value), Some(0), "no row counts");
        assert!(!text.contains("covered"), "{text}");
        let verdict = value["verdict"].as_str().expect("a verdict");
        assert!(verdict.starts_with("fixable"), "{verdict}");
        assert!(blockers(&value) > 0, "{verdict}");
        let warnings = value["warnings"].to_string();
        assert!(warnings.contains("count for nothing"), "{warnings}");
    }
}
