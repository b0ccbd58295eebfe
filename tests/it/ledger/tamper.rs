//! L5, L7, L8, L9: what was changed, copied or damaged is found, named and not believed.

use countersign::gate::dossier::LedgerHealth;
use countersign::ledger::entry::Head;
use countersign::ledger::replay::replay;
use countersign::ledger::verify::{Code, Grade, Place, Shard, Status, Verified, verify};
use countersign::model::id::Digest;

use super::fixture::{Bench, CHANGE, kick_back, ratify, repository, say, undo};

/// A recorded shard of five lines: opening, ratify, kick back, undo, ratify.
struct Recorded {
    name: String,
    bytes: Vec<u8>,
    anchors: Vec<Head>,
}

fn recorded() -> Recorded {
    let bench = Bench::new();
    let mut writer = bench.writer("a");
    bench.decide(&mut writer, ratify("1"));
    let (back, _) = bench.decide(&mut writer, kick_back("1", "no"));
    bench.append(&mut writer, undo(back));
    bench.decide(&mut writer, ratify("2"));
    of(&bench, writer.shard())
}

fn of(bench: &Bench, name: &str) -> Recorded {
    let name = name.to_owned();
    let bytes = bench.bytes(&name);
    let lines = bytes.split(|b| *b == b'\n').filter(|line| !line.is_empty());
    let anchors = (1..).zip(lines).map(|(seq, line)| Head {
        shard: name.clone(),
        seq,
        line: Digest::of(line),
    });
    Recorded {
        anchors: anchors.collect(),
        name,
        bytes,
    }
}

fn here() -> Place<'static> {
    Place {
        repository: repository(),
        change: CHANGE,
    }
}

impl Recorded {
    fn shard(&self, bytes: &[u8]) -> Shard {
        let mut shard = Shard::new(&self.name, bytes);
        shard.anchors.extend(self.anchors.iter().cloned());
        shard
    }

    fn check(&self, bytes: &[u8]) -> Verified {
        verify(&here(), &[self.shard(bytes)], &|_| None)
    }

    fn lines(&self) -> Vec<Vec<u8>> {
        self.bytes
            .split_inclusive(|b| *b == b'\n')
            .map(<[u8]>::to_vec)
            .collect()
    }
}

/// Five lines, as short as they come: an opening and four undos.
fn short() -> Recorded {
    let bench = Bench::new();
    let mut writer = bench.writer("a");
    for n in 1..5 {
        let nothing = countersign::model::id::EntryId([n; 16]);
        bench.append(&mut writer, undo(nothing));
    }
    of(&bench, writer.shard())
}

#[test]
fn every_flipped_bit_is_tampering_and_its_line_is_named() {
    let recorded = short();
    assert_eq!(recorded.check(&recorded.bytes).status(), Status::Ok);
    let line_of = |at: usize| {
        let before = &recorded.bytes[..at];
        before.iter().filter(|b| **b == b'\n').count() as u64 + 1
    };
    for at in 0..recorded.bytes.len() {
        for bit in 0..8 {
            let mut bytes = recorded.bytes.clone();
            bytes[at] ^= 1 << bit;
            let read = recorded.check(&bytes);
            assert_eq!(read.status(), Status::Tampered, "byte {at} bit {bit}");
            let line = line_of(at);
            let named = read
                .findings
                .iter()
                .any(|f| f.line == line || f.line == line + 1);
            assert!(named, "byte {at} bit {bit}: {:?}", read.findings);
            let believed = read.entries.iter().filter(|c| c.grade == Grade::Anchored);
            assert!(believed.count() < 5, "byte {at} bit {bit}");
        }
    }
    say!(
        "flips: {} of 5 entries, all found",
        recorded.bytes.len() * 8
    );
}

