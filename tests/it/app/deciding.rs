//! Nothing is decided that was not read, and nothing says "recorded" before the disk did.

use countersign::app::effect::Effect;
use countersign::app::fixture;
use countersign::app::msg::{Msg, RunNews};
use countersign::app::update::seen::Ready;
use countersign::app::update::{Setup, menus};
use countersign::gate::dossier::{Moved, Subject};
use countersign::model::id::{Oid, Ticket};
use countersign::model::oracle::Outcome;

use super::sitting::{Sitting, World};

fn green() -> Sitting {
    Sitting::at(fixture::green(3))
}

#[test]
fn a_session_opens_on_the_first_owed_item() {
    let sitting = Sitting::at(fixture::dossier());
    assert!(matches!(sitting.subject(), Some(Subject::ContractEdit(_))));
    assert_eq!(
        sitting.status(),
        "opened at 7c7c7c7 · contract, criteria and diff read in 41 ms · nothing has been run"
    );
}

#[test]
fn nothing_can_be_decided_before_anything_is_known() {
    let (mut state, _) = countersign::app::update::start(Setup::default());
    for key in [
        "r", "b", "a", "x", "u", "S", "n", "Enter", "Space", "p", "X",
    ] {
        let effects = countersign::app::update::update(
            &mut state,
            Msg::Key {
                key: key.parse().expect("a key"),
                repeat: false,
            },
        );
        assert_eq!(effects, [], "{key}");
    }
}

#[test]
fn a_ratify_opens_three_hundred_milliseconds_after_the_last_deciding_row() {
    let mut sitting = green();
    sitting.raw("n", false);
    sitting.draw();
    sitting.wait(100);
    sitting.raw("r", false);
    assert_eq!(sitting.decisions().len(), 0);
    assert_eq!(
        sitting.status(),
        "Too fast: the evidence was on screen for 0.1 s. Press r again."
    );
    sitting.wait(199);
    sitting.raw("r", false);
    assert_eq!(sitting.decisions().len(), 0);
    sitting.wait(1);
    sitting.raw("r", false);
    assert_eq!(sitting.decisions().len(), 1);
    let seen = sitting.decisions()[0].seen().expect("it was seen");
    assert_eq!(seen.rows, ["CHECK", "RESULT", "line 25"]);
    assert_eq!(seen.for_ms, 300);
}

#[test]
fn a_key_that_came_before_its_row_was_drawn_is_dropped() {
    let mut sitting = green();
    for key in ["n", "r"] {
        sitting.raw(key, false);
    }
    assert_eq!(sitting.decisions().len(), 0);
    assert_eq!(
        sitting.status(),
        "dropped: the key came before its row was on screen · press it again"
    );
    for key in ["n", "b"] {
        sitting.raw(key, false);
    }
    assert_eq!(sitting.mode(), "browse");
}

#[test]
fn a_held_key_never_decides() {
    let mut sitting = green();
    for _ in 0..50 {
        sitting.raw("r", true);
        sitting.look();
    }
    assert_eq!(sitting.decisions().len(), 0);
    sitting.raw("r", false);
    for _ in 0..50 {
        sitting.raw("r", true);
        sitting.look();
    }
    assert_eq!(sitting.decisions().len(), 1);
}

#[test]
fn a_locked_ratify_opens_a_card_that_names_the_way() {
    let world = World {
        labels: (vec!["CHECK".into(), "line 210".into()], 1),
        ..World::default()
    };
    let mut sitting = Sitting::with(fixture::green(2), world, Setup::default());
    sitting.keys("r");
    assert_eq!(sitting.mode(), "confirm");
    assert_eq!(
        sitting.status(),
        "Locked: not on screen yet: line 210. Enter shows it."
    );
    sitting.keys("r");
    assert_eq!(sitting.decisions().len(), 0);
    sitting.keys("Enter r");
    assert_eq!(sitting.decisions().len(), 1, "{}", sitting.status());
}

