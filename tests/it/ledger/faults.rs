//! L4: a file system that refuses at any step. Nothing is claimed, and what was there is whole.

use std::io::{self, Write as _};

use countersign::adapters::ledger_store::{Fate, NotRecorded, Step, Steps, new_id};
use countersign::ledger::entry::Body;
use countersign::ledger::verify::{Grade, Status};

use super::fixture::{self, Bench, CHANGE, child, kick_back, opened, ratify, store_at};

/// Fails the nth coming of a step, and whatever else is said.
#[derive(Debug, Clone)]
struct FailAt {
    step: Step,
    left: u32,
    error: rustix::io::Errno,
    short: Option<usize>,
    rollback_fails: bool,
}

impl Steps for FailAt {
    fn before(&mut self, step: Step) -> io::Result<Fate> {
        if step == Step::Rollback && self.rollback_fails && self.left == 0 {
            self.rollback_fails = false;
            return Err(self.error.into());
        }
        if step == self.step && self.left > 0 {
            self.left -= 1;
            if self.left == 0 {
                return match self.short {
                    Some(len) => Ok(Fate::Short(len)),
                    None => Err(self.error.into()),
                };
            }
        }
        Ok(Fate::Go)
    }
}

fn body() -> Body {
    Body::Decision(kick_back("2", &"long ".repeat(5_000)))
}

/// The second append fails; the third, with the same id, is recorded once.
fn second_append_fails(fault: FailAt) {
    let what = format!("{fault:?}");
    let rollback_fails = fault.rollback_fails;
    let bench = Bench::new();
    let store = bench.store();
    let mut writer = store
        .writer_with(&bench.load(), opened("a"), Box::new(fault))
        .unwrap();
    bench.decide(&mut writer, ratify("1"));
    let before = bench.bytes(writer.shard());
    let id = new_id().unwrap();
    let error = writer.append(id, body(), || Ok(())).unwrap_err();
    assert!(
        matches!(error, NotRecorded::Failed { .. }),
        "{what}: {error}"
    );
    assert!(
        error.to_string().starts_with("not recorded: could not "),
        "{what}: {error}"
    );
    let history = bench.load();
    assert!(bench.bytes(writer.shard()).starts_with(&before), "{what}");
    let claimed = history
        .row(id)
        .is_some_and(|row| row.grade == Grade::Anchored);
    assert!(!claimed || rollback_fails, "{what}");
    assert_ne!(
        history.status,
        Status::Tampered,
        "{what}: {:?}",
        history.findings
    );
    assert_eq!(
        history.decisions.iter().filter(|d| d.entry != id).count(),
        1,
        "{what}"
    );

    writer.append(id, body(), || Ok(())).unwrap();
    let history = bench.load();
    assert_eq!(history.status, Status::Ok, "{what}: {:?}", history.findings);
    assert_eq!(
        history.log.iter().filter(|row| row.entry.id == id).count(),
        1,
        "{what}"
    );
    assert_eq!(history.decisions.len(), 2, "{what}");
}

#[test]
fn a_refused_step_is_not_recorded_and_a_retry_is_recorded_once() {
    use rustix::io::Errno;
    let steps = [
        (Step::Lock, 3),
        (Step::ReadTail, 3),
        (Step::Text, 1),
        (Step::Write, 3),
        (Step::Sync, 3),
        (Step::Anchor, 3),
        (Step::AnchorSync, 3),
    ];
    let errors = [
        Errno::NOSPC,
        Errno::IO,
        Errno::DQUOT,
        Errno::ROFS,
        Errno::ACCESS,
        Errno::MFILE,
        Errno::INTR,
    ];
    for (step, left) in steps {
        for error in errors {
            for rollback_fails in [false, true] {
                second_append_fails(FailAt {
                    step,
                    left,
                    error,
                    short: None,
                    rollback_fails,
                });
            }
        }
    }
}

#[test]
fn a_short_write_is_taken_back_or_set_aside() {
    for step in [Step::Write, Step::Anchor] {
        for len in [0, 1, 50] {
            for rollback_fails in [false, true] {
                second_append_fails(FailAt {
                    step,
                    left: 3,
                    error: rustix::io::Errno::NOSPC,
                    short: Some(len),
                    rollback_fails,
                });
            }
        }
    }
}

#[test]
fn a_session_that_cannot_open_its_shard_says_so() {
    for step in [Step::Open, Step::FolderSync, Step::AnchorFolderSync] {
        let bench = Bench::new();
        let fault = FailAt {
            step,
            left: 1,
            error: rustix::io::Errno::ROFS,
            short: None,
            rollback_fails: false,
        };
        let refused = bench
            .store()
            .writer_with(&bench.load(), opened("a"), Box::new(fault));
        assert!(
            matches!(refused, Err(NotRecorded::Failed { .. })),
            "{step:?}"
        );
        assert_eq!(bench.load().status, Status::Ok, "{step:?}");
        assert_eq!(bench.load().log.len(), 0, "{step:?}");
    }
}

