//! Which file is the contract of a change, and which version of it is judged (choices.md
//! "Discovery" and "Contract of record", H27, H36).
//!
//! Only blobs are judged, never the worktree, except for a contract that no commit holds; that
//! one is marked.

use std::collections::HashSet;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

use super::objects::{Objects, TreeEntry};
use super::open::{Entered, Order};
use super::walk::{self, Difference, Walk};
use super::{GitError, narrow, rename, ticket, versions};
use crate::model::change::Entry;
use crate::model::contract::{Contract, Format};
use crate::model::id::Oid;

/// Largest file that is read as a contract.
pub const CAP: u64 = 16 << 20;
/// Most changed files outside the usual places that are looked into.
pub(super) const MOST_LOOKED_INTO: usize = 256;

/// The commits and trees that the contract is looked for in.
#[derive(Clone, Copy, Debug)]
pub struct Pins<'a> {
    /// Where base and head part.
    pub merge_base: Oid,
    /// Its tree.
    pub base_tree: Oid,
    /// The head's tree.
    pub tree: Oid,
    /// The head.
    pub head: Oid,
    /// The commits between, oldest first.
    pub range: &'a [Oid],
    /// Short name of the branch.
    pub branch: Option<&'a [u8]>,
}

/// What was found.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum FoundContract {
    /// Nothing that could be a contract.
    None,
    /// Several files could be it: path and what speaks for each.
    Several(Vec<(ByteBuf, String)>),
    /// The contract of record.
    One(Box<FoundRecord>),
    /// The contract that was asked for, or the only one, cannot be read: what is wrong.
    Unreadable(String),
    /// A request closes a ticket that is not there: its number.
    Dangling(String),
}

/// The contract of record in the form that crosses the pipe.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FoundRecord {
    /// Path inside the repository, or as typed for a file outside.
    pub path: ByteBuf,
    /// The judged bytes.
    pub bytes: ByteBuf,
    /// Where they come from.
    pub source: FoundSource,
    /// Their blob.
    pub blob: Option<[u8; 20]>,
    /// The bytes at head; `None` when the file is gone there.
    pub head: Option<ByteBuf>,
    /// Commits between base and head that touched it after the judged version, oldest first.
    pub touched_by: Vec<[u8; 20]>,
    /// Others that could have been meant, and why they were not.
    pub candidates: Vec<(ByteBuf, String)>,
    /// Why this one was taken.
    pub why: String,
    /// What stands in the worktree.
    pub worktree: FoundCopy,
}

/// Where the judged bytes come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the same names as model::contract::Source")]
pub enum FoundSource {
    Base,
    FirstCommit([u8; 20]),
    Head,
    File,
}

/// What stands in the worktree.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[expect(
    missing_docs,
    reason = "the same names as model::contract::WorktreeCopy"
)]
pub enum FoundCopy {
    AsHead,
    Differs,
    Untracked,
    Missing,
    Unreadable,
}

/// Folders and files where contracts usually lie, in order.
const PLACES: [(&str, &str); 12] = [
    (
        ".claude/tasks/contracts",
        "the folder of interview contracts",
    ),
    ("tickets", "the tickets folder"),
    ("GATES.md", "the usual gate file"),
    ("gates", "the gates folder"),
    (".unlazy", "the gate folder of unlazy"),
    ("docs/contracts", "the folder of contracts"),
    ("contracts", "the folder of contracts"),
    ("ACCEPTANCE.md", "the usual acceptance file"),
    ("specs", "the folder of specs"),
    ("openspec/changes", "the changes of OpenSpec"),
    (".kiro/specs", "the specs of Kiro"),
    ("backlog/tasks", "the tasks of Backlog.md"),
];

/// One file that could be the contract.
pub(super) struct Candidate {
    pub path: Vec<u8>,
    pub why: String,
    pub contract: Contract,
}

