//! Every way out gives the terminal back (T1, T2, T3).

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::process::Command;
use std::time::{Duration, Instant};

use countersign::runtime::guard::{self, Guard};
use rustix::process::{Pid, Signal, kill_process};

use super::seat::Seat;
use super::{Seen, Terminal, wait_for};
use crate::support::{clean, countersign};

/// This test program again, as the child of a test.
fn as_child(name: &str) -> (tempfile::TempDir, Command) {
    let home = tempfile::tempdir().expect("a folder");
    let this = std::env::current_exe().expect("this program");
    let mut command = clean(this.to_str().expect("a plain path"), home.path());
    command.args(["--exact", name, "--ignored", "--nocapture"]);
    (home, command)
}

#[test]
fn a_panic_in_any_thread_gives_the_terminal_back_and_ends_with_101() {
    for child in ["here", "elsewhere"] {
        let name = format!("pty::way_out::a_panic_{child}");
        let (_home, command) = as_child(&name);
        let mut terminal = Terminal::start(&command, 80, 24);
        let code = terminal.ends();
        assert_eq!(code, 101, "{child}: {}", terminal.seen().text());
        terminal.is_as_before();
        let seen = terminal.until("the report", Seen::closed);
        let all = String::from_utf8_lossy(&seen.bytes);
        assert!(all.contains("\u{1b}[?1049h"), "it took the terminal");
        assert!(all.contains("a fault of ours"), "{all}");
        assert!(all.contains("drafts kept"), "{all}");
        assert!(all.contains("rm^Mls^["), "the message is escaped: {all}");
    }
}

#[test]
#[ignore = "the child of another test"]
fn a_panic_here() {
    let _guard = taken();
    panic!("rm\rls\u{1b}[2J");
}

#[test]
#[ignore = "the child of another test"]
fn a_panic_elsewhere() {
    let _guard = taken();
    let thread = std::thread::spawn(|| panic!("rm\rls\u{1b}[2J"));
    let _ = thread.join();
    std::process::exit(0);
}

fn taken() -> std::sync::Arc<Guard> {
    let guard = Guard::open(true).expect("a terminal");
    guard::on_panic(|| {
        let _ = writeln!(std::io::stderr(), "drafts kept");
    });
    guard.enter().expect("the terminal is taken");
    guard
}

#[test]
fn leaving_by_key_gives_the_terminal_back_and_ends_with_the_json_line() {
    let seat = Seat::new();
    let mut terminal = seat.open();
    terminal.keys("q");
    terminal.shows("y leave undecided");
    terminal.keys("y");
    assert_eq!(terminal.ends(), 5);
    terminal.is_as_before();
    let seen = terminal.seen();
    let text = String::from_utf8_lossy(&seen.bytes).into_owned();
    let last = text.lines().last().unwrap_or_default();
    let value: serde_json::Value = serde_json::from_str(last).expect("the last line is JSON");
    assert_eq!(value["schema"], "countersign/session/1");
    assert_eq!(value["exit"], 5);
    assert_eq!(value["ruling"], serde_json::Value::Null);
}

#[test]
fn every_ending_signal_gives_the_terminal_back() {
    for (signal, code) in [
        (Signal::TERM, 143),
        (Signal::HUP, 129),
        (Signal::INT, 130),
        (Signal::QUIT, 131),
    ] {
        let seat = Seat::new();
        let mut terminal = seat.open();
        terminal.keys("b");
        terminal.shows("Ctrl-s kick back");
        terminal.keys("half a thought");
        wait_for("a draft", || seat.drafts().contains("half"));
        terminal.signal(signal);
        assert_eq!(terminal.ends(), code, "{signal:?}");
        terminal.is_as_before();
        assert!(seat.drafts().contains("half a thought"), "{signal:?}");
    }
}

#[test]
fn stopping_gives_the_terminal_back_and_continuing_draws_again() {
    let seat = Seat::new();
    let mut terminal = seat.open();
    for (round, by_key) in [true, false, true].into_iter().enumerate() {
        if by_key {
            terminal.keys("\u{1a}");
        } else {
            terminal.signal(Signal::TSTP);
        }
        let pid = terminal.pid();
        wait_for("it stops", || state_of(pid) == 'T');
        terminal.is_as_before();
        terminal.signal(Signal::CONT);
        let again = &format!("the screen is there again, round {round}");
        drop(terminal.until(again, |seen| {
            seen.parser.screen().alternate_screen() && seen.text().contains("verdict")
        }));
        terminal.keys("j");
        wait_for("it runs", || state_of(pid) != 'T');
        assert!(round < 3);
    }
    // For a moment after coming back, keys that decide are not heard.
    terminal.keys("q");
    terminal.shows("y leave undecided");
    terminal.keys_until_gone("y");
    assert_eq!(terminal.ends(), 5);
    terminal.is_as_before();
}