#[test]
fn what_was_seen_is_forgotten_when_its_facts_change() {
    let mut sitting = Sitting::at(fixture::dossier());
    sitting.keys("r n");
    assert!(matches!(sitting.state.ready(), Ready::Open("ratify")));
    sitting.raw("x", false);
    assert!(
        matches!(sitting.state.ready(), Ready::Locked(_)),
        "{:?}",
        sitting.state.ready()
    );
    sitting.draw();
    assert!(matches!(sitting.state.ready(), Ready::Soon(_)));
}

#[test]
fn a_frame_composed_before_the_facts_changed_shows_nothing_of_them() {
    let mut sitting = Sitting::at(fixture::green(2));
    sitting.raw("n", false);
    let scene = sitting.scene();
    countersign::app::update::drew(&mut sitting.state, &scene);
    sitting.tell(Msg::Run(RunNews::Ended {
        criterion: fixture::id(2),
        result: Ok(Box::new(fixture::recorded(40, {
            let dossier = fixture::green(2);
            let record = dossier.contract.known().expect("a contract");
            fixture::run(record, 2, 40, fixture::HEAD, Outcome::Met)
        }))),
    }));
    let now = sitting.now;
    sitting.tell(Msg::Drawn(now));
    sitting.wait(1_000);
    assert!(matches!(sitting.state.ready(), Ready::Locked(_)));
}

#[test]
fn an_oracle_runs_on_base_once_it_is_trusted_and_proves_nothing_there() {
    let mut sitting = Sitting::at(fixture::dossier());
    sitting.keys("r n n n n");
    assert_eq!(sitting.subject(), Some(Subject::Criterion(fixture::id(4))));
    let asked = |sitting: &Sitting| {
        let all = sitting.effects.iter();
        all.filter(|effect| matches!(effect, Effect::RunBase(_)))
            .count()
    };
    sitting.state.runs.trusted.clear();
    sitting.keys("B");
    assert_eq!(
        sitting.status(),
        "Closed: 4 is not trusted. t shows what it would run. Nothing was run."
    );
    assert_eq!(asked(&sitting), 0);
    sitting.state.runs.trusted.insert(fixture::id(4));
    sitting.keys("B");
    assert_eq!((asked(&sitting), sitting.status()), (1, "queued 4 on base"));
    let dossier = fixture::dossier();
    let record = dossier.contract.known().expect("a contract");
    let mut run = fixture::run(record, 4, 40, fixture::HEAD, Outcome::Met);
    run.tree = dossier.snapshot.base_tree;
    run.head = dossier.snapshot.merge_base;
    sitting.tell(Msg::Run(RunNews::Ended {
        criterion: fixture::id(4),
        result: Ok(Box::new(fixture::recorded(40, run))),
    }));
    assert_eq!(
        sitting.status(),
        "4 passes on base too: it proves nothing of this change · entry 40"
    );
    assert!(sitting.state.runs.control.is_empty());
    // what runs on base is stopped with the same key
    sitting.keys("B B");
    assert_eq!(sitting.status(), "stopping 4");
    // a criterion without oracle has nothing to run there
    sitting.keys("k B");
    assert!(sitting.status().starts_with("Closed: 3 has no oracle"));
}

#[test]
fn a_failing_criterion_is_refused_in_words_with_the_way_on() {
    let mut sitting = Sitting::at(fixture::dossier());
    sitting.keys("r n n r");
    assert_eq!(
        sitting.status(),
        "Closed: 2 is failing. b sends it back, x runs it again."
    );
    assert_eq!(sitting.mode(), "browse");
    assert_eq!(sitting.decisions().len(), 1);
}

#[test]
fn recorded_appears_only_after_the_disk_said_so() {
    let mut sitting = green();
    sitting.world.disk_silent = true;
    sitting.keys("r");
    assert_eq!(sitting.decisions().len(), 1);
    assert_eq!(sitting.status(), "recording: ratified 1");
    sitting.keys("n r");
    assert_eq!(
        sitting.decisions().len(),
        1,
        "a second act waits for the first"
    );
    sitting.keys("q");
    assert_eq!(sitting.mode(), "browse", "leaving waits as well");

    let mut sitting = green();
    sitting.keys("r");
    assert_eq!(
        sitting.status(),
        "recorded as entry 11: ratified 1 on run 2 · u takes it back"
    );
}

