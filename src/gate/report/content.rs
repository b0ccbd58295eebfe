//! What a report says, as far as a linter can tell (V25 to V31).

use super::register::prose;
use super::shape::{CONTEXT, Line, Section, Sentence};
use super::{Hotfix, Linting, Span};
use crate::gate::menu::chase::{Action, Set};

/// Words by which a third section names a row.
const NAMES: [(Action, &[&str]); 8] = [
    (Action::FileTicket, &["ticket"]),
    (Action::Brainstorm, &["brainstorm"]),
    (Action::Hotfix, &["hotfix"]),
    (Action::Respond, &["respond", "answer", "reporter"]),
    (Action::RespondVerdict, &["respond", "answer", "reporter"]),
    (Action::FinishSilent, &["finish", "response"]),
    (Action::FinishSummary, &["finish", "summary"]),
    (Action::DiscoveryTicket, &["discovery", "ticket"]),
];

/// How a pick begins.
const PICKS: [&str; 6] = ["choose", "pick", "take", "respond", "finish", "file"];

pub(super) fn check(lint: &mut Linting<'_>) {
    if let Some(section) = lint.shape.third() {
        if lint.is_gate() {
            pick(lint, section);
        } else {
            no_pick(lint, section);
        }
    }
    if lint.set == Some(Set::Negative) {
        negative(lint);
    }
    for section in &lint.shape.sections {
        for sentence in section.sentences() {
            baseline(lint, &sentence);
        }
        for line in &section.lines {
            citations(lint, line);
        }
    }
    if let Some(section) = lint.shape.section(CONTEXT) {
        context(lint, section);
    }
    if !lint.is_gate() {
        hotfix(lint);
    }
}

fn lower(sentence: &Sentence) -> String {
    prose(&sentence.text).to_lowercase()
}

fn count(text: &str, word: &str) -> usize {
    let all = super::register::words(text);
    let same = all
        .iter()
        .filter(|range| text.get((*range).clone()) == Some(word));
    same.count()
}

/// V25.
fn pick(lint: &mut Linting<'_>, section: &Section<'_>) {
    let sentences = section.sentences();
    let Some(last) = sentences.last() else {
        return;
    };
    let text = lower(last);
    match count(&text, "because") {
        0 => {
            lint.error("V25", last.span, "the last sentence has no because");
            return;
        }
        1 => {}
        _ => lint.warn("V25", last.span, "more than one because"),
    }
    if sentences.len() < 2 {
        lint.warn(
            "V25",
            last.span,
            "the pick stands alone, without what it is for",
        );
    }
    let wanted: Vec<&str> = match lint.message.recommended() {
        Some(row) => {
            let action = Action::of(&String::from_utf8_lossy(row.label.raw()));
            let names = NAMES.iter().find(|(own, _)| Some(*own) == action);
            names.map(|(_, words)| words.to_vec()).unwrap_or_default()
        }
        None => lint
            .message
            .rows
            .iter()
            .filter_map(|row| Action::of(&String::from_utf8_lossy(row.label.raw())))
            .filter_map(|action| NAMES.iter().find(|(own, _)| *own == action))
            .flat_map(|(_, words)| words.iter().copied())
            .collect(),
    };
    if !wanted.is_empty() && !wanted.iter().any(|word| text.contains(word)) {
        lint.warn("V25", last.span, "the last sentence does not name the pick");
    }
}

/// V26.
fn no_pick(lint: &mut Linting<'_>, section: &Section<'_>) {
    for sentence in section.sentences() {
        let text = lower(&sentence);
        let first = text.split_whitespace().next().unwrap_or_default();
        let begins = PICKS.iter().take(2).any(|word| *word == first);
        let names = ["hotfix", "brainstorm", "recommended"];
        if begins && names.iter().any(|word| text.contains(word))
            || text.contains("recommended pick")
        {
            lint.warn("V26", sentence.span, "it names a pick, there is no menu");
        }
    }
}

/// V27.
fn negative(lint: &mut Linting<'_>) {
    let says = [
        "nothing is broken",
        "is not broken",
        "nothing was broken",
        "cause is unknown",
        "unknown cause",
    ];
    let said = lint.shape.sections.iter().any(|section| {
        let mut all = section.sentences().into_iter();
        all.any(|sentence| {
            let text = lower(&sentence);
            says.iter().any(|words| text.contains(words))
        })
    });
    if said || lint.shape.sections.is_empty() {
        return;
    }
    let why = lint.shape.sections.get(1).or(lint.shape.sections.first());
    let span = why.map_or_else(|| lint.shape.end_span(), |section| section.heading.whole());
    lint.warn(
        "V27",
        span,
        "it does not say that nothing is broken or the cause unknown",
    );
}

/// V28: links, places in files and commits stand behind a comma and before the stop.
fn citations(lint: &mut Linting<'_>, line: &Line<'_>) {
    let text = line.text;
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (middle, _) in text.match_indices("](") {
        let open = text.get(..middle).and_then(|before| before.rfind('['));
        let close = text.get(middle..).and_then(|rest| rest.find(')'));
        if let (Some(open), Some(close)) = (open, close) {
            found.push((open, middle + close + 1));
        }
    }
    let ticks: Vec<usize> = text.match_indices('`').map(|(at, _)| at).collect();
    for pair in ticks.chunks_exact(2) {
        let [open, close] = pair else {
            continue;
        };
        let inside = text.get(open + 1..*close).unwrap_or_default();
        if is_place(inside) || is_commit(inside) {
            found.push((*open, close + 1));
        }
    }
    for (from, to) in found {
        let before = text.get(..from).unwrap_or_default().trim_end();
        let after = text.get(to..).unwrap_or_default();
        let named = ["commit", "fixed in", "in commit", "see", "("];
        let comma = before.ends_with(',')
            || named
                .iter()
                .any(|word| before.to_lowercase().ends_with(word));
        let stop = after.starts_with('.') || after.starts_with(')');
        if !(comma && stop) {
            let says = "a source stands behind a comma and before the stop";
            lint.warn("V28", line.span(from, to), says);
        }
    }
}

