//! The source's YAML: its keys, in its order, and no other.

use super::word;
use crate::gate::verify::document::Document;
use crate::model::ruling::Verdict;
use crate::model::text::is_hidden;

/// The document, line by line.
pub(super) fn render(verdict: &Document) -> Vec<String> {
    let mut out = vec![
        format!("verdict: {}", word(verdict)),
        format!("round: {}", verdict.round),
        match verdict.pr {
            Some(pr) => format!("pr: {pr}"),
            None => "pr: none".to_owned(),
        },
        match &verdict.ticket {
            Some(ticket) => format!("ticket: {}", quoted(ticket)),
            None => "ticket: none".to_owned(),
        },
    ];
    list(
        &mut out,
        "per_exit_criterion",
        verdict.criteria.iter().map(|one| {
            vec![
                (
                    "criterion",
                    quoted(&String::from_utf8_lossy(one.text.raw())),
                ),
                ("status", one.status.word().to_uppercase()),
                ("evidence", quoted(&one.evidence)),
            ]
        }),
    );
    list(
        &mut out,
        "unresolved_review_comments",
        verdict.comments.iter().map(|one| {
            vec![
                ("comment_ref", quoted(&one.reference)),
                ("author", quoted(&one.author)),
                (
                    "tag",
                    one.tag.map_or("untagged", |tag| tag.word()).to_owned(),
                ),
                ("why_unresolved", quoted(&one.why)),
            ]
        }),
    );
    list(
        &mut out,
        "malformed_minors",
        verdict.malformed.iter().map(|one| {
            vec![
                ("comment_ref", quoted(&one.reference)),
                ("excerpt", quoted(&one.excerpt)),
            ]
        }),
    );
    list(
        &mut out,
        "unresolved_simplify_findings",
        verdict.simplify.iter().map(|one| {
            vec![
                (
                    "finding",
                    quoted(&String::from_utf8_lossy(one.finding.raw())),
                ),
                ("severity", one.severity.to_owned()),
                ("status", one.status.to_owned()),
            ]
        }),
    );
    list(
        &mut out,
        "unresolved_adherence_violations",
        verdict.adherence.iter().map(|one| {
            let file = one.file.as_ref().map(|file| file.json().0);
            vec![
                ("rule_ref", quoted(&String::from_utf8_lossy(one.rule.raw()))),
                ("file", file.map_or("null".to_owned(), |file| quoted(&file))),
                (
                    "severity",
                    if one.blocking { "blocking" } else { "nit" }.to_owned(),
                ),
            ]
        }),
    );
    list(
        &mut out,
        "scope_overflow",
        verdict
            .overflow
            .iter()
            .filter(|one| one.listed())
            .map(|one| {
                vec![
                    ("file", quoted(&one.file.json().0)),
                    ("reason", quoted(&one.reason)),
                    (
                        "suggested_disposition",
                        match one.disposition {
                            Some(word @ ("TICKETED" | "ESCALATE")) => word.to_owned(),
                            _ => "null".to_owned(),
                        },
                    ),
                ]
            }),
    );
    out.push(format!("rationale: {}", quoted(&verdict.rationale)));
    if let Some(class) = verdict.root_cause {
        out.push(format!("root_cause_class: {}", class.word()));
    }
    if let Some(bump) = &verdict.bump {
        out.push(format!("reroll_bump: {}", quoted(bump)));
    }
    if verdict.verdict == Some(Verdict::Reroll) {
        if verdict.reasons.is_empty() {
            out.push("second_round_needed: []".to_owned());
        } else {
            out.push("second_round_needed:".to_owned());
        }
        out.extend(
            verdict
                .reasons
                .iter()
                .map(|one| format!("  - {}", quoted(one))),
        );
    }
    out
}

fn list(
    out: &mut Vec<String>,
    name: &str,
    items: impl Iterator<Item = Vec<(&'static str, String)>>,
) {
    let at = out.len();
    for item in items {
        for (number, (key, value)) in item.into_iter().enumerate() {
            let lead = if number == 0 { "  - " } else { "    " };
            out.push(format!("{lead}{key}: {value}"));
        }
    }
    let empty = if out.len() == at { " []" } else { "" };
    out.insert(at, format!("{name}:{empty}"));
}

/// A double-quoted scalar in which every hidden character is an escape.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            hidden if is_hidden(hidden) || hidden.is_control() => {
                let code = u32::from(hidden);
                if code > 0xffff {
                    out.push_str(&format!("\\U{code:08x}"));
                } else {
                    out.push_str(&format!("\\u{code:04x}"));
                }
            }
            plain => out.push(plain),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scalar_stays_on_its_line_and_hides_nothing() {
        let text = "a\"b\\c\nd\u{1b}[2Je\u{e0041}é \u{2014}";
        assert_eq!(
            quoted(text),
            "\"a\\\"b\\\\c\\nd\\u001b[2Je\\U000e0041é \u{2014}\""
        );
    }
}
