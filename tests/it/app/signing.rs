//! The sign-off: two pages, the second typed by hand.

use countersign::app::effect::{Effect, Leave};
use countersign::app::fixture;
use countersign::app::msg::Msg;
use countersign::app::state::Mode;
use countersign::gate::dossier::Moved;
use countersign::model::id::Oid;
use countersign::model::ruling::Verdict;

use super::sitting::Sitting;

/// At the second page, nothing typed yet.
fn second_page() -> Sitting {
    let mut sitting = Sitting::at(fixture::green(2));
    sitting.keys("r n r n S");
    assert_eq!(sitting.mode(), "sign 1", "{}", sitting.status());
    sitting.types("The cases are the agent's own.");
    sitting.keys("Ctrl-s");
    assert_eq!(sitting.mode(), "sign 2", "{}", sitting.status());
    sitting
}

fn typed(sitting: &Sitting) -> String {
    match &sitting.state.mode {
        Mode::SignTwo(sign) => sign.typed.clone(),
        _ => format!("mode {}", sitting.mode()),
    }
}

#[test]
fn enter_signs_only_what_was_typed_whole() {
    let mut sitting = second_page();
    sitting.keys("Enter");
    assert_eq!(
        sitting.status(),
        "Enter signs (closed: 6 characters missing)"
    );
    sitting.types("7c7c7d");
    sitting.keys("Enter");
    assert_eq!(
        sitting.status(),
        "Closed: these are not the first 6 characters of the head."
    );
    sitting.keys("Backspace C Enter");
    assert_eq!(sitting.rulings().len(), 1, "{}", sitting.status());
}

#[test]
fn paste_and_held_keys_type_nothing() {
    let mut sitting = second_page();
    sitting.tell(Msg::Paste("7c7c7c".into()));
    assert_eq!(typed(&sitting), "");
    assert_eq!(
        sitting.status(),
        "Paste refused, 6 characters: type the characters of the head."
    );
    sitting.raw("7", true);
    assert_eq!(typed(&sitting), "");
    assert_eq!(
        sitting.status(),
        "too fast: the characters are typed one by one here"
    );
    sitting.types("7c7c7c");
    sitting.raw("Enter", true);
    assert_eq!(sitting.rulings().len(), 0);
}

#[test]
fn a_burst_of_keys_cannot_sign() {
    let mut sitting = Sitting::at(fixture::green(2));
    sitting.keys("r n r n");
    for key in "S a b Ctrl-s 7 c 7 c 7 c Enter".split(' ') {
        sitting.raw(key, false);
    }
    assert_eq!(sitting.rulings().len(), 0);
}

#[test]
fn losing_the_focus_clears_what_was_typed() {
    let mut sitting = second_page();
    sitting.types("7c7");
    sitting.tell(Msg::Focus(false));
    assert_eq!(typed(&sitting), "");
}

#[test]
fn a_moved_head_ends_the_sign_off_and_keeps_the_text() {
    let mut sitting = second_page();
    sitting.tell(Msg::World(Moved {
        head: Some(Oid([0xa8; 20])),
        ..Moved::default()
    }));
    assert_eq!(sitting.mode(), "browse");
    assert_eq!(
        sitting.status(),
        "Not signed: something moved as you wrote. Your texts are kept. F5 reads again."
    );
    assert!(
        sitting
            .state
            .drafts
            .values()
            .any(|text| text == "The cases are the agent's own.")
    );
}

#[test]
fn escape_goes_back_a_page_and_keeps_everything() {
    let mut sitting = second_page();
    sitting.types("7c");
    sitting.keys("Esc Ctrl-s");
    assert_eq!(typed(&sitting), "");
    sitting.keys("Esc Esc S");
    assert_eq!(sitting.mode(), "sign 1");
    sitting.keys("Ctrl-s");
    assert_eq!(sitting.mode(), "sign 2");
}

#[test]
fn an_undecided_verdict_is_not_signed_as_approved() {
    let mut sitting = Sitting::at(fixture::green(2));
    sitting.keys("r v");
    let rows = countersign::app::update::menus::verdict(&sitting.state);
    let approved = rows
        .iter()
        .find(|row| row.says == "sign APPROVED")
        .expect("closed rows stay");
    assert!(
        approved.closed.is_some() && approved.number.is_none(),
        "{approved:?}"
    );
}

