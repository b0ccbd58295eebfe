//! `countersign floor run`: runs approved oracles, records every run, writes EVIDENCE slots.
//!
//! One error in the contract and nothing runs (contract-gates 1.4). What nobody approved does not
//! run and is said to be so (rulings A15). A result is written only into the slot of the criterion
//! and oracle that it belongs to, found again in the file as it is then (G2).

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use super::config::user_settings;
use super::evidence::{Slots, write_slots};
use super::exit::Exit;
use super::floor::{exit_of, floor_json, floor_text, lints};
use super::json::print_json;
use super::oracles::{Site, approvals, place_of};
use super::report::Report;
use super::trust::refuse_errors;
use super::{Context, contract};
use crate::adapters::ledger_store::{LedgerStore, Writer, new_id};
use crate::adapters::oracle::client::{News, Oracles, RunOrder, Settings};
use crate::adapters::oracle::outcome::RunDone;
use crate::adapters::who;
use crate::app::pane::words::open_at;
use crate::gate::dossier::RunFact;
use crate::gate::floor::verdict::{FloorToken, FloorVerdict, Mode, floor};
use crate::ledger::entry::{Body, Opened};
use crate::model::id::CriterionId;
use crate::model::text::{Foreign, Place};
use crate::runtime::lines;

/// The flags of `floor run`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flags {
    /// The contract.
    pub path: PathBuf,
    /// In the worktree itself.
    pub live: bool,
    /// Empty the checkout first.
    pub cold: bool,
    /// The level asked for.
    pub isolation: Option<u8>,
    /// Checkouts at once.
    pub jobs: Option<usize>,
    /// Only these criteria.
    pub only: Vec<String>,
    /// Leave EVIDENCE alone.
    pub no_write: bool,
}

/// Runs it.
///
/// # Errors
/// A [`Report`]; then nothing ran.
pub fn run(context: &Context, flags: &Flags) -> Result<Exit, Report> {
    let mut site = Site::read(context, &flags.path, settings(flags)?, place_of(flags.live))?;
    refuse_errors(&site)?;
    refuse_status(&site)?;
    let (orders, skipped) = choose(&site, &only(&site, flags)?)?;
    let nothing = orders.is_empty() && !skipped.is_empty();
    let (dones, stopped) = if orders.is_empty() {
        (Vec::new(), false)
    } else {
        execute(context, &site, orders)?
    };
    let ended = record(&site, dones)?;
    let slots = if flags.no_write || site.contract.is_read_only() {
        Slots::default()
    } else {
        write_slots(&site, &ended)
    };
    // The report is about the file as it is now: a contract that a run edited loses its rows.
    site.read_again();
    let facts: Vec<_> = ended.iter().map(|(fact, _)| fact.clone()).collect();
    let verdict = floor(&site.contract, &facts, Mode::Run);
    if context.json {
        print_json(&to_json(&site, &verdict, &ended, &skipped, &slots));
    } else {
        contract::print(&to_text(&site, &verdict, &ended, &skipped, &slots));
    }
    Ok(exit(verdict.token, nothing, stopped, &slots))
}

fn exit(token: FloorToken, nothing: bool, stopped: bool, slots: &Slots) -> Exit {
    if nothing {
        return Exit::PersonNeeded;
    }
    match exit_of(token) {
        Exit::Clear if stopped => Exit::Undecided,
        Exit::Clear if slots.failed() => Exit::NotClear,
        exit => exit,
    }
}

fn settings(flags: &Flags) -> Result<Settings, Report> {
    let mut settings = super::oracles::settings(&user_settings()?.settings, flags.isolation)?;
    settings.jobs = flags.jobs.unwrap_or(settings.jobs);
    if !(1..=64).contains(&settings.jobs) {
        let message = format!("{} jobs are not to be had", settings.jobs);
        return Err(Report::new(Exit::Usage, "jobs", message).hint("name 1 to 64"));
    }
    settings.cold = flags.cold;
    Ok(settings)
}

