//! Which files of the tree a command reads, for the few commands whose words say it. Everything
//! else reads who knows what: a script, a build tool, a glob, a variable. No answer is ever a
//! guess: a command that is not on the list is [`Reads::Unknown`].

use crate::model::id::RepoPath;

/// What a command reads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reads {
    /// These files and folders, and nothing else of the tree.
    Only(Vec<RepoPath>),
    /// Nobody can tell from its words.
    Unknown,
}

/// Programs that read exactly the files among their words, with the letters that may stand in
/// their options and how many words come before the first file.
const READERS: [(&str, &str, usize); 12] = [
    ("grep", "qcivnxwEFshHlo", 1),
    ("egrep", "qcivnxwshHlo", 1),
    ("fgrep", "qcivnxwshHlo", 1),
    ("cat", "nbs", 0),
    ("head", "nc0123456789", 0),
    ("tail", "nc0123456789", 0),
    ("wc", "lcwm", 0),
    ("cmp", "s", 0),
    ("diff", "quwb", 0),
    ("test", "fesxrdnz", 0),
    ("[", "fesxrdnz", 0),
    ("sort", "nru", 0),
];

/// Programs that read no file at all.
const SPEAKERS: [&str; 4] = ["echo", "printf", "true", "false"];

/// Operators of `test` that are no files.
const OPERATORS: [&str; 12] = [
    "!", "]", "=", "!=", "==", "-a", "-o", "-eq", "-ne", "-gt", "-lt", "-ge",
];

/// The files that a command reads, as far as its words say it.
#[must_use]
pub fn reads(check: &str) -> Reads {
    let Some(commands) = commands(check) else {
        return Reads::Unknown;
    };
    let mut all = Vec::new();
    for words in commands {
        let Some(files) = files(&words) else {
            return Reads::Unknown;
        };
        all.extend(files);
    }
    all.sort();
    all.dedup();
    Reads::Only(all)
}

/// The files among the words of one command.
fn files(words: &[String]) -> Option<Vec<RepoPath>> {
    let (program, rest) = words.split_first()?;
    if SPEAKERS.contains(&program.as_str()) {
        return Some(Vec::new());
    }
    let mut known = READERS.iter();
    let (_, letters, skip) = known.find(|(name, _, _)| name == program)?;
    let testing = matches!(program.as_str(), "test" | "[");
    let mut plain = Vec::new();
    for word in rest {
        if testing && OPERATORS.contains(&word.as_str()) {
            continue;
        }
        match word.strip_prefix('-') {
            Some(option) if option.is_empty() || option.chars().any(|c| !letters.contains(c)) => {
                return None;
            }
            Some(_) => {}
            None => plain.push(word),
        }
    }
    let paths = plain.into_iter().skip(*skip);
    paths.map(|word| path(word)).collect()
}

/// A word as a path from the root of the tree; none where it leads elsewhere.
fn path(word: &str) -> Option<RepoPath> {
    let word = word
        .strip_prefix("./")
        .unwrap_or(word)
        .trim_end_matches('/');
    let inside = word
        .split('/')
        .all(|part| !matches!(part, "" | "." | "..") && !part.eq_ignore_ascii_case(".git"));
    inside.then(|| RepoPath::from(word))
}

/// The commands of a line, each as its words; none where the line is more than plain words joined
/// by `&&`, `||`, `;` and `|`.
fn commands(text: &str) -> Option<Vec<Vec<String>>> {
    let mut out = Vec::new();
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = text.trim().chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            ' ' | '\t' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next()? {
                        '\'' => break,
                        inside => word.push(inside),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next()? {
                        '"' => break,
                        '$' | '`' | '\\' | '!' => return None,
                        inside => word.push(inside),
                    }
                }
            }
            ';' | '|' | '&' => {
                let double = letters.next_if_eq(&letter).is_some();
                if (letter == '&' && !double) || (letter == ';' && double) {
                    return None;
                }
                words.extend(word.take());
                out.push(std::mem::take(&mut words));
            }
            '!' if word.is_none() && letters.peek() == Some(&' ') => {
                if words.iter().any(|one| matches!(one.as_str(), "test" | "[")) {
                    words.push("!".into());
                } else if !words.is_empty() {
                    return None;
                }
            }
            plain if plain.is_alphanumeric() || "._-/=:,+@%]".contains(plain) => {
                word.get_or_insert_default().push(plain);
            }
            '[' if word.is_none() && words.is_empty() && letters.peek() == Some(&' ') => {
                word = Some("[".into());
            }
            _ => return None,
        }
    }
    words.extend(word);
    out.push(words);
    // an assignment before a program changes what it does
    let assigns = |words: &Vec<String>| words.first().is_none_or(|word| word.contains('='));
    (!out.iter().any(assigns)).then_some(out)
}
