//! `countersign spec judge`: the judge of the person's configuration, over the spec that the
//! change touches. It is run on a person's word only, and not before structure is clean (H20).

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

use super::args::At;
use super::base::Compared;
use super::desk::typed;
use super::facts::{Facts, Given};
use super::{gate, note_lines, print};
use crate::adapters::git::place::find;
use crate::adapters::oracle::judge::{self, Judge, Of};
use crate::adapters::oracle::slot::SlotSetup;
use crate::adapters::oracle::wall;
use crate::adapters::spec::files::joined;
use crate::adapters::trust::{Approvals, Before, Consent, wrapped};
use crate::cli::config::user_settings;
use crate::cli::exit::Exit;
use crate::cli::json::print_json;
use crate::cli::report::Report;
use crate::cli::signals::Signals;
use crate::cli::{Context, place};
use crate::config;
use crate::model::id::{Digest, RepoPath};
use crate::model::known::Known;
use crate::model::oracle::Isolation;
use crate::model::spec::{Root, Weight};
use crate::model::text::{Foreign, Place};
use crate::runtime::lines;

/// Columns of a command on the card.
const COLUMNS: usize = 78;

/// The judge of these settings; none when there is none.
pub(super) fn of_settings(settings: &config::Settings) -> Option<Judge> {
    let of = &settings.judge;
    let command = of.command.as_deref()?;
    Some(Judge {
        command: Foreign::from(command),
        limit: Duration::from_secs(of.seconds),
        pass: of.variables.clone(),
        reads: of.reads.iter().map(PathBuf::from).collect(),
        network: of.network,
    })
}

/// What the judge is given of a root: its document and its suites, as they were looked at.
///
/// # Errors
/// Which of them could not be read.
pub(super) fn given(compared: &Compared, root: &Root) -> Result<judge::Given, String> {
    let inner = |path: &RepoPath| {
        let skip = match root.dir.as_bytes().len() {
            0 => 0,
            length => length + 1,
        };
        RepoPath::new(path.as_bytes().get(skip..).unwrap_or_default())
    };
    let mut files = Vec::new();
    let document = joined(&root.dir, b"spec.md");
    for path in [&document].into_iter().chain(&root.suites) {
        match compared.after.get(path) {
            Some(Ok(bytes)) => files.push((inner(path), bytes.clone())),
            Some(Err(why)) => return Err(format!("{} {why}", super::acts::plain(path))),
            None => return Err(format!("{} is not there", super::acts::plain(path))),
        }
    }
    let touched = compared.pairs.iter().map(|pair| &pair.path);
    let touched = touched.filter(|path| root.suites.contains(path));
    let mut touched: Vec<RepoPath> = touched.map(inner).collect();
    touched.sort();
    Ok(judge::Given { files, touched })
}

/// The report of the person's own judge over exactly what is there now; none when it was not run
/// over it, or when there is no such judge.
pub(super) fn stored(compared: &Compared, roots: &[Root]) -> Option<Result<Vec<u8>, String>> {
    let [root] = roots else {
        return None;
    };
    let settings = user_settings().ok()?.settings;
    let judge = of_settings(&settings)?;
    let given = given(compared, root).ok()?;
    let folders = place::folders().ok()?;
    judge.report(&folders.state, &given).transpose()
}

/// Everything that is known before a run.
struct Seat {
    judge: Judge,
    of: Of,
    given: judge::Given,
}

/// How it went.
enum Came {
    /// There is a report, read by the gate.
    Read,
    /// It may not start; exit and reason.
    Closed(Exit, Vec<String>),
    /// It was started and gave no report.
    Failed(String),
}

/// Runs it.
pub(super) fn run(context: &Context, at: &At, given: &Given<'_>) -> Result<Exit, Report> {
    let facts = Facts::gather(context, at, given)?;
    let seat = seat(&facts)?;
    let mut approvals = Approvals::open(&place::folders()?.state).map_err(|error| {
        Report::new(Exit::CouldNotMeasure, "approvals", error.to_string())
            .hint("look at `countersign trust list`")
    })?;
    if !context.json {
        print(&card(&seat, &approvals));
    }
    let came = match closed(&facts, &seat) {
        Some((exit, why)) => Came::Closed(exit, why),
        None if approved(context, &seat, &mut approvals)? => judged(&seat)?,
        None => Came::Closed(Exit::PersonNeeded, vec![String::from("not approved")]),
    };
    // the gate reads what was stored, as it will from now on
    let again = match came {
        Came::Read => Some(Facts::gather(context, at, given)?),
        Came::Closed(..) | Came::Failed(_) => None,
    };
    if context.json {
        print_json(&document(&seat, &came, again.as_ref()));
    } else {
        print(&lines(&came, again.as_ref()));
    }
    Ok(exit(&came, again.as_ref()))
}