#[test]
fn after_the_ruling_nothing_is_decided_and_leaving_asks_nothing() {
    let mut sitting = second_page();
    sitting.types("7c7c7c");
    sitting.keys("Enter Esc");
    for key in ["r", "b", "u", "S"] {
        sitting.keys(key);
        assert_eq!(sitting.mode(), "browse", "{key}");
        assert!(
            sitting
                .status()
                .starts_with("Closed: the ruling is recorded"),
            "{key}"
        );
    }
    assert_eq!((sitting.decisions().len(), sitting.rulings().len()), (2, 1));
    sitting.keys("q");
    assert_eq!(sitting.effects.last(), Some(&Effect::Leave(Leave::Ruled)));
}

#[test]
fn a_write_is_off_until_it_is_switched_on() {
    let mut sitting = Sitting::at(fixture::green(2));
    sitting.keys("r n r n");
    let row = countersign::app::update::menus::verdict(&sitting.state)
        .iter()
        .position(|row| row.says == "EVIDENCE of 1 2")
        .expect("two slots could be written");
    for _ in 0..row {
        sitting.keys("j");
    }
    sitting.keys("Enter S");
    sitting.types("The cases are the agent's own.");
    sitting.keys("Ctrl-s");
    sitting.types("7c7c7c");
    sitting.keys("Enter");
    let edits = sitting.effects.iter().find_map(|effect| match effect {
        Effect::Rule(_, _, edits) => Some(edits.len()),
        _ => None,
    });
    assert_eq!(edits, Some(1), "{}", sitting.status());
}

/// Signed, with the hand-off written.
fn signed() -> Sitting {
    let mut sitting = second_page();
    sitting.types("7c7c7c");
    sitting.keys("Enter");
    assert_eq!(sitting.rulings().len(), 1, "{}", sitting.status());
    sitting
}

#[test]
fn the_ruled_verdict_stays_on_the_screen_whatever_is_told_afterwards() {
    let mut sitting = signed();
    assert!(
        sitting.status().starts_with("recorded as entry"),
        "{}",
        sitting.status()
    );
    let ruling = |sitting: &Sitting| {
        sitting
            .state
            .world
            .judgment
            .as_ref()
            .expect("judged")
            .ruling
    };
    assert_eq!(ruling(&sitting), Verdict::Approved);
    sitting.tell(Msg::World(Moved {
        head: Some(Oid([0xa8; 20])),
        ..Moved::default()
    }));
    assert_eq!(ruling(&sitting), Verdict::Approved);
    assert_eq!(sitting.state.ending(), Leave::Ruled);
}

#[test]
fn after_the_ruling_everything_is_read_and_nothing_decided() {
    let mut sitting = signed();
    let before = sitting.effects.len();
    for key in "Esc r b a u x F5 S".split(' ') {
        sitting.keys(key);
        assert!(
            !matches!(sitting.mode(), "note" | "sign 1" | "trust"),
            "{key}: {}",
            sitting.mode()
        );
    }
    let acts = sitting.effects.iter().skip(before).filter(|effect| {
        !matches!(
            effect,
            Effect::Wake(_) | Effect::Hunks(..) | Effect::Text { .. } | Effect::Output { .. }
        )
    });
    assert_eq!(acts.count(), 0);
}

#[test]
fn keys_that_came_too_fast_say_why_they_were_not_taken() {
    let mut sitting = second_page();
    for key in ["7", "c", "7"] {
        sitting.raw(key, true);
    }
    assert_eq!(typed(&sitting), "");
    assert_eq!(
        sitting.status(),
        "too fast: the characters are typed one by one here"
    );
}

#[test]
fn on_the_verdict_page_no_key_decides_an_item_that_is_not_on_it() {
    let mut sitting = Sitting::at(fixture::green(2));
    sitting.keys("v");
    for key in ["r", "b", "a", "Ctrl-r", "Space", "x"] {
        sitting.keys(key);
        assert_eq!(sitting.mode(), "browse", "{key}");
        assert_eq!(
            sitting.status(),
            "Closed: no item is on this page. Esc goes back to the list.",
            "{key}"
        );
    }
    assert_eq!(sitting.decisions().len(), 0);
}
