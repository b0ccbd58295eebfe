//! Hunks and the tree walk, the two things that stand between a person and the first line.

use countersign::adapters::git::hunks::{Effort, hunks};
use countersign::adapters::git::objects::Objects;
use countersign::adapters::git::walk;
use countersign::model::id::Oid;

/// A text and the same with every tenth line changed.
fn texts(lines: usize) -> (String, String) {
    let line = |n: usize, word: &str| format!("    let {word}_{n} = table[{n}];\n");
    let old = (0..lines).map(|n| line(n, "row")).collect();
    let new = (0..lines)
        .map(|n| line(n, if n % 10 == 0 { "new" } else { "row" }))
        .collect();
    (old, new)
}

#[divan::bench(args = [100, 2_000, 100_000])]
fn hunks_at_full_effort(bencher: divan::Bencher<'_, '_>, lines: usize) {
    let (old, new) = texts(lines);
    bencher.bench(|| hunks(old.as_bytes(), new.as_bytes(), Effort::Best));
}

#[divan::bench(args = [2_000, 100_000])]
fn hunks_by_xdiff(bencher: divan::Bencher<'_, '_>, lines: usize) {
    let (old, new) = texts(lines);
    bencher.bench(|| hunks(old.as_bytes(), new.as_bytes(), Effort::Cheap));
}

/// Two trees of 2,000 files in 40 folders, half of them changed, in a repository of their own.
fn trees(dir: &std::path::Path) -> (Objects, Oid, Oid) {
    let repository = git2::Repository::init_bare(dir).expect("a repository");
    let tree = |turn: usize| {
        let mut top = repository.treebuilder(None).expect("a tree");
        for folder in 0..40 {
            let mut below = repository.treebuilder(None).expect("a tree");
            for file in 0..50 {
                let text = format!("{folder} {file} {}", if file % 2 == 0 { turn } else { 0 });
                let blob = repository.blob(text.as_bytes()).expect("a blob");
                below
                    .insert(format!("f{file}"), blob, 0o100_644)
                    .expect("an entry");
            }
            let id = below.write().expect("a tree");
            top.insert(format!("d{folder}"), id, 0o040_000)
                .expect("an entry");
        }
        let id = top.write().expect("a tree");
        Oid(id.as_bytes().try_into().expect("20 bytes"))
    };
    let (old, new) = (tree(1), tree(2));
    (Objects::open(dir).expect("its objects"), old, new)
}

#[divan::bench]
fn walk_of_a_thousand_changes(bencher: divan::Bencher<'_, '_>) {
    let dir = tempfile::tempdir().expect("a folder");
    let (objects, old, new) = trees(dir.path());
    bencher.bench(|| {
        let mut found = 0;
        let done = walk::differences(&objects, Some(old), Some(new), &mut |_| {
            found += 1;
            true
        });
        assert!(done.is_ok() && found == 1_000);
    });
}
