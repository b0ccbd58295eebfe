//! Running oracles: how a run can end, what it can reach and what is left of it.
//!
//! Everything here runs the real supervisor, launcher and bash. What depends on permissions runs
//! as another user, because root may do what a run must not.

mod runaway;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use countersign::adapters::oracle::environment::{Environment, shell};
use countersign::adapters::oracle::slot::{Finished, Sight, Slot, SlotError, SlotSetup};
use countersign::adapters::oracle::wall;
use countersign::model::oracle::{Ended, Expect, Isolation, Oracle, Stream};
use countersign::model::text::Foreign;

use crate::support::{as_other_user, hand_over, is_root};

struct Bench {
    slot: Slot,
    folder: tempfile::TempDir,
}

fn bench_at(isolation: Isolation) -> Bench {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["tree", "tmp"] {
        fs::create_dir(folder.path().join(name)).expect("a folder");
    }
    let slot = Slot::start(&setup(folder.path(), isolation)).expect("a slot");
    Bench { slot, folder }
}

fn setup(folder: &Path, isolation: Isolation) -> SlotSetup {
    let tmp = folder.join("tmp");
    SlotSetup {
        program: program(),
        isolation,
        tree: folder.join("tree"),
        caches: Vec::new(),
        reads: Vec::new(),
        environment: Environment::from_process(&[], &tmp),
        tmp,
        shell: shell().expect("bash"),
        sight: Sight::Host,
    }
}

/// The built program, or the copy that another user can reach.
fn program() -> PathBuf {
    std::env::var_os(PROGRAM)
        .map_or_else(|| env!("CARGO_BIN_EXE_countersign").into(), PathBuf::from)
}

/// Names that copy for the run as another user.
const PROGRAM: &str = "TEST_OF_ORACLES_PROGRAM";

/// Root may do what a run must not, so as root everything here is run once more as nobody.
#[test]
fn all_of_this_holds_without_special_rights() {
    if !is_root() {
        return;
    }
    let home = tempfile::tempdir().expect("a folder");
    let own = std::env::current_exe().expect("a path");
    let (test, program) = (home.path().join("test"), home.path().join("program"));
    fs::copy(own, &test).expect("copied");
    fs::copy(env!("CARGO_BIN_EXE_countersign"), &program).expect("copied");
    hand_over(home.path());
    let out = as_other_user(test.to_str().expect("plain"), home.path())
        .args([
            "oracle::",
            "--skip",
            "without_special_rights",
            "--test-threads",
            "2",
        ])
        .env(PROGRAM, &program)
        .env("TMPDIR", home.path())
        .current_dir(home.path())
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&out.stdout);
    assert!(
        out.status.success() && said.contains("a_limit_holds_for_whoever_ignores_it ... ok"),
        "{said}"
    );
}

#[test]
fn what_a_check_tries_on_its_keepers_fails() {
    let mut bench = bench();
    // The launcher's descriptors and environment hold the road to a forged verdict.
    let done = bench.run("ls /proc/$PPID/fd >/dev/null 2>&1 && echo all-ok");
    if is_root() {
        // Root reads everything; the run as nobody proves the rule.
        return;
    }
    assert!(done.marker.is_none());
    assert!(
        bench
            .run("cat /proc/$PPID/environ && echo all-ok")
            .marker
            .is_none()
    );
}

fn bench() -> Bench {
    bench_at(Isolation::Session)
}

fn oracle(check: &str, expect: &str) -> Oracle {
    Oracle {
        check: Foreign::from(check),
        check_line: 1,
        check_span: 0..0,
        expect: Expect::Plain(Foreign::from(expect)),
        expect_line: 1,
        expect_span: 0..0,
    }
}

impl Bench {
    fn run(&mut self, check: &str) -> Finished {
        self.run_for(check, 20_000)
    }

