//! What a review leaves open: closure lines and new findings, folded over the books into the
//! carried set, the rows that reopen, and whether a push is allowed (fix-wave
//! `## Review before push`). Only a `resolved` line resolves anything.

use std::collections::{BTreeMap, BTreeSet};

use super::lines::slot;
use crate::model::wave::{DerivedSpec, FindingId, Ledger, Namespace, RowStatus, WorkItem};

/// The why of an id without a line.
pub const MISSING: &str = "missing closure line";

/// How bad a reviewer calls a finding.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Grade {
    /// `[Critical]`.
    Critical,
    /// `[Moderate]`.
    Moderate,
    /// `[Minor]`.
    Minor,
    /// Another word: counts as a blocker.
    Other,
}

impl Grade {
    /// The word of the tag.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Critical => "Critical",
            Self::Moderate => "Moderate",
            Self::Minor => "Minor",
            Self::Other => "unmapped",
        }
    }

    /// Reads the word of a tag.
    #[must_use]
    pub fn of(word: &str) -> Self {
        match word {
            "Critical" => Self::Critical,
            "Moderate" => Self::Moderate,
            "Minor" => Self::Minor,
            _ => Self::Other,
        }
    }
}

/// A finding that a report lists.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Listed {
    /// How bad.
    pub grade: Grade,
    /// Inside the fix delta; `None` when the report does not say.
    pub inside: Option<bool>,
    /// What it says, without its tags.
    pub text: String,
    /// 1-based line of the report.
    pub line: u32,
}

/// What one closure line says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Says {
    /// `<id>: resolved`.
    Resolved,
    /// `<id>: open - <why>`.
    Open(String),
    /// `<id>: open` without a why.
    Unreasoned,
}

/// A closure line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClosureLine {
    /// About what.
    pub id: FindingId,
    /// What it says.
    pub says: Says,
    /// 1-based line of the report.
    pub line: u32,
}

/// A reviewer's report, as far as it is read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// The findings it lists.
    pub findings: Vec<Listed>,
    /// Closure lines below the last finding.
    pub closures: Vec<ClosureLine>,
    /// Lines that look like closure lines and do not count: line and why.
    pub unread: Vec<(u32, String)>,
}

/// Where a new finding goes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Goes {
    /// Into the carried set, under a new id.
    Carried,
    /// To the nits.
    Nit,
    /// Shown as evidence only, without an id.
    Evidence,
}

/// Where a new finding goes. What the report does not say fails toward carried.
#[must_use]
pub fn goes(grade: Grade, inside: Option<bool>) -> Goes {
    match (grade, inside) {
        (Grade::Critical | Grade::Other, _) => Goes::Carried,
        (Grade::Moderate, Some(false)) => Goes::Evidence,
        (Grade::Moderate, Some(true) | None) => Goes::Carried,
        (Grade::Minor, Some(false)) => Goes::Evidence,
        (Grade::Minor, Some(true) | None) => Goes::Nit,
    }
}

/// An unresolved id.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Carried {
    /// Its id; a new finding has the one that is minted for it.
    pub id: FindingId,
    /// Its row, when it has one already.
    pub row: Option<u32>,
    /// Why it is open.
    pub why: String,
    /// Its grade, when this report names it.
    pub grade: Option<Grade>,
    /// Whether it forbids a push: everything but a nit.
    pub blocks: bool,
}

/// A row that goes back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reopen {
    /// The row.
    pub row: u32,
    /// Its unresolved ids.
    pub ids: Vec<FindingId>,
    /// The decision line to append.
    pub line: String,
}

/// What a report comes to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Closure {
    /// Each listed id with what was found for it.
    pub outcomes: BTreeMap<FindingId, Says>,
    /// What stays open, in order: ids of this wave first, then new findings.
    pub carried: Vec<Carried>,
    /// Rows that reopen.
    pub reopen: Vec<Reopen>,
    /// Rows whose ids are all resolved.
    pub settled: Vec<u32>,
    /// New nits with the id that is minted for each.
    pub nits: Vec<(FindingId, Listed)>,
    /// Findings that are only shown.
    pub evidence: Vec<Listed>,
    /// Prior-review items that the report speaks of.
    pub prior: Vec<(FindingId, Says)>,
    /// What was not taken: line and why.
    pub ignored: Vec<(u32, String)>,
}

impl Closure {
    /// Whether nothing carried forbids a push.
    #[must_use]
    pub fn may_push(&self) -> bool {
        self.carried.iter().all(|carried| !carried.blocks)
    }
}

/// Rows whose ids a reviewer may speak of.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sent {
    /// Sent out and not reviewed since: every id of them needs a line.
    pub required: BTreeSet<u32>,
    /// Reviewed and settled before: no line leaves them settled, an `open` one reopens them.
    pub settled: BTreeSet<u32>,
}

