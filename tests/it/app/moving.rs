//! Moving about: the walk, panes, marks, pages, search, and a list that shrinks under the hands.

use std::collections::BTreeSet;

use countersign::app::effect::Effect;
use countersign::app::fixture;
use countersign::app::key::Key;
use countersign::app::msg::{Msg, Side, Trouble};
use countersign::app::scene::{Area, DiffMeasure, Extent, Need};
use countersign::app::state::{Focus, Purpose, Row};
use countersign::app::update::footer::live_commands;
use countersign::app::update::{Setup, drew, update};
use countersign::app::walk;
use countersign::gate::dossier::Subject;
use countersign::model::change::{Counts, Shape};
use countersign::model::id::{Oid, RepoPath, Ticket};
use countersign::model::known::Known;

use super::sitting::{Sitting, World};

#[test]
fn n_reaches_every_owed_item_once_downwards_and_stops_at_the_end_aloud() {
    let mut sitting = Sitting::at(fixture::dossier());
    let owed: Vec<Subject> = walk::items(&sitting.state)
        .filter(|item| item.owed)
        .map(|item| item.subject.clone())
        .collect();
    assert_eq!(
        sitting.state.world.judgment.as_ref().map(|j| j.owed),
        Some(owed.len())
    );
    let mut met = vec![sitting.subject().expect("an item is selected")];
    for _ in 1..owed.len() {
        sitting.keys("n");
        met.push(sitting.subject().expect("an item is selected"));
    }
    assert_eq!(met, owed);
    assert_eq!(owed.len(), 10);
    sitting.keys("n");
    assert_eq!(sitting.status(), "end: 10 owed above · n starts at the top");
    assert_eq!(sitting.subject().as_ref(), owed.last());
    sitting.keys("n");
    assert_eq!(sitting.subject().as_ref(), owed.first());
    sitting.keys("N");
    assert_eq!(sitting.status(), "end: 10 owed below · N starts at the end");
    sitting.keys("N");
    assert_eq!(sitting.subject().as_ref(), owed.last());
}

#[test]
fn items_whose_oracle_runs_are_passed_over() {
    let mut sitting = Sitting::at(fixture::green(3));
    sitting.tell(Msg::Run(countersign::app::msg::RunNews::Started {
        criterion: fixture::id(2),
        at_ms: 0,
        limit_ms: 120_000,
    }));
    sitting.keys("n");
    assert_eq!(sitting.subject(), Some(Subject::Criterion(fixture::id(3))));
}

#[test]
fn movement_works_in_the_list_and_stops_at_its_ends() {
    let mut sitting = Sitting::at(fixture::dossier());
    let rows = walk::rows(&sitting.state);
    for (keys, at) in [
        ("j", 1),
        ("Down", 2),
        ("k", 1),
        ("Up k k", 0),
        ("G", rows.len() - 1),
        ("j", rows.len() - 1),
        ("g", 0),
        ("PageDown", 10),
        ("Ctrl-u", 5),
    ] {
        sitting.keys(keys);
        assert_eq!(sitting.state.nav.selected.as_ref(), rows.get(at), "{keys}");
    }
}

#[test]
fn digits_select_panes_and_an_empty_one_says_why() {
    let mut sitting = Sitting::at(fixture::dossier());
    sitting.keys("3");
    assert!(matches!(sitting.subject(), Some(Subject::ScopeFile(_))));
    sitting.keys("1");
    assert_eq!(sitting.subject(), Some(Subject::Criterion(fixture::id(1))));
    sitting.keys("4");
    assert_eq!(
        sitting.status(),
        "chains: does not apply: the change touches no SKILL.md"
    );
    sitting.keys("7");
    assert_eq!(sitting.state.nav.focus, Focus::Verdict);
}

#[test]
fn enter_goes_in_and_escape_goes_out_to_the_list_and_never_further() {
    let mut sitting = Sitting::at(fixture::green(2));
    sitting.keys("Enter");
    assert_eq!(sitting.state.nav.focus, Focus::Card);
    sitting.keys("l");
    assert_eq!(sitting.state.nav.focus, Focus::Output);
    sitting.keys("Esc");
    assert_eq!(sitting.state.nav.focus, Focus::Card);
    sitting.keys("]");
    assert_eq!(sitting.state.nav.focus, Focus::Diff);
    sitting.keys("h");
    assert_eq!(sitting.state.nav.focus, Focus::Card);
    sitting.keys("Esc Esc Esc Esc");
    assert_eq!(sitting.state.nav.focus, Focus::List);
    assert_eq!(sitting.status(), "nothing further out · q leaves");
    assert!(
        !sitting
            .effects
            .iter()
            .any(|effect| matches!(effect, Effect::Leave(_)))
    );
}

