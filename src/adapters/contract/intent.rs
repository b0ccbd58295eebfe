//! The description of a request that has no ticket: what it says it does, one criterion for each
//! paragraph, and the items of its test plan (H02; the source's "stated intent and test plan stand
//! in").

use crate::gate::verify::claims;
use crate::model::contract::{
    Contract, ContractOfRecord, Criterion, Format, Kind, Source, State, WorktreeCopy,
};
use crate::model::id::{CriterionId, RepoPath};
use crate::model::text::Foreign;

use super::lines::{Line, Veil, list_marker};
use super::{Parts, marks};

/// Headings that hold the intent.
const INTENT: [&str; 7] = [
    "summary",
    "intent",
    "what",
    "description",
    "what changed",
    "why",
    "motivation",
];

/// The part of the description that a line stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Intent,
    Plan,
    Other,
}

/// Reads a description.
pub(super) fn read(lines: &[Line<'_>]) -> Parts {
    let mut parts = Parts::default();
    let mut part = Part::Intent;
    let mut drafts: Vec<(String, u32, u32)> = Vec::new();
    let mut open = false;
    for line in lines {
        let text = line.trimmed();
        if line.veil != Veil::Open || text.is_empty() {
            open = false;
            continue;
        }
        if let Some(rest) = claims::is_test_plan(text) {
            part = Part::Plan;
            open = false;
            if !rest.is_empty() {
                drafts.push((rest.to_owned(), line.no, line.no));
            }
            continue;
        }
        if text.starts_with('#') {
            let words = text.trim_start_matches('#').trim();
            let words = words.trim_end_matches(':').to_lowercase();
            part = if INTENT.contains(&words.as_str()) {
                Part::Intent
            } else {
                Part::Other
            };
            open = false;
            continue;
        }
        let quoted = text.starts_with('>');
        let claim = text
            .trim_start_matches('*')
            .get(..6)
            .is_some_and(|word| word.eq_ignore_ascii_case("ticket"));
        if part == Part::Other || quoted || claim {
            open = false;
            continue;
        }
        let rest = line.raw.get(line.lead()..).unwrap_or_default();
        let item = list_marker(rest).and_then(|length| text.get(length..));
        let body = item.map_or(text, |item| unboxed(item.trim()));
        match (item, drafts.last_mut()) {
            (None, Some((draft, _, end))) if open => {
                draft.push('\n');
                draft.push_str(body);
                *end = line.no;
            }
            _ if !body.is_empty() => drafts.push((body.to_owned(), line.no, line.no)),
            _ => {}
        }
        open = true;
    }
    let kept = drafts
        .iter()
        .filter(|(text, ..)| !marks::is_placeholder(text));
    parts.criteria = kept
        .enumerate()
        .map(|(at, (text, line, end))| criterion(at + 1, text, *line, *end))
        .collect();
    parts.state = if parts.criteria.is_empty() {
        State::Empty
    } else {
        State::Found
    };
    parts
}

/// An item without its box.
fn unboxed(item: &str) -> &str {
    for mark in ["[ ]", "[x]", "[X]"] {
        if let Some(rest) = item.strip_prefix(mark) {
            return rest.trim();
        }
    }
    item
}

fn criterion(at: usize, text: &str, line: u32, end_line: u32) -> Criterion {
    Criterion {
        id: CriterionId::ordinal(at),
        text: Foreign::from(text),
        line,
        end_line,
        kind: Kind::Prose,
        ticked: None,
        box_at: None,
        oracle: None,
        evidence: None,
        gated: Vec::new(),
        optional: marks::marked(text, "optional"),
        post_merge: false,
        disposition: None,
        anchors: marks::anchors(text),
    }
}

/// The contract that a description stands in for; `None` when it says nothing.
#[must_use]
pub fn of_request(number: Option<u64>, body: &Foreign) -> Option<ContractOfRecord> {
    let name = match number {
        Some(number) => format!("pull request {number}"),
        None => "pull request".to_owned(),
    };
    let path = RepoPath::new(name);
    let contract: Contract = super::read(&path, body.raw(), Some(Format::PrIntent));
    if contract.criteria.is_empty() {
        return None;
    }
    Some(ContractOfRecord {
        contract,
        bytes: body.clone(),
        source: Source::File,
        blob: None,
        head_bytes: None,
        edits: Vec::new(),
        touched_by: Vec::new(),
        candidates: Vec::new(),
        why: "no ticket: intent and test plan of the description stand in".to_owned(),
        worktree: WorktreeCopy::Missing,
    })
}
