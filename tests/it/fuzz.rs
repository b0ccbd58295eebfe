//! Every reader of text from outside, fed with damaged and hostile bytes (PRC-2). The inputs are
//! made from seeds of the corpora by a generator with a fixed start, so that a failure comes back;
//! `COUNTERSIGN_FIGURES=1` makes a hundred thousand for each target instead of a few hundred.

mod mutate;
mod targets;

use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};

use mutate::Mutator;
use targets::{TARGETS, Target};

/// Inputs for each target.
fn inputs() -> u64 {
    match std::env::var_os("COUNTERSIGN_FIGURES") {
        Some(_) => 100_000,
        None => 240,
    }
}

/// Feeds one target; what went wrong, with the input that did it.
fn feed(target: &Target) -> Result<(usize, u64), String> {
    let seeds = target.seeds();
    assert!(!seeds.is_empty(), "{}: no seeds", target.name);
    let mut mutator = Mutator::new(target.name, seeds);
    let count = inputs() + mutator.seeds() as u64;
    for number in 0..count {
        let input = mutator.next_input(number);
        let done = catch_unwind(AssertUnwindSafe(|| (target.feed)(&input)));
        let why = match done {
            Ok(Ok(())) => continue,
            Ok(Err(why)) => why,
            Err(panic) => panic
                .downcast_ref::<String>()
                .cloned()
                .or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()))
                .unwrap_or_else(|| "a panic".to_owned()),
        };
        let shown = input.escape_ascii().to_string();
        return Err(format!(
            "{}, input {number}: {why}\n{}",
            target.name,
            shown.get(..4_000).unwrap_or(&shown)
        ));
    }
    Ok((mutator.seeds(), count))
}

#[test]
fn no_reader_panics_and_each_keeps_its_promise_on_damaged_bytes() {
    let mut out = std::io::stdout();
    let mut wrong = Vec::new();
    let mut all = 0;
    for target in TARGETS {
        match feed(target) {
            Ok((seeds, count)) => {
                all += count;
                let says = format!("fuzz {}: {count} inputs from {seeds} seeds\n", target.name);
                out.write_all(says.as_bytes()).expect("printed");
            }
            Err(why) => wrong.push(why),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    let says = format!(
        "fuzz: {} targets, {all} inputs, 0 failures\n",
        TARGETS.len()
    );
    out.write_all(says.as_bytes()).expect("printed");
}

/// The generator itself: the same start makes the same inputs, and they differ from their seeds.
#[test]
fn inputs_come_back_and_are_bounded() {
    let seeds = vec![b"## ACCEPTANCE CRITERIA\n1. x\n   CHECK: true\n".to_vec()];
    let made = |_: ()| {
        let mut mutator = Mutator::new("x", seeds.clone());
        (0..200).map(|n| mutator.next_input(n)).collect::<Vec<_>>()
    };
    let (one, two) = (made(()), made(()));
    assert_eq!(one, two);
    assert!(one.iter().all(|input| input.len() <= mutate::LARGEST));
    let different = one.iter().filter(|input| **input != seeds[0]).count();
    assert!(different > 150, "{different}");
}
