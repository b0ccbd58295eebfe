//! The skills below a folder: walked and read by two threads, in one pass.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ffi::OsStr;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, RawDir, open, openat, statat};
use rustix::io::Errno;

use super::cache::{Cache, Key, WORTH};
use super::kept::{self, Results};
use super::problem::Problem;
use crate::adapters::git::{GitError, regular, skills};
use crate::gate::chains::{
    Calibration, Outline, Profile, Searcher, SkillText, Tree, audit, called, outline,
};
use crate::model::id::{Digest, RepoPath};

/// Threads that walk and read.
const THREADS: usize = 2;
/// Most folders that one thread takes at a time.
const SHARE: usize = 64;
/// Bytes of a folder that are asked for at once.
const LISTING: usize = 32 << 10;
/// Folders that hold no skill of the tree.
const SKIPPED: [&[u8]; 2] = [b".git", b"node_modules"];

/// A skill as it lies there.
#[derive(Clone, Debug)]
pub struct Skill {
    /// Its name: of the frontmatter, else of its folder.
    pub name: String,
    /// The plugin it belongs to; empty when the place does not say.
    pub space: String,
    /// Its file.
    pub file: RepoPath,
    digest: Option<Digest>,
    text: Text,
}

impl Skill {
    /// Whether its text is known.
    #[must_use]
    pub fn is_read(&self) -> bool {
        !matches!(self.text, Text::Unread)
    }
}

/// What it says.
#[derive(Clone, Debug)]
enum Text {
    /// It could not be read.
    Unread,
    /// It was read.
    Read(Arc<Outline>),
    /// It is as it was; its parts have this place in the cache.
    Same(usize),
}

/// What lies below a folder.
#[derive(Debug, Default)]
pub struct Gathered {
    /// The skills, in path order.
    pub skills: Vec<Skill>,
    /// Names of the agents, sorted.
    pub agents: Vec<Vec<u8>>,
    /// Names of skills that the working tree no longer holds, sorted.
    pub deleted: Vec<Vec<u8>>,
    /// What is named like a skill and is none, or not whole, in path order.
    pub problems: Vec<(RepoPath, Problem)>,
    /// How many skills are as the cache knows them.
    pub cached: usize,
    /// How many files were opened.
    pub opened: usize,
    /// Facts to keep, in path order, of files that were opened or are the same.
    facts: Vec<(RepoPath, Key, Digest, Text)>,
    /// Whether the cache does not know some of them.
    news: bool,
}

/// One `SKILL.md`, as a thread found it.
struct Found {
    file: RepoPath,
    /// Name and namespace.
    called: (String, String),
    key: Option<Key>,
    digest: Option<Digest>,
    text: Text,
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
    /// Folders that wait, relative to the top.
    waiting: Vec<Vec<u8>>,
    /// Threads that are inside a folder.
    busy: usize,
    /// Threads that wait for one.
    idle: usize,
}

