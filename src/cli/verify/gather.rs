//! Everything that a verdict rests on, read once: files that were given, the change, the ledger.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::adapters::folders::Folders;
use crate::adapters::git::record::Opened;
use crate::adapters::ledger_store::LedgerStore;
use crate::adapters::papers::{self, PAPER_CAP};
use crate::adapters::reader::Order;
use crate::adapters::who;
use crate::cli::Context;
use crate::cli::args::VerifyArgs;
use crate::cli::config::user_settings;
use crate::cli::contract::file;
use crate::cli::exit::Exit;
use crate::cli::place::{self, Ear};
use crate::cli::pulls::{self, Found};
use crate::cli::report::Report;
use crate::cli::threads;
use crate::gate::dossier::Dossier;
use crate::gate::floor::scope::Tracer;
use crate::gate::policy::Policy;
use crate::gate::verify::since::Since;
use crate::gate::verify::threads::Looked;
use crate::ledger::replay::History;
use crate::model::format::Format;
use crate::model::known::{Known, Reason};
use crate::model::scope::Scope;
use crate::model::text::{Foreign, Place};
use crate::runtime::request::{self, Inputs};
use crate::runtime::{opening, policy, since};

/// What the command line says, with its files read.
#[derive(Clone, Debug)]
pub struct Given {
    /// The folder of the worktree.
    pub dir: PathBuf,
    /// The base, where it is named.
    pub base: Option<String>,
    /// The contract, where it is named.
    pub contracts: Vec<PathBuf>,
    /// The format that its contract is read as; `None` detects it.
    pub format: Option<Format>,
    /// What stands beside the repository.
    pub inputs: Inputs,
    /// The person's own knobs.
    pub policy: Policy,
    /// The person's name in our own config.
    pub name: Option<String>,
    /// Our folders.
    pub folders: Folders,
    /// Another binary as the reader.
    pub reader: Option<PathBuf>,
    /// The pull request that it is, whose worktree lives as long as this.
    pub pull: Option<Arc<Found>>,
}

impl Given {
    /// Reads the files of a command line.
    ///
    /// # Errors
    /// A [`Report`]: a caller's bundle that can't be read whole, or broken settings.
    pub fn read(context: &Context, args: &VerifyArgs) -> Result<Self, Report> {
        let settings = user_settings()?.settings;
        let (target, base) = (args.target.as_deref(), args.base.as_deref());
        let found = pulls::find(context, target, &args.pull, base)?;
        found.tell();
        Ok(Self {
            dir: found.dir(),
            base: args.base.clone(),
            contracts: args.contract.clone(),
            format: crate::cli::contract::forced(args.contract_format.as_deref())?,
            inputs: inputs(
                &context.dir,
                &found.threads(&args.threads),
                args.findings.as_deref(),
                args.bundle.as_deref(),
                args.round,
            )?,
            policy: settings.policy,
            name: settings.name,
            folders: place::folders()?,
            reader: None,
            pull: matches!(found, Found::Pull(_)).then(|| Arc::new(found)),
        })
    }
}

/// Reads threads, findings and a caller's bundle. Findings that can't be read are a breaker (A3);
/// a bundle that can't be read is no call at all.
///
/// # Errors
/// A [`Report`] with every fault of the bundle.
pub fn inputs(
    dir: &Path,
    threads: &[String],
    findings: Option<&Path>,
    bundle: Option<&Path>,
    round: Option<u32>,
) -> Result<Inputs, Report> {
    let mut inputs = Inputs {
        round,
        ..Inputs::default()
    };
    if !threads.is_empty() {
        inputs.threads = Known::Is(threads::files(dir, threads).threads);
    }
    if let Some(path) = findings {
        let read = file::regular(&dir.join(path), PAPER_CAP);
        let read = read.and_then(|bytes| papers::findings(&bytes).map_err(|f| said(&f)));
        inputs.findings = match read {
            Ok(findings) => Known::Is(findings),
            Err(why) => Known::Unknown(Reason::new(format!("{}: {why}", shown(path)))),
        };
    }
    if let Some(path) = bundle {
        let bytes = file::regular(&dir.join(path), PAPER_CAP).map_err(|why| {
            let message = format!("{} could not be read: {why}", shown(path));
            Report::new(Exit::Usage, "bundle", message).hint("name a file of the caller")
        })?;
        let read = papers::bundle(&bytes).map_err(|faults| {
            let message = format!("{}: {}", shown(path), said(&faults));
            Report::new(Exit::Usage, "bundle", message)
                .hint("see the manual page for what a bundle holds")
        })?;
        inputs.caller = Known::Is(read);
    }
    Ok(inputs)
}

