//! The report above the menu: what it delivers, what is open, the verdict. Sections stand bottom
//! up for a terminal; an empty one is left out.

use super::course::CourseMenu;
use super::menu::{Menu, NotOffered, Verb, Verdict};
use crate::model::text::{Foreign, Place};

/// An open item as it is printed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Item {
    /// What and why, one or two whole sentences.
    pub text: Foreign,
    /// Where.
    pub locator: Foreign,
    /// The last decision line of its row, for a review body (H41).
    pub last_decision: Option<Foreign>,
}

/// What the criteria come to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Delivers {
    /// What the pull request does.
    pub does: Foreign,
    /// Criteria that are covered; `None` without a spec.
    pub covered: Option<u32>,
    /// Deferred ones, each with its reference.
    pub deferred: Vec<Foreign>,
    /// Deviating ones.
    pub deviates: u32,
    /// Observation halves that are not judged here.
    pub observed: u32,
    /// Rows of other repositories.
    pub elsewhere: u32,
}

/// Everything a report is made of.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// What it delivers.
    pub delivers: Delivers,
    /// One line about comments.
    pub comments: Option<String>,
    /// Nits.
    pub nits: Vec<Item>,
    /// Blockers, in the order of their numbers.
    pub blockers: Vec<Item>,
    /// What syncing came to.
    pub sync: Option<Foreign>,
    /// What CI evidence the verdict names.
    pub check: Option<Foreign>,
}

fn shown(text: &Foreign) -> String {
    let lines = text.shown_lines(Place::Prose);
    let lines: Vec<String> = lines
        .iter()
        .map(|line| line.plain().trim().to_owned())
        .collect();
    lines.join(" ")
}

fn item(item: &Item) -> String {
    let locator = shown(&item.locator);
    if locator.is_empty() {
        shown(&item.text)
    } else {
        format!("{} ({locator})", shown(&item.text))
    }
}

/// The second sentence of `Delivers:`: only what is there.
fn clause(delivers: &Delivers) -> Option<String> {
    let covered = delivers.covered?;
    let mut parts = Vec::new();
    let rows = |n: u32| if n == 1 { "row" } else { "rows" };
    if covered > 0 {
        parts.push(format!("{covered} {} covered", rows(covered)));
    }
    let mut refs: Vec<String> = delivers.deferred.iter().map(shown).collect();
    refs.sort();
    while let Some(first) = refs.first().cloned() {
        let count = refs.iter().filter(|other| **other == first).count();
        refs.retain(|other| *other != first);
        parts.push(format!("{count} deferred to {first}"));
    }
    let counts = [
        (delivers.deviates, "deviating per spec"),
        (delivers.observed, "to be observed elsewhere"),
        (delivers.elsewhere, "elsewhere per spec"),
    ];
    for (count, words) in counts.into_iter().filter(|(count, _)| *count > 0) {
        parts.push(format!("{count} {words}"));
    }
    (!parts.is_empty()).then(|| format!("{}.", parts.join("; ")))
}

/// The verdict line.
#[must_use]
pub fn verdict_line(verdict: Verdict, check: Option<&Foreign>) -> String {
    match verdict {
        Verdict::Mergeable => match check {
            Some(check) => {
                format!(
                    "mergeable - CI green on the assessed head ({})",
                    shown(check)
                )
            }
            None => "mergeable - verification command passed locally".into(),
        },
        Verdict::Blockers(count) => format!("fixable - {count} blocker(s)"),
        Verdict::Withheld(reason) => format!("fixable - {}", reason.words()),
    }
}

/// The report and its menu, line by line.
#[must_use]
pub fn lines(report: &Report, verdict: Verdict, menu: &Menu) -> Vec<String> {
    let mut out = body(report, verdict, menu.rows.contains(&Verb::FixNits));
    out.push(String::new());
    out.extend(menu_lines(menu));
    out
}

/// The report alone.
#[must_use]
pub fn body(report: &Report, verdict: Verdict, takes_nits: bool) -> Vec<String> {
    let mut out = Vec::new();
    let does = shown(&report.delivers.does);
    let clause = clause(&report.delivers).map_or(String::new(), |c| format!(" {c}"));
    out.push(format!("Delivers: {does}{clause}"));
    if let Some(comments) = &report.comments {
        out.push(String::new());
        out.push(format!("PR comments: {comments}"));
    }
    if !report.nits.is_empty() {
        out.push(String::new());
        out.push("Nits:".into());
        out.extend(report.nits.iter().map(|nit| format!("- {}", item(nit))));
        if takes_nits {
            out.push(format!(
                "{} nits open - fix nits to take them",
                report.nits.len()
            ));
        }
    }
    if !report.blockers.is_empty() {
        out.push(String::new());
        out.push("Blockers:".into());
        let numbered = report.blockers.iter().enumerate();
        out.extend(numbered.map(|(at, blocker)| format!("{}. {}", at + 1, item(blocker))));
    }
    if let Some(sync) = &report.sync {
        out.push(String::new());
        out.push(format!("Sync: {}", shown(sync)));
    }
    out.push(String::new());
    out.push(format!(
        "Verdict: {}",
        verdict_line(verdict, report.check.as_ref())
    ));
    out
}