/// Finds every skill below `root` and reads those that the cache does not know; paths start at
/// `top`, which holds it.
#[must_use]
pub fn gather(top: &Path, root: &Path, profile: &Profile, cache: Option<&Cache>) -> Gathered {
    let searcher = profile.searcher();
    let start = root.strip_prefix(top).unwrap_or(Path::new(""));
    let mut out = Gathered::default();
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let place = match open(top, flags, Mode::empty()) {
        Ok(place) => place,
        Err(error) => {
            let problem = Problem::Unreadable(why(error));
            out.problems
                .push((RepoPath::new(start.as_os_str().as_bytes()), problem));
            return out;
        }
    };
    let pile = Mutex::new(Pile {
        waiting: vec![start.as_os_str().as_bytes().to_vec()],
        busy: 0,
        idle: 0,
    });
    let more = Condvar::new();
    let walker = Walker {
        top: &place,
        profile,
        searcher: &searcher,
        known: cache,
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
    for (files, agents) in parts {
        found.extend(files);
        out.agents.extend(agents);
    }
    out.agents.sort();
    out.agents.dedup();
    found.sort_unstable_by(|a, b| a.file.cmp(&b.file));
    if let Some(cache) = cache {
        let new = |file: &Found| {
            file.how == How::Opened && file.key.as_ref().is_some_and(|key| cache.settled(key))
        };
        out.news = found.iter().any(new);
        if out.news {
            let facts = found.iter().filter_map(|file| {
                let text = (!matches!(file.text, Text::Unread)).then(|| file.text.clone())?;
                Some((file.file.clone(), file.key?, file.digest?, text))
            });
            out.facts = facts.collect();
        }
    }
    settle(found, &mut out);
    out
}

impl Gathered {
    /// The audit of the skills that were found; `scope` are the numbers of the callers, ascending,
    /// `None` is all. A result that the cache holds for the very same skills, agents, scope,
    /// profile and program is taken, any other is made and kept.
    ///
    /// Takes the texts: a second audit of the same skills finds none.
    pub fn audit(
        &mut self,
        top: &Path,
        scope: Option<&[u32]>,
        profile: &Profile,
        cache: Option<&Cache>,
    ) -> Results {
        let kind = if scope.is_none() { "all" } else { "some" };
        let asked = cache.map(|cache| (cache, self.asked(scope, cache)));
        let result = asked.as_ref().and_then(|(cache, asked)| {
            let bytes = cache.result(kind, asked)?;
            kept::read(&bytes, &self.skills)
        });
        if let Some(result) = result {
            if let Some(cache) = cache.filter(|_| self.news) {
                match self.outlines(Some(cache)) {
                    Some(kept) => self.remember(cache, &kept),
                    None => cache.forget(),
                }
            }
            return result;
        }
        let (tree, lost) = self.tree(top, profile, cache);
        let results = Results {
            calibration: Calibration::of(&tree, profile),
            audit: audit(&tree, scope, profile),
            kept: false,
        };
        let worth = self.skills.len() >= WORTH && !lost;
        if let Some((cache, asked)) = asked.filter(|_| worth)
            && let Some(bytes) = kept::write(&results)
        {
            cache.keep(kind, &asked, &bytes);
        }
        results
    }

    /// The digest of all that goes into an audit.
    fn asked(&self, scope: Option<&[u32]>, cache: &Cache) -> Digest {
        let mut words: Vec<u8> = Vec::with_capacity(self.skills.len() * 96);
        words.extend(cache.asks().0);
        let count = |words: &mut Vec<u8>, n: usize| words.extend((n as u64).to_le_bytes());
        let part = |words: &mut Vec<u8>, bytes: &[u8]| {
            count(words, bytes.len());
            words.extend(bytes);
        };
        count(&mut words, self.skills.len());
        for skill in &self.skills {
            part(&mut words, skill.file.as_bytes());
            part(
                &mut words,
                skill.digest.as_ref().map_or(&[], |digest| &digest.0),
            );
        }
        for names in [&self.agents, &self.deleted] {
            count(&mut words, names.len());
            names.iter().for_each(|name| part(&mut words, name));
        }
        match scope {
            Some(numbers) => numbers.iter().for_each(|n| words.extend(n.to_le_bytes())),
            None => words.push(1),
        }
        Digest::of(&words)
    }

    /// The parts that the cache has of unchanged skills; `None` when it lost them.
    fn outlines(&self, cache: Option<&Cache>) -> Option<Vec<Arc<Outline>>> {
        let same = |skill: &Skill| matches!(skill.text, Text::Same(_));
        if !self.skills.iter().any(same) {
            return Some(Vec::new());
        }
        cache.and_then(Cache::outlines)
    }

    /// Keeps what was read, beside what the cache already has.
    fn remember(&self, cache: &Cache, kept: &[Arc<Outline>]) {
        let facts = self.facts.iter().filter_map(|(path, key, digest, text)| {
            let outline = match text {
                Text::Read(outline) => outline,
                Text::Same(at) => kept.get(*at)?,
                Text::Unread => return None,
            };
            Some((path.as_bytes(), *key, *digest, &**outline))
        });
        cache.put(facts);
    }

    /// The skills with their texts. Those that did not change have them from the cache; when the
    /// cache lost them, they are read, and that is told.
    fn tree(&mut self, top: &Path, profile: &Profile, cache: Option<&Cache>) -> (Tree, bool) {
        let kept = self.outlines(cache);
        let lost = kept.is_none();
        let kept = kept.unwrap_or_default();
        if let Some(cache) = cache.filter(|_| self.news && !lost) {
            self.remember(cache, &kept);
        }
        if let Some(cache) = cache.filter(|_| lost) {
            // the next run begins anew
            cache.forget();
            self.reread(top, profile);
        }
        let mut skills = Vec::with_capacity(self.skills.len());
        for skill in &self.skills {
            let outline = match &skill.text {
                Text::Read(outline) => Some(Arc::clone(outline)),
                Text::Same(at) => kept.get(*at).cloned(),
                Text::Unread => None,
            };
            skills.push(SkillText {
                name: skill.name.clone(),
                space: skill.space.clone(),
                file: skill.file.clone(),
                outline,
            });
        }
        let tree = Tree {
            skills,
            agents: self.agents.clone(),
            deleted: self.deleted.clone(),
        };
        (tree, lost)
    }

    /// Reads the skills whose parts the cache should have had.
    fn reread(&mut self, top: &Path, profile: &Profile) {
        let searcher = profile.searcher();
        for skill in &mut self.skills {
            if !matches!(skill.text, Text::Same(_)) {
                continue;
            }
            let place = top.join(OsStr::from_bytes(skill.file.as_bytes()));
            let bytes = regular::read(&place, skills::CAP).ok().flatten();
            self.cached -= 1;
            self.opened += 1;
            skill.text = match bytes.filter(|bytes| Some(Digest::of(bytes)) == skill.digest) {
                Some(bytes) => {
                    let text = String::from_utf8_lossy(&bytes);
                    Text::Read(Arc::new(outline(&text, profile, &searcher)))
                }
                None => {
                    let why = "it changed while it was looked at".to_owned();
                    self.problems
                        .push((skill.file.clone(), Problem::Unreadable(why)));
                    Text::Unread
                }
            };
        }
        self.problems.sort();
    }
}

fn why(error: Errno) -> String {
    std::io::Error::from(error).to_string()
}

/// Mirrors and problems sorted out, of files in path order.
fn settle(found: Vec<Found>, out: &mut Gathered) {
    // a visible folder before a hidden one, so that a mirror of a host is the mirror
    let is_hidden = |file: &Found| {
        file.file.as_bytes().starts_with(b".")
            || memchr::memmem::find(file.file.as_bytes(), b"/.").is_some()
    };
    let (hidden, seen): (Vec<Found>, Vec<Found>) = found.into_iter().partition(is_hidden);
    let some_hidden = !hidden.is_empty();
    let mut first: HashMap<Digest, usize> = HashMap::with_capacity(seen.len());
    let mut skills: Vec<Skill> = Vec::with_capacity(seen.len());
    for file in seen.into_iter().chain(hidden) {
        out.cached += usize::from(file.how == How::Cached);
        out.opened += usize::from(file.how == How::Opened);
        let path = file.file;
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
        let (name, space) = file.called;
        skills.push(Skill {
            name,
            space,
            file: path,
            digest: file.digest,
            text: file.text,
        });
    }
    if some_hidden {
        skills.sort_by(|a, b| a.file.cmp(&b.file));
    }
    out.skills = skills;
    out.problems.sort();
}

struct Walker<'a> {
    top: &'a OwnedFd,
    profile: &'a Profile,
    searcher: &'a Searcher,
    known: Option<&'a Cache>,
    pile: &'a Mutex<Pile>,
    more: &'a Condvar,
}

