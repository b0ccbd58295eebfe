//! The rule of scoped checks (verify-gate 1.3): which targets a map selects for the changed paths,
//! and whether what a request quotes of such a run may be read as one. A scoped pass is never
//! called a full one; anything that the map does not know asks for the full run.

use std::collections::BTreeSet;

use crate::model::id::RepoPath;

/// The map of a repository, `.idh-checks.json`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Checks {
    /// The target that runs everything.
    pub full: String,
    /// All targets, in declared order.
    pub targets: Vec<String>,
    /// Patterns, and the targets they select.
    pub rules: Vec<(Vec<String>, Vec<String>)>,
}

/// What a map selects.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Selection {
    /// These targets, in declared order, and those left out.
    Scoped(Vec<String>, Vec<String>),
    /// The full target; why.
    Full(String),
}

/// What a request says of its checks, and whether it holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Scoped {
    /// It quotes no scoped run.
    Silent,
    /// It quotes one, and it is the one that its changed paths select.
    Holds(Vec<String>),
    /// It quotes one that proves nothing; why.
    Refused(String),
}

/// The union of what every matching rule selects; the full target when a path matches none.
#[must_use]
pub fn select(map: &Checks, changed: &[RepoPath]) -> Selection {
    if changed.is_empty() {
        return Selection::Full("no path is changed".to_owned());
    }
    let mut chosen: BTreeSet<&str> = BTreeSet::new();
    for path in changed {
        let Ok(text) = std::str::from_utf8(path.as_bytes()) else {
            return Selection::Full("a changed path is not UTF-8".to_owned());
        };
        let mut mapped = false;
        for (patterns, targets) in &map.rules {
            if patterns.iter().any(|pattern| matches(pattern, text)) {
                mapped = true;
                chosen.extend(targets.iter().map(String::as_str));
            }
        }
        if !mapped {
            return Selection::Full(format!("no rule maps {text}"));
        }
    }
    let (selected, skipped) = map
        .targets
        .iter()
        .cloned()
        .partition(|target| chosen.contains(target.as_str()));
    Selection::Scoped(selected, skipped)
}

/// Judges what a request quotes against what its changed paths select. `map` is `None` where the
/// repository has none.
#[must_use]
pub fn judge(map: Option<&Checks>, changed: &[RepoPath], body: &str) -> Scoped {
    let (selected, skipped) = (line(body, "selected:"), line(body, "skipped:"));
    let (selected, skipped) = match (selected, skipped) {
        (None, None) => return Scoped::Silent,
        (Some(selected), Some(skipped)) => (selected, skipped),
        (Some(_), None) => return refused("it quotes selected: and not skipped:"),
        (None, Some(_)) => return refused("it quotes skipped: and not selected:"),
    };
    let Some(map) = map else {
        return refused("the repository has no .idh-checks.json");
    };
    if changed.iter().any(|path| path.as_bytes().ends_with(b".py")) {
        return refused("Python code is changed, and no scoped run covers that");
    }
    let (wanted, left) = match select(map, changed) {
        Selection::Full(why) => return refused(&format!("the full target is due: {why}")),
        Selection::Scoped(wanted, left) => (wanted, left),
    };
    let none = skipped == ["none"];
    let same = selected == wanted
        && (if none {
            left.is_empty()
        } else {
            skipped == left
        });
    if same {
        Scoped::Holds(wanted)
    } else {
        let left = if left.is_empty() {
            "none".to_owned()
        } else {
            left.join(" ")
        };
        refused(&format!(
            "the changed paths select {}, skipped {left}",
            wanted.join(" ")
        ))
    }
}

fn refused(why: &str) -> Scoped {
    Scoped::Refused(why.to_owned())
}

/// The words of the only line that begins so; a backtick or list mark before it is looked over.
fn line<'a>(body: &'a str, begins: &str) -> Option<Vec<&'a str>> {
    let mut found = body.lines().filter_map(|line| {
        let line = line.trim().trim_start_matches(['-', '*', ' ', '`']);
        let rest = line.strip_prefix(begins)?;
        Some(rest.trim_end_matches('`').split_whitespace().collect())
    });
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// A pattern as Python's `fnmatch` reads it: `*` crosses `/`, the whole path, capitals count,
/// `[!x]` negates, `**` is nothing special.
#[must_use]
pub fn matches(pattern: &str, path: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let path: Vec<char> = path.chars().collect();
    let (mut at, mut here) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while here < path.len() {
        let next = match pattern.get(at) {
            Some('*') => {
                star = Some((at, here));
                at += 1;
                continue;
            }
            Some(_) => one(&pattern, at, path.get(here).copied().unwrap_or_default()),
            None => None,
        };
        match (next, star) {
            (Some(next), _) => {
                at = next;
                here += 1;
            }
            (None, Some((before, from))) => {
                star = Some((before, from + 1));
                (at, here) = (before + 1, from + 1);
            }
            (None, None) => return false,
        }
    }
    pattern
        .get(at..)
        .is_some_and(|rest| rest.iter().all(|c| *c == '*'))
}

