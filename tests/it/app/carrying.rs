//! Carry-over at the keys: shown before it can be done, one by one or all, never by itself, and
//! nothing after the disk said no.

use countersign::app::effect::Effect;
use countersign::app::fixture;
use countersign::app::msg::Msg;
use countersign::app::update::Setup;
use countersign::gate::dossier::{Dossier, Moved, Subject};
use countersign::model::id::Oid;
use countersign::model::standing::Standing;

use super::sitting::{Sitting, World};

fn sitting_at(dossier: Dossier, size: (u16, u16)) -> Sitting {
    let world = World {
        composed: true,
        ..World::default()
    };
    let setup = Setup {
        size,
        sample: true,
        ..Setup::default()
    };
    Sitting::with(dossier, world, setup)
}

fn rebased() -> Sitting {
    sitting_at(fixture::rebased(fixture::clean()), (100, 30))
}

fn standing(sitting: &Sitting, n: usize) -> Standing {
    let judgment = sitting.state.world.judgment.as_ref().expect("judged");
    let subject = Subject::Criterion(fixture::id(n));
    judgment.item(&subject).expect("an item").standing
}

fn banner(sitting: &Sitting) -> String {
    let scene = countersign::app::pane::compose(&sitting.state);
    scene.banner.map_or_else(String::new, |row| row.plain())
}

#[test]
fn nothing_is_carried_by_itself_and_everything_marked_by_one_key() {
    let mut sitting = rebased();
    assert!(
        banner(&sitting).contains("3 of 4 decisions for 7c7c7c7"),
        "{}",
        banner(&sitting)
    );
    assert_eq!(sitting.decisions().len(), 0);
    assert_eq!(standing(&sitting, 3), Standing::Stale);

    sitting.keys("c");
    assert_eq!(sitting.mode(), "carry");
    assert_eq!(sitting.decisions().len(), 0, "the page decides nothing");
    sitting.keys("c");
    assert_eq!(sitting.mode(), "browse");
    let made = sitting.decisions();
    let about: Vec<String> = made
        .iter()
        .map(|one| format!("{:?}", one.subject()))
        .collect();
    assert_eq!(made.len(), 3, "{about:?}");
    assert!(
        about[0].contains("ContractEdit"),
        "an edit comes first: {about:?}"
    );
    assert!(made.iter().all(|one| one.carried().is_some()));
    assert_eq!(standing(&sitting, 3), Standing::Carried);
    assert_eq!(standing(&sitting, 2), Standing::KickedBack);
    assert_eq!(standing(&sitting, 1), Standing::Stale);
    assert!(
        sitting
            .status()
            .contains("3 decisions carried over · 1 stay stale"),
        "{}",
        sitting.status()
    );
    assert_eq!(banner(&sitting), "", "it was answered");

    // The last is taken back by the key that takes back any decision.
    sitting.keys("u");
    assert_eq!(standing(&sitting, 3), Standing::Stale);
    assert!(banner(&sitting).is_empty());
}

#[test]
fn a_row_that_is_left_out_stays_stale() {
    let mut sitting = rebased();
    sitting.keys("c G");
    // From the end up to the last offered decision, criterion 3.
    let mut tries = 0;
    while !sitting.screen().contains("not now") {
        sitting.keys("Space");
        if !sitting.screen().contains("not now") {
            sitting.keys("k");
        }
        tries += 1;
        assert!(tries < 12, "{}", sitting.screen());
    }
    assert!(
        sitting.screen().contains("Carry 2 of 4 decisions"),
        "{}",
        sitting.screen()
    );
    sitting.keys("c");
    assert_eq!(sitting.decisions().len(), 2);
    assert_eq!(standing(&sitting, 3), Standing::Stale);
    // It is offered again whenever the person asks.
    sitting.keys("c c");
    assert_eq!(standing(&sitting, 3), Standing::Carried);
}

#[test]
fn the_page_is_read_to_its_end_before_the_key_works() {
    let mut sitting = sitting_at(fixture::rebased(fixture::clean()), (60, 15));
    sitting.keys("c");
    sitting.keys("c");
    assert!(
        sitting.status().starts_with("c locked: "),
        "{}",
        sitting.status()
    );
    assert_eq!((sitting.mode(), sitting.decisions().len()), ("carry", 0));
    sitting.keys("PageDown PageDown PageDown c");
    assert_eq!(sitting.decisions().len(), 3, "{}", sitting.status());
    // A key held down, or one that comes before the page was drawn, does nothing.
    let mut sitting = rebased();
    sitting.raw("c", false);
    sitting.raw("c", false);
    sitting.raw("c", true);
    assert_eq!((sitting.mode(), sitting.decisions().len()), ("carry", 0));
}

#[test]
fn escape_and_a_paste_carry_nothing() {
    let mut sitting = rebased();
    sitting.keys("c");
    sitting.tell(Msg::Paste("c\n".into()));
    sitting.look();
    assert_eq!((sitting.mode(), sitting.decisions().len()), ("carry", 0));
    sitting.keys("Esc");
    assert_eq!((sitting.mode(), sitting.decisions().len()), ("browse", 0));
    assert!(
        sitting.status().starts_with("nothing was carried over"),
        "{}",
        sitting.status()
    );
    assert_eq!(banner(&sitting), "");
    assert_eq!(standing(&sitting, 3), Standing::Stale);
}

#[test]
fn the_world_moving_closes_the_page_and_the_disk_refusing_ends_the_row() {
    let mut sitting = rebased();
    sitting.keys("c");
    let moved = Moved {
        head: Some(Oid([0xa9; 20])),
        ..Moved::default()
    };
    sitting.tell(Msg::World(moved));
    assert_eq!(sitting.mode(), "browse");
    sitting.look();
    sitting.keys("c c");
    assert_eq!(sitting.decisions().len(), 0);

    let mut sitting = rebased();
    sitting.world.disk_full = true;
    sitting.keys("c c");
    assert_eq!(
        sitting.decisions().len(),
        1,
        "the first was refused, nothing after it"
    );
    assert!(
        sitting.status().starts_with("Not recorded: "),
        "{}",
        sitting.status()
    );
    assert_eq!(standing(&sitting, 3), Standing::Stale);
    sitting.world.disk_full = false;
    sitting.keys("c c");
    assert_eq!(standing(&sitting, 3), Standing::Carried);
}

#[test]
fn without_an_earlier_decision_there_is_nothing_to_carry() {
    let mut sitting = Sitting::at(fixture::dossier());
    sitting.keys("c");
    assert_eq!(sitting.mode(), "browse");
    assert!(
        sitting.status().starts_with("nothing to carry over"),
        "{}",
        sitting.status()
    );
    // Where the heads could not be compared, the page says so and offers nothing.
    let mut facts = fixture::rebased(fixture::clean());
    facts.earlier.clear();
    let mut sitting = sitting_at(facts, (100, 30));
    assert!(
        banner(&sitting).contains("none can be carried over"),
        "{}",
        banner(&sitting)
    );
    sitting.keys("c c");
    assert!(
        sitting.status().contains("nothing may be carried"),
        "{}",
        sitting.status()
    );
    let carried = sitting
        .effects
        .iter()
        .any(|one| matches!(one, Effect::Decide(..)));
    assert!(!carried);
}
