//! The line grammar that the ledger and a result commit share: table cells, decision lines, the
//! pending tuple.
//!
//! A `|` inside a cell or slot is written `\|` (rulings A23); a raw one makes another cell.

use crate::model::id::Oid;
use crate::model::text::{Foreign, Place};
use crate::model::wave::{
    DecisionLine, DecisionSays, FindingId, Pending, Row, RowStatus, SLOT_CHARS, count, ordinal,
};

/// The text split at unescaped `|`, nothing trimmed and no escape resolved.
#[must_use]
pub fn split(text: &str) -> Vec<&str> {
    split_at(text, b'|')
}

/// The text split at an unescaped ASCII character.
#[must_use]
pub fn split_at(text: &str, mark: u8) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut escaped) = (0, false);
    for (at, byte) in text.bytes().enumerate() {
        if byte == mark && !escaped {
            parts.push(text.get(start..at).unwrap_or_default());
            start = at + 1;
        }
        escaped = byte == b'\\' && !escaped;
    }
    parts.push(text.get(start..).unwrap_or_default());
    parts
}

/// The same text with `\|` for `|` and line ends as blanks: fit for a cell or a slot.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut escaped = false;
    for character in text.chars() {
        match character {
            '|' if !escaped => out.push_str("\\|"),
            '\n' | '\r' => out.push(' '),
            other => out.push(other),
        }
        escaped = character == '\\' && !escaped;
    }
    if escaped {
        out.push('\\');
    }
    out
}

/// The text with `|` for `\|`.
#[must_use]
pub fn unescape(text: &str) -> String {
    text.replace("\\|", "|")
}

/// Cuts a text to a slot: at most [`SLOT_CHARS`] characters, the last one `…` when it was cut.
#[must_use]
pub fn slot(text: &str) -> String {
    let text = escape(text.trim());
    if text.chars().count() <= SLOT_CHARS {
        return text;
    }
    let mut cut: String = text.chars().take(SLOT_CHARS - 1).collect();
    let slashes = cut.bytes().rev().take_while(|b| *b == b'\\').count();
    if slashes % 2 == 1 {
        cut.pop();
    }
    cut.push('…');
    cut
}

/// The trimmed cells of a table row; `None` when it is no row.
#[must_use]
pub fn cells(line: &str) -> Option<Vec<&str>> {
    let inner = line.trim().strip_prefix('|')?;
    let mut parts = split(inner);
    if parts.len() < 2 || !parts.pop()?.trim().is_empty() {
        return None;
    }
    Some(parts.into_iter().map(str::trim).collect())
}

/// Whether the line is the rule below a table's head.
#[must_use]
pub fn is_rule(line: &str) -> bool {
    let dashes = |cell: &&str| {
        let bare = cell.trim_matches(':');
        !bare.is_empty() && bare.bytes().all(|b| b == b'-')
    };
    cells(line).is_some_and(|cells| cells.iter().all(dashes))
}

/// Reads `| n | status | attempts | evidence |`.
///
/// # Errors
/// Everything that is wrong with it.
pub fn row(line: &str, at: u32) -> Result<Row, Vec<String>> {
    let Some(cells) = cells(line) else {
        return Err(vec!["it is no table row".into()]);
    };
    let [number, status, attempts, evidence] = cells[..] else {
        return Err(vec![format!(
            "it has {} cells, not 4; write a | inside a cell as \\|",
            cells.len()
        )]);
    };
    let mut wrong = Vec::new();
    let shown = |text: &str| Foreign::from(text).shown(Place::Strict).plain();
    let number_read = ordinal(number);
    if number_read.is_none() {
        wrong.push(format!("row {} is no ordinal", shown(number)));
    }
    let status_read = RowStatus::parse(status);
    if status_read.is_none() {
        wrong.push(format!(
            "status {} is none of open, done, failed",
            shown(status)
        ));
    }
    let attempts_read = count(attempts);
    if attempts_read.is_none() {
        wrong.push(format!("attempts {} is no number", shown(attempts)));
    }
    match (number_read, status_read, attempts_read) {
        (Some(number), Some(status), Some(attempts)) => Ok(Row {
            number,
            status,
            attempts,
            evidence: Foreign::from(unescape(evidence)),
            line: at,
        }),
        _ => Err(wrong),
    }
}

