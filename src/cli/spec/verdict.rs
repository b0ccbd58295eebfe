//! The person's verdict at the spec gate, below its report at a terminal: approve, change, reject,
//! freeze and unfreeze. What was printed is what is decided about; when it moved, nothing is done.

mod clear;

use std::io;

use serde_json::json;

use super::acts::{Edit, LARGEST, Target, challenge, commit, difference, plain};
use super::desk::{cause_and_words, challenged, say, typed};
use super::facts::Facts;
use super::handoff::Handoff;
use super::print;
use crate::adapters::git::regular;
use crate::adapters::spec::act::{self, GateLine};
use crate::adapters::spec::files::{joined, on_disk};
use crate::adapters::trust::Consent;
use crate::adapters::who;
use crate::gate::spec::edit_class::Side;
use crate::model::id::{Digest, RepoPath};
use crate::model::known::Known;
use crate::model::spec::{Root, below};
use crate::model::text::{Foreign, Place};

/// Takes a verdict, when both ends are the person's terminal and a root was touched. Whether the
/// facts are to be gathered anew and decided about once more.
pub(super) fn sit(facts: &Facts, name: Option<&str>) -> bool {
    let ends = Consent::at_terminal(&[&io::stdin(), &io::stdout()]);
    if ends.is_err() || facts.tree.roots.is_empty() {
        return false;
    }
    let person = match who::find(name) {
        Known::Is(person) => person.name().to_owned(),
        Known::Unknown(why) => {
            say(format!("nothing can be decided: {why}"));
            return false;
        }
        Known::NotApplicable(_) | Known::NotSupplied => return false,
    };
    let desk = Desk { facts, person };
    if !desk.suites().is_empty() {
        say("suites:");
    }
    for (number, suite) in desk.suites().iter().enumerate() {
        say(format!("{:>2}  {}", number + 1, plain(suite)));
    }
    print(&[
        format!("you decide as {}", desk.person),
        String::from(
            "a approves, c asks for a change, x rejects, f N freezes, u N unfreezes, q leaves",
        ),
    ]);
    let observations = desk.observations();
    for (number, (owner, note, _)) in observations.iter().enumerate() {
        let (owner, note) = (owner.shown(Place::Strict), note.shown(Place::Prose));
        say(format!(
            "{:>2}  observation for {owner}: {note}",
            number + 1
        ));
    }
    if !observations.is_empty() {
        say("k N keeps an observation as a follow-up for a new node, d N declines it; none blocks");
    }
    desk.list_parts();
    while let Some(line) = typed("gate> ") {
        let (word, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        let done = match word {
            "q" => return false,
            "" => continue,
            "a" => desk.approve(),
            "c" => desk.answer("change"),
            "x" => desk.answer("reject"),
            "f" => desk.freeze(rest, true),
            "u" => desk.freeze(rest, false),
            "k" => desk.observation(rest, true),
            "d" => desk.observation(rest, false),
            "m" => desk.mark(rest),
            "p" => desk.prove(rest),
            "w" => desk.grant(),
            "l" => desk.ceiling(rest),
            _ => Err(String::from(
                "a, c, x, f N, u N, k N, d N, m N, p N, w, l CLASS or q",
            )),
        };
        match done {
            // the report above speaks of what was there before
            Ok(()) if matches!(word, "m" | "p" | "w" | "l") => return true,
            Ok(()) => {
                say("look again with `countersign spec gate`");
                return false;
            }
            Err(why) => say(why),
        }
    }
    false
}

struct Desk<'a> {
    facts: &'a Facts,
    person: String,
}

