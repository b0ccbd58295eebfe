//! The generic readers: task lists, bullets, numbers, labelled paragraphs and prose under an
//! acceptance heading (contract-formats). Present but unreadable is never absent.

use std::collections::HashSet;

use crate::model::contract::{Criterion, Kind, State};
use crate::model::id::CriterionId;
use crate::model::text::Foreign;

use super::attributes::{Key, Looks, looks};
use super::complaints::Complaints;
use super::labels;
use super::lines::{Line, Veil, list_marker};
use super::reach::{Reach, Step, is_task, present};
use super::{Parts, erg, marks};

/// How a format differs from another in the same grammar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Style {
    /// Whether task items of the whole file count when it has no acceptance heading.
    anywhere: bool,
    /// Whether each paragraph of prose is a criterion of its own.
    paragraphs: bool,
    /// Whether lines such as `Ticket-ref:` below the items are no part of them.
    footers: bool,
}

/// Task lists.
pub(super) const CHECKLIST: Style = Style {
    anywhere: true,
    paragraphs: false,
    footers: false,
};
/// Whatever stands under an acceptance heading.
pub(super) const HEADING: Style = Style {
    anywhere: false,
    ..CHECKLIST
};
/// The body of a ticket.
pub(super) const ERG: Style = Style {
    anywhere: false,
    paragraphs: true,
    footers: true,
};

/// One item before it becomes a criterion.
struct Draft {
    label: Option<CriterionId>,
    number: Option<CriterionId>,
    text: String,
    line: u32,
    end_line: u32,
    tick: Option<(bool, usize)>,
    optional: bool,
    kind: Kind,
    loose: bool,
}

/// What is being collected.
struct Items<'a> {
    drafts: Vec<Draft>,
    prose: Vec<Draft>,
    base: Option<usize>,
    headed: bool,
    open: bool,
    style: Style,
    complaints: &'a mut Complaints,
}

