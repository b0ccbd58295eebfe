//! `ledger sync` against a real bare repository on disk: what goes there, what comes back, and
//! what a remote that lies, refuses or goes away can do to a ledger, which is nothing.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use countersign::adapters::ledger_store::{Writer, new_id};
use countersign::adapters::sync::{Address, Fault, NotSynced, Outcome, Stage, sync};
use countersign::gate::decide::Act;
use countersign::ledger::entry::Body;
use countersign::ledger::replay::{Fate, History};
use countersign::ledger::verify::{Code, Grade, Status};
use countersign::model::id::Digest;
use git2::{ObjectType, Oid, Repository};

use super::fixture::{Bench, child, kick_back, part, ratify, repository, store_at, undo};

/// A bare repository that people share.
pub(crate) struct Shared(tempfile::TempDir);

impl Shared {
    pub(crate) fn new() -> Self {
        let home = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        let shared = Self(home.expect("a folder"));
        Repository::init_bare(shared.path()).expect("a bare repository");
        shared
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.0.path().join("shared.git")
    }

    pub(crate) fn open(&self) -> Repository {
        Repository::open_bare(self.path()).expect("it opens")
    }

    pub(crate) fn address(&self) -> Address {
        let path = self.path();
        Address::parse(path.to_str().expect("text").as_bytes(), Path::new("/")).expect("a folder")
    }

    fn refs(&self) -> Vec<String> {
        let repository = self.open();
        let found = repository.references().expect("refs");
        found
            .map(|one| one.expect("a ref").name().expect("text").to_owned())
            .collect()
    }

    fn objects(&self) -> BTreeSet<Oid> {
        let mut all = BTreeSet::new();
        let repository = self.open();
        let odb = repository.odb().expect("objects");
        odb.foreach(|oid| {
            all.insert(*oid);
            true
        })
        .expect("listed");
        all
    }

    fn name(bench: &Bench) -> String {
        format!(
            "refs/countersign/{}",
            bench.store().sync_name().expect("a name")
        )
    }

    /// The tree that the ref of a ledger has, as files.
    fn files(&self, bench: &Bench) -> Vec<(String, Vec<u8>)> {
        let repository = self.open();
        let tip = repository
            .find_reference(&Self::name(bench))
            .expect("its ref");
        let tree = tip.peel_to_tree().expect("a tree");
        let mut files = Vec::new();
        tree.walk(git2::TreeWalkMode::PreOrder, |folder, entry| {
            if entry.kind() == Some(ObjectType::Blob) {
                let blob = repository.find_blob(entry.id()).expect("a blob");
                let name = format!("{folder}{}", entry.name().expect("text"));
                files.push((name, blob.content().to_vec()));
            }
            git2::TreeWalkResult::Ok
        })
        .expect("walked");
        files
    }

    /// Puts other files at the ref of a ledger, as somebody would who may write there.
    fn forge(&self, bench: &Bench, files: &[(String, Vec<u8>)]) {
        let repository = self.open();
        let mut index = git2::Index::new().expect("an index");
        for (name, bytes) in files {
            let entry = git2::IndexEntry {
                ctime: git2::IndexTime::new(0, 0),
                mtime: git2::IndexTime::new(0, 0),
                dev: 0,
                ino: 0,
                mode: 0o100_644,
                uid: 0,
                gid: 0,
                file_size: 0,
                id: repository.blob(bytes).expect("a blob"),
                flags: 0,
                flags_extended: 0,
                path: name.clone().into_bytes(),
            };
            index.add(&entry).expect("added");
        }
        let tree = index.write_tree_to(&repository).expect("a tree");
        let tree = repository.find_tree(tree).expect("the tree");
        let who = git2::Signature::new("e", "e@example.org", &git2::Time::new(0, 0)).expect("who");
        let commit = repository.commit(None, &who, &who, "forged", &tree, &[]);
        let commit = commit.expect("a commit");
        repository
            .reference(&Self::name(bench), commit, true, "")
            .expect("moved");
    }
}