#[test]
fn marks_and_the_way_back() {
    let mut sitting = Sitting::at(fixture::dossier());
    sitting.keys("3 M s 1 n");
    let two = sitting.subject();
    sitting.keys("' s");
    assert!(matches!(sitting.subject(), Some(Subject::ScopeFile(_))));
    sitting.keys("Ctrl-o");
    assert_eq!(sitting.subject(), two);
    sitting.keys("' z");
    assert_eq!(sitting.status(), "no mark z");
}

#[test]
fn the_filter_shows_what_is_owed_and_says_what_it_hides() {
    let mut sitting = Sitting::at(fixture::dossier());
    sitting.keys("r f");
    let rows = walk::rows(&sitting.state);
    assert_eq!(rows.len(), 10, "nine owed and the selected one");
    assert_eq!(
        sitting.status(),
        "7 more rows hidden by the filter \"owed\" · f asks for a word"
    );
    sitting.keys("f Enter");
    assert_eq!(walk::rows(&sitting.state).len(), 17);
}

#[test]
fn reading_again_keeps_the_selection_by_what_it_is_and_survives_a_shrunken_list() {
    let mut sitting = Sitting::at(fixture::dossier());
    sitting.keys("r 3 F5");
    let ticket = open_ticket(&sitting);
    let mut again = fixture::dossier();
    again.snapshot.head = Oid([0xaa; 20]);
    if let Known::Is(record) = &mut again.contract {
        record.contract.criteria.remove(0);
    }
    sitting.tell(fixture::opened(ticket, again));
    assert!(matches!(sitting.subject(), Some(Subject::ScopeFile(_))));
    assert!(
        sitting.state.seen.rows.is_empty(),
        "all has to be seen again"
    );

    sitting.keys("G F5");
    let ticket = open_ticket(&sitting);
    let mut again = fixture::green(1);
    again.files = Known::Is(Vec::new());
    sitting.tell(fixture::opened(ticket, again));
    assert_eq!(sitting.subject(), Some(Subject::Criterion(fixture::id(1))));
    sitting.keys("j j G k");
}

fn open_ticket(sitting: &Sitting) -> Ticket {
    sitting
        .effects
        .iter()
        .rev()
        .find_map(|effect| match effect {
            Effect::Open(ticket) => Some(*ticket),
            _ => None,
        })
        .expect("it was read again")
}

fn diff_scene(sitting: &Sitting, top: usize) -> countersign::app::scene::Scene {
    let mut scene = sitting.scene();
    scene.measured.parts.insert(
        Focus::Diff,
        Extent {
            area: Area {
                x: 40,
                y: 3,
                width: 60,
                height: 20,
            },
            top,
            rows: 20,
            total: 100,
        },
    );
    scene.measured.diff = Some(DiffMeasure {
        path: Some("lib/clock.awk".into()),
        hunks: vec![3, 40, 80],
        claimed: vec![1],
        folds: vec![(30, 12)],
        changed_lines: vec![(Side::Head, 4), (Side::Head, 5)],
    });
    scene.measured.needs = vec![
        Need::Hunks("lib/clock.awk".into()),
        Need::Text("lib/clock.awk".into(), Side::Head, 0..40),
    ];
    scene
}

#[test]
fn the_diff_is_walked_by_the_rows_that_were_drawn() {
    let mut sitting = Sitting::at(fixture::green(2));
    let scene = diff_scene(&sitting, 0);
    drew(&mut sitting.state, &scene);
    for (key, row) in [
        ("]", 3),
        ("]", 40),
        ("]", 80),
        ("]", 80),
        ("[", 40),
        ("g", 0),
        (")", 40),
    ] {
        sitting.raw(key, false);
        assert_eq!(sitting.state.nav.cursor, row, "{key}");
    }
    sitting.raw("z", false);
    assert!(
        sitting
            .state
            .diff
            .unfolded
            .contains(&("lib/clock.awk".into(), 12))
    );
    sitting.raw("}", false);
    assert_eq!(
        sitting.state.nav.file,
        Some(RepoPath::from(".github/workflows/deploy.yml"))
    );
}

