//! Which lines differ: what `git diff --histogram` says, or Myers for large files, or libgit2's
//! xdiff when those take too long (mechanisms 2).

use imara_diff::{Algorithm, Diff, InternedInput, sources::byte_lines};

use crate::model::change::{Counts, FileHunks, Hunk, HunkMethod};

/// Most lines of both sides together for histogram; above, Myers.
pub const HISTOGRAM_LINES: usize = 40_000;

/// How to compute.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub enum Effort {
    /// Histogram or Myers, by size.
    Best,
    /// xdiff, which has git's limits on cost.
    Cheap,
    /// Everything removed, everything added: always works.
    Whole,
}

/// The hunks between two texts.
///
/// xdiff that fails (it has a limit on sizes) becomes `Whole`.
#[must_use]
pub fn hunks(old: &[u8], new: &[u8], effort: Effort) -> FileHunks {
    match effort {
        Effort::Best => best(old, new),
        Effort::Cheap => cheap(old, new).unwrap_or_else(|| whole(old, new)),
        Effort::Whole => whole(old, new),
    }
}

fn best(old: &[u8], new: &[u8]) -> FileHunks {
    let input = InternedInput::new(byte_lines(old), byte_lines(new));
    let large = input.before.len() + input.after.len() > HISTOGRAM_LINES;
    let (algorithm, method) = if large {
        (Algorithm::Myers, HunkMethod::Myers)
    } else {
        (Algorithm::Histogram, HunkMethod::Histogram)
    };
    let mut diff = Diff::compute(algorithm, &input);
    diff.postprocess_lines(&input);
    let hunks = diff.hunks().map(|h| Hunk {
        before: h.before,
        after: h.after,
    });
    FileHunks {
        hunks: hunks.collect(),
        before_lines: number(input.before.len()),
        after_lines: number(input.after.len()),
        method,
    }
}

fn cheap(old: &[u8], new: &[u8]) -> Option<FileHunks> {
    let mut options = git2::DiffOptions::new();
    options
        .context_lines(0)
        .indent_heuristic(true)
        .force_text(true);
    let patch = git2::Patch::from_buffers(old, None, new, None, Some(&mut options)).ok()?;
    let mut hunks = Vec::with_capacity(patch.num_hunks());
    for at in 0..patch.num_hunks() {
        let (hunk, _) = patch.hunk(at).ok()?;
        hunks.push(Hunk {
            before: range(hunk.old_start(), hunk.old_lines()),
            after: range(hunk.new_start(), hunk.new_lines()),
        });
    }
    Some(FileHunks {
        hunks,
        before_lines: count(old),
        after_lines: count(new),
        method: HunkMethod::Xdiff,
    })
}

/// A 1-based start and a length, where an empty run names the line before it.
fn range(start: u32, lines: u32) -> std::ops::Range<u32> {
    let start = if lines == 0 {
        start
    } else {
        start.saturating_sub(1)
    };
    start..start.saturating_add(lines)
}

fn whole(old: &[u8], new: &[u8]) -> FileHunks {
    let (before, after) = (count(old), count(new));
    FileHunks {
        hunks: vec![Hunk {
            before: 0..before,
            after: 0..after,
        }],
        before_lines: before,
        after_lines: after,
        method: HunkMethod::Whole,
    }
}

fn number(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// Lines of a text; a last one without LF counts.
#[must_use]
pub fn count(text: &[u8]) -> u32 {
    let ends = memchr::memchr_iter(b'\n', text).count();
    let open = !text.is_empty() && !text.ends_with(b"\n");
    number(ends + usize::from(open))
}

/// Lines added and removed by hunks.
#[must_use]
pub fn counts(hunks: &FileHunks) -> Counts {
    let mut counts = Counts::default();
    for hunk in &hunks.hunks {
        counts.removed = counts
            .removed
            .saturating_add(hunk.before.end - hunk.before.start);
        counts.added = counts
            .added
            .saturating_add(hunk.after.end - hunk.after.start);
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(old: &str, new: &str, effort: Effort) -> String {
        let found = hunks(old.as_bytes(), new.as_bytes(), effort);
        let (left, right): (Vec<_>, Vec<_>) = (
            old.split_inclusive('\n').collect(),
            new.split_inclusive('\n').collect(),
        );
        assert_eq!(found.before_lines as usize, left.len());
        assert_eq!(found.after_lines as usize, right.len());
        let (mut out, mut at) = (String::new(), 0);
        for hunk in &found.hunks {
            out.extend(left[at..hunk.before.start as usize].iter().copied());
            out.extend(
                right[hunk.after.start as usize..hunk.after.end as usize]
                    .iter()
                    .copied(),
            );
            at = hunk.before.end as usize;
        }
        out.extend(left[at..].iter().copied());
        out
    }

    #[test]
    fn hunks_of_every_effort_turn_old_into_new() {
        let rows = [
            ("", "a\n"),
            ("a\n", ""),
            ("a\nb\nc\n", "a\nx\nc\n"),
            ("a\nb", "a\nb\n"),
            ("a\r\nb\r\n", "a\nb\n"),
            ("a\nb\nc\nd\n", "z\na\nb\nd\ne\n"),
        ];
        for (old, new) in rows {
            for effort in [Effort::Best, Effort::Cheap, Effort::Whole] {
                assert_eq!(
                    applied(old, new, effort),
                    new,
                    "{old:?} -> {new:?} {effort:?}"
                );
            }
        }
    }

    #[test]
    fn large_files_take_myers() {
        let old = "a\n".repeat(HISTOGRAM_LINES);
        assert_eq!(best(old.as_bytes(), b"b\n").method, HunkMethod::Myers);
        assert_eq!(best(b"a\n", b"b\n").method, HunkMethod::Histogram);
    }
}
