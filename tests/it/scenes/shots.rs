//! The scenes that are committed.

use std::fs;
use std::path::PathBuf;

use countersign::app::fixture;
use countersign::app::msg::{Msg, RunNews};
use countersign::app::pane::compose;
use countersign::app::scene::Scene;
use countersign::app::state::{Confirm, Focus, Mode, State};
use countersign::app::update::update;
use countersign::gate::decide::Decision;
use countersign::gate::dossier::{Dispute, LedgerHealth, Moved, Recorded, Subject};
use countersign::model::hidden::Marks;
use countersign::model::id::{CriterionId, Oid, RepoPath};
use countersign::model::known::Known;
use countersign::model::oracle::Outcome;
use countersign::view::{Depth, Theme};

use super::sample::{criterion, edit, focus, keys, later, over, planned, sample, scope, unread};
use super::{picture, text};

const SIZES: [(u16, u16); 4] = [(160, 45), (100, 30), (80, 24), (60, 20)];

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("screenshots")
}

fn updating() -> bool {
    std::env::var_os("UPDATE_SCENES").is_some()
}

/// The screens that are pictured.
const MAIN: [&str; 18] = [
    "session",
    "chains",
    "comments",
    "contract",
    "picker",
    "diff",
    "trust",
    "verdict",
    "sign-1",
    "banner",
    "carry",
    "triage",
    "spec",
    "queue",
    "queue-opened",
    "gate",
    "gate-list",
    "gate-levers",
];

/// The themes in which a scene is pictured at a size: the main ones in dark, one in each theme.
fn pictures(name: &str, size: (u16, u16)) -> &'static [&'static str] {
    match size {
        (160, _) if name == "session" => &["dark", "light", "mono"],
        (160 | 100, _) if MAIN.contains(&name) => &["dark"],
        _ => &[],
    }
}

/// The theme's part of a picture's file name; dark is the one without.
fn ending(theme: &str) -> String {
    match theme {
        "dark" => ".png".to_owned(),
        _ => format!("-{theme}.png"),
    }
}

/// Compares a scene with the committed text, or writes both text and picture.
fn check(name: &str, scene: &Scene) {
    let (width, height) = scene.size;
    let themes = pictures(name, scene.size);
    let name = format!("{name}-{width}x{height}");
    let file = folder().join(format!("{name}.txt"));
    let now = text::dump(scene);
    if updating() {
        fs::create_dir_all(folder()).expect("the folder of scenes");
        fs::write(&file, &now).expect("a scene is written");
        for theme in themes {
            let known = Theme::builtin(theme, Depth::True).expect("built in");
            let png = picture::png(&text::cells(scene, &known), *theme != "light");
            let file = format!("{name}{}", ending(theme));
            fs::write(folder().join(file), png).expect("a picture");
        }
        return;
    }
    let wanted = fs::read_to_string(&file)
        .unwrap_or_else(|error| panic!("{name}: {error}; UPDATE_SCENES=1 writes it"));
    if wanted == now {
        return;
    }
    let diff = similar::TextDiff::from_lines(&wanted, &now);
    let shown = diff
        .unified_diff()
        .context_radius(1)
        .header("committed", "now")
        .to_string();
    panic!("{name} differs (UPDATE_SCENES=1 writes it anew):\n{shown}");
}

pub(super) fn at_every_size(name: &str, state: impl Fn((u16, u16)) -> State) {
    for size in SIZES {
        check(name, &compose(&state(size)));
    }
}

#[test]
fn before_anything_is_read() {
    at_every_size("first-frame", unread);
}

#[test]
fn the_session_opens_on_the_edited_contract() {
    at_every_size("contract", |size| edit(sample(size)));
}

#[test]
fn a_failing_criterion() {
    at_every_size("session", |size| later(criterion(sample(size), 2)));
}

#[test]
fn a_weak_criterion() {
    at_every_size("criterion-weak", |size| criterion(sample(size), 4));
}

#[test]
fn a_file_outside_scope() {
    at_every_size("scope", |size| scope(sample(size)));
}

#[test]
fn what_is_hidden_is_counted_in_the_header_and_badged_beside_its_item() {
    at_every_size("hidden", |size| {
        let mut dossier = fixture::dossier();
        if let Known::Is(files) = &mut dossier.files {
            let text = "on: push # \u{202e}hsup\u{2066}\u{200b} p\u{430}y".as_bytes();
            for file in files
                .iter_mut()
                .filter(|f| f.path.as_bytes().ends_with(b".yml"))
            {
                file.marks = Known::Is(Marks::of(text, true));
            }
        }
        scope(over(dossier, size))
    });
}

