//! `countersign spec state`.

use std::collections::BTreeMap;

use serde_json::json;

use super::args::At;
use super::look::look;
use super::{print, report};
use crate::cli::Context;
use crate::cli::exit::Exit;
use crate::cli::report::Report;
use crate::gate::spec::state;
use crate::model::id::RepoPath;
use crate::model::known::Known;
use crate::model::spec::shard::Says;
use crate::model::spec::{Root, below, count, folder};
use crate::model::text::{Foreign, Place};

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
    let kinds = kinds(&looked.tree.roots);
    if !context.json {
        print(&kinds.iter().filter_map(ledger_line).collect::<Vec<_>>());
    }
    let ledgers: Vec<_> = kinds
        .iter()
        .map(|(root, kinds)| json!({"spec": root.json().0, "lines": kinds}))
        .collect();
    let more = json!({"roots": roots, "nodes": nodes, "ledgers": ledgers});
    let summary = format!("{}, {}", count(roots, "spec"), count(nodes, "node"));
    Ok(report(context, "state", &notes, more, &summary))
}

/// How many lines of each kind a ledger holds, kinds that nothing is known of included (G28).
type Kinds = BTreeMap<String, usize>;

fn kinds(roots: &[Root]) -> Vec<(RepoPath, Kinds)> {
    let of = |root: &Root| {
        let mut kinds = Kinds::new();
        let shards = root.shards.iter().filter_map(Known::known);
        for line in shards.flat_map(|shard| &shard.lines) {
            let kind = match &line.says {
                Says::Gate(_) => String::from("gate"),
                Says::Leash { .. } => String::from("leash"),
                Says::Clearance { .. } => String::from("clearance"),
                Says::Damage { .. } => String::from("damaged"),
                Says::Other { kind, .. } if kind.raw().is_empty() => String::from("no kind"),
                Says::Other { kind, .. } => kind.shown(Place::Strict).plain(),
            };
            *kinds.entry(kind).or_default() += 1;
        }
        (root.dir.clone(), kinds)
    };
    roots.iter().map(of).collect()
}

/// A ledger in one line; none for an empty one.
fn ledger_line((root, kinds): &(RepoPath, Kinds)) -> Option<String> {
    let each: Vec<String> = kinds
        .iter()
        .map(|(kind, n)| format!("{n} {kind}"))
        .collect();
    let root = root.foreign().shown(Place::Strict);
    (!each.is_empty()).then(|| format!("ledger of {root}: {}", each.join(", ")))
}
