//! `countersign spec edit-class`.

use serde_json::{Value, json};

use super::args::At;
use super::base::{Compared, Of};
use super::page::Mark;
use super::said::said;
use super::{note_lines, notes_json, path_json, print};
use crate::cli::Context;
use crate::cli::exit::Exit;
use crate::cli::json::print_json;
use crate::cli::report::Report;
use crate::gate::spec::clearance::{self, Said, Spoken};
use crate::gate::spec::edit_class::{Change, Class, Edit, How, classify};
use crate::model::spec::Weight;
use crate::model::text::{Foreign, Place};

/// Runs it.
pub(super) fn run(context: &Context, at: &At, base: Option<&str>) -> Result<Exit, Report> {
    let compared = Compared::look(context, at, base, Of::Suites)?;
    let (said, claims) = said(&compared);
    let edits = classified(&compared, &said);
    let others: Vec<String> = compared.others.iter().map(|path| path.json().0).collect();
    if context.json {
        print_json(&json!({
            "schema": "countersign/spec-edit-class/1",
            "base": compared.base_json(),
            "files": edits.iter().map(edit_json).collect::<Vec<_>>(),
            "others": others,
            "findings": notes_json(&claims, Weight::Finding),
        }));
    } else {
        let mut lines = vec![compared.first_line()];
        lines.extend(edits.iter().flat_map(edit_lines));
        lines.extend(others.iter().map(|path| {
            let path = Foreign::from(path.as_str()).shown(Place::Strict);
            format!("! {path}: no .feature file, so it was not classified")
        }));
        lines.extend(note_lines(&claims));
        if edits.is_empty() {
            lines.push(String::from("no suite was touched"));
        }
        print(&lines);
    }
    Ok(exit(&edits))
}

/// The edits of everything that was compared, with what a person said of them.
pub(super) fn classified(compared: &Compared, said: &[Said]) -> Vec<Edit> {
    let pairs = compared.pairs.iter();
    let mut edits: Vec<Edit> = pairs
        .map(|pair| classify(&pair.path, pair.old_path.as_ref(), &pair.base, &pair.head))
        .collect();
    clearance::apply(&mut edits, said);
    edits
}

/// A person is needed as soon as one file is not clear.
fn exit(edits: &[Edit]) -> Exit {
    if edits.iter().any(Edit::needs_a_person) {
        Exit::PersonNeeded
    } else {
        Exit::Clear
    }
}

fn plain(text: &Foreign) -> String {
    text.shown(Place::Strict).plain()
}

/// Who said a word, and why.
fn spoken<T>(said: &Spoken<T>) -> String {
    format!("says {}: {}", plain(&said.by), plain(&said.why))
}

fn spoken_json<T>(is: &str, said: &Spoken<T>) -> Value {
    json!({"is": is, "by": plain(&said.by), "why": plain(&said.why)})
}

fn change_json(change: &Change) -> Value {
    json!({
        "name": plain(&change.name),
        "rule": change.rule.as_ref().map(plain),
        "part": change.part,
        "change": change.how.word(),
        "old_line": change.old_line,
        "new_line": change.new_line,
        "hint": change.hint,
        "pinned": change.pinned,
        "means": change.meaning.as_ref().map(|said| spoken_json(said.is.word(), said)),
        "pre_repair_proof": change.proof.as_ref().map(|said| spoken_json(said.is.word(), said)),
        "diff": change.lines.iter()
            .map(|(sign, line)| format!("{}{}", sign.mark(), plain(line)))
            .collect::<Vec<_>>(),
    })
}

/// An edit as JSON.
pub(super) fn edit_json(edit: &Edit) -> Value {
    let mut value = json!({});
    path_json(&mut value, "path", &edit.path);
    let hints: Vec<&str> = edit
        .changes
        .iter()
        .filter_map(|change| change.hint)
        .collect();
    let more = json!({
        "old_path": edit.old_path.as_ref().map(|path| path.json().0),
        "class": edit.class.word(),
        "route": edit.route().word(),
        "scenarios": edit.changes.iter().map(change_json).collect::<Vec<_>>(),
        "events": edit.events,
        "hints": hints,
        "confirmed": edit.confirmed(),
        "granted": edit.granted.as_ref().map(plain),
        "reason": edit.reason,
    });
    if let (Some(map), Value::Object(more)) = (value.as_object_mut(), more) {
        map.extend(more);
    }
    value
}

/// An edit in lines.
pub(super) fn edit_lines(edit: &Edit) -> Vec<String> {
    marked(edit, 0).0
}

/// The same of the edit at a place among all, with the parts that its lines speak of.
pub(super) fn marked(edit: &Edit, at_edit: usize) -> (Vec<String>, Vec<Mark>) {
    let path = plain(&edit.path.foreign());
    let old = edit.old_path.as_ref().map_or(String::new(), |old| {
        format!(" (was {})", plain(&old.foreign()))
    });
    let candidate = match (edit.class, edit.confirmed()) {
        (Class::Narrowing | Class::Mixed, None) => ", candidate",
        (_, Some(true)) => ", confirmed",
        (_, Some(false)) => ", said not to narrow",
        (_, None) => "",
    };
    let events = edit
        .events
        .iter()
        .map(|event| format!(", {event}"))
        .collect::<String>();
    let mut lines = vec![format!(
        "{path}{old}: {}{candidate} -> {}{events}",
        edit.class.word(),
        edit.route().word()
    )];
    if let Some(by) = &edit.granted {
        lines.push(format!("  Clearance granted by {}", plain(by)));
    }
    if let Some(why) = &edit.reason {
        lines.push(format!("  {why}"));
    }
    let mut marks: Vec<Mark> = (0..lines.len()).map(|at| Mark::of(at, at_edit)).collect();
    for (part, change) in edit.changes.iter().enumerate() {
        let from = lines.len();
        let rule = change
            .rule
            .as_ref()
            .map_or(String::new(), |rule| format!(" in rule {}", plain(rule)));
        let at = change
            .new_line
            .or(change.old_line)
            .map_or(String::new(), |line| format!(", line {line}"));
        let hint = change
            .hint
            .map_or(String::new(), |hint| format!(" ({hint})"));
        let pinned = if change.pinned {
            " (pinned: the user's own)"
        } else {
            ""
        };
        lines.push(format!(
            "  {} {} {}{rule}{at}{hint}{pinned}",
            change.how.word(),
            change.part,
            plain(&change.name)
        ));
        if let Some(said) = &change.meaning {
            lines.push(format!("    {}, {}", said.is.word(), spoken(said)));
        }
        if let Some(said) = &change.proof {
            let word = said.is.word();
            lines.push(format!("    {word} before its repair, {}", spoken(said)));
        }
        // what came or went whole is named; what changed is shown
        let whole = lines.len();
        if change.how == How::Modified {
            for (sign, line) in &change.lines {
                let line = line.shown(Place::Prose);
                lines.push(format!("    {} {line}", sign.mark()));
            }
        }
        marks.extend((from..lines.len()).map(|at| Mark {
            part: Some(part),
            detail: at >= whole,
            ..Mark::of(at, at_edit)
        }));
    }
    (lines, marks)
}
