//! `countersign menu`: gate messages. `parse` and `reply` read and never decide; `ask` puts one
//! before a person.

pub mod ask;
mod draw;
pub mod json;
mod recheck;

use std::path::Path;

use super::Context;
use super::args::{BoundArgs, MenuCommand};
use super::contract::{file, print};
use super::exit::Exit;
use super::json::print_json;
use super::report::Report;
use crate::adapters::git::place;
use crate::adapters::git::refs::Refs;
use crate::gate::menu::levers::Lever;
use crate::gate::menu::{Binding, read, reply};
use crate::model::menu::{Message, Opening, Reply, Row};
use crate::model::text::{Foreign, Place};

/// Most bytes of a message.
pub const LIMIT: usize = 1 << 20;
/// Most bytes of a reply.
pub const REPLY_LIMIT: usize = 64 << 10;

/// Runs it.
///
/// # Errors
/// A [`Report`].
pub fn run(context: &Context, command: &MenuCommand) -> Result<Exit, Report> {
    match command {
        MenuCommand::Parse { file } => {
            let message = message(&context.dir, file)?;
            let head = head(&context.dir);
            if context.json {
                print_json(&json::message(&message, head.as_deref()));
            } else {
                print(&lines(&message));
            }
            Ok(parsed(&message))
        }
        MenuCommand::Draw { file, evidence } => draw::run(context, file, *evidence),
        MenuCommand::Recheck { file, base } => {
            recheck::run(context, file.as_deref(), base.as_deref())
        }
        MenuCommand::Ask(args) => ask::run(context, args),
        MenuCommand::Reply { file, text, bound } => answer(context, file, text, bound),
    }
}

/// Reads the message in a file.
///
/// # Errors
/// A [`Report`]: it cannot be read, or is no message by its size.
pub fn message(dir: &Path, path: &Path) -> Result<Message, Report> {
    let given = file::given(dir, path).map_err(|report| Report {
        code: "no-message-file",
        ..report
    })?;
    if given.bytes.len() > LIMIT {
        let message = format!("the message has more than {LIMIT} bytes");
        return Err(Report::new(Exit::Usage, "no-message-file", message)
            .hint("give the message alone, not the log it stands in"));
    }
    Ok(read(&given.bytes))
}

/// The head of the repository that the folder lies in; `None` when there is none or it cannot be
/// read.
#[must_use]
pub fn head(dir: &Path) -> Option<String> {
    let place = place::find(dir).ok()?;
    let head = Refs::new(&place).ok()?.head().ok()?;
    Some(head.oid.to_string())
}

/// A binding as it was given, with everything that is wrong with its words.
///
/// # Errors
/// A [`Report`].
pub fn binding(bound: &BoundArgs) -> Result<Binding, Report> {
    let binding = Binding {
        gate: bound.gate.clone(),
        digest: bound.digest.clone(),
        head: bound.head.clone(),
    };
    let complaints = binding.complaints();
    if complaints.is_empty() {
        return Ok(binding);
    }
    Err(Report::new(Exit::Usage, "usage", complaints.join("; "))
        .hint("take digest and head from `menu parse --json`"))
}

fn answer(context: &Context, file: &Path, text: &str, bound: &BoundArgs) -> Result<Exit, Report> {
    let binding = binding(bound)?;
    if text.len() > REPLY_LIMIT {
        let message = format!("the reply has more than {REPLY_LIMIT} bytes");
        return Err(Report::new(Exit::Usage, "usage", message).hint("say it in fewer words"));
    }
    let message = message(&context.dir, file)?;
    let head = head(&context.dir);
    let reply = match binding.refusal(&message, head.as_deref()) {
        Some(why) => Reply::Stale(why),
        None => reply(&message, text),
    };
    if context.json {
        print_json(&json::reply(&message, &reply, text, head.as_deref()));
    } else {
        print(&meaning(&message, &reply, text));
    }
    Ok(replied(&reply))
}

/// Whether a message is over, or asks a person nothing.
#[must_use]
pub fn asks_nothing(message: &Message) -> bool {
    let nothing = message.rows.is_empty()
        && message.asks.is_empty()
        && !matches!(message.opening, Opening::Gate(_));
    nothing || matches!(message.opening, Opening::Done(_))
}

