//! `## FILE SCOPE` in the forms that people write: bullets, wrapped comma lists, middle dots,
//! brace sets, globs, annotations, sub-labels, `[gated DATE]`, `repo-wide`. What is not
//! understood stays visible as a fragment and matches nothing (G12).

use crate::model::contract::{ScopeEntry, ScopeSays};
use crate::model::text::Foreign;

use super::complaints::Complaints;
use super::lines::{Line, Veil, list_marker};
use super::{Parts, items, marks};

/// What the heading says.
const NAME: &str = "FILE SCOPE";

/// A bullet or paragraph with its wrapped lines: the text, and where each line of it starts.
struct Item {
    text: String,
    starts: Vec<(usize, u32)>,
    indent: usize,
}

impl Item {
    fn line_at(&self, offset: usize) -> u32 {
        let after = self.starts.partition_point(|(at, _)| *at <= offset);
        let before = after.saturating_sub(1);
        self.starts.get(before).map_or(0, |(_, line)| *line)
    }
}

/// A sub-label and how far it reaches.
#[derive(Clone, Default)]
struct Label {
    text: Option<String>,
    outside: bool,
    indent: usize,
}

/// Whether the line is the heading of such a section.
pub(super) fn is_heading(line: &Line<'_>) -> bool {
    items::heading(line).is_some_and(|(_, words)| words == NAME)
}

