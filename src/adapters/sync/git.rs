//! The git program, for the two things that need its network code: fetch and push. It runs in
//! private repositories of ours (of `ledger sync`, of requests) and nowhere else, so that no
//! setting, hook or name of a reviewed repository can reach it (rulings K18).

use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::address::{Address, PROTOCOLS};

/// How long one call may take: long enough to type a passphrase and to carry a large ledger.
const PATIENCE: Duration = Duration::from_secs(600);

/// Most of what git says that is read.
const SAID: u64 = 64 << 10;

/// Variables of the person that git and ssh need; all others stay out.
const KEPT: [&str; 5] = [
    "PATH",
    "HOME",
    "XDG_CONFIG_HOME",
    "SSH_AUTH_SOCK",
    "GIT_SSL_CAINFO",
];

/// How a call ended.
#[derive(Debug)]
pub(super) enum Said {
    /// It worked.
    Done,
    /// It failed; what it said, on both streams, without secrets.
    Failed(String),
}

/// Fetches the refs of all writers; what they were before does not matter.
pub(super) fn fetch(repository: &Path, from: &Address) -> io::Result<Said> {
    let mut git = sealed(repository);
    git.args(["fetch", "--prune", "--no-tags", "--no-write-fetch-head"])
        .args(["--no-recurse-submodules", "--no-auto-maintenance"])
        .args(["--quiet", "--end-of-options", from.raw()])
        .arg("+refs/countersign/*:refs/countersign-in/*");
    run(git, from)
}

/// Fetches some refs by name, each as `from:to`; what they were before does not matter.
///
/// # Errors
/// When git cannot be started or waited for, or when it failed: then its words, without secrets.
pub fn fetch_refs(repository: &Path, from: &Address, refs: &[String]) -> io::Result<()> {
    let mut git = sealed(repository);
    git.args(["fetch", "--no-tags", "--no-write-fetch-head"])
        .args(["--no-recurse-submodules", "--no-auto-maintenance"])
        .args(["--quiet", "--end-of-options", from.raw()])
        .args(refs.iter().map(|one| format!("+{one}")));
    match run(git, from)? {
        Said::Done => Ok(()),
        Said::Failed(said) => Err(io::Error::other(super::brief(&said))),
    }
}

/// Pushes one ref, never by force.
pub(super) fn push(repository: &Path, to: &Address, name: &str) -> io::Result<Said> {
    let mut git = sealed(repository);
    git.args(["push", "--porcelain", "--no-verify", "--no-signed"])
        .args(["--no-follow-tags", "--recurse-submodules=no"])
        .args(["--end-of-options", to.raw()])
        .arg(format!("{name}:{name}"));
    run(git, to)
}

/// Whether a failed push only means that the ref moved meanwhile: fetch, join, push again.
pub(super) fn overtaken(said: &str) -> bool {
    const SIGNS: [&str; 6] = [
        "(fetch first)",
        "(non-fast-forward)",
        "(stale info)",
        "failed to update ref",
        "incorrect old value",
        "cannot lock ref",
    ];
    let mut lines = said.lines().filter(|line| line.starts_with('!'));
    lines.any(|line| SIGNS.iter().any(|sign| line.contains(sign)))
}

fn sealed(repository: &Path) -> Command {
    let mut git = Command::new("git");
    git.env_clear();
    for name in KEPT {
        git.envs(std::env::var_os(name).map(|value| (name, value)));
    }
    git.env("LC_ALL", "C")
        .env("GIT_ALLOW_PROTOCOL", PROTOCOLS)
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_NO_REPLACE_OBJECTS", "1")
        .current_dir(repository)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .arg("--git-dir")
        .arg(repository);
    for setting in [
        "core.hooksPath=/dev/null",
        "core.fsync=all",
        "protocol.ext.allow=never",
        "transfer.fsckObjects=true",
        "fetch.fsckObjects=true",
        "fetch.showForcedUpdates=false",
        "gc.auto=0",
        "maintenance.auto=false",
    ] {
        git.args(["-c", setting]);
    }
    git
}

fn run(mut git: Command, address: &Address) -> io::Result<Said> {
    let mut child = git.spawn()?;
    let out = listen(child.stdout.take());
    let err = listen(child.stderr.take());
    let status = wait(&mut child)?;
    let Some(status) = status else {
        return Ok(Said::Failed("it did not end in ten minutes".into()));
    };
    let hear = |ear: std::thread::JoinHandle<Vec<u8>>| ear.join().unwrap_or_default();
    let said = [hear(out), hear(err)].concat();
    if status.success() {
        return Ok(Said::Done);
    }
    let said = String::from_utf8_lossy(&said);
    Ok(Said::Failed(address.cleaned(&said)))
}

fn listen(stream: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut said = Vec::new();
        if let Some(mut stream) = stream {
            let _ = stream.by_ref().take(SAID).read_to_end(&mut said);
            let _ = io::copy(&mut stream, &mut io::sink());
        }
        said
    })
}

/// Waits for its end; `None` when it had to be stopped.
fn wait(child: &mut Child) -> io::Result<Option<std::process::ExitStatus>> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}
