//! The person's own client of a forge as a child process. It holds the token; we never read one.
//!
//! Arguments are a list and no shell is between. Of the environment only what such a client needs
//! passes, by name: values are not looked at. The child starts in an empty folder of ours, so
//! that no repository can configure it (rulings K18).

use std::io::{self, Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::call::{Answer, Line, Method, NoReply};
use crate::model::text::{Foreign, Place};

/// Longest wait for one answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// Most bytes of one answer.
const ANSWER: u64 = 64 << 20;

/// Most bytes of what the client says beside it.
const SAID: u64 = 16 << 10;

/// Variables that pass: where the client and its settings are, its account, the way to the net.
const PASSES: [&str; 26] = [
    "PATH",
    "HOME",
    "XDG_CONFIG_HOME",
    "XDG_STATE_HOME",
    "XDG_DATA_HOME",
    "XDG_CACHE_HOME",
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
    "GH_CONFIG_DIR",
    "GH_TOKEN",
    "GITHUB_TOKEN",
    "GH_ENTERPRISE_TOKEN",
    "GITHUB_ENTERPRISE_TOKEN",
    "GLAB_CONFIG_DIR",
    "GITLAB_TOKEN",
    "GITLAB_ACCESS_TOKEN",
    "OAUTH_TOKEN",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "HTTPS_PROXY",
    "https_proxy",
    "NO_PROXY",
    "no_proxy",
    "ALL_PROXY",
    "all_proxy",
    "TMPDIR",
];

/// Variables that we set: nothing is asked for, nothing is colored, nothing is looked up.
const SETS: [(&str, &str); 7] = [
    ("LC_ALL", "C.UTF-8"),
    ("NO_COLOR", "1"),
    ("GH_PROMPT_DISABLED", "1"),
    ("GH_NO_UPDATE_NOTIFIER", "1"),
    ("GH_PAGER", "cat"),
    ("NO_PROMPT", "1"),
    ("GLAB_CHECK_UPDATE", "false"),
];

/// Which client.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Program {
    /// GitHub's.
    Gh,
    /// GitLab's.
    Glab,
}

impl Program {
    fn name(self) -> &'static str {
        match self {
            Self::Gh => "gh",
            Self::Glab => "glab",
        }
    }

    fn command(self) -> Command {
        match self {
            Self::Gh => Command::new("gh"),
            Self::Glab => Command::new("glab"),
        }
    }

    /// Headers that every question has.
    fn headers(self) -> &'static [&'static str] {
        match self {
            Self::Gh => &[
                "Accept: application/vnd.github+json",
                "X-GitHub-Api-Version: 2022-11-28",
            ],
            Self::Glab => &["Accept: application/json"],
        }
    }

    /// Whether a failure means that there is no account for the host.
    fn no_account(self, code: Option<i32>, said: &str) -> bool {
        match self {
            Self::Gh => code == Some(4),
            Self::Glab => said.contains("auth login"),
        }
    }
}

/// A client for one host.
#[derive(Debug)]
pub(super) struct Client {
    program: Program,
    host: String,
    cwd: PathBuf,
}

impl Client {
    pub(super) fn new(program: Program, host: &str, cwd: &Path) -> Self {
        Self {
            program,
            host: host.to_owned(),
            cwd: cwd.to_owned(),
        }
    }

    fn failed(&self, why: &str) -> NoReply {
        let why = Foreign::from(why).shown(Place::Strict).plain();
        NoReply::Failed(self.program.name(), self.host.clone(), why)
    }

    fn command(&self, method: Method, path: &str, with_body: bool) -> Command {
        let mut command = self.program.command();
        for (name, _) in std::env::vars_os() {
            if !PASSES.iter().any(|passes| name == *passes) {
                command.env_remove(name);
            }
        }
        command
            .envs(SETS)
            .current_dir(&self.cwd)
            .args(["api", "--include", "--method", method.word()])
            .args(["--hostname", &self.host]);
        for header in self.program.headers() {
            command.args(["--header", header]);
        }
        if with_body {
            command.args(["--header", "Content-Type: application/json"]);
            command.args(["--input", "-"]);
        }
        command
            .arg(path)
            .stdin(if with_body {
                Stdio::piped()
            } else {
                Stdio::null()
            })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }
}

