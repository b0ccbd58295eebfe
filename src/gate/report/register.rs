//! The register as data: shorthand of a chase, what to say instead, and how it is found in prose
//! (verdict-menus 2.7, edge 11).

use std::ops::Range;

/// A shorthand and what to say instead.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The words, lower case; the last one may be plural.
    pub term: &'static str,
    /// What to say instead.
    pub instead: &'static str,
}

const fn entry(term: &'static str, instead: &'static str) -> Entry {
    Entry { term, instead }
}

/// The table.
pub const REGISTER: [Entry; 13] = [
    entry(
        "ci runs lint",
        "the automatic check looks for rule violations in the code",
    ),
    entry("call site", "where the code begins this step"),
    entry("callsite", "where the code begins this step"),
    entry(
        "normalize a path",
        "bring an address into one standard form",
    ),
    entry(
        "normalise a path",
        "bring an address into one standard form",
    ),
    entry(
        "regression test",
        "a test repeating the failing action so it stays fixed",
    ),
    entry(
        "falsification test",
        "what was changed and what was then observed",
    ),
    entry("predicate", "the named safety or scope check"),
    entry("router", "the part matching web addresses to pages"),
    entry("fixture", "sample data"),
    entry(
        "clean browser profile",
        "browser settings without saved preferences",
    ),
    entry(
        "cache",
        "a kept copy that avoids redoing work, plus whose copy",
    ),
    entry(
        "api routing documentation",
        "the written rules for page addresses",
    ),
];

/// A hit: its bytes in the text, and the entry.
#[derive(Clone, Debug)]
pub struct Hit {
    /// The bytes of it.
    pub span: Range<usize>,
    /// Which.
    pub entry: Entry,
}

/// Every shorthand of a line. Code spans and web addresses are skipped; the label of a link is
/// read, its target is not.
#[must_use]
pub fn find(line: &str) -> Vec<Hit> {
    let bare = prose(line).to_ascii_lowercase();
    let words = words(&bare);
    let mut hits = Vec::new();
    for at in 0..words.len() {
        let hit = REGISTER.iter().find_map(|entry| {
            let span = matches(&bare, words.get(at..)?, entry.term)?;
            Some(Hit {
                span,
                entry: *entry,
            })
        });
        hits.extend(hit);
    }
    hits
}

/// The line with code spans, link targets and web addresses blanked, byte for byte as long.
#[must_use]
pub fn prose(line: &str) -> String {
    let mut out: Vec<u8> = line.as_bytes().to_vec();
    let mut blank = |range: Range<usize>| {
        if let Some(bytes) = out.get_mut(range) {
            bytes.fill(b' ');
        }
    };
    let mut at = 0;
    while let Some(found) = line.get(at..).and_then(|rest| rest.find('`')) {
        let start = at + found;
        let ticks = line.get(start..).unwrap_or_default();
        let ticks = ticks.bytes().take_while(|b| *b == b'`').count();
        let mark = "`".repeat(ticks);
        let inside = start + ticks;
        let close = line.get(inside..).and_then(|rest| rest.find(&mark));
        match close {
            Some(length) => {
                blank(start..inside + length + ticks);
                at = inside + length + ticks;
            }
            None => at = inside,
        }
    }
    for (open, _) in line.match_indices("](") {
        let from = open + 2;
        if let Some(close) = line.get(from..).and_then(|rest| rest.find(')')) {
            blank(from..from + close);
        }
    }
    for scheme in ["https://", "http://"] {
        for (from, _) in line.match_indices(scheme) {
            let rest = line.get(from..).unwrap_or_default();
            let end = rest
                .find(|c: char| c.is_whitespace() || c == ')')
                .unwrap_or(rest.len());
            blank(from..from + end);
        }
    }
    String::from_utf8(out).unwrap_or_default()
}

/// Byte ranges of the words; a hyphen parts two.
pub(super) fn words(text: &str) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, character) in text.char_indices() {
        match (character.is_alphanumeric() || character == '_', start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                words.push(from..at);
                start = None;
            }
            _ => {}
        }
    }
    if let Some(from) = start {
        words.push(from..text.len());
    }
    words
}

fn matches(text: &str, words: &[Range<usize>], term: &str) -> Option<Range<usize>> {
    let parts: Vec<&str> = term.split(' ').collect();
    let last = parts.len().checked_sub(1)?;
    for (index, part) in parts.iter().enumerate() {
        let word = text.get(words.get(index)?.clone())?;
        let same = if index == last {
            word == *part || plural(word, part)
        } else if *part == "a" {
            matches!(word, "a" | "the" | "this" | "that" | "each" | "every")
        } else if part.starts_with("normali") {
            let stem = part.trim_end_matches('e');
            let ending = word.strip_prefix(stem)?;
            matches!(ending, "e" | "es" | "ed" | "ing")
        } else {
            word == *part
        };
        if !same {
            return None;
        }
    }
    Some(words.first()?.start..words.get(last)?.end)
}

fn plural(word: &str, of: &str) -> bool {
    word.strip_prefix(of)
        .is_some_and(|ending| matches!(ending, "s" | "es"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(line: &str) -> Vec<&str> {
        let hits = find(line);
        hits.iter()
            .filter_map(|hit| line.get(hit.span.clone()))
            .collect()
    }

    #[test]
    fn shorthand_is_found_as_words_in_any_case_and_number() {
        let rows: [(&str, &[&str]); 16] = [
            ("The router drops it.", &["router"]),
            ("Both Routers and caches.", &["Routers", "caches"]),
            ("the page is cached", &[]),
            ("rerouter, routerless, fixtured", &[]),
            ("`router` and ``a `cache` b``", &[]),
            ("see https://x.example/router/cache now", &[]),
            (
                "The rule, [router rules](https://x.example/cache).",
                &["router"],
            ),
            (
                "the call-site, a call site, two callsites",
                &["call-site", "call site", "callsites"],
            ),
            ("it normalizes the path", &["normalizes the path"]),
            (
                "normalising a path, normalised paths",
                &["normalising a path"],
            ),
            ("it normalizes the volume", &[]),
            ("CI runs lint here", &["CI runs lint"]),
            ("a test of regression", &[]),
            ("Regression tests", &["Regression tests"]),
            ("an open ` router", &["router"]),
            ("dämpfer router", &["router"]),
        ];
        for (line, wanted) in rows {
            assert_eq!(found(line), wanted, "{line}");
        }
    }
}
