//! Small marks inside text, the same in every format: `[gated DATE]`, optional and post-merge
//! marks, placeholders, and the paths, commands and tests that a text names.

use crate::model::contract::{Anchors, Gated};
use crate::model::text::Foreign;

/// Every `[gated ...]` of a text whose first line is `line`; the mark may wrap over a line end.
pub(super) fn gated(text: &str, line: u32) -> Vec<Gated> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find("[gated")) {
        let start = from + at;
        from = start + "[gated".len();
        let Some(rest) = text.get(from..) else { break };
        let Some(close) = rest.find(']') else { break };
        let body = rest.get(..close).unwrap_or_default();
        if body.starts_with(|c: char| c.is_alphanumeric() || c == '-' || c == '_') {
            continue;
        }
        let before = text.get(..start).unwrap_or_default();
        let lines = u32::try_from(before.matches('\n').count()).unwrap_or(u32::MAX);
        let body = body.split_whitespace().collect::<Vec<_>>().join(" ");
        let dated = body.get(..10).filter(|date| is_date(date));
        let note = match dated {
            Some(date) => body.get(date.len()..).unwrap_or_default(),
            None => &body,
        };
        found.push(Gated {
            date: dated.map(Foreign::from),
            note: Foreign::from(note.trim_matches([':', ',', ';', ' '])),
            line: line.saturating_add(lines),
        });
    }
    found
}

/// Whether this is `YYYY-MM-DD`.
pub(super) fn is_date(text: &str) -> bool {
    text.len() == 10
        && text.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

/// Whether the text carries this word as a mark: in brackets or parentheses at either end, or in
/// front with a colon. A mere mention (`the OPTIONAL flag`) is none.
pub(super) fn marked(text: &str, word: &str) -> bool {
    let text = text.trim().to_ascii_lowercase();
    let text = text.trim_end_matches(['.', '*', ' ']);
    [format!("({word})"), format!("[{word}]")]
        .iter()
        .any(|mark| text.starts_with(mark.as_str()) || text.ends_with(mark.as_str()))
        || text.starts_with(&format!("{word}:"))
        || text.starts_with(&format!("**{word}**"))
}

/// Whether the text only holds the place of one that was never written: `TBD`, `n/a`,
/// `<criterion>`, `[fill in]`, a comment.
pub(super) fn is_placeholder(text: &str) -> bool {
    let text = text.trim().trim_matches(['*', '_', '`']).trim();
    let plain = text.trim_end_matches(['.', '…', '!', ':']).trim();
    let word = plain.to_ascii_lowercase();
    let words = [
        "",
        "tbd",
        "tba",
        "todo",
        "n/a",
        "na",
        "none",
        "none yet",
        "coming soon",
        "to be defined",
        "to be decided",
        "fill in",
        "xxx",
        "placeholder",
        "criterion",
        "criterion 1",
        "criterion 2",
        "criterion 3",
    ];
    words.contains(&word.as_str()) || is_bracketed(text)
}

fn is_bracketed(text: &str) -> bool {
    let inner = text
        .strip_prefix('<')
        .and_then(|rest| rest.strip_suffix('>'))
        .filter(|inner| !inner.contains('<'))
        .or_else(|| {
            text.strip_prefix('[')
                .and_then(|rest| rest.strip_suffix(']'))
                .filter(|inner| !inner.contains('['))
        })
        .or_else(|| {
            text.strip_prefix('{')
                .and_then(|rest| rest.strip_suffix('}'))
        });
    let comment = text.starts_with("<!--") && text.ends_with("-->");
    comment || inner.is_some()
}

/// What a text names: paths, commands in code spans, test ids.
pub(super) fn anchors(text: &str) -> Anchors {
    let mut out = Anchors::default();
    for (index, part) in text.split('`').enumerate() {
        if index % 2 == 1 {
            code_span(part.trim(), &mut out);
        } else {
            for word in part.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '"')) {
                let word = word.trim_matches([',', ';', ':', '\'', '[', ']', '*', '!', '?']);
                let word = word.trim_end_matches('.');
                if is_bare_path(word) {
                    push(&mut out.paths, word);
                } else if is_test(word) {
                    push(&mut out.tests, word);
                }
            }
        }
    }
    out
}

fn code_span(span: &str, out: &mut Anchors) {
    if span.is_empty() {
        return;
    }
    if span.contains(char::is_whitespace) {
        push(&mut out.commands, span);
        for word in span.split_whitespace() {
            let word = word.trim_matches(['\'', '"', ';', ',']);
            if is_bare_path(word) {
                push(&mut out.paths, word);
            }
        }
    } else if is_test(span) {
        push(&mut out.tests, span);
    } else if is_bare_path(span) || is_file_name(span) || is_marked_path(span) {
        push(&mut out.paths, span);
    }
}

/// Whether a word that the author set as code is a path: a slash is enough there (`bin/ferry`).
fn is_marked_path(word: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '*' | '@');
    let named = |part: &str| part.chars().any(char::is_alphabetic) || part == "*" || part == "**";
    word.contains('/')
        && !word.starts_with(['/', '-'])
        && word.chars().all(plain)
        && word.trim_end_matches('/').split('/').all(named)
}

fn push(list: &mut Vec<Foreign>, word: &str) {
    let word = Foreign::from(word);
    if !list.contains(&word) {
        list.push(word);
    }
}

/// Extensions that make a bare word a file name.
const EXTENSIONS: [&str; 48] = [
    "c", "cc", "cfg", "conf", "cpp", "cs", "css", "csv", "erg", "feature", "go", "h", "html",
    "ini", "java", "js", "json", "jsonl", "jsx", "kt", "lock", "lua", "md", "mjs", "php", "pl",
    "png", "proto", "ps1", "py", "rb", "rs", "scss", "sh", "sql", "svelte", "svg", "swift", "tf",
    "toml", "ts", "tsx", "txt", "vue", "xml", "yaml", "yml", "zig",
];