/// Where the pattern goes on when its part at `at` takes this character.
fn one(pattern: &[char], at: usize, c: char) -> Option<usize> {
    match pattern.get(at)? {
        '?' => Some(at + 1),
        '[' => {
            let not = pattern.get(at + 1) == Some(&'!');
            let first = at + 1 + usize::from(not);
            let close = (first + 1..pattern.len()).find(|i| pattern.get(*i) == Some(&']'));
            let Some(close) = close else {
                return (c == '[').then_some(at + 1);
            };
            let set = pattern.get(first..close)?;
            let mut inside = false;
            let mut i = 0;
            while let Some(low) = set.get(i) {
                match (set.get(i + 1), set.get(i + 2)) {
                    (Some('-'), Some(high)) => {
                        inside |= (*low..=*high).contains(&c);
                        i += 3;
                    }
                    _ => {
                        inside |= *low == c;
                        i += 1;
                    }
                }
            }
            (inside != not).then_some(close + 1)
        }
        plain => (*plain == c).then_some(at + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_those_of_fnmatch() {
        for (pattern, path, wanted) in [
            ("*.rs", "src/deep/a.rs", true),
            ("src/*", "src/a/b", true),
            ("src/*", "src/", true),
            ("src/*", "src", false),
            ("**/a", "x/y/a", true),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("[ab]/x", "a/x", true),
            ("[!ab]/x", "a/x", false),
            ("[!ab]/x", "c/x", true),
            ("[a-c]x", "bx", true),
            ("[]]x", "]x", true),
            ("[a", "[a", true),
            ("A.rs", "a.rs", false),
            ("a", "ab", false),
            ("*a*b", "xaxxab", true),
            ("", "", true),
        ] {
            assert_eq!(matches(pattern, path), wanted, "{pattern} {path}");
        }
    }

    fn map() -> Checks {
        let list = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        Checks {
            full: "check".into(),
            targets: list("docs rust web"),
            rules: vec![
                (list("*.md docs/*"), list("docs")),
                (list("src/* Cargo.toml"), list("rust")),
                (list("src/web/*"), list("web")),
            ],
        }
    }

    #[test]
    fn a_quoted_run_counts_only_as_what_the_paths_select() {
        let body = |selected: &str, skipped: &str| {
            format!("x\n`selected: {selected}`\nskipped: {skipped}\n")
        };
        let rows: [(&str, String, &str); 11] = [
            ("a.md", "nothing".into(), "silent"),
            ("a.md", body("docs", "rust web"), "holds docs"),
            ("a.md src/a.rs", body("docs rust", "web"), "holds docs rust"),
            (
                "src/web/a.js a.md",
                body("docs rust web", "none"),
                "holds docs rust web",
            ),
            (
                "src/web/a.js",
                body("web", "docs rust"),
                "select rust web, skipped docs",
            ),
            (
                "a.md",
                body("docs", "none"),
                "select docs, skipped rust web",
            ),
            ("a.md b.c", body("docs", "rust web"), "no rule maps b.c"),
            (
                "docs/a.py",
                body("docs", "rust web"),
                "Python code is changed",
            ),
            ("", body("docs", "rust web"), "no path is changed"),
            ("a.md", "selected: docs\n".into(), "not skipped:"),
            (
                "a.md",
                body("docs", "rust web") + "selected: docs\n",
                "not selected:",
            ),
        ];
        for (paths, body, wanted) in rows {
            let changed: Vec<RepoPath> = paths
                .split(' ')
                .filter(|p| !p.is_empty())
                .map(RepoPath::from)
                .collect();
            let got = match judge(Some(&map()), &changed, &body) {
                Scoped::Silent => "silent".to_owned(),
                Scoped::Holds(targets) => format!("holds {}", targets.join(" ")),
                Scoped::Refused(why) => why,
            };
            assert!(got.contains(wanted), "{paths}: {got}");
        }
        let got = judge(None, &[], &body("docs", "none"));
        assert!(matches!(got, Scoped::Refused(why) if why.contains("no .idh-checks.json")));
    }
}
