//! The spec gate on a tree of 138 suites and 180 shards: under a second is the bar.

#[path = "forest.rs"]
mod forest;

use countersign::adapters::spec::files::{Files, Search};
use countersign::adapters::spec::tree;
use countersign::gate::spec::{state, suite};
use countersign::model::id::RepoPath;

/// Reads the whole tree and judges roots, nodes and suites.
#[divan::bench(max_time = 5)]
fn forest_read_and_judged(bencher: divan::Bencher<'_, '_>) {
    let home = tempfile::tempdir().expect("a folder");
    for (path, text) in forest::forest().0 {
        let place = home.path().join(path);
        std::fs::create_dir_all(place.parent().expect("a folder")).expect("folders");
        std::fs::write(place, text).expect("a file");
    }
    bencher.bench(|| {
        let files = Files::below(home.path(), &RepoPath::from(""), Search::Places);
        let tree = tree::build(&files);
        (state::tree(&tree, None), suite::tree(&tree, &[]))
    });
}