impl Line for Client {
    fn call(
        &mut self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Answer, NoReply> {
        let mut command = self.command(method, path, body.is_some());
        let mut child = command.spawn().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => NoReply::NoProgram(self.program.name()),
            _ => self.failed(&error.to_string()),
        })?;
        let sent = child.stdin.take().zip(body).map(|(mut pipe, body)| {
            let body = body.to_string();
            std::thread::spawn(move || {
                let _ = pipe.write_all(body.as_bytes());
            })
        });
        let out = listen(child.stdout.take(), ANSWER);
        let err = listen(child.stderr.take(), SAID);
        let status = wait(&mut child, PATIENCE).map_err(|error| self.failed(&error.to_string()))?;
        let Some(status) = status else {
            return Err(NoReply::Silent(self.host.clone(), PATIENCE.as_secs()));
        };
        if let Some(sent) = sent {
            let _ = sent.join();
        }
        let (out, whole) = out.join().unwrap_or_default();
        let (err, _) = err.join().unwrap_or_default();
        if let Some(mut answer) = parse(&out) {
            if !whole {
                answer.cut = Some("it is longer than 64 MiB");
            }
            return Ok(answer);
        }
        let said = String::from_utf8_lossy(&err);
        if self.program.no_account(status.code(), &said) {
            return Err(NoReply::NoAccount(self.program.name(), self.host.clone()));
        }
        let first = said.lines().map(str::trim).find(|line| !line.is_empty());
        Err(self.failed(first.unwrap_or("it said nothing")))
    }
}

/// Splits what `--include` prints: a line with the status, headers, an empty line, the body.
fn parse(out: &[u8]) -> Option<Answer> {
    let mut rest = out;
    let mut line = || {
        let end = memchr::memchr(b'\n', rest)?;
        let (line, after) = rest.split_at(end);
        rest = after.get(1..).unwrap_or_default();
        Some(String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line)).into_owned())
    };
    let first = line()?;
    let status = first.strip_prefix("HTTP/")?.split(' ').nth(1)?;
    let mut answer = Answer {
        status: status.parse().ok()?,
        ..Answer::default()
    };
    loop {
        let line = line()?;
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':') {
            let header = (name.trim().to_ascii_lowercase(), value.trim().to_owned());
            answer.headers.push(header);
        }
    }
    answer.body = rest.to_vec();
    Some(answer)
}

/// Reads a stream to its end; what is over the limit is thrown away, and said.
fn listen(stream: Option<impl Read + Send + 'static>, limit: u64) -> JoinHandle<(Vec<u8>, bool)> {
    std::thread::spawn(move || {
        let mut heard = Vec::new();
        let mut over = 0;
        if let Some(mut stream) = stream {
            let _ = stream.by_ref().take(limit).read_to_end(&mut heard);
            over = io::copy(&mut stream, &mut io::sink()).unwrap_or(1);
        }
        (heard, over == 0)
    })
}

/// Waits for its end; `None` when it had to be stopped.
fn wait(child: &mut Child, patience: Duration) -> io::Result<Option<std::process::ExitStatus>> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() > patience {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_client_prints_is_split_or_is_no_answer() {
        let good = b"HTTP/1.1 200 OK\nLink: <u>; rel=\"next\"\r\nX-Total: 4\r\n\r\n{\"a\":\n1}";
        let answer = parse(good).expect("an answer");
        assert_eq!(answer.status, 200);
        assert!(answer.more());
        assert_eq!(answer.header("x-total"), Some("4"));
        assert_eq!(answer.body, b"{\"a\":\n1}");
        for bad in [
            &b""[..],
            b"{}",
            b"HTTP/2.0",
            b"HTTP/2.0 200 OK\n",
            b"HTTP/2.0 200 OK\nA: b\r\n",
            b"HTTP/2.0 many OK\n\r\n",
        ] {
            assert_eq!(parse(bad), None, "{}", String::from_utf8_lossy(bad));
        }
    }

    #[test]
    fn a_client_gets_what_it_needs_and_no_debugging() {
        let client = Client::new(Program::Gh, "forge.example", Path::new("/"));
        let command = client.command(Method::Get, "repos/a/b/pulls/7", false);
        let args: Vec<_> = command.get_args().collect();
        assert_eq!(args.last().copied(), Some("repos/a/b/pulls/7".as_ref()));
        // whatever else this process has is taken away
        for (name, value) in command.get_envs() {
            let ours = SETS.iter().any(|(set, _)| name == *set);
            assert_eq!(ours, value.is_some(), "{}", name.display());
        }
        for never in ["GH_DEBUG", "DEBUG", "GH_HOST", "GH_REPO", "LD_PRELOAD"] {
            assert!(!PASSES.contains(&never), "{never}");
        }
    }
}
