//! Reads a reviewer's report: the findings it lists and the closure lines below them. What stands
//! in a fence is quoted and counts as nothing.

use super::complaints::{Complaints, lines};
use crate::gate::wave::closure::{ClosureLine, Grade, Listed, Report, Says};
use crate::model::wave::FindingId;

/// Reads a report. A line that cannot be read fails toward what stays open.
#[must_use]
pub fn read(bytes: &[u8]) -> Report {
    let mut unread = Complaints::default();
    let lines = lines(bytes, &mut unread);
    let mut report = Report::default();
    for complaint in unread.done() {
        report.unread.push((complaint.line, complaint.message));
    }
    let mut fence: Option<String> = None;
    let mut closures: Vec<ClosureLine> = Vec::new();
    for (at, line) in lines {
        let trimmed = line.trim();
        if let Some(open) = &fence {
            if trimmed.starts_with(open.as_str()) && trimmed.trim_matches(mark(open)).is_empty() {
                fence = None;
            }
            continue;
        }
        if let Some(open) = opened(trimmed) {
            fence = Some(open);
            continue;
        }
        let bare = unmarked(trimmed);
        if let Some(finding) = finding(bare, at) {
            for early in closures.drain(..) {
                let why = format!("{} is closed above a finding", early.id);
                report.unread.push((early.line, why));
            }
            report.findings.push(finding);
        } else if let Some(line) = closure(bare, at, &mut report.unread) {
            closures.push(line);
        }
    }
    if fence.is_some() {
        report
            .unread
            .push((0, "a fence does not end; what is in it was not read".into()));
    }
    report.closures = closures;
    report.unread.sort();
    report
}

fn mark(fence: &str) -> char {
    fence.chars().next().unwrap_or('`')
}

/// The marks of a fence that opens here.
fn opened(line: &str) -> Option<String> {
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let marks: String = line.chars().take_while(|c| *c == mark).collect();
    let info = line.get(marks.len()..).unwrap_or_default();
    (marks.len() >= 3 && !(mark == '`' && info.contains('`'))).then_some(marks)
}

/// Without the mark of a list item and bold marks around the whole line.
fn unmarked(line: &str) -> &str {
    let line = line
        .strip_prefix("- ")
        .or_else(|| line.strip_prefix("* "))
        .unwrap_or(line)
        .trim();
    let number = line.bytes().take_while(u8::is_ascii_digit).count();
    let line = match line.get(number..) {
        Some(rest) if number > 0 => rest
            .strip_prefix(". ")
            .or_else(|| rest.strip_prefix(") "))
            .unwrap_or(line),
        _ => line,
    };
    line.strip_prefix("**")
        .and_then(|inner| inner.strip_suffix("**"))
        .unwrap_or(line)
}

/// `F1: [Moderate] (outside fix delta) text`, the number and the place optional.
fn finding(line: &str, at: u32) -> Option<Listed> {
    let numbered = line.split_once([' ', ':']).filter(|(word, _)| {
        let word = word.trim_end_matches(['.', ')']);
        word.starts_with('F') && FindingId::parse(word).is_some()
    });
    let line = numbered.map_or(line, |(_, rest)| rest.trim_start_matches([':', ' ']));
    let (tag, rest) = line.strip_prefix('[')?.split_once(']')?;
    let word = !tag.is_empty() && tag.bytes().all(|b| b.is_ascii_alphabetic());
    // a link or a check box is no tag
    if !word || rest.starts_with('(') || tag.eq_ignore_ascii_case("x") {
        return None;
    }
    let rest = rest.trim_start();
    let places = [("(inside fix delta)", true), ("(outside fix delta)", false)];
    let place = places
        .into_iter()
        .find_map(|(words, inside)| Some((rest.strip_prefix(words)?, inside)));
    let (text, inside) = place.map_or((rest, None), |(text, inside)| (text, Some(inside)));
    Some(Listed {
        grade: Grade::of(tag),
        inside,
        text: text.trim_start_matches([':', '-', ' ']).trim().to_owned(),
        line: at,
    })
}

/// `<id>: resolved` or `<id>: open - <why>`.
fn closure(line: &str, at: u32, unread: &mut Vec<(u32, String)>) -> Option<ClosureLine> {
    let (word, rest) = line.split_once(':')?;
    let id = FindingId::parse(word)?;
    let rest = rest.strip_prefix(' ')?.trim_end();
    let says = match rest {
        "resolved" => Says::Resolved,
        "open" | "open -" => Says::Unreasoned,
        _ => match rest.strip_prefix("open - ") {
            Some(why) if !why.trim().is_empty() => Says::Open(why.trim().to_owned()),
            _ => {
                unread.push((at, format!("{id} reads neither resolved nor open - WHY")));
                return None;
            }
        },
    };
    Some(ClosureLine { id, says, line: at })
}
