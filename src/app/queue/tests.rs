//! Keys on the queue screen: nothing is ratified that was not seen whole, nothing without the
//! typed challenge, and what moved is refused.

use super::*;
use crate::app::row::Row;

fn item(repo: &str, risk: &'static str, opens: Opens) -> Item {
    Item {
        risk,
        repo: repo.into(),
        change: "c7".into(),
        asserted: "spec approve: .agents/specs/harbor/spec.md".into(),
        why: "nothing else".into(),
        says: vec!["confidence: high".into()],
        closed: Vec::new(),
        opens,
        became: Became::Waits,
    }
}

fn lines(count: usize) -> Vec<Line> {
    let line = |n: usize| Line {
        text: format!("line {n}"),
        tone: Tone::Plain,
    };
    (0..count).map(line).collect()
}

fn queue() -> Queue {
    let items = vec![
        item("ferry", "high", Opens::Here),
        item("kiosk", "low", Opens::Here),
        item("depot", "low", Opens::Session),
    ];
    let mut queue = Queue::new((80, 24), false, items, 3);
    queue.by = Ok("Ada Osei".into());
    queue.causes = &[("coverage-gap", "a case"), ("design-overreach", "too much")];
    queue.feed(Event::Terminal(Input::Drawn));
    queue
}

/// Presses keys, each drawn; returns what is wished for.
fn press(queue: &mut Queue, keys: &str) -> Vec<Wish> {
    let mut wishes = Vec::new();
    for word in keys.split(' ') {
        let key: Key = word.parse().expect("a key");
        queue.feed(Event::Terminal(Input::Key { key, repeat: false }));
        wishes.extend(queue.feed(Event::Terminal(Input::Drawn)));
    }
    wishes
}

fn open(queue: &mut Queue, rows: usize, closed: &[&str]) {
    assert_eq!(press(queue, "Enter"), [Wish::Open(queue.at)]);
    let closed = closed.iter().map(|why| (*why).to_owned()).collect();
    let page = Page::new("harbor", lines(rows), closed);
    queue.feed(Event::Opened(queue.at, Ok(page)));
    queue.feed(Event::Terminal(Input::Drawn));
}

fn plan(act: Act) -> Plan {
    Plan {
        lines: lines(2),
        wanted: "a1b2c3".into(),
        scroll: 0,
        typed: String::new(),
        act,
    }
}

#[test]
fn an_unopened_row_is_locked() {
    let mut queue = queue();
    assert_eq!(press(&mut queue, "r"), []);
    let notice = queue.notice.clone().expect("a notice");
    assert!(notice.starts_with("Locked"), "{notice}");
}

#[test]
fn what_was_not_on_screen_whole_cannot_be_ratified() {
    let mut queue = queue();
    open(&mut queue, 50, &[]);
    assert_eq!(press(&mut queue, "r"), []);
    let notice = queue.notice.clone().expect("a notice");
    assert!(notice.starts_with("Locked: 30 lines"), "{notice}");
    assert_eq!(press(&mut queue, "G r"), []);
    assert!(queue.notice.as_ref().expect("one").starts_with("Locked"));
    let wishes = press(&mut queue, "PageUp r");
    assert_eq!(wishes, [Wish::Plan(0, Act::Ratify, String::new())]);
}

#[test]
fn a_key_that_was_held_or_comes_before_its_frame_decides_nothing() {
    let mut queue = queue();
    open(&mut queue, 3, &[]);
    let key = Key::char('r');
    queue.feed(Event::Terminal(Input::Key { key, repeat: true }));
    assert_eq!(queue.feed(Event::Terminal(Input::Drawn)), []);
    queue.feed(Event::Terminal(Input::Resize(70, 24)));
    queue.feed(Event::Terminal(Input::Key { key, repeat: false }));
    assert_eq!(queue.feed(Event::Terminal(Input::Drawn)), []);
    assert_eq!(press(&mut queue, "r").len(), 1);
}

