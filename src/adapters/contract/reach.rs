//! Where acceptance sections begin and end, for the generic readers.

use super::labels::{self, Means};
use super::lines::{Line, Veil, list_marker};

/// Whether the line is a task item.
pub(super) fn is_task(line: &Line<'_>) -> bool {
    let rest = line.raw.get(line.lead()..).unwrap_or_default();
    list_marker(rest).is_some_and(|at| {
        let rest = rest.get(at..).unwrap_or_default().trim_ascii_start();
        matches!(rest, [b'[', b' ' | b'x' | b'X', b']', b' ' | b'\t', ..])
    })
}

/// Whether the file has an acceptance section, and a task item in one.
pub(super) fn present(lines: &[Line<'_>]) -> (bool, bool) {
    let mut reach = Reach::default();
    let mut any = false;
    let mut task = false;
    for (at, line) in lines.iter().enumerate() {
        let step = reach.step(line, lines.get(at + 1));
        any |= step == Step::Opens;
        task |= step == Step::Inside && is_task(line);
    }
    (any, task)
}

/// What a line is for the section it may stand in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// The heading itself.
    Opens,
    /// A line of the section.
    Inside,
    /// A deeper heading of the section.
    Sub,
    /// Not part of any.
    Outside,
    /// A heading that only reads like one.
    Near,
}

/// The section that is open, by the level of its heading: 1 to 6, 7 for a bold label.
#[derive(Default)]
pub(super) struct Reach {
    level: Option<usize>,
    underline: bool,
}

impl Reach {
    /// What the line is; `next` is the line after it.
    pub(super) fn step(&mut self, line: &Line<'_>, next: Option<&Line<'_>>) -> Step {
        if line.veil != Veil::Open {
            return self.inside();
        }
        if std::mem::take(&mut self.underline) {
            return Step::Outside;
        }
        let Some((level, words)) = heading(line, next) else {
            return self.inside();
        };
        self.underline = level <= 2 && !line.trimmed().starts_with('#');
        match labels::means(words) {
            Means::Criteria => {
                let nested = self.level.is_some_and(|open| open < level);
                if !nested {
                    self.level = Some(level);
                }
                Step::Opens
            }
            Means::Near if level < 7 && self.level.is_none_or(|open| level <= open) => {
                self.level = None;
                Step::Near
            }
            Means::Near | Means::Other => match self.level {
                // a section of its own, however deep it stands
                Some(open) if level > open && !super::scope::is_heading(line) => Step::Sub,
                Some(7) | None if level == 7 => self.inside(),
                Some(_) | None => {
                    self.level = None;
                    Step::Outside
                }
            },
        }
    }

    fn inside(&self) -> Step {
        if self.level.is_some() {
            Step::Inside
        } else {
            Step::Outside
        }
    }
}

/// The level and words of a heading: ATX, setext, or a bold or bare label alone on its line.
fn heading<'a>(line: &'a Line<'_>, next: Option<&Line<'_>>) -> Option<(usize, &'a str)> {
    if line.indent() > 3 || line.is_blank() {
        return None;
    }
    let text = line.trimmed();
    let level = text.bytes().take_while(|b| *b == b'#').count();
    if level > 0 {
        let words = text.get(level..)?;
        let blank = words.starts_with(|c: char| c.is_whitespace()) || words.is_empty();
        return (level <= 6 && blank).then_some((level, words));
    }
    let rule = |with: char| {
        next.is_some_and(|line| {
            let under = line.trimmed();
            line.veil == Veil::Open && under.len() >= 3 && under.chars().all(|c| c == with)
        })
    };
    if list_marker(text.as_bytes()).is_none() && !text.starts_with(['>', '|', '-', '*', '=']) {
        if rule('=') {
            return Some((1, text));
        }
        if rule('-') {
            return Some((2, text));
        }
    }
    let bold = text.starts_with("**") || text.starts_with("__");
    let (words, colon) = match text.split_once(':') {
        Some((words, _)) => (words, true),
        None => (text, false),
    };
    let closed = words.ends_with("**") || words.ends_with("__") || text.contains(":**");
    if bold && (closed || !colon) && list_marker(text.as_bytes()).is_none() {
        return (labels::means(words) == Means::Criteria).then_some((7, words));
    }
    let alone = text.ends_with(':');
    (alone && labels::means(words) == Means::Criteria).then_some((7, words))
}
