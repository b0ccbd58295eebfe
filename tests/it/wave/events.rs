//! The event log: a replay ends where the live run ended, a pass is charged once, nothing is
//! pushed before it was reviewed.

use std::collections::{BTreeMap, BTreeSet};

use countersign::adapters::wave::log;
use countersign::gate::wave::events::{Applied, Books, Entry, Event};
use countersign::gate::wave::repair::Booked;
use countersign::model::id::{Digest, Oid};
use countersign::model::wave::{FindingId, Pending, Route, RowStatus};
use proptest::prelude::*;

fn oid(n: u8) -> Oid {
    Oid([n; 20])
}

fn id(n: u32) -> FindingId {
    FindingId::parse(&format!("P{n}")).expect("an id")
}

/// Whatever could be said to have happened, sensible or not.
fn anything() -> impl Strategy<Value = Event> {
    let row = 1u32..4;
    let route = prop_oneof![
        3 => Just(None),
        1 => Just(Some(Route::Needs)),
        1 => Just(Some(Route::ContractException)),
    ];
    prop_oneof![
        3 => any::<u8>().prop_map(|n| Event::PassOpen { round_start_head: oid(n) }),
        6 => (row.clone(), any::<u8>(), 1u32..40, any::<bool>()).prop_map(|(row, n, iteration, escalated)| {
            Event::Dispatch { pending: Pending { row, head_before: oid(n) }, iteration, escalated }
        }),
        6 => (row.clone(), any::<bool>(), route, prop::collection::vec(1u32..4, 0..2), any::<u8>())
            .prop_map(|(row, done, route, extras, n)| Event::Admit { row, done, route, extras, head: oid(n) }),
        4 => row.clone().prop_map(|row| Event::Miss { row }),
        1 => row.clone().prop_map(|row| Event::StopRound { row }),
        3 => (any::<u8>(), any::<u8>()).prop_map(|(n, d)| Event::Review { head: (n > 99).then(|| oid(n)), report: Digest([d; 32]) }),
        2 => (1u32..6, any::<bool>()).prop_map(|(n, resolved)| Event::Closure { id: id(n), resolved }),
        2 => (row.clone(), 1u32..6).prop_map(|(row, n)| Event::Reopen { row, ids: vec![id(n)] }),
        2 => row.prop_map(|row| Event::Settle { row }),
        2 => (prop::collection::vec(1u32..6, 0..2), prop::collection::vec(6u32..9, 0..2)).prop_map(|(b, n)| Event::Carry {
            blocking: b.into_iter().map(id).collect(), nits: n.into_iter().map(id).collect(),
        }),
        2 => any::<u8>().prop_map(|n| Event::Push { head: oid(n) }),
        4 => (any::<bool>(), prop::sample::select(Booked::ALL.to_vec()), prop::collection::vec(1u32..6, 0..2))
            .prop_map(|(one, step, closed)| Event::Repair {
                proposal: Digest([u8::from(one); 32]), finding: id(1), step,
                closed: closed.into_iter().map(id).collect(),
            }),
        1 => Just(Event::Hold),
        1 => Just(Event::Watch),
        1 => Just(Event::OwnPushRereview),
        1 => Just(Event::ExitCheck),
    ]
}

/// An account of rounds, attempts and misses kept by hand, from the prose of the source.
#[derive(Default)]
struct Account {
    rounds: u32,
    counted: bool,
    attempts: BTreeMap<u32, u32>,
    misses: BTreeMap<u32, u32>,
}

impl Account {
    fn note(&mut self, event: &Event) {
        match event {
            Event::PassOpen { .. } => self.counted = false,
            Event::Admit { row, route, .. } => {
                *self.attempts.entry(*row).or_default() += 1;
                self.misses.insert(*row, 0);
                if route.is_none() && !self.counted {
                    self.rounds += 1;
                    self.counted = true;
                }
            }
            Event::Miss { row } => {
                *self.attempts.entry(*row).or_default() += 1;
                *self.misses.entry(*row).or_default() += 1;
            }
            _ => {}
        }
    }
}

