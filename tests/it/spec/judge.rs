//! The external judge: run on a person's word only, cold, ended in time, its report read whole or
//! refused whole, the network only where the person's own configuration grants it.

use std::net::TcpListener;
use std::path::Path;

use serde_json::Value;

use super::queue::{PLAIN, asserted, at_terminal, grown, talk};
use crate::git::repo::Repo;
use crate::support::countersign;

/// The start of a report that lets a change advance.
const GOOD: &str = "STATUS: complete\\nPREFLIGHT: { result: pass }\\nLENS: { oracle: pass, builder: pass, architect: pass }\\nALIGNED: true\\n";

/// Sets the judge in the person's configuration.
fn configure(repo: &Repo, command: &str, more: &str) {
    let folder = repo.home().join("countersign/config");
    std::fs::create_dir_all(&folder).expect("made");
    let text = format!("judge = '''{command}'''\n{more}");
    std::fs::write(folder.join("config.toml"), text).expect("written");
}

/// Runs the judge without a terminal.
fn unseen(repo: &Repo) -> (Option<i32>, Value) {
    let out = countersign(repo.home())
        .current_dir(&repo.top)
        .args(["--json", "spec", "judge"])
        .output()
        .expect("it runs");
    let value = serde_json::from_slice(&out.stdout);
    (out.status.code(), value.expect("one JSON document"))
}

/// Runs it at a terminal, with these words at the question.
fn seen(repo: &Repo, words: &str) -> String {
    at_terminal(repo, &["spec", "judge"], &[("to leave: ", words)], |_| {})
}

/// Runs it as a person who trusts it, whatever comes of it, then once more.
fn trusted(repo: &Repo) -> (Option<i32>, Value) {
    let words = [("to leave: ", "trust judge")];
    let (_, said) = talk(repo, &["spec", "judge"], &words, |_| {});
    assert!(said.contains("COMMAND"), "{said}");
    unseen(repo)
}

fn reports(repo: &Repo) -> usize {
    let folder = repo.home().join("countersign/state/judged");
    std::fs::read_dir(folder).map_or(0, Iterator::count)
}

/// Private folders that were left behind.
fn left(repo: &Repo) -> usize {
    let folder = repo.home().join("countersign/cache/judge");
    std::fs::read_dir(folder).map_or(0, Iterator::count)
}

/// Takes the agent's own report away, so that only the judge's counts.
fn alone(repo: &Repo) {
    std::fs::remove_file(repo.top.join(".agents/plans/c7.judge.md")).expect("gone");
}

fn observed(value: &Value) -> String {
    let note = &value["report"]["observations"][0]["note"];
    note.as_str()
        .unwrap_or_else(|| panic!("no note in {value:#}"))
        .to_owned()
}

#[test]
#[cfg_attr(no_bwrap, ignore = "bubblewrap is not installed")]
fn what_nobody_approved_is_not_run_and_any_other_byte_asks_again() {
    let repo = asserted(PLAIN, &grown());
    alone(&repo);
    let command = format!("printf '{GOOD}'");
    configure(&repo, &command, "");
    let (exit, value) = unseen(&repo);
    assert_eq!((exit, reports(&repo)), (Some(3), 0), "{value:#}");
    assert_eq!(
        (&value["state"], &value["why"][0]),
        (&"not-started".into(), &"not approved".into())
    );
    // other words are no yes
    let said = seen(&repo, "yes");
    assert!(said.contains("not approved"), "{said}");
    assert_eq!(reports(&repo), 0, "{said}");
    // the same command, once a person approved it
    let said = seen(&repo, "trust judge");
    assert!(said.contains("lens builder: PASS"), "{said}");
    assert_eq!(reports(&repo), 1, "{said}");
    let (exit, value) = unseen(&repo);
    assert_eq!(exit, Some(0), "{value:#}");
    // the gate counts it from now on
    let gate = || -> Value {
        let out = countersign(repo.home())
            .current_dir(&repo.top)
            .args(["--json", "spec", "gate"])
            .output()
            .expect("it runs");
        serde_json::from_slice(&out.stdout).expect("JSON")
    };
    assert_eq!(gate()["judge"]["from"], "the report of your own judge");
    assert_eq!(gate()["closed"], serde_json::json!([]));
    // another byte of the command, another reach, another copy: each asks again, and what was
    // said over other copies counts no more
    configure(&repo, &format!("{command} "), "");
    assert_eq!(unseen(&repo).0, Some(3), "another command");
    configure(&repo, &command, "judge-network = true\n");
    assert_eq!(unseen(&repo).0, Some(3), "another reach");
    configure(&repo, &command, "judge-reads = [\"/usr/share\"]\n");
    assert_eq!(unseen(&repo).0, Some(3), "another reach");
    configure(&repo, &command, "");
    assert_eq!(unseen(&repo).0, Some(0));
    repo.write(
        ".agents/specs/harbor/n/n.feature",
        grown().replace("names it", "names her"),
    );
    assert_eq!(unseen(&repo).0, Some(3), "other copies");
    assert_eq!(gate()["judge"], Value::Null);
    assert_eq!(reports(&repo), 1);
    let said = seen(&repo, "t");
    assert!(said.contains("over other copies, by you"), "{said}");
    assert_eq!(reports(&repo), 2, "one key renews it: {said}");
    assert_eq!(left(&repo), 0);
}

