//! Reads a derived spec. Its scope embeds the text of a pull request, which may hold anything,
//! so the work items are what stands below the last heading of that name, and nothing else.

use std::collections::BTreeSet;

use super::complaints::{Complaints, lines, shown};
use crate::gate::wave::lines as grammar;
use crate::model::text::Foreign;
use crate::model::wave::{DecisionSays, DerivedSpec, FindingId, Ledger, WorkItem, ordinal};

const TITLE: &str = "# Findings spec - gatekeep-pr ";
const SCOPE: &str = "## Scope";
const ITEMS: &str = "## Acceptance criteria";
const BOX: &str = "- [ ] ";
const NITS: &str = "fix nits:";

/// Reads a derived spec. What is wrong stands in its complaints; with an error among them it
/// must not be used.
#[must_use]
pub fn read(bytes: &[u8]) -> DerivedSpec {
    let mut complaints = Complaints::default();
    let lines = lines(bytes, &mut complaints);
    let (repository, number) = title(&lines, &mut complaints);
    let at_scope = lines.iter().position(|(_, line)| *line == SCOPE);
    if at_scope.is_none() {
        complaints.error("no-scope", 0, "there is no ## Scope", "write the scope");
    }
    let headings: Vec<usize> = lines
        .iter()
        .enumerate()
        .filter(|(_, (_, line))| line.trim_end() == ITEMS)
        .map(|(at, _)| at)
        .collect();
    let decoys: Vec<u32> = headings.split_last().map_or(Vec::new(), |(_, before)| {
        let lines = before.iter().filter_map(|at| lines.get(*at));
        lines.map(|(number, _)| *number).collect()
    });
    let mut items = Vec::new();
    let mut end = 0;
    match headings.last() {
        None => complaints.error(
            "no-items",
            0,
            "there is no ## Acceptance criteria",
            "write the work items below that heading",
        ),
        Some(at) if at_scope.is_some_and(|scope| scope > *at) => complaints.error(
            "scope-last",
            lines.get(*at).map_or(0, |(number, _)| *number),
            "## Scope stands below the work items",
            "write the scope first",
        ),
        Some(at) => {
            end = *at;
            items = work_items(lines.get(at + 1..).unwrap_or_default(), &mut complaints);
        }
    }
    once_each(&items, &mut complaints);
    for line in &decoys {
        complaints.warn(
            "decoy",
            *line,
            "a heading of work items stands inside the scope; what is below it is no work",
            "look at the text of the pull request",
        );
    }
    let line_of = |at: usize| lines.get(at).map_or(0, |(number, _)| *number);
    DerivedSpec {
        repository,
        number,
        scope: at_scope.map_or(0, |at| line_of(at) + 1)..line_of(end),
        decoys,
        items,
        complaints: complaints.done(),
    }
}

fn title(lines: &[(u32, &str)], complaints: &mut Complaints) -> (Foreign, u32) {
    let first = lines.iter().find(|(_, line)| !line.trim().is_empty());
    let read = first.and_then(|(_, line)| {
        let (repository, number) = line.strip_prefix(TITLE)?.trim_end().rsplit_once('#')?;
        let (owner, name) = repository.split_once('/')?;
        let plain = |part: &str| !part.is_empty() && !part.contains(['/', ' ']);
        (plain(owner) && plain(name)).then_some(())?;
        Some((Foreign::from(repository), ordinal(number)?))
    });
    read.unwrap_or_else(|| {
        let at = first.map_or(0, |(at, _)| *at);
        complaints.error(
            "no-derived-spec",
            at,
            "the first line is no title of a derived spec",
            "write # Findings spec - gatekeep-pr OWNER/REPO#NUMBER",
        );
        (Foreign::default(), 0)
    })
}

fn work_items(lines: &[(u32, &str)], complaints: &mut Complaints) -> Vec<WorkItem> {
    let mut texts: Vec<(u32, String)> = Vec::new();
    for (at, line) in lines {
        if line.trim().is_empty() {
            continue;
        }
        if let Some(text) = line.strip_prefix(BOX) {
            texts.push((*at, text.to_owned()));
        } else if let (Some(last), true) = (texts.last_mut(), line.starts_with([' ', '\t'])) {
            last.1.push('\n');
            last.1.push_str(line.trim());
        } else if line.starts_with("- [x] ") || line.starts_with("- [X] ") {
            complaints.error(
                "ticked",
                *at,
                "a work item is ticked; only a closure line of the reviewer resolves one",
                "write - [ ]",
            );
            texts.push((*at, line.get(BOX.len()..).unwrap_or_default().to_owned()));
        } else {
            let message = format!("{} is no work item", shown(line));
            let hint = "write - [ ] IDS: TEXT, and indent what goes on";
            complaints.error("bad-item", *at, message, hint);
        }
    }
    if texts.is_empty() {
        let hint = "write one item for each finding";
        complaints.error("no-items", 0, "there is no work item", hint);
    }
    let known: BTreeSet<FindingId> = texts
        .iter()
        .filter(|(_, text)| !text.starts_with(NITS))
        .flat_map(|(_, text)| grammar::id_list(text.split(':').next().unwrap_or_default()).0)
        .collect();
    let items: Vec<WorkItem> = texts
        .into_iter()
        .filter_map(|(at, text)| match text.strip_prefix(NITS) {
            Some(rest) => nits(at, rest, &known, complaints),
            None => finding(at, &text, complaints),
        })
        .collect();
    for second in items.iter().filter(|item| item.nits).skip(1) {
        complaints.error(
            "two-batches",
            second.line,
            "a second batch of nits",
            "keep every nit in one batch",
        );
    }
    items
}