/// Looks for the contract.
///
/// # Errors
/// Only what makes the whole review impossible; a contract that cannot be read is an answer.
pub fn contract(
    entered: &Entered,
    pins: &Pins<'_>,
    order: &Order,
    walk: &mut dyn Walk,
) -> Result<FoundContract, GitError> {
    if let Some(first) = order.contracts.first() {
        return typed(
            entered,
            pins,
            &order.dir,
            first,
            order.contracts.get(1..).unwrap_or_default(),
        );
    }
    let forced = order.format.as_deref().and_then(Format::parse);
    if let Some(claimed) = ticket::claimed(entered, pins, order)? {
        return Ok(claimed);
    }
    let mut found = changed(entered, pins, forced, walk)?;
    if found.is_empty() && order.request.is_some() {
        // what no line of the request names is not what it is about
        return ticket::mentioned(entered, pins, order);
    }
    if found.is_empty() {
        found = usual(entered, pins, forced)?;
    }
    let (mut found, passed_over) = narrow::narrowed(found, pins.branch);
    let listed = |c: &Candidate| (ByteBuf::from(c.path.clone()), c.why.clone());
    match found.len() {
        0 => match unreadable_there(entered, pins)? {
            Some(why) => Ok(FoundContract::Unreadable(why)),
            None => untracked(
                entered,
                pins,
                forced,
                order.picked.as_deref().map(Vec::as_slice),
            ),
        },
        1 => {
            let one = found.remove(0);
            let mut record = versions::record(entered, pins, &one.path, one.why)?;
            if let FoundContract::One(record) = &mut record {
                record.candidates = passed_over;
            }
            Ok(record)
        }
        several => {
            let picked = |c: &Candidate| order.picked.as_deref() == Some(&c.path);
            let Some(at) = found.iter().position(picked) else {
                let all = found.iter().map(listed).chain(passed_over);
                return Ok(FoundContract::Several(all.collect()));
            };
            let one = found.remove(at);
            let why = format!("picked by a person among {several}; {}", one.why);
            let mut record = versions::record(entered, pins, &one.path, why)?;
            if let FoundContract::One(record) = &mut record {
                let rest = found.into_iter().map(|c| {
                    let why = "another one was picked".to_owned();
                    (ByteBuf::from(c.path), why)
                });
                record.candidates = rest.chain(passed_over).collect();
            }
            Ok(record)
        }
    }
}

/// The contract that was named on the command line.
fn typed(
    entered: &Entered,
    pins: &Pins<'_>,
    dir: &Path,
    path: &Path,
    others: &[std::path::PathBuf],
) -> Result<FoundContract, GitError> {
    let full = std::path::absolute(dir.join(path)).map_err(|e| GitError::System(e.to_string()))?;
    let folder = full.parent().and_then(|p| std::fs::canonicalize(p).ok());
    let real = folder
        .zip(full.file_name())
        .map_or(full.clone(), |(p, name)| p.join(name));
    let inside = real.strip_prefix(&entered.place.worktree).ok();
    let mut answer = match inside.map(|p| p.as_os_str().as_bytes()) {
        Some(inside) if known(entered, pins, inside)? => {
            versions::record(entered, pins, inside, "named with --contract".to_owned())?
        }
        _ => {
            let name = inside.unwrap_or(path).as_os_str().as_bytes().to_vec();
            let copy = inside.map_or(FoundCopy::AsHead, |_| FoundCopy::Untracked);
            from_file(&real, name, "named with --contract", copy)
        }
    };
    if let FoundContract::One(record) = &mut answer {
        let named = |p: &std::path::PathBuf| ByteBuf::from(p.as_os_str().as_bytes().to_vec());
        let also = others
            .iter()
            .map(|p| (named(p), "also named with --contract".to_owned()));
        record.candidates.extend(also);
    }
    Ok(answer)
}

fn known(entered: &Entered, pins: &Pins<'_>, path: &[u8]) -> Result<bool, GitError> {
    let objects = &entered.objects;
    Ok(objects.entry(pins.base_tree, path)?.is_some() || objects.entry(pins.tree, path)?.is_some())
}

fn from_file(file: &Path, path: Vec<u8>, why: &str, worktree: FoundCopy) -> FoundContract {
    match super::regular::read(file, CAP) {
        Ok(Some(bytes)) => FoundContract::One(Box::new(FoundRecord {
            path: ByteBuf::from(path),
            head: Some(ByteBuf::from(bytes.clone())),
            bytes: ByteBuf::from(bytes),
            source: FoundSource::File,
            blob: None,
            touched_by: Vec::new(),
            candidates: Vec::new(),
            why: why.to_owned(),
            worktree,
        })),
        Ok(None) => FoundContract::Unreadable(format!("there is no file {}", super::shown(&path))),
        Err(error) => FoundContract::Unreadable(error.says()),
    }
}

/// Contracts that the change adds, modifies or removes: in the usual places first.
fn changed(
    entered: &Entered,
    pins: &Pins<'_>,
    forced: Option<Format>,
    walk: &mut dyn Walk,
) -> Result<Vec<Candidate>, GitError> {
    let objects = &entered.objects;
    let mut files = Vec::new();
    for (place, what) in PLACES {
        for difference in below(objects, pins, place)? {
            files.push((difference, what));
        }
    }
    let mut claims = Claims::of(forced);
    for (difference, what) in &files {
        claims.look(objects, difference, what);
    }
    let found = claims.among(objects);
    if !found.is_empty() {
        return Ok(found);
    }
    let mut claims = Claims::of(forced);
    let mut looked = 0;
    walk.each(objects, pins.base_tree, pins.tree, &mut |d| {
        if is_prose(&d.path) {
            claims.look(objects, &d, "a file that the change touches");
            looked += 1;
        }
        looked < MOST_LOOKED_INTO
    })?;
    Ok(claims.among(objects))
}

