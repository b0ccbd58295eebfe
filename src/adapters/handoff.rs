//! The hand-off as files for the agent: `handoff/1` as JSON, the same as Markdown, each written
//! whole or not at all. Quotes stay byte for byte in the JSON (hidden characters as `\u`
//! escapes); the Markdown shows what is hidden. Nothing here says that something is complete.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::gate::dossier::EditTarget;
use crate::gate::handoff::{AbandonedNote, About, FailedRow, Handoff, HandoffItem};
use crate::model::contract::Source;
use crate::model::id::RepoPath;
use crate::model::ruling::RootCause;
use crate::model::text::{Foreign, Place, is_hidden};

/// The schema's name.
pub const SCHEMA: &str = "countersign/handoff/1";

/// The `handoff/1` document.
#[must_use]
pub fn json(handoff: &Handoff) -> Value {
    json!({
        "schema": SCHEMA,
        "contract": handoff.contract.as_ref().map(|contract| {
            let (path, lossy) = contract.path.json();
            json!({
                "path": path,
                "lossy": lossy,
                "blob": contract.blob.map(|blob| blob.to_string()),
                "digest": contract.digest.to_string(),
                "source": source(&contract.source),
            })
        }),
        "head": handoff.head.to_string(),
        "base": handoff.base.to_string(),
        "repository": text(&handoff.repository).0,
        "change": handoff.change,
        "verdict": handoff.verdict.word(),
        "round": handoff.round,
        "floor_bounce": handoff.floor_bounce,
        "items": handoff.items.iter().map(item).collect::<Vec<_>>(),
        "abandoned": handoff.abandoned.iter().map(abandoned).collect::<Vec<_>>(),
        "partial": handoff.partial,
        "edits_to_commit": handoff.edits_to_commit.iter().map(|edit| {
            let (path, lossy) = edit.path.json();
            json!({"path": path, "lossy": lossy, "kind": edit.kind, "digest": edit.after.to_string()})
        }).collect::<Vec<_>>(),
        "root_cause_class": handoff.root_cause_class.map(RootCause::word),
        "reroll_bump": handoff.reroll_bump,
        "rationale": handoff.attack,
        "by": handoff.by,
        "assurance": handoff.assurance.label(),
        "ruling": {"id": handoff.ruling.0.to_string(), "entry": handoff.ruling.1},
    })
}

fn source(source: &Source) -> &'static str {
    match source {
        Source::Base => "base",
        Source::FirstCommit(_) => "first-commit",
        Source::Head => "head",
        Source::File => "file",
    }
}

/// Text for JSON: itself when UTF-8, else with replacement characters; the flag says so.
fn text(text: &Foreign) -> (String, bool) {
    match text.raw_str() {
        Some(text) => (text.to_owned(), false),
        None => (String::from_utf8_lossy(text.raw()).into_owned(), true),
    }
}

fn texts(list: &[Foreign]) -> Vec<String> {
    list.iter().map(|one| text(one).0).collect()
}

fn path(path: &RepoPath) -> String {
    path.json().0
}

fn item(item: &HandoffItem) -> Value {
    let (kind, name) = named(&item.about);
    let (verbatim, lossy) = text(&item.verbatim);
    let criterion = match &item.about {
        About::Criterion(id) | About::ContractEdit(EditTarget::Criterion(id)) => {
            Some(id.to_string())
        }
        About::ContractEdit(
            EditTarget::Whole | EditTarget::Request | EditTarget::Scope | EditTarget::Header,
        )
        | About::File(_)
        | About::Chain(_)
        | About::Assertion(_)
        | About::Thread(_)
        | About::Finding(_) => None,
    };
    json!({
        "kind": kind,
        "subject": name,
        "criterion": criterion,
        "verbatim": verbatim,
        "lossy": lossy,
        "cause": item.cause,
        "text": item.text,
        "anchors": {
            "paths": texts(&item.anchors.paths),
            "commands": texts(&item.anchors.commands),
            "tests": texts(&item.anchors.tests),
            "files": item.files.iter().map(path).collect::<Vec<_>>(),
        },
        "rows": item.rows.iter().map(row).collect::<Vec<_>>(),
    })
}

/// Kind and name of an item, the name raw.
fn named(about: &About) -> (&'static str, String) {
    match about {
        About::Criterion(id) => ("criterion", id.to_string()),
        About::ContractEdit(target) => ("contract-edit", target_name(target)),
        About::File(file) => ("file", path(file)),
        About::Chain(id) => ("chain", id.shown()),
        About::Assertion(entry) => ("assertion", entry.to_string()),
        About::Thread(id) => ("thread", id.to_string()),
        About::Finding(id) => ("finding", id.0.to_string()),
    }
}

