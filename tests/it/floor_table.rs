//! `floor run` against its truth table, `tests/truth/floor-run.md`, and what its flags and the
//! person's configuration do. All of it as a person without special rights.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use countersign::adapters::oracle::wall;
use countersign::model::oracle::Isolation;
use serde_json::Value;

use crate::floor_run::{Desk, contract, desk, desk_with, evidence};
use crate::support::{countersign_as_other_user, hand_over};
use crate::truth;

impl Desk {
    fn configure(&self, text: &str) {
        let folder = self.home.path().join("countersign/config");
        fs::create_dir_all(&folder).expect("made");
        fs::write(folder.join("config.toml"), text).expect("written");
        hand_over(self.home.path());
    }

    fn trust_all(&self, flags: &[&str], count: usize) {
        let words: Vec<_> = (1..=count).map(|n| format!("trust {n}")).collect();
        let words: Vec<_> = words.iter().map(String::as_str).collect();
        let seen = self.type_into_trust_with(flags, &words);
        assert_eq!(seen.matches("trusted as").count(), count, "{seen}");
    }
}

fn said(out: &Output) -> String {
    String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr)
}

/// Whether the text is the pattern's, where `*` stands for anything.
fn fits(pattern: &str, text: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(text) = text.strip_prefix(head) else {
        return false;
    };
    (0..=text.len()).any(|at| text.get(at..).is_some_and(|tail| fits(rest, tail)))
}

