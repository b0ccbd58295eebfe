//! `countersign queue`: what agents asserted and no person answered, across repositories. On a
//! terminal it is the queue screen, with `--plain` prompts and lines; elsewhere it only lists.

mod screen;

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::adapters::ledger_store::LedgerStore;
use crate::adapters::trust::Consent;
use crate::cli::Context;
use crate::cli::args::QueueArgs;
use crate::cli::config::user_settings;
use crate::cli::exit::Exit;
use crate::cli::json::print_json;
use crate::cli::ledger::words::shown;
use crate::cli::place;
use crate::cli::report::Report;
use crate::cli::spec;
use crate::gate::dossier::{Assertion, Recorded};
use crate::ledger::replay::History;
use crate::ledger::verify::Status;
use crate::model::oracle::Outcome;
use crate::model::text::Place;
use crate::runtime::lines;

/// One assertion that waits.
struct Item {
    repo: String,
    change: String,
    assertion: Recorded<Assertion>,
    risk: (&'static str, String),
    worktree: Option<PathBuf>,
    moved: Option<bool>,
}

/// Everything that waits, each kind by risk.
struct Gathered {
    specs: Vec<spec::Asserted>,
    items: Vec<Item>,
    /// What could not be read, and why.
    unread: Vec<(String, String)>,
    /// The worktrees whose spec trees were looked at.
    dirs: Vec<PathBuf>,
}

/// Where a row of the whole list comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    /// A verdict in a spec tree.
    Spec(usize),
    /// An assertion in a ledger.
    Said(usize),
}

/// Runs it.
///
/// # Errors
/// A [`Report`].
pub fn run(context: &Context, args: &QueueArgs) -> Result<Exit, Report> {
    let gathered = gather(context, args)?;
    let at_terminal = || Consent::at_terminal(&[&std::io::stdin(), &std::io::stdout()]).is_ok();
    if context.json {
        let rows = gathered.rows().into_iter().map(|row| match row {
            Source::Spec(at) => gathered.specs.get(at).map(spec_json),
            Source::Said(at) => gathered.items.get(at).map(item_json),
        });
        print_json(&json!({
            "schema": "countersign/queue/1",
            "items": rows.flatten().collect::<Vec<_>>(),
            "unread": gathered.unread.iter()
                .map(|(repo, why)| json!({"repo": repo, "why": why}))
                .collect::<Vec<_>>(),
        }));
    } else if !args.plain && at_terminal() {
        return screen::run(context, args, gathered);
    } else {
        print(&gathered.specs, &gathered.items, &gathered.unread);
        let exit = gathered.exit();
        let name = user_settings().ok().and_then(|read| read.settings.name);
        let gate = args.gate.as_deref();
        spec::sit(gathered.specs, &gathered.dirs, gate, name.as_deref());
        return Ok(exit);
    }
    Ok(gathered.exit())
}

impl Gathered {
    /// All rows, the riskiest first; within a risk spec trees before ledgers.
    fn rows(&self) -> Vec<Source> {
        let specs = self.specs.iter().enumerate();
        let specs = specs.map(|(at, item)| (rank(item.risk.0), Source::Spec(at)));
        let items = self.items.iter().enumerate();
        let items = items.map(|(at, item)| (rank(item.risk.0), Source::Said(at)));
        let mut all: Vec<(Option<usize>, Source)> = specs.chain(items).collect();
        all.sort_by_key(|(rank, _)| *rank);
        all.into_iter().map(|(_, source)| source).collect()
    }

    fn exit(&self) -> Exit {
        let nothing = self.specs.is_empty() && self.items.is_empty();
        match (nothing, self.unread.is_empty()) {
            (false, _) => Exit::PersonNeeded,
            (true, false) => Exit::CouldNotMeasure,
            (true, true) => Exit::Clear,
        }
    }
}

fn rank(risk: &str) -> Option<usize> {
    ["high", "med", "low"].iter().position(|word| *word == risk)
}