fn target_name(target: &EditTarget) -> String {
    match target {
        EditTarget::Whole => "contract".to_owned(),
        EditTarget::Request => "request".to_owned(),
        EditTarget::Criterion(id) => id.to_string(),
        EditTarget::Scope => "file scope".to_owned(),
        EditTarget::Header => "header".to_owned(),
    }
}

fn row(row: &FailedRow) -> Value {
    let (check, lossy) = text(&row.check);
    json!({
        "state": "NOT-MET",
        "check": check,
        "lossy": lossy,
        "expect": row.expect.as_ref().map(|expect| text(expect).0),
        "ended": row.ended,
        "run": row.run.to_string(),
        "head": row.head.to_string(),
        "lines": row.lines.iter().map(|(line, shown)| {
            let (shown, lossy) = text(shown);
            json!({"line": line, "text": shown, "lossy": lossy})
        }).collect::<Vec<_>>(),
    })
}

fn abandoned(note: &AbandonedNote) -> Value {
    json!({
        "criterion": note.id.to_string(),
        "verbatim": text(&note.verbatim).0,
        "reason": text(&note.reason).0,
        "handoff": note.handoff,
        "accepted": note.accepted,
    })
}

/// The document as the file's text: pretty, hidden characters escaped (OUT-8).
#[must_use]
pub fn json_text(handoff: &Handoff) -> String {
    let pretty = serde_json::to_string_pretty(&json(handoff)).unwrap_or_default();
    let mut out = String::with_capacity(pretty.len() + 1);
    let mut units = [0; 2];
    for character in pretty.chars() {
        if is_hidden(character) && character != '\n' {
            for unit in character.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(character);
        }
    }
    out.push('\n');
    out
}

/// The same for reading: Markdown in which foreign text stands in fences and hidden characters
/// are marks.
#[must_use]
pub fn markdown(handoff: &Handoff) -> String {
    let mut out = String::new();
    let mut say = |line: &str| {
        out.push_str(line);
        out.push('\n');
    };
    say(&format!(
        "# {}: {} {} at {}",
        handoff.verdict.word(),
        code(&strict(&handoff.repository)),
        code(&strict(&Foreign::from(handoff.change.as_str()))),
        code(&handoff.head.abbreviated(12)),
    ));
    say("");
    match &handoff.contract {
        Some(contract) => {
            say(&format!(
                "- contract: {}",
                code(&strict(&contract.path.foreign()))
            ));
            if let Some(blob) = contract.blob {
                say(&format!("- contract blob: {}", code(&blob.to_string())));
            }
            say(&format!(
                "- contract digest: {}",
                code(&contract.digest.to_string())
            ));
            say(&format!(
                "- contract read from: {}",
                source(&contract.source)
            ));
        }
        None => say("- contract: none was found"),
    }
    say(&format!("- head: {}", code(&handoff.head.to_string())));
    say(&format!("- base: {}", code(&handoff.base.to_string())));
    say(&format!("- round: {}", handoff.round));
    if handoff.floor_bounce {
        say("- floor bounce: only oracles are red, no verify round was used");
    }
    say(&format!(
        "- ruled by: {} ({}), ledger entry {}",
        strict(&Foreign::from(handoff.by.as_str())),
        handoff.assurance.label(),
        handoff.ruling.1
    ));
    if let Some(class) = handoff.root_cause_class {
        say(&format!("- root cause class: {}", class.word()));
    }
    if let Some(bump) = &handoff.reroll_bump {
        say(&format!("- reroll_bump: {}", code(bump)));
    }
    out.push_str(&going_back(handoff));
    out.push_str(&set_aside(handoff));
    out.push_str("\n## Strongest remaining attack\n\n");
    out.push_str(&fence(&Foreign::from(handoff.attack.as_str())));
    out
}

fn going_back(handoff: &Handoff) -> String {
    let mut out = format!("\n## Going back: {}\n", handoff.items.len());
    if handoff.items.is_empty() {
        out.push_str("\nNothing goes back.\n");
    }
    for (at, item) in handoff.items.iter().enumerate() {
        let (kind, name) = named(&item.about);
        let name = strict(&Foreign::from(name.as_str()));
        let cause = item.cause.unwrap_or("missing, without a ruling of its own");
        out.push_str(&format!(
            "\n### {}. {kind} {}: {cause}\n",
            at + 1,
            code(&name)
        ));
        if !item.verbatim.is_blank() {
            out.push('\n');
            out.push_str(&fence(&item.verbatim));
        }
        if !item.text.is_empty() {
            out.push_str("\nThe person says:\n\n");
            out.push_str(&fence(&Foreign::from(item.text.as_str())));
        }
        for row in &item.rows {
            out.push_str(&red(row));
        }
        let anchors: Vec<String> = item
            .anchors
            .paths
            .iter()
            .chain(&item.anchors.commands)
            .chain(&item.anchors.tests)
            .map(|anchor| code(&strict(anchor)))
            .chain(item.files.iter().map(|file| code(&strict(&file.foreign()))))
            .collect();
        if !anchors.is_empty() {
            out.push_str(&format!("\nAnchors: {}\n", anchors.join(", ")));
        }
    }
    out
}