fn share(bench: &Bench, shared: &Shared) -> Outcome {
    let outcome = sync(&bench.store(), &shared.address(), &mut |_| Ok(()));
    outcome.unwrap_or_else(|error| panic!("{error}"))
}

fn fine(bench: &Bench, shared: &Shared) -> Outcome {
    let outcome = share(bench, shared);
    assert_eq!(
        (&outcome.unpublished, &outcome.complaints[..]),
        (&None, &[][..])
    );
    outcome
}

fn lines(history: &History) -> BTreeSet<(String, u64)> {
    let rows = history.log.iter();
    rows.map(|row| (row.entry.shard.clone(), row.entry.seq))
        .collect()
}

#[test]
fn what_one_ledger_recorded_is_read_in_another_and_in_a_fresh_one() {
    let shared = Shared::new();
    let (ada, bo) = (Bench::new(), Bench::new());
    let mut writer = ada.writer("Ada Osei");
    let long = "a reason that does not fit on a line of its own; ".repeat(700);
    ada.decide(&mut writer, ratify("1"));
    let (no, _) = ada.decide(&mut writer, kick_back("2", &long));
    let outcome = fine(&ada, &shared);
    assert_eq!((outcome.sent, outcome.received, outcome.writers), (3, 0, 0));

    let outcome = fine(&bo, &shared);
    assert_eq!((outcome.sent, outcome.received, outcome.writers), (0, 3, 1));
    let mut writer = bo.writer("Bo Lind");
    bo.decide(&mut writer, ratify("3"));
    assert_eq!(fine(&bo, &shared).sent, 2);
    assert_eq!(fine(&ada, &shared).received, 2);

    let fresh = Bench::new();
    assert_eq!(fine(&fresh, &shared).received, 5);
    for (bench, own) in [(&ada, 3), (&bo, 2), (&fresh, 0)] {
        let history = bench.load();
        assert_eq!(history.status, Status::Ok, "{:?}", history.findings);
        assert_eq!(history.log.len(), 5);
        let anchored = history.log.iter().filter(|r| r.grade == Grade::Anchored);
        assert_eq!(anchored.count(), own, "only one's own is believed");
        let claimed = history.log.iter().filter(|r| r.grade == Grade::Chained);
        assert_eq!(claimed.count(), 5 - own);
    }
    // The claim takes away with its whole text; the claim that would allow does not count.
    let history = fresh.load();
    assert_eq!(history.decisions.len(), 1);
    assert_eq!(history.decisions[0].entry, no);
    let Act::KickBack { text, .. } = history.decisions[0].value.act() else {
        panic!("{:?}", history.decisions);
    };
    assert!(*text == long, "the text came whole");
    assert_eq!(
        shared.refs().len(),
        2,
        "one ref for each that has something"
    );
}

/// LED-17 over two clones.
#[test]
fn two_clones_that_decide_at_once_show_one_conflict_until_somebody_read_both() {
    for resolved_by_ada in [true, false] {
        let shared = Shared::new();
        let (ada, bo) = (Bench::new(), Bench::new());
        let (mut of_ada, mut of_bo) = (ada.writer("Ada"), bo.writer("Bo"));
        let (yes, _) = ada.decide(&mut of_ada, ratify("1"));
        let (no, _) = bo.decide(&mut of_bo, kick_back("1", "no"));
        for bench in [&ada, &bo, &ada] {
            fine(bench, &shared);
        }
        for bench in [&ada, &bo] {
            let history = bench.load();
            assert_eq!(history.status, Status::Ok, "{:?}", history.findings);
            assert_eq!(history.conflicts.len(), 1, "the same on both sides");
            assert_eq!(history.conflicts[0].counts, no, "the stricter counts");
            let between: BTreeSet<_> = history.conflicts[0].between.iter().map(|b| b.0).collect();
            assert_eq!(between, BTreeSet::from([yes, no]));
            assert_eq!(history.decisions[0].entry, no);
            assert_eq!(history.decisions.len(), 1);
        }
        let (one, other) = if resolved_by_ada {
            (&ada, &bo)
        } else {
            (&bo, &ada)
        };
        let mut writer = one.writer("a third sitting");
        let (settled, _) = one.decide(&mut writer, kick_back("1", "still no"));
        let history = one.load();
        let row = history.row(settled).expect("its row");
        let named: BTreeSet<&str> = history.log.iter().map(|r| r.entry.shard.as_str()).collect();
        assert!(named.len() == 3 && row.fate == Fate::Stands);
        let opening = history
            .log
            .iter()
            .find(|r| r.entry.shard == row.entry.shard);
        let after = &opening.expect("its opening").entry.after;
        assert_eq!(
            after.len(),
            2,
            "it names what it was made against, of both: {after:?}"
        );
        for bench in [one, other] {
            fine(bench, &shared);
            let history = bench.load();
            assert_eq!(history.conflicts, [], "an entry that names both settles it");
            assert_eq!(history.decisions[0].entry, settled);
            assert_eq!(history.status, Status::Ok, "{:?}", history.findings);
        }
    }
}