    fn run_for(&mut self, check: &str, limit_ms: u64) -> Finished {
        self.slot
            .run(
                &oracle(check, "all-ok"),
                Duration::from_millis(limit_ms),
                |_| {},
            )
            .expect("the slot lives")
    }

    fn out(&mut self, check: &str) -> String {
        let done = self.run(check);
        String::from_utf8_lossy(done.stdout.head.raw()).into_owned()
    }
}

#[test]
fn every_end_of_a_run_has_its_own_word() {
    let mut bench = bench();
    let rows: [(&str, Ended, bool); 13] = [
        ("echo all-ok", Ended::Exited(0), true),
        ("printf all-ok", Ended::Exited(0), true),
        ("echo all-ok; exit 1", Ended::Exited(1), true),
        ("echo nothing", Ended::Exited(0), false),
        ("exit 124", Ended::Exited(124), false),
        ("no-such-command-here", Ended::Exited(127), false),
        ("if then", Ended::Exited(2), false),
        ("echo all-ok; kill -9 $$", Ended::Signalled(9), true),
        ("exec false", Ended::Exited(1), false),
        ("exit 256", Ended::Exited(0), false),
        (
            "[[ all-ok == all-* ]] && cat <<< all-ok",
            Ended::Exited(0),
            true,
        ),
        ("-c echo all-ok", Ended::Exited(127), false),
        ("--help", Ended::Exited(127), false),
    ];
    for (check, ended, marker) in rows {
        let done = bench.run(check);
        assert_eq!(done.ended, ended, "{check}");
        assert_eq!(done.marker.is_some(), marker, "{check}");
        assert!(done.survivors.is_empty(), "{check}: {:?}", done.survivors);
    }
}

#[test]
fn a_limit_holds_for_whoever_ignores_it() {
    let mut bench = bench();
    for check in [
        "sleep 60",
        "echo all-ok; sleep 60",
        "trap '' TERM INT HUP; while :; do sleep 1; done",
        "while :; do :; done",
        "kill -STOP $$",
        "trap 'exit 0' TERM; echo all-ok; sleep 60 & wait",
    ] {
        let started = Instant::now();
        let done = bench.run_for(check, 300);
        assert_eq!(done.ended, Ended::TimedOut, "{check}");
        let took = started.elapsed();
        assert!(took < Duration::from_millis(3300), "{check}: {took:?}");
    }
}

#[test]
fn a_background_child_neither_holds_the_run_up_nor_outlives_it() {
    let mut bench = bench();
    for (number, check) in [
        (613, "sleep NAP & echo all-ok"),
        (614, "setsid sleep NAP & echo all-ok"),
        (
            615,
            "(setsid bash -c 'sleep NAP & exit' &) ; sleep 0.1; echo all-ok",
        ),
        (
            616,
            "setsid nohup sleep NAP >/dev/null 2>&1 & sleep 0.1; echo all-ok",
        ),
    ] {
        let check = &check.replace("NAP", &nap(number));
        let started = Instant::now();
        let done = bench.run(check);
        assert_eq!(done.ended, Ended::Exited(0), "{check}");
        assert!(done.marker.is_some(), "{check}");
        assert!(started.elapsed() < Duration::from_secs(2), "{check}");
        let wanted = format!("sleep {}", nap(number));
        let named = done
            .survivors
            .iter()
            .any(|s| String::from_utf8_lossy(s.raw()).ends_with(&wanted));
        assert!(named, "{check}: {:?}", done.survivors);
        assert_eq!((done.alive, living(&wanted)), (0, 0), "{check}");
    }
}

#[test]
fn loops_of_forks_end() {
    let mut bench = bench();
    let check = "spin() { while :; do setsid sleep NAP & sleep 0.01; done; }\n\
         for i in 1 2 3 4; do spin & done; sleep 0.2; echo all-ok";
    let done = bench.run(&check.replace("NAP", &nap(0)));
    assert_eq!((done.ended, done.alive), (Ended::Exited(0), 0));
    assert!(!done.survivors.is_empty());
    assert_eq!(living(&format!("sleep {}", nap(0))), 0);
}

