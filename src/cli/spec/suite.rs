//! `countersign spec suite`.

use serde_json::json;

use super::args::At;
use super::look::{look, named};
use super::report;
use crate::cli::Context;
use crate::cli::exit::Exit;
use crate::cli::report::Report;
use crate::gate::spec::suite;
use crate::model::spec::{Note, count};

/// Runs it.
pub(super) fn run(context: &Context, at: &At) -> Result<Exit, Report> {
    let looked = if at.files.is_empty() {
        look(context, at)?
    } else {
        named(context, at, b".feature")?
    };
    let suites = if at.files.is_empty() {
        looked.tree.suites.len()
    } else {
        looked.files.len()
    };
    let mut notes = suite::tree(&looked.tree, &looked.files);
    for path in &looked.others {
        let says = "no .feature file, so it was not judged";
        notes.push(Note::finding(path, 0, "no-suite", says, "name suites only"));
    }
    let scenarios: usize = looked
        .tree
        .suites
        .iter()
        .filter(|(path, _)| looked.files.is_empty() || looked.files.contains(path))
        .filter_map(|(_, suite)| suite.known())
        .map(|suite| suite.scenarios().count())
        .sum();
    let more = json!({"suites": suites, "scenarios": scenarios});
    let summary = format!(
        "{}, {}",
        count(suites, "suite"),
        count(scenarios, "scenario")
    );
    Ok(report(context, "suite", &notes, more, &summary))
}
