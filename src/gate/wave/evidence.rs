//! Whether the evidence of a result is one runnable, selective command with at most three result
//! lines (fix-wave `### Admission`, step 3). Nothing is run: the command is read as words.

use super::lines::split_at;
use crate::model::text::{Foreign, Place};

/// Most result lines after the command.
const RESULTS: usize = 3;

/// What the evidence of one row is worth.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Judged {
    /// It is in order.
    Fine {
        /// The command.
        command: String,
        /// How it selects.
        by: By,
    },
    /// It is not; everything that is wrong, as fragments.
    Miss(Vec<String>),
    /// It depends on what is not known: how a runner ends when its filter selects nothing.
    Unknown(String),
}

/// What makes a command selective.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum By {
    /// A file or the id of a test.
    FileOrId,
    /// A filter that fails when it selects nothing.
    Filter,
    /// The command asserts something itself.
    Assertion,
}

impl By {
    /// The word as printed.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::FileOrId => "file or test id",
            Self::Filter => "filter",
            Self::Assertion => "assertion",
        }
    }
}

/// How a runner ends when a filter selects nothing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum WhenNone {
    Fails,
    Passes,
    /// Passes, but fails with this word on the command line.
    FailsWith(&'static str),
}

/// Runners by the words that must stand in the command, in order; the first that fits counts.
const RUNNERS: [(&[&str], WhenNone); 17] = [
    (&["pytest"], WhenNone::Fails),
    (&["cargo", "nextest"], WhenNone::Fails),
    (&["cargo", "test"], WhenNone::Passes),
    (&["go", "test"], WhenNone::Passes),
    (&["playwright", "test"], WhenNone::Fails),
    (&["jest"], WhenNone::Passes),
    (&["vitest"], WhenNone::Passes),
    (&["mocha"], WhenNone::FailsWith("--fail-zero")),
    (&["rspec"], WhenNone::FailsWith("--fail-if-no-examples")),
    (&["ctest"], WhenNone::FailsWith("--no-tests=error")),
    (&["gradle"], WhenNone::Fails),
    (&["gradlew"], WhenNone::Fails),
    (&["mvn"], WhenNone::Fails),
    (&["mix", "test"], WhenNone::Fails),
    (&["dotnet", "test"], WhenNone::Passes),
    (&["node", "--test"], WhenNone::Passes),
    (&["deno", "test"], WhenNone::Passes),
];

