//! The public interface, row by row: each command prints exactly one document with its own
//! schema, the fields that others rely on, and the exit code of the table.

use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

use crate::support::countersign;

const CONTRACT: &str = ".claude/tasks/contracts/2026-10-12-winter-0910.md";

const MESSAGE: &str = "gauntlet: gate=chase-bug/verdict-menu recommended=1\n\nPick one:\n\n\
    1. [x] Brainstorm now. [recommended]\n2. [ ] Respond to reporter only.\n\n\
    eligible - all predicates pass\n";

/// Command, exit code, schema, fields that must be there (`a/b` is a field of a field, a number
/// an element).
const ROWS: &[(&str, i32, &str, &str)] = &[
    ("contract show CONTRACT", 0, "contract/1", OF_CONTRACT),
    (
        "contract diff CONTRACT",
        3,
        "contract-diff/1",
        "against commits findings/0/code findings/0/id findings/0/line findings/0/old \
         findings/0/new findings/0/gated",
    ),
    ("floor status CONTRACT", 1, "floor/1", OF_FLOOR),
    ("floor status CONTRACT", 1, "floor/1", OF_CONTRACT),
    ("floor run CONTRACT", 3, "floor/1", OF_CONTRACT),
    ("verify", 5, "verify/1", OF_VERIFY),
    ("menu parse MESSAGE", 0, "menu/1", OF_MENU),
    (
        "menu reply MESSAGE 1",
        0,
        "menu-reply/1",
        "kind n verbs overrides text suffix reason ids gate digest head label",
    ),
    (
        "menu reply MESSAGE wrong",
        1,
        "menu-reply/1",
        "kind text reason",
    ),
    (
        "menu reply MESSAGE 7",
        2,
        "menu-reply/1",
        "kind text reason",
    ),
    (
        "menu reply MESSAGE 1 --head a83be10",
        4,
        "menu-reply/1",
        "kind text reason head",
    ),
    (
        "report lint MESSAGE",
        1,
        "report-lint/1",
        "variant words violations/0/id violations/0/severity violations/0/line \
         violations/0/message violations/0/column violations/0/hint checklist",
    ),
    ("trust list", 0, "trust/1", "approvals pending"),
    (
        "trust show CONTRACT",
        3,
        "trust/1",
        "approvals pending/0/criterion pending/0/command pending/0/why",
    ),
    ("queue", 0, "queue/1", "items unread"),
    (
        "chains",
        0,
        "chains/1",
        "scope/kind scope/name scope/base scope/state scope/files scope/control skills \
         calibration/ok calibration/pairs/0/caller calibration/pairs/0/ok chains unresolved \
         summary/closed summary/open/high summary/open/medium summary/open/low verdict",
    ),
    (
        "assert --gate verify --subject 1 --verdict APPROVED --why green",
        0,
        "assertion/1",
        "id gate subject verdict why snapshot/base snapshot/head snapshot/contract_digest",
    ),
    (
        "queue",
        3,
        "queue/1",
        "items/0/id items/0/repo items/0/change items/0/gate items/0/subject items/0/verdict \
         items/0/why items/0/risk items/0/opens items/0/moved",
    ),
    ("queue --gate floor", 0, "queue/1", "items"),
    ("ledger log", 0, "ledger/1", OF_LEDGER),
    ("ledger show 1", 0, "ledger/1", OF_LEDGER),
    ("ledger verify", 0, "ledger/1", OF_LEDGER),
    ("ledger replay", 0, "ledger/1", OF_LEDGER),
    (
        "config path",
        0,
        "config-path/1",
        "user/path user/exists repository/path",
    ),
    (
        "config print",
        0,
        "config/1",
        "settings/0/key settings/0/value settings/0/from keys",
    ),
    ("config check", 0, "config-check/1", "read faults"),
];

const OF_CONTRACT: &str = "contract/path contract/format contract/confidence contract/digest \
    contract/status contract/supersedes contract/flow contract/branch contract/state \
    contract/date contract/slug contract/request contract/clarifications contract/source \
    contract/blob criteria/0/id criteria/0/text criteria/0/line criteria/0/end_line \
    criteria/0/kind criteria/0/box criteria/0/check criteria/0/expect criteria/0/evidence/text \
    criteria/0/evidence/sealed criteria/0/evidence/tree criteria/0/gated criteria/0/abandon \
    criteria/4/abandon/reason criteria/4/abandon/line criteria/0/anchors/paths \
    criteria/0/anchors/commands criteria/0/anchors/tests criteria/0/optional \
    criteria/0/post_merge criteria/0/disposition scope/0/pattern scope/0/line scope/0/gated \
    scope/0/note errors warnings";