#[test]
fn a_control_on_base_that_passes_is_weak_evidence() {
    at_every_size("control", |size| {
        let mut dossier = fixture::dossier();
        let record = dossier.contract.known().expect("a contract");
        let mut run = fixture::run(record, 4, 9, fixture::HEAD, Outcome::Met);
        run.tree = dossier.snapshot.base_tree;
        run.head = dossier.snapshot.merge_base;
        dossier.runs.push(run);
        later(criterion(over(dossier, size), 4))
    });
}

#[test]
fn a_chain_that_is_open() {
    at_every_size("chains", |size| {
        let mut dossier = fixture::dossier();
        crate::chains::session::docked(&mut dossier, "dock-plan");
        let mut state = over(dossier, size);
        let chain = crate::chains::session::chain("dock-plan", "berth-audit");
        state.nav.selected = Some(countersign::app::state::Row::Item(chain));
        later(focus(state, Focus::Card))
    });
}

#[test]
fn chains_as_a_tree() {
    at_every_size("chains-tree", |size| {
        let mut dossier = fixture::dossier();
        crate::chains::session::docked(&mut dossier, "dock-plan");
        crate::chains::session::docked(&mut dossier, "log-keeper");
        let mut state = over(dossier, size);
        let chain = crate::chains::session::chain("ship-note", "log-keeper");
        state.nav.selected = Some(countersign::app::state::Row::Item(chain));
        later(keys(state, "z"))
    });
}

/// The sample with review threads, one of them selected.
fn thread(size: (u16, u16), at: usize) -> State {
    let mut dossier = fixture::dossier();
    dossier.request.threads = crate::verify::rules::sample_threads();
    let facts = dossier.request.threads.known().expect("threads").clone();
    let mut state = over(dossier, size);
    let raised = facts.raised(at).expect("a thread");
    let row = countersign::app::state::Row::Item(Subject::Review(raised));
    state.nav.selected = Some(row);
    later(focus(state, Focus::Card))
}

#[test]
fn a_blocker_with_its_suggestion() {
    at_every_size("comments", |size| thread(size, 0));
}

#[test]
fn a_malformed_minor_and_all_that_can_be_done_with_it() {
    at_every_size("comments-rulings", |size| keys(thread(size, 2), "Space"));
}

#[test]
fn the_diff_as_a_page() {
    at_every_size("diff", |size| {
        let mut state = focus(criterion(sample(size), 2), Focus::Diff);
        state.diff.split = size.0 >= 120;
        state
    });
}

#[test]
fn the_next_owed_thing_is_one_key_away() {
    at_every_size("criterion-passing", |size| later(keys(sample(size), "n")));
}

#[test]
fn a_note_to_the_agent() {
    at_every_size("kick-back", |size| {
        keys(criterion(sample(size), 2), "b R e p e a t")
    });
}

#[test]
fn an_abandonment_is_not_an_approval() {
    at_every_size("abandon", |size| keys(criterion(sample(size), 8), "a"));
}

#[test]
fn the_trust_page() {
    at_every_size("trust", |size| keys(criterion(sample(size), 6), "x j k"));
}

#[test]
fn the_verdict_and_its_menu() {
    at_every_size("verdict", |size| keys(sample(size), "v"));
}

#[test]
fn the_sign_off() {
    at_every_size("sign-1", |size| keys(sample(size), "S"));
}

#[test]
fn the_second_page_of_the_sign_off() {
    at_every_size("sign-2", |size| {
        let page = keys(sample(size), "S t h e n Ctrl-s 7 c 7");
        assert_eq!(page.mode.name(), "sign 2", "{}", page.status.says);
        page
    });
}

#[test]
fn what_signing_writes_is_a_page_of_its_own() {
    at_every_size("sign-edits", |size| {
        let page = keys(planned(keys(sample(size), "S t h e n")), "Ctrl-s j");
        assert_eq!(page.mode.name(), "sign edits", "{}", page.status.says);
        later(page)
    });
}

#[test]
fn a_locked_ratify() {
    at_every_size("lock", |size| {
        let mut state = criterion(sample(size), 1);
        state.mode = Mode::Confirm(Confirm::Lock(Subject::Criterion(fixture::id(1))));
        state
    });
}

#[test]
fn the_head_moved() {
    at_every_size("banner", |size| {
        let mut state = later(criterion(sample(size), 1));
        let moved = Moved {
            head: Some(Oid([0xa8; 20])),
            ..Moved::default()
        };
        update(&mut state, Msg::World(moved));
        later(state)
    });
}

