//! Reads a message: marker and done-line on line 1 only, the menu at its end (verdict-menus 1.1
//! and 1.3).

use super::invariants;
use super::rows::{TAG, row_of};
use super::words::{Fenced, after_number, fences, lines, positive};
use crate::model::id::Digest;
use crate::model::menu::{
    Ask, Eligibility, GateLine, Message, NotOffered, Opening, Row, Style, Violation,
};
use crate::model::text::Foreign;

/// The separator between report and menu, alone on its line.
pub const SEPARATOR: &str = "Pick one:";
/// What the hint of a verb menu begins with.
pub(super) const TYPE: &str = "Type a number";
/// What the prose below a labelled menu begins with.
pub(super) const TELL: &str = "Or tell me";
/// What every marker begins with.
const MARK: &str = "gauntlet:";

/// Reads a message. Every text is one; what is wrong with it stands in its violations.
#[must_use]
pub fn read(bytes: &[u8]) -> Message {
    let text = String::from_utf8_lossy(bytes);
    let lines = lines(&text);
    let fenced = fences(&lines);
    let mut message = Message {
        digest: Digest::of(bytes),
        opening: opening(lines.first().copied().unwrap_or_default()),
        style: None,
        rows: Vec::new(),
        separator: None,
        tail: Vec::new(),
        eligibility: None,
        not_offered: Vec::new(),
        asks: Vec::new(),
        inert: inert(&lines),
        text: Foreign::new(bytes),
        blockers: blockers(&lines),
        violations: Vec::new(),
    };
    if let Some(line) = bytes
        .utf8_chunks()
        .next()
        .filter(|c| !c.invalid().is_empty())
    {
        let at = line.valid().matches('\n').count();
        message.violations.push(Violation {
            code: "not-utf8",
            line: number(at),
            message: "bytes that are not UTF-8; they are read as a replacement mark".into(),
        });
    }
    menu(&lines, &fenced, &mut message);
    message.asks = asks(&lines, &message);
    invariants::check(&lines, &fenced, &mut message);
    message
}

/// 1-based number of the line at an index.
pub(super) fn number(index: usize) -> u32 {
    u32::try_from(index + 1).unwrap_or(u32::MAX)
}

/// Reads line 1.
#[must_use]
pub fn opening(line: &str) -> Opening {
    let Some(rest) = line.strip_prefix(MARK) else {
        let bare = line.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        let near = bare
            .get(..MARK.len())
            .is_some_and(|word| word.eq_ignore_ascii_case(MARK));
        return if near {
            Opening::Malformed("a marker begins the line, in lower case, with nothing before it")
        } else {
            Opening::Plain
        };
    };
    if let Some(outcome) = rest.strip_prefix(" done ") {
        let whole = !outcome.is_empty() && outcome.trim() == outcome;
        return if whole {
            Opening::Done(outcome.into())
        } else {
            Opening::Malformed("a done-line is `gauntlet: done OUTCOME`, one blank each")
        };
    }
    let Some(gate) = rest.strip_prefix(" gate=") else {
        return Opening::Malformed("after `gauntlet:` stands ` gate=` or ` done `");
    };
    let (names, recommended) = match gate.split_once(' ') {
        Some((names, rest)) => {
            let n = rest.strip_prefix("recommended=").and_then(positive);
            let Some(n) = n else {
                return Opening::Malformed(
                    "after the gate stands nothing, or ` recommended=N` with N from 1, no sign, \
                     no leading zero",
                );
            };
            (names, Some(n))
        }
        None => (gate, None),
    };
    let name = |text: &str| {
        let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        !text.is_empty() && text.bytes().all(plain)
    };
    match names.split_once('/') {
        Some((skill, menu)) if name(skill) && name(menu) => Opening::Gate(GateLine {
            skill: skill.to_owned(),
            menu: menu.to_owned(),
            recommended,
        }),
        _ => Opening::Malformed(
            "the gate is SKILL/MENU, both of lowercase letters, digits and hyphens",
        ),
    }
}

/// Lines after the first that hold a marker, quoted or not.
fn inert(lines: &[&str]) -> Vec<u32> {
    let later = lines.iter().enumerate().skip(1);
    later
        .filter(|(_, line)| line.contains("gauntlet: gate=") || line.contains("gauntlet: done"))
        .map(|(at, _)| number(at))
        .collect()
}

