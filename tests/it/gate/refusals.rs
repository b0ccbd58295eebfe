//! What is refused, in the words that the person reads (screens.md, section 5).

use countersign::gate::decide::{self, Act, Refusal, TEXT_LIMIT};
use countersign::gate::dossier::Subject;
use countersign::model::change::Shape;
use countersign::model::contract::EditKind;
use countersign::model::evidence::Evidence;
use countersign::model::id::{Digest, EntryId, RepoPath};
use countersign::model::known::Known;
use countersign::model::oracle::Outcome;
use countersign::model::ruling::{
    Assurance, Cause, NameSource, Principal, RootCause, SigningKey, Verdict,
};
use countersign::model::standing::Standing;

use super::words::world;
use super::world::*;

fn refused(world: &World, subject: &Subject, act: Act) -> String {
    match world.ask(subject, act) {
        Err(refusal) => refusal.sentence().to_owned(),
        Ok(decision) => panic!("decided: {decision:?}"),
    }
}

#[test]
fn each_refusal_says_what_is_so_and_the_way_on() {
    for (facts, item, act, sentence) in [
        (
            "runnable 2, red 2",
            criterion("2"),
            ratify(),
            "Closed: 2 is failing. b sends it back, x runs it again.",
        ),
        (
            "runnable 6, met 6 elsewhere",
            criterion("6"),
            ratify(),
            "Closed: 6 is stale, its run is for 5e5e5e5. x runs it on aaaaaaa.",
        ),
        (
            "manual 3",
            criterion("3"),
            ratify(),
            "Closed: 3 has no evidence. Enter lists the candidates.",
        ),
        (
            "runnable 7, met 7, edited 7",
            criterion("7"),
            ratify(),
            "Closed: the edit of 7 is not acknowledged. 0 goes there.",
        ),
        (
            "manual 3, head moved",
            criterion("3"),
            because("bin/ferry does it"),
            "Closed: the head moved to 7777777. F5 reads it again.",
        ),
        (
            "manual 3, tampered",
            criterion("3"),
            because("bin/ferry does it"),
            "Closed: the ledger was changed in 1 place, decisions are off. o l shows them.",
        ),
        (
            "manual 3, nobody",
            criterion("3"),
            because("bin/ferry does it"),
            "Closed: nobody is known at this terminal.",
        ),
        (
            "manual 3",
            criterion("4"),
            ratify(),
            "Closed: this row is not part of the change any more. F5 reads it again.",
        ),
        (
            "manual 3",
            criterion("3"),
            Act::ScopeAccept,
            "Closed: \"accepted [gated]\" makes no sense for 3. Space lists what does.",
        ),
        (
            "manual 5, abandoned 5",
            criterion("5"),
            because("bin/ferry does it"),
            "Closed: \"ratified\" makes no sense for 5. Space lists what does.",
        ),
        (
            "manual 3",
            criterion("3"),
            Act::KickBack {
                cause: Cause::Evidence,
                text: "This might repeat.".into(),
            },
            "Closed: \"might\" in your text is a hedge. Reword it, or tag the item.",
        ),
        (
            "manual 3",
            criterion("3"),
            Act::Abandon {
                reason: "no kiosk".into(),
                handoff: " \u{200b}\n".into(),
            },
            "Closed: who takes it over is missing. Write it first.",
        ),
    ] {
        assert_eq!(refused(&world(facts), &item, act), sentence, "{facts}");
    }
}

#[test]
fn texts_have_a_limit() {
    let text = |n: usize| Act::KickBack {
        cause: Cause::Evidence,
        text: "x".repeat(n),
    };
    let world = world("manual 1");
    assert!(world.ask(&criterion("1"), text(TEXT_LIMIT)).is_ok());
    assert!(matches!(
        world.ask(&criterion("1"), text(TEXT_LIMIT + 1)),
        Err(Refusal::Text(_))
    ));
}