#[test]
fn what_a_scene_lacks_is_asked_for_once() {
    let mut sitting = Sitting::at(fixture::green(2));
    let scene = diff_scene(&sitting, 0);
    let mut asked = Vec::new();
    for _ in 0..3 {
        drew(&mut sitting.state, &scene);
        asked.extend(update(&mut sitting.state, Msg::Drawn(2_000)));
    }
    asked.retain(|effect| !matches!(effect, Effect::Wake(_)));
    let tokens = asked.iter().filter_map(|effect| match effect {
        Effect::Text { tokens, .. } => Some(*tokens),
        _ => None,
    });
    // what can be read comes first, its colors follow
    assert_eq!(tokens.collect::<Vec<_>>(), [false, true], "{asked:?}");
    assert_eq!(asked.len(), 3, "{asked:?}");
    let mut further = diff_scene(&sitting, 20);
    further.measured.needs = vec![Need::Text("lib/clock.awk".into(), Side::Head, 20..60)];
    drew(&mut sitting.state, &further);
    let more = update(&mut sitting.state, Msg::Drawn(2_100));
    assert!(
        matches!(
            &more[..],
            [Effect::Text { lines, .. }, Effect::Text { lines: colored, .. }]
                if *lines == (40..60) && *colored == (40..60)
        ),
        "{more:?}"
    );
}

#[test]
fn a_search_walks_its_hits_with_n_and_gives_the_key_back() {
    let mut sitting = Sitting::at(fixture::green(2));
    let mut scene = diff_scene(&sitting, 0);
    drew(&mut sitting.state, &scene);
    sitting.raw("d", false);
    sitting.raw("/", false);
    for character in "rss".chars() {
        sitting.raw(&character.to_string(), false);
    }
    sitting.raw("Enter", false);
    scene.measured.hits = vec![7, 50, 90];
    drew(&mut sitting.state, &scene);
    assert_eq!(sitting.state.nav.cursor, 7);
    for (key, row) in [("n", 50), ("n", 90), ("n", 7), ("N", 90)] {
        sitting.raw(key, false);
        assert_eq!(sitting.state.nav.cursor, row, "{key}");
    }
    sitting.raw("Esc", false);
    assert_eq!(sitting.mode(), "browse");
    sitting.keys("n");
    assert_eq!(sitting.subject(), Some(Subject::Criterion(fixture::id(2))));
}

#[test]
fn a_click_selects_and_never_decides() {
    let mut sitting = Sitting::at(fixture::green(3));
    let mut scene = sitting.scene();
    let row = Row::Item(Subject::Criterion(fixture::id(3)));
    scene.measured.targets = vec![(
        Area {
            x: 0,
            y: 5,
            width: 38,
            height: 1,
        },
        row.clone(),
    )];
    drew(&mut sitting.state, &scene);
    sitting.tell(Msg::Click(4, 5, false));
    assert_eq!(sitting.state.nav.selected, Some(row));
    sitting.tell(Msg::Click(4, 5, true));
    assert_eq!(sitting.state.nav.focus, Focus::Card);
    for y in 0..30 {
        for x in 0..100 {
            sitting.tell(Msg::Click(x, y, x % 2 == 0));
        }
    }
    assert_eq!(sitting.decisions().len(), 0);
}

#[test]
fn every_key_of_the_footer_is_the_command_that_it_names() {
    let mut sitting = Sitting::at(fixture::dossier());
    for keys in [
        "", "r n", "Enter", "]", "v", "Esc o", "Esc b", "Esc ?", "Esc :", "Esc x",
    ] {
        sitting.keys(keys);
        let contexts = sitting.state.mode.contexts();
        for live in live_commands(&sitting.state) {
            for key in live.keys.split(' ') {
                let key: Key = key.parse().expect("a key");
                assert!(
                    sitting.state.keys.command(contexts, key).is_some(),
                    "{keys}: {key} of {live:?}"
                );
            }
        }
    }
}

