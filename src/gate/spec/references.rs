//! `spec refs`: paths in prose that a change introduces and that lead nowhere. They are shown and
//! never block.

use crate::model::id::RepoPath;
use crate::model::spec::{Document, Note, folder, quoted};
use crate::model::text::Foreign;

/// Folders that a path from the top begins with.
const ROOTED: [&str; 6] = [
    ".agents/",
    "plugins/",
    "packages/",
    "apps/",
    "docs/",
    ".claude/",
];

/// A path in prose.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reference {
    /// 1-based line.
    pub line: u32,
    /// As written.
    pub text: Foreign,
    /// Where it leads; nowhere when it climbs out of the repository.
    pub target: Option<RepoPath>,
}

/// The references of a document that its base does not hold already, each once.
#[must_use]
pub fn introduced(document: &Document, base: Option<&Document>) -> Vec<Reference> {
    let known =
        |text: &Foreign| base.is_some_and(|base| base.spans.iter().any(|s| s.text == *text));
    let mut out: Vec<Reference> = Vec::new();
    for span in &document.spans {
        let Some(path) = candidate(&span.text) else {
            continue;
        };
        if known(&span.text) || out.iter().any(|other| other.text == span.text) {
            continue;
        }
        out.push(Reference {
            line: span.line,
            text: span.text.clone(),
            target: target(path, &document.path),
        });
    }
    out
}

/// What is said of a reference that leads nowhere.
#[must_use]
pub fn unresolved(document: &Document, reference: &Reference) -> Note {
    let says = format!(
        "introduces {}, which leads nowhere",
        quoted(&reference.text)
    );
    let hint = "write the file, or correct the path";
    Note::finding(
        &document.path,
        reference.line,
        "unresolved-reference",
        says,
        hint,
    )
}

/// The path of a span that is one: no placeholder, no pattern, without fragment and line.
fn candidate(text: &Foreign) -> Option<&str> {
    let text = text.raw_str()?;
    let leads = text.starts_with("./") || text.starts_with("../");
    let rooted = ROOTED.iter().any(|folder| text.starts_with(folder));
    if !(leads || rooted) || text.contains(['<', '*', '\n']) {
        return None;
    }
    let path = text.split('#').next().unwrap_or(text);
    let path = match path.rsplit_once(':') {
        Some((before, line))
            if !line.is_empty() && line.chars().all(|c| c.is_ascii_digit() || c == '-') =>
        {
            before
        }
        _ => path,
    };
    Some(path.trim_end())
}

fn target(path: &str, from: &RepoPath) -> Option<RepoPath> {
    let relative =
        path.starts_with('.') && !path.starts_with(".agents/") && !path.starts_with(".claude/");
    let mut parts: Vec<Vec<u8>> = Vec::new();
    if relative {
        let dir = folder(from);
        let of_dir = dir
            .as_bytes()
            .split(|b| *b == b'/')
            .filter(|part| !part.is_empty());
        parts.extend(of_dir.map(<[u8]>::to_vec));
    }
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part.as_bytes().to_vec()),
        }
    }
    Some(RepoPath::new(parts.join(&b'/')))
}
