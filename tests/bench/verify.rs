//! The verify gate on a large request: ten thousand criteria and as many comments, once from rows
//! that were read before, once from the two files on disk.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use countersign::adapters::contract::read;
use countersign::adapters::forge::{self, Input};
use countersign::gate::request::ThreadFacts;
use countersign::gate::verify::threads::Looked;
use countersign::model::id::RepoPath;
use countersign::model::known::Known;

use super::judge::world::World;

/// A checklist of so many criteria.
fn contract(count: usize) -> String {
    let mut out = String::from("# Board\n\n## Acceptance criteria\n\n");
    for n in 1..=count {
        let _ = writeln!(out, "- [ ] AC{n}: `src/f{n}.rs` shows row {n} in metres");
    }
    out
}

/// So many threads of one comment each, every third one resolved.
fn threads(count: usize) -> String {
    let mut out = String::from(
        "{\"schema\": \"countersign/threads/1\", \"complete\": true, \"age\": 0, \
         \"pull\": {\"number\": 7, \"state\": \"OPEN\"}, \"threads\": [",
    );
    for n in 0..count {
        let state = if n % 3 == 0 { "resolved" } else { "open" };
        let comma = if n == 0 { "" } else { "," };
        let _ = write!(
            out,
            "{comma}\n{{\"id\": \"{n}\", \"channel\": \"inline\", \"author\": \"ines\", \
             \"created_at\": \"2026-11-02T08:16:40Z\", \"body\": \"consider: row {n} could be \
             wider\", \"anchor\": {{\"path\": \"src/f{n}.rs\", \"line\": 3}}, \
             \"state\": \"{state}\", \"replies\": []}}"
        );
    }
    out.push_str("]}");
    out
}

fn taken(world: &mut World, contract: &[u8], threads: &[u8]) {
    let path = RepoPath::from("tickets/7.md");
    world.record().contract = read(&path, contract, None);
    let input = Input {
        holds: None,
        name: "threads.json".into(),
        bytes: Ok(threads.to_vec()),
    };
    let threads = forge::read(&[input]);
    let looked: Vec<Looked> = threads
        .threads
        .iter()
        .map(|thread| Looked::not(thread, "nobody looked"))
        .collect();
    let facts = ThreadFacts::new(threads, &looked, &world.policy);
    world.dossier.request.threads = Known::Is(Arc::new(facts));
}

#[divan::bench(sample_count = 60, sample_size = 1, args = [100, 10_000])]
fn from_rows(bencher: divan::Bencher<'_, '_>, count: usize) {
    let mut world = World::new();
    taken(
        &mut world,
        contract(count).as_bytes(),
        threads(count).as_bytes(),
    );
    bencher.bench_local(|| world.judge());
}

#[divan::bench(sample_count = 60, sample_size = 1, args = [100, 10_000])]
fn from_disk(bencher: divan::Bencher<'_, '_>, count: usize) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| folder.path().join(name);
    std::fs::write(file("c.md"), contract(count)).expect("written");
    std::fs::write(file("t.json"), threads(count)).expect("written");
    let bytes = |path: &Path| std::fs::read(path).expect("read");
    bencher.bench_local(|| {
        let mut world = World::new();
        taken(&mut world, &bytes(&file("c.md")), &bytes(&file("t.json")));
        world.judge()
    });
}
