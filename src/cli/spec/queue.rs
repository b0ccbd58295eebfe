//! What waits in spec trees, for `countersign queue`: gathered across worktrees, each with the
//! facts of its change.

use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::args::At;
use super::base::{Compared, Of};
use super::facts::{Facts, Given};
use super::look::shown;
use crate::adapters::git::place::find;
use crate::adapters::git::regular;
use crate::adapters::spec::files::{Files, Search, on_disk};
use crate::adapters::spec::tree;
use crate::cli::Context;
use crate::gate::spec::queue::{Waiting, risk, waiting};
use crate::model::id::{Digest, RepoPath};
use crate::model::spec::Root;
use crate::model::text::Place;

/// A verdict that waits in a spec tree.
pub(in crate::cli) struct Asserted {
    /// Top of the worktree.
    pub top: PathBuf,
    /// Name of the repository, fit to be shown.
    pub repo: String,
    /// The root.
    pub root: Root,
    /// What waits.
    pub waits: Waiting,
    /// Risk and why.
    pub risk: (&'static str, String),
    /// Why ratifying is never offered; empty when it is.
    pub closed: Vec<String>,
    /// Digest of the root document as it was read.
    pub seen: Digest,
}

impl Asserted {
    /// Its name: of place, gate and bytes, so that it changes when they do.
    pub(in crate::cli) fn id(&self) -> String {
        let fields = [
            self.top.as_os_str().as_bytes(),
            self.root.dir.as_bytes(),
            self.waits.gate.as_bytes(),
            &self.seen.0,
        ];
        Digest::of_fields(&fields).to_string()[..32].to_owned()
    }

    /// One line of a list.
    pub(in crate::cli) fn line(&self) -> String {
        let cr = self
            .waits
            .cr
            .as_ref()
            .map_or_else(|| String::from("-"), |cr| cr.shown(Place::Strict).plain());
        format!(
            "{:<4}  {} {cr}  {} {}: {}  ({})",
            self.risk.0,
            self.repo,
            self.waits.gate,
            self.document().foreign().shown(Place::Strict),
            self.waits.verdict,
            self.risk.1
        )
    }

    /// The root document.
    pub(in crate::cli) fn document(&self) -> RepoPath {
        crate::adapters::spec::files::joined(&self.root.dir, b"spec.md")
    }

    /// The same verdict as it stands on the disk now; none when it does not wait any more.
    pub(in crate::cli) fn again(&self) -> Option<Self> {
        let root = root_again(&self.top, &self.root.dir).roots.pop()?;
        let mut all = waiting(&root).into_iter();
        let waits = all.find(|waits| waits.gate == self.waits.gate)?;
        let path = on_disk(&self.top, &self.document());
        let bytes = regular::read(&path, super::acts::LARGEST).ok().flatten()?;
        let mut item = Self {
            top: self.top.clone(),
            repo: self.repo.clone(),
            root,
            waits,
            risk: ("high", String::new()),
            closed: Vec::new(),
            seen: Digest::of(&bytes),
        };
        (item.risk, item.closed) = item.judged(item.facts(None));
        Some(item)
    }