#[test]
fn decisions_are_offered_to_be_carried_over() {
    let facts = || fixture::rebased(fixture::clean());
    at_every_size("carry-banner", |size| {
        later(criterion(over(facts(), size), 3))
    });
    at_every_size("carry", |size| later(keys(over(facts(), size), "c")));
}

#[test]
fn after_a_dropped_commit_what_is_gone_comes_first() {
    let mut between = fixture::clean();
    between.gone = vec!["tests/changeover.sh".into()];
    if let Known::Is(pairs) = &mut between.commits {
        pairs[0].now = None;
        pairs[0].same = false;
        pairs[2].same = false;
    }
    between.changed = vec!["lib/clock.awk".into()];
    at_every_size("carry-gone", |size| {
        later(keys(over(fixture::rebased(between.clone()), size), "c"))
    });
}

#[test]
fn a_ledger_that_was_changed() {
    at_every_size("tampered", |size| {
        let mut dossier = fixture::dossier();
        dossier.ledger = LedgerHealth::Tampered(2);
        later(criterion(over(dossier, size), 1))
    });
}

#[test]
fn people_differ_and_a_ratified_card_says_on_what() {
    let decided = || {
        let mut facts = fixture::rebased(fixture::clean());
        facts.earlier.clear();
        facts.snapshot = facts.decisions[0].value.snapshot().clone();
        let second = criterion_id(2);
        let of_it = |d: &&Recorded<Decision>| d.value.subject() == &second;
        let back = facts.decisions.iter().find(of_it).expect("decided");
        facts.disputes.push(Dispute {
            counts: back.entry,
            subject: second.clone(),
            says: vec![
                "kicked back by Bo (entry 8, claimed)".into(),
                "ratified by Mara (entry 5)".into(),
            ],
        });
        facts
    };
    at_every_size("conflict", |size| {
        later(criterion(over(decided(), size), 2))
    });
    at_every_size("ratified-card", |size| {
        later(criterion(over(decided(), size), 3))
    });
}

/// The subject of a criterion of the sample.
fn criterion_id(number: u32) -> Subject {
    Subject::Criterion(CriterionId::new(&number.to_string()).expect("an id"))
}

#[test]
fn the_whole_output() {
    at_every_size("output", |size| keys(criterion(sample(size), 2), "o w"));
}

#[test]
fn an_oracle_while_it_runs() {
    at_every_size("running", |size| {
        let mut state = criterion(sample(size), 6);
        let tail = (39..42).map(|line| format!("Wyk run {line} of 60: 128 ms").into());
        let (criterion, at_ms) = (fixture::id(6), state.screen.now_ms);
        let news = [
            RunNews::Started {
                criterion: criterion.clone(),
                at_ms,
                limit_ms: 120_000,
            },
            RunNews::Output {
                criterion,
                lines: 41,
                bytes: 1_900,
                tail: tail.collect(),
            },
        ];
        for one in news {
            update(&mut state, Msg::Run(one));
        }
        later(later(state))
    });
}

#[test]
fn a_terminal_that_is_too_small() {
    check("small", &compose(&sample((38, 9))));
}

#[test]
fn all_rulings_of_an_item() {
    at_every_size("rulings", |size| keys(criterion(sample(size), 2), "Space"));
}

#[test]
fn help_and_palette() {
    at_every_size("help", |size| keys(sample(size), "?"));
    at_every_size("palette", |size| keys(sample(size), ": k i c k"));
    at_every_size("open", |size| keys(sample(size), "o"));
}

#[test]
fn evidence_is_picked() {
    at_every_size("picker", |size| keys(criterion(sample(size), 3), "p"));
}

#[test]
fn the_ledger() {
    at_every_size("ledger", |size| keys(sample(size), "o l"));
}

