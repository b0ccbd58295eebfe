//! `# CONTRACT` files of the contract interview, by the rules of contract-gates 1.2 to 1.4.
//!
//! Only `## ACCEPTANCE CRITERIA` holds criteria. A second section of that name continues the
//! first; `###` does not end it.

use crate::model::contract::{Block, Header, State};
use crate::model::id::CriterionId;
use crate::model::text::Foreign;

use super::complaints::Complaints;
use super::gates::{Dialect, Gates, Opening};
use super::lines::{Line, Veil};
use super::{Parts, authorship, blocks, scope};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Section {
    Top,
    Request,
    Clarifications,
    Criteria,
    Scope,
    Other,
}

/// The sections by name.
const SECTIONS: [(&str, Section); 4] = [
    ("REQUEST", Section::Request),
    ("CLARIFICATIONS", Section::Clarifications),
    ("ACCEPTANCE CRITERIA", Section::Criteria),
    ("FILE SCOPE", Section::Scope),
];

/// What a line is as a heading.
enum Head {
    /// `## NAME`, exact.
    Exact(Section),
    /// Another line that starts with `## `.
    Other,
    /// Something that reads like one of the sections, but is not.
    Near(&'static str, Section),
    /// No heading.
    None,
}

/// Reads the lines of a file as an interview contract.
pub(super) fn read(bytes: &[u8], lines: &[Line<'_>], complaints: &mut Complaints) -> Parts {
    let mut parts = Parts::default();
    let mut gates = Gates::new(Dialect::Interview);
    let mut section = Section::Top;
    let mut found = [false; 4];
    let mut bodies: [Vec<&Line<'_>>; 4] = Default::default();
    let mut nears = Vec::new();
    for line in lines {
        if line.veil == Veil::Open {
            match head(line) {
                Head::Exact(next) => {
                    section = next;
                    if let Some(at) = index(next) {
                        if found.get(at) == Some(&true) {
                            twice(line, at, complaints);
                        }
                        if let Some(flag) = found.get_mut(at) {
                            *flag = true;
                        }
                        if section == Section::Scope {
                            parts.scope_at = Some(line.next);
                        }
                        if section == Section::Criteria {
                            parts.abandon_at = Some(line.next);
                        }
                    }
                    continue;
                }
                Head::Other => {
                    if section != Section::Request {
                        section = Section::Other;
                        continue;
                    }
                }
                Head::Near(name, meant) => {
                    nears.push((line.no, name, meant, section));
                }
                Head::None => {}
            }
        }
        match section {
            Section::Top => header_line(line, &mut parts.header),
            Section::Criteria => {
                criteria_line(line, &mut gates, complaints);
                if !line.is_blank() {
                    parts.abandon_at = Some(line.next);
                }
            }
            Section::Other => outside(line, complaints),
            Section::Request | Section::Clarifications | Section::Scope => {
                if let Some(body) = index(section).and_then(|at| bodies.get_mut(at)) {
                    body.push(line);
                }
            }
        }
    }
    for (no, name, meant, within) in &nears {
        let quoted = found.get(2) == Some(&true) && *within == Section::Request;
        near_heading(
            *no,
            name,
            *meant == Section::Criteria && !quoted,
            complaints,
        );
    }
    let [request, clarifications, _, scope_lines] = bodies;
    parts.request = block(bytes, &request);
    parts.clarifications = blocks::items(bytes, &clarifications);
    scope::read(&scope_lines, &mut parts, complaints);
    let empty = gates.is_empty();
    (parts.criteria, parts.abandonments) = gates.finish(complaints);
    let near = nears
        .iter()
        .any(|(_, _, meant, _)| *meant == Section::Criteria);
    parts.state = state(&parts, found, empty, near, complaints);
    authorship::interview(&parts, found, complaints);
    status(&parts.header, complaints);
    parts
}

fn index(section: Section) -> Option<usize> {
    SECTIONS.iter().position(|(_, is)| *is == section)
}

fn head(line: &Line<'_>) -> Head {
    if let Some(rest) = line.text.strip_prefix("## ") {
        for (name, section) in SECTIONS {
            let exact = rest.strip_prefix(name).is_some_and(|tail| {
                section == Section::Criteria || !tail.starts_with(char::is_alphanumeric)
            });
            if exact {
                return Head::Exact(section);
            }
        }
        if let Some((name, section)) = like(rest) {
            return Head::Near(name, section);
        }
        return Head::Other;
    }
    let plain = line.text.trim_start_matches(|c: char| c.is_whitespace());
    let styled = plain.starts_with('#') || plain.starts_with("**") || plain.starts_with("__");
    let rest = plain.trim_start_matches(|c: char| {
        matches!(c, '#' | '*' | '_') || c.is_whitespace() || crate::model::text::is_hidden(c)
    });
    match like(rest) {
        Some((name, section)) if styled || plain.trim_end_matches([':', ' ']) == name => {
            Head::Near(name, section)
        }
        _ => Head::None,
    }
}

/// The section that a heading's words mean, blanks and capitals aside.
fn like(words: &str) -> Option<(&'static str, Section)> {
    let plain: String = words
        .chars()
        .filter(|c| c.is_alphanumeric())
        .collect::<String>()
        .to_ascii_uppercase();
    let exact = |name: &str| name.replace(' ', "");
    SECTIONS.into_iter().find(|(name, section)| match section {
        Section::Criteria => plain.starts_with(&exact(name)) || plain.starts_with("EXITCRITERIA"),
        _ => plain == exact(name),
    })
}

fn near_heading(line: u32, name: &str, refuses: bool, complaints: &mut Complaints) {
    let message = format!("this reads like ## {name}, but is not that heading");
    let hint = format!("write it as ## {name}");
    if refuses {
        complaints.error("near-heading", line, &message, &hint);
    } else {
        complaints.warn("near-heading", line, &message, &hint);
    }
}

fn twice(line: &Line<'_>, at: usize, complaints: &mut Complaints) {
    let name = SECTIONS.get(at).map_or("", |(name, _)| name);
    complaints.warn(
        "section-twice",
        line.no,
        &format!("## {name} stands here a second time and continues the first"),
        "keep one section of each name",
    );
}

fn criteria_line(line: &Line<'_>, gates: &mut Gates, complaints: &mut Complaints) {
    if line.veil == Veil::Open {
        if let Some(opening) = criterion(line) {
            sequence(line, &opening.id, gates.last_id(), complaints);
            gates.open(line, opening, complaints);
            return;
        }
        if let Some((id, at)) = abandon(line) {
            gates.abandon(line, id, at);
            return;
        }
        near_abandon(line, complaints);
        near_criterion(line, gates.last_id(), complaints);
    }
    gates.line(line, complaints);
}

/// Column 0: digits, a dot, at least one blank.
fn criterion(line: &Line<'_>) -> Option<Opening> {
    let digits = digits(line.raw);
    let dot = line.raw.get(digits) == Some(&b'.');
    let blank = matches!(line.raw.get(digits + 1), Some(b' ' | b'\t'));
    if digits == 0 || !dot || !blank {
        return None;
    }
    let id = CriterionId::new(line.text.get(..digits)?)?;
    Some(Opening {
        id,
        text_at: digits + 2,
        tick: None,
    })
}

fn digits(raw: &[u8]) -> usize {
    raw.iter().take_while(|b| b.is_ascii_digit()).count()
}

fn number(id: &CriterionId) -> Option<u64> {
    id.as_str().parse().ok()
}

/// Gaps are legal, but a wrapped line that starts with a number reads the same.
fn sequence(
    line: &Line<'_>,
    id: &CriterionId,
    last: Option<&CriterionId>,
    complaints: &mut Complaints,
) {
    let expected = last.and_then(number).map_or(1, |n| n.saturating_add(1));
    if number(id) != Some(expected) {
        complaints.warn(
            "out-of-sequence",
            line.no,
            &format!(
                "criterion {id} stands where {expected} is due; a wrapped line would read the same"
            ),
            "indent the line if it continues the text above",
        );
    }
}

/// Column 0: `ABANDON:`, blanks, digits, blanks, reason.
fn abandon<'a>(line: &'a Line<'_>) -> Option<(&'a str, usize)> {
    let rest = line.raw.strip_prefix(b"ABANDON:")?;
    let blanks = rest.len() - rest.trim_ascii_start().len();
    let digits = digits(rest.trim_ascii_start());
    let start = "ABANDON:".len() + blanks;
    let id = line.text.get(start..start + digits)?;
    Some((id, start + digits))
}

fn near_abandon(line: &Line<'_>, complaints: &mut Complaints) {
    let plain = line
        .text
        .trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '-' | '*' | '_'));
    let word = plain.get(..7).unwrap_or_default();
    let after = plain
        .get(7..)
        .unwrap_or_default()
        .trim_start_matches([' ', '*']);
    if word.eq_ignore_ascii_case("abandon") && after.starts_with([':', '\u{ff1a}']) {
        complaints.warn(
            "near-abandon",
            line.no,
            "this looks like an abandonment, but is not one",
            "write ABANDON: at the start of the line, then id and reason",
        );
    }
}

