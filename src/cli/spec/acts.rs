//! The acts on what an agent approved itself: planned on the bytes that were shown, shown as a
//! difference, and written only where nothing that was shown moved since. Lines and screen share
//! them.

use std::path::{Path, PathBuf};

use super::facts::Facts;
use super::handoff::Handoff;
use super::queue::Asserted;
use super::record::record;
use super::{digest, gate};
use crate::adapters::git::regular;
use crate::adapters::spec::act::{self, GateLine};
use crate::adapters::spec::files::{joined, on_disk};
use crate::adapters::splice::write::{WriteError, create, write};
use crate::app::queue::Refused;
use crate::gate::spec::ledger::{Word, built_on, last_word};
use crate::gate::spec::state;
use crate::model::id::{Digest, RepoPath};
use crate::model::spec::Weight;
use crate::model::text::{Foreign, Place};

/// Largest document that is edited.
pub(super) const LARGEST: u64 = 16 << 20;
/// How many characters a person types to confirm.
const TYPED: usize = 6;
/// The causes of a correction, as the sources name them, with what each means.
pub(in crate::cli) const CAUSES: [(&str, &str); 4] = [
    ("coverage-gap", "a case is not covered"),
    ("design-overreach", "the design does more than was asked"),
    (
        "spec-feature-contradiction",
        "spec and suite say different things",
    ),
    (
        "prose-impl-contradiction",
        "prose and implementation say different things",
    ),
];

/// An edit of a file: where, what it must still be, what it becomes.
pub(super) type Edit = (RepoPath, Digest, Vec<u8>);

/// A verdict as it was opened.
#[derive(Clone)]
pub(in crate::cli) struct Opened {
    /// What was shown, line by line.
    pub lines: Vec<String>,
    /// Digest of everything that the lines were made from.
    pub seal: Digest,
    /// Why ratifying is closed; empty when it is open.
    pub closed: Vec<String>,
    /// The report of the judge that was named.
    pub judge: Option<PathBuf>,
}

