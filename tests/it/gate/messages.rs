//! Gate messages among the items: owed until answered, and a reply that fits one message, its
//! head and nothing else.

use std::sync::Arc;

use countersign::gate::decide::{self, Act, Refusal};
use countersign::gate::dossier::{Moved, Still, Subject, Waiting};
use countersign::gate::judge::{Item, Pane, TraceResult};
use countersign::gate::menu::given::{Given, given};
use countersign::gate::menu::levers::Lever;
use countersign::gate::menu::read;
use countersign::gate::permit::Verb;
use countersign::model::known::Known;
use countersign::model::menu::{Kind, Message};
use countersign::model::ruling::{Cause, Verdict};
use countersign::model::standing::Standing;

use super::words::world;
use super::world::*;

const GOLDEN: &str = include_str!("../../corpus/triage/golden/real-untracked.md");
const CLOSED: &str = include_str!("../../corpus/triage/honest/04-real-tracked-unavailable.md");
const DRAFT: &str = include_str!("../../corpus/triage/honest/12-draft-gated-cannot-replicate.md");
const COURSES: &str = "gauntlet: gate=gatekeep-pr/obstacle recommended=1\n\nBlockers:\n\
    1. The dial is late. (lib/dial.awk:7)\n\nObstacle: contract exception: it needs lib/dial.awk\n\
    Failing: board-test\n\n1. deliver - go on   [recommended]\n2. show evidence - print it\n\
    3. stop - leave it\nType a number, or `check NAME flaky|real|ci-broken`.\n";

fn message(text: &str) -> Arc<Message> {
    Arc::new(read(text.as_bytes()))
}

fn waiting(text: &str) -> Waiting {
    Waiting {
        file: "gate.md".into(),
        message: message(text),
        still: Still::Waits,
    }
}

/// One criterion that passes, and these messages.
fn with(texts: &[&str]) -> World {
    let mut world = world("runnable 1, met 1, ratify 1");
    world.dossier.messages = texts.iter().map(|text| waiting(text)).collect();
    world
}

fn subject(text: &str) -> Subject {
    Subject::Message(message(text).id())
}

fn reply(text: &str, typed: &str) -> Act {
    Act::Reply(given(&message(text), typed).expect("a reply"))
}

fn item(world: &World, text: &str) -> Item {
    let judgment = world.judge();
    judgment.item(&subject(text)).expect("an item").clone()
}

#[test]
fn a_message_is_owed_until_it_is_answered_and_holds_the_verdict_open() {
    let world = with(&[GOLDEN, CLOSED, DRAFT]);
    let judgment = world.judge();
    let panes: Vec<Pane> = judgment.items.iter().map(|item| item.pane).collect();
    assert_eq!(panes[1..], [Pane::Triage; 3], "after everything else");
    assert_eq!(judgment.owed, 3);
    assert_eq!(judgment.ruling, Verdict::Undecided);
    assert!(!judgment.may_sign(Verdict::Approved));
    let row = judgment.trace.iter().find(|row| row.rule == "triage");
    let row = row.expect("a row");
    assert_eq!(row.result, TraceResult::Fires);
    assert_eq!(row.says, "3 of 3 gate messages without a reply");

    let world = world
        .decided(&subject(GOLDEN), reply(GOLDEN, "3 as a PR"))
        .decided(&subject(CLOSED), reply(CLOSED, "the list is right"))
        .decided(&subject(DRAFT), reply(DRAFT, "send it"));
    let judgment = world.judge();
    assert_eq!(judgment.owed, 0);
    assert_eq!(
        judgment.ruling,
        Verdict::Approved,
        "words to a gate reroll nothing"
    );
    let row = judgment.trace.iter().find(|row| row.rule == "triage");
    assert_eq!(row.map(|row| row.result), Some(TraceResult::Clear));
    let texts: Vec<&str> = judgment
        .replies
        .iter()
        .map(|reply| reply.given.text.as_str())
        .collect();
    assert_eq!(texts, ["3 as a PR", "the list is right", "send it"]);
    let words: Vec<&str> = judgment.items[1..].iter().map(|item| item.word).collect();
    assert_eq!(words, ["picked", "overruled", "answered"]);
}

