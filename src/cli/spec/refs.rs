//! `countersign spec refs`: what the change's documents refer to, and whether their use cases are
//! covered. It looks at touched files only; there is no mode for a whole tree.

use std::collections::BTreeMap;

use serde_json::json;

use super::args::At;
use super::base::{Compared, Of};
use super::report;
use crate::adapters::spec::edits::{Bytes, moved};
use crate::adapters::spec::files::on_disk;
use crate::adapters::spec::{gherkin, markdown};
use crate::cli::Context;
use crate::cli::exit::Exit;
use crate::cli::report::Report;
use crate::gate::spec::{coverage, references};
use crate::model::id::RepoPath;
use crate::model::known::{Known, Reason};
use crate::model::spec::feature::Suite;
use crate::model::spec::{Document, Note, count, folder};

/// Runs it.
pub(super) fn run(context: &Context, at: &At, base: Option<&str>) -> Result<Exit, Report> {
    let compared = Compared::look(context, at, base, Of::Documents)?;
    let (documents, mut notes) = judged(&compared);
    for path in compared
        .others
        .iter()
        .filter(|path| !is_prose(&compared, path))
    {
        let says = "it lies outside of every place of specs, so it was not judged";
        notes.push(Note::finding(
            path,
            0,
            "no-spec",
            says,
            "name documents of a spec tree",
        ));
    }
    let more = json!({"base": compared.base_json(), "documents": documents});
    let summary = count(documents, "document");
    Ok(report(context, "refs", &notes, more, &summary))
}

/// Whether a path is a document of a spec tree.
fn is_prose(compared: &Compared, path: &RepoPath) -> bool {
    path.file_name().ends_with(b".md") && compared.in_spec(path)
}

fn prose(compared: &Compared, all: &BTreeMap<RepoPath, Bytes>) -> BTreeMap<RepoPath, Bytes> {
    let mine = all.iter().filter(|(path, _)| is_prose(compared, path));
    mine.map(|(path, read)| (path.clone(), read.clone()))
        .collect()
}

/// The documents of the spec tree that were named, else those that the change touched.
pub(super) fn touched(compared: &Compared) -> Vec<RepoPath> {
    if compared.named {
        let named = compared
            .others
            .iter()
            .filter(|path| is_prose(compared, path));
        return named.cloned().collect();
    }
    let (before, after) = (
        prose(compared, &compared.before),
        prose(compared, &compared.after),
    );
    let old_names = moved(&before, &after);
    let old = |path: &RepoPath| before.get(old_names.get(path).unwrap_or(path));
    after
        .keys()
        .filter(|path| old(path) != after.get(*path))
        .cloned()
        .collect()
}

/// How many documents were judged, and what there is to say.
pub(super) fn judged(compared: &Compared) -> (usize, Vec<Note>) {
    let (before, after) = (
        prose(compared, &compared.before),
        prose(compared, &compared.after),
    );
    let old_names = moved(&before, &after);
    let old = |path: &RepoPath| before.get(old_names.get(path).unwrap_or(path));
    let touched = touched(compared);
    let mut notes = Vec::new();
    for path in &touched {
        let document = match document(path, after.get(path)) {
            Ok(document) => document,
            Err(why) => {
                notes.push(Note::violation(
                    path,
                    0,
                    "unreadable",
                    why,
                    "make it readable",
                ));
                continue;
            }
        };
        let base = old(path).map(|read| self::document(path, Some(read)));
        let base = base.and_then(Result::ok);
        for reference in references::introduced(&document, base.as_ref()) {
            let there = reference.target.as_ref().is_some_and(|target| {
                std::fs::symlink_metadata(on_disk(&compared.top, target)).is_ok()
            });
            if !there {
                notes.push(references::unresolved(&document, &reference));
            }
        }
    }
    // a suite that changed may have lost what the document beside it names
    let mut covered: Vec<RepoPath> = touched.clone();
    for pair in compared.pairs.iter().filter(|_| !compared.named) {
        let readme = crate::adapters::spec::files::joined(&folder(&pair.path), b"README.md");
        if after.contains_key(&readme) {
            covered.push(readme);
        }
    }
    covered.sort();
    covered.dedup();
    for path in &covered {
        if let Ok(document) = document(path, after.get(path)) {
            let suites = beside(path, &compared.after);
            let suites: Vec<&Known<Suite>> = suites.iter().collect();
            coverage::judge(&document, &suites, &mut notes);
        }
    }
    notes.sort();
    (covered.len(), notes)
}

fn document(path: &RepoPath, read: Option<&Bytes>) -> Result<Document, String> {
    match read {
        None => Err(String::from("there is no such file")),
        Some(Err(why)) => Err(why.clone()),
        Some(Ok(bytes)) => markdown::read(path, bytes),
    }
}

/// The suite that is named like its folder, else every suite of the folder.
fn beside(path: &RepoPath, all: &BTreeMap<RepoPath, Bytes>) -> Vec<Known<Suite>> {
    let dir = folder(path);
    let mine = |path: &RepoPath| folder(path) == dir && path.file_name().ends_with(b".feature");
    let suites: Vec<_> = all.iter().filter(|(path, _)| mine(path)).collect();
    let own = [dir.file_name(), b".feature"].concat();
    let named: Vec<_> = suites
        .iter()
        .filter(|(path, _)| path.file_name() == own.as_slice())
        .copied()
        .collect();
    let chosen = if named.is_empty() { suites } else { named };
    chosen
        .into_iter()
        .map(|(path, read)| match read {
            Ok(bytes) => Known::Is(gherkin::read(path, bytes)),
            Err(why) => Known::Unknown(Reason::new(why.clone())),
        })
        .collect()
}