#[test]
fn what_is_locked_asks_for_proof_of_having_been_seen() {
    for (facts, item, act) in [
        ("manual 1", criterion("1"), because("bin/ferry does it")),
        ("runnable 7, edited 7", edit_of("7"), Act::Acknowledge),
        ("overflow f", file("f"), Act::ScopeAccept),
    ] {
        let world = world(facts);
        let judgment = world.judge();
        let ask = |seen| {
            decide::decide(
                &world.dossier,
                &judgment,
                &world.policy,
                &item,
                act.clone(),
                seen,
            )
        };
        assert!(ask(world.seen(&item)).is_ok(), "{facts}");
        assert!(matches!(ask(None), Err(Refusal::Locked(_))), "{facts}");
        let mut empty = world.seen(&item);
        empty.iter_mut().for_each(|seen| seen.rows.clear());
        assert!(matches!(ask(empty), Err(Refusal::Locked(_))), "{facts}");
        let mut brief = world.seen(&item);
        brief.iter_mut().for_each(|seen| seen.for_ms = 299);
        assert_eq!(
            ask(brief).err().map(|r| r.sentence().to_owned()).as_deref(),
            Some("Too fast: the evidence was on screen for 0.2 s. Press r again.")
        );
        let mut exact = world.seen(&item);
        exact.iter_mut().for_each(|seen| seen.for_ms = 300);
        assert!(ask(exact).is_ok());
        let other = world.seen(&criterion("other"));
        assert!(matches!(ask(other), Err(Refusal::Moved(_))), "{facts}");
        let mut older = world.seen(&item);
        older
            .iter_mut()
            .for_each(|seen| seen.snapshot.head = oid(0x10));
        assert!(matches!(ask(older), Err(Refusal::Moved(_))), "{facts}");
    }
}

#[test]
fn an_unseen_ratify_says_so_and_gives_its_reason() {
    let world = world("runnable 1, met 1");
    let unseen = |why: &str| Act::RatifyUnseen {
        evidence: Vec::new(),
        why: why.into(),
    };
    let judgment = world.judge();
    let ask = |act| {
        decide::decide(
            &world.dossier,
            &judgment,
            &world.policy,
            &criterion("1"),
            act,
            None,
        )
    };
    assert!(matches!(ask(unseen(" ")), Err(Refusal::Text(_))));
    let decision = ask(unseen("the screen is too small")).expect("recorded as unseen");
    assert_eq!(decision.seen(), None);
    assert_eq!(decision.act().word(), "ratified unseen");
}

#[test]
fn a_ratify_of_a_runnable_criterion_rests_on_its_deciding_run() {
    let world = world("runnable 1, red 1, met 1");
    let [old, deciding] = [0, 1].map(|at| world.dossier.runs[at].entry);
    let decision = world.ask(&criterion("1"), ratify()).expect("decided");
    assert_eq!(
        decision.act(),
        &Act::Ratify {
            evidence: vec![Evidence::Run(deciding)]
        }
    );
    assert_eq!(decision.oracle(), Some(oracle("1").digest()));
    let with = |run: EntryId| Act::Ratify {
        evidence: vec![Evidence::Run(run)],
    };
    assert!(world.ask(&criterion("1"), with(deciding)).is_ok());
    assert!(world.ask(&criterion("1"), with(old)).is_err());
}

#[test]
fn a_green_pipeline_and_foreign_hunks_are_no_evidence() {
    let world = world("manual 3");
    let on = |piece: Evidence| {
        world.ask(
            &criterion("3"),
            Act::Ratify {
                evidence: vec![piece],
            },
        )
    };
    let hunk = |head, path: &str| Evidence::Hunk {
        head,
        path: RepoPath::from(path),
        line: 59,
        end_line: 60,
        digest: Digest([4; 32]),
    };
    assert!(on(hunk(oid(0xaa), "bin/ferry")).is_ok());
    assert!(on(hunk(oid(0xab), "bin/ferry")).is_err(), "another head");
    assert!(
        on(hunk(oid(0xaa), "bin/other")).is_err(),
        "not in the change"
    );
    assert!(on(Evidence::Run(EntryId([9; 16]))).is_err(), "no such run");
    for bad in [
        "CI is green",
        "All tests pass.",
        "the PR says so!",
        "  ",
        "it might hold",
    ] {
        assert!(on(Evidence::Rationale(bad.into())).is_err(), "{bad}");
    }
    let good = "errors.sh covers it: all tests pass, and line 59 names the known harbors";
    assert!(on(Evidence::Rationale(good.into())).is_ok());
}

