//! P13: what a CHECK costs above a bare `bash -c`, capture included.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use countersign::adapters::oracle::environment::{Environment, shell};
use countersign::adapters::oracle::slot::{Sight, Slot, SlotSetup};
use countersign::model::oracle::{Expect, Isolation, Oracle};
use countersign::model::text::Foreign;

fn slot(isolation: Isolation) -> (tempfile::TempDir, Slot) {
    let folder = tempfile::tempdir().expect("a folder");
    let (tree, tmp) = (folder.path().join("tree"), folder.path().join("tmp"));
    std::fs::create_dir(&tree).expect("made");
    std::fs::create_dir(&tmp).expect("made");
    let setup = SlotSetup {
        program: PathBuf::from(env!("CARGO_BIN_EXE_countersign")),
        isolation,
        environment: Environment::from_process(&[], &tmp),
        tree,
        tmp,
        caches: Vec::new(),
        reads: Vec::new(),
        shell: shell().expect("bash"),
        sight: Sight::Host,
    };
    let slot = Slot::start(&setup).expect("a slot");
    (folder, slot)
}

fn check() -> Oracle {
    Oracle {
        check: Foreign::from("echo all-ok"),
        check_line: 1,
        check_span: 0..0,
        expect: Expect::Plain(Foreign::from("all-ok")),
        expect_line: 1,
        expect_span: 0..0,
    }
}

#[divan::bench(sample_count = 300, sample_size = 1)]
fn bare() {
    let out = Command::new("/bin/bash")
        .args(["-c", "--", "echo all-ok"])
        .stdin(Stdio::null())
        .output()
        .expect("it runs");
    assert!(out.stdout.ends_with(b"all-ok\n"));
}

#[divan::bench(sample_count = 300, sample_size = 1, args = [1, 2])]
fn dispatched(bencher: divan::Bencher<'_, '_>, level: u8) {
    let isolation = Isolation::of_level(level).expect("a level");
    let (_folder, mut slot) = slot(isolation);
    let oracle = check();
    bencher.bench_local(|| {
        let done = slot
            .run(&oracle, Duration::from_secs(10), |_| {})
            .expect("it runs");
        assert!(done.marker.is_some());
    });
}

/// Bare and dispatched in turn, so that a busy machine slows both down; prints p50 and p99 of
/// each level over bare.
#[divan::bench(sample_count = 1, sample_size = 1)]
fn ratio() {
    let oracle = check();
    for level in [1, 2] {
        let (_folder, mut slot) = slot(Isolation::of_level(level).expect("a level"));
        let (mut plain, mut through) = (Vec::new(), Vec::new());
        for _ in 0..500 {
            let start = Instant::now();
            bare();
            plain.push(start.elapsed());
            let start = Instant::now();
            let done = slot.run(&oracle, Duration::from_secs(10), |_| {});
            through.push(start.elapsed());
            assert!(done.is_ok());
        }
        plain.sort();
        through.sort();
        let of = |at: usize| through[at].as_secs_f64() / plain[at].as_secs_f64();
        let mut out = std::io::stdout().lock();
        let _ = writeln!(
            out,
            "level {level}: p50 {:.2}x, p99 {:.2}x",
            of(250),
            of(495)
        );
    }
}