/// A claim never lifts what somebody signed here, whatever it says that it has read.
#[test]
fn a_claim_that_read_everything_still_makes_nothing_laxer() {
    let shared = Shared::new();
    let (ada, bo) = (Bench::new(), Bench::new());
    let mut of_ada = ada.writer("Ada");
    let (no, _) = ada.decide(&mut of_ada, kick_back("1", "no"));
    for bench in [&ada, &bo] {
        fine(bench, &shared);
    }
    let mut of_bo = bo.writer("Bo");
    let (yes, _) = bo.decide(&mut of_bo, ratify("1"));
    bo.append(&mut of_bo, undo(no));
    assert_eq!(bo.load().decisions[0].entry, yes, "Bo read it and decided");
    for bench in [&bo, &ada] {
        fine(bench, &shared);
    }
    let history = ada.load();
    assert_eq!(history.decisions[0].entry, no);
    assert_eq!(history.row(yes).expect("kept").fate, Fate::NotBelieved);
    assert_eq!(history.conflicts.len(), 1, "and it is said");
    of_ada.has_read(&history);
    let (settled, _) = ada.decide(&mut of_ada, ratify("1"));
    let history = ada.load();
    assert_eq!(
        (history.conflicts.len(), history.decisions[0].entry),
        (0, settled)
    );
}

/// L14: the ref moved between fetch and push.
#[test]
fn a_push_that_was_overtaken_is_joined_and_tried_again() {
    let shared = Shared::new();
    let ada = Bench::new();
    let mut one = ada.writer("Ada");
    ada.decide(&mut one, ratify("1"));
    fine(&ada, &shared);
    // The same ledger on another machine, under the same name: a restored copy.
    let copy = Bench::new();
    let status = std::process::Command::new("cp")
        .arg("-a")
        .arg(ada.home.path().join("state"))
        .arg(copy.home.path())
        .status();
    assert!(status.is_ok_and(|s| s.success()));
    assert_eq!(Shared::name(&ada), Shared::name(&copy));
    let mut two = copy.writer("Ada elsewhere");
    copy.decide(&mut two, ratify("2"));
    ada.decide(&mut one, ratify("3"));
    let mut pushes = 0;
    let outcome = sync(&ada.store(), &shared.address(), &mut |stage| {
        if stage == Stage::Push {
            pushes += 1;
            if pushes == 1 {
                assert_eq!(fine(&copy, &shared).sent, 2);
            }
        }
        Ok(())
    });
    let outcome = outcome.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((pushes, outcome.sent, outcome.unpublished), (2, 1, None));
    assert_eq!(outcome.complaints, []);
    let behind = share(&copy, &shared);
    assert_eq!(behind.complaints.len(), 1, "{:?}", behind.complaints);
    assert_eq!(behind.complaints[0].fault, Fault::OlderHere);
    assert_eq!(
        copy.load().log.len(),
        5,
        "what it lacks came back as claims"
    );
    let fresh = Bench::new();
    assert_eq!(fine(&fresh, &shared).received, 5);
    // Every state that the ref ever had is below it: nothing was forced.
    let repository = shared.open();
    let tip = repository
        .refname_to_id(&Shared::name(&ada))
        .expect("a tip");
    let mut walk = repository.revwalk().expect("a walk");
    walk.push(tip).expect("pushed");
    assert_eq!(walk.count(), 4, "one of each push, and the one that joins");
    let history = ada.load();
    assert_eq!(
        history.log.len(),
        5,
        "what the copy recorded came back as claims"
    );
}

