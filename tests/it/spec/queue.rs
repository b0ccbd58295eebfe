//! The queue over three repositories: listed by risk, worked through at a terminal by typed lines.

use std::io::{Read as _, Write as _};
use std::time::Duration;

use countersign::model::id::Digest;
use portable_pty::{CommandBuilder, PtySize, native_pty_system};

use crate::git::repo::Repo;
use crate::support::countersign;

const JUDGE: &str = "STATUS: complete\nPREFLIGHT: { result: pass }\nLENS: { oracle: pass, builder: pass, architect: pass }\nALIGNED: true\n";

/// A repository whose change holds a spec that an agent approved; `old` is its suite at the base.
pub(crate) fn asserted(old: &str, new: &str) -> Repo {
    let repo = Repo::new();
    repo.write(
        ".agents/specs/harbor/spec.md",
        "---\nstatus: draft\n---\n# Harbor\n\n## What\n\nBoats.\n",
    );
    repo.write(".agents/specs/harbor/n/n.feature", old);
    repo.write(".agents/specs/harbor/n/README.md", "# N\n");
    repo.commit("start");
    repo.git(&["checkout", "-q", "-b", "change"]);
    repo.write(
        ".agents/specs/harbor/spec.md",
        "---\nstatus: approved # now\napproval:\n  spec:\n    verdict: approve\n    by: agent\n    why: { floor: none, blast: low, novelty: low, confidence: high, cr: c7 }\n---\n# Harbor\n\n## What\n\nBoats.\n",
    );
    repo.write(
        ".agents/specs/harbor/ledger/c7.0a1b2c.jsonl",
        "{\"seq\":1,\"kind\":\"gate\",\"cr\":\"c7\",\"gate\":\"spec\",\"verdict\":\"approve\",\"by\":\"agent\",\"frozen\":[\"n/n.feature\"]}\n",
    );
    repo.write(".agents/plans/c7.judge.md", JUDGE);
    repo.write(".agents/specs/harbor/n/n.feature", new);
    repo.commit("approved");
    repo
}

pub(crate) const PLAIN: &str = "@frozen\nFeature: boats\n  Scenario: leaves\n    Given a boat\n    When it leaves\n    Then the board is empty\n";

pub(crate) fn grown() -> String {
    format!(
        "{PLAIN}  Scenario: arrives\n    Given a boat\n    When it arrives\n    Then the board names it\n"
    )
}

#[test]
fn what_agents_approved_waits_across_repositories_by_risk() {
    let clear = asserted(PLAIN, &grown());
    let narrowed = asserted(PLAIN, &PLAIN.replace("a boat", "a ship"));
    let paused = asserted(PLAIN, PLAIN);
    paused.write(
        ".agents/specs/harbor/spec.md",
        "---\nstatus: draft\napproval:\n  spec:\n    verdict: pause\n    why: novelty\n---\n",
    );
    let nothing = Repo::with_change();
    let dirs = [&clear, &narrowed, &paused, &nothing].map(|repo| repo.top.clone());
    let out = countersign(clear.home())
        .current_dir(&clear.top)
        .args(["--json", "spec", "queue"])
        .args(&dirs)
        .output()
        .expect("it runs");
    let value: serde_json::Value = serde_json::from_slice(&out.stdout).expect("JSON");
    assert_eq!(out.status.code(), Some(3), "{value}");
    assert_eq!(value["schema"], "countersign/queue/1");
    let items = value["items"].as_array().expect("items");
    let told: Vec<_> = items
        .iter()
        .map(|item| {
            (
                item["risk"].as_str().expect("a risk"),
                item["verdict"].as_str().expect("a verdict"),
            )
        })
        .collect();
    assert_eq!(
        told,
        [("high", "approve"), ("med", "pause"), ("low", "approve")],
        "{value}"
    );
    assert_eq!(items[0]["risk_why"], "narrowing, frozen suite");
    assert_eq!(
        (&items[0]["gate"], &items[0]["change"]),
        (&"spec".into(), &"c7".into())
    );
    let closed = |at: usize| items[at]["closed"].as_array().expect("a list").len();
    assert_eq!((closed(0), closed(1), closed(2)), (2, 1, 0), "{value}");
    assert!(
        items[0]["why"]
            .as_str()
            .expect("why")
            .contains("confidence: high")
    );
    let out = countersign(nothing.home())
        .current_dir(&nothing.top)
        .args(["queue", "--gate", "impl"])
        .args(&dirs)
        .output()
        .expect("it runs");
    assert_eq!(out.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&out.stdout), "nothing waits\n");
}

