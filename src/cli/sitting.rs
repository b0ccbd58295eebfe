//! One sitting, from the command line to the last JSON line: screen, plain or script.

use std::future::Future;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::PathBuf;

use rustix::process::{DumpableBehavior, set_dumpable_behavior};

use crate::adapters::folders::Folders;
use crate::app::effect::Leave;
use crate::app::update::{self, Setup};
use crate::config::{Settings, USER_FILE};
use crate::plain;
use crate::runtime::clock::Clock;
use crate::runtime::core::Core;
use crate::runtime::desk::{Desk, Seat};
use crate::runtime::editor;
use crate::runtime::guard::{self, Guard, NoTerminal};
use crate::runtime::hub::Hub;
use crate::runtime::lines;
use crate::runtime::looks::{Looks, Wanted};
use crate::runtime::messages::Handed;
use crate::runtime::play::{Player, Stuck};
use crate::runtime::script::Step;
use crate::runtime::session::{Session, Setting};

use super::Context;
use super::args::{ReviewArgs, When};
use super::config;
use super::exit::Exit;
use super::json::print_json;
use super::outcome::Outcome;
use super::replies;
use super::report::Report;

/// Where a sitting takes place.
#[derive(Clone, Debug)]
pub struct Place {
    /// A folder of the worktree.
    pub dir: PathBuf,
    /// The folder that named files are looked for in.
    pub beside: PathBuf,
    /// Our folders.
    pub folders: Folders,
    /// Whether it is the built-in sample.
    pub sample: bool,
    /// Whether a script presses the keys.
    pub scripted: bool,
}

/// Sits down on the terminal, as a screen or as lines.
///
/// # Errors
/// A [`Report`] when it cannot begin.
pub fn sit(context: &Context, args: &ReviewArgs, place: Place) -> Result<Outcome, Report> {
    undumpable();
    let settings = settings(&place)?;
    let handed = replies::handed(&place.beside, args)?;
    if args.plain {
        return lines(args, place, settings, handed);
    }
    let looks = looks(context, args.theme.as_deref(), &settings)?;
    let mouse = settings.mouse && !args.no_mouse;
    let guard = Guard::open(mouse).map_err(|why| no_terminal(&why))?;
    let setup = Setup {
        size: guard.size(),
        sample: place.sample,
        ascii: looks.ascii,
        mouse,
        policy: settings.policy.clone(),
        keys: settings.keys.clone(),
        ..Setup::default()
    };
    let setting = Setting {
        guard,
        theme: looks.theme,
        colorless: looks.colorless,
        editor: editor::command(settings.editor.as_deref()),
    };
    in_runtime(async move {
        let (hub, news) = Hub::new();
        let dir = place.dir.clone();
        let core = core(args, place, &settings, setup, &hub, &handed)?;
        let drafts = core.desk.drafts();
        guard::on_panic(move || drafts.flush_now());
        let session = Session::new(core, setting, hub, news).map_err(|e| broken(&e))?;
        let (core, leave, signal) = session.run().await.map_err(|e| broken(&e))?;
        Ok(ended(core, leave, signal, &Mail { dir, handed }))
    })
}

/// The same session as prompts and lines. Without a terminal on both ends it reads and cannot
/// decide.
fn lines(
    args: &ReviewArgs,
    place: Place,
    settings: Settings,
    handed: Vec<Handed>,
) -> Result<Outcome, Report> {
    let may_decide = guard::controlling_input().is_ok() && io::stdout().is_terminal();
    let setup = Setup {
        size: plain::PAGE,
        sample: place.sample,
        mouse: false,
        plain: true,
        policy: settings.policy.clone(),
        ..Setup::default()
    };
    in_runtime(async move {
        let (hub, news) = Hub::new();
        let dir = place.dir.clone();
        let core = core(args, place, &settings, setup, &hub, &handed)?;
        let (core, leave, signal) = plain::sit(core, hub, news, may_decide)
            .await
            .map_err(|e| broken(&e))?;
        Ok(ended(core, leave, signal, &Mail { dir, handed }))
    })
}

/// Plays a script into the sample, in memory; screens go to stdout.
///
/// # Errors
/// A [`Report`] when it cannot begin, or when the script waits in vain.
pub fn play(args: &ReviewArgs, place: Place, steps: &[Step]) -> Result<Outcome, Report> {
    undumpable();
    let settings = settings(&place)?;
    let handed = replies::handed(&place.beside, args)?;
    let size = (100, 30);
    let setup = Setup {
        size,
        sample: place.sample,
        mouse: false,
        ..Setup::default()
    };
    in_runtime(async move {
        let (hub, news) = Hub::new();
        let dir = place.dir.clone();
        let core = core(args, place, &settings, setup, &hub, &handed)?;
        let player = Player::new(core, news, size);
        let print = |screen: &str| {
            let _ = writeln!(io::stdout().lock(), "{screen}");
        };
        let (core, leave) = player.play(steps, print).await.map_err(|e| stuck(&e))?;
        Ok(ended(core, leave, None, &Mail { dir, handed }))
    })
}