#[test]
#[cfg_attr(no_bwrap, ignore = "bubblewrap is not installed")]
fn it_sees_the_spec_and_the_suites_and_nothing_else_of_the_person() {
    let repo = asserted(PLAIN, &grown());
    repo.write(".agents/specs/harbor/n/solution.md", "how it is built\n");
    std::fs::write(repo.home().join("secret"), "mine").expect("written");
    let home = repo.home().display().to_string();
    let look = format!(
        "in=$(find . -type f | sort | tr '\\n' ' '); all=$(find {home} -type f 2>/dev/null \
         | wc -l); top=$(cat {}/.agents/specs/harbor/n/solution.md {home}/secret 2>/dev/null | \
         wc -c); agent=$(env | grep -c -e SSH_ -e _TOKEN=)",
        repo.top.display()
    );
    let say = "note: \"in: $in all: $all top: $top agent: $agent touched: $SPEC_TOUCHED\"";
    let command = format!(
        "{look}; printf '{GOOD}'; echo \"OBSERVATIONS: [{{ owner: architect, evidence: x, {} }}]\"",
        say.replace('"', "\\\"")
    );
    // the same look from outside sees more: the test would notice
    let outside = std::process::Command::new("bash")
        .args(["-c", &format!("{look}; echo $all $top")])
        .current_dir(&repo.top)
        .output()
        .expect("bash");
    let outside = String::from_utf8_lossy(&outside.stdout).into_owned();
    let numbers: Vec<usize> = outside
        .split_whitespace()
        .map(|number| number.parse().expect("a number"))
        .collect();
    assert!(numbers[0] > 4 && numbers[1] == 20, "{outside}");
    configure(&repo, &command, "");
    let (exit, value) = trusted(&repo);
    assert_eq!(exit, Some(0), "{value:#}");
    assert_eq!(
        observed(&value).trim(),
        "in: ./n/n.feature ./spec.md  all: 2 top: 0 agent: 0 touched: n/n.feature"
    );
    // a folder that the change lies in cannot be opened to it
    let reads = format!("judge-reads = [\"{home}\"]\n");
    configure(&repo, &command, &reads);
    let (exit, value) = unseen(&repo);
    assert_eq!(exit, Some(2), "{value:#}");
    let why = value["why"][0].as_str().expect("why");
    assert!(why.contains("which the change lies in"), "{why}");
}

#[test]
#[cfg_attr(no_bwrap, ignore = "bubblewrap is not installed")]
fn one_that_hangs_is_ended_and_nothing_of_it_is_left() {
    let repo = asserted(PLAIN, &grown());
    let number = 7_000_000 + std::process::id();
    let command = format!("sleep {number} & printf '{GOOD}'; sleep {number}");
    configure(&repo, &command, "judge-seconds = 1\n");
    let (exit, value) = trusted(&repo);
    assert_eq!(exit, Some(10), "{value:#}");
    assert_eq!(
        (&value["state"], &value["why"][0]),
        (&"failed".into(), &"it was ended after 1 s".into())
    );
    assert_eq!((reports(&repo), left(&repo)), (0, 0));
    assert!(!runs(&number.to_string()), "a sleep is left");
}