const OF_FLOOR: &str = "verdict/token verdict/count verdict/text runnable/k runnable/n \
    floor_empty criteria/0/state criteria/4/masked criteria/0/run/exit criteria/0/run/signal \
    criteria/0/run/timed_out criteria/0/run/marker criteria/0/run/stream \
    criteria/0/run/duration_ms criteria/0/run/output_bytes criteria/0/run/interference \
    criteria/0/run/isolation criteria/0/run/limit_ms criteria/0/run/place criteria/0/run/shell \
    criteria/3/lints/0/code criteria/3/lints/0/severity criteria/3/lints/0/message";

const OF_MENU: &str = "gate/skill gate/menu gate/recommended done digest head style rows/0/n \
    rows/0/label rows/0/available rows/0/reason rows/0/recommended tail eligibility not_offered \
    violations";

const OF_LEDGER: &str = "status findings entries/0/id entries/0/seq entries/0/shard \
    entries/0/kind entries/0/subject entries/0/verdict entries/0/by entries/0/assurance \
    entries/0/snapshot entries/0/because entries/0/verified";

/// What is refused, with the code of its `error/1`.
const ERRORS: &[(&str, i32, &str)] = &[
    ("contract show none.md", 2, "no-contract-file"),
    (
        "contract show CONTRACT --format nonsense",
        2,
        "unknown-format",
    ),
    ("menu parse none.md", 2, "no-message-file"),
    ("menu reply MESSAGE 1 --head 7c4 --digest x", 2, "usage"),
    ("report lint none.md", 2, "no-message-file"),
    ("report lint MESSAGE --variant x --class y", 2, "usage"),
    ("contract show", 2, "usage"),
    ("contract", 2, "usage"),
    ("queue --nonsense", 2, "usage"),
    ("chains --profile nobody", 2, "no-such-profile"),
    ("chains --skill nobody", 10, "no-such-skill"),
    ("chains --all --pr", 2, "usage"),
    ("floor run CONTRACT --isolation many", 2, "usage"),
    ("ledger show ffff", 2, "no-such-entry"),
    ("trust revoke ffff", 2, "no-approval"),
    (
        "assert --gate none --subject 1 --verdict MET --why x",
        1,
        "refused",
    ),
    ("review", 2, "no-terminal"),
];

const OF_VERIFY: &str = "verdict state row round pr ticket per_exit_criterion/0/criterion \
    per_exit_criterion/0/status per_exit_criterion/0/evidence unresolved_review_comments \
    malformed_minors unresolved_simplify_findings unresolved_adherence_violations \
    scope_overflow/0/file scope_overflow/0/reason scope_overflow/0/disposition rationale \
    root_cause_class reroll_bump second_round_needed triggers breakers nits trace undecided \
    abandoned partial caller gate_session_id review_worktree ruled_tip snapshot/base \
    snapshot/head snapshot/tree snapshot/contract_digest markers round_sources since";

struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        let bench = Self {
            folder: tempfile::tempdir().expect("a folder"),
        };
        let done = countersign(bench.folder.path())
            .args(["demo", "--lay-out"])
            .arg(bench.sample())
            .output()
            .expect("it runs");
        assert!(done.status.success(), "{done:?}");
        std::fs::write(bench.sample().join("message.md"), MESSAGE).expect("a message");
        bench
    }

    fn sample(&self) -> PathBuf {
        self.folder.path().join("sample")
    }

    fn run(&self, words: &str) -> Output {
        let words = words.replace("CONTRACT", CONTRACT);
        let words = words.replace("MESSAGE", "../message.md");
        countersign(self.folder.path())
            .args(words.split(' '))
            .env("COUNTERSIGN_HOME", self.sample().join("countersign"))
            .current_dir(self.sample().join("ferry-42"))
            .output()
            .expect("it runs")
    }
}