#[test]
fn a_remote_that_refuses_or_is_gone_leaves_everything_here_and_says_how_much() {
    let shared = Shared::new();
    let ada = Bench::new();
    let mut writer = ada.writer("Ada");
    ada.decide(&mut writer, ratify("1"));
    let hook = shared.path().join("hooks/pre-receive");
    std::fs::create_dir_all(hook.parent().expect("a folder")).expect("made");
    std::fs::write(&hook, "#!/bin/sh\necho not today >&2\nexit 1\n").expect("written");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&hook, mode).expect("may run");
    let outcome = share(&ada, &shared);
    let (count, why) = outcome.unpublished.expect("refused");
    assert_eq!((count, outcome.sent), (2, 0));
    assert!(why.contains("not today"), "{why}");
    assert!(why.contains("pre-receive hook declined"), "{why}");

    let aside = shared.path().with_extension("aside");
    std::fs::rename(shared.path(), &aside).expect("moved away");
    ada.decide(&mut writer, ratify("2"));
    let error = sync(&ada.store(), &shared.address(), &mut |_| Ok(())).expect_err("it is gone");
    let NotSynced::Unreachable {
        unpublished, said, ..
    } = error
    else {
        panic!("{error}");
    };
    assert_eq!(unpublished, 3, "{said}");
    assert_eq!((ada.load().log.len(), ada.load().status), (3, Status::Ok));

    std::fs::rename(&aside, shared.path()).expect("moved back");
    std::fs::remove_file(&hook).expect("removed");
    assert_eq!(fine(&ada, &shared).sent, 3);
    assert_eq!(fine(&Bench::new(), &shared).received, 3);
}

/// L14, LED-20: a sync that ends at any stage loses nothing, and the next one finishes it.
#[test]
fn a_sync_that_dies_at_any_stage_is_finished_by_the_next() {
    if let Some((part, home)) = part() {
        let (stage, shared) = part.split_once(' ').expect("two words");
        let stage = Stage::ALL[stage.parse::<usize>().expect("a number")];
        let address = Address::parse(shared.as_bytes(), Path::new("/")).expect("a folder");
        let ended = sync(&store_at(&home), &address, &mut |at| {
            if at == stage {
                std::process::abort();
            }
            Ok(())
        });
        panic!("it did not die at {stage:?}: {ended:?}");
    }
    let name = "ledger::sync::a_sync_that_dies_at_any_stage_is_finished_by_the_next";
    for (at, stage) in Stage::ALL.into_iter().enumerate() {
        let shared = Shared::new();
        let (ada, bo) = (Bench::new(), Bench::new());
        let mut of_bo = bo.writer("Bo");
        bo.decide(&mut of_bo, kick_back("1", "no"));
        fine(&bo, &shared);
        let mut writer = ada.writer("Ada");
        ada.decide(&mut writer, ratify("2"));
        let part = format!("{at} {}", shared.path().display());
        let status = child(name, &part, ada.home.path())
            .status()
            .expect("it ran");
        assert_eq!(
            std::os::unix::process::ExitStatusExt::signal(&status),
            Some(6),
            "{stage:?}"
        );
        let outcome = fine(&ada, &shared);
        assert_eq!(outcome.sent, 2, "{stage:?}");
        assert_eq!(
            (ada.load().log.len(), ada.load().status),
            (4, Status::Ok),
            "{stage:?}"
        );
        assert_eq!(fine(&Bench::new(), &shared).received, 4, "{stage:?}");
    }
}

