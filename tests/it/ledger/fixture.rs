//! A ledger in a temporary folder, and entries to put into it.

use std::path::PathBuf;

use countersign::adapters::folders::Folders;
use countersign::adapters::ledger_store::{LedgerStore, Receipt, Writer, new_id};
use countersign::gate::decide::replayed::{self, RulingFields};
use countersign::gate::decide::{Act, Decision, Seen};
use countersign::gate::dossier::Subject;
use countersign::ledger::entry::{Body, Opened};
use countersign::ledger::replay::History;
use countersign::model::evidence::Evidence;
use countersign::model::id::{CriterionId, Digest, EntryId, Oid, RepoPath};
use countersign::model::ruling::{Assurance, Cause, Verdict};
use countersign::model::snapshot::Snapshot;

pub(crate) const CHANGE: &str = "fix/ferry timetable";

pub(crate) struct Bench {
    pub(crate) home: tempfile::TempDir,
}

pub(crate) fn folders(home: &std::path::Path) -> Folders {
    Folders {
        config: home.join("config"),
        state: home.join("state"),
        cache: home.join("cache"),
    }
}

/// A temporary folder, in memory where there is such a place: these tests kill processes, not the
/// machine, and sync thousands of times.
fn home() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm")
        .or_else(|_| tempfile::tempdir())
        .unwrap()
}

pub(crate) fn repository() -> Digest {
    Digest::of(b"harbor/ferry")
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self { home: home() }
    }

    pub(crate) fn store(&self) -> LedgerStore {
        LedgerStore::new(&folders(self.home.path()), repository())
    }

    pub(crate) fn load(&self) -> History {
        self.store().load(CHANGE)
    }

    /// A session that has read what stands there.
    pub(crate) fn writer(&self, by: &str) -> Writer {
        self.store().writer(&self.load(), opened(by)).unwrap()
    }

    pub(crate) fn append(&self, writer: &mut Writer, body: Body) -> Receipt {
        writer.append(new_id().unwrap(), body, || Ok(())).unwrap()
    }

    pub(crate) fn decide(&self, writer: &mut Writer, decision: Decision) -> (EntryId, Receipt) {
        let receipt = self.append(writer, Body::Decision(decision));
        (receipt.entry, receipt)
    }

    pub(crate) fn path(&self, shard: &str) -> PathBuf {
        self.store()
            .folder()
            .join("ledger")
            .join(format!("{shard}.jsonl"))
    }

    pub(crate) fn anchors(&self, shard: &str) -> PathBuf {
        self.store()
            .folder()
            .join("anchors")
            .join(format!("{shard}.anchors"))
    }

    pub(crate) fn bytes(&self, shard: &str) -> Vec<u8> {
        std::fs::read(self.path(shard)).unwrap()
    }
}

pub(crate) fn snapshot() -> Snapshot {
    Snapshot {
        base: Oid([1; 20]),
        merge_base: Oid([2; 20]),
        base_tree: Oid([3; 20]),
        head: Oid([4; 20]),
        tree: Oid([5; 20]),
        contract: Some(Digest::of(b"contract")),
    }
}

pub(crate) fn opened(by: &str) -> Opened {
    Opened {
        repository: repository(),
        change: CHANGE.into(),
        snapshot: snapshot(),
        contract: Some(RepoPath::new(b"GATES\xff.md".to_vec())),
        request: Some(Digest::of(b"request")),
        by: Some(by.into()),
        agent_marks: Vec::new(),
        own_work: false,
    }
}

pub(crate) fn decision(criterion: &str, act: Act) -> Decision {
    let subject = Subject::Criterion(CriterionId::new(criterion).unwrap());
    let seen = Seen {
        subject: subject.clone(),
        snapshot: snapshot(),
        for_ms: 900,
        rows: vec!["CHECK".into(), "line 25".into()],
    };
    replayed::decision(
        subject,
        act,
        snapshot(),
        "Ada Osei".into(),
        Assurance::Present,
        Some(seen),
        Some(Digest::of(b"oracle")),
    )
}

pub(crate) fn ratify(criterion: &str) -> Decision {
    let evidence = vec![
        Evidence::Hunk {
            head: snapshot().head,
            path: "src/ferry.rs".into(),
            line: 10,
            end_line: 12,
            digest: Digest::of(b"hunk"),
        },
        Evidence::Rationale("read it".into()),
    ];
    decision(criterion, Act::Ratify { evidence })
}

pub(crate) fn kick_back(criterion: &str, text: &str) -> Decision {
    let act = Act::KickBack {
        cause: Cause::Evidence,
        text: text.into(),
    };
    decision(criterion, act)
}

pub(crate) fn undo(entry: EntryId) -> Body {
    Body::Undo(replayed::undo(entry, "Ada Osei".into()))
}

pub(crate) fn ruling(decisions: &[EntryId]) -> Body {
    Body::Ruling(replayed::ruling(RulingFields {
        verdict: Verdict::Reroll,
        snapshot: snapshot(),
        by: "Ada Osei".into(),
        assurance: Assurance::Present,
        round: 1,
        root_cause: None,
        attack: "none found".into(),
        trace: vec!["T1 MISSING 2".into(), "  hidden \u{202e} kept".into()],
        decisions: decisions.to_vec(),
        edits: Vec::new(),
        partial: false,
        floor_bounce: false,
    }))
}

/// How much of something a test does: a little in every run, the figure of the reliability page
/// when `.ci/figures` asks for it.
pub(crate) fn figure(little: u64, full: u64) -> u64 {
    if std::env::var_os("COUNTERSIGN_FIGURES").is_some() {
        full
    } else {
        little
    }
}

/// A line for whoever runs the figures.
macro_rules! say {
    ($($words:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stdout().lock(), $($words)*);
    }};
}
pub(crate) use say;

/// This test binary again, running only the named test, which plays a part when `part` is set.
pub(crate) fn child(test: &str, part: &str, home: &std::path::Path) -> std::process::Command {
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command
        .args([test, "--exact", "--nocapture", "--test-threads=1"])
        .env("LEDGER_PART", part)
        .env("LEDGER_HOME", home)
        .stdin(std::process::Stdio::null())
        .stderr(std::process::Stdio::null());
    command
}

/// The part that this process plays, and the home it plays it in; `None` in an ordinary run.
pub(crate) fn part() -> Option<(String, PathBuf)> {
    let part = std::env::var("LEDGER_PART").ok()?;
    Some((part, std::env::var_os("LEDGER_HOME")?.into()))
}

pub(crate) fn store_at(home: &std::path::Path) -> LedgerStore {
    LedgerStore::new(&folders(home), repository())
}

/// A small random number generator with a seed that a failure can name.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}
