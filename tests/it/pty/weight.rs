//! What a session weighs: a change of twenty thousand files, and a session at rest (TUI-12). No
//! time is measured but that of the processor.

use std::fs::File;
use std::time::{Duration, Instant};

use super::Terminal;
use crate::git::repo::{Repo, git};
use crate::support::{countersign_as_other_user, hand_over};

const FILES: usize = 20_000;
/// Bytes of the session and its children together, at their most.
const MOST: u64 = 300 << 20;
/// How long it rests.
const REST: Duration = Duration::from_secs(4);

/// The process and everything below it.
fn family(first: u32) -> Vec<u32> {
    let mut all = vec![first];
    let mut at = 0;
    while let Some(pid) = all.get(at).copied() {
        at += 1;
        let tasks = std::fs::read_dir(format!("/proc/{pid}/task"));
        for task in tasks.into_iter().flatten().flatten() {
            let text = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
            all.extend(
                text.split_whitespace()
                    .filter_map(|pid| pid.parse::<u32>().ok()),
            );
        }
    }
    all
}

/// The most bytes that a process held at once.
fn most_held(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|text| text.trim().split(' ').next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) << 10
}

/// Hundredths of a second that a process used of a processor.
fn ticks(pid: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let rest = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let numbers = rest.split_whitespace().skip(11).take(2);
    numbers.filter_map(|text| text.parse::<u64>().ok()).sum()
}

#[test]
fn twenty_thousand_files_fit_and_a_session_at_rest_costs_nothing() {
    let repo = Repo::with_change();
    repo.write(
        "GATES.md",
        "# Tide\n\n## Acceptance criteria\n\n- [ ] It is shown\n",
    );
    repo.commit("work");
    let mut stream = String::from(
        "commit refs/heads/change\ncommitter A <a@example.com> 1790000000 +0000\ndata 1\nx\n\
         from refs/heads/change^0\n",
    );
    for number in 0..FILES {
        let path = format!("d{}/f{number}.txt", number % 100);
        stream.push_str(&format!(
            "M 100644 inline {path}\ndata 4\n{:03}\n",
            number % 1000
        ));
    }
    let file = repo.home().join("stream");
    std::fs::write(&file, stream).expect("written");
    let done = git(&repo.top)
        .args(["fast-import", "--quiet", "--force"])
        .stdin(File::open(&file).expect("opened"))
        .status();
    assert!(done.expect("git runs").success());
    repo.git(&["reset", "-q", "--hard"]);
    hand_over(repo.home());
    let mut command = countersign_as_other_user(repo.home());
    command
        .arg("review")
        .env("COUNTERSIGN_HOME", repo.home().join("own"))
        .current_dir(&repo.top);
    let terminal = Terminal::start(&command, 160, 45);
    terminal.shows("20,001");
    let pid = terminal.pid().as_raw_nonzero().get().cast_unsigned();
    let held: u64 = family(pid).into_iter().map(most_held).sum();
    assert!(held > 1 << 20, "it is the session");
    assert!(held <= MOST, "{} MiB", held >> 20);
    // at rest: nothing comes for so long
    let quiet = |terminal: &Terminal| {
        let drawn = terminal.seen().bytes.len();
        let end = Instant::now() + REST;
        drop(terminal.until("a while", |_| Instant::now() >= end));
        terminal.seen().bytes.len() == drawn
    };
    while !quiet(&terminal) {}
    let used = |pid| -> u64 { family(pid).into_iter().map(ticks).sum() };
    let before = used(pid);
    assert!(quiet(&terminal), "something is drawn at rest");
    let used = used(pid) - before;
    // one in a hundred of four seconds
    assert!(used <= 4, "{used} hundredths of a second in {REST:?}");
}
