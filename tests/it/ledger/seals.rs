//! L9: what a signature is worth, and every way in which it is worth nothing. Keys are made by
//! `ssh-keygen` for the test and thrown away.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use countersign::adapters::ledger_store::Writer;
use countersign::adapters::signer::{self, List, Signers};
use countersign::gate::decide::replayed::{self, RulingFields};
use countersign::ledger::codec::{decision_worth, ruling_worth};
use countersign::ledger::entry::{Body, Seal};
use countersign::ledger::replay::{Fate, History, replay_with};
use countersign::ledger::seal::message;
use countersign::ledger::verify::{Code, Grade, Place, Shard, Status};
use countersign::model::id::{Digest, EntryId};
use countersign::model::ruling::{Assurance, Verdict};

use super::fixture::{
    Bench, CHANGE, decision, folders, kick_back, opened, ratify, repository, ruling, snapshot,
};

const ADA: &str = "Ada Osei";

/// A throw-away key with its two halves.
struct Keys {
    folder: tempfile::TempDir,
}

impl Keys {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn key(&self, name: &str, more: &[&str]) -> PathBuf {
        let path = self.folder.path().join(name);
        let made = Command::new("ssh-keygen")
            .args(["-q", "-N", "", "-C", "throw-away", "-f"])
            .arg(&path)
            .args(if more.is_empty() {
                &["-t", "ed25519"][..]
            } else {
                more
            })
            .output()
            .unwrap();
        assert!(made.status.success(), "{made:?}");
        path
    }

    fn public(path: &Path) -> String {
        let line = std::fs::read_to_string(path.with_extension("pub")).unwrap();
        let words: Vec<&str> = line.split_whitespace().take(2).collect();
        words.join(" ")
    }
}

fn place() -> Place<'static> {
    Place {
        repository: repository(),
        change: CHANGE,
    }
}

fn signed(bench: &Bench, key: &Path, mut seal: Seal, place: &Place<'_>) -> Seal {
    let key = signer::find_among(key.to_str(), None, &[], None)
        .unwrap()
        .unwrap();
    let bytes = message(place, &seal);
    let begun = signer::begin(&folders(bench.home.path()), &key, &bytes).unwrap();
    seal.signature = begun.sign_quietly().unwrap();
    seal
}

/// A decision and a ruling, and the seal of the ruling before anybody signed it.
fn ruled(bench: &Bench) -> (Writer, Seal) {
    let mut writer = bench.writer(ADA);
    let (yes, _) = bench.decide(&mut writer, ratify("1"));
    bench.append(&mut writer, ruling(&[yes]));
    let head = writer.head().unwrap().clone();
    let seal = Seal {
        shard: head.shard,
        seq: head.seq,
        line: head.line,
        by: ADA.into(),
        signature: String::new(),
    };
    (writer, seal)
}

/// Decides, rules and seals; the shard's name.
fn sat(bench: &Bench, key: &Path, change: impl FnOnce(&mut Seal)) -> String {
    let (mut writer, mut seal) = ruled(bench);
    seal = signed(bench, key, seal, &place());
    change(&mut seal);
    bench.append(&mut writer, Body::Seal(seal));
    writer.shard().to_owned()
}

fn read(bench: &Bench, list: Option<&str>) -> History {
    let list = list.map(|text| List::new(text, "a list"));
    let signers = Arc::new(Signers::new(&folders(bench.home.path()), list));
    bench.store().with_signers(signers).load(CHANGE)
}

/// The same lines where nobody knows their anchors: as they come from another clone.
fn received(bench: &Bench, shards: &[Shard], list: &str, place: &Place<'_>) -> History {
    let list = Some(List::new(list, "a list"));
    let signers = Signers::new(&folders(bench.home.path()), list);
    let vouch = |place: &Place<'_>, seal: &Seal| signers.vouch(place, seal);
    replay_with(place, shards, &|_| None, &vouch)
}

fn worth(history: &History) -> (Assurance, Assurance) {
    let decision = history.decisions.first().map(|d| d.value.assurance());
    let ruling = history.rulings.first().map(|r| r.value.assurance());
    let none = Assurance::Claimed;
    (decision.unwrap_or(none), ruling.unwrap_or(none))
}

fn codes(history: &History) -> Vec<Code> {
    history.findings.iter().map(|found| found.code).collect()
}