/// What one thread found, and what it uses again.
struct Hands {
    files: Vec<Found>,
    agents: Vec<Vec<u8>>,
    below: Vec<Vec<u8>>,
    listing: Vec<MaybeUninit<u8>>,
    bytes: Vec<u8>,
}

impl Walker<'_> {
    /// Takes folders from the pile until there are none and nobody can add one.
    fn run(&self) -> (Vec<Found>, Vec<Vec<u8>>) {
        let mut hands = Hands {
            files: Vec::new(),
            agents: Vec::new(),
            below: Vec::new(),
            listing: vec![MaybeUninit::uninit(); LISTING],
            bytes: Vec::new(),
        };
        let mut taken: Vec<Vec<u8>> = Vec::new();
        let mut pile = self.pile.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if pile.waiting.is_empty() {
                if pile.busy == 0 {
                    self.more.notify_all();
                    return (hands.files, hands.agents);
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
                self.folder(&folder, &mut hands);
            }
            pile = self.pile.lock().unwrap_or_else(PoisonError::into_inner);
            pile.busy -= 1;
            pile.waiting.append(&mut hands.below);
            if pile.idle > 0 {
                self.more.notify_all();
            }
        }
    }

    fn folder(&self, folder: &[u8], hands: &mut Hands) {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let opened = match folder {
            [] => openat(self.top, c".", flags, Mode::empty()),
            folder => openat(self.top, folder, flags | OFlags::NOFOLLOW, Mode::empty()),
        };
        let unreadable =
            |error: Errno| Found::problem(folder.to_vec(), Problem::Unreadable(why(error)));
        let place = match opened {
            Ok(place) => place,
            Err(error) => {
                hands.files.push(unreadable(error));
                return;
            }
        };
        let mut listing = std::mem::take(&mut hands.listing);
        let mut entries = RawDir::new(&place, &mut listing);
        while let Some(entry) = entries.next() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    hands.files.push(unreadable(error));
                    break;
                }
            };
            let name = entry.file_name();
            let mut kind = entry.file_type();
            if kind == FileType::Unknown {
                let Ok(facts) = statat(&place, name, AtFlags::SYMLINK_NOFOLLOW) else {
                    continue;
                };
                kind = FileType::from_raw_mode(facts.st_mode);
            }
            let name = name.to_bytes();
            if name == skills::FILE {
                let path = joined(folder, name);
                let found = match kind {
                    FileType::RegularFile => self.skill(&place, path, &mut hands.bytes),
                    FileType::Directory => Found::problem(path, Problem::Folder),
                    FileType::Symlink => Found::problem(path, Problem::Link),
                    _ => Found::problem(path, Problem::Special),
                };
                hands.files.push(found);
            } else if kind == FileType::Directory {
                if !matches!(name, b"." | b"..") && !SKIPPED.contains(&name) {
                    hands.below.push(joined(folder, name));
                }
            } else if name.ends_with(b".md")
                && let Some(agent) = skills::agent(&joined(folder, name))
            {
                hands.agents.push(agent.to_vec());
            }
        }
        hands.listing = listing;
    }

    fn skill(&self, folder: &OwnedFd, path: Vec<u8>, bytes: &mut Vec<u8>) -> Found {
        if let Some(cache) = self.known
            && let Some(at) = cache.find(&path)
            && let Ok(facts) = statat(folder, skills::FILE, AtFlags::SYMLINK_NOFOLLOW)
            && let key = Key::of(&facts)
            && let Some(same) = cache.same(at, &key)
        {
            let file = RepoPath::new(path);
            return Found {
                called: called(&file, same.name),
                file,
                key: Some(key),
                digest: Some(same.digest),
                text: Text::Same(same.at),
                problem: None,
                how: How::Cached,
            };
        }
        let facts = match regular::read_in(folder, skills::FILE, &path, skills::CAP, bytes) {
            Ok(Some(facts)) => facts,
            Ok(None) => return Found::problem(path, Problem::Unreadable("it is gone".to_owned())),
            Err(error) => {
                let why = match error {
                    GitError::File(_, why) => why,
                    other => other.says(),
                };
                return Found::problem(path, Problem::Unreadable(why));
            }
        };
        let text = String::from_utf8_lossy(bytes);
        let broken = matches!(text, std::borrow::Cow::Owned(_));
        let outline = outline(&text, self.profile, self.searcher);
        let file = RepoPath::new(path);
        Found {
            called: called(&file, outline.name.as_deref()),
            file,
            key: (!broken && self.known.is_some()).then(|| Key::of(&facts)),
            digest: Some(Digest::of(bytes)),
            text: Text::Read(Arc::new(outline)),
            problem: broken.then_some(Problem::NotUtf8),
            how: How::Opened,
        }
    }
}

fn joined(folder: &[u8], name: &[u8]) -> Vec<u8> {
    match folder {
        [] => name.to_vec(),
        folder => [folder, b"/", name].concat(),
    }
}

impl Found {
    fn problem(path: Vec<u8>, problem: Problem) -> Self {
        let file = RepoPath::new(path);
        Self {
            called: called(&file, None),
            file,
            key: None,
            digest: None,
            text: Text::Unread,
            problem: Some(problem),
            how: How::Met,
        }
    }
}
