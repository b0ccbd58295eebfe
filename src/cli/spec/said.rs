//! What persons said of changes to frozen suites. The words lie in shards of the tree, where
//! everybody can write; that a person said them is known from countersign's own ledger alone,
//! which names the shard and the digest of its bytes.

use std::collections::BTreeMap;

use super::base::Compared;
use crate::adapters::ledger_store::LedgerStore;
use crate::adapters::spec::shard;
use crate::cli::place;
use crate::gate::spec::clearance::{Said, Spoken, Word};
use crate::ledger::entry::Body;
use crate::ledger::replay::Fate;
use crate::model::id::{Digest, RepoPath};
use crate::model::spec::Note;
use crate::model::spec::shard::Says;
use crate::model::text::Foreign;

/// The kind of the ledger entries that vouch for such a word.
pub(super) const ACT: &str = "spec-clearance";

/// What was said, oldest first, and lines that only claim to be a person's.
pub(super) fn said(compared: &Compared) -> (Vec<Said>, Vec<Note>) {
    let shards = compared.after.iter().filter(|(path, read)| {
        let speaks = |bytes: &Vec<u8>| memchr::memmem::find(bytes, b"\"clearance\"").is_some();
        path.file_name().ends_with(b".jsonl")
            && compared.in_spec(path)
            && read.as_ref().is_ok_and(speaks)
    });
    let mut found: Vec<(&RepoPath, u32, Digest, Option<Said>)> = Vec::new();
    for (path, read) in shards {
        let Ok(bytes) = read else { continue };
        let shard = shard::read(path, bytes);
        for line in &shard.lines {
            if let Says::Clearance {
                act,
                is,
                binds,
                by,
                why,
                ..
            } = &line.says
            {
                let word = Word::parse(
                    act.raw_str().unwrap_or_default(),
                    is.as_ref().and_then(Foreign::raw_str),
                );
                let binds = binds.raw_str().and_then(Digest::parse);
                let one = word.zip(binds).zip(by.clone());
                let one = one.map(|((is, binds), by)| Said {
                    binds,
                    word: Spoken {
                        is,
                        by,
                        why: why.clone().unwrap_or_default(),
                    },
                });
                found.push((path, line.line, shard.digest, one));
            }
        }
    }
    if found.is_empty() {
        return (Vec::new(), Vec::new());
    }
    let vouched = match vouched(compared) {
        Ok(vouched) => vouched,
        Err(why) => {
            let notes = found.iter().map(|(path, line, ..)| {
                let says = format!("whether a person said this is not known: {why}");
                let hint = "mend the ledger of countersign; until then it does not count";
                Note::finding(path, *line, "clearance-unknown", says, hint)
            });
            return (Vec::new(), notes.collect());
        }
    };
    let (mut out, mut notes) = (Vec::new(), Vec::new());
    for (path, line, digest, one) in found {
        match (vouched.get(&(path.clone(), digest)), one) {
            (Some(number), Some(one)) => out.push((*number, one)),
            (_, one) => {
                let says = match one {
                    Some(_) => "no act of a person stands behind this word; it does not count",
                    None => "a word that says nothing which is known; it does not count",
                };
                let hint = "let the person say it with `countersign spec gate`";
                notes.push(Note::finding(path, line, "clearance-claim", says, hint));
            }
        }
    }
    out.sort_by_key(|(number, _)| *number);
    (out.into_iter().map(|(_, one)| one).collect(), notes)
}

/// The shards that acts of persons wrote, by path and digest, with the number of the entry.
fn vouched(compared: &Compared) -> Result<BTreeMap<(RepoPath, Digest), u64>, String> {
    let here = place::here(&compared.top).map_err(|report| report.message)?;
    let folders = place::folders().map_err(|report| report.message)?;
    let history = LedgerStore::new(&folders, here.repository).load(&here.change);
    let rows = history.log.iter();
    let acts = rows.filter(|row| row.grade.is_believed() && row.fate == Fate::Stands);
    Ok(acts
        .filter_map(|row| match &row.entry.body {
            Body::Edit(edit) if edit.kind == ACT => {
                Some(((edit.path.clone(), edit.after), row.number))
            }
            _ => None,
        })
        .collect())
}
