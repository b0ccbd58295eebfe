//! Small readers of text that several parts of the menu gate share.

/// The positive decimal number at the start, without sign and leading zero, and what follows it.
pub(super) fn after_number(text: &str) -> Option<(u32, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let number = positive(text.get(..digits)?)?;
    Some((number, text.get(digits..)?))
}

/// A positive decimal number without sign and leading zero, of at most nine digits.
pub(super) fn positive(text: &str) -> Option<u32> {
    let fits = (1..=9).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    (fits && !text.starts_with('0')).then(|| text.parse().ok())?
}

/// One code fence.
#[derive(Clone, Copy)]
struct Fence {
    mark: char,
    length: usize,
}

/// Which lines of a text belong to a fence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::gate) enum Fenced {
    /// No part of one.
    Outside,
    /// Its first or last line.
    Edge,
    /// Between them.
    Inside,
}

/// Says of each line whether it is in a CommonMark fence; one that is never closed runs to the
/// end.
pub(in crate::gate) fn fences(lines: &[&str]) -> Vec<Fenced> {
    let mut open: Option<Fence> = None;
    lines
        .iter()
        .map(|line| match (open, fence_of(line)) {
            (None, Some((fence, _))) => {
                open = Some(fence);
                Fenced::Edge
            }
            (None, None) => Fenced::Outside,
            (Some(fence), Some((other, bare)))
                if bare && other.mark == fence.mark && other.length >= fence.length =>
            {
                open = None;
                Fenced::Edge
            }
            (Some(_), _) => Fenced::Inside,
        })
        .collect()
}

/// The fence that a line opens or closes, and whether nothing stands behind it.
fn fence_of(line: &str) -> Option<(Fence, bool)> {
    let text = line.trim_start_matches(' ');
    if line.len() - text.len() > 3 {
        return None;
    }
    let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = text.chars().take_while(|c| *c == mark).count();
    let rest = text.get(length..)?;
    let opens = length >= 3 && !(mark == '`' && rest.contains('`'));
    opens.then_some((Fence { mark, length }, rest.trim().is_empty()))
}

/// The lines of a text: split at LF, without a CR before it, without an empty last one.
pub(in crate::gate) fn lines(text: &str) -> Vec<&str> {
    let body = text.strip_suffix('\n').unwrap_or(text);
    body.split('\n')
        .map(|line| line.strip_suffix('\r').unwrap_or(line))
        .collect()
}

/// The same text for comparing names: one blank between words, ASCII lower case, no full stop.
pub(super) fn plain(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    text.strip_suffix('.').unwrap_or(&text).to_ascii_lowercase()
}

/// Whether `word` stands in `text` with no letter, digit or `-` beside it.
pub(super) fn names(text: &str, word: &str) -> bool {
    let joins = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    !word.is_empty()
        && text.match_indices(word).any(|(at, _)| {
            let before = text.get(..at).and_then(|t| t.chars().next_back());
            let after = text.get(at + word.len()..).and_then(|t| t.chars().next());
            !before.is_some_and(joins) && !after.is_some_and(joins)
        })
}
