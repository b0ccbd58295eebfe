//! Every kind of entry, and every variant inside, is read back as it was written.

use countersign::gate::decide::{Act, replayed};
use countersign::gate::dossier::{Assertion, EditTarget, RunFact, Subject};
use countersign::gate::menu::given::Given;
use countersign::gate::menu::levers::Lever;
use countersign::ledger::codec::{Fault, LINE_LIMIT, parse, write};
use countersign::ledger::entry::{Body, Edit, Entry, Head};
use countersign::model::chain::ChainId;
use countersign::model::evidence::Evidence;
use countersign::model::id::{CriterionId, Digest, EntryId, RepoPath};
use countersign::model::menu::{Kind, MessageId};
use countersign::model::oracle::{
    Ended, Interference, Isolation, MarkerAt, Outcome, RunPlace, Stream,
};
use countersign::model::ruling::{Assurance, Cause};
use countersign::model::text::{Foreign, is_hidden};

use super::fixture::{Bench, opened, ruling, snapshot, undo};

const TEXTS: [&str; 4] = ["plain", "", "\u{1b}[31m\u{202e}\u{9b} \"\\\n", "日本語 🚢"];

fn entry(body: Body) -> Entry {
    Entry {
        id: EntryId([7; 16]),
        shard: "s.abcdef".into(),
        seq: 3,
        prev: Digest::of(b"before"),
        after: vec![Head {
            shard: "t.abcdef".into(),
            seq: 9,
            line: Digest::of(b"there"),
        }],
        body,
    }
}

fn round_trip(body: Body) {
    let entry = entry(body);
    let written = write(&entry);
    assert!(written.line.len() < LINE_LIMIT, "{}", written.line.len());
    assert!(!written.line.contains(is_hidden), "{}", written.line);
    let text_of = |digest: &Digest| {
        let found = written.texts.iter().find(|(name, _)| name == digest);
        found.map(|(_, text)| text.clone())
    };
    let parsed = parse(&written.line, "s.abcdef", &text_of);
    assert_eq!(parsed.faults, [], "{}", written.line);
    assert_eq!(parsed.entry.as_ref(), Some(&entry), "{}", written.line);
    assert_eq!(write(&entry), written, "the same entry is the same line");
}

fn decision(subject: Subject, act: Act) -> Body {
    Body::Decision(replayed::decision(
        subject,
        act,
        snapshot(),
        "Ada".into(),
        Assurance::Touched,
        None,
        None,
    ))
}

fn run() -> RunFact {
    RunFact {
        entry: EntryId([7; 16]),
        number: 0,
        criterion: CriterionId::new("1").unwrap(),
        oracle: Digest::of(b"oracle"),
        head: snapshot().head,
        tree: snapshot().tree,
        outcome: Outcome::NotMet,
        ended: Ended::Exited(-1),
        marker: Some(MarkerAt {
            stream: Stream::Stderr,
            offset: 1,
            line: 2,
            overwritten: true,
        }),
        interference: vec![
            Interference::Tree(vec!["a".into(), Foreign::new(b"\xff".to_vec())]),
            Interference::Overtaken {
                from: snapshot().head,
                to: snapshot().base,
            },
            Interference::Contract,
            Interference::Oracle,
            Interference::Records("anchors".into()),
        ],
        survivors: vec![Foreign::new(b"12 sleep\xfe".to_vec())],
        isolation: Isolation::Files,
        place: RunPlace::Live,
        duration_ms: 12,
        limit_ms: Some(120_000),
        shell: Some("/bin/bash".into()),
        output_bytes: u64::MAX,
        output: [Digest::of(b"out"), Digest::of(b"err")],
        excerpt: vec![(4, Foreign::new(b"ok\xff".to_vec()), true)],
        from_sample: false,
    }
}

