//! What breaks in comparable tools, told of a record: rows 8 and 31 of the bug log.

use std::fs;

use countersign::gate::decide::Act;
use countersign::gate::dossier::{Dispute, LedgerHealth, Recorded};
use countersign::ledger::replay::Fate;
use countersign::ledger::verify::{Code, Status};
use countersign::model::id::EntryId;
use countersign::model::ruling::{Cause, Verdict};
use countersign::model::standing::Standing;

use super::fixture::{Bench, kick_back, ratify, ruling};
use crate::gate::world::{World, because, criterion};

/// Row 8: a restore stamps an old verdict on a newer commit. An older copy of a shard that is put
/// back is found with what is missing, nothing can be decided or signed over it, and a verdict that
/// was given for another head is no verdict for this one.
#[test]
fn row_8_an_older_record_that_is_put_back_approves_nothing() {
    let bench = Bench::new();
    let mut writer = bench.writer("ada");
    let (one, _) = bench.decide(&mut writer, ratify("1"));
    bench.append(&mut writer, ruling(&[one]));
    let older = bench.bytes(writer.shard());
    bench.decide(&mut writer, kick_back("1", "it fails on the 25th"));
    bench.append(&mut writer, ruling(&[]));
    assert_eq!(bench.load().status, Status::Ok);
    fs::write(bench.path(writer.shard()), &older).expect("put back");

    let history = bench.load();
    assert_eq!(history.status, Status::Tampered);
    let missing = history
        .findings
        .iter()
        .find(|one| one.code == Code::CutTail);
    let missing = missing.expect("it is said what is missing");
    assert!(missing.message.contains('2'), "{}", missing.message);

    let world = World::new().manual("1");
    let world = world.decided(&criterion("1"), because("bin/ferry does it"));
    assert_eq!(world.judge().ruling, Verdict::Approved);
    let mut world = world.ruled(Verdict::Approved);
    let pushed = world.clone().pushed();
    assert_ne!(pushed.judge().ruling, Verdict::Approved);
    assert!(pushed.rule(Verdict::Approved).is_err());
    world.dossier.ledger = history.health;
    assert!(matches!(world.dossier.ledger, LedgerHealth::Tampered(_)));
    assert_ne!(world.judge().ruling, Verdict::Approved);
    assert!(world.rule(Verdict::Approved).is_err());
    assert!(world.ask(&criterion("1"), because("again")).is_err());
}

/// Row 31: a second reviewer overwrites the first verdict. Here both are kept, the stricter counts
/// whoever came first, the conflict is shown with both names, and a sign-off has to answer it.
#[test]
fn row_31_of_two_opposite_verdicts_both_are_kept_and_the_stricter_counts() {
    for ada_first in [true, false] {
        let bench = Bench::new();
        let (mut ada, mut bo) = (bench.writer("ada"), bench.writer("bo"));
        let (yes, no) = if ada_first {
            let (yes, _) = bench.decide(&mut ada, ratify("1"));
            (yes, bench.decide(&mut bo, kick_back("1", "no")).0)
        } else {
            let (no, _) = bench.decide(&mut bo, kick_back("1", "no"));
            (bench.decide(&mut ada, ratify("1")).0, no)
        };
        let history = bench.load();
        assert_eq!(history.row(yes).expect("kept").fate, Fate::Outvoted(no));
        assert_eq!(history.row(no).expect("kept").fate, Fate::Stands);
        let [conflict] = &history.conflicts[..] else {
            panic!("{:?}", history.conflicts);
        };
        assert_eq!((conflict.counts, conflict.between.len()), (no, 2));
    }
    let mut world = World::new().manual("1");
    world = world.decided(
        &criterion("1"),
        Act::KickBack {
            cause: Cause::Implementation,
            text: "no".into(),
        },
    );
    let counts = world.dossier.decisions[0].entry;
    world.dossier.disputes.push(Dispute {
        subject: criterion("1"),
        says: vec!["ratified by ada".into(), "kicked back by bo".into()],
        counts,
    });
    let stands = |world: &World| {
        let judgment = world.judge();
        let item = judgment.item(&criterion("1")).expect("an item").clone();
        (item, judgment.disputed)
    };
    let (item, disputed) = stands(&world);
    assert_eq!(item.standing, Standing::KickedBack);
    assert_eq!(disputed, [(criterion("1"), "1".to_owned())]);
    let shown = item.limits.join(" ");
    assert!(
        shown.contains("ratified by ada") && shown.contains("kicked back by bo"),
        "{shown}"
    );

    // whoever knows of both settles it at once, as it will be replayed; undone, it is back
    let yes = world.ask(&criterion("1"), because("bin/ferry does it"));
    let yes = Recorded {
        entry: EntryId([9; 16]),
        number: 40,
        value: yes.expect("may be ratified"),
    };
    world.dossier.decided(yes);
    let (item, disputed) = stands(&world);
    assert_eq!((item.standing, disputed), (Standing::Ratified, vec![]));
    assert_eq!(item.limits.join(" ").matches("conflict").count(), 0);
    world.dossier.decisions.pop();
    let (item, disputed) = stands(&world);
    assert_eq!((item.standing, disputed.len()), (Standing::KickedBack, 1));
}
