//! Replies of the reader as answers for the session. Runs on the reader's own thread.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::adapters::git::GitError;
use crate::adapters::git::skills::Held;
use crate::adapters::reader::{Line, Reply, Run, TokenKind};
use crate::app::msg::{Answer, FirstLines, Msg, Side, TextLine, Trouble};
use crate::app::row::CodeRole;
use crate::gate::chains::Profile;
use crate::gate::chains::session::{ChainFacts, is_skill};
use crate::model::change::{FileChange, FileHunks, HunkMethod};
use crate::model::id::{Oid, RepoPath, Ticket};
use crate::model::text::Foreign;

use super::clerk::{Clerk, Ears};
use super::desk::{HEADS, HEADS_NOW, Seat};
use super::hub::Hub;
use super::lister::{Listed, Lister};
use super::request;
use super::worker::Worker;

/// What is needed to make an answer of a reply.
#[derive(Debug, Default)]
pub struct Asked {
    /// The changed files as they came last.
    pub files: HashMap<RepoPath, FileChange>,
    /// Which side a question about lines was for.
    pub sides: HashMap<Ticket, Side>,
    /// When the change was asked for.
    pub opening: Option<Instant>,
}

/// The way from a reply to the session.
#[derive(Debug)]
pub struct Deliver {
    /// Where answers go.
    pub hub: Hub,
    /// Who puts an opening together.
    pub clerk: Arc<Worker<Clerk>>,
    /// Who passes the list of files on.
    pub lister: Lister,
    /// Who waits for single answers.
    pub ears: Ears,
    /// What was handed in.
    pub seat: Arc<Seat>,
    /// What was asked.
    pub asked: Arc<Mutex<Asked>>,
}

impl Deliver {
    /// Delivers one reply.
    pub fn reply(&self, ticket: Ticket, reply: Reply) {
        match reply {
            Reply::Opened(Ok(mut opened)) => {
                request::stand_in(&mut opened, &self.seat.inputs);
                let begun = self.asked().opening.unwrap_or_else(Instant::now);
                let contract = opened
                    .contract
                    .known()
                    .map(|record| record.contract.clone());
                self.lister.contract(contract);
                self.clerk
                    .ask(move |clerk| clerk.open(ticket, *opened, begun));
            }
            Reply::Opened(Err(error)) => self.say(ticket, Answer::Opened(Err(trouble(&error)))),
            Reply::Files {
                files,
                complete,
                cut,
            } => self.files(ticket, files, complete, cut.as_ref()),
            Reply::Hunks {
                path,
                shape,
                hunks,
                counts,
                first,
            } => {
                let hunks = hunks.map(|hunks| hunks.unwrap_or_else(no_lines));
                let answer = Answer::Hunks {
                    path,
                    shape,
                    hunks: hunks.map_err(|error| trouble(&error)),
                    counts,
                    first: first.into_iter().map(run).collect(),
                };
                self.say(ticket, answer);
            }
            Reply::Lines {
                path, from, lines, ..
            } => self.lines(ticket, path, from, lines),
            Reply::Heads(reply) if ticket == HEADS_NOW => {
                let _ = self.ears.heads.try_send(reply);
            }
            Reply::Heads(reply) => {
                debug_assert_eq!(ticket, HEADS);
                self.clerk.ask(move |clerk| clerk.heads_seen(&reply));
            }
            Reply::Lost => self.hub.say(Msg::ChildLost("the reader")),
            Reply::Since(reply) => {
                let _ = self.ears.since.try_send(reply);
            }
            // only commands of the spec gate ask for them
            Reply::BaseFiles(_) | Reply::There(_) => {}
            // only commands of a fix wave ask for them
            Reply::Added(_) => {}
            Reply::Notes(notes) => self.hub.say(Msg::Notes(notes)),
            Reply::Threads(reply) => {
                let _ = self.ears.threads.try_send(reply);
            }
            Reply::Round(reply) => {
                let _ = self.ears.rounds.try_send(reply);
            }
            Reply::Held(held) => self.hub.say(Msg::Chains(chains(held, &self.seat.chains))),
            // only `countersign chains` asks for it
            Reply::Listed(_) => {}
        }
    }