pub(super) fn is_prose(path: &[u8]) -> bool {
    [&b".md"[..], b".markdown", b".erg"]
        .iter()
        .any(|end| path.ends_with(end))
}

/// What differs at or below one path.
fn below(objects: &Objects, pins: &Pins<'_>, place: &str) -> Result<Vec<Difference>, GitError> {
    let old = objects.entry(pins.base_tree, place.as_bytes())?;
    let new = objects.entry(pins.tree, place.as_bytes())?;
    let mut files = Vec::new();
    if old == new {
        return Ok(files);
    }
    let tree = |e: &Option<TreeEntry>| e.as_ref().filter(|e| e.is_tree()).map(|e| e.oid);
    let file = |e: &Option<TreeEntry>| {
        e.as_ref().filter(|e| !e.is_tree()).map(|e| Entry {
            oid: e.oid,
            mode: e.mode,
        })
    };
    if file(&old).is_some() || file(&new).is_some() {
        files.push(Difference {
            path: place.as_bytes().to_vec(),
            old: file(&old),
            new: file(&new),
        });
    }
    walk::differences(objects, tree(&old), tree(&new), &mut |mut d| {
        d.path = [place.as_bytes(), b"/", &d.path].concat();
        files.push(d);
        true
    })?;
    Ok(files)
}

/// Files that a reader of contracts claims.
struct Claims {
    forced: Option<Format>,
    found: Vec<Candidate>,
    differences: Vec<Difference>,
}

impl Claims {
    fn of(forced: Option<Format>) -> Self {
        Self {
            forced,
            found: Vec::new(),
            differences: Vec::new(),
        }
    }

    /// Looks into one changed file.
    fn look(&mut self, objects: &Objects, difference: &Difference, what: &str) {
        let Some(entry) = difference.new.or(difference.old) else {
            return;
        };
        let happened = match (difference.old.is_some(), difference.new.is_some()) {
            (false, _) => "added by the change",
            (_, false) => "removed by the change",
            _ => "changed by the change",
        };
        if let Some(contract) = claim(objects, &difference.path, entry, self.forced) {
            self.differences.push(difference.clone());
            self.found.push(Candidate {
                path: difference.path.clone(),
                why: format!("{what}, {happened}; {}", contract.why),
                contract,
            });
        }
    }

    /// Those that were claimed; the old half of a rename is left out.
    fn among(self, objects: &Objects) -> Vec<Candidate> {
        let pairs = rename::pairs(objects, &self.differences);
        let moved: HashSet<usize> = pairs.iter().map(|p| p.0).collect();
        let mut found = self.found;
        let mut at = 0..found.len();
        found.retain(|_| at.next().is_none_or(|at| !moved.contains(&at)));
        found
    }
}

/// Words without which no reader is sure that a file is a contract: a look that costs far less
/// than reading it as one.
const WORDS: [&[u8]; 13] = [
    b"# contract",
    b"# gates",
    b"check:",
    b"accept",
    b"criteri",
    b"definition of done",
    b"done when",
    b"contracts/",
    b"%erg",
    b"requirement",
    b"- [ ] t0",
    b"ac:begin",
    b"**fr-",
];

fn may_be_one(path: &[u8], bytes: &[u8]) -> bool {
    let has = |text: &[u8]| {
        let lower = text.to_ascii_lowercase();
        WORDS
            .iter()
            .any(|word| memchr::memmem::find(&lower, word).is_some())
    };
    has(path) || memchr::memmem::find(path, b"gates").is_some() || has(bytes)
}