fn red(row: &FailedRow) -> String {
    let mut out = format!(
        "\nNOT-MET {} at {}\n\n",
        row.ended,
        code(&row.head.abbreviated(12))
    );
    let mut body = Vec::new();
    body.extend_from_slice(b"CHECK: ");
    body.extend_from_slice(row.check.raw());
    if let Some(expect) = &row.expect {
        body.extend_from_slice(b"\nEXPECT: ");
        body.extend_from_slice(expect.raw());
    }
    for (line, shown) in &row.lines {
        body.extend_from_slice(format!("\n{line}: ").as_bytes());
        body.extend_from_slice(shown.raw());
    }
    out.push_str(&fence(&Foreign::new(body)));
    out
}

fn set_aside(handoff: &Handoff) -> String {
    let mut out = String::new();
    if !handoff.abandoned.is_empty() {
        out.push_str("\n## Abandoned: this is a partial delivery\n");
        for note in &handoff.abandoned {
            let state = if note.accepted {
                "accepted"
            } else {
                "not accepted by a person"
            };
            out.push_str(&format!("\n### {}: {state}\n\n", code(note.id.as_str())));
            out.push_str(&fence(&note.verbatim));
            out.push_str("\nReason:\n\n");
            out.push_str(&fence(&note.reason));
            if let Some(handoff) = &note.handoff {
                out.push_str("\nTaken over by:\n\n");
                out.push_str(&fence(&Foreign::from(handoff.as_str())));
            }
        }
    }
    if !handoff.edits_to_commit.is_empty() {
        out.push_str("\n## Edits to commit\n\nWritten into the worktree, not committed:\n\n");
        for edit in &handoff.edits_to_commit {
            out.push_str(&format!(
                "- {}: {} (sha256 {})\n",
                code(&strict(&edit.path.foreign())),
                edit.kind,
                edit.after
            ));
        }
    }
    out
}

fn strict(text: &Foreign) -> String {
    text.shown(Place::Strict).plain()
}

/// A code span that its own text can't end.
fn code(text: &str) -> String {
    let ticks = "`".repeat(longest(text, '`') + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') {
        " "
    } else {
        ""
    };
    format!("{ticks}{pad}{text}{pad}{ticks}")
}

/// A fence that its own text can't end.
fn fence(text: &Foreign) -> String {
    let lines: Vec<String> = text
        .shown_lines(Place::Prose)
        .iter()
        .map(ToString::to_string)
        .collect();
    let body = lines.join("\n");
    let ticks = "`".repeat(longest(&body, '`').max(2) + 1);
    format!("{ticks}text\n{body}\n{ticks}\n")
}

/// The longest run of a character.
fn longest(text: &str, of: char) -> usize {
    text.split(|c| c != of).map(str::len).max().unwrap_or(0)
}

/// The name of the files of a ruling, without an ending: `handoff-<change>-r<round>`.
#[must_use]
pub fn file_stem(handoff: &Handoff) -> String {
    let key: String = handoff
        .change
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .take(60)
        .collect();
    format!("handoff-{}-r{}", key.trim_matches('-'), handoff.round)
}

/// Writes both files into `folder`, each whole or not at all, and returns their paths.
///
/// # Errors
/// When a file can't be created, written, flushed to the disk or put in its place.
pub fn write(handoff: &Handoff, folder: &Path, stem: &str) -> io::Result<Vec<PathBuf>> {
    let files = [
        (folder.join(format!("{stem}.json")), json_text(handoff)),
        (folder.join(format!("{stem}.md")), markdown(handoff)),
    ];
    let mut written = Vec::new();
    for (path, text) in files {
        put(&path, text.as_bytes())?;
        written.push(path);
    }
    Ok(written)
}

/// Puts a file in its place in one step: a reader sees the old bytes or the new ones. A link
/// that stands there is replaced, never followed.
fn put(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    if fs::symlink_metadata(path).is_ok_and(|meta| meta.is_dir()) {
        return Err(io::Error::other("a folder stands there"));
    }
    let mut file = tempfile::Builder::new()
        .prefix(".handoff-")
        .tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    File::open(folder)?.sync_all()
}