fn finding(at: u32, text: &str, complaints: &mut Complaints) -> Option<WorkItem> {
    let hint = "write - [ ] P1, L2: EVIDENCE";
    let Some((ids, pack)) = text.split_once(':') else {
        complaints.error("no-ids", at, "the item names no ids before a colon", hint);
        return None;
    };
    let (ids, unread) = grammar::id_list(ids);
    for word in &unread {
        let message = format!("{} is no id", shown(word));
        complaints.error("bad-id", at, message, hint);
    }
    for id in ids.iter().filter(|id| !id.is_work()) {
        let message = format!("{id} is no P or L id");
        complaints.error("bad-id", at, message, hint);
    }
    if ids.is_empty() && unread.is_empty() {
        complaints.error("no-ids", at, "the item names no ids before its colon", hint);
    }
    if pack.trim().is_empty() {
        complaints.error("no-evidence", at, "the item has no evidence pack", hint);
    }
    Some(WorkItem {
        ids,
        nits: false,
        text: Foreign::from(pack.trim()),
        parts: Vec::new(),
        line: at,
    })
}

/// Splits at `; ID: ` only, where the id was not named before: the text of a nit may hold
/// semicolons, and may speak of other findings.
fn nits(
    at: u32,
    text: &str,
    known: &BTreeSet<FindingId>,
    complaints: &mut Complaints,
) -> Option<WorkItem> {
    let text = text.trim();
    let mut cuts: Vec<(FindingId, usize, usize)> = Vec::new();
    let mut seen = BTreeSet::new();
    let mut from = 0;
    while let Some((id, start, end)) = next_cut(text, from) {
        let first = start == 0;
        if (first
            || text
                .get(..start)
                .is_some_and(|before| before.ends_with("; ")))
            && id.is_work()
            && !known.contains(&id)
            && seen.insert(id)
        {
            cuts.push((id, start, end));
        }
        from = end;
    }
    let hint = "write - [ ] fix nits: P1: TEXT; P2: TEXT";
    if cuts.first().is_none_or(|(_, start, _)| *start != 0) {
        complaints.error("bad-nits", at, "the batch does not begin with an id", hint);
        return None;
    }
    let mut parts = Vec::new();
    for (index, (id, _, end)) in cuts.iter().enumerate() {
        let stop = cuts.get(index + 1).map_or(text.len(), |(_, next, _)| *next);
        let part = text.get(*end..stop).unwrap_or_default().trim();
        let part = part.strip_suffix(';').unwrap_or(part).trim_end();
        if part.is_empty() {
            complaints.error("bad-nits", at, format!("{id} has no text"), hint);
        }
        parts.push((*id, Foreign::from(part)));
    }
    Some(WorkItem {
        ids: parts.iter().map(|(id, _)| *id).collect(),
        nits: true,
        text: Foreign::from(text),
        parts,
        line: at,
    })
}

/// The next `ID: ` from a byte on: the id, where it begins, and where its text begins.
fn next_cut(text: &str, from: usize) -> Option<(FindingId, usize, usize)> {
    let mut at = from;
    loop {
        let colon = at + text.get(at..)?.find(": ")?;
        let start = text
            .get(..colon)?
            .rfind([' ', ';', '\n'])
            .map_or(0, |blank| blank + 1)
            .max(from);
        if let Some(id) = FindingId::parse(text.get(start..colon)?) {
            return Some((id, start, colon + 2));
        }
        at = colon + 2;
    }
}

fn once_each(items: &[WorkItem], complaints: &mut Complaints) {
    let mut seen = BTreeSet::new();
    for item in items {
        for id in &item.ids {
            if !seen.insert(*id) {
                complaints.error(
                    "id-twice",
                    item.line,
                    format!("{id} stands twice"),
                    "keep every contributor of a finding in its one item",
                );
            }
        }
    }
}

/// Whether the spec and a ledger belong together; what does not fit, each a fragment.
#[must_use]
pub fn misfits(spec: &DerivedSpec, ledger: &Ledger) -> Vec<String> {
    let rows = ledger.rows.len();
    if spec.items.len() != rows {
        return vec![format!(
            "the spec has {} work items, the ledger {rows} rows",
            spec.items.len()
        )];
    }
    let mut wrong = Vec::new();
    for line in &ledger.decisions {
        let DecisionSays::Reopened { ids, .. } = &line.says else {
            continue;
        };
        let item = usize::try_from(line.row)
            .ok()
            .and_then(|n| n.checked_sub(1));
        let Some(item) = item.and_then(|at| spec.items.get(at)) else {
            continue;
        };
        for id in ids.iter().filter(|id| !item.ids.contains(id)) {
            wrong.push(format!(
                "line {} reopens row {} for {id}, which is no id of its work item",
                line.line, line.row
            ));
        }
    }
    wrong
}
