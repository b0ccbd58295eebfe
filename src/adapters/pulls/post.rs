//! Posting a ruling, the one thing that is ever written to a forge. It is pinned to the head that
//! was ruled, and done once: every post carries a hidden marker, which is looked for first (FRG-9).

use serde::Deserialize;
use serde_json::json;

use super::call::{Answer, Line, Method, NoReply};
use super::{NotAsked, PAGES, head};
use crate::model::forge::{Kind, PullName};
use crate::model::id::{EntryId, Oid};
use crate::model::text::{Foreign, Place};

/// What became of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Done {
    /// It stands there now; its address, as the forge says.
    Posted(String),
    /// It stood there before; its address.
    Already(String),
}

/// Why it was not posted. No decision is touched by any of it.
#[derive(Debug, thiserror::Error)]
pub enum NotPosted {
    /// The forge could not be read.
    #[error("{0}")]
    NotAsked(#[from] NotAsked),
    /// The forge has another head than the one that was ruled.
    #[error("the forge's head is {there}, ruled was {ruled}")]
    OtherHead {
        /// What the forge has.
        there: String,
        /// What was ruled.
        ruled: String,
    },
    /// Whether it was posted before cannot be told.
    #[error("whether it stands there already could not be read: {0}")]
    Unread(String),
    /// The forge refused.
    #[error("the forge answered with status {0}{1}")]
    Refused(u16, String),
    /// It was sent, and nobody knows what became of it.
    #[error("it was sent, and no answer came: {0}; look at the page before you try again")]
    Unknown(NoReply),
}

/// The hidden line that makes a post known again.
#[must_use]
pub fn marker(ruling: EntryId) -> String {
    format!("<!-- countersign ruling={ruling} -->")
}

/// Posts `body`, which holds the marker of `ruling`, below a request.
///
/// # Errors
/// Why it was not posted.
pub fn post(
    line: &mut dyn Line,
    name: &PullName,
    ruled: Oid,
    ruling: EntryId,
    body: &str,
) -> Result<Done, NotPosted> {
    let there = head(line, name)?;
    if there != Some(ruled) {
        return Err(NotPosted::OtherHead {
            there: there.map_or("not named".to_owned(), |there| there.abbreviated(12)),
            ruled: ruled.abbreviated(12),
        });
    }
    let list = match name.host.kind {
        Kind::GitHub => format!("repos/{}/issues/{}/comments", name.repository, name.number),
        Kind::GitLab => format!("{}/notes", super::gitlab::request_path(name)),
    };
    if let Some(at) = before(line, name, &list, &marker(ruling))? {
        return Ok(Done::Already(at));
    }
    let sent = line.call(Method::Post, &list, Some(&json!({"body": body})));
    let answer = sent.map_err(NotPosted::Unknown)?;
    let read: Option<Comment> = answer.read();
    if !answer.good() {
        return Err(refused(&answer, read.and_then(|read| read.message)));
    }
    Ok(Done::Posted(address(name, read.as_ref())))
}

#[derive(Deserialize)]
struct Comment {
    id: Option<u64>,
    html_url: Option<String>,
    body: Option<String>,
    message: Option<String>,
}

/// The address of a comment; the page alone when the forge names an address elsewhere.
fn address(name: &PullName, comment: Option<&Comment>) -> String {
    let page = name.page();
    let said = comment.and_then(|comment| comment.html_url.as_ref());
    let id = comment.and_then(|comment| comment.id);
    match (said, id) {
        (Some(said), _) if said.starts_with(&page) => {
            Foreign::from(said.as_str()).shown(Place::Strict).plain()
        }
        (_, Some(id)) if name.host.kind == Kind::GitLab => format!("{page}#note_{id}"),
        _ => page,
    }
}

/// Where the same ruling stands already.
fn before(
    line: &mut dyn Line,
    name: &PullName,
    list: &str,
    marker: &str,
) -> Result<Option<String>, NotPosted> {
    for page in 1..=PAGES {
        let path = format!("{list}?per_page=100&page={page}");
        let answer = line
            .get(&path)
            .map_err(|why| NotPosted::Unread(why.to_string()))?;
        if !answer.good() {
            return Err(NotPosted::Unread(format!("status {}", answer.status)));
        }
        let comments: Option<Vec<Comment>> = answer.read().filter(|_| answer.cut.is_none());
        let Some(comments) = comments else {
            let why = "the answer is no list of comments";
            return Err(NotPosted::Unread(why.to_owned()));
        };
        let found = comments.iter().find(|comment| {
            let body = comment.body.as_deref().unwrap_or_default();
            body.trim_end().ends_with(marker)
        });
        if let Some(found) = found {
            return Ok(Some(address(name, Some(found))));
        }
        if !answer.more() {
            return Ok(None);
        }
    }
    Err(NotPosted::Unread("the list does not end".to_owned()))
}

fn refused(answer: &Answer, says: Option<String>) -> NotPosted {
    let says = says.map(|says| Foreign::from(says).shown(Place::Strict).plain());
    let says = says.map_or(String::new(), |says| format!(": {says}"));
    NotPosted::Refused(answer.status, says)
}
