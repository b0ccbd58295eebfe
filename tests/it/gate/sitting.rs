//! Whole sittings: what a person does, in order, and where it ends.

use countersign::gate::decide::Act;
use countersign::gate::dossier::RunFact;
use countersign::model::contract::EditKind;
use countersign::model::id::Digest;
use countersign::model::oracle::{Ended, Interference, Isolation, Outcome};
use countersign::model::ruling::{Cause, Verdict};
use countersign::model::snapshot::Snapshot;
use countersign::model::standing::Standing;

use super::world::*;

#[test]
fn eight_green_criteria_end_in_approved() {
    let mut world = World::new();
    for name in ["1", "2", "3"] {
        world = world.runnable(name).ran(name, Outcome::Met);
        let judgment = world.judge();
        assert_eq!(judgment.ruling, Verdict::Undecided);
        world = world.decided(&criterion(name), ratify());
    }
    let judgment = world.judge();
    assert_eq!(judgment.ruling, Verdict::Approved, "{:#?}", judgment.trace);
    assert_eq!((judgment.owed, judgment.decided), (0, 3));
    assert_eq!(judgment.nearest, "");
    let ruling = world.rule(Verdict::Approved).expect("signable");
    assert_eq!(ruling.verdict(), Verdict::Approved);
    assert_eq!(ruling.decisions().len(), 3);
    assert_eq!(ruling.root_cause(), None);
}

/// The sample's twelve troubles without its threads, as screens.md section 8 walks them.
#[test]
fn the_sample_ends_in_reroll_with_a_partial_delivery() {
    let world = World::new()
        .runnable("1")
        .runnable("2")
        .manual("3")
        .runnable("4")
        .manual("5")
        .runnable("6")
        .runnable("7")
        .manual("8")
        .abandoned("5")
        .weak("4")
        .edited(EditKind::CheckChanged, Some("7"))
        .edited(EditKind::ExpectChanged, Some("7"))
        .edited(EditKind::EvidencePrefilled, Some("7"))
        .overflow(".github/workflows/deploy.yml")
        .ran("1", Outcome::Met)
        .ran("2", Outcome::NotMet)
        .ran("4", Outcome::Met)
        .ran_on("6", Outcome::Met, oid(0x99));
    let judgment = world.judge();
    let rows: Vec<_> = judgment.items.iter().map(|i| (i.word, i.owed)).collect();
    assert_eq!(
        rows,
        [
            ("edited", true),
            ("passing", true),
            ("failing", true),
            ("unclaimed", true),
            ("weak", true),
            ("abandoned", true),
            ("stale", true),
            ("pending", true),
            ("unclaimed", true),
            ("untraced", true),
        ]
    );
    assert_eq!(judgment.owed, 10);
    assert_eq!(judgment.can_end, [Verdict::Reroll, Verdict::Escalate]);
    let world = world
        .decided(&edit_of("7"), Act::Acknowledge)
        .decided(&criterion("1"), ratify())
        .decided(&criterion("2"), back(Cause::Implementation))
        .decided(
            &criterion("3"),
            because("bin/ferry names the known harbors"),
        )
        .decided(&criterion("4"), back(Cause::Evidence))
        .decided(
            &criterion("5"),
            Act::AcceptPartial {
                reason: "the kiosk is gone".into(),
            },
        )
        .ran("6", Outcome::Met)
        .decided(&criterion("6"), ratify())
        .ran("7", Outcome::NotMet)
        .decided(&criterion("7"), back(Cause::Implementation))
        .decided(&criterion("8"), back(Cause::Evidence))
        .decided(
            &file(".github/workflows/deploy.yml"),
            Act::ScopeTicket {
                text: "HB-320".into(),
            },
        );
    let judgment = world.judge();
    assert_eq!(judgment.ruling, Verdict::Reroll, "{:#?}", judgment.trace);
    assert_eq!((judgment.owed, judgment.decided), (0, 10));
    let t1 = judgment.trace.iter().find(|row| row.rule == "T1");
    assert_eq!(
        t1.map(|row| row.says.as_str()),
        Some("criteria 2 4 7 8 are MISSING, 5 abandoned")
    );
    let se = judgment.trace.iter().find(|row| row.rule == "SE");
    assert_eq!(
        se.map(|row| row.says.as_str()),
        Some("deploy.yml TICKETED, 5 abandoned, accepted, none called wrong")
    );
    assert_eq!(
        judgment.nearest,
        "APPROVED, row I: if 2 4 7 8 hold, and your policy allows the abandoned 5. \
         Nothing else stands in its way."
    );
    let ruling = world.rule(Verdict::Reroll).expect("signable");
    assert!(ruling.partial() && !ruling.floor_bounce());
    assert_eq!(ruling.decisions().len(), 10);
    assert!(!judgment.may_sign(Verdict::Approved));
    assert!(judgment.may_sign(Verdict::Escalate));
}