/// How many numbered items stand below `Blockers:`.
fn blockers(lines: &[&str]) -> u32 {
    let Some(at) = lines.iter().position(|line| line.trim() == "Blockers:") else {
        return 0;
    };
    let items = lines.iter().skip(at + 1).take_while(|line| {
        let heading = !line.starts_with(' ') && line.trim_end().ends_with(':');
        !(line.trim().is_empty() || heading)
    });
    let numbered = items.filter(|line| {
        after_number(line.trim_start()).is_some_and(|(_, rest)| rest.starts_with(". "))
    });
    u32::try_from(numbered.count()).unwrap_or(u32::MAX)
}

/// Finds the menu and takes it apart.
fn menu(lines: &[&str], fenced: &[Fenced], message: &mut Message) {
    let separator = (0..lines.len()).rev().find(|at| {
        outside(fenced, *at) && lines.get(*at).is_some_and(|l| l.trim_end() == SEPARATOR)
    });
    let start = match separator {
        Some(at) => {
            message.separator = Some(number(at));
            at + 1
        }
        None => match without_separator(lines, fenced, message) {
            Some(at) => at,
            None => return,
        },
    };
    let mut ended = false;
    for (at, line) in lines.iter().enumerate().skip(start) {
        if line.trim().is_empty() || fenced.get(at) == Some(&Fenced::Edge) {
            continue;
        }
        if let Some((style, row)) = row_of(line, number(at)).filter(|_| !ended) {
            message.style.get_or_insert(style);
            message.rows.push(row);
        } else if let Some(row) = message
            .rows
            .last_mut()
            .filter(|_| !ended && continues(line))
        {
            append(row, line);
        } else {
            ended = !message.rows.is_empty();
            after(line, at, message);
        }
    }
}

fn outside(fenced: &[Fenced], at: usize) -> bool {
    fenced.get(at) == Some(&Fenced::Outside)
}

/// A row goes on in a line that is indented below its words.
fn continues(line: &str) -> bool {
    line.starts_with("   ")
}

fn append(row: &mut Row, line: &str) {
    let mut more = line.trim();
    if let Some(rest) = more.strip_suffix(TAG) {
        row.recommended = true;
        more = rest.trim_end();
    }
    let before = row.consequence.raw_str().unwrap_or_default();
    if before.is_empty() {
        more = more.strip_prefix("- ").unwrap_or(more);
    }
    row.consequence = format!("{before} {more}").trim().to_owned().into();
}

/// One line below the rows.
fn after(line: &str, at: usize, message: &mut Message) {
    if let Some(eligible) = eligibility(line.trim()) {
        message.eligibility = Some(Eligibility {
            line: number(at),
            text: line.trim().into(),
            eligible,
        });
        return;
    }
    if let Some((_, listed)) = line.split_once("Not offered:") {
        message.not_offered.extend(not_offered(listed));
    }
    message.tail.push(line.trim().into());
}

/// What an eligibility line says, when the text is one.
#[must_use]
pub fn eligibility(text: &str) -> Option<bool> {
    match text {
        "eligible" | "eligible - all predicates pass" => Some(true),
        _ => {
            let predicate = text.strip_prefix("not eligible: ")?;
            (!predicate.trim().is_empty()).then_some(false)
        }
    }
}

/// `VERB (REASON), VERB (REASON).`
fn not_offered(listed: &str) -> Vec<NotOffered> {
    let mut rest = listed;
    let mut found = Vec::new();
    while let Some((verb, behind)) = rest.split_once('(') {
        let (reason, next) = behind.split_once(')').unwrap_or((behind, ""));
        found.push(NotOffered {
            verb: verb.trim_matches(|c: char| ",;. ".contains(c)).into(),
            reason: reason.trim().into(),
        });
        rest = next;
        if rest.starts_with(". ") {
            return found;
        }
    }
    let bare = rest.trim_matches(|c: char| ",;. ".contains(c));
    if !bare.is_empty() && !bare.contains(". ") {
        found.push(NotOffered {
            verb: bare.into(),
            reason: Foreign::default(),
        });
    }
    found
}

