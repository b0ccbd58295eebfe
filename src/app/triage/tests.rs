//! Keys on the triage screen: what is sent, what is refused, and that it reaches its own gate.

use std::sync::Arc;

use super::*;
use crate::app::row::Row;
use crate::gate::menu::read;

const REAL: &str = "gauntlet: gate=chase-bug/verdict-menu recommended=3\n\n\
    ### What is broken\n\nTwo boats.\n\n### Why it is broken\n\nThe hour.\n\n\
    ### How to fix it\n\nMend it. Choose hotfix because it is late.\n\nPick one:\n\n\
    1. [ ] File a ticket - seeded.\n2. [ ] Brainstorm now - seeded.\n\
    3. [x] Implement hotfix now - follow it. [recommended]\n4. [ ] Respond to reporter only.\n\n\
    eligible - all predicates pass\n";
const CLOSED: &str = "gauntlet: gate=chase-bug/verdict-menu recommended=1\n\nPick one:\n\n\
    1. [x] Brainstorm now. [recommended]\n2. [ ] Implement hotfix now - unavailable: no schema \
    change\n3. [ ] Respond to reporter only.\n\nnot eligible: no schema change\n";
const DRAFT: &str = "### What is broken\n\nTwo boats.\n\nReply `send it` to post this.\n";

fn gate(text: &str) -> Gate {
    Gate::new(
        "gate.md".into(),
        Arc::new(read(text.as_bytes())),
        Some("7c41d09".into()),
    )
}

fn triage(texts: &[&str]) -> Triage {
    let mut triage = Triage::new(
        (100, 30),
        false,
        Keymap::default(),
        texts.iter().map(|t| gate(t)).collect(),
    );
    triage.feed(Event::Terminal(Input::Drawn));
    triage
}

fn press(triage: &mut Triage, keys: &str) -> Vec<Wish> {
    let mut wishes = Vec::new();
    for word in keys.split(' ') {
        let key: Key = word.parse().expect("a key");
        wishes.extend(triage.feed(Event::Terminal(Input::Key { key, repeat: false })));
        triage.feed(Event::Terminal(Input::Drawn));
    }
    wishes
}

fn settle(triage: &mut Triage, wishes: Vec<Wish>) {
    for Wish::Verify(at) in wishes {
        triage.feed(Event::Verified(at, None));
        triage.feed(Event::Terminal(Input::Drawn));
    }
}

fn answer(triage: &Triage, at: usize) -> Option<&Reply> {
    triage.gates[at].answer.as_ref().map(|a| &a.reply)
}

#[test]
fn the_recommended_row_is_selected_and_r_sends_it_after_a_last_look() {
    let mut one = triage(&[REAL]);
    let wishes = press(&mut one, "r");
    assert_eq!(wishes, [Wish::Verify(0)]);
    assert_eq!(answer(&one, 0), None, "not before it was looked at");
    settle(&mut one, wishes);
    assert_eq!(answer(&one, 0), Some(&Reply::Pick { n: 3, as_pr: false }));
    assert_eq!(one.left, Some(Left::Leave));
}

#[test]
fn digits_and_arrows_move_and_send_nothing() {
    let mut one = triage(&[REAL]);
    assert!(press(&mut one, "2 j k 4 9 Enter Esc").is_empty());
    assert_eq!(one.gates[0].selected, 3);
    let wishes = press(&mut one, "1 r");
    settle(&mut one, wishes);
    assert_eq!(answer(&one, 0), Some(&Reply::Pick { n: 1, as_pr: false }));
}

#[test]
fn p_adds_as_a_pr_to_the_hotfix_only_where_it_can_be_picked() {
    let mut one = triage(&[REAL]);
    let wishes = press(&mut one, "1 p");
    settle(&mut one, wishes);
    assert_eq!(answer(&one, 0), Some(&Reply::Pick { n: 3, as_pr: true }));
    let mut closed = triage(&[CLOSED]);
    press(&mut closed, "p");
    assert!(
        matches!(closed.mode, Mode::Confirm(_)),
        "it is shown as a change request"
    );
}