#[test]
fn a_push_makes_decisions_stale_and_going_back_makes_them_valid_again() {
    let world = World::new()
        .manual("1")
        .decided(&criterion("1"), because("bin/ferry does it"));
    assert_eq!(world.judge().ruling, Verdict::Approved);
    let pinned = world.dossier.snapshot.clone();
    let mut pushed = world.pushed();
    let item = pushed.judge().items[0].clone();
    assert_eq!((item.standing, item.owed), (Standing::Stale, true));
    pushed.dossier.snapshot = pinned.clone();
    assert_eq!(pushed.judge().ruling, Verdict::Approved);
    let changes: [fn(&mut Snapshot); 5] = [
        |s| s.base = oid(1),
        |s| s.merge_base = oid(1),
        |s| s.base_tree = oid(1),
        |s| s.tree = oid(1),
        |s| s.contract = None,
    ];
    for (at, change) in changes.into_iter().enumerate() {
        pushed.dossier.snapshot = pinned.clone();
        change(&mut pushed.dossier.snapshot);
        assert_eq!(pushed.judge().items[0].standing, Standing::Stale, "{at}");
    }
    pushed.dossier.snapshot = pinned;
    pushed.dossier.snapshot.head = oid(2);
    assert_eq!(
        pushed.judge().ruling,
        Verdict::Approved,
        "the same tree under another commit message"
    );
}

#[test]
fn a_run_counts_only_whole_and_for_these_bytes() {
    let standing = |change: fn(&mut RunFact)| {
        let mut world = World::new().runnable("1").ran("1", Outcome::Met);
        change(&mut world.dossier.runs[0]);
        world.judge().items[0].standing
    };
    assert_eq!(standing(|_| {}), Standing::Passing);
    assert_eq!(
        standing(|run| run.interference.push(Interference::Contract)),
        Standing::Error
    );
    assert_eq!(
        standing(|run| run.ended = Ended::Interrupted),
        Standing::Pending
    );
    assert_eq!(
        standing(|run| run.oracle = Digest([9; 32])),
        Standing::Stale
    );
    assert_eq!(
        standing(|run| run.isolation = Isolation::None),
        Standing::Pending
    );
    let mut world = World::new()
        .runnable("1")
        .ran("1", Outcome::NotMet)
        .ran("1", Outcome::Error);
    world.dossier.runs[1].ended = Ended::Interrupted;
    assert_eq!(
        world.judge().items[0].standing,
        Standing::Failing,
        "a stopped run changes nothing"
    );
}

#[test]
fn optional_and_post_merge_are_listed_and_never_count() {
    let world = World::new().manual("1").optional().manual("2").post_merge();
    let judgment = world.judge();
    assert_eq!((judgment.owed, judgment.decided), (0, 0));
    let words: Vec<_> = judgment.items.iter().map(|i| i.word).collect();
    assert_eq!(words, ["optional", "post-merge"]);
    assert_eq!(
        judgment.ruling,
        Verdict::Reroll,
        "nothing is resolved at all"
    );
}

#[test]
fn an_assertion_is_owed_and_decides_nothing() {
    let world = World::new()
        .manual("1")
        .decided(&criterion("1"), because("bin/ferry does it"));
    let (world, claim) = world.asserted(oid(0xaa));
    let judgment = world.judge();
    assert_eq!((judgment.owed, judgment.ruling), (1, Verdict::Undecided));
    let world = world.decided(&claim, ratify());
    assert_eq!(world.judge().ruling, Verdict::Approved);
    let (moved, claim) = world.asserted(oid(0x01));
    let refusal = moved
        .ask(&claim, ratify())
        .expect_err("said at another head");
    assert_eq!(
        refusal.sentence(),
        "Closed: it was said at 0101010. b sends it back."
    );
}

