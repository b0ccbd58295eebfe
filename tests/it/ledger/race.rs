//! L13: many consoles on one change at once.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Write as _};

use countersign::adapters::ledger_store::new_id;
use countersign::ledger::entry::Body;
use countersign::ledger::verify::Status;

use super::fixture::{
    self, Bench, CHANGE, child, figure, kick_back, opened, ratify, say, store_at,
};

const CONSOLES: usize = 8;

/// One console: waits until all are there, then appends.
#[test]
fn racing_child() {
    let Some((_, home)) = fixture::part() else {
        return;
    };
    let store = store_at(&home);
    let mut writer = store.writer(&store.load(CHANGE), opened("a")).unwrap();
    for n in 0..figure(60, 1_000) {
        let body = Body::Decision(if n % 2 == 0 {
            ratify("1")
        } else {
            kick_back("2", "no")
        });
        let receipt = writer.append(new_id().unwrap(), body, || Ok(())).unwrap();
        writeln!(std::io::stdout(), "\nack {}", receipt.entry).unwrap();
    }
}

#[test]
fn eight_consoles_lose_and_mix_nothing() {
    let bench = Bench::new();
    let spawn = |_| {
        child("ledger::race::racing_child", "race", bench.home.path())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap()
    };
    let mut consoles: Vec<_> = (0..CONSOLES).map(spawn).collect();
    let mut acks = Vec::new();
    for console in &mut consoles {
        let lines = BufReader::new(console.stdout.take().unwrap()).lines();
        let found = lines.map_while(Result::ok);
        acks.extend(found.filter_map(|line| line.strip_prefix("ack ").map(str::to_owned)));
        assert!(console.wait().unwrap().success());
    }
    let history = bench.load();
    assert_eq!(history.status, Status::Ok, "{:?}", history.findings);
    let each = usize::try_from(figure(60, 1_000)).unwrap();
    assert_eq!(acks.len(), CONSOLES * each);
    assert_eq!(history.log.len(), CONSOLES * (each + 1));
    let there: BTreeSet<String> = history
        .log
        .iter()
        .map(|row| row.entry.id.to_string())
        .collect();
    assert_eq!(there.len(), history.log.len());
    assert!(acks.iter().all(|ack| there.contains(ack)));
    say!(
        "consoles: {CONSOLES}, {} of {} acknowledged entries there",
        acks.len(),
        CONSOLES * each
    );
}