fn said(faults: &papers::Faults) -> String {
    let one = |(at, what): &(String, String)| format!("{at}: {what}");
    let text: Vec<String> = faults.iter().map(one).collect();
    Foreign::from(text.join("; ")).shown(Place::Strict).plain()
}

fn shown(path: &Path) -> String {
    let text = path.to_string_lossy().into_owned();
    Foreign::from(text).shown(Place::Strict).plain()
}

/// The facts, and what they came from.
#[derive(Debug)]
pub struct Gathered {
    /// The facts.
    pub dossier: Dossier,
    /// The knobs in force.
    pub policy: Policy,
    /// Top of the worktree.
    pub worktree: PathBuf,
    /// What opening found.
    pub opened: Opened,
    /// What the ledger holds.
    pub history: History,
    /// What happened since the last round; does not apply without one.
    pub since: Known<Since>,
}

/// Reads the change and the ledger.
///
/// # Errors
/// A [`Report`]: the change cannot be looked at.
pub fn gather(given: &Given) -> Result<Gathered, Report> {
    let name = shown(&given.dir);
    let trouble = |why: String, hint: String| {
        let message = format!("could not read the change in {name}: {why}");
        Report::new(Exit::CouldNotMeasure, "no-change", message).hint(hint)
    };
    let again = |why: String| trouble(why, "try again".into());
    let dir = std::path::absolute(&given.dir)
        .map_err(|error| trouble(error.to_string(), "give a folder with -C".into()))?;
    let ear = Ear::of(given.reader.as_deref()).map_err(again)?;
    let order = Order {
        dir,
        base: given.base.clone(),
        pull_request_base: given.inputs.base(),
        contracts: given.contracts.clone(),
        picked: None,
        format: given.format.map(|format| format.name().to_owned()),
        memory: None,
        request: given.inputs.asked(),
    };
    let opened = ear
        .open(order)
        .map_err(again)?
        .map_err(|error| trouble(error.says(), error.hint()))?;
    let mut opened = *opened;
    let files = ear.files().map_err(again)?;
    request::stand_in(&mut opened, &given.inputs);
    let looked: Vec<Looked> = match &given.inputs.threads {
        Known::Is(threads) => ear.look(&threads.threads, &opened.snapshot),
        _ => Vec::new(),
    };
    let store = LedgerStore::new(&given.folders, opened.change.repository);
    let history = store.load(&opened.change.key);
    let kept = since::kept_decisions(&mut opened, &history, |question| ear.since(question).ok());
    let (policy, faults) = policy::in_force(&given.policy, &opened.policy);
    let person = who::find(given.name.as_deref());
    let mut dossier = opening::dossier(&opened, &history, kept, person);
    dossier.policy_faults = faults;
    dossier.scope = match (&opened.contract, &files) {
        (Known::Is(record), Ok(files)) => Known::Is(Tracer::new(&record.contract).trace(files)),
        (Known::NotSupplied, Ok(_)) => Known::Is(Scope::default()),
        (Known::Unknown(why) | Known::NotApplicable(why), _) => Known::Unknown(why.clone()),
        (_, Err(why)) => Known::Unknown(Reason::new(why.clone())),
    };
    let beside = request::request(&given.inputs, &opened, &looked, &policy);
    dossier.files = match files {
        Ok(files) => Known::Is(files),
        Err(why) => Known::Unknown(Reason::new(why)),
    };
    request::put(&mut dossier, beside, &policy);
    let since = since::judged(&dossier, |question| ear.round(question).map(|a| *a));
    Ok(Gathered {
        since,
        dossier,
        policy,
        worktree: opened.worktree.clone(),
        opened,
        history,
    })
}