#[test]
fn a_launcher_that_its_check_kills_takes_everything_along() {
    let mut bench = bench();
    let lost = bench.slot.run(
        &oracle(
            &"setsid sleep NAP & sleep 0.1; kill -9 $PPID; sleep 60".replace("NAP", &nap(727)),
            "x",
        ),
        Duration::from_secs(20),
        |_| {},
    );
    match lost {
        Err(SlotError::Lost(why)) => assert!(why.contains("was killed"), "{why}"),
        other => panic!("{other:?}"),
    }
    assert_eq!(living(&format!("sleep {}", nap(727))), 0);
}

#[test]
fn a_launcher_that_its_check_stops_holds_nobody_up() {
    let mut bench = bench();
    let started = Instant::now();
    let lost = bench.slot.run(
        &oracle("kill -STOP $PPID; sleep 747", "x"),
        Duration::from_secs(60),
        |_| {},
    );
    match lost {
        Err(SlotError::Lost(why)) => assert!(why.contains("or stopped"), "{why}"),
        other => panic!("{other:?}"),
    }
    assert!(started.elapsed() < Duration::from_secs(20));
    assert_eq!(living("sleep 747"), 0);
}

#[test]
fn a_run_ends_when_it_is_stopped_and_when_the_session_goes() {
    let mut first = bench();
    let stopper = first.slot.stopper();
    let folder = first.folder.path().join("tree/started");
    let thread = std::thread::spawn(move || {
        until("the run has started", || folder.exists());
        stopper.stop();
    });
    let done = first.run(&format!("touch started; sleep {}", nap(737)));
    thread.join().expect("no panic");
    assert_eq!(done.ended, Ended::Interrupted);
    assert_eq!(
        first.run("echo all-ok").ended,
        Ended::Exited(0),
        "it serves on"
    );
    drop(first);
    assert_eq!(living(&format!("sleep {}", nap(737))), 0);
}

#[test]
fn output_is_matched_whole_whatever_it_is() {
    let mut bench = bench();
    let rows = [
        ("printf 'all-'; sleep 0.3; printf 'ok'", true),
        ("printf 'all-'; printf 'ok' >&2", false),
        (r"printf '\0\377\233\n all-ok'", true),
        (r"printf 'all-\033[1mok'", true),
        ("echo all-ok >&2", true),
        ("head -c 3000000 /dev/zero; echo all-ok", true),
        (
            "yes line | head -n 400000; echo all-ok; yes line | head -n 400000",
            true,
        ),
    ];
    for (check, wanted) in rows {
        let done = bench.run(check);
        assert_eq!(done.ended, Ended::Exited(0), "{check}");
        assert_eq!(done.marker.is_some(), wanted, "{check}");
    }
    let done = bench.run("echo one; echo all-ok >&2");
    let marker = done.marker.expect("found");
    assert_eq!((marker.stream, marker.line), (Stream::Stderr, 1));
}

#[test]
fn limits_and_signals_are_those_of_a_run() {
    // the program is started by a shell that ignores what interrupts and hangs up
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["tree", "tmp"] {
        fs::create_dir(folder.path().join(name)).expect("a folder");
    }
    let mut setup = setup(folder.path(), Isolation::Session);
    let deaf = folder.path().join("deaf");
    let program = setup.program.display();
    let script = format!("#!/bin/bash\ntrap '' INT HUP QUIT\nexec {program} \"$@\"\n");
    fs::write(&deaf, script).expect("written");
    fs::set_permissions(&deaf, fs::Permissions::from_mode(0o755)).expect("a mode");
    setup.program = deaf;
    let slot = Slot::start(&setup).expect("a slot");
    let mut bench = Bench { slot, folder };
    let rows = [
        "test $(ulimit -c) = 0 && echo all-ok",
        "test $(ulimit -n) -le 4096 && echo all-ok",
        "test $(ulimit -f) = 1048576 && echo all-ok",
        "test $(nice) -ge 5 && echo all-ok",
        // a writer whose reader has left is ended by the signal, as from a shell
        "yes | head -1 >/dev/null; test ${PIPESTATUS[0]} = 141 && echo all-ok",
        "grep -q '^SigBlk:.0*$' /proc/self/status && echo all-ok",
        // 32 and 33 are the C library's own
        "ignored=$(awk '/^SigIgn:/ {print $2}' /proc/self/status); \
         ((16#$ignored & ~16#180000000)) || echo all-ok",
    ];
    for check in rows {
        assert!(bench.run(check).marker.is_some(), "{check}");
    }
}

