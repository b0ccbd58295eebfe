//! `countersign ledger`: the record of the change in the current folder. Only `sync` writes.

mod export;
mod sync;
pub(crate) mod words;

use std::io::{self, Write};

use serde_json::{Value, json};

use super::Context;
use super::args::{ExportFormat, LedgerCommand};
use super::exit::Exit;
use super::json::{print_json, to_line};
use super::place;
use super::report::Report;
use crate::adapters::ledger_store::LedgerStore;
use crate::ledger::entry::Body;
use crate::ledger::replay::{Explanation, History, LogRow};
use crate::ledger::verify::Status;
use crate::model::ruling::RootCause;
use words::shown;

/// Runs it.
///
/// # Errors
/// A [`Report`].
pub fn run(context: &Context, command: LedgerCommand) -> Result<Exit, Report> {
    let here = place::here(&context.dir)?;
    let store = LedgerStore::new(&place::folders()?, here.repository);
    if let LedgerCommand::Sync { remote } = command {
        return sync::run(context, &here, &store, remote.as_deref());
    }
    let history = store.load(&here.change);
    match command {
        LedgerCommand::Sync { .. } => Ok(Exit::Clear),
        LedgerCommand::Log => {
            answer(context, || all(&history), |out| log(out, &history));
            Ok(Exit::Clear)
        }
        LedgerCommand::Show { id } => {
            let row = find(&history, &id)?;
            let one = || words::document(&history, &[words::entry_json(row)]);
            answer(context, one, |out| show(out, row));
            Ok(Exit::Clear)
        }
        LedgerCommand::Verify => {
            let text = |out: &mut dyn Write| verify(out, &history, store.weak_file_system());
            answer(context, || all(&history), text);
            Ok(exit(history.status))
        }
        LedgerCommand::Replay => {
            let explained = history.explain();
            let follows = explained.iter().all(|one| one.complaints.is_empty());
            let json = || {
                let mut document = all(&history);
                let rulings = explained.iter().map(explanation_json).collect::<Vec<_>>();
                if let Value::Object(map) = &mut document {
                    map.insert("rulings".into(), rulings.into());
                }
                document
            };
            answer(context, json, |out| replay(out, &history, &explained));
            match exit(history.status) {
                Exit::Clear if !follows => Ok(Exit::PersonNeeded),
                exit => Ok(exit),
            }
        }
        LedgerCommand::Export { format } => {
            let shards = store.shards_of(&here.change);
            let text = match format {
                ExportFormat::Jsonl => export::lines(
                    here.repository,
                    &here.change,
                    &history,
                    &shards,
                    &|digest| store.text(digest),
                ),
                ExportFormat::Md => export::page(&here.change, &history, &shards),
                ExportFormat::InToto => {
                    let statement = export::statement(&here.change, &history)?;
                    format!("{}\n", to_line(&statement))
                }
            };
            let _ = io::stdout().lock().write_all(text.as_bytes());
            Ok(exit(history.status))
        }
    }
}

/// The exit of a status: 0 ok, 1 degraded, 3 tampered, 10 cannot tell.
fn exit(status: Status) -> Exit {
    match status {
        Status::Ok => Exit::Clear,
        Status::Degraded => Exit::NotClear,
        Status::Tampered => Exit::PersonNeeded,
        Status::CannotTell => Exit::CouldNotMeasure,
    }
}

/// Prints one or the other; a closed pipe is no failure of ours.
fn answer(
    context: &Context,
    json: impl FnOnce() -> Value,
    text: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) {
    if context.json {
        print_json(&json());
    } else {
        let _ = text(&mut io::stdout().lock());
    }
}

fn all(history: &History) -> Value {
    let rows: Vec<Value> = history.log.iter().map(words::entry_json).collect();
    words::document(history, &rows)
}

fn find<'a>(history: &'a History, id: &str) -> Result<&'a LogRow, Report> {
    let number = id.parse::<u64>().ok().filter(|_| id.len() < 6);
    let fits = |row: &&LogRow| {
        number == Some(row.number) || (id.len() >= 4 && row.entry.id.to_string().starts_with(id))
    };
    let mut found = history.log.iter().filter(fits);
    match (found.next(), found.next()) {
        (Some(row), None) => Ok(row),
        (Some(one), Some(two)) => {
            let message = format!(
                "{} fits more than one entry: {} and {}",
                shown(id),
                one.entry.id,
                two.entry.id
            );
            Err(Report::new(Exit::Usage, "ambiguous", message).hint("give more of the id"))
        }
        (None, _) => {
            let message = format!("no entry {} in the ledger of this change", shown(id));
            Err(Report::new(Exit::Usage, "no-such-entry", message)
                .hint("list the entries with `countersign ledger log`"))
        }
    }
}