/// Answers prompts of `countersign queue` on a terminal of its own, each when it is asked;
/// `before` is run before the answer of that number.
fn work(repo: &Repo, answers: &[(&str, &str)], before: impl Fn(usize)) -> String {
    at_terminal(
        repo,
        &["queue", "--plain", "--gate", "spec", "."],
        answers,
        before,
    )
}

/// The same for any command that does not fail.
pub(crate) fn at_terminal(
    repo: &Repo,
    words: &[&str],
    answers: &[(&str, &str)],
    before: impl Fn(usize),
) -> String {
    let (exit, seen) = talk(repo, words, answers, before);
    assert!([0, 1, 3].contains(&exit), "{exit}: {seen}");
    seen
}

/// The same for any command, with its exit.
pub(crate) fn talk(
    repo: &Repo,
    words: &[&str],
    answers: &[(&str, &str)],
    before: impl Fn(usize),
) -> (u32, String) {
    let pair = native_pty_system()
        .openpty(PtySize {
            rows: 60,
            cols: 200,
            pixel_width: 0,
            pixel_height: 0,
        })
        .expect("a terminal");
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_countersign"));
    command.args(words);
    command.env_clear();
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("HOME", repo.home());
    command.env("COUNTERSIGN_HOME", repo.home().join("countersign"));
    command.cwd(&repo.top);
    std::fs::write(
        repo.home().join(".gitconfig"),
        "[user]\n\tname = Ada Osei\n",
    )
    .expect("written");
    let mut child = pair.slave.spawn_command(command).expect("it runs");
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader().expect("a reader");
    let (send, heard) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(count @ 1..) = reader.read(&mut buffer) {
            let _ = send.send(String::from_utf8_lossy(&buffer[..count]).into_owned());
        }
    });
    let mut writer = pair.master.take_writer().expect("a writer");
    let (mut seen, mut from) = (String::new(), 0);
    for (number, (prompt, answer)) in answers.iter().enumerate() {
        while !seen[from..].contains(prompt) {
            let more = heard.recv_timeout(Duration::from_secs(30));
            seen.push_str(&more.unwrap_or_else(|_| panic!("no {prompt:?} in\n{seen}")));
        }
        from = seen.len();
        before(number);
        writeln!(writer, "{answer}").expect("typed");
    }
    let status = child.wait().expect("it ends");
    while let Ok(more) = heard.recv_timeout(Duration::from_secs(5)) {
        seen.push_str(&more);
    }
    (status.exit_code(), seen)
}

fn spec(repo: &Repo) -> String {
    std::fs::read_to_string(repo.top.join(".agents/specs/harbor/spec.md")).expect("read")
}

fn head(repo: &Repo) -> String {
    Digest::of(spec(repo).as_bytes()).to_string()[..6].to_owned()
}

/// What countersign's own ledger holds, line by line.
fn recorded(repo: &Repo) -> String {
    let mut text = String::new();
    let mut waiting = vec![repo.home().join("countersign")];
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|ending| ending == "jsonl") {
                text.push_str(&std::fs::read_to_string(path).expect("a shard"));
            }
        }
    }
    text
}

fn shards(repo: &Repo) -> Vec<String> {
    let dir = repo.top.join(".agents/specs/harbor/ledger");
    let mut all: Vec<_> = std::fs::read_dir(dir)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| !path.ends_with("c7.0a1b2c.jsonl"))
        .map(|path| std::fs::read_to_string(path).expect("read"))
        .collect();
    all.sort();
    all
}

#[test]
fn a_person_ratifies_what_was_opened_and_only_by_moves() {
    let repo = asserted(PLAIN, &grown());
    let before = spec(&repo);
    let typed = head(&repo);
    let said = work(
        &repo,
        &[
            ("queue> ", "r 1"),
            ("queue> ", "o 1"),
            ("queue> ", "r 1"),
            ("leave it> ", "wrong"),
            ("queue> ", "r 1"),
            ("leave it> ", &typed),
            ("queue> ", "q"),
        ],
        |_| {},
    );
    assert!(said.contains("locked: it was not opened"), "{said}");
    assert!(said.contains("left as it is"), "{said}");
    assert!(said.contains("agent-asserted"), "{said}");
    assert_eq!(
        spec(&repo),
        before.replace("by: agent", "by: Ada Osei"),
        "{said}"
    );
    let written = shards(&repo);
    assert_eq!(written.len(), 1, "{said}");
    assert_eq!(
        written[0],
        "{\"seq\":1,\"kind\":\"gate\",\"cr\":\"c7\",\"gate\":\"spec\",\"verdict\":\"approve\",\"by\":\"Ada Osei\",\"frozen\":[\"n/n.feature\"],\"answers\":\"c7.0a1b2c.jsonl:1\"}\n"
    );
    assert!(
        said.contains("the state is legal") && said.contains("nothing waits"),
        "{said}"
    );
    // the document and the shard, in countersign's own ledger as well
    let recorded = recorded(&repo);
    assert_eq!(recorded.matches("spec-ratify").count(), 2, "{recorded}");
}