fn gather(context: &Context, args: &QueueArgs) -> Result<Gathered, Report> {
    let mut items = Vec::new();
    let mut unread = Vec::new();
    // verdicts in spec trees lie in the trees themselves
    let only_specs = args
        .gate
        .as_deref()
        .is_some_and(|gate| ["spec", "impl"].contains(&gate));
    let mut dirs: Vec<PathBuf> = args.dirs.iter().map(|dir| context.dir.join(dir)).collect();
    if !only_specs || dirs.is_empty() {
        for store in stores(context, args)? {
            collect(&store, args.gate.as_deref(), &mut items, &mut unread);
            if args.dirs.is_empty() {
                dirs.extend(store.about().folders.into_iter().map(|(_, path)| path));
            }
        }
    }
    if args.dirs.is_empty() {
        dirs.retain(|dir| dir.is_dir());
        if place_of(&context.dir).is_some() {
            dirs.push(context.dir.clone());
        }
    }
    let (mut specs, closed) = match args.gate.as_deref() {
        None | Some("spec" | "impl") => spec::gather(&dirs),
        Some(_) => (Vec::new(), Vec::new()),
    };
    specs.retain(|item| {
        args.gate
            .as_deref()
            .is_none_or(|gate| gate == item.waits.gate)
    });
    spec::sort(&mut specs);
    unread.extend(closed);
    items.sort_by_key(|item| {
        (
            rank(item.risk.0),
            item.repo.clone(),
            item.change.clone(),
            item.assertion.number,
        )
    });
    Ok(Gathered {
        specs,
        items,
        unread,
        dirs,
    })
}

/// The ledgers to look at: of the folders given, else of all that is known and the current one.
fn stores(context: &Context, args: &QueueArgs) -> Result<Vec<LedgerStore>, Report> {
    let folders = place::folders()?;
    let mut known = BTreeSet::new();
    for dir in &args.dirs {
        known.insert(place::here(&context.dir.join(dir))?.repository);
    }
    if args.dirs.is_empty() {
        let all = LedgerStore::all(&folders).map_err(|error| {
            Report::new(Exit::CouldNotMeasure, "state-unreadable", error.to_string())
        })?;
        known.extend(all.iter().map(LedgerStore::repository));
        known.extend(place::here(&context.dir).ok().map(|here| here.repository));
    }
    Ok(known
        .into_iter()
        .map(|repository| LedgerStore::new(&folders, repository))
        .collect())
}

fn collect(
    store: &LedgerStore,
    gate: Option<&str>,
    items: &mut Vec<Item>,
    unread: &mut Vec<(String, String)>,
) {
    let about = store.about();
    let repo = if about.name.is_empty() {
        store.repository().short()
    } else {
        shown(&about.name)
    };
    let changes = match store.changes() {
        Ok((changes, slugs)) => {
            for slug in slugs {
                unread.push((
                    repo.clone(),
                    format!("no shard of {} says its change", shown(&slug)),
                ));
            }
            changes
        }
        Err(error) => return unread.push((repo, error.to_string())),
    };
    for change in changes {
        let history = store.load(&change);
        if history.status == Status::CannotTell {
            unread.push((
                repo.clone(),
                format!("the ledger of {} cannot be read", shown(&change)),
            ));
        }
        let folder = about
            .folders
            .iter()
            .rev()
            .find(|(known, _)| *known == change);
        let now = folder.and_then(|(_, path)| place::here(path).ok());
        let now = now.filter(|here| here.change == change && here.repository == store.repository());
        for assertion in &history.assertions {
            if gate.is_some_and(|gate| gate != assertion.value.gate) {
                continue;
            }
            items.push(Item {
                repo: repo.clone(),
                change: change.clone(),
                assertion: assertion.clone(),
                risk: risk(&history, &assertion.value),
                worktree: now.as_ref().map(|here| here.worktree.clone()),
                moved: now
                    .as_ref()
                    .map(|here| here.snapshot.head != assertion.value.head),
            });
        }
    }
}

fn opens(worktree: &Path) -> String {
    format!("countersign review {}", shown(&worktree.to_string_lossy()))
}

