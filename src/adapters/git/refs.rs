//! Names to commit ids: loose refs, packed refs, HEAD, and the `~n` and `^n` that people type.

use std::path::PathBuf;

use super::GitError;
use super::objects::Objects;
use super::place::Place;
use super::regular;
use crate::model::id::Oid;

const LOOSE: u64 = 4 << 10;
const PACKED: u64 = 256 << 20;
const DEEPEST: usize = 5;

/// What HEAD says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Head {
    /// The commit.
    pub oid: Oid,
    /// The full name of the branch (`refs/heads/x`); `None` when detached.
    pub branch: Option<Vec<u8>>,
}

/// The refs of a repository, read anew at each question; packed refs are read once.
#[derive(Debug)]
pub struct Refs<'a> {
    place: &'a Place,
    packed: Vec<u8>,
}

impl<'a> Refs<'a> {
    /// The refs of this repository.
    ///
    /// # Errors
    /// When `packed-refs` is not a plain file or too large.
    pub fn new(place: &'a Place) -> Result<Self, GitError> {
        let packed = regular::read(&place.commondir.join("packed-refs"), PACKED)?;
        Ok(Self {
            place,
            packed: packed.unwrap_or_default(),
        })
    }

    /// HEAD of the worktree.
    ///
    /// # Errors
    /// `Unborn` when it names a branch without commits, or a broken file.
    pub fn head(&self) -> Result<Head, GitError> {
        let mut name = b"HEAD".to_vec();
        for _ in 0..DEEPEST {
            match self.read(&name)? {
                Some(Target::Id(oid)) => {
                    let branch = (name != b"HEAD").then_some(name);
                    return Ok(Head { oid, branch });
                }
                Some(Target::Ref(next)) => name = next,
                None if name == b"HEAD" => return Err(GitError::NoRef(name)),
                None => return Err(GitError::Unborn(name)),
            }
        }
        Err(GitError::BadRef(name))
    }

    /// The id behind a full ref name, links followed.
    ///
    /// # Errors
    /// A broken ref file.
    pub fn exact(&self, name: &[u8]) -> Result<Option<Oid>, GitError> {
        Ok(self.followed(name)?.map(|(_, oid)| oid))
    }

    /// The last name on the way and the id behind a full ref name.
    ///
    /// # Errors
    /// A broken ref file.
    pub fn followed(&self, name: &[u8]) -> Result<Option<(Vec<u8>, Oid)>, GitError> {
        let mut name = name.to_vec();
        for _ in 0..DEEPEST {
            match self.read(&name)? {
                Some(Target::Id(oid)) => return Ok(Some((name, oid))),
                Some(Target::Ref(next)) => name = next,
                None => return Ok(None),
            }
        }
        Err(GitError::BadRef(name))
    }

    fn read(&self, name: &[u8]) -> Result<Option<Target>, GitError> {
        let path = self.path(name)?;
        let bad = || GitError::File(os(&path), "is not a ref".to_owned());
        // a folder of refs may stand where a packed ref is named
        if !path.is_dir()
            && let Some(text) = regular::line(&path, LOOSE)?
        {
            if let Some(target) = text.strip_prefix(b"ref:") {
                let target = target.trim_ascii().to_vec();
                return well_formed(&target)
                    .then_some(Some(Target::Ref(target)))
                    .ok_or_else(bad);
            }
            let id = std::str::from_utf8(&text).ok().and_then(Oid::parse);
            return id.map(|id| Some(Target::Id(id))).ok_or_else(bad);
        }
        Ok(self.packed(name).map(Target::Id))
    }

    /// Where the loose file of a ref lies.
    ///
    /// # Errors
    /// `BadRef` for a name that cannot be one.
    pub fn path(&self, name: &[u8]) -> Result<PathBuf, GitError> {
        use std::os::unix::ffi::OsStrExt as _;
        if !well_formed(name) {
            return Err(GitError::BadRef(name.to_vec()));
        }
        let own = !name.starts_with(b"refs/") || name.starts_with(b"refs/worktree/");
        let root = if own {
            &self.place.gitdir
        } else {
            &self.place.commondir
        };
        Ok(root.join(std::ffi::OsStr::from_bytes(name)))
    }

    fn packed(&self, name: &[u8]) -> Option<Oid> {
        let mut at = 0;
        while let Some(found) = memchr::memmem::find(self.packed.get(at..)?, name) {
            let start = at + found;
            let end = start + name.len();
            let whole = matches!(self.packed.get(end), None | Some(b'\n' | b'\r'));
            let id = start
                .checked_sub(41)
                .and_then(|s| self.packed.get(s..start - 1));
            let opens = start == 41 || start.checked_sub(42).map(|s| self.packed[s]) == Some(b'\n');
            if whole && opens && self.packed.get(start - 1) == Some(&b' ') {
                return id
                    .and_then(|id| std::str::from_utf8(id).ok())
                    .and_then(Oid::parse);
            }
            at = end;
        }
        None
    }