#[test]
#[cfg_attr(no_ssh_keygen, ignore = "ssh-keygen is missing")]
fn a_seal_lifts_every_entry_of_its_name_before_it_and_none_after() {
    let (bench, keys) = (Bench::new(), Keys::new());
    let key = keys.key("ada", &[]);
    let list = format!("\"{ADA}\" {}\n", Keys::public(&key));
    let mut writer = bench.writer(ADA);
    let (one, _) = bench.decide(&mut writer, ratify("1"));
    let head = writer.head().unwrap().clone();
    let seal = Seal {
        shard: head.shard,
        seq: head.seq,
        line: head.line,
        by: ADA.into(),
        signature: String::new(),
    };
    let seal = signed(&bench, &key, seal, &place());
    bench.append(&mut writer, Body::Seal(seal));
    let (two, _) = bench.decide(&mut writer, ratify("2"));
    let history = read(&bench, Some(&list));
    assert_eq!(history.status, Status::Ok, "{:?}", history.findings);
    let level = |id: EntryId| {
        let found = history.decisions.iter().find(|d| d.entry == id).unwrap();
        found.value.assurance()
    };
    assert_eq!(
        (level(one), level(two)),
        (Assurance::Signed, Assurance::Present)
    );
    // Without a list the seal is only not checked: nothing is lost, and nothing gained.
    let history = read(&bench, None);
    assert_eq!(codes(&history), [Code::SealUnchecked]);
    assert_eq!(history.status, Status::Ok);
    assert_eq!(worth(&history).0, Assurance::Present);
}

#[test]
#[cfg_attr(no_ssh_keygen, ignore = "ssh-keygen is missing")]
fn a_key_counts_for_the_names_times_and_purposes_of_its_line_alone() {
    let (bench, keys) = (Bench::new(), Keys::new());
    let (key, other) = (keys.key("ada", &[]), keys.key("other", &[]));
    sat(&bench, &key, |_| {});
    let (ours, theirs) = (Keys::public(&key), Keys::public(&other));
    let space = "countersign-decision@countersign";
    let rows = [
        (format!("\"{ADA}\" {ours}"), None),
        (format!("\"ada@example.org,{ADA}\" {ours}"), None),
        (format!("\"{ADA}\" namespaces=\"git,{space}\" {ours}"), None),
        (format!("\"{ADA}\" valid-after=\"20200101\" {ours}"), None),
        (
            format!("# nobody\n\"{ADA}\" {theirs}\n\"{ADA}\" {ours}"),
            None,
        ),
        (format!("\"{ADA}\" {theirs}"), Some("no line")),
        (format!("\"Bo\" {ours}"), Some("no line")),
        (format!("# \"{ADA}\" {ours}"), Some("no line")),
        (
            format!("\"{ADA}\" namespaces=\"git\" {ours}"),
            Some("namespace"),
        ),
        (
            format!("\"{ADA}\" valid-before=\"20200101\" {ours}"),
            Some("expired"),
        ),
        (
            format!("\"{ADA}\" valid-after=\"20990101\" {ours}"),
            Some("not yet valid"),
        ),
        (String::new(), Some("no line")),
        ("not a list \u{1b}[31m".to_owned(), Some("")),
    ];
    for (list, refused) in rows {
        let history = read(&bench, Some(&list));
        let wanted = match refused {
            None => Assurance::Signed,
            Some(_) => Assurance::Present,
        };
        assert_eq!(worth(&history), (wanted, wanted), "{list}");
        match refused {
            None => assert_eq!(history.findings, [], "{list}"),
            Some(why) => {
                assert_eq!(codes(&history), [Code::SealNotListed], "{list}");
                let message = &history.findings[0].message;
                assert!(message.contains(why), "{list}: {message}");
                assert!(
                    !message.contains('/') && !message.contains('\u{1b}'),
                    "{message}"
                );
                assert_eq!(history.status, Status::Degraded);
            }
        }
    }
}