#[test]
fn a_full_disk_decides_nothing_and_keeps_the_text() {
    let mut sitting = green();
    sitting.world.disk_full = true;
    sitting.keys("b");
    sitting.types("Not yet.");
    sitting.keys("Ctrl-s");
    assert!(
        sitting.status().starts_with("Not recorded: no space left."),
        "{}",
        sitting.status()
    );
    assert!(!sitting.status().contains("recorded as"));
    assert_eq!(sitting.state.world.sitting.len(), 0);
    assert!(sitting.state.item().is_some_and(|item| item.owed));
    sitting.world.disk_full = false;
    sitting.keys("b Ctrl-s");
    assert_eq!(sitting.state.world.sitting.len(), 1, "{}", sitting.status());
    assert!(sitting.state.drafts.is_empty());
}

#[test]
fn undo_takes_back_the_last_decision_and_is_itself_recorded() {
    let mut sitting = green();
    sitting.keys("r n r u");
    assert_eq!(
        sitting.status(),
        "recorded as entry 13: undone 12: 2 is passing again · both entries stay in the ledger"
    );
    assert_eq!(sitting.state.world.sitting.len(), 1);
    sitting.keys("u u");
    assert_eq!(
        sitting.status(),
        "nothing of yours to take back: u takes back your last decision"
    );
    assert_eq!(
        sitting.state.world.judgment.as_ref().map(|j| j.owed),
        Some(3)
    );
}

#[test]
fn nothing_decides_while_the_world_moved() {
    let mut sitting = green();
    sitting.tell(Msg::World(Moved {
        head: Some(Oid([0xa8; 20])),
        ..Moved::default()
    }));
    sitting.look();
    for key in ["r", "b", "a", "Ctrl-r", "u", "x", "X", "S"] {
        sitting.keys(key);
        assert_eq!(sitting.mode(), "browse", "{key}");
        assert_eq!(
            sitting.status(),
            "Closed: the head moved to a8a8a8a. F5 reads it again.",
            "{key}"
        );
    }
    assert!(!sitting.effects.iter().any(|effect| matches!(
        effect,
        Effect::Decide(..) | Effect::Rule(..) | Effect::Run(_) | Effect::Undo(..)
    )));
}

#[test]
fn a_late_answer_with_an_old_ticket_is_dropped() {
    let mut sitting = green();
    let mut other = fixture::green(1);
    other.snapshot.head = Oid([0xbb; 20]);
    sitting.tell(fixture::opened(Ticket(99), other.clone()));
    assert_eq!(
        sitting.state.dossier().map(|d| d.snapshot.head),
        Some(fixture::HEAD)
    );
    sitting.keys("F5");
    sitting.tell(fixture::opened(Ticket(0), other));
    assert_eq!(
        sitting.state.dossier().map(|d| d.snapshot.head),
        Some(fixture::HEAD)
    );
}

#[test]
fn the_first_keys_after_the_focus_came_back_are_dropped() {
    let mut sitting = green();
    sitting.tell(Msg::Focus(false));
    sitting.tell(Msg::Focus(true));
    sitting.wait(299);
    sitting.raw("r", false);
    assert_eq!(sitting.decisions().len(), 0);
    sitting.wait(1);
    sitting.raw("r", false);
    assert_eq!(sitting.decisions().len(), 1);
}

#[test]
fn below_forty_by_ten_only_leaving_works() {
    let mut sitting = green();
    sitting.tell(Msg::Resize(39, 10));
    for key in ["r", "b", "n", "S", "Ctrl-r"] {
        sitting.keys(key);
        assert_eq!(sitting.mode(), "browse", "{key}");
    }
    assert_eq!(sitting.decisions().len(), 0);
    sitting.tell(Msg::Resize(100, 30));
    sitting.look();
    sitting.keys("r");
    assert_eq!(sitting.decisions().len(), 1);
}

