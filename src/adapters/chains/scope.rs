//! From a scope to the skills that are audited (source, Step 0; rulings A18, H15, H16).

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::gather::Gathered;
use super::problem::Problem;
use crate::adapters::git::skills::{self, Listed};
use crate::gate::chains::{Profile, called, outline};
use crate::model::id::RepoPath;

/// Which skills are audited.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Scope {
    /// Modified and new files of the working tree.
    Changed,
    /// What the head changed since it left a base; `None` is `origin/main`.
    Pr(Option<String>),
    /// Every skill below the root.
    All,
    /// One skill by its whole name.
    Skill(String),
}

impl Scope {
    /// The scope as the source writes it.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Changed => "changed files (default)".to_owned(),
            Self::Pr(_) => "--pr".to_owned(),
            Self::All => "--all".to_owned(),
            Self::Skill(name) => format!("--skill {name}"),
        }
    }

    /// The kind, as a word of JSON.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Changed => "changed",
            Self::Pr(_) => "pr",
            Self::All => "all",
            Self::Skill(_) => "skill",
        }
    }
}

/// How a scope came out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum State {
    /// There is something to audit.
    Measured,
    /// Git answered, and nothing named is a skill.
    Empty,
    /// Names that a plain search would take were listed, and none of them is in scope.
    FilteredEmpty,
    /// There is no skill of this name; names that are near.
    Unknown(Vec<String>),
}

/// What a scope holds.
#[derive(Debug)]
pub struct Scoped {
    /// Numbers of the skills, ascending; `None` is all.
    pub skills: Option<Vec<u32>>,
    /// How it came out.
    pub state: State,
    /// Files that the scope named, skills or not; `None` when git was not asked.
    pub files: Option<usize>,
}

/// The root when nobody names one: `plugins/` when it is there, else the top (rulings A18).
#[must_use]
pub fn root(top: &Path) -> PathBuf {
    let plugins = top.join("plugins");
    let is_folder = std::fs::symlink_metadata(&plugins).is_ok_and(|facts| facts.is_dir());
    if is_folder { plugins } else { top.to_owned() }
}

/// Everything below the root.
#[must_use]
pub fn all(gathered: &Gathered) -> Scoped {
    let state = if gathered.skills.is_empty() {
        State::Empty
    } else {
        State::Measured
    };
    Scoped {
        skills: None,
        state,
        files: None,
    }
}

/// The skill of a name, never of a part of one.
#[must_use]
pub fn named(name: &str, gathered: &Gathered) -> Scoped {
    let bare = name.rsplit(':').next().unwrap_or(name);
    let space = name
        .strip_suffix(bare)
        .and_then(|space| space.strip_suffix(':'));
    let numbers: Vec<u32> = (0u32..)
        .zip(&gathered.skills)
        .filter(|(_, skill)| skill.name == bare && space.is_none_or(|space| skill.space == space))
        .map(|(number, _)| number)
        .collect();
    let state = if numbers.is_empty() {
        State::Unknown(near(bare, gathered))
    } else {
        State::Measured
    };
    Scoped {
        skills: Some(numbers),
        state,
        files: None,
    }
}

/// Names that hold what was typed or are held by it, else those with the same beginning.
fn near(name: &str, gathered: &Gathered) -> Vec<String> {
    let all = || gathered.skills.iter().map(|skill| &skill.name);
    let mut near: Vec<String> = all()
        .filter(|one| !name.is_empty() && (one.contains(name) || name.contains(one.as_str())))
        .cloned()
        .collect();
    if near.is_empty() {
        let head: String = name.chars().take(3).collect();
        near = all()
            .filter(|one| one.starts_with(&head))
            .cloned()
            .collect();
    }
    near.sort();
    near.dedup();
    near.truncate(5);
    near
}

/// The skills among the files that git names. Deleted ones are added to the tree's facts.
#[must_use]
pub fn listed(listed: &Listed, root: &Path, gathered: &mut Gathered, profile: &Profile) -> Scoped {
    let inside = |path: &[u8]| {
        let place = listed.top.join(OsStr::from_bytes(path));
        place.starts_with(root)
    };
    let by_path: BTreeMap<&[u8], u32> = gathered
        .skills
        .iter()
        .zip(0u32..)
        .map(|(skill, number)| (skill.file.as_bytes(), number))
        .collect();
    let mirrors: BTreeMap<&[u8], &RepoPath> = gathered
        .problems
        .iter()
        .filter_map(|(path, problem)| match problem {
            Problem::Mirror(of) => Some((path.as_bytes(), of)),
            _ => None,
        })
        .collect();
    let mut numbers = Vec::new();
    let mut filtered = false;
    let mut problems = Vec::new();
    let mut deleted = Vec::new();
    let searcher = profile.searcher();
    for file in &listed.files {
        let path: &[u8] = &file.path;
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
        if name != skills::FILE {
            if memchr::memmem::find(path, skills::FILE).is_some() {
                filtered = true;
                problems.push((RepoPath::new(path), Problem::OtherName));
            }
            continue;
        }
        if !inside(path) {
            filtered = true;
            continue;
        }
        if file.gone {
            let text = file
                .said
                .as_ref()
                .map(|said| String::from_utf8_lossy(said).into_owned());
            let read = text.map(|text| outline(&text, profile, &searcher));
            let own = read.as_ref().and_then(|read| read.name.as_deref());
            let (name, _) = called(&RepoPath::new(path), own);
            let here = gathered.skills.iter().find(|skill| skill.name == name);
            problems.push((
                RepoPath::new(path),
                match here {
                    Some(skill) => Problem::Renamed(skill.file.clone()),
                    None => Problem::Deleted,
                },
            ));
            if here.is_none() {
                deleted.push(name.into_bytes());
            }
            continue;
        }
        let of = mirrors.get(path).map_or(path, |of| of.as_bytes());
        numbers.extend(by_path.get(of).copied());
    }
    numbers.sort_unstable();
    numbers.dedup();
    let state = if !numbers.is_empty() {
        State::Measured
    } else if filtered || !problems.is_empty() {
        State::FilteredEmpty
    } else {
        State::Empty
    };
    deleted.sort();
    deleted.dedup();
    gathered.deleted = deleted;
    gathered.problems.extend(problems);
    gathered.problems.sort();
    gathered.problems.dedup();
    Scoped {
        skills: Some(numbers),
        state,
        files: Some(listed.files.len()),
    }
}

/// What the scope needed and nobody could read: problems of files that it names.
#[must_use]
pub fn unread(scoped: &Scoped, gathered: &Gathered) -> usize {
    let numbers: Vec<u32> = match &scoped.skills {
        Some(numbers) => numbers.clone(),
        None => (0u32..).take(gathered.skills.len()).collect(),
    };
    let all = &gathered.skills;
    let of = numbers
        .iter()
        .filter_map(|number| all.get(*number as usize));
    let files = of.filter(|skill| !skill.is_read()).count();
    // a folder that cannot be entered may hold anything
    let folders = if scoped.skills.is_none() {
        let unread = gathered
            .problems
            .iter()
            .filter(|(path, problem)| problem.unread() && path.file_name() != skills::FILE);
        unread.count()
    } else {
        0
    };
    files + folders
}

impl Scoped {
    /// The numbers as a slice.
    #[must_use]
    pub fn numbers(&self) -> Option<&[u32]> {
        self.skills.as_deref()
    }
}