/// What stands in a usual place and says by its name that it is a contract, yet cannot be read
/// as one: a link, another kind of entry, too large, damaged. It is never passed over in silence.
fn unreadable_there(entered: &Entered, pins: &Pins<'_>) -> Result<Option<String>, GitError> {
    let objects = &entered.objects;
    let mut found = None;
    for (place, _) in PLACES {
        for tree in [pins.tree, pins.base_tree] {
            let Some(top) = objects.entry(tree, place.as_bytes())? else {
                continue;
            };
            let mut look = |path: &[u8], entry: Entry| {
                let size = objects.size(entry.oid, "the contract");
                let why = match (entry.mode, size) {
                    (0o120_000, _) => "is a symbolic link".to_owned(),
                    (0o100_644 | 0o100_755, Ok(size)) if size > CAP => {
                        format!("has {size} bytes; at most {CAP} are read")
                    }
                    (0o100_644 | 0o100_755, Err(error)) => error.says(),
                    _ => return true,
                };
                found = Some(format!("{} {why}", super::shown(path)));
                false
            };
            if top.is_tree() {
                let mut left = MOST_LOOKED_INTO;
                walk::differences(objects, None, Some(top.oid), &mut |d| {
                    let path = [place.as_bytes(), b"/", &d.path].concat();
                    left = left.saturating_sub(1);
                    let entry = d.new.filter(|_| is_prose(&path));
                    entry.is_none_or(|entry| look(&path, entry)) && left > 0
                })?;
            } else {
                let (oid, mode) = (top.oid, top.mode);
                look(place.as_bytes(), Entry { oid, mode });
            }
            if found.is_some() {
                return Ok(found);
            }
        }
    }
    Ok(None)
}

/// The contract in a blob, when a reader claims it and it is a plain file.
fn claim(objects: &Objects, path: &[u8], entry: Entry, forced: Option<Format>) -> Option<Contract> {
    let plain = matches!(entry.mode, 0o100_644 | 0o100_755);
    let small = objects
        .size(entry.oid, "the contract")
        .is_ok_and(|size| size <= CAP);
    if !plain || !small {
        return None;
    }
    let blob = objects.blob(entry.oid).ok()?;
    if forced.is_none() && !may_be_one(path, blob.bytes()) {
        return None;
    }
    blob.verify().ok()?;
    super::record::claims(path, blob.bytes(), forced)
}

/// Contracts in the usual places at head, changed or not.
fn usual(
    entered: &Entered,
    pins: &Pins<'_>,
    forced: Option<Format>,
) -> Result<Vec<Candidate>, GitError> {
    let objects = &entered.objects;
    let mut found = Vec::new();
    for (place, what) in PLACES {
        let Some(top) = objects.entry(pins.tree, place.as_bytes())? else {
            continue;
        };
        let mut files = Vec::new();
        if top.is_tree() {
            walk::differences(objects, None, Some(top.oid), &mut |d| {
                files.push(([place.as_bytes(), b"/", &d.path].concat(), d.new));
                files.len() < MOST_LOOKED_INTO
            })?;
        } else {
            let entry = Entry {
                oid: top.oid,
                mode: top.mode,
            };
            files.push((place.as_bytes().to_vec(), Some(entry)));
        }
        for (path, entry) in files {
            if let Some(contract) = entry.and_then(|e| claim(objects, &path, e, forced)) {
                found.push(Candidate {
                    why: format!("{what}; {}", contract.why),
                    path,
                    contract,
                });
            }
        }
    }
    Ok(found)
}

/// A contract in the worktree's usual places that no commit holds.
fn untracked(
    entered: &Entered,
    pins: &Pins<'_>,
    forced: Option<Format>,
    picked: Option<&[u8]>,
) -> Result<FoundContract, GitError> {
    let top = &entered.place.worktree;
    let mut files = Vec::new();
    for (place, _) in PLACES {
        let full = top.join(place);
        let Ok(facts) = std::fs::symlink_metadata(&full) else {
            continue;
        };
        if facts.is_file() {
            files.push(place.as_bytes().to_vec());
        } else if facts.is_dir()
            && let Ok(entries) = std::fs::read_dir(&full)
        {
            let names = entries
                .take(MOST_LOOKED_INTO)
                .flatten()
                .map(|e| e.file_name());
            files.extend(names.map(|n| [place.as_bytes(), b"/", n.as_bytes()].concat()));
        }
    }
    files.sort();
    let mut found = Vec::new();
    for path in files.into_iter().filter(|p| is_prose(p)) {
        let file = top.join(std::ffi::OsStr::from_bytes(&path));
        if entered.objects.entry(pins.tree, &path)?.is_none()
            && let Ok(Some(bytes)) = super::regular::read(&file, CAP)
            && let Some(contract) = super::record::claims(&path, &bytes, forced)
        {
            found.push((path, file, contract.why));
        }
    }
    let why = "in the worktree, and no commit holds it";
    if found.len() > 1
        && let Some(at) = found
            .iter()
            .position(|(path, ..)| picked == Some(path.as_slice()))
    {
        found.swap(0, at);
        found.truncate(1);
    }
    Ok(match found.as_slice() {
        [] => FoundContract::None,
        [(path, file, _)] => from_file(file, path.clone(), why, FoundCopy::Untracked),
        several => FoundContract::Several(
            several
                .iter()
                .map(|(path, _, says)| (ByteBuf::from(path.clone()), format!("{why}; {says}")))
                .collect(),
        ),
    })
}
