//! Which of several contracts is meant: superseded and inactive ones are left out while others are
//! left, and those that name the branch are preferred.

use serde_bytes::ByteBuf;

use super::discover::Candidate;
use crate::model::contract::Confidence;

/// Whether the file stands in a folder that is called like the branch, as spec-kit and OpenSpec
/// lay theirs; of `kind/name` the name will do.
fn stands_in(path: &[u8], branch: &[u8]) -> bool {
    let name = branch.rsplit(|b| *b == b'/').next().unwrap_or(branch);
    let mut parts = path.rsplit(|b| *b == b'/').skip(1);
    !name.is_empty() && parts.any(|part| part == name)
}

/// Leaves out superseded and inactive contracts while others are left, then prefers those that
/// name the branch or stand in its folder.
pub(super) fn narrowed(
    found: Vec<Candidate>,
    branch: Option<&[u8]>,
) -> (Vec<Candidate>, Vec<(ByteBuf, String)>) {
    let superseded: Vec<(Vec<u8>, Vec<u8>)> = found
        .iter()
        .filter_map(|c| {
            Some((
                c.contract.header.supersedes.as_ref()?.raw().to_vec(),
                c.path.clone(),
            ))
        })
        .collect();
    let by = |path: &[u8]| {
        let name = path.rsplit(|b| *b == b'/').next().unwrap_or(path);
        let says = |s: &[u8]| memchr::memmem::find(s, name).is_some();
        superseded
            .iter()
            .find(|(says_so, own)| own != path && says(says_so))
    };
    let status = |c: &Candidate, word: &[u8]| {
        c.contract
            .header
            .status
            .as_ref()
            .is_some_and(|s| s.raw() == word)
    };
    let names_branch = |c: &Candidate| {
        let header = c
            .contract
            .header
            .branch
            .as_ref()
            .map(crate::model::text::Foreign::raw);
        header
            .zip(branch)
            .is_some_and(|(text, branch)| memchr::memmem::find(text, branch).is_some())
            || branch.is_some_and(|branch| stands_in(&c.path, branch))
    };
    let mut passed_over = Vec::new();
    let mut kept = found;
    type Test<'a> = Box<dyn Fn(&Candidate) -> bool + 'a>;
    let tests: [(Test<'_>, &str); 4] = [
        (
            Box::new(|c| c.contract.confidence == Confidence::High),
            "another file is more surely a contract",
        ),
        (
            Box::new(|c| by(&c.path).is_none()),
            "superseded by another contract",
        ),
        (
            Box::new(|c| !status(c, b"aborted")),
            "its status is aborted",
        ),
        (Box::new(names_branch), "it names another branch"),
    ];
    for (test, why) in tests {
        if kept.len() > 1 && kept.iter().any(&test) {
            let (stay, go): (Vec<_>, Vec<_>) = kept.into_iter().partition(&test);
            kept = stay;
            passed_over.extend(
                go.into_iter()
                    .map(|c| (ByteBuf::from(c.path), why.to_owned())),
            );
        }
    }
    (kept, passed_over)
}