#[test]
fn a_terminal_that_goes_away_ends_the_session_with_its_draft_on_disk() {
    let seat = Seat::new();
    let mut bare = Bare::start(&seat.command(&["review"]));
    bare.shows("opened at");
    bare.keys("b");
    bare.shows("Ctrl-s kick back");
    bare.keys("before the line dropped");
    wait_for("a draft", || seat.drafts().contains("before"));
    let pid = bare.pid();
    let reader = child_of(pid);
    let begun = Instant::now();
    bare.hang_up();
    wait_for("it is gone", || matches!(state_of(pid), 'Z' | ' '));
    assert!(
        begun.elapsed() < Duration::from_secs(2),
        "{:?}",
        begun.elapsed()
    );
    wait_for("its reader is gone", || {
        matches!(state_of(reader), 'Z' | ' ')
    });
    assert!(seat.drafts().contains("before the line dropped"));
}

/// A terminal with one descriptor, so that closing it is a hang-up.
struct Bare {
    master: Option<File>,
    child: std::process::Child,
    parser: vt100::Parser,
}

impl Bare {
    fn start(command: &Command) -> Self {
        use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let master = openpt(flags).expect("a terminal");
        grantpt(&master).expect("a terminal");
        unlockpt(&master).expect("a terminal");
        let name = ptsname(&master, Vec::new()).expect("its name");
        let size = rustix::termios::Winsize {
            ws_row: 30,
            ws_col: 100,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        rustix::termios::tcsetwinsize(&master, size).expect("its size");
        let path = name.to_str().expect("a path").to_owned();
        let open = || {
            let mut options = File::options();
            let slave = options.read(true).write(true).open(&path);
            slave.expect("the other end")
        };
        let mut outer = Command::new("setsid");
        outer
            .arg("--ctty")
            .arg(command.get_program())
            .args(command.get_args());
        outer.env_clear();
        for (name, value) in command.get_envs() {
            if let Some(value) = value {
                outer.env(name, value);
            }
        }
        outer.current_dir(command.get_current_dir().expect("a folder"));
        outer.stdin(open()).stdout(open()).stderr(open());
        let child = outer.spawn().expect("it starts");
        rustix::io::ioctl_fionbio(&master, true).expect("non-blocking");
        Self {
            master: Some(File::from(master)),
            child,
            parser: vt100::Parser::new(super::cells(30), super::cells(100), 0),
        }
    }

    fn keys(&mut self, keys: &str) {
        let master = self.master.as_mut().expect("open");
        master.write_all(keys.as_bytes()).expect("it takes keys");
    }

    fn shows(&mut self, words: &str) {
        let end = Instant::now() + super::DEADLINE;
        let mut chunk = [0; 8192];
        loop {
            let got = self.master.as_mut().expect("open").read(&mut chunk);
            if let Ok(count) = got {
                self.parser.process(&chunk[..count]);
            } else if self.parser.screen().contents().contains(words) {
                return;
            }
            let screen = self.parser.screen().contents();
            assert!(Instant::now() < end, "waited for {words}:\n{screen}");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    fn hang_up(&mut self) {
        self.master = None;
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_reader_that_dies_is_said_and_the_session_goes_on() {
    let seat = Seat::new();
    let mut terminal = seat.open();
    let reader = child_of(terminal.pid());
    kill_process(reader, Signal::KILL).expect("killed");
    terminal.shows("the reader stopped and is started again");
    terminal.keys("\u{1b}[15~");
    terminal.shows("read again");
    super::seat::wait_until_listed(&terminal);
    assert_ne!(child_of(terminal.pid()), reader);
    terminal.keys("q");
    terminal.shows("y leave undecided");
    terminal.keys_until_gone("y");
    assert_eq!(terminal.ends(), 5);
}

#[test]
fn a_terminal_that_takes_nothing_holds_no_signal_up() {
    let seat = Seat::new();
    let mut bare = Bare::start(&seat.command(&["review"]));
    bare.shows("opened at");
    // each redraws the whole screen, and nobody reads: the terminal is full long before the end
    for _ in 0..40 {
        bare.keys("\u{c}");
    }
    let end = Instant::now() + super::DEADLINE;
    kill_process(bare.pid(), Signal::TERM).expect("sent");
    while bare.child.try_wait().expect("asked").is_none() {
        assert!(Instant::now() < end, "it did not end");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_killed_session_loses_at_most_the_last_keys() {
    let seat = Seat::new();
    let mut terminal = seat.open();
    terminal.keys("b");
    terminal.shows("Ctrl-s kick back");
    let text = "0123456789".repeat(10);
    for piece in text.as_bytes().chunks(5) {
        terminal.keys(std::str::from_utf8(piece).expect("digits"));
    }
    let most = || seat.drafts().contains(&text[..68]);
    wait_for("most of it is on disk", most);
    terminal.signal(Signal::KILL);
    let _ = terminal.ends();
    let kept = seat.drafts();
    let longest = (0..=text.len())
        .rev()
        .find(|length| kept.contains(&text[..*length]))
        .unwrap_or(0);
    assert!(
        text.len() - longest <= 32,
        "{longest} of {} kept",
        text.len()
    );
}

#[test]
fn without_a_terminal_it_names_what_works_and_ends_with_2() {
    let home = tempfile::tempdir().expect("a folder");
    let piped = countersign(home.path())
        .arg("review")
        .output()
        .expect("it runs");
    assert_eq!(piped.status.code(), Some(2));
    let said = String::from_utf8_lossy(&piped.stderr).into_owned();
    assert!(
        said.contains("--plain") && said.contains("floor status"),
        "{said}"
    );
    let seat = Seat::new();
    for term in ["dumb", ""] {
        let mut command = seat.command(&["review"]);
        command.env("TERM", term);
        let mut terminal = Terminal::start(&command, 80, 24);
        assert_eq!(terminal.ends(), 2, "{term:?}");
        terminal.shows("--plain");
        terminal.is_as_before();
    }
}

#[test]
fn a_redirected_stdout_carries_only_the_last_line() {
    let seat = Seat::new();
    let out = seat.home().with_extension("out");
    let inner = seat.command(&["review"]);
    let mut command = seat.command(&[]);
    command = shell_like(&command, &inner, &out.display().to_string());
    let mut terminal = Terminal::start(&command, 100, 30);
    super::seat::wait_until_read(&terminal);
    terminal.keys("q");
    terminal.shows("y leave undecided");
    terminal.keys("y");
    assert_eq!(terminal.ends(), 5);
    terminal.is_as_before();
    let text = std::fs::read_to_string(&out).expect("the file");
    assert_eq!(text.lines().count(), 1, "{text}");
    let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(value["exit"], 5);
}

/// `inner` below a shell that sends its standard output into a file; environment of `outer`.
fn shell_like(outer: &Command, inner: &Command, out: &str) -> Command {
    let mut command = Command::new("/bin/sh");
    let words: Vec<String> = std::iter::once(inner.get_program())
        .chain(inner.get_args())
        .map(|word| format!("'{}'", word.to_string_lossy()))
        .collect();
    command
        .arg("-c")
        .arg(format!("exec {} >{out}", words.join(" ")));
    for (name, value) in outer.get_envs() {
        if let Some(value) = value {
            command.env(name, value);
        }
    }
    if let Some(dir) = outer.get_current_dir() {
        command.current_dir(dir);
    }
    command
}

/// The letter of a process's state; a blank when it is gone.
fn state_of(pid: Pid) -> char {
    let path = format!("/proc/{}/stat", pid.as_raw_nonzero());
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let after = text.rsplit_once(')').map(|(_, after)| after.trim_start());
    after.and_then(|text| text.chars().next()).unwrap_or(' ')
}

/// A child process of this one.
fn child_of(pid: Pid) -> Pid {
    let path = format!("/proc/{0}/task/{0}/children", pid.as_raw_nonzero());
    let mut tasks = Vec::new();
    let _ = std::fs::read_to_string(&path).map(|text| tasks.push(text));
    let all = format!("/proc/{}/task", pid.as_raw_nonzero());
    for task in std::fs::read_dir(all).expect("a process").flatten() {
        let text = std::fs::read_to_string(task.path().join("children"));
        tasks.extend(text);
    }
    let first = tasks.iter().flat_map(|t| t.split_whitespace()).next();
    let id = first.and_then(|id| id.parse().ok()).expect("a child");
    Pid::from_raw(id).expect("a process id")
}
