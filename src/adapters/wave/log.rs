//! The event log of a wave on disk: JSON Lines, only ever appended to.

use std::io::{Read as _, Write as _};
use std::path::Path;

use rustix::fs::{FlockOperation, Mode, OFlags};
use serde_json::{Map, Value as Json, json};

use super::complaints::Complaints;
use super::json::{self, Node, Value};
use crate::gate::wave::events::{Books, Entry, Event};
use crate::gate::wave::repair::Booked;
use crate::model::contract::Complaint;
use crate::model::id::{Digest, Oid};
use crate::model::wave::{FindingId, Pending, Route, count, ordinal};

/// A log, read and replayed.
#[derive(Clone, Debug)]
pub struct Log {
    /// Its entries.
    pub entries: Vec<Entry>,
    /// The books that follow.
    pub books: Books,
    /// What is wrong with it.
    pub complaints: Vec<Complaint>,
}

/// Reads a log. A last line without its end was never finished and is left out with a warning.
#[must_use]
pub fn read(bytes: &[u8]) -> Log {
    let mut complaints = Complaints::default();
    let mut entries = Vec::new();
    let mut books = Books::default();
    let mut lines: Vec<&[u8]> = bytes.split(|b| *b == b'\n').collect();
    if lines.pop().is_some_and(|rest| !rest.is_empty()) {
        let at = u32::try_from(lines.len() + 1).unwrap_or(u32::MAX);
        let message = "the last line has no end and is left out";
        complaints.warn("torn-line", at, message, "append the event again");
    }
    for (at, line) in lines.into_iter().enumerate() {
        let at = u32::try_from(at + 1).unwrap_or(u32::MAX);
        if line.trim_ascii().is_empty() {
            continue;
        }
        let hint = "restore the log; events are only ever appended";
        match entry(line) {
            Err(why) => complaints.error("bad-event", at, why, hint),
            Ok(entry) => {
                if let Err(why) = books.apply(&entry) {
                    let message = format!("{} cannot follow: {why}", entry.event.name());
                    complaints.error("bad-event", at, message, hint);
                }
                entries.push(entry);
            }
        }
    }
    Log {
        entries,
        books,
        complaints: complaints.done(),
    }
}

/// A field of an event with what it must be.
fn need<T>(node: &Node, key: &str, read: impl Fn(&Node) -> Option<T>) -> Result<T, String> {
    let found = node.get(key).ok_or_else(|| format!("{key} is missing"))?;
    read(found).ok_or_else(|| format!("{key} cannot be read"))
}

fn number(node: &Node) -> Option<u32> {
    match &node.value {
        Value::Number(text) => count(text),
        _ => None,
    }
}

fn oid(node: &Node) -> Option<Oid> {
    node.text().and_then(Oid::parse)
}

fn flag(node: &Node) -> Option<bool> {
    match node.value {
        Value::Bool(flag) => Some(flag),
        _ => None,
    }
}

fn list<T>(node: &Node, read: impl Fn(&Node) -> Option<T>) -> Option<Vec<T>> {
    match &node.value {
        Value::List(items) => items.iter().map(read).collect(),
        _ => None,
    }
}

fn id(node: &Node) -> Option<FindingId> {
    node.text().and_then(FindingId::parse)
}

fn route(node: &Node) -> Option<Option<Route>> {
    if node.is_null() {
        return Some(None);
    }
    let all = [Route::Needs, Route::ContractException];
    all.into_iter()
        .find(|route| node.text() == Some(route.word()))
        .map(Some)
}

fn entry(line: &[u8]) -> Result<Entry, String> {
    let node = json::read(line).map_err(|faults| {
        let faults: Vec<String> = faults.into_iter().map(|fault| fault.message).collect();
        faults.join(", ")
    })?;
    let seq = need(&node, "seq", |seq| match &seq.value {
        Value::Number(text) => ordinal(text).map(u64::from),
        _ => None,
    })?;
    let name = need(&node, "event", |name| name.text().map(str::to_owned))?;
    let row = || need(&node, "row", |row| number(row).filter(|row| *row > 0));
    let event = match name.as_str() {
        "pass_open" => Event::PassOpen {
            round_start_head: need(&node, "round_start_head", oid)?,
        },
        "dispatch" => Event::Dispatch {
            pending: Pending {
                row: row()?,
                head_before: need(&node, "head_before", oid)?,
            },
            iteration: need(&node, "iteration", number)?,
            escalated: need(&node, "escalated", flag)?,
        },
        "admit" => Event::Admit {
            row: row()?,
            done: need(&node, "done", flag)?,
            route: need(&node, "route", route)?,
            extras: need(&node, "extras", |extras| list(extras, number))?,
            head: need(&node, "head", oid)?,
        },
        "miss" => Event::Miss { row: row()? },
        "stop_round" => Event::StopRound { row: row()? },
        "review" => Event::Review {
            head: need(&node, "head", |head| {
                if head.is_null() {
                    Some(None)
                } else {
                    oid(head).map(Some)
                }
            })?,
            report: need(&node, "report", |d| d.text().and_then(Digest::parse))?,
        },
        "closure" => Event::Closure {
            id: need(&node, "id", id)?,
            resolved: need(&node, "resolved", flag)?,
        },
        "reopen" => Event::Reopen {
            row: row()?,
            ids: need(&node, "ids", |ids| list(ids, id))?,
        },
        "settle" => Event::Settle { row: row()? },
        "carry" => Event::Carry {
            blocking: need(&node, "blocking", |ids| list(ids, id))?,
            nits: need(&node, "nits", |ids| list(ids, id))?,
        },
        "push" => Event::Push {
            head: need(&node, "head", oid)?,
        },
        "repair" => Event::Repair {
            proposal: need(&node, "proposal", |d| d.text().and_then(Digest::parse))?,
            finding: need(&node, "finding", id)?,
            step: need(&node, "step", |step| {
                let given = step.text()?;
                Booked::ALL.into_iter().find(|one| one.word() == given)
            })?,
            closed: need(&node, "closed", |ids| list(ids, id))?,
        },
        "hold" => Event::Hold,
        "watch" => Event::Watch,
        "own_push_rereview" => Event::OwnPushRereview,
        "exit_check" => Event::ExitCheck,
        other => {
            return Err(format!("{} is no event", super::complaints::shown(other)));
        }
    };
    Ok(Entry { seq, event })
}