#[test]
fn a_check_has_no_terminal_no_stdin_and_no_descriptor_of_ours() {
    let mut bench = bench();
    assert_eq!(
        bench.out("cat; read x; ls /proc/self/fd | tr '\\n' ' '"),
        "0 1 2 3 "
    );
    assert_eq!(
        bench.out("(: > /dev/tty) 2>/dev/null || echo none"),
        "none\n"
    );
    assert_eq!(bench.out("readlink /proc/self/fd/0"), "/dev/null\n");
    assert_eq!(bench.out("ulimit -c; ulimit -f"), "0\n1048576\n");
}

#[test]
fn a_check_sees_the_list_of_variables_and_nothing_else() {
    let mut bench = bench();
    let names = bench.out("env | cut -d= -f1 | sort | tr '\\n' ' '");
    for name in names.split_ascii_whitespace() {
        let known = bench_names(bench.folder.path()).contains(&name.to_owned())
            || ["PWD", "SHLVL", "_", "OLDPWD"].contains(&name);
        assert!(known, "{name}");
    }
    assert!(
        names.contains("TMPDIR") && names.contains("PATH"),
        "{names}"
    );
}

fn bench_names(folder: &Path) -> Vec<String> {
    Environment::from_process(&[], &folder.join("tmp")).names()
}

#[test]
fn a_wall_that_cannot_stand_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut setup = setup(folder.path(), Isolation::Network);
    setup.program = folder.path().join("gone");
    match Slot::start(&setup) {
        Err(SlotError::Wall { level: 3, .. }) => {}
        other => panic!("{other:?}"),
    }
}

