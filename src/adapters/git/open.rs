//! Opening a change: the pins, the names, the facts that limit what can be known, the contract.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

use super::base::{self, Base};
use super::discover::{self, FoundContract};
use super::history::{self, Cut};
use super::objects::Objects;
use super::place::{self, Place};
use super::refs::{Head, Refs};
use super::walk::{self, Walk};
use super::{GitError, repository};
use crate::model::id::Oid;
use crate::model::snapshot::{BaseWhy, RepositoryBy};

/// What to open.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Order {
    /// A folder of the worktree.
    pub dir: PathBuf,
    /// The base as typed, `None` to find it.
    pub base: Option<String>,
    /// The pull request's base ref, when it is known.
    pub pull_request_base: Option<String>,
    /// Contracts as typed with `--contract`, relative to `dir`.
    pub contracts: Vec<PathBuf>,
    /// The file that a person picked among several, inside the repository; counts while it is
    /// still one of them.
    pub picked: Option<ByteBuf>,
    /// The name of the format that a person forced; `None` to detect it.
    pub format: Option<String>,
    /// The folder that holds known merge bases and roots; only read here.
    pub memory: Option<PathBuf>,
    /// What the request on the forge says of its ticket; `None` without a request.
    pub request: Option<Asked>,
}

/// What a request says of its ticket (verify-gate 1.2).
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Asked {
    /// Numbers of the tickets that it closes.
    pub closes: Vec<String>,
    /// Paths that it mentions.
    pub mentions: Vec<String>,
    /// The number in its title's scope.
    pub subject: Option<String>,
}

/// What was found, in the form that crosses the pipe.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Found {
    /// The name of the format that a person forced.
    pub format: Option<String>,
    /// Top folder of the worktree.
    pub worktree: PathBuf,
    /// The worktree's git folder.
    pub gitdir: PathBuf,
    /// The shared git folder.
    pub commondir: PathBuf,
    /// Commits and trees.
    pub base: [u8; 20],
    /// Where base and head part.
    pub merge_base: [u8; 20],
    /// The tree there.
    pub base_tree: [u8; 20],
    /// The commit under review.
    pub head: [u8; 20],
    /// Its tree.
    pub tree: [u8; 20],
    /// The full name of the branch under review.
    pub branch: Option<ByteBuf>,
    /// The base as people name it.
    pub base_name: ByteBuf,
    /// Its full ref name.
    pub base_ref: Option<ByteBuf>,
    /// Why it was taken: index into [`WHY`].
    pub base_why: u8,
    /// The repository's id.
    pub repository: [u8; 32],
    /// What it was made from: index into [`BY`].
    pub repository_by: u8,
    /// Its short name.
    pub repository_name: ByteBuf,
    /// What limits what can be known.
    pub notes: Vec<Note>,
    /// Commits under review, oldest first.
    pub commits: Vec<FoundCommit>,
    /// Whether there are more commits than are listed.
    pub more_commits: bool,
    /// The contract, or what could be one.
    pub contract: FoundContract,
    /// The repository's own table of settings at the merge base, if it has one; or why it could
    /// not be read.
    pub policy: Option<Result<ByteBuf, String>>,
    /// The repository's map of scoped checks at the merge base; why it could not be read.
    pub checks: Option<Result<ByteBuf, String>>,
    /// The repository's own list of signers at the merge base; why it could not be read.
    pub signers: Option<Result<ByteBuf, String>>,
    /// Answers worth keeping: file name below the memory folder, and text.
    pub learned: Vec<(String, String)>,
}

/// Reasons by index.
pub const WHY: [BaseWhy; 4] = [
    BaseWhy::Flag,
    BaseWhy::PullRequest,
    BaseWhy::OriginHead,
    BaseWhy::OnlyCandidate,
];

/// Sources of a repository's id by index.
pub const BY: [RepositoryBy; 3] = [
    RepositoryBy::Remote,
    RepositoryBy::Root,
    RepositoryBy::Folder,
];

/// A limit of the repository; see `RepositoryNote`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the same names as RepositoryNote")]
pub enum Note {
    Shallow,
    Partial,
    Sparse,
    Replaced,
    Grafts,
    Alternates,
    Submodules,
    Detached,
    Uncommitted(NotePaths),
    Untracked(NotePaths),
    Nested(NotePaths),
    Colliding(NotePaths),
    NotUtf8(NotePaths),
}

