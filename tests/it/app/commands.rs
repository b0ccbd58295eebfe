//! Commands that look closer or draw the list otherwise: inspect, mark lines, editor, sort,
//! filter by a word; and that what is closed says why.

use countersign::app::command::TABLE;
use countersign::app::effect::Effect;
use countersign::app::fixture;
use countersign::app::msg::Msg;
use countersign::app::pane::compose;
use countersign::app::scene::DiffMeasure;
use countersign::app::state::{Focus, Mode, Row};
use countersign::app::update::footer::live_commands;
use countersign::app::update::{Setup, drew};
use countersign::app::walk;
use countersign::gate::dossier::{Dossier, Subject};
use countersign::model::id::RepoPath;
use countersign::model::known::Known;
use countersign::model::text::Foreign;

use super::sitting::{Sitting, World, text};

fn boxed(sitting: &Sitting) -> String {
    let overlay = compose(&sitting.state).overlay.expect("a box");
    let rows: Vec<String> = overlay.rows.iter().map(text).collect();
    rows.join("\n")
}

fn names(sitting: &Sitting) -> Vec<String> {
    walk::rows(&sitting.state)
        .iter()
        .map(walk::row_name)
        .collect()
}

/// A diff with the cursor on a line of `bin/ferry`.
fn on_line(sitting: &mut Sitting, line: u32) {
    let mut scene = sitting.scene();
    scene.measured.diff = Some(DiffMeasure {
        path: Some(RepoPath::from("bin/ferry")),
        ..DiffMeasure::default()
    });
    scene.measured.under = Some(("echo".into(), format!("bin/ferry:{line}")));
    drew(&mut sitting.state, &scene);
}

#[test]
fn inspect_lists_hidden_bytes_with_their_offsets() {
    let mut dossier: Dossier = fixture::green(2);
    if let Known::Is(record) = &mut dossier.contract {
        let criterion = &mut record.contract.criteria[0];
        criterion.text = Foreign::new(b"caf\xc3\xa9 \xe2\x80\xae\xff".to_vec());
    }
    let mut sitting = Sitting::at(dossier);
    sitting.keys("i");
    assert_eq!(sitting.mode(), "inspect");
    let rows = boxed(&sitting);
    let flat: Vec<&str> = rows.split_whitespace().collect();
    let flat = flat.join(" ");
    assert!(flat.contains("text byte 3 c3 a9 U+00E9 é"), "{rows}");
    assert!(
        flat.contains("text byte 6 e2 80 ae U+202E <U+202E>"),
        "{rows}"
    );
    assert!(flat.contains("text byte 9 ff not UTF-8 \\xFF"), "{rows}");
    sitting.keys("j G Esc n i");
    assert!(boxed(&sitting).contains("Plain ASCII, nothing hidden"));
    assert_eq!(sitting.decisions().len(), 0);
}

#[test]
fn marked_lines_go_along_with_a_kick_back_once() {
    let mut sitting = Sitting::at(fixture::green(2));
    sitting.keys("V");
    assert!(sitting.status().starts_with("lines are marked in the diff"));
    sitting.keys("]");
    assert_eq!(sitting.state.nav.focus, Focus::Diff);
    on_line(&mut sitting, 60);
    sitting.raw("V", false);
    on_line(&mut sitting, 57);
    sitting.raw("V", false);
    assert_eq!(
        sitting.status(),
        "bin/ferry:57-60 marked · b takes the lines along"
    );
    sitting.keys("Esc b");
    let words = |sitting: &Sitting| match &sitting.state.mode {
        Mode::Note(note) => note.fields[0].1.lines().join("\n"),
        other => panic!("{other:?}"),
    };
    assert_eq!(words(&sitting), "bin/ferry:57-60 ");
    sitting.types("names one harbor.");
    sitting.keys("Ctrl-s n b");
    assert_eq!(words(&sitting), "", "they went along once");
    let [decision] = sitting.decisions()[..] else {
        panic!("one decision")
    };
    assert!(format!("{:?}", decision.act()).contains("bin/ferry:57-60 names one harbor."));
}

#[test]
fn the_editor_opens_the_file_under_the_cursor_at_its_line() {
    let mut sitting = Sitting::at(fixture::green(2));
    sitting.keys("]");
    on_line(&mut sitting, 57);
    sitting.raw("e", false);
    let wanted = Effect::Edit(RepoPath::from("bin/ferry"), 57);
    assert_eq!(sitting.effects.last(), Some(&wanted));
    assert!(sitting.status().contains("what is judged stays the head's"));
    sitting.keys("Esc G e");
    let Some(Row::File(last)) = sitting.state.nav.selected.clone() else {
        panic!("a file")
    };
    assert_eq!(sitting.effects.last(), Some(&Effect::Edit(last, 1)));
}

