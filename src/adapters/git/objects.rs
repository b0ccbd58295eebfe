//! Objects by id. Commits and trees are checked against their names when they are read; blobs
//! are checked by [`Blob::verify`], after what they hold was sent (mechanisms: "hash
//! checking" costs 40 % of the time to the first hunk).

use std::path::Path;

use git2::{ErrorCode, ObjectType, Odb, OdbObject};

use super::GitError;
use super::loose::Loose;
use crate::model::id::Oid;

/// Largest commit or tree that is read.
const SMALL: usize = 64 << 20;

/// The objects of one repository. It lives as long as the process, so that what was read can be
/// kept without a copy.
#[derive(Clone, Copy)]
pub struct Objects {
    odb: &'static Odb<'static>,
    loose: &'static Loose,
}

/// The bytes of an object.
enum Data {
    Packed(OdbObject<'static>),
    Loose(Vec<u8>),
}

impl Data {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Packed(object) => object.data(),
            Self::Loose(bytes) => bytes,
        }
    }
}

impl std::fmt::Debug for Objects {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Objects")
    }
}

/// A commit, as far as it is needed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Commit {
    /// Its tree.
    pub tree: Oid,
    /// Its parents.
    pub parents: Vec<Oid>,
    /// `Name <mail>` of the author, raw.
    pub author: Vec<u8>,
    /// `Name <mail>` of the committer, raw.
    pub committer: Vec<u8>,
    /// The committer's time, for the order of walks only.
    pub time: i64,
    /// First line of the message, at most 512 bytes.
    pub subject: Vec<u8>,
}

/// An entry of a tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TreeEntry {
    /// Mode bits.
    pub mode: u32,
    /// Name bytes, without `/`.
    pub name: Vec<u8>,
    /// The object.
    pub oid: Oid,
}

impl TreeEntry {
    /// Whether it is a folder.
    #[must_use]
    pub fn is_tree(&self) -> bool {
        self.mode == 0o040_000
    }
}

impl Objects {
    /// The object database of `<commondir>/objects` and its alternates.
    ///
    /// # Errors
    /// When the alternates file is no plain file, or libgit2 cannot read the folder.
    pub fn open(commondir: &Path) -> Result<Self, GitError> {
        git2::opts::strict_hash_verification(false);
        let folder = commondir.join("objects");
        let loose = Loose::new(&folder)?;
        let odb = Odb::new().map_err(system)?;
        let path = folder.to_str().ok_or_else(|| {
            GitError::Format("a path that is not UTF-8 for its objects".to_owned())
        })?;
        odb.add_disk_alternate(path).map_err(system)?;
        Ok(Self {
            odb: Box::leak(Box::new(odb)),
            loose: Box::leak(Box::new(loose)),
        })
    }

    fn any(&self, oid: Oid, what: &str) -> Result<(ObjectType, Data), GitError> {
        match self.loose.read(oid) {
            Some(Ok(found)) => Ok((found.kind, Data::Loose(found.bytes))),
            Some(Err(why)) => Err(GitError::Damaged(what.to_owned(), oid.0, why)),
            None => {
                let object = self.odb.read(raw(oid)?).map_err(|e| fault(&e, what, oid))?;
                Ok((object.kind(), Data::Packed(object)))
            }
        }
    }

    /// Reads an object of one kind.
    ///
    /// # Errors
    /// `Missing`, or `Damaged` when it is of another kind or cannot be read.
    fn read(&self, oid: Oid, kind: ObjectType, what: &str) -> Result<Data, GitError> {
        let (found, data) = self.any(oid, what)?;
        if found != kind {
            let why = format!("it is a {}", found.str());
            return Err(GitError::Damaged(what.to_owned(), oid.0, why));
        }
        Ok(data)
    }

    /// Kind and size of an object, without reading it.
    ///
    /// # Errors
    /// `Missing` or `Damaged`.
    pub fn size(&self, oid: Oid, what: &str) -> Result<u64, GitError> {
        if let Some(header) = self.loose.header(oid) {
            let damaged = |why| GitError::Damaged(what.to_owned(), oid.0, why);
            return header.map(|(_, size)| size as u64).map_err(damaged);
        }
        let (size, _) = self
            .odb
            .read_header(raw(oid)?)
            .map_err(|e| fault(&e, what, oid))?;
        Ok(size as u64)
    }

    /// Whether an object is there.
    #[must_use]
    pub fn has(&self, oid: Oid) -> bool {
        raw(oid).is_ok_and(|id| self.odb.exists(id))
    }

    /// The bytes of a blob, not yet checked against its name.
    ///
    /// # Errors
    /// `Missing` or `Damaged`.
    pub fn blob(&self, oid: Oid) -> Result<Blob, GitError> {
        let data = self.read(oid, ObjectType::Blob, "the file content")?;
        Ok(Blob { oid, data })
    }

