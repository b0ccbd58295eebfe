//! `.agents/sdd/spec-anchors.toml`: further places of specs, by opt-in (spec-gate 2.1). Every text
//! in the file is a glob from the top of the repository, of a folder or of its `spec.md`;
//! `<project>` stands for one name.

use std::path::Path;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::judge;
use crate::adapters::git::regular;
use crate::model::id::RepoPath;
use crate::model::text::{Foreign, Place};

/// Where the file lies.
pub const PATH: &str = ".agents/sdd/spec-anchors.toml";
/// Largest file.
pub const LARGEST: u64 = 1 << 20;
/// Most globs.
const MOST: usize = 256;

/// Further places of specs.
#[derive(Clone, Debug, Default)]
pub struct Anchors {
    globs: Vec<String>,
    set: GlobSet,
}

impl Anchors {
    /// Those of a worktree; none when it has no such file.
    ///
    /// # Errors
    /// Why the file cannot be used, in words.
    pub fn of(top: &Path) -> Result<Self, String> {
        let read = regular::read(&top.join(PATH), LARGEST).map_err(|error| error.says())?;
        match read {
            None => Ok(Self::default()),
            Some(bytes) => Self::new(Self::globs_in(&bytes)?),
        }
    }

    /// The globs in the bytes of such a file.
    ///
    /// # Errors
    /// When it is no TOML.
    pub fn globs_in(bytes: &[u8]) -> Result<Vec<String>, String> {
        judge::sensitive(bytes)
    }

    /// From globs; each counts once.
    ///
    /// # Errors
    /// Which of them is none, or that there are too many.
    pub fn new(mut globs: Vec<String>) -> Result<Self, String> {
        globs.sort();
        globs.dedup();
        if globs.len() > MOST {
            return Err(format!("it holds {} globs, at most {MOST}", globs.len()));
        }
        let mut set = GlobSetBuilder::new();
        for glob in &globs {
            let plain = glob.trim_start_matches("./").trim_end_matches('/');
            let built = GlobBuilder::new(&plain.replace("<project>", "*"))
                .literal_separator(true)
                .build();
            let shown = || Foreign::from(glob.as_str()).shown(Place::Strict);
            let up =
                plain.is_empty() || plain.starts_with('/') || plain.split('/').any(|p| p == "..");
            match built {
                Ok(built) if !up => set.add(built),
                Ok(_) => return Err(format!("{} leads out of the repository", shown())),
                Err(error) => return Err(format!("{} is no glob: {}", shown(), error.kind())),
            };
        }
        let set = set.build().map_err(|error| error.to_string())?;
        Ok(Self { globs, set })
    }

    /// The globs, sorted.
    #[must_use]
    pub fn globs(&self) -> &[String] {
        &self.globs
    }

    /// Whether specs lie in this folder.
    #[must_use]
    pub fn starts(&self, dir: &[u8]) -> bool {
        if self.globs.is_empty() {
            return false;
        }
        let dir = String::from_utf8_lossy(dir);
        self.set.is_match(&*dir) || self.set.is_match(format!("{dir}/spec.md"))
    }

    /// Whether a file lies in such a folder, at any depth.
    #[must_use]
    pub fn hold(&self, path: &[u8]) -> bool {
        let ends = path.iter().enumerate().filter(|(_, b)| **b == b'/');
        !self.globs.is_empty()
            && ends
                .filter_map(|(at, _)| path.get(..at))
                .any(|dir| self.starts(dir))
    }

    /// The same of a path of the repository.
    #[must_use]
    pub fn holds(&self, path: &RepoPath) -> bool {
        self.hold(path.as_bytes())
    }
}