#[test]
fn a_closed_row_says_every_reason_and_can_still_go_back() {
    let mut queue = queue();
    open(&mut queue, 3, &["Clearance: 1 part", "1 open markers"]);
    assert_eq!(press(&mut queue, "r"), []);
    let notice = queue.notice.clone().expect("a notice");
    assert!(
        notice.contains("Clearance: 1 part; 1 open markers"),
        "{notice}"
    );
    assert_eq!(press(&mut queue, "b Ctrl-s"), []);
    assert!(queue.notice.as_ref().expect("one").contains("Tab picks"));
    assert_eq!(press(&mut queue, "Tab Tab Ctrl-s"), []);
    assert!(queue.notice.as_ref().expect("one").contains("words"));
    let wishes = press(&mut queue, "n o Ctrl-s");
    assert_eq!(wishes, [Wish::Plan(0, Act::SendBack(1), "no".into())]);
}

#[test]
fn nothing_is_written_without_the_challenge_typed_key_by_key() {
    let mut queue = queue();
    open(&mut queue, 3, &[]);
    press(&mut queue, "r");
    queue.feed(Event::Planned(0, Ok(plan(Act::Ratify))));
    queue.feed(Event::Terminal(Input::Drawn));
    queue.feed(Event::Terminal(Input::Paste("a1b2c3".into())));
    assert_eq!(press(&mut queue, "Enter"), []);
    assert_eq!(press(&mut queue, "a 1 b 2 c 4 Enter"), []);
    let wishes = press(&mut queue, "Backspace 3 Enter");
    assert_eq!(wishes, [Wish::Write(0, Act::Ratify)]);
    queue.feed(Event::Written(0, Ok(lines(2))));
    assert_eq!(
        queue.items.first().map(|item| item.became.clone()),
        Some(Became::Answered("ratified"))
    );
    assert_eq!(queue.waiting(), 2);
    // what is answered is not opened again
    press(&mut queue, "Esc");
    assert_eq!(press(&mut queue, "Enter"), []);
}

#[test]
fn what_moved_is_refused_and_has_to_be_opened_again() {
    let mut queue = queue();
    open(&mut queue, 3, &[]);
    press(&mut queue, "r");
    let refused = Refused {
        why: "refused: it moved".into(),
        moved: true,
    };
    queue.feed(Event::Planned(0, Err(refused)));
    queue.feed(Event::Terminal(Input::Drawn));
    assert_eq!((&queue.mode, queue.page.is_none()), (&Mode::List, true));
    assert_eq!(press(&mut queue, "r"), []);
    assert!(queue.notice.as_ref().expect("one").starts_with("Locked"));
    open(&mut queue, 3, &[]);
}

#[test]
fn keys_wait_while_an_answer_is_awaited() {
    let mut queue = queue();
    assert_eq!(press(&mut queue, "Enter"), [Wish::Open(0)]);
    assert_eq!(press(&mut queue, "j q r"), []);
    assert_eq!((queue.at, queue.left), (0, None));
}

#[test]
fn a_session_opens_for_what_is_judged_there() {
    let mut queue = queue();
    press(&mut queue, "G Enter");
    assert_eq!(queue.left, Some(Left::Session(2)));
}

#[test]
fn every_size_composes_and_every_row_fits() {
    for columns in [1, 39, 40, 60, 80, 100, 160] {
        for rows in [1, 9, 10, 20, 45] {
            for keys in ["j", "Enter", "b"] {
                let mut queue = queue();
                queue.feed(Event::Terminal(Input::Resize(columns, rows)));
                queue.feed(Event::Terminal(Input::Drawn));
                if keys != "j" && !queue.too_small() {
                    open(&mut queue, 12, &[]);
                    press(&mut queue, "G g PageDown");
                }
                press(&mut queue, keys);
                let scene = scene::compose(&queue);
                for panel in &scene.panels {
                    let end = panel.area.y + panel.area.height;
                    assert!(end <= rows, "{columns}x{rows} {keys}: {end}");
                }
                if let Some(overlay) = &scene.overlay {
                    let end = overlay.area.y + overlay.area.height;
                    assert!(end <= rows, "{columns}x{rows} {keys}: {end}");
                }
                let _: Vec<String> = scene.foot.iter().map(Row::plain).collect();
            }
        }
    }
}
