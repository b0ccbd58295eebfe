//! The chains of one change: what a session knows of them, and how they enter its ruling.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::chain::{Callee, Chain, ChainId, Severity, Status};
use crate::model::change::FileChange;
use crate::model::id::{Oid, RepoPath};
use crate::model::text::Foreign;

use super::calibrate::Calibration;
use super::classify::audit;
use super::document::outline;
use super::profile::Profile;
use super::tree::{SkillText, Tree};
use super::verdict::{AuditVerdict, Counts, Said, counts, verdict};

/// The chains of a tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChainFacts {
    /// The tree that was read.
    pub tree: Oid,
    /// The profile.
    pub profile: String,
    /// Every chain.
    pub chains: Vec<Chain>,
    /// The known pairs.
    pub calibration: Calibration,
    /// Lines of each skill that could be read.
    pub lines: BTreeMap<RepoPath, u32>,
    /// The lines that the chains rest on, with one before and one after, by file and 1-based line.
    pub near: BTreeMap<RepoPath, BTreeMap<u32, Foreign>>,
    /// Skills that could not be read, and why.
    pub unread: Vec<(RepoPath, String)>,
}

/// A skill of a tree: its text, or why there is none.
pub type Read = (RepoPath, Result<Vec<u8>, String>);

impl ChainFacts {
    /// Audits the skills of a tree.
    #[must_use]
    pub fn of(tree: Oid, skills: Vec<Read>, agents: Vec<Vec<u8>>, profile: &Profile) -> Self {
        let searcher = profile.searcher();
        let mut lines = BTreeMap::new();
        let mut unread = Vec::new();
        let mut whole: BTreeMap<RepoPath, Vec<u8>> = BTreeMap::new();
        let mut texts = Tree {
            agents,
            ..Tree::default()
        };
        for (file, read) in skills {
            let read = match read {
                Ok(bytes) => {
                    let text = String::from_utf8_lossy(&bytes);
                    let count = u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
                    lines.insert(file.clone(), count);
                    let read = outline(&text, profile, &searcher);
                    whole.insert(file.clone(), bytes);
                    Some(read)
                }
                Err(why) => {
                    unread.push((file.clone(), why));
                    None
                }
            };
            texts.skills.push(SkillText::new(file, read));
        }
        let chains = audit(&texts, None, profile).chains;
        Self {
            tree,
            profile: profile.name.clone(),
            near: near(&chains, &whole),
            chains,
            calibration: Calibration::of(&texts, profile),
            lines,
            unread,
        }
    }

    /// The chains that the change touches at either end; none when the calibration failed.
    pub fn touched<'a>(&'a self, files: &'a [FileChange]) -> impl Iterator<Item = &'a Chain> {
        let changed = changed(files);
        let ok = self.calibration.ok();
        self.chains.iter().filter(move |chain| {
            let callee = match &chain.callee_at {
                Callee::Skill(file) => changed.contains(&file),
                Callee::Missing(_) => false,
            };
            ok && (callee || changed.contains(&&chain.caller_file))
        })
    }

    /// The chain of a name.
    #[must_use]
    pub fn chain(&self, id: &ChainId) -> Option<&Chain> {
        self.chains.iter().find(|chain| chain.id() == *id)
    }

    /// The sums and the verdict over the chains that the change touches.
    #[must_use]
    pub fn verdict(
        &self,
        files: &[FileChange],
        said: impl Fn(&ChainId) -> Said,
    ) -> (Counts, AuditVerdict) {
        let counts = counts(self.touched(files).map(|chain| (chain, said(&chain.id()))));
        let changed = changed(files);
        let unread = self
            .unread
            .iter()
            .filter(|(file, _)| changed.contains(&file));
        let verdict = verdict(self.calibration.ok(), &counts, unread.count());
        (counts, verdict)
    }

    /// Whether `FILE:LINE` is a line of one of the two skills of a chain.
    #[must_use]
    pub fn is_line(&self, id: &ChainId, reference: &str) -> bool {
        let Some(chain) = self.chain(id) else {
            return false;
        };
        let Some((file, line)) = reference.trim().rsplit_once(':') else {
            return false;
        };
        let callee = match &chain.callee_at {
            Callee::Skill(file) => Some(file),
            Callee::Missing(_) => None,
        };
        let of = [Some(&chain.caller_file), callee].into_iter().flatten();
        let line: Option<u32> = line.parse().ok();
        let file = of.into_iter().find(|one| one.as_bytes() == file.as_bytes());
        let last = file.and_then(|file| self.lines.get(file));
        line.zip(last)
            .is_some_and(|(line, last)| (1..=*last).contains(&line))
    }
}

/// Bytes of a line that are kept.
const SHOWN: usize = 400;

/// The lines around all evidence.
fn near(
    chains: &[Chain],
    whole: &BTreeMap<RepoPath, Vec<u8>>,
) -> BTreeMap<RepoPath, BTreeMap<u32, Foreign>> {
    let mut wanted: BTreeMap<&RepoPath, BTreeSet<u32>> = BTreeMap::new();
    for chain in chains {
        for span in &chain.spans {
            let (file, line) = chain.place(span);
            let of_file = wanted.entry(file).or_default();
            of_file.extend(line.saturating_sub(1).max(1)..=line.saturating_add(1));
        }
    }
    let mut out: BTreeMap<RepoPath, BTreeMap<u32, Foreign>> = BTreeMap::new();
    for (file, lines) in wanted {
        let Some(bytes) = whole.get(file) else {
            continue;
        };
        let kept = (1u32..)
            .zip(bytes.split(|byte| *byte == b'\n'))
            .filter(|(number, _)| lines.contains(number))
            .map(|(number, line)| {
                let line = line.strip_suffix(b"\r").unwrap_or(line);
                let end = if line.len() > SHOWN {
                    // not inside a character
                    let cut = (SHOWN - 3..=SHOWN).rev();
                    cut.into_iter()
                        .find(|at| line.get(*at).is_none_or(|byte| byte & 0xc0 != 0x80))
                        .unwrap_or(SHOWN)
                } else {
                    line.len()
                };
                (
                    number,
                    Foreign::new(line.get(..end).unwrap_or(line).to_vec()),
                )
            });
        out.insert(file.clone(), kept.collect());
    }
    out
}

/// Skills that the change leaves in the tree, added or edited.
fn changed(files: &[FileChange]) -> Vec<&RepoPath> {
    let skills = files
        .iter()
        .filter(|file| is_skill(file) && file.new.is_some());
    skills.map(|file| &file.path).collect()
}

/// Whether a changed file is a skill.
#[must_use]
pub fn is_skill(file: &FileChange) -> bool {
    file.path.is_named(b"SKILL.md")
}

/// Whether an open chain keeps the change from going on while nobody answered (rulings A1).
#[must_use]
pub fn blocks(chain: &Chain) -> bool {
    chain.status == Status::Open && chain.dispatches() && chain.severity == Severity::High
}