/// Programs that assert something by their exit: name, and whether these words let it.
type Assertion = (&'static str, fn(&[String]) -> bool);

const ASSERTIONS: [Assertion; 15] = [
    ("test", |words| !words.is_empty()),
    ("[", |words| {
        words.len() > 1 && words.last().is_some_and(|w| w == "]")
    }),
    ("grep", |words| operands(words) >= 2),
    ("egrep", |words| operands(words) >= 2),
    ("fgrep", |words| operands(words) >= 2),
    ("rg", |words| operands(words) >= 2),
    ("diff", |words| operands(words) == 2),
    ("cmp", |words| operands(words) == 2),
    ("jq", |words| has(words, &["-e", "--exit-status"])),
    ("git", asserting_git),
    ("sha256sum", |words| has(words, &["-c", "--check"])),
    ("python", |words| {
        asserting_code(words, &["assert", "sys.exit", "raise"])
    }),
    ("python3", |words| {
        asserting_code(words, &["assert", "sys.exit", "raise"])
    }),
    ("node", |words| {
        asserting_code(words, &["assert", "process.exit", "throw"])
    }),
    ("perl", |words| asserting_code(words, &["die", "exit"])),
];

fn operands(words: &[String]) -> usize {
    words.iter().filter(|word| !word.starts_with('-')).count()
}

fn has(words: &[String], wanted: &[&str]) -> bool {
    words.iter().any(|word| wanted.contains(&word.as_str()))
}

fn asserting_git(words: &[String]) -> bool {
    match words.first().map(String::as_str) {
        Some("diff") => has(words, &["--exit-code", "--quiet"]),
        Some("grep") => operands(words) >= 2,
        _ => false,
    }
}

fn asserting_code(words: &[String], marks: &[&str]) -> bool {
    let at = words.iter().position(|word| word == "-c" || word == "-e");
    let code = at.and_then(|at| words.get(at + 1));
    code.is_some_and(|code| marks.iter().any(|mark| code.contains(mark)))
}

/// Judges the evidence cell of a row (escapes resolved) against the verification command of the
/// ledger and the scoped commands of the task; no scoped command means `none`.
#[must_use]
pub fn judge(evidence: &str, verification: Option<&str>, scoped: &[String]) -> Judged {
    let mut parts = split_at(evidence, b';').into_iter();
    let command = parts.next().unwrap_or_default().trim().to_owned();
    let results = parts.filter(|part| !part.trim().is_empty()).count();
    let mut wrong = Vec::new();
    if results > RESULTS {
        wrong.push(format!("{results} result lines, at most {RESULTS}"));
    }
    if command.is_empty() {
        wrong.push("no command stands first".to_owned());
        return Judged::Miss(wrong);
    }
    for mark in [";", "|", "&&"] {
        if command.contains(mark) {
            wrong.push(format!("the command holds {mark}"));
        }
    }
    let Some(words) = words(&command) else {
        wrong.push("the command has a quote without its end".to_owned());
        return Judged::Miss(wrong);
    };
    if verification.is_some_and(|whole| same_command(&words, whole)) {
        wrong.push("it is the whole verification command".to_owned());
    }
    let selected = selection(&words, scoped);
    match selected {
        Selection::Nothing => wrong.push(format!(
            "{} selects no file, test id, filter or assertion",
            shown(&command)
        )),
        Selection::NoRunner => wrong.push(format!(
            "{} is none of the scoped commands and no assertion",
            shown(words.first().map_or("", String::as_str))
        )),
        Selection::EmptyPasses => wrong.push(
            "its filter passes when it selects nothing; select a file or a test id".to_owned(),
        ),
        Selection::CannotTell | Selection::By(_) => {}
    }
    if !wrong.is_empty() {
        return Judged::Miss(wrong);
    }
    match selected {
        Selection::By(by) => Judged::Fine { command, by },
        _ => Judged::Unknown(format!(
            "how {} ends when its filter selects nothing is not known",
            shown(words.first().map_or("", String::as_str))
        )),
    }
}

fn shown(text: &str) -> String {
    let cut: String = text.chars().take(60).collect();
    Foreign::from(cut).shown(Place::Strict).plain()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Selection {
    By(By),
    EmptyPasses,
    CannotTell,
    Nothing,
    NoRunner,
}

fn selection(words: &[String], scoped: &[String]) -> Selection {
    let settings = words.iter().take_while(|word| is_setting(word)).count();
    let words = words.get(settings..).unwrap_or_default();
    let rests: Vec<&[String]> = scoped
        .iter()
        .filter_map(|command| after_runner(words, command))
        .collect();
    // the runner that leaves the fewest words is the most exact one
    if let Some(rest) = rests.into_iter().min_by_key(|rest| rest.len()) {
        return chosen(words, rest);
    }
    let bare = match words {
        [not, rest @ ..] if not == "!" => rest,
        all => all,
    };
    let Some((program, rest)) = bare.split_first() else {
        return Selection::NoRunner;
    };
    let name = program.rsplit('/').next().unwrap_or(program);
    match ASSERTIONS.iter().find(|(known, _)| *known == name) {
        Some((_, asserts)) if asserts(rest) => Selection::By(By::Assertion),
        Some(_) => Selection::Nothing,
        None => Selection::NoRunner,
    }
}

/// `NAME=value` before a command.
fn is_setting(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    })
}

/// What stands after the runner of a scoped command; `None` when it is another runner.
fn after_runner<'w>(words: &'w [String], scoped: &str) -> Option<&'w [String]> {
    let scoped = without_folder(scoped);
    let scoped: Vec<String> = self::words(scoped)?
        .into_iter()
        .skip_while(|word| is_setting(word))
        .collect();
    let runner = scoped
        .iter()
        .enumerate()
        .take_while(|(at, word)| !is_placeholder(word) && (*at == 0 || !is_file(word)))
        .count();
    let runner = scoped.get(..runner).filter(|runner| !runner.is_empty())?;
    words.strip_prefix(runner)
}

