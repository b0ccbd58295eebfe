//! Repositories for tests, and a reader to ask about them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use countersign::adapters::git::GitError;
use countersign::adapters::git::record::Opened;
use countersign::adapters::reader::{Line, Order, Question, Reader, Reply};
use countersign::model::change::{Counts, FileChange, FileHunks, Shape};
use countersign::model::id::{Oid, RepoPath, Ticket};

/// A repository in a folder of its own.
pub(crate) struct Repo {
    home: tempfile::TempDir,
    pub(crate) top: PathBuf,
}

/// git with nothing of the machine's configuration.
pub(crate) fn git(dir: &Path) -> Command {
    let mut command = Command::new("git");
    command
        .current_dir(dir)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", dir)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        // no work in the background that writes while a test looks
        .env("GIT_CONFIG_COUNT", "1")
        .env("GIT_CONFIG_KEY_0", "maintenance.auto")
        .env("GIT_CONFIG_VALUE_0", "false")
        .env("GIT_AUTHOR_NAME", "Mara")
        .env("GIT_AUTHOR_EMAIL", "mara@example.org")
        .env("GIT_COMMITTER_NAME", "Agent")
        .env("GIT_COMMITTER_EMAIL", "agent@example.org")
        .env("GIT_AUTHOR_DATE", "1700000000 +0000")
        .env("GIT_COMMITTER_DATE", "1700000000 +0000")
        .stdin(std::process::Stdio::null());
    command
}

pub(crate) fn run(dir: &Path, args: &[&str]) -> String {
    let out = git(dir).args(args).output().expect("git runs");
    assert!(
        out.status.success(),
        "git {args:?}: {}",
        String::from_utf8_lossy(&out.stderr)
    );
    String::from_utf8_lossy(&out.stdout).trim_end().to_owned()
}

impl Repo {
    /// An empty repository with the branch `main`.
    pub(crate) fn new() -> Self {
        let home = tempfile::tempdir().expect("a folder");
        let top = std::fs::canonicalize(home.path())
            .expect("its name")
            .join("repo");
        std::fs::create_dir(&top).expect("a folder");
        run(&top, &["init", "-q", "-b", "main"]);
        Self { home, top }
    }

    /// One with a first commit on `main` and the branch `change` checked out.
    pub(crate) fn with_change() -> Self {
        let repo = Self::new();
        repo.write("README.md", "harbor\n");
        repo.commit("start");
        repo.git(&["checkout", "-q", "-b", "change"]);
        repo
    }

    /// The folder around it.
    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    pub(crate) fn git(&self, args: &[&str]) -> String {
        run(&self.top, args)
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let file = self.top.join(path);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("folders");
        std::fs::write(file, text).expect("a file");
    }

    pub(crate) fn commit(&self, message: &str) -> Oid {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self.id("HEAD")
    }

    pub(crate) fn id(&self, name: &str) -> Oid {
        Oid::parse(&self.git(&["rev-parse", name])).expect("an id")
    }

    pub(crate) fn order(&self) -> Order {
        order(&self.top)
    }

    /// Opens the change against `main` and waits until everything is known.
    pub(crate) fn review(&self) -> Review {
        let mut asker = Asker::new();
        let order = Order {
            base: Some("main".to_owned()),
            ..self.order()
        };
        let opened = asker.open(order).expect("it opens");
        Review {
            files: asker.files(),
            opened,
            asker,
        }
    }
}

pub(crate) fn order(dir: &Path) -> Order {
    Order {
        dir: dir.to_path_buf(),
        base: None,
        pull_request_base: None,
        contracts: Vec::new(),
        picked: None,
        format: None,
        memory: None,
        request: None,
    }
}

/// A change that was opened.
pub(crate) struct Review {
    pub(crate) opened: Box<Opened>,
    pub(crate) files: Vec<FileChange>,
    pub(crate) asker: Asker,
}

impl Review {
    pub(crate) fn file(&self, path: &str) -> &FileChange {
        let wanted = RepoPath::from(path);
        self.files
            .iter()
            .find(|f| f.path == wanted)
            .unwrap_or_else(|| panic!("{path} among {:?}", self.files))
    }

    pub(crate) fn shape(&self, path: &str) -> &Shape {
        match &self.file(path).shape {
            countersign::model::known::Known::Is(shape) => shape,
            other => panic!("{path}: {other:?}"),
        }
    }
}

/// A reader that is asked and waited for.
pub(crate) struct Asker {
    pub(crate) reader: Reader,
    replies: Receiver<(Ticket, Reply)>,
    next: u64,
    kept: Vec<(Ticket, Reply)>,
    opened: Ticket,
}

pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

impl Asker {
    pub(crate) fn new() -> Self {
        Self::with(env!("CARGO_BIN_EXE_countersign"))
    }

    pub(crate) fn with(program: &str) -> Self {
        let (send, replies) = channel();
        let reader = Reader::spawn_as(program.into(), move |ticket, reply| {
            let _ = send.send((ticket, reply));
        });
        Self {
            reader: reader.expect("a reader"),
            replies,
            next: 0,
            kept: Vec::new(),
            opened: Ticket(0),
        }
    }

    pub(crate) fn ask(&mut self, question: Question) -> Ticket {
        self.next += 1;
        let ticket = Ticket(self.next);
        self.reader.ask(ticket, question);
        ticket
    }

    /// The next reply to a ticket; others are kept.
    pub(crate) fn reply(&mut self, ticket: Ticket) -> Reply {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(at) = self.kept.iter().position(|(t, _)| *t == ticket) {
                return self.kept.remove(at).1;
            }
            let left = until.saturating_duration_since(Instant::now());
            self.kept
                .push(self.replies.recv_timeout(left).expect("a reply in time"));
        }
    }

    pub(crate) fn open(&mut self, order: Order) -> Result<Box<Opened>, GitError> {
        self.opened = self.ask(Question::Open(order));
        match self.reply(self.opened) {
            Reply::Opened(opened) => opened,
            other => panic!("{other:?}"),
        }
    }

    /// The complete list.
    pub(crate) fn files(&mut self) -> Vec<FileChange> {
        loop {
            match self.reply(self.opened) {
                Reply::Files {
                    files,
                    complete: true,
                    cut: None,
                } => return files,
                Reply::Files { cut: None, .. } => {}
                other => panic!("{other:?}"),
            }
        }
    }

    pub(crate) fn hunks(&mut self, file: &FileChange) -> (Shape, Option<FileHunks>, Counts) {
        let ticket = self.ask(Question::Hunks {
            path: file.path.clone(),
            old: file.old,
            new: file.new,
        });
        match self.reply(ticket) {
            Reply::Hunks {
                shape,
                hunks: Ok(hunks),
                counts,
                ..
            } => (shape, hunks, counts),
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn lines(
        &mut self,
        path: &RepoPath,
        blob: Oid,
        lines: std::ops::Range<u32>,
        tokens: bool,
    ) -> Vec<Line> {
        let ticket = self.ask(Question::Lines {
            path: path.clone(),
            blob,
            lines,
            tokens,
        });
        match self.reply(ticket) {
            Reply::Lines { lines, .. } => lines.expect("lines"),
            other => panic!("{other:?}"),
        }
    }
}