#[test]
fn sorting_changes_the_drawing_and_with_it_the_walk() {
    let mut sitting = Sitting::at(fixture::dossier());
    let before = names(&sitting);
    sitting.keys("s");
    let drawn = names(&sitting);
    assert_ne!(drawn, before);
    let criteria: Vec<&String> = drawn.iter().filter(|name| name.len() == 1).collect();
    assert_eq!(criteria[..3], ["2", "6", "7"], "failing, stale, pending");
    let stops = walk::items(&sitting.state).filter(|item| item.owed);
    let stops: Vec<Subject> = stops.map(|item| item.subject.clone()).collect();
    let mut met = vec![sitting.subject().expect("an item")];
    for _ in 1..stops.len() {
        sitting.keys("n");
        met.push(sitting.subject().expect("an item"));
    }
    assert_eq!(met, stops);
    // a run that ends moves nothing: the order is the one that was asked for
    let order = names(&sitting);
    sitting.tell(Msg::Run(countersign::app::msg::RunNews::Started {
        criterion: fixture::id(2),
        at_ms: 0,
        limit_ms: 120_000,
    }));
    sitting.keys("1 N b");
    sitting.types("No.");
    sitting.keys("Ctrl-s");
    assert_eq!(names(&sitting), order);
    // what is drawn is what is walked
    let scene = compose(&sitting.state);
    let rows = scene.panels.iter().flat_map(|panel| &panel.rows).map(text);
    let list: Vec<String> = rows.collect();
    let at = |words: &str| list.iter().position(|row| row.contains(words));
    assert!(
        at("02:30 boat").is_some() && at("02:30 boat") < at("Next departure"),
        "{list:?}"
    );
    sitting.keys("s");
    assert_eq!(names(&sitting), before);
}

#[test]
fn the_filter_takes_a_word_and_never_hides_the_selection() {
    let mut sitting = Sitting::at(fixture::dossier());
    sitting.keys("f f");
    assert_eq!(sitting.mode(), "search");
    sitting.types("Winter");
    sitting.keys("Enter");
    assert_eq!(
        sitting.status(),
        "13 more rows hidden by the filter \"Winter\" · f ends it"
    );
    let kept = names(&sitting);
    assert!(
        kept.iter().any(|name| name == "data/winter.csv"),
        "{kept:?}"
    );
    let selected = sitting.state.nav.selected.as_ref().map(walk::row_name);
    assert!(selected.is_some_and(|name| kept.contains(&name)));
    let scene = compose(&sitting.state);
    let rows = scene.panels.iter().flat_map(|panel| &panel.rows).map(text);
    let drawn: Vec<String> = rows.collect();
    assert!(
        !drawn.iter().any(|row| row.contains("CHANGELOG")),
        "{drawn:?}"
    );
    sitting.keys("f");
    assert_eq!(sitting.status(), "every row is shown");
    sitting.keys("f f Esc o k");
    assert!(sitting.status().contains("\"kicked back\""));
}

#[test]
fn every_closed_row_says_why() {
    let mut sitting = Sitting::at(fixture::green(2));
    sitting.keys("o");
    for live in live_commands(&sitting.state) {
        let why = live.closed.unwrap_or_else(|| "open".into());
        assert!(why == "open" || why.starts_with("Closed: "), "{}", why);
    }
    sitting.keys("Esc o q");
    assert_eq!(
        sitting.status(),
        "Closed: the queue spans repositories. `countersign queue` lists it."
    );
    for row in TABLE {
        let keys = sitting.state.keys.keys(row.command);
        assert!(!keys.is_empty(), "{} has no key", row.id);
    }
}

/// The real screens at a size, with the hunks and lines of `lib/clock.awk` read.
fn with_clock(size: (u16, u16)) -> Sitting {
    let world = World {
        composed: true,
        ..World::default()
    };
    let setup = Setup {
        size,
        ..Setup::default()
    };
    Sitting::with(fixture::dossier(), world, setup)
}

