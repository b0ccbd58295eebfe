//! What goes into an audit, and what comes out of it.

use std::sync::Arc;

use crate::model::chain::{Chain, NoSkill};
use crate::model::id::RepoPath;
use crate::model::text::Foreign;

use super::document::Outline;
use super::verdict_line::Answer;

/// The skills of a tree, as they were found.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// Name, namespace, file and parts of each skill, in file order.
    pub skills: Vec<SkillText>,
    /// Names of the agents of the tree, sorted.
    pub agents: Vec<Vec<u8>>,
    /// Names of skills that the working tree no longer holds, sorted.
    pub deleted: Vec<Vec<u8>>,
}

/// One skill.
#[derive(Clone, Debug)]
pub struct SkillText {
    /// Its name: of the frontmatter, else of its folder.
    pub name: String,
    /// The plugin it belongs to; empty when the place does not say.
    pub space: String,
    /// Its file.
    pub file: RepoPath,
    /// What it says; `None` when the file could not be read.
    pub outline: Option<Arc<Outline>>,
}

impl SkillText {
    /// A skill from its file; `outline` is `None` when it could not be read. Without a name of its
    /// own it is called by its folder.
    #[must_use]
    pub fn new<O: Into<Arc<Outline>>>(file: RepoPath, outline: Option<O>) -> Self {
        let outline: Option<Arc<Outline>> = outline.map(Into::into);
        let own = outline.as_ref().and_then(|outline| outline.name.as_deref());
        let (name, space) = called(&file, own);
        Self {
            name,
            space,
            file,
            outline,
        }
    }
}

/// The name and the namespace of the skill in a file, whose text gives it the name `own`.
#[must_use]
pub fn called(file: &RepoPath, own: Option<&str>) -> (String, String) {
    let text = |part: &[u8]| String::from_utf8_lossy(part).into_owned();
    let mut parts = file.as_bytes().rsplit(|byte| *byte == b'/');
    let folder = parts.nth(1);
    let name = match own {
        Some(own) => own.to_owned(),
        None => folder.map_or_else(String::new, text),
    };
    // the folder around `skills`, in which the skill lies at any depth
    let mut parts = file.as_bytes().rsplit(|byte| *byte == b'/');
    let space = parts.find(|part| *part == b"skills").and(parts.next());
    let space = space.filter(|space| !space.starts_with(b"."));
    (name, space.map_or_else(String::new, text))
}

/// What an audit found, before anybody asked about scope.
#[derive(Clone, Debug, Default)]
pub struct Audit {
    /// Every pair, in file order of the caller, then in the order of its first line.
    pub chains: Vec<Chain>,
    /// The skill number of each chain's caller.
    pub callers: Vec<u32>,
    /// The skill number of each chain's callee; `None` when it is no skill of the tree.
    pub callees: Vec<Option<u32>>,
    /// Where a callee names its caller.
    pub reverse: Vec<Reverse>,
    /// Targets that are no skill.
    pub unresolved: Vec<Unresolved>,
    /// Names outside every dispatch, when the profile draws them.
    pub mentions: Vec<Mention>,
    /// Every skill.
    pub skills: Vec<SkillRow>,
}

/// A callee that says who calls it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reverse {
    /// Who says it: the callee.
    pub callee: u32,
    /// Who calls.
    pub caller: u32,
    /// 1-based.
    pub line: u32,
}

/// A target that is no skill.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unresolved {
    /// Who names it.
    pub caller: u32,
    /// The name as written.
    pub name: Foreign,
    /// What it is.
    pub kind: NoSkill,
    /// 1-based.
    pub line: u32,
}

/// A name outside every dispatch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mention {
    /// Who names.
    pub caller: u32,
    /// Who is named.
    pub callee: u32,
    /// 1-based.
    pub line: u32,
}

/// A skill in a report.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SkillRow {
    /// Its name.
    pub name: Foreign,
    /// Its file.
    pub file: RepoPath,
    /// Its own Pass B; `None` when its file could not be read.
    pub answer: Option<Answer>,
    /// The waits of its Done When, as rows on one line each.
    pub waits: Vec<Foreign>,
    /// Words of its Done When and mapping tables that are verdicts it handles.
    pub handles: Vec<String>,
}
