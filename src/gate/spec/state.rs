//! `spec state`: the legal tuples of a root and the rules of a node.
//!
//! Each root is judged by the fourteen tuple rules, two of which its source only documents; the
//! floor is tied to the change request that the standing approval names.

use super::approval::{Approval, approval, approvals};
use super::ledger::{Word, approves, last_word};
use crate::model::id::RepoPath;
use crate::model::known::Known;
use crate::model::spec::front::{Entry, Front, Value, find};
use crate::model::spec::shard::Shard;
use crate::model::spec::{Document, Node, Note, Root, Tree, quoted};
use crate::model::text::Foreign;

/// The states of a spec.
pub const STATUSES: [&str; 4] = ["draft", "approved", "implemented", "deprecated"];
/// The gates.
pub const GATES: [&str; 2] = ["spec", "impl"];
/// The verdicts that are stored; `change` is a verb and never one of them.
pub const VERDICTS: [&str; 3] = ["approve", "pause", "reject"];
/// Why an agent was stopped.
pub const CAUSES: [&str; 3] = ["dimension", "clearance", "ceiling"];
/// What a reason of an agent has to speak of.
pub const WHY: [&str; 4] = ["floor", "blast", "novelty", "confidence"];
/// Fields of the life of a root that no node may carry.
const ROOT_ONLY: [&str; 7] = [
    "status",
    "project-path",
    "approval",
    "produced-by",
    "aligned",
    "spec-layout",
    "leash",
];
/// Fields that went out of use on a root.
const RETIRED: [&str; 9] = [
    "aligned",
    "spec-layout",
    "type",
    "domain-type",
    "blocked-by",
    "priority",
    "subtasks",
    "strategy",
    "leash",
];

/// Judges a whole tree. `cr` is the change request under review; without one, a root is judged
/// by the one that its approval names, and when that names none, by any.
#[must_use]
pub fn tree(tree: &Tree, cr: Option<&Foreign>) -> Vec<Note> {
    let mut notes = Vec::new();
    for (path, why) in &tree.unread {
        notes.push(Note::violation(
            path,
            0,
            "unreadable",
            why,
            "make it readable",
        ));
    }
    for root in &tree.roots {
        self::root(root, cr, &mut notes);
    }
    for node in &tree.nodes {
        self::node(node, &mut notes);
    }
    notes.sort();
    notes
}

fn root(root: &Root, cr: Option<&Foreign>, notes: &mut Vec<Note>) {
    let path = file(&root.dir, "spec.md");
    let document = match &root.document {
        Known::Is(document) => document,
        Known::Unknown(why) => {
            let says = why.to_string();
            notes.push(Note::violation(
                &path,
                0,
                "unreadable",
                says,
                "make it readable",
            ));
            return;
        }
        Known::NotApplicable(_) | Known::NotSupplied => return,
    };
    damage(root, document, cr, notes);
    if !front(&path, &document.front, notes) {
        if document.front == Front::Absent {
            let hint = "begin it with --- and a status";
            notes.push(Note::violation(&path, 1, "no-status", "no status", hint));
        }
        return;
    }
    let entries = document.front.entries();
    for entry in entries {
        if RETIRED.contains(&entry.key.raw_str().unwrap_or_default()) {
            let says = format!("{} is out of use", quoted(&entry.key));
            let hint = "take it out";
            notes.push(Note::finding(
                &path,
                entry.line,
                "retired-field",
                says,
                hint,
            ));
        }
    }
    let status = status(&path, entries, notes);
    let done = matches!(status, Some("approved" | "implemented"));
    if done {
        for marker in &document.open {
            let says = format!(
                "an open marker stands in a spec that is {}",
                status.unwrap_or("")
            );
            let hint = "settle it, or set the status back to draft";
            notes.push(Note::violation(
                &path,
                marker.line,
                "open-marker",
                says,
                hint,
            ));
        }
    }
    let gates = approvals(&path, &document.front, status, notes);
    let line = find(entries, "status").map_or(1, |entry| entry.line);
    let approved = |gate: &str| {
        gates
            .iter()
            .find(|a| a.entry.key.raw() == gate.as_bytes())
            .filter(|a| a.is("approve") && a.by.is_some())
    };
    let owed: &[&str] = match status {
        Some("approved") => &["spec"],
        Some("implemented") => &["spec", "impl"],
        _ => &[],
    };
    for gate in owed {
        let (code, low) = match *gate {
            "spec" => ("unapproved-spec", "floor-spec"),
            _ => ("unapproved-impl", "floor-impl"),
        };
        let standing = approved(gate);
        if standing.is_none() {
            let says = format!(
                "{} without approval.{gate}: approve, by someone",
                status.unwrap_or("")
            );
            notes.push(Note::violation(
                &path,
                line,
                code,
                says,
                "set the status back",
            ));
        }
        floor(root, &path, gate, low, line, standing.copied(), cr, notes);
    }
    if done && root.suites.is_empty() {
        let says = format!("{} without any .feature", status.unwrap_or(""));
        let hint = "write the scenarios before it is approved";
        notes.push(Note::violation(&path, line, "no-feature", says, hint));
    }
}