#[test]
fn every_cut_tail_is_found_by_its_anchors_and_counted() {
    let recorded = short();
    let lines = recorded.lines();
    for kept in 0..lines.len() {
        let read = recorded.check(&lines[..kept].concat());
        assert_eq!(read.status(), Status::Tampered, "{kept} of 5 kept");
        let missing = format!("{} ", lines.len() - kept);
        let said = read.findings.iter().any(|f| f.message.contains(&missing));
        assert!(said, "{kept} of 5 kept: {:?}", read.findings);
    }
    say!("tail cuts: {}, all found", lines.len());
}

#[test]
fn swapped_dropped_and_doubled_lines_are_tampering() {
    let recorded = recorded();
    let lines = recorded.lines();
    for at in 0..lines.len() {
        let mut dropped = lines.clone();
        dropped.remove(at);
        assert_eq!(
            recorded.check(&dropped.concat()).status(),
            Status::Tampered,
            "drop {at}"
        );
        let mut doubled = lines.clone();
        doubled.insert(at, lines[at].clone());
        let read = recorded.check(&doubled.concat());
        assert_eq!(read.status(), Status::Tampered, "double {at}");
        assert!(
            read.findings.iter().any(|f| f.code == Code::SeqRepeat),
            "double {at}"
        );
        if at > 0 {
            let mut swapped = lines.clone();
            swapped.swap(at - 1, at);
            let read = recorded.check(&swapped.concat());
            assert_eq!(read.status(), Status::Tampered, "swap {at}");
        }
    }
}

/// A number alone is no anchor: the last line rewritten in the same length (LED-9).
#[test]
fn an_anchor_holds_number_and_digest() {
    let recorded = recorded();
    let text = String::from_utf8(recorded.bytes.clone()).unwrap();
    let at = text.rfind("\"ratify\"").unwrap();
    let other = format!("{}\"rAtify\"{}", &text[..at], &text[at + 8..]);
    let read = recorded.check(other.as_bytes());
    assert!(
        read.findings
            .iter()
            .any(|f| f.code == Code::Rewritten && f.line == 5)
    );
}

/// L9, LED-24: a shard copied to another change, repository or name does not verify there.
#[test]
fn a_shard_copied_elsewhere_is_not_believed() {
    let recorded = recorded();
    let elsewhere = [
        Place {
            repository: Digest::of(b"other"),
            change: CHANGE,
        },
        Place {
            repository: repository(),
            change: "another change",
        },
    ];
    for place in elsewhere {
        let shard = Shard::new(&recorded.name, &*recorded.bytes);
        let history = replay(&place, &[shard], &|_| None);
        assert_eq!(history.status, Status::Tampered, "{place:?}");
        assert_eq!(history.findings[0].code, Code::WrongPlace);
        assert_eq!(history.decisions.len(), 0, "{place:?}");
    }
    let renamed = Shard::new("fix-other.abcdef", &*recorded.bytes);
    let history = replay(&here(), &[renamed], &|_| None);
    assert_eq!(history.findings[0].code, Code::WrongPlace);
    assert_eq!(history.decisions.len(), 0);
}

/// LED-10: a well-formed chain that nothing vouches for is a claim: it can send back, and never
/// ratify or undo.
#[test]
fn an_unanchored_shard_can_only_make_things_stricter() {
    let recorded = recorded();
    let shard = Shard::new(&recorded.name, &*recorded.bytes);
    let history = replay(&here(), &[shard], &|_| None);
    assert_eq!(history.status, Status::Degraded);
    assert_eq!(history.decisions.len(), 1);
    assert_eq!(history.decisions[0].value.act().word(), "kicked back");
    assert_eq!(history.decisions[0].value.assurance().label(), "L0");
    assert!(matches!(history.health, LedgerHealth::Degraded(1)));
}