#[test]
fn a_manual_criterion_is_ruled_on_what_was_picked() {
    let mut sitting = Sitting::at(fixture::dossier());
    sitting.keys("r n n n");
    assert_eq!(sitting.subject(), Some(Subject::Criterion(fixture::id(3))));
    sitting.keys("r");
    assert_eq!(
        sitting.status(),
        "Closed: 3 has no evidence. Enter lists candidates."
    );
    sitting.keys("Enter");
    assert_eq!(sitting.mode(), "picker");
    sitting.keys("r");
    let act = format!("{:?}", sitting.decisions()[1].act());
    assert!(act.contains("Hunk") && act.contains("bin/ferry"), "{act}");
}

#[test]
fn ci_is_green_stays_listed_and_is_refused() {
    let mut sitting = Sitting::at(fixture::dossier());
    sitting.keys("r n n n Enter G r");
    assert_eq!(
        sitting.status(),
        "Closed: \"CI is green\" says nothing about 3."
    );
    sitting.keys("k r");
    assert_eq!(sitting.mode(), "note");
    sitting.types("CI is green");
    sitting.keys("Ctrl-s");
    assert_eq!(sitting.mode(), "note");
    assert!(
        sitting.status().contains("is no evidence"),
        "{}",
        sitting.status()
    );
    assert_eq!(sitting.decisions().len(), 1);
}

#[test]
fn leaving_the_picker_without_a_mark_picks_nothing() {
    let mut sitting = Sitting::at(fixture::dossier());
    sitting.keys("r n n n Enter Esc r");
    assert_eq!(
        sitting.status(),
        "Closed: 3 has no evidence. Enter lists candidates."
    );
    sitting.keys("Enter Space Esc r");
    assert_eq!(sitting.decisions().len(), 2, "{}", sitting.status());
}

#[test]
fn weak_evidence_is_read_once_more() {
    let mut sitting = Sitting::at(fixture::dossier());
    sitting.keys("r n n n n");
    assert_eq!(sitting.subject(), Some(Subject::Criterion(fixture::id(4))));
    sitting.keys("r");
    assert_eq!((sitting.mode(), sitting.decisions().len()), ("confirm", 1));
    sitting.keys("Esc r r");
    assert_eq!(sitting.decisions().len(), 2);
}

#[test]
fn an_oracle_runs_only_after_every_row_of_its_page_was_on_screen() {
    let mut sitting = Sitting::at(fixture::dossier());
    sitting.world.trust_rows = (12, 5);
    sitting.keys("r n n n n n n");
    assert_eq!(sitting.subject(), Some(Subject::Criterion(fixture::id(6))));
    sitting.keys("x");
    assert_eq!(sitting.mode(), "trust");
    sitting.keys("t T");
    assert_eq!(
        sitting.status(),
        "t is locked: 7 rows were not on your screen yet · j scrolls"
    );
    sitting.keys("G t");
    assert_eq!(
        sitting.status(),
        "t is locked: 2 rows were not on your screen yet · j scrolls",
        "rows that were jumped over were not read"
    );
    let ran = |sitting: &Sitting| {
        sitting
            .effects
            .iter()
            .filter(|effect| matches!(effect, Effect::Run(_)))
            .count()
    };
    assert_eq!(ran(&sitting), 0);
    sitting.keys("k k T");
    assert_eq!(sitting.mode(), "browse");
    assert_eq!(
        (ran(&sitting), sitting.status()),
        (0, "trusted 6; nothing of it has run")
    );
    // Leaving the page of what is trusted already takes no trust away, and does not say so.
    sitting.keys("t Esc");
    assert_eq!(sitting.status(), "left as it was: trusted, these bytes");
    sitting.keys("x");
    assert_eq!(ran(&sitting), 1);
    assert!(
        sitting.status().starts_with("6 passes"),
        "{}",
        sitting.status()
    );
}

