//! The sign-off: two pages, the second typed by hand.

use countersign::app::command::Command;
use countersign::app::effect::{Effect, Leave};
use countersign::app::fixture;
use countersign::app::msg::{Answer, Msg, Trouble};
use countersign::app::state::Mode;
use countersign::app::update::Setup;
use countersign::app::update::footer::live_commands;
use countersign::gate::dossier::Moved;
use countersign::model::id::{Digest, Oid, Ticket};
use countersign::model::ruling::{FileEdit, Verdict};

use super::sitting::{Sitting, World};

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

/// Both criteria ratified and the EVIDENCE edit switched on; at the first page, text typed.
fn with_edits(world: World) -> Sitting {
    let mut sitting = Sitting::with(fixture::green(2), world, Setup::default());
    sitting.keys("r n r n");
    switch_on(&mut sitting, "EVIDENCE of 1 2");
    sitting.keys("S");
    sitting.types("The cases are the agent's own.");
    sitting
}

/// Walks to the row of this name on the verdict page and presses Enter.
fn switch_on(sitting: &mut Sitting, name: &str) {
    let row = countersign::app::update::menus::verdict(&sitting.state)
        .iter()
        .position(|row| row.says == name)
        .expect("the edit is offered");
    sitting.keys("g");
    for _ in 0..row {
        sitting.keys("j");
    }
    sitting.keys("Enter");
}

fn edits_of(sitting: &Sitting) -> Vec<Vec<FileEdit>> {
    let rulings = sitting.rulings().into_iter();
    rulings.map(|ruling| ruling.edits().to_vec()).collect()
}

#[test]
fn edits_are_shown_line_by_line_before_they_are_signed_and_stored_by_their_bytes() {
    let mut sitting = with_edits(World::default());
    sitting.keys("Ctrl-s");
    assert_eq!(sitting.mode(), "sign edits", "{}", sitting.status());
    sitting.keys("Enter");
    assert_eq!(sitting.mode(), "sign 2", "{}", sitting.status());
    sitting.types("7c7c7c");
    sitting.keys("Enter");
    let wanted = FileEdit {
        path: "contract.md".into(),
        after: Digest::of(b"after"),
    };
    assert_eq!(edits_of(&sitting), [vec![wanted]], "{}", sitting.status());
}

#[test]
fn edits_are_confirmed_only_when_every_row_of_them_was_on_screen() {
    let world = World {
        trust_rows: (30, 20),
        ..World::default()
    };
    let mut sitting = with_edits(world);
    sitting.keys("Ctrl-s");
    sitting.raw("Enter", false);
    assert_eq!(sitting.mode(), "sign edits", "a burst confirms nothing");
    sitting.keys("Enter");
    assert_eq!(
        sitting.status(),
        "Enter is closed: 10 rows were not on your screen yet · j scrolls"
    );
    sitting.keys("G Enter");
    assert_eq!(sitting.mode(), "sign 2", "{}", sitting.status());
}

#[test]
fn what_cannot_be_written_is_shown_and_left_out() {
    let world = World {
        edits_refused: true,
        ..World::default()
    };
    let mut sitting = with_edits(world);
    sitting.keys("Ctrl-s");
    let screen = sitting.screen();
    assert!(
        screen.contains("left out: it was not run on this tree"),
        "{screen}"
    );
    sitting.keys("Enter");
    sitting.types("7c7c7c");
    sitting.keys("Enter");
    assert_eq!(edits_of(&sitting), [vec![]], "{}", sitting.status());
}

#[test]
fn without_a_ruling_a_chosen_edit_stays_a_draft() {
    let mut sitting = with_edits(World::default());
    sitting.keys("Ctrl-s Esc Esc");
    assert_eq!(sitting.rulings().len(), 0);
    let kept = |sitting: &Sitting| {
        let mut drafts = sitting.state.drafts.iter();
        let found = drafts.find(|(key, _)| key.starts_with("ruling | edits"));
        found.map(|(_, text)| text.clone())
    };
    assert_eq!(kept(&sitting).as_deref(), Some("evidence"));
    let mut again = Sitting::at(fixture::green(2));
    assert!(again.state.nav.writes.is_empty());
    again.state.drafts = sitting.state.drafts.clone();
    again.keys("F5");
    let Some(Effect::Open(ticket)) = again.effects.last().cloned() else {
        panic!("F5 opens again: {:?}", again.effects.last());
    };
    again.tell(fixture::opened(ticket, fixture::green(2)));
    assert!(again.state.nav.writes.contains("evidence"));
    sitting.keys("Ctrl-s");
    assert_eq!(
        sitting.mode(),
        "browse",
        "left before: {}",
        sitting.status()
    );
}

#[test]
fn an_edit_whose_decision_was_taken_back_is_not_chosen_any_more() {
    let mut sitting = Sitting::at(fixture::green(2));
    sitting.keys("r n r n");
    switch_on(&mut sitting, "EVIDENCE of 1 2");
    sitting.keys("Esc u");
    assert!(
        sitting.state.nav.writes.contains("evidence"),
        "of 1 still: {}",
        sitting.status()
    );
    sitting.keys("u");
    assert!(sitting.state.nav.writes.is_empty(), "{}", sitting.status());
}

#[test]
fn what_became_of_the_edits_is_said_after_the_ruling() {
    for (result, wanted) in [
        (
            Ok(fixture::recorded(40, ()).entry),
            "contract written, not committed",
        ),
        (
            Err(Trouble {
                says: "the file changed since it was read.".into(),
                hint: "The ruling stands, recorded.".into(),
            }),
            "the contract was not written: the file changed since it was read.",
        ),
    ] {
        let mut sitting = signed();
        let failed = result.is_err();
        sitting.tell(Msg::Answer(Ticket(0), Box::new(Answer::Written(result))));
        assert!(sitting.status().contains(wanted), "{}", sitting.status());
        assert!(sitting.status().starts_with("recorded as entry"));
        assert_eq!(sitting.state.status.refusal, failed);
    }
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
    sitting.keys("v");
    let live = live_commands(&sitting.state);
    let closed = [Command::Sign, Command::Undo];
    assert!(
        live.iter().all(|live| !closed.contains(&live.command)),
        "{live:?}"
    );
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

#[test]
fn a_lifted_abandonment_is_taken_out_although_the_criterion_was_ruled_on_since() {
    use countersign::app::edit::EditOrder;
    use countersign::app::update::menus;
    let mut sitting = Sitting::at(fixture::dossier());
    sitting.keys("n n n n n");
    for text in ["The kiosk is still there.", "Not yet."] {
        sitting.keys("b");
        sitting.types(text);
        sitting.keys("Ctrl-s");
        let orders = menus::orders(&sitting.state);
        assert_eq!(
            orders,
            [EditOrder::Lift(fixture::id(5))],
            "{}",
            sitting.status()
        );
    }
    assert_eq!(sitting.decisions().len(), 2);
    // taken back, both go
    sitting.keys("u");
    assert_eq!(menus::orders(&sitting.state).len(), 1);
    sitting.keys("u");
    assert_eq!(menus::orders(&sitting.state), []);
}