#[test]
fn nothing_applies_without_a_message() {
    let judgment = with(&[]).judge();
    let row = judgment.trace.iter().find(|row| row.rule == "triage");
    assert_eq!(row.map(|row| row.result), Some(TraceResult::Absent));
    assert_eq!(judgment.replies, []);
}

#[test]
fn a_reply_made_for_one_message_reaches_no_other() {
    let world = with(&[GOLDEN, CLOSED]);
    // the words `1` mean something at both, and not the same
    let refused = world.ask(&subject(CLOSED), reply(GOLDEN, "1"));
    assert!(matches!(refused, Err(Refusal::Moved(_))), "{refused:?}");
    // words that are no reply there are refused as such
    let refused = world.ask(&subject(CLOSED), reply(GOLDEN, "4"));
    assert!(matches!(refused, Err(Refusal::Text(_))), "{refused:?}");
    // a message that was not handed in
    let refused = world.ask(&subject(DRAFT), reply(DRAFT, "send it"));
    assert!(matches!(refused, Err(Refusal::Moved(_))), "{refused:?}");
    // the same bytes under another marker are another gate
    let forged = Subject::Message(countersign::model::menu::MessageId {
        gate: Some("chase-bug/other".into()),
        digest: message(GOLDEN).digest,
    });
    assert!(world.ask(&forged, reply(GOLDEN, "1")).is_err());
}

#[test]
fn a_reply_says_what_its_words_say_and_nothing_more() {
    let world = with(&[GOLDEN, COURSES]);
    let honest = given(&message(GOLDEN), "3").expect("a pick");
    let cases = [
        Given {
            kind: Kind::ChangeRequest,
            ..honest.clone()
        },
        Given {
            row: Some(1),
            ..honest.clone()
        },
        Given {
            label: Some("File a ticket".into()),
            ..honest.clone()
        },
        Given {
            lever: Some(Lever::Rounds),
            ..honest.clone()
        },
        Given {
            text: "03".into(),
            ..honest.clone()
        },
    ];
    for forged in cases {
        let refused = world.ask(&subject(GOLDEN), Act::Reply(forged.clone()));
        assert!(refused.is_err(), "{forged:?}");
    }
    assert!(world.ask(&subject(GOLDEN), Act::Reply(honest)).is_ok());
    // a criterion is no gate, and a gate takes no other act
    assert!(world.ask(&criterion("1"), reply(GOLDEN, "3")).is_err());
    for act in [
        ratify(),
        back(Cause::Implementation),
        Act::Acknowledge,
        Act::ScopeAccept,
        Act::Abandon {
            reason: "no".into(),
            handoff: "Ada".into(),
        },
    ] {
        let word = act.word();
        assert!(world.ask(&subject(GOLDEN), act).is_err(), "{word}");
    }
}

#[test]
fn a_pick_waits_for_the_message_to_be_read_and_words_do_not() {
    let world = with(&[GOLDEN, COURSES]);
    let judgment = world.judge();
    let unseen = |text: &str, typed: &str| {
        let (subject, act) = (subject(text), reply(text, typed));
        let policy = &world.policy;
        decide::decide(&world.dossier, &judgment, policy, &subject, act, None)
    };
    assert!(matches!(unseen(GOLDEN, "3"), Err(Refusal::Locked(_))));
    assert!(matches!(
        unseen(COURSES, "check board-test flaky"),
        Err(Refusal::Locked(_))
    ));
    assert!(unseen(GOLDEN, "the list is right").is_ok());
    assert!(unseen(COURSES, "criterion 2 deferred: HB-9").is_ok());
}