/// The command without its documented `cd DIR &&` in front.
fn without_folder(command: &str) -> &str {
    let trimmed = command.trim();
    if !trimmed.starts_with("cd ") {
        return trimmed;
    }
    trimmed
        .split_once("&&")
        .map_or(trimmed, |(_, rest)| rest.trim_start())
}

fn is_placeholder(word: &str) -> bool {
    word.contains('<') && word.contains('>')
}

/// A word that names a file: it has a folder or an ending, and is no option and no wildcard for
/// everything.
fn is_file(word: &str) -> bool {
    if word.starts_with('-') || word.ends_with('/') || word.ends_with("...") {
        return false;
    }
    let name = word.rsplit('/').next().unwrap_or(word);
    let ending = name.rsplit_once('.').is_some_and(|(stem, end)| {
        !stem.is_empty()
            && !stem.chars().all(|c| c == '.')
            && !end.is_empty()
            && end.bytes().all(|b| b.is_ascii_alphanumeric())
    });
    ending || (word.contains('/') && !matches!(name, "" | "." | ".."))
}

/// A word that names one test.
fn is_test_id(word: &str) -> bool {
    !word.starts_with('-')
        && word
            .split_once("::")
            .is_some_and(|(_, test)| !test.is_empty())
}

fn chosen(words: &[String], rest: &[String]) -> Selection {
    let file = |word: &String| is_file(word) || is_test_id(word);
    if rest.iter().any(file) {
        return Selection::By(By::FileOrId);
    }
    let filter = rest.iter().enumerate().any(|(at, word)| {
        let value = at > 0
            && rest
                .get(at - 1)
                .is_some_and(|before| is_filter_flag(before));
        let bare = !word.starts_with('-') && !is_everything(word);
        value
            || bare
            || word
                .split_once('=')
                .is_some_and(|(flag, _)| is_filter_flag(flag))
    });
    if !filter {
        return Selection::Nothing;
    }
    let holds = |needed: &[&str]| {
        let mut left = needed.iter().peekable();
        for word in words {
            let name = word.rsplit('/').next().unwrap_or(word);
            if left.peek().is_some_and(|wanted| **wanted == name) {
                left.next();
            }
        }
        left.peek().is_none()
    };
    match RUNNERS.iter().find(|(needed, _)| holds(needed)) {
        Some((_, WhenNone::Fails)) => Selection::By(By::Filter),
        Some((_, WhenNone::FailsWith(word))) if words.iter().any(|w| w == word) => {
            Selection::By(By::Filter)
        }
        Some(_) => Selection::EmptyPasses,
        None => Selection::CannotTell,
    }
}

fn is_everything(word: &str) -> bool {
    word.ends_with('/') || word.ends_with("...") || matches!(word, "." | ".." | "*")
}

fn is_filter_flag(word: &str) -> bool {
    const FLAGS: [&str; 14] = [
        "-k",
        "-t",
        "-g",
        "-e",
        "-R",
        "-run",
        "--run",
        "--grep",
        "--filter",
        "--tests",
        "--only",
        "--testNamePattern",
        "--test-name-pattern",
        "-Dtest",
    ];
    FLAGS.contains(&word)
}

fn same_command(words: &[String], whole: &str) -> bool {
    let plain = |text: &str| self::words(text).is_some_and(|other| other == words);
    plain(whole) || plain(without_folder(whole))
}

/// The words of a command, quotes taken off; `None` when a quote does not end.
fn words(command: &str) -> Option<Vec<String>> {
    let mut out = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = command.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next()? {
                        '\'' => break,
                        inner => word.push(inner),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next()? {
                        '"' => break,
                        '\\' => word.push(letters.next()?),
                        inner => word.push(inner),
                    }
                }
            }
            '\\' => word.get_or_insert_default().push(letters.next()?),
            blank if blank.is_whitespace() => out.extend(word.take()),
            other => word.get_or_insert_default().push(other),
        }
    }
    out.extend(word);
    Some(out)
}