/// What a power cut leaves of files that were not synced.
#[test]
fn a_private_repository_that_is_damaged_is_made_again() {
    let shared = Shared::new();
    let ada = Bench::new();
    let mut writer = ada.writer("Ada");
    ada.decide(&mut writer, ratify("1"));
    fine(&ada, &shared);
    for damage in ["objects", "refs", "HEAD"] {
        let folder = ada.store().folder().join("sync");
        let mut left = vec![folder.join(damage)];
        while let Some(path) = left.pop() {
            if path.is_dir() {
                left.extend(
                    std::fs::read_dir(path)
                        .expect("listed")
                        .map(|e| e.expect("one").path()),
                );
            } else {
                std::fs::remove_file(&path).expect("removed");
                std::fs::write(&path, b"").expect("emptied");
            }
        }
        ada.decide(&mut writer, ratify("2"));
        assert_eq!(fine(&ada, &shared).sent, 1, "{damage}");
    }
    assert_eq!(fine(&Bench::new(), &shared).received, 5);
}

/// L11 for what travels.
#[test]
fn nothing_of_the_machine_travels() {
    let shared = Shared::new();
    let ada = Bench::new();
    let mut writer = ada.writer("Ada Osei");
    ada.decide(&mut writer, kick_back("1", &"long ".repeat(9000)));
    fine(&ada, &shared);
    let mut machine = vec![
        ada.home.path().to_str().expect("text").to_owned(),
        shared.path().to_str().expect("text").to_owned(),
        rustix::system::uname()
            .nodename()
            .to_string_lossy()
            .into_owned(),
    ];
    machine.extend(std::env::var("HOME").ok().filter(|home| home.len() > 1));
    machine.extend(std::env::var("USER").ok());
    let repository = shared.open();
    let odb = repository.odb().expect("objects");
    let mut commits = 0;
    for oid in shared.objects() {
        let object = odb.read(oid).expect("it reads");
        let text = String::from_utf8_lossy(object.data()).into_owned();
        for word in &machine {
            assert!(!text.contains(word.as_str()), "{word} in {text}");
        }
        if object.kind() == ObjectType::Commit {
            commits += 1;
            assert!(
                text.ends_with(
                    "\nauthor countersign <> 0 +0000\ncommitter countersign <> 0 +0000\n\nledger\n"
                ),
                "{text}"
            );
        } else if object.kind() == ObjectType::Blob {
            assert!(!text.contains('@'), "{text}");
        } else {
            // what is no name in a tree is a digest, any bytes at all
            let tree = repository.find_tree(oid).expect("a tree");
            let named = |entry: git2::TreeEntry<'_>| entry.name_bytes().contains(&b'@');
            assert!(!tree.iter().any(named), "{text}");
        }
    }
    assert_eq!(commits, 1);
}

#[test]
fn a_sync_writes_what_is_new_and_nothing_when_nothing_is() {
    let shared = Shared::new();
    let ada = Bench::new();
    let mut writers: Vec<Writer> = (0..20).map(|_| ada.writer("Ada")).collect();
    fine(&ada, &shared);
    let before = shared.objects();
    assert_eq!(
        fine(&ada, &shared),
        Outcome {
            sent: 0,
            ..fine(&ada, &shared)
        }
    );
    assert_eq!(shared.objects(), before, "nothing new, nothing written");
    ada.decide(&mut writers[3], ratify("1"));
    assert_eq!(fine(&ada, &shared).sent, 1);
    let after = shared.objects();
    assert_eq!(
        after.len() - before.len(),
        5,
        "one blob, three trees, one commit"
    );
}