#[test]
#[cfg_attr(no_ssh_keygen, ignore = "ssh-keygen is missing")]
fn a_good_seal_is_asked_for_once_and_remembered_by_later_processes() {
    let (bench, keys) = (Bench::new(), Keys::new());
    let key = keys.key("ada", &[]);
    sat(&bench, &key, |_| {});
    let list = format!("\"{ADA}\" {}", Keys::public(&key));
    let folder = folders(bench.home.path()).state.join("signing/known");
    let files = || {
        let all = std::fs::read_dir(&folder).into_iter().flatten();
        let mut all: Vec<PathBuf> = all.map(|one| one.unwrap().path()).collect();
        all.sort();
        all
    };
    // What the time of the check decides is asked again every time.
    let timed = format!("\"{ADA}\" valid-after=\"20200101\" {}", Keys::public(&key));
    assert_eq!(worth(&read(&bench, Some(&timed))).0, Assurance::Signed);
    assert!(files().is_empty());

    assert_eq!(worth(&read(&bench, Some(&list))).0, Assurance::Signed);
    let [one] = &files()[..] else {
        panic!("{:?}", files());
    };
    // The next reading takes the answer from there, and asks nobody.
    let text = std::fs::read_to_string(one).unwrap();
    std::fs::write(one, text.replace("L2 ", "L3 ")).unwrap();
    assert_eq!(worth(&read(&bench, Some(&list))).0, Assurance::Touched);
    // Another list is another question.
    let other = format!("{list}\n# more");
    assert_eq!(worth(&read(&bench, Some(&other))).0, Assurance::Signed);
    // A key that is on the list no more is good for nothing, whatever is remembered.
    assert_eq!(worth(&read(&bench, Some("# empty"))).0, Assurance::Present);
}