#[test]
#[cfg_attr(no_bwrap, ignore = "bubblewrap is not installed")]
fn at_level_three_there_is_no_network_and_nothing_of_the_person() {
    let home = tempfile::tempdir().expect("a home");
    fs::write(home.path().join("secret"), "all-ok").expect("written");
    fs::create_dir_all(home.path().join(".cargo/bin")).expect("a folder");
    fs::write(home.path().join(".cargo/credentials"), "all-ok").expect("written");
    fs::write(home.path().join(".cargo/bin/tool"), "all-ok").expect("written");
    let folder = tempfile::tempdir().expect("a folder");
    let (cache, repository) = (
        folder.path().join("cache"),
        folder.path().join("repository"),
    );
    for name in ["tree", "tmp", "cache", "repository"] {
        fs::create_dir(folder.path().join(name)).expect("a folder");
    }
    fs::write(repository.join("object"), "all-ok").expect("written");
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let mut setup = setup(folder.path(), Isolation::Network);
    let variables = &mut setup.environment.variables;
    variables.retain(|(name, _)| name != "HOME" && name != "CARGO_HOME");
    variables.push(("HOME".into(), home.path().into()));
    setup.caches = vec![cache.clone()];
    setup.reads = vec![repository.clone()];
    let slot = Slot::start(&setup).expect("a slot");
    let mut bench = Bench { slot, folder };
    let (at, repository) = (home.path().display(), repository.display());
    let rows = [
        ("echo x > inside && echo all-ok".to_owned(), true),
        ("echo x > $TMPDIR/inside && echo all-ok".to_owned(), true),
        (
            format!("echo x > {}/x && echo all-ok", cache.display()),
            true,
        ),
        (format!("cat {repository}/object"), true),
        (format!("echo x > {repository}/x && echo all-ok"), false),
        (
            "echo x > $HOME/own && cat $HOME/own && echo all-ok".to_owned(),
            true,
        ),
        (format!("cat {at}/secret"), false),
        (format!("cat {at}/.cargo/credentials"), false),
        (format!("cat {at}/.cargo/bin/tool"), true),
        ("echo x > /etc/x && echo all-ok".to_owned(), false),
        (
            format!("exec 3<>/dev/tcp/127.0.0.1/{port} && echo all-ok"),
            false,
        ),
        (
            "test $(ls /proc | grep -c '^[0-9]') -lt 12 && echo all-ok".to_owned(),
            true,
        ),
        (
            "test ! -e /run/systemd/private && echo all-ok".to_owned(),
            true,
        ),
        (
            "(echo >/dev/tty) 2>/dev/null || echo all-ok".to_owned(),
            true,
        ),
    ];
    for (check, wanted) in rows {
        assert_eq!(bench.run(&check).marker.is_some(), wanted, "{check}");
    }
    assert!(!home.path().join("own").exists(), "the person's home");
    // a launcher that its CHECK stops keeps no limit: the supervisor ends it from outside
    let stopped = bench.slot.run(
        &oracle("kill -STOP $PPID; echo all-ok", "all-ok"),
        Duration::from_secs(20),
        |_| {},
    );
    assert!(matches!(stopped, Err(SlotError::Lost(_))), "{stopped:?}");
}

#[test]
#[cfg_attr(no_bwrap, ignore = "bubblewrap is not installed")]
fn at_level_three_a_run_ends_with_everything_below_it() {
    let mut bench = bench_at(Isolation::Network);
    let nap = nap(633);
    let done = bench.run(&format!("setsid sleep {nap} & echo all-ok"));
    assert!(done.marker.is_some() && done.alive == 0, "{done:?}");
    until("it is gone", || living(&format!("sleep {nap}")) == 0);
    drop(bench);
}

#[test]
fn at_level_two_writes_stay_inside() {
    if wall::best() < Isolation::Files {
        // Says so through the refusal: the level is not to be had here.
        let folder = tempfile::tempdir().expect("a folder");
        assert!(matches!(
            Slot::start(&setup(folder.path(), Isolation::Files)),
            Err(SlotError::Wall { level: 2, .. })
        ));
        return;
    }
    let mut bench = bench_at(Isolation::Files);
    let rows = [
        ("echo x > inside && echo all-ok", true),
        ("echo x > $TMPDIR/inside && echo all-ok", true),
        ("echo x > /dev/null && echo all-ok", true),
        ("echo x > ../outside && echo all-ok", false),
        ("ln inside ../link && echo all-ok", false),
        ("mkdir ../folder && echo all-ok", false),
        ("mv inside sub; mkdir d; mv sub d/ && echo all-ok", true),
    ];
    for (check, wanted) in rows {
        assert_eq!(bench.run(check).marker.is_some(), wanted, "{check}");
    }
}

/// How long to sleep: a figure that only this test process names, however many run at once.
fn nap(number: u32) -> String {
    format!("{number}.7{}", std::process::id())
}

/// How many processes have exactly this command line.
fn living(command: &str) -> usize {
    let wanted = command.replace(' ', "\0") + "\0";
    let Ok(all) = fs::read_dir("/proc") else {
        return 0;
    };
    all.flatten()
        .filter(|entry| {
            fs::read(entry.path().join("cmdline")).is_ok_and(|line| line == wanted.as_bytes())
        })
        .count()
}

fn until(what: &str, mut is: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(10);
    while !is() {
        assert!(Instant::now() < end, "waited for: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
