//! Typed texts: kept on `Esc`, on a hang-up and on a failed write; gone only once recorded.

use countersign::app::effect::{Effect, Leave};
use countersign::app::fixture;
use countersign::app::msg::Msg;
use countersign::app::state::Mode;
use countersign::gate::dossier::Subject;
use countersign::model::id::Oid;
use countersign::model::ruling::Cause;

use super::sitting::Sitting;

fn note_text(sitting: &Sitting) -> String {
    match &sitting.state.mode {
        Mode::Note(note) => note
            .fields
            .iter()
            .map(|(_, area)| area.lines().join("\n"))
            .collect::<Vec<_>>()
            .join("|"),
        _ => format!("mode {}", sitting.mode()),
    }
}

#[test]
fn escape_keeps_the_draft_and_the_key_brings_it_back() {
    let mut sitting = Sitting::at(fixture::green(2));
    sitting.keys("b");
    sitting.types("Repeat the hour.");
    assert!(
        sitting.effects.iter().any(
            |effect| matches!(effect, Effect::Draft { text, .. } if text == "Repeat the hour.")
        )
    );
    sitting.keys("Esc");
    assert_eq!(sitting.status(), "draft of 1 kept");
    sitting.keys("n b");
    assert_eq!(note_text(&sitting), "", "another item has its own");
    sitting.keys("Esc N b");
    assert_eq!(note_text(&sitting), "Repeat the hour.");
    sitting.keys("Ctrl-s");
    assert!(sitting.state.drafts.is_empty());
    assert!(matches!(sitting.effects.last(), Some(Effect::DropDraft(_))));
}

#[test]
fn commands_of_the_lists_are_letters_in_a_note() {
    let mut sitting = Sitting::at(fixture::green(2));
    sitting.keys("b");
    sitting.types("rbaxSqnv:?/ o");
    sitting.keys("Enter");
    sitting.types("x");
    assert_eq!(note_text(&sitting), "rbaxSqnv:?/ o\nx");
    assert_eq!(sitting.decisions().len(), 0);
}

#[test]
fn an_empty_note_does_nothing() {
    let mut sitting = Sitting::at(fixture::green(2));
    sitting.keys("b Ctrl-s");
    assert_eq!(sitting.mode(), "note");
    assert_eq!(
        sitting.status(),
        "Closed: a text is needed: your words for the agent."
    );
    sitting.keys("Esc a");
    sitting.types("There is no such kiosk.");
    sitting.keys("Ctrl-s");
    assert!(
        sitting.status().contains("who takes it over"),
        "{}",
        sitting.status()
    );
    sitting.keys("Tab");
    sitting.types("HB-311, Maren");
    sitting.keys("Alt-Enter");
    assert_eq!(sitting.decisions()[0].act().word(), "abandoned");
}

#[test]
fn the_cause_is_preset_from_the_facts() {
    let mut sitting = Sitting::at(fixture::dossier());
    for (item, cause) in [
        (2, Cause::Implementation),
        (4, Cause::Evidence),
        (8, Cause::Evidence),
        (1, Cause::Implementation),
    ] {
        let (preset, _) = sitting
            .state
            .preset_cause(&Subject::Criterion(fixture::id(item)));
        assert_eq!(preset, cause, "{item}");
    }
    sitting.keys("b");
    assert!(matches!(&sitting.state.mode, Mode::Note(note) if note.cause == Cause::Implementation));
}

#[test]
fn a_note_takes_a_paste_up_to_its_limit_and_says_so() {
    let mut sitting = Sitting::at(fixture::green(2));
    sitting.keys("b");
    sitting.tell(Msg::Paste("two\r\nlines".into()));
    assert_eq!(note_text(&sitting), "two\nlines");
    sitting.tell(Msg::Paste("é".repeat(70_000)));
    assert!(
        sitting.status().ends_with("cut at 64 KiB"),
        "{}",
        sitting.status()
    );
    let text = note_text(&sitting);
    assert!(
        text.len() <= 64 * 1024 && text.len() > 64 * 1024 - 4,
        "{}",
        text.len()
    );
}