#[test]
#[cfg_attr(no_ssh_keygen, ignore = "ssh-keygen is missing")]
fn what_was_tampered_with_or_signed_for_another_purpose_is_no_seal() {
    let keys = Keys::new();
    let key = keys.key("ada", &[]);
    let list = format!(
        "\"{ADA}\" {}\n\"Bo\" {}\n",
        Keys::public(&key),
        Keys::public(&key)
    );
    let other_purpose = |seal: &mut Seal| {
        let file = keys.folder.path().join("bytes");
        std::fs::write(&file, message(&place(), seal)).unwrap();
        let made = Command::new("ssh-keygen")
            .args(["-q", "-Y", "sign", "-n", "git", "-f"])
            .args([&key, &file])
            .status()
            .unwrap();
        assert!(made.success());
        seal.signature = std::fs::read_to_string(file.with_extension("sig")).unwrap();
    };
    type Change<'a> = &'a dyn Fn(&mut Seal);
    let rows: [(&str, Change<'_>, Code); 6] = [
        ("another namespace", &other_purpose, Code::SealBroken),
        (
            "no signature",
            &|s| s.signature = "none".into(),
            Code::SealBroken,
        ),
        ("another name", &|s| s.by = "Bo".into(), Code::SealBroken),
        (
            "a reserved name",
            &|s| s.by = "agent".into(),
            Code::SealNotListed,
        ),
        ("another line", &|s| s.seq -= 1, Code::SealElsewhere),
        (
            "no such line",
            &|s| s.line = Digest::of(b"x"),
            Code::SealElsewhere,
        ),
    ];
    for (what, change, code) in rows {
        let bench = Bench::new();
        sat(&bench, &key, change);
        let history = read(&bench, Some(&list));
        assert_eq!(codes(&history), [code], "{what}: {:?}", history.findings);
        let present = Assurance::Present;
        assert_eq!(worth(&history), (present, present), "{what}");
    }
}

#[test]
#[cfg_attr(no_ssh_keygen, ignore = "ssh-keygen is missing")]
fn a_sealed_shard_of_another_clone_is_believed_and_an_unsealed_one_is_a_claim() {
    let (bench, keys) = (Bench::new(), Keys::new());
    let key = keys.key("ada", &[]);
    let list = format!("\"{ADA}\" {}\n", Keys::public(&key));
    let name = sat(&bench, &key, |_| {});
    let bytes = bench.bytes(&name);
    let whole = [Shard::new(&name, bytes.clone())];
    let history = received(&bench, &whole, &list, &place());
    let signed = Assurance::Signed;
    assert_eq!(worth(&history), (signed, signed));
    let graded = |grade| history.log.iter().filter(|row| row.grade == grade).count();
    // The seal itself is covered by none.
    assert_eq!((graded(Grade::Sealed), graded(Grade::Chained)), (3, 1));
    let stranger = received(&bench, &whole, "", &place());
    assert_eq!(worth(&stranger).1, Assurance::Claimed);
    assert!(stranger.decisions.is_empty());
}

#[test]
#[cfg_attr(no_ssh_keygen, ignore = "ssh-keygen is missing")]
fn a_sealed_line_that_is_moved_verifies_nowhere_else() {
    let (bench, keys) = (Bench::new(), Keys::new());
    let key = keys.key("ada", &[]);
    let list = format!("\"{ADA}\" {}\n", Keys::public(&key));
    let name = sat(&bench, &key, |_| {});
    let bytes = bench.bytes(&name);
    let text = String::from_utf8(bytes.clone()).unwrap();
    let lines: Vec<&str> = text.lines().collect();

    // Another change, another repository, another name of the shard.
    let elsewhere = Place {
        change: "fix/other",
        ..place()
    };
    let far = Place {
        repository: Digest::of(b"elsewhere"),
        ..place()
    };
    for place in [&elsewhere, &far] {
        let history = received(&bench, &[Shard::new(&name, bytes.clone())], &list, place);
        assert_eq!(history.status, Status::Tampered);
        assert!(history.decisions.is_empty());
        assert!(history.log.iter().all(|row| row.grade == Grade::Broken));
    }
    let history = received(
        &bench,
        &[Shard::new("other.abcdef", bytes)],
        &list,
        &place(),
    );
    assert!(history.log.iter().all(|row| row.grade == Grade::Broken));

    // The decision said of another head, the seal left as it is: the chain does not hold.
    let head = snapshot().head.to_string();
    let forged = text.replacen(&head, &"9".repeat(40), 2);
    let history = received(&bench, &[Shard::new(&name, forged)], &list, &place());
    assert!(history.log.iter().all(|row| row.grade < Grade::Sealed));

    // One more line after the seal is not covered, a line taken out breaks it.
    let short = format!("{}\n{}\n", lines[0], lines[3]);
    let history = received(&bench, &[Shard::new(&name, short)], &list, &place());
    assert!(history.log.iter().all(|row| row.grade < Grade::Sealed));

    // The seal carried into another shard with a chain of its own covers nothing there.
    let other = Bench::new();
    let mut writer = other.writer(ADA);
    other.decide(&mut writer, ratify("1"));
    let row = read(&bench, Some(&list));
    let seal = row.log.iter().find_map(|row| match &row.entry.body {
        Body::Seal(seal) => Some(seal.clone()),
        _ => None,
    });
    other.append(&mut writer, Body::Seal(seal.unwrap()));
    let history = read(&other, Some(&list));
    assert_eq!(codes(&history), [Code::SealElsewhere]);
    assert_eq!(worth(&history).0, Assurance::Present);
}

#[test]
#[cfg_attr(no_ssh_keygen, ignore = "ssh-keygen is missing")]
fn one_name_cannot_seal_for_another() {
    let (bench, keys) = (Bench::new(), Keys::new());
    let key = keys.key("bo", &[]);
    let list = format!("\"Bo\" {}\n", Keys::public(&key));
    // Bo writes a shard in which everything is Ada's, and seals it with his own good key.
    let mut writer = bench.store().writer(&bench.load(), opened(ADA)).unwrap();
    let (yes, _) = bench.decide(&mut writer, ratify("1"));
    bench.append(&mut writer, ruling(&[yes]));
    let head = writer.head().unwrap().clone();
    let seal = Seal {
        shard: head.shard,
        seq: head.seq,
        line: head.line,
        by: "Bo".into(),
        signature: String::new(),
    };
    let seal = signed(&bench, &key, seal, &place());
    bench.append(&mut writer, Body::Seal(seal));
    let shard = Shard::new(writer.shard(), bench.bytes(writer.shard()));
    let history = received(&bench, &[shard], &list, &place());
    assert!(history.decisions.is_empty(), "{:?}", history.decisions);
    assert_eq!(worth(&history).1, Assurance::Claimed);
    let row = history.row(yes).unwrap();
    assert_eq!((row.grade, row.fate), (Grade::Chained, Fate::NotBelieved));
    // What only takes away counts as the claim it is.
    let no = decision("2", kick_back("2", "no").act().clone());
    assert_eq!(no.assurance(), Assurance::Present);
}

#[test]
#[cfg_attr(no_ssh_keygen, ignore = "ssh-keygen is missing")]
fn a_line_cannot_lift_itself() {
    let bench = Bench::new();
    let mut writer = bench.writer(ADA);
    let (yes, _) = bench.decide(
        &mut writer,
        decision_worth(&ratify("1"), Assurance::Touched),
    );
    let Body::Ruling(said) = ruling(&[yes]) else {
        panic!("a ruling")
    };
    bench.append(
        &mut writer,
        Body::Ruling(ruling_worth(&said, Assurance::Signed)),
    );
    let present = Assurance::Present;
    assert_eq!(worth(&read(&bench, Some(""))), (present, present));
    // And a claim stays one, anchored or not.
    let claim = replayed::ruling(RulingFields {
        verdict: Verdict::Reroll,
        snapshot: snapshot(),
        by: ADA.into(),
        assurance: Assurance::Claimed,
        round: 2,
        root_cause: None,
        attack: String::new(),
        trace: Vec::new(),
        decisions: Vec::new(),
        edits: Vec::new(),
        partial: false,
        floor_bounce: false,
    });
    bench.append(&mut writer, Body::Ruling(claim));
    let history = read(&bench, Some(""));
    assert_eq!(history.rulings[1].value.assurance(), Assurance::Claimed);
}

#[test]
#[cfg_attr(no_ssh_keygen, ignore = "ssh-keygen is missing")]
fn a_key_that_cannot_sign_says_why_and_asks_nobody() {
    let (bench, keys) = (Bench::new(), Keys::new());
    let locked = keys.key("locked", &["-t", "ed25519"]);
    let changed = Command::new("ssh-keygen")
        .args(["-q", "-p", "-P", "", "-N", "a passphrase", "-f"])
        .arg(&locked)
        .status()
        .unwrap();
    assert!(changed.success());
    let key = signer::find_among(locked.to_str(), None, &[], None);
    let key = key.unwrap().unwrap();
    assert!(!key.is_quiet());
    let begun = signer::begin(&folders(bench.home.path()), &key, b"bytes").unwrap();
    assert!(begun.needs_terminal());
    let why = begun.sign_quietly().unwrap_err().to_string();
    assert!(why.contains("passphrase"), "{why}");
    assert!(begun.signature().is_err());
}

/// L3 with a library of OpenSSH's own tests in the place of the hardware.
#[test]
#[cfg_attr(no_ssh_keygen, ignore = "ssh-keygen is missing")]
#[cfg_attr(no_hardware_key, ignore = "openssh-tests is missing")]
fn a_key_in_hardware_is_worth_more_only_when_it_was_touched() {
    const PROVIDER: &str = "/usr/lib/openssh/regress/misc/sk-dummy/sk-dummy.so";
    let keys = Keys::new();
    let hardware = ["-t", "ed25519-sk", "-w", PROVIDER];
    let touched = keys.key("touched", &hardware);
    let idle = [&hardware[..], &["-O", "no-touch-required"]].concat();
    let idle = keys.key("idle", &idle);
    for (key, wanted) in [(touched, Assurance::Touched), (idle, Assurance::Signed)] {
        let bench = Bench::new();
        let list = format!("\"{ADA}\" {}\n", Keys::public(&key));
        sat_by_hardware(&bench, &key, PROVIDER);
        let history = read(&bench, Some(&list));
        assert_eq!(worth(&history), (wanted, wanted), "{:?}", history.findings);
    }
}

fn sat_by_hardware(bench: &Bench, path: &Path, provider: &str) {
    let key = signer::find_among(path.to_str(), None, &[], None);
    let key = key.unwrap().unwrap();
    assert_eq!(key.reach(), Assurance::Touched);
    let (mut writer, mut seal) = ruled(bench);
    let bytes = message(&place(), &seal);
    let begun = signer::begin(&folders(bench.home.path()), &key, &bytes).unwrap();
    // A touch is asked for on the terminal; the library needs none.
    assert!(begun.needs_terminal());
    let mut command = begun.on_terminal().unwrap();
    command.env("SSH_SK_PROVIDER", provider);
    let made = command.output().unwrap();
    assert!(made.status.success(), "{made:?}");
    seal.signature = begun.signature().unwrap();
    bench.append(&mut writer, Body::Seal(seal));
}
