//! The external judge of the spec gate: a command of the person's own configuration, run cold. It
//! gets copies of `spec.md` and of the suites in a private folder, and what else it can see are
//! the system's programs and folders that the person named (spec-gate 2.7, 2.8).
//!
//! A run needs an approval of exactly this command over exactly these copies, as an oracle needs
//! one. Level 3 is the only one that keeps the change itself out of sight, so there is no other.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use crate::adapters::folders::{Folders, private};
use crate::adapters::git::regular;
use crate::adapters::trust::{Approvals, Binding, refusal};
use crate::model::id::{CriterionId, Digest, Oid, RepoPath};
use crate::model::oracle::{Ended, Expect, Isolation, KEPT_HEAD as HEAD, Oracle, RunPlace};
use crate::model::text::{Foreign, Place};

use super::bubblewrap::meets;
use super::environment::{self, Environment};
use super::slot::{Finished, Sight, Slot, SlotError, SlotSetup, Stopper};

/// The variable that names the suites which the change touched, one a line.
pub const TOUCHED: &str = "SPEC_TOUCHED";
/// Largest stored report.
const STORED: u64 = HEAD as u64;

/// The judge, as the person configured it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Judge {
    /// The command, for bash.
    pub command: Foreign,
    /// How long it may take.
    pub limit: Duration,
    /// Names of further variables that pass.
    pub pass: Vec<String>,
    /// Further folders and files that it may read.
    pub reads: Vec<PathBuf>,
    /// Whether it reaches the network.
    pub network: bool,
}

/// What a judge is given: copies, by their names inside the spec.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Given {
    /// The files.
    pub files: Vec<(RepoPath, Vec<u8>)>,
    /// Those of them that the change touched.
    pub touched: Vec<RepoPath>,
}

impl Given {
    /// SHA-256 of names, bytes and which of them were touched.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let mut fields: Vec<&[u8]> = vec![b"countersign judged 1"];
        for (path, bytes) in &self.files {
            let touched: &[u8] = if self.touched.contains(path) {
                b"touched"
            } else {
                b"there"
            };
            fields.extend([path.as_bytes(), touched, bytes]);
        }
        Digest::of_fields(&fields)
    }
}

/// The change that is judged: what an approval binds beside the command.
#[derive(Clone, Debug)]
pub struct Of {
    /// Names the repository.
    pub repository: Digest,
    /// The root document.
    pub document: RepoPath,
    /// The tree of the head.
    pub tree: Oid,
    /// Folders that hold the change: its worktree and its repository.
    pub hidden: Vec<PathBuf>,
}

impl Judge {
    /// Why this judge can never run, when it cannot. A lower-case fragment.
    #[must_use]
    pub fn refusal(&self, of: &Of) -> Option<String> {
        let holds = |read: &&PathBuf| {
            let real = fs::canonicalize(read).unwrap_or_else(|_| (*read).clone());
            of.hidden
                .iter()
                .any(|one| meets(read, one) || meets(&real, one))
        };
        if let Some(read) = self.reads.iter().find(holds) {
            let read = Foreign::new(read.as_os_str().as_bytes().to_vec());
            let read = read.shown(Place::Strict);
            return Some(format!(
                "judge-reads names {read}, which the change lies in"
            ));
        }
        if environment::shell().is_none() {
            return Some("bash is not installed".into());
        }
        let never = Environment::from_process(&self.pass, Path::new("/")).refused;
        if let Some(name) = never.first() {
            return Some(format!("{name} never passes to a judge"));
        }
        refusal(&self.command)
    }

    /// SHA-256 of what it may reach beside the copies.
    fn reach(&self) -> Digest {
        let network: &[u8] = if self.network { b"network" } else { b"alone" };
        let mut fields: Vec<&[u8]> = vec![b"countersign judge 1", network];
        fields.extend(self.reads.iter().map(|path| path.as_os_str().as_bytes()));
        Digest::of_fields(&fields)
    }

    /// What an approval binds: the bytes of the command, everything it may reach, and the copies.
    #[must_use]
    pub fn binding(&self, of: &Of, given: &Given) -> Binding {
        let shell = environment::shell();
        let shell = shell.map(|path| path.display().to_string());
        Binding {
            repository: of.repository,
            contract: of.document.clone(),
            criterion: CriterionId::new("judge").unwrap_or_else(|| CriterionId::ordinal(0)),
            command: Digest::of(self.command.raw()),
            expect: self.reach(),
            contract_blob: given.digest(),
            tree: of.tree,
            place: RunPlace::Checkout,
            shell: shell.unwrap_or_default(),
            environment: Environment::from_process(&self.pass, Path::new("/")).names(),
            isolation: Isolation::Network,
        }
    }

    /// Names of the variables that pass and are set.
    #[must_use]
    pub fn environment(&self) -> Vec<String> {
        let mut names = Environment::from_process(&self.pass, Path::new("/")).present();
        names.push(TOUCHED.into());
        names
    }

    /// What its report over these copies is stored under.
    fn name(&self, given: &Given) -> String {
        Digest::of_fields(&[self.command.raw(), &self.reach().0, &given.digest().0]).to_string()
    }

