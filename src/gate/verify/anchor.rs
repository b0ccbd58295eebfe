//! Where lines went between two versions of a file, and how near a change came to them.
//! `tests/truth/anchors.md` is the table.

use crate::model::change::Hunk;

/// Lines around a hunk that count as beside it, as a diff shows them.
const CONTEXT: u32 = 3;

/// What became of some lines. All lines are 1-based, first and last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Went {
    /// They are unchanged, and now stand here.
    Kept(u32, u32),
    /// At least one of them changed; this stands in their place.
    Changed(u32, u32),
    /// They were removed, and nothing stands in their place.
    Removed,
}

/// How near a change came to some lines.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Near {
    /// Nothing changed.
    Nowhere,
    /// The file changed elsewhere.
    Elsewhere,
    /// Lines beside them changed.
    Beside,
    /// One of them changed.
    OnIt,
}

/// Follows lines through hunks in file order.
#[must_use]
pub fn follow(hunks: &[Hunk], first: u32, last: u32) -> Went {
    let (start, end) = (first.saturating_sub(1), last.max(first));
    let mut shift = 0i64;
    let mut place: Option<(u32, u32)> = None;
    let mut touched = false;
    // what stands at head for the unchanged lines of the range, first and last
    let moved = |line: u32, shift: i64| u32::try_from(i64::from(line) + shift).unwrap_or(0);
    let grow = |place: Option<(u32, u32)>, from: u32, to: u32| match place {
        Some((a, b)) => Some((a.min(from), b.max(to))),
        None => Some((from, to)),
    };
    let mut at = start;
    for hunk in hunks {
        if hunk.before.start >= end {
            break;
        }
        let (length, now) = (
            i64::from(hunk.before.end) - i64::from(hunk.before.start),
            i64::from(hunk.after.end) - i64::from(hunk.after.start),
        );
        let inside = hits(hunk, start, end);
        if inside {
            touched = true;
            if at < hunk.before.start {
                place = grow(place, moved(at, shift), moved(hunk.before.start, shift));
            }
            if hunk.after.start < hunk.after.end {
                place = grow(place, hunk.after.start, hunk.after.end);
            }
            at = at.max(hunk.before.end);
        }
        shift += now - length;
    }
    if at < end {
        place = grow(place, moved(at, shift), moved(end, shift));
    }
    match place {
        Some((from, to)) if touched => Went::Changed(from + 1, to),
        Some((from, to)) => Went::Kept(from + 1, to),
        None => Went::Removed,
    }
}

/// Whether a hunk changes one of the lines `start..end` (0-based). What is only inserted at an
/// edge of them changes none.
fn hits(hunk: &Hunk, start: u32, end: u32) -> bool {
    if hunk.before.is_empty() {
        start < hunk.before.start && hunk.before.start < end
    } else {
        hunk.before.start < end && start < hunk.before.end
    }
}

/// How near the hunks come to lines of the older version.
#[must_use]
pub fn near(hunks: &[Hunk], first: u32, last: u32) -> Near {
    let (start, end) = (first.saturating_sub(1), last.max(first));
    hunks
        .iter()
        .map(|hunk| {
            if hits(hunk, start, end) {
                Near::OnIt
            } else if hunk.before.start < end.saturating_add(CONTEXT)
                && start < hunk.before.end.saturating_add(CONTEXT)
            {
                Near::Beside
            } else {
                Near::Elsewhere
            }
        })
        .max()
        .unwrap_or(Near::Nowhere)
}
