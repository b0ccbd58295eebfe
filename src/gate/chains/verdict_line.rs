//! Pass B: the verdict line of a callee (chain-gate 2.5 point 7).

use crate::model::chain::Level;

use super::document::Unit;
use super::profile::Profile;
use super::words::{Word, words};

/// What a section says that the skill can answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// How much of the enum.
    pub level: Level,
    /// The words, in the order met.
    pub tokens: Vec<String>,
    /// The line or lines as they stand.
    pub text: String,
    /// First and last line, 1-based; 0 when there is none.
    pub lines: (u32, u32),
    /// Whether one physical line holds the four words between pipes.
    pub literal: bool,
}

impl Answer {
    /// No verdict line.
    #[must_use]
    pub fn none() -> Self {
        Self {
            level: Level::None,
            tokens: Vec::new(),
            text: String::new(),
            lines: (0, 0),
            literal: false,
        }
    }

    /// Whether it has this word.
    #[must_use]
    pub fn can(&self, token: &str) -> bool {
        self.tokens.iter().any(|one| one == token)
    }

    /// Whether it has a word beside the profile's.
    #[must_use]
    pub fn extended(&self, profile: &Profile) -> bool {
        let ours = |token: &String| profile.verdicts().any(|one| one == token);
        self.level >= Level::Partial && !self.tokens.iter().all(ours)
    }
}

/// The best verdict line of some units.
#[must_use]
pub fn answer<'u>(units: impl Iterator<Item = &'u Unit>, profile: &Profile) -> Answer {
    let mut best = Answer::none();
    for unit in units {
        if !unit.text.contains(':') {
            continue;
        }
        for (start, end) in candidates(&unit.text, profile) {
            let found = line(unit, start, end, profile);
            let better = (found.level, found.tokens.len()) > (best.level, best.tokens.len());
            if better {
                best = found;
            }
        }
    }
    best
}

/// Whether a unit holds a verdict line.
pub(super) fn is_one(text: &str, profile: &Profile) -> bool {
    text.contains(':') && !candidates(text, profile).is_empty()
}

/// Where verdict lines stand in a unit: from the end of the label to the next label that begins a
/// line.
fn candidates(text: &str, profile: &Profile) -> Vec<(usize, usize)> {
    let mut starts: Vec<(usize, usize)> = Vec::new();
    for word in words(text) {
        let is = |label: &String| label.eq_ignore_ascii_case(&text[word.start..word.end]);
        if !profile.verdict_labels.iter().any(is) {
            continue;
        }
        let rest = text[word.end..].trim_start_matches(['*', '_', '`']);
        if rest.starts_with(':') {
            starts.push((word.start, text.len() - rest.len() + 1));
        }
    }
    let mut out: Vec<(usize, usize)> = Vec::new();
    let begins = |at: usize| {
        let line = text[..at].rsplit('\n').next().unwrap_or_default();
        line.chars().all(|c| !c.is_alphanumeric())
            && !text[..at - line.len()].trim_end().ends_with(SEPARATORS)
    };
    for (at, body) in starts {
        match out.last_mut() {
            Some(_) if !begins(at) => {}
            Some((_, end)) => {
                *end = at;
                out.push((body, text.len()));
            }
            None => out.push((body, text.len())),
        }
    }
    out
}

/// Reads one candidate.
fn line(unit: &Unit, start: usize, end: usize, profile: &Profile) -> Answer {
    let text = &unit.text;
    let end = start + stop(&text[start..end]);
    let mut answer = Answer {
        text: whole_lines(text, start, end).to_owned(),
        lines: (unit.line_at(start), unit.line_at(end)),
        literal: literal(text, start, profile),
        ..Answer::none()
    };
    let mut foreign = 0;
    let mut prose = false;
    for part in alternatives(&text[start..end], profile) {
        if let Some((token, ours, long)) = token(&part, profile) {
            if !answer.can(&token) {
                answer.tokens.push(token);
            }
            foreign += usize::from(!ours);
            prose |= long;
        }
    }
    let ours = answer
        .tokens
        .iter()
        .filter(|t| profile.verdicts().any(|v| v == t.as_str()));
    let ours = ours.count();
    answer.level = if ours == profile.verdicts().count() {
        Level::Full
    } else if ours >= 2 && answer.can(&profile.pass) {
        Level::Partial
    } else if foreign > 0 && answer.tokens.len() >= 2 && !prose {
        Level::Foreign
    } else {
        Level::None
    };
    if prose && answer.level < Level::Partial {
        answer
            .tokens
            .retain(|t| profile.verdicts().any(|v| v == t.as_str()));
    }
    answer
}