    fn files(
        &self,
        ticket: Ticket,
        files: Vec<FileChange>,
        complete: bool,
        cut: Option<&GitError>,
    ) {
        if complete || cut.is_some() {
            let skills = files.iter().any(is_skill);
            self.clerk.ask(move |clerk| {
                if skills {
                    clerk.ask_skills();
                }
                clerk.look_around();
            });
        }
        self.lister.listed(Listed {
            ticket,
            files,
            complete,
            cut: cut.map(trouble),
        });
    }

    fn lines(&self, ticket: Ticket, path: RepoPath, from: u32, lines: Result<Vec<Line>, GitError>) {
        let side = self.asked().sides.remove(&ticket).unwrap_or(Side::Head);
        let lines = match lines {
            Ok(lines) => lines.into_iter().map(text_line).collect(),
            Err(error) => vec![plain_line(&format!("(not readable: {})", error.says()))],
        };
        let answer = Answer::Text {
            path,
            side,
            from,
            lines,
        };
        self.say(ticket, answer);
    }

    fn say(&self, ticket: Ticket, answer: Answer) {
        self.hub.say(Msg::Answer(ticket, Box::new(answer)));
    }

    fn asked(&self) -> MutexGuard<'_, Asked> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The audit of a tree's skills.
fn chains(
    held: Result<Box<Held>, GitError>,
    profile: &Profile,
) -> Result<Arc<ChainFacts>, Trouble> {
    let held = held.map_err(|error| trouble(&error))?;
    let skills = held.skills.into_iter().map(|(path, read)| {
        let read = read.map(serde_bytes::ByteBuf::into_vec);
        (RepoPath::new(path.into_vec()), read)
    });
    let skills = skills.collect();
    let agents = held.agents.into_iter().map(serde_bytes::ByteBuf::into_vec);
    let agents = agents.collect();
    let tree = Oid(held.tree);
    Ok(Arc::new(ChainFacts::of(tree, skills, agents, profile)))
}

/// What a file without lines has instead of hunks.
fn no_lines() -> FileHunks {
    FileHunks {
        hunks: Vec::new(),
        before_lines: 0,
        after_lines: 0,
        method: HunkMethod::Whole,
    }
}

fn plain_line(text: &str) -> TextLine {
    TextLine {
        text: Foreign::from(text),
        no_newline: false,
        tokens: Vec::new(),
    }
}

fn run(run: Run) -> FirstLines {
    let side = if run.head { Side::Head } else { Side::Base };
    FirstLines {
        side,
        from: run.from,
        lines: run.lines.into_iter().map(text_line).collect(),
    }
}

fn text_line(line: Line) -> TextLine {
    let mut text = line.text;
    if line.cut > 0 {
        let mut bytes = text.raw().to_vec();
        bytes.extend_from_slice(format!(" ... {} more bytes", line.cut).as_bytes());
        text = Foreign::new(bytes);
    }
    let tokens = line.tokens.into_iter();
    TextLine {
        text,
        no_newline: line.no_newline,
        tokens: tokens.map(|t| (t.range, role(t.kind))).collect(),
    }
}

fn role(kind: TokenKind) -> CodeRole {
    match kind {
        TokenKind::Comment => CodeRole::Comment,
        TokenKind::String => CodeRole::String,
        TokenKind::Number => CodeRole::Number,
        TokenKind::Keyword => CodeRole::Keyword,
        TokenKind::Type => CodeRole::Type,
        TokenKind::Function => CodeRole::Function,
        TokenKind::Constant => CodeRole::Constant,
        TokenKind::Punctuation => CodeRole::Punctuation,
    }
}

/// A failure of the reader for the status row: a sentence, and what helps.
#[must_use]
pub fn trouble(error: &GitError) -> Trouble {
    Trouble {
        says: sentence(&error.says()),
        hint: sentence(&error.hint()),
    }
}

/// A fragment as a sentence.
fn sentence(fragment: &str) -> String {
    let mut letters = fragment.chars();
    match letters.next() {
        None => String::new(),
        Some(first) => format!("{}{}.", first.to_uppercase(), letters.as_str()),
    }
}