/// L5: one row for each way a shard can be damaged.
#[test]
fn every_kind_of_damage_is_a_finding_with_its_line_and_leaves_the_rest_usable() {
    type Damage = fn(Vec<Vec<u8>>) -> Vec<u8>;
    type Row = (&'static str, Damage, Status, Code, u64, usize);
    fn with(mut lines: Vec<Vec<u8>>, at: usize, line: &[u8]) -> Vec<u8> {
        lines.insert(at, line.to_vec());
        lines.concat()
    }
    fn edit(mut lines: Vec<Vec<u8>>, at: usize, from: &str, to: &str) -> Vec<u8> {
        let text = String::from_utf8(lines[at].clone()).unwrap();
        assert!(text.contains(from), "{text}");
        lines[at] = text.replacen(from, to, 1).into_bytes();
        lines.concat()
    }
    let rows: [Row; 26] = [
        (
            "torn",
            |l| [l.concat(), b"{\"v\":1,\"s".to_vec()].concat(),
            Status::Degraded,
            Code::TornTail,
            6,
            5,
        ),
        (
            "NUL tail",
            |l| [l.concat(), vec![0; 512]].concat(),
            Status::Degraded,
            Code::NulRun,
            6,
            5,
        ),
        (
            "NUL run between",
            |l| with(l, 2, &[&[0; 64][..], b"\n"].concat()),
            Status::Degraded,
            Code::NulRun,
            3,
            5,
        ),
        (
            "NUL run before an entry",
            |mut l| {
                l[2] = [&[0; 9][..], &l[2]].concat();
                l.concat()
            },
            Status::Degraded,
            Code::NulRun,
            3,
            5,
        ),
        (
            "empty",
            |_| Vec::new(),
            Status::Tampered,
            Code::CutTail,
            1,
            0,
        ),
        (
            "BOM",
            |l| [b"\xef\xbb\xbf".to_vec(), l.concat()].concat(),
            Status::Degraded,
            Code::Bom,
            1,
            5,
        ),
        (
            "CRLF",
            |l| {
                l.into_iter()
                    .flat_map(|x| [&x[..x.len() - 1], b"\r\n"].concat())
                    .collect()
            },
            Status::Degraded,
            Code::Crlf,
            1,
            5,
        ),
        (
            "blank line",
            |l| with(l, 2, b"\n"),
            Status::Degraded,
            Code::BlankLine,
            3,
            5,
        ),
        (
            "conflict markers",
            |l| with(l, 2, b"<<<<<<< HEAD\n"),
            Status::Degraded,
            Code::ConflictMarker,
            3,
            5,
        ),
        (
            "huge line",
            |l| with(l, 2, &[&[b'x'; 70_000][..], b"\n"].concat()),
            Status::Degraded,
            Code::OverLong,
            3,
            5,
        ),
        (
            "no UTF-8",
            |l| with(l, 2, b"\xff\xfe\n"),
            Status::Degraded,
            Code::NotUtf8,
            3,
            5,
        ),
        (
            "no JSON",
            |l| with(l, 2, b"hello\n"),
            Status::Degraded,
            Code::NotJson,
            3,
            5,
        ),
        (
            "no object",
            |l| with(l, 2, b"[1]\n"),
            Status::Degraded,
            Code::NotJson,
            3,
            5,
        ),
        (
            "fused",
            |mut l| {
                l[2].pop();
                l.concat()
            },
            Status::Degraded,
            Code::Fused,
            3,
            5,
        ),
        (
            "gap",
            |mut l| {
                l.remove(2);
                l.concat()
            },
            Status::Tampered,
            Code::SeqGap,
            3,
            4,
        ),
        (
            "repeat",
            |l| {
                let twice = l[2].clone();
                with(l, 3, &twice)
            },
            Status::Tampered,
            Code::SeqRepeat,
            4,
            6,
        ),
        (
            "edited",
            |l| edit(l, 2, "Ada", "Eve"),
            Status::Tampered,
            Code::Rewritten,
            3,
            5,
        ),
        (
            "another tip",
            |l| edit(l, 2, "\"head\":\"04", "\"head\":\"05"),
            Status::Tampered,
            Code::Rewritten,
            3,
            5,
        ),
        (
            "duplicate key",
            |l| edit(l, 2, "\"v\":1,", "\"v\":1,\"v\":1,"),
            Status::Tampered,
            Code::DuplicateKey,
            3,
            4,
        ),
        (
            "duplicate inner key",
            |l| edit(l, 2, "\"cause\":", "\"cause\":\"question\",\"cause\":"),
            Status::Tampered,
            Code::DuplicateKey,
            3,
            4,
        ),
        (
            "spoofed act",
            |l| edit(l, 1, "\"ratify\"", "\"ratify \""),
            Status::Tampered,
            Code::BadValue,
            2,
            4,
        ),
        (
            "spoofed level",
            |l| edit(l, 1, "\"L1\"", "\"L9\""),
            Status::Tampered,
            Code::BadValue,
            2,
            4,
        ),
        (
            "unknown field",
            |l| edit(l, 1, "\"by\":", "\"at\":\"2026\",\"by\":"),
            Status::Tampered,
            Code::UnknownField,
            2,
            5,
        ),
        (
            "unknown kind",
            |l| edit(l, 1, "\"decision\"", "\"wish\""),
            Status::Tampered,
            Code::UnknownKind,
            2,
            5,
        ),
        (
            "newer version",
            |l| edit(l, 1, "\"v\":1", "\"v\":2"),
            Status::Tampered,
            Code::NewerVersion,
            2,
            5,
        ),
        (
            "missing field",
            |l| edit(l, 3, ",\"by\":\"Ada Osei\"", ""),
            Status::Tampered,
            Code::MissingField,
            4,
            4,
        ),
    ];
    let recorded = recorded();
    for (name, damage, status, code, line, left) in rows {
        let read = recorded.check(&damage(recorded.lines()));
        assert_eq!(read.status(), status, "{name}: {:?}", read.findings);
        let found = read.findings.iter().find(|f| f.code == code);
        assert_eq!(
            found.map(|f| f.line),
            Some(line),
            "{name}: {:?}",
            read.findings
        );
        assert_eq!(read.entries.len(), left, "{name}: {:?}", read.findings);
        for found in &read.findings {
            assert!(
                !found.message.contains(['\u{1b}', '\n', '\0']),
                "{name}: {found:?}"
            );
        }
    }
}

/// LED-22: what a newer version wrote stays, is shown, and changes nothing here.
#[test]
fn an_entry_of_a_newer_version_is_kept_verbatim() {
    let recorded = recorded();
    let last = recorded.anchors.last().unwrap();
    let line = format!(
        r#"{{"v":9,"seq":6,"id":"{}","prev":"{}","kind":"pardon","body":{{"why":[1.5,{{}}]}}}}"#,
        "ab".repeat(16),
        last.line
    );
    let bytes = [
        recorded.bytes.clone(),
        line.clone().into_bytes(),
        b"\n".to_vec(),
    ]
    .concat();
    let mut shard = recorded.shard(&bytes);
    shard.anchors.insert(Head {
        shard: recorded.name.clone(),
        seq: 6,
        line: Digest::of(line.as_bytes()),
    });
    let history = replay(&here(), &[shard], &|_| None);
    assert_eq!(history.status, Status::Degraded, "{:?}", history.findings);
    let row = history.log.last().unwrap();
    assert_eq!(row.grade, Grade::Anchored);
    assert_eq!(row.fate.word(), "no effect");
    assert_eq!(countersign::ledger::codec::write(&row.entry).line, line);
    assert_eq!(history.decisions.len(), 2);
}

/// Two texts of one id: the second is not believed, whoever vouches for its chain.
#[test]
fn an_id_that_stands_twice_counts_once() {
    let bench = Bench::new();
    let (mut one, mut two) = (bench.writer("a"), bench.writer("b"));
    let id = countersign::adapters::ledger_store::new_id().unwrap();
    let body = || countersign::ledger::entry::Body::Decision(ratify("1"));
    one.append(id, body(), || Ok(())).unwrap();
    two.append(id, body(), || Ok(())).unwrap();
    let history = bench.load();
    assert_eq!(history.decisions.len(), 1);
    assert!(history.findings.iter().any(|f| f.code == Code::IdReused));
}
