//! L1, L6: whatever happens to the process, an acknowledged entry is there once, and an
//! unacknowledged one is there whole or not at all; the next session needs no repair.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;

use countersign::adapters::ledger_store::{Fate, Step, Steps, new_id};
use countersign::ledger::entry::Body;
use countersign::ledger::verify::{Code, Grade, Status};
use countersign::model::id::EntryId;

use super::fixture::{
    self, Bench, CHANGE, Dice, child, figure, kick_back, opened, ratify, say, store_at,
};

/// Kills this process when a step comes up for the nth time, after leaving a mark.
#[derive(Debug)]
struct KillAt {
    step: Step,
    left: u32,
    short: bool,
    mark: std::path::PathBuf,
}

impl Steps for KillAt {
    fn before(&mut self, step: Step) -> std::io::Result<Fate> {
        if self.short && step == Step::Write {
            self.left -= 1;
            return Ok(if self.left == 0 {
                Fate::Short(100)
            } else {
                Fate::Go
            });
        }
        if step == self.step && !(self.short && self.left > 0) {
            self.left = self.left.saturating_sub(1);
            if self.left == 0 {
                std::fs::write(&self.mark, "").unwrap();
                die();
            }
        }
        Ok(Fate::Go)
    }
}

/// `kill -9` of ourselves: no destructor, no flush, no unlock.
fn die() {
    let me = rustix::process::getpid();
    rustix::process::kill_process(me, rustix::process::Signal::KILL).unwrap();
    loop {
        std::thread::park();
    }
}

/// Appends decisions and prints the id of each that is acknowledged.
fn appends(home: &Path, steps: Box<dyn Steps>, count: u32) {
    let store = store_at(home);
    let history = store.load(CHANGE);
    let Ok(mut writer) = store.writer_with(&history, opened("a"), steps) else {
        return;
    };
    for n in 0..count {
        let body = match n % 8 {
            0 | 2.. => ratify("1"),
            1 => kick_back("2", &format!("{n} {}", "long ".repeat(4_000))),
        };
        let id = new_id().unwrap();
        writer.append(id, Body::Decision(body), || Ok(())).unwrap();
        writeln!(std::io::stdout().lock(), "\nack {id}").unwrap();
    }
}

/// The part of the child.
#[test]
fn crashing_child() {
    let Some((part, home)) = fixture::part() else {
        return;
    };
    let mut words = part.split(' ');
    let step = words.next().unwrap();
    let left: u32 = words.next().unwrap().parse().unwrap();
    let short = words.next() == Some("short");
    let step = Step::ALL.into_iter().find(|s| format!("{s:?}") == step);
    let steps: Box<dyn Steps> = match step {
        Some(step) => Box::new(KillAt {
            step,
            left,
            short,
            mark: home.join("fired"),
        }),
        None => Box::new(countersign::adapters::ledger_store::NoFaults),
    };
    appends(&home, steps, if step.is_some() { 3 } else { u32::MAX });
}

fn acks(lines: impl Iterator<Item = String>) -> Vec<EntryId> {
    lines
        .filter_map(|line| EntryId::parse(line.strip_prefix("ack ")?))
        .collect()
}

/// Every acknowledged id is there once and anchored, and a next session works.
pub(crate) fn check(bench: &Bench, acks: &[EntryId], what: &str) {
    let history = bench.load();
    for id in acks {
        let rows: Vec<_> = history
            .log
            .iter()
            .filter(|row| row.entry.id == *id)
            .collect();
        assert_eq!(rows.len(), 1, "{what}: {id}");
        assert_eq!(rows[0].grade, Grade::Anchored, "{what}: {id}");
    }
    let harmless = [
        Code::TornTail,
        Code::Unacknowledged,
        Code::EmptyShard,
        Code::NulRun,
    ];
    for found in &history.findings {
        assert!(harmless.contains(&found.code), "{what}: {found:?}");
    }
    let mut writer = bench.writer("next");
    let (id, _) = bench.decide(&mut writer, ratify("1"));
    let after = bench.load();
    assert_eq!(after.status, Status::Ok, "{what}: {:?}", after.findings);
    let first = after
        .decisions
        .iter()
        .find(|d| d.value.subject() == ratify("1").subject());
    assert_eq!(
        first.map(|d| d.entry),
        Some(id),
        "{what}: the newest decision counts"
    );
}

#[test]
fn a_crash_at_any_step_loses_nothing_that_was_acknowledged() {
    let mut fired = BTreeSet::new();
    let mut crashes = 0;
    let times = figure(1, 20);
    let every = Step::ALL
        .into_iter()
        .flat_map(|step| (0..times).map(move |_| step));
    for step in every {
        for nth in 1..=4u32 {
            for short in [false, true] {
                if short && step != Step::Rollback {
                    continue;
                }
                let bench = Bench::new();
                // A dead session with a torn line, so that there is something to set aside.
                let mut dead = bench.writer("dead");
                bench.decide(&mut dead, ratify("3"));
                let path = bench.path(dead.shard());
                let mut bytes = std::fs::read(&path).unwrap();
                bytes.extend_from_slice(b"{\"v\":1,\"seq\":3,\"id\":\"00");
                std::fs::write(&path, bytes).unwrap();
                let home = bench.home.path();
                let how = if short { " short" } else { "" };
                let what = format!("{step:?} {nth}{how}");
                let output = child("ledger::crash::crashing_child", &what, home)
                    .output()
                    .unwrap();
                let text = String::from_utf8_lossy(&output.stdout).into_owned();
                if home.join("fired").exists() {
                    assert!(!output.status.success());
                    fired.insert(step);
                    crashes += 1;
                }
                check(&bench, &acks(text.lines().map(str::to_owned)), &what);
            }
        }
    }
    let missed: Vec<_> = Step::ALL
        .into_iter()
        .filter(|s| !fired.contains(s))
        .collect();
    assert!(missed.is_empty(), "no crash happened at {missed:?}");
    say!(
        "crash points: {} of {}, {crashes} crashes",
        fired.len(),
        Step::ALL.len()
    );
}

#[test]
fn random_kills_lose_nothing_that_was_acknowledged() {
    let seed = u64::from(std::process::id()) | 1;
    let mut dice = Dice(seed);
    let mut bench = Bench::new();
    let mut all = Vec::new();
    let mut before = 0;
    let rounds = figure(20, 1_000);
    for round in 0..rounds {
        // Now and then a new ledger, so that a thousand rounds do not read a million lines.
        if round % 20 == 0 {
            bench = Bench::new();
            before += all.len();
            all.clear();
        }
        let mut command = child("ledger::crash::crashing_child", "none 0", bench.home.path());
        let mut run = command
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(run.stdout.take().unwrap()).lines();
        let mut wanted = dice.below(20) + 1;
        while wanted > 0 {
            let line = lines.next().unwrap().unwrap();
            wanted -= u64::from(line.starts_with("ack "));
            all.extend(acks(std::iter::once(line)));
        }
        // A moment that nobody chose: between two acknowledgements, anywhere in the discipline.
        for _ in 0..dice.below(20_000) {
            std::hint::spin_loop();
        }
        run.kill().unwrap();
        all.extend(acks(lines.map_while(Result::ok)));
        run.wait().unwrap();
        check(&bench, &all, &format!("seed {seed}, round {round}"));
    }
    let all = before + all.len();
    assert!(all > 100, "{all}");
    say!("kills: {rounds}, {all} acknowledged, 0 lost, doubled or changed");
}