    /// A commit, checked against its name.
    ///
    /// # Errors
    /// `Missing` or `Damaged`.
    pub fn commit(&self, oid: Oid) -> Result<Commit, GitError> {
        let object = self.read(oid, ObjectType::Commit, "the commit")?;
        self.checked(&object, oid, ObjectType::Commit, "the commit")?;
        parse_commit(object.bytes()).ok_or_else(|| {
            GitError::Damaged(
                "the commit".to_owned(),
                oid.0,
                "it cannot be read".to_owned(),
            )
        })
    }

    /// The whole message of a commit, checked against its name.
    ///
    /// # Errors
    /// `Missing` or `Damaged`, or `Huge` above `most` bytes.
    pub fn message(&self, oid: Oid, most: usize) -> Result<Vec<u8>, GitError> {
        let object = self.read(oid, ObjectType::Commit, "the commit")?;
        self.checked(&object, oid, ObjectType::Commit, "the commit")?;
        let data = object.bytes();
        let start = memchr::memmem::find(data, b"\n\n").map_or(data.len(), |at| at + 2);
        let message = data.get(start..).unwrap_or_default();
        if message.len() > most {
            return Err(GitError::Huge(message.len() as u64));
        }
        Ok(message.to_vec())
    }

    /// The entries of a tree, checked against its name and in git's order.
    ///
    /// # Errors
    /// `Missing` or `Damaged`.
    pub fn tree(&self, oid: Oid) -> Result<Vec<TreeEntry>, GitError> {
        let object = self.read(oid, ObjectType::Tree, "the tree")?;
        self.checked(&object, oid, ObjectType::Tree, "the tree")?;
        parse_tree(object.bytes()).ok_or_else(|| {
            GitError::Damaged("the tree".to_owned(), oid.0, "it cannot be read".to_owned())
        })
    }

    fn checked(
        &self,
        object: &Data,
        oid: Oid,
        kind: ObjectType,
        what: &str,
    ) -> Result<(), GitError> {
        let damaged = |why: String| GitError::Damaged(what.to_owned(), oid.0, why);
        if object.bytes().len() > SMALL {
            return Err(damaged("it is too large".to_owned()));
        }
        let real =
            git2::Oid::hash_object(kind, object.bytes()).map_err(|e| damaged(e.to_string()))?;
        if real.as_bytes() == oid.0 {
            Ok(())
        } else {
            Err(damaged("its bytes do not hash to its name".to_owned()))
        }
    }

    /// The commit that an id stands for: itself, or what a tag names.
    ///
    /// # Errors
    /// `Missing`, or `Damaged` when it is neither.
    pub fn peel(&self, oid: Oid) -> Result<Oid, GitError> {
        let mut oid = oid;
        for _ in 0..5 {
            let (kind, data) = self.any(oid, "the commit")?;
            match kind {
                ObjectType::Commit => return Ok(oid),
                ObjectType::Tag => {
                    let line = data.bytes().split(|b| *b == b'\n').next();
                    let target = line
                        .and_then(|l| l.strip_prefix(b"object "))
                        .and_then(|t| std::str::from_utf8(t).ok())
                        .and_then(Oid::parse);
                    oid = target.ok_or_else(|| {
                        GitError::Damaged("the tag".into(), oid.0, "it names nothing".into())
                    })?;
                }
                other => {
                    let why = format!("it is a {}", other.str());
                    return Err(GitError::Damaged("the commit".to_owned(), oid.0, why));
                }
            }
        }
        Err(GitError::Damaged(
            "the tag".into(),
            oid.0,
            "it is nested too deeply".into(),
        ))
    }

    /// The only object whose id begins with these hex digits.
    #[must_use]
    pub fn by_prefix(&self, text: &str) -> Option<Oid> {
        let short = git2::Oid::from_str(&format!("{text:0<40}")).ok()?;
        let full = self.odb.exists_prefix(short, text.len()).ok()?;
        <[u8; 20]>::try_from(full.as_bytes()).ok().map(Oid)
    }

    /// The entry at a path below a tree; `None` when there is none.
    ///
    /// # Errors
    /// `Missing` or `Damaged` trees on the way.
    pub fn entry(&self, tree: Oid, path: &[u8]) -> Result<Option<TreeEntry>, GitError> {
        let mut at = tree;
        let mut parts = path.split(|b| *b == b'/').peekable();
        while let Some(part) = parts.next() {
            let Some(entry) = self.tree(at)?.into_iter().find(|e| e.name == part) else {
                return Ok(None);
            };
            if parts.peek().is_none() {
                return Ok(Some(entry));
            }
            if !entry.is_tree() {
                return Ok(None);
            }
            at = entry.oid;
        }
        Ok(None)
    }

    /// Looks for new packs and loose objects.
    pub fn refresh(&self) {
        let _ = self.odb.refresh();
        self.loose.refresh();
    }
}