#[test]
fn a_sitting_that_ends_on_the_floor_alone_uses_no_round() {
    let world = World::new()
        .runnable("1")
        .ran("1", Outcome::NotMet)
        .ruled(Verdict::Reroll);
    let ruling = &world.dossier.rulings[0].value;
    assert!(ruling.floor_bounce());
    assert_eq!(
        countersign::gate::verify::round_after(&world.dossier.rulings),
        1
    );
    let world = World::new()
        .manual("1")
        .decided(&criterion("1"), back(Cause::Evidence))
        .ruled(Verdict::Reroll);
    assert_eq!(
        countersign::gate::verify::round_after(&world.dossier.rulings),
        2
    );
}

#[test]
fn what_could_not_be_read_is_never_a_verdict() {
    let mut world = World::new()
        .manual("1")
        .decided(&criterion("1"), because("bin/ferry does it"));
    world.dossier.files = unknown();
    let judgment = world.judge();
    assert_eq!(judgment.ruling, Verdict::CouldNotMeasure);
    for verdict in [Verdict::Approved, Verdict::Reroll, Verdict::Escalate] {
        assert!(world.rule(verdict).is_err());
    }
}

#[test]
fn a_lifted_abandonment_is_owed_again_and_stands_as_it_was_proven() {
    let lift = Act::Lift {
        text: "The kiosk is there again.".into(),
    };
    let world = World::new()
        .runnable("1")
        .abandoned("1")
        .ran_on("1", Outcome::Met, oid(0x99))
        .decided(&criterion("1"), lift);
    let judgment = world.judge();
    let item = judgment.item(&criterion("1")).expect("it is listed");
    assert_eq!(item.word, "stale", "the run is of another tree");
    assert_ne!(judgment.ruling, Verdict::Approved);
    assert!(!judgment.may_sign(Verdict::Approved));
}

#[test]
fn an_abandonment_that_nobody_answered_can_be_signed_as_escalate_alone() {
    let world = World::new()
        .manual("1")
        .manual("2")
        .abandoned("2")
        .decided(&criterion("1"), because("bin/ferry does it"));
    let judgment = world.judge();
    assert_eq!(judgment.owed, 1);
    for (verdict, may) in [
        (Verdict::Approved, false),
        (Verdict::Reroll, false),
        (Verdict::Escalate, true),
    ] {
        assert_eq!(judgment.may_sign(verdict), may, "{}", verdict.word());
        assert_eq!(world.rule(verdict).is_ok(), may, "{}", verdict.word());
    }
    let accepted = world.decided(
        &criterion("2"),
        Act::AcceptPartial {
            reason: "Spring is soon enough.".into(),
        },
    );
    assert!(!accepted.judge().may_sign(Verdict::Approved), "partial");
}

#[test]
fn a_base_that_moves_makes_decisions_stale_and_moving_back_makes_them_valid() {
    let decided = World::new()
        .manual("1")
        .decided(&criterion("1"), because("bin/ferry does it"));
    assert_eq!(decided.judge().ruling, Verdict::Approved);
    let pins: [fn(&mut World); 3] = [
        |world| world.dossier.snapshot.base = oid(0x77),
        |world| world.dossier.snapshot.merge_base = oid(0x77),
        |world| world.dossier.snapshot.base_tree = oid(0x77),
    ];
    for (at, move_it) in pins.into_iter().enumerate() {
        let mut moved = decided.clone();
        move_it(&mut moved);
        let judgment = moved.judge();
        let item = judgment.item(&criterion("1")).expect("it is listed");
        assert_eq!((item.word, item.owed), ("stale", true), "pin {at}");
        assert_ne!(judgment.ruling, Verdict::Approved, "pin {at}");
        assert!(!judgment.may_sign(Verdict::Approved), "pin {at}");
        moved.dossier.snapshot = decided.dossier.snapshot.clone();
        assert_eq!(moved.judge().ruling, Verdict::Approved, "pin {at} back");
    }
}
