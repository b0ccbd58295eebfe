//! The page of the spec gate in a session: the digest above the report, and every changed part of
//! a touched suite as it reads on both sides.

use std::path::Path;
use std::sync::Arc;

use super::base::{Compared, Of};
use super::facts::{Facts, Given};
use super::{args, digest, dressed, gate};
use crate::adapters::spec::edits::Bytes;
use crate::app::queue::{Line, Tone};
use crate::app::spec::{SpecLine, SpecLook, SpecSuite};
use crate::cli::Context;
use crate::gate::spec::digest::Scenarios;
use crate::gate::spec::edit_class::{Change, Class, Edit, Side};
use crate::gate::spec::scenario_diff::Sign;
use crate::gate::spec::sum::SpecSum;
use crate::model::id::RepoPath;
use crate::model::text::Place;

/// What a line speaks of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Mark {
    /// Number of the line.
    pub line: usize,
    /// Number of the suite.
    pub suite: usize,
    /// Number of the changed part of it.
    pub part: Option<usize>,
    /// Whether it is a line of the part itself.
    pub detail: bool,
}

impl Mark {
    /// A line that speaks of a suite as a whole.
    pub(super) fn of(line: usize, suite: usize) -> Self {
        Self {
            line,
            suite,
            part: None,
            detail: false,
        }
    }

    /// The same so many lines further down.
    pub(super) fn moved(self, by: usize) -> Self {
        Self {
            line: self.line + by,
            ..self
        }
    }
}

/// Reads the page.
///
/// # Errors
/// Why it cannot be looked at, in words.
pub(in crate::cli) fn page(dir: &Path, base: Option<&str>) -> Result<SpecLook, String> {
    let context = Context {
        dir: dir.to_owned(),
        json: false,
        color: crate::cli::args::When::Never,
    };
    let given = Given {
        base,
        ..Given::default()
    };
    let compared = Compared::look(&context, &args::At::default(), base, Of::Suites);
    let compared = compared.map_err(|report| report.message)?;
    // the page is about the worktree, where a verdict would be written; the ruling about the head
    let committed = compared.at_head().map_err(|report| report.message)?;
    let apart = !same(&compared, &committed);
    let reviewed = Facts::of(&context, committed, &given, None);
    let sum = applies(&reviewed).then(|| Arc::new(summed(&reviewed)));
    let facts = if apart {
        Facts::of(&context, compared, &given, None)
    } else {
        reviewed
    };
    if !applies(&facts) {
        let says = "does not apply: what changed lies outside of every place of specs";
        return Ok(SpecLook {
            lines: vec![told(says, None)],
            suites: Vec::new(),
            sum,
        });
    }
    let digest = digest::digest(&facts);
    let (mut texts, mut marks) = digest::marked(&digest);
    texts.push(String::new());
    if apart {
        let says = "! specs of the worktree are not committed: they are shown, the head is judged";
        texts.push(String::from(says));
    }
    let (report, mine) = gate::marked(&facts);
    marks.extend(mine.into_iter().map(|mark| mark.moved(texts.len())));
    texts.extend(report);
    texts.push(String::from(
        "`countersign spec gate` takes your verdict here, `countersign queue` what agents approved",
    ));
    let lines = texts.iter().enumerate().map(|(at, text)| {
        let mark = marks.iter().find(|mark| mark.line == at).copied();
        told(text, mark)
    });
    let suites = digest.suites.iter().zip(&facts.edits);
    let frozen = facts.compared.pairs.iter().map(|pair| match &pair.head {
        Side::Read { suite, .. } => Some(suite.tagged("frozen")),
        Side::Absent | Side::Unread(_) => None,
    });
    Ok(SpecLook {
        lines: lines.collect(),
        suites: suites
            .zip(frozen)
            .map(|((suite, edit), frozen)| of_suite(suite, edit, frozen))
            .collect(),
        sum,
    })
}

/// Whether the change lies in a spec at all.
fn applies(facts: &Facts) -> bool {
    let tree = &facts.tree;
    !(tree.roots.is_empty() && tree.nodes.is_empty() && facts.edits.is_empty())
}

/// Whether two sides hold the same files of specs.
fn same(worktree: &Compared, head: &Compared) -> bool {
    let mine = |of: &Compared| -> Vec<(RepoPath, Bytes)> {
        let all = of.after.iter().filter(|(path, _)| of.in_spec(path));
        all.map(|(path, read)| (path.clone(), read.clone()))
            .collect()
    };
    mine(worktree) == mine(head)
}

fn summed(facts: &Facts) -> SpecSum {
    let mut notes = facts.structural.clone();
    notes.extend(facts.provenance.iter().cloned());
    SpecSum::of(
        facts.compared.head,
        &notes,
        facts.open,
        &facts.judge,
        &facts.edits,
        &facts.floors,
    )
}

fn told(text: &str, mark: Option<Mark>) -> SpecLine {
    SpecLine {
        line: dressed(text),
        of: mark.map(|mark| (mark.suite, mark.part)),
        detail: mark.is_some_and(|mark| mark.detail),
    }
}

fn of_suite(suite: &Scenarios, edit: &Edit, frozen: Option<bool>) -> SpecSuite {
    let tag = match frozen {
        None => "gone or unread",
        Some(true) => "@frozen",
        Some(false) => "not frozen",
    };
    let facts = match edit.class {
        Class::UnfrozenSkip => tag.to_owned(),
        class => format!("{tag} · {}", class.word()),
    };
    let parts = suite.changes.iter().enumerate();
    SpecSuite {
        path: suite.path.clone(),
        facts,
        rows: parts
            .flat_map(|(at, change)| {
                let said = edit.changes.get(at);
                of_part(change, said)
                    .into_iter()
                    .map(move |line| (at, line))
            })
            .collect(),
    }
}

/// A changed part: its head, then what it says on both sides.
fn of_part(change: &Change, said: Option<&Change>) -> Vec<Line> {
    let line = |text: String, tone| Line { text, tone };
    let mut words = Vec::new();
    words.extend(change.hint.map(str::to_owned));
    let said = said.filter(|said| said.name == change.name);
    let meaning = said.and_then(|said| said.meaning.as_ref());
    words.extend(meaning.map(|said| said.is.word().to_owned()));
    if change.pinned {
        words.push(String::from("pinned"));
    }
    let words = match words.as_slice() {
        [] => String::new(),
        words => format!("  ({})", words.join(", ")),
    };
    let name = change.name.shown(Place::Prose);
    let head = format!("{} {} {name}{words}", digest::sign(change.how), change.part);
    let mut out = vec![line(head, Tone::Head)];
    out.extend(change.lines.iter().map(|(sign, text)| {
        let tone = match sign {
            Sign::Same => Tone::Plain,
            Sign::Gone => Tone::Gone,
            Sign::Come => Tone::Come,
        };
        line(
            format!("  {} {}", sign.mark(), text.shown(Place::Prose)),
            tone,
        )
    }));
    out.push(line(String::new(), Tone::Plain));
    out
}