/// What is wrong with the frontmatter as such; says whether it can be read on.
fn front(path: &RepoPath, front: &Front, notes: &mut Vec<Note>) -> bool {
    match front {
        Front::Absent => false,
        Front::Broken { line, why } => {
            let says = format!("the frontmatter is no YAML: {why}");
            let hint = "mend it; nothing of it counts until then";
            notes.push(Note::violation(path, *line, "frontmatter", says, hint));
            false
        }
        Front::Read {
            mended, doubled, ..
        } => {
            for line in mended {
                let says = "this value is no YAML as it stands, and was read as text";
                let hint = "put it into quotes";
                notes.push(Note::finding(path, *line, "frontmatter-mended", says, hint));
            }
            for (line, key) in doubled {
                let says = format!("{} stands twice", quoted(key));
                let hint = "take one out";
                notes.push(Note::violation(
                    path,
                    *line,
                    "frontmatter-doubled",
                    says,
                    hint,
                ));
            }
            true
        }
    }
}

fn status<'a>(path: &RepoPath, entries: &'a [Entry], notes: &mut Vec<Note>) -> Option<&'a str> {
    let hint = "use draft, approved, implemented or deprecated";
    let entry = find(entries, "status").filter(|entry| !entry.value.is_null());
    let Some(entry) = entry else {
        notes.push(Note::violation(path, 1, "no-status", "no status", hint));
        return None;
    };
    let word = entry.value.word().filter(|word| STATUSES.contains(word));
    if word.is_none() {
        let says = format!("there is no status {}", shown(&entry.value));
        notes.push(Note::violation(
            path,
            entry.line,
            "unknown-status",
            says,
            hint,
        ));
    }
    word
}

pub(super) fn shown(value: &Value) -> String {
    value
        .text()
        .map_or_else(|| String::from("of this shape"), quoted)
}

/// Rules 11 and 12: the ledger has to carry the verdict, as the last word of its change request.
#[expect(clippy::too_many_arguments, reason = "one rule with its place")]
fn floor(
    root: &Root,
    path: &RepoPath,
    gate: &str,
    code: &'static str,
    line: u32,
    standing: Option<Approval<'_>>,
    cr: Option<&Foreign>,
    notes: &mut Vec<Note>,
) {
    let named = standing.and_then(|a| a.cr).and_then(Value::text);
    let cr = cr.filter(|cr| lines_of(root, cr)).or(named);
    let of = cr.map_or_else(String::new, |cr| format!(" of {}", quoted(cr)));
    let hint = "append the gate line of the person or agent who decided";
    let place = |said: &super::ledger::Said<'_>| {
        format!(
            "{}:{}",
            quoted(&Foreign::new(said.shard.file_name())),
            said.line
        )
    };
    match last_word(&root.shards, gate, cr) {
        Word::None => {
            let says = format!("no {gate} gate line{of} in the ledger");
            notes.push(Note::violation(path, line, code, says, hint));
        }
        Word::Stands(said) if approves(&said) => {
            let by = said.gate.by.as_ref();
            let claimed = standing.and_then(|a| a.by).and_then(|by| by.value.text());
            if let (Some(claimed), Some(by)) = (claimed, by)
                && claimed != by
            {
                let says = format!(
                    "approval.{gate} is by {}, the ledger says {} at {}",
                    quoted(claimed),
                    quoted(by),
                    place(&said)
                );
                let hint = "append the gate line of the one who ratified";
                let line = standing.and_then(|a| a.by).map_or(line, |by| by.line);
                notes.push(Note::finding(path, line, "by-differs", says, hint));
            }
        }
        Word::Stands(said) => {
            let verdict = said.gate.verdict.clone().unwrap_or_default();
            let says = format!(
                "the last {gate} gate line{of} says {} at {}",
                quoted(&verdict),
                place(&said)
            );
            notes.push(Note::violation(
                path,
                line,
                code,
                says,
                "set the status back",
            ));
        }
        Word::Open(approve, reject) => {
            let says = format!(
                "the {gate} gate{of} was approved at {} and rejected at {}, and nothing orders them",
                place(&approve),
                place(&reject)
            );
            notes.push(Note::violation(path, line, code, says, hint));
        }
    }
}

