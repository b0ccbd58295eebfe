//! Checks that run away: daemons, double forks, whoever ignores signals, floods, loops of forks.
//! None holds a run up, none is left, none costs memory.
//!
//! `COUNTERSIGN_FIGURES=1` makes two hundred of them instead of one of each kind.

use std::fs;
use std::io::Write as _;
use std::time::{Duration, Instant};

use countersign::adapters::oracle::wall;
use countersign::model::oracle::{Ended, Isolation};

use super::{PROGRAM, bench_at, living, nap, oracle};
use crate::support::{as_other_user, hand_over, is_root};

/// What a run may take beyond its leader's end or its limit.
const LATE: Duration = Duration::from_secs(2);
/// TERM, two seconds, KILL.
const GRACE: Duration = Duration::from_secs(2);
/// For those whose leader does not end.
const LIMIT: Duration = Duration::from_millis(300);
/// How much the keepers of a run may grow while a GiB goes by.
const GROWTH: u64 = 64 << 20;

/// The check, and whether its leader ends by itself.
const KINDS: [(&str, bool); 10] = [
    ("sleep NAP & echo all-ok", true),
    ("setsid sleep NAP & echo all-ok", true),
    ("(setsid bash -c 'sleep NAP & exit' &); echo all-ok", true),
    (
        "setsid nohup sleep NAP >/dev/null 2>&1 </dev/null & echo all-ok",
        true,
    ),
    (
        "bash -c 'trap \"\" TERM INT HUP; exec sleep NAP' & echo all-ok",
        true,
    ),
    ("yes & sleep NAP & echo all-ok", true),
    (
        "spin() { while :; do setsid sleep NAP & sleep 0.02; done; }; spin & sleep 0.05; echo all-ok",
        true,
    ),
    ("trap '' TERM INT HUP; while :; do sleep NAP; done", false),
    ("sleep NAP & kill -STOP $$", false),
    ("while :; do :; done & sleep NAP", false),
];

fn runs() -> usize {
    match std::env::var_os("COUNTERSIGN_FIGURES") {
        Some(_) => 200,
        None => KINDS.len(),
    }
}

/// Bytes that we and our keepers hold at most so far, each counted once.
fn most_held() -> u64 {
    let mut waiting = vec![std::process::id()];
    let mut held = 0;
    while let Some(pid) = waiting.pop() {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let peak = peak.and_then(|text| text.trim().split(' ').next()?.parse::<u64>().ok());
        held += peak.unwrap_or(0) << 10;
        for task in fs::read_dir(format!("/proc/{pid}/task"))
            .into_iter()
            .flatten()
            .flatten()
        {
            let text = fs::read_to_string(task.path().join("children")).unwrap_or_default();
            waiting.extend(
                text.split_whitespace()
                    .filter_map(|pid| pid.parse::<u32>().ok()),
            );
        }
    }
    held
}

#[test]
fn whatever_runs_away_is_gone_in_time_and_costs_no_memory() {
    if is_root() && std::env::var_os(PROGRAM).is_none() {
        return again_without_special_rights();
    }
    let mut levels = vec![Isolation::Session];
    levels.extend(
        [Isolation::Files, Isolation::Network]
            .into_iter()
            .filter(|l| wall::offers(*l).is_ok()),
    );
    let (mut left, mut late, mut slowest) = (0, 0, Duration::ZERO);
    let mut benches: Vec<_> = levels.iter().map(|level| bench_at(*level)).collect();
    for number in 0..runs() {
        let (check, ends) = KINDS[number % KINDS.len()];
        let bench = number / KINDS.len() % benches.len();
        let bench = &mut benches[bench];
        let nap = nap(9_000 + u32::try_from(number).expect("few"));
        let limit = if ends { Duration::from_secs(20) } else { LIMIT };
        let started = Instant::now();
        let done = bench.slot.run(
            &oracle(&check.replace("NAP", &nap), "all-ok"),
            limit,
            |_| {},
        );
        let done = done.expect("the slot lives");
        let took = started.elapsed();
        let allowed = if ends { LATE } else { LIMIT + GRACE + LATE };
        match done.ended {
            Ended::Exited(0) if ends => assert!(done.marker.is_some(), "{check}"),
            Ended::TimedOut if !ends => {}
            ref other => panic!("{check}: {other:?}"),
        }
        left += done.alive as usize + living(&format!("sleep {nap}"));
        late += usize::from(took > allowed);
        slowest = slowest.max(took);
    }
    let count = runs();
    let before = most_held();
    let gib = "head -c 1073741824 /dev/zero; echo all-ok";
    let bench = benches.last_mut().expect("a level");
    let done = bench
        .slot
        .run(&oracle(gib, "all-ok"), Duration::from_secs(60), |_| {});
    let done = done.expect("the slot lives");
    assert!(
        done.marker.is_some() && done.stdout.bytes > 1 << 30,
        "{done:?}"
    );
    let grown = most_held().saturating_sub(before);
    let levels: Vec<String> = levels
        .iter()
        .map(|level| level.level().to_string())
        .collect();
    let says = format!(
        "runaways: {count} runs at levels {}, {left} processes left, {late} late, slowest {} ms; \
         a GiB of output grew us by {} MiB\n",
        levels.join(" "),
        slowest.as_millis(),
        grown >> 20
    );
    std::io::stdout()
        .write_all(says.as_bytes())
        .expect("printed");
    assert_eq!((left, late), (0, 0));
    assert!(grown <= GROWTH, "{grown} bytes");
}

/// The same as nobody: root may do what a run must not.
fn again_without_special_rights() {
    let home = tempfile::tempdir().expect("a folder");
    let own = std::env::current_exe().expect("a path");
    let (test, program) = (home.path().join("test"), home.path().join("program"));
    fs::copy(own, &test).expect("copied");
    fs::copy(env!("CARGO_BIN_EXE_countersign"), &program).expect("copied");
    hand_over(home.path());
    let mut command = as_other_user(test.to_str().expect("plain"), home.path());
    command.args(["oracle::runaway::", "--nocapture"]);
    if let Some(long) = std::env::var_os("COUNTERSIGN_FIGURES") {
        command.env("COUNTERSIGN_FIGURES", long);
    }
    let out = command
        .env(PROGRAM, &program)
        .env("TMPDIR", home.path())
        .current_dir(home.path())
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success(), "{said}");
    let figures = said.lines().find(|line| line.contains("runaways: "));
    let figures = figures.and_then(|line| line.find("runaways: ").map(|at| &line[at..]));
    let says = format!("{}\n", figures.expect("figures"));
    std::io::stdout()
        .write_all(says.as_bytes())
        .expect("printed");
}