/// A line that was written and never acknowledged, and one that is torn, stay here.
#[test]
fn only_what_was_acknowledged_travels() {
    let shared = Shared::new();
    let ada = Bench::new();
    let mut writer = ada.writer("Ada");
    ada.decide(&mut writer, ratify("1"));
    let shard = writer.shard().to_owned();
    drop(writer);
    let whole = ada.bytes(&shard);
    let anchors = std::fs::read_to_string(ada.anchors(&shard)).expect("anchors");
    let one = anchors.split_inclusive('\n').next().expect("a line");
    std::fs::write(ada.anchors(&shard), one).expect("cut");
    std::fs::write(ada.path(&shard), [&whole[..], b"{\"v\":1,\"id"].concat()).expect("torn");
    assert_eq!(fine(&ada, &shared).sent, 1);
    let files = shared.files(&ada);
    let end = whole.iter().position(|b| *b == b'\n').expect("a line") + 1;
    assert_eq!(
        files,
        [(
            format!("{}/ledger/{shard}.jsonl", repository()),
            whole[..end].to_vec()
        )]
    );
}

/// An entry of a newer version, and whatever else one puts beside the shards.
#[test]
fn what_a_newer_version_wrote_survives_the_round_trip() {
    let shared = Shared::new();
    let (ada, bo) = (Bench::new(), Bench::new());
    let mut writer = ada.writer("Ada");
    ada.decide(&mut writer, ratify("1"));
    let shard = writer.shard().to_owned();
    drop(writer);
    let whole = String::from_utf8(ada.bytes(&shard)).expect("text");
    let last = whole.trim_end().rsplit('\n').next().expect("a line");
    let mut newer: serde_json::Value = serde_json::from_str(last).expect("an object");
    newer["v"] = 7.into();
    newer["id"] = new_id().expect("an id").to_string().into();
    newer["kind"] = "minuted".into();
    newer["seq"] = 3.into();
    newer["prev"] = Digest::of(last.as_bytes()).to_string().into();
    newer["mood"] = serde_json::json!({"of": ["the", 1, null]});
    let newer = newer.to_string();
    std::fs::write(ada.path(&shard), format!("{whole}{newer}\n")).expect("written");
    let anchors = std::fs::read_to_string(ada.anchors(&shard)).expect("anchors");
    let anchor = format!("{anchors}1 3 {}\n", Digest::of(newer.as_bytes()));
    std::fs::write(ada.anchors(&shard), anchor).expect("written");
    fine(&ada, &shared);
    let mut files = shared.files(&ada);
    files.push((
        format!("{}/minutes/one", repository()),
        b"of a newer version".to_vec(),
    ));
    files.push((
        "another-ledger/ledger/x".into(),
        b"of another ledger".to_vec(),
    ));
    shared.forge(&ada, &files);

    for bench in [&bo, &Bench::new()] {
        assert_eq!(fine(bench, &shared).received, 3);
        let history = bench.load();
        let row = history
            .log
            .iter()
            .find(|row| row.entry.seq == 3)
            .expect("its row");
        let Body::Newer { line, .. } = &row.entry.body else {
            panic!("{row:?}");
        };
        assert_eq!(*line, newer, "byte for byte");
        assert_eq!(
            history.findings[0].code,
            Code::NewerVersion,
            "{:?}",
            history.findings
        );
    }
    let mut more = ada.writer("Ada");
    ada.decide(&mut more, ratify("2"));
    share(&ada, &shared);
    let after = shared.files(&ada);
    for (name, bytes) in files {
        assert!(
            after.iter().any(|(n, b)| *n == name && *b == bytes),
            "{name} is still there"
        );
    }
}

/// Files by name.
type Tree = Vec<(String, Vec<u8>)>;

/// What a remote serves is damaged in one way; the fault that must be said, on which side.
struct Lie {
    name: &'static str,
    tell: fn(&Bench, &str, Tree) -> Tree,
    to_bo: Option<Fault>,
    to_ada: Option<Fault>,
}

fn cut(bytes: &[u8], keep: usize) -> Vec<u8> {
    let lines: Vec<&[u8]> = bytes.split_inclusive(|b| *b == b'\n').collect();
    lines[..keep].concat()
}

/// The bytes with one more line that follows the last by every rule.
fn extended(bytes: &[u8]) -> Vec<u8> {
    let text = std::str::from_utf8(bytes).expect("text");
    let last = text.trim_end().rsplit('\n').next().expect("a line");
    let mut line: serde_json::Value = serde_json::from_str(last).expect("an object");
    let seq = line["seq"].as_u64().expect("a number");
    line["seq"] = (seq + 1).into();
    line["id"] = new_id().expect("an id").to_string().into();
    line["prev"] = Digest::of(last.as_bytes()).to_string().into();
    format!("{text}{line}\n").into_bytes()
}

