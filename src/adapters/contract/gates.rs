//! Criteria with attribute lines, as the interview and unlazy formats share them: collecting
//! lines into drafts, then drafts into criteria, with every complaint on the way.

use std::collections::HashMap;

use crate::model::contract::{Abandonment, Criterion, EvidenceSlot, Gated, Kind, Severity};
use crate::model::id::CriterionId;
use crate::model::text::Foreign;

use super::attributes::{Key, Looks, looks};
use super::complaints::Complaints;
use super::lines::{Line, Veil};
use super::oracles::Slot;
use super::{abandonments, marks, oracles};

/// What differs between the two formats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Dialect {
    /// `N. text`; both attributes or neither, a slot for every oracle.
    Interview,
    /// `- [ ] ID: text`; the marker may be missing, may be a regular expression, the slot too.
    Unlazy,
}

/// The first line of a criterion, taken apart.
#[derive(Clone, Debug)]
pub(super) struct Opening {
    /// Its id.
    pub id: CriterionId,
    /// Where its text starts in the line.
    pub text_at: usize,
    /// Its box: whether ticked, and the offset of the mark in the line.
    pub tick: Option<(bool, usize)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Flow {
    /// Its first lines: every line that is not blank belongs to it.
    Text,
    /// After a blank line: only indented lines belong to it.
    Loose,
    /// Right after an attribute.
    After(Key),
    /// A heading stood between: attributes belong to it, text does not.
    Shut,
}

#[derive(Clone, Debug)]
struct Draft {
    id: CriterionId,
    text: Vec<u8>,
    line: u32,
    end_line: u32,
    tick: Option<(bool, usize)>,
    check: Option<Slot>,
    expect: Option<Slot>,
    evidence: Option<Slot>,
    near: Vec<(Key, u32, &'static str, bool)>,
    flow: Flow,
}

impl Draft {
    fn slot(&mut self, key: Key) -> &mut Option<Slot> {
        match key {
            Key::Check => &mut self.check,
            Key::Expect => &mut self.expect,
            Key::Evidence => &mut self.evidence,
        }
    }

    fn attributes(&self) -> usize {
        [&self.check, &self.expect, &self.evidence]
            .into_iter()
            .flatten()
            .count()
    }
}

/// Collects the lines of a criteria section.
#[derive(Debug)]
pub(super) struct Gates {
    dialect: Dialect,
    drafts: Vec<Draft>,
    known: HashMap<CriterionId, u32>,
    current: Option<usize>,
    abandonments: Vec<Abandonment>,
}

impl Gates {
    /// Nothing read yet.
    pub(super) fn new(dialect: Dialect) -> Self {
        Self {
            dialect,
            drafts: Vec::new(),
            known: HashMap::new(),
            current: None,
            abandonments: Vec::new(),
        }
    }

    /// The id and line of the criterion read last.
    pub(super) fn last_id(&self) -> Option<&CriterionId> {
        self.drafts.last().map(|draft| &draft.id)
    }

    /// Whether any criterion was read.
    pub(super) fn is_empty(&self) -> bool {
        self.drafts.is_empty()
    }

    /// Starts a criterion. A second one with the same id is refused, and so are its attributes.
    pub(super) fn open(&mut self, line: &Line<'_>, opening: Opening, complaints: &mut Complaints) {
        if let Some(first) = self.known.get(&opening.id) {
            complaints.error(
                "duplicate-id",
                line.no,
                &format!("criterion {} already stands on line {first}", opening.id),
                "give it an id of its own",
            );
            self.current = None;
            return;
        }
        self.known.insert(opening.id.clone(), line.no);
        let text = line.raw.get(opening.text_at..).unwrap_or_default();
        self.drafts.push(Draft {
            id: opening.id,
            text: text.trim_ascii().to_vec(),
            line: line.no,
            end_line: line.no,
            tick: opening
                .tick
                .map(|(ticked, at)| (ticked, line.start.saturating_add(at))),
            check: None,
            expect: None,
            evidence: None,
            near: Vec::new(),
            flow: Flow::Text,
        });
        self.current = Some(self.drafts.len() - 1);
    }

    /// Remembers an `ABANDON:` line.
    pub(super) fn abandon(&mut self, line: &Line<'_>, id: &str, reason_at: usize) {
        let reason = line.raw.get(reason_at..).unwrap_or_default();
        self.abandonments.push(Abandonment {
            id: CriterionId::new(id),
            reason: Foreign::new(reason.trim_ascii()),
            line: line.no,
            span: line.start..line.next,
        });
        if let Some(draft) = self.current.and_then(|at| self.drafts.get_mut(at)) {
            draft.flow = Flow::Shut;
        }
    }