fn lines_of(root: &Root, cr: &Foreign) -> bool {
    let known = root.shards.iter().filter_map(Known::known);
    known
        .flat_map(Shard::gates)
        .any(|(_, gate)| gate.cr.as_ref() == Some(cr))
}

/// Damage is told with its place. Where it may be a verdict of a change request that counts, it
/// fails closed: it could have been a reject.
fn damage(root: &Root, document: &Document, cr: Option<&Foreign>, notes: &mut Vec<Note>) {
    let mut counts: Vec<Foreign> = cr.cloned().into_iter().collect();
    for gate in GATES {
        let named = approval(&document.front, gate).and_then(|a| a.cr?.text().cloned());
        counts.extend(named);
    }
    for shard in &root.shards {
        let shard = match shard {
            Known::Is(shard) => shard,
            Known::Unknown(why) => {
                let path = file(&root.dir, "ledger");
                let hint = "make it readable";
                notes.push(Note::violation(
                    &path,
                    0,
                    "shard-unreadable",
                    why.to_string(),
                    hint,
                ));
                continue;
            }
            Known::NotApplicable(_) | Known::NotSupplied => continue,
        };
        let counted = counts.is_empty() || counts.iter().any(|cr| shard.speaks_of(cr));
        for (line, why, gate) in shard.damage() {
            let maybe = if gate { ", perhaps a verdict" } else { "" };
            let says = format!("a damaged line{maybe}: {why}");
            let hint = "append what it was meant to say; never edit another's shard";
            let note = if gate && counted {
                Note::violation(&shard.path, line, "shard-damage", says, hint)
            } else {
                Note::finding(&shard.path, line, "shard-damage", says, hint)
            };
            notes.push(note);
        }
        if let Some(line) = shard.seq_breaks {
            let says = "seq does not count on from the line before";
            let hint = "leave it; the order of lines counts";
            notes.push(Note::finding(&shard.path, line, "shard-seq", says, hint));
        }
        if !shard.well_named {
            let says = "the name is not <cr-ref>.<6 hex>.jsonl";
            let hint = "name new shards so";
            notes.push(Note::finding(&shard.path, 0, "shard-name", says, hint));
        }
    }
}

fn node(node: &Node, notes: &mut Vec<Note>) {
    let document = match &node.document {
        Known::Is(document) => document,
        Known::Unknown(why) => {
            let says = why.to_string();
            notes.push(Note::violation(
                &node.path,
                0,
                "unreadable",
                says,
                "make it readable",
            ));
            return;
        }
        Known::NotApplicable(_) | Known::NotSupplied => return,
    };
    if !front(&node.path, &document.front, notes) {
        return;
    }
    for entry in document.front.entries() {
        if ROOT_ONLY.contains(&entry.key.raw_str().unwrap_or_default()) {
            let says = format!(
                "a node carries {}, which belongs to the root",
                quoted(&entry.key)
            );
            let hint = "take it out";
            notes.push(Note::violation(
                &node.path,
                entry.line,
                "node-field",
                says,
                hint,
            ));
        }
    }
    let kind = document
        .front
        .get("spec-type")
        .filter(|kind| !kind.value.is_null());
    let Some(kind) = kind else { return };
    let mut note = |code, says: String, hint| {
        notes.push(Note::violation(&node.path, kind.line, code, says, hint));
    };
    let headed = |name: &str| document.section(|text| text.starts_with(name)).is_some();
    match kind.value.word() {
        Some("reference") => {
            for suite in &node.suites {
                let says = format!("a reference node with {}", quoted(&suite.foreign()));
                let hint = "make it behavioral, or move the suite";
                note("reference-suite", says, hint);
            }
            if !headed("Subject") {
                let says = String::from("a reference node without ## Subject");
                note("reference-subject", says, "write the section");
            }
        }
        Some("behavioral") => {
            if !headed("Use Cases") {
                let says = String::from("a behavioral node without ## Use Cases");
                note("behavioral-use-cases", says, "write the section");
            }
        }
        _ => {
            let says = format!("there is no spec-type {}", shown(&kind.value));
            let hint = "use reference or behavioral, or leave it out";
            note("unknown-spec-type", says, hint);
        }
    }
}

fn file(dir: &RepoPath, name: &str) -> RepoPath {
    let mut bytes = dir.as_bytes().to_vec();
    if !bytes.is_empty() {
        bytes.push(b'/');
    }
    bytes.extend_from_slice(name.as_bytes());
    RepoPath::new(bytes)
}
