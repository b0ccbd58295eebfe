//! FILE SCOPE against the changed files (G12, H31, rulings A16).
//!
//! A file is accounted for by a criterion that names it, by an entry of FILE SCOPE, or by being
//! the contract; `repo-wide` accounts for nothing. A renamed file must be accounted for on both
//! sides.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};

use crate::model::change::FileChange;
use crate::model::contract::{Contract, ScopeSays};
use crate::model::id::{CriterionId, RepoPath};
use crate::model::scope::{Risk, Scope, ScopedFile, Trace};
use crate::model::text::Foreign;

use super::risk;

/// Traces every changed file to the contract; what nothing claims is overflow.
#[must_use]
pub fn trace(contract: &Contract, files: &[FileChange]) -> Scope {
    Tracer::new(contract).trace(files)
}

/// A contract whose patterns are compiled, for a list of files that grows.
pub struct Tracer {
    rules: Rules,
    /// The entries of FILE SCOPE that name what is inside: number, line and text.
    entries: Vec<(usize, u32, Foreign)>,
}

impl std::fmt::Debug for Tracer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tracer").finish_non_exhaustive()
    }
}

impl Tracer {
    /// Compiles the patterns of a contract.
    #[must_use]
    pub fn new(contract: &Contract) -> Self {
        let entries = contract.scope.iter().enumerate();
        let globs = entries.filter(|(_, entry)| matches!(entry.says, ScopeSays::Glob(_)));
        Self {
            rules: Rules::of(contract),
            entries: globs
                .map(|(at, entry)| (at, entry.line, entry.text.clone()))
                .collect(),
        }
    }

    /// As [`trace`].
    #[must_use]
    pub fn trace(&self, files: &[FileChange]) -> Scope {
        let mut used = BTreeSet::new();
        let mut scope = Scope {
            files: files
                .iter()
                .map(|file| scoped(&self.rules, file, &mut used))
                .collect(),
            unread: self.rules.unread.clone(),
            unmatched: Vec::new(),
        };
        for (at, line, text) in &self.entries {
            let place = (*line, text.clone());
            if !used.contains(at) && !scope.unread.contains(&place) {
                scope.unmatched.push(place);
            }
        }
        scope
            .files
            .sort_by(|a, b| (!a.overflow, a.risk, &a.path).cmp(&(!b.overflow, b.risk, &b.path)));
        scope
    }
}

/// Files that a person answers for whatever claims them (rulings A13).
pub struct Watched(Option<GlobSet>);

impl std::fmt::Debug for Watched {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Watched").finish_non_exhaustive()
    }
}

impl Watched {
    /// Compiles the patterns; see [`can_watch`].
    #[must_use]
    pub fn new(patterns: &[String]) -> Self {
        let mut builder = GlobSetBuilder::new();
        for pattern in patterns {
            for glob in compile(&Foreign::from(pattern.as_str())) {
                builder.add(glob);
            }
        }
        Self(builder.build().ok().filter(|_| !patterns.is_empty()))
    }

    /// Whether one of them names this file.
    #[must_use]
    pub fn has(&self, path: &RepoPath) -> bool {
        let named = |set: &GlobSet| set.is_match(Path::new(OsStr::from_bytes(path.as_bytes())));
        self.0.as_ref().is_some_and(named)
    }
}

/// Whether a pattern can be watched for: it is one, and names something.
#[must_use]
pub fn can_watch(pattern: &str) -> bool {
    !compile(&Foreign::from(pattern)).is_empty()
}

fn scoped(rules: &Rules, file: &FileChange, used: &mut BTreeSet<usize>) -> ScopedFile {
    let traces = rules.traces(&file.path, used);
    let before = file.old_path.as_ref().map(|path| rules.traces(path, used));
    let overflow = is_overflow(&traces) || before.as_deref().is_some_and(is_overflow);
    let is_contract = |path: &RepoPath| path == &rules.contract;
    let risk = if is_contract(&file.path) || file.old_path.as_ref().is_some_and(is_contract) {
        Risk::Contract
    } else {
        risk::of(file)
    };
    ScopedFile {
        path: file.path.clone(),
        traces,
        risk,
        overflow,
    }
}

/// Whether a person has to answer for a file with these edges: none counts, or one forbids it.
fn is_overflow(traces: &[Trace]) -> bool {
    let claims = |trace: &Trace| match trace {
        Trace::Criterion(_) | Trace::Scope(_) | Trace::Contract => true,
        Trace::RepoWide | Trace::NamedOutside(_) | Trace::Untraced => false,
    };
    let forbids = |trace: &Trace| matches!(trace, Trace::NamedOutside(_));
    !traces.iter().any(claims) || traces.iter().any(forbids)
}

/// What a rule of the set gives.
enum Edge {
    Criterion(CriterionId),
    Inside(usize, u32),
    Outside(usize, u32),
}

