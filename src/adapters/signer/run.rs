//! The calls of `ssh-keygen`: what it gets, and what its answers mean.

use std::fs;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::key::{Key, KeyFile};
use crate::ledger::seal::NAMESPACE;
use crate::model::text::{Foreign, Place};

/// Where the program may be; no other is taken for it.
const PLACES: [&str; 4] = [
    "/usr/bin/ssh-keygen",
    "/usr/local/bin/ssh-keygen",
    "/opt/homebrew/bin/ssh-keygen",
    "/run/current-system/sw/bin/ssh-keygen",
];

/// What a signature needs of the person's environment: their agent, and the library that speaks
/// to their hardware key.
const KEPT: [&str; 3] = ["SSH_AUTH_SOCK", "SSH_SK_PROVIDER", "HOME"];

/// How long a call may take that asks nobody anything.
const PATIENCE: Duration = Duration::from_secs(20);

/// The program, when it is installed.
#[must_use]
pub fn keygen() -> Option<&'static Path> {
    let mut places = PLACES.iter().map(Path::new);
    places.find(|path| path.is_file())
}

fn command() -> io::Result<Command> {
    let program = keygen().ok_or_else(|| io::Error::other("ssh-keygen is not installed"))?;
    let mut command = Command::new(program);
    command
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("LANG", "C");
    for name in KEPT {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    Ok(command)
}

/// What the program says of a signature.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Answer {
    /// Good, for this name, now, for this purpose.
    Good,
    /// The list does not take it; why.
    NotListed(String),
    /// It is no signature over these bytes; why.
    Bad(String),
}

/// Asks whether `signature` over `bytes` is good for `by`.
pub(super) fn verify(
    folder: &Path,
    list: &[u8],
    by: &str,
    signature: &str,
    bytes: &[u8],
) -> io::Result<Answer> {
    let work = tempfile::Builder::new()
        .prefix("check-")
        .tempdir_in(folder)?;
    let at = |name: &str, content: &[u8]| -> io::Result<PathBuf> {
        let path = work.path().join(name);
        fs::write(&path, content)?;
        Ok(path)
    };
    let signers = at("signers", list)?;
    let seal = at("seal.sig", signature.as_bytes())?;
    let mut message = tempfile::tempfile_in(folder)?;
    message.write_all(bytes)?;
    message.seek(SeekFrom::Start(0))?;
    let mut command = command()?;
    command
        .current_dir(work.path())
        .args(["-Y", "verify", "-n", NAMESPACE, "-I", by, "-f"])
        .arg(&signers)
        .arg("-s")
        .arg(&seal);
    let (status, said) = finish(&mut command, Stdio::from(message))?;
    if status.success() {
        return Ok(Answer::Good);
    }
    let why = reason(&said, &signers);
    Ok(if is_no_signature(&said) {
        Answer::Bad(why)
    } else {
        Answer::NotListed(why)
    })
}

/// Words of the program that mean: this was not signed, whatever the list says.
fn is_no_signature(said: &str) -> bool {
    const MARKS: [&str; 4] = [
        "incorrect signature",
        "namespace does not match",
        "Couldn't parse signature",
        "Signature verification failed",
    ];
    MARKS.iter().any(|mark| said.contains(mark))
}

/// The first line of what it said, without our own paths.
fn reason(said: &str, signers: &Path) -> String {
    let ours = signers.to_string_lossy();
    let line = said.lines().map(str::trim).find(|line| !line.is_empty());
    let line = line.unwrap_or_default();
    let line = match line.strip_prefix(&*ours) {
        Some(rest) => format!("line {}", rest.trim_start_matches(':')),
        None => line.to_owned(),
    };
    match line.as_str() {
        "" | "Could not verify signature." => "no line of it has this name and this key".into(),
        _ => Foreign::from(line).shown(Place::Strict).plain(),
    }
}

/// Runs a call to its end, or ends it; what it said.
fn finish(command: &mut Command, stdin: Stdio) -> io::Result<(ExitStatus, String)> {
    let mut child = command
        .stdin(stdin)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()?;
    let mut errors = child.stderr.take();
    let reader = std::thread::spawn(move || {
        let mut said = Vec::new();
        if let Some(errors) = &mut errors {
            let _ = errors.take(64 * 1024).read_to_end(&mut said);
        }
        String::from_utf8_lossy(&said).into_owned()
    });
    let status = wait(&mut child)?;
    Ok((status, reader.join().unwrap_or_default()))
}

fn wait(child: &mut Child) -> io::Result<ExitStatus> {
    let end = Instant::now() + PATIENCE;
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if Instant::now() >= end {
            let _ = child.kill();
            let _ = child.wait();
            return Err(io::Error::other("ssh-keygen gave no answer in time"));
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// A signature in the making: our bytes in our own folder, which goes with it.
#[derive(Debug)]
pub struct Handover {
    work: tempfile::TempDir,
    key: PathBuf,
    quiet: bool,
}

impl Handover {
    pub(super) fn new(folder: &Path, key: &Key, bytes: &[u8]) -> io::Result<Self> {
        let work = tempfile::Builder::new()
            .prefix("seal-")
            .tempdir_in(folder)?;
        fs::write(work.path().join("seal"), bytes)?;
        let file = match &key.file {
            KeyFile::Path(path) => path.clone(),
            KeyFile::Written(line) => {
                let path = work.path().join("key.pub");
                fs::write(&path, format!("{line}\n"))?;
                path
            }
        };
        Ok(Self {
            work,
            key: file,
            quiet: key.is_quiet(),
        })
    }

    /// Whether the person has to be asked for something: then it needs the terminal.
    #[must_use]
    pub fn needs_terminal(&self) -> bool {
        !self.quiet
    }

    fn command(&self) -> io::Result<Command> {
        let mut command = command()?;
        command
            .current_dir(self.work.path())
            .args(["-Y", "sign", "-n", NAMESPACE, "-f"])
            .arg(&self.key)
            .arg("seal");
        Ok(command)
    }

    /// The call that speaks with the person on the terminal; its three streams are the caller's
    /// to set.
    ///
    /// # Errors
    /// No `ssh-keygen`.
    pub fn on_terminal(&self) -> io::Result<Command> {
        let mut command = self.command()?;
        command.env("SSH_ASKPASS_REQUIRE", "never");
        if let Some(term) = std::env::var_os("TERM") {
            command.env("TERM", term);
        }
        Ok(command)
    }

    /// Makes the signature without a word to anybody.
    ///
    /// # Errors
    /// Why there is none.
    pub fn sign_quietly(&self) -> io::Result<String> {
        let mut command = self.command()?;
        // Should it want a passphrase all the same, the answer is no, and no prompt in a screen.
        command
            .env("SSH_ASKPASS_REQUIRE", "force")
            .env("SSH_ASKPASS", "/bin/false");
        let (status, said) = finish(&mut command, Stdio::null())?;
        if status.success() {
            return self.signature();
        }
        let last = said.lines().map(str::trim).rfind(|line| !line.is_empty());
        let why = Foreign::from(last.unwrap_or("it did not say why")).shown(Place::Strict);
        Err(io::Error::other(format!("ssh-keygen: {why}")))
    }

    /// The signature that the call left.
    ///
    /// # Errors
    /// There is none.
    pub fn signature(&self) -> io::Result<String> {
        let path = self.work.path().join("seal.sig");
        let file = fs::File::open(path).map_err(|_| io::Error::other("no signature was made"))?;
        let mut text = String::new();
        file.take(64 * 1024).read_to_string(&mut text)?;
        Ok(text)
    }
}
