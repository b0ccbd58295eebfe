//! Pastes, bursts and anything at all: the session stays whole, and decides only what was read.

use countersign::app::effect::Effect;
use countersign::app::fixture;
use countersign::app::key::{Code, Key};
use countersign::app::msg::Msg;
use countersign::gate::dossier::{Moved, Subject};
use countersign::model::id::{Oid, Ticket};
use proptest::prelude::*;

use super::sitting::Sitting;

/// Keys that lead into every mode.
const INTO: [&str; 13] = [
    "", "o", "M", "/", "Space", "x", "?", ":", "b", "Ctrl-r", "q", "v", "Enter",
];

#[test]
fn a_paste_acts_as_no_key_in_any_mode() {
    for keys in INTO {
        let mut sitting = Sitting::at(fixture::dossier());
        sitting.keys("r n n n n n n");
        sitting.keys(keys);
        let before = sitting.effects.len();
        sitting.tell(Msg::Paste("rbaxSq\nty\n\u{1b}[201~r".into()));
        sitting.look();
        let acts = sitting.effects[before..]
            .iter()
            .any(|effect| !matches!(effect, Effect::Draft { .. } | Effect::Wake(_)));
        assert!(!acts, "after {keys}: {:?}", &sitting.effects[before..]);
        assert_eq!(sitting.decisions().len(), 1, "after {keys}");
    }
}

#[test]
fn a_paste_in_the_lists_says_what_it_did_not_do() {
    let mut sitting = Sitting::at(fixture::green(2));
    sitting.tell(Msg::Paste("r".repeat(48)));
    assert_eq!(
        sitting.status(),
        "Paste ignored, 48 characters: keys decide, pastes do not. b opens a note."
    );
}

/// One thing that can happen.
#[derive(Clone, Debug)]
enum Event {
    Key(Key, bool),
    Paste(String),
    Draw,
    Wait(u64),
    Resize(u16, u16),
    Focus(bool),
    Move(bool),
    Click(u16, u16, bool),
    Wheel(u16, u16, i16),
    Stray(u64),
    Lost,
}

fn event() -> impl Strategy<Value = Event> {
    let keys: Vec<Key> = "n N Enter Esc r b a Ctrl-r Space x X B t T p u v S / ? : F5 Tab d [ ] { } ( ) \
        s w z + - m f M ' Ctrl-o y Y o q 0 1 2 3 7 j k g G Ctrl-d PageUp c l Ctrl-s Ctrl-e Ctrl-c Ctrl-l \
        Backspace Left Right Up Down e é"
        .split_whitespace()
        .map(|key| key.parse().expect("a key"))
        .chain([Key::char('\u{202e}'), Key::plain(Code::F(12))])
        .collect();
    prop_oneof![
        12 => (proptest::sample::select(keys), proptest::bool::weighted(0.1))
            .prop_map(|(key, repeat)| Event::Key(key, repeat)),
        8 => Just(Event::Draw),
        6 => (0u64..500).prop_map(Event::Wait),
        1 => ".{0,20}".prop_map(Event::Paste),
        1 => (0u16..200, 0u16..60).prop_map(|(w, h)| Event::Resize(w, h)),
        1 => any::<bool>().prop_map(Event::Focus),
        1 => proptest::bool::weighted(0.2).prop_map(Event::Move),
        1 => (0u16..120, 0u16..50, any::<bool>()).prop_map(|(x, y, d)| Event::Click(x, y, d)),
        1 => (0u16..120, 0u16..50, -9i16..9).prop_map(|(x, y, l)| Event::Wheel(x, y, l)),
        1 => (0u64..40).prop_map(Event::Stray),
        1 => Just(Event::Lost),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_only_what_was_drawn_is_decided(
        events in proptest::collection::vec(event(), 1..120),
        composed in proptest::bool::weighted(0.3)
    ) {
        let mut sitting = Sitting::at(fixture::dossier());
        sitting.world.composed = composed;
        sitting.world.trust_rows = (9, 4);
        let mut drawn: Vec<Subject> = sitting.subject().into_iter().collect();
        let mut drawn_at: Option<Subject> = sitting.subject();
        for event in events {
            let before = sitting.effects.len();
            match event {
                Event::Key(key, repeat) => sitting.tell(Msg::Key { key, repeat }),
                Event::Paste(text) => sitting.tell(Msg::Paste(text)),
                Event::Draw => {
                    sitting.draw();
                    drawn_at = sitting.subject();
                    drawn.extend(sitting.subject());
                }
                Event::Wait(ms) => sitting.wait(ms),
                Event::Resize(width, height) => sitting.tell(Msg::Resize(width, height)),
                Event::Focus(focused) => sitting.tell(Msg::Focus(focused)),
                Event::Move(away) => sitting.tell(Msg::World(Moved {
                    head: away.then_some(Oid([0xa8; 20])),
                    ..Moved::default()
                })),
                Event::Click(x, y, double) => sitting.tell(Msg::Click(x, y, double)),
                Event::Wheel(x, y, lines) => sitting.tell(Msg::Wheel(x, y, lines)),
                Event::Stray(ticket) => {
                    sitting.tell(fixture::opened(Ticket(ticket + 10_000), fixture::green(1)));
                }
                Event::Lost => sitting.tell(Msg::ChildLost("reader")),
            }
            for effect in &sitting.effects[before..] {
                if let Effect::Decide(_, decision) = effect {
                    prop_assert!(drawn.contains(decision.subject()), "{decision:?}");
                    prop_assert_eq!(Some(decision.subject()), drawn_at.as_ref());
                    if decision.act().word() == "ratified" {
                        let seen = decision.seen();
                        prop_assert!(seen.is_some_and(|seen| seen.for_ms >= 300), "{decision:?}");
                    }
                }
                prop_assert!(!matches!(effect, Effect::Rule(..)) || sitting.mode() == "browse");
            }
        }
    }

    #[test]
    fn keys_without_a_frame_decide_nothing(
        keys in proptest::collection::vec(event(), 1..60)
    ) {
        let mut sitting = Sitting::at(fixture::green(4));
        sitting.raw("n", false);
        for event in keys {
            if let Event::Key(key, repeat) = event {
                sitting.tell(Msg::Key { key, repeat });
                sitting.wait(50);
            }
        }
        let decided = sitting.decisions();
        let first = Subject::Criterion(fixture::id(1));
        prop_assert!(decided.iter().all(|decision| *decision.subject() == first), "{decided:?}");
    }
}