#[test]
fn a_closed_row_is_no_pick() {
    let mut one = triage(&[CLOSED]);
    assert!(press(&mut one, "2 r").is_empty());
    assert_eq!(one.mode, Mode::Browse);
    assert!(one.notice.is_some());
}

#[test]
fn words_are_shown_with_their_meaning_before_they_go() {
    let mut one = triage(&[REAL]);
    assert!(press(&mut one, "b n o t Space s o Ctrl-s").is_empty());
    let Mode::Confirm(shown) = &one.mode else {
        panic!("{:?}", one.mode);
    };
    assert_eq!(shown.typed, "not so");
    assert!(matches!(shown.reply, Reply::ChangeRequest(_)));
    press(&mut one, "Esc");
    assert!(matches!(&one.mode, Mode::Write(text) if text.text == "not so"));
    let wishes = press(&mut one, "Ctrl-s r");
    settle(&mut one, wishes);
    assert_eq!(answer(&one, 0).map(Reply::kind), Some("change-request"));
}

#[test]
fn what_is_no_reply_stays_in_the_box() {
    let mut one = triage(&[REAL]);
    assert!(press(&mut one, "b 9 Ctrl-s").is_empty());
    assert!(matches!(one.mode, Mode::Write(_)));
    assert!(
        one.notice
            .as_deref()
            .is_some_and(|n| n.contains("no row 9"))
    );
    press(&mut one, "Backspace Ctrl-s");
    assert!(one.notice.as_deref().is_some_and(|n| n.contains("blanks")));
}

#[test]
fn a_draft_is_sent_in_two_steps_with_the_exact_token() {
    let mut one = triage(&[DRAFT]);
    assert!(press(&mut one, "r").is_empty());
    assert!(matches!(one.mode, Mode::Confirm(_)));
    let wishes = press(&mut one, "r");
    settle(&mut one, wishes);
    assert_eq!(answer(&one, 0).map(Reply::kind), Some("token"));
}

#[test]
fn held_keys_pastes_and_keys_before_the_frame_decide_nothing() {
    let mut one = triage(&[REAL]);
    let key = Key::char('r');
    assert!(
        one.feed(Event::Terminal(Input::Key { key, repeat: true }))
            .is_empty()
    );
    one.feed(Event::Terminal(Input::Paste("r\nq".into())));
    assert_eq!((one.mode.clone(), one.left), (Mode::Browse, None));
    let mut early = Triage::new((100, 30), false, Keymap::default(), vec![gate(REAL)]);
    assert!(
        early
            .feed(Event::Terminal(Input::Key { key, repeat: false }))
            .is_empty()
    );
    early.feed(Event::Terminal(Input::Resize(20, 5)));
    early.feed(Event::Terminal(Input::Drawn));
    assert!(press(&mut early, "r b").is_empty());
    assert_eq!(early.mode, Mode::Browse, "too small to decide");
}

#[test]
fn a_reply_reaches_its_own_gate_and_a_stale_one_none() {
    let mut three = triage(&[REAL, CLOSED, DRAFT]);
    let first = press(&mut three, "r");
    // Nothing else is taken before the answer.
    assert!(press(&mut three, "n r").is_empty());
    settle(&mut three, first);
    assert_eq!(three.at, 1, "on to the next");
    let second = press(&mut three, "r");
    assert_eq!(second, [Wish::Verify(1)]);
    three.feed(Event::Verified(1, Some("the head moved".into())));
    three.feed(Event::Terminal(Input::Drawn));
    assert_eq!(answer(&three, 1), None);
    assert!(three.gates[1].stale.is_some());
    assert!(press(&mut three, "r b").is_empty());
    assert_eq!(three.mode, Mode::Browse, "a stale gate takes nothing");
    let third = press(&mut three, "n r r");
    settle(&mut three, third);
    assert_eq!(three.at, 2);
    // Before anything is delivered all of it is looked at again.
    let leaving = press(&mut three, "q");
    assert_eq!(leaving, [Wish::Verify(0), Wish::Verify(2)]);
    three.feed(Event::Verified(
        0,
        Some("the message is another one".into()),
    ));
    assert_eq!(three.left, None);
    three.feed(Event::Verified(2, None));
    assert_eq!(three.left, Some(Left::Leave));
    assert_eq!(answer(&three, 0), None);
    assert_eq!(answer(&three, 2).map(Reply::kind), Some("token"));
}