/// Reads a section `FILE SCOPE`, at any level, of a file whose format knows none.
pub(super) fn section(lines: &[Line<'_>], parts: &mut Parts, complaints: &mut Complaints) {
    let mut level = None;
    let mut body: Vec<&Line<'_>> = Vec::new();
    for line in lines {
        let heading = (line.veil == Veil::Open)
            .then(|| items::heading(line))
            .flatten();
        match (heading, level) {
            (Some((depth, NAME)), _) => {
                level = Some(depth);
                parts.scope_at = Some(line.next);
            }
            (Some((depth, _)), Some(of)) if depth <= of => level = None,
            (_, Some(_)) => body.push(line),
            (_, None) => {}
        }
    }
    read(&body, parts, complaints);
}

/// Reads the lines of the section into entries.
pub(super) fn read(lines: &[&Line<'_>], parts: &mut Parts, complaints: &mut Complaints) {
    let mut label = Label::default();
    for item in of_lines(lines) {
        item_entries(&item, &mut label, &mut parts.scope);
    }
    if let Some(last) = lines.iter().rfind(|line| !line.is_blank()) {
        parts.scope_at = Some(last.next);
    }
    for entry in &parts.scope {
        if entry.says == ScopeSays::Unread {
            complaints.warn(
                "scope-unread",
                entry.line,
                "this part of FILE SCOPE is not understood and matches nothing",
                "write paths or globs, notes in parentheses",
            );
        }
    }
}

fn of_lines(lines: &[&Line<'_>]) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    let mut fresh = true;
    for line in lines {
        if line.is_blank() || line.veil != Veil::Open {
            fresh = true;
            continue;
        }
        let lead = line.lead();
        let marker = list_marker(line.raw.get(lead..).unwrap_or_default());
        let heading = line.raw.starts_with(b"#");
        let at = lead + marker.unwrap_or(0);
        let text = line.text.get(at..).unwrap_or_default().trim_end();
        let starts_label = marker.is_none() && split_label(text).is_some();
        match items.last_mut() {
            Some(item) if !fresh && marker.is_none() && !heading && !starts_label => {
                item.text.push('\n');
                item.starts.push((item.text.len(), line.no));
                item.text.push_str(text.trim_start());
            }
            _ => items.push(Item {
                text: text.trim_start_matches(['#', ' ']).to_owned(),
                starts: vec![(0, line.no)],
                indent: if marker.is_some() {
                    line.indent() + 1
                } else {
                    0
                },
            }),
        }
        fresh = heading;
        if heading && let Some(item) = items.last_mut() {
            item.text.push(':');
        }
    }
    items
}

fn item_entries(item: &Item, label: &mut Label, entries: &mut Vec<ScopeEntry>) {
    if item.text.starts_with("(or:") || item.text.trim().is_empty() {
        return;
    }
    if label.text.is_some()
        && item.indent <= label.indent
        && !(item.indent > 0 && label.indent == 0)
    {
        *label = Label::default();
    }
    let (named, from) = match split_label(&item.text) {
        Some((name, rest)) => (Some(name), rest),
        None => (None, 0),
    };
    let mut here = label.clone();
    if let Some(name) = named {
        let outside = is_outside(&name);
        here = Label {
            text: Some(name),
            outside,
            indent: item.indent,
        };
        if item
            .text
            .get(from..)
            .is_none_or(|rest| rest.trim().is_empty())
        {
            *label = here;
            return;
        }
        if item.indent == 0 {
            *label = Label::default();
        }
    }
    let body = item.text.get(from..).unwrap_or_default();
    if let Some(reason) = repo_wide(body) {
        entries.push(entry(
            ScopeSays::RepoWide(reason),
            body.trim(),
            item.line_at(from),
            here.text.as_deref(),
        ));
        return;
    }
    for (start, piece) in pieces(body) {
        let line = item.line_at(from + start);
        fragment(piece, line, &here, entries);
    }
}

/// A leading `Words:`; the name and where the rest starts.
fn split_label(text: &str) -> Option<(String, usize)> {
    let lead = text.len() - text.trim_start_matches(['*', '_']).len();
    let rest = text.get(lead..)?;
    let colon = rest.find(':')?;
    let name = rest.get(..colon)?;
    let words = name.split_whitespace().count();
    let plain = name
        .chars()
        .all(|c| c.is_alphabetic() || matches!(c, ' ' | '-' | '\'' | '*' | '_' | '(' | ')'));
    let tail = rest.get(colon + 1..)?;
    let after = tail.trim_start_matches(['*', '_']);
    let ends = after.is_empty() || after.starts_with(char::is_whitespace);
    let wordy = plain && (1..=5).contains(&words) && !name.starts_with("repo-wide");
    (wordy && ends).then(|| {
        let at = text.len() - after.len();
        (name.trim_matches(['*', '_', ' ']).to_owned(), at)
    })
}

fn is_outside(label: &str) -> bool {
    let label = label.to_ascii_lowercase().replace('-', " ");
    [
        "out of scope",
        "not in scope",
        "outside",
        "excluded",
        "excludes",
        "exclude",
        "off limits",
    ]
    .iter()
    .any(|words| label.starts_with(words))
        || label.starts_with("do not touch")
}

/// `repo-wide`, with its reason.
fn repo_wide(body: &str) -> Option<Option<Foreign>> {
    let body = body.trim().trim_start_matches(['*', '`']);
    let word = body.get(..9)?;
    if !word.eq_ignore_ascii_case("repo-wide") {
        return None;
    }
    let reason = body.get(9..)?.trim_start_matches(['*', '`']);
    let reason = reason.trim_matches([' ', '—', '–', '-', ':', '\n', ',']);
    let placeholder = marks::is_placeholder(reason);
    Some((!placeholder).then(|| Foreign::from(reason)))
}

/// The body split at commas, semicolons and middle dots that stand outside of braces,
/// parentheses, brackets and code spans, each with its offset.
fn pieces(body: &str) -> Vec<(usize, &str)> {
    let mut out = Vec::new();
    let mut depth = 0usize;
    let mut code = false;
    let mut start = 0;
    for (at, c) in body.char_indices() {
        match c {
            '`' => code = !code,
            '(' | '{' | '[' if !code => depth += 1,
            ')' | '}' | ']' if !code => depth = depth.saturating_sub(1),
            ',' | ';' | '·' | '•' if depth == 0 && !code => {
                out.push((start, body.get(start..at).unwrap_or_default()));
                start = at + c.len_utf8();
            }
            _ => {}
        }
    }
    out.push((start, body.get(start..).unwrap_or_default()));
    out.into_iter()
        .flat_map(|(start, piece)| conjoined(start, piece))
        .map(|(start, piece)| {
            let lead = piece.len() - piece.trim_start().len();
            (start + lead, piece.trim())
        })
        .filter(|(_, piece)| !piece.is_empty())
        .collect()
}

/// `a and b` where both are paths.
fn conjoined(start: usize, piece: &str) -> Vec<(usize, &str)> {
    for word in [" and ", " & ", " + "] {
        if let Some(at) = piece.find(word) {
            let (left, right) = piece.split_at(at);
            let right = right.get(word.len()..).unwrap_or_default();
            let path = |text: &str| path_of(strip_notes(text).0.trim()).is_some();
            if path(left) && path(right) {
                let mut out = vec![(start, left)];
                out.extend(conjoined(start + at + word.len(), right));
                return out;
            }
        }
    }
    vec![(start, piece)]
}

fn fragment(piece: &str, line: u32, label: &Label, entries: &mut Vec<ScopeEntry>) {
    let bare = piece.trim_start_matches("and ").trim();
    let (rest, note) = strip_notes(bare);
    let rest = rest.trim();
    if rest.is_empty() && !marks::gated(piece, line).is_empty() {
        if let Some(last) = entries.last_mut() {
            last.gated.extend(marks::gated(piece, line));
        }
        return;
    }
    let (rest, outside) = match ["not ", "except ", "excluding ", "no "]
        .iter()
        .find_map(|word| rest.strip_prefix(word))
    {
        Some(after) => (after, true),
        None => (rest, label.outside),
    };
    let (path, tail) = annotated(rest);
    let says = match path_of(path) {
        Some(glob) if outside => ScopeSays::Outside(Foreign::from(glob)),
        Some(glob) => ScopeSays::Glob(Foreign::from(glob)),
        None => ScopeSays::Unread,
    };
    let note = note
        .or_else(|| tail.map(str::to_owned))
        .or_else(|| label.text.clone());
    entries.push(entry(says, piece, line, note.as_deref()));
}

fn entry(says: ScopeSays, text: &str, line: u32, note: Option<&str>) -> ScopeEntry {
    ScopeEntry {
        says,
        text: Foreign::from(text),
        line,
        gated: marks::gated(text, line),
        note: note.map(Foreign::from),
    }
}

/// The text without `[gated ...]` marks and annotations in parentheses, and those annotations.
fn strip_notes(text: &str) -> (String, Option<String>) {
    let mut rest = String::new();
    let mut notes: Vec<String> = Vec::new();
    let mut note = String::new();
    let mut depth = 0usize;
    let mut code = false;
    let mut mark = false;
    let mut skip_to = 0;
    for (at, c) in text.char_indices() {
        if at < skip_to {
            continue;
        }
        if mark {
            mark = c != ']';
            continue;
        }
        let ahead = text.get(at..).unwrap_or_default();
        match c {
            '`' if depth == 0 => {
                code = !code;
                rest.push(c);
            }
            '[' if !code && ahead.starts_with("[gated") => {
                mark = true;
                skip_to = at + "[gated".len();
            }
            '(' if !code => {
                depth += 1;
                if depth > 1 {
                    note.push(c);
                }
            }
            ')' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    notes.push(std::mem::take(&mut note));
                } else {
                    note.push(c);
                }
            }
            _ if depth > 0 => note.push(c),
            _ => rest.push(c),
        }
    }
    if depth > 0 {
        notes.push(note);
    }
    (rest, (!notes.is_empty()).then(|| notes.join("; ")))
}

/// `path — what for`: the path and the annotation.
fn annotated(text: &str) -> (&str, Option<&str>) {
    [" — ", " – ", " - ", ": "]
        .iter()
        .filter_map(|dash| text.split_once(dash))
        .find(|(path, _)| path_of(path).is_some())
        .map_or((text, None), |(path, tail)| (path, Some(tail.trim())))
}

/// The glob that a fragment is, or nothing. Words with blanks are no path.
fn path_of(text: &str) -> Option<&str> {
    let text = text.trim();
    let inner = text
        .strip_prefix('`')
        .and_then(|rest| rest.strip_suffix('`'))
        .filter(|inner| !inner.contains('`'));
    let quoted = inner.is_some();
    let path = inner.unwrap_or(text).trim_start_matches("./");
    let path = if quoted {
        path
    } else {
        path.trim_end_matches('.')
    };
    let odd = path.is_empty()
        || path.contains(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '`' | '$' | '|'))
        || path.starts_with('/')
        || path.split('/').any(|part| part == "..");
    let looks = quoted
        || path.contains(['/', '*'])
        || path.contains('.') && path.len() > 2
        || marks::BARE_FILES.contains(&path);
    (!odd && looks).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::super::lines::split;
    use super::*;

    fn said(text: &str) -> Vec<String> {
        let mut complaints = Complaints::default();
        let lines = split(text.as_bytes(), &mut complaints);
        let mut parts = Parts::default();
        read(
            &lines.iter().collect::<Vec<_>>(),
            &mut parts,
            &mut complaints,
        );
        let word = |f: &Foreign| f.raw_str().unwrap_or_default().to_owned();
        parts
            .scope
            .iter()
            .map(|entry| {
                let says = match &entry.says {
                    ScopeSays::Glob(glob) => format!("in {}", word(glob)),
                    ScopeSays::Outside(glob) => format!("out {}", word(glob)),
                    ScopeSays::RepoWide(reason) => {
                        format!("wide {}", reason.as_ref().map(word).unwrap_or_default())
                    }
                    ScopeSays::Unread => format!("unread {}", word(&entry.text)),
                };
                let note = entry.note.as_ref().map(word);
                let gated = if entry.gated.is_empty() { "" } else { " gated" };
                match note {
                    Some(note) => format!("{}:{says} ({note}){gated}", entry.line),
                    None => format!("{}:{says}{gated}", entry.line),
                }
            })
            .collect()
    }

    #[test]
    fn every_real_form_is_read() {
        let rows: [(&str, &[&str]); 20] = [
            ("- src/a.rs\n- src/b/", &["1:in src/a.rs", "2:in src/b/"]),
            (
                "src/a.rs, src/b.rs,\nsrc/c.rs",
                &["1:in src/a.rs", "1:in src/b.rs", "2:in src/c.rs"],
            ),
            ("a/x.rs · a/y.rs", &["1:in a/x.rs", "1:in a/y.rs"]),
            (
                "lib/{a,b}.sh, docs/**",
                &["1:in lib/{a,b}.sh", "1:in docs/**"],
            ),
            ("- `src/a.rs` (new)", &["1:in src/a.rs (new)"]),
            (
                "- src/a.rs (routing table rows only, no more)",
                &["1:in src/a.rs (routing table rows only, no more)"],
            ),
            ("- src/a.rs — the parser", &["1:in src/a.rs (the parser)"]),
            (
                "Executor: src/a.rs, src/b.rs\nOrchestrator-only: docs/x.md",
                &[
                    "1:in src/a.rs (Executor)",
                    "1:in src/b.rs (Executor)",
                    "2:in docs/x.md (Orchestrator-only)",
                ],
            ),
            (
                "- src/a.rs\n\nOut of scope:\n- src/b.rs\n- docs/",
                &[
                    "1:in src/a.rs",
                    "4:out src/b.rs (Out of scope)",
                    "5:out docs/ (Out of scope)",
                ],
            ),
            (
                "**Out of scope:** src/b.rs",
                &["1:out src/b.rs (Out of scope)"],
            ),
            (
                "### Out of scope\n- src/b.rs",
                &["2:out src/b.rs (Out of scope)"],
            ),
            ("- src/a.rs [gated 2026-10-12]", &["1:in src/a.rs gated"]),
            (
                "- [gated 2026-10-12: docs] docs/a.md",
                &["1:in docs/a.md gated"],
            ),
            ("repo-wide — a rename", &["1:wide a rename"]),
            ("repo-wide", &["1:wide "]),
            (
                "- the parser and its tests",
                &["1:unread the parser and its tests"],
            ),
            (
                "- src/a.rs except the parser",
                &["1:unread src/a.rs except the parser"],
            ),
            ("- src/ but not ../x", &["1:unread src/ but not ../x"]),
            (
                "- src/a.rs and tests/b.rs",
                &["1:in src/a.rs", "1:in tests/b.rs"],
            ),
            (
                "<paths/zones>\n(or: repo-wide — <reason>)",
                &["1:unread <paths/zones>"],
            ),
        ];
        for (text, wanted) in rows {
            assert_eq!(said(text), wanted, "{text:?}");
        }
    }
}
