//! The scenes of gate messages in the session: three that wait, at every size.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use countersign::app::fixture;
use countersign::app::msg::Msg;
use countersign::app::state::State;
use countersign::app::update::update;
use countersign::gate::dossier::{Still, Waiting};
use countersign::gate::menu::read;
use countersign::model::known::Known;

use super::sample::{keys, over, settle};
use super::shots::at_every_size;

const OBSTACLE: &str = "gauntlet: gate=gatekeep-pr/obstacle recommended=1\n\n\
    Delivers: Loads the winter timetable. 7 rows covered.\n\nBlockers:\n\
    1. The dial keeps the old hour. (lib/dial.awk:7)\n\nVerdict: fixable - 1 blocker(s)\n\n\
    Obstacle: stuck - board-test red twice without a source change\n\n\
    1. deliver - go on with what was changed   [recommended]\n\
    2. show evidence - print what the verdict rests on\n\
    3. stop - leave it as it is; the checkout stays\n\
    Type a number, or `check NAME flaky|real|ci-broken`.\n\
    Not offered: merge (failed gate).\n";

/// The sample with three messages, the keys pressed one after another.
fn gates(size: (u16, u16), pressed: &str) -> State {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/triage");
    let file = |name: &str| fs::read(corpus.join(name)).expect("a message");
    let all = [
        ("mail/verdict.md", file("golden/real-untracked.md")),
        ("mail/obstacle.md", OBSTACLE.into()),
        (
            "mail/draft.md",
            file("honest/12-draft-gated-cannot-replicate.md"),
        ),
    ];
    let mut dossier = fixture::dossier();
    dossier.messages = all
        .into_iter()
        .map(|(name, bytes)| Waiting {
            file: name.into(),
            message: Arc::new(read(&bytes)),
            still: Still::Waits,
        })
        .collect();
    dossier.run_record = Known::Is(vec![
        "harbor/ferry#42 against main".into(),
        "course deliver: of that run, never resumed here".into(),
        "rounds 1 of 10, syncs 0 of 10".into(),
        "no pass is under way".into(),
    ]);
    keys(over(dossier, size), pressed)
}

#[test]
fn a_gate_message_on_its_page() {
    at_every_size("gate", |size| gates(size, "6"));
}

#[test]
fn gate_messages_in_the_list() {
    at_every_size("gate-list", |size| gates(size, "6 Esc"));
}

#[test]
fn the_run_record_beside_a_gate_message() {
    at_every_size("gate-record", |size| gates(size, "6 n Tab Tab Tab"));
}

#[test]
fn what_can_be_done_beside_a_pick() {
    at_every_size("gate-levers", |size| gates(size, "6 n Space"));
}

#[test]
fn a_reply_before_it_is_given() {
    at_every_size("gate-words", |size| {
        let typed = "n o t Space t h e Space l i s t";
        gates(size, &format!("6 b {typed} Ctrl-s"))
    });
}

#[test]
fn a_criterion_that_is_given_up_at_a_gate() {
    at_every_size("gate-given-up", |size| {
        let mut typed = "6 n Space 6 Enter 3 Space".to_owned();
        for letter in "deferred:".chars() {
            typed.push_str(&format!(" {letter}"));
        }
        gates(size, &format!("{typed} Space H B - 9 Ctrl-s"))
    });
}

#[test]
fn a_gate_message_that_is_another_by_now() {
    at_every_size("gate-gone", |size| {
        let mut state = gates(size, "6");
        let id = state.open_gate().expect("a message").0.clone();
        let gone = Msg::Message(id, "the message is another one now, 3f2a1c9".into());
        let effects = update(&mut state, gone);
        settle(&mut state, effects);
        state
    });
}

fn read_whole(state: &State) -> bool {
    let subject = state.subject().expect("a message");
    state.seen_of(subject).is_some()
}

/// The page is never left with a lock that no key opens: reading on shows every row that decides.
#[test]
fn a_message_is_read_at_every_size_and_only_then_answered() {
    for size in [(160, 45), (100, 30), (80, 24), (60, 20), (40, 10)] {
        let mut state = gates(size, "6");
        for _ in 0..60 {
            if read_whole(&state) {
                break;
            }
            state = keys(state, "Enter");
        }
        assert!(read_whole(&state), "{size:?}");
    }
}

/// Another view is no way around the report: it decides whatever the upper part shows.
#[test]
fn another_view_does_not_stand_for_the_report() {
    for turned in ["Tab", "Tab Tab Tab"] {
        let state = gates((60, 20), &format!("6 {turned}"));
        assert!(!read_whole(&state), "{turned}");
        let state = keys(state, "Enter Enter Enter");
        assert!(!read_whole(&state), "{turned}");
    }
    // the raw message holds the same lines
    let mut state = gates((60, 20), "6 Tab Tab");
    for _ in 0..20 {
        state = keys(state, "Enter");
    }
    assert!(read_whole(&state));
}