#[test]
fn a_world_that_moved_refuses_under_the_lock() {
    let bench = Bench::new();
    let mut writer = bench.writer("a");
    let refused = writer.append(new_id().unwrap(), body(), || Err("the head moved".into()));
    assert_eq!(
        refused.unwrap_err().to_string(),
        "not recorded: the head moved"
    );
    assert_eq!(bench.load().log.len(), 1);
}

#[test]
fn a_shard_changed_by_something_else_takes_no_more_entries() {
    type Change = fn(&std::path::Path);
    let changes: [(&str, Change); 4] = [
        ("removed", |path| std::fs::remove_file(path).unwrap()),
        ("replaced", |path| {
            let copy = std::fs::read(path).unwrap();
            std::fs::rename(path, path.with_extension("old")).unwrap();
            std::fs::write(path, copy).unwrap();
        }),
        ("cut", |path| {
            let file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
            file.set_len(10).unwrap();
        }),
        ("rewritten", |path| {
            let text = std::fs::read_to_string(path).unwrap();
            let at = text.rfind("Ada").unwrap();
            let file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
            std::os::unix::fs::FileExt::write_all_at(&file, b"Eve", at as u64).unwrap();
        }),
    ];
    for (word, change) in changes {
        let bench = Bench::new();
        let mut writer = bench.writer("a");
        bench.decide(&mut writer, ratify("1"));
        change(&bench.path(writer.shard()));
        let error = writer
            .append(new_id().unwrap(), body(), || Ok(()))
            .unwrap_err();
        assert!(
            matches!(error, NotRecorded::Changed(how) if how == word),
            "{word}: {error}"
        );
    }
}

/// The part of the child on a full disk: appends until it is refused, makes room, appends again.
#[test]
fn full_disk_child() {
    let Some((_, home)) = fixture::part() else {
        return;
    };
    let store = store_at(&home);
    let mut writer = store.writer(&store.load(CHANGE), opened("a")).unwrap();
    let mut acks = 0;
    let (id, error) = loop {
        let id = new_id().unwrap();
        match writer.append(id, Body::Decision(ratify("1")), || Ok(())) {
            Ok(_) => acks += 1,
            Err(error) => break (id, error),
        }
        assert!(acks < 10_000);
    };
    let history = store.load(CHANGE);
    assert_eq!(history.log.len(), acks + 1, "{:?}", history.findings);
    assert_eq!(history.status, Status::Ok, "{:?}", history.findings);
    writeln!(io::stdout(), "\nrefused after {acks}: {error}").unwrap();
    if std::fs::remove_file(home.join("ballast")).is_ok() {
        writer
            .append(id, Body::Decision(ratify("1")), || Ok(()))
            .unwrap();
        assert_eq!(store.load(CHANGE).log.len(), acks + 2);
        assert_eq!(store.load(CHANGE).status, Status::Ok);
        writeln!(io::stdout(), "\nrecorded after making room").unwrap();
    }
    writeln!(io::stdout(), "\nheld").unwrap();
}

/// Runs the child below a shell that limits what it can write.
fn limited(script: &str, home: &std::path::Path) -> String {
    let inner = child("ledger::faults::full_disk_child", "full", home);
    let mut command = std::process::Command::new("unshare");
    command.args(["-rm", "sh", "-c", script, "sh"]);
    command.arg(inner.get_program()).args(inner.get_args());
    command.env("LEDGER_PART", "full").env("LEDGER_HOME", home);
    let output = command.output().unwrap();
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

#[test]
fn a_full_disk_is_not_recorded_and_room_is_enough_to_go_on() {
    let home = tempfile::tempdir().unwrap();
    let script = "mount -t tmpfs -o size=96k none \"$LEDGER_HOME\" && \
                  dd if=/dev/zero of=\"$LEDGER_HOME/ballast\" bs=1k count=16 2>/dev/null; \
                  exec \"$@\"";
    let said = limited(script, home.path());
    assert!(said.contains("\nheld"), "{said}");
    assert!(said.contains(": not recorded: could not "), "{said}");
    assert!(said.contains("recorded after making room"), "{said}");
}

#[test]
fn a_limit_of_the_file_size_is_a_short_write_and_not_recorded() {
    let home = tempfile::tempdir().unwrap();
    let script = "trap '' XFSZ; ulimit -f 16; exec \"$@\"";
    let said = limited(script, home.path());
    assert!(said.contains("\nheld"), "{said}");
    assert!(
        said.contains("not recorded: could not write the entry"),
        "{said}"
    );
}
