//! What the result of a dispatch is worth: admit it, count a miss, or stop the round. The commit
//! is judged, never the worker's reply (fix-wave `### Admission`).

use super::commit::{self, Serialized};
use super::evidence::{self, Judged};
use super::lines::{escape, pending_text, slot};
use crate::model::id::{Oid, RepoPath};
use crate::model::known::{Known, Reason};
use crate::model::snapshot::SomePaths;
use crate::model::text::{Foreign, Place};
use crate::model::wave::{Ledger, Pending, Route, Row, RowStatus};

/// How the head lies to the one before the dispatch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Reach {
    /// It is the same commit.
    Same,
    /// It descends from it, by so many new commits.
    After(u32),
    /// It does not descend from it: the history was rewritten, or went back.
    Rewritten,
}

/// What git says after a dispatch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Facts {
    /// The head now.
    pub head: Oid,
    /// Changed and untracked paths of the worktree.
    pub residue: Known<SomePaths>,
    /// How the head lies.
    pub reach: Known<Reach>,
    /// Parents of the head.
    pub parents: u32,
    /// The whole message of the head.
    pub message: Foreign,
    /// Paths that differ between both heads; a mode alone counts.
    pub changed: Known<Vec<RepoPath>>,
    /// Paths that must never be in a commit: spec and ledger, when they lie in the worktree.
    pub private: Vec<RepoPath>,
}

/// What the result is worth.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It counts.
    Admit(Admitted),
    /// It does not: one miss, with everything that was wrong.
    Miss(Vec<String>),
    /// Dispatch nothing further, keep everything; why, and the files.
    Stop(Vec<String>, SomePaths),
    /// It cannot be told.
    Unknown(Reason),
}

/// An admitted result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Admitted {
    /// Rows and decisions as they go into the ledger.
    pub result: Serialized,
    /// Where a failed decision sends the row.
    pub route: Option<Route>,
    /// Whether the pass is charged for it, unless it was already.
    pub charge: bool,
    /// What it changed.
    pub changed: Vec<RepoPath>,
}

/// Most files that a reason names.
const NAMED: usize = 8;

/// Judges a result.
#[must_use]
pub fn judge(facts: &Facts, ledger: &Ledger, pending: Pending, scoped: &[String]) -> Verdict {
    let reach = match &facts.reach {
        Known::Is(reach) => *reach,
        other => return cannot("the history since the dispatch", other),
    };
    if reach == Reach::Rewritten {
        let message = format!(
            "the head does not descend from {}: the history was rewritten",
            pending.head_before.short()
        );
        return Verdict::Stop(vec![message], SomePaths::default());
    }
    let residue = match &facts.residue {
        Known::Is(paths) => paths,
        other => return cannot("the worktree", other),
    };
    let mut stop = Vec::new();
    if residue.total > 0 {
        let named: Vec<String> = residue
            .first
            .iter()
            .take(NAMED)
            .map(|path| path.foreign().shown(Place::Strict).plain())
            .collect();
        let total = usize::try_from(residue.total).unwrap_or(usize::MAX);
        let more = total.saturating_sub(named.len());
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        stop.push(format!("residue is left: {}{more}", named.join(", ")));
    }
    if let Reach::After(commits) = reach
        && commits > 1
    {
        stop.push(format!("{commits} commits were added, not one"));
    }
    if !stop.is_empty() {
        return Verdict::Stop(stop, residue.clone());
    }
    if matches!(reach, Reach::Same | Reach::After(0)) {
        return Verdict::Miss(vec!["no commit was added".into()]);
    }
    result(facts, ledger, pending, scoped)
}

fn cannot<T>(what: &str, fact: &Known<T>) -> Verdict {
    let why = match fact {
        Known::Unknown(why) | Known::NotApplicable(why) => why.to_string(),
        Known::NotSupplied | Known::Is(_) => "it was not looked at".into(),
    };
    Verdict::Unknown(Reason::new(format!("{what}: {why}")))
}