/// Drives books live: what cannot happen is refused and leaves no trace.
fn live(events: &[Event]) -> (Books, Vec<Entry>, Account) {
    let (mut books, mut entries, mut account) = (Books::default(), Vec::new(), Account::default());
    for event in events {
        let before = books.clone();
        match books.next(event.clone()) {
            Ok(entry) => {
                account.note(event);
                entries.push(entry);
            }
            Err(_) => assert_eq!(books, before, "a refused event changes nothing: {event:?}"),
        }
    }
    (books, entries, account)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_replay_ends_where_the_live_run_ended(events in prop::collection::vec(anything(), 0..80)) {
        let (books, entries, account) = live(&events);
        let replayed = Books::replay(&entries).expect("what happened can happen again");
        prop_assert_eq!(&replayed, &books);
        prop_assert_eq!(books.rounds, account.rounds);
        for (row, attempts) in &account.attempts {
            let state = &books.rows[row];
            prop_assert_eq!(state.attempts, *attempts);
            prop_assert_eq!(state.misses.known().copied(), account.misses.get(row).copied());
        }
    }

    #[test]
    fn a_crash_anywhere_and_an_entry_twice_change_nothing(events in prop::collection::vec(anything(), 1..60), cut in any::<prop::sample::Index>()) {
        let (books, entries, _) = live(&events);
        let at = if entries.is_empty() { 0 } else { cut.index(entries.len()) };
        let mut again = Books::replay(&entries[..at]).expect("a prefix");
        for entry in &entries[at..] {
            prop_assert_eq!(again.apply(entry), Ok(Applied::Taken));
            prop_assert_eq!(again.apply(entry), Ok(Applied::Again));
        }
        prop_assert_eq!(again, books);
    }

    #[test]
    fn a_log_on_disk_reads_back_the_same(events in prop::collection::vec(anything(), 0..60)) {
        let (books, entries, _) = live(&events);
        let text: String = entries.iter().map(|entry| format!("{}\n", log::line(entry))).collect();
        let read = log::read(text.as_bytes());
        prop_assert!(read.complaints.is_empty(), "{:?}", read.complaints);
        prop_assert_eq!(&read.entries, &entries);
        prop_assert_eq!(read.books, books);
        let torn = log::read(&text.as_bytes()[..text.len().saturating_sub(1)]);
        prop_assert_eq!(torn.entries.len(), entries.len().saturating_sub(1));
        prop_assert!(countersign::model::wave::sound(&torn.complaints));
    }
}

fn entries(events: Vec<Event>) -> Result<Books, String> {
    let mut books = Books::default();
    for event in events {
        books.next(event)?;
    }
    Ok(books)
}

fn dispatch(row: u32, iteration: u32) -> Event {
    Event::Dispatch {
        pending: Pending {
            row,
            head_before: oid(1),
        },
        iteration,
        escalated: false,
    }
}

fn admit(row: u32, done: bool, route: Option<Route>) -> Event {
    Event::Admit {
        row,
        done,
        route,
        extras: vec![],
        head: oid(2),
    }
}

const OPEN: Event = Event::PassOpen {
    round_start_head: Oid([1; 20]),
};

fn review(n: u8) -> Event {
    Event::Review {
        head: Some(oid(2)),
        report: Digest([n; 32]),
    }
}

fn carry(blocking: Vec<FindingId>) -> Event {
    Event::Carry {
        blocking,
        nits: vec![],
    }
}

#[test]
fn rounds_are_charged_as_the_source_says() {
    let rows: [(&str, Vec<Event>, u32); 6] = [
        (
            "one change",
            vec![OPEN, dispatch(1, 1), admit(1, true, None)],
            1,
        ),
        (
            "two changes of one pass",
            vec![
                OPEN,
                dispatch(1, 1),
                admit(1, true, None),
                dispatch(2, 2),
                admit(2, false, None),
            ],
            1,
        ),
        (
            "a routed failure alone",
            vec![OPEN, dispatch(1, 1), admit(1, false, Some(Route::Needs))],
            0,
        ),
        (
            "a routed failure beside a change",
            vec![
                OPEN,
                dispatch(1, 1),
                admit(1, false, Some(Route::Needs)),
                dispatch(2, 2),
                admit(2, true, None),
            ],
            1,
        ),
        (
            "a miss",
            vec![OPEN, dispatch(1, 1), Event::Miss { row: 1 }],
            0,
        ),
        (
            "a carried retry",
            vec![
                OPEN,
                dispatch(1, 1),
                admit(1, true, None),
                review(1),
                Event::Reopen {
                    row: 1,
                    ids: vec![id(1)],
                },
                carry(vec![id(1)]),
                OPEN,
                dispatch(1, 2),
                admit(1, true, None),
            ],
            2,
        ),
    ];
    for (name, events, rounds) in rows {
        let books = entries(events).unwrap_or_else(|why| panic!("{name}: {why}"));
        assert_eq!(books.rounds, rounds, "{name}");
    }
}

