//! `countersign ledger export`: the record of a change in a form that travels without this
//! program. Nothing is written but what goes to stdout.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::super::exit::Exit;
use super::super::json::to_line;
use super::super::report::Report;
use super::words::{self, shown};
use crate::ledger::codec;
use crate::ledger::entry::Body;
use crate::ledger::replay::{Explanation, Fate, History, LogRow};
use crate::ledger::verify::{Grade, Shard};
use crate::model::id::Digest;
use crate::model::ruling::RootCause;

/// Type of the predicate of [`statement`]; assets/docs/export.md states its fields.
pub(crate) const PREDICATE: &str = "urn:countersign:ruling:1";

/// Every line of every shard as it stands on disk, with anchors and companion texts: enough to
/// build the shards again byte for byte. A line that is not UTF-8 is given in hexadecimal.
pub(crate) fn lines(
    repository: Digest,
    change: &str,
    history: &History,
    shards: &[Shard],
    text_of: &dyn Fn(&Digest) -> Option<Vec<u8>>,
) -> String {
    let mut out = String::new();
    let mut put = |value: &Value| {
        out.push_str(&to_line(value));
        out.push('\n');
    };
    put(&json!({
        "schema": "countersign/export/1",
        "repository": repository.to_string(),
        "change": change,
        "status": history.status.word(),
        "entries": history.log.len(),
        "shards": shards.len(),
    }));
    for shard in shards {
        for (copy, bytes) in shard.readings().into_iter().enumerate() {
            for line in bytes.split_inclusive(|byte| *byte == b'\n') {
                let whole = line.ends_with(b"\n");
                let line = line.strip_suffix(b"\n").unwrap_or(line);
                let mut row = json!({"shard": shard.name, "copy": copy + 1});
                match std::str::from_utf8(line) {
                    Ok(text) => row["line"] = text.into(),
                    Err(_) => row["hex"] = hex(line).into(),
                }
                if !whole {
                    row["torn"] = true.into();
                }
                put(&row);
            }
        }
        for head in &shard.anchors {
            put(&json!({
                "shard": shard.name, "anchor": head.seq, "sha256": head.line.to_string(),
            }));
        }
    }
    let named: BTreeSet<Digest> = history
        .log
        .iter()
        .flat_map(|row| codec::write(&row.entry).texts)
        .map(|(digest, _)| digest)
        .collect();
    for digest in named {
        let mut row = json!({"text": digest.to_string()});
        match text_of(&digest).map(String::from_utf8) {
            Some(Ok(body)) => row["body"] = body.into(),
            Some(Err(error)) => row["hex"] = hex(error.as_bytes()).into(),
            None => row["missing"] = true.into(),
        }
        put(&row);
    }
    out
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The last ruling that counts, or why there is none to speak of.
fn last(history: &History) -> Result<Explanation, Report> {
    let counts = |one: &Explanation| {
        history
            .row(one.ruling.entry)
            .is_some_and(|row| row.grade == Grade::Anchored && row.fate == Fate::Stands)
    };
    history
        .explain()
        .into_iter()
        .rev()
        .find(counts)
        .ok_or_else(|| {
            let message = "no ruling of this change is recorded here".to_owned();
            Report::new(Exit::Undecided, "no-ruling", message)
                .hint("end a session with a ruling, or export the lines with `--format jsonl`")
        })
}

/// The last ruling as an in-toto Statement, version 1. It is not signed: wrap it in an envelope
/// with the tool of your choice.
///
/// # Errors
/// When no ruling is recorded.
pub(crate) fn statement(change: &str, history: &History) -> Result<Value, Report> {
    let one = last(history)?;
    let ruling = &one.ruling.value;
    let snapshot = ruling.snapshot();
    let level = history
        .row(one.ruling.entry)
        .and_then(words::assurance)
        .unwrap_or("L0 claimed");
    let decisions: Vec<Value> = one
        .rests_on
        .iter()
        .map(|rest| match &rest.row {
            Some(row) => json!({
                "entry": rest.entry.to_string(),
                "subject": words::subject(&row.entry.body),
                "verdict": words::verdict(&row.entry.body),
                "by": words::by(&row.entry.body),
                "assurance": words::assurance(row),
                "because": words::because(&row.entry.body),
                "line": digest(row).to_string(),
            }),
            None => json!({"entry": rest.entry.to_string(), "missing": true}),
        })
        .collect();
    let kind = if snapshot.head.to_string().len() == 64 {
        ["sha256", "sha256"]
    } else {
        ["sha1", "gitCommit"]
    };
    Ok(json!({
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{
            "name": change,
            "digest": {kind[1]: snapshot.head.to_string(), "gitTree": snapshot.tree.to_string()},
        }],
        "predicateType": PREDICATE,
        "predicate": {
            "entry": one.ruling.entry.to_string(),
            "line": history.row(one.ruling.entry).map(|row| digest(row).to_string()),
            "verdict": ruling.verdict().word(),
            "round": ruling.round(),
            "rootCause": ruling.root_cause().map(RootCause::word),
            "by": ruling.by(),
            "assurance": level,
            "partial": ruling.partial(),
            "attack": ruling.attack(),
            "trace": ruling.trace(),
            "snapshot": words::snapshot_json(snapshot),
            "decisions": decisions,
            "ledger": {
                "status": history.status.word(),
                "entries": history.log.len(),
                "follows": one.complaints.is_empty(),
                "complaints": one.complaints,
            },
        },
    }))
}