/// The first paths of many, and how many there are.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct NotePaths {
    /// The first ones.
    pub first: Vec<ByteBuf>,
    /// All of them.
    pub total: u32,
}

/// Most paths that one note names.
const NAMED: usize = 32;

impl NotePaths {
    /// One more.
    pub fn push(&mut self, path: &[u8]) {
        self.total = self.total.saturating_add(1);
        if self.first.len() < NAMED {
            self.first.push(ByteBuf::from(path.to_vec()));
        }
    }
}

/// A commit under review.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FoundCommit {
    /// Its id.
    pub oid: [u8; 20],
    /// `Name <mail>` of the author.
    pub author: ByteBuf,
    /// `Name <mail>` of the committer.
    pub committer: ByteBuf,
    /// First line of the message.
    pub subject: ByteBuf,
}

/// A repository that was entered: where it lies and its objects.
#[derive(Debug)]
pub struct Entered {
    /// Where.
    pub place: Place,
    /// What it holds.
    pub objects: Objects,
}

/// Finds the repository of a folder and enters it.
///
/// # Errors
/// Whatever [`place::find`] and [`Objects::open`] say.
pub fn enter(dir: &Path) -> Result<Entered, GitError> {
    let place = place::find(dir)?;
    let objects = Objects::open(&place.commondir)?;
    Ok(Entered { place, objects })
}

/// Opens the change.
///
/// # Errors
/// Everything that makes a review impossible, by kind.
pub fn open(order: &Order, entered: &Entered) -> Result<Found, GitError> {
    open_with(order, entered, &mut walk::Here)
}

/// The same with a walk that may have begun elsewhere.
///
/// # Errors
/// As [`open`].
pub fn open_with(order: &Order, entered: &Entered, walk: &mut dyn Walk) -> Result<Found, GitError> {
    let Entered { place, objects } = entered;
    let refs = Refs::new(place)?;
    let head = refs.head()?;
    let head_commit = objects.commit(head.oid)?;
    let base = base_of(order, &refs, objects)?;
    let cut = Cut::of(place)?;
    let mut memory = Memory::new(order.memory.as_deref());
    let merge_base = memory.recall(&format!("base-{}-{}", base.oid, head.oid), || {
        history::merge_base(objects, &cut, base.oid, head.oid).map(Some)
    })?;
    let merge_base = merge_base.ok_or(GitError::Unrelated)?;
    let base_tree = objects.commit(merge_base)?.tree;
    walk.begin(objects, base_tree, head_commit.tree);
    let named = repository::name(place, base.full.as_deref().unwrap_or(b""), || {
        memory.recall(&format!("root-{}", head.oid), || {
            history::oldest_root(objects, &cut, head.oid)
        })
    })?;
    let (range, more_commits) = history::between(objects, &cut, merge_base, head.oid)?;
    let commits = listed(objects, &range)?;
    let pins = discover::Pins {
        merge_base,
        base_tree,
        tree: head_commit.tree,
        head: head.oid,
        range: &range,
        branch: head.branch.as_deref().map(base::short),
    };
    // a tree that cannot be read leaves the contract unknown, not absent
    let contract = discover::contract(entered, &pins, order, walk)
        .unwrap_or_else(|error| FoundContract::Unreadable(error.says()));
    Ok(Found {
        format: order.format.clone(),
        worktree: place.worktree.clone(),
        gitdir: place.gitdir.clone(),
        commondir: place.commondir.clone(),
        base: base.oid.0,
        merge_base: merge_base.0,
        base_tree: base_tree.0,
        head: head.oid.0,
        tree: head_commit.tree.0,
        notes: notes(entered, &refs, &head, &cut, head_commit.tree)?,
        branch: head.branch.map(ByteBuf::from),
        base_name: ByteBuf::from(base.name),
        base_ref: base.full.map(ByteBuf::from),
        base_why: index(&WHY, &base.why),
        repository: named.id.0,
        repository_by: index(&BY, &named.by),
        repository_name: ByteBuf::from(named.short),
        commits,
        more_commits,
        contract,
        policy: at_base(objects, base_tree, POLICY),
        checks: at_base(objects, base_tree, CHECKS),
        signers: at_base(objects, base_tree, SIGNERS),
        learned: memory.learned,
    })
}

/// Largest table of settings.
const POLICY_CAP: u64 = 64 << 10;