/// The exit of a reply: what can be delivered is clear, words are work for the agent.
#[must_use]
pub fn replied(reply: &Reply) -> Exit {
    match reply {
        Reply::Pick { .. }
        | Reply::Composed(_)
        | Reply::Overrides { .. }
        | Reply::Token(_)
        | Reply::Answer(_) => Exit::Clear,
        Reply::ChangeRequest(_) => Exit::NotClear,
        Reply::Empty | Reply::Invalid { .. } => Exit::Usage,
        Reply::Stale(_) => Exit::Stale,
    }
}

/// The exit of `menu parse`: a message that asks nothing is not clear either.
fn parsed(message: &Message) -> Exit {
    let nothing = message.rows.is_empty()
        && message.asks.is_empty()
        && matches!(message.opening, Opening::Plain);
    if nothing || !message.violations.is_empty() {
        Exit::NotClear
    } else {
        Exit::Clear
    }
}

fn prose(text: &Foreign) -> String {
    text.shown(Place::Prose).plain()
}

fn lines(message: &Message) -> Vec<String> {
    let mut out = vec![opening(message)];
    out.push(format!("message {}", message.digest.short()));
    out.extend(message.rows.iter().map(row));
    out.extend(message.eligibility.iter().map(|line| prose(&line.text)));
    out.extend(message.not_offered.iter().map(|omitted| {
        format!(
            "not offered: {} ({})",
            prose(&omitted.verb),
            prose(&omitted.reason)
        )
    }));
    out.extend(message.tail.iter().map(|line| format!("  {}", prose(line))));
    let levers = Lever::ALL.into_iter();
    out.extend(
        levers
            .filter(|lever| lever.closed(message).is_none())
            .map(|lever| format!("also: {} ({})", lever.words(), lever.form())),
    );
    for line in &message.inert {
        out.push(format!(
            "line {line} quotes a marker, which is without effect there"
        ));
    }
    for fault in &message.violations {
        out.push(format!(
            "error {} line {}: {}",
            fault.code, fault.line, fault.message
        ));
    }
    out
}

fn opening(message: &Message) -> String {
    match &message.opening {
        Opening::Gate(gate) => match gate.recommended {
            Some(n) => format!("gate {}, recommends {n}", gate.name()),
            None => format!("gate {}", gate.name()),
        },
        Opening::Done(outcome) => format!("done: {}", prose(outcome)),
        Opening::Malformed(_) => "no gate: line 1 begins as a marker and is none".to_owned(),
        Opening::Plain if message.rows.is_empty() => "no gate and no menu".to_owned(),
        Opening::Plain => "no marker, a menu".to_owned(),
    }
}

fn row(row: &Row) -> String {
    let mark = if row.recommended { '*' } else { ' ' };
    let closed = if row.unavailable.is_some() { "-" } else { " " };
    let rest = if row.consequence.is_blank() {
        String::new()
    } else {
        format!(" - {}", prose(&row.consequence))
    };
    format!("{mark}{closed}{:>2}  {}{rest}", row.n, prose(&row.label))
}

/// What a reply means, in words.
#[must_use]
pub fn meaning(message: &Message, reply: &Reply, typed: &str) -> Vec<String> {
    let mut out = Vec::new();
    let kind = reply.kind();
    match (reply, json::reason(reply)) {
        (Reply::Pick { n, .. }, _) => {
            let label = message.row(*n).map(|row| prose(&row.label));
            out.push(format!("{kind} {n}: {}", label.unwrap_or_default()));
        }
        (_, Some(why)) => out.push(format!("{kind}: {}", prose(&why.into()))),
        (_, None) => out.push(kind.to_owned()),
    }
    match reply::sent(reply, typed) {
        Some(text) => {
            let shown = Foreign::from(text).shown_lines(Place::Prose);
            out.extend(shown.iter().map(|line| format!("  {line}")));
        }
        None => out.push("  nothing is sent".to_owned()),
    }
    out
}
