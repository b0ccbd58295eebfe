//! The skills below a folder: walked and read by two threads, in one pass.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, PoisonError};

use super::cache::{Cache, Key};
use crate::adapters::git::{regular, skills};
use crate::gate::chains::{Outline, Profile, Searcher, SkillText, Tree, outline};
use crate::model::id::{Digest, RepoPath};

/// Threads that walk and read.
const THREADS: usize = 2;
/// Folders that hold no skill of the tree.
const SKIPPED: [&[u8]; 2] = [b".git", b"node_modules"];

/// Why a file called `SKILL.md` is no skill that was read, or only in part.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Problem {
    /// It is a folder.
    Folder,
    /// It is a link; what it leads to is not looked at.
    Link,
    /// It is a device, a FIFO or a socket.
    Special,
    /// It cannot be read; why.
    Unreadable(String),
    /// Bytes of it are no text; they were read as `U+FFFD`.
    NotUtf8,
    /// The same bytes as another file, which is the one that counts.
    Mirror(RepoPath),
    /// The working tree no longer holds it.
    Deleted,
    /// It lies elsewhere now.
    Renamed(RepoPath),
    /// It is named like one, and is none.
    OtherName,
}

impl Problem {
    /// The kind, as a word of JSON.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Folder => "directory",
            Self::Link => "link",
            Self::Special => "special",
            Self::Unreadable(_) => "unreadable",
            Self::NotUtf8 => "not-utf8",
            Self::Mirror(_) => "mirror",
            Self::Deleted => "deleted",
            Self::Renamed(_) => "renamed",
            Self::OtherName => "other-name",
        }
    }

    /// What it is, as a fragment.
    #[must_use]
    pub fn says(&self) -> String {
        let shown = |path: &RepoPath| path.foreign().shown(crate::model::text::Place::Strict);
        match self {
            Self::Folder => "is a directory".to_owned(),
            Self::Link => "is a link, which is not followed".to_owned(),
            Self::Special => "is no regular file".to_owned(),
            Self::Unreadable(why) => format!("cannot be read: {why}"),
            Self::NotUtf8 => {
                "is not UTF-8; the bytes that are no text are read as marks".to_owned()
            }
            Self::Mirror(of) => format!("is the same as {}", shown(of)),
            Self::Deleted => "is deleted".to_owned(),
            Self::Renamed(to) => format!("is now {}", shown(to)),
            Self::OtherName => "is not named exactly SKILL.md".to_owned(),
        }
    }

    /// Whether the audit misses something because of it.
    #[must_use]
    pub fn unread(&self) -> bool {
        matches!(self, Self::Unreadable(_))
    }
}

/// What lies below a folder.
#[derive(Debug, Default)]
pub struct Gathered {
    /// The skills, in path order, and the agents.
    pub tree: Tree,
    /// What is named like a skill and is none, or not whole, in path order.
    pub problems: Vec<(RepoPath, Problem)>,
    /// How many skills came from the cache.
    pub cached: usize,
}

/// One `SKILL.md`, as a thread found it.
struct Found {
    path: Vec<u8>,
    key: Option<Key>,
    digest: Option<Digest>,
    outline: Option<Outline>,
    problem: Option<Problem>,
    cached: bool,
}

#[derive(Default)]
struct Pile {
    /// Folders that wait, relative to the root.
    waiting: Vec<Vec<u8>>,
    /// Threads that are inside a folder.
    busy: usize,
}

/// Reads every skill below `root`; paths start at `top`, which holds it.
#[must_use]
pub fn gather(top: &Path, root: &Path, profile: &Profile, cache: Option<&mut Cache>) -> Gathered {
    let searcher = profile.searcher();
    let start = root.strip_prefix(top).unwrap_or(Path::new(""));
    let pile = Mutex::new(Pile {
        waiting: vec![start.as_os_str().as_bytes().to_vec()],
        busy: 0,
    });
    let more = Condvar::new();
    let known = cache.as_deref();
    let walker = Walker {
        top,
        profile,
        searcher: &searcher,
        known,
        pile: &pile,
        more: &more,
    };
    let mut parts: Vec<(Vec<Found>, Vec<Vec<u8>>)> = Vec::new();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (1..THREADS).map(|_| scope.spawn(|| walker.run())).collect();
        parts.push(walker.run());
        for thread in threads {
            parts.extend(thread.join().ok());
        }
    });
    let mut found: Vec<Found> = Vec::new();
    let mut out = Gathered::default();
    for (files, agents) in parts {
        found.extend(files);
        out.tree.agents.extend(agents);
    }
    out.tree.agents.sort();
    out.tree.agents.dedup();
    // a visible folder before a hidden one, so that a mirror of a host is the mirror
    let hidden = |path: &[u8]| {
        path.split(|byte| *byte == b'/')
            .any(|part| part.starts_with(b"."))
    };
    found.sort_by(|a, b| (hidden(&a.path), &a.path).cmp(&(hidden(&b.path), &b.path)));
    if let Some(cache) = cache {
        let fresh = found.iter().filter_map(|file| {
            Some((
                file.path.clone(),
                file.key?,
                file.digest?,
                file.outline.clone()?,
            ))
        });
        cache.put(
            fresh,
            found.iter().all(|file| file.cached || file.key.is_none()),
        );
    }
    settle(found, &mut out);
    out
}