    /// Whether any ref lies below this prefix (`refs/replace/`).
    #[must_use]
    pub fn any_below(&self, prefix: &str) -> bool {
        let folder = self.place.commondir.join(prefix);
        let loose = std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some());
        loose || memchr::memmem::find(&self.packed, format!(" {prefix}").as_bytes()).is_some()
    }

    /// Reads what a person typed as a base: a name, an id, or either followed by `~n`, `^`, `^n`.
    /// Returns the id of the commit and the full ref name when there is one.
    ///
    /// # Errors
    /// `BadRef`, `NoRef`, or whatever reading objects says.
    pub fn typed(
        &self,
        text: &[u8],
        objects: &Objects,
    ) -> Result<(Oid, Option<Vec<u8>>), GitError> {
        let cut = text
            .iter()
            .position(|b| matches!(b, b'~' | b'^'))
            .unwrap_or(text.len());
        let (name, steps) = text.split_at(cut);
        let none = || GitError::NoRef(text.to_vec());
        if name.is_empty() || name.starts_with(b"-") || memchr::memmem::find(name, b"@{").is_some()
        {
            return Err(GitError::BadRef(text.to_vec()));
        }
        let (mut oid, full) = self.named(name, objects)?.ok_or_else(none)?;
        oid = objects.peel(oid)?;
        let moved = !steps.is_empty();
        let mut rest = steps;
        while let Some((first, after)) = rest.split_first() {
            let digits = after.iter().take_while(|b| b.is_ascii_digit()).count();
            let number = match std::str::from_utf8(&after[..digits]) {
                Ok("") => 1,
                Ok(number) => number.parse::<usize>().map_err(|_| none())?,
                Err(_) => return Err(none()),
            };
            rest = &after[digits..];
            match first {
                b'~' => {
                    for _ in 0..number.min(100_000) {
                        oid = *objects.commit(oid)?.parents.first().ok_or_else(none)?;
                    }
                }
                b'^' if number == 0 => {}
                b'^' => {
                    oid = *objects
                        .commit(oid)?
                        .parents
                        .get(number - 1)
                        .ok_or_else(none)?;
                }
                _ => return Err(GitError::BadRef(text.to_vec())),
            }
        }
        Ok((oid, full.filter(|_| !moved)))
    }

    fn named(&self, name: &[u8], objects: &Objects) -> Result<Option<Named>, GitError> {
        let text = std::str::from_utf8(name).ok();
        if let Some(oid) = text.and_then(Oid::parse) {
            return Ok(Some((oid, None)));
        }
        for (before, after) in [
            ("", ""),
            ("refs/", ""),
            ("refs/tags/", ""),
            ("refs/heads/", ""),
            ("refs/remotes/", ""),
            ("refs/remotes/", "/HEAD"),
        ] {
            let full = [before.as_bytes(), name, after.as_bytes()].concat();
            let root = full == b"HEAD" || full.starts_with(b"refs/");
            if root
                && well_formed(&full)
                && let Some(oid) = self.exact(&full)?
            {
                return Ok(Some((oid, Some(full))));
            }
        }
        let hex = name.len() >= 4 && name.iter().all(u8::is_ascii_hexdigit);
        Ok(text
            .filter(|_| hex)
            .and_then(|t| objects.by_prefix(t))
            .map(|oid| (oid, None)))
    }
}

/// A commit or tag, and the full ref name when it has one.
type Named = (Oid, Option<Vec<u8>>);

#[derive(Debug)]
enum Target {
    Id(Oid),
    Ref(Vec<u8>),
}

fn os(path: &std::path::Path) -> Vec<u8> {
    use std::os::unix::ffi::OsStrExt as _;
    path.as_os_str().as_bytes().to_vec()
}

/// Whether git would take this as a ref name; it can then be no way out of the git folder.
#[must_use]
pub fn well_formed(name: &[u8]) -> bool {
    let parts_fit = name
        .split(|b| *b == b'/')
        .all(|part| !part.is_empty() && !part.starts_with(b".") && !part.ends_with(b".lock"));
    let bytes_fit = name
        .iter()
        .all(|b| *b > b' ' && *b != 0x7f && !b"~^:?*[\\".contains(b));
    let runs_fit = !name.windows(2).any(|w| w == b".." || w == b"@{");
    name.len() <= 1024 && parts_fit && bytes_fit && runs_fit && !name.ends_with(b".")
}
