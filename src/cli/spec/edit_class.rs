//! `countersign spec edit-class`.

use serde_json::{Value, json};

use super::args::At;
use super::base::{Compared, Of};
use super::{path_json, print};
use crate::cli::Context;
use crate::cli::exit::Exit;
use crate::cli::json::print_json;
use crate::cli::report::Report;
use crate::gate::spec::edit_class::{Change, Class, Edit, How, Route, classify};
use crate::model::text::{Foreign, Place};

/// Runs it.
pub(super) fn run(context: &Context, at: &At, base: Option<&str>) -> Result<Exit, Report> {
    let compared = Compared::look(context, at, base, Of::Suites)?;
    let edits = classified(&compared);
    let others: Vec<String> = compared.others.iter().map(|path| path.json().0).collect();
    if context.json {
        print_json(&json!({
            "schema": "countersign/spec-edit-class/1",
            "base": compared.base_json(),
            "files": edits.iter().map(edit_json).collect::<Vec<_>>(),
            "others": others,
        }));
    } else {
        let mut lines = vec![compared.first_line()];
        lines.extend(edits.iter().flat_map(edit_lines));
        lines.extend(others.iter().map(|path| {
            let path = Foreign::from(path.as_str()).shown(Place::Strict);
            format!("! {path}: no .feature file, so it was not classified")
        }));
        if edits.is_empty() {
            lines.push(String::from("no suite was touched"));
        }
        print(&lines);
    }
    Ok(exit(&edits))
}

/// The edits of everything that was compared.
pub(super) fn classified(compared: &Compared) -> Vec<Edit> {
    let pairs = compared.pairs.iter();
    pairs
        .map(|pair| classify(&pair.path, pair.old_path.as_ref(), &pair.base, &pair.head))
        .collect()
}

/// A person is needed as soon as one file is not clear.
fn exit(edits: &[Edit]) -> Exit {
    let open = |edit: &Edit| matches!(edit.class.route(), Route::Clearance | Route::Unclassifiable);
    if edits.iter().any(open) {
        Exit::PersonNeeded
    } else {
        Exit::Clear
    }
}

fn plain(text: &Foreign) -> String {
    text.shown(Place::Strict).plain()
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
        "route": edit.class.route().word(),
        "scenarios": edit.changes.iter().map(change_json).collect::<Vec<_>>(),
        "events": edit.events,
        "hints": hints,
        "confirmed": Value::Null,
        "reason": edit.reason,
    });
    if let (Some(map), Value::Object(more)) = (value.as_object_mut(), more) {
        map.extend(more);
    }
    value
}

/// An edit in lines.
pub(super) fn edit_lines(edit: &Edit) -> Vec<String> {
    let path = plain(&edit.path.foreign());
    let old = edit.old_path.as_ref().map_or(String::new(), |old| {
        format!(" (was {})", plain(&old.foreign()))
    });
    let candidate = match edit.class {
        Class::Narrowing | Class::Mixed => ", candidate",
        _ => "",
    };
    let events = edit
        .events
        .iter()
        .map(|event| format!(", {event}"))
        .collect::<String>();
    let mut lines = vec![format!(
        "{path}{old}: {}{candidate} -> {}{events}",
        edit.class.word(),
        edit.class.route().word()
    )];
    if let Some(why) = &edit.reason {
        lines.push(format!("  {why}"));
    }
    for change in &edit.changes {
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
        // what came or went whole is named; what changed is shown
        if change.how == How::Modified {
            for (sign, line) in &change.lines {
                let line = line.shown(Place::Prose);
                lines.push(format!("    {} {line}", sign.mark()));
            }
        }
    }
    lines
}
