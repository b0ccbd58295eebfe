//! T6: typed texts after `kill -9`.

use std::io::{BufRead as _, BufReader, Write as _};

use countersign::adapters::drafts::{Drafts, KEYS};

use super::fixture::{self, CHANGE, Dice, child, folders, repository};

/// Types one character after another and says how many it typed.
#[test]
fn typing_child() {
    let Some((_, home)) = fixture::part() else {
        return;
    };
    let mut drafts = Drafts::open(&folders(&home), repository(), CHANGE).unwrap();
    let mut text = String::new();
    for n in 1..=5_000u64 {
        text.push('x');
        // No time passes: only the count of keys can save.
        drafts.put("2/why", "abc", &text, 0).unwrap();
        writeln!(std::io::stdout().lock(), "\ntyped {n}").unwrap();
    }
    loop {
        std::thread::park();
    }
}

#[test]
fn at_most_32_keys_are_lost_by_a_kill() {
    let seed = u64::from(std::process::id()) | 1;
    let mut dice = Dice(seed);
    for stop in [5, 40, 100, 333]
        .into_iter()
        .chain((0..8).map(|_| dice.below(800) + 1))
    {
        let home = tempfile::tempdir().unwrap();
        let mut run = child("ledger::drafts::typing_child", "type", home.path())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(run.stdout.take().unwrap()).lines();
        let mut typed = 0;
        let number = |line: &str| {
            line.strip_prefix("typed ")
                .and_then(|n| n.parse::<u64>().ok())
        };
        while typed < stop {
            let line = lines.next().unwrap().unwrap();
            typed = number(&line).unwrap_or(typed);
        }
        run.kill().unwrap();
        let rest = lines.map_while(Result::ok);
        typed = rest
            .filter_map(|line| number(&line))
            .last()
            .unwrap_or(typed);
        run.wait().unwrap();
        let drafts = Drafts::open(&folders(home.path()), repository(), CHANGE).unwrap();
        assert_eq!(drafts.damaged().len(), 0, "seed {seed}");
        let kept = drafts
            .list()
            .last()
            .map_or(0, |draft| draft.text.len() as u64);
        assert!(kept + KEYS > typed, "seed {seed}: {kept} of {typed}");
        assert!(kept <= typed + 1, "seed {seed}: {kept} of {typed}");
    }
}