#[test]
fn what_moved_since_it_was_shown_is_refused() {
    let repo = asserted(PLAIN, &grown());
    let place = repo.top.join(".agents/specs/harbor/spec.md");
    let moved = format!("{}\nOne more word.\n", spec(&repo));
    let typed = head(&repo);
    let said = work(
        &repo,
        &[
            ("queue> ", "o 1"),
            ("queue> ", "r 1"),
            ("queue> ", "b 1"),
            ("queue> ", "q"),
        ],
        |number| {
            if number == 1 {
                std::fs::write(&place, &moved).expect("written");
            }
        },
    );
    assert_eq!(
        said.matches("moved since it was shown").count(),
        2,
        "{said}"
    );
    assert_eq!((spec(&repo), shards(&repo).len()), (moved.clone(), 0));
    // between the question and the answer
    std::fs::write(&place, moved.replace("\nOne more word.\n", "")).expect("written");
    let said = work(
        &repo,
        &[
            ("queue> ", "o 1"),
            ("queue> ", "r 1"),
            ("leave it> ", &typed),
            ("queue> ", "q"),
        ],
        |number| {
            if number == 2 {
                std::fs::write(&place, &moved).expect("written");
            }
        },
    );
    assert!(
        said.contains("refused") && said.contains("moved since it was shown"),
        "{said}"
    );
    assert_eq!((spec(&repo), shards(&repo).len()), (moved, 0));
}

#[test]
fn a_kick_back_goes_to_draft_and_unfreezes_what_did_not_change() {
    let repo = asserted(PLAIN, &PLAIN.replace("a boat", "a ship"));
    let typed = head(&repo);
    let said = work(
        &repo,
        &[
            ("queue> ", "o 1"),
            ("queue> ", "r 1"),
            ("queue> ", "b 1"),
            ("4)> ", "3"),
            ("change> ", "the ship was never asked for"),
            ("leave it> ", &typed),
            ("queue> ", "q"),
        ],
        |_| {},
    );
    assert!(said.contains("closed: Clearance"), "{said}");
    assert_eq!(
        spec(&repo),
        "---\nstatus: draft # now\n---\n# Harbor\n\n## What\n\nBoats.\n",
        "{said}"
    );
    let suite = std::fs::read_to_string(repo.top.join(".agents/specs/harbor/n/n.feature"));
    assert_eq!(
        suite.expect("read"),
        PLAIN.replace("@frozen\n", "").replace("a boat", "a ship")
    );
    let written = shards(&repo).pop().expect("a shard");
    let line: serde_json::Value = serde_json::from_str(&written).expect("JSON");
    assert_eq!(line["verdict"], "reject");
    let told = handed_off(&repo, "kick-back");
    assert_eq!(told["schema"], "countersign/spec-handoff/1", "{said}");
    assert_eq!(
        (&told["cause"], &told["text"], &told["by"]),
        (
            &"spec-feature-contradiction".into(),
            &"the ship was never asked for".into(),
            &"Ada Osei".into()
        )
    );
    assert_eq!(line["correction-cause"], "spec-feature-contradiction");
    assert_eq!(line["why"], "the ship was never asked for");
    assert!(
        said.contains("for the agent: .agents/specs/harbor/spec.md"),
        "{said}"
    );
}