const LIES: [Lie; 8] = [
    Lie {
        name: "a shard is cut",
        tell: |_, _, mut files| {
            files[0].1 = cut(&files[0].1, 2);
            files
        },
        to_bo: Some(Fault::Shortened),
        to_ada: Some(Fault::Shortened),
    },
    Lie {
        name: "a shard is emptied",
        tell: |_, _, mut files| {
            files[0].1.clear();
            files
        },
        to_bo: Some(Fault::Shortened),
        to_ada: Some(Fault::Shortened),
    },
    Lie {
        name: "a shard is gone",
        tell: |_, _, mut files| {
            files.remove(0);
            files.push((
                format!("{}/texts/{}", repository(), Digest::of(b"x")),
                b"x".to_vec(),
            ));
            files
        },
        to_bo: Some(Fault::MissingShard),
        to_ada: Some(Fault::MissingShard),
    },
    Lie {
        name: "a line is rewritten",
        tell: |_, _, mut files| {
            let text = String::from_utf8(files[0].1.clone()).expect("text");
            files[0].1 = text.replace("\"ratify\"", "\"kick-back\"").into_bytes();
            files
        },
        to_bo: Some(Fault::Forked),
        to_ada: Some(Fault::Forked),
    },
    Lie {
        name: "a line is added that fits",
        tell: |_, _, mut files| {
            files[0].1 = extended(&files[0].1);
            files
        },
        to_bo: None,
        to_ada: None,
    },
    Lie {
        name: "the shard of another is served, with a line more",
        tell: |bo, own, mut files| {
            let name = format!("{}/ledger/{own}.jsonl", repository());
            files.push((name, extended(&bo.bytes(own))));
            files
        },
        to_bo: Some(Fault::Foreign),
        to_ada: None,
    },
    Lie {
        name: "a text is another",
        tell: |_, _, mut files| {
            files.push((
                format!("{}/texts/{}", repository(), Digest::of(b"x")),
                b"y".to_vec(),
            ));
            files
        },
        to_bo: Some(Fault::WrongText),
        to_ada: None,
    },
    Lie {
        name: "names that lead elsewhere",
        tell: |_, _, mut files| {
            files.push((
                format!("{}/ledger/x y.000000.jsonl", repository()),
                b"z".to_vec(),
            ));
            files.push((format!("{}/texts/short", repository()), b"y".to_vec()));
            files
        },
        to_bo: Some(Fault::OddName),
        to_ada: Some(Fault::OddName),
    },
];

