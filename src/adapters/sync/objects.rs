//! The private bare repository that carries shards: blobs, trees and commits without a clock, a
//! name or an address in them. It is a means of travel; everything in it can be made again.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use git2::{FileMode, ObjectType, Oid, Repository, RepositoryInitOptions, Tree};

use crate::adapters::ledger_store::is_writer;

/// Most bytes of a shard or text that is taken.
const LIMIT: usize = 64 << 20;

/// What one writer's tree holds of one repository: file names without their ending.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Listing {
    pub(super) shards: BTreeMap<String, Oid>,
    pub(super) texts: BTreeMap<String, Oid>,
    /// What has no place there, as it is named.
    pub(super) odd: Vec<String>,
}

/// The repository of one ledger.
pub(super) struct Objects {
    repository: Repository,
    folder: PathBuf,
    /// The ledger's id, which names the folder in every tree.
    ledger: String,
}

type Result<T> = std::result::Result<T, git2::Error>;

/// Which of the three places of a ref.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Refs {
    /// `refs/countersign/`: what is ours.
    Own,
    /// `refs/countersign-in/`: as the remote has it.
    In,
    /// `refs/countersign-kept/`: what was taken from there.
    Kept,
}

impl Refs {
    pub(super) fn name(self, writer: &str) -> String {
        let folder = match self {
            Self::Own => "countersign",
            Self::In => "countersign-in",
            Self::Kept => "countersign-kept",
        };
        format!("refs/{folder}/{writer}")
    }
}

impl Objects {
    /// Opens it, and makes it where there is none or where it is damaged beyond opening.
    pub(super) fn open(folder: &Path, ledger: &str) -> Result<Self> {
        let flags = git2::RepositoryOpenFlags::NO_SEARCH
            | git2::RepositoryOpenFlags::BARE
            | git2::RepositoryOpenFlags::NO_DOTGIT;
        let none: [&Path; 0] = [];
        let whole = fs::read(folder.join("HEAD")).is_ok_and(|head| head.starts_with(b"ref: refs/"));
        let repository = match Repository::open_ext(folder, flags, none) {
            Ok(repository) if whole => repository,
            Ok(_) | Err(_) => {
                if folder.exists() {
                    fs::remove_dir_all(folder)
                        .map_err(|error| git2::Error::from_str(&error.to_string()))?;
                }
                let mut options = RepositoryInitOptions::new();
                options
                    .bare(true)
                    .external_template(false)
                    .mode(git2::RepositoryInitMode::from_bits_retain(0o700));
                let repository = Repository::init_opts(folder, &options)?;
                repository
                    .config()?
                    .open_level(git2::ConfigLevel::Local)?
                    .set_bool("core.fsyncObjectFiles", true)?;
                repository
            }
        };
        Ok(Self {
            repository,
            folder: folder.to_owned(),
            ledger: ledger.to_owned(),
        })
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The writers whose refs the remote has, and names that are none.
    pub(super) fn writers(&self) -> Result<(BTreeMap<String, Oid>, Vec<String>)> {
        let (mut writers, mut odd) = (BTreeMap::new(), Vec::new());
        for reference in self.repository.references_glob("refs/countersign-in/*")? {
            let reference = reference?;
            let name = String::from_utf8_lossy(reference.name_bytes()).into_owned();
            let name = name.trim_start_matches("refs/countersign-in/");
            match reference.target() {
                Some(oid) if is_writer(name) => {
                    writers.insert(name.to_owned(), oid);
                }
                _ => odd.push(name.to_owned()),
            }
        }
        Ok((writers, odd))
    }

    pub(super) fn tip(&self, refs: Refs, writer: &str) -> Option<Oid> {
        self.repository.refname_to_id(&refs.name(writer)).ok()
    }

    /// Moves a ref of this repository; the own one only from where it was seen.
    pub(super) fn put(&self, refs: Refs, writer: &str, to: Oid, from: Option<Oid>) -> Result<()> {
        let name = refs.name(writer);
        match (refs, from) {
            (Refs::Own, Some(from)) => self
                .repository
                .reference_matching(&name, to, true, from, "")?,
            (Refs::Own, None) => self.repository.reference(&name, to, false, "")?,
            (Refs::In | Refs::Kept, _) => self.repository.reference(&name, to, true, "")?,
        };
        Ok(())
    }

    fn root(&self, commit: Oid) -> Result<Tree<'_>> {
        self.repository.find_commit(commit)?.tree()
    }

