//! `countersign spec`: the parts of the spec gate, each for itself.

pub(in crate::cli) mod acts;
pub mod args;
mod base;
mod desk;
mod digest;
mod edit_class;
mod facts;
mod gate;
mod handoff;
mod judge;
mod look;
mod page;
mod queue;
mod record;
mod refs;
mod said;
mod state;
mod suite;
mod verdict;

use std::io::Write as _;

use serde_json::{Value, json};

use super::Context;
use super::exit::Exit;
use super::json::print_json;
use super::report::Report;
use crate::app::queue::{Line, Tone};
use crate::model::id::RepoPath;
use crate::model::spec::{Note, Weight, count};
use crate::model::text::Place;
use crate::runtime::lines;
use args::SpecCommand;

/// Runs it.
///
/// # Errors
/// A [`Report`].
pub fn run(context: &Context, command: &SpecCommand) -> Result<Exit, Report> {
    match command {
        SpecCommand::State { at, cr } => state::run(context, at, cr.as_deref()),
        SpecCommand::Suite { at } => suite::run(context, at),
        SpecCommand::Refs { at, base } => refs::run(context, at, base.as_deref()),
        SpecCommand::Gate { at, change } => gate::run(context, at, &change.given()),
        SpecCommand::Judge { at, change } => judge::run(context, at, &change.given()),
        SpecCommand::Digest { at, change } => digest::run(context, at, &change.given()),
        SpecCommand::Queue { dirs, plain } => super::queue::run(
            context,
            &super::args::QueueArgs {
                dirs: dirs.clone(),
                gate: Some(String::from("spec")),
                plain: *plain,
            },
        ),
        SpecCommand::EditClass { at, base } => edit_class::run(context, at, base.as_deref()),
    }
}

pub(super) use desk::sit;
pub(super) use page::page;
pub(super) use queue::{Asserted, gather, sort};

/// A line with the looks that its first characters ask for; foreign text never begins one.
pub(super) fn dressed(text: &str) -> Line {
    const HEADS: [&str; 5] = ["What", "Status", "Scenarios", "Key decisions", "Open items"];
    let inner = text.trim_start_matches(' ');
    let indent = text.len() - inner.len();
    let marked = indent == 0 || indent == 4;
    let tone = if HEADS.contains(&text) || text.starts_with("CR  ") {
        Tone::Head
    } else if text.starts_with("x ") {
        Tone::Bad
    } else if text.starts_with("! ") || text == "approve and ratify: closed" {
        Tone::Warn
    } else if marked && inner.starts_with("- ") {
        Tone::Gone
    } else if marked && inner.starts_with("+ ") {
        Tone::Come
    } else {
        Tone::Plain
    };
    Line {
        text: text.to_owned(),
        tone,
    }
}

/// Why approving the change in the current folder is closed; what cannot be looked at closes.
pub(super) fn approve_is_closed(context: &Context) -> Vec<String> {
    let at = args::At::default();
    match facts::Facts::gather(context, &at, &facts::Given::default()) {
        Ok(facts) => facts.closed,
        Err(report) => vec![report.message],
    }
}

/// A path in JSON, with `lossy` beside it where it is no UTF-8.
pub(super) fn path_json(value: &mut Value, key: &str, path: &RepoPath) {
    let (text, lossy) = path.json();
    if let Some(map) = value.as_object_mut() {
        map.insert(key.to_owned(), text.into());
        if lossy {
            map.insert(String::from("lossy"), true.into());
        }
    }
}

pub(super) fn note_json(note: &Note) -> Value {
    let mut value = json!({});
    path_json(&mut value, "file", &note.file);
    if let Some(map) = value.as_object_mut() {
        map.insert("line".into(), note.line.into());
        map.insert("code".into(), note.code.into());
        map.insert("message".into(), note.message.clone().into());
        map.insert("hint".into(), note.hint.into());
    }
    value
}

/// The notes of one weight as JSON.
pub(super) fn notes_json(notes: &[Note], weight: Weight) -> Vec<Value> {
    let these = notes.iter().filter(|note| note.weight == weight);
    these.map(note_json).collect()
}

/// The notes as lines: violations marked `x`, findings marked `!`.
pub(super) fn note_lines(notes: &[Note]) -> Vec<String> {
    let line = |note: &Note| {
        let mark = match note.weight {
            Weight::Violation => "x",
            Weight::Finding => "!",
        };
        let file = note.file.foreign().shown(Place::Strict);
        let at = match note.line {
            0 => String::new(),
            line => format!(":{line}"),
        };
        format!(
            "{mark} {file}{at}: {} ({}): {}",
            note.message, note.code, note.hint
        )
    };
    notes.iter().map(line).collect()
}

/// Prints `{violations, findings}` of a part and says how it ends.
pub(super) fn report(
    context: &Context,
    part: &str,
    notes: &[Note],
    more: Value,
    summary: &str,
) -> Exit {
    let violations = notes
        .iter()
        .filter(|n| n.weight == Weight::Violation)
        .count();
    if context.json {
        let mut value = json!({
            "schema": format!("countersign/spec-{part}/1"),
            "violations": notes_json(notes, Weight::Violation),
            "findings": notes_json(notes, Weight::Finding),
        });
        if let (Some(map), Value::Object(more)) = (value.as_object_mut(), more) {
            map.extend(more);
        }
        print_json(&value);
    } else {
        let mut lines = note_lines(notes);
        let findings = notes.len() - violations;
        lines.push(format!(
            "{summary}: {}, {}",
            count(violations, "violation"),
            count(findings, "finding")
        ));
        print(&lines);
    }
    if violations == 0 {
        Exit::Clear
    } else {
        Exit::NotClear
    }
}

/// Writes lines to stdout; a closed pipe is no failure of ours.
pub(super) fn print(lines: &[String]) {
    let mut out = lines::stdout();
    for line in lines {
        if writeln!(out, "{line}").is_err() {
            return;
        }
    }
}
