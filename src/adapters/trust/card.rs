//! What a person must see of an oracle before it can be approved, and what can never be approved.

use crate::model::contract::Contract;
use crate::model::id::Digest;
use crate::model::text::{Foreign, Place, is_hidden};

/// Most bytes of a CHECK that can be approved (RUN-6).
pub const CHECK_BYTES: usize = 8 << 10;

/// Why a CHECK can never be approved: text that a person could not have read (RUN-6). A
/// lower-case fragment.
#[must_use]
pub fn refusal(check: &Foreign) -> Option<String> {
    let bytes = check.raw().len();
    if bytes > CHECK_BYTES {
        return Some(format!(
            "the command has {bytes} bytes, at most {CHECK_BYTES} can be approved"
        ));
    }
    let Some(text) = check.raw_str() else {
        return Some("the command is not UTF-8".into());
    };
    let hidden = text
        .char_indices()
        .find(|(_, c)| is_hidden(*c) || (c.is_whitespace() && *c != ' '));
    hidden.map(|(at, character)| {
        format!(
            "the command holds a hidden character at byte {at}: U+{:04X}",
            u32::from(character)
        )
    })
}

/// SHA-256 of a contract with the values of its EVIDENCE slots left out: `floor run` writes them
/// itself, and that must not take back the approvals it ran on.
#[must_use]
pub fn contract_without_evidence(contract: &Contract, bytes: &[u8]) -> Digest {
    let mut kept = Vec::with_capacity(bytes.len());
    let mut from = 0;
    let slots = contract.criteria.iter().filter_map(|c| c.evidence.as_ref());
    let mut spans: Vec<_> = slots.map(|slot| slot.span.clone()).collect();
    spans.sort_by_key(|span| span.start);
    for span in spans {
        if let Some(part) = bytes.get(from..span.start) {
            kept.extend_from_slice(part);
            from = span.end;
        }
    }
    kept.extend_from_slice(bytes.get(from..).unwrap_or_default());
    Digest::of(&kept)
}

/// The whole command, wrapped to `width` columns, each row with the byte it begins at; never cut.
/// Runs of six and more blanks are shown as their count, so that nothing can hide behind them.
#[must_use]
pub fn wrapped(check: &Foreign, width: usize) -> Vec<(usize, String)> {
    let width = width.max(8);
    let mut rows = Vec::new();
    let (mut row, mut columns, mut start) = (String::new(), 0, 0);
    let mut put = |at: usize, piece: &str| {
        let wide = unicode_width::UnicodeWidthStr::width(piece);
        if columns + wide > width && columns > 0 {
            rows.push((start, std::mem::take(&mut row)));
            (columns, start) = (0, at);
        }
        row.push_str(piece);
        columns += wide;
    };
    let bytes = check.raw();
    let mut at = 0;
    while at < bytes.len() {
        let blanks = bytes.iter().skip(at).take_while(|b| **b == b' ').count();
        if blanks >= 6 {
            put(at, &format!("<{blanks} blanks>"));
            at += blanks;
            continue;
        }
        let length = bytes
            .get(at..)
            .and_then(|rest| rest.utf8_chunks().next())
            .and_then(|chunk| chunk.valid().chars().next())
            .map_or(1, char::len_utf8);
        let piece = Foreign::new(bytes.get(at..at + length).unwrap_or_default());
        put(at, &piece.shown(Place::Strict).plain());
        at += length;
    }
    if !row.is_empty() || rows.is_empty() {
        rows.push((start, row));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_can_read_cannot_be_approved() {
        let long = "a".repeat(CHECK_BYTES + 1);
        let refused = [
            "a\rb",
            "a\u{8}b",
            "a\u{1b}[1mb",
            "a\u{202e}b",
            "a\u{200b}b",
            "a\u{a0}b",
            "a\u{2003}b",
            "a\u{e0041}b",
            "a\0b",
            "a\tb",
            "a\nb",
            long.as_str(),
        ];
        for check in refused {
            assert!(refusal(&Foreign::from(check)).is_some(), "{check:?}");
        }
        assert!(refusal(&Foreign::new(b"a\xffb".to_vec())).is_some());
        for check in ["cargo test && echo ok", "grep -q 'größe' a", "[[ a = b ]]"] {
            assert_eq!(refusal(&Foreign::from(check)), None, "{check:?}");
        }
    }

    #[test]
    fn the_whole_command_is_shown_with_its_offsets() {
        let check = format!("echo ok{}; payload größe", " ".repeat(5000));
        let rows = wrapped(&Foreign::from(check.as_str()), 20);
        let text: String = rows.iter().map(|(_, row)| row.as_str()).collect();
        assert_eq!(text, "echo ok<5000 blanks>; payload größe");
        for (at, row) in &rows {
            let shown: String = row.chars().take(1).collect();
            let there = check.get(*at..).and_then(|rest| rest.chars().next());
            assert!(
                shown.starts_with('<') || there == shown.chars().next(),
                "{at} {row}"
            );
        }
    }
}
