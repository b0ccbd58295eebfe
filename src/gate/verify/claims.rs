//! What the title and the description of a request claim about tickets (verify-gate 1.2): which
//! one it closes, that it closes none, or what only reaches for a claim. `tests/truth/claims.md`
//! is the table.

use crate::model::known::Known;
use crate::model::text::Foreign;
use crate::model::thread::Pull;

/// What a description claims.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Claims {
    /// Numbers of the tickets that it closes, sorted, each once.
    pub closes: Vec<String>,
    /// Whether it says that it closes none.
    pub none: bool,
    /// How many lines reach for a claim and are none.
    pub unrecognised: usize,
    /// Paths and ticket numbers that title and text mention: they only say where to look.
    pub mentions: Vec<String>,
    /// The number in the title's scope, `chore(0042): ...`.
    pub subject: Option<String>,
    /// Whether the description says how it was tested.
    pub test_plan: bool,
}

/// Reads a request; one without a description claims nothing.
#[must_use]
pub fn of_pull(pull: &Known<Pull>) -> Claims {
    let Known::Is(pull) = pull else {
        return Claims::default();
    };
    let text = |part: &Option<Foreign>| {
        let raw = part.as_ref().map(|text| text.raw().to_vec());
        String::from_utf8_lossy(&raw.unwrap_or_default()).into_owned()
    };
    read(&text(&pull.title), &text(&pull.body))
}

/// Reads title and description.
#[must_use]
pub fn read(title: &str, body: &str) -> Claims {
    let mut out = Claims {
        subject: subject(title),
        test_plan: has_test_plan(body),
        ..Claims::default()
    };
    for line in body.lines() {
        match claim(line) {
            Line::Closes(number) => out.closes.push(number),
            Line::None => out.none = true,
            Line::Reaches => out.unrecognised += 1,
            Line::Nothing => {}
        }
    }
    out.closes.sort();
    out.closes.dedup();
    for word in title.split_whitespace().chain(body.split_whitespace()) {
        let edge = |c: char| !(c.is_alphanumeric() || matches!(c, '/' | '_' | '-'));
        let word = word.trim_end_matches(edge);
        let word = word.trim_start_matches(|c: char| edge(c) && c != '.');
        let path = word.contains('/') && (word.ends_with(".md") || word.ends_with(".erg"));
        if path && !out.mentions.iter().any(|one| one == word) {
            out.mentions.push(word.to_owned());
        }
    }
    out
}

enum Line {
    Closes(String),
    None,
    Reaches,
    Nothing,
}

/// One line, which counts only from its very beginning.
fn claim(line: &str) -> Line {
    let stars = |text: &str| -> usize { text.bytes().take(2).take_while(|b| *b == b'*').count() };
    let after = |text: &'_ str, n: usize| text.get(n..).unwrap_or_default().to_owned();
    let rest = after(line, stars(line));
    let Some(word) = rest
        .get(..6)
        .filter(|word| word.eq_ignore_ascii_case("ticket"))
    else {
        return reaching(line);
    };
    let rest = after(&rest, word.len());
    let lower = rest.to_ascii_lowercase();
    if let Some(reference) = lower.strip_prefix("-ref") {
        return match number_behind(reference) {
            Some(_) => Line::None,
            None => Line::Reaches,
        };
    }
    if rest.starts_with(|c: char| c.is_alphanumeric() || c == '-' || c == '_') {
        return Line::Nothing;
    }
    let mut tail = rest.as_str();
    tail = tail.strip_prefix(':').unwrap_or(tail);
    let tail = after(tail, stars(tail));
    let tail = tail.strip_prefix(':').unwrap_or(&tail);
    let tail = tail.trim_start_matches([' ', '\t']);
    if let Some(number) = number_at(tail) {
        return Line::Closes(number);
    }
    let none = lower.split(|c: char| !c.is_alphanumeric());
    if none.into_iter().any(|word| word == "none") {
        return Line::None;
    }
    if lower.contains("tickets/") {
        return Line::Reaches;
    }
    Line::Nothing
}

/// A line that would be a claim if it began at its margin: quoted, indented, in a code span.
fn reaching(line: &str) -> Line {
    let bare = line.trim_start_matches([' ', '\t', '>', '`', '-', '*', '#']);
    let ticket = bare
        .get(..6)
        .is_some_and(|word| word.eq_ignore_ascii_case("ticket"));
    let names = number_behind(&bare.to_ascii_lowercase()).is_some();
    if ticket && names {
        Line::Reaches
    } else {
        Line::Nothing
    }
}

/// `tickets/0042...` or `tickets/closed/0042...` at the beginning of a text.
fn number_at(text: &str) -> Option<String> {
    let folder = text.get(..8)?;
    if !folder.eq_ignore_ascii_case("tickets/") {
        return None;
    }
    let rest = text.get(8..)?;
    let closed = rest
        .get(..7)
        .filter(|part| part.eq_ignore_ascii_case("closed/"));
    let rest = rest.get(closed.map_or(0, str::len)..)?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    (!digits.is_empty()).then_some(digits)
}

fn number_behind(lower: &str) -> Option<String> {
    lower
        .match_indices("tickets/")
        .find_map(|(at, _)| number_at(lower.get(at..)?))
}

/// `type(0042): ...`.
fn subject(title: &str) -> Option<String> {
    let (_, rest) = title.split_once('(')?;
    let (scope, after) = rest.split_once(')')?;
    let digits = !scope.is_empty() && scope.bytes().all(|b| b.is_ascii_digit());
    let ends = after.trim_start_matches('!').starts_with(':');
    (digits && ends).then(|| scope.to_owned())
}

/// Whether a description has a part that says how it was tested.
fn has_test_plan(body: &str) -> bool {
    body.lines().any(|line| is_test_plan(line).is_some())
}

/// What stands behind `Test plan` on a line that begins with it, heading or not.
#[must_use]
pub fn is_test_plan(line: &str) -> Option<&str> {
    let bare = line.trim_start_matches(['#', '*', ' ', '\t', '_']);
    for name in ["test plan", "testing", "how tested", "how it was tested"] {
        let Some(head) = bare.get(..name.len()) else {
            continue;
        };
        let rest = bare.get(name.len()..)?;
        let whole = rest.trim_matches(['*', '_', ' ', '\t', '#']);
        let heading = line.trim_start().starts_with('#') && whole.trim_end_matches(':').is_empty();
        if head.eq_ignore_ascii_case(name) && (heading || whole.starts_with(':')) {
            return Some(whole.trim_start_matches([':', '*', '_', ' ']));
        }
    }
    None
}
