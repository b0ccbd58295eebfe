//! `ledger sync` over real protocols on the loopback: git's own, and SSH; and what it costs.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use countersign::adapters::ledger_store::new_id;
use countersign::adapters::sync::{Address, Outcome, sync};
use countersign::ledger::entry::Body;
use countersign::ledger::verify::Status;

use super::fixture::{Bench, kick_back, ratify};
use super::sync::Shared;
use crate::support::clean;

/// A port of the loopback behind which each caller meets a program of its own.
struct Port {
    port: u16,
    /// Bytes that callers sent.
    sent: Arc<AtomicU64>,
    ended: Arc<AtomicBool>,
}

impl Port {
    fn open(program: impl Fn() -> Command + Send + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let port = listener.local_addr().expect("its address").port();
        let (sent, ended) = (
            Arc::new(AtomicU64::new(0)),
            Arc::new(AtomicBool::new(false)),
        );
        let (count, end) = (Arc::clone(&sent), Arc::clone(&ended));
        std::thread::spawn(move || {
            for caller in listener.incoming() {
                if end.load(Ordering::SeqCst) {
                    break;
                }
                if let Ok(caller) = caller {
                    attend(caller, program(), &count);
                }
            }
        });
        Self { port, sent, ended }
    }

    fn sent(&self) -> u64 {
        self.sent.load(Ordering::SeqCst)
    }
}

impl Drop for Port {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::SeqCst);
        drop(TcpStream::connect(("127.0.0.1", self.port)));
    }
}

fn attend(caller: TcpStream, mut program: Command, count: &Arc<AtomicU64>) {
    let child = program
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut child = child.expect("the server starts");
    let (mut to, mut from) = (
        child.stdin.take().expect("in"),
        child.stdout.take().expect("out"),
    );
    let mut hears = caller.try_clone().expect("a second hand");
    let mut says = caller;
    let count = Arc::clone(count);
    std::thread::spawn(move || {
        let mut bytes = [0; 8192];
        while let Ok(len @ 1..) = hears.read(&mut bytes) {
            count.fetch_add(len as u64, Ordering::SeqCst);
            if to.write_all(&bytes[..len]).is_err() {
                break;
            }
        }
    });
    std::thread::spawn(move || {
        let _ = std::io::copy(&mut from, &mut says);
        let _ = says.shutdown(Shutdown::Both);
        let _ = child.wait();
    });
}

fn daemon(shared: &Shared) -> (Port, Address) {
    let base = shared.path().parent().expect("a folder").to_owned();
    let port = Port::open(move || {
        let mut git = clean("git", &base);
        git.args(["daemon", "--inetd", "--export-all", "--enable=receive-pack"])
            .arg(format!("--base-path={}", base.display()))
            .arg(&base);
        git
    });
    let text = format!("git://127.0.0.1:{}/shared.git", port.port);
    let address = Address::parse(text.as_bytes(), Path::new("/")).expect("an address");
    (port, address)
}

fn share(bench: &Bench, address: &Address) -> Outcome {
    let outcome = sync(&bench.store(), address, &mut |_| Ok(()));
    let outcome = outcome.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(
        (&outcome.unpublished, &outcome.complaints[..]),
        (&None, &[][..])
    );
    outcome
}

#[test]
#[cfg_attr(no_git, ignore = "needs git")]
fn over_the_git_protocol_both_sides_get_everything() {
    let shared = Shared::new();
    let (_port, address) = daemon(&shared);
    let (ada, bo) = (Bench::new(), Bench::new());
    let mut writer = ada.writer("Ada");
    ada.decide(&mut writer, kick_back("1", &"a long reason ".repeat(4000)));
    let mut writer = bo.writer("Bo");
    bo.decide(&mut writer, ratify("1"));
    for (bench, sent, received) in [
        (&ada, 2, 0),
        (&bo, 2, 2),
        (&ada, 0, 2),
        (&Bench::new(), 0, 4),
    ] {
        let outcome = share(bench, &address);
        assert_eq!((outcome.sent, outcome.received), (sent, received));
        let history = bench.load();
        assert_eq!(history.status, Status::Ok, "{:?}", history.findings);
    }
    assert_eq!(ada.load().conflicts.len(), 1);
    assert_eq!(ada.load().conflicts, bo.load().conflicts);
}

/// What a sync sends is what is new: of a shard of a thousand entries the one that was added.
#[test]
#[cfg_attr(no_git, ignore = "needs git")]
fn one_more_entry_costs_one_entry() {
    let shared = Shared::new();
    let (port, address) = daemon(&shared);
    let ada = Bench::new();
    let mut writers: Vec<_> = (0..40).map(|_| ada.writer("Ada")).collect();
    let many = (0..1000).map(|number: u32| {
        let why = format!("reason {number}");
        (
            new_id().expect("an id"),
            Body::Decision(kick_back("1", &why)),
        )
    });
    writers[7]
        .append_all(many.collect(), || Ok(()))
        .expect("recorded");
    let size = ada.bytes(writers[7].shard()).len() as u64;
    share(&ada, &address);
    let first = port.sent();
    ada.decide(&mut writers[7], ratify("2"));
    assert_eq!(share(&ada, &address).sent, 1);
    let second = port.sent() - first;
    assert!(
        size > 500_000 && second < 6000,
        "{second} bytes for one entry of {size}"
    );
    share(&ada, &address);
    let nothing = port.sent() - first - second;
    assert!(nothing < 1000, "{nothing} bytes for nothing");
}