#[test]
fn an_undo_takes_back_one_s_own_unsigned_decision() {
    let world = world("manual 1, ratify 1");
    let entry = world.dossier.decisions[0].entry;
    let undo = decide::undo(&world.dossier, entry).expect("taken back");
    assert_eq!((undo.entry(), undo.by()), (entry, "Ada Osei"));
    assert!(decide::undo(&world.dossier, EntryId([0xee; 16])).is_err());
    let mut other = world.clone();
    other.dossier.who = Principal::new("Ben Lund", NameSource::Config, Assurance::Present)
        .map_or(Known::NotSupplied, Known::Is);
    let refusal = decide::undo(&other.dossier, entry).expect_err("by somebody else");
    assert!(refusal.sentence().contains("is by Ada Osei"));
    let signed = world.ruled(Verdict::Approved);
    let refusal = decide::undo(&signed.dossier, entry).expect_err("signed");
    assert_eq!(
        refusal.sentence(),
        "Closed: 1 is signed, as part of entry 2. A correction is a new ruling."
    );
}

#[test]
fn two_people_s_answers_are_both_kept_and_the_stricter_counts() {
    let ada = world("manual 1, ratify 1");
    let mut both = world("manual 1");
    both.dossier.who = Principal::new("Ben Lund", NameSource::Config, Assurance::Present)
        .map_or(Known::NotSupplied, Known::Is);
    let ben = both.decided(&criterion("1"), back(Cause::Evidence));
    for order in [[&ada, &ben], [&ben, &ada]] {
        let mut world = world("manual 1");
        for from in order {
            world.stand(from.dossier.decisions[0].value.clone());
        }
        let item = world.judge().items[0].clone();
        assert_eq!(item.standing, Standing::KickedBack);
        assert!(
            item.limits
                .iter()
                .any(|limit| limit.starts_with("conflict: ")),
            "{:?}",
            item.limits
        );
    }
    let changed = ada.decided(&criterion("1"), back(Cause::Evidence));
    let changed = changed.decided(&criterion("1"), because("it holds after all"));
    assert_eq!(
        changed.judge().items[0].standing,
        Standing::Ratified,
        "one person's last word counts"
    );
}

#[test]
fn what_nothing_vouches_for_counts_for_nothing() {
    let mut forged = world("manual 1");
    forged.dossier.who = Principal::new("Ada Osei", NameSource::Config, Assurance::Claimed)
        .map_or(Known::NotSupplied, Known::Is);
    let forged = forged.decided(&criterion("1"), because("bin/ferry does it"));
    let item = forged.judge().items[0].clone();
    assert_eq!((item.standing, item.owed), (Standing::Unproven, true));
    assert!(
        item.limits
            .iter()
            .any(|limit| limit.contains("unverified claim"))
    );
}

#[test]
fn a_claim_that_only_takes_away_counts_until_somebody_decides_again() {
    let mut forged = world("manual 1");
    let who = forged.dossier.who.clone();
    forged.dossier.who = Principal::new("Bo Lind", NameSource::Config, Assurance::Claimed)
        .map_or(Known::NotSupplied, Known::Is);
    let back = Act::KickBack {
        cause: Cause::Evidence,
        text: "there is no test".into(),
    };
    let mut forged = forged.decided(&criterion("1"), back);
    let item = forged.judge().items[0].clone();
    assert_eq!(item.standing, Standing::KickedBack);
    assert!(
        item.limits
            .iter()
            .any(|limit| limit.contains("it only takes away"))
    );
    forged.dossier.who = who;
    let both = forged.decided(&criterion("1"), because("bin/ferry does it"));
    let item = both.judge().items[0].clone();
    assert_eq!(
        item.standing,
        Standing::KickedBack,
        "until a decision that read it replaces it in the ledger"
    );
}