/// How much speaks against believing it, from what the ledger itself holds for that head.
fn risk(history: &History, assertion: &Assertion) -> (&'static str, String) {
    if history.status != Status::Ok {
        return ("high", format!("the ledger is {}", history.status.word()));
    }
    let back = history.decisions.iter().filter(|decision| {
        decision.value.snapshot().head == assertion.head && decision.value.act().only_takes_away()
    });
    let mut newest = std::collections::BTreeMap::new();
    for run in history.runs.iter().filter(|run| run.head == assertion.head) {
        newest.insert(run.criterion.clone(), run.outcome);
    }
    let failing = newest
        .values()
        .filter(|outcome| **outcome != Outcome::Met)
        .count();
    match (back.count(), failing, newest.len()) {
        (0, 0, 0) => ("med", "no oracle was run on its head".into()),
        (0, 0, met) => ("low", format!("{met} oracles met on its head")),
        (0, failing, _) => ("high", format!("{failing} oracles fail on its head")),
        (back, _, _) => ("high", format!("{back} items were sent back on its head")),
    }
}

fn spec_json(item: &spec::Asserted) -> Value {
    let cr = item.waits.cr.as_ref();
    json!({
        "id": item.id(),
        "repo": item.repo,
        "change": cr.map(|cr| cr.shown(Place::Strict).plain()),
        "gate": item.waits.gate,
        "subject": item.document().json().0,
        "verdict": item.waits.verdict,
        "why": item.waits.why.join("; "),
        "by": "agent",
        "head": Value::Null,
        "risk": item.risk.0,
        "risk_why": item.risk.1,
        "opens": format!("countersign queue {}", shown(&item.top.to_string_lossy())),
        "moved": false,
        "closed": item.closed,
    })
}

/// The repository of a folder, when it lies in one.
fn place_of(dir: &Path) -> Option<crate::adapters::git::place::Place> {
    crate::adapters::git::place::find(&std::path::absolute(dir).ok()?).ok()
}

fn item_json(item: &Item) -> Value {
    let said = &item.assertion.value;
    let plain = |text: &crate::model::text::Foreign| text.shown(Place::Prose).plain();
    json!({
        "id": item.assertion.entry.to_string(),
        "repo": item.repo,
        "change": item.change,
        "gate": said.gate,
        "subject": plain(&said.subject),
        "verdict": plain(&said.verdict),
        "why": plain(&said.why),
        "by": "agent",
        "head": said.head.to_string(),
        "risk": item.risk.0,
        "risk_why": item.risk.1,
        "opens": item.worktree.as_deref().map(opens),
        "moved": item.moved,
    })
}

fn print(specs: &[spec::Asserted], items: &[Item], unread: &[(String, String)]) {
    let mut out = lines::stdout();
    for (number, item) in specs.iter().enumerate() {
        let _ = writeln!(out, "{:>2}  {}", number + 1, item.line());
        for why in &item.waits.why {
            let _ = writeln!(out, "      {why}");
        }
        for why in &item.closed {
            let _ = writeln!(out, "      never offered: {why}");
        }
    }
    for item in items {
        let said = &item.assertion.value;
        let moved = match item.moved {
            Some(true) => ", head moved since",
            Some(false) => "",
            None => ", its worktree is gone or holds another branch",
        };
        let _ = writeln!(
            out,
            "{:<4}  {} {}  {} {}: {}  ({}{moved})",
            item.risk.0,
            item.repo,
            shown(&item.change),
            shown(&said.gate),
            said.subject.shown(Place::Strict),
            said.verdict.shown(Place::Strict),
            item.risk.1,
        );
        let _ = writeln!(out, "      why: {}", said.why.shown(Place::Strict));
        if let Some(opens) = item.worktree.as_deref().map(opens) {
            let _ = writeln!(out, "      {opens}");
        }
    }
    for (repo, why) in unread {
        let _ = writeln!(out, "?     {repo}: could not read: {why}");
    }
    if specs.is_empty() && items.is_empty() && unread.is_empty() {
        let _ = writeln!(out, "nothing waits");
    }
}