/// The page of the spec gate, the cursor on a changed scenario.
#[test]
fn the_spec_gate() {
    use countersign::app::queue::{Line, Tone};
    use countersign::app::spec::{SpecLine, SpecLook, SpecSuite};
    let line = |text: &str, tone| Line {
        text: text.into(),
        tone,
    };
    let told = |text: &str, tone, of, detail| SpecLine {
        line: line(text, tone),
        of,
        detail,
    };
    let spec = ".agents/specs/harbor/spec.md";
    let suite = ".agents/specs/harbor/board/board.feature";
    let look = SpecLook {
        lines: vec![
            told(
                "CR  CR-31: the board shows today's boats",
                Tone::Head,
                None,
                false,
            ),
            told("What", Tone::Head, None, false),
            told(
                &format!("  {spec}: Boats, and the board."),
                Tone::Plain,
                None,
                false,
            ),
            told("Status", Tone::Head, None, false),
            told(
                &format!("  {spec}: approved; spec approve by agent"),
                Tone::Plain,
                None,
                false,
            ),
            told("Scenarios", Tone::Head, None, false),
            told(
                &format!("  {suite}: 7 scenarios, +1 ~1 -1"),
                Tone::Plain,
                Some((0, None)),
                false,
            ),
            told(
                "    + scenario Winter table after 25 October",
                Tone::Come,
                Some((0, Some(0))),
                false,
            ),
            told(
                "    ~ scenario Last boat of the day",
                Tone::Plain,
                Some((0, Some(1))),
                false,
            ),
            told(
                "    - scenario Holiday notice on the board",
                Tone::Gone,
                Some((0, Some(2))),
                false,
            ),
            told("Key decisions", Tone::Head, None, false),
            told("  One board for all piers", Tone::Plain, None, false),
            told("Open items", Tone::Head, None, false),
            told(
                &format!("  {spec}:40: how long is winter?"),
                Tone::Plain,
                None,
                false,
            ),
            told(
                "agent-asserted \u{2014} ratify or kick back",
                Tone::Plain,
                None,
                false,
            ),
            told("", Tone::Plain, None, false),
            told(
                "change request CR-31 (the plan that the change adds)",
                Tone::Plain,
                None,
                false,
            ),
            told(
                "judge: the report of your own judge",
                Tone::Plain,
                None,
                false,
            ),
            told("lens oracle: PASS", Tone::Plain, None, false),
            told("lens builder: PASS", Tone::Plain, None, false),
            told("lens architect: PASS", Tone::Plain, None, false),
            told("ALIGNED: true", Tone::Plain, None, false),
            told("open markers: 1", Tone::Plain, None, false),
            told(
                &format!("{suite}: mixed, candidate -> clearance"),
                Tone::Plain,
                Some((0, None)),
                false,
            ),
            told(
                "  modified scenario Last boat of the day, line 31",
                Tone::Plain,
                Some((0, Some(1))),
                false,
            ),
            told(
                "    - Then it says \"no more boats\"",
                Tone::Gone,
                Some((0, Some(1))),
                true,
            ),
            told(
                "    + Then the board is empty",
                Tone::Come,
                Some((0, Some(1))),
                true,
            ),
            told(
                "floor Clearance fires: 2 parts of frozen suites were changed or removed",
                Tone::Plain,
                None,
                false,
            ),
            told(
                "  below `countersign spec gate`: m says what a part comes to, p proves a repair, \
                 w grants Clearance",
                Tone::Plain,
                None,
                false,
            ),
            told("approve and ratify: closed", Tone::Warn, None, false),
            told("  1 open marker", Tone::Plain, None, false),
            told(
                "  Clearance: 2 parts of frozen suites were changed or removed",
                Tone::Plain,
                None,
                false,
            ),
            told("change: open", Tone::Plain, None, false),
        ],
        suites: vec![SpecSuite {
            path: RepoPath::from(suite),
            facts: "@frozen \u{b7} mixed".into(),
            rows: vec![
                (
                    0,
                    line("+ scenario Winter table after 25 October", Tone::Head),
                ),
                (0, line("  + Given the clocks went back", Tone::Come)),
                (0, line("  + When the board is drawn", Tone::Come)),
                (0, line("  + Then it lists 112 departures", Tone::Come)),
                (0, line("", Tone::Plain)),
                (1, line("~ scenario Last boat of the day", Tone::Head)),
                (1, line("    Given the board shows \"Amrum\"", Tone::Plain)),
                (1, line("    When the last boat has left", Tone::Plain)),
                (1, line("  - Then it says \"no more boats\"", Tone::Gone)),
                (1, line("  + Then the board is empty", Tone::Come)),
                (1, line("", Tone::Plain)),
                (
                    2,
                    line("- scenario Holiday notice on the board", Tone::Head),
                ),
                (2, line("  - Given a holiday", Tone::Gone)),
                (
                    2,
                    line("  - Then the notice stands above the table", Tone::Gone),
                ),
                (2, line("", Tone::Plain)),
            ],
        }],
        sum: None,
    };
    at_every_size("spec", |size| {
        let mut state = focus(sample(size), Focus::Spec);
        update(&mut state, Msg::Spec(Ok(std::sync::Arc::new(look.clone()))));
        let state = keys(state, "j j j j j j j j");
        assert_eq!(
            countersign::app::pane::spec::suite_under(&state),
            Some(&RepoPath::from(suite))
        );
        state
    });
}