/// An entry as it stands in the log.
#[must_use]
pub fn line(entry: &Entry) -> Json {
    let ids = |ids: &[FindingId]| Json::from_iter(ids.iter().map(ToString::to_string));
    let fields: Vec<(&str, Json)> = match &entry.event {
        Event::PassOpen { round_start_head } => {
            vec![("round_start_head", json!(round_start_head.to_string()))]
        }
        Event::Dispatch {
            pending,
            iteration,
            escalated,
        } => vec![
            ("row", json!(pending.row)),
            ("head_before", json!(pending.head_before.to_string())),
            ("iteration", json!(iteration)),
            ("escalated", json!(escalated)),
        ],
        Event::Admit {
            row,
            done,
            route,
            extras,
            head,
        } => vec![
            ("row", json!(row)),
            ("done", json!(done)),
            ("route", json!(route.map(Route::word))),
            ("extras", json!(extras)),
            ("head", json!(head.to_string())),
        ],
        Event::Miss { row } | Event::StopRound { row } | Event::Settle { row } => {
            vec![("row", json!(row))]
        }
        Event::Review { head, report } => vec![
            ("head", json!(head.map(|head| head.to_string()))),
            ("report", json!(report.to_string())),
        ],
        Event::Closure { id, resolved } => {
            vec![("id", json!(id.to_string())), ("resolved", json!(resolved))]
        }
        Event::Reopen { row, ids: open } => vec![("row", json!(row)), ("ids", ids(open))],
        Event::Carry { blocking, nits } => vec![("blocking", ids(blocking)), ("nits", ids(nits))],
        Event::Push { head } => vec![("head", json!(head.to_string()))],
        Event::Repair {
            proposal,
            finding,
            step,
            closed,
        } => vec![
            ("proposal", json!(proposal.to_string())),
            ("finding", json!(finding.to_string())),
            ("step", json!(step.word())),
            ("closed", ids(closed)),
        ],
        Event::Hold | Event::Watch | Event::OwnPushRereview | Event::ExitCheck => Vec::new(),
    };
    let mut map = Map::new();
    map.insert("seq".into(), json!(entry.seq));
    map.insert("event".into(), json!(entry.event.name()));
    for (name, value) in fields {
        map.insert(name.into(), value);
    }
    Json::Object(map)
}

/// Appends entries, under a lock and only when the log still ends where `books` ended; the bytes
/// are on the disk when this returns. The file is created when it is not there.
///
/// # Errors
/// Why nothing was appended, as a fragment.
pub fn append(path: &Path, after: u64, entries: &[Entry]) -> Result<(), String> {
    let flags = OFlags::RDWR
        | OFlags::APPEND
        | OFlags::CREATE
        | OFlags::NOFOLLOW
        | OFlags::NONBLOCK
        | OFlags::CLOEXEC;
    let fd = rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR).map_err(|e| e.to_string())?;
    let mut file = std::fs::File::from(fd);
    let plain = file.metadata().map_err(|e| e.to_string())?.is_file();
    if !plain {
        return Err("the log is no plain file".into());
    }
    rustix::fs::flock(&file, FlockOperation::LockExclusive).map_err(|e| e.to_string())?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(|e| e.to_string())?;
    let now = read(&bytes);
    if now.books.seq != after || !crate::model::wave::sound(&now.complaints) {
        return Err("the log changed meanwhile".into());
    }
    let torn = bytes.last().is_some_and(|last| *last != b'\n');
    if torn {
        let whole = bytes
            .iter()
            .rposition(|b| *b == b'\n')
            .map_or(0, |at| at + 1);
        let whole = u64::try_from(whole).map_err(|e| e.to_string())?;
        file.set_len(whole).map_err(|e| e.to_string())?;
    }
    let mut text = String::new();
    for entry in entries {
        text.push_str(&line(entry).to_string());
        text.push('\n');
    }
    file.write_all(text.as_bytes()).map_err(|e| e.to_string())?;
    file.sync_all().map_err(|e| e.to_string())
}