/// A server as whoever runs the tests, with keys and settings of its own in a folder.
fn ssh(home: &Path) -> Port {
    for name in ["host", "person"] {
        let made = clean("ssh-keygen", home)
            .args(["-q", "-t", "ed25519", "-N", "", "-C", "", "-f"])
            .arg(home.join(name))
            .status();
        assert!(made.is_ok_and(|status| status.success()));
    }
    if crate::support::is_root() {
        // sshd of root wants this folder, which a running one would have made.
        std::fs::create_dir_all("/run/sshd").expect("made");
    }
    let path = std::env::var("PATH").expect("a PATH");
    let at = home.display();
    let settings = format!(
        "HostKey {at}/host\nAuthorizedKeysFile {at}/person.pub\nStrictModes no\nUsePAM no\n\
         PasswordAuthentication no\nKbdInteractiveAuthentication no\n\
         PermitRootLogin prohibit-password\nPidFile none\nLogLevel QUIET\n\
         SetEnv \"PATH={path}\"\n"
    );
    std::fs::write(home.join("sshd_config"), settings).expect("written");
    let config = home.join("sshd_config");
    let sshd = std::env::split_paths(&path)
        .chain(["/usr/sbin".into()])
        .map(|folder| folder.join("sshd"))
        .find(|file| file.is_file())
        .expect("sshd");
    let home = home.to_owned();
    Port::open(move || {
        let mut server = clean(sshd.to_str().expect("text"), &home);
        server.arg("-i").arg("-f").arg(&config);
        server
    })
}

#[test]
#[cfg_attr(
    any(no_git, no_sshd, no_ssh_keygen),
    ignore = "needs git and an OpenSSH server"
)]
fn over_ssh_the_program_shares_what_an_agent_asserted() {
    let shared = Shared::new();
    let keys = tempfile::tempdir().expect("a folder");
    let port = ssh(keys.path());
    let user = Command::new("id")
        .arg("-un")
        .output()
        .expect("a name")
        .stdout;
    let at = keys.path().display();
    let host_key = std::fs::read_to_string(keys.path().join("host.pub")).expect("a key");
    let known = format!("[127.0.0.1]:{} {host_key}", port.port);
    std::fs::write(keys.path().join("known"), known).expect("written");
    let client = format!(
        "Host harbor\n HostName 127.0.0.1\n Port {}\n User {}\n IdentityFile {at}/person\n \
         IdentitiesOnly yes\n UserKnownHostsFile {at}/known\n StrictHostKeyChecking yes\n",
        port.port,
        String::from_utf8_lossy(&user).trim()
    );
    std::fs::write(keys.path().join("ssh_config"), client).expect("written");
    let address = format!("ssh://harbor{}", shared.path().display());

    let desks = [super::command::Desk::new(), super::command::Desk::new()];
    for desk in &desks {
        let setting = format!("[core]\n sshCommand = ssh -F {at}/ssh_config\n");
        std::fs::write(desk.home().join(".gitconfig"), setting).expect("written");
    }
    assert_eq!(desks[0].assert("verify", "all 8", "they are met").code, 0);
    for (desk, sent, received) in [(&desks[0], 2, 0), (&desks[1], 0, 2)] {
        let (code, said) = desk.json(&["ledger", "sync", &address]);
        assert_eq!(code, 0, "{said}");
        let did = &said["sync"];
        assert_eq!(
            (did["sent"].as_u64(), did["received"].as_u64()),
            (Some(sent), Some(received))
        );
        assert_eq!(did["remote"], address);
    }
    let (code, queue) = desks[1].json(&["queue"]);
    assert_eq!(
        (code, queue["items"][0]["why"].as_str()),
        (3, Some("they are met"))
    );

    // Another host key is another host.
    std::fs::remove_file(keys.path().join("known")).expect("removed");
    let said = desks[1].run(&["ledger", "sync", &address]);
    assert_eq!(said.code, 10, "{}", said.out);
    assert!(
        said.err.contains("Host key verification failed"),
        "{}",
        said.err
    );
    assert!(
        said.err.contains("0 entries are unpublished"),
        "{}",
        said.err
    );
}

/// What `ledger sync` refuses before it starts anything.
#[test]
fn addresses_that_a_repository_slips_in_are_not_taken() {
    let shared = Shared::new();
    let desk = super::command::Desk::new();
    assert_eq!(desk.assert("verify", "all 8", "they are met").code, 0);
    let said = desk.run(&["ledger", "sync"]);
    assert_eq!(said.code, 2, "{}", said.out);
    assert!(
        said.err.contains("this repository has none"),
        "{}",
        said.err
    );
    let said = desk.run(&["ledger", "sync", "team"]);
    assert!(said.err.contains("none of the name team"), "{}", said.err);

    let repository = git2::Repository::open(desk.worktree()).expect("it opens");
    let mut config = repository.config().expect("settings");
    let folder = shared.path();
    let marker = desk.home().join("was-run");
    let ext = format!("ext::sh -c touch% {}", marker.display());
    for url in [
        folder.to_str().expect("text"),
        &ext,
        "http://forge.example/x",
        "-oProxyCommand=x",
    ] {
        config.set_str("remote.team.url", url).expect("set");
        let said = desk.run(&["ledger", "sync", "team"]);
        assert_eq!(said.code, 2, "{url}: {}", said.out);
        assert!(said.err.contains("no remote to share with"), "{}", said.err);
    }
    let said = desk.run(&["ledger", "sync", &ext]);
    assert_eq!(said.code, 2, "{}", said.out);
    assert!(!marker.exists(), "nothing was run");

    // The same folder from the person's own hand is taken.
    config.remove("remote.team.url").expect("removed");
    let said = desk.run(&["ledger", "sync", folder.to_str().expect("text")]);
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{}", said.out);
    assert!(
        said.out.contains("2 entries sent, 0 entries received"),
        "{}",
        said.out
    );
}