/// Names of files without an extension.
pub(super) const BARE_FILES: [&str; 10] = [
    "Makefile",
    "Dockerfile",
    "Justfile",
    "justfile",
    "LICENSE",
    "README",
    "CHANGELOG",
    "CODEOWNERS",
    "Procfile",
    "Gemfile",
];

/// Whether a word is a path by its look: a slash or a known extension, nothing odd in it.
pub(super) fn is_bare_path(word: &str) -> bool {
    let plain = word.chars().all(|c| {
        c.is_alphanumeric()
            || matches!(
                c,
                '/' | '.' | '_' | '-' | '*' | '{' | '}' | ',' | '@' | '+' | '~' | '?'
            )
    });
    if !plain || word.is_empty() || word.starts_with('-') || word.contains("//") {
        return false;
    }
    let slash = word.trim_end_matches('/').contains('/')
        && word.len() > 3
        && !word.starts_with('/')
        && word
            .split('/')
            .all(|part| part.len() > 1 || part.is_empty() || part == "*" || part == ".");
    let numbers = word
        .chars()
        .all(|c| c.is_ascii_digit() || matches!(c, '/' | '.' | '-' | ','));
    !numbers
        && ((slash && (is_file_name(word) || word.contains('*') || word.matches('/').count() > 1))
            || is_file_name(word)
            || (word.ends_with('/') && word.len() > 2))
}

/// Whether the last part of the word is the name of a file.
fn is_file_name(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    if BARE_FILES.contains(&name) {
        return true;
    }
    let Some((stem, extension)) = name.rsplit_once('.') else {
        return false;
    };
    let known = EXTENSIONS.binary_search(&extension).is_ok();
    known && (!stem.is_empty() || word.contains('/')) || (stem.is_empty() && extension.len() > 4)
}

fn is_test(word: &str) -> bool {
    let word_like = |part: &str| {
        !part.is_empty()
            && part
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.')
    };
    if let Some((file, name)) = word.split_once("::") {
        return is_bare_path(file) && name.split("::").all(word_like)
            || (word.contains("test") && word.split("::").all(word_like));
    }
    let prefixed = word.strip_prefix("test_").is_some_and(word_like);
    let suffixed = word.strip_suffix("_test").is_some_and(word_like);
    prefixed || suffixed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slash_in_code_is_a_path() {
        let rows = [
            ("in `bin/ferry`", vec!["bin/ferry"]),
            ("in `lib/**` and `docs/`", vec!["lib/**", "docs/"]),
            ("in bin/ferry", vec![]),
            ("`24/25`, `-x/y`, `/etc/passwd`, `a b`", vec![]),
        ];
        for (text, wanted) in rows {
            let wanted: Vec<_> = wanted.into_iter().map(Foreign::from).collect();
            assert_eq!(anchors(text).paths, wanted, "{text}");
        }
    }

    #[test]
    fn gated_marks_are_read_in_every_variant() {
        let rows = [
            ("a [gated 2026-10-12] b", Some("2026-10-12"), "", 7),
            ("[gated 2026-10-12: b; c] a", Some("2026-10-12"), "b; c", 7),
            (
                "a [gated 2026-10-12, revised after challenge]",
                Some("2026-10-12"),
                "revised after challenge",
                7,
            ),
            ("a\nb [gated\n2026-10-12]", Some("2026-10-12"), "", 8),
            ("a [gated]", None, "", 7),
            ("a [gated soon]", None, "soon", 7),
        ];
        for (text, date, note, line) in rows {
            let found = gated(text, 7);
            assert_eq!(found.len(), 1, "{text:?}");
            assert_eq!(found[0].date, date.map(Foreign::from), "{text:?}");
            assert_eq!(found[0].note, Foreign::from(note), "{text:?}");
            assert_eq!(found[0].line, line, "{text:?}");
        }
        assert_eq!(gated("[gatedness 1] gated 2026-01-01 [gated", 1), []);
    }

    #[test]
    fn placeholders_are_told_from_criteria() {
        for text in [
            "TBD",
            "n/a",
            "coming soon...",
            "<criterion only human judgement can decide>",
            "[fill this in]",
            "{criterion}",
            "<!-- say what -->",
            "**TBD**",
            "",
            "…",
        ] {
            assert!(is_placeholder(text), "{text:?}");
        }
        for text in [
            "`x` prints none",
            "<a> and <b> differ",
            "no TBD is left",
            "[ok] is printed, then [done]",
        ] {
            assert!(!is_placeholder(text), "{text:?}");
        }
    }

    #[test]
    fn marks_are_no_mentions() {
        assert!(marked("the page loads (optional)", "optional"));
        assert!(marked("OPTIONAL: the page loads", "optional"));
        assert!(marked("[post-merge] tag it", "post-merge"));
        assert!(!marked("the OPTIONAL flag is read", "optional"));
    }

    #[test]
    fn anchors_are_paths_commands_and_tests() {
        let found = anchors(
            "`src/x.rs` and data/*.csv; run `cargo test --lib`, see tests/a.py::test_b, \
             and/or README.md (1/2), `Makefile`, test_login",
        );
        let plain = |list: &[Foreign]| {
            list.iter()
                .map(|f| f.raw_str().unwrap_or_default().to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            plain(&found.paths),
            ["src/x.rs", "data/*.csv", "README.md", "Makefile"]
        );
        assert_eq!(plain(&found.commands), ["cargo test --lib"]);
        assert_eq!(plain(&found.tests), ["tests/a.py::test_b", "test_login"]);
    }
}
