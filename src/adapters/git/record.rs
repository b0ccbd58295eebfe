//! From what the reader child found to the values that the rules judge. Pure: reads nothing.

use serde_bytes::ByteBuf;

use super::discover::{FoundContract, FoundCopy, FoundRecord, FoundSource};
use super::heads;
use super::open::{BY, Found, Note, NotePaths, WHY};
use super::watch::Watched;
use crate::adapters::contract;
use crate::gate::floor::tamper;
use crate::model::change::Commit;
use crate::model::contract::{
    Confidence, Contract, ContractEdit, ContractOfRecord, EditKind, Format, Source, State,
    WorktreeCopy,
};
use crate::model::id::{Digest, Oid, RepoPath};
use crate::model::known::{Known, Reason};
use crate::model::snapshot::{
    BaseChoice, BaseWhy, ChangeName, RepositoryBy, RepositoryNote, Snapshot, SomePaths,
};
use crate::model::text::Foreign;

/// An opened change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Opened {
    /// Where it lives and what it is called.
    pub change: ChangeName,
    /// The pins.
    pub snapshot: Snapshot,
    /// What limits what can be known; uncommitted changes are asked for apart.
    pub notes: Vec<RepositoryNote>,
    /// The contract of record.
    pub contract: Known<ContractOfRecord>,
    /// Files that could be the contract when none was taken.
    pub candidates: Vec<(RepoPath, String)>,
    /// The repository's own table of settings at the merge base.
    pub policy: Known<Foreign>,
    /// Its map of scoped checks at the merge base.
    pub checks: Known<Foreign>,
    /// Its own list of signers at the merge base.
    pub signers: Known<Foreign>,
    /// Commits under review, oldest first; unknown when there are too many to list.
    pub commits: Known<Vec<Commit>>,
    /// `Name <mail>` of the head commit's author and committer, and of every author under
    /// review, each once: whoever is among them ratifies their own work.
    pub authors: Vec<Foreign>,
    /// The number of a ticket that the request closes and that is not there.
    pub dangling: Option<String>,
    /// Top folder of the worktree.
    pub worktree: std::path::PathBuf,
    /// The worktree's git folder.
    pub gitdir: std::path::PathBuf,
    /// The shared git folder.
    pub commondir: std::path::PathBuf,
    /// Full ref names of branch and base, as far as they are refs.
    pub refs: [Option<RepoPath>; 2],
}

impl Opened {
    /// The question whose answer shows whether anything moved.
    #[must_use]
    pub fn heads(&self) -> heads::Question {
        heads::Question {
            worktree: self.worktree.clone(),
            base_ref: self.refs[1]
                .as_ref()
                .map(|r| ByteBuf::from(r.as_bytes().to_vec())),
            contract: self.contract_path().map(|p| ByteBuf::from(p.to_vec())),
        }
    }

    /// The files whose `stat` shows that something may have moved.
    #[must_use]
    pub fn watched(&self) -> Watched {
        let refs: Vec<&[u8]> = self.refs.iter().flatten().map(RepoPath::as_bytes).collect();
        let contract = self.contract_path();
        Watched::of(
            &self.worktree,
            &self.gitdir,
            &self.commondir,
            &refs,
            contract,
        )
    }

    fn contract_path(&self) -> Option<&[u8]> {
        self.contract.known().map(|c| c.contract.path.as_bytes())
    }
}

/// The contract in a file, when a reader is sure enough that it is one. Suites and spec nodes are
/// the spec gate's: one that nobody named is no contract of the change.
#[must_use]
pub fn claims(path: &[u8], bytes: &[u8], forced: Option<Format>) -> Option<Contract> {
    let contract = contract::read(&RepoPath::new(path.to_vec()), bytes, forced);
    let sure = contract.confidence >= Confidence::Medium && contract.state != State::Absent;
    let of_others = matches!(contract.format, Format::Gherkin | Format::Sdd);
    (sure && (forced.is_some() || !of_others)).then_some(contract)
}

/// A file of the base, when it is there.
fn at_base(found: Option<Result<ByteBuf, String>>) -> Known<Foreign> {
    match found {
        None => Known::NotSupplied,
        Some(Ok(text)) => Known::Is(Foreign::new(text.into_vec())),
        Some(Err(why)) => Known::Unknown(Reason::new(why)),
    }
}

/// Turns what was found into values.
#[must_use]
pub fn opened(found: Found) -> Opened {
    let dangling = match &found.contract {
        FoundContract::Dangling(number) => Some(number.clone()),
        _ => None,
    };
    let forced = found.format.as_deref().and_then(Format::parse);
    let (contract, candidates) = chosen(found.contract, forced);
    let text = |b: &ByteBuf| Foreign::new(b.to_vec());
    let mut authors: Vec<Foreign> = Vec::new();
    for commit in &found.commits {
        for name in [text(&commit.author), text(&commit.committer)] {
            if !authors.contains(&name) {
                authors.push(name);
            }
        }
    }
    let commits = found.commits.iter().map(|c| Commit {
        oid: Oid(c.oid),
        author: text(&c.author),
        subject: text(&c.subject),
    });
    let short = |name: &ByteBuf| Foreign::new(super::base::short(name).to_vec());
    let branch = found.branch.as_ref().map(short);
    let key = match &branch {
        Some(name) => String::from_utf8_lossy(name.raw()).into_owned(),
        None => format!("detached-{}", Oid(found.head).abbreviated(12)),
    };
    let path = |b: &ByteBuf| RepoPath::new(b.to_vec());
    Opened {
        snapshot: Snapshot {
            base: Oid(found.base),
            merge_base: Oid(found.merge_base),
            base_tree: Oid(found.base_tree),
            head: Oid(found.head),
            tree: Oid(found.tree),
            contract: contract.known().map(|c| c.contract.digest),
        },
        change: ChangeName {
            repository: Digest(found.repository),
            repository_by: at(&BY, found.repository_by).unwrap_or(RepositoryBy::Folder),
            key,
            repository_name: text(&found.repository_name),
            branch,
            base: BaseChoice {
                name: text(&found.base_name),
                why: at(&WHY, found.base_why).unwrap_or(BaseWhy::Flag),
            },
        },
        notes: found.notes.iter().map(note).collect(),
        contract,
        candidates,
        policy: at_base(found.policy),
        checks: at_base(found.checks),
        signers: at_base(found.signers),
        commits: if found.more_commits {
            Known::Unknown(Reason::new("there are too many commits to list"))
        } else {
            Known::Is(commits.collect())
        },
        authors,
        refs: [
            found.branch.as_ref().map(path),
            found.base_ref.as_ref().map(path),
        ],
        dangling,
        worktree: found.worktree,
        gitdir: found.gitdir,
        commondir: found.commondir,
    }
}

