//! A file as lines, with what Markdown hides marked as hidden.
//!
//! Lines end at LF; a CR before it is part of the line end, not of the text. Fences follow
//! CommonMark (backticks and tildes, up to three blanks before them, a closing run at least as
//! long), and so do HTML comments at the start of a line. Nothing is decoded or normalised here:
//! every line keeps its byte range.

use std::borrow::Cow;

use super::complaints::Complaints;

/// One line.
#[derive(Clone, Debug)]
pub(super) struct Line<'a> {
    /// 1-based number.
    pub no: u32,
    /// Offset of its first byte.
    pub start: usize,
    /// Offset just after its last byte, line end left out.
    pub end: usize,
    /// Offset of the next line.
    pub next: usize,
    /// Its bytes, line end left out.
    pub raw: &'a [u8],
    /// Its text; bytes that are not UTF-8 are replaced, so use it for grammar only. Offsets into
    /// it are offsets into `raw` as long as everything before is ASCII.
    pub text: Cow<'a, str>,
    /// Whether it is hidden.
    pub veil: Veil,
}

/// What hides a line from the grammar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Veil {
    /// Nothing.
    Open,
    /// A fenced block, its fences included.
    Fence,
    /// An HTML comment.
    Comment,
    /// YAML front matter.
    Front,
}

impl Line<'_> {
    /// Whether it holds nothing but blanks.
    pub(super) fn is_blank(&self) -> bool {
        self.raw.iter().all(u8::is_ascii_whitespace)
    }

    /// The columns of blanks before its first other byte; a tab goes to the next multiple of 4.
    pub(super) fn indent(&self) -> usize {
        indent(self.raw)
    }

    /// How many bytes of blanks stand before its first other byte.
    pub(super) fn lead(&self) -> usize {
        lead(self.raw)
    }

    /// The text without blanks at both ends.
    pub(super) fn trimmed(&self) -> &str {
        self.text.trim_matches([' ', '\t', '\r'])
    }
}

fn lead(raw: &[u8]) -> usize {
    raw.iter()
        .take_while(|b| matches!(**b, b' ' | b'\t'))
        .count()
}

fn indent(raw: &[u8]) -> usize {
    raw.iter()
        .take_while(|b| matches!(**b, b' ' | b'\t'))
        .fold(0, |column, byte| {
            if *byte == b'\t' {
                column / 4 * 4 + 4
            } else {
                column + 1
            }
        })
}

/// The length of a list marker with the blank after it, at the start of `rest`.
pub(super) fn list_marker(rest: &[u8]) -> Option<usize> {
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    let marker = match rest.get(digits) {
        Some(b'-' | b'*' | b'+') if digits == 0 => 1,
        Some(b'.' | b')') if (1..=9).contains(&digits) => digits + 1,
        _ => return None,
    };
    match rest.get(marker) {
        None => Some(marker),
        Some(b' ' | b'\t') => Some(marker + 1),
        Some(_) => None,
    }
}

#[derive(Clone, Copy)]
enum Inside {
    Nothing,
    Fence {
        with: u8,
        run: usize,
        opened: u32,
        item: usize,
        told: bool,
    },
    Comment {
        opened: u32,
    },
}

/// Splits the bytes into lines and marks what is hidden; an unclosed fence or comment is an
/// error, because it would silently swallow the rest (G4).
pub(super) fn split<'a>(bytes: &'a [u8], complaints: &mut Complaints) -> Vec<Line<'a>> {
    let mut lines = cut(bytes);
    let from = front_matter(&mut lines);
    let mut inside = Inside::Nothing;
    let mut item = 0;
    for line in lines.iter_mut().skip(from) {
        inside = step(line, inside, &mut item, complaints);
    }
    match inside {
        Inside::Nothing => {}
        Inside::Fence { opened, .. } => complaints.error(
            "unclosed-fence",
            opened,
            "the fence that opens here is never closed and hides the rest of the file",
            "close the fence",
        ),
        Inside::Comment { opened } => complaints.error(
            "unclosed-comment",
            opened,
            "the comment that opens here is never closed and hides the rest of the file",
            "close the comment with -->",
        ),
    }
    lines
}

fn cut(bytes: &[u8]) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    let mut start = if bytes.starts_with(b"\xef\xbb\xbf") {
        3
    } else {
        0
    };
    let mut no = 0;
    while start < bytes.len() {
        let rest = bytes.get(start..).unwrap_or_default();
        let (length, next) = match memchr::memchr(b'\n', rest) {
            Some(at) => (at, start + at + 1),
            None => (rest.len(), bytes.len()),
        };
        let raw = rest.get(..length).unwrap_or_default();
        let raw = match raw.strip_suffix(b"\r") {
            Some(shorter) if next > start + length => shorter,
            _ => raw,
        };
        no += 1;
        lines.push(Line {
            no,
            start,
            end: start + raw.len(),
            next,
            raw,
            text: String::from_utf8_lossy(raw),
            veil: Veil::Open,
        });
        start = next;
    }
    lines
}