/// An aborted or superseded contract runs nothing (G13).
fn refuse_status(site: &Site) -> Result<(), Report> {
    let status = site.contract.header.status.as_ref();
    match status.and_then(Foreign::raw_str) {
        Some("aborted") => Err(Report::new(
            Exit::Usage,
            "contract-aborted",
            "the contract says `status: aborted`: nothing of it runs",
        )
        .hint("set the status, or run the contract that took its place")),
        _ => match contract::file::superseded_by(&site.file) {
            Some(other) => Err(Report::new(
                Exit::Usage,
                "contract-superseded",
                format!(
                    "{} says `supersedes:` of this contract: nothing of it runs",
                    other.shown(Place::Strict)
                ),
            )
            .hint("run the contract that took its place")),
            None => Ok(()),
        },
    }
}

fn only(site: &Site, flags: &Flags) -> Result<Vec<CriterionId>, Report> {
    let mut out = Vec::new();
    for name in &flags.only {
        let shown = Foreign::from(name.as_str()).shown(Place::Strict);
        let id = CriterionId::new(name).filter(|id| site.contract.criterion(id).is_some());
        let Some(id) = id else {
            let ids: Vec<_> = site
                .contract
                .criteria
                .iter()
                .map(|c| c.id.as_str())
                .collect();
            return Err(Report::new(
                Exit::Usage,
                "no-criterion",
                format!("the contract has no criterion {shown}"),
            )
            .hint(format!("name one of {}", ids.join(", "))));
        };
        out.push(id);
    }
    Ok(out)
}

/// What does not run, with the reason.
type Skipped = Vec<(CriterionId, String)>;

fn choose(site: &Site, only: &[CriterionId]) -> Result<(Vec<RunOrder>, Skipped), Report> {
    let all = approvals(&site.folders)?;
    let (mut orders, mut skipped) = (Vec::new(), Vec::new());
    for (criterion, oracle) in site.oracles() {
        if !only.is_empty() && !only.contains(&criterion.id) {
            continue;
        }
        let order = site.order(criterion, oracle);
        if let Some(why) = site.refused(oracle) {
            skipped.push((criterion.id.clone(), why));
        } else if all.covers(&order.binding).is_none() {
            skipped.push((criterion.id.clone(), "not approved".into()));
        } else {
            orders.push(order);
        }
    }
    Ok((orders, skipped))
}

/// Runs the orders to their end; `true` when a signal ended them.
fn execute(
    context: &Context,
    site: &Site,
    orders: Vec<RunOrder>,
) -> Result<(Vec<RunDone>, bool), Report> {
    let failed = |error: std::io::Error| {
        Report::new(
            Exit::CouldNotMeasure,
            "signals",
            format!("no signals: {error}"),
        )
    };
    let signals = super::signals::Signals::listen().map_err(failed)?;
    let mut waiting = orders.len();
    let (tell, told) = channel();
    let oracles = Oracles::start(site.bench(), move |news| {
        let _ = tell.send(news);
    });
    if !context.json {
        say(&format!(
            "isolation level {}: {}",
            site.settings.isolation.level(),
            open_at(site.settings.isolation)
        ));
    }
    oracles.run(orders);
    let (mut dones, mut stopped) = (Vec::new(), false);
    while waiting > 0 {
        if !stopped && signals.came() {
            stopped = true;
            oracles.stop(None);
        }
        if let Some(done) = next(context, &told) {
            waiting -= 1;
            dones.push(done);
        }
    }
    drop(oracles);
    let order = |done: &RunDone| {
        site.contract
            .criteria
            .iter()
            .position(|c| c.id == done.criterion)
    };
    dones.sort_by_key(order);
    Ok((dones, stopped))
}

fn next(context: &Context, told: &Receiver<News>) -> Option<RunDone> {
    match told.recv_timeout(Duration::from_millis(50)) {
        Ok(News::Started(criterion, limit)) if !context.json => {
            say(&format!(
                "{criterion}: running, at most {} s",
                limit.as_secs_f32()
            ));
            None
        }
        Ok(News::Ended(done)) => {
            if !context.json {
                say(&format!(
                    "{}: {}",
                    done.criterion,
                    super::evidence::words(&done)
                ));
            }
            Some(*done)
        }
        Ok(News::Queued(_) | News::Started(..) | News::Output(..) | News::Lost) | Err(_) => None,
    }
}