#[test]
fn a_remote_that_lies_is_found_out_and_takes_nothing_away() {
    for lie in LIES {
        let shared = Shared::new();
        let (ada, bo) = (Bench::new(), Bench::new());
        let mut of_ada = ada.writer("Ada");
        ada.decide(&mut of_ada, kick_back("1", "no"));
        ada.decide(&mut of_ada, ratify("2"));
        let mut of_bo = bo.writer("Bo");
        let (kept, _) = bo.decide(&mut of_bo, ratify("3"));
        for bench in [&ada, &bo, &ada] {
            fine(bench, &shared);
        }
        let before = [ada.load(), bo.load()];
        let own = [ada.bytes(of_ada.shard()), bo.bytes(of_bo.shard())];
        let files = (lie.tell)(&bo, of_bo.shard(), shared.files(&ada));
        shared.forge(&ada, &files);

        // The one who reads it, twice: a fault is said as long as it is served.
        for _ in 0..2 {
            let outcome = share(&bo, &shared);
            let said: Vec<Fault> = outcome.complaints.iter().map(|c| c.fault).collect();
            match lie.to_bo {
                Some(fault) => assert!(said.contains(&fault), "{}: {said:?}", lie.name),
                None => assert_eq!(said, [], "{}", lie.name),
            }
        }
        let after = bo.load();
        assert!(
            lines(&after).is_superset(&lines(&before[1])),
            "{}",
            lie.name
        );
        let row = after.row(kept).expect("its own decision");
        assert_eq!(
            (row.grade, row.fate),
            (Grade::Anchored, Fate::Stands),
            "{}",
            lie.name
        );
        assert!(
            after.decisions.len() >= before[1].decisions.len(),
            "{}",
            lie.name
        );

        // The one whose ref it is: it is found, and put right without force.
        let outcome = share(&ada, &shared);
        let said: Vec<Fault> = outcome.complaints.iter().map(|c| c.fault).collect();
        if let Some(fault) = lie.to_ada {
            assert!(said.contains(&fault), "{}: {said:?}", lie.name);
        }
        let after = ada.load();
        assert!(
            lines(&after).is_superset(&lines(&before[0])),
            "{}",
            lie.name
        );
        for row in &before[0].log {
            let now = after.row(row.entry.id).expect("its row");
            assert_eq!(now.grade, row.grade, "{}: {:?}", lie.name, row.entry);
        }
        for decision in &before[0].decisions {
            let mut now = after.decisions.iter();
            assert!(now.any(|d| d.entry == decision.entry), "{}", lie.name);
        }
        assert_eq!(
            [ada.bytes(of_ada.shard()), bo.bytes(of_bo.shard())],
            own,
            "{}",
            lie.name
        );
        let fresh = Bench::new();
        share(&fresh, &shared);
        assert!(
            lines(&fresh.load()).is_superset(&lines(&before[0])),
            "{}: all of it is on the remote again",
            lie.name
        );
    }
}

#[test]
fn what_differs_from_an_acknowledged_shard_is_tampering_and_counts_for_nothing() {
    let shared = Shared::new();
    let (ada, bo) = (Bench::new(), Bench::new());
    let mut writer = ada.writer("Ada");
    let (yes, _) = ada.decide(&mut writer, ratify("1"));
    let mut of_bo = bo.writer("Bo");
    bo.decide(&mut of_bo, ratify("9"));
    for bench in [&ada, &bo] {
        fine(bench, &shared);
    }
    // Longer than the true one, with its ids, and another second line.
    let name = format!("{}/ledger/{}.jsonl", repository(), writer.shard());
    let text = String::from_utf8(ada.bytes(writer.shard())).expect("text");
    let forged = text.replace("read it", "read it all, and all of it again, twice over");
    let mut files = shared.files(&bo);
    files.push((name, extended(forged.as_bytes())));
    shared.forge(&bo, &files);
    let outcome = share(&ada, &shared);
    assert_eq!(outcome.complaints[0].fault, Fault::Foreign);
    let history = ada.load();
    assert_eq!(history.status, Status::Tampered);
    assert!(history.findings.iter().any(|f| f.code == Code::Forked));
    let row = history.row(yes).expect("its row");
    assert_eq!((row.grade, row.fate), (Grade::Anchored, Fate::Stands));
    assert_eq!(history.decisions.len(), 1, "{:?}", history.decisions);
}

#[test]
fn a_ref_that_is_gone_is_said_and_what_came_stays() {
    let shared = Shared::new();
    let (ada, bo) = (Bench::new(), Bench::new());
    let mut writer = ada.writer("Ada");
    ada.decide(&mut writer, kick_back("1", "no"));
    for bench in [&ada, &bo] {
        fine(bench, &shared);
    }
    let repository = shared.open();
    let mut reference = repository
        .find_reference(&Shared::name(&ada))
        .expect("a ref");
    reference.delete().expect("deleted");
    for _ in 0..2 {
        let outcome = share(&bo, &shared);
        assert_eq!(outcome.complaints[0].fault, Fault::MissingWriter);
        assert_eq!(bo.load().decisions.len(), 1);
    }
    assert_eq!(
        fine(&ada, &shared).sent,
        2,
        "whoever owns it brings it back"
    );
    fine(&bo, &shared);
}