/// Prints what is left of a sitting: lines for people on stderr, then one line of JSON, the last
/// thing on stdout. Returns the exit code.
#[must_use]
pub fn close(outcome: &Outcome) -> u8 {
    let mut out = lines::stderr();
    for line in outcome.lines() {
        let _ = writeln!(out, "{line}");
    }
    drop(out);
    print_json(&outcome.to_json());
    outcome.code()
}

fn core(
    args: &ReviewArgs,
    place: Place,
    settings: &Settings,
    setup: Setup,
    hub: &Hub,
    handed: &[Handed],
) -> Result<Core, Report> {
    let seat = Seat {
        dir: place.dir,
        folders: place.folders,
        sample: place.sample,
        contracts: args.contract.clone(),
        format: super::contract::forced(args.contract_format.as_deref())?,
        base: args.base.clone(),
        live: args.live,
        handoff: args.handoff.clone(),
        scripted: place.scripted,
        name: settings.name.clone(),
        signing_key: settings.signing_key.clone(),
        allowed_signers: settings.allowed_signers.clone(),
        policy: settings.policy.clone(),
        chains: super::chains::profile_of(&settings.chain_profile)?,
        spec: super::spec::page,
        oracles: super::oracles::settings(settings, None).map_err(|report| report.message),
        messages: handed.to_vec(),
        record: args.record.as_ref().map(|file| place.beside.join(file)),
        read_record: super::wave::record::for_people,
        inputs: super::verify::inputs(
            &place.beside,
            &args.threads,
            args.findings.as_deref(),
            args.bundle.as_deref(),
            None,
        )?,
    };
    let clock = Clock::start();
    let desk = Desk::new(seat, hub.clone(), clock).map_err(|e| broken(&e))?;
    let (state, effects) = update::start(setup);
    Ok(Core::new(state, effects, desk, clock))
}

/// Where gate messages came from, and where their replies go.
struct Mail {
    dir: PathBuf,
    handed: Vec<Handed>,
}

fn ended(mut core: Core, leave: Leave, signal: Option<i32>, mail: &Mail) -> Outcome {
    let left = core.desk.close();
    let facts = core.take_facts();
    let known = facts
        .as_ref()
        .map(|(dossier, judgment)| (&**dossier, &**judgment));
    let sent = replies::deliver(&mail.handed, &mail.dir, known, leave);
    let undone = left.undone.into_iter().chain(sent.undone).collect();
    let ruling = facts.as_ref().and_then(|(dossier, _)| {
        let id = core.state.world.ruled?;
        dossier.rulings.iter().find(|r| r.entry == id).cloned()
    });
    let policy = &core.state.world.policy;
    let worth = ruling
        .as_ref()
        .map(|r| (&r.value, policy.asks(r.value.verdict())));
    Outcome {
        unsealed: worth.is_some_and(|(ruling, asked)| ruling.assurance() < asked),
        leave,
        facts,
        ruling,
        handoff: left.handoff,
        edits: left.edits,
        undone,
        replies: sent.replies,
        replied: sent.lines,
        signal,
    }
}

/// The person's settings, from the folders of this sitting; a repository's own file can only
/// tighten and is none of these.
fn settings(place: &Place) -> Result<Settings, Report> {
    let file = place.folders.config.join(USER_FILE);
    Ok(config::settings_in(&file)?.settings)
}

/// The looks: the theme that was named, else the person's own.
///
/// # Errors
/// A [`Report`] when there is no such theme.
pub(super) fn looks(
    context: &Context,
    theme: Option<&str>,
    settings: &Settings,
) -> Result<Looks, Report> {
    let wanted = match context.color {
        When::Auto => Wanted::Auto,
        When::Always => Wanted::Always,
        When::Never => Wanted::Never,
    };
    let configured = Some(settings.theme.as_str()).filter(|name| *name != "auto");
    let named = theme.or(configured);
    Looks::of(named, &settings.glyphs, wanted).map_err(|name| {
        Report::new(
            Exit::Usage,
            "no-such-theme",
            format!("there is no theme {name}"),
        )
        .hint("use dark, light or mono")
    })
}

/// Nobody else's process may read ours: an oracle could take its descriptors.
fn undumpable() {
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
}

fn in_runtime<T>(work: impl Future<Output = Result<T, Report>>) -> Result<T, Report> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| broken(&error))?
        .block_on(work)
}

fn broken(error: &io::Error) -> Report {
    let message = format!("the session could not go on: {error}");
    Report::new(Exit::CouldNotMeasure, "session", message)
}

fn no_terminal(why: &NoTerminal) -> Report {
    Report::new(Exit::Usage, "no-terminal", why.to_string())
        .hint("use --plain for a session in prompts and lines")
        .hint("use `floor status`, `contract show`, `ledger log` or `queue` in scripts: they need no terminal")
}

fn stuck(stuck: &Stuck) -> Report {
    let message = format!("the script waited in vain for: {}", stuck.words);
    Report::new(Exit::CouldNotMeasure, "script-stuck", message)
        .hint(format!("look at the screen it saw:\n{}", stuck.screen))
}