#[test]
#[cfg_attr(any(no_bash, no_setpriv), ignore = "no bash or no setpriv")]
fn every_row_of_the_table_has_its_verdict_and_its_evidence() {
    let cases = truth::cases("floor-run.md");
    let oracles: Vec<(&str, &str)> = cases
        .iter()
        .map(|case| {
            let line = case.input.trim_end_matches('\n');
            line.split_once(" => ").unwrap_or((line, "all-ok"))
        })
        .collect();
    let desk = desk(&contract(&oracles));
    desk.configure("oracle-seconds = 1\njobs = 3\noracle-env = [\"FERRY_MODE\"]\n");
    desk.trust_all(&[], oracles.len());
    let out = countersign_as_other_user(desk.home.path())
        .current_dir(desk.work())
        .args(["floor", "run", "contract.md", "--json"])
        .envs([
            ("GITHUB_TOKEN", "secret-1"),
            ("AWS_SECRET_ACCESS_KEY", "secret-2"),
            ("SSH_AUTH_SOCK", "secret-3"),
            ("GIT_DIR", "secret-4"),
            ("HARBOR", "secret-5"),
            ("FERRY_MODE", "winter"),
        ])
        .output()
        .expect("it runs");
    assert_eq!(out.status.code(), Some(1), "{}", said(&out));
    let json: Value = serde_json::from_slice(&out.stdout).expect("JSON");
    let text = desk.contract();
    assert!(!text.contains("secret-") && !text.contains('\u{1b}'));
    let written = evidence(&text);
    assert_eq!(written.len(), cases.len(), "{text}");
    let mut wrong = Vec::new();
    for (number, case) in cases.iter().enumerate() {
        let ours = case
            .says
            .lines()
            .find_map(|line| line.strip_prefix("ours: "));
        let (state, slot) = ours
            .and_then(|ours| ours.split_once(" | "))
            .expect("a line for ours");
        let row = &json["criteria"][number];
        if row["state"] != state || !fits(slot, &written[number]) {
            wrong.push(format!(
                "{}: {} | {}",
                case.title, row["state"], written[number]
            ));
        }
        let took = row["run"]["duration_ms"].as_u64().expect("milliseconds");
        assert!(took < 4000, "{}: {took}", case.title);
        assert_eq!(row["run"]["limit_ms"], 1000, "{}", case.title);
        let left = row["run"]["survivors"].as_array().expect("a list");
        assert_eq!(
            !left.is_empty(),
            case.input.contains("sleep 61"),
            "{}: {left:?}",
            case.title
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
#[cfg_attr(any(no_bash, no_setpriv), ignore = "no bash or no setpriv")]
fn a_check_that_edits_its_own_contract_destroys_nothing() {
    let text = contract(&[
        (
            "sed -i '1i <!-- inserted -->' contract.md; echo all-ok",
            "all-ok",
        ),
        ("echo two-ok", "two-ok"),
        (
            "sed -i 's/^ *EXPECT: four-ok/   EXPECT: f/' contract.md; echo 3-ok",
            "3-ok",
        ),
        ("echo four-ok", "four-ok"),
    ]);
    let desk = desk(&text);
    desk.trust_all(&["--live"], 4);
    let (code, json) = desk.floor_run(&["--live"]);
    assert_eq!(code, 1, "{json}");
    let now = desk.contract();
    assert!(now.starts_with("<!-- inserted -->\n"), "{now}");
    for line in text.lines().filter(|l| l.contains("CHECK: ")) {
        assert!(now.contains(line), "{line}: {now}");
    }
    assert_eq!(now.matches("\n   EXPECT: ").count(), 4);
    let slots = evidence(&now);
    for slot in [&slots[0], &slots[2]] {
        assert!(
            slot.starts_with("NOT-MET exit=0 interfered :: contract"),
            "{slots:?}"
        );
    }
    assert_eq!(json["criteria"][0]["state"], "ERROR");
    assert_eq!(slots[3], "pending", "its oracle is another one now");
    assert_eq!(
        json["written"]["discarded"][0]["id"], "4",
        "{}",
        json["written"]
    );
}

#[test]
#[cfg_attr(any(no_bash, no_setpriv), ignore = "no bash or no setpriv")]
fn jobs_run_at_once_each_in_a_checkout_of_its_own() {
    let meet = |mine: &str, other: &str| {
        let name = format!("/dev/shm/countersign-{}", std::process::id());
        format!(
            "touch {name}.{mine}; until test -e {name}.{other}; do sleep 0.02; done; \
             sleep 0.2; rm -f {name}.{mine}; pwd; echo all-ok"
        )
    };
    let (one, two) = (meet("a", "b"), meet("b", "a"));
    let desk = desk(&contract(&[(&one, "all-ok"), (&two, "all-ok")]));
    desk.configure("oracle-seconds = 10\n");
    desk.trust_all(&[], 2);
    let (code, json) = desk.floor_run(&["--jobs", "2"]);
    assert_eq!(code, 0, "{json}");
    let slots = evidence(&desk.contract());
    assert_ne!(slots[0], slots[1]);
    for wrong in ["0", "65"] {
        let out = desk.command("floor", &["run", "contract.md", "--jobs", wrong]);
        assert_eq!(out.status.code(), Some(2), "{}", said(&out));
    }
}

#[test]
#[cfg_attr(any(no_bash, no_setpriv), ignore = "no bash or no setpriv")]
fn only_runs_one_and_no_write_leaves_the_contract_alone() {
    let text = contract(&[("echo all-ok", "all-ok"), ("echo two-ok", "two-ok")]);
    let desk = desk(&text);
    desk.trust_all(&[], 2);
    let (code, json) = desk.floor_run(&["--only", "2", "--no-write"]);
    assert_eq!(code, 1);
    assert_eq!(json["criteria"][0]["state"], "PENDING");
    assert_eq!(json["criteria"][1]["state"], "MET");
    assert_eq!(desk.contract(), text);
    desk.floor_run(&["--only", "2"]);
    assert_eq!(evidence(&desk.contract())[0], "pending");
    let out = desk.command("floor", &["run", "contract.md", "--only", "02"]);
    assert_eq!(out.status.code(), Some(2), "{}", said(&out));
}

#[test]
#[cfg_attr(any(no_bash, no_setpriv), ignore = "no bash or no setpriv")]
fn build_outputs_stay_until_a_cold_run() {
    let check = "test ! -e target/x && mkdir -p target && touch target/x && echo all-ok";
    let desk = desk_with(
        &contract(&[(check, "all-ok")]),
        &[(".gitignore", "target/\n")],
    );
    desk.trust_all(&[], 1);
    for (flags, code) in [(&[][..], 0), (&[], 1), (&["--cold"], 0), (&[], 1)] {
        let (got, json) = desk.floor_run(flags);
        assert_eq!(got, code, "{flags:?}: {json}");
    }
}

#[test]
#[cfg_attr(any(no_bash, no_setpriv), ignore = "no bash or no setpriv")]
fn an_interrupt_ends_the_run_and_writes_nothing() {
    let nap = format!("600.{}", std::process::id());
    let text = contract(&[(&format!("echo all-ok; sleep {nap}"), "all-ok")]);
    let desk = desk(&text);
    desk.trust_all(&[], 1);
    let mut child = countersign_as_other_user(desk.home.path())
        .current_dir(desk.work())
        .args(["floor", "run", "contract.md"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
    let running = lines.any(|line| line.is_ok_and(|line| line.contains(": running, at most")));
    assert!(running);
    until("the oracle sleeps", || {
        !processes(&format!("sleep\0{nap}\0")).is_empty()
    });
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("sent");
    let status = child.wait().expect("it ends");
    assert_eq!(status.code(), Some(1), "pending");
    assert!(processes(&format!("sleep\0{nap}\0")).is_empty());
    assert_eq!(desk.contract(), text);
}

#[test]
#[cfg_attr(any(no_bash, no_setpriv), ignore = "no bash or no setpriv")]
fn a_flood_is_counted_whole_and_costs_little_memory() {
    let desk = desk(&contract(&[(
        "head -c 300000000 /dev/zero | tr '\\0' 'x'; echo; echo all-ok",
        "all-ok",
    )]));
    desk.trust_all(&[], 1);
    let child = countersign_as_other_user(desk.home.path())
        .current_dir(desk.work())
        .args(["floor", "run", "contract.md", "--json"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("it runs");
    let program = desk.home.path().join("countersign-under-test");
    let ours = move || {
        let own = processes(&program.to_string_lossy());
        own.into_iter()
            .chain(processes("countersign: "))
            .filter_map(peak_kib)
            .max()
    };
    let mut peak = 0;
    let pid = child.id();
    let waiting = std::thread::spawn(move || child.wait_with_output());
    while !waiting.is_finished() {
        peak = peak
            .max(peak_kib(pid).unwrap_or(0))
            .max(ours().unwrap_or(0));
        std::thread::sleep(Duration::from_millis(20));
    }
    let out = waiting.join().expect("no panic").expect("it ran");
    let json: Value = serde_json::from_slice(&out.stdout).expect("JSON");
    let row = &json["criteria"][0];
    assert_eq!(row["state"], "MET", "{row}");
    assert_eq!(row["run"]["output_bytes"], 300_000_008);
    assert!((1..(20 + 64) << 10).contains(&peak), "{peak} KiB");
}

#[test]
#[cfg_attr(any(no_bash, no_setpriv), ignore = "no bash or no setpriv")]
fn the_configuration_holds_for_every_run() {
    let desk = desk(&contract(&[("echo all-ok", "all-ok")]));
    let show = |flags: &[&str]| {
        let mut all = vec!["show", "contract.md", "--json"];
        all.extend(flags);
        desk.command("trust", &all)
    };
    desk.configure("oracle-seconds = 7\n");
    let json: Value = serde_json::from_slice(&show(&[]).stdout).expect("JSON");
    assert_eq!(json["pending"][0]["limit_ms"], 7000);
    desk.configure("isolation-floor = 3\n");
    let out = show(&[]);
    match wall::offers(Isolation::Network) {
        Ok(()) => {
            let json: Value = serde_json::from_slice(&out.stdout).expect("JSON");
            assert_eq!(json["pending"][0]["isolation"], 3);
        }
        Err(_) => {
            let said = String::from_utf8_lossy(&out.stderr).into_owned();
            assert_eq!(out.status.code(), Some(10), "{said}");
            assert!(said.contains("isolation level 3 is not to be had here"));
        }
    }
    let rows = [
        (
            "oracle-env = [\"GITHUB_TOKEN\"]\n",
            2,
            "GITHUB_TOKEN never passes",
        ),
        ("oracle-seconds = 0\n", 2, "oracle-seconds takes 1 to 86400"),
    ];
    for (config, code, words) in rows {
        desk.configure(config);
        let run = desk.command("floor", &["run", "contract.md"]);
        for out in [show(&[]), run] {
            assert!(said(&out).contains(words), "{config}: {}", said(&out));
            assert_eq!(out.status.code(), Some(code), "{config}");
        }
    }
    desk.configure("isolation-floor = 2\n");
    let out = show(&["--isolation", "1"]);
    assert!(
        said(&out).contains("below the policy's 2"),
        "{}",
        said(&out)
    );
}

#[test]
#[cfg_attr(any(no_bash, no_setpriv), ignore = "no bash or no setpriv")]
fn an_empty_floor_never_looks_green() {
    let text = "# CONTRACT — x\n\n## ACCEPTANCE CRITERIA\n1. reads well\n2. looks well\n";
    let desk = desk(text);
    for command in ["status", "run"] {
        let out = desk.command("floor", &[command, "contract.md"]);
        let said = said(&out);
        assert_eq!(out.status.code(), Some(0), "{said}");
        assert!(
            said.contains("FLOOR EMPTY: none of 2 criteria has an oracle"),
            "{said}"
        );
        assert!(said.ends_with("GATES — VERDICT: MET\n"), "{said}");
    }
}

#[test]
#[cfg_attr(any(no_bash, no_setpriv), ignore = "no bash or no setpriv")]
fn a_record_that_cannot_be_read_is_said_to_be_so() {
    let desk = desk(&contract(&[("echo all-ok", "all-ok")]));
    desk.trust_all(&[], 1);
    assert_eq!(desk.floor_run(&[]).0, 0);
    let status = || desk.command("floor", &["status", "contract.md"]);
    assert!(
        said(&status()).contains("1   MET-RECORDED "),
        "{}",
        said(&status())
    );
    assert!(!said(&status()).contains("NOT LOOKED"));
    let state = desk.home.path().join("countersign/state");
    let shards = crate::floor_run::walk(&state);
    let shards = shards
        .iter()
        .filter(|p| p.extension().is_some_and(|e| e == "jsonl"));
    for shard in shards.filter(|p| !p.ends_with("approvals.jsonl")) {
        fs::set_permissions(shard, fs::Permissions::from_mode(0o000)).expect("set");
    }
    let text = said(&status());
    assert!(
        text.contains("NOT LOOKED: the ledger could not be read"),
        "{text}"
    );
    assert!(text.contains("1   PENDING "), "{text}");
    assert_eq!(status().status.code(), Some(1));
}

/// Processes whose command line begins with this.
fn processes(begin: &str) -> Vec<u32> {
    let all = fs::read_dir("/proc").into_iter().flatten().flatten();
    all.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|pid| {
            fs::read(Path::new("/proc").join(format!("{pid}/cmdline")))
                .is_ok_and(|line| line.starts_with(begin.as_bytes()))
        })
        .collect()
}

/// The most memory that a process ever held.
fn peak_kib(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

fn until(what: &str, mut is: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !is() {
        assert!(Instant::now() < end, "waited for: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