/// The patterns of a contract, compiled once.
struct Rules {
    set: GlobSet,
    edges: Vec<Edge>,
    contract: RepoPath,
    oracles: Vec<u8>,
    wide: bool,
    unread: Vec<(u32, Foreign)>,
}

impl Rules {
    fn of(contract: &Contract) -> Self {
        let mut builder = GlobSetBuilder::new();
        let mut edges = Vec::new();
        let mut unread = Vec::new();
        let mut wide = false;
        for (at, entry) in contract.scope.iter().enumerate() {
            let (pattern, outside) = match &entry.says {
                ScopeSays::Glob(pattern) => (pattern, false),
                ScopeSays::Outside(pattern) => (pattern, true),
                ScopeSays::RepoWide(_) => {
                    wide = true;
                    continue;
                }
                ScopeSays::Unread => {
                    unread.push((entry.line, entry.text.clone()));
                    continue;
                }
            };
            let globs = compile(pattern);
            if globs.is_empty() {
                unread.push((entry.line, entry.text.clone()));
            }
            for glob in globs {
                builder.add(glob);
                edges.push(if outside {
                    Edge::Outside(at, entry.line)
                } else {
                    Edge::Inside(at, entry.line)
                });
            }
        }
        for criterion in &contract.criteria {
            let words = criterion
                .oracle
                .iter()
                .flat_map(|oracle| words(&oracle.check));
            let named = criterion.anchors.paths.iter().cloned();
            for path in named.chain(words) {
                for glob in compile(&path) {
                    builder.add(glob);
                    edges.push(Edge::Criterion(criterion.id.clone()));
                }
            }
        }
        let mut oracles = contract.path.as_bytes().to_vec();
        if oracles.ends_with(b".md") {
            oracles.truncate(oracles.len() - 3);
        }
        oracles.extend_from_slice(b".oracles/");
        Self {
            set: builder.build().unwrap_or_else(|_| GlobSet::empty()),
            edges,
            contract: contract.path.clone(),
            oracles,
            wide,
            unread,
        }
    }

    /// All edges of a path, strongest first.
    fn traces(&self, path: &RepoPath, used: &mut BTreeSet<usize>) -> Vec<Trace> {
        let mut traces = Vec::new();
        let mut push = |trace: Trace| {
            if !traces.contains(&trace) {
                traces.push(trace);
            }
        };
        let place = Path::new(OsStr::from_bytes(path.as_bytes()));
        let hits = self.set.matches(place);
        let edges = || hits.iter().filter_map(|at| self.edges.get(*at));
        for edge in edges() {
            if let Edge::Outside(at, line) = edge {
                used.insert(*at);
                push(Trace::NamedOutside(*line));
            }
        }
        if path == &self.contract || path.as_bytes().starts_with(&self.oracles) {
            push(Trace::Contract);
        }
        for edge in edges() {
            if let Edge::Criterion(id) = edge {
                push(Trace::Criterion(id.clone()));
            }
        }
        for edge in edges() {
            if let Edge::Inside(at, line) = edge {
                used.insert(*at);
                push(Trace::Scope(*line));
            }
        }
        if traces.is_empty() {
            traces.push(if self.wide {
                Trace::RepoWide
            } else {
                Trace::Untraced
            });
        }
        traces
    }
}

/// A pattern as globs: itself, and everything below it when it names a folder. `*` stays inside
/// one part of a path; brackets may also be part of a name. A pattern that does not compile gives none.
/// Words of a command that could be paths of the repository, taken literally: what a command
/// names, its criterion claims.
fn words(command: &Foreign) -> impl Iterator<Item = Foreign> {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '@' | '+');
    let text = command.raw_str().unwrap_or_default();
    text.split(move |c| !plain(c))
        .map(|word| word.trim_start_matches("./"))
        .filter(|word| word.contains('/') || word.contains('.'))
        .filter(|word| !word.starts_with(['/', '-', '.']) || word.starts_with(".github"))
        .filter(|word| word.chars().any(char::is_alphabetic))
        .map(Foreign::from)
}

fn compile(pattern: &Foreign) -> Vec<Glob> {
    let Some(text) = pattern.raw_str() else {
        return Vec::new();
    };
    let text = text.trim_start_matches("./");
    let bare = text.trim_end_matches('/');
    if bare.is_empty() {
        return Vec::new();
    }
    let built = |text: &str| {
        GlobBuilder::new(text)
            .literal_separator(true)
            .backslash_escape(true)
            .build()
            .ok()
    };
    let folder = built(&format!("{bare}/**"));
    if text.ends_with('/') {
        return folder.into_iter().collect();
    }
    let literal = bare
        .contains('[')
        .then(|| built(&globset::escape(bare)))
        .flatten();
    [built(bare), folder, literal]
        .into_iter()
        .flatten()
        .collect()
}