#[test]
fn the_menu_of_rulings_does_what_its_keys_do() {
    let mut sitting = green();
    sitting.keys("Space");
    assert_eq!(sitting.mode(), "rulings");
    sitting.keys("j Enter");
    assert_eq!(sitting.mode(), "note");
    sitting.keys("Esc Space Enter");
    assert_eq!(sitting.decisions().len(), 1, "{}", sitting.status());
}

#[test]
fn the_menu_of_rulings_says_what_is_missing_for_its_first_row() {
    let mut sitting = Sitting::at(fixture::dossier());
    sitting.keys("r n n n");
    let subject = sitting.subject().expect("criterion 3");
    assert_eq!(subject, Subject::Criterion(fixture::id(3)));
    sitting.keys("Space");
    let rows = menus::rulings(&sitting.state);
    let closed = rows[0].closed.as_deref();
    assert_eq!(closed, Some("3 has no evidence. Enter lists candidates."));
    sitting.keys("Enter");
    assert_eq!(sitting.decisions().len(), 1, "that of the contract alone");
}

#[test]
fn a_reason_for_unseen_typed_where_all_was_seen_acts_as_no_key() {
    let mut sitting = green();
    sitting.keys("Ctrl-r");
    assert_eq!(sitting.status(), "the evidence was seen: r ratifies");
    sitting.types("near the border, run by a bot");
    assert_eq!(sitting.decisions().len(), 0);
    assert_eq!(sitting.mode(), "confirm");
    sitting.keys("Esc r");
    assert_eq!(sitting.decisions().len(), 1);
}

#[test]
fn what_was_seen_of_a_criterion_stays_seen_while_evidence_is_picked() {
    let mut sitting = Sitting::at(fixture::dossier());
    sitting.keys("r n n n");
    let subject = sitting.subject().expect("criterion 3");
    assert_eq!(subject, Subject::Criterion(fixture::id(3)));
    sitting.world.labels = (vec!["CHECK".into(), "RESULT".into(), "lib:+58".into()], 2);
    sitting.look();
    sitting.keys("p");
    let rows = &sitting.state.seen.rows[&subject];
    assert!(
        rows.contains("CHECK") && rows.contains("RESULT"),
        "{rows:?}"
    );
}

#[test]
fn files_that_come_before_the_rest_of_what_is_read_again_are_kept() {
    let mut sitting = green();
    sitting.keys("F5");
    let ticket = sitting
        .effects
        .iter()
        .rev()
        .find_map(|effect| match effect {
            Effect::Open(ticket) => Some(*ticket),
            _ => None,
        })
        .expect("it is read again");
    let fresh = fixture::green(3);
    let files = fresh.files.known().expect("the sample's files").clone();
    let mut opened = fixture::green(3);
    opened.files = countersign::model::known::Known::Unknown(
        countersign::model::known::Reason::new("on their way"),
    );
    let all = countersign::app::msg::Answer::Files {
        files,
        claims: None,
        complete: true,
        cut: None,
    };
    sitting.tell(Msg::Answer(ticket, Box::new(all)));
    sitting.tell(fixture::opened(ticket, opened));
    let known = sitting.state.dossier().expect("read").files.known();
    assert!(known.is_some());
}

#[test]
fn a_name_is_confirmed_before_anything_is_decided_under_it() {
    let mut sitting = Sitting::at(fixture::green(2));
    sitting.state.world.confirmed = false;
    for key in ["r", "b", "u", "S"] {
        sitting.keys(key);
        assert_eq!(sitting.mode(), "confirm", "{key}: {}", sitting.status());
        sitting.keys("Esc");
    }
    assert_eq!(sitting.decisions().len(), 0);
    sitting.keys("r y");
    assert!(sitting.effects.contains(&Effect::ConfirmWho));
    assert_eq!(sitting.decisions().len(), 0, "the key is pressed again");
    sitting.keys("r");
    assert_eq!(sitting.decisions().len(), 1, "{}", sitting.status());
}