/// SHA-256 of the stored line of an entry.
fn digest(row: &LogRow) -> Digest {
    Digest::of(codec::write(&row.entry).line.as_bytes())
}

/// The record on one page, with the digests that let somebody else check it.
pub(crate) fn page(change: &str, history: &History, shards: &[Shard]) -> String {
    let mut out = format!("# Record of {}\n\n", cell(change));
    for one in history.explain() {
        let ruling = &one.ruling.value;
        let snapshot = ruling.snapshot();
        let _ = writeln!(
            out,
            "## Round {}: {}{}\n",
            ruling.round(),
            ruling.verdict().word(),
            if ruling.partial() {
                ", partial delivery"
            } else {
                ""
            },
        );
        let row = history.row(one.ruling.entry);
        let level = row.and_then(words::assurance).unwrap_or("L0 claimed");
        let mut facts = vec![
            ("by", format!("{} ({level})", cell(ruling.by()))),
            ("head", code(&snapshot.head.to_string())),
            ("tree", code(&snapshot.tree.to_string())),
            ("base", code(&snapshot.base.to_string())),
            ("strongest attack", cell(ruling.attack())),
            ("entry", code(&one.ruling.entry.to_string())),
        ];
        if let Some(digest) = snapshot.contract {
            facts.push(("contract, SHA-256", code(&digest.to_string())));
        }
        if let Some(cause) = ruling.root_cause() {
            facts.push(("root cause", cause.word().to_owned()));
        }
        if let Some(row) = row {
            facts.push(("line, SHA-256", code(&digest(row).to_string())));
            if row.fate != Fate::Stands {
                facts.push(("now", row.fate.word().to_owned()));
            }
        }
        table(
            &mut out,
            ["", ""],
            facts.iter().map(|(k, v)| [cell(k), v.clone()]),
        );
        if !ruling.trace().is_empty() {
            out.push_str("Rules, as they were applied:\n\n");
            for line in ruling.trace() {
                let _ = writeln!(out, "    {}", shown(line));
            }
            out.push('\n');
        }
        for complaint in &one.complaints {
            let _ = writeln!(out, "**Does not follow:** {}\n", cell(complaint));
        }
    }
    if history.rulings.is_empty() {
        out.push_str("No ruling is recorded.\n\n");
    }
    out.push_str("## Decisions\n\n");
    let acts = history.log.iter().filter(|row| {
        matches!(
            row.entry.body,
            Body::Decision(_) | Body::Undo(_) | Body::Assertion(_)
        )
    });
    table(
        &mut out,
        [
            "entry",
            "about",
            "act",
            "by",
            "level",
            "because",
            "fate",
            "line, SHA-256",
        ],
        acts.map(|row| {
            let body = &row.entry.body;
            [
                row.number.to_string(),
                cell(&words::subject(body)),
                cell(&words::verdict(body)),
                cell(&words::by(body)),
                words::assurance(row).unwrap_or("-").to_owned(),
                cell(&words::because(body).join("; ")),
                row.fate.word().to_owned(),
                code(&digest(row).to_string()),
            ]
        }),
    );
    out.push_str("## Ledger\n\n");
    let _ = writeln!(out, "Status: {}\n", history.status.word());
    for found in &history.findings {
        let _ = writeln!(
            out,
            "- {}:{}: {}: {}",
            cell(&found.shard),
            found.line,
            found.code.word(),
            cell(&found.message)
        );
    }
    if !history.findings.is_empty() {
        out.push('\n');
    }
    table(
        &mut out,
        ["shard", "bytes", "SHA-256"],
        shards.iter().flat_map(|shard| {
            shard.readings().into_iter().map(|copy| {
                [
                    cell(&shard.name),
                    copy.len().to_string(),
                    code(&Digest::of(copy).to_string()),
                ]
            })
        }),
    );
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

fn table<const N: usize>(
    out: &mut String,
    head: [&str; N],
    rows: impl Iterator<Item = [String; N]>,
) {
    let _ = writeln!(out, "| {} |\n|{}", head.join(" | "), "---|".repeat(N));
    for row in rows {
        let _ = writeln!(out, "| {} |", row.join(" | "));
    }
    out.push('\n');
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

/// Foreign text in a cell: shown, and nothing in it is markup.
fn cell(text: &str) -> String {
    let mut out = String::new();
    for character in shown(text).chars() {
        if "\\`*_{}[]<>()#+!|~&".contains(character) {
            out.push('\\');
        }
        out.push(character);
    }
    out
}