    /// The report that it gave over exactly these copies; none when it was not run over them.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub fn report(&self, state: &Path, given: &Given) -> Result<Option<Vec<u8>>, String> {
        let place = state.join("judged").join(self.name(given));
        regular::read(&place, STORED).map_err(|error| error.says())
    }

    fn store(&self, state: &Path, given: &Given, report: &[u8]) -> io::Result<()> {
        let folder = state.join("judged");
        private(&folder)?;
        let mut file = tempfile::Builder::new()
            .prefix(".new-")
            .tempfile_in(&folder)?;
        file.write_all(report)?;
        file.as_file().sync_all()?;
        file.persist(folder.join(self.name(given)))
            .map_err(|error| error.error)?;
        File::open(&folder)?.sync_all()
    }
}

/// Runs the judge over the copies, when a person approved exactly that, and stores what it wrote.
/// `started` is given a handle that ends the run.
///
/// # Errors
/// Why there is no report: it never started, was ended, or ended otherwise than with 0.
pub fn run(
    program: &Path,
    folders: &Folders,
    judge: &Judge,
    of: &Of,
    given: &Given,
    started: impl FnOnce(Stopper),
) -> Result<Vec<u8>, String> {
    if let Some(why) = judge.refusal(of) {
        return Err(why);
    }
    let approvals = Approvals::open(&folders.state).map_err(|error| error.to_string())?;
    if approvals.covers(&judge.binding(of, given)).is_none() {
        return Err("not approved".into());
    }
    let said = |error: io::Error| format!("no private folder: {error}");
    let cache = folders.cache.join("judge");
    private(&cache).map_err(said)?;
    let folder = tempfile::Builder::new()
        .prefix("cold-")
        .tempdir_in(&cache)
        .map_err(said)?;
    let (specs, tmp) = (folder.path().join("specs"), folder.path().join("tmp"));
    private(&specs).and_then(|()| private(&tmp)).map_err(said)?;
    lay(&specs, given).map_err(said)?;
    let shell = environment::shell().ok_or("bash is not installed")?;
    let mut environment = Environment::from_process(&judge.pass, &tmp);
    let touched: Vec<&[u8]> = given.touched.iter().map(RepoPath::as_bytes).collect();
    environment
        .variables
        .push((TOUCHED.into(), OsString::from_vec(touched.join(&b'\n'))));
    let setup = SlotSetup {
        program: program.to_owned(),
        isolation: Isolation::Network,
        tree: specs,
        tmp,
        caches: Vec::new(),
        reads: judge.reads.clone(),
        environment,
        shell,
        sight: Sight::Cold {
            network: judge.network,
            hidden: of.hidden.clone(),
        },
    };
    let mut slot = Slot::start(&setup).map_err(|error: SlotError| error.to_string())?;
    started(slot.stopper());
    let oracle = Oracle {
        check: judge.command.clone(),
        check_line: 0,
        check_span: 0..0,
        expect: Expect::ExitOnly,
        expect_line: 0,
        expect_span: 0..0,
    };
    let finished = slot.run(&oracle, judge.limit, |_| {});
    let finished = finished.map_err(|error| error.to_string())?;
    let report = written(finished, judge.limit)?;
    judge
        .store(&folders.state, given, &report)
        .map_err(|error| format!("its report could not be stored: {error}"))?;
    Ok(report)
}

/// The report of a run that ended by itself, whole.
fn written(finished: Finished, limit: Duration) -> Result<Vec<u8>, String> {
    let why = match finished.ended {
        Ended::Exited(0) if finished.stdout.bytes > HEAD as u64 => {
            format!("it wrote more than {} KiB", HEAD >> 10)
        }
        Ended::Exited(0) if finished.stdout.bytes == 0 => String::from("it wrote nothing"),
        Ended::Exited(0) => return Ok(finished.stdout.head.raw().to_vec()),
        Ended::Exited(code) => format!("it ended with {code}"),
        Ended::Signalled(signal) => format!("signal {signal} ended it"),
        Ended::TimedOut => format!("it was ended after {} s", limit.as_secs_f32()),
        Ended::Interrupted => String::from("it was stopped"),
        Ended::NotStarted(why) => why,
    };
    let said = finished.stderr.head.shown_lines(Place::Prose);
    let said = said.iter().rev().map(crate::model::text::Shown::plain);
    let said = said.map(|line| line.trim().to_owned());
    let last = said.into_iter().find(|line| !line.is_empty());
    let last: Option<String> = last.map(|line| line.chars().take(200).collect());
    Err(match last {
        Some(line) => format!("{why}; its last words: {line}"),
        None => why,
    })
}

/// Lays the copies out in an empty folder.
fn lay(folder: &Path, given: &Given) -> io::Result<()> {
    for (path, bytes) in &given.files {
        let path = Path::new(OsStr::from_bytes(path.as_bytes()));
        let plain = |part: Component<'_>| matches!(part, Component::Normal(_));
        if !path.components().all(plain) {
            return Err(io::Error::other("a file has no plain name"));
        }
        let place = folder.join(path);
        private(place.parent().unwrap_or(folder))?;
        let mut file = File::options()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(place)?;
        file.write_all(bytes)?;
    }
    Ok(())
}