#[test]
fn each_lever_is_an_act_of_its_own() {
    let world = with(&[COURSES]);
    for (typed, lever, verb, word) in [
        (
            "check board-test flaky",
            Lever::Check,
            Verb::Affirm,
            "check disposed of",
        ),
        (
            "contract decision: amend it",
            Lever::Contract,
            Verb::Affirm,
            "contract decided",
        ),
        (
            "criterion 2 deferred: HB-9",
            Lever::Abandon,
            Verb::SetAside,
            "criterion given up",
        ),
    ] {
        let act = reply(COURSES, typed);
        assert_eq!((act.verb(), act.word()), (verb, word), "{typed}");
        let decision = world.ask(&subject(COURSES), act).expect("open");
        let Act::Reply(given) = decision.act() else {
            panic!("{typed}");
        };
        assert_eq!(given.lever, Some(lever), "{typed}");
    }
    let rounds = "gauntlet: gate=verification-before-completion/step-6\n\nMore?\n";
    let world = with(&[rounds]);
    let act = reply(rounds, "2 more rounds: the flake is known");
    assert_eq!(act.word(), "rounds granted");
    assert!(
        world.ask(&subject(rounds), act).is_ok(),
        "a grant is given in words"
    );
}

#[test]
fn after_the_head_moved_nothing_is_answered_and_an_old_answer_is_owed_again() {
    let mut world = with(&[GOLDEN]).decided(&subject(GOLDEN), reply(GOLDEN, "3"));
    world.dossier.moved = Known::Is(Moved {
        head: Some(oid(0x77)),
        ..Moved::default()
    });
    let refused = world.ask(&subject(GOLDEN), reply(GOLDEN, "1"));
    assert!(matches!(refused, Err(Refusal::Moved(_))), "{refused:?}");

    let world = world.pushed();
    let found = item(&world, GOLDEN);
    assert_eq!((found.standing, found.word), (Standing::Stale, "stale"));
    assert!(found.owed);
    assert_eq!(world.judge().replies, [], "an old reply reaches nobody");
    assert!(
        found
            .limits
            .iter()
            .any(|limit| limit.contains("not the head"))
    );
}

/// A commit that changes no file keeps every decision but the replies: they are for a head.
#[test]
fn a_reply_outlives_no_head_even_over_the_same_tree() {
    let mut world = with(&[GOLDEN]).decided(&subject(GOLDEN), reply(GOLDEN, "3"));
    world.dossier.snapshot.head = oid(0x77);
    let judgment = world.judge();
    assert_eq!(judgment.replies, []);
    assert_eq!(item(&world, GOLDEN).word, "stale");
    let own = judgment.item(&criterion("1")).expect("an item");
    assert_eq!(own.standing, Standing::Ratified, "the tree is the same");
    // it can be answered for the head as it is now, and what is sent is the new one
    let world = world.decided(&subject(GOLDEN), reply(GOLDEN, "1"));
    let texts: Vec<String> = world
        .judge()
        .replies
        .into_iter()
        .map(|one| one.given.text)
        .collect();
    assert_eq!(texts, ["1"]);
}

#[test]
fn what_is_gone_or_delivered_or_over_takes_no_reply() {
    for (still, word) in [
        (Still::Gone("the message is gone".into()), "gone"),
        (Still::Delivered, "delivered"),
    ] {
        let mut world = with(&[GOLDEN]);
        world.dossier.messages[0].still = still;
        let found = item(&world, GOLDEN);
        assert_eq!((found.word, found.owed), (word, false));
        let refused = world.ask(&subject(GOLDEN), reply(GOLDEN, "3"));
        assert!(matches!(refused, Err(Refusal::Closed(_))), "{refused:?}");
        assert_eq!(world.judge().decided, 1, "nobody decided it");
    }
    let done = "gauntlet: done approved\n\nAll is well.\n";
    let world = with(&[done]);
    assert!(!item(&world, done).owed);
}

#[test]
fn an_answer_is_taken_back_before_another_is_given() {
    let world = with(&[GOLDEN]).decided(&subject(GOLDEN), reply(GOLDEN, "3"));
    for typed in ["3", "1", "the list is right"] {
        let refused = world.ask(&subject(GOLDEN), reply(GOLDEN, typed));
        assert!(matches!(refused, Err(Refusal::Closed(_))), "{refused:?}");
    }
    let entry = world.judge().replies[0].entry;
    assert!(decide::undo(&world.dossier, entry).is_ok());
    assert_eq!(item(&world, GOLDEN).standing, Standing::Ratified);
}