/// Progress goes to stderr: stdout carries the report.
fn say(line: &str) {
    let _ = writeln!(lines::stderr(), "{line}");
}

fn record(site: &Site, dones: Vec<RunDone>) -> Result<Vec<(RunFact, RunDone)>, Report> {
    if dones.is_empty() {
        return Ok(Vec::new());
    }
    let failed = |why: String| {
        Report::new(Exit::CouldNotMeasure, "not-recorded", why)
            .hint("free space or permissions in the state folder, then run again")
    };
    let store = LedgerStore::new(&site.folders, site.here.repository);
    let history = store.load(&site.here.change);
    let opened = Opened {
        repository: site.here.repository,
        change: site.here.change.clone(),
        snapshot: site.here.snapshot.clone(),
        contract: Some(site.contract.path.clone()),
        request: None,
        by: None,
        agent_marks: who::agent_marks(),
        own_work: false,
    };
    let mut writer = store
        .writer(&history, opened)
        .map_err(|error| failed(error.to_string()))?;
    let mut out = Vec::new();
    for done in dones {
        let fact = append(&mut writer, &done).map_err(&failed)?;
        out.push((fact, done));
    }
    let _ = store.remember(&site.here.name, &site.here.change, &site.here.worktree);
    Ok(out)
}

fn append(writer: &mut Writer, done: &RunDone) -> Result<RunFact, String> {
    let id = new_id().map_err(|error| error.to_string())?;
    let receipt = writer
        .append(id, Body::Run(done.fact(id, 0)), || Ok(()))
        .map_err(|error| error.to_string())?;
    Ok(done.fact(receipt.entry, receipt.number))
}

fn to_text(
    site: &Site,
    verdict: &FloorVerdict,
    ended: &[(RunFact, RunDone)],
    skipped: &Skipped,
    slots: &Slots,
) -> Vec<String> {
    let mut lines = floor_text(
        &site.contract,
        verdict,
        &lints(&site.contract),
        Mode::Run,
        site.settings.limit.as_secs(),
    );
    let tail = lines.split_off(lines.len().saturating_sub(2));
    for (fact, done) in ended {
        lines.push(format!(
            "RUN {}: {}",
            fact.criterion,
            super::evidence::words(done)
        ));
        for survivor in &fact.survivors {
            let shown = survivor.shown(Place::Strict);
            lines.push(format!("LEFT {}: {shown}", fact.criterion));
        }
    }
    for (id, why) in skipped {
        lines.push(format!("NOT RUN {id}: {why}"));
    }
    lines.extend(slots.lines());
    lines.extend(tail);
    lines
}

fn to_json(
    site: &Site,
    verdict: &FloorVerdict,
    ended: &[(RunFact, RunDone)],
    skipped: &Skipped,
    slots: &Slots,
) -> Value {
    let facts: Vec<_> = ended.iter().map(|(fact, _)| fact.clone()).collect();
    let mut out = floor_json(
        &site.contract,
        &site.bytes,
        verdict,
        &facts,
        &lints(&site.contract),
    );
    let rows = out.get_mut("criteria").and_then(Value::as_array_mut);
    for row in rows.into_iter().flatten() {
        let id = row
            .get("id")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned();
        let done = ended.iter().find(|(fact, _)| fact.criterion.as_str() == id);
        if let (Some((_, done)), Some(run)) = (done, row.get_mut("run")) {
            run["limit_ms"] = json!(done.limit_ms);
            run["shell"] = json!(done.shell);
            run["survivors"] = done
                .survivors
                .iter()
                .map(|s| json!(s.shown(Place::Strict).plain()))
                .collect();
            run["overwritten"] = json!(done.marker.is_some_and(|m| m.overwritten));
        }
        let why = skipped.iter().find(|(skipped, _)| skipped.as_str() == id);
        if let Some((_, why)) = why {
            row["not_run"] = json!(why);
        }
    }
    out["isolation"] = json!(site.settings.isolation.level());
    out["written"] = slots.json();
    out
}