fn front_matter(lines: &mut [Line<'_>]) -> usize {
    if lines.first().is_none_or(|line| line.raw != b"---") {
        return 0;
    }
    let Some(last) = lines
        .iter()
        .skip(1)
        .position(|line| matches!(line.raw, b"---" | b"..."))
    else {
        return 0;
    };
    let count = last + 2;
    for line in lines.iter_mut().take(count) {
        line.veil = Veil::Front;
    }
    count
}

fn step(
    line: &mut Line<'_>,
    inside: Inside,
    item: &mut usize,
    complaints: &mut Complaints,
) -> Inside {
    match inside {
        Inside::Fence {
            with,
            run,
            opened,
            item: within,
            told,
        } => {
            line.veil = Veil::Fence;
            if closes(line.raw, with, run, within) {
                return Inside::Nothing;
            }
            let swallows = !told && within > 0 && line.indent() == 0 && numbered(line.raw);
            if swallows {
                complaints.error(
                    "fence-swallows",
                    line.no,
                    &format!(
                        "the fence of line {opened} belongs to an item, but hides this line \
                         outside of it"
                    ),
                    "close the fence inside its item",
                );
            }
            Inside::Fence {
                with,
                run,
                opened,
                item: within,
                told: told || swallows,
            }
        }
        Inside::Comment { opened } => {
            line.veil = Veil::Comment;
            if line.text.contains("-->") {
                Inside::Nothing
            } else {
                Inside::Comment { opened }
            }
        }
        Inside::Nothing => open(line, item),
    }
}

fn open(line: &mut Line<'_>, item: &mut usize) -> Inside {
    if line.is_blank() {
        return Inside::Nothing;
    }
    let mut at = line.lead();
    let columns = line.indent();
    let mut marker = false;
    if columns < *item {
        *item = 0;
    }
    while let Some(length) = line.raw.get(at..).and_then(list_marker)
        && (marker || columns <= *item + 3)
    {
        at += length;
        at += line.raw.get(at..).map_or(0, lead);
        *item = at;
        marker = true;
    }
    let rest = line.raw.get(at..).unwrap_or_default();
    let near = marker || columns <= *item + 3;
    if near && let Some((with, run)) = opens_fence(rest) {
        if !marker {
            line.veil = Veil::Fence;
        }
        return Inside::Fence {
            with,
            run,
            opened: line.no,
            item: *item,
            told: false,
        };
    }
    if near && rest.starts_with(b"<!--") {
        if !marker {
            line.veil = Veil::Comment;
        }
        let body = rest.get(4..).unwrap_or_default();
        if memchr::memmem::find(body, b"-->").is_none() {
            return Inside::Comment { opened: line.no };
        }
    }
    Inside::Nothing
}

fn opens_fence(rest: &[u8]) -> Option<(u8, usize)> {
    let with = *rest.first()?;
    if !matches!(with, b'`' | b'~') {
        return None;
    }
    let run = rest.iter().take_while(|b| **b == with).count();
    let info = rest.get(run..)?;
    (run >= 3 && (with == b'~' || !info.contains(&b'`'))).then_some((with, run))
}

fn closes(raw: &[u8], with: u8, run: usize, item: usize) -> bool {
    let rest = raw.get(lead(raw)..).unwrap_or_default();
    let count = rest.iter().take_while(|b| **b == with).count();
    let after = rest.get(count..).unwrap_or_default();
    indent(raw) <= item + 3 && count >= run && after.iter().all(u8::is_ascii_whitespace)
}

fn numbered(raw: &[u8]) -> bool {
    let digits = raw.iter().take_while(|b| b.is_ascii_digit()).count();
    (digits > 0 && raw.get(digits) == Some(&b'.'))
        || raw.starts_with(b"- [")
        || raw.starts_with(b"ABANDON:")
        || raw.starts_with(b"## ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn veils(text: &str) -> (String, Vec<&'static str>) {
        let mut complaints = Complaints::default();
        let lines = split(text.as_bytes(), &mut complaints);
        let marks = lines
            .iter()
            .map(|line| match line.veil {
                Veil::Open => '.',
                Veil::Fence => 'f',
                Veil::Comment => 'c',
                Veil::Front => 'y',
            })
            .collect();
        let codes = complaints.done().iter().map(|c| c.code).collect();
        (marks, codes)
    }

    #[test]
    fn fences_and_comments_hide_lines() {
        let rows: [(&str, &str, &[&str]); 17] = [
            ("a\n```\nb\n```\nc", ".fff.", &[]),
            ("a\n   ```\nb\n  ```\nc", ".fff.", &[]),
            ("a\n    ```\nb\n    ```\nc", ".....", &[]),
            ("~~~\n```\n~~~\nc", "fff.", &[]),
            ("````\n```\n````\nc", "fff.", &[]),
            ("```\n````\nc", "ff.", &[]),
            ("``` a`b\nc", "..", &[]),
            ("```\n``` x\n```\nc", "fff.", &[]),
            ("1. a\n   ```\n   b\n   ```\n2. c", ".fff.", &[]),
            ("10. a\n    ```\n    b\n    ```\n11. c", ".fff.", &[]),
            ("<!-- a -->\nb", "c.", &[]),
            ("<!--\na\n-->\nb", "ccc.", &[]),
            ("a <!-- b\nc", "..", &[]),
            ("---\na: 1\n---\nb", "yyy.", &[]),
            ("```\na", "ff", &["unclosed-fence"]),
            ("<!--\na", "cc", &["unclosed-comment"]),
            (
                "1. a\n   ```\n2. b\n   ```\n3. c",
                ".fff.",
                &["fence-swallows"],
            ),
        ];
        for (text, wanted, codes) in rows {
            assert_eq!(veils(text), (wanted.into(), codes.to_vec()), "{text:?}");
        }
    }

    #[test]
    fn lines_keep_their_bytes() {
        let bytes = b"\xef\xbb\xbfa\r\nb\xff\rc\nd\r";
        let lines = split(bytes, &mut Complaints::default());
        let parts: Vec<_> = lines.iter().map(|l| (l.start, l.end, l.next)).collect();
        assert_eq!(parts, [(3, 4, 6), (6, 10, 11), (11, 13, 13)]);
    }
}