/// Where the line ends: it goes on over a line end inside parentheses and beside a separator, and
/// never over a line that opens with a label of its own.
fn stop(text: &str) -> usize {
    let mut at = 0;
    let mut depth = 0usize;
    let mut goes_on = true;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let head = line.split(':').next().unwrap_or_default();
        let label =
            line.contains(':') && !head.is_empty() && head.chars().all(char::is_alphanumeric);
        let joined = goes_on || depth > 0 || line.trim_start().starts_with(SEPARATORS);
        if number > 0 && (label || !joined) {
            return at;
        }
        for byte in line.bytes() {
            match byte {
                b'(' => depth += 1,
                b')' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        goes_on = line.trim_end().ends_with(SEPARATORS);
        at += line.len();
    }
    text.len()
}

/// What may stand between two verdicts.
const SEPARATORS: [char; 4] = ['|', '·', '/', ','];

fn whole_lines(text: &str, start: usize, end: usize) -> &str {
    let from = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let text = text[from..end].trim_end();
    text.trim_start_matches(|c: char| "-+☐".contains(c))
        .trim_start()
}

/// The text between separators, what stands in parentheses left out.
fn alternatives(text: &str, profile: &Profile) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut depth = 0usize;
    let mut skip_label = text.to_owned();
    for label in &profile.verdict_labels {
        // a label that is repeated within the line says nothing new
        let found = words(&skip_label);
        let mut kept = String::new();
        let mut from = 0;
        for Word { start, end, .. } in found {
            let same = label.eq_ignore_ascii_case(&skip_label[start..end]);
            if same
                && skip_label[end..]
                    .trim_start_matches(['*', '_', '`'])
                    .starts_with(':')
            {
                kept.push_str(&skip_label[from..start]);
                let rest = skip_label[end..].trim_start_matches(['*', '_', '`']);
                from = skip_label.len() - rest.len() + 1;
            }
        }
        kept.push_str(&skip_label[from..]);
        skip_label = kept;
    }
    for c in skip_label.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            _ if SEPARATORS.contains(&c) => out.push(String::new()),
            '[' | ']' | '{' | '}' | '*' | '`' | '"' => {}
            _ => {
                if let Some(last) = out.last_mut() {
                    last.push(c);
                }
            }
        }
    }
    out
}

/// The word of an alternative, whether it is one of the profile's, and whether it is prose.
fn token(part: &str, profile: &Profile) -> Option<(String, bool, bool)> {
    let found = words(part);
    let word = |at: usize| found.get(at).map(|word| &part[word.start..word.end]);
    let first = word(0)?;
    let spaced = word(1).map(|second| format!("{first}_{second}"));
    let ours = |token: &str| profile.verdicts().any(|verdict| verdict == token);
    let denied = |at: usize| {
        word(at).is_some_and(|word| {
            profile.negations.iter().any(|no| {
                if no.is_ascii() {
                    no.eq_ignore_ascii_case(word)
                } else {
                    word.contains(no.as_str())
                }
            })
        })
    };
    if denied(0) {
        return None;
    }
    // `PASS 가 아니다`: the denial follows
    let korean = |at: usize| word(at).is_some_and(|word| !word.is_ascii());
    let own_denial = (1..=3).any(|at| korean(at) && denied(at)) && ours(first);
    if own_denial {
        return None;
    }
    if let Some(token) = spaced.filter(|token| ours(token)) {
        return Some((token, true, false));
    }
    if ours(first) {
        return Some((first.to_owned(), true, false));
    }
    let sentence = part.find('—').map_or(part, |at| &part[..at]);
    let count = words(sentence).len();
    Some((sentence_word(sentence), false, count > 2))
}

fn sentence_word(text: &str) -> String {
    let found = words(text);
    let words: Vec<&str> = found
        .iter()
        .map(|word| &text[word.start..word.end])
        .collect();
    words.join(" ")
}

/// The source's line: label in the singular, four words in order, pipes between them.
fn literal(text: &str, start: usize, profile: &Profile) -> bool {
    let from = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let line = text[from..].split('\n').next().unwrap_or_default();
    let Some((_, body)) = line.split_once("Verdict:") else {
        return false;
    };
    let mut bare = String::new();
    let mut depth = 0usize;
    for c in body.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth > 0 || c.is_whitespace() => {}
            _ => bare.push(c),
        }
    }
    let want: Vec<&str> = profile.verdicts().collect();
    let rest = bare.strip_prefix(&want.join("|"));
    rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
}