#[test]
fn leaving_with_something_owed() {
    at_every_size("leave", |size| keys(sample(size), "q"));
}

/// Three messages that wait, the keys pressed on the first.
fn triage(size: (u16, u16), keys: &str) -> Scene {
    use std::sync::Arc;

    use countersign::app::keymap::Keymap;
    use countersign::app::page::Input;
    use countersign::app::triage::{Event, Gate, Triage, Wish, scene};
    let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/triage");
    let drawn = "Delivers: Loads the winter timetable. 7 rows covered.\n\nBlockers:\n\
        1. The dial keeps the old hour. (lib/dial.awk:7)\n\nVerdict: fixable - 1 blocker(s)\n\n\
        Obstacle: contract exception: the dial needs lib/dial.awk\n\
        Usage: rounds 1 of 10, syncs 0 of 10\n\n\
        1. amend - change the contract as asked; other work goes on meanwhile\n\
        2. show evidence - print what the verdict rests on\n\
        3. stop - leave it as it is; the checkout stays\nType a number.\n";
    let files = [
        "golden/real-untracked.md",
        "honest/04-real-tracked-unavailable.md",
        "honest/12-draft-gated-cannot-replicate.md",
    ];
    let gates = files.iter().map(|file| {
        let bytes = fs::read(corpus.join(file)).expect("a message");
        let head = Some("7c41d09aa".to_owned());
        let message = Arc::new(countersign::gate::menu::read(&bytes));
        Gate::new((*file).into(), message, head)
    });
    let drawn = countersign::gate::menu::read(drawn.as_bytes());
    let last = Gate::new(
        "drawn.md".into(),
        Arc::new(drawn),
        Some("7c41d09aa".to_owned()),
    );
    let gates = match keys.strip_prefix("drawn ") {
        Some(_) => vec![last],
        None => gates.collect(),
    };
    let keys = keys.strip_prefix("drawn ").unwrap_or(keys);
    let mut triage = Triage::new(size, false, Keymap::default(), gates);
    triage.feed(Event::Terminal(Input::Drawn));
    for word in keys.split_whitespace() {
        let key = word.parse().expect("a key");
        for Wish::Verify(at) in triage.feed(Event::Terminal(Input::Key { key, repeat: false })) {
            let moved = (at == 1).then(|| "the head moved, it is a83be10 now".to_owned());
            triage.feed(Event::Verified(at, moved));
        }
        triage.feed(Event::Terminal(Input::Drawn));
    }
    scene::compose(&triage)
}

#[test]
fn messages_that_wait_for_a_person() {
    for (name, keys) in [
        ("triage", ""),
        ("triage-lint", "Tab"),
        ("triage-words", "b n o t Space t h e Space l i s t"),
        ("triage-sent", "n n r"),
        ("triage-stale", "n r"),
        ("triage-levers", "drawn Space"),
        (
            "triage-given-up",
            "drawn Space 4 3 Space d e f e r r e d : Space H B - 9 Ctrl-s",
        ),
    ] {
        for size in SIZES {
            check(name, &triage(size, keys));
        }
    }
}