#[test]
fn the_split_diff_has_a_map_of_the_file_in_its_last_column() {
    let mut sitting = with_clock((160, 45));
    sitting.keys("n n ] s");
    let hunks = sitting
        .effects
        .iter()
        .rev()
        .find_map(|effect| match effect {
            Effect::Hunks(ticket, path) if *path == RepoPath::from("lib/clock.awk") => {
                Some(*ticket)
            }
            _ => None,
        });
    if let Some(ticket) = hunks {
        for msg in fixture::clock_awk(ticket, ticket, ticket) {
            sitting.tell(msg);
        }
    }
    let scene = compose(&sitting.state);
    let map = scene
        .panels
        .iter()
        .find(|panel| panel.area.width == 1 && panel.area.x == 159);
    let rows: Vec<String> = map.expect("a map").rows.iter().map(text).collect();
    let map = rows.concat();
    assert!(map.contains('·') && map.contains('▎'), "{map}");
    assert!(map.starts_with('·'), "the first row is a header: {map}");
}

#[test]
fn the_card_of_a_contract_edit_holds_its_bytes_and_what_is_unchanged() {
    let mut sitting = with_clock((160, 45));
    let of_contract = |effect: &Effect| match effect {
        Effect::Hunks(_, path) => path.as_bytes().ends_with(b"winter.md"),
        _ => false,
    };
    sitting.look();
    assert!(
        sitting.effects.iter().any(of_contract),
        "the bytes are asked for without a diff below"
    );
    let scene = compose(&sitting.state);
    let rows = scene.panels.iter().flat_map(|panel| &panel.rows).map(text);
    let all = rows.collect::<Vec<_>>().join("\n");
    assert!(
        all.contains("THE BYTES    .claude/tasks/contracts"),
        "{all}"
    );
    assert!(
        all.contains("UNCHANGED    the request, 7 criteria, the file scope"),
        "{all}"
    );
    assert!(scene.measured.diff.is_none(), "no diff is drawn beside it");
}

#[test]
fn a_long_name_leaves_room_for_the_head_on_the_smallest_screen() {
    let mut dossier = fixture::green(1);
    if let Known::Is(person) = &dossier.who {
        let name = "Ada Augusta Osei of the harbor office";
        let long =
            countersign::model::ruling::Principal::new(name, person.found_in, person.assurance);
        dossier.who = Known::Is(long.expect("a name"));
    }
    let setup = Setup {
        size: (40, 10),
        ..Setup::default()
    };
    let sitting = Sitting::with(dossier, World::default(), setup);
    let head = text(&compose(&sitting.state).head[0]);
    assert!(
        head.contains("7c7c7c7") && head.contains("Ada Augusta"),
        "{head}"
    );
}

#[test]
fn a_card_asks_for_the_lines_it_shows_at_every_size() {
    for size in [(60, 20), (80, 24), (100, 30), (160, 45), (220, 50)] {
        let mut sitting = with_clock(size);
        sitting.keys("3 Enter");
        let deploy = |effect: &Effect| match effect {
            Effect::Hunks(_, path) => path.as_bytes().ends_with(b"deploy.yml"),
            _ => false,
        };
        assert!(sitting.effects.iter().any(deploy), "{size:?}");
    }
}

#[test]
fn leaving_waits_for_what_is_being_recorded() {
    let world = World {
        disk_silent: true,
        ..World::default()
    };
    let mut sitting = Sitting::with(fixture::green(2), world, Setup::default());
    sitting.keys("r q Ctrl-c");
    let leaves = |effect: &Effect| matches!(effect, Effect::Leave(_));
    assert!(!sitting.effects.iter().any(leaves));
    assert_eq!(
        sitting.status(),
        "still recording the last one: leave when it says recorded"
    );
}

#[test]
fn a_child_that_stopped_is_said() {
    let mut sitting = Sitting::at(fixture::green(1));
    sitting.tell(Msg::ChildLost("reader"));
    assert!(
        sitting
            .status()
            .starts_with("reader stopped and is started again")
    );
}

#[test]
fn a_word_typed_by_mistake_runs_no_command_that_was_not_read() {
    let mut sitting = Sitting::at(fixture::dossier());
    sitting.keys("n n n n n n");
    for key in ["x", "t"] {
        sitting.raw(key, false);
        sitting.draw();
        sitting.wait(120);
    }
    let trusts = |effect: &Effect| matches!(effect, Effect::Trust(..));
    assert!(!sitting.effects.iter().any(trusts), "{}", sitting.status());
    assert!(
        sitting.status().starts_with("Too fast: "),
        "{}",
        sitting.status()
    );
    sitting.look();
    sitting.keys("t");
    assert!(sitting.effects.iter().any(trusts));
}