/// The text after the box of a task list item, or all of it.
fn task(text: &str) -> &str {
    ["[ ]", "[x]", "[X]", "[]"]
        .iter()
        .find_map(|mark| text.strip_prefix(mark))
        .map_or(text, str::trim_start)
}

/// A numbered line that is no criterion by the grammar. Where its number is the next one, it
/// would vanish, and that is an error; elsewhere it may be text.
fn near_criterion(line: &Line<'_>, last: Option<&CriterionId>, complaints: &mut Complaints) {
    let indent = line.indent();
    let plain = line.text.trim_start();
    let bare = plain
        .trim_start_matches(['-', '*', '+', '_', '#', '('])
        .trim_start();
    let bare = if plain.len() == bare.len() {
        plain
    } else {
        bare
    };
    let bare = task(bare).trim_start_matches(['*', '_']);
    let count = digits(bare.as_bytes());
    let after = bare.get(count..).unwrap_or_default();
    let numbered = count > 0 && count < 10 && after.starts_with(['.', ')', ':']);
    let rest = after.get(1..).unwrap_or_default();
    if !numbered || indent >= 3 || rest.starts_with(|c: char| c.is_ascii_digit()) {
        return;
    }
    let expected = last.and_then(number).map_or(1, |n| n.saturating_add(1));
    let next = bare.get(..count).and_then(|n| n.parse().ok()) == Some(expected);
    let message = "this looks like a criterion, but is none";
    let hint = "write the number, a dot and a blank at the start of the line";
    if next {
        complaints.error("near-criterion", line.no, message, hint);
    } else {
        complaints.warn("near-criterion", line.no, message, hint);
    }
}