fn only_document(done: &Output, words: &str) -> Value {
    let text = String::from_utf8_lossy(&done.stdout);
    assert_eq!(text.lines().count(), 1, "{words}: {text}");
    assert!(text.starts_with("{\"schema\":"), "{words}: {text}");
    serde_json::from_str(&text).expect("JSON")
}

fn has(value: &Value, field: &str) -> bool {
    let pointer = format!("/{field}");
    value.pointer(&pointer).is_some()
}

#[test]
fn each_command_prints_its_document_with_every_field() {
    let bench = Bench::new();
    for (words, exit, schema, fields) in ROWS {
        let done = bench.run(&format!("{words} --json"));
        assert_eq!(done.status.code(), Some(*exit), "{words}: {done:?}");
        let value = only_document(&done, words);
        assert_eq!(value["schema"], format!("countersign/{schema}"), "{words}");
        let missing: Vec<_> = fields
            .split_whitespace()
            .filter(|field| !has(&value, field))
            .collect();
        assert!(missing.is_empty(), "{words} lacks {missing:?}");
        let text = bench.run(words);
        assert_ne!(text.stdout.first(), Some(&b'{'), "{words}: text is text");
    }
}

#[test]
fn a_failure_is_a_document_with_the_exit_as_its_kind() {
    let bench = Bench::new();
    for (words, exit, code) in ERRORS {
        let done = bench.run(&format!("{words} --json"));
        assert_eq!(done.status.code(), Some(*exit), "{words}: {done:?}");
        let value = only_document(&done, words);
        assert_eq!(value["schema"], "countersign/error/1", "{words}");
        assert_eq!(
            (&value["kind"], &value["code"]),
            (&Value::from(*exit), &Value::from(*code)),
            "{words}: {value}"
        );
        assert!(!value["message"].as_str().unwrap_or_default().is_empty());
        assert!(
            !value["hints"].as_array().expect("hints").is_empty(),
            "{words}"
        );
        assert!(value["positions"].is_array(), "{words}");
        let text = bench.run(words);
        assert!(text.stdout.is_empty(), "{words}: {text:?}");
        assert!(!text.stderr.is_empty(), "{words}");
    }
}

#[test]
fn a_session_that_only_reads_ends_with_its_line_alone_on_the_last_one() {
    let bench = Bench::new();
    let done = bench.run("review --plain");
    assert_eq!(done.status.code(), Some(5), "{done:?}");
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    let last = text.lines().last().expect("a line");
    let value: Value = serde_json::from_str(last).expect("the last line is JSON");
    assert_eq!(value["schema"], "countersign/session/1");
    let fields = "change base head contract/path contract/digest round gates ruling owed decided \
                  edits handoff exit";
    for field in fields.split_whitespace() {
        assert!(has(&value, field), "{field}: {value}");
    }
    assert!(!text.contains("> "), "nobody is asked: {text}");
}

#[test]
fn a_changed_ledger_is_the_first_thing_said_and_ends_with_10() {
    let bench = Bench::new();
    assert_eq!(
        bench
            .run("assert --gate verify --subject 1 --verdict APPROVED --why green")
            .status
            .code(),
        Some(0)
    );
    let shard = shards(&bench.sample()).pop().expect("a shard");
    let whole = std::fs::read(&shard).expect("a shard");
    let mut cut = whole.clone();
    cut.truncate(
        whole[..whole.len() - 1]
            .iter()
            .rposition(|b| *b == b'\n')
            .map_or(0, |at| at + 1),
    );
    let mut flipped = whole.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 1;
    for (name, bytes) in [
        ("cut", Some(cut)),
        ("flipped", Some(flipped)),
        ("deleted", None),
    ] {
        match bytes {
            Some(bytes) => std::fs::write(&shard, bytes).expect("a shard"),
            None => std::fs::remove_file(&shard).expect("a shard"),
        }
        assert_eq!(bench.run("ledger verify").status.code(), Some(3), "{name}");
        let done = bench.run("review --plain");
        assert_eq!(done.status.code(), Some(10), "{name}: {done:?}");
        let text = String::from_utf8_lossy(&done.stdout).into_owned();
        let greeting: String = text.lines().take(5).collect::<Vec<_>>().join(" ");
        assert!(greeting.contains("nothing can be signed"), "{name}: {text}");
        assert!(
            greeting.contains("the ledger was changed"),
            "{name}: {text}"
        );
        let last = text.lines().last().expect("a line");
        let value: Value = serde_json::from_str(last).expect("JSON");
        assert_eq!(value["gates"]["ruling"], "could not measure", "{name}");
        assert!(!last.contains("APPROVED"), "{name}: {last}");
        std::fs::write(&shard, &whole).expect("a shard");
    }
    let mut torn = whole.clone();
    torn.extend_from_slice(b"{\"half");
    std::fs::write(&shard, torn).expect("a shard");
    assert_eq!(bench.run("ledger verify").status.code(), Some(1), "torn");
    std::fs::write(&shard, &whole).expect("a shard");
    assert_eq!(
        bench.run("ledger verify").status.code(),
        Some(0),
        "as it was"
    );
}