    fn folder_of<'a>(&'a self, tree: &Tree<'_>, name: &str) -> Result<Option<Tree<'a>>> {
        let Some(entry) = tree.get_name(name) else {
            return Ok(None);
        };
        self.repository.find_tree(entry.id()).map(Some)
    }

    /// What a commit holds of this ledger.
    pub(super) fn listing(&self, commit: Oid) -> Result<Listing> {
        let mut out = Listing::default();
        let Some(ours) = self.folder_of(&self.root(commit)?, &self.ledger)? else {
            return Ok(out);
        };
        for (folder, ending) in [("ledger", ".jsonl"), ("texts", "")] {
            let Some(tree) = self.folder_of(&ours, folder)? else {
                continue;
            };
            for entry in &tree {
                let name = String::from_utf8_lossy(entry.name_bytes()).into_owned();
                let plain = entry.filemode() == i32::from(FileMode::Blob);
                let stem = name.strip_suffix(ending).filter(|_| plain);
                match stem {
                    Some(stem) if ending.is_empty() => {
                        out.texts.insert(stem.to_owned(), entry.id());
                    }
                    Some(stem) => {
                        out.shards.insert(stem.to_owned(), entry.id());
                    }
                    None => out.odd.push(name),
                }
            }
        }
        Ok(out)
    }

    /// The bytes of a file; `None` when there are more than are taken.
    pub(super) fn bytes(&self, blob: Oid) -> Result<Option<Vec<u8>>> {
        let (size, _) = self.repository.odb()?.read_header(blob)?;
        if size > LIMIT {
            return Ok(None);
        }
        Ok(Some(self.repository.find_blob(blob)?.content().to_vec()))
    }

    /// The id that bytes have as a file.
    pub(super) fn id_of(bytes: &[u8]) -> Result<Oid> {
        Oid::hash_object(ObjectType::Blob, bytes)
    }

    pub(super) fn keep(&self, bytes: &[u8]) -> Result<Oid> {
        self.repository.blob(bytes)
    }

    /// A tree of these files on top of what `below` holds: nothing that stands there is left out,
    /// of this ledger or of another.
    pub(super) fn tree(&self, below: Option<Oid>, files: &Listing) -> Result<Oid> {
        let root = below.map(|commit| self.root(commit)).transpose()?;
        let ours = match &root {
            Some(root) => self.folder_of(root, &self.ledger)?,
            None => None,
        };
        let part = |folder: &str, ending: &str, files: &BTreeMap<String, Oid>| {
            let there = match &ours {
                Some(ours) => self.folder_of(ours, folder)?,
                None => None,
            };
            let mut builder = self.repository.treebuilder(there.as_ref())?;
            for (stem, blob) in files {
                let name = format!("{stem}{ending}");
                builder.insert(name, *blob, FileMode::Blob.into())?;
            }
            Ok::<_, git2::Error>((builder.len(), builder.write()?))
        };
        let mut builder = self.repository.treebuilder(ours.as_ref())?;
        for (folder, ending, files) in [
            ("ledger", ".jsonl", &files.shards),
            ("texts", "", &files.texts),
        ] {
            let (len, tree) = part(folder, ending, files)?;
            if len > 0 {
                builder.insert(folder, tree, FileMode::Tree.into())?;
            }
        }
        let ours = builder.write()?;
        let mut builder = self.repository.treebuilder(root.as_ref())?;
        builder.insert(&self.ledger, ours, FileMode::Tree.into())?;
        builder.write()
    }

    pub(super) fn tree_of(&self, commit: Oid) -> Result<Oid> {
        Ok(self.root(commit)?.id())
    }

    /// Whether `newer` is `older` or comes after it.
    pub(super) fn contains(&self, newer: Oid, older: Oid) -> bool {
        newer == older
            || self
                .repository
                .graph_descendant_of(newer, older)
                .unwrap_or(false)
    }

    /// A commit that says nothing but its tree and its parents.
    pub(super) fn commit(&self, tree: Oid, parents: &BTreeSet<Oid>) -> Result<Oid> {
        let mut text = format!("tree {tree}\n");
        for parent in parents {
            text.push_str(&format!("parent {parent}\n"));
        }
        text.push_str(
            "author countersign <> 0 +0000\ncommitter countersign <> 0 +0000\n\nledger\n",
        );
        self.repository
            .odb()?
            .write(ObjectType::Commit, text.as_bytes())
    }
}
