//! Working through the queue of spec verdicts at a terminal: open one, then ratify it or send it
//! back. Nothing is decided before it was opened, nothing when its bytes moved since, and nothing
//! without the person's own words at the controlling terminal.

use std::collections::BTreeMap;
use std::io::{self, BufRead as _, Write as _};
use std::path::{Path, PathBuf};

use super::facts::Facts;
use super::queue::{Asserted, gather};
use super::{digest, gate, print};
use crate::adapters::git::regular;
use crate::adapters::spec::act::{self, GateLine};
use crate::adapters::spec::files::{joined, on_disk};
use crate::adapters::splice::write::{WriteError, create, write};
use crate::adapters::trust::Consent;
use crate::adapters::who;
use crate::gate::spec::ledger::{Word, last_word};
use crate::gate::spec::state;
use crate::model::id::{Digest, RepoPath};
use crate::model::known::Known;
use crate::model::ruling::Principal;
use crate::model::spec::Weight;
use crate::model::text::{Foreign, Place};

/// Largest document that is edited.
const LARGEST: u64 = 16 << 20;
/// How many characters a person types to confirm.
const TYPED: usize = 6;
/// The causes of a correction, as the sources name them.
const CAUSES: [(&str, &str); 4] = [
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

/// The desk: what waits, and what was opened.
struct Desk {
    items: Vec<Asserted>,
    /// Digest of the document of an item as it was shown, by place and gate.
    opened: BTreeMap<(PathBuf, RepoPath, &'static str), Digest>,
    judge: Option<PathBuf>,
    who: Known<Principal>,
    dirs: Vec<PathBuf>,
    gate: Option<String>,
}

/// Works through the queue, when both ends are the person's terminal; else it only says so.
pub(in crate::cli) fn sit(
    items: Vec<Asserted>,
    dirs: &[PathBuf],
    gate: Option<&str>,
    name: Option<&str>,
) {
    if items.is_empty() {
        return;
    }
    if Consent::at_terminal(&[&io::stdin(), &io::stdout()]).is_err() {
        print(&[String::from(
            "ratifying needs a person: run this on a terminal",
        )]);
        return;
    }
    let mut desk = Desk {
        items,
        opened: BTreeMap::new(),
        judge: None,
        who: who::find(name),
        dirs: dirs.to_vec(),
        gate: gate.map(str::to_owned),
    };
    desk.help();
    while let Some(line) = typed("queue> ") {
        if !desk.act(line.trim()) {
            break;
        }
    }
}

/// A line that the person typed; none at the end of the input.
pub(super) fn typed(prompt: &str) -> Option<String> {
    let mut out = io::stdout().lock();
    let _ = write!(out, "{prompt}");
    let _ = out.flush();
    let mut line = String::new();
    match io::stdin().lock().read_line(&mut line) {
        Ok(0) | Err(_) => None,
        Ok(_) => Some(line.trim_end_matches(['\r', '\n']).to_owned()),
    }
}

pub(super) fn say(text: impl Into<String>) {
    print(&[text.into()]);
}

impl Desk {
    fn help(&self) {
        let by = match &self.who {
            Known::Is(person) => format!("you decide as {}", person.name()),
            Known::Unknown(why) => format!("nothing can be decided: {why}"),
            Known::NotApplicable(_) | Known::NotSupplied => String::from("nothing can be decided"),
        };
        print(&[
            by,
            String::from(
                "o N opens, r N ratifies, b N sends back, j FILE names the judge report of what",
            ),
            String::from("is opened next, s lists, q leaves"),
        ]);
    }

    fn act(&mut self, line: &str) -> bool {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let rest = rest.trim();
        match word {
            "q" => return false,
            "" => {}
            "s" => self.list(),
            "j" => {
                self.judge = (!rest.is_empty()).then(|| PathBuf::from(rest));
                say("the report is read when an item is opened");
            }
            "o" | "r" | "b" => {
                let at = rest.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
                match at.filter(|at| *at < self.items.len()) {
                    None => say(format!(
                        "name an item by its number, 1 to {}",
                        self.items.len()
                    )),
                    Some(at) => match word {
                        "o" => self.open(at),
                        "r" => self.ratify(at),
                        _ => self.send_back(at),
                    },
                }
            }
            _ => self.help(),
        }
        true
    }

    fn list(&mut self) {
        self.items = gather(&self.dirs).0;
        let gate = self.gate.as_deref();
        self.items
            .retain(|item| gate.is_none_or(|gate| gate == item.waits.gate));
        super::queue::sort(&mut self.items);
        let lines: Vec<String> = self
            .items
            .iter()
            .enumerate()
            .map(|(at, item)| format!("{:>2}  {}", at + 1, item.line()))
            .collect();
        if lines.is_empty() {
            say("nothing waits");
        } else {
            print(&lines);
        }
    }

    fn key(&self, at: usize) -> Option<(PathBuf, RepoPath, &'static str)> {
        let item = self.items.get(at)?;
        Some((item.top.clone(), item.root.dir.clone(), item.waits.gate))
    }

    fn open(&mut self, at: usize) {
        let (Some(item), Some(key)) = (self.items.get(at), self.key(at)) else {
            return;
        };
        let Some(bytes) = read(item) else {
            say("its document cannot be read");
            return;
        };
        match item.facts(self.judge.as_deref()) {
            Err(why) => say(format!("its change cannot be looked at: {why}")),
            Ok(facts) => {
                let mut lines = digest::lines(&digest::digest(&facts));
                lines.push(String::new());
                lines.extend(gate::lines(&facts));
                if item.waits.gate == "impl" {
                    lines.push(String::from("implementation evidence not computed here"));
                }
                for why in &item.waits.why {
                    lines.push(format!("why  {why}"));
                }
                print(&lines);
                self.opened.insert(key, Digest::of(&bytes));
            }
        }
    }

    /// The bytes that were shown, when they are still the ones; else why not.
    fn shown(&self, at: usize) -> Result<(&Asserted, Vec<u8>, Digest), String> {
        let item = self.items.get(at).ok_or("there is no such item")?;
        let key = self.key(at).ok_or("there is no such item")?;
        let seen = self.opened.get(&key).ok_or("locked: it was not opened")?;
        let bytes = read(item).ok_or("its document cannot be read")?;
        if Digest::of(&bytes) != *seen {
            return Err(String::from(
                "refused: its document moved since it was shown; open it again",
            ));
        }
        Ok((item, bytes, *seen))
    }

    fn person(&self) -> Result<&Principal, String> {
        match &self.who {
            Known::Is(person) => Ok(person),
            Known::Unknown(why) => Err(format!("refused: {why}")),
            Known::NotApplicable(_) | Known::NotSupplied => {
                Err(String::from("refused: nobody is known"))
            }
        }
    }

    fn ratify(&mut self, at: usize) {
        match self.ratified(at) {
            Ok(()) => {
                if let Some(key) = self.key(at) {
                    self.opened.remove(&key);
                }
                self.list();
            }
            Err(why) => say(why),
        }
    }

    fn ratified(&self, at: usize) -> Result<(), String> {
        let (item, bytes, seen) = self.shown(at)?;
        let person = self.person()?.name().to_owned();
        if item.waits.verdict != "approve" {
            return Err(String::from(
                "closed: the agent stopped here and approved nothing",
            ));
        }
        let facts = item.facts(self.judge.as_deref())?;
        if !facts.closed.is_empty() {
            return Err(format!("closed: {}", facts.closed.join("; ")));
        }
        let after = act::ratified(&bytes, item.waits.gate, &person)?;
        let frozen = act::frozen_by(&item.root.shards, item.waits.gate, item.waits.cr.as_ref());
        let line = GateLine {
            cr: item.waits.cr.as_ref().and_then(Foreign::raw_str),
            gate: item.waits.gate,
            verdict: "approve",
            by: &person,
            cause: None,
            why: None,
            frozen: &frozen,
            answers: answers(item),
        };
        let line = act::gate_line(&line);
        confirmed(&item.document(), (&bytes, &after), &line, &person)?;
        commit(&target(item), &line, &[(item.document(), seen, after)])
    }

    fn send_back(&mut self, at: usize) {
        match self.sent_back(at) {
            Ok(()) => self.list(),
            Err(why) => say(why),
        }
    }

    fn sent_back(&self, at: usize) -> Result<(), String> {
        let (item, bytes, seen) = self.shown(at)?;
        let person = self.person()?.name().to_owned();
        let (cause, why) = cause_and_words()?;
        let after = act::sent_back(&bytes, item.waits.gate)?;
        let frozen = act::frozen_by(&item.root.shards, "spec", item.waits.cr.as_ref());
        let (thawed, kept) = thaw(item, &frozen);
        let line = GateLine {
            cr: item.waits.cr.as_ref().and_then(Foreign::raw_str),
            gate: item.waits.gate,
            verdict: "reject",
            by: &person,
            cause: Some(cause),
            why: Some(&why),
            frozen: &[],
            answers: answers(item),
        };
        for (path, ..) in &thawed {
            say(format!("unfreezes {}", plain(path)));
        }
        for (path, why) in &kept {
            say(format!("leaves {} frozen: {why}", plain(path)));
        }
        let line = act::gate_line(&line);
        confirmed(&item.document(), (&bytes, &after), &line, &person)?;
        let mut edits = vec![(item.document(), seen, after)];
        edits.extend(thawed);
        commit(&target(item), &line, &edits)?;
        let path = plain(&item.document());
        say(format!("for the agent: {path} ({cause}): {why}"));
        Ok(())
    }
}

/// Where an act takes place.
pub(super) struct Target<'a> {
    /// Top of the worktree.
    pub top: &'a Path,
    /// The folder of the root.
    pub dir: &'a RepoPath,
    /// The change request.
    pub cr: Option<&'a Foreign>,
}

/// Shows what would be written, and asks for the first characters of the digest of what was shown.
pub(super) fn confirmed(
    path: &RepoPath,
    (before, after): (&[u8], &[u8]),
    line: &str,
    by: &str,
) -> Result<(), String> {
    if before != after {
        say(format!("in {}", plain(path)));
        print(&difference(before, after));
    }
    let shown = Foreign::from(line.trim_end()).shown(Place::Prose);
    say(format!("+ ledger  {shown}"));
    let head: String = Digest::of(before).to_string().chars().take(TYPED).collect();
    let answer = typed(&format!(
        "type {head} to record it as {by}, or Enter to leave it> "
    ));
    if answer.as_deref().map(str::trim) == Some(head.as_str()) {
        Ok(())
    } else {
        Err(String::from("left as it is"))
    }
}

fn target(item: &Asserted) -> Target<'_> {
    Target {
        top: &item.top,
        dir: &item.root.dir,
        cr: item.waits.cr.as_ref(),
    }
}

