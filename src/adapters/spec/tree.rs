//! Files put together to a [`Tree`]: roots, nodes, suites, shards.

use super::files::{Files, joined};
use super::{gherkin, markdown, shard};
use crate::model::id::RepoPath;
use crate::model::known::{Known, Reason};
use crate::model::spec::{Node, Root, Tree, below, folder};

/// Puts the files together.
#[must_use]
pub fn build(files: &Files) -> Tree {
    let mut tree = Tree {
        unread: files.closed.clone(),
        ..Tree::default()
    };
    let suites: Vec<RepoPath> = files
        .all
        .keys()
        .filter(|path| path.file_name().ends_with(b".feature"))
        .cloned()
        .collect();
    let dirs: Vec<RepoPath> = files
        .all
        .keys()
        .filter(|path| path.file_name() == b"spec.md")
        .map(folder)
        .collect();
    for (path, read) in files.all.iter().filter(|(path, _)| !is_plan(path)) {
        let dir = folder(path);
        match path.file_name() {
            b"spec.md" => tree.roots.push(Root {
                document: document(path, read),
                shards: shards(files, &dir),
                suites: of_root(&suites, &dir, &dirs),
                dir,
            }),
            b"README.md" => tree.nodes.push(Node {
                path: path.clone(),
                document: document(path, read),
                suites: suites
                    .iter()
                    .filter(|suite| folder(suite) == dir)
                    .cloned()
                    .collect(),
                dir,
            }),
            name if name.ends_with(b".feature") => {
                let suite = match read {
                    Ok(bytes) => Known::Is(gherkin::read(path, bytes)),
                    Err(why) => Known::Unknown(Reason::new(why.clone())),
                };
                tree.suites.push((path.clone(), suite));
            }
            _ => {}
        }
    }
    tree
}

/// Plans stand beside specs and are none.
fn is_plan(path: &RepoPath) -> bool {
    let padded = [b"/", path.as_bytes()].concat();
    memchr::memmem::find(&padded, b"/.agents/plans/").is_some()
}

fn document(
    path: &RepoPath,
    read: &Result<Vec<u8>, String>,
) -> Known<crate::model::spec::Document> {
    let bytes = match read {
        Ok(bytes) => bytes,
        Err(why) => return Known::Unknown(Reason::new(why.clone())),
    };
    match markdown::read(path, bytes) {
        Ok(document) => Known::Is(document),
        Err(why) => Known::Unknown(Reason::new(why)),
    }
}

fn shards(files: &Files, dir: &RepoPath) -> Vec<Known<crate::model::spec::shard::Shard>> {
    let legacy = joined(dir, b"ledger.jsonl");
    let ledger = joined(dir, b"ledger");
    let mine = files.all.iter().filter(|(path, _)| {
        **path == legacy || (folder(path) == ledger && path.file_name().ends_with(b".jsonl"))
    });
    mine.map(|(path, read)| match read {
        Ok(bytes) => Known::Is(shard::read(path, bytes)),
        Err(why) => {
            let (path, _) = path.json();
            Known::Unknown(Reason::new(format!("{path}: {why}")))
        }
    })
    .collect()
}

/// The suites below a root, those of roots further down left out.
fn of_root(suites: &[RepoPath], dir: &RepoPath, dirs: &[RepoPath]) -> Vec<RepoPath> {
    let inner: Vec<&RepoPath> = dirs
        .iter()
        .filter(|other| *other != dir && below(other, dir))
        .collect();
    suites
        .iter()
        .filter(|suite| below(suite, dir) && !inner.iter().any(|inner| below(suite, inner)))
        .cloned()
        .collect()
}