/// Reads the lines of a file by its acceptance sections.
pub(super) fn read(lines: &[Line<'_>], style: Style, complaints: &mut Complaints) -> Parts {
    let mut parts = Parts::default();
    let (section, _) = present(lines);
    let whole = !section && style.anywhere;
    let mut reach = Reach::default();
    let mut nears = Vec::new();
    let mut opened = Vec::new();
    let mut items = Items {
        drafts: Vec::new(),
        prose: Vec::new(),
        base: None,
        headed: false,
        open: false,
        style,
        complaints,
    };
    for (at, line) in lines.iter().enumerate() {
        match reach.step(line, lines.get(at + 1)) {
            Step::Opens => {
                opened.push(line.no);
                items.section(line);
            }
            Step::Sub => items.sub_heading(line),
            Step::Inside => items.line(line),
            Step::Near => nears.push(line.no),
            Step::Outside if whole => items.task_only(line),
            Step::Outside => {}
        }
    }
    let Items { drafts, prose, .. } = items;
    let drafts = if drafts.is_empty() { prose } else { drafts };
    let held = !drafts.is_empty();
    parts.criteria = criteria(drafts, complaints);
    said(&parts.criteria, &opened, &nears, whole, complaints);
    parts.state = state(&parts.criteria, &opened, &nears, held, complaints);
    parts
}

impl Items<'_> {
    fn section(&mut self, line: &Line<'_>) {
        self.base = None;
        self.headed = false;
        self.open = false;
        if line.trimmed().starts_with('#') {
            return;
        }
        let text = line.trimmed();
        let rest = text.split_once(':').map_or("", |(_, rest)| rest);
        let rest = rest.trim_matches(['*', '_', ' ']);
        if !rest.is_empty() {
            self.prose_line(line, rest);
        }
    }

    fn sub_heading(&mut self, line: &Line<'_>) {
        self.open = false;
        self.headed = false;
        self.base = None;
        let words = line.trimmed().trim_start_matches(['#', ' ']);
        let scenario = words.starts_with("Scenario:");
        if labels::own(words, false).is_some() || scenario {
            self.push(line, words, None, None);
            self.headed = true;
            if scenario && let Some(draft) = self.drafts.last_mut() {
                draft.kind = Kind::Scenario;
            }
        }
    }

    fn line(&mut self, line: &Line<'_>) {
        if line.veil != Veil::Open {
            if line.veil == Veil::Fence && self.open && line.indent() >= 2 {
                self.extend(line);
            } else {
                self.open = false;
            }
            return;
        }
        if line.is_blank() {
            if let Some(draft) = self.drafts.last_mut() {
                draft.loose = true;
            }
            if let Some(draft) = self.prose.last_mut() {
                draft.loose = true;
            }
            return;
        }
        self.oracle(line);
        let lead = line.lead();
        let rest = line.raw.get(lead..).unwrap_or_default();
        let marker = list_marker(rest);
        let top = self.base.is_none_or(|base| line.indent() <= base + 1);
        match marker {
            Some(_) if self.headed => self.extend(line),
            Some(length) if top => {
                let least = self
                    .base
                    .map_or(line.indent(), |base| base.min(line.indent()));
                self.base = Some(least);
                self.item(line, lead, length);
            }
            Some(_) => self.extend(line),
            None => self.paragraph(line),
        }
    }

    /// An oracle that this format cannot hold is refused, not turned into text.
    fn oracle(&mut self, line: &Line<'_>) {
        if matches!(looks(line), Some(Looks::Attribute(Key::Check, _))) {
            self.complaints.error(
                "oracle-not-read",
                line.no,
                "a CHECK stands here, but this format holds no oracles",
                "write the contract in the interview or unlazy format",
            );
        }
    }

    fn paragraph(&mut self, line: &Line<'_>) {
        let text = line.trimmed();
        let rule = text.len() >= 3 && text.chars().all(|c| matches!(c, '-' | '*' | '_' | ' '));
        if rule {
            self.open = false;
            return;
        }
        if self.style.footers && erg::is_footer(text) {
            self.open = false;
            return;
        }
        let fresh = self.drafts.last().is_none_or(|draft| draft.loose) || !self.open;
        if fresh && line.indent() < 4 && labels::own(text, false).is_some() {
            self.push(line, text, None, None);
            return;
        }
        let continues = self.open
            && self
                .drafts
                .last()
                .is_some_and(|draft| !draft.loose || line.indent() > self.base.unwrap_or(0) + 1);
        if continues || self.headed {
            self.extend(line);
        } else {
            self.open = false;
            self.prose_line(line, text);
        }
    }

    fn prose_line(&mut self, line: &Line<'_>, text: &str) {
        let paragraphs = self.style.paragraphs;
        match self.prose.last_mut() {
            Some(draft) if !(paragraphs && draft.loose) => {
                draft.text.push('\n');
                draft.text.push_str(text);
                draft.end_line = line.no;
                draft.loose = false;
            }
            _ => self.prose.push(Draft {
                label: None,
                number: None,
                text: text.to_owned(),
                line: line.no,
                end_line: line.no,
                tick: None,
                optional: false,
                kind: Kind::Prose,
                loose: false,
            }),
        }
    }

    /// In a file without an acceptance heading only task items count, with their wrapped lines.
    fn task_only(&mut self, line: &Line<'_>) {
        if line.veil != Veil::Open {
            return;
        }
        if is_task(line) {
            self.base = None;
            self.line(line);
        } else if line.is_blank() || line.indent() < 2 {
            self.open = false;
        } else if self.open {
            self.extend(line);
        }
    }

    fn item(&mut self, line: &Line<'_>, lead: usize, marker: usize) {
        let at = lead + marker;
        let text = line.text.get(at..).unwrap_or_default();
        let blanks = text.len() - text.trim_start().len();
        let text = text.trim_start();
        let number = line
            .text
            .get(lead..at)
            .map(|m| m.trim_end().trim_end_matches(['.', ')']))
            .filter(|m| m.starts_with(|c: char| c.is_ascii_digit()))
            .and_then(CriterionId::new);
        let mark = text.as_bytes().get(1).copied().unwrap_or(b' ');
        let boxed = text.starts_with('[')
            && text.as_bytes().get(2) == Some(&b']')
            && text.as_bytes().get(3).is_none_or(u8::is_ascii_whitespace);
        let star = text.strip_prefix("[ ]*").map(|_| (false, 4));
        let tick = match (boxed, mark) {
            (true, b' ') => Some((false, 3)),
            (true, b'x' | b'X') => Some((true, 3)),
            (true, _) => {
                self.complaints.warn(
                    "odd-box",
                    line.no,
                    "the box holds neither a blank nor an x",
                    "write [ ] or [x]",
                );
                None
            }
            (false, _) => star,
        };
        if text.starts_with("[] ") {
            self.complaints.warn(
                "odd-box",
                line.no,
                "the box is empty without a blank",
                "write [ ] or [x]",
            );
        }
        let skip = tick.map_or(0, |(_, length)| length);
        let body = text.get(skip..).unwrap_or_default().trim();
        let place = line.start + at + blanks + 1;
        self.push(line, body, number, tick.map(|(ticked, _)| (ticked, place)));
        if star.is_some()
            && let Some(draft) = self.drafts.last_mut()
        {
            draft.optional = true;
        }
    }

    fn push(
        &mut self,
        line: &Line<'_>,
        text: &str,
        number: Option<CriterionId>,
        tick: Option<(bool, usize)>,
    ) {
        self.open = true;
        let (label, at) = match labels::own(text, tick.is_some()) {
            Some((label, at)) => (Some(label), at),
            None => (None, 0),
        };
        let text = text.get(at..).unwrap_or_default();
        let scenario = ["Given ", "**Given**", "**WHEN**", "Scenario:"]
            .iter()
            .any(|word| text.starts_with(word));
        let kind = match (tick, scenario) {
            (Some(_), _) => Kind::Task,
            (None, true) => Kind::Scenario,
            (None, false) => Kind::Manual,
        };
        self.drafts.push(Draft {
            label,
            number,
            text: text.to_owned(),
            line: line.no,
            end_line: line.no,
            tick,
            optional: false,
            kind,
            loose: false,
        });
    }

    fn extend(&mut self, line: &Line<'_>) {
        if let Some(draft) = self.drafts.last_mut() {
            draft.text.push('\n');
            draft.text.push_str(line.trimmed());
            draft.end_line = line.no;
            draft.loose = false;
        } else {
            self.prose_line(line, line.trimmed());
        }
    }
}