#[test]
fn a_draft_for_an_older_head_comes_back_and_asks_once() {
    let mut sitting = Sitting::at(fixture::green(2));
    sitting.keys("b");
    sitting.types("Not yet.");
    sitting.keys("Esc F5");
    let ticket = sitting
        .effects
        .iter()
        .rev()
        .find_map(|effect| match effect {
            Effect::Open(ticket) => Some(*ticket),
            _ => None,
        })
        .expect("read again");
    let mut moved = fixture::green(2);
    moved.snapshot.head = Oid([0xa8; 20]);
    sitting.tell(fixture::opened(ticket, moved));
    sitting.look();
    sitting.keys("b");
    assert_eq!(note_text(&sitting), "Not yet.");
    assert_eq!(
        sitting.status(),
        "this draft was written for 7c7c7c7 · Ctrl-x throws it away"
    );
}

#[test]
fn a_head_that_moves_under_a_note_asks_once_before_it_decides() {
    let mut sitting = Sitting::at(fixture::green(2));
    sitting.keys("b");
    sitting.types("Not yet.");
    let mut moved = fixture::green(2);
    moved.snapshot.head = Oid([0xa8; 20]);
    if let Some(dossier) = &mut sitting.state.world.dossier {
        **dossier = moved;
    }
    sitting.keys("Ctrl-s");
    assert_eq!(
        sitting.status(),
        "written for 7c7c7c7; the head is a8a8a8a now. The same key again does it for a8a8a8a."
    );
    assert_eq!(sitting.decisions().len(), 0);
    assert_eq!(sitting.state.drafts.len(), 1);
    sitting.keys("Ctrl-s");
    assert_eq!(sitting.decisions().len(), 1, "{}", sitting.status());
    assert!(sitting.state.drafts.is_empty());
}

#[test]
fn the_editor_returns_its_text_to_the_field() {
    let mut sitting = Sitting::at(fixture::green(2));
    sitting.keys("b");
    sitting.types("short");
    sitting.keys("Ctrl-e");
    let Some(Effect::Editor(ticket, text)) = sitting.effects.last().cloned() else {
        panic!("the editor is asked for: {:?}", sitting.effects.last());
    };
    assert_eq!(text, "short");
    sitting.tell(Msg::Answer(
        ticket,
        Box::new(countersign::app::msg::Answer::Edited(Ok(
            "long\ntext\n".into()
        ))),
    ));
    assert_eq!(note_text(&sitting), "long\ntext");
}

#[test]
fn leaving_with_something_owed_or_drafted_asks_and_keeps_it() {
    let mut sitting = Sitting::at(fixture::green(2));
    sitting.keys("q");
    assert_eq!(sitting.mode(), "confirm");
    sitting.keys("Esc");
    assert_eq!(sitting.mode(), "browse");
    sitting.keys("q n");
    assert_eq!(sitting.subject(), Some(Subject::Criterion(fixture::id(2))));
    sitting.keys("b");
    sitting.types("Half a");
    sitting.keys("Ctrl-c");
    assert_eq!(sitting.mode(), "confirm");
    sitting.keys("y");
    let tail: Vec<&Effect> = sitting.effects.iter().rev().take(2).collect();
    assert!(
        matches!(tail[..], [Effect::Leave(Leave::Undecided), Effect::Draft { text, .. }] if text == "Half a"),
        "{tail:?}"
    );
}

#[test]
fn a_hang_up_hands_over_every_draft() {
    let mut sitting = Sitting::at(fixture::green(2));
    sitting.keys("b");
    sitting.types("One");
    sitting.keys("Esc n b");
    sitting.types("Two");
    sitting.effects.clear();
    sitting.tell(Msg::Hangup);
    let texts: Vec<&str> = sitting
        .effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Draft { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(texts, ["One", "Two"]);
    assert_eq!(sitting.effects.last(), Some(&Effect::Leave(Leave::HungUp)));
}