/// Folds a report over the books. `taken` are ids that must not be minted again.
#[must_use]
pub fn fold(
    report: &Report,
    ledger: &Ledger,
    spec: &DerivedSpec,
    sent: &Sent,
    taken: &BTreeSet<FindingId>,
) -> Closure {
    let mut out = Closure::default();
    let rows = || {
        let all = ledger.rows.iter().zip(&spec.items);
        all.map(|(row, item)| (row.number, item))
    };
    let given = |row: &u32| sent.required.contains(row) || sent.settled.contains(row);
    let listed: BTreeSet<FindingId> = rows()
        .filter(|(row, _)| given(row))
        .flat_map(|(_, item)| item.ids.iter().copied())
        .collect();
    let mut said = closures(report, &listed, &mut out);
    for (row, item) in rows() {
        if !sent.required.contains(&row) && sent.settled.contains(&row) {
            for id in &item.ids {
                said.entry(*id).or_insert(Says::Resolved);
            }
        }
        if given(&row) {
            row_outcome(row, item, &said, &mut out);
        }
    }
    let mut next = next_number(spec, taken);
    for finding in &report.findings {
        if about(finding, &listed).is_some() {
            continue;
        }
        let mut mint = || {
            let id = FindingId {
                namespace: Namespace::Finding,
                number: next,
            };
            next = next.saturating_add(1);
            id
        };
        match goes(finding.grade, finding.inside) {
            Goes::Carried => out.carried.push(Carried {
                id: mint(),
                row: None,
                why: finding.text.clone(),
                grade: Some(finding.grade),
                blocks: true,
            }),
            Goes::Nit => out.nits.push((mint(), finding.clone())),
            Goes::Evidence => out.evidence.push(finding.clone()),
        }
    }
    out
}

/// The id that a listed finding restates, when it opens with one that was given.
fn about(finding: &Listed, listed: &BTreeSet<FindingId>) -> Option<FindingId> {
    let word = finding.text.split([' ', ':', ',']).next()?;
    FindingId::parse(word).filter(|id| listed.contains(id))
}

/// What is said of each given id. Two lines that differ are open; so is an id that is restated
/// as a finding.
fn closures(
    report: &Report,
    listed: &BTreeSet<FindingId>,
    out: &mut Closure,
) -> BTreeMap<FindingId, Says> {
    let mut said: BTreeMap<FindingId, Says> = BTreeMap::new();
    out.ignored.clone_from(&report.unread);
    for line in &report.closures {
        if line.id.namespace == Namespace::Prior {
            out.prior.push((line.id, line.says.clone()));
            continue;
        }
        if !listed.contains(&line.id) {
            let why = format!("{} was not sent out in this wave", line.id);
            out.ignored.push((line.line, why));
            continue;
        }
        match said.get_mut(&line.id) {
            None => {
                said.insert(line.id, line.says.clone());
            }
            Some(before) if *before == line.says => {}
            Some(before) => *before = Says::Open("its closure lines contradict".into()),
        }
    }
    for finding in &report.findings {
        if let Some(id) = about(finding, listed)
            && said.get(&id) == Some(&Says::Resolved)
        {
            let why = format!("line {} states it again", finding.line);
            said.insert(id, Says::Open(why));
        }
    }
    said
}

fn row_outcome(row: u32, item: &WorkItem, said: &BTreeMap<FindingId, Says>, out: &mut Closure) {
    let mut open: Vec<(FindingId, String)> = Vec::new();
    for id in &item.ids {
        let why = match said.get(id) {
            Some(Says::Resolved) => None,
            Some(Says::Open(why)) => Some(why.clone()),
            Some(Says::Unreasoned) => Some("its closure line gives no reason".to_owned()),
            None => Some(MISSING.to_owned()),
        };
        if let Some(says) = said.get(id) {
            out.outcomes.insert(*id, says.clone());
        }
        if let Some(why) = why {
            open.push((*id, why));
        }
    }
    if open.is_empty() {
        out.settled.push(row);
        return;
    }
    for (id, why) in &open {
        out.carried.push(Carried {
            id: *id,
            row: Some(row),
            why: why.clone(),
            grade: item.nits.then_some(Grade::Minor),
            blocks: !item.nits,
        });
    }
    out.reopen.push(Reopen {
        row,
        line: reopen_line(row, &open),
        ids: open.into_iter().map(|(id, _)| id).collect(),
    });
}

/// Most characters that the ids of a reopening line take.
const ID_CHARS: usize = 120;

/// `row <n> reopened | review: <ids> - <why> | <reviewer's why>`, each slot within its bound.
#[must_use]
pub fn reopen_line(row: u32, open: &[(FindingId, String)]) -> String {
    let mut ids = String::new();
    for (at, (id, _)) in open.iter().enumerate() {
        let word = id.to_string();
        if ids.len() + word.len() + 2 > ID_CHARS {
            ids.push_str(&format!(" +{} more", open.len() - at));
            break;
        }
        if at > 0 {
            ids.push_str(", ");
        }
        ids.push_str(&word);
    }
    let (short, reviewer) = match open {
        [(_, why)] => (why.clone(), why.clone()),
        several => {
            let all: Vec<String> = several
                .iter()
                .map(|(id, why)| format!("{id}: {why}"))
                .collect();
            let missing = several.iter().filter(|(_, why)| why == MISSING).count();
            let short = if missing == several.len() {
                MISSING.to_owned()
            } else {
                format!("{} unresolved", several.len())
            };
            (short, all.join("; "))
        }
    };
    format!(
        "row {row} reopened | {} | {}",
        slot(&format!("review: {ids} - {short}")),
        slot(&reviewer)
    )
}

fn next_number(spec: &DerivedSpec, taken: &BTreeSet<FindingId>) -> u32 {
    let ids = spec.items.iter().flat_map(|item| &item.ids).chain(taken);
    let highest = ids
        .filter(|id| id.namespace == Namespace::Finding)
        .map(|id| id.number)
        .max();
    highest.unwrap_or(0).saturating_add(1)
}

/// Rows that were sent out as far as the ledger alone can tell: all that are not open.
#[must_use]
pub fn sent_out(ledger: &Ledger) -> BTreeSet<u32> {
    let sent = ledger
        .rows
        .iter()
        .filter(|row| row.status != RowStatus::Open);
    sent.map(|row| row.number).collect()
}
