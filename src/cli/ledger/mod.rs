//! `countersign ledger`: the record of the change in the current folder. Only `sync` writes.

mod export;
mod sync;
pub(crate) mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::sync::Arc;

use serde_json::{Value, json};

use super::Context;
use super::args::{ExportFormat, LedgerCommand};
use super::config;
use super::exit::Exit;
use super::json::{print_json, to_line};
use super::place::{self, Here};
use super::report::Report;
use crate::adapters::ledger_store::LedgerStore;
use crate::adapters::signer::{self, Signers};
use crate::ledger::entry::Body;
use crate::ledger::replay::{Explanation, History, LogRow};
use crate::ledger::verify::{Grade, Status};
use crate::model::ruling::{Assurance, RootCause};
use crate::runtime::lines;
use words::shown;

/// Runs it.
///
/// # Errors
/// A [`Report`].
pub fn run(context: &Context, command: LedgerCommand) -> Result<Exit, Report> {
    let here = place::here(&context.dir)?;
    let signing = signing(&here)?;
    let store = LedgerStore::new(&place::folders()?, here.repository)
        .with_signers(Arc::clone(&signing.signers));
    let read = || store.load(&here.change);
    match command {
        LedgerCommand::Sync { remote } => sync::run(context, &here, &store, remote.as_deref()),
        LedgerCommand::Log => {
            let history = read();
            answer(context, || all(&history), |out| log(out, &history));
            Ok(Exit::Clear)
        }
        LedgerCommand::Show { id } => {
            let history = read();
            let row = find(&history, &id)?;
            let one = || words::document(&history, &[words::entry_json(row)]);
            answer(context, one, |out| show(out, row));
            Ok(Exit::Clear)
        }
        LedgerCommand::Verify => {
            let history = read();
            let text =
                |out: &mut dyn Write| verify(out, &history, store.weak_file_system(), &signing);
            let json = || {
                let mut document = all(&history);
                if let Value::Object(map) = &mut document {
                    map.insert("vouched".into(), vouched_json(&history, &signing));
                }
                document
            };
            answer(context, json, text);
            Ok(exit(history.status))
        }
        LedgerCommand::Replay => {
            let history = read();
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
            let history = read();
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
            let _ = lines::stdout().write_all(text.as_bytes());
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
        let _ = text(&mut lines::stdout());
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
            listed(&names),
            conflict.counts.short()
        )?;
    }
    Ok(())
}

/// `a`, `a and b`, `a, b and c`.
fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// What somebody said in a conflict, and whether nothing vouches for it.
fn said(row: Option<&LogRow>, by: &str) -> String {
    let word = row.map(|row| words::verdict(&row.entry.body));
    let claimed = row.is_some_and(|row| !row.grade.is_believed());
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

fn verify(
    out: &mut dyn Write,
    history: &History,
    weak: Option<&str>,
    signing: &Signing,
) -> io::Result<()> {
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
    for (by, level, key, count) in signatures(history) {
        writeln!(
            out,
            "signed by {}, {}, {count} {}, key {key}",
            shown(&by),
            level.label(),
            if count == 1 { "entry" } else { "entries" }
        )?;
    }
    for opening in history.openings.iter().filter(|one| one.value.own_work) {
        let by = opening.value.by.as_deref().unwrap_or("tool");
        writeln!(
            out,
            "self-ratified: {} is an author or committer of the change (entry {})",
            shown(by),
            opening.number
        )?;
    }
    for opening in history
        .openings
        .iter()
        .filter(|one| !one.value.agent_marks.is_empty())
    {
        let marks: Vec<String> = opening.value.agent_marks.iter().map(|m| shown(m)).collect();
        writeln!(
            out,
            "marks of an agent at the sitting of entry {}: {}",
            opening.number,
            marks.join(", ")
        )?;
    }
    if let Some(trouble) = &signing.trouble {
        writeln!(out, "{trouble}")?;
    }
    let graded = |grade: Grade| history.log.iter().filter(|row| row.grade == grade).count();
    let (anchored, sealed) = (graded(Grade::Anchored), graded(Grade::Sealed));
    let claims = history.log.len() - anchored - sealed;
    let sealed = match sealed {
        0 => String::new(),
        n => format!("{n} sealed elsewhere, "),
    };
    writeln!(
        out,
        "ledger {}: {anchored} entries anchored, {sealed}{claims} not",
        history.status.word()
    )
}

/// Who signed what: name, level, key, and over how many of their own entries; sorted.
fn signatures(history: &History) -> Vec<(String, Assurance, String, usize)> {
    let mut found: BTreeMap<(String, Assurance, String), usize> = BTreeMap::new();
    for row in &history.log {
        let by = match &row.entry.body {
            Body::Decision(decision) => decision.by(),
            Body::Undo(undo) => undo.by(),
            Body::Ruling(ruling) => ruling.by(),
            Body::Opened(_)
            | Body::Run(_)
            | Body::Assertion(_)
            | Body::Edit(_)
            | Body::Seal(_)
            | Body::Posted(_)
            | Body::Newer { .. } => continue,
        };
        let own: BTreeSet<_> = row.seals.iter().filter(|seal| seal.by == by).collect();
        for seal in own {
            let key = (seal.by.clone(), seal.level, seal.key.clone());
            *found.entry(key).or_default() += 1;
        }
    }
    let flat = |((by, level, key), count)| (by, level, key, count);
    found.into_iter().map(flat).collect()
}

fn vouched_json(history: &History, signing: &Signing) -> Value {
    let graded = |grade: Grade| history.log.iter().filter(|row| row.grade == grade).count();
    let signed = signatures(history).into_iter().map(|(by, level, key, count)| {
        json!({"by": by, "assurance": level.label(), "key": key, "entries": count})
    });
    json!({
        "anchored": graded(Grade::Anchored),
        "sealed": graded(Grade::Sealed),
        "claimed": graded(Grade::Chained),
        "broken": graded(Grade::Broken),
        "signers": signing.signers.found_in(),
        "trouble": signing.trouble,
        "signed": signed.collect::<Vec<_>>(),
    })
}

/// Whoever knows the signers here.
struct Signing {
    signers: Arc<Signers>,
    /// Why there is no list, when one was named.
    trouble: Option<String>,
}

/// The list of signers: the person's own, else that of the base, never that of the head.
fn signing(here: &Here) -> Result<Signing, Report> {
    let settings = config::user_settings()?.settings;
    let found = signer::list(settings.allowed_signers.as_deref(), &here.signers);
    let (list, trouble) = match found {
        Ok(list) => (list, None),
        Err(why) => (None, Some(why)),
    };
    Ok(Signing {
        signers: Arc::new(Signers::new(&place::folders()?, list)),
        trouble,
    })
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