/// Reads a decision line.
///
/// # Errors
/// What is wrong with it, as a fragment.
pub fn decision(line: &str, at: u32) -> Result<DecisionLine, String> {
    let parts = split(line);
    let [head, first, second] = parts[..] else {
        return Err(format!(
            "it has {} parts between bars, not 3; write a | inside a slot as \\|",
            parts.len()
        ));
    };
    let form = "it does not read `row N WORD | SLOT | SLOT` with single blanks";
    let head = head.strip_suffix(' ').ok_or(form)?;
    let first = first.strip_prefix(' ').and_then(|s| s.strip_suffix(' '));
    let (first, second) = first.zip(second.strip_prefix(' ')).ok_or(form)?;
    let (number, word) = head
        .strip_prefix("row ")
        .and_then(|rest| rest.split_once(' '))
        .ok_or(form)?;
    let row = ordinal(number).ok_or("its row is no ordinal")?;
    for (name, slot) in [("first", first), ("second", second)] {
        let length = slot.chars().count();
        if slot.trim().is_empty() {
            return Err(format!("its {name} slot is empty"));
        }
        if length > SLOT_CHARS {
            return Err(format!(
                "its {name} slot has {length} characters, at most {SLOT_CHARS}"
            ));
        }
    }
    let says = match word {
        "done" | "failed" => DecisionSays::Result {
            done: word == "done",
            first: unescape(first),
            second: unescape(second),
        },
        "escalated" => escalated(first, second)?,
        "reopened" => reopened(first, second)?,
        _ => return Err("its word is none of done, failed, escalated, reopened".into()),
    };
    Ok(DecisionLine {
        row,
        says,
        text: Foreign::from(line),
        line: at,
    })
}

fn escalated(first: &str, second: &str) -> Result<DecisionSays, String> {
    let allowance = second.strip_prefix("allowed attempts ").and_then(ordinal);
    match allowance {
        Some(allowance) if first == "implModel round" => Ok(DecisionSays::Escalated { allowance }),
        _ => Err("it does not read `| implModel round | allowed attempts N`".into()),
    }
}

fn reopened(first: &str, second: &str) -> Result<DecisionSays, String> {
    let (ids, why) = first
        .strip_prefix("review: ")
        .and_then(|rest| rest.split_once(" - "))
        .ok_or("its first slot does not read `review: IDS - WHY`")?;
    let (ids, unread) = id_list(ids);
    if ids.is_empty() || !unread.is_empty() {
        return Err("its first slot names something that is no id".into());
    }
    Ok(DecisionSays::Reopened {
        ids,
        why: unescape(why),
        reviewer: unescape(second),
    })
}

/// Ids separated by commas, slashes, pluses or blanks, and what among them is no id. A trailing
/// `+N more` is what [`slot`]-bounded lists end with and counts as nothing.
#[must_use]
pub fn id_list(text: &str) -> (Vec<FindingId>, Vec<String>) {
    let text =
        text.split_once(" +").map_or(
            text,
            |(list, more)| if more.ends_with(" more") { list } else { text },
        );
    let words = text.split([',', '/', '+', ' ']).filter(|w| !w.is_empty());
    let (mut ids, mut unread) = (Vec::new(), Vec::new());
    for word in words {
        match FindingId::parse(word) {
            Some(id) => ids.push(id),
            None => unread.push(word.to_owned()),
        }
    }
    (ids, unread)
}

/// Reads the tuple `<row> | gatekeep | <HEAD_BEFORE>`.
///
/// # Errors
/// What is wrong with it, as a fragment.
pub fn pending(text: &str) -> Result<Pending, String> {
    let parts: Vec<&str> = text.split('|').map(str::trim).collect();
    let [row, leg, head] = parts[..] else {
        return Err("it does not read `ROW | gatekeep | HEAD`".into());
    };
    if leg != "gatekeep" {
        return Err("its leg is not gatekeep".into());
    }
    let row = ordinal(row).ok_or("its row is no ordinal")?;
    let head_before = Oid::parse(head).ok_or("its head is no commit id of 40 hex digits")?;
    Ok(Pending { row, head_before })
}

/// The tuple as it is written.
#[must_use]
pub fn pending_text(pending: Pending) -> String {
    format!("{} | gatekeep | {}", pending.row, pending.head_before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_bars_stay_in_their_cell() {
        assert_eq!(split(r"a \| b | c"), [r"a \| b ", " c"]);
        assert_eq!(split(r"a \\| b"), [r"a \\", " b"]);
        assert_eq!(cells(r"| 1 | x \| y |"), Some(vec!["1", r"x \| y"]));
        assert_eq!(cells("| 1 | x"), None);
        assert_eq!(cells("1 | x |"), None);
        assert!(is_rule("|---|:-:|"));
        assert!(!is_rule("| a |---|"));
    }

    #[test]
    fn whatever_is_escaped_stays_one_slot_and_reads_back() {
        for text in ["a|b", r"a\|b", r"ends in \", "two\nlines", "|", r"\\|"] {
            let line = format!("row 1 done | {} | x", slot(text));
            let read = decision(&line, 0);
            assert!(read.is_ok(), "{text:?}: {line:?}: {read:?}");
        }
        let long = format!("{}{}", "é".repeat(198), "|".repeat(9));
        let line = format!("row 1 done | {} | x", slot(&long));
        assert!(decision(&line, 0).is_ok(), "{line}");
    }

    #[test]
    fn long_lists_of_ids_end_in_a_count() {
        let (ids, unread) = id_list("P1, L2/P3 +4 more");
        let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
        assert_eq!((ids.join(" ").as_str(), unread.len()), ("P1 L2 P3", 0));
        assert_eq!(id_list("P1 x").1, ["x"]);
    }
}
