//! What git says since a head, asked of the reader: a child that can be killed and runs nothing.

use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use crate::adapters::git::{GitError, added};
use crate::adapters::reader::{Question, Reader, Reply};
use crate::cli::exit::Exit;
use crate::cli::report::Report;
use crate::model::id::{Oid, Ticket};
use crate::model::known::Known;
use crate::model::snapshot::{RepositoryNote, SomePaths};

/// How long the reader may take for one question.
const PATIENCE: Duration = Duration::from_secs(60);

/// Asks one after the other.
pub(super) struct Asked {
    reader: Reader,
    replies: Receiver<Reply>,
}

impl Asked {
    /// Starts a reader.
    pub(super) fn new() -> Result<Self, Report> {
        let (send, replies) = channel();
        let reader = Reader::spawn(move |_, reply| {
            let _ = send.send(reply);
        })
        .map_err(|error| cannot(&error.to_string(), "try again"))?;
        Ok(Self { reader, replies })
    }

    /// What was committed since a head.
    pub(super) fn added(&self, dir: &Path, before: Oid) -> Result<added::Answer, Report> {
        let question = added::Question {
            dir: dir.to_owned(),
            before: before.0,
        };
        self.reader.ask(Ticket(1), Question::Added(question));
        match self.replies.recv_timeout(PATIENCE) {
            Ok(Reply::Added(Ok(answer))) => Ok(*answer),
            Ok(Reply::Added(Err(error))) => Err(said(&error)),
            _ => Err(cannot("the reader did not answer", "try again")),
        }
    }

    /// What the worktree holds beside its head.
    pub(super) fn residue(&self, dir: &Path) -> Known<SomePaths> {
        self.reader
            .ask(Ticket(2), Question::Worktree(dir.to_owned()));
        let unknown = |why: &str| Known::Unknown(crate::model::known::Reason::new(why));
        let Ok(Reply::Notes(notes)) = self.replies.recv_timeout(PATIENCE) else {
            return unknown("the reader did not answer");
        };
        let mut all = SomePaths::default();
        for note in &notes {
            match note {
                RepositoryNote::NotLooked(_, why) => return unknown(&why.to_string()),
                other => {
                    if let Some(paths) = other.paths() {
                        all.first.extend(paths.first.iter().cloned());
                        all.total = all.total.saturating_add(paths.total);
                    }
                }
            }
        }
        all.first.sort();
        Known::Is(all)
    }
}

fn said(error: &GitError) -> Report {
    let hint = error.hint();
    let hint = if hint.is_empty() { "try again" } else { &hint };
    cannot(&error.says(), hint)
}

fn cannot(why: &str, hint: &str) -> Report {
    let message = format!("could not look at the commits: {why}");
    Report::new(Exit::CouldNotMeasure, "not-looked", message).hint(hint)
}