    /// Any other line of the section.
    pub(super) fn line(&mut self, line: &Line<'_>, complaints: &mut Complaints) {
        if line.veil != Veil::Open {
            self.veiled_line(line, complaints);
            return;
        }
        if line.is_blank() {
            if let Some(draft) = self.current_mut()
                && draft.flow != Flow::Shut
            {
                draft.flow = Flow::Loose;
            }
            return;
        }
        match looks(line) {
            Some(Looks::Attribute(key, at)) => self.attribute(line, key, at, complaints),
            Some(Looks::Unindented(key)) => complaints.error(
                "unindented-attribute",
                line.no,
                &format!("{}: stands at the start of the line", key.word()),
                "indent it under its criterion",
            ),
            Some(Looks::Near(key, why)) => self.near(line, key, why, complaints),
            None => self.text(line, complaints),
        }
    }

    fn current_mut(&mut self) -> Option<&mut Draft> {
        self.current.and_then(|at| self.drafts.get_mut(at))
    }

    fn veiled_line(&mut self, line: &Line<'_>, complaints: &mut Complaints) {
        if matches!(looks(line), Some(Looks::Attribute(Key::Check, _))) {
            let inside = match line.veil {
                Veil::Fence => "a fence",
                Veil::Comment => "a comment",
                Veil::Front => "front matter",
                Veil::Open => "nothing",
            };
            complaints.warn(
                "hidden-look-alike",
                line.no,
                &format!("a CHECK inside {inside} is not read"),
                "move it out if it was meant as an oracle",
            );
        }
        let keep = line.veil == Veil::Fence && line.indent() >= 2;
        if keep
            && let Some(draft) = self.current_mut()
            && matches!(draft.flow, Flow::Text | Flow::Loose)
        {
            draft.text.push(b'\n');
            draft.text.extend_from_slice(line.raw.trim_ascii_end());
            draft.end_line = line.no;
        }
    }

    fn attribute(&mut self, line: &Line<'_>, key: Key, at: usize, complaints: &mut Complaints) {
        let Some(draft) = self.current_mut() else {
            complaints.error(
                "orphan-attribute",
                line.no,
                &format!("{}: belongs to no criterion", key.word()),
                "put it under a criterion with an id of its own",
            );
            return;
        };
        let rest = line.raw.get(at..).unwrap_or_default();
        let value = rest.trim_ascii().to_vec();
        let lead = rest.len() - rest.trim_ascii_start().len();
        let start = line.start + at;
        let span = match key {
            Key::Evidence => {
                let blank = usize::from(matches!(rest.first(), Some(b' ' | b'\t')));
                start + blank..line.end
            }
            Key::Check | Key::Expect => start + lead..start + lead + value.len(),
        };
        draft.flow = Flow::After(key);
        draft.end_line = line.no;
        let slot = draft.slot(key);
        if let Some(first) = slot {
            let message = format!(
                "{}: already stands on line {} of this criterion",
                key.word(),
                first.line
            );
            complaints.error(
                "duplicate-attribute",
                line.no,
                &message,
                "keep one of the two",
            );
            return;
        }
        *slot = Some(Slot {
            value,
            line: line.no,
            span,
        });
    }

    fn near(&mut self, line: &Line<'_>, key: Key, why: &'static str, complaints: &mut Complaints) {
        let capitals =
            line.text.contains(|c: char| c.is_ascii_uppercase()) && looks_capital(&line.text, key);
        match self.current_mut() {
            Some(draft) => {
                draft.near.push((key, line.no, why, capitals));
                draft.end_line = line.no;
                if draft.flow != Flow::Shut && line.indent() >= 2 {
                    draft.text.push(b'\n');
                    draft.text.extend_from_slice(line.raw.trim_ascii());
                }
            }
            None => complaints.warn(
                "near-attribute",
                line.no,
                &format!("this looks like {}:, but {why}", key.word()),
                "write it exactly, indented under a criterion",
            ),
        }
    }