/// All shards, the longest last.
fn shards(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.join("countersign/state")];
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|e| e == "jsonl") {
                found.push(path);
            }
        }
    }
    found.sort_by_key(|path| std::fs::metadata(path).map_or(0, |about| about.len()));
    found
}

/// Every command with its help, found by asking for it.
fn commands() -> Vec<String> {
    fn below(command: &clap::Command, path: &str, out: &mut Vec<String>) {
        for sub in command.get_subcommands() {
            let path = format!("{path} {}", sub.get_name());
            below(sub, &path, out);
            out.push(path.trim_start().to_owned());
        }
    }
    let mut out = Vec::new();
    below(&countersign::cli::args::definition(), "", &mut out);
    out
}

#[test]
fn the_help_of_every_command_states_the_exit_codes() {
    let home = tempfile::tempdir().expect("a folder");
    let all = commands();
    assert!(all.len() > 20, "{all:?}");
    for command in all {
        let done = countersign(home.path())
            .args(command.split(' '))
            .arg("--help")
            .output()
            .expect("it runs");
        assert!(done.status.success(), "{command}");
        let text = String::from_utf8_lossy(&done.stdout).into_owned();
        for code in ["0", "1", "2", "3", "4", "5", "10"] {
            let row = |line: &str| line.split_whitespace().next() == Some(code);
            assert!(
                text.lines().any(row),
                "{command}: no row for {code}\n{text}"
            );
        }
    }
}

#[test]
fn the_manual_page_describes_every_command_and_code_on_one_page() {
    let home = tempfile::tempdir().expect("a folder");
    let done = countersign(home.path())
        .arg("man")
        .output()
        .expect("it runs");
    assert!(done.status.success());
    let page = String::from_utf8_lossy(&done.stdout).replace('\\', "");
    for command in commands() {
        let group = commands()
            .iter()
            .any(|c| c.starts_with(&format!("{command} ")));
        let heading = format!("countersign {command}\"");
        assert!(group || page.contains(&heading), "{command} in\n{page}");
    }
    for words in ["EXIT STATUS", "could not measure", "SCRIPTS OF KEYS", "-C"] {
        assert!(page.contains(words), "{words}");
    }
    assert!(
        !page.contains("countersign-review(1)"),
        "there is no such page"
    );
}

#[test]
fn completions_know_the_commands_in_every_shell() {
    let home = tempfile::tempdir().expect("a folder");
    for shell in ["bash", "zsh", "fish"] {
        let done = countersign(home.path())
            .args(["completions", shell])
            .output()
            .expect("it runs");
        assert!(done.status.success(), "{shell}");
        let text = String::from_utf8_lossy(&done.stdout).into_owned();
        for word in ["review", "floor", "ledger", "no-write"] {
            assert!(text.contains(word), "{shell} lacks {word}");
        }
        assert!(!text.contains("--no-reader"), "{shell}");
    }
    let done = countersign(home.path())
        .args(["completions", "tcl"])
        .output()
        .expect("it runs");
    assert_eq!(done.status.code(), Some(2));
}

#[test]
fn a_reserved_name_in_the_config_is_refused() {
    let bench = Bench::new();
    let folder = bench.sample().join("countersign/config");
    std::fs::create_dir_all(&folder).expect("a folder");
    for (name, exit) in [("agent", 2), ("Agent", 2), ("tool", 2), ("Ada Osei", 0)] {
        let text = format!("name = \"{name}\"\n");
        std::fs::write(folder.join("config.toml"), text).expect("a file");
        let done = bench.run("config check");
        assert_eq!(done.status.code(), Some(exit), "{name}: {done:?}");
    }
}