#[test]
fn an_answer_can_be_taken_back_until_it_goes_out() {
    let mut two = triage(&[REAL, CLOSED]);
    let wishes = press(&mut two, "r");
    settle(&mut two, wishes);
    press(&mut two, "n u");
    assert_eq!(two.answered(), 0);
    assert!(press(&mut two, "q").is_empty());
    assert_eq!(two.left, Some(Left::Leave));
}

#[test]
fn every_size_is_drawn_and_the_selected_row_stands_on_it() {
    for text in [REAL, CLOSED, DRAFT] {
        let mut one = triage(&[text, REAL]);
        for size in [
            (160, 45),
            (100, 30),
            (80, 24),
            (60, 20),
            (40, 10),
            (39, 9),
            (1, 1),
            (0, 0),
        ] {
            one.feed(Event::Terminal(Input::Resize(size.0, size.1)));
            for keys in [
                "Tab",
                "Tab PageDown",
                "Tab PageUp",
                "j",
                "k",
                "b x",
                "Ctrl-s",
                "Esc",
                "Esc",
            ] {
                press(&mut one, keys);
                let scene = scene::compose(&one);
                for panel in &scene.panels {
                    let end = panel.area.y + panel.area.height;
                    assert!(end + 2 <= size.1, "{size:?} {panel:?}");
                }
                if let (true, Some(row)) = (size.0 >= 40, one.gates[0].message.rows.first()) {
                    let label = String::from_utf8_lossy(row.label.raw()).into_owned();
                    let menu = scene.panels.last().expect("a menu");
                    one.gates[0].selected = 0;
                    let shown = scene::compose(&one);
                    let menu_rows = shown.panels.last().map(|p| p.rows.clone());
                    let all: Vec<String> = menu_rows
                        .unwrap_or_default()
                        .iter()
                        .map(Row::plain)
                        .collect();
                    let first = label.split(' ').next().unwrap_or_default();
                    assert!(
                        all.iter().any(|r| r.contains(first)),
                        "{size:?} {all:?} {menu:?}"
                    );
                }
            }
            one.mode = Mode::Browse;
        }
    }
}

const GATEKEEP: &str = "Delivers: It loads.\n\nVerdict: fixable - 1 blocker(s)\n\n\
    1. fix - send a wave  [recommended]\n2. show evidence - print it\n3. stop - leave it\n\
    Type a number.\n";

#[test]
fn levers_begin_words_and_what_is_closed_says_why() {
    let mut one = triage(&[GATEKEEP]);
    assert!(press(&mut one, "Space 1").is_empty());
    assert_eq!(one.mode, Mode::Levers);
    assert_eq!(
        one.notice.as_deref(),
        Some("Closed: this gate asks for no fix rounds.")
    );
    press(&mut one, "4");
    assert!(matches!(&one.mode, Mode::Write(text) if text.text == "criterion "));
    press(&mut one, "3 Space d e f e r r e d : Space # 1 2 Ctrl-s");
    let Mode::Confirm(shown) = &one.mode else {
        panic!("{:?}", one.mode);
    };
    assert!(shown.gives_up());
    assert!(press(&mut one, "r").is_empty(), "r does not give up");
    let wishes = press(&mut one, "a");
    settle(&mut one, wishes);
    assert_eq!(answer(&one, 0).map(Reply::kind), Some("token"));
}

#[test]
fn rounds_are_granted_in_words_where_they_are_asked_for() {
    let asks = "gauntlet: gate=verification-before-completion/step-6\n\nFive rounds are used.\n";
    let mut one = triage(&[asks]);
    press(&mut one, "Space 1 2 Space m o r e Space r o u n d s Ctrl-s");
    let wishes = press(&mut one, "r");
    settle(&mut one, wishes);
    assert!(matches!(
        answer(&one, 0),
        Some(Reply::Answer(crate::model::menu::Answer::Rounds {
            rounds: 2,
            ..
        }))
    ));
}