pub(super) fn plain(path: &RepoPath) -> String {
    path.foreign().shown(Place::Strict).plain()
}

fn read(item: &Asserted) -> Option<Vec<u8>> {
    regular::read(&on_disk(&item.top, &item.document()), LARGEST)
        .ok()
        .flatten()
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
fn difference(before: &[u8], after: &[u8]) -> Vec<String> {
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

pub(super) type Edit = (RepoPath, Digest, Vec<u8>);
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
/// in a shard of our own, and judges the root again.
pub(super) fn commit(target: &Target<'_>, line: &str, edits: &[Edit]) -> Result<(), String> {
    for (path, expected, _) in edits {
        let now = regular::read(&on_disk(target.top, path), LARGEST)
            .ok()
            .flatten();
        if now.is_none_or(|bytes| Digest::of(&bytes) != *expected) {
            return Err(format!("refused: {} moved since it was shown", plain(path)));
        }
    }
    for (path, expected, bytes) in edits {
        match write(target.top, path.as_bytes(), *expected, bytes) {
            Ok(()) => {}
            Err(WriteError::Moved) => {
                return Err(format!("refused: {} moved since it was shown", plain(path)));
            }
            Err(error) => return Err(format!("{} was not written: {error}", plain(path))),
        }
    }
    let mut random = [0; 3];
    getrandom::fill(&mut random).map_err(|error| format!("no shard was made: {error}"))?;
    let name = act::shard_name(target.cr.and_then(Foreign::raw_str), random);
    let dir = joined(target.dir, b"ledger");
    let shard = joined(&dir, name.as_bytes());
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
    print(&lines);
    Ok(())
}

/// Asks for one of the four causes of a correction and for its words.
pub(super) fn cause_and_words() -> Result<(&'static str, String), String> {
    for (number, (word, means)) in CAUSES.iter().enumerate() {
        say(format!("{}  {word}: {means}", number + 1));
    }
    let cause = typed("cause (1 to 4)> ").and_then(|n| n.trim().parse::<usize>().ok());
    let cause = cause
        .and_then(|n| CAUSES.get(n.checked_sub(1)?))
        .ok_or("left as it is: no cause")?;
    let why = typed("what has to change> ").unwrap_or_default();
    if why.trim().is_empty() {
        return Err(String::from("left as it is: it needs its words"));
    }
    Ok((cause.0, why.trim().to_owned()))
}