    fn text(&mut self, line: &Line<'_>, complaints: &mut Complaints) {
        let quoted = line.trimmed().trim_start_matches(['>', ' ']);
        if line.trimmed().starts_with('>')
            && Key::Check.word() == quoted.split(':').next().unwrap_or_default()
        {
            complaints.warn(
                "hidden-look-alike",
                line.no,
                "a CHECK inside a quote is not read",
                "move it out if it was meant as an oracle",
            );
        }
        let heading = line.raw.starts_with(b"#");
        let Some(draft) = self.current_mut() else {
            return;
        };
        if heading {
            draft.flow = Flow::Shut;
            return;
        }
        let indented = line.indent() >= 2;
        let belongs = match draft.flow {
            Flow::Text => true,
            Flow::Loose | Flow::After(_) => indented,
            Flow::Shut => false,
        };
        if let Flow::After(key @ (Key::Check | Key::Expect)) = draft.flow
            && indented
        {
            complaints.warn(
                "attribute-not-wrapped",
                line.no,
                &format!(
                    "the line after {}: is not part of it; a value is one line",
                    key.word()
                ),
                "write the value on one line",
            );
        }
        if belongs {
            draft.text.push(b'\n');
            draft.text.extend_from_slice(line.raw.trim_ascii());
            draft.end_line = line.no;
        }
    }

    /// The criteria and abandonments, with the complaints that need the whole section.
    pub(super) fn finish(self, complaints: &mut Complaints) -> (Vec<Criterion>, Vec<Abandonment>) {
        let criteria: Vec<_> = self
            .drafts
            .into_iter()
            .filter_map(|draft| finish(draft, self.dialect, complaints))
            .collect();
        abandonments::check(self.dialect, &criteria, &self.abandonments, complaints);
        (criteria, self.abandonments)
    }
}

/// Whether the key of a look-alike is written in capitals.
fn looks_capital(text: &str, key: Key) -> bool {
    let start = text.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
    start
        .bytes()
        .take(key.word().len().saturating_sub(1))
        .all(|b| b.is_ascii_uppercase())
}

fn finish(draft: Draft, dialect: Dialect, complaints: &mut Complaints) -> Option<Criterion> {
    let text = String::from_utf8_lossy(&draft.text).into_owned();
    if marks::is_placeholder(&text) {
        placeholder(&draft, complaints);
        return None;
    }
    near_attributes(&draft, complaints);
    let oracle = oracles::oracle(
        &draft.id,
        draft.check.as_ref(),
        draft.expect.as_ref(),
        dialect,
        complaints,
    );
    let evidence = draft.evidence.map(|slot| EvidenceSlot {
        claim: oracles::claim(&slot.value),
        value: Foreign::new(slot.value),
        line: slot.line,
        span: slot.span,
    });
    if dialect == Dialect::Interview && draft.check.is_some() && evidence.is_none() {
        complaints.error(
            "no-evidence-slot",
            draft.line,
            &format!("criterion {} has a CHECK and no EVIDENCE line", draft.id),
            "add an indented EVIDENCE: pending",
        );
    }
    let gated: Vec<Gated> = marks::gated(&text, draft.line);
    let human = marks::marked(&text, "human") || marks::marked(&text, "manual");
    let kind = match (&oracle, human) {
        (Some(_), _) => Kind::Runnable,
        (None, true) => Kind::Human,
        (None, false) => Kind::Manual,
    };
    Some(Criterion {
        id: draft.id,
        line: draft.line,
        end_line: draft.end_line,
        kind,
        ticked: draft.tick.map(|(ticked, _)| ticked),
        box_at: draft.tick.map(|(_, at)| at),
        oracle,
        evidence,
        gated,
        optional: marks::marked(&text, "optional"),
        post_merge: marks::marked(&text, "post-merge"),
        disposition: None,
        anchors: marks::anchors(&text),
        text: Foreign::new(draft.text),
    })
}

fn placeholder(draft: &Draft, complaints: &mut Complaints) {
    let written = [&draft.check, &draft.expect]
        .into_iter()
        .flatten()
        .any(|slot| !marks::is_placeholder(&String::from_utf8_lossy(&slot.value)));
    let severity = if written {
        Severity::Error
    } else {
        Severity::Warning
    };
    complaints.add(
        severity,
        "placeholder",
        draft.line,
        &format!(
            "criterion {} says nothing: only a placeholder stands there",
            draft.id
        ),
        "write the criterion, or take the line out",
    );
}

/// A look-alike refuses the contract where reading over it would demote an oracle: its key is in
/// capitals, or the criterion has another attribute or look-alike. A lone lower-case one may be
/// prose, and is a warning (G6).
fn near_attributes(draft: &Draft, complaints: &mut Complaints) {
    let many = draft.attributes() + draft.near.len() > 1;
    for (key, line, why, capitals) in &draft.near {
        let severity = if *capitals || many {
            Severity::Error
        } else {
            Severity::Warning
        };
        complaints.add(
            severity,
            "near-attribute",
            *line,
            &format!("this looks like {}:, but {why}", key.word()),
            &format!("write it as an indented {}:", key.word()),
        );
    }
}
