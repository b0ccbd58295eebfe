//! Contracts: reading stays linear, in criteria and in bytes.

use countersign::adapters::contract::read;
use countersign::gate::floor::verdict::{Mode, floor};
use countersign::model::id::RepoPath;
use divan::counter::BytesCount;

fn contract(criteria: usize, words: usize) -> String {
    let mut text = String::from("# CONTRACT — bench\n\n## ACCEPTANCE CRITERIA\n");
    let wrapped = "word ".repeat(words);
    for n in 1..=criteria {
        text.push_str(&format!(
            "{n}. `src/f{n}.rs` holds\n   and wraps {wrapped}\n   CHECK: sh f{n}.sh && echo F{n}-HOLDS\n   EXPECT: F{n}-HOLDS\n   EVIDENCE: pending\n"
        ));
    }
    text
}

/// A contract of this many criteria; `170` words make 10,000 criteria 10 MB.
#[divan::bench(args = [(1_000, 0), (10_000, 0), (10_000, 170)])]
fn read_contract(bencher: divan::Bencher<'_, '_>, (criteria, words): (usize, usize)) {
    let text = contract(criteria, words);
    let path = RepoPath::from("c.md");
    bencher
        .counter(BytesCount::new(text.len()))
        .bench(|| read(&path, text.as_bytes(), None));
}

/// The floor verdict over 10,000 criteria.
#[divan::bench]
fn floor_verdict(bencher: divan::Bencher<'_, '_>) {
    let text = contract(10_000, 0);
    let contract = read(&RepoPath::from("c.md"), text.as_bytes(), None);
    bencher.bench(|| floor(&contract, &[], Mode::Status));
}