/// `path:12`.
fn is_place(text: &str) -> bool {
    text.rsplit_once(':').is_some_and(|(path, line)| {
        path.contains('.')
            && !line.is_empty()
            && line.bytes().all(|b| b.is_ascii_digit() || b == b'-')
    })
}

/// 7 to 40 hex digits, not all of them decimal.
fn is_commit(text: &str) -> bool {
    (7..=40).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_hexdigit() && !b.is_ascii_uppercase())
        && text.bytes().any(|b| b.is_ascii_digit())
}

/// V29.
fn baseline(lint: &mut Linting<'_>, sentence: &Sentence) {
    let text = lower(sentence);
    let chatter = [
        "tests pass",
        "all tests passed",
        "tests passed",
        "tests are green",
        "lint clean",
        "lint is clean",
        "build is green",
        "builds cleanly",
        "ci is green",
        "worktree is clean",
        "tree is clean",
        "no new warnings",
    ];
    if chatter.iter().any(|words| text.contains(words)) {
        lint.warn("V29", sentence.span, "routine, it decides nothing");
    }
}

/// V30.
fn context(lint: &mut Linting<'_>, section: &Section<'_>) {
    for sentence in section.sentences() {
        let text = lower(&sentence);
        let narrates = [
            "i ", "we ", "i've ", "we've ", "first i", "next i", "then i", "then we",
        ];
        if narrates.iter().any(|words| text.starts_with(words)) {
            lint.warn(
                "V30",
                sentence.span,
                "it tells what was done, not what was found",
            );
        }
    }
    let other: Vec<String> = lint
        .shape
        .sections
        .iter()
        .filter(|other| other.heading.number != section.heading.number)
        .flat_map(Section::sentences)
        .map(|sentence| lower(&sentence))
        .collect();
    for sentence in section.sentences() {
        if other.contains(&lower(&sentence)) {
            lint.warn("V30", sentence.span, "another section says the same");
        }
    }
}

/// V31.
fn hotfix(lint: &mut Linting<'_>) {
    let state = lint.given.hotfix.unwrap_or(Hotfix::None);
    let third: Vec<Sentence> = lint
        .shape
        .third()
        .map(Section::sentences)
        .unwrap_or_default();
    let third_line = lint.shape.third().map(|section| section.heading.number);
    let third_span = lint
        .shape
        .third()
        .map_or_else(|| lint.shape.end_span(), |s| s.heading.whole());
    let text = |sentences: &[Sentence]| {
        let all: Vec<&str> = sentences.iter().map(|s| s.text.as_str()).collect();
        all.join(" ")
    };
    let third_text = text(&third);
    let mut residual: Vec<Span> = Vec::new();
    for section in &lint.shape.sections {
        let own = Some(section.heading.number) == third_line;
        let context = section.name.eq_ignore_ascii_case(CONTEXT);
        for sentence in section.sentences() {
            let lower = sentence.text.to_lowercase();
            if lower.contains("not pushed yet") && !own {
                lint.error(
                    "V31",
                    sentence.span,
                    "what is not pushed is said in the third section",
                );
            }
            if !own && cites(&sentence.text) && matches!(state, Hotfix::Returned | Hotfix::Unpushed)
            {
                lint.error(
                    "V31",
                    sentence.span,
                    "commit and link stand in the third section",
                );
            }
            if lower.contains("worktree") || lower.contains(".worktrees/") {
                let tidy = ["removed", "cleaned up", "is gone", "are gone"];
                let left = [
                    "could not be removed",
                    "not removed",
                    "not cleaned up",
                    "still there",
                ];
                let clean = tidy.iter().any(|words| lower.contains(words))
                    && !left.iter().any(|words| lower.contains(words));
                if clean {
                    lint.error("V31", sentence.span, "what was cleaned up is not said");
                } else if context {
                    residual.push(sentence.span);
                } else {
                    lint.error(
                        "V31",
                        sentence.span,
                        "what is left behind is a line of Context",
                    );
                }
            }
        }
    }
    for span in residual.iter().skip(1) {
        lint.error("V31", *span, "what is left behind is one line");
    }
    match state {
        Hotfix::None | Hotfix::Aborted => {}
        Hotfix::Returned | Hotfix::Unpushed if !cites(&third_text) => {
            lint.error(
                "V31",
                third_span,
                "the third section names no commit and no link",
            );
        }
        Hotfix::Returned | Hotfix::Unpushed => {}
    }
    if state == Hotfix::Unpushed {
        let said = third_text.contains("not pushed yet") && third_text.contains("undo it with `");
        if !said {
            let says = "it says neither `it is not pushed yet` nor how to undo it";
            lint.error("V31", third_span, says);
        }
    }
}

/// Whether a text holds a commit or a link.
fn cites(text: &str) -> bool {
    let spans = text.split('`').skip(1).step_by(2);
    text.contains("](") || text.contains("https://") || spans.into_iter().any(is_commit)
}