fn at<T: Copy>(table: &[T], index: u8) -> Option<T> {
    table.get(usize::from(index)).copied()
}

/// A note of the reader as one of the model.
#[must_use]
pub fn note(note: &Note) -> RepositoryNote {
    match note {
        Note::Shallow => RepositoryNote::Shallow,
        Note::Partial => RepositoryNote::Partial,
        Note::Sparse => RepositoryNote::Sparse,
        Note::Replaced => RepositoryNote::Replaced,
        Note::Grafts => RepositoryNote::Grafts,
        Note::Alternates => RepositoryNote::Alternates,
        Note::Submodules => RepositoryNote::Submodules,
        Note::Detached => RepositoryNote::Detached,
        Note::Uncommitted(paths) => RepositoryNote::Uncommitted(some(paths)),
        Note::Untracked(paths) => RepositoryNote::Untracked(some(paths)),
        Note::Nested(paths) => RepositoryNote::Nested(some(paths)),
        Note::Colliding(paths) => RepositoryNote::Colliding(some(paths)),
        Note::NotUtf8(paths) => RepositoryNote::NotUtf8(some(paths)),
    }
}

fn some(paths: &NotePaths) -> SomePaths {
    let path = |bytes: &ByteBuf| RepoPath::new(bytes.to_vec());
    SomePaths {
        first: paths.first.iter().map(path).collect(),
        total: paths.total,
    }
}

fn listed(candidates: &[(ByteBuf, String)]) -> Vec<(RepoPath, String)> {
    let one = |(path, why): &(ByteBuf, String)| (RepoPath::new(path.to_vec()), why.clone());
    candidates.iter().map(one).collect()
}

type Chosen = (Known<ContractOfRecord>, Vec<(RepoPath, String)>);

fn chosen(found: FoundContract, forced: Option<Format>) -> Chosen {
    match found {
        FoundContract::None | FoundContract::Dangling(_) => (Known::NotSupplied, Vec::new()),
        FoundContract::Unreadable(why) => (Known::Unknown(Reason::new(why)), Vec::new()),
        FoundContract::Several(candidates) => {
            let why = format!(
                "{} files could be the contract; name one with --contract",
                candidates.len()
            );
            (Known::Unknown(Reason::new(why)), listed(&candidates))
        }
        FoundContract::One(record) => (of_record(*record, forced), Vec::new()),
    }
}

fn of_record(found: FoundRecord, forced: Option<Format>) -> Known<ContractOfRecord> {
    let path = RepoPath::new(found.path.to_vec());
    let contract = contract::read(&path, &found.bytes, forced);
    let same = Some(contract.format);
    let source = match found.source {
        FoundSource::Base => Source::Base,
        FoundSource::FirstCommit(oid) => Source::FirstCommit(Oid(oid)),
        FoundSource::Head => Source::Head,
        FoundSource::File => Source::File,
    };
    let mut edits = Vec::new();
    match &found.head {
        None => edits.push(whole(EditKind::ContractRemoved)),
        Some(head) if *head != found.bytes => {
            edits.extend(tamper::edits(&contract, &contract::read(&path, head, same)));
        }
        Some(_) => {}
    }
    match source {
        Source::FirstCommit(_) | Source::Head => edits.push(whole(EditKind::NewInChange)),
        Source::Base | Source::File => {}
    }
    match found.worktree {
        FoundCopy::Untracked => edits.push(whole(EditKind::Untracked)),
        FoundCopy::Differs => edits.push(whole(EditKind::Uncommitted)),
        FoundCopy::AsHead | FoundCopy::Missing | FoundCopy::Unreadable => {}
    }
    Known::Is(ContractOfRecord {
        contract,
        bytes: Foreign::new(found.bytes.into_vec()),
        source,
        blob: found.blob.map(Oid),
        head_bytes: found.head.map(|h| Foreign::new(h.into_vec())),
        edits,
        touched_by: found.touched_by.into_iter().map(Oid).collect(),
        candidates: listed(&found.candidates),
        why: found.why,
        worktree: match found.worktree {
            FoundCopy::AsHead => WorktreeCopy::AsHead,
            FoundCopy::Differs => WorktreeCopy::Differs,
            FoundCopy::Untracked => WorktreeCopy::Untracked,
            FoundCopy::Missing => WorktreeCopy::Missing,
            FoundCopy::Unreadable => WorktreeCopy::Unreadable,
        },
    })
}

fn whole(kind: EditKind) -> ContractEdit {
    ContractEdit {
        kind,
        id: None,
        line: 0,
        old: None,
        new: None,
        gated: false,
    }
}