fn outside(line: &Line<'_>, complaints: &mut Complaints) {
    if line.veil == Veil::Open && line.raw.starts_with(b"ABANDON:") {
        complaints.warn(
            "abandon-outside",
            line.no,
            "an abandonment counts only inside ## ACCEPTANCE CRITERIA",
            "move it there",
        );
    }
}

fn state(
    parts: &Parts,
    found: [bool; 4],
    empty: bool,
    near: bool,
    complaints: &mut Complaints,
) -> State {
    if !parts.criteria.is_empty() {
        return State::Found;
    }
    let section = found.get(2) == Some(&true);
    if near || complaints.has("near-criterion") {
        return State::NearMiss;
    }
    if section {
        let message = if empty {
            "## ACCEPTANCE CRITERIA holds no numbered criterion"
        } else {
            "## ACCEPTANCE CRITERIA holds only placeholders"
        };
        complaints.error("no-criteria", 0, message, "write at least one criterion");
        return State::Empty;
    }
    complaints.error(
        "no-section",
        0,
        "there is no ## ACCEPTANCE CRITERIA",
        "add the section",
    );
    State::Absent
}

/// The bullets under the title (contract-gates 1.2).
fn header_line(line: &Line<'_>, header: &mut Header) {
    if line.veil != Veil::Open {
        return;
    }
    if let Some(rest) = line.text.strip_prefix("# CONTRACT") {
        let slug = rest.trim_start_matches([' ', '\t', '—', '–', '-', ':']);
        header.slug = Some(Foreign::from(slug.trim_end()));
        return;
    }
    let Some(body) = line.trimmed().strip_prefix(['-', '*']) else {
        return;
    };
    let mut last = None;
    for part in body.split('|') {
        let part = part.trim().trim_matches('*');
        let (key, value) = part.split_once(':').unwrap_or(("", part));
        let value = Foreign::from(value.trim().trim_matches('*').trim());
        let key = key.trim().trim_matches('*');
        let field = match key.to_ascii_lowercase().as_str() {
            "date" => &mut header.date,
            "flow" => {
                flow(&value, header);
                last = Some("flow");
                continue;
            }
            "branch" => &mut header.branch,
            "status" => &mut header.status,
            "supersedes" => &mut header.supersedes,
            _ => {
                if last == Some("branch")
                    && let Some(branch) = &mut header.branch
                {
                    let mut text = branch.raw().to_vec();
                    text.extend_from_slice(b" | ");
                    text.extend_from_slice(part.as_bytes());
                    *branch = Foreign::new(text);
                }
                continue;
            }
        };
        last = if key.eq_ignore_ascii_case("branch") {
            Some("branch")
        } else {
            None
        };
        if field.is_none() {
            *field = Some(value);
        }
    }
}