#[test]
fn signing_takes_both_pages_whole() {
    let world = world("manual 1, back 1");
    let judgment = world.judge();
    let sign = |change: &dyn Fn(&mut decide::SignOff)| {
        let mut pages = world.pages(Verdict::Reroll);
        change(&mut pages);
        decide::rule(&world.dossier, &judgment, &world.policy, pages)
            .map(|ruling| ruling.round())
            .map_err(|refusal| refusal.sentence().to_owned())
    };
    assert_eq!(sign(&|_| {}), Ok(1));
    assert_eq!(sign(&|p| p.typed = "AAAAAA".into()), Ok(1));
    let refused = |change: &dyn Fn(&mut decide::SignOff), sentence: &str| {
        assert_eq!(sign(change), Err(sentence.to_owned()));
    };
    refused(
        &|p| p.root_cause = None,
        "Closed: REROLL asks for a root cause. Pick one.",
    );
    refused(
        &|p| p.attack = "\n".into(),
        "Closed: the strongest remaining attack is missing. Write it first.",
    );
    refused(
        &|p| p.attack = "It could fail in May.".into(),
        "Closed: \"could\" in your text is a hedge. Reword it, or tag the item.",
    );
    refused(
        &|p| p.typed = "aaaa".into(),
        "Closed: 2 characters missing.",
    );
    refused(
        &|p| p.typed = "aaaaa".into(),
        "Closed: 1 character missing.",
    );
    for typed in ["bbbbbb", "é", "aaaaaaa"] {
        refused(
            &|p| p.typed = typed.into(),
            "Closed: these are not the first 6 characters of the head.",
        );
    }
    refused(
        &|p| p.verdict = Verdict::Approved,
        "Closed: APPROVED, because T1 fires for 1. v shows the rule.",
    );
    refused(
        &|p| p.verdict = Verdict::Undecided,
        "Closed: undecided is never signed. v shows what can be.",
    );
    let green = super::words::world("manual 1, ratify 1");
    let mut pages = green.pages(Verdict::Approved);
    pages.root_cause = Some(RootCause::Other);
    let refusal = decide::rule(&green.dossier, &green.judge(), &green.policy, pages);
    assert!(
        matches!(refusal, Err(Refusal::Text(_))),
        "APPROVED carries none"
    );
}

#[test]
fn a_ruling_says_what_it_rests_on() {
    let world = world("manual 1, ratify 1, push, manual 2, ratify 1, back 2");
    let ruling = world.rule(Verdict::Reroll).expect("signable");
    let entries: Vec<_> = world.dossier.decisions.iter().map(|d| d.entry).collect();
    assert_eq!(ruling.decisions(), &entries[1..], "those of this snapshot");
    assert!(
        ruling
            .trace()
            .iter()
            .any(|line| line == "T1: criterion 2 is MISSING: FIRES")
    );
    assert!(
        ruling
            .trace()
            .iter()
            .any(|line| line.starts_with("person: you are not an author"))
    );
    assert_eq!(
        (ruling.by(), ruling.assurance()),
        ("Ada Osei", Assurance::Present)
    );
}

#[test]
fn an_author_who_rules_is_shown_as_self_ratified() {
    for name in ["builder-3", "B3@harbor.example"] {
        let mut world = world("manual 1, ratify 1");
        world.dossier.who = Principal::new(name, NameSource::Config, Assurance::Present)
            .map_or(Known::NotSupplied, Known::Is);
        let judgment = world.judge();
        let row = judgment.trace.iter().find(|row| row.rule == "person");
        assert!(
            row.is_some_and(|row| row.says.contains("self-ratified")),
            "{name}"
        );
    }
}

#[test]
fn who_made_the_change_is_marked_and_a_policy_may_refuse_them() {
    let mut world = world("manual 1, ratify 1");
    world.dossier.self_ratified = Known::Is(true);
    let judgment = world.judge();
    let row = judgment.trace.iter().find(|row| row.rule == "person");
    assert!(row.is_some_and(|row| row.says.contains("self-ratified")));
    assert!(world.rule(Verdict::Approved).is_ok());
    world.policy.allow_self = false;
    for verdict in [Verdict::Approved, Verdict::Escalate] {
        let refusal = world.rule(verdict).expect_err("refused");
        let said = refusal.sentence();
        assert!(said.contains("does not let an author"), "{said}");
    }
    world.dossier.self_ratified = Known::Is(false);
    assert!(world.rule(Verdict::Approved).is_ok());
}

