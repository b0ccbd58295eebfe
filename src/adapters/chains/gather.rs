//! The skills below a folder: walked and read by two threads, in one pass.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use super::cache::{Cache, Key};
use crate::adapters::git::{regular, skills};
use crate::gate::chains::{Outline, Profile, Searcher, SkillText, Tree, outline};
use crate::model::id::{Digest, RepoPath};

/// Threads that walk and read.
const THREADS: usize = 2;
/// Most folders that one thread takes at a time.
const SHARE: usize = 64;
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
    /// How many files were opened.
    pub opened: usize,
}

/// One `SKILL.md`, as a thread found it.
struct Found {
    path: Vec<u8>,
    key: Option<Key>,
    digest: Option<Digest>,
    outline: Option<Arc<Outline>>,
    problem: Option<Problem>,
    how: How,
}

/// How a file was met.
#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    /// Nothing of it was looked at.
    Met,
    /// It was opened.
    Opened,
    /// Its facts are those of the cache.
    Cached,
}

#[derive(Default)]
struct Pile {
    /// Folders that wait, relative to the root.
    waiting: Vec<Vec<u8>>,
    /// Threads that are inside a folder.
    busy: usize,
    /// Threads that wait for one.
    idle: usize,
}

/// Reads every skill below `root`; paths start at `top`, which holds it.
#[must_use]
pub fn gather(top: &Path, root: &Path, profile: &Profile, cache: Option<&Cache>) -> Gathered {
    let searcher = profile.searcher();
    let start = root.strip_prefix(top).unwrap_or(Path::new(""));
    let pile = Mutex::new(Pile {
        waiting: vec![start.as_os_str().as_bytes().to_vec()],
        busy: 0,
        idle: 0,
    });
    let more = Condvar::new();
    let known = cache;
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
    found.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    if let Some(cache) = cache {
        let new = |file: &Found| {
            file.how == How::Opened && file.key.as_ref().is_some_and(|key| cache.settled(key))
        };
        if found.iter().any(new) {
            cache.put(found.iter().filter_map(|file| {
                let outline = file.outline.as_deref()?;
                Some((file.path.as_slice(), file.key?, file.digest?, outline))
            }));
        }
    }
    settle(found, &mut out);
    out
}

/// Mirrors and problems sorted out, of files in path order.
fn settle(found: Vec<Found>, out: &mut Gathered) {
    // a visible folder before a hidden one, so that a mirror of a host is the mirror
    let is_hidden = |file: &Found| {
        file.path
            .split(|byte| *byte == b'/')
            .any(|part| part.starts_with(b"."))
    };
    let (hidden, seen): (Vec<Found>, Vec<Found>) = found.into_iter().partition(is_hidden);
    let some_hidden = !hidden.is_empty();
    let mut first: HashMap<Digest, usize> = HashMap::with_capacity(seen.len());
    let mut skills: Vec<SkillText> = Vec::with_capacity(seen.len());
    for file in seen.into_iter().chain(hidden) {
        out.cached += usize::from(file.how == How::Cached);
        out.opened += usize::from(file.how == How::Opened);
        let path = RepoPath::new(file.path);
        if let Some(problem) = file.problem {
            let none = !matches!(problem, Problem::NotUtf8 | Problem::Unreadable(_));
            out.problems.push((path.clone(), problem));
            if none {
                continue;
            }
        }
        if let Some(digest) = file.digest {
            match first.entry(digest) {
                Entry::Occupied(entry) => {
                    let of = skills.get(*entry.get()).map(|skill| skill.file.clone());
                    out.problems
                        .extend(of.map(|of| (path, Problem::Mirror(of))));
                    continue;
                }
                Entry::Vacant(entry) => {
                    entry.insert(skills.len());
                }
            }
        }
        skills.push(SkillText::new(path, file.outline));
    }
    if some_hidden {
        skills.sort_by(|a, b| a.file.cmp(&b.file));
    }
    out.tree.skills = skills;
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
        let mut below = Vec::new();
        let mut taken: Vec<Vec<u8>> = Vec::new();
        let mut pile = self.pile.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if pile.waiting.is_empty() {
                if pile.busy == 0 {
                    self.more.notify_all();
                    return (files, agents);
                }
                pile.idle += 1;
                pile = self.more.wait(pile).unwrap_or_else(PoisonError::into_inner);
                pile.idle -= 1;
                continue;
            }
            // a share of what waits, so that few folders cost a lock each
            let share = (pile.waiting.len() / (2 * THREADS)).clamp(1, SHARE);
            let from = pile.waiting.len() - share;
            taken.extend(pile.waiting.drain(from..));
            pile.busy += 1;
            drop(pile);
            for folder in taken.drain(..) {
                self.folder(&folder, &mut below, &mut files, &mut agents);
            }
            pile = self.pile.lock().unwrap_or_else(PoisonError::into_inner);
            pile.busy -= 1;
            pile.waiting.append(&mut below);
            if pile.idle > 0 {
                self.more.notify_all();
            }
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
                how: How::Cached,
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
        let text = std::str::from_utf8(&bytes).map_or_else(
            |_| std::borrow::Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
            std::borrow::Cow::Borrowed,
        );
        let broken = matches!(text, std::borrow::Cow::Owned(_));
        Found {
            path,
            key: key.filter(|_| !broken),
            digest: Some(Digest::of(&bytes)),
            outline: Some(Arc::new(outline(&text, self.profile, self.searcher))),
            problem: broken.then_some(Problem::NotUtf8),
            how: How::Opened,
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
            how: How::Met,
        }
    }
}