/// Mirrors and problems sorted out.
fn settle(found: Vec<Found>, out: &mut Gathered) {
    let mut seen: std::collections::HashMap<Digest, RepoPath> = std::collections::HashMap::new();
    for file in found {
        let path = RepoPath::new(file.path);
        if let Some(problem) = file.problem {
            let none = !matches!(problem, Problem::NotUtf8 | Problem::Unreadable(_));
            out.problems.push((path.clone(), problem));
            if none {
                continue;
            }
        }
        if let Some(digest) = file.digest {
            if let Some(first) = seen.get(&digest) {
                out.problems.push((path, Problem::Mirror(first.clone())));
                continue;
            }
            seen.insert(digest, path.clone());
        }
        out.cached += usize::from(file.cached);
        out.tree.skills.push(SkillText::new(path, file.outline));
    }
    out.tree.skills.sort_by(|a, b| a.file.cmp(&b.file));
    out.problems.sort();
}

struct Walker<'a> {
    top: &'a Path,
    profile: &'a Profile,
    searcher: &'a Searcher,
    known: Option<&'a Cache>,
    pile: &'a Mutex<Pile>,
    more: &'a Condvar,
}

impl Walker<'_> {
    /// Takes folders from the pile until there are none and nobody can add one.
    fn run(&self) -> (Vec<Found>, Vec<Vec<u8>>) {
        let mut files = Vec::new();
        let mut agents = Vec::new();
        loop {
            let mut pile = self.pile.lock().unwrap_or_else(PoisonError::into_inner);
            let folder = loop {
                if let Some(folder) = pile.waiting.pop() {
                    pile.busy += 1;
                    break folder;
                }
                if pile.busy == 0 {
                    self.more.notify_all();
                    return (files, agents);
                }
                pile = self.more.wait(pile).unwrap_or_else(PoisonError::into_inner);
            };
            drop(pile);
            let mut below = Vec::new();
            self.folder(&folder, &mut below, &mut files, &mut agents);
            let mut pile = self.pile.lock().unwrap_or_else(PoisonError::into_inner);
            pile.busy -= 1;
            pile.waiting.append(&mut below);
            drop(pile);
            self.more.notify_all();
        }
    }

    fn folder(
        &self,
        folder: &[u8],
        below: &mut Vec<Vec<u8>>,
        files: &mut Vec<Found>,
        agents: &mut Vec<Vec<u8>>,
    ) {
        let place = self.top.join(OsStr::from_bytes(folder));
        let entries = match fs::read_dir(&place) {
            Ok(entries) => entries,
            Err(error) => {
                let why = error.to_string();
                files.push(Found::problem(folder.to_vec(), Problem::Unreadable(why)));
                return;
            }
        };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let name = name.as_bytes();
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            let path = match folder {
                [] => name.to_vec(),
                folder => [folder, b"/", name].concat(),
            };
            if name == skills::FILE {
                files.push(if kind.is_file() {
                    self.skill(path)
                } else if kind.is_dir() {
                    Found::problem(path, Problem::Folder)
                } else if kind.is_symlink() {
                    Found::problem(path, Problem::Link)
                } else {
                    Found::problem(path, Problem::Special)
                });
            } else if kind.is_dir() {
                if !SKIPPED.contains(&name) {
                    below.push(path);
                }
            } else if let Some(agent) = skills::agent(&path) {
                agents.push(agent.to_vec());
            }
        }
    }

    fn skill(&self, path: Vec<u8>) -> Found {
        let place: PathBuf = self.top.join(OsStr::from_bytes(&path));
        let key = self
            .known
            .and_then(|_| fs::symlink_metadata(&place).ok())
            .map(|facts| Key {
                size: facts.size(),
                inode: facts.ino(),
                modified: (facts.mtime(), facts.mtime_nsec()),
                changed: (facts.ctime(), facts.ctime_nsec()),
            });
        if let (Some(cache), Some(key)) = (self.known, key)
            && let Some((digest, outline)) = cache.get(&path, &key)
        {
            return Found {
                path,
                key: Some(key),
                digest: Some(digest),
                outline: Some(outline),
                problem: None,
                cached: true,
            };
        }
        let bytes = match regular::read(&place, skills::CAP) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Found::problem(path, Problem::Unreadable("it is gone".to_owned())),
            Err(error) => {
                let why = match error {
                    crate::adapters::git::GitError::File(_, why) => why,
                    other => other.says(),
                };
                return Found::problem(path, Problem::Unreadable(why));
            }
        };
        let text = String::from_utf8_lossy(&bytes);
        let broken = matches!(text, std::borrow::Cow::Owned(_));
        Found {
            path,
            key: key.filter(|_| !broken),
            digest: Some(Digest::of(&bytes)),
            outline: Some(outline(&text, self.profile, self.searcher)),
            problem: broken.then_some(Problem::NotUtf8),
            cached: false,
        }
    }
}

impl Found {
    fn problem(path: Vec<u8>, problem: Problem) -> Self {
        Self {
            path,
            key: None,
            digest: None,
            outline: None,
            problem: Some(problem),
            cached: false,
        }
    }
}
