//! The lines that are looked at first: those around a file's first hunks. They go out with the
//! hunks, so that a person reads them one round trip earlier.

use super::child::plain;
use super::wire::WireRun;
use crate::adapters::git::lines::Text;

/// Unchanged lines on each side of a hunk, as a diff opens.
const CONTEXT: u32 = 3;
/// Most lines that go along, and about how many bytes of them.
const LINES: u32 = 128;
const BYTES: usize = 32 << 10;

/// Runs of lines from the first hunk on, until there are enough: what was there before, and what
/// stands there now with the unchanged lines around it.
#[must_use]
pub(super) fn first(
    hunks: &[(u32, u32, u32, u32)],
    base: Option<&Text>,
    head: Option<&Text>,
) -> Vec<WireRun> {
    let mut runs: Vec<WireRun> = Vec::new();
    let (mut lines, mut bytes) = (0, 0);
    let mut next_head = 0;
    for (from_old, to_old, from_new, to_new) in hunks {
        let around =
            from_new.saturating_sub(CONTEXT).max(next_head)..to_new.saturating_add(CONTEXT);
        for (is_head, text, range) in [(false, base, *from_old..*to_old), (true, head, around)] {
            let Some(text) = text else { continue };
            let end = range.end.min(range.start.saturating_add(LINES - lines));
            let mut run = WireRun {
                head: is_head,
                from: range.start,
                lines: Vec::new(),
            };
            for line in text.range(range.start..end) {
                if bytes + line.bytes.len() > BYTES {
                    lines = LINES;
                    break;
                }
                bytes += line.bytes.len();
                lines += 1;
                run.lines.push(plain(line, Vec::new()));
            }
            if is_head {
                next_head = end;
            }
            if !run.lines.is_empty() {
                runs.push(run);
            }
            if lines >= LINES {
                return runs;
            }
        }
    }
    runs
}
