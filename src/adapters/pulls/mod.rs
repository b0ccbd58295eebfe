//! Pull requests of a forge: what is asked, by whom, and where the answers lie.
//!
//! Nothing here is done unless a person named a request. A forge is asked through the person's
//! own client (`gh`, `glab`), which keeps its token to itself, or directly, with a token from the
//! variable that the settings name (FRG-7). The answers are kept as they came, with the headers that prove where a list ends, and are read by
//! [`super::forge`] like any file that is handed in.

pub mod cache;
pub mod call;
mod client;
mod direct;
mod gitea;
mod github;
mod gitlab;
mod pages;
pub mod place;
pub mod post;
pub mod recording;
pub mod review;

use std::path::Path;

use serde::Deserialize;

use crate::model::forge::{Kind, PullName, Way};
use crate::model::id::Oid;
use crate::model::text::{Foreign, Place};

use call::{Line, NoReply};
use recording::Recording;

/// Most pages of one list.
pub const PAGES: u32 = 1000;

/// Most bytes of all answers together: what a file with threads may have.
pub const BYTES: u64 = super::forge::FILE_CAP - (1 << 20);

/// How often all of it is asked again because the head moved meanwhile.
const TRIES: u32 = 3;

/// Why nothing was learned from the forge.
#[derive(Debug, thiserror::Error)]
pub enum NotAsked {
    /// The forge was not reached, or its client refused.
    #[error("{0}")]
    NoReply(NoReply),
    /// It answered, but not with the request.
    #[error("{host} answered with {status} when it was asked for {name}{says}")]
    Refused {
        /// The host.
        host: String,
        /// The request as it was named.
        name: String,
        /// The status, or what was wrong with the answer.
        status: String,
        /// The forge's own words, with `: ` before them, fit to be shown.
        says: String,
        /// Whether it was asked as anybody may, without an account.
        anybody: bool,
    },
    /// It wants to be left alone for a while.
    #[error("{host} wants to be asked again in {seconds} s at the earliest")]
    Wait {
        /// The host.
        host: String,
        /// Seconds from now.
        seconds: u64,
    },
    /// The head kept moving.
    #[error("the head of {0} moved each time that it was read")]
    Moving(String),
    /// Our own files.
    #[error("the answers could not be kept: {0}")]
    Own(#[from] std::io::Error),
}

impl NotAsked {
    /// What helps.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::NoReply(why) => why.hint(),
            Self::Refused { anybody: true, .. } => {
                "look whether it is there; for what not everybody may see, name the variable with \
                 a token in `forges`"
                    .to_owned()
            }
            Self::Refused { .. } => {
                "look whether it is there, and whether your account may see it".to_owned()
            }
            Self::Wait { .. } => "use --offline to go on with what was read before".to_owned(),
            Self::Moving(_) => "try again when nobody pushes".to_owned(),
            Self::Own(_) => "look at the cache folder: `countersign config path`".to_owned(),
        }
    }
}

/// The line to the forge of a request. `cwd` is an empty folder of ours.
#[must_use]
pub fn line(name: &PullName, cwd: &Path) -> Box<dyn Line> {
    let of = match name.host.way() {
        Way::Direct => return Box::new(direct::Direct::new(&name.host)),
        Way::Gh => client::Program::Gh,
        Way::Glab => client::Program::Glab,
    };
    Box::new(client::Client::new(of, &name.host.name, cwd))
}

/// Asks for everything about a request: itself, its threads, reviews, comments, files, commits.
/// The head is read at both ends, so that all of it is about one head.
///
/// # Errors
/// Why the request itself could not be had. A list that could not be had whole is no error: the
/// recording says how far it got.
pub fn ask(line: &mut dyn Line, name: &PullName) -> Result<Recording, NotAsked> {
    for _ in 0..TRIES {
        let mut recording = Recording::new(name.host.kind);
        let before = request(line, name, &mut recording)?;
        match name.host.kind {
            Kind::GitHub => github::lists(line, name, &mut recording),
            Kind::GitLab => gitlab::lists(line, name, &mut recording),
            Kind::Forgejo | Kind::Gitea => gitea::lists(line, name, &mut recording),
        }
        if recording.stopped.is_some() {
            return Ok(recording);
        }
        let after = request(line, name, &mut recording)?;
        if before == after {
            return Ok(recording);
        }
    }
    Err(NotAsked::Moving(name.to_string()))
}

/// The head that the forge has now.
///
/// # Errors
/// Why it could not be had.
pub fn head(line: &mut dyn Line, name: &PullName) -> Result<Option<Oid>, NotAsked> {
    request(line, name, &mut Recording::new(name.host.kind))
}

/// The request itself, and the head in it.
fn request(
    line: &mut dyn Line,
    name: &PullName,
    recording: &mut Recording,
) -> Result<Option<Oid>, NotAsked> {
    let path = match name.host.kind {
        Kind::GitHub => github::request_path(name),
        Kind::GitLab => gitlab::request_path(name),
        Kind::Forgejo | Kind::Gitea => gitea::request_path(name),
    };
    let reply = line.get(&path).map_err(|why| told(name, why))?;
    let whole = recording.take(&path, &reply);
    let refused = |status: String, says: &str| NotAsked::Refused {
        host: name.host.name.clone(),
        name: name.to_string(),
        status,
        says: match Foreign::from(says).shown(Place::Strict).plain() {
            says if says.is_empty() => says,
            says => format!(": {says}"),
        },
        anybody: name.host.way() == Way::Direct && name.host.token.is_none(),
    };
    if let Some(seconds) = reply.wait() {
        return Err(NotAsked::Wait {
            host: name.host.name.clone(),
            seconds,
        });
    }
    let read: Option<Request> = reply.read().filter(|_| whole);
    let Some(read) = read else {
        return Err(refused("something else than whole JSON".to_owned(), ""));
    };
    if !reply.good() {
        let says = read.message.unwrap_or_default();
        return Err(refused(format!("status {}", reply.status), &says));
    }
    let number = match name.host.kind {
        Kind::GitHub | Kind::Forgejo | Kind::Gitea => read.number,
        Kind::GitLab => read.iid,
    };
    if number != Some(name.number) {
        return Err(refused("another request".to_owned(), ""));
    }
    let head = match name.host.kind {
        Kind::GitHub | Kind::Forgejo | Kind::Gitea => read.head.and_then(|head| head.sha),
        Kind::GitLab => read.sha,
    };
    Ok(head.as_deref().and_then(Oid::parse))
}

/// What we need of a request to ask further.
#[derive(Deserialize)]
struct Request {
    number: Option<u64>,
    iid: Option<u64>,
    head: Option<Head>,
    sha: Option<String>,
    message: Option<String>,
}

#[derive(Deserialize)]
struct Head {
    sha: Option<String>,
}

/// A silence with what the person can do.
fn told(name: &PullName, why: NoReply) -> NotAsked {
    match why {
        NoReply::Wait(seconds) => NotAsked::Wait {
            host: name.host.name.clone(),
            seconds,
        },
        why => NotAsked::NoReply(why),
    }
}