/// One new commit and a clean worktree: message, evidence, difference.
fn result(facts: &Facts, ledger: &Ledger, pending: Pending, scoped: &[String]) -> Verdict {
    let changed = match &facts.changed {
        Known::Is(changed) => changed,
        other => return cannot("what the commit changed", other),
    };
    let mut wrong = Vec::new();
    if facts.parents != 1 {
        wrong.push(format!("the commit has {} parents, not one", facts.parents));
    }
    if changed.is_empty() {
        wrong.push("the commit changes no tracked file".into());
    }
    for path in facts.private.iter().filter(|path| changed.contains(path)) {
        let path = path.foreign().shown(Place::Strict);
        wrong.push(format!("the commit holds {path}, which is never committed"));
    }
    let mut unknown = Vec::new();
    let found = match commit::read(facts.message.raw(), ledger, pending) {
        Ok(found) => Some(found),
        Err(faults) => {
            wrong.extend(faults);
            None
        }
    };
    let verification = ledger.verification.as_ref().and_then(Foreign::raw_str);
    let rows = found
        .iter()
        .flat_map(|f| std::iter::once(&f.target).chain(&f.extras));
    for row in rows {
        let text = row.evidence.raw_str().unwrap_or_default();
        match evidence::judge(text, verification, scoped) {
            Judged::Fine { .. } => {}
            Judged::Miss(faults) => wrong.extend(
                faults
                    .into_iter()
                    .map(|fault| format!("evidence of row {}: {fault}", row.number)),
            ),
            Judged::Unknown(why) => {
                unknown.push(format!("evidence of row {}: {why}", row.number));
            }
        }
    }
    match found {
        Some(result) if wrong.is_empty() && unknown.is_empty() => {
            let route = result.decisions.first().and_then(|line| line.says.route());
            Verdict::Admit(Admitted {
                charge: route.is_none(),
                route,
                result,
                changed: changed.clone(),
            })
        }
        _ if wrong.is_empty() => Verdict::Unknown(Reason::new(unknown.join("; "))),
        _ => Verdict::Miss(wrong),
    }
}

/// A row as it is written into the ledger.
#[must_use]
pub fn row_line(row: &Row) -> String {
    let evidence = row.evidence.raw_str().unwrap_or_default();
    format!(
        "| {} | {} | {} | {} |",
        row.number,
        row.status.word(),
        row.attempts,
        escape(evidence)
    )
}

/// What the ledger has to say after a verdict: lines of rows that replace the old ones, decision
/// lines to append. Both are empty when nothing may be written.
#[must_use]
pub fn entries(verdict: &Verdict, ledger: &Ledger, pending: Pending) -> (Vec<String>, Vec<String>) {
    match verdict {
        Verdict::Admit(admitted) => {
            let Serialized {
                target,
                extras,
                decisions,
            } = &admitted.result;
            let rows = std::iter::once(target).chain(extras).map(row_line);
            let lines = decisions.iter().filter_map(|line| line.text.raw_str());
            (rows.collect(), lines.map(str::to_owned).collect())
        }
        Verdict::Miss(reasons) => {
            let attempts = ledger.row(pending.row).map_or(0, |row| row.attempts) + 1;
            let reason = reasons.join(", ");
            let missed = Row {
                number: pending.row,
                status: RowStatus::Failed,
                attempts,
                evidence: Foreign::from(slot(&format!("attempt {attempts}: {reason}"))),
                line: 0,
            };
            (vec![row_line(&missed)], Vec::new())
        }
        Verdict::Stop(..) | Verdict::Unknown(_) => (Vec::new(), Vec::new()),
    }
}

/// Whether a dispatch of this row from this head is the one that the ledger waits for.
///
/// # Errors
/// Why not, as a fragment.
pub fn waits_for(ledger: &Ledger, wanted: Pending) -> Result<(), String> {
    match ledger.pending {
        None => Err("the ledger waits for no result".into()),
        Some(pending) if pending == wanted => Ok(()),
        Some(pending) => Err(format!("the ledger waits for {}", pending_text(pending))),
    }
}