fn seat(facts: &Facts) -> Result<Seat, Report> {
    let settings = user_settings()?.settings;
    let judge = of_settings(&settings).ok_or_else(|| {
        Report::new(Exit::Usage, "no-judge", "your configuration names no judge")
            .hint("set judge in config.toml to a command that prints a report")
    })?;
    let [root] = facts.tree.roots.as_slice() else {
        let message = match facts.tree.roots.len() {
            0 => String::from("the change touches no spec"),
            many => format!("the change touches {many} specs"),
        };
        return Err(
            Report::new(Exit::Usage, "no-spec", message).hint("name the folder of one with --root")
        );
    };
    let given = given(&facts.compared, root).map_err(|why| {
        Report::new(Exit::CouldNotMeasure, "unreadable", why).hint("make it readable")
    })?;
    let here = place::here(&facts.compared.top)?;
    Ok(Seat {
        judge,
        of: Of {
            repository: here.repository,
            document: joined(&root.dir, b"spec.md"),
            tree: here.snapshot.tree,
            hidden: hidden(&facts.compared.top),
        },
        given,
    })
}

/// Where the change lies: its worktree and its repository, by every name they have.
fn hidden(top: &Path) -> Vec<PathBuf> {
    let found = find(top).ok();
    let git = found.map(|place| [place.gitdir, place.commondir]);
    let mut all = vec![top.to_owned()];
    all.extend(git.into_iter().flatten());
    let real: Vec<PathBuf> = all
        .iter()
        .filter_map(|path| path.canonicalize().ok())
        .collect();
    all.extend(real);
    all.sort();
    all.dedup();
    all
}

/// Why it is not started, whoever asks.
fn closed(facts: &Facts, seat: &Seat) -> Option<(Exit, Vec<String>)> {
    let bad: Vec<_> = facts
        .structural
        .iter()
        .filter(|note| note.weight == Weight::Violation)
        .cloned()
        .collect();
    if !bad.is_empty() {
        return Some((Exit::NotClear, note_lines(&bad)));
    }
    if let Some(why) = seat.judge.refusal(&seat.of) {
        return Some((Exit::Usage, vec![why]));
    }
    let wall = wall::offers(Isolation::Network);
    wall.err().map(|why| (Exit::CouldNotMeasure, vec![why]))
}

/// Whether a person approved exactly this; asked for at a terminal.
fn approved(context: &Context, seat: &Seat, approvals: &mut Approvals) -> Result<bool, Report> {
    let binding = seat.judge.binding(&seat.of, &seat.given);
    let renews = match approvals.before(&binding) {
        Before::This(_) => return Ok(true),
        Before::OtherTree(_) => true,
        Before::OtherBytes(_) | Before::Never => false,
    };
    let consent = Consent::at_terminal(&[&io::stdin(), &io::stdout()]);
    let Ok(consent) = consent else {
        return Ok(false);
    };
    if context.json {
        return Ok(false);
    }
    let words = if renews { "t" } else { "trust judge" };
    let does = if renews { "renew it" } else { "trust it" };
    let prompt = format!(" type  {words}  to {does} and run it, Enter to leave: ");
    let answer = typed(&prompt).unwrap_or_default();
    if answer != words && answer != "trust judge" {
        return Ok(false);
    }
    approvals
        .grant(&binding, &consent)
        .map_err(|error| Report::new(Exit::CouldNotMeasure, "approvals", error.to_string()))?;
    Ok(true)
}

/// Runs it until it ends; INT, TERM and HUP end it first.
fn judged(seat: &Seat) -> Result<Came, Report> {
    let failed = |error: io::Error| {
        let message = format!("no signals: {error}");
        Report::new(Exit::CouldNotMeasure, "signals", message)
    };
    let folders = place::folders()?;
    let signals = Signals::listen().map_err(failed)?;
    let over = Arc::new(Mutex::new(false));
    let seen = Arc::clone(&over);
    let watch = move |stopper: crate::adapters::oracle::slot::Stopper| {
        let _ = writeln!(lines::stderr(), "the judge runs");
        std::thread::spawn(move || {
            while !*seen.lock().unwrap_or_else(PoisonError::into_inner) {
                if signals.came() {
                    return stopper.stop();
                }
                std::thread::sleep(Duration::from_millis(50));
            }
        });
    };
    let (judge, of) = (&seat.judge, &seat.of);
    let report = judge::run(&SlotSetup::own(), &folders, judge, of, &seat.given, watch);
    *over.lock().unwrap_or_else(PoisonError::into_inner) = true;
    Ok(match report {
        Ok(_) => Came::Read,
        Err(why) => Came::Failed(Foreign::from(why).shown(Place::Prose).plain()),
    })
}

