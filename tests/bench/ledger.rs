//! The ledger: a durable append against a bare append and `fdatasync` on the same disk (P15),
//! and reading 10,000 entries in 200 shards (L2).

use std::fs::{File, OpenOptions};
use std::io::Write as _;

use countersign::adapters::folders::Folders;
use countersign::adapters::ledger_store::{LedgerStore, Writer, new_id};
use countersign::gate::dossier::Assertion;
use countersign::ledger::entry::{Body, Opened};
use countersign::ledger::replay::History;
use countersign::model::id::{Digest, Oid};
use countersign::model::snapshot::Snapshot;

const CHANGE: &str = "fix/ferry";

struct Desk {
    _home: tempfile::TempDir,
    store: LedgerStore,
}

fn desk(home: tempfile::TempDir) -> Desk {
    let folders = Folders {
        config: home.path().join("config"),
        state: home.path().join("state"),
        cache: home.path().join("cache"),
    };
    Desk {
        store: LedgerStore::new(&folders, Digest::of(b"bench")),
        _home: home,
    }
}

/// On the disk that the build uses, since a temporary folder may lie in memory.
fn on_disk() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder")
}

fn writer(store: &LedgerStore, read: &History) -> Writer {
    let opened = Opened {
        repository: store.repository(),
        change: CHANGE.into(),
        snapshot: Snapshot {
            base: Oid([1; 20]),
            merge_base: Oid([1; 20]),
            base_tree: Oid([1; 20]),
            head: Oid([1; 20]),
            tree: Oid([1; 20]),
            contract: None,
        },
        contract: None,
        request: None,
        by: Some("bench".into()),
        agent_marks: Vec::new(),
        own_work: false,
    };
    store.writer(read, opened).expect("a shard")
}

fn body() -> Body {
    Body::Assertion(Assertion {
        gate: "verify".into(),
        subject: "all 8 criteria".into(),
        verdict: "APPROVED".into(),
        why: "x".repeat(150).into(),
        head: Oid([1; 20]),
    })
}

fn bare() -> (tempfile::TempDir, File) {
    let home = on_disk();
    let path = home.path().join("bare");
    let file = OpenOptions::new().append(true).create(true).open(path);
    (home, file.expect("a file"))
}

#[divan::bench(sample_count = 300, sample_size = 1)]
fn bare_append_and_fdatasync(bencher: divan::Bencher<'_, '_>) {
    let (_home, mut file) = bare();
    bencher.bench_local(|| {
        file.write_all(&[b'x'; 400]).expect("written");
        file.sync_data().expect("synced");
    });
}

#[divan::bench(sample_count = 300, sample_size = 1)]
fn ledger_append(bencher: divan::Bencher<'_, '_>) {
    let desk = desk(on_disk());
    let mut writer = writer(&desk.store, &desk.store.load(CHANGE));
    bencher.bench_local(|| writer.append(new_id().expect("random"), body(), || Ok(())));
}

#[divan::bench(sample_count = 100, sample_size = 1)]
fn ledger_append_100_at_once(bencher: divan::Bencher<'_, '_>) {
    let desk = desk(on_disk());
    let mut writer = writer(&desk.store, &desk.store.load(CHANGE));
    let hundred = || {
        (0..100)
            .map(|_| (new_id().expect("random"), body()))
            .collect()
    };
    bencher.bench_local(|| writer.append_all(hundred(), || Ok(())));
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn ledger_load_10_000_entries_in_200_shards(bencher: divan::Bencher<'_, '_>) {
    let desk = desk(on_disk());
    let nothing = desk.store.load(CHANGE);
    for _ in 0..200 {
        let mut writer = writer(&desk.store, &nothing);
        let rest = (0..49)
            .map(|_| (new_id().expect("random"), body()))
            .collect();
        writer.append_all(rest, || Ok(())).expect("recorded");
    }
    bencher.bench_local(|| {
        let history = desk.store.load(CHANGE);
        assert_eq!(history.log.len(), 10_000);
        history
    });
}