fn flow(value: &Foreign, header: &mut Header) {
    if header.flow.is_some() {
        return;
    }
    let text = value.raw_str().unwrap_or_default();
    let (word, note) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let word = word.trim_end_matches([',', ';']);
    header.flow = Some(Foreign::from(word));
    let note = note.trim();
    header.flow_note = (!note.is_empty()).then(|| Foreign::from(note));
}

/// A contract that was given up does not run (G13).
fn status(header: &Header, complaints: &mut Complaints) {
    let Some(status) = &header.status else { return };
    let text = status.raw_str().unwrap_or_default().to_ascii_lowercase();
    let word = text
        .split(|c: char| !c.is_alphabetic())
        .next()
        .unwrap_or("");
    match word {
        "active" => {}
        "aborted" | "abandoned" | "cancelled" | "canceled" => complaints.error(
            "contract-aborted",
            0,
            "the contract is aborted: nothing of it runs",
            "write a new contract, or set its status to active",
        ),
        "superseded" => complaints.error(
            "contract-superseded",
            0,
            "the contract is superseded: nothing of it runs",
            "name the contract that supersedes it",
        ),
        _ => complaints.warn(
            "status-word",
            0,
            "the status is neither active nor aborted",
            "write active, or aborted",
        ),
    }
}

/// All lines of a section as one block, blank lines at both ends left out.
fn block(bytes: &[u8], lines: &[&Line<'_>]) -> Option<Block> {
    let first = lines.iter().find(|line| !line.is_blank())?;
    let last = lines.iter().rfind(|line| !line.is_blank())?;
    let text = bytes.get(first.start..last.end).unwrap_or_default();
    Some(Block {
        text: Foreign::new(text),
        line: first.no,
        end_line: last.no,
        gated: super::marks::gated(&String::from_utf8_lossy(text), first.no),
    })
}