/// What would be written, once the person confirmed it.
#[derive(Clone)]
pub(in crate::cli) struct Plan {
    /// What it comes to, line by line.
    pub lines: Vec<String>,
    /// What the person types to confirm.
    pub typed: String,
    /// Written for the agent once it is done.
    handoff: Option<Handoff>,
    act: (&'static str, String),
    top: PathBuf,
    dir: RepoPath,
    cr: Option<Foreign>,
    line: String,
    edits: Vec<Edit>,
}

/// Looks at a verdict: the digest above the report of its gate.
///
/// # Errors
/// Why it cannot be looked at, in words.
pub(in crate::cli) fn open(item: &Asserted, judge: Option<&Path>) -> Result<Opened, String> {
    let facts = item
        .facts(judge)
        .map_err(|why| format!("its change cannot be looked at: {why}"))?;
    let mut lines = digest::lines(&digest::digest(&facts));
    lines.push(String::new());
    lines.extend(gate::lines(&facts));
    if item.waits.gate == "impl" {
        lines.push(String::from("implementation evidence not computed here"));
    }
    for why in &item.waits.why {
        lines.push(format!("why  {why}"));
    }
    Ok(Opened {
        lines,
        seal: facts.seal,
        closed: item.closed_by(&facts),
        judge: judge.map(Path::to_owned),
    })
}

/// Plans to ratify what was opened.
///
/// # Errors
/// Why it is closed or refused, in words.
pub(in crate::cli) fn ratify(
    item: &Asserted,
    opened: &Opened,
    person: &str,
) -> Result<Plan, Refused> {
    let facts = unmoved(item, opened)?;
    if item.waits.verdict != "approve" || !facts.closed.is_empty() {
        return Err(format!("closed: {}", opened.closed.join("; ")).into());
    }
    let bytes = document(item)?;
    let after = act::ratified(&bytes, item.waits.gate, person)?;
    let frozen = act::frozen_by(&item.root.shards, item.waits.gate, item.waits.cr.as_ref());
    let line = act::gate_line(&GateLine {
        cr: item.waits.cr.as_ref().and_then(Foreign::raw_str),
        gate: item.waits.gate,
        verdict: "approve",
        by: person,
        cause: None,
        why: None,
        frozen: &frozen,
        answers: answers(item),
    });
    let act = ("spec-ratify", person.to_owned());
    Ok(plan(item, act, &bytes, after, line))
}

/// Plans to send back what was opened.
///
/// # Errors
/// Why it is refused, in words.
pub(in crate::cli) fn send_back(
    item: &Asserted,
    opened: &Opened,
    person: &str,
    (cause, why): (&str, &str),
) -> Result<Plan, Refused> {
    let facts = unmoved(item, opened)?;
    not_built_on(item, &facts)?;
    let bytes = document(item)?;
    let after = act::sent_back(&bytes, item.waits.gate)?;
    let frozen = act::frozen_by(&item.root.shards, "spec", item.waits.cr.as_ref());
    let (thawed, kept) = thaw(item, &frozen);
    let line = act::gate_line(&GateLine {
        cr: item.waits.cr.as_ref().and_then(Foreign::raw_str),
        gate: item.waits.gate,
        verdict: "reject",
        by: person,
        cause: Some(cause),
        why: Some(why),
        frozen: &[],
        answers: answers(item),
    });
    let act = ("spec-kick-back", person.to_owned());
    let mut out = plan(item, act, &bytes, after, line);
    for (path, ..) in &thawed {
        out.lines.push(format!("unfreezes {}", plain(path)));
    }
    for (path, why) in &kept {
        out.lines
            .push(format!("leaves {} frozen: {why}", plain(path)));
    }
    out.edits.extend(thawed);
    out.handoff = Some(Handoff {
        verb: "kick-back",
        gate: item.waits.gate,
        document: item.document(),
        seen: Digest::of(&bytes),
        cr: item
            .waits
            .cr
            .as_ref()
            .map(|cr| cr.shown(Place::Strict).plain()),
        cause: cause.to_owned(),
        why: why.to_owned(),
        by: person.to_owned(),
        carries: out.edits.iter().map(|(path, ..)| path.clone()).collect(),
    });
    Ok(out)
}

/// Refuses to take away what a later change request was approved on (G27).
fn not_built_on(item: &Asserted, facts: &Facts) -> Result<(), Refused> {
    let Some(cr) = &item.waits.cr else {
        return Ok(());
    };
    let at_base = |shard: &RepoPath| facts.compared.before.contains_key(shard);
    let later = built_on(&item.root.shards, cr, &at_base);
    let names: Vec<String> = later
        .iter()
        .map(|cr| cr.shown(Place::Strict).plain())
        .collect();
    if names.is_empty() {
        return Ok(());
    }
    let names = names.join(", ");
    Err(
        format!("refused: {names} was approved after it and builds on it; kick that back first")
            .into(),
    )
}

/// Writes what was planned, when everything that was shown is still as it was.
///
/// # Errors
/// Why it is refused, in words.
pub(in crate::cli) fn write_plan(
    item: &Asserted,
    opened: &Opened,
    plan: &Plan,
) -> Result<Vec<String>, Refused> {
    unmoved(item, opened)?;
    let target = Target {
        act: (plan.act.0, &plan.act.1),
        top: &plan.top,
        dir: &plan.dir,
        cr: plan.cr.as_ref(),
    };
    let mut lines = commit(&target, &plan.line, &plan.edits)?;
    if let Some(handoff) = &plan.handoff {
        let why = Foreign::from(handoff.why.as_str());
        let (path, cause) = (plain(&handoff.document), &handoff.cause);
        let why = why.shown(Place::Prose);
        lines.push(format!("for the agent: {path} ({cause}): {why}"));
        lines.push(handoff.write(&plan.top));
    }
    Ok(lines)
}

/// The facts as they are now, when nothing they rest on moved since it was shown.
pub(super) fn unmoved(item: &Asserted, opened: &Opened) -> Result<Facts, Refused> {
    let facts = item.facts(opened.judge.as_deref())?;
    if facts.seal == opened.seal {
        Ok(facts)
    } else {
        Err(Refused::moved(
            "refused: what it rests on moved since it was shown; open it again",
        ))
    }
}

fn document(item: &Asserted) -> Result<Vec<u8>, String> {
    regular::read(&on_disk(&item.top, &item.document()), LARGEST)
        .ok()
        .flatten()
        .ok_or_else(|| String::from("its document cannot be read"))
}

fn plan(
    item: &Asserted,
    act: (&'static str, String),
    before: &[u8],
    after: Vec<u8>,
    line: String,
) -> Plan {
    let path = item.document();
    let mut lines = vec![format!("in {}", plain(&path))];
    lines.extend(difference(before, &after));
    let shown = Foreign::from(line.trim_end()).shown(Place::Prose);
    lines.push(format!("+ ledger  {shown}"));
    let seen = Digest::of(before);
    Plan {
        lines,
        typed: challenge(before),
        handoff: None,
        act,
        top: item.top.clone(),
        dir: item.root.dir.clone(),
        cr: item.waits.cr.clone(),
        line,
        edits: vec![(path, seen, after)],
    }
}

fn moved(path: &RepoPath) -> Refused {
    Refused::moved(format!("refused: {} moved since it was shown", plain(path)))
}

/// What a person types to confirm: the first characters of the digest of what was shown.
pub(super) fn challenge(bytes: &[u8]) -> String {
    Digest::of(bytes).to_string().chars().take(TYPED).collect()
}

/// Where an act takes place.
pub(super) struct Target<'a> {
    /// What is done, as the ledger names it, and by whom.
    pub act: (&'static str, &'a str),
    /// Top of the worktree.
    pub top: &'a Path,
    /// The folder of the root.
    pub dir: &'a RepoPath,
    /// The change request.
    pub cr: Option<&'a Foreign>,
}

/// A path, fit to be shown.
pub(super) fn plain(path: &RepoPath) -> String {
    path.foreign().shown(Place::Strict).plain()
}

/// The last line of the change request at that gate, which ours answers.
fn answers(item: &Asserted) -> Option<(String, u32)> {
    let said = match last_word(&item.root.shards, item.waits.gate, item.waits.cr.as_ref()) {
        Word::None => return None,
        Word::Stands(said) | Word::Open(said, _) => said,
    };
    let name = String::from_utf8_lossy(said.shard.file_name()).into_owned();
    Some((name, said.line))
}

/// Changed lines of a small edit, whole.
pub(super) fn difference(before: &[u8], after: &[u8]) -> Vec<String> {
    let lines = |bytes: &[u8]| -> Vec<Vec<u8>> {
        bytes.split(|b| *b == b'\n').map(<[u8]>::to_vec).collect()
    };
    let (old, new) = (lines(before), lines(after));
    let same = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - same;
    let tail = old.iter().rev().zip(new.iter().rev()).take(rest);
    let tail = tail.take_while(|(a, b)| a == b).count();
    let side = |mark: &str, lines: &[Vec<u8>]| -> Vec<String> {
        let inner = lines.get(same..lines.len() - tail).unwrap_or_default();
        let shown = inner
            .iter()
            .map(|line| Foreign::new(line.clone()).shown(Place::Prose));
        shown.map(|line| format!("{mark} {line}")).collect()
    };
    let mut out = side("-", &old);
    out.extend(side("+", &new));
    out
}

type Kept = (RepoPath, String);

/// The suites that the change request froze, unfrozen where they are as the head has them.
fn thaw(item: &Asserted, frozen: &[String]) -> (Vec<Edit>, Vec<Kept>) {
    let (mut thawed, mut kept) = (Vec::new(), Vec::new());
    let changed = Facts::changed_since_head(&item.top);
    for name in frozen {
        let path = joined(&item.root.dir, name.as_bytes());
        let inside = !name.split('/').any(|part| part == ".." || part.is_empty());
        let read = regular::read(&on_disk(&item.top, &path), LARGEST)
            .ok()
            .flatten();
        let (true, Some(bytes)) = (inside, read) else {
            kept.push((path, String::from("it is not there")));
            continue;
        };
        match &changed {
            Err(why) => {
                kept.push((path, format!("whether it changed is not known: {why}")));
                continue;
            }
            Ok(changed) if changed.contains(&path) => {
                kept.push((path, String::from("it changed since")));
                continue;
            }
            Ok(_) => {}
        }
        match act::frozen(&path, &bytes, false) {
            Ok(after) => thawed.push((path, Digest::of(&bytes), after)),
            Err(why) => kept.push((path, why)),
        }
    }
    (thawed, kept)
}

/// Writes the edits, all only where every file still has the bytes that were shown, then the line
/// in a shard of our own, and judges the root again. Says what was done.
///
/// # Errors
/// Why it is refused, in words.
pub(super) fn commit(
    target: &Target<'_>,
    line: &str,
    edits: &[Edit],
) -> Result<Vec<String>, Refused> {
    for (path, expected, _) in edits {
        let now = regular::read(&on_disk(target.top, path), LARGEST)
            .ok()
            .flatten();
        if now.is_none_or(|bytes| Digest::of(&bytes) != *expected) {
            return Err(moved(path));
        }
    }
    let mut random = [0; 3];
    getrandom::fill(&mut random).map_err(|error| format!("no shard was made: {error}"))?;
    let name = act::shard_name(target.cr.and_then(Foreign::raw_str), random);
    let dir = joined(target.dir, b"ledger");
    let shard = joined(&dir, name.as_bytes());
    let files = edits
        .iter()
        .map(|(path, before, after)| (path.clone(), *before, Digest::of(after)))
        .chain([(shard.clone(), Digest::of(b""), Digest::of(line.as_bytes()))]);
    record(target.top, target.act.0, target.act.1, files.collect())?;
    for (path, expected, bytes) in edits {
        match write(target.top, path.as_bytes(), *expected, bytes) {
            Ok(()) => {}
            Err(WriteError::Moved) => {
                return Err(moved(path));
            }
            Err(error) => return Err(format!("{} was not written: {error}", plain(path)).into()),
        }
    }
    create(target.top, dir.as_bytes(), &name, line.as_bytes())
        .map_err(|error| format!("the ledger line was not written: {error}"))?;
    let shown = Foreign::from(line.trim_end()).shown(Place::Prose);
    let paths = edits
        .iter()
        .map(|(path, ..)| plain(path))
        .chain([plain(&shard)]);
    let mut lines = vec![
        format!("recorded: {shown}"),
        format!("to commit: {}", paths.collect::<Vec<_>>().join(", ")),
    ];
    let again = super::queue::root_again(target.top, target.dir);
    let notes = state::tree(&again, target.cr);
    let violations = notes.iter().filter(|note| note.weight == Weight::Violation);
    match violations.count() {
        0 => lines.push(String::from("the state is legal")),
        _ => lines.extend(super::note_lines(&notes)),
    }
    Ok(lines)
}
