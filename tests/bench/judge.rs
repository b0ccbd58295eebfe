//! Judging: small, large and very large contracts.

#[path = "../it/gate/world.rs"]
#[expect(dead_code, reason = "the tests of the rules use all of it")]
pub(super) mod world;

use countersign::model::oracle::Outcome;

/// A contract of `n` criteria, each with a run on this tree, every other one optional.
fn judged(n: usize) -> world::World {
    (0..n).fold(world::World::new(), |made, at| {
        let name = at.to_string();
        let outcome = if at % 7 == 0 {
            Outcome::NotMet
        } else {
            Outcome::Met
        };
        let made = made.runnable(&name).ran(&name, outcome);
        if at % 2 == 0 { made.optional() } else { made }
    })
}

#[divan::bench(args = [8, 1_000, 10_000])]
fn judge(bencher: divan::Bencher<'_, '_>, n: usize) {
    let world = judged(n);
    bencher.bench_local(|| world.judge());
}
