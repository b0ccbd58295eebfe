//! From what the child says to what the caller hears.

use super::client::{Line, Reply, Run, Token, TokenKind};
use super::wire::{Tell, WireLine, WireRun};
use crate::adapters::git::{GitError, hunks, record};
use crate::model::change::{Counts, FileHunks, Shape};
use crate::model::id::{Oid, RepoPath};
use crate::model::known::Reason;
use crate::model::snapshot::{Look, RepositoryNote};
use crate::model::text::Foreign;

/// The error in an answer that is not what was asked for.
#[must_use]
pub(super) fn error(tell: Tell) -> GitError {
    match tell {
        Tell::Failed(error) => error,
        _ => GitError::System("the reader answered something else".to_owned()),
    }
}

/// The reply to a question for hunks.
#[must_use]
pub(super) fn hunks(path: RepoPath, tell: Tell) -> Reply {
    match tell {
        Tell::Hunks(shape, found, first) => {
            let hunks: Option<FileHunks> = found.map(Into::into);
            Reply::Hunks {
                path,
                shape: shape.into(),
                counts: hunks.as_ref().map_or_else(Counts::default, hunks::counts),
                hunks: Ok(hunks),
                first: first.into_iter().map(run).collect(),
            }
        }
        other => {
            let error = error(other);
            Reply::Hunks {
                path,
                shape: Shape::Missing(error.says()),
                counts: Counts::default(),
                hunks: Err(error),
                first: Vec::new(),
            }
        }
    }
}

/// What is said of a file whose object turned out to be damaged after its hunks were told.
#[must_use]
pub(super) fn missing(path: RepoPath, why: String) -> Reply {
    Reply::Hunks {
        path,
        hunks: Err(GitError::System(why.clone())),
        shape: Shape::Missing(why),
        counts: Counts::default(),
        first: Vec::new(),
    }
}

fn run(wire: WireRun) -> Run {
    Run {
        head: wire.head,
        from: wire.from,
        lines: wire.lines.into_iter().map(line).collect(),
    }
}

/// The reply to a question for lines.
#[must_use]
pub(super) fn lines(path: RepoPath, blob: Oid, from: u32, tell: Tell) -> Reply {
    let lines = match tell {
        Tell::Lines(lines) => Ok(lines.into_iter().map(line).collect()),
        other => Err(error(other)),
    };
    Reply::Lines {
        path,
        blob,
        from,
        lines,
    }
}

fn line(wire: WireLine) -> Line {
    let token = |(start, end, kind)| {
        Some(Token {
            range: start..end,
            kind: TokenKind::of(kind)?,
        })
    };
    Line {
        tokens: wire.tokens.into_iter().filter_map(token).collect(),
        text: Foreign::new(wire.text.into_vec()),
        cut: wire.cut,
        no_newline: wire.no_newline,
    }
}

/// The reply to a question for the heads.
#[must_use]
pub(super) fn heads(tell: Tell) -> Reply {
    Reply::Heads(match tell {
        Tell::Heads(answer) => Ok(answer),
        other => Err(error(other)),
    })
}

/// The reply to a question for what differs from an earlier head.
#[must_use]
pub(super) fn since(tell: Tell) -> Reply {
    Reply::Since(match tell {
        Tell::Since(answer) => Ok(answer),
        other => Err(error(other)),
    })
}

/// The reply to a question for what became of a change since it was judged.
#[must_use]
pub(super) fn round(tell: Tell) -> Reply {
    Reply::Round(match tell {
        Tell::Round(answer) => Ok(answer),
        other => Err(error(other)),
    })
}

/// The reply to a question for the files of a scope.
#[must_use]
pub(super) fn listed(tell: Tell) -> Reply {
    Reply::Listed(match tell {
        Tell::Listed(listed) => Ok(listed),
        other => Err(error(other)),
    })
}

/// Whether a commit holds a file.
#[must_use]
pub(super) fn there(tell: Tell) -> Reply {
    Reply::There(match tell {
        Tell::There(answer) => Ok(answer),
        other => Err(error(other)),
    })
}

/// The reply to a question for the files at the merge base.
#[must_use]
pub(super) fn base_files(tell: Tell) -> Reply {
    Reply::BaseFiles(match tell {
        Tell::BaseFiles(answer) => Ok(answer),
        other => Err(error(other)),
    })
}

/// The reply to a question for review threads.
#[must_use]
pub(super) fn threads(tell: Tell) -> Reply {
    Reply::Threads(match tell {
        Tell::Threads(found) => Ok(found),
        other => Err(error(other)),
    })
}

/// The reply to a question for what was committed since a head.
#[must_use]
pub(super) fn added(tell: Tell) -> Reply {
    Reply::Added(match tell {
        Tell::Added(answer) => Ok(answer),
        other => Err(error(other)),
    })
}

/// The reply to a question for the skills of a tree.
#[must_use]
pub(super) fn held(tell: Tell) -> Reply {
    Reply::Held(match tell {
        Tell::Held(held) => Ok(held),
        other => Err(error(other)),
    })
}

/// The reply to a question for what lies beside the change.
#[must_use]
pub(super) fn notes(look: Look, tell: Tell) -> Reply {
    Reply::Notes(match tell {
        Tell::Notes(notes) => notes.iter().map(record::note).collect(),
        other => {
            let why = Reason::new(error(other).says());
            vec![RepositoryNote::NotLooked(look, why)]
        }
    })
}