    /// Its risk, and why ratifying is closed.
    fn judged(&self, facts: Result<Facts, String>) -> ((&'static str, String), Vec<String>) {
        match facts {
            Ok(facts) => {
                let risk = risk(
                    self.waits.verdict,
                    &facts.structural,
                    facts.open,
                    &facts.edits,
                    &facts.blast,
                );
                (risk, self.closed_by(&facts))
            }
            Err(why) => (("high", why.clone()), vec![why]),
        }
    }

    /// Why ratifying is closed by these facts; empty when it is open.
    pub(super) fn closed_by(&self, facts: &Facts) -> Vec<String> {
        let mut closed = facts.closed.clone();
        if self.waits.verdict != "approve" {
            let stopped = "the agent stopped here and approved nothing";
            closed.insert(0, String::from(stopped));
        }
        closed
    }

    /// The facts of its change, with the judge report that is given or lies beside the plan.
    pub(super) fn facts(&self, judge: Option<&Path>) -> Result<Facts, String> {
        let context = inside(&self.top);
        let cr = self.waits.cr.as_ref().and_then(|cr| cr.raw_str());
        let given = Given {
            cr,
            judge,
            focus: Some(&self.root.dir),
            ..Given::default()
        };
        Facts::gather(&context, &At::default(), &given).map_err(|report| report.message)
    }

    /// The same from both sides of its worktree, looked at once for all that waits there.
    fn facts_in(&self, compared: &Result<Compared, String>) -> Result<Facts, String> {
        let given = Given {
            cr: self.waits.cr.as_ref().and_then(|cr| cr.raw_str()),
            focus: Some(&self.root.dir),
            ..Given::default()
        };
        let compared = compared.clone()?;
        Ok(Facts::of(&inside(&self.top), compared, &given, None))
    }
}

/// Everything that waits in the worktrees, and worktrees that could not be looked at.
pub(in crate::cli) fn gather(dirs: &[PathBuf]) -> (Vec<Asserted>, Vec<(String, String)>) {
    let mut items = Vec::new();
    let mut unread = Vec::new();
    let mut tops = BTreeSet::new();
    for dir in dirs {
        match find(dir) {
            Ok(place) => {
                tops.extend(siblings(&place.commondir));
                tops.insert(place.worktree);
            }
            Err(error) => unread.push((shown(dir), error.says())),
        }
    }
    for top in tops {
        let files = Files::places(&top);
        for (path, why) in &files.closed {
            let (path, _) = path.json();
            unread.push((shown(&top.join(path)), why.clone()));
        }
        let mut compared = None;
        for root in tree::build(&files).roots {
            if let crate::model::known::Known::Unknown(why) = &root.document {
                unread.push((shown(&on_disk(&top, &root.dir)), why.to_string()));
            }
            let waits = waiting(&root);
            if waits.is_empty() {
                continue;
            }
            let path = crate::adapters::spec::files::joined(&root.dir, b"spec.md");
            let Some(Ok(bytes)) = files.all.get(&path) else {
                continue;
            };
            for waits in waits {
                let name = top
                    .file_name()
                    .map_or_else(|| shown(&top), |name| shown(Path::new(name)));
                let mut item = Asserted {
                    top: top.clone(),
                    repo: name,
                    root: root.clone(),
                    waits,
                    risk: ("high", String::new()),
                    closed: Vec::new(),
                    seen: Digest::of(bytes),
                };
                let compared = compared.get_or_insert_with(|| {
                    Compared::look(&inside(&top), &At::default(), None, Of::Suites)
                        .map_err(|report| report.message)
                });
                (item.risk, item.closed) = item.judged(item.facts_in(compared));
                items.push(item);
            }
        }
    }
    (items, unread)
}

/// A root as it stands on the disk now, for judging it once more.
pub(super) fn root_again(top: &Path, dir: &RepoPath) -> crate::model::spec::Tree {
    let files = Files::below(top, dir, Search::Whole);
    let mut tree = tree::build(&files);
    tree.roots.retain(|root| root.dir == *dir);
    tree.nodes.clear();
    tree
}

/// By risk, then by place.
pub(in crate::cli) fn sort(items: &mut [Asserted]) {
    let rank = |risk: &str| ["high", "med", "low"].iter().position(|word| *word == risk);
    items.sort_by(|a, b| {
        let key = |item: &Asserted| {
            (
                rank(item.risk.0),
                item.repo.clone(),
                item.root.dir.clone(),
                item.waits.gate,
            )
        };
        key(a).cmp(&key(b))
    });
}

/// As if run inside of a worktree.
fn inside(top: &Path) -> Context {
    Context {
        dir: top.to_owned(),
        json: false,
        color: crate::cli::args::When::Never,
    }
}

/// The other worktrees of a repository.
fn siblings(commondir: &Path) -> Vec<PathBuf> {
    let listed = std::fs::read_dir(commondir.join("worktrees"));
    let entries = listed.into_iter().flatten().flatten();
    let gitdir = |entry: std::fs::DirEntry| {
        let line = regular::line(&entry.path().join("gitdir"), 4096).ok()??;
        let path = PathBuf::from(std::ffi::OsStr::from_bytes(&line));
        path.parent().map(Path::to_owned)
    };
    let tops = entries.filter_map(gitdir);
    tops.filter(|top| top.is_dir()).collect()
}
