//! `countersign spec state`.

use serde_json::json;

use super::args::At;
use super::look::look;
use super::report;
use crate::cli::Context;
use crate::cli::exit::Exit;
use crate::cli::report::Report;
use crate::gate::spec::state;
use crate::model::spec::{below, count, folder};
use crate::model::text::Foreign;

/// Runs it.
pub(super) fn run(context: &Context, at: &At, cr: Option<&str>) -> Result<Exit, Report> {
    let mut looked = look(context, at)?;
    if !at.files.is_empty() {
        let files = &looked.files;
        let tree = &mut looked.tree;
        tree.roots
            .retain(|root| files.iter().any(|file| below(file, &root.dir)));
        tree.nodes
            .retain(|node| files.iter().any(|file| folder(file) == node.dir));
    }
    let notes = state::tree(&looked.tree, cr.map(Foreign::from).as_ref());
    let (roots, nodes) = (looked.tree.roots.len(), looked.tree.nodes.len());
    let more = json!({"roots": roots, "nodes": nodes});
    let summary = format!("{}, {}", count(roots, "spec"), count(nodes, "node"));
    Ok(report(context, "state", &notes, more, &summary))
}
