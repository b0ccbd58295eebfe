//! The worktree beside its merge base: which suites and documents a change touched.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::Duration;

use serde_bytes::ByteBuf;
use serde_json::{Value, json};

use super::args::At;
use super::look::{inside, top};
use crate::adapters::git::base as git_base;
use crate::adapters::git::base_files::{Answer, Question as BaseQuestion};
use crate::adapters::reader::{Question, Reader, Reply};
use crate::adapters::spec::anchors::{self, Anchors};
use crate::adapters::spec::edits::{Bytes, Pair, pairs};
use crate::adapters::spec::files::{Files, Search};
use crate::cli::Context;
use crate::cli::exit::Exit;
use crate::cli::report::Report;
use crate::model::id::{Oid, RepoPath, Ticket};
use crate::model::spec::in_place;
use crate::model::text::{Foreign, Place};

/// How long the reader may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// Both sides of a change, as far as specs go.
#[derive(Clone)]
pub(super) struct Compared {
    /// Top of the worktree.
    pub top: PathBuf,
    /// The folder that was named.
    pub root: Option<RepoPath>,
    /// The short name of the branch.
    pub branch: Option<Foreign>,
    /// Further places of specs.
    pub anchors: Anchors,
    /// Files at the merge base.
    pub before: BTreeMap<RepoPath, Bytes>,
    /// Files in the worktree.
    pub after: BTreeMap<RepoPath, Bytes>,
    /// Whether files were named.
    pub named: bool,
    /// The merge base.
    pub merge_base: Oid,
    /// The head.
    pub head: Oid,
    /// The base as people name it, fit to be shown.
    pub base_name: String,
    /// Suites that differ, or were named.
    pub pairs: Vec<Pair>,
    /// Files that were named and are no suite.
    pub others: Vec<RepoPath>,
}

/// Which of the named files are meant.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    /// Suites.
    Suites,
    /// Documents.
    Documents,
}

impl Compared {
    /// Looks at both sides: of the named files, else of everything below the root, else of every
    /// place of specs.
    pub(super) fn look(
        context: &Context,
        at: &At,
        base: Option<&str>,
        of: Of,
    ) -> Result<Self, Report> {
        let top = top(context)?;
        let root = at
            .root
            .as_ref()
            .map(|root| inside(context, &top, root))
            .transpose()?;
        let named = at.files.iter().map(|file| inside(context, &top, file));
        let named = named.collect::<Result<Vec<_>, _>>()?;
        let is_suite = |path: &RepoPath| path.file_name().ends_with(b".feature");
        let (files, others): (Vec<_>, Vec<_>) = named.into_iter().partition(is_suite);
        let (mine, theirs, ending) = match of {
            Of::Suites => (&files, &others, "a .feature"),
            Of::Documents => (&others, &files, "a document"),
        };
        if mine.is_empty() && !theirs.is_empty() && !at.allow_empty {
            let message = format!("none of the named files is {ending}");
            return Err(Report::new(Exit::CouldNotMeasure, "no-files", message)
                .hint("name files of that kind, or say --allow-empty"));
        }
        let folders = root
            .iter()
            .map(|dir| ByteBuf::from(dir.as_bytes().to_vec()));
        let unusable = |why: String| {
            let message = format!("{} cannot be used: {why}", anchors::PATH);
            Report::new(Exit::CouldNotMeasure, "anchors", message).hint("mend it, or take it away")
        };
        let anchors = Anchors::of(&top).map_err(unusable)?;
        let answer = ask(BaseQuestion {
            anchors: anchors.globs().to_vec(),
            dir: top.clone(),
            base: base.map(str::to_owned),
            folders: folders.collect(),
        })?;
        let all = sides(&answer);
        let anchors = Anchors::new(answer.anchors).map_err(unusable)?;
        let mut found = match &root {
            Some(dir) => Files::below(&top, dir, Search::Whole),
            None => Files::anchored(&top, &anchors),
        };
        if !files.is_empty() {
            // what moved may lie anywhere, so every suite of the worktree takes part
            found = Files::below(&top, &RepoPath::from(""), Search::Whole);
            found.all.extend(
                Files::beside(&top, &files)
                    .all
                    .into_iter()
                    .filter(|(_, read)| read.is_ok()),
            );
        }
        if let Some((path, why)) = found.closed.first() {
            let path = path.foreign().shown(Place::Strict);
            let message = format!("{path} could not be looked into: {why}");
            return Err(
                Report::new(Exit::CouldNotMeasure, "unreadable", message).hint("make it readable")
            );
        }
        let within = |path: &RepoPath| match &root {
            Some(dir) => crate::model::spec::below(path, dir),
            None => !files.is_empty() || in_place(path) || anchors.holds(path),
        };
        let suites = |all: &BTreeMap<RepoPath, Bytes>| -> BTreeMap<RepoPath, Bytes> {
            let mine = all
                .iter()
                .filter(|(path, _)| is_suite(path) && within(path));
            mine.map(|(path, read)| (path.clone(), read.clone()))
                .collect()
        };
        let pairs = pairs(&suites(&all), &suites(&found.all), &files);
        let short = |name: &ByteBuf| Foreign::new(git_base::short(name).to_vec());
        Ok(Self {
            top,
            root,
            branch: answer.branch.as_ref().map(short),
            anchors,
            before: all,
            after: found.all,
            named: !at.files.is_empty(),
            merge_base: Oid(answer.merge_base),
            head: Oid(answer.head),
            base_name: Foreign::new(answer.base_name.to_vec())
                .shown(Place::Strict)
                .plain(),
            pairs,
            others,
        })
    }

