//! Claims of a description row by row, and every breaker of the request (verify-gate 1.2, 1.9,
//! H09): each makes ESCALATE, and none is there without its cause.

use std::sync::Arc;

use countersign::adapters::forge::{self, Input};
use countersign::app::fixture;
use countersign::gate::dossier::{Dossier, Raised, Subject};
use countersign::gate::judge::judge;
use countersign::gate::permit::{Permit, Verb};
use countersign::gate::policy::Policy;
use countersign::gate::request::ThreadFacts;
use countersign::gate::verify::claims;
use countersign::gate::verify::minor::Logins;
use countersign::gate::verify::threads::Looked;
use countersign::model::change::Entry;
use countersign::model::finding::{
    Adherence, CallerBundle, Findings, Phase, PhaseEnd, Telemetry, Violation,
};
use countersign::model::id::{Oid, RepoPath};
use countersign::model::known::{Known, Reason};
use countersign::model::text::Foreign;
use serde_json::json;

const CLAIMS: &str = include_str!("../../truth/claims.md");

#[test]
fn a_description_claims_what_the_table_says() {
    let rows: Vec<&str> = CLAIMS
        .lines()
        .filter(|line| line.starts_with('|'))
        .collect();
    assert!(rows.len() > 15);
    let mut wrong = Vec::new();
    for row in rows.into_iter().skip(2) {
        let inner = row
            .strip_prefix("| ")
            .and_then(|row| row.strip_suffix(" |"));
        let cells: Vec<&str> = inner.expect("a row").split(" | ").collect();
        let read = claims::read("", &cells[0].replace("\\n", "\n"));
        let closes = match read.closes.join(" ") {
            none if none.is_empty() => "-".to_owned(),
            some => some,
        };
        let none = if read.none { "yes" } else { "-" };
        let got = [closes, none.to_owned(), read.unrecognised.to_string()];
        if got != cells[1..] {
            wrong.push(format!("{row}: {got:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_title_names_its_subject_and_a_plan_is_found() {
    assert_eq!(
        claims::read("chore(0042): x", "").subject.as_deref(),
        Some("0042")
    );
    assert_eq!(claims::read("chore(board): x", "").subject, None);
    for plan in [
        "## Test plan\n- x",
        "Test plan: `x`",
        "**Test plan**: x",
        "### Testing\nx",
    ] {
        assert!(claims::read("", plan).test_plan, "{plan}");
    }
    for none in ["We test plans.", "The testing: no", "Testing is hard"] {
        assert!(!claims::read("", none).test_plan, "{none}");
    }
    let read = claims::read("", "See `docs/a.md`, ./b/c.erg and x.md.");
    assert_eq!(read.mentions, ["docs/a.md", "./b/c.erg"]);
}

/// Threads of our own form about a request that is open.
pub(crate) fn threads(
    more: &serde_json::Value,
    pull: &serde_json::Value,
) -> Known<Arc<ThreadFacts>> {
    let document = json!({"schema": "countersign/threads/1", "complete": true, "threads": more,
        "pull": pull});
    let threads = forge::read(&[Input {
        holds: None,
        name: Foreign::from("t.json"),
        bytes: Ok(document.to_string().into_bytes()),
    }]);
    let looked: Vec<Looked> = threads
        .threads
        .iter()
        .map(|thread| Looked::not(thread, "nobody looked"))
        .collect();
    let policy = policy();
    Known::Is(Arc::new(ThreadFacts::new(threads, &looked, &policy)))
}

fn policy() -> Policy {
    Policy {
        logins: Logins {
            panel: vec!["berth".into()],
            ..Logins::default()
        },
        ..Policy::default()
    }
}

fn breakers(change: impl Fn(&mut Dossier)) -> Vec<String> {
    let mut dossier = fixture::dossier();
    change(&mut dossier);
    judge(&dossier, &policy()).verified.breakers
}

fn caller(phases: &[(u8, PhaseEnd)]) -> Known<Arc<CallerBundle>> {
    Known::Is(Arc::new(CallerBundle {
        caller: Foreign::from("gaze"),
        gaze: true,
        session: None,
        pr: Some(7),
        ticket: None,
        telemetry: None,
        clean: None,
        phases: phases
            .iter()
            .map(|(number, ended)| Phase {
                number: *number,
                ended: *ended,
            })
            .collect(),
    }))
}

fn adherence(passed: bool, blocking: bool) -> Known<Arc<Findings>> {
    Known::Is(Arc::new(Findings {
        simplify: Vec::new(),
        adherence: Some(Adherence {
            passed,
            violations: vec![Violation {
                rule: Foreign::from("r"),
                file: None,
                blocking,
            }],
        }),
    }))
}

const SKIPPED: [(u8, PhaseEnd); 4] = [
    (2, PhaseEnd::Skipped),
    (3, PhaseEnd::Skipped),
    (4, PhaseEnd::Skipped),
    (5, PhaseEnd::Skipped),
];

/// A change of that many files that bear content, and twenty more that do not.
fn sized(dossier: &mut Dossier, count: u8) {
    let Known::Is(files) = &mut dossier.files else {
        panic!("the files are known");
    };
    let like = files.first().cloned().expect("a file");
    files.clear();
    for at in 0..count + 20 {
        let mut file = like.clone();
        file.path = RepoPath::from(format!("f{at}").as_str());
        let entry = |byte: u8| {
            Some(Entry {
                oid: Oid([byte; 20]),
                mode: 0o100_644,
            })
        };
        (file.old, file.new) = (entry(1), entry(if at < count { 2 } else { 1 }));
        files.push(file);
    }
}

/// A caller that says what its run cost.
fn cost(wall_s: u64, tokens: u64, clean: Option<bool>) -> Known<Arc<CallerBundle>> {
    let Known::Is(bundle) = caller(&SKIPPED) else {
        panic!("a caller");
    };
    let mut bundle = bundle.as_ref().clone();
    bundle.telemetry = Some(Telemetry { wall_s, tokens });
    bundle.clean = clean;
    Known::Is(Arc::new(bundle))
}

#[test]
fn the_size_of_a_change_stops_gaze_and_nobody_else() {
    let big = |gaze: bool| {
        breakers(|d| {
            sized(d, 40);
            let Known::Is(bundle) = caller(&SKIPPED) else {
                panic!("a caller");
            };
            let mut bundle = bundle.as_ref().clone();
            bundle.gaze = gaze;
            bundle.telemetry = Some(Telemetry {
                wall_s: 9999,
                tokens: 9,
            });
            bundle.clean = Some(false);
            d.request.caller = Known::Is(Arc::new(bundle));
        })
    };
    assert_eq!((big(true).len(), big(false)), (3, Vec::new()));
    assert_eq!(breakers(|d| sized(d, 40)), Vec::<String>::new());
    let mut dossier = fixture::dossier();
    let badge = |dossier: &Dossier| {
        let trace = judge(dossier, &policy()).trace;
        let mut rows = trace.iter().filter(|row| row.rule == "size");
        rows.next().map(|row| row.says.clone())
    };
    assert_eq!(badge(&dossier), None);
    sized(&mut dossier, 40);
    let wanted = "40 files bear content: gaze would ask to split it";
    assert_eq!(badge(&dossier).as_deref(), Some(wanted));
    let small = breakers(|d| {
        sized(d, 14);
        d.request.caller = caller(&SKIPPED);
    });
    assert_eq!(
        small,
        Vec::<String>::new(),
        "renames and modes do not count"
    );
}

#[test]
fn every_breaker_comes_with_its_cause_and_with_no_other() {
    let open = || json!({"number": 7, "state": "OPEN"});
    assert_eq!(breakers(|_| {}), Vec::<String>::new());
    let clear = |d: &mut Dossier| {
        d.request.threads = threads(&json!([]), &open());
        d.request.caller = caller(&SKIPPED);
        d.request.findings = adherence(true, false);
        d.request.asserted = d.round.known().copied();
    };
    assert_eq!(breakers(clear), Vec::<String>::new());
    type Change = fn(&mut Dossier);
    let rows: [(&str, Change); 15] = [
        ("dangling claim", |d| {
            d.request.dangling = Some("0099".into());
        }),
        ("comments incomplete", |d| {
            d.request.threads = Known::Unknown(Reason::new("gone"));
        }),
        ("not open", |d| {
            d.request.threads = threads(&json!([]), &json!({"number": 7, "state": "MERGED"}));
        }),
        ("the forge has another head", |d| {
            let head = "1111111111111111111111111111111111111111";
            d.request.threads = threads(&json!([]), &json!({"number": 7, "head": head}));
        }),
        ("findings could not be read", |d| {
            d.request.findings = Known::Unknown(Reason::new("cut"));
        }),
        ("PASS beside a blocking", |d| {
            d.request.findings = adherence(true, true);
        }),
        ("FAIL, and nothing", |d| {
            d.request.findings = adherence(false, false);
        }),
        ("round 9 is given", |d| d.request.asserted = Some(9)),
        ("phase 3 was not done in time", |d| {
            let mut phases = SKIPPED;
            phases[1].1 = PhaseEnd::Timeout;
            d.request.caller = caller(&phases);
        }),
        ("un-reviewable: 15 files bear content", |d| {
            sized(d, 15);
            d.request.caller = caller(&SKIPPED);
        }),
        ("1800 seconds, over the hard limit", |d| {
            d.request.caller = cost(1800, 999_999, Some(true));
        }),
        ("1000000 tokens, over the hard limit", |d| {
            d.request.caller = cost(1799, 1_000_000, None);
        }),
        ("workspace contamination", |d| {
            d.request.caller = cost(1799, 999_999, Some(false));
        }),
        ("phase 5 has no result", |d| {
            d.request.caller = caller(&SKIPPED[..3]);
        }),
        ("two results at one head", |d| {
            let mut phases = SKIPPED.to_vec();
            phases.push((4, PhaseEnd::Failed));
            d.request.caller = caller(&phases);
        }),
    ];
    for (wanted, change) in rows {
        let found = breakers(change);
        assert_eq!(found.len(), 1, "{wanted}: {found:?}");
        assert!(found[0].contains(wanted), "{wanted}: {found:?}");
    }
}

/// H01: tickets belong to their tracker, a description to its forge.
#[test]
fn tickets_and_descriptions_are_never_written() {
    use countersign::adapters::contract::{intent, read};
    let rows = [
        ("tickets/0041-a.md", true),
        ("tickets/closed/0041-a.erg", true),
        ("core/tickets/7-a.md", true),
        ("a.erg", true),
        (".claude/tasks/contracts/2026-10-12-winter-0910.md", false),
        ("docs/my-tickets/a.md", false),
        ("GATES.md", false),
    ];
    for (path, wanted) in rows {
        let contract = read(&path.into(), b"## Exit criteria\n- a\n", None);
        assert_eq!(contract.is_read_only(), wanted, "{path}");
    }
    let stands_in = intent::of_request(Some(7), &Foreign::from("It floats.")).expect("intent");
    assert!(stands_in.contract.is_read_only());
    assert!(intent::of_request(Some(7), &Foreign::from(" \n")).is_none());
}

#[test]
fn a_later_answer_opens_a_thread_again() {
    let one = json!([{"id": "41", "channel": "issue", "author": "tamsin", "body": "Why?",
        "replies": []}]);
    let two = json!([{"id": "41", "channel": "issue", "author": "tamsin", "body": "Why?",
        "replies": [{"id": "42", "author": "builder-7", "body": "Because."}]}]);
    let named = |threads: Known<Arc<ThreadFacts>>| match threads {
        Known::Is(facts) => facts.raised(0).expect("a thread"),
        _ => panic!("no threads"),
    };
    let (before, after) = (
        named(threads(&one, &json!({}))),
        named(threads(&two, &json!({}))),
    );
    assert_ne!(before, after);
    assert!(matches!(before, Raised::Thread { id, .. } if &*id == "41"));
}

#[test]
fn while_comments_are_missing_nothing_but_that_is_open() {
    let mut dossier = fixture::dossier();
    let document = r#"{"schema": "countersign/threads/1", "complete": false, "threads": []}"#;
    let read = forge::read(&[Input {
        holds: None,
        name: Foreign::from("t.json"),
        bytes: Ok(document.into()),
    }]);
    dossier.request.threads = Known::Is(Arc::new(ThreadFacts::new(read, &[], &policy())));
    let judgment = judge(&dossier, &policy());
    for item in &judgment.items {
        let missing = matches!(item.subject, Subject::Review(Raised::Incomplete(_)));
        for verb in Verb::ALL.into_iter().filter(|verb| *verb != Verb::Run) {
            let open = matches!(item.permits.of(verb), Permit::Open(_) | Permit::Locked(_));
            assert_eq!(open, missing && verb == Verb::Affirm, "{item:?} {verb:?}");
        }
    }
}

/// Bug log, row 12: a blocker whose file was removed cannot be cleared. Here it stays owed, without
/// a place in the change, blocks APPROVED, and a person can answer it.
#[test]
fn row_12_a_blocker_on_a_file_that_is_gone_stays_owed_and_can_be_answered() {
    use countersign::gate::decide::{Act, Answer, Seen, decide};
    use countersign::gate::dossier::Recorded;
    use countersign::gate::verify::resolution::Touch;
    use countersign::gate::verify::threads::{Anchor, Confidence};
    use countersign::model::id::EntryId;
    use countersign::model::ruling::Verdict;
    let document = json!({"schema": "countersign/threads/1", "complete": true, "threads": [
        {"id": "77", "channel": "inline", "author": "berth", "review_state": "changes_requested",
         "body": "This table is wrong.", "anchor": {"path": "data/gone.csv", "line": 3},
         "state": "open", "replies": []}],
        "pull": {"number": 42, "author": "builder-7"}});
    let read = forge::read(&[Input {
        holds: None,
        name: Foreign::from("t.json"),
        bytes: Ok(document.to_string().into_bytes()),
    }]);
    let looked = [Looked {
        anchor: Known::Is(Anchor {
            path: "data/gone.csv".into(),
            lines: None,
            grade: Confidence::Detached,
        }),
        touch: Touch::Gone(vec![fixture::HEAD]),
    }];
    let mut dossier = fixture::green(1);
    let policy = policy();
    let facts = ThreadFacts::new(read, &looked, &policy);
    let subject = Subject::Review(facts.raised(0).expect("a thread"));
    dossier.request.threads = Known::Is(Arc::new(facts));

    let judgment = judge(&dossier, &policy);
    let item = judgment.item(&subject).expect("it is listed");
    assert!(item.owed && item.blocks, "{item:?}");
    assert!(!judgment.may_sign(Verdict::Approved));
    let open = item.permits.of(Verb::NotApplicable);
    assert!(
        matches!(open, Permit::Open(_) | Permit::Locked(_)),
        "{open:?}"
    );

    let seen = Seen {
        subject: subject.clone(),
        snapshot: dossier.snapshot.clone(),
        for_ms: 1_000,
        rows: vec!["SAID".into()],
    };
    let why = "The table it speaks of is gone from the change.".to_owned();
    let act = Act::Answer(Answer::NotActionable { why });
    let value = decide(&dossier, &judgment, &policy, &subject, act, Some(seen)).expect("decided");
    dossier.decisions.push(Recorded {
        entry: EntryId([1; 16]),
        number: 1,
        value,
    });
    let judgment = judge(&dossier, &policy);
    let item = judgment.item(&subject).expect("it is still listed");
    assert!(!item.owed && !item.blocks, "{item:?}");
}

/// Threads about the built-in sample, each of another kind, for the scenes.
pub(crate) fn sample_threads() -> Known<Arc<ThreadFacts>> {
    use countersign::gate::verify::resolution::Touch;
    use countersign::gate::verify::threads::{Anchor, Confidence};
    let document = json!({"schema": "countersign/threads/1", "complete": true, "threads": [
        {"id": "9201", "channel": "inline", "author": "berth", "review_state": "changes_requested",
         "body": "The hour after midnight is printed as 24.\n\n```suggestion\n  if (h == 24) h = 0\n```",
         "anchor": {"path": "lib/clock.awk", "line": 25}, "state": "open",
         "replies": [{"id": "9202", "author": "builder-7", "body": "The table has 24 as well."}]},
        {"id": "9203", "channel": "inline", "author": "tamsin", "edited": true,
         "body": "Say which timetable this is.",
         "anchor": {"path": "lib/clock.awk", "line": 8}, "outdated": true, "state": "open",
         "replies": []},
        {"id": "9204", "channel": "inline", "author": "berth",
         "body": "This could cause a wrong row.",
         "anchor": {"path": "bin/ferry", "line": 3}, "state": "open", "replies": []},
        {"id": "9205", "channel": "inline", "author": "berth", "body": "consider: one table",
         "anchor": {"path": "bin/ferry", "line": 9}, "state": "open", "replies": []},
        {"id": "9206", "channel": "issue", "author": "lint", "account": "bot",
         "body": "81 % of the lines are run.", "state": "open", "replies": []}],
        "pull": {"number": 42, "author": "builder-7"}});
    let threads = forge::read(&[Input {
        holds: None,
        name: Foreign::from("t.json"),
        bytes: Ok(document.to_string().into_bytes()),
    }]);
    let looked = |path: &str, line: u32, grade, touch| Looked {
        anchor: Known::Is(Anchor {
            path: path.into(),
            lines: Some((line, line)),
            grade,
        }),
        touch,
    };
    let head = fixture::HEAD;
    let all = [
        looked("lib/clock.awk", 25, Confidence::Exact, Touch::Untouched),
        looked(
            "lib/clock.awk",
            10,
            Confidence::Moved,
            Touch::File(vec![head]),
        ),
        looked("bin/ferry", 3, Confidence::Fuzzy, Touch::Untouched),
        looked("bin/ferry", 9, Confidence::Exact, Touch::Untouched),
        Looked::not(&threads.threads[4], "nobody looked"),
    ];
    Known::Is(Arc::new(ThreadFacts::new(threads, &all, &policy())))
}
