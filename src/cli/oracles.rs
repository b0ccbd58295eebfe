//! What `trust` and `floor run` know of a contract's oracles: what would run, where, under which
//! wall, and what an approval of it would bind.

use std::path::Path;
use std::time::Duration;

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
use crate::adapters::oracle::wall;
use crate::adapters::trust::{self, Approvals, Before, Binding, TrustError};
use crate::config;
use crate::gate::policy::Policy;
use crate::model::contract::{Contract, Criterion};
use crate::model::id::Digest;
use crate::model::oracle::{Ground, Isolation, Oracle, RunPlace};
use crate::runtime::policy;

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
    /// What approvals bind of the contract: one digest for all of its criteria.
    contract_blob: Digest,
}

impl Site {
    /// Reads the contract and the change it lies in.
    ///
    /// # Errors
    /// A [`Report`].
    pub fn read(
        context: &Context,
        path: &Path,
        mut settings: Settings,
        place: RunPlace,
    ) -> Result<Self, Report> {
        let given = contract::file::given(&context.dir, path)?;
        let worktree = given.worktree.as_deref().unwrap_or(&context.dir);
        let here = place::here(worktree)?;
        let (policy, faults) = policy::in_force(&Policy::default(), &here.policy);
        if !faults.is_empty() {
            return Err(super::config::refused_by_repository(faults));
        }
        settings.isolation = settings.isolation.max(policy.isolation_floor);
        let shell = environment::shell().map(|path| path.display().to_string());
        let environment = Environment::from_process(&settings.pass, Path::new("/"));
        let contract = read(&given.path, &given.bytes, None);
        Ok(Self {
            here,
            folders: place::folders()?,
            contract_blob: trust::contract_without_evidence(&contract, &given.bytes),
            contract,
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
        self.contract_blob = trust::contract_without_evidence(&self.contract, &bytes);
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
            contract_blob: self.contract_blob,
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
            ground: Ground::Head,
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
            merge_base: self.here.snapshot.merge_base,
            place: self.place,
            worktree: self.here.worktree.clone(),
            key: Digest::of_fields(&[&self.here.repository.0, self.here.change.as_bytes()]),
            contract: self.file.clone(),
        }
    }

    /// The files that each of many commands also runs; `before` names the tree to compare with.
    ///
    /// # Errors
    /// A [`Report`] when the repository cannot be read.
    pub fn also_runs(&self, oracles: &[(&Oracle, &Before)]) -> Result<Vec<AlsoRuns>, Report> {
        let since = |before: &Before| match before {
            Before::OtherTree(approval) => Some(approval.tree),
            Before::This(_) | Before::OtherBytes(_) | Before::Never => None,
        };
        let commands = oracles.iter();
        let commands: Vec<_> = commands
            .map(|(oracle, before)| (&oracle.check, since(before)))
            .collect();
        checkout::also_runs_of(&SlotSetup::own(), &self.pinned(), &commands)
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

/// Where runs take place.
#[must_use]
pub fn place_of(live: bool) -> RunPlace {
    if live {
        RunPlace::Live
    } else {
        RunPlace::Checkout
    }
}

/// How runs are made by these settings of the person: the same for `floor run`, `trust show` and a
/// session. Neither a contract nor a repository has a say in it. `asked` is the level of a flag;
/// else the best that this host offers is taken.
///
/// # Errors
/// A [`Report`]: this host has no wall as strong as the floor or the level asked for, that level
/// is none or below the floor, or a name never passes.
pub fn settings(of: &config::Settings, asked: Option<u8>) -> Result<Settings, Report> {
    let host = Settings::of_host();
    let floor = of.policy.isolation_floor;
    let isolation = match asked {
        Some(level) => asked_level(level, floor)?,
        None => host.isolation.max(floor),
    };
    if let Err(why) = wall::offers(isolation) {
        let level = isolation.level();
        let message = format!("isolation level {level} is not to be had here: {why}");
        return Err(Report::new(Exit::CouldNotMeasure, "isolation", message)
            .hint("run it on a host that offers it; a lower level is never taken in silence"));
    }
    let refused = Environment::from_process(&of.oracle_env, Path::new("/")).refused;
    if !refused.is_empty() {
        let message = format!("{} never passes to an oracle", refused.join(", "));
        return Err(Report::new(Exit::Usage, "oracle-env", message)
            .hint("take it out of oracle-env in config.toml"));
    }
    Ok(Settings {
        isolation,
        limit: Duration::from_secs(of.oracle_seconds),
        jobs: of.jobs,
        pass: of.oracle_env.clone(),
        ..host
    })
}

fn asked_level(asked: u8, floor: Isolation) -> Result<Isolation, Report> {
    let refused = |message: String, hint: String| {
        Err(Report::new(Exit::Usage, "isolation", message).hint(hint))
    };
    match Isolation::of_level(asked) {
        Some(level) if level >= floor => Ok(level),
        Some(_) => refused(
            format!("level {asked} is below the policy's {}", floor.level()),
            format!("ask for level {} or more", floor.level()),
        ),
        None => refused(
            format!("there is no level {asked}"),
            "name a level from 1 to 3".into(),
        ),
    }
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
