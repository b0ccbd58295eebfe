//! The spec gate, rule by rule: the tables `tests/truth/spec-*.md`, and the commands on trees.

mod act;
mod bar;
mod clearance;
mod command;
mod edit_class;
mod forest;
mod judge;
mod queue;
mod queue_screen;
mod refs;
mod state;
mod suite;

use countersign::adapters::spec::Files;
use countersign::model::id::RepoPath;
use countersign::model::spec::{Note, Weight};
use countersign::model::text::Place;

/// Files of a table: each begins with a line `=== path`.
pub(crate) fn files(text: &str) -> Files {
    let mut files = Files::default();
    let mut open: Option<(RepoPath, String)> = None;
    for line in text.split_inclusive('\n') {
        if let Some(path) = line.strip_prefix("=== ") {
            if let Some((path, text)) = open.take() {
                files.all.insert(path, Ok(text.into_bytes()));
            }
            open = Some((RepoPath::from(path.trim()), String::new()));
        } else if let Some((_, text)) = &mut open {
            text.push_str(line);
        }
    }
    if let Some((path, text)) = open {
        files.all.insert(path, Ok(text.into_bytes()));
    }
    files
}

/// Notes as a table says them: mark, place, code.
pub(crate) fn told(notes: &[Note]) -> String {
    let line = |note: &Note| {
        let mark = match note.weight {
            Weight::Violation => "x",
            Weight::Finding => "!",
        };
        let file = note.file.foreign().shown(Place::Strict).plain();
        format!("{mark} {file}:{} {}\n", note.line, note.code)
    };
    let said: String = notes.iter().map(line).collect();
    if said.is_empty() {
        String::from("legal\n")
    } else {
        said
    }
}