#[test]
fn every_act_and_subject_is_read_back() {
    let id = || CriterionId::new("a.1").unwrap();
    let subjects = [
        Subject::Criterion(id()),
        Subject::ScopeFile(RepoPath::new(b"a/\xff b".to_vec())),
        Subject::Assertion(EntryId([1; 16])),
        Subject::Chain(ChainId {
            caller: Foreign::new(b"a\xff".to_vec()),
            callee: Foreign::from("b → c"),
        }),
        Subject::Message(MessageId {
            gate: Some("chase-bug/verdict-menu".into()),
            digest: Digest::of(b"message"),
        }),
        Subject::Message(MessageId {
            gate: None,
            digest: Digest::of(b"message"),
        }),
        Subject::ContractEdit(EditTarget::Whole),
        Subject::ContractEdit(EditTarget::Request),
        Subject::ContractEdit(EditTarget::Criterion(id())),
        Subject::ContractEdit(EditTarget::Scope),
        Subject::ContractEdit(EditTarget::Header),
    ];
    for subject in subjects {
        round_trip(decision(subject, Act::Acknowledge));
    }
    for text in TEXTS {
        let text = || text.to_owned();
        let evidence = || {
            vec![
                Evidence::Run(EntryId([2; 16])),
                Evidence::Hunk {
                    head: snapshot().head,
                    path: RepoPath::new(b"\xfe".to_vec()),
                    line: 1,
                    end_line: u32::MAX,
                    digest: Digest::of(b"h"),
                },
                Evidence::Test {
                    id: text().into(),
                    path: "t.rs".into(),
                    line: 3,
                },
                Evidence::Rationale(text()),
            ]
        };
        let back = |cause| Act::KickBack {
            cause,
            text: text(),
        };
        let acts = [
            Act::Acknowledge,
            Act::AcceptEdit { why: text() },
            Act::Ratify {
                evidence: evidence(),
            },
            Act::RatifyUnseen {
                evidence: evidence(),
                why: text(),
            },
            back(Cause::Implementation),
            back(Cause::Evidence),
            back(Cause::Criterion),
            back(Cause::Question),
            Act::Abandon {
                reason: text(),
                handoff: text(),
            },
            Act::AcceptPartial { reason: text() },
            Act::Lift { text: text() },
            Act::NotApplicable { why: text() },
            Act::Override { why: text() },
            Act::ChainClosed { at: text() },
            Act::ChainAccepted { why: text() },
            Act::ScopeAccept,
            Act::ScopeDecline { text: text() },
            Act::ScopeTicket { text: text() },
            Act::ScopeEscalate { text: text() },
            Act::Reply(Given {
                kind: Kind::Pick,
                text: text(),
                row: Some(3),
                label: Some(Foreign::new(b"Hotfix\xff".to_vec())),
                lever: None,
            }),
            Act::Reply(Given {
                kind: Kind::Token,
                text: text(),
                row: None,
                label: None,
                lever: Some(Lever::Check),
            }),
        ];
        for act in acts {
            round_trip(decision(Subject::Criterion(id()), act));
        }
    }
}

/// A reply or a lever of a newer version is said, line by line, and never guessed.
#[test]
fn words_of_a_reply_outside_their_set_are_said() {
    let act = |kind, lever| {
        let given = Given {
            kind,
            text: "2 more rounds".into(),
            row: None,
            label: None,
            lever,
        };
        let subject = Subject::Message(MessageId {
            gate: None,
            digest: Digest::of(b"message"),
        });
        write(&entry(decision(subject, Act::Reply(given)))).line
    };
    let line = act(Kind::Answer, Some(Lever::Rounds));
    for (from, to, fault) in [
        ("\"answer\"", "\"nod\"", "decision.act.reply"),
        ("\"grant-rounds\"", "\"grant-wishes\"", "decision.act.lever"),
        ("\"gate\":null", "\"gate\":7", "decision.subject.gate"),
    ] {
        assert!(line.contains(from), "{line}");
        let parsed = parse(&line.replace(from, to), "s.abcdef", &|_| None);
        let said = [Fault::BadValue(fault.into())];
        assert_eq!(parsed.faults, said, "{from}");
    }
    let more = line.replace("\"text\":", "\"tone\":\"calm\",\"text\":");
    let parsed = parse(&more, "s.abcdef", &|_| None);
    assert_eq!(
        parsed.faults,
        [Fault::UnknownField("decision.act.tone".into())]
    );
    assert!(parsed.entry.is_some(), "the rest is used");
}

#[test]
fn every_other_body_is_read_back() {
    round_trip(Body::Opened(opened("Ada")));
    round_trip(undo(EntryId([3; 16])));
    round_trip(ruling(&[EntryId([1; 16])]));
    let ends = [
        Ended::Exited(0),
        Ended::Signalled(9),
        Ended::TimedOut,
        Ended::Interrupted,
        Ended::NotStarted("no bash".into()),
    ];
    for ended in ends {
        let run = RunFact { ended, ..run() };
        round_trip(Body::Run(run));
    }
    for text in TEXTS {
        round_trip(Body::Assertion(Assertion {
            gate: "verify".into(),
            subject: text.into(),
            verdict: Foreign::new(b"\xffMET".to_vec()),
            why: text.into(),
            head: snapshot().head,
        }));
    }
    round_trip(Body::Edit(Edit {
        path: RepoPath::new(b"\xff".to_vec()),
        kind: "abandon".into(),
        before: Digest::of(b"1"),
        after: Digest::of(b"2"),
    }));
}

/// L11: what an oracle printed of this machine does not go into a line.
#[test]
fn a_run_is_recorded_without_this_machine() {
    let bench = Bench::new();
    let mut writer = bench.writer("a");
    let home = etcetera::home_dir().unwrap();
    let host = rustix::system::uname()
        .nodename()
        .to_string_lossy()
        .into_owned();
    let cache = bench.home.path().join("cache/checkout/1");
    let text = format!("{}/x {} on {host}", home.display(), cache.display());
    let mut run = run();
    run.excerpt = vec![(1, text.as_str().into(), true)];
    run.survivors = vec![text.as_str().into()];
    run.interference = vec![
        Interference::Records(text.clone()),
        Interference::Tree(vec![text.as_str().into()]),
    ];
    run.ended = Ended::NotStarted(text);
    bench.append(&mut writer, Body::Run(run));
    let line = String::from_utf8(bench.bytes(writer.shard())).unwrap();
    let cache = cache.to_string_lossy().into_owned();
    assert!(line.contains("~/x <cache>/checkout/1 on "), "{line}");
    assert!(!line.contains(&cache), "{line}");
    assert!(
        host.len() < 4 || !line.contains(&format!(" {host}\"")),
        "{line}"
    );
}