#[test]
fn an_agent_cannot_assert_what_a_person_could_not_approve() {
    let why = "floor none, blast low, novelty low, confidence high";
    let assert = |repo: &Repo, why: &str| {
        let out = countersign(repo.home())
            .current_dir(&repo.top)
            .args([
                "--json",
                "assert",
                "--gate",
                "spec",
                "--subject",
                "harbor",
                "--verdict",
                "approve",
                "--why",
                why,
            ])
            .output()
            .expect("it runs");
        let value: serde_json::Value = serde_json::from_slice(&out.stdout).expect("JSON");
        (out.status.code(), value)
    };
    let narrowed = asserted(PLAIN, &PLAIN.replace("a boat", "a ship"));
    let (exit, value) = assert(&narrowed, why);
    let says = value["message"].as_str().expect("a message");
    assert_eq!(exit, Some(1));
    assert!(
        says.contains("Clearance") && says.contains("Compatibility"),
        "{says}"
    );
    let clear = asserted(PLAIN, &grown());
    assert_eq!(assert(&clear, "it fits").0, Some(1));
    let (exit, value) = assert(&clear, why);
    assert_eq!(
        (exit, &value["schema"]),
        (Some(0), &"countersign/assertion/1".into()),
        "{value}"
    );
    clear.write(
        ".agents/plans/c7.judge.md",
        JUDGE.replace("ALIGNED: true", "ALIGNED: false"),
    );
    let (exit, value) = assert(&clear, why);
    assert!(
        exit == Some(1)
            && value["message"]
                .as_str()
                .expect("one")
                .contains("not aligned"),
        "{value}"
    );
}

/// A draft whose change adds a suite that is not frozen yet.
fn draft() -> Repo {
    let repo = asserted(PLAIN, &grown());
    repo.write(
        ".agents/specs/harbor/spec.md",
        "---\nstatus: draft\n---\n# Harbor\n",
    );
    repo.write(
        ".agents/specs/harbor/m/m.feature",
        PLAIN.replace("@frozen\n", ""),
    );
    repo
}

#[test]
fn a_person_approves_a_draft_and_its_touched_suites_freeze() {
    let repo = draft();
    let typed = head(&repo);
    let said = at_terminal(
        &repo,
        &["spec", "gate"],
        &[("gate> ", "a"), ("leave it> ", &typed)],
        |_| {},
    );
    let wanted = "---\nstatus: approved\napproval:\n  spec:\n    verdict: approve\n    by: Ada Osei\n---\n# Harbor\n";
    assert_eq!(spec(&repo), wanted, "{said}");
    let suite = std::fs::read_to_string(repo.top.join(".agents/specs/harbor/m/m.feature"));
    assert_eq!(suite.expect("read"), PLAIN);
    let line: serde_json::Value = serde_json::from_str(&shards(&repo)[0]).expect("JSON");
    assert_eq!(
        line["frozen"],
        serde_json::json!(["m/m.feature", "n/n.feature"])
    );
    assert_eq!(
        (&line["by"], &line["verdict"]),
        (&"Ada Osei".into(), &"approve".into())
    );
    assert!(said.contains("the state is legal"), "{said}");
}

#[test]
fn change_and_reject_leave_files_alone_and_a_closed_gate_approves_nothing() {
    let repo = draft();
    let (before, typed) = (spec(&repo), head(&repo));
    let said = at_terminal(
        &repo,
        &["spec", "gate"],
        &[
            ("gate> ", "c"),
            ("4)> ", "1"),
            ("change> ", "say what happens at night"),
            ("leave it> ", &typed),
        ],
        |_| {},
    );
    assert_eq!(spec(&repo), before, "{said}");
    let line: serde_json::Value = serde_json::from_str(&shards(&repo)[0]).expect("JSON");
    assert_eq!(
        (&line["kind"], &line["cause"]),
        (&"correction".into(), &"coverage-gap".into())
    );
    let told = handed_off(&repo, "change");
    assert_eq!(told["text"], "say what happens at night");
    assert_eq!(told["carries"], serde_json::json!([]));
    repo.write(
        ".agents/plans/c7.judge.md",
        JUDGE.replace("builder: pass", "builder: fail"),
    );
    let said = at_terminal(
        &repo,
        &["spec", "gate"],
        &[
            ("gate> ", "a"),
            ("gate> ", "x"),
            ("4)> ", "2"),
            ("change> ", "not asked for"),
            ("leave it> ", &typed),
        ],
        |_| {},
    );
    assert!(said.contains("closed: the lens builder fails"), "{said}");
    assert!(
        said.contains("these carry what is dropped: ") && said.contains("n/n.feature"),
        "{said}"
    );
    assert_eq!((spec(&repo), shards(&repo).len()), (before, 2));
    let carries = handed_off(&repo, "reject")["carries"].to_string();
    assert!(carries.contains("n/n.feature"), "{carries}");
}

/// The hand-off of an act, as JSON; its Markdown lies beside it.
fn handed_off(repo: &Repo, verb: &str) -> serde_json::Value {
    let mut waiting = vec![repo.home().join("countersign/state")];
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let name = name.to_string_lossy().into_owned();
            if path.is_dir() {
                waiting.push(path);
            } else if name.starts_with(&format!("spec-{verb}-")) && name.ends_with(".json") {
                assert!(path.with_extension("md").is_file());
                let text = std::fs::read(&path).expect("read");
                return serde_json::from_slice(&text).expect("JSON");
            }
        }
    }
    panic!("no hand-off of {verb}")
}