/// Drafts with ids: own labels win over the numbers of a list, those over the position.
fn criteria(drafts: Vec<Draft>, complaints: &mut Complaints) -> Vec<Criterion> {
    let drafts: Vec<_> = drafts
        .into_iter()
        .filter(|draft| counts(draft, complaints))
        .collect();
    let labels: HashSet<_> = drafts.iter().filter_map(|d| d.label.clone()).collect();
    let mut numbers = HashSet::new();
    let numbered = drafts
        .iter()
        .filter(|draft| draft.label.is_none())
        .all(|draft| {
            draft
                .number
                .as_ref()
                .is_some_and(|number| !labels.contains(number) && numbers.insert(number.clone()))
        });
    let mut taken = HashSet::new();
    let mut out = Vec::with_capacity(drafts.len());
    for (at, draft) in drafts.into_iter().enumerate() {
        let id = match (&draft.label, &draft.number) {
            (Some(label), _) => label.clone(),
            (None, Some(number)) if numbered => number.clone(),
            (None, _) => position(at + 1, &labels),
        };
        if !taken.insert(id.clone()) {
            complaints.error(
                "duplicate-id",
                draft.line,
                &format!("another criterion is already called {id}"),
                "give it a label of its own",
            );
            continue;
        }
        out.push(criterion(draft, id));
    }
    out
}

fn position(n: usize, labels: &HashSet<CriterionId>) -> CriterionId {
    let plain = CriterionId::ordinal(n);
    if labels.contains(&plain) {
        CriterionId::new(&format!("#{n}")).unwrap_or(plain)
    } else {
        plain
    }
}

fn counts(draft: &Draft, complaints: &mut Complaints) -> bool {
    if marks::is_placeholder(&draft.text) {
        complaints.warn(
            "placeholder",
            draft.line,
            "only a placeholder stands there; it is no criterion",
            "write the criterion, or take the line out",
        );
        return false;
    }
    let text = draft.text.trim();
    let struck = text.len() > 4
        && text.starts_with("~~")
        && text.get(2..).and_then(|rest| rest.find("~~")) == Some(text.len() - 4);
    if struck {
        complaints.warn(
            "struck-out",
            draft.line,
            "the item is struck out and is no criterion",
            "remove it if it no longer counts",
        );
    }
    !struck
}

fn criterion(draft: Draft, id: CriterionId) -> Criterion {
    let text = &draft.text;
    let human = marks::marked(text, "human") || marks::marked(text, "manual");
    Criterion {
        id,
        line: draft.line,
        end_line: draft.end_line,
        kind: if human { Kind::Human } else { draft.kind },
        ticked: draft.tick.map(|(ticked, _)| ticked),
        box_at: draft.tick.map(|(_, at)| at),
        oracle: None,
        evidence: None,
        gated: marks::gated(text, draft.line),
        optional: draft.optional || marks::marked(text, "optional"),
        post_merge: marks::marked(text, "post-merge"),
        disposition: None,
        anchors: marks::anchors(text),
        text: Foreign::from(draft.text),
    }
}

fn said(
    criteria: &[Criterion],
    opened: &[u32],
    nears: &[u32],
    whole: bool,
    complaints: &mut Complaints,
) {
    for line in nears {
        complaints.warn(
            "near-heading",
            *line,
            "this reads like an acceptance heading, but is not read as one",
            "write ## Acceptance criteria",
        );
    }
    if let Some(second) = opened.get(1) {
        complaints.warn(
            "section-twice",
            *second,
            "a second acceptance heading stands here; its items are read as well",
            "keep one",
        );
    }
    if whole && !criteria.is_empty() {
        complaints.warn(
            "no-heading",
            0,
            "the file has no acceptance heading; its task items are read as criteria",
            "put them under ## Acceptance criteria",
        );
    }
}

fn state(
    criteria: &[Criterion],
    opened: &[u32],
    nears: &[u32],
    held: bool,
    complaints: &mut Complaints,
) -> State {
    if criteria.iter().any(|c| c.kind != Kind::Prose) {
        return State::Found;
    }
    if !criteria.is_empty() {
        return State::Prose;
    }
    if !nears.is_empty() {
        complaints.error(
            "near-miss",
            nears.first().copied().unwrap_or(0),
            "there may be criteria here, but no heading that says so",
            "write ## Acceptance criteria",
        );
        return State::NearMiss;
    }
    if let Some(line) = opened.first() {
        let message = if held {
            "the section holds only placeholders"
        } else {
            "the section is empty"
        };
        complaints.error(
            "no-criteria",
            *line,
            message,
            "write at least one criterion",
        );
        return State::Empty;
    }
    complaints.error(
        "no-section",
        0,
        "there is no acceptance heading and no task list",
        "add ## Acceptance criteria, or name another contract",
    );
    State::Absent
}