#[test]
fn a_level_is_met_by_a_key_that_can_reach_it_and_the_ruling_itself_says_l1() {
    use Assurance::{Present, Signed, Touched};
    for (asked, reach, allowed) in [
        (Present, None, true),
        (Signed, None, false),
        (Signed, Some(Signed), true),
        (Signed, Some(Touched), true),
        (Touched, Some(Signed), false),
        (Touched, Some(Touched), true),
    ] {
        let mut world = world("manual 1, ratify 1");
        world.policy.approve_level = asked;
        if let Known::Is(who) = &mut world.dossier.who {
            who.key = reach.map(|reach| SigningKey {
                fingerprint: "SHA256:abcdefgh".into(),
                reach,
            });
        }
        let ruled = world.rule(Verdict::Approved);
        assert_eq!(ruled.is_ok(), allowed, "{asked:?} {reach:?} {ruled:?}");
        // Until the seal is there, the line claims no more than a sitting at a terminal.
        if let Ok(ruling) = ruled {
            assert_eq!(ruling.assurance(), Present);
        }
    }
}

#[test]
fn the_root_cause_is_suggested_from_facts() {
    for (facts, cause) in [
        ("manual 1, ratify 1", None),
        ("manual 1, back 1", Some(RootCause::AgentError)),
        ("manual 1, wrong 1", Some(RootCause::ExtractorError)),
        (
            "manual 1, back 1, manual 2, wrong 2",
            Some(RootCause::ExtractorError),
        ),
        ("runnable 1, red 1", Some(RootCause::AgentError)),
        ("runnable 1, error 1", Some(RootCause::MissingData)),
        ("overflow f, decline f", Some(RootCause::AgentError)),
    ] {
        let world = world(facts);
        let found = decide::suggested_cause(&world.dossier, &world.judge(), &world.policy);
        assert_eq!(found, cause, "{facts}");
    }
    let base = world("runnable 1").dossier.snapshot.base_tree;
    let world = world("runnable 1, red 1").ran_on("1", Outcome::NotMet, base);
    let found = decide::suggested_cause(&world.dossier, &world.judge(), &world.policy);
    assert_eq!(found, Some(RootCause::OriginalError), "red on base too");
}

#[test]
fn a_given_round_below_the_ledger_s_is_a_breaker() {
    let world = world("manual 1, back 1").ruled(Verdict::Reroll);
    let judgment = world.judge();
    assert_eq!(
        judgment.verified.breakers,
        ["contradictory signals: round 1 is given, the ledger says 2"]
    );
    assert_eq!(judgment.ruling, Verdict::Escalate);
}

#[test]
fn a_change_with_a_file_that_cannot_be_read_is_not_approved() {
    let mut world = World::new().manual("1");
    world = world.decided(&criterion("1"), because("bin/ferry does it"));
    assert_eq!(world.judge().ruling, Verdict::Approved);
    if let Known::Is(files) = &mut world.dossier.files {
        files[0].shape = Known::Is(Shape::Missing("blob 1 is not in the repository".into()));
    }
    let judgment = world.judge();
    assert_eq!(judgment.ruling, Verdict::CouldNotMeasure);
    assert!(world.rule(Verdict::Approved).is_err());
}

/// K06: the mark is in the text of those who are judged.
#[test]
fn a_mark_in_the_text_is_a_claim_until_a_person_acted() {
    let mut world = World::new()
        .runnable("7")
        .edited(EditKind::CheckChanged, Some("7"));
    let limits = |world: &World| {
        let judgment = world.judge();
        judgment
            .item(&edit_of("7"))
            .expect("an item")
            .limits
            .clone()
    };
    let has = |limits: &[String], words: &str| limits.iter().any(|limit| limit.contains(words));
    assert!(has(&limits(&world), "not [gated]"));
    for edit in &mut world.record().edits {
        edit.gated = true;
    }
    assert!(has(&limits(&world), "a claim, until a person's act"));
    let world = world.decided(
        &edit_of("7"),
        Act::AcceptEdit {
            why: "agreed".into(),
        },
    );
    assert!(!has(&limits(&world), "a claim, until"));
}
