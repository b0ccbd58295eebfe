//! How many keys a sitting takes (screens.md, section 4): counted up to the verdict page, typed
//! text and the challenge left out.

use countersign::app::effect::{Effect, Leave};
use countersign::app::fixture;
use countersign::app::state::Focus;
use countersign::app::update::Setup;
use countersign::model::ruling::Verdict;

use super::sitting::{Sitting, World};

#[test]
fn eight_green_criteria_with_the_card_on_screen_take_sixteen_keys() {
    let mut sitting = Sitting::at(fixture::green(8));
    sitting.keys("r");
    for _ in 0..7 {
        sitting.keys("n r");
    }
    sitting.keys("n");
    assert_eq!(sitting.decisions().len(), 8, "{}", sitting.status());
    assert_eq!(sitting.state.nav.focus, Focus::Verdict);
    assert_eq!(
        sitting.status(),
        "nothing owed · v shows the verdict, S signs"
    );
    assert_eq!(sitting.pressed, 16);
}

#[test]
fn eight_green_criteria_on_a_page_each_take_twenty_four_keys() {
    let world = World {
        labels: (vec!["CHECK".into(), "RESULT".into()], 0),
        ..World::default()
    };
    let setup = Setup {
        size: (60, 20),
        ..Setup::default()
    };
    let mut sitting = Sitting::with(fixture::green(8), world, setup);
    sitting.keys("Enter r");
    for _ in 0..7 {
        sitting.keys("n Enter r");
    }
    sitting.keys("n");
    assert_eq!(sitting.decisions().len(), 8, "{}", sitting.status());
    assert_eq!(sitting.state.nav.focus, Focus::Verdict);
    assert_eq!(sitting.pressed, 24);
}

/// At a size, with the screens as they are drawn.
fn drawn(dossier: countersign::gate::dossier::Dossier, size: (u16, u16)) -> Sitting {
    let world = World {
        composed: true,
        ..World::default()
    };
    let setup = Setup {
        size,
        ..Setup::default()
    };
    Sitting::with(dossier, world, setup)
}

#[test]
fn the_budgets_hold_on_the_screens_as_they_are_drawn() {
    let mut wide = drawn(fixture::green(8), (100, 30));
    wide.keys("r n r n r n r n r n r n r n r n");
    assert_eq!(
        (wide.decisions().len(), wide.pressed),
        (8, 16),
        "{}",
        wide.status()
    );
    assert_eq!(wide.state.nav.focus, Focus::Verdict);

    let mut small = drawn(fixture::green(8), (60, 20));
    small.keys("Enter r");
    for _ in 0..7 {
        small.keys("n Enter r");
    }
    small.keys("n");
    assert_eq!(
        (small.decisions().len(), small.pressed),
        (8, 24),
        "{}",
        small.status()
    );
    assert_eq!(small.state.nav.focus, Focus::Verdict);
}

/// The sample without its two threads, which no local change has: 37 less 6.
#[test]
fn the_sample_with_its_troubles_takes_thirty_one_keys_and_ends_in_a_signed_reroll() {
    the_sample(Sitting::at(fixture::dossier()));
    the_sample(drawn(fixture::dossier(), (160, 45)));
}

fn the_sample(mut sitting: Sitting) {
    let kick = |sitting: &mut Sitting, text: &str| {
        sitting.keys("b");
        sitting.types(text);
        sitting.keys("Ctrl-s");
    };
    sitting.keys("r");
    sitting.keys("n r");
    sitting.keys("n");
    kick(
        &mut sitting,
        "Repeat the hour, not the boat: 02:30 is one boat.",
    );
    sitting.keys("n Enter r");
    sitting.keys("n");
    kick(
        &mut sitting,
        "The marker is printed by the failing branch too.",
    );
    sitting.keys("n r");
    sitting.types("HB-311 takes the kiosk over; the rest is delivered.");
    sitting.keys("Ctrl-s");
    sitting.keys("n x t r");
    sitting.keys("n x t");
    kick(&mut sitting, "108 of 112 departures are there.");
    sitting.keys("n");
    kick(&mut sitting, "Nothing in this change answers it.");
    sitting.keys("n a");
    sitting.types("HB-312: who needs write-all.");
    sitting.keys("Ctrl-s");
    sitting.keys("n");
    let words: Vec<String> = sitting
        .decisions()
        .iter()
        .map(|decision| decision.act().word().to_owned())
        .collect();
    assert_eq!(
        words,
        [
            "acknowledged",
            "ratified",
            "kicked back",
            "ratified",
            "kicked back",
            "partial delivery accepted",
            "ratified",
            "kicked back",
            "kicked back",
            "ticketed"
        ]
    );
    assert_eq!(
        sitting.state.nav.focus,
        Focus::Verdict,
        "{}",
        sitting.status()
    );
    assert_eq!(sitting.pressed, 31);

    sitting.pressed = 0;
    sitting.keys("S");
    assert_eq!(sitting.mode(), "sign 1", "{}", sitting.status());
    sitting.types("108 rows: four departures are gone. What else was bent?");
    sitting.keys("Ctrl-s");
    assert_eq!(sitting.mode(), "sign 2", "{}", sitting.status());
    for _ in 0..3 {
        sitting.keys("7 c");
    }
    sitting.keys("Enter");
    assert_eq!(sitting.pressed, 9);
    let rulings = sitting.rulings();
    assert_eq!(rulings.len(), 1, "{}", sitting.status());
    assert_eq!(rulings[0].verdict(), Verdict::Reroll);
    assert_eq!(
        sitting.state.world.judgment.as_ref().map(|j| j.ruling),
        Some(Verdict::Reroll),
        "the screen shows what was signed, not the next round"
    );
    assert!(
        sitting.status().starts_with("recorded as entry")
            && sitting
                .status()
                .ends_with("REROLL · hand-off written: handoff-r1.json, handoff-r1.md"),
        "{}",
        sitting.status()
    );

    sitting.keys("q");
    assert_eq!(sitting.effects.last(), Some(&Effect::Leave(Leave::Ruled)));
}

#[test]
fn enter_scrolls_to_the_deciding_rows_that_a_small_screen_lacks() {
    let mut sitting = drawn(fixture::dossier(), (100, 22));
    sitting.keys("r");
    assert_eq!(sitting.mode(), "confirm");
    sitting.keys("Enter r");
    assert_eq!(sitting.decisions().len(), 1, "{}", sitting.status());
}

#[test]
fn another_cause_takes_five_keys_and_an_unseen_ratify_two() {
    let mut sitting = Sitting::at(fixture::green(3));
    sitting.keys("n b Tab 3");
    sitting.types("The contract names no harbor.");
    sitting.keys("Ctrl-s");
    assert_eq!(sitting.pressed, 5);
    let act = format!("{:?}", sitting.decisions()[0].act());
    assert!(act.contains("Criterion"), "{act}");

    let world = World {
        labels: (vec!["CHECK".into(), "RESULT".into()], 1),
        ..World::default()
    };
    let mut sitting = Sitting::with(fixture::green(3), world, Setup::default());
    sitting.keys("Ctrl-r");
    sitting.types("The kiosk is out of reach from here.");
    sitting.keys("Ctrl-s");
    assert_eq!(sitting.pressed, 2);
    assert_eq!(sitting.decisions()[0].act().word(), "ratified unseen");
    assert_eq!(sitting.decisions()[0].seen(), None);
}