/// A blob in memory.
pub struct Blob {
    oid: Oid,
    data: Data,
}

impl std::fmt::Debug for Blob {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Blob({:?}, {} bytes)", self.oid, self.bytes().len())
    }
}

impl Blob {
    /// Its bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.data.bytes()
    }

    /// Checks the bytes against the name (with libgit2's collision-detecting SHA-1).
    ///
    /// # Errors
    /// `Damaged` when they differ.
    pub fn verify(&self) -> Result<(), GitError> {
        let damaged =
            |why: String| GitError::Damaged("the file content".to_owned(), self.oid.0, why);
        let real = git2::Oid::hash_object(ObjectType::Blob, self.bytes())
            .map_err(|e| damaged(e.to_string()))?;
        if real.as_bytes() == self.oid.0 {
            Ok(())
        } else {
            Err(damaged("its bytes do not hash to its name".to_owned()))
        }
    }
}

fn raw(oid: Oid) -> Result<git2::Oid, GitError> {
    git2::Oid::from_bytes(&oid.0).map_err(system)
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "the shape that map_err wants"
)]
fn system(error: git2::Error) -> GitError {
    GitError::System(error.message().to_owned())
}

fn fault(error: &git2::Error, what: &str, oid: Oid) -> GitError {
    if error.code() == ErrorCode::NotFound {
        GitError::Missing(what.to_owned(), oid.0)
    } else {
        GitError::Damaged(what.to_owned(), oid.0, error.message().to_owned())
    }
}

fn parse_commit(data: &[u8]) -> Option<Commit> {
    let split = memchr::memmem::find(data, b"\n\n").unwrap_or(data.len());
    let mut commit = Commit {
        tree: Oid([0; 20]),
        parents: Vec::new(),
        author: Vec::new(),
        committer: Vec::new(),
        time: 0,
        subject: Vec::new(),
    };
    let id = |text: &[u8]| std::str::from_utf8(text).ok().and_then(Oid::parse);
    let mut head = data.get(..split)?.split(|b| *b == b'\n');
    commit.tree = id(head.next()?.strip_prefix(b"tree ")?)?;
    for line in head {
        if let Some(parent) = line.strip_prefix(b"parent ") {
            commit.parents.push(id(parent)?);
        } else if let Some(author) = line.strip_prefix(b"author ") {
            commit.author = signature(author).0;
        } else if let Some(committer) = line.strip_prefix(b"committer ") {
            (commit.committer, commit.time) = signature(committer);
        }
    }
    let message = data.get(split + 2..).unwrap_or_default();
    let first = message
        .split(|b| *b == b'\n')
        .find(|l| !l.trim_ascii().is_empty());
    let first = first.unwrap_or_default();
    commit.subject = first.get(..512).unwrap_or(first).to_vec();
    Some(commit)
}

/// `Name <mail>` and the seconds after it; anything odd is kept raw, with time 0.
fn signature(text: &[u8]) -> (Vec<u8>, i64) {
    let Some(end) = memchr::memrchr(b'>', text) else {
        return (text.to_vec(), 0);
    };
    let (name, rest) = text.split_at(end + 1);
    let seconds = rest
        .trim_ascii()
        .split(|b| *b == b' ')
        .next()
        .unwrap_or_default();
    let time = std::str::from_utf8(seconds)
        .ok()
        .and_then(|t| t.parse().ok());
    (name.to_vec(), time.unwrap_or(0))
}

fn parse_tree(data: &[u8]) -> Option<Vec<TreeEntry>> {
    let mut out: Vec<TreeEntry> = Vec::with_capacity(data.len() / 32);
    let mut rest = data;
    while !rest.is_empty() {
        let blank = memchr::memchr(b' ', rest)?;
        let mode = std::str::from_utf8(rest.get(..blank)?).ok()?;
        let mode = u32::from_str_radix(mode, 8).ok()?;
        let nul = memchr::memchr(0, rest)?;
        let name = rest.get(blank + 1..nul)?.to_vec();
        let id: [u8; 20] = rest.get(nul + 1..nul + 21)?.try_into().ok()?;
        rest = rest.get(nul + 21..)?;
        let entry = TreeEntry {
            mode,
            name,
            oid: Oid(id),
        };
        let named = !entry.name.is_empty() && !entry.name.contains(&b'/');
        let ordered = out.last().is_none_or(|last| before(last, &entry).is_lt());
        if !named || !ordered {
            return None;
        }
        out.push(entry);
    }
    Some(out)
}

/// Git's order of entries: bytes, folders as if their name ended in `/`.
#[must_use]
pub fn before(a: &TreeEntry, b: &TreeEntry) -> std::cmp::Ordering {
    let key = |e: &TreeEntry| e.is_tree().then_some(b'/');
    let left = a.name.iter().copied().chain(key(a));
    left.cmp(b.name.iter().copied().chain(key(b)))
}