#[test]
fn what_a_later_change_request_was_approved_on_is_not_kicked_back() {
    let repo = asserted(PLAIN, &grown());
    let (before, later) = (spec(&repo), ".agents/specs/harbor/ledger/c8.0b1c2d.jsonl");
    let line = |more: &str| {
        format!(
            "{{\"seq\":1,\"kind\":\"gate\",\"cr\":\"c8\",\"gate\":\"spec\",\"verdict\":\"approve\",\"by\":\"agent\",\"frozen\":[]{more}}}\n"
        )
    };
    repo.write(later, line(",\"answers\":\"c7.0a1b2c.jsonl:1\""));
    let said = work(
        &repo,
        &[
            ("queue> ", "o 1"),
            ("queue> ", "b 1"),
            ("4)> ", "1"),
            ("change> ", "no"),
            ("queue> ", "q"),
        ],
        |_| {},
    );
    assert!(said.contains("refused: c8 was approved after it"), "{said}");
    assert_eq!((spec(&repo), shards(&repo).len()), (before, 1));
    // what nothing orders is not called later
    repo.write(later, line(""));
    let typed = head(&repo);
    let said = work(
        &repo,
        &[
            ("queue> ", "o 1"),
            ("queue> ", "b 1"),
            ("4)> ", "1"),
            ("change> ", "no"),
            ("leave it> ", &typed),
            ("queue> ", "q"),
        ],
        |_| {},
    );
    assert!(spec(&repo).contains("status: draft"), "{said}");
}

#[test]
fn a_person_freezes_and_unfreezes_one_file_that_did_not_move() {
    let repo = draft();
    let place = repo.top.join(".agents/specs/harbor/m/m.feature");
    let read = || std::fs::read_to_string(&place).expect("read");
    let typed = |text: &str| Digest::of(text.as_bytes()).to_string()[..6].to_owned();
    let (thawed, moved) = (read(), format!("{}# more\n", read()));
    let first = typed(&thawed);
    let said = at_terminal(
        &repo,
        &["spec", "gate"],
        &[("gate> ", "f 1"), ("leave it> ", &first)],
        |_| {},
    );
    assert_eq!(read(), PLAIN, "{said}");
    let second = typed(PLAIN);
    let said = at_terminal(
        &repo,
        &["spec", "gate"],
        &[("gate> ", "u 1"), ("leave it> ", &second)],
        |_| {},
    );
    assert_eq!(read(), thawed, "{said}");
    assert_eq!(shards(&repo).len(), 2);
    let said = at_terminal(
        &repo,
        &["spec", "gate"],
        &[("gate> ", "f 1"), ("gate> ", "q")],
        |number| {
            if number == 0 {
                std::fs::write(&place, &moved).expect("written");
            }
        },
    );
    assert!(said.contains("moved since it was shown"), "{said}");
    assert_eq!(read(), moved);
}

#[test]
fn an_observation_of_the_judge_becomes_a_follow_up_or_is_declined_and_never_blocks() {
    let repo = draft();
    let (before, typed) = (spec(&repo), head(&repo));
    repo.write(
        ".agents/plans/c7.judge.md",
        format!(
            "{JUDGE}OBSERVATIONS:\n  - {{ owner: architect, note: the pier has no node, evidence: n/README.md }}\n"
        ),
    );
    let said = at_terminal(
        &repo,
        &["spec", "gate"],
        &[("gate> ", "k 1"), ("leave it> ", &typed)],
        |_| {},
    );
    assert!(said.contains("approve: open"), "{said}");
    let line: serde_json::Value = serde_json::from_str(&shards(&repo)[0]).expect("JSON");
    assert_eq!(line["kind"], "followup", "{said}");
    assert_eq!(line["summary"], "the pier has no node");
    let said = at_terminal(
        &repo,
        &["spec", "gate"],
        &[
            ("gate> ", "d 1"),
            ("declined> ", "it is a harbor, not a pier"),
            ("leave it> ", &typed),
        ],
        |_| {},
    );
    let all = shards(&repo);
    let declined = all.iter().find(|line| line.contains("disposition"));
    let declined = declined.unwrap_or_else(|| panic!("{said}"));
    assert!(
        declined.contains("it is a harbor, not a pier"),
        "{declined}"
    );
    assert_eq!(spec(&repo), before);
}