/// What agents asserted in four worktrees, the keys pressed on the list.
fn queue(size: (u16, u16), keys: &str) -> Scene {
    use countersign::app::page::Input;
    use countersign::app::queue::{
        Act, Became, Event, Item, Line, Opens, Page, Plan, Queue, Refused, Tone, Wish, scene,
    };
    let item = |risk, repo: &str, change: &str, asserted: &str, why: &str, opens| Item {
        risk,
        repo: repo.into(),
        change: change.into(),
        asserted: asserted.into(),
        why: why.into(),
        says: vec![
            "floor: none".into(),
            "confidence: every scenario was judged".into(),
        ],
        closed: match risk {
            "high" => vec!["Clearance: 1 part of a frozen suite was changed".into()],
            _ => Vec::new(),
        },
        opens,
        became: Became::Waits,
    };
    let spec = ".agents/specs/harbor/spec.md";
    let items = vec![
        item(
            "high",
            "ferry",
            "CR-31",
            &format!("spec approve: {spec}"),
            "narrowing, frozen suite",
            Opens::Here,
        ),
        item(
            "med",
            "skills",
            "17-chains",
            "chains CLOSED: dock-plan",
            "no oracle was run on its head",
            Opens::Session,
        ),
        item(
            "low",
            "kiosk",
            "CR-8",
            &format!("spec approve: {spec}"),
            "nothing else",
            Opens::Here,
        ),
        item(
            "?",
            "depot",
            "-",
            "could not be read",
            "its worktree is gone",
            Opens::Nowhere,
        ),
    ];
    let line = |text: &str, tone| Line {
        text: text.into(),
        tone,
    };
    let page = || {
        let lines = vec![
            line("CR  CR-31: the board shows today's boats", Tone::Head),
            line("What", Tone::Head),
            line(
                &format!("  {spec}: Boats and the board that names them."),
                Tone::Plain,
            ),
            line("Status", Tone::Head),
            line(
                &format!("  {spec}: approved; spec approve by agent"),
                Tone::Plain,
            ),
            line("Scenarios", Tone::Head),
            line("  board/board.feature: 7 scenarios, +1 ~1 -0", Tone::Plain),
            line("    + scenario Winter table after 25 October", Tone::Come),
            line("    ~ scenario Last boat of the day", Tone::Plain),
            line("Open items", Tone::Head),
            line("  none", Tone::Plain),
            line("agent-asserted, ratify or kick back", Tone::Plain),
            line("", Tone::Plain),
            line("lens oracle: PASS", Tone::Plain),
            line("ALIGNED: true", Tone::Plain),
            line(
                "board/board.feature: mixed, candidate -> clearance",
                Tone::Plain,
            ),
            line(
                "  modified scenario Last boat of the day, line 31",
                Tone::Plain,
            ),
            line("      When the last boat has left", Tone::Plain),
            line(
                "    - Then the board says \"no more boats today\"",
                Tone::Gone,
            ),
            line("    + Then the board is empty", Tone::Come),
            line("approve and ratify: closed", Tone::Warn),
            line(
                "  Clearance: 1 part of a frozen suite was changed or removed",
                Tone::Plain,
            ),
        ];
        Page::new(
            "ferry  spec",
            lines,
            vec!["Clearance: 1 part of a frozen suite was changed".into()],
        )
    };
    let plan = |act| Plan {
        lines: vec![
            line(&format!("in {spec}"), Tone::Plain),
            line("- status: approved", Tone::Gone),
            line("+ status: draft", Tone::Come),
            line(
                "+ ledger  {\"seq\":1,\"kind\":\"gate\",\"cr\":\"CR-31\",\"verdict\":\"reject\"}",
                Tone::Come,
            ),
            line("unfreezes board/board.feature", Tone::Plain),
        ],
        wanted: "90ab11".into(),
        scroll: 0,
        typed: String::new(),
        act,
    };
    let mut queue = Queue::new(size, false, items, 4);
    queue.by = Ok("Ada Osei".into());
    queue.causes = &[
        ("coverage-gap", "a case is not covered"),
        ("design-overreach", "the design does more than was asked"),
        (
            "spec-feature-contradiction",
            "spec and suite say different things",
        ),
        (
            "prose-impl-contradiction",
            "prose and implementation say different things",
        ),
    ];
    queue.feed(Event::Terminal(Input::Drawn));
    for word in keys.split_whitespace() {
        let key = word.parse().expect("a key");
        queue.feed(Event::Terminal(Input::Key { key, repeat: false }));
        for wish in queue.feed(Event::Terminal(Input::Drawn)) {
            let answer = match wish {
                Wish::Open(at) => Event::Opened(at, Ok(page())),
                Wish::Plan(at, act @ Act::SendBack(_), _) => Event::Planned(at, Ok(plan(act))),
                Wish::Plan(at, ..) | Wish::Write(at, _) => Event::Planned(
                    at,
                    Err(Refused::moved("refused: it moved since it was shown")),
                ),
                Wish::Read => continue,
            };
            queue.feed(answer);
            queue.feed(Event::Terminal(Input::Drawn));
        }
    }
    scene::compose(&queue)
}

#[test]
fn what_agents_asserted_is_worked_through() {
    let send_back = "Enter PageDown PageDown b Tab Tab n o Space b o a t";
    for (name, keys) in [
        ("queue", ""),
        ("queue-opened", "Enter"),
        ("queue-words", send_back),
        ("queue-written", &format!("{send_back} Ctrl-s 9 0 a")),
    ] {
        for size in SIZES {
            check(name, &queue(size, keys));
        }
    }
}
