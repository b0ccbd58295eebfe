//! Gate files of unlazy: `- [ ] ID: outcome` with indented attributes (contract-gates 1.13).
//!
//! Gates may stand anywhere in the file. An id is mandatory. The box proves nothing.

use crate::model::contract::State;
use crate::model::id::CriterionId;
use crate::model::text::Foreign;

use super::Parts;
use super::complaints::Complaints;
use super::gates::{Dialect, Gates, Opening};
use super::lines::{Line, Veil};

/// What a line is as a gate.
enum Gate {
    Yes(Opening),
    Bad(&'static str, &'static str, &'static str),
    No,
}

/// Reads the lines of a file as gates.
pub(super) fn read(lines: &[Line<'_>], complaints: &mut Complaints) -> Parts {
    let mut parts = Parts::default();
    let mut gates = Gates::new(Dialect::Unlazy);
    for line in lines {
        if line.veil == Veil::Open {
            if let Some(title) = line.text.strip_prefix("# ")
                && parts.header.slug.is_none()
            {
                let title = title.trim();
                let slug = title.strip_prefix("Gates:").unwrap_or(title);
                parts.header.slug = Some(Foreign::from(slug.trim()));
            }
            match gate(line) {
                Gate::Yes(opening) => {
                    gates.open(line, opening, complaints);
                    parts.abandon_at = Some(line.next);
                    continue;
                }
                Gate::Bad(code, message, hint) => {
                    complaints.error(code, line.no, message, hint);
                    continue;
                }
                Gate::No => {}
            }
            if let Some((id, at)) = abandon(line) {
                gates.abandon(line, id, at);
                parts.abandon_at = Some(line.next);
                continue;
            }
            if other_attribute(line, complaints) {
                continue;
            }
            if line.lead() > 0 && !line.is_blank() {
                parts.abandon_at = parts.abandon_at.map(|_| line.next);
            }
        }
        gates.line(line, complaints);
    }
    (parts.criteria, parts.abandonments) = gates.finish(complaints);
    parts.state = if !parts.criteria.is_empty() {
        State::Found
    } else if complaints.has("gate-without-id") || complaints.has("bad-box") {
        State::NearMiss
    } else {
        complaints.error(
            "no-criteria",
            0,
            "there is no gate in the file",
            "write at least one gate: - [ ] ID: outcome",
        );
        State::Empty
    };
    parts
}

/// Whether the line is a gate with an id, for detection.
pub(super) fn is_gate(line: &Line<'_>) -> bool {
    matches!(gate(line), Gate::Yes(_))
}

fn gate(line: &Line<'_>) -> Gate {
    let lead = line.lead();
    if lead > 3 {
        return Gate::No;
    }
    let rest = line.text.get(lead..).unwrap_or_default();
    let Some(after) = rest
        .strip_prefix(['-', '*', '+'])
        .and_then(|rest| rest.strip_prefix([' ', '\t']))
    else {
        return Gate::No;
    };
    let Some(inner) = after.strip_prefix('[') else {
        return Gate::No;
    };
    let mark = inner.chars().next().unwrap_or(' ');
    let Some(title) = inner
        .get(mark.len_utf8()..)
        .and_then(|t| t.strip_prefix(']'))
    else {
        return if inner.starts_with(']') {
            Gate::Bad(
                "bad-box",
                "the box is empty without a blank",
                "write [ ] or [x]",
            )
        } else {
            Gate::No
        };
    };
    let ticked = match mark {
        ' ' => false,
        'x' | 'X' => true,
        _ => {
            return Gate::Bad(
                "bad-box",
                "the box holds no blank and no x",
                "write [ ] or [x]",
            );
        }
    };
    let text = title.trim_start();
    let Some((id, outcome)) = text.split_once(':') else {
        return Gate::Bad(
            "gate-without-id",
            "the gate has no id",
            "write - [ ] ID: outcome",
        );
    };
    let plain = id
        .bytes()
        .enumerate()
        .all(|(at, b)| b.is_ascii_alphanumeric() || (at > 0 && b"._-".contains(&b)));
    let Some(id) = CriterionId::new(id).filter(|_| plain) else {
        return Gate::Bad(
            "gate-without-id",
            "what stands before the colon is no id",
            "write a letter or digit, then letters, digits, dots, dashes",
        );
    };
    if outcome.trim().is_empty() {
        return Gate::Bad(
            "blank-title",
            "the gate has no outcome",
            "write the outcome",
        );
    }
    let text_at = line.text.len() - outcome.trim_start().len();
    Gate::Yes(Opening {
        id,
        text_at,
        tick: Some((ticked, lead + 3)),
    })
}

/// `ABANDON: id reason`, at the start of the line or indented under a gate.
fn abandon<'a>(line: &'a Line<'_>) -> Option<(&'a str, usize)> {
    let lead = line.lead();
    let rest = line.text.get(lead..)?.strip_prefix("ABANDON:")?;
    let body = rest.trim_start();
    let id = body.split_whitespace().next().unwrap_or_default();
    let reason = body.get(id.len()..).unwrap_or_default();
    Some((id, line.text.len() - reason.len()))
}

/// Attributes that other readers of this format know and we do not act on.
fn other_attribute(line: &Line<'_>, complaints: &mut Complaints) -> bool {
    let text = line.trimmed();
    let works = line.lead() > 0 && text.starts_with("CWD:");
    let judged = line.lead() > 0 && (text.starts_with("VERIFY:") || text.starts_with("APPROVER:"));
    if works {
        complaints.error(
            "cwd",
            line.no,
            "CWD: is not supported: the command would run in another folder",
            "change the folder inside CHECK",
        );
    } else if judged {
        complaints.warn(
            "unknown-attribute",
            line.no,
            "this attribute is not read",
            "use CHECK, EXPECT and EVIDENCE",
        );
    }
    works || judged
}
