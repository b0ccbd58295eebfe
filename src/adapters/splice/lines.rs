//! What an edit changes, line by line, and whether two versions differ in nothing but the EVIDENCE
//! slots.

use std::time::{Duration, Instant};

use similar::{Algorithm, DiffTag, capture_diff_slices_deadline};

use super::super::contract::read;
use crate::model::id::RepoPath;
use crate::model::text::Foreign;

/// How long a comparison may take before it says less than it could, never less than is true.
const PATIENCE: Duration = Duration::from_millis(500);

/// A line that was taken (`-`) or brought (`+`), its number from 1, and its bytes.
pub type Changed = (char, u32, Foreign);

/// The lines that differ, in the order of the file.
#[must_use]
pub fn changed(before: &[u8], after: &[u8]) -> Vec<Changed> {
    let (old, new) = (cut(before), cut(after));
    let deadline = Some(Instant::now() + PATIENCE);
    let ops = capture_diff_slices_deadline(Algorithm::Myers, &old, &new, deadline);
    let mut out = Vec::new();
    for op in ops.iter().filter(|op| op.tag() != DiffTag::Equal) {
        let mut side = |sign: char, lines: &[&[u8]], range: std::ops::Range<usize>| {
            let numbered = (range.start + 1..).zip(lines.get(range).unwrap_or_default());
            out.extend(numbered.map(|(at, line)| {
                let at = u32::try_from(at).unwrap_or(u32::MAX);
                (sign, at, Foreign::new(line.to_vec()))
            }));
        };
        side('-', &old, op.old_range());
        side('+', &new, op.new_range());
    }
    out
}

/// Lines with their line ends taken off; a file that ends in one has no line after it.
fn cut(bytes: &[u8]) -> Vec<&[u8]> {
    let mut lines: Vec<&[u8]> = bytes.split(|b| *b == b'\n').collect();
    if lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    lines
}

/// Whether two versions of a contract differ in nothing but what stands in EVIDENCE slots, byte
/// for byte (choices.md, Evidence). A version with errors has no slots to speak of.
#[must_use]
pub fn only_slots(path: &RepoPath, one: &[u8], other: &[u8]) -> bool {
    one == other || matches!((blank(path, one), blank(path, other)), (Some(a), Some(b)) if a == b)
}

/// The bytes without what stands in the slots and without the blanks before it.
fn blank(path: &RepoPath, bytes: &[u8]) -> Option<Vec<u8>> {
    let contract = read(path, bytes, None);
    if contract.errors().next().is_some() {
        return None;
    }
    let slots = contract.criteria.iter().filter_map(|c| c.evidence.as_ref());
    let mut spans: Vec<_> = slots.map(|slot| slot.span.clone()).collect();
    spans.sort_by_key(|span| span.start);
    let mut out = Vec::with_capacity(bytes.len());
    let mut from = 0;
    for span in spans {
        let kept = bytes.get(from..span.start)?;
        let ends = kept.iter().rposition(|b| !matches!(b, b' ' | b'\t'));
        out.extend_from_slice(kept.get(..ends.map_or(0, |at| at + 1))?);
        from = span.end;
    }
    out.extend_from_slice(bytes.get(from..)?);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONTRACT: &str = "# CONTRACT — ferry\n\n## ACCEPTANCE CRITERIA\n\n1. it sails\n   CHECK: sh a.sh\n   \
        EXPECT: ok\n   EVIDENCE: pending\n2. it lands\n   CHECK: sh b.sh\n   EXPECT: ok\n   \
        EVIDENCE: pending\n";

    fn path() -> RepoPath {
        ".claude/tasks/contracts/2026-10-12-ferry.md".into()
    }

    #[test]
    fn lines_far_apart_are_named_without_what_lies_between() {
        let after = CONTRACT.replacen("pending", "one", 1);
        let at = after.rfind("pending").unwrap_or_default();
        let after = format!("{}two\n", &after[..at]);
        let said: Vec<(char, u32)> = changed(CONTRACT.as_bytes(), after.as_bytes())
            .iter()
            .map(|(sign, line, _)| (*sign, *line))
            .collect();
        assert_eq!(said, [('-', 8), ('+', 8), ('-', 12), ('+', 12)]);
    }

    #[test]
    fn slots_alone_are_told_from_everything_else() {
        let only = |after: &str| only_slots(&path(), CONTRACT.as_bytes(), after.as_bytes());
        assert!(only(CONTRACT));
        assert!(only(
            &CONTRACT.replace("EVIDENCE: pending", "EVIDENCE: MET exit=0")
        ));
        assert!(only(&CONTRACT.replacen(
            "EVIDENCE: pending",
            "EVIDENCE:",
            1
        )));
        assert!(!only(&CONTRACT.replacen("a.sh", "true", 1)));
        assert!(!only(&format!("{CONTRACT}ABANDON: 1 no such boat\n")));
        assert!(!only(&CONTRACT.replacen("EVIDENCE: pending\n", "", 1)));
    }
}