fn exit(came: &Came, again: Option<&Facts>) -> Exit {
    match (came, again) {
        (Came::Closed(exit, _), _) => *exit,
        (Came::Failed(_), _) | (Came::Read, None) => Exit::CouldNotMeasure,
        (Came::Read, Some(facts)) => match &facts.judge {
            Known::Is(report) if !report.faults.is_empty() => Exit::CouldNotMeasure,
            Known::Is(report) if report.blocks().is_empty() => Exit::Clear,
            Known::Is(_) => Exit::NotClear,
            Known::Unknown(_) | Known::NotSupplied | Known::NotApplicable(_) => {
                Exit::CouldNotMeasure
            }
        },
    }
}

/// What is out of reach, in words.
fn wall_words(judge: &Judge) -> &'static str {
    if judge.network {
        "own process table; the network is open, your policy grants it"
    } else {
        "own process table, no network"
    }
}

/// The card: everything that an approval binds, nothing cut.
fn card(seat: &Seat, approvals: &Approvals) -> Vec<String> {
    let (judge, given) = (&seat.judge, &seat.given);
    let before = approvals.before(&judge.binding(&seat.of, given));
    let of = super::acts::plain(&seat.of.document);
    let title = match &before {
        Before::This(approval) => format!("━ The judge of {of} is trusted as {}", approval.id),
        _ => format!("━ Trust the judge of {of}?"),
    };
    let mut out = vec![
        title,
        String::from(" These bytes of your configuration would run as you. Read them to the end."),
    ];
    for (index, (at, row)) in wrapped(&judge.command, COLUMNS).into_iter().enumerate() {
        let label = if index == 0 { "COMMAND" } else { "" };
        out.push(format!(" {label:<9} {at:>6}  {row}"));
    }
    out.push(format!(
        " {:<9} a private folder, level 3: {}",
        "WHERE",
        wall_words(judge)
    ));
    for (index, (path, bytes)) in given.files.iter().enumerate() {
        let label = if index == 0 { "SEES" } else { "" };
        let touched = if given.touched.contains(path) {
            "  touched"
        } else {
            ""
        };
        let (name, digest) = (super::acts::plain(path), Digest::of(bytes));
        out.push(format!(" {label:<9} {}  {name}{touched}", digest.short()));
    }
    let reads = judge.reads.iter().map(|path| super::look::shown(path));
    let reads: Vec<String> = reads.collect();
    out.push(match reads.as_slice() {
        [] => format!(" {:<9} nothing else of yours", "READS"),
        reads => format!(" {:<9} {}", "READS", reads.join(" ")),
    });
    out.push(format!(
        " {:<9} bash · {} · no stdin, no terminal · {} s",
        "GIVEN",
        judge.environment().join(" "),
        judge.limit.as_secs()
    ));
    let before = match before {
        Before::This(approval) => format!("exactly this, by you, {}", approval.granted),
        Before::OtherTree(approval) => format!(
            "the same command over other copies, by you, {}",
            approval.granted
        ),
        Before::OtherBytes(approval) => format!(
            "another command or another reach, by you, {}",
            approval.granted
        ),
        Before::Never => {
            String::from("never trusted. Any byte above changes: you are asked again.")
        }
    };
    out.push(format!(" {:<9} {before}", "BEFORE"));
    out
}

fn lines(came: &Came, again: Option<&Facts>) -> Vec<String> {
    match (came, again) {
        (Came::Closed(_, why), _) => {
            let mut out = vec![String::from("the judge was not started:")];
            out.extend(why.iter().cloned());
            out
        }
        (Came::Failed(why), _) => vec![format!("no report: {why}")],
        (Came::Read, Some(facts)) => gate::judge_lines(facts),
        (Came::Read, None) => Vec::new(),
    }
}

fn document(seat: &Seat, came: &Came, again: Option<&Facts>) -> Value {
    let (judge, given) = (&seat.judge, &seat.given);
    let files = given.files.iter().map(|(path, bytes)| {
        let (name, lossy) = path.json();
        json!({
            "path": name,
            "lossy": lossy,
            "digest": Digest::of(bytes).to_string(),
            "touched": given.touched.contains(path),
        })
    });
    let (state, why) = match came {
        Came::Read => ("read", Vec::new()),
        Came::Closed(_, why) => ("not-started", why.clone()),
        Came::Failed(why) => ("failed", vec![why.clone()]),
    };
    json!({
        "schema": "countersign/spec-judge/1",
        "state": state,
        "why": why,
        "spec": seat.of.document.json().0,
        "command_digest": Digest::of(judge.command.raw()).to_string(),
        "binds": judge.binding(&seat.of, given).digest().to_string(),
        "isolation": Isolation::Network.level(),
        "network": judge.network,
        "reads": judge.reads.iter().map(|path| super::look::shown(path)).collect::<Vec<_>>(),
        "environment": judge.environment(),
        "limit_ms": judge.limit.as_millis() as u64,
        "files": files.collect::<Vec<_>>(),
        "report": again.map(gate::judge_json),
    })
}
