//! What `trust` and `floor run` know of a contract's oracles: what would run, where, under which
//! wall, and what an approval of it would bind.

use std::path::Path;

use super::exit::Exit;
use super::place::{self, Here};
use super::report::Report;
use super::{Context, contract};
use crate::adapters::checkout::{self, AlsoRuns, Pinned};
use crate::adapters::contract::read;
use crate::adapters::folders::Folders;
use crate::adapters::oracle::client::{Bench, RunOrder, Settings};
use crate::adapters::oracle::environment::{self, Environment};
use crate::adapters::oracle::slot::SlotSetup;
use crate::adapters::trust::{self, Approvals, Before, Binding, TrustError};
use crate::model::contract::{Contract, Criterion};
use crate::model::id::Digest;
use crate::model::oracle::{Oracle, RunPlace};

/// A contract given on the command line, with everything that its runs would be bound to.
#[derive(Clone, Debug)]
pub struct Site {
    /// The change.
    pub here: Here,
    /// Our folders.
    pub folders: Folders,
    /// The contract.
    pub contract: Contract,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The file.
    pub file: std::path::PathBuf,
    /// How runs are made.
    pub settings: Settings,
    /// Where.
    pub place: RunPlace,
    shell: Option<String>,
    environment: Environment,
}

impl Site {
    /// Reads the contract and the change it lies in.
    ///
    /// # Errors
    /// A [`Report`].
    pub fn read(
        context: &Context,
        path: &Path,
        settings: Settings,
        place: RunPlace,
    ) -> Result<Self, Report> {
        let given = contract::file::given(&context.dir, path)?;
        let worktree = given.worktree.as_deref().unwrap_or(&context.dir);
        let here = place::here(worktree)?;
        let shell = environment::shell().map(|path| path.display().to_string());
        let environment = Environment::from_process(&settings.pass, Path::new("/"));
        Ok(Self {
            here,
            folders: place::folders()?,
            contract: read(&given.path, &given.bytes, None),
            bytes: given.bytes,
            file: std::path::absolute(&given.place).unwrap_or(given.place),
            settings,
            place,
            shell,
            environment,
        })
    }

    /// Reads the contract's file again; one that is gone has no bytes and no criteria.
    pub fn read_again(&mut self) {
        let bytes = match contract::file::given(Path::new("/"), &self.file) {
            Ok(given) => given.bytes,
            Err(_) => Vec::new(),
        };
        self.contract = read(&self.contract.path, &bytes, Some(self.contract.format));
        self.bytes = bytes;
    }

    /// The pinned objects.
    #[must_use]
    pub fn pinned(&self) -> Pinned {
        let snapshot = &self.here.snapshot;
        Pinned {
            gitdir: self.here.gitdir.clone(),
            head: snapshot.head,
            tree: snapshot.tree,
            base: snapshot.base,
            base_name: self.here.base_name.clone(),
            base_tree: snapshot.base_tree,
        }
    }

    /// What an approval of this criterion's oracle binds.
    #[must_use]
    pub fn binding(&self, criterion: &Criterion, oracle: &Oracle) -> Binding {
        Binding {
            repository: self.here.repository,
            contract: self.contract.path.clone(),
            criterion: criterion.id.clone(),
            command: oracle.command_digest(),
            expect: oracle.expect_digest(),
            contract_blob: trust::contract_without_evidence(&self.contract, &self.bytes),
            tree: self.here.snapshot.tree,
            place: self.place,
            shell: self.shell.clone().unwrap_or_default(),
            environment: self.environment.names(),
            isolation: self.settings.isolation,
        }
    }

    /// Every criterion with an oracle, in file order.
    pub fn oracles(&self) -> impl Iterator<Item = (&Criterion, &Oracle)> {
        let with = |criterion| {
            let criterion: &Criterion = criterion;
            criterion.oracle.as_ref().map(|oracle| (criterion, oracle))
        };
        self.contract.criteria.iter().filter_map(with)
    }

    /// The order to run one.
    #[must_use]
    pub fn order(&self, criterion: &Criterion, oracle: &Oracle) -> RunOrder {
        RunOrder {
            oracle: oracle.clone(),
            binding: self.binding(criterion, oracle),
        }
    }

    /// What a session of runs shares.
    #[must_use]
    pub fn bench(&self) -> Bench {
        Bench {
            program: SlotSetup::own(),
            folders: self.folders.clone(),
            settings: self.settings.clone(),
            pinned: self.pinned(),
            place: self.place,
            worktree: self.here.worktree.clone(),
            key: Digest::of_fields(&[&self.here.repository.0, self.here.change.as_bytes()]),
            contract: self.file.clone(),
        }
    }

    /// The files that a command also runs; `before` names the tree to compare with.
    ///
    /// # Errors
    /// A [`Report`] when the repository cannot be read.
    pub fn also_runs(&self, oracle: &Oracle, before: &Before) -> Result<AlsoRuns, Report> {
        let since = match before {
            Before::OtherTree(approval) => Some(approval.tree),
            Before::This(_) | Before::OtherBytes(_) | Before::Never => None,
        };
        checkout::also_runs(&SlotSetup::own(), &self.pinned(), since, &oracle.check)
            .map_err(|error| Report::new(Exit::CouldNotMeasure, "no-checkout", error.to_string()))
    }

    /// Absolute path of bash, when there is one.
    #[must_use]
    pub fn shell(&self) -> Option<&str> {
        self.shell.as_deref()
    }

    /// Names of the variables that pass and are set.
    #[must_use]
    pub fn environment(&self) -> Vec<String> {
        self.environment.present()
    }

    /// Why this oracle can never run here.
    #[must_use]
    pub fn refused(&self, oracle: &Oracle) -> Option<String> {
        if self.shell.is_none() {
            return Some("bash is not installed".into());
        }
        let unverifiable = crate::adapters::oracle::matcher::Pattern::compile(&oracle.expect);
        trust::refusal(&oracle.check).or(unverifiable.err().map(|why| why.to_string()))
    }
}

/// How runs are made here.
#[must_use]
pub fn settings() -> Settings {
    Settings::of_host()
}

/// The approvals of this user.
///
/// # Errors
/// A [`Report`] that says why none of them counts.
pub fn approvals(folders: &Folders) -> Result<Approvals, Report> {
    Approvals::open(&folders.state).map_err(|error| trouble(&error))
}

/// A failure of the approvals as a report.
#[must_use]
pub fn trouble(error: &TrustError) -> Report {
    let report = Report::new(Exit::CouldNotMeasure, "approvals", error.to_string());
    match error {
        TrustError::NoTerminal => report.hint("run it on a terminal, without pipes"),
        TrustError::Unsafe { .. } => {
            report.hint("look at the file, then remove it or set its mode to 0600")
        }
        TrustError::Damaged { .. } => report.hint("look at the file, then remove that line"),
        TrustError::Io(_) => report.hint("check the state folder"),
    }
}