/// The table of settings in the tree of the merge base (rulings A13): never the head's.
fn at_base(objects: &Objects, base_tree: Oid, name: &str) -> Option<Result<ByteBuf, String>> {
    let read = || -> Result<Option<Vec<u8>>, String> {
        let says = |error: GitError| error.says();
        let Some(entry) = objects.entry(base_tree, name.as_bytes()).map_err(says)? else {
            return Ok(None);
        };
        let plain = matches!(entry.mode, 0o100_644 | 0o100_755);
        if !plain || objects.size(entry.oid, name).map_err(says)? > POLICY_CAP {
            return Err("it is not a plain file under 64 KiB".to_owned());
        }
        let blob = objects.blob(entry.oid).map_err(says)?;
        blob.verify().map_err(says)?;
        Ok(Some(blob.bytes().to_vec()))
    };
    read().map(|found| found.map(ByteBuf::from)).transpose()
}

/// Its name at the top of the tree.
const POLICY: &str = ".countersign.toml";

/// The name of its map of scoped checks.
const CHECKS: &str = ".idh-checks.json";

/// The name of its list of signers.
const SIGNERS: &str = crate::adapters::signer::FILE;

fn index<T: PartialEq>(table: &[T], value: &T) -> u8 {
    let at = table.iter().position(|v| v == value);
    at.and_then(|at| u8::try_from(at).ok()).unwrap_or(0)
}

fn base_of(order: &Order, refs: &Refs<'_>, objects: &Objects) -> Result<Base, GitError> {
    if let (None, Some(name)) = (&order.base, &order.pull_request_base) {
        let remote = format!("refs/remotes/origin/{name}");
        let full = if refs.exact(remote.as_bytes())?.is_some() {
            &remote
        } else {
            name
        };
        let mut base = base::choose(refs, objects, Some(full.as_bytes()))?;
        base.name = base::short(full.as_bytes()).to_vec();
        base.why = BaseWhy::PullRequest;
        return Ok(base);
    }
    base::choose(refs, objects, order.base.as_ref().map(String::as_bytes))
}

fn listed(objects: &Objects, range: &[Oid]) -> Result<Vec<FoundCommit>, GitError> {
    let one = |oid: &Oid| {
        let commit = objects.commit(*oid)?;
        Ok(FoundCommit {
            oid: oid.0,
            author: ByteBuf::from(commit.author),
            committer: ByteBuf::from(commit.committer),
            subject: ByteBuf::from(commit.subject),
        })
    };
    range.iter().map(one).collect()
}

fn notes(
    entered: &Entered,
    refs: &Refs<'_>,
    head: &Head,
    cut: &Cut,
    tree: Oid,
) -> Result<Vec<Note>, GitError> {
    let place = &entered.place;
    let grafts = std::fs::symlink_metadata(place.commondir.join("info/grafts")).is_ok();
    let alternates = place.commondir.join("objects/info/alternates");
    let alternates = std::fs::symlink_metadata(alternates).is_ok();
    let submodules = entered
        .objects
        .tree(tree)?
        .iter()
        .any(|e| e.name == b".gitmodules");
    let said = [
        (cut.any(), Note::Shallow),
        (place.partial, Note::Partial),
        (place.sparse, Note::Sparse),
        (refs.any_below("refs/replace/"), Note::Replaced),
        (grafts, Note::Grafts),
        (alternates, Note::Alternates),
        (submodules, Note::Submodules),
        (head.branch.is_none(), Note::Detached),
    ];
    Ok(said
        .into_iter()
        .filter(|(is, _)| *is)
        .map(|(_, note)| note)
        .collect())
}

/// Answers that never change, kept in files whose names are the questions.
struct Memory<'a> {
    folder: Option<&'a Path>,
    learned: Vec<(String, String)>,
}

impl<'a> Memory<'a> {
    fn new(folder: Option<&'a Path>) -> Self {
        Self {
            folder,
            learned: Vec::new(),
        }
    }

    fn recall(
        &mut self,
        question: &str,
        find: impl FnOnce() -> Result<Option<Oid>, GitError>,
    ) -> Result<Option<Oid>, GitError> {
        if let Some(folder) = self.folder
            && let Ok(Some(text)) = super::regular::line(&folder.join(question), 64)
            && let Some(oid) = std::str::from_utf8(&text).ok().and_then(Oid::parse)
        {
            return Ok(Some(oid));
        }
        let found = find()?;
        if let Some(oid) = found {
            self.learned.push((question.to_owned(), oid.to_string()));
        }
        Ok(found)
    }
}