impl Desk<'_> {
    /// The touched suites that are there.
    fn suites(&self) -> Vec<RepoPath> {
        let pairs = self.facts.compared.pairs.iter();
        let there = pairs.filter(|pair| pair.head != Side::Absent);
        there.map(|pair| pair.path.clone()).collect()
    }

    /// The bytes that the facts were taken from, when they are still there.
    fn shown(&self, path: &RepoPath) -> Result<(Vec<u8>, Digest), String> {
        let moved = || format!("refused: {} moved since it was shown", plain(path));
        let was = self
            .facts
            .compared
            .after
            .get(path)
            .and_then(|read| read.as_ref().ok());
        let was = was.ok_or_else(|| format!("{} could not be read", plain(path)))?;
        let now = regular::read(&on_disk(&self.facts.compared.top, path), LARGEST);
        match now {
            Ok(Some(bytes)) if bytes == *was => Ok((bytes, Digest::of(was))),
            _ => Err(moved()),
        }
    }

    fn root(&self) -> Result<&Root, String> {
        match self.facts.tree.roots.as_slice() {
            [root] => Ok(root),
            _ => Err(String::from(
                "the change touches several specs; name one with --root",
            )),
        }
    }

    fn target<'b>(&'b self, root: &'b Root, act: &'static str) -> Target<'b> {
        Target {
            act: (act, &self.person),
            top: &self.facts.compared.top,
            dir: &root.dir,
            cr: self.facts.cr.as_ref(),
        }
    }

    fn cr(&self) -> Option<&str> {
        self.facts.cr.as_ref().and_then(Foreign::raw_str)
    }

    /// The name of a suite inside its root.
    fn within(&self, root: &Root, path: &RepoPath) -> Option<String> {
        let skip = if root.dir.as_bytes().is_empty() {
            0
        } else {
            root.dir.as_bytes().len() + 1
        };
        let inner = below(path, &root.dir).then(|| path.as_bytes().get(skip..))??;
        std::str::from_utf8(inner).ok().map(str::to_owned)
    }

    fn approve(&self) -> Result<(), String> {
        if !self.facts.closed.is_empty() {
            return Err(format!("closed: {}", self.facts.closed.join("; ")));
        }
        let root = self.root()?;
        let path = joined(&root.dir, b"spec.md");
        let (bytes, seen) = self.shown(&path)?;
        let after = act::approved(&bytes, &self.person)?;
        let mut edits: Vec<Edit> = vec![(path.clone(), seen, after.clone())];
        let mut frozen = Vec::new();
        for suite in self.suites() {
            let Some(name) = self.within(root, &suite) else {
                continue;
            };
            let (bytes, seen) = self.shown(&suite)?;
            let tagged = crate::adapters::spec::gherkin::read(&suite, &bytes).tagged("frozen");
            if !tagged {
                edits.push((suite.clone(), seen, act::frozen(&suite, &bytes, true)?));
                say(format!("freezes {}", plain(&suite)));
            }
            frozen.push(name);
        }
        let line = act::gate_line(&GateLine {
            cr: self.cr(),
            gate: "spec",
            verdict: "approve",
            by: &self.person,
            cause: None,
            why: None,
            frozen: &frozen,
            answers: None,
        });
        confirmed(&path, (&bytes, &after), &line, &self.person)?;
        print(&commit(&self.target(root, "spec-approve"), &line, &edits)?);
        Ok(())
    }

    /// Change and reject leave every file alone; the ledger and the agent hear why.
    fn answer(&self, verb: &str) -> Result<(), String> {
        let root = self.root()?;
        let path = joined(&root.dir, b"spec.md");
        let (bytes, _) = self.shown(&path)?;
        let (cause, why) = cause_and_words()?;
        let line = if verb == "change" {
            let more = [
                ("correction-kind", json!("gate-reject")),
                ("cause", json!(cause)),
                ("detail", json!(why)),
            ];
            act::other_line("correction", self.cr(), &self.person, &more)
        } else {
            act::gate_line(&GateLine {
                cr: self.cr(),
                gate: "spec",
                verdict: "reject",
                by: &self.person,
                cause: Some(cause),
                why: Some(&why),
                frozen: &[],
                answers: None,
            })
        };
        confirmed(&path, (&bytes, &bytes), &line, &self.person)?;
        let act = match verb {
            "reject" => "spec-reject",
            _ => "spec-change",
        };
        print(&commit(&self.target(root, act), &line, &[])?);
        let documents = self.facts.documents.iter().cloned().chain(self.suites());
        let files: Vec<RepoPath> = documents.collect();
        let carries: Vec<String> = files.iter().map(plain).collect();
        say(format!("for the agent: {verb} ({cause}): {why}"));
        if verb == "reject" {
            say(format!(
                "these carry what is dropped: {}",
                carries.join(", ")
            ));
        }
        let rejects = verb == "reject";
        let handoff = Handoff {
            verb: if rejects { "reject" } else { "change" },
            gate: "spec",
            document: path,
            seen: Digest::of(&bytes),
            cr: self.cr().map(str::to_owned),
            cause: cause.to_owned(),
            why,
            by: self.person.clone(),
            carries: if rejects { files } else { Vec::new() },
        };
        say(handoff.write(&self.facts.compared.top));
        Ok(())
    }

    /// What the judge observed beside its verdict.
    fn observations(&self) -> &[(Foreign, Foreign, Foreign)] {
        let report = self.facts.judge.known();
        report.map_or(&[], |report| &report.observations)
    }

    /// An observation is kept as a follow-up for a new node, or declined with a reason; the judged
    /// spec is never written (H21).
    fn observation(&self, which: &str, keep: bool) -> Result<(), String> {
        let all = self.observations();
        let at = which.trim().parse::<usize>().ok();
        let (owner, note, evidence) = at
            .and_then(|n| all.get(n.checked_sub(1)?))
            .ok_or("name an observation by its number")?;
        let root = self.root()?;
        let path = joined(&root.dir, b"spec.md");
        let (bytes, _) = self.shown(&path)?;
        let text = |of: &Foreign| json!(of.shown(Place::Prose).plain());
        let mut more = vec![
            ("class", json!("backlog")),
            ("owner", text(owner)),
            ("summary", text(note)),
            ("evidence", text(evidence)),
        ];
        if !keep {
            let why = typed("why it is declined> ").unwrap_or_default();
            if why.trim().is_empty() {
                return Err(String::from("left as it is: it needs a reason"));
            }
            more.push(("declined", json!(why.trim())));
        }
        let kind = if keep { "followup" } else { "disposition" };
        let line = act::other_line(kind, self.cr(), &self.person, &more);
        confirmed(&path, (&bytes, &bytes), &line, &self.person)?;
        print(&commit(&self.target(root, "spec-follow-up"), &line, &[])?);
        Ok(())
    }

    fn freeze(&self, which: &str, on: bool) -> Result<(), String> {
        let suites = self.suites();
        let at = which
            .trim()
            .parse::<usize>()
            .ok()
            .and_then(|n| n.checked_sub(1));
        let suite = at
            .and_then(|at| suites.get(at))
            .ok_or("name a suite by its number")?;
        let root = self.root()?;
        let name = self
            .within(root, suite)
            .ok_or("it lies outside of the spec")?;
        let (bytes, seen) = self.shown(suite)?;
        let after = act::frozen(suite, &bytes, on)?;
        let kind = if on { "freeze" } else { "unfreeze" };
        let more = [("frozen", json!([name]))];
        let line = act::other_line(kind, self.cr(), &self.person, &more);
        confirmed(suite, (&bytes, &after), &line, &self.person)?;
        let act = if on { "spec-freeze" } else { "spec-unfreeze" };
        print(&commit(
            &self.target(root, act),
            &line,
            &[(suite.clone(), seen, after)],
        )?);
        Ok(())
    }
}

/// Shows what would be written, and asks for the first characters of the digest of what was shown.
fn confirmed(
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
    challenged(&challenge(before), by)
}