#[test]
fn copying_sends_escaped_text_and_says_that_nobody_answers() {
    let mut sitting = Sitting::at(fixture::green(2));
    sitting.keys("y");
    assert_eq!(
        sitting.effects.last(),
        Some(&Effect::Copy("1  It holds".into()))
    );
    assert_eq!(
        sitting.status(),
        "sent to the terminal's clipboard, 11 characters · no answer is possible"
    );
}

#[test]
fn the_palette_finds_a_command_by_its_letters_and_runs_it() {
    let mut sitting = Sitting::at(fixture::green(2));
    sitting.keys(":");
    sitting.types("kick");
    sitting.keys("Enter");
    assert_eq!(sitting.mode(), "note");
    sitting.keys("Esc :");
    sitting.types("open-queue");
    let rows = countersign::app::update::menus::palette(&sitting.state);
    assert_eq!(
        rows.first().and_then(|row| row.closed.clone()).as_deref(),
        Some("Closed: the queue spans repositories. `countersign queue` lists it.")
    );
}

#[test]
fn a_new_look_says_what_moved() {
    let mut sitting = Sitting::at(fixture::green(1));
    let mut read = |change: &dyn Fn(&mut countersign::gate::dossier::Dossier)| {
        sitting.keys("F5");
        let ticket = open_ticket(&sitting);
        let mut again = fixture::green(1);
        change(&mut again);
        sitting.tell(fixture::opened(ticket, again));
        sitting.status().to_owned()
    };
    let moved = read(&|dossier| dossier.snapshot.base = Oid([0xbb; 20]));
    assert_eq!(
        moved,
        "read again: base 1919191 → bbbbbbb; nothing was decided before"
    );
    let both = read(&|dossier| dossier.snapshot.head = Oid([0xaa; 20]));
    assert!(
        both.starts_with("read again: head 7c7c7c7 → aaaaaaa"),
        "{both}"
    );
}

fn drawn(texts_silent: bool) -> Sitting {
    let world = World {
        composed: true,
        texts_silent,
        ..World::default()
    };
    let setup = Setup {
        size: (160, 45),
        ..Setup::default()
    };
    let mut sitting = Sitting::with(fixture::dossier(), world, setup);
    sitting.keys("n n ]");
    sitting.draw();
    sitting
}

#[test]
fn a_changed_line_counts_as_seen_when_its_text_was_on_screen() {
    for (texts_silent, lines) in [(false, 3), (true, 0)] {
        let sitting = drawn(texts_silent);
        let path = RepoPath::from("lib/clock.awk");
        assert!(sitting.state.diff.files.contains_key(&path));
        let seen = sitting.state.seen.file_lines.get(&path);
        let seen = seen.map_or(0, BTreeSet::len);
        assert_eq!(seen, lines, "one line at base, two at head");
    }
}

#[test]
fn a_file_that_turns_out_to_be_damaged_is_said_and_what_was_seen_does_not_count() {
    let mut sitting = drawn(false);
    let subject = sitting.subject().expect("an item is selected");
    assert!(sitting.state.seen_of(&subject).is_some());
    let path = RepoPath::from("lib/clock.awk");
    let damaged = || countersign::app::msg::Answer::Hunks {
        path: path.clone(),
        shape: Shape::Missing("its bytes do not hash to its name".into()),
        hunks: Err(Trouble {
            says: "its bytes do not hash to its name".into(),
            hint: String::new(),
        }),
        counts: Counts::default(),
        first: Vec::new(),
    };
    // under any ticket but that of the change it says nothing
    sitting.tell(Msg::Answer(Ticket(9_999), Box::new(damaged())));
    assert!(sitting.state.seen_of(&subject).is_some());
    let mut open = sitting.state.waiting.open.iter();
    let opened = open.find(|(_, purpose)| matches!(purpose, Purpose::Open));
    let (opened, _) = opened.expect("the change's own ticket stays open");
    let opened = *opened;
    sitting.tell(Msg::Answer(opened, Box::new(damaged())));
    assert_eq!(sitting.state.seen_of(&subject), None);
    let files = sitting.state.dossier().expect("it is open").files.known();
    let file = files.and_then(|files| files.iter().find(|file| file.path == path));
    let shape = file.map(|file| file.shape.clone());
    assert!(
        matches!(&shape, Some(Known::Is(Shape::Missing(_)))),
        "{shape:?}"
    );
    sitting.draw();
    assert!(sitting.screen().contains("object missing"));
}