#[test]
fn what_cannot_happen_is_refused() {
    let done = || vec![OPEN, dispatch(1, 1), admit(1, true, None)];
    let then = |mut first: Vec<Event>, more: Vec<Event>| {
        first.extend(more);
        first
    };
    let rows = [
        ("a pass in a pass", then(done(), vec![OPEN]), "open already"),
        ("no pass", vec![dispatch(1, 1)], "no pass is open"),
        (
            "two at once",
            then(done(), vec![dispatch(2, 2), dispatch(3, 3)]),
            "row 2 is under way",
        ),
        (
            "a done row",
            then(done(), vec![dispatch(1, 2)]),
            "row 1 is done",
        ),
        (
            "an old iteration",
            then(done(), vec![dispatch(2, 1)]),
            "sent out already",
        ),
        (
            "another row's result",
            vec![OPEN, dispatch(1, 1), admit(2, true, None)],
            "under way, not 2",
        ),
        (
            "no dispatch",
            vec![OPEN, Event::Miss { row: 1 }],
            "not under way",
        ),
        (
            "a third try after two misses",
            vec![
                OPEN,
                dispatch(1, 1),
                Event::Miss { row: 1 },
                dispatch(1, 2),
                Event::Miss { row: 1 },
                dispatch(1, 3),
            ],
            "exhausted by misses",
        ),
        (
            "a push of unreviewed commits",
            then(done(), vec![Event::Push { head: oid(2) }]),
            "no review saw",
        ),
        (
            "a push of a failure with edits that no review saw",
            vec![
                OPEN,
                dispatch(1, 1),
                admit(1, false, Some(Route::Needs)),
                Event::Push { head: oid(2) },
            ],
            "no review saw",
        ),
        (
            "a push against the carried set",
            then(
                done(),
                vec![review(1), carry(vec![id(1)]), Event::Push { head: oid(2) }],
            ),
            "forbids a push",
        ),
        (
            "a report twice",
            then(done(), vec![review(1), review(1)]),
            "taken already",
        ),
        (
            "a closure without a review",
            then(
                done(),
                vec![Event::Closure {
                    id: id(1),
                    resolved: true,
                }],
            ),
            "no review",
        ),
        (
            "a review while a row runs",
            vec![OPEN, dispatch(1, 1), review(1)],
            "under way",
        ),
    ];
    for (name, events, says) in rows {
        let why = entries(events).expect_err(name);
        assert!(why.contains(says), "{name}: {why}");
    }
    let miss_then_admit = vec![
        OPEN,
        dispatch(1, 1),
        Event::Miss { row: 1 },
        dispatch(1, 2),
        admit(1, false, None),
        dispatch(1, 3),
        Event::Miss { row: 1 },
        dispatch(1, 4),
    ];
    assert!(
        entries(miss_then_admit).is_ok(),
        "misses count in a row only"
    );
}

#[test]
fn a_stopped_dispatch_stays_under_way_and_can_be_taken_up_later() {
    let books = entries(vec![
        OPEN,
        dispatch(1, 1),
        Event::StopRound { row: 1 },
        admit(1, true, None),
    ]);
    let books = books.expect("it is taken up");
    assert_eq!(books.rows[&1].status, RowStatus::Done);
    assert_eq!(books.sent.required, BTreeSet::from([1]));
}

#[test]
fn a_log_names_every_line_that_cannot_follow() {
    let text = "{\"seq\":1,\"event\":\"miss\",\"row\":1}\n\n{\"seq\":1,\"event\":\"pass_open\"}\n\
        {\"seq\":1,\"event\":\"jump\"}\n{\"seq\":1,\"seq\":2,\"event\":\"watch\"}\nnot json\n\
        {\"seq\":1,\"event\":\"watch\"}\n{\"seq\":5,\"event\":\"watch\"}\n{\"seq\":2,";
    let read = log::read(text.as_bytes());
    let lines: Vec<u32> = read.complaints.iter().map(|c| c.line).collect();
    assert_eq!(lines, [1, 3, 4, 5, 6, 8, 9], "{:?}", read.complaints);
    assert_eq!(read.books.seq, 1);
}

#[test]
fn an_append_lands_after_what_was_read_or_not_at_all() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log");
    let entry = |seq| Entry {
        seq,
        event: Event::Watch,
    };
    log::append(&path, 0, &[entry(1), entry(2)]).expect("a new log");
    assert!(
        log::append(&path, 1, &[entry(2)]).is_err(),
        "somebody was faster"
    );
    let mut torn = std::fs::read(&path).expect("a log");
    torn.extend_from_slice(b"{\"seq\":3,\"ev");
    std::fs::write(&path, torn).expect("a torn log");
    log::append(&path, 2, &[entry(3)]).expect("over the torn line");
    let read = log::read(&std::fs::read(&path).expect("a log"));
    assert_eq!((read.books.seq, read.complaints.len()), (3, 0));
    std::os::unix::fs::symlink(&path, folder.path().join("link")).expect("a link");
    assert!(log::append(&folder.path().join("link"), 3, &[entry(4)]).is_err());
}