fn line(row: &LogRow) -> String {
    let body = &row.entry.body;
    let what = [words::subject(body), words::verdict(body)];
    let what: Vec<&str> = what
        .iter()
        .map(String::as_str)
        .filter(|w| !w.is_empty())
        .collect();
    let level = words::assurance(row).unwrap_or("-");
    let mut text = format!(
        "{:>4}  {}  {:<9}  {:<2}  {}: {}",
        row.number,
        row.entry.id.short(),
        words::kind(body),
        level,
        words::by(body),
        what.join(": ")
    );
    if row.fate != crate::ledger::replay::Fate::Stands {
        text.push_str(&format!("  [{}", row.fate.word()));
        if let Some(by) = row.fate.by() {
            text.push_str(&format!(" by {}", by.short()));
        }
        text.push(']');
    }
    text
}

fn log(out: &mut dyn Write, history: &History) -> io::Result<()> {
    for row in &history.log {
        writeln!(out, "{}", line(row))?;
    }
    if history.log.is_empty() {
        writeln!(out, "nothing is recorded for this change")?;
    }
    conflicts(out, history)?;
    writeln!(out, "ledger {}", history.status.word())
}

fn conflicts(out: &mut dyn Write, history: &History) -> io::Result<()> {
    for conflict in &history.conflicts {
        let names: Vec<String> = conflict
            .between
            .iter()
            .map(|(id, by)| said(history.row(*id), by))
            .collect();
        writeln!(
            out,
            "CONFLICT {}: {} differ; {} counts, the stricter",
            words::of_subject(&conflict.subject),
            names.join(" and "),
            conflict.counts.short()
        )?;
    }
    Ok(())
}

/// What somebody said in a conflict, and whether nothing vouches for it.
fn said(row: Option<&LogRow>, by: &str) -> String {
    let word = row.map(|row| words::verdict(&row.entry.body));
    let claimed = row.is_some_and(|row| row.grade < crate::ledger::verify::Grade::Anchored);
    let level = if claimed { " (claimed)" } else { "" };
    format!("{} by {}{level}", word.unwrap_or_default(), shown(by))
}

fn show(out: &mut dyn Write, row: &LogRow) -> io::Result<()> {
    let entry = &row.entry;
    writeln!(out, "{}", line(row))?;
    writeln!(out, "id        {}", entry.id)?;
    writeln!(
        out,
        "stands    {}:{}, {}",
        shown(&entry.shard),
        entry.seq,
        row.grade.word()
    )?;
    writeln!(out, "previous  {}", entry.prev)?;
    for head in &entry.after {
        writeln!(
            out,
            "after     {}:{} {}",
            shown(&head.shard),
            head.seq,
            head.line.short()
        )?;
    }
    for text in words::because(&entry.body) {
        writeln!(out, "because   {text}")?;
    }
    if let Body::Ruling(ruling) = &entry.body {
        for row in ruling.trace() {
            writeln!(out, "trace     {}", shown(row))?;
        }
    }
    Ok(())
}

fn verify(out: &mut dyn Write, history: &History, weak: Option<&str>) -> io::Result<()> {
    for found in &history.findings {
        writeln!(
            out,
            "{}:{}: {}: {}",
            found.shard,
            found.line,
            found.code.word(),
            found.message
        )?;
    }
    if let Some(weak) = weak {
        writeln!(
            out,
            "the ledger lies on {weak}, which may not keep what it says it keeps"
        )?;
    }
    let anchored = history
        .log
        .iter()
        .filter(|row| row.grade == crate::ledger::verify::Grade::Anchored)
        .count();
    let claims = history.log.len() - anchored;
    writeln!(
        out,
        "ledger {}: {anchored} entries anchored, {claims} not",
        history.status.word()
    )
}

fn replay(out: &mut dyn Write, history: &History, explained: &[Explanation]) -> io::Result<()> {
    for one in explained {
        let ruling = &one.ruling.value;
        writeln!(
            out,
            "entry {}: {} in round {} on {} by {}, {}",
            one.ruling.number,
            ruling.verdict().word(),
            ruling.round(),
            ruling.snapshot().head.short(),
            shown(ruling.by()),
            ruling.assurance().label()
        )?;
        for row in ruling.trace() {
            writeln!(out, "  {}", shown(row))?;
        }
        for rest in &one.rests_on {
            match &rest.row {
                Some(row) => writeln!(out, "  rests on {}", line(row).trim_start())?,
                None => writeln!(out, "  rests on {}, which is not here", rest.entry.short())?,
            }
        }
        for complaint in &one.complaints {
            writeln!(out, "  does not follow: {complaint}")?;
        }
    }
    if explained.is_empty() {
        writeln!(out, "no ruling is recorded for this change")?;
    }
    writeln!(out, "ledger {}", history.status.word())
}

fn explanation_json(one: &Explanation) -> Value {
    let ruling = &one.ruling.value;
    json!({
        "id": one.ruling.entry.to_string(),
        "number": one.ruling.number,
        "verdict": ruling.verdict().word(),
        "round": ruling.round(),
        "root_cause": ruling.root_cause().map(RootCause::word),
        "attack": ruling.attack(),
        "partial": ruling.partial(),
        "trace": ruling.trace(),
        "rests_on": one.rests_on.iter().map(|rest| rest.entry.to_string()).collect::<Vec<_>>(),
        "complaints": one.complaints,
    })
}