    /// The same with the head as it is committed in the place of the worktree.
    pub(super) fn at_head(&self) -> Result<Self, Report> {
        let answer = ask(BaseQuestion {
            anchors: self.anchors.globs().to_vec(),
            dir: self.top.clone(),
            base: Some(String::from("HEAD")),
            folders: Vec::new(),
        })?;
        let after = sides(&answer);
        let mine = |all: &BTreeMap<RepoPath, Bytes>| -> BTreeMap<RepoPath, Bytes> {
            let suites = all
                .iter()
                .filter(|(path, _)| path.file_name().ends_with(b".feature") && self.in_spec(path));
            suites
                .map(|(path, read)| (path.clone(), read.clone()))
                .collect()
        };
        Ok(Self {
            head: Oid(answer.head),
            pairs: pairs(&mine(&self.before), &mine(&after), &[]),
            after,
            ..self.clone()
        })
    }

    /// Whether a path belongs to the specs that are looked at.
    pub(super) fn in_spec(&self, path: &RepoPath) -> bool {
        let below_root = |root: &RepoPath| crate::model::spec::below(path, root);
        in_place(path) || self.anchors.holds(path) || self.root.as_ref().is_some_and(below_root)
    }

    /// The base as JSON.
    pub(super) fn base_json(&self) -> Value {
        json!({
            "name": self.base_name,
            "commit": self.merge_base.to_string(),
            "head": self.head.to_string(),
        })
    }

    /// What is compared, in words.
    pub(super) fn first_line(&self) -> String {
        format!(
            "worktree against {} (merge base {})",
            self.base_name,
            self.merge_base.short()
        )
    }
}

/// The files of an answer, by path.
fn sides(answer: &Answer) -> BTreeMap<RepoPath, Bytes> {
    let one = |(path, read): &(ByteBuf, Result<ByteBuf, String>)| {
        let read = read
            .as_ref()
            .map(|bytes| bytes.to_vec())
            .map_err(Clone::clone);
        (RepoPath::new(path.to_vec()), read)
    };
    answer.files.iter().map(one).collect()
}

fn ask(question: BaseQuestion) -> Result<Box<Answer>, Report> {
    let trouble = |why: String, hint: String| {
        let message = format!("could not look at the base: {why}");
        Report::new(Exit::CouldNotMeasure, "no-base", message).hint(hint)
    };
    let (send, answers) = mpsc::channel();
    let reader = Reader::spawn(move |_, reply| {
        if let Reply::BaseFiles(answer) = reply {
            let _ = send.send(answer);
        }
    })
    .map_err(|error| trouble(error.to_string(), "try again".into()))?;
    reader.ask(Ticket(1), Question::BaseFiles(question));
    answers
        .recv_timeout(PATIENCE)
        .map_err(|_| trouble("the reader did not answer".into(), "try again".into()))?
        .map_err(|error| trouble(error.says(), error.hint()))
}
