//! What traces a changed file besides the contract's own words (verify-gate 1.8): the evidence
//! that a criterion was ratified on, a test to the source that it tests, and a program that writes
//! the file, as the settings say. They count only where the contract has no FILE SCOPE; where it
//! has one, that is the rule (A16, H31).

use std::collections::BTreeSet;

use crate::gate::decide::Act;
use crate::gate::standing_facts::Facts;
use crate::model::evidence::Evidence;
use crate::model::id::RepoPath;
use crate::model::known::Known;
use crate::model::scope::{Risk, Scope, ScopedFile};

use crate::gate::dossier::Subject;
use crate::gate::floor::scope::Watched;

/// The files that a person has to answer for: those that nothing traces, and those that the
/// settings watch (A13), whatever traces them.
pub(in crate::gate) fn overflow<'a>(facts: &Facts<'a>) -> Vec<&'a ScopedFile> {
    let Known::Is(scope) = &facts.dossier.scope else {
        return Vec::new();
    };
    let watched = Watched::new(&facts.policy.scope_watch);
    let over = |file: &&ScopedFile| file.overflow || watched.has(&file.path);
    let over: Vec<&ScopedFile> = scope.files.iter().filter(over).collect();
    let declared = match &facts.dossier.contract {
        Known::Is(record) => !record.contract.scope.is_empty(),
        Known::Unknown(_) | Known::NotApplicable(_) | Known::NotSupplied => true,
    };
    if declared || over.is_empty() {
        return over;
    }
    let shown = evidence(facts);
    let stems = stems(scope, &shown);
    let generated = Watched::new(&facts.policy.scope_generated);
    let traced = |file: &&ScopedFile| {
        is_made(file, &generated)
            || shown.contains(&file.path)
            || tested(&file.path).is_some_and(|stem| stems.contains(&stem))
    };
    over.into_iter()
        .filter(|file| watched.has(&file.path) || !traced(file))
        .collect()
}

/// Whether a file is written by a program, as the settings say. What has a risk of its own beside
/// that of a lock file is not: nobody declares a workflow or a deleted test to be generated.
pub(in crate::gate) fn is_made(file: &ScopedFile, generated: &Watched) -> bool {
    matches!(file.risk, Risk::Plain | Risk::Lock) && generated.has(&file.path)
}

/// Paths that a standing ratify rests on.
fn evidence<'a>(facts: &Facts<'a>) -> BTreeSet<&'a RepoPath> {
    let mut out = BTreeSet::new();
    for recorded in &facts.dossier.decisions {
        let subject = recorded.value.subject();
        if !matches!(subject, Subject::Criterion(_)) {
            continue;
        }
        let now = facts.said(subject).now.map(|d| d.value.act());
        for piece in now.into_iter().flat_map(Act::evidence) {
            match piece {
                Evidence::Hunk { path, .. }
                | Evidence::Change { path, .. }
                | Evidence::Test { path, .. } => {
                    out.insert(path);
                }
                Evidence::Run(_) | Evidence::Rationale(_) => {}
            }
        }
    }
    out
}

/// The bare names of changed sources that are accounted for.
fn stems(scope: &Scope, shown: &BTreeSet<&RepoPath>) -> BTreeSet<String> {
    scope
        .files
        .iter()
        .filter(|file| !file.overflow || shown.contains(&file.path))
        .filter(|file| tested(&file.path).is_none())
        .map(|file| bare(&file.path))
        .collect()
}

/// A file's name without folder and endings, small.
fn bare(path: &RepoPath) -> String {
    let name = String::from_utf8_lossy(path.file_name()).to_lowercase();
    name.split('.').next().unwrap_or_default().to_owned()
}

/// The bare name of what a test file tests; `None` for what is no test file.
#[must_use]
pub(in crate::gate) fn tested(path: &RepoPath) -> Option<String> {
    let whole = String::from_utf8_lossy(path.as_bytes()).to_lowercase();
    let name = whole.rsplit('/').next().unwrap_or_default();
    let mut parts = name.split('.');
    let stem = parts.next().unwrap_or_default();
    let dotted = parts.any(|part| matches!(part, "test" | "spec"));
    let folder = whole
        .split('/')
        .rev()
        .skip(1)
        .any(|part| matches!(part, "test" | "tests" | "spec" | "specs" | "__tests__"));
    let trimmed = stem
        .strip_prefix("test_")
        .or_else(|| stem.strip_suffix("_test"))
        .or_else(|| stem.strip_suffix("_spec"))
        .or_else(|| stem.strip_suffix("-test"))
        .or_else(|| name.ends_with(".java").then(|| stem.strip_suffix("test"))?);
    match trimmed {
        Some(trimmed) if !trimmed.is_empty() => Some(trimmed.to_owned()),
        _ if folder || dotted => Some(stem.to_owned()),
        _ => None,
    }
}