/// Where the rows of a menu begin that has no separator: the last block of rows outside fences
/// (or in the fence that ends the message), when something says that it is a menu.
fn without_separator(lines: &[&str], fenced: &[Fenced], message: &Message) -> Option<usize> {
    let shaped = |at: usize| lines.get(at).and_then(|line| row_of(line, number(at)));
    let ends = |from: usize| {
        let mut rest = from..lines.len();
        rest.all(|at| {
            fenced.get(at) == Some(&Fenced::Edge)
                || lines
                    .get(at)
                    .is_none_or(|line| line.trim().is_empty() || eligibility(line.trim()).is_some())
        })
    };
    let last = (0..lines.len())
        .rev()
        .find(|at| shaped(*at).is_some() && (outside(fenced, *at) || ends(*at + 1)))?;
    let own = fenced.get(last);
    let first = (0..=last)
        .rev()
        .take_while(|at| {
            fenced.get(*at) == own
                && (shaped(*at).is_some() || lines.get(*at).is_some_and(|l| continues(l)))
        })
        .filter(|at| shaped(*at).is_some())
        .last()?;
    let said = (first..=last).filter_map(shaped).any(|(style, row)| {
        row.recommended || matches!(style, Style::Checkbox | Style::Labelled) && ends(last + 1)
    });
    let hinted = lines.iter().skip(last + 1).any(|line| {
        let line = line.trim_start();
        line.starts_with(TYPE) || line.starts_with(TELL)
    });
    (said || hinted || message.gate().is_some() && ends(last + 1)).then_some(first)
}

/// What the message asks to be typed beside a number: said in its menu or in its last paragraph.
fn asks(lines: &[&str], message: &Message) -> Vec<Ask> {
    let end = lines.iter().rposition(|line| !line.trim().is_empty());
    let end = end.map_or(0, |at| at + 1);
    let paragraph = lines
        .iter()
        .take(end)
        .rposition(|line| line.trim().is_empty())
        .map_or(0, |at| at + 1);
    let menu = message.rows.first().map(|row| row.line as usize - 1);
    let from = menu.unwrap_or(paragraph).min(paragraph);
    let said: Vec<&str> = lines.iter().take(end).skip(from).copied().collect();
    let said = said.join("\n");
    let mut asks = Vec::new();
    if message.rows.is_empty() && quoted(&said, "send it") {
        asks.push(Ask::SendIt);
    }
    if quoted(&said, "discard") {
        asks.push(Ask::Discard);
    }
    if said.contains("check <") || said.contains("`check ") {
        asks.push(Ask::Check);
    }
    asks.extend(overrides(&said).map(Ask::Overrides));
    if said.contains("verification command:") {
        asks.push(Ask::Command);
    }
    if said.contains("`spec:") || said.contains("spec: <") {
        asks.push(Ask::Spec);
    }
    if said.contains("revert conformance fix") {
        asks.push(Ask::Revert);
    }
    let lower = said.to_ascii_lowercase();
    let yes = ["`yes`", "\"yes\"", "(y/n)", "[y/n]", "reply yes"];
    if message.rows.is_empty() && yes.iter().any(|word| lower.contains(word)) {
        asks.push(Ask::Yes);
    }
    asks.sort_unstable();
    asks.dedup();
    asks
}

/// Whether the words stand in backticks or quotation marks, or behind `reply `.
fn quoted(text: &str, words: &str) -> bool {
    [
        ("`", "`"),
        ("\"", "\""),
        ("\u{201c}", "\u{201d}"),
        ("reply ", ""),
    ]
    .iter()
    .any(|(open, close)| text.contains(&format!("{open}{words}{close}")))
}

/// The number of the first `N: word=`.
fn overrides(text: &str) -> Option<u32> {
    text.match_indices(": ").find_map(|(at, _)| {
        let before = text.get(..at)?;
        let digits = before.bytes().rev().take_while(u8::is_ascii_digit).count();
        let n = positive(before.get(at - digits..)?)?;
        let word = text.get(at + 2..)?;
        let end = word.find(|c: char| !(c.is_alphanumeric() || "-_<>".contains(c)))?;
        (end > 0 && word.get(end..)?.starts_with('=')).then_some(n)
    })
}