/// Rows in the style `N. verb - consequence`, the recommended one marked at its right, and the
/// hint.
#[must_use]
pub fn menu_lines(menu: &Menu) -> Vec<String> {
    let rows: Vec<_> = menu.rows.iter().map(|verb| verb.words()).collect();
    let tagged = menu.rows.iter().position(|verb| *verb == menu.recommended);
    let mut hint = String::from("Type a number, or verbs joined by +.");
    if menu.check_hint {
        hint.push_str(" check <name> flaky|real|ci-broken says what a failing check means.");
    }
    let closed = menu.not_offered.iter();
    let closed = closed.map(|(verb, reason)| (verb.label(), *reason));
    rendered(&rows, tagged, hint, &closed.collect::<Vec<_>>())
}

/// The same for a menu of courses.
#[must_use]
pub fn course_menu_lines(menu: &CourseMenu) -> Vec<String> {
    let rows: Vec<_> = menu.rows.iter().map(|pick| pick.words()).collect();
    let tagged = menu.rows.iter().position(|p| Some(*p) == menu.recommended);
    let hint = String::from("Type a number.");
    rendered(&rows, tagged, hint, &menu.not_offered)
}

fn rendered(
    rows: &[(&str, &str)],
    tagged: Option<usize>,
    mut hint: String,
    closed: &[(&str, NotOffered)],
) -> Vec<String> {
    let rows: Vec<String> = rows
        .iter()
        .enumerate()
        .map(|(at, (label, consequence))| format!("{}. {label} - {consequence}", at + 1))
        .collect();
    let width = rows.iter().map(|row| row.chars().count()).max();
    let width = width.unwrap_or(0);
    let mut out: Vec<String> = rows
        .into_iter()
        .enumerate()
        .map(|(at, row)| {
            if tagged == Some(at) {
                format!("{row:<width$}  [recommended]")
            } else {
                row
            }
        })
        .collect();
    if !closed.is_empty() {
        let closed: Vec<String> = closed
            .iter()
            .map(|(label, reason)| format!("{label} ({})", reason.words()))
            .collect();
        hint.push_str(&format!(" Not offered: {}.", closed.join(", ")));
    }
    out.push(hint);
    out
}

/// The body of a review: the blockers that it addresses, each carried one with the last decision
/// line of its row, so that the next run keeps what the failed attempt knew (H41).
#[must_use]
pub fn review_body(summary: &str, blockers: &[Item], ask: &str) -> Vec<String> {
    let mut out = vec![summary.to_owned(), String::new()];
    for (at, blocker) in blockers.iter().enumerate() {
        let last = blocker
            .last_decision
            .as_ref()
            .map_or(String::new(), |line| format!(" open - {}", shown(line)));
        out.push(format!("{}. {}{last}", at + 1, item(blocker)));
    }
    out.push(String::new());
    out.push(ask.to_owned());
    out
}

/// Words that a printed item must not hold: internal ids, severity words, hedges, intensifiers.
const BANNED: [&str; 20] = [
    "critical",
    "moderate",
    "minor",
    "severity",
    "blocker",
    "nit",
    "probably",
    "possibly",
    "maybe",
    "perhaps",
    "likely",
    "seems",
    "appears",
    "might",
    "very",
    "really",
    "extremely",
    "highly",
    "clearly",
    "obviously",
];

/// What is wrong with the text of an item, each a fragment.
#[must_use]
pub fn lint(text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if !text.is_ascii() {
        wrong.push("it holds a character that is not ASCII".to_owned());
    }
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    for word in words.filter(|word| !word.is_empty()) {
        if crate::model::wave::FindingId::parse(word).is_some() {
            wrong.push(format!("it names the internal id {word}"));
        }
        let lower = word.to_ascii_lowercase();
        if BANNED.contains(&lower.as_str()) {
            wrong.push(format!("it holds the word {lower}"));
        }
    }
    if text.trim_start().starts_with('[') {
        wrong.push("it opens with a tag".into());
    }
    let sentences = text.matches(['.', '!', '?']).count();
    if !text.trim_end().ends_with(['.', '!', '?']) {
        wrong.push("it does not end as a sentence".into());
    } else if sentences > 2 && text.split(". ").count() > 2 {
        wrong.push("it has more than two sentences".into());
    }
    wrong
}