/// Whether a process has this word on its command line.
fn runs(word: &str) -> bool {
    let all = std::fs::read_dir("/proc").expect("proc").flatten();
    let mut lines = all.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines.any(|line| {
        let mut words = line.split(|b| *b == 0);
        words.next() == Some(b"sleep") && words.next() == Some(word.as_bytes())
    })
}

#[test]
#[cfg_attr(no_bwrap, ignore = "bubblewrap is not installed")]
fn a_bad_report_is_refused_whole() {
    let bad = [
        // a lens fails and nothing else says so, yet another field is no field at all
        (
            "STATUS: complete\\nALIGNED: maybe\\n",
            "ALIGNED is neither true nor false",
        ),
        ("no report at all\\n", "it cannot be read"),
    ];
    for (text, fault) in bad {
        let repo = asserted(PLAIN, &grown());
        configure(&repo, &format!("printf '{text}'"), "");
        let (exit, value) = trusted(&repo);
        assert_eq!(exit, Some(10), "{value:#}");
        assert_eq!(value["report"]["state"], "refused", "{value:#}");
        let faults = value["report"]["faults"].to_string();
        assert!(faults.contains(fault), "{faults}");
        // the agent's own report, which says yes, does not come back in its place
        let out = countersign(repo.home())
            .current_dir(&repo.top)
            .args(["--json", "spec", "gate"])
            .output()
            .expect("it runs");
        let gate: Value = serde_json::from_slice(&out.stdout).expect("JSON");
        let closed = gate["closed"].to_string();
        assert!(closed.contains("the judge report is refused"), "{closed}");
    }
    // one that ends badly, or says nothing, has no report at all
    let repo = asserted(PLAIN, &grown());
    let command = format!("printf '{GOOD}'; echo tired >&2; exit 3");
    configure(&repo, &command, "");
    let (exit, value) = trusted(&repo);
    assert_eq!(exit, Some(10), "{value:#}");
    assert_eq!(value["why"][0], "it ended with 3; its last words: tired");
    assert_eq!(reports(&repo), 0);
}

#[test]
#[cfg_attr(no_bwrap, ignore = "bubblewrap is not installed")]
fn the_network_is_the_persons_to_grant() {
    let repo = asserted(PLAIN, &grown());
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let command = format!(
        "if (exec 3<>/dev/tcp/127.0.0.1/{port}) 2>/dev/null; then net=open; else net=shut; fi; \
         printf '{GOOD}'; echo \"OBSERVATIONS: [{{ owner: architect, note: $net, evidence: x }}]\""
    );
    configure(&repo, &command, "");
    let (exit, value) = trusted(&repo);
    assert_eq!((exit, observed(&value)), (Some(0), String::from("shut")));
    assert_eq!(value["network"], false);
    configure(&repo, &command, "judge-network = true\n");
    let (exit, value) = trusted(&repo);
    assert_eq!((exit, observed(&value)), (Some(0), String::from("open")));
    // a repository cannot grant it
    repo.write(".countersign.toml", "judge-network = true\n");
    configure(&repo, &command, "");
    assert_eq!(observed(&unseen(&repo).1), "shut");
}

#[test]
fn it_does_not_start_before_structure_is_clean() {
    let repo = asserted(PLAIN, &grown());
    let suite = Path::new(".agents/specs/harbor/n/n.feature");
    repo.write(
        suite.to_str().expect("plain"),
        grown().replace("When it leaves", "When it sometimes leaves"),
    );
    configure(&repo, "printf x", "");
    let (exit, value) = unseen(&repo);
    assert_eq!(exit, Some(1), "{value:#}");
    let why = value["why"].to_string();
    assert!(why.contains("sometimes"), "{why}");
    assert_eq!(reports(&repo), 0);
    // and without one there is nothing to run
    std::fs::remove_file(repo.home().join("countersign/config/config.toml")).expect("gone");
    let out = countersign(repo.home())
        .current_dir(&repo.top)
        .args(["spec", "judge"])
        .output()
        .expect("it runs");
    assert_eq!(out.status.code(), Some(2));
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(said.contains("names no judge"), "{said}");
}
